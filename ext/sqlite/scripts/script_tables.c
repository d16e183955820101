/*
** script_tables.c - table functions that run an SQL file, as its head declares them (script.h).
**
**     trace_device_time(path, ...)   over files: on a private connection (table_run.h)
**     mpg_bad_nodes(...)             over tables of the open database: the file's one SELECT, on
**                                    the connection that asks
**
** They open nothing before xFilter, and no stored schema may use them. The same arguments again, as
** the inner loop of a join gives them, read no file again; nor does a later question, which the
** cache answers (table_cache.h).
*/
#include "script_tables.h"
#include "../host.h"
#include "table_cache.h"
#include "table_run.h"
#include "../catalogue.h"
#include "../constraint.h"

#include <string.h>

typedef struct cursor {
  sqlite3_vtab_cursor base; /* must be first */
  mpg_table_shape shape;
  mpg_query_env scan;
  mpg_sources sources;
  sqlite3_stmt *rows; /* NULL: none, or they are cached */
  mpg_table_cache_fill fill;
  mpg_table_rows *cached; /* NULL: they are those of the statement */
  mpg_row_place place;    /* of a cached row */
  const unsigned char *values[MPG_SHAPE_COLUMNS];
  sqlite3_value *arguments[MPG_SHAPE_ARGUMENTS];
  sqlite3_int64 rowid;
  bool eof;
} cursor;

static void shape_of(mpg_table_shape *shape, const mpg_module *module) {
  mpg_table_shape_read(shape, &mpg_script_tables[module->parameter]);
}

static int script_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                          sqlite3_vtab **out, char **error) {
  const mpg_module_data *data = aux;
  mpg_table_shape shape;
  char *declared;
  int rc;
  (void)argc;
  (void)argv;
  shape_of(&shape, data->module);
  declared = mpg_table_shape_declare(&shape);
  if (declared == NULL)
    return SQLITE_NOMEM;
  rc = mpg_table_connect(db, aux, declared, SQLITE_VTAB_DIRECTONLY, out, error);
  sqlite3_free(declared);
  return rc;
}

static const char *name_of(const sqlite3_vtab *base) {
  return ((const mpg_table *)base)->module->name;
}

static mpg_str number_column(const void *of, int column) {
  const mpg_table_shape *shape = of;
  const mpg_head *head = column < shape->ncolumns ? &shape->columns[column] : NULL;
  return head != NULL && (mpg_str_eq(head->type, MPG_STR("REAL")) ||
                          mpg_str_eq(head->type, MPG_STR("BIGINT")))
             ? head->name
             : MPG_STR("");
}

/* The values that xFilter looks at are all that idxStr has. */
static int ask_numbers(sqlite3_index_info *info, const mpg_table_shape *shape) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  const int given = __builtin_popcount((unsigned)info->idxNum & 0xffff);
  mpg_constraint_ask_numbers(info, number_column, shape, given, text);
  info->idxStr = sqlite3_str_finish(text);
  info->needToFreeIdxStr = 1;
  return info->idxStr == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

static int script_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
  mpg_table_shape shape;
  int rc;
  shape_of(&shape, ((const mpg_table *)base)->module);
  info->estimatedRows = 1000000; /* as many as a scan costs: one again is cheap */
  info->estimatedCost = 1e6;
  rc = mpg_plan_arguments(base, name_of(base), info, shape.ncolumns, shape.narguments);
  if (rc == SQLITE_OK)
    rc = mpg_constraint_of_numbers(base, info, name_of(base), number_column, &shape);
  if (rc == SQLITE_OK)
    rc = ask_numbers(info, &shape);
  if (shape.required > 0)
    return rc;
  info->estimatedCost = 1e6;
  /* The first argument is like the others: named and not given. */
  if (rc == SQLITE_OK && shape.narguments > 0 && (info->idxNum & 1) == 0 &&
      (info->colUsed >> shape.ncolumns & 1) != 0)
    info->idxNum |= 1 << 16;
  return rc;
}

static int script_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out) {
  int rc = mpg_cursor_open(sizeof(cursor), out);
  if (rc == SQLITE_OK)
    shape_of(&((cursor *)*out)->shape, ((const mpg_table *)base)->module);
  return rc;
}

static void cursor_clear(cursor *c) {
  (void)sqlite3_finalize(c->rows);
  mpg_sources_close(&c->sources);
  mpg_table_cache_fill_free(&c->fill);
  mpg_table_rows_release(c->cached);
  mpg_query_env_end(&c->scan);
  for (int i = 0; i < MPG_SHAPE_ARGUMENTS; i++) {
    sqlite3_value_free(c->arguments[i]);
    c->arguments[i] = NULL;
  }
  c->rows = NULL;
  c->cached = NULL;
  c->eof = true;
}

