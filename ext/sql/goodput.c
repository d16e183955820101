/*
** goodput.c - the goodput aggregates: ratios of chip-time summed by category, and the sums
** themselves.
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
** NULL says that the allocated time is untraced (its ideal is then not looked at), ideal NULL
** that the productive time is unrated. Wide rows do not say how much was held by incomplete
** gangs, so over them occupancy is allocated / capacity, and ettr productive / allocated.
**
** A number must be INTEGER or REAL: text is an error even where it looks like a number, since a
** column of text is more often a mistake than a measurement. So are infinities.
*/
#include "sql.h"
#include "../core/account.h"

#include <string.h>

/* What an aggregate keeps. It owns nothing, so a failed statement leaves nothing behind. */
typedef struct goodput {
  mpg_account account;
  int64_t rows; /* summed and not removed again; 0: the result is NULL */
} goodput;

/*
** SQLite aligns a context to 8 bytes, an account wants 16: its room is that much larger. SQLite
** never moves a context, so the aligned place stays the same. NULL: out of memory, or, where
** `make` is false, nothing was ever added.
*/
static goodput *goodput_of(sqlite3_context *context, bool make) {
  const size_t alignment = _Alignof(goodput);
  char *room = sqlite3_aggregate_context(context, make ? (int)(sizeof(goodput) + alignment) : 0);
  if (room == NULL)
    return NULL;
  return (goodput *)(void *)(room + (0 - (uintptr_t)room) % alignment);
}

static goodput *goodput_make(sqlite3_context *context) {
  goodput *g = goodput_of(context, true);
  if (g == NULL)
    sqlite3_result_error_nomem(context);
  return g;
}

/* Says what a value is, for a message: INTEGER 5, TEXT 'x', BLOB of 3 bytes. */
#define DESCRIPTION (MPG_EXCERPT + 32)
static void describe(sqlite3_value *value, char out[DESCRIPTION]) {
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
  case SQLITE_BLOB:
    (void)sqlite3_snprintf(DESCRIPTION, out, "BLOB of %d bytes", sqlite3_value_bytes(value));
    break;
  default:
    (void)sqlite3_snprintf(DESCRIPTION, out, "NULL");
    break;
  }
}

static void expected(sqlite3_context *context, const char *what, sqlite3_value *found) {
  char description[DESCRIPTION];
  mpg_err err;
  describe(found, description);
  (void)mpg_fail(&err, MPG_DATA, "expected %s, found %s", what, description);
  mpg_result_failure(context, &err);
}

