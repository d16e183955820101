/*
** ledger_plan.c - see ledger_plan.h. idxStr is a list of numbers: the columns used, hexadecimal;
** how many rows are read at most; whether one row of each is enough, or, of a roll-up, whether a
** measure is compared; how many keys of an order, and each with its direction; and columns that are
** compared, each with its operator and whether its value is a constant.
**
** SQLite compares again what is compared here (omit stays 0). So a value whose type makes the
** comparison complicated is ignored here, and so is a text that may be a number for a column of
** numbers, which SQLite compares as numbers.
*/
#include "ledger_plan.h"
#include "../constraint.h"
#include "../host.h"
#include "../../read/rows/rows.h"

#include <stdlib.h>
#include <string.h>

#define PLAN_IN 0 /* beside SQLite's operators: an IN whose values come at once */

static const mpg_ledger_column_info *column_of(const mpg_ledger_table *table, int i) {
  return mpg_ledger_column_get((mpg_ledger_column)table->cols[i]);
}

static bool is_text_dim(int dim) {
  return dim >= 0 && dim != MPG_DIM_ATTEMPT && dim != MPG_DIM_BUCKET;
}

/* Whether a column is equal to one of a table that this plan reads later. If that is a subquery,
** as a BI tool's top 5 of the same ledger, SQLite may run it anew for each row of the ledger. It
** prefers that plan if it gains an order; else 3.53 reads the ledger once for each of the five. */
static bool waits_for_another(const sqlite3_index_info *info) {
  if (!mpg_host_reruns_subqueries())
    return false;
  for (int i = 0; i < info->nConstraint; i++)
    if (info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ && !info->aConstraint[i].usable)
      return true;
  return false;
}

/* Whether the order is one of dimensions; *once: of rows that agree in them one is enough. For a
** GROUP BY any order that keeps groups together is allowed. But if SQLite groups and sorts by the
** same columns, up to the direction, 3.40 requests only groups and then assumes that the rows are
** sorted. So they are always sorted. */
static bool plan_order(sqlite3 *db, sqlite3_index_info *info, const mpg_ledger_table *table,
                       mpg_scan_key *keys, bool *once) {
  unsigned long long named = 0, used = info->colUsed & ((1ULL << table->ncols) - 1);
  bool texts = false;
  if (info->nOrderBy == 0 || info->nOrderBy > MPG_SCAN_KEYS || waits_for_another(info))
    return false;
  for (int i = 0; i < info->nOrderBy; i++) {
    int c = info->aOrderBy[i].iColumn;
    if (c < 0 || c >= table->ncols || column_of(table, c)->dim < 0)
      return false;
    keys[i] = (mpg_scan_key){(mpg_dim)column_of(table, c)->dim, info->aOrderBy[i].desc != 0};
    named |= 1ULL << c;
    texts |= is_text_dim((int)keys[i].dim);
  }
  if (texts && !mpg_text_is_utf8(db))
    return false;
  /* Conditions, too, look at nothing else then. */
  *once = mpg_host_distinct(info) >= 2 && (used & ~named) == 0;
  return true;
}

/* How rows are compared by constraint i: an operator, PLAN_IN, or -1: they are not. */
static int filter_op(sqlite3_index_info *info, int i, const mpg_ledger_table *table) {
  const struct sqlite3_index_constraint *c = &info->aConstraint[i];
  bool time, text;
  mpg_host_equal equal;
  if (!c->usable || c->iColumn < 0 || c->iColumn >= table->ncols ||
      (table->shape != MPG_SHAPE_LEDGER && c->op == SQLITE_INDEX_CONSTRAINT_EQ))
    return -1;
  time = column_of(table, c->iColumn)->row == MPG_ROW_START ||
         column_of(table, c->iColumn)->row == MPG_ROW_END;
  switch (c->op) {
  case SQLITE_INDEX_CONSTRAINT_EQ:
    text = is_text_dim(column_of(table, c->iColumn)->dim) &&
           sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") == 0;
    equal = time || text ? mpg_host_equal_of(info, i, text) : MPG_HOST_EQUAL_OR_IN;
    return equal == MPG_HOST_EQUAL ? c->op : equal == MPG_HOST_IN && text ? PLAN_IN : -1;
  case SQLITE_INDEX_CONSTRAINT_LT:
  case SQLITE_INDEX_CONSTRAINT_LE:
  case SQLITE_INDEX_CONSTRAINT_GT:
  case SQLITE_INDEX_CONSTRAINT_GE:
    return time ? c->op : -1;
  default:
    return -1;
  }
}

