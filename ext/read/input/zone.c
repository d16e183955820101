/*
** zone.c - see zone.h. A zone is a sorted list of transitions and the offsets that they lead to;
** the footer's rule is written out as transitions too, so that one search answers everything.
*/
#include "zone.h"
#include "../../base/ascii.h"

#include "stream.h"
#include "../../base/time.h"
#include "../../base/text.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define LAST_YEAR 2262
#define NAME_LIMIT 255
#define FILE_LIMIT ((size_t)1 << 20)
#define TZIF_HEADER 44
#define DAY INT64_C(86400)

typedef struct transition {
  int64_t at;     /* UTC */
  int64_t offset; /* from then on */
} transition;

struct mpg_zone {
  const mpg_env *env;
  int64_t first; /* offset before the first transition */
  transition *items;
  size_t n, cap;
};

void mpg_zone_free(mpg_zone *zone) {
  if (zone == NULL)
    return;
  mpg_free(zone->env, zone->items);
  mpg_free(zone->env, zone);
}

static mpg_zone *zone_new(const mpg_env *env, int64_t first) {
  mpg_zone *zone = mpg_calloc(env, sizeof *zone);
  if (zone != NULL) {
    zone->env = env;
    zone->first = first;
  }
  return zone;
}

static mpg_rc add_transition(mpg_zone *zone, int64_t at, int64_t offset) {
  if (mpg_grow(zone->env, &zone->items, &zone->cap, zone->n + 1, sizeof *zone->items) != MPG_OK)
    return MPG_NOMEM;
  zone->items[zone->n++] = (transition){at, offset};
  return MPG_OK;
}

/* ---- Looking up ---- */

bool mpg_zone_is_local(mpg_str time) {
  if (time.n < 10 || time.p[4] != '-')
    return false;
  for (size_t i = 10; i < time.n; i++)
    if (time.p[i] == 'Z' || time.p[i] == 'z' || time.p[i] == '+' || time.p[i] == '-')
      return false;
  return true;
}

static int64_t offset_before(const mpg_zone *zone, size_t i) {
  return i == 0 ? zone->first : zone->items[i - 1].offset;
}

int64_t mpg_zone_offset(const mpg_zone *zone, int64_t utc) {
  size_t low = 0, high = zone->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (zone->items[middle].at <= utc)
      low = middle + 1;
    else
      high = middle;
  }
  return offset_before(zone, low);
}

/*
** A local time is before transition i if it is earlier than the clock at i with the greater of the
** two offsets. So a time that the clock shows twice is the first one, and a skipped time moves
** forward.
*/
mpg_zone_fit mpg_zone_utc(const mpg_zone *zone, int64_t local, int64_t *utc) {
  size_t low = 0, high = zone->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int64_t old = offset_before(zone, middle), new = zone->items[middle].offset;
    if (zone->items[middle].at + (old > new ? old : new) <= local)
      low = middle + 1;
    else
      high = middle;
  }
  *utc = local - offset_before(zone, low);
  if (low < zone->n) {
    int64_t old = offset_before(zone, low), new = zone->items[low].offset, at = zone->items[low].at;
    if (local >= at + (old < new ? old : new))
      return old < new ? MPG_ZONE_SKIPPED : MPG_ZONE_REPEATED;
  }
  return MPG_ZONE_UNIQUE;
}

/* ---- The footer: a POSIX TZ rule, "CET-1CEST,M3.5.0,M10.5.0/3" ---- */

typedef struct rule {
  char kind; /* 'J': day 1..365 without 29 February; 'N': day 0..365; 'M': month, week, weekday */
  int day, month, week;
  int64_t time; /* seconds after midnight, may be negative */
} rule;

typedef struct posix_zone {
  int64_t standard, daylight; /* offsets east */
  bool has_daylight;
  rule start, end;
} posix_zone;

static char peek_char(mpg_str s) {
  return s.n == 0 ? '\0' : *s.p;
}

static bool accept_char(mpg_str *s, char c) {
  if (peek_char(*s) != c)
    return false;
  s->p++;
  s->n--;
  return true;
}

static bool read_number(mpg_str *s, int low, int high, int *out) {
  int value = 0;
  bool any = false;
  while (mpg_is_digit(peek_char(*s))) {
    value = value * 10 + (peek_char(*s) - '0');
    if (value > high)
      return false;
    any = true;
    (void)accept_char(s, peek_char(*s));
  }
  *out = value;
  return any && value >= low;
}

