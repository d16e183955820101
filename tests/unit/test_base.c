/* Tests of ext/base/base.c at the bounds of sizes, and of how many threads ext/base/pipeline.c
** takes. */
#include "check.h"
#include "hostile.h"
#include "../../ext/base/pipeline.h"

/* Room that is there is left alone; what no memory holds is refused, and the array stays as it
** was. */
static void test_grow(void) {
  hostile h = {0, 0, false, false, 0};
  mpg_env env = hostile_env(&h);
  int64_t *p = NULL, *before;
  size_t cap = 0;
  CHECK(mpg_grow(&env, &p, &cap, 3, sizeof *p) == MPG_OK && p != NULL && cap >= 3);
  before = p;
  p[2] = 42;
  CHECK(mpg_grow_array(&env, &p, &cap, 2, sizeof *p) == MPG_OK && p == before);
  CHECK(mpg_grow_array(&env, &p, &cap, SIZE_MAX, sizeof *p) == MPG_NOMEM);
  CHECK(mpg_grow_array(&env, &p, &cap, SIZE_MAX / 8, sizeof *p) == MPG_NOMEM);
  CHECK(mpg_grow_array(&env, &p, &cap, SIZE_MAX / 2, 1) == MPG_NOMEM);
  h.fail_in = 1;
  CHECK(mpg_grow_array(&env, &p, &cap, 1000, sizeof *p) == MPG_NOMEM);
  CHECK(p == before && cap >= 3 && cap < 1000 && p[2] == 42);
  mpg_free(&env, p);
  mpg_free(&env, NULL);
  CHECK(h.live == 0);
}

/* One at a time, a million take twenty steps: it doubles. */
static void test_doubling(void) {
  unsigned char *p = NULL;
  size_t cap = 0, grown = 0;
  for (size_t n = 1; n <= 1000000; n++) {
    size_t before = cap;
    CHECK(mpg_grow(&mpg_env_libc, &p, &cap, n, 1) == MPG_OK && cap >= n);
    grown += cap != before;
    p[n - 1] = (unsigned char)n;
  }
  for (size_t n = 1; n <= 1000000; n++)
    CHECK(p[n - 1] == (unsigned char)n);
  CHECK(cap < 2 * 1000000 + 8);
  CHECK(grown > 0);
#ifndef MPG_TEST
  CHECK(grown < 25);
#endif
  mpg_free(&mpg_env_libc, p);
}

/* Every text of up to three of a few bytes beside every other, in the order of memcmp, a prefix
** first. */
static void test_texts(void) {
  static const char bytes[] = {'A', 'Z', 'a', 'z', '@', '[', '`', '{', '\0', '\xff'};
  enum { N = sizeof bytes, ALL = 1 + N + N * N + N * N * N };
  static char texts[ALL][3];
  static size_t lengths[ALL];
  size_t n = 1;
  for (size_t length = 1, many = N; length <= 3; length++, many *= N)
    for (size_t i = 0; i < many; i++, n++) {
      size_t rest = i;
      for (size_t k = 0; k < length; k++, rest /= N)
        texts[n][k] = bytes[rest % N];
      lengths[n] = length;
    }
  CHECK(n == ALL);
  for (size_t i = 0; i < ALL; i += 3)
    for (size_t k = 0; k < ALL; k++) {
      mpg_str a = {texts[i], lengths[i]}, b = {texts[k], lengths[k]};
      bool same = true;
      int order = 0;
      for (size_t j = 0; j < 3 && order == 0; j++) {
        int x = j < a.n ? (unsigned char)a.p[j] : -1, y = j < b.n ? (unsigned char)b.p[j] : -1;
        order = (x > y) - (x < y);
      }
      for (size_t j = 0; j < 3; j++) {
        int x = j < a.n ? (unsigned char)a.p[j] : -1, y = j < b.n ? (unsigned char)b.p[j] : -1;
        same &= (x == 'A' || x == 'Z' ? x + 32 : x) == (y == 'A' || y == 'Z' ? y + 32 : y);
      }
      CHECK(mpg_str_eq(a, b) == (order == 0) && mpg_str_eq_nocase(a, b) == same);
      CHECK((mpg_str_cmp(a, b) > 0) - (mpg_str_cmp(a, b) < 0) == order);
    }
  CHECK(mpg_str_of(NULL).n == 0 && mpg_str_of("ab").n == 2);
}

/* Who asks for much that is zero asks the host behind every MiB, and leaves nothing where that
** says no. */
static void test_zeroed(void) {
  enum { PIECE = 1 << 20 };
  static const size_t sizes[] = {1, PIECE, PIECE + 1, 2 * PIECE, 2 * PIECE + 5};
  static const long asked[] = {0, 0, 1, 1, 2};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    hostile h = {0, 0, false, false, 100};
    mpg_env env = hostile_env(&h);
    mpg_rc rc;
    unsigned char *p = mpg_zeroed(&env, sizes[k], &rc);
    CHECK(rc == MPG_OK && h.stop_in == 100 - asked[k]);
    CHECK(p[0] == 0 && memcmp(p, p + 1, sizes[k] - 1) == 0);
    mpg_free(&env, p);
    h.stop_in = 2;
    p = mpg_zeroed(&env, sizes[k], &rc);
    CHECK(asked[k] == 0 ? p != NULL && rc == MPG_OK : p == NULL && rc == MPG_INTERRUPTED);
    mpg_free(&env, p);
    h.fail_in = 1;
    CHECK(mpg_zeroed(&env, sizes[k], &rc) == NULL && rc == MPG_NOMEM);
    CHECK(h.live == 0);
  }
}

