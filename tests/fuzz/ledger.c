/*
** ledger.c - fleets of any records, and what must hold of their ledger:
**
**   rules          each category of each job in each pool is what a naive computation makes of
**                  docs/rules.md
**   conservation   all categories but `queued` of a pool with capacity records sum to its capacity
**   order          records given backwards make the same sums
**   windows        the ledger until a moment and the one since it sum to the whole
**   buckets        cut the ledger, and change no sum
**   grain          roll-ups sum to the ledger
**   roads          the short road (goodput/rules/stretch_sums.h) gives the rows and cells of the
**                  long one
**
** Times are whole seconds and chips quarters, so that every chip-time is a whole number of
** microseconds and sums can be made beside the code that is tested.
*/
#include "fuzz.h"
#include "ledger_naive.h"
#include "../../ext/goodput/ledger/ledger.h"
#include "../../ext/goodput/ledger/rollup.h"

#include <stdio.h>
#include <string.h>

static ledger_record records[LEDGER_RECORDS];
static size_t nrecords;
static int64_t as_of; /* in seconds; 0: the end of the trace */

/* ---- Records from bytes ---- */

static mpg_value text(const char *z) {
  return (mpg_value){MPG_TEXT, 0, 0.0, mpg_str_of(z)};
}

static mpg_value pick(fuzz_script *s, const char *const *of, size_t n) {
  size_t i = fuzz_byte(s) % n;
  return of[i] == NULL ? (mpg_value){MPG_NULL, 0, 0.0, {NULL, 0}} : text(of[i]);
}

static mpg_value seconds(fuzz_script *s, int64_t from, bool may_lack) {
  uint8_t b = fuzz_byte(s);
  if (may_lack && b >= 0xe0)
    return (mpg_value){MPG_NULL, 0, 0.0, {NULL, 0}};
  return (mpg_value){MPG_INT, from + (from > 0 ? b % 64 : b), 0.0, {NULL, 0}};
}

static mpg_value quarters(fuzz_script *s, bool may_lack) {
  uint8_t b = fuzz_byte(s);
  if (may_lack && b >= 0xc0)
    return (mpg_value){MPG_NULL, 0, 0.0, {NULL, 0}};
  return (mpg_value){MPG_REAL, 0, (b % 64) / 4.0, {NULL, 0}};
}

static mpg_value flops(fuzz_script *s, bool may_lack) {
  uint8_t b = fuzz_byte(s);
  if (may_lack && b < 0xc0)
    return (mpg_value){MPG_NULL, 0, 0.0, {NULL, 0}};
  return (mpg_value){MPG_REAL, 0, b * 1e14, {NULL, 0}};
}

static mpg_value whole(fuzz_script *s, int modulus, bool may_lack) {
  uint8_t b = fuzz_byte(s);
  if (may_lack && b >= 0xc0)
    return (mpg_value){MPG_NULL, 0, 0.0, {NULL, 0}};
  return (mpg_value){MPG_INT, b % modulus, 0.0, {NULL, 0}};
}

