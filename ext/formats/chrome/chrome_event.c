/* chrome_event.c - see chrome_event.h. */
#include "chrome_event.h"
#include "../../read/input/simd.h"

#include <string.h>
#define MPG_CHROME_NEAR 33 /* bytes from a value on that the fast road may look at */

static inline mpg_chrome_field field_of(mpg_str key) {
  const char *k = key.p;
  switch (key.n) {
  case 1:
    return k[0] == 's' ? MPG_CHROME_S : MPG_CHROME_FIELDS;
  case 2:
    if (k[0] == 'p')
      return k[1] == 'h' ? MPG_CHROME_PH : MPG_CHROME_FIELDS;
    if (k[0] == 't')
      return k[1] == 's' ? MPG_CHROME_TS : MPG_CHROME_FIELDS;
    if (k[0] == 'i')
      return k[1] == 'd' ? MPG_CHROME_ID : MPG_CHROME_FIELDS;
    return k[0] == 'b' && k[1] == 'p' ? MPG_CHROME_BP : MPG_CHROME_FIELDS;
  case 3:
    if (k[1] == 'i' && k[2] == 'd')
      return k[0] == 'p' ? MPG_CHROME_PID : k[0] == 't' ? MPG_CHROME_TID : MPG_CHROME_FIELDS;
    if (memcmp(k, "cat", 3) == 0)
      return MPG_CHROME_CAT;
    return memcmp(k, "dur", 3) == 0 ? MPG_CHROME_DUR : MPG_CHROME_FIELDS;
  case 4:
    if (memcmp(k, "name", 4) == 0)
      return MPG_CHROME_NAME;
    return memcmp(k, "args", 4) == 0 ? MPG_CHROME_ARGS : MPG_CHROME_FIELDS;
  default:
    return MPG_CHROME_FIELDS;
  }
}

static inline const char *skip_space(const char *p, const char *end) {
  if (p < end && *p == ' ')
    p++;
  return p < end && *p <= ' ' ? mpg_json_lenient_space(p, end) : p;
}

/* ---- What most members are ---- */

/* Sixteen bytes from p on may be read. */
static inline bool is_recent(const mpg_chrome_key *key, const char *p) {
  uint64_t v[2];
  memcpy(v, p, sizeof v);
  return (((v[0] ^ key->text[0]) & key->mask[0]) | ((v[1] ^ key->text[1]) & key->mask[1])) == 0;
}

/* What stood from p to the value will be searched for in this place: it, and what was there before
** it. */
static void remember_key(mpg_chrome_key recent_keys[2], const char *p, const char *value,
                         mpg_chrome_field field) {
  size_t n = (size_t)(value - p);
  if (n > sizeof recent_keys->text)
    return;
  recent_keys[1] = recent_keys[0];
  memset(recent_keys, 0, sizeof *recent_keys);
  memcpy(recent_keys->text, p, n);
  memset(recent_keys->mask, 0xff, n);
  recent_keys->n = (uint8_t)n;
  recent_keys->field = (uint8_t)field;
}

#ifdef MPG_SSE2
static inline unsigned stops_text(const char *p) {
  __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
  return (unsigned)_mm_movemask_epi8(
      _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
}

/* '-', '.' and the digits are neighbours in ASCII, with '/' among them. */
static inline unsigned stops_number(const char *p) {
  __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
  __m128i above =
      _mm_or_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8('9')), _mm_cmpeq_epi8(v, _mm_set1_epi8('/')));
  return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8('-')), above));
}

