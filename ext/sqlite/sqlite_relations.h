/*
** sqlite_relations.h - the relations of the native trace, read from tables and views of the open
** database.
*/
#ifndef MPG_SQLITE_RELATIONS_H
#define MPG_SQLITE_RELATIONS_H

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
** but not without end: MPG_LIMIT, "a relation is defined by itself, through WHAT".
*/
mpg_rc mpg_relations_read(mpg_fleet *fleet, mpg_conn *conn, const mpg_env *env, const char *schema,
                          bool skip, const char *what, mpg_err *err);

/* The tables from which mpg_relations_read would read, if only ordinary tables of main and temp are
** among them: their content changes in no other way than by a transaction. */
typedef struct mpg_relation_tables {
  size_t n;
  char source[MPG_REL_CHIPS][128]; /* "SCHEMA.RELATION", as issues name it */
  bool known;                      /* false: another object is among them, or they cannot be seen */
} mpg_relation_tables;

void mpg_relations_find(mpg_relation_tables *out, mpg_conn *conn, const char *schema);

/* The state of main and temp. Two that are equal, each taken outside of a transaction, are of the
** same content. false: it cannot be told. */
typedef struct mpg_tables_state {
  unsigned main_version, temp_version; /* of SQLITE_FCNTL_DATA_VERSION */
  int changes;                         /* of this connection */
} mpg_tables_state;

bool mpg_tables_look(mpg_tables_state *out, sqlite3 *db);

#endif
