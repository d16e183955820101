/* Interval sweeps against a count at every place, for many small random sets, and at the limits. */
#include "../../ext/read/grouping/interval.h"
#include "check.h"
#include "hostile.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 40, MOST = 24 };

static uint64_t seed = 1;

static int below(int n) {
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int)((seed >> 33) % (uint64_t)n);
}

/* What a sweep must say, counted unit by unit. */
static mpg_sweep naive(int n, int (*at)[2], const bool *is_b, int64_t k) {
  mpg_sweep s = {0, 0, 0, 0};
  for (int x = -WIDTH; x < WIDTH; x++) {
    int a = 0, b = 0;
    for (int i = 0; i < n; i++)
      if (at[i][0] <= x && x < at[i][1])
        *(is_b[i] ? &b : &a) += 1;
    s.covered += a + b > 0;
    s.both += a > 0 && b > 0;
    s.at_least += a + b >= (k < 1 ? 1 : k);
    if (a + b > s.peak)
      s.peak = a + b;
  }
  return s;
}

static bool same(mpg_sweep a, mpg_sweep b) {
  return a.covered == b.covered && a.both == b.both && a.at_least == b.at_least && a.peak == b.peak;
}

static void test_random(void) {
  for (int round = 0; round < 4000; round++) {
    int at[MOST][2], n = below(MOST + 1), width = 1 + below(WIDTH), k = below(6) - 1;
    bool is_b[MOST], ordered = below(4) == 0;
    mpg_intervals set;
    mpg_sweep s;
    mpg_intervals_init(&set, &mpg_env_libc);
    for (int i = 0; i < n; i++) {
      at[i][0] = ordered ? i - MOST : below(2 * width) - width;
      at[i][1] = at[i][0] + below(width) - 2; /* some are empty or reversed */
      if (at[i][1] > WIDTH)
        at[i][1] = WIDTH;
      is_b[i] = below(2);
      CHECK(mpg_intervals_add(&set, at[i][0], at[i][1], is_b[i]) == MPG_OK);
      /* A sweep in between changes nothing. */
      if (below(10) == 0)
        CHECK(mpg_intervals_sweep(&set, k, &s) == MPG_OK && same(s, naive(i + 1, at, is_b, k)));
    }
    CHECK(mpg_intervals_sweep(&set, k, &s) == MPG_OK);
    CHECK(same(s, naive(n, at, is_b, k)));
    mpg_intervals_free(&set);
  }
}

static void test_edges(void) {
  mpg_intervals set;
  mpg_sweep s;
  mpg_intervals_init(&set, &mpg_env_libc);
  CHECK(mpg_intervals_sweep(&set, 1, &s) == MPG_OK && same(s, (mpg_sweep){0, 0, 0, 0}));
  CHECK(mpg_intervals_add(&set, 5, 5, false) == MPG_OK);
  CHECK(mpg_intervals_add(&set, 9, 2, true) == MPG_OK);
  CHECK(mpg_intervals_sweep(&set, 1, &s) == MPG_OK && same(s, (mpg_sweep){0, 0, 0, 0}));
  /* Touching: never two at once. */
  CHECK(mpg_intervals_add(&set, 0, 10, false) == MPG_OK);
  CHECK(mpg_intervals_add(&set, 10, 20, true) == MPG_OK);
  CHECK(mpg_intervals_sweep(&set, 2, &s) == MPG_OK && same(s, (mpg_sweep){20, 0, 0, 1}));
  mpg_intervals_free(&set);
  /* The whole of int64, three times: lengths of 65 bits. */
  for (int i = 0; i < 3; i++)
    CHECK(mpg_intervals_add(&set, INT64_MIN, INT64_MAX, i == 1) == MPG_OK);
  CHECK(mpg_intervals_sweep(&set, 3, &s) == MPG_OK);
  CHECK(s.covered == (mpg_i128)UINT64_MAX && s.both == s.covered && s.at_least == s.covered);
  CHECK(s.peak == 3);
  CHECK(mpg_intervals_sweep(&set, INT64_MAX, &s) == MPG_OK && s.at_least == 0);
  mpg_intervals_free(&set);
}

typedef struct seen {
  int64_t from[8], to[8], a[8], b[8];
  int n, stop_after;
} seen;

static mpg_rc see(void *ctx, int64_t from, int64_t to, int64_t a, int64_t b) {
  seen *s = ctx;
  s->from[s->n] = from;
  s->to[s->n] = to;
  s->a[s->n] = a;
  s->b[s->n] = b;
  return ++s->n == s->stop_after ? MPG_LIMIT : MPG_OK;
}

