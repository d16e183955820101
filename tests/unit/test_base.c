/* Tests of ext/core/base.c at the bounds of sizes, and of how many threads ext/core/pipeline.c takes. */
#include "check.h"
#include "hostile.h"
#include "../../ext/core/pipeline.h"

/* Room that is there is left alone; what no memory holds is refused, and the array stays as it was. */
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

/* Of no threads one is made, of too many as many as there may be; pieces come back in their order. */
static void test_threads(void) {
  static const int asked[] = {-5, 0, 1, 3, 1000};
  static const mpg_pipeline_steps steps = {cut_one, work_on};
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

int main(void) {
  test_grow();
  test_threads();
  return check_done("base");
}
