/*
** generic_rollup.c - csv_rollup and jsonl_rollup: files that no format describes, summed by the
** columns that a query names.
**
**   CREATE VIRTUAL TABLE temp.r
**     USING csv_rollup('jobs.csv', measures='gpus * ("end" - start) AS s');
**   SELECT pool, sum(s), sum(rows) FROM r GROUP BY pool;
**
** (1) The columns are those of the file, the measures, and `rows`. If the file has more than 63
**     columns, measures and `rows` come first. If a measure has the name of a column, it replaces
**     that column. The grain law: a row of the table is one combination of the file's columns that
**     the query names. Measures and `rows` are sums over the records of that combination. So
**     sum(rows) counts records, and count(*) counts rows of the table.
** (2) As a table function, csv_rollup(path, measures, by), a row is a JSON object with the columns
**     that `by` names, the measures and `rows`.
** (3) Comparisons of the file's columns are tested while it is read (generic_filter.c). Rows come
**     in the order of the columns, or in the order that the query asks for.
** (4) The rowid of a group is the number of its first record. SQLite compares rowids of scans that
**     may have different comparisons (OR, RIGHT JOIN), so it may not depend on them.
** (5) As csv_trace: DIRECTONLY; made in the schema temp alone (generic.h). The first file is read
**     when the table is made, all of them in xFilter, by several threads.
*/
#include "../../read/input/unfinished.h"
#include "../list.h"
#include "generic_sums.h"
#include "../../base/text.h"
#include "../../sqlite/host.h"

#include <stdlib.h>
#include <string.h>

typedef struct rollup_module {
  mpg_module module; /* must be first */
  const mpg_generic_kind *kind;
  const char *example;
} rollup_module;

typedef struct rollup_table {
  sqlite3_vtab base; /* must be first */
  mpg_conn *conn;
  const rollup_module *module;
  bool created;
  mpg_value values[MPG_OPTIONS];
  mpg_summand source;
  size_t *columns_of; /* the file's columns that the table has, in order */
  size_t n_columns;
  size_t first_column, first_total; /* columns of the table; the last total is `rows` */
} rollup_table;

typedef struct rollup_cursor {
  sqlite3_vtab_cursor base;     /* must be first */
  mpg_record_iterator iterator; /* for its paths and its environment */
  mpg_generic_filters filters;
  sqlite3_value *arguments[MPG_OPTIONS];
  mpg_summand source; /* of a table function */
  mpg_sums sums;
  int part_of[MPG_GROUP_PARTS]; /* the table's column of each dimension */
  size_t at;
  sqlite3_int64 first_row;
} rollup_cursor;

static rollup_table *table_of(rollup_cursor *cursor) {
  return (rollup_table *)cursor->base.pVtab;
}

/* ---- Table ---- */

static bool is_measure(const mpg_summand *s, mpg_str name) {
  bool found = mpg_str_eq_nocase(name, MPG_STR("rows"));
  for (size_t i = 0; i < s->measures.n && !found; i++)
    found = mpg_str_eq_nocase(name, s->measures.p[i].name);
  return found;
}

static mpg_rc show_columns(rollup_table *table, mpg_err *err) {
  const mpg_summand *s = &table->source;
  for (size_t i = 0; i < s->measures.n; i++)
    if (mpg_str_eq_nocase(s->measures.p[i].name, MPG_STR("rows")))
      return mpg_fail(err, MPG_MISUSE, "measures: \"rows\" is the count of records");
  table->columns_of = mpg_malloc(&table->conn->env, (s->columns.n + 1) * sizeof *table->columns_of);
  if (table->columns_of == NULL)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < s->columns.n; i++)
    if (!is_measure(s, s->columns.p[i].name))
      table->columns_of[table->n_columns++] = i;
  /* SQLite says which of the first 63 columns a query names, and of the others only whether it
  ** names any: dimensions among those would count as named with every total. So then totals come
  ** first. */
  if (table->n_columns > 63)
    table->first_column = s->measures.n + 1;
  else
    table->first_total = table->n_columns;
  return MPG_OK;
}

