/* A walk over documents in memory: members, elements, what is cut off, and what comes behind
** what is broken. */
#include "../../ext/read/parse/json_walker.h"
#include "../../ext/read/input/os.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

static const mpg_env *const env = &mpg_env_libc;

typedef struct walk {
  mpg_stream *stream;
  mpg_pull *pull;
  mpg_pull_item item;
  mpg_json_kind kind;
  mpg_str text;
  mpg_err err;
} walk;

static void begin_sized(walk *w, mpg_str text, size_t limit) {
  memset(w, 0, sizeof *w);
  CHECK(mpg_stream_memory(&w->stream, env, "x", text, &w->err) == MPG_OK);
  CHECK(mpg_pull_open(&w->pull, env, w->stream, limit, &w->err) == MPG_OK);
}

static void begin(walk *w, const char *text) {
  begin_sized(w, mpg_str_of(text), 0);
}

static void end(walk *w) {
  mpg_pull_close(w->pull);
  mpg_stream_close(w->stream);
}

static mpg_rc next(walk *w) {
  return mpg_pull_next(w->pull, &w->item, &w->err);
}

static mpg_rc take(walk *w) {
  return mpg_pull_value(w->pull, &w->kind, &w->text, &w->err);
}

static bool key(const walk *w, const char *text) {
  return mpg_str_eq(w->item.key, mpg_str_of(text));
}

static bool took(walk *w, mpg_json_kind kind, const char *text) {
  return take(w) == MPG_OK && w->kind == kind && mpg_str_eq(w->text, mpg_str_of(text));
}

static void test_document(void) {
  walk w;
  begin(&w, "\xef\xbb\xbf {\"a\" : 1,\n \"b\\u0062\":[ {\"x\":[1,2]}, \"s\\n\", [], 12.5e3 "
            "],\"skipped\":{\"y\":[{}]},"
            "\"last\":null} \n[true]\n7");
  CHECK(next(&w) == MPG_OK && w.item.first == '{' && w.item.line == 1 && w.item.column == 2);
  mpg_pull_enter(w.pull);
  CHECK(next(&w) == MPG_OK && key(&w, "a") && took(&w, MPG_JSON_NUMBER, "1"));
  CHECK(next(&w) == MPG_OK && key(&w, "bb") && w.item.first == '[' && w.item.line == 2);
  mpg_pull_enter(w.pull);
  CHECK(mpg_pull_depth(w.pull) == 2);
  CHECK(next(&w) == MPG_OK && key(&w, "") && took(&w, MPG_JSON_OBJECT, "{\"x\":[1,2]}"));
  CHECK(next(&w) == MPG_OK && took(&w, MPG_JSON_STRING, "s\n"));
  CHECK(next(&w) == MPG_OK && took(&w, MPG_JSON_ARRAY, "[]"));
  CHECK(next(&w) == MPG_OK && took(&w, MPG_JSON_NUMBER, "12.5e3"));
  CHECK(next(&w) == MPG_DONE && mpg_pull_depth(w.pull) == 1);
  CHECK(next(&w) == MPG_OK && key(&w, "skipped"));
  CHECK(next(&w) == MPG_OK && key(&w, "last") && took(&w, MPG_JSON_NULL, "null"));
  CHECK(next(&w) == MPG_DONE && mpg_pull_depth(w.pull) == 0 && mpg_pull_documents(w.pull) == 1);
  CHECK(next(&w) == MPG_OK && w.item.first == '[' && w.item.line == 3);
  CHECK(next(&w) == MPG_OK && w.item.first == '7' && took(&w, MPG_JSON_NUMBER, "7"));
  CHECK(mpg_pull_documents(w.pull) == 3);
  CHECK(next(&w) == MPG_DONE && next(&w) == MPG_DONE);
  end(&w);
  begin(&w, " \n ");
  CHECK(next(&w) == MPG_DONE && mpg_pull_documents(w.pull) == 0);
  end(&w);
}

