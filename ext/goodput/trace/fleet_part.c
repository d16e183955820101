/* fleet_part.c - see fleet_part.h. A part gives ids in the order of first use, as the whole does.
** So adding its names to the whole in that order gives them the ids that reading without parts
** would give. */
#include "fleet_part.h"
#include "../../base/debug_assert.h"

#include <math.h>
#include <string.h>

/* Where lists are shorter than this on average, their spans are packed anew: a chunk of its own for
** each would be mostly empty. */
#define SPANS_WORTH_A_CHUNK 3

mpg_rc mpg_fleet_part_init(mpg_fleet *part, const mpg_env *env, mpg_issues *issues, mpg_err *err) {
  mpg_rc rc = mpg_fleet_init(part, env, issues, NULL, err);
  if (rc != MPG_OK)
    return rc;
  part->log = mpg_calloc(env, sizeof *part->log);
  return part->log == NULL ? mpg_fail_nomem(err) : MPG_OK;
}

mpg_rc mpg_fleet_part_reset(mpg_fleet *part, mpg_err *err) {
  mpg_intern *interns[] = {&part->texts, &part->job_names, &part->pool_names, &part->program_names,
                           &part->kind_names};
  for (size_t i = 0; i < sizeof interns / sizeof *interns; i++)
    mpg_intern_reset(interns[i]);
  part->ncapacity = part->noutages = part->nallocations = part->ncommits = part->nobserved = 0;
  part->nspans = 0;
  part->last = part->last_of_jobs = 0;
  part->last_job = part->last_program = 0;
  memset(part->records, 0, sizeof part->records);
  part->log->n = 0;
  part->log->refused = false;
  mpg_issues_free(part->issues);
  part->mark = mpg_span_arena_mark(&part->arena);
  return mpg_fleet_begin(part, err);
}

/* ---- names ---- */

/* What every number of the part is in the whole; all in one piece of memory. */
typedef struct maps {
  uint32_t *kinds, *programs, *texts, *pools; /* by id */
  uint32_t *jobs;                             /* by index */
  mpg_span_names *names;                      /* the first three, for spans */
} maps;

static mpg_rc map_texts(mpg_intern *into, const mpg_intern *from, uint32_t *map) {
  mpg_rc rc = MPG_OK;
  map[0] = 0;
  for (uint32_t id = 1; rc == MPG_OK && id <= from->n; id++)
    rc = mpg_intern_id(into, mpg_intern_text(from, id), &map[id]);
  return rc;
}

static mpg_rc map_names(mpg_fleet *into, const mpg_fleet *part, maps *m, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  if ((rc = map_texts(&into->kind_names, &part->kind_names, m->kinds)) != MPG_OK ||
      (rc = map_texts(&into->texts, &part->texts, m->texts)) != MPG_OK ||
      (rc = map_texts(&into->pool_names, &part->pool_names, m->pools)) != MPG_OK)
    return mpg_fail_plain(err, rc);
  m->programs[0] = 0;
  for (uint32_t id = 1; rc == MPG_OK && id <= part->program_names.n; id++)
    rc = mpg_fleet_program(into, mpg_intern_text(&part->program_names, id), &m->programs[id], err);
  for (uint32_t id = 1; rc == MPG_OK && id <= part->job_names.n; id++)
    rc = mpg_fleet_job(into, mpg_intern_text(&part->job_names, id), &m->jobs[id - 1], err);
  return rc;
}

/* The maps of a part that has spans stay with the fleet: packed spans hold the part's numbers. */
static mpg_rc new_maps(mpg_fleet *into, const mpg_fleet *part, maps *m) {
  size_t kinds = part->kind_names.n + 1, programs = part->program_names.n + 1,
         texts = part->texts.n + 1, pools = part->pool_names.n + 1, jobs = part->job_names.n;
  uint32_t *p;
  m->names = mpg_malloc(into->env, sizeof *m->names + (kinds + programs + texts) * sizeof *p);
  m->pools = mpg_malloc(into->env, (pools + jobs) * sizeof *p);
  if (m->names == NULL || m->pools == NULL ||
      mpg_grow(into->env, &into->span_names, &into->span_names_cap, into->nspan_names + 1,
               sizeof *into->span_names) != MPG_OK)
    return MPG_NOMEM;
  p = (uint32_t *)(m->names + 1);
  m->kinds = p;
  m->programs = p + kinds;
  m->texts = p + kinds + programs;
  m->jobs = m->pools + pools;
  *m->names = (mpg_span_names){m->kinds, m->programs, m->texts};
  return MPG_OK;
}

