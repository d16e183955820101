/*
** slurm_repeats.h - whether any job of an export of the accounting comes twice, as it does where attempts that
** were requeued are in it. For slurm.c and slurm_json.c.
*/
#ifndef MPG_SLURM_REPEATS_H
#define MPG_SLURM_REPEATS_H

#include "../core/issues.h"

/* Zeroed at first, but for env. */
typedef struct mpg_slurm_repeats {
  const mpg_env *env;
  uint64_t *seen; /* hashes of job ids; 0: free */
  size_t n, cap;  /* cap: a power of two */
  bool found;
} mpg_slurm_repeats;

void mpg_slurm_repeats_free(mpg_slurm_repeats *r);
/* A row of the job, or of one of its steps, which do not count. Jobs are remembered until one comes twice, or
** too many were seen. MPG_OK or MPG_NOMEM. */
mpg_rc mpg_slurm_repeats_add(mpg_slurm_repeats *r, mpg_str cluster, mpg_str id);
/* The export is at its end: lists no_requeues where there were jobs, and none came twice. */
mpg_rc mpg_slurm_repeats_end(const mpg_slurm_repeats *r, mpg_issues *issues, const char *path,
                             mpg_err *err);

#endif
