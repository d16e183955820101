/* test_utf8.c - bytes that are no UTF-8: one U+FFFD stands for each maximal subpart of a character,
** wherever the pieces end in which a stream is read, and whatever the reader knows of the rest. */
#include "check.h"
#include "hostile.h"
#include "../../ext/read/input/utf8.h"
#include "../../ext/read/input/utf8_repair.h"

typedef struct text {
  char p[4096];
  size_t n, replaced;
} text;

static void put(text *t, const char *p, size_t n) {
  CHECK(t->n + n <= sizeof t->p);
  memcpy(t->p + t->n, p, n);
  t->n += n;
}

/* All of it at once. */
static void repair_whole(mpg_str s, text *out) {
  out->n = out->replaced = 0;
  while (s.n > 0) {
    int n = mpg_utf8_character(s.p, s.n);
    size_t length = n == 0 ? s.n : (size_t)(n < 0 ? -n : n);
    put(out, n > 0 ? s.p : MPG_UTF8_REPLACEMENT, n > 0 ? length : 3);
    out->replaced += n <= 0;
    s = (mpg_str){s.p + length, s.n - length};
  }
}

static size_t replaced_of(const mpg_env *env, const mpg_stream *stream) {
  mpg_issues issues;
  mpg_err err;
  size_t n = 0;
  mpg_issues_init(&issues, env);
  CHECK(mpg_stream_repaired(stream, &issues, &err) == MPG_OK && issues.n <= 1);
  if (issues.n == 1)
    n = (size_t)issues.items[0].count;
  mpg_issues_free(&issues);
  return n;
}

/* As a stream, in pieces of `piece` bytes, or of 1 to 9 where it is 0. */
static void repair_in_pieces(const mpg_env *env, mpg_str s, size_t piece, text *out) {
  mpg_stream *stream;
  mpg_err err;
  size_t got = 1, cap = 1;
  out->n = 0;
  CHECK(mpg_stream_memory(&stream, env, "text", s, &err) == MPG_OK);
  mpg_stream_repair_text(stream);
  while (got == cap) {
    char buf[16];
    cap = piece > 0 ? piece : 1 + check_draw(9);
    CHECK(mpg_stream_read(stream, buf, cap, &got, &err) == MPG_OK && got <= cap);
    put(out, buf, got);
  }
  out->replaced = replaced_of(env, stream);
  mpg_stream_close(stream);
}

static void check_same(const mpg_env *env, mpg_str s) {
  static text whole, pieces;
  repair_whole(s, &whole);
  for (size_t piece = 0; piece <= sizeof "\xf0\x9f\x98\x80" + 4; piece++) {
    repair_in_pieces(env, s, piece, &pieces);
    CHECK(pieces.n == whole.n && memcmp(pieces.p, whole.p, whole.n) == 0);
    CHECK(pieces.replaced == whole.replaced);
  }
}

/* Unicode 15, table 3-8 and its neighbours: what W3C's decoder and Python's make of them. */
static void test_subparts(const mpg_env *env) {
  static const struct {
    const char *bytes;
    size_t replaced;
  } cases[] = {{"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf"
                "A",
                4},
               {"\xf0\x90\x80"
                "A",
                1},
               {"\xf0\x90\x80", 1},
               {"\xe2\x82", 1},
               {"\xef\xbb"
                "A",
                1},
               {"\xef\xbb\xbf", 0},
               {"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82"
                "A",
                8},
               {"\xed\xa0\x80\xed\xbf\xbf\xed\xaf"
                "A",
                8},
               {"\xf4\x91\x92\x93\xff"
                "A\x80\xbf"
                "B",
                7},
               {"\xf0\x90\x80\xf0\x90\x80\x80\xf0\x9f\x98", 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static text whole;
    repair_whole(mpg_str_of(cases[i].bytes), &whole);
    CHECK(whole.replaced == cases[i].replaced);
    check_same(env, mpg_str_of(cases[i].bytes));
  }
}

static void test_random(const mpg_env *env) {
  static const char *const parts[] = {"a",
                                      "\n",
                                      "\xc3\xbc",
                                      "\xe2\x82\xac",
                                      "\xf0\x9f\x98\x80",
                                      "\xf0\x9f\x98",
                                      "\xf0\x9f",
                                      "\xf0",
                                      "\xe2\x82",
                                      "\xe2",
                                      "\x80",
                                      "\xff",
                                      "\xed\xa0\x80",
                                      "\xef\xbb",
                                      "\xc0\xaf",
                                      "\xc3",
                                      "\xf4\x90",
                                      "\xef\xbb\xbf",
                                      "\xf8\x88\x80",
                                      "\xe0\x80",
                                      "abcdefgh"};
  for (int i = 0; i < 2000; i++) {
    text t = {.n = 0};
    for (size_t n = check_draw(12); n > 0; n--) {
      const char *part = parts[check_draw(sizeof parts / sizeof *parts)];
      put(&t, part, strlen(part));
    }
    check_same(env, (mpg_str){t.p, t.n});
  }
}

/* Texts that formats of bytes hold are repaired by the same practice. */
static void test_copies(const mpg_env *env) {
  static text whole;
  mpg_poller poller = {.env = env};
  mpg_utf8_copy copy = {0};
  mpg_str s = MPG_STR("\xf0\x90\x80"
                      "A\xe2\x82\xff\xf0\x9f");
  int64_t invalid = 0;
  repair_whole(s, &whole);
  CHECK(mpg_utf8_repair(&poller, &copy, &s, &invalid) == MPG_OK);
  CHECK(invalid == (int64_t)whole.replaced && invalid == 4);
  CHECK(s.n == whole.n && memcmp(s.p, whole.p, s.n) == 0);
  mpg_free(env, copy.p);
}

int main(void) {
  hostile h = {0};
  mpg_env env = hostile_env(&h);
  test_subparts(&env);
  test_random(&env);
  test_copies(&env);
  CHECK(h.live == 0);
  return check_done("test_utf8");
}
