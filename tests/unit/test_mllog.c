/* The reader of MLPerf's log lines over text in memory: records, what is passed over, errors. */
#include "../../ext/formats/mllog/mllog.h"
#include "../../ext/read/input/os.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

static const mpg_env *const env = &mpg_env_libc;

#define HEAD ":::MLLOG {\"time_ms\": 1795240000000, \"key\": \"k\""
#define REST "}\n"

typedef struct reading {
  mpg_stream *stream;
  mpg_mllog *mllog;
  mpg_issues issues;
  mpg_err err;
} reading;

static mpg_rc begin(reading *r, const mpg_env *memory, const char *text, size_t n) {
  mpg_rc rc;
  memset(r, 0, sizeof *r);
  mpg_issues_init(&r->issues, memory);
  rc = mpg_stream_memory(&r->stream, memory, "mem", (mpg_str){text, n}, &r->err);
  return rc == MPG_OK ? mpg_mllog_open(&r->mllog, memory, r->stream, &r->issues, &r->err) : rc;
}

static void end(reading *r) {
  mpg_mllog_close(r->mllog);
  mpg_stream_close(r->stream);
  mpg_issues_free(&r->issues);
}

static const mpg_issue *issue(const reading *r, const char *kind) {
  for (size_t i = 0; i < r->issues.n; i++)
    if (strcmp(r->issues.items[i].kind, kind) == 0)
      return &r->issues.items[i];
  return NULL;
}

static size_t show(char *out, size_t cap, const mpg_value *v) {
  switch (v->type) {
  case MPG_INT:
    return (size_t)snprintf(out, cap, "%lld", (long long)v->i);
  case MPG_REAL:
    return (size_t)snprintf(out, cap, "%g", v->r);
  case MPG_TEXT:
    return (size_t)snprintf(out, cap, "%.*s", (int)v->s.n, v->s.p);
  case MPG_MICROSECONDS:
  case MPG_NULL:
    break;
  }
  return 0;
}

/* Reads all: each record as (line;prefix;key;value;value_number;samples_count), errors in
** braces. */
static mpg_rc render(reading *r, char *out, size_t cap) {
  static const size_t columns[] = {MPG_MLLOG_prefix, MPG_MLLOG_key, MPG_MLLOG_value,
                                   MPG_MLLOG_value_number, MPG_MLLOG_samples_count};
  size_t n = 0;
  out[0] = '\0';
  for (int turn = 0; turn < 1000; turn++) {
    mpg_rc rc = mpg_mllog_next(r->mllog, &r->err);
    if (rc == MPG_DONE)
      return rc;
    if (rc != MPG_OK) {
      n += (size_t)snprintf(out + n, cap - n, "{%s}", r->err.text);
      if (rc != MPG_DATA)
        return rc;
      continue;
    }
    n += (size_t)snprintf(out + n, cap - n, "(%lld", (long long)mpg_mllog_line(r->mllog));
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
      n += (size_t)snprintf(out + n, cap - n, ";");
      n += show(out + n, cap - n, mpg_mllog_get(r->mllog, columns[i]));
    }
    n += (size_t)snprintf(out + n, cap - n, ")");
  }
  return MPG_LIMIT;
}

static void expect(const char *text, const char *expected) {
  char out[4096];
  reading r;
  CHECK(begin(&r, env, text, strlen(text)) == MPG_OK);
  if (r.mllog != NULL) {
    CHECK(render(&r, out, sizeof out) == MPG_DONE);
    CHECK(strcmp(out, expected) == 0);
    if (strcmp(out, expected) != 0)
      (void)fprintf(stderr, "  found    %s\n  expected %s\n", out, expected);
    CHECK(mpg_mllog_next(r.mllog, &r.err) == MPG_DONE);
  }
  end(&r);
}

