/* The reader of what sacct prints, over text in memory. */
#include "../../ext/formats/slurm/slurm.h"
#include "check.h"
#include "hostile.h"

#include <stdlib.h>
#include <string.h>

static const mpg_env *const env = &mpg_env_libc;

static bool is(mpg_str s, const char *z) {
  return mpg_str_eq(s, mpg_str_of(z));
}

/* ---- The reader ---- */

typedef struct reading {
  mpg_stream *stream;
  mpg_slurm *slurm;
  mpg_issues issues;
  mpg_err err;
} reading;

static mpg_rc begin(reading *r, const mpg_env *memory, const mpg_slurm_kind *kind, const char *text,
                    mpg_slurm_options options) {
  mpg_rc rc;
  memset(r, 0, sizeof *r);
  mpg_issues_init(&r->issues, memory);
  options.issues = &r->issues;
  rc = mpg_stream_memory(&r->stream, memory, "mem", mpg_str_of(text), &r->err);
  return rc == MPG_OK ? mpg_slurm_open(&r->slurm, memory, r->stream, kind, &options, &r->err) : rc;
}

static void end(reading *r) {
  mpg_slurm_close(r->slurm);
  mpg_stream_close(r->stream);
  mpg_issues_free(&r->issues);
}

static int64_t issue_count(const reading *r, const char *kind) {
  for (size_t i = 0; i < r->issues.n; i++)
    if (strcmp(r->issues.items[i].kind, kind) == 0)
      return r->issues.items[i].count;
  return 0;
}

static const mpg_slurm_options plain = {.zone = NULL};

/* Reads all; each record as "field,field" of JobID, JobName, SubmitLine and State into `out`. */
static void render(reading *r, char *out, size_t cap) {
  static const size_t fields[] = {MPG_SLURM_JOB_JobID, MPG_SLURM_JOB_JobName,
                                  MPG_SLURM_JOB_SubmitLine, MPG_SLURM_JOB_State};
  size_t n = 0;
  mpg_rc rc;
  out[0] = '\0';
  for (int turn = 0; turn < 1000; turn++) {
    rc = mpg_slurm_next(r->slurm, &r->err);
    if (rc == MPG_DONE)
      return;
    if (rc != MPG_OK) {
      n += (size_t)snprintf(out + n, cap - n, "{%s}", r->err.text);
      if (rc != MPG_DATA)
        return;
      continue;
    }
    n += (size_t)snprintf(out + n, cap - n, "(%lld", (long long)mpg_slurm_line(r->slurm));
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
      mpg_str s = mpg_slurm_raw(r->slurm, fields[i]);
      if (mpg_slurm_has(r->slurm, fields[i]))
        n += (size_t)snprintf(out + n, cap - n, ";%.*s", (int)s.n, s.n > 0 ? s.p : "");
    }
    n += (size_t)snprintf(out + n, cap - n, ")");
  }
}

static void expect(const char *text, mpg_slurm_options options, const char *expected) {
  char out[4096];
  reading r;
  CHECK(begin(&r, env, &mpg_slurm_jobs, text, options) == MPG_OK);
  if (r.slurm != NULL) {
    render(&r, out, sizeof out);
    CHECK(strcmp(out, expected) == 0);
    if (strcmp(out, expected) != 0)
      (void)fprintf(stderr, "  found    %s\n  expected %s\n", out, expected);
  }
  end(&r);
}

static mpg_slurm_options named(const char *columns, const char *delimiter) {
  mpg_slurm_options options = plain;
  options.columns = mpg_str_of(columns);
  options.delimiter = mpg_str_of(delimiter);
  return options;
}

