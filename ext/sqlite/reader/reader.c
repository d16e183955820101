/* reader.c - see reader.h. */
#include "reader_groups.h"
#include "../constraint.h"
#include "../host.h"
#include "record_iterator.h"
#include "../../base/text.h"

#include <stdlib.h>
#include <string.h>

#define WANTED MPG_READER_EQUALS
#define COMPARABLE 58 /* columns, each written as a byte from 'A' to 'z' */

typedef struct reader_cursor {
  sqlite3_vtab_cursor base;                       /* must be first */
  mpg_record_iterator iterator;                   /* its `shared` is the cursor */
  mpg_stream *stream;                             /* of the iterator's file */
  sqlite3_value *arguments[MPG_READER_ARGUMENTS]; /* NULL: not given */
  void *shared;                                   /* the format's, of this scan */
  bool begun;
  bool at_end;
  sqlite3_int64 row, first_row;
  sqlite3_value *equal[WANTED]; /* the texts of the request */
  mpg_reader_request request;
  mpg_reader_groups groups; /* if it has keys, rows come from it */
  /* Of rows that are read ahead. */
  mpg_scan_query query;
  mpg_rows_scan rows;
  size_t *wanted; /* the columns of the query; after them the cell of every column */
} reader_cursor;

static const mpg_reader_format *format_of(const sqlite3_vtab *vtab) {
  return (const mpg_reader_format *)((const mpg_table *)vtab)->module;
}

static size_t argument_count(const mpg_reader_format *f) {
  return f->narguments + 2 + f->threaded;
}

static const char *argument_name(const mpg_reader_format *f, size_t i) {
  if (i == 0)
    return "path";
  if (i <= f->narguments)
    return f->arguments[i - 1];
  return i == f->narguments + 1 ? "on_error" : "threads";
}

/* An argument without a type may be a number: threads, and those that the format says. */
static const char *argument_type(const mpg_reader_format *f, size_t i) {
  bool untyped = i > f->narguments + 1 || (i > 0 && (f->untyped >> (i - 1) & 1) != 0);
  return untyped ? "" : "TEXT";
}

/* ---- Table ---- */

/*
** Columns as declared: the format's own, then path, the format's arguments and on_error, then _file
** and _line. The hidden ones that are arguments come first among the hidden, for SQLite gives
** positional arguments to hidden columns from the left.
*/
static int reader_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                          sqlite3_vtab **out, char **error) {
  const mpg_module_data *data = aux;
  const mpg_reader_format *f = (const mpg_reader_format *)data->module;
  sqlite3_str *sql = sqlite3_str_new(NULL);
  char *text;
  int rc;
  (void)argc;
  (void)argv;
  sqlite3_str_appendall(sql, "CREATE TABLE x(");
  for (size_t i = 0; i < f->ncolumns; i++)
    sqlite3_str_appendf(sql, "\"%w\" %s, ", f->columns[i].name, f->columns[i].type);
  for (size_t i = 0; i < argument_count(f); i++) {
    mpg_declare_argument(sql, argument_name(f, i), argument_type(f, i));
    sqlite3_str_appendall(sql, ", ");
  }
  sqlite3_str_appendf(sql, "_file TEXT HIDDEN, _line BIGINT HIDDEN%s)",
                      f->pointer != NULL ? ", _record HIDDEN" : "");
  text = sqlite3_str_finish(sql);
  if (text == NULL)
    return SQLITE_NOMEM;
  rc = mpg_table_connect(db, aux, text, SQLITE_VTAB_DIRECTONLY, out, error);
  sqlite3_free(text);
  return rc;
}

/* Whether another table gives the path: then this one is the inner loop, and file after file is
** read. */
static bool is_inner(const mpg_reader_format *f, sqlite3_index_info *info) {
  for (int c = 0; c < info->nConstraint; c++)
    if (info->aConstraint[c].iColumn == (int)f->ncolumns && info->aConstraint[c].usable != 0 &&
        info->aConstraint[c].op == SQLITE_INDEX_CONSTRAINT_EQ)
      return mpg_host_constant(info, c) == NULL;
  return false;
}

