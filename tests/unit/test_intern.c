/* test_intern.c - texts get numbers once, in the order of first sight, and stay where they are. */
#include "../../ext/base/intern.h"
#include "check.h"
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Short texts of few letters, which look alike at both ends, against a list of those seen. */
static void test_alike(void) {
  enum { TEXTS = 3000, LONGEST = 24 };
  static char seen[TEXTS][LONGEST];
  static size_t lengths[TEXTS];
  hostile h = {0, 0, false, false, 0};
  mpg_env env = hostile_env(&h);
  mpg_intern t;
  mpg_intern_init(&t, &env);
  for (int round = 0; round < 3; round++) {
    size_t n = 0, wrong = 0;
    for (int i = 0; i < TEXTS; i++) {
      char text[LONGEST];
      size_t length = check_draw(LONGEST), expected = 0;
      uint32_t id, before;
      memset(text, 'a', LONGEST);
      for (size_t k = check_draw(3); k > 0 && length > 0; k--)
        text[check_draw(length)] = (char)('b' + check_below(2));
      while (expected < n &&
             (lengths[expected] != length || memcmp(seen[expected], text, length) != 0))
        expected++;
      before = mpg_intern_find(&t, (mpg_str){text, length});
      wrong += before != (expected == n ? 0 : expected + 1);
      wrong += mpg_intern_id(&t, (mpg_str){text, length}, &id) != MPG_OK || id != expected + 1;
      wrong +=
          !mpg_intern_is(&t, id, (mpg_str){text, length}) || mpg_intern_text(&t, id).n != length;
      if (expected == n) {
        memcpy(seen[n], text, length);
        lengths[n++] = length;
      }
    }
    CHECK(wrong == 0 && t.n == n && n > 500);
    for (uint32_t i = 1; i < n; i += 7)
      for (uint32_t k = 0; k < n; k += 11) {
        mpg_str a = {seen[i - 1], lengths[i - 1]},
                b = {k == 0 ? NULL : seen[k - 1], k == 0 ? 0 : lengths[k - 1]};
        int c = mpg_intern_cmp(&t, i, k);
        wrong += k == 0 ? c <= 0
                        : (c > 0) != (mpg_str_cmp(a, b) > 0) || (c < 0) != (mpg_str_cmp(a, b) < 0);
      }
    CHECK(wrong == 0);
    mpg_intern_reset(&t); /* and once more, in the memory of before */
    CHECK(t.n == 0 && mpg_intern_find(&t, (mpg_str){seen[0], lengths[0]}) == 0);
  }
  mpg_intern_free(&t);
  CHECK(h.live == 0);
}

/* It says what it takes; a long text has a block of its own, and leaves that of the short ones
** in use. */
static void test_memory(void) {
  hostile h = {0, 0, false, false, 0};
  mpg_env env = hostile_env(&h);
  char *long_text = calloc(1, 100000);
  size_t before, taken;
  uint32_t id;
  mpg_intern t;
  mpg_intern_init(&t, &env);
  CHECK(mpg_intern_bytes(&t) == 0);
  CHECK(mpg_intern_id(&t, MPG_STR("one"), &id) == MPG_OK);
  before = mpg_intern_bytes(&t);
  CHECK(before >= 65536 && before < 65536 + 2000);
  CHECK(mpg_intern_id(&t, (mpg_str){long_text, 100000}, &id) == MPG_OK);
  taken = mpg_intern_bytes(&t) - before;
  CHECK(taken > 100000 && taken < 100100 && h.live == 4); /* entries, slots, two blocks */
  CHECK(mpg_intern_id(&t, MPG_STR("two"), &id) == MPG_OK);
  CHECK(mpg_intern_bytes(&t) < before + taken + 100 && h.live == 4);
  /* A text of 99 bytes takes 100 with its end: 650 of them are in the block. */
  for (int i = 0; i < 650; i++) {
    (void)snprintf(long_text, 100, "%099d", i);
    CHECK(mpg_intern_id(&t, (mpg_str){long_text, 99}, &id) == MPG_OK && (int)id == i + 4);
  }
  CHECK(h.live == 4);
  for (int i = 0; i < 10; i++) {
    (void)snprintf(long_text, 100, "%099d", i + 1000);
    CHECK(mpg_intern_id(&t, (mpg_str){long_text, 99}, &id) == MPG_OK);
  }
  CHECK(h.live == 5);
  mpg_intern_reset(&t); /* one block is kept */
  CHECK(h.live == 3 && mpg_intern_bytes(&t) > 65536);
  mpg_intern_free(&t);
  CHECK(h.live == 0 && mpg_intern_bytes(&t) == 0);
  for (long fail = 1;; fail++) {
    mpg_rc rc = MPG_OK;
    h = (hostile){0, fail, false, false, 0};
    mpg_intern_init(&t, &env);
    for (int i = 0; i < 100 && rc == MPG_OK; i++) {
      (void)snprintf(long_text, 100, "%d", i);
      rc = mpg_intern_id(&t, mpg_str_of(long_text), &id);
      CHECK(rc != MPG_OK || (int)id == i + 1);
    }
    CHECK(rc == (h.failed ? MPG_NOMEM : MPG_OK));
    mpg_intern_free(&t);
    CHECK(h.live == 0);
    if (!h.failed)
      break;
  }
  free(long_text);
}

