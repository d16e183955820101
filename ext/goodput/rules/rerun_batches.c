/* rerun_batches.c - see rerun_batches.h. */
#include "rerun_batches.h"

#include "../../base/sort.h"

#include <string.h>

typedef struct mpg_batch {
  int64_t number;
  size_t item;
} mpg_batch;

void mpg_rerun_batches_init(mpg_rerun_batches *b, const mpg_env *env) {
  memset(b, 0, sizeof *b);
  b->env = env;
}

void mpg_rerun_batches_free(mpg_rerun_batches *b) {
  if (b->env == NULL)
    return;
  mpg_free(b->env, b->batches);
  mpg_free(b->env, b->again);
}

static int by_number(const void *a, const void *b, void *ctx) {
  const mpg_batch *x = a, *y = b;
  (void)ctx;
  if (x->number != y->number)
    return x->number < y->number ? -1 : 1;
  return x->item < y->item ? -1 : 1;
}

static mpg_rc collect_batches(mpg_rerun_batches *b, const mpg_innermost *in) {
  b->n = 0;
  b->rising = true;
  for (size_t i = 0; i < in->nitems && in->batches; i++) {
    const mpg_span *s = &in->items[i].span;
    if (mpg_poll(b->env, i))
      return MPG_INTERRUPTED;
    if (s->kind != MPG_KIND_BATCH || s->step == MPG_NONE)
      continue;
    if (mpg_grow(b->env, &b->batches, &b->cap, b->n + 1, sizeof *b->batches) != MPG_OK)
      return MPG_NOMEM;
    b->rising &= b->n == 0 || b->batches[b->n - 1].number < s->step;
    b->batches[b->n++] = (mpg_batch){s->step, i};
  }
  return MPG_OK;
}

mpg_rc mpg_rerun_batches_find(mpg_rerun_batches *b, const mpg_innermost *in) {
  mpg_rc rc = collect_batches(b, in);
  if (rc != MPG_OK || b->rising)
    return rc;
  if (mpg_grow(b->env, &b->again, &b->again_cap, in->nitems, sizeof *b->again) != MPG_OK)
    return MPG_NOMEM;
  rc = mpg_sort(b->env, b->batches, b->n, sizeof *b->batches, by_number, NULL);
  for (size_t k = 0; rc == MPG_OK && k < b->n; k++) {
    const mpg_batch *next = &b->batches[k + 1];
    bool repeats = k + 1 < b->n && next->number == b->batches[k].number;
    b->again[b->batches[k].item] = repeats ? next->item : MPG_NOBODY;
    if (mpg_poll(b->env, k))
      rc = MPG_INTERRUPTED;
  }
  return rc;
}
