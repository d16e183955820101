/* build_labels.c - see build_labels.h. */
#include "build_labels.h"
#include "../recognise/fleet_file.h"

#include <string.h>

char *mpg_build_find_text(sqlite3 *db, const char *sql, const char *value) {
  sqlite3_stmt *stmt = NULL;
  char *text = NULL;
  if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
      sqlite3_bind_text(stmt, 1, value, -1, SQLITE_STATIC) == SQLITE_OK &&
      sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) != SQLITE_NULL)
    text = mpg_host_copy_text(stmt, 0);
  (void)sqlite3_finalize(stmt);
  return text;
}

char *mpg_build_source(sqlite3 *db, sqlite3_value *path) {
  const char *given = (const char *)sqlite3_value_text(path);
  return given != NULL ? sqlite3_mprintf("%s", given)
                       : mpg_build_find_text(
                             db, "SELECT value FROM main.mpg_config WHERE name = ?1", "trace");
}

/* Runs the statement of a format of sqlite3_mprintf with %w and %Q. An SQLite code. */
static int run_format(sqlite3 *db, const char *format, const char *first, const char *second) {
  char *sql = sqlite3_mprintf(format, first, second);
  int rc = sql == NULL ? SQLITE_NOMEM : sqlite3_exec(db, sql, NULL, NULL, NULL);
  sqlite3_free(sql);
  return rc;
}

/* Whether the ledger has a column of that name: a label of it needs another. */
static int check_label(sqlite3 *db, const char *key, mpg_err *err) {
  char *column =
      mpg_build_find_text(db,
                          "SELECT name FROM pragma_table_xinfo('ledger', 'main') WHERE name = ?1 "
                          "COLLATE NOCASE",
                          key);
  if (column == NULL)
    return SQLITE_OK;
  (void)mpg_fail(
      err, MPG_DATA,
      "mpg_config: labels: expected labels that are no columns of the ledger, each once, "
      "found \"%s\"",
      key);
  sqlite3_free(column);
  return SQLITE_ERROR;
}

/* A column of the ledger and of its view for the label `key`; `partly`: the ledger has the column,
** which lacks the values of jobs in temp.mpg_changed. An SQLite code. */
static int add_label(sqlite3 *db, const char *key, bool partly) {
  char *view = mpg_build_find_text(
      db,
      "SELECT substr(sql, 1, length(sql) - length('FROM ledger')) FROM main.sqlite_schema"
      " WHERE name = 'cells' AND ?1 NOT NULL",
      key);
  int rc = view == NULL ? SQLITE_NOMEM : SQLITE_OK;
  if (rc == SQLITE_OK && !partly)
    rc = run_format(db, "ALTER TABLE main.ledger ADD COLUMN \"%w\" TEXT", key, NULL);
  if (rc == SQLITE_OK)
    rc = run_format(db,
                    "UPDATE main.ledger SET \"%w\" = (SELECT l.value FROM main.job_labels AS l "
                    "WHERE l.job = ledger.job AND l.key = %Q) WHERE job IS NOT NULL AND "
                    "((SELECT m.whole FROM temp.mpg_made AS m) OR job IN (SELECT c.job FROM "
                    "temp.mpg_changed AS c))",
                    key, key);
  if (rc == SQLITE_OK)
    rc = sqlite3_exec(db, "DROP VIEW main.cells", NULL, NULL, NULL);
  if (rc == SQLITE_OK)
    rc = run_format(db, "%s, \"%w\" FROM ledger", view, key);
  sqlite3_free(view);
  return rc;
}

int mpg_labels_add(sqlite3 *db, bool partly, mpg_err *err) {
  char *keys =
      mpg_build_find_text(db, "SELECT value FROM main.mpg_config WHERE name = ?1", "labels");
  int rc = SQLITE_OK;
  for (char *key = keys; rc == SQLITE_OK && key != NULL;) {
    char *comma = strchr(key, ',');
    size_t n = comma == NULL ? strlen(key) : (size_t)(comma - key);
    while (n > 0 && *key == ' ') {
      key++;
      n--;
    }
    while (n > 0 && key[n - 1] == ' ')
      n--;
    key[n] = '\0';
    if (n > 0 && strcmp(key, "team") != 0) {
      rc = partly ? SQLITE_OK : check_label(db, key, err);
      if (rc == SQLITE_OK)
        rc = add_label(db, key, partly);
    }
    key = comma == NULL ? NULL : comma + 1;
  }
  sqlite3_free(keys);
  return rc;
}

int mpg_labels_take(mpg_conn *conn, sqlite3_value *path, mpg_err *err) {
  char *trace = mpg_build_source(conn->db, path);
  mpg_entries entries = {0};
  int rc = SQLITE_OK;
  if (trace == NULL)
    return sqlite3_value_type(path) == SQLITE_NULL ? SQLITE_OK : SQLITE_NOMEM;
  if (mpg_may_be_fleet_file(mpg_str_of(trace)) &&
      mpg_entries_read(&entries, &conn->env, mpg_str_of(trace), err) != MPG_OK)
    rc = mpg_sqlite_rc(err->rc);
  if (rc == SQLITE_OK && entries.labels != NULL)
    rc = run_format(conn->db, "INSERT OR REPLACE INTO main.mpg_config(name, value) VALUES (%Q, %Q)",
                    "labels", entries.labels);
  mpg_entries_free(&entries);
  sqlite3_free(trace);
  return rc;
}
