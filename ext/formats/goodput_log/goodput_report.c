/* goodput_report.c - see goodput_report.h, whose rules the numbers in brackets are. */
#include "goodput_report.h"
#include "../../base/intern.h"
#include "../../base/sort.h"
#include "step_deviation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TICKS_BETWEEN_POLLS 65536
#define SIDE_BY_SIDE 4 /* bits of a step's number */
#define ONE_BY_ONE ((size_t)256)
#define NS 1e9
#define NS_MOST 9e18

typedef struct event {
  double start, end;
  uint32_t type;
} event;

typedef struct step {
  int64_t n;
  double start;
} step;

/* Steps by number: the place of each in an array. A new generation forgets all of them. */
typedef struct slot {
  int64_t n;
  uint32_t generation;
  uint32_t place;
} slot;

/* Moments in order, in nanoseconds since the first of all, and the sum of those before each. */
typedef struct moments {
  int64_t *at;
  mpg_i128 *sum; /* n + 1 */
} moments;

typedef struct work {
  const mpg_env *env;
  const mpg_goodput_report_row *rows;
  size_t n;
  mpg_goodput_report_row *few; /* those that are no steps, in order */
  size_t nfew;
  mpg_goodput_report *out;
  event *events; /* by start */
  size_t nevents;
  step *segment;
  size_t nsegment;
  slot *slots; /* a power of two, more than twice the rows */
  size_t nslots;
  uint32_t generation;
  int64_t hashed; /* the latest row of steps that was searched for, and its hash; 0: none was */
  uint64_t hash;
  double *open; /* starts by type, NaN: none */
  double *scratch;
  event *reinits; /* by start; each end the latest of those up to it, in ends[] */
  double *ends;
  size_t nreinits;
  moments starts_ns, ends_ns; /* of the re-initialisations, if there are many */
  size_t ticks;
  bool stopped; /* the host said to stop: what was computed is of no use */
} work;

/* At least one item; not cleared, for arrays are filled from their start. */
static void *allocate(const mpg_env *env, size_t n, size_t size) {
  return n > SIZE_MAX / size - 1 ? NULL : mpg_malloc(env, (n + 1) * size);
}

/* Whether to stop; polled now and then in every long loop. */
static bool should_stop(work *w) {
  if (++w->ticks % TICKS_BETWEEN_POLLS == 0 && mpg_interrupted(w->env))
    w->stopped = true;
  return w->stopped;
}

/* The slot of the step, or the free slot in which it belongs. Consecutive steps have neighbouring
** slots, for they are looked up one after the other; the first slot of such a sequence is hashed.
*/
static slot *slot_of_step(work *w, int64_t n) {
  int64_t row = n >> SIDE_BY_SIDE;
  size_t i;
  if (row != w->hashed || w->hash == 0) {
    w->hashed = row;
    w->hash = mpg_hash(w->env->seed, &row, sizeof row) | 1;
  }
  i = ((size_t)w->hash + (size_t)(n & ((1 << SIDE_BY_SIDE) - 1))) & (w->nslots - 1);
  while (w->slots[i].generation == w->generation && w->slots[i].n != n)
    i = (i + 1) & (w->nslots - 1);
  return &w->slots[i];
}

static bool is_current(const work *w, const slot *s) {
  return s->generation == w->generation;
}

static void set_slot(work *w, slot *s, int64_t n, size_t place) {
  *s = (slot){n, w->generation, (uint32_t)place};
}

/* ---- Pairs ---- */

/* The next pair of the kind from row *i on; an open start is in *open (NaN: none). */
static bool next_pair(work *w, mpg_goodput_report_kind kind, size_t *i, double *open, double *start,
                      double *end) {
  for (; *i < w->nfew && !should_stop(w); (*i)++) {
    const mpg_goodput_report_row *r = &w->few[*i];
    if (r->kind != kind)
      continue;
    if (!r->end) {
      *open = r->time;
    } else if (!isnan(*open)) {
      *start = *open;
      *end = r->time;
      *open = NAN;
      (*i)++;
      return true;
    }
  }
  return false;
}

