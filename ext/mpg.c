/*
** mpg.c - the entry point of the loadable extension: ML Productivity Goodput from trace files, in
** SQL.
**
**     .load ./mpg
**     SELECT pool, phase, mpg(category, chip_us) FROM trace_rollup('traces/') GROUP BY pool, phase;
**
** Every SQL name is described in docs/. Nothing else is in this file.
*/
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include "mpg.h"
#include "formats/list.h"
#include "sqlite/connection.h"
#include "sqlite/host.h"

static int (*const families[])(mpg_conn *, char **) = {
    mpg_register_scalars,          mpg_register_goodput,   mpg_register_ledger,
    mpg_register_roofline,         mpg_register_catalogue, mpg_register_intervals,
    mpg_register_interval_buckets, mpg_register_op_cost,   mpg_register_classes,
    mpg_register_charts,           mpg_register_records,   mpg_register_files,
    mpg_register_transformer,      mpg_register_keep,      mpg_register_limits,
    mpg_register_progress,         mpg_register_sources,   mpg_register_build,
    mpg_register_scripts,          mpg_register_help,      mpg_register_runs,
    mpg_register_relations,        mpg_register_time,      mpg_register_median,
    mpg_register_json_first,
#define REGISTER(name) mpg_register_##name,
    MPG_FORMATS(REGISTER)
#undef REGISTER
};

int mpg_register_all(sqlite3 *db, bool no_files, mpg_conn **out, char **error) {
  mpg_conn *conn;
  int rc = SQLITE_OK;
  if (sqlite3_libversion_number() < MPG_OLDEST_SQLITE) {
    *error = sqlite3_mprintf("mpg needs SQLite 3.34.0 or later, this is %s", sqlite3_libversion());
    return SQLITE_ERROR;
  }
  conn = mpg_conn_new(db);
  if (conn == NULL)
    return SQLITE_NOMEM;
  conn->no_files = no_files;
  conn->register_all = mpg_register_all;
  for (size_t i = 0; rc == SQLITE_OK && i < sizeof families / sizeof *families; i++)
    rc = families[i](conn, error);
  mpg_conn_release(conn);
  if (out != NULL)
    *out = rc == SQLITE_OK ? conn : NULL;
  return rc;
}

MPG_EXPORT int sqlite3_mpg_init(sqlite3 *db, char **error, const sqlite3_api_routines *api) {
  SQLITE_EXTENSION_INIT2(api);
  (void)api;
  return mpg_register_all(db, false, NULL, error);
}

/* For a host that runs statements of strangers: SELECT load_extension('mpg',
** 'sqlite3_mpg_nofs_init'). */
MPG_EXPORT int sqlite3_mpg_nofs_init(sqlite3 *db, char **error, const sqlite3_api_routines *api) {
  SQLITE_EXTENSION_INIT2(api);
  (void)api;
  return mpg_register_all(db, true, NULL, error);
}
