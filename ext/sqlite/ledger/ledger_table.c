/*
** ledger_table.c - the ledger as tables.
**
**     trace_ledger(path)            a row for each interval, from files of the native trace
**     trace_rollup(path)            the same summed: a row for each combination of the dimensions
**                                   that the query names
**     trace_timeline(path, of_job)  one job's intervals in order, with their evidence
**     mpg_ledger, mpg_rollup, mpg_timeline   the same over relations of the open database
**
** The hidden columns are the arguments, in the order of goodput/ledger/ledger_columns.c; each takes
** `=` or a place in the call. xBestIndex says in idxNum which are given (bit i: argument i of the
** module, argv in that order) and in idxStr the columns that the statement uses, from which the
** roll-up's grain follows, and its other requests (ledger_plan.h). Files and tables are read in
** xFilter, never before.
*/
#include "../connection.h"
#include "../catalogue.h"
#include "../host.h"
#include "../cache/rollup_cache.h"
#include "ledger_arguments.h"
#include "ledger_declaration.h"
#include "ledger_fleet.h"
#include "ledger_plan.h"
#include "ledger_values.h"
#include "../sqlite_relations.h"
#include "../../goodput/ledger/rollup_threads.h"

#include <stdlib.h>
#include <string.h>

typedef struct cursor {
  sqlite3_vtab_cursor base;      /* must be first */
  sqlite3_value *args[MPG_ARGS]; /* as given; NULL: not given */
  mpg_query_env scan;
  mpg_chips *chips;
  mpg_fleet fleet;
  mpg_fleet_keep keep; /* of the fleet */
  mpg_accounting accounting;
  mpg_rollup_cache_fill fill;
  mpg_rollup_cache_entry *cached;
  mpg_plan_values compared;
  mpg_scan_request request;
  mpg_ledger_scan *rows; /* of the ledger */
  mpg_ledger batch;      /* of a timeline: rows of the current unit; of a roll-up: the cell */
  mpg_rollup rollup;
  int threads;
  size_t unit, only;   /* the next unit; the requested one, or SIZE_MAX */
  size_t at, n;        /* rows of the batch */
  const size_t *order; /* of them; NULL: as they are */
  size_t cell;         /* at hand */
  mpg_ledger_row row;  /* of the cell: a sum past 64 bits is several rows */
  mpg_i128 left;       /* and its later rows */
  sqlite3_int64 rowid; /* of rows of the ledger, their number alone */
  sqlite3_int64 first_rowid;
  bool eof;
  mpg_ledger_values values;
} cursor;

/* ---- cursors ---- */

static int ledger_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
  (void)vtab;
  return mpg_cursor_open(sizeof(cursor), out);
}

static void reset(cursor *c) {
  sqlite3_vtab_cursor base = c->base;
  mpg_ledger_scan_close(c->rows); /* first: its threads may still compare with what is given */
  for (int a = 0; a < MPG_ARGS; a++)
    sqlite3_value_free(c->args[a]);
  mpg_plan_values_free(&c->compared);
  mpg_ledger_values_free(&c->values);
  mpg_accounting_free(&c->accounting);
  mpg_rollup_free(&c->rollup);
  mpg_rollup_cache_release(c->cached);
  mpg_rollup_cache_fill_free(&c->fill);
  mpg_ledger_free(&c->batch);
  mpg_fleet_cache_give(&c->keep, &c->fleet, &c->chips);
  mpg_ledger_fleet_free(&c->fleet, &c->chips);
  mpg_query_env_end(&c->scan);
  memset(c, 0, sizeof *c);
  c->base = base;
}

static int ledger_close(sqlite3_vtab_cursor *base) {
  reset((cursor *)base);
  sqlite3_free(base);
  return SQLITE_OK;
}

/* ---- the scan ---- */

static const char *source_of(const cursor *c, const mpg_table *t) {
  return mpg_ledger_source(c->args, mpg_ledger_table_of(t));
}

/* The first row of a batch. */
static void enter_batch(cursor *c, const mpg_ledger *rows) {
  mpg_ledger_values_of(&c->values, rows);
  c->at = 0;
  c->n = rows->n;
  c->order = rows->order;
  c->values.row = c->order != NULL && c->n > 0 ? c->order[0] : 0;
  c->eof = c->n == 0;
}

