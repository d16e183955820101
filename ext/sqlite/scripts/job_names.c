/* job_names.c - see job_names.h. */
#include "job_names.h"
#include "../recognise/fleet_options.h"
#include "../../base/number.h"
#include "../../base/time.h"
#include "../../read/input/zone.h"
#include "../../read/parse/pattern.h"

#include <string.h>

static const char asked[] =
    "SELECT file, path, json_extract(options, '$.job') FROM file WHERE json_type(options, '$.job') "
    "= 'text' ORDER BY entry, file";

static const char missed[] =
    "UPDATE file SET options = json_remove(options, '$.job'), missing = json_insert(missing, "
    "'$[#]', 'job') WHERE file = %lld";

/* The file whose path a pattern was matched with: its job is what the group of that name holds. */
static mpg_rc name_job(mpg_sources *s, sqlite3_int64 file, const mpg_pattern *pattern, bool matches,
                       mpg_err *err) {
  mpg_str job = MPG_STR("");
  for (size_t i = 0; matches && i < mpg_pattern_names(pattern); i++)
    if (mpg_str_eq(mpg_pattern_name(pattern, i), MPG_STR("job")))
      matches = mpg_pattern_group(pattern, i, &job);
  if (!matches || job.n == 0)
    return mpg_private_do(&s->db, err, missed, (long long)file);
  return mpg_private_do(&s->db, err,
                        "UPDATE file SET options = json_set(options, '$.job', '%.*q') WHERE file = "
                        "%lld",
                        (int)job.n, job.p, (long long)file);
}

/* One row of `asked`. *text, owned by SQLite's allocator, is the pattern that is open, for most
** files of a source have the same. */
static mpg_rc name_file(mpg_sources *s, sqlite3_stmt *stmt, char **text, mpg_pattern **pattern,
                        mpg_err *err) {
  const char *path = (const char *)sqlite3_column_text(stmt, 1);
  const char *option = (const char *)sqlite3_column_text(stmt, 2);
  mpg_rc rc = MPG_OK;
  if (path == NULL || option == NULL)
    return mpg_fail_nomem(err);
  if (!mpg_is_job_pattern(mpg_str_of(option)))
    return MPG_OK;
  if (*text == NULL || strcmp(*text, option) != 0) {
    mpg_pattern_close(*pattern);
    *pattern = NULL;
    sqlite3_free(*text);
    if ((*text = sqlite3_mprintf("%s", option)) == NULL)
      return mpg_fail_nomem(err);
    rc = mpg_pattern_open(pattern, s->env, mpg_str_of(*text), err);
  }
  if (rc == MPG_OK)
    rc = mpg_pattern_match(*pattern, mpg_str_of(path), err);
  if (rc == MPG_LIMIT) {
    mpg_err plain = *err;
    return mpg_fail(err, rc, "%s: option \"job\": %.500s", path, plain.text);
  }
  return rc == MPG_OK || rc == MPG_DONE
             ? name_job(s, sqlite3_column_int64(stmt, 0), *pattern, rc == MPG_OK, err)
             : rc;
}

mpg_rc mpg_sources_name_jobs(mpg_sources *s, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  char *text = NULL;
  mpg_pattern *pattern = NULL;
  int code = SQLITE_DONE;
  mpg_rc rc = mpg_private_prepare(&s->db, asked, &stmt, err);
  while (rc == MPG_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW)
    rc = name_file(s, stmt, &text, &pattern, err);
  if (rc == MPG_OK && code != SQLITE_DONE)
    rc = mpg_private_failure(&s->db, code, err);
  (void)sqlite3_finalize(stmt);
  mpg_pattern_close(pattern);
  sqlite3_free(text);
  return rc;
}

/* ---- Times ---- */

static const char timeless[] =
    "SELECT file, path, json_extract(options, '$.zone'), missing LIKE '%\"year\"%' FROM file WHERE "
    "format IS NOT NULL AND (missing LIKE '%\"start\"%' OR missing LIKE '%\"year\"%') ORDER BY 3, "
    "file";

/* The last in a path, and at most two folders behind it: a time of day with its date, else Unix
** seconds or milliseconds, else a day alone. Four digits after a day that begin with 00 may count
** files. What follows ".log" says when a log was rotated. */
#define BEFORE "\\A(?s:.*)(?<!\\d)(?<!\\.(?:log|out|err|txt)[-_.])"
#define DAY BEFORE "(?<year>20\\d\\d)(?<apart>[-_.]?)(?<month>[01]\\d)\\g{apart}(?<day>[0-3]\\d)"
#define BEHIND "(?!\\d)[^/]*+(?:/[^/]*+){0,2}\\z"
static const char *const times_in_names[] = {
    DAY "(?:[-_.T /]|(?<=\\d{8}))(?<hour>[0-2]\\d)(?<from>[-_.:h]?)(?<minute>[0-5]\\d)(?:(?:\\g{"
        "from}|m)(?<second>[0-5]\\d)(?:\\.\\d{1,9}(?=[Z+]))?|(?<![-_.T /]00\\d\\d))"
        "(?<zone>Z|\\+\\d\\d:?\\d\\d|)" BEHIND,
    BEFORE "(?<![A-Za-z])(?<unix>1[5-9]\\d{8})(?:\\d{3})?(?![A-Za-z])" BEHIND,
    DAY BEHIND,
};
#define TIMES_IN_NAMES (sizeof times_in_names / sizeof *times_in_names)

