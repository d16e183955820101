/* Tests of ext/read/rows/columns.c, json_path.c, rows.c, csv_rows.c and json_rows.c. */
#include "folder.h"
#include "hostile.h"
#include "../../ext/read/parse/json_fast.h"
#include "../../ext/read/rows/rows.h"

#include <unistd.h>

static bool is(mpg_str s, const char *text) {
  return mpg_str_eq(s, mpg_str_of(text));
}

/* ---- Columns in text ---- */

static void show_columns(const mpg_columns *columns, char *out, size_t cap) {
  size_t n = 0;
  out[0] = '\0';
  for (size_t i = 0; i < columns->n; i++) {
    const mpg_column *c = &columns->p[i];
    n += (size_t)snprintf(out + n, cap - n, "(%.*s%s%s)", (int)c->name.n, c->name.p,
                          c->path != NULL ? " $" : "",
                          c->type == MPG_COLUMN_FOUND ? "" : mpg_column_type_name(c->type));
  }
}

static void expect_columns(mpg_columns_form form, const char *text, const char *expected) {
  mpg_columns columns;
  mpg_err err;
  char out[256];
  mpg_columns_init(&columns, &mpg_env_libc);
  if (mpg_columns_parse(&columns, mpg_str_of(text), form, &err) == MPG_OK)
    show_columns(&columns, out, sizeof out);
  else
    (void)snprintf(out, sizeof out, "%.250s", err.text);
  CHECK(strcmp(out, expected) == 0);
  if (strcmp(out, expected) != 0)
    (void)fprintf(stderr, "  found    %s\n  expected %s\n", out, expected);
  mpg_columns_free(&columns);
}

static void test_lists(void) {
  expect_columns(MPG_COLUMNS_NAMES, "a, b c ,\"d,\"\"e\"\"\"", "(a)(b c)(d,\"e\")");
  expect_columns(MPG_COLUMNS_NAMES, "a,A", "expected names that differ, found \"A\"");
  expect_columns(MPG_COLUMNS_NAMES, "a,", "expected a name, found \"\"");
  expect_columns(MPG_COLUMNS_NAMES, "", "expected a name, found \"\"");
  expect_columns(MPG_COLUMNS_TYPES, "a BIGINT, \"b c\" text,d timestamp",
                 "(aBIGINT)(b cTEXT)(dTIME)");
  expect_columns(MPG_COLUMNS_TYPES, "a",
                 "expected NAME and BIGINT, REAL, TEXT or TIME, found \"a\"");
  expect_columns(MPG_COLUMNS_TYPES, "a BLOB",
                 "expected NAME and BIGINT, REAL, TEXT or TIME, found \"a BLOB\"");
  expect_columns(MPG_COLUMNS_PATHS, "job $.jobid TEXT, n $.a[0].\"x y\" BIGINT, plain, r REAL",
                 "(job $TEXT)(n $BIGINT)(plain)(rREAL)");
  expect_columns(MPG_COLUMNS_PATHS, "a $.b c",
                 "expected NAME, NAME $.PATH, NAME TYPE or NAME $.PATH TYPE, with BIGINT, REAL, "
                 "TEXT or TIME as the type, found \"a $.b c\"");
  expect_columns(MPG_COLUMNS_PATHS, "a $x", "path \"$x\": expected '.' or '[' at byte 2");
  expect_columns(MPG_COLUMNS_PATHS, "a $", "path \"$\": expected '.' or '[' at byte 2");
  expect_columns(MPG_COLUMNS_PATHS, "a $.",
                 "path \"$.\": expected a name behind the dot at byte 3");
  expect_columns(MPG_COLUMNS_PATHS, "a $[x]", "path \"$[x]\": expected a number and ']' at byte 3");
  expect_columns(MPG_COLUMNS_PATHS, "a $[#-0]",
                 "path \"$[#-0]\": expected a number and ']' at byte 5");
}

