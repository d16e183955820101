/* results.c - see results.h. */
#include "connection.h"
#include "../base/text.h"

#include <stdarg.h>

#define LONG_TEXT ((size_t)4 << 20) /* bytes that take a millisecond or more to copy */

int mpg_sqlite_rc(mpg_rc rc) {
  switch (rc) {
  case MPG_OK:
  case MPG_DONE:
    return SQLITE_OK;
  case MPG_NOMEM:
    return SQLITE_NOMEM;
  case MPG_INTERRUPTED:
    return SQLITE_INTERRUPT;
  case MPG_LIMIT:
    return SQLITE_TOOBIG;
  default:
    return SQLITE_ERROR;
  }
}

void mpg_result_failure(sqlite3_context *context, const mpg_err *err) {
  char *text;
  if (err->rc == MPG_NOMEM) {
    sqlite3_result_error_nomem(context);
    return;
  }
  text = sqlite3_mprintf("%s: %s", mpg_function_of(context)->name, err->text);
  if (text == NULL) {
    sqlite3_result_error_nomem(context);
    return;
  }
  sqlite3_result_error(context, text, -1);
  sqlite3_free(text);
}

static int vtab_text(sqlite3_vtab *vtab, char *text, int rc) {
  sqlite3_free(vtab->zErrMsg);
  vtab->zErrMsg = text;
  return text == NULL ? SQLITE_NOMEM : rc;
}

int mpg_vtab_failure(sqlite3_vtab *vtab, const char *who, const mpg_err *err) {
  if (err->rc == MPG_NOMEM || err->rc == MPG_INTERRUPTED)
    return mpg_sqlite_rc(err->rc);
  return vtab_text(vtab, sqlite3_mprintf("%s: %s", who, err->text), mpg_sqlite_rc(err->rc));
}

int mpg_vtab_error(sqlite3_vtab *vtab, const char *format, ...) {
  va_list args;
  char *text;
  va_start(args, format);
  text = sqlite3_vmprintf(format, args);
  va_end(args);
  return vtab_text(vtab, text, SQLITE_ERROR);
}

int mpg_vtab_misuse(sqlite3_vtab *vtab, const char *table, const char *argument, const char *what,
                    const mpg_value *found) {
  mpg_err err;
  (void)mpg_fail_argument(&err, argument, what, found);
  return mpg_vtab_failure(vtab, table, &err);
}

void mpg_value_take(mpg_value *v, sqlite3_value *value) {
  switch (sqlite3_value_type(value)) {
  case SQLITE_INTEGER:
    v->type = MPG_INT;
    v->i = sqlite3_value_int64(value);
    break;
  case SQLITE_FLOAT:
    v->type = MPG_REAL;
    v->r = sqlite3_value_double(value);
    break;
  case SQLITE_TEXT:
  case SQLITE_BLOB:
    /* The blob of a text would be UTF-16 in a database of that encoding. */
    v->type = MPG_TEXT;
    v->s.p = sqlite3_value_type(value) == SQLITE_TEXT ? (const char *)sqlite3_value_text(value)
                                                      : sqlite3_value_blob(value);
    v->s.n = v->s.p == NULL ? 0 : (size_t)sqlite3_value_bytes(value);
    break;
  default:
    v->type = MPG_NULL;
    break;
  }
}

mpg_value mpg_value_of(sqlite3_value *value) {
  mpg_value v = {MPG_NULL, 0, 0.0, {NULL, 0}};
  mpg_value_take(&v, value);
  return v;
}

void mpg_result_value(sqlite3_context *context, const mpg_value *v) {
  switch (v->type) {
  case MPG_NULL:
    sqlite3_result_null(context);
    break;
  case MPG_INT:
    sqlite3_result_int64(context, v->i);
    break;
  case MPG_REAL:
    sqlite3_result_double(context, v->r);
    break;
  case MPG_MICROSECONDS:
    sqlite3_result_double(context, (double)v->i / 1e6);
    break;
  case MPG_TEXT:
    /* A NULL pointer would be an SQL NULL. */
    sqlite3_result_text64(context, v->s.p == NULL ? "" : v->s.p, v->s.n, SQLITE_TRANSIENT,
                          SQLITE_UTF8);
    break;
  }
}

void mpg_result_declared(sqlite3_context *context, sqlite3_value *value, bool real) {
  if (real && sqlite3_value_type(value) == SQLITE_INTEGER)
    sqlite3_result_double(context, sqlite3_value_double(value));
  else
    sqlite3_result_value(context, value);
}

int mpg_result_polled(sqlite3_context *context, const mpg_env *env, const mpg_value *v) {
  char *copy;
  if (v->type != MPG_TEXT || v->s.n < LONG_TEXT) {
    mpg_result_value(context, v);
    return SQLITE_OK;
  }
  copy = sqlite3_malloc64(v->s.n + 1);
  if (copy == NULL)
    return SQLITE_NOMEM;
  if (!mpg_copy(env, copy, v->s.p, v->s.n)) {
    sqlite3_free(copy);
    return SQLITE_INTERRUPT;
  }
  copy[v->s.n] = '\0';
  sqlite3_result_text64(context, copy, v->s.n, sqlite3_free, SQLITE_UTF8);
  return SQLITE_OK;
}
