/*
** test_chrome_ahead.c - a Chrome trace that several threads read ahead is the events, the lines and
** the errors that one thread reads, however much of it looks like the seam between two events.
*/
#include "check.h"
#include "hostile.h"
#include "../../ext/base/limits.h"
#include "../../ext/formats/chrome/chrome.h"
#include "../../ext/formats/chrome/chrome_prefetch.h"
#include "../../ext/formats/chrome/chrome_info.h"

#include <pthread.h>
#include <stdio.h>

/* Memory for several threads, counted, that fails where it is told to. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *shared_resize(void *ctx, void *p, size_t n) {
  void *q;
  (void)pthread_mutex_lock(&lock);
  q = hostile_resize(ctx, p, n);
  (void)pthread_mutex_unlock(&lock);
  return q;
}

static mpg_env env_of(hostile *h) {
  mpg_env env = hostile_env(h);
  env.resize = shared_resize;
  return env;
}

/* ---- What was read, as text ---- */

#define TEXT_MAX ((size_t)1 << 20)
typedef struct text {
  char p[TEXT_MAX];
  size_t n;
} text;

static void put(text *t, mpg_str s) {
  size_t n = s.n < TEXT_MAX - t->n ? s.n : TEXT_MAX - t->n;
  if (n > 0)
    memcpy(t->p + t->n, s.p, n);
  t->n += n;
}

static void put_number(text *t, int64_t i) {
  char digits[32];
  put(t, (mpg_str){digits, (size_t)snprintf(digits, sizeof digits, "%lld:", (long long)i)});
}

static void put_event(text *t, mpg_chrome *reader, bool lines) {
  mpg_json_token arg;
  mpg_err err;
  mpg_rc rc;
  if (lines)
    put_number(t, mpg_chrome_line(reader));
  put_number(t, mpg_chrome_passed(reader));
  for (int f = 0; f < MPG_CHROME_FIELDS; f++) {
    const mpg_json_token *token = mpg_chrome_get(reader, (mpg_chrome_field)f);
    put_number(t, (int64_t)token->kind +
                      (token->kind == MPG_JSON_LENIENT_STRING && token->escaped ? 10 : 0));
    if (token->kind != MPG_JSON_LENIENT_NONE)
      put(t, token->text);
  }
  rc = mpg_chrome_arg(reader, MPG_STR("k"), &arg, &err);
  put(t, rc != MPG_OK                        ? mpg_str_of(err.text)
         : arg.kind == MPG_JSON_LENIENT_NONE ? MPG_STR("-")
                                             : arg.text);
  put(t, mpg_chrome_event(reader));
  put(t, MPG_STR("\n"));
}

typedef struct reading {
  int threads;
  bool filter; /* WHERE ph = 'X' */
  int lines;   /* of every so many events the line is asked for; 0: of none */
  mpg_env env;
} reading;

static mpg_rc read_all(text *t, const reading *h, mpg_str bytes) {
  const mpg_chrome_request request = {{{MPG_CHROME_PH, MPG_STR("X")}}, h->filter};
  mpg_stream *stream = NULL;
  mpg_chrome *reader = NULL;
  mpg_issues issues;
  mpg_err err;
  mpg_rc rc;
  t->n = 0;
  mpg_issues_init(&issues, &h->env);
  rc = mpg_stream_memory(&stream, &h->env, "t", bytes, &err);
  if (rc == MPG_OK)
    rc = mpg_chrome_open(&reader, &h->env, stream, &issues, NULL, NULL, &err);
  if (rc == MPG_OK)
    mpg_chrome_request_events(reader, &request, h->threads);
  for (int i = 0; rc == MPG_OK || rc == MPG_DATA; i++) {
    rc = mpg_chrome_next(reader, &err);
    if (rc == MPG_OK)
      put_event(t, reader, h->lines > 0 && i % h->lines == 0);
    else if (rc != MPG_DONE)
      put(t, mpg_str_of(err.text));
    if (rc == MPG_DATA)
      put_number(t, mpg_chrome_line(reader));
  }
  if (reader != NULL)
    put_number(t, mpg_chrome_passed(reader));
  for (size_t i = 0; i < issues.n; i++)
    put(t, mpg_str_of(issues.items[i].detail));
  mpg_issues_free(&issues);
  mpg_chrome_close(reader);
  mpg_stream_close(stream);
  return rc;
}

