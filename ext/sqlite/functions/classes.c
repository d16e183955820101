/*
** classes.c - what people group by that no record holds: job_size(chips [, bounds]), and the
** calendar: time_bucket(time, width), iso_week(time [, offset]).
**
** bounds are three rising numbers of chips from which a job is M, L and XL ('16,256,2048'). Times
** and widths are those of the ledger; offset is what local clocks are ahead of UTC, '+02:00'. NULL
** gives NULL.
*/
#include "../connection.h"
#include "../../goodput/job_size.h"
#include "../../base/text.h"
#include "../../base/time.h"
#include "../../base/time_bucket.h"

static void job_size(sqlite3_context *context, int n, sqlite3_value **args) {
  mpg_value chips = mpg_value_of(args[0]), bounds = {MPG_NULL, 0, 0.0, {NULL, 0}};
  const char *name;
  mpg_err err;
  if (n > 1)
    bounds = mpg_value_of(args[1]);
  if (mpg_size_of(&chips, n > 1 ? &bounds : NULL, &name, &err) != MPG_OK)
    mpg_result_failure(context, &err);
  else if (name != NULL)
    sqlite3_result_text(context, name, -1, SQLITE_STATIC);
}

/* A time; false if it is NULL, or no time: then the result is set. */
static bool get_time(sqlite3_context *context, sqlite3_value *value, int64_t *us) {
  mpg_value v = mpg_value_of(value);
  mpg_err err;
  if (v.type == MPG_NULL)
    return false;
  if (mpg_time_value(&v, us, &err) == MPG_OK)
    return true;
  mpg_result_failure(context, &err);
  return false;
}

static void time_bucket(sqlite3_context *context, int n, sqlite3_value **args) {
  char label[40];
  mpg_value width = mpg_value_of(args[1]);
  mpg_bucket bucket;
  mpg_err err;
  int64_t us;
  (void)n;
  if (width.type == MPG_NULL || !get_time(context, args[0], &us))
    return;
  if (mpg_bucket_parse(&width, &bucket, &err) != MPG_OK) {
    mpg_result_failure(context, &err);
    return;
  }
  (void)mpg_bucket_label(&bucket, mpg_bucket_start(&bucket, us), label);
  sqlite3_result_text(context, label, -1, SQLITE_TRANSIENT);
}

static void iso_week(sqlite3_context *context, int n, sqlite3_value **args) {
  char label[MPG_ISO_WEEK_TEXT], found[MPG_EXCERPT];
  int64_t us, ahead = 0;
  mpg_err err;
  if (n > 1) {
    mpg_value offset = mpg_value_of(args[1]);
    if (offset.type == MPG_NULL)
      return;
    if (offset.type != MPG_TEXT || !mpg_offset_parse(offset.s, &ahead)) {
      mpg_text_excerpt(offset.type == MPG_TEXT ? offset.s : MPG_STR("a number"), found);
      (void)mpg_fail(&err, MPG_MISUSE, "expected an offset from UTC such as '+02:00', found '%s'",
                     found);
      mpg_result_failure(context, &err);
      return;
    }
  }
  if (!get_time(context, args[0], &us))
    return;
  (void)mpg_iso_week(us + ahead, label);
  sqlite3_result_text(context, label, -1, SQLITE_TRANSIENT);
}

int mpg_register_classes(mpg_conn *conn, char **error) {
  enum { PURE = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };
  static const mpg_function table[] = {
      {"job_size", 1, PURE, 0, job_size, NULL, NULL, NULL, NULL},
      {"job_size", 2, PURE, 0, job_size, NULL, NULL, NULL, NULL},
      {"time_bucket", 2, PURE, 0, time_bucket, NULL, NULL, NULL, NULL},
      {"iso_week", 1, PURE, 0, iso_week, NULL, NULL, NULL, NULL},
      {"iso_week", 2, PURE, 0, iso_week, NULL, NULL, NULL, NULL},
  };
  return mpg_register_functions(conn, table, sizeof table / sizeof *table, error);
}
