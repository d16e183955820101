/* records_plan.c - see records_plan.h. */
#include "records_plan.h"
#include "../constraint.h"
#include "../host.h"
#include "../results.h"
#include "../../goodput/trace/relation_schema.h"

static bool is_binary(sqlite3_index_info *info, int i, int column) {
  const struct sqlite3_index_constraint *c = &info->aConstraint[i];
  return c->iColumn == column && c->usable &&
         sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") == 0;
}

/* The bit of a constraint; 0: it leaves nothing out here. */
static int constraint_bit(sqlite3_index_info *info, int i, int record, int job) {
  const int op = info->aConstraint[i].op;
  if (is_binary(info, i, record))
    return op == SQLITE_INDEX_CONSTRAINT_EQ   ? MPG_RECORD_IS
           : op == SQLITE_INDEX_CONSTRAINT_NE ? MPG_RECORD_IS_NOT
                                              : 0;
  return op == SQLITE_INDEX_CONSTRAINT_EQ && is_binary(info, i, job) ? MPG_JOB_IS : 0;
}

/* Whether the statement wants rows in the order of jobs. */
static bool wants_jobs_in_order(const sqlite3_index_info *info, int job) {
  return info->nOrderBy == 1 && info->aOrderBy[0].iColumn == job && info->aOrderBy[0].desc == 0;
}

/* Whether constraint i, an "=", leaves the records of a relation that has them by job. */
static bool is_by_job(sqlite3_index_info *info, int i) {
  sqlite3_value *is = mpg_host_constant(info, i);
  mpg_str name;
  if (is == NULL || sqlite3_value_type(is) != SQLITE_TEXT)
    return false;
  name = mpg_value_of(is).s;
  return mpg_str_eq(name, mpg_str_of(mpg_relation_get(MPG_REL_SPANS)->name)) ||
         mpg_str_eq(name, mpg_str_of(mpg_relation_get(MPG_REL_COMMITS)->name));
}

/* Of an IN, SQLite compares each value again as a text, though it may mean numbers: so only
** mpg_build, whose jobs are texts, has an argument of it. */
static int plan_constraints(mpg_conn *conn, sqlite3_index_info *info, int given) {
  const int record = 0, job = 1;                /* the first columns */
  const bool held = conn->held_records != NULL; /* mpg_build asks */
  int of_record = -1, of_job = -1;              /* the constraints that are arguments */
  for (int i = 0; i < info->nConstraint; i++) {
    const int bit = constraint_bit(info, i, record, job);
    if (bit == MPG_JOB_IS && of_job < 0)
      of_job = i;
    else if (bit != 0 && bit != MPG_JOB_IS && of_record < 0)
      of_record = i;
  }
  if (of_record >= 0) {
    const int bit = constraint_bit(info, of_record, record, job);
    info->idxNum |= bit;
    info->aConstraintUsage[of_record].argvIndex = ++given;
    info->aConstraintUsage[of_record].omit = 1;
    info->orderByConsumed = bit == MPG_RECORD_IS && wants_jobs_in_order(info, job) &&
                            is_by_job(info, of_record) && mpg_text_is_utf8(conn->db);
  }
  if (of_job >= 0 && (held || mpg_host_equal_of(info, of_job, false) == MPG_HOST_EQUAL)) {
    info->idxNum |= MPG_JOB_IS;
    info->aConstraintUsage[of_job].argvIndex = ++given;
    if (held)
      info->estimatedCost *= 1e-3;
    else if (mpg_constraint_is_constant(info, of_job))
      info->estimatedCost *= 0.99;
    else /* it may be of a row value's IN; and the source is read anew for each job */
      mpg_constraint_in_doubt(info, 1);
  }
  return given;
}

int mpg_records_plan(sqlite3_vtab *vtab, sqlite3_index_info *info, const char *declaration,
                     int given) {
  const mpg_table *t = (const mpg_table *)vtab;
  sqlite3_str *text;
  if (mpg_constraint_of_numbers(vtab, info, t->module->name, mpg_declared_number, declaration) !=
      SQLITE_OK)
    return SQLITE_ERROR;
  text = sqlite3_str_new(NULL);
  given = plan_constraints(t->conn, info, given);
  mpg_constraint_ask_numbers(info, mpg_declared_number, declaration, given, text);
  info->idxStr = sqlite3_str_finish(text);
  info->needToFreeIdxStr = 1;
  return info->idxStr == NULL ? SQLITE_NOMEM : SQLITE_OK;
}
