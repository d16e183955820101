/*
** test_ledger.c - the golden fleet through the core alone, to the microsecond; sums at every grain;
** and the same with every allocation failing once.
*/
#include "trace.h"
#include "check.h"
#include "../../ext/goodput/ledger/ledger.h"
#include "../../ext/goodput/ledger/rollup.h"

#include <stdlib.h>

static const char *const golden[] = {
    "capacity pool=p chip=tpu-v4 chips=8 start_time=0 end_time=100",
    "outages pool=p chips=1 start_time=52 end_time=60 kind=hw_down",
    "jobs job=J1 phase=training chips=4 submit_time=0",
    "jobs job=J2 phase=serving chips=2",
    "allocations job=J1 attempt=1 task=a pool=p chips=2 start_time=0 end_time=52 outcome=node_fail",
    "allocations job=J1 attempt=1 task=b pool=p chips=2 start_time=10 end_time=52 "
    "outcome=node_fail",
    "allocations job=J1 attempt=2 task=a pool=p chips=3 start_time=52 end_time=95 "
    "outcome=completed",
    "allocations job=J1 attempt=2 task=b pool=p chips=1 start_time=60 end_time=95 "
    "outcome=completed",
    "allocations job=J2 pool=p chips=2 start_time=0 end_time=100",
    "spans job=J1 kind=init start_time=10 end_time=20",
    "spans job=J1 kind=step step=1 program=s start_time=20 end_time=30",
    "spans job=J1 kind=step step=2 program=s start_time=30 end_time=40",
    "spans job=J1 kind=step step=3 program=s start_time=40 end_time=50",
    "spans job=J1 kind=step step=4 program=s start_time=50",
    "spans job=J1 kind=restore start_time=60 end_time=65",
    "spans job=J1 kind=step step=3 program=s start_time=65 end_time=75",
    "spans job=J1 kind=step step=4 program=s start_time=75 end_time=85",
    "spans job=J1 kind=step step=5 program=s start_time=85 end_time=95",
    "spans job=J2 kind=serve program=q executions=6 start_time=20 end_time=80",
    "commits job=J1 step=2 snapshot_time=40 durable_time=40",
    "programs program=s flops=5.5e15 dtype=bf16",
    "programs program=q flops=1.1e15 dtype=bf16",
};
enum { LINES = sizeof golden / sizeof *golden };

typedef struct totals {
  mpg_i128 category[MPG_CATEGORIES], intervals;
} totals;

/* Every row of the ledger into `sink`. */
static mpg_rc account(const mpg_env *env, const mpg_sink *sink, mpg_fleet *fleet,
                      mpg_accounting *accounting, const mpg_ledger_options *options, mpg_err *err) {
  mpg_rc rc = trace_build(fleet, golden, LINES, err);
  if (rc == MPG_OK)
    rc = mpg_accounting_init(accounting, env, fleet, options, err);
  for (size_t u = 0; rc == MPG_OK && u < mpg_accounting_units(accounting); u++)
    rc = mpg_accounting_unit(accounting, u, sink, "test", err);
  return rc == MPG_OK ? mpg_accounting_finish(accounting, "test", err) : rc;
}

