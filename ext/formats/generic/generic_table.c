/*
** generic_table.c - csv_trace and jsonl_trace: files that no format describes.
**
** Each is one module in two forms:
**
**   (1) SELECT record ->> 'gpus' FROM csv_trace('jobs.csv'), the quick look. A row is a record, as
**       one column of JSON text. Options are hidden columns, as of every reader (reader.h); nothing
**       is opened before the query runs. Each file has a header and types of its own.
**   (2) CREATE VIRTUAL TABLE temp.jobs USING csv_trace('jobs.csv', nulls='-'): columns by their own
**       names, with types. The first file is read at once, for its header and its types. Only the
**       schema temp is allowed (generic.h).
**
** Both are DIRECTONLY, and end in the hidden columns _file and _line; form (1) of jsonl_trace also
** has _record, which lends the members to json_first. Only the columns that the query names are
** decoded. Rows of (2) are read by several threads (rows_scan.h), which test what
** generic_filter.c lets through, and leave out rows that SELECT DISTINCT has no use for; files that
** no row can be of (`_file`) stay unopened. SQLite scans a table more than once and compares rowids
** between the scans (OR, RIGHT JOIN), so a record's rowid does not depend on the query.
*/
#include "../list.h"
#include "generic.h"
#include "../../sqlite/host.h"
#include "../../sqlite/json_row.h"
#include "../../read/rows/rows_scan.h"

#include <stdlib.h>
#include <string.h>

typedef struct generic_module {
  mpg_module module; /* must be first */
  const mpg_generic_kind *kind, *created;
  const char *example;
} generic_module;

typedef struct generic_table {
  sqlite3_vtab base; /* must be first */
  mpg_conn *conn;
  const generic_module *module;
  bool created; /* form (2) */
  mpg_value values[MPG_OPTIONS];
  mpg_generic generic;
  mpg_columns columns;
} generic_table;

typedef struct generic_cursor {
  sqlite3_vtab_cursor base;     /* must be first */
  mpg_record_iterator iterator; /* of form (1); of (2) its paths and its environment */
  mpg_scan_query query;         /* form (2) */
  mpg_generic_filters filters;
  size_t *wanted; /* columns, then the cell of every column */
  mpg_rows_scan scan;
  sqlite3_value *arguments[MPG_OPTIONS]; /* form (1), as the next two */
  mpg_generic generic;
  mpg_json_text record;
  mpg_json_row lent;
  bool at_end;
  sqlite3_int64 row;
} generic_cursor;

static generic_table *table_of(generic_cursor *cursor) {
  return (generic_table *)cursor->base.pVtab;
}

/* ---- Table ---- */

/* Form (2): reads the options and the first file. */
static int open_created(generic_table *table, int argc, const char *const *argv, char **error) {
  const generic_module *m = table->module;
  mpg_record_iterator iterator;
  mpg_err err;
  mpg_rc rc;
  int code = mpg_generic_arguments(m->created, argc, argv, m->example, table->values, error);
  if (code != SQLITE_OK)
    return code;
  memset(&iterator, 0, sizeof iterator);
  code = mpg_record_iterator_begin(&iterator, table->conn, NULL);
  if (code != SQLITE_OK)
    return code;
  rc = mpg_generic_open(&table->generic, m->created, table->conn, table->values, &err);
  if (rc == MPG_OK)
    rc = mpg_record_iterator_path(&iterator, table->generic.path, &err);
  if (rc == MPG_OK)
    rc = mpg_generic_columns(&table->generic, &table->columns, &iterator.scan.env, &iterator.paths,
                             &err);
  if (rc == MPG_OK && table->columns.n == 0)
    rc = mpg_fail(&err, MPG_DATA,
                  "%s:1:1: expected a record that names the columns, found end of file",
                  iterator.paths.file[0].path);
  mpg_record_iterator_end(&iterator);
  if (rc == MPG_OK)
    return SQLITE_OK;
  if (rc != MPG_NOMEM && rc != MPG_INTERRUPTED)
    *error = sqlite3_mprintf("%s: %s", m->module.name, err.text);
  return mpg_sqlite_rc(rc);
}

static bool lends(const generic_table *table) {
  return !table->created && table->module->kind == &mpg_generic_json;
}