static void test_pieces(void) {
  static const seen expected = {{0, 3, 5, 8}, {3, 5, 7, 9}, {1, 1, 0, 2}, {0, 1, 1, 0}, 4, 0};
  mpg_intervals set;
  seen s;
  mpg_intervals_init(&set, &mpg_env_libc);
  CHECK(mpg_intervals_add(&set, 8, 9, false) == MPG_OK);
  CHECK(mpg_intervals_add(&set, 3, 7, true) == MPG_OK);
  CHECK(mpg_intervals_add(&set, 8, 9, false) == MPG_OK);
  CHECK(mpg_intervals_add(&set, 0, 5, false) == MPG_OK);
  memset(&s, 0, sizeof s);
  CHECK(mpg_intervals_each(&set, see, &s) == MPG_OK);
  CHECK(memcmp(&s, &expected, sizeof s) == 0);
  memset(&s, 0, sizeof s);
  s.stop_after = 2;
  CHECK(mpg_intervals_each(&set, see, &s) == MPG_LIMIT && s.n == 2);
  mpg_intervals_free(&set);
}

static void *failing(void *ctx, void *p, size_t n) {
  int *left = ctx;
  if (n == 0) {
    free(p);
    return NULL;
  }
  return (*left)-- == 0 ? NULL : realloc(p, n);
}

static bool always(void *ctx) {
  (void)ctx;
  return true;
}

static void test_memory(void) {
  int left;
  mpg_env env = {.resize = failing, .resize_ctx = &left};
  mpg_intervals set;
  mpg_sweep s;
  for (int allowed = 0;; allowed++) {
    mpg_rc rc = MPG_OK;
    left = allowed;
    mpg_intervals_init(&set, &env);
    for (int i = 100; rc == MPG_OK && i > 0; i--)
      rc = mpg_intervals_add(&set, i, i + 2, false);
    if (rc == MPG_OK)
      rc = mpg_intervals_sweep(&set, 2, &s);
    if (rc == MPG_OK)
      CHECK(same(s, (mpg_sweep){101, 0, 99, 2}));
    else
      CHECK(rc == MPG_NOMEM);
    /* What did not fit is not there, the rest is. */
    left = 1000;
    CHECK(mpg_intervals_sweep(&set, 1, &s) == MPG_OK);
    CHECK(s.covered == (mpg_i128)(set.n == 0 ? 0 : set.n / 2 + 1));
    mpg_intervals_free(&set);
    if (rc == MPG_OK)
      break;
  }
  /* Interrupted in the middle of sorting: an error, and the set is whole. */
  mpg_intervals_init(&set, &env);
  left = 1000;
  for (int i = 100; i > 0; i--)
    CHECK(mpg_intervals_add(&set, i, i + 2, false) == MPG_OK);
  env.interrupted = always;
  CHECK(mpg_intervals_sweep(&set, 1, &s) == MPG_INTERRUPTED);
  env.interrupted = NULL;
  CHECK(mpg_intervals_sweep(&set, 1, &s) == MPG_OK && s.covered == 101);
  mpg_intervals_free(&set);
}

/* Stopped at each look at an interruption: that, and the set swept again is as ever. */
static void test_stop(void) {
  enum { N = 140000 };
  for (int backwards = 0; backwards < 2; backwards++) {
    hostile h = {0, 0, false, false, 0};
    mpg_env env = hostile_env(&h);
    mpg_intervals set;
    mpg_rc rc = MPG_INTERRUPTED;
    mpg_sweep s;
    long n = 2;
    mpg_intervals_init(&set, &env);
    for (int i = 0; i < N; i++) {
      int64_t at = backwards ? N - i : i % 2 ? i : N + i;
      CHECK(mpg_intervals_add(&set, 2 * at, 2 * at + 1, false) == MPG_OK);
    }
    for (; rc == MPG_INTERRUPTED; n++) {
      h.stop_in = n;
      rc = mpg_intervals_sweep(&set, 1, &s);
      CHECK(rc == (h.stop_in == 1 ? MPG_INTERRUPTED : MPG_OK));
    }
    CHECK(n > 4 && s.covered == N && s.peak == 1);
    mpg_intervals_free(&set);
    CHECK(h.live == 0);
  }
}

int main(void) {
  test_random();
  test_edges();
  test_pieces();
  test_memory();
  test_stop();
  return check_done("interval");
}
