/*
** interval_functions.c - aggregates over (start, end) rows in any order.
**
**     interval_union(start, end)            length covered by at least one
**     interval_overlap(start, end, is_b)    length covered by both, is_b = 0 and is_b <> 0
**     all_up(start, end, k)                 length covered by at least k: a gang of k is whole
**     peak_concurrency(start, end)          most at once
**
** Intervals are half open, [start, end), so those that touch do not overlap, and an empty one (end
** = start) covers nothing. The unit is the caller's. Integers are summed exactly and give an
** INTEGER. If any start or end of the group is a REAL, all are converted, and the length is a REAL
** with the error of about one rounding. peak_concurrency is always an INTEGER.
**
** A row with a NULL argument is ignored; without any other row the result is NULL. Errors: a start
** or end that is not a finite number, end < start, a k that is not a positive integer or not the
** same in every row, a length that fits neither in 64 bits nor in a REAL.
**
** Rows are stored, 32 bytes each, and sorted at the end; so these are no window functions.
*/
#include "../connection.h"
#include "../../read/grouping/interval.h"
#include "../../base/text.h"

#include <math.h>
#include <string.h>

#define MANY ((size_t)65536) /* a sweep of at least so many edges polls */

typedef enum measure { UNION, OVERLAP, ALL_UP, PEAK } measure;

typedef struct state {
  mpg_intervals set; /* env is NULL before the first row */
  bool rows;         /* any row that counts */
  bool real;         /* places are keys of doubles, see key_of */
  int64_t k;         /* ALL_UP */
} state;

/* A key orders as its double does, and gives it back. v is not a NaN. */
static int64_t key_of(double v) {
  int64_t bits;
  v += 0.0; /* -0.0 and 0.0 are one place */
  memcpy(&bits, &v, sizeof bits);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}

static double of_key(int64_t key) {
  double v;
  key = key < 0 ? key ^ INT64_MAX : key;
  memcpy(&v, &key, sizeof v);
  return v;
}

/* The first REAL of a group: what was collected as integers becomes keys. The order stays. */
static void turn_real(state *s) {
  for (size_t i = 0; i < s->set.n; i++)
    s->set.edges[i].at = key_of((double)s->set.edges[i].at);
  s->real = true;
}

static mpg_rc get_place(sqlite3_value *value, const char *what, mpg_value *out, mpg_err *err) {
  char found[MPG_EXCERPT];
  *out = mpg_value_of(value);
  if (out->type == MPG_TEXT) {
    mpg_text_excerpt(out->s, found);
    return mpg_fail(err, MPG_MISUSE, "expected a number as %s, found '%s'", what, found);
  }
  if (out->type == MPG_REAL && !isfinite(out->r))
    return mpg_fail(err, MPG_DATA, "expected a finite number as %s, found %g", what, out->r);
  return MPG_OK;
}

static mpg_rc fail_backwards(const mpg_value *start, const mpg_value *end, mpg_err *err) {
  char from[MPG_REAL_TEXT + MPG_INT_TEXT], to[MPG_REAL_TEXT + MPG_INT_TEXT];
  (void)(start->type == MPG_INT ? mpg_text_int(start->i, from) : mpg_text_real(start->r, from));
  (void)(end->type == MPG_INT ? mpg_text_int(end->i, to) : mpg_text_real(end->r, to));
  return mpg_fail(err, MPG_DATA, "the end %s is before the start %s", to, from);
}

static mpg_rc add_interval(state *s, sqlite3_value **args, bool is_b, mpg_err *err) {
  mpg_value start, end;
  int64_t from, to;
  mpg_rc rc = get_place(args[0], "start", &start, err);
  if (rc == MPG_OK)
    rc = get_place(args[1], "end", &end, err);
  if (rc != MPG_OK)
    return rc;
  if (!s->real && (start.type == MPG_REAL || end.type == MPG_REAL))
    turn_real(s);
  from = !s->real ? start.i : key_of(start.type == MPG_REAL ? start.r : (double)start.i);
  to = !s->real ? end.i : key_of(end.type == MPG_REAL ? end.r : (double)end.i);
  if (to < from)
    return fail_backwards(&start, &end, err);
  s->rows = true;
  return mpg_intervals_add(&s->set, from, to, is_b) == MPG_OK ? MPG_OK : mpg_fail_nomem(err);
}

/* is_b: any number; what SQL takes for true is class b. */
static mpg_rc get_class(sqlite3_value *value, bool *is_b, mpg_err *err) {
  mpg_value v = mpg_value_of(value);
  char found[MPG_EXCERPT];
  if (v.type == MPG_TEXT) {
    mpg_text_excerpt(v.s, found);
    return mpg_fail(err, MPG_MISUSE, "expected 0 or 1 as is_b, found '%s'", found);
  }
  *is_b = v.type == MPG_INT ? v.i != 0 : v.r != 0;
  return MPG_OK;
}

static mpg_rc get_k(state *s, sqlite3_value *value, mpg_err *err) {
  mpg_value v = mpg_value_of(value);
  if (v.type != MPG_INT || v.i < 1)
    return mpg_fail_expected(err, "a positive integer as k", &v);
  if (s->k != 0 && s->k != v.i)
    return mpg_fail(err, MPG_MISUSE, "expected the same k in every row, found %lld and %lld",
                    (long long)s->k, (long long)v.i);
  s->k = v.i;
  return MPG_OK;
}

