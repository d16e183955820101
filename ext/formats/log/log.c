/* log.c - see log.h. */
#include "log.h"
#include "../../read/unwrap/unwrap.h"
#include "../../read/input/place.h"
#include "log_stamp.h"
#include "../../base/number.h"
#include "../../base/text.h"
#include "../../base/time.h"

#include <string.h>

#define LINES_BETWEEN_POLLS 64 /* a pattern may take long over each */
#define A_DAY (INT64_C(86400) * MPG_SECOND)
#define HALF_AN_HOUR (1800 * MPG_SECOND)
#define HALF_A_YEAR (183 * A_DAY)
#define EXACT_DIGITS 17 /* of a double */
#define LONG_LINE ((size_t)16 << 10)

struct mpg_log {
  const mpg_env *env;
  mpg_lines *lines;
  const char *path;
  mpg_log_options options;
  mpg_issues *issues;
  size_t time_group, step_group; /* the number of names if there is none */
  const char *start;             /* of the line in the file */
  mpg_str line;                  /* the record's: the text between carriage returns */
  mpg_str rest;                  /* after the carriage return that ends it */
  bool more;                     /* there is such a rest */
  bool in_object;                /* the line may be one of JSON that keeps a log */
  char *plain; /* the line without a terminal's colours and NUL bytes, if it has some */
  size_t plain_cap;
  bool matched;
  mpg_value time, step;
  int64_t year, last_us; /* of times without a year; 0: there was none yet */
  int64_t latest_us;     /* of all times so far */
  int64_t last_line;     /* MPG_LOG_LAST: the last line with a time since one matched; 0: none */
  char last_text[40];    /* its time */
  size_t last_n;
  /* What kept the log gave a time to the latest line with one of the program, and to the last line
  ** since one matched: kept_line is that one's, 0 if there is none. */
  char known_text[40], kept_text[40];
  size_t known_n, kept_n;
  int64_t kept_line;
  bool at_last;      /* that line is the record */
  bool latest_zoned; /* the latest time says its zone */
  int64_t n_lines, n_unmatched, first_unmatched, n_nul, first_nul, n_hard, first_hard;
  size_t hard; /* bytes from which a line is too long for the pattern; SIZE_MAX: none was, */
  char hard_text[128]; /* and why */
  char unmatched_text[MPG_EXCERPT];
  bool done;
};

static size_t group_named(const mpg_pattern *pattern, mpg_str wanted) {
  size_t i = 0;
  while (i < mpg_pattern_names(pattern) && !mpg_str_eq(mpg_pattern_name(pattern, i), wanted))
    i++;
  return i;
}

mpg_rc mpg_log_open(mpg_log **out, const mpg_env *env, mpg_stream *stream,
                    const mpg_log_options *options, mpg_issues *issues, mpg_err *err) {
  mpg_log *log = mpg_calloc(env, sizeof *log);
  mpg_rc rc;
  if (log == NULL)
    return mpg_fail_nomem(err);
  log->env = env;
  log->path = mpg_stream_path(stream);
  log->options = *options;
  log->issues = issues;
  log->year = options->year;
  log->hard = SIZE_MAX;
  log->time_group = group_named(options->pattern, MPG_STR("time"));
  log->step_group = group_named(options->pattern, MPG_STR("step"));
  if (env->maps)
    mpg_stream_unwrap(stream, MPG_UNWRAP_LINE_EACH);
  rc = mpg_lines_open(&log->lines, env, stream, err);
  if (rc != MPG_OK) {
    mpg_log_close(log);
    return rc;
  }
  mpg_lines_keep_nul(log->lines);
  *out = log;
  return MPG_OK;
}

void mpg_log_close(mpg_log *log) {
  if (log == NULL)
    return;
  mpg_lines_close(log->lines);
  mpg_free(log->env, log->plain);
  mpg_free(log->env, log);
}

