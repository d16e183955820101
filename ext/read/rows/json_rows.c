/*
** json_rows.c - files of JSON as rows: JSON Lines, or arrays of objects. See rows.h.
**
** A column is a member of the record, or what a path finds in it; NULL if there is nothing, or
** null, as NaN and infinities are too (listed: not_finite). Arrays and objects are lent as JSON
** text. Where the columns are those that the first records have, a member that only later ones have
** is listed (undeclared_column). A last line that is cut off is left out (unfinished_record).
**
** Where no column has a path, records are taken as they are usually written (json_fast.h) as far as
** they are, and only the others are parsed.
*/
#include "../parse/json_fast.h"
#include "rows.h"
#include "../unwrap/unwrap.h"
#include "../input/unfinished.h"
#include "../../base/limits.h"
#include "../../base/text.h"

#include <string.h>

#define COLUMNS_FOUND 2000 /* as many as SQLite takes */

/* How a column finds its value. */
typedef struct source {
  mpg_json_path *member; /* owned, for a column that has no path of its own */
  const mpg_json_path *path;
  size_t hint;
} source;

typedef struct json_file {
  const mpg_env *env;
  const mpg_rows_options *options;
  const mpg_columns *columns;
  const mpg_rows_query *query;
  mpg_issues *issues; /* may be NULL */
  mpg_stream *own;    /* NULL: the stream is the caller's */
  mpg_json *json;
  const char *path;
  source *sources;
  mpg_json_docs docs;
  const mpg_json_member *members;
  size_t n_members;
  int64_t limit;       /* bytes of a record */
  mpg_json_fast *fast; /* its first keys are the columns; NULL: not for these columns */
  bool is_fast;        /* the current record: its members, if `has` says so */
  uint64_t has;
  size_t at[MPG_JSON_FAST_KEYS]; /* the place of each column in that record */
  mpg_json_member fast_members[MPG_JSON_FAST_KEYS];
} json_file;

static void json_file_close(void *p) {
  json_file *f = p;
  for (size_t i = 0; f->sources != NULL && i < f->columns->n; i++)
    mpg_json_path_free(f->sources[i].member, f->env);
  mpg_json_close(f->json);
  if (f->own != NULL) {
    mpg_err err; /* out of memory: this issue is lost, as others are then */
    (void)mpg_stream_repaired(f->own, f->issues, &err);
  }
  mpg_stream_close(f->own);
  mpg_json_docs_free(&f->docs);
  mpg_free(f->env, f->sources);
  mpg_free(f->env, f->fast);
  mpg_free(f->env, f);
}

/* The columns as keys, if they are members of the record itself. */
static mpg_rc learn_columns(json_file *f, mpg_err *err) {
  const mpg_columns *columns = f->columns;
  bool plain = columns->n > 0;
  for (size_t i = 0; i < columns->n; i++)
    plain &= columns->p[i].path == NULL;
  if (!plain)
    return MPG_OK;
  f->fast = mpg_calloc(f->env, sizeof *f->fast);
  if (f->fast == NULL)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < columns->n && plain; i++)
    plain = mpg_json_fast_add(f->fast, columns->p[i].name);
  if (!plain) {
    mpg_free(f->env, f->fast);
    f->fast = NULL;
  }
  return MPG_OK;
}

/* Members that are no columns, if columns are a choice among members: they are skipped. */
static void learn_members(json_file *f) {
  for (size_t k = 0; f->fast != NULL && !f->options->by_name && k < f->n_members; k++) {
    mpg_str key = f->members[k].key;
    size_t i = 0;
    while (i < f->fast->n &&
           !mpg_str_eq(key, (mpg_str){f->fast->keys[i].whole + 1, f->fast->keys[i].n - 3}))
      i++;
    if (i == f->fast->n && !mpg_json_fast_add(f->fast, key))
      return;
  }
}

static mpg_rc json_file_begin(void **out, const mpg_env *env, const mpg_rows_query *query,
                              mpg_stream *stream, mpg_issues *issues, mpg_err *err) {
  const mpg_columns *columns = query->columns;
  static const mpg_json_options reading = {.nan_is_null = true};
  json_file *f = mpg_calloc(env, sizeof *f);
  mpg_rc rc;
  if (f == NULL)
    return mpg_fail_nomem(err);
  f->env = env;
  f->options = query->options;
  f->columns = columns;
  f->query = query;
  f->issues = issues;
  f->path = mpg_stream_path(stream);
  f->limit = mpg_limit_in(env, MPG_LIMIT_RECORD_BYTES);
  rc = mpg_json_open(&f->json, env, stream, &reading, err);
  if (rc == MPG_OK) {
    f->sources = mpg_calloc(env, (columns->n + 1) * sizeof *f->sources);
    rc = f->sources == NULL ? mpg_fail_nomem(err) : MPG_OK;
  }
  for (size_t i = 0; rc == MPG_OK && i < columns->n; i++) {
    source *s = &f->sources[i];
    s->path = columns->p[i].path;
    s->hint = i;
    if (s->path == NULL) {
      rc = mpg_json_path_of_member(&s->member, env, columns->p[i].name, err);
      s->path = s->member;
    }
  }
  if (rc == MPG_OK)
    rc = learn_columns(f, err);
  if (rc == MPG_OK)
    *out = f;
  else
    json_file_close(f);
  return rc;
}

