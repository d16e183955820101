/* pipeline.c - see pipeline.h. Piece i is in slot i modulo the number of slots; three counts say
** how far cutting, working and taking have come. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "pipeline.h"
#include "debug_assert.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MILLISECONDS_BETWEEN_POLLS 20

struct worker {
  mpg_pipeline *pipeline;
  pthread_t thread;
  int number;
};

struct mpg_pipeline {
  const mpg_env *env;
  mpg_env worker_env;
  const mpg_pipeline_steps *steps;
  void *ctx;
  void *const *slots;
  size_t nslots;
  bool *done; /* of each slot */
  uint64_t cut, begun, taken;
  bool held;    /* the piece `taken` is with the caller, its slot not free yet */
  bool cutting; /* a thread is: `cut` is its to raise */
  bool ended;   /* nothing is left to cut; `end` says why */
  mpg_err end;
  bool (*ahead)(void *of); /* NULL: nothing is done ahead of cutting */
  void *ahead_of;
  bool more_ahead;      /* there may be something to do */
  const void *at_ahead; /* what a thread does just now; NULL: nothing */
  int idle;             /* threads that wait, with the owner's */
  int threads;          /* that may run, with the owner's */
  int running;          /* workers that were started */
  pthread_t owner;      /* atomic: a connection may be stepped by one thread after another */
  bool quit;
  bool stop; /* atomic: work() should return soon */
  pthread_mutex_t lock;
  pthread_cond_t ready, finished; /* a piece to begin, or quit; a piece done */
  pthread_cond_t ahead_done;
  struct worker workers[];
};

static int threads_of(long processors) {
  return processors < 1 ? 1 : processors > MPG_THREADS_MAX ? MPG_THREADS_MAX : (int)processors;
}

#ifdef __linux__
/* The kernel refuses a set with less room than it has processors, which may be more than
** cpu_set_t's 1,024. */
int mpg_threads_available(void) {
  cpu_set_t sets[16];
  for (size_t size = sizeof *sets; size <= sizeof sets; size *= 2) {
    if (sched_getaffinity(0, size, sets) == 0)
      return threads_of(CPU_COUNT_S(size, sets));
  }
  return 1;
}
#else
int mpg_threads_available(void) {
  return threads_of(sysconf(_SC_NPROCESSORS_ONLN));
}
#endif

size_t mpg_pipeline_slots(int threads) {
  return threads <= 1 ? 1 : 2 * (size_t)threads + 1;
}

static void set_stop(mpg_pipeline *p) {
  __atomic_store_n(&p->stop, true, __ATOMIC_RELAXED);
}

/* What work() polls. The owner, while it does a piece itself, polls the host for all threads. */
static bool is_stopped(void *ctx) {
  mpg_pipeline *p = ctx;
  if (pthread_equal(pthread_self(), __atomic_load_n(&p->owner, __ATOMIC_RELAXED)) &&
      mpg_interrupted(p->env))
    set_stop(p);
  return __atomic_load_n(&p->stop, __ATOMIC_RELAXED);
}

mpg_rc mpg_pipeline_open(mpg_pipeline **out, const mpg_env *env, int threads,
                         const mpg_pipeline_steps *steps, void *ctx, void *const *slots,
                         mpg_err *err) {
  mpg_pipeline *p;
  size_t workers;
  if (threads < 1)
    threads = 1;
  if (threads > MPG_THREADS_MAX)
    threads = MPG_THREADS_MAX;
  workers = (size_t)threads - 1;
  *out = p = mpg_calloc(env, sizeof *p + workers * sizeof *p->workers);
  if (p == NULL)
    return mpg_fail_nomem(err);
  p->env = env;
  p->worker_env = *env;
  p->worker_env.interrupted = is_stopped;
  p->worker_env.interrupted_ctx = p;
  p->steps = steps;
  p->ctx = ctx;
  p->slots = slots;
  p->nslots = mpg_pipeline_slots(threads);
  p->owner = pthread_self();
  p->threads = threads;
  p->done = mpg_calloc(env, p->nslots * sizeof *p->done);
  if (p->done == NULL || pthread_mutex_init(&p->lock, NULL) != 0) {
    mpg_free(env, p->done);
    mpg_free(env, p);
    *out = NULL;
    return mpg_fail_nomem(err);
  }
  /* glibc's conditions take nothing that could be short. */
  (void)pthread_cond_init(&p->ready, NULL);
  (void)pthread_cond_init(&p->finished, NULL);
  (void)pthread_cond_init(&p->ahead_done, NULL);
  return MPG_OK;
}

