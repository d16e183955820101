/* Spans of OTLP over text in memory: ids, values, resources before and behind their spans,
** hostile texts. */
#include "../../ext/formats/otlp/otlp.h"
#include "../../ext/read/input/os.h"
#include "../../ext/formats/otlp/otlp_value.h"
#include "check.h"
#include "hostile.h"

#include <string.h>

static const mpg_env *const env = &mpg_env_libc;

typedef struct reading {
  mpg_stream *stream;
  mpg_issues issues;
  mpg_otlp *otlp;
  const mpg_otlp_span *span;
  mpg_err err;
} reading;

static void begin(reading *r, const char *text) {
  memset(r, 0, sizeof *r);
  mpg_issues_init(&r->issues, env);
  CHECK(mpg_stream_memory(&r->stream, env, "o", mpg_str_of(text), &r->err) == MPG_OK);
  CHECK(mpg_otlp_open(&r->otlp, env, r->stream, &r->issues, &r->err) == MPG_OK);
}

static mpg_rc next(reading *r) {
  return mpg_otlp_next(r->otlp, &r->span, &r->err);
}

static void end(reading *r) {
  mpg_otlp_close(r->otlp);
  mpg_stream_close(r->stream);
  mpg_issues_free(&r->issues);
}

static bool is(mpg_str s, const char *text) {
  return mpg_str_eq(s, mpg_str_of(text));
}

