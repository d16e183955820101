/*
** pipeline.h - work in pieces that several threads share, with the result of one thread.
**
** The owner cuts the work into pieces, in order; any thread does one; the owner takes them back, in
** order. So the result does not depend on the number or speed of threads. The owner's thread also
** does pieces while it has nothing to cut or take, so one thread is enough, and no thread is
** started for work of one piece. If cutting is reading, other threads may cut too, so that it
** continues while the owner uses what it took.
**
** Only the owner's thread polls the host. The others use nothing of the host but memory: pass
** threads = 1 if the host's allocator is not safe for threads.
*/
#ifndef MPG_PIPELINE_H
#define MPG_PIPELINE_H

#include "base.h"

#define MPG_THREADS_MAX 64

/* Threads that this process may run at once, at least 1. */
int mpg_threads_available(void);

typedef struct mpg_pipeline_steps {
  /* In order, and never twice at once: makes the next piece ready in `slot`, whose last piece was
  ** taken. MPG_DONE: there is none. An error is returned after every piece before it was taken. */
  mpg_rc (*cut)(void *ctx, void *slot, mpg_err *err);
  /* In any thread, `worker` in 0..threads-1 and never twice at once. An error is stored in the
  ** slot, for its taker. */
  void (*work)(void *ctx, void *slot, int worker);
  /* cut() may run in any thread; else in the owner's alone. It then polls mpg_pipeline_env, and may
  ** run while the owner uses the piece that it took. */
  bool cut_by_any;
} mpg_pipeline_steps;

typedef struct mpg_pipeline mpg_pipeline;

/* How many slots keep that many threads busy. */
size_t mpg_pipeline_slots(int threads);

/* `slots` (mpg_pipeline_slots of them), `steps` and `ctx` stay the caller's and outlive it. */
mpg_rc mpg_pipeline_open(mpg_pipeline **out, const mpg_env *env, int threads,
                         const mpg_pipeline_steps *steps, void *ctx, void *const *slots,
                         mpg_err *err);
/* The slot of the next piece, done: the caller's until the next call. MPG_DONE at the end. After
** anything but MPG_OK the pipeline may only be closed. */
mpg_rc mpg_pipeline_next(mpg_pipeline *pipeline, void **slot, mpg_err *err);
int mpg_pipeline_threads(mpg_pipeline *pipeline); /* that may run, the owner's with them */

/*
** Work that cut() would have to do first, done ahead of it by another thread: unpacking, say.
** `ahead` is called with `of` by one thread at a time, never the owner's, and also while cut()
** runs; it does a bit, and says whether more can be done before cut() has taken from it. From here
** on, in place of what was there; for cut() and the owner, as is the next.
*/
void mpg_pipeline_ahead(mpg_pipeline *pipeline, bool (*ahead)(void *of), void *of);
/* From here on nothing is done ahead with `of`. Waits for what is. NULL, of a pipeline, is fine. */
void mpg_pipeline_no_ahead(mpg_pipeline *pipeline, const void *of);
/* Stops and ends every thread. NULL is fine. */
void mpg_pipeline_close(mpg_pipeline *pipeline);

/* For work() and cut(), and for all that they fill: the allocator of `env`, and whether the
** pipeline was told to stop. Lives as long as the pipeline; memory may outlive it. */
const mpg_env *mpg_pipeline_env(const mpg_pipeline *pipeline);

#endif
