/* embedded.c - see embedded.h. */
#include "embedded.h"
#include "rows.h"

#include "../sqlite/scripts/sources.h"

#include <string.h>

typedef struct embedded {
  sqlite3 *db;
  mpg_conn *conn; /* borrowed from db */
  mpg_issues own; /* the connection's, while it has the session's */
} embedded;

/* false: *err says why. The session's issues are the connection's until embedded_close, so that
** what a file had is forgotten if it is read again. */
static bool embedded_open(embedded *e, mpg_err *err) {
  char *text = NULL;
  int code = sqlite3_open_v2(":memory:", &e->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
  e->conn = NULL;
  if (code == SQLITE_OK)
    code = mpg_register_all(e->db, false, &e->conn, &text);
  if (code != SQLITE_OK || e->conn == NULL) {
    (void)(code == SQLITE_NOMEM
               ? mpg_fail_nomem(err)
               : mpg_fail(err, MPG_DATA, "%s", text != NULL ? text : sqlite3_errmsg(e->db)));
    sqlite3_free(text);
    (void)sqlite3_close(e->db);
    return false;
  }
  e->conn->one_thread = true;
  e->own = e->conn->issues;
  e->conn->issues = *mpg_pg_issues();
  return true;
}

static void embedded_close(embedded *e) {
  *mpg_pg_issues() = e->conn->issues;
  e->conn->issues = e->own;
  (void)sqlite3_close(e->db);
}

mpg_rc mpg_embedded_read(mpg_fleet *fleet, const mpg_env *env, mpg_str path, const mpg_value *word,
                         mpg_err *err) {
  embedded e;
  mpg_on_error on_error;
  mpg_rc rc = mpg_on_error_of(word, MPG_ON_ERROR_DEFAULT, &on_error, err);
  if (rc != MPG_OK)
    return rc;
  if (!embedded_open(&e, err))
    return err->rc;
  fleet->issues = &e.conn->issues;
  rc = mpg_sources_fleet(fleet, e.conn, env,
                         &(mpg_sources_query){.path = path, .on_error = on_error, .threads = 1},
                         err);
  embedded_close(&e);
  fleet->issues = mpg_pg_issues();
  return rc;
}

/* ---- trace_sources ---- */

static mpg_rc add_value(mpg_source_rows *rows, const mpg_env *env, sqlite3_value *from,
                        mpg_err *err) {
  mpg_value value = mpg_value_of(from);
  if (value.type == MPG_TEXT) {
    char *copy = mpg_malloc(env, value.s.n + 1);
    if (copy == NULL)
      return mpg_fail_nomem(err);
    memcpy(copy, value.s.p, value.s.n);
    value.s.p = copy;
  }
  if (mpg_grow(env, &rows->values, &rows->cap, rows->n + 1, sizeof value) != MPG_OK)
    return mpg_fail_nomem(err);
  rows->values[rows->n++] = value;
  return MPG_OK;
}

static mpg_rc add_rows(mpg_source_rows *rows, mpg_sources *s, const mpg_env *env, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  int code = SQLITE_DONE;
  mpg_rc rc = mpg_private_prepare(&s->db, mpg_script_find("sources/report")->sql, &stmt, err);
  while (rc == MPG_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW)
    for (int i = 0; rc == MPG_OK && i < MPG_SOURCE_COLUMNS; i++)
      rc = add_value(rows, env, sqlite3_column_value(stmt, i), err);
  if (rc == MPG_OK && code != SQLITE_DONE)
    rc = mpg_private_failure(&s->db, code, err);
  (void)sqlite3_finalize(stmt);
  return rc;
}

mpg_rc mpg_embedded_sources(mpg_source_rows *rows, const mpg_env *env, mpg_str path,
                            const mpg_value *word, mpg_err *err) {
  embedded e;
  mpg_sources s;
  mpg_on_error on_error;
  mpg_rc rc = mpg_on_error_of(word, MPG_ON_ERROR_NEVER, &on_error, err);
  if (rc != MPG_OK)
    return rc;
  if (!embedded_open(&e, err))
    return err->rc;
  rc = mpg_sources_open(&s, e.conn, env, path, on_error, err);
  if (rc == MPG_OK) {
    rc = mpg_sources_run(&s, err);
    if (rc == MPG_OK)
      rc = mpg_sources_list_issues(&s, err);
    if (rc == MPG_OK)
      rc = add_rows(rows, &s, env, err);
    mpg_sources_close(&s);
  }
  embedded_close(&e);
  return rc;
}
