/* fleet.c - see fleet.h. Field by field checks first, then one function for each relation. */
#include "fleet_part.h"

#include "number.h"
#include "sort.h"
#include "time.h"
#include "uuid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHIPS_MAX INT64_C(1000000000) /* of one record: far above any fleet, far below overflow */
#define FOUND_TEXT 64                 /* how much of a bad value a message shows */

static const char *const kinds[] = {"init", "prep", "compile", "restore", "input", "checkpoint",
                                    "eval", "hang", "step",    "serve",   "batch"};

mpg_rc mpg_fleet_init(mpg_fleet *fleet, const mpg_env *env, mpg_issues *issues, mpg_chips *chips,
                      mpg_err *err) {
  mpg_intern *interns[] = {&fleet->texts, &fleet->job_names, &fleet->pool_names,
                           &fleet->program_names, &fleet->kind_names};
  memset(fleet, 0, sizeof *fleet);
  fleet->env = env;
  fleet->issues = issues;
  fleet->chips = chips;
  for (size_t i = 0; i < sizeof interns / sizeof *interns; i++)
    mpg_intern_init(interns[i], env);
  mpg_span_arena_init(&fleet->arena, env);
  return mpg_fleet_begin(fleet, err);
}

mpg_rc mpg_fleet_begin(mpg_fleet *fleet, mpg_err *err) {
  static const char *const causes[MPG_CAUSES] = {[MPG_CAUSE_SURPLUS] = "surplus",
                                                 [MPG_CAUSE_NO_TRAFFIC] = "no_traffic",
                                                 [MPG_CAUSE_NODE_FAIL] = "node_fail",
                                                 [MPG_CAUSE_NO_DATA] = "no_checkpoint_data"};
  uint32_t id;
  if (mpg_intern_id(&fleet->texts, MPG_STR("serving"), &fleet->phase_serving) != MPG_OK)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < MPG_CAUSES; i++)
    if (mpg_intern_id(&fleet->texts, mpg_str_of(causes[i]), &fleet->cause[i]) != MPG_OK)
      return mpg_fail_nomem(err);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (mpg_intern_id(&fleet->kind_names, mpg_str_of(kinds[i]), &id) != MPG_OK)
      return mpg_fail_nomem(err);
  return MPG_OK;
}

void mpg_fleet_free(mpg_fleet *fleet) {
  const mpg_env *env = fleet->env;
  if (env == NULL)
    return;
  mpg_intern_free(&fleet->texts);
  mpg_intern_free(&fleet->job_names);
  mpg_intern_free(&fleet->pool_names);
  mpg_intern_free(&fleet->program_names);
  mpg_intern_free(&fleet->kind_names);
  mpg_span_arena_free(&fleet->arena);
  mpg_free(env, fleet->jobs);
  mpg_free(env, fleet->programs);
  mpg_free(env, fleet->program_recorded);
  mpg_free(env, fleet->capacity);
  mpg_free(env, fleet->outages);
  mpg_free(env, fleet->allocations);
  mpg_free(env, fleet->commits);
  mpg_free(env, fleet->kind_causes);
  for (size_t i = 0; i < fleet->nspan_names; i++)
    mpg_free(env, fleet->span_names[i]);
  mpg_free(env, fleet->span_names);
  if (fleet->log != NULL)
    mpg_free(env, fleet->log->notes);
  mpg_free(env, fleet->log);
  memset(fleet, 0, sizeof *fleet);
}

