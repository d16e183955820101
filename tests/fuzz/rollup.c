/* rollup.c - files summed by three threads, by one, and by adding up the rows that a reader gives:
** three times the same. The first byte says which kind of file it is, by how many columns, and
** whether malformed records are left out; the rest of its line what is summed; the file follows. */
#include "fuzz.h"
#include "../../ext/base/text.h"
#include "../../ext/read/rows/rows_rollup.h"

#include <stdlib.h>
#include <string.h>

#define LINES 5000 /* more groups than an input can have records */

static uint8_t flags;
static mpg_str sums;

static const mpg_rows_options options = {
    .delimiter = ',', .header = true, .by_name = true, .reading = {NULL, 0, NULL}};

/* Finds the columns that are summed, and those to group by. False: there are none such. */
static bool bind(mpg_rollup_query *q, mpg_sum_expressions *measures) {
  const mpg_columns *columns = q->rows.columns;
  for (size_t i = 0; i < measures->n_operands; i++) {
    size_t k = mpg_columns_find(columns, measures->operands[i]);
    if (k == columns->n || columns->p[k].type == MPG_COLUMN_TEXT)
      return false;
    q->operands[i] = k;
    measures->whole[i] = columns->p[k].type == MPG_COLUMN_BIGINT;
  }
  mpg_sum_expressions_type(measures);
  while (q->n_dimensions < columns->n && q->n_dimensions < (size_t)(flags >> 2) % 4) {
    q->dimensions[q->n_dimensions] = q->n_dimensions;
    q->n_dimensions++;
  }
  return true;
}

/* ---- Row by row ---- */

static mpg_rc value(const mpg_rollup_query *q, void *file, size_t column, mpg_value *v,
                    mpg_err *err) {
  mpg_rc rc = q->format->column(file, column, v, err);
  if (rc == MPG_OK && v->type == MPG_INT && q->rows.columns->p[column].type != MPG_COLUMN_BIGINT)
    *v = (mpg_value){MPG_REAL, 0, (double)v->i, {NULL, 0}};
  return rc;
}

/* As a part of a group. Of the two zeros one. */
static void put_number(const mpg_value *v, char *bytes) {
  double r = v->r == 0.0 ? 0.0 : v->r;
  memcpy(bytes, v->type == MPG_INT ? (const void *)&v->i : (const void *)&r, sizeof r);
}

static mpg_rc add_row(mpg_groups *groups, const mpg_rollup_query *q, void *file, mpg_err *err) {
  mpg_value operands[MPG_OPERANDS], v;
  mpg_group_part parts[4];
  static char bytes[4][(1 << 16) + MPG_GROUP_SLACK];
  size_t group, which;
  mpg_rc rc = MPG_OK;
  for (size_t i = 0; rc == MPG_OK && i < q->n_dimensions; i++) {
    rc = value(q, file, q->dimensions[i], &v, err);
    parts[i] = (mpg_str){bytes[i], v.type == MPG_TEXT ? v.s.n : 8};
    if (rc != MPG_OK)
      break;
    CHECK(parts[i].n + MPG_GROUP_SLACK <= sizeof bytes[i]);
    if (v.type == MPG_NULL)
      parts[i] = (mpg_str){NULL, 0};
    else if (v.type == MPG_TEXT)
      memcpy(bytes[i], v.s.p, v.s.n);
    else
      put_number(&v, bytes[i]);
  }
  for (size_t i = 0; rc == MPG_OK && i < q->measures->n_operands; i++)
    rc = value(q, file, q->operands[i], &operands[i], err);
  if (rc == MPG_OK)
    rc = mpg_groups_row(groups, parts, &group);
  if (rc == MPG_OK)
    rc = mpg_sum_expressions_add(q->measures, operands, mpg_groups_totals(groups, group), &which);
  return rc;
}

static mpg_rc one_by_one(mpg_groups *groups, const mpg_env *env, const mpg_rollup_query *q,
                         mpg_issues *issues, mpg_err *err) {
  void *file = NULL;
  mpg_rc rc = q->format->open(&file, env, &q->rows, fuzz_path(), issues, err);
  while (rc == MPG_OK || (rc == MPG_DATA && file != NULL && q->skip)) {
    rc = q->format->next(file, err);
    if (rc == MPG_OK)
      rc = add_row(groups, q, file, err);
  }
  if (file != NULL)
    q->format->close(file);
  return rc == MPG_DONE ? MPG_OK : rc;
}

/* ---- What comes out ---- */