static int script_close(sqlite3_vtab_cursor *base) {
  cursor_clear((cursor *)base);
  sqlite3_free(base);
  return SQLITE_OK;
}

/* ---- arguments ---- */

/* The values of xFilter by the number of their argument. */
static void spread_arguments(int plan, int n, int argc, sqlite3_value **argv,
                             sqlite3_value *out[MPG_SHAPE_ARGUMENTS]) {
  int next = 0;
  for (int i = 0; i < MPG_SHAPE_ARGUMENTS; i++)
    out[i] = i < n && (plan >> i & 1) != 0 && next < argc ? argv[next++] : NULL;
}

/* SQLITE_OK, or the table has its error: an argument is missing or of another type. *none: one that
** must be given is NULL, and so there are no rows. */
static int check_arguments(sqlite3_vtab *base, const mpg_table_shape *shape, int plan,
                           sqlite3_value *const given[MPG_SHAPE_ARGUMENTS], bool *none) {
  *none = false;
  for (int i = 0; i < shape->narguments; i++) {
    char name[64];
    mpg_value value;
    (void)sqlite3_snprintf((int)sizeof name, name, "%.*s", (int)shape->arguments[i].name.n,
                           shape->arguments[i].name.p);
    if (i < shape->required && mpg_argument_is_missing(plan, (size_t)i))
      return mpg_path_missing(base, name_of(base));
    if (i >= shape->required && mpg_argument_is_missing(plan, (size_t)i))
      return mpg_argument_missing(base, name_of(base), name);
    if (i >= shape->required && given[i] != NULL &&
        mpg_argument_lost(base, plan, i, name_of(base), name, given[i]) != SQLITE_OK)
      return SQLITE_ERROR;
    if (i >= shape->required)
      continue;
    if (given[i] == NULL)
      return mpg_vtab_error(base, "%s: expected a path as the argument %s: %s('...')",
                            name_of(base), name, name_of(base));
    value = mpg_value_of(given[i]);
    if (value.type != MPG_NULL && value.type != MPG_TEXT)
      return mpg_vtab_misuse(base, name_of(base), name, "text", &value);
    *none = *none ||
            mpg_argument_is_nothing(((const mpg_table *)base)->conn, name_of(base), name, given[i]);
  }
  return SQLITE_OK;
}

/* That an argument which names a chip names one of the catalogue: else each file would be told to
** be unreadable, or the name not be looked at. */
static int check_chip(cursor *c, const mpg_head *argument, sqlite3_value *value) {
  static const char one_of[] = "a name or alias of mpg_chips";
  const mpg_value name = mpg_value_of(value);
  mpg_err why, err;
  if (name.type != MPG_TEXT || !mpg_str_contains(argument->text, mpg_str_of(one_of)) ||
      mpg_catalogue_check(((const mpg_table *)c->base.pVtab)->conn, name.s, &why) == MPG_OK)
    return SQLITE_OK;
  (void)mpg_fail(&err, why.rc, "%.*s: %s", (int)argument->name.n, argument->name.p, why.text);
  return mpg_vtab_failure(c->base.pVtab, name_of(c->base.pVtab), &err);
}

/* Copies the arguments, each as its head declares it. on_error is checked where it is read. */
static int copy_arguments(cursor *c, sqlite3_value *const given[MPG_SHAPE_ARGUMENTS]) {
  const mpg_table_shape *shape = &c->shape;
  int rc = SQLITE_OK;
  for (int i = 0; rc == SQLITE_OK && i < MPG_SHAPE_ARGUMENTS; i++) {
    if (given[i] != NULL && (c->arguments[i] = sqlite3_value_dup(given[i])) == NULL)
      return SQLITE_NOMEM;
    if (given[i] != NULL && i >= shape->required && i < shape->narguments - shape->on_error)
      rc = mpg_table_argument_take(c->base.pVtab, name_of(c->base.pVtab), &shape->arguments[i],
                                   c->arguments[i]);
    if (rc == SQLITE_OK && given[i] != NULL && i < shape->narguments)
      rc = check_chip(c, &shape->arguments[i], c->arguments[i]);
  }
  return rc;
}

/* ---- rows ---- */

/* The error of a statement on the user's own connection. */
static int host_failure(sqlite3_vtab *base, sqlite3 *db, int rc) {
  const char *text = sqlite3_errmsg(db);
  if (rc == SQLITE_INTERRUPT || rc == SQLITE_NOMEM)
    return rc;
  if (strncmp(text, "no such column: ", 16) == 0 && mpg_host_has_full_names(db))
    text = "expected PRAGMA short_column_names = ON beside full_column_names, found OFF";
  (void)mpg_vtab_error(base, "%s: %s%s", name_of(base), text,
                       strncmp(text, "no such table: ", 15) != 0 ? ""
                       : ((const mpg_table *)base)->conn->no_files
                           ? "; open a database that mpg_build made, which this connection lacks"
                           : "; SELECT mpg_build('traces/') makes the tables that it reads");
  return rc == SQLITE_OK ? SQLITE_ERROR : rc;
}