static void test_ids(void) {
  static const struct {
    const char *text;
    size_t bytes;
    const char *id;
  } cases[] = {
      {"5B8EFFF798038103D269B633813FC60C", 16, "5b8efff798038103d269b633813fc60c"},
      {"W47/95gDgQPSabYzgT/GDA==", 16, "5b8efff798038103d269b633813fc60c"},
      {"W47_95gDgQPSabYzgT_GDA", 16, "5b8efff798038103d269b633813fc60c"},
      {"eee19b7ec3c1b174", 8, "eee19b7ec3c1b174"},
      {"7uGbfsPBsXQ=", 8, "eee19b7ec3c1b174"},
      {"", 8, ""},
      {"eee19b7ec3c1b17", 8, ""},
      {"eee19b7ec3c1b17g", 8, ""},
      {"7uGbfsP*sXQ=", 8, ""},
      {"7uGbfsPBsXQAAA==", 8, ""},
      {"0000000000000000", 8, ""},
      {"AAAAAAAAAAA=", 8, ""},
      {"0000000000000010", 8, "0000000000000010"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char id[MPG_OTLP_ID];
    mpg_otlp_id(mpg_str_of(cases[i].text), cases[i].bytes, id);
    CHECK(strcmp(id, cases[i].id) == 0);
  }
}

static void test_keys(void) {
  CHECK(mpg_otlp_is(MPG_STR("startTimeUnixNano"), "startTimeUnixNano"));
  CHECK(mpg_otlp_is(MPG_STR("start_time_unix_nano"), "startTimeUnixNano"));
  CHECK(!mpg_otlp_is(MPG_STR("start_time_unix_nan"), "startTimeUnixNano"));
  CHECK(!mpg_otlp_is(MPG_STR("startTimeUnixNanos"), "startTimeUnixNano"));
  CHECK(!mpg_otlp_is(MPG_STR("start_"), "startTime"));
  CHECK(mpg_otlp_is(MPG_STR("key"), "key"));
  CHECK(!mpg_otlp_is(MPG_STR(""), "key"));
}

static void put(const char *list, const char *wanted) {
  mpg_otlp_values values;
  mpg_json_text json = {.env = env};
  memset(&values, 0, sizeof values);
  values.env = env;
  CHECK(mpg_otlp_put_attributes(&values, &json, mpg_str_of(list)) == MPG_OK);
  CHECK(mpg_str_eq((mpg_str){json.p, json.n}, mpg_str_of(wanted)));
  if (!mpg_str_eq((mpg_str){json.p, json.n}, mpg_str_of(wanted)))
    (void)fprintf(stderr, "  %s: found %.*s\n", list, (int)json.n, json.p);
  mpg_otlp_values_free(&values);
  mpg_json_text_free(&json);
}

#define ONE(value) "[{\"key\":\"k\",\"value\":" value "}]"

static void test_values(void) {
  put("", "{}");
  put("[]", "{}");
  put(ONE("{\"stringValue\":\"a\\n\\u00e9\"}"), "{\"k\":\"a\\u000a\xc3\xa9\"}");
  put(ONE("{\"intValue\":\"9223372036854775807\"}"), "{\"k\":9223372036854775807}");
  put(ONE("{\"intValue\":-5}"), "{\"k\":-5}");
  put(ONE("{\"intValue\":\"18446744073709551615\"}"), "{\"k\":1.8446744073709552e+19}");
  put(ONE("{\"intValue\":\"007\"}"), "{\"k\":7}");
  put(ONE("{\"intValue\":\"x\"}"), "{\"k\":\"x\"}");
  put(ONE("{\"doubleValue\":0.5}"), "{\"k\":0.5}");
  put(ONE("{\"doubleValue\":\"NaN\"}"), "{\"k\":\"NaN\"}");
  put(ONE("{\"double_value\":\"1e3\"}"), "{\"k\":1000.0}");
  put(ONE("{\"boolValue\":true}"), "{\"k\":true}");
  put(ONE("{\"bytesValue\":\"q83v\"}"), "{\"k\":\"q83v\"}");
  put(ONE("{}"), "{\"k\":null}");
  put("[{\"key\":\"k\"}]", "{\"k\":null}");
  put(ONE("null"), "{\"k\":null}");
  put(ONE("{\"arrayValue\":{}}"), "{\"k\":[]}");
  put(ONE("{\"array_value\":{\"values\":[{\"intValue\":1},{\"arrayValue\":{\"values\":[{}]}},{}]}"
          "}"),
      "{\"k\":[1,[null],null]}");
  put("[{\"key\":\"a\",\"value\":{\"kvlistValue\":{\"values\":" ONE(
          "{\"kvlistValue\":{\"values\":[]}}") "}}},"
                                               "{\"key\":\"b\",\"value\":{\"intValue\":2}}]",
      "{\"a\":{\"k\":{}},\"b\":2}");
  /* What is none of this stays as it is written. */
  put("[7,{}]", "{\"\":null,\"\":null}");
  put(ONE("7"), "{\"k\":7}");
  put(ONE("{\"a\":1,\"b\":2}"), "{\"k\":{\"a\":1,\"b\":2}}");
  put(ONE("{\"a\":1,\"a\":2}"), "{\"k\":{\"a\":1,\"a\":2}}");
  put(ONE("{\"arrayValue\":[1]}"), "{\"k\":[1]}");
}

/* Deeper than values are taken apart: the rest is raw. */
static void test_deep(void) {
  mpg_otlp_values values;
  mpg_json_text list = {.env = env}, json = {.env = env};
  CHECK(mpg_json_put(&list, MPG_STR("[{\"key\":\"k\",\"value\":")) == MPG_OK);
  for (int i = 0; i < 60; i++)
    CHECK(mpg_json_put(&list, MPG_STR("{\"arrayValue\":{\"values\":[")) == MPG_OK);
  CHECK(mpg_json_put(&list, MPG_STR("{\"intValue\":\"1\"}")) == MPG_OK);
  for (int i = 0; i < 60; i++)
    CHECK(mpg_json_put(&list, MPG_STR("]}}")) == MPG_OK);
  CHECK(mpg_json_put(&list, MPG_STR("}]")) == MPG_OK);
  memset(&values, 0, sizeof values);
  values.env = env;
  CHECK(mpg_otlp_put_attributes(&values, &json, (mpg_str){list.p, list.n}) == MPG_OK);
  CHECK(json.n > 100 && memcmp(json.p, "{\"k\":[[[[", 9) == 0);
  CHECK(memcmp(json.p + 4 + MPG_OTLP_NESTED, "[{\"arrayValue\"", 14) == 0);
  mpg_otlp_values_free(&values);
  mpg_json_text_free(&json);
  mpg_json_text_free(&list);
}

/* Whenever the host stops it: nothing is left behind. */
static void test_stopped(void) {
  enum { EVENTS = 8300 };
  mpg_json_text list = {.env = env};
  mpg_rc rc = MPG_INTERRUPTED;
  CHECK(mpg_json_put(&list, MPG_STR("[{}")) == MPG_OK);
  for (int i = 1; i < EVENTS; i++)
    CHECK(mpg_json_put(&list, MPG_STR(",{}")) == MPG_OK);
  CHECK(mpg_json_put(&list, MPG_STR("]")) == MPG_OK);
  for (long n = 2; rc == MPG_INTERRUPTED; n++) {
    hostile h = {.stop_in = n};
    mpg_env stopping = hostile_env(&h);
    mpg_otlp_values values = {.env = &stopping};
    mpg_json_text json = {.env = &stopping};
    rc = mpg_otlp_put_events(&values, &json, (mpg_str){list.p, list.n});
    CHECK(rc == MPG_INTERRUPTED || rc == MPG_OK);
    CHECK(rc == MPG_OK || n < 100);
    mpg_otlp_values_free(&values);
    mpg_json_text_free(&json);
    CHECK(h.live == 0);
  }
  mpg_json_text_free(&list);
}

#define RESOURCE(name)                                                                             \
  "\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"" name     \
  "\"}}]}"
#define SPAN(name)                                                                                 \
  "{\"name\":\"" name "\",\"traceId\":\"\",\"startTimeUnixNano\":\"1772352000000000001\"}"

static void test_resources(void) {
  reading r;
  begin(
      &r,
      "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[" SPAN("a") "," SPAN(
          "b") "],\"scope\":{\"name\":\"late\"}},"
               "{\"scope\":{\"name\":\"s\",\"version\":\"1\"},\"spans\":[" SPAN(
                   "c") "]}],\"schemaUrl\":\"u\"," RESOURCE("x") "},"
                                                                 "{\"scope_spans\":[{\"spans\":"
                                                                 "[" SPAN(
                                                                     "d") "]}]}]}\n"
                                                                          "{\"resource_spans\":["
                                                                          "{" RESOURCE(
                                                                              "y") ",\"scopeSpans\""
                                                                                   ":[{\"spans\":"
                                                                                   "[" SPAN(
                                                                                       "e") "]"
                                                                                            "}"
                                                                                            "]"
                                                                                            "}"
                                                                                            "]"
                                                                                            ","
                                                                                            "\"othe"
                                                                                            "r\":{}"
                                                                                            "}\n{}"
                                                                                            "\n");
  CHECK(next(&r) == MPG_OK && is(r.span->name, "a") && is(r.span->service, "x") &&
        is(r.span->scope, "late"));
  CHECK(r.span->start_ns == INT64_C(1772352000000000001) && r.span->end_ns == 0 &&
        r.span->flags == -1);
  CHECK(next(&r) == MPG_OK && is(r.span->name, "b") && is(r.span->scope, "late"));
  CHECK(next(&r) == MPG_OK && is(r.span->name, "c") && is(r.span->scope, "s") &&
        is(r.span->service, "x"));
  CHECK(is(r.span->scope_version, "1") && is(r.span->resource, "{\"service.name\":\"x\"}"));
  CHECK(next(&r) == MPG_OK && is(r.span->name, "d") && r.span->service.n == 0 &&
        r.span->resource.n == 0);
  CHECK(next(&r) == MPG_OK && is(r.span->service, "y") && mpg_otlp_line(r.otlp) == 2);
  CHECK(next(&r) == MPG_DONE && r.issues.n == 0);
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

#define SPANS(spans) "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[" spans "]}]}]}"

static void test_errors(void) {
  refused(
      "{\"apiVersion\":1}",
      "o:1:1: expected OTLP as JSON with \"resourceSpans\", found an object with \"apiVersion\" "
      "(of Kubernetes: read it with kube_trace)");
  refused("7",
          "o:1:1: expected OTLP as JSON, an object with \"resourceSpans\", found another value");
  refused("{\"resourceSpans\":{}}",
          "o:1:18: expected an array \"resourceSpans\", found another value");
  refused("{\"resourceSpans\":[7]}",
          "o:1:19: expected spans of a resource, an object, found another value");
  refused("{\"resourceSpans\":[{\"scopeSpans\":[7]}]}",
          "o:1:34: expected spans of a scope, an object, found another value");
  refused(SPANS("7"), "o:1:44: expected a span, an object, found 7");
  refused(SPANS("{\"name\":\"\",\"name\":\"\"}"),
          "o:1:44: expected each key of a span once, found one again");
  refused(SPANS("{\"startTimeUnixNano\":\"now\"}"),
          "o:1:44: expected nanoseconds since 1970 as a time, before 2262, found now");
  refused(SPANS("{\"startTimeUnixNano\":-1}"),
          "o:1:44: expected nanoseconds since 1970 as a time, before 2262, found -1");
  refused(SPANS("{\"startTimeUnixNano\":1772352000000000}"),
          "o:1:44: expected nanoseconds since 1970 as a time, not seconds, milliseconds or "
          "microseconds, found 1772352000000000");
  refused(SPANS("{\"status\":{\"code\":1,\"code\":2}}"),
          "o:1:1: expected each key of \"status\" once, found one again");
  refused("{\"resourceSpans\":[{\"resource\":{\"a\":1,\"a\":2}}]}",
          "o:1:1: expected an object \"resource\" with each key once, found {\"a\":1,\"a\":2}");
  refused("{\"resourceSpans\":[{\"scopeSpans\"", "o:1:32: expected ':', found end of file");
}

static void test_odd(void) {
  reading r;
  begin(&r, SPANS("{\"kind\":\"SPAN_KIND_SERVER\",\"status\":{\"code\":\"STATUS_CODE_ERROR\","
                  "\"message\":\"m\"},\"flags\":257},"
                  "{\"kind\":99,\"status\":{\"code\":1},\"name\":null,\"events\":{},\"attributes\":"
                  "7,\"droppedEventsCount\":3},"
                  "{\"startTimeUnixNano\":2772352000000000000,\"endTimeUnixNano\":1.772352e18,"
                  "\"kind\":1}"));
  CHECK(next(&r) == MPG_OK && strcmp(r.span->kind, "server") == 0 &&
        strcmp(r.span->status, "error") == 0);
  CHECK(is(r.span->status_message, "m") && r.span->flags == 257 && r.issues.n == 0);
  CHECK(next(&r) == MPG_OK && r.span->kind == NULL && strcmp(r.span->status, "ok") == 0);
  CHECK(r.span->dropped == 3 && r.span->events.n == 0 && r.span->attributes.n == 0 &&
        r.issues.n == 1);
  CHECK(next(&r) == MPG_OK && r.span->end_ns == INT64_C(1772352000000000000) && r.issues.n == 2);
  CHECK(next(&r) == MPG_DONE);
  end(&r);
}

static void all(void) {
  test_resources();
  test_errors();
  test_odd();
}

int main(void) {
  test_ids();
  test_keys();
  test_values();
  test_deep();
  test_stopped();
  all();
#ifdef MPG_TEST
  for (mpg_io_block = 1; mpg_io_block < 30; mpg_io_block++)
    all();
#endif
  return check_done("otlp");
}
