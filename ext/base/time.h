/*
** time.h - times as people write them, and the buckets that time is cut into.
**
** Inside, a time is int64 microseconds since 1970-01-01T00:00:00Z. Accepted range: from 1970-01-01
** to before 2262-01-01 (MPG_TIME_MAX). Any other time is refused with a text that names the likely
** cause (milliseconds or nanoseconds instead of seconds).
*/
#ifndef MPG_TIME_H
#define MPG_TIME_H

#include "base.h"

#define MPG_SECOND INT64_C(1000000)
#define MPG_TIME_MAX INT64_C(9214646400000000) /* 2262-01-01T00:00:00Z, first time refused */
/* Whether a number of Unix seconds is a time: 1970 and later, before MPG_TIME_MAX. */
static inline bool mpg_seconds_are_time(double s) {
  return s >= 0 && s < (double)MPG_TIME_MAX / 1e6;
}

/*
** Unix seconds as decimal text ("1795240353", "12.5", "1.5e3") or ISO 8601: date (then midnight),
** or date and time with "T" or a space between; seconds, fraction (after "." or ",") and zone may
** be left out. Zone: "Z", "+02", "+0200", "+02:00"; none is UTC. Digits past the microsecond are
** rounded half to even. A leap second, ":60", is the second after it. "24:00" and white space
** around the text are refused. err->text says what was expected and found, without file or line:
** the caller has those.
*/
mpg_rc mpg_time_parse(mpg_str text, int64_t *us, mpg_err *err);
/* The same of a value: MPG_INT and MPG_REAL are Unix seconds. MPG_NULL is MPG_MISUSE. */
mpg_rc mpg_time_value(const mpg_value *v, int64_t *us, mpg_err *err);

/* ISO 8601 alone, of any year from 0000 to 9999; false if the text is none. */
bool mpg_iso_parse(mpg_str text, int64_t *us);

/* An offset from UTC, "Z", "+02", "+0200" or "+02:00", in microseconds; false if it is none. */
bool mpg_offset_parse(mpg_str text, int64_t *offset_us);

/* Whether a number of seconds reads as a date without dashes: 20260106. */
bool mpg_seconds_read_as_date(int64_t seconds);

/* "YYYY-MM-DDTHH:MM:SSZ", with ".ffffff" if the fraction is not 0. `out` holds 40 bytes. */
size_t mpg_time_format(int64_t us, char *out);

/* Proleptic Gregorian days since 1970-01-01; month 1..12, day 1..31. */
int64_t mpg_days_from_civil(int64_t year, int month, int day);
void mpg_civil_from_days(int64_t days, int64_t *year, int *month, int *day);

/* The ISO 8601 week of a time, "2026-W01"; terminated, the length is returned. */
#define MPG_ISO_WEEK_TEXT 24
size_t mpg_iso_week(int64_t us, char out[MPG_ISO_WEEK_TEXT]);

#endif
