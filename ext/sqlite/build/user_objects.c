/* user_objects.c - see user_objects.h. */
#include "user_objects.h"

static int add_text(mpg_user_objects *o, sqlite3_stmt *stmt, int column) {
  char **text = sqlite3_realloc64(o->text, (o->n + 1) * sizeof *text);
  if (text == NULL)
    return SQLITE_NOMEM;
  o->text = text;
  text[o->n] = mpg_host_copy_text(stmt, column);
  return text[o->n++] == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

int mpg_user_objects_read(mpg_user_objects *o, sqlite3 *db) {
  sqlite3_stmt *stmt = NULL;
  int rc;
  *o = (mpg_user_objects){NULL, 0};
  rc = sqlite3_prepare_v2(db,
                          "SELECT name, sql FROM main.sqlite_schema "
                          "WHERE type IN ('index', 'trigger') AND sql NOT NULL ORDER BY rowid",
                          -1, &stmt, NULL);
  while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
    rc = add_text(o, stmt, 0);
    if (rc == SQLITE_OK)
      rc = add_text(o, stmt, 1);
  }
  (void)sqlite3_finalize(stmt);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int is_there(sqlite3 *db, const char *name, bool *there) {
  sqlite3_stmt *stmt = NULL;
  int rc =
      sqlite3_prepare_v2(db, "SELECT 1 FROM main.sqlite_schema WHERE name = ?1", -1, &stmt, NULL);
  if (rc == SQLITE_OK)
    rc = sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
  if (rc == SQLITE_OK)
    rc = sqlite3_step(stmt);
  *there = rc == SQLITE_ROW;
  (void)sqlite3_finalize(stmt);
  return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int mpg_user_objects_make(const mpg_user_objects *o, sqlite3 *db) {
  int rc = SQLITE_OK;
  for (size_t i = 0; rc == SQLITE_OK && i + 1 < o->n; i += 2) {
    bool there = true;
    rc = is_there(db, o->text[i], &there);
    if (rc == SQLITE_OK && !there)
      rc = sqlite3_exec(db, o->text[i + 1], NULL, NULL, NULL);
    if (rc == SQLITE_ERROR)
      rc = SQLITE_OK;
  }
  return rc;
}

void mpg_user_objects_free(mpg_user_objects *o) {
  for (size_t i = 0; i < o->n; i++)
    sqlite3_free(o->text[i]);
  sqlite3_free(o->text);
  *o = (mpg_user_objects){NULL, 0};
}
