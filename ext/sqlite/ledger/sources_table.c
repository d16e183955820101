/*
** sources_table.c - trace_sources(path): what lies at a path, as the other tables over files
** read it.
**
** A row for each file: its format and how it was recognised, what its source gave, until when it
** observes, which layers of the metric it feeds, and what is missing to use the rest. A file that
** nothing recognises, or that cannot be read, is a row with the reason. Columns: docs/sources.md.
*/
#include "ledger_fleet.h"
#include "ledger_arguments.h"
#include "../scripts/table_cache.h"

#include <string.h>

enum { FIRST_TIME = 8, LAST_OF_TIMES = 10, COLUMNS = 15, ARGUMENTS = 2 };

static const mpg_table_shape shape = {.name = {"trace_sources", sizeof "trace_sources" - 1},
                                      .narguments = ARGUMENTS};

typedef struct cursor {
  sqlite3_vtab_cursor base; /* must be first */
  mpg_query_env scan;
  mpg_sources sources;
  sqlite3_stmt *rows;          /* of the private connection; NULL: none, or: */
  const mpg_row_store *stored; /* what is cached, or told */
  mpg_row_place place;
  mpg_table_cache_fill fill;
  mpg_table_rows *cached; /* what the connection has kept of them */
  mpg_sources_told told;  /* of a mapping that made a fleet, too */
  const unsigned char *values[COLUMNS];
  sqlite3_value *arguments[MPG_SHAPE_ARGUMENTS]; /* path, on_error */
  sqlite3_int64 rowid;
  bool eof;
} cursor;

static int sources_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                           sqlite3_vtab **out, char **error) {
  (void)argc;
  (void)argv;
  return mpg_table_connect(
      db, aux,
      "CREATE TABLE x(file TEXT, format TEXT, certainty TEXT, reason TEXT, "
      "source BIGINT, files BIGINT, records TEXT, jobs BIGINT, first_time REAL, "
      "last_time REAL, observed_until REAL, feeds TEXT, missing TEXT, inferred "
      "TEXT, job TEXT, path TEXT HIDDEN, on_error TEXT HIDDEN)",
      SQLITE_VTAB_DIRECTONLY, out, error);
}

static int sources_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
  info->estimatedRows = 100;
  info->estimatedCost = 1e6;
  return mpg_plan_arguments(base, "trace_sources", info, COLUMNS, ARGUMENTS);
}

static int sources_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out) {
  (void)base;
  return mpg_cursor_open(sizeof(cursor), out);
}

static void cursor_clear(cursor *c) {
  (void)sqlite3_finalize(c->rows);
  mpg_sources_close(&c->sources);
  mpg_table_rows_release(c->cached);
  mpg_sources_told_free(&c->told);
  mpg_table_cache_fill_free(&c->fill);
  mpg_query_env_end(&c->scan);
  c->cached = NULL;
  c->stored = NULL;
  c->place = (mpg_row_place){NULL, 0};
  for (int i = 0; i < ARGUMENTS; i++) {
    sqlite3_value_free(c->arguments[i]);
    c->arguments[i] = NULL;
  }
  c->rows = NULL;
  c->eof = true;
}

static int sources_close(sqlite3_vtab_cursor *base) {
  cursor_clear((cursor *)base);
  sqlite3_free(base);
  return SQLITE_OK;
}

static int sources_next(sqlite3_vtab_cursor *base) {
  cursor *c = (cursor *)base;
  mpg_err err;
  int rc;
  c->rowid++;
  if (c->stored != NULL) {
    c->eof = !mpg_row_store_next(c->stored, &c->place, c->values);
    return SQLITE_OK;
  }
  rc = sqlite3_step(c->rows);
  c->eof = rc != SQLITE_ROW;
  if (rc == SQLITE_ROW || rc == SQLITE_DONE)
    return SQLITE_OK;
  (void)mpg_private_failure(&c->sources.db, rc, &err);
  return mpg_vtab_failure(base->pVtab, "trace_sources", &err);
}

