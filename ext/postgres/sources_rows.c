/* sources_rows.c - trace_sources(path) in PostgreSQL: what lies at a path of the server, with the
** rows of SQLite (docs/sources.md). */
#include "rows.h"
#include "catalog/pg_type.h"
#include "utils/memutils.h"

#include "embedded.h"

#include <string.h>

PG_FUNCTION_INFO_V1(mpg_trace_sources);
Datum mpg_trace_sources(PG_FUNCTION_ARGS) {
  static const char *const who = "trace_sources";
  mpg_pg_rows rows;
  mpg_source_rows found;
  mpg_env env;
  mpg_value path, on_error;
  mpg_err err;
  MemoryContext context, before;
  memset(&found, 0, sizeof found);
  mpg_pg_rows_begin(&rows, fcinfo, who);
  context = AllocSetContextCreate(CurrentMemoryContext, "mpg sources", ALLOCSET_DEFAULT_SIZES);
  before = MemoryContextSwitchTo(context);
  env = mpg_host_env(context);
  path = mpg_any_argument(fcinfo, 0);
  on_error = mpg_any_argument(fcinfo, 1);
  if (path.type == MPG_NULL) {
    mpg_pg_no_path(who);
  } else {
    mpg_check_reads_files(who);
    if (mpg_embedded_sources(&found, &env, path.s, &on_error, &err) != MPG_OK)
      mpg_raise_as(who, &err);
  }
  for (size_t row = 0; row < found.n; row += MPG_SOURCE_COLUMNS) {
    mpg_value *values = &found.values[row];
    for (int i = 0; i < MPG_SOURCE_COLUMNS; i++)
      if (values[i].type == MPG_INT && TupleDescAttr(rows.desc, i)->atttypid == FLOAT8OID) {
        values[i].type = MPG_REAL;
        values[i].r = (double)values[i].i;
      }
    mpg_pg_rows_put(&rows, values);
  }
  MemoryContextSwitchTo(before);
  MemoryContextDelete(context);
  PG_RETURN_VOID();
}