int64_t mpg_log_line(const mpg_log *log) {
  return log->at_last ? log->last_line : mpg_lines_number(log->lines);
}

mpg_str mpg_log_text(const mpg_log *log) {
  return log->line;
}

const mpg_value *mpg_log_time(const mpg_log *log) {
  return &log->time;
}

const mpg_value *mpg_log_step(const mpg_log *log) {
  return &log->step;
}

/* ---- Issues and errors ---- */

static mpg_rc fail_unless_added(mpg_rc rc, mpg_err *err) {
  return rc == MPG_OK ? MPG_OK : mpg_fail_nomem(err);
}

/* `found` is part of the line; if noise was taken out of it, its column is that in what is left. */
static mpg_rc malformed(const mpg_log *log, const char *expected, mpg_str found, mpg_err *err) {
  const char *start = log->line.p == log->plain ? log->plain : log->start;
  mpg_place at = mpg_place_in_line(log->path, mpg_log_line(log), start, found.p);
  return mpg_expected_text(err, at, expected, found);
}

/* What is to be said of the whole file. */
static mpg_rc finish_file(mpg_log *log, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  if (log->done)
    return MPG_DONE;
  log->done = true;
  if (log->n_lines == 0)
    rc = fail_unless_added(mpg_issues_add(log->issues, MPG_WARNING, log->path, "no_match", 0, 1,
                                          "the file has no line"),
                           err);
  else if (log->n_unmatched == log->n_lines)
    rc = fail_unless_added(
        mpg_issues_add(log->issues, MPG_WARNING, log->path, "no_match", log->first_unmatched, 1,
                       "no line matches the pattern; the first is \"%s\"", log->unmatched_text),
        err);
  if (rc == MPG_OK && log->n_unmatched > 0)
    rc = fail_unless_added(
        mpg_issues_add(log->issues, MPG_INFO, log->path, "unmatched_lines", log->first_unmatched,
                       log->n_unmatched, "%lld of %lld lines did not match; the first is \"%s\"",
                       (long long)log->n_unmatched, (long long)log->n_lines, log->unmatched_text),
        err);
  if (rc == MPG_OK && log->n_nul > 0)
    rc = fail_unless_added(
        mpg_issues_add(
            log->issues, MPG_DATA_LOSS, log->path, "nul_bytes", log->first_nul, log->n_nul,
            "lines with NUL bytes, as a crash or a truncation leaves: what stood there is lost"),
        err);
  if (rc == MPG_OK && log->n_hard > 0)
    rc = fail_unless_added(mpg_issues_add(log->issues, MPG_DATA_LOSS, log->path, "long_line",
                                          log->first_hard, log->n_hard,
                                          "lines of %zu bytes and more, left out: %s", log->hard,
                                          log->hard_text),
                           err);
  return rc == MPG_OK ? MPG_DONE : rc;
}

/* ---- The two groups that mean something ---- */

/*
** The time of a stamp; of one without a year, by those before it: far back begins the next year,
** and so does a day that only the next one has. Around the turn of the year writers come out of
** order: what would be a year ahead is of the year before.
*/
static bool time_at(mpg_log *log, const mpg_stamp *t, int64_t *us, mpg_zone_fit *fit) {
  const mpg_zone *zone = log->options.zone;
  bool found = mpg_stamp_at(t, log->year, zone, us, fit);
  int64_t other_us;
  mpg_zone_fit other_fit;
  if (t->absolute || t->year != 0)
    return found;
  if (log->last_us > 0 && (!found || *us < log->last_us - HALF_A_YEAR) &&
      mpg_stamp_at(t, log->year + 1, zone, &other_us, &other_fit) &&
      other_us < log->last_us + HALF_A_YEAR) {
    log->year++;
    *us = other_us;
    *fit = other_fit;
    found = true;
  } else if (found && log->last_us > 0 && *us > log->last_us + HALF_A_YEAR &&
             mpg_stamp_at(t, log->year - 1, zone, &other_us, &other_fit) &&
             other_us >= log->last_us - A_DAY) {
    *us = other_us;
    *fit = other_fit;
    return true;
  }
  if (found)
    log->last_us = *us;
  return found;
}

