/*
** sweep.h - statements in a real connection, with every allocation failing: the n-th once, then the
** n-th and all after it, until none is left to fail. Each run ends in an error, or in exactly the
** rows of a run without faults; and as many blocks live as before once the connection is closed.
**
** There are two arenas, which fail apart: what SQLite and the extension take from SQLite's
** allocator, set by SQLITE_CONFIG_MALLOC; and, in a program that defines malloc
** (tests/memory/loaded.c), what libraries take from libc. The program that includes this defines
** load_extension().
*/
#ifndef MPG_SWEEP_H
#define MPG_SWEEP_H

#include "../unit/check.h"
#include "statements.h"

#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* SQLITE_OK, or why the extension is not there. */
static int load_extension(sqlite3 *db);

/* Allocation n fails (counting down from n), then all after it where `forever`. Statements that
** read files have several threads. */
typedef struct arena {
  const char *name;
  atomic_long left, live;
  atomic_bool armed, forever, failed;
} arena;
static arena of_sqlite = {"SQLite", 0, 0, false, false, false};

/*
** Places: an allocation's chain of callers, as a hash. If by_places, each place fails once alone
** and once with all after it, whatever the stride: a statement allocates at few places that no
** other one has reached. `places_of` are those of one run, in order.
*/
enum { PLACES_OF = 1 << 16, PLACES = 1 << 15, FRAMES = 7 };
static bool by_places, recording;
static int callers = FRAMES; /* how many of a chain tell places apart */
static uint64_t places_of[PLACES_OF];
static size_t n_places_of;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of those two */

static void record_place(void) {
  void *frames[FRAMES + 3];
  int n = backtrace(frames, FRAMES + 3);
  uint64_t hash = UINT64_C(1469598103934665603);
  /* Behind this function, fails() and the allocator. */
  for (int i = 3; i < n && i < callers + 3; i++)
    hash = (hash ^ (uint64_t)(uintptr_t)frames[i]) * UINT64_C(1099511628211);
  (void)pthread_mutex_lock(&lock);
  if (n_places_of < PLACES_OF)
    places_of[n_places_of++] = hash;
  (void)pthread_mutex_unlock(&lock);
}

/* Whether allocation n of the run that was recorded is at a place that has not failed so before. */
static bool is_new_place(long n, bool forever) {
  static uint64_t known[2][PLACES];
  static size_t n_known[2];
  uint64_t hash = n <= (long)n_places_of ? places_of[n - 1] : 0;
  size_t i = (size_t)hash % PLACES;
  if (hash == 0)
    return false;
  while (known[forever][i] != 0 && known[forever][i] != hash)
    i = (i + 1) % PLACES;
  if (known[forever][i] == hash || n_known[forever] > PLACES / 2)
    return false;
  known[forever][i] = hash;
  n_known[forever]++;
  return true;
}

static bool fails(arena *a) {
  long left;
  if (!a->armed)
    return false;
  if (recording)
    record_place();
  left = atomic_fetch_sub(&a->left, 1) - 1;
  if (left != 0 && !(a->forever && left < 0))
    return false;
  a->failed = true;
  return true;
}

static void count(int blocks) {
  (void)atomic_fetch_add_explicit(&of_sqlite.live, blocks, memory_order_relaxed);
}

/* Sizes are kept in front, 8 bytes wide: blocks are aligned to 8 bytes and no more, and no
** larger than asked. */
static void *fault_malloc(int n) {
  long long *p = fails(&of_sqlite) ? NULL : malloc((size_t)n + 8);
  if (p == NULL)
    return NULL;
  *p = n;
  count(1);
  return p + 1;
}

static void fault_free(void *p) {
  count(-1);
  free((long long *)p - 1);
}

static void *fault_realloc(void *p, int n) {
  long long *q = fails(&of_sqlite) ? NULL : realloc((long long *)p - 1, (size_t)n + 8);
  if (q == NULL)
    return NULL;
  *q = n;
  return q + 1;
}

static int fault_size(void *p) {
  return p == NULL ? 0 : (int)((long long *)p)[-1];
}

static int fault_roundup(int n) {
  return n;
}

static int fault_init(void *ctx) {
  (void)ctx;
  return SQLITE_OK;
}

static void fault_shutdown(void *ctx) {
  (void)ctx;
}

/* Before anything else is done with SQLite. */
static void sweep_begin(void) {
  static const sqlite3_mem_methods methods = {fault_malloc,  fault_free, fault_realloc,  fault_size,
                                              fault_roundup, fault_init, fault_shutdown, NULL};
  CHECK(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK);
  CHECK(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK);
  /* A third of the time went into SQLite's locks: no thread shares a connection here. */
  CHECK(sqlite3_config(SQLITE_CONFIG_MULTITHREAD) == SQLITE_OK);
  CHECK(sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK);
  CHECK(sqlite3_initialize() == SQLITE_OK);
}

