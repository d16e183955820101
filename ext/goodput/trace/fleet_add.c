/* fleet_add.c - records of a fleet, checked field by field: see mpg_fleet_add. */
#include "fleet_part.h"
#include "../../base/number.h"
#include "../../base/time.h"
#include "uuid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CHIPS_MAX INT64_C(1000000000) /* of one record: far above any fleet, far below overflow */
#define FOUND_TEXT 64                 /* how much of a bad value a message shows */

/* ---- fields ---- */

/* One record that is being added: its place, and its error. */
typedef struct row {
  mpg_fleet *fleet;
  mpg_relation relation;
  const mpg_value *values;
  int *column;
  mpg_err *err;
} row;

static const char *describe_value(const mpg_value *v, char out[FOUND_TEXT]) {
  switch (v->type) {
  case MPG_NULL:
    return "nothing";
  case MPG_INT:
    (void)snprintf(out, FOUND_TEXT, "%lld", (long long)v->i);
    return out;
  case MPG_REAL:
    (void)mpg_print(out, FOUND_TEXT, "%.17g", v->r);
    return out;
  case MPG_MICROSECONDS:
    (void)mpg_print(out, FOUND_TEXT, "%.17g", (double)v->i / 1e6);
    return out;
  default:
    if (v->s.n > 0 && memchr(v->s.p, '\0', v->s.n) != NULL) { /* as numpy's integers in SQLite */
      (void)snprintf(out, FOUND_TEXT, "%zu bytes that are no text", v->s.n);
      return out;
    }
    (void)snprintf(out, FOUND_TEXT, "\"%.*s\"%s", v->s.n > 40 ? 40 : (int)v->s.n,
                   v->s.n ? v->s.p : "", v->s.n > 40 ? "..." : "");
    return out;
  }
}

static mpg_rc unexpected(const row *r, int column, const char *what) {
  char found[FOUND_TEXT];
  *r->column = column;
  return mpg_fail(r->err, MPG_DATA, "%s.%s: expected %s, found %s",
                  mpg_relation_get(r->relation)->name,
                  mpg_relation_get(r->relation)->columns[column], what,
                  describe_value(&r->values[column], found));
}

static bool is_given(const row *r, int column) {
  return r->values[column].type != MPG_NULL;
}

static mpg_rc get_int(const row *r, int column, int64_t *out) {
  const mpg_value *v = &r->values[column];
  double d = 0;
  *out = MPG_NONE;
  switch (v->type) {
  case MPG_NULL:
    return MPG_OK;
  case MPG_INT:
    *out = v->i;
    break;
  case MPG_TEXT:
    if (mpg_int_parse(v->s, out))
      break;
    if (!mpg_real_parse(v->s, &d))
      return unexpected(r, column, "an integer");
    goto real;
  case MPG_REAL:
    d = v->r;
  real: /* some logs write 5 as 5.0 */
    if (!(fabs(d) <= 9007199254740992.0) || d != floor(d))
      return unexpected(r, column, "an integer");
    *out = (int64_t)d;
    break;
  case MPG_MICROSECONDS:
    break;
  }
  return *out == MPG_NONE ? unexpected(r, column, "an integer") : MPG_OK;
}

/* A number of at least 0; NAN if it is not given. */
static mpg_rc get_amount(const row *r, int column, double *out) {
  const mpg_value *v = &r->values[column];
  *out = (double)NAN;
  switch (v->type) {
  case MPG_NULL:
    return MPG_OK;
  case MPG_INT:
    *out = (double)v->i;
    break;
  case MPG_REAL:
    *out = v->r;
    break;
  case MPG_TEXT:
    if (!mpg_real_parse(v->s, out))
      return unexpected(r, column, "a number");
    break;
  case MPG_MICROSECONDS:
    break;
  }
  return *out >= 0 && isfinite(*out) ? MPG_OK : unexpected(r, column, "a number of at least 0");
}

/* A number of chips, in millionths; MPG_NONE if it is not given. */
static mpg_rc get_chips(const row *r, int column, int64_t *out) {
  const mpg_value *v = &r->values[column];
  bool ok = true;
  *out = MPG_NONE;
  switch (v->type) {
  case MPG_NULL:
    return MPG_OK;
  case MPG_INT:
    ok = v->i >= 0 && v->i <= CHIPS_MAX;
    if (ok)
      *out = v->i * MPG_CHIP;
    break;
  case MPG_REAL:
    ok = mpg_scaled_real(v->r, 6, out);
    break;
  case MPG_TEXT:
    ok = mpg_scaled_parse(v->s, 6, out);
    break;
  case MPG_MICROSECONDS:
    break;
  }
  if (!ok || *out < 0 || *out > CHIPS_MAX * MPG_CHIP)
    return unexpected(r, column, "a number of chips from 0 to 1e9");
  return MPG_OK;
}