/* The next batch of the ledger's rows. */
static mpg_rc next_rows(cursor *c, mpg_err *err) {
  const mpg_ledger *rows;
  mpg_rc rc = c->rows == NULL ? MPG_DONE : mpg_ledger_scan_next(c->rows, &rows, err);
  c->eof = rc != MPG_OK;
  if (rc == MPG_OK)
    enter_batch(c, rows);
  return rc == MPG_DONE ? MPG_OK : rc;
}

/* The next job's rows of a timeline, in the order of time. */
static mpg_rc next_job(cursor *c, const mpg_table *t, mpg_err *err) {
  mpg_sink sink = mpg_ledger_sink(&c->batch);
  size_t units = c->only != SIZE_MAX ? c->only + 1 : mpg_fleet_njobs(&c->fleet);
  c->batch.n = 0;
  c->eof = true;
  while (c->batch.n == 0 && c->unit < units) {
    mpg_rc rc = mpg_accounting_unit(&c->accounting, c->unit++, &sink, source_of(c, t), err);
    if (rc != MPG_OK)
      return rc;
  }
  if (c->batch.n > 0) {
    mpg_rc rc = mpg_ledger_sort(&c->batch);
    if (rc != MPG_OK)
      return rc == MPG_INTERRUPTED ? mpg_fail(err, rc, "interrupted") : mpg_fail_nomem(err);
    enter_batch(c, &c->batch);
  }
  return c->eof ? mpg_accounting_finish(&c->accounting, source_of(c, t), err) : MPG_OK;
}

static mpg_rc next_batch(cursor *c, const mpg_table *t, mpg_err *err) {
  return mpg_ledger_table_of(t)->shape == MPG_SHAPE_LEDGER ? next_rows(c, err)
                                                           : next_job(c, t, err);
}

/* A roll-up's dimensions: those of the argument, or else those whose columns the statement uses.
** With the first a statement may use no others, and with the second compare no measure. */
static mpg_rc find_grain(const cursor *c, const mpg_table *t, const char *idx_str, uint32_t *mask,
                         mpg_err *err) {
  const mpg_ledger_table *kind = mpg_ledger_table_of(t);
  const uint32_t used = mpg_ledger_grain(kind, mpg_ledger_plan_columns(idx_str));
  mpg_rc rc;
  *mask = used;
  if (!mpg_arg_given(c->args, MPG_ARG_GRAIN)) {
    if (!mpg_ledger_plan_compares(idx_str))
      return MPG_OK;
    return mpg_fail(err, MPG_MISUSE,
                    "expected grain = 'full', or names of dimensions such as 'pool, category', "
                    "beside a comparison of chip_us, chip_seconds or intervals: what they sum "
                    "depends on the columns of the statement; HAVING compares sums");
  }
  rc = mpg_ledger_grain_parse(kind, mpg_arg_name(MPG_ARG_GRAIN),
                              mpg_str_of(mpg_arg_text(c->args, MPG_ARG_GRAIN)), mask, err);
  for (int i = 0; rc == MPG_OK && i < kind->ncols; i++) {
    const mpg_ledger_column_info *col = mpg_ledger_column_get((mpg_ledger_column)kind->cols[i]);
    if (col->dim >= 0 && ((used & ~*mask) >> col->dim & 1) != 0)
      return mpg_fail(err, MPG_MISUSE, "grain: expected also %s, which the statement names",
                      col->name);
  }
  return rc;
}

/* The roll-up of what was read, and its finest cells, for the questions that follow. */
static mpg_rc roll_up(cursor *c, const mpg_table *t, uint32_t mask, mpg_err *err) {
  mpg_cells cells = {.limit = mpg_rollup_cache_room(&c->fill)};
  mpg_rc rc = mpg_rollup_init(&c->rollup, &c->scan.env, &c->fleet, mask, err);
  if (rc == MPG_OK)
    rc = mpg_rollup_all(&c->rollup, &c->accounting, c->threads, cells.limit > 0 ? &cells : NULL,
                        source_of(c, t), err);
  if (rc == MPG_OK && cells.limit > 0)
    c->cached = mpg_rollup_cache_end(&c->fill, &c->fleet, &cells);
  if (c->cached != NULL)
    c->values.fleet = &c->cached->fleet;
  mpg_free(&c->scan.env, cells.p);
  return rc;
}