const mpg_env *mpg_pipeline_env(const mpg_pipeline *p) {
  return &p->worker_env;
}

int mpg_pipeline_threads(mpg_pipeline *p) {
  int n;
  (void)pthread_mutex_lock(&p->lock); /* fewer if one cannot be started */
  n = p->threads;
  (void)pthread_mutex_unlock(&p->lock);
  return n;
}

/* With the lock held: does the first piece that no thread has begun. */
static void do_piece(mpg_pipeline *p, int worker) {
  size_t slot = (size_t)(p->begun++ % p->nslots);
  MPG_ASSERT(p->taken <= p->begun && p->begun <= p->cut && !p->done[slot]);
  (void)pthread_mutex_unlock(&p->lock);
  p->steps->work(p->ctx, p->slots[slot], worker);
  (void)pthread_mutex_lock(&p->lock);
  p->done[slot] = true;
  (void)pthread_cond_signal(&p->finished);
}

static bool may_cut(const mpg_pipeline *p) {
  return !p->ended && !p->cutting && p->cut - p->taken < p->nslots;
}

/* Cuts the next piece, with the lock held at begin and end. */
static void cut_piece(mpg_pipeline *p) {
  size_t slot = (size_t)(p->cut % p->nslots);
  mpg_rc rc;
  p->cutting = true;
  (void)pthread_mutex_unlock(&p->lock);
  rc = p->steps->cut(p->ctx, p->slots[slot], &p->end);
  (void)pthread_mutex_lock(&p->lock);
  p->cutting = false;
  p->more_ahead = true; /* it has taken from that */
  if (rc == MPG_OK) {
    p->done[slot] = false;
    p->cut++;
    MPG_ASSERT(p->cut - p->taken <= p->nslots);
    (void)pthread_cond_signal(&p->ready);
  } else {
    p->end.rc = rc;
    p->ended = true;
  }
  (void)pthread_cond_signal(&p->finished); /* the owner may wait for this piece, or for the end */
}

static bool may_go_ahead(const mpg_pipeline *p) {
  return p->ahead != NULL && p->more_ahead && p->at_ahead == NULL;
}

/* With the lock held at begin and end. */
static void go_ahead(mpg_pipeline *p) {
  bool (*ahead)(void *of) = p->ahead;
  void *of = p->ahead_of;
  bool more;
  p->at_ahead = of;
  (void)pthread_mutex_unlock(&p->lock);
  more = ahead(of);
  (void)pthread_mutex_lock(&p->lock);
  p->at_ahead = NULL;
  p->more_ahead = more || p->ahead_of != of;
  (void)pthread_cond_broadcast(&p->ahead_done);
}

void mpg_pipeline_ahead(mpg_pipeline *p, bool (*ahead)(void *of), void *of) {
  (void)pthread_mutex_lock(&p->lock);
  p->ahead = ahead;
  p->ahead_of = of;
  p->more_ahead = true;
  (void)pthread_mutex_unlock(&p->lock);
}

void mpg_pipeline_no_ahead(mpg_pipeline *p, const void *of) {
  if (p == NULL)
    return;
  (void)pthread_mutex_lock(&p->lock);
  if (p->ahead_of == of) {
    p->ahead = NULL;
    p->ahead_of = NULL;
  }
  while (p->at_ahead == of && of != NULL)
    (void)pthread_cond_wait(&p->ahead_done, &p->lock);
  (void)pthread_mutex_unlock(&p->lock);
}

