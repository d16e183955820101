/* lsf_gpus.h - how many GPUs a resource requirement of LSF reserves. */
#ifndef MPG_LSF_GPUS_H
#define MPG_LSF_GPUS_H

#include "../../base/base.h"

/* Whom the number is of. UNKNOWN: GPUs are asked for, and the requirement does not say how many. */
typedef enum mpg_lsf_per {
  MPG_LSF_NO_GPUS,
  MPG_LSF_PER_HOST,
  MPG_LSF_PER_TASK,
  MPG_LSF_PER_JOB,
  MPG_LSF_UNKNOWN
} mpg_lsf_per;

typedef struct mpg_lsf_gpus {
  mpg_lsf_per per;
  double each;
  mpg_str model; /* gmodel, borrowed; empty: it names none */
} mpg_lsf_gpus;

/*
** "select[...] rusage[ngpus_physical=2.00:gmodel=TeslaV100,mem=1.00] span[ptile=4]": 2 per host, as
** `bsub -gpu num=2` asks; "/task" and "/host" behind a number say whom it is of. Of a compound
** requirement, "1*{...} + 4*{... span[ptile=1]}", the sum of its terms, per job. Alternatives
** ("... || ...") of which one asks for GPUs are unknown.
*/
mpg_lsf_gpus mpg_lsf_gpus_of(mpg_str requirement);

#endif
