/* arguments.h - the arguments of table functions: hidden columns, and what SQLite says of them. */
#ifndef MPG_ARGUMENTS_H
#define MPG_ARGUMENTS_H

#include <sqlite3ext.h>

#include <stdbool.h>
#include <stddef.h>

/*
** Appends the declaration of a table function's argument, a hidden column. `type` is "TEXT", or ""
** for a time, a width or a count, which may be a number or a text. A text needs its type: without
** one SQLite would read HIDDEN as the type, with NUMERIC affinity, and IN (...) would pass 7 for
** '007'.
*/
void mpg_declare_argument(sqlite3_str *sql, const char *name, const char *type);
/*
** What xBestIndex does for the arguments of a table function over files, `n` hidden columns from
** `first` on: idxNum gets bit i where argument i is given by "=", and xFilter's first arguments are
** those, in order; bit 16 + i where one after the first is not given, and the statement names it
** (of a table's first 63 columns). Any other "=" of an argument SQLite checks against the column's
** value. SQLITE_CONSTRAINT: another order of joins can provide one.
**
** Argument 0 is the path. Without one the plan is made too dear to be taken, and xFilter says what
** is missing: SQLite also asks for plans of the terms of an OR alone, which do not show it.
*/
int mpg_plan_arguments(sqlite3_index_info *info, int first, int n);
/*
** An argument that is not among the first 16 conditions of its table SQLite compares itself, too,
** although it is told not to. Only one that is NULL, and so counts as not given, suffers: no row
** would pass. A bit of idxNum beside the one for "given" says so.
*/
static inline int mpg_argument_bits(int i, int constraint) {
  return 1 << i | (constraint < 16 ? 0 : 1 << (16 + i));
}
/*
** What rowids of a table with these arguments (NULL: not given) are counted from, below 2^62.
** SQLite tells rows of the terms of an OR apart by their rowids alone, also where each term gives
** arguments of its own.
*/
sqlite3_int64 mpg_first_rowid(sqlite3_value *const *arguments, size_t n);
/* SQLITE_OK, or the table has its error: argument i is one of those, and NULL. */
int mpg_argument_lost(sqlite3_vtab *vtab, int idx_num, int i, const char *table, const char *name,
                      sqlite3_value *value);
/*
** Whether by idxNum (mpg_plan_arguments) the statement names argument i, and it is not given: it
** may stand in a condition that SQLite does not hand over, where NULL would quietly mean no rows.
** And the error of the table that says so.
*/
static inline bool mpg_argument_is_missing(int idx_num, size_t i) {
  return ((unsigned)idx_num >> (16 + i) & 1) != 0;
}
int mpg_argument_missing(sqlite3_vtab *vtab, const char *table, const char *name);

#endif