/* A time; `absent` if it is not given. */
static mpg_rc get_time(const row *r, int column, int64_t absent, int64_t *out) {
  mpg_err why;
  *out = absent;
  if (!is_given(r, column))
    return MPG_OK;
  if (mpg_time_value(&r->values[column], out, &why) != MPG_OK) {
    *r->column = column;
    return mpg_fail(r->err, MPG_DATA, "%s.%s: %s", mpg_relation_get(r->relation)->name,
                    mpg_relation_get(r->relation)->columns[column], why.text);
  }
  if (r->relation != MPG_REL_OBSERVED) /* which ends a pool's ledger, not the trace */
    mpg_fleet_saw(r->fleet, *out,
                  r->relation != MPG_REL_CAPACITY && r->relation != MPG_REL_OUTAGES);
  return MPG_OK;
}

/* Start and end; the end may be open, and is never before the start. */
static mpg_rc get_interval(const row *r, int start_column, int end_column, int64_t *start,
                           int64_t *end) {
  mpg_rc rc = get_time(r, start_column, 0, start);
  if (rc == MPG_OK)
    rc = get_time(r, end_column, MPG_OPEN, end);
  if (rc == MPG_OK && *end < *start)
    rc = unexpected(r, end_column, "an end that is not before the start");
  return rc;
}

/* Numbers become text; 0 if it is not given. The id of the last text is tried first. */
static mpg_rc get_text(const row *r, int column, mpg_intern *intern, uint32_t *id) {
  const mpg_value *v = &r->values[column];
  char number[FOUND_TEXT];
  mpg_str s = v->s;
  mpg_rc rc;
  *id = 0;
  if (v->type == MPG_NULL)
    return MPG_OK;
  if (v->type != MPG_TEXT)
    s = mpg_str_of(describe_value(v, number));
  rc = mpg_intern_id(intern, s, id);
  return rc == MPG_OK ? rc : mpg_fail_plain(r->err, rc);
}

static mpg_rc find_job(const row *r, int column, uint32_t *index) {
  const mpg_value *v = &r->values[column];
  char number[FOUND_TEXT], uuid[MPG_UUID_TEXT];
  mpg_str s = v->s;
  if (v->type != MPG_TEXT)
    s = mpg_str_of(describe_value(v, number));
  if (s.n >= 36 && mpg_uuid_canonical(s, uuid))
    s = mpg_str_of(uuid);
  return mpg_fleet_job(r->fleet, s, index, r->err);
}

static mpg_rc get_pool(const row *r, int column, uint32_t *index) {
  mpg_rc rc = get_text(r, column, &r->fleet->pool_names, index);
  if (rc == MPG_OK)
    --*index;
  return rc;
}

/* A program's id; 0: not given. */
static mpg_rc get_program(const row *r, int column, uint32_t *id) {
  const mpg_value *v = &r->values[column];
  char number[FOUND_TEXT];
  *id = 0;
  if (v->type == MPG_NULL)
    return MPG_OK;
  return mpg_fleet_program(
      r->fleet, v->type == MPG_TEXT ? v->s : mpg_str_of(describe_value(v, number)), id, r->err);
}

/* ---- relations ---- */

static mpg_rc add_capacity(const row *r) {
  mpg_fleet *f = r->fleet;
  mpg_capacity c;
  mpg_rc rc;
  if ((rc = get_interval(r, CAPACITY_START, CAPACITY_END, &c.start, &c.end)) != MPG_OK ||
      (rc = get_chips(r, CAPACITY_CHIPS, &c.chips)) != MPG_OK ||
      (rc = get_text(r, CAPACITY_CHIP, &f->texts, &c.chip)) != MPG_OK ||
      (rc = get_pool(r, CAPACITY_POOL, &c.pool)) != MPG_OK)
    return rc;
  if (mpg_grow(f->env, &f->capacity, &f->capacity_cap, f->ncapacity + 1, sizeof c) != MPG_OK)
    return mpg_fail_nomem(r->err);
  f->capacity[f->ncapacity++] = c;
  return MPG_OK;
}