static int declare(sqlite3 *db, const generic_table *table, char **error) {
  const mpg_generic_kind *kind = table->module->kind;
  const mpg_columns *columns = &table->columns;
  sqlite3_str *sql = sqlite3_str_new(NULL);
  char *text;
  int rc;
  sqlite3_str_appendall(sql, "CREATE TABLE x(");
  for (size_t i = 0; table->created && i < columns->n; i++) {
    mpg_generic_declare(sql, columns->p[i].name, columns->p[i].type);
    sqlite3_str_appendall(sql, ", ");
  }
  if (!table->created) {
    sqlite3_str_appendall(sql, "record TEXT, ");
    for (size_t i = 0; i < kind->n_options; i++) {
      mpg_declare_argument(sql, mpg_generic_option_name(kind->options[i]),
                           mpg_generic_option_type(kind->options[i]));
      sqlite3_str_appendall(sql, ", ");
    }
  }
  sqlite3_str_appendall(sql, "_file TEXT HIDDEN, _line BIGINT HIDDEN");
  sqlite3_str_appendall(sql, lends(table) ? ", _record HIDDEN)" : ")");
  text = sqlite3_str_finish(sql);
  if (text == NULL)
    return SQLITE_NOMEM;
  rc = mpg_declare_table(db, table->module->module.name, text, error);
  sqlite3_free(text);
  return rc == SQLITE_OK ? sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY) : rc;
}

static int generic_disconnect(sqlite3_vtab *vtab) {
  generic_table *table = (generic_table *)vtab;
  mpg_columns_free(&table->columns);
  mpg_generic_close(&table->generic);
  mpg_generic_arguments_free(table->values);
  mpg_conn_release(table->conn);
  sqlite3_free(table);
  return SQLITE_OK;
}

static int generic_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                           sqlite3_vtab **out, char **error) {
  const mpg_module_data *data = aux;
  generic_table *table = sqlite3_malloc64(sizeof *table);
  int rc = SQLITE_OK;
  if (table == NULL)
    return SQLITE_NOMEM;
  memset(table, 0, sizeof *table);
  table->conn = data->conn;
  table->conn->references++;
  table->module = (const generic_module *)data->module;
  mpg_columns_init(&table->columns, &table->conn->env);
  /* The eponymous table has the module's name, and no argument. */
  table->created = argc > 3 || sqlite3_stricmp(argv[2], argv[0]) != 0;
  if (table->created)
    rc = open_created(table, argc, argv, error);
  if (rc == SQLITE_OK)
    rc = declare(db, table, error);
  if (rc != SQLITE_OK) {
    (void)generic_disconnect(&table->base);
    return rc;
  }
  *out = &table->base;
  return SQLITE_OK;
}

/* ---- Plans ---- */

static size_t column_of(const void *p, int i) {
  const generic_table *table = p;
  size_t n = table->columns.n;
  return (size_t)i < n ? (size_t)i : (size_t)i == n ? MPG_FILTER_FILE : MPG_FILTER_NONE;
}

/* Form (2). idxStr: the requested columns, as a mask; whether rows that agree in them may be left
** out; and the comparisons. */
static int plan_created(const generic_table *table, sqlite3_index_info *info) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  int failed;
  sqlite3_str_appendf(text, "%llu %d ", (unsigned long long)info->colUsed,
                      mpg_host_distinct(info) >= 2);
  info->estimatedRows = 100000;
  mpg_generic_plan_filters(info, &table->columns, column_of, table, text);
  failed = sqlite3_str_errcode(text);
  info->idxStr = sqlite3_str_finish(text);
  info->needToFreeIdxStr = 1;
  return failed != SQLITE_OK || info->idxStr == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

static int generic_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  const generic_table *table = (const generic_table *)vtab;
  if (table->created)
    return plan_created(table, info);
  info->estimatedRows = 100000;
  return mpg_generic_plan_options(vtab, table->module->module.name, table->module->kind, info);
}

/* ---- Cursor ---- */

static int generic_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
  int rc = mpg_cursor_open(sizeof(generic_cursor), out);
  if (rc == SQLITE_OK)
    ((generic_cursor *)*out)->record.env = &((generic_table *)vtab)->conn->env;
  return rc;
}