static int open_created(rollup_table *table, int argc, const char *const *argv, char **error) {
  const rollup_module *m = table->module;
  mpg_record_iterator iterator;
  mpg_err err;
  mpg_rc rc;
  int code = mpg_generic_arguments(m->kind, argc, argv, m->example, table->values, error);
  if (code != SQLITE_OK)
    return code;
  memset(&iterator, 0, sizeof iterator);
  code = mpg_record_iterator_begin(&iterator, table->conn, NULL);
  if (code != SQLITE_OK)
    return code;
  if (table->values[MPG_OPTION_BY].type != MPG_NULL)
    rc = mpg_fail(&err, MPG_MISUSE,
                  "by: only the table function has it; a table is summed by the columns that a "
                  "query names");
  else
    rc = mpg_summand_open(&table->source, m->kind, table->conn, table->values, &iterator, &err);
  if (rc == MPG_OK && table->source.columns.n == 0)
    rc = mpg_fail(&err, MPG_DATA,
                  "%s:1:1: expected a record that names the columns, found end of file",
                  iterator.paths.file[0].path);
  if (rc == MPG_OK)
    rc = show_columns(table, &err);
  mpg_record_iterator_end(&iterator);
  if (rc == MPG_OK)
    return SQLITE_OK;
  if (rc != MPG_NOMEM && rc != MPG_INTERRUPTED)
    *error = sqlite3_mprintf("%s: %s", m->module.name, err.text);
  return mpg_sqlite_rc(rc);
}

/* Column i of the table. */
static void declare_column(sqlite3_str *sql, const rollup_table *table, size_t i) {
  const mpg_summand *s = &table->source;
  size_t columns_of = i - table->first_column, total = i - table->first_total;
  if (columns_of < table->n_columns)
    mpg_generic_declare(sql, s->columns.p[table->columns_of[columns_of]].name,
                        s->columns.p[table->columns_of[columns_of]].type);
  else if (total < s->measures.n)
    mpg_generic_declare(sql, s->measures.p[total].name,
                        s->measures.p[total].whole ? MPG_COLUMN_BIGINT : MPG_COLUMN_REAL);
  else
    sqlite3_str_appendall(sql, "rows BIGINT");
}

static int declare(sqlite3 *db, const rollup_table *table, char **error) {
  const mpg_generic_kind *kind = table->module->kind;
  sqlite3_str *sql = sqlite3_str_new(NULL);
  size_t n = table->n_columns + table->source.measures.n + 1;
  char *text;
  int rc;
  sqlite3_str_appendall(sql, "CREATE TABLE x(");
  for (size_t i = 0; table->created && i < n; i++) {
    sqlite3_str_appendall(sql, i == 0 ? "" : ", ");
    declare_column(sql, table, i);
  }
  if (!table->created)
    sqlite3_str_appendall(sql, "record TEXT");
  for (size_t i = 0; !table->created && i < kind->n_options; i++) {
    sqlite3_str_appendall(sql, ", ");
    mpg_declare_argument(sql, mpg_generic_option_name(kind->options[i]),
                         mpg_generic_option_type(kind->options[i]));
  }
  sqlite3_str_appendall(sql, ")");
  text = sqlite3_str_finish(sql);
  if (text == NULL)
    return SQLITE_NOMEM;
  rc = mpg_declare_table(db, table->module->module.name, text, error);
  sqlite3_free(text);
  return rc == SQLITE_OK ? sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY) : rc;
}

static int rollup_disconnect(sqlite3_vtab *vtab) {
  rollup_table *table = (rollup_table *)vtab;
  mpg_summand_close(&table->source);
  mpg_free(&table->conn->env, table->columns_of);
  mpg_generic_arguments_free(table->values);
  mpg_conn_release(table->conn);
  sqlite3_free(table);
  return SQLITE_OK;
}

static int rollup_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                          sqlite3_vtab **out, char **error) {
  const mpg_module_data *data = aux;
  rollup_table *table = sqlite3_malloc64(sizeof *table);
  int rc = SQLITE_OK;
  if (table == NULL)
    return SQLITE_NOMEM;
  memset(table, 0, sizeof *table);
  table->conn = data->conn;
  table->conn->references++;
  table->module = (const rollup_module *)data->module;
  /* The eponymous table has the module's name, and no argument. */
  table->created = argc > 3 || sqlite3_stricmp(argv[2], argv[0]) != 0;
  if (table->created)
    rc = open_created(table, argc, argv, error);
  if (rc == SQLITE_OK)
    rc = declare(db, table, error);
  if (rc != SQLITE_OK) {
    (void)rollup_disconnect(&table->base);
    return rc;
  }
  *out = &table->base;
  return SQLITE_OK;
}

/* ---- Plans ---- */

