/*
** json_told.h - for the tests of JSON: the records of a text, or why it is refused, under several
** block sizes.
*/
#ifndef MPG_JSON_TOLD_H
#define MPG_JSON_TOLD_H

#include "check.h"
#include "hostile.h"
#include "../../ext/read/parse/json_records.h"

#define TEXT (1 << 20)

typedef struct text {
  char p[TEXT];
  size_t n;
} text;

static inline void add(text *t, const char *p, size_t n) {
  if (n > TEXT - 1 - t->n)
    n = TEXT - 1 - t->n;
  if (n > 0)
    memcpy(t->p + t->n, p, n);
  t->n += n;
  t->p[t->n] = '\0';
}
static inline void addz(text *t, const char *z) {
  add(t, z, strlen(z));
}
static inline void addf(text *t, const char *format, long long a, long long b) {
  char z[64];
  (void)snprintf(z, sizeof z, format, a, b);
  addz(t, z);
}

static inline void add_members(text *out, const mpg_json_member *m, size_t n) {
  for (size_t i = 0; i < n; i++) {
    addz(out, i == 0 ? "" : " ");
    add(out, m[i].key.p, m[i].key.n);
    addz(out, "=");
    add(out, &"NFT#$[{"[m[i].kind], 1);
    add(out, m[i].text.p, m[i].text.n);
  }
}

static bool nan_is_null;

/* "LINE:key=KINDtext key=KINDtext" for each record, "!message" for each error. With `places`,
** " @LINE:COLUMN-LINE:COLUMN" of key and value. */
static inline mpg_rc render(text *out, const mpg_env *env, mpg_str input, size_t limit,
                            bool places) {
  mpg_err err;
  mpg_stream *stream = NULL;
  mpg_json *json = NULL;
  const mpg_json_member *m;
  size_t n;
  mpg_json_options options = {limit, nan_is_null};
  mpg_rc rc = mpg_stream_memory(&stream, env, "t", input, &err);
  out->n = 0;
  out->p[0] = '\0';
  if (rc == MPG_OK)
    rc = mpg_json_open(&json, env, stream, &options, &err);
  while (rc == MPG_OK || rc == MPG_DATA) {
    rc = mpg_json_record(json, &m, &n, &err);
    if (rc == MPG_OK) {
      addf(out, "%lld:", mpg_json_line(json), 0);
      add_members(out, m, n);
      for (size_t i = 0; places && i < n; i++) {
        int64_t line, column;
        mpg_json_where(json, m[i].key_at, &line, &column);
        addf(out, " @%lld:%lld", line, column);
        mpg_json_where(json, m[i].value_at, &line, &column);
        addf(out, "-%lld:%lld", line, column);
      }
      addz(out, "\n");
    } else if (rc != MPG_DONE) {
      addz(out, "!");
      addz(out, err.text);
      addz(out, "\n");
    }
  }
  if (json != NULL) {
    mpg_err again;
    CHECK(mpg_json_record(json, &m, &n, &again) == rc && n == 0);
    CHECK(rc == MPG_DONE || strcmp(again.text, err.text) == 0);
  }
  mpg_json_close(json);
  mpg_stream_close(stream);
  return rc;
}

static text got;

static inline bool gives(mpg_str input, size_t limit, bool places, const char *want) {
  for (size_t i = 0; i < HOSTILE_BLOCKS; i++) {
    hostile_block(hostile_blocks[i]);
    (void)render(&got, &mpg_env_libc, input, limit, places);
    if (strcmp(got.p, want) != 0) {
      (void)fprintf(stderr, "block %zu, got:\n%s\nwant:\n%s\n", hostile_blocks[i], got.p, want);
      return false;
    }
  }
  return true;
}
#define GIVES(literal, want) CHECK(gives(MPG_STR(literal), 0, false, want))
#define PLACES(literal, want) CHECK(gives(MPG_STR(literal), 0, true, want))
/* The one error of an object, by what is written for its value. */
#define BAD(value, at, want)                                                                       \
  CHECK(gives(MPG_STR("{\"k\":" value "}\n"), 0, false, "!t:1:" at ": expected " want "\n"))

#endif
