/* rollup_threads.c - see rollup_threads.h. Jobs are accounted in batches of neighbours, each batch
** into cells of its own; pools follow, from what all jobs held. */
#include "rollup_threads.h"
#include "../../base/debug_assert.h"

#include "../../base/pipeline.h"

#include <string.h>

/* A batch is some work, and not too many jobs. */
#ifdef MPG_TEST
#define BATCH_SPANS 6
#define BATCH_JOBS 3
#else
#define BATCH_SPANS 16384
#define BATCH_JOBS 512
#endif

/* What a thread has for itself. */
typedef struct worker_state {
  mpg_pools pools; /* a view */
  mpg_timeline *timeline;
} worker_state;

typedef struct batch {
  size_t first, stop; /* jobs */
  mpg_rollup cells;
  mpg_rc rc;
  mpg_err err;
} batch;

typedef struct all {
  mpg_rollup *rollup;
  mpg_accounting *a;
  mpg_env env; /* the pipeline's */
  worker_state *worker_states;
  int nworker_states;
  batch *batches;
  size_t nbatches;
  size_t next; /* job */
} all;

static mpg_rc next_batch(void *ctx, void *slot, mpg_err *err) {
  all *w = ctx;
  batch *b = slot;
  const mpg_fleet *f = w->a->fleet;
  size_t njobs = mpg_fleet_njobs(f), spans = 0;
  if (w->next == njobs)
    return MPG_DONE;
  b->first = w->next;
  while (w->next < njobs && w->next - b->first < BATCH_JOBS && spans < BATCH_SPANS)
    spans += f->jobs[w->next++].spans.n;
  b->stop = w->next;
  return mpg_rollup_reset(&b->cells) == MPG_OK ? MPG_OK : mpg_fail_plain(err, MPG_INTERRUPTED);
}

/* Accounts a job, or, if nobody asks for its rows, gives the pools what it holds. */
static mpg_rc roll_up_job(all *w, worker_state *h, uint32_t job, const mpg_sink *sink,
                          mpg_err *err) {
  const mpg_gang *gang;
  uint8_t size;
  mpg_rc rc = MPG_OK;
  if (mpg_interrupted(&w->env))
    return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  if (w->a->left_out != NULL)
    rc = mpg_timeline_hold(h->timeline, job, &size, &gang, err);
  if (rc != MPG_OK || (w->a->left_out != NULL && w->a->left_out[job]))
    return rc;
  return mpg_timeline_job(h->timeline, job, &w->a->options.window, sink, err);
}

static void roll_up_batch(void *ctx, void *slot, int worker) {
  all *w = ctx;
  batch *b = slot;
  worker_state *h = &w->worker_states[worker];
  mpg_sink sink = mpg_rollup_sink(&b->cells);
  b->cells.env = &w->env; /* only the host's own thread polls it */
  for (size_t job = b->first; b->rc == MPG_OK && job < b->stop; job++)
    b->rc = roll_up_job(w, h, (uint32_t)job, &sink, &b->err);
  mpg_progress_account(&w->env, b->stop - b->first);
}

static mpg_rc copy_cells(const mpg_env *env, mpg_cells *cells, const mpg_rollup *from) {
  if (cells == NULL || cells->over)
    return MPG_OK;
  cells->over = cells->n + from->ncells > cells->limit;
  if (!cells->over &&
      mpg_grow(env, &cells->p, &cells->cap, cells->n + from->ncells, sizeof *cells->p) != MPG_OK)
    return MPG_NOMEM;
  if (cells->over) {
    mpg_free(env, cells->p);
    cells->p = NULL;
    cells->n = cells->cap = 0;
  } else if (from->ncells > 0) {
    if (!mpg_copy(env, cells->p + cells->n, from->cells, from->ncells * sizeof *cells->p))
      return MPG_INTERRUPTED;
    cells->n += from->ncells;
  }
  return MPG_OK;
}

