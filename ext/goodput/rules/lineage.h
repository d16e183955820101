/*
** lineage.h - which of a job's steps and batches survived (docs/rules.md, section 5).
*/
#ifndef MPG_LINEAGE_H
#define MPG_LINEAGE_H

#include "../trace/fleet.h"

typedef enum mpg_fate {
  MPG_FATE_PRODUCTIVE,
  MPG_FATE_LOST,
  MPG_FATE_PENDING,
  MPG_FATE_NO_DATA /* no checkpoint data says */
} mpg_fate;

/* A step, batch or rollout as the job ran it. */
typedef struct mpg_step {
  int64_t start, end; /* cut at as_of */
  int64_t number;     /* MPG_NONE */
  size_t attempt;     /* its place in order */
  size_t item;        /* its place among all spans of the job */
  bool completed;     /* its attempt did */
} mpg_step;

/* Steps of one attempt whose numbers rise: what ran from one resume on. */
typedef struct mpg_branch {
  size_t attempt;
  size_t item, last_item; /* its first and last step, else the restore that no step followed */
  int64_t start;          /* of that item */
  int64_t first, last;    /* numbers of its steps; MPG_NONE: it has none */
  int64_t loaded;         /* the step that a restore before it names; MPG_NONE */
  int64_t loaded_at;      /* when that restore began */
  bool vouched;           /* the attempt of the steps before completed, and none restored since */
} mpg_branch;

/* The job's end, from its last attempt. */
typedef enum mpg_ending { MPG_ENDED_WELL, MPG_ENDED_BADLY, MPG_STILL_RUNNING } mpg_ending;

/* What is known of a job: commits by rising step (MPG_NONE first), as mpg_fleet_seal leaves them,
** and branches in their order. */
typedef struct mpg_lineage_input {
  const mpg_commit *commits;
  size_t ncommits;
  const mpg_branch *branches;
  size_t nbranches;
  mpg_ending ending;
  int64_t as_of;
} mpg_lineage_input;

/* The lineage of one job at a time. The next job reuses what is allocated. */
typedef struct mpg_lineage {
  const mpg_env *env;
  const mpg_branch *branches; /* borrowed */
  size_t nbranches;
  /* Steps of branch i with a number above limits[i + 1] are lost; limits[0] is for what ran before
  ** the first branch. */
  int64_t *limits;
  size_t limits_cap;
  /* The last branch is safe up to this number, whatever the clocks of its commits. */
  int64_t reached;
  /* Commits that count, by rising step, each with the latest snapshot from it on; `durable` is
  ** that of its step. */
  mpg_commit *durable;
  size_t ndurable, durable_cap;
  mpg_ending ending;
  bool data;               /* there are commits */
  int64_t any_step;        /* the latest snapshot of commits without a step, */
  int64_t latest_numbered; /* and of those with one */
  /* Of the steps so far: */
  size_t above;       /* durable commits from here on are of steps that high */
  size_t begun;       /* branches that began before the last of them */
  bool assumed;       /* the last is productive only by the good end of another attempt, */
  bool against_clock; /* or by the number of a commit whose snapshot was before it */
  /* Of the batches so far that have a number: */
  size_t batch_attempt;  /* of the last one */
  int64_t highest;       /* number; MPG_NONE: there is none */
  int64_t highest_later; /* the same of the attempts after that one */
} mpg_lineage;

void mpg_lineage_init(mpg_lineage *lineage, const mpg_env *env);
void mpg_lineage_free(mpg_lineage *lineage);

/* Begins a job. MPG_OK, MPG_NOMEM or MPG_INTERRUPTED. */
mpg_rc mpg_lineage_begin(mpg_lineage *lineage, const mpg_lineage_input *input);
/* Decides the fate of its steps, which are passed from the last to the first. */
mpg_fate mpg_lineage_decide(mpg_lineage *lineage, const mpg_step *step);
/* Decides the fate of its batches; `again`: a later batch has its number. */
mpg_fate mpg_lineage_decide_batch(mpg_lineage *lineage, const mpg_step *batch, bool again);

/* The same of a rollout whose attempt ran no step for it: as for a step in its place, without an
** effect on others. */
mpg_fate mpg_lineage_decide_rollout(mpg_lineage *lineage, const mpg_step *rollout);

/* The number of commits made by as_of. If there is one, the job has checkpoint data. */
size_t mpg_commits_known(const mpg_commit *commits, size_t ncommits, int64_t as_of);
/* How many of them are durable before their snapshot. */
size_t mpg_commits_early(const mpg_commit *commits, size_t ncommits, int64_t as_of);

#endif
