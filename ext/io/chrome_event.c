/* chrome_event.c - see chrome_event.h. */
#include "chrome_event.h"

#include <string.h>

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

const char *mpg_chrome_event_scan(mpg_json_lean *s, const char *p,
                                  mpg_json_token fields[MPG_CHROME_FIELDS], bool *any) {
  mpg_json_token key, value;
  for (int i = 0; i < MPG_CHROME_FIELDS; i++)
    fields[i].kind = MPG_LEAN_NONE;
  p = mpg_json_lean_space(p + 1, s->end);
  *any = p == s->end || *p != '}';
  if (!*any)
    return p + 1;
  for (;;) {
    mpg_chrome_field field;
    p = mpg_json_lean_member(s, p, &key, &value);
    if (p == NULL)
      return NULL;
    field = field_of(key.text);
    if (field != MPG_CHROME_FIELDS)
      fields[field] = value;
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
    p = mpg_json_lean_space(p + 1, s->end);
  }
}

bool mpg_chrome_differs(const mpg_chrome_wish *wish, const mpg_json_token *fields) {
  for (size_t i = 0; i < wish->n; i++) {
    const mpg_json_token *token = &fields[wish->equal[i].field];
    if (token->kind == MPG_LEAN_NONE || (token->kind == MPG_LEAN_STRING && !token->escaped &&
                                         !mpg_str_eq(token->text, wish->equal[i].text)))
      return true;
  }
  return false;
}