static void test_records(void) {
  expect(HEAD REST, "(1;;k;;;)");
  expect(HEAD "}", "(1;;k;;;)"); /* whole, though the line has no end */
  expect(HEAD "}\r\n\r\n" HEAD "}  \n", "(1;;k;;;)(3;;k;;;)");
  expect("\xef\xbb\xbf" HEAD REST, "(1;;k;;;)");
  expect(":::MLLOG{\"key\":\"k\",\"time_ms\":0}\n", "(1;;k;;;)");
  /* What stands before the marker, and lines of others. */
  expect("0: " HEAD REST "::: MLLOG\n:::MLLO\n \t[1,2]<out>: \t" HEAD REST "bye",
         "(1;0:;k;;;)(4;[1,2]<out>:;k;;;)");
  expect(":::::MLLOG \n", "{mem:1:12: expected an object behind :::MLLOG, found end of line}");
  /* Two processes wrote into one line. */
  expect(HEAD "}1: " HEAD "} " HEAD REST, "(1;;k;;;)(1;1:;k;;;)(1;;k;;;)");
}

static void test_values(void) {
  static const struct {
    const char *value, *shown;
  } values[] = {
      {"null", "(1;;k;;;)"},
      {"true", "(1;;k;true;;)"},
      {"12", "(1;;k;12;12;)"},
      {"-2.50e-3", "(1;;k;-2.50e-3;-0.0025;)"},
      {"NaN", "(1;;k;\"NaN\";;)"},
      {"Infinity", "(1;;k;\"Infinity\";;)"},
      {"-Infinity", "(1;;k;\"-Infinity\";;)"},
      {"{\"loss\": NaN, \"l\": [-Infinity, \"Infinity\"]}",
       "(1;;k;{\"loss\": null, \"l\": [null, \"Infinity\"]};;)"},
      {"1e999", "(1;;k;1e999;;)"},
      {"\"12\"", "(1;;k;\"12\";;)"},
      {"\"a\\\"\\u00e9\\\\\"", "(1;;k;\"a\\\"\\u00e9\\\\\";;)"},
      {"{\"throughput\": 5.8}", "(1;;k;{\"throughput\": 5.8};;)"},
      {"[1, \"]\"]", "(1;;k;[1, \"]\"];;)"},
  };
  static const struct {
    const char *metadata, *shown;
  } counts[] = {
      {"null", "(1;;k;;;)"},
      {"{}", "(1;;k;;;)"},
      {"{\"samples_count\": 0}", "(1;;k;;;0)"},
      {"{\"samples_count\": 9007199254740993}", "(1;;k;;;9007199254740993)"},
      {"{\"samples_count\": 3.0}", "(1;;k;;;3)"},
      {"{\"samples_count\": 1e3}", "(1;;k;;;1000)"},
      {"{\"samples_count\": 0.25}", "(1;;k;;;0.25)"},
      {"{\"samples_count\": \"3\"}", "(1;;k;;;)"},
      {"{\"samples_count\": null}", "(1;;k;;;)"},
      {"{\"x\": NaN, \"samples_count\": 3}", "(1;;k;;;3)"},
      {"{\"samples_count\": NaN}", "(1;;k;;;)"},
      {"{\"x\": {\"samples_count\": 1}}", "(1;;k;;;)"},
  };
  char text[512];
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    (void)snprintf(text, sizeof text, HEAD ", \"value\": %s" REST, values[i].value);
    expect(text, values[i].shown);
  }
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    (void)snprintf(text, sizeof text, HEAD ", \"metadata\": %s" REST, counts[i].metadata);
    expect(text, counts[i].shown);
  }
}

