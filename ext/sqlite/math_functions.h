/*
** math_functions.h - the mathematical functions that scripts call: SQLite has them since 3.35, and
** not in every build.
*/
#ifndef MPG_MATH_FUNCTIONS_H
#define MPG_MATH_FUNCTIONS_H

#include <sqlite3ext.h>

/* Adds ceil, floor, sign and sqrt of one number to a connection of ours. They are as SQLite's own,
** whose places they take. An SQLite code. */
int mpg_add_math_functions(sqlite3 *db);

#endif
