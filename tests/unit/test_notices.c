/* test_notices.c - what was noticed, whatever the order in which it was told: issues.c and
** notices.c. */
#include "trace.h"
#include "check.h"
#include "hostile.h"
#include "../../ext/base/limits.h"
#include "../../ext/goodput/rules/notices.h"

#include <math.h>

static bool issue_is(const mpg_issue *i, const char *source, const char *kind, int64_t line,
                     int64_t count, mpg_severity severity, const char *detail) {
  return strcmp(i->source, source) == 0 && strcmp(i->kind, kind) == 0 && i->line == line &&
         i->count == count && i->severity == severity && strcmp(i->detail, detail) == 0;
}

/* One row for each source and kind: how often, and of the first place what it says. */
static void test_issues(void) {
  mpg_issues all, more;
  mpg_issues_init(&all, &mpg_env_libc);
  mpg_issues_init(&more, &mpg_env_libc);
  CHECK(strcmp(mpg_severity_name(MPG_INFO), "info") == 0);
  CHECK(strcmp(mpg_severity_name(MPG_WARNING), "warning") == 0);
  CHECK(strcmp(mpg_severity_name(MPG_DATA_LOSS), "data_loss") == 0);
  CHECK(mpg_issues_add(&all, MPG_WARNING, "a", "odd", 7, 2, "m %d", 7) == MPG_OK);
  CHECK(mpg_issues_add(&all, MPG_WARNING, "a", "odd", 8, 3, "a") == MPG_OK);
  CHECK(all.n == 1 && issue_is(&all.items[0], "a", "odd", 7, 5, MPG_WARNING, "m 7"));
  CHECK(mpg_issues_add(&all, MPG_WARNING, "a", "odd", 7, 1, "n") == MPG_OK);
  CHECK(mpg_issues_add(&all, MPG_WARNING, "a", "odd", 7, 1, "m 7") == MPG_OK);
  CHECK(all.n == 1 && issue_is(&all.items[0], "a", "odd", 7, 7, MPG_WARNING, "m 7"));
  CHECK(mpg_issues_add(&all, MPG_WARNING, "a", "odd", 7, 1, "l") == MPG_OK);
  CHECK(issue_is(&all.items[0], "a", "odd", 7, 8, MPG_WARNING, "l"));
  CHECK(mpg_issues_add(&all, MPG_WARNING, "a", "odd", 6, 1, "z") == MPG_OK);
  CHECK(issue_is(&all.items[0], "a", "odd", 6, 9, MPG_WARNING, "z"));
  CHECK(mpg_issues_add(&all, MPG_INFO, "b", "odd", 1, 1, "x") == MPG_OK);
  CHECK(mpg_issues_add(&all, MPG_DATA_LOSS, "a", "even", 0, 1, "y") == MPG_OK);
  CHECK(all.n == 3 && issue_is(&all.items[2], "a", "even", 0, 1, MPG_DATA_LOSS, "y"));
  CHECK(mpg_issues_add(&more, MPG_WARNING, "a", "odd", 5, 10, "50%% of it") == MPG_OK);
  CHECK(mpg_issues_add(&more, MPG_WARNING, "c", "odd", 5, 1, "new") == MPG_OK);
  for (size_t i = 0; i < more.n; i++)
    CHECK(mpg_issues_merge(&all, &more.items[i]) == MPG_OK);
  CHECK(all.n == 4 && issue_is(&all.items[0], "a", "odd", 5, 19, MPG_WARNING, "50% of it"));
  mpg_issues_drop(&all, "a");
  CHECK(all.n == 2 && issue_is(&all.items[0], "b", "odd", 1, 1, MPG_INFO, "x"));
  CHECK(issue_is(&all.items[1], "c", "odd", 5, 1, MPG_WARNING, "new"));
  mpg_issues_drop(&all, "a");
  CHECK(all.n == 2);
  mpg_issues_free(&all);
  CHECK(all.n == 0 && all.items == NULL);
  mpg_issues_free(&more);
}

