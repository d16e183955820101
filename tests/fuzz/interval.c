/* interval.c - sweeps over intervals, against one that counts every second. */
#include "fuzz.h"
#include "../../ext/read/grouping/interval.h"

#include <string.h>

#define SECONDS 256

typedef struct check {
  int a[SECONDS], b[SECONDS];
  uint64_t origin, unit;
  int64_t before;
} check;

static mpg_rc piece(void *ctx, int64_t from, int64_t to, int64_t a, int64_t b) {
  check *c = ctx;
  CHECK(from < to && from >= c->before && a + b > 0);
  c->before = to;
  for (uint64_t s = ((uint64_t)from - c->origin) / c->unit;
       s < ((uint64_t)to - c->origin) / c->unit; s++) {
    CHECK(s < SECONDS && c->a[s] == a && c->b[s] == b);
    c->a[s] = c->b[s] = 0; /* told */
  }
  return MPG_OK;
}

void fuzz_interval(mpg_str input) {
  static const int64_t origins[] = {0, -128, INT64_MIN, INT64_MAX - 255};
  fuzz_script script = {input};
  mpg_intervals set;
  mpg_sweep sweep, want = {0, 0, 0, 0};
  check c;
  int64_t k = 1 + fuzz_byte(&script) % 5;
  memset(&c, 0, sizeof c);
  c.origin = (uint64_t)origins[fuzz_byte(&script) % 4];
  c.unit = c.origin == UINT64_C(1) << 63 ? UINT64_C(1) << 56 : 1;
  c.before = INT64_MIN;
  mpg_intervals_init(&set, &mpg_env_libc);
  while (script.left.n > 0) {
    uint8_t start = fuzz_byte(&script), end = fuzz_byte(&script), kind = fuzz_byte(&script);
    CHECK(mpg_intervals_add(&set, (int64_t)(c.origin + start * c.unit),
                            (int64_t)(c.origin + end * c.unit), kind & 1) == MPG_OK);
    for (int s = start; s < end; s++)
      (kind & 1 ? c.b : c.a)[s]++;
    if (kind >= 0xf0) /* in the midst of adding */
      CHECK(mpg_intervals_sweep(&set, k, &sweep) == MPG_OK);
  }
  for (int s = 0; s < SECONDS; s++) {
    int n = c.a[s] + c.b[s];
    want.covered += n > 0 ? (mpg_i128)c.unit : 0;
    want.both += c.a[s] > 0 && c.b[s] > 0 ? (mpg_i128)c.unit : 0;
    want.at_least += n >= k ? (mpg_i128)c.unit : 0;
    want.peak = n > want.peak ? n : want.peak;
  }
  CHECK(mpg_intervals_sweep(&set, k, &sweep) == MPG_OK);
  CHECK(sweep.covered == want.covered && sweep.both == want.both);
  CHECK(sweep.at_least == want.at_least && sweep.peak == want.peak);
  CHECK(mpg_intervals_each(&set, piece, &c) == MPG_OK);
  for (int s = 0; s < SECONDS; s++)
    CHECK(c.a[s] == 0 && c.b[s] == 0);
  mpg_intervals_free(&set);
}
