/* json_fast.c - see json_fast.h. */
#include "json_fast.h"
#include "json_tokens.h"
#include "../input/simd.h"

#include <string.h>

#define LONG_STRING 4096

bool mpg_json_fast_add(mpg_json_fast *fast, mpg_str name) {
  mpg_json_fast_key *k = &fast->keys[fast->n];
  if (fast->n == MPG_JSON_FAST_KEYS || name.n > MPG_JSON_FAST_NAME ||
      mpg_json_plain_end(name.p, name.p + name.n) != name.p + name.n)
    return false;
  memset(k, 0, sizeof *k);
  k->whole[0] = '"';
  if (name.n > 0)
    memcpy(k->whole + 1, name.p, name.n);
  memcpy(k->whole + 1 + name.n, "\":", 2);
  k->n = name.n + 3;
  k->mask = k->n < 16 ? (1u << k->n) - 1 : 0xffff;
  fast->n++;
  return true;
}

/* 16 bytes are readable at p, those of the key up to `end`. */
static inline bool key_is(const char *p, const char *end, const mpg_json_fast_key *k) {
#ifdef MPG_SSE2
  __m128i key = _mm_loadu_si128((const __m128i *)(const void *)k->whole);
  __m128i text = _mm_loadu_si128((const __m128i *)(const void *)p);
  if (((unsigned)mpg_bits_16(_mm_cmpeq_epi8(key, text)) & k->mask) != k->mask)
    return false;
#else
  if (memcmp(p, k->whole, k->n < 16 ? k->n : 16) != 0)
    return false;
#endif
  return k->n <= 16 || ((size_t)(end - p) >= k->n && memcmp(p, k->whole, k->n) == 0);
}

/* The number of the key at p, the i-th of its object; -1: it is none of them. */
static inline int key_at(mpg_json_fast *fast, size_t i, const char *p, const char *end) {
  if (key_is(p, end, &fast->keys[fast->order[i]]))
    return fast->order[i];
  for (size_t k = 0; k < fast->n; k++)
    if (key_is(p, end, &fast->keys[k])) {
      fast->order[i] = (uint8_t)k;
      return (int)k;
    }
  return -1;
}

#ifdef MPG_SSE2
static inline unsigned digits16(const char *p) {
  __m128i v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), _mm_set1_epi8('0'));
  return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(9)), v));
}

/* Digits, perhaps a point and digits, within 31 bytes and before ',' or '}': the position after, or
** NULL if it is anything else. No loop, whose end a processor would have to guess. */
static inline const char *short_number(const char *p) {
  const char *from = p += *p == '-';
  uint32_t others = ~(digits16(p) | digits16(p + 16) << 16); /* which are no digits */
  if (others == 0 || (others & 1) != 0)
    return NULL;
  p += __builtin_ctz(others);
  if (*from == '0' && p > from + 1)
    return NULL;
  if (*p == '.') {
    others &= others - 1;
    if (others == 0 || from + __builtin_ctz(others) == p + 1)
      return NULL;
    p = from + __builtin_ctz(others);
  }
  return *p == ',' || *p == '}' ? p : NULL;
}

/* As mpg_json_plain_end, of what is within 16 bytes; 64 are readable after `end`. */
static inline const char *short_string(const char *p, const char *end) {
  __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
  __m128i found = _mm_or_si128(
      _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))),
      _mm_cmplt_epi8(v, _mm_set1_epi8(' ')));
  unsigned mask = (unsigned)_mm_movemask_epi8(found);
  return mask == 0 ? mpg_json_plain_end(p, end) : p + __builtin_ctz(mask);
}
#else
static inline const char *short_number(const char *p) {
  (void)p;
  return NULL;
}

static inline const char *short_string(const char *p, const char *end) {
  return mpg_json_plain_end(p, end);
}
#endif

/* The quote at the end of a string that from p on has bytes beyond ASCII but no escapes; else NULL.
** NULL for a long string too, for the host would have to be polled. */
static const char *other_string(const char *p, const char *end) {
  mpg_json_scan s = {.end = end - p > LONG_STRING ? p + LONG_STRING : end};
  bool escaped = false;
  p = mpg_json_string(&s, p, &escaped);
  return p == NULL || escaped ? NULL : p - 1;
}

