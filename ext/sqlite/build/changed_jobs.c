/* changed_jobs.c - see changed_jobs.h. */
#include "changed_jobs.h"
#include "build_labels.h"
#include "../held_fleet.h"
#include "../../base/sort.h"

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

/* ---- digests by names ---- */

static void named_init(mpg_named_digests *d, const mpg_env *env) {
  *d = (mpg_named_digests){.env = env};
  mpg_intern_init(&d->names, env);
}

static void named_free(mpg_named_digests *d) {
  if (d->env == NULL)
    return;
  mpg_free(d->env, d->digests);
  mpg_free(d->env, d->before);
  mpg_intern_free(&d->names);
  d->env = NULL;
}

static mpg_rc add_digest(mpg_named_digests *d, mpg_str name, uint64_t digest) {
  const size_t n = d->names.n;
  uint32_t id;
  mpg_rc rc = mpg_intern_id(&d->names, name, &id);
  if (rc == MPG_OK)
    rc = mpg_grow(d->env, &d->digests, &d->cap, d->names.n, sizeof *d->digests);
  if (rc == MPG_OK)
    rc = mpg_grow(d->env, &d->before, &d->before_cap, d->names.n, sizeof *d->before);
  if (rc != MPG_OK)
    return rc;
  if (d->names.n > n) {
    d->digests[id - 1] = 0;
    d->before[id - 1] = false;
  }
  d->digests[id - 1] += digest;
  return MPG_OK;
}

/* A pool's day as a name. The caller frees it. */
static char *day_name(mpg_str pool, int64_t day, mpg_str *name) {
  char *p = sqlite3_malloc64(pool.n + sizeof day);
  if (p == NULL)
    return NULL;
  memcpy(p, pool.p, pool.n);
  memcpy(p + pool.n, &day, sizeof day);
  *name = (mpg_str){p, pool.n + sizeof day};
  return p;
}

