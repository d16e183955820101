/*
** test_fleet_part.c - random records read in parts and put together give the fleet, the names and
** the issues that reading all of them into one gives; and the same with every allocation failing.
*/
#include "check.h"
#include "hostile.h"
#include "trace.h"
#include "../../ext/goodput/trace/fleet_part.h"

#include <math.h>

enum { LINES = 60, LINE = 240 };

static char lines[LINES][LINE];
static size_t nlines;

#define ONE_OF(...)                                                                                \
  ((const char *const[]){                                                                          \
      __VA_ARGS__}[check_draw(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))])

/* Few jobs with many spans, or many with few: spans are handed over or packed anew. */
static void write_records(void) {
  int njobs = check_below(2) ? 2 : 30, spans = check_below(2) ? 3 : 12;
  nlines = check_draw(LINES + 1);
  for (size_t i = 0; i < nlines; i++) {
    int job = check_below(njobs), start = check_below(50), end = start + check_below(50);
    int what = check_below(5 + spans);
    if (what == 0)
      (void)snprintf(lines[i], LINE, "capacity pool=%s%s chips=%d start_time=%d end_time=%d",
                     ONE_OF("a", "b", "c"), ONE_OF("", " chip=tpu-v4", " chip=x"), check_below(9),
                     start, end);
    else if (what == 1)
      (void)snprintf(lines[i], LINE, "outages pool=%s chips=%d start_time=%d end_time=%d%s",
                     ONE_OF("a", "b", "d"), check_below(9), start, end,
                     ONE_OF("", " kind=repair", " kind=burnt"));
    else if (what == 2)
      (void)snprintf(lines[i], LINE, "jobs job=j%d chips=%d%s%s%s", job, check_below(3),
                     ONE_OF("", " owner=ann", " owner=bob"), ONE_OF("", " model=m", " labels=l"),
                     ONE_OF("", " phase=training", " phase=serving", " submit_time=3"));
    else if (what == 3)
      (void)snprintf(lines[i], LINE,
                     "allocations job=j%d pool=%s chips=%d start_time=%d end_time=%d%s%s", job,
                     ONE_OF("a", "b", "e"), check_below(9), start, end,
                     ONE_OF("", " task=x", " task=y"), ONE_OF("", " attempt=2", " outcome=failed"));
    else if (what == 4 && check_below(2))
      (void)snprintf(lines[i], LINE, "programs program=p%d flops=%d%s", check_below(3),
                     1 + check_below(2), ONE_OF("", " dtype=bf16", " dtype=fp32", " bytes=7"));
    else if (what == 4)
      (void)snprintf(lines[i], LINE, "commits job=j%d step=%d durable_time=%d", job, check_below(9),
                     end);
    else
      (void)snprintf(lines[i], LINE, "spans job=j%d kind=%s start_time=%d%s%s%s", job,
                     ONE_OF("step", "init", "mine", "yours"), start,
                     ONE_OF("", " step=3 program=p1", " program=p2 dtype=bf16"),
                     ONE_OF("", " flops=1e12", " bytes=5 executions=2"), ONE_OF("", " dtype=fp8"));
  }
}

/* Lines [from, to) into a fleet. */
static mpg_rc add_lines(mpg_fleet *f, size_t from, size_t to, mpg_err *err) {
  mpg_rc rc = mpg_fleet_from(f, "test", err);
  int column;
  for (size_t i = from; rc == MPG_OK && i < to; i++)
    rc = trace_add(f, lines[i], (int64_t)i + 1, &column, err);
  return rc;
}

/* In parts of up to `most` lines, read by several threads in turn: each knows the names of its own
** parts before. Packed records move to memory of the whole, or few stay and are packed anew. */
static mpg_rc add_parts(const mpg_env *env, mpg_fleet *f, size_t most, bool origins, mpg_err *err) {
  enum { THREADS = 3 };
  mpg_issues issues[THREADS];
  mpg_fleet parts[THREADS] = {0};
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  size_t turn = 0;
  mpg_rc rc = mpg_fleet_from(f, "test", err);
  for (int i = 0; i < THREADS; i++) {
    mpg_issues_init(&issues[i], env);
    rc = rc == MPG_OK ? mpg_fleet_part_init(&parts[i], env, &issues[i], err) : rc;
    parts[i].keep_origins = origins;
  }
  for (size_t at = 0, n; rc == MPG_OK && at < nlines; at += n) {
    mpg_fleet *part = &parts[turn++ % THREADS];
    n = at + most < nlines ? most : nlines - at;
    rc = mpg_fleet_part_reset(part, err);
    rc = rc == MPG_OK ? add_lines(part, at, at + n, err) : rc;
    if (rc == MPG_OK && mpg_fleet_part_settle(part, &f->settled, &lock) != MPG_OK)
      rc = mpg_fail_nomem(err);
    rc = rc == MPG_OK ? mpg_fleet_merge(f, part, err) : rc;
    rc = rc == MPG_OK ? mpg_fleet_bound(f, err) : rc;
  }
  for (int i = 0; i < THREADS; i++) {
    mpg_fleet_free(&parts[i]);
    mpg_issues_free(&issues[i]);
  }
  return rc;
}

