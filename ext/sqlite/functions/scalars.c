/*
** scalars.c - small functions: mpg_version(), mpg_debug(), mpg_uuid(namespace, name),
** mpg_required(value, name).
*/
#include "../connection.h"
#include "../../base/text.h"
#include "../../goodput/trace/uuid.h"

static void version_function(sqlite3_context *context, int n, sqlite3_value **args) {
  (void)n;
  (void)args;
  sqlite3_result_text(context, MPG_VERSION, -1, SQLITE_STATIC);
}

#ifndef MPG_COMMIT
#define MPG_COMMIT "unknown"
#endif
#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown compiler"
#endif

/* What a bug report needs: our version and commit, the compiler, the SQLite built for and running.
 */
static void debug_function(sqlite3_context *context, int n, sqlite3_value **args) {
  char *text =
      sqlite3_mprintf("mpg %s\ncommit %s\ncompiler %s\nbuilt for SQLite %s\nrunning on SQLite %s",
                      MPG_VERSION, MPG_COMMIT, COMPILER, SQLITE_VERSION, sqlite3_libversion());
  (void)n;
  (void)args;
  if (text == NULL)
    sqlite3_result_error_nomem(context);
  else
    sqlite3_result_text(context, text, -1, sqlite3_free);
}

/* mpg_uuid(namespace, name): the version-5 UUID; NULL if an argument is NULL. */
static void uuid_function(sqlite3_context *context, int n, sqlite3_value **args) {
  mpg_value space = mpg_value_of(args[0]);
  char out[MPG_UUID_TEXT];
  mpg_str name;
  mpg_err err;
  (void)n;
  if (space.type == MPG_NULL || sqlite3_value_type(args[1]) == SQLITE_NULL)
    return;
  name.p = (const char *)sqlite3_value_text(args[1]);
  name.n = (size_t)sqlite3_value_bytes(args[1]);
  if (name.p == NULL) {
    sqlite3_result_error_nomem(context);
    return;
  }
  if (space.type != MPG_TEXT || !mpg_uuid_v5(space.s, name, out)) {
    (void)mpg_fail_expected(&err, "a UUID, dns, url, oid or x500 as the namespace", &space);
    mpg_result_failure(context, &err);
    return;
  }
  sqlite3_result_text(context, out, MPG_UUID_TEXT - 1, SQLITE_TRANSIENT);
}

/*
** mpg_required(value, name): the value, or an error that names what was not given. A parameter that
** was not set is NULL, and a table over the files of NULL is empty without an error.
*/
static void required_function(sqlite3_context *context, int n, sqlite3_value **args) {
  mpg_err err;
  char name[MPG_EXCERPT];
  mpg_value of = mpg_value_of(args[1]);
  (void)n;
  if (sqlite3_value_type(args[0]) != SQLITE_NULL) {
    sqlite3_result_value(context, args[0]);
    return;
  }
  mpg_text_excerpt(of.type == MPG_TEXT ? of.s : MPG_STR("an input"), name);
  (void)mpg_fail(&err, MPG_DATA,
                 "expected a value for %s, found NULL; the script's first lines say how to set it",
                 name);
  mpg_result_failure(context, &err);
}

int mpg_register_scalars(mpg_conn *conn, char **error) {
  static const mpg_function table[] = {
      {"mpg_version", 0, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, 0, version_function, NULL, NULL,
       NULL, NULL},
      {"mpg_debug", 0, SQLITE_INNOCUOUS, 0, debug_function, NULL, NULL, NULL, NULL},
      {"mpg_uuid", 2, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, 0, uuid_function, NULL, NULL, NULL,
       NULL},
      {"mpg_required", 2, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, 0, required_function, NULL, NULL,
       NULL, NULL},
  };
  return mpg_register_functions(conn, table, sizeof table / sizeof *table, error);
}
