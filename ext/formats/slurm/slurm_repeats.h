/*
** slurm_repeats.h - what the rows of an export of the accounting show together: whether any job
** comes twice, as it does where attempts that were requeued are in it, and whether any tells of
** GPUs. For slurm.c and slurm_json.c.
*/
#ifndef MPG_SLURM_REPEATS_H
#define MPG_SLURM_REPEATS_H

#include "../../base/issues.h"
#include "../../base/hash_set.h"

/* Zeroed at first, but for jobs.env; jobs is freed by mpg_hash_set_free. */
typedef struct mpg_slurm_repeats {
  mpg_hash_set jobs;
  bool found;
  bool tres, gpus; /* there were lists of resources, and GPUs in any */
} mpg_slurm_repeats;

/* A row of the job, or of one of its steps, which do not count. Jobs are remembered until one comes
** twice, or too many were seen. MPG_OK or MPG_NOMEM. */
mpg_rc mpg_slurm_repeats_add(mpg_slurm_repeats *r, mpg_str cluster, mpg_str id);
/* A list of resources of a row, which may be empty. */
void mpg_slurm_repeats_tres(mpg_slurm_repeats *r, mpg_str tres);
/* The export is at its end: lists no_requeues where there were jobs, and none came twice, and
** no_tres where there were lists of resources, and none had GPUs. */
mpg_rc mpg_slurm_repeats_end(const mpg_slurm_repeats *r, mpg_issues *issues, const char *path,
                             mpg_err *err);

#endif
