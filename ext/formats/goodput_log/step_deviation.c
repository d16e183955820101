/* step_deviation.c - see step_deviation.h. */
#include "step_deviation.h"

#include "../../base/sort.h"

#include <math.h>
#include <string.h>

#define LEAST_STEP_S 1.0
#define MAD_FACTOR 3.0
#define BASELINE_LAST ((size_t)100)
#define BASELINE_BEFORE ((size_t)1000)
#define BASELINE_PERCENTILE 0.9
#define TURN 4 /* what a turn of a loop takes, as mpg_poller counts */

static bool should_stop(mpg_poller *poller) {
  return mpg_poller_stop(poller, TURN);
}

/* ---- Percentiles ---- */

static double percentile(mpg_poller *poller, double *v, size_t n, double p) {
  double at = (double)(n - 1) * p, next;
  size_t low = (size_t)at;
  mpg_select_nth(poller, v, n, low);
  if (low + 1 == n)
    return v[low];
  next = v[low + 1];
  for (size_t i = low + 2; i < n && !should_stop(poller); i++)
    next = fmin(next, v[i]);
  return v[low] + (next - v[low]) * (at - (double)low);
}

/* ---- Deviations ---- */

static void find_baselines(mpg_goodput_report *out, double *scratch, mpg_poller *poller) {
  const double *d = out->deviations_s;
  size_t n = out->nsteps;
  if (n < BASELINE_LAST) {
    out->baseline_interval = out->baseline_cumulative = out->mean_deviation_s;
    return;
  }
  memcpy(scratch, d + n - BASELINE_LAST, BASELINE_LAST * sizeof *d);
  out->baseline_interval = out->baseline_cumulative =
      percentile(poller, scratch, BASELINE_LAST, BASELINE_PERCENTILE);
  if (n < BASELINE_LAST + BASELINE_BEFORE)
    return;
  memcpy(scratch, d + n - BASELINE_LAST - BASELINE_BEFORE, BASELINE_BEFORE * sizeof *d);
  out->baseline_cumulative -= percentile(poller, scratch, BASELINE_BEFORE, 0.5);
}

void mpg_goodput_report_deviations(mpg_goodput_report *out, double *scratch, mpg_poller *poller) {
  double median, limit, sum = 0;
  size_t n = 0, kept = 0;
  for (size_t i = 0; i < out->nsteps && !should_stop(poller); i++)
    if (out->deviations_s[i] >= LEAST_STEP_S)
      scratch[n++] = out->deviations_s[i];
  if (n == 0) {
    out->step_error = "No step times available and no previous step deviations found.";
    return;
  }
  median = percentile(poller, scratch, n, 0.5);
  for (size_t i = 0; i < n && !should_stop(poller); i++)
    scratch[i] = fabs(scratch[i] - median);
  limit = median + MAD_FACTOR * percentile(poller, scratch, n, 0.5);
  for (size_t i = 0; i < out->nsteps && !should_stop(poller); i++)
    if (out->deviations_s[i] >= LEAST_STEP_S && out->deviations_s[i] <= limit) {
      sum += out->deviations_s[i];
      kept++;
    }
  out->ideal_step_s = sum / (double)kept; /* at least the one at or below the median */
  sum = 0;
  for (size_t i = 0; i < out->nsteps && !should_stop(poller); i++) {
    double d = out->deviations_s[i] = fabs(out->deviations_s[i] - out->ideal_step_s);
    sum += d;
    out->max_deviation_s = fmax(out->max_deviation_s, d);
  }
  out->mean_deviation_s = sum / (double)out->nsteps;
  find_baselines(out, scratch, poller);
}
