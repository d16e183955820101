/* json_write.c - see json_write.h. */
#include "json_write.h"

#include <stdio.h>
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

mpg_rc mpg_json_put_string(mpg_json_text *json, mpg_str s) {
  size_t from = 0;
  mpg_rc rc = mpg_json_put(json, MPG_STR("\""));
  for (size_t i = 0; rc == MPG_OK && i < s.n; i++) {
    unsigned char c = (unsigned char)s.p[i];
    char escape[8];
    if (c >= 0x20 && c != '"' && c != '\\')
      continue;
    rc = mpg_json_put(json, (mpg_str){s.p + from, i - from});
    from = i + 1;
    (void)snprintf(escape, sizeof escape, c < 0x20 ? "\\u%04x" : "\\%c", c);
    if (rc == MPG_OK)
      rc = mpg_json_put(json, mpg_str_of(escape));
  }
  if (rc == MPG_OK && from < s.n)
    rc = mpg_json_put(json, (mpg_str){s.p + from, s.n - from});
  return rc == MPG_OK ? mpg_json_put(json, MPG_STR("\"")) : rc;
}

mpg_rc mpg_json_put_comma(mpg_json_text *json) {
  char last = json->n == 0 ? '{' : json->p[json->n - 1];
  return last == '{' || last == '[' ? MPG_OK : mpg_json_put(json, MPG_STR(","));
}