/* Everything is entered that can be, and the rest taken. Returns MPG_DONE, or the first error. */
static mpg_rc walk_all(walk *w, int deepest) {
  for (;;) {
    int depth = mpg_pull_depth(w->pull);
    mpg_rc rc = next(w);
    if (rc == MPG_DONE && depth > 0)
      continue;
    if (rc == MPG_OK && (w->item.first == '{' || w->item.first == '[') && depth < deepest)
      mpg_pull_enter(w->pull);
    else if (rc == MPG_OK)
      rc = take(w);
    if (rc != MPG_OK)
      return rc;
  }
}

static void refused(const char *text, const char *why) {
  for (int deepest = 0; deepest < 4; deepest++) {
    walk w;
    begin(&w, text);
    CHECK(walk_all(&w, deepest) == MPG_DATA);
    CHECK(strcmp(w.err.text, why) == 0);
    if (strcmp(w.err.text, why) != 0)
      (void)fprintf(stderr, "  %s at depth %d: found %s\n", text, deepest, w.err.text);
    CHECK(mpg_pull_depth(w.pull) == 0);
    end(&w);
  }
}

static void test_errors(void) {
  refused("{\"a\":1 \"b\":2}",
          "x:1:8: expected ',' or '}', found '\"'; the rest of this document is not read");
  refused("{\"a\":[1 2]}",
          "x:1:9: expected ',' or ']', found '2'; the rest of this document is not read");
  refused("{\"a\":[1,]}",
          "x:1:9: expected a value, found ']'; the rest of this document is not read");
  refused("{a:1}", "x:1:2: expected a key in double quotes or '}', found 'a'; the rest of this "
                   "document is not read");
  refused(
      "{\"a\":1,}",
      "x:1:8: expected a key in double quotes, found '}'; the rest of this document is not read");
  refused("{\"a\" 1}", "x:1:6: expected ':', found '1'; the rest of this document is not read");
  refused("{\"a\":nope}", "x:1:7: expected null, found 'o'; the rest of this document is not read");
  refused("apiVersion: v1\n", "x:1:1: expected a value, found 'a'");
  refused("{\"a\":\n {\"b\":[\"c", "x:2:10: expected a closing quote, found end of file");
}

/* What is cut off, at every length, with windows of every size. */
static void test_cut(void) {
  static const char text[] = "{\"a\":[{\"b\":\"c\\u00e9\"},12,{}]}\n{\"d\":{\"e\":true}}\n";
  for (size_t n = 0; n < sizeof text - 1; n++) {
    walk w;
    mpg_rc rc;
    size_t first = (size_t)(strchr(text, '\n') - text);
    begin_sized(&w, (mpg_str){text, n}, 0);
    rc = walk_all(&w, 3);
    if (n == 0 || n == first || n == first + 1 || n == sizeof text - 2) {
      CHECK(rc == MPG_DONE && !mpg_pull_cut_off(w.pull));
    } else {
      CHECK(rc == MPG_DATA && mpg_pull_cut_off(w.pull));
      CHECK(mpg_pull_documents(w.pull) == (n > first));
      CHECK(strstr(w.err.text, "found end of file") != NULL);
      CHECK(next(&w) == MPG_DONE);
    }
    end(&w);
  }
}

static void test_mending(void) {
  walk w;
  begin(&w, "{\"a\":[1,\n{\"b\":2}\n  {\"no\":1}\n{\"c\":3}\n");
  CHECK(next(&w) == MPG_OK);
  mpg_pull_enter(w.pull);
  CHECK(next(&w) == MPG_OK && key(&w, "a") && take(&w) == MPG_DATA && !mpg_pull_cut_off(w.pull));
  CHECK(next(&w) == MPG_OK && w.item.line == 2 && took(&w, MPG_JSON_OBJECT, "{\"b\":2}"));
  CHECK(next(&w) == MPG_OK && w.item.line == 3 && took(&w, MPG_JSON_OBJECT, "{\"no\":1}"));
  CHECK(next(&w) == MPG_OK && w.item.line == 4);
  end(&w);
  /* The line where the walk stands may be the next document. */
  begin(&w, "{\"a\":1,\n{\"b\":2}\n");
  CHECK(next(&w) == MPG_OK);
  mpg_pull_enter(w.pull);
  CHECK(next(&w) == MPG_OK);
  CHECK(next(&w) == MPG_DATA && mpg_pull_depth(w.pull) == 0);
  CHECK(next(&w) == MPG_OK && w.item.line == 2 && took(&w, MPG_JSON_OBJECT, "{\"b\":2}"));
  CHECK(next(&w) == MPG_DONE);
  end(&w);
}