static void test_shapes(void) {
  expect("", plain, "");
  expect("JobID|State\n", plain, "");
  expect("JobID|State\n1|COMPLETED\n2|RUNNING\n", plain, "(2;1;COMPLETED)(3;2;RUNNING)");
  expect("State|JobID\r\nCOMPLETED|1\r\n", plain, "(2;1;COMPLETED)");
  expect("JobID|State|\n1|COMPLETED|\n", plain, "(2;1;COMPLETED)"); /* -p */
  expect("jobid\n1\n2.batch\n", plain, "(2;1)(3;2.batch)");
  expect("JobID\x1fJobName\x1fState\n1\x1f"
         "a|b\x1f"
         "COMPLETED\n",
         plain, "(2;1;a|b;COMPLETED)");
  expect("JobID,State\n1,COMPLETED\n", plain, "(2;1;COMPLETED)");
  expect("JobID;State\n1;COMPLETED\n", plain, "(2;1;COMPLETED)");
  expect("JobID^|^State\n1^|^COMPLETED\n", plain, "(2;1;COMPLETED)");
  expect("JobIDXYZState\n1XYZCOMPLETED\n", named("", "XYZ"), "(2;1;COMPLETED)");
  expect("JobID|Frobnication|State\n1|x|COMPLETED\n", plain, "(2;1;COMPLETED)");
  expect("JobID|State|State\n1|COMPLETED|COMPLETED\n", plain, "(2;1;COMPLETED)");
  expect("JobID|State\n1|COMPLETED\nJobID|State\n2|FAILED\n", plain, "(2;1;COMPLETED)(4;2;FAILED)");
  expect("1|COMPLETED\n2|FAILED\n", named("JobID,State", ""), "(1;1;COMPLETED)(2;2;FAILED)");
  expect("1|COMPLETED|\n2|FAILED|\n", named("JobID%20, State", ""), "(1;1;COMPLETED)(2;2;FAILED)");
  expect("1|x|FAILED\n", named("JobID,-,State", ""), "(1;1;FAILED)");
  expect("1;FAILED\n", named("JobID,State", ";"), "(1;1;FAILED)");
  expect("JobID|State\n1|FAILED\n", named("State,JobID", ""), "(2;1;FAILED)"); /* the header wins */
  expect("\x01"
         "JobID|State\n",
         named("JobID,State", ""),
         "{mem:1:1: expected a job id such as 123, 123_4, 123+0 or 123.batch for JobID, found "
         "\"\\x01JobID\"}");
}

static void test_mending(void) {
  expect("JobID|JobName|State|Comment\n27|pipe|name `q`|COMPLETED|x|y\n", plain,
         "(2;27;pipe|name `q`;COMPLETED)");
  expect("JobID|JobName|State\n1|a|b|c|FAILED\n", plain, "(2;1;a|b|c;FAILED)");
  expect("JobID|JobName|State\n1||FAILED\n", plain, "(2;1;;FAILED)");
  expect("JobID|JobName|State|\n1|a|b|FAILED|\n", plain, "(2;1;a|b;FAILED)");
  /* Two texts side by side: nobody can tell. */
  expect(
      "JobID|JobName|Comment|State\n1|a|b|c|FAILED\n2|a|b|FAILED\n", plain,
      "{mem:2:5: expected 4 fields, found 5: Comment seems to hold the delimiter | and the record "
      "cannot be taken apart; export with another, such as --delimiter=$'\\x1f'}(3;2;a;FAILED)");
  expect("JobID|User|State\n1|a|b|FAILED\n", plain,
         "{mem:2:7: expected 3 fields, found 4; if a field holds the delimiter |, export with "
         "another, such as --delimiter=$'\\x1f'}");
  expect("JobID|State\n1|COMPLETED|x\n", plain,
         "{mem:2:13: expected 2 fields, found 3; if a field holds the delimiter |, export with "
         "another, such as --delimiter=$'\\x1f'}");
}

