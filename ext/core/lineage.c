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

/* When the state was taken; a commit that tells no snapshot was taken when it was durable. */
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
  /* From here durable[i].snapshot is the latest of commit i and all of higher steps. */
  for (size_t i = n; i-- > 1;)
    if (lineage->durable[i].snapshot > lineage->durable[i - 1].snapshot)
      lineage->durable[i - 1].snapshot = lineage->durable[i].snapshot;
  lineage->latest_numbered = n > 0 ? lineage->durable[0].snapshot : MPG_NONE;
  lineage->above = lineage->ndurable = n;
  lineage->lowest = INT64_MAX;
  lineage->next = MPG_NONE;
  lineage->resumed = false;
  return MPG_OK;
}

bool mpg_lineage_saved(const mpg_lineage *lineage, const mpg_step *step) {
  if (lineage->any_step != MPG_NONE && step->end <= lineage->any_step)
    return true;
  return step->number == MPG_NONE && lineage->latest_numbered != MPG_NONE &&
         step->end <= lineage->latest_numbered;
}

/* Whether a commit does; of steps with a number only those are asked about that nothing resumed after. */
static bool protects(mpg_lineage *lineage, const mpg_step *step) {
  size_t first = lineage->above;
  if (mpg_lineage_saved(lineage, step))
    return true;
  if (step->number == MPG_NONE)
    return false;
  /* The first commit of a step >= this one is no later than that of the steps told, which are higher. */
  while (first > 0 && lineage->durable[first - 1].step >= step->number)
    first--;
  lineage->above = first;
  return first < lineage->ndurable && step->start < lineage->durable[first].snapshot;
}

mpg_fate mpg_lineage_decide(mpg_lineage *lineage, const mpg_step *step) {
  if (step->number != MPG_NONE) {
    lineage->resumed |= lineage->next != MPG_NONE &&
                        (lineage->next_attempt != step->attempt || lineage->next <= step->number);
    lineage->next = step->number;
    lineage->next_attempt = step->attempt;
    if (step->number >= lineage->lowest)
      return MPG_FATE_LOST;
    lineage->lowest = step->number;
    if (lineage->resumed) /* by one of the next number at the least, which proves this one */
      return MPG_FATE_PRODUCTIVE;
  }
  if (lineage->ending == MPG_ENDED_WELL || protects(lineage, step))
    return MPG_FATE_PRODUCTIVE;
  if (!lineage->data)
    return MPG_FATE_NO_DATA;
  return lineage->ending == MPG_STILL_RUNNING ? MPG_FATE_PENDING : MPG_FATE_LOST;
}