/* Seconds from the first instant at which the clock showed a time to the second. */
static int64_t until_repeated(const mpg_zone *zone, int64_t first) {
  return mpg_zone_offset(zone, first) - mpg_zone_offset(zone, first + 3 * INT64_C(3600));
}

/* Whether two times of log_stamp.h are ISO 8601, and the first is the earlier one. */
static bool is_before(const char *a, const char *b) {
  const int day = memcmp(a, b, 10);
  return (a[4] == '-' || a[4] == '/') && a[4] == b[4] &&
         (day < 0 || (day == 0 && memcmp(a + 11, b + 11, 8) < 0));
}

/* Whether a time of log_stamp.h says its zone. */
static bool says_zone(mpg_str text) {
  return text.p[text.n - 1] == 'Z' ||
         (text.n > 19 && (memchr(text.p + 19, '+', text.n - 19) != NULL ||
                          memchr(text.p + 19, '-', text.n - 19) != NULL));
}

static size_t copy_time(char *out, size_t size, mpg_str text) {
  if (text.n == 0 || text.n > size)
    return 0;
  memcpy(out, text.p, text.n);
  return text.n;
}

/* Of a line with a time of the program: that of what kept the log, which says its zone, before or
** beside one that does not. */
static void copy_wrapper_time(mpg_log *log) {
  mpg_str text;
  if (!mpg_stamp_beside(log->line, &text)) {
    text = mpg_stamp_leads(log->line);
    if (text.n > 0 && !says_zone(text))
      text.n = 0;
  }
  log->known_n = copy_time(log->known_text, sizeof log->known_text, text);
}

static mpg_rc read_time(mpg_log *log, mpg_err *err) {
  mpg_stamp t;
  mpg_zone_fit fit;
  mpg_str text;
  int64_t us = 0;
  log->time.type = MPG_NULL;
  if (!mpg_pattern_group(log->options.pattern, log->time_group, &text))
    return MPG_OK;
  for (; text.n > 0 && text.p[0] == ' '; text.n--)
    text.p++;
  while (text.n > 0 && text.p[text.n - 1] == ' ')
    text.n--;
  if (text.n == 0)
    return MPG_OK;
  if (!mpg_stamp_read(text, &t))
    return malformed(log, "a time such as 2026-11-21 15:01:26,123 in group \"time\"", text, err);
  if (!t.absolute && t.year == 0 && log->year == 0)
    return fail_unless_added(mpg_issues_add(log->issues, MPG_WARNING, log->path,
                                            "time_without_year", mpg_log_line(log), 1,
                                            "times have no year: give argument year"),
                             err);
  if (!time_at(log, &t, &us, &fit))
    return malformed(log, "a day of the calendar from 1970 on in group \"time\"", text, err);
  if (fit == MPG_ZONE_REPEATED && log->latest_us - us > HALF_AN_HOUR)
    us += until_repeated(log->options.zone, us / MPG_SECOND) * MPG_SECOND;
  if (us > log->latest_us) {
    log->latest_us = us;
    log->latest_zoned = t.zoned || t.absolute;
    if (log->options.unmatched == MPG_LOG_LAST && !log->latest_zoned)
      copy_wrapper_time(log);
  }
  log->time.type = MPG_REAL;
  log->time.r = (double)us / (double)MPG_SECOND;
  if (fit == MPG_ZONE_REPEATED)
    return fail_unless_added(mpg_issues_add(log->issues, MPG_INFO, log->path, "repeated_time",
                                            mpg_log_line(log), 1,
                                            "the clock showed this time twice: the second is taken "
                                            "where lines before it are later, else the first"),
                             err);
  if (fit == MPG_ZONE_SKIPPED)
    return fail_unless_added(
        mpg_issues_add(log->issues, MPG_WARNING, log->path, "skipped_time", mpg_log_line(log), 1,
                       "the clock never showed this time: moved forward; is it the right zone?"),
        err);
  return MPG_OK;
}