static void test_joining(void) {
  expect("JobID|SubmitLine|State\n1|srun a &&\nb|FAILED\n2|c|FAILED\n", plain,
         "(2;1;srun a &&\nb;FAILED)(4;2;c;FAILED)");
  expect("JobID|SubmitLine|State\n1|srun a |\n\nb | c|FAILED\n2|c|FAILED\n", plain,
         "(2;1;srun a |\n\nb | c;FAILED)(5;2;c;FAILED)");
  expect("JobID|State|SubmitLine\n1|FAILED|srun a\nb\nc\n2|FAILED|x\n", plain,
         "(2;1;srun a\nb\nc;FAILED)(5;2;x;FAILED)");
  expect("JobID|State|SubmitLine|\n1|FAILED|srun a\nb|c|\n2|FAILED|x|\n", plain,
         "(2;1;srun a\nb|c;FAILED)(4;2;x;FAILED)");
  /* A record cut short does not swallow the next. */
  expect("JobID|State|SubmitLine|Start\n1|FAILED\n2|FAILED|x|1795240353\n", plain,
         "{mem:2:9: expected 4 fields, found 2, and the lines that follow do not complete "
         "them}(3;2;x;FAILED)");
  expect("JobID|State|Start\n1|FAILED\n", plain,
         "{mem:2:9: expected 3 fields, found 2, and the lines that follow do not complete them}");
  /* The last one may still be being written: it is left out, or its last field may be cut off. */
  expect("JobID|State|Start\n1|FAILED|1795240353\n2|FAI", plain, "(2;1;FAILED)");
  expect("JobID|State|Start\n1|FAILED|1795240353\n2|FAILED|17952-", plain, "(2;1;FAILED)");
  expect("JobID|State|Start\n1|FAILED|1795240353\n2|FAILED|17952", plain,
         "(2;1;FAILED)(3;2;FAILED)");
  expect("JobID|State|\n1|FAILED\n2|FAILED|\n", plain,
         "{mem:2:9: expected 2 fields and a closing |, found 2, and the lines that follow do not "
         "complete them}(3;2;FAILED)");
}

static void test_errors(void) {
  expect("27|COMPLETED\n", plain,
         "{mem:1:1: expected a header of sacct field names such as JobID|State|Start, found "
         "\"27|COMPLETED\" (exported with -n? then name the fields in the argument columns)}");
  expect(
      "JobID           JobName  Partition\n------------ ---------- ----------\n", plain,
      "{mem:1:1: expected a header of sacct field names such as JobID|State|Start, found \"JobID  "
      "         JobName  Partition\" (fixed-width output: export it with -P)}");
  expect("JobID|Start\n1|noon\n2|1795240353\n", plain,
         "{mem:2:3: expected a time such as 2026-11-21T05:52:33 or Unix seconds for Start, found "
         "\"noon\"}(3;2)");
  expect("JobID|NCPUS\n1|many\n", plain, "{mem:2:3: expected a number for NCPUS, found \"many\"}");
  expect("JobID|Elapsed\n1|soon\n", plain,
         "{mem:2:3: expected a duration such as 1-02:03:04 for Elapsed, found \"soon\"}");
  expect("JobID|ExitCode\n1|9\n", plain,
         "{mem:2:3: expected an exit code such as 0:9 for ExitCode, found \"9\"}");
  expect("JobID|AllocTRES\n1|gpu\n", plain,
         "{mem:2:3: expected a list such as cpu=8,gres/gpu=4 for AllocTRES, found \"gpu\"}");
}

static void check_names(const char *columns, const char *text) {
  mpg_err err = {MPG_OK, ""};
  mpg_rc rc = mpg_slurm_check(&mpg_slurm_jobs, mpg_str_of(columns), &err);
  CHECK(rc == (text == NULL ? MPG_OK : MPG_MISUSE));
  CHECK(text == NULL || strcmp(err.text, text) == 0);
}

static void test_column_names(void) {
  check_names("", NULL);
  check_names("JobID,State,-,Start,-", NULL);
  check_names("JobID,Stat",
              "columns: expected sacct fields such as \"Account\", separated by commas, or - for a "
              "column to ignore, found \"Stat\"");
  check_names("JobID,,State",
              "columns: expected sacct fields such as \"Account\", separated by commas, or - for a "
              "column to ignore, found \"\"");
  check_names("JobID,jobid", "columns: JobID is named twice");
}