static mpg_rc add_outage(const row *r) {
  mpg_fleet *f = r->fleet;
  mpg_outage o;
  mpg_rc rc;
  if ((rc = get_interval(r, OUTAGES_START, OUTAGES_END, &o.start, &o.end)) != MPG_OK ||
      (rc = get_chips(r, OUTAGES_CHIPS, &o.chips)) != MPG_OK ||
      (rc = get_text(r, OUTAGES_KIND, &f->texts, &o.kind)) != MPG_OK ||
      (rc = get_pool(r, OUTAGES_POOL, &o.pool)) != MPG_OK)
    return rc;
  if (o.kind == 0 && (rc = mpg_intern_id(&f->texts, MPG_STR("down"), &o.kind)) != MPG_OK)
    return mpg_fail_plain(r->err, rc);
  if (mpg_grow(f->env, &f->outages, &f->outages_cap, f->noutages + 1, sizeof o) != MPG_OK)
    return mpg_fail_nomem(r->err);
  f->outages[f->noutages++] = o;
  return MPG_OK;
}

/* Records of jobs and programs are resolved in the whole fleet, not in a part. */
static mpg_rc add_note(const row *r, const mpg_fleet_note *fresh) {
  struct mpg_fleet_log *log = r->fleet->log;
  if (mpg_grow(r->fleet->env, &log->notes, &log->cap, log->n + 1, sizeof *log->notes) != MPG_OK)
    return mpg_fail_nomem(r->err);
  log->notes[log->n] = *fresh;
  log->notes[log->n].line = r->fleet->line;
  log->notes[log->n].issues = r->fleet->issues->n;
  log->n++;
  return MPG_OK;
}

static mpg_rc add_job(const row *r) {
  mpg_fleet *f = r->fleet;
  mpg_fleet_note fresh = {0};
  mpg_job *d = &fresh.described;
  uint32_t index;
  mpg_rc rc;
  if ((rc = get_chips(r, JOBS_CHIPS, &d->chips)) != MPG_OK ||
      (rc = get_chips(r, JOBS_MIN_CHIPS, &d->min_chips)) != MPG_OK ||
      (rc = get_int(r, JOBS_TASKS, &d->tasks)) != MPG_OK ||
      (rc = get_time(r, JOBS_SUBMIT, MPG_NONE, &d->submit)) != MPG_OK)
    return rc;
  for (int i = 0; i < MPG_JOB_DIMS; i++)
    if ((rc = get_text(r, JOBS_NAME + i, &f->texts, &d->dim[i])) != MPG_OK)
      return rc;
  if ((rc = find_job(r, JOBS_JOB, &index)) != MPG_OK)
    return rc;
  fresh.job = index + 1;
  return f->log != NULL ? add_note(r, &fresh)
                        : mpg_fleet_describe_job(f, index, d, f->line, r->err);
}

static mpg_rc get_outcome(const row *r, int column, mpg_outcome *out) {
  static const struct {
    const char *name;
    mpg_outcome outcome;
  } names[] = {{"completed", MPG_COMPLETED}, {"failed", MPG_FAILED},   {"cancelled", MPG_CANCELLED},
               {"preempted", MPG_PREEMPTED}, {"timeout", MPG_TIMEOUT}, {"node_fail", MPG_NODE_FAIL},
               {"released", MPG_RELEASED}};
  *out = MPG_RUNNING;
  if (!is_given(r, column))
    return MPG_OK;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (r->values[column].type == MPG_TEXT &&
        mpg_str_eq(r->values[column].s, mpg_str_of(names[i].name))) {
      *out = names[i].outcome;
      return MPG_OK;
    }
  return unexpected(
      r, column,
      "completed, failed, cancelled, preempted, timeout, node_fail, released or nothing");
}

static mpg_rc add_allocation(const row *r) {
  mpg_fleet *f = r->fleet;
  mpg_allocation a = {0};
  mpg_rc rc;
  if ((rc = get_interval(r, ALLOCATIONS_START, ALLOCATIONS_END, &a.start, &a.end)) != MPG_OK ||
      (rc = get_chips(r, ALLOCATIONS_CHIPS, &a.chips)) != MPG_OK ||
      (rc = get_int(r, ALLOCATIONS_ATTEMPT, &a.attempt)) != MPG_OK ||
      (rc = get_outcome(r, ALLOCATIONS_OUTCOME, &a.outcome)) != MPG_OK ||
      (rc = get_text(r, ALLOCATIONS_TASK, &f->texts, &a.task)) != MPG_OK ||
      (rc = get_pool(r, ALLOCATIONS_POOL, &a.pool)) != MPG_OK ||
      (rc = find_job(r, ALLOCATIONS_JOB, &a.job)) != MPG_OK)
    return rc;
  if (f->keep_origins) {
    a.file = f->source_id;
    a.line = f->line;
  }
  if (mpg_grow(f->env, &f->allocations, &f->allocations_cap, f->nallocations + 1, sizeof a) !=
      MPG_OK)
    return mpg_fail_nomem(r->err);
  f->allocations[f->nallocations++] = a;
  return MPG_OK;
}

