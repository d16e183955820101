/* Tests of ext/read/rows/rows_pieces.c and rows_scan.c, and of the comparisons of rows.h. */
#include "folder.h"
#include "hostile.h"
#include "../../ext/base/text.h"
#include "../../ext/read/rows/rows_scan.h"

#include <math.h>
#include <unistd.h>

/* ---- Comparisons ---- */

static mpg_value whole(int64_t i) {
  return (mpg_value){MPG_INT, i, 0.0, {NULL, 0}};
}

static mpg_value real(double r) {
  return (mpg_value){MPG_REAL, 0, r, {NULL, 0}};
}

static mpg_value text(const char *z) {
  return (mpg_value){MPG_TEXT, 0, 0.0, mpg_str_of(z)};
}

static void test_order(void) {
  const mpg_value up[] = {real(-INFINITY),
                          real(-9.3e18),
                          whole(INT64_MIN),
                          whole(INT64_MIN + 1),
                          real(-1.5),
                          whole(-1),
                          real(-0.5),
                          whole(0),
                          real(0.5),
                          whole(1),
                          whole((INT64_C(1) << 53) - 1),
                          real(9007199254740992.0),
                          whole((INT64_C(1) << 53) + 1),
                          whole(INT64_MAX),
                          real(9223372036854775808.0),
                          real(INFINITY),
                          text(""),
                          text("a"),
                          text("a b"),
                          text("b")};
  const int n = (int)(sizeof up / sizeof *up);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      CHECK(mpg_rows_compare(&up[i], &up[k]) * (i - k) >= 0 &&
            (mpg_rows_compare(&up[i], &up[k]) == 0) == (i == k));
  for (size_t length = 0; length <= 16; length++) { /* of the numbers */
    const mpg_rows_filter in = {.op = MPG_ROWS_IN, .list = up, .n_list = length};
    for (size_t i = 0; i < 16; i++)
      CHECK(mpg_rows_passes(&in, &up[i]) == (i < length));
  }
  {
    const mpg_value same = real((double)(INT64_C(1) << 53)), other = whole(INT64_C(1) << 53),
                    zero = real(-0.0), none = whole(0);
    CHECK(mpg_rows_compare(&same, &other) == 0 && mpg_rows_compare(&zero, &none) == 0);
  }
}

