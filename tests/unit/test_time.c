/*
** test_time.c - times, the calendar and buckets. The calendar is held against a walk over every
** day of 600 years that knows only the lengths of months; times against the C library's timegm.
*/
#include "../../ext/base/time.h"
#include "check.h"
#include "exactly.h"
#include "../../ext/base/time_bucket.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TEXT(t) ((mpg_value){.type = MPG_TEXT, .s = exactly(t)})
#define INT(v) ((mpg_value){.type = MPG_INT, .i = (v)})
#define REAL(v) ((mpg_value){.type = MPG_REAL, .r = (v)})

static bool parses(const char *text, int64_t expected) {
  int64_t us = -1;
  mpg_err err;
  return mpg_time_parse(exactly(text), &us, &err) == MPG_OK && us == expected;
}

static bool refused(mpg_value v, const char *text) {
  int64_t us = -7;
  mpg_err err;
  if (mpg_time_value(&v, &us, &err) == MPG_OK || us != -7)
    return false;
  if (strcmp(err.text, text) != 0)
    (void)fprintf(stderr, "  the text is: %s\n", err.text);
  return strcmp(err.text, text) == 0;
}

static bool not_a_time(const char *text) {
  char expected[256];
  (void)snprintf(expected, sizeof expected, "expected Unix seconds or ISO 8601 time, found \"%s\"",
                 text);
  return refused(TEXT(text), expected);
}

/* A generator of its own, so that the numbers are the same everywhere. */
static uint64_t random_next(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 11;
}

static void calendar(void) {
  static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int64_t day_number = -135140, y; /* 1600-01-01 */
  int wrong = 0, m, d;
  for (int year = 1600; year < 2300; year++)
    for (int month = 1; month <= 12; month++) {
      bool leap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);
      for (int day = 1; day <= lengths[month - 1] + (month == 2 && leap); day++, day_number++) {
        wrong += mpg_days_from_civil(year, month, day) != day_number;
        mpg_civil_from_days(day_number, &y, &m, &d);
        wrong += y != year || m != month || d != day;
      }
    }
  CHECK(wrong == 0);
  CHECK(mpg_days_from_civil(1970, 1, 1) == 0);
  CHECK(mpg_days_from_civil(2000, 2, 29) == 11016);
  CHECK(mpg_days_from_civil(0, 1, 1) == -719528);
  CHECK(mpg_days_from_civil(-400, 1, 1) == -719528 - 146097);
  mpg_civil_from_days(-719528 - 1, &y, &m, &d);
  CHECK(y == -1 && m == 12 && d == 31);
  CHECK(mpg_days_from_civil(2262, 1, 1) * 86400 * MPG_SECOND == MPG_TIME_MAX);
}

static void numbers(void) {
  CHECK(parses("0", 0));
  CHECK(parses("1795240353", INT64_C(1795240353000000)));
  CHECK(parses("12.5", 12500000));
  CHECK(parses("1.5e3", 1500000000));
  CHECK(parses("0.0000005", 0)); /* half to even */
  CHECK(parses("0.0000015", 2));
  CHECK(parses("9214646399.999999", MPG_TIME_MAX - 1));
  CHECK(refused(
      TEXT("9214646400"),
      "expected a time before 2262-01-01 in Unix seconds, found 9214646400 (milliseconds?)"));
  CHECK(refused(TEXT("9214646399.9999999"), "expected a time before 2262-01-01 in Unix seconds, "
                                            "found 9214646399.9999999 (milliseconds?)"));
  CHECK(refused(TEXT("1795240353000"), "expected a time before 2262-01-01 in Unix seconds, found "
                                       "1795240353000 (milliseconds?)"));
  CHECK(refused(TEXT("1795240353000000"),
                "expected a time before 2262-01-01 in Unix seconds, found "
                "1795240353000000 (microseconds?)"));
  CHECK(refused(INT(INT64_C(1795240353000000000)),
                "expected a time before 2262-01-01 in Unix seconds, found "
                "1795240353000000000 (nanoseconds?)"));
  /* The first of each unit that no other makes a time. */
  CHECK(refused(INT(INT64_C(9214646400000)), "expected a time before 2262-01-01 in Unix seconds, "
                                             "found 9214646400000 (microseconds?)"));
  CHECK(refused(INT(INT64_C(9214646400000000)), "expected a time before 2262-01-01 in Unix "
                                                "seconds, found 9214646400000000 (nanoseconds?)"));
  CHECK(refused(INT(INT64_C(9214646400000000000)), "expected a time before 2262-01-01 in Unix "
                                                   "seconds, found 9214646400000000000"));
  CHECK(refused(TEXT("1e300"), "expected a time before 2262-01-01 in Unix seconds, found 1e300"));
  CHECK(refused(TEXT("-1"), "expected a time from 1970-01-01 on in Unix seconds, found -1"));
  CHECK(refused(INT(-5), "expected a time from 1970-01-01 on in Unix seconds, found -5"));
  CHECK(refused(INT(INT64_MIN), "expected a time from 1970-01-01 on in Unix seconds, found "
                                "-9223372036854775808"));
  CHECK(refused(REAL(-0.5), "expected a time from 1970-01-01 on in Unix seconds, found -0.5"));
  CHECK(refused(REAL(1e300), "expected a time before 2262-01-01 in Unix seconds, found 1e+300"));
  CHECK(refused(REAL(NAN), "expected a time in Unix seconds, found nan"));
  CHECK(refused(REAL(INFINITY), "expected a time before 2262-01-01 in Unix seconds, found inf"));
  CHECK(refused((mpg_value){.type = MPG_NULL}, "expected a time, found NULL"));
}