/* Whether constraint c is COLUMN = 'text', byte by byte, for a column whose texts the format
** compares. A value from another table would make this one the inner loop, so it must be a
** constant, unless it is that anyway. */
static bool is_comparable(const mpg_reader_format *f, sqlite3_index_info *info, int c, bool inner) {
  int column = info->aConstraint[c].iColumn;
  sqlite3_value *value;
  if (column < 0 || column >= (int)f->ncolumns || column >= COMPARABLE ||
      (f->comparable >> column & 1) == 0 || info->aConstraint[c].op != SQLITE_INDEX_CONSTRAINT_EQ ||
      info->aConstraint[c].usable == 0 || strcmp(sqlite3_vtab_collation(info, c), "BINARY") != 0)
    return false;
  value = mpg_host_constant(info, c);
  if (value == NULL)
    return inner && mpg_host_equal_of(info, c, false) == MPG_HOST_EQUAL;
  return sqlite3_value_type(value) == SQLITE_TEXT;
}

static mpg_str number_column(const void *of, int column) {
  const mpg_reader_format *f = of;
  const char *type = column < (int)f->ncolumns ? f->columns[column].type : "";
  return strcmp(type, "REAL") == 0 || strcmp(type, "BIGINT") == 0
             ? mpg_str_of(f->columns[column].name)
             : MPG_STR("");
}

/*
** idxNum: which arguments are given (mpg_plan_arguments). idxStr: the columns whose values xFilter
** looks at (constraint.h); a byte for each argument of xFilter before these, 'A' plus the column
** that must equal it; if rows are prefetched, the mask of requested columns; and how they are
** grouped. SQLite tests the rows again (omit stays 0).
*/
static int reader_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  const mpg_reader_format *f = format_of(vtab);
  char equal[WANTED];
  const bool inner = f->comparable != 0 && is_inner(f, info);
  size_t wanted = 0;
  sqlite3_str *text;
  bool failed;
  int given, rc;
  info->estimatedCost = 1e6;
  info->estimatedRows = 100000;
  rc = mpg_plan_arguments(vtab, f->module.name, info, (int)f->ncolumns, (int)argument_count(f));
  if (rc == SQLITE_OK)
    rc = mpg_constraint_of_numbers(vtab, info, f->module.name, number_column, f);
  if (rc != SQLITE_OK)
    return rc;
  given = __builtin_popcount((unsigned)info->idxNum & 0xffff);
  for (int c = 0; c < info->nConstraint && wanted < WANTED; c++)
    if (is_comparable(f, info, c, inner)) {
      info->aConstraintUsage[c].argvIndex = ++given;
      equal[wanted++] = (char)('A' + info->aConstraint[c].iColumn);
    }
  text = sqlite3_str_new(NULL);
  mpg_constraint_ask_numbers(info, number_column, f, given, text);
  sqlite3_str_append(text, equal, (int)wanted);
  if (f->ahead != NULL)
    sqlite3_str_appendf(text, "%llu", (unsigned long long)info->colUsed);
  info->orderByConsumed = mpg_reader_plan_groups(f, ((mpg_table *)vtab)->conn->db, info, text);
  failed = sqlite3_str_errcode(text) != SQLITE_OK;
  info->idxStr = sqlite3_str_finish(text);
  info->needToFreeIdxStr = 1;
  return failed ? SQLITE_NOMEM : SQLITE_OK;
}

/* ---- Cursor ---- */

static int reader_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
  (void)vtab;
  return mpg_cursor_open(sizeof(reader_cursor), out);
}

static mpg_rc reset(reader_cursor *cursor) {
  const mpg_reader_format *f = format_of(cursor->base.pVtab);
  mpg_rc rc;
  mpg_rows_scan_close(&cursor->rows); /* first: its threads may still be at the iterator's paths */
  rc = mpg_record_iterator_reset(&cursor->iterator);
  sqlite3_free(cursor->wanted);
  cursor->wanted = NULL;
  if (cursor->begun && f->end != NULL)
    f->end(cursor->shared);
  cursor->begun = false;
  cursor->shared = NULL;
  for (size_t i = 0; i < MPG_READER_ARGUMENTS; i++) {
    sqlite3_value_free(cursor->arguments[i]);
    cursor->arguments[i] = NULL;
  }
  for (size_t i = 0; i < WANTED; i++) {
    sqlite3_value_free(cursor->equal[i]);
    cursor->equal[i] = NULL;
  }
  memset(&cursor->request, 0, sizeof cursor->request);
  mpg_reader_groups_reset(&cursor->groups);
  memset(&cursor->query, 0, sizeof cursor->query);
  cursor->row = 0;
  cursor->at_end = true;
  return rc;
}

