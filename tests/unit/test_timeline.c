/*
** test_timeline.c - random jobs, usual and not: the short road (goodput/rules/stretch_sums.h, and
** what timeline.c and rating.c do where there is one lane) tells the same rows, cells and notices
** as the long one. What they tell: test_verdicts.c.
*/
#include "check.h"
#include "hostile.h"
#include "scene.h"
#include "trace.h"
#include "../../ext/goodput/ledger/rollup.h"
#include "../../ext/base/time.h"

enum { TIMES = 60, LINE = 400 };

/* How far from the usual a trace is: one in `odd` of what may be odd is. */
static int odd;

static bool is_odd(void) {
  return check_below(odd) == 0;
}

static void put(char *line, const char *name, double value) {
  (void)snprintf(line + strlen(line), LINE - strlen(line), " %s=%.17g", name, value);
}

static void put_text(char *line, const char *name, const char *value) {
  (void)snprintf(line + strlen(line), LINE - strlen(line), " %s=%s", name, value);
}

static mpg_rc add(mpg_fleet *fleet, const char *line, mpg_err *err) {
  static int64_t number;
  int column;
  mpg_rc rc = trace_add(fleet, line, ++number, &column, err);
  return rc == MPG_DATA ? MPG_OK : rc; /* what breaks a rule is left out on either road */
}

/* Pools of one chip, of another later, of none and of one that nobody knows. */
static mpg_rc add_pools(mpg_fleet *fleet, mpg_err *err) {
  static const char *const chips[] = {"tpu-v4", "one", "tpu-v5e", "unheard-of"};
  mpg_rc rc = MPG_OK;
  for (int pool = 0; rc == MPG_OK && pool < 2; pool++) {
    char line[LINE];
    int until = is_odd() ? 1 + check_below(TIMES) : 2 * TIMES;
    (void)snprintf(line, LINE, "capacity pool=p%d chips=9 start_time=0 end_time=%d", pool, until);
    if (!is_odd())
      put_text(line, "chip", chips[is_odd() ? check_below(4) : 0]);
    rc = add(fleet, line, err);
    if (rc == MPG_OK && until < 2 * TIMES) {
      (void)snprintf(line, LINE, "capacity pool=p%d chip=%s chips=9 start_time=%d", pool,
                     chips[check_below(4)], until);
      rc = add(fleet, line, err);
    }
  }
  return rc;
}

static mpg_rc add_programs(mpg_fleet *fleet, mpg_err *err) {
  mpg_rc rc = add(fleet, "programs program=f flops=3e14 bytes=1e12 dtype=bf16", err);
  rc = rc == MPG_OK ? add(fleet, "programs program=g flops=7e13 dtype=int8", err) : rc;
  rc = rc == MPG_OK ? add(fleet, "programs program=h bytes=1e12", err) : rc; /* no flops */
  return rc == MPG_OK && is_odd() ? add(fleet, "programs program=i flops=1e25", err) : rc;
}

static mpg_rc add_attempt(mpg_fleet *fleet, char job, int attempt, int from, int until,
                          mpg_err *err) {
  static const char *const outcomes[] = {"completed", "failed", "node_fail", "preempted"};
  static const double chips[] = {2, 0.5, 0, 1.75};
  int tasks = is_odd() ? 2 : 1;
  mpg_rc rc = MPG_OK;
  for (int task = 0; rc == MPG_OK && task < tasks; task++) {
    char line[LINE];
    (void)snprintf(line, LINE, "allocations job=%c pool=p%d task=%d start_time=%d", job,
                   is_odd() ? check_below(2) : 0, task, from + (is_odd() ? check_below(4) : 0));
    put(line, "chips", is_odd() ? chips[check_below(4)] : 2);
    if (!is_odd())
      put(line, "attempt", attempt);
    if (!is_odd()) {
      put(line, "end_time", until);
      put_text(line, "outcome", outcomes[check_below(4)]);
    }
    rc = add(fleet, line, err);
  }
  return rc;
}