static mpg_rc roll_up_cached(cursor *c, uint32_t mask, mpg_err *err) {
  mpg_rc rc;
  c->values.fleet = &c->cached->fleet;
  rc = mpg_rollup_init(&c->rollup, &c->scan.env, c->values.fleet, mask, err);
  if (rc != MPG_OK)
    return rc;
  rc = mpg_rollup_add_cells(&c->rollup, c->cached->cells.p, c->cached->cells.n);
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

/* The next row of the current cell. */
static void show_cell(cursor *c) {
  c->row = mpg_ledger_row_of_cell(&c->rollup.cells[c->cell], &c->left);
  c->values.intervals = c->row.intervals;
}

static void enter_cell(cursor *c) {
  c->eof = c->cell >= c->rollup.ncells;
  if (!c->eof) {
    c->left = c->rollup.cells[c->cell].chip_us;
    show_cell(c);
  }
}

static void first_cell(cursor *c) {
  c->batch = mpg_ledger_of_cell(&c->row);
  mpg_ledger_values_of(&c->values, &c->batch);
  enter_cell(c);
}

/* The columns of the request's keys. */
static uint32_t columns_compared(const mpg_ledger_table *kind, const mpg_scan_request *request) {
  uint32_t columns = 0;
  for (size_t k = 0; k < request->nkeys; k++)
    for (int i = 0; i < kind->ncols; i++)
      if (mpg_ledger_column_get((mpg_ledger_column)kind->cols[i])->dim == (int)request->keys[k].dim)
        columns |= UINT32_C(1) << i;
  return columns;
}

/* The roll-up, or `rows` first rows of the ledger, from the cache, if they are there: c->cached. */
static void find_cached(cursor *c, const mpg_table *t, const mpg_ledger_options *options,
                        size_t rows) {
  mpg_rollup_question question = {options, (int)mpg_arg_on_error(c->args), rows, 0};
  mpg_value path;
  if (t->conn->held != NULL) /* a fleet that is borrowed: the cache would take its names */
    return;
  if (!mpg_ledger_table_of(t)->files) {
    c->cached = mpg_rollup_cache_begin_tables(&c->fill, t->conn, &c->scan.env,
                                              mpg_ledger_schema(c->args), &question);
    return;
  }
  path = mpg_value_of(c->args[MPG_ARG_PATH]);
  if (path.type == MPG_TEXT && mpg_user_tables_hash(t->conn, &question.user_tables))
    c->cached = mpg_rollup_cache_begin(&c->fill, t->conn, &c->scan.env, path.s, &question);
}

/* At most `limit` rows of the ledger, for a preview that reads no more; kept for the next one. */
static mpg_rc read_first_rows(cursor *c, const mpg_table *t, size_t limit, mpg_err *err) {
  const mpg_ledger *rows;
  mpg_rc rc;
  for (int i = 0; i < mpg_ledger_table_of(t)->ncols; i++)
    c->request.columns |=
        UINT32_C(1)
        << mpg_ledger_column_get((mpg_ledger_column)mpg_ledger_table_of(t)->cols[i])->row;
  c->request.columns |= UINT32_C(1) << MPG_ROW_NUMBER; /* no second scan for a rowid */
  c->batch.columns = c->request.columns;
  rc =
      mpg_ledger_scan_open(&c->rows, &c->accounting, &c->request, c->threads, source_of(c, t), err);
  while (rc == MPG_OK && c->batch.n < limit) {
    rc = mpg_ledger_scan_next(c->rows, &rows, err);
    for (size_t i = 0; rc == MPG_OK && i < rows->n && c->batch.n < limit; i++)
      if (mpg_ledger_append(&c->batch, rows, i) != MPG_OK)
        rc = mpg_fail_nomem(err);
  }
  if (rc != MPG_OK && rc != MPG_DONE)
    return rc;
  mpg_ledger_scan_close(c->rows);
  c->rows = NULL;
  c->cached = mpg_rollup_cache_end_rows(&c->fill, &c->fleet, &c->batch, rc == MPG_DONE);
  if (c->cached != NULL)
    c->values.fleet = &c->cached->fleet;
  enter_batch(c, c->cached != NULL ? &c->cached->rows : &c->batch);
  return MPG_OK;
}

/* The answer from the cache. */
static mpg_rc show_cached(cursor *c, const mpg_table *t, uint32_t grain, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  if (mpg_ledger_table_of(t)->shape == MPG_SHAPE_ROLLUP) {
    rc = roll_up_cached(c, grain, err);
    if (rc == MPG_OK)
      first_cell(c);
  } else {
    c->request.columns |= UINT32_C(1) << MPG_ROW_NUMBER; /* they are numbered */
    c->values.fleet = &c->cached->fleet;
    enter_batch(c, &c->cached->rows);
  }
  return rc;
}

/* Copies the arguments that SQLite hands over, *nargs of them: what columns of the ledger are
** compared with follows them. An SQLite code. */
static int copy_arguments(cursor *c, mpg_table *t, int idx_num, int argc, sqlite3_value **argv,
                          int *nargs) {
  const mpg_ledger_table *kind = mpg_ledger_table_of(t);
  int n = 0;
  for (int a = 0; a < kind->nargs && n < argc; a++)
    if (idx_num >> a & 1) {
      mpg_arg which = (mpg_arg)kind->args[a];
      bool no_rows = which == MPG_ARG_PATH || which == MPG_ARG_OF_JOB; /* of NULL */
      int code = no_rows ? SQLITE_OK
                         : mpg_argument_lost(&t->base, idx_num, a, kind->name, mpg_arg_name(which),
                                             argv[n]);
      if (code != SQLITE_OK)
        return code;
      c->args[which] = sqlite3_value_dup(argv[n++]);
      if (c->args[which] == NULL)
        return SQLITE_NOMEM;
    }
  *nargs = n;
  return SQLITE_OK;
}

/* Reads the records and makes the first rows of them; none if the job is not among them. */
static mpg_rc make_rows(cursor *c, mpg_table *t, const mpg_ledger_options *options, bool skip,
                        size_t limit, uint32_t grain, mpg_err *err) {
  const mpg_ledger_table *kind = mpg_ledger_table_of(t);
  const mpg_ledger_reading reading = {.conn = t->conn,
                                      .table = kind,
                                      .args = c->args,
                                      .reported = mpg_rollup_cache_reported(&c->fill),
                                      .threads = c->threads,
                                      .skip = skip,
                                      .keep = &c->keep};
  mpg_rc rc = mpg_ledger_read(&c->fleet, &c->chips, &c->scan.env, &reading, err);
  c->fill.copies_names = mpg_fleet_cache_keeps(&c->keep, &c->fleet);
  if (rc == MPG_OK)
    rc = mpg_accounting_init(&c->accounting, &c->scan.env, &c->fleet, options, err);
  if (rc != MPG_OK)
    return rc;
  if (mpg_arg_given(c->args, MPG_ARG_OF_JOB)) {
    rc = mpg_accounting_find_job(&c->accounting, mpg_str_of(mpg_arg_text(c->args, MPG_ARG_OF_JOB)),
                                 source_of(c, t), &c->only, err);
    if (rc != MPG_OK)
      return rc == MPG_DONE ? MPG_OK : rc;
    c->unit = c->only;
  }
  if (kind->shape == MPG_SHAPE_ROLLUP) {
    if (grain >> MPG_DIM_JOB & 1)
      c->accounting.left_out = mpg_ledger_left_out(t->conn, c->chips);
    rc = roll_up(c, t, grain, err);
    if (rc == MPG_OK)
      first_cell(c);
    return rc;
  }
  if (limit > 0)
    return read_first_rows(c, t, limit, err);
  if (kind->shape == MPG_SHAPE_LEDGER)
    rc = mpg_ledger_scan_open(&c->rows, &c->accounting, &c->request, c->threads, source_of(c, t),
                              err);
  return rc == MPG_OK ? next_batch(c, t, err) : rc;
}

static int ledger_filter(sqlite3_vtab_cursor *base, int idx_num, const char *idx_str, int argc,
                         sqlite3_value **argv) {
  cursor *c = (cursor *)base;
  mpg_table *t = (mpg_table *)base->pVtab;
  const mpg_ledger_table *kind = mpg_ledger_table_of(t);
  mpg_ledger_options options;
  mpg_err err = {MPG_OK, ""};
  bool skip = false;
  uint32_t grain = 0;
  size_t limit;
  int nargs = 0, code, missing;
  mpg_rc rc;
  reset(c);
  code = copy_arguments(c, t, idx_num, argc, argv, &nargs);
  if (code == SQLITE_OK && kind->shape != MPG_SHAPE_ROLLUP)
    code = mpg_ledger_plan_check(&t->base, idx_str, kind, argc - nargs, argv + nargs);
  if (code == SQLITE_OK && kind->shape == MPG_SHAPE_LEDGER)
    code = mpg_ledger_plan_request(idx_str, kind, argc - nargs, argv + nargs, &c->compared,
                                   &c->request);
  if (code != SQLITE_OK)
    return code;
  c->first_rowid = mpg_first_rowid(c->args, MPG_ARG_THREADS);
  c->values.compared = columns_compared(kind, &c->request);
  c->eof = true;
  missing = mpg_ledger_missing(kind, mpg_ledger_plan_columns(idx_str), idx_num);
  if (missing == 0 && kind->files)
    return mpg_path_missing(&t->base, kind->name);
  if (kind->files && c->args[MPG_ARG_PATH] == NULL)
    return mpg_vtab_error(&t->base, "%s: expected a path: %s('traces/')", kind->name, kind->name);
  if (missing >= 0)
    return mpg_ledger_not_handed_over(&t->base, missing);
  if (kind->files && mpg_argument_is_nothing(t->conn, kind->name, "path", c->args[MPG_ARG_PATH]))
    return SQLITE_OK;
  if (c->args[MPG_ARG_OF_JOB] != NULL &&
      mpg_argument_is_nothing(t->conn, kind->name, "of_job", c->args[MPG_ARG_OF_JOB]))
    return SQLITE_OK;
  code = mpg_query_env_begin(&c->scan, t->conn);
  if (code != SQLITE_OK)
    return code;
  c->only = SIZE_MAX;
  mpg_ledger_init(&c->batch, &c->scan.env);
  c->values.conn = t->conn;
  c->values.table = kind;
  c->values.fleet = &c->fleet;
  c->values.bucket = &c->accounting.options.window.bucket;
  rc = mpg_ledger_args(c->args, t->conn, &options, &skip, &c->threads, &err);
  if (rc == MPG_OK && kind->shape == MPG_SHAPE_ROLLUP)
    rc = find_grain(c, t, idx_str, &grain, &err);
  limit = kind->shape == MPG_SHAPE_LEDGER ? mpg_ledger_plan_limit(idx_str) : 0;
  if (rc == MPG_OK && (kind->shape == MPG_SHAPE_ROLLUP || limit > 0))
    find_cached(c, t, &options, limit);
  if (c->cached != NULL) {
    c->accounting.options = options; /* whose buckets name the rows */
    rc = show_cached(c, t, grain, &err);
  } else if (rc == MPG_OK) {
    rc = make_rows(c, t, &options, skip, limit, grain, &err);
  }
  return rc == MPG_OK ? SQLITE_OK : mpg_vtab_failure(&t->base, kind->name, &err);
}

/* The row after the last of a batch, or of a cell. */
static int leave_batch(cursor *c) {
  const mpg_table *t = (const mpg_table *)c->base.pVtab;
  mpg_err err;
  if (mpg_ledger_table_of(t)->shape == MPG_SHAPE_ROLLUP) {
    if (c->left != 0) {
      show_cell(c);
    } else {
      c->cell++;
      enter_cell(c);
    }
    return SQLITE_OK;
  }
  if (next_batch(c, t, &err) != MPG_OK)
    return mpg_vtab_failure(c->base.pVtab, mpg_ledger_table_of(t)->name, &err);
  return SQLITE_OK;
}

/* The next row, if the batch has one. */
static bool step_row(cursor *c) {
  if (++c->at >= c->n)
    return false;
  c->values.row = c->order != NULL ? c->order[c->at] : c->at;
  return true;
}

static int ledger_next(sqlite3_vtab_cursor *base) {
  cursor *c = (cursor *)base;
  c->rowid++;
  return step_row(c) ? SQLITE_OK : leave_batch(c);
}

static int ledger_eof(sqlite3_vtab_cursor *base) {
  return ((cursor *)base)->eof;
}

/* Scans the ledger again from its start, with its rows numbered, up to the row after `passed`
** others or, if a number is given, to the row with that number. */
static mpg_rc scan_again(cursor *c, const mpg_table *t, bool once, sqlite3_int64 passed,
                         const int64_t *number, mpg_err *err) {
  const mpg_ledger_options options = c->accounting.options;
  mpg_issues *listed = c->fleet.issues, again; /* those of pools, which the first scan listed */
  mpg_rc rc;
  mpg_ledger_scan_close(c->rows);
  c->rows = NULL;
  mpg_accounting_free(&c->accounting);
  c->request.columns |= 1u << MPG_ROW_NUMBER;
  c->request.once = once;
  mpg_issues_init(&again, &t->conn->env);
  c->fleet.issues = &again;
  rc = mpg_accounting_init(&c->accounting, &c->scan.env, &c->fleet, &options, err);
  if (rc == MPG_OK)
    rc = mpg_ledger_scan_open(&c->rows, &c->accounting, &c->request, c->threads, source_of(c, t),
                              err);
  c->fleet.issues = listed;
  mpg_issues_free(&again);
  if (rc == MPG_OK)
    rc = next_rows(c, err);
  while (rc == MPG_OK && !c->eof &&
         (number != NULL ? c->values.rows->number[c->values.row] != *number : passed-- > 0))
    if (!step_row(c))
      rc = next_rows(c, err);
  return rc;
}

/*
** SQLite compares rowids of one scan with those of another, which may compare, sort and leave out
** differently (RIGHT JOIN, OR). It seldom reads one: rows are numbered from then on. It read no
** rowid of the rows before, nor would it have read those of left-out rows with the same keys; so of
** left-out rows only later ones are returned.
*/
static int ledger_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  cursor *c = (cursor *)base;
  const mpg_table *t = (const mpg_table *)base->pVtab;
  const bool once = c->request.once;
  mpg_err err;
  mpg_rc rc = MPG_OK;
  *rowid = c->first_rowid + c->rowid;
  if (mpg_ledger_table_of(t)->shape != MPG_SHAPE_LEDGER)
    return SQLITE_OK;
  if ((c->request.columns >> MPG_ROW_NUMBER & 1) == 0)
    rc = scan_again(c, t, once, c->rowid, NULL, &err);
  if (rc == MPG_OK && once) {
    int64_t number = c->values.rows->number[c->values.row];
    rc = scan_again(c, t, false, 0, &number, &err);
  }
  if (rc != MPG_OK)
    return mpg_vtab_failure(base->pVtab, mpg_ledger_table_of(t)->name, &err);
  *rowid = c->first_rowid + c->values.rows->number[c->values.row];
  return SQLITE_OK;
}

