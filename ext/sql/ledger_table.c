/*
** ledger_table.c - the ledger as tables.
**
**     trace_ledger(path)            a row for each interval, from files of the native trace
**     trace_rollup(path)            the same summed: a row for each combination of the dimensions
**                                   that the query names
**     trace_timeline(path, of_job)  one job's intervals in order, with their evidence
**     mpg_ledger, mpg_rollup, mpg_timeline   the same over relations of the open database
**
** The hidden columns are the arguments, in the order of the lists below; each takes `=` or a place in
** the call. xBestIndex says in idxNum which are given (bit i: argument i of the module, argv in
** that order) and in idxStr the columns that the statement uses, from which the roll-up's grain follows, and what
** else it asks (ledger_plan.h). What files and tables hold is read in xFilter,
** never before.
*/
#include "sql.h"
#include "catalogue.h"
#include "kept.h"
#include "ledger_args.h"
#include "ledger_plan.h"
#include "relations.h"
#include "shown.h"
#include "../core/ledger_scan.h"
#include "../core/rollup_all.h"
#include "../core/uuid.h"
#include "../io/native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relations may be views over another schema's ledger, and those over another's; but not without
** end. */
#define READING_MAX 8

/* Visible columns of all three shapes. */
typedef enum col {
  COL_POOL,
  COL_CHIP,
  COL_JOB,
  COL_ATTEMPT,
  COL_NAME, /* NAME to LABELS lie in the order of mpg_job.dim, but for SIZE */
  COL_OWNER,
  COL_PHASE,
  COL_FRAMEWORK,
  COL_RUNTIME,
  COL_MODEL,
  COL_SIZE,
  COL_PRIORITY,
  COL_LABELS,
  COL_CATEGORY,
  COL_CAUSE,
  COL_START_TIME,
  COL_END_TIME,
  COL_BUCKET,
  COL_CHIP_US,
  COL_CHIP_SECONDS,
  COL_INTERVALS,
  COL_KIND,
  COL_STEP,
  COL_PROGRAM,
  COL_FILE,
  COL_LINE
} col;

static const struct {
  const char *declaration;
  int dim; /* mpg_dim, or -1 */
  mpg_ledger_column row;
} col_info[] = {
    [COL_POOL] = {"pool TEXT", MPG_DIM_POOL, MPG_ROW_POOL},
    [COL_CHIP] = {"chip TEXT", MPG_DIM_CHIP, MPG_ROW_CHIP},
    [COL_JOB] = {"job TEXT", MPG_DIM_JOB, MPG_ROW_JOB},
    [COL_ATTEMPT] = {"attempt BIGINT", MPG_DIM_ATTEMPT, MPG_ROW_ATTEMPT},
    [COL_NAME] = {"name TEXT", MPG_DIM_NAME, MPG_ROW_JOB},
    [COL_OWNER] = {"owner TEXT", MPG_DIM_OWNER, MPG_ROW_JOB},
    [COL_PHASE] = {"phase TEXT", MPG_DIM_PHASE, MPG_ROW_JOB},
    [COL_FRAMEWORK] = {"framework TEXT", MPG_DIM_FRAMEWORK, MPG_ROW_JOB},
    [COL_RUNTIME] = {"runtime TEXT", MPG_DIM_RUNTIME, MPG_ROW_JOB},
    [COL_MODEL] = {"model TEXT", MPG_DIM_MODEL, MPG_ROW_JOB},
    [COL_SIZE] = {"size TEXT", MPG_DIM_SIZE, MPG_ROW_SIZE},
    [COL_PRIORITY] = {"priority TEXT", MPG_DIM_PRIORITY, MPG_ROW_JOB},
    [COL_LABELS] = {"labels TEXT", MPG_DIM_LABELS, MPG_ROW_JOB},
    [COL_CATEGORY] = {"category TEXT", MPG_DIM_CATEGORY, MPG_ROW_CATEGORY},
    [COL_CAUSE] = {"cause TEXT", MPG_DIM_CAUSE, MPG_ROW_CAUSE},
    [COL_START_TIME] = {"start_time REAL", -1, MPG_ROW_START},
    [COL_END_TIME] = {"end_time REAL", -1, MPG_ROW_END},
    [COL_BUCKET] = {"bucket TEXT", MPG_DIM_BUCKET, MPG_ROW_BUCKET},
    [COL_CHIP_US] = {"chip_us BIGINT", -1, MPG_ROW_CHIP_US},
    [COL_CHIP_SECONDS] = {"chip_seconds REAL", -1, MPG_ROW_CHIP_US},
    [COL_INTERVALS] = {"intervals BIGINT", -1, MPG_ROW_CHIP_US},
    [COL_KIND] = {"kind TEXT", -1, MPG_ROW_KIND},
    [COL_STEP] = {"step BIGINT", -1, MPG_ROW_STEP},
    [COL_PROGRAM] = {"program TEXT", -1, MPG_ROW_PROGRAM},
    [COL_FILE] = {"_file TEXT", -1, MPG_ROW_FILE},
    [COL_LINE] = {"_line BIGINT", -1, MPG_ROW_LINE},
};

