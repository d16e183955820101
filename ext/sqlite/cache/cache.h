/*
** cache.h - what a connection holds to answer from memory what is asked again: roll-ups
** (rollup_cache.h), the rows of table functions (../scripts/table_cache.h), and the fleets of which
** other questions are answered (fleet_cache.h).
**
** All entries together take at most the connection's limit, mpg_keep(). Answers stay longest; of
** them, and of the others, the least recently used one is dropped first. An entry that is dropped
** lives until its last cursor releases it.
*/
#ifndef MPG_CACHE_H
#define MPG_CACHE_H

#include "../connection.h"
#include "../../read/input/paths.h"

#define MPG_CACHE_LIMIT ((size_t)1 << 30) /* bytes, unless mpg_keep says otherwise */

/* The first member of each kind of entry; `free` tells the kinds apart. */
typedef struct mpg_cache_entry {
  struct mpg_cache_entry *next;
  int users; /* cursors, and one for the list */
  size_t bytes;
  bool no_answer; /* but what helps to make one */
  void (*free)(struct mpg_cache_entry *entry);
} mpg_cache_entry;

/* Puts an entry, which has one reference, in front of the others of its kind; a second
** reference. */
void mpg_cache_add(mpg_conn *conn, mpg_cache_entry *entry);
/* Moves an entry of the list to the front of its kind; one more reference. */
void mpg_cache_use(mpg_conn *conn, mpg_cache_entry *entry);
/* Takes an entry out of the list, with the list's reference. */
void mpg_cache_take(mpg_conn *conn, mpg_cache_entry *entry);
void mpg_cache_release(mpg_cache_entry *entry); /* NULL is fine */
/* Drops the entries of the list that `is` accepts. */
void mpg_cache_drop(mpg_conn *conn, bool (*is)(const mpg_cache_entry *entry, const void *ctx),
                    const void *ctx);

/* Copies the connection's issues whose source `is` accepts. */
mpg_rc mpg_cache_copy_issues(mpg_issues *to, mpg_conn *conn,
                             bool (*is)(const void *ctx, const char *source), const void *ctx);
/* The connection's issues whose source `is` accepts become what they were then. */
mpg_rc mpg_cache_list_again(mpg_conn *conn, const mpg_issues *then,
                            bool (*is)(const void *ctx, const char *source), const void *ctx);

#endif
