/*
** ledger_row.h - from pieces of time to rows of the ledger: windows, buckets and exact integers
** (docs/rules.md, section 8).
*/
#ifndef MPG_LEDGER_ROW_H
#define MPG_LEDGER_ROW_H

#include "../category.h"
#include "../../base/time.h"
#include "../../base/time_bucket.h"

/* A number of chips: whole ones, and how many hold each fraction (in millionths, 1..999999). */
typedef struct mpg_fraction {
  uint32_t millionths;
  int64_t count; /* may be negative: what is subtracted */
} mpg_fraction;

typedef struct mpg_rate {
  int64_t whole;
  const mpg_fraction *fractions;
  size_t nfractions;
} mpg_rate;

/* `held` millionths less `less` millionths, with room for the two fractions in `room`. */
mpg_rate mpg_rate_of(int64_t held, int64_t less, mpg_fraction room[2]);

/* Chip-microseconds of a span that are too many for the roofline: docs/rules.md, section 6. */
#define MPG_TOO_MUCH INT64_C(4000000000000000000)
/* Chip-microseconds of `held` millionths over [start, end), or MPG_TOO_MUCH if they are more. */
int64_t mpg_held_amount(int64_t held, int64_t start, int64_t end);
/* The sum of two amounts of mpg_held_amount, or MPG_TOO_MUCH. */
static inline int64_t mpg_held_sum(int64_t a, int64_t b) {
  return a > MPG_TOO_MUCH - b ? MPG_TOO_MUCH : a + b;
}

/* What accounting hands out: one interval of one category. Ids are the fleet's; 0 is NULL. */
typedef struct mpg_row {
  uint32_t job;  /* index + 1 */
  uint32_t pool; /* index + 1 */
  uint32_t chip, cause;
  uint8_t size; /* 1 S, 2 M, 3 L, 4 XL */
  mpg_category category;
  int64_t attempt; /* MPG_NONE: NULL */
  int64_t start, end;
  int64_t bucket; /* start of the bucket, MPG_NONE if there is no bucket */
  int64_t chip_us;
  /* The evidence, if origins are recorded: the span (or allocation) that decided. */
  int64_t step, line;
  uint32_t kind, program, file;
  int64_t number; /* of a scan of the ledger that numbers its rows */
} mpg_row;

typedef struct mpg_sink {
  mpg_rc (*row)(void *ctx, const mpg_row *row);
  void *ctx;
  /* The sum of rows like one that was passed to row(); only their dimensions are in `row`. NULL:
  ** every row has to be passed by itself. */
  mpg_rc (*more)(void *ctx, const mpg_row *row, mpg_i128 chip_us, int64_t intervals);
} mpg_sink;

typedef struct mpg_window {
  int64_t since, until;
  mpg_bucket bucket;
} mpg_window;

/*
** Cuts `row` (its start and end) to the window and at the edges of buckets, and passes the parts to
** the sink. `ideal` is MPG_NONE, or chip-microseconds of roofline time of the whole: each part then
** becomes two rows, `ideal` and `inefficiency`. Rows of 0 chip-microseconds are left out. A part
** whose chip-time does not fit int64 is cut in time until it does. Polls `env`, for there may be
** millions of buckets. Returns what the sink returns, or MPG_INTERRUPTED.
*/
mpg_rc mpg_row_emit(const mpg_env *env, const mpg_window *window, const mpg_row *row,
                    const mpg_rate *rate, int64_t ideal, const mpg_sink *sink);

#endif
