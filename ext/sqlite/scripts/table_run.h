/*
** table_run.h - runs the script of a table function on a private connection.
**
** A script over files: the scripts that it uses run first, then it, then each mapping that fills
** its tables, with the files at the path that are of the mapping's format. A script that is a
** mapping itself runs alone. The rows are those of the relation that is left.
*/
#ifndef MPG_TABLE_RUN_H
#define MPG_TABLE_RUN_H

#include "sources.h"

typedef struct mpg_table_question {
  mpg_conn *host;
  const mpg_env *env;
  const mpg_table_shape *shape;
  sqlite3_value *const *arguments; /* those of the shape, NULL if not given */
  mpg_intern *reported;            /* as of mpg_sources_query */
} mpg_table_question;

/*
** Opens `s`, runs everything and prepares the rows, all of the shape's columns in order. What the
** question points to must outlive `s`. The host's mpg_issues have what was found. On failure
** nothing is left open; else *rows is to be finalized before mpg_sources_close(s).
*/
mpg_rc mpg_table_run(mpg_sources *s, const mpg_table_question *question, sqlite3_stmt **rows,
                     mpg_err *err);

#endif