/* ---- values ---- */

/* An argument, as it was given. */
static int show_argument(const cursor *c, sqlite3_context *context, int i) {
  const mpg_ledger_table *kind = c->values.table;
  sqlite3_result_value(context, c->args[kind->args[i - kind->ncols]]);
  return SQLITE_OK;
}

/* Any column but a text that is there again. */
static int show_column(cursor *c, sqlite3_context *context, int i) {
  if (i >= c->values.table->ncols)
    return show_argument(c, context, i);
  mpg_ledger_result(context, &c->values, i);
  return SQLITE_OK;
}

static int ledger_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int i) {
  cursor *c = (cursor *)base;
  return mpg_ledger_again(context, &c->values, i) ? SQLITE_OK : show_column(c, context, i);
}

int mpg_register_ledger(mpg_conn *conn, char **error) {
  static const sqlite3_module module = {
      .iVersion = 0,
      .xConnect = mpg_ledger_connect, /* no xCreate: eponymous only */
      .xBestIndex = mpg_ledger_best_index,
      .xDisconnect = mpg_table_disconnect,
      .xOpen = ledger_open,
      .xClose = ledger_close,
      .xFilter = ledger_filter,
      .xNext = ledger_next,
      .xEof = ledger_eof,
      .xColumn = ledger_column,
      .xRowid = ledger_rowid,
  };
  static const mpg_module files[] = {
      {"trace_ledger", &module, 0}, {"trace_rollup", &module, 1}, {"trace_timeline", &module, 2}};
  static const mpg_module tables[] = {
      {"mpg_ledger", &module, 3}, {"mpg_rollup", &module, 4}, {"mpg_timeline", &module, 5}};
  int rc = mpg_register_file_modules(conn, files, sizeof files / sizeof *files, error);
  return rc == SQLITE_OK ? mpg_register_modules(conn, tables, sizeof tables / sizeof *tables, error)
                         : rc;
}
