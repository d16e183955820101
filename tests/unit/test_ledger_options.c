/* Tests of ext/goodput/ledger/ledger_options.c, ledger_columns.c and relation_rows.c. */
#include "check.h"
#include "hostile.h"
#include "trace.h"
#include "../../ext/goodput/ledger/ledger_columns.h"
#include "../../ext/base/pipeline.h"
#include "../../ext/goodput/trace/relation_rows.h"

#include <string.h>

#define TEXT(t) ((mpg_value){.type = MPG_TEXT, .s = MPG_STR(t)})
#define INT(v) ((mpg_value){.type = MPG_INT, .i = (v)})
#define REAL(v) ((mpg_value){.type = MPG_REAL, .r = (v)})

static mpg_ledger_options options;
static bool skip;
static int threads;

static mpg_rc read_one(mpg_arg a, mpg_value v, mpg_err *err) {
  mpg_value args[MPG_ARGS] = {{0}};
  args[a] = v;
  return mpg_ledger_args_read(args, &options, &skip, &threads, err);
}

static bool takes(mpg_arg a, mpg_value v) {
  mpg_err err;
  return read_one(a, v, &err) == MPG_OK;
}

static bool refuses(mpg_arg a, mpg_value v, const char *text) {
  mpg_err err = {MPG_OK, ""};
  mpg_rc rc = read_one(a, v, &err);
  if (rc != MPG_OK && strcmp(err.text, text) != 0)
    (void)fprintf(stderr, "  the text is: %s\n", err.text);
  return rc != MPG_OK && strcmp(err.text, text) == 0;
}

#define BARE(name, found)                                                                          \
  name ": expected Unix seconds or ISO 8601 time, found " found                                    \
       ", which a date without quotes or dashes comes to: write '2026-01-06', or " found           \
       ".0 for seconds"

static void test_args(void) {
  mpg_value none[MPG_ARGS] = {{0}};
  mpg_err err;
  CHECK(mpg_ledger_args_read(none, &options, &skip, &threads, &err) == MPG_OK);
  CHECK(!skip && threads >= 1 && threads <= 16 && options.rules.as_of == MPG_NONE);
  CHECK(takes(MPG_ARG_SINCE, TEXT("1970-01-01T00:01:00Z")) && options.window.since == 60000000);
  CHECK(takes(MPG_ARG_SINCE, INT(1899)) && takes(MPG_ARG_SINCE, TEXT("2262")));
  CHECK(takes(MPG_ARG_UNTIL, REAL(2019)) && options.window.until == 2019000000);
  CHECK(takes(MPG_ARG_UNTIL, TEXT("2019.0")) && options.window.until == 2019000000);
  CHECK(takes(MPG_ARG_UNTIL, INT(20260006)) && takes(MPG_ARG_UNTIL, INT(20261306)));
  CHECK(takes(MPG_ARG_UNTIL, INT(20260100)) && takes(MPG_ARG_UNTIL, INT(20260132)));
  CHECK(takes(MPG_ARG_UNTIL, INT(18991231)) && takes(MPG_ARG_UNTIL, TEXT("22620101")));
  CHECK(refuses(MPG_ARG_SINCE, INT(2019), BARE("since", "2019")));
  CHECK(refuses(MPG_ARG_UNTIL, INT(1900), BARE("until", "1900")));
  CHECK(refuses(MPG_ARG_AS_OF, TEXT("2261"), BARE("as_of", "2261")));
  CHECK(refuses(MPG_ARG_AS_OF, TEXT("20261231"), BARE("as_of", "20261231")));
  CHECK(refuses(MPG_ARG_SINCE, INT(19000101), BARE("since", "19000101")));
  CHECK(takes(MPG_ARG_AS_OF, REAL(0.5)) && options.rules.as_of == 500000);
  CHECK(takes(MPG_ARG_BUCKET_WIDTH, INT(30)) && options.window.bucket.width_us == 30000000);
  CHECK(takes(MPG_ARG_BASIS, TEXT("shard")) && options.rules.basis == MPG_BASIS_SHARD);
  CHECK(takes(MPG_ARG_ROOFLINE, TEXT("memory")) && options.rules.memory_roofline);
  CHECK(takes(MPG_ARG_ON_ERROR, TEXT("skip")) && skip);
  CHECK(takes(MPG_ARG_SIZES, TEXT("1,2,3")) && options.rules.sizes.from[2] == 3 * MPG_CHIP);
  CHECK(takes(MPG_ARG_THREADS, INT(64)) && threads == 64);
  CHECK(refuses(MPG_ARG_BASIS, TEXT("shard\0x"),
                "basis: expected 'installed', 'in_service' or 'shard', found 'shard\\x00x'"));
  CHECK(refuses(MPG_ARG_ROOFLINE, INT(-7), "roofline: expected 'compute' or 'memory', found '-7'"));
  CHECK(refuses(MPG_ARG_ON_ERROR, REAL(0.5), "on_error: expected 'stop' or 'skip', found '0.5'"));
  CHECK(refuses(MPG_ARG_ON_ERROR, TEXT(""), "on_error: expected 'stop' or 'skip', found ''"));
  CHECK(refuses(MPG_ARG_THREADS, INT(65),
                "threads: expected a whole number from 1 to 64, found '65'"));
  CHECK(refuses(MPG_ARG_THREADS, REAL(2),
                "threads: expected a whole number from 1 to 64, found '2.0'"));
  CHECK(refuses(MPG_ARG_SIZES, INT(5),
                "sizes: expected three rising numbers of chips such as '16,256,2048', found '5'"));
  CHECK(refuses(MPG_ARG_UNTIL, TEXT("noon"),
                "until: expected Unix seconds or ISO 8601 time, found \"noon\""));
}

