/*
** private_db.h - a connection of our own to SQLite, in memory, on which compiled-in scripts run.
**
** It has this extension, the limits of the connection that asks, its user's tables of chips and the
** like, and its interruption: sqlite3_interrupt() on the host's connection ends a script within it.
** Nothing of it is visible in the host's schema.
*/
#ifndef MPG_PRIVATE_DB_H
#define MPG_PRIVATE_DB_H

#include "../connection.h"

typedef struct mpg_private_db {
  sqlite3 *db;
  mpg_conn *conn;     /* the private connection's own state; borrowed */
  const mpg_env *env; /* of the host's scan, which says whether to stop */
} mpg_private_db;

/* `host` and `env` must outlive it. On failure nothing is left open. */
mpg_rc mpg_private_open(mpg_private_db *p, mpg_conn *host, const mpg_env *env, mpg_err *err);
/* A hash of what it would have of the user's tables; false: they cannot be read. */
bool mpg_user_tables_hash(mpg_conn *host, uint64_t *out);
void mpg_private_close(mpg_private_db *p); /* zero-initialised is fine */

/* The value of a script's parameter, named without its colon: bind it with sqlite3_bind_*, or leave
** it NULL. An SQLite code. */
typedef int mpg_private_bind(void *ctx, sqlite3_stmt *stmt, int index, const char *name);

/*
** Runs every statement of `sql`. `bind` may be NULL. Rows are passed to `row`, or dropped if it is
** NULL; an error that it returns ends the script. MPG_DATA carries SQLite's text, which names what
** is wrong; MPG_LIMIT names the limit of SQLite that was met.
*/
mpg_rc mpg_private_run(mpg_private_db *p, const char *sql, mpg_private_bind *bind, void *ctx,
                       mpg_rc (*row)(void *ctx, sqlite3_stmt *stmt, mpg_err *err), mpg_err *err);

/* Runs formatted SQL (sqlite3_mprintf) that binds nothing and gives no rows. */
mpg_rc mpg_private_do(mpg_private_db *p, mpg_err *err, const char *format, ...);

/* Runs SQL as it stands, which binds nothing and gives no rows. */
mpg_rc mpg_private_do_text(mpg_private_db *p, const char *sql, mpg_err *err);
/* A statement, to be finalized by the caller. */
mpg_rc mpg_private_prepare(mpg_private_db *p, const char *sql, sqlite3_stmt **out, mpg_err *err);
/* The integer that a query gives, 0 if it gives no row. Its parameter, if any, is `value`. */
mpg_rc mpg_private_ask(mpg_private_db *p, const char *sql, int64_t value, int64_t *out,
                       mpg_err *err);
/* Runs the SQL that a query makes, its one row, after the query has ended: what it makes may drop
** what the query reads. */
mpg_rc mpg_private_run_made(mpg_private_db *p, const char *query, mpg_err *err);

/* The failure of a call on the private connection, as an error of ours. */
mpg_rc mpg_private_failure(const mpg_private_db *p, int code, mpg_err *err);

#endif
