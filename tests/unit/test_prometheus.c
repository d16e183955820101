/* Samples of Prometheus over text in memory: what begins a file, values, hostile answers and
** lines. */
#include "../../ext/formats/prometheus/prometheus.h"
#include "check.h"

#include <math.h>
#include <string.h>

static const mpg_env *const env = &mpg_env_libc;

typedef struct reading {
  mpg_stream *stream;
  mpg_issues issues;
  mpg_prometheus *prometheus;
  const mpg_prometheus_sample *sample;
  mpg_err err;
} reading;

static void begin(reading *r, const char *text) {
  memset(r, 0, sizeof *r);
  mpg_issues_init(&r->issues, env);
  CHECK(mpg_stream_memory(&r->stream, env, "p", mpg_str_of(text), &r->err) == MPG_OK);
  CHECK(mpg_prometheus_open(&r->prometheus, env, r->stream,
                            mpg_prometheus_is_json(mpg_str_of(text)), &r->issues,
                            &r->err) == MPG_OK);
}

static mpg_rc next(reading *r) {
  return mpg_prometheus_next(r->prometheus, &r->sample, &r->err);
}

static void end(reading *r) {
  mpg_prometheus_close(r->prometheus);
  mpg_stream_close(r->stream);
  mpg_issues_free(&r->issues);
}

static bool is(mpg_str s, const char *text) {
  return mpg_str_eq(s, mpg_str_of(text));
}

static bool issue(const reading *r, const char *kind) {
  return r->issues.n == 1 && strcmp(r->issues.items[0].kind, kind) == 0;
}

static void test_what_begins_a_file(void) {
  static const char *const json[] = {"{\"status\":1}",           " \n[",      "{", "{}",
                                     "\xef\xbb\xbf{\"a\\\"\" :", "{\"cut off"};
  static const char *const text[] = {
      "", "#", "up 1", "{\"a.b\",c=\"d\"} 1", "{\"a\"} 1", "{\"a\\\"\" , b"};
  for (size_t i = 0; i < sizeof json / sizeof *json; i++)
    CHECK(mpg_prometheus_is_json(mpg_str_of(json[i])));
  for (size_t i = 0; i < sizeof text / sizeof *text; i++)
    CHECK(!mpg_prometheus_is_json(mpg_str_of(text[i])));
}

static void test_values(void) {
  static const struct {
    const char *text;
    double value;
  } good[] = {{"1", 1},           {"-0.5", -0.5},      {"+3", 3},         {"1e+09", 1e9},
              {"+Inf", HUGE_VAL}, {"-Inf", -HUGE_VAL}, {"inf", HUGE_VAL}, {"-infinity", -HUGE_VAL}};
  static const char *const bad[] = {"", "+", "--1", "+-1", "x", "1 ", "0x10", "infi", "1e999"};
  mpg_value v;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    CHECK(mpg_prometheus_value(mpg_str_of(good[i].text), &v) && v.type == MPG_REAL &&
          v.r == good[i].value);
  CHECK(mpg_prometheus_value(MPG_STR("NaN"), &v) && v.type == MPG_NULL);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK(!mpg_prometheus_value(mpg_str_of(bad[i]), &v));
}

static void test_json(void) {
  reading r;
  begin(&r, "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
            "{\"metric\":{\"__name__\":\"u\\u0070\",\"a\":\"\\\"\",\"b\":\"\"},\"values\":[[1.5,"
            "\"2\"],\n[3,\"NaN\"]]},"
            "{\"metric\":{},\"value\":[4,\"+Inf\"]},[],{}]}}\n"
            "{\"status\":\"success\",\"data\":{\"resultType\":\"scalar\",\"result\":[5,\"6\"]}}"
            "{\"status\":\"success\",\"data\":null}{\"metric\":{\"c\":\"d\"},\"values\":[]}");
  CHECK(next(&r) == MPG_OK && is(r.sample->metric, "up") && r.sample->nlabels == 2);
  CHECK(is(r.sample->labels[0].value, "\"") && is(r.sample->labels[1].name, "b"));
  CHECK(r.sample->time.r == 1.5 && r.sample->value.r == 2 && is(r.sample->text, "2"));
  CHECK(next(&r) == MPG_OK && is(r.sample->metric, "up") && r.sample->value.type == MPG_NULL);
  CHECK(mpg_prometheus_line(r.prometheus) == 2);
  CHECK(next(&r) == MPG_OK && r.sample->nlabels == 0 && isinf(r.sample->value.r));
  CHECK(next(&r) == MPG_DATA); /* "[]" is no series */
  CHECK(next(&r) == MPG_OK && r.sample->time.r == 5 && r.sample->value.r == 6);
  CHECK(r.sample->metric.n == 0 && mpg_prometheus_line(r.prometheus) == 3);
  CHECK(next(&r) == MPG_DONE && r.issues.n == 0);
  end(&r);
}