static size_t column_of(const void *p, int i) {
  const rollup_table *table = p;
  size_t k = (size_t)i - table->first_column; /* of a total more than there are */
  return k < table->n_columns ? table->columns_of[k] : MPG_FILTER_NONE;
}

static bool is_text(const rollup_table *table, int column) {
  mpg_column_type type = table->source.columns.p[column_of(table, column)].type;
  return type != MPG_COLUMN_BIGINT && type != MPG_COLUMN_REAL && type != MPG_COLUMN_TIME;
}

/* Whether the requested order is one of dimensions; appends their number, and "COLUMN DIRECTION" of
** each. */
static bool plan_order(const rollup_table *table, const sqlite3_index_info *info,
                       sqlite3_str *text) {
  bool ordered = info->nOrderBy > 0 && info->nOrderBy <= MPG_GROUP_PARTS, texts = false;
  for (int i = 0; ordered && i < info->nOrderBy; i++)
    ordered = info->aOrderBy[i].iColumn >= 0 &&
              column_of(table, info->aOrderBy[i].iColumn) != MPG_FILTER_NONE;
  for (int i = 0; ordered && i < info->nOrderBy; i++)
    texts |= is_text(table, info->aOrderBy[i].iColumn);
  ordered = ordered && (!texts || mpg_text_is_utf8(table->conn->db));
  sqlite3_str_appendf(text, "%d ", ordered ? info->nOrderBy : 0);
  for (int i = 0; ordered && i < info->nOrderBy; i++)
    sqlite3_str_appendf(text, "%d %d ", info->aOrderBy[i].iColumn, info->aOrderBy[i].desc);
  return ordered;
}

/* idxStr: the requested columns, as a mask; how many to sort by, and which; the comparisons. */
static int plan_created(const rollup_table *table, sqlite3_index_info *info) {
  sqlite3_str *plan = sqlite3_str_new(NULL);
  int failed;
  sqlite3_str_appendf(plan, "%llu ", (unsigned long long)info->colUsed);
  info->orderByConsumed = plan_order(table, info, plan);
  info->estimatedRows = 10000;
  mpg_generic_plan_filters(info, &table->source.columns, column_of, table, plan);
  failed = sqlite3_str_errcode(plan);
  info->idxStr = sqlite3_str_finish(plan);
  info->needToFreeIdxStr = 1;
  return failed != SQLITE_OK || info->idxStr == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

static int rollup_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  const rollup_table *table = (const rollup_table *)vtab;
  if (table->created)
    return plan_created(table, info);
  info->estimatedRows = 10000;
  return mpg_generic_plan_options(vtab, table->module->module.name, table->module->kind, info);
}

/* ---- Cursor ---- */

static int rollup_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
  int rc = mpg_cursor_open(sizeof(rollup_cursor), out);
  if (rc == SQLITE_OK)
    ((rollup_cursor *)*out)->sums.record.env = &((rollup_table *)vtab)->conn->env;
  return rc;
}

static void reset(rollup_cursor *cursor) {
  (void)mpg_record_iterator_reset(&cursor->iterator); /* no file is open in it */
  mpg_sums_reset(&cursor->sums, &table_of(cursor)->conn->env);
  mpg_summand_close(&cursor->source);
  mpg_generic_free_filters(&cursor->filters, table_of(cursor)->conn);
  for (size_t i = 0; i < MPG_OPTIONS; i++) {
    sqlite3_value_free(cursor->arguments[i]);
    cursor->arguments[i] = NULL;
  }
  cursor->at = 0;
}

static int rollup_close(sqlite3_vtab_cursor *base) {
  rollup_cursor *cursor = (rollup_cursor *)base;
  reset(cursor);
  mpg_record_iterator_end(&cursor->iterator);
  mpg_json_text_free(&cursor->sums.record);
  sqlite3_free(cursor);
  return SQLITE_OK;
}

static int fail(rollup_cursor *cursor, const mpg_err *err) {
  cursor->at = cursor->sums.groups.n;
  return mpg_vtab_failure(cursor->base.pVtab, table_of(cursor)->module->module.name, err);
}

static mpg_rc add_dimension(rollup_cursor *cursor, size_t column, int name_of_column,
                            mpg_err *err) {
  size_t part = cursor->sums.query.n_dimensions;
  mpg_rc rc = mpg_sums_by(&cursor->sums, column, err);
  if (rc == MPG_OK)
    cursor->part_of[part] = name_of_column;
  return rc;
}

