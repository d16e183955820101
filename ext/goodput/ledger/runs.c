/* runs.c - see runs.h. */
#include "runs.h"
#include "../../base/sort.h"
#include "../../base/ascii.h"
#include "../../base/text.h"

#include <string.h>

/* Rows of a timeline with the same attempt, start and end: categories, and pools. */
typedef struct mpg_run_interval {
  int64_t attempt, start, end, bucket;
  int64_t held, productive, ideal, unrated, lost;
  uint32_t kind, program;
  bool whole; /* everything was there, or nothing else was needed */
} interval;

mpg_rc mpg_runs_init(mpg_runs *r, const mpg_env *env, const mpg_fleet *fleet, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  memset(r, 0, sizeof *r);
  r->env = env;
  r->fleet = fleet;
  r->last = mpg_zeroed(env, 2 * ((size_t)fleet->program_names.n + 1) * sizeof *r->last, &rc);
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

void mpg_runs_free(mpg_runs *r) {
  if (r->env == NULL)
    return;
  mpg_free(r->env, r->rows);
  mpg_free(r->env, r->intervals);
  mpg_free(r->env, r->last);
  memset(r, 0, sizeof *r);
}

/* ---- intervals ---- */

static int interval_order(const void *pa, const void *pb, void *ctx) {
  const interval *a = pa, *b = pb;
  int c = mpg_compare_int64(a->attempt, b->attempt);
  (void)ctx;
  c = c ? c : mpg_compare_int64(a->start, b->start);
  return c ? c : mpg_compare_int64(a->end, b->end);
}

/* The id of the greater text, as SQL's max(); any text is greater than none. */
static uint32_t greater_text(const mpg_intern *texts, uint32_t a, uint32_t b) {
  mpg_str x, y;
  int c;
  if (a == b || b == 0)
    return a;
  if (a == 0)
    return b;
  x = mpg_intern_text(texts, a);
  y = mpg_intern_text(texts, b);
  c = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);
  return c > 0 || (c == 0 && x.n > y.n) ? a : b;
}

/* An overflow ends the job's accounting. */
static mpg_rc add_held(mpg_runs *r, int64_t *sum, int64_t amount) {
  r->too_much |= __builtin_add_overflow(*sum, amount, sum);
  return r->too_much ? MPG_INTERRUPTED : MPG_OK;
}

/* Adds interval b to interval a, which is of the same attempt and time. */
static mpg_rc merge_interval(mpg_runs *r, interval *a, const interval *b) {
  a->kind = greater_text(&r->fleet->kind_names, a->kind, b->kind);
  a->program = greater_text(&r->fleet->program_names, a->program, b->program);
  a->whole |= b->whole;
  a->productive += b->productive; /* each is a part of what is held */
  a->ideal += b->ideal;
  a->unrated += b->unrated;
  a->lost += b->lost;
  return add_held(r, &a->held, b->held);
}

static mpg_rc add_row(void *ctx, const mpg_row *row) {
  mpg_runs *r = ctx;
  const mpg_category c = row->category;
  const bool productive = c == MPG_IDEAL || c == MPG_INEFFICIENCY || c == MPG_UNRATED;
  const interval next = {.attempt = row->attempt,
                         .start = row->start,
                         .end = row->end,
                         .bucket = row->bucket,
                         .held = row->chip_us,
                         .productive = productive ? row->chip_us : 0,
                         .ideal = c == MPG_IDEAL ? row->chip_us : 0,
                         .unrated = c == MPG_UNRATED ? row->chip_us : 0,
                         .lost = c == MPG_LOST ? row->chip_us : 0,
                         .kind = row->kind,
                         .program = row->program,
                         .whole = c != MPG_PARTIAL || row->cause != 0};
  if (c == MPG_QUEUED)
    return MPG_OK;
  if (r->nintervals > 0 && interval_order(&r->intervals[r->nintervals - 1], &next, NULL) == 0)
    return merge_interval(r, &r->intervals[r->nintervals - 1], &next);
  if (mpg_grow(r->env, &r->intervals, &r->intervals_cap, r->nintervals + 1, sizeof next) != MPG_OK)
    return MPG_NOMEM;
  r->intervals[r->nintervals++] = next;
  return mpg_poll(r->env, r->nintervals) ? MPG_INTERRUPTED : MPG_OK;
}

/* In the order of attempts and time, each time once. They mostly are. */
static mpg_rc sort_intervals(mpg_runs *r) {
  interval *at = r->intervals;
  size_t n = 0, sorted = 1;
  mpg_rc rc = MPG_OK;
  while (sorted < r->nintervals && interval_order(&at[sorted - 1], &at[sorted], NULL) < 0)
    sorted++;
  if (sorted >= r->nintervals)
    return MPG_OK;
  rc = mpg_sort(r->env, at, r->nintervals, sizeof *at, interval_order, NULL);
  for (size_t i = 0; rc == MPG_OK && i < r->nintervals; i++)
    if (n > 0 && interval_order(&at[n - 1], &at[i], NULL) == 0)
      rc = merge_interval(r, &at[n - 1], &at[i]);
    else
      at[n++] = at[i];
  r->nintervals = n;
  return rc;
}

/* ---- rows ---- */

