/*
** test_blocks.c - reading a stream block by block says what reading it in one go says: the same
** records, errors, lines and columns, whatever the text and wherever the blocks end.
*/
#include "check.h"
#include "hostile.h"
#include "../../ext/base/pipeline.h"
#include "../../ext/read/parse/blocks.h"
#include "../../ext/read/parse/csv.h"
#include "../../ext/read/parse/json_records.h"

#define TEXT (1 << 20)

static char whole[TEXT], pieces[TEXT];

typedef struct out {
  char *p;
  size_t n;
} out;

static void add(out *o, const char *p, size_t n) {
  if (n > TEXT - 1 - o->n)
    n = TEXT - 1 - o->n;
  if (n > 0)
    memcpy(o->p + o->n, p, n);
  o->n += n;
  o->p[o->n] = '\0';
}

static void add_place(out *o, int64_t line, int64_t column) {
  char z[64];
  (void)snprintf(z, sizeof z, "@%lld:%lld", (long long)line, (long long)column);
  add(o, z, strlen(z));
}

static void add_error(out *o, const mpg_err *err) {
  add(o, "!", 1);
  add(o, err->text, strlen(err->text));
  add(o, "\n", 1);
}

/* To the end of what the reader has. True where an error stays: nothing behind it is read. */
static bool drain_csv(out *o, mpg_csv *csv) {
  mpg_err err = {MPG_OK, ""}, before = {MPG_OK, ""};
  const mpg_str *fields;
  size_t n;
  for (;;) {
    mpg_rc rc = mpg_csv_next(csv, &fields, &n, &err);
    if (rc == MPG_DONE)
      return false;
    if (rc != MPG_OK) {
      if (strcmp(err.text, before.text) == 0)
        return true;
      before = err;
      add_error(o, &err);
      if (rc != MPG_DATA)
        return true;
      continue;
    }
    for (size_t i = 0; i <= n; i++) {
      int64_t line, column;
      mpg_csv_where(csv, i, &line, &column);
      if (i < n) {
        add(o, "[", 1);
        add(o, fields[i].p, fields[i].n);
        add(o, "]", 1);
      }
      add_place(o, line, column);
    }
    add(o, "\n", 1);
  }
}

static bool drain_json(out *o, mpg_json *json) {
  mpg_err err = {MPG_OK, ""}, before = {MPG_OK, ""};
  const mpg_json_member *m;
  size_t n;
  for (;;) {
    mpg_rc rc = mpg_json_record(json, &m, &n, &err);
    if (rc == MPG_DONE)
      return false;
    if (rc != MPG_OK) {
      if (strcmp(err.text, before.text) == 0)
        return true;
      before = err;
      add_error(o, &err);
      if (rc != MPG_DATA)
        return true;
      continue;
    }
    for (size_t i = 0; i < n; i++) {
      int64_t line, column;
      mpg_json_where(json, m[i].value_at, &line, &column);
      add(o, m[i].key.p, m[i].key.n);
      add(o, "=", 1);
      add(o, m[i].text.p, m[i].text.n);
      add_place(o, line, column);
    }
    add_place(o, mpg_json_line(json), 0);
    add(o, "\n", 1);
  }
}

/* How the text is read: in one go, or in blocks. */
static void read_text(out *o, const mpg_env *env, mpg_str text, const mpg_blocks_options *options,
                      bool in_blocks, size_t *nblocks) {
  mpg_csv_options csv_options = {options->delimiter, options->no_quotes, 0};
  mpg_json_options json_options = {0};
  mpg_err err;
  mpg_stream *stream = NULL;
  mpg_csv *csv = NULL;
  mpg_json *json = NULL;
  mpg_blocks *blocks = NULL;
  mpg_block block = {0};
  mpg_rc rc;
  o->n = *nblocks = 0;
  o->p[0] = '\0';
  CHECK(mpg_stream_memory(&stream, env, "t", text, &err) == MPG_OK);
  if (options->json)
    CHECK(mpg_json_open(&json, env, stream, &json_options, &err) == MPG_OK);
  else
    CHECK(mpg_csv_open(&csv, env, stream, &csv_options, &err) == MPG_OK);
  if (!in_blocks) {
    (void)(options->json ? drain_json(o, json) : drain_csv(o, csv));
  } else {
    bool stays = false;
    CHECK(mpg_blocks_open(&blocks, env, stream, options, &err) == MPG_OK);
    while (!stays && (rc = mpg_blocks_next(blocks, &block, &err)) == MPG_OK) {
      ++*nblocks;
      CHECK(block.rest || !options->whole);
      if (options->json)
        mpg_json_feed(json, stream, &block, NULL);
      else
        mpg_csv_feed(csv, stream, &block, NULL);
      stays = options->json ? drain_json(o, json) : drain_csv(o, csv);
    }
    CHECK(stays || rc == MPG_DONE);
  }
  mpg_csv_close(csv);
  mpg_json_close(json);
  mpg_blocks_close(blocks);
  mpg_block_free(&block);
  mpg_stream_close(stream);
}

