/* rollouts.c - see rollouts.h. */
#include "rollouts.h"

#include "../../base/sort.h"

#include <string.h>

typedef struct mpg_numbered_step {
  size_t attempt;
  int64_t number;
  size_t item;
} mpg_numbered_step;

void mpg_rollouts_init(mpg_rollouts *r, const mpg_env *env) {
  memset(r, 0, sizeof *r);
  r->env = env;
}

void mpg_rollouts_free(mpg_rollouts *r) {
  if (r->env == NULL)
    return;
  mpg_free(r->env, r->steps);
  mpg_free(r->env, r->numbered);
}

static int step_order(const void *a, const void *b, void *ctx) {
  const mpg_numbered_step *x = a, *y = b;
  (void)ctx;
  if (x->attempt != y->attempt)
    return x->attempt < y->attempt ? -1 : 1;
  if (x->number != y->number)
    return x->number < y->number ? -1 : 1;
  return (x->item > y->item) - (x->item < y->item);
}

static mpg_rc collect_steps(mpg_rollouts *r) {
  const mpg_innermost *in = r->in;
  r->nsteps = r->nnumbered = 0;
  for (size_t i = 0; i < in->nitems; i++) {
    const mpg_item *item = &in->items[i];
    if (mpg_poll(r->env, i))
      return MPG_INTERRUPTED;
    if (item->span.kind != MPG_KIND_STEP)
      continue;
    if (mpg_grow(r->env, &r->steps, &r->steps_cap, r->nsteps + 1, sizeof *r->steps) != MPG_OK ||
        mpg_grow(r->env, &r->numbered, &r->numbered_cap, r->nnumbered + 1, sizeof *r->numbered) !=
            MPG_OK)
      return MPG_NOMEM;
    r->steps[r->nsteps++] = i;
    if (item->span.step != MPG_NONE)
      r->numbered[r->nnumbered++] = (mpg_numbered_step){item->attempt, item->span.step, i};
  }
  return MPG_OK;
}

mpg_rc mpg_rollouts_find(mpg_rollouts *r, const mpg_innermost *in) {
  mpg_rc rc;
  r->in = in;
  rc = collect_steps(r);
  return rc == MPG_OK
             ? mpg_sort(r->env, r->numbered, r->nnumbered, sizeof *r->numbered, step_order, NULL)
             : rc;
}

static bool still_runs(const mpg_rollouts *r, size_t step, size_t rollout) {
  return r->in->items[step].span.end > r->in->items[rollout].span.start;
}

static size_t step_of_number(const mpg_rollouts *r, size_t item) {
  const mpg_item *rollout = &r->in->items[item];
  mpg_numbered_step key = {rollout->attempt, rollout->span.step, item};
  size_t low = 0, high = r->nnumbered;
  const mpg_numbered_step *before, *after;
  while (low < high) { /* the first that begins after the rollout */
    size_t middle = low + (high - low) / 2;
    if (step_order(&r->numbered[middle], &key, NULL) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  before = low > 0 ? &r->numbered[low - 1] : NULL;
  after = low < r->nnumbered ? &r->numbered[low] : NULL;
  if (before != NULL && (before->attempt != key.attempt || before->number != key.number))
    before = NULL;
  if (after != NULL && (after->attempt != key.attempt || after->number != key.number))
    after = NULL;
  if (before != NULL && (after == NULL || still_runs(r, before->item, item)))
    return before->item;
  return after != NULL ? after->item : MPG_NOBODY;
}

static size_t step_of_time(const mpg_rollouts *r, size_t item) {
  size_t attempt = r->in->items[item].attempt, low = 0, high = r->nsteps;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (r->steps[middle] < item)
      low = middle + 1;
    else
      high = middle;
  }
  if (low > 0 && r->in->items[r->steps[low - 1]].attempt == attempt &&
      still_runs(r, r->steps[low - 1], item))
    return r->steps[low - 1];
  if (low < r->nsteps && r->in->items[r->steps[low]].attempt == attempt)
    return r->steps[low];
  return MPG_NOBODY;
}

size_t mpg_rollouts_step(const mpg_rollouts *r, size_t item) {
  return r->in->items[item].span.step == MPG_NONE ? step_of_time(r, item) : step_of_number(r, item);
}
