/* pbs.c - see pbs.h. */
#include "pbs.h"
#include "../../read/input/place.h"
#include "pbs_value.h"
#include "../../read/input/simd.h"
#include "../../base/number.h"
#include "../../base/text.h"
#include "../../base/time.h"

#include <stdio.h>
#include <string.h>

#define DATE_BYTES 19 /* MM/DD/YYYY HH:MM:SS */
#define BYTES_BETWEEN_POLLS ((size_t)1 << 18)
#define BUCKETS 128 /* of keys: few are in one */
#define DAY 86400
#define QUARTER 900 /* seconds: every zone's offset is a multiple of it */
#define LATE 5      /* seconds, at most, from an event to its record */
#define EXAMPLE "03/31/2025 10:59:15;Q;123.server;user=..."

typedef struct field {
  const char *key;
  size_t n;
  mpg_pbs_type type;
} field;

#define FIELD(name, key, type) {key, sizeof(key) - 1, MPG_PBS_##type},
static const field fields[] = {MPG_PBS_FIELDS(FIELD)};

struct mpg_pbs {
  const mpg_env *env;
  mpg_lines *lines;
  const char *path;
  const mpg_zone *zone;
  mpg_issues *issues;
  /* Fields by what bucket_of() says of their keys: one more than the first, and than the next
  ** one. */
  uint8_t first[BUCKETS], next[MPG_PBS_COUNT_OF_FIELDS];
  bool any; /* there was a record */
  mpg_str line;
  int64_t number; /* of the line */
  int64_t time;
  bool repeated;  /* the clock showed it twice, and nothing says which of the two is meant: */
  int64_t second; /* this one is not taken */
  int64_t before; /* the time of the record before */
  mpg_str id, text;
  mpg_value values[MPG_PBS_COUNT_OF_FIELDS];
  mpg_str written[MPG_PBS_COUNT_OF_FIELDS]; /* of those that are not MPG_NULL */
  bool has[MPG_PBS_COUNT_OF_FIELDS];
  mpg_pbs_pair *others;
  size_t n_others, cap_others;
  /* Of the line at hand: no text in quotes of this kind that begins here or later has an end. */
  size_t open_from[2];
  size_t poll_at;    /* from here on of the line `poller` is asked, */
  mpg_poller poller; /* and what is read does not count where it says to stop */
};

static size_t bucket_of(mpg_str key) {
  const unsigned char *p = (const unsigned char *)key.p;
  return (3 * key.n + 5 * (size_t)p[0] + 7 * (size_t)p[key.n / 2] + p[key.n - 1]) % BUCKETS;
}

mpg_rc mpg_pbs_open(mpg_pbs **out, const mpg_env *env, mpg_stream *stream, const mpg_zone *zone,
                    mpg_issues *issues, mpg_err *err) {
  mpg_pbs *p = mpg_calloc(env, sizeof *p);
  mpg_rc rc;
  if (p == NULL)
    return mpg_fail_nomem(err);
  p->env = p->poller.env = env;
  p->path = mpg_stream_path(stream);
  p->zone = zone;
  p->issues = issues;
  for (size_t i = 0; i < MPG_PBS_COUNT_OF_FIELDS; i++) {
    uint8_t *first = &p->first[bucket_of((mpg_str){fields[i].key, fields[i].n})];
    p->next[i] = *first;
    *first = (uint8_t)(i + 1);
  }
  rc = mpg_lines_open(&p->lines, env, stream, err);
  if (rc == MPG_OK)
    *out = p;
  else
    mpg_pbs_close(p);
  return rc;
}

void mpg_pbs_close(mpg_pbs *p) {
  if (p == NULL)
    return;
  mpg_lines_close(p->lines);
  mpg_free(p->env, p->others);
  mpg_free(p->env, p);
}

/* ---- Errors ---- */

/* `found` is part of the line. */
static mpg_rc malformed(const mpg_pbs *p, const char *expected, mpg_str found, mpg_err *err) {
  mpg_place at = mpg_place_in_line(p->path, mpg_pbs_line(p), p->line.p, found.p);
  return mpg_expected_text(err, at, expected, found);
}

/* A line that is nothing of the kind: what it looks like instead. */
static mpg_rc no_record(const mpg_pbs *p, mpg_err *err) {
  char text[MPG_EXCERPT];
  bool sacct = p->line.n > 6 && memcmp(p->line.p, "JobID", 5) == 0;
  mpg_text_excerpt(p->line, text);
  return mpg_fail(err, MPG_DATA,
                  "%s:%lld:1: expected a PBS accounting record such as " EXAMPLE ", found \"%s\"%s",
                  p->path, (long long)mpg_pbs_line(p), text,
                  sacct ? " (a header of sacct: read it with slurm_trace)" : "");
}

