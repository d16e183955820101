/* lineage.c - see lineage.h. */
#include "lineage.h"

#include <string.h>

void mpg_lineage_init(mpg_lineage *lineage, const mpg_env *env) {
  *lineage = (mpg_lineage){env, NULL, 0};
}

void mpg_lineage_free(mpg_lineage *lineage) {
  if (lineage->env != NULL)
    mpg_free(lineage->env, lineage->durable);
}

/* When the state was taken; a commit that tells no snapshot was taken when it was durable. */
static int64_t snapshot_of(const mpg_commit *c) {
  return c->snapshot != MPG_NONE ? c->snapshot : c->durable;
}

static bool known_at(const mpg_commit *c, int64_t as_of) {
  return snapshot_of(c) <= as_of; /* MPG_NONE is the least */
}

bool mpg_commits_exist(const mpg_commit *commits, size_t ncommits, int64_t as_of) {
  for (size_t i = 0; i < ncommits; i++)
    if (known_at(&commits[i], as_of))
      return true;
  return false;
}

/* Where the last resume begins: steps from here on have no later one that proves anything of them.
 */
static size_t last_resume(const mpg_step *steps, size_t n) {
  size_t last = 0, before = SIZE_MAX; /* the numbered step before */
  for (size_t i = 0; i < n; i++) {
    if (steps[i].number == MPG_NONE)
      continue;
    if (before != SIZE_MAX &&
        (steps[i].attempt != steps[before].attempt || steps[i].number <= steps[before].number))
      last = i;
    before = i;
  }
  return last;
}

/*
** `durable`: n commits by rising step, each with the latest snapshot of itself and those after it;
** `any_step` and `latest_numbered`: the latest snapshot of commits without and with a step.
*/
static bool protects(const mpg_commit *durable, size_t n, int64_t any_step, int64_t latest_numbered,
                     const mpg_step *step) {
  size_t lo = 0, hi = n;
  if (any_step != MPG_NONE && step->end <= any_step)
    return true;
  if (step->number == MPG_NONE)
    return latest_numbered != MPG_NONE && step->end <= latest_numbered;
  while (lo < hi) { /* the first commit of a step >= this one */
    size_t mid = lo + (hi - lo) / 2;
    if (durable[mid].step < step->number)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < n && step->start < durable[lo].snapshot;
}

mpg_rc mpg_lineage_decide(mpg_lineage *lineage, mpg_step *steps, size_t nsteps,
                          const mpg_commit *commits, size_t ncommits, mpg_ending ending,
                          int64_t as_of, mpg_err *err) {
  int64_t lowest = INT64_MAX, any_step = MPG_NONE;
  size_t n = 0, resume = last_resume(steps, nsteps);
  bool data = mpg_commits_exist(commits, ncommits, as_of);
  if (mpg_grow(lineage->env, &lineage->durable, &lineage->durable_cap, ncommits,
               sizeof *lineage->durable) != MPG_OK)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < ncommits; i++) {
    mpg_commit c = commits[i];
    if (c.durable == MPG_NONE || c.durable > as_of || !known_at(&c, as_of))
      continue;
    c.snapshot = snapshot_of(&c);
    if (c.step != MPG_NONE)
      lineage->durable[n++] = c;
    else if (c.snapshot > any_step)
      any_step = c.snapshot;
  }
  /* From here durable[i].snapshot is the latest of commit i and all of higher steps. */
  for (size_t i = n; i-- > 1;)
    if (lineage->durable[i].snapshot > lineage->durable[i - 1].snapshot)
      lineage->durable[i - 1].snapshot = lineage->durable[i].snapshot;
  for (size_t i = nsteps; i-- > 0;) {
    mpg_step *step = &steps[i];
    bool numbered = step->number != MPG_NONE;
    if (mpg_poll(lineage->env, i))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    if (numbered && step->number >= lowest)
      step->fate = MPG_FATE_LOST;
    else if ((numbered && i < resume) || ending == MPG_ENDED_WELL ||
             protects(lineage->durable, n, any_step,
                      n > 0 ? lineage->durable[0].snapshot : MPG_NONE, step))
      step->fate = MPG_FATE_PRODUCTIVE;
    else if (!data)
      step->fate = MPG_FATE_NO_DATA;
    else
      step->fate = ending == MPG_STILL_RUNNING ? MPG_FATE_PENDING : MPG_FATE_LOST;
    if (numbered && step->number < lowest)
      lowest = step->number;
  }
  return MPG_OK;
}
