/* fleet_packed.c - the packed spans and commits of a fleet's jobs: see fleet.h, fleet_part.h. */
#include "fleet_part.h"
#include "../../base/ascii.h"
#include "../../base/sort.h"

/* Notes in a part that a job has its first record since the reset. */
static mpg_rc touch(mpg_fleet *part, uint32_t job) {
  struct mpg_fleet_log *log = part->log;
  if (mpg_grow(part->env, &log->touched, &log->touched_cap, log->ntouched + 1,
               sizeof *log->touched) != MPG_OK)
    return MPG_NOMEM;
  log->touched[log->ntouched++] = job;
  part->jobs[job].touched = true;
  return MPG_OK;
}

mpg_rc mpg_fleet_add_packed(mpg_fleet *f, uint32_t job, const mpg_span *span,
                            const mpg_commit *commit) {
  mpg_job *j = &f->jobs[job];
  if (f->log != NULL && !j->touched && touch(f, job) != MPG_OK)
    return MPG_NOMEM;
  return span != NULL ? mpg_spans_add(&j->spans, &f->arena, span)
                      : mpg_commits_add(&j->commits, &f->arena, commit);
}

static void take_spans(void *ctx, const mpg_packed_bytes *piece) {
  mpg_spans_read_bytes(ctx, piece);
}

mpg_rc mpg_fleet_spans(const mpg_fleet *f, uint32_t job, mpg_span *out, size_t stride,
                       const mpg_env *env, mpg_err *err) {
  mpg_spans_reader r = {.out = (char *)out, .stride = stride};
  mpg_rc rc = f->spill == NULL
                  ? MPG_OK
                  : mpg_spill_read(f->spill, job, MPG_SPILL_SPANS, take_spans, &r, env, err);
  if (rc != MPG_OK)
    return rc;
  rc = mpg_spans_read_list(&f->jobs[job].spans, (mpg_span *)(void *)r.out, stride, env);
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

static int commit_order(const void *pa, const void *pb, void *ctx) {
  const mpg_commit *a = pa, *b = pb;
  int c = mpg_compare_int64(a->step, b->step);
  (void)ctx;
  c = c ? c : mpg_compare_int64(a->snapshot, b->snapshot);
  return c ? c : mpg_compare_int64(a->durable, b->durable);
}

static void take_commits(void *ctx, const mpg_packed_bytes *piece) {
  mpg_commits_read_bytes(ctx, piece);
}

static mpg_rc sort_commits(mpg_commit *commits, size_t n, const mpg_env *env) {
  for (size_t i = 1; i < n; i++) /* mostly they are in order */
    if (commit_order(&commits[i - 1], &commits[i], NULL) > 0)
      return mpg_sort(env, commits, n, sizeof *commits, commit_order, NULL);
    else if (mpg_poll(env, i))
      return MPG_INTERRUPTED;
  return MPG_OK;
}

mpg_rc mpg_fleet_commits(const mpg_fleet *f, uint32_t job, mpg_commit *out, const mpg_env *env,
                         mpg_err *err) {
  const mpg_packed *list = &f->jobs[job].commits;
  mpg_commits_reader r = {.out = out, .job = job};
  size_t turn = 0;
  mpg_rc rc = f->spill == NULL
                  ? MPG_OK
                  : mpg_spill_read(f->spill, job, MPG_SPILL_COMMITS, take_commits, &r, env, err);
  if (rc != MPG_OK)
    return rc;
  for (const mpg_packed_chunk *c = list->first; c != NULL; c = c->next) {
    mpg_packed_bytes piece = mpg_packed_bytes_of(c);
    mpg_commits_read_bytes(&r, &piece);
    if (mpg_poll_work(env, &turn, c->used))
      return mpg_fail_plain(err, MPG_INTERRUPTED);
  }
  rc = sort_commits(out, list->n, env);
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

/* ---- into a file ---- */

static mpg_rc write_run(mpg_fleet *f, mpg_err *err) {
  mpg_rc rc = f->spill == NULL ? mpg_spill_new(&f->spill, f->env, err) : MPG_OK;
  if (rc == MPG_OK)
    rc = mpg_spill_begin(f->spill, err);
  for (uint32_t job = 0; rc == MPG_OK && job < mpg_fleet_njobs(f); job++) {
    mpg_job *j = &f->jobs[job];
    const mpg_packed *const lists[MPG_SPILL_KINDS] = {&j->spans, &j->commits};
    if (mpg_poll(f->env, job))
      return mpg_fail_plain(err, MPG_INTERRUPTED);
    if (j->spans.first != NULL || j->commits.first != NULL)
      rc = mpg_spill_put(f->spill, job, lists, err);
  }
  return rc == MPG_OK ? mpg_spill_end(f->spill, err) : rc;
}

/* The lists continue after what is in the file. */
static void forget_packed(mpg_fleet *f) {
  for (size_t j = 0; j < mpg_fleet_njobs(f); j++) {
    f->jobs[j].spans = (mpg_packed){.n = f->jobs[j].spans.n};
    f->jobs[j].commits = (mpg_packed){.n = f->jobs[j].commits.n};
  }
  mpg_arena_free(&f->arena);
}

mpg_rc mpg_fleet_bound(mpg_fleet *f, mpg_err *err) {
  size_t bytes;
  mpg_rc rc;
  if (f->lock != NULL)
    (void)pthread_mutex_lock(f->lock);
  bytes = f->arena.bytes + f->settled.bytes;
  if (f->lock != NULL)
    (void)pthread_mutex_unlock(f->lock);
  if (bytes <= f->most_packed)
    return MPG_OK;
  rc = write_run(f, err);
  if (rc != MPG_OK)
    return rc;
  forget_packed(f);
  if (f->lock != NULL)
    (void)pthread_mutex_lock(f->lock);
  mpg_arena_drop(&f->settled); /* less what parts hold that are not merged yet */
  if (f->lock != NULL)
    (void)pthread_mutex_unlock(f->lock);
  return MPG_OK;
}
