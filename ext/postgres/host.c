/* host.c - see host.h. */
#include "host.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "common/string.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "../base/number.h"
#include "../base/time.h"

#include <string.h>

PG_MODULE_MAGIC;

static int sqlstate(mpg_rc rc) {
  switch (rc) {
  case MPG_NOMEM:
    return ERRCODE_OUT_OF_MEMORY;
  case MPG_IO:
    return ERRCODE_IO_ERROR;
  case MPG_LIMIT:
    return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
  case MPG_INTERRUPTED:
    return ERRCODE_QUERY_CANCELED;
  case MPG_MISUSE:
    return ERRCODE_INVALID_PARAMETER_VALUE;
  default:
    return ERRCODE_DATA_EXCEPTION;
  }
}

char *mpg_message(const char *text) {
  size_t n = strlen(text);
  StringInfoData out;
  bool fine = pg_is_ascii(text) ||
              (GetDatabaseEncoding() == PG_UTF8 && pg_verify_mbstr(PG_UTF8, text, (int)n, true));
  if (fine)
    return pstrdup(text);
  initStringInfo(&out);
  for (size_t i = 0; i < n; i++) {
    unsigned char byte = (unsigned char)text[i];
    if (byte < 0x80)
      appendStringInfoChar(&out, text[i]);
    else
      appendStringInfo(&out, "\\x%02x", byte);
  }
  return out.data;
}

void mpg_raise_as(const char *who, const mpg_err *err) {
  if (err->rc == MPG_INTERRUPTED)
    CHECK_FOR_INTERRUPTS(); /* says itself why: time-out, cancel, shutdown */
  ereport(ERROR, (errcode(sqlstate(err->rc)), errmsg("%s: %s", who, mpg_message(err->text))));
}

static const char *name_of(FunctionCallInfo call) {
  const Aggref *aggregate;
  char *name;
  if (AggCheckCallContext(call, NULL) == 0)
    name = get_func_name(call->flinfo->fn_oid);
  else
    name = (aggregate = AggGetAggref(call)) == NULL ? NULL : get_func_name(aggregate->aggfnoid);
  return name == NULL ? "mpg" : name;
}

void mpg_raise(FunctionCallInfo call, const mpg_err *err) {
  mpg_raise_as(name_of(call), err);
}

static void *resize(void *ctx, void *p, size_t n) {
  if (n == 0) {
    if (p != NULL)
      pfree(p);
    return NULL;
  }
  if (n > MaxAllocHugeSize)
    return NULL;
  if (p == NULL)
    return MemoryContextAllocExtended(ctx, n, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
  return repalloc_extended(p, n, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}

static bool interrupted(void *ctx) {
  (void)ctx;
  return INTERRUPTS_PENDING_CONDITION() && INTERRUPTS_CAN_BE_PROCESSED() &&
         (QueryCancelPending || ProcDiePending);
}

mpg_env mpg_host_env(MemoryContext context) {
  static uint64_t seed; /* of this process */
  if (seed == 0 && !pg_strong_random(&seed, sizeof seed))
    seed = 0; /* as good as none, and drawn again next time */
  return (mpg_env){
      .resize = resize, .resize_ctx = context, .interrupted = interrupted, .seed = seed};
}

mpg_value mpg_int8_argument(FunctionCallInfo call, int i) {
  mpg_value v = {MPG_NULL, 0, 0, {NULL, 0}};
  if (!call->args[i].isnull) {
    v.type = MPG_INT;
    v.i = DatumGetInt64(call->args[i].value);
  }
  return v;
}

mpg_value mpg_float8_argument(FunctionCallInfo call, int i) {
  mpg_value v = {MPG_NULL, 0, 0, {NULL, 0}};
  if (!call->args[i].isnull) {
    v.type = MPG_REAL;
    v.r = DatumGetFloat8(call->args[i].value);
  }
  return v;
}

mpg_value mpg_numeric_argument(FunctionCallInfo call, int i) {
  mpg_value v = {MPG_NULL, 0, 0, {NULL, 0}};
  const char *text;
  size_t digits, zeros;
  if (call->args[i].isnull)
    return v;
  text = DatumGetCString(DirectFunctionCall1(numeric_out, call->args[i].value));
  digits = strspn(text, "-0123456789");
  zeros = text[digits] == '.' ? 1 + strspn(text + digits + 1, "0") : 0;
  if (digits == 0 || text[digits + zeros] != '\0') { /* NaN, Infinity, or a fraction */
    v.type = MPG_REAL;
    v.r = DatumGetFloat8(DirectFunctionCall1(numeric_float8, call->args[i].value));
  } else if (mpg_int_parse((mpg_str){text, digits}, &v.i)) {
    v.type = MPG_INT;
  } else {
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("%s: expected a whole number of at most 64 bits, found %s",
                           name_of(call), text)));
  }
  return v;
}

