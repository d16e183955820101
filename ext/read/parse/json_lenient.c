/*
** json_lenient.c - see json_lenient.h.
**
** Nested values are skipped 64 bytes at a time: which bytes are within strings follows from the
** quotes before them, by a running exclusive or over the mask of quotes, and only the brackets
** outside are looked at one by one. A block that holds a backslash goes byte by byte.
*/
#include "json_lenient.h"
#include "../../base/ascii.h"
#include "../input/simd.h"

#include <string.h>
const char *mpg_json_lenient_space(const char *p, const char *end) {
  while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
    p++;
  return p;
}

static const char *fail(mpg_json_lenient *s, const char *at, const char *expected) {
  s->more = at == s->end;
  s->at = at;
  s->expected = expected;
  return NULL;
}

bool mpg_json_lenient_poll(mpg_json_lenient *s, const char *p) {
  s->look = (size_t)(s->end - p) > MPG_JSON_LENIENT_LOOK ? p + MPG_JSON_LENIENT_LOOK : s->end;
  if (!mpg_poller_stop(s->poller, MPG_JSON_LENIENT_LOOK))
    return false;
  (void)fail(s, p, "no interruption");
  s->more = false;
  return true;
}

/* ---- Nested values ---- */

static const char *skip_bytes(mpg_json_skip *s, const char *p, const char *end) {
  for (; p < end; p++) {
    if (s->in_string) {
      if (s->escaped)
        s->escaped = false;
      else if (*p == '\\')
        s->escaped = true;
      else if (*p == '"')
        s->in_string = false;
    } else if (*p == '"') {
      s->in_string = true;
    } else if (*p == '{' || *p == '[') {
      s->depth++;
    } else if ((*p == '}' || *p == ']') && --s->depth == 0) {
      return p + 1;
    }
  }
  return NULL;
}

#ifdef MPG_SSE2
typedef struct masks {
  uint64_t quotes, brackets;
  __m128i backslashes; /* in any of its bytes: there are some */
} masks;

static inline void masks16(const char *p, int shift, masks *m) {
  __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
  /* With bit 5 set, both kinds of an opening bracket are '{', of a closing one '}'. */
  __m128i folded = _mm_or_si128(v, _mm_set1_epi8(0x20));
  __m128i brackets = _mm_or_si128(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')),
                                  _mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));
  m->brackets |= (uint64_t)(unsigned)_mm_movemask_epi8(brackets) << shift;
  m->quotes |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')))
               << shift;
  m->backslashes = _mm_or_si128(m->backslashes, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
}

/* Bit i: an odd number of bits is set among bits 0 to i. */
static inline uint64_t running_xor(uint64_t m) {
  m ^= m << 1;
  m ^= m << 2;
  m ^= m << 4;
  m ^= m << 8;
  m ^= m << 16;
  return m ^ m << 32;
}
#endif

const char *mpg_json_skip_nested(mpg_json_skip *s, const char *p, const char *end) {
#ifdef MPG_SSE2
  for (; end - p >= 64; p += 64) {
    masks m = {0, 0, _mm_setzero_si128()};
    uint64_t inside;
    masks16(p, 0, &m);
    masks16(p + 16, 16, &m);
    masks16(p + 32, 32, &m);
    masks16(p + 48, 48, &m);
    if (_mm_movemask_epi8(m.backslashes) != 0 || s->escaped) {
      const char *after = skip_bytes(s, p, p + 64);
      if (after != NULL)
        return after;
      continue;
    }
    inside = running_xor(m.quotes) ^ (s->in_string ? UINT64_MAX : 0);
    s->in_string = inside >> 63 != 0;
    for (m.brackets &= ~inside; m.brackets != 0; m.brackets &= m.brackets - 1) {
      int i = __builtin_ctzll(m.brackets);
      if ((p[i] & 4) == 0) { /* '{' and '[', not '}' and ']' */
        s->depth++;
      } else if (--s->depth == 0) {
        s->in_string = false;
        return p + i + 1;
      }
    }
  }
#endif
  return skip_bytes(s, p, end);
}

/* ---- Values and members ---- */

/* The first quote or backslash. */
static inline const char *string_special(const char *p, const char *end) {
#ifdef MPG_SSE2
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  while (end - p >= 16) {
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    unsigned mask = (unsigned)_mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)));
    if (mask != 0)
      return p + __builtin_ctz(mask);
    p += 16;
  }
#endif
  while (p < end && *p != '"' && *p != '\\')
    p++;
  return p;
}