/* Calls for each pair of a typed kind: adds to *sum, or to events. */
static double typed_pairs(work *w, mpg_goodput_report_kind kind, size_t ntypes, bool collect) {
  double sum = 0;
  for (size_t t = 0; t < ntypes; t++)
    w->open[t] = NAN;
  for (size_t i = 0; i < w->nfew && !should_stop(w); i++) {
    const mpg_goodput_report_row *r = &w->few[i];
    double *open;
    if (r->kind != kind || r->type == 0)
      continue;
    open = &w->open[r->type - 1];
    if (!r->end) {
      *open = r->time;
    } else if (!isnan(*open)) {
      if (r->time > *open && collect)
        w->events[w->nevents++] = (event){*open, r->time, r->type};
      else if (r->time > *open)
        sum += r->time - *open;
      *open = NAN;
    }
  }
  return sum;
}

static int by_start(const void *a, const void *b, void *ctx) {
  const event *x = a, *y = b;
  (void)ctx;
  return (x->start > y->start) - (x->start < y->start);
}

static int by_moment(const void *a, const void *b, void *ctx) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  (void)ctx;
  return (x > y) - (x < y);
}

static mpg_rc sum_up(work *w, moments *m) {
  mpg_rc rc = mpg_sort(w->env, m->at, w->nreinits, sizeof *m->at, by_moment, NULL);
  m->sum[0] = 0;
  for (size_t i = 0; i < w->nreinits && !should_stop(w); i++)
    m->sum[i + 1] = m->sum[i] + m->at[i];
  return rc;
}

/* Makes sums of many re-initialisations ready, if they lie within 285 years. */
static mpg_rc sum_reinits(work *w) {
  const size_t n = w->nreinits;
  const double first = w->reinits[0].start;
  mpg_rc rc;
  if (!((w->ends[n - 1] - first) * NS < NS_MOST))
    return MPG_OK;
  w->starts_ns =
      (moments){allocate(w->env, n, sizeof(int64_t)), allocate(w->env, n, sizeof(mpg_i128))};
  w->ends_ns =
      (moments){allocate(w->env, n, sizeof(int64_t)), allocate(w->env, n, sizeof(mpg_i128))};
  if (w->starts_ns.at == NULL || w->starts_ns.sum == NULL || w->ends_ns.at == NULL ||
      w->ends_ns.sum == NULL)
    return MPG_NOMEM;
  for (size_t i = 0; i < n && !should_stop(w); i++) {
    w->starts_ns.at[i] = (int64_t)((w->reinits[i].start - first) * NS);
    w->ends_ns.at[i] = (int64_t)((w->reinits[i].end - first) * NS);
  }
  rc = sum_up(w, &w->starts_ns);
  return rc == MPG_OK ? sum_up(w, &w->ends_ns) : rc;
}

/* Puts the re-initialisations in order, for overlaps(). */
static mpg_rc order_reinits(work *w) {
  double open = NAN, s, e;
  mpg_rc rc;
  for (size_t i = 0; next_pair(w, MPG_GOODPUT_REPORT_REINIT, &i, &open, &s, &e);)
    if (e > s)
      w->reinits[w->nreinits++] = (event){s, e, 0};
  rc = mpg_sort(w->env, w->reinits, w->nreinits, sizeof *w->reinits, by_start, NULL);
  for (size_t i = 0; i < w->nreinits && !should_stop(w); i++)
    w->ends[i] = i > 0 && w->ends[i - 1] > w->reinits[i].end ? w->ends[i - 1] : w->reinits[i].end;
  return rc == MPG_OK && w->nreinits > ONE_BY_ONE ? sum_reinits(w) : rc;
}

/* Nanoseconds from each of the moments before `at` to it, together. */
static mpg_i128 sum_since(const work *w, const moments *m, int64_t at) {
  size_t low = 0, high = w->nreinits;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (m->at[middle] < at)
      low = middle + 1;
    else
      high = middle;
  }
  return (mpg_i128)low * at - m->sum[low];
}