static void test_filters(void) {
  const struct {
    mpg_rows_op op;
    const char *passes; /* of NULL, 1, 2, 3, beside 2 */
  } cases[] = {{MPG_ROWS_EQ, "0010"},   {MPG_ROWS_NE, "0101"},      {MPG_ROWS_LT, "0100"},
               {MPG_ROWS_LE, "0110"},   {MPG_ROWS_GT, "0001"},      {MPG_ROWS_GE, "0011"},
               {MPG_ROWS_NULL, "1000"}, {MPG_ROWS_NOT_NULL, "0111"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int kind = 0; kind < 3; kind++) {
      static const char *const texts[] = {"", "1", "2", "3"};
      mpg_rows_filter f = {.op = cases[i].op};
      f.value = kind == 0 ? whole(2) : kind == 1 ? real(2) : text("2");
      for (int v = 0; v < 4; v++) {
        mpg_value value = kind == 0 ? whole(v) : kind == 1 ? real(v) : text(texts[v]);
        if (v == 0)
          value.type = MPG_NULL;
        CHECK(mpg_rows_passes(&f, &value) == (cases[i].passes[v] == '1'));
      }
    }
}

/* ---- Files ---- */

typedef struct question {
  bool json, skip, distinct, lines;
  int threads;
  size_t n_wanted; /* of columns 0, 1, 2: a, b and v, which is BIGINT */
  mpg_rows_filter filter;
  bool filtered;
} question;

static bool not_second(const void *ctx, const char *path) {
  return strcmp(path, ctx) != 0;
}

/* Rows as "(a|b|v @line)", an unfit value as "!"; at the end an error, in braces. */
static mpg_rc render(const mpg_env *env, const question *q, const char *path, const char *without,
                     mpg_issues *issues, char *out, size_t cap) {
  const mpg_rows_options options = {.delimiter = ',', .header = !q->json, .by_name = true};
  static const size_t wanted[] = {0, 1, 2};
  mpg_paths paths = {0};
  mpg_columns columns;
  mpg_scan_query query = {.format = q->json ? &mpg_json_rows : &mpg_csv_rows,
                          .rows = {.options = &options,
                                   .columns = &columns,
                                   .checked = q->skip ? (1U << q->n_wanted) - 1 : 0},
                          .wanted = wanted,
                          .n_wanted = q->n_wanted,
                          .lines = q->lines,
                          .distinct = q->distinct,
                          .skip = q->skip,
                          .chosen = without == NULL ? NULL : not_second,
                          .chosen_ctx = without,
                          .threads = q->threads};
  mpg_rows_scan scan = {0};
  mpg_err err, unfit;
  int64_t number = 0;
  size_t n = 0;
  mpg_rc rc;
  out[0] = '\0';
  query.rows.filters[0] = q->filter;
  query.rows.n_filters = q->filtered;
  mpg_columns_init(&columns, env);
  rc = mpg_paths_expand(&paths, env, mpg_str_of(path), &err);
  if (rc == MPG_OK)
    rc = mpg_rows_declare(query.format, &columns, env, &options,
                          MPG_STR("a TEXT, b TEXT, v BIGINT"), &paths, &err);
  if (rc == MPG_OK)
    rc = mpg_rows_scan_open(&scan, env, &query, &paths, issues, &err);
  while (rc == MPG_OK && (rc = mpg_rows_scan_next(&scan, &err)) == MPG_OK && n + 256 < cap) {
    CHECK(mpg_rows_scan_number(&scan) > number);
    number = mpg_rows_scan_number(&scan);
    n += (size_t)snprintf(out + n, cap - n, "(");
    for (size_t k = 0; k < q->n_wanted; k++) {
      mpg_value v;
      char digits[MPG_INT_TEXT] = "-";
      mpg_str s = {digits, 1};
      if (mpg_rows_scan_column(&scan, k, &v, &unfit) != MPG_OK)
        s.p = "!";
      else if (v.type == MPG_TEXT)
        s = v.s;
      else if (v.type == MPG_INT)
        s.n = mpg_text_int(v.i, digits);
      n += (size_t)snprintf(out + n, cap - n, "%s%.*s", k > 0 ? "|" : "", (int)s.n, s.p);
    }
    if (q->lines)
      n += (size_t)snprintf(out + n, cap - n, " @%lld", (long long)mpg_rows_scan_line(&scan));
    n += (size_t)snprintf(out + n, cap - n, ")");
  }
  if (rc != MPG_OK && rc != MPG_DONE && rc != MPG_NOMEM)
    (void)snprintf(out + n, cap - n, "{%s}",
                   err.text +
                       (strncmp(err.text, folder, strlen(folder)) == 0 ? strlen(folder) + 1 : 0));
  mpg_rows_scan_close(&scan);
  mpg_columns_free(&columns);
  if (paths.env != NULL)
    mpg_paths_free(&paths);
  return rc;
}

static void expect(question q, const char *bytes, const char *expected, const char *issue) {
  const char *path = file_of_text("f", bytes);
  for (size_t b = 0; b < HOSTILE_BLOCKS; b++)
    for (q.threads = 1; q.threads <= 4; q.threads++) {
      char out[4096];
      mpg_issues issues;
      mpg_issues_init(&issues, &mpg_env_libc);
      hostile_block(hostile_blocks[b]);
      (void)render(&mpg_env_libc, &q, path, NULL, &issues, out, sizeof out);
      CHECK(strcmp(out, expected) == 0);
      if (strcmp(out, expected) != 0)
        (void)fprintf(stderr, "  %d threads, blocks of %zu\n  found    %s\n  expected %s\n",
                      q.threads, hostile_blocks[b], out, expected);
      CHECK(issue == NULL ? issues.n == 0
                          : issues.n == 1 && strcmp(issues.items[0].kind, issue) == 0);
      mpg_issues_free(&issues);
    }
  hostile_block(0);
}

static const question all = {.n_wanted = 3, .lines = true};

static void test_rows(void) {
  question q = all;
  expect(q, "a,b,v\n", "", NULL);
  expect(q, "a,b,v\nx,y,1\nx,,3\n\nz,y,\n", "(x|y|1 @2)(x|-|3 @3)(z|y|- @5)", NULL);
  expect(q, "a,b,v\r\nx,y,1\r\n\"x\",\"p\"\"q\", 2 \r\n\r\nx,y,12345678901\r\n",
         "(x|y|1 @2)(x|p\"q|2 @3)(x|y|12345678901 @5)", NULL);
  expect(q, "a,b,v\nx,y,1\nx,\"p\nq\",2\nx,y,-7\n", "(x|y|1 @2)(x|p\nq|2 @3)(x|y|-7 @5)", NULL);
  /* What does not fit is an error where it is asked for. */
  expect(q, "a,b,v\nx,y,1\nx,y,w\nx,y,3\n", "(x|y|1 @2)(x|y|! @3)(x|y|3 @4)", NULL);
  expect(q, "a,b,v\nx,y,1\nx,y\nx,y,3\n",
         "(x|y|1 @2){f:3:4: expected 3 fields, as in the header, found 2}", NULL);
  expect(q, "a,b,v\nx,y,1\nx", "(x|y|1 @2)", "unfinished_record");
  expect(q, "", "{f: expected records, found an empty file}", NULL);
  q.n_wanted = 0;
  expect(q, "a,b,v\nx,y,1\n\"x\",,3\nz,y,w\n", "( @2)( @3)( @4)", NULL);
  q.lines = false;
  expect(q, "a,b,v\nx,y,1\n\"x\",,3\nz,y,w\n", "()()()", NULL);
  q = all;
  q.skip = true;
  expect(q, "a,b,v\nx,y,1\nx,y\nx,y,three\nx,y,3\n", "(x|y|1 @2)(x|y|3 @5)", "skipped_record");
  q.n_wanted = 1;
  expect(q, "a,b,v\nx,y,1\nx,y,three\nx,y,3\n", "(x @2)(x @3)(x @4)", NULL);
  expect(q, "a,b,v\nx,y,1\nx,\"y\nz,w,3\n", "(x @2)", "skipped_record");
}

static void test_json(void) {
  question q = all;
  q.json = true;
  expect(q,
         "{\"a\":\"x\",\"b\":\"y\",\"v\":1}\n{\"a\":\"x\",\"v\":2,\"b\":\"y\"}\n"
         "{\"a\":\"\\u0078\",\"b\":null,\"v\":null}\n{\"a\":[1, 2],\"v\":true}\n",
         "(x|y|1 @1)(x|y|2 @2)(x|-|- @3)([1, 2]|-|1 @4)", NULL);
  expect(q, "[{\"a\":\"x\",\"b\":\"y\",\"v\":1},\n{\"a\":\"\\u0078\\n\",\"v\":2,\"b\":\"y\"}]",
         "(x|y|1 @1)(x\n|y|2 @2)", NULL);
  expect(q, "{\"a\":\"x\",\"b\":\"y\",\"v\":1}\n{\"a\":\"x\",\"v\":\"w\"}\n{\"a\":\"z\"}\n",
         "(x|y|1 @1)(x|-|! @2)(z|-|- @3)", NULL);
  q.skip = true;
  expect(q, "{\"a\":\"x\",\"b\":\"y\",\"v\":1}\n{\"a\":\"x\",\"v\":\"w\"}\n{\"a\":\"z\"}\n",
         "(x|y|1 @1)(z|-|- @3)", "skipped_record");
}

static void test_filtered(void) {
  question q = all;
  q.filtered = true;
  q.filter = (mpg_rows_filter){.column = 2, .op = MPG_ROWS_GE, .value = whole(2)};
  expect(q, "a,b,v\nx,y,1\nx,\"\",3\nz,y,\nz,y,2\n", "(x|-|3 @3)(z|y|2 @5)", NULL);
  /* A value that is compared must fit. */
  expect(q, "a,b,v\nx,y,5\nx,y,w\nx,y,3\n",
         "(x|y|5 @2){f:3:5: expected a whole number within 64 bits for v, found \"w\" (nulls='w' "
         "reads it as NULL, types='v TEXT' the column as text)}",
         NULL);
  q.n_wanted = 0;
  expect(q, "a,b,v\nx,y,1\nx,\"\",3\nz,y,\nz,y,2\n", "( @3)( @5)", NULL);
  q.filter = (mpg_rows_filter){.column = 0, .value = text("z")};
  expect(q, "a,b,v\nx,y,1\n\"z\",\"\",w\nz,y,\nx,y,2\n", "( @3)( @4)", NULL);
}

/* With one thread each row is there once; with several, first rows are never left out. */
static void test_distinct(void) {
  question q = {.n_wanted = 2, .distinct = true, .threads = 1};
  char out[512];
  mpg_issues issues;
  mpg_issues_init(&issues, &mpg_env_libc);
  CHECK(render(&mpg_env_libc, &q,
               file_of_text("f", "a,b,v\nx,y,1\nx,y,2\n\"x\",y,3\nx,,4\ny,x,5\nx,,6\nxy,,7\n"),
               NULL, &issues, out, sizeof out) == MPG_DONE);
  CHECK(strcmp(out, "(x|y)(x|-)(y|x)(xy|-)") == 0);
  q.n_wanted = 3; /* a value that does not fit is told as often as it is there */
  CHECK(render(&mpg_env_libc, &q,
               file_of_text("f", "a,b,v\nx,y,1\nx,y,01\nx,y,w\nx,,\nx,y,w\nx,,\nx,y,1\n"), NULL,
               &issues, out, sizeof out) == MPG_DONE);
  CHECK(strcmp(out, "(x|y|1)(x|y|!)(x|-|-)(x|y|!)") == 0);
  q.filtered = true; /* of a row that does not pass nothing is known */
  q.filter = (mpg_rows_filter){.column = 2, .value = whole(2)};
  q.n_wanted = 2;
  CHECK(render(&mpg_env_libc, &q,
               file_of_text("f", "a,b,v\nx,y,1\nx,y,2\nx,y,2\nz,,1\nx,y,1\nz,,2\n"), NULL, &issues,
               out, sizeof out) == MPG_DONE);
  CHECK(strcmp(out, "(x|y)(z|-)") == 0);
  q.filtered = false;
  q.n_wanted = 0;
  CHECK(render(&mpg_env_libc, &q, file_of_text("f", "a,b,v\nx,y,1\nx,y,2\n"), NULL, &issues, out,
               sizeof out) == MPG_DONE);
  CHECK(strcmp(out, "()") == 0);
  mpg_issues_free(&issues);
}

/* Files in order; one that is not chosen stays closed; what is wrong with one is told in its
** place. */
static void test_paths(void) {
  char out[1024], second[512];
  question q = {.n_wanted = 1};
  mpg_issues issues;
  mpg_issues_init(&issues, &mpg_env_libc);
  (void)file_of_text("p1", "a,b,v\n1,,\n");
  (void)snprintf(second, sizeof second, "%s", file_of_text("p2", "something\n"));
  (void)file_of_text("p3", "v,b,a\n,,3\n");
  for (q.threads = 1; q.threads < 4; q.threads++) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/p?", folder);
    CHECK(render(&mpg_env_libc, &q, path, NULL, &issues, out, sizeof out) == MPG_DATA);
    CHECK(strstr(out, "(1){p2:1:1: expected a header with \"a\", which") == out);
    CHECK(render(&mpg_env_libc, &q, path, second, &issues, out, sizeof out) == MPG_DONE);
    CHECK(strcmp(out, "(1)(3)") == 0);
  }
  mpg_issues_free(&issues);
}