static uint32_t grain(const char *names) {
  uint32_t mask = UINT32_MAX;
  mpg_err err;
  return mpg_ledger_grain_parse(mpg_ledger_table_get(1), "by", mpg_str_of(names), &mask, &err) ==
                 MPG_OK
             ? mask
             : UINT32_MAX;
}

static void test_tables(void) {
  for (int i = 0; i < MPG_LEDGER_TABLES; i++) {
    const mpg_ledger_table *t = mpg_ledger_table_get(i);
    CHECK(t->files == (strncmp(t->name, "trace_", 6) == 0));
    CHECK(t->args[0] == (t->files                         ? MPG_ARG_PATH
                         : t->shape == MPG_SHAPE_TIMELINE ? MPG_ARG_OF_JOB
                                                          : MPG_ARG_SCHEMA));
  }
  CHECK(grain("") == 0);
  CHECK(grain("pool") == 1u << MPG_DIM_POOL);
  CHECK(grain(" Pool , category,pool") == (1u << MPG_DIM_POOL | 1u << MPG_DIM_CATEGORY));
  CHECK(grain("name,labels") == (1u << MPG_DIM_NAME | 1u << MPG_DIM_LABELS));
  CHECK(grain("chip_us") == UINT32_MAX && grain("pool,") == UINT32_MAX);
  CHECK(grain(",pool") == UINT32_MAX && grain(" ") == UINT32_MAX && grain("poo") == UINT32_MAX);
  CHECK(mpg_ledger_grain(mpg_ledger_table_get(1), UINT64_MAX) == (1u << MPG_DIMS) - 1);
}

/* A sum past 64 bits is told in rows that add up to it, intervals on the last. */
static void test_pieces(void) {
  const mpg_i128 sums[] = {
      0, 5, -5, INT64_MAX, INT64_MIN, (mpg_i128)INT64_MAX * 3 + 7, (mpg_i128)INT64_MIN * 2 - 1};
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
    mpg_cell cell = {.intervals = 9, .chip_us = sums[i]};
    mpg_i128 left = cell.chip_us, total = 0;
    int64_t intervals = 0;
    do {
      mpg_ledger_row row = mpg_ledger_row_of_cell(&cell, &left);
      total += row.chip_us;
      intervals += row.intervals;
    } while (left != 0);
    CHECK(total == sums[i] && intervals == 9);
  }
}

