/*
** rerun_batches.h - which batches of bulk inference a job ran again (docs/rules.md, section 5).
** Shards are done in any order, so only a batch of the same number is evidence.
*/
#ifndef MPG_RERUN_BATCHES_H
#define MPG_RERUN_BATCHES_H

#include "innermost.h"

struct mpg_batch;

/* The batches of one job at a time. The next job reuses what is allocated. */
typedef struct mpg_rerun_batches {
  const mpg_env *env;
  struct mpg_batch *batches; /* those that have a number */
  size_t n, cap;
  size_t *again; /* of each item, if some numbers are not above all before them */
  size_t again_cap;
  bool rising; /* no number repeats */
} mpg_rerun_batches;

void mpg_rerun_batches_init(mpg_rerun_batches *batches, const mpg_env *env);
void mpg_rerun_batches_free(mpg_rerun_batches *batches);

/* Looks through a job's items. MPG_OK, MPG_NOMEM or MPG_INTERRUPTED. */
mpg_rc mpg_rerun_batches_find(mpg_rerun_batches *batches, const mpg_innermost *in);
/* The item that ran the batch of an item next, or MPG_NOBODY. */
static inline size_t mpg_rerun_batches_again(const mpg_rerun_batches *batches, size_t item) {
  return batches->rising ? MPG_NOBODY : batches->again[item];
}

#endif
