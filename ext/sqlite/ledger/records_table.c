/*
** records_table.c - the records of a native trace one by one, checked and in one unit: what
** sql/build.sql copies into plain tables.
**
**     trace_records(path [, on_error])     files of the native trace (docs/formats/native.md)
**     mpg_records([schema [, on_error]])   tables or views of the open database
**
** A row for each record; `record` names its relation ('spans'), the columns are those of all
** relations together, and NULL if a relation has no such column. Times are Unix seconds. `id` is a
** hash of what the record says, of a job or program of its name alone. Records pass the checks of
** the ledger, and its arguments and issues are those of mpg_ledger. Records of the same job, or
** program, come as one. Memory is that of the ledger.
*/
#include "ledger_arguments.h"
#include "record_id.h"
#include "records_plan.h"
#include "records_reading.h"
#include "../constraint.h"
#include "../host.h"

#include <math.h>
#include <string.h>

typedef enum col {
  COL_RECORD,
  COL_JOB,
  COL_ATTEMPT,
  COL_TASK,
  COL_POOL,
  COL_CHIP,
  COL_CHIPS,
  COL_KIND,
  COL_START,
  COL_END,
  COL_OUTCOME,
  COL_STEP,
  COL_PROGRAM,
  COL_FLOPS,
  COL_BYTES,
  COL_DTYPE,
  COL_EXECUTIONS,
  COL_SNAPSHOT,
  COL_DURABLE,
  COL_NAME, /* the dimensions of a job, in the order of mpg_job.dim */
  COL_OWNER,
  COL_PHASE,
  COL_FRAMEWORK,
  COL_RUNTIME,
  COL_MODEL,
  COL_PRIORITY,
  COL_LABELS,
  COL_MIN_CHIPS,
  COL_TASKS,
  COL_SUBMIT,
  COL_PEAK,
  COL_HBM,
  COL_BANDWIDTH,
  COL_ICI,
  COL_TDP,
  COL_VENDOR,
  COL_YEAR,
  COL_SOURCE,
  COL_UNTIL,
  COL_ID,
  COLS
} col;

static const char declaration[] =
    "CREATE TABLE x(record TEXT, job TEXT, attempt BIGINT, task TEXT, pool TEXT, chip TEXT, "
    "chips REAL, kind TEXT, start_time REAL, end_time REAL, outcome TEXT, step BIGINT, "
    "program TEXT, flops REAL, bytes REAL, dtype TEXT, executions REAL, snapshot_time REAL, "
    "durable_time REAL, name TEXT, owner TEXT, phase TEXT, framework TEXT, runtime TEXT, "
    "model TEXT, priority TEXT, labels TEXT, min_chips REAL, tasks BIGINT, submit_time REAL, "
    "peak_flops REAL, hbm_bytes REAL, hbm_bytes_per_s REAL, ici_bytes_per_s REAL, tdp_w REAL, "
    "vendor TEXT, year BIGINT, source TEXT, until_time REAL, id BIGINT, ";

enum { FROM_FILES, FROM_TABLES }; /* mpg_module.parameter */

/* A bit of idxNum: the statement names it. SQLite may still not pass on its condition, and NULL
** would mean no rows in silence. */
#define SOURCE_NAMED (1 << 8)

typedef struct cursor {
  sqlite3_vtab_cursor base; /* must be first */
  sqlite3_value *args[MPG_ARGS];
  mpg_records_reading *reading; /* NULL: no scan */
  bool wanted[MPG_RELATIONS];   /* relations whose records are shown */
  bool of_one_job;              /* spans and commits of the job at this place alone: */
  size_t one_job;               /* past the last: of none */
  mpg_relation relation;        /* of the current record; MPG_RELATIONS: past the last */
  size_t i;   /* its place among those of its relation; of spans and commits, within their job */
  size_t job; /* whose spans or commits are shown, by its name's place in their order: */
  size_t npacked; /* of them */
  bool unpacked;  /* into what follows, once a column of the first is asked for */
  mpg_span *spans;
  mpg_commit *commits;
  size_t spans_cap, commits_cap; /* of the memory of the reading's scan */
  sqlite3_int64 rowid;           /* by the arguments */
  sqlite3_int64 id;              /* of the record; -1: not asked yet */
  mpg_record_texts texts;
} cursor;