static void test_values(void) {
  static const char text[] =
      "JobID|Start|End|Submit|NCPUS|TimelimitRaw|Elapsed|TotalCPU|Comment|User\n"
      "1|2026-07-01T12:00:00|Unknown|2026-07-01T12:00:00Z|2K|UNLIMITED|1-00:00:01|00:01.5||u\n"
      "2|2026-10-25T02:30:00|None|1795240353|8|60|00:00|00:00|x|\n"
      "3|2026-03-29T02:30:00|N/A|1795240353|||INVALID|||\n";
  mpg_slurm_options options = plain;
  mpg_zone *zone = NULL;
  mpg_err err;
  reading r;
  CHECK(mpg_zone_open(&zone, env, MPG_STR("Europe/Berlin"), MPG_ZONE_FOLDER, &err) == MPG_OK);
  options.zone = zone;
  CHECK(begin(&r, env, &mpg_slurm_jobs, text, options) == MPG_OK);
#define GET(name) mpg_slurm_get(r.slurm, MPG_SLURM_JOB_##name)
  CHECK(mpg_slurm_next(r.slurm, &r.err) == MPG_OK);
  CHECK(GET(Start)->type == MPG_INT && GET(Start)->i == 1782900000); /* 10:00Z */
  CHECK(GET(Submit)->i == 1782907200);                               /* says Z itself */
  CHECK(GET(End)->type == MPG_NULL && GET(TimelimitRaw)->type == MPG_NULL);
  CHECK(GET(Comment)->type == MPG_NULL && GET(State)->type == MPG_NULL);
  CHECK(GET(NCPUS)->i == 2048);
  CHECK(GET(Elapsed)->type == MPG_INT && GET(Elapsed)->i == 86401);
  CHECK(GET(TotalCPU)->type == MPG_REAL && GET(TotalCPU)->r == 1.5);
  CHECK(GET(User)->type == MPG_TEXT && is(GET(User)->s, "u"));
  CHECK(mpg_slurm_next(r.slurm, &r.err) == MPG_OK);
  CHECK(GET(Start)->i == 1792888200); /* the first 02:30, in daylight saving time: 00:30Z */
  CHECK(GET(Submit)->i == 1795240353);
  CHECK(GET(TimelimitRaw)->i == 60 && GET(User)->type == MPG_NULL);
  CHECK(mpg_slurm_next(r.slurm, &r.err) == MPG_OK);
  CHECK(GET(Start)->i == 1774747800); /* 02:30 that never was: 03:30 = 01:30Z */
  CHECK(GET(NCPUS)->type == MPG_NULL && GET(Elapsed)->type == MPG_NULL);
  CHECK(mpg_slurm_next(r.slurm, &r.err) == MPG_DONE);
  CHECK(mpg_slurm_next(r.slurm, &r.err) == MPG_DONE);
  CHECK(issue_count(&r, "repeated_time") == 1 && issue_count(&r, "skipped_time") == 1);
  CHECK(issue_count(&r, "no_requeues") == 1);
  end(&r);
  mpg_zone_free(zone);
}

static void test_issues(void) {
  static const char text[] = "JobID|Frob|JobName|Nitz|State\n"
                             "1|x|a|b|y|FAILED\n"
                             "1|x|a\nb|y|FAILED\n"
                             "2|x|a|y|FAILED\n";
  char out[1024];
  reading r;
  CHECK(begin(&r, env, &mpg_slurm_jobs, text, plain) == MPG_OK);
  render(&r, out, sizeof out);
  /* A column left out may hold anything, so that three texts are in doubt in the first record. */
  CHECK(strncmp(out, "{mem:2:", 7) == 0);
  CHECK(strstr(out, "(3;1;a\nb;FAILED)(5;2;a;FAILED)") != NULL);
  CHECK(issue_count(&r, "unknown_column") == 2);
  CHECK(issue_count(&r, "joined_lines") == 1);
  CHECK(r.issues.n > 0 && strcmp(r.issues.items[0].detail, "left out: Frob, Nitz") == 0);
  CHECK(issue_count(&r, "no_requeues") == 1);
  end(&r);
}