static void values(void) {
  int64_t us;
  mpg_err err;
  mpg_value v = INT(9214646399);
  CHECK(mpg_time_value(&v, &us, &err) == MPG_OK && us == MPG_TIME_MAX - MPG_SECOND);
  v = INT(0);
  CHECK(mpg_time_value(&v, &us, &err) == MPG_OK && us == 0);
  CHECK(refused(INT(9214646400), "expected a time before 2262-01-01 in Unix seconds, found "
                                 "9214646400 (milliseconds?)"));
  CHECK(refused(REAL(9214646400.0), "expected a time before 2262-01-01 in Unix seconds, found "
                                    "9214646400.0 (milliseconds?)"));
  v = REAL(1795240353.25);
  CHECK(mpg_time_value(&v, &us, &err) == MPG_OK && us == INT64_C(1795240353250000));
  v = TEXT("1970-01-02");
  CHECK(mpg_time_value(&v, &us, &err) == MPG_OK && us == 86400 * MPG_SECOND);
  v = (mpg_value){.type = MPG_NULL};
  CHECK(mpg_time_value(&v, &us, &err) == MPG_MISUSE);
}

static void iso(void) {
  const int64_t t = INT64_C(1732168801) * MPG_SECOND; /* 2024-11-21T06:00:01Z */
  CHECK(parses("1970-01-01", 0));
  CHECK(parses("2024-11-21T06:00:01Z", t));
  CHECK(parses("2024-11-21 06:00:01", t));
  CHECK(parses("2024-11-21T06:00:01.000000Z", t));
  CHECK(parses("2024-11-21T06:00:01,25", t + 250000));
  CHECK(parses("2024-11-21T08:00:01+02", t));
  CHECK(parses("2024-11-21T08:00:01+0200", t));
  CHECK(parses("2024-11-21T08:00:01+02:00", t));
  CHECK(parses("2024-11-21T00:30:01-05:30", t));
  CHECK(parses("2024-11-20T22:00:01.5-08", t + 500000));
  CHECK(parses("2024-11-21T06:00", t - MPG_SECOND));
  CHECK(parses("2024-11-21T06:00Z", t - MPG_SECOND));
  CHECK(parses("2024-11-21 06:00+00:00", t - MPG_SECOND));
  CHECK(parses("2024-11-21", t - 21601 * MPG_SECOND));
  CHECK(parses("2024-02-29T00:00:00Z", INT64_C(1709164800000000)));
  /* A leap second is the second after. */
  CHECK(parses("2016-12-31T23:59:60Z", INT64_C(1483228800000000)));
  CHECK(parses("2016-12-31T23:59:60.5Z", INT64_C(1483228800500000)));
  CHECK(parses("2017-01-01T00:00:00Z", INT64_C(1483228800000000)));
  /* Digits past the microsecond: half to even, and a carry. */
  CHECK(parses("1970-01-01T00:00:00.0000005", 0));
  CHECK(parses("1970-01-01T00:00:00.00000050000001", 1));
  for (int us = 0; us < 12; us++) {
    char text[40];
    (void)snprintf(text, sizeof text, "1970-01-01T00:00:00.%06d5", us);
    CHECK(parses(text, us + us % 2));
    (void)snprintf(text, sizeof text, "1970-01-01T00:00:00.%06d50", us);
    CHECK(parses(text, us + us % 2));
    (void)snprintf(text, sizeof text, "1970-01-01T00:00:00.%06d501", us);
    CHECK(parses(text, us + 1));
    (void)snprintf(text, sizeof text, "1970-01-01T00:00:00.%06d4999", us);
    CHECK(parses(text, us));
    (void)snprintf(text, sizeof text, "1970-01-01T00:00:00.%06d6", us);
    CHECK(parses(text, us + 1));
    (void)snprintf(text, sizeof text, "0.%06d5", us); /* and in seconds */
    CHECK(parses(text, us + us % 2));
  }
  CHECK(refused(TEXT("1970-01-"), "expected Unix seconds or ISO 8601 time, found \"1970-01-\""));
  CHECK(parses("1970-01-01T00:00:00.123456789", 123457));
  CHECK(parses("1970-01-01T00:00:59.9999999", 60 * MPG_SECOND));
  /* The edges, through the zone too. */
  CHECK(parses("2261-12-31T23:59:59.999999Z", MPG_TIME_MAX - 1));
  CHECK(parses("2262-01-01T00:00:00+01:00", MPG_TIME_MAX - 3600 * MPG_SECOND));
  CHECK(parses("1969-12-31T23:30:00-01:00", 1800 * MPG_SECOND));
  CHECK(refused(TEXT("2262-01-01"), "expected a time before 2262-01-01, found \"2262-01-01\""));
  CHECK(refused(TEXT("2261-12-31T23:59:59.9999999Z"),
                "expected a time before 2262-01-01, found \"2261-12-31T23:59:59.9999999Z\""));
  CHECK(refused(TEXT("1970-01-01T00:00:00+00:01"),
                "expected a time from 1970-01-01 on, found \"1970-01-01T00:00:00+00:01\""));
  CHECK(refused(TEXT("0000-01-01"), "expected a time from 1970-01-01 on, found \"0000-01-01\""));
}

