/* fleet_part.c - see fleet_part.h. A part gives ids in the order of first use, as the whole does.
** So adding its names to the whole in that order gives them the ids that reading without parts
** would give. */
#include "fleet_part.h"
#include "../../base/debug_assert.h"

#include <math.h>
#include <string.h>

/* Where lists are shorter than this on average, their records are packed anew: a group of its own
** for each would be mostly its head. */
#define WORTH_A_GROUP 3
/* More names are not kept from one reset to the next: each part would come to have them all. */
#ifdef MPG_TEST
#define NAMES_KEPT ((size_t)32)
#else
#define NAMES_KEPT ((size_t)8192)
#endif

mpg_rc mpg_fleet_part_init(mpg_fleet *part, const mpg_env *env, mpg_issues *issues, mpg_err *err) {
  mpg_rc rc = mpg_fleet_init(part, env, issues, NULL, err);
  if (rc != MPG_OK)
    return rc;
  part->arena.scratch = true;
  part->log = mpg_calloc(env, sizeof *part->log);
  return part->log == NULL ? mpg_fail_nomem(err) : MPG_OK;
}

/* The whole has every name of the part, and there are not too many. */
static bool names_stay(const mpg_fleet *part) {
  const struct mpg_fleet_log *log = part->log;
  return log->kinds.n == part->kind_names.n && log->programs.n == part->program_names.n &&
         log->texts.n == part->texts.n && log->pools.n == part->pool_names.n &&
         log->jobs.n == part->job_names.n &&
         part->kind_names.n + part->program_names.n + part->texts.n + part->pool_names.n +
                 part->job_names.n <=
             NAMES_KEPT;
}

static mpg_rc forget_names(mpg_fleet *part, mpg_err *err) {
  mpg_intern *interns[] = {&part->texts, &part->job_names, &part->pool_names, &part->program_names,
                           &part->kind_names};
  struct mpg_fleet_log *log = part->log;
  for (size_t i = 0; i < sizeof interns / sizeof *interns; i++)
    mpg_intern_reset(interns[i]);
  log->kinds.n = log->programs.n = log->texts.n = log->pools.n = log->jobs.n = 0;
  part->last_job = part->last_program = 0;
  return mpg_fleet_begin(part, err);
}

mpg_rc mpg_fleet_part_reset(mpg_fleet *part, mpg_err *err) {
  struct mpg_fleet_log *log = part->log;
  for (size_t i = 0; i < log->ntouched; i++) {
    mpg_job *job = &part->jobs[log->touched[i]];
    job->spans = job->commits = (mpg_packed){.n = 0};
    job->touched = false;
  }
  log->ntouched = 0;
  mpg_arena_reset(&part->arena);
  mpg_arena_unpin(log->pin); /* it was refused */
  log->pin = NULL;
  log->spans_settled = log->commits_settled = false;
  part->ncapacity = part->noutages = part->nallocations = part->nobserved = 0;
  part->nspans = 0;
  part->last = part->last_of_jobs = 0;
  memset(part->records, 0, sizeof part->records);
  log->n = 0;
  log->refused = false;
  mpg_issues_free(part->issues);
  return names_stay(part) ? MPG_OK : forget_names(part, err);
}

/* ---- packed records ---- */

mpg_rc mpg_fleet_part_settle(mpg_fleet *part, mpg_arena *into, pthread_mutex_t *lock) {
  struct mpg_fleet_log *log = part->log;
  size_t with_spans = 0, with_commits = 0, bytes = 0;
  unsigned char *to;
  for (size_t i = 0; i < log->ntouched; i++) {
    with_spans += part->jobs[log->touched[i]].spans.n > 0;
    with_commits += part->jobs[log->touched[i]].commits.n > 0;
  }
  log->spans_settled = part->nspans >= WORTH_A_GROUP * with_spans;
  log->commits_settled = part->records[MPG_REL_COMMITS] >= WORTH_A_GROUP * with_commits;
  for (size_t i = 0; i < log->ntouched; i++) {
    const mpg_job *job = &part->jobs[log->touched[i]];
    bytes += log->spans_settled ? mpg_packed_settled_bytes(&job->spans) : 0;
    bytes += log->commits_settled ? mpg_packed_settled_bytes(&job->commits) : 0;
  }
  if (bytes == 0)
    return MPG_OK;
  (void)pthread_mutex_lock(lock);
  to = mpg_arena_cut_pinned(into, bytes, &log->pin);
  (void)pthread_mutex_unlock(lock);
  if (to == NULL)
    return MPG_NOMEM;
  for (size_t i = 0; i < log->ntouched; i++) {
    mpg_job *job = &part->jobs[log->touched[i]];
    to = log->spans_settled ? mpg_packed_settle(&job->spans, to) : to;
    to = log->commits_settled ? mpg_packed_settle(&job->commits, to) : to;
  }
  return MPG_OK;
}

