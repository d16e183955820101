/* What goodput_report.c says of small logs, beside figures worked out by hand from its rules. */
#include "../../ext/formats/goodput_log/goodput_report.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const mpg_env *const env = &mpg_env_libc;

static mpg_goodput_report_row row(mpg_goodput_report_kind kind, bool end, double time) {
  return (mpg_goodput_report_row){.kind = kind,
                                  .end = end,
                                  .timed = true,
                                  .time = time,
                                  .first_time = time,
                                  .a = (double)NAN,
                                  .b = (double)NAN};
}

static mpg_goodput_report_row step(int64_t n, double time) {
  mpg_goodput_report_row r = row(MPG_GOODPUT_REPORT_STEP, false, time);
  r.step = n;
  return r;
}

static mpg_goodput_report_row typed(bool end, double time, uint32_t type) {
  mpg_goodput_report_row r = row(MPG_GOODPUT_REPORT_CUSTOM, end, time);
  r.type = type;
  return r;
}

#define START(t) row(MPG_GOODPUT_REPORT_JOB, false, t)
#define END(t) row(MPG_GOODPUT_REPORT_JOB, true, t)
#define COMPUTE(report, rows, options)                                                             \
  CHECK(mpg_goodput_report_compute(report, env, rows, sizeof(rows) / sizeof *(rows), options,      \
                                   &err) == MPG_OK)

static bool near(double a, double b) {
  return fabs(a - b) < 1e-9;
}

static void test_a_restart(void) {
  /* Steps 0 to 3, then from 2 again: 3 is the one that was wasted, 2 was in flight. */
  const mpg_goodput_report_row rows[] = {START(0),     step(0, 10), step(1, 40),  step(2, 50),
                                         step(3, 60),  START(100),  step(2, 110), step(3, 125),
                                         step(4, 135), END(145)};
  mpg_goodput_report_options options = {0};
  mpg_goodput_report r;
  mpg_err err;
  COMPUTE(&r, rows, &options);
  CHECK(r.error == NULL && r.disruptions == 1 && near(r.total_s, 145));
  CHECK(near(r.badput_s[MPG_GOODPUT_REPORT_wasted_progress_from_disruption], 10));
  CHECK(near(r.badput_s[MPG_GOODPUT_REPORT_infrastructure_recovery_from_disruption], 40));
  /* Segment 1: 30 + 10, startup 30 - 10. Segment 2: 15 + 10, startup 15 - 10; then 145 - 135. */
  CHECK(near(r.badput_s[MPG_GOODPUT_REPORT_program_startup], 25));
  CHECK(near(r.productive_s, 20 + 20 + 10) && near(r.goodput_pct, 5000.0 / 145));
  CHECK(near(r.badput_s[MPG_GOODPUT_REPORT_other], 145 - 50 - 10 - 40 - 25));
  CHECK(r.max_productive_step == 4 && r.last_recorded_step == 4);
  CHECK(r.nsteps == 4 && r.step_error == NULL && near(r.ideal_step_s, 35.0 / 3));
  mpg_goodput_report_free(&r, env);
}

static void test_custom_events(void) {
  /* Inside step 1: type 1 for 3 s; type 2 reaches into step 2 and counts nowhere. */
  const mpg_goodput_report_row rows[] = {
      START(0),           step(0, 0),          step(1, 10), typed(false, 12, 1),
      typed(true, 15, 1), typed(false, 18, 2), step(2, 20), typed(true, 21, 2),
      typed(true, 22, 2), step(3, 30)};
  mpg_goodput_report_options options = {.query_time = 40, .ntypes = 2};
  mpg_goodput_report r;
  mpg_err err;
  COMPUTE(&r, rows, &options);
  CHECK(r.error == NULL && near(r.total_s, 40));
  CHECK(near(r.custom_s[0], 3) && isnan(r.custom_s[1]));
  CHECK(near(r.badput_s[MPG_GOODPUT_REPORT_program_startup], 10 - 17.0 / 2));
  CHECK(near(r.productive_s, 27 - 1.5) && r.max_productive_step == 2);
  mpg_goodput_report_free(&r, env);
}