/* The same of what is told once. */
static mpg_rc read_info(text *t, const reading *h, mpg_str bytes) {
  mpg_stream *stream = NULL;
  mpg_chrome_info info = {0};
  mpg_issues issues;
  mpg_err err;
  mpg_rc rc;
  t->n = 0;
  mpg_issues_init(&issues, &h->env);
  rc = mpg_stream_memory(&stream, &h->env, "t", bytes, &err);
  if (rc == MPG_OK)
    rc = mpg_chrome_info_read(&info, &h->env, stream, &issues, h->threads, &err);
  if (rc != MPG_OK)
    put(t, mpg_str_of(err.text));
  put_number(t, info.events);
  put(t, (mpg_str){info.properties.p, info.properties.n});
  for (size_t i = 0; i < issues.n; i++)
    put(t, mpg_str_of(issues.items[i].detail));
  mpg_issues_free(&issues);
  mpg_chrome_info_free(&info);
  mpg_stream_close(stream);
  return rc;
}

/* ---- Traces ---- */

static uint32_t seed;
static uint32_t below(uint32_t n) {
  seed = seed * 1664525 + 1013904223;
  return (seed >> 8) % n;
}

#define BYTES_MAX 60000
static char bytes[BYTES_MAX];
static size_t n_bytes;

static void add(const char *s) {
  while (*s != '\0' && n_bytes < BYTES_MAX)
    bytes[n_bytes++] = *s++;
}

/* How this file is spelt: what stands behind '{', ',' and between events. */
static const char *inner, *outer;

static void add_odd_value(int depth) {
  static const char *const odd[] = {"\"},{\\\"ph\\\":\\\"X\\\"\"",
                                    "\"},\n{\"",
                                    "\"}, {\\\"\"",
                                    "\"\\\\\"",
                                    "\"{[\\\\\\\"\"",
                                    "\"a\rb\tc\"",
                                    "NaN",
                                    "-1.5e3",
                                    "[]",
                                    "{}",
                                    "[{\"ph\":\"X\"},{\"ph\":\"X\"}]",
                                    "[{\"ph\": \"X\"},\n{\"ph\": \"X\"},\n{\"ph\": \"X\"}]",
                                    "[[1, 2], [\"]\"]]",
                                    "\"\xc3\xa9\""};
  if (depth < 4 && below(6) == 0) { /* as events are written, but within args */
    add("[");
    for (uint32_t i = 0, n = 1 + below(4); i < n; i++) {
      add(i == 0 ? "{" : ",");
      add(i == 0 ? inner : outer);
      add(i == 0 ? "" : "{");
      add("\"ph\":\"X\",\"args\":");
      add_odd_value(depth + 1);
      add("}");
    }
    add("]");
  } else {
    add(odd[below(sizeof odd / sizeof *odd)]);
  }
}

