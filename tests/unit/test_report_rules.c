/* Random small job logs through goodput_report.c, beside its rules (goodput_report.h) taken one by
** one: no hashing, no bisection, no sums made ahead. Times are whole seconds and few, so that
** ends meet all the time. */
#include "../../ext/formats/goodput_log/step_deviation.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 160, TYPES = 2 };
#define NOTHING ((double)NAN)

static const mpg_env *const env = &mpg_env_libc;
static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_of(double *v, size_t n) {
  qsort(v, n, sizeof *v, ascending);
  return n % 2 == 1 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

typedef struct pair {
  double start, end;
  uint32_t type;
} pair;

/* Rule 7: the pairs of a kind, by type; those that end after they start, or all. */
static size_t pairs_of(const mpg_goodput_report_row *r, size_t n, mpg_goodput_report_kind kind,
                       bool typed, bool all, pair *out) {
  size_t found = 0;
  for (uint32_t type = typed; type <= (typed ? TYPES : 0); type++) {
    double open = NOTHING;
    for (size_t i = 0; i < n; i++) {
      if (r[i].kind != kind || (typed && r[i].type != type))
        continue;
      if (r[i].end && !isnan(open) && (all || r[i].time > open))
        out[found++] = (pair){open, r[i].time, type};
      open = r[i].end ? NOTHING : r[i].time;
    }
  }
  return found;
}

static double sum_of(const pair *p, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += p[i].end - p[i].start;
  return sum;
}

/* Rule 3 and 4. */
static void close_at(mpg_goodput_report *x, const mpg_goodput_report_row *s, size_t n, int64_t at,
                     const pair *custom, size_t ncustom) {
  double first = NOTHING, others = 0;
  int64_t nothers = 0, lowest = INT64_MAX;
  x->max_productive_step = 0;
  if (at == 0)
    return;
  for (size_t i = 0; i < n; i++)
    lowest = s[i].step < lowest ? s[i].step : lowest;
  for (size_t i = 0; i + 1 < n; i++) {
    double took = s[i + 1].time - s[i].time;
    if (s[i + 1].step > at) {
      x->badput_s[MPG_GOODPUT_REPORT_wasted_progress_from_disruption] += took;
    } else if (s[i + 1].step == s[i].step + 1) {
      for (size_t k = 0; k < ncustom; k++)
        if (custom[k].start >= s[i].time && custom[k].end <= s[i + 1].time) {
          double *of = &x->custom_s[custom[k].type - 1], d = custom[k].end - custom[k].start;
          *of = isnan(*of) ? d : *of + d;
          took -= d;
        }
      took = took < 0 ? 0 : took;
      x->productive_s += took;
      x->max_productive_step = s[i].step;
      if (s[i].step == lowest) {
        first = took;
      } else {
        others += took;
        nothers++;
      }
    }
  }
  if (nothers > 0 && first > others / (double)nothers) {
    x->badput_s[MPG_GOODPUT_REPORT_program_startup] += first - others / (double)nothers;
    x->productive_s -= first - others / (double)nothers;
  }
}

/* Rules 2, 5, 6 and 8. */
static void walk(mpg_goodput_report *x, const mpg_goodput_report_row *r, size_t n, double ended) {
  mpg_goodput_report_row segment[MOST];
  pair custom[MOST];
  size_t length = 0, ncustom = pairs_of(r, n, MPG_GOODPUT_REPORT_CUSTOM, true, false, custom);
  double job = NOTHING, load = NOTHING, recent = NOTHING, loads = 0, sync = 0;
  bool first = true;
  for (size_t i = 0; i < n; i++) {
    if (r[i].kind == MPG_GOODPUT_REPORT_JOB && !r[i].end)
      job = r[i].time;
    if (r[i].kind == MPG_GOODPUT_REPORT_LOAD) {
      if (r[i].end && !isnan(load)) {
        recent = r[i].time - load;
        loads += recent;
        sync += first ? recent : 0;
        first = false;
      }
      load = r[i].end ? NOTHING : r[i].time;
    }
    if (r[i].kind != MPG_GOODPUT_REPORT_STEP)
      continue;
    for (size_t k = 0; k < length; k++)
      if (segment[k].step == r[i].step) {
        double last = segment[length - 1].time;
        close_at(x, segment, length, r[i].step, custom, ncustom);
        x->disruptions++;
        if (job > last)
          x->badput_s[MPG_GOODPUT_REPORT_infrastructure_recovery_from_disruption] += job - last;
        sync += isnan(recent) ? 0 : recent;
        recent = NOTHING;
        first = true;
        length = 0;
      }
    segment[length++] = r[i];
  }
  if (length > 0) {
    const mpg_goodput_report_row *top = segment;
    for (size_t k = 1; k < length; k++)
      top = segment[k].step > top->step ? &segment[k] : top;
    x->last_recorded_step = top->step;
    close_at(x, segment, length, top->step, custom, ncustom);
    if (!isnan(ended)) {
      x->productive_s += ended - top->time;
      x->max_productive_step = top->step;
    }
  }
  x->badput_s[MPG_GOODPUT_REPORT_data_loading_sync] = sync;
  x->badput_s[MPG_GOODPUT_REPORT_data_loading_async] = loads - sync;
}

/* Rule 10. */
static double checkpoints(const mpg_goodput_report_row *r, size_t n, mpg_goodput_report_kind kind) {
  double sum = 0;
  for (int64_t s = 0; s < 4; s++)
    for (int persistent = 0; persistent < 2; persistent++) {
      double of = 0;
      int count = 0;
      for (size_t i = 0; i < n; i++)
        if (r[i].kind == kind && !isnan(r[i].a) && r[i].step == s &&
            r[i].persistent == persistent) {
          of += r[i].a;
          count++;
        }
      sum += count > 0 ? of / count : 0;
    }
  return sum;
}

/* Rule 12. */
static double phase(const mpg_goodput_report_row *r, size_t n, mpg_goodput_report_kind kind) {
  pair mine[MOST], again[MOST];
  size_t nmine = pairs_of(r, n, kind, false, true, mine);
  size_t nagain = pairs_of(r, n, MPG_GOODPUT_REPORT_REINIT, false, false, again);
  double sum = sum_of(mine, nmine);
  for (size_t i = 0; kind != MPG_GOODPUT_REPORT_REINIT && i < nmine; i++)
    for (size_t k = 0; k < nagain; k++)
      sum -= fmax(0, fmin(mine[i].end, again[k].end) - fmax(mine[i].start, again[k].start));
  return sum;
}

static void slices(mpg_goodput_report *x, const mpg_goodput_report_row *r, size_t n, double until) {
  double active = 0, available = 0;
  for (size_t i = 0; i < n; i++) {
    size_t next = i + 1;
    if (r[i].kind != MPG_GOODPUT_REPORT_SLICES || isnan(r[i].a) || isnan(r[i].b))
      continue;
    while (next < n &&
           (r[next].kind != MPG_GOODPUT_REPORT_SLICES || isnan(r[next].a) || isnan(r[next].b)))
      next++;
    active += r[i].a * ((next < n ? r[next].time : until) - r[i].time);
    available += r[i].b * ((next < n ? r[next].time : until) - r[i].time);
    x->sliced = true;
  }
  x->stepping_slices = active / x->total_s;
  x->available_slices = available / x->total_s;
}

/* Rule 13, of fewer than a hundred. */
static void deviations(mpg_goodput_report *x, const mpg_goodput_report_row *r, size_t n) {
  mpg_goodput_report_row steps[MOST];
  double times[MOST] = {0}, v[MOST], median, limit, sum = 0;
  size_t nsteps = 0, kept = 0;
  for (size_t i = 0; i < n; i++)
    if (r[i].kind == MPG_GOODPUT_REPORT_STEP)
      steps[nsteps++] = r[i];
  for (size_t i = 0; i + 1 < nsteps; i++) {
    size_t at = 0;
    if (steps[i + 1].step != steps[i].step + 1)
      continue;
    while (at < x->nsteps && x->steps[at] != steps[i].step)
      at++;
    x->nsteps = at == x->nsteps ? at + 1 : x->nsteps;
    x->steps[at] = steps[i].step;
    times[at] = steps[i + 1].time - steps[i].time;
  }
  for (size_t i = 0; i < x->nsteps; i++)
    if (times[i] >= 1)
      v[kept++] = times[i];
  if (kept == 0) {
    x->step_error = "none";
    return;
  }
  median = median_of(v, kept);
  for (size_t i = 0; i < kept; i++)
    v[i] = fabs(v[i] - median);
  limit = median + 3 * median_of(v, kept);
  kept = 0;
  for (size_t i = 0; i < x->nsteps; i++)
    if (times[i] >= 1 && times[i] <= limit) {
      sum += times[i];
      kept++;
    }
  x->ideal_step_s = sum / (double)kept;
  for (size_t i = 0; i < x->nsteps; i++) {
    x->deviations_s[i] = fabs(times[i] - x->ideal_step_s);
    x->mean_deviation_s += x->deviations_s[i] / (double)x->nsteps;
    x->max_deviation_s = fmax(x->max_deviation_s, x->deviations_s[i]);
  }
  x->baseline_interval = x->baseline_cumulative = x->mean_deviation_s;
}

static double valid(double seconds, double total) {
  return seconds < 0 || seconds > total ? 0 : seconds;
}

/* All of it. */
static void report(mpg_goodput_report *x, const mpg_goodput_report_row *all, size_t nall,
                   const mpg_goodput_report_options *o) {
  mpg_goodput_report_row r[MOST];
  pair waits[MOST];
  double first = NOTHING, ended = NOTHING, rest, *b = x->badput_s;
  size_t n = 0;
  for (size_t i = 0; i < nall; i++) {
    bool needs_time = all[i].kind != MPG_GOODPUT_REPORT_OTHER &&
                      all[i].kind != MPG_GOODPUT_REPORT_SAVE &&
                      all[i].kind != MPG_GOODPUT_REPORT_RESTORE;
    if (o->windowed && all[i].timed && isnan(all[i].first_time))
      x->error = x->step_error = "A row's first time is no number.";
    else if (needs_time && isnan(all[i].time))
      x->error = x->step_error = "A row lacks its time.";
    if (!o->windowed || (all[i].first_time > o->start && all[i].first_time <= o->end))
      r[n++] = all[i];
  }
  if (x->error != NULL)
    return;
  if (o->windowed && n == 0) {
    x->error = x->step_error = "No rows in the window.";
    return;
  }
  deviations(x, r, n);
  for (size_t i = n; i-- > 0;)
    if (r[i].kind == MPG_GOODPUT_REPORT_JOB && !r[i].end)
      first = r[i].time;
  for (size_t i = 0; i < n; i++)
    if (r[i].kind == MPG_GOODPUT_REPORT_JOB && r[i].end)
      ended = r[i].time;
  x->total_s = o->windowed    ? fmin(o->end, r[n - 1].first_time) - fmax(o->start, r[0].first_time)
               : isnan(first) ? 0
                              : (isnan(ended) ? o->query_time : ended) - first;
  if (o->windowed ? x->total_s <= 0 : x->total_s == 0) {
    x->error = o->windowed ? "Start time is on or after end time" : "Total job time is zero";
    return;
  }
  walk(x, r, n, ended);
  b[MPG_GOODPUT_REPORT_unproductive_checkpoint_save_time] =
      checkpoints(r, n, MPG_GOODPUT_REPORT_SAVE);
  b[MPG_GOODPUT_REPORT_unproductive_checkpoint_restore_time] =
      checkpoints(r, n, MPG_GOODPUT_REPORT_RESTORE);
  x->productive_s -= b[MPG_GOODPUT_REPORT_unproductive_checkpoint_save_time];
  b[MPG_GOODPUT_REPORT_tpu_initialization] = phase(r, n, MPG_GOODPUT_REPORT_TPU_INIT);
  b[MPG_GOODPUT_REPORT_training_prep] = phase(r, n, MPG_GOODPUT_REPORT_PREP);
  b[MPG_GOODPUT_REPORT_elastic_reinitialization] = phase(r, n, MPG_GOODPUT_REPORT_REINIT);
  b[MPG_GOODPUT_REPORT_elastic_scale_up] =
      sum_of(waits, pairs_of(r, n, MPG_GOODPUT_REPORT_SCALE_UP, true, false, waits));
  b[MPG_GOODPUT_REPORT_elastic_slice_down] =
      sum_of(waits, pairs_of(r, n, MPG_GOODPUT_REPORT_SLICE_DOWN, true, false, waits));
  slices(x, r, n,
         o->windowed    ? fmin(o->end, r[n - 1].first_time)
         : isnan(ended) ? o->query_time
                        : ended);
  rest = x->total_s - x->productive_s; /* rule 11 */
  for (size_t i = 0; i < TYPES; i++) {
    x->custom_s[i] = valid(x->custom_s[i], x->total_s);
    rest -= isnan(x->custom_s[i]) ? 0 : x->custom_s[i];
  }
  for (size_t i = 0; i < MPG_GOODPUT_REPORT_BUCKETS; i++) {
    b[i] = valid(b[i], x->total_s);
    rest -= i == MPG_GOODPUT_REPORT_data_loading_async ? 0 : b[i];
  }
  b[MPG_GOODPUT_REPORT_other] = rest < 0 ? 0 : rest;
  if (x->productive_s < 0 || x->productive_s > x->total_s)
    x->error = "Productive training time is invalid.";
  x->goodput_pct = 100 * x->productive_s / x->total_s;
}

static bool near(double a, double b) {
  return (isnan(a) && isnan(b)) || fabs(a - b) < 1e-9;
}

static void compare(const mpg_goodput_report *found, const mpg_goodput_report *x) {
  CHECK((found->step_error == NULL) == (x->step_error == NULL));
  CHECK((found->error == NULL) == (x->error == NULL));
  CHECK(x->error == NULL || (found->error && !strncmp(found->error, x->error, strlen(x->error))));
  if (x->step_error == NULL) {
    CHECK(found->nsteps == x->nsteps && near(found->ideal_step_s, x->ideal_step_s));
    for (size_t i = 0; i < x->nsteps && i < found->nsteps; i++)
      CHECK(found->steps[i] == x->steps[i] && near(found->deviations_s[i], x->deviations_s[i]));
    CHECK(near(found->mean_deviation_s, x->mean_deviation_s));
    CHECK(near(found->max_deviation_s, x->max_deviation_s));
    CHECK(near(found->baseline_interval, x->baseline_interval));
    CHECK(near(found->baseline_cumulative, x->baseline_cumulative));
  }
  if (x->error != NULL)
    return;
  CHECK(near(found->total_s, x->total_s) && near(found->productive_s, x->productive_s));
  CHECK(near(found->goodput_pct, x->goodput_pct) && found->disruptions == x->disruptions);
  CHECK(found->max_productive_step == x->max_productive_step);
  CHECK(found->last_recorded_step == x->last_recorded_step);
  for (size_t i = 0; i < MPG_GOODPUT_REPORT_BUCKETS; i++)
    CHECK(near(found->badput_s[i], x->badput_s[i]));
  CHECK(found->ncustom == TYPES);
  for (size_t i = 0; i < TYPES; i++)
    CHECK(near(found->custom_s[i], x->custom_s[i]));
  CHECK(found->sliced == x->sliced);
  CHECK(near(found->stepping_slices, x->stepping_slices));
  CHECK(near(found->available_slices, x->available_slices));
}

static mpg_goodput_report_row random_row(double *at, int64_t *step, int64_t apart) {
  static const mpg_goodput_report_kind kinds[] = {
      MPG_GOODPUT_REPORT_STEP,     MPG_GOODPUT_REPORT_STEP,       MPG_GOODPUT_REPORT_STEP,
      MPG_GOODPUT_REPORT_STEP,     MPG_GOODPUT_REPORT_STEP,       MPG_GOODPUT_REPORT_JOB,
      MPG_GOODPUT_REPORT_TPU_INIT, MPG_GOODPUT_REPORT_PREP,       MPG_GOODPUT_REPORT_LOAD,
      MPG_GOODPUT_REPORT_LOAD,     MPG_GOODPUT_REPORT_CUSTOM,     MPG_GOODPUT_REPORT_CUSTOM,
      MPG_GOODPUT_REPORT_CUSTOM,   MPG_GOODPUT_REPORT_REINIT,     MPG_GOODPUT_REPORT_REINIT,
      MPG_GOODPUT_REPORT_SCALE_UP, MPG_GOODPUT_REPORT_SLICE_DOWN, MPG_GOODPUT_REPORT_SLICES,
      MPG_GOODPUT_REPORT_SAVE,     MPG_GOODPUT_REPORT_RESTORE};
  mpg_goodput_report_row r = {.kind = kinds[check_below(sizeof kinds / sizeof *kinds)],
                              .end = check_below(2),
                              .timed = true,
                              .persistent = check_below(2),
                              .type = (uint32_t)check_below(TYPES + 1),
                              .a = check_below(8) == 0 ? NOTHING : (double)check_below(4),
                              .b = check_below(8) == 0 ? NOTHING : (double)check_below(4)};
  *at += check_below(12) == 0 ? -1 : check_below(4); /* clocks step back */
  r.time = r.first_time = *at;
  r.step = check_below(4);
  if (r.kind == MPG_GOODPUT_REPORT_STEP) {
    *step = check_below(6) == 0 ? (check_below(apart == 1 ? 6 : 60) - 1) * apart : *step + 1;
    r.step = *step;
    r.end = false;
  } else if (r.kind == MPG_GOODPUT_REPORT_JOB) {
    r.end = check_below(4) == 0;
  }
  if (check_below(300) == 0)
    r.time = NOTHING;
  if (check_below(10) == 0)
    r.first_time += 1;
  if (check_below(100) == 0) {
    r.first_time = NOTHING;
    r.timed = check_below(2);
  }
  if (check_below(40) == 0)
    r.kind = MPG_GOODPUT_REPORT_OTHER;
  return r;
}

static void test_rules(void) {
  int fine = 0;
  for (int round = 0; round < 4000; round++) {
    mpg_goodput_report_row rows[MOST];
    double custom[TYPES] = {NOTHING, NOTHING}, off[MOST], at = 0;
    int64_t steps[MOST], step = -1;
    mpg_goodput_report x = {.custom_s = custom, .steps = steps, .deviations_s = off}, found;
    mpg_goodput_report_options o = {
        .query_time = 30, .windowed = check_below(4) == 0, .ntypes = TYPES};
    int64_t apart = round % 4 == 3 ? 1000 : 1; /* numbers of steps that share no sixteen */
    size_t n = (size_t)check_below(round % 8 == 7 ? MOST : 40);
    mpg_err err;
    o.start = check_below(5);
    o.end = check_below(60);
    for (size_t i = 0; i < n; i++)
      rows[i] = random_row(&at, &step, apart);
    if (n > 0 && check_below(8) > 0) {
      rows[0].kind = MPG_GOODPUT_REPORT_JOB;
      rows[0].end = false;
    }
    if (n > 1 && check_below(2) > 0) {
      rows[n - 1].kind = MPG_GOODPUT_REPORT_JOB;
      rows[n - 1].end = true;
    }
    report(&x, rows, n, &o);
    CHECK(mpg_goodput_report_compute(&found, env, rows, n, &o, &err) == MPG_OK);
    compare(&found, &x);
    fine += x.error == NULL && x.productive_s > 0 && x.disruptions > 0;
    mpg_goodput_report_free(&found, env);
    if (check_failed > 20)
      break;
  }
  CHECK(fine > 250);
}

/* ---- Interrupted ---- */

typedef struct patience {
  int asked, until;
} patience;

static bool stop_later(void *ctx) {
  patience *p = ctx;
  return ++p->asked == p->until;
}

/* A long log asks now and then; whenever the host then says so it stops, and says no figure. */
static void test_interrupts(void) {
  enum { ROWS = 25000 };
  mpg_goodput_report_row *rows = calloc(ROWS, sizeof *rows);
  mpg_goodput_report_options o = {
      .query_time = 2.0 * ROWS, .windowed = true, .start = -1, .end = 1e9};
  mpg_goodput_report r;
  mpg_err err;
  patience never = {0, -1};
  const mpg_env asking = {
      .resize = mpg_env_libc.resize, .interrupted = stop_later, .interrupted_ctx = &never};
  if (rows == NULL)
    abort();
  for (size_t i = 0; i < ROWS; i++)
    rows[i] = (mpg_goodput_report_row){.kind = i == 0       ? MPG_GOODPUT_REPORT_JOB
                                               : i % 2 == 0 ? MPG_GOODPUT_REPORT_STEP
                                                            : MPG_GOODPUT_REPORT_SLICES,
                                       .step = (int64_t)(i / 2),
                                       .time = (double)i,
                                       .first_time = (double)i,
                                       .timed = true,
                                       .a = 1,
                                       .b = 1};
  CHECK(mpg_goodput_report_compute(&r, &asking, rows, ROWS, &o, &err) == MPG_OK && r.error == NULL);
  CHECK(never.asked > (int)(ROWS / MPG_POLL_TURNS) && never.asked < 100);
  mpg_goodput_report_free(&r, env);
  for (int k = 1; k <= never.asked; k++) {
    patience until = {0, k};
    const mpg_env stopping = {
        .resize = mpg_env_libc.resize, .interrupted = stop_later, .interrupted_ctx = &until};
    CHECK(mpg_goodput_report_compute(&r, &stopping, rows, ROWS, &o, &err) == MPG_INTERRUPTED);
    CHECK(r.steps == NULL && r.deviations_s == NULL && r.custom_s == NULL && until.asked == k);
  }
  free(rows);
}

/* Of one step, or few, no more is looked at than there is, nor of the memory behind. */
static void test_few_steps(void) {
  for (size_t n = 1; n <= 4; n++) {
    double times[] = {2, 4, 2, 4, NAN}, scratch[] = {NAN, NAN, NAN, NAN, NAN};
    mpg_poller poller = {.env = env};
    mpg_goodput_report r = {.deviations_s = times, .nsteps = n};
    mpg_goodput_report_deviations(&r, scratch, &poller);
    /* The median is 2, 3, 2, 3; of three the 4 is too far from it, as two of them are not away
    ** from it at all. */
    CHECK(r.ideal_step_s == (n % 2 == 1 ? 2 : 3));
    CHECK(r.max_deviation_s == (n == 1 ? 0 : n == 3 ? 2 : 1));
    CHECK(isfinite(r.ideal_step_s) && isfinite(r.mean_deviation_s) && r.step_error == NULL);
    for (size_t i = n; i < 4; i++)
      CHECK(times[i] == (i % 2 == 0 ? 2 : 4) && isnan(scratch[i]));
  }
}

int main(void) {
  test_rules();
  test_few_steps();
  test_interrupts();
  return check_done("report_rules");
}
