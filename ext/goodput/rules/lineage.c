/* lineage.c - see lineage.h. */
#include "lineage.h"

#include <string.h>

void mpg_lineage_init(mpg_lineage *lineage, const mpg_env *env) {
  memset(lineage, 0, sizeof *lineage);
  lineage->env = env;
}

void mpg_lineage_free(mpg_lineage *lineage) {
  if (lineage->env == NULL)
    return;
  mpg_free(lineage->env, lineage->durable);
  mpg_free(lineage->env, lineage->limits);
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

size_t mpg_commits_early(const mpg_commit *commits, size_t ncommits, int64_t as_of) {
  size_t n = 0;
  for (size_t i = 0; i < ncommits; i++) /* MPG_NONE is the least */
    n += commits[i].durable != MPG_NONE && commits[i].durable < commits[i].snapshot &&
         commits[i].snapshot <= as_of;
  return n;
}

/* From here c[i].snapshot is the latest of commit i and all after it, c[i].durable of those of its
** step. */
static void settle_commits(mpg_commit *c, size_t n) {
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

/* The first of n durable commits of a number or a higher one. */
static size_t commit_from(const mpg_lineage *lineage, size_t n, int64_t number) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (lineage->durable[middle].step < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* ---- branches ---- */

static bool has_steps(const mpg_branch *b) {
  return b->first != MPG_NONE;
}

/* The branch that took the commit which a restore loaded: the latest of that step that was durable
** by then. i: none. */
static size_t branch_of_commit(const mpg_lineage *lineage, size_t ncommits, size_t i) {
  const mpg_branch *b = &lineage->branches[i];
  int64_t taken = MPG_NONE;
  for (size_t k = commit_from(lineage, ncommits, b->loaded);
       k < ncommits && lineage->durable[k].step == b->loaded; k++)
    if (lineage->durable[k].durable <= b->loaded_at && lineage->durable[k].snapshot > taken)
      taken = lineage->durable[k].snapshot;
  for (size_t j = i; taken != MPG_NONE && j-- > 0;) {
    const mpg_branch *p = &lineage->branches[j];
    if (has_steps(p) && p->start < taken)
      return p->first <= b->loaded && b->loaded <= p->last ? j : i;
  }
  return i;
}

/* The branch that branch i continues from, where a restore names the step: of the commit loaded,
** else the latest that ran this step, else the latest that came to it, else the one before. i:
** none. */
static size_t parent_of(const mpg_lineage *lineage, size_t ncommits, size_t i) {
  int64_t loaded = lineage->branches[i].loaded;
  size_t ran = branch_of_commit(lineage, ncommits, i), came = i, before = i;
  for (size_t j = i; j-- > 0 && ran == i;) {
    const mpg_branch *p = &lineage->branches[j];
    if (!has_steps(p))
      continue;
    if (before == i)
      before = j;
    if (came == i && p->last >= loaded)
      came = j;
    if (p->first <= loaded && loaded <= p->last)
      ran = j;
  }
  return ran != i ? ran : came != i ? came : before;
}

static size_t with_steps_before(const mpg_lineage *lineage, size_t i) {
  size_t j = i;
  while (j > 0 && !has_steps(&lineage->branches[j - 1]))
    j--;
  return j > 0 ? j - 1 : i;
}

/* From the last branch back along those that each continues from. */
static mpg_rc find_limits(mpg_lineage *lineage, size_t ncommits) {
  size_t i = lineage->nbranches;
  int64_t limit = INT64_MAX;
  if (mpg_grow(lineage->env, &lineage->limits, &lineage->limits_cap, i + 1,
               sizeof *lineage->limits) != MPG_OK)
    return MPG_NOMEM;
  lineage->limits[i] = limit;
  while (i > 0) {
    const mpg_branch *b = &lineage->branches[--i];
    size_t parent = with_steps_before(lineage, i);
    if (mpg_poll(lineage->env, i))
      return MPG_INTERRUPTED;
    if (b->loaded != MPG_NONE) {
      int64_t held = b->loaded == b->first ? b->loaded - 1 : b->loaded; /* of step n, or up to it */
      limit = held < limit ? held : limit;
      parent = parent_of(lineage, ncommits, i);
    } else if (!b->vouched) {
      limit = b->first - 1 < limit ? b->first - 1 : limit;
    } else if (parent < i && b->first <= lineage->branches[parent].last) {
      limit = INT64_MAX; /* numbers of its own */
    }
    for (size_t j = parent + 1; parent < i && j < i; j++) /* abandoned, or without steps */
      lineage->limits[j + 1] = b->loaded != MPG_NONE ? INT64_MIN : limit;
    if (parent == i) {
      for (size_t j = 0; j <= i; j++)
        lineage->limits[j] = limit;
      break;
    }
    lineage->limits[parent + 1] = limit;
    i = parent + 1;
  }
  return MPG_OK;
}

/* A commit of the last branch with the number of a step that it ran holds the steps up to that one,
** also where its clock says that they began later. */
static int64_t reached_by(const mpg_lineage *lineage, size_t ncommits) {
  const mpg_branch *last;
  if (lineage->nbranches == 0)
    return MPG_NONE;
  last = &lineage->branches[lineage->nbranches - 1];
  if (!has_steps(last))
    return MPG_NONE;
  for (size_t k = ncommits; k-- > 0;)
    if (lineage->durable[k].step <= last->last && lineage->durable[k].snapshot > last->start)
      return lineage->durable[k].step;
  return MPG_NONE;
}

mpg_rc mpg_lineage_begin(mpg_lineage *lineage, const mpg_lineage_input *h) {
  size_t n = 0;
  mpg_rc rc;
  if (mpg_grow(lineage->env, &lineage->durable, &lineage->durable_cap, h->ncommits,
               sizeof *lineage->durable) != MPG_OK)
    return MPG_NOMEM;
  lineage->ending = h->ending;
  lineage->branches = h->branches;
  lineage->nbranches = h->nbranches;
  lineage->data = mpg_commits_known(h->commits, h->ncommits, h->as_of) > 0;
  lineage->any_step = MPG_NONE;
  for (size_t i = 0; i < h->ncommits; i++) {
    mpg_commit c = h->commits[i];
    if (c.durable == MPG_NONE || c.durable > h->as_of || !known_at(&c, h->as_of))
      continue;
    c.snapshot = snapshot_of(&c);
    if (c.step != MPG_NONE)
      lineage->durable[n++] = c;
    else if (c.snapshot > lineage->any_step)
      lineage->any_step = c.snapshot;
  }
  rc = find_limits(lineage, n);
  if (rc != MPG_OK)
    return rc;
  lineage->reached = reached_by(lineage, n);
  settle_commits(lineage->durable, n);
  lineage->latest_numbered = n > 0 ? lineage->durable[0].snapshot : MPG_NONE;
  lineage->above = lineage->ndurable = n;
  lineage->begun = h->nbranches;
  lineage->assumed = false;
  lineage->highest = lineage->highest_later = MPG_NONE;
  return MPG_OK;
}

/* Whether a commit protects the step by its time alone: the commit or the step has no number. */
static bool is_protected_by_time(const mpg_lineage *lineage, const mpg_step *step) {
  if (lineage->any_step != MPG_NONE && step->end <= lineage->any_step)
    return true;
  return step->number == MPG_NONE && lineage->latest_numbered != MPG_NONE &&
         step->end <= lineage->latest_numbered;
}

/* Steps after which nothing resumed: each has a number below those before it in this order. */
static bool is_protected(mpg_lineage *lineage, const mpg_step *step) {
  size_t first = lineage->above;
  while (first > 0 && lineage->durable[first - 1].step >= step->number)
    first--;
  lineage->above = first;
  return first < lineage->ndurable && step->start < lineage->durable[first].snapshot;
}

/* Batches, whose numbers come in any order: while a shard is committed others may still run. */
static bool protects_batch(const mpg_lineage *lineage, const mpg_step *batch) {
  const mpg_commit *c = lineage->durable;
  size_t low = commit_from(lineage, lineage->ndurable, batch->number);
  if (low == lineage->ndurable)
    return false;
  return batch->end <= c[low].snapshot ||
         (c[low].step == batch->number && batch->start < c[low].durable);
}

/* What the job's end makes of what is left. A good end vouches for its own attempt; for others it
** does where nothing else tells. */
static mpg_fate fate_of(mpg_lineage *lineage, const mpg_step *step, bool saved, bool any_attempt) {
  if (saved || step->completed)
    return MPG_FATE_PRODUCTIVE;
  if (lineage->ending == MPG_ENDED_WELL && (any_attempt || !lineage->data)) {
    lineage->assumed = true;
    return MPG_FATE_PRODUCTIVE;
  }
  if (!lineage->data)
    return MPG_FATE_NO_DATA;
  return lineage->ending == MPG_STILL_RUNNING ? MPG_FATE_PENDING : MPG_FATE_LOST;
}

/* Whether branches decide the fate of a step with a number. */
static bool decide_by_branch(mpg_lineage *lineage, const mpg_step *step, mpg_fate *fate) {
  while (lineage->begun > 0 && lineage->branches[lineage->begun - 1].item > step->item)
    lineage->begun--;
  *fate = step->number > lineage->limits[lineage->begun] ? MPG_FATE_LOST : MPG_FATE_PRODUCTIVE;
  return *fate == MPG_FATE_LOST || lineage->begun < lineage->nbranches;
}

mpg_fate mpg_lineage_decide(mpg_lineage *lineage, const mpg_step *step) {
  mpg_fate fate;
  bool saved;
  lineage->assumed = lineage->against_clock = false;
  if (step->number == MPG_NONE)
    return fate_of(lineage, step, is_protected_by_time(lineage, step), true);
  if (decide_by_branch(lineage, step, &fate))
    return fate;
  saved = is_protected(lineage, step) || is_protected_by_time(lineage, step);
  lineage->against_clock = !saved && !step->completed && step->number <= lineage->reached;
  return fate_of(lineage, step, saved || lineage->against_clock, false);
}

mpg_fate mpg_lineage_decide_rollout(mpg_lineage *lineage, const mpg_step *rollout) {
  mpg_fate fate;
  size_t first;
  lineage->assumed = false;
  if (rollout->number == MPG_NONE)
    return fate_of(lineage, rollout, is_protected_by_time(lineage, rollout), true);
  if (decide_by_branch(lineage, rollout, &fate))
    return fate;
  first = commit_from(lineage, lineage->ndurable, rollout->number);
  return fate_of(
      lineage, rollout,
      is_protected_by_time(lineage, rollout) || rollout->number <= lineage->reached ||
          (first < lineage->ndurable && rollout->start < lineage->durable[first].snapshot),
      false);
}

mpg_fate mpg_lineage_decide_batch(mpg_lineage *lineage, const mpg_step *batch, bool again) {
  lineage->assumed = false;
  if (batch->number == MPG_NONE)
    return fate_of(lineage, batch, is_protected_by_time(lineage, batch), true);
  if (batch->attempt != lineage->batch_attempt)
    lineage->highest_later = lineage->highest;
  lineage->batch_attempt = batch->attempt;
  if (batch->number > lineage->highest)
    lineage->highest = batch->number;
  if (again)
    return MPG_FATE_LOST;
  if (batch->number < lineage->highest_later)
    return MPG_FATE_PRODUCTIVE;
  return fate_of(lineage, batch,
                 is_protected_by_time(lineage, batch) || protects_batch(lineage, batch), true);
}