static void test_windows_and_errors(void) {
  const mpg_goodput_report_row rows[] = {START(0), step(0, 10), step(1, 20), step(2, 30), END(40)};
  const mpg_goodput_report_row none[] = {step(0, 10)};
  mpg_goodput_report_row broken[] = {START(0), step(0, 10)};
  mpg_goodput_report_options options = {.query_time = 40, .windowed = true, .start = 10, .end = 35};
  mpg_goodput_report r;
  mpg_err err;
  COMPUTE(&r, rows, &options);
  CHECK(r.error == NULL && near(r.total_s, 10) && near(r.productive_s, 10));
  mpg_goodput_report_free(&r, env);
  options.end = 20;
  COMPUTE(&r, rows, &options);
  CHECK(r.error != NULL && strncmp(r.error, "Start time is on or after end time", 34) == 0);
  mpg_goodput_report_free(&r, env);
  options.end = 15;
  COMPUTE(&r, rows, &options);
  CHECK(r.error != NULL && strcmp(r.error, "No rows in the window.") == 0);
  mpg_goodput_report_free(&r, env);
  options.windowed = false;
  COMPUTE(&r, none, &options);
  CHECK(r.error != NULL && strncmp(r.error, "Total job time is zero", 22) == 0);
  CHECK(r.step_error != NULL);
  mpg_goodput_report_free(&r, env);
  broken[1].time = (double)NAN;
  COMPUTE(&r, broken, &options);
  CHECK(r.error != NULL && strcmp(r.error, "A row lacks its time.") == 0);
  mpg_goodput_report_free(&r, env);
  CHECK(mpg_goodput_report_compute(&r, env, rows, 0, &options, &err) == MPG_OK && r.error != NULL);
  mpg_goodput_report_free(&r, env);
}

/* ---- Large logs ---- */

static uint64_t state = 88172645463325252u;
static double chance(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) / 9007199254740992.0;
}

