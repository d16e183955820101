/* json_usual.c - see json_usual.h. */
#include "json_usual.h"
#include "bits.h"
#include "json_scan.h"

#include <string.h>
#if defined(__SSE2__) && !defined(MPG_NO_SIMD)
#define MPG_JSON_USUAL_SSE2
#include <emmintrin.h>
#endif

bool mpg_json_usual_add(mpg_json_usual *usual, mpg_str name) {
  mpg_json_usual_key *k = &usual->keys[usual->n];
  char mask[16] = {0};
  if (usual->n == MPG_JSON_USUAL_KEYS || name.n > MPG_JSON_USUAL_NAME ||
      mpg_json_plain_end(name.p, name.p + name.n) != name.p + name.n)
    return false;
  memset(k, 0, sizeof *k);
  k->whole[0] = '"';
  if (name.n > 0)
    memcpy(k->whole + 1, name.p, name.n);
  memcpy(k->whole + 1 + name.n, "\":", 2);
  k->n = name.n + 3;
  memset(mask, 0xff, k->n < sizeof mask ? k->n : sizeof mask);
  memcpy(k->text, k->whole, sizeof k->text);
  memcpy(k->mask, mask, sizeof k->mask);
  usual->n++;
  return true;
}

static inline bool key_is(const char *p, const char *end, const mpg_json_usual_key *k) {
  uint64_t v[2];
  memcpy(v, p, sizeof v);
  if ((((v[0] ^ k->text[0]) & k->mask[0]) | ((v[1] ^ k->text[1]) & k->mask[1])) != 0)
    return false;
  return k->n <= 16 || ((size_t)(end - p) >= k->n && memcmp(p, k->whole, k->n) == 0);
}

/* The number of the key at p, where the i-th stands; -1: it is none of them. */
static inline int key_at(mpg_json_usual *usual, size_t i, const char *p, const char *end) {
  if (key_is(p, end, &usual->keys[usual->order[i]]))
    return usual->order[i];
  for (size_t k = 0; k < usual->n; k++)
    if (key_is(p, end, &usual->keys[k])) {
      usual->order[i] = (uint8_t)k;
      return (int)k;
    }
  return -1;
}

#ifdef MPG_JSON_USUAL_SSE2
static inline unsigned digits16(const char *p) {
  __m128i v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), _mm_set1_epi8('0'));
  return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(9)), v));
}

/* Digits, perhaps a point and digits, within 31 bytes and before ',' or '}': the position behind, or
** NULL where it is anything else. No loop, whose end a processor would have to guess. */
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

/* As mpg_json_plain_end, of what is within 16 bytes; 64 are readable behind `end`. */
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

