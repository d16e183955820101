/* ledger_fleet.c - see ledger_fleet.h. */
#include "ledger_fleet.h"
#include "ledger_arguments.h"
#include "records_reading.h"
#include "../catalogue.h"
#include "../scripts/private_db.h"
#include "../sqlite_relations.h"
#include "../../base/text.h"

#include <string.h>

/* What the connection holds: a fleet of its own, or that of a reading. */
struct mpg_held_fleet {
  mpg_query_env scan;
  mpg_chips *chips;
  mpg_fleet own;
  mpg_records_reading *reading; /* NULL: the fleet is its own */
  const mpg_fleet *fleet;
  const bool *left_out;
};

const char *mpg_ledger_schema(sqlite3_value *const *args) {
  return mpg_arg_given(args, MPG_ARG_SCHEMA) ? mpg_arg_text(args, MPG_ARG_SCHEMA) : NULL;
}

const char *mpg_ledger_source(sqlite3_value *const *args, const mpg_ledger_table *table) {
  if (table->files)
    return mpg_arg_text(args, MPG_ARG_PATH);
  return mpg_ledger_schema(args) != NULL ? mpg_ledger_schema(args) : "main";
}

/* The fleet that the connection has kept of the files, if there is one; else reading has *reading.
** *err, if they are no files. */
static mpg_rc take_fleet_of_files(mpg_fleet *fleet, mpg_chips **chips, const mpg_ledger_reading *r,
                                  mpg_env *reading, bool *taken, mpg_err *err) {
  const mpg_value path = mpg_value_of(r->args[MPG_ARG_PATH]);
  mpg_fleet_question question = {.path = path.s, .on_error = (int)mpg_arg_on_error(r->args)};
  if (path.type != MPG_TEXT)
    return mpg_fail_argument(err, "path", "text", &path);
  *taken = mpg_user_tables_hash(r->conn, &question.user_tables) &&
           mpg_fleet_cache_take(r->keep, &question, reading, fleet, chips);
  return MPG_OK;
}

/* Reads and seals the fleet of files. */
static mpg_rc read_files(mpg_fleet *fleet, const mpg_env *env, const mpg_ledger_reading *r,
                         mpg_err *err) {
  bool mapped = false;
  mpg_rc rc = mpg_sources_fleet(fleet, r->conn, env,
                                &(mpg_sources_query){.path = mpg_value_of(r->args[MPG_ARG_PATH]).s,
                                                     .reported = r->keep->reported,
                                                     .on_error = mpg_arg_on_error(r->args),
                                                     .threads = r->threads,
                                                     .mapped = &mapped,
                                                     .only_mapped = r->told != NULL,
                                                     .told = r->told},
                                err);
  if (rc == MPG_OK)
    rc = mpg_fleet_seal(fleet, err);
  if (rc == MPG_OK && mapped)
    mpg_fleet_cache_mapped(r->keep);
  return rc;
}

mpg_rc mpg_ledger_read(mpg_fleet *fleet, mpg_chips **chips, const mpg_env *env,
                       const mpg_ledger_reading *r, mpg_err *err) {
  const struct mpg_held_fleet *held = r->conn->held;
  mpg_env reading = *env;
  bool taken = false;
  mpg_rc rc = MPG_OK;
  mpg_issues_drop(&r->conn->issues, mpg_ledger_source(r->args, r->table));
  if (held != NULL && !r->table->files && r->table->shape != MPG_SHAPE_TIMELINE &&
      mpg_ledger_schema(r->args) == NULL) {
    *fleet = *held->fleet; /* the chips stay NULL: both are borrowed */
    return MPG_OK;
  }
  if (r->table->files) {
    *r->keep = (mpg_fleet_keep){r->conn, env, r->reported, NULL};
    rc = take_fleet_of_files(fleet, chips, r, &reading, &taken, err);
  }
  if (rc != MPG_OK || taken)
    return rc;
  rc = mpg_catalogue_copy(r->conn, chips, err);
  if (rc == MPG_OK)
    rc = mpg_fleet_init(fleet, env, &r->conn->issues, *chips, err);
  fleet->keep_origins = r->table->shape == MPG_SHAPE_TIMELINE;
  if (rc == MPG_OK && r->table->files)
    return read_files(fleet, &reading, r, err);
  if (rc == MPG_OK)
    rc = mpg_relations_read(fleet, r->conn, env, mpg_ledger_schema(r->args), r->skip, "the ledger",
                            err);
  return rc == MPG_OK ? mpg_fleet_seal(fleet, err) : rc;
}

void mpg_ledger_fleet_free(mpg_fleet *fleet, mpg_chips **chips) {
  if (*chips != NULL)
    mpg_fleet_free(fleet);
  mpg_chips_free(*chips);
  *chips = NULL;
}