/* ---- records ---- */

static mpg_rc merge_spans(mpg_fleet *into, mpg_fleet *part, maps *m) {
  size_t n = part->job_names.n;
  mpg_span *spans = NULL;
  size_t cap = 0;
  mpg_rc rc = MPG_OK;
  if (part->nspans >= SPANS_WORTH_A_CHUNK * n) {
    for (size_t j = 0; j < n; j++)
      mpg_span_list_join(&into->jobs[m->jobs[j]].spans, &part->jobs[j].spans, m->names);
    into->span_names[into->nspan_names++] = m->names;
    m->names = NULL;
    return MPG_OK;
  }
  for (size_t j = 0; rc == MPG_OK && j < n; j++) {
    mpg_span_list *list = &part->jobs[j].spans;
    if (list->n == 0)
      continue;
    rc = mpg_grow(into->env, &spans, &cap, list->n, sizeof *spans);
    if (rc != MPG_OK || spans == NULL)
      break;
    (void)mpg_span_list_read(list, spans, &mpg_env_libc); /* of a part: they are few */
    for (size_t i = 0; rc == MPG_OK && i < list->n; i++) {
      mpg_span *s = &spans[i];
      s->kind = m->kinds[s->kind];
      s->program = m->programs[s->program];
      s->dtype = m->texts[s->dtype];
      s->file = m->texts[s->file];
      rc = mpg_span_list_add(&into->jobs[m->jobs[j]].spans, &into->arena, s);
    }
  }
  mpg_free(into->env, spans);
  mpg_span_arena_rewind(&part->arena, part->mark);
  return rc;
}

static mpg_rc merge_others(mpg_fleet *f, const mpg_fleet *part, const maps *m) {
  if (mpg_grow(f->env, &f->capacity, &f->capacity_cap, f->ncapacity + part->ncapacity,
               sizeof *f->capacity) != MPG_OK ||
      mpg_grow(f->env, &f->outages, &f->outages_cap, f->noutages + part->noutages,
               sizeof *f->outages) != MPG_OK ||
      mpg_grow(f->env, &f->allocations, &f->allocations_cap, f->nallocations + part->nallocations,
               sizeof *f->allocations) != MPG_OK ||
      mpg_grow(f->env, &f->commits, &f->commits_cap, f->ncommits + part->ncommits,
               sizeof *f->commits) != MPG_OK ||
      mpg_grow(f->env, &f->observed, &f->observed_cap, f->nobserved + part->nobserved,
               sizeof *f->observed) != MPG_OK)
    return MPG_NOMEM;
  for (size_t i = 0; i < part->ncapacity; i++) {
    mpg_capacity c = part->capacity[i];
    c.pool = m->pools[c.pool + 1] - 1;
    c.chip = m->texts[c.chip];
    f->capacity[f->ncapacity++] = c;
  }
  for (size_t i = 0; i < part->noutages; i++) {
    mpg_outage o = part->outages[i];
    o.pool = m->pools[o.pool + 1] - 1;
    o.kind = m->texts[o.kind];
    f->outages[f->noutages++] = o;
  }
  for (size_t i = 0; i < part->nallocations; i++) {
    mpg_allocation a = part->allocations[i];
    a.job = m->jobs[a.job];
    a.pool = m->pools[a.pool + 1] - 1;
    a.task = m->texts[a.task];
    a.file = m->texts[a.file];
    f->allocations[f->nallocations++] = a;
  }
  for (size_t i = 0; i < part->ncommits; i++) {
    mpg_commit c = part->commits[i];
    c.job = m->jobs[c.job];
    f->commits[f->ncommits++] = c;
  }
  for (size_t i = 0; i < part->nobserved; i++)
    f->observed[f->nobserved++] =
        (mpg_observed){m->pools[part->observed[i].pool], part->observed[i].until};
  return MPG_OK;
}

