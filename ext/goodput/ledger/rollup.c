/*
** rollup.c - see rollup.h. Jobs that agree in every requested dimension are one group, which is
** found once for each job.
*/
#include "rollup.h"
#include "../../base/debug_assert.h"

#include "../../base/intern.h"

#include <string.h>

#define JOB_DIMS_MASK ((1u << (MPG_DIM_LABELS + 1)) - 1)

mpg_rc mpg_rollup_init(mpg_rollup *r, const mpg_env *env, const mpg_fleet *fleet, uint32_t mask,
                       mpg_err *err) {
  mpg_rc rc;
  memset(r, 0, sizeof *r);
  r->env = env;
  r->fleet = fleet;
  r->mask = mask;
  r->group = mpg_zeroed(env, (mpg_fleet_njobs(fleet) + 1) * sizeof *r->group, &rc);
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

void mpg_rollup_free(mpg_rollup *r) {
  if (r->env == NULL)
    return;
  mpg_free(r->env, r->cells);
  mpg_hash_index_free(&r->index, r->env);
  mpg_free(r->env, r->group);
  mpg_hash_index_free(&r->groups, r->env);
  memset(r, 0, sizeof *r);
}

static bool is_requested(const mpg_rollup *r, mpg_dim d) {
  return r->mask >> d & 1;
}

/* ---- groups of jobs ---- */

/* The requested dimensions of a job; the others are 0. */
typedef struct job_key {
  uint32_t dim[MPG_JOB_DIMS];
} job_key;

static job_key key_of_job(const mpg_rollup *r, uint32_t job) {
  job_key key;
  for (int d = 0; d < MPG_JOB_DIMS; d++)
    key.dim[d] = is_requested(r, (mpg_dim)d) ? r->fleet->jobs[job].dim[d] : 0;
  return key;
}

static uint64_t hash_of_job(const void *r, uint32_t job) {
  job_key key = key_of_job(r, job);
  return mpg_hash(((const mpg_rollup *)r)->env->seed, &key, sizeof key);
}

/* The value in mpg_rollup.group for a job with NULL in every requested dimension: the same as no
** job. */
#define LIKE_NO_JOB UINT32_MAX

static mpg_rc find_group(mpg_rollup *r, uint32_t job, uint32_t *out) {
  static const job_key nothing;
  job_key key, other;
  size_t at;
  uint32_t found;
  mpg_rc rc;
  *out = job;
  if (is_requested(r, MPG_DIM_JOB))
    return MPG_OK;
  rc = mpg_hash_index_reserve(&r->groups, r->env, r->ngroups, 64, hash_of_job, r);
  if (rc != MPG_OK)
    return rc;
  key = key_of_job(r, job - 1);
  if (memcmp(&key, &nothing, sizeof key) == 0) {
    *out = LIKE_NO_JOB;
    return MPG_OK;
  }
  for (at = mpg_hash_index_first(&r->groups, mpg_hash(r->env->seed, &key, sizeof key));
       mpg_hash_index_at(&r->groups, at, &found); at = mpg_hash_index_next(&r->groups, at)) {
    other = key_of_job(r, found);
    if (memcmp(&other, &key, sizeof other) == 0) {
      *out = found + 1;
      return MPG_OK;
    }
  }
  mpg_hash_index_put(&r->groups, at, job - 1);
  r->ngroups++;
  return MPG_OK;
}

/* The job (index + 1) that represents `job` (index + 1) in cells; 0: none. */
static mpg_rc group_of(mpg_rollup *r, uint32_t job, uint32_t *out) {
  uint32_t *group;
  mpg_rc rc;
  *out = 0;
  if (job == 0)
    return MPG_OK;
  group = &r->group[job - 1];
  if (*group == 0 && (rc = find_group(r, job, group)) != MPG_OK)
    return rc;
  *out = *group == LIKE_NO_JOB ? 0 : *group;
  return MPG_OK;
}

/* ---- cells ---- */

static bool same_cell(const mpg_cell *a, const mpg_cell *b) {
  return a->job == b->job && a->pool == b->pool && a->chip == b->chip && a->cause == b->cause &&
         a->attempt == b->attempt && a->bucket == b->bucket && a->size == b->size &&
         a->category == b->category;
}

static uint64_t hash_key(const mpg_rollup *r, const mpg_cell *c) {
  uint64_t key[4] = {(uint64_t)c->job << 32 | c->pool, (uint64_t)c->chip << 32 | c->cause,
                     (uint64_t)c->attempt ^ ((uint64_t)c->size << 56 | (uint64_t)c->category << 48),
                     (uint64_t)c->bucket};
  return mpg_hash(r->env->seed, key, sizeof key);
}

static uint64_t hash_of_cell(const void *r, uint32_t number) {
  return hash_key(r, &((const mpg_rollup *)r)->cells[number]);
}

static mpg_rc find_cell(mpg_rollup *r, const mpg_cell *key, mpg_cell **out) {
  size_t at;
  uint32_t number;
  mpg_rc rc = mpg_hash_index_reserve(&r->index, r->env, r->ncells, 256, hash_of_cell, r);
  if (rc != MPG_OK)
    return rc;
  for (at = mpg_hash_index_first(&r->index, hash_key(r, key));
       mpg_hash_index_at(&r->index, at, &number); at = mpg_hash_index_next(&r->index, at))
    if (same_cell(&r->cells[number], key)) {
      *out = &r->cells[number];
      return MPG_OK;
    }
  if (r->ncells >= UINT32_MAX - 1 ||
      mpg_grow(r->env, &r->cells, &r->cells_cap, r->ncells + 1, sizeof *r->cells) != MPG_OK)
    return MPG_NOMEM;
  r->cells[r->ncells] = *key;
  mpg_hash_index_put(&r->index, at, (uint32_t)r->ncells);
  *out = &r->cells[r->ncells++];
  return MPG_OK;
}

/* The cell that a finer one, with every dimension, is part of. */
static mpg_rc find_whole(mpg_rollup *r, const mpg_cell *fine, mpg_cell **out) {
  mpg_cell key = {.pool = is_requested(r, MPG_DIM_POOL) ? fine->pool : 0,
                  .chip = is_requested(r, MPG_DIM_CHIP) ? fine->chip : 0,
                  .cause = is_requested(r, MPG_DIM_CAUSE) ? fine->cause : 0,
                  .attempt = is_requested(r, MPG_DIM_ATTEMPT) ? fine->attempt : INT64_MIN,
                  .bucket = is_requested(r, MPG_DIM_BUCKET) ? fine->bucket : INT64_MIN,
                  .size = is_requested(r, MPG_DIM_SIZE) ? fine->size : 0,
                  .category = is_requested(r, MPG_DIM_CATEGORY) ? fine->category : 0};
  mpg_rc rc = MPG_OK;
  if ((r->mask & (JOB_DIMS_MASK | 1u << MPG_DIM_JOB)) != 0)
    rc = group_of(r, fine->job, &key.job);
  return rc == MPG_OK ? find_cell(r, &key, out) : rc;
}

/* The cell of a row: most often that of the last row of its category. */
static inline mpg_rc cell_of(mpg_rollup *r, const mpg_row *row, mpg_cell **cell) {
  mpg_recent_cell *recent = &r->recent[row->category];
  if (recent->cell == 0 || recent->job != row->job || recent->pool != row->pool ||
      recent->chip != row->chip || recent->cause != row->cause || recent->attempt != row->attempt ||
      recent->bucket != row->bucket || recent->size != row->size) {
    mpg_cell fine = {row->job,
                     row->pool,
                     row->chip,
                     row->cause,
                     row->attempt,
                     row->bucket,
                     row->size,
                     (uint8_t)row->category,
                     0,
                     0};
    mpg_rc rc = find_whole(r, &fine, cell);
    if (rc != MPG_OK)
      return rc;
    *recent = (mpg_recent_cell){(uint32_t)(*cell - r->cells) + 1,
                                row->job,
                                row->pool,
                                row->chip,
                                row->cause,
                                row->attempt,
                                row->bucket,
                                row->size};
  }
  MPG_ASSERT(recent->cell >= 1 && recent->cell <= r->ncells);
  *cell = &r->cells[recent->cell - 1];
  return MPG_OK;
}

static mpg_rc add_row(void *ctx, const mpg_row *row) {
  mpg_cell *cell;
  mpg_rc rc = cell_of(ctx, row, &cell);
  if (rc != MPG_OK)
    return rc;
  cell->chip_us += row->chip_us;
  cell->intervals++;
  return MPG_OK;
}

static mpg_rc add_more(void *ctx, const mpg_row *row, mpg_i128 chip_us, int64_t intervals) {
  mpg_cell *cell;
  mpg_rc rc = cell_of(ctx, row, &cell);
  if (rc != MPG_OK)
    return rc;
  cell->chip_us += chip_us;
  cell->intervals += intervals;
  return MPG_OK;
}

mpg_sink mpg_rollup_sink(mpg_rollup *r) {
  return (mpg_sink){add_row, r, add_more};
}

mpg_rc mpg_rollup_add_cells(mpg_rollup *r, const mpg_cell *cells, size_t n) {
  for (size_t i = 0; i < n; i++) {
    mpg_cell *cell;
    mpg_rc rc = mpg_poll(r->env, i) ? MPG_INTERRUPTED : find_whole(r, &cells[i], &cell);
    if (rc != MPG_OK)
      return rc;
    cell->chip_us += cells[i].chip_us;
    cell->intervals += cells[i].intervals;
  }
  return MPG_OK;
}

mpg_rc mpg_rollup_reset(mpg_rollup *r) {
  mpg_rc rc = mpg_hash_index_clear(&r->index, r->env, r->ncells, hash_of_cell, r);
  r->ncells = 0;
  memset(r->recent, 0, sizeof r->recent);
  return rc;
}
