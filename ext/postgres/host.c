/* host.c - see host.h. */
#include "host.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "../core/number.h"

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

void mpg_raise(const mpg_err *err) {
  if (err->rc == MPG_INTERRUPTED)
    CHECK_FOR_INTERRUPTS(); /* says itself why: time-out, cancel, shutdown */
  ereport(ERROR, (errcode(sqlstate(err->rc)), errmsg("mpg: %s", err->text)));
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
  return (mpg_env){resize, context, interrupted, NULL, NULL};
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
                    errmsg("mpg: expected a whole number of at most 64 bits, found %s", text)));
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