#define NONE (-1)

/* Lists end with NONE. */
static const signed char ledger_cols[] = {
    COL_POOL,    COL_CHIP,         COL_JOB,     COL_ATTEMPT,    COL_NAME,     COL_OWNER,
    COL_PHASE,   COL_FRAMEWORK,    COL_RUNTIME, COL_MODEL,      COL_SIZE,     COL_PRIORITY,
    COL_LABELS,  COL_CATEGORY,     COL_CAUSE,   COL_START_TIME, COL_END_TIME, COL_BUCKET,
    COL_CHIP_US, COL_CHIP_SECONDS, NONE};
static const signed char rollup_cols[] = {
    COL_POOL,   COL_CHIP,     COL_JOB,          COL_ATTEMPT,   COL_NAME,
    COL_OWNER,  COL_PHASE,    COL_FRAMEWORK,    COL_RUNTIME,   COL_MODEL,
    COL_SIZE,   COL_PRIORITY, COL_LABELS,       COL_CATEGORY,  COL_CAUSE,
    COL_BUCKET, COL_CHIP_US,  COL_CHIP_SECONDS, COL_INTERVALS, NONE};
static const signed char timeline_cols[] = {
    COL_JOB,     COL_ATTEMPT,      COL_START_TIME, COL_END_TIME, COL_CATEGORY, COL_CAUSE,
    COL_KIND,    COL_STEP,         COL_PROGRAM,    COL_POOL,     COL_CHIP,     COL_BUCKET,
    COL_CHIP_US, COL_CHIP_SECONDS, COL_FILE,       COL_LINE,     NONE};

static const signed char trace_args[] = {ARG_PATH,     ARG_BUCKET_WIDTH, ARG_SINCE, ARG_UNTIL,
                                         ARG_AS_OF,    ARG_BASIS,        ARG_SIZES, ARG_ROOFLINE,
                                         ARG_ON_ERROR, ARG_THREADS,      NONE};
static const signed char mpg_args[] = {ARG_SCHEMA,   ARG_BUCKET_WIDTH, ARG_SINCE, ARG_UNTIL,
                                       ARG_AS_OF,    ARG_BASIS,        ARG_SIZES, ARG_ROOFLINE,
                                       ARG_ON_ERROR, ARG_THREADS,      NONE};
static const signed char trace_job_args[] = {
    ARG_PATH,  ARG_OF_JOB, ARG_BUCKET_WIDTH, ARG_SINCE,    ARG_UNTIL,   ARG_AS_OF,
    ARG_BASIS, ARG_SIZES,  ARG_ROOFLINE,     ARG_ON_ERROR, ARG_THREADS, NONE};
static const signed char mpg_job_args[] = {ARG_OF_JOB,   ARG_SCHEMA,   ARG_BUCKET_WIDTH, ARG_SINCE,
                                           ARG_UNTIL,    ARG_AS_OF,    ARG_BASIS,        ARG_SIZES,
                                           ARG_ROOFLINE, ARG_ON_ERROR, ARG_THREADS,      NONE};

typedef enum shape { LEDGER, ROLLUP, TIMELINE } shape;

