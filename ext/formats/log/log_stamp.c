/* log_stamp.c - see log_stamp.h. */
#include "log_stamp.h"
#include "../../base/ascii.h"
#include "../../base/number.h"
#include "../../base/time.h"

#include <string.h>

#define DAY_SECONDS 86400

/* What is left to read; each function below takes its part off the front, or leaves all as it
** is. */
typedef mpg_str rest;

/* Exactly n digits, and no digit after them. */
static bool read_number(rest *r, size_t n, int *out) {
  int v = 0;
  if (r->n < n || (r->n > n && mpg_is_digit(r->p[n])))
    return false;
  for (size_t i = 0; i < n; i++) {
    if (!mpg_is_digit(r->p[i]))
      return false;
    v = v * 10 + (r->p[i] - '0');
  }
  *out = v;
  r->p += n;
  r->n -= n;
  return true;
}

/* n digits that others may follow. */
static bool read_digits(rest *r, size_t n, int *out) {
  rest part = {r->p, r->n < n ? r->n : n};
  if (!read_number(&part, n, out))
    return false;
  r->p += n;
  r->n -= n;
  return true;
}

static bool read_one_of(rest *r, const char *set) {
  if (r->n == 0 || r->p[0] == '\0' || strchr(set, r->p[0]) == NULL)
    return false;
  r->p++;
  r->n--;
  return true;
}

static bool read_spaces(rest *r) {
  bool any = false;
  while (read_one_of(r, " "))
    any = true;
  return any;
}

static bool read_word(rest *r, mpg_str word) {
  if (r->n < word.n || !mpg_str_eq_nocase((mpg_str){r->p, word.n}, word))
    return false;
  r->p += word.n;
  r->n -= word.n;
  return true;
}

static bool read_month(rest *r, int *month) {
  static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  for (int i = 0; i < 12; i++)
    if (read_word(r, (mpg_str){names + 3 * i, 3})) {
      *month = i + 1;
      return true;
    }
  return false;
}

static void read_weekday(rest *r) {
  static const char names[] = "MonTueWedThuFriSatSun";
  for (int i = 0; i < 7; i++)
    if (read_word(r, (mpg_str){names + 3 * i, 3})) {
      (void)read_one_of(r, ",");
      (void)read_spaces(r);
      return;
    }
}

/* HH:MM:SS and a fraction after "." or ",". */
static bool read_clock(rest *r, int64_t *us) {
  int hour, minute, second;
  char digits[32] = "0.";
  size_t n = 2;
  int64_t part = 0;
  if (!read_digits(r, 2, &hour) || !read_one_of(r, ":") || !read_digits(r, 2, &minute) ||
      !read_one_of(r, ":") || !read_digits(r, 2, &second))
    return false;
  if (hour > 23 || minute > 59 || second > 60)
    return false;
  if (read_one_of(r, ".,")) {
    while (r->n > 0 && mpg_is_digit(r->p[0])) {
      if (n == sizeof digits)
        return false;
      digits[n++] = r->p[0];
      r->p++;
      r->n--;
    }
    if (n == 2 || !mpg_scaled_parse((mpg_str){digits, n}, 6, &part))
      return false;
  }
  *us = (hour * 3600 + minute * 60 + second) * MPG_SECOND + part;
  return true;
}

static void read_zone(rest *r, mpg_stamp *t) {
  rest before = *r;
  int hours, minutes = 0;
  bool east;
  (void)read_spaces(r);
  t->zoned = true;
  if (read_word(r, MPG_STR("UTC")) || read_word(r, MPG_STR("GMT")) || read_word(r, MPG_STR("Z")))
    return;
  east = r->n > 0 && r->p[0] == '+';
  if (read_one_of(r, "+-") && read_digits(r, 2, &hours) && hours <= 24) {
    if (r->n > 0)
      (void)read_one_of(r, ":");
    if ((r->n == 0 || read_digits(r, 2, &minutes)) && minutes < 60) {
      t->offset = (east ? 1 : -1) * (hours * 3600 + minutes * 60);
      return;
    }
  }
  t->zoned = false;
  *r = before;
}