/* From its opening quote on. */
static inline const char *read_string(mpg_json_lenient *s, const char *p, mpg_json_token *out) {
  const char *open = p++;
  out->kind = MPG_JSON_LENIENT_STRING;
  out->escaped = false;
  for (;;) {
    p = string_special(p, s->end);
    if (p == s->end)
      return fail(s, p, "a closing quote");
    if (*p == '"')
      break;
    out->escaped = true;
    if (mpg_json_lenient_stops(s, p))
      return NULL;
    p += 2;
    if (p > s->end)
      return fail(s, s->end, "a closing quote");
  }
  out->text = (mpg_str){open + 1, (size_t)(p - open) - 1};
  return p + 1;
}

static bool is_word(mpg_str text) {
  static const char *const words[] = {"null", "true",     "false",     "NaN", "nan",
                                      "-nan", "Infinity", "-Infinity", "inf", "-inf"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (mpg_str_eq(text, mpg_str_of(words[i])))
      return true;
  return false;
}

/* What may follow a number or a word. */
static inline bool ends_token(char c) {
  return c == ',' || c == '}' || c == ']' || c == '\n' || c == ' ' || c == '\r' || c == '\t';
}

/* The end of a number without an exponent, as nearly all are. NULL: it may be something else. */
static inline const char *plain_number(const char *p, const char *end) {
#ifdef MPG_SSE2
  for (const char *start = p; end - p >= 16; p += 16) {
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    /* '-', '.' and the digits are next to each other, except for '/' among them. */
    __m128i other = _mm_or_si128(
        _mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8('-')), _mm_cmpgt_epi8(v, _mm_set1_epi8('9'))),
        _mm_cmpeq_epi8(v, _mm_set1_epi8('/')));
    unsigned mask = (unsigned)_mm_movemask_epi8(other);
    if (mask != 0) {
      p += __builtin_ctz(mask);
      return p > start && ends_token(*p) ? p : NULL;
    }
  }
#else
  (void)p;
  (void)end;
#endif
  return NULL;
}

static inline const char *read_bare(mpg_json_lenient *s, const char *p, mpg_json_token *out) {
  const char *start = p;
  p = plain_number(start, s->end);
  if (p != NULL) {
    out->kind = MPG_JSON_LENIENT_NUMBER;
    out->escaped = false;
    out->text = (mpg_str){start, (size_t)(p - start)};
    return p;
  }
  p = start;
  while (p < s->end && ((*p >= '0' && *p <= '9') || *p == '.' || *p == '-'))
    p++;
  out->kind = MPG_JSON_LENIENT_NUMBER;
  while (p < s->end && !ends_token(*p)) {
    /* What is left of a number is its exponent. */
    if (p == start || (*p != 'e' && *p != 'E' && *p != '+' && *p != '-' && (*p < '0' || *p > '9')))
      out->kind = MPG_JSON_LENIENT_WORD;
    if (p - start > 64)
      return fail(s, start, "a value");
    p++;
  }
  out->escaped = false;
  out->text = (mpg_str){start, (size_t)(p - start)};
  if (p == s->end) {
    s->more = true;
    s->at = p;
    s->expected = "a value";
    return NULL;
  }
  if (p == start || (out->kind == MPG_JSON_LENIENT_WORD && !is_word(out->text)))
    return fail(s, start, "a value");
  return p;
}

static inline const char *any_value(mpg_json_lenient *s, const char *p, mpg_json_token *value) {
  if (p == s->end)
    return fail(s, p, "a value");
  if (*p == '"')
    return read_string(s, p, value);
  if (*p == '{' || *p == '[') {
    mpg_json_skip skip = {0, false, false};
    const char *start = p, *from, *near;
    do {
      from = p;
      near =
          (size_t)(s->end - from) > MPG_JSON_LENIENT_LOOK ? from + MPG_JSON_LENIENT_LOOK : s->end;
      p = mpg_json_skip_nested(&skip, from, near);
      if (p == NULL && mpg_json_lenient_stops(s, from))
        return NULL;
    } while (p == NULL && (p = near) < s->end);
    if (p == s->end && skip.depth > 0)
      return fail(s, s->end, "a closing bracket");
    value->kind = MPG_JSON_LENIENT_NESTED;
    value->escaped = false;
    value->text = (mpg_str){start, (size_t)(p - start)};
    return p;
  }
  return read_bare(s, p, value);
}

const char *mpg_json_lenient_value(mpg_json_lenient *s, const char *p, mpg_json_token *value) {
  return any_value(s, p, value);
}

/* From its opening quote on: short ones, as nearly all are, without a search. */
static inline const char *member_key(mpg_json_lenient *s, const char *p, mpg_json_token *key) {
  if (s->end - p >= 6 && p[1] != '"' && p[1] != '\\' && p[2] != '"' && p[2] != '\\') {
    int n = p[3] == '"'    ? 2
            : p[3] == '\\' ? 0
            : p[4] == '"'  ? 3
            : p[4] == '\\' ? 0
            : p[5] == '"'  ? 4
                           : 0;
    if (n > 0) {
      key->kind = MPG_JSON_LENIENT_STRING;
      key->escaped = false;
      key->text = (mpg_str){p + 1, (size_t)n};
      return p + n + 2;
    }
  }
  return read_string(s, p, key);
}

