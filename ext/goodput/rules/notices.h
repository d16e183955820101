/*
** notices.h - what the accounting of jobs finds worth telling, counted per kind; listed as issues
** at the end.
*/
#ifndef MPG_NOTICES_H
#define MPG_NOTICES_H

#include "../trace/fleet.h"

typedef enum mpg_notice {
  MPG_NOTICE_UNKNOWN_JOB,
  MPG_NOTICE_INVALID_LABELS,
  MPG_NOTICE_OVERLAPPING_ATTEMPTS,
  MPG_NOTICE_DUPLICATE_ALLOCATION,
  MPG_NOTICE_OUT_OF_ORDER,
  MPG_NOTICE_MISSING_END,
  MPG_NOTICE_SPAN_OUTSIDE,
  MPG_NOTICE_SPAN_WITHOUT,
  MPG_NOTICE_COMMIT_WITHOUT,
  MPG_NOTICE_OVERLAPPING_SPANS,
  MPG_NOTICE_CONCURRENT_STEPS,
  MPG_NOTICE_REPEATED_STEPS,
  MPG_NOTICE_SURVIVING_SERVE,
  MPG_NOTICE_NEGATIVE_STEPS,
  MPG_NOTICE_EARLY_COMMITS,
  MPG_NOTICE_STEPS_AGAINST_CLOCK,
  MPG_NOTICE_UNNUMBERED_STEPS,
  MPG_NOTICE_UNPROVEN_STEPS,
  MPG_NOTICE_DUPLICATE_SPAN,
  MPG_NOTICE_HIDDEN_SPAN,
  MPG_NOTICE_UNKNOWN_CHIP,
  MPG_NOTICE_UNKNOWN_DTYPE,
  MPG_NOTICE_UNKNOWN_PROGRAM,
  MPG_NOTICE_ABOVE_ROOFLINE,
  MPG_NOTICES
} mpg_notice;

/* The span that was fastest relative to its ideal: its rating shows the likely mistake. */
typedef struct mpg_above {
  double goodput;          /* ideal / time; 0: there is none */
  const mpg_chip_row *row; /* the peak; NULL if it ran on several kinds of chip */
  bool dtype_given;        /* by the span or program; else the chip's default */
} mpg_above;

typedef struct mpg_notices {
  int64_t count[MPG_NOTICES];
  uint32_t job[MPG_NOTICES]; /* index + 1 of the first job by name */
  mpg_above above;
} mpg_notices;

void mpg_notice_add(mpg_notices *notices, const mpg_fleet *fleet, mpg_notice kind, uint32_t job,
                    int64_t count);
/* A span faster than its ideal. */
void mpg_notice_above(mpg_notices *notices, const mpg_fleet *fleet, uint32_t job,
                      const mpg_above *above);
/* A job whose labels are text and no JSON object: nothing finds a label in them. */
void mpg_notice_labels(mpg_notices *notices, const mpg_fleet *fleet, uint32_t job);
/* Adds the notices of others. */
void mpg_notices_merge(mpg_notices *notices, const mpg_fleet *fleet, const mpg_notices *others);
/* Lists what was counted as issues of `source`, and kinds of spans that are written like one of the
** rules' and are none. */
mpg_rc mpg_notices_list(const mpg_notices *notices, const mpg_fleet *fleet, mpg_issues *issues,
                        const char *source, mpg_err *err);

#endif
