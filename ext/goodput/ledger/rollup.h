/*
** rollup.h - the ledger summed: one cell for each combination of the requested dimensions (the
** grain law).
*/
#ifndef MPG_ROLLUP_H
#define MPG_ROLLUP_H

#include "../../base/hash_index.h"
#include "../rules/ledger_row.h"
#include "../trace/fleet.h"

/* Dimensions of a row, as bits of a mask; NAME to LABELS are those of the job, in mpg_job.dim's
 * order. */
typedef enum mpg_dim {
  MPG_DIM_NAME,
  MPG_DIM_OWNER,
  MPG_DIM_PHASE,
  MPG_DIM_FRAMEWORK,
  MPG_DIM_RUNTIME,
  MPG_DIM_MODEL,
  MPG_DIM_PRIORITY,
  MPG_DIM_LABELS,
  MPG_DIM_JOB,
  MPG_DIM_POOL,
  MPG_DIM_CHIP,
  MPG_DIM_ATTEMPT,
  MPG_DIM_SIZE,
  MPG_DIM_CATEGORY,
  MPG_DIM_CAUSE,
  MPG_DIM_BUCKET,
  MPG_DIMS
} mpg_dim;

/* Dimensions outside the mask are 0 (attempt, bucket: MPG_NONE). */
typedef struct mpg_cell {
  uint32_t job; /* index + 1 of a job that represents all with these dimensions; 0: no job */
  uint32_t pool, chip, cause;
  int64_t attempt, bucket;
  uint8_t size, category;
  int64_t intervals;
  mpg_i128 chip_us;
} mpg_cell;

/* The cell of the last row of a category, and that row: rows come in runs. */
typedef struct mpg_recent_cell {
  uint32_t cell; /* index + 1; 0: none */
  uint32_t job, pool, chip, cause;
  int64_t attempt, bucket;
  uint8_t size;
} mpg_recent_cell;

typedef struct mpg_rollup {
  const mpg_env *env;
  const mpg_fleet *fleet;
  uint32_t mask; /* 1 << mpg_dim */
  mpg_cell *cells;
  size_t ncells, cells_cap;
  mpg_hash_index index;  /* of cells */
  uint32_t *group;       /* of each job: the job that represents it + 1; 0: not known yet */
  mpg_hash_index groups; /* of the jobs that represent others */
  size_t ngroups;
  mpg_recent_cell recent[MPG_CATEGORIES];
} mpg_rollup;

/* Polls `env` if very many cells move: the sink may return MPG_INTERRUPTED. */
mpg_rc mpg_rollup_init(mpg_rollup *rollup, const mpg_env *env, const mpg_fleet *fleet,
                       uint32_t mask, mpg_err *err);
void mpg_rollup_free(mpg_rollup *rollup);
mpg_sink mpg_rollup_sink(mpg_rollup *rollup);
/* Adds the cells of a roll-up over the same fleet whose mask holds all of this one's. In the order
** in which rows would have come, this gives the cells, and their order, that the rows would have
** given. MPG_NOMEM, MPG_INTERRUPTED. */
mpg_rc mpg_rollup_add_cells(mpg_rollup *rollup, const mpg_cell *cells, size_t n);
/* Removes all cells and keeps the memory. After MPG_INTERRUPTED the roll-up is of no use. */
mpg_rc mpg_rollup_reset(mpg_rollup *rollup);

#endif