static mpg_rc add_issue(const mpg_pbs *p, mpg_severity severity, const char *kind,
                        const char *detail, mpg_err *err) {
  if (p->issues != NULL && mpg_issues_add(p->issues, severity, p->path, kind, mpg_pbs_line(p), 1,
                                          "%s", detail) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

/* ---- The head of a record ---- */

/* `n` digits at `at` of the line. */
static bool read_digits(const mpg_pbs *p, size_t at, size_t n, int *out) {
  *out = 0;
  for (size_t i = at; i < at + n; i++) {
    if (p->line.p[i] < '0' || p->line.p[i] > '9')
      return false;
    *out = *out * 10 + (p->line.p[i] - '0');
  }
  return true;
}

/* Whether the line begins with a date, a record type and an id; takes them in. */
static bool read_line_start(mpg_pbs *p, int64_t *local, bool *real_date) {
  static const char marks[] = "../../.... ..:..:..;.;"; /* "." stands for any byte */
  const char *end;
  int month, day, year, hour, minute, second, last;
  if (p->line.n < sizeof marks - 1)
    return false;
  for (size_t i = 0; i < sizeof marks - 1; i++)
    if (marks[i] != '.' && p->line.p[i] != marks[i])
      return false;
  if (!read_digits(p, 0, 2, &month) || !read_digits(p, 3, 2, &day) ||
      !read_digits(p, 6, 4, &year) || !read_digits(p, 11, 2, &hour) ||
      !read_digits(p, 14, 2, &minute) || !read_digits(p, 17, 2, &second))
    return false;
  p->id.p = p->line.p + sizeof marks - 1;
  end = memchr(p->id.p, ';', p->line.n - (sizeof marks - 1));
  if (end == NULL)
    return false;
  p->id.n = (size_t)(end - p->id.p);
  last = month == 2 ? 28 + (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0))
                    : 30 + ((month + (month > 7)) & 1);
  *real_date = month >= 1 && month <= 12 && day >= 1 && day <= last && year >= 1970 &&
               year < 2262 && hour < 24 && minute < 60 && second <= 60;
  if (*real_date)
    *local = mpg_days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
  return true;
}

static mpg_rc read_head(mpg_pbs *p, mpg_err *err) {
  int64_t local = 0;
  bool real_date = false;
  mpg_zone_fit fit = MPG_ZONE_UNIQUE;
  mpg_rc rc = MPG_OK;
  if (!read_line_start(p, &local, &real_date))
    return no_record(p, err);
  if (!real_date)
    return malformed(p, "a date and time as MM/DD/YYYY HH:MM:SS", (mpg_str){p->line.p, DATE_BYTES},
                     err);
  p->time = local;
  if (p->zone != NULL)
    fit = mpg_zone_utc(p->zone, local, &p->time);
  p->repeated = fit == MPG_ZONE_REPEATED;
  if (p->repeated) {
    p->second = local - mpg_zone_offset(p->zone, p->time + DAY / 8);
    /* A log is in order: after a record of the first of the two times comes the second. */
    if (p->before > p->time && p->before <= p->second) {
      p->time = p->second;
      p->repeated = false;
    }
  } else if (fit == MPG_ZONE_SKIPPED)
    rc = add_issue(p, MPG_WARNING, "skipped_time",
                   "the clock never showed this time: moved forward; is it the right zone?", err);
  return rc;
}

/* ---- Keys and values ---- */

static bool is_key_byte(char c) {
  unsigned char letter = (unsigned char)((c | 0x20) - 'a'), digit = (unsigned char)(c - '0');
  return letter < 26 || digit < 10 || c == '_' || c == '.' || c == '-';
}

static bool is_other_byte(char c) {
  return c != ' ';
}

static bool is_space(char c) {
  return c == ' ';
}

/* Moves p->look on; false if the host says to stop. */
static bool move_poll_point(mpg_pbs *p) {
  p->poll_at =
      p->line.n - p->poll_at > BYTES_BETWEEN_POLLS ? p->poll_at + BYTES_BETWEEN_POLLS : p->line.n;
  return !mpg_poller_stop(&p->poller, BYTES_BETWEEN_POLLS);
}

/* The position after the bytes of a kind at `at`. Not if the host says to stop: see p->poller. */
static inline size_t end_of_kind(mpg_pbs *p, size_t at, bool (*is)(char)) {
  const char *line = p->line.p;
  do {
    const size_t poll_at = p->poll_at;
    while (at < poll_at && is(line[at]))
      at++;
  } while (at >= p->poll_at && p->poll_at < p->line.n && move_poll_point(p));
  return at;
}

/* The same of what most bytes are, 16 at a time as far as there are so many. */
#ifdef MPG_SSE2
static inline uint64_t key_bytes(__m128i v) {
  const __m128i letter = _mm_sub_epi8(_mm_or_si128(v, _mm_set1_epi8(0x20)), _mm_set1_epi8('a')),
                digit = _mm_sub_epi8(v, _mm_set1_epi8('0'));
  __m128i is = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(25)), letter),
                            _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit));
  is = _mm_or_si128(is, _mm_cmpeq_epi8(v, _mm_set1_epi8('_')));
  is = _mm_or_si128(is, _mm_cmpeq_epi8(v, _mm_set1_epi8('.')));
  return mpg_bits_16(_mm_or_si128(is, _mm_cmpeq_epi8(v, _mm_set1_epi8('-'))));
}

