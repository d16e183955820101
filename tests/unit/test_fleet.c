/* test_fleet.c - records are checked field by field, merged where they repeat, and refused
** whole. */
#include "../../ext/goodput/trace/pool_ends.h"
#include "trace.h"
#include "../../ext/goodput/trace/relation_rows.h"
#include "check.h"

#include <math.h>
#include <stdio.h>

static mpg_issues issues;
static mpg_chips *chips;
static mpg_fleet fleet;

/* The error of a record, "" where it is fine. */
static const char *refusal(const char *line) {
  static mpg_err err;
  static char text[MPG_ERR_TEXT + 16];
  int column = -1;
  err.text[0] = '\0';
  if (trace_add(&fleet, line, 7, &column, &err) == MPG_OK)
    return "";
  (void)snprintf(text, sizeof text, "%d %s", column, err.text);
  return text;
}

#define REFUSED(line, what)                                                                        \
  do {                                                                                             \
    const char *found = refusal(line);                                                             \
    CHECK(strcmp(found, what) == 0);                                                               \
    if (strcmp(found, what) != 0)                                                                  \
      (void)fprintf(stderr, "  %s\n  gives    %s\n  expected %s\n", line, found, what);            \
  } while (0)
#define TAKEN(line) REFUSED(line, "")

/* A file is called after its relation, in either case, and what follows the letters does not
** matter. */
static void check_files(void) {
  for (int r = 0; r < MPG_RELATIONS; r++) {
    const mpg_relation_info *info = mpg_relation_get((mpg_relation)r);
    static const char after[] = ".@[`{-_0 ", more[] = "AZaz";
    const mpg_relation of_files = r == MPG_REL_OBSERVED ? MPG_RELATIONS : (mpg_relation)r;
    char path[80];
    CHECK(mpg_relation_by_record(mpg_str_of(info->record)) == of_files);
    CHECK(mpg_relation_by_record(mpg_str_of(info->name)) ==
          (strcmp(info->name, info->record) == 0 ? of_files : MPG_RELATIONS));
    for (size_t k = 0; k < sizeof after; k++) {
      (void)snprintf(path, sizeof path, "a/spans/%s%c.gz", info->name, after[k]);
      CHECK(mpg_relation_by_file(path) == of_files);
      path[8] = (char)(path[8] - 'a' + 'A');
      CHECK(mpg_relation_by_file(path) == of_files);
      CHECK(mpg_relation_by_file(path + 8) == of_files);
    }
    for (size_t k = 0; more[k] != '\0'; k++) {
      (void)snprintf(path, sizeof path, "%s%c.csv", info->name, more[k]);
      CHECK(mpg_relation_by_file(path) == MPG_RELATIONS);
    }
    for (size_t c = 0; c < info->ncolumns; c++)
      CHECK(mpg_column_by_name((mpg_relation)r, mpg_str_of(info->columns[c])) == (int)c);
    CHECK(mpg_column_by_name((mpg_relation)r, MPG_STR("nothing")) == -1);
  }
}

/* A reader says until when it observed a pool; the latest time counts. */
static void check_observed(void) {
  static const int64_t until[] = {20, 30, 10};
  int column;
  mpg_issues found;
  mpg_fleet f;
  mpg_pool_ends ends;
  mpg_err err;
  mpg_issues_init(&found, &mpg_env_libc);
  CHECK(mpg_fleet_init(&f, &mpg_env_libc, &found, NULL, &err) == MPG_OK);
  for (size_t i = 0; i < 3; i++) {
    const mpg_str pool = i < 2 ? MPG_STR("p") : MPG_STR("q");
    const mpg_value values[] = {[OBSERVED_POOL] = {.type = MPG_TEXT, .s = pool},
                                [OBSERVED_UNTIL] = {.type = MPG_INT, .i = until[i]},
                                [OBSERVED_CHIP] = {.type = MPG_NULL}};
    CHECK(mpg_fleet_add(&f, MPG_REL_OBSERVED, values, 1, &column, &err) == MPG_OK);
  }
  CHECK(f.last == 0 && mpg_fleet_seal(&f, &err) == MPG_OK);
  CHECK(mpg_pool_ends_init(&ends, &mpg_env_libc, &f) == MPG_OK);
  CHECK(mpg_pool_end(&ends, 0) == 30000000 && mpg_pool_end(&ends, 1) == 10000000);
  CHECK(ends.as_of == 30000000);
  mpg_pool_ends_free(&ends);
  mpg_fleet_free(&f);
  mpg_issues_free(&found);
}

