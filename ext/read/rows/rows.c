/* rows.c - what delimited text and JSON share: see rows.h. */
#include "rows.h"
#include "../../base/text.h"

#include <stdio.h>
#include <string.h>

/* The types of the columns that have none yet, from the first records of a file. MPG_DONE: it
** has no records. */
static mpg_rc find_types(const mpg_rows_format *format, mpg_columns *columns, const mpg_env *env,
                         const mpg_rows_options *options, mpg_column_type *found, const char *path,
                         mpg_err *err) {
  const mpg_rows_query query = {.options = options, .columns = columns};
  void *file = NULL;
  bool any = false;
  mpg_rc rc = format->open(&file, env, &query, path, NULL, err);
  for (int record = 0; rc == MPG_OK && record < MPG_ROWS_SAMPLE; record++) {
    rc = format->next(file, err);
    any |= rc == MPG_OK;
    for (size_t i = 0; rc == MPG_OK && i < columns->n; i++)
      if (columns->p[i].type == MPG_COLUMN_FOUND)
        rc = format->fit(file, i, &found[i], err);
    /* Malformed records are the query's to report, or to skip. */
    if (rc == MPG_DATA)
      rc = MPG_OK;
  }
  if (file != NULL)
    format->close(file);
  return rc == MPG_DONE && any ? MPG_OK : rc;
}

/* The types that the user gave. */
static mpg_rc give_types(mpg_columns *columns, mpg_str types, mpg_err *err) {
  mpg_columns given;
  mpg_column_type all;
  mpg_rc rc;
  if (types.n == 0)
    return MPG_OK;
  if (mpg_column_type_parse(types, &all)) {
    for (size_t i = 0; i < columns->n; i++)
      columns->p[i].type = all;
    return MPG_OK;
  }
  mpg_columns_init(&given, columns->env);
  rc = mpg_columns_parse(&given, types, MPG_COLUMNS_TYPES, err);
  for (size_t i = 0; rc == MPG_OK && i < given.n; i++) {
    size_t k = mpg_columns_find(columns, given.p[i].name);
    char text[MPG_EXCERPT];
    if (k < columns->n) {
      columns->p[k].type = given.p[i].type;
    } else {
      mpg_text_excerpt(given.p[i].name, text);
      rc = mpg_fail(err, MPG_MISUSE, "expected the name of a column, found \"%s\"", text);
    }
  }
  mpg_columns_free(&given);
  if (rc == MPG_MISUSE) {
    mpg_err what = *err;
    return mpg_fail(err, rc, "types: %.900s", what.text);
  }
  return rc;
}

static bool types_are_settled(const mpg_columns *columns) {
  for (size_t i = 0; i < columns->n; i++)
    if (columns->p[i].type == MPG_COLUMN_FOUND)
      return false;
  return columns->n > 0;
}

mpg_rc mpg_rows_declare(const mpg_rows_format *format, mpg_columns *columns, const mpg_env *env,
                        const mpg_rows_options *options, mpg_str types, const mpg_paths *paths,
                        mpg_err *err) {
  mpg_column_type *found = NULL;
  bool typed = columns->n > 0;
  mpg_rc rc = typed ? give_types(columns, types, err) : MPG_OK;
  for (size_t i = 0; rc == MPG_OK && i < paths->n && !types_are_settled(columns); i++) {
    if (columns->n == 0)
      rc = format->names(columns, env, options, paths->file[i].path, err);
    if (rc == MPG_OK && !typed)
      rc = give_types(columns, types, err);
    typed = rc == MPG_OK;
    if (rc == MPG_OK && found == NULL) {
      found = mpg_calloc(env, columns->n * sizeof *found);
      rc = found == NULL ? mpg_fail_nomem(err) : MPG_OK;
    }
    if (rc == MPG_OK)
      rc = find_types(format, columns, env, options, found, paths->file[i].path, err);
    if (rc == MPG_OK)
      break;
    if (rc == MPG_DONE)
      rc = MPG_OK;
  }
  for (size_t i = 0; i < columns->n; i++) {
    mpg_column *c = &columns->p[i];
    if (c->type != MPG_COLUMN_FOUND)
      continue;
    c->type = found == NULL || found[i] == MPG_COLUMN_FOUND ? MPG_COLUMN_TEXT
              : found[i] == MPG_COLUMN_TRUTH                ? MPG_COLUMN_BIGINT
                                                            : found[i];
    c->found = c->type != MPG_COLUMN_TEXT;
  }
  mpg_free(env, found);
  return rc;
}

