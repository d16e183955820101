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

static const mpg_ledger_column_info *column_of(const mpg_ledger_table *table, int i) {
  return mpg_ledger_column_get((mpg_ledger_column)table->cols[i]);
}

static bool is_text_dim(int dim) {
  return dim >= 0 && dim != MPG_DIM_ATTEMPT && dim != MPG_DIM_BUCKET;
}

/* Whether the order is one of dimensions; *once: of rows that agree in them one is enough. For a
** GROUP BY any order that keeps groups together is allowed. But if SQLite groups and sorts by the
** same columns, up to the direction, 3.40 requests only groups and then assumes that the rows are
** sorted. So they are always sorted. */
static bool plan_order(sqlite3 *db, sqlite3_index_info *info, const mpg_ledger_table *table,
                       mpg_scan_key *keys, bool *once) {
  unsigned long long named = 0, used = info->colUsed & ((1ULL << table->ncols) - 1);
  bool texts = false;
  if (info->nOrderBy == 0 || info->nOrderBy > MPG_SCAN_KEYS)
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

static bool can_filter(sqlite3_index_info *info, int i, const mpg_ledger_table *table) {
  const struct sqlite3_index_constraint *c = &info->aConstraint[i];
  bool time;
  if (!c->usable || c->iColumn < 0 || c->iColumn >= table->ncols)
    return false;
  time = column_of(table, c->iColumn)->row == MPG_ROW_START ||
         column_of(table, c->iColumn)->row == MPG_ROW_END;
  switch (c->op) {
  case SQLITE_INDEX_CONSTRAINT_EQ:
    return mpg_host_equal_of(info, i, false) == MPG_HOST_EQUAL &&
           (time || (is_text_dim(column_of(table, c->iColumn)->dim) &&
                     sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") == 0));
  case SQLITE_INDEX_CONSTRAINT_LT:
  case SQLITE_INDEX_CONSTRAINT_LE:
  case SQLITE_INDEX_CONSTRAINT_GT:
  case SQLITE_INDEX_CONSTRAINT_GE:
    return time;
  default:
    return false;
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
  bool ordered = rows && plan_order(db, info, table, keys, &once);
  bool compares = table->shape == MPG_SHAPE_ROLLUP && compares_measure(info, table);
  int nfilters = 0, in_doubt = 0;
  sqlite3_str_appendf(text, "%llx %d %d %d", (unsigned long long)info->colUsed,
                      plan_limit(info, table), once || compares, ordered ? info->nOrderBy : 0);
  for (int i = 0; ordered && i < info->nOrderBy; i++)
    sqlite3_str_appendf(text, " %d %d", (int)keys[i].dim, keys[i].descending);
  info->orderByConsumed = ordered;
  for (int i = 0; rows && i < info->nConstraint; i++)
    if (can_filter(info, i, table)) {
      bool constant = mpg_constraint_is_constant(info, i);
      in_doubt += !constant && info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ;
      if (nfilters == MPG_SCAN_FILTERS)
        continue;
      info->aConstraintUsage[i].argvIndex = given + ++nfilters;
      sqlite3_str_appendf(text, " %d %d %d", info->aConstraint[i].iColumn, info->aConstraint[i].op,
                          constant);
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

static bool filter_of(const mpg_ledger_column_info *column, int op, bool constant,
                      sqlite3_value *value, mpg_scan_filter *out) {
  int type = sqlite3_value_type(value);
  *out = (mpg_scan_filter){.op = op == SQLITE_INDEX_CONSTRAINT_LT   ? MPG_SCAN_LT
                                 : op == SQLITE_INDEX_CONSTRAINT_LE ? MPG_SCAN_LE
                                 : op == SQLITE_INDEX_CONSTRAINT_GT ? MPG_SCAN_GT
                                 : op == SQLITE_INDEX_CONSTRAINT_GE ? MPG_SCAN_GE
                                                                    : MPG_SCAN_EQ};
  if (column->row == MPG_ROW_START || column->row == MPG_ROW_END) {
    sqlite3_int64 i = sqlite3_value_int64(value);
    out->time = true;
    out->end = column->row == MPG_ROW_END;
    out->seconds = sqlite3_value_double(value);
    return type == SQLITE_FLOAT || (type == SQLITE_INTEGER && i > -(1LL << 53) && i < 1LL << 53);
  }
  out->dim = (mpg_dim)column->dim;
  if (type != SQLITE_TEXT || !mpg_host_is_utf8(value))
    return false;
  out->text = mpg_value_of(value).s;
  return out->text.p != NULL && (constant || !mpg_rows_may_be_number(out->text));
}

void mpg_ledger_plan_request(const char *idx_str, const mpg_ledger_table *table,
                             sqlite3_value *const *values, int nvalues, mpg_scan_request *request) {
  char *end;
  unsigned long long used = strtoull(idx_str, &end, 16);
  const char *p = end;
  memset(request, 0, sizeof *request);
  for (int c = 0; c < table->ncols; c++)
    if (used >> c & 1)
      request->columns |= 1u << column_of(table, c)->row;
  (void)next_number(&p); /* the limit */
  request->once = next_number(&p) != 0;
  request->nkeys = (size_t)next_number(&p);
  for (size_t i = 0; i < request->nkeys; i++) {
    request->keys[i].dim = (mpg_dim)next_number(&p);
    request->keys[i].descending = next_number(&p) != 0;
  }
  for (int i = 0; i < nvalues; i++) {
    int column = next_number(&p), op = next_number(&p);
    bool constant = next_number(&p) != 0;
    if (filter_of(column_of(table, column), op, constant, values[i],
                  &request->filters[request->nfilters]))
      request->nfilters++;
  }
}