/* The golden fleet's totals: by way of the ledger (mask 0) or of a roll-up at the grain of
** `mask`. */
static mpg_rc run(const mpg_env *env, uint32_t mask, const mpg_ledger_options *options, totals *out,
                  size_t *rows) {
  mpg_issues issues;
  mpg_chips *chips = NULL;
  mpg_fleet fleet = {0};
  mpg_accounting accounting = {0};
  mpg_ledger ledger;
  mpg_rollup rollup = {0};
  mpg_sink sink;
  mpg_err err;
  mpg_rc rc;
  memset(out, 0, sizeof *out);
  mpg_issues_init(&issues, env);
  mpg_ledger_init(&ledger, env);
  sink = mpg_ledger_sink(&ledger);
  rc = mpg_chips_new(&chips, env, &err);
  if (rc == MPG_OK)
    rc = mpg_fleet_init(&fleet, env, &issues, chips, &err);
  if (rc == MPG_OK)
    rc = account(env, &sink, &fleet, &accounting, options, &err);
  if (rc == MPG_OK && mask != 0) {
    sink = mpg_rollup_sink(&rollup);
    rc = mpg_rollup_init(&rollup, env, &fleet, mask, &err);
    for (size_t i = 0; rc == MPG_OK && i < ledger.n; i++) {
      mpg_row row = {.job = ledger.job[i],
                     .pool = ledger.pool[i],
                     .chip = ledger.chip[i],
                     .cause = ledger.cause[i],
                     .size = ledger.size[i],
                     .category = (mpg_category)ledger.category[i],
                     .attempt = ledger.attempt[i],
                     .bucket = ledger.bucket[i],
                     .chip_us = ledger.chip_us[i]};
      rc = sink.row(sink.ctx, &row);
    }
  }
  *rows = mask ? rollup.ncells : ledger.n;
  for (size_t i = 0; rc == MPG_OK && mask && i < rollup.ncells; i++) {
    out->category[rollup.cells[i].category] += rollup.cells[i].chip_us;
    out->intervals += rollup.cells[i].intervals;
  }
  for (size_t i = 0; rc == MPG_OK && !mask && i < ledger.n; i++) {
    out->category[ledger.category[i]] += ledger.chip_us[i];
    out->intervals++;
  }
  mpg_rollup_free(&rollup);
  mpg_ledger_free(&ledger);
  mpg_accounting_free(&accounting);
  mpg_fleet_free(&fleet);
  mpg_chips_free(chips);
  mpg_issues_free(&issues);
  return rc;
}

static const struct {
  mpg_category category;
  int64_t chip_s;
} expected[] = {{MPG_DOWN, 8},           {MPG_IDLE, 240}, {MPG_PARTIAL, 44}, {MPG_STARTUP, 40},
                {MPG_RESTORE, 20},       {MPG_LOST, 48},  {MPG_STALL, 80},   {MPG_IDEAL, 124},
                {MPG_INEFFICIENCY, 196}, {MPG_QUEUED, 28}};

static int is_golden(const totals *t) {
  mpg_i128 rest = 0;
  for (int c = 0; c < MPG_CATEGORIES; c++)
    rest += t->category[c];
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    if (t->category[expected[i].category] != expected[i].chip_s * 1000000)
      return 0;
    rest -= t->category[expected[i].category];
  }
  return rest == 0;
}

/* An allocator whose n-th allocation fails, once or ever after. */
typedef struct faulty {
  int64_t left, live;
  int forever, failed;
} faulty;

static void *faulty_resize(void *ctx, void *p, size_t n) {
  faulty *f = ctx;
  void *q;
  if (n == 0) {
    f->live -= p != NULL;
    free(p);
    return NULL;
  }
  if (--f->left == 0 || (f->forever && f->left < 0)) {
    f->failed = 1;
    return NULL;
  }
  q = realloc(p, n);
  f->live += p == NULL && q != NULL;
  return q;
}

/* How many injected failures were swallowed, leaked, or gave wrong sums; -1 if none was
** injected. */
static int sweep(int forever, const mpg_ledger_options *options, int64_t *points) {
  int wrong = 0;
  for (int64_t n = 1;; n++) {
    faulty f = {n, 0, forever, 0};
    mpg_env env = {.resize = faulty_resize, .resize_ctx = &f};
    totals t;
    size_t rows;
    mpg_rc rc = run(&env, 1u << MPG_DIM_CATEGORY | 1u << MPG_DIM_PHASE, options, &t, &rows);
    wrong += f.live != 0 || (rc == MPG_OK ? !is_golden(&t) : rc != MPG_NOMEM);
    if (!f.failed) {
      *points = n - 1;
      return rc == MPG_OK ? wrong : -1;
    }
  }
}