static void *worker_main(void *arg) {
  struct worker *w = arg;
  mpg_pipeline *p = w->pipeline;
#ifdef MPG_TEST
  mpg_test_poller = is_stopped;
#endif
  (void)pthread_mutex_lock(&p->lock);
  while (!p->quit) {
    uint64_t waiting = p->cut - p->begun;
    /* The cutting thread continues cutting while others wait for pieces. */
    if (may_go_ahead(p)) {
      go_ahead(p);
    } else if (p->steps->cut_by_any && may_cut(p) && waiting <= (uint64_t)p->idle) {
      cut_piece(p);
    } else if (waiting > 0) {
      do_piece(p, w->number);
    } else {
      p->idle++;
      (void)pthread_cond_wait(&p->ready, &p->lock);
      p->idle--;
    }
  }
  (void)pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* Starts one more thread; if that fails, the work continues without it. The thread blocks signals,
** which stay with the threads that expect them. */
static void start_worker(mpg_pipeline *p) {
  struct worker *w = &p->workers[p->running];
  sigset_t all, before;
  w->pipeline = p;
  w->number = p->running + 1;
  (void)sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
    return;
  if (pthread_create(&w->thread, NULL, worker_main, w) == 0)
    p->running++;
  else
    p->threads = p->running + 1;
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void wait_a_little(mpg_pipeline *p) {
  struct timespec until;
  (void)clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += MILLISECONDS_BETWEEN_POLLS * 1000000L;
  if (until.tv_nsec >= 1000000000L) {
    until.tv_nsec -= 1000000000L;
    until.tv_sec++;
  }
  p->idle++;
  (void)pthread_cond_timedwait(&p->finished, &p->lock, &until);
  p->idle--;
}

/* One step of the owner, with the lock held; false if the next piece is done, or the end. */
static bool step_owner(mpg_pipeline *p) {
  bool done = p->taken < p->cut && p->done[p->taken % p->nslots];
  /* If other threads wait for pieces and may not cut, cut now and take the finished pieces later:
  ** the owner may be away for long. */
  bool wanted = !done || (!p->steps->cut_by_any && p->running > 0 && p->cut - p->begun < 2);
  /* Cutting would wait for what is done ahead: what can be done comes before it. */
  bool later = !done && p->at_ahead != NULL && p->begun < p->cut;
  if (wanted && !later && may_cut(p)) {
    cut_piece(p);
    if (p->cut - p->begun > 1 && p->running + 1 < p->threads)
      start_worker(p);
  } else if (!done && p->begun < p->cut) {
    do_piece(p, 0);
  } else if (!done && (p->taken < p->cut || p->cutting)) {
    wait_a_little(p);
  } else {
    return false;
  }
  return true;
}

/* The caller is through with its piece: others may cut into that slot. */
static void give_back(mpg_pipeline *p) {
  (void)pthread_mutex_lock(&p->lock);
  p->taken += p->held;
  p->held = false;
  MPG_ASSERT(p->taken <= p->begun);
  if (p->steps->cut_by_any)
    (void)pthread_cond_signal(&p->ready);
  (void)pthread_mutex_unlock(&p->lock);
}

mpg_rc mpg_pipeline_next(mpg_pipeline *p, void **slot, mpg_err *err) {
  bool more = true;
  *slot = NULL;
  __atomic_store_n(&p->owner, pthread_self(), __ATOMIC_RELAXED);
  give_back(p);
  while (more) {
    if (mpg_interrupted(p->env)) {
      set_stop(p);
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    }
    (void)pthread_mutex_lock(&p->lock);
    more = step_owner(p);
    p->held = !more && p->taken < p->cut;
    (void)pthread_mutex_unlock(&p->lock);
  }
  if (p->held) {
    *slot = p->slots[p->taken % p->nslots];
    return MPG_OK;
  }
  if (p->end.rc != MPG_DONE)
    *err = p->end;
  return p->end.rc;
}

void mpg_pipeline_close(mpg_pipeline *p) {
  if (p == NULL)
    return;
  set_stop(p);
  (void)pthread_mutex_lock(&p->lock);
  p->quit = true;
  (void)pthread_cond_broadcast(&p->ready);
  (void)pthread_mutex_unlock(&p->lock);
  for (int i = 0; i < p->running; i++)
    (void)pthread_join(p->workers[i].thread, NULL);
  (void)pthread_cond_destroy(&p->ready);
  (void)pthread_cond_destroy(&p->finished);
  (void)pthread_cond_destroy(&p->ahead_done);
  (void)pthread_mutex_destroy(&p->lock);
  mpg_free(p->env, p->done);
  mpg_free(p->env, p);
}
