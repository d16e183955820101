/*
** ledger_scan.c - see ledger_scan.h.
**
** Sorting works on entries: a job or a pool, or, if the order includes pool or chip, its share on
** one pool and chip. The order's first keys, up to one that differs from row to row, are those of
** entries; entries with equal keys are a group. A batch is some groups, or a part of a large one,
** accounted by one thread. If the rows of a large group have to be sorted among themselves, the
** whole group is collected first.
**
** Pools may come first in the order, so what jobs hold is collected before; that needs only the
** jobs' gangs.
*/
#include "ledger_scan.h"
#include "../../base/ascii.h"

#include "../../base/pipeline.h"
#include "../../base/sort.h"

#include <stdlib.h>
#include <string.h>

#ifdef MPG_TEST /* small fleets have large groups */
#define BATCH_SPANS 6
#define BATCH_ENTRIES 3
#else
#define BATCH_SPANS 16384
#define BATCH_ENTRIES 512
#endif
#define ANY UINT32_MAX /* of a pool or a chip: all there are */

typedef struct entry {
  size_t unit;
  uint32_t pool, chip; /* index + 1, text; ANY */
  uint8_t size;
  bool first; /* of its unit: the others notice nothing */
} entry;

typedef struct worker_state {
  mpg_timeline *timeline;
  mpg_row_sorter sorter;
} worker_state;

typedef struct batch {
  size_t first, stop; /* entries */
  bool part;          /* of a group that more batches, before or after, are of */
  mpg_ledger rows;
  mpg_row_chunk chunk; /* the rows, if they have to be sorted with those of other parts */
  mpg_rc rc;
  mpg_err err;
} batch;

struct mpg_ledger_scan {
  const mpg_env *env;
  mpg_env workers; /* the pipeline's, while there is one: of what they work in */
  mpg_accounting *a;
  const mpg_scan_request *request;
  const char *source;
  size_t njobs;
  entry *entries;
  size_t nentries, entries_cap, next;
  mpg_ledger *pools; /* rows of each pool */
  worker_state *worker_states;
  int nworker_states;
  batch *batches;
  size_t nbatches;
  void **slots;
  mpg_pipeline *pipeline;
  size_t nkeys; /* of entries; the request may have more keys, for the rows of a group */
  bool within;  /* it has */
  bool by_pool, by_chip;
  mpg_row_order order; /* of the rows of a group */
  mpg_row_pile pile;   /* a large one; if `piled`, it is being read */
  bool piled;
  mpg_ledger batch_rows; /* some of its rows */
  bool done;             /* every batch was taken */
  batch *ahead;          /* taken, and not of the group before it */
  bool emitted;          /* `once`: of the current group, which continues */
};

/* ---- keys ---- */

static bool of_row(mpg_dim d) {
  return d == MPG_DIM_ATTEMPT || d == MPG_DIM_CATEGORY || d == MPG_DIM_CAUSE || d == MPG_DIM_BUCKET;
}

static uint32_t job_of(const mpg_ledger_scan *s, const entry *e) {
  return e->unit < s->njobs ? (uint32_t)e->unit + 1 : 0;
}

/* One of the dimensions of jobs (index + 1; 0: none), as text. */
static int compare_jobs(const mpg_fleet *f, uint32_t a, uint32_t b, mpg_dim d) {
  return mpg_intern_cmp(&f->texts, a == 0 ? 0 : f->jobs[a - 1].dim[d],
                        b == 0 ? 0 : f->jobs[b - 1].dim[d]);
}

static int compare_sizes(uint8_t a, uint8_t b) {
  const char *x = mpg_size_name(a), *y = mpg_size_name(b);
  return x == NULL || y == NULL ? (x != NULL) - (y != NULL) : strcmp(x, y);
}

/* NULL first, as in SQLite. */
static int by_key(const mpg_ledger_scan *s, const entry *a, const entry *b, mpg_dim d) {
  const mpg_fleet *f = s->a->fleet;
  switch (d) {
  case MPG_DIM_JOB:
    return mpg_intern_cmp(&f->job_names, job_of(s, a), job_of(s, b));
  case MPG_DIM_POOL:
    return mpg_intern_cmp(&f->pool_names, a->pool, b->pool);
  case MPG_DIM_CHIP:
    return mpg_intern_cmp(&f->texts, a->chip, b->chip);
  case MPG_DIM_SIZE:
    return compare_sizes(a->size, b->size);
  default:
    return compare_jobs(f, job_of(s, a), job_of(s, b), d);
  }
}

