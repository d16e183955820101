/*
** query.c - SQL for a page: the extension in SQLite, compiled to WebAssembly.
**
** One connection in memory. Texts that are returned stay until the next call.
*/
#include "../../sqlite/connection.h"

#include <math.h>
#include <string.h>
#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#else
#define EMSCRIPTEN_KEEPALIVE /* for make lint, which has no Emscripten */
#endif

/* What worker.js calls. */
const char *web_open(void);
const char *web_query(const char *sql, int most);

static sqlite3 *db;
static char *answer;

/* A real of JavaScript holds whole numbers up to this one; larger ones go as texts. */
#define EXACT ((sqlite3_int64)1 << 53)

static void put_text(sqlite3_str *out, const unsigned char *s, int n) {
  sqlite3_str_appendchar(out, 1, '"');
  for (int i = 0; i < n; i++) {
    if (s[i] < 0x20 || s[i] == '"' || s[i] == '\\')
      sqlite3_str_appendf(out, "\\u%04x", s[i]);
    else
      sqlite3_str_appendchar(out, 1, (char)s[i]);
  }
  sqlite3_str_appendchar(out, 1, '"');
}

static void put_value(sqlite3_str *out, sqlite3_stmt *stmt, int column) {
  const int type = sqlite3_column_type(stmt, column);
  const double real = sqlite3_column_double(stmt, column);
  const sqlite3_int64 whole = sqlite3_column_int64(stmt, column);
  if (type == SQLITE_INTEGER)
    sqlite3_str_appendf(out, whole > EXACT || whole < -EXACT ? "\"%lld\"" : "%lld", whole);
  else if (type == SQLITE_FLOAT && isfinite(real))
    sqlite3_str_appendf(out, "%!.17g", real);
  else if (type == SQLITE_TEXT || type == SQLITE_FLOAT)
    put_text(out, sqlite3_column_text(stmt, column), sqlite3_column_bytes(stmt, column));
  else if (type == SQLITE_BLOB)
    sqlite3_str_appendf(out, "\"(%d bytes)\"", sqlite3_column_bytes(stmt, column));
  else
    sqlite3_str_appendall(out, "null");
}

/* The rows of one statement, of which the first `most` are written. An SQLite code. */
static int put_rows(sqlite3_str *out, sqlite3_stmt *stmt, int most) {
  const int columns = sqlite3_column_count(stmt);
  int code, rows = 0;
  sqlite3_str_appendall(out, "{\"columns\":[");
  for (int i = 0; i < columns; i++) {
    const char *name = sqlite3_column_name(stmt, i);
    sqlite3_str_appendall(out, i > 0 ? "," : "");
    put_text(out, (const unsigned char *)name, (int)strlen(name));
  }
  sqlite3_str_appendall(out, "],\"rows\":[");
  while ((code = sqlite3_step(stmt)) == SQLITE_ROW && rows++ < most) {
    sqlite3_str_appendall(out, rows > 1 ? ",[" : "[");
    for (int i = 0; i < columns; i++) {
      sqlite3_str_appendall(out, i > 0 ? "," : "");
      put_value(out, stmt, i);
    }
    sqlite3_str_appendall(out, "]");
  }
  sqlite3_str_appendf(out, "],\"more\":%s}", code == SQLITE_ROW ? "true" : "false");
  return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

static const char *finish_answer(sqlite3_str *out) {
  sqlite3_free(answer);
  answer = sqlite3_str_finish(out);
  return answer == NULL ? "{\"error\":\"out of memory\"}" : answer;
}

static const char *error_of(const char *text) {
  sqlite3_str *out = sqlite3_str_new(NULL);
  sqlite3_str_appendall(out, "{\"error\":");
  put_text(out, (const unsigned char *)text, (int)strlen(text));
  sqlite3_str_appendall(out, "}");
  return finish_answer(out);
}

/* Opens the connection. Returns {} or {"error": TEXT}. */
EMSCRIPTEN_KEEPALIVE const char *web_open(void) {
  char *error = NULL;
  mpg_conn *conn = NULL;
  int code = sqlite3_open(":memory:", &db);
  if (code == SQLITE_OK)
    code = mpg_register_all(db, false, &conn, &error);
  if (code != SQLITE_OK)
    return error_of(error != NULL ? error : sqlite3_errmsg(db));
  conn->one_thread = true;
  return "{}";
}

/*
** Runs the statements of `sql`, and returns the rows of the last one that has columns:
** {"columns": [...], "rows": [[...]], "more": whether there are more than `most`}. Whole numbers of
** more than 53 bits are texts. An error is {"error": TEXT}.
*/
EMSCRIPTEN_KEEPALIVE const char *web_query(const char *sql, int most) {
  sqlite3_str *out = sqlite3_str_new(NULL);
  int code = SQLITE_OK;
  while (code == SQLITE_OK && *sql != '\0') {
    sqlite3_stmt *stmt = NULL;
    code = sqlite3_prepare_v2(db, sql, -1, &stmt, &sql);
    if (code == SQLITE_OK && stmt != NULL && sqlite3_column_count(stmt) > 0) {
      sqlite3_str_reset(out);
      code = put_rows(out, stmt, most);
    } else if (code == SQLITE_OK && stmt != NULL) {
      code = sqlite3_step(stmt) == SQLITE_DONE ? SQLITE_OK : sqlite3_errcode(db);
    }
    (void)sqlite3_finalize(stmt);
  }
  if (code != SQLITE_OK) {
    sqlite3_free(sqlite3_str_finish(out));
    return error_of(sqlite3_errmsg(db));
  }
  if (sqlite3_str_length(out) == 0)
    sqlite3_str_appendall(out, "{\"columns\":[],\"rows\":[],\"more\":false}");
  return finish_answer(out);
}
