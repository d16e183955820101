/*
** constraint.h - which comparisons xBestIndex may use for xFilter.
**
** To xBestIndex, an IN whose values SQLite passes one by one looks like "=". With a virtual table
** that is wrong if types differ: SQLite scans once for each value and compares it as "=" would. So
** a text column finds '7' for 7 and once more for '7', and never finds '007' for 7.
** sqlite3_vtab_in() distinguishes an IN of one column from "="; nothing distinguishes that of a row
** value, (a, b) IN (SELECT ...).
*/
#ifndef MPG_CONSTRAINT_H
#define MPG_CONSTRAINT_H

#include "connection.h"

/* Whether the right side of constraint `c` is a constant. Then it is no IN, and no column, whose
** affinity could be another than that of its value. */
bool mpg_constraint_is_constant(sqlite3_index_info *info, int c);

/*
** Makes a plan more expensive for each "=" with a value that is no constant, `n` of them, and lets
** it expect no fewer rows. If one is of a row value's IN, SQLite also requests the plan without it,
** all else the same, and takes the cheaper one. If it is of a bound parameter, there is no other
** plan. `n` includes those for which there was no room: else both plans might cost the same.
*/
void mpg_constraint_in_doubt(sqlite3_index_info *info, int n);

/* A column that holds nothing but these words, which are `n`. */
typedef struct mpg_word_column {
  const char *table, *name; /* for the message */
  int column;
  const char *const *words;
  size_t n;
} mpg_word_column;

/* SQLITE_OK, or the table has its error: the column is compared by = or <> with a constant text
** that is none of its words, and so with nothing. That of another collation is not looked at. */
int mpg_constraint_of_words(sqlite3_vtab *vtab, sqlite3_index_info *info,
                            const mpg_word_column *column);
/* The same of one value. */
int mpg_value_of_words(sqlite3_vtab *vtab, sqlite3_value *value, const mpg_word_column *column);

/* The name of a column that holds numbers or NULL, empty: it is none; `of` is the caller's. */
typedef mpg_str mpg_number_column(const void *of, int column);

/* SQLITE_OK, or the table has its error: a column of numbers, such as Unix seconds, is compared
** with a constant text that is a time, '2026-01-06'. To SQLite each number is less than that. */
int mpg_constraint_of_numbers(sqlite3_vtab *vtab, sqlite3_index_info *info, const char *table,
                              mpg_number_column *name, const void *of);
/* The same of one value, as xFilter gets that of a parameter. */
int mpg_value_of_numbers(sqlite3_vtab *vtab, sqlite3_value *value, const char *table,
                         mpg_str column);
/* Makes the values of other comparisons of such columns, by <, <=, > and >=, arguments of xFilter
** from `given` + 1 on, the last that it gets. `text`, a part of idxStr, names their columns. */
void mpg_constraint_ask_numbers(sqlite3_index_info *info, mpg_number_column *name, const void *of,
                                int given, sqlite3_str *text);
/* SQLITE_OK, or the table has its error: one of these values is a time. *text is after that part
** then. */
int mpg_values_of_numbers(sqlite3_vtab *vtab, const char *table, const char **text, int argc,
                          sqlite3_value **argv);
/* That of a declaration "CREATE TABLE x(NAME TYPE, ...", whose names need no quotes. */
mpg_str mpg_declared_number(const void *declaration, int column);

#endif
