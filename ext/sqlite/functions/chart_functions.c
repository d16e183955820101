/*
** chart_functions.c - charts for a terminal: bar(value, max, width [, style]) and the aggregate
** spark(value [, style]) or spark(value, low, high [, style]).
**
**     SELECT pool, bar(lost_chip_hours, max(lost_chip_hours) OVER (), 30) FROM ...
**     SELECT pool, spark(mpg) FROM (SELECT pool, day, mpg FROM ... ORDER BY day) GROUP BY pool
**
** style is 'unicode' (unless given) or 'ascii'. spark draws its values in the order in which rows
** come, a cell each; NULL is a blank; the lowest and the highest value of the group are the bounds
** unless they are given. It is a window function too, with an exact inverse. bar of NULL, or of a
** max that is NULL or not above 0, is NULL. Errors: text or a BLOB where a number is expected, a
** width that is not 1 to 1000, an unknown style, bounds that differ from row to row.
*/
#include "../connection.h"
#include "chart.h"
#include "../../base/text.h"

#include <math.h>
#include <string.h>

static mpg_rc get_number(sqlite3_value *value, const char *what, mpg_value *out, mpg_err *err) {
  char found[MPG_EXCERPT];
  *out = mpg_value_of(value);
  if (out->type == MPG_INT)
    out->r = (double)out->i;
  if (out->type != MPG_TEXT)
    return MPG_OK;
  mpg_text_excerpt(out->s, found);
  return mpg_fail(err, MPG_MISUSE, "expected a number as %s, found '%s'", what, found);
}

static mpg_rc get_style(sqlite3_value *value, mpg_chart_style *style, mpg_err *err) {
  mpg_value v = mpg_value_of(value);
  char found[MPG_EXCERPT] = "nothing";
  *style = MPG_CHART_UNICODE;
  if (v.type == MPG_NULL || (v.type == MPG_TEXT && mpg_str_eq(v.s, MPG_STR("unicode"))))
    return MPG_OK;
  *style = MPG_CHART_ASCII;
  if (v.type == MPG_TEXT && mpg_str_eq(v.s, MPG_STR("ascii")))
    return MPG_OK;
  if (v.type == MPG_TEXT)
    mpg_text_excerpt(v.s, found);
  return mpg_fail(err, MPG_MISUSE, "expected 'unicode' or 'ascii' as style, found '%s'",
                  v.type == MPG_TEXT ? found : "a number");
}

/* ---- bar ---- */

