/*
** relations.h - the relations of the native trace, read from tables and views of the database.
*/
#ifndef MPG_POSTGRES_RELATIONS_H
#define MPG_POSTGRES_RELATIONS_H

#include "host.h"

#include "../goodput/trace/fleet.h"

/*
** Reads every relation that exists in `schema` or, if schema is NULL, each from the first schema of
** the search path that has it, as the current user and in the statement's snapshot: tables, views,
** materialised views, foreign and partitioned tables. `chips` is one of them if it has the columns
** chip, dtype and peak_flops. Otherwise as in SQLite (ext/sqlite/sqlite_relations.h); rows are
** numbered as they come. Errors of the server, of a view or a foreign table, are raised.
*/
mpg_rc mpg_pg_relations_read(mpg_fleet *fleet, const mpg_env *env, const char *schema, bool skip,
                             mpg_err *err);

#endif
