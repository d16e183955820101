/*
** stretch_sums.h - the fast road from parts of time to rows, for a whole number of chips of one
** pool and one kind, while the holding does not change. Such rows differ only in category, time and
** chip-time. So a roll-up gets one row for each category, and the rest as a sum. Cells and their
** order are those of the general road (ledger_row.h), which everything else takes.
*/
#ifndef MPG_STRETCH_SUMS_H
#define MPG_STRETCH_SUMS_H

#include "ledger_row.h"

typedef struct mpg_stretch_sums {
  const mpg_window *window;
  const mpg_sink *sink;
  int64_t chips;                    /* whole ones; 0: the run takes nothing */
  int64_t from, until, bucket;      /* times that the run takes, of one bucket */
  uint32_t emitted;                 /* a bit for each category that has had a row */
  mpg_i128 chip_us[MPG_CATEGORIES]; /* of the rows since, which the sink does not know of yet */
  int64_t intervals[MPG_CATEGORIES];
} mpg_stretch_sums;

/* For `held` millionths of a chip, from `start` on. The sums of the stretch before are in the sink
** already. */
void mpg_stretch_sums_begin(mpg_stretch_sums *run, const mpg_window *window, const mpg_sink *sink,
                            int64_t held, int64_t start);
/* Tells the sink what it does not know of yet; row: the run's, as it was. */
mpg_rc mpg_stretch_sums_end(mpg_stretch_sums *run, mpg_row *row);
/* The rest of mpg_stretch_sums_may_add. */
bool mpg_stretch_sums_moves(mpg_stretch_sums *run, mpg_row *row, int64_t start, int64_t end,
                            mpg_rc *rc);

/* Whether [start, end) may take the fast road. *rc: what the sink returned, if it was called. */
static inline bool mpg_stretch_sums_may_add(mpg_stretch_sums *run, mpg_row *row, int64_t start,
                                            int64_t end, mpg_rc *rc) {
  return (start >= run->from && end <= run->until) ||
         (run->chips != 0 && mpg_stretch_sums_moves(run, row, start, end, rc));
}

/* Whether a row of `chip_us` need not be passed: it is empty, or like an earlier one and added to
** its sum. */
static inline bool mpg_stretch_sums_sums(mpg_stretch_sums *run, mpg_category category,
                                         uint32_t cause, int64_t chip_us) {
  bool emitted = cause == 0 && (run->emitted >> category & 1) != 0;
  if (emitted && chip_us != 0) {
    run->chip_us[category] += chip_us;
    run->intervals[category]++;
  }
  return emitted || chip_us == 0;
}

/* Passes a row on; it has its time and its cause. */
static inline mpg_rc mpg_stretch_sums_emit(mpg_stretch_sums *run, mpg_row *row,
                                           mpg_category category, int64_t chip_us) {
  if (run->sink->more != NULL && row->cause == 0)
    run->emitted |= 1u << category;
  row->category = category;
  row->chip_us = chip_us;
  row->bucket = run->bucket;
  return run->sink->row(run->sink->ctx, row);
}

#endif