/* Reads everything at the path, and prepares the rows. */
static mpg_rc read_sources(cursor *c, mpg_conn *conn, mpg_str path, mpg_err *err) {
  mpg_on_error on_error;
  mpg_rc rc = mpg_on_error_read(c->arguments[1], MPG_ON_ERROR_NEVER, &on_error, err);
  if (rc == MPG_OK)
    rc = mpg_sources_open(&c->sources, conn, &c->scan.env, path, on_error, err);
  if (rc != MPG_OK)
    return rc;
  c->sources.reported = mpg_table_cache_reported(&c->fill);
  rc = mpg_sources_run(&c->sources, err);
  if (rc == MPG_OK)
    rc = mpg_sources_list_issues(&c->sources, err);
  return rc == MPG_OK ? mpg_private_prepare(&c->sources.db, mpg_script_find("sources/report")->sql,
                                            &c->rows, err)
                      : rc;
}

static bool is_path(const void *ctx, const char *source) {
  const cursor *c = ctx;
  return mpg_str_eq(mpg_value_of(c->arguments[0]).s, mpg_str_of(source));
}

static bool is_reported(const void *ctx, const char *source) {
  const cursor *c = ctx;
  return mpg_intern_find(mpg_table_cache_reported(&c->fill), mpg_str_of(source)) != 0;
}

/* Reads the fleet and keeps it, for trace_rollup is likely to be asked next. c->told has the rows
** then. It has none if reading failed, or if there is nothing to map: report_files reads those. */
static mpg_rc read_fleet(cursor *c, mpg_conn *conn, mpg_err *err) {
  sqlite3_value *args[MPG_ARGS] = {[MPG_ARG_PATH] = c->arguments[0]};
  mpg_fleet_keep keep = {.conn = NULL};
  mpg_fleet fleet;
  mpg_chips *chips = NULL;
  const mpg_ledger_reading reading = {.conn = conn,
                                      .table = mpg_ledger_table_get(MPG_TRACE_LEDGER_TABLE),
                                      .args = args,
                                      .reported = mpg_table_cache_reported(&c->fill),
                                      .threads = 1,
                                      .keep = &keep,
                                      .told = &c->told};
  mpg_rc rc;
  memset(&fleet, 0, sizeof fleet);
  rc = mpg_ledger_read(&fleet, &chips, &c->scan.env, &reading, err);
  mpg_fleet_cache_give(&keep, &fleet, &chips);
  mpg_ledger_fleet_free(&fleet, &chips);
  if (rc == MPG_NOMEM || rc == MPG_INTERRUPTED)
    return rc;
  if (rc != MPG_OK)
    mpg_sources_told_free(&c->told);
  return MPG_OK;
}

/* The rows and issues of a mapping. What accounting has listed of the path stays, and what records
** that break a rule add is for whoever asks for records. */
static mpg_rc map_files(cursor *c, mpg_conn *conn, mpg_err *err) {
  mpg_issues before;
  mpg_rc rc = mpg_cache_copy_issues(&before, conn, is_path, c);
  if (rc == MPG_OK)
    rc = read_fleet(c, conn, err);
  else
    rc = mpg_fail_nomem(err);
  if (rc == MPG_OK && (mpg_cache_list_again(conn, &before, is_path, c) != MPG_OK ||
                       (c->told.rows.columns > 0 &&
                        mpg_cache_list_again(conn, &c->told.issues, is_reported, c) != MPG_OK)))
    rc = mpg_fail_nomem(err);
  mpg_issues_free(&before);
  if (rc != MPG_OK || c->told.rows.columns == 0)
    return rc;
  c->cached = mpg_table_cache_add(&c->fill, &c->told.rows, &c->told.issues);
  c->stored = c->cached != NULL ? &c->cached->rows : &c->told.rows;
  return MPG_OK;
}

/* The rows as they are told with the option on_error, or where there is no fleet to make. */
static mpg_rc report_files(cursor *c, mpg_conn *conn, mpg_str path, mpg_err *err) {
  mpg_rc rc = read_sources(c, conn, path, err);
  int code;
  if (rc != MPG_OK)
    return rc;
  code = mpg_table_cache_end(&c->fill, c->rows, &c->cached);
  if (code != SQLITE_DONE)
    return mpg_private_failure(&c->sources.db, code, err);
  if (c->cached != NULL) { /* nothing else is needed */
    (void)sqlite3_finalize(c->rows);
    c->rows = NULL;
    mpg_sources_close(&c->sources);
    c->stored = &c->cached->rows;
  }
  return MPG_OK;
}

