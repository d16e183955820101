/* fleet_add_fast.c - spans and commits of the usual form, without the checks that others need:
** see mpg_fleet_add_span. */
#include "fleet_part.h"
#include "../../base/number.h"
#include "../../base/time.h"

#include <math.h>

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
  if (mpg_fleet_add_packed(f, job, s, NULL) != MPG_OK)
    return MPG_NOMEM;
  mpg_fleet_saw(f, s->end != MPG_OPEN ? s->end : s->start, true);
  f->nspans++;
  f->records[MPG_REL_SPANS]++;
  return MPG_OK;
}

mpg_rc mpg_fleet_put_commit(mpg_fleet *f, const mpg_commit *c) {
  if (mpg_fleet_add_packed(f, c->job, NULL, c) != MPG_OK)
    return MPG_NOMEM;
  mpg_fleet_saw(f, c->snapshot > c->durable ? c->snapshot : c->durable, true);
  f->records[MPG_REL_COMMITS]++;
  return MPG_OK;
}

mpg_rc mpg_fleet_read_span(mpg_fleet *f, const mpg_str *v, mpg_span *s, uint32_t *job, bool *fast) {
  mpg_rc rc;
  *s = (mpg_span){.line = 0, .end = MPG_OPEN};
  *fast = v[SPANS_JOB].n - 1 < 35 && /* longer may be a UUID */
          v[SPANS_KIND].n > 0 && mpg_fleet_time(v[SPANS_START], &s->start) &&
          (v[SPANS_END].n == 0 || mpg_fleet_time(v[SPANS_END], &s->end)) && s->end >= s->start &&
          quick_int(v[SPANS_ATTEMPT], &s->attempt) && quick_int(v[SPANS_STEP], &s->step) &&
          mpg_fleet_amount(v[SPANS_FLOPS], &s->flops) &&
          mpg_fleet_amount(v[SPANS_BYTES], &s->bytes) &&
          mpg_fleet_amount(v[SPANS_EXECUTIONS], &s->executions);
  if (!*fast)
    return MPG_OK;
  if ((rc = quick_text(&f->texts, v[SPANS_DTYPE], &s->dtype)) != MPG_OK ||
      (rc = quick_text(&f->kind_names, v[SPANS_KIND], &s->kind)) != MPG_OK ||
      (rc = quick_program(f, v[SPANS_PROGRAM], &s->program)) != MPG_OK)
    return rc;
  return quick_job(f, v[SPANS_JOB], job);
}

mpg_rc mpg_fleet_add_span(mpg_fleet *f, const mpg_str *v, int64_t line, bool *fast) {
  mpg_span s;
  uint32_t job;
  mpg_rc rc = mpg_fleet_read_span(f, v, &s, &job, fast);
  return rc == MPG_OK && *fast ? mpg_fleet_put_span(f, job, &s, line) : rc;
}

static bool quick_moment(mpg_str s, int64_t *out) {
  *out = MPG_NONE;
  return s.n == 0 || mpg_fleet_time(s, out);
}

mpg_rc mpg_fleet_add_commit(mpg_fleet *f, const mpg_str *v, bool *fast) {
  mpg_commit c;
  mpg_rc rc;
  *fast = v[COMMITS_JOB].n - 1 < 35 && quick_int(v[COMMITS_STEP], &c.step) &&
          quick_moment(v[COMMITS_SNAPSHOT], &c.snapshot) &&
          quick_moment(v[COMMITS_DURABLE], &c.durable);
  if (!*fast)
    return MPG_OK;
  rc = quick_job(f, v[COMMITS_JOB], &c.job);
  return rc == MPG_OK ? mpg_fleet_put_commit(f, &c) : rc;
}
