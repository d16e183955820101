/* Tests of ext/read/parse/json_lenient.c, chrome.c and chrome_info.c. */
#include "check.h"
#include "hostile.h"
#include "../../ext/formats/chrome/chrome_info.h"

#include <stdio.h>

static bool is(mpg_str s, const char *text) {
  return mpg_str_eq(s, mpg_str_of(text));
}

/* ---- Lean JSON ---- */

static void check_value(const char *text, mpg_json_lenient_kind kind, size_t n, const char *value) {
  mpg_json_lenient s = mpg_json_lenient_of(text, text + strlen(text), NULL);
  mpg_json_token token;
  CHECK(mpg_json_lenient_value(&s, text, &token) == text + n);
  CHECK(token.kind == kind && is(token.text, value));
}

static void check_no_value(const char *text, bool more, size_t at) {
  mpg_json_lenient s = mpg_json_lenient_of(text, text + strlen(text), NULL);
  mpg_json_token token;
  CHECK(mpg_json_lenient_value(&s, text, &token) == NULL);
  CHECK(s.more == more && (more || s.at == text + at));
}

static void test_values(void) {
  static const char *const words[] = {"null", "true",     "false",     "NaN", "nan",
                                      "-nan", "Infinity", "-Infinity", "inf", "-inf"};
  char text[32];
  check_value("\"\" ", MPG_JSON_LENIENT_STRING, 2, "");
  check_value("\"a\\\"b\\\\\",", MPG_JSON_LENIENT_STRING, 8, "a\\\"b\\\\");
  check_value("\"C:\\Users\\new\"}", MPG_JSON_LENIENT_STRING, 14, "C:\\Users\\new");
  check_value("\"line\nline\tline\"", MPG_JSON_LENIENT_STRING, 16, "line\nline\tline");
  check_value("12}", MPG_JSON_LENIENT_NUMBER, 2, "12");
  check_value("-1.5e+300,", MPG_JSON_LENIENT_NUMBER, 9, "-1.5e+300");
  check_value("4203669613175.703\n", MPG_JSON_LENIENT_NUMBER, 17, "4203669613175.703");
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    (void)snprintf(text, sizeof text, "%s]", words[i]);
    check_value(text, MPG_JSON_LENIENT_WORD, strlen(words[i]), words[i]);
  }
  check_value("[] ", MPG_JSON_LENIENT_NESTED, 2, "[]");
  check_value("{\"a\": [1, {\"}\": \"]\\\"\"}]}x", MPG_JSON_LENIENT_NESTED, 24,
              "{\"a\": [1, {\"}\": \"]\\\"\"}]}");
  check_no_value("", true, 0);
  check_no_value("\"abc", true, 0);
  check_no_value("\"abc\\", true, 0);
  check_no_value("123", true, 0);
  check_no_value("nul", true, 0);
  check_no_value("{\"a\": 1", true, 0);
  check_no_value("\"a", true, 0);
  check_no_value(",", false, 0);
  check_no_value("nope,", false, 0);
  check_no_value("'a'}", false, 0);
  check_no_value("True}", false, 0);
}

static void check_text(const char *raw, const char *text, size_t n) {
  char to[64];
  CHECK(mpg_json_lenient_unescape(to, mpg_str_of(raw), NULL) == n && memcmp(to, text, n) == 0);
}

static void test_unescape(void) {
  check_text("plain", "plain", 5);
  check_text("\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t", 8);
  check_text("\\u0041\\u00e9\\u20ac\\ud83d\\ude00", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10);
  check_text("\\u0000", "", 1);
  check_text("\\ud83d", "\xef\xbf\xbd", 3);
  check_text("\\ud83d\\u0041",
             "\xef\xbf\xbd"
             "A",
             4);
  check_text("\\ude00x", "\xef\xbf\xbdx", 4);
  check_text("C:\\Users\\x", "C:\\Users\\x", 10);
  check_text("\\u12g4", "\\u12g4", 6);
  check_text("\\u12", "\\u12", 4);
  check_text("end\\", "end\\", 4);
}

