/*
** goodput_functions.c - the goodput aggregates: ratios of chip-time summed by category, and the
** sums themselves.
**
**     f(category, chip_time)                         rows of the ledger, or of such a table
**     f(capacity, allocated, productive, ideal)      wide rows
**     f(state)                                       states of goodput_state, merged
**
** where f is one of
**
**     scheduling_goodput, runtime_goodput, program_goodput, mpg, mpg_lower, runtime_coverage,
**     program_coverage, occupancy, mfu, ettr         REAL, or NULL where unknown: see account.h
**     goodput                                        one JSON object with everything
**     goodput_state                                  BLOB: see account.c
**
** and goodput_merge(state) is goodput_state(state) by a name that says what it is for.
**
** Any unit of chip-time will do, the same in every row. Integers and reals are summed exactly, so
** the result does not depend on the order of rows, on shards, or on what a window dropped.
**
** NULL: a row without chip_time, of four NULLs, or of a NULL state is ignored; nothing summed is
** NULL. A NULL category is an error. In wide rows capacity and allocated are required; productive
** NULL says that the allocated time is untraced (its ideal is then not looked at), ideal NULL that
** the productive time is unrated. Wide rows do not say how much was held by incomplete gangs, so
** over them occupancy is allocated / capacity, and ettr productive / allocated.
**
** A number must be INTEGER or REAL. Text is an error even if it looks like a number, for a column
** of text is more often a mistake than a measurement. So are infinities.
*/
#include "../connection.h"
#include "../../goodput/goodput.h"
#include "../../base/text.h"

static mpg_goodput *goodput_make(sqlite3_context *context) {
  mpg_goodput *g = sqlite3_aggregate_context(context, sizeof *g);
  if (g == NULL)
    sqlite3_result_error_nomem(context);
  return g;
}

/* Says what a value is, for a message: INTEGER 5, TEXT 'x', BLOB of 3 bytes. */
#define DESCRIPTION (MPG_EXCERPT + 32)
static void describe_value(sqlite3_value *value, char out[DESCRIPTION]) {
  char text[MPG_EXCERPT];
  const char *p;
  switch (sqlite3_value_type(value)) {
  case SQLITE_INTEGER:
    (void)mpg_text_int(sqlite3_value_int64(value), text);
    (void)sqlite3_snprintf(DESCRIPTION, out, "INTEGER %s", text);
    break;
  case SQLITE_FLOAT:
    (void)mpg_text_real(sqlite3_value_double(value), text);
    (void)sqlite3_snprintf(DESCRIPTION, out, "REAL %s", text);
    break;
  case SQLITE_TEXT:
    p = (const char *)sqlite3_value_text(value);
    mpg_text_excerpt((mpg_str){p, p == NULL ? 0 : (size_t)sqlite3_value_bytes(value)}, text);
    (void)sqlite3_snprintf(DESCRIPTION, out, "TEXT '%s'", text);
    break;
  default: /* nothing else is expected of NULL */
    (void)sqlite3_snprintf(DESCRIPTION, out, "BLOB of %d bytes", sqlite3_value_bytes(value));
    break;
  }
}

static void fail_expected(sqlite3_context *context, const char *what, sqlite3_value *found) {
  char description[DESCRIPTION];
  mpg_err err;
  describe_value(found, description);
  (void)mpg_fail(&err, MPG_DATA, "expected %s, found %s", what, description);
  mpg_result_failure(context, &err);
}