static inline const char *digits(const char *p, const char *end) {
  while (p < end && *p >= '0' && *p <= '9')
    p++;
  return p;
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?, or NULL. */
static inline const char *number(const char *p, const char *end) {
  const char *from = p += *p == '-';
  p = digits(p, end);
  if (p == from || (*from == '0' && p > from + 1))
    return NULL;
  if (p < end && *p == '.') {
    from = ++p;
    p = digits(p, end);
    if (p == from)
      return NULL;
  }
  if (p < end && (*p == 'e' || *p == 'E')) {
    p++;
    p += p < end && (*p == '+' || *p == '-');
    from = p;
    p = digits(p, end);
    if (p == from)
      return NULL;
  }
  return p;
}

static inline const char *word(const char *p, const char *end, mpg_json_member *m) {
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

/* A value at p < end; behind it, or NULL. */
static inline const char *value(const char *p, const char *end, mpg_json_member *m) {
  const char *from = p;
  if (*p == '"') {
    p = short_string(++from, end);
    m->kind = MPG_JSON_STRING;
    m->text = (mpg_str){from, (size_t)(p - from)};
    return p < end && *p == '"' ? p + 1 : NULL;
  }
  if (*p == '-' || (*p >= '0' && *p <= '9')) {
    m->kind = MPG_JSON_NUMBER;
    p = short_number(p);
    if (p == NULL || p >= end)
      p = number(from, end);
  } else {
    p = word(p, end, m);
  }
  if (p != NULL)
    m->text = (mpg_str){from, (size_t)(p - from)};
  return p;
}

const char *mpg_json_usual_object(mpg_json_usual *usual, const char *p, const char *end,
                                  mpg_json_member *members, uint64_t *has) {
  const char *start = p;
  uint64_t seen = 0;
  usual->members = 0; /* their order may be changed in vain */
  for (size_t i = 0; i < usual->n; i++) {
    mpg_json_member *m;
    int k;
    p++; /* behind '{' or ',' */
    p += p < end && *p == ' ' && i > 0;
    if (p >= end || (k = key_at(usual, i, p, end)) < 0 || (seen >> k & 1) != 0)
      return NULL;
    seen |= UINT64_C(1) << k;
    m = &members[k];
    m->key_at = (size_t)(p - start);
    p += usual->keys[k].n;
    p += p < end && *p == ' ';
    m->value_at = (size_t)(p - start);
    p = p < end ? value(p, end, m) : NULL;
    if (p == NULL || p >= end || (*p != ',' && *p != '}'))
      return NULL;
    if (*p == '}') {
      *has = seen;
      usual->members = i + 1;
      return p + 1;
    }
  }
  return NULL;
}

/* ---- Many at a time ---- */

/* Among 64 bytes, as bits. */
typedef struct marks {
  uint64_t quotes, colons, lines;
  uint64_t odd; /* what is not in objects that are usual */
} marks;

#ifdef MPG_JSON_USUAL_SSE2
static inline uint64_t bits_of(__m128i found) {
  return (uint64_t)(unsigned)_mm_movemask_epi8(found);
}

static inline marks look(const char *p) {
  marks m = {0, 0, 0, 0};
#define LOOK(i)                                                                                    \
  do {                                                                                             \
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * (i)));                    \
    __m128i odd = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\')),                             \
                               _mm_cmplt_epi8(v, _mm_set1_epi8(' ')));                             \
    m.quotes |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8('"'))) << (16 * (i));                      \
    m.colons |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8(':'))) << (16 * (i));                      \
    m.lines |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8('\n'))) << (16 * (i));                      \
    m.odd |= bits_of(odd) << (16 * (i));                                                           \
  } while (0)
  LOOK(0);
  LOOK(1);
  LOOK(2);
  LOOK(3);
#undef LOOK
  m.odd &= ~m.lines;
  return m;
}
#else
static marks look(const char *p) {
  marks m = {0, 0, 0, 0};
  for (int i = 0; i < 64; i++) {
    uint64_t bit = UINT64_C(1) << i;
    signed char c = (signed char)p[i];
    m.quotes |= c == '"' ? bit : 0;
    m.colons |= c == ':' ? bit : 0;
    m.lines |= c == '\n' ? bit : 0;
    m.odd |= c == '\\' || (c < ' ' && c != '\n') ? bit : 0;
  }
  return m;
}
#endif

/* The value p[from..to), which ',' or '}' follows, and a space may precede. False where it is none. */
static inline bool take_value(const char *p, size_t from, size_t to, size_t *strings,
                              struct mpg_json_span *out) {
  mpg_json_member ignored;
  from += p[from] == ' ';
  if (from >= to)
    return false;
  if (p[from] == '"') {
    ++*strings;
    *out = (struct mpg_json_span){(uint32_t)from + 1, (uint32_t)(to - from) - 2};
    return to - from >= 2 && p[to - 1] == '"';
  }
  *out = (struct mpg_json_span){(uint32_t)from, (uint32_t)(to - from)};
  if (p[from] == '-' || (p[from] >= '0' && p[from] <= '9'))
    return short_number(p + from) == p + to || number(p + from, p + to) == p + to;
  return word(p + from, p + to, &ignored) == p + to;
}

/*
** The object p[start..end), whose keys end at the colons. Every key is where the one before it, its
** value and a comma leave it, so that nothing is between them; and there are no more quotes than those
** of keys and strings, so that none is within a string.
*/
static inline bool take_line(const mpg_json_usual *usual, const char *p, size_t start, size_t end,
                             const uint32_t *colons, size_t quotes, struct mpg_json_span *values) {
  size_t n = usual->members, strings = 0;
  if (p[start] != '{' || p[end - 1] != '}')
    return false;
  for (size_t i = 0; i < n; i++) {
    const mpg_json_usual_key *k = &usual->keys[usual->order[i]];
    size_t key = colons[i] + (size_t)1 - k->n, to = key - 1;
    if (colons[i] + (size_t)1 < start + 1 + k->n || !key_is(p + key, p + end, k))
      return false;
    if (i == 0 && to != start)
      return false;
    if (i == 0)
      continue;
    to -= p[to] == ' ';
    if (p[to] != ',' || !take_value(p, colons[i - 1] + (size_t)1, to, &strings, &values[i - 1]))
      return false;
  }
  return take_value(p, colons[n - 1] + (size_t)1, end - 1, &strings, &values[n - 1]) &&
         quotes == 2 * (n + strings);
}

size_t mpg_json_usual_lines(const mpg_json_usual *usual, mpg_json_lines *lines, const char *p,
                            size_t n, size_t at) {
  size_t width = usual->members, start = at, records = 0;
  size_t k = 0, k_begun = 0,
         quotes = 0;  /* colons behind keys; those before the open object; its quotes */
  uint64_t after = 0; /* a quote was the last byte of the 64 before */
  lines->width = width;
  if (width == 0)
    return 0;
  for (; at < n && k + 64 <= MPG_JSON_LINES_MEMBERS; at += 64) {
    marks m = look(p + at);
    size_t k_before = k, quotes_before = 0;
    uint64_t ends;
    if (n - at < 64) {
      uint64_t known = (UINT64_C(1) << (n - at)) - 1;
      m.quotes &= known;
      m.colons &= known;
      m.lines &= known;
      m.odd &= known;
    }
    if (m.odd != 0)
      break;
    ends = m.colons & (m.quotes << 1 | after);
    after = m.quotes >> 63;
    k += mpg_bits_put(lines->colons + k, ends, at);
    for (; m.lines != 0; m.lines &= m.lines - 1) {
      uint64_t up_to = m.lines ^ (m.lines - 1);
      size_t end = at + (size_t)__builtin_ctzll(m.lines);
      size_t k_end = k_before + mpg_bits_count(ends & up_to), q = mpg_bits_count(m.quotes & up_to);
      if (k_end - k_begun != width || end == start ||
          !take_line(usual, p, start, end, lines->colons + k_begun, quotes + q - quotes_before,
                     lines->values + records * width))
        return records;
      lines->ends[records++] = (uint32_t)end;
      start = end + 1;
      k_begun = k_end;
      quotes = 0;
      quotes_before = q;
    }
    quotes += mpg_bits_count(m.quotes) - quotes_before;
  }
  return records;
}