static void make_record(fuzz_script *s, ledger_record *r) {
  static const char *const jobs[] = {"j0", "j1", "j2", "j3"}, *const pools[] = {"p0", "p1", "p2"};
  static const char *const chips[] = {"one", "tpu-v4", NULL, "unheard of"};
  static const char *const tasks[] = {NULL, "a", "b"};
  static const char *const outcomes[] = {NULL,      "completed", "failed",    "cancelled",
                                         "timeout", "preempted", "node_fail", "released"};
  static const char *const kinds[] = {"init",       "prep",  "compile", "restore", "input",
                                      "checkpoint", "eval",  "hang",    "step",    "step",
                                      "batch",      "serve", "batch",   "nap",     "rollout"};
  static const char *const phases[] = {NULL, "training", "serving", "bulk_inference"};
  static const char *const programs[] = {NULL, "f", "g"};
  mpg_value *v = r->values;
  memset(r, 0, sizeof *r);
  r->relation = (mpg_relation)(fuzz_byte(s) % MPG_REL_OBSERVED);
  switch (r->relation) {
  case MPG_REL_CAPACITY:
    v[CAPACITY_POOL] = pick(s, pools, LEDGER_POOLS);
    v[CAPACITY_CHIP] = pick(s, chips, 4);
    v[CAPACITY_CHIPS] = quarters(s, false);
    v[CAPACITY_START] = seconds(s, 0, false);
    v[CAPACITY_END] = seconds(s, v[CAPACITY_START].i, true);
    break;
  case MPG_REL_OUTAGES:
    v[OUTAGES_POOL] = pick(s, pools, LEDGER_POOLS);
    v[OUTAGES_CHIPS] = quarters(s, false);
    v[OUTAGES_START] = seconds(s, 0, false);
    v[OUTAGES_END] = seconds(s, v[OUTAGES_START].i, true);
    break;
  case MPG_REL_JOBS:
    v[JOBS_JOB] = pick(s, jobs, LEDGER_JOBS);
    v[JOBS_PHASE] = pick(s, phases, 4);
    v[JOBS_CHIPS] = quarters(s, true);
    v[JOBS_MIN_CHIPS] = quarters(s, true);
    v[JOBS_TASKS] = whole(s, 4, true);
    v[JOBS_SUBMIT] = seconds(s, 0, true);
    break;
  case MPG_REL_ALLOCATIONS:
    v[ALLOCATIONS_JOB] = pick(s, jobs, LEDGER_JOBS);
    v[ALLOCATIONS_ATTEMPT] = whole(s, 4, true);
    v[ALLOCATIONS_TASK] = pick(s, tasks, 3);
    v[ALLOCATIONS_POOL] = pick(s, pools, LEDGER_POOLS);
    v[ALLOCATIONS_CHIPS] = quarters(s, false);
    v[ALLOCATIONS_START] = seconds(s, 0, false);
    v[ALLOCATIONS_END] = seconds(s, v[ALLOCATIONS_START].i, true);
    v[ALLOCATIONS_OUTCOME] = pick(s, outcomes, 8);
    break;
  case MPG_REL_SPANS:
    v[SPANS_JOB] = pick(s, jobs, LEDGER_JOBS);
    v[SPANS_ATTEMPT] = whole(s, 4, true);
    v[SPANS_KIND] = pick(s, kinds, sizeof kinds / sizeof *kinds);
    v[SPANS_START] = seconds(s, 0, false);
    v[SPANS_END] = seconds(s, v[SPANS_START].i, true);
    v[SPANS_STEP] = whole(s, 10, true);
    v[SPANS_PROGRAM] = pick(s, programs, 3);
    v[SPANS_EXECUTIONS] = whole(s, 5, true);
    v[SPANS_FLOPS] = flops(s, true);
    break;
  case MPG_REL_COMMITS:
    v[COMMITS_JOB] = pick(s, jobs, LEDGER_JOBS);
    v[COMMITS_ATTEMPT] = whole(s, 4, true);
    v[COMMITS_STEP] = whole(s, 10, true);
    v[COMMITS_SNAPSHOT] = seconds(s, 0, true);
    v[COMMITS_DURABLE] = seconds(s, 0, true);
    break;
  default:
    v[PROGRAMS_PROGRAM] = text(fuzz_byte(s) % 2 ? "f" : "g");
    v[PROGRAMS_FLOPS] = flops(s, false);
    v[PROGRAMS_DTYPE] = text("bf16");
  }
}

/* ---- Sums of a ledger, and of a roll-up ---- */

static mpg_ledger_options defaults(void) {
  mpg_ledger_options options = mpg_ledger_defaults();
  if (as_of > 0)
    options.rules.as_of = as_of * MPG_SECOND;
  return options;
}

typedef struct taker {
  const mpg_fleet *fleet;
  ledger_sums *into;
  mpg_sink and_to; /* row NULL: nobody */
} taker;

