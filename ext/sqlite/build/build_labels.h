/*
** build_labels.h - labels of jobs as columns of the ledger that a build makes, and what it reads.
*/
#ifndef MPG_BUILD_LABELS_H
#define MPG_BUILD_LABELS_H

#include "../host.h"

/* The text of the one row of a statement whose parameter is `value`, or NULL: none, or no memory.
** The caller frees it. */
char *mpg_build_find_text(sqlite3 *db, const char *sql, const char *value);
/* What a build reads: the given path, or what mpg_config names as trace, which need not be there
** yet. NULL: none, or no memory; the caller frees it. */
char *mpg_build_source(sqlite3 *db, sqlite3_value *path);

/* Writes the labels that a fleet file names into mpg_config. An SQLite code; *err says more, if it
** is about the fleet file. */
int mpg_labels_take(mpg_conn *conn, sqlite3_value *path, mpg_err *err);
/* A column for each label that mpg_config names, 'tier,project'; the label team always has one.
** `partly`: the columns are there, and get the values of jobs in temp.mpg_changed. */
int mpg_labels_add(sqlite3 *db, bool partly, mpg_err *err);

#endif
