/*
** aggregate.c - aggregates as scripts of step, inverse, merge and serialise, against sums of 128
** bits in which every value is whole: integers, and reals that are multiples of 2^-20.
*/
#include "fuzz.h"
#include "../../ext/goodput/goodput.h"
#include "../../ext/read/parse/json_records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STATES 3
#define SHIFT 20
#define NEAR 1e-15L /* more than four roundings to double */

typedef struct model {
  mpg_i128 sum[MPG_SLOTS]; /* times 2^20 */
  int64_t rows;
} model;

static mpg_goodput states[STATES];
static model models[STATES];

static bool same(const mpg_goodput *g, const model *m) {
  for (int s = 0; s < MPG_SLOTS; s++) {
    const mpg_sum *sum = &g->account.sum[s];
    mpg_i128 whole =
        m->sum[s] >> SHIFT; /* towards minus infinity, as the fraction is never negative */
    if (sum->whole != whole || sum->fraction != (mpg_u128)(m->sum[s] & (((mpg_i128)1 << SHIFT) - 1))
                                                    << (128 - SHIFT))
      return false;
  }
  return g->rows == m->rows;
}

/* An integer of any size, or a real of at most 2^60 with 20 bits behind the point. */
static mpg_value value_of(fuzz_script *s, mpg_i128 *scaled) {
  uint8_t kind = fuzz_byte(s);
  int64_t i = (int64_t)fuzz_bytes(s, 1 + kind % 8);
  if (kind & 0x40)
    i = -(i / 2);
  if (kind & 0x80) {
    int64_t small = i % ((int64_t)1 << 52);
    *scaled = small;
    return (mpg_value){MPG_REAL, 0, ldexp((double)small, -SHIFT), {NULL, 0}};
  }
  *scaled = (mpg_i128)i * ((mpg_i128)1 << SHIFT);
  return (mpg_value){MPG_INT, i, 0.0, {NULL, 0}};
}

static void step(fuzz_script *s, int k, bool remove) {
  static const mpg_value null = {MPG_NULL, 0, 0.0, {NULL, 0}};
  mpg_value values[MPG_WIDE];
  mpg_i128 v[MPG_WIDE] = {0, 0, 0, 0};
  mpg_err err;
  uint8_t which = fuzz_byte(s);
  model *m = &models[k], delta = {{0}, 1};
  mpg_rc rc;
  if (which < 200) {
    int c = which % MPG_CATEGORIES;
    values[0] = value_of(s, &delta.sum[c]);
    rc = mpg_goodput_category(&states[k], mpg_str_of(mpg_category_get((mpg_category)c)->name),
                              &values[0], remove, &err);
  } else {
    for (int i = 0; i < MPG_WIDE; i++)
      values[i] = value_of(s, &v[i]);
    if (which % 4 == 1 || which % 4 == 2)
      values[MPG_WIDE_IDEAL] = null;
    if (which % 4 == 2)
      values[MPG_WIDE_PRODUCTIVE] = null;
    delta.sum[MPG_SLOT_SCHEDULING] = v[0] - v[1];
    if (which % 4 == 2) {
      delta.sum[MPG_UNTRACED] = v[1];
    } else {
      delta.sum[MPG_SLOT_RUNTIME] = v[1] - v[2];
      if (which % 4 == 1) {
        delta.sum[MPG_UNRATED] = v[2];
      } else {
        delta.sum[MPG_INEFFICIENCY] = v[2] - v[3];
        delta.sum[MPG_IDEAL] = v[3];
      }
    }
    rc = mpg_goodput_wide(&states[k], values, remove, &err);
  }
  CHECK(rc == MPG_OK);
  for (int i = 0; i < MPG_SLOTS; i++)
    m->sum[i] += remove ? -delta.sum[i] : delta.sum[i];
  m->rows += remove ? -1 : 1;
}

/* By way of the state's bytes, which must not change either. */
static void merge(int to, int from, bool remove) {
  unsigned char bytes[MPG_STATE_MAX], again[MPG_STATE_MAX];
  size_t n = mpg_account_write(&states[from].account, bytes);
  model m = models[from];
  mpg_account back;
  mpg_err err;
  CHECK(mpg_account_read(&back, bytes, n, &err) == MPG_OK);
  CHECK(mpg_account_write(&back, again) == n && memcmp(bytes, again, n) == 0);
  CHECK(mpg_goodput_state(&states[to], bytes, n, remove, &err) == MPG_OK);
  for (int i = 0; i < MPG_SLOTS; i++)
    models[to].sum[i] += remove ? -m.sum[i] : m.sum[i];
  models[to].rows += remove ? -1 : 1;
}

/* Unless one of what must be known is not, or nothing is divided by. */
static void check_ratio(const mpg_account *a, mpg_ratio ratio, bool known, mpg_i128 part,
                        mpg_i128 whole) {
  double found;
  CHECK(mpg_account_ratio(a, ratio, &found) == (known && whole != 0));
  if (known && whole != 0) {
    long double exact = (long double)part / (long double)whole;
    CHECK(fabsl((long double)found - exact) <= fabsl(exact) * NEAR);
  }
}

