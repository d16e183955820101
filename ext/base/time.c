/* time.c - times in text and the civil calendar: see time.h. Buckets are in time_bucket.c. */
#include "time.h"
#include "number.h"
#include "text.h"

#include <math.h>

#define DAY_SECONDS 86400

/* Days from 0001-01-01 to 1970-01-01. */
#define EPOCH_DAY 719162

/* Days of a common year before each month; of a leap year one more from March on. */
static const int days_before[13] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

static int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}

static bool is_leap(int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int before_month(bool leap, int month) {
  return days_before[month - 1] + (leap && month > 2);
}

static int month_days(int64_t year, int month) {
  return days_before[month] - days_before[month - 1] + (month == 2 && is_leap(year));
}

int64_t mpg_days_from_civil(int64_t year, int month, int day) {
  int64_t past = year - 1; /* whole years since 0001-01-01 */
  int64_t days = 365 * past + floor_div(past, 4) - floor_div(past, 100) + floor_div(past, 400);
  return days - EPOCH_DAY + before_month(is_leap(year), month) + day - 1;
}

/*
** The calendar repeats every 400 years. Within them, take whole centuries, then 4 years, then
** years; the last century and the last year of their cycles are one day longer, hence the caps at
** 3.
*/
void mpg_civil_from_days(int64_t days, int64_t *year, int *month, int *day) {
  const int era_days = 146097, century_days = 36524, four_years_days = 1461;
  int64_t n = days + EPOCH_DAY, era = floor_div(n, era_days);
  int left = (int)(n - era * era_days), centuries, fours, years, m = 1;
  bool leap;
  centuries = left / century_days < 3 ? left / century_days : 3;
  left -= centuries * century_days;
  fours = left / four_years_days;
  left -= fours * four_years_days;
  years = left / 365 < 3 ? left / 365 : 3;
  left -= years * 365;
  *year = era * 400 + centuries * 100 + fours * 4 + years + 1;
  leap = is_leap(*year);
  while (m < 12 && left >= before_month(leap, m + 1))
    m++;
  *month = m;
  *day = left - before_month(leap, m) + 1;
}

/* Reads exactly n digits at *p. */
static bool read_digits(const char **p, const char *end, int n, int *out) {
  int v = 0;
  if (end - *p < n)
    return false;
  for (int i = 0; i < n; i++) {
    char c = (*p)[i];
    if (c < '0' || c > '9')
      return false;
    v = v * 10 + (c - '0');
  }
  *p += n;
  *out = v;
  return true;
}

static bool skip_char(const char **p, const char *end, char c) {
  if (*p == end || **p != c)
    return false;
  ++*p;
  return true;
}

/* The digits after the decimal sign, as microseconds rounded half to even: 0..1000000. */
static bool read_fraction(const char **p, const char *end, int *us) {
  const char *from = *p;
  int v = 0, n = 0, next = 0;
  bool more = false;
  for (; *p < end && **p >= '0' && **p <= '9'; ++*p, n++) {
    int d = **p - '0';
    if (n < 6)
      v = v * 10 + d;
    else if (n == 6)
      next = d;
    else
      more |= d != 0;
  }
  for (; n < 6; n++)
    v *= 10;
  if (next > 5 || (next == 5 && (more || v % 2 == 1)))
    v++;
  *us = v;
  return *p > from;
}

/* "Z", "+hh", "+hhmm", "+hh:mm" or nothing, to the end of the text: seconds east of UTC. */
static bool read_zone(const char *p, const char *end, int *seconds) {
  int hours, minutes = 0;
  bool west;
  *seconds = 0;
  if (p == end)
    return true;
  if (skip_char(&p, end, 'Z'))
    return p == end;
  west = *p == '-';
  if (!west && *p != '+')
    return false;
  p++;
  if (!read_digits(&p, end, 2, &hours))
    return false;
  if (p != end) {
    (void)skip_char(&p, end, ':');
    if (!read_digits(&p, end, 2, &minutes))
      return false;
  }
  if (p != end || hours > 23 || minutes > 59)
    return false;
  *seconds = (hours * 60 + minutes) * (west ? -60 : 60);
  return true;
}

bool mpg_offset_parse(mpg_str text, int64_t *offset_us) {
  int seconds;
  if (text.n == 0 || !read_zone(text.p, text.p + text.n, &seconds))
    return false;
  *offset_us = seconds * MPG_SECOND;
  return true;
}

/* ISO 8601 text of years 0000 to 9999. A leap second, ":60", is the second after. */
bool mpg_iso_parse(mpg_str text, int64_t *us) {
  const char *p = text.n ? text.p : "", *end = p + text.n;
  int year, month, day, hour = 0, minute = 0, second = 0, micros = 0, offset = 0;
  if (!read_digits(&p, end, 4, &year) || !skip_char(&p, end, '-') ||
      !read_digits(&p, end, 2, &month) || !skip_char(&p, end, '-') ||
      !read_digits(&p, end, 2, &day))
    return false;
  if (month < 1 || month > 12 || day < 1 || day > month_days(year, month))
    return false;
  if (p != end) {
    if (!skip_char(&p, end, 'T') && !skip_char(&p, end, ' '))
      return false;
    if (!read_digits(&p, end, 2, &hour) || !skip_char(&p, end, ':') ||
        !read_digits(&p, end, 2, &minute))
      return false;
    if (skip_char(&p, end, ':')) {
      if (!read_digits(&p, end, 2, &second))
        return false;
      if ((skip_char(&p, end, '.') || skip_char(&p, end, ',')) && !read_fraction(&p, end, &micros))
        return false;
    }
    if (hour > 23 || minute > 59 || second > 60 || !read_zone(p, end, &offset))
      return false;
  }
  *us = (mpg_days_from_civil(year, month, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second -
         offset) *
            MPG_SECOND +
        micros;
  return true;
}

bool mpg_seconds_read_as_date(int64_t seconds) {
  const int64_t month = seconds / 100 % 100, day = seconds % 100;
  return seconds >= 19000101 && seconds < 22620101 && month >= 1 && month <= 12 && day >= 1 &&
         day <= 31;
}

/* What a number of seconds that lies past the range probably counts. */
static const char *likely_unit(double seconds) {
  const double max = (double)MPG_TIME_MAX / 1e6;
  return seconds < max * 1e3   ? " (milliseconds?)"
         : seconds < max * 1e6 ? " (microseconds?)"
         : seconds < max * 1e9 ? " (nanoseconds?)"
                               : "";
}

static mpg_rc refuse_number(double seconds, const char *found, mpg_err *err) {
  if (seconds < 0)
    return mpg_fail(err, MPG_DATA, "expected a time from 1970-01-01 on in Unix seconds, found %s",
                    found);
  return mpg_fail(err, MPG_DATA, "expected a time before 2262-01-01 in Unix seconds, found %s%s",
                  found, likely_unit(seconds));
}

mpg_rc mpg_time_parse(mpg_str text, int64_t *us, mpg_err *err) {
  char found[MPG_EXCERPT];
  int64_t t;
  double seconds;
  if (mpg_scaled_parse(text, 6, &t) && t >= 0 && t < MPG_TIME_MAX) {
    *us = t;
    return MPG_OK;
  }
  if (mpg_iso_parse(text, &t) && t >= 0 && t < MPG_TIME_MAX) {
    *us = t;
    return MPG_OK;
  }
  mpg_text_excerpt(text, found);
  if (mpg_real_parse(text, &seconds))
    return refuse_number(seconds, found, err);
  if (!mpg_iso_parse(text, &t))
    return mpg_fail(err, MPG_DATA, "expected Unix seconds or ISO 8601 time, found \"%s\"", found);
  if (t < 0)
    return mpg_fail(err, MPG_DATA, "expected a time from 1970-01-01 on, found \"%s\"", found);
  return mpg_fail(err, MPG_DATA, "expected a time before 2262-01-01, found \"%s\"", found);
}

mpg_rc mpg_time_value(const mpg_value *v, int64_t *us, mpg_err *err) {
  char found[MPG_INT_TEXT];
  int64_t t;
  switch (v->type) {
  case MPG_INT:
    if (v->i >= 0 && v->i < MPG_TIME_MAX / MPG_SECOND) {
      *us = v->i * MPG_SECOND;
      return MPG_OK;
    }
    (void)mpg_text_int(v->i, found);
    return refuse_number((double)v->i, found, err);
  case MPG_REAL:
    if (mpg_scaled_real(v->r, 6, &t) && t >= 0 && t < MPG_TIME_MAX) {
      *us = t;
      return MPG_OK;
    }
    (void)mpg_text_real(v->r, found);
    if (isnan(v->r))
      return mpg_fail(err, MPG_DATA, "expected a time in Unix seconds, found %s", found);
    return refuse_number(v->r, found, err);
  case MPG_TEXT:
    return mpg_time_parse(v->s, us, err);
  case MPG_MICROSECONDS:
    *us = v->i;
    if (v->i >= 0 && v->i < MPG_TIME_MAX)
      return MPG_OK;
    (void)mpg_text_real((double)v->i / 1e6, found);
    return refuse_number((double)v->i / 1e6, found, err);
  default:
    return mpg_fail(err, MPG_MISUSE, "expected a time, found NULL");
  }
}

/* Writes v >= 0 with at least `width` digits; returns past the last. */
static char *write_digits(char *p, int64_t v, int width) {
  char reversed[20];
  int n = 0;
  do {
    reversed[n++] = (char)('0' + v % 10);
    v /= 10;
  } while (v > 0 || n < width);
  while (n > 0)
    *p++ = reversed[--n];
  return p;
}

size_t mpg_time_format(int64_t us, char *out) {
  int64_t seconds = floor_div(us, MPG_SECOND), days = floor_div(seconds, DAY_SECONDS), year;
  int month, day, of_day = (int)(seconds - days * DAY_SECONDS);
  int micros = (int)(us % MPG_SECOND + (us % MPG_SECOND < 0 ? MPG_SECOND : 0));
  char *p = out;
  mpg_civil_from_days(days, &year, &month, &day);
  if (year < 0)
    *p++ = '-';
  p = write_digits(p, year < 0 ? -year : year, 4);
  *p++ = '-';
  p = write_digits(p, month, 2);
  *p++ = '-';
  p = write_digits(p, day, 2);
  *p++ = 'T';
  p = write_digits(p, of_day / 3600, 2);
  *p++ = ':';
  p = write_digits(p, of_day / 60 % 60, 2);
  *p++ = ':';
  p = write_digits(p, of_day % 60, 2);
  if (micros != 0) {
    *p++ = '.';
    p = write_digits(p, micros, 6);
  }
  *p++ = 'Z';
  *p = '\0';
  return (size_t)(p - out);
}
