/*
** database.h - files of SQLite among those that are to be recognised.
*/
#ifndef MPG_DATABASE_H
#define MPG_DATABASE_H

#include "../connection.h"

/* A path as the URI of a database that is only read; sqlite3_free it. NULL: no memory. */
char *mpg_database_uri(const char *path);
/* The names of the tables of a file of SQLite, a name a line, owned by SQLite's allocator; *names
** is NULL if it cannot be read, and `why` says why. MPG_NOMEM is the only error. */
mpg_rc mpg_database_tables(const char *path, char **names, char why[256], mpg_err *err);

#endif