/* By start, end, attempt, pool, category; the same whatever the order in which rows came. */
static void check_order(void) {
  enum { ROWS = 300 };
  mpg_ledger l;
  mpg_sink sink;
  uint32_t seed = 7;
  mpg_ledger_init(&l, &mpg_env_libc);
  sink = mpg_ledger_sink(&l);
  for (int i = 0; i < ROWS; i++) {
    mpg_row row = {.job = (uint32_t)i};
    int64_t *times[] = {&row.start, &row.end, &row.attempt};
    for (int k = 0; k < 5; k++) {
      seed = seed * 1664525 + 1013904223;
      if (k < 3)
        *times[k] = seed >> 30;
      else if (k == 3)
        row.pool = seed >> 30;
      else
        row.category = (mpg_category)(seed >> 30);
    }
    CHECK(sink.row(sink.ctx, &row) == MPG_OK);
  }
  CHECK(mpg_ledger_sort(&l) == MPG_OK && l.n == ROWS);
  for (size_t i = 1; i < l.n; i++) {
    size_t a = l.order[i - 1], b = l.order[i];
    int64_t before[] = {l.start[a], l.end[a], l.attempt[a], l.pool[a], l.category[a]};
    int64_t now[] = {l.start[b], l.end[b], l.attempt[b], l.pool[b], l.category[b]};
    int k = 0;
    while (k < 4 && before[k] == now[k])
      k++;
    CHECK(before[k] <= now[k]);
  }
  mpg_ledger_free(&l);
}

/*
** Buckets are counted from the first that is on record, of whatever kind: a limit of ten million of
** a second, in a trace of as many seconds, and of one more.
*/
static void check_first_times(void) {
  static const char *const early[] = {
      "capacity pool=p chips=1 start_time=%d", "outages pool=p chips=1 start_time=%d kind=x",
      "allocations job=j pool=p chips=1 start_time=%d", "jobs job=i chips=1 submit_time=%d"};
  static const char late[] = "allocations job=k pool=q chips=1 start_time=5000 end_time=10000001";
  for (size_t k = 0; k < sizeof early / sizeof *early; k++)
    for (int first = 0; first < 3; first++)
      for (int place = 0; place < 2; place++) {
        mpg_ledger_options options = mpg_ledger_defaults();
        char line[100], later[100];
        const char *lines[3];
        mpg_issues issues;
        mpg_chips *chips = NULL;
        mpg_fleet fleet;
        mpg_accounting a;
        mpg_err err;
        (void)snprintf(line, sizeof line, early[k], first);
        (void)snprintf(later, sizeof later, early[k],
                       6000); /* a later one of its kind, before it */
        lines[place] = late;
        lines[1 - place] = later;
        lines[2] = line;
        if (k == 3) /* of a job the first time is kept */
          lines[1 - place] = line;
        options.window.bucket.width_us = MPG_SECOND;
        mpg_issues_init(&issues, &mpg_env_libc);
        CHECK(mpg_chips_new(&chips, &mpg_env_libc, &err) == MPG_OK);
        CHECK(mpg_fleet_init(&fleet, &mpg_env_libc, &issues, chips, &err) == MPG_OK);
        CHECK(trace_build(&fleet, lines, k == 3 ? 2 : 3, &err) == MPG_OK);
        CHECK(mpg_accounting_init(&a, &mpg_env_libc, &fleet, &options, &err) ==
              (first == 0 ? MPG_LIMIT : MPG_OK));
        mpg_accounting_free(&a);
        options.window.since = MPG_SECOND; /* what is before it is not cut */
        CHECK(mpg_accounting_init(&a, &mpg_env_libc, &fleet, &options, &err) == MPG_OK);
        mpg_accounting_free(&a);
        options.window = (mpg_window){0, 10000000 * MPG_SECOND, options.window.bucket};
        CHECK(mpg_accounting_init(&a, &mpg_env_libc, &fleet, &options, &err) == MPG_OK);
        mpg_accounting_free(&a);
        mpg_accounting_free(&a);
        mpg_fleet_free(&fleet);
        mpg_chips_free(chips);
        mpg_issues_free(&issues);
      }
}

/* ---- The evidence of a row ---- */

static int evident, elsewhere;

