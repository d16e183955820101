/* ledger.c - see ledger.h. */
#include "ledger.h"
#include "../trace/uuid.h"
#include "../../base/limits.h"
#include "../../base/sort.h"
#include "../../base/text.h"
#include "../../base/time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

mpg_ledger_options mpg_ledger_defaults(void) {
  return (mpg_ledger_options){.window = {.since = 0, .until = INT64_MAX, .bucket = {.width_us = 0}},
                              .rules = {.as_of = MPG_NONE, .sizes = mpg_sizes_default}};
}

/* Time from which on something is on record: the window's start, or the first capacity or holding.
 */
static mpg_rc first_time(const mpg_accounting *a, int64_t *out) {
  const mpg_fleet *f = a->fleet;
  int64_t first = INT64_MAX;
  bool stop = false;
  for (size_t i = 0; !stop && i < f->ncapacity; i++, stop = mpg_poll(a->env, i))
    first = f->capacity[i].start < first ? f->capacity[i].start : first;
  for (size_t i = 0; !stop && i < f->noutages; i++, stop = mpg_poll(a->env, i))
    first = f->outages[i].start < first ? f->outages[i].start : first;
  for (size_t i = 0; !stop && i < f->nallocations; i++, stop = mpg_poll(a->env, i))
    first = f->allocations[i].start < first ? f->allocations[i].start : first;
  for (size_t i = 0; !stop && i < mpg_fleet_njobs(f); i++, stop = mpg_poll(a->env, i))
    if (f->jobs[i].submit != MPG_NONE && f->jobs[i].submit < first)
      first = f->jobs[i].submit;
  *out = first > a->options.window.since ? first : a->options.window.since;
  return stop ? MPG_INTERRUPTED : MPG_OK;
}

/* Whether [first, until) lies in more than `limit` buckets. Of months there are few. */
static bool is_in_more_buckets(const mpg_bucket *b, int64_t first, int64_t until, int64_t limit) {
  int64_t start = mpg_bucket_start(b, first);
  if (b->width_us > 0)
    return (mpg_bucket_start(b, until - 1) - start) / b->width_us >= limit;
  for (; limit > 0 && start < until; limit--)
    start = mpg_bucket_next(b, start);
  return start < until;
}

static mpg_rc check_buckets(const mpg_accounting *a, mpg_err *err) {
  const mpg_window *w = &a->options.window;
  int64_t until = w->until < a->options.rules.as_of ? w->until : a->options.rules.as_of;
  int64_t first;
  const int64_t limit = mpg_limit_in(a->env, MPG_LIMIT_BUCKETS);
  if (!mpg_bucket_is_set(&w->bucket))
    return MPG_OK;
  if (first_time(a, &first) != MPG_OK)
    return mpg_fail_plain(err, MPG_INTERRUPTED);
  if (first < until && is_in_more_buckets(&w->bucket, first, until, limit))
    return mpg_fail(err, MPG_LIMIT,
                    "the bucket width divides the trace into more than %lld buckets",
                    (long long)limit);
  return MPG_OK;
}

mpg_rc mpg_accounting_init(mpg_accounting *a, const mpg_env *env, const mpg_fleet *fleet,
                           const mpg_ledger_options *options, mpg_err *err) {
  mpg_rc rc;
  memset(a, 0, sizeof *a);
  a->env = env;
  a->fleet = fleet;
  a->options = *options;
  a->ends = mpg_pool_ends_at(options->rules.as_of);
  a->as_of_given = options->rules.as_of != MPG_NONE;
  if (!a->as_of_given) {
    if ((rc = mpg_pool_ends_init(&a->ends, env, fleet)) != MPG_OK)
      return mpg_fail_plain(err, rc);
    a->options.rules.as_of = a->ends.as_of;
    a->ahead = fleet->last > fleet->last_of_jobs;
  }
  rc = check_buckets(a, err);
  if (rc == MPG_OK)
    rc = mpg_pools_init(&a->pools, env, fleet, &a->ends, err);
  if (rc == MPG_OK)
    rc = mpg_timeline_new(&a->timeline, env, fleet, &a->options.rules, &a->pools, err);
  mpg_progress_begin_jobs(env, mpg_fleet_njobs(fleet));
  return rc;
}