static void sweep_end(void) {
  CHECK(sqlite3_shutdown() == SQLITE_OK && of_sqlite.live == 0);
}

/* The rows of a statement as one text, appended to `out`. *rest: what follows the statement. */
static int query(sqlite3 *db, const char *sql, sqlite3_str *out, const char **rest) {
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, rest);
  bool torn = false; /* a text that could not be told */
  if (rc == SQLITE_OK)
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
      for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const unsigned char *text = sqlite3_column_text(stmt, i);
        torn |= text == NULL && sqlite3_column_type(stmt, i) != SQLITE_NULL;
        sqlite3_str_appendf(out, "%s|", text == NULL ? "NULL" : (const char *)text);
      }
  return sqlite3_finalize(stmt) != SQLITE_OK || rc != SQLITE_DONE || torn ? SQLITE_NOMEM
                                                                          : SQLITE_OK;
}

/* A connection with what statements.h wants in it. */
static sqlite3 *prepared(void) {
  sqlite3 *db = NULL;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  CHECK(sqlite3_exec(db, setup, NULL, NULL, NULL) == SQLITE_OK);
  return db;
}

/* Opens, loads and runs; NULL, and *failed, where anything said no. The caller frees the text.
** Faults begin with loading, or where `loaded` behind it. */
static char *run(arena *a, const char *sql, long n, bool forever, bool loaded, bool *failed) {
  sqlite3 *db = prepared();
  sqlite3_str *out = sqlite3_str_new(NULL);
  char *text;
  int rc;
  a->left = n;
  a->forever = forever;
  a->failed = false;
  a->armed = !loaded;
  rc = load_extension(db);
  a->armed = true;
  for (const char *next = sql; rc == SQLITE_OK && *next != '\0';)
    rc = query(db, next, out, &next);
  a->armed = false;
  *failed = rc != SQLITE_OK || sqlite3_str_errcode(out) != SQLITE_OK;
  text = sqlite3_str_finish(out);
  CHECK(sqlite3_close(db) == SQLITE_OK);
  return text;
}

/* Every `stride`-th allocation of one statement, and those at new places. Returns how many
** failed. */
static long sweep(arena *a, const char *sql, bool forever, bool loaded, long stride,
                  const char *expected) {
  long points = 0;
  for (long n = 1;; n++) {
    long of_sqlite_before = of_sqlite.live, before = a->live;
    bool failed, injected;
    char *found;
    if ((n - 1) % stride != 0 && !(by_places && is_new_place(n, forever)))
      continue;
    found = run(a, sql, n, forever, loaded, &failed);
    injected = a->failed;
    if (!failed && (found == NULL || strcmp(found, expected) != 0)) {
      (void)fprintf(
          stderr, "%s's allocation %ld%s: wrong rows, no error: %s\n  found    %s\n  expected %s\n",
          a->name, n, forever ? " and after" : "", sql, found ? found : "nothing", expected);
      CHECK(0 && "wrong rows without an error");
    }
    sqlite3_free(found);
    if (of_sqlite.live != of_sqlite_before || a->live != before) {
      (void)fprintf(stderr,
                    "%s's allocation %ld%s: %ld blocks of SQLite and %ld of %s leaked: %s\n",
                    a->name, n, forever ? " and after" : "", of_sqlite.live - of_sqlite_before,
                    a->live - before, a->name, sql);
      CHECK(0 && "leak");
    }
    if (!injected)
      return points;
    points++;
  }
}

/* Table functions that are SQL files share one module, so that ten times the stride is enough; and
** one that runs a whole script takes milliseconds. */
static long stride_of(const char *sql, long stride) {
  return strstr(sql, "(NULL") != NULL || strstr(sql, "WHERE 0") != NULL ||
                 strstr(sql, "trace_serve_tokens('") != NULL || strstr(sql, ".swf') GROUP") != NULL
             ? 10 * stride
             : stride;
}

/* All statements, `stride` apart. Returns how many allocations failed. */
static long sweep_all(arena *a, long stride) {
  long points = 0;
  for (int i = 0; i < STATEMENTS; i++) {
    bool failed;
    char *expected;
    if (sqlite3_libversion_number() < 3039000 &&
        (strstr(statements[i], "RIGHT JOIN") != NULL || strstr(statements[i], "FULL JOIN") != NULL))
      continue;
    sqlite3_free(run(a, statements[i], 0, false, false, &failed)); /* what a first time keeps */
    n_places_of = 0;
    recording = by_places;
    expected = run(a, statements[i], 0, false, i > 0, &failed);
    recording = false;
    if (failed)
      (void)fprintf(stderr, "fails without any fault: %s\n", statements[i]);
    CHECK(!failed && expected != NULL && expected[0] != '\0');
    for (int forever = 0; forever < 2 && !failed; forever++)
      points += sweep(a, statements[i], forever, i > 0, stride_of(statements[i], stride),
                      expected); /* loading itself once */
    sqlite3_free(expected);
  }
  return points;
}

#endif