/* [+-]hh[:mm[:ss]], up to 167 hours as RFC 8536 allows. */
static bool read_seconds(mpg_str *s, int64_t *out) {
  int hours, minutes = 0, seconds = 0;
  bool negative = accept_char(s, '-');
  if (!negative)
    (void)accept_char(s, '+');
  if (!read_number(s, 0, 167, &hours) ||
      (accept_char(s, ':') && !read_number(s, 0, 59, &minutes)) ||
      (accept_char(s, ':') && !read_number(s, 0, 59, &seconds)))
    return false;
  *out = ((int64_t)hours * 60 + minutes) * 60 + seconds;
  if (negative)
    *out = -*out;
  return true;
}

/* "CET" or "<+0330>". */
static bool read_name(mpg_str *s) {
  size_t n = 0;
  bool quoted = accept_char(s, '<');
  while (quoted ? mpg_is_letter(peek_char(*s)) || mpg_is_digit(peek_char(*s)) ||
                      peek_char(*s) == '+' || peek_char(*s) == '-'
                : mpg_is_letter(peek_char(*s))) {
    (void)accept_char(s, peek_char(*s));
    n++;
  }
  return n >= 3 && (!quoted || accept_char(s, '>'));
}

static bool read_rule(mpg_str *s, rule *r) {
  *r = (rule){'N', 0, 0, 0, 7200};
  if (accept_char(s, 'J')) {
    r->kind = 'J';
    if (!read_number(s, 1, 365, &r->day))
      return false;
  } else if (accept_char(s, 'M')) {
    r->kind = 'M';
    if (!read_number(s, 1, 12, &r->month) || !accept_char(s, '.') ||
        !read_number(s, 1, 5, &r->week) || !accept_char(s, '.') || !read_number(s, 0, 6, &r->day))
      return false;
  } else if (!read_number(s, 0, 365, &r->day)) {
    return false;
  }
  return !accept_char(s, '/') || read_seconds(s, &r->time);
}

/* POSIX counts offsets westward. */
static bool parse_posix(mpg_str s, posix_zone *z) {
  *z = (posix_zone){0};
  if (!read_name(&s) || !read_seconds(&s, &z->standard))
    return false;
  z->standard = -z->standard;
  if (s.n == 0)
    return true;
  z->has_daylight = true;
  z->daylight = z->standard + 3600;
  if (!read_name(&s))
    return false;
  if (peek_char(s) != ',') {
    if (!read_seconds(&s, &z->daylight))
      return false;
    z->daylight = -z->daylight;
  }
  return accept_char(&s, ',') && read_rule(&s, &z->start) && accept_char(&s, ',') &&
         read_rule(&s, &z->end) && s.n == 0;
}

/* Local seconds at which a rule fires in a year. */
static int64_t rule_in_year(const rule *r, int year) {
  int64_t day;
  if (r->kind == 'M') {
    /* 1970-01-01 was a Thursday: weekday = (days + 4) mod 7, Sunday 0. */
    int64_t first = mpg_days_from_civil(year, r->month, 1);
    int64_t next = r->month == 12 ? mpg_days_from_civil(year + 1, 1, 1)
                                  : mpg_days_from_civil(year, r->month + 1, 1);
    int64_t weekday = ((first + 4) % 7 + 7) % 7;
    day = first + (r->day - weekday + 7) % 7 + INT64_C(7) * (r->week - 1);
    if (day >= next)
      day -= 7;
  } else {
    day = mpg_days_from_civil(year, 1, 1) + r->day;
    if (r->kind == 'J')
      day =
          mpg_days_from_civil(year, 1, 1) + r->day - 1 +
          (r->day >= 60 && mpg_days_from_civil(year, 3, 1) - mpg_days_from_civil(year, 1, 1) == 60);
  }
  return day * DAY + r->time;
}

/* Writes the rule out as transitions after the last one listed. */
static mpg_rc add_rule(mpg_zone *zone, const posix_zone *z) {
  int64_t last = zone->n == 0 ? INT64_MIN : zone->items[zone->n - 1].at, year = 1900;
  int month, day;
  if (!z->has_daylight)
    /* A rule without changes speaks from the last transition on, which says the same. */
    return zone->n == 0 ? (zone->first = z->standard, MPG_OK) : MPG_OK;
  if (last >= MPG_TIME_MAX / MPG_SECOND)
    return MPG_OK;
  if (last >= mpg_days_from_civil(1900, 1, 1) * DAY)
    mpg_civil_from_days(last / DAY - (last % DAY < 0), &year, &month, &day);
  /* The year before too: at the turn of a year its last change may still be to come. */
  for (int y = (int)year - 1; y <= LAST_YEAR; y++) {
    transition a = {rule_in_year(&z->start, y) - z->standard, z->daylight};
    transition b = {rule_in_year(&z->end, y) - z->daylight, z->standard};
    if (b.at < a.at) {
      transition swap = a;
      a = b;
      b = swap;
    }
    if ((a.at > last && add_transition(zone, a.at, a.offset) != MPG_OK) ||
        (b.at > last && add_transition(zone, b.at, b.offset) != MPG_OK))
      return MPG_NOMEM;
  }
  return MPG_OK;
}