static mpg_rc reset(generic_cursor *cursor) {
  mpg_rc rc;
  mpg_rows_scan_close(&cursor->scan); /* first: its threads may still be at the iterator's paths */
  rc = mpg_record_iterator_reset(&cursor->iterator);
  mpg_free(&table_of(cursor)->conn->env, cursor->wanted);
  mpg_generic_free_filters(&cursor->filters, table_of(cursor)->conn);
  mpg_generic_close(&cursor->generic);
  for (size_t i = 0; i < MPG_OPTIONS; i++) {
    sqlite3_value_free(cursor->arguments[i]);
    cursor->arguments[i] = NULL;
  }
  memset(&cursor->query, 0, sizeof cursor->query);
  cursor->wanted = NULL;
  cursor->row = 0;
  cursor->lent.n = 0;
  cursor->at_end = true;
  return rc;
}

static int generic_close(sqlite3_vtab_cursor *base) {
  generic_cursor *cursor = (generic_cursor *)base;
  (void)reset(cursor); /* out of memory: some issues are lost, and the scan is over */
  mpg_record_iterator_end(&cursor->iterator);
  mpg_json_text_free(&cursor->record);
  sqlite3_free(cursor);
  return SQLITE_OK;
}

static int fail(generic_cursor *cursor, const mpg_err *err) {
  cursor->at_end = true;
  return mpg_vtab_failure(cursor->base.pVtab, table_of(cursor)->module->module.name, err);
}

static int next_or_end(generic_cursor *cursor) {
  mpg_err err;
  mpg_rc rc = table_of(cursor)->created ? mpg_rows_scan_more(&cursor->scan, &err)
                                        : mpg_record_iterator_next(&cursor->iterator, &err);
  cursor->row++;
  cursor->lent.n = 0;
  cursor->at_end = rc != MPG_OK;
  return rc == MPG_OK || rc == MPG_DONE ? SQLITE_OK : fail(cursor, &err);
}

/* Most rows of form (2) are in the batch at hand. */
static int generic_next(sqlite3_vtab_cursor *base) {
  generic_cursor *cursor = (generic_cursor *)base;
  return mpg_rows_scan_step(&cursor->scan) ? SQLITE_OK : next_or_end(cursor);
}

/* Form (1). */
static int begin_options(generic_cursor *cursor, int given, sqlite3_value **argv, bool *none) {
  const generic_table *table = table_of(cursor);
  const mpg_generic_kind *kind = table->module->kind;
  mpg_value values[MPG_OPTIONS];
  mpg_err err;
  mpg_rc rc;
  const char *name = table->module->module.name;
  int code = mpg_generic_missing(kind, cursor->base.pVtab, given, name, argv);
  if (code == SQLITE_OK)
    code = mpg_generic_read_options(kind, given, argv, cursor->arguments, values);
  if (code != SQLITE_OK)
    return code;
  if (cursor->arguments[0] == NULL)
    return mpg_vtab_error(cursor->base.pVtab, "%s: expected a path, as in %s", name,
                          table->module->example);
  *none = mpg_argument_is_nothing(table->conn, name, "path", cursor->arguments[0]);
  if (*none)
    return SQLITE_OK;
  rc = mpg_generic_open(&cursor->generic, kind, table->conn, values, &err);
  if (rc == MPG_OK)
    rc = mpg_record_iterator_path(&cursor->iterator, cursor->generic.path, &err);
  cursor->iterator.shared = &cursor->generic;
  cursor->iterator.skip = cursor->generic.skip;
  return rc == MPG_OK ? SQLITE_OK : fail(cursor, &err);
}

static mpg_rc open_scan(generic_cursor *cursor, mpg_err *err) {
  mpg_rows_scan_close(&cursor->scan);
  return mpg_rows_scan_open(&cursor->scan, &cursor->iterator.scan.env, &cursor->query,
                            &cursor->iterator.paths, &table_of(cursor)->conn->issues, err);
}

