/*
** result_text.h - texts that a column returns row after row, without a copy for each.
**
** The first few thousand short texts live as long as the connection's state and are SQLITE_STATIC
** to SQLite: names of pools, chips and phases are few and repeat. An aggregate or a register may
** hold a value longer than the cursor lives, so any other text is lent with a reference count, and
** is freed when the last holder releases it. A connection is used by one thread at a time, so the
** count needs no lock.
*/
#ifndef MPG_RESULT_TEXT_H
#define MPG_RESULT_TEXT_H

#include "connection.h"
#include "../base/intern.h"

/* The last text of a column. Zero-initialised is none. */
typedef struct mpg_shared_text {
  uint32_t id;         /* 0: none */
  const char *lasting; /* the text, if it is permanent */
  char *lent;          /* else */
  bool whole;          /* without NULs: its end needs no telling */
  size_t n;
} mpg_shared_text;

void mpg_shared_text_free(mpg_shared_text *shared);
/* The text of an id that is not 0, as the context's result. `few`: of a column whose texts are
** few. */
void mpg_result_shared_text(sqlite3_context *context, mpg_conn *conn, mpg_shared_text *shared,
                            const mpg_intern *texts, uint32_t id, bool few);

#endif
