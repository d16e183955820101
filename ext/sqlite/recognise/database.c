/* database.c - files of SQLite: see database.h. */
#include "database.h"
#include "../host.h"

#include <stdio.h>
#include <string.h>

/* Whether a database keeps a log of writes (-wal), and has none: nobody writes, so that it can be
** read where no file can be made beside it, and none is. */
static bool is_still(const char *path) {
  unsigned char head[20];
  char *log = sqlite3_mprintf("%s-wal", path);
  FILE *file = fopen(path, "rb");
  const bool logs = file != NULL && fread(head, sizeof head, 1, file) == 1 && head[18] == 2;
  sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
  int there = 1;
  if (logs && log != NULL && vfs != NULL &&
      vfs->xAccess(vfs, log, SQLITE_ACCESS_EXISTS, &there) != SQLITE_OK)
    there = 1;
  if (file != NULL)
    (void)fclose(file);
  sqlite3_free(log);
  return there == 0;
}

char *mpg_database_uri(const char *path) {
  sqlite3_str *uri = sqlite3_str_new(NULL);
  /* Two slashes would begin the name of a host, which is empty here. */
  sqlite3_str_appendall(uri, strncmp(path, "//", 2) == 0 ? "file://" : "file:");
  for (const char *at = path; *at != '\0'; at++) {
    if (strchr("%?#", *at) != NULL)
      sqlite3_str_appendf(uri, "%%%02X", (unsigned)*at);
    else
      sqlite3_str_appendchar(uri, 1, *at);
  }
  sqlite3_str_appendall(uri, is_still(path) ? "?immutable=1" : "?mode=ro");
  return sqlite3_str_finish(uri);
}

mpg_rc mpg_database_tables(const char *path, char **names, char why[256], mpg_err *err) {
  static const char sql[] = "SELECT coalesce(group_concat(name, char(10)), '') FROM sqlite_schema";
  sqlite3 *db = NULL;
  sqlite3_stmt *stmt = NULL;
  char *uri = mpg_database_uri(path);
  int rc = uri == NULL ? SQLITE_NOMEM
                       : sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
  *names = NULL;
  if (rc == SQLITE_OK)
    rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
  if (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
    *names = mpg_host_copy_text(stmt, 0);
    rc = *names == NULL ? SQLITE_NOMEM : SQLITE_OK;
  }
  if (rc != SQLITE_OK)
    (void)sqlite3_snprintf(256, why, "a database of SQLite: %s", sqlite3_errmsg(db));
  (void)sqlite3_finalize(stmt);
  (void)sqlite3_close(db);
  sqlite3_free(uri);
  return rc == SQLITE_NOMEM ? mpg_fail_nomem(err) : MPG_OK;
}