static size_t compare(mpg_str text, const mpg_blocks_options *options) {
  size_t most = 0;
  for (size_t i = 0; i < HOSTILE_BLOCKS; i++) {
    hostile h = {0};
    mpg_env env = hostile_env(&h);
    out a = {whole, 0}, b = {pieces, 0};
    size_t n;
    hostile_block(0);
    read_text(&a, &env, text, options, false, &n);
    hostile_block(hostile_blocks[i]);
    read_text(&b, &env, text, options, true, &n);
    most = n > most ? n : most;
    CHECK(h.live == 0);
    CHECK(a.n == b.n && memcmp(whole, pieces, a.n) == 0);
    if (a.n != b.n || memcmp(whole, pieces, a.n) != 0)
      (void)fprintf(stderr, "  block %zu, text <<%.*s>>\n  whole  <<%s>>\n  pieces <<%s>>\n",
                    hostile_blocks[i], (int)text.n, text.p, whole, pieces);
  }
  hostile_block(0);
  return most;
}

static uint64_t seed = 1;
static size_t below(size_t n) {
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (size_t)((seed >> 33) % n);
}

/* Random texts of some words, `odd` of which (the last ones) are rare. */
static void random_texts(const mpg_str *words, size_t nwords, size_t odd, int times,
                         const mpg_blocks_options *options, size_t *most) {
  static char text[4096];
  for (int t = 0; t < times; t++) {
    size_t n = 0, length = below(60), kinds = below(4) == 0 ? nwords : nwords - odd;
    for (size_t i = 0; i < length; i++) {
      mpg_str w = words[below(kinds)];
      memcpy(text + n, w.p, w.n);
      n += w.n;
    }
    n = compare((mpg_str){text, n}, options);
    *most = n > *most ? n : *most;
  }
}

static void check_csv(size_t *most) {
  static const mpg_str words[] = {
      MPG_STR("a"),        MPG_STR("bc"),
      MPG_STR(","),        MPG_STR(","),
      MPG_STR("\n"),       MPG_STR("\n"),
      MPG_STR("\"x\""),    MPG_STR("\"p\nq\""),
      MPG_STR(",\"\","),   MPG_STR("\"\"\"\""),
      MPG_STR("\r\n"),     MPG_STR("\"a\"\"b\r\nc\""),
      MPG_STR("\n\"z\","), MPG_STR("long field without anything in it, and another\n"),
      MPG_STR("\""),       MPG_STR("\r"),
      MPG_STR("\0")};
  mpg_blocks_options comma = {false, ',', false, false}, plain = {false, ';', true, false};
  random_texts(words, sizeof words / sizeof *words, 3, 3000, &comma, most);
  random_texts(words, sizeof words / sizeof *words, 3, 300, &plain, most);
}

static void check_json(size_t *most) {
  static const mpg_str words[] = {MPG_STR("{\"a\":1}\n"),
                                  MPG_STR("{\"b\":\"x}\\n{y\"}\n"),
                                  MPG_STR("{\"c\":{\"d\":[]}}\r\n"),
                                  MPG_STR("{\n \"e\":\n{}\n}\n"),
                                  MPG_STR("{\"f\":[{}\n,{}]}\n"),
                                  MPG_STR(" "),
                                  MPG_STR("\n"),
                                  MPG_STR("{\"g\":null} {\"h\":2.5e3}"),
                                  MPG_STR("{\"i\":{}\n{"),
                                  MPG_STR("}"),
                                  MPG_STR("{"),
                                  MPG_STR("\""),
                                  MPG_STR("["),
                                  MPG_STR(","),
                                  MPG_STR("]\n"),
                                  MPG_STR("\\"),
                                  MPG_STR("\xff"),
                                  MPG_STR("{\"a\":1,\"a\":2}\n")};
  mpg_blocks_options json = {true, ',', false, false};
  random_texts(words, sizeof words / sizeof *words, 10, 3000, &json, most);
}

