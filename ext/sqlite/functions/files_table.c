/*
** files_table.c - a table function that lists the files which a path stands for.
**
**     trace_files(pattern)
**
** These are the files that every reader reads for the same path (stream.h): one file, those of a
** folder, or those that match a glob, in the order in which they are read. If there is none, there
** is no row and no error. So a file that may be missing can be read if it is there:
**
**     SELECT r.* FROM trace_files('systems/pod16.json') AS f, jsonl_trace(f.path) AS r;
**
**     path       as in a reader's _file
**     bytes      its size; NULL if the file has gone in the meantime
**     modified   when its content last changed, Unix seconds
**
** The argument is the hidden column pattern; NULL lists nothing. DIRECTONLY.
*/
#include "../connection.h"
#include "../../read/input/stream.h"
#include "../../read/input/paths.h"
#include "../../base/text.h"

#include <string.h>
#include <sys/stat.h>

enum { PATH, BYTES, MODIFIED, PATTERN };

typedef struct cursor {
  sqlite3_vtab_cursor base; /* must be first */
  mpg_query_env scan;
  mpg_paths paths; /* env is NULL: none listed yet */
  size_t i;
  struct stat state; /* of paths.file[i].path */
  bool gone;
  sqlite3_value *pattern;
} cursor;

static int files_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **error) {
  (void)argc;
  (void)argv;
  return mpg_table_connect(
      db, aux, "CREATE TABLE x(path TEXT, bytes BIGINT, modified REAL, pattern TEXT HIDDEN)",
      SQLITE_VTAB_DIRECTONLY, out, error);
}

/* A plan without the argument is too expensive to be chosen; if it is chosen, xFilter says what is
** missing. */
static int files_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
  int at = -1;
  info->idxNum = (info->colUsed >> PATTERN & 1) != 0 ? 2 : 0;
  info->estimatedCost = 1e99;
  for (int i = 0; i < info->nConstraint; i++) {
    if (info->aConstraint[i].iColumn != PATTERN || !info->aConstraint[i].usable ||
        info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
      continue;
    if (mpg_argument_twice(base, "trace_files", info, 0, at, i) != SQLITE_OK)
      return SQLITE_ERROR;
    if (at >= 0)
      continue;
    at = i;
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    info->idxNum = 1;
    info->estimatedCost = 1000;
    info->estimatedRows = 10;
  }
  return SQLITE_OK;
}

static int files_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out) {
  (void)base;
  return mpg_cursor_open(sizeof(cursor), out);
}

static void cursor_clear(cursor *c) {
  if (c->paths.env != NULL)
    mpg_paths_free(&c->paths);
  memset(&c->paths, 0, sizeof c->paths);
  mpg_query_env_end(&c->scan);
  sqlite3_value_free(c->pattern);
  c->pattern = NULL;
  c->i = 0;
}

static int files_close(sqlite3_vtab_cursor *base) {
  cursor *c = (cursor *)base;
  cursor_clear(c);
  sqlite3_free(c);
  return SQLITE_OK;
}

static void stat_file(cursor *c) {
  if (c->i < c->paths.n)
    c->gone = stat(c->paths.file[c->i].path, &c->state) != 0;
}

static int files_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                        sqlite3_value **argv) {
  cursor *c = (cursor *)base;
  const mpg_table *t = (const mpg_table *)base->pVtab;
  mpg_value pattern;
  mpg_err err;
  mpg_rc rc;
  int code;
  (void)text;
  (void)argc;
  cursor_clear(c);
  if (plan == 2)
    return mpg_path_missing(base->pVtab, "trace_files");
  if (plan == 0)
    return mpg_vtab_error(base->pVtab, "trace_files: expected a path, glob or folder");
  pattern = mpg_value_of(argv[0]);
  if (mpg_argument_is_nothing(t->conn, "trace_files", "pattern", argv[0]))
    return SQLITE_OK;
  c->pattern = sqlite3_value_dup(argv[0]);
  if (c->pattern == NULL)
    return SQLITE_NOMEM;
  code = mpg_query_env_begin(&c->scan, t->conn);
  if (code != SQLITE_OK)
    return code;
  if (pattern.type == MPG_TEXT)
    rc = mpg_paths_find(&c->paths, &c->scan.env, pattern.s, &err);
  else
    rc = mpg_fail_argument(&err, "path", "text", &pattern);
  if (rc != MPG_OK)
    return mpg_vtab_failure(base->pVtab, "trace_files", &err);
  stat_file(c);
  return SQLITE_OK;
}

static int files_next(sqlite3_vtab_cursor *base) {
  cursor *c = (cursor *)base;
  c->i++;
  stat_file(c);
  return SQLITE_OK;
}

static int files_eof(sqlite3_vtab_cursor *base) {
  const cursor *c = (cursor *)base;
  return c->i >= c->paths.n;
}

static int files_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  const cursor *c = (cursor *)base;
  switch (column) {
  case PATH:
    sqlite3_result_text(context, c->paths.file[c->i].path, -1, SQLITE_TRANSIENT);
    break;
  case BYTES:
    if (!c->gone)
      sqlite3_result_int64(context, c->state.st_size);
    break;
  case MODIFIED:
    if (!c->gone)
      sqlite3_result_double(context, (double)c->state.st_mtim.tv_sec +
                                         (double)c->state.st_mtim.tv_nsec / 1e9);
    break;
  default:
    sqlite3_result_value(context, c->pattern);
    break;
  }
  return SQLITE_OK;
}

static int files_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  const cursor *c = (const cursor *)base;
  *rowid = mpg_first_rowid(&c->pattern, 1) + (sqlite3_int64)c->i + 1;
  return SQLITE_OK;
}

int mpg_register_files(mpg_conn *conn, char **error) {
  static const sqlite3_module module = {
      .iVersion = 0,
      .xConnect = files_connect, /* no xCreate: eponymous only */
      .xBestIndex = files_best_index,
      .xDisconnect = mpg_table_disconnect,
      .xOpen = files_open,
      .xClose = files_close,
      .xFilter = files_filter,
      .xNext = files_next,
      .xEof = files_eof,
      .xColumn = files_column,
      .xRowid = files_rowid,
  };
  static const mpg_module listed = {"trace_files", &module, 0};
  return mpg_register_file_modules(conn, &listed, 1, error);
}
