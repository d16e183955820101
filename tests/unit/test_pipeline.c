/* test_pipeline.c - pieces come back once each, done, in order, whatever the threads and whoever
** cuts them; errors when their turn has come; and whoever stops, stops all. */
#define _GNU_SOURCE /* cpu_set_t */
#include "check.h"
#include "hostile.h"
#include "../../ext/base/pipeline.h"

#include <errno.h>
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
  int threads, pieces_n;
  int cut;       /* atomic, as the next two */
  int taken;     /* by the owner */
  int cut_there; /* by others */
  int finished;  /* pieces: atomic */
  bool cutting;
  mpg_rc end;    /* what cut() says behind the last piece */
  int strangers; /* what came about that may not: atomic */
  bool busy[MPG_THREADS_MAX];
  int foreign;  /* pieces that other threads did, and signals that they block: atomic */
  int spinning; /* pieces that wait until they are stopped: atomic */
  bool spin;
  bool by_any;
} job;

static mpg_rc cut(void *ctx, void *slot, mpg_err *err) {
  job *j = ctx;
  piece *p = slot;
  int number = __atomic_load_n(&j->cut, __ATOMIC_RELAXED);
  bool mine = pthread_equal(pthread_self(), j->owner);
  if ((!mine && !j->by_any) || __atomic_exchange_n(&j->cutting, true, __ATOMIC_ACQ_REL))
    __atomic_add_fetch(&j->strangers, 1, __ATOMIC_RELAXED);
  if (!mine)
    __atomic_add_fetch(&j->cut_there, 1, __ATOMIC_RELAXED);
  /* No slot is used again before its piece was given back. */
  if (number - __atomic_load_n(&j->taken, __ATOMIC_RELAXED) > (int)mpg_pipeline_slots(j->threads))
    __atomic_add_fetch(&j->strangers, 1, __ATOMIC_RELAXED);
  if (number < j->pieces_n) {
    *p = (piece){number, 0, -1};
    __atomic_store_n(&j->cut, number + 1, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&j->cutting, false, __ATOMIC_RELEASE);
  if (number < j->pieces_n)
    return MPG_OK;
  return j->end == MPG_DONE ? MPG_DONE : mpg_fail(err, j->end, "no more of %d", number);
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
  __atomic_add_fetch(&j->finished, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&j->busy[worker], false, __ATOMIC_RELEASE);
}

static const mpg_pipeline_steps by_owner = {.cut = cut, .work = work},
                                by_any = {.cut = cut, .work = work, .cut_by_any = true};

static mpg_pipeline *opened(job *j, const mpg_env *env, int threads, int pieces, mpg_rc end,
                            const mpg_pipeline_steps *steps) {
  mpg_pipeline *p = NULL;
  mpg_err err;
  memset(j, 0, sizeof *j);
  j->owner = pthread_self();
  j->by_any = steps->cut_by_any;
  j->threads = threads < 1 ? 1 : threads > MPG_THREADS_MAX ? MPG_THREADS_MAX : threads;
  j->pieces_n = pieces;
  j->end = end;
  for (size_t i = 0; i < SLOTS; i++)
    j->slots[i] = &j->pieces[i];
  CHECK(mpg_pipeline_open(&p, env, threads, steps, j, j->slots, &err) == MPG_OK);
  j->env = mpg_pipeline_env(p);
  return p;
}

static void test_order(const mpg_pipeline_steps *steps) {
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
        mpg_pipeline *p = opened(&j, &env, threads[t], pieces[k], end, steps);
        int slots = (int)mpg_pipeline_slots(j.threads);
        void *slot;
        mpg_err err = {MPG_OK, ""};
        bool good = true;
        for (int i = 0; i < pieces[k]; i++) {
          good &= mpg_pipeline_next(p, &slot, &err) == MPG_OK;
          good &= slot == &j.pieces[i % slots] && ((piece *)slot)->number == i &&
                  ((piece *)slot)->done == 1;
          __atomic_store_n(&j.taken, i, __ATOMIC_RELAXED);
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
static void test_ahead(const mpg_pipeline_steps *steps) {
  static job j;
  mpg_pipeline *p = opened(&j, &mpg_env_libc, 3, 100, MPG_DONE, steps);
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
    __atomic_store_n(&j.taken, i, __ATOMIC_RELAXED);
  }
  CHECK(j.foreign > 0 && j.strangers == 0 && (steps->cut_by_any || j.cut_there == 0));
  mpg_pipeline_close(p);
}

typedef struct bit {
  int done;        /* atomic, as all */
  int strangers;   /* what came about that may not */
  bool busy, over; /* over: nothing more may be done */
  pthread_t owner;
} bit;

/* A bit of work ahead of cutting; every third time that is all for now. */
static bool do_a_bit(void *of) {
  bit *b = of;
  if (__atomic_exchange_n(&b->busy, true, __ATOMIC_ACQ_REL) ||
      __atomic_load_n(&b->over, __ATOMIC_ACQUIRE) || pthread_equal(pthread_self(), b->owner))
    __atomic_add_fetch(&b->strangers, 1, __ATOMIC_RELAXED);
  (void)sched_yield();
  __atomic_store_n(&b->busy, false, __ATOMIC_RELEASE);
  return __atomic_add_fetch(&b->done, 1, __ATOMIC_RELAXED) % 3 != 0;
}

/* Ahead of cutting one of the others is at work at a time, and none once it is ended, whatever it
** is at; then with another, and then nothing is. */
static void test_done_ahead(const mpg_pipeline_steps *steps) {
  static job j;
  for (int threads = 1; threads <= 4; threads++) {
    mpg_pipeline *p = opened(&j, &mpg_env_libc, threads, 300, MPG_DONE, steps);
    bit bits[2] = {{.owner = pthread_self()}, {.owner = pthread_self()}};
    void *slot;
    mpg_err err;
    CHECK(mpg_pipeline_threads(p) == threads);
    mpg_pipeline_ahead(p, do_a_bit, &bits[0]);
    for (int i = 0; i < 300; i++) {
      CHECK(mpg_pipeline_next(p, &slot, &err) == MPG_OK && ((piece *)slot)->number == i);
      __atomic_store_n(&j.taken, i, __ATOMIC_RELAXED);
      for (int wait = 0; i % 100 == 50 && threads > 1 && wait < 1000000 &&
                         __atomic_load_n(&bits[i / 100 % 2].done, __ATOMIC_RELAXED) == 0;
           wait++)
        (void)sched_yield();
      mpg_pipeline_no_ahead(p, &j); /* there is none of that */
      if (i == 100 || i == 200) {
        mpg_pipeline_no_ahead(p, &bits[i / 100 - 1]);
        __atomic_store_n(&bits[i / 100 - 1].over, true, __ATOMIC_RELEASE);
      }
      if (i == 100)
        mpg_pipeline_ahead(p, do_a_bit, &bits[1]);
    }
    CHECK(mpg_pipeline_next(p, &slot, &err) == MPG_DONE && j.strangers == 0);
    mpg_pipeline_close(p);
    for (int i = 0; i < 2; i++)
      CHECK(bits[i].strangers == 0 && (bits[i].done > 0) == (threads > 1));
  }
  mpg_pipeline_no_ahead(NULL, &j);
}

/* Where others may cut they fill every slot while the owner is away with its piece, do them all,
** and no more. */
static void test_filled(void) {
  static job j;
  for (int threads = 2; threads <= 5; threads++) {
    mpg_pipeline *p = opened(&j, &mpg_env_libc, threads, 1000, MPG_DONE, &by_any);
    int slots = (int)mpg_pipeline_slots(threads);
    void *slot;
    mpg_err err;
    for (int i = 0; i < 100; i++) {
      CHECK(mpg_pipeline_next(p, &slot, &err) == MPG_OK && ((piece *)slot)->number == i);
      __atomic_store_n(&j.taken, i, __ATOMIC_RELAXED);
      while (__atomic_load_n(&j.finished, __ATOMIC_ACQUIRE) < i + slots)
        (void)sched_yield();
      CHECK(((piece *)slot)->number == i && ((piece *)slot)->done == 1);
    }
    CHECK(j.cut == 99 + slots && j.cut_there >= 99 && j.strangers == 0);
    mpg_pipeline_close(p);
  }
}

typedef struct stepper {
  mpg_pipeline *pipeline;
  job *j;
  mpg_rc rc;
} stepper;

/* Asks for pieces as another thread than the one that opened the pipeline. */
static void *step_elsewhere(void *arg) {
  stepper *s = arg;
  void *slot;
  mpg_err err;
  s->j->owner = pthread_self();
  while (s->rc == MPG_OK)
    s->rc = mpg_pipeline_next(s->pipeline, &slot, &err);
  return NULL;
}

static bool after_a_while(void *ctx) {
  int *left = ctx;
  return --*left < 0;
}

/* The host is asked while pieces are done, and says stop: they hear of it, and so does the
** owner. */
static void test_stops(const mpg_pipeline_steps *steps) {
  static job j;
  for (int threads = 1; threads <= 4; threads++) {
    int left = 50;
    mpg_env env = {
        .resize = mpg_env_libc.resize, .interrupted = after_a_while, .interrupted_ctx = &left};
    mpg_pipeline *p = opened(&j, &env, threads, 100, MPG_DONE, steps);
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

/* A piece asks the host in the thread that asks for pieces, whichever opened the pipeline: with one
** thread nobody else can have ended it. */
static void test_stops_elsewhere(void) {
  static job j;
  int left = 50;
  mpg_env env = {
      .resize = mpg_env_libc.resize, .interrupted = after_a_while, .interrupted_ctx = &left};
  stepper s = {opened(&j, &env, 1, 100, MPG_DONE, &by_any), &j, MPG_OK};
  pthread_t thread;
  j.spin = true;
  CHECK(pthread_create(&thread, NULL, step_elsewhere, &s) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  mpg_pipeline_close(s.pipeline);
  CHECK(s.rc == MPG_INTERRUPTED && j.strangers == 0 && j.spinning == 1 && left < 0);
}

/* Closed in the midst of pieces that go on until they are told not to. */
static void test_closed(const mpg_pipeline_steps *steps) {
  static job j;
  int rounds = 0;
  for (; rounds < 20; rounds++) {
    int left = 3; /* the owner's own piece stops with the fourth question, and so the others */
    mpg_env env = {
        .resize = mpg_env_libc.resize, .interrupted = after_a_while, .interrupted_ctx = &left};
    mpg_pipeline *p = opened(&j, &env, 2 + rounds % 3, 50, MPG_DONE, steps);
    void *slot;
    mpg_err err;
    j.spin = true;
    CHECK(mpg_pipeline_next(p, &slot, &err) != MPG_OK || j.spinning > 0);
    mpg_pipeline_close(p);
  }
  { /* no piece is with the owner: the first is done, the others spin */
    mpg_pipeline *p = opened(&j, &mpg_env_libc, 3, 50, MPG_DONE, steps);
    void *slot;
    mpg_err err;
    CHECK(mpg_pipeline_next(p, &slot, &err) == MPG_OK);
    __atomic_store_n(&j.spin, true, __ATOMIC_RELAXED);
    mpg_pipeline_close(p);
    CHECK(j.strangers == 0);
  }
}

/* In place of the system's: so many processors this process may use, -1: nobody knows; of so many
** that the machine has, of all of which a set must have room to tell. */
static int processors = 1, there = 1;

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set) {
  errno = EINVAL;
  if (8 * size < (size_t)there)
    return -1;
  CPU_ZERO_S(size, set);
  for (int i = 0; i < processors; i++)
    CPU_SET_S((size_t)(2 * i + 1) % (8 * size), size, set);
  return pid == 0 && processors >= 0 ? 0 : -1;
}

static void test_available(void) {
  static const int counts[][3] = {{-1, 1, 8},   {0, 1, 8},     {1, 1, 8},      {2, 2, 8},
                                  {63, 63, 64}, {64, 64, 128}, {65, 64, 1024}, {512, 64, 1024},
                                  {7, 7, 1025}, {3, 3, 8192},  {9, 9, 16384},  {9, 1, 16385}};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    processors = counts[i][0];
    there = counts[i][2];
    CHECK(mpg_threads_available() == counts[i][1]);
  }
}

int main(void) {
  hostile h = {0, 1, false, false, 0};
  mpg_env env = hostile_env(&h);
  static job j;
  mpg_pipeline *p = NULL;
  mpg_err err;
  test_available();
  for (int fail = 1; fail <= 2; fail++) {
    h.fail_in = fail;
    CHECK(mpg_pipeline_open(&p, &env, 4, &by_any, &j, j.slots, &err) == MPG_NOMEM && p == NULL);
    CHECK(h.live == 0);
  }
  for (int i = 0; i < 2; i++) {
    const mpg_pipeline_steps *steps = i == 0 ? &by_owner : &by_any;
    test_order(steps);
    test_ahead(steps);
    test_done_ahead(steps);
    test_stops(steps);
    test_closed(steps);
  }
  test_filled();
  test_stops_elsewhere();
  return check_done("pipeline");
}