void mpg_accounting_free(mpg_accounting *a) {
  mpg_timeline_free(a->timeline);
  mpg_pools_free(&a->pools);
  mpg_pool_ends_free(&a->ends);
  a->timeline = NULL;
}

size_t mpg_accounting_units(const mpg_accounting *a) {
  return mpg_fleet_njobs(a->fleet) + mpg_fleet_npools(a->fleet);
}

mpg_rc mpg_accounting_unit(mpg_accounting *a, size_t unit, const mpg_sink *sink, const char *source,
                           mpg_err *err) {
  size_t njobs = mpg_fleet_njobs(a->fleet);
  if (unit % 64 == 0 && mpg_interrupted(a->env))
    return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  if (unit < njobs && unit % 64 == 63)
    mpg_progress_account(a->env, 64);
  if (unit < njobs)
    return mpg_timeline_job(a->timeline, (uint32_t)unit, &a->options.window, sink, err);
  if (!a->sorted && mpg_pools_sort(&a->pools, err) != MPG_OK)
    return err->rc;
  a->sorted = true;
  return mpg_pools_account(&a->pools, (uint32_t)(unit - njobs), a->options.rules.basis,
                           &a->options.window, sink, a->fleet->issues, source, err);
}

/* Jobs that run until a pool's planned end; what they will do is not known yet. */
static mpg_rc list_planned(const mpg_accounting *a, const char *source) {
  const mpg_fleet *f = a->fleet;
  char end[40], last[40];
  int64_t open = 0;
  for (size_t i = 0; a->ahead && i < f->nallocations; i++) {
    open += f->allocations[i].end == MPG_OPEN &&
            !mpg_pool_is_observed(&a->ends, f->allocations[i].pool) &&
            f->jobs[f->allocations[i].job].until == MPG_OPEN;
    if (mpg_poll(a->env, i))
      return MPG_INTERRUPTED;
  }
  if (open == 0)
    return MPG_OK;
  (void)mpg_time_format(f->last, end);
  (void)mpg_time_format(f->last_of_jobs, last);
  return mpg_issues_add(
      f->issues, MPG_INFO, source, "as_of_ahead", 0, open,
      "allocations without an end, held until %s, the latest time of capacity and outages; that of "
      "jobs is %s: as_of may tell another end",
      end, last);
}

/* Capacity that is there from the end of its pool on: nothing says until when. */
static mpg_rc list_endless(const mpg_accounting *a, const char *source) {
  const mpg_fleet *f = a->fleet;
  int64_t endless = 0;
  for (size_t i = 0; !a->as_of_given && i < f->ncapacity; i++) {
    const mpg_capacity *c = &f->capacity[i];
    endless += c->end == MPG_OPEN && c->start >= mpg_pool_end(&a->ends, c->pool);
    if (mpg_poll(a->env, i))
      return MPG_INTERRUPTED;
  }
  if (endless == 0)
    return MPG_OK;
  return mpg_issues_add(f->issues, MPG_WARNING, source, "not_observed", 0, endless,
                        "records of capacity without an end that begin when their pool was last "
                        "observed, or at the latest time of all, and count nothing: give as_of");
}

/* Records of a pool after the time until which a source observed it. */
static mpg_rc list_after(const mpg_accounting *a, const char *source) {
  const mpg_fleet *f = a->fleet;
  int64_t after = 0;
  if (a->ends.of == NULL)
    return MPG_OK;
  for (size_t i = 0; i < f->nallocations; i++) {
    const mpg_allocation *b = &f->allocations[i];
    int64_t end = mpg_pool_end(&a->ends, b->pool);
    after += b->start > end || (b->end != MPG_OPEN && b->end > end);
    if (mpg_poll(a->env, i))
      return MPG_INTERRUPTED;
  }
  if (after == 0)
    return MPG_OK;
  return mpg_issues_add(f->issues, MPG_WARNING, source, "after_observed", 0, after,
                        "allocations that begin or end after the time until which their pool was "
                        "observed, and count until then");
}