static void test_fit(void) {
  static const struct {
    const char *texts;
    mpg_column_type type;
  } cases[] = {{"1|2|-3", MPG_COLUMN_BIGINT},
               {"1|2.5|3", MPG_COLUMN_REAL},
               {"2.5|1e9", MPG_COLUMN_REAL},
               {" 7|8 ", MPG_COLUMN_BIGINT},
               {"007", MPG_COLUMN_TEXT},
               {"0|0.5|-0", MPG_COLUMN_REAL},
               {"9223372036854775807", MPG_COLUMN_BIGINT},
               {"9223372036854775808", MPG_COLUMN_TEXT},
               {"1|x|2", MPG_COLUMN_TEXT},
               {"nan", MPG_COLUMN_TEXT},
               {"2020-01-01", MPG_COLUMN_TEXT}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    mpg_column_type type = MPG_COLUMN_FOUND;
    for (const char *p = cases[i].texts; p != NULL;) {
      const char *bar = strchr(p, '|');
      type = mpg_column_fit(type, (mpg_str){p, bar == NULL ? strlen(p) : (size_t)(bar - p)});
      p = bar == NULL ? NULL : bar + 1;
    }
    CHECK(type == cases[i].type);
  }
}

static void test_values(void) {
  static const mpg_str nulls[] = {{"NA", 2}, {"-", 1}};
  mpg_zone *zone = NULL;
  mpg_err err;
  mpg_reading plain = {nulls, 2, NULL}, local = {NULL, 0, NULL};
  mpg_value v;
  CHECK(mpg_zone_open(&zone, &mpg_env_libc, MPG_STR("America/Los_Angeles"), MPG_ZONE_FOLDER,
                      &err) == MPG_OK);
  local.zone = zone;
  CHECK(mpg_reading_is_null(&plain, MPG_STR("")) && mpg_reading_is_null(&plain, MPG_STR("NA")));
  CHECK(mpg_reading_is_null(&plain, MPG_STR("-")) && !mpg_reading_is_null(&plain, MPG_STR("na")));
  CHECK(mpg_column_read(&plain, MPG_COLUMN_BIGINT, MPG_STR(" 12 "), &v) && v.type == MPG_INT &&
        v.i == 12);
  CHECK(!mpg_column_read(&plain, MPG_COLUMN_BIGINT, MPG_STR("1.0"), &v) && v.type == MPG_NULL);
  CHECK(!mpg_column_read(&plain, MPG_COLUMN_BIGINT, MPG_STR("9223372036854775808"), &v));
  CHECK(mpg_column_read(&plain, MPG_COLUMN_REAL, MPG_STR("7"), &v) && v.type == MPG_REAL &&
        v.r == 7.0);
  CHECK(!mpg_column_read(&plain, MPG_COLUMN_REAL, MPG_STR("inf"), &v));
  CHECK(mpg_column_read(&plain, MPG_COLUMN_TEXT, MPG_STR(" x "), &v) && is(v.s, " x "));
  CHECK(mpg_column_read(&plain, MPG_COLUMN_TIME, MPG_STR("2017-10-07 01:12:09"), &v) &&
        v.type == MPG_REAL && v.r == 1507338729.0);
  /* Seven hours behind in October; a zone in the text is the text's own. */
  CHECK(mpg_column_read(&local, MPG_COLUMN_TIME, MPG_STR("2017-10-07 01:12:09.5"), &v) &&
        v.r == 1507338729.5 + 7 * 3600);
  CHECK(mpg_column_read(&local, MPG_COLUMN_TIME, MPG_STR("2017-10-07T01:12:09Z"), &v) &&
        v.r == 1507338729.0);
  CHECK(mpg_column_read(&local, MPG_COLUMN_TIME, MPG_STR("2017-10-07 01:12:09+08:00"), &v) &&
        v.r == 1507338729.0 - 8 * 3600);
  CHECK(mpg_column_read(&local, MPG_COLUMN_TIME, MPG_STR("12.25"), &v) && v.r == 12.25);
  CHECK(!mpg_column_read(&local, MPG_COLUMN_TIME, MPG_STR("soon"), &v));
  mpg_zone_free(zone);
}