/* Copies ask the host behind every MiB, and say where they were not whole. */
static void test_copy(void) {
  enum { PIECE = 1 << 20 };
  static const size_t sizes[] = {0, 1, PIECE, PIECE + 1, 2 * PIECE, 2 * PIECE + 5};
  static const long asked[] = {0, 0, 0, 1, 1, 2};
  unsigned char *from = malloc(2 * PIECE + 5), *to = malloc(2 * PIECE + 6);
  for (size_t i = 0; i < 2 * PIECE + 5; i++)
    from[i] = (unsigned char)(i * 7 + i / 251);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    hostile h = {0, 0, false, false, 100};
    mpg_env env = hostile_env(&h);
    memset(to, 1, 2 * PIECE + 6);
    CHECK(mpg_copy(&env, to, from, sizes[k]) && h.stop_in == 100 - asked[k]);
    CHECK(memcmp(to, from, sizes[k]) == 0 && to[sizes[k]] == 1);
    h.stop_in = 2;
    CHECK(mpg_copy(&env, to, from, sizes[k]) == (asked[k] == 0));
  }
  CHECK(mpg_copy(&mpg_env_libc, to, from, 2 * PIECE + 5));
  free(from);
  free(to);
}

enum { PIECES = 300 };
typedef struct sums {
  int cut, workers[MPG_THREADS_MAX];
} sums;

static mpg_rc cut_one(void *ctx, void *slot, mpg_err *err) {
  sums *s = ctx;
  (void)err;
  if (s->cut == PIECES)
    return MPG_DONE;
  *(int *)slot = s->cut++;
  return MPG_OK;
}

static void work_on(void *ctx, void *slot, int worker) {
  sums *s = ctx;
  s->workers[worker]++; /* of one thread each */
  *(int *)slot = *(int *)slot * 2;
}

/* Of no threads one is made, of too many as many as there may be; pieces come back in their
** order. */
static void test_threads(void) {
  static const int asked[] = {-5, 0, 1, 3, 1000};
  static const mpg_pipeline_steps steps = {.cut = cut_one, .work = work_on};
  for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
    int values[2 * MPG_THREADS_MAX + 1], done = 0, taken = 0;
    void *slots[2 * MPG_THREADS_MAX + 1], *slot;
    sums s = {0, {0}};
    mpg_pipeline *p = NULL;
    mpg_err err;
    mpg_rc rc;
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
      slots[i] = &values[i];
    CHECK(mpg_pipeline_open(&p, &mpg_env_libc, asked[k], &steps, &s, slots, &err) == MPG_OK);
    while ((rc = mpg_pipeline_next(p, &slot, &err)) == MPG_OK)
      CHECK(*(int *)slot == 2 * taken++);
    CHECK(rc == MPG_DONE && taken == PIECES);
    mpg_pipeline_close(p);
    for (int w = 0; w < MPG_THREADS_MAX; w++)
      done += s.workers[w];
    CHECK(done == PIECES && (asked[k] > 1 || s.workers[0] == PIECES));
  }
  mpg_pipeline_close(NULL);
}

/* What is too long keeps its ends, in whole characters: from the last byte that fits to far
** beyond. */
static void test_long_messages(void) {
  static char path[9000];
  for (size_t n = 990; n < sizeof path - 1; n += n < 1100 ? 1 : 501) {
    mpg_err err;
    size_t length;
    for (size_t i = 0; i + 1 < n; i += 2)
      memcpy(path + i, "\xc3\xa9", 2);
    path[n / 2 * 2] = '\0';
    CHECK(mpg_fail(&err, MPG_DATA, "/%s:%d:%d: what", path, 12, 3) == MPG_DATA);
    length = strlen(err.text);
    CHECK(length == n / 2 * 2 + 12 ||
          (n / 2 * 2 + 12 >= MPG_ERR_TEXT && length < MPG_ERR_TEXT && length > MPG_ERR_TEXT - 8));
    CHECK(strncmp(err.text, "/\xc3\xa9", 3) == 0);
    CHECK(n > 6000 || strcmp(err.text + length - 13, "\xc3\xa9:12:3: what") == 0);
    for (size_t i = 1, dots = 0; i < length - 11 && n < 6000; i++) {
      bool dot = err.text[i] == '.';
      dots += dot;
      CHECK(dot ? dots <= 3 : (unsigned char)err.text[i] == ((i - dots) % 2 == 1 ? 0xc3 : 0xa9));
    }
  }
}

int main(void) {
  test_grow();
  test_long_messages();
  test_doubling();
  test_texts();
  test_zeroed();
  test_copy();
  test_threads();
  return check_done("base");
}