/*
** That an argument which names a value of the ledger names one that is there, as the head says:
** "one pool", or of mpg_migration "its value before". SQLITE_OK, or the table has its error.
*/
static int check_value(cursor *c, const mpg_table *t, int i) {
  const mpg_head *a = &c->shape.arguments[i];
  const bool pool = mpg_str_contains(a->text, MPG_STR("one pool"));
  const bool side = mpg_str_contains(a->text, MPG_STR("its value "));
  const mpg_value of = side && c->arguments[0] != NULL ? mpg_value_of(c->arguments[0])
                                                       : (mpg_value){.type = MPG_NULL};
  const mpg_value value = c->arguments[i] == NULL ? of : mpg_value_of(c->arguments[i]);
  const char *table = pool ? "ledger" : "cells";
  mpg_str column = pool ? MPG_STR("pool") : of.type == MPG_TEXT ? of.s : MPG_STR("runtime");
  char *query, name[64];
  sqlite3_stmt *stmt = NULL;
  int rc;
  if ((!pool && !side) || c->arguments[i] == NULL || value.type == MPG_NULL)
    return SQLITE_OK;
  query = sqlite3_mprintf(
      "SELECT sum(\"%.*w\" = ?1), %Q || ' of the ledger, such as ' || "
      "coalesce(group_concat(quote(\"%.*w\"), ', '), 'none, as it has none') FROM "
      "(SELECT DISTINCT \"%.*w\" FROM %s WHERE \"%.*w\" IS NOT NULL "
      "ORDER BY \"%.*w\" = ?1 DESC, 1 LIMIT 8)",
      (int)column.n, column.p, pool ? "a pool" : "a value", (int)column.n, column.p, (int)column.n,
      column.p, table, (int)column.n, column.p, (int)column.n, column.p);
  if (query == NULL)
    return SQLITE_NOMEM;
  rc = sqlite3_prepare_v3(t->conn->db, query, -1, SQLITE_PREPARE_NO_VTAB, &stmt, NULL);
  sqlite3_free(query);
  if (rc == SQLITE_OK)
    rc = sqlite3_bind_value(stmt, 1, c->arguments[i]);
  if (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
    rc = SQLITE_OK;
    (void)sqlite3_snprintf((int)sizeof name, name, "%.*s", (int)a->name.n, a->name.p);
    if (sqlite3_column_int(stmt, 0) == 0)
      rc = mpg_vtab_misuse(c->base.pVtab, name_of(c->base.pVtab), name,
                           (const char *)sqlite3_column_text(stmt, 1), &value);
  } else {
    rc = host_failure(c->base.pVtab, t->conn->db, rc);
  }
  (void)sqlite3_finalize(stmt);
  return rc;
}

/*
** Prepares the question with its arguments bound. A query of ours counts as typed by the user. So
** it may not read virtual tables, which a stranger's database may have under these names.
*/
static int ask_host(cursor *c, const mpg_table *t) {
  sqlite3 *db = t->conn->db;
  int rc = sqlite3_prepare_v3(db, c->shape.script->sql, -1, SQLITE_PREPARE_NO_VTAB, &c->rows, NULL);
  for (int i = 1; rc == SQLITE_OK && i <= sqlite3_bind_parameter_count(c->rows); i++) {
    const char *name = sqlite3_bind_parameter_name(c->rows, i);
    const int argument = name == NULL ? -1 : mpg_table_shape_argument(&c->shape, name + 1);
    if (argument >= 0 && c->arguments[argument] != NULL)
      rc = sqlite3_bind_value(c->rows, i, c->arguments[argument]);
  }
  if (rc != SQLITE_OK)
    return host_failure(c->base.pVtab, db, rc);
  rc = mpg_table_arguments_check(c->base.pVtab, &c->shape, c->arguments);
  for (int i = 0; rc == SQLITE_OK && i < c->shape.narguments; i++)
    rc = check_value(c, t, i);
  return rc;
}

static int script_next(sqlite3_vtab_cursor *base) {
  cursor *c = (cursor *)base;
  mpg_err err;
  int rc;
  c->rowid++;
  if (c->cached != NULL) {
    c->eof = !mpg_row_store_next(&c->cached->rows, &c->place, c->values);
    return SQLITE_OK;
  }
  rc = sqlite3_step(c->rows);
  c->eof = rc != SQLITE_ROW;
  if (rc == SQLITE_ROW || rc == SQLITE_DONE)
    return SQLITE_OK;
  if (c->shape.relation.n == 0)
    return host_failure(base->pVtab, ((const mpg_table *)base->pVtab)->conn->db, rc);
  (void)mpg_private_failure(&c->sources.db, rc, &err);
  return mpg_vtab_failure(base->pVtab, name_of(base->pVtab), &err);
}