static const struct kind {
  const char *name;
  shape shape;
  bool files; /* reads files, else relations */
  const signed char *cols, *args;
} kinds[] = {
    {"trace_ledger", LEDGER, true, ledger_cols, trace_args},
    {"trace_rollup", ROLLUP, true, rollup_cols, trace_args},
    {"trace_timeline", TIMELINE, true, timeline_cols, trace_job_args},
    {"mpg_ledger", LEDGER, false, ledger_cols, mpg_args},
    {"mpg_rollup", ROLLUP, false, rollup_cols, mpg_args},
    {"mpg_timeline", TIMELINE, false, timeline_cols, mpg_job_args},
};

static int length_of(const signed char *list) {
  int n = 0;
  while (list[n] != NONE)
    n++;
  return n;
}

typedef struct table {
  sqlite3_vtab base; /* must be first */
  mpg_conn *conn;
  const struct kind *kind;
  int ncols, nargs;
  mpg_plan_column columns[COL_LINE + 1];
} table;

typedef struct cursor {
  sqlite3_vtab_cursor base;  /* must be first */
  sqlite3_value *args[ARGS]; /* as given; NULL: not given */
  mpg_scan scan;
  mpg_chips *chips;
  mpg_fleet fleet;
  mpg_accounting accounting;
  const mpg_fleet *names; /* of the rows: the fleet, or that of a kept roll-up */
  mpg_keeping keeping;
  mpg_kept *kept;
  sqlite3_value *compared[MPG_SCAN_FILTERS];
  mpg_scan_wish wish;
  mpg_ledger_scan *rows;   /* of the ledger */
  mpg_ledger batch;        /* of a timeline: rows of the unit at hand */
  const mpg_ledger *shown; /* the batch at hand of either */
  mpg_rollup rollup;
  int threads;
  size_t unit, only; /* the next unit; the one asked for, or SIZE_MAX */
  size_t at;         /* of the batch, or the cell */
  int64_t
      piece; /* chip-microseconds of the cell's row at hand: a sum past 64 bits is several rows */
  mpg_i128 left; /* and of its later rows */
  sqlite3_int64 rowid;
  bool eof;
  mpg_shown shown_texts[COL_LINE + 1]; /* by col */
} cursor;

/* ---- tables ---- */

static int ledger_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                          sqlite3_vtab **out, char **error) {
  const mpg_module_data *data = aux;
  const struct kind *kind = &kinds[data->module->parameter];
  sqlite3_str *sql = sqlite3_str_new(db);
  char *text;
  table *t;
  int rc;
  (void)argc;
  (void)argv;
  sqlite3_str_appendall(sql, "CREATE TABLE x(");
  for (int i = 0; kind->cols[i] != NONE; i++)
    sqlite3_str_appendf(sql, "%s%s", i ? ", " : "", col_info[kind->cols[i]].declaration);
  for (int i = 0; kind->args[i] != NONE; i++)
    sqlite3_str_appendf(sql, ", %s HIDDEN", mpg_arg_names[kind->args[i]]);
  sqlite3_str_appendall(sql, ")");
  text = sqlite3_str_finish(sql);
  if (text == NULL)
    return SQLITE_NOMEM;
  rc = sqlite3_declare_vtab(db, text);
  sqlite3_free(text);
  if (rc != SQLITE_OK) {
    *error = sqlite3_mprintf("%s: %s", kind->name, sqlite3_errmsg(db));
    return rc;
  }
  if (kind->files) /* what a file holds is no business of a stored schema */
    (void)sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  t = sqlite3_malloc64(sizeof *t);
  if (t == NULL)
    return SQLITE_NOMEM;
  memset(t, 0, sizeof *t);
  t->conn = data->conn;
  t->conn->references++; /* a table may outlive its registration: the extension loaded again */
  t->kind = kind;
  t->ncols = length_of(kind->cols);
  t->nargs = length_of(kind->args);
  for (int i = 0; i < t->ncols; i++)
    t->columns[i] = (mpg_plan_column){col_info[kind->cols[i]].dim, col_info[kind->cols[i]].row};
  *out = &t->base;
  return SQLITE_OK;
}

static int ledger_disconnect(sqlite3_vtab *vtab) {
  mpg_conn_release(((table *)vtab)->conn);
  sqlite3_free(vtab);
  return SQLITE_OK;
}

