/*
** slurm_repeats.h - facts about an export of the accounting as a whole: whether any job comes
** twice (only then are attempts that were requeued in it), whether any row lists GPUs, and whether
** it begins with steps whose job it lacks. For slurm.c, slurm_json.c and slurm_shown.c.
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
  /* Steps above the first job, of which sacct prints the steps below it: */
  int64_t steps, steps_line; /* how many, and the line of the first */
  uint64_t steps_job;        /* a hash: of the first's job; 0: there are none */
  bool jobs_begun, several_jobs, job_met;
} mpg_slurm_repeats;

/* A row of a job, or of a step ("123.batch"), which begins at `line`. Jobs are remembered until one
** comes twice, or there are too many. MPG_OK or MPG_NOMEM. */
mpg_rc mpg_slurm_repeats_add(mpg_slurm_repeats *r, mpg_str cluster, mpg_str id, int64_t line);
/* A list of resources of a row, which may be empty. */
void mpg_slurm_repeats_tres(mpg_slurm_repeats *r, mpg_str tres);
/* At the end of the export: lists no_requeues if there were jobs and none came twice, no_tres if
** there were lists of resources and none had GPUs, and left_out if it begins with steps whose job
** does not come. */
mpg_rc mpg_slurm_repeats_end(const mpg_slurm_repeats *r, mpg_issues *issues, const char *path,
                             mpg_err *err);

#endif
