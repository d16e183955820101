/*
** generic_table.c - csv_trace and jsonl_trace: files that no format describes.
**
** Each is one module in two forms:
**
**   (1) SELECT record ->> 'gpus' FROM csv_trace('jobs.csv'), the quick look. A row is a record, as
**       one column of JSON text. Options are hidden columns, as of every reader (reader.h); nothing
**       is opened before the query runs. Each file has a header and types of its own.
**   (2) CREATE VIRTUAL TABLE temp.jobs USING csv_trace('jobs.csv', nulls='-'): columns by their own
**       names, with types. The first file is read there and then, for its header and its types. It
**       is refused in every schema but temp (generic.h).
**
** Both are DIRECTONLY, and end in the hidden columns _file and _line. A value is decoded when the
** query asks for it. Equality of a column of TEXT or BIGINT with a value of its type is tested
** before SQLite sees the row, and then by SQLite once more.
*/
#include "generic.h"

#include <stdlib.h>
#include <string.h>

typedef struct generic_module {
  mpg_module module; /* must be first */
  const mpg_generic_kind *kind;
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
  sqlite3_vtab_cursor base; /* must be first */
  mpg_walk walk;
  mpg_rows_query query;
  sqlite3_value *arguments[MPG_OPTIONS > MPG_ROWS_FILTERS ? (int)MPG_OPTIONS : MPG_ROWS_FILTERS];
  mpg_generic generic; /* form (1) */
  mpg_json_text record;
  bool at_end;
  sqlite3_int64 row;
} generic_cursor;
#define ARGUMENTS (sizeof((generic_cursor *)NULL)->arguments / sizeof(sqlite3_value *))

static generic_table *table_of(generic_cursor *cursor) {
  return (generic_table *)cursor->base.pVtab;
}

/* ---- Table ---- */

/* Form (2): reads the options and the first file. */
static int open_created(generic_table *table, int argc, const char *const *argv, char **error) {
  const generic_module *m = table->module;
  mpg_walk walk;
  mpg_err err;
  mpg_walk_format format = mpg_generic_walk(m->kind);
  mpg_rc rc;
  int code = mpg_generic_arguments(m->kind, argc, argv, m->example, table->values, error);
  if (code != SQLITE_OK)
    return code;
  memset(&walk, 0, sizeof walk);
  code = mpg_walk_begin(&walk, table->conn, &format);
  if (code != SQLITE_OK)
    return code;
  rc = mpg_generic_open(&table->generic, m->kind, &table->conn->env, table->values, &err);
  if (rc == MPG_OK)
    rc = mpg_walk_path(&walk, table->generic.path, &err);
  if (rc == MPG_OK)
    rc = mpg_generic_columns(&table->generic, &table->columns, &walk.scan.env, &walk.paths, &err);
  if (rc == MPG_OK && table->columns.n == 0)
    rc = mpg_fail(&err, MPG_DATA,
                  "%s:1:1: expected a record that shows the columns, found end of file",
                  walk.paths.path[0]);
  mpg_walk_end(&walk);
  if (rc == MPG_OK)
    return SQLITE_OK;
  if (rc != MPG_NOMEM && rc != MPG_INTERRUPTED)
    *error = sqlite3_mprintf("%s: %s", m->module.name, err.text);
  return mpg_sqlite_rc(rc);
}