/* Re-initialisations overlap phases, one another, or nothing: against every pair of them. */
static void test_overlaps(void) {
  enum { PAIRS = 40 };
  for (int round = 0; round < 200; round++) {
    mpg_goodput_report_row rows[4 * PAIRS + 2];
    double starts[2][PAIRS], ends[2][PAIRS], expected = 0;
    mpg_goodput_report_options options = {0};
    mpg_goodput_report r;
    mpg_err err;
    size_t n = 0;
    rows[n++] = START(0);
    for (int i = 0; i < PAIRS; i++)
      for (int k = 0; k < 2; k++) {
        starts[k][i] = floor(chance() * 1000);
        ends[k][i] = starts[k][i] + floor((chance() - 0.1) * (round % 2 ? 20 : 500));
        rows[n++] = row(k == 0 ? MPG_GOODPUT_REPORT_TPU_INIT : MPG_GOODPUT_REPORT_REINIT, false,
                        starts[k][i]);
        rows[n++] =
            row(k == 0 ? MPG_GOODPUT_REPORT_TPU_INIT : MPG_GOODPUT_REPORT_REINIT, true, ends[k][i]);
      }
    rows[n++] = END(1e6);
    for (int i = 0; i < PAIRS; i++) {
      expected += ends[0][i] - starts[0][i];
      for (int k = 0; k < PAIRS; k++)
        expected -= fmax(0, fmin(ends[0][i], ends[1][k]) - fmax(starts[0][i], starts[1][k]));
    }
    COMPUTE(&r, rows, &options);
    CHECK(near(r.badput_s[MPG_GOODPUT_REPORT_tpu_initialization], expected < 0 ? 0 : expected));
    mpg_goodput_report_free(&r, env);
  }
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double percentile_of(double *v, size_t n, double p) {
  double at = (double)(n - 1) * p;
  size_t low = (size_t)at, high = low + 1 < n ? low + 1 : low;
  qsort(v, n, sizeof *v, ascending);
  return v[low] + (v[high] - v[low]) * (at - (double)low);
}

/* The baselines are of the last steps, and of those before. */
#define BASELINE_LAST ((size_t)100)
#define BASELINE_BEFORE ((size_t)1000)
#define BASELINE_PERCENTILE 0.9
enum { MOST_STEPS = 1300 };

/* How far the steps were from the ideal one, and what the last ones say of it. */
static void check_deviations(const mpg_goodput_report *r, const double *times, size_t n) {
  double off[MOST_STEPS], sorted[MOST_STEPS], sum = 0, most = 0, interval;
  CHECK(r->nsteps == n);
  for (size_t i = 0; i < n; i++) {
    off[i] = fabs(times[i] - r->ideal_step_s);
    CHECK(r->steps[i] == (int64_t)i && fabs(r->deviations_s[i] - off[i]) < 1e-6);
    sum += off[i];
    most = fmax(most, off[i]);
  }
  CHECK(fabs(r->mean_deviation_s - sum / (double)n) < 1e-6);
  CHECK(fabs(r->max_deviation_s - most) < 1e-6);
  if (n < BASELINE_LAST) {
    CHECK(fabs(r->baseline_interval - r->mean_deviation_s) < 1e-9);
    CHECK(fabs(r->baseline_cumulative - r->mean_deviation_s) < 1e-9);
    return;
  }
  memcpy(sorted, off + n - BASELINE_LAST, BASELINE_LAST * sizeof *off);
  interval = percentile_of(sorted, BASELINE_LAST, BASELINE_PERCENTILE);
  CHECK(fabs(r->baseline_interval - interval) < 1e-6);
  if (n < BASELINE_LAST + BASELINE_BEFORE) {
    CHECK(fabs(r->baseline_cumulative - interval) < 1e-6);
    return;
  }
  memcpy(sorted, off + n - BASELINE_LAST - BASELINE_BEFORE, BASELINE_BEFORE * sizeof *off);
  CHECK(fabs(r->baseline_cumulative - interval + percentile_of(sorted, BASELINE_BEFORE, 0.5)) <
        1e-6);
}

/* The ideal step, by sorting: for step times that are all alike, few, in order, or any. */
static void test_ideal_step(void) {
  enum { MOST = MOST_STEPS };
  static mpg_goodput_report_row rows[MOST + 2];
  for (int round = 0; round < 400; round++) {
    int steps = 2 + (int)(chance() * (round % 8 < 4 ? MOST - 2 : 20));
    double times[MOST] = {0}, sorted[MOST], at = 10, median, limit, sum = 0;
    int kept = 0;
    mpg_goodput_report_options options = {0};
    mpg_goodput_report r;
    mpg_err err;
    rows[0] = START(0);
    for (int i = 0; i < steps; i++) {
      static const double few[] = {1, 2, 2, 4};
      times[i] = round % 4 == 0   ? 2
                 : round % 4 == 1 ? few[(int)(chance() * 4)]
                 : round % 4 == 2 ? 1 + i
                                  : 1 + floor(chance() * 1000) / 8;
      rows[1 + i] = step(i, at);
      at += times[i];
    }
    rows[1 + steps] = END(at);
    memcpy(sorted, times, sizeof times);
    median = percentile_of(sorted, (size_t)steps - 1, 0.5);
    for (int i = 0; i < steps - 1; i++)
      sorted[i] = fabs(times[i] - median);
    limit = median + 3 * percentile_of(sorted, (size_t)steps - 1, 0.5);
    for (int i = 0; i < steps - 1; i++)
      if (times[i] <= limit) {
        sum += times[i];
        kept++;
      }
    CHECK(mpg_goodput_report_compute(&r, env, rows, (size_t)steps + 2, &options, &err) == MPG_OK);
    CHECK(fabs(r.ideal_step_s - sum / kept) < 1e-6);
    check_deviations(&r, times, (size_t)steps - 1);
    mpg_goodput_report_free(&r, env);
  }
}

static bool stop_at_once(void *ctx) {
  ++*(int *)ctx;
  return true;
}

/* Many pairs of phases and re-initialisations, apart and all in one heap: in time, and
** interrupted. */
static void test_many_phases(void) {
  enum { PAIRS = 200000 };
  mpg_goodput_report_row *rows = malloc((4 * (size_t)PAIRS + 2) * sizeof *rows);
  mpg_goodput_report_options options = {0};
  mpg_goodput_report r;
  mpg_err err;
  if (rows == NULL)
    abort();
  for (int overlapping = 0; overlapping < 2; overlapping++) {
    int asked = 0;
    mpg_env stopping = {
        .resize = mpg_env_libc.resize, .interrupted = stop_at_once, .interrupted_ctx = &asked};
    size_t n = 0;
    rows[n++] = START(0);
    for (int i = 0; i < PAIRS; i++) {
      double at = overlapping ? (double)(i + 1) / PAIRS : 10.0 * i;
      rows[n++] = row(MPG_GOODPUT_REPORT_TPU_INIT, false, at);
      rows[n++] = row(MPG_GOODPUT_REPORT_TPU_INIT, true, overlapping ? at + 1e6 : at + 4);
      rows[n++] = row(MPG_GOODPUT_REPORT_REINIT, false, at + 2);
      rows[n++] = row(MPG_GOODPUT_REPORT_REINIT, true, overlapping ? at + 1e6 : at + 6);
    }
    rows[n++] = END(10.0 * PAIRS + 1e6);
    if (!overlapping) {
      CHECK(mpg_goodput_report_compute(&r, env, rows, n, &options, &err) == MPG_OK);
      CHECK(near(r.badput_s[MPG_GOODPUT_REPORT_tpu_initialization], 2.0 * PAIRS));
      CHECK(near(r.badput_s[MPG_GOODPUT_REPORT_elastic_reinitialization], 4.0 * PAIRS));
      mpg_goodput_report_free(&r, env);
    } else { /* forty thousand millions of pairs: only in sums */
      CHECK(mpg_goodput_report_compute(&r, env, rows, n, &options, &err) == MPG_OK);
      CHECK(r.badput_s[MPG_GOODPUT_REPORT_tpu_initialization] == 0);
      mpg_goodput_report_free(&r, env);
    }
    CHECK(mpg_goodput_report_compute(&r, &stopping, rows, n, &options, &err) == MPG_INTERRUPTED);
    CHECK(asked > 0 && asked < 5 && r.steps == NULL);
  }
  free(rows);
}

/* One phase over hundreds of re-initialisations, which are summed at once, as if each was taken
** by itself. */
static void test_sums_of_overlaps(void) {
  enum { PAIRS = 3000 };
  static mpg_goodput_report_row rows[2 * PAIRS + 4];
  mpg_goodput_report_options options = {0};
  mpg_goodput_report r;
  mpg_err err;
  for (int k = 0; k < 6; k++) {
    double from = 1.7e9 + 500.5 + k * 700, to = from + 90000.25 - k * 9000, expected = to - from;
    size_t n = 0;
    rows[n++] = START(1.7e9);
    rows[n++] = row(MPG_GOODPUT_REPORT_TPU_INIT, false, from);
    rows[n++] = row(MPG_GOODPUT_REPORT_TPU_INIT, true, to);
    for (int i = 0; i < PAIRS; i++) { /* the later begin, the sooner end, some of them */
      double s = 1.7e9 + 33.25 * i, e = s + (i % 3 == 0 ? 12.5 : 7.125 + i % 5);
      rows[n++] = row(MPG_GOODPUT_REPORT_REINIT, false, s);
      rows[n++] = row(MPG_GOODPUT_REPORT_REINIT, true, e);
      expected -= fmax(0, fmin(to, e) - fmax(from, s));
    }
    rows[n++] = END(1.7e9 + 2e6);
    CHECK(mpg_goodput_report_compute(&r, env, rows, n, &options, &err) == MPG_OK);
    CHECK(expected > 1000 &&
          fabs(r.badput_s[MPG_GOODPUT_REPORT_tpu_initialization] - expected) < 1e-4);
    mpg_goodput_report_free(&r, env);
  }
}

static void *limited(void *ctx, void *p, size_t n) {
  int *left = ctx;
  if (n > 0 && (*left)-- <= 0)
    return NULL;
  return mpg_env_libc.resize(NULL, p, n);
}

static void test_out_of_memory(void) {
  const mpg_goodput_report_row rows[] = {START(0), step(0, 10), step(1, 20), step(2, 30), END(40)};
  mpg_goodput_report_options options = {.windowed = true, .start = -1, .end = 50, .ntypes = 1};
  mpg_goodput_report r;
  mpg_err err;
  int n = 0, left;
  for (mpg_rc rc = MPG_NOMEM; rc == MPG_NOMEM && n < 100; n++) {
    const mpg_env few = {.resize = limited, .resize_ctx = &left};
    left = n;
    rc = mpg_goodput_report_compute(&r, &few, rows, 5, &options, &err);
    CHECK(rc == MPG_NOMEM || (rc == MPG_OK && near(r.productive_s, 30)));
    CHECK(rc == MPG_OK || r.steps == NULL);
    mpg_goodput_report_free(&r, env);
  }
  CHECK(n > 9 && n < 100);
}

/* Shares of slices over time, and waits by their type [7, 12]. */
static void test_slices(void) {
  enum { N = 22 };
  mpg_goodput_report_row rows[N] = {START(0), step(0, 10), step(1, 20)};
  mpg_goodput_report_options options = {.ntypes = 2};
  mpg_goodput_report r;
  mpg_err err;
  size_t n = 3;
  static const struct {
    mpg_goodput_report_kind kind;
    bool end;
    double time;
    uint32_t type;
  } waits[] = {
      {MPG_GOODPUT_REPORT_SCALE_UP, false, 30, 1},   {MPG_GOODPUT_REPORT_SCALE_UP, false, 40, 2},
      {MPG_GOODPUT_REPORT_SCALE_UP, true, 35, 1},    {MPG_GOODPUT_REPORT_SCALE_UP, true, 38, 2},
      {MPG_GOODPUT_REPORT_SCALE_UP, false, 41, 0},   {MPG_GOODPUT_REPORT_SCALE_UP, true, 45, 0},
      {MPG_GOODPUT_REPORT_SLICE_DOWN, true, 49, 1},  {MPG_GOODPUT_REPORT_SLICE_DOWN, false, 48, 1},
      {MPG_GOODPUT_REPORT_SLICE_DOWN, false, 50, 1}, {MPG_GOODPUT_REPORT_SLICE_DOWN, true, 57, 1}};
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
    rows[n] = row(waits[i].kind, waits[i].end, waits[i].time);
    rows[n++].type = waits[i].type;
  }
  rows[n] = row(MPG_GOODPUT_REPORT_SLICES, false, 0);
  rows[n].a = 0.5;
  rows[n++].b = 1;
  rows[n] =
      row(MPG_GOODPUT_REPORT_SLICES, false, 5); /* lacks one of the two: as if it was not there */
  rows[n++].a = 0;
  rows[n] = row(MPG_GOODPUT_REPORT_SLICES, false, 6);
  rows[n++].b = 0;
  rows[n] = row(MPG_GOODPUT_REPORT_SLICES, false, 20);
  rows[n].a = 1;
  rows[n++].b = 0.75;
  rows[n++] = END(100);
  CHECK(mpg_goodput_report_compute(&r, env, rows, n, &options, &err) == MPG_OK && r.error == NULL);
  CHECK(r.sliced && near(r.stepping_slices, (0.5 * 20 + 1 * 80) / 100));
  CHECK(near(r.available_slices, (1.0 * 20 + 0.75 * 80) / 100));
  CHECK(near(r.badput_s[MPG_GOODPUT_REPORT_elastic_scale_up], 5));
  CHECK(near(r.badput_s[MPG_GOODPUT_REPORT_elastic_slice_down], 7));
  mpg_goodput_report_free(&r, env);
  CHECK(mpg_goodput_report_compute(&r, env, rows, 3, &options, &err) == MPG_OK);
  CHECK(!r.sliced && r.stepping_slices == 0 && r.available_slices == 0);
  mpg_goodput_report_free(&r, env);
}