static bool same_names(const mpg_intern *a, const mpg_intern *b) {
  bool same = a->n == b->n;
  for (uint32_t id = 1; same && id <= a->n; id++)
    same = mpg_str_eq(mpg_intern_text(a, id), mpg_intern_text(b, id));
  return same;
}

static bool same_real(double a, double b) {
  return isnan(a) || isnan(b) ? isnan(a) == isnan(b) : a == b;
}

static bool same_spans(const mpg_fleet *a, const mpg_fleet *b, uint32_t job) {
  static mpg_span x[LINES], y[LINES];
  mpg_err err;
  size_t n = a->jobs[job].spans.n;
  bool same = b->jobs[job].spans.n == n;
  CHECK(n <= LINES && mpg_fleet_spans(a, job, x, sizeof *x, &mpg_env_libc, &err) == MPG_OK);
  if (same)
    CHECK(mpg_fleet_spans(b, job, y, sizeof *y, &mpg_env_libc, &err) == MPG_OK);
  for (size_t i = 0; same && i < n; i++)
    same = x[i].start == y[i].start && x[i].end == y[i].end && x[i].attempt == y[i].attempt &&
           x[i].step == y[i].step && x[i].line == y[i].line && x[i].file == y[i].file &&
           x[i].kind == y[i].kind && x[i].program == y[i].program && x[i].dtype == y[i].dtype &&
           same_real(x[i].flops, y[i].flops) && same_real(x[i].bytes, y[i].bytes) &&
           same_real(x[i].executions, y[i].executions);
  return same;
}

static bool same_commits(const mpg_fleet *a, const mpg_fleet *b, uint32_t job) {
  static mpg_commit x[LINES], y[LINES];
  mpg_err err;
  size_t n = a->jobs[job].commits.n;
  bool same = b->jobs[job].commits.n == n;
  CHECK(n <= LINES && mpg_fleet_commits(a, job, x, &mpg_env_libc, &err) == MPG_OK);
  if (same)
    CHECK(mpg_fleet_commits(b, job, y, &mpg_env_libc, &err) == MPG_OK);
  for (size_t i = 0; same && i < n; i++)
    same = x[i].job == job && y[i].job == job && x[i].step == y[i].step &&
           x[i].snapshot == y[i].snapshot && x[i].durable == y[i].durable;
  return same;
}

static void check_jobs(const mpg_fleet *a, const mpg_fleet *b) {
  for (uint32_t j = 0; j < mpg_fleet_njobs(a) && j < mpg_fleet_njobs(b); j++) {
    const mpg_job *x = &a->jobs[j], *y = &b->jobs[j];
    CHECK(memcmp(x->dim, y->dim, sizeof x->dim) == 0 && x->recorded == y->recorded);
    CHECK(x->chips == y->chips && x->min_chips == y->min_chips);
    CHECK(x->tasks == y->tasks && x->submit == y->submit);
    CHECK(x->allocation == y->allocation && x->nallocations == y->nallocations);
    CHECK(same_spans(a, b, j) && same_commits(a, b, j));
  }
}

static void check_same(const mpg_fleet *a, const mpg_fleet *b) {
  CHECK(same_names(&a->texts, &b->texts) && same_names(&a->kind_names, &b->kind_names));
  CHECK(same_names(&a->job_names, &b->job_names) && same_names(&a->pool_names, &b->pool_names));
  CHECK(same_names(&a->program_names, &b->program_names));
  check_jobs(a, b);
  CHECK(a->nspans == b->nspans && a->last == b->last);
  CHECK(memcmp(a->records, b->records, sizeof a->records) == 0);
  CHECK(a->ncapacity == b->ncapacity && a->noutages == b->noutages &&
        a->nallocations == b->nallocations);
  for (size_t i = 0; i < a->ncapacity && i < b->ncapacity; i++) {
    const mpg_capacity *x = &a->capacity[i], *y = &b->capacity[i];
    CHECK(x->pool == y->pool && x->chip == y->chip && x->chips == y->chips &&
          x->start == y->start && x->end == y->end);
  }
  for (size_t i = 0; i < a->noutages && i < b->noutages; i++) {
    const mpg_outage *x = &a->outages[i], *y = &b->outages[i];
    CHECK(x->pool == y->pool && x->kind == y->kind && x->chips == y->chips &&
          x->start == y->start && x->end == y->end);
  }
  for (size_t i = 0; i < a->nallocations && i < b->nallocations; i++) {
    const mpg_allocation *x = &a->allocations[i], *y = &b->allocations[i];
    CHECK(x->job == y->job && x->pool == y->pool && x->task == y->task && x->outcome == y->outcome);
    CHECK(x->attempt == y->attempt && x->chips == y->chips && x->start == y->start);
    CHECK(x->end == y->end && x->line == y->line && x->file == y->file);
  }
  for (size_t i = 0; i < a->program_names.n && i < b->program_names.n; i++) {
    const mpg_program *x = &a->programs[i], *y = &b->programs[i];
    CHECK(same_real(x->flops, y->flops) && same_real(x->bytes, y->bytes) && x->dtype == y->dtype);
  }
}

