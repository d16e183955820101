/*
** ledger_fleet.h - the fleet that a scan of the ledger accounts: read from files or relations, or
** borrowed from the connection, which holds one while mpg_build asks several questions of the same
** relations.
*/
#ifndef MPG_LEDGER_FLEET_H
#define MPG_LEDGER_FLEET_H

#include "../connection.h"
#include "../cache/fleet_cache.h"
#include "../held_fleet.h"
#include "../scripts/sources.h"
#include "../../goodput/ledger/ledger_columns.h"
#include "../../base/intern.h"

/* Where records are read, and how. */
typedef struct mpg_ledger_reading {
  mpg_conn *conn;
  const mpg_ledger_table *table;
  sqlite3_value *const *args; /* by mpg_arg */
  mpg_intern *reported;       /* as of mpg_sources_query; or NULL */
  int threads;
  bool skip;            /* records that break a rule */
  mpg_fleet_keep *keep; /* for mpg_fleet_cache_give, before the fleet is freed; NULL: of tables */
  mpg_sources_told
      *told; /* as of mpg_sources_query; NULL: it is kept for trace_sources, if it can be */
} mpg_ledger_reading;

/* The one schema to read from; NULL: relations are found in SQLite's order of names. */
const char *mpg_ledger_schema(sqlite3_value *const *args);
/* The name under which the accounting's own issues are listed: the path, or the schema. */
const char *mpg_ledger_source(sqlite3_value *const *args, const mpg_ledger_table *table);

/* A sealed fleet, and the catalogue that it refers to; mpg_ledger_fleet_free also after a failure.
 */
mpg_rc mpg_ledger_read(mpg_fleet *fleet, mpg_chips **chips, const mpg_env *env,
                       const mpg_ledger_reading *reading, mpg_err *err);
void mpg_ledger_fleet_free(mpg_fleet *fleet, mpg_chips **chips);
/* See mpg_held_fleet_leave_out: of the fleet that a scan read, if it is the one that is held. */
const bool *mpg_ledger_left_out(const mpg_conn *conn, const mpg_chips *chips);

#endif
