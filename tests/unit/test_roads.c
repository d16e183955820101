/* Tests that every quick road of reading rows ends where the slow one does:
** ext/read/parse/csv_fast.c, json_fast.c, rows_fast.c and rows_rollup.c,
** ext/read/grouping/sum_batch.c and the numbers of number.c. */
#include "folder.h"
#include "hostile.h"
#include "../../ext/base/limits.h"
#include "../../ext/read/grouping/sum_batch.h"
#include "../../ext/base/number.h"
#include "../../ext/base/text.h"
#include "../../ext/read/parse/csv_fast.h"
#include "../../ext/read/rows/rows_rollup.h"

#include <math.h>
#include <unistd.h>

/* ---- Numbers ---- */

static void test_numbers(void) {
  static const char bytes[] = "0000123456789999..-e ,\n";
  for (int turn = 0; turn < 400000 / check_stride(8); turn++) {
    char text[64];
    size_t n = check_draw(23);
    uint64_t digits = 0;
    int64_t whole = -1;
    double quick = 0.0, slow = 1.0;
    bool one;
    mpg_str s = {text, n};
    for (size_t i = 0; i < sizeof text; i++)
      text[i] = bytes[check_draw(i < n && turn % 2 == 0 ? 16 : sizeof bytes - 1)];
    if (n > 2 && turn % 4 == 0)
      text[check_draw(n)] = '.';
    if (n > 2 && turn % 16 == 0)
      text[0] = '-';
    one = mpg_digits_parse(s.p, s.n, &digits);
    CHECK(!one || (mpg_int_parse(s, &whole) && (int64_t)digits == whole));
    CHECK(one || n == 0 || n > 16 || *text == '-' || !mpg_int_parse(s, &whole));
    if (mpg_real_quick(s.p, s.n, &quick))
      CHECK(mpg_real_parse(s, &slow) && memcmp(&quick, &slow, sizeof slow) == 0);
  }
}

/* ---- Measures ---- */

static void test_measures(void) {
  static const char *const texts[] = {"a",
                                      "a * b",
                                      "a - b * 3 + c",
                                      "c * (d - 1.5)",
                                      "-a * a - b",
                                      "a * b * a * b",
                                      "-(c - d) * 2, a + 9223372036854775807 AS e"};
  static const int64_t wholes[] = {0, 1, -1, 7, 4000000000, INT64_MAX, INT64_MIN, 123456789, 2, 3};
  static const double reals[] = {0.0, 1.5, -2.25, 1e300, -1e300, 1e-300, 0.1};
  for (int turn = 0; turn < 2000 / check_stride(4); turn++) {
    mpg_sum_expressions m;
    mpg_err err;
    char text[128];
    mpg_sum_expression_column columns[4], out;
    size_t n = 1 + check_draw(MPG_SUM_EXPRESSION_ROWS);
    const char *one = texts[check_draw(sizeof texts / sizeof *texts)];
    (void)snprintf(text, sizeof text, "%s%s",
                   strchr(one, ',') == NULL && one[1] != '\0' ? "0 + " : "", one);
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s",
                   strchr(one, ',') != NULL || one[1] == '\0' ? "" : " AS s");
    if (strchr(one, ',') != NULL)
      (void)snprintf(text, sizeof text, "-(c - d) * 2 AS s, a + 9223372036854775807 AS e");
    memset(columns, 0, sizeof columns);
    CHECK(mpg_sum_expressions_parse(&m, &mpg_env_libc, mpg_str_of(text), &err) == MPG_OK);
    for (size_t i = 0; i < m.n_operands; i++) {
      m.whole[i] = m.operands[i].p[0] < 'c';
      columns[i].nulls = 0;
      for (size_t k = 0; k < n; k++) {
        columns[i].nulls |= (uint64_t)(check_draw(8) == 0) << k;
        if (m.whole[i])
          columns[i].v.i[k] = wholes[check_draw(sizeof wholes / sizeof *wholes)];
        else
          columns[i].v.r[k] = reals[check_draw(sizeof reals / sizeof *reals)];
      }
    }
    mpg_sum_expressions_type(&m);
    for (size_t i = 0; i < m.n; i++) {
      uint64_t over;
      mpg_sum_batch(&m, &m.p[i], columns, n, &out, &over);
      for (size_t k = 0; k < n; k++) {
        mpg_value v[4];
        mpg_total totals[2] = {{0, 0, 0.0, 0.0}, {0, 0, 0.0, 0.0}}, t = {0, 0, 0.0, 0.0};
        size_t which = 0;
        mpg_rc rc;
        for (size_t c = 0; c < m.n_operands; c++)
          v[c] = (mpg_value){(columns[c].nulls >> k & 1) != 0 ? MPG_NULL
                             : m.whole[c]                     ? MPG_INT
                                                              : MPG_REAL,
                             columns[c].v.i[k],
                             columns[c].v.r[k],
                             {NULL, 0}};
        rc = mpg_sum_expressions_add(&m, v, totals, &which);
        if ((out.nulls >> k & 1) != 0 || (over >> k & 1) != 0 || (rc != MPG_OK && which < i)) {
          CHECK((out.nulls >> k & 1) == 0 || totals[i].n == 0);
          continue;
        }
        CHECK(rc == MPG_OK || which > i);
        if (m.p[i].whole)
          CHECK(mpg_total_add_whole(&t, out.v.i[k]) && t.whole == totals[i].whole);
        else
          mpg_total_add_real(&t, out.v.r[k]);
        CHECK(t.high == totals[i].high && t.low == totals[i].low);
      }
    }
    mpg_sum_expressions_free(&m);
  }
}