/* Names end in their number. */
static size_t number_of(const mpg_intern *names, uint32_t index) {
  mpg_str name;
  if (index == 0)
    return 0;
  name = mpg_intern_text(names, index);
  return 1 + (size_t)(name.p[name.n - 1] - '0');
}

static mpg_rc take(void *ctx, const mpg_row *row) {
  const taker *t = ctx;
  CHECK(row->start < row->end && row->category < MPG_CATEGORIES && row->chip_us != 0);
  CHECK(row->category == MPG_INEFFICIENCY || row->category == MPG_IDLE || row->chip_us > 0);
  t->into->of[number_of(&t->fleet->job_names, row->job)]
             [number_of(&t->fleet->pool_names, row->pool)][row->category] += row->chip_us;
  t->into->intervals++;
  return t->and_to.row == NULL ? MPG_OK : t->and_to.row(t->and_to.ctx, row);
}

static void sums_of(const mpg_fleet *fleet, const mpg_ledger_options *options, ledger_sums *out,
                    mpg_rollup *rollup) {
  taker t = {fleet, out, {NULL, NULL, NULL}};
  mpg_sink sink = {take, &t, NULL};
  mpg_accounting accounting;
  mpg_err err;
  memset(out, 0, sizeof *out);
  if (rollup != NULL)
    t.and_to = mpg_rollup_sink(rollup);
  CHECK(mpg_accounting_init(&accounting, &mpg_env_libc, fleet, options, &err) == MPG_OK);
  for (size_t u = 0; u < mpg_accounting_units(&accounting); u++)
    CHECK(mpg_accounting_unit(&accounting, u, &sink, "fuzz", &err) == MPG_OK);
  CHECK(mpg_accounting_finish(&accounting, "fuzz", &err) == MPG_OK);
  mpg_accounting_free(&accounting);
}

static void check_same(const ledger_sums *a, const ledger_sums *b, const char *what) {
  for (int j = 0; j <= LEDGER_JOBS; j++)
    for (int p = 0; p <= LEDGER_POOLS; p++)
      for (int c = 0; c < MPG_CATEGORIES; c++)
        if (a->of[j][p][c] != b->of[j][p][c]) {
          (void)fprintf(stderr, "%s: job %d, pool %d, %s: %lld, %lld\n", what, j - 1, p - 1,
                        mpg_category_get((mpg_category)c)->name, (long long)a->of[j][p][c],
                        (long long)b->of[j][p][c]);
          fuzz_failed(__FILE__, __LINE__, what);
        }
}

/* ---- The fleet ---- */

typedef struct world {
  mpg_issues issues;
  mpg_fleet fleet;
} world;

/* Capacity of each pool, in quarters of chips times seconds; -1: no record. An open end is the
** trace's. */
static void build(world *w, bool backwards, int64_t capacity[LEDGER_POOLS]) {
  static const mpg_chip_row one = {"one",           NULL, "bf16", "fuzz", NULL, 0, 0,
                                   LEDGER_ONE_PEAK, 1e9,  1e9,    1e9,    1e9};
  static mpg_chips *chips; /* once: it is built of hundreds of rows, and no record changes it */
  mpg_err err;
  int column;
  mpg_issues_init(&w->issues, &mpg_env_libc);
  if (chips == NULL) {
    CHECK(mpg_chips_new(&chips, &mpg_env_libc, &err) == MPG_OK);
    CHECK(mpg_chips_add(chips, &one, &err) == MPG_OK);
  }
  CHECK(mpg_fleet_init(&w->fleet, &mpg_env_libc, &w->issues, chips, &err) == MPG_OK);
  CHECK(mpg_fleet_from(&w->fleet, "fuzz", &err) == MPG_OK);
  for (size_t k = 0; k < nrecords; k++) {
    size_t i = backwards ? nrecords - 1 - k : k;
    CHECK(mpg_fleet_add(&w->fleet, records[i].relation, records[i].values, (int64_t)i + 1, &column,
                        &err) == MPG_OK);
  }
  CHECK(mpg_fleet_seal(&w->fleet, &err) == MPG_OK);
  for (int p = 0; p < LEDGER_POOLS; p++)
    capacity[p] = -1;
  for (size_t i = 0; i < nrecords; i++) {
    const mpg_value *v = records[i].values;
    int64_t *of, last = as_of > 0 ? as_of : w->fleet.last / MPG_SECOND, end;
    if (records[i].relation != MPG_REL_CAPACITY)
      continue;
    of = &capacity[v[CAPACITY_POOL].s.p[1] - '0'];
    /* What begins when the trace ends is not there yet. */
    if (v[CAPACITY_START].i >= last)
      continue;
    end = v[CAPACITY_END].type == MPG_NULL || v[CAPACITY_END].i > last ? last : v[CAPACITY_END].i;
    *of += (*of < 0) + (int64_t)(v[CAPACITY_CHIPS].r * 4) * (end - v[CAPACITY_START].i);
  }
}

