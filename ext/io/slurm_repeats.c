/* slurm_repeats.c - see slurm_repeats.h. */
#include "slurm_repeats.h"
#include "../core/intern.h"

#include <string.h>

#define LIMIT ((size_t)1 << 20) /* job ids remembered */

void mpg_slurm_repeats_free(mpg_slurm_repeats *r) {
  mpg_free(r->env, r->seen);
}

/* Where the hash is, or may be put. */
static uint64_t *place(uint64_t *seen, size_t cap, uint64_t h) {
  size_t at = (size_t)(h >> 1) & (cap - 1);
  while (seen[at] != 0 && seen[at] != h)
    at = (at + 1) & (cap - 1);
  return &seen[at];
}

static mpg_rc grow(mpg_slurm_repeats *r) {
  size_t cap = r->cap == 0 ? 256 : r->cap * 2;
  uint64_t *grown = mpg_calloc(r->env, cap * sizeof *grown);
  if (grown == NULL)
    return MPG_NOMEM;
  for (size_t i = 0; i < r->cap; i++)
    if (r->seen[i] != 0)
      *place(grown, cap, r->seen[i]) = r->seen[i];
  mpg_free(r->env, r->seen);
  r->seen = grown;
  r->cap = cap;
  return MPG_OK;
}

mpg_rc mpg_slurm_repeats_add(mpg_slurm_repeats *r, mpg_str cluster, mpg_str id) {
  uint64_t h, *at;
  if (r->found || id.n == 0 || r->n == LIMIT || memchr(id.p, '.', id.n) != NULL)
    return MPG_OK;
  if (r->n * 2 >= r->cap && grow(r) != MPG_OK)
    return MPG_NOMEM;
  h = (mpg_hash(r->env->seed, cluster.p, cluster.n) * 31 + mpg_hash(r->env->seed, id.p, id.n)) | 1;
  at = place(r->seen, r->cap, h);
  r->found = *at == h;
  r->n += *at == 0;
  *at = h;
  return MPG_OK;
}

mpg_rc mpg_slurm_repeats_end(const mpg_slurm_repeats *r, mpg_issues *issues, const char *path,
                             mpg_err *err) {
  if (r->n > 0 && !r->found && issues != NULL &&
      mpg_issues_add(issues, MPG_WARNING, path, "no_requeues", 0, 1,
                     "no job comes twice: without sacct -D, attempts that ended REQUEUED, "
                     "PREEMPTED or NODE_FAIL are left out") != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}
