/*
** json_tokens.c - tokens and whole values of strict JSON: see json_tokens.h.
*/
#include "json_tokens.h"
#include "../../base/ascii.h"
#include "json_lenient.h"
#include "../input/window.h"
#include "../../base/limits.h"
#include "../../base/sort.h"
#include "../input/simd.h"

#include <string.h>
static const char *fail(mpg_json_scan *s, const char *at, const char *expected) {
  s->rc = MPG_DATA;
  s->at = at;
  s->expected = expected;
  s->found = NULL;
  return NULL;
}

#define BYTES_BETWEEN_POLLS ((size_t)1 << 20)
#define UNESCAPED_BETWEEN_POLLS ((size_t)1 << 18)

static bool poll_host(mpg_json_scan *s, const char *p) {
  bool first = s->look == NULL;
  s->look = (size_t)(s->end - p) > BYTES_BETWEEN_POLLS ? p + BYTES_BETWEEN_POLLS : s->end;
  if (first || p == s->end || !mpg_interrupted(s->env))
    return false;
  s->rc = MPG_INTERRUPTED;
  s->at = p;
  return true;
}

/* Whether the host says to stop; s then has the error. */
static inline bool should_stop(mpg_json_scan *s, const char *p) {
  return p >= s->look && poll_host(s, p);
}

mpg_rc mpg_json_scan_fail(const mpg_json_scan *s, const char *path, int64_t line, int64_t column,
                          const char *end, mpg_err *err) {
  char text[MPG_BYTE_TEXT];
  const char *found = s->found;
  if (s->rc == MPG_NOMEM)
    return mpg_fail_nomem(err);
  if (s->rc == MPG_INTERRUPTED)
    return mpg_fail(err, s->rc, "interrupted");
  if (found == NULL)
    found = s->at == s->end ? end : mpg_byte_text(*s->at, text);
  return mpg_fail(err, s->rc, "%s:%lld:%lld: expected %s, found %s", path, (long long)line,
                  (long long)column, s->expected, found);
}

void mpg_json_move_place(const char *from, const char *to, int64_t *line, int64_t *column) {
  const char *newline = from < to ? memchr(from, '\n', (size_t)(to - from)) : NULL;
  if (newline != NULL) { /* there may be nothing but line ends: they are counted all at once */
    *line += mpg_count_lines(newline, to);
    *column = 1;
    from = mpg_last_line(newline, to);
  }
  *column += to - from;
}

const char *mpg_json_plain_end(const char *p, const char *end) {
#ifdef MPG_SSE2
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'),
                space = _mm_set1_epi8(' ');
  while (end - p >= 16) {
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    /* As signed numbers, bytes above ASCII are below a space too. */
    __m128i found =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)),
                     _mm_cmplt_epi8(v, space));
    unsigned mask = (unsigned)_mm_movemask_epi8(found);
    if (mask != 0)
      return p + __builtin_ctz(mask);
    p += 16;
  }
#endif
  while (p < end && *p != '"' && *p != '\\' && (signed char)*p >= ' ')
    p++;
  return p;
}

/* A sequence of two to four bytes (RFC 3629): no overlong forms, no surrogates, up to U+10FFFF. */
static const char *skip_utf8(mpg_json_scan *s, const char *p) {
  unsigned char lead = (unsigned char)*p++, low = 0x80, high = 0xbf;
  int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  if (lead < 0xc2 || lead > 0xf4)
    return fail(s, p - 1, "UTF-8");
  if (lead == 0xe0)
    low = 0xa0;
  else if (lead == 0xed)
    high = 0x9f;
  else if (lead == 0xf0)
    low = 0x90;
  else if (lead == 0xf4)
    high = 0x8f;
  while (more-- > 0) {
    if (p == s->end || (unsigned char)*p < low || (unsigned char)*p > high)
      return fail(s, p, "a continuation byte of UTF-8");
    p++;
    low = 0x80;
    high = 0xbf;
  }
  return p;
}

