/* test_fleet_add_fast.c - spans and commits told in texts: what fleet_add_fast.c takes is what
** mpg_fleet_add makes of it. */
#include "check.h"
#include "../../ext/goodput/trace/fleet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const mpg_env *const env = &mpg_env_libc;
static uint64_t state = 88172645463325252u;

static size_t below(size_t n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (size_t)((state >> 33) % n);
}

typedef struct side {
  mpg_issues issues;
  mpg_fleet fleet;
} side;

static side quick, slow;

static void open_side(side *s) {
  mpg_err err;
  memset(s, 0, sizeof *s);
  mpg_issues_init(&s->issues, env);
  CHECK(mpg_fleet_init(&s->fleet, env, &s->issues, NULL, &err) == MPG_OK);
  s->fleet.keep_origins = true;
  CHECK(mpg_fleet_from(&s->fleet, "test", &err) == MPG_OK);
}

static void close_side(side *s) {
  mpg_fleet_free(&s->fleet);
  mpg_issues_free(&s->issues);
}

static const char *const names[] = {"a",
                                    "b",
                                    "job-1",
                                    "12345678901234567890123456789012345",
                                    "123456789012345678901234567890123456",
                                    "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
                                    "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE",
                                    ""};
static const char *const kinds[] = {"step", "serve", "checkpoint", "mine", ""};
static const char *const times[] = {"",
                                    "0",
                                    "5",
                                    "7",
                                    "12",
                                    "12.5",
                                    "1795240353.000001",
                                    "1795240353.123456",
                                    "1795240353",
                                    "2026-11-21T00:32:33Z",
                                    "1970-01-01T00:00:06.5Z",
                                    "1969-12-31T23:59:59Z",
                                    "2262-01-01T00:00:00Z",
                                    "2261-12-31T23:59:59.999999Z",
                                    "9214646399.999999",
                                    "9214646400",
                                    "-1",
                                    "x",
                                    "1e3",
                                    "1234-",
                                    "12345678901234567890"};
static const char *const numbers[] = {"",
                                      "0",
                                      "1",
                                      "2",
                                      "9",
                                      "42",
                                      "-3",
                                      "1.5",
                                      "5.0",
                                      "1e3",
                                      "007",
                                      "/",
                                      ":",
                                      "999999999999999",
                                      "9999999999999999",
                                      "123456789012345678",
                                      "999999999999999999",
                                      "1234567890123456789",
                                      "9223372036854775807",
                                      "1e400",
                                      "0.1",
                                      "nan",
                                      "x"};
#define ANY(list) mpg_str_of((list)[below(sizeof(list) / sizeof *(list))])

/* As mpg_fleet_add gets it. */
static mpg_rc add(side *s, mpg_relation relation, const mpg_str *v, int64_t line) {
  mpg_value values[MPG_MAX_COLUMNS];
  mpg_err err;
  int column;
  for (size_t c = 0; c < MPG_MAX_COLUMNS; c++)
    values[c] = (mpg_value){v[c].n == 0 ? MPG_NULL : MPG_TEXT, 0, 0.0, v[c]};
  return mpg_fleet_add(&s->fleet, relation, values, line, &column, &err);
}

static int usual_ones;

static void both(mpg_relation relation, const mpg_str *v, int64_t line) {
  bool usual = false;
  mpg_rc rc = relation == MPG_REL_SPANS ? mpg_fleet_add_span(&quick.fleet, v, line, &usual)
                                        : mpg_fleet_add_commit(&quick.fleet, v, &usual);
  CHECK(rc == MPG_OK);
  usual_ones += usual;
  if (usual)
    CHECK(add(&slow, relation, v, line) == MPG_OK);
  else
    CHECK(add(&quick, relation, v, line) == add(&slow, relation, v, line));
}

static bool same_real(double a, double b) {
  return isnan(a) ? isnan(b) : a == b;
}

static bool same_text(const mpg_intern *a, uint32_t i, const mpg_intern *b, uint32_t k) {
  return mpg_str_eq(mpg_intern_text(a, i), mpg_intern_text(b, k)) && (i == 0) == (k == 0);
}

static bool same_spans(const mpg_fleet *a, const mpg_fleet *b, uint32_t job) {
  mpg_err err;
  size_t n = a->jobs[job].spans.n;
  mpg_span *x = malloc((n + 1) * sizeof *x), *y = malloc((n + 1) * sizeof *y);
  bool good = x != NULL && y != NULL && b->jobs[job].spans.n == n;
  good = good && mpg_fleet_spans(a, job, x, sizeof *x, env, &err) == MPG_OK &&
         mpg_fleet_spans(b, job, y, sizeof *y, env, &err) == MPG_OK;
  for (size_t i = 0; good && i < n; i++)
    good = x[i].start == y[i].start && x[i].end == y[i].end && x[i].attempt == y[i].attempt &&
           x[i].step == y[i].step && x[i].line == y[i].line && same_real(x[i].flops, y[i].flops) &&
           same_real(x[i].bytes, y[i].bytes) && same_real(x[i].executions, y[i].executions) &&
           same_text(&a->kind_names, x[i].kind, &b->kind_names, y[i].kind) &&
           same_text(&a->program_names, x[i].program, &b->program_names, y[i].program) &&
           same_text(&a->texts, x[i].dtype, &b->texts, y[i].dtype) &&
           same_text(&a->texts, x[i].file, &b->texts, y[i].file);
  free(x);
  free(y);
  return good;
}