static bool is_number(sqlite3_value *value) {
  int type = sqlite3_value_type(value);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* Adds a number to a slot; on failure reports and returns false. */
static bool add(sqlite3_context *context, goodput *g, int slot, sqlite3_value *value, bool remove) {
  mpg_err err;
  mpg_rc rc;
  if (sqlite3_value_type(value) == SQLITE_INTEGER)
    rc = mpg_account_add_int(&g->account, slot, sqlite3_value_int64(value), remove, &err);
  else
    rc = mpg_account_add_real(&g->account, slot, sqlite3_value_double(value), remove, &err);
  if (rc != MPG_OK)
    mpg_result_failure(context, &err);
  return rc == MPG_OK;
}

static void unknown_category(sqlite3_context *context, mpg_str name) {
  char found[MPG_EXCERPT], known[512];
  size_t n = 0;
  mpg_err err;
  mpg_text_excerpt(name, found);
  for (int c = 0; c < MPG_CATEGORIES; c++) {
    (void)sqlite3_snprintf((int)(sizeof known - n), known + n, "%s%s", c > 0 ? ", " : "",
                           mpg_slot_name(c));
    n += strlen(known + n);
  }
  (void)mpg_fail(&err, MPG_DATA, "unknown category '%s'; the categories are %s", found, known);
  mpg_result_failure(context, &err);
}

/* f(category, chip_time) */
static void category_row(sqlite3_context *context, sqlite3_value **args, bool remove) {
  goodput *g;
  mpg_category category;
  mpg_str name;
  if (sqlite3_value_type(args[1]) == SQLITE_NULL)
    return;
  if (!is_number(args[1])) {
    expected(context, "a number for chip_time", args[1]);
    return;
  }
  if (sqlite3_value_type(args[0]) == SQLITE_NULL) {
    mpg_err err;
    (void)mpg_fail(&err, MPG_DATA, "category is NULL");
    mpg_result_failure(context, &err);
    return;
  }
  if (sqlite3_value_type(args[0]) != SQLITE_TEXT) {
    expected(context, "text for category", args[0]);
    return;
  }
  name.p = (const char *)sqlite3_value_text(args[0]);
  name.n = (size_t)sqlite3_value_bytes(args[0]);
  if (name.p == NULL) {
    sqlite3_result_error_nomem(context);
    return;
  }
  category = mpg_category_find(name);
  if (category == MPG_CATEGORIES) {
    unknown_category(context, name);
    return;
  }
  g = goodput_make(context);
  if (g != NULL && add(context, g, (int)category, args[1], remove))
    g->rows += remove ? -1 : 1;
}

/* f(capacity, allocated, productive, ideal) */
static void wide_row(sqlite3_context *context, sqlite3_value **args, bool remove) {
  static const char *const names[] = {"capacity", "allocated", "productive", "ideal"};
  sqlite3_value *capacity = args[0], *allocated = args[1], *productive = args[2], *ideal = args[3];
  bool traced, rated, ok;
  int nulls = 0;
  goodput *g;
  for (int i = 0; i < 4; i++) {
    if (sqlite3_value_type(args[i]) == SQLITE_NULL) {
      nulls++;
    } else if (!is_number(args[i])) {
      char what[32];
      (void)sqlite3_snprintf((int)sizeof what, what, "a number for %s", names[i]);
      expected(context, what, args[i]);
      return;
    }
  }
  if (nulls == 4)
    return;
  for (int i = 0; i < 2; i++)
    if (sqlite3_value_type(args[i]) == SQLITE_NULL) {
      mpg_err err;
      (void)mpg_fail(&err, MPG_DATA, "%s is NULL", names[i]);
      mpg_result_failure(context, &err);
      return;
    }
  g = goodput_make(context);
  if (g == NULL)
    return;
  traced = sqlite3_value_type(productive) != SQLITE_NULL;
  rated = sqlite3_value_type(ideal) != SQLITE_NULL;
  /* Each part is a difference of two numbers; both are exact sums, so the difference is. */
  ok = add(context, g, MPG_SLOT_SCHEDULING, capacity, remove) &&
       add(context, g, MPG_SLOT_SCHEDULING, allocated, !remove);
  if (!traced)
    ok = ok && add(context, g, MPG_UNTRACED, allocated, remove);
  else
    ok = ok && add(context, g, MPG_SLOT_RUNTIME, allocated, remove) &&
         add(context, g, MPG_SLOT_RUNTIME, productive, !remove);
  if (traced && !rated)
    ok = ok && add(context, g, MPG_UNRATED, productive, remove);
  else if (traced)
    ok = ok && add(context, g, MPG_INEFFICIENCY, productive, remove) &&
         add(context, g, MPG_INEFFICIENCY, ideal, !remove) &&
         add(context, g, MPG_IDEAL, ideal, remove);
  if (ok)
    g->rows += remove ? -1 : 1;
}

/* f(state) */
static void state_row(sqlite3_context *context, sqlite3_value **args, bool remove) {
  const unsigned char *p;
  size_t n;
  goodput *g;
  mpg_account account;
  mpg_err err;
  if (sqlite3_value_type(args[0]) == SQLITE_NULL)
    return;
  if (sqlite3_value_type(args[0]) != SQLITE_BLOB) {
    expected(context, "a state of goodput_state", args[0]);
    return;
  }
  p = sqlite3_value_blob(args[0]);
  n = (size_t)sqlite3_value_bytes(args[0]);
  if (p == NULL && n > 0) {
    sqlite3_result_error_nomem(context);
    return;
  }
  if (mpg_account_read(&account, p, n, &err) != MPG_OK) {
    mpg_result_failure(context, &err);
    return;
  }
  g = goodput_make(context);
  if (g == NULL)
    return;
  if (mpg_account_merge(&g->account, &account, remove, &err) != MPG_OK) {
    mpg_result_failure(context, &err);
    return;
  }
  g->rows += remove ? -1 : 1;
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

static const mpg_account *summed(sqlite3_context *context) {
  const goodput *g = goodput_of(context, false);
  return g == NULL || g->rows == 0 ? NULL : &g->account;
}

static void ratio_result(sqlite3_context *context) {
  const mpg_account *a = summed(context);
  double v;
  if (a != NULL && mpg_account_ratio(a, (mpg_ratio)mpg_function_of(context)->parameter, &v))
    sqlite3_result_double(context, v);
}

static void state_result(sqlite3_context *context) {
  const mpg_account *a = summed(context);
  unsigned char state[MPG_STATE_MAX];
  if (a != NULL)
    sqlite3_result_blob(context, state, (int)mpg_account_write(a, state), SQLITE_TRANSIENT);
}

static void json_key(sqlite3_str *json, const char *key) {
  char last =
      sqlite3_str_length(json) == 0 ? '{' : sqlite3_str_value(json)[sqlite3_str_length(json) - 1];
  sqlite3_str_appendf(json, "%s\"%s\":", last == '{' ? "" : ",", key);
}

static void json_sum(sqlite3_str *json, const char *key, mpg_sum s) {
  char text[MPG_SUM_TEXT];
  (void)mpg_sum_format(s, text);
  json_key(json, key);
  sqlite3_str_appendall(json, text);
}

static void json_real(sqlite3_str *json, const char *key, bool known, double v) {
  char text[MPG_REAL_TEXT];
  json_key(json, key);
  if (known)
    (void)mpg_text_real(v, text);
  sqlite3_str_appendall(json, known ? text : "null");
}

static void json_result(sqlite3_context *context) {
  const mpg_account *a = summed(context);
  sqlite3_str *json;
  mpg_sum capacity;
  char *text;
  int n, rc;
  if (a == NULL)
    return;
  json = sqlite3_str_new(sqlite3_context_db_handle(context));
  capacity = mpg_account_capacity(a);
  sqlite3_str_appendall(json, "{");
  json_sum(json, "capacity", capacity);
  json_sum(json, "allocated", mpg_account_allocated(a));
  json_sum(json, "productive", mpg_account_productive(a));
  json_sum(json, "ideal", mpg_account_ideal(a));
  json_sum(json, "queued", a->sum[MPG_QUEUED]);
  for (int r = 0; r < MPG_RATIOS; r++) {
    double v = 0;
    bool known = mpg_account_ratio(a, (mpg_ratio)r, &v);
    json_real(json, mpg_ratio_name((mpg_ratio)r), known, v);
  }
  json_key(json, "chip_time");
  sqlite3_str_appendall(json, "{");
  for (int slot = 0; slot < MPG_SLOTS; slot++)
    if (!mpg_sum_is_zero(a->sum[slot]))
      json_sum(json, mpg_slot_name(slot), a->sum[slot]);
  sqlite3_str_appendall(json, "}");
  json_key(json, "share");
  sqlite3_str_appendall(json, "{");
  for (int slot = 0; slot < MPG_SLOTS; slot++)
    if (slot != MPG_QUEUED && !mpg_sum_is_zero(a->sum[slot])) {
      bool known = !mpg_sum_is_zero(capacity);
      json_real(json, mpg_slot_name(slot), known,
                known ? mpg_sum_to_double(a->sum[slot]) / mpg_sum_to_double(capacity) : 0);
    }
  sqlite3_str_appendall(json, "}}");
  n = sqlite3_str_length(json);
  rc = sqlite3_str_errcode(json);
  text = sqlite3_str_finish(json);
  if (rc == SQLITE_TOOBIG)
    sqlite3_result_error_toobig(context);
  else if (rc != SQLITE_OK || text == NULL)
    sqlite3_result_error_nomem(context);
  else
    sqlite3_result_text(context, text, n, sqlite3_free);
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