/* Adds the spans of a list in the part's own memory, which are few. */
static mpg_rc add_spans(mpg_fleet *into, const mpg_packed *list, uint32_t job,
                        const struct mpg_fleet_log *log) {
  mpg_span *spans = mpg_malloc(into->env, list->n * sizeof *spans);
  mpg_rc rc = spans == NULL ? MPG_NOMEM : MPG_OK;
  if (rc == MPG_OK)
    (void)mpg_spans_read_list(list, spans, sizeof *spans, &mpg_env_libc);
  for (size_t i = 0; rc == MPG_OK && i < list->n; i++) {
    mpg_span *s = &spans[i];
    s->kind = log->kinds.to[s->kind];
    s->program = log->programs.to[s->program];
    s->dtype = log->texts.to[s->dtype];
    s->file = log->texts.to[s->file];
    rc = mpg_fleet_add_packed(into, job, s, NULL);
  }
  mpg_free(into->env, spans);
  return rc;
}

static mpg_rc add_commits(mpg_fleet *into, const mpg_packed *list, uint32_t job) {
  mpg_commit *commits = mpg_malloc(into->env, list->n * sizeof *commits);
  mpg_commits_reader r = {.out = commits, .job = job};
  mpg_rc rc = commits == NULL ? MPG_NOMEM : MPG_OK;
  for (const mpg_packed_chunk *c = list->first; rc == MPG_OK && c != NULL; c = c->next) {
    mpg_packed_bytes piece = mpg_packed_bytes_of(c);
    mpg_commits_read_bytes(&r, &piece);
  }
  for (size_t i = 0; rc == MPG_OK && i < list->n; i++)
    rc = mpg_fleet_add_packed(into, job, NULL, &commits[i]);
  mpg_free(into->env, commits);
  return rc;
}

static mpg_rc merge_packed(mpg_fleet *into, mpg_fleet *part) {
  struct mpg_fleet_log *log = part->log;
  const mpg_packed_names names = {log->kinds.to, log->programs.to, log->texts.to};
  mpg_rc rc = MPG_OK;
  for (size_t i = 0; rc == MPG_OK && i < log->ntouched; i++) {
    mpg_job *from = &part->jobs[log->touched[i]];
    uint32_t job = log->jobs.to[log->touched[i] + 1] - 1;
    if (log->spans_settled)
      mpg_packed_join(&into->jobs[job].spans, &from->spans, &names);
    else if (from->spans.n > 0)
      rc = add_spans(into, &from->spans, job, log);
    if (rc == MPG_OK && log->commits_settled)
      mpg_packed_join(&into->jobs[job].commits, &from->commits, NULL);
    else if (rc == MPG_OK && from->commits.n > 0)
      rc = add_commits(into, &from->commits, job);
  }
  mpg_arena_unpin(log->pin);
  log->pin = NULL;
  return rc;
}

/* ---- names ---- */

/* Room for the ids that are not mapped yet; *next is the first of them. */
static mpg_rc begin_map(const mpg_fleet *part, mpg_fleet_map *map, size_t n) {
  if (mpg_grow(part->env, &map->to, &map->cap, n + 1, sizeof *map->to) != MPG_OK)
    return MPG_NOMEM;
  map->to[0] = 0;
  return MPG_OK;
}

static mpg_rc map_texts(const mpg_fleet *part, mpg_intern *into, const mpg_intern *from,
                        mpg_fleet_map *map) {
  mpg_rc rc = begin_map(part, map, from->n);
  while (rc == MPG_OK && map->n < from->n) {
    rc = mpg_intern_id(into, mpg_intern_text(from, (uint32_t)map->n + 1), &map->to[map->n + 1]);
    map->n += rc == MPG_OK;
  }
  return rc;
}

static mpg_rc map_programs(mpg_fleet *into, const mpg_fleet *part, mpg_fleet_map *map,
                           mpg_err *err) {
  mpg_rc rc = begin_map(part, map, part->program_names.n);
  if (rc != MPG_OK)
    return mpg_fail_nomem(err);
  while (rc == MPG_OK && map->n < part->program_names.n) {
    mpg_str name = mpg_intern_text(&part->program_names, (uint32_t)map->n + 1);
    rc = mpg_fleet_program(into, name, &map->to[map->n + 1], err);
    map->n += rc == MPG_OK;
  }
  return rc;
}