/* Every split of a nested value, against the plain rules; the value is random. */
static void test_skip(void) {
  char text[400];
  uint32_t seed = 1;
  for (int round = 0; round < 300; round++) {
    static const char alphabet[] = "{}[]\"\\a,: ";
    size_t n = 0, whole = 0;
    uint64_t depth = 0;
    bool in_string = false;
    text[n++] = '[';
    while (n < sizeof text - 2) {
      seed = seed * 1664525 + 1013904223;
      text[n++] = alphabet[(seed >> 16) % (round % 2 == 0 ? 10 : 7)];
    }
    for (size_t i = 0; i < n && whole == 0; i++) {
      if (in_string && text[i] == '\\') {
        i++;
      } else if (text[i] == '"') {
        in_string = !in_string;
      } else if (!in_string && (text[i] == '[' || text[i] == '{')) {
        depth++;
      } else if (!in_string && (text[i] == ']' || text[i] == '}') && --depth == 0) {
        whole = i + 1;
      }
    }
    for (size_t cut = 1; cut < n; cut += 1 + (size_t)(round % 5)) {
      mpg_json_skip s = {0, false, false};
      const char *end = mpg_json_skip_nested(&s, text, text + cut);
      if (end == NULL)
        end = mpg_json_skip_nested(&s, text + cut, text + n);
      CHECK(whole == 0 ? end == NULL : end == text + whole);
    }
  }
}

static void test_count_lines(void) {
  static char text[9000];
  for (size_t i = 0; i < sizeof text; i++)
    text[i] = i % 3 == 0 || (i > 2000 && i < 8000) ? '\n' : 'x';
  for (size_t from = 0; from < 40; from++) {
    int64_t n = 0;
    for (size_t i = from; i < sizeof text; i++)
      n += text[i] == '\n';
    CHECK(mpg_count_lines(text + from, text + sizeof text) == n);
  }
  CHECK(mpg_count_lines(text, text) == 0);
}

/* ---- Events ---- */

typedef struct reading {
  char text[2000];
  mpg_err err;
  mpg_rc rc;
  mpg_issues issues;
} reading;

static void add(reading *r, const char *text, size_t n) {
  size_t have = strlen(r->text);
  if (have + n + 1 < sizeof r->text)
    (void)snprintf(r->text + have, n + 1, "%.*s", (int)n, text);
}

/* Events as LINE:name/cat/ts/arg "k", errors in between where `on`. */
static void read_all(reading *r, const mpg_env *env, const char *bytes, bool on) {
  mpg_stream *stream = NULL;
  mpg_chrome *reader = NULL;
  mpg_json_token arg;
  mpg_str text;
  char line[32];
  r->text[0] = '\0';
  mpg_issues_init(&r->issues, env);
  r->rc = mpg_stream_memory(&stream, env, "t", mpg_str_of(bytes), &r->err);
  if (r->rc == MPG_OK)
    r->rc = mpg_chrome_open(&reader, env, stream, &r->issues, NULL, NULL, &r->err);
  while (r->rc == MPG_OK || (on && r->rc == MPG_DATA)) {
    r->rc = mpg_chrome_next(reader, &r->err);
    if (r->rc == MPG_DATA && on)
      add(r, "error;", 6);
    if (r->rc != MPG_OK)
      continue;
    (void)snprintf(line, sizeof line, "%lld:", (long long)mpg_chrome_line(reader));
    add(r, line, strlen(line));
    for (mpg_chrome_field f = MPG_CHROME_NAME; f <= MPG_CHROME_TS; f++) {
      const mpg_json_token *token = mpg_chrome_get(reader, f);
      if (token->kind == MPG_JSON_LENIENT_NONE)
        continue;
      r->rc = mpg_chrome_text(reader, token, &text);
      if (r->rc != MPG_OK)
        break;
      add(r, text.p, text.n);
      add(r, "/", 1);
    }
    if (r->rc == MPG_OK)
      r->rc = mpg_chrome_arg(reader, MPG_STR("k"), &arg, &r->err);
    if (r->rc == MPG_OK && arg.kind != MPG_JSON_LENIENT_NONE)
      add(r, arg.text.p, arg.text.n);
    add(r, ";", 1);
  }
  mpg_chrome_close(reader);
  mpg_stream_close(stream);
}

static void check_events(const char *bytes, const char *wanted, bool unfinished) {
  for (size_t b = 0; b < HOSTILE_BLOCKS; b++) {
    hostile h = {0};
    mpg_env env = hostile_env(&h);
    reading r;
    hostile_block(hostile_blocks[b] == 0 ? 1 << 20 : hostile_blocks[b]);
    read_all(&r, &env, bytes, false);
    CHECK(r.rc == MPG_DONE);
    CHECK(strcmp(r.text, wanted) == 0);
    if (strcmp(r.text, wanted) != 0)
      (void)fprintf(stderr, "  %s\n  gave %s\n", bytes, r.text);
    CHECK(r.issues.n == (unfinished ? 1 : 0));
    CHECK(!unfinished || strcmp(r.issues.items[0].kind, "unfinished_trace") == 0);
    mpg_issues_free(&r.issues);
    CHECK(h.live == 0);
  }
}

