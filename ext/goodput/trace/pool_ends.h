/*
** pool_ends.h - when the ledger of each pool ends, and that of each job (docs/rules.md, section 1).
*/
#ifndef MPG_POOL_ENDS_H
#define MPG_POOL_ENDS_H

#include "fleet.h"

typedef struct mpg_pool_ends {
  const mpg_env *env;
  int64_t as_of; /* the latest of them, and the end of a job of no pool */
  int64_t usual; /* of a pool that no source observed */
  bool of_jobs;  /* a job ends when it was last observed, if that is before its pools' end */
  int64_t *of;   /* of each pool, MPG_NONE: no source observed it; NULL: all end at `usual` */
} mpg_pool_ends;

/* All pools end at once; owns nothing. */
static inline mpg_pool_ends mpg_pool_ends_at(int64_t as_of) {
  return (mpg_pool_ends){.as_of = as_of, .usual = as_of};
}

/* Over a sealed fleet: of each pool what `observed` says, else the end of the trace.
** mpg_pool_ends_free also after a failure, which is MPG_NOMEM or MPG_INTERRUPTED. */
mpg_rc mpg_pool_ends_init(mpg_pool_ends *ends, const mpg_env *env, const mpg_fleet *fleet);
void mpg_pool_ends_free(mpg_pool_ends *ends);

static inline bool mpg_pool_is_observed(const mpg_pool_ends *ends, uint32_t pool) {
  return ends->of != NULL && ends->of[pool] != MPG_NONE;
}

static inline int64_t mpg_pool_end(const mpg_pool_ends *ends, uint32_t pool) {
  return mpg_pool_is_observed(ends, pool) ? ends->of[pool] : ends->usual;
}

/* The end of what the job does in the pool. */
static inline int64_t mpg_pool_job_end(const mpg_pool_ends *ends, uint32_t pool,
                                       const mpg_job *job) {
  int64_t end = mpg_pool_end(ends, pool);
  return ends->of_jobs && job->until < end ? job->until : end;
}

/* The end of a job of these pools: the latest of theirs, or its own. */
int64_t mpg_pool_ends_of_job(const mpg_pool_ends *ends, const mpg_job *job, const uint32_t *pools,
                             size_t n);

#endif