/* ---- Times that cannot be ---- */

#define TEN_YEARS (INT64_C(315569520) * MPG_SECOND)

/* Whether one of the times is ten years before the others or after them; MPG_OPEN is none. */
static bool is_far(int64_t start, int64_t end, double middle) {
  return fabs((double)start - middle) > TEN_YEARS ||
         (end != MPG_OPEN && fabs((double)end - middle) > TEN_YEARS);
}

/* A time far from the others is mostly one of another unit, or damaged. Spans and commits are not
** looked at one by one: the latest time of all records is. */
static mpg_rc list_far(const mpg_accounting *a, const char *source) {
  const mpg_fleet *f = a->fleet;
  double middle = 0; /* of when allocations start, their mean */
  int64_t far = 0;
  bool stop = false;
  if (f->nallocations == 0)
    return MPG_OK;
  for (size_t i = 0; !stop && i < f->nallocations; i++, stop = mpg_poll(a->env, i))
    middle += (double)f->allocations[i].start / (double)f->nallocations;
  for (size_t i = 0; !stop && i < f->nallocations; i++, stop = mpg_poll(a->env, i))
    far += is_far(f->allocations[i].start, f->allocations[i].end, middle);
  for (size_t i = 0; !stop && i < f->ncapacity; i++, stop = mpg_poll(a->env, i))
    far += is_far(f->capacity[i].start, f->capacity[i].end, middle);
  for (size_t i = 0; !stop && i < f->noutages; i++, stop = mpg_poll(a->env, i))
    far += is_far(f->outages[i].start, f->outages[i].end, middle);
  if (stop)
    return MPG_INTERRUPTED;
  if (far == 0 && (double)f->last - middle <= TEN_YEARS)
    return MPG_OK;
  return mpg_issues_add(f->issues, MPG_WARNING, source, "impossible_time", 0, far == 0 ? 1 : far,
                        "records of %s with a time more than ten years from when allocations "
                        "start, counted as given",
                        far == 0 ? "spans or commits" : "allocations, capacity or outages");
}

/* A date without dashes, as 20260106. */
static bool is_date(int64_t us) {
  return us == MPG_OPEN || (us % MPG_SECOND == 0 && mpg_seconds_read_as_date(us / MPG_SECOND));
}

/* A day of the 21st century as a spreadsheet counts it, since 1899; the time is its fraction. */
static bool is_serial(int64_t us) {
  return us == MPG_OPEN || (us >= INT64_C(36526) * MPG_SECOND && us < INT64_C(73051) * MPG_SECOND);
}

static mpg_rc are_all(const mpg_accounting *a, bool (*is)(int64_t us), bool *all) {
  const mpg_fleet *f = a->fleet;
  bool stop = false;
  *all = f->last != 0 && is(f->last);
  for (size_t i = 0; !stop && *all && i < f->nallocations; i++, stop = mpg_poll(a->env, i))
    *all = is(f->allocations[i].start) && is(f->allocations[i].end);
  for (size_t i = 0; !stop && *all && i < f->ncapacity; i++, stop = mpg_poll(a->env, i))
    *all = is(f->capacity[i].start) && is(f->capacity[i].end);
  return stop ? MPG_INTERRUPTED : MPG_OK;
}