static int ledger_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  const table *t = (const table *)vtab;
  int at[ARGS], n = 0;
  for (int a = 0; a < ARGS; a++)
    at[a] = NONE;
  for (int i = 0; i < info->nConstraint; i++) {
    const struct sqlite3_index_constraint *c = &info->aConstraint[i];
    int a = c->iColumn - t->ncols;
    if (c->op == SQLITE_INDEX_CONSTRAINT_LIMIT || c->op == SQLITE_INDEX_CONSTRAINT_OFFSET || a < 0)
      continue;
    if (c->op != SQLITE_INDEX_CONSTRAINT_EQ)
      return mpg_vtab_error(vtab, "%s: the argument %s takes = and nothing else", t->kind->name,
                            mpg_arg_names[t->kind->args[a]]);
    if (!c->usable)
      return SQLITE_CONSTRAINT;
    at[a] = i;
  }
  for (int a = 0; a < t->nargs; a++)
    if (at[a] != NONE) {
      info->idxNum |= 1 << a;
      info->aConstraintUsage[at[a]].argvIndex = ++n;
      info->aConstraintUsage[at[a]].omit = 1;
    }
  if (!mpg_ledger_plan(info, t->columns, t->ncols, t->kind->shape == LEDGER, n))
    return SQLITE_NOMEM;
  info->estimatedRows = t->kind->shape == ROLLUP ? 1000 : 1000000;
  info->estimatedCost = 2e6 / (1 << n); /* a plan that drops an argument is never the cheaper one */
  /* Without its path a scan is an error, but only xFilter can say so: SQLite also asks for plans of
  ** single terms of an OR, where the path is just not shown. */
  if (t->kind->args[0] == ARG_PATH && at[0] == NONE)
    info->estimatedCost = 1e60;
  return SQLITE_OK;
}

/* ---- cursors ---- */

static int ledger_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
  cursor *c = sqlite3_malloc64(sizeof *c);
  (void)vtab;
  if (c == NULL)
    return SQLITE_NOMEM;
  memset(c, 0, sizeof *c);
  *out = &c->base;
  return SQLITE_OK;
}

static void reset(cursor *c) {
  sqlite3_vtab_cursor base = c->base;
  for (int a = 0; a < ARGS; a++)
    sqlite3_value_free(c->args[a]);
  for (int i = 0; i < MPG_SCAN_FILTERS; i++)
    sqlite3_value_free(c->compared[i]);
  for (int i = 0; i <= COL_LINE; i++)
    mpg_shown_free(&c->shown_texts[i]);
  mpg_ledger_scan_close(c->rows);
  mpg_accounting_free(&c->accounting);
  mpg_rollup_free(&c->rollup);
  mpg_kept_release(c->kept);
  mpg_keeping_free(&c->keeping);
  mpg_ledger_free(&c->batch);
  mpg_fleet_free(&c->fleet);
  mpg_chips_free(c->chips);
  mpg_scan_end(&c->scan);
  memset(c, 0, sizeof *c);
  c->base = base;
}

static int ledger_close(sqlite3_vtab_cursor *base) {
  reset((cursor *)base);
  sqlite3_free(base);
  return SQLITE_OK;
}

/* ---- the scan ---- */

/* The name under which the accounting's own issues are listed: the path, or the schema. */
static const char *source_of(const cursor *c, const table *t) {
  if (t->kind->files)
    return mpg_arg_text(c->args, ARG_PATH);
  return mpg_arg_given(c->args, ARG_SCHEMA) ? mpg_arg_text(c->args, ARG_SCHEMA) : "main";
}

