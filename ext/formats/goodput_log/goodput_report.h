/*
** goodput_report.h - what ml-goodput-measurement 0.2.3 says of a job, computed as it does, its
** quirks included. It is not the accounting of this project: the buckets may count a second twice.
**
** Rows are given in the order of the log, which matters: the library never sorts by the times in
** them. The rules (found by running the library, and from its documentation):
**
**  1. Total time: the last end of the job, else `query_time`, less its first start.
**  2. A step that the current segment already has is a disruption: it closes the segment at this
**     step and begins the next one.
**  3. A segment closed at 0 counts nothing. For neighbouring rows (n0,t0), (n1,t1): if n1 is above
**     the step that closed the segment, t1-t0 is wasted progress; else if n1 is n0+1, t1-t0 is
**     productive, less the custom events wholly inside, which count for their types; else nothing.
**  4. Program startup: the time of the segment's lowest step, less the mean of its other steps.
**  5. Infrastructure recovery: the latest start of the job, less the last step before the
**     disruption.
**  6. At the end the segment closes at its highest step. If the job has an end, the time from the
**     start of this step to that end is productive.
**  7. Of a pair, a later start replaces an open one, and an end without a start is nothing.
**  8. Data loading: the first load, the first after each disruption, and once more the most recent
**     load at a disruption, are synchronous. All others are asynchronous, and no badput.
**  9. Custom events pair by type over the whole log; one that does not end after its start is
**     nothing.
** 10. Checkpoints: the mean duration of each (step, persistent or not), summed; saves are taken
**     from productive time.
** 11. A sum below 0 or above the total is 0; productive time there is an error. Other is the rest.
** 12. Elastic waits count for scale-up or slice-down; re-initialisation is taken out of the phases
**     that it overlaps. Slice efficiency is the share of slices over time, over the total time.
** 13. Step deviation: |t - ideal|, ideal the mean of the times from 1 s up to median + 3 MAD. The
**     figures of its monitor: the mean of up to 99 deviations, else the 90th percentile of the last
**     100. From 1100 deviations on, the cumulative one subtracts the median of the 1000 before.
** 14. A window (start, end]: rows whose first time lies in it. The total is from the first of those
**     (or `start` if that is later) to the last of those (or `end` if that is earlier).
*/
#ifndef MPG_GOODPUT_REPORT_H
#define MPG_GOODPUT_REPORT_H

#include "../../base/base.h"

typedef enum mpg_goodput_report_kind {
  MPG_GOODPUT_REPORT_OTHER,
  MPG_GOODPUT_REPORT_JOB,
  MPG_GOODPUT_REPORT_STEP,
  MPG_GOODPUT_REPORT_TPU_INIT,
  MPG_GOODPUT_REPORT_PREP,
  MPG_GOODPUT_REPORT_LOAD,
  MPG_GOODPUT_REPORT_CUSTOM,     /* type */
  MPG_GOODPUT_REPORT_SLICES,     /* a, b: shares of slices active, available */
  MPG_GOODPUT_REPORT_SCALE_UP,   /* a wait for more slices; type */
  MPG_GOODPUT_REPORT_SLICE_DOWN, /* a wait for lost ones; type */
  MPG_GOODPUT_REPORT_REINIT,
  MPG_GOODPUT_REPORT_SAVE,   /* step, persistent, a: seconds */
  MPG_GOODPUT_REPORT_RESTORE /* the same */
} mpg_goodput_report_kind;

typedef struct mpg_goodput_report_row {
  mpg_goodput_report_kind kind;
  bool end;        /* of its pair */
  bool timed;      /* the row has a time at all */
  bool persistent; /* the checkpoint went to gs:// */
  uint32_t type;   /* of a custom event or wait, 1..ntypes; any case is one type */
  int64_t step;
  double time;       /* seconds; NaN: the row lacks it */
  double first_time; /* what windows go by; NaN: it is no number */
  double a, b;       /* NaN: the row lacks it */
} mpg_goodput_report_row;

/* Seconds of badput, in the library's names. */
#define MPG_GOODPUT_REPORT_BADPUT(F)                                                               \
  F(tpu_initialization)                                                                            \
  F(training_prep)                                                                                 \
  F(program_startup)                                                                               \
  F(data_loading_sync)                                                                             \
  F(data_loading_async)                                                                            \
  F(unproductive_checkpoint_save_time)                                                             \
  F(unproductive_checkpoint_restore_time)                                                          \
  F(wasted_progress_from_disruption)                                                               \
  F(infrastructure_recovery_from_disruption)                                                       \
  F(elastic_slice_down)                                                                            \
  F(elastic_scale_up)                                                                              \
  F(elastic_reinitialization)                                                                      \
  F(other)
#define MPG_GOODPUT_REPORT_ENUM(name) MPG_GOODPUT_REPORT_##name,
enum { MPG_GOODPUT_REPORT_BADPUT(MPG_GOODPUT_REPORT_ENUM) MPG_GOODPUT_REPORT_BUCKETS };

typedef struct mpg_goodput_report_options {
  double query_time; /* "now", for a job without an end */
  bool windowed;
  double start, end; /* of the window */
  size_t ntypes;
} mpg_goodput_report_options;

typedef struct mpg_goodput_report {
  const char *error; /* constant; NULL: fine. Else nothing of the first part is set. */
  double goodput_pct, productive_s, total_s;
  int64_t max_productive_step, last_recorded_step, disruptions; /* steps are 0 if there is none */
  double badput_s[MPG_GOODPUT_REPORT_BUCKETS];
  double *custom_s; /* [type - 1]; NaN: no such event counted */
  size_t ncustom;
  bool sliced; /* slice counts were logged */
  double stepping_slices, available_slices;

  const char *step_error; /* the same of what follows */
  double ideal_step_s, mean_deviation_s, max_deviation_s, baseline_cumulative, baseline_interval;
  int64_t *steps; /* with a known time, in the order in which they first ran */
  double *deviations_s;
  size_t nsteps;
} mpg_goodput_report;

/* MPG_NOMEM, MPG_INTERRUPTED or MPG_OK: what is wrong with the job is in the report, which
** mpg_goodput_report_free empties. */
mpg_rc mpg_goodput_report_compute(mpg_goodput_report *out, const mpg_env *env,
                                  const mpg_goodput_report_row *rows, size_t n,
                                  const mpg_goodput_report_options *options, mpg_err *err);
void mpg_goodput_report_free(mpg_goodput_report *report, const mpg_env *env);

#endif
