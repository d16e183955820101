/*
** runs_table.c - what jobs did, folded: what sql/build.sql makes attempts, runs and programs of.
**
**     mpg_runs([schema], ...)   a row for what one program did in one run and one bucket, over
**                               relations of the open database; arguments as of mpg_ledger
**
** A run is a time without a gap in which an attempt had everything it needed; run is NULL for what
** it held besides. restore_us is told by the first row of a run.
*/
#include "../connection.h"
#include "../host.h"
#include "ledger_arguments.h"
#include "ledger_declaration.h"
#include "ledger_fleet.h"
#include "ledger_plan.h"
#include "../../goodput/ledger/runs.h"

#include <string.h>

static const char declaration[] =
    "CREATE TABLE x(job TEXT, attempt BIGINT, run BIGINT, program TEXT, start_us BIGINT, "
    "end_us BIGINT, last_span_us BIGINT, progress_us BIGINT, restore_us BIGINT, chips REAL, "
    "held_us BIGINT, productive_us BIGINT, ideal_us BIGINT, unrated_us BIGINT, lost_us BIGINT, ";

typedef struct cursor {
  sqlite3_vtab_cursor base; /* must be first */
  sqlite3_value *args[MPG_ARGS];
  mpg_query_env scan;
  mpg_chips *chips;
  mpg_fleet fleet;
  mpg_accounting accounting;
  mpg_runs runs;
  size_t job, at; /* the next job; the row of the last one */
  sqlite3_int64 rowid;
  bool eof;
} cursor;

static int runs_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **out, char **error) {
  const mpg_ledger_table *kind = mpg_ledger_table_get(MPG_RUNS_TABLE);
  char *sql = mpg_ledger_declared(declaration, kind);
  int rc;
  (void)argc;
  (void)argv;
  if (sql == NULL)
    return SQLITE_NOMEM;
  rc = mpg_table_connect(db, aux, sql, 0, out, error);
  sqlite3_free(sql);
  return rc;
}

static int runs_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
  (void)vtab;
  return mpg_cursor_open(sizeof(cursor), out);
}

static void reset(cursor *c) {
  sqlite3_vtab_cursor base = c->base;
  for (int a = 0; a < MPG_ARGS; a++)
    sqlite3_value_free(c->args[a]);
  mpg_runs_free(&c->runs);
  mpg_accounting_free(&c->accounting);
  mpg_ledger_fleet_free(&c->fleet, &c->chips);
  mpg_query_env_end(&c->scan);
  memset(c, 0, sizeof *c);
  c->base = base;
}

static int runs_close(sqlite3_vtab_cursor *base) {
  reset((cursor *)base);
  sqlite3_free(base);
  return SQLITE_OK;
}

/* The rows of the next job that has any. */
static mpg_rc next_job(cursor *c, mpg_err *err) {
  const char *source = mpg_ledger_source(c->args, mpg_ledger_table_get(MPG_RUNS_TABLE));
  mpg_rc rc = MPG_OK;
  c->at = c->runs.nrows = 0;
  for (; rc == MPG_OK && c->runs.nrows == 0 && c->job < mpg_fleet_njobs(&c->fleet); c->job++)
    if (c->accounting.left_out == NULL || !c->accounting.left_out[c->job])
      rc = mpg_runs_job(&c->runs, &c->accounting, c->job, source, err);
  c->eof = c->runs.nrows == 0;
  return rc == MPG_OK && c->eof ? mpg_accounting_finish(&c->accounting, source, err) : rc;
}

static mpg_rc read_first_job(cursor *c, const mpg_table *t, mpg_err *err) {
  mpg_ledger_reading reading = {
      .conn = t->conn, .table = mpg_ledger_table_get(MPG_RUNS_TABLE), .args = c->args};
  mpg_ledger_options options;
  mpg_rc rc = mpg_ledger_args(c->args, t->conn, &options, &reading.skip, &reading.threads, err);
  if (rc == MPG_OK)
    rc = mpg_ledger_read(&c->fleet, &c->chips, &c->scan.env, &reading, err);
  if (rc == MPG_OK)
    rc = mpg_accounting_init(&c->accounting, &c->scan.env, &c->fleet, &options, err);
  c->accounting.left_out = mpg_ledger_left_out(t->conn, c->chips);
  if (rc == MPG_OK)
    rc = mpg_runs_init(&c->runs, &c->scan.env, &c->fleet, err);
  return rc == MPG_OK ? next_job(c, err) : rc;
}