/* The columns of a mask, whose last bit stands for all from there on. */
static mpg_rc want_columns(generic_cursor *cursor, uint64_t wanted_columns) {
  const generic_table *table = table_of(cursor);
  const size_t n = table->columns.n;
  size_t *cell_of;
  cursor->wanted = mpg_malloc(&table->conn->env, 2 * n * sizeof *cursor->wanted);
  if (cursor->wanted == NULL)
    return MPG_NOMEM;
  cell_of = cursor->wanted + n;
  cursor->query.wanted = cursor->wanted;
  for (size_t i = 0; i < n; i++) {
    cell_of[i] = cursor->query.n_wanted;
    if ((wanted_columns >> (i < 63 ? i : 63) & 1) != 0)
      cursor->wanted[cursor->query.n_wanted++] = i;
  }
  cursor->query.lines = (wanted_columns >> (n + 1 < 63 ? n + 1 : 63) & 1) != 0;
  return MPG_OK;
}

/* Form (2). */
static int begin_created(generic_cursor *cursor, const char *plan, int argc, sqlite3_value **argv) {
  const generic_table *table = table_of(cursor);
  mpg_scan_query *q = &cursor->query;
  char *end;
  uint64_t wanted_columns = strtoull(plan, &end, 10);
  bool distinct = strtol(end, &end, 10) != 0;
  mpg_err err;
  mpg_rc rc;
  int code =
      mpg_generic_read_filters(&cursor->filters, table->conn, &table->columns, end, argc, argv);
  if (code != SQLITE_OK)
    return code;
  *q = (mpg_scan_query){.format = table->module->created->rows,
                        .rows = {.options = &table->generic.options,
                                 .columns = &table->columns,
                                 .n_filters = cursor->filters.n_rows,
                                 .checked = table->generic.skip ? wanted_columns : 0},
                        .distinct = distinct,
                        .skip = table->generic.skip,
                        .chosen = mpg_generic_file_chosen,
                        .chosen_ctx = &cursor->filters,
                        .threads = table->generic.threads};
  memcpy(q->rows.filters, cursor->filters.rows, sizeof q->rows.filters);
  if (want_columns(cursor, wanted_columns) != MPG_OK)
    return SQLITE_NOMEM;
  rc = mpg_record_iterator_path(&cursor->iterator, table->generic.path, &err);
  if (rc == MPG_OK)
    rc = open_scan(cursor, &err);
  return rc == MPG_OK ? SQLITE_OK : fail(cursor, &err);
}

static int generic_filter(sqlite3_vtab_cursor *base, int given, const char *plan, int argc,
                          sqlite3_value **argv) {
  generic_cursor *cursor = (generic_cursor *)base;
  generic_table *table = table_of(cursor);
  bool none = false;
  int rc;
  if (reset(cursor) != MPG_OK)
    return SQLITE_NOMEM;
  rc = mpg_record_iterator_begin(&cursor->iterator, table->conn,
                                 table->created ? NULL : &mpg_generic_files);
  cursor->record.env = rc == SQLITE_OK ? &cursor->iterator.scan.env : &table->conn->env;
  if (rc == SQLITE_OK)
    rc = table->created ? begin_created(cursor, plan, argc, argv)
                        : begin_options(cursor, given, argv, &none);
  cursor->row = mpg_first_rowid(cursor->arguments, MPG_OPTIONS);
  return rc != SQLITE_OK || none ? rc : next_or_end(cursor);
}

static int generic_eof(sqlite3_vtab_cursor *base) {
  return ((generic_cursor *)base)->at_end;
}

/*
** SQLite 3.40 allows rows to be left out for DISTINCT even if it reads the rowids of the others. It
** has read no rowid so far, so leaving out rows was right; from here on all rows are returned.
*/
static mpg_rc stop_leaving_out(generic_cursor *cursor, mpg_err *err) {
  int64_t number = mpg_rows_scan_number(&cursor->scan);
  mpg_rc rc;
  cursor->query.distinct = false;
  rc = open_scan(cursor, err);
  do {
    if (rc == MPG_OK)
      rc = mpg_rows_scan_next(&cursor->scan, err);
  } while (rc == MPG_OK && mpg_rows_scan_number(&cursor->scan) < number);
  return rc == MPG_DONE ? mpg_fail(err, MPG_IO, "the files changed while they were read") : rc;
}

