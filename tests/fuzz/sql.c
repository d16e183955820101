/* sql.c - statements over everything but the readers of files, in a database with a fleet in it. */
#include "fuzz.h"
#include "../../ext/mpg.h"

#include <stdio.h>
#include <string.h>

#define STEPS 2000 /* thousands of SQLite's instructions */

static const char *const setup =
    "CREATE TABLE capacity(pool, chip, chips, start_time, end_time);"
    "CREATE TABLE jobs(job, phase, chips, submit_time, labels);"
    "CREATE TABLE allocations(job, attempt, pool, chips, start_time, end_time, outcome);"
    "CREATE TABLE spans(job, kind, start_time, end_time, step, program);"
    "CREATE TABLE programs(program, flops);"
    "CREATE TABLE chips(chip, dtype, peak_flops);"
    "INSERT INTO capacity VALUES ('p', 'mine', 8, 0, 100), ('q', 'tpu-v4', 2.5, 0, 50);"
    "INSERT INTO jobs VALUES ('a', 'training', 4, 0, '{}'), ('b', 'serving', 1, 5, NULL);"
    "INSERT INTO allocations VALUES ('a', 1, 'p', 4, 10, 60, 'failed'), ('b', NULL, 'q', 1, 0, 40, "
    "'completed');"
    "INSERT INTO spans VALUES ('a', 'step', 10, 30, 1, 's'), ('a', 'step', 30, NULL, 2, 's'), "
    "('b', 'serve', 3, 20, NULL, 's');"
    "INSERT INTO programs VALUES ('s', 1e15);"
    "INSERT INTO chips VALUES ('mine', 'bf16', 1e14);";

/* No other database, no file. The ledger looks up by a pragma what a table's columns are called. */
static int authorize(void *ctx, int action, const char *a, const char *b, const char *c,
                     const char *d) {
  (void)ctx;
  (void)c;
  (void)d;
  if (action == SQLITE_PRAGMA && strcmp(a, "table_xinfo") != 0 && strcmp(a, "database_list") != 0)
    return SQLITE_DENY;
  if (action == SQLITE_ATTACH || action == SQLITE_CREATE_VTABLE)
    return SQLITE_DENY;
  if (action == SQLITE_FUNCTION && b != NULL &&
      (strcmp(b, "load_extension") == 0 || strcmp(b, "randomblob") == 0 ||
       strcmp(b, "zeroblob") == 0))
    return SQLITE_DENY;
  if (action == SQLITE_READ && a != NULL &&
      (strstr(a, "_trace") != NULL || strncmp(a, "trace_", 6) == 0 ||
       strcmp(a, "goodput_report") == 0 || strcmp(a, "xplane_planes") == 0 ||
       strcmp(a, "hlo_cost") == 0))
    return SQLITE_DENY;
  return SQLITE_OK;
}

static int tick(void *ctx) {
  return --*(int *)ctx < 0;
}

void fuzz_sql(mpg_str input) {
  char sql[4096];
  sqlite3 *db;
  int left = STEPS;
  char *error = NULL;
  const char *rest = sql;
  if (input.n == 0 || input.n >= sizeof sql || memchr(input.p, '\0', input.n) != NULL)
    return;
  memcpy(sql, input.p, input.n);
  sql[input.n] = '\0';
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  CHECK(sqlite3_mpg_init(db, &error, NULL) == SQLITE_OK);
  CHECK(sqlite3_exec(db, setup, NULL, NULL, NULL) == SQLITE_OK);
  (void)sqlite3_hard_heap_limit64(64 << 20);
  (void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
  (void)sqlite3_set_authorizer(db, authorize, NULL);
  sqlite3_progress_handler(db, 1000, tick, &left);
  while (*rest != '\0') {
    sqlite3_stmt *stmt = NULL;
    int rows = 0;
    if (sqlite3_prepare_v2(db, rest, -1, &stmt, &rest) != SQLITE_OK || stmt == NULL)
      break;
    while (rows++ < 1000 && sqlite3_step(stmt) == SQLITE_ROW)
      for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        (void)sqlite3_column_text(stmt, i);
        (void)sqlite3_column_bytes(stmt, i);
      }
    (void)sqlite3_finalize(stmt);
  }
  CHECK(sqlite3_close(db) == SQLITE_OK);
}