static int compare_keys(const mpg_ledger_scan *s, const entry *a, const entry *b) {
  for (size_t i = 0; i < s->nkeys; i++) {
    const mpg_scan_key *k = &s->request->keys[i];
    int c = by_key(s, a, b, k->dim);
    if (c != 0)
      return k->descending ? -c : c;
  }
  return 0;
}

static int entry_order(const void *pa, const void *pb, void *ctx) {
  const entry *a = pa, *b = pb;
  int c = compare_keys(ctx, a, b);
  c = c ? c : mpg_compare_int64((int64_t)a->unit, (int64_t)b->unit);
  c = c ? c : mpg_compare_int64(a->pool, b->pool);
  return c ? c : mpg_compare_int64(a->chip, b->chip);
}

/* ---- rows that are wanted ---- */

/* What an entry's rows go through. */
typedef struct strainer {
  const mpg_ledger_scan *s;
  const entry *e;
  mpg_sink into;
  int64_t number; /* of the next row of the unit */
} strainer;

static mpg_str dim_text(const mpg_fleet *f, const mpg_row *row, mpg_dim d) {
  const char *name;
  switch (d) {
  case MPG_DIM_JOB:
    return mpg_intern_text(&f->job_names, row->job);
  case MPG_DIM_POOL:
    return mpg_intern_text(&f->pool_names, row->pool);
  case MPG_DIM_CHIP:
    return mpg_intern_text(&f->texts, row->chip);
  case MPG_DIM_CAUSE:
    return mpg_intern_text(&f->texts, row->cause);
  case MPG_DIM_CATEGORY:
    return mpg_str_of(mpg_category_get(row->category)->name);
  case MPG_DIM_SIZE:
    name = mpg_size_name(row->size);
    return name == NULL ? (mpg_str){NULL, 0} : mpg_str_of(name);
  default:
    return row->job == 0 ? (mpg_str){NULL, 0}
                         : mpg_intern_text(&f->texts, f->jobs[row->job - 1].dim[d]);
  }
}

static bool passes_filter(const mpg_scan_filter *w, double t) {
  switch (w->op) {
  case MPG_SCAN_LT:
    return t < w->seconds;
  case MPG_SCAN_LE:
    return t <= w->seconds;
  case MPG_SCAN_GT:
    return t > w->seconds;
  case MPG_SCAN_GE:
    return t >= w->seconds;
  default:
    return t == w->seconds;
  }
}

static bool is_one_of(mpg_str text, const mpg_str *texts, size_t n) {
  for (size_t i = 0; text.p != NULL && i < n; i++)
    if (mpg_str_eq(text, texts[i]))
      return true;
  return false;
}

static bool is_wanted(const mpg_ledger_scan *s, const mpg_row *row) {
  for (size_t i = 0; i < s->request->nfilters; i++) {
    const mpg_scan_filter *w = &s->request->filters[i];
    if (w->time) {
      if (!passes_filter(w, (double)(w->end ? row->end : row->start) / 1e6))
        return false;
    } else if (!is_one_of(dim_text(s->a->fleet, row, w->dim), w->texts, w->ntexts)) {
      return false;
    }
  }
  return true;
}

static mpg_rc strain_row(void *ctx, const mpg_row *row) {
  strainer *x = ctx;
  mpg_row numbered;
  int64_t number = x->number++;
  if ((x->e->pool != ANY && row->pool != x->e->pool) ||
      (x->e->chip != ANY && row->chip != x->e->chip) || !is_wanted(x->s, row))
    return MPG_OK;
  if ((x->s->request->columns >> MPG_ROW_NUMBER & 1) == 0)
    return x->into.row(x->into.ctx, row);
  numbered = *row;
  numbered.number = number;
  return x->into.row(x->into.ctx, &numbered);
}

/* ---- entries ---- */