/* Texts that are one hash where no seed is drawn, for each ends with the word that undoes what came
** before it; with any seed they are told apart. */
static uint64_t fold(uint64_t a, uint64_t b) {
  unsigned __int128 p = (unsigned __int128)a * b;
  return (uint64_t)p ^ (uint64_t)(p >> 64);
}

static void test_seeds(void) {
  const uint64_t k0 = UINT64_C(0x9e3779b97f4a7c15), k1 = UINT64_C(0xd1b54a32d192ed03);
  enum { TEXTS = 500 };
  uint64_t words[TEXTS][2], equal[3] = {0};
  const uint64_t seeds[3] = {0, 2, UINT64_C(0x0123456789abcdef)};
  for (uint64_t i = 0; i < TEXTS; i++) {
    words[i][0] = i;
    words[i][1] = fold(fold(16 ^ k0, k1) ^ i, k0);
  }
  for (size_t s = 0; s < 3; s++)
    for (size_t i = 1; i < TEXTS; i++)
      equal[s] += mpg_hash(seeds[s], words[i], 16) == mpg_hash(seeds[s], words[0], 16);
  CHECK(equal[0] == TEXTS - 1 && equal[1] == 0 && equal[2] == 0);
}

/* Whoever has much to move asks on the way; a no adds nothing, and what was there stays. */
static void test_stops(void) {
  enum { MANY = 300000 };
  hostile h = {0};
  mpg_env env = hostile_env(&h);
  mpg_intern t;
  int stopped = 0;
  bool wrong = false;
  mpg_intern_init(&t, &env);
  for (uint32_t i = 0; i < MANY; i++) {
    char text[32];
    mpg_str s = {text, (size_t)snprintf(text, sizeof text, "%u", i)};
    uint32_t id;
    mpg_rc rc;
    h.stop_in = 2;
    rc = mpg_intern_id(&t, s, &id);
    h.stop_in = 0;
    if (rc == MPG_INTERRUPTED) {
      stopped++;
      wrong |= mpg_intern_find(&t, s) != 0 || mpg_intern_find(&t, MPG_STR("0")) != 1;
      rc = mpg_intern_id(&t, s, &id);
    }
    wrong |= rc != MPG_OK || id != i + 1;
  }
  CHECK(!wrong && t.n == MANY && stopped == 7); /* at 4 Ki to 256 Ki texts */
  mpg_intern_free(&t);
  CHECK(h.live == 0);
}

int main(void) {
  enum { MANY = 50000 };
  mpg_intern t;
  uint32_t id, again, wrong = 0;
  const char **where = malloc(MANY * sizeof *where);
  char text[64];
  char *long_text = malloc(200000);
  mpg_intern_init(&t, &mpg_env_libc);
  CHECK(mpg_intern_find(&t, MPG_STR("nothing")) == 0);
  CHECK(mpg_intern_text(&t, 0).p == NULL);
  CHECK(mpg_intern_id(&t, (mpg_str){NULL, 0}, &id) == MPG_OK && id == 1);
  CHECK(mpg_intern_id(&t, MPG_STR(""), &id) == MPG_OK && id == 1);
  CHECK(mpg_intern_id(&t, MPG_STR("a\0b"), &id) == MPG_OK && id == 2);
  CHECK(mpg_intern_id(&t, MPG_STR("a\0c"), &id) == MPG_OK && id == 3);
  CHECK(mpg_intern_id(&t, MPG_STR("a"), &id) == MPG_OK && id == 4);
  memset(long_text, 'x', 200000);
  CHECK(mpg_intern_id(&t, (mpg_str){long_text, 200000}, &id) == MPG_OK && id == 5);
  CHECK(mpg_intern_id(&t, (mpg_str){long_text, 199999}, &id) == MPG_OK && id == 6);
  for (uint32_t i = 0; i < MANY; i++) {
    int n = snprintf(text, sizeof text, "job-%u", i * 7919u);
    if (mpg_intern_id(&t, (mpg_str){text, (size_t)n}, &id) != MPG_OK || id != i + 7)
      wrong++;
    where[i] = mpg_intern_text(&t, id).p;
  }
  for (uint32_t i = 0; i < MANY; i++) {
    int n = snprintf(text, sizeof text, "job-%u", i * 7919u);
    mpg_str s = {text, (size_t)n};
    wrong += mpg_intern_id(&t, s, &again) != MPG_OK || again != i + 7 ||
             mpg_intern_find(&t, s) != again || mpg_intern_text(&t, again).p != where[i] ||
             !mpg_str_eq(mpg_intern_text(&t, again), s) || where[i][n] != '\0';
  }
  CHECK(wrong == 0);
  CHECK(t.n == MANY + 6);
  CHECK(mpg_intern_cmp(&t, 0, 1) < 0 && mpg_intern_cmp(&t, 1, 0) > 0 &&
        mpg_intern_cmp(&t, 2, 2) == 0);
  CHECK(mpg_intern_cmp(&t, 4, 2) < 0 && mpg_intern_cmp(&t, 2, 3) < 0 &&
        mpg_intern_cmp(&t, 5, 6) > 0);
  mpg_intern_free(&t);
  mpg_intern_free(&t);
  free(where);
  free(long_text);
  test_alike();
  test_seeds();
  test_memory();
  test_stops();
  return check_done("intern");
}
