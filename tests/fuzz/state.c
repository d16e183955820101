/* state.c - bytes that claim to be a state: what is taken is written back byte for byte. */
#include "fuzz.h"
#include "../../ext/goodput/goodput.h"

#include <string.h>

void fuzz_state(mpg_str input) {
  unsigned char bytes[MPG_STATE_MAX];
  char json[MPG_GOODPUT_JSON];
  mpg_account a = {0}, before;
  mpg_goodput g = {0};
  mpg_err err;
  double ratio;
  a.sum[3].whole = 77;
  before = a;
  if (mpg_account_read(&a, (const unsigned char *)input.p, input.n, &err) != MPG_OK) {
    CHECK(err.rc == MPG_DATA && memcmp(&a, &before, sizeof a) == 0);
    return;
  }
  CHECK(mpg_account_write(&a, bytes) == input.n && memcmp(bytes, input.p, input.n) == 0);
  for (int r = 0; r < MPG_RATIOS; r++)
    (void)mpg_account_ratio(&a, (mpg_ratio)r, &ratio);
  if (mpg_goodput_state(&g, bytes, input.n, false, &err) == MPG_OK) {
    CHECK(mpg_goodput_json(&g, json) < sizeof json);
    CHECK(mpg_goodput_state(&g, bytes, input.n, true, &err) == MPG_OK && g.rows == 0);
  }
}
