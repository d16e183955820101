/*
** shown.h - texts that a column gives row after row, without a copy for each: SQLite is lent one that counts who
** holds it, and lives until the last of them lets go, whatever becomes of the cursor.
**
** SQLITE_STATIC would not do: what an aggregate remembers of it may outlive the text. A connection is used by one
** thread at a time, so the count needs no lock.
*/
#ifndef MPG_SHOWN_H
#define MPG_SHOWN_H

#include "sql.h"
#include "../core/intern.h"

/* The last text of a column. Zero-initialised is none. */
typedef struct mpg_shown {
  uint32_t id; /* 0: none */
  char *text;
  bool whole; /* without NULs: its end needs no telling */
  size_t n;
} mpg_shown;

void mpg_shown_free(mpg_shown *shown);
/* The text of an id that is not 0, as the context's result. */
void mpg_result_shown(sqlite3_context *context, mpg_shown *shown, const mpg_intern *texts,
                      uint32_t id);

#endif