static const char *four_digits(mpg_json_scan *s, const char *p) {
  for (int i = 0; i < 4; i++, p++)
    if (p == s->end || mpg_hex_digit(*p) < 0)
      return fail(s, p, "a hexadecimal digit");
  return p;
}

static bool is_escape(char c) {
  switch (c) {
  case '"':
  case '\\':
  case '/':
  case 'b':
  case 'f':
  case 'n':
  case 'r':
  case 't':
  case 'u':
    return true;
  default:
    return false;
  }
}

/* An escape, from its backslash on. */
static const char *skip_escape(mpg_json_scan *s, const char *p) {
  static const char lone[] = "a surrogate pair";
  const char *start = p++;
  unsigned code;
  if (p == s->end || !is_escape(*p))
    return fail(s, p, "one of \"\\/bfnrtu behind a backslash");
  if (*p++ != 'u')
    return p;
  if ((p = four_digits(s, p)) == NULL)
    return NULL;
  code = (unsigned)mpg_hex4(p - 4);
  if (code < 0xd800 || code > 0xdfff)
    return p;
  if (code <= 0xdbff) {
    if (p == s->end || (*p == '\\' && p + 1 == s->end))
      return fail(s, s->end, "the second half of a surrogate pair");
    if (*p == '\\' && p[1] == 'u') {
      if ((p = four_digits(s, p + 2)) == NULL)
        return NULL;
      code = (unsigned)mpg_hex4(p - 4);
      if (code >= 0xdc00 && code <= 0xdfff)
        return p;
    }
  }
  (void)fail(s, start, lone);
  s->found = "a lone surrogate";
  return NULL;
}

const char *mpg_json_string(mpg_json_scan *s, const char *p, bool *escaped) {
  while (p != NULL) {
    p = mpg_json_plain_end(p, s->end);
    if (p == s->end)
      return fail(s, p, "a closing quote");
    if (*p == '"')
      return p + 1;
    if (should_stop(s, p))
      return NULL;
    if (*p == '\\') {
      *escaped = true;
      p = skip_escape(s, p);
    } else if ((unsigned char)*p < 0x20) {
      return fail(s, p, "a closing quote or an escape");
    } else {
      p = skip_utf8(s, p);
    }
  }
  return NULL;
}

size_t mpg_json_unescape(char *to, mpg_str raw, mpg_poller *poller) {
  const char *p = raw.p, *end = p + raw.n, *look = p;
  char *start = to;
  while (p < end) {
    unsigned code;
    if (p >= look) {
      size_t n =
          (size_t)(end - p) < UNESCAPED_BETWEEN_POLLS ? (size_t)(end - p) : UNESCAPED_BETWEEN_POLLS;
      if (mpg_poller_stop(poller, n))
        break;
      look = p + n;
    }
    if (*p != '\\') {
      *to++ = *p++;
      continue;
    }
    p += 2;
    switch (p[-1]) {
    case 'b':
      *to++ = '\b';
      break;
    case 'f':
      *to++ = '\f';
      break;
    case 'n':
      *to++ = '\n';
      break;
    case 'r':
      *to++ = '\r';
      break;
    case 't':
      *to++ = '\t';
      break;
    case 'u':
      code = (unsigned)mpg_hex4(p);
      p += 4;
      if (code >= 0xd800 && code <= 0xdbff) {
        code = 0x10000 + ((code - 0xd800) << 10) + ((unsigned)mpg_hex4(p + 2) - 0xdc00);
        p += 6;
      }
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
      break;
    default: /* a quote, a backslash, a slash */
      *to++ = p[-1];
    }
  }
  return (size_t)(to - start);
}

