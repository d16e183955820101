/*
** embedded.h - SQLite within the backend: it reads whatever lies at a path, as the extension of
** SQLite does (ext/sqlite/scripts/sources.h), by the same compiled-in SQL files.
**
** SQLite is in memory, with one thread, and lives for one call. Its memory is its own, so nothing
** here raises an error of the server: each function returns with SQLite closed.
*/
#ifndef MPG_POSTGRES_EMBEDDED_H
#define MPG_POSTGRES_EMBEDDED_H

#include "host.h"

#include "../goodput/trace/fleet.h"

/*
** Adds the records of everything at the path to a fleet, which is then to be sealed. A path of
** native files alone is read without SQL. `on_error` is that argument, checked. The fleet's issues
** are mpg_pg_issues().
*/
mpg_rc mpg_embedded_read(mpg_fleet *fleet, const mpg_env *env, mpg_str path,
                         const mpg_value *on_error, mpg_err *err);

typedef struct mpg_source_rows {
  mpg_value *values; /* row by row, of `env`; their texts too */
  size_t n, cap;     /* values */
} mpg_source_rows;

#define MPG_SOURCE_COLUMNS 15 /* of trace_sources */

/* The rows of trace_sources(path): docs/sources.md. */
mpg_rc mpg_embedded_sources(mpg_source_rows *rows, const mpg_env *env, mpg_str path,
                            const mpg_value *on_error, mpg_err *err);

#endif