/* ---- Fields of delimited text ---- */

/* By vectors of 16 bytes, of 32, and of what the processor has; what it has not is the same as
** less. */
static void test_scans(void) {
  static mpg_csv_scan scans[3];
  static char text[9000 + 64];
  const mpg_csv_scan *base = &scans[0];
  for (int turn = 0; turn < 20000 / check_stride(8); turn++) {
    bool long_one = check_draw(50) == 0;
    size_t n = 0, width = 2 + check_draw(5), most = 1 + check_draw(long_one ? 9000 : 1900),
           odd = check_draw(3) == 0 ? 40 : 100000, longest = 1 + check_draw(12);
    while (n < most) {
      for (size_t f = 0; f < width && n < most; f++) {
        for (size_t k = check_draw(longest); k > 0 && n < most; k--)
          text[n++] =
              check_draw(odd) == 0 ? "\"\r\n,\t\v"[check_draw(7)] : (char)('a' + check_draw(26));
        if (n < most && f + 1 == width && check_draw(4) == 0)
          text[n++] = '\r';
        if (n < most)
          text[n++] = f + 1 < width ? ',' : '\n';
      }
    }
    memset(text + n, "\n,\"x"[check_draw(4)], 64);
    scans[0].quotes = check_draw(2) == 0;
    for (unsigned i = 0; i < 3; i++) {
      scans[i].delimiter = ',';
      scans[i].quotes = base->quotes;
      scans[i].most = i == 2 ? 0 : 16U << i;
      scans[i].width = width;
    }
    for (size_t at = 0, records = 1; records > 0 && at < n;) {
      size_t counted = mpg_csv_scan_count(&scans[0], text, n, at), end = base->end;
      records = mpg_csv_scan_next(&scans[0], text, n, at);
      for (int i = 1; i < 3; i++) {
        CHECK(mpg_csv_scan_count(&scans[i], text, n, at) == counted && scans[i].end == end);
        CHECK(mpg_csv_scan_next(&scans[i], text, n, at) == records && records <= counted);
        CHECK(memcmp(base->marks, scans[i].marks, (records * width + 1) * sizeof *base->marks) ==
              0);
      }
      for (size_t k = 0; k < records * width; k++) {
        mpg_str a = mpg_csv_scan_field(base, text, k / width, k % width);
        CHECK(memchr(a.p, '\n', a.n) == NULL && memchr(a.p, ',', a.n) == NULL &&
              memchr(a.p, '\r', a.n) == NULL);
      }
      if (records > 0)
        at = mpg_csv_scan_lf(base, records - 1) + (size_t)1;
    }
  }
}

/* ---- Files ---- */

static char file_text[40000];
static size_t file_n;
static bool huge; /* numbers are so large that their squares are soon too much */

static void put(const char *text) {
  for (; *text != '\0' && file_n < sizeof file_text; text++)
    file_text[file_n++] = *text;
}

