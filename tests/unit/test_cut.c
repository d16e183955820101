/* test_cut.c - parts add up to the whole, whatever cuts them. */
#include "../../ext/goodput/rules/ledger_row.h"
#include "../../ext/goodput/packed/packed_spans.h"
#include "check.h"

#include <stdlib.h>

static uint64_t state = 7;

static int64_t below(int64_t n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (int64_t)(state % (uint64_t)n);
}

/* Rows as they come: sums by category, and whether each lies where it may. */
typedef struct seen {
  mpg_i128 sum[MPG_CATEGORIES];
  int64_t rows, last, buckets_wrong;
  const mpg_window *window;
} seen;

static mpg_rc see(void *ctx, const mpg_row *row) {
  seen *s = ctx;
  s->sum[row->category] += row->chip_us;
  s->rows++;
  s->last = row->end;
  if (mpg_bucket_is_set(&s->window->bucket))
    s->buckets_wrong +=
        row->start < row->bucket || row->end > mpg_bucket_next(&s->window->bucket, row->bucket);
  return MPG_OK;
}

static seen cut(const mpg_window *window, int64_t start, int64_t end, int64_t held, int64_t less,
                int64_t ideal) {
  mpg_fraction room[2];
  mpg_rate rate = mpg_rate_of(held, less, room);
  mpg_row row = {.category = MPG_PARTIAL, .start = start, .end = end};
  seen s = {.window = window};
  mpg_sink sink = {see, &s, NULL};
  CHECK(mpg_row_emit(&mpg_env_libc, window, &row, &rate, ideal, &sink) == MPG_OK);
  return s;
}

/* floor(held t / 10^6) as the rule says it, in 128 bits. */
static mpg_i128 amount(int64_t held, int64_t start, int64_t end) {
  return (mpg_i128)held * end / 1000000 - (mpg_i128)held * start / 1000000;
}

static mpg_rc refuse(void *ctx, const mpg_row *row) {
  (void)ctx;
  (void)row;
  return MPG_NOMEM;
}

int main(void) {
  const mpg_window whole = {0, INT64_MAX, {.width_us = 0}};
  int wrong = 0;
  seen s = cut(&whole, 10, 30, 4 * 1000000, 0, MPG_NONE);
  CHECK(s.rows == 1 && s.sum[MPG_PARTIAL] == 80 && s.last == 30);
  s = cut(&whole, 10, 30, 4 * 1000000, 3 * 1000000, MPG_NONE);
  CHECK(s.sum[MPG_PARTIAL] == 20);
  s = cut(&whole, 10, 30, 4 * 1000000, 0, 30);
  CHECK(s.rows == 2 && s.sum[MPG_IDEAL] == 30 && s.sum[MPG_INEFFICIENCY] == 50);
  s = cut(&whole, 10, 30, 4 * 1000000, 0, 100); /* faster than its ideal: not clamped */
  CHECK(s.sum[MPG_IDEAL] == 100 && s.sum[MPG_INEFFICIENCY] == -20);
  s = cut(&whole, 10, 30, 4 * 1000000, 0, 0);
  CHECK(s.rows == 1 && s.sum[MPG_INEFFICIENCY] == 80);
  s = cut(&whole, 0, 2, 500000, 0, MPG_NONE);
  CHECK(s.sum[MPG_PARTIAL] == 1);
  s = cut(&whole, 0, 1, 500000, 0, MPG_NONE); /* nothing of it is a whole chip-microsecond yet */
  CHECK(s.rows == 0);
  s = cut(&whole, 30, 30, 4 * 1000000, 0, MPG_NONE);
  CHECK(s.rows == 0);

  /* A million chips for a thousand years: more than 64 bits, in rows that each fit. */
  s = cut(&whole, 0, INT64_C(9000000000000000), INT64_C(1000000000000), 0, MPG_NONE);
  CHECK(s.sum[MPG_PARTIAL] == (mpg_i128)1000000 * INT64_C(9000000000000000));
  CHECK(s.rows > 1 && s.last == INT64_C(9000000000000000));

  for (int i = 0; i < 20000; i++) {
    int64_t start = below(1000000000), end = start + below(5000000), held = below(50000000);
    int64_t less = below(3) ? 0 : below(held + 1), ideal = below(2) ? MPG_NONE : below(100000000);
    mpg_window w = {
        start + below(1000000) - 500000, end - below(1000000) + 500000, {.width_us = 0}};
    mpg_window cuts = w;
    int64_t from = w.since > start ? w.since : start, to = w.until < end ? w.until : end;
    int64_t middle = from < to ? from + below(to - from) : from;
    mpg_window before = w, after = w;
    seen a, b, c, d;
    cuts.bucket.width_us = 1 + below(700000);
    cuts.bucket.origin_us = -below(1000000);
    before.until = after.since = middle;
    a = cut(&w, start, end, held, less, ideal);
    b = cut(&cuts, start, end, held, less, ideal);
    c = cut(&before, start, end, held, less, ideal);
    d = cut(&after, start, end, held, less, ideal);
    if (from < to && ideal == MPG_NONE)
      wrong += a.sum[MPG_PARTIAL] != amount(held, from, to) - amount(less, from, to);
    if (from < to && ideal != MPG_NONE)
      wrong += a.sum[MPG_IDEAL] + a.sum[MPG_INEFFICIENCY] !=
                   amount(held, from, to) - amount(less, from, to) ||
               (from == start && to == end && a.sum[MPG_IDEAL] != ideal);
    for (int k = 0; k < MPG_CATEGORIES; k++)
      wrong += a.sum[k] != b.sum[k] || (from < to && a.sum[k] != c.sum[k] + d.sum[k]);
    wrong += b.buckets_wrong != 0;
  }
  CHECK(wrong == 0);
  {
    mpg_fraction room[2];
    mpg_rate rate = mpg_rate_of(1000000, 0, room);
    mpg_row row = {.category = MPG_IDLE, .start = 0, .end = 5};
    mpg_sink sink = {refuse, NULL, NULL};
    CHECK(mpg_row_emit(&mpg_env_libc, &whole, &row, &rate, MPG_NONE, &sink) == MPG_NOMEM);
  }
  return check_done("cut");
}