/* ---- The file ---- */

static int64_t big_endian(const char *p, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++)
    value = value << 8 | (unsigned char)p[i];
  return bytes == 4 ? (int64_t)(int32_t)(uint32_t)value : (int64_t)value;
}

/* Whether RFC 8536 allows such an offset. */
static bool is_offset(int64_t seconds) {
  return seconds > -25 * INT64_C(3600) && seconds < 26 * INT64_C(3600);
}

typedef struct counts {
  size_t isut, isstd, leap, time, type, letters;
} counts;

/* Reads a header; `size` is the length of the data that follows it, of numbers of `width` bytes. */
static bool read_header(mpg_str s, int width, counts *c, size_t *size) {
  size_t *const field[6] = {&c->isut, &c->isstd, &c->leap, &c->time, &c->type, &c->letters};
  if (s.n < TZIF_HEADER || memcmp(s.p, "TZif", 4) != 0)
    return false;
  for (size_t i = 0; i < 6; i++) {
    int64_t value = big_endian(s.p + 20 + 4 * i, 4);
    if (value < 0 || value > (int64_t)FILE_LIMIT)
      return false;
    *field[i] = (size_t)value;
  }
  *size = c->time * (size_t)(width + 1) + c->type * 6 + c->letters + c->leap * (size_t)(width + 4) +
          c->isstd + c->isut;
  return *size <= s.n - TZIF_HEADER;
}

static mpg_rc not_a_zone_file(const char *name, mpg_err *err) {
  return mpg_fail(err, MPG_DATA, "%s: not a time zone file, or a damaged one", name);
}

mpg_rc mpg_zone_load(mpg_zone **out, const mpg_env *env, const char *name, mpg_str bytes,
                     mpg_err *err) {
  counts c;
  size_t size;
  mpg_zone *zone;
  posix_zone footer;
  const char *times, *indexes, *types;
  mpg_str rest;
  if (!read_header(bytes, 4, &c, &size))
    return not_a_zone_file(name, err);
  if (bytes.p[4] < '2')
    return mpg_fail(err, MPG_DATA, "%s: expected a time zone file of version 2 or later", name);
  rest = (mpg_str){bytes.p + TZIF_HEADER + size, bytes.n - TZIF_HEADER - size};
  if (!read_header(rest, 8, &c, &size) || c.type == 0 ||
      !is_offset(big_endian(rest.p + TZIF_HEADER + 9 * c.time, 4)))
    return not_a_zone_file(name, err);
  if (c.leap > 0)
    return mpg_fail(err, MPG_DATA,
                    "%s: expected a time zone without leap seconds, found one with them", name);
  times = rest.p + TZIF_HEADER;
  indexes = times + 8 * c.time;
  types = indexes + c.time;
  rest = (mpg_str){rest.p + TZIF_HEADER + size, rest.n - TZIF_HEADER - size};
  zone = zone_new(env, big_endian(types, 4));
  if (zone == NULL)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < c.time; i++) {
    size_t type = (unsigned char)indexes[i];
    int64_t at = big_endian(times + 8 * i, 8);
    int64_t offset = type < c.type ? big_endian(types + 6 * type, 4) : INT64_MAX;
    if (!is_offset(offset) || at < -(INT64_C(1) << 59) || at > INT64_C(1) << 59 ||
        (zone->n > 0 && at <= zone->items[zone->n - 1].at)) {
      mpg_zone_free(zone);
      return not_a_zone_file(name, err);
    }
    if (add_transition(zone, at, offset) != MPG_OK)
      goto nomem;
  }
  /* The footer is the rule between two newlines; an empty one says nothing. */
  if (!accept_char(&rest, '\n') || memchr(rest.p, '\n', rest.n) == NULL) {
    mpg_zone_free(zone);
    return not_a_zone_file(name, err);
  }
  rest.n = (size_t)((const char *)memchr(rest.p, '\n', rest.n) - rest.p);
  if (rest.n > 0) {
    if (!parse_posix(rest, &footer) || !is_offset(footer.standard) || !is_offset(footer.daylight)) {
      mpg_zone_free(zone);
      return not_a_zone_file(name, err);
    }
    if (add_rule(zone, &footer) != MPG_OK)
      goto nomem;
  }
  *out = zone;
  return MPG_OK;
nomem:
  mpg_zone_free(zone);
  return mpg_fail_nomem(err);
}

