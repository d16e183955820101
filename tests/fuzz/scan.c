/* scan.c - rows of a file read ahead by three threads, by one, and record by record: three times
** the same. The first byte says which kind of file it is, whether malformed records are left out,
** whether rows may be left out that came before, and whether lines are asked for, and of JSON
** whether columns have paths; the second which columns are. The rest of the line are those
** paths, and filters between tabs: the number of a column, an operator, a value; the file
** follows. */
#include "fuzz.h"
#include "../../ext/base/number.h"
#include "../../ext/read/input/unfinished.h"
#include "../../ext/read/rows/rows_scan.h"

#include <stdlib.h>
#include <string.h>

#define LINES 5000 /* more rows than an input can have */
#define IN_MAX 8

enum flags { JSON = 1, SKIP = 2, DISTINCT = 4, WITH_LINES = 8, PATHS = 16 };
static uint8_t flags, mask;
static mpg_str filters_text;

static const mpg_str nulls[] = {{"n/a", 3}};
static const mpg_rows_options options = {
    .delimiter = ',', .header = true, .by_name = true, .reading = {nulls, 1, NULL}};

/* ---- What is asked ---- */

static bool value_of(mpg_str text, mpg_column_type type, mpg_value *out) {
  char digits[64];
  *out = (mpg_value){MPG_TEXT, 0, 0.0, text};
  if (type == MPG_COLUMN_TEXT)
    return true;
  if (mpg_int_parse(text, &out->i)) {
    out->type = MPG_INT;
    return true;
  }
  if (text.n == 0 || text.n >= sizeof digits)
    return false;
  memcpy(digits, text.p, text.n);
  digits[text.n] = '\0';
  out->type = MPG_REAL;
  out->r = strtod(digits, NULL);
  return out->r == out->r;
}

static int in_order(const void *a, const void *b) {
  return mpg_rows_compare(a, b);
}

static mpg_str until(mpg_str *rest, char end) {
  const char *at = rest->n == 0 ? NULL : memchr(rest->p, end, rest->n);
  mpg_str s = {rest->p, at == NULL ? rest->n : (size_t)(at - rest->p)};
  rest->p += s.n + (at != NULL);
  rest->n -= s.n + (at != NULL);
  return s;
}

/* Adds what makes sense of the text of a filter. */
static void add_filter(mpg_rows_query *q, mpg_str text, mpg_value list[IN_MAX]) {
  static const char ops[] = "=!<[>]i0*"; /* as in mpg_rows_op */
  mpg_rows_filter *f = &q->filters[q->n_filters];
  const char *op = text.n < 2 || text.p[1] == '\0' ? NULL : strchr(ops, text.p[1]);
  mpg_column_type type;
  mpg_str rest;
  if (op == NULL || text.p[0] < '0' || (size_t)(text.p[0] - '0') >= q->columns->n)
    return;
  *f = (mpg_rows_filter){.column = (size_t)(text.p[0] - '0'), .op = (mpg_rows_op)(op - ops)};
  type = q->columns->p[f->column].type;
  rest = (mpg_str){text.p + 2, text.n - 2};
  if (f->op == MPG_ROWS_IN) {
    while (rest.n > 0 && f->n_list < IN_MAX)
      f->n_list += value_of(until(&rest, ';'), type, &list[f->n_list]);
    qsort(list, f->n_list, sizeof *list, in_order);
    f->list = list;
  } else if (f->op < MPG_ROWS_IN && !value_of(rest, type, &f->value)) {
    return;
  }
  q->n_filters++;
}

/* ---- Record by record ---- */

/* Exactly: a long double holds every integer of 64 bits and every double. */
static int order_of(const mpg_value *a, const mpg_value *b) {
  long double x, y;
  if (a->type == MPG_TEXT) {
    size_t n = a->s.n < b->s.n ? a->s.n : b->s.n;
    int order = n == 0 ? 0 : memcmp(a->s.p, b->s.p, n);
    return order != 0 ? order : (a->s.n > b->s.n) - (a->s.n < b->s.n);
  }
  x = a->type == MPG_INT ? (long double)a->i : (long double)a->r;
  y = b->type == MPG_INT ? (long double)b->i : (long double)b->r;
  return (x > y) - (x < y);
}

static bool passes(const mpg_rows_filter *f, const mpg_value *v) {
  bool in = false;
  int order;
  if (v->type == MPG_NULL || f->op == MPG_ROWS_NULL || f->op == MPG_ROWS_NOT_NULL)
    return (v->type == MPG_NULL) == (f->op == MPG_ROWS_NULL);
  if (f->op == MPG_ROWS_IN) {
    for (size_t i = 0; i < f->n_list; i++)
      in |= order_of(v, &f->list[i]) == 0;
    return in;
  }
  order = order_of(v, &f->value);
  switch (f->op) {
  case MPG_ROWS_EQ:
    return order == 0;
  case MPG_ROWS_NE:
    return order != 0;
  case MPG_ROWS_LT:
    return order < 0;
  case MPG_ROWS_LE:
    return order <= 0;
  case MPG_ROWS_GT:
    return order > 0;
  default:
    return order >= 0;
  }
}

