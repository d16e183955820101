/* Rows of ml-goodput-measurement, raw and exported, over text in memory. */
#include "../../ext/io/goodput_log.h"
#include "check.h"

#include <string.h>

static const mpg_env *const env = &mpg_env_libc;

typedef struct reading {
  mpg_stream *stream;
  mpg_goodput_seen seen;
  mpg_issues issues;
  mpg_goodput_log *log;
  const mpg_goodput_row *row;
  mpg_err err;
} reading;

static void begin(reading *r, const char *text) {
  memset(r, 0, sizeof *r);
  r->seen.env = env;
  mpg_issues_init(&r->issues, env);
  CHECK(mpg_stream_memory(&r->stream, env, "log", mpg_str_of(text), &r->err) == MPG_OK);
  CHECK(mpg_goodput_log_open(&r->log, env, r->stream, &r->seen, &r->issues, &r->err) == MPG_OK);
}

static mpg_rc next(reading *r) {
  return mpg_goodput_log_next(r->log, &r->row, &r->err);
}

static void end(reading *r) {
  mpg_goodput_log_close(r->log);
  mpg_stream_close(r->stream);
  mpg_goodput_seen_free(&r->seen);
  mpg_issues_free(&r->issues);
}

static void refused(const char *text, const char *why) {
  reading r;
  begin(&r, text);
  CHECK(next(&r) == MPG_DATA);
  CHECK(strcmp(r.err.text, why) == 0);
  if (strcmp(r.err.text, why) != 0)
    (void)fprintf(stderr, "  found %s\n", r.err.text);
  end(&r);
}

static void test_rows(void) {
  reading r;
  mpg_str rest;
  begin(
      &r,
      "{\"job_name\":\"a\",\"step_count\":5.0,\"step_start_time\":12.5}\n"
      "{\"tpu_init_end_time\":7,\"job_name\":\"\",\"host\":\"h\\n\\\"\",\"x\":[1, {}],\"y\":null}\n"
      "{\"job_name\":\"a\",\"step\":3,\"event_type\":\"save\",\"synchronous\":true,"
      "\"checkpoint_manager_blocking_start_time\":9,\"reached_preemption\":false}\n"
      "{\"job_name\":\"a\",\"runtime\":null,\"job_end_time\":4}\n"
      "{\"job_name\":\"a\"}");
  CHECK(next(&r) == MPG_OK);
  CHECK(r.row->kind == MPG_GOODPUT_STEP && r.row->edge == MPG_GOODPUT_START);
  CHECK(r.row->field == MPG_GOODPUT_step_start_time && !r.row->exported);
  CHECK(r.row->values[MPG_GOODPUT_step_count].i == 5 && r.row->first_time.r == 12.5);
  CHECK(mpg_goodput_log_rest(r.log, &rest, &r.err) == MPG_OK && rest.n == 0);
  CHECK(next(&r) == MPG_OK);
  CHECK(r.row->kind == MPG_GOODPUT_TPU_INIT && r.row->edge == MPG_GOODPUT_END);
  CHECK(r.row->job.p != NULL && r.row->job.n == 0 && mpg_goodput_log_line(r.log) == 2);
  CHECK(mpg_goodput_log_rest(r.log, &rest, &r.err) == MPG_OK);
  CHECK(mpg_str_eq(rest, MPG_STR("{\"host\":\"h\\u000a\\\"\",\"x\":[1, {}],\"y\":null}")));
  CHECK(next(&r) == MPG_OK);
  CHECK(r.row->kind == MPG_GOODPUT_CHECKPOINT && r.row->values[MPG_GOODPUT_synchronous].i == 1);
  CHECK(r.row->values[r.row->field].r == 9 && r.row->values[MPG_GOODPUT_reached_preemption].i == 0);
  CHECK(next(&r) == MPG_OK);
  CHECK(r.row->first_time.type == MPG_NULL && r.row->values[MPG_GOODPUT_job_end_time].r == 4);
  CHECK(next(&r) == MPG_OK);
  CHECK(r.row->kind == MPG_GOODPUT_OTHER && r.row->field == MPG_GOODPUT_COUNT);
  CHECK(next(&r) == MPG_DONE);
  end(&r);
}

