/*
** row_store.h - rows of a statement in memory, to be read from start to end, by several at once.
**
** A text that repeats is stored once. Values have the types that the statement gave them.
*/
#ifndef MPG_ROW_STORE_H
#define MPG_ROW_STORE_H

#include <sqlite3ext.h>

#include "../../base/intern.h"

typedef struct mpg_row_store {
  int columns;
  mpg_intern texts; /* and BLOBs */
  struct mpg_row_block *first, *last;
  size_t block_bytes; /* of the blocks */
} mpg_row_store;

void mpg_row_store_init(mpg_row_store *store, const mpg_env *env, int columns);
void mpg_row_store_free(mpg_row_store *store); /* zero-initialised is fine */
/* Adds the row that the statement is at. MPG_OK or MPG_NOMEM. */
mpg_rc mpg_row_store_add(mpg_row_store *store, sqlite3_stmt *row);
/* The memory it takes. */
size_t mpg_row_store_bytes(const mpg_row_store *store);

/* Before the first row if zero-initialised. */
typedef struct mpg_row_place {
  const struct mpg_row_block *block;
  size_t next; /* in the block */
} mpg_row_place;

/* The values of the next row, as many as columns; false: there is none. */
bool mpg_row_store_next(const mpg_row_store *store, mpg_row_place *place,
                        const unsigned char **values);
/* Gives SQLite one of them; a whole number as a real one, if the column is `real`. */
void mpg_row_store_result(const mpg_row_store *store, const unsigned char *value, bool real,
                          sqlite3_context *context);

#endif
