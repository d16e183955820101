/*
** test_native_same.c - spans of JSON that differ from one before in their times and step alone:
** which are told from that, and which are left to who reads any JSON.
*/
#include "check.h"
#include "../../ext/goodput/native/native_json_fast.h"

#include <stdio.h>

enum { SLACK = 64, SECOND = 1000000 };

static char bytes[2048]; /* of a record, with what may be read behind it, and a NUL */

static mpg_str record_of(const char *text) {
  size_t n = strlen(text);
  CHECK(n + SLACK < sizeof bytes);
  memcpy(bytes, text, n + 1);
  memset(bytes + n, 'x', sizeof bytes - 1 - n);
  return (mpg_str){bytes, n};
}

/* What stands behind a key, without its quotes; of no bytes where there is no such key. */
static mpg_str value_of(mpg_str record, const char *key) {
  const char *p = strstr(record.p, key), *end;
  if (p == NULL)
    return (mpg_str){NULL, 0};
  p += strlen(key);
  p += *p == '"';
  for (end = p; *end != '"' && *end != ',' && *end != '}';)
    end++;
  return (mpg_str){p, (size_t)(end - p)};
}

static void learn(mpg_native_json_fast *same, const char *text, const mpg_span *span,
                  uint32_t job) {
  mpg_str record = record_of(text), values[SPANS_EXECUTIONS + 1] = {{NULL, 0}};
  values[SPANS_START] = value_of(record, "\"start_time\":");
  values[SPANS_END] = value_of(record, "\"end_time\":");
  values[SPANS_STEP] = value_of(record, "\"step\":");
  mpg_native_json_fast_learn(same, record, values, span, job);
}

/* Whether the record is told from one before, up to its end. */
static bool reads(mpg_native_json_fast *same, const char *text, mpg_span *span, uint32_t *job) {
  mpg_str record = record_of(text);
  const char *after = mpg_native_json_fast_read(same, record.p, record.p + record.n, span, job);
  CHECK(after == NULL || after == record.p + record.n);
  return after != NULL;
}

/* The three members in every order, each with its own text and numbers. */
static void test_orders(void) {
  static const char *const orders[] = {"abc", "acb", "bac", "bca", "cab", "cba"};
  static const char *const members[2][3] = {
      {"\"start_time\":1767891265.250000", "\"end_time\":1767891266", "\"step\":7"},
      {"\"start_time\":1767891300.5", "\"end_time\":1767891301.000001", "\"step\":123456"}};
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    mpg_native_json_fast same = {.n = 0};
    mpg_span span = {.start = 1, .end = 2, .step = 3, .attempt = 4, .flops = 2.5, .kind = 6};
    uint32_t job = 0;
    char text[2][512];
    for (int k = 0; k < 2; k++)
      (void)snprintf(text[k], sizeof text[k], "{\"record\":\"span\",%s,\"job\":\"j\",%s,%s}",
                     members[k][orders[i][0] - 'a'], members[k][orders[i][1] - 'a'],
                     members[k][orders[i][2] - 'a']);
    CHECK(!reads(&same, text[0], &span, &job));
    learn(&same, text[0], &span, 9);
    CHECK(reads(&same, text[1], &span, &job));
    CHECK(job == 9 && span.attempt == 4 && span.flops == 2.5 && span.kind == 6);
    CHECK(span.start == INT64_C(1767891300500000) && span.end == INT64_C(1767891301000001));
    CHECK(span.step == 123456);
  }
}

static bool reads_after(const char *first, const char *text, mpg_span *span) {
  mpg_native_json_fast same = {.n = 0};
  mpg_span learnt = {.start = 5 * SECOND, .end = 9 * SECOND, .step = MPG_NONE};
  uint32_t job;
  learn(&same, first, &learnt, 1);
  return reads(&same, text, span, &job);
}