static mpg_rc merge_note(mpg_fleet *into, const maps *m, mpg_fleet_note *note, mpg_err *err) {
  if (note->program != 0) {
    note->costs.dtype = m->texts[note->costs.dtype];
    return mpg_fleet_describe_program(into, m->programs[note->program], &note->costs, note->line,
                                      err);
  }
  for (int d = 0; d < MPG_JOB_DIMS; d++)
    note->described.dim[d] = m->texts[note->described.dim[d]];
  return mpg_fleet_describe_job(into, m->jobs[note->job - 1], &note->described, note->line, err);
}

/* Notes and issues in the order in which they came up. */
static mpg_rc merge_notes(mpg_fleet *into, const mpg_fleet *part, const maps *m, mpg_err *err) {
  size_t issue = 0;
  for (size_t i = 0; i <= part->log->n; i++) {
    bool end = i == part->log->n;
    mpg_rc rc = MPG_OK;
    for (; issue < (end ? part->issues->n : part->log->notes[i].issues); issue++)
      if (mpg_issues_merge(into->issues, &part->issues->items[issue]) != MPG_OK)
        return mpg_fail_nomem(err);
    if (!end)
      rc = merge_note(into, m, &part->log->notes[i], err);
    if (rc != MPG_OK)
      return rc;
  }
  return MPG_OK;
}

mpg_rc mpg_fleet_merge(mpg_fleet *into, mpg_fleet *part, mpg_err *err) {
  maps m = {0};
  mpg_rc rc = MPG_OK;
  MPG_ASSERT(part->kind_causes == NULL); /* a part is never sealed */
  if (new_maps(into, part, &m) != MPG_OK)
    rc = mpg_fail_nomem(err);
  if (rc == MPG_OK)
    rc = map_names(into, part, &m, err);
  if (rc == MPG_OK &&
      (merge_others(into, part, &m) != MPG_OK || merge_spans(into, part, &m) != MPG_OK))
    rc = mpg_fail_nomem(err);
  if (rc == MPG_OK)
    rc = merge_notes(into, part, &m, err);
  mpg_free(into->env, m.pools);
  mpg_free(into->env, m.names);
  if (rc != MPG_OK)
    return rc;
  into->nspans += part->nspans;
  mpg_fleet_saw(into, part->last, false);
  mpg_fleet_saw(into, part->last_of_jobs, true);
  for (int r = 0; r < MPG_RELATIONS; r++)
    into->records[r] += part->records[r];
  return MPG_OK;
}

void mpg_fleet_adopt(mpg_fleet *into, mpg_fleet *part) {
  mpg_span_arena_join(&into->arena, &part->arena);
}

void mpg_fleet_names_only(mpg_fleet *f, const mpg_env *env) {
  mpg_intern *kept[] = {&f->texts, &f->job_names, &f->pool_names};
  mpg_fleet names = {.env = env, .jobs = f->jobs, .jobs_cap = f->jobs_cap};
  for (size_t j = 0; j < mpg_fleet_njobs(f); j++)
    memset(&f->jobs[j].spans, 0, sizeof f->jobs[j].spans);
  names.texts = f->texts;
  names.job_names = f->job_names;
  names.pool_names = f->pool_names;
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    mpg_intern_init(kept[i], f->env);
  f->jobs = NULL;
  mpg_fleet_free(f);
  *f = names;
  f->texts.env = f->job_names.env = f->pool_names.env = env;
  mpg_intern_init(&f->program_names, env);
  mpg_intern_init(&f->kind_names, env);
  mpg_span_arena_init(&f->arena, env);
}

size_t mpg_fleet_bytes(const mpg_fleet *f) {
  return f->jobs_cap * sizeof *f->jobs + mpg_intern_bytes(&f->texts) +
         mpg_intern_bytes(&f->job_names) + mpg_intern_bytes(&f->pool_names) +
         mpg_intern_bytes(&f->program_names) + mpg_intern_bytes(&f->kind_names);
}