static void not_times(void) {
  static const char *const texts[] = {
      "",
      " ",
      "12:70",
      "now",
      "2024",
      "-",
      "+5",
      "1 ",
      " 1",
      "0x10",
      "1e",
      "nan",
      "inf",
      "1e999",
      "2024-11",
      "2024-11-",
      "2024-1-01",
      "24-01-01",
      "2024-00-01",
      "2024-13-01",
      "2024-01-00",
      "2024-01-32",
      "2024-04-31",
      "2023-02-29",
      "1900-02-29",
      "2024/01/01",
      "20240101T000000",
      "2024-01-01T",
      "2024-01-01 ",
      "2024-01-01Z",
      "2024-01-01t00:00:00",
      "2024-01-01T00",
      "2024-01-01T24:00:00",
      "2024-01-01T12:60",
      "2024-01-01T12:00:61",
      "2024-01-01T12:00:00.",
      "2024-01-01T12:00:00.Z",
      "2024-01-01T12:00:",
      "2024-01-01T12:00:00z",
      "2024-01-01T12:00:00 Z",
      "2024-01-01T12:00:00+",
      "2024-01-01T12:00:00+2",
      "2024-01-01T12:00:00+02:",
      "2024-01-01T12:00:00+02:0",
      "2024-01-01T12:00:00+24:00",
      "2024-01-01T12:00:00+02:60",
      "2024-01-01T12:00:00+02000",
      "2024-01-01T12:00:00ZZ",
      "2024-01-01T12:00:00Z ",
      "2024-01-01T1:00:00",
      "2024-01-01T12:0:00",
      "2024-01-01T12-00-00",
      "-2024-01-01",
      "2024-01-01T-1:00:00",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strcmp(texts[i], "2024") == 0)
      CHECK(parses("2024", 2024 * MPG_SECOND)); /* Unix seconds, not a year */
    else
      CHECK(not_a_time(texts[i]));
  CHECK(refused((mpg_value){.type = MPG_TEXT, .s = {"1970-01-01\0", 11}},
                "expected Unix seconds or ISO 8601 time, found \"1970-01-01\\x00\""));
  CHECK(refused((mpg_value){.type = MPG_TEXT, .s = {NULL, 0}},
                "expected Unix seconds or ISO 8601 time, found \"\""));
}