static int begin_created(rollup_cursor *cursor, const char *plan, int argc, sqlite3_value **argv) {
  const rollup_table *table = table_of(cursor);
  mpg_sums *sums = &cursor->sums;
  mpg_rows_query *rows = &sums->query.rows;
  char *end;
  uint64_t used = strtoull(plan, &end, 10);
  long n = strtol(end, &end, 10);
  mpg_err err;
  int rc;
  for (size_t k = 0; k < table->n_columns; k++) {
    size_t i = table->first_column + k;
    if ((used >> (i < 63 ? i : 63) & 1) != 0 &&
        add_dimension(cursor, table->columns_of[k], (int)i, &err) != MPG_OK)
      return fail(cursor, &err);
  }
  for (long i = 0; i < n; i++) {
    int column = (int)strtol(end, &end, 10);
    bool down = strtol(end, &end, 10) != 0;
    for (size_t k = 0; k < sums->query.n_dimensions; k++)
      if (cursor->part_of[k] == column)
        sums->keys[sums->n_keys++] = (mpg_sums_key){k, down};
  }
  rc = mpg_generic_read_filters(&cursor->filters, table->conn, &table->source.columns, end, argc,
                                argv);
  if (rc != SQLITE_OK)
    return rc;
  memcpy(rows->filters, cursor->filters.rows, sizeof rows->filters);
  rows->n_filters = cursor->filters.n_rows;
  return mpg_record_iterator_path(&cursor->iterator, table->source.generic.path, &err) == MPG_OK
             ? SQLITE_OK
             : fail(cursor, &err);
}

/* The columns that the argument `by` names. */
static mpg_rc read_by(rollup_cursor *cursor, const mpg_value *by, mpg_err *err) {
  const mpg_summand *s = &cursor->source;
  mpg_columns list;
  mpg_rc rc;
  if (by->type == MPG_NULL || (by->type == MPG_TEXT && by->s.n == 0))
    return MPG_OK;
  if (by->type != MPG_TEXT)
    return mpg_fail_argument(err, "by", "names of columns", by);
  mpg_columns_init(&list, &table_of(cursor)->conn->env);
  rc = mpg_columns_parse(&list, by->s, MPG_COLUMNS_NAMES, err);
  if (rc != MPG_OK)
    rc = mpg_option_fail("by", err);
  for (size_t i = 0; rc == MPG_OK && i < list.n && s->columns.n > 0; i++) {
    size_t k = mpg_columns_find(&s->columns, list.p[i].name);
    char name[MPG_EXCERPT];
    mpg_text_excerpt(list.p[i].name, name);
    rc = k < s->columns.n
             ? add_dimension(cursor, k, (int)k, err)
             : mpg_fail(err, MPG_MISUSE, "by: expected the name of a column, found \"%s\"", name);
  }
  mpg_columns_free(&list);
  return rc;
}

/* Without a column there is no record. Not a byte is not what was to be read, as of the rows. */
static mpg_rc check_empty(const rollup_cursor *cursor, mpg_err *err) {
  const mpg_record_iterator *iterator = &cursor->iterator;
  mpg_issues *issues = &iterator->conn->issues;
  for (size_t i = 0; i < iterator->paths.n; i++) {
    const char *path = iterator->paths.file[i].path;
    bool empty;
    mpg_rc rc;
    mpg_issues_drop(issues, path);
    rc = mpg_paths_are_several(&iterator->paths)
             ? mpg_stream_list_empty(&iterator->scan.env, path, issues, &empty, err)
             : mpg_stream_not_empty(&iterator->scan.env, path, err);
    if (rc != MPG_OK && (rc != MPG_DATA || !cursor->source.generic.skip))
      return rc;
    if (rc == MPG_DATA && mpg_issues_add(issues, MPG_DATA_LOSS, path, "skipped_record", 1, 1, "%s",
                                         err->text) != MPG_OK)
      return mpg_fail_nomem(err);
  }
  return MPG_OK;
}

static int begin_options(rollup_cursor *cursor, int given, sqlite3_value **argv, bool *none) {
  const rollup_table *table = table_of(cursor);
  mpg_value values[MPG_OPTIONS];
  mpg_err err;
  mpg_rc rc;
  const mpg_generic_kind *kind = table->module->kind;
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
  rc = mpg_summand_open(&cursor->source, table->module->kind, table->conn, values,
                        &cursor->iterator, &err);
  if (rc == MPG_OK)
    rc = read_by(cursor, &values[MPG_OPTION_BY], &err);
  *none = rc == MPG_OK && cursor->source.columns.n == 0;
  if (*none)
    rc = check_empty(cursor, &err);
  return rc == MPG_OK ? SQLITE_OK : fail(cursor, &err);
}