static bool is_number(sqlite3_value *value) {
  int type = sqlite3_value_type(value);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* The common row: a category, whose text in the ledger is known by its address, and an integer.
** False for any other row. */
static bool fast_row(sqlite3_context *context, sqlite3_value **args, bool remove) {
  mpg_category category;
  mpg_goodput *g;
  const char *name;
  mpg_err err;
  if (sqlite3_value_type(args[1]) != SQLITE_INTEGER || sqlite3_value_type(args[0]) != SQLITE_TEXT)
    return false;
  name = (const char *)sqlite3_value_text(args[0]);
  category = mpg_category_at(name);
  if (category == MPG_CATEGORIES && name != NULL)
    category = mpg_category_find((mpg_str){name, (size_t)sqlite3_value_bytes(args[0])});
  if (category == MPG_CATEGORIES)
    return false;
  g = goodput_make(context);
  if (g != NULL &&
      mpg_goodput_int(g, category, sqlite3_value_int64(args[1]), remove, &err) != MPG_OK)
    mpg_result_failure(context, &err);
  return true;
}

/* f(category, chip_time) */
static void category_row(sqlite3_context *context, sqlite3_value **args, bool remove) {
  mpg_value category, chip_time;
  mpg_goodput *g;
  mpg_err err;
  if (fast_row(context, args, remove))
    return;
  if (sqlite3_value_type(args[1]) == SQLITE_NULL)
    return;
  if (!is_number(args[1])) {
    fail_expected(context, "a number for chip_time", args[1]);
    return;
  }
  if (sqlite3_value_type(args[0]) == SQLITE_NULL) {
    (void)mpg_fail(&err, MPG_DATA, "category is NULL");
    mpg_result_failure(context, &err);
    return;
  }
  if (sqlite3_value_type(args[0]) != SQLITE_TEXT) {
    fail_expected(context, "text for category", args[0]);
    return;
  }
  category = mpg_value_of(args[0]);
  chip_time = mpg_value_of(args[1]);
  g = category.s.p == NULL ? NULL : goodput_make(context);
  if (g == NULL)
    sqlite3_result_error_nomem(context);
  else if (mpg_goodput_category(g, category.s, &chip_time, remove, &err) != MPG_OK)
    mpg_result_failure(context, &err);
}

/* f(capacity, allocated, productive, ideal) */
static void wide_row(sqlite3_context *context, sqlite3_value **args, bool remove) {
  mpg_value values[MPG_WIDE];
  mpg_goodput *g;
  mpg_err err;
  for (int i = 0; i < MPG_WIDE; i++) {
    if (sqlite3_value_type(args[i]) != SQLITE_NULL && !is_number(args[i])) {
      char what[32];
      (void)sqlite3_snprintf((int)sizeof what, what, "a number for %s", mpg_wide_name(i));
      fail_expected(context, what, args[i]);
      return;
    }
    values[i] = mpg_value_of(args[i]);
  }
  g = goodput_make(context);
  if (g != NULL && mpg_goodput_wide(g, values, remove, &err) != MPG_OK)
    mpg_result_failure(context, &err);
}

/* f(state) */
static void state_row(sqlite3_context *context, sqlite3_value **args, bool remove) {
  const unsigned char *p;
  mpg_goodput *g;
  size_t n;
  mpg_err err;
  if (sqlite3_value_type(args[0]) == SQLITE_NULL)
    return;
  if (sqlite3_value_type(args[0]) != SQLITE_BLOB) {
    fail_expected(context, "a state of goodput_state", args[0]);
    return;
  }
  p = sqlite3_value_blob(args[0]);
  n = (size_t)sqlite3_value_bytes(args[0]);
  g = p == NULL && n > 0 ? NULL : goodput_make(context);
  if (g == NULL)
    sqlite3_result_error_nomem(context);
  else if (mpg_goodput_state(g, p, n, remove, &err) != MPG_OK)
    mpg_result_failure(context, &err);
}

/* The two directions of each form. */
#define STEPS(form)                                                                                \
  static void form##_step(sqlite3_context *context, int n, sqlite3_value **args) {                 \
    (void)n;                                                                                       \
    form##_row(context, args, false);                                                              \
  }                                                                                                \
  static void form##_inverse(sqlite3_context *context, int n, sqlite3_value **args) {              \
    (void)n;                                                                                       \
    form##_row(context, args, true);                                                               \
  }
STEPS(category)
STEPS(wide)
STEPS(state)

/* The results. None changes the context or frees anything, so each is both xFinal and xValue. */

static const mpg_goodput *summed_state(sqlite3_context *context) {
  const mpg_goodput *g = sqlite3_aggregate_context(context, 0);
  return g == NULL || g->rows == 0 ? NULL : g;
}

static void ratio_result(sqlite3_context *context) {
  const mpg_goodput *g = summed_state(context);
  double v;
  if (g != NULL &&
      mpg_account_ratio(&g->account, (mpg_ratio)mpg_function_of(context)->parameter, &v))
    sqlite3_result_double(context, v);
}

static void state_result(sqlite3_context *context) {
  const mpg_goodput *g = summed_state(context);
  unsigned char state[MPG_STATE_MAX];
  if (g != NULL)
    sqlite3_result_blob(context, state, (int)mpg_account_write(&g->account, state),
                        SQLITE_TRANSIENT);
}

static void json_result(sqlite3_context *context) {
  const mpg_goodput *g = summed_state(context);
  char json[MPG_GOODPUT_JSON];
  if (g != NULL)
    sqlite3_result_text(context, json, (int)mpg_goodput_json(g, json), SQLITE_TRANSIENT);
}

#define PURE (SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS)
#define FORM(name, nargs, parameter, form, result)                                                 \
  { name, nargs, PURE, parameter, NULL, form##_step, result, result, form##_inverse }
#define FORMS(name, parameter, result)                                                             \
  FORM(name, 2, parameter, category, result), FORM(name, 4, parameter, wide, result),              \
      FORM(name, 1, parameter, state, result)

int mpg_register_goodput(mpg_conn *conn, char **error) {
  static const mpg_function table[] = {
      FORMS("scheduling_goodput", MPG_RATIO_SG, ratio_result),
      FORMS("runtime_goodput", MPG_RATIO_RG, ratio_result),
      FORMS("program_goodput", MPG_RATIO_PG, ratio_result),
      FORMS("mpg", MPG_RATIO_MPG, ratio_result),
      FORMS("mpg_lower", MPG_RATIO_MPG_LOWER, ratio_result),
      FORMS("runtime_coverage", MPG_RATIO_RUNTIME_COVERAGE, ratio_result),
      FORMS("program_coverage", MPG_RATIO_PROGRAM_COVERAGE, ratio_result),
      FORMS("occupancy", MPG_RATIO_OCCUPANCY, ratio_result),
      FORMS("mfu", MPG_RATIO_MFU, ratio_result),
      FORMS("ettr", MPG_RATIO_ETTR, ratio_result),
      FORMS("goodput", 0, json_result),
      FORMS("goodput_state", 0, state_result),
      FORM("goodput_merge", 1, 0, state, state_result),
  };
  return mpg_register_functions(conn, table, sizeof table / sizeof *table, error);
}
