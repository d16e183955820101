/*
** time_function.c - mpg_time(time [, zone]): Unix seconds of ISO 8601 text.
**
** A time that names no zone is of `zone`, UTC if that is NULL or not given, as readers take their
** argument `zone`. A number stays as it is; text that is no such time is NULL, so that a mapping
** can count what it could not read.
*/
#include "../connection.h"
#include "../../base/time.h"
#include "../../read/input/zone.h"

static void free_zone(void *zone) {
  mpg_zone_free(zone);
}

/* SQLite keeps the zone with an argument that is constant, else for this call. NULL: the result is
** an error. */
static const mpg_zone *get_zone(sqlite3_context *context, sqlite3_value *value) {
  mpg_zone *zone = sqlite3_get_auxdata(context, 1);
  mpg_value name = mpg_value_of(value);
  mpg_err err;
  if (zone != NULL)
    return zone;
  if (mpg_zone_given(&zone, &mpg_conn_of(context)->env, &name, &err) != MPG_OK) {
    mpg_result_failure(context, &err);
    return NULL;
  }
  sqlite3_set_auxdata(context, 1, zone, free_zone);
  zone = sqlite3_get_auxdata(context, 1);
  if (zone == NULL) /* there was no memory to keep it, and it is freed */
    sqlite3_result_error_nomem(context);
  return zone;
}

/* The zone after a blank, as BigQuery and Ruby write it, is taken off *time; false: there is
** none. */
static bool take_zone(mpg_str *time, int64_t *offset) {
  size_t n = time->n;
  mpg_str zone;
  while (n > 11 && time->p[n - 1] != ' ')
    n--;
  zone = (mpg_str){time->p + n, time->n - n};
  *offset = 0;
  if (n <= 11 || (!mpg_str_eq_nocase(zone, MPG_STR("UTC")) &&
                  !mpg_str_eq_nocase(zone, MPG_STR("GMT")) && !mpg_offset_parse(zone, offset)))
    return false;
  time->n = n - 1;
  return true;
}

static void time_function(sqlite3_context *context, int n, sqlite3_value **args) {
  mpg_value given = mpg_value_of(args[0]);
  const mpg_zone *zone;
  int64_t us, offset;
  bool zoned;
  if (given.type != MPG_TEXT) {
    sqlite3_result_value(context, args[0]);
    return;
  }
  zoned = take_zone(&given.s, &offset);
  if (!mpg_iso_parse(given.s, &us))
    return;
  us -= offset;
  if (n > 1 && sqlite3_value_type(args[1]) != SQLITE_NULL && !zoned && mpg_zone_is_local(given.s)) {
    int64_t fraction = us % MPG_SECOND, seconds;
    zone = get_zone(context, args[1]);
    if (zone == NULL)
      return;
    (void)mpg_zone_utc(zone, us / MPG_SECOND, &seconds);
    us = seconds * MPG_SECOND + fraction;
  }
  sqlite3_result_double(context, (double)us / (double)MPG_SECOND);
}

int mpg_register_time(mpg_conn *conn, char **error) {
  /* It opens files of zones. */
  enum { FLAGS = SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY };
  static const mpg_function table[] = {
      {"mpg_time", 1, FLAGS, 0, time_function, NULL, NULL, NULL, NULL},
      {"mpg_time", 2, FLAGS, 0, time_function, NULL, NULL, NULL, NULL},
  };
  return conn->no_files ? SQLITE_OK
                        : mpg_register_functions(conn, table, sizeof table / sizeof *table, error);
}