/* Steps that do not follow one another are no time of a step, and a segment closed at 0 is none
** [3]. */
static void test_gaps(void) {
  const mpg_goodput_report_row gap[] = {START(0),     step(0, 10),  step(1, 20), step(5, 100),
                                        step(6, 115), step(7, 125), END(130)};
  const mpg_goodput_report_row zero[] = {START(0), step(0, 10), step(0, 30), step(1, 50), END(60)};
  mpg_goodput_report_options options = {0};
  mpg_goodput_report r;
  mpg_err err;
  COMPUTE(&r, gap, &options);
  /* 10 + 15 + 10, then 130 - 125; the lowest took 10, the others 12.5: no startup. */
  CHECK(r.error == NULL && near(r.productive_s, 40) && r.max_productive_step == 7);
  CHECK(r.badput_s[MPG_GOODPUT_REPORT_program_startup] == 0 && r.nsteps == 3);
  mpg_goodput_report_free(&r, env);
  COMPUTE(&r, zero, &options);
  CHECK(r.error == NULL && r.disruptions == 1 && near(r.productive_s, 20 + 10));
  CHECK(r.badput_s[MPG_GOODPUT_REPORT_wasted_progress_from_disruption] == 0);
  CHECK(r.badput_s[MPG_GOODPUT_REPORT_infrastructure_recovery_from_disruption] == 0);
  mpg_goodput_report_free(&r, env);
}