/* The time that all re-initialisations together have taken up to a time, in nanoseconds. */
static mpg_i128 reinit_time_until(const work *w, double time) {
  double ns = (time - w->reinits[0].start) * NS;
  int64_t at = ns <= 0 ? 0 : ns >= NS_MOST ? (int64_t)NS_MOST : (int64_t)ns;
  return sum_since(w, &w->starts_ns, at) - sum_since(w, &w->ends_ns, at);
}

/* Seconds that re-initialisations share with [from, to], each by itself. */
static double reinit_overlap(work *w, double from, double to) {
  size_t low = 0, high = w->nreinits, stop = w->nreinits;
  double sum = 0;
  while (low < high) { /* the first after which any may end after `from` */
    size_t middle = low + (high - low) / 2;
    if (w->ends[middle] <= from)
      low = middle + 1;
    else
      high = middle;
  }
  for (high = low; high < stop;) { /* the first that starts at `to` or later */
    size_t middle = high + (stop - high) / 2;
    if (w->reinits[middle].start < to)
      high = middle + 1;
    else
      stop = middle;
  }
  if (stop - low > ONE_BY_ONE && w->ends_ns.sum != NULL)
    return (double)(reinit_time_until(w, to) - reinit_time_until(w, from)) / NS;
  for (; low < stop && !should_stop(w); low++)
    sum += fmax(0, fmin(to, w->reinits[low].end) - fmax(from, w->reinits[low].start));
  return sum;
}

/* Seconds of the kind's pairs, less what re-initialisation overlaps [12]. */
static double phase_seconds(work *w, mpg_goodput_report_kind kind) {
  double sum = 0, open = NAN, s, e;
  for (size_t i = 0; next_pair(w, kind, &i, &open, &s, &e) && !should_stop(w);) {
    sum += e - s;
    if (kind != MPG_GOODPUT_REPORT_REINIT)
      sum -= reinit_overlap(w, s, e);
  }
  return sum;
}

/* ---- Segments [2-6] ---- */

/* Seconds of the custom events inside [from, to], which count for their types. */
static double custom_seconds_inside(work *w, double from, double to) {
  size_t low = 0, high = w->nevents;
  double sum = 0;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (w->events[middle].start < from)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < w->nevents && w->events[low].start <= to && !should_stop(w); low++) {
    const event *e = &w->events[low];
    double *custom = &w->out->custom_s[e->type - 1];
    if (e->end > to)
      continue;
    sum += e->end - e->start;
    *custom = (isnan(*custom) ? 0 : *custom) + (e->end - e->start);
  }
  return sum;
}

static void close_segment(work *w, int64_t at) {
  mpg_goodput_report *out = w->out;
  double first = NAN, others = 0, d;
  int64_t nothers = 0, lowest;
  out->max_productive_step = 0;
  if (at == 0 || w->nsegment == 0)
    return;
  lowest = w->segment[0].n;
  for (size_t i = 1; i < w->nsegment; i++)
    lowest = w->segment[i].n < lowest ? w->segment[i].n : lowest;
  for (size_t i = 1; i < w->nsegment; i++) {
    const step *a = &w->segment[i - 1], *b = &w->segment[i];
    if (b->n > at) {
      out->badput_s[MPG_GOODPUT_REPORT_wasted_progress_from_disruption] += b->start - a->start;
      continue;
    }
    if (b->n - 1 != a->n)
      continue;
    d = fmax(0, b->start - a->start - custom_seconds_inside(w, a->start, b->start));
    out->productive_s += d;
    out->max_productive_step = a->n;
    if (a->n == lowest) {
      first = d;
    } else {
      others += d;
      nothers++;
    }
  }
  if (!isnan(first) && nothers > 0) {
    d = fmax(0, first - others / (double)nothers);
    out->badput_s[MPG_GOODPUT_REPORT_program_startup] += d;
    out->productive_s -= d;
  }
}

static void new_segment(work *w) {
  w->generation++;
  w->nsegment = 0;
}