static void check_error(const char *bytes, const char *error, const char *skipping) {
  for (size_t b = 0; b < HOSTILE_BLOCKS; b++) {
    hostile h = {0};
    mpg_env env = hostile_env(&h);
    reading r;
    hostile_block(hostile_blocks[b] == 0 ? 1 << 20 : hostile_blocks[b]);
    read_all(&r, &env, bytes, false);
    CHECK(r.rc == MPG_DATA && strcmp(r.err.text, error) == 0);
    if (r.rc != MPG_DATA || strcmp(r.err.text, error) != 0)
      (void)fprintf(stderr, "  %s\n  gave %d %s\n", bytes, (int)r.rc, r.err.text);
    mpg_issues_free(&r.issues);
    read_all(&r, &env, bytes, true);
    CHECK(r.rc == MPG_DONE && strcmp(r.text, skipping) == 0);
    if (strcmp(r.text, skipping) != 0)
      (void)fprintf(stderr, "  %s\n  skipping gave %s\n", bytes, r.text);
    mpg_issues_free(&r.issues);
    CHECK(h.live == 0);
  }
}

static const char object_form[] =
    "\xef\xbb\xbf{\n\"schemaVersion\": 1, \"deviceProperties\": [{\"name\": \"a]}\\\"\"}],\n"
    "  \"traceEvents\" : [\n"
    "  {\"ph\": \"X\", \"name\": \"one\", \"ts\": 1.5, \"args\": {\"k\": 7, \"x\": [1,{}]}},\n"
    "  { \"cat\" : \"c\" ,\n \"name\":\"t\\u0077o\\n\",\"args\":{}} , {}\n"
    ", {\"ts\": NaN, \"unknown\": {\"deep\": [[[\"]\"]]]}, \"args\": {\"k\": \"v\", \"k\": "
    "inf}}],\n"
    "\"displayTimeUnit\": \"ms\", \"traceName\": \"C:\\tmp\\Useful\"\n}\n";

static void test_forms(void) {
  check_events(object_form, "4:one/1.5/7;5:two\n/c/;7:NaN/inf;", false);
  check_events("[{\"name\":\"a\"},{\"name\":\"b\",\"name\":\"c\"}]", "1:a/;1:c/;", false);
  check_events(" [ ] ", "", false);
  check_events("[{\"name\": \"a\"},\n]\n", "1:a/;", false);
  check_events("{\"traceEvents\": []}", "", false);
  check_events(
      "{\"traceEvents\": [{\"name\": \"a\"}], \"x\": {\"y\": 1}, \"traceEvents\": [{\"ts\": 2}]}",
      "1:a/;1:2/;", false);
  /* args that are no object have no members */
  check_events("[{\"name\": \"a\", \"args\": \"k\"}, {\"args\": [1]}]", "1:a/;1:;", false);
}

static void test_unfinished(void) {
  static const char whole[] = "{\"x\": 1, \"traceEvents\": [\n{\"name\": \"a\"},\n{\"name\": "
                              "\"b\"}\n], \"z\": {\"a\": [1]}}";
  check_events("[", "", true);
  check_events("[{\"name\": \"a\"}", "1:a/;", true);
  check_events("[{\"name\": \"a\"},", "1:a/;", true);
  check_events("[{\"name\": \"a\"}, {\"name\": \"b\", \"args\": {\"k\": [1, ", "1:a/;", true);
  /* Wherever the file is cut, the events that are whole come out, and no others. */
  for (size_t n = 1; n < sizeof whole - 1; n++) {
    hostile h = {0};
    mpg_env env = hostile_env(&h);
    reading r;
    char cut[sizeof whole];
    hostile_block(n % 2 == 0 ? 7 : 64);
    memcpy(cut, whole, n);
    cut[n] = '\0';
    read_all(&r, &env, cut, false);
    if (n < 25) {
      CHECK(r.rc == MPG_DATA && strstr(r.err.text, "found end of file") != NULL);
    } else {
      CHECK(r.rc == MPG_DONE && r.issues.n == 1);
      CHECK(strcmp(r.text, n < 39 ? "" : n < 54 ? "2:a/;" : "2:a/;3:b/;") == 0);
    }
    mpg_issues_free(&r.issues);
    CHECK(h.live == 0);
  }
}