static void test_paths(void) {
  static const char record[] =
      "{\"a\": {\"b\": [10, {\"c d\": \"x\"}, 30]}, \"e\": \"f\", \"\": 5}";
  static const struct {
    const char *path, *found; /* NULL: nothing */
  } cases[] = {{"$.a.b[0]", "10"}, {"$.a.b[#-1]", "30"}, {"$.a.b[1].\"c d\"", "x"},
               {"$.a.b[3]", NULL}, {"$.a.b[#-4]", NULL}, {"$.a.b[#-3]", "10"},
               {"$.a.x", NULL},    {"$.e", "f"},         {"$.e.f", NULL},
               {"$.e[0]", NULL},   {"$[0]", NULL},       {"$.a.b", "[10, {\"c d\": \"x\"}, 30]"},
               {"$.\"\"", "5"},    {"$.a[0]", NULL}};
  mpg_json_docs docs = {{NULL}};
  mpg_json_doc *doc = NULL;
  const mpg_json_member *members;
  size_t n;
  mpg_err err;
  CHECK(mpg_json_parse(&doc, &mpg_env_libc, "t", mpg_str_of(record), &members, &n, &err) == MPG_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    mpg_json_path *path;
    const mpg_json_member *m;
    size_t hint = 0;
    CHECK(mpg_json_path_compile(&path, &mpg_env_libc, mpg_str_of(cases[i].path), &err) == MPG_OK);
    for (int again = 0; again < 2; again++) {
      CHECK(mpg_json_path_find(path, &docs, &mpg_env_libc, members, n, &hint, &m, &err) == MPG_OK);
      CHECK(cases[i].found == NULL ? m == NULL : m != NULL && is(m->text, cases[i].found));
    }
    mpg_json_path_free(path, &mpg_env_libc);
  }
  mpg_json_docs_free(&docs);
  mpg_json_doc_free(doc);
}