static void against_libc(void) {
  uint64_t state = 42;
  int wrong = 0;
  for (int i = 0; i < 50000; i++) {
    char text[64], out[40];
    struct tm tm;
    int64_t us = (int64_t)(random_next(&state) % (uint64_t)MPG_TIME_MAX), back = -1;
    int offset = (int)(random_next(&state) % 1679) - 839;
    time_t local;
    mpg_err err;
    size_t n;
    if (i % 3 == 0)
      us -= us % MPG_SECOND;
    local = (time_t)(us / MPG_SECOND) + offset * 60;
    (void)gmtime_r(&local, &tm);
    n = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    (void)snprintf(text + n, sizeof text - n, ".%06d%c%02d:%02d", (int)(us % MPG_SECOND),
                   offset < 0 ? '-' : '+', abs(offset) / 60, abs(offset) % 60);
    wrong += mpg_time_parse(exactly(text), &back, &err) != MPG_OK || back != us;
    n = mpg_time_format(us, out);
    wrong += n != strlen(out) || mpg_time_parse(exactly(out), &back, &err) != MPG_OK || back != us;
    local = (time_t)(us / MPG_SECOND);
    (void)gmtime_r(&local, &tm);
    (void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    wrong += strncmp(text, out, 19) != 0;
  }
  CHECK(wrong == 0);
}

static bool formats(int64_t us, const char *text) {
  char out[40];
  return mpg_time_format(us, out) == strlen(text) && strcmp(out, text) == 0;
}

static void formatting(void) {
  CHECK(formats(0, "1970-01-01T00:00:00Z"));
  CHECK(formats(-1, "1969-12-31T23:59:59.999999Z"));
  CHECK(formats(1, "1970-01-01T00:00:00.000001Z"));
  CHECK(formats(MPG_TIME_MAX, "2262-01-01T00:00:00Z"));
  CHECK(formats(INT64_C(253402300799) * MPG_SECOND, "9999-12-31T23:59:59Z"));
  CHECK(formats(INT64_C(253402300800) * MPG_SECOND, "10000-01-01T00:00:00Z"));
  CHECK(formats(INT64_MAX, "294247-01-10T04:00:54.775807Z"));
  CHECK(formats(INT64_MIN, "-290308-12-21T19:59:05.224192Z"));
}

/* The label of the bucket that holds `at`, and of the next. */
static bool bucket_is(mpg_value width, const char *at, const char *label, const char *next) {
  mpg_bucket b;
  mpg_err err;
  int64_t us = 0, start;
  char out[40];
  if (mpg_bucket_parse(&width, &b, &err) != MPG_OK || !mpg_bucket_is_set(&b) ||
      mpg_time_parse(exactly(at), &us, &err) != MPG_OK)
    return false;
  start = mpg_bucket_start(&b, us);
  if (start > us || mpg_bucket_next(&b, start) <= us)
    return false;
  if (mpg_bucket_label(&b, start, out) != strlen(label) || strcmp(out, label) != 0) {
    (void)fprintf(stderr, "  the label is: %s\n", out);
    return false;
  }
  (void)mpg_bucket_label(&b, mpg_bucket_next(&b, start), out);
  return strcmp(out, next) == 0;
}

/* What a width is made: where months count it has no width of its own. */
static bool width_is(mpg_value v, int64_t width_us, int64_t origin_us, int months,
                     int64_t ahead_us) {
  mpg_bucket b = {5, 6, 7, 8};
  mpg_err err;
  return mpg_bucket_parse(&v, &b, &err) == MPG_OK && b.width_us == width_us &&
         b.origin_us == origin_us && b.months == months && b.ahead_us == ahead_us;
}

static bool width_refused(mpg_value v, const char *found) {
  char expected[320];
  mpg_bucket b = {1, 2, 3, 4};
  mpg_err err;
  (void)snprintf(
      expected, sizeof expected,
      "expected a bucket width of up to 292 years as seconds or as \"<n> <unit>\" "
      "(second, minute, hour, day, week, month, quarter, year), an offset such as +02:00 behind "
      "it, found %s",
      found);
  return mpg_bucket_parse(&v, &b, &err) == MPG_DATA && strcmp(err.text, expected) == 0 &&
         b.width_us == 1 && b.origin_us == 2 && b.months == 3 && b.ahead_us == 4;
}

static void buckets(void) {
  const char *t = "2024-11-21T06:47:31.75Z";
  mpg_value none = {.type = MPG_NULL};
  mpg_bucket b = {1, 1, 1, 1};
  mpg_err err;
  CHECK(bucket_is(INT(3600), t, "2024-11-21 06:00:00", "2024-11-21 07:00:00"));
  CHECK(bucket_is(TEXT("3600"), t, "2024-11-21 06:00:00", "2024-11-21 07:00:00"));
  CHECK(bucket_is(TEXT("hour"), t, "2024-11-21 06:00:00", "2024-11-21 07:00:00"));
  CHECK(bucket_is(TEXT("6 Hours"), t, "2024-11-21 06:00:00", "2024-11-21 12:00:00"));
  CHECK(bucket_is(TEXT("0.5 hour"), t, "2024-11-21 06:30:00", "2024-11-21 07:00:00"));
  CHECK(bucket_is(TEXT("15  MINUTES"), t, "2024-11-21 06:45:00", "2024-11-21 07:00:00"));
  CHECK(bucket_is(TEXT("second"), t, "2024-11-21 06:47:31", "2024-11-21 06:47:32"));
  CHECK(bucket_is(REAL(0.5), t, "2024-11-21 06:47:31.500000", "2024-11-21 06:47:32.000000"));
  CHECK(bucket_is(TEXT("0.5"), t, "2024-11-21 06:47:31.500000", "2024-11-21 06:47:32.000000"));
  CHECK(bucket_is(TEXT("day"), t, "2024-11-21", "2024-11-22"));
  CHECK(bucket_is(INT(86400), t, "2024-11-21", "2024-11-22"));
  CHECK(bucket_is(TEXT("24 hours"), t, "2024-11-21", "2024-11-22"));
  CHECK(bucket_is(TEXT("1.5 days"), t, "2024-11-20 12:00:00", "2024-11-22 00:00:00"));
  CHECK(bucket_is(TEXT("week"), t, "2024-11-18", "2024-11-25")); /* a Monday */
  CHECK(bucket_is(TEXT("1 weeks"), "2024-11-24T23:59:59Z", "2024-11-18", "2024-11-25"));
  CHECK(bucket_is(TEXT("week"), "2024-11-25", "2024-11-25", "2024-12-02"));
  CHECK(bucket_is(TEXT("week"), "1970-01-01", "1969-12-29", "1970-01-05"));
  CHECK(bucket_is(TEXT("7 days"), t, "2024-11-21", "2024-11-28")); /* from the epoch, a Thursday */
  CHECK(bucket_is(TEXT("month"), t, "2024-11-01", "2024-12-01"));
  CHECK(bucket_is(TEXT("month"), "2024-12-31T23:59:59Z", "2024-12-01", "2025-01-01"));
  CHECK(bucket_is(TEXT("month"), "1970-01-01", "1970-01-01", "1970-02-01"));
  CHECK(bucket_is(TEXT("3 months"), t, "2024-10-01", "2025-01-01"));
  CHECK(bucket_is(TEXT("year"), t, "2024-01-01", "2025-01-01"));
  CHECK(bucket_is(TEXT("10 years"), t, "2020-01-01", "2030-01-01"));
  CHECK(bucket_is(TEXT("292 years"), t, "1970-01-01", "2262-01-01"));
  CHECK(bucket_is(REAL(0.000001), "1970-01-01", "1970-01-01 00:00:00.000000",
                  "1970-01-01 00:00:00.000001"));
  CHECK(mpg_bucket_parse(&none, &b, &err) == MPG_OK && !mpg_bucket_is_set(&b));
}

/* Buckets by clocks that are not at UTC: their labels are what those clocks show. */
static void local_buckets(void) {
  const char *t = "2024-11-21T06:47:31.75Z";
  CHECK(bucket_is(TEXT("quarter"), t, "2024-10-01", "2025-01-01"));
  CHECK(bucket_is(TEXT("2 Quarters"), t, "2024-07-01", "2025-01-01"));
  CHECK(bucket_is(TEXT("day Z"), t, "2024-11-21", "2024-11-22"));
  CHECK(bucket_is(TEXT("1 day +02:00"), "2024-11-20T21:59:59Z", "2024-11-20", "2024-11-21"));
  CHECK(bucket_is(TEXT("1 day +02:00"), "2024-11-20T22:00:00Z", "2024-11-21", "2024-11-22"));
  CHECK(bucket_is(TEXT("day -0800"), t, "2024-11-20", "2024-11-21"));
  CHECK(bucket_is(TEXT("hour +0530"), t, "2024-11-21 12:00:00", "2024-11-21 13:00:00"));
  CHECK(bucket_is(TEXT("3600 -03:30"), t, "2024-11-21 03:00:00", "2024-11-21 04:00:00"));
  CHECK(bucket_is(TEXT("week -11"), "2024-11-18T10:59:59Z", "2024-11-11", "2024-11-18"));
  CHECK(bucket_is(TEXT("week -11"), "2024-11-18T11:00:00Z", "2024-11-18", "2024-11-25"));
  CHECK(bucket_is(TEXT("month +14"), "2024-11-30T10:00:00Z", "2024-12-01", "2025-01-01"));
  CHECK(bucket_is(TEXT("year -05"), "2025-01-01T04:59:59Z", "2024-01-01", "2025-01-01"));
  CHECK(bucket_is(TEXT("day -05"), "1970-01-01", "1969-12-31", "1970-01-01"));
  CHECK(bucket_is(TEXT("month -05"), "1970-01-01", "1969-12-01", "1970-01-01"));
  CHECK(bucket_is(TEXT("2 years -05"), "1970-01-01", "1968-01-01", "1970-01-01"));
  CHECK(bucket_is(TEXT("6 hours -05"), "1970-01-01", "1969-12-31 18:00:00", "1970-01-01 00:00:00"));
}

/* Up to MPG_TIME_MAX, 9,214,646,400 s: by each unit the widest, and one millionth more. */
static void widths(void) {
  static const struct {
    const char *widest, *wider;
    int64_t us;
  } ends[] = {{"9214646400", "9214646400.000001", MPG_TIME_MAX},
              {"9214646400 seconds", "9214646400.000001 seconds", MPG_TIME_MAX},
              {"153577440 minutes", "153577440.000001 minutes", MPG_TIME_MAX},
              {"2559624 hours", "2559624.000001 hours", MPG_TIME_MAX},
              {"106651 days", "106651.000001 days", MPG_TIME_MAX},
              /* 15235 6/7 weeks */
              {"15235.857142 weeks", "15235.857143 weeks", 15235857142 * 604800}};
  const int64_t monday = -3 * 86400 * MPG_SECOND, hour = 3600 * MPG_SECOND;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    char quoted[64];
    CHECK(width_is(TEXT(ends[i].widest), ends[i].us, strstr(ends[i].widest, "week") ? monday : 0, 0,
                   0));
    (void)snprintf(quoted, sizeof quoted, "\"%s\"", ends[i].wider);
    CHECK(width_refused(TEXT(ends[i].wider), quoted));
  }
  CHECK(width_is(INT(9214646400), MPG_TIME_MAX, 0, 0, 0) &&
        width_refused(INT(9214646401), "9214646401"));
  CHECK(width_is(REAL(9214646400), MPG_TIME_MAX, 0, 0, 0) &&
        width_refused(REAL(9214646401), "9214646401.0"));
  CHECK(width_is(INT(1), MPG_SECOND, 0, 0, 0) && width_is(TEXT("0.000001"), 1, 0, 0, 0));
  CHECK(width_is((mpg_value){.type = MPG_NULL}, 0, 0, 0, 0));
  CHECK(width_is(TEXT("month"), 0, 0, 1, 0) && width_is(TEXT("1 month"), 0, 0, 1, 0));
  CHECK(width_is(TEXT("quarter"), 0, 0, 3, 0) && width_is(TEXT("7 years"), 0, 0, 84, 0));
  CHECK(width_is(TEXT("3504 months"), 0, 0, 3504, 0) &&
        width_refused(TEXT("3505 months"), "\"3505 months\""));
  CHECK(width_is(TEXT("1168 quarters"), 0, 0, 3504, 0) &&
        width_refused(TEXT("1169 quarters"), "\"1169 quarters\""));
  CHECK(width_is(TEXT("year -05"), 0, 0, 12, -5 * hour));
  CHECK(width_is(TEXT("week +14:00"), 7 * 24 * hour, monday, 0, 14 * hour) &&
        width_refused(TEXT("week  +14:00"), "\"week  +14:00\""));
}