/* One file: mostly as files are, or mostly as they are not. */
static void make_csv(size_t odd) {
  static const char *const texts[] = {"x",
                                      "yy",
                                      "pool-07",
                                      "exactly-16-bytes",
                                      "seventeen-bytes-x",
                                      "one of more than thirty-two bytes",
                                      ""};
  static const char *const numbers[] = {
      "1", "22", "12345678", "123456789", "1234567890123456", "0", "", "9007199254740993"};
  static const char *const reals[] = {"1767891265.323983",   "1768025638.63007", "0.5", "12", "",
                                      "123456789.123456789", "1767891265.32398"};
  static const char *const strange[] = {"\"q\"",
                                        "\"a,b\"",
                                        "\"l\nm\"",
                                        " 7 ",
                                        "-5",
                                        "007",
                                        "n/a",
                                        "1e3",
                                        ".5",
                                        "1.",
                                        "-0",
                                        "-0.0",
                                        "+1",
                                        "-",
                                        "x\ty",
                                        "\xc3\xa4",
                                        "9223372036854775807",
                                        "99999999999999999999",
                                        "3.5",
                                        "\"",
                                        "a\rb",
                                        "12345678901234567",
                                        "1,2",
                                        "x\ny"};
  static const char *const ends[] = {"\n", "\r\n", "\r", "\n\n"};
  size_t records = check_draw(120), usual_end = check_draw(2);
  file_n = 0;
  put("a,b,v,w");
  put(ends[usual_end]);
  for (size_t i = 0; i < records; i++) {
    for (int f = 0; f < 4; f++) {
      if (f > 0)
        put(",");
      if (check_draw(odd) == 0)
        put(strange[check_draw(sizeof strange / sizeof *strange)]);
      else if (huge && f == 2 && check_draw(8) == 0)
        put("4000000000000000000");
      else if (f < 2)
        put(texts[check_draw(sizeof texts / sizeof *texts)]);
      else
        put(f == 2 ? numbers[check_draw(sizeof numbers / sizeof *numbers)]
                   : reals[check_draw(sizeof reals / sizeof *reals)]);
    }
    if (i + 1 < records || check_draw(8) > 0)
      put(check_draw(odd) == 0 ? ends[check_draw(4)] : ends[usual_end]);
  }
}

static void make_json(size_t odd) {
  static const char *const texts[] = {"\"x\"",
                                      "\"yy\"",
                                      "\"pool-07\"",
                                      "\"exactly-16-bytes\"",
                                      "\"one of more than thirty-two bytes\"",
                                      "22",
                                      "\"22\"",
                                      "null",
                                      "\"\""};
  static const char *const numbers[] = {"1", "22",   "12345678", "123456789", "1234567890123456",
                                        "0", "null", "-7"};
  static const char *const reals[] = {
      "1767891265.323983", "1768025638.63007", "0.5", "12", "null", "1e3", "-2.5"};
  static const char *const strange[] = {"\"q\\\"\"",
                                        "\"\\u0078\"",
                                        "[1]",
                                        "{\"a\":1}",
                                        "01",
                                        "-",
                                        "-.5",
                                        "1.5.2",
                                        "\"5\"",
                                        "\"n/a\"",
                                        "true",
                                        "false",
                                        "\"\xc3\xa4\"",
                                        "9223372036854775807",
                                        "1.",
                                        "nul",
                                        "\"a",
                                        "99999999999999999999",
                                        "\"{\\\\\"",
                                        "\"a:b,c\"",
                                        "",
                                        "\"x\ty\"",
                                        "\"1\n\""};
  static const char *const names[] = {"a", "b", "v", "w", "a_member_of_a_long_name"};
  static const char *const commas[] = {",", ", ", " ,"}, *const colons[] = {":", ": ", " :"},
                           *const ends[] = {"\n", "\r\n", " \n", "\n\n"};
  size_t records = check_draw(120), comma = check_draw(2), colon = check_draw(2),
         usual_end = check_draw(2), order = check_draw(5);
  file_n = 0;
  for (size_t i = 0; i < records; i++) {
    if (check_draw(odd) == 0)
      order = check_draw(5);
    put("{");
    for (size_t f = 0; f < 5; f++) {
      size_t name = (f + order) % 5;
      if (f > 0)
        put(check_draw(odd) == 0 ? commas[check_draw(3)] : commas[comma]);
      put("\"");
      put(check_draw(odd) == 0 ? names[check_draw(5)] : names[name]);
      put("\"");
      put(check_draw(odd) == 0 ? colons[check_draw(3)] : colons[colon]);
      if (check_draw(odd) == 0)
        put(strange[check_draw(sizeof strange / sizeof *strange)]);
      else if (huge && name == 2 && check_draw(8) == 0)
        put("4000000000000000000");
      else if (name < 2 || name == 4)
        put(texts[check_draw(sizeof texts / sizeof *texts)]);
      else
        put(name == 2 ? numbers[check_draw(sizeof numbers / sizeof *numbers)]
                      : reals[check_draw(sizeof reals / sizeof *reals)]);
    }
    put("}");
    if (i + 1 < records || check_draw(8) > 0)
      put(check_draw(odd) == 0 ? ends[check_draw(4)] : ends[usual_end]);
  }
}

