/*
** progress_function.c - mpg_progress() says who is shown how far scans have come.
**
**     mpg_progress('terminal' [, seconds])         a bar on standard error if it is a terminal
**     mpg_progress('function', name [, seconds])   name(bytes, bytes_all, jobs, jobs_all, seconds)
**     mpg_progress('off')
**     mpg_progress()                               which of them holds
**
** Nothing is shown before so many seconds of work: 2 unless given.
*/
#include "../connection.h"
#include "../../base/text.h"

#include <string.h>

#define DELAY 2.0 /* seconds */
#define DELAY_MOST 1e6

static const char *const modes[] = {"off", "terminal", "function"};

static void fail(sqlite3_context *context, const char *text) {
  sqlite3_result_error(context, text, -1);
}

static void fail_expected(sqlite3_context *context, const char *what, mpg_value found) {
  mpg_err err;
  (void)mpg_fail_expected(&err, what, &found);
  mpg_result_failure(context, &err);
}

static bool mode_of(mpg_value given, mpg_progress_mode *out) {
  for (size_t i = 0; given.type == MPG_TEXT && i < sizeof modes / sizeof *modes; i++)
    if (given.s.n == strlen(modes[i]) && memcmp(given.s.p, modes[i], given.s.n) == 0) {
      *out = (mpg_progress_mode)i;
      return true;
    }
  return false;
}

/* The argument after the others of this mode. */
static bool delay_of(int n, sqlite3_value **args, int at, int64_t *out) {
  double seconds = DELAY;
  if (n > at) {
    int type = sqlite3_value_type(args[at]);
    seconds = sqlite3_value_double(args[at]);
    if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || !(seconds >= 0) || seconds > DELAY_MOST)
      return false;
  }
  *out = (int64_t)(seconds * 1e6);
  return true;
}

/* A function is called once with nothing done, so that one that does not exist is found here. */
static void set_progress(sqlite3_context *context, int n, sqlite3_value **args) {
  mpg_conn *conn = mpg_conn_of(context);
  mpg_progress_report given = {.mode = MPG_PROGRESS_OFF};
  int named;
  if (conn->progress.scans > 0 || conn->progress.calling) {
    fail(context,
         "mpg_progress: expected no table of mpg to be read, found a statement that reads one");
    return;
  }
  if (!mode_of(mpg_value_of(args[0]), &given.mode)) {
    fail_expected(context, "'terminal', 'function' or 'off'", mpg_value_of(args[0]));
    return;
  }
  named = given.mode == MPG_PROGRESS_FUNCTION;
  if (named) {
    mpg_value name = n > 1 ? mpg_value_of(args[1]) : (mpg_value){.type = MPG_NULL};
    if (name.type != MPG_TEXT || name.s.n == 0 || name.s.n >= sizeof given.function ||
        memchr(name.s.p, '\0', name.s.n) != NULL) {
      fail_expected(context, "the name of a function after 'function'", name);
      return;
    }
    memcpy(given.function, name.s.p, name.s.n);
  }
  if (n > (given.mode == MPG_PROGRESS_OFF ? 1 : 2 + named) ||
      !delay_of(n, args, 1 + named, &given.delay_us)) {
    fail_expected(context, "seconds of work before the first report, 0 to 1000000",
                  mpg_value_of(args[n - 1]));
    return;
  }
  if (named && !mpg_progress_call(&given, conn->db, 0)) {
    fail(context, sqlite3_errmsg(conn->db));
    return;
  }
  conn->progress = given;
  sqlite3_result_text(context, modes[given.mode], -1, SQLITE_STATIC);
}

static void progress_function(sqlite3_context *context, int n, sqlite3_value **args) {
  if (n > 0)
    set_progress(context, n, args);
  else
    sqlite3_result_text(context, modes[mpg_conn_of(context)->progress.mode], -1, SQLITE_STATIC);
}

int mpg_register_progress(mpg_conn *conn, char **error) {
  static const mpg_function functions[] = {
      {"mpg_progress", 0, MPG_SETTING, 0, progress_function, NULL, NULL, NULL, NULL},
      {"mpg_progress", 1, MPG_SETTING, 0, progress_function, NULL, NULL, NULL, NULL},
      {"mpg_progress", 2, MPG_SETTING, 0, progress_function, NULL, NULL, NULL, NULL},
      {"mpg_progress", 3, MPG_SETTING, 0, progress_function, NULL, NULL, NULL, NULL},
  };
  return mpg_register_functions(conn, functions, sizeof functions / sizeof *functions, error);
}