static size_t highest_step(const work *w) {
  size_t place = 0;
  for (size_t i = 1; i < w->nsegment; i++)
    if (w->segment[i].n > w->segment[place].n)
      place = i;
  return place;
}

/* Steps, and the loads between them [8]. *ended: the last end of the job, NaN without one. */
static void account_steps(work *w, double ended) {
  mpg_goodput_report *out = w->out;
  double load_start = NAN, last_load = NAN, loads = 0, job_start = NAN;
  double *sync = &out->badput_s[MPG_GOODPUT_REPORT_data_loading_sync];
  bool first_load = true;
  new_segment(w);
  for (size_t i = 0; i < w->n && !should_stop(w); i++) {
    const mpg_goodput_report_row *r = &w->rows[i];
    slot *s;
    if (r->kind == MPG_GOODPUT_REPORT_JOB && !r->end)
      job_start = r->time;
    if (r->kind == MPG_GOODPUT_REPORT_LOAD && !r->end) {
      load_start = r->time;
    } else if (r->kind == MPG_GOODPUT_REPORT_LOAD && !isnan(load_start)) {
      last_load = r->time - load_start;
      load_start = NAN;
      loads += last_load;
      if (first_load)
        *sync += last_load;
      first_load = false;
    }
    if (r->kind != MPG_GOODPUT_REPORT_STEP)
      continue;
    s = slot_of_step(w, r->step);
    if (is_current(w, s)) {
      double before = w->segment[w->nsegment - 1].start;
      close_segment(w, r->step);
      out->disruptions++;
      if (job_start > before) /* only if there is one */
        out->badput_s[MPG_GOODPUT_REPORT_infrastructure_recovery_from_disruption] +=
            job_start - before;
      if (!isnan(last_load))
        *sync += last_load;
      last_load = NAN;
      first_load = true;
      new_segment(w);
      s = slot_of_step(w, r->step);
    }
    set_slot(w, s, r->step, w->nsegment);
    w->segment[w->nsegment++] = (step){r->step, r->time};
  }
  if (w->nsegment > 0) {
    const step *top = &w->segment[highest_step(w)];
    out->last_recorded_step = top->n;
    close_segment(w, top->n);
    if (!isnan(ended)) {
      out->productive_s += ended - top->start;
      out->max_productive_step = top->n;
    }
  }
  out->badput_s[MPG_GOODPUT_REPORT_data_loading_async] = loads - *sync;
}

/* ---- Checkpoints [10] ---- */

typedef struct checkpoint {
  int64_t step;
  bool persistent;
  double seconds;
} checkpoint;

static int by_step(const void *a, const void *b, void *ctx) {
  const checkpoint *x = a, *y = b;
  (void)ctx;
  int order = (x->step > y->step) - (x->step < y->step);
  return order != 0 ? order : (int)x->persistent - (int)y->persistent;
}

static mpg_rc checkpoint_seconds(checkpoint *all, work *w, mpg_goodput_report_kind kind,
                                 double *out) {
  double sum = 0;
  mpg_rc rc;
  size_t n = 0;
  for (size_t i = 0; i < w->nfew && !should_stop(w); i++)
    if (w->few[i].kind == kind && !isnan(w->few[i].a))
      all[n++] = (checkpoint){w->few[i].step, w->few[i].persistent, w->few[i].a};
  rc = mpg_sort(w->env, all, n, sizeof *all, by_step, NULL);
  for (size_t i = 0, j; rc == MPG_OK && i < n; i = j) {
    double group = 0;
    for (j = i; j < n && by_step(&all[i], &all[j], NULL) == 0; j++)
      group += all[j].seconds;
    sum += group / (double)(j - i);
  }
  *out = sum;
  return rc;
}

/* ---- Slices [12] ---- */