static int declare(sqlite3 *db, const generic_table *table) {
  const mpg_generic_kind *kind = table->module->kind;
  const mpg_columns *columns = &table->columns;
  sqlite3_str *sql = sqlite3_str_new(db);
  char *text;
  int rc;
  sqlite3_str_appendall(sql, "CREATE TABLE x(");
  for (size_t i = 0; table->created && i < columns->n; i++) {
    const mpg_column *c = &columns->p[i];
    char *name = sqlite3_mprintf("%.*s", (int)c->name.n, c->name.p);
    sqlite3_str_appendf(sql, "\"%w\" %s, ", name,
                        c->type == MPG_COLUMN_TIME ? "REAL" : mpg_column_type_name(c->type));
    sqlite3_free(name);
  }
  if (!table->created) {
    sqlite3_str_appendall(sql, "record TEXT, ");
    for (size_t i = 0; i < kind->n_options; i++)
      sqlite3_str_appendf(sql, "%s HIDDEN, ", mpg_generic_option_name(kind->options[i]));
  }
  sqlite3_str_appendall(sql, "_file TEXT HIDDEN, _line BIGINT HIDDEN)");
  text = sqlite3_str_finish(sql);
  if (text == NULL)
    return SQLITE_NOMEM;
  rc = sqlite3_declare_vtab(db, text);
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
  if (rc == SQLITE_OK) {
    rc = declare(db, table);
    if (rc != SQLITE_OK && rc != SQLITE_NOMEM)
      *error = sqlite3_mprintf("%s: %s", table->module->module.name, sqlite3_errmsg(db));
  }
  if (rc != SQLITE_OK) {
    (void)generic_disconnect(&table->base);
    return rc;
  }
  *out = &table->base;
  return SQLITE_OK;
}

/* ---- Plans ---- */

/* Form (1). idxNum: bit i is set where option i of the kind is given; xFilter's arguments are those,
** in order. A missing path is for xFilter to say. */
static int plan_arguments(const generic_table *table, sqlite3_index_info *info) {
  const mpg_generic_kind *kind = table->module->kind;
  int at[MPG_OPTIONS], given = 0;
  for (int i = 0; i < MPG_OPTIONS; i++)
    at[i] = -1;
  for (int c = 0; c < info->nConstraint; c++) {
    int i = info->aConstraint[c].iColumn - 1;
    if (i < 0 || i >= (int)kind->n_options || info->aConstraint[c].op != SQLITE_INDEX_CONSTRAINT_EQ)
      continue;
    if (!info->aConstraint[c].usable)
      return SQLITE_CONSTRAINT; /* another join order can provide it */
    if (at[i] < 0)
      at[i] = c;
  }
  for (size_t i = 0; i < kind->n_options; i++)
    if (at[i] >= 0) {
      info->aConstraintUsage[at[i]].argvIndex = ++given;
      info->aConstraintUsage[at[i]].omit = 1;
      info->idxNum |= 1 << i;
    }
  info->estimatedCost = at[0] < 0 ? 1e99 : 1e6;
  info->estimatedRows = 100000;
  return SQLITE_OK;
}

/* Form (2). idxStr is the columns that are asked for, as a mask, and then those that are compared
** with xFilter's arguments, in order. */
static int plan_filters(const generic_table *table, sqlite3_index_info *info) {
  const mpg_columns *columns = &table->columns;
  sqlite3_str *text = sqlite3_str_new(table->conn->db);
  int given = 0, failed;
  sqlite3_str_appendf(text, "%llu ", (unsigned long long)info->colUsed);
  for (int c = 0; c < info->nConstraint && given < MPG_ROWS_FILTERS; c++) {
    int i = info->aConstraint[c].iColumn;
    if (i < 0 || i >= (int)columns->n || !info->aConstraint[c].usable ||
        info->aConstraint[c].op != SQLITE_INDEX_CONSTRAINT_EQ)
      continue;
    if (columns->p[i].type != MPG_COLUMN_BIGINT &&
        (columns->p[i].type != MPG_COLUMN_TEXT ||
         sqlite3_stricmp(sqlite3_vtab_collation(info, c), "BINARY") != 0))
      continue;
    info->aConstraintUsage[c].argvIndex = ++given;
    sqlite3_str_appendf(text, "%d ", i);
  }
  info->estimatedCost = given > 0 ? 5e5 : 1e6;
  info->estimatedRows = given > 0 ? 1000 : 100000;
  failed = sqlite3_str_errcode(text);
  info->idxStr = sqlite3_str_finish(text);
  info->needToFreeIdxStr = 1;
  return failed != SQLITE_OK || info->idxStr == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

static int generic_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  const generic_table *table = (const generic_table *)vtab;
  return table->created ? plan_filters(table, info) : plan_arguments(table, info);
}

/* ---- Cursor ---- */