static void test_every_column(void) {
  static const char text[] =
      "7: :::MLLOG {\"namespace\": \"n\\\"s\", \"time_ms\": 1795240000001, \"event_type\": "
      "\"INTERVAL_END\", \"key\": \"block\\u005fstop\", \"value\": 3.5, \"metadata\": {\"file\": "
      "\"a\\\\b.py\", \"lineno\": 4, \"step\": 5, \"step_num\": 6, \"samples_count\": 7, "
      "\"epoch_num\": 8, \"first_epoch_num\": 9, \"epoch_count\": 10, \"status\": \"success\"}}\n";
  static const char *const expected[MPG_MLLOG_COUNT] = {
      [MPG_MLLOG_namespace] = "n\"s",
      [MPG_MLLOG_time_ms] = "1795240000001",
      [MPG_MLLOG_event_type] = "INTERVAL_END",
      [MPG_MLLOG_key] = "block_stop",
      [MPG_MLLOG_value] = "3.5",
      [MPG_MLLOG_value_number] = "3.5",
      [MPG_MLLOG_file] = "a\\b.py",
      [MPG_MLLOG_lineno] = "4",
      [MPG_MLLOG_step] = "5",
      [MPG_MLLOG_step_num] = "6",
      [MPG_MLLOG_samples_count] = "7",
      [MPG_MLLOG_epoch_num] = "8",
      [MPG_MLLOG_first_epoch_num] = "9",
      [MPG_MLLOG_epoch_count] = "10",
      [MPG_MLLOG_status] = "success",
      [MPG_MLLOG_metadata] =
          "{\"file\": \"a\\\\b.py\", \"lineno\": 4, \"step\": 5, \"step_num\": 6, "
          "\"samples_count\": 7, \"epoch_num\": 8, \"first_epoch_num\": 9, \"epoch_count\": 10, "
          "\"status\": \"success\"}",
      [MPG_MLLOG_prefix] = "7:",
  };
  reading r;
  CHECK(begin(&r, env, text, sizeof text - 1) == MPG_OK);
  CHECK(mpg_mllog_next(r.mllog, &r.err) == MPG_OK);
  for (size_t i = 0; i < MPG_MLLOG_COUNT; i++) {
    char out[512] = "";
    (void)show(out, sizeof out, mpg_mllog_get(r.mllog, i));
    CHECK(strcmp(out, expected[i]) == 0);
  }
  CHECK(mpg_mllog_next(r.mllog, &r.err) == MPG_DONE && r.issues.n == 0);
  end(&r);
}

static void test_errors(void) {
  /* Each is left whole, and the next line is read. */
  static const struct {
    const char *line, *error;
  } lines[] = {
      {":::MLLOG", "mem:1:9: expected an object behind :::MLLOG, found end of line"},
      {"0: :::MLLOG [1]", "mem:1:13: expected an object behind :::MLLOG, found '['"},
      {HEAD ", \"value\": nan}", "mem:1:59: expected null, found 'a'"},
      {HEAD, "mem:1:47: expected ',' or '}', found end of line"},
      {HEAD "} done", "mem:1:49: expected end of line, found \"done\""},
      {HEAD ", \"key\": \"j\"}",
       "mem:1:49: expected a key that the object does not have yet, found "
       "it again"},
      {HEAD ", \"metadata\": 3}", "mem:1:61: expected an object for \"metadata\", found \"3\""},
      {HEAD ", \"metadata\": {\"a\": 1, \"a\": 2}}",
       "mem:1:70: expected a key that the object does not have yet, found it again"},
      {HEAD ", \"event_type\": 3}", "mem:1:63: expected a string for \"event_type\", found \"3\""},
      {":::MLLOG {\"key\": \"k\"}", "mem:1:10: expected \"time_ms\" in the record, found none"},
      {":::MLLOG {\"time_ms\": 1}", "mem:1:10: expected \"key\" in the record, found none"},
      {":::MLLOG {\"time_ms\": null, \"key\": \"k\"}",
       "mem:1:10: expected \"time_ms\" in the record, found none"},
      {":::MLLOG {\"time_ms\": \"1\"}",
       "mem:1:22: expected Unix milliseconds for \"time_ms\", found \"1\""},
      {":::MLLOG {\"time_ms\": 1.5}",
       "mem:1:22: expected Unix milliseconds for \"time_ms\", found \"1.5\""},
      {":::MLLOG {\"time_ms\": -1}",
       "mem:1:22: expected Unix milliseconds for \"time_ms\", found \"-1\""},
      {":::MLLOG {\"time_ms\": 1795240000000000}",
       "mem:1:22: expected Unix milliseconds for \"time_ms\", found \"1795240000000000\""},
      {":::MLLOG {\"time_ms\": 1, \"key\": 2}",
       "mem:1:32: expected a string for \"key\", found \"2\""},
  };
  char text[512], expected[512];
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    (void)snprintf(text, sizeof text, "%s\n" HEAD REST, lines[i].line);
    (void)snprintf(expected, sizeof expected, "{%s}(2;;k;;;)", lines[i].error);
    expect(text, expected);
  }
  expect("", "{mem:1:1: expected lines with :::MLLOG {\"namespace\": ..., found none in 0 lines}");
  expect("a,b\n1,2", "{mem:1:1: expected lines with :::MLLOG {\"namespace\": ..., found none in 2 "
                     "lines}");
}

