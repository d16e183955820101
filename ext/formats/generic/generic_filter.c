/*
** generic_filter.c - comparisons that are tested while files are read, before SQLite gets the rows:
** see generic.h.
**
** SQLite tests every returned row again, so a filter only must not drop a row that SQLite would
** keep. Values are compared with values of the column's own type: numbers with numbers, exactly,
** and texts byte by byte if the collation is BINARY and the database is UTF-8 (UTF-16 sorts
** differently and replaces invalid bytes). All other comparisons are left to SQLite. So are texts
** that may be numbers if the other value is no constant: its column may have a numeric affinity
** (DATETIME has) and still hold a text, and then SQLite compares numbers with it, which are less
** than any text.
*/
#include "generic.h"
#include "../../sqlite/constraint.h"
#include "../../sqlite/host.h"

#include <stdlib.h>
#include <string.h>

/* ---- Plans ---- */

/* Of the plan's text: "COLUMN OPERATOR " for each argument of xFilter. */
enum {
  PLAN_IN = 1000,     /* an operator of this text alone */
  PLAN_NUMBERS = 2000 /* added to an operator: of mpg_rows_filter */
};

static bool is_text(const mpg_columns *columns, size_t column) {
  return column == MPG_FILTER_FILE || columns->p[column].type == MPG_COLUMN_TEXT ||
         columns->p[column].type == MPG_COLUMN_FOUND;
}

/*
** Operators that SQLite has only for virtual tables. Before 3.51.0 it passes those of the ON of a
** LEFT JOIN to the left table too, though all rows of that table have to stay.
*/
static bool is_of_outer_join(int op) {
  return sqlite3_libversion_number() < 3051000 &&
         (op == SQLITE_INDEX_CONSTRAINT_LIKE || op == SQLITE_INDEX_CONSTRAINT_GLOB ||
          op == SQLITE_INDEX_CONSTRAINT_NE || op == SQLITE_INDEX_CONSTRAINT_ISNOTNULL);
}

/* The operator for the plan; 0: it is not one of ours. */
static int operator_of(sqlite3_index_info *info, int c, bool text, bool file) {
  int op = info->aConstraint[c].op;
  mpg_host_equal equal;
  if (is_of_outer_join(op))
    return 0;
  switch (op) {
  case SQLITE_INDEX_CONSTRAINT_LIKE:
  case SQLITE_INDEX_CONSTRAINT_GLOB:
    return file ? op : 0;
  case SQLITE_INDEX_CONSTRAINT_ISNULL:
  case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
    return op;
  case SQLITE_INDEX_CONSTRAINT_EQ:
  case SQLITE_INDEX_CONSTRAINT_IS:
  case SQLITE_INDEX_CONSTRAINT_LT:
  case SQLITE_INDEX_CONSTRAINT_LE:
  case SQLITE_INDEX_CONSTRAINT_GT:
  case SQLITE_INDEX_CONSTRAINT_GE:
    if (text && sqlite3_stricmp(sqlite3_vtab_collation(info, c), "BINARY") != 0)
      return 0;
    if (op != SQLITE_INDEX_CONSTRAINT_EQ)
      return op;
    equal = mpg_host_equal_of(info, c, true);
    return equal == MPG_HOST_IN ? (int)PLAN_IN : equal == MPG_HOST_EQUAL ? op : 0;
  case SQLITE_INDEX_CONSTRAINT_NE: /* its collation is unknown, but equal bytes always are equal */
    return op;
  default:
    return 0;
  }
}

/* Whether texts may be compared as numbers: the value is no constant, so its column may be one
** of them. Texts that are not equal as numbers are not equal as bytes, so <> may look at these. */
static bool may_be_of_numbers(sqlite3_index_info *info, int c, int op) {
  return (op == SQLITE_INDEX_CONSTRAINT_EQ || op == SQLITE_INDEX_CONSTRAINT_IS ||
          op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE ||
          op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE) &&
         !mpg_constraint_is_constant(info, c);
}