static inline const char *skip_space(const char *p, const char *end) {
  if (p < end && *p == ' ')
    p++;
  return p < end && *p <= ' ' ? mpg_json_lenient_space(p, end) : p;
}

const char *mpg_json_lenient_member(mpg_json_lenient *s, const char *p, mpg_json_token *key,
                                    mpg_json_token *value) {
  if (p == s->end || *p != '"')
    return fail(s, p, "a key in double quotes");
  p = member_key(s, p, key);
  if (p == NULL)
    return NULL;
  p = skip_space(p, s->end);
  if (p == s->end || *p != ':')
    return fail(s, p, "':'");
  p = skip_space(p + 1, s->end);
  p = any_value(s, p, value);
  return p == NULL ? NULL : skip_space(p, s->end);
}

/* ---- Text ---- */

static char *put_utf8(char *to, int code) {
  if (code < 0x80) {
    *to++ = (char)code;
  } else if (code < 0x800) {
    *to++ = (char)(0xc0 | code >> 6);
    *to++ = (char)(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    *to++ = (char)(0xe0 | code >> 12);
    *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    *to++ = (char)(0x80 | (code & 0x3f));
  } else {
    *to++ = (char)(0xf0 | code >> 18);
    *to++ = (char)(0x80 | (code >> 12 & 0x3f));
    *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    *to++ = (char)(0x80 | (code & 0x3f));
  }
  return to;
}

/* Skips an escape from its backslash on; NULL: it is none, and the backslash is an ordinary byte.
*/
static const char *unescape_one(const char *p, const char *end, char **to) {
  static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
  const char *name;
  int code, low;
  if (end - p < 2 || p[1] == '\0')
    return NULL;
  name = strchr(names, p[1]);
  if (name != NULL) {
    *(*to)++ = bytes[name - names];
    return p + 2;
  }
  if (p[1] != 'u' || end - p < 6 || (code = mpg_hex4(p + 2)) < 0)
    return NULL;
  p += 6;
  if (code >= 0xd800 && code <= 0xdbff && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
    low = mpg_hex4(p + 2);
    if (low >= 0xdc00 && low <= 0xdfff) {
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      p += 6;
    }
  }
  *to = put_utf8(*to, code >= 0xd800 && code <= 0xdfff ? 0xfffd : code);
  return p;
}

size_t mpg_json_lenient_unescape(char *to, mpg_str raw, mpg_poller *poller) {
  const char *p = raw.p, *end = p + raw.n, *from = p;
  char *start = to;
  while (p < end) {
    const char *after = *p == '\\' ? unescape_one(p, end, &to) : NULL;
    if (after == NULL)
      *to++ = *p++;
    else
      p = after;
    if ((size_t)(p - from) > MPG_JSON_LENIENT_LOOK) {
      if (mpg_poller_stop(poller, MPG_JSON_LENIENT_LOOK))
        break;
      from = p;
    }
  }
  return (size_t)(to - start);
}

#ifdef MPG_SSE2
/* Minus one for each line feed of sixteen bytes. */
static inline __m128i lines16(const char *p) {
  return _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), _mm_set1_epi8('\n'));
}
#endif

int64_t mpg_count_lines(const char *p, const char *end) {
  int64_t n = 0;
#ifdef MPG_SSE2
  const __m128i zero = _mm_setzero_si128();
  while (end - p >= 64) {
    __m128i counts = zero, sums;
    /* A counter holds 255: 63 times four. */
    for (int i = 0; i < 63 && end - p >= 64; i++, p += 64) {
      __m128i a = _mm_add_epi8(lines16(p), lines16(p + 16));
      __m128i b = _mm_add_epi8(lines16(p + 32), lines16(p + 48));
      counts = _mm_sub_epi8(counts, _mm_add_epi8(a, b));
    }
    sums = _mm_sad_epu8(counts, zero);
    n += _mm_cvtsi128_si32(sums) + _mm_cvtsi128_si32(_mm_srli_si128(sums, 8));
  }
#endif
  for (; p < end; p++)
    n += *p == '\n';
  return n;
}

const char *mpg_last_line(const char *p, const char *end) {
  enum { PIECE = 4096 }; /* is searched forwards, which libc does many bytes at a time */
  while (end - p > PIECE && memchr(end - PIECE, '\n', PIECE) == NULL)
    end -= PIECE;
  while (end[-1] != '\n')
    end--;
  return end;
}