/* Steps of a job that is nowhere, in rows of any order. */
static void test_cut(void) {
  static const struct {
    const char *rows;
    int steps;
  } exports[] = {{"1.batch\n1.0\n2\n2.batch\n", 2},  {"1.batch\n1.0\n", 2},
                 {"1.batch\n2.batch\n", 2},          {"1.batch\n1.0\n2\n1\n", 0},
                 {"1.batch\n2.batch\n3\n2\n1\n", 0}, {"1.batch\n2.batch\n3\n", 2},
                 {"1\n1.batch\n3.0\n", 1},           {"1\n", 0},
                 {"1\n2.0\n2.1\n3\n3.0\n4.0\n", 3},  {"1\n2\n1.0\n2.0\n1.1\n", 0},
                 {"1\n1.0\n1\n1.0\n2.0\n", 1},       {"1_[1,2,...]\n1_1\n1_1.0\n", 0}};
  for (size_t i = 0; i < sizeof exports / sizeof *exports; i++) {
    char text[128];
    reading r;
    (void)snprintf(text, sizeof text, "JobIDRaw\n%s", exports[i].rows);
    CHECK(begin(&r, env, &mpg_slurm_jobs, text, plain) == MPG_OK);
    while (mpg_slurm_next(r.slurm, &r.err) == MPG_OK)
      ;
    CHECK(issue_count(&r, "left_out") == exports[i].steps);
    end(&r);
  }
}

/* More jobs without steps than are remembered, one of them twice, and steps after those. */
static void test_late_steps(void) {
  enum { JOBS = 2000, LINE = 16 };
  static const struct {
    const char *rows;
    int steps;
  } ends[] = {{"9\n9.0\n9.1\n", 0}, {"9\n9.0\n8.0\n", 1}, {"9\n8.0\n8\n7\n7.0\n", 0}};
  char *text = malloc(JOBS * LINE + 128);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t n = (size_t)snprintf(text, 128, "JobIDRaw\n10\n10\n");
    reading r;
    for (int job = 11; job < JOBS; job++)
      n += (size_t)snprintf(text + n, LINE, "%d\n", job);
    (void)snprintf(text + n, 64, "%s", ends[i].rows);
    CHECK(begin(&r, env, &mpg_slurm_jobs, text, plain) == MPG_OK);
    while (mpg_slurm_next(r.slurm, &r.err) == MPG_OK)
      ;
    CHECK(issue_count(&r, "left_out") == ends[i].steps);
    end(&r);
  }
  free(text);
}

static void test_many_jobs(void) {
  enum { JOBS = 5000, LINE = 16 };
  char *text = malloc(JOBS * LINE + 64);
  size_t n;
  CHECK(text != NULL);
  if (text == NULL)
    return;
  for (int repeat = 0; repeat < 2; repeat++) {
    reading r;
    int64_t rows = 0;
    n = (size_t)snprintf(text, 64, "JobIDRaw|State\n");
    for (int i = 0; i < JOBS; i++)
      n += (size_t)snprintf(text + n, LINE + 1, "%d|FAILED\n", repeat && i == JOBS - 1 ? 7 : i);
    CHECK(begin(&r, env, &mpg_slurm_jobs, text, plain) == MPG_OK);
    while (mpg_slurm_next(r.slurm, &r.err) == MPG_OK)
      rows++;
    CHECK(rows == JOBS);
    CHECK(issue_count(&r, "no_requeues") == 1 - repeat);
    end(&r);
  }
  free(text);
}