static mpg_rc map_jobs(mpg_fleet *into, const mpg_fleet *part, mpg_fleet_map *map, mpg_err *err) {
  mpg_rc rc = begin_map(part, map, part->job_names.n);
  if (rc != MPG_OK)
    return mpg_fail_nomem(err);
  while (rc == MPG_OK && map->n < part->job_names.n) {
    uint32_t index = 0;
    rc = mpg_fleet_job(into, mpg_intern_text(&part->job_names, (uint32_t)map->n + 1), &index, err);
    map->to[map->n + 1] = index + 1;
    map->n += rc == MPG_OK;
  }
  return rc;
}

static mpg_rc map_names(mpg_fleet *into, const mpg_fleet *part, mpg_err *err) {
  struct mpg_fleet_log *log = part->log;
  mpg_rc rc;
  if ((rc = map_texts(part, &into->kind_names, &part->kind_names, &log->kinds)) != MPG_OK ||
      (rc = map_texts(part, &into->texts, &part->texts, &log->texts)) != MPG_OK ||
      (rc = map_texts(part, &into->pool_names, &part->pool_names, &log->pools)) != MPG_OK)
    return mpg_fail_plain(err, rc);
  rc = map_programs(into, part, &log->programs, err);
  return rc == MPG_OK ? map_jobs(into, part, &log->jobs, err) : rc;
}

/* ---- other records ---- */

static mpg_rc merge_others(mpg_fleet *f, const mpg_fleet *part) {
  const struct mpg_fleet_log *m = part->log;
  if (mpg_grow(f->env, &f->capacity, &f->capacity_cap, f->ncapacity + part->ncapacity,
               sizeof *f->capacity) != MPG_OK ||
      mpg_grow(f->env, &f->outages, &f->outages_cap, f->noutages + part->noutages,
               sizeof *f->outages) != MPG_OK ||
      mpg_grow(f->env, &f->allocations, &f->allocations_cap, f->nallocations + part->nallocations,
               sizeof *f->allocations) != MPG_OK ||
      mpg_grow(f->env, &f->observed, &f->observed_cap, f->nobserved + part->nobserved,
               sizeof *f->observed) != MPG_OK)
    return MPG_NOMEM;
  for (size_t i = 0; i < part->ncapacity; i++) {
    mpg_capacity c = part->capacity[i];
    c.pool = m->pools.to[c.pool + 1] - 1;
    c.chip = m->texts.to[c.chip];
    f->capacity[f->ncapacity++] = c;
  }
  for (size_t i = 0; i < part->noutages; i++) {
    mpg_outage o = part->outages[i];
    o.pool = m->pools.to[o.pool + 1] - 1;
    o.kind = m->texts.to[o.kind];
    f->outages[f->noutages++] = o;
  }
  for (size_t i = 0; i < part->nallocations; i++) {
    mpg_allocation a = part->allocations[i];
    a.job = m->jobs.to[a.job + 1] - 1;
    a.pool = m->pools.to[a.pool + 1] - 1;
    a.task = m->texts.to[a.task];
    a.file = m->texts.to[a.file];
    f->allocations[f->nallocations++] = a;
  }
  for (size_t i = 0; i < part->nobserved; i++) {
    mpg_observed o = part->observed[i];
    o.pool = m->pools.to[o.pool];
    o.chip = m->texts.to[o.chip];
    f->observed[f->nobserved++] = o;
  }
  return MPG_OK;
}

static mpg_rc merge_note(mpg_fleet *into, const struct mpg_fleet_log *m, mpg_fleet_note *note,
                         mpg_err *err) {
  if (note->program != 0) {
    note->costs.dtype = m->texts.to[note->costs.dtype];
    return mpg_fleet_describe_program(into, m->programs.to[note->program], &note->costs, note->line,
                                      err);
  }
  for (int d = 0; d < MPG_JOB_DIMS; d++)
    note->described.dim[d] = m->texts.to[note->described.dim[d]];
  return mpg_fleet_describe_job(into, m->jobs.to[note->job] - 1, &note->described, note->line, err);
}

/* Notes and issues in the order in which they came up. */
static mpg_rc merge_notes(mpg_fleet *into, const mpg_fleet *part, mpg_err *err) {
  size_t issue = 0;
  for (size_t i = 0; i <= part->log->n; i++) {
    bool end = i == part->log->n;
    mpg_rc rc = MPG_OK;
    for (; issue < (end ? part->issues->n : part->log->notes[i].issues); issue++)
      if (mpg_issues_merge(into->issues, &part->issues->items[issue]) != MPG_OK)
        return mpg_fail_nomem(err);
    if (!end)
      rc = merge_note(into, part->log, &part->log->notes[i], err);
    if (rc != MPG_OK)
      return rc;
  }
  return MPG_OK;
}

