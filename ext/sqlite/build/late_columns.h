/*
** late_columns.h - tables that a script makes without their generated columns, which follow the
** first rows: of a row that it inserts, SQLite computes each of them for nothing. Where few rows
** come, the tables are made as they are: for each column that is added, SQLite compiles the whole
** schema.
*/
#ifndef MPG_LATE_COLUMNS_H
#define MPG_LATE_COLUMNS_H

#include "../host.h"

/* Texts are the script's. Zero-initialised. */
enum { MPG_LATE_TABLES = 16 };
typedef struct mpg_late_columns {
  mpg_str table[MPG_LATE_TABLES];
  const char *columns[MPG_LATE_TABLES]; /* what stands in the parentheses of CREATE TABLE, and on */
  size_t n;
  enum { MPG_FILES_NOT_ASKED, MPG_FILES_SMALL, MPG_FILES_LARGE } files; /* that come in */
} mpg_late_columns;

/* Makes a table that is not there without its generated columns, if it has such. `path` says what
** comes in, or is NULL. *tail: after the statement, or NULL: it is still to run. An SQLite code, as
** all below. */
int mpg_late_make_table(sqlite3 *db, const char *sql, sqlite3_value *path, mpg_late_columns *late,
                        const char **tail);
/* After a statement: the table that it inserts into gets what is missing. */
int mpg_late_add_after(sqlite3 *db, const char *sql, mpg_late_columns *late);
/* All tables get it: at the end of the script. */
int mpg_late_add_all(sqlite3 *db, mpg_late_columns *late);

#endif