/* What is more than the total is 0; productive time so is an error [11]. */
static void test_more_than_there_is(void) {
  const mpg_goodput_report_row rows[] = {START(0),           step(0, 10), typed(false, 12, 1),
                                         typed(true, 25, 1), step(1, 30), END(5)};
  mpg_goodput_report_options options = {.ntypes = 1};
  mpg_goodput_report r;
  mpg_err err;
  COMPUTE(&r, rows, &options); /* 30 - 10 - 13 is productive, and so is 5 - 30 */
  CHECK(r.custom_s[0] == 0 && near(r.productive_s, 7 - 25));
  CHECK(r.error != NULL && strcmp(r.error, "Productive training time is invalid. Please fix the "
                                           "logging entries.") == 0);
  CHECK(r.step_error == NULL && near(r.ideal_step_s, 20));
  mpg_goodput_report_free(&r, env);
}

/* A window asks of every row with a time that its first time is a number; no log is too long to
** say so. */
static void test_first_times(void) {
  mpg_goodput_report_row rows[] = {START(0), step(0, 10), step(1, 20), END(40)};
  mpg_goodput_report_options options = {.windowed = true, .start = -1, .end = 50};
  mpg_goodput_report r;
  mpg_err err;
  rows[2].first_time = (double)NAN;
  COMPUTE(&r, rows, &options);
  CHECK(r.error != NULL && strcmp(r.error, "A row's first time is no number.") == 0);
  CHECK(r.step_error == r.error);
  mpg_goodput_report_free(&r, env);
  rows[2].timed = false; /* which no window then has */
  COMPUTE(&r, rows, &options);
  CHECK(r.error == NULL && near(r.total_s, 40) && r.last_recorded_step == 0);
  mpg_goodput_report_free(&r, env);
  options.windowed = false;
  rows[2].time = (double)NAN;
  rows[2].kind = MPG_GOODPUT_REPORT_SAVE; /* of a checkpoint only how long it took matters */
  COMPUTE(&r, rows, &options);
  CHECK(r.error == NULL);
  mpg_goodput_report_free(&r, env);
  CHECK(mpg_goodput_report_compute(&r, env, rows, UINT32_MAX / 4, &options, &err) == MPG_LIMIT);
  CHECK(strcmp(err.text, "a job of more than 1073741823 rows") == 0);
}