mpg_rc mpg_fleet_merge(mpg_fleet *into, mpg_fleet *part, mpg_err *err) {
  mpg_rc rc;
  MPG_ASSERT(part->kind_causes == NULL); /* a part is never sealed */
  rc = map_names(into, part, err);
  if (rc == MPG_OK && (merge_others(into, part) != MPG_OK || merge_packed(into, part) != MPG_OK))
    rc = mpg_fail_nomem(err);
  if (rc == MPG_OK)
    rc = merge_notes(into, part, err);
  if (rc != MPG_OK)
    return rc;
  into->nspans += part->nspans;
  mpg_fleet_saw(into, part->last, false);
  mpg_fleet_saw(into, part->last_of_jobs, true);
  for (int r = 0; r < MPG_RELATIONS; r++)
    into->records[r] += part->records[r];
  return MPG_OK;
}

void mpg_fleet_names_only(mpg_fleet *f, const mpg_env *env) {
  mpg_intern *kept[] = {&f->texts, &f->job_names, &f->pool_names};
  mpg_fleet names = {.env = env, .jobs = f->jobs, .jobs_cap = f->jobs_cap};
  for (size_t j = 0; j < mpg_fleet_njobs(f); j++)
    f->jobs[j].spans = f->jobs[j].commits = (mpg_packed){.n = 0};
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
  mpg_arena_init(&f->arena, env);
  mpg_arena_init(&f->settled, env);
}

/* The same ids for the same texts. */
static mpg_rc copy_texts(mpg_intern *to, const mpg_intern *from) {
  mpg_rc rc = MPG_OK;
  uint32_t id;
  for (size_t i = 1; rc == MPG_OK && i <= from->n; i++)
    rc = mpg_intern_id(to, mpg_intern_text(from, (uint32_t)i), &id);
  return rc;
}

mpg_rc mpg_fleet_copy_names(mpg_fleet *to, const mpg_fleet *from, const mpg_env *env) {
  const size_t n = mpg_fleet_njobs(from);
  mpg_rc rc;
  *to = (mpg_fleet){.env = env};
  mpg_intern_init(&to->texts, env);
  mpg_intern_init(&to->job_names, env);
  mpg_intern_init(&to->pool_names, env);
  mpg_intern_init(&to->program_names, env);
  mpg_intern_init(&to->kind_names, env);
  mpg_arena_init(&to->arena, env);
  mpg_arena_init(&to->settled, env);
  to->jobs = mpg_malloc(env, (n + 1) * sizeof *to->jobs);
  if (to->jobs == NULL)
    return MPG_NOMEM;
  to->jobs_cap = n + 1;
  for (size_t j = 0; j < n; j++) {
    to->jobs[j] = from->jobs[j];
    to->jobs[j].spans = to->jobs[j].commits = (mpg_packed){.n = 0};
  }
  rc = copy_texts(&to->texts, &from->texts);
  if (rc == MPG_OK)
    rc = copy_texts(&to->job_names, &from->job_names);
  return rc == MPG_OK ? copy_texts(&to->pool_names, &from->pool_names) : rc;
}

void mpg_fleet_set_env(mpg_fleet *f, const mpg_env *env) {
  MPG_ASSERT(f->log == NULL && f->lock == NULL && f->spill == NULL);
  f->env = env;
  f->texts.env = f->job_names.env = f->pool_names.env = env;
  f->program_names.env = f->kind_names.env = env;
  f->arena.env = f->settled.env = env;
}

size_t mpg_fleet_all_bytes(const mpg_fleet *f) {
  return mpg_fleet_bytes(f) + f->arena.bytes + f->settled.bytes +
         f->programs_cap * sizeof *f->programs + f->capacity_cap * sizeof *f->capacity +
         f->outages_cap * sizeof *f->outages + f->allocations_cap * sizeof *f->allocations +
         f->observed_cap * sizeof *f->observed;
}

size_t mpg_fleet_bytes(const mpg_fleet *f) {
  return f->jobs_cap * sizeof *f->jobs + mpg_intern_bytes(&f->texts) +
         mpg_intern_bytes(&f->job_names) + mpg_intern_bytes(&f->pool_names) +
         mpg_intern_bytes(&f->program_names) + mpg_intern_bytes(&f->kind_names);
}