/* Dates of which only numbers are left count as seconds, of the year 1970. If all times read so,
** they are dates. */
static mpg_rc list_dates(const mpg_accounting *a, const char *source) {
  const mpg_fleet *f = a->fleet;
  const int64_t n = (int64_t)(f->nallocations + f->ncapacity);
  bool dates, serials = false;
  mpg_rc rc = are_all(a, is_date, &dates);
  if (rc == MPG_OK && !dates)
    rc = are_all(a, is_serial, &serials);
  if (rc == MPG_OK && dates)
    rc = mpg_issues_add(f->issues, MPG_WARNING, source, "impossible_time", 0, n,
                        "records whose times read as dates without dashes, such as %lld, and count "
                        "as seconds of 1970: write 2026-01-06",
                        (long long)(f->last / MPG_SECOND));
  if (rc == MPG_OK && serials)
    rc = mpg_issues_add(f->issues, MPG_WARNING, source, "impossible_time", 0, n,
                        "records whose times read as days of a spreadsheet, such as %.5f, and "
                        "count as seconds of 1970: write 2026-01-06T12:00:00",
                        (double)f->last / MPG_SECOND);
  return rc;
}

mpg_rc mpg_accounting_find_job(const mpg_accounting *a, mpg_str name, const char *source,
                               size_t *unit, mpg_err *err) {
  char uuid[MPG_UUID_TEXT], shown[MPG_EXCERPT];
  const uint32_t id = mpg_intern_find(&a->fleet->job_names,
                                      mpg_uuid_canonical(name, uuid) ? mpg_str_of(uuid) : name);
  *unit = id - 1;
  if (id != 0)
    return MPG_OK;
  mpg_text_excerpt(name, shown);
  return mpg_issues_add(a->fleet->issues, MPG_INFO, source, "no_such_job", 0, 1,
                        "no record is of the job '%s': its timeline has no rows", shown) == MPG_OK
             ? MPG_DONE
             : mpg_fail_nomem(err);
}

mpg_rc mpg_accounting_finish(mpg_accounting *a, const char *source, mpg_err *err) {
  mpg_rc rc;
  mpg_progress_end_jobs(a->env);
  rc = list_planned(a, source);
  if (rc == MPG_OK)
    rc = list_endless(a, source);
  if (rc == MPG_OK)
    rc = list_after(a, source);
  if (rc == MPG_OK)
    rc = list_far(a, source);
  if (rc == MPG_OK)
    rc = list_dates(a, source);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  return mpg_notices_list(mpg_timeline_notices(a->timeline), a->fleet, a->fleet->issues, source,
                          err);
}

/* ---- the ledger in columns ---- */

/* Every column, and its number: the one list of them. */
static inline bool has_column(const mpg_ledger *l, mpg_row_field column) {
  return l->columns >> column & 1;
}

void mpg_ledger_init(mpg_ledger *ledger, const mpg_env *env) {
  memset(ledger, 0, sizeof *ledger);
  ledger->env = env;
  ledger->columns = (1u << MPG_ROW_COLUMNS) - 1;
}

void mpg_ledger_free(mpg_ledger *ledger) {
  const mpg_env *env = ledger->env;
  if (env == NULL)
    return;
#define FREE(type, column, number) mpg_free(env, ledger->column);
  MPG_ROW_FIELDS(FREE)
  FREE(size_t, order, 0)
#undef FREE
  mpg_ledger_init(ledger, env);
}