/* Runs the script of a function over files, or finds what it gave before. */
static int run_table(cursor *c, const mpg_table *t) {
  mpg_err err;
  int rc = mpg_query_env_begin(&c->scan, t->conn);
  if (rc != SQLITE_OK)
    return rc;
  c->cached = mpg_table_cache_begin(&c->fill, t->conn, &c->scan.env, &c->shape, c->arguments);
  if (c->cached != NULL)
    return SQLITE_OK;
  if (mpg_table_run(&c->sources,
                    &(mpg_table_question){t->conn, &c->scan.env, &c->shape, c->arguments,
                                          mpg_table_cache_reported(&c->fill)},
                    &c->rows, &err) != MPG_OK)
    return mpg_vtab_failure(c->base.pVtab, name_of(c->base.pVtab), &err);
  rc = mpg_table_cache_end(&c->fill, c->rows, &c->cached);
  if (rc != SQLITE_DONE) {
    (void)mpg_private_failure(&c->sources.db, rc, &err);
    return mpg_vtab_failure(c->base.pVtab, name_of(c->base.pVtab), &err);
  }
  if (c->cached != NULL) { /* nothing else is needed */
    (void)sqlite3_finalize(c->rows);
    c->rows = NULL;
    mpg_sources_close(&c->sources);
  }
  return SQLITE_OK;
}

static int script_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                         sqlite3_value **argv) {
  cursor *c = (cursor *)base;
  sqlite3_value *given[MPG_SHAPE_ARGUMENTS];
  bool none, again = c->rows != NULL || c->cached != NULL;
  int rc;
  rc = mpg_values_of_numbers(base->pVtab, name_of(base->pVtab), &text, argc, argv);
  if (rc != SQLITE_OK)
    return rc;
  spread_arguments(plan, c->shape.narguments, argc, argv, given);
  for (int i = 0; i < MPG_SHAPE_ARGUMENTS; i++)
    again = again && mpg_same_argument(given[i], c->arguments[i]);
  c->place = (mpg_row_place){NULL, 0};
  if (again) {
    (void)sqlite3_reset(c->rows);
    c->rowid = 0;
    return script_next(base);
  }
  cursor_clear(c);
  rc = check_arguments(base->pVtab, &c->shape, plan, given, &none);
  if (rc != SQLITE_OK || none)
    return rc;
  rc = copy_arguments(c, given);
  if (rc == SQLITE_OK)
    rc = c->shape.relation.n == 0 ? ask_host(c, (const mpg_table *)base->pVtab)
                                  : run_table(c, (const mpg_table *)base->pVtab);
  c->rowid = 0;
  return rc == SQLITE_OK ? script_next(base) : rc;
}

static int script_eof(sqlite3_vtab_cursor *base) {
  return ((const cursor *)base)->eof;
}

static int script_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  cursor *c = (cursor *)base;
  const int argument = column - c->shape.ncolumns;
  const bool real = argument < 0 && mpg_str_eq(c->shape.columns[column].type, MPG_STR("REAL"));
  if (argument < 0 && c->cached != NULL)
    mpg_row_store_result(&c->cached->rows, c->values[column], real, context);
  else if (argument < 0)
    mpg_result_declared(context, sqlite3_column_value(c->rows, column), real);
  else if (c->arguments[argument] != NULL)
    sqlite3_result_value(context, c->arguments[argument]);
  return SQLITE_OK;
}

static int script_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  const cursor *c = (const cursor *)base;
  *rowid = mpg_first_rowid(c->arguments, MPG_SHAPE_ARGUMENTS) + c->rowid;
  return SQLITE_OK;
}

const sqlite3_module mpg_script_module = {
    .iVersion = 0,
    .xConnect = script_connect, /* no xCreate: eponymous only */
    .xBestIndex = script_best_index,
    .xDisconnect = mpg_table_disconnect,
    .xOpen = script_open,
    .xClose = script_close,
    .xFilter = script_filter,
    .xNext = script_next,
    .xEof = script_eof,
    .xColumn = script_column,
    .xRowid = script_rowid,
};

/* Reads no script: each connection pays for what it registers. */
int mpg_register_scripts(mpg_conn *conn, char **error) {
  int rc = SQLITE_OK;
  for (size_t i = 0; rc == SQLITE_OK && i < mpg_script_tables_count; i++)
    rc = mpg_script_tables[i].over_files
             ? mpg_register_file_modules(conn, &mpg_script_modules[i], 1, error)
             : mpg_register_modules(conn, &mpg_script_modules[i], 1, error);
  return rc;
}
