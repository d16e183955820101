/* Tests of ext/read/grouping/sum_expression.c, ext/read/parse/csv_fast.c and rows_rollup.c. */
#include "folder.h"
#include "hostile.h"
#include "../../ext/base/limits.h"
#include "../../ext/base/pipeline.h"
#include "../../ext/base/text.h"
#include "../../ext/read/parse/csv_fast.h"
#include "../../ext/read/rows/rows_rollup.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Measures ---- */

/* What `text` comes to for a = 2, b = 3, c = 0.5 (a real) and n NULL; or why it is none. */
static void expect_measure(const char *text, const char *expected) {
  static const char *const names[] = {"a", "b", "c", "n", "big"};
  static const mpg_value values[] = {{MPG_INT, 2, 0, {NULL, 0}},
                                     {MPG_INT, 3, 0, {NULL, 0}},
                                     {MPG_REAL, 0, 0.5, {NULL, 0}},
                                     {MPG_NULL, 0, 0, {NULL, 0}},
                                     {MPG_INT, INT64_MAX, 0, {NULL, 0}}};
  mpg_sum_expressions m;
  mpg_err err;
  mpg_value operands[MPG_OPERANDS];
  mpg_total totals[MPG_SUM_EXPRESSIONS] = {{0, 0, 0.0, 0.0}};
  char out[512] = "";
  size_t n = 0, which = 99;
  mpg_rc rc = mpg_sum_expressions_parse(&m, &mpg_env_libc, mpg_str_of(text), &err);
  if (rc == MPG_OK) {
    for (size_t i = 0; i < m.n_operands; i++)
      for (size_t k = 0; k < 5; k++)
        if (mpg_str_eq_nocase(m.operands[i], mpg_str_of(names[k]))) {
          operands[i] = values[k];
          m.whole[i] = k != 2;
        }
    mpg_sum_expressions_type(&m);
    /* Twice: a sum of two rows. */
    rc = mpg_sum_expressions_add(&m, operands, totals, &which);
    if (rc == MPG_OK)
      rc = mpg_sum_expressions_add(&m, operands, totals, &which);
    for (size_t i = 0; i < m.n; i++) {
      char value[MPG_INT_TEXT > MPG_REAL_TEXT ? MPG_INT_TEXT : MPG_REAL_TEXT] = "NULL";
      if (totals[i].n > 0 && m.p[i].whole)
        (void)mpg_text_int(totals[i].whole, value);
      else if (totals[i].n > 0)
        (void)mpg_text_real(totals[i].high + totals[i].low, value);
      n += (size_t)snprintf(out + n, sizeof out - n, "%s%.*s=%s", i > 0 ? "," : "",
                            (int)m.p[i].name.n, m.p[i].name.p, value);
    }
    if (rc == MPG_LIMIT)
      (void)snprintf(out, sizeof out, "limit of %zu", which);
  } else {
    (void)snprintf(out, sizeof out, "%.500s", err.text);
  }
  CHECK(strcmp(out, expected) == 0);
  if (strcmp(out, expected) != 0)
    (void)fprintf(stderr, "  found    %s\n  expected %s\n", out, expected);
  mpg_sum_expressions_free(&m);
}

