/*
** runs.h - what jobs did, folded: the rows of a timeline summed by attempt, run, program and
** bucket. A run is a time without a gap in which the attempt had everything it needed.
*/
#ifndef MPG_RUNS_H
#define MPG_RUNS_H

#include "ledger.h"

/* What one program did in one run and one bucket. Ids are the fleet's; 0 is NULL. */
typedef struct mpg_run_row {
  uint32_t job; /* index + 1 */
  uint32_t program;
  int64_t attempt, run; /* run: 1, 2, ...; 0: not everything was there */
  int64_t bucket;
  int64_t start, end; /* of the first interval, and of the last */
  int64_t last_span;  /* the end of the last interval in which a span ran; or MPG_NONE */
  int64_t progress;   /* the start of its first step or batch; or MPG_NONE */
  int64_t restore;    /* of a run's first row: time in spans of restore before progress */
  int64_t held, productive, ideal, unrated, lost; /* chip-microseconds */
  double chips;                                   /* the most held at once */
} mpg_run_row;

/* Folds one job after the other; zero-initialised but for these: */
typedef struct mpg_runs {
  const mpg_env *env;
  const mpg_fleet *fleet;
  mpg_run_row *rows; /* of the last job, by attempt and time */
  size_t nrows, rows_cap;
  struct mpg_run_interval *intervals;
  size_t nintervals, intervals_cap;
  size_t *last;  /* by program, outside of runs and in one: a hint where its last row is */
  bool too_much; /* chip-time past 64 bits */
} mpg_runs;

/* mpg_runs_free also after a failure. */
mpg_rc mpg_runs_init(mpg_runs *runs, const mpg_env *env, const mpg_fleet *fleet, mpg_err *err);
void mpg_runs_free(mpg_runs *runs);
/* Makes runs->rows the runs of one job. */
mpg_rc mpg_runs_job(mpg_runs *runs, mpg_accounting *accounting, size_t job, const char *source,
                    mpg_err *err);

#endif
