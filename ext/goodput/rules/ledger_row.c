/* ledger_row.c - see ledger_row.h. */
#include "ledger_row.h"
#include "../../base/debug_assert.h"

#include "../packed/packed_spans.h"

#define MILLION INT64_C(1000000)

/* floor(f t / 10^6) for f < 10^6, without leaving int64. */
static int64_t fraction_until(int64_t f, int64_t t) {
  return f * (t / MILLION) + f * (t % MILLION) / MILLION;
}

/* Chip-microseconds of `rate` over [start, end); the caller keeps |whole| * (end - start) in range.
 */
static int64_t amount_of_rate(const mpg_rate *rate, int64_t start, int64_t end) {
  int64_t amount = rate->whole * (end - start);
  for (size_t i = 0; i < rate->nfractions; i++) {
    int64_t f = rate->fractions[i].millionths;
    amount += rate->fractions[i].count * (fraction_until(f, end) - fraction_until(f, start));
  }
  return amount;
}

mpg_rate mpg_rate_of(int64_t held, int64_t less, mpg_fraction room[2]) {
  mpg_rate rate = {held / MILLION - less / MILLION, room, 0};
  if (held % MILLION != 0)
    room[rate.nfractions++] = (mpg_fraction){(uint32_t)(held % MILLION), 1};
  if (less % MILLION != 0)
    room[rate.nfractions++] = (mpg_fraction){(uint32_t)(less % MILLION), -1};
  return rate;
}

int64_t mpg_held_amount(int64_t held, int64_t start, int64_t end) {
  mpg_i128 amount = (mpg_i128)(held / MILLION) * (end - start);
  amount += fraction_until(held % MILLION, end) - fraction_until(held % MILLION, start);
  return amount < MPG_TOO_MUCH ? (int64_t)amount : MPG_TOO_MUCH;
}

/* The longest time whose chip-time at this rate is sure to fit int64. */
static int64_t longest_time(const mpg_rate *rate) {
  int64_t chips = rate->whole < 0 ? -rate->whole : rate->whole;
  for (size_t i = 0; i < rate->nfractions; i++)
    chips += rate->fractions[i].count < 0 ? -rate->fractions[i].count : rate->fractions[i].count;
  return INT64_MAX / 4 / (chips + 1);
}

/* floor(amount * (t - start) / (end - start)): what of `amount` lies before t. */
static int64_t share_until(int64_t amount, const mpg_row *row, int64_t t) {
  if (t <= row->start || t >= row->end)
    return t <= row->start ? 0 : amount;
  return (int64_t)((mpg_i128)amount * (t - row->start) / (row->end - row->start));
}

static mpg_rc emit_part(const mpg_sink *sink, mpg_row *part, mpg_category category,
                        int64_t chip_us) {
  if (chip_us == 0)
    return MPG_OK;
  part->category = category;
  part->chip_us = chip_us;
  return sink->row(sink->ctx, part);
}

mpg_rc mpg_row_emit(const mpg_env *env, const mpg_window *window, const mpg_row *row,
                    const mpg_rate *rate, int64_t ideal, const mpg_sink *sink) {
  bool buckets = mpg_bucket_is_set(&window->bucket);
  int64_t stop = row->end < window->until ? row->end : window->until;
  int64_t at = row->start > window->since ? row->start : window->since;
  int64_t bucket = MPG_NONE, next = INT64_MAX, most;
  mpg_row part = *row;
  size_t turn = 0;
  mpg_rc rc = MPG_OK;
  MPG_ASSERT(row->start <= row->end && row->category < MPG_CATEGORIES);
  if (at >= stop)
    return MPG_OK;
  /* Twelve days of a million chips fit: no division for the usual. */
  most = stop - at;
  if (rate->nfractions > 0 || rate->whole >> 20 != 0 || most >> 40 != 0)
    most = longest_time(rate);
  if (buckets) {
    bucket = mpg_bucket_start(&window->bucket, at);
    next = mpg_bucket_next(&window->bucket, bucket);
  }
  while (at < stop && rc == MPG_OK) {
    int64_t to = stop < next ? stop : next, amount;
    if (mpg_poll(env, turn++))
      return MPG_INTERRUPTED;
    if (to - at > most)
      to = at + most;
    part.start = at;
    part.end = to;
    part.bucket = bucket;
    amount = amount_of_rate(rate, at, to);
    if (ideal == MPG_NONE) {
      rc = emit_part(sink, &part, row->category, amount);
    } else {
      int64_t share = share_until(ideal, row, to) - share_until(ideal, row, at);
      rc = emit_part(sink, &part, MPG_IDEAL, share);
      if (rc == MPG_OK)
        rc = emit_part(sink, &part, MPG_INEFFICIENCY, amount - share);
    }
    at = to;
    if (at == next) {
      bucket = next;
      next = mpg_bucket_next(&window->bucket, bucket);
    }
  }
  return rc;
}
