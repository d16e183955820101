/*
** log_table.c - log_trace(path, pattern, unmatched, zone, year, on_error): the lines of any log
** that a regular expression (PCRE2) matches.
**
**   text TEXT     the line
**   time REAL     of the group of that name, Unix seconds
**   step BIGINT   of the group of that name
**   fields TEXT   the named groups, a JSON object; NULL for a line that does not match
**
** log_group(_record, name): one group, as json_extract(fields, '$.name') gives it, without the
** object between; mappings ask for a dozen of each line.
*/
#include "../list.h"
#include "../../sqlite/reader/reader.h"
#include "log.h"
#include "../../base/number.h"
#include "../../base/text.h"

#include <string.h>

enum { PATTERN, UNMATCHED, ZONE, YEAR };
static const char *const arguments[] = {"pattern", "unmatched", "zone", "year"};

enum { TEXT, TIME, STEP, FIELDS, COLUMNS };
static const mpg_reader_column columns[COLUMNS] = {
    {"text", "TEXT"}, {"time", "REAL"}, {"step", "BIGINT"}, {"fields", "TEXT"}};

#define POINTER "mpg_log" /* _record */
#define USAGE "expected a path and a pattern, as in log_trace('train.log', 'step (?<step>\\d+)')"

typedef struct log_scan {
  const mpg_env *env;
  mpg_pattern *pattern;
  mpg_zone *zone;
  mpg_log_options options;
} log_scan;

typedef struct log_file {
  mpg_log *reader;
  mpg_json_text json;
} log_file;

/* ---- A scan and its files ---- */

static void scan_end(void *p) {
  log_scan *scan = p;
  mpg_pattern_close(scan->pattern);
  mpg_zone_free(scan->zone);
  mpg_free(scan->env, scan);
}

static mpg_rc read_unmatched(const mpg_value *given, mpg_log_unmatched *out, mpg_err *err) {
  static const char *const words[] = {"ignore", "rows", "last", "error"};
  if (given->type == MPG_NULL)
    return MPG_OK;
  for (size_t i = 0; given->type == MPG_TEXT && i < sizeof words / sizeof *words; i++)
    if (mpg_str_eq(given->s, mpg_str_of(words[i]))) {
      *out = (mpg_log_unmatched)i;
      return MPG_OK;
    }
  return mpg_fail_argument(err, "unmatched", "'ignore', 'rows', 'last' or 'error'", given);
}

static mpg_rc read_year(log_scan *scan, const mpg_value *given, mpg_err *err) {
  int64_t year = 0;
  if (given->type == MPG_NULL)
    return MPG_OK;
  if (!mpg_value_int(given, &year) || year < 1970 || year > 2261)
    return mpg_fail_argument(err, "year", "a year from 1970 to 2261", given);
  scan->options.year = year;
  return MPG_OK;
}

static mpg_rc scan_begin(void **out, const mpg_env *env, const mpg_value *given, mpg_err *err) {
  log_scan *scan;
  mpg_rc rc;
  if (given[PATTERN].type == MPG_NULL)
    return mpg_fail(err, MPG_MISUSE, USAGE);
  if (given[PATTERN].type != MPG_TEXT)
    return mpg_fail_argument(err, "pattern", "a regular expression", &given[PATTERN]);
  scan = mpg_calloc(env, sizeof *scan);
  if (scan == NULL)
    return mpg_fail_nomem(err);
  scan->env = env;
  rc = mpg_pattern_open(&scan->pattern, env, given[PATTERN].s, err);
  scan->options.pattern = scan->pattern;
  if (rc == MPG_OK)
    rc = read_unmatched(&given[UNMATCHED], &scan->options.unmatched, err);
  if (rc == MPG_OK && given[ZONE].type != MPG_NULL)
    rc = mpg_zone_given(&scan->zone, env, &given[ZONE], err);
  scan->options.zone = scan->zone;
  if (rc == MPG_OK)
    rc = read_year(scan, &given[YEAR], err);
  if (rc == MPG_OK)
    *out = scan;
  else
    scan_end(scan);
  return rc;
}

static void file_close(void *p) {
  log_file *file = p;
  mpg_log_close(file->reader);
  mpg_json_text_free(&file->json);
}

static mpg_rc file_open(void *p, void *shared, const mpg_env *env, mpg_stream *stream,
                        mpg_issues *issues, mpg_err *err) {
  const log_scan *scan = shared;
  log_file *file = p;
  file->json.env = env;
  return mpg_log_open(&file->reader, env, stream, &scan->options, issues, err);
}

MPG_READER_NEXT_AND_LINE(log_file, log)

/* ---- Columns ---- */

static mpg_rc get_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  log_file *file = p;
  bool any;
  mpg_rc rc;
  switch (i) {
  case TEXT:
    *out = (mpg_value){MPG_TEXT, 0, 0.0, mpg_log_text(file->reader)};
    break;
  case TIME:
    *out = *mpg_log_time(file->reader);
    break;
  case STEP:
    *out = *mpg_log_step(file->reader);
    break;
  default:
    file->json.n = 0;
    rc = mpg_log_fields(file->reader, &file->json, &any);
    if (rc != MPG_OK)
      return mpg_fail_plain(err, rc);
    if (any)
      *out = (mpg_value){MPG_TEXT, 0, 0.0, {file->json.p, file->json.n}};
  }
  return MPG_OK;
}

/* Where the group of this call was in the pattern the last time; SQLite keeps it with a name that
** is constant. NULL: there is no memory for it. */
static size_t *last_place(sqlite3_context *context) {
  size_t *place = sqlite3_get_auxdata(context, 1);
  if (place == NULL && (place = sqlite3_malloc(sizeof *place)) != NULL) {
    *place = 0;
    sqlite3_set_auxdata(context, 1, place, sqlite3_free);
    place = sqlite3_get_auxdata(context, 1); /* it may be freed at once */
  }
  return place;
}

static void group(sqlite3_context *context, int n, sqlite3_value **args) {
  const log_file *file = mpg_reader_record(args[0], POINTER);
  const mpg_str name = {(const char *)sqlite3_value_text(args[1]),
                        (size_t)sqlite3_value_bytes(args[1])};
  size_t none = 0, *place = last_place(context);
  mpg_value value;
  mpg_err err;
  (void)n;
  if (file == NULL || name.p == NULL)
    return;
  if (mpg_log_group(file->reader, name, place != NULL ? place : &none, &value)) {
    mpg_result_value(context, &value);
    return;
  }
  (void)mpg_fail(&err, MPG_MISUSE, "expected the name of a group of the pattern");
  mpg_result_failure(context, &err);
}

int mpg_register_log(mpg_conn *conn, char **error) {
  static const mpg_reader_format format = {
      .module = {"log_trace", &mpg_reader_module, 0},
      .usage = USAGE,
      .columns = columns,
      .ncolumns = COLUMNS,
      .arguments = arguments,
      .untyped = 1u << 3, /* year */
      .narguments = sizeof arguments / sizeof *arguments,
      .begin = scan_begin,
      .end = scan_end,
      .file_size = sizeof(log_file),
      .open = file_open,
      .close = file_close,
      .next = file_next,
      .line = file_line,
      .column = get_column,
      .pointer = POINTER,
  };
  static const mpg_function function = {
      "log_group", 2, SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, 0, group, NULL, NULL, NULL, NULL};
  int rc = mpg_register_functions(conn, &function, 1, error);
  return rc == SQLITE_OK ? mpg_register_reader(conn, &format, error) : rc;
}