void mpg_generic_plan_filters(sqlite3_index_info *info, const mpg_columns *columns,
                              mpg_generic_column_of *column_of, const void *table,
                              sqlite3_str *plan) {
  int given = 0, in_doubt = 0;
  bool equal = false;
  for (int c = 0; c < info->nConstraint; c++) {
    size_t column;
    int op;
    if (!info->aConstraint[c].usable || info->aConstraint[c].iColumn < 0)
      continue;
    column = column_of(table, info->aConstraint[c].iColumn);
    if (column == MPG_FILTER_NONE)
      continue;
    op = operator_of(info, c, is_text(columns, column), column == MPG_FILTER_FILE);
    if (op == 0)
      continue;
    in_doubt += op == SQLITE_INDEX_CONSTRAINT_EQ && !mpg_constraint_is_constant(info, c);
    if (given == MPG_ROWS_FILTERS)
      continue;
    info->aConstraintUsage[c].argvIndex = ++given;
    equal |= op == SQLITE_INDEX_CONSTRAINT_EQ || op == PLAN_IN;
    if (is_text(columns, column) && may_be_of_numbers(info, c, op))
      op += PLAN_NUMBERS;
    sqlite3_str_appendf(plan, "%lld %d ", (sqlite3_int64)column, op);
  }
  info->estimatedCost = 1e6;
  if (in_doubt > 0) {
    mpg_constraint_in_doubt(info, in_doubt);
  } else if (equal) {
    info->estimatedCost /= 2;
    info->estimatedRows /= 100;
  }
}

/* ---- xFilter ---- */

void mpg_generic_free_filters(mpg_generic_filters *f, const mpg_conn *conn) {
  for (size_t i = 0; i < f->n_copies; i++)
    sqlite3_value_free(f->copies[i]);
  mpg_free(&conn->env, f->copies);
  mpg_free(&conn->env, f->lists);
  memset(f, 0, sizeof *f);
}

/* Whether a comparison with the value is ours; *out, which lasts as long as the filters, is then
** set. */
static int copy_if_comparable(mpg_generic_filters *f, const mpg_conn *conn, bool text,
                              sqlite3_value *value, mpg_value *out, bool *ours) {
  int type = sqlite3_value_type(value);
  sqlite3_value *copy;
  *ours = text ? type == SQLITE_TEXT && mpg_host_is_utf8(value)
               : type == SQLITE_INTEGER || type == SQLITE_FLOAT;
  if (!*ours)
    return SQLITE_OK;
  if (mpg_grow(&conn->env, &f->copies, &f->copies_cap, f->n_copies + 1, sizeof *f->copies) !=
          MPG_OK ||
      (copy = sqlite3_value_dup(value)) == NULL)
    return SQLITE_NOMEM;
  f->copies[f->n_copies++] = copy;
  if (text && sqlite3_value_text(copy) == NULL)
    return SQLITE_NOMEM;
  *out = mpg_value_of(copy);
  return SQLITE_OK;
}

static int in_order(const void *a, const void *b) {
  return mpg_rows_compare(a, b);
}

/* The values of IN; NULL is equal to nothing. They follow those of other lists. */
static int keep_list(mpg_generic_filters *f, const mpg_conn *conn, bool text, sqlite3_value *values,
                     bool *ours) {
  size_t from = f->n_lists;
  sqlite3_value *value = NULL;
  int rc = mpg_host_in_first(values, &value);
  *ours = true;
  for (; rc == SQLITE_OK && value != NULL && *ours; rc = mpg_host_in_next(values, &value)) {
    mpg_value v;
    if (sqlite3_value_type(value) == SQLITE_NULL)
      continue;
    rc = copy_if_comparable(f, conn, text, value, &v, ours);
    if (rc == SQLITE_OK && *ours &&
        mpg_grow(&conn->env, &f->lists, &f->lists_cap, f->n_lists + 1, sizeof *f->lists) != MPG_OK)
      rc = SQLITE_NOMEM;
    if (rc != SQLITE_OK)
      return rc;
    if (*ours)
      f->lists[f->n_lists++] = v;
  }
  if (rc != SQLITE_OK && rc != SQLITE_DONE)
    return rc;
  if (!*ours)
    f->n_lists = from;
  else if (f->n_lists > from)
    qsort(f->lists + from, f->n_lists - from, sizeof *f->lists, in_order);
  return SQLITE_OK;
}