/* Is it a span that takes the job on? */
static bool is_progress(uint32_t kind) {
  return kind == MPG_KIND_STEP || kind == MPG_KIND_ROLLOUT || kind == MPG_KIND_SERVE ||
         kind == MPG_KIND_BATCH;
}

/* The row that interval i of run `run` belongs to, of those from `first` on. */
static mpg_run_row *find_row(mpg_runs *r, const interval *i, uint32_t job, int64_t run,
                             size_t first) {
  size_t *last = &r->last[2 * (size_t)i->program + (run > 0)];
  mpg_run_row *row = *last > first && *last <= r->nrows ? &r->rows[*last - 1] : NULL;
  if (row != NULL && row->program == i->program && row->run == run && row->bucket == i->bucket)
    return row;
  if (mpg_grow(r->env, &r->rows, &r->rows_cap, r->nrows + 1, sizeof *row) != MPG_OK)
    return NULL;
  row = &r->rows[r->nrows++];
  *last = r->nrows;
  *row = (mpg_run_row){.job = job,
                       .program = i->program,
                       .attempt = i->attempt,
                       .run = run,
                       .bucket = i->bucket,
                       .start = i->start,
                       .end = i->end,
                       .last_span = MPG_NONE,
                       .progress = MPG_NONE};
  return row;
}

static mpg_rc add_interval(mpg_runs *r, mpg_run_row *row, const interval *i) {
  const double chips = i->end > i->start ? (double)i->held / (double)(i->end - i->start) : 0;
  if (i->end > row->end)
    row->end = i->end;
  if (i->kind != 0 && (row->last_span == MPG_NONE || i->end > row->last_span))
    row->last_span = i->end;
  if (row->progress == MPG_NONE && is_progress(i->kind))
    row->progress = i->start;
  if (chips > row->chips)
    row->chips = chips;
  row->productive += i->productive;
  row->ideal += i->ideal;
  row->unrated += i->unrated;
  row->lost += i->lost;
  return add_held(r, &row->held, i->held);
}

/* The time that the attempt's spans of restore took within the run whose first row is `first`,
** before its progress. `at` is an interval not later than any of them. */
static void add_restore(mpg_runs *r, const interval *at, const interval *end, size_t first) {
  int64_t until = INT64_MAX, ended = INT64_MIN;
  mpg_run_row *run = &r->rows[first];
  for (size_t i = first; i < r->nrows; i++)
    if (r->rows[i].run == run->run) {
      if (r->rows[i].progress != MPG_NONE && r->rows[i].progress < until)
        until = r->rows[i].progress;
      if (r->rows[i].end > ended)
        ended = r->rows[i].end;
    }
  if (until == INT64_MAX)
    until = ended;
  for (; at < end && at->start < until; at++)
    if (at->kind == MPG_KIND_RESTORE && at->start >= run->start)
      run->restore += at->end - at->start;
}

/* The rows of one attempt, whose intervals are [at, end). */
static mpg_rc add_attempt(mpg_runs *r, const interval *at, const interval *end, uint32_t job) {
  const interval *begun = at;
  const size_t of_attempt = r->nrows;
  size_t of_run = of_attempt;
  int64_t run = 0, until = INT64_MIN;
  mpg_rc rc = MPG_OK;
  for (const interval *i = at; rc == MPG_OK && i < end; i++) {
    mpg_run_row *row;
    if (i->whole && (run == 0 || i->start > until)) {
      if (run > 0)
        add_restore(r, begun, i, of_run);
      run++;
      begun = i;
      while (begun > at && begun[-1].start == i->start)
        begun--;
      of_run = r->nrows;
    }
    if (i->whole && i->end > until)
      until = i->end;
    row = find_row(r, i, job, i->whole ? run : 0, of_attempt);
    rc = row == NULL ? MPG_NOMEM : add_interval(r, row, i);
    if (rc == MPG_OK && mpg_poll(r->env, (size_t)(i - at)))
      rc = MPG_INTERRUPTED;
  }
  if (rc == MPG_OK && run > 0)
    add_restore(r, begun, end, of_run);
  return rc;
}

mpg_rc mpg_runs_job(mpg_runs *r, mpg_accounting *accounting, size_t job, const char *source,
                    mpg_err *err) {
  const mpg_sink sink = {add_row, r, NULL};
  mpg_rc rc;
  char name[MPG_EXCERPT];
  r->nintervals = r->nrows = 0;
  err->rc = MPG_OK;
  rc = mpg_accounting_unit(accounting, job, &sink, source, err);
  if (rc == MPG_OK)
    rc = sort_intervals(r);
  for (size_t i = 0, next; rc == MPG_OK && i < r->nintervals; i = next) {
    for (next = i + 1; next < r->nintervals; next++)
      if (r->intervals[next].attempt != r->intervals[i].attempt)
        break;
    rc = add_attempt(r, &r->intervals[i], &r->intervals[next], (uint32_t)job + 1);
  }
  if (rc == MPG_OK || (err->rc != MPG_OK && !r->too_much))
    return rc;
  if (!r->too_much)
    return mpg_fail_plain(err, rc);
  mpg_text_excerpt(mpg_intern_text(&r->fleet->job_names, (uint32_t)job + 1), name);
  return mpg_fail(err, MPG_LIMIT, "job %s: it holds more than 9 x 10^18 chip-microseconds", name);
}
