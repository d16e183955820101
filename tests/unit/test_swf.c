/* Tests of ext/formats/swf/swf.c. */
#include "check.h"
#include "hostile.h"
#include "../../ext/formats/swf/swf.h"

#define JOB "1 0 10 600 16 580.5 -1 16 900 4096 1 1 1 1 2 1 -1 -1"

/* "<label=value...>" before the first job, every job as "(LINE number wait cpu status)". */
static mpg_rc render(const mpg_env *env, const char *text, mpg_issues *issues, char *out,
                     size_t cap) {
  mpg_stream *stream = NULL;
  mpg_swf *swf = NULL;
  mpg_err err;
  size_t n = 0;
  bool header = false;
  mpg_rc rc = mpg_stream_memory(&stream, env, "mem", mpg_str_of(text), &err);
  out[0] = '\0';
  if (rc == MPG_OK)
    rc = mpg_swf_open(&swf, env, stream, issues, &err);
  while (rc == MPG_OK || rc == MPG_DATA) {
    static const size_t shown[] = {MPG_SWF_job_number, MPG_SWF_wait_time, MPG_SWF_average_cpu_time,
                                   MPG_SWF_status};
    size_t count;
    const mpg_swf_label *labels;
    rc = mpg_swf_next(swf, &err);
    if (rc == MPG_DATA)
      n += (size_t)snprintf(out + n, cap - n, "{%s}", err.text);
    if (rc != MPG_OK)
      continue;
    labels = mpg_swf_header(swf, &count);
    for (size_t i = 0; !header && i < count; i++)
      n += (size_t)snprintf(out + n, cap - n, "<%.*s=%.*s>", (int)labels[i].label.n,
                            labels[i].label.p, (int)labels[i].value.n, labels[i].value.p);
    header = true;
    n += (size_t)snprintf(out + n, cap - n, "(%lld", (long long)mpg_swf_line(swf));
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
      const mpg_value *v = mpg_swf_get(swf, shown[i]);
      if (v->type == MPG_INT)
        n += (size_t)snprintf(out + n, cap - n, " %lld", (long long)v->i);
      else if (v->type == MPG_REAL)
        n += (size_t)snprintf(out + n, cap - n, " %.1f", v->r);
      else
        n += (size_t)snprintf(out + n, cap - n, " -");
    }
    n += (size_t)snprintf(out + n, cap - n, ")");
  }
  mpg_swf_close(swf);
  mpg_stream_close(stream);
  return rc;
}

static void expect(const char *text, const char *expected, const char *issue) {
  for (size_t b = 0; b < HOSTILE_BLOCKS; b++) {
    char out[2048];
    mpg_issues issues;
    mpg_issues_init(&issues, &mpg_env_libc);
    hostile_block(hostile_blocks[b]);
    CHECK(render(&mpg_env_libc, text, &issues, out, sizeof out) == MPG_DONE);
    CHECK(strcmp(out, expected) == 0);
    if (strcmp(out, expected) != 0)
      (void)fprintf(stderr, "  found    %s\n  expected %s\n", out, expected);
    CHECK(issue == NULL ? issues.n == 0
                        : issues.n == 1 && strcmp(issues.items[0].kind, issue) == 0);
    mpg_issues_free(&issues);
  }
  hostile_block(0);
}

#define START "; UnixStartTime: 100\n"
#define SHOWN "<UnixStartTime=100>"

static void test_jobs(void) {
  expect("", "", NULL);
  expect(START, "", NULL);
  expect(START JOB "\n", SHOWN "(2 1 10.0 580.5 1)", NULL);
  expect(START "\t  " JOB "  \r\n\n" JOB, SHOWN "(2 1 10.0 580.5 1)(4 1 10.0 580.5 1)",
         "no_line_end");
  expect(START JOB "\n7 0 -1 -1.0 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -",
         SHOWN "(2 1 10.0 580.5 1)", "unfinished_record");
  expect(START "7 0 -1 -1.0 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n", SHOWN "(2 7 - - -)",
         NULL);
  expect(START JOB "\n; UnixStartTime: 7\n" JOB "\n", SHOWN "(2 1 10.0 580.5 1)(4 1 10.0 580.5 1)",
         NULL);
  expect(JOB "\n", "(1 1 10.0 580.5 1)", "no_start_time");
  expect("; UnixStartTime: -1\n" JOB "\n", "<UnixStartTime=-1>(2 1 10.0 580.5 1)", "no_start_time");
}