static mpg_rc read_file(mpg_zone **out, const mpg_env *env, const char *path, mpg_err *err) {
  mpg_stream *stream = NULL;
  char *bytes = NULL;
  size_t n = 0, cap = 0, got = 0;
  mpg_rc rc = mpg_stream_open(&stream, env, path, err);
  while (rc == MPG_OK) {
    if (n > FILE_LIMIT)
      rc = not_a_zone_file(path, err);
    else if (mpg_grow(env, &bytes, &cap, n + 4096, 1) != MPG_OK)
      rc = mpg_fail_nomem(err);
    else
      rc = mpg_stream_read(stream, bytes + n, cap - n, &got, err);
    if (rc == MPG_OK && got == 0)
      break;
    n += got;
  }
  if (rc == MPG_OK)
    rc = mpg_zone_load(out, env, path, (mpg_str){bytes, n}, err);
  mpg_free(env, bytes);
  mpg_stream_close(stream);
  return rc;
}

/* "+02", "+0200", "-03:30". */
static bool parse_offset(mpg_str s, int64_t *offset) {
  bool negative = peek_char(s) == '-';
  char digit[4] = {'0', '0', '0', '0'};
  size_t n = 0;
  int hours, minutes;
  if (!accept_char(&s, '-') && !accept_char(&s, '+'))
    return false;
  while (s.n > 0 && n < 4) {
    if (n == 2 && accept_char(&s, ':'))
      continue;
    if (!mpg_is_digit(peek_char(s)))
      return false;
    digit[n++] = peek_char(s);
    (void)accept_char(&s, peek_char(s));
  }
  if (s.n > 0 || (n != 2 && n != 4))
    return false;
  hours = (digit[0] - '0') * 10 + digit[1] - '0';
  minutes = (digit[2] - '0') * 10 + digit[3] - '0';
  if (minutes > 59 || hours * 60 + minutes > 24 * 60)
    return false;
  *offset = (int64_t)(hours * 60 + minutes) * 60 * (negative ? -1 : 1);
  return true;
}

/* A relative name of plain parts: nothing that could lead out of the folder. */
static bool is_zone_name(mpg_str name) {
  size_t part = 0;
  if (name.n == 0 || name.n > NAME_LIMIT || !mpg_is_letter(*name.p))
    return false;
  for (size_t i = 0; i < name.n; i++) {
    char c = name.p[i];
    if (c == '/') {
      if (part == 0)
        return false;
      part = 0;
    } else if (mpg_is_letter(c) || mpg_is_digit(c) || c == '_' || c == '+' || c == '-' ||
               (c == '.' && part > 0 && name.p[i - 1] != '.')) {
      part++;
    } else {
      return false;
    }
  }
  return part > 0;
}

static bool is_file(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

mpg_rc mpg_zone_open(mpg_zone **out, const mpg_env *env, mpg_str name, const char *folder,
                     mpg_err *err) {
  int64_t offset = 0;
  char path[4096];
  mpg_rc rc;
  if (mpg_str_eq_nocase(name, MPG_STR("UTC")) || mpg_str_eq_nocase(name, MPG_STR("Z")) ||
      parse_offset(name, &offset)) {
    *out = zone_new(env, offset);
    return *out == NULL ? mpg_fail_nomem(err) : MPG_OK;
  }
  if (!is_zone_name(name) || strlen(folder) + name.n + 2 > sizeof path)
    return mpg_fail(err, MPG_MISUSE,
                    "expected UTC, an offset such as +02:00 or a time zone such as Europe/Berlin, "
                    "found \"%.*s\"",
                    (int)(name.n > 80 ? 80 : name.n), name.p == NULL ? "" : name.p);
  (void)snprintf(path, sizeof path, "%s/%.*s", folder, (int)name.n, name.p);
  rc = read_file(out, env, path, err);
  if (rc == MPG_IO && !is_file(path)) /* else the error says what went wrong with it */
    return mpg_fail(err, MPG_IO, "no time zone \"%.*s\" in %s (is the package tzdata installed?)",
                    (int)name.n, name.p, folder);
  return rc;
}

mpg_rc mpg_zone_given(mpg_zone **out, const mpg_env *env, const mpg_value *argument, mpg_err *err) {
  mpg_str name = argument->type == MPG_NULL ? MPG_STR("UTC") : argument->s;
  mpg_rc rc;
  if (argument->type != MPG_NULL && argument->type != MPG_TEXT)
    return mpg_fail_argument(err, "zone", "UTC, an offset or the name of a time zone", argument);
  rc = mpg_zone_open(out, env, name, MPG_ZONE_FOLDER, err);
  if (rc == MPG_MISUSE || rc == MPG_IO) {
    mpg_err plain = *err;
    rc = mpg_fail(err, rc, "zone: %.900s", plain.text);
  }
  return rc;
}