static mpg_rc add_span(const row *r) {
  mpg_fleet *f = r->fleet;
  mpg_span s;
  uint32_t index;
  mpg_rc rc;
  s.line = 0;
  s.file = 0;
  if ((rc = get_interval(r, SPANS_START, SPANS_END, &s.start, &s.end)) != MPG_OK ||
      (rc = get_int(r, SPANS_ATTEMPT, &s.attempt)) != MPG_OK ||
      (rc = get_int(r, SPANS_STEP, &s.step)) != MPG_OK ||
      (rc = get_amount(r, SPANS_FLOPS, &s.flops)) != MPG_OK ||
      (rc = get_amount(r, SPANS_BYTES, &s.bytes)) != MPG_OK ||
      (rc = get_amount(r, SPANS_EXECUTIONS, &s.executions)) != MPG_OK ||
      (rc = get_text(r, SPANS_DTYPE, &f->texts, &s.dtype)) != MPG_OK ||
      (rc = get_text(r, SPANS_KIND, &f->kind_names, &s.kind)) != MPG_OK ||
      (rc = get_program(r, SPANS_PROGRAM, &s.program)) != MPG_OK ||
      (rc = find_job(r, SPANS_JOB, &index)) != MPG_OK)
    return rc;
  if (f->keep_origins) {
    s.file = f->source_id;
    s.line = f->line;
  }
  if (mpg_fleet_add_packed(f, index, &s, NULL) != MPG_OK)
    return mpg_fail_nomem(r->err);
  f->nspans++;
  return MPG_OK;
}

static mpg_rc add_commit(const row *r) {
  mpg_fleet *f = r->fleet;
  mpg_commit c;
  mpg_rc rc;
  if ((rc = get_int(r, COMMITS_STEP, &c.step)) != MPG_OK ||
      (rc = get_time(r, COMMITS_SNAPSHOT, MPG_NONE, &c.snapshot)) != MPG_OK ||
      (rc = get_time(r, COMMITS_DURABLE, MPG_NONE, &c.durable)) != MPG_OK ||
      (rc = find_job(r, COMMITS_JOB, &c.job)) != MPG_OK)
    return rc;
  return mpg_fleet_add_packed(f, c.job, NULL, &c) == MPG_OK ? MPG_OK : mpg_fail_nomem(r->err);
}

static mpg_rc add_program(const row *r) {
  mpg_fleet *f = r->fleet;
  mpg_fleet_note fresh = {0};
  mpg_program *costs = &fresh.costs;
  mpg_rc rc;
  if ((rc = get_amount(r, PROGRAMS_FLOPS, &costs->flops)) != MPG_OK ||
      (rc = get_amount(r, PROGRAMS_BYTES, &costs->bytes)) != MPG_OK ||
      (rc = get_text(r, PROGRAMS_DTYPE, &f->texts, &costs->dtype)) != MPG_OK ||
      (rc = get_program(r, PROGRAMS_PROGRAM, &fresh.program)) != MPG_OK)
    return rc;
  return f->log != NULL ? add_note(r, &fresh)
                        : mpg_fleet_describe_program(f, fresh.program, costs, f->line, r->err);
}

static mpg_rc put_observed(mpg_fleet *f, mpg_observed observed, mpg_err *err) {
  if (mpg_grow(f->env, &f->observed, &f->observed_cap, f->nobserved + 1, sizeof *f->observed) !=
      MPG_OK)
    return mpg_fail_nomem(err);
  f->observed[f->nobserved++] = observed;
  return MPG_OK;
}