static int generic_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
  generic_cursor *cursor = sqlite3_malloc64(sizeof *cursor);
  if (cursor == NULL)
    return SQLITE_NOMEM;
  memset(cursor, 0, sizeof *cursor);
  cursor->record.env = &((generic_table *)vtab)->conn->env;
  *out = &cursor->base;
  return SQLITE_OK;
}

static mpg_rc reset(generic_cursor *cursor) {
  mpg_rc rc = mpg_walk_reset(&cursor->walk);
  mpg_generic_close(&cursor->generic);
  for (size_t i = 0; i < ARGUMENTS; i++) {
    sqlite3_value_free(cursor->arguments[i]);
    cursor->arguments[i] = NULL;
  }
  memset(&cursor->query, 0, sizeof cursor->query);
  cursor->row = 0;
  cursor->at_end = true;
  return rc;
}

static int generic_close(sqlite3_vtab_cursor *base) {
  generic_cursor *cursor = (generic_cursor *)base;
  (void)reset(cursor); /* out of memory: some issues are lost, and nobody asks any more */
  mpg_walk_end(&cursor->walk);
  mpg_json_text_free(&cursor->record);
  sqlite3_free(cursor);
  return SQLITE_OK;
}

static int fail(generic_cursor *cursor, const mpg_err *err) {
  cursor->at_end = true;
  return mpg_vtab_failure(cursor->base.pVtab, table_of(cursor)->module->module.name, err);
}

static int generic_next(sqlite3_vtab_cursor *base) {
  generic_cursor *cursor = (generic_cursor *)base;
  mpg_err err;
  mpg_rc rc = mpg_walk_next(&cursor->walk, &err);
  cursor->row++;
  cursor->at_end = rc != MPG_OK;
  return rc == MPG_OK || rc == MPG_DONE ? SQLITE_OK : fail(cursor, &err);
}

/* Keeps argument i as long as the scan; in a database of UTF-16 this turns text into UTF-8. */
static int keep(generic_cursor *cursor, size_t i, sqlite3_value *value, mpg_value *out) {
  sqlite3_value *copy = cursor->arguments[i] = sqlite3_value_dup(value);
  if (copy == NULL || (sqlite3_value_type(copy) == SQLITE_TEXT && sqlite3_value_text(copy) == NULL))
    return SQLITE_NOMEM;
  *out = mpg_value_of(copy);
  return SQLITE_OK;
}

/* Form (1): the options, then the columns. *none: an argument is NULL, so there are no rows. */
static int begin_arguments(generic_cursor *cursor, int given, sqlite3_value **argv, bool *none) {
  const generic_table *table = table_of(cursor);
  const mpg_generic_kind *kind = table->module->kind;
  mpg_value values[MPG_OPTIONS] = {{MPG_NULL, 0, 0.0, {NULL, 0}}};
  mpg_err err;
  mpg_rc rc;
  int next = 0, code;
  for (size_t i = 0; i < kind->n_options; i++) {
    if ((given >> i & 1) == 0)
      continue;
    *none = sqlite3_value_type(argv[next]) == SQLITE_NULL;
    if (*none)
      return SQLITE_OK;
    code = keep(cursor, i, argv[next++], &values[kind->options[i]]);
    if (code != SQLITE_OK)
      return code;
  }
  if (values[MPG_OPTION_PATH].type == MPG_NULL)
    return mpg_vtab_error(cursor->base.pVtab, "%s: expected a path, as in %s",
                          table->module->module.name, table->module->example);
  rc = mpg_generic_open(&cursor->generic, kind, &table->conn->env, values, &err);
  if (rc == MPG_OK)
    rc = mpg_walk_path(&cursor->walk, cursor->generic.path, &err);
  return rc == MPG_OK ? SQLITE_OK : fail(cursor, &err);
}

