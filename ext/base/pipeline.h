/*
** pipeline.h - work in pieces that several threads share, with the result of one thread.
**
** The work is cut into pieces, in order; any thread does one; the owner takes them back, in order.
** What comes out so does not depend on how many threads there are, or on which is quicker. The
** owner's thread cuts, and does pieces too while it has nothing to cut and none to take, so one
** thread is enough, and no thread is started for work of one piece. Where cutting is reading,
** others may cut as well, so that it continues while the owner is away with what it took.
**
** Only the owner's thread asks the host whether to stop, and nothing but memory is asked of the
** host by the others: pass threads = 1 if the host's allocator is not one for several threads.
*/
#ifndef MPG_PIPELINE_H
#define MPG_PIPELINE_H

#include "base.h"

#define MPG_THREADS_MAX 64

/* Threads that this process may run at once, at least 1. */
int mpg_threads_available(void);

typedef struct mpg_pipeline_steps {
  /* In order, and never twice at once: makes the next piece ready in `slot`, whose last piece has
  ** been taken. MPG_DONE: there is none. An error is told once every piece before it has been
  ** taken. */
  mpg_rc (*cut)(void *ctx, void *slot, mpg_err *err);
  /* Any thread, `worker` in 0..threads-1 and never twice at once. What goes wrong is kept in the
  ** slot, for its taker. */
  void (*work)(void *ctx, void *slot, int worker);
  /* cut() is for any thread too, else for the owner's alone. It then asks mpg_pipeline_env whether
  ** to stop, and continues while the owner does as it likes with the piece that it took. */
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

/* For work() and cut(): the allocator of `env`, and whether the pipeline was told to stop. What
** they put rows and names into holds it too, for that asks while it grows. Lives as long as the
** pipeline; memory may outlive it. */
const mpg_env *mpg_pipeline_env(const mpg_pipeline *pipeline);

#endif