static void test_exported(void) {
  reading r;
  begin(&r, "[{\"insertId\":\"a\",\"timestamp\":\"1970-01-01T00:00:02.123456789Z\","
            "\"jsonPayload\":{\"job_name\":\"j\",\"job_start_time\":1}},"
            "{\"insertId\":\"b\",\"timestamp\":\"1970-01-01T00:00:02.123456789Z\","
            "\"jsonPayload\":{\"job_name\":\"j\",\"job_start_time\":1}},"
            "{\"insertId\":\"a\",\"timestamp\":\"1970-01-01T02:00:02.123456789+02:00\","
            "\"jsonPayload\":{\"job_name\":\"j\",\"job_start_time\":1}},"
            "{\"timestamp\":\"1970-01-01T00:00:02Z\",\"jsonPayload\":{\"job_name\":\"j\"}},"
            "{\"timestamp\":\"1970-01-01T00:00:02Z\",\"jsonPayload\":{\"job_name\":\"j\"}}]");
  for (int i = 0; i < 5; i++) {
    CHECK(next(&r) == MPG_OK && r.row->exported);
    CHECK(r.row->time_ns == (i < 3 ? INT64_C(2123456789) : INT64_C(2000000000)));
    CHECK(r.row->duplicate == (i == 2));
  }
  CHECK(next(&r) == MPG_DONE);
  CHECK(r.issues.n == 1 && r.issues.items[0].count == 1);
  CHECK(strcmp(r.issues.items[0].kind, "duplicate_entry") == 0);
  end(&r);
}

static void test_many_entries(void) {
  char text[160];
  reading r;
  int duplicates = 0;
  mpg_goodput_seen seen = {.env = env};
  for (int i = 0; i < 6000; i++) {
    (void)snprintf(text, sizeof text,
                   "{\"insertId\":\"%d\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"jsonPayload\":"
                   "{\"job_name\":\"j\"}}",
                   i % 5000);
    begin(&r, text);
    r.seen = seen;
    CHECK(next(&r) == MPG_OK);
    duplicates += r.row->duplicate;
    seen = r.seen;
    r.seen = (mpg_goodput_seen){.env = env};
    end(&r);
  }
  CHECK(duplicates == 1000 && seen.n == 5000);
  mpg_goodput_seen_free(&seen);
}

static void test_errors(void) {
  refused("{\"time\":1}",
          "log:1:1: expected a row of ml-goodput-measurement with \"job_name\", or an "
          "entry of Cloud Logging with one in \"jsonPayload\", found neither");
  refused(
      "\n{\"jsonPayload\": {\"a\":1},\"timestamp\":\"2026-01-01T00:00:00Z\"}",
      "log:2:17: expected a row of ml-goodput-measurement with \"job_name\", or an entry of Cloud "
      "Logging with one in \"jsonPayload\", found neither");
  refused("{\"job_name\":3}", "log:1:13: expected a text for \"job_name\", found \"3\"");
  refused("{\"job_name\":\"a\",\"job_end_time\":\"12\"}",
          "log:1:32: expected a number for \"job_end_time\", found \"12\"");
  refused("{\"job_name\":\"a\",\"step_count\":1e30}",
          "log:1:30: expected a whole number for \"step_count\", found \"1e30\"");
  refused("{\"job_name\":\"a\",\"synchronous\":[]}",
          "log:1:31: expected true or false for \"synchronous\", found an array");
  refused("{\"job_name\":\"a\",\"event_type\":true}",
          "log:1:30: expected a text for \"event_type\", found true");
  refused("{\"jsonPayload\":\"x\"}",
          "log:1:16: expected an object for \"jsonPayload\", found \"x\"");
  refused("{\"timestamp\":\"noon\",\"jsonPayload\":{}}",
          "log:1:14: expected \"timestamp\" of the entry as an RFC 3339 time, found \"noon\"");
  refused("{\"timestamp\":\"2026-01-01T00:00:00Z\",\"jsonPayload\":{\"a\":1,\"a\":2}}",
          "log:1:51: expected each key of \"jsonPayload\" once, found an object");
}

int main(void) {
  test_rows();
  test_exported();
  test_many_entries();
  test_errors();
  return check_done("goodput_log");
}
