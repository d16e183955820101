/*
** help_table.c - what each table function that is an SQL file takes and gives.
**
**     mpg_help     a row for each function, with what it answers; then one for each argument and
**                  each column: name is the function's, item the argument's or column's, kind
**                  'function', 'argument' or 'column'; type and unit as the head of the file
**                  declares them; NULL: none
**
** Eponymous and innocuous: it says the same on each connection.
*/
#include "table_shape.h"

typedef struct cursor {
  sqlite3_vtab_cursor base; /* must be first */
  size_t table;             /* of mpg_script_tables */
  int row;                  /* of the table: the function, its arguments, its columns */
  int64_t rowid;
  mpg_table_shape shape; /* of the table */
} cursor;

enum { NAME, KIND, ITEM, TYPE, UNIT, MEANING };

static int help_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **out, char **error) {
  (void)argc;
  (void)argv;
  return mpg_table_connect(
      db, aux,
      "CREATE TABLE x(name TEXT, kind TEXT, item TEXT, type TEXT, unit TEXT, meaning TEXT)",
      SQLITE_VTAB_INNOCUOUS, out, error);
}

/* Always a full scan: SQLite checks every condition itself. */
static int help_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
  (void)base;
  info->estimatedRows = 1000;
  info->estimatedCost = 1000;
  return SQLITE_OK;
}

static int help_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out) {
  (void)base;
  return mpg_cursor_open(sizeof(cursor), out);
}

static int help_close(sqlite3_vtab_cursor *base) {
  sqlite3_free(base);
  return SQLITE_OK;
}

static void read_shape(cursor *c) {
  if (c->table < mpg_script_tables_count)
    mpg_table_shape_read(&c->shape, &mpg_script_tables[c->table]);
}

static int help_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                       sqlite3_value **argv) {
  cursor *c = (cursor *)base;
  (void)plan;
  (void)text;
  (void)argc;
  (void)argv;
  c->table = 0;
  c->row = 0;
  c->rowid = 1;
  read_shape(c);
  return SQLITE_OK;
}

static int help_next(sqlite3_vtab_cursor *base) {
  cursor *c = (cursor *)base;
  c->rowid++;
  if (c->row++ < c->shape.narguments + c->shape.ncolumns)
    return SQLITE_OK;
  c->table++;
  c->row = 0;
  read_shape(c);
  return SQLITE_OK;
}

static int help_eof(sqlite3_vtab_cursor *base) {
  return ((cursor *)base)->table == mpg_script_tables_count;
}

static void result_text(sqlite3_context *context, mpg_str s) {
  if (s.n > 0)
    sqlite3_result_text64(context, s.p, s.n, SQLITE_STATIC, SQLITE_UTF8);
}

static int help_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  const cursor *c = (cursor *)base;
  const mpg_table_shape *shape = &c->shape;
  const bool is_argument = c->row > 0 && c->row <= shape->narguments;
  const mpg_head *item = c->row == 0   ? &shape->head
                         : is_argument ? &shape->arguments[c->row - 1]
                                       : &shape->columns[c->row - 1 - shape->narguments];
  switch (column) {
  case NAME:
    result_text(context, shape->name);
    break;
  case KIND:
    result_text(context, c->row == 0   ? MPG_STR("function")
                         : is_argument ? MPG_STR("argument")
                                       : MPG_STR("column"));
    break;
  case ITEM:
    if (c->row > 0)
      result_text(context, item->name);
    break;
  case TYPE:
    result_text(context, item->type);
    break;
  case UNIT:
    if (!mpg_str_eq(item->unit, MPG_STR("-")))
      result_text(context, item->unit);
    break;
  default:
    result_text(context, item->text);
    break;
  }
  return SQLITE_OK;
}

static int help_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *row) {
  *row = ((cursor *)base)->rowid;
  return SQLITE_OK;
}

int mpg_register_help(mpg_conn *conn, char **error) {
  static const sqlite3_module module = {
      .iVersion = 0,
      .xConnect = help_connect, /* no xCreate: eponymous only */
      .xBestIndex = help_best_index,
      .xDisconnect = mpg_table_disconnect,
      .xOpen = help_open,
      .xClose = help_close,
      .xFilter = help_filter,
      .xNext = help_next,
      .xEof = help_eof,
      .xColumn = help_column,
      .xRowid = help_rowid,
  };
  static const mpg_module table = {"mpg_help", &module, 0};
  return mpg_register_modules(conn, &table, 1, error);
}