typedef struct relation {
  mpg_chips *chips;
  mpg_issues issues;
  mpg_fleet fleet;
  mpg_relation_rows rows;
} relation;

static void relation_open_in(const mpg_env *env, relation *r, bool skipping) {
  mpg_err err;
  mpg_issues_init(&r->issues, &mpg_env_libc);
  CHECK(mpg_chips_new(&r->chips, &mpg_env_libc, &err) == MPG_OK);
  CHECK(mpg_fleet_init(&r->fleet, env, &r->issues, r->chips, &err) == MPG_OK);
  r->rows = (mpg_relation_rows){.fleet = &r->fleet,
                                .env = &mpg_env_libc,
                                .relation = MPG_REL_OUTAGES,
                                .source = "s.outages",
                                .skip = skipping};
  CHECK(mpg_relation_rows_begin(&r->rows, &err) == MPG_OK);
}

static void relation_open(relation *r, bool skipping) {
  relation_open_in(&mpg_env_libc, r, skipping);
}

static void relation_close(relation *r) {
  mpg_relation_rows_end(&r->rows);
  mpg_fleet_free(&r->fleet);
  mpg_issues_free(&r->issues);
  mpg_chips_free(r->chips);
}

static void test_relations(void) {
  static const char *const names[] = {"x", "START_TIME", "pool", "pool", "chips", "kind"};
  mpg_err err;
  relation r;
  for (int skipping = 0; skipping < 2; skipping++) {
    mpg_value good[MPG_MAX_COLUMNS] = {TEXT("p"), INT(4), INT(0), {0}, TEXT("")};
    mpg_value bad[MPG_MAX_COLUMNS] = {TEXT("p"), TEXT("four"), INT(0)};
    relation_open(&r, skipping);
    CHECK(mpg_relation_rows_columns_end(&r.rows, &err) == MPG_DATA);
    CHECK(strcmp(err.text, "s.outages: expected a column \"pool\", found none") == 0);
    for (int i = 0; i < 6; i++)
      CHECK(mpg_relation_rows_column(&r.rows, i, names[i], &err) == MPG_OK);
    CHECK(mpg_relation_rows_columns_end(&r.rows, &err) == MPG_OK);
    CHECK(r.rows.of[OUTAGES_POOL] == 2 && r.rows.of[OUTAGES_START] == 1);
    CHECK(r.rows.of[OUTAGES_END] == -1 && r.rows.of[OUTAGES_KIND] == 5);
    CHECK(mpg_relation_rows_add(&r.rows, good, 1, &err) == MPG_OK);
    CHECK(good[OUTAGES_KIND].type == MPG_NULL && r.fleet.noutages == 1);
    CHECK(mpg_relation_rows_add(&r.rows, bad, 7, &err) == (skipping ? MPG_OK : MPG_DATA));
    CHECK(skipping || strncmp(err.text, "s.outages:7: outages.chips: expected ", 37) == 0);
    CHECK(r.issues.n == (skipping ? 2 : 1) && r.fleet.noutages == 1);
    CHECK(mpg_relation_rows_begin(&r.rows, &err) == MPG_OK && r.issues.n == 0);
    relation_close(&r);
  }
}