/* Keeps the times of a line that does not match as text: nearly all of them count for nothing. What
** kept the log may have put a time with a zone before that of the program. */
static void keep_last(mpg_log *log) {
  mpg_str text, kept;
  const bool beside = mpg_stamp_beside(log->line, &kept);
  if (beside && (log->latest_zoned || log->latest_us == 0))
    text = MPG_STR("");
  else
    text = mpg_stamp_leads(log->line);
  if (text.n > 0 && !log->latest_zoned && says_zone(text)) {
    const char *end = text.p + text.n;
    if (!beside)
      kept = text;
    text = mpg_stamp_leads((mpg_str){end, (size_t)(log->line.p + log->line.n - end)});
  }
  if (log->known_n == 0 && beside) /* an object over several lines has it after its text */
    log->known_n = copy_time(log->known_text, sizeof log->known_text, kept);
  if (kept.n > 0 && kept.n <= sizeof log->kept_text) {
    log->kept_n = copy_time(log->kept_text, sizeof log->kept_text, kept);
    log->kept_line = mpg_log_line(log);
  }
  if (text.n == 0 || text.n > sizeof log->last_text ||
      (log->last_line > 0 && is_before(text.p, log->last_text)))
    return;
  log->last_n = copy_time(log->last_text, sizeof log->last_text, text);
  log->last_line = mpg_log_line(log);
}

/* The instant of a time that what kept the log has: a number is in seconds or finer. */
static bool parse_wrapper_time(const mpg_log *log, mpg_str text, int64_t *us) {
  mpg_stamp t;
  mpg_zone_fit fit;
  int64_t n;
  if (text.n >= 13 && mpg_int_parse(text, &n)) {
    *us = text.n == 13 ? n * 1000 : text.n == 16 ? n : n / 1000;
    return text.n == 13 || text.n == 16 || text.n == 19;
  }
  return text.n > 0 && mpg_stamp_read(text, &t) && (t.absolute || t.year != 0) &&
         mpg_stamp_at(&t, t.year, log->options.zone, us, &fit);
}

/* The last time that what kept the log has, by the program's clock, which may be of another zone.
** -1: there is none, or nothing tells how far these clocks are apart. */
static int64_t last_wrapper_time(const mpg_log *log) {
  const int64_t quarter = A_DAY / 96;
  int64_t us, known, apart, zones;
  if (log->kept_line == 0 || !parse_wrapper_time(log, (mpg_str){log->kept_text, log->kept_n}, &us))
    return -1;
  if (log->latest_us == 0 || log->latest_zoned)
    return us;
  if (!parse_wrapper_time(log, (mpg_str){log->known_text, log->known_n}, &known))
    return -1;
  apart = known - log->latest_us;
  zones = (apart + (apart < 0 ? -quarter : quarter) / 2) / quarter * quarter;
  return apart - zones > 60 * MPG_SECOND || zones - apart > 60 * MPG_SECOND ? -1 : us - zones;
}

/* The last time of the program's own. A time without a year is of that of the others, or of the
** next. One that says its zone, beside times that do not, is of another clock: -1, as if there is
** none. */
static int64_t last_own_time(const mpg_log *log) {
  const mpg_zone *zone = log->options.zone;
  int64_t year = log->year, us = 0;
  int month, day;
  mpg_stamp t;
  mpg_zone_fit fit;
  bool found;
  if (log->last_line == 0 || log->latest_us == 0 ||
      !mpg_stamp_read((mpg_str){log->last_text, log->last_n}, &t) || t.zoned != log->latest_zoned)
    return -1;
  if (log->last_us == 0)
    mpg_civil_from_days(log->latest_us / A_DAY, &year, &month, &day);
  found = mpg_stamp_at(&t, year, zone, &us, &fit);
  if (t.year == 0 && (!found || us < log->latest_us - HALF_A_YEAR))
    found = mpg_stamp_at(&t, year + 1, zone, &us, &fit);
  return found ? us : -1;
}

