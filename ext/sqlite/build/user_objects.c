/* user_objects.c - see user_objects.h. */
#include "user_objects.h"

#include <string.h>

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

/* Whether a statement is of the kind that a schema has of an index or a trigger. */
static bool makes_object(const char *sql) {
  static const char *const kinds[] = {"CREATE INDEX ", "CREATE UNIQUE INDEX ", "CREATE TRIGGER "};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (sqlite3_strnicmp(sql, kinds[i], (int)strlen(kinds[i])) == 0)
      return true;
  return false;
}

/* The schema of a crafted file may have more behind the statement, of which SQLite reads the first
** alone: nothing else is run. */
static int make_again(sqlite3 *db, const char *name, const char *sql, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  const char *tail = "";
  int rc = SQLITE_ERROR;
  bool alone = makes_object(sql);
  if (alone) {
    rc = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_NO_VTAB, &stmt, &tail);
    alone = rc != SQLITE_OK || tail[strspn(tail, " \t\r\n;")] == '\0';
  }
  if (rc == SQLITE_OK && alone)
    rc = sqlite3_step(stmt);
  if (!alone || (rc != SQLITE_OK && rc != SQLITE_DONE && rc != SQLITE_NOMEM)) {
    (void)mpg_fail(err, MPG_DATA,
                   "index or trigger %s cannot be made again: %s; drop it, then build", name,
                   alone ? sqlite3_errmsg(db) : "expected one CREATE INDEX or CREATE TRIGGER");
    rc = alone ? rc : SQLITE_ERROR;
  }
  (void)sqlite3_finalize(stmt);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int mpg_user_objects_make(const mpg_user_objects *o, sqlite3 *db, mpg_err *err) {
  int rc = SQLITE_OK;
  for (size_t i = 0; rc == SQLITE_OK && i + 1 < o->n; i += 2) {
    bool there = true;
    rc = is_there(db, o->text[i], &there);
    if (rc == SQLITE_OK && !there)
      rc = make_again(db, o->text[i], o->text[i + 1], err);
  }
  return rc;
}

void mpg_user_objects_free(mpg_user_objects *o) {
  for (size_t i = 0; i < o->n; i++)
    sqlite3_free(o->text[i]);
  sqlite3_free(o->text);
  *o = (mpg_user_objects){NULL, 0};
}