static bool same_commits(const mpg_fleet *a, const mpg_fleet *b, uint32_t job) {
  mpg_err err;
  size_t n = a->jobs[job].commits.n;
  mpg_commit *x = malloc((n + 1) * sizeof *x), *y = malloc((n + 1) * sizeof *y);
  bool good = x != NULL && y != NULL && b->jobs[job].commits.n == n;
  good = good && mpg_fleet_commits(a, job, x, env, &err) == MPG_OK &&
         mpg_fleet_commits(b, job, y, env, &err) == MPG_OK;
  for (size_t i = 0; good && i < n; i++)
    good = x[i].step == y[i].step && x[i].snapshot == y[i].snapshot && x[i].durable == y[i].durable;
  free(x);
  free(y);
  return good;
}

static void compare(void) {
  const mpg_fleet *a = &quick.fleet, *b = &slow.fleet;
  CHECK(a->last == b->last && a->nspans == b->nspans);
  CHECK(memcmp(a->records, b->records, sizeof a->records) == 0);
  CHECK(mpg_fleet_njobs(a) == mpg_fleet_njobs(b));
  for (uint32_t j = 0; j < mpg_fleet_njobs(a) && j < mpg_fleet_njobs(b); j++)
    CHECK(same_text(&a->job_names, j + 1, &b->job_names, j + 1) && same_spans(a, b, j) &&
          same_commits(a, b, j));
}

static void test_random(void) {
  for (int round = 0; round < 300; round++) {
    open_side(&quick);
    open_side(&slow);
    for (int64_t line = 1; line < 60; line++) {
      mpg_str v[MPG_MAX_COLUMNS] = {{NULL, 0}};
      if (below(4) == 0) {
        v[COMMITS_JOB] = ANY(names);
        v[COMMITS_STEP] = ANY(numbers);
        v[COMMITS_SNAPSHOT] = ANY(times);
        v[COMMITS_DURABLE] = ANY(times);
        both(MPG_REL_COMMITS, v, line);
        continue;
      }
      v[SPANS_JOB] = ANY(names);
      v[SPANS_KIND] = ANY(kinds);
      v[SPANS_START] = ANY(times);
      v[SPANS_END] = ANY(times);
      if (below(2))
        v[SPANS_ATTEMPT] = ANY(numbers);
      if (below(2))
        v[SPANS_STEP] = ANY(numbers);
      if (below(4) == 0)
        v[SPANS_FLOPS] = ANY(numbers);
      if (below(4) == 0)
        v[SPANS_BYTES] = ANY(numbers);
      if (below(4) == 0)
        v[SPANS_EXECUTIONS] = ANY(numbers);
      if (below(3) == 0)
        v[SPANS_PROGRAM] = ANY(names);
      if (below(3) == 0)
        v[SPANS_DTYPE] = ANY(kinds);
      both(MPG_REL_SPANS, v, line);
    }
    compare();
    close_side(&quick);
    close_side(&slow);
  }
  CHECK(usual_ones > 1000);
}

/* What nearly every record looks like takes the short way, up to its ends. */
static void test_usual(void) {
  static const struct {
    const char *job, *start, *end, *step;
    bool usual;
  } all[] = {{"a", "0", "5", "1", true},
             {"a", "5", "5", "", true},
             {"a", "5", "", "999999999999999999", true},
             {"a", "5", "4", "1", false},
             {"a", "5", "6", "1234567890123456789", false},
             {"a", "5", "6", "-1", false},
             {"", "5", "6", "1", false},
             {"a", "", "6", "1", false},
             {"12345678901234567890123456789012345", "5", "6", "1", true},
             {"123456789012345678901234567890123456", "5", "6", "1", false},
             {"a", "9214646399.999999", "", "1", true},
             {"a", "9214646400", "", "1", false}};
  open_side(&quick);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    mpg_str v[MPG_MAX_COLUMNS] = {{NULL, 0}};
    bool usual = !all[i].usual;
    v[SPANS_JOB] = mpg_str_of(all[i].job);
    v[SPANS_KIND] = MPG_STR("step");
    v[SPANS_START] = mpg_str_of(all[i].start);
    v[SPANS_END] = mpg_str_of(all[i].end);
    v[SPANS_STEP] = mpg_str_of(all[i].step);
    CHECK(mpg_fleet_add_span(&quick.fleet, v, 1, &usual) == MPG_OK);
    CHECK(usual == all[i].usual);
  }
  CHECK(quick.fleet.nspans == 5);
  close_side(&quick);
}

int main(void) {
  test_random();
  test_usual();
  return check_done("fleet_add_fast");
}
