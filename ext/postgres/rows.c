/* rows.c - see rows.h. */
#include "rows.h"
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "../base/text.h"

void mpg_pg_rows_begin(mpg_pg_rows *rows, FunctionCallInfo call, const char *who) {
  ReturnSetInfo *result = (ReturnSetInfo *)call->resultinfo;
  MemoryContext before;
  if (result == NULL || !IsA(result, ReturnSetInfo) ||
      (result->allowedModes & SFRM_Materialize) == 0)
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("%s: a set of rows called where none can be taken", who)));
  rows->who = who;
  rows->row = AllocSetContextCreate(CurrentMemoryContext, "mpg row", ALLOCSET_SMALL_SIZES);
  before = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
  if (get_call_result_type(call, NULL, &rows->desc) != TYPEFUNC_COMPOSITE)
    elog(ERROR, "%s: its declaration returns no table", who);
  rows->store =
      tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0, false, work_mem);
  MemoryContextSwitchTo(before);
  result->returnMode = SFRM_Materialize;
  result->setResult = rows->store;
  result->setDesc = rows->desc;
}

static Datum text_datum(const mpg_pg_rows *rows, int column, mpg_str s) {
  char found[MPG_EXCERPT];
  if (GetDatabaseEncoding() != PG_UTF8) {
    /* Says itself what has no place in the encoding. */
    const char *text = pg_any_to_server(s.p, (int)s.n, PG_UTF8);
    return PointerGetDatum(text == s.p ? cstring_to_text_with_len(s.p, (int)s.n)
                                       : cstring_to_text(text));
  }
  if (!pg_verify_mbstr(PG_UTF8, s.p, (int)s.n, true)) {
    mpg_text_excerpt(s, found);
    ereport(ERROR, (errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
                    errmsg("%s: expected UTF-8 as %s, found \"%s\"", rows->who,
                           NameStr(TupleDescAttr(rows->desc, column)->attname), found)));
  }
  return PointerGetDatum(cstring_to_text_with_len(s.p, (int)s.n));
}

void mpg_pg_rows_put(mpg_pg_rows *rows, const mpg_value *values) {
  Datum datums[MaxTupleAttributeNumber];
  bool nulls[MaxTupleAttributeNumber];
  MemoryContext before = MemoryContextSwitchTo(rows->row);
  for (int i = 0; i < rows->desc->natts; i++) {
    nulls[i] = values[i].type == MPG_NULL;
    datums[i] = (Datum)0;
    if (values[i].type == MPG_TEXT)
      datums[i] = text_datum(rows, i, values[i].s);
    else if (values[i].type == MPG_INT)
      datums[i] = Int64GetDatum(values[i].i);
    else if (values[i].type == MPG_REAL)
      datums[i] = Float8GetDatum(values[i].r);
  }
  MemoryContextSwitchTo(before);
  tuplestore_putvalues(rows->store, rows->desc, datums, nulls);
  MemoryContextReset(rows->row);
}

/* ---- issues ---- */

/* A backend has one thread and one session. */
mpg_issues *mpg_pg_issues(void) {
  static mpg_env env;
  static mpg_issues issues;
  if (issues.env == NULL) {
    env =
        mpg_host_env(AllocSetContextCreate(TopMemoryContext, "mpg issues", ALLOCSET_DEFAULT_SIZES));
    mpg_issues_init(&issues, &env);
  }
  return &issues;
}

void mpg_pg_no_path(const char *function) {
  (void)mpg_issues_add(mpg_pg_issues(), MPG_INFO, function, "null_argument", 0, 1,
                       "path is NULL: no rows");
}

static mpg_value message_value(const char *text) {
  const char *message = mpg_message(text);
  if (GetDatabaseEncoding() != PG_UTF8) /* it is ASCII then */
    message = pg_server_to_any(message, (int)strlen(message), PG_UTF8);
  return (mpg_value){.type = MPG_TEXT, .s = mpg_str_of(message)};
}

PG_FUNCTION_INFO_V1(mpg_session_issues);
Datum mpg_session_issues(PG_FUNCTION_ARGS) {
  const mpg_issues *issues = mpg_pg_issues();
  mpg_pg_rows rows;
  mpg_pg_rows_begin(&rows, fcinfo, "mpg_issues");
  for (size_t i = 0; i < issues->n; i++) {
    const mpg_issue *issue = &issues->items[i];
    const mpg_value values[] = {
        message_value(issue->source),
        message_value(mpg_severity_name(issue->severity)),
        message_value(issue->kind),
        {.type = issue->line == 0 ? MPG_NULL : MPG_INT, .i = issue->line},
        {.type = MPG_INT, .i = issue->count},
        message_value(issue->detail),
    };
    mpg_pg_rows_put(&rows, values);
  }
  PG_RETURN_VOID();
}
