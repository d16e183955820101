/*
** median_function.c - the aggregate mpg_median(value): the lower median, one of the values.
**
** Of n numbers it is the smallest that at least half of them do not exceed. NULLs are left out; of
** none it is NULL. An INTEGER if all are integers of at most 2^53, else a REAL. Errors: a text.
**
** Values are stored, 8 bytes each, so this is no window function.
*/
#include "../connection.h"
#include "../../base/sort.h"
#include "../../base/text.h"

#include <math.h>

#define MANY ((size_t)65536) /* a selection of at least so many polls */
#define EXACT 0x1p53         /* integers up to here are doubles, too */

typedef struct state {
  const mpg_env *env; /* NULL before the first row */
  double *values;
  size_t n, cap;
  bool real; /* not all are integers that a double holds */
} state;

static void median_step(sqlite3_context *context, int n, sqlite3_value **args) {
  state *s = sqlite3_aggregate_context(context, sizeof *s);
  mpg_value v = mpg_value_of(args[0]);
  (void)n;
  if (v.type == MPG_NULL)
    return;
  if (s != NULL && s->env == NULL)
    s->env = &mpg_conn_of(context)->env;
  if (v.type == MPG_TEXT) {
    mpg_err err;
    (void)mpg_fail_expected(&err, "a number", &v);
    mpg_result_failure(context, &err);
  } else if (s == NULL ||
             mpg_grow(s->env, &s->values, &s->cap, s->n + 1, sizeof *s->values) != MPG_OK) {
    sqlite3_result_error_nomem(context);
  } else {
    double r = v.type == MPG_REAL ? v.r : (double)v.i;
    s->real = s->real || v.type == MPG_REAL || fabs(r) > EXACT;
    s->values[s->n++] = r;
  }
}

/* MPG_INTERRUPTED: the host said to stop. SQLite also calls xFinal of an interrupted statement, to
** clean up; nothing can be prepared then. */
static mpg_rc find_median(sqlite3_context *context, state *s, double *median) {
  size_t k = (s->n - 1) / 2;
  mpg_poller poller = {NULL, 0, false};
  mpg_query_env scan;
  int code = s->n < MANY ? SQLITE_ERROR : mpg_query_env_begin(&scan, mpg_conn_of(context));
  if (code == SQLITE_INTERRUPT || code == SQLITE_NOMEM)
    return code == SQLITE_NOMEM ? MPG_NOMEM : MPG_INTERRUPTED;
  if (code == SQLITE_OK) {
    poller.env = &scan.env;
    mpg_select_nth(&poller, s->values, s->n, k);
    mpg_query_env_end(&scan);
  } else { /* few, or an authorizer forbids to poll */
    mpg_select_nth(NULL, s->values, s->n, k);
  }
  *median = s->values[k];
  return poller.stopped ? MPG_INTERRUPTED : MPG_OK;
}

static void median_final(sqlite3_context *context) {
  state *s = sqlite3_aggregate_context(context, 0);
  double median = 0;
  mpg_rc rc;
  if (s == NULL || s->n == 0)
    return;
  rc = find_median(context, s, &median);
  if (rc != MPG_OK)
    sqlite3_result_error_code(context, mpg_sqlite_rc(rc));
  else if (s->real)
    sqlite3_result_double(context, median);
  else
    sqlite3_result_int64(context, (sqlite3_int64)median);
  mpg_free(s->env, s->values);
}

int mpg_register_median(mpg_conn *conn, char **error) {
  static const mpg_function table[] = {
      {"mpg_median", 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, 0, NULL, median_step, median_final,
       NULL, NULL},
  };
  return mpg_register_functions(conn, table, sizeof table / sizeof *table, error);
}