static inline uint64_t other_bytes(__m128i v) {
  return ~mpg_bits_16(_mm_cmpeq_epi8(v, _mm_set1_epi8(' '))) & 0xffff;
}

#define WIDE(p, at, bits_of)                                                                       \
  for (; (at) < (p)->poll_at && (p)->poll_at - (at) >= 16; (at) += 16) {                           \
    const char *bytes = (p)->line.p + (at);                                                        \
    uint64_t end = bits_of(_mm_loadu_si128((const __m128i *)(const void *)bytes)) ^ 0xffff;        \
    if (end != 0)                                                                                  \
      return (at) + (size_t)__builtin_ctzll(end);                                                  \
  }
#else
#define WIDE(p, at, bits_of)
#endif

static inline size_t after_key(mpg_pbs *p, size_t at) {
  WIDE(p, at, key_bytes)
  return end_of_kind(p, at, is_key_byte);
}

static inline size_t after_word(mpg_pbs *p, size_t at) {
  WIDE(p, at, other_bytes)
  return end_of_kind(p, at, is_other_byte);
}

/* One, nearly always. */
static inline size_t after_spaces(mpg_pbs *p, size_t at) {
  const mpg_str line = p->line;
  at += at < line.n && line.p[at] == ' ';
  return at < line.n && line.p[at] == ' ' ? end_of_kind(p, at, is_space) : at;
}

/* Whether "key=" stands at `at`; its length without the "=". */
static bool key_at(mpg_pbs *p, size_t at, size_t *n) {
  const mpg_str line = p->line;
  const size_t i = after_key(p, at);
  *n = i - at;
  return i > at && i < line.n && line.p[i] == '=' &&
         ((line.p[at] | 0x20) >= 'a' && (line.p[at] | 0x20) <= 'z');
}

/* Where the text that begins with the quote at `at` ends: at a quote before the next key or the
** end; 0: it does not. */
static size_t closing_quote(mpg_pbs *p, size_t at) {
  const mpg_str line = p->line;
  const char *quote, *from = line.p + at + 1, *end = line.p + line.n;
  size_t *open_from = &p->open_from[line.p[at] == '"'];
  if (at >= *open_from)
    return 0;
  while (from < end && (quote = memchr(from, line.p[at], (size_t)(end - from))) != NULL) {
    if (quote + 1 == end || quote[1] == ' ') {
      size_t next = after_spaces(p, (size_t)(quote - line.p) + 1), n;
      if (next == line.n || key_at(p, next, &n))
        return (size_t)(quote - line.p);
    }
    if (mpg_poller_stop(&p->poller, (size_t)(quote - from) + 1))
      return 0;
    from = quote + 1;
  }
  *open_from = at;
  return 0;
}

/* Behind the value at `at`: a quoted one up to its closing quote; another one up to the space
** before the next key, whose length is *next; 0: it was not searched for. */
static size_t value_end(mpg_pbs *p, size_t at, mpg_str *value, size_t *next) {
  const mpg_str line = p->line;
  size_t end = at;
  *next = 0;
  if (at < line.n && (line.p[at] == '"' || line.p[at] == '\'')) {
    size_t close = closing_quote(p, at);
    if (close > 0) {
      *value = (mpg_str){line.p + at + 1, close - at - 1};
      return close + 1;
    }
  }
  do {
    end = after_word(p, end);
    at = after_spaces(p, end);
    if (at == line.n || key_at(p, at, next))
      break;
    *next = 0;
    end = at;
  } while (!p->poller.stopped);
  value->n = (size_t)(line.p + end - value->p);
  return end;
}

