/* arguments.h - the arguments of table functions: hidden columns, and what SQLite says of them. */
#ifndef MPG_ARGUMENTS_H
#define MPG_ARGUMENTS_H

#include <sqlite3ext.h>

#include <stdbool.h>
#include <stddef.h>

struct mpg_conn;

/*
** Appends the declaration of a table function's argument, a hidden column. `type` is "TEXT", or ""
** for a time, a width or a count, which may be a number or a text. A text needs its type: without
** one SQLite would read HIDDEN as the type, with NUMERIC affinity, and IN (...) would pass 7 for
** '007'.
*/
void mpg_declare_argument(sqlite3_str *sql, const char *name, const char *type);
/*
** xBestIndex for the arguments of a table function over files, `n` hidden columns from `first` on.
** idxNum gets bit i if argument i is given by "="; xFilter's first arguments are those, in order.
** It gets bit 16 + i if an argument is not given and the statement names it (among a table's first
** 63 columns), or one after the first is given in a condition behind 16 others. SQLite checks any
** further "=" of an argument against the column's value, and so one that two constants give is an
** error if they differ. SQLITE_CONSTRAINT: another order of joins can provide an argument.
**
** Argument 0 is the path. A plan without it is made too expensive to be chosen, and xFilter says
** what is missing: SQLite also requests plans for single terms of an OR, which do not have it.
*/
int mpg_plan_arguments(sqlite3_vtab *vtab, const char *table, sqlite3_index_info *info, int first,
                       int n);
/* Of one argument: SQLITE_OK, or the table has its error. `one` is -1, or the constraint before. */
int mpg_argument_twice(sqlite3_vtab *vtab, const char *table, sqlite3_index_info *info, int i,
                       int one, int other);
/*
** If an argument is not among the first 16 conditions of its table, SQLite also compares it itself,
** in spite of omit. That matters only for NULL, which means not given: no row would pass. A second
** bit of idxNum, after the one for "given", says so.
*/
static inline int mpg_argument_bits(int i, int constraint) {
  return 1 << i | (constraint < 16 ? 0 : 1 << (16 + i));
}
/*
** The first rowid of a table with these arguments (NULL: not given), below 2^62. SQLite identifies
** rows of the terms of an OR by their rowids alone, even if each term has its own arguments.
*/
sqlite3_int64 mpg_first_rowid(sqlite3_value *const *arguments, size_t n);
/*
** What a table is asked about, as its path, may be NULL: then it has no rows, as SQLite's own table
** functions, and mpg_issues says so of the table `name`d. Any other argument of NULL is not given.
*/
bool mpg_argument_is_nothing(struct mpg_conn *conn, const char *table, const char *name,
                             sqlite3_value *value);
/* SQLITE_OK, or the table has its error: argument i, from 1 on, is one of those that SQLite
** compares itself, and NULL. */
int mpg_argument_lost(sqlite3_vtab *vtab, int idx_num, int i, const char *table, const char *name,
                      sqlite3_value *value);
/*
** Whether, by idxNum (mpg_plan_arguments), the statement names argument i without giving it: it may
** be in a condition that SQLite does not pass on, and NULL would mean no rows in silence. And the
** table's error for that.
*/
static inline bool mpg_argument_is_missing(int idx_num, size_t i) {
  return ((unsigned)idx_num >> (16 + i) & 1) != 0 && ((unsigned)idx_num >> i & 1) == 0;
}
int mpg_argument_missing(sqlite3_vtab *vtab, const char *table, const char *name);
/* The same of the path. */
int mpg_path_missing(sqlite3_vtab *vtab, const char *table);

#endif