static mpg_rc json_file_open(void **out, const mpg_env *env, const mpg_rows_query *query,
                             const char *path, mpg_issues *issues, mpg_err *err) {
  mpg_stream *stream;
  void *f = NULL;
  mpg_rc rc = mpg_stream_open(&stream, env, path, err);
  if (rc != MPG_OK)
    return rc;
  mpg_stream_repair_text(stream);
  mpg_rows_unwrap(&mpg_json_rows, env, stream);
  rc = json_file_begin(&f, env, query, stream, issues, err);
  if (f == NULL) {
    mpg_stream_close(stream);
    return rc;
  }
  ((json_file *)f)->own = stream;
  *out = f;
  return MPG_OK;
}

static mpg_rc json_file_header(void *p, mpg_err *err) {
  (void)p;
  (void)err;
  return MPG_OK;
}

static void json_file_feed(void *p, mpg_stream *stream, mpg_block *block, const mpg_env *poll_env) {
  json_file *f = p;
  f->path = mpg_stream_path(stream);
  mpg_json_feed(f->json, stream, block, poll_env);
}

static bool json_file_unfeed(void *p, mpg_block *block) {
  return mpg_json_unfeed(((json_file *)p)->json, block);
}

static void json_file_like(void *p, const void *of) {
  (void)p;
  (void)of;
}

static const size_t *json_file_fields(void *p, size_t *width) {
  json_file *f = p;
  *width = f->fast == NULL ? 0 : f->fast->members;
  if (*width == 0)
    return NULL;
  for (size_t i = 0; i < f->columns->n; i++)
    f->at[i] = SIZE_MAX;
  for (size_t i = 0; i < *width; i++)
    if (f->fast->order[i] < f->columns->n)
      f->at[f->fast->order[i]] = i;
  return f->at;
}

static size_t json_file_lines(const void *p, mpg_json_lines *lines, const char *bytes, size_t n,
                              size_t at) {
  return mpg_json_fast_lines(((const json_file *)p)->fast, lines, bytes, n, at);
}

/* ---- Values ---- */

static mpg_rc find_member(json_file *f, size_t i, const mpg_json_member **out, mpg_err *err) {
  source *s = &f->sources[i];
  mpg_rc rc;
  if (f->is_fast) {
    *out = (f->has >> i & 1) != 0 ? &f->fast_members[i] : NULL;
    return MPG_OK;
  }
  rc = mpg_json_path_find(s->path, &f->docs, f->env, f->members, f->n_members, &s->hint, out, err);
  if (rc != MPG_DATA) /* checked already except for keys that repeat */
    return rc;
  return mpg_fail(err, rc,
                  "%s:%lld:1: expected each key once on the path of column \"%.*s\", found one "
                  "again",
                  f->path, (long long)mpg_json_line(f->json), (int)f->columns->p[i].name.n,
                  f->columns->p[i].name.p);
}

/* Whether the member is a value of the column's type; MPG_NULL for null. */
static bool read_member(const json_file *f, mpg_column_type type, bool found,
                        const mpg_json_member *m, mpg_value *out) {
  bool text = type == MPG_COLUMN_TEXT || type == MPG_COLUMN_FOUND;
  switch (m->kind) {
  case MPG_JSON_NULL:
    return true;
  case MPG_JSON_TRUE:
  case MPG_JSON_FALSE:
    if (type == MPG_COLUMN_BIGINT) {
      out->type = MPG_INT;
      out->i = m->kind == MPG_JSON_TRUE;
      return true;
    }
    break;
  case MPG_JSON_STRING:
    for (size_t i = 0; i < f->options->reading.n_nulls; i++)
      if (mpg_str_eq(m->text, f->options->reading.nulls[i]))
        return true;
    return mpg_column_value(&f->options->reading, type, found, m->text, out);
  case MPG_JSON_NUMBER:
    return mpg_column_value(&f->options->reading, type, found, m->text, out);
  default:
    break;
  }
  if (!text)
    return false;
  out->type = MPG_TEXT;
  out->s = m->text;
  return true;
}

