/* test_pipeline.c - pieces come back once each, done, in order, whatever the threads; errors when their turn has come;
** and whoever stops, stops all. */
#include "check.h"
#include "hostile.h"
#include "../../ext/core/pipeline.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#define SLOTS ((size_t)2 * MPG_THREADS_MAX + 1)

typedef struct piece {
  int number, done, worker;
} piece;

typedef struct job {
  piece pieces[SLOTS];
  void *slots[SLOTS];
  const mpg_env *env; /* the pipeline's */
  pthread_t owner;
  int threads, pieces_n, cut;
  mpg_rc end;    /* what cut() says behind the last piece */
  int strangers; /* what came about that may not: atomic */
  bool busy[MPG_THREADS_MAX];
  int foreign;  /* pieces that other threads did, and signals that they block: atomic */
  int spinning; /* pieces that wait until they are stopped: atomic */
  bool spin;
} job;

static mpg_rc cut(void *ctx, void *slot, mpg_err *err) {
  job *j = ctx;
  piece *p = slot;
  if (!pthread_equal(pthread_self(), j->owner))
    __atomic_add_fetch(&j->strangers, 1, __ATOMIC_RELAXED);
  if (j->cut == j->pieces_n)
    return j->end == MPG_DONE ? MPG_DONE : mpg_fail(err, j->end, "no more of %d", j->cut);
  *p = (piece){j->cut++, 0, -1};
  return MPG_OK;
}

static void work(void *ctx, void *slot, int worker) {
  job *j = ctx;
  piece *p = slot;
  bool mine = pthread_equal(pthread_self(), j->owner);
  if (worker < 0 || worker >= j->threads || mine != (worker == 0) ||
      __atomic_exchange_n(&j->busy[worker], true, __ATOMIC_ACQ_REL))
    __atomic_add_fetch(&j->strangers, 1, __ATOMIC_RELAXED);
  if (!mine) {
    sigset_t blocked;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (sigismember(&blocked, SIGINT) != 1)
      __atomic_add_fetch(&j->strangers, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&j->foreign, 1, __ATOMIC_RELAXED);
  }
  if (__atomic_load_n(&j->spin, __ATOMIC_RELAXED)) {
    __atomic_add_fetch(&j->spinning, 1, __ATOMIC_RELAXED);
    while (!mpg_interrupted(j->env))
      (void)sched_yield();
  }
  p->done++;
  p->worker = worker;
  __atomic_store_n(&j->busy[worker], false, __ATOMIC_RELEASE);
}

static const mpg_pipeline_steps steps = {cut, work};

static mpg_pipeline *opened(job *j, const mpg_env *env, int threads, int pieces, mpg_rc end) {
  mpg_pipeline *p = NULL;
  mpg_err err;
  memset(j, 0, sizeof *j);
  j->owner = pthread_self();
  j->threads = threads < 1 ? 1 : threads > MPG_THREADS_MAX ? MPG_THREADS_MAX : threads;
  j->pieces_n = pieces;
  j->end = end;
  for (size_t i = 0; i < SLOTS; i++)
    j->slots[i] = &j->pieces[i];
  CHECK(mpg_pipeline_open(&p, env, threads, &steps, j, j->slots, &err) == MPG_OK);
  j->env = mpg_pipeline_env(p);
  return p;
}

static void test_order(void) {
  static const int threads[] = {-1, 0, 1, 2, 3, 8, MPG_THREADS_MAX, MPG_THREADS_MAX + 1};
  static const int pieces[] = {0, 1, 2, 3, 17, 500};
  static job j;
  CHECK(mpg_pipeline_slots(0) == 1 && mpg_pipeline_slots(1) == 1 && mpg_pipeline_slots(2) == 5);
  CHECK(mpg_pipeline_slots(MPG_THREADS_MAX) == SLOTS);
  for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++)
      for (int fails = 0; fails < 2; fails++) {
        hostile h = {0};
        mpg_env env = hostile_env(&h);
        mpg_rc end = fails ? MPG_DATA : MPG_DONE;
        mpg_pipeline *p = opened(&j, &env, threads[t], pieces[k], end);
        int slots = (int)mpg_pipeline_slots(j.threads);
        void *slot;
        mpg_err err = {MPG_OK, ""};
        bool good = true;
        for (int i = 0; i < pieces[k]; i++) {
          good &= mpg_pipeline_next(p, &slot, &err) == MPG_OK;
          good &= slot == &j.pieces[i % slots] && ((piece *)slot)->number == i &&
                  ((piece *)slot)->done == 1;
          good &= j.cut - i <= slots; /* no slot is used again before its piece was taken */
        }
        CHECK(good && mpg_pipeline_next(p, &slot, &err) == end && slot == NULL);
        CHECK(fails == (err.rc == MPG_DATA) && j.strangers == 0);
        mpg_pipeline_close(p);
        CHECK(h.live == 0);
        if (pieces[k] < 2 || threads[t] < 2)
          CHECK(j.foreign == 0); /* no thread was started */
      }
  mpg_pipeline_close(NULL);
}

