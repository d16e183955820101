/* Rows of ml-goodput-measurement, raw and exported, over text in memory. */
#include "../../ext/base/limits.h"
#include "../../ext/formats/goodput_log/goodput_log.h"
#include "check.h"

#include <stdarg.h>
#include <string.h>

static const mpg_env *const env = &mpg_env_libc;

typedef struct reading {
  mpg_stream *stream;
  mpg_hash_set seen;
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
  mpg_hash_set_free(&r->seen);
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
  mpg_hash_set seen = {.env = env};
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
    r.seen = (mpg_hash_set){.env = env};
    end(&r);
  }
  CHECK(duplicates == 1000 && seen.n == 5000);
  mpg_hash_set_free(&seen);
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
  refused("{\"job_name\":\"a\",\"job_end_time\":\"x2\"}",
          "log:1:32: expected a number for \"job_end_time\", found \"x2\"");
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

/* ---- Both roads ---- */

#define TEXT_MAX ((size_t)1 << 16)

typedef struct said {
  char p[TEXT_MAX];
  size_t n;
} said;

static void say(said *out, const char *format, ...) MPG_PRINTF(2, 3);
static void say(said *out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  out->n += (size_t)vsnprintf(out->p + out->n, TEXT_MAX - out->n, format, args);
  va_end(args);
  CHECK(out->n < TEXT_MAX);
}

static void say_value(said *out, size_t i, const mpg_value *v) {
  if (v->type == MPG_INT)
    say(out, " %zu=%lld", i, (long long)v->i);
  else if (v->type == MPG_REAL)
    say(out, " %zu=%a", i, v->r);
  else if (v->type == MPG_TEXT)
    say(out, " %zu='%.*s'", i, (int)v->s.n, v->s.p);
}

static void read_all(const mpg_env *with, const char *text, said *out) {
  mpg_issues issues;
  mpg_stream *stream;
  mpg_goodput_log *log;
  mpg_hash_set seen = {.env = with};
  mpg_err err;
  mpg_rc rc;
  out->n = 0;
  mpg_issues_init(&issues, with);
  CHECK(mpg_stream_memory(&stream, with, "log", mpg_str_of(text), &err) == MPG_OK);
  CHECK(mpg_goodput_log_open(&log, with, stream, &seen, &issues, &err) == MPG_OK);
  do {
    const mpg_goodput_row *row;
    mpg_str rest = {NULL, 0};
    rc = mpg_goodput_log_next(log, &row, &err);
    if (rc == MPG_DATA)
      say(out, "%lld %s", (long long)mpg_goodput_log_line(log), err.text);
    if (rc == MPG_OK) {
      say(out, "%lld %s %d %zu %d%d '%.*s'", (long long)mpg_goodput_log_line(log),
          mpg_goodput_kind_name(row->kind), (int)row->edge, row->field, row->timed, row->exported,
          (int)row->job.n, row->job.p);
      for (size_t i = 0; i < MPG_GOODPUT_COUNT; i++)
        say_value(out, i, &row->values[i]);
      say_value(out, MPG_GOODPUT_COUNT, &row->first_time);
      CHECK(mpg_goodput_log_rest(log, &rest, &err) == MPG_OK);
      say(out, " %.*s", (int)rest.n, rest.p == NULL ? "" : rest.p);
    }
    say(out, "\n");
  } while (rc == MPG_OK || rc == MPG_DATA);
  mpg_goodput_log_close(log);
  mpg_stream_close(stream);
  mpg_hash_set_free(&seen);
  mpg_issues_free(&issues);
}

/* Rows taken as they are usually written are those that the reader of all JSON makes of them: of
** lines with a byte or two changed, lost or put in, mostly near to right. */
static void test_roads(void) {
  static const char *const lines[] = {
      "{\"job_name\": \"ranker\", \"step_count\": 7, \"step_start_time\": 1767225600.123456}\n",
      "{\"job_name\":\"ranker\",\"step_start_time\":1767225600.5,\"step_count\":17.0}\r\n",
      "{\"job_name\": \"ranker\", \"job_start_time\": 1767225600}\n",
      "{\"job_name\": \"\", \"job_end_time\": null, \"tpu_init_start_time\": 1767225600.25}\n",
      "{\"step\": 3, \"job_name\": \"r\", \"event_type\": \"save\", \"directory\": \"gs://b/r\", "
      "\"synchronous\": true, \"reached_preemption\": 0, "
      "\"checkpoint_manager_blocking_start_time\": 1767225600.5, "
      "\"checkpoint_manager_blocking_duration_secs\": 1.5e0}\n",
      "{\"job_name\": \"r\", \"custom_badput_event_type\": \"eval\", "
      "\"custom_badput_event_start_time\": 1767225600.5, \"host\": \"h-0\"}\n",
      "{\"job_name\": \"r\", \"elastic_slice_counts_timestamp\": 12, \"active_slices\": -0}\n",
      "{\"insertId\": \"a\", \"timestamp\": \"2026-01-01T00:00:00Z\", \"jsonPayload\": "
      "{\"job_name\": \"r\"}}\n",
  };
  static const char bytes[] = "0123456789.-+eE\"{}[]:,\\ \n\r\tntu\x7f\xc3";
  static said quick, careful;
  mpg_limits limits;
  mpg_env few = *env;
  size_t usual = 0;
  mpg_limits_init(&limits);
  limits.of[MPG_LIMIT_JSON_MEMBERS] = MPG_GOODPUT_COUNT; /* so few that no row is taken as usual */
  few.limits = &limits;
  for (int turn = 0; turn < 8000; turn++) {
    char text[4096];
    size_t n = 0, changes = turn % 4 == 0 ? 0 : check_draw(3) + (size_t)(turn % 4 == 1);
    for (size_t k = 0; k < 6; k++) {
      const char *line = lines[check_draw(turn % 2 == 0 ? 2 : sizeof lines / sizeof *lines)];
      memcpy(text + n, line, strlen(line));
      n += strlen(line);
    }
    for (size_t k = 0; k < changes; k++) {
      size_t at = check_draw(n);
      if (check_draw(3) == 0) {
        memmove(text + at, text + at + 1, --n - at);
      } else {
        if (check_draw(2) == 0)
          memmove(text + at + 1, text + at, n++ - at);
        text[at] = bytes[check_draw(sizeof bytes - 1)];
      }
    }
    text[n] = '\0';
    read_all(env, text, &quick);
    read_all(&few, text, &careful);
    usual += changes == 0;
    CHECK(quick.n == careful.n && memcmp(quick.p, careful.p, quick.n) == 0);
    if (quick.n != careful.n || memcmp(quick.p, careful.p, quick.n) != 0) {
      (void)fprintf(stderr, "%s\n%s\n%s\n", text, quick.p, careful.p);
      break;
    }
  }
  CHECK(usual > 0);
}

int main(void) {
  test_rows();
  test_exported();
  test_many_entries();
  test_errors();
  test_roads();
  return check_done("goodput_log");
}