/* As many rows as the limit says; the rest is counted in one row more. */
static void test_limit(void) {
  mpg_limits limits;
  mpg_env env = mpg_env_libc;
  mpg_issues all;
  mpg_limits_init(&limits);
  limits.of[MPG_LIMIT_ISSUES] = 2;
  env.limits = &limits;
  mpg_issues_init(&all, &env);
  for (int i = 0; i < 5; i++) {
    char kind[2] = {(char)('a' + i), '\0'};
    CHECK(mpg_issues_add(&all, MPG_INFO, "s", kind, 9, i + 1, "d") == MPG_OK);
  }
  CHECK(all.n == 3 && issue_is(&all.items[1], "s", "b", 9, 2, MPG_INFO, "d"));
  CHECK(issue_is(&all.items[2], "mpg_issues", "issues_not_listed", 0, 3 + 4 + 5, MPG_DATA_LOSS,
                 "more than mpg_limit('issues') allows: the first that is not listed is c of s"));
  CHECK(mpg_issues_add(&all, MPG_INFO, "s", "a", 3, 1, "e") == MPG_OK);
  CHECK(all.n == 3 && issue_is(&all.items[0], "s", "a", 3, 2, MPG_INFO, "e"));
  CHECK(mpg_issues_add(&all, MPG_DATA_LOSS, "mpg_issues", "issues_not_listed", 0, 8, "z") ==
        MPG_OK);
  CHECK(all.n == 3 && all.items[2].count == 20);
  mpg_issues_free(&all);
}

static void test_memory(void) {
  for (long fail = 1; fail < 9; fail++) {
    hostile h = {0, fail, false, false, 0};
    mpg_env env = hostile_env(&h);
    mpg_issues all;
    mpg_rc rc;
    mpg_issues_init(&all, &env);
    rc = mpg_issues_add(&all, MPG_INFO, "s", "k", 9, 1, "d");
    if (rc == MPG_OK)
      rc = mpg_issues_add(&all, MPG_INFO, "s", "k", 8, 1, "earlier");
    CHECK(rc == (fail <= 5 ? MPG_NOMEM : MPG_OK));
    CHECK(all.n == (fail > 4));
    CHECK(fail != 5 || strcmp(all.items[0].detail, "d") == 0);
    mpg_issues_free(&all);
    CHECK(h.live == 0);
  }
}

/* ---- Notices ---- */

static mpg_issues issues;
static mpg_chips *chips;
static mpg_fleet fleet;

static void open_fleet(void) {
  static const char *const lines[] = {"jobs job=m",
                                      "jobs job=a",
                                      "jobs job=z",
                                      "chips chip=mine dtype=bf16 peak_flops=100",
                                      "chips chip=mine dtype=fp8 peak_flops=200",
                                      "chips chip=mine dtype=fp32 peak_flops=50",
                                      "chips chip=ours dtype=bf16 peak_flops=100",
                                      "chips chip=even dtype=bf16 peak_flops=100",
                                      "chips chip=even dtype=fp8 peak_flops=200",
                                      "chips chip=even dtype=int8 peak_flops=200"};
  mpg_err err;
  int column;
  mpg_issues_init(&issues, &mpg_env_libc);
  CHECK(mpg_chips_new(&chips, &mpg_env_libc, &err) == MPG_OK);
  CHECK(mpg_fleet_init(&fleet, &mpg_env_libc, &issues, chips, &err) == MPG_OK);
  CHECK(mpg_fleet_from(&fleet, "test", &err) == MPG_OK);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    CHECK(trace_add(&fleet, lines[i], 1, &column, &err) == MPG_OK);
}