static void destroy(world *w) {
  mpg_fleet_free(&w->fleet);
  mpg_issues_free(&w->issues);
}

static void check_grain(const mpg_fleet *fleet, const ledger_sums *all, uint32_t mask) {
  static ledger_sums again;
  mpg_ledger_options options = defaults();
  mpg_i128 ledger[MPG_CATEGORIES] = {0}, cells[MPG_CATEGORIES] = {0}, intervals = 0;
  mpg_rollup rollup;
  mpg_err err;
  CHECK(mpg_rollup_init(&rollup, &mpg_env_libc, fleet, mask | 1 << MPG_DIM_CATEGORY, &err) ==
        MPG_OK);
  sums_of(fleet, &options, &again, &rollup);
  for (int j = 0; j <= LEDGER_JOBS; j++)
    for (int p = 0; p <= LEDGER_POOLS; p++)
      for (int c = 0; c < MPG_CATEGORIES; c++)
        ledger[c] += all->of[j][p][c];
  for (size_t i = 0; i < rollup.ncells; i++) {
    cells[rollup.cells[i].category] += rollup.cells[i].chip_us;
    intervals += rollup.cells[i].intervals;
  }
  for (int c = 0; c < MPG_CATEGORIES; c++)
    CHECK(cells[c] == ledger[c]);
  CHECK(intervals == all->intervals);
  mpg_rollup_free(&rollup);
}

/* The ledger's rows, or the cells of a roll-up. */
static void account(const mpg_fleet *fleet, const mpg_ledger_options *options,
                    const mpg_sink *sink) {
  mpg_accounting accounting;
  mpg_err err;
  CHECK(mpg_accounting_init(&accounting, &mpg_env_libc, fleet, options, &err) == MPG_OK);
  for (size_t u = 0; u < mpg_accounting_units(&accounting); u++)
    CHECK(mpg_accounting_unit(&accounting, u, sink, "fuzz", &err) == MPG_OK);
  mpg_accounting_free(&accounting);
}

static void check_rows(const mpg_ledger *a, const mpg_ledger *b) {
  CHECK(a->n == b->n);
  for (size_t i = 0; i < a->n; i++)
    CHECK(a->job[i] == b->job[i] && a->pool[i] == b->pool[i] && a->chip[i] == b->chip[i] &&
          a->cause[i] == b->cause[i] && a->kind[i] == b->kind[i] &&
          a->program[i] == b->program[i] && a->file[i] == b->file[i] && a->size[i] == b->size[i] &&
          a->category[i] == b->category[i] && a->attempt[i] == b->attempt[i] &&
          a->start[i] == b->start[i] && a->end[i] == b->end[i] && a->bucket[i] == b->bucket[i] &&
          a->chip_us[i] == b->chip_us[i] && a->step[i] == b->step[i] && a->line[i] == b->line[i]);
}

