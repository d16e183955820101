/* bucket.c - the buckets that time is cut into: see time.h. */
#include "time.h"
#include "number.h"
#include "text.h"

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
static mpg_rc fixed(int64_t micro_count, const struct unit *unit, mpg_bucket *bucket) {
  if (micro_count <= 0 || micro_count > MPG_TIME_MAX / unit->seconds)
    return MPG_DATA;
  *bucket = (mpg_bucket){micro_count * unit->seconds, unit->origin_us, 0};
  return MPG_OK;
}

static mpg_rc text_parse(mpg_str text, mpg_bucket *bucket) {
  const struct unit *unit;
  mpg_str number = {text.p, 0}, name = text;
  int64_t count = 1, micro_count = MPG_SECOND;
  if (mpg_scaled_parse(text, 6, &micro_count))
    return fixed(micro_count, &units[0], bucket);
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
    return fixed(micro_count, unit, bucket);
  }
  if (number.n > 0 && !mpg_int_parse(number, &count))
    return MPG_DATA;
  if (count < 1 || count > 292 * 12 / unit->months)
    return MPG_DATA;
  *bucket = (mpg_bucket){0, 0, (int)count * unit->months};
  return MPG_OK;
}

mpg_rc mpg_bucket_parse(const mpg_value *v, mpg_bucket *bucket, mpg_err *err) {
  static const char expected[] =
      "expected a bucket width of up to 292 years as seconds or as \"<n> <unit>\" "
      "(second, minute, hour, day, week, month, year), found";
  char found[MPG_EXCERPT];
  int64_t micro_count;
  switch (v->type) {
  case MPG_NULL:
    *bucket = (mpg_bucket){0, 0, 0};
    return MPG_OK;
  case MPG_INT:
    if (v->i > 0 && v->i <= MPG_TIME_MAX / MPG_SECOND)
      return fixed(v->i * MPG_SECOND, &units[0], bucket);
    (void)mpg_text_int(v->i, found);
    return mpg_fail(err, MPG_DATA, "%s %s", expected, found);
  case MPG_REAL:
    if (mpg_scaled_real(v->r, 6, &micro_count) && fixed(micro_count, &units[0], bucket) == MPG_OK)
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

static int64_t month_start(int64_t months_since_1970) {
  return mpg_days_from_civil(1970 + months_since_1970 / 12, (int)(months_since_1970 % 12) + 1, 1) *
         DAY_US;
}

static int64_t month_of(int64_t us) {
  int64_t year;
  int month, day;
  mpg_civil_from_days(us / DAY_US, &year, &month, &day);
  return (year - 1970) * 12 + month - 1;
}

int64_t mpg_bucket_start(const mpg_bucket *bucket, int64_t us) {
  if (bucket->months > 0) {
    int64_t month = month_of(us);
    return month_start(month - month % bucket->months);
  }
  return us - (us - bucket->origin_us) % bucket->width_us;
}

int64_t mpg_bucket_next(const mpg_bucket *bucket, int64_t start) {
  if (bucket->months > 0)
    return month_start(month_of(start) + bucket->months);
  return start + bucket->width_us;
}

size_t mpg_bucket_label(const mpg_bucket *bucket, int64_t start, char *out) {
  size_t n = mpg_time_format(start, out), date = 10, time = 19;
  if (bucket->months > 0 || bucket->width_us % DAY_US == 0) {
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
