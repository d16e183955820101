/* slurm_repeats.c - see slurm_repeats.h. */
#include "slurm_repeats.h"
#include "slurm_value.h"
#include "../../base/intern.h"

#include <string.h>

#define LIMIT ((size_t)1 << 20) /* job ids remembered */

static uint64_t hash_of(const mpg_slurm_repeats *r, mpg_str cluster, mpg_str id) {
  const uint64_t seed = r->jobs.env->seed;
  const uint64_t hash = mpg_hash(seed, cluster.p, cluster.n) * 31 + mpg_hash(seed, id.p, id.n);
  return hash + (hash == 0);
}

/* A step above the first job. */
static void add_step(mpg_slurm_repeats *r, uint64_t job, int64_t line) {
  if (r->steps++ == 0) {
    r->steps_job = job;
    r->steps_line = line;
  }
  r->several_jobs |= job != r->steps_job;
}

mpg_rc mpg_slurm_repeats_add(mpg_slurm_repeats *r, mpg_str cluster, mpg_str id, int64_t line) {
  const char *step = id.n == 0 ? NULL : memchr(id.p, '.', id.n);
  uint64_t hash;
  if (step != NULL && !r->jobs_begun)
    add_step(r, hash_of(r, cluster, (mpg_str){id.p, (size_t)(step - id.p)}), line);
  if (id.n == 0 || step != NULL)
    return MPG_OK;
  r->jobs_begun = true;
  if (r->steps_job == 0 && (r->found || r->jobs.n == LIMIT))
    return MPG_OK;
  hash = hash_of(r, cluster, id);
  r->job_met |= hash == r->steps_job;
  return r->found || r->jobs.n == LIMIT ? MPG_OK : mpg_hash_set_put(&r->jobs, hash, &r->found);
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
  /* Rows in another order than sacct's have the jobs below. */
  if (r->steps > 0 && !r->job_met && !(r->jobs_begun && r->several_jobs) && issues != NULL &&
      mpg_issues_add(issues, MPG_WARNING, path, "left_out", r->steps_line, r->steps,
                     "steps above the first job, whose job is not in this file: if no other file "
                     "has it, its chips do not count") != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}