static int runs_filter(sqlite3_vtab_cursor *base, int idx_num, const char *idx_str, int argc,
                       sqlite3_value **argv) {
  cursor *c = (cursor *)base;
  mpg_table *t = (mpg_table *)base->pVtab;
  const mpg_ledger_table *kind = mpg_ledger_table_get(MPG_RUNS_TABLE);
  mpg_err err = {MPG_OK, ""};
  int n = 0, code, missing;
  reset(c);
  c->eof = true;
  for (int a = 0; a < kind->nargs && n < argc; a++)
    if (idx_num >> a & 1) {
      const mpg_arg which = (mpg_arg)kind->args[a];
      code = mpg_argument_lost(&t->base, idx_num, a, kind->name, mpg_arg_name(which), argv[n]);
      if (code != SQLITE_OK)
        return code;
      c->args[which] = sqlite3_value_dup(argv[n++]);
      if (c->args[which] == NULL)
        return SQLITE_NOMEM;
    }
  c->rowid = mpg_first_rowid(c->args, MPG_ARG_THREADS);
  missing = mpg_ledger_missing(kind, mpg_ledger_plan_columns(idx_str), idx_num);
  if (missing >= 0)
    return mpg_ledger_not_handed_over(&t->base, missing);
  code = mpg_query_env_begin(&c->scan, t->conn);
  if (code != SQLITE_OK)
    return code;
  return read_first_job(c, t, &err) == MPG_OK ? SQLITE_OK
                                              : mpg_vtab_failure(&t->base, kind->name, &err);
}

static int runs_next(sqlite3_vtab_cursor *base) {
  cursor *c = (cursor *)base;
  mpg_err err = {MPG_OK, ""};
  c->rowid++;
  if (++c->at < c->runs.nrows || next_job(c, &err) == MPG_OK)
    return SQLITE_OK;
  return mpg_vtab_failure(base->pVtab, mpg_ledger_table_get(MPG_RUNS_TABLE)->name, &err);
}

static int runs_eof(sqlite3_vtab_cursor *base) {
  return ((cursor *)base)->eof;
}

static int runs_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  *rowid = ((cursor *)base)->rowid;
  return SQLITE_OK;
}

static void result_name(sqlite3_context *x, const mpg_intern *names, uint32_t id) {
  const mpg_str s = mpg_intern_text(names, id);
  if (s.p != NULL)
    sqlite3_result_text64(x, s.p, s.n, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static int runs_column(sqlite3_vtab_cursor *base, sqlite3_context *x, int i) {
  const cursor *c = (const cursor *)base;
  const mpg_run_row *r = &c->runs.rows[c->at];
  if (i >= MPG_RUNS_COLUMNS) {
    sqlite3_result_value(x,
                         c->args[mpg_ledger_table_get(MPG_RUNS_TABLE)->args[i - MPG_RUNS_COLUMNS]]);
  } else if (i == 0 || i == 3) {
    result_name(x, i == 0 ? &c->fleet.job_names : &c->fleet.program_names,
                i == 0 ? r->job : r->program);
  } else if (i == 9) {
    sqlite3_result_double(x, r->chips);
  } else {
    const int64_t figures[MPG_RUNS_COLUMNS] = {0,
                                               r->attempt,
                                               r->run > 0 ? r->run : MPG_NONE,
                                               0,
                                               r->start,
                                               r->end,
                                               r->last_span,
                                               r->progress,
                                               r->restore,
                                               0,
                                               r->held,
                                               r->productive,
                                               r->ideal,
                                               r->unrated,
                                               r->lost};
    if (figures[i] != MPG_NONE)
      sqlite3_result_int64(x, figures[i]);
  }
  return SQLITE_OK;
}

int mpg_register_runs(mpg_conn *conn, char **error) {
  static const sqlite3_module module = {
      .iVersion = 0,
      .xConnect = runs_connect, /* no xCreate: eponymous only */
      .xBestIndex = mpg_ledger_best_index,
      .xDisconnect = mpg_table_disconnect,
      .xOpen = runs_open,
      .xClose = runs_close,
      .xFilter = runs_filter,
      .xNext = runs_next,
      .xEof = runs_eof,
      .xColumn = runs_column,
      .xRowid = runs_rowid,
  };
  static const mpg_module table = {"mpg_runs", &module, MPG_RUNS_TABLE};
  return mpg_register_modules(conn, &table, 1, error);
}