static void add_event(bool odd) {
  char number[80];
  add("{");
  if (below(40) == 0 && odd) {
    add("}");
    return;
  }
  add(inner);
  add(below(3) == 0    ? "\"ph\":\"s\""
      : below(20) == 0 ? "\"ph\":\"\\u0058\""
      : below(20) == 0 ? "\"ph\": \"M\", \"name\":\"process_name\""
                       : "\"ph\":\"X\"");
  (void)snprintf(number, sizeof number, ",%s\"ts\": %u.%u", inner, below(100000), below(1000));
  add(number);
  if (below(2) == 0)
    add(",\"name\":\"void at::kernel<4, char*>(int)\"");
  if (odd && below(30) == 0)
    add(below(3) == 0 ? ",\"dur\":bad" : below(2) == 0 ? ",\"dur\" 5" : ",");
  if (odd && below(3) == 0) {
    add(",\"args\":{\"k\":");
    add_odd_value(0);
    add("}");
  }
  if (odd && below(60) == 0)
    for (uint32_t i = below(30); i > 0; i--)
      add(",\"long\":"
          "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"");
  add("}");
}

static void add_events(bool odd) {
  for (uint32_t i = 0, n = below(300); i < n; i++) {
    if (i > 0) {
      add(odd && below(50) == 0 ? " \r\n\t," : ",");
      add(odd && below(50) == 0 ? " " : outer);
    }
    add_event(odd);
    if (odd && below(2000) == 0)
      add(below(2) == 0 ? "5" : ",,");
  }
}

static void make_trace(uint32_t round) {
  static const char *const inners[] = {"", " ", "\n    ", "\r\n\t"};
  static const char *const outers[] = {"", "\n", " ", "\n  ", "\r\n\r\n"};
  bool odd = round % 4 != 0;
  seed = round;
  n_bytes = 0;
  inner = inners[below(4)];
  outer = outers[below(5)];
  if (below(2) == 0) {
    add("[");
    add_events(odd);
    add(below(3) == 0 ? ",\n" : "]\n");
  } else {
    add("{\"a\": 1, \"traceEvents\": [");
    add_events(odd);
    add("]");
    if (below(2) == 0) {
      add(",\n\"other\": [");
      add_events(odd); /* which are none */
      add("]");
    }
    if (below(3) == 0) {
      add(", \"traceEvents\": [");
      add_events(odd);
      add("]");
    }
    add(below(5) == 0 ? ", \"b\": \"},\\n{\"" : ", \"b\": 1}\n");
  }
  if (odd && below(4) == 0)
    n_bytes = below((uint32_t)n_bytes + 1);
  if (odd && below(4) == 0)
    for (uint32_t i = below(4); i > 0 && n_bytes > 0; i--)
      bytes[below((uint32_t)n_bytes)] = "\"{}[],\\\0\n:"[below(10)];
}

/* ---- Tests ---- */

static const size_t blocks[] = {64, 150, 400, 1000, 7, 4096};
enum { BLOCKS = sizeof blocks / sizeof *blocks };

static void test_same(void) {
  static text one, several;
  for (uint32_t round = 0; round < 240u / (uint32_t)check_stride(4); round++) {
    make_trace(round);
    for (uint32_t b = round % 2; b < BLOCKS; b += 2) {
      hostile h = {0};
      reading how = {1, round % 3 == 0, (int)(round % 4), env_of(&h)};
      mpg_rc rc;
      for (int info = 0; info < 2; info++) {
        mpg_rc (*read)(text *, const reading *, mpg_str) = info == 0 ? read_all : read_info;
        how.threads = 1;
        hostile_block(1 << 20);
        rc = read(&one, &how, (mpg_str){bytes, n_bytes});
        CHECK(one.n < TEXT_MAX);
        hostile_block(blocks[b]);
        how.threads = 2 + (int)(round % 3);
        CHECK(read(&several, &how, (mpg_str){bytes, n_bytes}) == rc);
        CHECK(one.n == several.n && memcmp(one.p, several.p, one.n) == 0);
        if (one.n != several.n || memcmp(one.p, several.p, one.n) != 0)
          (void)fprintf(stderr, "  round %u, blocks of %zu, %d threads\n", round, blocks[b],
                        how.threads);
      }
      CHECK(h.live == 0);
    }
  }
  hostile_block(0);
}

/* Keys that are where they were before are found by that: with the same result. */
static void test_usual_keys(void) {
  static mpg_chrome_keys learned;
  for (uint32_t round = 0; round < 60u / (uint32_t)check_stride(4); round++) {
    make_trace(round);
    for (size_t i = 0; i < n_bytes; i++) {
      mpg_json_token found[MPG_CHROME_FIELDS + 1], expected[MPG_CHROME_FIELDS + 1];
      mpg_chrome_keys none = {0};
      size_t end = i + 400 + i % 64 < n_bytes ? i + 400 + i % 64 : n_bytes;
      mpg_json_lenient a = mpg_json_lenient_of(bytes + i, bytes + end, NULL), b = a;
      bool any_a, any_b, same;
      const char *p, *q;
      if (bytes[i] != '{')
        continue;
      p = mpg_chrome_event_scan(&a, bytes + i, &learned, found, &any_a);
      q = mpg_chrome_event_scan(&b, bytes + i, &none, expected, &any_b);
      same = p == q && any_a == any_b &&
             (p != NULL || (a.more == b.more && a.at == b.at && a.expected == b.expected));
      for (int f = 0; same && p != NULL && f < MPG_CHROME_FIELDS; f++)
        same = found[f].kind == expected[f].kind &&
               (found[f].kind == MPG_JSON_LENIENT_NONE ||
                (found[f].escaped == expected[f].escaped && found[f].text.p == expected[f].text.p &&
                 found[f].text.n == expected[f].text.n));
      CHECK(same);
    }
  }
}

static mpg_str usual_trace(void) {
  inner = "";
  outer = "\n";
  seed = 7;
  n_bytes = 0;
  add("[");
  for (int i = 0; i < 150; i++) {
    add(i == 0 ? "" : ",\n");
    add_event(false);
  }
  add("]\n");
  return (mpg_str){bytes, n_bytes};
}

/* That the threads' work is taken, where the file is as usual. */
static void test_taken(void) {
#ifdef MPG_TEST
  mpg_str trace = usual_trace();
  const mpg_chrome_request request = {.n = 0};
  const mpg_chrome_piece *piece;
  mpg_chrome_prefetch *ahead;
  mpg_stream *stream;
  mpg_err err;
  size_t pieces = 0, whole = 0, events = 0;
  mpg_rc rc;
  hostile_block(500);
  CHECK(mpg_stream_memory(&stream, &mpg_env_libc, "t", trace, &err) == MPG_OK);
  CHECK(mpg_chrome_prefetch_open(&ahead, &mpg_env_libc, stream, &request, 2, &err) == MPG_OK);
  mpg_chrome_prefetch_seam(ahead, MPG_STR(",\n{\"ph\""));
  while ((rc = mpg_chrome_prefetch_next(ahead, &piece, &err)) == MPG_OK) {
    pieces++;
    whole += piece->guessed && piece->after == piece->n;
    events += piece->guessed ? piece->events : 0;
    if (piece->guessed)
      mpg_chrome_prefetch_judge(ahead, true);
  }
  CHECK(rc == MPG_DONE && pieces > 10 && whole == pieces - 2 && events > 120);
  mpg_chrome_prefetch_close(ahead);
  mpg_stream_close(stream);
  hostile_block(0);
#endif
}

static void test_limit(void) {
  static text one, several;
  static const char event[] = "{\"args\":\"1234567890123456789\",   \"ts\":";
  /* the last has no end */
  static const char *const values[] = {
      "1", "bad", "\"a\\\"},{b\"", "[[1,2],[3]]",
      "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
      "xxxxxxxxx"
      "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"};
  for (int value = 0; value < 5; value++)
    for (int64_t limit = 25; limit < 120; limit++) {
      mpg_limits limits;
      size_t size, before;
      hostile h = {0};
      reading how = {1, false, 1, env_of(&h)};
      mpg_rc rc;
      mpg_limits_init(&limits);
      limits.of[MPG_LIMIT_RECORD_BYTES] = limit;
      how.env.limits = &limits;
      n_bytes = 0;
      add("[{\"ts\":1},{\"ts\":2},\n{\"ts\":3},{\"ts\":4},");
      before = n_bytes;
      add(event);
      add(values[value]);
      add(value == 4 ? "" : "},{\"ts\":5}]");
      hostile_block(1 << 20);
      rc = read_all(&one, &how, (mpg_str){bytes, n_bytes});
      size = strlen(event) + (value == 1 ? 0 : strlen(values[value]) + 1);
      if (value == 4) /* of one that is no whole event the last 128 bytes are not counted */
        size = n_bytes - before - 128;
      CHECK(rc == ((size_t)limit < size ? MPG_LIMIT : MPG_DONE));
      for (size_t block = 5; block < 60; block += 9) {
        hostile_block(block);
        for (how.threads = 1; how.threads < 4; how.threads++) {
          CHECK(read_all(&several, &how, (mpg_str){bytes, n_bytes}) == rc);
          CHECK(one.n == several.n && memcmp(one.p, several.p, one.n) == 0);
        }
      }
      CHECK(h.live == 0);
    }
  hostile_block(0);
}

static void test_memory(void) {
  static text whole, found;
  mpg_str trace = usual_trace();
  hostile h = {0};
  reading how = {1, false, 1, env_of(&h)};
  hostile_block(400);
  CHECK(read_all(&whole, &how, trace) == MPG_DONE);
  how.threads = 3;
  for (int and_after = 0; and_after < 2; and_after++)
    for (long n = 1;; n += check_stride(5)) {
      mpg_rc rc;
      h = (hostile){.fail_in = n, .and_after = and_after != 0};
      rc = read_all(&found, &how, trace);
      CHECK(h.live == 0);
      CHECK(rc == MPG_DONE || (rc == MPG_NOMEM && h.failed));
      if (rc == MPG_DONE)
        CHECK(found.n == whole.n && memcmp(found.p, whole.p, found.n) == 0);
      if (!h.failed)
        break;
    }
  hostile_block(0);
}

static void test_interrupted(void) {
  static text found;
  mpg_str trace = usual_trace();
  hostile_block(100);
  for (long n = 1; n < 60; n++) {
    hostile h = {.stop_in = n + 1};
    reading how = {3, true, 0, env_of(&h)};
    mpg_rc rc = read_all(&found, &how, trace);
    CHECK(rc == MPG_INTERRUPTED || (rc == MPG_DONE && h.stop_in > 1));
    CHECK(h.live == 0);
  }
  hostile_block(0);
}

int main(void) {
  test_usual_keys();
  test_same();
  test_taken();
  test_limit();
  test_memory();
  test_interrupted();
  return check_done("chrome_ahead");
}