/* Without memory for what is to be told, and stopped every few thousand rows. */
static void test_relation_faults(void) {
  mpg_value good[MPG_MAX_COLUMNS] = {TEXT("p"), INT(4), INT(0), INT(9), TEXT("down")};
  mpg_value bad[MPG_MAX_COLUMNS] = {TEXT("p"), TEXT("four"), INT(0)};
  hostile h = {0, 0, false, false, 0};
  mpg_env env = hostile_env(&h);
  mpg_err err;
  int64_t row = 0;
  mpg_rc rc = MPG_OK;
  relation r;
  relation_open(&r, true);
  r.issues.env = &env; /* which are empty yet */
  for (int told = 0; told < 2; told++) {
    h.fail_in = 1;
    CHECK((told ? mpg_relation_rows_add(&r.rows, bad, 7, &err)
                : mpg_relation_rows_column(&r.rows, 0, "x", &err)) == MPG_NOMEM);
    CHECK(strcmp(err.text, "out of memory") == 0);
    CHECK((told ? mpg_relation_rows_add(&r.rows, bad, 7, &err)
                : mpg_relation_rows_column(&r.rows, 0, "x", &err)) == MPG_OK);
  }
  r.rows.env = &env;
  h.stop_in = 2;
  while (rc == MPG_OK && row < 10000)
    rc = mpg_relation_rows_add(&r.rows, good, ++row, &err);
  CHECK(rc == MPG_INTERRUPTED && row > 1000 && row < 9000);
  CHECK(strcmp(err.text, "interrupted") == 0);
  relation_close(&r);
  CHECK(h.live == 0);
}

/* A row that there is no memory for is no broken one: it is not skipped, and says so. */
static void test_relation_memory(void) {
  mpg_value good[MPG_MAX_COLUMNS] = {TEXT("p"), INT(4), INT(0), INT(9), TEXT("down")};
  hostile h = {0, 0, false, false, 0};
  mpg_env env = hostile_env(&h);
  relation r;
  relation_open_in(&env, &r, true);
  for (int64_t row = 1; row < 40; row++) {
    mpg_err err = {MPG_OK, "as it was"};
    mpg_rc rc;
    h.fail_in = 1;
    h.failed = false;
    rc = mpg_relation_rows_add(&r.rows, good, row, &err);
    CHECK(rc == (h.failed ? MPG_NOMEM : MPG_OK) && err.rc == rc);
    CHECK(strcmp(err.text, h.failed ? "out of memory" : "as it was") == 0);
    h.fail_in = 0;
    if (h.failed)
      CHECK(mpg_relation_rows_add(&r.rows, good, row, &err) == MPG_OK);
    CHECK(r.fleet.noutages == (size_t)row && r.issues.n == 0);
  }
  relation_close(&r);
  CHECK(h.live == 0);
}

static bool is_text(mpg_value v, const char *text) {
  return v.type == MPG_TEXT && mpg_str_eq(v.s, mpg_str_of(text));
}

