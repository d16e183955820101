/*
** slurm_repeats.h - facts about an export of the accounting as a whole: whether any job comes
** twice (only then are attempts that were requeued in it), whether any row lists GPUs, and whether
** it has steps whose job it lacks. For slurm.c, slurm_json.c and slurm_shown.c.
*/
#ifndef MPG_SLURM_REPEATS_H
#define MPG_SLURM_REPEATS_H

#include "../../base/issues.h"
#include "../../base/hash_set.h"

/* Steps that do not stand below their job, in rows one after the other. */
typedef struct mpg_slurm_orphans {
  uint64_t job; /* a hash */
  int64_t line; /* of the first */
  int64_t steps;
} mpg_slurm_orphans;

/* All zero at first, except jobs.env. */
typedef struct mpg_slurm_repeats {
  mpg_hash_set jobs;
  bool found;
  bool tres, gpus; /* there were lists of resources, and GPUs in any */
  mpg_slurm_orphans *orphans;
  size_t norphans, cap;
  uint64_t last_job; /* a hash: the job of the row above; 0: there is none */
  bool last_lacks;   /* the row above is a step, and its job is not above it */
  bool steps;        /* there were any */
  bool forgotten;    /* jobs has not all */
} mpg_slurm_repeats;

void mpg_slurm_repeats_free(mpg_slurm_repeats *r);
/* A row of a job, or of a step ("123.batch"), which begins at `line`. MPG_OK, MPG_NOMEM or
** MPG_INTERRUPTED. */
mpg_rc mpg_slurm_repeats_add(mpg_slurm_repeats *r, mpg_str cluster, mpg_str id, int64_t line);
/* A list of resources of a row, which may be empty. */
void mpg_slurm_repeats_tres(mpg_slurm_repeats *r, mpg_str tres);
/* At the end of the export: lists no_requeues if there were jobs and none came twice, no_tres if
** there were lists of resources and none had GPUs, and left_out if there are steps whose job does
** not come. */
mpg_rc mpg_slurm_repeats_end(const mpg_slurm_repeats *r, mpg_issues *issues, const char *path,
                             mpg_err *err);

#endif