/* What is taken as usual is what the reader of all JSON takes, and the same of it; and what is not
** JSON is never usual. */
static void test_usual(void) {
  static const char *const good[] = {
      "{\"a\":1}",
      "{\"a\": -0.5e+3, \"b\": \"x y\"}",
      "{\"b\":null,\"a\":true,\"a key of more than sixteen bytes\":false}",
      "{\"a\":0,\"b\":\"\"}",
      "{\"a\":10,\"b\":\"a string of more than sixteen bytes, to be sure\"}",
      "{\"a\":\"\xc3\xa9\",\"b\":\"a long one, \xe5\x8d\x83\xe9\x97\xae, that goes on\"}"};
  static const char *const odd[] = {"{}",
                                    "{ \"a\":1}",
                                    "{\"a\" :1}",
                                    "{\"a\":1 }",
                                    "{\"a\":1,\"a\":2}",
                                    "{\"c\":1}",
                                    "{\"a\":[1]}",
                                    "{\"a\":\"\\n\"}",
                                    "{\"a\":\"\xc3\"}",
                                    "{\"a\":\"\xe5\x8d\x83\xc0\x80\"}",
                                    "{\"a\":\"\xc3\xa9\\n\"}",
                                    "{\"a\":\"\xed\xa0\x80\"}",
                                    "{\"a\":01}",
                                    "{\"a\":1.}",
                                    "{\"a\":.5}",
                                    "{\"a\":-}",
                                    "{\"a\":1e}",
                                    "{\"a\":+1}",
                                    "{\"a\":nul}",
                                    "{\"a\":\"x}",
                                    "{\"a\":1",
                                    "{\"a\":",
                                    "{\"a\"",
                                    "{",
                                    "{\"a\":1,}",
                                    "{\"a\":1;\"b\":2}",
                                    "{\"a\":\"\x01\"}",
                                    "{\"a key of more than sixteen bytez\":1}"};
  mpg_json_fast *usual = calloc(1, sizeof *usual);
  mpg_json_member members[MPG_JSON_FAST_KEYS];
  uint64_t has;
  char text[256];
  if (usual == NULL)
    abort();
  CHECK(mpg_json_fast_add(usual, MPG_STR("a")) && mpg_json_fast_add(usual, MPG_STR("b")));
  CHECK(mpg_json_fast_add(usual, MPG_STR("a key of more than sixteen bytes")));
  CHECK(!mpg_json_fast_add(usual, MPG_STR("\xc3\xa9")) && !mpg_json_fast_add(usual, MPG_STR("\"")));
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    size_t n = strlen(good[i]), found = 0, count;
    const mpg_json_member *all;
    mpg_json_doc *doc = NULL;
    mpg_err err;
    memset(text, 'x', sizeof text);
    memcpy(text, good[i], n);
    CHECK(mpg_json_parse(&doc, &mpg_env_libc, "t", mpg_str_of(good[i]), &all, &count, &err) ==
          MPG_OK);
    CHECK(mpg_json_fast_object(usual, text, text + n, members, &has) == text + n);
    for (size_t k = 0; k < count; k++)
      for (size_t m = 0; m < usual->n; m++)
        if ((has >> m & 1) != 0 && members[m].key_at == all[k].key_at) {
          CHECK(members[m].kind == all[k].kind && members[m].value_at == all[k].value_at);
          CHECK(mpg_str_eq(members[m].text, all[k].text));
          found++;
        }
    CHECK(found == count && __builtin_popcountll(has) == (int)count);
    /* Cut off anywhere it is nothing. */
    for (size_t cut = 1; cut < n; cut++)
      CHECK(mpg_json_fast_object(usual, text, text + cut, members, &has) == NULL);
    mpg_json_doc_free(doc);
  }
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    memset(text, '}', sizeof text);
    memcpy(text, odd[i], strlen(odd[i]));
    CHECK(mpg_json_fast_object(usual, text, text + strlen(odd[i]), members, &has) == NULL);
  }
  free(usual);
}

/* ---- Files ---- */

static const mpg_rows_options by_header = {.delimiter = ',', .header = true, .by_name = true};
static const mpg_rows_options by_place = {.delimiter = ','};
static const mpg_rows_options json_members = {.by_name = true};

/* Columns, records as JSON and errors of the file; the columns are declared by itself. */
static mpg_rc render(const mpg_env *env, const mpg_rows_format *format,
                     const mpg_rows_options *options, const char *types, const char *path,
                     mpg_issues *issues, char *out, size_t cap) {
  mpg_paths paths;
  mpg_columns columns;
  mpg_rows_query query = {.options = options, .columns = &columns};
  mpg_json_text json = {.env = env};
  mpg_err err;
  void *file = NULL;
  size_t n, name = strlen(folder) + 1;
  mpg_rc rc;
  out[0] = '\0';
  mpg_columns_init(&columns, env);
  memset(&paths, 0, sizeof paths);
  rc = mpg_paths_expand(&paths, env, mpg_str_of(path), &err);
  if (rc == MPG_OK)
    rc = mpg_rows_declare(format, &columns, env, options, mpg_str_of(types), &paths, &err);
  show_columns(&columns, out, cap);
  n = strlen(out);
  if (rc == MPG_OK)
    rc = format->open(&file, env, &query, path, issues, &err);
  if (rc != MPG_OK && rc != MPG_NOMEM)
    n += (size_t)snprintf(out + n, cap - n, "{%s}", err.text + (rc == MPG_MISUSE ? 0 : name));
  while (file != NULL && (rc == MPG_OK || rc == MPG_DATA)) {
    rc = format->next(file, &err);
    json.n = 0;
    if (rc == MPG_OK)
      rc = format->record(file, false, &json, &err);
    if (rc == MPG_OK)
      n += (size_t)snprintf(out + n, cap - n, "%lld%.*s", (long long)format->line(file),
                            (int)json.n, json.p);
    else if (rc == MPG_DATA)
      n += (size_t)snprintf(out + n, cap - n, "{%s}", err.text + name);
  }
  if (file != NULL)
    format->close(file);
  mpg_json_text_free(&json);
  mpg_columns_free(&columns);
  if (paths.env != NULL)
    mpg_paths_free(&paths);
  return rc;
}