static const char *skip_digits(mpg_json_scan *s, const char *p) {
  const char *first = p;
  while (p < s->end && *p >= '0' && *p <= '9')
    p++;
  return p > first ? p : fail(s, p, "a digit");
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? */
static const char *skip_number(mpg_json_scan *s, const char *p) {
  if (*p == '-')
    p++;
  if (p < s->end && *p == '0')
    p++;
  else if ((p = skip_digits(s, p)) == NULL)
    return NULL;
  if (p < s->end && *p == '.' && (p = skip_digits(s, p + 1)) == NULL)
    return NULL;
  if (p < s->end && (*p == 'e' || *p == 'E')) {
    p++;
    if (p < s->end && (*p == '+' || *p == '-'))
      p++;
    p = skip_digits(s, p);
  }
  return p;
}

static const char *skip_literal(mpg_json_scan *s, const char *p, const char *word) {
  for (const char *w = word; *w != '\0'; w++, p++)
    if (p == s->end || *p != *w)
      return fail(s, p, word);
  return p;
}

/* NaN, Infinity or -Infinity. */
static const char *nan_or_infinity(mpg_json_scan *s, const char *p, mpg_json_kind *kind) {
  *kind = MPG_JSON_NAN;
  s->nans++;
  return skip_literal(s, p, *p == 'N' ? "NaN" : *p == 'I' ? "Infinity" : "-Infinity");
}

char *mpg_json_without_nan(char *to, mpg_str raw, mpg_poller *poller) {
  static const char null[4] = {'n', 'u', 'l', 'l'};
  const char *p = raw.p, *end = raw.p + raw.n;
  bool string = false;
  while (p < end) {
    const char *from = p;
    if (string)
      p = mpg_json_plain_end(p, end);
    else
      while (p < end && *p != '"' && *p != 'N' && *p != 'I')
        p++;
    if (mpg_poller_stop(poller, (size_t)(p - from) + 1))
      break;
    memcpy(to, from, (size_t)(p - from));
    to += p - from;
    if (p == end)
      break;
    if (*p == '"' || string) {
      string = string != (*p == '"');
      if (*p == '\\')
        *to++ = *p++;
      *to++ = *p++;
    } else {
      to -= p > raw.p && p[-1] == '-';
      memcpy(to, null, sizeof null);
      to += sizeof null;
      p += *p == 'N' ? sizeof "NaN" - 1 : sizeof "Infinity" - 1;
    }
  }
  return to;
}

/* A value that is no container. */
static const char *skip_scalar(mpg_json_scan *s, const char *p, mpg_json_kind *kind) {
  bool escaped;
  if (p == s->end)
    return fail(s, p, "a value");
  switch (*p) {
  case '"':
    *kind = MPG_JSON_STRING;
    return mpg_json_string(s, p + 1, &escaped);
  case 't':
    *kind = MPG_JSON_TRUE;
    return skip_literal(s, p, "true");
  case 'f':
    *kind = MPG_JSON_FALSE;
    return skip_literal(s, p, "false");
  case 'n':
    *kind = MPG_JSON_NULL;
    return skip_literal(s, p, "null");
  default:
    if (s->takes_nan && (*p == 'N' || *p == 'I' || (*p == '-' && p + 1 < s->end && p[1] == 'I')))
      return nan_or_infinity(s, p, kind);
    if (*p != '-' && (*p < '0' || *p > '9'))
      return fail(s, p, "a value");
    *kind = MPG_JSON_NUMBER;
    return skip_number(s, p);
  }
}

/* A key, its colon, and the white space around them: up to the value. */
static const char *key_colon(mpg_json_scan *s, const char *p, const char *expected, mpg_str *key,
                             bool *escaped) {
  const char *open = p;
  if (p == s->end || *p != '"')
    return fail(s, p, expected);
  if ((p = mpg_json_string(s, p + 1, escaped)) == NULL)
    return NULL;
  *key = (mpg_str){open + 1, (size_t)(p - open) - 2};
  p = mpg_json_space(p, s->end);
  if (p == s->end || *p != ':')
    return fail(s, p, "':'");
  return mpg_json_space(p + 1, s->end);
}

static const char a_key[] = "a key in double quotes";
static const char a_first_key[] = "a key in double quotes or '}'";

const char *mpg_json_value(mpg_json_scan *s, const char *p, int depth, mpg_json_kind *kind) {
  uint64_t objects[MPG_JSON_DEPTH / 64] = {0}; /* bit n: level n is an object, and not an array */
  int level = 0;
  bool escaped = false, object = false;
  mpg_json_kind inner;
  mpg_str key;
  *kind = p == s->end || *p != '[' ? MPG_JSON_OBJECT : MPG_JSON_ARRAY;
  for (;;) {
    if (should_stop(s, p))
      return NULL;
    if (p < s->end && (*p == '{' || *p == '[')) {
      if (depth + level >= MPG_JSON_DEPTH) {
        (void)fail(s, p, "values that nest at most 512 deep");
        s->rc = MPG_LIMIT;
        s->found = "a deeper one";
        return NULL;
      }
      object = *p == '{';
      objects[level / 64] &= ~(UINT64_C(1) << level % 64);
      objects[level / 64] |= (uint64_t)object << level % 64;
      level++;
      p = mpg_json_space(p + 1, s->end);
      if (p == s->end || *p != (object ? '}' : ']')) {
        if (object && (p = key_colon(s, p, a_first_key, &key, &escaped)) == NULL)
          return NULL;
        continue;
      }
    } else {
      p = skip_scalar(s, p, level == 0 ? kind : &inner);
      if (p == NULL || level == 0)
        return p;
    }
    /* Behind a value, or at the end of an empty container: closes what ends here. */
    for (;;) {
      p = mpg_json_space(p, s->end);
      object = objects[(level - 1) / 64] >> (level - 1) % 64 & 1;
      if (p == s->end || *p != (object ? '}' : ']'))
        break;
      p++;
      if (--level == 0)
        return p;
    }
    if (p == s->end || *p != ',')
      return fail(s, p, object ? "',' or '}'" : "',' or ']'");
    p = mpg_json_space(p + 1, s->end);
    if (object && (p = key_colon(s, p, a_key, &key, &escaped)) == NULL)
      return NULL;
  }
}

/* Unescapes the strings that have escapes into m->text; the others are not copied. */
static mpg_rc unescape_all(mpg_json_members *m, const mpg_env *env) {
  mpg_poller poller = {env, 0, false};
  size_t need = 0, at = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < m->n; i++) {
      mpg_str *texts[2] = {&m->p[i].key, m->p[i].kind == MPG_JSON_STRING ? &m->p[i].text : NULL};
      if (mpg_poll(env, i))
        return MPG_INTERRUPTED;
      for (int t = 0; t < 2; t++) {
        mpg_str *text = texts[t];
        if (text == NULL || text->n == 0 || memchr(text->p, '\\', text->n) == NULL)
          continue;
        if (pass == 0) {
          need += text->n;
        } else {
          size_t n = mpg_json_unescape(m->text + at, *text, &poller);
          if (poller.stopped)
            return MPG_INTERRUPTED;
          *text = (mpg_str){m->text + at, n};
          at += n;
        }
      }
    }
    if (pass == 0 && mpg_grow(env, &m->text, &m->text_cap, need, 1) != MPG_OK)
      return MPG_NOMEM;
  }
  return MPG_OK;
}