static void check_issues(const mpg_issues *a, const mpg_issues *b) {
  CHECK(a->n == b->n);
  for (size_t i = 0; i < a->n && i < b->n; i++) {
    const mpg_issue *x = &a->items[i], *y = &b->items[i];
    CHECK(strcmp(x->kind, y->kind) == 0 && strcmp(x->detail, y->detail) == 0);
    CHECK(strcmp(x->source, y->source) == 0 && x->severity == y->severity);
    CHECK(x->line == y->line && x->count == y->count);
  }
}

static void check_faults(mpg_chips *chips, size_t most) {
  for (long n = 1;; n++) {
    hostile h = {0, n, false, false, 0};
    mpg_env env = hostile_env(&h);
    mpg_issues issues;
    mpg_fleet f;
    mpg_err err = {MPG_OK, ""};
    mpg_rc rc;
    mpg_issues_init(&issues, &env);
    rc = mpg_fleet_init(&f, &env, &issues, chips, &err);
    f.most_packed = most % 2 ? SIZE_MAX : 400;
    rc = rc == MPG_OK ? add_parts(&env, &f, most, true, &err) : rc;
    CHECK(rc == (h.failed ? MPG_NOMEM : MPG_OK));
    mpg_fleet_free(&f);
    mpg_issues_free(&issues);
    CHECK(h.live == 0);
    if (!h.failed || rc != MPG_NOMEM)
      break;
  }
}

/* Names of jobs, pools and texts outlive all the rest, in an environment of their own. */
static void test_names_only(mpg_chips *chips) {
  static const char *const texts[] = {"jobs job=a",
                                      "jobs job=b",
                                      "capacity pool=p chip=tpu-v4 chips=1 start_time=0",
                                      "allocations job=a pool=p chips=1 start_time=0 end_time=9",
                                      "spans job=a kind=step program=f start_time=0 end_time=1",
                                      "spans job=b kind=step program=f start_time=0 end_time=1"};
  hostile before = {0}, after = {0};
  mpg_env env = hostile_env(&before), later = hostile_env(&after);
  mpg_issues issues;
  mpg_fleet f;
  mpg_err err;
  size_t ntexts;
  mpg_issues_init(&issues, &mpg_env_libc);
  CHECK(mpg_fleet_init(&f, &env, &issues, chips, &err) == MPG_OK);
  CHECK(trace_build(&f, texts, sizeof texts / sizeof *texts, &err) == MPG_OK);
  ntexts = f.texts.n;
  mpg_fleet_names_only(&f, &later);
  CHECK(mpg_fleet_njobs(&f) == 2 && f.texts.n == ntexts && f.env == &later);
  for (size_t j = 0; j < mpg_fleet_njobs(&f); j++)
    CHECK(f.jobs[j].spans.n == 0 && f.jobs[j].spans.first == NULL);
  CHECK(mpg_str_eq(mpg_intern_text(&f.job_names, 1), MPG_STR("a")) &&
        mpg_str_eq(mpg_intern_text(&f.job_names, 2), MPG_STR("b")));
  CHECK(f.pool_names.n == 1 && mpg_str_eq(mpg_intern_text(&f.pool_names, 1), MPG_STR("p")));
  mpg_fleet_free(&f);
  CHECK(before.live + after.live == 0);
  mpg_issues_free(&issues);
}

int main(void) {
  mpg_chips *chips = NULL;
  mpg_err err;
  size_t conflicts = 0;
  CHECK(mpg_chips_new(&chips, &mpg_env_libc, &err) == MPG_OK);
  for (int round = 0; round < 1500 / check_stride(2); round++) {
    mpg_issues issues[2];
    mpg_fleet f[2];
    size_t most = 1 + check_draw(round % 3 == 0 ? 60 : 12);
    write_records();
    for (int k = 0; k < 2; k++) {
      mpg_issues_init(&issues[k], &mpg_env_libc);
      CHECK(mpg_fleet_init(&f[k], &mpg_env_libc, &issues[k], chips, &err) == MPG_OK);
      f[k].keep_origins = round % 2 == 0;
      if (round % 3 == 1) /* of either, or of one, most waits in a file */
        f[k].most_packed = round % 2 == 0 || k == 1 ? 150 : SIZE_MAX;
      CHECK((k == 0 ? add_lines(&f[k], 0, nlines, &err)
                    : add_parts(&mpg_env_libc, &f[k], most, round % 2 == 0, &err)) == MPG_OK);
      CHECK(mpg_fleet_seal(&f[k], &err) == MPG_OK);
    }
    check_same(&f[0], &f[1]);
    check_issues(&issues[0], &issues[1]);
    conflicts += issues[0].n > 0;
    if (round % 100 == 0)
      check_faults(chips, most);
    for (int k = 0; k < 2; k++) {
      mpg_fleet_free(&f[k]);
      mpg_issues_free(&issues[k]);
    }
  }
  CHECK(conflicts > 100);
  test_names_only(chips);
  mpg_chips_free(chips);
  return check_done("fleet_part");
}
