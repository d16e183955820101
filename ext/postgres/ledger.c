/*
** ledger.c - the ledger's tables in PostgreSQL: trace_ledger, trace_rollup and trace_timeline over
** files of the server, mpg_ledger, mpg_rollup and mpg_timeline over relations of the database.
**
** The same columns, arguments and rows as in SQLite (ext/sqlite/ledger/ledger_table.c), through the
** same core (goodput/ledger/ledger_columns.h). In PostgreSQL a function does not know which of its
** columns are used, so a roll-up's grain is an argument of its own, `by`.
**
** All memory of a scan is in a context of its own. The core runs to its end, on one thread, before
** anything here may raise an error: an error unwinds no frame of the core, and leaves no file open.
*/
#include "rows.h"
#include "catalog/namespace.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "embedded.h"
#include "relations.h"
#include "../goodput/ledger/ledger_columns.h"
#include "../goodput/ledger/rollup_threads.h"

#include <string.h>

typedef struct scan {
  const mpg_ledger_table *table;
  const char *source; /* of the accounting's own issues: the path, or the schema */
  mpg_value args[MPG_ARGS];
  mpg_ledger_options options;
  bool skip;
  mpg_env env;
  mpg_chips *chips;
  mpg_fleet fleet;
  mpg_accounting accounting;
  mpg_pg_rows rows;
} scan;

static void raise_unless_ok(const scan *s, mpg_rc rc, const mpg_err *err) {
  if (rc != MPG_OK)
    mpg_raise_as(s->table->name, err);
}

static char *terminated_text(const mpg_value *v) {
  return v->type == MPG_NULL ? NULL : pnstrdup(v->s.p, v->s.n);
}

static const char *source_of(const scan *s) {
  const char *given = terminated_text(&s->args[s->table->files ? MPG_ARG_PATH : MPG_ARG_SCHEMA]);
  List *path;
  const char *first;
  if (given != NULL)
    return given;
  path = fetch_search_path(false);
  first = path == NIL ? NULL : get_namespace_name(linitial_oid(path));
  return first == NULL ? "public" : first;
}

static mpg_rc read_records(scan *s, mpg_err *err) {
  mpg_rc rc = mpg_chips_new(&s->chips, &s->env, err);
  mpg_issues_drop(mpg_pg_issues(), s->source);
  if (rc == MPG_OK)
    rc = mpg_fleet_init(&s->fleet, &s->env, mpg_pg_issues(), s->chips, err);
  if (rc != MPG_OK)
    return rc;
  s->fleet.keep_origins = s->table->shape == MPG_SHAPE_TIMELINE;
  if (s->table->files)
    rc = mpg_embedded_read(&s->fleet, &s->env, s->args[MPG_ARG_PATH].s, &s->args[MPG_ARG_ON_ERROR],
                           err);
  else
    rc = mpg_pg_relations_read(&s->fleet, &s->env, terminated_text(&s->args[MPG_ARG_SCHEMA]),
                               s->skip, err);
  return rc == MPG_OK ? mpg_fleet_seal(&s->fleet, err) : rc;
}

/* ---- rows ---- */

static void put_row(scan *s, const mpg_ledger_row *row) {
  mpg_value values[MPG_COLS];
  char room[MPG_LEDGER_VALUE_TEXT]; /* of the bucket: the only one that needs it */
  for (int i = 0; i < s->table->ncols; i++)
    values[i] = mpg_ledger_value(&s->fleet, &s->options.window.bucket, row,
                                 (mpg_ledger_column)s->table->cols[i], room);
  mpg_pg_rows_put(&s->rows, values);
}

static void put_rollup(scan *s, uint32_t mask) {
  mpg_rollup rollup;
  mpg_err err;
  mpg_rc rc = mpg_rollup_init(&rollup, &s->env, &s->fleet, mask, &err);
  if (rc == MPG_OK)
    rc = mpg_rollup_all(&rollup, &s->accounting, 1, NULL, s->source, &err);
  raise_unless_ok(s, rc, &err);
  for (size_t i = 0; i < rollup.ncells; i++) {
    mpg_i128 left = rollup.cells[i].chip_us;
    do {
      mpg_ledger_row row = mpg_ledger_row_of_cell(&rollup.cells[i], &left);
      put_row(s, &row);
    } while (left != 0);
    CHECK_FOR_INTERRUPTS();
  }
}

