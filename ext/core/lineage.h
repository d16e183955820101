/*
** lineage.h - which of a job's steps survived (docs/rules.md, section 5).
*/
#ifndef MPG_LINEAGE_H
#define MPG_LINEAGE_H

#include "fleet.h"

typedef enum mpg_fate {
  MPG_FATE_PRODUCTIVE,
  MPG_FATE_LOST,
  MPG_FATE_PENDING,
  MPG_FATE_NO_DATA /* no checkpoint data says */
} mpg_fate;

/* A step in the order in which the job ran it. */
typedef struct mpg_step {
  int64_t start, end; /* cut at as_of */
  int64_t number;     /* MPG_NONE */
  size_t attempt;     /* its place in order */
  mpg_fate fate;      /* out */
} mpg_step;

/* The job's end as its last attempt tells. */
typedef enum mpg_ending { MPG_ENDED_WELL, MPG_ENDED_BADLY, MPG_STILL_RUNNING } mpg_ending;

/* Scratch that the next job reuses. */
typedef struct mpg_lineage {
  const mpg_env *env;
  mpg_commit *durable; /* commits that count, by rising step */
  size_t durable_cap;
} mpg_lineage;

void mpg_lineage_init(mpg_lineage *lineage, const mpg_env *env);
void mpg_lineage_free(mpg_lineage *lineage);

/*
** Decides the fate of every step; `steps` are in order, `commits` those of the job sorted by step
** (MPG_NONE first), as mpg_fleet_seal leaves them.
*/
mpg_rc mpg_lineage_decide(mpg_lineage *lineage, mpg_step *steps, size_t nsteps,
                          const mpg_commit *commits, size_t ncommits, mpg_ending ending,
                          int64_t as_of, mpg_err *err);

/* True where a commit was made by as_of: the job has checkpoint data. */
bool mpg_commits_exist(const mpg_commit *commits, size_t ncommits, int64_t as_of);

#endif
