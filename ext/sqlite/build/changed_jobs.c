/* changed_jobs.c - see changed_jobs.h. */
#include "changed_jobs.h"
#include "../ledger/ledger_arguments.h"
#include "../ledger/ledger_fleet.h"
#include "build_labels.h"

#include <string.h>

/* Below so many records, a span counting as a sixteenth, all is made anew in some tenths of a
** second. */
#define FEW_RECORDS 20000

/* What is made partly, and what a user's triggers and unique indexes may be of. */
#define TABLES                                                                                     \
  "('ledger', 'waits', 'attempts', 'job_labels', 'runs', 'program_ledger', 'day_sums', "           \
  "'pool_sums', 'job_sums')"

/* What tells whether rows of tables whose sums are not known were deleted or changed by hand. */
#define TABLE_SUMS                                                                                 \
  "SELECT 'attempts' AS name, count(*) * 1000003 + coalesce(sum(start_us % 1000000007 + end_us % " \
  "1000000007 + held_us % 1000000007 + productive_us % 1000000007 + lost_us % 1000000007), 0) "    \
  "AS digest FROM main.attempts UNION ALL "                                                        \
  "SELECT 'runs', count(*) * 1000003 + coalesce(sum(start_us % 1000000007 + end_us % 1000000007 "  \
  "+ held_us % 1000000007 + productive_us % 1000000007 + lost_us % 1000000007), 0) "               \
  "FROM main.runs UNION ALL "                                                                      \
  "SELECT 'program_ledger', count(*) * 1000003 + coalesce(sum(productive_us % 1000000007 + "       \
  "ideal_us % 1000000007 + unrated_us % 1000000007 + lost_us % 1000000007), 0) "                   \
  "FROM main.program_ledger UNION ALL "                                                            \
  "SELECT 'job_labels', count(*) FROM main.job_labels UNION ALL "                                  \
  "SELECT 'columns', count(*) FROM main.sqlite_schema AS t JOIN pragma_table_xinfo(t.name, "       \
  "'main') WHERE t.name IN " TABLES

/* ---- statements ---- */

