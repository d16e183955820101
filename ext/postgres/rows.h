/*
** rows.h - the rows of a set-returning function, and the session's list of issues.
*/
#ifndef MPG_POSTGRES_ROWS_H
#define MPG_POSTGRES_ROWS_H

#include "host.h"
#include "access/tupdesc.h"
#include "utils/tuplestore.h"

#include "../base/issues.h"

/* In work_mem, beyond it in a temporary file. */
typedef struct mpg_pg_rows {
  const char *who; /* the function, for messages */
  Tuplestorestate *store;
  TupleDesc desc;
  MemoryContext row; /* of one row's values; reset with each */
} mpg_pg_rows;

/* The rows that the function will have returned, a column for each of its declaration. */
void mpg_pg_rows_begin(mpg_pg_rows *rows, FunctionCallInfo call, const char *who);
/* A value for each column, by its type: text, bigint or double precision. Text must be UTF-8. */
void mpg_pg_rows_put(mpg_pg_rows *rows, const mpg_value *values);

/* What mpg_issues() shows: of this session, as long as it lives. */
mpg_issues *mpg_pg_issues(void);
/* Lists that a function over files has no rows, as its path is NULL. */
void mpg_pg_no_path(const char *function);

#endif