static bool from_files(const mpg_table *t) {
  return t->module->parameter == FROM_FILES;
}

static mpg_arg first_arg(const mpg_table *t) {
  return from_files(t) ? MPG_ARG_PATH : MPG_ARG_SCHEMA;
}

static int records_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                           sqlite3_vtab **out, char **error) {
  const mpg_module_data *data = aux;
  bool files = data->module->parameter == FROM_FILES;
  char *sql = sqlite3_mprintf("%s%s TEXT HIDDEN, on_error TEXT HIDDEN)", declaration,
                              mpg_arg_name(files ? MPG_ARG_PATH : MPG_ARG_SCHEMA));
  int rc;
  (void)argc;
  (void)argv;
  if (sql == NULL)
    return SQLITE_NOMEM;
  rc = mpg_table_connect(db, aux, sql, files ? SQLITE_VTAB_DIRECTONLY : 0, out, error);
  sqlite3_free(sql);
  return rc;
}

static int records_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  const mpg_table *t = (const mpg_table *)vtab;
  int at[2] = {-1, -1}, n = 0;
  for (int i = 0; i < info->nConstraint; i++) {
    const struct sqlite3_index_constraint *c = &info->aConstraint[i];
    int a = c->iColumn - COLS;
    if (c->op == SQLITE_INDEX_CONSTRAINT_LIMIT || c->op == SQLITE_INDEX_CONSTRAINT_OFFSET || a < 0)
      continue;
    if (c->op != SQLITE_INDEX_CONSTRAINT_EQ)
      return mpg_vtab_error(vtab,
                            "%s: the arguments take = alone, outside OR and RIGHT or FULL JOIN",
                            t->module->name);
    if (!c->usable)
      return SQLITE_CONSTRAINT;
    if (mpg_argument_twice(vtab, t->module->name, info, a, at[a], i) != SQLITE_OK)
      return SQLITE_ERROR;
    at[a] = i;
  }
  for (int a = 0; a < 2; a++)
    if (at[a] >= 0) {
      info->idxNum |= mpg_argument_bits(a, at[a]);
      info->aConstraintUsage[at[a]].argvIndex = ++n;
      info->aConstraintUsage[at[a]].omit = 1;
    }
  info->estimatedCost = from_files(t) && at[0] < 0 ? 1e60 : 2e6 / (1 << n);
  info->estimatedRows = 1000000;
  if ((info->colUsed >> COLS & 1) != 0)
    info->idxNum |= SOURCE_NAMED;
  return mpg_records_plan(vtab, info, declaration, n);
}

static int records_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
  (void)vtab;
  return mpg_cursor_open(sizeof(cursor), out);
}

static void reset(cursor *c) {
  sqlite3_vtab_cursor base = c->base;
  for (int a = 0; a < MPG_ARGS; a++)
    sqlite3_value_free(c->args[a]);
  if (c->reading != NULL) {
    mpg_free(&c->reading->scan.env, c->spans);
    mpg_free(&c->reading->scan.env, c->commits);
    mpg_records_done(((const mpg_table *)base.pVtab)->conn, c->reading);
  }
  memset(c, 0, sizeof *c);
  c->base = base;
  c->relation = MPG_RELATIONS;
}

static int records_close(sqlite3_vtab_cursor *base) {
  reset((cursor *)base);
  sqlite3_free(base);
  return SQLITE_OK;
}

/* ---- from one record to the next ---- */