/* As account.h defines them. */
static void check_ratios(const mpg_account *a, const model *m, mpg_i128 capacity,
                         mpg_i128 allocated, mpg_i128 productive) {
  mpg_i128 u = m->sum[MPG_UNTRACED], r = m->sum[MPG_UNRATED], ideal = m->sum[MPG_IDEAL];
  mpg_i128 partial = m->sum[MPG_PARTIAL], queued = m->sum[MPG_QUEUED];
  bool whole = u == 0 && r == 0;
  check_ratio(a, MPG_RATIO_SG, true, allocated, capacity);
  check_ratio(a, MPG_RATIO_RG, true, productive, allocated - u);
  check_ratio(a, MPG_RATIO_PG, true, ideal, productive - r);
  check_ratio(a, MPG_RATIO_MPG, whole, ideal, capacity);
  check_ratio(a, MPG_RATIO_MPG_LOWER, true, ideal, capacity);
  check_ratio(a, MPG_RATIO_RUNTIME_COVERAGE, true, allocated - u, allocated);
  check_ratio(a, MPG_RATIO_PROGRAM_COVERAGE, true, productive - r, productive);
  check_ratio(a, MPG_RATIO_OCCUPANCY, true, allocated + partial, capacity);
  check_ratio(a, MPG_RATIO_MFU, whole, ideal, allocated);
  check_ratio(a, MPG_RATIO_ETTR, u == 0, productive, allocated + partial + queued);
}

/* The sums that ratios are made of, by the categories' layers. */
static void check_totals(const mpg_goodput *g, const model *m) {
  mpg_i128 capacity = 0, scheduling = m->sum[MPG_SLOT_SCHEDULING], productive;
  mpg_account a = g->account;
  for (int s = 0; s < MPG_SLOTS; s++)
    capacity += s == MPG_QUEUED ? 0 : m->sum[s];
  scheduling += m->sum[MPG_DOWN] + m->sum[MPG_IDLE] + m->sum[MPG_PARTIAL];
  productive = m->sum[MPG_INEFFICIENCY] + m->sum[MPG_UNRATED] + m->sum[MPG_IDEAL];
  CHECK(mpg_account_capacity(&a).whole == capacity >> SHIFT);
  CHECK(mpg_account_allocated(&a).whole == (capacity - scheduling) >> SHIFT);
  CHECK(mpg_account_productive(&a).whole == productive >> SHIFT);
  CHECK(mpg_account_ideal(&a).whole == m->sum[MPG_IDEAL] >> SHIFT);
  check_ratios(&a, m, capacity, capacity - scheduling, productive);
}

/* What a query sees of it: valid JSON, and a text for each sum that is the same number. */
static void check_shown(const mpg_goodput *g, const model *m) {
  static const mpg_json_options plain = {0};
  char json[MPG_GOODPUT_JSON], text[MPG_SUM_TEXT];
  size_t n = mpg_goodput_json(g, json);
  const mpg_json_member *members;
  mpg_json *reader;
  mpg_stream *stream;
  mpg_err err;
  CHECK(n < sizeof json && strlen(json) == n);
  CHECK(mpg_stream_memory(&stream, &mpg_env_libc, "g", (mpg_str){json, n}, &err) == MPG_OK);
  CHECK(mpg_json_open(&reader, &mpg_env_libc, stream, &plain, &err) == MPG_OK);
  CHECK(mpg_json_record(reader, &members, &n, &err) == MPG_OK && n > 0);
  CHECK(mpg_json_record(reader, &members, &n, &err) == MPG_DONE);
  mpg_json_close(reader);
  mpg_stream_close(stream);
  for (int s = 0; s < MPG_SLOTS; s++) {
    long double exact = ldexpl((long double)m->sum[s], -SHIFT);
    double told = mpg_sum_to_double(g->account.sum[s]);
    CHECK(fabsl((long double)told - exact) <= fabsl(exact) * NEAR);
    CHECK(mpg_sum_format(g->account.sum[s], text) == strlen(text));
    CHECK(fabsl(strtold(text, NULL) - exact) <= fabsl(exact) * NEAR);
  }
}

void fuzz_aggregate(mpg_str input) {
  fuzz_script s = {input};
  memset(states, 0, sizeof states);
  memset(models, 0, sizeof models);
  for (int ops = 0; s.left.n > 0 && ops < 200; ops++) { /* 200 doublings of 2^63 would pass 2^122 */
    uint8_t op = fuzz_byte(&s);
    int to = op / 4 % STATES, from = op / 16 % STATES;
    if (op % 4 == 3 && ops < 40)
      merge(to, from, (op & 0x80) != 0);
    else
      step(&s, to, op % 4 == 1);
    CHECK(same(&states[to], &models[to]));
  }
  for (int k = 0; k < STATES; k++) {
    check_totals(&states[k], &models[k]);
    check_shown(&states[k], &models[k]);
  }
}