static void check_refusals(void) {
  REFUSED("spans kind=step start_time=1", "0 spans.job: expected a value, found nothing");
  REFUSED("spans job=a start_time=1", "2 spans.kind: expected a value, found nothing");
  REFUSED("spans job=a kind=step start_time=2 end_time=1",
          "4 spans.end_time: expected an end that is not before the start, found \"1\"");
  REFUSED("spans job=a kind=step start_time=1 step=1.5",
          "5 spans.step: expected an integer, found \"1.5\"");
  REFUSED("spans job=a kind=step start_time=1 step=x",
          "5 spans.step: expected an integer, found \"x\"");
  REFUSED("spans job=a kind=step start_time=1 step=-9223372036854775808",
          "5 spans.step: expected an integer, found \"-9223372036854775808\"");
  REFUSED("spans job=a kind=step start_time=1 flops=-1",
          "7 spans.flops: expected a number of at least 0, found \"-1\"");
  REFUSED("spans job=a kind=step start_time=1 flops=many",
          "7 spans.flops: expected a number, found \"many\"");
  REFUSED("capacity pool=p chips=-1 start_time=0",
          "2 capacity.chips: expected a number of chips from 0 to 1e9, found \"-1\"");
  REFUSED("capacity pool=p chips=1000000001 start_time=0",
          "2 capacity.chips: expected a number of chips from 0 to 1e9, found \"1000000001\"");
  REFUSED("allocations job=a pool=p chips=1 start_time=0 outcome=done",
          "7 allocations.outcome: expected completed, failed, cancelled, preempted, timeout, "
          "node_fail, released or "
          "nothing, found \"done\"");
  REFUSED("chips chip=mine dtype=bf16 peak_flops=0",
          "2 chips.peak_flops: expected a number above 0, found \"0\"");
  CHECK(strncmp(refusal("jobs job=a submit_time=yesterday"), "12 jobs.submit_time: expected ",
                30) == 0);
  CHECK(mpg_fleet_njobs(&fleet) == 0 && mpg_fleet_npools(&fleet) == 0 && fleet.nspans == 0);
  CHECK(fleet.last == 0); /* times of refused records do not move the end of the trace */
}

static void check_values(void) {
  mpg_err err;
  mpg_span s;
  TAKEN("spans job=a attempt=2 kind=step start_time=1.5 end_time=1970-01-01T00:00:03Z step=5.0 "
        "program=q "
        "flops=1e3 bytes=2 dtype=bf16 executions=3");
  (void)mpg_fleet_spans(&fleet, 0, &s, sizeof s, &mpg_env_libc, &err);
  CHECK(s.start == 1500000 && s.end == 3000000 && s.attempt == 2 && s.step == 5);
  CHECK(s.kind == MPG_KIND_STEP && s.flops == 1000 && s.bytes == 2 && s.executions == 3);
  CHECK(s.program == 1 && !fleet.program_recorded[0] && s.line == 0);
  CHECK(fleet.last == 3000000 && fleet.nspans == 1 && fleet.records[MPG_REL_SPANS] == 1);
  TAKEN("programs program=q flops=9");
  CHECK(fleet.program_recorded[0] && fleet.programs[0].flops == 9 &&
        isnan(fleet.programs[0].bytes));
  TAKEN("allocations job=a pool=p chips=0.000001 start_time=4");
  CHECK(fleet.allocations[0].chips == 1 && fleet.allocations[0].end == MPG_OPEN);
  CHECK(fleet.allocations[0].attempt == MPG_NONE && fleet.allocations[0].outcome == MPG_RUNNING);
  TAKEN("capacity pool=p chip=TPU_V4 chips=0 start_time=0");
  TAKEN("outages pool=p chips=1 start_time=0");
  CHECK(mpg_str_eq(mpg_intern_text(&fleet.texts, fleet.outages[0].kind), MPG_STR("down")));
}