static mpg_rc add_span(mpg_fleet *fleet, char job, int attempt, double start, double end, int step,
                       mpg_err *err) {
  static const char *const kinds[] = {"init", "checkpoint", "serve",  "hang",
                                      "nap",  "batch",      "rollout"};
  static const char *const programs[] = {"f", "g", "h", "i", "unheard-of"};
  const char *kind = check_below(5) == 0 ? kinds[check_below(7)] : "step";
  char line[LINE];
  (void)snprintf(line, LINE, "spans job=%c kind=%s", job, kind);
  put(line, "start_time", start);
  if (!is_odd())
    put(line, "end_time", end);
  if (!is_odd())
    put(line, "attempt", attempt);
  if (!is_odd())
    put(line, "step", step);
  if (!is_odd())
    put_text(line, "program", programs[check_below(is_odd() ? 5 : 2)]);
  if (is_odd())
    put(line, "flops", check_below(3) * 1e14);
  if (is_odd())
    put(line, "bytes", check_below(3) * 1e12);
  if (is_odd())
    put(line, "executions", check_below(4));
  if (is_odd())
    put_text(line, "dtype", check_below(2) ? "fp32" : "bf16");
  if (is_odd() && add(fleet, line, err) != MPG_OK) /* twice */
    return err->rc;
  return add(fleet, line, err);
}

/* Now and then it is durable before its snapshot, or its snapshot before its step. */
static mpg_rc add_commit(mpg_fleet *fleet, char job, int step, double at, mpg_err *err) {
  char line[LINE];
  const double early = is_odd() ? 8 : 0;
  (void)snprintf(line, LINE, "commits job=%c", job);
  if (!is_odd())
    put(line, "step", step);
  if (!is_odd())
    put(line, "snapshot_time", at > early ? at - early : 0);
  if (!is_odd())
    put(line, "durable_time", is_odd() && at > 9 ? at - 9 : at + 1.5);
  return add(fleet, line, err);
}

/* Attempts one after the other, each with spans side by side; now and then within another, over its
** end, far from any, or with something between. */
static mpg_rc add_job(mpg_fleet *fleet, char job, mpg_err *err) {
  int at = check_below(5), attempts = 1 + check_below(3), step = 0;
  char line[LINE];
  mpg_rc rc;
  (void)snprintf(line, LINE, "jobs job=%c phase=%s chips=%d submit_time=0%s", job,
                 is_odd() ? "serving" : "training", is_odd() ? check_below(4) : 2,
                 is_odd() ? " labels=none" : "");
  rc = is_odd() ? MPG_OK : add(fleet, line, err);
  for (int a = 1; rc == MPG_OK && a <= attempts; a++) {
    int until = at + 3 + check_below(20);
    double t = at;
    rc = add_attempt(fleet, job, a, at, until, err);
    step -= step > 3 ? check_below(3) : 0;
    for (int spans = check_below(12); rc == MPG_OK && spans > 0; spans--) {
      double length = 0.25 * check_below(9), start = t;
      if (is_odd())
        start = check_below(2) ? t + 0.5 : t - 0.25 * check_below(12);
      start = start < 0 ? 0 : start;
      rc = add_span(fleet, job, a, start, start + length, ++step, err);
      if (rc == MPG_OK && check_below(6) == 0)
        rc = add_commit(fleet, job, step, start + length, err);
      t = is_odd() ? t : start + length;
    }
    at = is_odd() ? at + 1 : until + check_below(3);
  }
  return rc;
}

/* ---- both roads ---- */

typedef struct told {
  mpg_ledger rows;
  mpg_rollup cells;
  mpg_notices notices;
} told;

static void account(const mpg_fleet *fleet, const mpg_ledger_options *options, const mpg_sink *sink,
                    mpg_notices *notices) {
  mpg_accounting accounting;
  mpg_err err;
  CHECK(mpg_accounting_init(&accounting, &mpg_env_libc, fleet, options, &err) == MPG_OK);
  for (size_t u = 0; u < mpg_accounting_units(&accounting); u++)
    CHECK(mpg_accounting_unit(&accounting, u, sink, "test", &err) == MPG_OK);
  *notices = *mpg_timeline_notices(accounting.timeline);
  mpg_accounting_free(&accounting);
}

