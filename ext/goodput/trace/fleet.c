/* fleet.c - a fleet, and its things with a name: see fleet.h. Records: fleet_add.c and
** fleet_add_fast.c; their order: fleet_seal.c. */
#include "fleet_part.h"
#include "../../base/limits.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const char *const kinds[] = {"init", "prep", "compile", "restore", "input", "checkpoint",
                                    "eval", "hang", "step",    "serve",   "batch", "rollout"};

/* Never set, it is a quarter of the machine's memory at most. */
static size_t most_packed(const mpg_env *env) {
  int64_t most = mpg_limit_in(env, MPG_LIMIT_PACKED_BYTES);
  int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (most == mpg_limit_get(MPG_LIMIT_PACKED_BYTES)->standard && pages > 0 && page > 0 &&
      pages / 4 < most / page)
    most = pages / 4 * page;
  return (uint64_t)most < SIZE_MAX ? (size_t)most : SIZE_MAX;
}

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
  mpg_arena_init(&fleet->arena, env);
  mpg_arena_init(&fleet->settled, env);
  fleet->most_packed = most_packed(env);
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

static void log_free(mpg_fleet *part) {
  struct mpg_fleet_log *log = part->log;
  if (log == NULL)
    return;
  mpg_free(part->env, log->notes);
  mpg_free(part->env, log->touched);
  mpg_free(part->env, log->kinds.to);
  mpg_free(part->env, log->programs.to);
  mpg_free(part->env, log->texts.to);
  mpg_free(part->env, log->pools.to);
  mpg_free(part->env, log->jobs.to);
  mpg_free(part->env, log);
  part->log = NULL;
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
  mpg_arena_free(&fleet->arena);
  mpg_arena_free(&fleet->settled);
  mpg_spill_free(fleet->spill);
  mpg_free(env, fleet->jobs);
  mpg_free(env, fleet->programs);
  mpg_free(env, fleet->program_recorded);
  mpg_free(env, fleet->capacity);
  mpg_free(env, fleet->outages);
  mpg_free(env, fleet->allocations);
  mpg_free(env, fleet->observed);
  mpg_free(env, fleet->kind_causes);
  log_free(fleet);
  memset(fleet, 0, sizeof *fleet);
}

mpg_rc mpg_fleet_from(mpg_fleet *fleet, const char *source, mpg_err *err) {
  fleet->source = source;
  if (mpg_intern_id(&fleet->texts, mpg_str_of(source), &fleet->source_id) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

/* ---- things with a name: jobs, pools, programs ---- */

mpg_rc mpg_fleet_job(mpg_fleet *f, mpg_str name, uint32_t *index, mpg_err *err) {
  size_t known = f->job_names.n;
  uint32_t id;
  /* Room first: a name without its job would be a job that was never there. */
  mpg_rc rc = mpg_grow(f->env, &f->jobs, &f->jobs_cap, known + 1, sizeof *f->jobs);
  if (rc == MPG_OK)
    rc = mpg_intern_id(&f->job_names, name, &id);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  *index = id - 1;
  if (*index >= known) {
    mpg_job *job = &f->jobs[*index];
    memset(job, 0, sizeof *job);
    job->chips = job->min_chips = job->tasks = job->submit = MPG_NONE;
    job->until = MPG_OPEN;
  }
  return MPG_OK;
}

mpg_rc mpg_fleet_program(mpg_fleet *f, mpg_str name, uint32_t *id, mpg_err *err) {
  size_t known = f->program_names.n;
  mpg_rc rc = mpg_grow(f->env, &f->programs, &f->programs_cap, known + 1, sizeof *f->programs);
  if (rc == MPG_OK)
    rc = mpg_grow(f->env, &f->program_recorded, &f->program_recorded_cap, known + 1,
                  sizeof *f->program_recorded);
  if (rc == MPG_OK)
    rc = mpg_intern_id(&f->program_names, name, id);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  if (*id > known) {
    f->programs[known] = (mpg_program){(double)NAN, (double)NAN, 0};
    f->program_recorded[known] = false;
  }
  return MPG_OK;
}

/* ---- what is described more than once ---- */

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