static void bar_function(sqlite3_context *context, int n, sqlite3_value **args) {
  char out[MPG_BAR_TEXT];
  mpg_chart_style style = MPG_CHART_UNICODE;
  mpg_value value = {0}, max = {0}, width = {0};
  mpg_err err;
  mpg_rc rc = get_number(args[0], "value", &value, &err);
  if (rc == MPG_OK)
    rc = get_number(args[1], "max", &max, &err);
  if (rc == MPG_OK)
    rc = get_number(args[2], "width", &width, &err);
  if (rc == MPG_OK && n > 3)
    rc = get_style(args[3], &style, &err);
  if (rc == MPG_OK && (width.type != MPG_INT || width.i < 1 || width.i > MPG_BAR_MAX))
    rc = mpg_fail_expected(&err, "a width of 1 to 1000", &width);
  if (rc != MPG_OK)
    mpg_result_failure(context, &err);
  else if (value.type != MPG_NULL && max.type != MPG_NULL && max.r > 0)
    sqlite3_result_text64(context, out, mpg_bar(value.r, max.r, (int)width.i, style, out),
                          SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* ---- spark ---- */

typedef struct state {
  double *values;       /* NAN: NULL */
  size_t first, n, cap; /* those in the frame are values[first..n) */
  mpg_chart_style style;
  bool bounded; /* low and high were given */
  double low, high;
} state;

static mpg_rc get_bounds(state *s, sqlite3_value **args, mpg_err *err) {
  mpg_value low = {0}, high = {0};
  mpg_rc rc = get_number(args[1], "low", &low, err);
  if (rc == MPG_OK)
    rc = get_number(args[2], "high", &high, err);
  if (rc != MPG_OK || low.type == MPG_NULL || high.type == MPG_NULL)
    return rc;
  if (!(low.r <= high.r) || (s->bounded && (s->low != low.r || s->high != high.r)))
    return mpg_fail(err, MPG_MISUSE,
                    "expected a low that is not above high, the same in every row");
  s->bounded = true;
  s->low = low.r;
  s->high = high.r;
  return MPG_OK;
}

/* The values that have left the frame make room for others. */
static void close_up(state *s) {
  if (s->first > 0 && s->first >= s->n - s->first) {
    memmove(s->values, s->values + s->first, (s->n - s->first) * sizeof *s->values);
    s->n -= s->first;
    s->first = 0;
  }
}

static void spark_step(sqlite3_context *context, int n, sqlite3_value **args) {
  state *s = sqlite3_aggregate_context(context, sizeof *s);
  const mpg_env *env = &mpg_conn_of(context)->env;
  mpg_value value = {0};
  mpg_err err;
  mpg_rc rc;
  if (s == NULL) {
    sqlite3_result_error_nomem(context);
    return;
  }
  rc = get_number(args[0], "value", &value, &err);
  if (rc == MPG_OK && n > 2)
    rc = get_bounds(s, args, &err);
  if (rc == MPG_OK && n != 1 && n != 3)
    rc = get_style(args[n - 1], &s->style, &err);
  if (rc != MPG_OK) {
    mpg_result_failure(context, &err);
    return;
  }
  close_up(s);
  if (mpg_grow(env, &s->values, &s->cap, s->n + 1, sizeof *s->values) != MPG_OK) {
    sqlite3_result_error_nomem(context);
    return;
  }
  s->values[s->n++] = value.type == MPG_NULL ? (double)NAN : value.r;
}

/* Frames lose their first row first. */
static void spark_inverse(sqlite3_context *context, int n, sqlite3_value **args) {
  state *s = sqlite3_aggregate_context(context, 0);
  (void)n;
  (void)args;
  if (s != NULL && s->first < s->n)
    s->first++;
}

/* Infinities are drawn at the bounds and do not set them. */
static void bounds_of(const state *s, double *low, double *high) {
  bool any = s->bounded;
  *low = s->low;
  *high = s->high;
  for (size_t i = s->first; i < s->n && !s->bounded; i++) {
    double v = s->values[i];
    if (!isfinite(v))
      continue;
    *low = any && *low < v ? *low : v;
    *high = any && *high > v ? *high : v;
    any = true;
  }
}

static void draw_sparkline(sqlite3_context *context, const state *s) {
  sqlite3_str *text = sqlite3_str_new(mpg_conn_of(context)->db);
  double low, high;
  int rc, length;
  bounds_of(s, &low, &high);
  for (size_t i = s->first; i < s->n; i++)
    sqlite3_str_appendall(
        text, isnan(s->values[i]) ? " " : mpg_spark_cell(s->values[i], low, high, s->style));
  rc = sqlite3_str_errcode(text);
  length = sqlite3_str_length(text);
  if (rc == SQLITE_OK)
    sqlite3_result_text(context, length > 0 ? sqlite3_str_value(text) : "", length,
                        SQLITE_TRANSIENT);
  else
    sqlite3_result_error_code(context, rc);
  sqlite3_free(sqlite3_str_finish(text));
}

static void spark_value(sqlite3_context *context) {
  const state *s = sqlite3_aggregate_context(context, 0);
  if (s != NULL && s->first < s->n)
    draw_sparkline(context, s);
}

static void spark_final(sqlite3_context *context) {
  state *s = sqlite3_aggregate_context(context, 0);
  if (s == NULL)
    return;
  if (s->first < s->n)
    draw_sparkline(context, s);
  mpg_free(&mpg_conn_of(context)->env, s->values);
  s->values = NULL;
}

int mpg_register_charts(mpg_conn *conn, char **error) {
  enum { PURE = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };
  static const mpg_function table[] = {
      {"bar", 3, PURE, 0, bar_function, NULL, NULL, NULL, NULL},
      {"bar", 4, PURE, 0, bar_function, NULL, NULL, NULL, NULL},
      {"spark", 1, PURE, 0, NULL, spark_step, spark_final, spark_value, spark_inverse},
      {"spark", 2, PURE, 0, NULL, spark_step, spark_final, spark_value, spark_inverse},
      {"spark", 3, PURE, 0, NULL, spark_step, spark_final, spark_value, spark_inverse},
      {"spark", 4, PURE, 0, NULL, spark_step, spark_final, spark_value, spark_inverse},
  };
  return mpg_register_functions(conn, table, sizeof table / sizeof *table, error);
}