static void test_text(void) {
  reading r;
  begin(&r, "# HELP a b\n# TYPE requests counter\n\nrequests_total{x=\"a\\\\b\\nc\\\"d\", y = \"\" "
            ", } 1 1772352000123\n"
            "requests 2 1772352000.5 # {trace=\"t\"} 0.1\n{\"other.name\",\"a b\"=\"c\"} NaN\nx{} "
            "-Inf 5\nrequests_more 1\ncut 1");
  CHECK(next(&r) == MPG_OK && is(r.sample->metric, "requests_total") &&
        is(r.sample->type, "counter"));
  CHECK(r.sample->nlabels == 2 && is(r.sample->labels[0].value, "a\\b\nc\"d"));
  CHECK(is(r.sample->labels[1].value, "") && r.sample->time.r == 1772352000.123);
  CHECK(next(&r) == MPG_OK && r.sample->time.r == 1772352000.5);
  CHECK(is(r.sample->exemplar, "{trace=\"t\"} 0.1"));
  CHECK(next(&r) == MPG_OK && is(r.sample->metric, "other.name") && is(r.sample->type, ""));
  CHECK(is(r.sample->labels[0].name, "a b") && r.sample->time.type == MPG_NULL);
  CHECK(next(&r) == MPG_OK && r.sample->time.r == 5 && r.sample->value.r == -HUGE_VAL);
  CHECK(next(&r) == MPG_OK && is(r.sample->type, "") && mpg_prometheus_line(r.prometheus) == 8);
  CHECK(next(&r) == MPG_DONE && issue(&r, "unfinished_record"));
  end(&r);
}

static void refused(const char *text, const char *why) {
  reading r;
  mpg_rc rc;
  begin(&r, text);
  while ((rc = next(&r)) == MPG_OK)
    ;
  CHECK(rc == MPG_DATA && strcmp(r.err.text, why) == 0);
  if (strcmp(r.err.text, why) != 0)
    (void)fprintf(stderr, "  %s: found %s\n", text, r.err.text);
  end(&r);
}

#define ANSWER "{\"data\":{\"result\":["

static void test_errors(void) {
  refused("{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"parse error\"}",
          "p:1:1: expected the answer to a query, found an error: bad_data: parse error");
  refused("{\"apiVersion\":\"v1\"}",
          "p:1:1: expected an answer of Prometheus with \"status\" and \"data\", found an object "
          "with \"apiVersion\" (of Kubernetes: read it with kube_trace)");
  refused("{\"status\":\"success\",\"data\":[\"up\"]}",
          "p:1:28: expected the answer to a query, with an object \"data\", found another value");
  refused("[7", "p:1:3: expected ',' or ']', found end of file");
  refused("[\"x\"]",
          "p:1:2: expected a series with \"metric\" and \"values\", or a scalar, found x");
  refused("[7]", "p:1:2: expected a scalar of a time and a value, found one of them");
  refused(ANSWER "{\"values\":[[1,\"2\"]]}]}}",
          "p:1:31: expected \"metric\" before the samples of its series, found [1,\"2\"]");
  refused(ANSWER "{\"metric\":{\"a\":1}}]}}", "p:1:30: expected texts as labels, found 1");
  refused(ANSWER "{\"metric\":{\"a\":\"\",\"a\":\"\"}}]}}",
          "p:1:30: expected each label once, found one again");
  refused(ANSWER "{\"metric\":{},\"value\":[1,2]}]}}",
          "p:1:41: expected a value such as \"0.5\", \"NaN\" or \"+Inf\", found 2");
  refused(ANSWER "{\"metric\":{},\"values\":[1,2]}]}}",
          "p:1:1: expected a sample [time, \"value\"], or as many \"timestamps\" as \"values\", "
          "found fewer");
  refused("{\"metric\":{},\"values\":[1],\"timestamps\":[1000,2000]}",
          "p:1:46: expected as many \"timestamps\" as \"values\", found 2000");
  refused(
      "{\"data\":{\"data\":{\"data\":{\"data\":{\"data\":{\"data\":{\"data\":{\"data\":{\"data\":{"
      "\"data\":{\"data\":{\"data\":{\"data\":{\"data\":{\"data\":{\"data\":{\"data\":{\"data\":{",
      "p:1:129: expected an answer to a query, found values nested 17 deep");
  refused("hello world\n", "p:1:1: expected an answer of Prometheus' HTTP API or lines such as "
                           "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 97, found \"hello world\"");
  refused("up 1\nup{a=\"b} 1\n", "p:2:11: expected a closing quote, found end of line");
  refused("up 1\nup{a=b} 1\n", "p:2:6: expected a value in double quotes, found \"b} 1\"");
  refused("up 1\nup{a} 1\n", "p:2:5: expected '=', found \"} 1\"");
  refused("up 1\nup{a=\"b\" c=\"d\"} 1\n", "p:2:10: expected ',' or '}', found \"c=\"d\"} 1\"");
  refused("up 1\nup{a=\"\\x\"} 1\n",
          "p:2:8: expected one of \\\"n behind a backslash, found \"x\"} 1\"");
  refused("up 1\nup one\n", "p:2:4: expected a value such as 0.5, NaN or +Inf, found \"one\"");
  refused("up 1\nup 1 now\n", "p:2:6: expected a timestamp from 1970 to 2261, found \"now\"");
  refused("up 1\nup 1 2 3\n", "p:2:8: expected end of line, found \"3\"");
  refused("up 1\n5 1\n", "p:2:1: expected the name of a metric, found \"5 1\"");
  refused("up 1\nup\n", "p:2:3: expected a value such as 0.5, NaN or +Inf, found end of line");
}

int main(void) {
  test_what_begins_a_file();
  test_values();
  test_json();
  test_text();
  test_errors();
  return check_done("prometheus");
}