static void expect(const mpg_rows_format *format, const mpg_rows_options *options,
                   const char *types, const char *text, const char *expected, const char *issue) {
  const char *path = file_of("f", text, strlen(text));
  for (size_t b = 0; b < HOSTILE_BLOCKS; b++) {
    char out[2048];
    mpg_issues issues;
    mpg_rc rc;
    mpg_issues_init(&issues, &mpg_env_libc);
    hostile_block(hostile_blocks[b]);
    rc = render(&mpg_env_libc, format, options, types, path, &issues, out, sizeof out);
    CHECK(rc == MPG_DONE || rc == MPG_DATA || rc == MPG_MISUSE);
    CHECK(strcmp(out, expected) == 0);
    if (strcmp(out, expected) != 0)
      (void)fprintf(stderr, "  found    %s\n  expected %s\n", out, expected);
    CHECK(issue == NULL ? issues.n == 0
                        : issues.n == 1 && strcmp(issues.items[0].kind, issue) == 0);
    mpg_issues_free(&issues);
  }
  hostile_block(0);
}

static void test_csv(void) {
  const mpg_rows_format *csv = &mpg_csv_rows;
  expect(csv, &by_header, "", "", "", NULL);
  expect(csv, &by_header, "", "a,b\n", "(aTEXT)(bTEXT)", NULL);
  expect(csv, &by_header, "", "\xef\xbb\xbf job , n,x,\r\nj1,1,,\"a\"\"b\"\r\n\nj2,-2,0.5,\r\n",
         "(jobTEXT)(nBIGINT)(xREAL)(c4TEXT)2{\"job\":\"j1\",\"n\":1,\"x\":null,\"c4\":\"a\\\"b\"}"
         "4{\"job\":\"j2\",\"n\":-2,\"x\":0.5,\"c4\":null}",
         NULL);
  expect(csv, &by_header, "TEXT", "a,b\n1,2\n", "(aTEXT)(bTEXT)2{\"a\":\"1\",\"b\":\"2\"}", NULL);
  expect(csv, &by_header, "B real", "a,b\n1,2\n", "(aBIGINT)(bREAL)2{\"a\":1,\"b\":2.0}", NULL);
  expect(csv, &by_place, "", "1,x\n2,y\n",
         "(c1BIGINT)(c2TEXT)1{\"c1\":1,\"c2\":\"x\"}"
         "2{\"c1\":2,\"c2\":\"y\"}",
         NULL);
  /* Too many fields, too few. */
  expect(
      csv, &by_header, "", "a,b\n1,2,3\n4\n5,6\n",
      "(aBIGINT)(bBIGINT){f:2:5: expected 2 fields, as in the header, found 3}{f:3:2: expected 2 "
      "fields, as in the header, found 1}4{\"a\":5,\"b\":6}",
      NULL);
  /* A value that is none of its type. */
  expect(csv, &by_header, "a BIGINT", "x,a\ny,z\nw,1\n",
         "(xTEXT)(aBIGINT){f:2:3: expected a whole number within 64 bits for a, found \"z\" "
         "(nulls='z' reads it as NULL, types='a TEXT' the column as text)}3{\"x\":\"w\",\"a\":1}",
         NULL);
  expect(csv, &by_header, "z TEXT", "a\n1\n",
         "(aTEXT){types: expected the name of a column, found \"z\"}", NULL);
  expect(csv, &by_header, "", "a,b,A\n",
         "(aTEXT)(bTEXT){f:1:5: expected names that differ, found \"A\" "
         "again (names='...' gives others)}",
         NULL);
  expect(csv, &by_header, "", "{\"a\":1}\n",
         "{f:1:1: expected a header that names columns, found \"{\"a\":1}\" (JSON: read it with "
         "jsonl_trace)}",
         NULL);
}