static void account_slices(work *w, double until) {
  mpg_goodput_report *out = w->out;
  const mpg_goodput_report_row *last = NULL;
  double active = 0, available = 0;
  for (size_t i = 0; i <= w->nfew; i++) {
    const mpg_goodput_report_row *r = i < w->nfew ? &w->few[i] : NULL;
    if (r != NULL && (r->kind != MPG_GOODPUT_REPORT_SLICES || isnan(r->a) || isnan(r->b)))
      continue;
    if (last != NULL) {
      double d = (r == NULL ? until : r->time) - last->time;
      active += last->a * d;
      available += last->b * d;
    }
    last = r;
    out->sliced = out->sliced || r != NULL;
  }
  out->stepping_slices = active / out->total_s;
  out->available_slices = available / out->total_s;
}

/* ---- Step deviation [13] ---- */

/* Times of the steps into out->deviations_s: of a step that ran twice the last, at its first
** place. */
static void step_times(work *w) {
  mpg_goodput_report *out = w->out;
  const mpg_goodput_report_row *before = NULL;
  new_segment(w);
  for (size_t i = 0; i < w->n && !should_stop(w); i++) {
    const mpg_goodput_report_row *r = &w->rows[i];
    if (r->kind != MPG_GOODPUT_REPORT_STEP)
      continue;
    if (before != NULL && r->step - 1 == before->step) {
      slot *s = slot_of_step(w, before->step);
      if (!is_current(w, s)) {
        set_slot(w, s, before->step, out->nsteps);
        out->steps[out->nsteps++] = before->step;
      }
      out->deviations_s[s->place] = r->time - before->time;
    }
    before = r;
  }
}

static void account_deviations(work *w) {
  mpg_poller poller = {.env = w->env};
  step_times(w);
  if (!w->stopped)
    mpg_goodput_report_deviations(w->out, w->scratch, &poller);
  w->stopped = w->stopped || poller.stopped;
}

/* ---- The whole ---- */

/* Total time [1, 14]; false with an error if there is none. */
static bool total_time(work *w, const mpg_goodput_report_options *o, double *ended) {
  double first = NAN;
  *ended = NAN;
  for (size_t i = 0; i < w->nfew; i++) {
    const mpg_goodput_report_row *r = &w->few[i];
    if (r->kind == MPG_GOODPUT_REPORT_JOB && r->end)
      *ended = r->time;
    else if (r->kind == MPG_GOODPUT_REPORT_JOB && isnan(first))
      first = r->time;
  }
  if (o->windowed) {
    w->out->total_s =
        fmin(o->end, w->rows[w->n - 1].first_time) - fmax(o->start, w->rows[0].first_time);
    if (!(w->out->total_s > 0))
      w->out->error = "Start time is on or after end time, cannot compute total job time.";
  } else {
    w->out->total_s = isnan(first) ? 0 : (isnan(*ended) ? o->query_time : *ended) - first;
    if (w->out->total_s == 0)
      w->out->error =
          "Total job time is zero, Goodput cannot be calculated. Please fix the logging "
          "entries.";
  }
  return w->out->error == NULL;
}

/* Sets to 0 what cannot be, and finds the rest [11]. */
static void sanitize(mpg_goodput_report *out) {
  double rest = out->total_s - out->productive_s;
  for (size_t i = 0; i < out->ncustom; i++) {
    if (out->custom_s[i] < 0 || out->custom_s[i] > out->total_s)
      out->custom_s[i] = 0;
    if (!isnan(out->custom_s[i]))
      rest -= out->custom_s[i];
  }
  for (size_t i = 0; i < MPG_GOODPUT_REPORT_BUCKETS; i++) {
    if (out->badput_s[i] < 0 || out->badput_s[i] > out->total_s)
      out->badput_s[i] = 0;
    if (i != MPG_GOODPUT_REPORT_data_loading_async)
      rest -= out->badput_s[i];
  }
  out->badput_s[MPG_GOODPUT_REPORT_other] = fmax(0, rest);
  if (!(out->productive_s >= 0 && out->productive_s <= out->total_s))
    out->error = "Productive training time is invalid. Please fix the logging entries.";
  out->goodput_pct = out->productive_s / out->total_s * 100;
}

