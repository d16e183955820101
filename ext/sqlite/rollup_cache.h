/*
** rollup_cache.h - roll-ups of files that a connection has read before, so that the next question about them
** reads nothing.
**
** What is kept are the finest cells of a roll-up and the names in them, a few MB for ten million
** spans; every other roll-up with the same path and options follows from them. An entry holds as long
** as the path stands for the same files, and each has its device, inode, size, and times of change of
** data and of status. A file that changed less than two seconds before it was read is not trusted to
** show the next change in its times, and not kept. All entries together take at most the connection's
** limit; the one that was asked for least lately goes first.
*/
#ifndef MPG_KEPT_H
#define MPG_KEPT_H

#include "connection.h"
#include "../goodput/ledger/rollup_threads.h"

#define MPG_KEPT_LIMIT ((size_t)128 << 20) /* bytes, unless mpg_keep says otherwise */

typedef struct mpg_kept {
  struct mpg_kept *next;
  int users; /* cursors, and one for the list */
  struct mpg_kept_key *key;
  mpg_fleet fleet; /* its names alone */
  mpg_cells cells;
  mpg_issues issues; /* what reading and accounting listed */
  size_t bytes;
} mpg_kept;

/* A question on its way to be answered, or kept. Zero-initialised is none. */
typedef struct mpg_keeping {
  mpg_conn *conn;
  const mpg_env *env;       /* the scan's, which says whether to stop */
  struct mpg_kept_key *key; /* NULL: not to be kept */
} mpg_keeping;

/* The kept answer to all roll-ups of the path with these options, with a reference; its issues are then
** listed again. NULL: it is to be read, between begin and end. */
mpg_kept *mpg_kept_begin(mpg_keeping *keeping, mpg_conn *conn, const mpg_env *env, mpg_str path,
                         const mpg_ledger_options *options, bool skip);
/* How many cells are worth keeping; 0: none. */
size_t mpg_kept_room(const mpg_keeping *keeping);
/* Keeps cells and names, which are taken out of both, if that can be; the entry, with a reference. */
mpg_kept *mpg_kept_end(mpg_keeping *keeping, mpg_fleet *fleet, mpg_cells *cells);
void mpg_keeping_free(mpg_keeping *keeping);
void mpg_kept_release(mpg_kept *kept); /* NULL is fine */

/* All entries go; mpg_conn_release calls it. */
void mpg_kept_close(mpg_conn *conn);

#endif