/* By length, then bytes, then place. */
static int by_key(const void *a, const void *b, void *ctx) {
  const mpg_json_member *x = *(const mpg_json_member *const *)a,
                        *y = *(const mpg_json_member *const *)b;
  (void)ctx;
  int order =
      x->key.n != y->key.n ? (x->key.n > y->key.n ? 1 : -1) : memcmp(x->key.p, y->key.p, x->key.n);
  return order != 0 ? order : (x->key_at > y->key_at) - (x->key_at < y->key_at);
}

/* The first member whose key was there before, or NULL. Memory, interruption: see s. */
static const mpg_json_member *find_repeated(mpg_json_members *m, const mpg_env *env,
                                            mpg_json_scan *s) {
  const mpg_json_member *found = NULL;
  uint64_t key_bits = 0;
  if (m->n <= 64) {
    /* Keys that differ in length and ends mostly fall on different bits, and are not compared. */
    for (size_t i = 0; i < m->n; i++) {
      mpg_str key = m->p[i].key;
      size_t ends = key.n == 0 ? 0 : (unsigned char)key.p[0] + 7u * (unsigned char)key.p[key.n - 1];
      uint64_t bit = UINT64_C(1) << (ends + 13 * key.n) % 64;
      for (size_t j = 0; (key_bits & bit) != 0 && j < i; j++)
        if (mpg_str_eq(key, m->p[j].key))
          return &m->p[i];
      key_bits |= bit;
    }
    return NULL;
  }
  if (mpg_grow(env, &m->sorted, &m->sorted_cap, m->n, sizeof *m->sorted) != MPG_OK) {
    s->rc = MPG_NOMEM;
    return NULL;
  }
  for (size_t i = 0; i < m->n; i++)
    m->sorted[i] = &m->p[i];
  s->rc = mpg_sort(env, m->sorted, m->n, sizeof *m->sorted, by_key, NULL);
  for (size_t i = 1; s->rc == MPG_OK && i < m->n; i++)
    if (mpg_str_eq(m->sorted[i]->key, m->sorted[i - 1]->key) &&
        (found == NULL || m->sorted[i]->key_at < found->key_at))
      found = m->sorted[i];
  return found;
}