static mpg_rc account_job(work *w, const mpg_goodput_report_options *o, double ended) {
  mpg_goodput_report *out = w->out;
  double *b = out->badput_s;
  checkpoint *all = allocate(w->env, w->nfew, sizeof *all);
  mpg_rc rc;
  if (all == NULL)
    return MPG_NOMEM;
  (void)typed_pairs(w, MPG_GOODPUT_REPORT_CUSTOM, o->ntypes, true);
  rc = mpg_sort(w->env, w->events, w->nevents, sizeof *w->events, by_start, NULL);
  if (rc == MPG_OK)
    account_steps(w, ended);
  if (rc == MPG_OK)
    rc = order_reinits(w);
  if (rc == MPG_OK)
    rc = checkpoint_seconds(all, w, MPG_GOODPUT_REPORT_SAVE,
                            &b[MPG_GOODPUT_REPORT_unproductive_checkpoint_save_time]);
  if (rc == MPG_OK)
    rc = checkpoint_seconds(all, w, MPG_GOODPUT_REPORT_RESTORE,
                            &b[MPG_GOODPUT_REPORT_unproductive_checkpoint_restore_time]);
  mpg_free(w->env, all);
  if (rc != MPG_OK)
    return rc;
  out->productive_s -= b[MPG_GOODPUT_REPORT_unproductive_checkpoint_save_time];
  b[MPG_GOODPUT_REPORT_tpu_initialization] = phase_seconds(w, MPG_GOODPUT_REPORT_TPU_INIT);
  b[MPG_GOODPUT_REPORT_training_prep] = phase_seconds(w, MPG_GOODPUT_REPORT_PREP);
  b[MPG_GOODPUT_REPORT_elastic_reinitialization] = phase_seconds(w, MPG_GOODPUT_REPORT_REINIT);
  b[MPG_GOODPUT_REPORT_elastic_scale_up] =
      typed_pairs(w, MPG_GOODPUT_REPORT_SCALE_UP, o->ntypes, false);
  b[MPG_GOODPUT_REPORT_elastic_slice_down] =
      typed_pairs(w, MPG_GOODPUT_REPORT_SLICE_DOWN, o->ntypes, false);
  account_slices(w, o->windowed    ? fmin(o->end, w->rows[w->n - 1].first_time)
                    : isnan(ended) ? o->query_time
                                   : ended);
  sanitize(out);
  return MPG_OK;
}

static mpg_rc prepare_arrays(work *w, size_t ntypes) {
  mpg_goodput_report *out = w->out;
  size_t nevents = 0, nreinits = 0, nfew = 0;
  for (size_t i = 0; i < w->n && !should_stop(w); i++) {
    nevents += w->rows[i].kind == MPG_GOODPUT_REPORT_CUSTOM;
    nreinits += w->rows[i].kind == MPG_GOODPUT_REPORT_REINIT;
    nfew += w->rows[i].kind != MPG_GOODPUT_REPORT_STEP;
  }
  w->nslots = 16;
  while (w->nslots <= w->n * 2)
    w->nslots *= 2;
  w->few = allocate(w->env, nfew, sizeof *w->few);
  w->events = allocate(w->env, nevents, sizeof *w->events);
  w->segment = allocate(w->env, w->n, sizeof *w->segment);
  w->slots = allocate(w->env, w->nslots, sizeof *w->slots);
  w->open = allocate(w->env, ntypes, sizeof *w->open);
  w->scratch = allocate(w->env, w->n, sizeof *w->scratch);
  w->reinits = allocate(w->env, nreinits, sizeof *w->reinits);
  w->ends = allocate(w->env, nreinits, sizeof *w->ends);
  out->custom_s = allocate(w->env, ntypes, sizeof *out->custom_s);
  out->steps = allocate(w->env, w->n, sizeof *out->steps);
  out->deviations_s = allocate(w->env, w->n, sizeof *out->deviations_s);
  if (w->few == NULL || w->events == NULL || w->segment == NULL || w->slots == NULL ||
      w->open == NULL || w->scratch == NULL || w->reinits == NULL || w->ends == NULL ||
      out->custom_s == NULL || out->steps == NULL || out->deviations_s == NULL)
    return MPG_NOMEM;
  w->stopped = w->stopped || !mpg_clear(w->env, w->slots, w->nslots * sizeof *w->slots);
  for (size_t i = 0; i < w->n && !should_stop(w); i++)
    if (w->rows[i].kind != MPG_GOODPUT_REPORT_STEP)
      w->few[w->nfew++] = w->rows[i];
  out->ncustom = ntypes;
  for (size_t i = 0; i < ntypes; i++)
    out->custom_s[i] = NAN;
  return MPG_OK;
}

