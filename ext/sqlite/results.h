/* results.h - values and errors on their way between SQLite and the rooms below. */
#ifndef MPG_RESULTS_H
#define MPG_RESULTS_H

#include <sqlite3ext.h>

#include "../base/base.h"

/* SQLite's code for a core failure. */
int mpg_sqlite_rc(mpg_rc rc);
/* Reports a core failure from a function ("NAME: text") or a virtual table ("WHO: text"). */
void mpg_result_failure(sqlite3_context *context, const mpg_err *err);
int mpg_vtab_failure(sqlite3_vtab *vtab, const char *who, const mpg_err *err);
int mpg_vtab_error(sqlite3_vtab *vtab, const char *format, ...);
/* "TABLE: ARGUMENT: expected WHAT, found VALUE". */
int mpg_vtab_misuse(sqlite3_vtab *vtab, const char *table, const char *argument, const char *what,
                    const mpg_value *found);

/* An SQL value as the core sees it; BLOBs are text. The text is borrowed from the value. */
mpg_value mpg_value_of(sqlite3_value *value);
/* The same where it stays, which is faster: sets the type, and the one field that it names. */
void mpg_value_take(mpg_value *out, sqlite3_value *value);
/* The other way round; text is copied. */
void mpg_result_value(sqlite3_context *context, const mpg_value *value);
/* The value of a column as the table declares it: a whole number of a REAL column is a real one.
** For a virtual table SQLite does not see to it, and 3 / 2 would be 1. */
void mpg_result_declared(sqlite3_context *context, sqlite3_value *value, bool real);
/* mpg_result_value within a scan: a long text is copied in pieces, between which the host is
** polled. SQLITE_OK, SQLITE_NOMEM or SQLITE_INTERRUPT. */
int mpg_result_polled(sqlite3_context *context, const mpg_env *env, const mpg_value *value);

#endif
