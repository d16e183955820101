/*
** csv_rows.c - files of delimited text as rows: see rows.h.
**
** Files with a header may have their columns in any order. Each must have all of them; others are
** listed (undeclared_column). A record has as many fields as its header (or as there are columns),
** or it is malformed. A last record that is cut off, without a line end, is left out
** (unfinished_record).
*/
#include "rows.h"
#include "../input/place.h"
#include "../input/unfinished.h"
#include "../../base/text.h"
#include "../parse/csv.h"

#include <stdio.h>
#include <string.h>

typedef struct csv_file {
  const mpg_env *env;
  const mpg_rows_options *options;
  const mpg_columns *columns;
  const mpg_rows_query *query;
  mpg_issues *issues; /* may be NULL */
  mpg_stream *own;    /* NULL: the stream is the caller's */
  mpg_csv *csv;
  const char *path;
  size_t *at;   /* field of each column */
  size_t width; /* fields of a record */
  const mpg_str *fields;
} csv_file;

static void csv_file_close(void *p) {
  csv_file *f = p;
  mpg_csv_close(f->csv);
  if (f->own != NULL) {
    mpg_err err; /* out of memory: this issue is lost, as others are then */
    (void)mpg_stream_repaired(f->own, f->issues, &err);
  }
  mpg_stream_close(f->own);
  mpg_free(f->env, f->at);
  mpg_free(f->env, f);
}

static mpg_rc csv_file_new(csv_file **out, const mpg_env *env, const mpg_rows_options *options,
                           mpg_stream *stream, mpg_err *err) {
  mpg_csv_options o = {options->delimiter, options->no_quotes, 0};
  csv_file *f = mpg_calloc(env, sizeof *f);
  *out = f;
  if (f == NULL)
    return mpg_fail_nomem(err);
  f->env = env;
  f->options = options;
  f->path = mpg_stream_path(stream);
  return mpg_csv_open(&f->csv, env, stream, &o, err);
}

/* ---- The header ---- */

static mpg_rc at_field(const csv_file *f, size_t i, const char *expected, const char *found,
                       mpg_err *err) {
  mpg_place at = {.path = f->path};
  mpg_csv_where(f->csv, i, &at.line, &at.column);
  return mpg_expected(err, at, expected, found);
}

static mpg_str trim(mpg_str s) {
  while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
    s.n--;
  while (s.n > 0 && (*s.p == ' ' || *s.p == '\t')) {
    s.p++;
    s.n--;
  }
  return s;
}

/* The name of field i: that of the header without spaces around it; cN if there is none. */
static mpg_str field_name(mpg_str header, size_t i, char text[24]) {
  header = trim(header);
  if (header.n > 0)
    return header;
  (void)snprintf(text, 24, "c%zu", i + 1);
  return mpg_str_of(text);
}

/* Text that is nothing of the kind: JSON, or an archive. */
static mpg_rc check_header(const csv_file *f, size_t n, mpg_err *err) {
  char text[MPG_EXCERPT], found[MPG_EXCERPT + 64];
  mpg_str first = f->fields[0];
  bool json = first.n > 0 && (*first.p == '{' || (*first.p == '[' && n == 1));
  if (!json)
    return MPG_OK;
  mpg_text_excerpt(first, text);
  (void)snprintf(found, sizeof found, "\"%s\" (JSON: read it with jsonl_trace)", text);
  return at_field(f, 0, "a header that names columns", found, err);
}

/* Adds the columns that the first record names, or as many as it has fields. */
static mpg_rc add_columns(csv_file *f, mpg_columns *columns, mpg_err *err) {
  size_t n;
  mpg_rc rc = mpg_csv_next(f->csv, &f->fields, &n, err);
  if (rc == MPG_OK)
    rc = check_header(f, n, err);
  for (size_t i = 0; rc == MPG_OK && i < n; i++) {
    char text[24], excerpt[MPG_EXCERPT], found[MPG_EXCERPT + 64];
    mpg_str name = field_name(f->options->header ? f->fields[i] : (mpg_str){NULL, 0}, i, text);
    if (mpg_columns_find(columns, name) < columns->n) {
      mpg_text_excerpt(name, excerpt);
      (void)snprintf(found, sizeof found, "\"%s\" again (names='...' gives others)", excerpt);
      return at_field(f, i, "names that differ", found, err);
    }
    rc = mpg_columns_add(columns, name, MPG_COLUMN_FOUND, NULL, err);
  }
  return rc;
}

static mpg_rc fail_lacking(const csv_file *f, mpg_str name, size_t n, mpg_err *err) {
  char missing[MPG_EXCERPT], first[MPG_EXCERPT], expected[MPG_EXCERPT + 64],
      found[MPG_EXCERPT + 64];
  mpg_text_excerpt(name, missing);
  mpg_text_excerpt(f->fields[0], first);
  (void)snprintf(expected, sizeof expected, "a header with \"%s\", which the first file has",
                 missing);
  (void)snprintf(found, sizeof found, "one of %zu names from \"%s\" on", n, first);
  return at_field(f, 0, expected, found, err);
}

