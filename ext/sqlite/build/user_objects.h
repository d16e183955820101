/*
** user_objects.h - indexes and triggers that users have on tables which a build makes anew.
*/
#ifndef MPG_USER_OBJECTS_H
#define MPG_USER_OBJECTS_H

#include "../host.h"

/* The names and texts of all indexes and triggers of the database, one after the other. */
typedef struct mpg_user_objects {
  char **text;
  size_t n;
} mpg_user_objects;

/* Before the build. An SQLite code. */
int mpg_user_objects_read(mpg_user_objects *o, sqlite3 *db);
/* After it: makes those that are gone with their table. One that names a column which the table has
** no more is an error that names it. An SQLite code; *err is set unless memory is short. */
int mpg_user_objects_make(const mpg_user_objects *o, sqlite3 *db, mpg_err *err);
void mpg_user_objects_free(mpg_user_objects *o);

#endif