static bool same_rows(const mpg_ledger *a, const mpg_ledger *b) {
  bool same = a->n == b->n;
  for (size_t i = 0; same && i < a->n; i++)
    same = a->job[i] == b->job[i] && a->pool[i] == b->pool[i] && a->chip[i] == b->chip[i] &&
           a->cause[i] == b->cause[i] && a->kind[i] == b->kind[i] &&
           a->program[i] == b->program[i] && a->file[i] == b->file[i] && a->size[i] == b->size[i] &&
           a->category[i] == b->category[i] && a->attempt[i] == b->attempt[i] &&
           a->start[i] == b->start[i] && a->end[i] == b->end[i] && a->bucket[i] == b->bucket[i] &&
           a->chip_us[i] == b->chip_us[i] && a->step[i] == b->step[i] && a->line[i] == b->line[i];
  return same;
}

static bool same_cells(const mpg_rollup *a, const mpg_rollup *b) {
  bool same = a->ncells == b->ncells;
  for (size_t i = 0; same && i < a->ncells; i++) {
    const mpg_cell *x = &a->cells[i], *y = &b->cells[i];
    same = x->job == y->job && x->pool == y->pool && x->chip == y->chip && x->cause == y->cause &&
           x->attempt == y->attempt && x->bucket == y->bucket && x->size == y->size &&
           x->category == y->category && x->intervals == y->intervals && x->chip_us == y->chip_us;
  }
  return same;
}

static bool same_notices(const mpg_notices *a, const mpg_notices *b) {
  return memcmp(a->count, b->count, sizeof a->count) == 0 &&
         memcmp(a->job, b->job, sizeof a->job) == 0 && a->above.goodput == b->above.goodput &&
         a->above.row == b->above.row && a->above.dtype_given == b->above.dtype_given;
}

static void compare(const mpg_fleet *fleet, mpg_ledger_options *options, uint32_t mask,
                    int64_t seen[MPG_NOTICES + 1]) {
  told roads[2];
  mpg_notices again;
  mpg_sink sink;
  mpg_err err;
  for (int road = 0; road < 2; road++) {
    told *t = &roads[road];
    options->rules.long_road = road == 1;
    mpg_ledger_init(&t->rows, &mpg_env_libc);
    sink = mpg_ledger_sink(&t->rows);
    account(fleet, options, &sink, &t->notices);
    CHECK(mpg_rollup_init(&t->cells, &mpg_env_libc, fleet, mask, &err) == MPG_OK);
    sink = mpg_rollup_sink(&t->cells);
    account(fleet, options, &sink, &again);
    CHECK(same_notices(&t->notices, &again));
  }
  CHECK(same_rows(&roads[0].rows, &roads[1].rows));
  CHECK(same_cells(&roads[0].cells, &roads[1].cells));
  CHECK(same_notices(&roads[0].notices, &roads[1].notices));
  for (int k = 0; k < MPG_NOTICES; k++)
    seen[k] += roads[1].notices.count[k];
  for (size_t i = 0; i < roads[1].rows.n; i++)
    seen[MPG_NOTICES] += roads[1].rows.category[i] == MPG_IDEAL;
  for (int road = 0; road < 2; road++) {
    mpg_ledger_free(&roads[road].rows);
    mpg_rollup_free(&roads[road].cells);
  }
}

/* What a job holds goes to its pool once, whoever says so first; not at all where another does. */
static void test_holds(void) {
  for (int way = 0; way < 3; way++) {
    mpg_ledger_options options = mpg_ledger_defaults();
    mpg_accounting accounting;
    mpg_issues issues;
    mpg_fleet fleet;
    mpg_ledger rows;
    mpg_sink sink;
    mpg_err err;
    const mpg_gang *gang;
    const char *lines[] = {"capacity pool=p chips=9 start_time=0 end_time=10",
                           "jobs job=j chips=20",
                           "allocations job=j pool=p chips=0.000001 start_time=0 end_time=10"};
    uint8_t size = 0;
    int64_t idle = 0;
    mpg_issues_init(&issues, &mpg_env_libc);
    mpg_ledger_init(&rows, &mpg_env_libc);
    sink = mpg_ledger_sink(&rows);
    CHECK(mpg_fleet_init(&fleet, &mpg_env_libc, &issues, NULL, &err) == MPG_OK);
    CHECK(trace_build(&fleet, lines, sizeof lines / sizeof *lines, &err) == MPG_OK);
    CHECK(mpg_accounting_init(&accounting, &mpg_env_libc, &fleet, &options, &err) == MPG_OK);
    if (way == 1)
      CHECK(mpg_timeline_hold(accounting.timeline, 0, &size, &gang, &err) == MPG_OK && size == 2 &&
            gang->nstretches == 1);
    if (way == 2)
      mpg_timeline_holds_nothing(accounting.timeline);
    for (size_t u = 0; u < mpg_accounting_units(&accounting); u++)
      CHECK(mpg_accounting_unit(&accounting, u, &sink, "test", &err) == MPG_OK);
    for (size_t i = 0; i < rows.n; i++)
      idle += rows.category[i] == MPG_IDLE ? rows.chip_us[i] : 0;
    CHECK(idle == (way == 2 ? 90000000 : 89999990));
    mpg_accounting_free(&accounting);
    mpg_ledger_free(&rows);
    mpg_fleet_free(&fleet);
    mpg_issues_free(&issues);
  }
}