/* The lines that were kept, as the file's last record: what says that a program hung, or died.
** MPG_DONE: there is none, or it is before the others. */
static mpg_rc read_last(mpg_log *log) {
  const int64_t own = log->at_last ? -1 : last_own_time(log),
                kept = log->at_last ? -1 : last_wrapper_time(log);
  const int64_t us = own > kept ? own : kept;
  if (us < 0 || us < log->latest_us)
    return MPG_DONE;
  if (kept > own)
    log->last_line = log->kept_line;
  log->at_last = true;
  log->matched = false;
  log->line = MPG_STR("");
  log->step.type = MPG_NULL;
  log->time.type = MPG_REAL;
  log->time.r = (double)us / (double)MPG_SECOND;
  return MPG_OK;
}

static mpg_rc read_step(mpg_log *log, mpg_err *err) {
  mpg_str text;
  log->step.type = MPG_NULL;
  if (!mpg_pattern_group(log->options.pattern, log->step_group, &text) || text.n == 0)
    return MPG_OK;
  if (!mpg_int_parse(text, &log->step.i))
    return malformed(log, "a whole number in group \"step\"", text, err);
  log->step.type = MPG_INT;
  return MPG_OK;
}

/* ---- Records ---- */

static mpg_rc read_groups(mpg_log *log, mpg_err *err) {
  size_t n = mpg_pattern_names(log->options.pattern);
  mpg_rc rc = log->time_group < n ? read_time(log, err) : MPG_OK;
  return rc == MPG_OK && log->step_group < n ? read_step(log, err) : rc;
}

/* MPG_DONE: nothing matches, or the line is too long for the pattern, as is each that is as long
** from there on: no program prints its records so. MPG_LIMIT: a short one is. */
static mpg_rc match_line(mpg_log *log, mpg_err *err) {
  mpg_rc rc = MPG_LIMIT;
  if (log->line.n < log->hard)
    rc = mpg_pattern_match(log->options.pattern, log->line, err);
  if (rc != MPG_LIMIT || log->line.n < LONG_LINE)
    return rc;
  if (log->n_hard++ == 0) {
    log->first_hard = mpg_log_line(log);
    (void)mpg_print(log->hard_text, sizeof log->hard_text, "%.*s", (int)strcspn(err->text, ":"),
                    err->text);
  }
  if (log->line.n < log->hard)
    log->hard = log->line.n;
  return MPG_DONE;
}

/* MPG_DONE: the line is to be skipped. */
static mpg_rc read_line(mpg_log *log, mpg_err *err) {
  mpg_rc rc = match_line(log, err);
  log->n_lines++;
  log->matched = rc == MPG_OK;
  log->time.type = log->step.type = MPG_NULL;
  if (rc == MPG_LIMIT) {
    mpg_err plain = *err;
    return mpg_fail(err, MPG_DATA, "%s:%lld:1: %.900s", log->path, (long long)mpg_log_line(log),
                    plain.text);
  }
  if (rc == MPG_OK) {
    log->last_line = log->kept_line = 0;
    return read_groups(log, err);
  }
  if (rc != MPG_DONE)
    return rc;
  if (log->options.unmatched == MPG_LOG_LAST)
    keep_last(log);
  if (log->n_unmatched++ == 0) {
    log->first_unmatched = mpg_log_line(log);
    mpg_text_excerpt(log->line, log->unmatched_text);
  }
  if (log->options.unmatched == MPG_LOG_ERROR)
    return malformed(log, "a line that matches the pattern", log->line, err);
  return log->options.unmatched == MPG_LOG_ROWS ? MPG_OK : MPG_DONE;
}

