/* generic_sums.c - see generic_sums.h. */
#include "generic_sums.h"

#include "../../base/sort.h"
#include "../../base/text.h"

#include <math.h>
#include <string.h>

/* ---- What is summed ---- */

void mpg_summand_close(mpg_summand *s) {
  mpg_sum_expressions_free(&s->measures);
  if (s->columns.env != NULL)
    mpg_columns_free(&s->columns);
  mpg_generic_close(&s->generic);
  memset(s, 0, sizeof *s);
}

/* Finds the columns that the measures are made of. */
static mpg_rc bind_operands(mpg_summand *s, mpg_err *err) {
  for (size_t i = 0; i < s->measures.n_operands; i++) {
    size_t k = mpg_columns_find(&s->columns, s->measures.operands[i]);
    char name[MPG_EXCERPT];
    mpg_text_excerpt(s->measures.operands[i], name);
    if (k == s->columns.n)
      return mpg_fail(err, MPG_MISUSE, "measures: expected the name of a column, found \"%s\"",
                      name);
    if (s->columns.p[k].type == MPG_COLUMN_TEXT)
      return mpg_fail(err, MPG_MISUSE,
                      "measures: \"%s\" is TEXT by its first records; types='%s REAL' gives it a "
                      "type, nulls='...' texts that are NULL",
                      name, name);
    s->operands[i] = k;
    s->measures.whole[i] = s->columns.p[k].type == MPG_COLUMN_BIGINT;
  }
  mpg_sum_expressions_type(&s->measures);
  return MPG_OK;
}

mpg_rc mpg_summand_open(mpg_summand *s, const mpg_generic_kind *kind, mpg_conn *conn,
                        const mpg_value values[MPG_OPTIONS], mpg_record_iterator *iterator,
                        mpg_err *err) {
  const mpg_env *env = &conn->env;
  const mpg_value *measures = &values[MPG_OPTION_MEASURES];
  mpg_rc rc;
  memset(s, 0, sizeof *s);
  mpg_columns_init(&s->columns, env);
  rc = mpg_generic_open(&s->generic, kind, conn, values, err);
  if (rc == MPG_OK && measures->type != MPG_TEXT && measures->type != MPG_NULL)
    rc = mpg_fail_argument(err, "measures", "expressions over columns", measures);
  if (rc == MPG_OK &&
      mpg_sum_expressions_parse(
          &s->measures, env, measures->type == MPG_TEXT ? measures->s : MPG_STR(""), err) != MPG_OK)
    rc = mpg_option_fail("measures", err);
  if (rc == MPG_OK)
    rc = mpg_record_iterator_path(iterator, s->generic.path, err);
  if (rc == MPG_OK)
    rc = mpg_generic_columns(&s->generic, &s->columns, &iterator->scan.env, &iterator->paths, err);
  if (rc == MPG_OK && s->columns.n > 0)
    rc = bind_operands(s, err);
  return rc;
}

/* ---- Groups ---- */

mpg_rc mpg_sums_by(mpg_sums *sums, size_t column, mpg_err *err) {
  mpg_rollup_query *q = &sums->query;
  if (q->n_dimensions == MPG_GROUP_PARTS)
    return mpg_fail(err, MPG_LIMIT, "a query may name at most %d columns besides measures",
                    MPG_GROUP_PARTS);
  q->dimensions[q->n_dimensions++] = column;
  return MPG_OK;
}

mpg_value mpg_sums_dimension(const mpg_sums *sums, size_t group, size_t part) {
  mpg_str s = mpg_groups_part(&sums->groups, group, part);
  mpg_value v = {MPG_NULL, 0, 0.0, {NULL, 0}};
  if (s.p == NULL)
    return v;
  switch (sums->of->columns.p[sums->query.dimensions[part]].type) {
  case MPG_COLUMN_BIGINT:
    v.type = MPG_INT;
    memcpy(&v.i, s.p, sizeof v.i);
    break;
  case MPG_COLUMN_REAL:
  case MPG_COLUMN_TIME:
    v.type = MPG_REAL;
    memcpy(&v.r, s.p, sizeof v.r);
    break;
  default:
    v.type = MPG_TEXT;
    v.s = s;
  }
  return v;
}

/* NULL first; of one column all others are of one type. */
static int compare_values(const mpg_value *a, const mpg_value *b) {
  if (a->type == MPG_NULL || b->type == MPG_NULL)
    return (a->type != MPG_NULL) - (b->type != MPG_NULL);
  if (a->type == MPG_INT)
    return (a->i > b->i) - (a->i < b->i);
  if (a->type == MPG_REAL)
    return (a->r > b->r) - (a->r < b->r);
  return mpg_str_cmp(a->s, b->s);
}

