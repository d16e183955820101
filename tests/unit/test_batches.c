/* test_batches.c - which batch ran again and what became of it, against a reading of the rules
** word by word. */
#include "../../ext/goodput/rules/rerun_batches.h"
#include "../../ext/goodput/rules/lineage.h"
#include "../../ext/base/time.h"
#include "check.h"

#include <string.h>

#define MOST 12
#define NONE MPG_NONE

/* Batches that ran one a second, and other spans between them: item i is [i, i + 1) seconds. */
typedef struct job {
  mpg_item items[MOST];
  size_t n;
  mpg_commit commits[4];
  size_t ncommits;
  mpg_ending ending;
  int64_t as_of;
} job;

static bool is_batch(const mpg_item *item) {
  return item->span.kind == MPG_KIND_BATCH && item->span.step != NONE;
}

static size_t again_slowly(const job *j, size_t i) {
  for (size_t k = i + 1; k < j->n && is_batch(&j->items[i]); k++)
    if (is_batch(&j->items[k]) && j->items[k].span.step == j->items[i].span.step)
      return k;
  return MPG_NOBODY;
}

static mpg_fate fate_slowly(const job *j, size_t i) {
  const mpg_item *item = &j->items[i];
  bool data = false;
  if (again_slowly(j, i) != MPG_NOBODY)
    return MPG_FATE_LOST;
  for (size_t k = i + 1; k < j->n && is_batch(item); k++)
    if (is_batch(&j->items[k]) && j->items[k].attempt != item->attempt &&
        j->items[k].span.step > item->span.step)
      return MPG_FATE_PRODUCTIVE;
  if (j->ending == MPG_ENDED_WELL)
    return MPG_FATE_PRODUCTIVE;
  for (size_t k = 0; k < j->ncommits; k++) {
    const mpg_commit *c = &j->commits[k];
    int64_t taken = c->snapshot != NONE ? c->snapshot : c->durable;
    bool numbers = c->step != NONE && item->span.step != NONE;
    if (taken > j->as_of)
      continue;
    data = true;
    if (c->durable == NONE || c->durable > j->as_of)
      continue;
    if (numbers && item->span.step >= c->step
            ? item->span.step == c->step && item->span.start < taken
            : item->span.end <= taken)
      return MPG_FATE_PRODUCTIVE;
  }
  if (!data)
    return MPG_FATE_NO_DATA;
  return j->ending == MPG_STILL_RUNNING ? MPG_FATE_PENDING : MPG_FATE_LOST;
}

static int64_t maybe(int64_t value) {
  return check_below(5) ? value : NONE;
}

static void random_job(job *j) {
  size_t attempt = 0;
  int64_t step = 0;
  memset(j, 0, sizeof *j);
  j->n = (size_t)check_below(MOST + 1);
  for (size_t i = 0; i < j->n; i++) {
    mpg_item *item = &j->items[i];
    attempt += check_below(4) == 0;
    item->attempt = attempt;
    item->span = (mpg_span){.start = (int64_t)i * MPG_SECOND, .end = (int64_t)(i + 1) * MPG_SECOND};
    item->span.kind = check_below(6) ? MPG_KIND_BATCH : MPG_KIND_STEP;
    step = check_below(3) ? step + 1 : check_below(8);
    item->span.step = maybe(step);
  }
  j->ncommits = (size_t)check_below(5);
  for (size_t i = 0; i < j->ncommits; i++) {
    int64_t least = i == 0 || j->commits[i - 1].step == NONE ? 0 : j->commits[i - 1].step;
    bool numbered = i > 0 && j->commits[i - 1].step != NONE;
    j->commits[i] = (mpg_commit){.step = numbered ? least + check_below(4) : maybe(check_below(4)),
                                 .snapshot = maybe(check_below(28) * MPG_SECOND / 2),
                                 .durable = maybe(check_below(32) * MPG_SECOND / 2)};
  }
  j->ending = (mpg_ending)check_below(3);
  j->as_of = (4 + check_below(12)) * MPG_SECOND;
}

/* Whether every item is as slowly, batches last told first. */
static bool agrees(mpg_rerun_batches *batches, mpg_lineage *lineage, job *j) {
  mpg_innermost in = {.items = j->items, .nitems = j->n, .batches = true};
  bool same = mpg_rerun_batches_find(batches, &in) == MPG_OK &&
              mpg_lineage_begin(lineage, &(mpg_lineage_input){j->commits, j->ncommits, NULL, 0,
                                                              j->ending, j->as_of}) == MPG_OK;
  for (size_t i = j->n; i-- > 0;) {
    const mpg_span *s = &j->items[i].span;
    mpg_step step = {s->start, s->end, s->step, j->items[i].attempt, i, false};
    size_t again = is_batch(&j->items[i]) ? mpg_rerun_batches_again(batches, i) : MPG_NOBODY;
    same &= again == again_slowly(j, i);
    if (s->kind == MPG_KIND_BATCH)
      same &= mpg_lineage_decide_batch(lineage, &step, again != MPG_NOBODY) == fate_slowly(j, i);
  }
  return same;
}

static void test_jobs(void) {
  mpg_rerun_batches batches;
  mpg_lineage lineage;
  int differ = 0;
  memset(&batches, 0xa5, sizeof batches); /* as memory may be that nobody has cleared */
  mpg_rerun_batches_init(&batches, &mpg_env_libc);
  mpg_lineage_init(&lineage, &mpg_env_libc);
  for (int round = 0; round < 40000; round++) {
    job j;
    random_job(&j);
    differ += !agrees(&batches, &lineage, &j);
  }
  CHECK(differ == 0);
  mpg_rerun_batches_free(&batches);
  mpg_lineage_free(&lineage);
}

/* A job without any is not looked through, whatever the job before it had. */
static void test_none(void) {
  mpg_item items[2] = {{.span = {.step = 1, .kind = MPG_KIND_BATCH}},
                       {.span = {.step = 1, .kind = MPG_KIND_BATCH}}};
  mpg_innermost in = {.items = items, .nitems = 2, .batches = true};
  mpg_rerun_batches batches;
  mpg_rerun_batches_init(&batches, &mpg_env_libc);
  CHECK(mpg_rerun_batches_find(&batches, &in) == MPG_OK);
  CHECK(mpg_rerun_batches_again(&batches, 0) == 1 &&
        mpg_rerun_batches_again(&batches, 1) == MPG_NOBODY);
  in.batches = false;
  CHECK(mpg_rerun_batches_find(&batches, &in) == MPG_OK);
  CHECK(mpg_rerun_batches_again(&batches, 0) == MPG_NOBODY);
  mpg_rerun_batches_free(&batches);
  mpg_rerun_batches_free(&(mpg_rerun_batches){.env = NULL}); /* as before mpg_rerun_batches_init */
}

int main(void) {
  test_jobs();
  test_none();
  return check_done("batches");
}
