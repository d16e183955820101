/* uuid.c - UUIDs in job names, through libuuid: see uuid.h. */
#include "uuid.h"

#include <string.h>
#include <uuid/uuid.h>

#define BARE (MPG_UUID_TEXT - 1)

/* libuuid checks the digits and the dashes; it takes terminated text and no dress around it. */
static bool parse_uuid(mpg_str text, uuid_t out) {
  const mpg_str urn = MPG_STR("urn:uuid:");
  char bare[MPG_UUID_TEXT];
  if (text.n == BARE + 2 && text.p[0] == '{' && text.p[BARE + 1] == '}') {
    text.p++;
    text.n -= 2;
  } else if (text.n == BARE + urn.n && mpg_str_eq_nocase((mpg_str){text.p, urn.n}, urn)) {
    text.p += urn.n;
    text.n -= urn.n;
  }
  if (text.n != BARE)
    return false;
  memcpy(bare, text.p, BARE);
  bare[BARE] = '\0';
  return uuid_parse(bare, out) == 0;
}

bool mpg_uuid_canonical(mpg_str text, char out[MPG_UUID_TEXT]) {
  uuid_t id; /* which parse() fills */
  /* cppcheck-suppress uninitvar */
  if (!parse_uuid(text, id))
    return false;
  uuid_unparse_lower(id, out);
  return true;
}

bool mpg_uuid_v5(mpg_str space, mpg_str name, char out[MPG_UUID_TEXT]) {
  static const char *const known[] = {"dns", "url", "oid", "x500"};
  uuid_t id, v5;
  /* cppcheck-suppress uninitvar */
  bool found = parse_uuid(space, id);
  for (size_t i = 0; !found && i < sizeof known / sizeof *known; i++)
    if (mpg_str_eq(space, mpg_str_of(known[i]))) {
      uuid_copy(id, *uuid_get_template(known[i]));
      found = true;
    }
  if (!found)
    return false;
  uuid_generate_sha1(v5, id, name.p, name.n);
  uuid_unparse_lower(v5, out);
  return true;
}
