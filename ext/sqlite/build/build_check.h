/*
** build_check.h - what mpg_build and mpg_import look at before they change anything.
*/
#ifndef MPG_BUILD_CHECK_H
#define MPG_BUILD_CHECK_H

#include "../host.h"

/*
** Whether every table that a build makes anew is missing, or made by an earlier build, and every
** name in mpg_config is one of a setting. Else *why says what is wrong, and the caller frees it. An
** SQLite code.
*/
int mpg_build_check(sqlite3 *db, char **why);
/* The same of mpg_import: whether each TEMP table that it replaces may be one of the relation. */
int mpg_import_check(sqlite3 *db, char **why);

/* Whether this reading tells what the tables have and nothing else (sql/build/same.sql), and no row
** of the ledger was changed or deleted by hand, which its sums by day still have. */
bool mpg_build_is_same(sqlite3 *db);

#endif