static void test_events(void) {
  static const char text[] =
      "Cluster|Cluster Nodes|Event|NodeName|TimeStart|TimeEnd|Duration|Reason|State|User|TRES\n"
      "pod|n[1-4]|Cluster||2026-11-21T05:51:24|Unknown|00:10:42|Cluster Registered "
      "TRES|||gres/gpu=32\n"
      "pod||Node|n1|2026-11-21T05:51:26|2026-11-21T05:52:00|00:00:34|xid|79|DOWN*|root(0)|gres/"
      "gpu=8\n";
  reading r;
#define EVENT(name) mpg_slurm_get(r.slurm, MPG_SLURM_EVENT_##name)
  CHECK(begin(&r, env, &mpg_slurm_events, text, plain) == MPG_OK);
  CHECK(mpg_slurm_next(r.slurm, &r.err) == MPG_OK);
  CHECK(is(EVENT(ClusterNodes)->s, "n[1-4]") && EVENT(TimeStart)->i == 1795240284);
  CHECK(EVENT(TimeEnd)->type == MPG_NULL && EVENT(Duration)->i == 642);
  CHECK(mpg_slurm_next(r.slurm, &r.err) == MPG_OK);
  CHECK(is(EVENT(Reason)->s, "xid|79") && is(EVENT(State)->s, "DOWN*"));
  CHECK(issue_count(&r, "split_text") == 1);
  CHECK(mpg_slurm_next(r.slurm, &r.err) == MPG_DONE);
  CHECK(issue_count(&r, "no_requeues") == 0);
  end(&r);
  CHECK(begin(&r, env, &mpg_slurm_events, "Cluster|Start|End\npod|1795240284|1795240285\n",
              plain) == MPG_OK);
  CHECK(mpg_slurm_next(r.slurm, &r.err) == MPG_OK);
  CHECK(EVENT(TimeStart)->i == 1795240284 && EVENT(TimeEnd)->i == 1795240285);
  end(&r);
}

/* Every allocation fails once: out of memory, or every record; and nothing leaks. */
static int countdown;

static void *stingy(void *ctx, void *p, size_t n) {
  if (n > 0 && countdown-- == 0)
    return NULL;
  return mpg_env_libc.resize(ctx, p, n);
}

static void test_memory(void) {
  static const char text[] = "JobID|JobName|SubmitLine|Frob|State\n"
                             "1|a|srun x|y|z|FAILED\n"
                             "2|a|srun\nx|z|FAILED\n"
                             "3|a|b|z|FAILED\n";
  const mpg_env poor = {.resize = stingy};
  bool finished = false;
  for (int i = 0; !finished && i < 500; i++) {
    reading r;
    mpg_rc rc;
    int rows = 0;
    countdown = i;
    rc = begin(&r, &poor, &mpg_slurm_jobs, text, plain);
    while (rc == MPG_OK || rc == MPG_DATA) {
      rc = mpg_slurm_next(r.slurm, &r.err);
      rows += rc == MPG_OK;
    }
    CHECK(rc == MPG_NOMEM || (rc == MPG_DONE && rows == 2));
    finished = rc == MPG_DONE && countdown >= 0;
    end(&r);
  }
  CHECK(finished);
}

/* ---- Both roads ---- */

static void put_value(char *out, size_t cap, size_t *n, const mpg_value *v) {
  if (v->type == MPG_TEXT)
    *n += (size_t)snprintf(out + *n, cap - *n, "'%.*s' ", (int)v->s.n, v->s.p);
  else
    *n += (size_t)snprintf(out + *n, cap - *n, "%d %lld %a ", (int)v->type,
                           v->type == MPG_INT ? (long long)v->i : 0,
                           v->type == MPG_REAL ? v->r : 0.0);
}

/* All fields of all records, errors and issues. */
static void say_all(const char *text, const mpg_zone *zone, bool slow, int threads, char *out,
                    size_t cap) {
  mpg_slurm_options options = {.zone = zone, .slow = slow, .threads = threads};
  reading r;
  size_t n = 0;
  mpg_rc rc = begin(&r, env, &mpg_slurm_jobs, text, options);
  CHECK(rc == MPG_OK);
  while (rc == MPG_OK || rc == MPG_DATA) {
    rc = mpg_slurm_next(r.slurm, &r.err);
    n += (size_t)snprintf(out + n, cap - n, "\n%lld %s", (long long)mpg_slurm_line(r.slurm),
                          rc == MPG_DATA ? r.err.text : "");
    for (size_t i = 0; rc == MPG_OK && i < MPG_SLURM_JOB_COUNT; i++)
      if (mpg_slurm_has(r.slurm, i))
        put_value(out, cap, &n, mpg_slurm_get(r.slurm, i));
    CHECK(n < cap);
  }
  for (size_t i = 0; i < r.issues.n; i++)
    n += (size_t)snprintf(out + n, cap - n, "\n%s %lld %lld %s", r.issues.items[i].kind,
                          (long long)r.issues.items[i].line, (long long)r.issues.items[i].count,
                          r.issues.items[i].detail);
  end(&r);
}

