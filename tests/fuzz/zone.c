/* zone.c - compiled time zones: whatever the file says, local times come back from where they
** lead. */
#include "fuzz.h"
#include "../../ext/read/input/zone.h"

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_zone *zone = NULL;
  mpg_err err;
  mpg_rc rc = mpg_zone_load(&zone, env, "zone", input, &err);
  if (rc != MPG_OK) {
    fuzz_put(out, "!%s", err.text);
    return rc;
  }
  for (int64_t at = 0; at < INT64_C(9214646400); at += INT64_C(9214646400) / 997) {
    int64_t offset = mpg_zone_offset(zone, at), utc = 0;
    mpg_zone_fit fit = mpg_zone_utc(zone, at, &utc);
    CHECK(offset > -100 * 3600 && offset < 100 * 3600);
    if (fit == MPG_ZONE_UNIQUE || fit == MPG_ZONE_REPEATED)
      CHECK(utc + mpg_zone_offset(zone, utc) == at);
    fuzz_put(out, "%lld %d ", (long long)offset, (int)fit);
  }
  mpg_zone_free(zone);
  return MPG_DONE;
}

void fuzz_zone(mpg_str input) {
  mpg_zone *zone;
  mpg_err err;
  fuzz_reader(render, input);
  /* And as a name. */
  if (mpg_zone_open(&zone, &mpg_env_libc, input, "/nowhere", &err) == MPG_OK)
    mpg_zone_free(zone);
}