mpg_rc mpg_fleet_from(mpg_fleet *fleet, const char *source, mpg_err *err) {
  fleet->source = source;
  if (mpg_intern_id(&fleet->texts, mpg_str_of(source), &fleet->source_id) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

/* ---- fields ---- */

/* One record on its way in: where it stands, and what went wrong. */
typedef struct row {
  mpg_fleet *fleet;
  mpg_relation relation;
  const mpg_value *values;
  int *column;
  mpg_err *err;
} row;

static const char *describe(const mpg_value *v, char out[FOUND_TEXT]) {
  switch (v->type) {
  case MPG_NULL:
    return "nothing";
  case MPG_INT:
    (void)snprintf(out, FOUND_TEXT, "%lld", (long long)v->i);
    return out;
  case MPG_REAL:
    (void)snprintf(out, FOUND_TEXT, "%.17g", v->r);
    return out;
  default:
    (void)snprintf(out, FOUND_TEXT, "\"%.*s\"%s", v->s.n > 40 ? 40 : (int)v->s.n,
                   v->s.n ? v->s.p : "", v->s.n > 40 ? "..." : "");
    return out;
  }
}

static mpg_rc expected(const row *r, int column, const char *what) {
  char found[FOUND_TEXT];
  *r->column = column;
  return mpg_fail(
      r->err, MPG_DATA, "%s.%s: expected %s, found %s", mpg_relation_get(r->relation)->name,
      mpg_relation_get(r->relation)->columns[column], what, describe(&r->values[column], found));
}

static bool given(const row *r, int column) {
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
      return expected(r, column, "an integer");
    goto real;
  case MPG_REAL:
    d = v->r;
  real: /* some logs write 5 as 5.0 */
    if (!(fabs(d) <= 9007199254740992.0) || d != floor(d))
      return expected(r, column, "an integer");
    *out = (int64_t)d;
    break;
  }
  return *out == MPG_NONE ? expected(r, column, "an integer") : MPG_OK;
}

/* A number of at least 0; NAN where it is not given. */
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
      return expected(r, column, "a number");
    break;
  }
  return *out >= 0 && isfinite(*out) ? MPG_OK : expected(r, column, "a number of at least 0");
}

/* A number of chips, in millionths; MPG_NONE where it is not given. */
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
  }
  if (!ok || *out < 0 || *out > CHIPS_MAX * MPG_CHIP)
    return expected(r, column, "a number of chips from 0 to 1e9");
  return MPG_OK;
}

/* A time; `absent` where it is not given. */
static mpg_rc get_time(const row *r, int column, int64_t absent, int64_t *out) {
  mpg_err why;
  *out = absent;
  if (!given(r, column))
    return MPG_OK;
  if (mpg_time_value(&r->values[column], out, &why) != MPG_OK) {
    *r->column = column;
    return mpg_fail(r->err, MPG_DATA, "%s.%s: %s", mpg_relation_get(r->relation)->name,
                    mpg_relation_get(r->relation)->columns[column], why.text);
  }
  if (*out > r->fleet->last)
    r->fleet->last = *out;
  return MPG_OK;
}

/* Start and end; the end may be open, and is never before the start. */
static mpg_rc get_interval(const row *r, int start_column, int end_column, int64_t *start,
                           int64_t *end) {
  mpg_rc rc = get_time(r, start_column, 0, start);
  if (rc == MPG_OK)
    rc = get_time(r, end_column, MPG_OPEN, end);
  if (rc == MPG_OK && *end < *start)
    rc = expected(r, end_column, "an end that is not before the start");
  return rc;
}

/* Numbers become text; 0 where it is not given. The id of the last text is tried first. */
static mpg_rc get_text(const row *r, int column, mpg_intern *intern, uint32_t *id) {
  const mpg_value *v = &r->values[column];
  char number[FOUND_TEXT];
  mpg_str s = v->s;
  *id = 0;
  if (v->type == MPG_NULL)
    return MPG_OK;
  if (v->type != MPG_TEXT)
    s = mpg_str_of(describe(v, number));
  if (mpg_intern_id(intern, s, id) != MPG_OK)
    return mpg_fail_nomem(r->err);
  return MPG_OK;
}

/* ---- things with a name: jobs, pools, programs ---- */

mpg_rc mpg_fleet_job(mpg_fleet *f, mpg_str name, uint32_t *index, mpg_err *err) {
  size_t known = f->job_names.n;
  uint32_t id;
  /* Room first: a name without its job would be a job that was never there. */
  if (mpg_grow(f->env, &f->jobs, &f->jobs_cap, known + 1, sizeof *f->jobs) != MPG_OK ||
      mpg_intern_id(&f->job_names, name, &id) != MPG_OK)
    return mpg_fail_nomem(err);
  *index = id - 1;
  if (*index >= known) {
    mpg_job *job = &f->jobs[*index];
    memset(job, 0, sizeof *job);
    job->chips = job->min_chips = job->tasks = job->submit = MPG_NONE;
  }
  return MPG_OK;
}