static mpg_rc refuse(void *ctx, const mpg_row *row) {
  (void)row;
  return *(mpg_rc *)ctx;
}

/* A sink that says no tells nobody why: the error does, whatever it held before. */
static void test_sinks(void) {
  mpg_rc answers[] = {MPG_NOMEM, MPG_INTERRUPTED};
  for (int i = 0; i < 2; i++) {
    mpg_ledger_options options = mpg_ledger_defaults();
    mpg_accounting accounting;
    mpg_issues issues;
    mpg_fleet fleet;
    mpg_sink sink = {refuse, &answers[i], NULL};
    mpg_err err;
    const char *lines[] = {"jobs job=j",
                           "allocations job=j pool=p chips=2 start_time=0 end_time=10"};
    mpg_issues_init(&issues, &mpg_env_libc);
    CHECK(mpg_fleet_init(&fleet, &mpg_env_libc, &issues, NULL, &err) == MPG_OK);
    CHECK(trace_build(&fleet, lines, sizeof lines / sizeof *lines, &err) == MPG_OK);
    CHECK(mpg_accounting_init(&accounting, &mpg_env_libc, &fleet, &options, &err) == MPG_OK);
    (void)mpg_fail(&err, MPG_DATA, "of old");
    CHECK(mpg_accounting_unit(&accounting, 0, &sink, "test", &err) == answers[i]);
    CHECK(err.rc == answers[i] && strcmp(err.text, i == 0 ? "out of memory" : "interrupted") == 0);
    mpg_accounting_free(&accounting);
    mpg_fleet_free(&fleet);
    mpg_issues_free(&issues);
  }
}

/* Each allocation of the accounting fails: an error, or as many rows as without. */
static void test_memory(void) {
  static const char *const lines[] = {
      "chips chip=one dtype=bf16 peak_flops=1e12",
      "capacity pool=p chip=one chips=9 start_time=0",
      "capacity pool=q chip=one chips=9 start_time=0",
      "jobs job=a",
      "allocations job=a pool=p chips=2 start_time=0 end_time=10 outcome=completed",
      "spans job=a kind=step flops=1e12 start_time=0 end_time=9", /* two parts: they share */
      "spans job=a kind=eval start_time=3 end_time=4",
      "jobs job=b",
      "allocations job=b pool=p task=0 chips=2 start_time=0 end_time=10 outcome=completed",
      "allocations job=b pool=q task=1 chips=2 start_time=0 end_time=10 outcome=completed",
      "spans job=b kind=step flops=1e12 start_time=0 end_time=9",
  };
  size_t expected = 0;
  for (long fail = 0;; fail++) {
    hostile h = {0, fail, false, false, 0};
    mpg_env env = hostile_env(&h);
    mpg_ledger_options options = mpg_ledger_defaults();
    mpg_accounting accounting;
    scene s;
    mpg_err err;
    mpg_rc rc;
    scene_open(&s);
    CHECK(trace_build(&s.fleet, lines, sizeof lines / sizeof *lines, &err) == MPG_OK);
    rc = mpg_accounting_init(&accounting, &env, &s.fleet, &options, &err);
    for (size_t u = 0; rc == MPG_OK && u < mpg_accounting_units(&accounting); u++)
      rc = mpg_accounting_unit(&accounting, u, &s.sink, "test", &err);
    CHECK(rc == (h.failed ? MPG_NOMEM : MPG_OK) && (rc == MPG_OK || err.rc == rc));
    if (fail == 0)
      expected = s.rows.n;
    CHECK(rc != MPG_OK || s.rows.n == expected);
    mpg_accounting_free(&accounting);
    CHECK(h.live == 0);
    scene_close(&s);
    if (fail > 0 && !h.failed)
      break;
  }
}

