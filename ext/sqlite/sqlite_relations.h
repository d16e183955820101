/*
** sqlite_relations.h - the relations of the native trace, read from tables and views of the open
** database.
*/
#ifndef MPG_RELATIONS_H
#define MPG_RELATIONS_H

#include "connection.h"
#include "../goodput/trace/fleet.h"

/*
** Reads every relation that exists in `schema` ("main", "temp", the name of an ATTACHed database).
** If schema is NULL, each comes from the first schema that has it in SQLite's order of names: temp,
** main, attached. The user's chips are not among them: see catalogue.h. Columns are found by name;
** an empty text counts as NULL, as in CSV. MPG_IO: there is neither a capacity nor an allocations
** relation. MPG_DATA: "SCHEMA.RELATION:ROW: what"; with `skip` such rows are listed as
** `skipped_record` instead.
**
** A relation may be a view over a ledger of another schema, whose relations may be such views too,
** but not without end: MPG_LIMIT, "a relation is defined by WHAT".
*/
mpg_rc mpg_relations_read(mpg_fleet *fleet, mpg_conn *conn, const mpg_env *env, const char *schema,
                          bool skip, const char *what, mpg_err *err);

#endif