static void test_header(void) {
  expect(";\n;; a log\n;Queue: 1 a\n ; Queue:2 b\n;  and so on\n;Note:\n; x: y\n" START JOB "\n",
         "<=a log><Queue=1 a><Queue=2 b\nand so on><Note=><x=y>" SHOWN "(9 1 10.0 580.5 1)", NULL);
}

static void test_numbers(void) {
  mpg_stream *stream = NULL;
  mpg_swf *swf = NULL;
  mpg_err err;
  int64_t n;
  CHECK(mpg_stream_memory(&stream, &mpg_env_libc, "mem",
                          mpg_str_of("; maxprocs: 128 (4 of them reserved)\n; MaxNodes: many\n"
                                     "; MaxNodes: 32\n; MaxJobs: -1\n" JOB "\n"),
                          &err) == MPG_OK);
  CHECK(mpg_swf_open(&swf, &mpg_env_libc, stream, NULL, &err) == MPG_OK);
  CHECK(!mpg_swf_header_number(swf, "MaxProcs", &n));
  CHECK(mpg_swf_next(swf, &err) == MPG_OK);
  CHECK(mpg_swf_header_number(swf, "MaxProcs", &n) && n == 128);
  CHECK(mpg_swf_header_number(swf, "MaxNodes", &n) && n == 32);
  CHECK(!mpg_swf_header_number(swf, "MaxJobs", &n) && !mpg_swf_header_number(swf, "Max", &n));
  mpg_swf_close(swf);
  mpg_stream_close(stream);
}

static void test_errors(void) {
#define EXPECTED                                                                                   \
  "expected a job of the Standard Workload Format, 18 numbers, or a comment that begins with ;, "
  expect("1 2\n", "{mem:1:1: " EXPECTED "found 2 fields \"1 2\"}", NULL);
  expect("x", "{mem:1:1: " EXPECTED "found 1 field \"x\"}", NULL);
  expect(START JOB " 7\n" JOB "\n",
         "{mem:2:1: " EXPECTED
         "found 19 fields \"1 0 10 600 16 580.5 -1 16 900 4096 1 1 1 1 2...\"}" SHOWN
         "(3 1 10.0 580.5 1)",
         NULL);
  expect(START "1 0 10 x 16 580.5 -1 16 900 4096 1 1 1 1 2 1 -1 -1\n",
         "{mem:2:8: expected a number for run_time, found \"x\"}", NULL);
  expect(START "1.5 0 10 6 16 580.5 -1 16 900 4096 1 1 1 1 2 1 -1 -1\n",
         "{mem:2:1: expected a whole number for job_number, found \"1.5\"}", NULL);
  expect(START JOB "\n1 2 3", SHOWN "(2 1 10.0 580.5 1)", "unfinished_record");
}

static void test_outcomes(void) {
  static const char *const outcomes[] = {"failed",    "completed", "preempted",
                                         "completed", "failed",    "cancelled"};
  for (int i = 0; i < 6; i++)
    CHECK(strcmp(mpg_swf_outcome(i), outcomes[i]) == 0);
  CHECK(mpg_swf_outcome(-1) == NULL && mpg_swf_outcome(6) == NULL);
}

/* Every allocation fails once, alone and with all after it. */
static void test_memory(void) {
  static const char text[] = ";Note: a\n; b\n;Queue: 1\n" JOB "\n" JOB "\n1 2";
  char whole[512], out[512];
  CHECK(render(&mpg_env_libc, text, NULL, whole, sizeof whole) == MPG_DONE);
  for (int and_after = 0; and_after < 2; and_after++) {
    bool finished = false;
    for (long i = 1; !finished && i < 200; i++) {
      hostile h = {0, i, and_after, false, 0};
      mpg_env env = hostile_env(&h);
      mpg_issues issues;
      mpg_rc rc;
      mpg_issues_init(&issues, &env);
      rc = render(&env, text, &issues, out, sizeof out);
      CHECK(h.failed ? rc == MPG_NOMEM : rc == MPG_DONE && strcmp(out, whole) == 0);
      finished = !h.failed;
      mpg_issues_free(&issues);
      CHECK(h.live == 0);
    }
    CHECK(finished);
  }
}

int main(void) {
  test_jobs();
  test_header();
  test_numbers();
  test_errors();
  test_outcomes();
  test_memory();
  return check_done("swf");
}