static const mpg_chip_row *peak(const char *chip, const char *dtype) {
  const mpg_chip_row *row = mpg_chips_peak(chips, mpg_chips_find(chips, mpg_str_of(chip)),
                                           dtype == NULL ? (mpg_str){NULL, 0} : mpg_str_of(dtype));
  CHECK(row != NULL);
  return row;
}

/* Counts, and the job that comes first by name. */
static void test_counts(void) {
  mpg_notices n = {0}, others = {0};
  mpg_err err;
  mpg_notice_add(&n, &fleet, MPG_NOTICE_OUT_OF_ORDER, 1, 0);
  CHECK(n.job[MPG_NOTICE_OUT_OF_ORDER] == 0);
  mpg_notice_add(&n, &fleet, MPG_NOTICE_OUT_OF_ORDER, 2, 5);
  mpg_notice_add(&n, &fleet, MPG_NOTICE_OUT_OF_ORDER, 0, 1);
  CHECK(n.count[MPG_NOTICE_OUT_OF_ORDER] == 6 && n.job[MPG_NOTICE_OUT_OF_ORDER] == 1);
  mpg_notice_add(&n, &fleet, MPG_NOTICE_OUT_OF_ORDER, 2, 1);
  CHECK(n.job[MPG_NOTICE_OUT_OF_ORDER] == 1);
  mpg_notice_add(&others, &fleet, MPG_NOTICE_OUT_OF_ORDER, 1, 4);
  mpg_notice_add(&others, &fleet, MPG_NOTICE_UNKNOWN_JOB, 2, 1);
  mpg_notices_merge(&n, &fleet, &others);
  CHECK(n.count[MPG_NOTICE_OUT_OF_ORDER] == 11 && n.job[MPG_NOTICE_OUT_OF_ORDER] == 2);
  CHECK(n.count[MPG_NOTICE_UNKNOWN_JOB] == 1 && n.job[MPG_NOTICE_UNKNOWN_JOB] == 3);
  CHECK(n.above.goodput == 0);
  mpg_issues_free(&issues);
  CHECK(mpg_notices_list(&n, &fleet, &issues, "here", &err) == MPG_OK && issues.n == 2);
  CHECK(issue_is(&issues.items[0], "here", "unknown_job", 0, 1, MPG_WARNING,
                 "allocations of a job without a record in jobs, first in job z"));
  CHECK(issue_is(&issues.items[1], "here", "out_of_order", 0, 11, MPG_INFO,
                 "spans that start before the one read before them, first in job a"));
}

/* The fastest; of equals the first by chip, then dtype: in any order of telling. */
static void test_fastest(void) {
  const mpg_above all[] = {{2, peak("ours", "bf16"), true},
                           {3, peak("mine", "fp8"), true},
                           {3, peak("ours", "bf16"), true},
                           {3, peak("mine", "bf16"), false}};
  for (int order = 0; order < 24; order++) {
    bool used[4] = {false};
    int left = order;
    mpg_notices one = {0}, two = {0};
    for (int i = 0; i < 4; i++) {
      int skip = left % (4 - i), k = 0;
      left /= 4 - i;
      for (; used[k] || skip > 0; k++)
        skip -= !used[k];
      used[k] = true;
      mpg_notice_above(i % 2 ? &one : &two, &fleet, (uint32_t)(k % 3), &all[k]);
    }
    mpg_notices_merge(&one, &fleet, &two);
    CHECK(one.above.goodput == 3 && one.above.row == all[3].row && !one.above.dtype_given);
    CHECK(one.count[MPG_NOTICE_ABOVE_ROOFLINE] == 4 && one.job[MPG_NOTICE_ABOVE_ROOFLINE] == 2);
  }
}

/* Of any two that are as fast the one that is told of, whichever was told first. */
static void test_equals(void) {
  const mpg_chip_row *rows[] = {peak("mine", "bf16"), peak("mine", "fp8"), peak("ours", "bf16"),
                                NULL};
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 8; k++) {
      const mpg_above first = {3, rows[i / 2], i % 2}, second = {3, rows[k / 2], k % 2};
      int least = i < k ? i : k;
      mpg_notices n = {0};
      mpg_notice_above(&n, &fleet, 0, &first);
      mpg_notice_above(&n, &fleet, 0, &second);
      CHECK(n.above.row == rows[least / 2] && n.above.dtype_given == least % 2);
    }
}