mpg_value mpg_text_argument(FunctionCallInfo call, int i) {
  mpg_value v = {MPG_NULL, 0, 0, {NULL, 0}};
  if (!call->args[i].isnull) {
    const struct varlena *text = PG_DETOAST_DATUM_PACKED(call->args[i].value);
    v.type = MPG_TEXT;
    v.s.p = VARDATA_ANY(text);
    v.s.n = VARSIZE_ANY_EXHDR(text);
  }
  return v;
}

/* ---- roles ---- */

void mpg_check_reads_files(const char *who) {
  if (!has_privs_of_role(GetUserId(), ROLE_PG_READ_SERVER_FILES))
    ereport(ERROR,
            (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
             errmsg("%s: must be superuser or have privileges of the pg_read_server_files role to "
                    "read a file of the server",
                    who),
             errhint("mpg_ledger and mpg_rollup read tables and views, for anyone who may.")));
}

/* ---- any type ---- */

static mpg_value text_value(const char *p, size_t n) {
  mpg_value v = {MPG_TEXT, 0, 0, {p, n}};
  if (GetDatabaseEncoding() != PG_UTF8) {
    v.s.p = pg_server_to_any(p, (int)n, PG_UTF8);
    v.s.n = v.s.p == p ? n : strlen(v.s.p);
  }
  return v;
}

static mpg_value text_value_of(Oid type, Datum datum) {
  Oid output;
  bool varlena;
  const char *text;
  getTypeOutputInfo(type, &output, &varlena);
  text = OidOutputFunctionCall(output, datum);
  return text_value(text, strlen(text));
}

/* Microseconds since 2000. */
static mpg_value time_value(Oid type, Datum datum, int64 us) {
  char *text;
  mpg_value v = {MPG_TEXT, 0, 0, {NULL, 0}};
  if (TIMESTAMP_NOT_FINITE(us) ||
      pg_add_s64_overflow(
          us, SECS_PER_DAY * USECS_PER_SEC * (int64)(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE), &us))
    return text_value_of(type, datum);
  v.s.p = text = palloc(40);
  v.s.n = mpg_time_format(us, text);
  return v;
}

/* A whole number's digits alone: "12.000" is no integer elsewhere. */
static mpg_value digits_value(Datum datum) {
  const char *text = DatumGetCString(DirectFunctionCall1(numeric_out, datum));
  size_t digits = strspn(text, "-0123456789"), n = strlen(text);
  if (text[digits] == '.' && digits + 1 + strspn(text + digits + 1, "0") == n)
    n = digits;
  return (mpg_value){MPG_TEXT, 0, 0, {text, n}};
}

mpg_value mpg_datum_value(Oid type, Datum datum) {
  mpg_value v = {MPG_INT, 0, 0, {NULL, 0}};
  switch (type) {
  case INT2OID:
    v.i = DatumGetInt16(datum);
    return v;
  case INT4OID:
    v.i = DatumGetInt32(datum);
    return v;
  case INT8OID:
    v.i = DatumGetInt64(datum);
    return v;
  case FLOAT4OID:
    v.type = MPG_REAL;
    v.r = DatumGetFloat4(datum);
    return v;
  case FLOAT8OID:
    v.type = MPG_REAL;
    v.r = DatumGetFloat8(datum);
    return v;
  case NUMERICOID:
    return digits_value(datum);
  case TEXTOID:
  case VARCHAROID:
  case BPCHAROID:
  case JSONOID: {
    const struct varlena *text = PG_DETOAST_DATUM_PACKED(datum);
    return text_value(VARDATA_ANY(text), VARSIZE_ANY_EXHDR(text));
  }
  case UNKNOWNOID: /* a literal */
    return text_value(DatumGetCString(datum), strlen(DatumGetCString(datum)));
  case TIMESTAMPTZOID:
  case TIMESTAMPOID:
    return time_value(type, datum, DatumGetTimestampTz(datum));
  case DATEOID: {
    DateADT date = DatumGetDateADT(datum); /* up to the year 5874897 */
    int64 us;
    if (DATE_NOT_FINITE(date) || pg_mul_s64_overflow(date, USECS_PER_DAY, &us))
      return text_value_of(type, datum);
    return time_value(type, datum, us);
  }
  default:
    return text_value_of(type, datum);
  }
}

mpg_value mpg_any_argument(FunctionCallInfo call, int i) {
  mpg_value v = {MPG_NULL, 0, 0, {NULL, 0}};
  if (!call->args[i].isnull)
    v = mpg_datum_value(getBaseType(get_fn_expr_argtype(call->flinfo, i)), call->args[i].value);
  return v;
}