/* Times of steps for which halves around the middle of three take one or two off at a time, made by
** an adversary (M. D. McIlroy, "A Killer Adversary for Quicksort", 1999): their median all the
** same. */
static void test_worst_halves(void) {
  enum { N = 1200 };
  static mpg_goodput_report_row rows[N + 3];
  double times[N], sorted[N], at = 10, median, limit, sum = 0;
  mpg_goodput_report_options options = {0};
  mpg_goodput_report r;
  mpg_err err;
  int kept = 0;
  rows[0] = START(0);
  for (int i = 0; i < N; i++) {
    static const int first[] = {1, 2, 600};
    times[i] = 1 + (i < 3      ? first[i]
                    : i < 599  ? i % 2 ? 601 + (i - 3) / 2 : i
                    : i == 599 ? 0
                    : i < 899  ? 3 + 2 * (i - 600)
                               : i);
    rows[1 + i] = step(i, at);
    at += times[i];
  }
  rows[1 + N] = step(N, at);
  rows[2 + N] = END(at);
  memcpy(sorted, times, sizeof times);
  median = percentile_of(sorted, N, 0.5);
  for (int i = 0; i < N; i++)
    sorted[i] = fabs(times[i] - median);
  limit = median + 3 * percentile_of(sorted, N, 0.5);
  for (int i = 0; i < N; i++)
    if (times[i] <= limit) {
      sum += times[i];
      kept++;
    }
  CHECK(median == 600.5);
  COMPUTE(&r, rows, &options);
  CHECK(fabs(r.ideal_step_s - sum / kept) < 1e-6);
  mpg_goodput_report_free(&r, env);
}

