/* test_uuid.c - spellings of UUIDs, and version 5 against values of Python's uuid.uuid5. */
#include "../../ext/goodput/trace/uuid.h"
#include "check.h"
#include "exactly.h"

#include <string.h>

static bool canonical(mpg_str text, const char *expected) {
  char out[MPG_UUID_TEXT];
  if (!mpg_uuid_canonical(text.p == NULL ? text : exactly_n(text.p, text.n), out))
    return expected == NULL;
  return expected != NULL && strcmp(out, expected) == 0;
}

static bool v5(const char *space, mpg_str name, const char *expected) {
  char out[MPG_UUID_TEXT];
  if (!mpg_uuid_v5(exactly(space), name, out))
    return expected == NULL;
  return expected != NULL && strcmp(out, expected) == 0;
}

#define ID "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

int main(void) {
  CHECK(canonical(MPG_STR(ID), ID));
  CHECK(canonical(MPG_STR("6BA7B810-9DAD-11D1-80B4-00C04FD430C8"), ID));
  CHECK(canonical(MPG_STR("{6ba7b810-9dad-11d1-80b4-00c04fd430c8}"), ID));
  CHECK(canonical(MPG_STR("urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8"), ID));
  CHECK(canonical(MPG_STR("URN:UUID:6BA7B810-9DAD-11D1-80B4-00C04FD430C8"), ID));
  CHECK(canonical(MPG_STR("00000000-0000-0000-0000-000000000000"),
                  "00000000-0000-0000-0000-000000000000"));
  CHECK(canonical(MPG_STR(""), NULL));
  CHECK(canonical((mpg_str){NULL, 0}, NULL));
  CHECK(canonical(MPG_STR("6ba7b8109dad11d180b400c04fd430c8"), NULL));
  CHECK(canonical(MPG_STR("6ba7b810-9dad-11d1-80b4-00c04fd430c"), NULL));
  CHECK(canonical(MPG_STR("6ba7b810-9dad-11d1-80b4-00c04fd430c8 "), NULL));
  CHECK(canonical(MPG_STR(" ba7b810-9dad-11d1-80b4-00c04fd430c8"), NULL));
  CHECK(canonical(MPG_STR("6ba7b810-9dad-11d1-80b4-00c04fd430cg"), NULL));
  CHECK(canonical(MPG_STR("6ba7b810-9dad-11d1-80b4-00c04fd4\0c8x"), NULL));
  CHECK(canonical(MPG_STR("6ba7b81-09dad-11d1-80b4-00c04fd430c8"), NULL));
  CHECK(canonical(MPG_STR("{6ba7b810-9dad-11d1-80b4-00c04fd430c8"), NULL));
  CHECK(canonical(MPG_STR("(6ba7b810-9dad-11d1-80b4-00c04fd430c8)"), NULL));
  CHECK(canonical(MPG_STR("urn-uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8"), NULL));
  /* Bytes around the text do not matter: only its length says where it ends. */
  CHECK(canonical((mpg_str){ID "0123", 36}, ID));

  CHECK(v5("dns", MPG_STR("www.example.com"), "2ed6657d-e927-568b-95e1-2665a8aea6a2"));
  CHECK(v5("url", MPG_STR("www.example.com"), "b63cdfa4-3df9-568e-97ae-006c5b8fd652"));
  CHECK(v5("oid", MPG_STR("www.example.com"), "a5e87d3b-479e-52da-b98a-db251a851854"));
  CHECK(v5("x500", MPG_STR("www.example.com"), "a1d3adb1-15b7-5395-a05f-9051a08769a2"));
  CHECK(v5("dns", MPG_STR(""), "4ebd0208-8328-5d69-8c44-ec50939c0967"));
  CHECK(v5("dns", ((mpg_str){NULL, 0}), "4ebd0208-8328-5d69-8c44-ec50939c0967"));
  CHECK(v5("url", MPG_STR("a\0b"), "7881dd1e-3474-5a4c-847c-b4137040609a"));
  CHECK(v5("url", MPG_STR("job-\xe2\x82\xac"), "05341644-094d-55e2-b6f0-f3ae8f962764"));
  CHECK(v5("12345678-1234-5678-1234-567812345678", MPG_STR("train-7"),
           "e48f8007-594d-51aa-b2eb-47c586153a73"));
  CHECK(v5("{12345678-1234-5678-1234-567812345678}", MPG_STR("train-7"),
           "e48f8007-594d-51aa-b2eb-47c586153a73"));
  CHECK(v5("x501", MPG_STR("a"), NULL));
  CHECK(v5("", MPG_STR("a"), NULL));
  CHECK(v5("DNS", MPG_STR("a"), NULL));
  return check_done("uuid");
}