/* Rows of the window, or all of them; what they lack is an error, as it is to the library. */
static mpg_rc select_rows(work *w, const mpg_goodput_report_options *o,
                          mpg_goodput_report_row **own) {
  size_t n = 0;
  for (size_t i = 0; i < w->n && !should_stop(w); i++) {
    const mpg_goodput_report_row *r = &w->rows[i];
    if (o->windowed && r->timed && isnan(r->first_time))
      w->out->error = "A row's first time is no number.";
    else if (r->kind != MPG_GOODPUT_REPORT_OTHER && isnan(r->time) &&
             r->kind != MPG_GOODPUT_REPORT_SAVE && r->kind != MPG_GOODPUT_REPORT_RESTORE)
      w->out->error = "A row lacks its time.";
  }
  if (!o->windowed || w->out->error != NULL)
    return MPG_OK;
  *own = allocate(w->env, w->n, sizeof **own);
  if (*own == NULL)
    return MPG_NOMEM;
  for (size_t i = 0; i < w->n && !should_stop(w); i++)
    if (w->rows[i].first_time > o->start && w->rows[i].first_time <= o->end)
      (*own)[n++] = w->rows[i];
  w->rows = *own;
  w->n = n;
  if (n == 0)
    w->out->error = "No rows in the window.";
  return MPG_OK;
}

mpg_rc mpg_goodput_report_compute(mpg_goodput_report *out, const mpg_env *env,
                                  const mpg_goodput_report_row *rows, size_t n,
                                  const mpg_goodput_report_options *options, mpg_err *err) {
  work w = {.env = env, .rows = rows, .n = n, .out = out};
  mpg_goodput_report_row *own = NULL;
  double ended;
  mpg_rc rc;
  *out = (mpg_goodput_report){0};
  if (n >= UINT32_MAX / 4)
    return mpg_fail(err, MPG_LIMIT, "a job of more than %u rows", UINT32_MAX / 4);
  rc = select_rows(&w, options, &own);
  if (rc == MPG_OK && out->error != NULL) {
    out->step_error = out->error;
  } else if (rc == MPG_OK) {
    rc = prepare_arrays(&w, options->ntypes);
    if (rc == MPG_OK)
      account_deviations(&w);
    if (rc == MPG_OK && !w.stopped && total_time(&w, options, &ended))
      rc = account_job(&w, options, ended);
  }
  mpg_free(env, own);
  mpg_free(env, w.few);
  mpg_free(env, w.events);
  mpg_free(env, w.segment);
  mpg_free(env, w.slots);
  mpg_free(env, w.open);
  mpg_free(env, w.scratch);
  mpg_free(env, w.reinits);
  mpg_free(env, w.ends);
  mpg_free(env, w.starts_ns.at);
  mpg_free(env, w.starts_ns.sum);
  mpg_free(env, w.ends_ns.at);
  mpg_free(env, w.ends_ns.sum);
  if (rc == MPG_OK && !w.stopped)
    return rc;
  mpg_goodput_report_free(out, env);
  return rc == MPG_NOMEM ? mpg_fail_nomem(err) : mpg_fail(err, MPG_INTERRUPTED, "interrupted");
}

void mpg_goodput_report_free(mpg_goodput_report *report, const mpg_env *env) {
  mpg_free(env, report->custom_s);
  mpg_free(env, report->steps);
  mpg_free(env, report->deviations_s);
  *report = (mpg_goodput_report){0};
}