static int reader_close(sqlite3_vtab_cursor *base) {
  reader_cursor *cursor = (reader_cursor *)base;
  (void)reset(cursor); /* out of memory: some issues are lost, and the scan is over */
  mpg_record_iterator_end(&cursor->iterator);
  sqlite3_free(cursor);
  return SQLITE_OK;
}

static int fail(reader_cursor *cursor, const mpg_err *err) {
  cursor->at_end = true;
  return mpg_vtab_failure(cursor->base.pVtab, format_of(cursor->base.pVtab)->module.name, err);
}

/* ---- Files ---- */

/* The callback of record_iterator.h. The format knows the file only if there is a stream. */
static void close_file(void *file, void *p) {
  reader_cursor *cursor = p;
  if (cursor->stream != NULL)
    format_of(cursor->base.pVtab)->close(file);
  if (cursor->stream != NULL) {
    mpg_err err; /* out of memory: this issue is lost, as others are then */
    (void)mpg_stream_repaired(cursor->stream, &cursor->iterator.issues, &err);
  }
  mpg_stream_close(cursor->stream);
  cursor->stream = NULL;
  mpg_free(&cursor->iterator.scan.env, file);
}

static mpg_rc open_file(void **out, void *p, const mpg_env *env, const char *path,
                        mpg_issues *issues, mpg_err *err) {
  reader_cursor *cursor = p;
  const mpg_reader_format *f = format_of(cursor->base.pVtab);
  void *scan = f->begin == NULL ? &cursor->request : cursor->shared;
  void *file = mpg_calloc(env, f->file_size);
  mpg_rc rc;
  if (file == NULL)
    return mpg_fail_nomem(err);
  rc = mpg_stream_open(&cursor->stream, env, path, err);
  if (rc == MPG_OK && !f->binary)
    mpg_stream_repair_text(cursor->stream);
  if (rc == MPG_OK)
    rc = f->open(file, scan, env, cursor->stream, issues, err);
  cursor->iterator.partial = cursor->request.partial;
  if (rc == MPG_OK)
    *out = file;
  else
    close_file(file, cursor);
  return rc;
}

/* ---- Rows that are read ahead ---- */

static mpg_issues *issues_of(const reader_cursor *cursor) {
  return &((mpg_table *)cursor->base.pVtab)->conn->issues;
}

/* The columns of a mask, whose last bit means all from there on, and the column for each_row. */
static mpg_rc want_columns(reader_cursor *cursor, uint64_t wanted_columns) {
  const mpg_reader_format *f = format_of(cursor->base.pVtab);
  const bool each = f->ahead->each_row != NULL;
  const size_t n = f->ncolumns + each, line = f->ncolumns + argument_count(f) + 1;
  mpg_scan_query *q = &cursor->query;
  cursor->wanted = sqlite3_malloc64(2 * n * sizeof *cursor->wanted);
  if (cursor->wanted == NULL)
    return MPG_NOMEM;
  for (size_t i = 0; i < n; i++) {
    cursor->wanted[n + i] = q->n_wanted;
    if (i == f->ncolumns || (wanted_columns >> (i < 63 ? i : 63) & 1) != 0)
      cursor->wanted[q->n_wanted++] = i;
  }
  q->wanted = cursor->wanted;
  q->lines = each || (wanted_columns >> (line < 63 ? line : 63) & 1) != 0;
  return MPG_OK;
}

