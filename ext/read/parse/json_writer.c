/* json_writer.c - see json_writer.h. */
#include "json_writer.h"

#include <string.h>

void mpg_json_text_free(mpg_json_text *json) {
  mpg_free(json->env, json->p);
  json->p = NULL;
  json->n = json->cap = 0;
}

mpg_rc mpg_json_put(mpg_json_text *json, mpg_str s) {
  if (s.n > SIZE_MAX / 2 - json->n ||
      mpg_grow(json->env, &json->p, &json->cap, json->n + s.n + 1, 1) != MPG_OK)
    return MPG_NOMEM;
  if (s.n > 0)
    memcpy(json->p + json->n, s.p, s.n);
  json->n += s.n;
  return MPG_OK;
}

/* Memory for the escapes of so many bytes is reserved at a time. */
#define PIECE ((size_t)4096)
#define LONGEST_ESCAPE 6

static char *put_escape(char *to, unsigned char c) {
  static const char hex[] = "0123456789abcdef";
  const char escape[LONGEST_ESCAPE] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
  size_t n = c < 0x20 ? sizeof escape : 2;
  memcpy(to, escape, n);
  if (c >= 0x20)
    to[1] = (char)c;
  return to + n;
}

mpg_rc mpg_json_put_string(mpg_json_text *json, mpg_str s) {
  mpg_rc rc = mpg_json_put(json, MPG_STR("\""));
  for (size_t at = 0; rc == MPG_OK && at < s.n; at += PIECE) {
    const char *from = s.p + at, *end = from + (s.n - at < PIECE ? s.n - at : PIECE);
    char *to;
    if (mpg_poll_work(json->env, &json->work, (size_t)(end - from)))
      return MPG_INTERRUPTED;
    if (mpg_grow(json->env, &json->p, &json->cap, json->n + LONGEST_ESCAPE * (size_t)(end - from),
                 1) != MPG_OK)
      return MPG_NOMEM;
    to = json->p + json->n;
    while (from < end) {
      const char *p = from;
      while (p < end && (unsigned char)*p >= 0x20 && *p != '"' && *p != '\\')
        p++;
      memcpy(to, from, (size_t)(p - from));
      to += p - from;
      if (p < end)
        to = put_escape(to, (unsigned char)*p++);
      from = p;
    }
    json->n = (size_t)(to - json->p);
  }
  return rc == MPG_OK ? mpg_json_put(json, MPG_STR("\"")) : rc;
}

mpg_rc mpg_json_put_comma(mpg_json_text *json) {
  char last = json->n == 0 ? '{' : json->p[json->n - 1];
  return last == '{' || last == '[' ? MPG_OK : mpg_json_put(json, MPG_STR(","));
}

mpg_rc mpg_json_put_key(mpg_json_text *json, mpg_str key) {
  mpg_rc rc = mpg_json_put_comma(json);
  if (rc == MPG_OK)
    rc = mpg_json_put_string(json, key);
  return rc == MPG_OK ? mpg_json_put(json, MPG_STR(":")) : rc;
}