/* The end of the control sequence of a terminal (ECMA-48, 5.4) that begins at p: ESC [, parameters,
** a final byte. p itself: there is none. */
static const char *sequence_end(const char *p, const char *end) {
  const char *at = p + 2;
  if (end - p < 3 || p[0] != '\x1b' || p[1] != '[')
    return p;
  while (at < end && *at >= ' ' && *at <= '?')
    at++;
  return at < end && *at >= '@' && *at <= '~' ? at + 1 : p;
}

/* Takes out of the line what is no text: colours and the like of terminals; and NUL bytes, which a
** crash leaves for what was not written yet, and a truncation for what its program believes to be
** there. */
static mpg_rc take_noise_out(mpg_log *log, mpg_err *err) {
  const char *p = log->line.p, *end = p + log->line.n;
  const char *nul = log->line.n == 0 ? NULL : memchr(p, '\0', log->line.n);
  size_t n = 0;
  if (nul == NULL && (log->line.n == 0 || memchr(p, '\x1b', log->line.n) == NULL))
    return MPG_OK;
  if (nul != NULL && !mpg_text_but_nul(log->line))
    return mpg_expected(err, mpg_place_in_line(log->path, mpg_log_line(log), log->start, nul),
                        "text", "byte 0x00");
  if (mpg_grow(log->env, &log->plain, &log->plain_cap, log->line.n, 1) != MPG_OK)
    return mpg_fail_nomem(err);
  while (p < end) {
    const char *after = *p == '\x1b' ? sequence_end(p, end) : p;
    if (after > p)
      p = after;
    else if (*p == '\0')
      p++;
    else
      log->plain[n++] = *p++;
  }
  log->line = (mpg_str){log->plain, n};
  if (nul != NULL && log->n_nul++ == 0)
    log->first_nul = mpg_log_line(log);
  return MPG_OK;
}

/* Where a carriage return stands that JSON has escaped, in a text that goes on after it; NULL:
** nowhere. */
static const char *escaped_return(mpg_str text) {
  const char *end = text.p + text.n;
  for (const char *p = text.p; (p = memchr(p, '\\', (size_t)(end - p))) != NULL && end - p > 3;
       p += 2)
    if (p[1] == 'r' && p[2] != '"' && (p[2] != '\\' || (p[3] != 'n' && p[3] != 'r')))
      return p;
  return NULL;
}

/* The next line. Progress bars are redrawn after a carriage return: each state of one is a line of
** its own, under the number of the line in the file. Empty ones are skipped. In JSON that keeps a
** log a return is written as an escape; the clock beside the text is that of the last state. */
static mpg_rc next_line(mpg_log *log, mpg_err *err) {
  do {
    const char *end;
    size_t n = 1;
    if (!log->more) {
      mpg_rc rc = mpg_lines_next(log->lines, &log->rest, err);
      if (rc != MPG_OK)
        return rc;
      log->start = log->rest.p;
      log->in_object = log->env->maps && log->rest.n > 0 && strchr("{ \t", log->rest.p[0]) != NULL;
    }
    end = log->rest.n == 0 ? NULL : memchr(log->rest.p, '\r', log->rest.n);
    if (end == NULL && log->in_object && (end = escaped_return(log->rest)) != NULL)
      n = 2;
    log->more = end != NULL;
    log->line = log->rest;
    if (end != NULL) {
      log->line.n = (size_t)(end - log->rest.p);
      log->rest.p = end + n;
      log->rest.n -= log->line.n + n;
    }
  } while (log->line.n == 0 && (log->more || log->line.p != log->start));
  return take_noise_out(log, err);
}