static mpg_rc read_records(cursor *c, const table *t, bool skip, mpg_err *err) {
  mpg_rc rc = mpg_catalogue_copy(t->conn, &c->chips, err);
  mpg_issues_drop(&t->conn->issues, source_of(c, t));
  if (rc == MPG_OK)
    rc = mpg_fleet_init(&c->fleet, &c->scan.env, &t->conn->issues, c->chips, err);
  c->fleet.keep_origins = t->kind->shape == TIMELINE;
  if (rc == MPG_OK && t->kind->files) {
    mpg_value path = mpg_value_of(c->args[ARG_PATH]);
    if (path.type != MPG_TEXT)
      return mpg_fail(err, MPG_MISUSE, "path: expected a text");
    rc = mpg_native_read(&c->fleet, &c->scan.env, path.s, skip, c->threads, err);
  } else if (rc == MPG_OK) {
    if (t->conn->reading >= READING_MAX)
      return mpg_fail(err, MPG_LIMIT, "a relation is defined by the ledger over itself");
    t->conn->reading++;
    rc = mpg_relations_read(
        &c->fleet, t->conn->db, &c->scan.env,
        mpg_arg_given(c->args, ARG_SCHEMA) ? mpg_arg_text(c->args, ARG_SCHEMA) : NULL, skip, err);
    t->conn->reading--;
  }
  if (rc == MPG_OK)
    rc = mpg_fleet_seal(&c->fleet, err);
  return rc;
}

/* The job that a timeline asks for, as its unit; false where there is no such job. */
static bool find_job(cursor *c) {
  char uuid[MPG_UUID_TEXT];
  mpg_str name = mpg_str_of(mpg_arg_text(c->args, ARG_OF_JOB));
  uint32_t id;
  if (mpg_uuid_canonical(name, uuid))
    name = mpg_str_of(uuid);
  id = mpg_intern_find(&c->fleet.job_names, name);
  c->only = id - 1;
  return id != 0;
}

/* The next batch of the ledger's rows. */
static mpg_rc next_rows(cursor *c, mpg_err *err) {
  mpg_rc rc = mpg_ledger_scan_next(c->rows, &c->shown, err);
  c->at = 0;
  c->eof = rc != MPG_OK;
  return rc == MPG_DONE ? MPG_OK : rc;
}

/* The next job's rows of a timeline, in the order of time. */
static mpg_rc next_job(cursor *c, const table *t, mpg_err *err) {
  mpg_sink sink = mpg_ledger_sink(&c->batch);
  size_t units = c->only != SIZE_MAX ? c->only + 1 : mpg_fleet_njobs(&c->fleet);
  c->shown = &c->batch;
  c->batch.n = c->at = 0;
  while (c->batch.n == 0 && c->unit < units) {
    mpg_rc rc = mpg_accounting_unit(&c->accounting, c->unit++, &sink, source_of(c, t), err);
    if (rc != MPG_OK)
      return rc;
  }
  c->eof = c->batch.n == 0;
  if (mpg_ledger_sort(&c->batch) != MPG_OK)
    return mpg_fail_nomem(err);
  return c->eof ? mpg_accounting_finish(&c->accounting, source_of(c, t), err) : MPG_OK;
}

static mpg_rc next_batch(cursor *c, const table *t, mpg_err *err) {
  return t->kind->shape == LEDGER ? next_rows(c, err) : next_job(c, t, err);
}

/* The dimensions whose columns the statement uses. */
static uint32_t grain(const table *t, const char *columns) {
  unsigned long long used = mpg_ledger_plan_columns(columns);
  uint32_t mask = 0;
  for (int i = 0; i < t->ncols; i++)
    if ((used >> i & 1) && col_info[t->kind->cols[i]].dim >= 0)
      mask |= 1u << col_info[t->kind->cols[i]].dim;
  return mask;
}

/* The roll-up of what was read; of files also its finest cells, for the questions that follow. */
static mpg_rc roll_up(cursor *c, const table *t, uint32_t mask, mpg_err *err) {
  mpg_cells cells = {.limit = mpg_kept_room(&c->keeping)};
  mpg_rc rc = mpg_rollup_init(&c->rollup, &c->scan.env, &c->fleet, mask, err);
  if (rc == MPG_OK)
    rc = mpg_rollup_all(&c->rollup, &c->accounting, c->threads, cells.limit > 0 ? &cells : NULL,
                        source_of(c, t), err);
  if (rc == MPG_OK && cells.limit > 0)
    c->kept = mpg_kept_end(&c->keeping, &c->fleet, &cells);
  if (c->kept != NULL)
    c->names = &c->kept->fleet;
  mpg_free(&c->scan.env, cells.p);
  return rc;
}