static void test_csv_still_written(void) {
  const mpg_rows_format *csv = &mpg_csv_rows;
#define FIRST "(aTEXT)(bBIGINT)2{\"a\":\"x\",\"b\":1}"
  expect(csv, &by_header, "", "a,b\nx,1\ny", FIRST, "unfinished_record");
  expect(csv, &by_header, "", "a,b\nx,1\n\"y", FIRST, "unfinished_record");
  expect(csv, &by_header, "", "a,b\nx,1\ny,2", FIRST "3{\"a\":\"y\",\"b\":2}", "no_line_end");
  /* A quote that swallows the rest of a file is no record in the writing. */
  expect(csv, &by_header, "", "a,b\nx,1\n\"y,2\nz,3\n",
         FIRST "{f:3:1: expected a closing quote for the field that begins here, found end of "
               "file; the 1 line after it is not read}",
         NULL);
}

static void test_json_rows(void) {
  const mpg_rows_format *json = &mpg_json_rows;
  expect(json, &json_members, "", "", "", NULL);
  expect(json, &json_members, "", "{\"a\": 1, \"b\": null}\n{\"c\": [1, {}], \"a\": 2.5}\n",
         "(aREAL)(bTEXT)(cTEXT)1{\"a\":1.0,\"b\":null,\"c\":null}2{\"a\":2.5,\"b\":null,\"c\":[1, "
         "{}]}",
         NULL);
  expect(json, &json_members, "", "[{\"a\": true}, {\"a\": 3}]", "(aBIGINT)1{\"a\":1}1{\"a\":3}",
         NULL);
  expect(json, &json_members, "", "{\"a\": \"7\"}\n", "(aTEXT)1{\"a\":\"7\"}", NULL);
  expect(json, &json_members, "a BIGINT", "{\"a\": \"7\"}\n{\"a\": []}\n{\"a\": 8}",
         "(aBIGINT)1{\"a\":7}{f:2:7: expected a whole number within 64 bits for a, found \"[]\" "
         "(types='a TEXT' reads the column as text)}3{\"a\":8}",
         NULL);
  expect(json, &json_members, "", "{\"a\": 1}\n{\"a\": 2}\n{\"a\": 3, \"b",
         "(aBIGINT)1{\"a\":1}"
         "2{\"a\":2}",
         "unfinished_record");
  expect(json, &json_members, "", "job,gpus\n", "{f:1:1: expected an object, found 'j'}", NULL);
}

/* Between records that are usual and such that are not, in every order. */
static void test_usual_rows(void) {
  const mpg_rows_format *json = &mpg_json_rows;
  expect(
      json, &json_members, "b TEXT",
      "{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"y\"}\n\n{\"b\":\"\\u007a\",\"a\":3}\r\n{\"b\":\"z\"}"
      "{\"a\":4,\"b\":[5]}\n{\"a\":5,\"b\":\"w\"}\n",
      "(aBIGINT)(bTEXT)1{\"a\":1,\"b\":\"x\"}2{\"a\":2,\"b\":\"y\"}4{\"a\":3,\"b\":\"z\"}5{\"a\":"
      "null,"
      "\"b\":\"z\"}5{\"a\":4,\"b\":[5]}6{\"a\":5,\"b\":\"w\"}",
      NULL);
  expect(
      json, &json_members, "a BIGINT",
      "{\"a\":1}\n{\"a\":\"x\"}\n{\"a\":1}{\"a\":2.5}\n{\"a\":3}\n",
      "(aBIGINT)1{\"a\":1}{f:2:6: expected a whole number within 64 bits for a, found \"x\" "
      "(nulls='x' reads it as "
      "NULL, types='a TEXT' the column as text)}3{\"a\":1}{f:3:13: expected a whole number within "
      "64 bits for a, "
      "found \"2.5\" (types='a TEXT' reads the column as text)}4{\"a\":3}",
      NULL);
  expect(json, &json_members, "a BIGINT", "{\"a\":1}\n{\"a\":1,}\n{\"a\":2}\n",
         "(aBIGINT)1{\"a\":1}{f:2:8: expected a key in double quotes, found '}'}3{\"a\":2}", NULL);
}

