/* Tests of ext/formats/lsf: requirements of GPUs, fields in quotes, records that are cut off or
** damaged, and memory. */
#include "check.h"
#include "hostile.h"
#include "../../ext/formats/lsf/lsf.h"
#include "../../ext/formats/lsf/lsf_gpus.h"

/* ---- GPUs of a requirement ---- */

static void test_gpus(void) {
  static const struct {
    const char *text;
    mpg_lsf_per per;
    double each;
    const char *model;
  } cases[] = {
      {"", MPG_LSF_NO_GPUS, 0, ""},
      {"select[ngpus>0] rusage[mem=4]", MPG_LSF_NO_GPUS, 0, ""},
      {"rusage[ngpus_physical=2.00:gmodel=TeslaV100,mem=1.00] span[ptile=4]", MPG_LSF_PER_HOST, 2,
       "TeslaV100"},
      {"rusage[mem=1,ngpus_physical=3]", MPG_LSF_PER_HOST, 3, ""},
      {"rusage[ngpus_physical=0.25]", MPG_LSF_PER_HOST, 0.25, ""},
      {"rusage[ngpus_physical=1/task]", MPG_LSF_PER_TASK, 1, ""},
      {"rusage[ngpus_physical=4/host]", MPG_LSF_PER_HOST, 4, ""},
      {"rusage[ngpus_excl_p=2]", MPG_LSF_PER_HOST, 2, ""},
      {"1*{span[hosts=1] rusage[ngpus_physical=2]} + 4*{span[ptile=1] rusage[ngpus_physical=1]}",
       MPG_LSF_PER_JOB, 6, ""},
      {"{rusage[ngpus_physical=2]} || {rusage[ngpus_physical=4]}@4", MPG_LSF_UNKNOWN, 0, ""},
      {"rusage[ngpus_physical=x]", MPG_LSF_UNKNOWN, 0, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    mpg_lsf_gpus found = mpg_lsf_gpus_of(mpg_str_of(cases[i].text));
    CHECK(found.per == cases[i].per && mpg_str_eq(found.model, mpg_str_of(cases[i].model)));
    CHECK(found.per == MPG_LSF_NO_GPUS || found.per == MPG_LSF_UNKNOWN ||
          found.each == cases[i].each);
  }
}

/* ---- The reader ---- */

/* Records as "(LINE type|job_id|user|queue|start|hosts|outcome)", and "{...}" for errors. */
static mpg_rc render(const mpg_env *env, mpg_str text, mpg_issues *issues, char *out, size_t cap) {
  mpg_stream *stream = NULL;
  mpg_lsf *lsf = NULL;
  mpg_err err;
  size_t n = 0;
  mpg_rc rc = mpg_stream_memory(&stream, env, "mem", text, &err);
  out[0] = '\0';
  if (rc == MPG_OK)
    rc = mpg_lsf_open(&lsf, env, stream, issues, &err);
  while (rc == MPG_OK || (rc == MPG_DATA && lsf != NULL)) {
    static const size_t wanted[] = {MPG_LSF_event_type, MPG_LSF_job_id,     MPG_LSF_user_name,
                                    MPG_LSF_queue,      MPG_LSF_start_time, MPG_LSF_hosts,
                                    MPG_LSF_outcome};
    rc = mpg_lsf_next(lsf, &err);
    if (rc == MPG_DATA)
      n += (size_t)snprintf(out + n, cap - n, "{%s}", err.text);
    if (rc != MPG_OK)
      continue;
    n += (size_t)snprintf(out + n, cap - n, "(%lld ", (long long)mpg_lsf_line(lsf));
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
      const mpg_value *v = mpg_lsf_get(lsf, wanted[i]);
      const char *bar = i == 0 ? "" : "|";
      if (v->type == MPG_TEXT)
        n += (size_t)snprintf(out + n, cap - n, "%s%.*s", bar, (int)v->s.n, v->s.p);
      else if (v->type == MPG_INT)
        n += (size_t)snprintf(out + n, cap - n, "%s%lld", bar, (long long)v->i);
      else
        n += (size_t)snprintf(out + n, cap - n, "%s-", bar);
    }
    n += (size_t)snprintf(out + n, cap - n, ")");
  }
  mpg_lsf_close(lsf);
  mpg_stream_close(stream);
  return rc;
}

