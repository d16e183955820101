/*
** user_columns.h - columns that users add to tables which a build makes anew.
**
** They are there after it. What users wrote into them stays where the table has a row of the same
** key again: an attempt by its job and number, a day by its date. Of other rows it is lost, which
** mpg_issues and the table issues say. Columns that an earlier build made, as those of labels, are
** none of them: mpg_columns knows which.
*/
#ifndef MPG_USER_COLUMNS_H
#define MPG_USER_COLUMNS_H

#include "../host.h"

typedef struct mpg_user_columns {
  struct mpg_user_column *p;
  size_t n;
} mpg_user_columns;

/* In the build's transaction, before the tables are made anew. An SQLite code. */
int mpg_user_columns_read(mpg_user_columns *columns, sqlite3 *db);
/* After that, of all tables but the `last`, mpg_columns, or of that one. A column that the table
** cannot have any more is an error that names it. An SQLite code; *err is set unless memory is
** short. */
int mpg_user_columns_make(const mpg_user_columns *columns, bool last, sqlite3 *db, mpg_err *err);
void mpg_user_columns_free(mpg_user_columns *columns);

/* Lists, of users' own tables, rows that refer to rows which are no more. An SQLite code. */
int mpg_user_references_check(sqlite3 *db);

#endif