/* Members that only later records have, beyond those that the columns are found from. */
static void test_undeclared(void) {
  size_t n = 0, cap = (MPG_ROWS_SAMPLE + 2) * 8;
  char *text = malloc(cap), out[512], *big = malloc(1 << 20);
  mpg_issues issues;
  const char *path;
  if (text == NULL || big == NULL)
    abort();
  for (int i = 0; i < MPG_ROWS_SAMPLE; i++)
    n += (size_t)snprintf(text + n, cap - n, "{\"a\":1}");
  path = file_of("late", text, n);
  (void)snprintf(out, sizeof out, "%s", path);
  {
    FILE *file = fopen(out, "ab");
    if (file == NULL || fputs("{\"a\":2,\"z\":3}", file) < 0 || fclose(file) != 0)
      abort();
  }
  mpg_issues_init(&issues, &mpg_env_libc);
  CHECK(render(&mpg_env_libc, &mpg_json_rows, &json_members, "", path, &issues, big, 1 << 20) ==
        MPG_DONE);
  CHECK(issues.n == 1 && strcmp(issues.items[0].kind, "undeclared_column") == 0 &&
        strcmp(issues.items[0].detail, "member \"z\" is not one of the table's: left out") == 0);
  mpg_issues_free(&issues);
  free(text);
  free(big);
}

/* Every allocation fails once, alone and with all after it: out of memory or the whole result, and
** nothing leaks. */
static void test_memory(void) {
  static const struct {
    const mpg_rows_format *format;
    const mpg_rows_options *options;
    const char *types, *text;
  } cases[] = {
      {&mpg_csv_rows, &by_header, "b TEXT", "a,b\n1,\"x\"\"y\"\n2\n3,z\nw"},
      {&mpg_json_rows, &json_members, "", "{\"a\": 1, \"b\": \"\\u0041\"}\n{\"c\": [1]}\n{\"a"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const char *path = file_of("m", cases[k].text, strlen(cases[k].text));
    char whole[1024], out[1024];
    mpg_rc rc = render(&mpg_env_libc, cases[k].format, cases[k].options, cases[k].types, path, NULL,
                       whole, sizeof whole);
    CHECK(rc == MPG_DONE);
    for (int and_after = 0; and_after < 2; and_after++) {
      bool finished = false;
      for (long i = 1; !finished && i < 500; i++) {
        hostile h = {0, i, and_after, false, 0};
        mpg_env env = hostile_env(&h);
        mpg_issues issues;
        mpg_issues_init(&issues, &env);
        rc = render(&env, cases[k].format, cases[k].options, cases[k].types, path, &issues, out,
                    sizeof out);
        CHECK(h.failed ? rc == MPG_NOMEM : rc == MPG_DONE && strcmp(out, whole) == 0);
        finished = !h.failed;
        mpg_issues_free(&issues);
        CHECK(h.live == 0);
      }
      CHECK(finished);
    }
  }
}

int main(void) {
  folder_make("rows");
  test_lists();
  test_fit();
  test_values();
  test_paths();
  test_usual();
  test_csv();
  test_csv_still_written();
  test_json_rows();
  test_usual_rows();
  test_undeclared();
  test_memory();
  folder_remove();
  return check_done("rows");
}