static mpg_rc add_day(mpg_named_digests *d, mpg_str pool, int64_t day, uint64_t digest) {
  mpg_str name;
  char *p = day_name(pool, day, &name);
  mpg_rc rc = p == NULL ? MPG_NOMEM : add_digest(d, name, digest);
  sqlite3_free(p);
  return rc;
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
static int add_rows(mpg_named_digests *d, sqlite3 *db, const char *sql, uint64_t seed) {
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
static int name_all(mpg_changed_jobs *changed, const mpg_digests *made, sqlite3 *db) {
  const mpg_fleet *f = made->fleet;
  mpg_rc named = MPG_OK;
  int rc;
  for (size_t i = 0; named == MPG_OK && i < mpg_fleet_njobs(f); i++)
    named =
        add_digest(&changed->jobs, mpg_intern_text(&f->job_names, (uint32_t)i + 1), made->jobs[i]);
  for (size_t i = 0; named == MPG_OK && i < made->ndays; i++)
    named = add_day(&changed->days, mpg_intern_text(&f->pool_names, made->days[i].pool),
                    made->days[i].day, made->days[i].digest);
  rc = mpg_sqlite_rc(named);
  if (rc == SQLITE_OK)
    rc = add_rows(&changed->jobs, db, "SELECT job, chips, labels FROM main.jobs", 1);
  if (rc == SQLITE_OK)
    rc = add_rows(&changed->jobs, db,
                  "SELECT job, attempt, pool, chips, start_us, end_us, outcome "
                  "FROM main.allocations",
                  2);
  return rc;
}

/* ---- what differs ---- */

/* Binds a name, and of a day the pool and the day, from parameter `first` on. */
static int bind_name(sqlite3_stmt *stmt, int first, mpg_str name, bool is_day) {
  const size_t n = is_day ? name.n - sizeof(int64_t) : name.n;
  int64_t day = 0;
  int rc = sqlite3_bind_text(stmt, first, name.p, (int)n, SQLITE_STATIC);
  if (is_day)
    memcpy(&day, name.p + n, sizeof day);
  if (rc == SQLITE_OK && sqlite3_bind_parameter_count(stmt) > first)
    rc = sqlite3_bind_int64(stmt, first + 1, day);
  return rc;
}

static int put_change(sqlite3_stmt *stmt, mpg_str name, bool is_day) {
  int rc = bind_name(stmt, 1, name, is_day);
  if (rc == SQLITE_OK)
    (void)sqlite3_step(stmt);
  return rc == SQLITE_OK ? sqlite3_reset(stmt) : rc;
}

/* Marks what the row of mpg_accounted at hand has, or puts its name: it is no more. */
static int compare_row(mpg_named_digests *d, sqlite3_stmt *row, sqlite3_stmt *put, bool is_day) {
  const char *text = (const char *)sqlite3_column_text(row, 0);
  mpg_str name = {text, (size_t)sqlite3_column_bytes(row, 0)};
  char *day = NULL;
  uint32_t id;
  int rc = SQLITE_OK;
  if (text == NULL)
    return SQLITE_NOMEM;
  if (is_day && (day = day_name(name, sqlite3_column_int64(row, 2), &name)) == NULL)
    return SQLITE_NOMEM;
  id = mpg_intern_find(&d->names, name);
  if (id == 0)
    rc = put_change(put, name, is_day);
  else
    d->before[id - 1] = d->digests[id - 1] == (uint64_t)sqlite3_column_int64(row, 1);
  sqlite3_free(day);
  return rc;
}

/* Puts the names of what differs from mpg_accounted, or is in one of both alone. */
static int put_changes(mpg_named_digests *d, sqlite3 *db, bool is_day) {
  sqlite3_stmt *row = NULL, *put = NULL;
  int rc = sqlite3_prepare_v2(
      db, "SELECT name, digest, day FROM main.mpg_accounted WHERE kind = ?1", -1, &row, NULL);
  if (rc == SQLITE_OK)
    rc = sqlite3_bind_text(row, 1, is_day ? "day" : "job", -1, SQLITE_STATIC);
  if (rc == SQLITE_OK)
    rc = sqlite3_prepare_v2(db,
                            is_day ? "INSERT INTO temp.mpg_changed_days VALUES (?1, ?2)"
                                   : "INSERT INTO temp.mpg_changed VALUES (?1)",
                            -1, &put, NULL);
  while (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW)
    rc = compare_row(d, row, put, is_day);
  rc = rc == SQLITE_DONE ? SQLITE_OK : rc;
  for (size_t i = 0; rc == SQLITE_OK && i < d->names.n; i++)
    if (!d->before[i])
      rc = put_change(put, mpg_intern_text(&d->names, (uint32_t)i + 1), is_day);
  (void)sqlite3_finalize(row);
  (void)sqlite3_finalize(put);
  return rc;
}

/* Puts what differs, and decides whether that is little. */
static int decide(mpg_changed_jobs *changed, mpg_conn *conn) {
  sqlite3 *db = conn->db;
  sqlite3_int64 most = (sqlite3_int64)changed->jobs.names.n / 3;
  bool many = false;
  int rc = put_changes(&changed->jobs, db, false);
  if (rc == SQLITE_OK)
    rc = put_changes(&changed->days, db, true);
  if (rc == SQLITE_OK)
    rc = step_once(db, "SELECT 1 FROM temp.mpg_changed LIMIT 1 OFFSET ?1", most, &many);
  if (rc != SQLITE_OK || many)
    return rc;
  changed->partly = true;
  mpg_held_fleet_leave_out(conn, changed->jobs.before);
  return sqlite3_exec(db, "UPDATE temp.mpg_made SET whole = 0", NULL, NULL, NULL);
}

/* ---- a build ---- */

/* What is accounted now. */
static int find_digests(mpg_changed_jobs *changed, mpg_conn *conn, mpg_err *err) {
  mpg_digests made = {0};
  int rc = mpg_sqlite_rc(mpg_held_fleet_digests(conn, &made, err));
  if (rc == SQLITE_OK)
    rc = name_all(changed, &made, conn->db);
  changed->totals = made.totals;
  mpg_digests_free(&made);
  return rc;
}

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
  named_init(&changed->jobs, &conn->env);
  named_init(&changed->days, &conn->env);
  rc = find_digests(changed, conn, err);
  return rc == SQLITE_OK && may_be_partly && are_as_before(changed, conn->db)
             ? decide(changed, conn)
             : rc;
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

int mpg_changed_jobs_check(mpg_changed_jobs *changed, mpg_conn *conn) {
  if (!changed->partly || are_sound(&changed->totals, conn->db))
    return SQLITE_OK;
  changed->partly = false;
  mpg_held_fleet_leave_out(conn, NULL);
  return sqlite3_exec(conn->db, "UPDATE temp.mpg_made SET whole = 1", NULL, NULL, NULL);
}

static int by_name(const void *a, const void *b, void *names) {
  return mpg_intern_cmp(names, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* Inserts those that differ, or all, in the order of their names. */
static int insert_digests(const mpg_named_digests *d, sqlite3 *db, bool all, bool is_day) {
  mpg_intern *names = (mpg_intern *)&d->names;
  uint32_t *order = mpg_malloc(d->env, (names->n + 1) * sizeof *order);
  sqlite3_stmt *stmt = NULL;
  size_t n = 0;
  int rc = order == NULL ? SQLITE_NOMEM : SQLITE_OK;
  for (size_t i = 0; rc == SQLITE_OK && i < names->n; i++)
    if (all || !d->before[i])
      order[n++] = (uint32_t)i + 1;
  if (rc == SQLITE_OK)
    rc = mpg_sqlite_rc(mpg_sort(d->env, order, n, sizeof *order, by_name, names));
  if (rc == SQLITE_OK)
    rc = sqlite3_prepare_v2(db, "INSERT INTO main.mpg_accounted VALUES (?1, ?3, ?4, ?2)", -1, &stmt,
                            NULL);
  if (rc == SQLITE_OK)
    rc = sqlite3_bind_text(stmt, 1, is_day ? "day" : "job", -1, SQLITE_STATIC);
  for (size_t i = 0; rc == SQLITE_OK && i < n; i++) {
    rc = bind_name(stmt, 3, mpg_intern_text(names, order[i]), is_day);
    if (rc == SQLITE_OK)
      rc = sqlite3_bind_int64(stmt, 2, (sqlite3_int64)d->digests[order[i] - 1]);
    if (rc == SQLITE_OK)
      (void)sqlite3_step(stmt);
    rc = rc == SQLITE_OK ? sqlite3_reset(stmt) : rc;
  }
  (void)sqlite3_finalize(stmt);
  mpg_free(d->env, order);
  return rc;
}

int mpg_changed_jobs_keep(const mpg_changed_jobs *changed, sqlite3 *db) {
  static const char whole[] =
      "CREATE TABLE IF NOT EXISTS main.mpg_accounted(kind TEXT, name TEXT, day BIGINT, digest "
      "BIGINT, PRIMARY KEY (kind, name, day)) WITHOUT ROWID; DELETE FROM main.mpg_accounted";
  static const char part[] =
      "DELETE FROM main.mpg_accounted WHERE kind = 'job' AND name IN (SELECT c.job FROM "
      "temp.mpg_changed AS c) OR kind = 'day' AND (name, day) IN (SELECT d.pool, d.day FROM "
      "temp.mpg_changed_days AS d) OR kind IN ('built', 'table')";
  bool none;
  int rc;
  if (!changed->keeps)
    return SQLITE_OK;
  rc = sqlite3_exec(db, changed->partly ? part : whole, NULL, NULL, NULL);
  if (rc == SQLITE_OK)
    rc = insert_digests(&changed->jobs, db, !changed->partly, false);
  if (rc == SQLITE_OK)
    rc = insert_digests(&changed->days, db, !changed->partly, true);
  if (rc == SQLITE_OK)
    rc = sqlite3_exec(
        db, "INSERT INTO main.mpg_accounted SELECT 'table', name, 0, digest FROM (" TABLE_SUMS ")",
        NULL, NULL, NULL);
  return rc == SQLITE_OK ? step_once(db,
                                     "INSERT INTO main.mpg_accounted SELECT 'built', made_of, 0, "
                                     "?1 FROM main.mpg_built",
                                     changed->script, &none)
                         : rc;
}

void mpg_changed_jobs_free(mpg_changed_jobs *changed) {
  named_free(&changed->jobs);
  named_free(&changed->days);
}

bool mpg_changed_jobs_skips(const char *sql) {
  static const char *const made[] = {"DROP TABLE IF EXISTS main.", "CREATE TABLE ",
                                     "CREATE UNIQUE INDEX "};
  for (size_t i = 0; i < sizeof made / sizeof *made; i++)
    if (strncmp(sql, made[i], strlen(made[i])) == 0)
      return true;
  return false;
}