static mpg_rc find_job(const row *r, int column, uint32_t *index, mpg_job **job) {
  const mpg_value *v = &r->values[column];
  char number[FOUND_TEXT], uuid[MPG_UUID_TEXT];
  mpg_str s = v->s;
  mpg_rc rc;
  if (v->type != MPG_TEXT)
    s = mpg_str_of(describe(v, number));
  if (s.n >= 36 && mpg_uuid_canonical(s, uuid))
    s = mpg_str_of(uuid);
  rc = mpg_fleet_job(r->fleet, s, index, r->err);
  if (rc == MPG_OK)
    *job = &r->fleet->jobs[*index];
  return rc;
}

static mpg_rc get_pool(const row *r, int column, uint32_t *index) {
  mpg_rc rc = get_text(r, column, &r->fleet->pool_names, index);
  if (rc == MPG_OK)
    --*index;
  return rc;
}

mpg_rc mpg_fleet_program(mpg_fleet *f, mpg_str name, uint32_t *id, mpg_err *err) {
  size_t known = f->program_names.n;
  if (mpg_grow(f->env, &f->programs, &f->programs_cap, known + 1, sizeof *f->programs) != MPG_OK ||
      mpg_grow(f->env, &f->program_recorded, &f->program_recorded_cap, known + 1,
               sizeof *f->program_recorded) != MPG_OK ||
      mpg_intern_id(&f->program_names, name, id) != MPG_OK)
    return mpg_fail_nomem(err);
  if (*id > known) {
    f->programs[known] = (mpg_program){(double)NAN, (double)NAN, 0};
    f->program_recorded[known] = false;
  }
  return MPG_OK;
}

/* A program's id; 0: not given. */
static mpg_rc get_program(const row *r, int column, uint32_t *id) {
  const mpg_value *v = &r->values[column];
  char number[FOUND_TEXT];
  *id = 0;
  if (v->type == MPG_NULL)
    return MPG_OK;
  return mpg_fleet_program(r->fleet, v->type == MPG_TEXT ? v->s : mpg_str_of(describe(v, number)),
                           id, r->err);
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
  if (o.kind == 0 && mpg_intern_id(&f->texts, MPG_STR("down"), &o.kind) != MPG_OK)
    return mpg_fail_nomem(r->err);
  if (mpg_grow(f->env, &f->outages, &f->outages_cap, f->noutages + 1, sizeof o) != MPG_OK)
    return mpg_fail_nomem(r->err);
  f->outages[f->noutages++] = o;
  return MPG_OK;
}

/* Two records of the same thing: a value wins over none, and of two the greater; true on conflict.
 */
static bool merge_int(int64_t *into, int64_t v) {
  bool conflict = *into != MPG_NONE && v != MPG_NONE && *into != v;
  if (v > *into) /* MPG_NONE is the least */
    *into = v;
  return conflict;
}

static bool merge_text(const mpg_intern *texts, uint32_t *into, uint32_t v) {
  bool conflict = *into != 0 && v != 0 && *into != v;
  if (mpg_intern_cmp(texts, v, *into) > 0)
    *into = v;
  return conflict;
}

static bool merge_real(double *into, double v) {
  bool conflict = !isnan(*into) && !isnan(v) && *into != v;
  if (isnan(*into) || v > *into)
    *into = v;
  return conflict;
}