/* Each column's value of a row in which everything is known, and of one in which nothing is. */
static void test_values(void) {
  static const char *const lines[] = {
      "capacity pool=p chip=tpu-v4 chips=8 start_time=0 end_time=7300",
      "jobs job=J name=n owner=o phase=training framework=f runtime=r model=m priority=q labels=l",
      "allocations job=J attempt=3 pool=p chips=4 start_time=3601.5 end_time=7200",
      "spans job=J kind=step step=7 program=s start_time=3601.5 end_time=7200"};
  static const char *const texts[] = {"p", "tpu-v4", "J", NULL, "n", "o", "training",
                                      "f", "r",      "m", "S",  "q", "l"};
  mpg_bucket bucket = {0};
  mpg_ledger_row none = {.attempt = MPG_NONE, .bucket = MPG_NONE, .step = MPG_NONE};
  char room[MPG_LEDGER_VALUE_TEXT];
  mpg_err err = {MPG_OK, ""};
  mpg_ledger_options o = mpg_ledger_defaults();
  mpg_accounting a = {0};
  mpg_ledger l;
  mpg_sink sink;
  size_t at = SIZE_MAX;
  relation r;
  mpg_issues_init(&r.issues, &mpg_env_libc);
  CHECK(mpg_chips_new(&r.chips, &mpg_env_libc, &err) == MPG_OK);
  CHECK(mpg_fleet_init(&r.fleet, &mpg_env_libc, &r.issues, r.chips, &err) == MPG_OK);
  r.fleet.keep_origins = true;
  CHECK(trace_build(&r.fleet, lines, sizeof lines / sizeof *lines, &err) == MPG_OK);
  mpg_ledger_init(&l, &mpg_env_libc);
  sink = mpg_ledger_sink(&l);
  CHECK(mpg_bucket_parse(&TEXT("hour"), &bucket, &err) == MPG_OK);
  o.window.bucket = bucket;
  CHECK(mpg_accounting_init(&a, &mpg_env_libc, &r.fleet, &o, &err) == MPG_OK);
  for (size_t u = 0; u < mpg_accounting_units(&a); u++)
    CHECK(mpg_accounting_unit(&a, u, &sink, "test", &err) == MPG_OK);
  for (size_t i = 0; i < l.n; i++)
    if (l.step[i] == 7)
      at = i;
  CHECK(at != SIZE_MAX);
  if (at != SIZE_MAX) {
    mpg_ledger_row row = mpg_ledger_row_at(&l, at);
#define OF(column) mpg_ledger_value(&r.fleet, &bucket, &row, MPG_COL_##column, room)
    for (int c = 0; c < (int)(sizeof texts / sizeof *texts); c++)
      if (texts[c] != NULL)
        CHECK(is_text(mpg_ledger_value(&r.fleet, &bucket, &row, (mpg_ledger_column)c, room),
                      texts[c]));
    CHECK(OF(ATTEMPT).type == MPG_INT && OF(ATTEMPT).i == 3);
    CHECK(OF(START_TIME).type == MPG_REAL && OF(START_TIME).r == 3601.5);
    CHECK(OF(END_TIME).type == MPG_REAL && OF(END_TIME).r == 7200);
    CHECK(is_text(OF(BUCKET), "1970-01-01 01:00:00"));
    CHECK(OF(CHIP_US).type == MPG_INT && OF(CHIP_US).i == 4 * 3598500000LL);
    CHECK(OF(CHIP_SECONDS).type == MPG_REAL && OF(CHIP_SECONDS).r == 4 * 3598.5);
    CHECK(OF(INTERVALS).type == MPG_INT && OF(INTERVALS).i == 1);
    CHECK(OF(STEP).type == MPG_INT && OF(STEP).i == 7);
    CHECK(is_text(OF(KIND), "step") && is_text(OF(PROGRAM), "s") && is_text(OF(FILE), "test"));
    CHECK(OF(LINE).type == MPG_INT && OF(LINE).i == 4);
    CHECK(OF(CATEGORY).type == MPG_TEXT && OF(CATEGORY).s.n > 0);
#undef OF
    for (int c = 0; c < MPG_COLS; c++) {
      mpg_value v = mpg_ledger_value(&r.fleet, &bucket, &none, (mpg_ledger_column)c, room);
      bool number = c == MPG_COL_CHIP_US || c == MPG_COL_INTERVALS;
      bool real = c == MPG_COL_START_TIME || c == MPG_COL_END_TIME || c == MPG_COL_CHIP_SECONDS;
      if (number || real)
        CHECK(v.type == (number ? MPG_INT : MPG_REAL) && (number ? v.i == 0 : v.r == 0));
      else
        CHECK(c == MPG_COL_CATEGORY || c == MPG_COL_SIZE ? true : v.type == MPG_NULL);
    }
  }
  mpg_ledger_free(&l);
  mpg_accounting_free(&a);
  mpg_fleet_free(&r.fleet);
  mpg_issues_free(&r.issues);
  mpg_chips_free(r.chips);
}

int main(void) {
  test_args();
  test_tables();
  test_pieces();
  test_relations();
  test_relation_faults();
  test_relation_memory();
  test_values();
  return check_done("ledger_options");
}