static void check_some(void) {
  static const mpg_blocks_options csv = {false, ',', false, false},
                                  json = {true, ',', false, false},
                                  uncut = {false, ',', false, true};
  static const char *const texts[] = {"",
                                      "\xef\xbb\xbf",
                                      "\xef\xbb\xbf\x61,b\n1,2\n",
                                      "a\rb\rc\r",
                                      "a\r\nb\r\nc",
                                      "\n\n\n",
                                      "\"a\nb\nc",
                                      "\"a\" b\n\"c\nd\"\n",
                                      "\xef\xbb",
                                      "\xef\xbb\n1,2\n",
                                      "\xef\xbb\xbf\xef\xbb\xbf\x61\n"};
  static const char *const documents[] = {"",
                                          "[]",
                                          "[{\"a\":1}\n,{\"a\":2}]",
                                          "\xef\xbb\xbf{\"a\":1}\n{}",
                                          "{\"a\":1\n{\"b\":2}\n",
                                          "nonsense\n{}\n{}",
                                          "{}\n\n\n\n\n{}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    (void)compare(mpg_str_of(texts[i]), &csv);
    /* A first block of three bytes, as only tests have it, would be the mark alone, and no
    ** block. */
    if (texts[i][0] != '\xef')
      CHECK(compare(mpg_str_of(texts[i]), &uncut) <= 1);
  }
  for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
    (void)compare(mpg_str_of(documents[i]), &json);
}

/* Where a block ends is looked for no further once the host asks to stop, within a record too:
** nobody is asked again. */
static void check_stops(void) {
  static char bytes[TEXT];
  mpg_csv_options options = {',', false, 0};
  memset(bytes, '\n', sizeof bytes);
  bytes[0] = '"';
  for (long k = 2; k < 5; k++) {
    hostile h = {0, 0, false, false, k};
    mpg_env env = hostile_env(&h);
    mpg_stream *stream = NULL;
    mpg_csv *csv = NULL;
    mpg_err err;
    size_t cut = 1;
    CHECK(mpg_stream_memory(&stream, &env, "t", MPG_STR("a\n"), &err) == MPG_OK);
    CHECK(mpg_csv_open(&csv, &env, stream, &options, &err) == MPG_OK);
    CHECK(mpg_csv_cut(csv, bytes, sizeof bytes, &cut, &err) == MPG_OK && cut == 0);
    CHECK(h.stop_in == 1);
    mpg_csv_close(csv);
    mpg_stream_close(stream);
  }
}

/* ---- the pipeline ---- */

typedef struct count {
  int next, stop_at;
} count;
typedef struct square {
  int n;
  long value;
} square;

static mpg_rc cut_number(void *ctx, void *slot, mpg_err *err) {
  count *c = ctx;
  if (c->next == c->stop_at)
    return c->stop_at % 2 ? mpg_fail(err, MPG_IO, "the end") : MPG_DONE;
  ((square *)slot)->n = c->next++;
  return MPG_OK;
}

static void do_square(void *ctx, void *slot, int worker) {
  square *s = slot;
  (void)ctx;
  (void)worker;
  s->value = (long)s->n * s->n;
}

static void check_pipeline(void) {
  static const mpg_pipeline_steps steps = {.cut = cut_number, .work = do_square};
  for (int threads = 1; threads <= 5; threads++)
    for (int n = 0; n < 200; n += 33) {
      square squares[16];
      void *slots[16], *slot;
      count c = {0, n};
      mpg_pipeline *p;
      mpg_err err;
      int i = 0;
      mpg_rc rc;
      for (size_t k = 0; k < mpg_pipeline_slots(threads); k++)
        slots[k] = &squares[k];
      CHECK(mpg_pipeline_open(&p, &mpg_env_libc, threads, &steps, &c, slots, &err) == MPG_OK);
      while ((rc = mpg_pipeline_next(p, &slot, &err)) == MPG_OK) {
        square *s = slot;
        CHECK(s->n == i && s->value == (long)i * i);
        i++;
        if (i == 150) /* closed in the middle */
          break;
      }
      CHECK(i == 150 || (i == n && rc == (n % 2 ? MPG_IO : MPG_DONE)));
      mpg_pipeline_close(p);
    }
}

int main(void) {
  size_t most = 0;
  check_pipeline();
  check_some();
  check_csv(&most);
  check_json(&most);
  check_stops();
#ifdef MPG_TEST
  CHECK(most > 10);
#endif
  return check_done("blocks");
}
