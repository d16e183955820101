/*
** build_functions.c - what lies at a path, as tables of the open database.
**
**     mpg_import(path)   TEMP tables of the relations, to be changed before mpg_rollup reads them
**     mpg_build(path)    plain tables of the records, their ledger and its views, which stay: adds
**                        what is new, once; NULL reads what mpg_config names (sql/build.sql)
**
** Each runs a compiled-in script on the host's own connection, all of it or nothing, and returns
** what it did as a JSON object. They write, and so no stored schema may call them (DIRECTONLY).
** Errors: those of trace_records, and SQLite's own, such as "database is locked".
*/
#include "../connection.h"
#include "script.h"

#include <string.h>

static const char *const relations[] = {"capacity", "outages", "jobs",    "allocations",
                                        "spans",    "commits", "programs"};
enum { RELATIONS = sizeof relations / sizeof *relations };

/* The rows of each relation of a schema, 0 of those that it does not have. An SQLite code. */
static int count_rows(sqlite3 *db, const char *schema, sqlite3_int64 *rows) {
  int rc = SQLITE_OK;
  for (int i = 0; rc == SQLITE_OK && i < RELATIONS; i++) {
    sqlite3_stmt *stmt = NULL;
    char *sql = sqlite3_mprintf("SELECT count(*) FROM %s.%s", schema, relations[i]);
    rows[i] = 0;
    rc = sql == NULL ? SQLITE_NOMEM : sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
    if (rc == SQLITE_ERROR) /* no such table */
      rc = SQLITE_OK;
    else if (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
      rows[i] = sqlite3_column_int64(stmt, 0);
      rc = SQLITE_OK;
    }
    (void)sqlite3_finalize(stmt);
    sqlite3_free(sql);
  }
  return rc;
}

/* Runs one statement after the other; every parameter is the path. An SQLite code. */
static int run_script(sqlite3 *db, const char *sql, sqlite3_value *path) {
  int rc = SQLITE_OK;
  while (rc == SQLITE_OK && *sql != '\0') {
    sqlite3_stmt *stmt = NULL;
    rc = sqlite3_prepare_v2(db, sql, -1, &stmt, &sql);
    if (rc == SQLITE_OK && stmt == NULL)
      continue;
    for (int i = 1; rc == SQLITE_OK && i <= sqlite3_bind_parameter_count(stmt); i++)
      rc = sqlite3_bind_value(stmt, i, path);
    while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
      rc = SQLITE_OK;
    if (rc == SQLITE_DONE)
      rc = SQLITE_OK;
    if (rc == SQLITE_OK)
      rc = sqlite3_finalize(stmt);
    else
      (void)sqlite3_finalize(stmt); /* which leaves the connection's error as it is */
  }
  return rc;
}

/* The error of the connection, after what the script had begun is undone. */
static void fail(sqlite3_context *context, sqlite3 *db, int rc, const char *name, bool began) {
  char *text = sqlite3_mprintf("%s: %s", name, sqlite3_errmsg(db));
  if (began && sqlite3_get_autocommit(db) == 0)
    (void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
  if (text == NULL || rc == SQLITE_NOMEM)
    sqlite3_result_error_nomem(context);
  else
    sqlite3_result_error(context, text, -1);
  if (text != NULL && rc == SQLITE_INTERRUPT)
    sqlite3_result_error_code(context, rc);
  sqlite3_free(text);
}

/* {"capacity": 1, ...}: how many rows there are now, less those of `before`. */
static void result_counts(sqlite3_context *context, sqlite3 *db, const char *schema,
                          const sqlite3_int64 *before) {
  sqlite3_str *json = sqlite3_str_new(db);
  sqlite3_int64 now[RELATIONS];
  int rc = count_rows(db, schema, now);
  char *text;
  for (int i = 0; rc == SQLITE_OK && i < RELATIONS; i++)
    sqlite3_str_appendf(json, "%s\"%s\":%lld", i == 0 ? "{" : ",", relations[i],
                        now[i] - before[i]);
  sqlite3_str_appendall(json, "}");
  text = sqlite3_str_finish(json);
  if (rc != SQLITE_OK || text == NULL) {
    sqlite3_result_error_code(context, rc != SQLITE_OK ? rc : SQLITE_NOMEM);
    sqlite3_free(text);
  } else {
    sqlite3_result_text(context, text, -1, sqlite3_free);
  }
}

static void import(sqlite3_context *context, int n, sqlite3_value **args) {
  static const sqlite3_int64 none[RELATIONS];
  sqlite3 *db = mpg_conn_of(context)->db;
  int rc = sqlite3_exec(db, "SAVEPOINT mpg_import", NULL, NULL, NULL);
  (void)n;
  if (rc == SQLITE_OK)
    rc = run_script(db, mpg_script_find("sources/import")->sql, args[0]);
  if (rc != SQLITE_OK) {
    fail(context, db, rc, "mpg_import", false);
    (void)sqlite3_exec(db, "ROLLBACK TO mpg_import; RELEASE mpg_import", NULL, NULL, NULL);
    return;
  }
  (void)sqlite3_exec(db, "RELEASE mpg_import", NULL, NULL, NULL);
  result_counts(context, db, "temp", none);
}

static void build(sqlite3_context *context, int n, sqlite3_value **args) {
  sqlite3 *db = mpg_conn_of(context)->db;
  sqlite3_int64 before[RELATIONS];
  const bool began = sqlite3_get_autocommit(db) != 0;
  int rc;
  (void)n;
  if (!began) {
    sqlite3_result_error(
        context, "mpg_build: expected no open transaction, for it begins one: COMMIT first", -1);
    return;
  }
  rc = count_rows(db, "main", before);
  if (rc == SQLITE_OK)
    rc = run_script(db, mpg_script_find("build")->sql, args[0]);
  if (rc == SQLITE_OK)
    result_counts(context, db, "main", before);
  else
    fail(context, db, rc, "mpg_build", began);
}

int mpg_register_build(mpg_conn *conn, char **error) {
  static const mpg_function table[] = {
      {"mpg_import", 1, MPG_SETTING, 0, import, NULL, NULL, NULL, NULL},
      {"mpg_build", 1, MPG_SETTING, 0, build, NULL, NULL, NULL, NULL},
  };
  return conn->no_files ? SQLITE_OK
                        : mpg_register_functions(conn, table, sizeof table / sizeof *table, error);
}
