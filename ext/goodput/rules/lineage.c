/* lineage.c - see lineage.h. */
#include "lineage.h"

#include <string.h>

void mpg_lineage_init(mpg_lineage *lineage, const mpg_env *env) {
  memset(lineage, 0, sizeof *lineage);
  lineage->env = env;
}

void mpg_lineage_free(mpg_lineage *lineage) {
  if (lineage->env != NULL)
    mpg_free(lineage->env, lineage->durable);
}

/* When the state was taken; for a commit without a snapshot time, when it was durable. */
static int64_t snapshot_of(const mpg_commit *c) {
  return c->snapshot != MPG_NONE ? c->snapshot : c->durable;
}

static bool known_at(const mpg_commit *c, int64_t as_of) {
  return snapshot_of(c) <= as_of; /* MPG_NONE is the least */
}

size_t mpg_commits_known(const mpg_commit *commits, size_t ncommits, int64_t as_of) {
  size_t n = 0;
  for (size_t i = 0; i < ncommits; i++)
    n += known_at(&commits[i], as_of);
  return n;
}

/* From here c[i].snapshot is the latest of commit i and all after it, c[i].durable of those of its
** step. */
static void settle(mpg_commit *c, size_t n) {
  for (size_t i = n; i-- > 0;) {
    c[i].durable = c[i].snapshot;
    if (i + 1 == n)
      continue;
    if (c[i + 1].step == c[i].step && c[i + 1].durable > c[i].durable)
      c[i].durable = c[i + 1].durable;
    if (c[i + 1].snapshot > c[i].snapshot)
      c[i].snapshot = c[i + 1].snapshot;
  }
}

mpg_rc mpg_lineage_begin(mpg_lineage *lineage, const mpg_commit *commits, size_t ncommits,
                         mpg_ending ending, int64_t as_of) {
  size_t n = 0;
  if (mpg_grow(lineage->env, &lineage->durable, &lineage->durable_cap, ncommits,
               sizeof *lineage->durable) != MPG_OK)
    return MPG_NOMEM;
  lineage->ending = ending;
  lineage->data = mpg_commits_known(commits, ncommits, as_of) > 0;
  lineage->any_step = MPG_NONE;
  for (size_t i = 0; i < ncommits; i++) {
    mpg_commit c = commits[i];
    if (c.durable == MPG_NONE || c.durable > as_of || !known_at(&c, as_of))
      continue;
    c.snapshot = snapshot_of(&c);
    if (c.step != MPG_NONE)
      lineage->durable[n++] = c;
    else if (c.snapshot > lineage->any_step)
      lineage->any_step = c.snapshot;
  }
  settle(lineage->durable, n);
  lineage->latest_numbered = n > 0 ? lineage->durable[0].snapshot : MPG_NONE;
  lineage->above = lineage->ndurable = n;
  lineage->lowest = INT64_MAX;
  lineage->next = MPG_NONE;
  lineage->resumed = false;
  lineage->highest = lineage->highest_later = MPG_NONE;
  return MPG_OK;
}

bool mpg_lineage_saved(const mpg_lineage *lineage, const mpg_step *step) {
  if (lineage->any_step != MPG_NONE && step->end <= lineage->any_step)
    return true;
  return step->number == MPG_NONE && lineage->latest_numbered != MPG_NONE &&
         step->end <= lineage->latest_numbered;
}

/* Steps after which nothing resumed: each has a number below those before it in this order. */
static bool protects(mpg_lineage *lineage, const mpg_step *step) {
  size_t first = lineage->above;
  while (first > 0 && lineage->durable[first - 1].step >= step->number)
    first--;
  lineage->above = first;
  return first < lineage->ndurable && step->start < lineage->durable[first].snapshot;
}

/* The first durable commit of a number or a higher one. */
static size_t commit_from(const mpg_lineage *lineage, int64_t number) {
  size_t low = 0, high = lineage->ndurable;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (lineage->durable[middle].step < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Batches, whose numbers come in any order: while a shard is committed others may still run. */
static bool protects_batch(const mpg_lineage *lineage, const mpg_step *batch) {
  const mpg_commit *c = lineage->durable;
  size_t low = commit_from(lineage, batch->number);
  if (low == lineage->ndurable)
    return false;
  return batch->end <= c[low].snapshot ||
         (c[low].step == batch->number && batch->start < c[low].durable);
}

/* The fate of the remaining steps, by the job's end. */
static mpg_fate fate_of(const mpg_lineage *lineage, bool saved) {
  if (lineage->ending == MPG_ENDED_WELL || saved)
    return MPG_FATE_PRODUCTIVE;
  if (!lineage->data)
    return MPG_FATE_NO_DATA;
  return lineage->ending == MPG_STILL_RUNNING ? MPG_FATE_PENDING : MPG_FATE_LOST;
}

mpg_fate mpg_lineage_decide(mpg_lineage *lineage, const mpg_step *step) {
  if (step->number == MPG_NONE)
    return fate_of(lineage, mpg_lineage_saved(lineage, step));
  lineage->resumed |= lineage->next != MPG_NONE &&
                      (lineage->next_attempt != step->attempt || lineage->next <= step->number);
  lineage->next = step->number;
  lineage->next_attempt = step->attempt;
  if (step->number >= lineage->lowest)
    return MPG_FATE_LOST;
  lineage->lowest = step->number;
  if (lineage->resumed) /* by one of the next number at the least, which proves this one */
    return MPG_FATE_PRODUCTIVE;
  return fate_of(lineage, mpg_lineage_saved(lineage, step) || protects(lineage, step));
}

mpg_fate mpg_lineage_decide_rollout(const mpg_lineage *lineage, const mpg_step *rollout) {
  size_t first;
  if (rollout->number == MPG_NONE)
    return fate_of(lineage, mpg_lineage_saved(lineage, rollout));
  if (rollout->number >= lineage->lowest)
    return MPG_FATE_LOST;
  if (lineage->resumed || (lineage->next != MPG_NONE && lineage->next_attempt != rollout->attempt))
    return MPG_FATE_PRODUCTIVE;
  first = commit_from(lineage, rollout->number);
  return fate_of(lineage, mpg_lineage_saved(lineage, rollout) ||
                              (first < lineage->ndurable &&
                               rollout->start < lineage->durable[first].snapshot));
}

mpg_fate mpg_lineage_decide_batch(mpg_lineage *lineage, const mpg_step *batch, bool again) {
  if (batch->number == MPG_NONE)
    return fate_of(lineage, mpg_lineage_saved(lineage, batch));
  if (batch->attempt != lineage->batch_attempt)
    lineage->highest_later = lineage->highest;
  lineage->batch_attempt = batch->attempt;
  if (batch->number > lineage->highest)
    lineage->highest = batch->number;
  if (again)
    return MPG_FATE_LOST;
  if (batch->number < lineage->highest_later)
    return MPG_FATE_PRODUCTIVE;
  return fate_of(lineage, mpg_lineage_saved(lineage, batch) || protects_batch(lineage, batch));
}