/* Lists field k of the header, whose name is no column's. */
static mpg_rc list_undeclared(const csv_file *f, size_t k, mpg_err *err) {
  char text[24], name[MPG_EXCERPT];
  mpg_text_excerpt(field_name(f->fields[k], k, text), name);
  if (f->issues != NULL &&
      mpg_issues_add(f->issues, MPG_WARNING, f->path, "undeclared_column", mpg_csv_line(f->csv), 1,
                     "column \"%s\" is not one of the table's: left out", name) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

/* Finds each column by its name in the header of n fields, whose names are `header`. */
static mpg_rc match_names(csv_file *f, size_t n, const mpg_columns *header, bool *used,
                          mpg_err *err) {
  const mpg_columns *columns = f->columns;
  mpg_rc rc = MPG_OK;
  for (size_t i = 0; i < columns->n; i++) {
    char text[24];
    size_t k = i; /* its place in the first file */
    if (i >= n || !mpg_str_eq_nocase(field_name(f->fields[i], i, text), columns->p[i].name))
      k = mpg_columns_find(header, columns->p[i].name);
    if (k == n)
      return fail_lacking(f, columns->p[i].name, n, err);
    f->at[i] = k;
    used[k] = true;
  }
  for (size_t k = 0; rc == MPG_OK && n > columns->n && k < n; k++)
    if (!used[k])
      rc = list_undeclared(f, k, err);
  return rc;
}

static mpg_rc match_header(csv_file *f, size_t n, mpg_err *err) {
  mpg_columns header;
  bool *used = mpg_calloc(f->env, n + 1);
  mpg_rc rc = used == NULL ? mpg_fail_nomem(err) : MPG_OK;
  mpg_columns_init(&header, f->env);
  for (size_t k = 0; rc == MPG_OK && k < n; k++) {
    char text[24];
    rc = mpg_columns_add(&header, field_name(f->fields[k], k, text), MPG_COLUMN_TEXT, NULL, err);
  }
  if (rc == MPG_OK)
    rc = match_names(f, n, &header, used, err);
  mpg_columns_free(&header);
  mpg_free(f->env, used);
  return rc;
}

static mpg_rc csv_file_begin(void **out, const mpg_env *env, const mpg_rows_query *query,
                             mpg_stream *stream, mpg_issues *issues, mpg_err *err) {
  const mpg_columns *columns = query->columns;
  csv_file *f;
  mpg_rc rc = csv_file_new(&f, env, query->options, stream, err);
  if (rc == MPG_OK) {
    f->query = query;
    f->columns = columns;
    f->issues = issues;
    f->at = mpg_calloc(env, (columns->n + 1) * sizeof *f->at);
    rc = f->at == NULL ? mpg_fail_nomem(err) : MPG_OK;
  }
  if (rc != MPG_OK) {
    if (f != NULL)
      csv_file_close(f);
    return rc;
  }
  for (size_t i = 0; i < columns->n; i++)
    f->at[i] = i;
  f->width = columns->n;
  *out = f;
  return MPG_OK;
}

static mpg_rc csv_file_header(void *p, mpg_err *err) {
  csv_file *f = p;
  size_t n = 0;
  mpg_rc rc = MPG_OK;
  if (f->options->header)
    rc = mpg_csv_next(f->csv, &f->fields, &n, err);
  if (rc != MPG_OK || !f->options->by_name)
    return rc;
  rc = check_header(f, n, err);
  f->width = n;
  return rc == MPG_OK ? match_header(f, n, err) : rc;
}

static mpg_rc csv_file_open(void **out, const mpg_env *env, const mpg_rows_query *query,
                            const char *path, mpg_issues *issues, mpg_err *err) {
  mpg_stream *stream;
  void *f = NULL;
  mpg_rc rc = mpg_stream_open(&stream, env, path, err);
  if (rc != MPG_OK)
    return rc;
  mpg_stream_repair_text(stream);
  rc = csv_file_begin(&f, env, query, stream, issues, err);
  if (f == NULL) {
    mpg_stream_close(stream);
    return rc;
  }
  ((csv_file *)f)->own = stream;
  rc = csv_file_header(f, err);
  if (rc == MPG_OK ||
      rc == MPG_DONE) { /* without a header there is no record: next returns MPG_DONE */
    *out = f;
    return MPG_OK;
  }
  csv_file_close(f);
  return rc;
}

static void csv_file_feed(void *p, mpg_stream *stream, mpg_block *block, const mpg_env *poll_env) {
  csv_file *f = p;
  f->path = mpg_stream_path(stream);
  mpg_csv_feed(f->csv, stream, block, poll_env);
}

static bool csv_file_unfeed(void *p, mpg_block *block) {
  mpg_csv_unfeed(((csv_file *)p)->csv, block);
  return true;
}

static void csv_file_like(void *p, const void *of) {
  csv_file *f = p;
  const csv_file *other = of;
  memcpy(f->at, other->at, (f->columns->n + 1) * sizeof *f->at);
  f->width = other->width;
}

static const size_t *csv_file_fields(void *p, size_t *width) {
  const csv_file *f = p;
  *width = f->width;
  return f->at;
}

/* ---- Records ---- */

static mpg_rc fail_ragged(const csv_file *f, size_t n, mpg_err *err) {
  char expected[64], found[32];
  (void)snprintf(expected, sizeof expected, "%zu field%s%s", f->width, f->width == 1 ? "" : "s",
                 f->options->header ? ", as in the header" : "");
  (void)snprintf(found, sizeof found, "%zu", n);
  return at_field(f, n < f->width ? n : f->width, expected, found, err);
}

/* The file ended within its last line: that is left out, as still being written. */
static mpg_rc unfinished(const csv_file *f, mpg_err *err) {
  mpg_rc rc = mpg_unfinished_record(f->issues, f->path, mpg_csv_line(f->csv), err);
  return rc == MPG_OK ? MPG_DONE : rc;
}

static mpg_rc csv_file_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  const csv_file *f = p;
  const mpg_column *column = &f->columns->p[i];
  mpg_str text = f->fields[f->at[i]];
  int64_t line, at;
  out->type = MPG_NULL;
  if (mpg_reading_is_null(&f->options->reading, text) ||
      mpg_column_value(&f->options->reading, column->type, column->found, text, out))
    return MPG_OK;
  /* A field of blanks alone is as empty as one without them. */
  if (trim(text).n == 0)
    return MPG_OK;
  mpg_csv_where(f->csv, f->at[i], &line, &at);
  return mpg_rows_unfit(f->path, line, at, column, text, true, err);
}

static mpg_rc csv_file_next(void *p, mpg_err *err) {
  csv_file *f = p;
  const mpg_rows_query *query = f->query;
  for (;;) {
    size_t n;
    bool pass = true;
    mpg_rc rc;
    if (mpg_csv_is_broken(f->csv)) /* already reported; every later call would report it again */
      return MPG_DONE;
    rc = mpg_csv_next(f->csv, &f->fields, &n, err);
    if (rc == MPG_DATA && mpg_csv_cut_off(f->csv))
      return unfinished(f, err);
    if (rc != MPG_OK)
      return rc;
    if (n != f->width)
      return n < f->width && mpg_csv_cut_off(f->csv) ? unfinished(f, err) : fail_ragged(f, n, err);
    if (mpg_csv_cut_off(f->csv))
      rc = mpg_no_line_end(f->issues, f->path, mpg_csv_line(f->csv), err);
    if (rc == MPG_OK && (query->n_filters > 0 || query->checked != 0))
      rc = mpg_rows_test(&mpg_csv_rows, f, query, &pass, err);
    if (rc != MPG_OK || pass)
      return rc;
  }
}

static int64_t csv_file_line(const void *p) {
  return mpg_csv_line(((const csv_file *)p)->csv);
}

static mpg_rc csv_file_record(void *p, bool whole, mpg_json_text *json, mpg_err *err) {
  csv_file *f = p;
  mpg_rc rc = mpg_json_put(json, MPG_STR("{"));
  (void)whole;
  for (size_t i = 0; rc == MPG_OK && i < f->columns->n; i++) {
    mpg_value value;
    mpg_rc read = csv_file_column(f, i, &value, err);
    if (read != MPG_OK)
      return read;
    rc = mpg_json_put_key(json, f->columns->p[i].name);
    if (rc == MPG_OK)
      rc = mpg_rows_put(json, &value);
  }
  if (rc == MPG_OK)
    rc = mpg_json_put(json, MPG_STR("}"));
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

static mpg_rc fit_type(void *p, size_t i, mpg_column_type *type, mpg_err *err) {
  const csv_file *f = p;
  mpg_str text = f->fields[f->at[i]];
  (void)err;
  if (!mpg_reading_is_null(&f->options->reading, text) && trim(text).n > 0)
    *type = mpg_column_fit(*type, text);
  return MPG_OK;
}

static mpg_rc name_columns(mpg_columns *columns, const mpg_env *env,
                           const mpg_rows_options *options, const char *path, mpg_err *err) {
  mpg_stream *stream;
  csv_file *f = NULL;
  mpg_rc rc = mpg_stream_open(&stream, env, path, err);
  if (rc != MPG_OK)
    return rc;
  mpg_stream_repair_text(stream);
  rc = csv_file_new(&f, env, options, stream, err);
  if (rc == MPG_OK)
    rc = add_columns(f, columns, err);
  if (f != NULL)
    csv_file_close(f);
  mpg_stream_close(stream);
  return rc;
}

const mpg_rows_format mpg_csv_rows = {
    .names = name_columns,
    .fit = fit_type,
    .open = csv_file_open,
    .close = csv_file_close,
    .next = csv_file_next,
    .line = csv_file_line,
    .column = csv_file_column,
    .record = csv_file_record,
    .begin = csv_file_begin,
    .header = csv_file_header,
    .feed = csv_file_feed,
    .unfeed = csv_file_unfeed,
    .like = csv_file_like,
    .fields = csv_file_fields,
};