static mpg_rc add_observed(const row *r) {
  mpg_observed observed;
  uint32_t index;
  mpg_rc rc;
  if (!is_given(r, OBSERVED_UNTIL) &&
      (is_given(r, OBSERVED_JOB) || !is_given(r, OBSERVED_POOL) || !is_given(r, OBSERVED_CHIP)))
    return unexpected(r, OBSERVED_UNTIL, "a value");
  rc = get_time(r, OBSERVED_UNTIL, MPG_NONE, &observed.until);
  if (rc == MPG_OK && is_given(r, OBSERVED_JOB)) {
    rc = find_job(r, OBSERVED_JOB, &index);
    if (rc == MPG_OK) {
      mpg_job *job = &r->fleet->jobs[index];
      if (job->until == MPG_OPEN || observed.until > job->until)
        job->until = observed.until;
    }
    return rc;
  }
  if (rc == MPG_OK)
    rc = get_text(r, OBSERVED_POOL, &r->fleet->pool_names, &observed.pool);
  if (rc == MPG_OK)
    rc = get_text(r, OBSERVED_CHIP, &r->fleet->texts, &observed.chip);
  return rc == MPG_OK ? put_observed(r->fleet, observed, r->err) : rc;
}

static mpg_rc add_chip(const row *r) {
  char text[5][256];
  static const int columns[5] = {CHIPS_CHIP, CHIPS_DTYPE, CHIPS_VENDOR, CHIPS_SOURCE, CHIPS_YEAR};
  mpg_chip_row chip = {0};
  int64_t year;
  mpg_err why;
  mpg_rc rc;
  if (r->fleet->log != NULL) {
    r->fleet->log->refused = true;
    return mpg_fail(r->err, MPG_MISUSE, "chips: expected its records before all others");
  }
  for (int i = 0; i < 4; i++) {
    const mpg_value *v = &r->values[columns[i]];
    if (v->type == MPG_NULL)
      text[i][0] = '\0';
    else if (v->type != MPG_TEXT || v->s.n >= sizeof text[i])
      return unexpected(r, columns[i], "a text of less than 256 bytes");
    else
      (void)snprintf(text[i], sizeof text[i], "%.*s", (int)v->s.n, v->s.p);
  }
  if ((rc = get_amount(r, CHIPS_PEAK, &chip.peak_flops)) != MPG_OK ||
      (rc = get_amount(r, CHIPS_HBM, &chip.hbm_bytes)) != MPG_OK ||
      (rc = get_amount(r, CHIPS_BANDWIDTH, &chip.hbm_bytes_per_s)) != MPG_OK ||
      (rc = get_amount(r, CHIPS_ICI, &chip.ici_bytes_per_s)) != MPG_OK ||
      (rc = get_amount(r, CHIPS_TDP, &chip.tdp_w)) != MPG_OK ||
      (rc = get_int(r, CHIPS_YEAR, &year)) != MPG_OK)
    return rc;
  if (!(chip.peak_flops > 0))
    return unexpected(r, CHIPS_PEAK, "a number above 0");
  chip.chip = text[0];
  chip.dtype = text[1];
  chip.vendor = is_given(r, CHIPS_VENDOR) ? text[2] : NULL;
  chip.source = is_given(r, CHIPS_SOURCE) ? text[3] : NULL;
  chip.year = year == MPG_NONE ? 0 : (int)year;
  rc = mpg_chips_add(r->fleet->chips, &chip, &why);
  if (rc != MPG_OK) {
    *r->column = CHIPS_CHIP;
    return mpg_fail(r->err, rc, "chips: %s", why.text);
  }
  return MPG_OK;
}

mpg_rc mpg_fleet_add(mpg_fleet *fleet, mpg_relation relation, const mpg_value *values, int64_t line,
                     int *column, mpg_err *err) {
  static mpg_rc (*const add[MPG_RELATIONS])(const row *) = {
      add_capacity, add_outage,  add_job,      add_allocation, add_span,
      add_commit,   add_program, add_observed, add_chip};
  const mpg_relation_info *info = mpg_relation_get(relation);
  row r = {fleet, relation, values, column, err};
  int64_t last = fleet->last, last_of_jobs = fleet->last_of_jobs;
  mpg_rc rc;
  fleet->line = line;
  *column = 0;
  for (size_t i = 0; i < info->ncolumns; i++)
    if ((info->required >> i & 1) && values[i].type == MPG_NULL)
      return unexpected(&r, (int)i, "a value");
  rc = add[relation](&r);
  if (rc != MPG_OK) {
    fleet->last = last;
    fleet->last_of_jobs = last_of_jobs;
    return rc;
  }
  fleet->records[relation]++;
  return fleet->arena.bytes > fleet->most_packed && fleet->log == NULL ? mpg_fleet_bound(fleet, err)
                                                                       : MPG_OK;
}