static mpg_rc open_ahead(reader_cursor *cursor, uint64_t wanted_columns, mpg_err *err) {
  static const mpg_columns none = {.n = 0};
  const mpg_reader_prefetch *ahead = format_of(cursor->base.pVtab)->ahead;
  cursor->query = (mpg_scan_query){
      .format = ahead->rows,
      .rows = {.options = ahead->options, .columns = &none, .scan = cursor->shared},
      .skip = cursor->iterator.skip,
      .threads = cursor->request.threads};
  if (want_columns(cursor, wanted_columns) != MPG_OK)
    return mpg_fail_nomem(err);
  return mpg_rows_scan_open(&cursor->rows, &cursor->iterator.scan.env, &cursor->query,
                            &cursor->iterator.paths, issues_of(cursor), err);
}

/* Cell of a column of the current row. */
static mpg_rc read_cell(const reader_cursor *cursor, size_t i, mpg_value *out, mpg_err *err) {
  const mpg_reader_format *f = format_of(cursor->base.pVtab);
  size_t n = f->ncolumns + (f->ahead->each_row != NULL);
  return mpg_rows_scan_column(&cursor->rows, cursor->wanted[n + i], out, err);
}

static mpg_rc next_ahead(reader_cursor *cursor, mpg_err *err) {
  const mpg_reader_format *f = format_of(cursor->base.pVtab);
  mpg_value value = {MPG_NULL, 0, 0.0, {NULL, 0}};
  mpg_rc rc = mpg_rows_scan_next(&cursor->rows, err);
  if (rc != MPG_OK || f->ahead->each_row == NULL)
    return rc;
  rc = read_cell(cursor, f->ncolumns, &value, err);
  if (rc != MPG_OK)
    return rc;
  return f->ahead->each_row(cursor->shared, &value, cursor->rows.path,
                            mpg_rows_scan_line(&cursor->rows), issues_of(cursor), err);
}

/* ---- Rows ---- */

static mpg_rc next_record(void *p, mpg_err *err) {
  reader_cursor *cursor = p;
  cursor->row++;
  return format_of(cursor->base.pVtab)->ahead != NULL
             ? next_ahead(cursor, err)
             : mpg_record_iterator_next(&cursor->iterator, err);
}

static mpg_rc read_value(void *p, size_t i, mpg_value *out, mpg_err *err) {
  const reader_cursor *cursor = p;
  const mpg_reader_format *f = format_of(cursor->base.pVtab);
  if (f->ahead == NULL)
    return f->column(cursor->iterator.file, i, out, err);
  if (f->ahead->column != NULL && f->ahead->column(cursor->shared, i, out))
    return MPG_OK;
  return read_cell(cursor, i, out, err);
}

static int64_t row_number(const void *p) {
  const reader_cursor *cursor = p;
  return cursor->first_row + cursor->row + cursor->request.passed;
}

static size_t file_number(const void *p) {
  const reader_cursor *cursor = p;
  return format_of(cursor->base.pVtab)->ahead != NULL ? cursor->rows.file
                                                      : cursor->iterator.next_path - 1;
}

static int64_t line_number(const void *p) {
  const reader_cursor *cursor = p;
  const mpg_reader_format *f = format_of(cursor->base.pVtab);
  if (f->ahead == NULL)
    return f->line(cursor->iterator.file);
  return cursor->query.lines ? mpg_rows_scan_line(&cursor->rows) : 0; /* requested, or not */
}

static int step_record(reader_cursor *cursor) {
  mpg_err err;
  mpg_rc rc = next_record(cursor, &err);
  cursor->at_end = rc != MPG_OK;
  return rc == MPG_OK || rc == MPG_DONE ? SQLITE_OK : fail(cursor, &err);
}

/* A statement of this connection, with what it says; SQLite has its own words for these two. */
static int groups_failed(const reader_cursor *cursor, int rc) {
  sqlite3_vtab *vtab = cursor->base.pVtab;
  if (rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT)
    return rc;
  sqlite3_free(vtab->zErrMsg);
  vtab->zErrMsg = sqlite3_mprintf("%s", sqlite3_errmsg(((mpg_table *)vtab)->conn->db));
  return vtab->zErrMsg == NULL ? SQLITE_NOMEM : rc;
}

