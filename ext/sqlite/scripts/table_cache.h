/*
** table_cache.h - the rows of table functions over files that a connection has read, so that the
** next one with the same arguments reads nothing, nor does a second cursor of one statement.
**
** They are valid while each path that the script looked up has the same files, each with the same
** device, inode, size and times, and while the limits and the user's tables that scripts read are
** the same. A file that changed less than two seconds before it was read is not cached, for its
** times may not show the next change.
*/
#ifndef MPG_TABLE_CACHE_H
#define MPG_TABLE_CACHE_H

#include "../cache/cache.h"
#include "../cache/row_store.h"
#include "table_shape.h"

typedef struct mpg_table_rows {
  mpg_cache_entry base; /* must be first */
  struct mpg_table_cache_key *key;
  mpg_issues issues; /* what reading listed */
  mpg_row_store rows;
} mpg_table_rows;

/* Rows that are being looked up or stored. Zero-initialised: none. */
typedef struct mpg_table_cache_fill {
  mpg_conn *conn;
  mpg_env *env;                    /* the scan's, which says whether to stop */
  struct mpg_table_cache_key *key; /* NULL: not to be cached */
} mpg_table_cache_fill;

/*
** The cached rows of the function with these arguments, with a reference; their issues are listed
** again. NULL: its script has to run, between begin and end, with this `env`, which tells what it
** looks up.
*/
mpg_table_rows *mpg_table_cache_begin(mpg_table_cache_fill *fill, mpg_conn *conn, mpg_env *env,
                                      const mpg_table_shape *shape,
                                      sqlite3_value *const *arguments);
/* To be told each name under which issues are listed. NULL: nobody asks. */
mpg_intern *mpg_table_cache_reported(const mpg_table_cache_fill *fill);
/* Steps through all rows and keeps them, if that can be: *out, with a reference. If it is NULL the
** rows are to be read by another pass over them. What stepping said, SQLITE_DONE or an error. */
int mpg_table_cache_end(mpg_table_cache_fill *fill, sqlite3_stmt *rows, mpg_table_rows **out);
/* Keeps rows that are in memory already, and what reading listed, if that can be: the entry, with a
** reference, and both are zero. NULL: both are as they were. */
mpg_table_rows *mpg_table_cache_add(mpg_table_cache_fill *fill, mpg_row_store *rows,
                                    mpg_issues *issues);
void mpg_table_cache_fill_free(mpg_table_cache_fill *fill);
void mpg_table_rows_release(mpg_table_rows *rows); /* NULL is fine */

/* Whether two arguments are the same; NULL: one that is not given, which is SQL's NULL. */
bool mpg_same_argument(sqlite3_value *a, sqlite3_value *b);

#endif