typedef struct question {
  bool json, skip, nulls;
  size_t dimensions[2], n_dimensions, n_filters;
  const char *types;
} question;

static int compare(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t put_part(char *to, size_t cap, mpg_str part) {
  size_t n = 0;
  if (part.p == NULL)
    return (size_t)snprintf(to, cap, "NULL ");
  for (size_t i = 0; i < part.n && n + 3 < cap; i++)
    n += (size_t)snprintf(to + n, cap - n, "%02x", (unsigned)(unsigned char)part.p[i]);
  return n + (size_t)snprintf(to + n, cap - n, " ");
}

/* Groups, what went wrong and the issues. `sums`: with those of doubles, and groups in their
** order. */
static void render(const mpg_env *env, const question *q, const char *path, int threads, bool sums,
                   char *out, size_t cap) {
  static const mpg_str nulls[] = {{"n/a", 3}, {"22", 2}};
  static char lines[4000][400];
  static char *order[4000];
  const mpg_rows_options options = {.delimiter = ',',
                                    .header = !q->json,
                                    .by_name = !q->json,
                                    .reading = {nulls, q->nulls ? 2 : 0, NULL}};
  mpg_paths paths = {0};
  mpg_columns columns;
  mpg_sum_expressions measures;
  mpg_groups groups;
  mpg_issues issues;
  mpg_rollup_query query = {
      .format = q->json ? &mpg_json_rows : &mpg_csv_rows,
      .rows = {.options = &options,
               .columns = &columns,
               .filters = {{2, MPG_ROWS_GE, {MPG_INT, 1, 0.0, {NULL, 0}}, NULL, 0, false},
                           {1, MPG_ROWS_NE, {MPG_TEXT, 0, 0.0, {"yy", 2}}, NULL, 0, false}},
               .n_filters = q->n_filters},
      .dimensions = {q->dimensions[0], q->dimensions[1]},
      .n_dimensions = q->n_dimensions,
      .measures = &measures,
      .skip = q->skip,
      .threads = threads};
  mpg_err err = {MPG_OK, ""};
  size_t n = 0;
  mpg_rc rc;
  mpg_columns_init(&columns, env);
  mpg_issues_init(&issues, env);
  rc = mpg_sum_expressions_parse(&measures, env, MPG_STR("v, w * (v - 1) AS x, v * v AS y"), &err);
  mpg_groups_init(&groups, env, q->n_dimensions, measures.n);
  if (rc == MPG_OK)
    rc = mpg_paths_expand(&paths, env, mpg_str_of(path), &err);
  if (rc == MPG_OK && !q->json)
    rc =
        mpg_rows_declare(query.format, &columns, env, &options, mpg_str_of(q->types), &paths, &err);
  if (rc == MPG_OK && q->json)
    rc = mpg_columns_parse(&columns, MPG_STR("a TEXT, b TEXT, v BIGINT, w REAL"), MPG_COLUMNS_TYPES,
                           &err);
  if (rc == MPG_OK) {
    query.operands[0] = 2;
    query.operands[1] = 3;
    measures.whole[0] = columns.p[2].type == MPG_COLUMN_BIGINT;
    measures.whole[1] = columns.p[3].type == MPG_COLUMN_BIGINT;
    mpg_sum_expressions_type(&measures);
    rc = mpg_rows_rollup(&groups, env, &query, &paths, &issues, &err);
  }
  for (size_t g = 0; rc == MPG_OK && g < groups.n && g < 4000; g++) {
    char *line = lines[g];
    size_t k = 0;
    for (size_t i = 0; i < q->n_dimensions; i++)
      k += put_part(line + k, 150, mpg_groups_part(&groups, g, i));
    k += (size_t)snprintf(line + k, 400 - k, "%lld", (long long)mpg_groups_rows(&groups, g));
    for (size_t i = 0; i < measures.n; i++) {
      const mpg_total *t = &groups.totals[g * measures.n + i];
      char sum[MPG_INT_TEXT];
      k += (size_t)snprintf(line + k, 400 - k, " %llu", (unsigned long long)t->n);
      if (measures.p[i].whole)
        k += (size_t)snprintf(line + k, 400 - k, "=%.*s", (int)mpg_text_int(t->whole, sum), sum);
      else if (sums)
        k += (size_t)snprintf(line + k, 400 - k, "=%a+%a", t->high, t->low);
    }
    order[g] = line;
  }
  if (!sums && rc == MPG_OK)
    qsort(order, groups.n, sizeof *order, compare);
  for (size_t g = 0; rc == MPG_OK && g < groups.n && g < 4000 && n + 400 < cap; g++)
    n += (size_t)snprintf(out + n, cap - n, "%s\n", order[g]);
  if (rc != MPG_OK)
    n += (size_t)snprintf(out + n, cap - n, "%d %s\n", (int)rc, err.text);
  for (size_t i = 0; i < issues.n && n + 600 < cap; i++)
    n += (size_t)snprintf(out + n, cap - n, "%s %lld %lld %.400s\n", issues.items[i].kind,
                          (long long)issues.items[i].line, (long long)issues.items[i].count,
                          issues.items[i].detail);
  out[n] = '\0';
  mpg_issues_free(&issues);
  mpg_groups_free(&groups);
  mpg_sum_expressions_free(&measures);
  mpg_columns_free(&columns);
  if (paths.env != NULL)
    mpg_paths_free(&paths);
}

static void test_files(void) {
  static char slow[1 << 20], quick[1 << 20];
  static const size_t odds[] = {100000, 400, 40, 6};
  char path[512];
  mpg_limits limits;
  mpg_env by_reader = mpg_env_libc, by_all = mpg_env_libc;
  mpg_limits usual;
  mpg_limits_init(&limits);
  mpg_limits_init(&usual);
  limits.of[MPG_LIMIT_RECORD_BYTES] = 1 << 20; /* less than plain records are looked for with */
  by_reader.limits = &limits;
  by_all.limits = &usual;
  (void)snprintf(path, sizeof path, "%s/f", folder);
  for (int turn = 0; turn < (HOSTILE_BLOCKS > 1 ? 300 : 3000); turn++) {
    static const char *const types[] = {"a TEXT, b TEXT, v BIGINT, w REAL", "TEXT",
                                        "a TEXT, b TEXT, v REAL, w TIME"};
    question q = {turn % 2 == 1,
                  check_draw(3) > 0,
                  check_draw(3) == 0,
                  {check_draw(4), check_draw(4)},
                  check_draw(3),
                  check_draw(3),
                  types[0]};
    size_t odd = odds[check_draw(4)];
    huge = check_draw(8) == 0;
    usual.of[MPG_LIMIT_GROUPS] = limits.of[MPG_LIMIT_GROUPS] = check_draw(8) == 0 ? 3 : 1000000;
    FILE *file = fopen(path, "wb");
    if (!q.json && check_draw(4) == 0 && q.n_filters == 0)
      q.types = types[2];
    if (q.json)
      make_json(odd);
    else
      make_csv(odd);
    if (file == NULL || fwrite(file_text, 1, file_n, file) != file_n || fclose(file) != 0)
      abort();
    hostile_block(0);
    for (size_t b = 0; b < HOSTILE_BLOCKS; b++) {
      hostile_block(hostile_blocks[b]);
      render(&by_reader, &q, path, 1, true, slow, sizeof slow);
      render(&by_all, &q, path, 1, true, quick, sizeof quick);
      CHECK(strcmp(slow, quick) == 0);
      if (strcmp(slow, quick) != 0) {
        (void)fprintf(stderr, "%.*s\n-- slow\n%s-- quick\n%s", (int)file_n, file_text, slow, quick);
        return;
      }
      if (huge || limits.of[MPG_LIMIT_GROUPS] == 3 || strstr(slow, "is too large") != NULL)
        continue; /* which record is too much depends on who reads which part */
      render(&by_reader, &q, path, 3, false, slow, sizeof slow);
      render(&by_all, &q, path, 3, false, quick, sizeof quick);
      CHECK(strcmp(slow, quick) == 0);
    }
  }
  hostile_block(0);
  (void)remove(path);
}

int main(void) {
  folder_make("roads");
  test_numbers();
  test_measures();
  test_scans();
  test_files();
  folder_remove();
  return check_done("roads");
}