/* The rows that were kept, or those of the files, which are kept if that can be. */
static mpg_rc find_rows(cursor *c, mpg_conn *conn, mpg_str path, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  c->cached = mpg_table_cache_begin(&c->fill, conn, &c->scan.env, &shape, c->arguments);
  if (c->cached != NULL)
    c->stored = &c->cached->rows;
  else if (c->fill.key != NULL && c->arguments[1] == NULL)
    rc = map_files(c, conn, err);
  return rc == MPG_OK && c->stored == NULL ? report_files(c, conn, path, err) : rc;
}

static int sources_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                          sqlite3_value **argv) {
  cursor *c = (cursor *)base;
  const mpg_table *t = (const mpg_table *)base->pVtab;
  mpg_value path;
  mpg_err err;
  int code;
  (void)text;
  cursor_clear(c);
  if (mpg_argument_is_missing(plan, 0))
    return mpg_path_missing(base->pVtab, "trace_sources");
  if (mpg_argument_is_missing(plan, 1))
    return mpg_argument_missing(base->pVtab, "trace_sources", "on_error");
  if ((plan & 1) == 0)
    return mpg_vtab_error(base->pVtab, "trace_sources: expected a path: trace_sources('exports/')");
  path = mpg_value_of(argv[0]);
  if (mpg_argument_is_nothing(t->conn, "trace_sources", "path", argv[0]))
    return SQLITE_OK;
  if (argc > 1 && (code = mpg_argument_lost(base->pVtab, plan, 1, "trace_sources", "on_error",
                                            argv[1])) != SQLITE_OK)
    return code;
  if (path.type != MPG_TEXT)
    return mpg_vtab_misuse(base->pVtab, "trace_sources", "path", "text", &path);
  for (int i = 0; i < ARGUMENTS && i < argc; i++) {
    c->arguments[i] = sqlite3_value_dup(argv[i]);
    if (c->arguments[i] == NULL)
      return SQLITE_NOMEM;
  }
  code = mpg_query_env_begin(&c->scan, t->conn);
  if (code != SQLITE_OK)
    return code;
  c->rowid = 0;
  if (find_rows(c, t->conn, path.s, &err) != MPG_OK)
    return mpg_vtab_failure(base->pVtab, "trace_sources", &err);
  return sources_next(base);
}

static int sources_eof(sqlite3_vtab_cursor *base) {
  return ((const cursor *)base)->eof;
}

static int sources_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  cursor *c = (cursor *)base;
  const bool real = column >= FIRST_TIME && column <= LAST_OF_TIMES;
  if (column < COLUMNS && c->stored != NULL)
    mpg_row_store_result(c->stored, c->values[column], real, context);
  else if (column < COLUMNS)
    mpg_result_declared(context, sqlite3_column_value(c->rows, column), real);
  else if (c->arguments[column - COLUMNS] != NULL)
    sqlite3_result_value(context, c->arguments[column - COLUMNS]);
  return SQLITE_OK;
}

static int sources_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  const cursor *c = (const cursor *)base;
  *rowid = mpg_first_rowid(c->arguments, ARGUMENTS) + c->rowid;
  return SQLITE_OK;
}

int mpg_register_sources(mpg_conn *conn, char **error) {
  static const sqlite3_module module = {
      .iVersion = 0,
      .xConnect = sources_connect, /* no xCreate: eponymous only */
      .xBestIndex = sources_best_index,
      .xDisconnect = mpg_table_disconnect,
      .xOpen = sources_open,
      .xClose = sources_close,
      .xFilter = sources_filter,
      .xNext = sources_next,
      .xEof = sources_eof,
      .xColumn = sources_column,
      .xRowid = sources_rowid,
  };
  static const mpg_module table = {"trace_sources", &module, 0};
  return mpg_register_file_modules(conn, &table, 1, error);
}