/* Every allocation fails once, alone and with all after it: out of memory or the whole result, and
** nothing leaks. */
static void test_memory(void) {
  static const char *const texts[] = {"a,b,v\nx,y,1\n\"z\",y,2\nx\n\"w\",\"p\"\"q\",4\nx,y,1\n",
                                      "{\"a\":\"x\",\"b\":\"y\",\"v\":1}\n{\"a\":\"\\u0079\"}\n"};
  for (int which = 0; which < 4; which++) {
    const char *path = file_of_text("m", texts[which / 2]);
    question q = all;
    char rows[512], out[512];
    mpg_issues ignored;
    q.json = which >= 2;
    q.skip = true;
    q.threads = 1;
    q.distinct = which % 2 == 1;
    q.lines = !q.distinct;
    mpg_issues_init(&ignored, &mpg_env_libc);
    CHECK(render(&mpg_env_libc, &q, path, NULL, &ignored, rows, sizeof rows) == MPG_DONE);
    mpg_issues_free(&ignored);
    for (int and_after = 0; and_after < 2; and_after++) {
      bool finished = false;
      for (long i = 1; !finished && i < 1000; i++) {
        hostile h = {0, i, and_after, false, 0};
        mpg_env env = hostile_env(&h);
        mpg_issues issues;
        mpg_rc rc;
        mpg_issues_init(&issues, &env);
        rc = render(&env, &q, path, NULL, &issues, out, sizeof out);
        CHECK(h.failed ? rc == MPG_NOMEM : rc == MPG_DONE && strcmp(out, rows) == 0);
        finished = !h.failed;
        mpg_issues_free(&issues);
        CHECK(h.live == 0);
      }
      CHECK(finished);
    }
  }
}

int main(void) {
  folder_make("scan");
  test_order();
  test_filters();
  test_rows();
  test_json();
  test_filtered();
  test_distinct();
  test_paths();
  test_memory();
  folder_remove();
  return check_done("scan");
}