/* The span that covers a row of the golden fleet, which has one at most, is what the row names;
** else it names none. */
static mpg_rc see_evidence(void *ctx, const mpg_row *row) {
  static const struct {
    uint32_t job;
    int64_t start, end, step, line; /* s */
    const char *kind, *program;
  } spans[] = {{1, 10, 20, MPG_NONE, 10, "init", ""}, {1, 20, 30, 1, 11, "step", "s"},
               {1, 30, 40, 2, 12, "step", "s"},       {1, 40, 50, 3, 13, "step", "s"},
               {1, 50, 52, 4, 14, "step", "s"},       {1, 60, 65, MPG_NONE, 15, "restore", ""},
               {1, 65, 75, 3, 16, "step", "s"},       {1, 75, 85, 4, 17, "step", "s"},
               {1, 85, 95, 5, 18, "step", "s"},       {2, 20, 80, MPG_NONE, 19, "serve", "q"}};
  const mpg_fleet *fleet = ctx;
  const char *kind = "", *program = "";
  int64_t step = MPG_NONE, line = row->line;
  for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
    if (row->job == spans[i].job && row->start >= spans[i].start * MPG_SECOND &&
        row->end <= spans[i].end * MPG_SECOND && row->category != MPG_QUEUED) {
      kind = spans[i].kind;
      program = spans[i].program;
      step = spans[i].step;
      line = spans[i].line;
    }
  evident += kind[0] != '\0';
  elsewhere += kind[0] == '\0';
  CHECK(mpg_str_eq(mpg_intern_text(&fleet->kind_names, row->kind), mpg_str_of(kind)));
  CHECK(mpg_str_eq(mpg_intern_text(&fleet->program_names, row->program), mpg_str_of(program)));
  CHECK(row->step == step && row->line == line);
  return MPG_OK;
}

static void check_evidence(void) {
  mpg_ledger_options options = mpg_ledger_defaults();
  mpg_issues issues;
  mpg_chips *chips = NULL;
  mpg_fleet fleet;
  mpg_accounting a = {0};
  mpg_sink sink = {see_evidence, &fleet, NULL};
  mpg_err err;
  mpg_issues_init(&issues, &mpg_env_libc);
  CHECK(mpg_chips_new(&chips, &mpg_env_libc, &err) == MPG_OK);
  CHECK(mpg_fleet_init(&fleet, &mpg_env_libc, &issues, chips, &err) == MPG_OK);
  fleet.keep_origins = true;
  CHECK(account(&mpg_env_libc, &sink, &fleet, &a, &options, &err) == MPG_OK);
  CHECK(evident >= 10 && elsewhere >= 8);
  mpg_accounting_free(&a);
  mpg_fleet_free(&fleet);
  mpg_chips_free(chips);
  mpg_issues_free(&issues);
}

/* A sink that says no at any row is heard at once, and the error says so even where the sink did
** not. */
static mpg_rc refuse(void *ctx, const mpg_row *row) {
  long *left = ctx;
  (void)row;
  if (*left < 0)
    return MPG_MISUSE; /* it was told already */
  return (*left)-- == 0 ? MPG_NOMEM : MPG_OK;
}

static void check_refusal(void) {
  mpg_rc rc = MPG_NOMEM;
  long n = 0;
  for (; rc != MPG_OK && n < 1000; n++) {
    mpg_ledger_options options = mpg_ledger_defaults();
    mpg_issues issues;
    mpg_chips *chips = NULL;
    mpg_fleet fleet;
    mpg_accounting a = {0};
    long left = n;
    mpg_sink sink = {refuse, &left, NULL};
    mpg_err err = {MPG_OK, ""};
    mpg_issues_init(&issues, &mpg_env_libc);
    CHECK(mpg_chips_new(&chips, &mpg_env_libc, &err) == MPG_OK);
    CHECK(mpg_fleet_init(&fleet, &mpg_env_libc, &issues, chips, &err) == MPG_OK);
    err = (mpg_err){MPG_OK, ""};
    rc = account(&mpg_env_libc, &sink, &fleet, &a, &options, &err);
    CHECK(rc == MPG_OK || (rc == MPG_NOMEM && err.rc == rc && err.text[0] != '\0'));
    mpg_accounting_free(&a);
    mpg_fleet_free(&fleet);
    mpg_chips_free(chips);
    mpg_issues_free(&issues);
  }
  CHECK(n > 20 && n < 1000); /* as many as there are rows */
}

