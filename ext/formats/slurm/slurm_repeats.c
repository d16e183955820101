/* slurm_repeats.c - see slurm_repeats.h. */
#include "slurm_repeats.h"
#include "slurm_value.h"
#include "../../base/intern.h"

#include <string.h>

enum {
  LIMIT = 1 << 20,      /* job ids, and steps without their job, that are remembered */
  WITHOUT_STEPS = 1000, /* jobs after which an export without steps is taken to have none */
};

static uint64_t hash_of(const mpg_slurm_repeats *r, mpg_str cluster, mpg_str id) {
  const uint64_t seed = r->jobs.env->seed;
  const uint64_t hash = mpg_hash(seed, cluster.p, cluster.n) * 31 + mpg_hash(seed, id.p, id.n);
  return hash + (hash == 0);
}

void mpg_slurm_repeats_free(mpg_slurm_repeats *r) {
  if (r->jobs.env != NULL)
    mpg_free(r->jobs.env, r->orphans);
  r->orphans = NULL;
  r->norphans = r->cap = 0;
  mpg_hash_set_free(&r->jobs);
}

/* sacct prints a job's steps below it, so of most it is known at once that their job is there. */
static mpg_rc add_step(mpg_slurm_repeats *r, uint64_t job, int64_t line) {
  const bool follows = job == r->last_job || (r->last_job == 0 && r->forgotten);
  mpg_rc rc;
  r->steps = true;
  r->last_job = job;
  if (follows && !r->last_lacks)
    return MPG_OK;
  if (follows) {
    r->orphans[r->norphans - 1].steps++;
    return MPG_OK;
  }
  r->last_lacks = r->norphans < LIMIT;
  if (!r->last_lacks)
    return MPG_OK;
  rc = mpg_grow(r->jobs.env, &r->orphans, &r->cap, r->norphans + 1, sizeof *r->orphans);
  if (rc == MPG_OK)
    r->orphans[r->norphans++] = (mpg_slurm_orphans){job, line, 1};
  return rc;
}

mpg_rc mpg_slurm_repeats_add(mpg_slurm_repeats *r, mpg_str cluster, mpg_str id, int64_t line) {
  const char *step = id.n == 0 ? NULL : memchr(id.p, '.', id.n);
  bool before;
  mpg_rc rc;
  if (step != NULL && memchr(id.p, '[', id.n) == NULL) /* of an array, "123_[1,2,...]" */
    return add_step(r, hash_of(r, cluster, (mpg_str){id.p, (size_t)(step - id.p)}), line);
  if (id.n == 0)
    return MPG_OK;
  r->last_lacks = false;
  r->last_job = 0;
  if (r->found && !r->steps && r->jobs.n >= WITHOUT_STEPS) {
    r->forgotten = true;
    return MPG_OK;
  }
  r->last_job = hash_of(r, cluster, id);
  if (r->jobs.n >= LIMIT) {
    r->forgotten = true;
    return MPG_OK;
  }
  rc = mpg_hash_set_put(&r->jobs, r->last_job, &before);
  r->found |= rc == MPG_OK && before;
  return rc;
}

void mpg_slurm_repeats_tres(mpg_slurm_repeats *r, mpg_str tres) {
  if (r->gpus || tres.n == 0)
    return;
  r->tres = true;
  r->gpus = mpg_slurm_lists_chips(tres);
}

static mpg_rc list_orphans(const mpg_slurm_repeats *r, mpg_issues *issues, const char *path,
                           mpg_err *err) {
  int64_t steps = 0, line = 0;
  bool reordered = false; /* rows in another order than sacct's */
  for (size_t i = 0; i < r->norphans; i++) {
    const mpg_slurm_orphans *o = &r->orphans[i];
    if (mpg_poll(r->jobs.env, i))
      return mpg_fail_plain(err, MPG_INTERRUPTED);
    if (mpg_hash_set_has(&r->jobs, o->job)) {
      reordered = true;
      continue;
    }
    line = steps == 0 ? o->line : line;
    steps += o->steps;
  }
  if (steps == 0 || (reordered && r->forgotten) || issues == NULL ||
      mpg_issues_add(issues, MPG_WARNING, path, "left_out", line, steps,
                     "steps whose job is not in this file: if no other file has it, its chips do "
                     "not count") == MPG_OK)
    return MPG_OK;
  return mpg_fail_nomem(err);
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
  return list_orphans(r, issues, path, err);
}
