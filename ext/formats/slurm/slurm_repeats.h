/*
** slurm_repeats.h - two facts about an export of the accounting as a whole: whether any job comes
** twice (only then are attempts that were requeued in it), and whether any row lists GPUs. For
** slurm.c, slurm_json.c and slurm_shown.c.
*/
#ifndef MPG_SLURM_REPEATS_H
#define MPG_SLURM_REPEATS_H

#include "../../base/issues.h"
#include "../../base/hash_set.h"

/* All zero at first, except jobs.env; jobs is freed by mpg_hash_set_free. */
typedef struct mpg_slurm_repeats {
  mpg_hash_set jobs;
  bool found;
  bool tres, gpus; /* there were lists of resources, and GPUs in any */
} mpg_slurm_repeats;

/* A row of a job; rows of its steps do not count. Jobs are remembered until one comes twice, or
** there are too many. MPG_OK or MPG_NOMEM. */
mpg_rc mpg_slurm_repeats_add(mpg_slurm_repeats *r, mpg_str cluster, mpg_str id);
/* A list of resources of a row, which may be empty. */
void mpg_slurm_repeats_tres(mpg_slurm_repeats *r, mpg_str tres);
/* At the end of the export: lists no_requeues if there were jobs and none came twice, and no_tres
** if there were lists of resources and none had GPUs. */
mpg_rc mpg_slurm_repeats_end(const mpg_slurm_repeats *r, mpg_issues *issues, const char *path,
                             mpg_err *err);

#endif