/* Whether a column that is no dimension is compared, with anything but NULL. */
static bool compares_measure(const sqlite3_index_info *info, const mpg_ledger_table *table) {
  for (int i = 0; i < info->nConstraint; i++) {
    const struct sqlite3_index_constraint *c = &info->aConstraint[i];
    if (c->iColumn >= 0 && c->iColumn < table->ncols && column_of(table, c->iColumn)->dim < 0 &&
        c->op != SQLITE_INDEX_CONSTRAINT_ISNULL && c->op != SQLITE_INDEX_CONSTRAINT_ISNOTNULL &&
        c->op != SQLITE_INDEX_CONSTRAINT_LIMIT && c->op != SQLITE_INDEX_CONSTRAINT_OFFSET)
      return true;
  }
  return false;
}

/* SQLite says what LIMIT and OFFSET are if no other condition is left for it to test; rows that are
** to be sorted have to be there before. */
static int plan_limit(sqlite3_index_info *info, const mpg_ledger_table *table) {
  sqlite3_int64 rows = 0;
  bool limited = false;
  if (table->shape != MPG_SHAPE_LEDGER || info->nOrderBy > 0)
    return 0;
  for (int i = 0; i < info->nConstraint; i++) {
    const int op = info->aConstraint[i].op;
    if (op == SQLITE_INDEX_CONSTRAINT_LIMIT || op == SQLITE_INDEX_CONSTRAINT_OFFSET) {
      sqlite3_value *value = mpg_host_constant(info, i);
      sqlite3_int64 n = value == NULL ? -1 : sqlite3_value_int64(value);
      if (n < 0 || n > MPG_PREVIEW_ROWS)
        return 0;
      rows += n;
      limited |= op == SQLITE_INDEX_CONSTRAINT_LIMIT;
    } else if (info->aConstraint[i].iColumn < table->ncols) {
      return 0; /* no argument: it leaves rows out */
    }
  }
  return limited && rows <= MPG_PREVIEW_ROWS ? (int)rows : 0;
}

bool mpg_ledger_plan(sqlite3 *db, sqlite3_index_info *info, const mpg_ledger_table *table,
                     int given) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  mpg_scan_key keys[MPG_SCAN_KEYS] = {{MPG_DIM_NAME, false}};
  bool rows = table->shape == MPG_SHAPE_LEDGER, once = false;
  bool filters = rows || table->shape == MPG_SHAPE_TIMELINE;
  bool ordered = rows && plan_order(db, info, table, keys, &once);
  bool compares = table->shape == MPG_SHAPE_ROLLUP && compares_measure(info, table);
  int nfilters = 0, in_doubt = 0;
  sqlite3_str_appendf(text, "%llx %d %d %d", (unsigned long long)info->colUsed,
                      plan_limit(info, table), once || compares, ordered ? info->nOrderBy : 0);
  for (int i = 0; ordered && i < info->nOrderBy; i++)
    sqlite3_str_appendf(text, " %d %d", (int)keys[i].dim, keys[i].descending);
  info->orderByConsumed = ordered;
  for (int i = 0; filters && i < info->nConstraint; i++) {
    const int op = filter_op(info, i, table);
    bool constant = op >= 0 && mpg_constraint_is_constant(info, i);
    in_doubt += !constant && op == SQLITE_INDEX_CONSTRAINT_EQ;
    if (op < 0 || nfilters == MPG_SCAN_FILTERS)
      continue;
    info->aConstraintUsage[i].argvIndex = given + ++nfilters;
    sqlite3_str_appendf(text, " %d %d %d", info->aConstraint[i].iColumn, op, constant);
  }
  mpg_constraint_in_doubt(info, in_doubt);
  info->idxStr = sqlite3_str_finish(text);
  info->needToFreeIdxStr = 1;
  return info->idxStr != NULL;
}

unsigned long long mpg_ledger_plan_columns(const char *idx_str) {
  return strtoull(idx_str, NULL, 16);
}

static int next_number(const char **p) {
  char *end;
  long v = strtol(*p, &end, 10);
  *p = end;
  return (int)v;
}

size_t mpg_ledger_plan_limit(const char *idx_str) {
  char *end;
  (void)strtoull(idx_str, &end, 16);
  return (size_t)strtoul(end, NULL, 10);
}

bool mpg_ledger_plan_compares(const char *idx_str) {
  char *end;
  const char *p;
  (void)strtoull(idx_str, &end, 16);
  p = end;
  (void)next_number(&p); /* the limit */
  return next_number(&p) != 0;
}

/* Copies a value, and its text if it has one. SQLITE_FULL: there is no room. */
static int copy_value(mpg_plan_values *values, sqlite3_value *value) {
  sqlite3_value *copy;
  if (values->n == MPG_PLAN_VALUES)
    return SQLITE_FULL;
  copy = sqlite3_value_dup(value);
  if (copy == NULL)
    return SQLITE_NOMEM;
  values->copies[values->n] = copy;
  values->texts[values->n++] = sqlite3_value_type(copy) == SQLITE_TEXT && mpg_host_is_utf8(copy)
                                   ? mpg_value_of(copy).s
                                   : (mpg_str){NULL, 0};
  return SQLITE_OK;
}