static inline const char *skip_digits(const char *p, const char *end) {
  while (p < end && *p >= '0' && *p <= '9')
    p++;
  return p;
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?, or NULL. */
static inline const char *skip_number(const char *p, const char *end) {
  const char *from = p += *p == '-';
  p = skip_digits(p, end);
  if (p == from || (*from == '0' && p > from + 1))
    return NULL;
  if (p < end && *p == '.') {
    from = ++p;
    p = skip_digits(p, end);
    if (p == from)
      return NULL;
  }
  if (p < end && (*p == 'e' || *p == 'E')) {
    p++;
    p += p < end && (*p == '+' || *p == '-');
    from = p;
    p = skip_digits(p, end);
    if (p == from)
      return NULL;
  }
  return p;
}

static inline const char *read_word(const char *p, const char *end, mpg_json_member *m) {
  static const struct {
    const char *text;
    size_t n;
    mpg_json_kind kind;
  } words[] = {
      {"null", 4, MPG_JSON_NULL}, {"true", 4, MPG_JSON_TRUE}, {"false", 5, MPG_JSON_FALSE}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if ((size_t)(end - p) >= words[i].n && memcmp(p, words[i].text, words[i].n) == 0) {
      m->kind = words[i].kind;
      return p + words[i].n;
    }
  return NULL;
}

/* A value at p < end; after it, or NULL. */
static inline const char *read_value(const char *p, const char *end, mpg_json_member *m) {
  const char *from = p;
  if (*p == '"') {
    p = short_string(++from, end);
    if (p < end && (unsigned char)*p >= 0x80)
      p = other_string(p, end);
    if (p == NULL || p >= end || *p != '"')
      return NULL;
    m->kind = MPG_JSON_STRING;
    m->text = (mpg_str){from, (size_t)(p - from)};
    return p + 1;
  }
  if (*p == '-' || (*p >= '0' && *p <= '9')) {
    m->kind = MPG_JSON_NUMBER;
    p = short_number(p);
    if (p == NULL || p >= end)
      p = skip_number(from, end);
  } else {
    p = read_word(p, end, m);
  }
  if (p != NULL)
    m->text = (mpg_str){from, (size_t)(p - from)};
  return p;
}

const char *mpg_json_fast_object(mpg_json_fast *fast, const char *p, const char *end,
                                 mpg_json_member *members, uint64_t *has) {
  const char *start = p;
  uint64_t found_keys = 0;
  fast->members = 0; /* their order may be changed in vain */
  for (size_t i = 0; i < fast->n; i++) {
    mpg_json_member *m;
    int k;
    p++; /* after '{' or ',' */
    p += p < end && *p == ' ' && i > 0;
    if (p >= end || (k = key_at(fast, i, p, end)) < 0 || (found_keys >> k & 1) != 0)
      return NULL;
    found_keys |= UINT64_C(1) << k;
    m = &members[k];
    m->key_at = (size_t)(p - start);
    p += fast->keys[k].n;
    p += p < end && *p == ' ';
    m->value_at = (size_t)(p - start);
    p = p < end ? read_value(p, end, m) : NULL;
    if (p == NULL || p >= end || (*p != ',' && *p != '}'))
      return NULL;
    if (*p == '}') {
      *has = found_keys;
      fast->members = i + 1;
      return p + 1;
    }
  }
  return NULL;
}

/* ---- Many at a time ---- */

/* Skips a space at p. A text is written in one style, so the branch is well predicted; without a
** branch the processor would wait for the sum. */
static inline const char *after_space(const char *p) {
  if (__builtin_expect(*p == ' ', 0))
    p++;
  return p;
}

#ifdef MPG_SSE2
/* The quote at the end of the string at p: as mpg_json_plain_end, but NULL if another byte ends it.
** The search for the quote does not depend on the bytes before it. */
static inline const char *string_end(const char *p, const char *end) {
  __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
  __m128i odd =
      _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\')), _mm_cmplt_epi8(v, _mm_set1_epi8(' ')));
  unsigned quotes = (unsigned)mpg_bits_16(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
  if (__builtin_expect(quotes == 0, 0)) {
    p = mpg_json_plain_end(p, end);
    return p < end && *p == '"' ? p : NULL;
  }
  if (((unsigned)mpg_bits_16(odd) & (quotes ^ (quotes - 1))) != 0)
    return NULL;
  return p + __builtin_ctz(quotes);
}
#else
static inline const char *string_end(const char *p, const char *end) {
  p = mpg_json_plain_end(p, end);
  return p < end && *p == '"' ? p : NULL;
}
#endif

/* The value at p, of a line that ends with the LF at `end`; after it, or NULL. */
MPG_INLINE const char *line_value(const char *p, const char *end, const char *base,
                                  struct mpg_json_span *out) {
  mpg_json_member ignored;
  const char *from = p;
  if (*p == '"') {
    p = string_end(++from, end);
    if (p == NULL)
      return NULL;
    *out = (struct mpg_json_span){(uint32_t)(from - base), (uint32_t)(p - from)};
    return p + 1;
  }
  if (*p == '-' || (*p >= '0' && *p <= '9')) {
    p = short_number(p);
    if (p == NULL)
      p = skip_number(from, end);
  } else {
    p = read_word(p, end, &ignored);
  }
  *out = (struct mpg_json_span){(uint32_t)(from - base), (uint32_t)(p - from)};
  return p;
}

/* Member i of an object, its comma with it; after it, or NULL. */
MPG_INLINE const char *line_member(const mpg_json_fast_key *k, size_t i, const char *p,
                                   const char *lf, const char *base, struct mpg_json_span *out) {
  if (i > 0 && *p++ != ',')
    return NULL;
  if (i > 0)
    p = after_space(p);
  return key_is(p, lf, k) ? line_value(after_space(p + k->n), lf, base, out) : NULL;
}

static inline bool line_ends(const char *p, const char *lf) {
  if (*p++ != '}')
    return false;
  p += *p == '\r';
  return p == lf;
}

/*
** The object of the line p..lf, if it has the members of the latest common one in the same order.
** No end is checked on the way: nothing that is read contains a line end, so the line's end stops
** it.
*/
static bool read_line(const mpg_json_fast *fast, const char *p, const char *lf, const char *base,
                      struct mpg_json_span *values) {
  if (*p++ != '{')
    return false;
  for (size_t i = 0; i < fast->members; i++)
    if ((p = line_member(&fast->keys[fast->order[i]], i, p, lf, base, &values[i])) == NULL)
      return false;
  return line_ends(p, lf);
}

/* Two lines, the second at q, in turns: a processor works on both at once, while the steps of one
** line wait for each other. */
static bool read_two_lines(const mpg_json_fast *fast, const char *p, const char *p_lf,
                           const char *q, const char *q_lf, const char *base,
                           struct mpg_json_span *values) {
  size_t n = fast->members;
  if (*p++ != '{' || *q++ != '{')
    return false;
  for (size_t i = 0; i < n; i++) {
    const mpg_json_fast_key *k = &fast->keys[fast->order[i]];
    p = line_member(k, i, p, p_lf, base, &values[i]);
    q = line_member(k, i, q, q_lf, base, &values[n + i]);
    if (p == NULL || q == NULL)
      return false;
  }
  return line_ends(p, p_lf) && line_ends(q, q_lf);
}

size_t mpg_json_fast_lines(const mpg_json_fast *fast, mpg_json_lines *lines, const char *p,
                           size_t n, size_t at) {
  size_t width = fast->members, records = 0, most;
  const char *end = p + n, *from = p + at;
  lines->width = width;
  if (width == 0)
    return 0;
  most = MPG_JSON_LINES_MEMBERS / width;
  while (records < most && from < end) {
    struct mpg_json_span *values = lines->values + records * width;
    const char *lf = memchr(from, '\n', (size_t)(end - from)), *next_lf = NULL;
    if (lf == NULL)
      break;
    if (records + 1 < most && lf + 1 < end)
      next_lf = memchr(lf + 1, '\n', (size_t)(end - lf - 1));
    if (next_lf != NULL && read_two_lines(fast, from, lf, lf + 1, next_lf, p, values)) {
      lines->ends[records++] = (uint32_t)(lf - p);
      lf = next_lf;
    } else if (!read_line(fast, from, lf, p, values)) {
      break;
    }
    lines->ends[records++] = (uint32_t)(lf - p);
    from = lf + 1;
  }
  return records;
}