/* A fleet's rows summed by pool and category, and the detail of one kind of its issues: "" where
** it has none. */
static void pools_of(const char *const *lines, size_t n, const char *kind,
                     int64_t chip_us[8][MPG_CATEGORIES], char detail[512]) {
  mpg_ledger_options options = mpg_ledger_defaults();
  mpg_issues issues;
  mpg_chips *chips = NULL;
  mpg_fleet fleet;
  mpg_accounting a;
  mpg_ledger ledger;
  mpg_sink sink;
  mpg_err err;
  memset(chip_us, 0, 8 * sizeof *chip_us);
  detail[0] = '\0';
  mpg_issues_init(&issues, &mpg_env_libc);
  mpg_ledger_init(&ledger, &mpg_env_libc);
  sink = mpg_ledger_sink(&ledger);
  CHECK(mpg_chips_new(&chips, &mpg_env_libc, &err) == MPG_OK);
  CHECK(mpg_fleet_init(&fleet, &mpg_env_libc, &issues, chips, &err) == MPG_OK);
  CHECK(trace_build(&fleet, lines, n, &err) == MPG_OK);
  CHECK(mpg_accounting_init(&a, &mpg_env_libc, &fleet, &options, &err) == MPG_OK);
  for (size_t u = 0; u < mpg_accounting_units(&a); u++)
    CHECK(mpg_accounting_unit(&a, u, &sink, "test", &err) == MPG_OK);
  CHECK(mpg_accounting_finish(&a, "test", &err) == MPG_OK);
  for (size_t i = 0; i < ledger.n; i++)
    chip_us[ledger.pool[i]][ledger.category[i]] += ledger.chip_us[i];
  for (size_t i = 0; i < issues.n; i++)
    if (strcmp(issues.items[i].kind, kind) == 0)
      (void)snprintf(detail, 512, "%s", issues.items[i].detail);
  mpg_ledger_free(&ledger);
  mpg_accounting_free(&a);
  mpg_fleet_free(&fleet);
  mpg_chips_free(chips);
  mpg_issues_free(&issues);
}

/*
** A step on chips of several kinds: its FLOPs are spread over its chip-seconds, and each part is
** held against the peak of its own chip, 275e12 and 989.5e12 FLOP/s. Pools p and r are of one kind,
** q of another.
*/
static void check_chips_of_a_step(void) {
  static const char *const lines[] = {
      "capacity pool=p chip=tpu-v4 chips=9 start_time=0",
      "capacity pool=q chip=nvidia-h100-sxm chips=9 start_time=0",
      "capacity pool=r chip=tpu-v4 chips=9 start_time=0",
      "allocations job=j attempt=1 task=a pool=p chips=1 start_time=0 end_time=10 "
      "outcome=completed",
      "allocations job=j attempt=1 task=b pool=q chips=2 start_time=0 end_time=10 "
      "outcome=completed",
      "allocations job=j attempt=1 task=c pool=r chips=1 start_time=0 end_time=10 "
      "outcome=completed",
      "spans job=j kind=step step=1 start_time=0 end_time=10 flops=1.1e15"};
  int64_t us[8][MPG_CATEGORIES];
  char detail[512];
  pools_of(lines, 7, "above_roofline", us, detail);
  /* Half of it is 2 s of a TPU v4 between p and r, the other half 0.555836 s of an H100. */
  CHECK(us[1][MPG_IDEAL] == 1000000 && us[1][MPG_INEFFICIENCY] == 9000000);
  CHECK(us[2][MPG_IDEAL] == 555836 && us[2][MPG_INEFFICIENCY] == 19444164);
  CHECK(us[3][MPG_IDEAL] == 1000000 && us[3][MPG_INEFFICIENCY] == 9000000);
  CHECK(detail[0] == '\0');
}