/* Whether the record at hand is a row; MPG_DATA: it is malformed. */
static mpg_rc choose(const mpg_scan_query *q, void *file, bool *pass, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  *pass = true;
  for (size_t i = 0; *pass && i < q->rows.n_filters; i++) {
    mpg_value v = {MPG_NULL, 0, 0.0, {NULL, 0}};
    rc = q->format->column(file, q->rows.filters[i].column, &v, err);
    if (rc != MPG_OK)
      return rc;
    *pass = passes(&q->rows.filters[i], &v);
  }
  for (size_t i = 0; *pass && q->skip && rc == MPG_OK && i < q->rows.columns->n; i++)
    if ((q->rows.checked >> (i < 63 ? i : 63) & 1) != 0) {
      mpg_value v;
      rc = q->format->column(file, i, &v, err);
    }
  return rc;
}

static void put_value(fuzz_text *out, mpg_rc rc, const mpg_value *v, const mpg_err *err) {
  if (rc != MPG_OK) {
    fuzz_put(out, "!%s|", err->text);
  } else if (v->type == MPG_TEXT) {
    for (size_t i = 0; i < v->s.n; i++)
      fuzz_put(out, "%02x", (unsigned)(unsigned char)v->s.p[i]);
    fuzz_put(out, "t|");
  } else {
    fuzz_put_value(out, v);
  }
}

/* A NUL behind each row. */
static void end_row(fuzz_text *out, int64_t line) {
  if ((flags & WITH_LINES) != 0)
    fuzz_put(out, "@%lld", (long long)line);
  out->n += out->n + 1 < sizeof out->p;
  out->p[out->n] = '\0';
}

static mpg_rc one_by_one(const mpg_env *env, const mpg_scan_query *q, mpg_issues *issues,
                         fuzz_text *out, mpg_err *err) {
  mpg_rows_query all = {.options = q->rows.options, .columns = q->rows.columns};
  void *file = NULL;
  bool any = false, pass;
  mpg_rc rc = q->format->open(&file, env, &all, fuzz_path(), issues, err);
  while (rc == MPG_OK || (rc == MPG_DATA && file != NULL && q->skip)) {
    rc = q->format->next(file, err);
    if (rc == MPG_OK)
      rc = choose(q, file, &pass, err);
    for (size_t k = 0; rc == MPG_OK && pass && k < q->n_wanted; k++) {
      mpg_value v = {MPG_NULL, 0, 0.0, {NULL, 0}};
      rc = q->format->column(file, q->wanted[k], &v, err);
      put_value(out, rc, &v, err);
      rc = rc == MPG_DATA ? MPG_OK : rc;
    }
    if (rc == MPG_OK && pass)
      end_row(out, q->format->line(file));
    any |= rc != MPG_DONE;
  }
  if (file != NULL)
    q->format->close(file);
  if (rc == MPG_DONE && !any && !q->skip)
    rc = mpg_stream_not_empty(env, fuzz_path(), err);
  return rc == MPG_OK ? MPG_DONE : rc;
}

/* ---- Ahead ---- */

static mpg_rc ahead(const mpg_env *env, const mpg_scan_query *q, const mpg_paths *paths,
                    mpg_issues *issues, fuzz_text *out, mpg_err *err) {
  mpg_rows_scan scan;
  int64_t number = 0;
  mpg_rc rc = mpg_rows_scan_open(&scan, env, q, paths, issues, err);
  while (rc == MPG_OK && (rc = mpg_rows_scan_next(&scan, err)) == MPG_OK) {
    CHECK(mpg_rows_scan_number(&scan) > number);
    number = mpg_rows_scan_number(&scan);
    for (size_t k = 0; k < q->n_wanted; k++) {
      mpg_value v = {MPG_NULL, 0, 0.0, {NULL, 0}};
      mpg_err unfit;
      put_value(out, mpg_rows_scan_column(&scan, k, &v, &unfit), &v, &unfit);
    }
    end_row(out, q->lines ? mpg_rows_scan_line(&scan) : 0);
  }
  mpg_rows_scan_close(&scan);
  return rc;
}

/* ---- What comes out ---- */

/* A line for each row; where rows may be left out, of equal ones the first. */
static void show(const fuzz_text *rows, fuzz_text *out) {
  static const char *lines[LINES];
  size_t n = 0;
  for (size_t at = 0; at < rows->n; at += strlen(rows->p + at) + 1) {
    bool seen = false;
    for (size_t i = 0; !seen && (flags & DISTINCT) != 0 && i < n; i++)
      seen = strcmp(lines[i], rows->p + at) == 0;
    if (seen)
      continue;
    CHECK(n < LINES);
    lines[n++] = rows->p + at;
    fuzz_put(out, "%s\n", rows->p + at);
  }
}

