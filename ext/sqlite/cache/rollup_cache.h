/*
** rollup_cache.h - roll-ups of files and tables that a connection has read, and first rows of their
** ledgers, so that the next query of them reads nothing.
**
** An entry has the finest cells of a roll-up and the names in them, a few MB for ten million spans;
** every other roll-up with the same path and options follows from them. It is valid while the path
** names the same files, each with the same device, inode, size, and times of change of data and of
** status. A file that changed less than two seconds before it was read is not cached, for its times
** may not show the next change. So is each file that a script reads beside them, and each table of
** the user's that it reads. Of tables it is valid until a transaction writes to main or temp;
** it is not used within a transaction, nor for views, virtual tables and attached databases, whose
** changes do not show.
*/
#ifndef MPG_ROLLUP_CACHE_H
#define MPG_ROLLUP_CACHE_H

#include "cache.h"
#include "../../goodput/ledger/rollup_threads.h"

typedef struct mpg_rollup_cache_entry {
  mpg_cache_entry base; /* must be first */
  struct mpg_rollup_cache_key *key;
  mpg_fleet fleet; /* its names alone */
  mpg_cells cells;
  mpg_ledger rows;   /* of a ledger, instead of cells: its first rows */
  bool all_rows;     /* they are the whole ledger */
  mpg_issues issues; /* what reading and accounting listed */
} mpg_rollup_cache_entry;

/* What is asked of the files or tables. */
typedef struct mpg_rollup_question {
  const mpg_ledger_options *options;
  int on_error;
  size_t rows;          /* that many first rows of the ledger; 0: a roll-up */
  uint64_t user_tables; /* the content of those that scripts read, as a hash */
} mpg_rollup_question;

/* A roll-up that is being looked up, read or stored. Zero-initialised: none. */
typedef struct mpg_rollup_cache_fill {
  mpg_conn *conn;
  mpg_env *env;                     /* the scan's, which says whether to stop */
  struct mpg_rollup_cache_key *key; /* NULL: not to be cached */
  size_t rows;                      /* of the question */
  bool copies_names;                /* for the fleet is to be kept as it is */
} mpg_rollup_cache_fill;

/*
** The cached entry for all roll-ups of the path with these options, with a reference; its issues
** are listed again. NULL: it has to be read, between begin and end, with this `env`, which tells
** what it looks up.
*/
mpg_rollup_cache_entry *mpg_rollup_cache_begin(mpg_rollup_cache_fill *fill, mpg_conn *conn,
                                               mpg_env *env, mpg_str path,
                                               const mpg_rollup_question *question);
/* The same of the relations of the open database; `schema` as of mpg_relations_read. */
mpg_rollup_cache_entry *mpg_rollup_cache_begin_tables(mpg_rollup_cache_fill *fill, mpg_conn *conn,
                                                      mpg_env *env, const char *schema,
                                                      const mpg_rollup_question *question);
/* To be told each name, beside those of the path and its files, under which issues of them are
** listed. NULL: nobody asks. */
mpg_intern *mpg_rollup_cache_reported(mpg_rollup_cache_fill *fill);
/* How many cells are worth keeping; 0: none. */
size_t mpg_rollup_cache_room(const mpg_rollup_cache_fill *fill);
/* Keeps cells and names, which are taken out of both, or copied, if that can be; the entry, with a
** reference. */
mpg_rollup_cache_entry *mpg_rollup_cache_end(mpg_rollup_cache_fill *fill, mpg_fleet *fleet,
                                             mpg_cells *cells);
/* The same of the ledger's first rows; `all` if there are no others. */
mpg_rollup_cache_entry *mpg_rollup_cache_end_rows(mpg_rollup_cache_fill *fill, mpg_fleet *fleet,
                                                  mpg_ledger *rows, bool all);
void mpg_rollup_cache_fill_free(mpg_rollup_cache_fill *fill);
void mpg_rollup_cache_release(mpg_rollup_cache_entry *entry); /* NULL is fine */

#endif