static int compare(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A line for each group, in order. Of sums in doubles the last bit may differ. */
static void show(const mpg_groups *groups, const mpg_sum_expressions *measures, fuzz_text *out) {
  static fuzz_text text;
  static const char *lines[LINES];
  char sum[MPG_INT_TEXT];
  CHECK(groups->n <= LINES);
  text.n = 0;
  for (size_t g = 0; g < groups->n; g++) {
    lines[g] = text.p + text.n;
    for (size_t i = 0; i < groups->n_parts; i++) {
      mpg_group_part part = mpg_groups_part(groups, g, i);
      fuzz_put(&text, part.p == NULL ? "-|" : "%zu:", part.n);
      for (size_t k = 0; part.p != NULL && k < part.n; k++)
        fuzz_put(&text, "%02x", (unsigned)(unsigned char)part.p[k]);
    }
    fuzz_put(&text, " %lld", (long long)mpg_groups_rows(groups, g));
    for (size_t i = 0; i < measures->n; i++) {
      const mpg_total *t = mpg_groups_totals(groups, g) + i;
      (void)mpg_text_int(t->whole, sum);
      fuzz_put(&text, " %llu=%s", (unsigned long long)t->n, measures->p[i].whole ? sum : "");
    }
    text.n += text.n + 1 < sizeof text.p; /* keeps the NUL */
    text.p[text.n] = '\0';
  }
  qsort(lines, groups->n, sizeof *lines, compare);
  for (size_t g = 0; g < groups->n; g++)
    fuzz_put(out, "%s\n", lines[g]);
}

static mpg_rc sum_up(const mpg_env *env, const mpg_rollup_query *q, const mpg_paths *paths,
                     int threads, fuzz_text *out) {
  mpg_rollup_query query = *q;
  mpg_groups groups;
  mpg_issues issues;
  mpg_err err;
  mpg_rc rc;
  query.threads = threads;
  out->n = 0;
  out->p[0] = '\0';
  mpg_issues_init(&issues, env);
  mpg_groups_init(&groups, env, q->n_dimensions, q->measures->n);
  rc = threads > 0 ? mpg_rows_rollup(&groups, env, &query, paths, &issues, &err)
                   : one_by_one(&groups, env, &query, &issues, &err);
  if (rc == MPG_OK)
    show(&groups, q->measures, out);
  else if (threads > 0)
    fuzz_put(out, "!%s\n", err.text);
  if (threads > 0)
    fuzz_put_issues(out, &issues);
  mpg_groups_free(&groups);
  mpg_issues_free(&issues);
  return rc;
}

static mpg_rc sum_up_thrice(const mpg_env *env, const mpg_rollup_query *q, const mpg_paths *paths,
                            fuzz_text *out) {
  static fuzz_text by_one, by_three, by_rows;
  mpg_rc one = sum_up(env, q, paths, 1, &by_one), three = sum_up(env, q, paths, 3, &by_three);
  mpg_rc rows = sum_up(env, q, paths, 0, &by_rows);
  if (fuzz_cut_short(one) || fuzz_cut_short(three) || fuzz_cut_short(rows))
    return fuzz_cut_short(one) ? one : fuzz_cut_short(three) ? three : rows;
  CHECK(one == three && strcmp(by_one.p, by_three.p) == 0);
  CHECK((one == MPG_OK) == (rows == MPG_OK));
  CHECK(one != MPG_OK || strncmp(by_one.p, by_rows.p, by_rows.n) == 0);
  fuzz_put_str(out, (mpg_str){by_one.p, by_one.n});
  return MPG_DONE;
}

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_columns columns;
  mpg_sum_expressions measures;
  mpg_paths paths;
  mpg_rollup_query q = {.format = flags % 2 == 0 ? &mpg_csv_rows : &mpg_json_rows,
                        .rows = {.options = &options, .columns = &columns},
                        .measures = &measures,
                        .skip = (flags & 2) != 0};
  mpg_err err;
  mpg_rc rc = mpg_paths_expand(&paths, env, mpg_str_of(fuzz_path()), &err);
  (void)input;
  mpg_columns_init(&columns, env);
  memset(&measures, 0, sizeof measures);
  if (rc == MPG_OK)
    rc = mpg_sum_expressions_parse(&measures, env, sums, &err);
  if (rc == MPG_OK)
    rc = mpg_rows_declare(q.format, &columns, env, &options, (mpg_str){NULL, 0}, &paths, &err);
  if (rc != MPG_OK)
    fuzz_put(out, "!%s\n", err.text);
  else if (columns.n > 0 && bind(&q, &measures))
    rc = sum_up_thrice(env, &q, &paths, out);
  mpg_sum_expressions_free(&measures);
  mpg_columns_free(&columns);
  mpg_paths_free(&paths);
  return rc == MPG_OK ? MPG_DONE : rc;
}

void fuzz_rollup(mpg_str input) {
  const char *end = input.n == 0 ? NULL : memchr(input.p + 1, '\n', input.n - 1);
  if (end == NULL)
    return;
  flags = (uint8_t)input.p[0];
  sums = (mpg_str){input.p + 1, (size_t)(end - input.p) - 1};
  fuzz_file(render, flags % 2 == 0 ? "rows.csv" : "rows.jsonl",
            (mpg_str){end + 1, input.n - (size_t)(end + 1 - input.p)});
}