/* An ideal of 4e18 microseconds, which 1.1e27 FLOPs are of a TPU v4, is too long to be one. */
static void check_longest(void) {
  const char *lines[] = {
      "capacity pool=p chip=tpu-v4 chips=1 start_time=0",
      "allocations job=j pool=p chips=1 start_time=0 end_time=10 outcome=completed", NULL};
  int64_t us[8][MPG_CATEGORIES];
  char detail[512];
  lines[2] = "spans job=j kind=step step=1 start_time=0 end_time=10 flops=1.0999999e27";
  pools_of(lines, 3, "above_roofline", us, detail);
  CHECK(us[1][MPG_IDEAL] > INT64_C(3999999000000000000) && us[1][MPG_UNRATED] == 0);
  CHECK(us[1][MPG_IDEAL] < INT64_C(4000000000000000000) && detail[0] != '\0');
  lines[2] = "spans job=j kind=step step=1 start_time=0 end_time=10 flops=1.1e27";
  pools_of(lines, 3, "above_roofline", us, detail);
  CHECK(us[1][MPG_IDEAL] == 0 && us[1][MPG_UNRATED] == 10000000 && detail[0] == '\0');
}

/* Work of a span that others cover wholly has no time left to be held against: one FLOP is said,
** none is not. */
static void check_hidden(void) {
  for (int flops = 0; flops < 2; flops++) {
    const char *lines[] = {
        "capacity pool=p chip=tpu-v4 chips=1 start_time=0",
        "allocations job=j pool=p chips=1 start_time=0 end_time=10 outcome=completed",
        flops == 0 ? "spans job=j kind=step step=1 start_time=0 end_time=10 flops=0"
                   : "spans job=j kind=step step=1 start_time=0 end_time=10 flops=1",
        "spans job=j kind=eval start_time=0 end_time=6",
        "spans job=j kind=eval start_time=6 end_time=10"};
    int64_t us[8][MPG_CATEGORIES];
    char detail[512];
    pools_of(lines, 5, "hidden_span", us, detail);
    CHECK((detail[0] != '\0') == (flops > 0) && us[1][MPG_EVAL] == 10000000);
  }
}

/* More work than there was time for: what is said of it names the chip where there is but one
** kind of them. */
static void check_above(void) {
  static const struct {
    const char *chips[3]; /* of the pools p, q, r; NULL: none */
    const char *said;
  } jobs[] = {
      /* 1.1e17 FLOPs are 400 s of a TPU v4, of which there were 10, or 20, or 30; or half of them
      ** 200 s, and half 55.6 s of an H100 */
      {{"tpu-v4", NULL, NULL}, ", up to 40 on tpu-v4 at its default peak, bf16;"},
      {{"tpu-v4", "tpu-v4", NULL}, ", up to 20 on tpu-v4 at its default peak, bf16;"},
      {{"tpu-v4", "tpu-v4", "tpu-v4"}, ", up to 13.3 on tpu-v4 at its default peak, bf16;"},
      {{"tpu-v4", "nvidia-h100-sxm", NULL}, ", up to 12.8;"},
      {{"tpu-v4", "tpu-v4", "nvidia-h100-sxm"}, ", up to 10.1;"},
      {{"nvidia-h100-sxm", "tpu-v4", "tpu-v4"}, ", up to 10.1;"}};
  for (size_t k = 0; k < sizeof jobs / sizeof *jobs; k++) {
    char text[7][160], detail[512];
    const char *lines[7];
    int64_t us[8][MPG_CATEGORIES];
    size_t n = 0;
    for (int pool = 0; pool < 3 && jobs[k].chips[pool] != NULL; pool++) {
      (void)snprintf(text[n++], sizeof *text, "capacity pool=%c chip=%s chips=1 start_time=0",
                     'p' + pool, jobs[k].chips[pool]);
      (void)snprintf(text[n++], sizeof *text,
                     "allocations job=j attempt=1 task=%c pool=%c chips=1 start_time=0 end_time=10 "
                     "outcome=completed",
                     'a' + pool, 'p' + pool);
    }
    (void)snprintf(text[n++], sizeof *text,
                   "spans job=j kind=step step=1 start_time=0 end_time=10 flops=1.1e17");
    for (size_t i = 0; i < n; i++)
      lines[i] = text[i];
    pools_of(lines, n, "above_roofline", us, detail);
    CHECK(strstr(detail, jobs[k].said) != NULL);
    if (strstr(detail, jobs[k].said) == NULL)
      (void)fprintf(stderr, "  %s\n  expected %s\n", detail, jobs[k].said);
    for (size_t pool = 1; pool <= n / 2; pool++) /* inefficiency is below 0 by what is too much */
      CHECK(us[pool][MPG_IDEAL] > 10000000 &&
            us[pool][MPG_IDEAL] + us[pool][MPG_INEFFICIENCY] == 10000000);
  }
}

