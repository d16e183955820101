/*
** slurm_fast.h - the fast road for fields of sacct's records in their common form. Results are
** those of the parsers of slurm_value.h and time.h; false means only that the caller has to use
** these. For slurm_row.c.
*/
#ifndef MPG_SLURM_FAST_H
#define MPG_SLURM_FAST_H

#include "../../base/base.h"

/* The date that came last, for the next time is mostly of the same. All zero: none. */
typedef struct mpg_slurm_date {
  char text[10];
  bool known;
  int64_t seconds; /* of its midnight, as mpg_time_parse has it */
} mpg_slurm_date;

/* "2026-11-21T05:52:33", to seconds: of the date that is known. */
bool mpg_slurm_fast_time(const mpg_slurm_date *date, mpg_str s, int64_t *seconds);
/* Remembers the date of such a time, which mpg_time_parse has read as `seconds`. */
void mpg_slurm_date_learn(mpg_slurm_date *date, mpg_str s, int64_t seconds);
/* "01:02:03", to seconds. */
bool mpg_slurm_fast_duration(mpg_str s, int64_t *seconds);
/* Whether all is digits, and not too many for an int64. */
bool mpg_slurm_fast_digits(mpg_str s);

/* A text that its type's parser has accepted, so that a value that repeats from record to record is
** parsed once. Longer texts are not remembered. All zero: none. */
typedef struct mpg_slurm_known {
  uint8_t n;
  char text[119];
} mpg_slurm_known;

bool mpg_slurm_is_known(const mpg_slurm_known *known, mpg_str s);
void mpg_slurm_know(mpg_slurm_known *known, mpg_str s);

#endif