/* Records of one job in any order come to the same: a value over NULL, the greater of two. */
static void check_merging(void) {
  TAKEN("jobs job=m chips=4 owner=x");
  TAKEN("jobs job=m chips=8 model=y");
  TAKEN("jobs job=m");
  CHECK(mpg_fleet_njobs(&fleet) == 2);
  CHECK(fleet.jobs[1].chips == 8 * MPG_CHIP && fleet.jobs[1].recorded && !fleet.jobs[0].recorded);
  CHECK(mpg_str_eq(mpg_intern_text(&fleet.texts, fleet.jobs[1].dim[JOBS_OWNER - JOBS_NAME]),
                   MPG_STR("x")));
  CHECK(mpg_str_eq(mpg_intern_text(&fleet.texts, fleet.jobs[1].dim[JOBS_MODEL - JOBS_NAME]),
                   MPG_STR("y")));
  CHECK(issues.n == 1 && strcmp(issues.items[0].kind, "conflicting_job") == 0 &&
        issues.items[0].count == 1);
  TAKEN("programs program=q flops=8");
  CHECK(fleet.programs[0].flops == 9);
  CHECK(issues.n == 2 && strcmp(issues.items[1].kind, "conflicting_program") == 0);
  TAKEN("jobs job=AAAAAAAA-bbbb-4ccc-8ddd-EEEEEEEEEEEE chips=1");
  TAKEN("jobs job=urn:uuid:aaaaaaaa-BBBB-4ccc-8ddd-eeeeeeeeeeee tasks=1");
  CHECK(mpg_fleet_njobs(&fleet) == 3 && fleet.jobs[2].chips == MPG_CHIP &&
        fleet.jobs[2].tasks == 1);
}

