/* native_json_fast.c - see native_json_fast.h. */
#include "native_json_fast.h"
#include "../../read/parse/json_tokens.h"
#include "../../base/number.h"
#include "../../base/time.h"

#include <string.h>

#define TIME_MAX 40 /* bytes of a time */

/* In the order of the text. */
static void put_number(mpg_native_pattern *t, struct mpg_native_number number) {
  size_t i = t->n_numbers++;
  for (; i > 0 && t->numbers[i - 1].at > number.at; i--)
    t->numbers[i] = t->numbers[i - 1];
  t->numbers[i] = number;
}

void mpg_native_json_fast_learn(mpg_native_json_fast *same, mpg_str record, const mpg_str *values,
                                const mpg_span *span, uint32_t job) {
  static const uint8_t columns[] = {SPANS_START, SPANS_END, SPANS_STEP};
  mpg_native_pattern *t = &same->patterns[same->next];
  if (record.n > sizeof t->text)
    return;
  memcpy(t->text, record.p, record.n);
  t->n = (uint16_t)record.n;
  t->n_numbers = 0;
  for (size_t i = 0; i < sizeof columns; i++) {
    mpg_str v = values[columns[i]];
    if (v.n > 0)
      put_number(t, (struct mpg_native_number){.at = (uint16_t)(v.p - record.p),
                                               .n = (uint16_t)v.n,
                                               .quoted = v.p[-1] == '"',
                                               .column = columns[i]});
  }
  t->job = job;
  t->span = *span;
  same->last = same->next;
  same->next = (same->next + 1) % MPG_NATIVE_JSON_FAST;
  same->n += same->n < MPG_NATIVE_JSON_FAST;
}

/* Digits, perhaps a point and digits: after them, or NULL. */
static const char *plain_number(const char *p, const char *end) {
  const char *first = p, *point;
  while (p < end && (unsigned char)(*p - '0') < 10)
    p++;
  if (p == first || (*first == '0' && p > first + 1))
    return NULL;
  if (p == end || *p != '.')
    return p;
  point = p++;
  while (p < end && (unsigned char)(*p - '0') < 10)
    p++;
  return p == point + 1 ? NULL : p;
}

/* Behind a time, or NULL. What follows it is held against the pattern. */
static inline const char *read_time(const char *p, bool quoted, const char *end, int64_t *out) {
  const char *most = end - p < TIME_MAX ? end : p + TIME_MAX, *after = p + 17;
  if (!quoted && *p != '0' && (p[17] == ',' || p[17] == '}') && mpg_clock_parse(p, out))
    return *out < MPG_TIME_MAX ? after : NULL;
  after = quoted ? mpg_json_plain_end(p, most) : plain_number(p, most);
  if (after == NULL || after == p || !mpg_fleet_time((mpg_str){p, (size_t)(after - p)}, out))
    return NULL;
  return after;
}

static inline const char *read_step(const char *p, int64_t *out) {
  const char *first = p;
  uint64_t v = 0;
  while (p < first + 18 && (unsigned char)(*p - '0') < 10)
    v = v * 10 + (uint64_t)(*p++ - '0');
  *out = (int64_t)v;
  return p == first || (*first == '0' && p > first + 1) ? NULL : p;
}

static inline bool stands_at(const mpg_native_pattern *t, size_t from, size_t to, const char *p,
                             const char *end) {
  return end - p >= (ptrdiff_t)(to - from) && memcmp(p, t->text + from, to - from) == 0;
}

static const char *read_as(const mpg_native_pattern *t, const char *p, const char *end,
                           mpg_span *span) {
  int64_t values[] = {t->span.start, t->span.end, t->span.step};
  size_t at = 0;
  for (size_t i = 0; i < t->n_numbers; i++) {
    const struct mpg_native_number *number = &t->numbers[i];
    if (!stands_at(t, at, number->at, p, end))
      return NULL;
    p += number->at - at;
    at = number->at + (size_t)number->n;
    if (number->column == SPANS_STEP)
      p = read_step(p, &values[2]);
    else
      p = read_time(p, number->quoted, end, &values[number->column == SPANS_END]);
    if (p == NULL)
      return NULL;
  }
  if (!stands_at(t, at, t->n, p, end) || values[1] < values[0])
    return NULL;
  *span = t->span;
  span->start = values[0];
  span->end = values[1];
  span->step = values[2];
  return p + (t->n - at);
}

const char *mpg_native_json_fast_read(mpg_native_json_fast *same, const char *p, const char *end,
                                      mpg_span *span, uint32_t *job) {
  for (size_t i = 0; i < same->n; i++) {
    size_t k = (same->last + i) % same->n;
    const char *after = read_as(&same->patterns[k], p, end, span);
    if (after != NULL) {
      *job = same->patterns[k].job;
      same->last = k;
      return after;
    }
  }
  return NULL;
}