static void test_measures(void) {
  char deep[200] = "";
  expect_measure("", "");
  expect_measure("a", "a=4");
  expect_measure(" A , b", "A=4,b=6");
  expect_measure("a * (b - a) AS x, a*b-a as y, -a*b as z, -(a-b)-1 as \"w w\"",
                 "x=4,y=8,z=-12,w w=0");
  expect_measure("a - b - a as left", "left=-6");
  expect_measure("c, a + c as s, 2 * 0.25 as k, 1e3 as t, 7 as i",
                 "c=1.0,s=5.0,k=1.0,t=2000.0,i=14");
  expect_measure("1e+3 as t, a * 5E-1 as h, 2e0+a as s", "t=2000.0,h=2.0,s=8.0");
  expect_measure("n, a * n as x, a", "n=NULL,x=NULL,a=4");
  expect_measure("big * big as x", "x=170141183460469231694793815568465002498");
  expect_measure("big * big * a as x", "limit of 0");
  expect_measure("big * big * a - big * big * a as x", "x=0");
  expect_measure("a, big*big*big as x", "limit of 1");
  expect_measure("c * 1e308 * 1e308 as x", "limit of 0");
  expect_measure("a +", "expected a column, a number or '(', found the end");
  expect_measure("a b", "expected an operator, AS and a name, or a comma, found \"b\"");
  expect_measure("a * b", "expected an operator, or AS and a name for the measure, found the end");
  expect_measure("(a", "expected ')' or an operator, found the end");
  expect_measure("a,", "expected a column, a number or '(', found the end");
  expect_measure("a as", "expected a name behind AS, found the end");
  expect_measure("a / b as x",
                 "expected an operator, AS and a name, or a comma, found \"/ b as x\"");
  expect_measure("1x as y", "expected a number, found \"1x as y\"");
  expect_measure("\"a", "expected a column, a number or '(', found \"\"a\"");
  expect_measure("a, a", "expected measures by different names before what follows, found the end");
  expect_measure("a-(a-(a-(a-(a-(a-(a-b)))))) as x", "x=-2");
  expect_measure("a-(a-(a-(a-(a-(a-(a-(a-b))))))) as x",
                 "a measure with parentheses that go too deep");
  memset(deep, '(', 40);
  expect_measure(deep, "expected fewer signs and parentheses, found \"((((((((\"");
}

/* The error that summing leaves is that of one rounding. */
static void test_reals(void) {
  mpg_total a = {0, 0, 0.0, 0.0}, b = {0, 0, 0.0, 0.0};
  mpg_sum_expressions m;
  mpg_err err;
  size_t which;
  CHECK(mpg_sum_expressions_parse(&m, &mpg_env_libc, MPG_STR("x"), &err) == MPG_OK);
  m.whole[0] = false;
  mpg_sum_expressions_type(&m);
  for (int i = 0; i < 1000000; i++) {
    mpg_value v = {MPG_REAL, 0, i % 2 == 0 ? 0.1 : 1e16 * (i % 4 < 2 ? 1 : -1), {NULL, 0}};
    CHECK(mpg_sum_expressions_add(&m, &v, i < 300000 ? &a : &b, &which) == MPG_OK);
  }
  CHECK(mpg_total_merge(&a, &b, false) && a.n == 1000000);
  CHECK(fabs(a.high + a.low - 50000.0) < 1e-9);
  mpg_sum_expressions_free(&m);
}

/* ---- Plain records ---- */