/* Groups, and where they stand in ISO 8601. */
static const struct {
  const char *name;
  size_t at;
} parts[] = {{"year", 0}, {"month", 5}, {"day", 8}, {"hour", 11}, {"minute", 14}, {"second", 17}};

static mpg_str group_of(const mpg_pattern *pattern, const char *name) {
  mpg_str text = {"", 0};
  for (size_t i = 0; i < mpg_pattern_names(pattern); i++)
    if (mpg_str_eq(mpg_pattern_name(pattern, i), mpg_str_of(name)) &&
        mpg_pattern_group(pattern, i, &text))
      return text;
  return text;
}

/* The time that a path was matched to have; false: there is no such day or hour. */
static bool time_of(const mpg_pattern *pattern, const mpg_zone *zone, int64_t *seconds) {
  char iso[] = "0000-00-00T00:00:00";
  int64_t us, offset;
  if (mpg_int_parse(group_of(pattern, "unix"), seconds))
    return true;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    const mpg_str part = group_of(pattern, parts[i].name);
    memcpy(iso + parts[i].at, part.p, part.n);
  }
  if (!mpg_iso_parse(mpg_str_of(iso), &us))
    return false;
  *seconds = us / MPG_SECOND;
  if (mpg_offset_parse(group_of(pattern, "zone"), &offset))
    *seconds -= offset / MPG_SECOND;
  else
    (void)mpg_zone_utc(zone, *seconds, seconds);
  return true;
}

/* Keeps the time in a log's name, or, of a log that lacks the year alone, the year. */
static mpg_rc keep_time(mpg_sources *s, sqlite3_stmt *stmt, int64_t seconds,
                        const mpg_pattern *pattern, mpg_err *err) {
  const char *path = (const char *)sqlite3_column_text(stmt, 1);
  const mpg_str month = group_of(pattern, "month"), day = group_of(pattern, "day");
  const bool is_day = day.n > 0 && group_of(pattern, "hour").n == 0;
  const mpg_str last = is_day ? day : group_of(pattern, day.n > 0 ? "minute" : "unix");
  const char *folder = strchr(last.p, '/'), *column = is_day ? "named_day" : "named";
  int64_t value = seconds;
  if (sqlite3_column_int(stmt, 3) != 0) {
    int in_month, of_month;
    if (is_day && mpg_str_eq(month, MPG_STR("01")))
      return MPG_OK; /* the day may be that of a rotation: of lines of the year before */
    column = "named_year";
    mpg_civil_from_days(seconds / 86400, &value, &in_month, &of_month);
    if (day.n > 0 && !mpg_int_parse(group_of(pattern, "year"), &value))
      return MPG_OK;
  }
  return mpg_private_do(&s->db, err,
                        "UPDATE file SET %s = %lld, named_in = nullif(%.*Q, '') WHERE file = %lld",
                        column, (long long)value, folder == NULL ? 0 : (int)(folder - path + 1),
                        path, (long long)sqlite3_column_int64(stmt, 0));
}

/* Keeps the time of a row of `timeless`. That a zone is none, the format's script says. */
static mpg_rc name_time(mpg_sources *s, sqlite3_stmt *stmt, mpg_pattern *const *patterns,
                        mpg_err *err) {
  const char *path = (const char *)sqlite3_column_text(stmt, 1);
  const mpg_value given = mpg_value_of(sqlite3_column_value(stmt, 2));
  mpg_pattern *pattern = NULL;
  mpg_zone *zone = NULL;
  int64_t seconds;
  mpg_rc rc = path == NULL ? mpg_fail_nomem(err) : MPG_DONE;
  for (size_t i = 0; rc == MPG_DONE && i < TIMES_IN_NAMES; i++) {
    pattern = patterns[i];
    rc = mpg_pattern_match(pattern, mpg_str_of(path), err);
  }
  if (rc == MPG_DONE || rc == MPG_LIMIT)
    return MPG_OK;
  if (rc == MPG_OK)
    rc = mpg_zone_given(&zone, s->env, &given, err);
  if (rc == MPG_OK && time_of(pattern, zone, &seconds))
    rc = keep_time(s, stmt, seconds, pattern, err);
  mpg_zone_free(zone);
  return rc == MPG_MISUSE || rc == MPG_IO || rc == MPG_DATA ? MPG_OK : rc;
}

mpg_rc mpg_sources_name_times(mpg_sources *s, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  mpg_pattern *patterns[TIMES_IN_NAMES] = {NULL};
  int code = SQLITE_DONE;
  mpg_rc rc = mpg_private_prepare(&s->db, timeless, &stmt, err);
  while (rc == MPG_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    for (size_t i = 0; rc == MPG_OK && i < TIMES_IN_NAMES; i++)
      if (patterns[i] == NULL)
        rc = mpg_pattern_open(&patterns[i], s->env, mpg_str_of(times_in_names[i]), err);
    if (rc == MPG_OK)
      rc = name_time(s, stmt, patterns, err);
  }
  if (rc == MPG_OK && code != SQLITE_DONE)
    rc = mpg_private_failure(&s->db, code, err);
  (void)sqlite3_finalize(stmt);
  for (size_t i = 0; i < TIMES_IN_NAMES; i++)
    mpg_pattern_close(patterns[i]);
  return rc;
}