static void test_errors(void) {
  static const char no_trace[] = "t:1:1: expected a Chrome trace, an array of events or an object "
                                 "with \"traceEvents\", found an object with ";
  char error[300];
  check_error("",
              "t:1:1: expected a Chrome trace: an array of events or an object, found end of file",
              "error;");
  check_error("ph,ts\n",
              "t:1:1: expected a Chrome trace: an array of events or an object, found 'p'",
              "error;");
  check_error("[1, 2]", "t:1:2: expected an event: an object, found '1'", "error;");
  check_error("[[1, 2]]", "t:1:2: expected an event: an object, found '['", "error;");
  (void)snprintf(error, sizeof error, "%s\"schema\", \"nodes\"", no_trace);
  check_error("{\"schema\": \"1.0\", \"nodes\": [{\"id\": 1}]}", error, "error;");
  (void)snprintf(error, sizeof error, "%sno keys", no_trace);
  check_error("{ }", error, "error;");
  check_error("{\"schema\": 1", "t:1:13: expected \"traceEvents\", found end of file", "error;");
  check_error("{\"traceEvents\": {}}", "t:1:17: expected an array of events, found '{'", "error;");
  check_error("{\"traceEvents\": [] 5}", "t:1:20: expected ',' or '}', found '5'", "error;");
  check_error("{x: 1}", "t:1:2: expected a key in double quotes, found 'x'", "error;");
  check_error("{\"x\" 1}", "t:1:6: expected ':', found '1'", "error;");
  check_error("[] []", "t:1:4: expected end of file, found '['", "error;");
  check_error("[{\"ph\": 1} {\"b\": 2}]",
              "t:1:12: expected ',' or ']', found '{'; nothing after it is read", "1:;error;");
  /* A malformed event is passed over, and those behind it are read. */
  check_error("[{\"name\": \"a\"},\n {\"name\": b, \"x\": \"}\"},\n {\"name\": \"c\"}]",
              "t:2:11: expected a value, found 'b'", "1:a/;error;3:c/;");
  check_error("[{\"name\" \"a\"}, {\"ts\": 1}]", "t:1:10: expected ':', found '\"'", "error;1:1/;");
  check_error("[{\"ts\": 1,}, {\"ts\": 2}]", "t:1:11: expected a key in double quotes, found '}'",
              "error;1:2/;");
  /* args are looked at when they are asked for */
  check_error("[{\"ts\": 1,\n\"args\": {\"k\": 1 \"l\": 2}}]",
              "t:2:17: expected ',' or '}', found '\"'", "1:1/;");
}

/* ---- Names and properties ---- */

static const char named[] =
    "{\"traceEvents\": [{\"ph\": \"X\", \"pid\": 1, \"tid\": 2, \"args\": {\"name\": \"no\"}},"
    "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"args\": {\"name\": \"old\"}},"
    "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"args\": {\"name\": \"n\\u0065w\"}},"
    "{\"ph\": \"M\", \"name\": \"process_labels\", \"pid\": 1, \"args\": {\"labels\": \"GPU 0\"}},"
    "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 1, \"tid\": \"2\", \"args\": {\"name\": "
    "\"text\"}},"
    "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 1, \"tid\": 2, \"args\": {\"name\": "
    "\"number\"}},"
    "{\"ph\": \"M\", \"name\": \"thread_sort_index\", \"pid\": 1, \"tid\": 2, \"args\": {}},"
    "{\"ph\": \"M\", \"name\": bad}, {\"ph\": \"i\"}],"
    "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 3, \"world_size\": 8, \"pg\": "
    "[{\"rank\": 9}]},"
    "\"deviceProperties\": [{\"id\": 0}], \"baseTimeNanoseconds\": 1735632360000000000, \"s\": "
    "\"a\\\"b\"}";

static mpg_rc read_info(mpg_chrome_info *info, const mpg_env *env, const char *bytes,
                        mpg_issues *issues, mpg_err *err) {
  mpg_stream *stream;
  mpg_rc rc = mpg_stream_memory(&stream, env, "t", mpg_str_of(bytes), err);
  memset(info, 0, sizeof *info);
  if (rc == MPG_OK)
    rc = mpg_chrome_info_read(info, env, stream, issues, 1, err);
  mpg_stream_close(stream);
  return rc;
}

static bool name_is(mpg_chrome_info *info, mpg_chrome_name what, mpg_json_token pid,
                    mpg_json_token tid, const char *wanted) {
  mpg_str name;
  CHECK(mpg_chrome_info_name(info, what, &pid, &tid, &name) == MPG_OK);
  return wanted == NULL ? name.p == NULL : is(name, wanted);
}