static mpg_rc roll_up_kept(cursor *c, uint32_t mask, mpg_err *err) {
  mpg_rc rc;
  c->names = &c->kept->fleet;
  rc = mpg_rollup_init(&c->rollup, &c->scan.env, c->names, mask, err);
  if (rc == MPG_OK &&
      mpg_rollup_add_cells(&c->rollup, c->kept->cells.p, c->kept->cells.n) != MPG_OK)
    rc = mpg_fail_nomem(err);
  return rc;
}

/* The first row of the cell at hand: all of its sum, or as much as an integer holds. */
static void take_piece(cursor *c) {
  if (c->left > INT64_MAX)
    c->piece = INT64_MAX;
  else if (c->left < INT64_MIN)
    c->piece = INT64_MIN;
  else
    c->piece = (int64_t)c->left;
  c->left -= c->piece;
}

static void enter_cell(cursor *c) {
  c->eof = c->at >= c->rollup.ncells;
  if (!c->eof) {
    c->left = c->rollup.cells[c->at].chip_us;
    take_piece(c);
  }
}

static int ledger_filter(sqlite3_vtab_cursor *base, int idx_num, const char *idx_str, int argc,
                         sqlite3_value **argv) {
  cursor *c = (cursor *)base;
  table *t = (table *)base->pVtab;
  mpg_ledger_options options;
  mpg_err err = {MPG_OK, ""};
  bool skip = false;
  int n = 0, code;
  mpg_rc rc;
  reset(c);
  for (int a = 0; a < t->nargs && n < argc; a++)
    if (idx_num >> a & 1) {
      mpg_arg which = (mpg_arg)t->kind->args[a];
      c->args[which] = sqlite3_value_dup(argv[n++]);
      if (c->args[which] == NULL)
        return SQLITE_NOMEM;
    }
  for (int i = n; i < argc; i++) {
    c->compared[i - n] = sqlite3_value_dup(argv[i]);
    if (c->compared[i - n] == NULL)
      return SQLITE_NOMEM;
  }
  if (t->kind->shape == LEDGER)
    mpg_ledger_plan_wish(idx_str, t->columns, t->ncols, c->compared, argc - n, &c->wish);
  c->eof = true;
  if (t->kind->files && c->args[ARG_PATH] == NULL)
    return mpg_vtab_error(&t->base, "%s: expected a path: %s('traces/')", t->kind->name,
                          t->kind->name);
  if (t->kind->files && !mpg_arg_given(c->args, ARG_PATH)) /* a path of NULL is no path: no rows */
    return SQLITE_OK;
  if (c->args[ARG_OF_JOB] != NULL && !mpg_arg_given(c->args, ARG_OF_JOB))
    return SQLITE_OK;
  code = mpg_scan_begin(&c->scan, t->conn);
  if (code != SQLITE_OK)
    return code;
  c->only = SIZE_MAX;
  mpg_ledger_init(&c->batch, &c->scan.env);
  c->names = &c->fleet;
  rc = mpg_ledger_args(c->args, t->conn->db, &options, &skip, &c->threads, &err);
  if (rc == MPG_OK && t->kind->shape == ROLLUP && t->kind->files) {
    mpg_value path = mpg_value_of(c->args[ARG_PATH]);
    if (path.type == MPG_TEXT)
      c->kept = mpg_kept_begin(&c->keeping, t->conn, &c->scan.env, path.s, &options, skip);
  }
  if (c->kept != NULL) {
    c->accounting.options = options; /* whose buckets name the rows */
    rc = roll_up_kept(c, grain(t, idx_str), &err);
    if (rc == MPG_OK)
      enter_cell(c);
    return rc == MPG_OK ? SQLITE_OK : mpg_vtab_failure(&t->base, t->kind->name, &err);
  }
  if (rc == MPG_OK)
    rc = read_records(c, t, skip, &err);
  if (rc == MPG_OK)
    rc = mpg_accounting_init(&c->accounting, &c->scan.env, &c->fleet, &options, &err);
  if (rc == MPG_OK && mpg_arg_given(c->args, ARG_OF_JOB)) {
    if (!find_job(c))
      return SQLITE_OK;
    c->unit = c->only;
  }
  if (rc == MPG_OK && t->kind->shape == ROLLUP) {
    rc = roll_up(c, t, grain(t, idx_str), &err);
    if (rc == MPG_OK)
      enter_cell(c);
  } else if (rc == MPG_OK) {
    if (t->kind->shape == LEDGER)
      rc = mpg_ledger_scan_open(&c->rows, &c->accounting, &c->wish, c->threads, source_of(c, t),
                                &err);
    if (rc == MPG_OK)
      rc = next_batch(c, t, &err);
  }
  return rc == MPG_OK ? SQLITE_OK : mpg_vtab_failure(&t->base, t->kind->name, &err);
}