static int rollup_filter(sqlite3_vtab_cursor *base, int given, const char *plan, int argc,
                         sqlite3_value **argv) {
  rollup_cursor *cursor = (rollup_cursor *)base;
  const rollup_table *table = table_of(cursor);
  bool none = false;
  mpg_err err;
  int rc;
  reset(cursor);
  rc = mpg_record_iterator_begin(&cursor->iterator, table->conn, NULL);
  cursor->sums.record.env = rc == SQLITE_OK ? &cursor->iterator.scan.env : &table->conn->env;
  if (rc == SQLITE_OK)
    rc = table->created ? begin_created(cursor, plan, argc, argv)
                        : begin_options(cursor, given, argv, &none);
  if (rc != SQLITE_OK || none)
    return rc;
  cursor->first_row = mpg_first_rowid(cursor->arguments, MPG_OPTIONS);
  return mpg_sums_read(&cursor->sums, table->created ? &table->source : &cursor->source,
                       &cursor->iterator, &err) == MPG_OK
             ? SQLITE_OK
             : fail(cursor, &err);
}

static int rollup_next(sqlite3_vtab_cursor *base) {
  ((rollup_cursor *)base)->at++;
  return SQLITE_OK;
}

static int rollup_eof(sqlite3_vtab_cursor *base) {
  const rollup_cursor *cursor = (const rollup_cursor *)base;
  return cursor->at >= cursor->sums.groups.n;
}

static int rollup_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *row) {
  const rollup_cursor *cursor = (const rollup_cursor *)base;
  *row = cursor->first_row + cursor->sums.groups.p[cursor->sums.order[cursor->at]].first;
  return SQLITE_OK;
}

static int rollup_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  rollup_cursor *cursor = (rollup_cursor *)base;
  const rollup_table *table = table_of(cursor);
  mpg_sums *sums = &cursor->sums;
  size_t i = (size_t)column, group = sums->order[cursor->at];
  mpg_value value = {MPG_NULL, 0, 0.0, {NULL, 0}};
  mpg_err err;
  mpg_rc rc = MPG_OK;
  if (!table->created && i > 0) {
    if (cursor->arguments[i - 1] != NULL)
      sqlite3_result_value(context, cursor->arguments[i - 1]);
    return SQLITE_OK;
  }
  if (!table->created) {
    rc = mpg_sums_record(sums, group, &value, &err);
  } else if (i - table->first_column < table->n_columns) {
    for (size_t k = 0; k < sums->query.n_dimensions; k++)
      if (cursor->part_of[k] == column)
        value = mpg_sums_dimension(sums, group, k);
  } else if (i - table->first_total < table->source.measures.n) {
    rc = mpg_sums_measure(sums, group, i - table->first_total, &value, &err);
  } else {
    value = mpg_sums_rows(sums, group);
  }
  if (rc != MPG_OK)
    return mpg_vtab_failure(base->pVtab, table->module->module.name, &err);
  mpg_result_value(context, &value);
  return SQLITE_OK;
}

/* xCreate is xConnect: eponymous, and creatable. */
static const sqlite3_module methods = {
    .iVersion = 0,
    .xCreate = rollup_connect,
    .xConnect = rollup_connect,
    .xBestIndex = rollup_best_index,
    .xDisconnect = rollup_disconnect,
    .xDestroy = rollup_disconnect,
    .xOpen = rollup_open,
    .xClose = rollup_close,
    .xFilter = rollup_filter,
    .xNext = rollup_next,
    .xEof = rollup_eof,
    .xColumn = rollup_column,
    .xRowid = rollup_rowid,
};

int mpg_register_generic_rollup(mpg_conn *conn, char **error) {
  static const rollup_module csv = {{"csv_rollup", &methods, 0},
                                    &mpg_generic_csv_rollup,
                                    "csv_rollup('jobs.csv', 'gpus', 'pool')"},
                             json = {{"jsonl_rollup", &methods, 0},
                                     &mpg_generic_json_rollup,
                                     "jsonl_rollup('jobs.jsonl', 'gpus', 'pool')"};
  int rc = mpg_register_file_modules(conn, &csv.module, 1, error);
  return rc == SQLITE_OK ? mpg_register_file_modules(conn, &json.module, 1, error) : rc;
}