static int step_groups(reader_cursor *cursor) {
  int rc = mpg_reader_groups_next(&cursor->groups);
  cursor->at_end = rc != SQLITE_ROW;
  if (rc == SQLITE_ROW || rc == SQLITE_DONE)
    return SQLITE_OK;
  return groups_failed(cursor, rc);
}

static int reader_next(sqlite3_vtab_cursor *base) {
  reader_cursor *cursor = (reader_cursor *)base;
  return cursor->groups.by.n_keys > 0 ? step_groups(cursor) : step_record(cursor);
}

static mpg_rc read_arguments(reader_cursor *cursor, mpg_err *err) {
  const mpg_reader_format *f = format_of(cursor->base.pVtab);
  mpg_value values[MPG_READER_ARGUMENTS] = {{MPG_NULL, 0, 0.0, {NULL, 0}}}, mode;
  size_t n = argument_count(f);
  mpg_rc rc = MPG_OK;
  for (size_t i = 0; i < n; i++)
    if (cursor->arguments[i] != NULL) {
      /* In a database of UTF-16 this turns the text into UTF-8. */
      if (sqlite3_value_type(cursor->arguments[i]) == SQLITE_TEXT &&
          sqlite3_value_text(cursor->arguments[i]) == NULL)
        return mpg_fail_nomem(err);
      values[i] = mpg_value_of(cursor->arguments[i]);
    }
  mode = values[f->narguments + 1];
  if (mode.type == MPG_TEXT && mpg_str_eq(mode.s, MPG_STR("skip")))
    cursor->iterator.skip = true;
  else if (mode.type == MPG_NULL)
    cursor->iterator.skip = ((mpg_table *)cursor->base.pVtab)->conn->skip_errors;
  else if (mode.type != MPG_TEXT || !mpg_str_eq(mode.s, MPG_STR("stop")))
    return mpg_fail_argument(err, "on_error", "'stop' or 'skip'", &mode);
  /* 20250331 is a day's file of PBS, and 2026-11 a difference to the shell */
  if (values[0].type == MPG_INT)
    return mpg_fail(err, MPG_MISUSE,
                    "%s, found the number %lld (.param set computes what it can: write "
                    "\"'2026-11'\")",
                    f->usage, (long long)values[0].i);
  if (values[0].type == MPG_REAL)
    return mpg_fail_argument(err, "path", "a file, a glob or a folder", &values[0]);
  if (values[0].type != MPG_TEXT)
    return mpg_fail(err, MPG_MISUSE, "%s", f->usage);
  if (f->threaded)
    rc = mpg_threads_given(((mpg_table *)cursor->base.pVtab)->conn, &values[n - 1],
                           &cursor->request.threads, err);
  if (f->threaded)
    values[n - 1] = (mpg_value){MPG_INT, cursor->request.threads, 0.0, {NULL, 0}};
  if (rc == MPG_OK && f->begin != NULL)
    rc = f->begin(&cursor->shared, &cursor->iterator.scan.env, values + 1, err);
  if (rc != MPG_OK)
    return rc;
  cursor->begun = true;
  cursor->iterator.shared = cursor;
  return mpg_record_iterator_path(&cursor->iterator, values[0].s, err);
}

/* All records, group by group; if there are too many for that, SQLite sorts them. */
static int begin_groups(reader_cursor *cursor) {
  const mpg_reader_format *f = format_of(cursor->base.pVtab);
  const mpg_reader_records records = {cursor,     next_record, read_value,
                                      row_number, file_number, line_number};
  const char *names[MPG_READER_ARGUMENTS];
  size_t n = argument_count(f);
  mpg_err err;
  int rc;
  if (mpg_reader_groups_read(&cursor->groups, &cursor->iterator.scan.env, &records, &err) != MPG_OK)
    return fail(cursor, &err);
  if (cursor->groups.gather != NULL)
    return step_groups(cursor);
  mpg_rows_scan_close(&cursor->rows);
  if (mpg_record_iterator_reset(&cursor->iterator) != MPG_OK)
    return SQLITE_NOMEM;
  for (size_t i = 0; i < n; i++)
    names[i] = argument_name(f, i);
  rc = mpg_reader_groups_sorted(&cursor->groups, f, ((mpg_table *)cursor->base.pVtab)->conn->db,
                                names, cursor->arguments, n, &cursor->request);
  return rc == SQLITE_OK ? step_groups(cursor) : groups_failed(cursor, rc);
}