static mpg_rc read_relations(struct mpg_held_fleet *held, mpg_conn *conn, mpg_err *err) {
  sqlite3_value *none[MPG_ARGS] = {NULL};
  mpg_ledger_reading reading = {
      .conn = conn, .table = mpg_ledger_table_get(MPG_RUNS_TABLE), .args = none};
  mpg_ledger_options options;
  mpg_rc rc;
  if (mpg_query_env_begin(&held->scan, conn) != SQLITE_OK)
    return mpg_fail_nomem(err);
  rc = mpg_ledger_args(none, conn, &options, &reading.skip, &reading.threads, err);
  return rc == MPG_OK ? mpg_ledger_read(&held->own, &held->chips, &held->scan.env, &reading, err)
                      : rc;
}

mpg_rc mpg_held_fleet_begin(mpg_conn *conn, const int64_t *stored, mpg_err *err) {
  struct mpg_held_fleet *held = mpg_calloc(&conn->env, sizeof *held);
  mpg_rc rc;
  if (held != NULL && stored != NULL)
    held->reading = mpg_held_records_take(conn, stored);
  mpg_held_records_end(conn);
  if (held == NULL)
    return mpg_fail_nomem(err);
  if (held->reading != NULL) {
    held->fleet = &held->reading->fleet;
    rc = mpg_fleet_seal(&held->reading->fleet, err);
  } else {
    held->fleet = &held->own;
    rc = read_relations(held, conn, err);
  }
  conn->held = held;
  if (rc != MPG_OK)
    mpg_held_fleet_end(conn);
  return rc;
}

/* The settings of a database that a build wrote. The caller frees the values. */
static mpg_rc read_settings(sqlite3 *db, sqlite3_value **args, mpg_err *err) {
  static const mpg_arg settings[] = {MPG_ARG_AS_OF, MPG_ARG_SIZES, MPG_ARG_BASIS, MPG_ARG_ROOFLINE};
  sqlite3_stmt *stmt = NULL;
  int rc =
      sqlite3_prepare_v2(db, "SELECT value FROM main.mpg_config WHERE name = ?1", -1, &stmt, NULL);
  for (size_t i = 0; rc == SQLITE_OK && i < sizeof settings / sizeof *settings; i++) {
    rc = sqlite3_bind_text(stmt, 1, mpg_arg_name(settings[i]), -1, SQLITE_STATIC);
    if (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
      args[settings[i]] = sqlite3_value_dup(sqlite3_column_value(stmt, 0));
      rc = args[settings[i]] == NULL ? SQLITE_NOMEM : SQLITE_OK;
    }
    if (rc == SQLITE_OK)
      rc = sqlite3_reset(stmt);
  }
  (void)sqlite3_finalize(stmt);
  return rc == SQLITE_OK ? MPG_OK : mpg_fail_nomem(err);
}

mpg_rc mpg_held_fleet_digests(mpg_conn *conn, mpg_digests *made, mpg_err *err) {
  sqlite3_value *args[MPG_ARGS] = {NULL};
  mpg_query_env scan;
  mpg_accounting accounting = {0};
  mpg_ledger_options options;
  bool skip;
  int threads;
  mpg_rc rc;
  memset(made, 0, sizeof *made);
  if (mpg_query_env_begin(&scan, conn) != SQLITE_OK)
    return mpg_fail_nomem(err);
  mpg_issues_drop(&conn->issues, "main"); /* as every scan does: the last one's are listed */
  rc = read_settings(conn->db, args, err);
  if (rc == MPG_OK)
    rc = mpg_ledger_args(args, conn, &options, &skip, &threads, err);
  if (rc == MPG_OK)
    rc = mpg_accounting_init(&accounting, &scan.env, conn->held->fleet, &options, err);
  if (rc == MPG_OK)
    rc = mpg_digests_make(made, &accounting, "main", err);
  if (made->env != NULL)
    made->env = &conn->env; /* of the same allocator */
  mpg_accounting_free(&accounting);
  for (int i = 0; i < MPG_ARGS; i++)
    sqlite3_value_free(args[i]);
  mpg_query_env_end(&scan);
  return rc;
}

void mpg_held_fleet_leave_out(mpg_conn *conn, const bool *jobs) {
  conn->held->left_out = jobs;
}

const bool *mpg_ledger_left_out(const mpg_conn *conn, const mpg_chips *chips) {
  return conn->held != NULL && chips == NULL ? conn->held->left_out : NULL;
}

void mpg_held_fleet_end(mpg_conn *conn) {
  struct mpg_held_fleet *held = conn->held;
  if (held == NULL)
    return;
  conn->held = NULL;
  mpg_records_done(conn, held->reading);
  mpg_ledger_fleet_free(&held->own, &held->chips);
  mpg_query_env_end(&held->scan);
  mpg_free(&conn->env, held);
}