static mpg_rc json_file_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  json_file *f = p;
  const mpg_json_member *m;
  int64_t line, at;
  mpg_rc rc = find_member(f, i, &m, err);
  out->type = MPG_NULL;
  if (rc != MPG_OK || m == NULL ||
      read_member(f, f->columns->p[i].type, f->columns->p[i].found, m, out))
    return rc;
  out->type = MPG_NULL;
  /* Within a nested value, the place is that of the member that holds it. */
  mpg_json_where(f->json, f->is_fast ? m->value_at : f->members[f->sources[i].hint].value_at, &line,
                 &at);
  return mpg_rows_unfit(f->path, line, at, &f->columns->p[i], m->text, m->kind == MPG_JSON_STRING,
                        err);
}

/* ---- Records ---- */

static mpg_rc list_undeclared(const json_file *f, mpg_str key, mpg_err *err) {
  char text[MPG_EXCERPT];
  mpg_text_excerpt(key, text);
  if (f->issues != NULL &&
      mpg_issues_add(f->issues, MPG_WARNING, f->path, "undeclared_column", mpg_json_line(f->json),
                     1, "member \"%s\" is not one of the table's: left out", text) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

/* The file ended within its last line: that is left out, as still being written. */
static mpg_rc unfinished(const json_file *f, mpg_err *err) {
  mpg_rc rc = mpg_unfinished_record(f->issues, f->path, mpg_json_line(f->json), err);
  return rc == MPG_OK ? MPG_DONE : rc;
}

/* Where the columns are the record's members: those that are none of them. */
static mpg_rc check_members(json_file *f, mpg_err *err) {
  const mpg_columns *columns = f->columns;
  for (size_t k = 0; k < f->n_members; k++) {
    mpg_str key = f->members[k].key;
    size_t i = 0;
    mpg_rc rc;
    if (k < columns->n && mpg_str_eq(columns->p[k].name, key))
      continue;
    while (i < columns->n && !mpg_str_eq(columns->p[i].name, key))
      i++;
    if (i < columns->n)
      continue;
    rc = list_undeclared(f, key, err);
    if (rc != MPG_OK)
      return rc;
  }
  return MPG_OK;
}

static mpg_rc list_nans(const json_file *f, mpg_err *err) {
  size_t n = mpg_json_nans(f->json);
  if (n > 0 && f->issues != NULL &&
      mpg_issues_add(f->issues, MPG_WARNING, f->path, "not_finite", mpg_json_line(f->json),
                     (int64_t)n, "NaN or an infinity: NULL") != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

/* The next record: as it is usually written, or parsed. */
static mpg_rc next_record(json_file *f, mpg_err *err) {
  const char *p, *end, *after;
  mpg_rc rc;
  if (f->fast != NULL && mpg_json_peek(f->json, &p, &end)) {
    after = mpg_json_fast_object(f->fast, p, end, f->fast_members, &f->has);
    if (after != NULL && after - p <= f->limit) {
      mpg_json_advance(f->json, after);
      f->is_fast = true;
      return MPG_OK;
    }
  }
  f->is_fast = false;
  rc = mpg_json_record(f->json, &f->members, &f->n_members, err);
  if (rc == MPG_OK)
    rc = list_nans(f, err);
  if (rc == MPG_OK && f->options->by_name)
    return check_members(f, err);
  if (rc == MPG_OK)
    learn_members(f);
  return rc;
}

static mpg_rc json_file_next(void *p, mpg_err *err) {
  json_file *f = p;
  const mpg_rows_query *query = f->query;
  for (;;) {
    bool pass = true;
    mpg_rc rc;
    if (mpg_json_is_broken(f->json)) /* already reported; every later call would report it again */
      return MPG_DONE;
    rc = next_record(f, err);
    if (rc == MPG_DATA && mpg_json_cut_off(f->json))
      return unfinished(f, err);
    if (rc == MPG_OK && (query->n_filters > 0 || query->checked != 0))
      rc = mpg_rows_test(&mpg_json_rows, f, query, &pass, err);
    if (rc != MPG_OK || pass)
      return rc;
  }
}

static int64_t json_file_line(const void *p) {
  return mpg_json_line(((const json_file *)p)->json);
}

const mpg_json_member *mpg_json_rows_members(const void *p, size_t *n) {
  const json_file *f = p;
  *n = f->n_members;
  return f->members;
}

/* One column in a record of JSON; unchanged if it is JSON already. */
static mpg_rc put_column(json_file *f, size_t i, mpg_json_text *json, mpg_err *err) {
  mpg_value value;
  const mpg_json_member *m = NULL;
  mpg_rc rc = json_file_column(f, i, &value, err);
  if (rc == MPG_OK && value.type == MPG_TEXT)
    rc = find_member(f, i, &m, err);
  if (rc != MPG_OK)
    return rc;
  if (m != NULL && value.type == MPG_TEXT &&
      (m->kind == MPG_JSON_ARRAY || m->kind == MPG_JSON_OBJECT))
    rc = mpg_json_put(json, m->text);
  else
    rc = mpg_rows_put(json, &value);
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

static mpg_rc json_file_record(void *p, bool whole, mpg_json_text *json, mpg_err *err) {
  json_file *f = p;
  mpg_rc rc = mpg_json_put(json, whole ? mpg_json_text_of(f->json) : MPG_STR("{"));
  for (size_t i = 0; !whole && rc == MPG_OK && i < f->columns->n; i++) {
    mpg_rc put;
    rc = mpg_json_put_key(json, f->columns->p[i].name);
    if (rc == MPG_OK && (put = put_column(f, i, json, err)) != MPG_OK)
      return put;
  }
  if (rc == MPG_OK && !whole)
    rc = mpg_json_put(json, MPG_STR("}"));
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

/* ---- Columns that the caller does not give ---- */

static mpg_rc fit_type(void *p, size_t i, mpg_column_type *type, mpg_err *err) {
  json_file *f = p;
  const mpg_json_member *m;
  mpg_value ignored;
  mpg_rc rc = find_member(f, i, &m, err);
  if (rc != MPG_OK || m == NULL)
    return rc;
  ignored.type = MPG_INT;
  switch (m->kind) {
  case MPG_JSON_NULL:
    break;
  case MPG_JSON_TRUE:
  case MPG_JSON_FALSE:
    *type =
        *type == MPG_COLUMN_REAL || *type == MPG_COLUMN_TEXT ? MPG_COLUMN_TEXT : MPG_COLUMN_TRUTH;
    break;
  case MPG_JSON_NUMBER:
    *type = mpg_column_fit(*type, m->text);
    break;
  default:
    ignored.type = MPG_NULL;
    if (m->kind != MPG_JSON_STRING || !read_member(f, MPG_COLUMN_TEXT, false, m, &ignored) ||
        ignored.type != MPG_NULL)
      *type = MPG_COLUMN_TEXT;
  }
  return MPG_OK;
}

/* Adds the members of the first records, in the order in which they come. */
static mpg_rc name_columns(mpg_columns *columns, const mpg_env *env,
                           const mpg_rows_options *options, const char *path, mpg_err *err) {
  static const mpg_columns none = {.n = 0};
  mpg_rows_options any = *options;
  const mpg_rows_query query = {.options = &any, .columns = &none};
  void *p = NULL;
  json_file *f;
  int records = 0;
  mpg_rc rc;
  any.by_name = false;
  rc = json_file_open(&p, env, &query, path, NULL, err);
  if (p == NULL)
    return rc;
  f = p;
  for (; rc == MPG_OK && records < MPG_ROWS_SAMPLE; records++) {
    rc = json_file_next(f, err);
    if (rc == MPG_DATA && records > 0) /* the query's to report, or to skip */
      rc = MPG_DONE;
    for (size_t k = 0; rc == MPG_OK && k < f->n_members; k++) {
      mpg_str key = f->members[k].key;
      if (k < columns->n && mpg_str_eq(columns->p[k].name, key))
        continue;
      if (mpg_columns_find(columns, key) < columns->n)
        continue;
      rc = columns->n == COLUMNS_FOUND
               ? mpg_fail(
                     err, MPG_LIMIT,
                     "%s: records of more than %d members: name those wanted with columns='...'",
                     path, COLUMNS_FOUND)
               : mpg_columns_add(columns, key, MPG_COLUMN_FOUND, NULL, err);
    }
  }
  json_file_close(f);
  return rc == MPG_DONE && columns->n > 0 ? MPG_OK : rc;
}

const mpg_rows_format mpg_json_rows = {
    .json = true,
    .unwrap = MPG_UNWRAP_PREFIX,
    .unwrap_mapped = MPG_UNWRAP_ALL | MPG_UNWRAP_MIXED,
    .names = name_columns,
    .fit = fit_type,
    .open = json_file_open,
    .close = json_file_close,
    .next = json_file_next,
    .line = json_file_line,
    .column = json_file_column,
    .record = json_file_record,
    .begin = json_file_begin,
    .header = json_file_header,
    .feed = json_file_feed,
    .unfeed = json_file_unfeed,
    .like = json_file_like,
    .fields = json_file_fields,
    .lines = json_file_lines,
};