static int ledger_next(sqlite3_vtab_cursor *base) {
  cursor *c = (cursor *)base;
  table *t = (table *)base->pVtab;
  mpg_err err;
  c->rowid++;
  if (t->kind->shape == ROLLUP) {
    if (c->left != 0) {
      take_piece(c);
    } else {
      c->at++;
      enter_cell(c);
    }
    return SQLITE_OK;
  }
  if (++c->at < c->shown->n)
    return SQLITE_OK;
  if (next_batch(c, t, &err) != MPG_OK)
    return mpg_vtab_failure(&t->base, t->kind->name, &err);
  return SQLITE_OK;
}

static int ledger_eof(sqlite3_vtab_cursor *base) {
  return ((cursor *)base)->eof;
}

static int ledger_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  *rowid = ((cursor *)base)->rowid;
  return SQLITE_OK;
}

/* ---- values ---- */

/* What a column of the row at hand is told from: an id, or a number. */
static int64_t row_value(const cursor *c, mpg_ledger_column column) {
  const mpg_ledger *l = c->shown;
  size_t i = l->order != NULL ? l->order[c->at] : c->at;
  switch (column) {
  case MPG_ROW_JOB:
    return l->job[i];
  case MPG_ROW_POOL:
    return l->pool[i];
  case MPG_ROW_CHIP:
    return l->chip[i];
  case MPG_ROW_CAUSE:
    return l->cause[i];
  case MPG_ROW_KIND:
    return l->kind[i];
  case MPG_ROW_PROGRAM:
    return l->program[i];
  case MPG_ROW_FILE:
    return l->file[i];
  case MPG_ROW_SIZE:
    return l->size[i];
  case MPG_ROW_ATTEMPT:
    return l->attempt[i];
  case MPG_ROW_START:
    return l->start[i];
  case MPG_ROW_END:
    return l->end[i];
  case MPG_ROW_BUCKET:
    return l->bucket[i];
  case MPG_ROW_CHIP_US:
    return l->chip_us[i];
  case MPG_ROW_STEP:
    return l->step[i];
  case MPG_ROW_LINE:
    return l->line[i];
  default:
    return l->category[i];
  }
}

/* The same of a cell. */
static int64_t cell_value(const cursor *c, col column) {
  const mpg_cell *k = &c->rollup.cells[c->at];
  switch (col_info[column].row) {
  case MPG_ROW_JOB:
    return k->job;
  case MPG_ROW_POOL:
    return k->pool;
  case MPG_ROW_CHIP:
    return k->chip;
  case MPG_ROW_CAUSE:
    return k->cause;
  case MPG_ROW_SIZE:
    return k->size;
  case MPG_ROW_ATTEMPT:
    return k->attempt;
  case MPG_ROW_BUCKET:
    return k->bucket;
  case MPG_ROW_CATEGORY:
    return k->category;
  default:
    if (column == COL_INTERVALS)
      return c->left == 0 ? k->intervals : 0;
    return c->piece;
  }
}

static void result_int(sqlite3_context *context, int64_t v) {
  if (v != MPG_NONE)
    sqlite3_result_int64(context, v);
}

static void result_bucket(sqlite3_context *context, const cursor *c, int64_t start) {
  char text[40];
  if (start != MPG_NONE) {
    size_t n = mpg_bucket_label(&c->accounting.options.window.bucket, start, text);
    sqlite3_result_text(context, text, (int)n, SQLITE_TRANSIENT);
  }
}

static void result_text(sqlite3_context *context, cursor *c, col column, const mpg_intern *texts,
                        uint32_t id) {
  if (id != 0)
    mpg_result_shown(context, &c->shown_texts[column], texts, id);
}