static mpg_rc add_cells(all *w, mpg_cells *cells, const mpg_rollup *from, mpg_err *err) {
  mpg_rc rc = mpg_rollup_add_cells(w->rollup, from->cells, from->ncells);
  if (rc == MPG_OK)
    rc = copy_cells(w->rollup->env, cells, from);
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

static mpg_rc prepare_worker_states(all *w, const mpg_pipeline *pipeline, int threads,
                                    mpg_err *err) {
  mpg_rc rc = MPG_OK;
  w->env = *mpg_pipeline_env(pipeline);
  for (; rc == MPG_OK && w->nworker_states < threads; w->nworker_states++) {
    worker_state *h = &w->worker_states[w->nworker_states];
    h->pools = mpg_pools_view(&w->a->pools, w->a->env);
    rc = mpg_timeline_new(&h->timeline, &w->env, w->a->fleet, &w->a->options.rules, &h->pools, err);
  }
  return rc;
}

static mpg_rc roll_up_jobs(all *w, mpg_cells *cells, int threads, mpg_err *err) {
  static const mpg_pipeline_steps steps = {.cut = next_batch, .work = roll_up_batch};
  void *slots[2 * MPG_THREADS_MAX + 1], *slot;
  mpg_pipeline *pipeline = NULL;
  mpg_rc rc;
  for (size_t i = 0; i < w->nbatches; i++)
    slots[i] = &w->batches[i];
  rc = mpg_pipeline_open(&pipeline, w->a->env, threads, &steps, w, slots, err);
  if (rc == MPG_OK)
    rc = prepare_worker_states(w, pipeline, threads, err);
  while (rc == MPG_OK) {
    rc = mpg_pipeline_next(pipeline, &slot, err);
    if (rc == MPG_OK && ((batch *)slot)->rc != MPG_OK) {
      *err = ((batch *)slot)->err;
      rc = err->rc;
    }
    if (rc == MPG_OK)
      rc = add_cells(w, cells, &((batch *)slot)->cells, err);
  }
  mpg_pipeline_close(pipeline);
  for (size_t i = 0; i < w->nbatches; i++)
    w->batches[i].cells.env = w->rollup->env; /* the pipeline's is gone */
  rc = rc == MPG_DONE ? MPG_OK : rc;
  for (int i = 0; i < w->nworker_states; i++) {
    worker_state *h = &w->worker_states[i];
    mpg_err why;
    mpg_rc gathered;
    if (h->timeline != NULL)
      mpg_notices_merge(mpg_timeline_notices(w->a->timeline), w->a->fleet,
                        mpg_timeline_notices(h->timeline));
    mpg_timeline_free(h->timeline);
    gathered = mpg_pools_gather(&w->a->pools, &h->pools, &why);
    if (rc == MPG_OK && gathered != MPG_OK) {
      *err = why;
      rc = gathered;
    }
  }
  return rc;
}

static mpg_rc roll_up_pools(all *w, mpg_cells *cells, const char *source, mpg_err *err) {
  mpg_rollup *room = &w->batches[0].cells;
  mpg_sink sink = mpg_rollup_sink(room);
  size_t units = mpg_accounting_units(w->a);
  mpg_rc rc = MPG_OK;
  for (size_t u = mpg_fleet_njobs(w->a->fleet); rc == MPG_OK && u < units; u++) {
    rc = mpg_rollup_reset(room) == MPG_OK ? mpg_accounting_unit(w->a, u, &sink, source, err)
                                          : mpg_fail_plain(err, MPG_INTERRUPTED);
    if (rc == MPG_OK)
      rc = add_cells(w, cells, room, err);
  }
  return rc == MPG_OK ? mpg_accounting_finish(w->a, source, err) : rc;
}

mpg_rc mpg_rollup_all(mpg_rollup *rollup, mpg_accounting *accounting, int threads, mpg_cells *cells,
                      const char *source, mpg_err *err) {
  size_t nbatches;
  const mpg_env *env = rollup->env;
  all w = {.rollup = rollup, .a = accounting};
  mpg_rc rc = MPG_OK;
  threads = threads < 1 ? 1 : threads > MPG_THREADS_MAX ? MPG_THREADS_MAX : threads;
  nbatches = mpg_pipeline_slots(threads);
  MPG_ASSERT(rollup->ncells == 0);
  w.worker_states = mpg_calloc(env, (size_t)threads * sizeof *w.worker_states);
  w.batches = mpg_calloc(env, nbatches * sizeof *w.batches);
  if (w.worker_states == NULL || w.batches == NULL)
    rc = mpg_fail_nomem(err);
  for (; rc == MPG_OK && w.nbatches < nbatches; w.nbatches++)
    rc = mpg_rollup_init(&w.batches[w.nbatches].cells, env, accounting->fleet,
                         cells != NULL ? MPG_FINEST : rollup->mask, err);
  if (rc == MPG_OK)
    rc = roll_up_jobs(&w, cells, threads, err);
  if (rc == MPG_OK)
    rc = roll_up_pools(&w, cells, source, err);
  for (size_t i = 0; i < w.nbatches; i++)
    mpg_rollup_free(&w.batches[i].cells);
  mpg_free(env, w.batches);
  mpg_free(env, w.worker_states);
  return rc;
}