static mpg_rc read_rows(const mpg_env *env, const mpg_scan_query *q, const mpg_paths *paths,
                        int threads, fuzz_text *out, fuzz_text *told) {
  static fuzz_text rows;
  mpg_scan_query query = *q;
  mpg_issues issues;
  mpg_err err;
  mpg_rc rc;
  query.threads = threads;
  rows.n = out->n = told->n = 0;
  rows.p[0] = out->p[0] = told->p[0] = '\0';
  mpg_issues_init(&issues, env);
  rc = threads > 0 ? ahead(env, &query, paths, &issues, &rows, &err)
                   : one_by_one(env, &query, &issues, &rows, &err);
  show(&rows, out);
  if (rc != MPG_DONE)
    fuzz_put(out, "!%s\n", err.text);
  fuzz_put_issues(told, &issues);
  mpg_issues_free(&issues);
  return rc;
}

/* Of a packed file that is damaged, how much is read before that is told depends on who reads. */
static bool is_damaged(const mpg_env *env, mpg_str file) {
  static char bytes[4096];
  mpg_stream *stream = NULL;
  size_t got = sizeof bytes;
  mpg_err err;
  mpg_rc rc = fuzz_packed(file) ? mpg_stream_open(&stream, env, fuzz_path(), &err) : MPG_OK;
  while (stream != NULL && rc == MPG_OK && got == sizeof bytes)
    rc = mpg_stream_read(stream, bytes, sizeof bytes, &got, &err);
  mpg_stream_close(stream);
  return rc != MPG_OK;
}

static mpg_rc read_thrice(const mpg_env *env, const mpg_scan_query *q, const mpg_paths *paths,
                          mpg_str file, fuzz_text *out) {
  static fuzz_text by_one, by_three, by_rows, told_by_one, told_by_three, told_by_rows;
  mpg_rc one = read_rows(env, q, paths, 1, &by_one, &told_by_one);
  mpg_rc three = read_rows(env, q, paths, 3, &by_three, &told_by_three);
  mpg_rc rows = read_rows(env, q, paths, 0, &by_rows, &told_by_rows);
  if (fuzz_cut_short(one) || fuzz_cut_short(three) || fuzz_cut_short(rows))
    return fuzz_cut_short(one) ? one : fuzz_cut_short(three) ? three : rows;
  if (!is_damaged(env, file)) {
    CHECK(one == three && strcmp(by_one.p, by_three.p) == 0);
    CHECK(strcmp(told_by_one.p, told_by_three.p) == 0);
    CHECK(one == rows && strcmp(by_one.p, by_rows.p) == 0);
  }
  fuzz_put_str(out, (mpg_str){by_one.p, by_one.n});
  fuzz_put_str(out, (mpg_str){told_by_one.p, told_by_one.n});
  return MPG_DONE;
}

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  static mpg_value lists[MPG_ROWS_FILTERS][IN_MAX];
  size_t wanted[8];
  mpg_columns columns;
  mpg_paths paths;
  mpg_scan_query q = {.format = (flags & JSON) == 0 ? &mpg_csv_rows : &mpg_json_rows,
                      .rows = {.options = &options, .columns = &columns},
                      .wanted = wanted,
                      .lines = (flags & WITH_LINES) != 0,
                      .distinct = (flags & DISTINCT) != 0,
                      .skip = (flags & SKIP) != 0};
  mpg_str rest = filters_text;
  mpg_err err;
  mpg_rc rc = mpg_paths_expand(&paths, env, mpg_str_of(fuzz_path()), &err);
  mpg_columns_init(&columns, env);
  if (rc == MPG_OK && (flags & (JSON | PATHS)) == (JSON | PATHS))
    rc = mpg_columns_parse(&columns, until(&rest, '\t'), MPG_COLUMNS_PATHS, &err);
  if (rc == MPG_OK)
    rc = mpg_rows_declare(q.format, &columns, env, &options, (mpg_str){NULL, 0}, &paths, &err);
  if (rc != MPG_OK)
    fuzz_put(out, "!%s\n", err.text);
  for (size_t i = 0; i < columns.n && i < 8; i++)
    if ((mask >> i & 1) != 0) {
      wanted[q.n_wanted++] = i;
      q.rows.checked |= q.skip ? UINT64_C(1) << i : 0;
    }
  while (rc == MPG_OK && rest.n > 0 && q.rows.n_filters < MPG_ROWS_FILTERS)
    add_filter(&q.rows, until(&rest, '\t'), lists[q.rows.n_filters]);
  if (rc == MPG_OK && columns.n > 0)
    rc = read_thrice(env, &q, &paths, input, out);
  mpg_columns_free(&columns);
  mpg_paths_free(&paths);
  return rc == MPG_OK ? MPG_DONE : rc;
}

void fuzz_scan(mpg_str input) {
  const char *end = input.n < 3 ? NULL : memchr(input.p + 2, '\n', input.n - 2);
  if (end == NULL)
    return;
  flags = (uint8_t)input.p[0];
  mask = (uint8_t)input.p[1];
  filters_text = (mpg_str){input.p + 2, (size_t)(end - input.p) - 2};
  fuzz_file(render, (flags & JSON) == 0 ? "rows.csv" : "rows.jsonl",
            (mpg_str){end + 1, input.n - (size_t)(end + 1 - input.p)});
}
