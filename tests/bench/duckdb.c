/*
** duckdb.c - runs one statement in DuckDB and prints its rows, for tests/bench/run:
** duckdb LIBRARY SQL; or two, duckdb LIBRARY SETUP SQL, and prints to standard error the seconds
** that the second takes.
** The library is opened at run time and its few functions are declared here, so that nothing of
** DuckDB is needed to build this.
*/
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Only its size and alignment matter: the C API's duckdb_result, with room to spare. */
typedef struct result {
  uint64_t opaque[32];
} result;

static void *library;

static void *find(const char *name) {
  void *f = dlsym(library, name);
  if (f == NULL) {
    fprintf(stderr, "duckdb: %s\n", dlerror());
    exit(1);
  }
  return f;
}

#define FUNCTION(returns, name, ...)                                                               \
  returns (*name)(__VA_ARGS__);                                                                    \
  *(void **)&name = find(#name)

int main(int argc, char **argv) {
  void *db, *conn;
  struct timespec begin, end;
  result r;
  if (argc < 3 || argc > 4 || (library = dlopen(argv[1], RTLD_NOW)) == NULL) {
    fprintf(stderr, "usage: duckdb LIBRARY [SETUP] SQL: %s\n", argc >= 3 ? dlerror() : "");
    return 1;
  }
  FUNCTION(int, duckdb_open, const char *, void **);
  FUNCTION(int, duckdb_connect, void *, void **);
  FUNCTION(int, duckdb_query, void *, const char *, result *);
  FUNCTION(const char *, duckdb_result_error, result *);
  FUNCTION(uint64_t, duckdb_row_count, result *);
  FUNCTION(uint64_t, duckdb_column_count, result *);
  FUNCTION(char *, duckdb_value_varchar, result *, uint64_t, uint64_t);
  FUNCTION(const char *, duckdb_library_version, void);
  if (argv[2][0] == '\0') {
    puts(duckdb_library_version());
    return 0;
  }
  if (duckdb_open(NULL, &db) != 0 || duckdb_connect(db, &conn) != 0)
    return 1;
  if (argc == 4 && duckdb_query(conn, argv[2], &r) != 0) {
    fprintf(stderr, "duckdb: %s\n", duckdb_result_error(&r));
    return 1;
  }
  (void)clock_gettime(CLOCK_MONOTONIC, &begin);
  if (duckdb_query(conn, argv[argc - 1], &r) != 0) {
    fprintf(stderr, "duckdb: %s\n", duckdb_result_error(&r));
    return 1;
  }
  (void)clock_gettime(CLOCK_MONOTONIC, &end);
  if (argc == 4)
    fprintf(stderr, "%.6f\n",
            (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
  for (uint64_t i = 0; i < duckdb_row_count(&r); i++) {
    for (uint64_t c = 0; c < duckdb_column_count(&r); c++) {
      char *text = duckdb_value_varchar(&r, c, i);
      printf("%s%s", c ? "|" : "", text ? text : "");
      free(text);
    }
    putchar('\n');
  }
  return 0;
}