static int generic_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *row) {
  generic_cursor *cursor = (generic_cursor *)base;
  mpg_err err;
  if (cursor->query.distinct && stop_leaving_out(cursor, &err) != MPG_OK)
    return fail(cursor, &err);
  *row = table_of(cursor)->created ? mpg_rows_scan_number(&cursor->scan) : cursor->row;
  return SQLITE_OK;
}

/* Column i of form (2). */
static mpg_rc read_created(generic_cursor *cursor, size_t i, mpg_value *out, mpg_err *err) {
  const size_t n = table_of(cursor)->columns.n;
  if (i < n)
    return mpg_rows_scan_column(&cursor->scan, cursor->wanted[n + i], out, err);
  if (i == n) {
    out->type = MPG_TEXT;
    out->s = mpg_str_of(cursor->scan.path);
  } else {
    out->type = MPG_INT;
    out->i = mpg_rows_scan_line(&cursor->scan);
  }
  return MPG_OK;
}

/* Column i of form (1), that is no argument. */
static mpg_rc read_record(generic_cursor *cursor, size_t i, mpg_value *out, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  if (i == 0) {
    cursor->record.n = 0;
    rc = mpg_generic_record(cursor->iterator.file, &cursor->record, err);
    if (rc == MPG_OK && mpg_poll_bytes(&cursor->iterator.scan.env, cursor->record.n))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    out->type = MPG_TEXT;
    out->s = (mpg_str){cursor->record.p, cursor->record.n};
  } else if (i == 1 + table_of(cursor)->module->kind->n_options) {
    out->type = MPG_TEXT;
    out->s = mpg_str_of(mpg_record_iterator_file(&cursor->iterator));
  } else {
    out->type = MPG_INT;
    out->i = cursor->iterator.format.line(cursor->iterator.file);
  }
  return rc;
}

static int generic_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  generic_cursor *cursor = (generic_cursor *)base;
  const generic_table *table = table_of(cursor);
  size_t i = (size_t)column;
  mpg_value value = {MPG_NULL, 0, 0.0, {NULL, 0}};
  mpg_err err;
  mpg_rc rc;
  if (!table->created && i > 0 && i <= table->module->kind->n_options) {
    if (cursor->arguments[i - 1] != NULL)
      sqlite3_result_value(context, cursor->arguments[i - 1]);
    return SQLITE_OK;
  }
  if (lends(table) && i == 3 + table->module->kind->n_options) {
    if (!mpg_generic_members(cursor->iterator.file, &cursor->lent.members, &cursor->lent.n))
      return mpg_vtab_error(base->pVtab, "%s: _record has all members: it goes with no columns",
                            table->module->module.name);
    sqlite3_result_pointer(context, &cursor->lent, MPG_JSON_ROW, NULL);
    return SQLITE_OK;
  }
  rc =
      table->created ? read_created(cursor, i, &value, &err) : read_record(cursor, i, &value, &err);
  if (rc != MPG_OK)
    return mpg_vtab_failure(base->pVtab, table->module->module.name, &err);
  return mpg_result_polled(context, &cursor->iterator.scan.env, &value);
}

/* xCreate is xConnect: eponymous, and creatable. */
static const sqlite3_module methods = {
    .iVersion = 0,
    .xCreate = generic_connect,
    .xConnect = generic_connect,
    .xBestIndex = generic_best_index,
    .xDisconnect = generic_disconnect,
    .xDestroy = generic_disconnect,
    .xOpen = generic_open,
    .xClose = generic_close,
    .xFilter = generic_filter,
    .xNext = generic_next,
    .xEof = generic_eof,
    .xColumn = generic_column,
    .xRowid = generic_rowid,
};

int mpg_register_generic(mpg_conn *conn, char **error) {
  static const generic_module csv = {{"csv_trace", &methods, 0},
                                     &mpg_generic_csv,
                                     &mpg_generic_csv_table,
                                     "csv_trace('jobs.csv')"},
                              json = {{"jsonl_trace", &methods, 0},
                                      &mpg_generic_json,
                                      &mpg_generic_json_table,
                                      "jsonl_trace('jobs.jsonl')"};
  int rc = mpg_register_file_modules(conn, &csv.module, 1, error);
  return rc == SQLITE_OK ? mpg_register_file_modules(conn, &json.module, 1, error) : rc;
}