static void test_scan(void) {
  static char text[4096];
  mpg_csv_scan *scan = malloc(sizeof *scan);
  size_t n = 0, at = 0, records = 0;
  if (scan == NULL)
    abort();
  for (int i = 0; i < 100; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%d,\t%.*s,z\n", i, i % 7, "abcdefg");
  *scan = (mpg_csv_scan){.delimiter = ',', .quotes = true, .width = 3};
  for (size_t k; (k = mpg_csv_scan_next(scan, text, n, at)) > 0;) {
    CHECK(text[scan->marks[3]] == '\n' && text[scan->marks[1]] == ',');
    at = scan->marks[k * 3] + (size_t)1;
    records += k;
  }
  CHECK(records == 100 && at == n);
  /* What is not plain ends it: at once, or at the latest 64 bytes before. */
  for (size_t i = 0; i < 4; i++) {
    static const char odd[] = {'"', '\r', '\0', '\n'};
    char was = text[700];
    text[700] = odd[i];
    at = 0;
    for (size_t k; (k = mpg_csv_scan_next(scan, text, n, at)) > 0;)
      at = scan->marks[k * 3] + (size_t)1;
    CHECK(at <= 700 && at >= 700 - 64 - 12);
    text[700] = was;
  }
  scan->quotes = false;
  text[0] = '"';
  CHECK(mpg_csv_scan_next(scan, text, n, 0) > 0);
  scan->width = 2;
  CHECK(mpg_csv_scan_next(scan, text, n, 0) == 0);
  scan->width = 1;
  CHECK(mpg_csv_scan_next(scan,
                          "a\nb\n                                                            "
                          "                    ",
                          4, 0) == 0);
  free(scan);
}

/* ---- Files ---- */

/* Groups by columns 0 and 1 with the sums of column 2, as "(a|b rows sum)" in the order of first
** sight; errors in braces. */
static mpg_rc render(const mpg_env *env, bool json, bool skip, int threads, const char *path,
                     mpg_issues *issues, char *out, size_t cap) {
  const mpg_rows_options options = {.delimiter = ',', .header = !json, .by_name = true};
  mpg_paths paths = {0};
  mpg_columns columns;
  mpg_sum_expressions measures;
  mpg_groups groups;
  mpg_rollup_query q = {.format = json ? &mpg_json_rows : &mpg_csv_rows,
                        .rows = {.options = &options, .columns = &columns},
                        .dimensions = {0, 1},
                        .n_dimensions = 2,
                        .measures = &measures,
                        .operands = {2},
                        .skip = skip,
                        .threads = threads};
  mpg_err err;
  size_t n = 0;
  mpg_rc rc;
  out[0] = '\0';
  mpg_columns_init(&columns, env);
  mpg_groups_init(&groups, env, 2, 1);
  rc = mpg_sum_expressions_parse(&measures, env, MPG_STR("v"), &err);
  if (rc == MPG_OK)
    rc = mpg_paths_expand(&paths, env, mpg_str_of(path), &err);
  if (rc == MPG_OK)
    rc = mpg_rows_declare(q.format, &columns, env, &options, MPG_STR("v BIGINT"), &paths, &err);
  if (rc == MPG_OK) {
    measures.whole[0] = true;
    mpg_sum_expressions_type(&measures);
    rc = mpg_rows_rollup(&groups, env, &q, &paths, issues, &err);
  }
  for (size_t g = 0; rc == MPG_OK && g < groups.n; g++) {
    mpg_str a = mpg_groups_part(&groups, g, 0), b = mpg_groups_part(&groups, g, 1);
    char sum[MPG_INT_TEXT] = "NULL";
    if (groups.totals[g].n > 0)
      (void)mpg_text_int(groups.totals[g].whole, sum);
    n += (size_t)snprintf(out + n, cap - n, "(%.*s|%.*s %lld %s)", a.p == NULL ? 1 : (int)a.n,
                          a.p == NULL ? "-" : a.p, b.p == NULL ? 1 : (int)b.n,
                          b.p == NULL ? "-" : b.p, (long long)mpg_groups_rows(&groups, g), sum);
  }
  if (rc == MPG_DATA || rc == MPG_LIMIT)
    (void)snprintf(out + n, cap - n, "{%s}", err.text + strlen(folder) + 1);
  mpg_groups_free(&groups);
  mpg_sum_expressions_free(&measures);
  mpg_columns_free(&columns);
  if (paths.env != NULL)
    mpg_paths_free(&paths);
  return rc;
}

static void expect(bool json, bool skip, const char *text, const char *expected,
                   const char *issue) {
  const char *path = file_of_text("f", text);
  for (size_t b = 0; b < HOSTILE_BLOCKS; b++)
    for (int threads = 1; threads <= 3; threads += 2) {
      char out[2048];
      mpg_issues issues;
      mpg_issues_init(&issues, &mpg_env_libc);
      hostile_block(hostile_blocks[b]);
      (void)render(&mpg_env_libc, json, skip, threads, path, &issues, out, sizeof out);
      /* With several threads the order of groups is any. */
      CHECK(threads > 1 ? strlen(out) == strlen(expected) : strcmp(out, expected) == 0);
      if (threads == 1 && strcmp(out, expected) != 0)
        (void)fprintf(stderr, "  found    %s\n  expected %s\n", out, expected);
      CHECK(issue == NULL ? issues.n == 0
                          : issues.n == 1 && strcmp(issues.items[0].kind, issue) == 0);
      mpg_issues_free(&issues);
    }
  hostile_block(0);
}

static void test_files(void) {
  expect(false, false, "a,b,v\n", "", NULL);
  expect(false, false, "a,b,v\nx,y,1\nx,y,2\nx,,3\nz,y,\n", "(x|y 2 3)(x|- 1 3)(z|y 1 NULL)", NULL);
  /* Quotes, CRLF, blank lines and numbers with spaces are the reader's; what is plain again is
  ** summed with it. */
  expect(false, false, "a,b,v\r\nx,y,1\r\n\"x\",\"y\", 2 \r\n\r\nx,y,12345678901\r\n",
         "(x|y 3 12345678904)", NULL);
  expect(false, false, "a,b,v\nx,y,1\nx,\"p\nq\",2\nx,y,-7\n", "(x|y 2 -6)(x|p\nq 1 2)", NULL);
  expect(false, false, "a,b,v\nx,y,1\nx,y\nx,y,3\n",
         "{f:3:4: expected 3 fields, as in the header, found 2}", NULL);
  expect(false, true, "a,b,v\nx,y,1\nx,y\nx,y,three\nx,y,3\n", "(x|y 2 4)", "skipped_record");
  expect(false, false, "a,b,v\nx,y,1\nx,y,three\n",
         "{f:3:5: expected a whole number within 64 bits for v, found \"three\" (nulls='three' "
         "reads it as NULL, types='v TEXT' the column as text)}",
         NULL);
  expect(false, false, "a,b,v\nx,y,1\nx", "(x|y 1 1)", "unfinished_record");
  expect(true, false,
         "{\"a\":\"x\",\"b\":\"y\",\"v\":1}\n{\"a\":\"x\",\"v\":2,\"b\":\"y\"}\n"
         "{\"a\":\"\\u0078\",\"b\":null,\"v\":null}\n",
         "(x|y 2 3)(x|- 1 NULL)", NULL);
  expect(true, false, "[{\"a\":\"x\",\"b\":\"y\",\"v\":1},\n{\"a\":\"x\",\"v\":2,\"b\":\"y\"}]",
         "(x|y 2 3)", NULL);
  expect(true, true,
         "{\"a\":\"x\",\"b\":\"y\",\"v\":1}\n{\"a\":\"x\",\"b\":\"y\",\"v\":\"w\"}\n"
         "{\"a\":\"x\",\"b\":\"y\",\"v\":4}\n",
         "(x|y 2 5)", "skipped_record");
}

/* Every allocation fails once, alone and with all after it: out of memory or the whole result, and
** nothing leaks. */
static void test_memory(void) {
  static const char *const texts[] = {"a,b,v\nx,y,1\n\"z\",y,2\nx\n\"w\",y,4\n",
                                      "{\"a\":\"x\",\"b\":\"y\",\"v\":1}\n{\"a\":\"\\u0079\"}\n"};
  for (int json = 0; json < 2; json++) {
    const char *path = file_of_text("m", texts[json]);
    char whole[512], out[512];
    mpg_issues ignored;
    mpg_issues_init(&ignored, &mpg_env_libc);
    CHECK(render(&mpg_env_libc, json, true, 1, path, &ignored, whole, sizeof whole) == MPG_OK);
    mpg_issues_free(&ignored);
    for (int and_after = 0; and_after < 2; and_after++) {
      bool finished = false;
      for (long i = 1; !finished && i < 1000; i++) {
        hostile h = {0, i, and_after, false, 0};
        mpg_env env = hostile_env(&h);
        mpg_issues issues;
        mpg_rc rc;
        mpg_issues_init(&issues, &env);
        rc = render(&env, json, true, 1, path, &issues, out, sizeof out);
        CHECK(h.failed ? rc == MPG_NOMEM : rc == MPG_OK && strcmp(out, whole) == 0);
        finished = !h.failed;
        mpg_issues_free(&issues);
        CHECK(h.live == 0);
      }
      CHECK(finished);
    }
  }
}

int main(void) {
  folder_make("rollup");
  test_measures();
  test_reals();
  test_scan();
  test_files();
  test_memory();
  folder_remove();
  return check_done("rollup");
}
