/*
** test_connections.c - connections in threads of their own, all statements of tests/memory in each
** at once: the rows are those of one alone. And a statement that is left at its first row, with
** threads still reading ahead of it. tests/full/full_threads.sh runs it under ThreadSanitizer.
*/
#include "../../ext/mpg.h"
#include "../memory/statements.h"
#include "check.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4 };

/* What a thread was told, and what each statement gave; NULL: an error. */
typedef struct worker {
  pthread_t thread;
  int first, step; /* the statement to begin with, and from one to the next */
  char *rows[STATEMENTS];
} worker;

static int append(void *to, int n, char **values, char **names) {
  (void)names;
  for (int i = 0; i < n; i++)
    sqlite3_str_appendf((sqlite3_str *)to, "%s|", values[i] == NULL ? "NULL" : values[i]);
  return 0;
}

/* A connection for each statement: some make tables. */
static char *rows_of(const char *sql) {
  sqlite3 *db = NULL;
  sqlite3_str *out = sqlite3_str_new(NULL);
  char *error = NULL;
  int rc = sqlite3_open(":memory:", &db);
  if (rc == SQLITE_OK)
    rc = sqlite3_exec(db, setup, NULL, NULL, NULL);
  if (rc == SQLITE_OK)
    rc = sqlite3_mpg_init(db, &error, NULL);
  if (rc == SQLITE_OK)
    rc = sqlite3_exec(db, sql, append, out, &error);
  if (error != NULL)
    (void)fprintf(stderr, "%s: %s\n", sql, error);
  sqlite3_free(error);
  if (sqlite3_close(db) != SQLITE_OK || rc != SQLITE_OK) {
    sqlite3_free(sqlite3_str_finish(out));
    return NULL;
  }
  return sqlite3_str_finish(out);
}

static void *work(void *p) {
  worker *w = p;
  for (int i = 0; i < STATEMENTS; i += w->step) {
    int at = (w->first + i) % STATEMENTS;
    w->rows[at] = rows_of(statements[at]);
  }
  return NULL;
}

/* Files of one record each: threads open one after the other while the statement is at its first
** row. */
static void test_left_early(void) {
  enum { FILES = 50 };
  static const char *const left[] = {
      "SELECT job_name FROM goodput_trace('%s') WHERE threads = 4",
      "CREATE VIRTUAL TABLE temp.t USING jsonl_trace('%s', threads = 4)"};
  char folder[] = "/tmp/mpg-connections-XXXXXX", path[128], sql[256];
  CHECK(mkdtemp(folder) != NULL);
  for (int i = 0; i < FILES; i++) {
    FILE *f;
    (void)snprintf(path, sizeof path, "%s/%d.jsonl", folder, i);
    f = fopen(path, "w");
    CHECK(f != NULL && fputs("{\"job_name\": \"left\"}\n", f) >= 0 && fclose(f) == 0);
  }
  for (int i = 0; i < 200; i += check_stride(5)) {
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK &&
          sqlite3_mpg_init(db, NULL, NULL) == SQLITE_OK);
    (void)snprintf(sql, sizeof sql, left[i % 2], folder);
    if (i % 2 == 1)
      CHECK(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
    CHECK(sqlite3_prepare_v2(db, i % 2 == 1 ? "SELECT * FROM t" : sql, -1, &statement, NULL) ==
              SQLITE_OK &&
          sqlite3_step(statement) == SQLITE_ROW);
    CHECK(sqlite3_finalize(statement) == SQLITE_OK && sqlite3_close(db) == SQLITE_OK);
  }
  for (int i = 0; i < FILES; i++) {
    (void)snprintf(path, sizeof path, "%s/%d.jsonl", folder, i);
    CHECK(unlink(path) == 0);
  }
  CHECK(rmdir(folder) == 0);
}

/* A ledger whose threads still hold their rows to the texts that the statement compares with. */
static void test_ledger_left_early(void) {
  static const char sql[] = "SELECT start_time FROM trace_ledger('fixtures/fleet') "
                            "WHERE threads = 4 AND pool = 'v5e-us-central1' AND category = 'eval'";
  sqlite3 *db = NULL;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK &&
        sqlite3_mpg_init(db, NULL, NULL) == SQLITE_OK);
  for (int i = 0; i < 50; i += check_stride(2)) {
    sqlite3_stmt *statement = NULL;
    CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
          sqlite3_step(statement) == SQLITE_ROW && sqlite3_finalize(statement) == SQLITE_OK);
  }
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

int main(void) {
  static worker workers[THREADS], alone = {.step = 1};
  int ran = 0;
  (void)work(&alone);
  for (int t = 0; t < THREADS; t++) {
    workers[t].first = t / 2 * (STATEMENTS / 2 | 1); /* two at the same, two elsewhere */
    workers[t].step = check_stride(2);
    CHECK(pthread_create(&workers[t].thread, NULL, work, &workers[t]) == 0);
  }
  for (int t = 0; t < THREADS; t++)
    CHECK(pthread_join(workers[t].thread, NULL) == 0);
  for (int i = 0; i < STATEMENTS; i++) {
    CHECK(alone.rows[i] != NULL);
    for (int t = 0; t < THREADS; t++) {
      const char *rows = workers[t].rows[i];
      ran += rows != NULL;
      CHECK(rows != NULL ? strcmp(rows, alone.rows[i]) == 0 : workers[t].step > 1);
      sqlite3_free(workers[t].rows[i]);
    }
    sqlite3_free(alone.rows[i]);
  }
  CHECK(ran >= THREADS * (STATEMENTS / check_stride(2)));
  test_left_early();
  test_ledger_left_early();
  return check_done("connections");
}