/* Copies the arguments that are given, *n of them. *none: the path is NULL: there are no rows. */
static int copy_arguments(reader_cursor *cursor, int given, sqlite3_value **argv, int *n,
                          bool *none) {
  const mpg_table *t = (const mpg_table *)cursor->base.pVtab;
  const mpg_reader_format *f = format_of(cursor->base.pVtab);
  *n = 0;
  *none = false;
  for (int i = 0; i < (int)argument_count(f); i++) {
    const char *name = argument_name(f, (size_t)i);
    int rc;
    if (mpg_argument_is_missing(given, (size_t)i))
      return i == 0 ? mpg_path_missing(cursor->base.pVtab, f->module.name)
                    : mpg_argument_missing(cursor->base.pVtab, f->module.name, name);
    if ((given >> i & 1) == 0)
      continue;
    *none = i == 0 && mpg_argument_is_nothing(t->conn, f->module.name, name, argv[0]);
    if (*none)
      return SQLITE_OK;
    rc = mpg_argument_lost(cursor->base.pVtab, given, i, f->module.name, name, argv[*n]);
    if (rc != SQLITE_OK)
      return rc;
    cursor->arguments[i] = sqlite3_value_dup(argv[(*n)++]);
    if (cursor->arguments[i] == NULL)
      return SQLITE_NOMEM;
  }
  return SQLITE_OK;
}

static int reader_filter(sqlite3_vtab_cursor *base, int given, const char *text, int argc,
                         sqlite3_value **argv) {
  reader_cursor *cursor = (reader_cursor *)base;
  const mpg_reader_format *f = format_of(cursor->base.pVtab);
  const mpg_file_format files = {open_file, close_file, f->next, f->line};
  uint64_t wanted_columns = 0;
  bool none;
  char *end;
  mpg_err err;
  int rc, next;
  if (reset(cursor) != MPG_OK)
    return SQLITE_NOMEM;
  rc = copy_arguments(cursor, given, argv, &next, &none);
  if (rc == SQLITE_OK)
    rc = mpg_values_of_numbers(cursor->base.pVtab, f->module.name, &text, argc, argv);
  if (rc != SQLITE_OK || none)
    return rc;
  /* Which is the same for any number of threads. */
  cursor->first_row = mpg_first_rowid(cursor->arguments, argument_count(f) - f->threaded);
  for (; *text >= 'A'; text++, next++) {
    size_t i = cursor->request.n;
    if (sqlite3_value_type(argv[next]) != SQLITE_TEXT || !mpg_host_is_utf8(argv[next]))
      continue;
    cursor->equal[i] = sqlite3_value_dup(argv[next]);
    if (cursor->equal[i] == NULL || sqlite3_value_text(cursor->equal[i]) == NULL)
      return SQLITE_NOMEM;
    cursor->request.equal[i].column = (size_t)(*text - 'A');
    cursor->request.equal[i].text = mpg_value_of(cursor->equal[i]).s;
    cursor->request.n++;
  }
  rc =
      mpg_record_iterator_begin(&cursor->iterator, ((mpg_table *)cursor->base.pVtab)->conn, &files);
  if (rc != SQLITE_OK)
    return rc;
  if (read_arguments(cursor, &err) != MPG_OK)
    return fail(cursor, &err);
  if (f->ahead != NULL) {
    wanted_columns = strtoull(text, &end, 10);
    text = end;
  }
  cursor->groups.by = mpg_reader_grouping_of(text);
  for (size_t i = 0; i < cursor->groups.by.n_keys; i++)
    wanted_columns |= UINT64_C(1) << cursor->groups.by.key[i];
  if (f->ahead != NULL && open_ahead(cursor, wanted_columns, &err) != MPG_OK)
    return fail(cursor, &err);
  return cursor->groups.by.n_keys > 0 ? begin_groups(cursor) : step_record(cursor);
}