static int group_order(const void *x, const void *y, void *ctx) {
  const mpg_sums *sums = ctx;
  for (size_t i = 0; i < sums->n_keys; i++) {
    mpg_value a = mpg_sums_dimension(sums, *(const uint32_t *)x, sums->keys[i].part);
    mpg_value b = mpg_sums_dimension(sums, *(const uint32_t *)y, sums->keys[i].part);
    int order = compare_values(&a, &b);
    if (order != 0)
      return sums->keys[i].down ? -order : order;
  }
  return 0;
}

static mpg_rc sort_groups(mpg_sums *sums, mpg_record_iterator *iterator, mpg_err *err) {
  size_t n = sums->groups.n;
  mpg_rc rc;
  for (size_t i = 0; i < sums->query.n_dimensions; i++)
    sums->keys[sums->n_keys++] = (mpg_sums_key){i, false};
  sums->order = mpg_malloc(&iterator->conn->env, (n + 1) * sizeof *sums->order);
  if (sums->order == NULL)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < n; i++)
    sums->order[i] = (uint32_t)i;
  rc = mpg_sort(&iterator->scan.env, sums->order, n, sizeof *sums->order, group_order, sums);
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

mpg_rc mpg_sums_read(mpg_sums *sums, const mpg_summand *of, mpg_record_iterator *iterator,
                     mpg_err *err) {
  mpg_rollup_query *q = &sums->query;
  mpg_rc rc;
  sums->of = of;
  q->format = of->generic.kind->rows;
  q->rows.options = &of->generic.options;
  q->rows.columns = &of->columns;
  q->measures = &of->measures;
  memcpy(q->operands, of->operands, sizeof q->operands);
  q->skip = of->generic.skip;
  q->threads = of->generic.threads;
  mpg_groups_init(&sums->groups, &iterator->scan.env, q->n_dimensions, of->measures.n);
  rc = mpg_rows_rollup(&sums->groups, &iterator->scan.env, q, &iterator->paths,
                       &iterator->conn->issues, err);
  return rc == MPG_OK ? sort_groups(sums, iterator, err) : rc;
}

void mpg_sums_reset(mpg_sums *sums, const mpg_env *env) {
  mpg_json_text record = sums->record;
  mpg_groups_free(&sums->groups);
  mpg_free(env, sums->order);
  memset(sums, 0, sizeof *sums);
  sums->record = record;
}

/* ---- What a group has ---- */

mpg_rc mpg_sums_measure(const mpg_sums *sums, size_t group, size_t i, mpg_value *out,
                        mpg_err *err) {
  const mpg_sum_expression *m = &sums->of->measures.p[i];
  const mpg_total *t = mpg_groups_totals(&sums->groups, group) + i;
  char name[MPG_EXCERPT];
  out->type = MPG_NULL;
  if (t->n == 0)
    return MPG_OK;
  if (m->whole) {
    out->type = MPG_INT;
    out->i = (int64_t)t->whole;
    if (out->i == t->whole)
      return MPG_OK;
    mpg_text_excerpt(m->name, name);
    return mpg_fail(err, MPG_LIMIT, "the sum of %s is beyond 64 bits", name);
  }
  out->type = MPG_REAL;
  out->r = isfinite(t->high) ? t->high + t->low : t->high;
  return MPG_OK;
}

mpg_value mpg_sums_rows(const mpg_sums *sums, size_t group) {
  return (mpg_value){MPG_INT, mpg_groups_rows(&sums->groups, group), 0.0, {NULL, 0}};
}

static mpg_rc put_member(mpg_json_text *json, mpg_str name, const mpg_value *v) {
  mpg_rc rc = mpg_json_put_key(json, name);
  return rc == MPG_OK ? mpg_rows_put(json, v) : rc;
}

mpg_rc mpg_sums_record(mpg_sums *sums, size_t group, mpg_value *out, mpg_err *err) {
  const mpg_summand *s = sums->of;
  mpg_json_text *json = &sums->record;
  mpg_value v = {MPG_NULL, 0, 0.0, {NULL, 0}};
  mpg_rc rc;
  json->n = 0;
  rc = mpg_json_put(json, MPG_STR("{"));
  for (size_t i = 0; rc == MPG_OK && i < sums->query.n_dimensions; i++) {
    v = mpg_sums_dimension(sums, group, i);
    rc = put_member(json, s->columns.p[sums->query.dimensions[i]].name, &v);
  }
  for (size_t i = 0; rc == MPG_OK && i < s->measures.n; i++) {
    if (mpg_sums_measure(sums, group, i, &v, err) != MPG_OK)
      return err->rc;
    rc = put_member(json, s->measures.p[i].name, &v);
  }
  v = mpg_sums_rows(sums, group);
  if (rc == MPG_OK)
    rc = put_member(json, MPG_STR("rows"), &v);
  if (rc == MPG_OK)
    rc = mpg_json_put(json, MPG_STR("}"));
  out->type = MPG_TEXT;
  out->s = (mpg_str){json->p, json->n};
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}