/* Others work while the owner is away, up to as many pieces as there are slots. */
static void test_ahead(void) {
  static job j;
  mpg_pipeline *p = opened(&j, &mpg_env_libc, 3, 100, MPG_DONE);
  void *slot;
  mpg_err err;
  int before = 0;
  CHECK(mpg_pipeline_next(p, &slot, &err) == MPG_OK);
  for (int i = 1; i < 100; i++) {
    for (int wait = 0; wait < 1000 && __atomic_load_n(&j.foreign, __ATOMIC_RELAXED) == before;
         wait++)
      (void)sched_yield();
    before = __atomic_load_n(&j.foreign, __ATOMIC_RELAXED);
    CHECK(mpg_pipeline_next(p, &slot, &err) == MPG_OK);
  }
  CHECK(j.foreign > 0 && j.strangers == 0);
  mpg_pipeline_close(p);
}

static bool after_a_while(void *ctx) {
  int *left = ctx;
  return --*left < 0;
}

/* The host is asked while pieces are done, and says stop: they hear of it, and so does the owner. */
static void test_stops(void) {
  static job j;
  for (int threads = 1; threads <= 4; threads++) {
    int left = 50;
    mpg_env env = {mpg_env_libc.resize, NULL, after_a_while, &left, NULL};
    mpg_pipeline *p = opened(&j, &env, threads, 100, MPG_DONE);
    void *slot;
    mpg_err err;
    mpg_rc rc = MPG_OK;
    j.spin = true;
    while (rc == MPG_OK)
      rc = mpg_pipeline_next(p, &slot, &err);
    CHECK(rc == MPG_INTERRUPTED && err.rc == rc && slot == NULL && left < 0);
    mpg_pipeline_close(p);
    CHECK(j.strangers == 0 && j.spinning > 0);
  }
}

/* Closed in the midst of pieces that go on until they are told not to. */
static void test_closed(void) {
  static job j;
  int rounds = 0;
  for (; rounds < 20; rounds++) {
    int left = 3; /* the owner's own piece stops with the fourth question, and so the others */
    mpg_env env = {mpg_env_libc.resize, NULL, after_a_while, &left, NULL};
    mpg_pipeline *p = opened(&j, &env, 2 + rounds % 3, 50, MPG_DONE);
    void *slot;
    mpg_err err;
    j.spin = true;
    CHECK(mpg_pipeline_next(p, &slot, &err) != MPG_OK || j.spinning > 0);
    mpg_pipeline_close(p);
  }
  { /* no piece is with the owner: the first is done, the others spin */
    mpg_pipeline *p = opened(&j, &mpg_env_libc, 3, 50, MPG_DONE);
    void *slot;
    mpg_err err;
    CHECK(mpg_pipeline_next(p, &slot, &err) == MPG_OK);
    __atomic_store_n(&j.spin, true, __ATOMIC_RELAXED);
    mpg_pipeline_close(p);
    CHECK(j.strangers == 0);
  }
}

int main(void) {
  int n = mpg_threads_available();
  hostile h = {0, 1, false, false, 0};
  mpg_env env = hostile_env(&h);
  static job j;
  mpg_pipeline *p = NULL;
  mpg_err err;
  CHECK(n >= 1 && n <= MPG_THREADS_MAX);
  for (int fail = 1; fail <= 2; fail++) {
    h.fail_in = fail;
    CHECK(mpg_pipeline_open(&p, &env, 4, &steps, &j, j.slots, &err) == MPG_NOMEM && p == NULL);
    CHECK(h.live == 0);
  }
  test_order();
  test_ahead();
  test_stops();
  test_closed();
  return check_done("pipeline");
}