static void interval_step(sqlite3_context *context, int n, sqlite3_value **args) {
  state *s = sqlite3_aggregate_context(context, sizeof *s);
  bool is_b = false;
  mpg_rc rc = MPG_OK;
  mpg_err err;
  if (s == NULL) {
    sqlite3_result_error_nomem(context);
    return;
  }
  if (s->set.env == NULL)
    mpg_intervals_init(&s->set, &mpg_conn_of(context)->env);
  for (int i = 0; i < n; i++)
    if (sqlite3_value_type(args[i]) == SQLITE_NULL)
      return;
  switch ((measure)mpg_function_of(context)->parameter) {
  case OVERLAP:
    rc = get_class(args[2], &is_b, &err);
    break;
  case ALL_UP:
    rc = get_k(s, args[2], &err);
    break;
  default:
    break;
  }
  if (rc == MPG_OK)
    rc = add_interval(s, args, is_b, &err);
  if (rc != MPG_OK)
    mpg_result_failure(context, &err);
}

/* A sum of doubles with a second sum of the rounding errors (A. Neumaier, ZAMM 54(1), 1974). */
typedef struct length {
  measure measure;
  int64_t k;
  double sum, lost;
} length;

static void length_add(length *l, double v) {
  double sum = l->sum + v;
  l->lost += fabs(l->sum) >= fabs(v) ? (l->sum - sum) + v : (v - sum) + l->sum;
  l->sum = sum;
}

/* Ends and starts are added one by one, so that those of pieces which touch cancel. */
static mpg_rc length_piece(void *ctx, int64_t from, int64_t to, int64_t a, int64_t b) {
  length *l = ctx;
  if (l->measure == UNION || (l->measure == OVERLAP && a > 0 && b > 0) ||
      (l->measure == ALL_UP && a + b >= l->k)) {
    length_add(l, of_key(to));
    length_add(l, -of_key(from));
  }
  return MPG_OK;
}

static mpg_rc result_real(sqlite3_context *context, state *s, measure m, mpg_err *err) {
  length l = {m, s->k, 0, 0};
  mpg_rc rc = mpg_intervals_each(&s->set, length_piece, &l);
  if (rc != MPG_OK)
    return rc;
  if (!isfinite(l.sum + l.lost))
    return mpg_fail(err, MPG_LIMIT, "the length is too large for a REAL");
  sqlite3_result_double(context, l.sum + l.lost);
  return MPG_OK;
}

static mpg_rc result_integer(sqlite3_context *context, state *s, measure m, mpg_err *err) {
  mpg_sweep sweep;
  mpg_i128 v;
  mpg_rc rc = mpg_intervals_sweep(&s->set, s->k, &sweep);
  if (rc != MPG_OK)
    return rc;
  v = m == UNION     ? sweep.covered
      : m == OVERLAP ? sweep.both
      : m == ALL_UP  ? sweep.at_least
                     : sweep.peak;
  if (v > INT64_MAX)
    return mpg_fail(err, MPG_LIMIT, "the length does not fit in 64 bits");
  sqlite3_result_int64(context, (sqlite3_int64)v);
  return MPG_OK;
}

static mpg_rc set_result(sqlite3_context *context, state *s, mpg_err *err) {
  measure m = (measure)mpg_function_of(context)->parameter;
  return s->real && m != PEAK ? result_real(context, s, m, err)
                              : result_integer(context, s, m, err);
}

/* The same for a set that may take long: it polls. SQLite also calls xFinal of an interrupted
** statement, to clean up; nothing can be prepared then. */
static mpg_rc result_of_many(sqlite3_context *context, state *s, mpg_err *err) {
  const mpg_env *env = s->set.env;
  mpg_query_env scan;
  int code = mpg_query_env_begin(&scan, mpg_conn_of(context));
  mpg_rc rc;
  if (code == SQLITE_INTERRUPT || code == SQLITE_NOMEM)
    return code == SQLITE_NOMEM ? MPG_NOMEM : MPG_INTERRUPTED;
  if (code != SQLITE_OK) /* for instance, an authorizer forbids it */
    return set_result(context, s, err);
  s->set.env = &scan.env;
  rc = set_result(context, s, err);
  mpg_query_env_end(&scan);
  s->set.env = env;
  return rc;
}

static void interval_final(sqlite3_context *context) {
  state *s = sqlite3_aggregate_context(context, 0);
  mpg_err err;
  if (s == NULL || s->set.env == NULL)
    return;
  if (s->rows) {
    mpg_rc rc = s->set.n > MANY ? result_of_many(context, s, &err) : set_result(context, s, &err);
    if (rc == MPG_NOMEM || rc == MPG_INTERRUPTED)
      sqlite3_result_error_code(context, mpg_sqlite_rc(rc));
    else if (rc != MPG_OK)
      mpg_result_failure(context, &err);
  }
  mpg_intervals_free(&s->set);
}

int mpg_register_intervals(mpg_conn *conn, char **error) {
  enum { PURE = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };
  static const mpg_function table[] = {
      {"interval_union", 2, PURE, UNION, NULL, interval_step, interval_final, NULL, NULL},
      {"interval_overlap", 3, PURE, OVERLAP, NULL, interval_step, interval_final, NULL, NULL},
      {"all_up", 3, PURE, ALL_UP, NULL, interval_step, interval_final, NULL, NULL},
      {"peak_concurrency", 2, PURE, PEAK, NULL, interval_step, interval_final, NULL, NULL},
  };
  return mpg_register_functions(conn, table, sizeof table / sizeof *table, error);
}