static bool same_figures(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

/* Is row i of the catalogue the trace's own? */
static bool is_new_chip(const cursor *c, size_t i) {
  const mpg_chip_row *a = mpg_chips_row(c->reading->chips, i);
  const mpg_chip_row *b =
      i < mpg_chips_count(c->reading->before) ? mpg_chips_row(c->reading->before, i) : NULL;
  return b == NULL || !same_figures(a->peak_flops, b->peak_flops) ||
         !same_figures(a->hbm_bytes, b->hbm_bytes) ||
         !same_figures(a->hbm_bytes_per_s, b->hbm_bytes_per_s) ||
         !same_figures(a->ici_bytes_per_s, b->ici_bytes_per_s) || !same_figures(a->tdp_w, b->tdp_w);
}

/* Whether the current position is past the last of its relation, and whether it has a record. */
static bool is_past(const cursor *c) {
  const mpg_fleet *f = &c->reading->fleet;
  switch (c->relation) {
  case MPG_REL_CAPACITY:
    return c->i >= f->ncapacity;
  case MPG_REL_OUTAGES:
    return c->i >= f->noutages;
  case MPG_REL_JOBS:
    return c->i >= mpg_fleet_njobs(f);
  case MPG_REL_ALLOCATIONS:
    return c->i >= f->nallocations;
  case MPG_REL_SPANS:
  case MPG_REL_COMMITS:
    return c->job >= mpg_fleet_njobs(f);
  case MPG_REL_PROGRAMS:
    return c->i >= f->program_names.n;
  case MPG_REL_OBSERVED: /* of pools, then of jobs */
    return c->i >= f->nobserved + mpg_fleet_njobs(f);
  default:
    return f->records[MPG_REL_CHIPS] == 0 || c->i >= mpg_chips_count(c->reading->chips);
  }
}

/* The job of a record of `observed` that is no pool's. */
static const mpg_job *observed_job(const cursor *c) {
  return &c->reading->fleet.jobs[c->i - c->reading->fleet.nobserved];
}

static bool is_record(const cursor *c) {
  switch (c->relation) {
  case MPG_REL_JOBS:
    return c->reading->fleet.jobs[c->i].recorded;
  case MPG_REL_SPANS:
  case MPG_REL_COMMITS:
    return c->i < c->npacked;
  case MPG_REL_PROGRAMS:
    return c->reading->fleet.program_recorded[c->i];
  case MPG_REL_OBSERVED:
    return c->i < c->reading->fleet.nobserved || observed_job(c)->until != MPG_OPEN;
  case MPG_REL_CHIPS:
    return is_new_chip(c, c->i);
  default:
    return true;
  }
}

/* The index of the job whose spans or commits are shown. */
static uint32_t current_job(const cursor *c) {
  return c->reading->by_name[c->job];
}

/* At the current job, if there is one: how many spans or commits it has. */
static void begin_packed(cursor *c) {
  const mpg_fleet *f = &c->reading->fleet;
  c->npacked = 0;
  c->unpacked = false;
  if (c->job >= mpg_fleet_njobs(f))
    return;
  c->npacked = c->relation == MPG_REL_SPANS ? f->jobs[current_job(c)].spans.n
                                            : f->jobs[current_job(c)].commits.n;
}

/* The spans or commits of the current job, for their columns: who counts records needs none. */
static mpg_rc unpack_packed(cursor *c, mpg_err *err) {
  const mpg_fleet *f = &c->reading->fleet;
  mpg_rc rc;
  if (c->relation == MPG_REL_SPANS) {
    rc = mpg_grow(f->env, &c->spans, &c->spans_cap, c->npacked, sizeof *c->spans);
    if (rc == MPG_OK)
      rc = mpg_fleet_spans(f, current_job(c), c->spans, sizeof *c->spans, f->env, err);
    else
      rc = mpg_fail_nomem(err);
  } else {
    rc = mpg_grow(f->env, &c->commits, &c->commits_cap, c->npacked, sizeof *c->commits);
    if (rc == MPG_OK)
      rc = mpg_fleet_commits(f, current_job(c), c->commits, f->env, err);
    else
      rc = mpg_fail_nomem(err);
  }
  c->unpacked = rc == MPG_OK;
  return rc;
}

static bool is_packed(mpg_relation relation) {
  return relation == MPG_REL_SPANS || relation == MPG_REL_COMMITS;
}

static void advance(cursor *c) {
  c->i++;
  if (is_packed(c->relation) && c->i >= c->npacked) {
    c->job = c->of_one_job ? mpg_fleet_njobs(&c->reading->fleet) : c->job + 1;
    c->i = 0;
    begin_packed(c);
  }
}

/* At the first place of the relation, or the next whose records are wanted. */
static void begin_relation(cursor *c, mpg_relation relation) {
  while (relation < MPG_RELATIONS && !c->wanted[relation])
    relation++;
  c->relation = relation;
  c->i = 0;
  c->job = c->of_one_job ? c->one_job : 0;
  if (is_packed(relation))
    begin_packed(c);
}

/* From a place to the first that holds a record. */
static void find_record(cursor *c) {
  c->id = -1;
  while (c->relation < MPG_RELATIONS) {
    if (is_past(c)) {
      begin_relation(c, c->relation + 1);
    } else if (is_record(c)) {
      return;
    } else {
      advance(c);
    }
  }
}

/* ---- the scan ---- */

/* SQLITE_OK, or the table has its error: no relation has that name. */
static int check_record(mpg_table *t, sqlite3_value *value) {
  const char *names[MPG_RELATIONS];
  for (int r = 0; r < MPG_RELATIONS; r++)
    names[r] = mpg_relation_get((mpg_relation)r)->name;
  return mpg_value_of_words(&t->base, value,
                            &(mpg_word_column){t->module->name, "record", 0, names, MPG_RELATIONS});
}

/* The relations that a constraint on `record` leaves, which SQLite does not compare again; without
** one all. NULL is like nothing and unlike nothing. */
static void choose_relations(cursor *c, int idx_num, sqlite3_value *value) {
  const bool all = (idx_num & (MPG_RECORD_IS | MPG_RECORD_IS_NOT)) == 0;
  const int type = all ? SQLITE_NULL : sqlite3_value_type(value);
  for (int r = 0; r < MPG_RELATIONS; r++) {
    const char *name = mpg_relation_get((mpg_relation)r)->name;
    bool same = type == SQLITE_TEXT && mpg_str_eq(mpg_value_of(value).s, mpg_str_of(name));
    c->wanted[r] = all || (type != SQLITE_NULL && same == ((idx_num & MPG_RECORD_IS) != 0));
  }
}

/* The place of a job among the names, or past the last: there is none of that name. */
static size_t place_of_job(const mpg_records_reading *r, sqlite3_value *name) {
  const size_t n = mpg_fleet_njobs(&r->fleet);
  size_t low = 0, high = n;
  const mpg_str wanted = mpg_value_of(name).s;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    int c = mpg_str_cmp(mpg_intern_text(&r->fleet.job_names, r->by_name[middle] + 1), wanted);
    if (c == 0)
      return middle;
    if (c < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return n;
}

static int records_filter(sqlite3_vtab_cursor *base, int idx_num, const char *idx_str, int argc,
                          sqlite3_value **argv) {
  cursor *c = (cursor *)base;
  mpg_table *t = (mpg_table *)base->pVtab;
  const mpg_arg which[2] = {first_arg(t), MPG_ARG_ON_ERROR};
  mpg_err err = {MPG_OK, ""};
  int n = 0, code;
  reset(c);
  code = mpg_values_of_numbers(&t->base, t->module->name, &idx_str, argc, argv);
  if (code != SQLITE_OK)
    return code;
  for (int a = 0; a < 2 && n < argc; a++)
    if (idx_num >> a & 1) {
      bool no_rows = which[a] == MPG_ARG_PATH; /* of NULL */
      code = no_rows ? SQLITE_OK
                     : mpg_argument_lost(&t->base, idx_num, a, t->module->name,
                                         mpg_arg_name(which[a]), argv[n]);
      if (code != SQLITE_OK)
        return code;
      c->args[which[a]] = sqlite3_value_dup(argv[n++]);
      if (c->args[which[a]] == NULL)
        return SQLITE_NOMEM;
    }
  c->rowid = mpg_first_rowid(c->args, MPG_ARG_THREADS);
  if (from_files(t) && idx_num & SOURCE_NAMED && c->args[MPG_ARG_PATH] == NULL)
    return mpg_path_missing(&t->base, t->module->name);
  if (from_files(t) && c->args[MPG_ARG_PATH] == NULL)
    return mpg_vtab_error(&t->base, "trace_records: expected a path: trace_records('traces/')");
  if (!from_files(t) && idx_num & SOURCE_NAMED && c->args[MPG_ARG_SCHEMA] == NULL)
    return mpg_argument_missing(&t->base, t->module->name, mpg_arg_name(MPG_ARG_SCHEMA));
  if (from_files(t) &&
      mpg_argument_is_nothing(t->conn, t->module->name, "path", c->args[MPG_ARG_PATH]))
    return SQLITE_OK;
  if ((idx_num & (MPG_RECORD_IS | MPG_RECORD_IS_NOT)) != 0 && n < argc &&
      (code = check_record(t, argv[n])) != SQLITE_OK)
    return code;
  choose_relations(c, idx_num, n < argc ? argv[n] : NULL);
  n += (idx_num & (MPG_RECORD_IS | MPG_RECORD_IS_NOT)) != 0;
  c->reading = mpg_records_read(t->conn, from_files(t), c->args, &err);
  if (c->reading == NULL)
    return mpg_vtab_failure(&t->base, t->module->name, &err);
  /* With what is no text SQLite compares alone: to it a number may be like a name. */
  c->of_one_job = (idx_num & MPG_JOB_IS) != 0 && sqlite3_value_type(argv[n]) == SQLITE_TEXT;
  if (c->of_one_job)
    c->one_job = place_of_job(c->reading, argv[n]);
  begin_relation(c, MPG_REL_CAPACITY);
  find_record(c);
  return SQLITE_OK;
}

static int records_next(sqlite3_vtab_cursor *base) {
  cursor *c = (cursor *)base;
  advance(c);
  find_record(c);
  return SQLITE_OK;
}

static int records_eof(sqlite3_vtab_cursor *base) {
  return ((cursor *)base)->relation >= MPG_RELATIONS;
}

/* A record has the same rowid whichever records the scan leaves out. */
static int records_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  const cursor *c = (const cursor *)base;
  const uint64_t place = (uint64_t)c->relation << 58 | (uint64_t)c->job << 32 | c->i;
  *rowid = (sqlite3_int64)(((uint64_t)c->rowid + place) % ((uint64_t)1 << 62));
  return SQLITE_OK;
}

/* ---- values ---- */

static void result_text(sqlite3_context *x, mpg_str s) {
  if (s.p != NULL)
    sqlite3_result_text64(x, s.p, s.n, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static void result_z(sqlite3_context *x, const char *z) {
  if (z != NULL)
    sqlite3_result_text(x, z, -1, SQLITE_TRANSIENT);
}

static void result_int(sqlite3_context *x, int64_t v) {
  if (v != MPG_NONE)
    sqlite3_result_int64(x, v);
}

static void result_amount(sqlite3_context *x, double v) {
  if (!isnan(v))
    sqlite3_result_double(x, v);
}

/* Millionths of a chip, or of a second: both are returned in units. */
static void result_micro(sqlite3_context *x, int64_t v) {
  if (v != MPG_NONE && v != MPG_OPEN)
    sqlite3_result_double(x, (double)v / 1e6);
}

static void capacity_value(sqlite3_context *x, const mpg_fleet *f, const mpg_capacity *r, col at) {
  if (at == COL_POOL)
    result_text(x, mpg_intern_text(&f->pool_names, r->pool + 1));
  else if (at == COL_CHIP)
    result_text(x, mpg_intern_text(&f->texts, r->chip));
  else if (at == COL_CHIPS || at == COL_START || at == COL_END)
    result_micro(x, at == COL_CHIPS ? r->chips : at == COL_START ? r->start : r->end);
}

static void outage_value(sqlite3_context *x, const mpg_fleet *f, const mpg_outage *r, col at) {
  if (at == COL_POOL)
    result_text(x, mpg_intern_text(&f->pool_names, r->pool + 1));
  else if (at == COL_KIND)
    result_text(x, mpg_intern_text(&f->texts, r->kind));
  else if (at == COL_CHIPS || at == COL_START || at == COL_END)
    result_micro(x, at == COL_CHIPS ? r->chips : at == COL_START ? r->start : r->end);
}

static void job_value(sqlite3_context *x, const mpg_fleet *f, size_t i, col at) {
  const mpg_job *r = &f->jobs[i];
  if (at == COL_JOB)
    result_text(x, mpg_intern_text(&f->job_names, (uint32_t)i + 1));
  else if (at >= COL_NAME && at <= COL_LABELS)
    result_text(x, mpg_intern_text(&f->texts, r->dim[at - COL_NAME]));
  else if (at == COL_CHIPS || at == COL_MIN_CHIPS || at == COL_SUBMIT)
    result_micro(x, at == COL_CHIPS ? r->chips : at == COL_SUBMIT ? r->submit : r->min_chips);
  else if (at == COL_TASKS)
    result_int(x, r->tasks);
}

static void allocation_value(sqlite3_context *x, const mpg_fleet *f, const mpg_allocation *r,
                             col at) {
  static const char *const outcomes[] = {
      [MPG_RUNNING] = NULL,          [MPG_COMPLETED] = "completed", [MPG_CANCELLED] = "cancelled",
      [MPG_FAILED] = "failed",       [MPG_TIMEOUT] = "timeout",     [MPG_PREEMPTED] = "preempted",
      [MPG_NODE_FAIL] = "node_fail", [MPG_RELEASED] = "released"};
  if (at == COL_JOB)
    result_text(x, mpg_intern_text(&f->job_names, r->job + 1));
  else if (at == COL_POOL)
    result_text(x, mpg_intern_text(&f->pool_names, r->pool + 1));
  else if (at == COL_TASK)
    result_text(x, mpg_intern_text(&f->texts, r->task));
  else if (at == COL_ATTEMPT)
    result_int(x, r->attempt);
  else if (at == COL_OUTCOME)
    result_z(x, outcomes[r->outcome]);
  else if (at == COL_CHIPS || at == COL_START || at == COL_END)
    result_micro(x, at == COL_CHIPS ? r->chips : at == COL_START ? r->start : r->end);
}

static void span_value(sqlite3_context *x, const cursor *c, col at) {
  const mpg_fleet *f = &c->reading->fleet;
  const mpg_span *r = &c->spans[c->i];
  if (at == COL_JOB)
    result_text(x, mpg_intern_text(&f->job_names, current_job(c) + 1));
  else if (at == COL_KIND)
    result_text(x, mpg_intern_text(&f->kind_names, r->kind));
  else if (at == COL_PROGRAM)
    result_text(x, mpg_intern_text(&f->program_names, r->program));
  else if (at == COL_DTYPE)
    result_text(x, mpg_intern_text(&f->texts, r->dtype));
  else if (at == COL_ATTEMPT || at == COL_STEP)
    result_int(x, at == COL_STEP ? r->step : r->attempt);
  else if (at == COL_START || at == COL_END)
    result_micro(x, at == COL_START ? r->start : r->end);
  else if (at == COL_FLOPS || at == COL_BYTES || at == COL_EXECUTIONS)
    result_amount(x, at == COL_FLOPS ? r->flops : at == COL_BYTES ? r->bytes : r->executions);
}

static void commit_value(sqlite3_context *x, const mpg_fleet *f, const mpg_commit *r, col at) {
  if (at == COL_JOB)
    result_text(x, mpg_intern_text(&f->job_names, r->job + 1));
  else if (at == COL_STEP)
    result_int(x, r->step);
  else if (at == COL_SNAPSHOT || at == COL_DURABLE)
    result_micro(x, at == COL_SNAPSHOT ? r->snapshot : r->durable);
}

static void program_value(sqlite3_context *x, const mpg_fleet *f, size_t i, col at) {
  const mpg_program *r = &f->programs[i];
  if (at == COL_PROGRAM)
    result_text(x, mpg_intern_text(&f->program_names, (uint32_t)i + 1));
  else if (at == COL_DTYPE)
    result_text(x, mpg_intern_text(&f->texts, r->dtype));
  else if (at == COL_FLOPS || at == COL_BYTES)
    result_amount(x, at == COL_FLOPS ? r->flops : r->bytes);
}

static void observed_value(sqlite3_context *x, const cursor *c, col at) {
  const mpg_fleet *f = &c->reading->fleet;
  bool of_job = c->i >= f->nobserved;
  if (at == COL_UNTIL)
    result_micro(x, of_job ? observed_job(c)->until : f->observed[c->i].until);
  else if (at == COL_CHIP && !of_job && f->observed[c->i].chip != 0)
    result_text(x, mpg_intern_text(&f->texts, f->observed[c->i].chip));
  else if (at == COL_JOB && of_job)
    result_text(x, mpg_intern_text(&f->job_names, (uint32_t)(c->i - f->nobserved) + 1));
  else if (at == COL_POOL && !of_job && f->observed[c->i].pool != 0)
    result_text(x, mpg_intern_text(&f->pool_names, f->observed[c->i].pool));
}

static void chip_value(sqlite3_context *x, const mpg_chip_row *r, col at) {
  if (at == COL_CHIP || at == COL_DTYPE)
    result_z(x, at == COL_CHIP ? r->chip : r->dtype);
  else if (at == COL_VENDOR || at == COL_SOURCE)
    result_z(x, at == COL_VENDOR ? r->vendor : r->source);
  else if (at == COL_YEAR && r->year != 0)
    sqlite3_result_int(x, r->year);
  else if (at >= COL_PEAK && at <= COL_TDP)
    result_amount(x, (const double[]){r->peak_flops, r->hbm_bytes, r->hbm_bytes_per_s,
                                      r->ici_bytes_per_s, r->tdp_w}[at - COL_PEAK]);
}

/* The id of the current record; records of the end of observation and of chips have none. */
static void result_id(sqlite3_context *x, cursor *c) {
  const mpg_record_place at = {.fleet = &c->reading->fleet,
                               .relation = c->relation,
                               .i = c->i,
                               .job = is_packed(c->relation) ? current_job(c) : 0,
                               .spans = c->spans,
                               .commits = c->commits,
                               .texts = &c->texts};
  if (c->relation == MPG_REL_OBSERVED || c->relation == MPG_REL_CHIPS)
    return;
  if (c->id < 0)
    c->id = mpg_record_id(&at);
  sqlite3_result_int64(x, c->id);
}

/* ---- columns ---- */

/* Once a job: its spans or commits, for the first column that is asked for. */
static int unpack_first(cursor *c) {
  mpg_table *t = (mpg_table *)c->base.pVtab;
  mpg_err err = {MPG_OK, ""};
  return unpack_packed(c, &err) == MPG_OK ? SQLITE_OK
                                          : mpg_vtab_failure(&t->base, t->module->name, &err);
}

static int records_column(sqlite3_vtab_cursor *base, sqlite3_context *x, int i) {
  cursor *c = (cursor *)base;
  const mpg_table *t = (const mpg_table *)base->pVtab;
  const mpg_fleet *f;
  int code;
  if (i >= COLS) {
    sqlite3_value *value = c->args[i == COLS ? first_arg(t) : MPG_ARG_ON_ERROR];
    if (value != NULL)
      sqlite3_result_value(x, value);
    return SQLITE_OK;
  }
  if (i == COL_RECORD) {
    sqlite3_result_text(x, mpg_relation_get(c->relation)->name, -1, SQLITE_STATIC);
    return SQLITE_OK;
  }
  if (is_packed(c->relation) && !c->unpacked && (code = unpack_first(c)) != SQLITE_OK)
    return code;
  if (i == COL_ID) {
    result_id(x, c);
    return SQLITE_OK;
  }
  f = &c->reading->fleet;
  switch (c->relation) {
  case MPG_REL_CAPACITY:
    capacity_value(x, f, &f->capacity[c->i], (col)i);
    break;
  case MPG_REL_OUTAGES:
    outage_value(x, f, &f->outages[c->i], (col)i);
    break;
  case MPG_REL_JOBS:
    job_value(x, f, c->i, (col)i);
    break;
  case MPG_REL_ALLOCATIONS:
    allocation_value(x, f, &f->allocations[c->i], (col)i);
    break;
  case MPG_REL_SPANS:
    span_value(x, c, (col)i);
    break;
  case MPG_REL_COMMITS:
    commit_value(x, f, &c->commits[c->i], (col)i);
    break;
  case MPG_REL_PROGRAMS:
    program_value(x, f, c->i, (col)i);
    break;
  case MPG_REL_OBSERVED:
    observed_value(x, c, (col)i);
    break;
  default:
    chip_value(x, mpg_chips_row(c->reading->chips, c->i), (col)i);
    break;
  }
  return SQLITE_OK;
}

int mpg_register_records(mpg_conn *conn, char **error) {
  static const sqlite3_module module = {
      .iVersion = 0,
      .xConnect = records_connect, /* no xCreate: eponymous only */
      .xBestIndex = records_best_index,
      .xDisconnect = mpg_table_disconnect,
      .xOpen = records_open,
      .xClose = records_close,
      .xFilter = records_filter,
      .xNext = records_next,
      .xEof = records_eof,
      .xColumn = records_column,
      .xRowid = records_rowid,
  };
  static const mpg_module files = {"trace_records", &module, FROM_FILES};
  static const mpg_module tables = {"mpg_records", &module, FROM_TABLES};
  int rc = mpg_register_file_modules(conn, &files, 1, error);
  return rc == SQLITE_OK ? mpg_register_modules(conn, &tables, 1, error) : rc;
}
