/* pool_ends.c - see pool_ends.h. */
#include "pool_ends.h"

mpg_rc mpg_pool_ends_init(mpg_pool_ends *ends, const mpg_env *env, const mpg_fleet *fleet) {
  size_t n = mpg_fleet_npools(fleet);
  int64_t others = MPG_NONE; /* of those that no record names */
  *ends = mpg_pool_ends_at(fleet->last);
  ends->env = env;
  ends->of_jobs = true;
  if (fleet->nobserved == 0)
    return MPG_OK;
  ends->of = mpg_malloc(env, (n + 1) * sizeof *ends->of);
  if (ends->of == NULL)
    return MPG_NOMEM;
  for (size_t p = 0; p < n; p++)
    ends->of[p] = MPG_NONE;
  for (size_t i = 0; i < fleet->nobserved; i++) {
    const mpg_observed *o = &fleet->observed[i];
    int64_t *end = o->pool == 0 ? &others : &ends->of[o->pool - 1];
    if (o->until > *end) /* MPG_NONE is the least */
      *end = o->until;
    if (mpg_poll(env, i))
      return MPG_INTERRUPTED;
  }
  ends->as_of = n > 0 ? INT64_MIN : others != MPG_NONE ? others : ends->usual;
  for (uint32_t p = 0; p < n; p++) {
    if (ends->of[p] == MPG_NONE)
      ends->of[p] = others;
    if (mpg_pool_end(ends, p) > ends->as_of)
      ends->as_of = mpg_pool_end(ends, p);
    if (mpg_poll(env, p))
      return MPG_INTERRUPTED;
  }
  return MPG_OK;
}

void mpg_pool_ends_free(mpg_pool_ends *ends) {
  if (ends->of != NULL)
    mpg_free(ends->env, ends->of);
  ends->of = NULL;
}

int64_t mpg_pool_ends_of_job(const mpg_pool_ends *ends, const mpg_job *job, const uint32_t *pools,
                             size_t n) {
  int64_t end = ends->as_of;
  if (ends->of != NULL && n > 0) {
    end = INT64_MIN;
    for (size_t i = 0; i < n; i++)
      if (mpg_pool_end(ends, pools[i]) > end)
        end = mpg_pool_end(ends, pools[i]);
  }
  return ends->of_jobs && job->until < end ? job->until : end;
}