/* The forms of a date; each leaves *r at the clock. */
static bool read_date(rest *r, mpg_stamp *t) {
  rest start = *r;
  int year = 0;
  if (read_number(r, 4, &year) && read_one_of(r, "-/") && read_number(r, 2, &t->month) &&
      read_one_of(r, "-/") && read_number(r, 2, &t->day) && read_one_of(r, "Tt _")) {
    t->year = year;
    return true;
  }
  *r = start;
  if (read_number(r, 2, &year) && read_one_of(r, "/") && read_number(r, 2, &t->month) &&
      read_one_of(r, "/") && read_number(r, 2, &t->day) && read_spaces(r)) {
    t->year = 2000 + year;
    return true;
  }
  *r = start;
  if (read_number(r, 8, &year) && read_spaces(r)) {
    t->year = year / 10000;
    t->month = year / 100 % 100;
    t->day = year % 100;
    return t->year > 0;
  }
  *r = start;
  if ((read_number(r, 4, &year) || read_number(r, 3, &year)) && read_spaces(r)) {
    t->month = year / 100;
    t->day = year % 100;
    return true;
  }
  *r = start;
  read_weekday(r);
  if ((read_number(r, 2, &t->day) || read_number(r, 1, &t->day)) && read_one_of(r, " -/") &&
      read_month(r, &t->month) && read_one_of(r, " -/") && read_number(r, 4, &year) &&
      read_one_of(r, " :")) {
    t->year = year;
    return year > 0;
  }
  *r = start;
  read_weekday(r);
  return read_month(r, &t->month) && read_spaces(r) &&
         (read_number(r, 2, &t->day) || read_number(r, 1, &t->day)) && read_spaces(r);
}

bool mpg_stamp_read(mpg_str text, mpg_stamp *out) {
  mpg_stamp t = {0};
  rest r = text;
  rest after;
  mpg_err err;
  int year;
  if (text.n > 0 && mpg_is_digit(text.p[0])) {
    size_t n = 0;
    while (n < text.n && (mpg_is_digit(text.p[n]) || text.p[n] == '.'))
      n++;
    /* As few as nine digits are 1973: what is shorter is no time of a log. */
    if (n == text.n && n >= 9 && mpg_time_parse(text, &t.us, &err) == MPG_OK) {
      t.absolute = true;
      *out = t;
      return true;
    }
  }
  if (!read_date(&r, &t) || !read_clock(&r, &t.us))
    return false;
  read_zone(&r, &t);
  /* "15:01:26 2026", and "15:01:26 UTC 2026" */
  after = r;
  if (t.year == 0 && read_spaces(&after) && read_number(&after, 4, &year) && year > 0) {
    t.year = year;
    r = after;
  }
  if (r.n > 0 || t.month < 1 || t.month > 12 || t.day < 1 || t.day > 31)
    return false;
  *out = t;
  return true;
}

/* "15:01:26" at p, of which 8 bytes can be read. */
static bool is_clock(const char *p) {
  return p[2] == ':' && p[5] == ':' && mpg_is_digit(p[0]) && mpg_is_digit(p[1]) &&
         mpg_is_digit(p[3]) && mpg_is_digit(p[4]) && mpg_is_digit(p[6]) && mpg_is_digit(p[7]);
}

/* `text` up to the end of the clock after its first `date` bytes, with a fraction and a zone. */
static mpg_str with_clock(mpg_str text, size_t date) {
  size_t n = date + 8;
  if (n + 1 < text.n && (text.p[n] == '.' || text.p[n] == ',') && mpg_is_digit(text.p[n + 1]))
    for (n++; n < text.n && mpg_is_digit(text.p[n]); n++)
      ;
  if (n < text.n && text.p[n] == 'Z')
    n++;
  else if (n + 5 <= text.n && (text.p[n] == '+' || text.p[n] == '-') &&
           mpg_is_digit(text.p[n + 1]) && mpg_is_digit(text.p[n + 2]))
    n += text.p[n + 3] == ':' && n + 6 <= text.n ? 6 : 5;
  return (mpg_str){text.p, n < text.n ? n : text.n};
}

/* How many bytes a date before a clock has; 0: there are none such. */
static size_t date_of(mpg_str text, char before) {
  size_t digits = 1;
  while (digits < text.n && digits < 9 && mpg_is_digit(text.p[digits]))
    digits++;
  if (digits == 8 && text.n >= 17 && text.p[8] == ' ' && is_clock(text.p + 9))
    return 9;
  if (digits == 4 && text.n >= 19 && (text.p[4] == '-' || text.p[4] == '/') &&
      is_clock(text.p + 11))
    return 11;
  if ((digits == 3 || digits == 4) && text.n >= digits + 9 && text.p[digits] == ' ' &&
      before != ' ' && strchr("IWEF", before) != NULL && is_clock(text.p + digits + 1))
    return digits + 1;
  return 0;
}

