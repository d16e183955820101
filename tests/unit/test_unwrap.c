/* test_unwrap.c - lines that something else kept: what is within is the same, wherever the pieces
** end in which the file is read. */
#include "check.h"
#include "../../ext/read/input/stream.h"
#include "../../ext/read/unwrap/unwrap.h"

#include <string.h>

#define T "2026-03-01T10:00:00.1Z "

static const struct {
  const char *text, *inner;
  int ways;
} logs[] = {
    {T "stdout F {\"a\":1}\n" T "stderr F W0301 slow\n" T "stdout F {\"b\":\n" T "stdout F  2}\n",
     "{\"a\":1}\n\n{\"b\":\n 2}\n", MPG_UNWRAP_PREFIX},
    {T "stdout P {\"a\":\"x\n" T "stdout P y\n" T "stdout F z\"}\n" T "stdout F {}",
     "{\"a\":\"xyz\"}\n\n\n{}", MPG_UNWRAP_PREFIX},
    {T "stdout P {\"a\":\n" T "stderr F W0301 slow\n" T "stdout F 2}\n" T "stderr F {}\n",
     "{\"a\":2}\n\n\n{}\n", MPG_UNWRAP_PREFIX},
    {T "stdout P {\"a\":1,\n" T "stdout F \"b\n" T "stdout F {\"c\":3}\n", /* broken off */
     "{\"a\":1,\"b\n\n{\"c\":3}\n", MPG_UNWRAP_PREFIX},
    {T "Starting [1/2]\n" T "{\"a\":1}\r\n" T "done {\n", "\n{\"a\":1}\r\n\n", MPG_UNWRAP_PREFIX},
    {T "host run[7]: {\"a\":[{\"b\":1}]}\n", "{\"a\":[{\"b\":1}]}\n", MPG_UNWRAP_PREFIX},
    {"[pod/a/b] Hello\n[pod/a/b] {\"a\":1}\n[pod/a/b] " T "{\"b\":1}\n", "\n{\"a\":1}\n{\"b\":1}\n",
     MPG_UNWRAP_PREFIX},
    {"[rank0]: {\"a\":1}\n", "{\"a\":1}\n", MPG_UNWRAP_PREFIX},
    {"web-1  | {\n\nweb-1  |   \"a\": 1\nweb-1  | }\n", "{\n\n  \"a\": 1\n}\n", MPG_UNWRAP_PREFIX},
    {"<14>Mar  1 10:00:00 host run[7]: {\"a\":1}\n", "{\"a\":1}\n", MPG_UNWRAP_PREFIX},
    {"Mar 11 10:00:00 host run[7]: {\"a\":1}\n", "{\"a\":1}\n", MPG_UNWRAP_PREFIX},
    {"Mar 1, 2026 10:00:00 AM io.opentelemetry.exporter export\nINFO: {\"a\":1}\n", "\n{\"a\":1}\n",
     MPG_UNWRAP_PREFIX},
    {"10:00:00.123 [main] INFO  i.o.Exporter - {\"a\":1}\n", "{\"a\":1}\n", MPG_UNWRAP_PREFIX},
    {"INFO:root:{\"a\":1}\n", "{\"a\":1}\n", MPG_UNWRAP_PREFIX},
    {"Starting [1/2]\nINFO {\"x\":1}\n{\"a\":1}\r\n[rank0] bye {\n{\"b\":[\n2]}\n[{\"c\":3}]\n",
     "\n\n{\"a\":1}\r\n\n{\"b\":[\n2]}\n[{\"c\":3}]\n", MPG_UNWRAP_PREFIX},
    {" 0: hello\n12: {\"a\":1}\n", "\n{\"a\":1}\n", MPG_UNWRAP_PREFIX},
    {"{\"log\":\"{\\\"a\\\":\\\"\\\\n\\u00e9\\ud83d\\ude00\\u003c\\\"}\\n\",\"stream\":\"stdout\"}"
     "\n"
     "{\"log\":\"bye\\n\",\"stream\":\"stdout\"}\n",
     "{\"a\":\"\\n\xc3\xa9\xf0\x9f\x98\x80<\"}  \n\n", MPG_UNWRAP_TEXT},
    {"{\"log\":\"{\\\"a\\\":\",\"stream\":\"stdout\"}\n{\"log\":\"[1,\",\"stream\":\"stdout\"}\n"
     "{\"log\":\"2]}\\n\",\"stream\":\"stdout\"}\n",
     "{\"a\":[1,2]}  \n\n\n", MPG_UNWRAP_TEXT},
    {"{\"log\":\"{\\n\"}\n{\"log\":\"  \\\"a\\\": {}\\n\"}\n{\"log\":\"}\\n\"}\n",
     "{  \n  \"a\": {}  \n}  \n", MPG_UNWRAP_TEXT},
    {"{\n  \"events\": [\n    {\n      \"message\": \"{\\\"a\\\":1}\"\n    }\n  ]\n}\n",
     "\n\n\n{\"a\":1} \n\n\n\n", MPG_UNWRAP_TEXT},
    {"{\"status\":\"success\",\"data\":{\"resultType\":\"streams\",\"result\":[{\"stream\":{"
     "\"app\":"
     "\"x\"},\"values\":[[\"1772352000000000001\",\"{\\\"a\\\":1}\"],[\"1772352000000000000\","
     "\"hi\"]]}]}}",
     "{\"a\":1} ", MPG_UNWRAP_TEXT},
    {"{\"results\":[[{\"field\":\"@message\",\"value\":\"{\\\"a\\\":1}\"}]]}", "{\"a\":1} ",
     MPG_UNWRAP_TEXT},
    {"{\"_source\":{\"message\":\"{\\\"a\\\":1}\",\"level\":\"log\"}}\n", "{\"a\":1} \n",
     MPG_UNWRAP_TEXT},
    {"[{\"insertId\":\"1\",\"jsonPayload\":{\"a\":{\n}},\"timestamp\":\"t\"},{\"jsonPayload\":{}}]",
     "{\"a\":{\n}} {} ", MPG_UNWRAP_ENTRY},
};