static int reader_eof(sqlite3_vtab_cursor *base) {
  return ((reader_cursor *)base)->at_end;
}

static int reader_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *row) {
  const reader_cursor *cursor = (const reader_cursor *)base;
  *row = cursor->groups.by.n_keys > 0 ? mpg_reader_groups_row(&cursor->groups) : row_number(cursor);
  return SQLITE_OK;
}

static int give_column(reader_cursor *cursor, sqlite3_context *context, size_t i) {
  mpg_conn *conn = ((mpg_table *)cursor->base.pVtab)->conn;
  const mpg_reader_format *f = format_of(cursor->base.pVtab);
  mpg_value value = {MPG_NULL, 0, 0.0, {NULL, 0}};
  mpg_err err;
  if (cursor->groups.by.n_keys > 0)
    mpg_reader_groups_column(&cursor->groups, context, conn, i);
  else if (read_value(cursor, i, &value, &err) == MPG_OK)
    return mpg_result_polled(context, &cursor->iterator.scan.env, &value);
  else
    return mpg_vtab_failure(cursor->base.pVtab, f->module.name, &err);
  return SQLITE_OK;
}

/* _file and _line. */
static void give_place(const reader_cursor *cursor, sqlite3_context *context, bool line) {
  const mpg_reader_format *f = format_of(cursor->base.pVtab);
  if (cursor->groups.by.n_keys > 0 && line)
    mpg_reader_groups_line(&cursor->groups, context);
  else if (cursor->groups.by.n_keys > 0)
    mpg_reader_groups_file(&cursor->groups, context, &cursor->iterator.paths);
  else if (line)
    sqlite3_result_int64(context, line_number(cursor));
  else
    sqlite3_result_text(
        context, f->ahead != NULL ? cursor->rows.path : mpg_record_iterator_file(&cursor->iterator),
        -1, SQLITE_TRANSIENT);
}

static int reader_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  reader_cursor *cursor = (reader_cursor *)base;
  const mpg_reader_format *f = format_of(cursor->base.pVtab);
  size_t i = (size_t)column, n = f->ncolumns, arguments = argument_count(f);
  if (i < n)
    return give_column(cursor, context, i);
  if (i == n + arguments + 2)
    sqlite3_result_pointer(context, cursor, f->pointer, NULL);
  else if (i >= n + arguments)
    give_place(cursor, context, i > n + arguments);
  else if (cursor->arguments[i - n] != NULL)
    sqlite3_result_value(context, cursor->arguments[i - n]);
  else /* of a table whose arguments are after its 63rd column */
    return mpg_argument_missing(base->pVtab, f->module.name, argument_name(f, i - n));
  return SQLITE_OK;
}

void *mpg_reader_record(sqlite3_value *value, const char *pointer) {
  const reader_cursor *cursor = sqlite3_value_pointer(value, pointer);
  return cursor == NULL || cursor->at_end ? NULL : cursor->iterator.file;
}

const sqlite3_module mpg_reader_module = {
    .iVersion = 0,
    .xCreate = NULL, /* eponymous only */
    .xConnect = reader_connect,
    .xBestIndex = reader_best_index,
    .xDisconnect = mpg_table_disconnect,
    .xDestroy = NULL,
    .xOpen = reader_open,
    .xClose = reader_close,
    .xFilter = reader_filter,
    .xNext = reader_next,
    .xEof = reader_eof,
    .xColumn = reader_column,
    .xRowid = reader_rowid,
};

int mpg_register_reader(mpg_conn *conn, const mpg_reader_format *format, char **error) {
  return mpg_register_file_modules(conn, &format->module, 1, error);
}

/* ---- Formats whose one argument is a zone ---- */

const char *const mpg_reader_zone[1] = {"zone"};

mpg_rc mpg_reader_begin_zone(void **scan, const mpg_env *env, const mpg_value *arguments,
                             mpg_err *err) {
  mpg_zone *zone = NULL;
  mpg_rc rc = mpg_zone_given(&zone, env, &arguments[0], err);
  *scan = zone;
  return rc;
}

void mpg_reader_end_zone(void *zone) {
  mpg_zone_free(zone);
}
