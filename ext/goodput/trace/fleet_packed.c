/* fleet_packed.c - the packed spans and commits of a fleet's jobs: see fleet.h, fleet_part.h. */
#include "fleet_part.h"
#include "../../base/ascii.h"
#include "../../base/sort.h"

/* Of a part: the first record of a job since the reset. */
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

mpg_rc mpg_fleet_spans(const mpg_fleet *f, uint32_t job, mpg_span *out, size_t stride,
                       const mpg_env *env) {
  return mpg_spans_read_list(&f->jobs[job].spans, out, stride, env);
}

static int commit_order(const void *pa, const void *pb, void *ctx) {
  const mpg_commit *a = pa, *b = pb;
  int c = mpg_compare_int64(a->step, b->step);
  (void)ctx;
  c = c ? c : mpg_compare_int64(a->snapshot, b->snapshot);
  return c ? c : mpg_compare_int64(a->durable, b->durable);
}

mpg_rc mpg_fleet_commits(const mpg_fleet *f, uint32_t job, mpg_commit *out, const mpg_env *env) {
  const mpg_packed *list = &f->jobs[job].commits;
  mpg_commits_reader r = {.out = out, .job = job};
  size_t turn = 0;
  for (const mpg_packed_chunk *chunk = list->first; chunk != NULL; chunk = chunk->next) {
    mpg_packed_bytes piece = mpg_packed_bytes_of(chunk);
    mpg_commits_read_bytes(&r, &piece);
    if (mpg_poll_work(env, &turn, chunk->used))
      return MPG_INTERRUPTED;
  }
  for (size_t i = 1; i < list->n; i++) /* mostly they are */
    if (commit_order(&out[i - 1], &out[i], NULL) > 0)
      return mpg_sort(env, out, list->n, sizeof *out, commit_order, NULL);
    else if (mpg_poll(env, i))
      return MPG_INTERRUPTED;
  return MPG_OK;
}