const char *mpg_json_members_scan(mpg_json_members *m, const mpg_env *env, mpg_json_scan *s,
                                  const char *p, const char **after) {
  const char *start = p;
  bool object = *p == '{', escaped = false;
  const mpg_json_member *twice;
  *after = NULL;
  s->rc = MPG_OK;
  m->n = 0;
  p = mpg_json_space(p + 1, s->end);
  if (p == s->end || *p != (object ? '}' : ']')) {
    for (;;) {
      mpg_json_member *member;
      const char *value;
      if (m->n == m->cap) {
        size_t most = (size_t)mpg_limit_in(env, MPG_LIMIT_JSON_MEMBERS);
        if (m->n >= most) {
          (void)fail(s, p, "no more members than mpg_limit('json_members') allows");
          s->rc = MPG_LIMIT;
          s->found = "another one";
          return NULL;
        }
        if (mpg_grow(env, &m->p, &m->cap, m->n + 1, sizeof *m->p) != MPG_OK) {
          s->rc = MPG_NOMEM;
          return NULL;
        }
        m->cap = m->cap < most ? m->cap : most; /* polls again above it */
      }
      if (should_stop(s, p))
        return NULL;
      member = &m->p[m->n];
      member->key = (mpg_str){"", 0};
      member->key_at = (size_t)(p - start);
      if (object &&
          (p = key_colon(s, p, m->n == 0 ? a_first_key : a_key, &member->key, &escaped)) == NULL)
        return NULL;
      value = p;
      member->value_at = (size_t)(p - start);
      if (p < s->end && *p == '"') {
        if ((p = mpg_json_string(s, p + 1, &escaped)) == NULL)
          return NULL;
        member->kind = MPG_JSON_STRING;
        member->text = (mpg_str){value + 1, (size_t)(p - value) - 2};
      } else {
        if ((p = mpg_json_value(s, p, 1, &member->kind)) == NULL)
          return NULL;
        member->text = (mpg_str){value, (size_t)(p - value)};
      }
      m->n++;
      p = mpg_json_space(p, s->end);
      if (p < s->end && *p == ',') {
        p = mpg_json_space(p + 1, s->end);
        continue;
      }
      if (p == s->end || *p != (object ? '}' : ']'))
        return fail(s, p, object ? "',' or '}'" : "',' or ']'");
      break;
    }
  }
  p++;
  if (escaped)
    s->rc = unescape_all(m, env);
  if (s->rc != MPG_OK) {
    s->at = p;
    return NULL;
  }
  twice = object ? find_repeated(m, env, s) : NULL;
  if (twice != NULL) {
    (void)fail(s, start + twice->key_at, "a key that the object does not have yet");
    s->found = "it again";
    *after = p;
  }
  return s->rc == MPG_OK ? p : NULL;
}

void mpg_json_members_free(mpg_json_members *m, const mpg_env *env) {
  mpg_free(env, m->p);
  mpg_free(env, m->text);
  mpg_free(env, m->sorted);
}