mpg_rc mpg_rows_unfit(const char *path, int64_t line, int64_t column_at, const mpg_column *column,
                      mpg_str found, bool is_text, mpg_err *err) {
  mpg_value ignored;
  const mpg_reading plain = {NULL, 0, NULL};
  /* A number, were it not for the first records. */
  bool is_name = column->found && mpg_column_read(&plain, column->type, found, &ignored);
  char text[MPG_EXCERPT], name[MPG_EXCERPT], hint[3 * MPG_EXCERPT] = "";
  mpg_text_excerpt(found, text);
  mpg_text_excerpt(column->name, name);
  if (is_text)
    (void)snprintf(hint, sizeof hint, "nulls='%s' reads it as NULL, ", text);
  return mpg_fail(err, MPG_DATA,
                  "%s:%lld:%lld: expected %s for %s, found \"%s\" (%stypes='%s TEXT' %sthe column "
                  "as text)",
                  path, (long long)line, (long long)column_at,
                  is_name ? "a number as the first records have them, no name of digits,"
                          : mpg_column_expected(column->type),
                  name, text, hint, name, is_text ? "" : "reads ");
}

/* Exactly: not by way of a double, which does not hold every integer. */
static int compare_mixed(int64_t i, double r) {
  const double beyond = 9223372036854775808.0;
  int64_t whole;
  double part;
  if (r >= beyond)
    return -1;
  if (r < -beyond)
    return 1;
  whole = (int64_t)r;
  part = r - (double)whole;
  if (i != whole)
    return i < whole ? -1 : 1;
  return (part < 0.0) - (part > 0.0);
}

int mpg_rows_compare(const mpg_value *a, const mpg_value *b) {
  if (a->type == MPG_TEXT || b->type == MPG_TEXT) {
    if (a->type == b->type)
      return mpg_str_cmp(a->s, b->s);
    return a->type == MPG_TEXT ? 1 : -1;
  }
  if (a->type == MPG_INT && b->type == MPG_INT)
    return (a->i > b->i) - (a->i < b->i);
  if (a->type == MPG_INT)
    return compare_mixed(a->i, b->r);
  if (b->type == MPG_INT)
    return -compare_mixed(b->i, a->r);
  return (a->r > b->r) - (a->r < b->r);
}

bool mpg_rows_is_in(const mpg_rows_filter *filter, const mpg_value *v) {
  size_t from = 0, to = filter->n_list;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    int order = mpg_rows_compare(v, &filter->list[middle]);
    if (order == 0)
      return true;
    if (order < 0)
      to = middle;
    else
      from = middle + 1;
  }
  return false;
}

/* Whether it is none is certain, as of most dates and names; that it is one is not. */
bool mpg_rows_may_be_number(mpg_str text) {
  for (size_t i = 0; i < text.n; i++) {
    char c = text.p[i], before = i > 0 ? text.p[i - 1] : ' ';
    bool sign = (c == '+' || c == '-') && (before < '0' || before > '9');
    if (!sign && (c < '0' || c > '9') && strchr(".eE \t\n\v\f\r", c) == NULL)
      return false;
  }
  return true;
}

mpg_rc mpg_rows_test(const mpg_rows_format *format, void *file, const mpg_rows_query *query,
                     bool *pass, mpg_err *err) {
  mpg_value value;
  mpg_rc rc = MPG_OK;
  *pass = true;
  for (size_t i = 0; *pass && i < query->n_filters; i++) {
    rc = format->column(file, query->filters[i].column, &value, err);
    if (rc != MPG_OK)
      return rc;
    *pass = mpg_rows_passes(&query->filters[i], &value);
  }
  for (size_t i = 0; *pass && query->checked != 0 && i < query->columns->n && rc == MPG_OK; i++)
    if ((query->checked >> (i < 63 ? i : 63) & 1) != 0)
      rc = format->column(file, i, &value, err);
  return rc;
}

mpg_rc mpg_rows_put(mpg_json_text *json, const mpg_value *value) {
  char text[MPG_INT_TEXT > MPG_REAL_TEXT ? MPG_INT_TEXT : MPG_REAL_TEXT];
  switch (value->type) {
  case MPG_INT:
    return mpg_json_put(json, (mpg_str){text, mpg_text_int(value->i, text)});
  case MPG_REAL:
    return mpg_json_put(json, (mpg_str){text, mpg_text_real(value->r, text)});
  case MPG_TEXT:
    return mpg_json_put_string(json, value->s);
  default:
    return mpg_json_put(json, MPG_STR("null"));
  }
}