static void test_issues(void) {
  static const char others[] = "a\n" HEAD ", \"host\": 1, \"host2\": 2" REST "\nb\n" HEAD REST;
  static const char open[] = HEAD REST HEAD ", \"val";
  static const char nul[] = "a\0b\n" HEAD REST;
  char out[512];
  reading r;
  CHECK(begin(&r, env, others, sizeof others - 1) == MPG_OK);
  CHECK(render(&r, out, sizeof out) == MPG_DONE && strcmp(out, "(2;;k;;;)(5;;k;;;)") == 0);
  CHECK(r.issues.n == 2 && issue(&r, "other_lines") != NULL && issue(&r, "unknown_column") != NULL);
  CHECK(issue(&r, "other_lines")->count == 3 && issue(&r, "other_lines")->line == 1);
  CHECK(issue(&r, "unknown_column")->count == 2 && issue(&r, "unknown_column")->line == 2);
  CHECK(strcmp(issue(&r, "unknown_column")->detail,
               "host is no column of MLLOG and was left out") == 0);
  end(&r);
  /* Cut anywhere, the last record is whole or is left for later. */
  for (size_t n = sizeof HEAD - 1 + 2 + 8; n < sizeof open; n++) {
    CHECK(begin(&r, env, open, n) == MPG_OK);
    CHECK(render(&r, out, sizeof out) == MPG_DONE && strcmp(out, "(1;;k;;;)") == 0);
    CHECK(r.issues.n == 1 && issue(&r, "unfinished_line") != NULL &&
          issue(&r, "unfinished_line")->line == 2);
    end(&r);
  }
  CHECK(begin(&r, env, nul, sizeof nul - 1) == MPG_OK);
  CHECK(render(&r, out, sizeof out) == MPG_DONE && strcmp(out, "(2;;k;;;)") == 0);
  end(&r);
}

/* ---- Memory that runs out, and interruption ---- */

static int allocations_left;

static void *scarce(void *ctx, void *p, size_t n) {
  (void)ctx;
  if (n == 0) {
    free(p);
    return NULL;
  }
  return allocations_left-- > 0 ? realloc(p, n) : NULL;
}

static void test_out_of_memory(void) {
  static const mpg_env poor = {.resize = scarce};
  static const char text[] = "a\n" HEAD ", \"value\": \"\\n\", \"x\": 1, \"metadata\": {\"file\": "
                             "\"\\\"\", \"step\": 1, \"x\": NaN}" REST HEAD ", \"v";
  bool whole = false;
  for (int n = 0; n < 200 && !whole; n++) {
    char out[512] = "";
    reading r;
    mpg_rc rc;
    allocations_left = n;
    rc = begin(&r, &poor, text, sizeof text - 1);
    if (rc == MPG_OK)
      rc = render(&r, out, sizeof out);
    CHECK(rc == MPG_NOMEM || rc == MPG_DONE);
    whole = rc == MPG_DONE;
    if (whole)
      CHECK(strcmp(out, "(2;;k;\"\\n\";;)") == 0 && r.issues.n == 3);
    end(&r);
  }
  CHECK(whole);
}

static bool always(void *ctx) {
  (void)ctx;
  return true;
}

static void test_interruption(void) {
  mpg_env stopped = mpg_env_libc;
  static char text[10001];
  reading r;
  stopped.interrupted = always;
  memset(text, '\n', sizeof text - 1);
  CHECK(begin(&r, &stopped, text, sizeof text - 1) == MPG_OK);
  CHECK(mpg_mllog_next(r.mllog, &r.err) == MPG_INTERRUPTED);
  end(&r);
}

int main(void) {
#ifdef MPG_TEST
  static const size_t blocks[] = {1, 7, 64, 0};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
    mpg_io_block = blocks[i];
#endif
    test_records();
    test_values();
    test_every_column();
    test_errors();
    test_issues();
    test_out_of_memory();
    test_interruption();
#ifdef MPG_TEST
  }
#endif
  return check_done("mllog");
}
