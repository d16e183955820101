/* time_bucket.c - the buckets that time is cut into: see time_bucket.h. */
#include "time_bucket.h"
#include "debug_assert.h"
#include "number.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

#define DAY_US (86400 * MPG_SECOND)

/* Monday 1969-12-29: the start of the ISO week that holds the epoch. */
#define FIRST_MONDAY (-3 * DAY_US)

static const struct unit {
  const char *name;
  int seconds; /* 0: a calendar unit */
  int months;
  int64_t origin_us;
} units[] = {
    {"second", 1, 0, 0},
    {"minute", 60, 0, 0},
    {"hour", 3600, 0, 0},
    {"day", 86400, 0, 0},
    {"week", 604800, 0, FIRST_MONDAY},
    {"month", 0, 1, 0},
    {"quarter", 0, 3, 0},
    {"year", 0, 12, 0},
};

static const struct unit *unit_find(mpg_str name) {
  if (name.n > 1 && (name.p[name.n - 1] == 's' || name.p[name.n - 1] == 'S'))
    name.n--;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (mpg_str_eq_nocase(name, mpg_str_of(units[i].name)))
      return &units[i];
  return NULL;
}

/* Widths past the whole range of times are refused, so that no edge of a bucket overflows. */
static mpg_rc fixed_bucket(int64_t micro_count, const struct unit *unit, mpg_bucket *bucket) {
  if (micro_count <= 0 || micro_count > MPG_TIME_MAX / unit->seconds)
    return MPG_DATA;
  *bucket = (mpg_bucket){micro_count * unit->seconds, unit->origin_us, 0, 0};
  return MPG_OK;
}

/* Removes the offset from UTC from the end of a width, if it has one. */
static int64_t offset_of(mpg_str *text) {
  int64_t offset = 0;
  for (size_t i = text->n; i > 1; i--)
    if (text->p[i - 1] == ' ') {
      if (mpg_offset_parse((mpg_str){text->p + i, text->n - i}, &offset))
        text->n = i - 1;
      break;
    }
  return offset;
}

static mpg_rc width_parse(mpg_str text, mpg_bucket *bucket) {
  const struct unit *unit;
  mpg_str number = {text.p, 0}, name = text;
  int64_t count = 1, micro_count = MPG_SECOND;
  if (mpg_scaled_parse(text, 6, &micro_count))
    return fixed_bucket(micro_count, &units[0], bucket);
  while (number.n < text.n && text.p[number.n] != ' ')
    number.n++;
  if (number.n == 0)
    return MPG_DATA;
  if (number.n == text.n) { /* a unit alone */
    number.n = 0;
  } else {
    name.p += number.n;
    name.n -= number.n;
    while (name.n > 0 && *name.p == ' ') {
      name.p++;
      name.n--;
    }
  }
  unit = unit_find(name);
  if (unit == NULL)
    return MPG_DATA;
  if (unit->months == 0) {
    if (number.n > 0 && !mpg_scaled_parse(number, 6, &micro_count))
      return MPG_DATA;
    return fixed_bucket(micro_count, unit, bucket);
  }
  if (number.n > 0 && !mpg_int_parse(number, &count))
    return MPG_DATA;
  if (count < 1 || count > 292 * 12 / unit->months)
    return MPG_DATA;
  *bucket = (mpg_bucket){0, 0, (int)count * unit->months, 0};
  return MPG_OK;
}

static mpg_rc text_parse(mpg_str text, mpg_bucket *bucket) {
  int64_t ahead = offset_of(&text);
  mpg_rc rc = width_parse(text, bucket);
  if (rc == MPG_OK)
    bucket->ahead_us = ahead;
  return rc;
}

