/*
** host.h - calls that SQLite has only later than MPG_OLDEST_SQLITE, or can be built without.
**
** If the host lacks a call, the answer here is right for every query and only costs speed. No other
** file makes such calls: an older host's table of routines ends before them.
*/
#ifndef MPG_HOST_H
#define MPG_HOST_H

#include "connection.h"

#define MPG_OLDEST_SQLITE 3034000

#ifndef SQLITE_INDEX_CONSTRAINT_LIMIT /* of 3.38: an older host never has them */
#define SQLITE_INDEX_CONSTRAINT_LIMIT 73
#define SQLITE_INDEX_CONSTRAINT_OFFSET 74
#endif

/* sqlite3_vtab_distinct() of 3.38. 0 before: all rows are needed, in order. */
int mpg_host_distinct(sqlite3_index_info *info);

/* The right side of constraint `c` if it is a constant, by sqlite3_vtab_rhs_value() of 3.38; else
** NULL. */
sqlite3_value *mpg_host_constant(sqlite3_index_info *info, int c);

/* What an "=" of xBestIndex is; before 3.38 that is unknown. */
typedef enum mpg_host_equal { MPG_HOST_EQUAL, MPG_HOST_IN, MPG_HOST_EQUAL_OR_IN } mpg_host_equal;
/* By sqlite3_vtab_in(). If it is an IN and `at_once`, its values come at once. */
mpg_host_equal mpg_host_equal_of(sqlite3_index_info *info, int c, bool at_once);
/* sqlite3_vtab_in_first() and _next(), for values that come at once. */
int mpg_host_in_first(sqlite3_value *values, sqlite3_value **out);
int mpg_host_in_next(sqlite3_value *values, sqlite3_value **out);

/* Whether the text is known to be UTF-8, by sqlite3_value_encoding() of 3.40. */
bool mpg_host_is_utf8(sqlite3_value *text);
/* Whether a subquery that a join reads later may be run anew for each row before it. Until 3.40 it
** is kept. */
bool mpg_host_reruns_subqueries(void);
/* Whether text is UTF-8 in the databases of the connection. In UTF-16, SQLite sorts it differently,
** and invalid bytes have been replaced. */
bool mpg_text_is_utf8(sqlite3 *db);

/* The name of the n-th database, to be freed by sqlite3_free(): 0 is main, 1 temp. NULL: there are
** fewer. By sqlite3_db_name() of 3.39. */
int mpg_host_database(sqlite3 *db, int n, char **out);

/* Whether the schema has an ordinary table, no view, with that column. SQLITE_OK, or the error: a
** table that is virtual is none, and is not opened. (sqlite3_table_column_metadata() of 3.53
** crashes if it is asked for a column of a virtual table that no statement has used.) */
int mpg_host_has_column(sqlite3 *db, const char *schema, const char *table, const char *column,
                        bool *has);

/* sqlite3_progress_handler(), which SQLite may be built without, as better-sqlite3's is: then no
** statement is interrupted between two reads of files. */
void mpg_host_progress(sqlite3 *db, int steps, int (*call)(void *), void *ctx);

/* Whether PRAGMA short_column_names is OFF and full_column_names ON: then a column of a subquery is
** called TABLE.COLUMN, and no statement finds it. And the first of them, ON or OFF. */
bool mpg_host_has_full_names(sqlite3 *db);
void mpg_host_short_names(sqlite3 *db, bool on);

/* A copy of the statements without AS MATERIALIZED, which is of 3.35, to be freed by
** sqlite3_free(). *out is NULL if the host knows it. */
int mpg_host_without_hints(const char *sql, char **out);

/* A column's text, copied; that of NULL is empty. NULL: there is no memory. The caller frees it
** with sqlite3_free. (A text that cannot be converted for lack of memory looks like NULL then.) */
char *mpg_host_copy_text(sqlite3_stmt *stmt, int column);

#endif