/* Unit by unit: only one job's rows are in memory, in addition to the records. */
static void put_units(scan *s, size_t from, size_t to) {
  bool sorted = s->table->shape == MPG_SHAPE_TIMELINE;
  mpg_ledger batch;
  mpg_sink sink;
  mpg_err err;
  mpg_rc rc;
  mpg_ledger_init(&batch, &s->env);
  sink = mpg_ledger_sink(&batch);
  for (size_t unit = from; unit < to; unit++) {
    CHECK_FOR_INTERRUPTS();
    batch.n = 0;
    rc = mpg_accounting_unit(&s->accounting, unit, &sink, s->source, &err);
    if (rc == MPG_OK && sorted && (rc = mpg_ledger_sort(&batch)) != MPG_OK)
      rc = rc == MPG_INTERRUPTED ? mpg_fail(&err, rc, "interrupted") : mpg_fail_nomem(&err);
    raise_unless_ok(s, rc, &err);
    for (size_t i = 0; i < batch.n; i++) {
      mpg_ledger_row row = mpg_ledger_row_at(&batch, sorted ? batch.order[i] : i);
      put_row(s, &row);
    }
  }
  rc = mpg_accounting_finish(&s->accounting, s->source, &err);
  raise_unless_ok(s, rc, &err);
}

/* ---- functions ---- */

/* The arguments as SQL has them; the next after them is returned. */
static int read_arguments(scan *s, FunctionCallInfo call) {
  int i = 0;
  for (; i < s->table->nargs && s->table->args[i] != MPG_ARG_GRAIN; i++)
    s->args[s->table->args[i]] = mpg_any_argument(call, i);
  return i;
}

static void fill_tuples(scan *s, uint32_t mask) {
  size_t from = 0, to;
  mpg_err err = {MPG_OK, ""};
  mpg_rc rc = read_records(s, &err);
  if (rc == MPG_OK)
    rc = mpg_accounting_init(&s->accounting, &s->env, &s->fleet, &s->options, &err);
  raise_unless_ok(s, rc, &err);
  if (s->table->shape == MPG_SHAPE_ROLLUP) {
    put_rollup(s, mask);
    return;
  }
  to = mpg_accounting_units(&s->accounting);
  if (s->table->shape == MPG_SHAPE_TIMELINE) {
    to = mpg_fleet_njobs(&s->fleet);
    if (s->args[MPG_ARG_OF_JOB].type != MPG_NULL) {
      rc = mpg_accounting_find_job(&s->accounting, s->args[MPG_ARG_OF_JOB].s, s->source, &from,
                                   &err);
      if (rc == MPG_DONE)
        return;
      raise_unless_ok(s, rc, &err);
      to = from + 1;
    }
  }
  put_units(s, from, to);
}

static Datum ledger_rows(FunctionCallInfo call, int number) {
  scan s;
  uint32_t mask = MPG_FINEST;
  int threads, next;
  mpg_err err = {MPG_OK, ""};
  mpg_rc rc;
  MemoryContext context, before;
  memset(&s, 0, sizeof s);
  s.table = mpg_ledger_table_get(number);
  mpg_pg_rows_begin(&s.rows, call, s.table->name);
  context = AllocSetContextCreate(CurrentMemoryContext, "mpg ledger", ALLOCSET_DEFAULT_SIZES);
  before = MemoryContextSwitchTo(context);
  s.env = mpg_host_env(context);
  next = read_arguments(&s, call);
  rc = mpg_ledger_args_read(s.args, &s.options, &s.skip, &threads, &err);
  if (rc == MPG_OK && s.table->shape == MPG_SHAPE_ROLLUP && !call->args[next].isnull)
    rc = mpg_ledger_grain_parse(s.table, "by", mpg_any_argument(call, next).s, &mask, &err);
  raise_unless_ok(&s, rc, &err);
  if (s.table->files && s.args[MPG_ARG_PATH].type == MPG_NULL) {
    mpg_pg_no_path(s.table->name);
  } else {
    if (s.table->files)
      mpg_check_reads_files(s.table->name);
    s.source = source_of(&s);
    fill_tuples(&s, mask);
  }
  MemoryContextSwitchTo(before);
  MemoryContextDelete(context);
  return (Datum)0;
}

/* The numbers of mpg_ledger_table_get. */
#define TABLE(name, number)                                                                        \
  PG_FUNCTION_INFO_V1(mpg_table_##name);                                                           \
  Datum mpg_table_##name(PG_FUNCTION_ARGS) {                                                       \
    return ledger_rows(fcinfo, number);                                                            \
  }
TABLE(trace_ledger, 0)
TABLE(trace_rollup, 1)
TABLE(trace_timeline, 2)
TABLE(mpg_ledger, 3)
TABLE(mpg_rollup, 4)
TABLE(mpg_timeline, 5)