mpg_str mpg_stamp_leads(mpg_str line) {
  for (size_t i = 0; i < line.n && i < MPG_STAMP_REACH; i++) {
    const mpg_str text = {line.p + i, line.n - i};
    const char before = i == 0 ? ' ' : line.p[i - 1];
    size_t date;
    if (!mpg_is_digit(text.p[0]) || mpg_is_digit(before) || before == '.' || before == ':')
      continue;
    date = date_of(text, before);
    if (date > 0)
      return with_clock(text, date);
  }
  return MPG_STR("");
}

/* Whether the key that ends before the quotation mark at `end` is a name of a time. */
static bool names_time(mpg_str line, size_t end) {
  static const char *const names[] = {"time", "timestamp", "@timestamp",    "_time",
                                      "ts",   "asctime",   "TimeGenerated", "__REALTIME_TIMESTAMP",
                                      "date"};
  size_t from = end;
  while (from > 0 && end - from < 24 && line.p[from - 1] != '"')
    from--;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (mpg_str_eq((mpg_str){line.p + from, end - from}, mpg_str_of(names[i])))
      return true;
  return false;
}

/* The date or number at the start of `text`; empty: there is none. */
static mpg_str date_or_number(mpg_str text) {
  size_t n = 0, whole;
  size_t date = text.n > 0 && mpg_is_digit(text.p[0]) ? date_of(text, '"') : 0;
  if (date > 0)
    return with_clock(text, date);
  while (n < text.n && mpg_is_digit(text.p[n]))
    n++;
  whole = n;
  if (n < text.n && text.p[n] == '.')
    for (n++; n < text.n && mpg_is_digit(text.p[n]); n++)
      ;
  return whole < 10 || whole > 19 ? MPG_STR("") : (mpg_str){text.p, n};
}

bool mpg_stamp_beside(mpg_str line, mpg_str *out) {
  static const char yaml[] = "timestamp: '";
  size_t from = 0;
  *out = MPG_STR("");
  if (line.n > sizeof yaml && memcmp(line.p, yaml, sizeof yaml - 1) == 0) {
    *out = date_or_number((mpg_str){line.p + sizeof yaml - 1, line.n - (sizeof yaml - 1)});
    return true;
  }
  while (from < line.n && (line.p[from] == ' ' || line.p[from] == '\t'))
    from++;
  if (from == line.n || (line.p[from] != '{' && (line.p[from] != '"' || from == 0)))
    return false;
  for (const char *p = line.p + from + 1;
       p < line.p + line.n && (p = memchr(p, ':', (size_t)(line.p + line.n - p))) != NULL; p++) {
    size_t end = (size_t)(p - line.p), value = end + 1;
    mpg_str found;
    while (end > from && line.p[end - 1] == ' ')
      end--;
    if (end == from || line.p[end - 1] != '"' || !names_time(line, end - 1))
      continue;
    while (value < line.n && line.p[value] == ' ')
      value++;
    value += value < line.n && line.p[value] == '"';
    found = date_or_number((mpg_str){line.p + value, line.n - value});
    if (found.n > 0)
      *out = found;
  }
  return true;
}

bool mpg_stamp_at(const mpg_stamp *t, int64_t year, const mpg_zone *zone, int64_t *us,
                  mpg_zone_fit *fit) {
  int64_t days, seconds, back_year;
  int back_month, back_day;
  *fit = MPG_ZONE_UNIQUE;
  if (t->absolute) {
    *us = t->us;
    return true;
  }
  if (t->year != 0)
    year = t->year;
  if (year < 1970 || year > 2261)
    return false;
  days = mpg_days_from_civil(year, t->month, t->day);
  mpg_civil_from_days(days, &back_year, &back_month, &back_day);
  if (back_month != t->month || back_day != t->day)
    return false;
  seconds = days * DAY_SECONDS + t->us / MPG_SECOND;
  if (t->zoned)
    seconds -= t->offset;
  else if (zone != NULL)
    *fit = mpg_zone_utc(zone, seconds, &seconds);
  *us = seconds * MPG_SECOND + t->us % MPG_SECOND;
  return *us >= 0 && *us < MPG_TIME_MAX;
}
