/* arguments.c - see arguments.h. */
#include "connection.h"
#include "../base/intern.h"
#include "../base/text.h"
#include "host.h"
#include "results.h"

#include <string.h>

void mpg_declare_argument(sqlite3_str *sql, const char *name, const char *type) {
  sqlite3_str_appendf(sql, "\"%w\" %s%sHIDDEN", name, type, *type == '\0' ? "" : " ");
}

/* That argument i is given twice, by position and by name, with two values. */
static int fail_twice(sqlite3_vtab *vtab, const char *table, int i, sqlite3_value *one,
                      sqlite3_value *other) {
  const mpg_value a = mpg_value_of(one), b = mpg_value_of(other);
  char first[MPG_FOUND], second[MPG_FOUND];
  mpg_text_value(&a, first);
  mpg_text_value(&b, second);
  return mpg_vtab_error(vtab, "%s: argument %d is given twice: expected one value, found %s and %s",
                        table, i + 1, first, second);
}

int mpg_argument_twice(sqlite3_vtab *vtab, const char *table, sqlite3_index_info *info, int i,
                       int one, int other) {
  sqlite3_value *a = one < 0 ? NULL : mpg_host_constant(info, one);
  sqlite3_value *b = mpg_host_constant(info, other);
  const char *x, *y;
  if (a == NULL || b == NULL || sqlite3_value_type(a) == SQLITE_NULL ||
      sqlite3_value_type(b) == SQLITE_NULL)
    return SQLITE_OK;
  x = (const char *)sqlite3_value_text(a);
  y = (const char *)sqlite3_value_text(b);
  if (x == NULL || y == NULL)
    return SQLITE_NOMEM;
  return strcmp(x, y) == 0 ? SQLITE_OK : fail_twice(vtab, table, i, a, b);
}

int mpg_plan_arguments(sqlite3_vtab *vtab, const char *table, sqlite3_index_info *info, int first,
                       int n) {
  int given = 0;
  for (int i = 0; i < n; i++) {
    int at = -1;
    for (int c = 0; c < info->nConstraint; c++) {
      const struct sqlite3_index_constraint *k = &info->aConstraint[c];
      if (k->iColumn != first + i || k->op != SQLITE_INDEX_CONSTRAINT_EQ)
        continue;
      if (!k->usable)
        return SQLITE_CONSTRAINT;
      if (mpg_argument_twice(vtab, table, info, i, at, c) != SQLITE_OK)
        return SQLITE_ERROR;
      at = at < 0 ? c : at;
    }
    if (at < 0) {
      if (i < 15 && first + i < 63 && (info->colUsed >> (first + i) & 1) != 0)
        info->idxNum |= 1 << (16 + i);
      continue;
    }
    info->aConstraintUsage[at].argvIndex = ++given;
    info->aConstraintUsage[at].omit = 1;
    info->idxNum |= i > 0 && i < 15 ? mpg_argument_bits(i, at) : 1 << i;
  }
  if ((info->idxNum & 1) == 0)
    info->estimatedCost = 1e99;
  return SQLITE_OK;
}

int mpg_argument_missing(sqlite3_vtab *vtab, const char *table, const char *name) {
  return mpg_vtab_error(
      vtab, "%s: the argument %s takes = alone, outside OR and RIGHT or FULL JOIN", table, name);
}

int mpg_path_missing(sqlite3_vtab *vtab, const char *table) {
  return mpg_vtab_error(vtab,
                        "%s: the path takes = alone, outside OR and RIGHT or FULL JOIN: join "
                        "(SELECT * FROM %s('...')) instead",
                        table, table);
}

sqlite3_int64 mpg_first_rowid(sqlite3_value *const *arguments, size_t n) {
  uint64_t h = 0;
  for (size_t i = 0; i < n; i++) {
    mpg_value v = {MPG_NULL, 0, 0.0, {NULL, 0}};
    uint64_t parts[3] = {i, 0, 0};
    if (arguments[i] != NULL)
      v = mpg_value_of(arguments[i]);
    if (v.type == MPG_NULL)
      continue;
    parts[1] = (uint64_t)v.type;
    if (v.type == MPG_INT)
      parts[2] = (uint64_t)v.i;
    else if (v.type == MPG_REAL)
      memcpy(&parts[2], &v.r, sizeof v.r);
    else
      parts[2] = mpg_hash(0, v.s.p, v.s.n);
    h = mpg_hash(h, parts, sizeof parts);
  }
  return (sqlite3_int64)(h >> 2);
}

bool mpg_argument_is_nothing(mpg_conn *conn, const char *table, const char *name,
                             sqlite3_value *value) {
  if (sqlite3_value_type(value) != SQLITE_NULL)
    return false;
  /* Of a user's own statement. Out of memory: this issue is lost, as others are then. */
  if (conn->host_env == NULL && conn->held_records == NULL)
    (void)mpg_issues_add(&conn->issues, MPG_INFO, table, "null_argument", 0, 1,
                         "%s is NULL: no rows", name);
  return true;
}

int mpg_argument_lost(sqlite3_vtab *vtab, int idx_num, int i, const char *table, const char *name,
                      sqlite3_value *value) {
  const int both = 1 << i | 1 << (16 + i);
  if (i > 14 || (idx_num & both) != both || sqlite3_value_type(value) != SQLITE_NULL)
    return SQLITE_OK;
  return mpg_vtab_error(
      vtab,
      "%s: the argument %s is NULL, which SQLite does not hand over behind 16 other "
      "conditions: leave it out",
      table, name);
}