/* What is not given stays what it was; what may be anything but a plain number or time is left
** alone. */
static void test_forms(void) {
  static const char given[] = "{\"job\":\"j\",\"start_time\":5,\"end_time\":9,\"step\":1}";
  static const char *const others[] = {
      "{\"job\":\"i\",\"start_time\":5,\"end_time\":9,\"step\":1}",
      "{\"job\":\"j\",\"start_time\":5,\"end_time\":9,\"step\":1",
      "{\"job\":\"j\",\"start_time\":5,\"end_time\":9,\"step\":1]",
      "{\"job\":\"j\",\"start_time\":9.5,\"end_time\":9,\"step\":1}",
      "{\"job\":\"j\",\"start_time\":05,\"end_time\":9,\"step\":1}",
      "{\"job\":\"j\",\"start_time\":5.,\"end_time\":9,\"step\":1}",
      "{\"job\":\"j\",\"start_time\":.5,\"end_time\":9,\"step\":1}",
      "{\"job\":\"j\",\"start_time\":-5,\"end_time\":9,\"step\":1}",
      "{\"job\":\"j\",\"start_time\":5e0,\"end_time\":9,\"step\":1}",
      "{\"job\":\"j\",\"start_time\":\"5\",\"end_time\":9,\"step\":1}",
      "{\"job\":\"j\",\"start_time\":null,\"end_time\":9,\"step\":1}",
      "{\"job\":\"j\",\"start_time\":,\"end_time\":9,\"step\":1}",
      "{\"job\":\"j\",\"start_time\":5,\"end_time\":9214646400,\"step\":1}",
      "{\"job\":\"j\",\"start_time\":5,\"end_time\":9214646400.000000,\"step\":1}",
      "{\"job\":\"j\",\"start_time\":5,\"end_time\":9,\"step\":01}",
      "{\"job\":\"j\",\"start_time\":5,\"end_time\":9,\"step\":}",
      "{\"job\":\"j\",\"start_time\":5,\"end_time\":9,\"step\":-1}",
      "{\"job\":\"j\",\"start_time\":5,\"end_time\":9,\"step\":1.0}",
      "{\"job\":\"j\",\"start_time\":5,\"end_time\":9,\"step\":1234567890123456789}"};
  mpg_span span;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    CHECK(!reads_after(given, others[i], &span));
  CHECK(reads_after(given, "{\"job\":\"j\",\"start_time\":0,\"end_time\":0,\"step\":0}", &span));
  CHECK(span.start == 0 && span.end == 0 && span.step == 0);
  CHECK(reads_after(
      given, "{\"job\":\"j\",\"start_time\":5,\"end_time\":9214646399,\"step\":123456789012345678}",
      &span));
  CHECK(span.end == 9214646399 * SECOND && span.step == 123456789012345678);
  CHECK(reads_after("{\"start_time\":5}", "{\"start_time\":9}", &span));
  CHECK(span.start == 9 * SECOND && span.end == 9 * SECOND && span.step == MPG_NONE);
  CHECK(
      !reads_after("{\"start_time\":5}", "{\"start_time\":9.000001}", &span)); /* behind the end */
  CHECK(reads_after("{\"start_time\":\"1970-01-01\"}", "{\"start_time\":\"1970-01-01T00:00:07Z\"}",
                    &span));
  CHECK(span.start == 7 * SECOND);
  CHECK(!reads_after("{\"start_time\":\"1970-01-01\"}", "{\"start_time\":\"1970\\u002d01-01\"}",
                     &span));
  CHECK(!reads_after("{\"start_time\":\"1970-01-01\"}", "{\"start_time\":\"\"}", &span));
  CHECK(reads_after("{\"start_time\":1767891265.250000,\"end_time\":1767891266}",
                    "{\"start_time\":1767891265.2500004,\"end_time\":1767891266}", &span));
  CHECK(span.start == INT64_C(1767891265250000));
}

/* As many as are remembered are told, the latest of them, and none that is too long. */
static void test_memory(void) {
  mpg_native_json_fast same = {.n = 0};
  mpg_span span = {.start = 1, .end = 2, .step = MPG_NONE};
  uint32_t job = 0;
  char text[MPG_NATIVE_JSON_FAST_BYTES + 2];
  for (uint32_t i = 0; i < 3 * MPG_NATIVE_JSON_FAST; i++) {
    (void)snprintf(text, sizeof text, "{\"job\":\"j%u\"}", i);
    learn(&same, text, &span, i);
    for (uint32_t k = 0; k <= i; k++) {
      (void)snprintf(text, sizeof text, "{\"job\":\"j%u\"}", k);
      CHECK(reads(&same, text, &span, &job) == (k + MPG_NATIVE_JSON_FAST > i));
      CHECK(k + MPG_NATIVE_JSON_FAST <= i || job == k);
    }
  }
  for (size_t n = MPG_NATIVE_JSON_FAST_BYTES; n <= MPG_NATIVE_JSON_FAST_BYTES + 1; n++) {
    (void)snprintf(text, sizeof text, "{\"job\":\"%0*d\"}", (int)n - 10, 0);
    CHECK(strlen(text) == n);
    learn(&same, text, &span, 99);
    CHECK(reads(&same, text, &span, &job) == (n == MPG_NATIVE_JSON_FAST_BYTES));
  }
}

int main(void) {
  test_orders();
  test_forms();
  test_memory();
  return check_done("native_same");
}
