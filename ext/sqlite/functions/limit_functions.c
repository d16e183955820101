/*
** limit_functions.c - mpg_limit() sets a limit of the readers, and the table mpg_limits lists them.
**
**     mpg_limits    a row for each limit (base/limits.h): name, value, standard, most, meaning.
**                   value holds in this connection, standard unless it is set, and most is the
**                   largest value that it can be set to
*/
#include "../connection.h"
#include "../../base/number.h"
#include "../../base/text.h"

#include <string.h>

/* ---- mpg_limit ---- */

/* Whether it is a value that the limit can have; else the result is an error. */
static bool is_in_range(sqlite3_context *context, const mpg_limit_info *info,
                        const mpg_value *given, int64_t *value) {
  char range[64];
  mpg_err err;
  if (mpg_value_int(given, value) && *value >= 1 && *value <= info->most)
    return true;
  (void)sqlite3_snprintf((int)sizeof range, range, "a whole number from 1 to %lld",
                         (long long)info->most);
  (void)mpg_fail_argument(&err, info->name, range, given);
  mpg_result_failure(context, &err);
  return false;
}

/* mpg_limit(name): the limit that holds. mpg_limit(name, value): sets it for the statements that
** begin to read from now on, and returns it. */
static void limit_function(sqlite3_context *context, int n, sqlite3_value **args) {
  mpg_conn *conn = mpg_conn_of(context);
  mpg_value name = mpg_value_of(args[0]);
  mpg_limit_id id = name.type == MPG_TEXT ? mpg_limit_by_name(name.s) : MPG_LIMITS;
  if (id == MPG_LIMITS) {
    mpg_err err;
    (void)mpg_fail_expected(&err, "the name of a limit (SELECT name FROM mpg_limits)", &name);
    mpg_result_failure(context, &err);
    return;
  }
  if (n == 2) {
    const mpg_value given = mpg_value_of(args[1]);
    int64_t value = 0;
    if (!is_in_range(context, mpg_limit_get(id), &given, &value))
      return;
    __atomic_store_n(&conn->limits.of[id], value, __ATOMIC_RELAXED);
  }
  sqlite3_result_int64(context, conn->limits.of[id]);
}

/* ---- mpg_limits ---- */

typedef struct cursor {
  sqlite3_vtab_cursor base; /* must be first */
  int at;
} cursor;

enum { NAME, VALUE, STANDARD, MOST, MEANING };

static int limits_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                          sqlite3_vtab **out, char **error) {
  (void)argc;
  (void)argv;
  return mpg_table_connect(
      db, aux,
      "CREATE TABLE x(name TEXT, value BIGINT, standard BIGINT, most BIGINT, meaning TEXT)", 0, out,
      error);
}

static int limits_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
  (void)base;
  info->estimatedCost = MPG_LIMITS;
  info->estimatedRows = MPG_LIMITS;
  return SQLITE_OK;
}

static int limits_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out) {
  (void)base;
  return mpg_cursor_open(sizeof(cursor), out);
}

static int limits_close(sqlite3_vtab_cursor *base) {
  sqlite3_free(base);
  return SQLITE_OK;
}

static int limits_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                         sqlite3_value **argv) {
  (void)plan;
  (void)text;
  (void)argc;
  (void)argv;
  ((cursor *)base)->at = 0;
  return SQLITE_OK;
}

static int limits_next(sqlite3_vtab_cursor *base) {
  ((cursor *)base)->at++;
  return SQLITE_OK;
}

static int limits_eof(sqlite3_vtab_cursor *base) {
  return ((cursor *)base)->at == MPG_LIMITS;
}

static int limits_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  mpg_limit_id id = (mpg_limit_id)((cursor *)base)->at;
  const mpg_limit_info *info = mpg_limit_get(id);
  const mpg_conn *conn = ((mpg_table *)base->pVtab)->conn;
  if (column == NAME || column == MEANING)
    sqlite3_result_text(context, column == NAME ? info->name : info->meaning, -1, SQLITE_STATIC);
  else
    sqlite3_result_int64(context, column == VALUE      ? conn->limits.of[id]
                                  : column == STANDARD ? info->standard
                                                       : info->most);
  return SQLITE_OK;
}

static int limits_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *row) {
  *row = ((cursor *)base)->at + 1;
  return SQLITE_OK;
}

int mpg_register_limits(mpg_conn *conn, char **error) {
  static const sqlite3_module module = {
      .iVersion = 0,
      .xConnect = limits_connect, /* no xCreate: eponymous only */
      .xBestIndex = limits_best_index,
      .xDisconnect = mpg_table_disconnect,
      .xOpen = limits_open,
      .xClose = limits_close,
      .xFilter = limits_filter,
      .xNext = limits_next,
      .xEof = limits_eof,
      .xColumn = limits_column,
      .xRowid = limits_rowid,
  };
  static const mpg_module tables = {"mpg_limits", &module, 0};
  static const mpg_function functions[] = {
      {"mpg_limit", 1, MPG_SETTING, 0, limit_function, NULL, NULL, NULL, NULL},
      {"mpg_limit", 2, MPG_SETTING, 0, limit_function, NULL, NULL, NULL, NULL},
  };
  int rc = mpg_register_functions(conn, functions, sizeof functions / sizeof *functions, error);
  return rc == SQLITE_OK ? mpg_register_modules(conn, &tables, 1, error) : rc;
}