/* Room for `need` rows: the least that a column has, for in the hostile build narrow columns may
** have less than wide ones. Growing a long column may copy it, so the host is polled between two.
*/
static mpg_rc widen(mpg_ledger *l, size_t need) {
  size_t least = SIZE_MAX;
#define GROW(type, column, number)                                                                 \
  if (has_column(l, MPG_ROW_##number)) {                                                           \
    size_t cap = l->cap;                                                                           \
    if (mpg_grow(l->env, &l->column, &cap, need, sizeof *l->column) != MPG_OK)                     \
      return MPG_NOMEM;                                                                            \
    least = cap < least ? cap : least;                                                             \
    if (mpg_poll_bytes(l->env, cap * sizeof *l->column))                                           \
      return MPG_INTERRUPTED;                                                                      \
  }
  MPG_ROW_FIELDS(GROW)
#undef GROW
  l->cap = least < SIZE_MAX ? least : 2 * need + 64; /* the latter if no column is wanted */
  return MPG_OK;
}

static mpg_rc append_row(void *ctx, const mpg_row *row) {
  mpg_ledger *l = ctx;
  mpg_rc rc = l->n == l->cap ? widen(l, l->n + 1) : MPG_OK;
  if (rc != MPG_OK)
    return rc;
#define SET(type, column, number)                                                                  \
  if (has_column(l, MPG_ROW_##number))                                                             \
    l->column[l->n] = (__typeof__(*l->column))row->column;
  MPG_ROW_FIELDS(SET)
#undef SET
  l->n++;
  return MPG_OK;
}

mpg_rc mpg_ledger_append(mpg_ledger *l, const mpg_ledger *from, size_t i) {
  mpg_rc rc = l->n == l->cap ? widen(l, l->n + 1) : MPG_OK;
  if (rc != MPG_OK)
    return rc;
#define SET(type, column, number)                                                                  \
  if (has_column(l, MPG_ROW_##number))                                                             \
    l->column[l->n] = from->column[i];
  MPG_ROW_FIELDS(SET)
#undef SET
  l->n++;
  return MPG_OK;
}

mpg_rc mpg_ledger_pick(mpg_ledger *l, const mpg_ledger *from, const size_t *places, size_t n) {
#define PICK(type, column, number)                                                                 \
  if (has_column(l, MPG_ROW_##number) && n > 0) {                                                  \
    l->column = mpg_malloc(l->env, n * sizeof *l->column);                                         \
    if (l->column == NULL)                                                                         \
      return MPG_NOMEM;                                                                            \
    for (size_t i = 0; i < n; i++) {                                                               \
      if (mpg_poll(l->env, i))                                                                     \
        return MPG_INTERRUPTED;                                                                    \
      l->column[i] = from->column[places[i]];                                                      \
    }                                                                                              \
  }
  MPG_ROW_FIELDS(PICK)
#undef PICK
  l->n = l->cap = n;
  return MPG_OK;
}

mpg_rc mpg_ledger_append_run(mpg_ledger *l, const mpg_ledger *from, size_t first, size_t n,
                             const mpg_ledger *common, size_t k) {
  mpg_rc rc = n > l->cap - l->n ? widen(l, l->n + n) : MPG_OK;
  if (rc != MPG_OK)
    return rc;
#define RUN(type, column, number)                                                                  \
  if (has_column(l, MPG_ROW_##number) && has_column(from, MPG_ROW_##number))                       \
    memcpy(l->column + l->n, from->column + first, n * sizeof *l->column);                         \
  for (size_t i = 0;                                                                               \
       has_column(l, MPG_ROW_##number) && !has_column(from, MPG_ROW_##number) && i < n; i++)       \
    l->column[l->n + i] = common->column[k];
  MPG_ROW_FIELDS(RUN)
#undef RUN
  l->n += n;
  return MPG_OK;
}

mpg_sink mpg_ledger_sink(mpg_ledger *ledger) {
  return (mpg_sink){append_row, ledger, NULL};
}

static int row_order(const void *pa, const void *pb, void *ctx) {
  const mpg_ledger *l = ctx;
  size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
  if (l->start[a] != l->start[b])
    return l->start[a] < l->start[b] ? -1 : 1;
  if (l->end[a] != l->end[b])
    return l->end[a] < l->end[b] ? -1 : 1;
  if (l->attempt[a] != l->attempt[b])
    return l->attempt[a] < l->attempt[b] ? -1 : 1;
  if (l->pool[a] != l->pool[b])
    return l->pool[a] < l->pool[b] ? -1 : 1;
  return (l->category[a] > l->category[b]) - (l->category[a] < l->category[b]);
}

mpg_rc mpg_ledger_sort(mpg_ledger *l) {
  if (mpg_grow(l->env, &l->order, &l->order_cap, l->n, sizeof *l->order) != MPG_OK)
    return MPG_NOMEM;
  for (size_t i = 0; i < l->n; i++) {
    if (mpg_poll(l->env, i))
      return MPG_INTERRUPTED;
    l->order[i] = i;
  }
  return mpg_sort(l->env, l->order, l->n, sizeof *l->order, row_order, l);
}