/* The values of an IN; NULL is equal to nothing. SQLITE_FULL: as above. */
static int copy_list(mpg_plan_values *values, sqlite3_value *list) {
  sqlite3_value *value = NULL;
  int rc = mpg_host_in_first(list, &value);
  for (; rc == SQLITE_OK && value != NULL; rc = mpg_host_in_next(list, &value)) {
    int copied = sqlite3_value_type(value) == SQLITE_NULL ? SQLITE_OK : copy_value(values, value);
    if (copied != SQLITE_OK)
      return copied;
  }
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static bool filter_of_time(const mpg_ledger_column_info *column, int op, sqlite3_value *value,
                           mpg_scan_filter *out) {
  int type = sqlite3_value_type(value);
  sqlite3_int64 i = sqlite3_value_int64(value);
  *out = (mpg_scan_filter){.op = op == SQLITE_INDEX_CONSTRAINT_LT   ? MPG_SCAN_LT
                                 : op == SQLITE_INDEX_CONSTRAINT_LE ? MPG_SCAN_LE
                                 : op == SQLITE_INDEX_CONSTRAINT_GT ? MPG_SCAN_GT
                                 : op == SQLITE_INDEX_CONSTRAINT_GE ? MPG_SCAN_GE
                                                                    : MPG_SCAN_EQ,
                           .time = true,
                           .end = column->row == MPG_ROW_END,
                           .seconds = sqlite3_value_double(value)};
  return type == SQLITE_FLOAT || (type == SQLITE_INTEGER && i > -(1LL << 53) && i < 1LL << 53);
}

/* `texts` may be numbers to SQLite, unless they are constants. */
static bool filter_of_texts(const mpg_ledger_column_info *column, const mpg_str *texts, size_t n,
                            bool constant, mpg_scan_filter *out) {
  *out = (mpg_scan_filter){.dim = (mpg_dim)column->dim, .texts = texts, .ntexts = n};
  for (size_t i = 0; i < n; i++)
    if (texts[i].p == NULL || (!constant && mpg_rows_may_be_number(texts[i])))
      return false;
  return true;
}

/* What stands in idxStr before the filters. The rest of it is *p. */
static void plan_keys(const char **p, const mpg_ledger_table *table, mpg_scan_request *request) {
  char *end;
  unsigned long long used = strtoull(*p, &end, 16);
  memset(request, 0, sizeof *request);
  *p = end;
  for (int c = 0; c < table->ncols; c++)
    if (used >> c & 1)
      request->columns |= 1u << column_of(table, c)->row;
  (void)next_number(p); /* the limit */
  request->once = next_number(p) != 0;
  request->nkeys = (size_t)next_number(p);
  for (size_t i = 0; i < request->nkeys; i++) {
    request->keys[i].dim = (mpg_dim)next_number(p);
    request->keys[i].descending = next_number(p) != 0;
  }
}

int mpg_ledger_plan_request(const char *idx_str, const mpg_ledger_table *table, int argc,
                            sqlite3_value **argv, mpg_plan_values *values,
                            mpg_scan_request *request) {
  const char *p = idx_str;
  plan_keys(&p, table, request);
  for (int i = 0; i < argc; i++) {
    const mpg_ledger_column_info *column = column_of(table, next_number(&p));
    const int op = next_number(&p);
    const bool constant = next_number(&p) != 0;
    const size_t from = values->n;
    bool time = column->row == MPG_ROW_START || column->row == MPG_ROW_END;
    mpg_scan_filter *filter = &request->filters[request->nfilters];
    int rc = op == PLAN_IN ? copy_list(values, argv[i]) : copy_value(values, argv[i]);
    if (rc != SQLITE_OK && rc != SQLITE_FULL)
      return rc;
    if (rc == SQLITE_OK &&
        (time ? filter_of_time(column, op, values->copies[from], filter)
              : filter_of_texts(column, values->texts + from, values->n - from, constant, filter)))
      request->nfilters++;
  }
  return SQLITE_OK;
}

int mpg_ledger_plan_check(sqlite3_vtab *vtab, const char *idx_str, const mpg_ledger_table *table,
                          int argc, sqlite3_value **argv) {
  const char *p = idx_str;
  mpg_scan_request ignored;
  int rc = SQLITE_OK;
  plan_keys(&p, table, &ignored);
  for (int i = 0; rc == SQLITE_OK && i < argc; i++) {
    const mpg_ledger_column_info *column = column_of(table, next_number(&p));
    (void)next_number(&p); /* the operator */
    (void)next_number(&p); /* whether it is a constant */
    if (column->row == MPG_ROW_START || column->row == MPG_ROW_END)
      rc = mpg_value_of_numbers(vtab, argv[i], table->name, mpg_str_of(column->name));
  }
  return rc;
}

void mpg_plan_values_free(mpg_plan_values *values) {
  for (size_t i = 0; i < values->n; i++)
    sqlite3_value_free(values->copies[i]);
  values->n = 0;
}