/* Most numbers have a few digits; after the line there is the window's slack. */
static inline bool whole_number(mpg_str s, int64_t *out) {
  uint64_t v;
  if (!mpg_digits_parse(s.p, s.n, &v))
    return mpg_int_parse(s, out);
  *out = (int64_t)v;
  return true;
}

static mpg_rc decode_field(const mpg_pbs *p, const field *f, mpg_str s, mpg_value *out,
                           mpg_err *err) {
  char expected[96];
  const char *what = "";
  bool good = true;
  if (s.n == 0)
    return MPG_OK;
  switch (f->type) {
  case MPG_PBS_TEXT:
    out->s = s;
    break;
  case MPG_PBS_COUNT:
    good = whole_number(s, &out->i);
    what = "a whole number";
    break;
  case MPG_PBS_AMOUNT:
    if (whole_number(s, &out->i))
      mpg_pbs_give_amount(out, (double)out->i);
    else if (mpg_scaled_parse(s, 6, &out->i))
      mpg_pbs_give_amount(out, (double)out->i / 1e6);
    return MPG_OK;
  case MPG_PBS_TIME:
    good = whole_number(s, &out->i) && out->i >= 0 && out->i < MPG_TIME_MAX / MPG_SECOND;
    what = "Unix seconds";
    break;
  case MPG_PBS_SECONDS:
    good = mpg_pbs_duration_parse(s, &out->i);
    what = "a duration such as 06:00:00";
    break;
  }
  if (!good) {
    (void)snprintf(expected, sizeof expected, "%s for %s", what, f->key);
    return malformed(p, expected, s, err);
  }
  if (f->type == MPG_PBS_TIME && out->i == 0)
    return MPG_OK;
  out->type = f->type == MPG_PBS_TEXT ? MPG_TEXT : MPG_INT;
  return MPG_OK;
}

static size_t find_field(const mpg_pbs *p, mpg_str key) {
  for (size_t i = p->first[bucket_of(key)]; i > 0; i = p->next[i - 1])
    if (fields[i - 1].n == key.n && memcmp(fields[i - 1].key, key.p, key.n) == 0)
      return i - 1;
  return MPG_PBS_COUNT_OF_FIELDS;
}

/* An amount that is no number: a site may write any text. */
static bool is_none(const mpg_pbs *p, size_t i, mpg_str value) {
  return fields[i].type == MPG_PBS_AMOUNT && value.n > 0 && p->values[i].type == MPG_NULL;
}

static mpg_rc read_keys(mpg_pbs *p, size_t at, mpg_err *err) {
  mpg_str line = p->line;
  size_t from = at, n = 0;
  while (at < line.n && !key_at(p, at, &n) && !p->poller.stopped)
    at = end_of_kind(p, after_word(p, at), is_space);
  p->text = (mpg_str){line.p + from, at - from};
  while (p->text.n > 0 && p->text.p[p->text.n - 1] == ' ')
    p->text.n--;
  while (at < line.n && !p->poller.stopped && (n > 0 || key_at(p, at, &n))) {
    mpg_str key = {line.p + at, n}, value = {line.p + at + n + 1, 0};
    size_t i = find_field(p, key);
    const bool had = i < MPG_PBS_COUNT_OF_FIELDS && p->has[i];
    mpg_rc rc = MPG_OK;
    at = value_end(p, at + n + 1, &value, &n);
    if (p->poller.stopped)
      break;
    if (i < MPG_PBS_COUNT_OF_FIELDS && !had) {
      p->has[i] = true;
      p->written[i] = value;
      rc = decode_field(p, &fields[i], value, &p->values[i], err);
    }
    if (i == MPG_PBS_COUNT_OF_FIELDS || had || is_none(p, i, value)) {
      if (mpg_grow(p->env, &p->others, &p->cap_others, p->n_others + 1, sizeof *p->others) !=
          MPG_OK)
        return mpg_fail_nomem(err);
      p->others[p->n_others++] = (mpg_pbs_pair){key, value};
    }
    if (rc != MPG_OK)
      return rc;
    at = after_spaces(p, at);
  }
  return p->poller.stopped ? mpg_fail(err, MPG_INTERRUPTED, "interrupted") : MPG_OK;
}

