/* What goodput_report.c says of small logs, beside figures worked out by hand from its rules. */
#include "../../ext/core/goodput_report.h"
#include "check.h"

#include <math.h>
#include <string.h>

static const mpg_env *const env = &mpg_env_libc;

static mpg_report_row row(mpg_report_kind kind, bool end, double time) {
  return (mpg_report_row){.kind = kind,
                          .end = end,
                          .timed = true,
                          .time = time,
                          .first_time = time,
                          .a = (double)NAN,
                          .b = (double)NAN};
}

static mpg_report_row step(int64_t n, double time) {
  mpg_report_row r = row(MPG_REPORT_STEP, false, time);
  r.step = n;
  return r;
}

static mpg_report_row typed(bool end, double time, uint32_t type) {
  mpg_report_row r = row(MPG_REPORT_CUSTOM, end, time);
  r.type = type;
  return r;
}

#define START(t) row(MPG_REPORT_JOB, false, t)
#define END(t) row(MPG_REPORT_JOB, true, t)
#define COMPUTE(report, rows, options)                                                             \
  CHECK(mpg_report_compute(report, env, rows, sizeof(rows) / sizeof *(rows), options, &err) ==     \
        MPG_OK)

static bool near(double a, double b) {
  return fabs(a - b) < 1e-9;
}

static void test_a_restart(void) {
  /* Steps 0 to 3, then from 2 again: 3 is the one that was wasted, 2 was in flight. */
  const mpg_report_row rows[] = {START(0),   step(0, 10),  step(1, 40),  step(2, 50),  step(3, 60),
                                 START(100), step(2, 110), step(3, 125), step(4, 135), END(145)};
  mpg_report_options options = {0};
  mpg_report r;
  mpg_err err;
  COMPUTE(&r, rows, &options);
  CHECK(r.error == NULL && r.disruptions == 1 && near(r.total_s, 145));
  CHECK(near(r.badput_s[MPG_REPORT_wasted_progress_from_disruption], 10));
  CHECK(near(r.badput_s[MPG_REPORT_infrastructure_recovery_from_disruption], 40));
  /* Segment 1: 30 + 10, startup 30 - 10. Segment 2: 15 + 10, startup 15 - 10; then 145 - 135. */
  CHECK(near(r.badput_s[MPG_REPORT_program_startup], 25));
  CHECK(near(r.productive_s, 20 + 20 + 10) && near(r.goodput_pct, 5000.0 / 145));
  CHECK(near(r.badput_s[MPG_REPORT_other], 145 - 50 - 10 - 40 - 25));
  CHECK(r.max_productive_step == 4 && r.last_recorded_step == 4);
  CHECK(r.nsteps == 4 && r.step_error == NULL && near(r.ideal_step_s, 35.0 / 3));
  mpg_report_free(&r, env);
}

static void test_custom_events(void) {
  /* Inside step 1: type 1 for 3 s; type 2 reaches into step 2 and counts nowhere. */
  const mpg_report_row rows[] = {
      START(0),           step(0, 0),          step(1, 10), typed(false, 12, 1),
      typed(true, 15, 1), typed(false, 18, 2), step(2, 20), typed(true, 21, 2),
      typed(true, 22, 2), step(3, 30)};
  mpg_report_options options = {.query_time = 40, .ntypes = 2};
  mpg_report r;
  mpg_err err;
  COMPUTE(&r, rows, &options);
  CHECK(r.error == NULL && near(r.total_s, 40));
  CHECK(near(r.custom_s[0], 3) && isnan(r.custom_s[1]));
  CHECK(near(r.badput_s[MPG_REPORT_program_startup], 10 - 17.0 / 2));
  CHECK(near(r.productive_s, 27 - 1.5) && r.max_productive_step == 2);
  mpg_report_free(&r, env);
}

static void test_windows_and_errors(void) {
  const mpg_report_row rows[] = {START(0), step(0, 10), step(1, 20), step(2, 30), END(40)};
  const mpg_report_row none[] = {step(0, 10)};
  mpg_report_row broken[] = {START(0), step(0, 10)};
  mpg_report_options options = {.query_time = 40, .windowed = true, .start = 10, .end = 35};
  mpg_report r;
  mpg_err err;
  COMPUTE(&r, rows, &options);
  CHECK(r.error == NULL && near(r.total_s, 10) && near(r.productive_s, 10));
  mpg_report_free(&r, env);
  options.end = 20;
  COMPUTE(&r, rows, &options);
  CHECK(r.error != NULL && strncmp(r.error, "Start time is on or after end time", 34) == 0);
  mpg_report_free(&r, env);
  options.end = 15;
  COMPUTE(&r, rows, &options);
  CHECK(r.error != NULL && strcmp(r.error, "No rows in the window.") == 0);
  mpg_report_free(&r, env);
  options.windowed = false;
  COMPUTE(&r, none, &options);
  CHECK(r.error != NULL && strncmp(r.error, "Total job time is zero", 22) == 0);
  CHECK(r.step_error != NULL);
  mpg_report_free(&r, env);
  broken[1].time = (double)NAN;
  COMPUTE(&r, broken, &options);
  CHECK(r.error != NULL && strcmp(r.error, "A row lacks its time.") == 0);
  mpg_report_free(&r, env);
  CHECK(mpg_report_compute(&r, env, rows, 0, &options, &err) == MPG_OK && r.error != NULL);
  mpg_report_free(&r, env);
}

static void *limited(void *ctx, void *p, size_t n) {
  int *left = ctx;
  if (n > 0 && (*left)-- <= 0)
    return NULL;
  return mpg_env_libc.resize(NULL, p, n);
}

static void test_out_of_memory(void) {
  const mpg_report_row rows[] = {START(0), step(0, 10), step(1, 20), step(2, 30), END(40)};
  mpg_report_options options = {.windowed = true, .start = -1, .end = 50, .ntypes = 1};
  mpg_report r;
  mpg_err err;
  int n = 0, left;
  for (mpg_rc rc = MPG_NOMEM; rc == MPG_NOMEM && n < 100; n++) {
    const mpg_env few = {.resize = limited, .resize_ctx = &left};
    left = n;
    rc = mpg_report_compute(&r, &few, rows, 5, &options, &err);
    CHECK(rc == MPG_NOMEM || (rc == MPG_OK && near(r.productive_s, 30)));
    CHECK(rc == MPG_OK || r.steps == NULL);
    mpg_report_free(&r, env);
  }
  CHECK(n > 9 && n < 100);
}

int main(void) {
  test_a_restart();
  test_custom_events();
  test_windows_and_errors();
  test_out_of_memory();
  return check_done("goodput_report");
}