/* What is said of work that is so much faster than it can be. */
static const char *said(double goodput, const mpg_chip_row *row, bool given) {
  static const char plain[] = "productive spans faster than their ideal: program goodput above 1";
  mpg_notices n = {0};
  mpg_err err;
  mpg_issues_free(&issues);
  mpg_notice_above(&n, &fleet, 0, &(mpg_above){goodput, row, given});
  CHECK(mpg_notices_list(&n, &fleet, &issues, "here", &err) == MPG_OK && issues.n == 1);
  CHECK(strncmp(issues.items[0].detail, plain, strlen(plain)) == 0);
  return issues.items[0].detail + strlen(plain);
}

static void test_causes(void) {
  static const char *const two[] = {"tpu-v2", "tpu-v3", "tpu-v4", "tpu-v5p", "tpu7x", "amd-mi250x"};
  static const char *const one[] = {"tpu-v5e", "tpu-v6e", "amd-mi300x", "nvidia-h100-sxm"};
  const char noise[] = "so little may be the noise",
             dtype[] = "another dtype (the fp8 peak is 2 times",
             sparse[] = "FLOPs of a sparse product", devices[] = "FLOPs of all devices",
             cores[] = "chips counted where cores or dies were meant,";
  const mpg_chip_row *slow = peak("mine", "bf16"), *fast = peak("mine", "fp8");
  CHECK(strstr(said(1.05, slow, true), noise) && !strstr(said(1.05, slow, true), "likely"));
  CHECK(!strstr(said(1.06, slow, true), noise) && strstr(said(1.06, slow, true), "; likely:"));
  CHECK(strstr(said(1.06, slow, true), ", up to 1.06 on mine at its given peak, bf16"));
  CHECK(strstr(said(1.06, slow, false), ", up to 1.06 on mine at its default peak, bf16"));
  CHECK(strstr(said(1.06, NULL, true), ", up to 1.06; likely: FLOPs of a sparse"));
  CHECK(strstr(said(2.1, slow, true), dtype) && strstr(said(2.1, slow, true), sparse));
  CHECK(!strstr(said(2.11, slow, true), dtype) && strstr(said(2.11, slow, true), devices));
  CHECK(!strstr(said(2.1, slow, true), devices) && !strstr(said(2.11, slow, true), sparse));
  CHECK(!strstr(said(1.5, fast, true), "another dtype") &&
        strstr(said(4.2, peak("mine", "fp32"), true), "4 times"));
  CHECK(!strstr(said(1.5, slow, true), cores) && !strstr(said(1.5, NULL, true), cores));
  for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
    CHECK(strstr(said(2, peak(two[i], NULL), false), cores));
    CHECK(!strstr(said(2.2, peak(two[i], NULL), false), cores));
  }
  for (size_t i = 0; i < sizeof one / sizeof *one; i++)
    CHECK(!strstr(said(2, peak(one[i], NULL), false), cores));
  /* Of two peaks that are as high the first of the catalogue. */
  CHECK(strstr(said(2, peak("even", "bf16"), true), dtype));
  /* Of so much time that as a double the ideal is no more. */
  CHECK(strstr(said(1, slow, true), noise));
  CHECK(strcmp(said(0, slow, true), ", first in job m") == 0);
}

int main(void) {
  test_issues();
  test_limit();
  test_memory();
  open_fleet();
  test_counts();
  test_fastest();
  test_equals();
  test_causes();
  mpg_fleet_free(&fleet);
  mpg_chips_free(chips);
  mpg_issues_free(&issues);
  return check_done("notices");
}