/* Rows of a host's table: columns by name, the first of two; what breaks a rule is an error, or
** is listed. */
static void check_host_rows(void) {
  static const mpg_value null = {MPG_NULL, 0, 0.0, {NULL, 0}};
  mpg_value values[MPG_MAX_COLUMNS];
  mpg_issues own;
  mpg_fleet of;
  mpg_relation_rows rows = {
      .fleet = &of, .env = &mpg_env_libc, .relation = MPG_REL_COMMITS, .source = "main.c", .n = 9};
  mpg_err err;
  mpg_issues_init(&own, &mpg_env_libc);
  CHECK(mpg_fleet_init(&of, &mpg_env_libc, &own, chips, &err) == MPG_OK);
  CHECK(mpg_issues_add(&own, MPG_INFO, "main.c", "of_before", 0, 1, "x") == MPG_OK);
  CHECK(mpg_relation_rows_begin(&rows, &err) == MPG_OK && own.n == 0 && rows.n == 0);
  CHECK(strcmp(of.source, "main.c") == 0);
  CHECK(mpg_relation_rows_columns_end(&rows, &err) == MPG_DATA);
  CHECK(strcmp(err.text, "main.c: expected a column \"job\", found none") == 0);
  CHECK(mpg_relation_rows_column(&rows, 4, "job", &err) == MPG_OK);
  CHECK(mpg_relation_rows_column(&rows, 5, "odd", &err) == MPG_OK && own.n == 1);
  CHECK(strcmp(own.items[0].kind, "unknown_column") == 0);
  CHECK(mpg_relation_rows_column(&rows, 0, "step", &err) == MPG_OK); /* a place may be 0 */
  CHECK(mpg_relation_rows_column(&rows, 6, "step", &err) == MPG_OK);
  CHECK(rows.of[COMMITS_JOB] == 4 && rows.of[COMMITS_STEP] == 0 && rows.of[COMMITS_DURABLE] == -1);
  CHECK(mpg_relation_rows_columns_end(&rows, &err) == MPG_OK);
  for (int skip = 0; skip < 2; skip++) {
    rows.skip = skip;
    for (size_t c = 0; c < MPG_MAX_COLUMNS; c++)
      values[c] = null;
    values[COMMITS_JOB] = (mpg_value){MPG_TEXT, 0, 0.0, MPG_STR("a")};
    values[COMMITS_STEP] = (mpg_value){MPG_INT, 7, 0.0, {NULL, 0}};
    values[COMMITS_DURABLE] = (mpg_value){MPG_TEXT, 0, 0.0, MPG_STR("")}; /* which is none */
    CHECK(mpg_relation_rows_add(&rows, values, 1, &err) == MPG_OK && rows.n == 1 + 2 * skip);
    values[COMMITS_JOB] = (mpg_value){MPG_TEXT, 0, 0.0, MPG_STR("")};
    CHECK(mpg_relation_rows_add(&rows, values, 12, &err) == (skip ? MPG_OK : MPG_DATA));
    CHECK(strcmp(err.text, "main.c:12: commits.job: expected a value, found nothing") == 0);
    rows.n = 2;
  }
  CHECK(of.records[MPG_REL_COMMITS] == 2 && own.n == 2 &&
        strcmp(own.items[1].kind, "skipped_record") == 0);
  CHECK(own.items[1].line == 12 && own.items[1].severity == MPG_DATA_LOSS);
  mpg_relation_rows_end(&rows);
  CHECK(of.source == NULL); /* whose name was borrowed */
  mpg_fleet_free(&of);
  mpg_issues_free(&own);
}

static void check_seal(void) {
  mpg_commit commits[2];
  mpg_err err;
  TAKEN("allocations job=m pool=p chips=1 start_time=9");
  TAKEN("allocations job=a pool=p chips=1 start_time=2 attempt=1");
  TAKEN("commits job=m step=3 durable_time=5");
  TAKEN("commits job=a step=3");
  TAKEN("commits job=m step=2 durable_time=5");
  TAKEN("capacity pool=p2 chip=NVIDIA_H200 chips=1 start_time=0");
  TAKEN("capacity pool=p3 chips=1 start_time=0");
  TAKEN("capacity pool=p4 chip=nobody_knows chips=1 start_time=0");
  CHECK(mpg_fleet_seal(&fleet, &err) == MPG_OK);
  CHECK(fleet.jobs[0].allocation == 0 && fleet.jobs[0].nallocations == 2);
  CHECK(fleet.allocations[0].start == 2000000 && fleet.jobs[1].nallocations == 1);
  CHECK(fleet.jobs[0].commits.n == 1 && fleet.jobs[1].commits.n == 2);
  CHECK(mpg_fleet_commits(&fleet, 1, commits, &mpg_env_libc, &err) == MPG_OK);
  CHECK(commits[0].step == 2 && commits[1].step == 3 && commits[1].job == 1);
  for (size_t i = 0; i < 5; i++) {
    static const char *const chip[] = {"tpu-v4", "", "nvidia-h200-sxm", "", "nobody_knows"};
    mpg_str found = mpg_intern_text(&fleet.texts, fleet.capacity[i].chip);
    CHECK(mpg_str_eq(found, mpg_str_of(chip[i])));
    if (!mpg_str_eq(found, mpg_str_of(chip[i])))
      (void)fprintf(stderr, "  chip: %.*s\n", (int)found.n, found.p);
  }
  for (uint32_t k = 1; k <= fleet.kind_names.n; k++) /* as causes kinds have the same names */
    CHECK(mpg_str_eq(mpg_intern_text(&fleet.texts, fleet.kind_causes[k]),
                     mpg_intern_text(&fleet.kind_names, k)));
}