int main(void) {
  mpg_ledger_options options = mpg_ledger_defaults();
  const uint32_t category = 1u << MPG_DIM_CATEGORY;
  totals t;
  size_t rows, cells;
  int64_t points = 0;
  int wrong = 0;
  CHECK(run(&mpg_env_libc, 0, &options, &t, &rows) == MPG_OK && is_golden(&t));
  CHECK(run(&mpg_env_libc, category, &options, &t, &cells) == MPG_OK && is_golden(&t));
  CHECK(cells == 10 && t.intervals == (mpg_i128)rows);
  CHECK(run(&mpg_env_libc, category | 1u << MPG_DIM_POOL | 1u << MPG_DIM_CHIP, &options, &t,
            &cells) == MPG_OK);
  CHECK(cells == 10 && is_golden(&t));
  /* J1's and J2's ideal and inefficiency, apart: two cells more. */
  CHECK(run(&mpg_env_libc, category | 1u << MPG_DIM_JOB, &options, &t, &cells) == MPG_OK);
  CHECK(cells == 12 && is_golden(&t));
  for (uint32_t mask = category; mask < 1u << MPG_DIMS; mask += 997) { /* grains of every kind */
    if (run(&mpg_env_libc, mask | category, &options, &t, &cells) != MPG_OK || !is_golden(&t) ||
        t.intervals != (mpg_i128)rows || cells > rows)
      wrong++;
  }
  CHECK(wrong == 0);
  /* Buckets, and the rules' options. */
  options.window.bucket.width_us = 7 * MPG_SECOND;
  CHECK(run(&mpg_env_libc, category, &options, &t, &cells) == MPG_OK && is_golden(&t));
  CHECK(run(&mpg_env_libc, category | 1u << MPG_DIM_BUCKET, &options, &t, &cells) == MPG_OK &&
        is_golden(&t));
  options = mpg_ledger_defaults();
  options.rules.basis = MPG_BASIS_IN_SERVICE;
  CHECK(run(&mpg_env_libc, 0, &options, &t, &rows) == MPG_OK && t.category[MPG_DOWN] == 0 &&
        t.category[MPG_IDLE] == 240 * 1000000);
  options = mpg_ledger_defaults();
  options.rules.as_of = 62 * MPG_SECOND; /* J1 is restoring: its later steps have not happened */
  CHECK(run(&mpg_env_libc, 0, &options, &t, &rows) == MPG_OK);
  CHECK(t.category[MPG_PENDING] == 48 * 1000000 && t.category[MPG_RESTORE] == 8 * 1000000);
  CHECK(t.category[MPG_LOST] == 0 &&
        t.category[MPG_IDEAL] == (40 + 24 * 42 / 60) * 1000000 + 800000);
  options = mpg_ledger_defaults();
  options.window.bucket.width_us = 1;
  CHECK(run(&mpg_env_libc, 0, &options, &t, &rows) == MPG_LIMIT);

  options = mpg_ledger_defaults();
  CHECK(sweep(0, &options, &points) == 0);
  CHECK(sweep(1, &options, &points) == 0);
  CHECK(points > 50);
  check_order();
  check_first_times();
  check_evidence();
  check_refusal();
  check_chips_of_a_step();
  check_hidden();
  check_longest();
  check_above();
  return check_done("ledger");
}