static void test_info(void) {
  const mpg_json_token one = {MPG_JSON_LENIENT_NUMBER, false, MPG_STR("1")};
  const mpg_json_token two = {MPG_JSON_LENIENT_NUMBER, false, MPG_STR("2")};
  const mpg_json_token text = {MPG_JSON_LENIENT_STRING, false, MPG_STR("2")};
  const mpg_json_token none = {MPG_JSON_LENIENT_NONE, false, {NULL, 0}};
  for (size_t b = 0; b < HOSTILE_BLOCKS; b++) {
    hostile h = {0};
    mpg_env env = hostile_env(&h);
    mpg_chrome_info info;
    mpg_issues issues;
    mpg_err err;
    hostile_block(hostile_blocks[b] == 0 ? 1 << 20 : hostile_blocks[b]);
    mpg_issues_init(&issues, &env);
    CHECK(read_info(&info, &env, named, &issues, &err) == MPG_OK);
    CHECK(info.events == 2 && info.has_rank && info.rank == 3 && info.world_size == 8);
    CHECK(info.has_base_time && info.base_time_ns == INT64_C(1735632360000000000));
    CHECK(is((mpg_str){info.devices.p, info.devices.n}, "[{\"id\": 0}]"));
    CHECK(is((mpg_str){info.properties.p, info.properties.n},
             "{\"distributedInfo\":{\"backend\": \"nccl\", \"rank\": 3, \"world_size\": 8, \"pg\": "
             "[{\"rank\": 9}]},\"deviceProperties\":[{\"id\": 0}],\"baseTimeNanoseconds\":"
             "1735632360000000000,\"s\":\"a\\\"b\"}"));
    CHECK(name_is(&info, MPG_CHROME_PROCESS_NAME, one, two, "new"));
    CHECK(name_is(&info, MPG_CHROME_PROCESS_LABELS, one, none, "GPU 0"));
    CHECK(name_is(&info, MPG_CHROME_THREAD_NAME, one, two, "number"));
    CHECK(name_is(&info, MPG_CHROME_THREAD_NAME, one, text, "text"));
    CHECK(name_is(&info, MPG_CHROME_THREAD_NAME, two, two, NULL));
    CHECK(name_is(&info, MPG_CHROME_PROCESS_NAME, none, none, NULL));
    CHECK(issues.n == 1 && strcmp(issues.items[0].kind, "skipped_record") == 0);
    mpg_issues_free(&issues);
    mpg_chrome_info_free(&info);
    CHECK(read_info(&info, &env, "{\"a\": 1}", NULL, &err) == MPG_DATA);
    mpg_chrome_info_free(&info);
    CHECK(h.live == 0);
  }
}

/* ---- Memory and interruption ---- */

static void test_memory(void) {
  hostile_block(64);
  for (int after = 0; after < 2; after++)
    for (long n = 1;; n++) {
      hostile h = {.fail_in = n, .and_after = after != 0};
      mpg_env env = hostile_env(&h);
      mpg_chrome_info info;
      mpg_issues issues;
      mpg_err err;
      reading r;
      bool failed;
      read_all(&r, &env, object_form, false);
      CHECK(h.failed ? r.rc == MPG_NOMEM : r.rc == MPG_DONE);
      mpg_issues_free(&r.issues);
      failed = h.failed;
      h = (hostile){.fail_in = n, .and_after = after != 0, .live = h.live};
      mpg_issues_init(&issues, &env);
      CHECK(read_info(&info, &env, named, &issues, &err) == (h.failed ? MPG_NOMEM : MPG_OK));
      mpg_issues_free(&issues);
      mpg_chrome_info_free(&info);
      CHECK(h.live == 0);
      if (!failed && !h.failed)
        break;
    }
}

static void test_interrupted(void) {
  static char many[200000];
  hostile h = {.stop_in = 3};
  mpg_env env = hostile_env(&h);
  reading r;
  size_t n = 0;
  hostile_block(1 << 20);
  many[n++] = '[';
  while (n < sizeof many - 20)
    n += (size_t)snprintf(many + n, 20, "{\"ts\": 1},\n");
  many[n - 2] = ']';
  read_all(&r, &env, many, false);
  CHECK(r.rc == MPG_INTERRUPTED);
  mpg_issues_free(&r.issues);
  CHECK(h.live == 0);
}

int main(void) {
  test_values();
  test_unescape();
  test_skip();
  test_count_lines();
  test_forms();
  test_unfinished();
  test_errors();
  test_info();
  test_memory();
  test_interrupted();
  return check_done("chrome");
}