mpg_rc mpg_log_next(mpg_log *log, mpg_err *err) {
  for (;;) {
    mpg_rc rc = log->done ? MPG_DONE : next_line(log, err);
    if (rc == MPG_DONE)
      return log->done || read_last(log) == MPG_DONE ? finish_file(log, err) : MPG_OK;
    if (rc != MPG_OK)
      return rc;
    if (log->n_lines % LINES_BETWEEN_POLLS == LINES_BETWEEN_POLLS - 1 && mpg_interrupted(log->env))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    if (!log->more && !mpg_lines_ended(log->lines)) {
      rc = fail_unless_added(
          mpg_issues_add(log->issues, MPG_INFO, log->path, "unfinished_line", mpg_log_line(log), 1,
                         "the last line has no line end: left out as still being written"),
          err);
      if (rc == MPG_OK && read_last(log) == MPG_OK)
        return MPG_OK;
      return rc == MPG_OK ? finish_file(log, err) : rc;
    }
    rc = read_line(log, err);
    if (rc != MPG_DONE)
      return rc;
  }
}

/* ---- Fields ---- */

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][-+]?[0-9]+)? of no more digits than are exact; zeros in front of
** them are none. */
static bool is_json_number(mpg_str s) {
  size_t i = s.n > 0 && s.p[0] == '-', from = i, digits;
  bool whole = true, exponent = false;
  int64_t n;
  double r;
  while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
    i++;
  digits = i - from;
  if (digits == 0 || (digits > 1 && s.p[from] == '0'))
    return false;
  if (i < s.n && s.p[i] == '.') {
    size_t zeros;
    digits -= s.p[from] == '0';
    from = ++i;
    while (digits == 0 && i < s.n && s.p[i] == '0')
      i++;
    zeros = i - from;
    while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
      i++;
    if (i == from)
      return false;
    digits += i - from - zeros;
    whole = false;
  }
  if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
    i++;
    i += i < s.n && (s.p[i] == '+' || s.p[i] == '-');
    from = i;
    while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
      i++;
    if (i == from)
      return false;
    whole = false;
    exponent = true;
  }
  if (i != s.n)
    return false;
  if (whole)
    return mpg_int_parse(s, &n);
  /* Without an exponent it is finite. */
  return digits <= EXACT_DIGITS && (!exponent || mpg_real_parse(s, &r));
}

bool mpg_log_group(const mpg_log *log, mpg_str name, size_t *place, mpg_value *out) {
  const mpg_pattern *pattern = log->options.pattern;
  size_t i = *place;
  out->type = MPG_NULL;
  if (i >= mpg_pattern_names(pattern) || !mpg_str_eq(mpg_pattern_name(pattern, i), name))
    *place = i = group_named(pattern, name);
  if (i == mpg_pattern_names(pattern))
    return false;
  if (!log->matched || !mpg_pattern_group(pattern, i, &out->s))
    return true;
  out->type = MPG_TEXT;
  if (!is_json_number(out->s))
    return true;
  if (mpg_int_parse(out->s, &out->i))
    out->type = MPG_INT;
  else if (mpg_real_parse(out->s, &out->r))
    out->type = MPG_REAL;
  return true;
}

mpg_rc mpg_log_fields(const mpg_log *log, mpg_json_text *json, bool *any) {
  const mpg_pattern *pattern = log->options.pattern;
  mpg_rc rc = mpg_json_put(json, MPG_STR("{"));
  *any = log->matched;
  for (size_t i = 0; log->matched && rc == MPG_OK && i < mpg_pattern_names(pattern); i++) {
    mpg_str text;
    if (!mpg_pattern_group(pattern, i, &text))
      continue;
    rc = mpg_json_put_key(json, mpg_pattern_name(pattern, i));
    if (rc == MPG_OK)
      rc = is_json_number(text) ? mpg_json_put(json, text) : mpg_json_put_string(json, text);
  }
  return rc == MPG_OK ? mpg_json_put(json, MPG_STR("}")) : rc;
}