static mpg_rc add_entry(mpg_ledger_scan *s, entry e) {
  if (mpg_grow(s->env, &s->entries, &s->entries_cap, s->nentries + 1, sizeof e) != MPG_OK)
    return MPG_NOMEM;
  s->entries[s->nentries++] = e;
  return MPG_OK;
}

/* The entries of a unit in one of its pools (index + 1): one for each chip that the pool had at any
** time. */
static mpg_rc add_pool(mpg_ledger_scan *s, entry e, uint32_t pool) {
  int64_t at = INT64_MIN;
  e.pool = s->by_pool ? pool : ANY;
  do {
    int64_t until = INT64_MAX;
    uint32_t chip = pool == 0 ? 0 : mpg_pools_chip(&s->a->pools, pool - 1, at, &until);
    e.chip = s->by_chip ? chip : ANY;
    if (add_entry(s, e) != MPG_OK)
      return MPG_NOMEM;
    at = until;
  } while (at != INT64_MAX && s->by_chip);
  return MPG_OK;
}

static int place_order(const void *pa, const void *pb) {
  const entry *a = pa, *b = pb;
  int c = mpg_compare_int64(a->pool, b->pool);
  return c ? c : mpg_compare_int64(a->chip, b->chip);
}

/* Keeps each of the unit's entries, which are those from `first` on, once. */
static void settle_unit(mpg_ledger_scan *s, size_t first) {
  size_t n = first;
  if (s->nentries - first > 1)
    qsort(s->entries + first, s->nentries - first, sizeof *s->entries, place_order);
  for (size_t i = first; i < s->nentries; i++)
    if (n == first || place_order(&s->entries[n - 1], &s->entries[i]) != 0)
      s->entries[n++] = s->entries[i];
  s->nentries = n;
  if (n > first)
    s->entries[first].first = true;
}

static mpg_rc add_job(mpg_ledger_scan *s, uint32_t job, mpg_err *err) {
  const mpg_gang *gang;
  entry e = {job, ANY, ANY, 0, false};
  size_t first = s->nentries;
  mpg_rc rc = mpg_timeline_hold(s->a->timeline, job, &e.size, &gang, err);
  bool nowhere = gang->npools == 0;
  if (rc != MPG_OK)
    return rc;
  for (size_t i = 0; i < gang->nshortfalls; i++)
    nowhere |= gang->shortfalls[i].pool == 0;
  for (size_t p = 0; rc == MPG_OK && p < gang->npools; p++)
    rc = add_pool(s, e, gang->pools[p] + 1);
  if (rc == MPG_OK && nowhere)
    rc = add_pool(s, e, 0);
  if (rc != MPG_OK)
    return mpg_fail_nomem(err);
  settle_unit(s, first);
  return MPG_OK;
}