/* Of every day up to 2262, at both its ends, beside the C library's. */
static void iso_weeks(void) {
  int wrong = 0;
  for (int64_t us = 0; us < MPG_TIME_MAX; us += 86400 * MPG_SECOND)
    for (int end = 0; end < 2; end++) {
      time_t at = (time_t)(us / MPG_SECOND) + (end ? 86399 : 0);
      char text[MPG_ISO_WEEK_TEXT], out[MPG_ISO_WEEK_TEXT];
      struct tm tm;
      (void)gmtime_r(&at, &tm);
      (void)strftime(text, sizeof text, "%G-W%V", &tm);
      wrong +=
          mpg_iso_week(us + (end ? 86400 * MPG_SECOND - 1 : 0), out) != 8 || strcmp(out, text) != 0;
    }
  CHECK(wrong == 0);
}

static void bad_buckets(void) {
  static const char *const texts[] = {
      "",          "0",          "-5",         "hours ago",   "1 fortnight", "0 days",
      "-1 day",    " day",       "day ",       "1day",        "1.5 months",  "0 months",
      "293 years", "1e30",       "1 ",         "s",           "x days",      "3600 ",
      "0.0000001", "9300000000", "1 days s",   "107000 days", "+02",         " +02",
      "day +2",    "day +24:00", "day +02:60", "day  ",       "day 02",      "day+02"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char quoted[64];
    (void)snprintf(quoted, sizeof quoted, "\"%s\"", texts[i]);
    if (!width_refused(TEXT(texts[i]), quoted))
      (void)fprintf(stderr, "  not refused: %s\n", quoted);
    CHECK(width_refused(TEXT(texts[i]), quoted));
  }
  CHECK(width_refused(INT(0), "0"));
  CHECK(width_refused(INT(-1), "-1"));
  CHECK(width_refused(INT(INT64_MAX), "9223372036854775807"));
  CHECK(width_refused(REAL(0.0), "0.0"));
  CHECK(width_refused(REAL(-2.5), "-2.5"));
  CHECK(width_refused(REAL(NAN), "nan"));
  CHECK(width_refused(REAL(1e18), "1e+18"));
}