/* As they are: of a format here, or of none. */
static const char *const others[] = {
    "{\"a\":1}\n",
    "[{\"a\":1}]\n",
    "[1,{\"a\":1}]\n",
    "Starting\n{\"a\":\n1}\n",
    "Starting {\"a\":1}\n[rank0] x\n",
    "apiVersion: v1\n",
    "{\"log\":\"plain\\n\"}\n",
    "{\"kind\":\"Event\",\"message\":\"{\\\"a\\\":1}\"}\n",
    "{\"message\":\"{\\\"a\\\":1}\",\"involvedObject\":{}}\n",
    "{\"status\":{\"message\":\"{\\\"a\\\":1}\"}}\n",
    "{\"_step\":1,\"msg\":\"{\\\"a\\\":1}\"}\n",
    T "step 1 loss 2\n",
    "",
};

static void run(const char *text, size_t piece, char *out) {
  mpg_stream *stream;
  mpg_err err;
  size_t n = 0, got = 1, cap = 1;
  CHECK(mpg_stream_memory(&stream, &mpg_env_libc, "log", mpg_str_of(text), &err) == MPG_OK);
  mpg_stream_unwrap(stream, MPG_UNWRAP_ALL);
  mpg_stream_repair_text(stream);
  for (; got == cap; n += got) {
    cap = piece > 0 ? piece : 1 + check_draw(9);
    CHECK(mpg_stream_read(stream, out + n, cap, &got, &err) == MPG_OK);
  }
  out[n] = '\0';
  mpg_stream_close(stream);
}

/* The filter itself, fed in pieces. */
static void run_in_pieces(mpg_unwrap u, mpg_str text, char *out) {
  while (text.n > 0) {
    char buf[1024];
    size_t n = 1 + check_draw(7), given;
    n = n < text.n ? n : text.n;
    CHECK(mpg_unwrap_room(&u, n) <= sizeof buf);
    given = mpg_unwrap_run(&u, text.p, n, buf);
    memcpy(out, buf, given);
    out += given;
    text = (mpg_str){text.p + n, text.n - n};
  }
  out += mpg_unwrap_end(&u, out);
  *out = '\0';
}

/* A line for each element. */
static void test_one_line(void) {
  static const char *const texts[][2] = {
      {"{\"a\":[[\"1\",\"},{\"], [\"2\",\"x\"]]}", "{\"a\":[[\"1\",\"},{\"]\n [\"2\",\"x\"]]}\n"},
      {"[{\"a\":1},{\"b\":2}]\n", "[{\"a\":1}\n{\"b\":2}]\n\n"},
      {"[{\"a\":1},{\"b\":2", "[{\"a\":1}\n{\"b\":2"}, /* being written */
  };
  static const char *const as_they_are[] = {"{\"a\":1}", "[{\"a\":1},\n{\"b\":2}]", "[1,2]"};
  char out[256];
  mpg_unwrap u;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const mpg_str text = mpg_str_of(texts[i][0]);
    CHECK(mpg_unwrap_find(&u, text, MPG_UNWRAP_LINE_EACH));
    for (int turn = 0; turn < 20; turn++) {
      run_in_pieces(u, text, out);
      CHECK(strcmp(out, texts[i][1]) == 0);
    }
  }
  for (size_t i = 0; i < sizeof as_they_are / sizeof *as_they_are; i++)
    CHECK(!mpg_unwrap_find(&u, mpg_str_of(as_they_are[i]), MPG_UNWRAP_LINE_EACH));
}

int main(void) {
  char out[4096], compact[256];
  mpg_unwrap u;
  for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
    const mpg_str text = mpg_str_of(logs[i].text);
    CHECK(mpg_unwrap_find(&u, text, MPG_UNWRAP_ALL) && u.how == logs[i].ways);
    CHECK(!mpg_unwrap_find(&u, text, MPG_UNWRAP_ALL & ~logs[i].ways));
    CHECK(mpg_unwrap_find(&u, text, logs[i].ways));
    for (int turn = 0; turn < 50; turn++) {
      run_in_pieces(u, text, out);
      CHECK(strcmp(out, logs[i].inner) == 0);
      run(logs[i].text, turn == 0 ? 4000 : 0, out);
      CHECK(strcmp(out, logs[i].inner) == 0);
    }
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    CHECK(!mpg_unwrap_find(&u, mpg_str_of(others[i]), MPG_UNWRAP_ALL));
    run(others[i], 0, out);
    CHECK(strcmp(out, others[i]) == 0);
  }
  test_one_line();
  compact[mpg_json_compact(MPG_STR("[ {\"a b\" : [1, 2]} ,\n {} ]\n{ \"c\\\" \": {"), compact)] = 0;
  CHECK(strcmp(compact, "[{\"a b\":[1,2]},\n{}]\n{\"c\\\" \":{") == 0);
  return check_done("test_unwrap");
}