/* Steps a statement once, whose parameters, if any, are the number; *row: it has a row. */
static int step_once(sqlite3 *db, const char *sql, sqlite3_int64 number, bool *row) {
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
  if (rc == SQLITE_OK && sqlite3_bind_parameter_count(stmt) > 0)
    rc = sqlite3_bind_int64(stmt, 1, number);
  if (rc == SQLITE_OK)
    rc = sqlite3_step(stmt);
  *row = rc == SQLITE_ROW;
  (void)sqlite3_finalize(stmt);
  return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Whether a statement has a row. An error is none: a sum past 64 bits proves nothing. */
static bool has_row(sqlite3 *db, const char *sql, sqlite3_int64 number) {
  bool row = false;
  return step_once(db, sql, number, &row) == SQLITE_OK && row;
}

/* ---- digests of jobs, by their names ---- */

typedef struct name_digests {
  const mpg_env *env;
  mpg_intern names;
  uint64_t *digests; /* by id - 1 */
  size_t cap;
} name_digests;

static mpg_rc add_digest(name_digests *d, mpg_str name, uint64_t digest) {
  const size_t n = d->names.n;
  uint32_t id;
  mpg_rc rc = mpg_intern_id(&d->names, name, &id);
  if (rc == MPG_OK)
    rc = mpg_grow(d->env, &d->digests, &d->cap, d->names.n, sizeof *d->digests);
  if (rc != MPG_OK)
    return rc;
  if (d->names.n > n)
    d->digests[id - 1] = 0;
  d->digests[id - 1] += digest;
  return MPG_OK;
}

static uint64_t value_word(sqlite3_stmt *stmt, int column) {
  const int type = sqlite3_column_type(stmt, column);
  const sqlite3_int64 number = sqlite3_column_int64(stmt, column);
  const double real = sqlite3_column_double(stmt, column);
  const void *bytes;
  if (type == SQLITE_INTEGER)
    return mpg_hash((uint64_t)type, &number, sizeof number);
  if (type == SQLITE_FLOAT)
    return mpg_hash((uint64_t)type, &real, sizeof real);
  bytes = sqlite3_column_blob(stmt, column);
  return type == SQLITE_NULL
             ? 0
             : mpg_hash((uint64_t)type, bytes, (size_t)sqlite3_column_bytes(stmt, column));
}

/* Adds the rows of a statement to the job that their first column names. */
static int add_rows(name_digests *d, sqlite3 *db, const char *sql, uint64_t seed) {
  uint64_t words[8];
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
  while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
    const int n = sqlite3_column_count(stmt);
    const char *name = (const char *)sqlite3_column_text(stmt, 0);
    rc = SQLITE_OK;
    for (int i = 1; i < n; i++)
      words[i] = value_word(stmt, i);
    words[0] = seed;
    if (name != NULL)
      rc = mpg_sqlite_rc(add_digest(d, (mpg_str){name, (size_t)sqlite3_column_bytes(stmt, 0)},
                                    mpg_hash(seed, words, (size_t)n * sizeof *words)));
  }
  (void)sqlite3_finalize(stmt);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Those of the accounting, and what attempts and labels take from the records themselves. */
static int name_all(name_digests *d, const mpg_digests *made, sqlite3 *db) {
  const mpg_fleet *f = made->fleet;
  int rc = SQLITE_OK;
  for (size_t i = 0; rc == SQLITE_OK && i < mpg_fleet_njobs(f); i++)
    rc = mpg_sqlite_rc(
        add_digest(d, mpg_intern_text(&f->job_names, (uint32_t)i + 1), made->jobs[i]));
  if (rc == SQLITE_OK)
    rc = add_rows(d, db, "SELECT job, chips, labels FROM main.jobs", 1);
  return rc == SQLITE_OK ? add_rows(d, db,
                                    "SELECT job, attempt, pool, chips, start_us, end_us, outcome "
                                    "FROM main.allocations",
                                    2)
                         : rc;
}

/* ---- into tables ---- */

static int put_row(sqlite3_stmt *stmt, const char *kind, mpg_str name, int64_t day,
                   uint64_t digest) {
  int rc = sqlite3_bind_text(stmt, 1, kind, -1, SQLITE_STATIC);
  if (rc == SQLITE_OK)
    rc = sqlite3_bind_text(stmt, 2, name.p, (int)name.n, SQLITE_STATIC);
  if (rc == SQLITE_OK)
    rc = sqlite3_bind_int64(stmt, 3, day);
  if (rc == SQLITE_OK)
    rc = sqlite3_bind_int64(stmt, 4, (sqlite3_int64)digest);
  if (rc == SQLITE_OK)
    (void)sqlite3_step(stmt);
  return rc == SQLITE_OK ? sqlite3_reset(stmt) : rc;
}

/* What is accounted now, as temp.mpg_now. */
static int put_digests(const name_digests *jobs, const mpg_digests *made, sqlite3 *db) {
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_exec(db,
                        "CREATE TABLE IF NOT EXISTS main.mpg_accounted(kind TEXT, name TEXT, day "
                        "BIGINT, digest BIGINT, PRIMARY KEY (kind, name, day)) WITHOUT ROWID;"
                        "DROP TABLE IF EXISTS temp.mpg_now;"
                        "CREATE TEMP TABLE mpg_now(kind TEXT, name TEXT, day BIGINT, digest "
                        "BIGINT, PRIMARY KEY (kind, name, day)) WITHOUT ROWID",
                        NULL, NULL, NULL);
  if (rc == SQLITE_OK)
    rc =
        sqlite3_prepare_v2(db, "INSERT INTO temp.mpg_now VALUES (?1, ?2, ?3, ?4)", -1, &stmt, NULL);
  for (size_t i = 0; rc == SQLITE_OK && i < jobs->names.n; i++)
    rc = put_row(stmt, "job", mpg_intern_text(&jobs->names, (uint32_t)i + 1), 0, jobs->digests[i]);
  for (size_t i = 0; rc == SQLITE_OK && i < made->ndays; i++)
    rc = put_row(stmt, "day", mpg_intern_text(&made->fleet->pool_names, made->days[i].pool),
                 made->days[i].day, made->days[i].digest);
  (void)sqlite3_finalize(stmt);
  return rc;
}

/* What differs from what was accounted before, or is no more. */
static int put_changes(sqlite3 *db) {
  return sqlite3_exec(
      db,
      "INSERT INTO temp.mpg_changed SELECT n.name FROM temp.mpg_now AS n WHERE n.kind = 'job' AND "
      "n.digest IS NOT (SELECT a.digest FROM main.mpg_accounted AS a WHERE a.kind = 'job' AND "
      "a.name = n.name AND a.day = 0);"
      "INSERT INTO temp.mpg_changed SELECT a.name FROM main.mpg_accounted AS a WHERE a.kind = "
      "'job' AND NOT EXISTS (SELECT 1 FROM temp.mpg_now AS n WHERE n.kind = 'job' AND n.name = "
      "a.name AND n.day = 0);"
      "INSERT INTO temp.mpg_changed_days SELECT n.name, n.day FROM temp.mpg_now AS n WHERE n.kind "
      "= 'day' AND n.digest IS NOT (SELECT a.digest FROM main.mpg_accounted AS a WHERE a.kind = "
      "'day' AND a.name = n.name AND a.day = n.day);"
      "INSERT INTO temp.mpg_changed_days SELECT a.name, a.day FROM main.mpg_accounted AS a WHERE "
      "a.kind = 'day' AND NOT EXISTS (SELECT 1 FROM temp.mpg_now AS n WHERE n.kind = 'day' AND "
      "n.name = a.name AND n.day = a.day);"
      "UPDATE temp.mpg_made SET whole = (SELECT count(*) FROM temp.mpg_changed) * 3 > "
      "(SELECT count(*) FROM temp.mpg_now WHERE kind = 'job')",
      NULL, NULL, NULL);
}

/* ---- the accounting ---- */

/* The settings that the questions of ledger.sql pass. The caller frees the values. */
static int read_settings(sqlite3 *db, sqlite3_value **args) {
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
  return rc;
}

/* Digests of the fleet that the connection holds. */
static mpg_rc account(mpg_digests *made, mpg_accounting *accounting, mpg_fleet *fleet,
                      mpg_conn *conn, const mpg_env *env, mpg_err *err) {
  sqlite3_value *args[MPG_ARGS] = {NULL};
  mpg_ledger_reading reading = {
      .conn = conn, .table = mpg_ledger_table_get(MPG_RUNS_TABLE), .args = args};
  mpg_ledger_options options;
  mpg_chips *chips = NULL;
  mpg_rc rc = read_settings(conn->db, args) == SQLITE_OK ? MPG_OK : mpg_fail_nomem(err);
  if (rc == MPG_OK)
    rc = mpg_ledger_args(args, conn, &options, &reading.skip, &reading.threads, err);
  for (int i = 0; i < MPG_ARGS; i++) {
    sqlite3_value_free(args[i]);
    args[i] = NULL;
  }
  if (rc == MPG_OK)
    rc = mpg_ledger_read(fleet, &chips, env, &reading, err); /* borrowed */
  if (rc == MPG_OK)
    rc = mpg_accounting_init(accounting, env, fleet, &options, err);
  return rc == MPG_OK ? mpg_digests_make(made, accounting, "main", err) : rc;
}

/* Fills temp.mpg_now. */
static int find_digests(mpg_digest_totals *totals, mpg_conn *conn, mpg_err *err) {
  mpg_query_env scan;
  mpg_accounting accounting = {0};
  mpg_digests made = {0};
  mpg_fleet fleet;
  int rc = mpg_query_env_begin(&scan, conn);
  if (rc != SQLITE_OK)
    return rc;
  if (account(&made, &accounting, &fleet, conn, &scan.env, err) != MPG_OK) {
    rc = mpg_sqlite_rc(err->rc);
  } else {
    name_digests jobs = {.env = &scan.env};
    mpg_intern_init(&jobs.names, &scan.env);
    rc = name_all(&jobs, &made, conn->db);
    if (rc == SQLITE_OK)
      rc = put_digests(&jobs, &made, conn->db);
    mpg_free(&scan.env, jobs.digests);
    mpg_intern_free(&jobs.names);
    *totals = made.totals;
  }
  mpg_digests_free(&made);
  mpg_accounting_free(&accounting);
  mpg_query_env_end(&scan);
  return rc;
}

/* ---- a build ---- */

/* Whether the tables are still as the last build left them, and made by the same script of the same
** settings. */
static bool are_as_before(const mpg_changed_jobs *changed, sqlite3 *db) {
  static const char sql[] =
      "SELECT 1 FROM main.mpg_built AS b JOIN main.mpg_accounted AS a ON a.kind = 'built' AND "
      "a.name = b.made_of AND a.day = 0 AND a.digest = ?1 JOIN temp.mpg_made_of AS m ON m.version "
      "= b.version AND json_extract(m.made_of, '$[8]') IS json_extract(b.made_of, '$[8]') AND "
      "json_extract(m.made_of, '$[9]') IS json_extract(b.made_of, '$[9]') WHERE m.as_made AND NOT "
      "EXISTS (SELECT 1 FROM (SELECT type, name, tbl_name, sql FROM main.sqlite_schema UNION ALL "
      "SELECT type, name, tbl_name, sql FROM temp.sqlite_schema) AS s WHERE s.tbl_name "
      "COLLATE NOCASE IN " TABLES " AND (s.type = 'trigger' OR s.type = 'index' AND s.sql LIKE "
      "'CREATE UNIQUE%' AND s.name NOT IN ('attempts_key', 'job_labels_key', 'runs_key', "
      "'day_sums_key', 'pool_sums_key', 'job_sums_key'))) AND NOT EXISTS (SELECT 1 FROM "
      "(" TABLE_SUMS ") AS s WHERE s.digest IS NOT (SELECT k.digest FROM main.mpg_accounted AS k "
      "WHERE k.kind = 'table' AND k.name = s.name AND k.day = 0))";
  return has_row(db, sql, changed->script);
}

int mpg_changed_jobs_find(mpg_changed_jobs *changed, mpg_conn *conn,
                          const int64_t rows[MPG_REL_OBSERVED], const char *script,
                          bool may_be_partly, mpg_err *err) {
  char *there = mpg_build_find_text(conn->db, "SELECT name FROM main.sqlite_schema WHERE name = ?1",
                                    "mpg_accounted");
  int rc;
  *changed =
      (mpg_changed_jobs){.keeps = mpg_text_is_utf8(conn->db) &&
                                  (there != NULL || rows[MPG_REL_JOBS] + rows[MPG_REL_ALLOCATIONS] +
                                                            rows[MPG_REL_SPANS] / 16 >=
                                                        FEW_RECORDS),
                         .script = (sqlite3_int64)mpg_hash(1, script, strlen(script))};
  sqlite3_free(there);
  if (!changed->keeps)
    return SQLITE_OK;
  rc = find_digests(&changed->totals, conn, err);
  if (rc == SQLITE_OK && may_be_partly && are_as_before(changed, conn->db)) {
    rc = put_changes(conn->db);
    if (rc == SQLITE_OK)
      rc = step_once(conn->db, "SELECT 1 FROM temp.mpg_made WHERE NOT whole", 0, &changed->partly);
  }
  return rc;
}

/* Whether the tables that sum intervals have what was accounted. A sum past 64 bits proves
** nothing. */
static bool are_sound(const mpg_digest_totals *t, sqlite3 *db) {
  bool sound = t->chip_us <= INT64_MAX && t->chip_us >= INT64_MIN;
  char *sql = sqlite3_mprintf(
      "SELECT 1 WHERE (SELECT coalesce(sum(chip_us), 0) FROM main.ledger) = %lld AND "
      "((SELECT count(*) FROM main.waits), (SELECT coalesce(sum(chip_us), 0) FROM main.waits)) = "
      "(%lld, %lld) AND ((SELECT count(*) FROM main.job_sums), (SELECT coalesce(sum(capacity_us), "
      "0) + coalesce(sum(queued_us), 0) FROM main.job_sums)) = (%lld, %lld)",
      (long long)t->chip_us, (long long)t->waits, (long long)t->waits_us, (long long)t->jobs,
      (long long)t->of_jobs);
  sound = sound && sql != NULL && has_row(db, sql, 0);
  sqlite3_free(sql);
  return sound;
}

int mpg_changed_jobs_check(mpg_changed_jobs *changed, sqlite3 *db) {
  if (!changed->partly || are_sound(&changed->totals, db))
    return SQLITE_OK;
  changed->partly = false;
  return sqlite3_exec(db, "UPDATE temp.mpg_made SET whole = 1", NULL, NULL, NULL);
}

int mpg_changed_jobs_keep(const mpg_changed_jobs *changed, sqlite3 *db) {
#define CHANGED                                                                                    \
  "kind = 'job' AND name IN (SELECT c.job FROM temp.mpg_changed AS c) OR kind = 'day' AND (name, " \
  "day) IN (SELECT d.pool, d.day FROM temp.mpg_changed_days AS d) "
  static const char whole[] = "DELETE FROM main.mpg_accounted;"
                              "INSERT INTO main.mpg_accounted SELECT * FROM temp.mpg_now";
  static const char part[] =
      "DELETE FROM main.mpg_accounted WHERE " CHANGED "OR kind IN ('built', 'table');"
      "INSERT INTO main.mpg_accounted SELECT * FROM temp.mpg_now "
      "WHERE " CHANGED;
  bool none;
  int rc;
  if (!changed->keeps)
    return SQLITE_OK;
  rc = sqlite3_exec(db, changed->partly ? part : whole, NULL, NULL, NULL);
  if (rc == SQLITE_OK)
    rc = sqlite3_exec(db,
                      "INSERT INTO main.mpg_accounted SELECT 'table', name, 0, digest "
                      "FROM (" TABLE_SUMS "); DROP TABLE temp.mpg_now",
                      NULL, NULL, NULL);
  return rc == SQLITE_OK
             ? step_once(db,
                         "INSERT INTO main.mpg_accounted SELECT 'built', made_of, 0, ?1 "
                         "FROM main.mpg_built",
                         changed->script, &none)
             : rc;
}

bool mpg_changed_jobs_skips(const char *sql) {
  static const char *const made[] = {"DROP TABLE IF EXISTS main.", "CREATE TABLE ",
                                     "CREATE UNIQUE INDEX "};
  for (size_t i = 0; i < sizeof made / sizeof *made; i++)
    if (strncmp(sql, made[i], strlen(made[i])) == 0)
      return true;
  return false;
}
