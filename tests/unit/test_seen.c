/* test_seen.c - a set of hashes beside a list of marks: what came before is said to have, and
** memory may run out at any time. */
#include "../../ext/base/hash_set.h"
#include "check.h"
#include "hostile.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES = 2000, DRAWS = 20000 };

/* Some next to each other, some that share their low bits, and the ends of what there is. */
static uint64_t value_of(int i) {
  return i == 0       ? UINT64_MAX
         : i % 3 == 0 ? (uint64_t)i
         : i % 3 == 1 ? (uint64_t)i << 40 | 7
                      : UINT64_MAX - (uint64_t)i * 4096;
}

static void test_draws(void) {
  static bool marks[VALUES];
  hostile h = {0};
  mpg_env env = hostile_env(&h);
  mpg_hash_set seen = {.env = &env};
  size_t n = 0;
  memset(marks, 0, sizeof marks);
  for (int k = 0; k < DRAWS; k++) {
    int i = check_below(k < DRAWS / 2 ? VALUES / 2 : VALUES);
    bool before;
    mpg_rc rc;
    h.fail_in = check_below(3); /* a failure adds nothing */
    rc = mpg_hash_set_put(&seen, value_of(i), &before);
    CHECK(rc == MPG_OK ? before == marks[i] : rc == MPG_NOMEM && h.failed);
    n += rc == MPG_OK && !marks[i];
    marks[i] |= rc == MPG_OK;
    CHECK(seen.n == n);
  }
  CHECK(n > VALUES / 2);
  mpg_hash_set_free(&seen);
  mpg_hash_set_free(&seen);
  CHECK(h.live == 0 && seen.n == 0);
}

/* Whoever has much to move asks on the way; a no adds nothing, and the same comes in at the next
** try. */
static void test_stops(void) {
  enum { MANY = 600000 };
  hostile h = {0};
  mpg_env env = hostile_env(&h);
  mpg_hash_set seen = {.env = &env};
  int stopped = 0;
  bool before, wrong = false;
  for (uint64_t v = 1; v <= MANY; v++) {
    mpg_rc rc;
    h.stop_in = 2;
    rc = mpg_hash_set_put(&seen, v, &before);
    stopped += rc == MPG_INTERRUPTED;
    h.stop_in = 0;
    if (rc == MPG_INTERRUPTED)
      rc = mpg_hash_set_put(&seen, v, &before);
    wrong |= rc != MPG_OK || before;
  }
  CHECK(!wrong && seen.n == MANY && stopped == 8); /* from 8 Ki places on to 2 Mi */
  for (uint64_t v = 1; v <= MANY; v++)
    wrong |= mpg_hash_set_put(&seen, v, &before) != MPG_OK || !before;
  CHECK(!wrong && seen.n == MANY);
  mpg_hash_set_free(&seen);
  CHECK(h.live == 0);
}

int main(void) {
  test_draws();
  test_stops();
  return check_done("seen");
}