static bool count_asks(void *ctx) {
  ++*(int *)ctx;
  return false;
}

/* The host is asked as often as there is work, which is on every lane: spans of a job that holds
** chips of many pools. There are so many names that those of chip and dtype have large numbers. */
static void test_lanes(void) {
  enum { POOLS = 1023, SPANS = 300 };
  mpg_ledger_options options = mpg_ledger_defaults();
  mpg_accounting accounting;
  scene s;
  mpg_gang gang;
  mpg_err err;
  int column, poller = 0, gangs;
  mpg_env env = {
      .resize = mpg_env_libc.resize, .interrupted = count_asks, .interrupted_ctx = &poller};
  char line[LINE];
  scene_open(&s);
  CHECK(mpg_fleet_from(&s.fleet, "test", &err) == MPG_OK);
  CHECK(trace_add(&s.fleet, "jobs job=j", 1, &column, &err) == MPG_OK);
  for (int i = 0; i < POOLS; i++) {
    (void)snprintf(line, LINE, "capacity pool=p%d chip=tpu-v5e chips=1 start_time=0", i);
    CHECK(trace_add(&s.fleet, line, 1, &column, &err) == MPG_OK);
    (void)snprintf(line, LINE,
                   "allocations job=j pool=p%d task=t%d chips=1 start_time=0 end_time=%d "
                   "outcome=completed",
                   i, i, SPANS);
    CHECK(trace_add(&s.fleet, line, 1, &column, &err) == MPG_OK);
  }
  for (int i = 0; i < SPANS; i++) {
    (void)snprintf(line, LINE, "spans job=j kind=serve start_time=%d end_time=%d flops=1 dtype=%s",
                   i, i + 1, i % 2 == 0 ? "int8" : "odd");
    CHECK(trace_add(&s.fleet, line, 1, &column, &err) == MPG_OK);
  }
  CHECK(mpg_fleet_seal(&s.fleet, &err) == MPG_OK);
  CHECK(mpg_gang_init(&gang, &env, &err) == MPG_OK);
  CHECK(mpg_gang_build(&gang, &s.fleet, &s.fleet.jobs[0],
                       &(mpg_pool_ends){.as_of = s.fleet.last, .usual = s.fleet.last},
                       &err) == MPG_OK);
  gangs = poller;
  mpg_gang_free(&gang);
  CHECK(mpg_accounting_init(&accounting, &env, &s.fleet, &options, &err) == MPG_OK);
  poller = 0;
  CHECK(mpg_accounting_unit(&accounting, 0, &s.sink, "test", &err) == MPG_OK);
  /* Work of 4 for each part, and on each of its lanes: to weigh and to rate it, and to tell it.
  ** Before that each of its ratings is cleared; and once for the job, and as often as its gang
  ** asks. */
  CHECK(poller == gangs + (int)(2 * SPANS * 4 * (POOLS + 1) / MPG_POLL_WORK +
                                SPANS * 4 * (POOLS + 1) / MPG_POLL_WORK +
                                SPANS * POOLS / MPG_POLL_TURNS + 1));
  CHECK(s.rows.n >= (size_t)POOLS * SPANS);
  mpg_accounting_free(&accounting);
  scene_close(&s);
}