/* What a name takes is in the bytes of the fleet, of whatever it is the name. */
static void check_bytes(void) {
  static const char *const lines[] = {
      "jobs job=%s", "jobs job=a owner=%s", "capacity pool=%s chips=1 start_time=0",
      "programs program=%s flops=1", "spans job=a kind=%s start_time=0 end_time=1"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    static char name[1 << 17], line[sizeof name + 100];
    size_t before = mpg_fleet_bytes(&fleet);
    memset(name, 'n', sizeof name - 1);
    (void)snprintf(line, sizeof line, lines[i], name);
    TAKEN(line);
    CHECK(mpg_fleet_bytes(&fleet) >= before + sizeof name - 1);
    CHECK(mpg_fleet_bytes(&fleet) < before + 16 * sizeof name);
  }
}

/* A record of `chips` is in the catalogue, column by column; what it leaves out is not known. */
static void check_chips(void) {
  char line[400], text[300];
  const mpg_chip_row *row;
  TAKEN("chips chip=own-1 dtype=bf16 peak_flops=1e15 hbm_bytes=2e10 hbm_bytes_per_s=3e12 "
        "ici_bytes_per_s=4e11 tdp_w=700 vendor=acme year=2031 source=datasheet");
  row = mpg_chips_peak(chips, "own-1", MPG_STR("bf16"));
  CHECK(row != NULL);
  if (row == NULL)
    return;
  CHECK(strcmp(row->chip, "own-1") == 0 && strcmp(row->dtype, "bf16") == 0);
  CHECK(row->peak_flops == 1e15 && row->hbm_bytes == 2e10 && row->hbm_bytes_per_s == 3e12);
  CHECK(row->ici_bytes_per_s == 4e11 && row->tdp_w == 700 && row->year == 2031);
  CHECK(strcmp(row->vendor, "acme") == 0 && strcmp(row->source, "datasheet") == 0);
  TAKEN("chips chip=own-2 dtype=fp8 peak_flops=1");
  row = mpg_chips_peak(chips, "own-2", MPG_STR("fp8"));
  CHECK(row != NULL);
  if (row == NULL)
    return;
  CHECK(row->vendor == NULL && row->source == NULL && row->year == 0);
  CHECK(isnan(row->hbm_bytes) && isnan(row->hbm_bytes_per_s) && isnan(row->ici_bytes_per_s));
  CHECK(isnan(row->tdp_w) && row->peak_flops == 1);
  memset(text, 'x', 256);
  text[256] = '\0';
  (void)snprintf(line, sizeof line, "chips chip=own-3 dtype=fp8 peak_flops=1 source=%s", text + 1);
  TAKEN(line);
  row = mpg_chips_peak(chips, "own-3", MPG_STR("fp8"));
  CHECK(row != NULL && strcmp(row->source, text + 1) == 0);
  (void)snprintf(line, sizeof line, "chips chip=own-4 dtype=fp8 peak_flops=1 source=%s", text);
  CHECK(strstr(refusal(line), "chips.source: expected a text of less than 256 bytes") != NULL);
  CHECK(mpg_chips_find(chips, MPG_STR("own-4")) == NULL);
}

int main(void) {
  mpg_err err;
  mpg_issues_init(&issues, &mpg_env_libc);
  CHECK(mpg_chips_new(&chips, &mpg_env_libc, &err) == MPG_OK);
  CHECK(mpg_fleet_init(&fleet, &mpg_env_libc, &issues, chips, &err) == MPG_OK);
  CHECK(mpg_fleet_from(&fleet, "test", &err) == MPG_OK);
  check_files();
  check_observed();
  check_refusals();
  check_values();
  check_merging();
  check_chips();
  check_bytes();
  check_host_rows();
  check_seal();
  mpg_fleet_free(&fleet);
  mpg_chips_free(chips);
  mpg_issues_free(&issues);
  return check_done("fleet");
}
