/* stretch_sums.c - see stretch_sums.h. */
#include "stretch_sums.h"

#include "../packed/packed_spans.h"

#include <string.h>

#define MILLION INT64_C(1000000)

/* As in ledger_row.c: twelve days of a million chips fit int64. */
#define CHIPS_MAX (INT64_C(1) << 20)
#define TIME_MAX (INT64_C(1) << 40)

/* The bucket of `start`, and the times of it that the window leaves. */
static void set_bucket(mpg_stretch_sums *run, int64_t start) {
  const mpg_window *w = run->window;
  run->from = w->since;
  run->until = w->until;
  run->bucket = MPG_NONE;
  if (mpg_bucket_is_set(&w->bucket)) {
    int64_t next;
    run->bucket = mpg_bucket_start(&w->bucket, start);
    next = mpg_bucket_next(&w->bucket, run->bucket);
    run->from = run->bucket > run->from ? run->bucket : run->from;
    run->until = next < run->until ? next : run->until;
  }
  if (start > run->from)
    run->from = start;
  if (run->until - run->from >
      TIME_MAX) /* `from` is no earlier than 1970 and may be far from the end */
    run->until = run->from + TIME_MAX;
}

void mpg_stretch_sums_begin(mpg_stretch_sums *run, const mpg_window *window, const mpg_sink *sink,
                            int64_t held, int64_t start) {
  run->window = window;
  run->sink = sink;
  run->emitted = 0;
  run->chips = held % MILLION == 0 && held / MILLION < CHIPS_MAX ? held / MILLION : 0;
  run->from = INT64_MAX;
  run->until = INT64_MIN;
  if (run->chips > 0)
    set_bucket(run, start);
}

mpg_rc mpg_stretch_sums_end(mpg_stretch_sums *run, mpg_row *row) {
  uint32_t emitted = run->emitted;
  run->emitted = 0;
  row->cause = 0;
  row->bucket = run->bucket;
  for (; emitted != 0; emitted &= emitted - 1) {
    int c = __builtin_ctz(emitted);
    mpg_rc rc;
    if (run->intervals[c] == 0)
      continue;
    row->category = (mpg_category)c;
    rc = run->sink->more(run->sink->ctx, row, run->chip_us[c], run->intervals[c]);
    run->chip_us[c] = 0;
    run->intervals[c] = 0;
    if (rc != MPG_OK)
      return rc;
  }
  return MPG_OK;
}

bool mpg_stretch_sums_moves(mpg_stretch_sums *run, mpg_row *row, int64_t start, int64_t end,
                            mpg_rc *rc) {
  mpg_row at_hand = *row;
  if (start < run->window->since || end > run->window->until)
    return false;
  *rc = mpg_stretch_sums_end(run, row);
  *row = at_hand;
  set_bucket(run, start);
  return *rc == MPG_OK && start >= run->from && end <= run->until;
}
