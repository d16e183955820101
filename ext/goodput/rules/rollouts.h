/*
** rollouts.h - which step a rollout belongs to. A rollout is the generation or scoring that a step
** of reinforcement learning needs for its update (docs/rules.md, section 5).
*/
#ifndef MPG_ROLLOUTS_H
#define MPG_ROLLOUTS_H

#include "innermost.h"

struct mpg_numbered_step;

/* The rollouts of one job at a time. The next job reuses what is allocated. */
typedef struct mpg_rollouts {
  const mpg_env *env;
  const mpg_innermost *in;
  size_t *steps;                      /* the items that are steps, in their order */
  struct mpg_numbered_step *numbered; /* those with a number, by attempt, number and item */
  size_t nsteps, nnumbered, steps_cap, numbered_cap;
} mpg_rollouts;

void mpg_rollouts_init(mpg_rollouts *rollouts, const mpg_env *env);
void mpg_rollouts_free(mpg_rollouts *rollouts);

/* Looks through a job's items, which stay borrowed. MPG_OK, MPG_NOMEM or MPG_INTERRUPTED. */
mpg_rc mpg_rollouts_find(mpg_rollouts *rollouts, const mpg_innermost *in);
/* The item of the step that a rollout is of, or MPG_NOBODY: its attempt ran none. */
size_t mpg_rollouts_step(const mpg_rollouts *rollouts, size_t item);

#endif