/* SQLite's operator as a filter's; false if there is none for this value. */
static bool filter_op(int op, int type, mpg_rows_op *out) {
  switch (op) {
  case SQLITE_INDEX_CONSTRAINT_EQ:
    *out = MPG_ROWS_EQ;
    return true;
  case SQLITE_INDEX_CONSTRAINT_IS:
    *out = type == SQLITE_NULL ? MPG_ROWS_NULL : MPG_ROWS_EQ;
    return true;
  case SQLITE_INDEX_CONSTRAINT_ISNULL:
    *out = MPG_ROWS_NULL;
    return true;
  case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
    *out = MPG_ROWS_NOT_NULL;
    return true;
  case SQLITE_INDEX_CONSTRAINT_NE:
    *out = MPG_ROWS_NE;
    return true;
  case SQLITE_INDEX_CONSTRAINT_LT:
    *out = MPG_ROWS_LT;
    return true;
  case SQLITE_INDEX_CONSTRAINT_LE:
    *out = MPG_ROWS_LE;
    return true;
  case SQLITE_INDEX_CONSTRAINT_GT:
    *out = MPG_ROWS_GT;
    return true;
  case SQLITE_INDEX_CONSTRAINT_GE:
    *out = MPG_ROWS_GE;
    return true;
  case PLAN_IN:
    *out = MPG_ROWS_IN;
    return true;
  default:
    return false;
  }
}

/* The lists of IN, which no longer move: value.i is the start of each. */
static void set_lists(const mpg_generic_filters *f, mpg_rows_filter *filters, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (filters[i].op == MPG_ROWS_IN)
      filters[i].list = f->lists + filters[i].value.i;
}

int mpg_generic_read_filters(mpg_generic_filters *f, const mpg_conn *conn,
                             const mpg_columns *columns, const char *plan, int argc,
                             sqlite3_value **argv) {
  char *end;
  for (int i = 0; i < argc; i++) {
    mpg_rows_filter filter = {.column = (size_t)strtoll(plan, &end, 10)};
    int op = (int)strtol(end, &end, 10), rc = SQLITE_OK;
    bool text = is_text(columns, filter.column), file = filter.column == MPG_FILTER_FILE;
    bool ours = true, is_op;
    filter.numbers = op >= PLAN_NUMBERS;
    op -= filter.numbers ? PLAN_NUMBERS : 0;
    is_op = filter_op(op, sqlite3_value_type(argv[i]), &filter.op);
    plan = end;
    if (is_op && filter.op == MPG_ROWS_IN) {
      filter.value.i = (int64_t)f->n_lists;
      rc = keep_list(f, conn, text, argv[i], &ours);
      filter.n_list = f->n_lists - (size_t)filter.value.i;
    } else if (!is_op || (filter.op != MPG_ROWS_NULL && filter.op != MPG_ROWS_NOT_NULL)) {
      rc = copy_if_comparable(f, conn, text, argv[i], &filter.value, &ours);
    }
    if (rc != SQLITE_OK)
      return rc;
    if (!ours || (is_op && filter.numbers && filter.op == MPG_ROWS_EQ &&
                  mpg_rows_may_be_number(filter.value.s)))
      continue;
    if (!is_op)
      f->patterns[f->n_patterns++] =
          (mpg_generic_pattern){filter.value.s.p, op == SQLITE_INDEX_CONSTRAINT_LIKE};
    else if (file)
      f->files[f->n_files++] = filter;
    else
      f->rows[f->n_rows++] = filter;
  }
  set_lists(f, f->files, f->n_files);
  set_lists(f, f->rows, f->n_rows);
  return SQLITE_OK;
}

/* ---- Files ---- */

static bool is_ascii(const char *z) {
  while (*z > 0)
    z++;
  return *z == '\0';
}

/* LIKE may depend on the case of letters, and with an extension also beyond ASCII. */
static bool may_match(const mpg_generic_pattern *pattern, const char *path) {
  if (!pattern->like)
    return sqlite3_strglob(pattern->text, path) == 0;
  return !is_ascii(pattern->text) || !is_ascii(path) ||
         sqlite3_strlike(pattern->text, path, 0) == 0;
}

bool mpg_generic_file_chosen(const void *filters, const char *path) {
  const mpg_generic_filters *f = filters;
  const mpg_value value = {MPG_TEXT, 0, 0.0, mpg_str_of(path)};
  bool chosen = true;
  for (size_t i = 0; i < f->n_files && chosen; i++)
    chosen = mpg_rows_passes(&f->files[i], &value);
  for (size_t i = 0; i < f->n_patterns && chosen; i++)
    chosen = may_match(&f->patterns[i], path);
  return chosen;
}