/* Hundreds of re-initialisations over more than 285 years are taken one by one, to the same sum. */
static void test_centuries_of_overlaps(void) {
  enum { PAIRS = 300 };
  static mpg_goodput_report_row rows[2 * PAIRS + 4];
  for (int far = 0; far < 2; far++) {
    double apart = far ? 1e8 : 1e7, to = apart * PAIRS, expected = to;
    mpg_goodput_report_options options = {0};
    mpg_goodput_report r;
    mpg_err err;
    size_t n = 0;
    rows[n++] = START(0);
    rows[n++] = row(MPG_GOODPUT_REPORT_PREP, false, 0);
    rows[n++] = row(MPG_GOODPUT_REPORT_PREP, true, to);
    for (int i = 0; i < PAIRS; i++) {
      rows[n++] = row(MPG_GOODPUT_REPORT_REINIT, false, apart * i);
      rows[n++] = row(MPG_GOODPUT_REPORT_REINIT, true, apart * i + 64);
      expected -= 64;
    }
    rows[n++] = END(to);
    CHECK(mpg_goodput_report_compute(&r, env, rows, n, &options, &err) == MPG_OK);
    CHECK(fabs(r.badput_s[MPG_GOODPUT_REPORT_training_prep] - expected) < 1e-3);
    mpg_goodput_report_free(&r, env);
  }
}

/* The same as below where the log has all that asks for memory: hundreds of re-initialisations,
** checkpoints. */
static void test_out_of_memory_at_length(void) {
  enum { PAIRS = 300 };
  static mpg_goodput_report_row rows[2 * PAIRS + 12];
  mpg_goodput_report_options options = {.ntypes = 1};
  mpg_goodput_report r;
  mpg_err err;
  size_t n = 0;
  int left, tries = 0;
  rows[n++] = START(0);
  rows[n++] = row(MPG_GOODPUT_REPORT_PREP, false, 0);
  rows[n++] = row(MPG_GOODPUT_REPORT_PREP, true, 4000);
  for (int i = PAIRS; i-- > 0;) { /* the last first: they are sorted */
    rows[n++] = row(MPG_GOODPUT_REPORT_REINIT, false, 10.0 * i);
    rows[n++] = row(MPG_GOODPUT_REPORT_REINIT, true, 10.0 * i + 4);
  }
  rows[n++] = typed(false, 20, 1);
  rows[n++] = typed(true, 22, 1);
  for (int i = 0; i < 2; i++) {
    rows[n] = row(i ? MPG_GOODPUT_REPORT_RESTORE : MPG_GOODPUT_REPORT_SAVE, false, 30);
    rows[n++].a = 2;
  }
  rows[n++] = END(5000);
  for (mpg_rc rc = MPG_NOMEM; rc == MPG_NOMEM && tries < 100; tries++) {
    const mpg_env few = {.resize = limited, .resize_ctx = &left};
    left = tries;
    rc = mpg_goodput_report_compute(&r, &few, rows, n, &options, &err);
    CHECK(rc == MPG_NOMEM || rc == MPG_OK);
    CHECK(rc == MPG_OK ? near(r.badput_s[MPG_GOODPUT_REPORT_training_prep], 4000 - 4 * PAIRS)
                       : strcmp(err.text, "out of memory") == 0);
    mpg_goodput_report_free(&r, env);
  }
  CHECK(tries > 16 && tries < 100);
}

int main(void) {
  test_a_restart();
  test_custom_events();
  test_windows_and_errors();
  test_overlaps();
  test_ideal_step();
  test_many_phases();
  test_sums_of_overlaps();
  test_out_of_memory();
  test_slices();
  test_gaps();
  test_more_than_there_is();
  test_first_times();
  test_worst_halves();
  test_centuries_of_overlaps();
  test_out_of_memory_at_length();
  return check_done("goodput_report");
}