/* A text of up to 15 bytes without escapes, or a number of up to 31 without exponent;
** MPG_CHROME_NEAR bytes from p on may be read. NULL: it is something else, or longer. */
static inline const char *short_value(const char *p, mpg_json_token *out) {
  const char *from = p + (*p == '"'), *end;
  unsigned mask;
  if (from > p) {
    mask = stops_text(from);
    end = from + (mask == 0 ? 16 : __builtin_ctz(mask));
    if (mask == 0 || *end != '"')
      return NULL;
    out->kind = MPG_JSON_LENIENT_STRING;
    p = end + 1;
  } else {
    mask = stops_number(p);
    if (mask == 0)
      mask = stops_number(p + 16) << 16;
    end = p + (mask == 0 ? 0 : __builtin_ctz(mask));
    if (end == p || (*end != ',' && *end != '}' && *end != ' ' && *end != '\n'))
      return NULL;
    out->kind = MPG_JSON_LENIENT_NUMBER;
    p = end;
  }
  out->escaped = false;
  out->text = (mpg_str){from, (size_t)(end - from)};
  return p;
}
#endif

/* Reads the member at p, its value into `fields` if it is one of them. Returns the position after
** it and the white space that follows. usual: the keys that came after the previous key, which is
** then `*last`. */
static inline const char *read_member(mpg_json_lenient *s, const char *p, mpg_chrome_keys *keys,
                                      size_t *last, mpg_json_token fields[MPG_CHROME_FIELDS + 1]) {
  mpg_chrome_key *recent_keys = keys->of[*last];
  mpg_json_token key, *value = &fields[MPG_CHROME_FIELDS];
  const char *after;
  if (s->end - p >= (ptrdiff_t)sizeof recent_keys->text + MPG_CHROME_NEAR) {
    const mpg_chrome_key *k = is_recent(recent_keys, p)       ? recent_keys
                              : is_recent(recent_keys + 1, p) ? recent_keys + 1
                                                              : NULL;
    if (k != NULL && k->n > 0) {
      *last = k->field;
      p += k->n;
#ifdef MPG_SSE2
      after = short_value(p, &fields[k->field]);
      if (after != NULL)
        return skip_space(after, s->end);
#endif
      after = mpg_json_lenient_value(s, skip_space(p, s->end), &fields[k->field]);
      return after == NULL ? NULL : skip_space(after, s->end);
    }
  }
  after = mpg_json_lenient_member(s, p, &key, value);
  if (after != NULL) {
    mpg_chrome_field field = field_of(key.text);
    remember_key(recent_keys, p, value->text.p - (value->kind == MPG_JSON_LENIENT_STRING), field);
    fields[field] = *value;
    *last = field;
  }
  return after;
}

const char *mpg_chrome_event_scan(mpg_json_lenient *s, const char *p, mpg_chrome_keys *keys,
                                  mpg_json_token fields[MPG_CHROME_FIELDS + 1], bool *any) {
  size_t last = MPG_CHROME_FIELDS + 1;
  for (int i = 0; i < MPG_CHROME_FIELDS; i++)
    fields[i].kind = MPG_JSON_LENIENT_NONE;
  p = skip_space(p + 1, s->end);
  *any = p == s->end || *p != '}';
  if (!*any)
    return p + 1;
  for (;;) {
    p = read_member(s, p, keys, &last, fields);
    if (p == NULL)
      return NULL;
    if (p == s->end) {
      s->more = true;
      s->at = p;
      s->expected = "',' or '}'";
      return NULL;
    }
    if (*p == '}')
      return p + 1;
    if (*p != ',') {
      s->at = p;
      s->expected = "',' or '}'";
      return NULL;
    }
    if (mpg_json_lenient_stops(s, p))
      return NULL;
    p = skip_space(p + 1, s->end);
  }
}

/* ---- The request ---- */

bool mpg_chrome_differs(const mpg_chrome_request *request, const mpg_json_token *fields) {
  for (size_t i = 0; i < request->n; i++) {
    const mpg_json_token *token = &fields[request->equal[i].field];
    if (token->kind == MPG_JSON_LENIENT_NONE ||
        (token->kind == MPG_JSON_LENIENT_STRING && !token->escaped &&
         !mpg_str_eq(token->text, request->equal[i].text)))
      return true;
  }
  return false;
}
