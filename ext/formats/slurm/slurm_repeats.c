/* slurm_repeats.c - see slurm_repeats.h. */
#include "slurm_repeats.h"
#include "slurm_value.h"
#include "../../base/intern.h"

#include <string.h>

#define LIMIT ((size_t)1 << 20) /* job ids remembered */

mpg_rc mpg_slurm_repeats_add(mpg_slurm_repeats *r, mpg_str cluster, mpg_str id) {
  uint64_t seed = r->jobs.env->seed, hash;
  if (r->found || id.n == 0 || r->jobs.n == LIMIT || memchr(id.p, '.', id.n) != NULL)
    return MPG_OK;
  hash = mpg_hash(seed, cluster.p, cluster.n) * 31 + mpg_hash(seed, id.p, id.n);
  return mpg_hash_set_put(&r->jobs, hash + (hash == 0), &r->found);
}

void mpg_slurm_repeats_tres(mpg_slurm_repeats *r, mpg_str tres) {
  if (r->gpus || tres.n == 0)
    return;
  r->tres = true;
  r->gpus = mpg_slurm_lists_chips(tres);
}

mpg_rc mpg_slurm_repeats_end(const mpg_slurm_repeats *r, mpg_issues *issues, const char *path,
                             mpg_err *err) {
  if (r->jobs.n > 0 && !r->found && issues != NULL &&
      mpg_issues_add(issues, MPG_WARNING, path, "no_requeues", 0, 1,
                     "no job comes twice: without sacct -D, attempts that ended REQUEUED, "
                     "PREEMPTED or NODE_FAIL are left out") != MPG_OK)
    return mpg_fail_nomem(err);
  if (r->tres && !r->gpus && issues != NULL &&
      mpg_issues_add(issues, MPG_WARNING, path, "no_tres", 0, 1,
                     "no job's AllocTRES or ReqTRES lists gres/gpu: did AccountingStorageTRES "
                     "have it when the jobs ran?") != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}