/* Form (2): the filters that the values allow. Others are SQLite's to apply. */
static int begin_filters(generic_cursor *cursor, const char *plan, int argc, sqlite3_value **argv) {
  const generic_table *table = table_of(cursor);
  mpg_err err;
  char *end;
  uint64_t asked = strtoull(plan, &end, 10);
  cursor->query.checked = table->generic.skip ? asked : 0;
  plan = end;
  for (int i = 0; i < argc; i++) {
    mpg_rows_filter filter;
    int code;
    filter.column = (size_t)strtoul(plan, &end, 10);
    plan = end;
    code = keep(cursor, (size_t)i, argv[i], &filter.value);
    if (code != SQLITE_OK)
      return code;
    if (sqlite3_value_type(argv[i]) ==
        (table->columns.p[filter.column].type == MPG_COLUMN_TEXT ? SQLITE_TEXT : SQLITE_INTEGER))
      cursor->query.filters[cursor->query.n_filters++] = filter;
  }
  return mpg_walk_path(&cursor->walk, table->generic.path, &err) == MPG_OK ? SQLITE_OK
                                                                           : fail(cursor, &err);
}

static int generic_filter(sqlite3_vtab_cursor *base, int given, const char *plan, int argc,
                          sqlite3_value **argv) {
  generic_cursor *cursor = (generic_cursor *)base;
  generic_table *table = table_of(cursor);
  mpg_generic *generic = table->created ? &table->generic : &cursor->generic;
  mpg_walk_format format =
      table->created ? mpg_generic_walk(table->module->kind) : mpg_generic_walk_each;
  bool none = false;
  int rc;
  if (reset(cursor) != MPG_OK)
    return SQLITE_NOMEM;
  rc = mpg_walk_begin(&cursor->walk, table->conn, &format);
  if (rc == SQLITE_OK)
    rc = table->created ? begin_filters(cursor, plan, argc, argv)
                        : begin_arguments(cursor, given, argv, &none);
  if (rc != SQLITE_OK || none)
    return rc;
  cursor->query.options = &generic->options;
  cursor->query.columns = &table->columns;
  cursor->walk.shared = table->created ? (void *)&cursor->query : (void *)generic;
  cursor->walk.skip = generic->skip;
  return generic_next(base);
}

static int generic_eof(sqlite3_vtab_cursor *base) {
  return ((generic_cursor *)base)->at_end;
}

static int generic_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *row) {
  *row = ((generic_cursor *)base)->row;
  return SQLITE_OK;
}

static mpg_rc read_record(generic_cursor *cursor, mpg_value *out, mpg_err *err) {
  mpg_rc rc;
  cursor->record.n = 0;
  rc = mpg_generic_record(cursor->walk.file, &cursor->record, err);
  out->type = MPG_TEXT;
  out->s = (mpg_str){cursor->record.p, cursor->record.n};
  return rc;
}

static int generic_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  generic_cursor *cursor = (generic_cursor *)base;
  const generic_table *table = table_of(cursor);
  const mpg_rows_format *rows = table->module->kind->rows;
  size_t i = (size_t)column, own = table->created ? table->columns.n : 1;
  size_t arguments = table->created ? 0 : table->module->kind->n_options;
  mpg_value value = {MPG_NULL, 0, 0.0, {NULL, 0}};
  mpg_err err;
  mpg_rc rc = MPG_OK;
  if (i < own) {
    rc = table->created ? rows->column(cursor->walk.file, i, &value, &err)
                        : read_record(cursor, &value, &err);
    if (rc != MPG_OK)
      return mpg_vtab_failure(base->pVtab, table->module->module.name, &err);
  } else if (i < own + arguments) {
    if (cursor->arguments[i - own] != NULL)
      sqlite3_result_value(context, cursor->arguments[i - own]);
    return SQLITE_OK;
  } else if (i == own + arguments) {
    value.type = MPG_TEXT;
    value.s = mpg_str_of(mpg_walk_file(&cursor->walk));
  } else {
    value.type = MPG_INT;
    value.i = cursor->walk.format.line(cursor->walk.file);
  }
  mpg_result_value(context, &value);
  return SQLITE_OK;
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
                                     "csv_trace('jobs.csv')"},
                              json = {{"jsonl_trace", &methods, 0},
                                      &mpg_generic_json,
                                      "jsonl_trace('jobs.jsonl')"};
  int rc = mpg_register_file_modules(conn, &csv.module, 1, error);
  return rc == SQLITE_OK ? mpg_register_file_modules(conn, &json.module, 1, error) : rc;
}