static void check_roads(const mpg_fleet *fleet, uint32_t mask, int64_t since, int64_t bucket) {
  mpg_ledger_options options = defaults();
  mpg_ledger ledgers[2];
  mpg_rollup rollups[2];
  mpg_sink sink;
  mpg_err err;
  options.window.since = since;
  options.window.bucket.width_us = bucket;
  for (int road = 0; road < 2; road++) {
    options.rules.long_road = road == 1;
    mpg_ledger_init(&ledgers[road], &mpg_env_libc);
    sink = mpg_ledger_sink(&ledgers[road]);
    account(fleet, &options, &sink);
    CHECK(mpg_rollup_init(&rollups[road], &mpg_env_libc, fleet, mask, &err) == MPG_OK);
    sink = mpg_rollup_sink(&rollups[road]);
    account(fleet, &options, &sink);
  }
  check_rows(&ledgers[0], &ledgers[1]);
  CHECK(rollups[0].ncells == rollups[1].ncells);
  for (size_t i = 0; i < rollups[0].ncells; i++) {
    const mpg_cell *a = &rollups[0].cells[i], *b = &rollups[1].cells[i];
    CHECK(a->job == b->job && a->pool == b->pool && a->chip == b->chip && a->cause == b->cause &&
          a->attempt == b->attempt && a->bucket == b->bucket && a->size == b->size &&
          a->category == b->category && a->intervals == b->intervals && a->chip_us == b->chip_us);
  }
  for (int road = 0; road < 2; road++) {
    mpg_ledger_free(&ledgers[road]);
    mpg_rollup_free(&rollups[road]);
  }
}

void fuzz_ledger(mpg_str input) {
  static ledger_sums all, other, part;
  fuzz_script s = {input};
  int64_t cut = fuzz_byte(&s) * MPG_SECOND, capacity[LEDGER_POOLS], again[LEDGER_POOLS];
  uint32_t mask = (uint32_t)fuzz_bytes(&s, 2) & ((1 << MPG_DIMS) - 1);
  mpg_ledger_options options;
  world w;
  as_of = fuzz_byte(&s);
  options = defaults();
  nrecords = 0;
  while (s.left.n > 0 && nrecords < LEDGER_RECORDS)
    make_record(&s, &records[nrecords++]);
  build(&w, false, capacity);
  sums_of(&w.fleet, &options, &all, NULL);
  ledger_naive(records, nrecords, as_of, &other);
  check_same(&all, &other, "rules");
  for (int p = 0; p < LEDGER_POOLS; p++) {
    mpg_i128 sum = 0;
    for (int j = 0; j <= LEDGER_JOBS; j++)
      for (int c = 0; c < MPG_CATEGORIES; c++)
        sum += c == MPG_QUEUED ? 0 : all.of[j][p + 1][c];
    if (capacity[p] >= 0 && sum != (mpg_i128)capacity[p] * (MPG_SECOND / 4)) {
      (void)fprintf(stderr, "pool %d: %lld of %lld\n", p, (long long)sum,
                    (long long)capacity[p] * (MPG_SECOND / 4));
      fuzz_failed(__FILE__, __LINE__, "capacity is conserved");
    }
  }
  options.window.until = cut;
  sums_of(&w.fleet, &options, &other, NULL);
  options = defaults();
  options.window.since = cut;
  sums_of(&w.fleet, &options, &part, NULL);
  for (int j = 0; j <= LEDGER_JOBS; j++)
    for (int p = 0; p <= LEDGER_POOLS; p++)
      for (int c = 0; c < MPG_CATEGORIES; c++)
        other.of[j][p][c] += part.of[j][p][c];
  check_same(&all, &other, "windows");
  options = defaults();
  options.window.bucket.width_us = 7 * MPG_SECOND;
  sums_of(&w.fleet, &options, &other, NULL);
  check_same(&all, &other, "buckets");
  check_grain(&w.fleet, &all, mask);
  check_roads(&w.fleet, mask, 0, 0);
  check_roads(&w.fleet, mask, cut, 7 * MPG_SECOND);
  destroy(&w);
  build(&w, true, again);
  options = defaults();
  sums_of(&w.fleet, &options, &other, NULL);
  check_same(&all, &other, "order");
  destroy(&w);
}