static void test_limits(void) {
  static const char large[] = "{\"a\":[1],\"b\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}";
  char deep[1200];
  walk w;
  begin_sized(&w, mpg_str_of(large), 20);
  CHECK(walk_all(&w, 1) == MPG_LIMIT);
  CHECK(strcmp(w.err.text, "x:1:14: value of more than 20 bytes") == 0 && next(&w) == MPG_DONE);
  end(&w);
  begin_sized(&w, mpg_str_of(large), 20);
  CHECK(walk_all(&w, 2) == MPG_DONE);
  end(&w);
  memset(deep, '[', sizeof deep);
  begin_sized(&w, (mpg_str){deep, sizeof deep}, 0);
  CHECK(next(&w) == MPG_OK && take(&w) == MPG_LIMIT && next(&w) == MPG_DONE);
  end(&w);
  /* No deeper than it can be entered: the rest is taken whole. */
  begin_sized(&w, (mpg_str){deep, sizeof deep}, 0);
  for (int i = 0; i < MPG_PULL_DEPTH; i++) {
    CHECK(next(&w) == MPG_OK);
    mpg_pull_enter(w.pull);
  }
  CHECK(next(&w) == MPG_OK && mpg_pull_depth(w.pull) == MPG_PULL_DEPTH);
  mpg_pull_enter(w.pull);
  CHECK(mpg_pull_depth(w.pull) == MPG_PULL_DEPTH && take(&w) == MPG_LIMIT);
  end(&w);
}

static bool same(mpg_str key, const char *name) {
  return mpg_str_eq(key, mpg_str_of(name));
}

/* A member behind the value at hand, which stays at hand. */
static void test_ahead(void) {
  static const char document[] =
      "{\"a\":{\"late\":0},\"b\" : [1, \"late\"],\"late\":{\"x\":2},\"c\":3}";
  size_t end_of_late = (size_t)(strstr(document, ",\"c\"") - document);
  walk w;
  bool far;
  for (size_t n = 0; n < sizeof document; n++) {
    mpg_rc rc;
    begin_sized(&w, (mpg_str){document, n}, 0);
    if (next(&w) == MPG_OK) {
      mpg_pull_enter(w.pull);
      if (next(&w) == MPG_OK) {
        rc = mpg_pull_find_later(w.pull, same, "late", &w.text, &far, &w.err);
        CHECK(!far && rc == (n >= end_of_late ? MPG_OK : MPG_DONE));
        CHECK(rc != MPG_OK || mpg_str_eq(w.text, MPG_STR("{\"x\":2}")));
        CHECK(mpg_pull_find_later(w.pull, same, "x", &w.text, &far, &w.err) == MPG_DONE);
        CHECK(n < 20 || took(&w, MPG_JSON_OBJECT, "{\"late\":0}"));
      }
    }
    end(&w);
  }
  begin_sized(&w, mpg_str_of(document), 10);
  CHECK(next(&w) == MPG_OK);
  mpg_pull_enter(w.pull);
  CHECK(next(&w) == MPG_OK);
  far = false;
  (void)mpg_pull_find_later(w.pull, same, "late", &w.text, &far, &w.err);
#ifdef MPG_TEST /* a window that holds more than the limit finds more */
  CHECK(mpg_io_block != 1 || far);
#else
  CHECK(!far);
#endif
  end(&w);
}

static void all(void) {
  test_ahead();
  test_document();
  test_errors();
  test_cut();
  test_mending();
  test_limits();
}

int main(void) {
  all();
#ifdef MPG_TEST
  for (mpg_io_block = 1; mpg_io_block < 40; mpg_io_block++)
    all();
#endif
  return check_done("json_pull");
}