static void expect_bytes(mpg_str text, const char *expected, const char *issue) {
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

static void expect(const char *text, const char *expected, const char *issue) {
  expect_bytes(mpg_str_of(text), expected, issue);
}

/* A job as version 5.1 writes it, which ends early: of user "ada" in queue "gpu", on "h1". */
#define HEAD "\"JOB_FINISH\" \"5.1\" 1089407406 "
#define JOB(id, user, queue, hosts)                                                                \
  HEAD id " 283 33554482 1 1089290023 0 0 1089406862 " user " " queue                              \
          " \"\" \"\" \"\" \"lx\" \"prog\" \"\" \"/o\" \"/e\" \"1089290023.699195\" 0 " hosts      \
          " 64 3.3 \"\" \"/x\" 277.21 17.28 0 0 -1 0 0 927804 87722 0 0 0 -1 0 0 0 0 0 -1 \"\" "   \
          "\"default\" 0 1 \"\" \"\" 0 353272 662228 \"\" \"\" \"\"\n"
#define ONE JOB("7", "\"ada\"", "\"gpu\"", "1 \"h1\"")
#define TOLD "JOB_FINISH|7|ada|gpu|1089406862|[\"h1\"]|completed)"

static void test_records(void) {
  expect("", "", NULL);
  expect("\n\r\n# lsb.acct\n", "", NULL);
  expect(ONE, "(1 " TOLD, NULL);
  expect("\xef\xbb\xbf" ONE "\n# a comment\n" ONE, "(1 " TOLD "(4 " TOLD, NULL);
  /* Two quotes stand for one, and a text may hold blanks. */
  expect(JOB("8", "\"a \"\"b\"\" c\"", "\"\"", "2 \"2*h1\" \"h2\""),
         "(1 JOB_FINISH|8|a \"b\" c|-|1089406862|[\"h1\",\"h2\"]|completed)", NULL);
  /* A type without a layout keeps its name. */
  expect("\"LOAD_INDEX\" \"10.1\" 1089407406 2 \"a\" \"b\"\n", "(1 LOAD_INDEX|-|-|-|-|-|-)", NULL);
}

/* An error names its column, and the next line is read. */
static void test_errors(void) {
  char out[2048];
  static const struct {
    const char *line, *error;
  } bad[] = {
      {"JOB_FINISH 9\n", "{mem:1:1: expected a record of LSF"},
      {JOB("x", "\"ada\"", "\"gpu\"", "1 \"h1\""), "{mem:1:31: expected a number for job_id"},
      {JOB("7", "ada", "\"gpu\"", "1 \"h1\""),
       "{mem:1:74: expected a text in quotes for user_name"},
      {JOB("7", "\"ada\"", "\"gpu\"x", "1 \"h1\""),
       "{mem:1:85: expected a blank behind a text in quotes"},
      {"\"JOB_NEW\" \"9.11 13\n", "{mem:1:11: expected a closing quote"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[4096];
    (void)snprintf(text, sizeof text, "%s%s", bad[i].line, ONE);
    CHECK(render(&mpg_env_libc, mpg_str_of(text), NULL, out, sizeof out) == MPG_DONE);
    CHECK(strncmp(out, bad[i].error, strlen(bad[i].error)) == 0);
    if (strncmp(out, bad[i].error, strlen(bad[i].error)) != 0)
      (void)fprintf(stderr, "  found    %s\n  expected %s\n", out, bad[i].error);
    CHECK(strcmp(strrchr(out, '}') + 1, "(2 " TOLD) == 0);
  }
}

/* A file that ends anywhere in its second line gives the first record, and says so of the rest. */
static void test_cut_off(void) {
  static const char text[] = ONE ONE;
  const size_t one = sizeof ONE - 1, all = sizeof text - 1;
  expect_bytes((mpg_str){text, one}, "(1 " TOLD, NULL);
  for (size_t n = one + 1; n < all; n++)
    expect_bytes((mpg_str){text, n}, "(1 " TOLD, "unfinished_record");
  expect_bytes((mpg_str){text, all}, "(1 " TOLD "(2 " TOLD, NULL);
}

/* Every allocation fails once, alone and with all after it: out of memory or the whole result, and
** nothing leaks. */
static void test_memory(void) {
  static const char text[] = ONE
      "\"JOB_NEW\" \"9.11 13\n" JOB("8", "\"a \"\"b\"\"\"", "\"gpu\"", "2 \"2*h1\" \"h2\"") "\"JOB";
  char whole[1024], out[1024];
  CHECK(render(&mpg_env_libc, mpg_str_of(text), NULL, whole, sizeof whole) == MPG_DONE);
  for (int and_after = 0; and_after < 2; and_after++) {
    bool finished = false;
    for (long i = 1; !finished && i < 200; i++) {
      hostile h = {0, i, and_after, false, 0};
      mpg_env env = hostile_env(&h);
      mpg_issues issues;
      mpg_rc rc;
      mpg_issues_init(&issues, &env);
      rc = render(&env, mpg_str_of(text), &issues, out, sizeof out);
      CHECK(h.failed ? rc == MPG_NOMEM : rc == MPG_DONE && strcmp(out, whole) == 0);
      finished = !h.failed;
      mpg_issues_free(&issues);
      CHECK(h.live == 0);
    }
    CHECK(finished);
  }
}

int main(void) {
  test_gpus();
  test_records();
  test_errors();
  test_cut_off();
  test_memory();
  return check_done("lsf");
}