/* What is taken as it is usually written is what every field's own parser makes of it: of records
** with a byte or two changed, lost or put in. And lines that threads look over ahead change nothing
** either. */
static void test_roads(void) {
  static const char header[] = "JobID|JobName|State|ExitCode|Submit|Start|End|ElapsedRaw|Suspended|"
                               "TotalCPU|TimelimitRaw|AllocTRES|ReqTRES|Flags|Comment\n";
  static const char *const lines[] = {
      "12|a|COMPLETED|0:0|2026-11-21T05:52:32|2026-11-21T05:52:33|2026-11-21T23:59:59|16|00:00:00|"
      "01:02:03|UNLIMITED|cpu=8,gres/gpu:h100=16,gres/gpu=16|cpu=8|SchedMain,StartRecieved|\n",
      "12_4|b|CANCELLED by 0|0:9|2026-11-21T05:52:32|Unknown|1795240353|17|00:00:01|1-01:02:03|60|"
      "cpu=8,gres/gpu:h100=16,gres/gpu=16||SchedMain|x|y\n",
      "13.batch|c|TIMEOUT|0:0|2026-03-29T02:30:00|2026-10-25T02:30:00|2026-10-25T02:30:00+01:00|2K|"
      "25:00:00|00:00.5|None|cpu=8|cpu=8,mem=4000M|SchedMain,StartRecieved|two\nlines\n",
      "14|d|FAILED|1:0|1970-01-01T00:00:00|1970-01-01T12:00:00|2261-12-31T23:59:59|0|24:00:00|"
      "00:60:00|0|gres/gpu=x|cpu|a-b|\n",
  };
  static const char bytes[] = "0123456789:-T|,=./+ \nZKx";
  static char usual[1 << 16], slow[1 << 16], ahead[1 << 16];
  mpg_zone *zone = NULL;
  mpg_err err;
  CHECK(mpg_zone_open(&zone, env, MPG_STR("-03:30"), "", &err) == MPG_OK);
  for (int turn = 0; turn < 3000 / check_stride(2); turn++) {
    char text[4096];
    size_t n = sizeof header - 1, changes = check_draw(4);
    memcpy(text, header, n);
    for (size_t k = 0; k < 5; k++) {
      const char *line = lines[check_draw(turn % 2 == 0 ? 2 : sizeof lines / sizeof *lines)];
      memcpy(text + n, line, strlen(line));
      n += strlen(line);
    }
    for (size_t k = 0; k < changes; k++) {
      size_t at = sizeof header - 1 + check_draw(n - sizeof header);
      if (check_draw(3) == 0) {
        memmove(text + at, text + at + 1, --n - at);
      } else {
        if (check_draw(2) == 0)
          memmove(text + at + 1, text + at, n++ - at);
        text[at] = bytes[check_draw(sizeof bytes - 1)];
      }
    }
    text[n] = '\0';
    say_all(text, turn % 3 == 0 ? zone : NULL, false, 1, usual, sizeof usual);
    say_all(text, turn % 3 == 0 ? zone : NULL, true, 1, slow, sizeof slow);
    hostile_block(64 + check_draw(800));
    say_all(text, turn % 3 == 0 ? zone : NULL, false, turn % 4, ahead, sizeof ahead);
    hostile_block(0);
    CHECK(strcmp(usual, slow) == 0 && strcmp(usual, ahead) == 0);
    if (strcmp(usual, slow) != 0 || strcmp(usual, ahead) != 0) {
      (void)fprintf(stderr, "%s\n%s\n%s\n%s\n", text, usual, slow, ahead);
      break;
    }
  }
  mpg_zone_free(zone);
}

int main(void) {
  test_shapes();
  test_mending();
  test_joining();
  test_errors();
  test_column_names();
  test_values();
  test_issues();
  test_cut();
  test_late_steps();
  test_many_jobs();
  test_events();
  test_memory();
  test_roads();
  return check_done("slurm");
}