/* Buckets of every kind of width tile time: each time lies in one, and starts are fixed points. */
static void tiling(void) {
  static const char *const widths[] = {"0.25",     "7",         "hour",         "day",
                                       "week",     "2 weeks",   "month",        "5 months",
                                       "year",     "4 years",   "day -23:59",   "7 +00:01",
                                       "week -08", "month +14", "quarter -0530"};
  uint64_t state = 7;
  int wrong = 0;
  for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
    mpg_value v = TEXT(widths[w]);
    mpg_bucket b;
    mpg_err err;
    CHECK(mpg_bucket_parse(&v, &b, &err) == MPG_OK);
    for (int i = 0; i < 5000; i++) {
      int64_t us = (int64_t)(random_next(&state) % (uint64_t)MPG_TIME_MAX);
      int64_t start = mpg_bucket_start(&b, us), next = mpg_bucket_next(&b, start);
      wrong += start > us || next <= us || mpg_bucket_start(&b, next) != next ||
               mpg_bucket_start(&b, next - 1) != start ||
               (start >= 0 && mpg_bucket_start(&b, start) != start);
    }
  }
  CHECK(wrong == 0);
}

int main(void) {
  calendar();
  numbers();
  values();
  iso();
  not_times();
  against_libc();
  formatting();
  buckets();
  local_buckets();
  widths();
  iso_weeks();
  bad_buckets();
  tiling();
  return check_done("time");
}