static void result_col(sqlite3_context *context, cursor *c, col column, int64_t v) {
  uint32_t id = (uint32_t)v; /* where it is one */
  const mpg_fleet *fleet = c->names;
  switch (column) {
  case COL_POOL:
    result_text(context, c, column, &fleet->pool_names, id);
    break;
  case COL_CHIP:
    result_text(context, c, column, &fleet->texts, id);
    break;
  case COL_JOB:
    result_text(context, c, column, &fleet->job_names, id);
    break;
  case COL_ATTEMPT:
    result_int(context, v);
    break;
  case COL_SIZE:
    if (v != 0)
      sqlite3_result_text(context, mpg_size_name((uint8_t)v), -1, SQLITE_STATIC);
    break;
  case COL_CATEGORY:
    sqlite3_result_text(context, mpg_category_get((mpg_category)v)->name, -1, SQLITE_STATIC);
    break;
  case COL_CAUSE:
    result_text(context, c, column, &fleet->texts, id);
    break;
  case COL_START_TIME:
    sqlite3_result_double(context, (double)v / 1e6);
    break;
  case COL_END_TIME:
    sqlite3_result_double(context, (double)v / 1e6);
    break;
  case COL_BUCKET:
    result_bucket(context, c, v);
    break;
  case COL_CHIP_US:
    sqlite3_result_int64(context, v);
    break;
  case COL_CHIP_SECONDS:
    sqlite3_result_double(context, (double)v / 1e6);
    break;
  case COL_INTERVALS:
    sqlite3_result_int64(context, v);
    break;
  case COL_KIND:
    result_text(context, c, column, &fleet->kind_names, id);
    break;
  case COL_STEP:
    result_int(context, v);
    break;
  case COL_PROGRAM:
    result_text(context, c, column, &fleet->program_names, id);
    break;
  case COL_FILE:
    result_text(context, c, column, &fleet->texts, id);
    break;
  case COL_LINE:
    if (v != 0)
      sqlite3_result_int64(context, v);
    break;
  default: /* NAME to LABELS */
    if (id != 0)
      result_text(context, c, column, &fleet->texts,
                  fleet->jobs[id - 1].dim[col_info[column].dim - MPG_DIM_NAME]);
    break;
  }
}

static int ledger_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int i) {
  cursor *c = (cursor *)base;
  const table *t = (const table *)base->pVtab;
  col column;
  if (i >= t->ncols) {
    const sqlite3_value *value = c->args[t->kind->args[i - t->ncols]];
    /* Read although it was not given: it stands in a condition that SQLite cannot hand over, where
    ** NULL would quietly mean no rows. */
    if (value == NULL)
      return mpg_vtab_error(base->pVtab, "%s: the argument %s takes = and nothing else",
                            t->kind->name, mpg_arg_names[t->kind->args[i - t->ncols]]);
    sqlite3_result_value(context, (sqlite3_value *)(uintptr_t)value);
    return SQLITE_OK;
  }
  column = (col)t->kind->cols[i];
  result_col(context, c, column,
             t->kind->shape == ROLLUP ? cell_value(c, column) : row_value(c, col_info[column].row));
  return SQLITE_OK;
}

int mpg_register_ledger(mpg_conn *conn, char **error) {
  static const sqlite3_module module = {
      .iVersion = 0,
      .xConnect = ledger_connect, /* no xCreate: eponymous only */
      .xBestIndex = ledger_best_index,
      .xDisconnect = ledger_disconnect,
      .xOpen = ledger_open,
      .xClose = ledger_close,
      .xFilter = ledger_filter,
      .xNext = ledger_next,
      .xEof = ledger_eof,
      .xColumn = ledger_column,
      .xRowid = ledger_rowid,
  };
  static const mpg_module modules[] = {
      {"trace_ledger", &module, 0}, {"trace_rollup", &module, 1}, {"trace_timeline", &module, 2},
      {"mpg_ledger", &module, 3},   {"mpg_rollup", &module, 4},   {"mpg_timeline", &module, 5},
  };
  return mpg_register_modules(conn, modules, sizeof modules / sizeof *modules, error);
}