static mpg_rc conflict_issue(const mpg_fleet *f, const char *kind, const mpg_intern *names,
                             uint32_t id, int64_t line, mpg_err *err) {
  mpg_str name = mpg_intern_text(names, id);
  if (mpg_issues_add(f->issues, MPG_WARNING, f->source, kind, line, 1,
                     "%.*s has records that differ; of two values the greater counts", (int)name.n,
                     name.p) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

mpg_rc mpg_fleet_describe_job(mpg_fleet *f, uint32_t index, const mpg_job *described, int64_t line,
                              mpg_err *err) {
  mpg_job *job = &f->jobs[index];
  bool conflict;
  job->recorded = true;
  conflict = merge_int(&job->chips, described->chips);
  conflict |= merge_int(&job->min_chips, described->min_chips);
  conflict |= merge_int(&job->tasks, described->tasks);
  conflict |= merge_int(&job->submit, described->submit);
  for (int i = 0; i < MPG_JOB_DIMS; i++)
    conflict |= merge_text(&f->texts, &job->dim[i], described->dim[i]);
  return conflict ? conflict_issue(f, "conflicting_job", &f->job_names, index + 1, line, err)
                  : MPG_OK;
}

mpg_rc mpg_fleet_describe_program(mpg_fleet *f, uint32_t id, const mpg_program *costs, int64_t line,
                                  mpg_err *err) {
  mpg_program *program = &f->programs[id - 1];
  bool conflict;
  f->program_recorded[id - 1] = true;
  conflict = merge_real(&program->flops, costs->flops);
  conflict |= merge_real(&program->bytes, costs->bytes);
  conflict |= merge_text(&f->texts, &program->dtype, costs->dtype);
  return conflict ? conflict_issue(f, "conflicting_program", &f->program_names, id, line, err)
                  : MPG_OK;
}

/* A part leaves it to the whole what a record of a job or a program comes to. */
static mpg_rc note(const row *r, const mpg_fleet_note *fresh) {
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
  mpg_job *d = &fresh.described, *job;
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
  if ((rc = find_job(r, JOBS_JOB, &index, &job)) != MPG_OK)
    return rc;
  fresh.job = index + 1;
  return f->log != NULL ? note(r, &fresh) : mpg_fleet_describe_job(f, index, d, f->line, r->err);
}

static mpg_rc get_outcome(const row *r, int column, mpg_outcome *out) {
  static const struct {
    const char *name;
    mpg_outcome outcome;
  } names[] = {{"completed", MPG_COMPLETED}, {"failed", MPG_FAILED},
               {"cancelled", MPG_CANCELLED}, {"preempted", MPG_PREEMPTED},
               {"timeout", MPG_TIMEOUT},     {"node_fail", MPG_NODE_FAIL}};
  *out = MPG_RUNNING;
  if (!given(r, column))
    return MPG_OK;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (r->values[column].type == MPG_TEXT &&
        mpg_str_eq(r->values[column].s, mpg_str_of(names[i].name))) {
      *out = names[i].outcome;
      return MPG_OK;
    }
  return expected(r, column,
                  "completed, failed, cancelled, preempted, timeout, node_fail or nothing");
}

static mpg_rc add_allocation(const row *r) {
  mpg_fleet *f = r->fleet;
  mpg_allocation a = {0};
  mpg_job *job;
  mpg_rc rc;
  if ((rc = get_interval(r, ALLOCATIONS_START, ALLOCATIONS_END, &a.start, &a.end)) != MPG_OK ||
      (rc = get_chips(r, ALLOCATIONS_CHIPS, &a.chips)) != MPG_OK ||
      (rc = get_int(r, ALLOCATIONS_ATTEMPT, &a.attempt)) != MPG_OK ||
      (rc = get_outcome(r, ALLOCATIONS_OUTCOME, &a.outcome)) != MPG_OK ||
      (rc = get_text(r, ALLOCATIONS_TASK, &f->texts, &a.task)) != MPG_OK ||
      (rc = get_pool(r, ALLOCATIONS_POOL, &a.pool)) != MPG_OK ||
      (rc = find_job(r, ALLOCATIONS_JOB, &a.job, &job)) != MPG_OK)
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
  mpg_job *job;
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
      (rc = find_job(r, SPANS_JOB, &index, &job)) != MPG_OK)
    return rc;
  if (f->keep_origins) {
    s.file = f->source_id;
    s.line = f->line;
  }
  if (mpg_span_list_add(&job->spans, &f->arena, &s) != MPG_OK)
    return mpg_fail_nomem(r->err);
  f->nspans++;
  return MPG_OK;
}

/* ---- spans of the usual form ---- */

static bool quick_int(mpg_str s, int64_t *out) {
  int64_t v = 0;
  *out = MPG_NONE;
  if (s.n > 18)
    return false;
  for (size_t i = 0; i < s.n; i++) {
    if (s.p[i] < '0' || s.p[i] > '9')
      return false;
    v = v * 10 + (s.p[i] - '0');
  }
  if (s.n > 0)
    *out = v;
  return true;
}

bool mpg_fleet_amount(mpg_str s, double *out) {
  int64_t v;
  *out = (double)NAN;
  if (s.n == 0)
    return true;
  if (s.n <= 15 && quick_int(s, &v)) {
    *out = (double)v;
    return true;
  }
  return mpg_real_parse(s, out) && *out >= 0 && isfinite(*out);
}

bool mpg_fleet_time(mpg_str s, int64_t *out) {
  bool known = s.n > 4 && s.p[4] == '-'
                   ? mpg_iso_parse(s, out)
                   : (s.n == 17 && mpg_clock_parse(s.p, out)) || mpg_scaled_parse(s, 6, out);
  return known && *out >= 0 && *out < MPG_TIME_MAX;
}

static mpg_rc quick_text(mpg_intern *intern, mpg_str s, uint32_t *id) {
  *id = 0;
  return s.n == 0 ? MPG_OK : mpg_intern_id(intern, s, id);
}

/* By name; that of the record before is tried first. */
static mpg_rc quick_job(mpg_fleet *f, mpg_str name, uint32_t *index) {
  mpg_err err;
  mpg_rc rc = MPG_OK;
  if (f->last_job == 0 || !mpg_intern_is(&f->job_names, f->last_job, name)) {
    rc = mpg_fleet_job(f, name, index, &err);
    f->last_job = rc == MPG_OK ? *index + 1 : 0;
  }
  *index = f->last_job - 1;
  return rc;
}

static mpg_rc quick_program(mpg_fleet *f, mpg_str name, uint32_t *id) {
  mpg_err err;
  mpg_rc rc = MPG_OK;
  *id = 0;
  if (name.n == 0)
    return MPG_OK;
  if (f->last_program == 0 || !mpg_intern_is(&f->program_names, f->last_program, name)) {
    rc = mpg_fleet_program(f, name, id, &err);
    f->last_program = rc == MPG_OK ? *id : 0;
  }
  *id = f->last_program;
  return rc;
}

mpg_rc mpg_fleet_put_span(mpg_fleet *f, uint32_t job, mpg_span *s, int64_t line) {
  if (f->keep_origins) {
    s->file = f->source_id;
    s->line = line;
  }
  if (mpg_span_list_add(&f->jobs[job].spans, &f->arena, s) != MPG_OK)
    return MPG_NOMEM;
  if (s->start > f->last)
    f->last = s->start;
  if (s->end > f->last && s->end != MPG_OPEN)
    f->last = s->end;
  f->nspans++;
  f->records[MPG_REL_SPANS]++;
  return MPG_OK;
}

mpg_rc mpg_fleet_put_commit(mpg_fleet *f, const mpg_commit *c) {
  if (mpg_grow(f->env, &f->commits, &f->commits_cap, f->ncommits + 1, sizeof *c) != MPG_OK)
    return MPG_NOMEM;
  f->commits[f->ncommits++] = *c;
  f->last = c->snapshot > f->last ? c->snapshot : f->last;
  f->last = c->durable > f->last ? c->durable : f->last;
  f->records[MPG_REL_COMMITS]++;
  return MPG_OK;
}

mpg_rc mpg_fleet_add_span(mpg_fleet *f, const mpg_str *v, int64_t line, bool *usual) {
  mpg_span s = {.line = 0, .end = MPG_OPEN};
  uint32_t job;
  *usual = v[SPANS_JOB].n - 1 < 35 && /* longer may be a UUID */
           v[SPANS_KIND].n > 0 && mpg_fleet_time(v[SPANS_START], &s.start) &&
           (v[SPANS_END].n == 0 || mpg_fleet_time(v[SPANS_END], &s.end)) && s.end >= s.start &&
           quick_int(v[SPANS_ATTEMPT], &s.attempt) && quick_int(v[SPANS_STEP], &s.step) &&
           mpg_fleet_amount(v[SPANS_FLOPS], &s.flops) &&
           mpg_fleet_amount(v[SPANS_BYTES], &s.bytes) &&
           mpg_fleet_amount(v[SPANS_EXECUTIONS], &s.executions);
  if (!*usual)
    return MPG_OK;
  if (quick_text(&f->texts, v[SPANS_DTYPE], &s.dtype) != MPG_OK ||
      quick_text(&f->kind_names, v[SPANS_KIND], &s.kind) != MPG_OK ||
      quick_program(f, v[SPANS_PROGRAM], &s.program) != MPG_OK ||
      quick_job(f, v[SPANS_JOB], &job) != MPG_OK)
    return MPG_NOMEM;
  return mpg_fleet_put_span(f, job, &s, line);
}

static bool quick_moment(mpg_str s, int64_t *out) {
  *out = MPG_NONE;
  return s.n == 0 || mpg_fleet_time(s, out);
}

mpg_rc mpg_fleet_add_commit(mpg_fleet *f, const mpg_str *v, bool *usual) {
  mpg_commit c;
  *usual = v[COMMITS_JOB].n - 1 < 35 && quick_int(v[COMMITS_STEP], &c.step) &&
           quick_moment(v[COMMITS_SNAPSHOT], &c.snapshot) &&
           quick_moment(v[COMMITS_DURABLE], &c.durable);
  if (!*usual)
    return MPG_OK;
  return quick_job(f, v[COMMITS_JOB], &c.job) == MPG_OK ? mpg_fleet_put_commit(f, &c) : MPG_NOMEM;
}

static mpg_rc add_commit(const row *r) {
  mpg_fleet *f = r->fleet;
  mpg_commit c;
  mpg_job *job;
  mpg_rc rc;
  if ((rc = get_int(r, COMMITS_STEP, &c.step)) != MPG_OK ||
      (rc = get_time(r, COMMITS_SNAPSHOT, MPG_NONE, &c.snapshot)) != MPG_OK ||
      (rc = get_time(r, COMMITS_DURABLE, MPG_NONE, &c.durable)) != MPG_OK ||
      (rc = find_job(r, COMMITS_JOB, &c.job, &job)) != MPG_OK)
    return rc;
  if (mpg_grow(f->env, &f->commits, &f->commits_cap, f->ncommits + 1, sizeof c) != MPG_OK)
    return mpg_fail_nomem(r->err);
  f->commits[f->ncommits++] = c;
  return MPG_OK;
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
  return f->log != NULL ? note(r, &fresh)
                        : mpg_fleet_describe_program(f, fresh.program, costs, f->line, r->err);
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
    return mpg_fail(r->err, MPG_MISUSE, "chips: a record for the whole fleet");
  }
  for (int i = 0; i < 4; i++) {
    const mpg_value *v = &r->values[columns[i]];
    if (v->type == MPG_NULL)
      text[i][0] = '\0';
    else if (v->type != MPG_TEXT || v->s.n >= sizeof text[i])
      return expected(r, columns[i], "a text of less than 256 bytes");
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
    return expected(r, CHIPS_PEAK, "a number above 0");
  chip.chip = text[0];
  chip.dtype = text[1];
  chip.vendor = given(r, CHIPS_VENDOR) ? text[2] : NULL;
  chip.source = given(r, CHIPS_SOURCE) ? text[3] : NULL;
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
  static mpg_rc (*const add[MPG_RELATIONS])(const row *) = {add_capacity,   add_outage, add_job,
                                                            add_allocation, add_span,   add_commit,
                                                            add_program,    add_chip};
  const mpg_relation_info *info = mpg_relation_get(relation);
  row r = {fleet, relation, values, column, err};
  int64_t last = fleet->last;
  mpg_rc rc;
  fleet->line = line;
  *column = 0;
  for (size_t i = 0; i < info->ncolumns; i++)
    if ((info->required >> i & 1) && values[i].type == MPG_NULL)
      return expected(&r, (int)i, "a value");
  rc = add[relation](&r);
  if (rc == MPG_OK)
    fleet->records[relation]++;
  else
    fleet->last = last;
  return rc;
}

/* ---- the seal ---- */

/* By job, then in an order that does not depend on the order of arrival. */
static int cmp64(int64_t a, int64_t b) {
  return (a > b) - (a < b);
}

static int allocation_order(const void *pa, const void *pb, void *ctx) {
  const mpg_allocation *a = pa, *b = pb;
  const mpg_fleet *f = ctx;
  int c = cmp64(a->job, b->job);
  c = c ? c : cmp64(a->start, b->start);
  c = c ? c : cmp64(a->end, b->end);
  c = c ? c : cmp64(a->attempt, b->attempt);
  c = c ? c : mpg_intern_cmp(&f->pool_names, a->pool + 1, b->pool + 1);
  c = c ? c : mpg_intern_cmp(&f->texts, a->task, b->task);
  c = c ? c : cmp64(a->chips, b->chips);
  return c ? c : cmp64((int64_t)a->outcome, (int64_t)b->outcome);
}

static int commit_order(const void *pa, const void *pb, void *ctx) {
  const mpg_commit *a = pa, *b = pb;
  int c = cmp64(a->job, b->job);
  (void)ctx;
  c = c ? c : cmp64(a->step, b->step);
  c = c ? c : cmp64(a->snapshot, b->snapshot);
  return c ? c : cmp64(a->durable, b->durable);
}

/* Chips are known by the catalogue's names, now that it is complete. */
static mpg_rc name_chips(mpg_fleet *f) {
  for (size_t i = 0; i < f->ncapacity; i++) {
    uint32_t *chip = &f->capacity[i].chip;
    const char *canonical =
        *chip == 0 ? NULL : mpg_chips_find(f->chips, mpg_intern_text(&f->texts, *chip));
    if (canonical != NULL && mpg_intern_id(&f->texts, mpg_str_of(canonical), chip) != MPG_OK)
      return MPG_NOMEM;
  }
  return MPG_OK;
}

static uint32_t job_of(const char *item) {
  uint32_t job; /* the first member of both */
  memcpy(&job, item, sizeof job);
  return job;
}

/* Puts an array of allocations or commits in order: by job, which takes no comparing, then those of a
** job among themselves, which often have the order already. */
static mpg_rc sort(mpg_fleet *f, void *array, size_t *cap, size_t n, size_t size,
                   mpg_order *compare) {
  size_t njobs = mpg_fleet_njobs(f);
  char *from, *to;
  size_t *at;
  mpg_rc rc = MPG_OK;
  memcpy(&from, array, sizeof from);
  if (n < 2)
    return MPG_OK;
  at = mpg_calloc(f->env, (njobs + 1) * sizeof *at);
  to = mpg_malloc(f->env, n * size);
  if (at == NULL || to == NULL) {
    mpg_free(f->env, at);
    mpg_free(f->env, to);
    return MPG_NOMEM;
  }
  for (size_t i = 0; i < n; i++)
    at[job_of(from + i * size) + 1]++;
  for (size_t j = 0; j < njobs; j++)
    at[j + 1] += at[j];
  for (size_t i = 0; rc == MPG_OK && i < n; i++) {
    memcpy(to + at[job_of(from + i * size)]++ * size, from + i * size, size);
    rc = mpg_poll(f->env, i) ? MPG_INTERRUPTED : MPG_OK;
  }
  /* at[j] is now where the next begins */
  for (size_t j = 0, first = 0; rc == MPG_OK && j < njobs; first = at[j++])
    for (size_t i = first + 1; rc == MPG_OK && i < at[j]; i++)
      if (compare(to + (i - 1) * size, to + i * size, f) > 0) {
        rc = mpg_sort(f->env, to + first * size, at[j] - first, size, compare, f);
        break;
      } else if (mpg_poll(f->env, i)) {
        rc = MPG_INTERRUPTED;
      }
  mpg_free(f->env, at);
  if (rc != MPG_OK) {
    mpg_free(f->env, to);
    return rc;
  }
  mpg_free(f->env, from);
  memcpy(array, &to, sizeof to);
  *cap = n;
  return MPG_OK;
}

mpg_rc mpg_fleet_seal(mpg_fleet *fleet, mpg_err *err) {
  mpg_rc rc;
  fleet->kind_causes = mpg_calloc(fleet->env, (fleet->kind_names.n + 1) * sizeof(uint32_t));
  if (fleet->kind_causes == NULL || name_chips(fleet) != MPG_OK)
    return mpg_fail_nomem(err);
  for (uint32_t k = 1; k <= fleet->kind_names.n; k++)
    if (mpg_intern_id(&fleet->texts, mpg_intern_text(&fleet->kind_names, k),
                      &fleet->kind_causes[k]) != MPG_OK)
      return mpg_fail_nomem(err);
  rc = sort(fleet, &fleet->allocations, &fleet->allocations_cap, fleet->nallocations,
            sizeof *fleet->allocations, allocation_order);
  if (rc == MPG_OK)
    rc = sort(fleet, &fleet->commits, &fleet->commits_cap, fleet->ncommits, sizeof *fleet->commits,
              commit_order);
  if (rc == MPG_INTERRUPTED)
    return mpg_fail(err, rc, "interrupted");
  if (rc != MPG_OK)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < fleet->nallocations; i++) {
    mpg_job *job = &fleet->jobs[fleet->allocations[i].job];
    if (job->nallocations++ == 0)
      job->allocation = i;
  }
  for (size_t i = 0; i < fleet->ncommits; i++) {
    mpg_job *job = &fleet->jobs[fleet->commits[i].job];
    if (job->ncommits++ == 0)
      job->commit = i;
  }
  return MPG_OK;
}