mpg_rc mpg_bucket_parse(const mpg_value *v, mpg_bucket *bucket, mpg_err *err) {
  static const char expected[] =
      "expected a bucket width of up to 292 years as seconds or as \"<n> <unit>\" "
      "(second, minute, hour, day, week, month, quarter, year), an offset such as +02:00 behind "
      "it, "
      "found";
  char found[MPG_EXCERPT];
  int64_t micro_count;
  switch (v->type) {
  case MPG_NULL:
    *bucket = (mpg_bucket){0, 0, 0, 0};
    return MPG_OK;
  case MPG_INT:
    if (v->i > 0 && v->i <= MPG_TIME_MAX / MPG_SECOND)
      return fixed_bucket(v->i * MPG_SECOND, &units[0], bucket);
    (void)mpg_text_int(v->i, found);
    return mpg_fail(err, MPG_DATA, "%s %s", expected, found);
  case MPG_REAL:
    if (mpg_scaled_real(v->r, 6, &micro_count) &&
        fixed_bucket(micro_count, &units[0], bucket) == MPG_OK)
      return MPG_OK;
    (void)mpg_text_real(v->r, found);
    return mpg_fail(err, MPG_DATA, "%s %s", expected, found);
  default:
    if (text_parse(v->s, bucket) == MPG_OK)
      return MPG_OK;
    mpg_text_excerpt(v->s, found);
    return mpg_fail(err, MPG_DATA, "%s \"%s\"", expected, found);
  }
}

/* A day of clocks after UTC may begin before the epoch: hence the floors. */
static int64_t floor_to(int64_t v, int64_t unit) {
  int64_t rest = v % unit;
  return v - (rest < 0 ? rest + unit : rest);
}

static int64_t month_start(int64_t months_since_1970) {
  int64_t year = floor_to(months_since_1970, 12);
  return mpg_days_from_civil(1970 + year / 12, (int)(months_since_1970 - year) + 1, 1) * DAY_US;
}

static int64_t month_of(int64_t us) {
  int64_t year;
  int month, day;
  mpg_civil_from_days(floor_to(us, DAY_US) / DAY_US, &year, &month, &day);
  return (year - 1970) * 12 + month - 1;
}

int64_t mpg_bucket_start(const mpg_bucket *bucket, int64_t us) {
  int64_t local = us + bucket->ahead_us;
  MPG_ASSERT(us >= 0 && mpg_bucket_is_set(bucket));
  if (bucket->months > 0)
    local = month_start(floor_to(month_of(local), bucket->months));
  else
    local = floor_to(local - bucket->origin_us, bucket->width_us) + bucket->origin_us;
  return local - bucket->ahead_us;
}

int64_t mpg_bucket_next(const mpg_bucket *bucket, int64_t start) {
  MPG_ASSERT(mpg_bucket_is_set(bucket));
  if (bucket->months > 0)
    return month_start(month_of(start + bucket->ahead_us) + bucket->months) - bucket->ahead_us;
  return start + bucket->width_us;
}

size_t mpg_bucket_label(const mpg_bucket *bucket, int64_t start, char *out) {
  size_t n = mpg_time_format(start + bucket->ahead_us, out), date = 10, time = 19;
  if (bucket->width_us % DAY_US == 0) { /* whole days, or 0: of the calendar */
    n = date;
  } else {
    out[date] = ' ';
    if (bucket->width_us % MPG_SECOND == 0) {
      n = time;
    } else if (n == time + 1) { /* a whole second among fractions */
      memcpy(out + time, ".000000", 7);
      n = time + 7;
    } else {
      n--; /* the Z */
    }
  }
  out[n] = '\0';
  return n;
}

/* A week belongs to the year that holds its Thursday. */
size_t mpg_iso_week(int64_t us, char out[MPG_ISO_WEEK_TEXT]) {
  int64_t monday = floor_to(us - FIRST_MONDAY, 7 * DAY_US) + FIRST_MONDAY;
  int64_t thursday = monday / DAY_US + 3, year;
  int month, day;
  mpg_civil_from_days(thursday, &year, &month, &day);
  return (size_t)snprintf(out, MPG_ISO_WEEK_TEXT, "%04lld-W%02d", (long long)year,
                          (int)((thursday - mpg_days_from_civil(year, 1, 1)) / 7) + 1);
}