/* And behind what a gang held before it was complete, which has no parts. */
static void test_incomplete(void) {
  enum { POOLS = 100, CHANGES = 1000 };
  mpg_ledger_options options = mpg_ledger_defaults();
  mpg_accounting accounting;
  scene s;
  mpg_gang gang;
  mpg_err err;
  int column, poller = 0, gangs;
  mpg_env env = {
      .resize = mpg_env_libc.resize, .interrupted = count_asks, .interrupted_ctx = &poller};
  char line[LINE];
  scene_open(&s);
  CHECK(mpg_fleet_from(&s.fleet, "test", &err) == MPG_OK);
  CHECK(trace_add(&s.fleet, "jobs job=j chips=1000", 1, &column, &err) == MPG_OK);
  for (int i = 0; i < POOLS + CHANGES; i++) {
    bool whole = i < POOLS;
    (void)snprintf(line, LINE,
                   "allocations job=j attempt=1 pool=p%d chips=1 start_time=%d end_time=%d",
                   whole ? i : 0, whole ? 0 : 2 * (i - POOLS) + 1,
                   whole ? 2 * CHANGES + 1 : 2 * (i - POOLS) + 2);
    CHECK(trace_add(&s.fleet, line, 1, &column, &err) == MPG_OK);
  }
  CHECK(mpg_fleet_seal(&s.fleet, &err) == MPG_OK);
  CHECK(mpg_gang_init(&gang, &env, &err) == MPG_OK);
  CHECK(mpg_gang_build(&gang, &s.fleet, &s.fleet.jobs[0],
                       &(mpg_pool_ends){.as_of = s.fleet.last, .usual = s.fleet.last},
                       &err) == MPG_OK);
  gangs = poller;
  CHECK(gang.nstretches == 2 * CHANGES + 1 && gang.npools == POOLS);
  CHECK(mpg_accounting_init(&accounting, &env, &s.fleet, &options, &err) == MPG_OK);
  poller = 0;
  CHECK(mpg_accounting_unit(&accounting, 0, &s.sink, "test", &err) == MPG_OK);
  CHECK(poller == gangs + (int)(2 * CHANGES * 4 * (POOLS + 1) / MPG_POLL_WORK) + 1);
  mpg_accounting_free(&accounting);
  mpg_gang_free(&gang);
  scene_close(&s);
}

int main(void) {
  static const int odds[] = {1000, 30, 10, 4};
  static const mpg_chip_row one = {"one", NULL, "bf16", "test", NULL, 0,
                                   0,     1e12, 1e9,    1e9,    1e9,  1e9};
  int64_t seen[MPG_NOTICES + 1] = {0};
  mpg_chips *chips = NULL;
  mpg_err err;
  CHECK(mpg_chips_new(&chips, &mpg_env_libc, &err) == MPG_OK &&
        mpg_chips_add(chips, &one, &err) == MPG_OK);
  for (int round = 0; round < 1600 / check_stride(2); round++) {
    mpg_ledger_options options = mpg_ledger_defaults();
    uint32_t mask = (uint32_t)check_draw(1u << MPG_DIMS);
    mpg_issues issues;
    mpg_fleet fleet;
    mpg_rc rc;
    odd = odds[round % 4];
    mpg_issues_init(&issues, &mpg_env_libc);
    CHECK(mpg_fleet_init(&fleet, &mpg_env_libc, &issues, chips, &err) == MPG_OK);
    rc = mpg_fleet_from(&fleet, "test", &err);
    fleet.keep_origins = check_below(2) == 0;
    rc = rc == MPG_OK ? add_pools(&fleet, &err) : rc;
    rc = rc == MPG_OK ? add_programs(&fleet, &err) : rc;
    for (int job = 0; rc == MPG_OK && job < 2; job++)
      rc = add_job(&fleet, (char)('a' + job), &err);
    if (rc == MPG_OK && is_odd()) /* of a job that never held anything */
      rc = add_commit(&fleet, 'c', 1, check_below(TIMES), &err);
    CHECK(rc == MPG_OK && mpg_fleet_seal(&fleet, &err) == MPG_OK);
    options.rules.memory_roofline = check_below(2) == 0;
    if (is_odd())
      options.rules.as_of = check_below(TIMES) * MPG_SECOND;
    compare(&fleet, &options, mask, seen);
    options.window.since = check_below(TIMES) * (MPG_SECOND / 2);
    options.window.until = options.window.since + check_below(TIMES) * (MPG_SECOND / 2);
    if (check_below(2))
      options.window.bucket.width_us = (1 + check_below(9)) * MPG_SECOND;
    compare(&fleet, &options, mask, seen);
    mpg_fleet_free(&fleet);
    mpg_issues_free(&issues);
  }
  mpg_chips_free(chips);
  for (int k = 0; k <= MPG_NOTICES; k++) /* the last: ideal time */
    CHECK(k == MPG_NOTICE_DUPLICATE_ALLOCATION || k == MPG_NOTICE_NEGATIVE_STEPS || seen[k] > 10);
  test_holds();
  test_sinks();
  test_memory();
  test_lanes();
  test_incomplete();
  return check_done("timeline");
}