/* ---- Records ---- */

/* S is written when the job starts, E and R when it ends. Each has the Unix second of that, and the
** local time of the record: if the log was written in another zone, they differ by an offset of
** zones. Where the clock showed the local time twice, the Unix second says which is meant. */
static mpg_rc check_zone(mpg_pbs *p, mpg_err *err) {
  const char type = mpg_pbs_record_type(p);
  const mpg_value *moment = &p->values[type == 'S' ? MPG_PBS_start : MPG_PBS_end];
  int64_t off;
  const bool has_moment = (type == 'S' || type == 'E' || type == 'R') && moment->type == MPG_INT;
  if (p->repeated && has_moment) {
    const bool first = moment->i <= p->time && p->time - moment->i <= LATE,
               second = moment->i <= p->second && p->second - moment->i <= LATE;
    p->time = second ? p->second : p->time;
    p->repeated = !first && !second;
  }
  p->before = p->time;
  if (p->repeated)
    return add_issue(p, MPG_INFO, "repeated_time",
                     "the clock showed this time twice: the first is taken", err);
  if (!has_moment)
    return MPG_OK;
  off = p->time - moment->i;
  if (off < 0)
    off = LATE - off; /* a remainder of 0 to LATE here too */
  if (off < QUARTER || off > DAY + LATE || off % QUARTER > LATE)
    return MPG_OK;
  return add_issue(
      p, MPG_WARNING, "other_zone",
      "the record's time and the start or end that it tells are a zone's offset apart: is "
      "it the right zone?",
      err);
}

/* Nothing is known of the line at hand. */
static void begin_line(mpg_pbs *p) {
  memset(p->values, 0, sizeof p->values);
  memset(p->has, 0, sizeof p->has);
  p->n_others = 0;
  p->open_from[0] = p->open_from[1] = SIZE_MAX;
  p->poll_at = p->line.n < BYTES_BETWEEN_POLLS ? p->line.n : BYTES_BETWEEN_POLLS;
}

mpg_rc mpg_pbs_next(mpg_pbs *p, mpg_err *err) {
  for (;;) {
    mpg_rc rc = mpg_lines_next(p->lines, &p->line, err);
    p->number = mpg_lines_number(p->lines);
    if (rc != MPG_OK)
      return rc;
    if (p->line.n == 0)
      continue;
    begin_line(p);
    /* The start of a record is checked only if nothing else says what kind of file this is. */
    rc = p->any && !mpg_lines_ended(p->lines) ? MPG_OK : read_head(p, err);
    if (rc == MPG_OK && !mpg_lines_ended(p->lines)) {
      rc = add_issue(p, MPG_WARNING, "unfinished_record",
                     "the last line has no line end: left out as still being written", err);
      return rc == MPG_OK ? MPG_DONE : rc;
    }
    p->any |= rc == MPG_OK;
    if (rc == MPG_OK)
      rc = read_keys(p, (size_t)(p->id.p + p->id.n + 1 - p->line.p), err);
    return rc == MPG_OK ? check_zone(p, err) : rc;
  }
}

mpg_pbs_record mpg_pbs_current(const mpg_pbs *p) {
  return (mpg_pbs_record){p->line, p->number, p->time};
}

mpg_rc mpg_pbs_again(mpg_pbs *p, const mpg_pbs_record *record, mpg_err *err) {
  int64_t local;
  bool real_date;
  p->line = record->line;
  begin_line(p);
  (void)read_line_start(p, &local, &real_date); /* it did before */
  p->number = record->number;
  p->time = record->time;
  return read_keys(p, (size_t)(p->id.p + p->id.n + 1 - p->line.p), err);
}

int64_t mpg_pbs_line(const mpg_pbs *p) {
  return p->number;
}

int64_t mpg_pbs_time(const mpg_pbs *p) {
  return p->time;
}

char mpg_pbs_record_type(const mpg_pbs *p) {
  return p->line.p[DATE_BYTES + 1];
}

mpg_str mpg_pbs_id_text(const mpg_pbs *p) {
  return p->id;
}

mpg_str mpg_pbs_text(const mpg_pbs *p) {
  return p->text;
}

const mpg_value *mpg_pbs_get(const mpg_pbs *p, size_t i) {
  return &p->values[i];
}

mpg_str mpg_pbs_written(const mpg_pbs *p, size_t i) {
  return p->written[i];
}

const mpg_pbs_pair *mpg_pbs_others(const mpg_pbs *p, size_t *n) {
  *n = p->n_others;
  return p->others;
}