static mpg_rc add_entries(mpg_ledger_scan *s, mpg_err *err) {
  size_t npools = mpg_fleet_npools(s->a->fleet);
  mpg_rc rc = MPG_OK;
  for (size_t j = 0; rc == MPG_OK && j < s->njobs; j++) {
    if (j % 4096 == 0 && mpg_interrupted(s->env))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    rc = add_job(s, (uint32_t)j, err);
  }
  if (rc != MPG_OK)
    return rc;
  for (size_t p = 0; rc == MPG_OK && p < npools; p++) {
    entry e = {s->njobs + p, ANY, ANY, 0, false};
    size_t first = s->nentries;
    rc = add_pool(s, e, (uint32_t)p + 1);
    if (rc == MPG_OK)
      settle_unit(s, first);
  }
  if (rc != MPG_OK)
    return mpg_fail_nomem(err);
  if (s->request->nkeys == 0)
    return MPG_OK;
  rc = mpg_sort(s->env, s->entries, s->nentries, sizeof *s->entries, entry_order, s);
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

/* The rows of every pool, which need little room. They are made after all holds are known. */
static mpg_rc account_pools(mpg_ledger_scan *s, mpg_err *err) {
  size_t npools = mpg_fleet_npools(s->a->fleet);
  mpg_rc rc = MPG_OK;
  s->pools = mpg_calloc(s->env, (npools + 1) * sizeof *s->pools);
  if (s->pools == NULL)
    return mpg_fail_nomem(err);
  for (size_t p = 0; p < npools; p++)
    mpg_ledger_init(&s->pools[p], s->env);
  for (size_t p = 0; rc == MPG_OK && p < npools; p++) {
    mpg_sink sink = mpg_ledger_sink(&s->pools[p]);
    rc = mpg_accounting_unit(s->a, s->njobs + p, &sink, s->source, err);
    if (rc == MPG_NOMEM)
      return mpg_fail_nomem(err);
  }
  return rc;
}

/* ---- batches ---- */

static bool same_group(const mpg_ledger_scan *s, size_t a, size_t b) {
  return compare_keys(s, &s->entries[a], &s->entries[b]) == 0;
}

static size_t weight_of(const mpg_ledger_scan *s, const entry *e) {
  return e->unit < s->njobs ? s->a->fleet->jobs[e->unit].spans.n : s->pools[e->unit - s->njobs].n;
}

/* Whole groups, as many as make a batch; or of one that is too large as much as does. */
static mpg_rc next_batch(void *ctx, void *slot, mpg_err *err) {
  mpg_ledger_scan *s = ctx;
  batch *b = slot;
  bool keyed = s->request->nkeys > 0;
  size_t size = 0, whole = s->next;
  (void)err;
  if (s->next == s->nentries)
    return MPG_DONE;
  b->first = s->next;
  b->rows.n = 0;
  b->rc = MPG_OK;
  b->part = keyed && s->next > 0 && same_group(s, s->next - 1, s->next);
  while (s->next < s->nentries && s->next - b->first < BATCH_ENTRIES && size < BATCH_SPANS) {
    size += weight_of(s, &s->entries[s->next++]);
    if (!keyed || s->next == s->nentries || !same_group(s, s->next - 1, s->next)) {
      whole = s->next;
      if (b->part) /* the end of a large group */
        break;
    }
  }
  if (whole > b->first)
    s->next = whole;
  else
    b->part = true;
  b->stop = s->next;
  return MPG_OK;
}

static mpg_rc account_entry(const mpg_ledger_scan *s, const worker_state *h, const entry *e,
                            batch *b) {
  strainer through = {s, e, mpg_ledger_sink(&b->rows), (int64_t)e->unit << 32};
  mpg_sink sink = {strain_row, &through, NULL};
  const mpg_ledger *pool;
  mpg_notices before = *mpg_timeline_notices(h->timeline);
  mpg_rc rc = MPG_OK;
  if (e->unit < s->njobs) {
    rc = mpg_timeline_job(h->timeline, (uint32_t)e->unit, &s->a->options.window, &sink, &b->err);
    if (e->first)
      mpg_progress_account(&s->workers, 1);
    else
      *mpg_timeline_notices(h->timeline) = before;
    return rc;
  }
  pool = &s->pools[e->unit - s->njobs];
  for (size_t i = 0; rc == MPG_OK && i < pool->n; i++) {
    mpg_row row = {.pool = pool->pool[i],
                   .chip = pool->chip[i],
                   .cause = pool->cause[i],
                   .category = (mpg_category)pool->category[i],
                   .attempt = pool->attempt[i],
                   .start = pool->start[i],
                   .end = pool->end[i],
                   .bucket = pool->bucket[i],
                   .chip_us = pool->chip_us[i],
                   .step = pool->step[i],
                   .line = pool->line[i]};
    rc = mpg_poll(&s->workers, i) ? MPG_INTERRUPTED : strain_row(&through, &row);
  }
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(&b->err, rc);
}

static void account_batch(void *ctx, void *slot, int worker) {
  mpg_ledger_scan *s = ctx;
  batch *b = slot;
  size_t from = 0, norder = 0;
  for (size_t i = b->first; b->rc == MPG_OK && i < b->stop; i++) {
    bool ends = s->request->nkeys > 0 && (i + 1 == b->stop || !same_group(s, i, i + 1));
    b->rc = mpg_interrupted(&s->workers)
                ? mpg_fail(&b->err, MPG_INTERRUPTED, "interrupted")
                : account_entry(s, &s->worker_states[worker], &s->entries[i], b);
    if (b->rc != MPG_OK || !ends)
      continue;
    if (s->within && !b->part)
      b->rc = mpg_row_sorter_sort(&s->worker_states[worker].sorter, &b->rows, from, &norder);
    if (b->rc != MPG_OK)
      b->rc = mpg_fail_plain(&b->err, b->rc);
    if (!s->within && s->request->once && b->rows.n > from)
      b->rows.n = from + 1;
    from = b->rows.n;
  }
  if (s->within && b->part && b->rc == MPG_OK) {
    b->rc = mpg_row_chunk_make(&b->chunk, &s->worker_states[worker].sorter, &b->rows);
    if (b->rc != MPG_OK)
      b->rc = mpg_fail_plain(&b->err, b->rc);
  } else if (s->within) {
    b->rows.n = norder; /* the first of the order */
  }
}

/* ---- life ---- */

static mpg_rc open_worker_states(mpg_ledger_scan *s, int threads, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  s->workers = *mpg_pipeline_env(s->pipeline);
  for (; rc == MPG_OK && s->nworker_states < threads; s->nworker_states++) {
    worker_state *h = &s->worker_states[s->nworker_states];
    mpg_row_sorter_init(&h->sorter, &s->workers, &s->order);
    rc = mpg_timeline_new(&h->timeline, &s->workers, s->a->fleet, &s->a->options.rules,
                          &s->a->pools, err);
    if (rc == MPG_OK)
      mpg_timeline_holds_nothing(h->timeline);
  }
  return rc;
}

mpg_rc mpg_ledger_scan_open(mpg_ledger_scan **out, mpg_accounting *a,
                            const mpg_scan_request *request, int threads, const char *source,
                            mpg_err *err) {
  static const mpg_pipeline_steps steps = {.cut = next_batch, .work = account_batch};
  mpg_ledger_scan *s = mpg_calloc(a->env, sizeof *s);
  mpg_rc rc;
  *out = s;
  if (s == NULL)
    return mpg_fail_nomem(err);
  threads = threads < 1 ? 1 : threads > MPG_THREADS_MAX ? MPG_THREADS_MAX : threads;
  s->env = a->env;
  s->workers = *a->env;
  s->a = a;
  s->request = request;
  s->source = source;
  s->njobs = mpg_fleet_njobs(a->fleet);
  for (; s->nkeys < request->nkeys && !of_row(request->keys[s->nkeys].dim); s->nkeys++) {
    s->by_pool |= request->keys[s->nkeys].dim == MPG_DIM_POOL;
    s->by_chip |= request->keys[s->nkeys].dim == MPG_DIM_CHIP;
  }
  s->within = s->nkeys < request->nkeys;
  mpg_row_order_init(&s->order, a->fleet, request->keys + s->nkeys, request->nkeys - s->nkeys,
                     request->once);
  mpg_row_pile_init(&s->pile, s->env, &s->order);
  mpg_ledger_init(&s->batch_rows, s->env);
  s->batch_rows.columns = request->columns;
  s->worker_states = mpg_calloc(s->env, (size_t)threads * sizeof *s->worker_states);
  s->batches = mpg_calloc(s->env, mpg_pipeline_slots(threads) * sizeof *s->batches);
  s->slots = mpg_calloc(s->env, mpg_pipeline_slots(threads) * sizeof *s->slots);
  if (s->worker_states == NULL || s->batches == NULL || s->slots == NULL)
    return mpg_fail_nomem(err);
  for (; s->nbatches < mpg_pipeline_slots(threads); s->nbatches++) {
    batch *b = &s->batches[s->nbatches];
    mpg_ledger_init(&b->rows, &s->workers);
    b->rows.columns = request->columns | mpg_row_order_columns(&s->order);
    mpg_row_chunk_init(&b->chunk, &s->workers, &s->order, request->columns);
    s->slots[s->nbatches] = b;
  }
  rc = add_entries(s, err);
  if (rc == MPG_OK)
    rc = account_pools(s, err);
  if (rc == MPG_OK)
    rc = mpg_pipeline_open(&s->pipeline, s->env, threads, &steps, s, s->slots, err);
  return rc == MPG_OK ? open_worker_states(s, threads, err) : rc;
}

void mpg_ledger_scan_close(mpg_ledger_scan *s) {
  if (s == NULL)
    return;
  mpg_pipeline_close(s->pipeline);
  s->workers = *s->env;
  for (int i = 0; i < s->nworker_states; i++) {
    mpg_timeline_free(s->worker_states[i].timeline);
    mpg_row_sorter_free(&s->worker_states[i].sorter);
  }
  for (size_t i = 0; i < s->nbatches; i++) {
    mpg_ledger_free(&s->batches[i].rows);
    mpg_row_chunk_free(&s->batches[i].chunk);
  }
  for (size_t p = 0; s->pools != NULL && p < mpg_fleet_npools(s->a->fleet); p++)
    mpg_ledger_free(&s->pools[p]);
  mpg_row_pile_free(&s->pile);
  mpg_ledger_free(&s->batch_rows);
  mpg_free(s->env, s->pools);
  mpg_free(s->env, s->entries);
  mpg_free(s->env, s->worker_states);
  mpg_free(s->env, s->batches);
  mpg_free(s->env, s->slots);
  mpg_free(s->env, s);
}

/* ---- handing out ---- */

static mpg_rc take_batch(mpg_ledger_scan *s, batch **out, mpg_err *err) {
  void *slot;
  mpg_rc rc;
  *out = s->ahead;
  s->ahead = NULL;
  if (*out != NULL)
    return MPG_OK;
  if (s->done)
    return MPG_DONE;
  rc = mpg_pipeline_next(s->pipeline, &slot, err);
  if (rc != MPG_OK) {
    s->done = true;
    return rc;
  }
  *out = slot;
  if ((*out)->rc != MPG_OK)
    *err = (*out)->err;
  return (*out)->rc;
}

/* Collects a large group, of which *b is the first batch; after that it is read. */
static mpg_rc pile_up(mpg_ledger_scan *s, batch *b, mpg_err *err) {
  size_t first = b->first;
  mpg_rc rc = MPG_OK;
  s->batch_rows.n = 0;
  while (rc == MPG_OK) {
    rc = mpg_row_pile_add(&s->pile, &b->chunk);
    if (rc != MPG_OK)
      return mpg_fail_plain(err, rc);
    rc = take_batch(s, &b, err);
    if (rc == MPG_OK && (!b->part || !same_group(s, first, b->first))) {
      s->ahead = b;
      break;
    }
  }
  if (rc != MPG_OK && rc != MPG_DONE)
    return rc;
  rc = mpg_row_pile_sort(&s->pile);
  s->piled = true;
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

/* The next rows of the pile; none: all were read. */
static mpg_rc emit_pile(mpg_ledger_scan *s, mpg_err *err) {
  mpg_rc rc = mpg_row_pile_next(&s->pile, &s->batch_rows);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  if (s->batch_rows.n == 0) {
    mpg_row_pile_clear(&s->pile);
    s->piled = false;
  }
  return MPG_OK;
}

static mpg_rc finish_sources(mpg_ledger_scan *s, mpg_err *err) {
  mpg_rc rc;
  for (int i = 0; i < s->nworker_states; i++)
    mpg_notices_merge(mpg_timeline_notices(s->a->timeline), s->a->fleet,
                      mpg_timeline_notices(s->worker_states[i].timeline));
  rc = mpg_accounting_finish(s->a, s->source, err);
  return rc == MPG_OK ? MPG_DONE : rc;
}

/* The rows of the next batch. */
static mpg_rc emit_batch(mpg_ledger_scan *s, const mpg_ledger **out, mpg_err *err) {
  batch *b;
  mpg_rc rc = take_batch(s, &b, err);
  if (rc == MPG_DONE)
    return finish_sources(s, err);
  if (rc != MPG_OK)
    return rc;
  if (b->part && s->within)
    return pile_up(s, b, err);
  *out = &b->rows;
  if (b->part && s->request->once) {
    bool goes_on = b->first > 0 && same_group(s, b->first - 1, b->first);
    if (goes_on && s->emitted)
      b->rows.n = 0;
    s->emitted = (goes_on && s->emitted) || b->rows.n > 0;
  }
  return MPG_OK;
}

mpg_rc mpg_ledger_scan_next(mpg_ledger_scan *s, const mpg_ledger **out, mpg_err *err) {
  mpg_rc rc;
  do {
    *out = &s->batch_rows;
    rc = s->piled ? emit_pile(s, err) : emit_batch(s, out, err);
  } while (rc == MPG_OK && (*out)->n == 0);
  return rc;
}
