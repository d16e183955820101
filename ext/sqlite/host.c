/* host.c - see host.h. A library may be built with older headers too. */
#include "host.h"

#include <string.h>

/* Whether the host that runs is of a version or later. */
static bool host_has(int version) {
  return sqlite3_libversion_number() >= version;
}

bool mpg_host_reruns_subqueries(void) {
  return host_has(3041000);
}

#if SQLITE_VERSION_NUMBER >= 3038000
int mpg_host_distinct(sqlite3_index_info *info) {
  return host_has(3038000) ? sqlite3_vtab_distinct(info) : 0;
}

sqlite3_value *mpg_host_constant(sqlite3_index_info *info, int c) {
  sqlite3_value *value = NULL;
  bool known = host_has(3038000) && sqlite3_vtab_rhs_value(info, c, &value) == SQLITE_OK;
  return known ? value : NULL;
}

mpg_host_equal mpg_host_equal_of(sqlite3_index_info *info, int c, bool at_once) {
  if (!host_has(3038000))
    return MPG_HOST_EQUAL_OR_IN;
  return sqlite3_vtab_in(info, c, at_once ? 1 : -1) != 0 ? MPG_HOST_IN : MPG_HOST_EQUAL;
}

int mpg_host_in_first(sqlite3_value *values, sqlite3_value **out) {
  return sqlite3_vtab_in_first(values, out);
}

int mpg_host_in_next(sqlite3_value *values, sqlite3_value **out) {
  return sqlite3_vtab_in_next(values, out);
}
#else
int mpg_host_distinct(sqlite3_index_info *info) {
  (void)info;
  return 0;
}

sqlite3_value *mpg_host_constant(sqlite3_index_info *info, int c) {
  (void)info, (void)c;
  return NULL;
}

mpg_host_equal mpg_host_equal_of(sqlite3_index_info *info, int c, bool at_once) {
  (void)info, (void)c, (void)at_once;
  return MPG_HOST_EQUAL_OR_IN;
}

/* Never called: no list comes at once. */
int mpg_host_in_first(sqlite3_value *values, sqlite3_value **out) {
  (void)values, (void)out;
  return SQLITE_MISUSE;
}

int mpg_host_in_next(sqlite3_value *values, sqlite3_value **out) {
  (void)values, (void)out;
  return SQLITE_MISUSE;
}
#endif

void mpg_host_progress(sqlite3 *db, int steps, int (*call)(void *), void *ctx) {
#ifndef SQLITE_CORE
  if (sqlite3_api->progress_handler == NULL)
    return;
#endif
  sqlite3_progress_handler(db, steps, call, ctx);
}

bool mpg_host_is_utf8(sqlite3_value *text) {
#if SQLITE_VERSION_NUMBER >= 3040000
  return host_has(3040000) && sqlite3_value_encoding(text) == SQLITE_UTF8;
#else
  (void)text;
  return false;
#endif
}

bool mpg_text_is_utf8(sqlite3 *db) {
  const bool tells = SQLITE_VERSION_NUMBER >= 3040000 && host_has(3040000);
  sqlite3_stmt *query;
  bool utf8 = false;
  if (sqlite3_prepare_v2(db, tells ? "SELECT 'text'" : "PRAGMA encoding", -1, &query, NULL) ==
          SQLITE_OK &&
      sqlite3_step(query) == SQLITE_ROW) {
    if (tells) {
      sqlite3_value *text = sqlite3_value_dup(sqlite3_column_value(query, 0));
      utf8 = text != NULL && mpg_host_is_utf8(text);
      sqlite3_value_free(text);
    } else {
      const char *name = (const char *)sqlite3_column_text(query, 0);
      utf8 = name != NULL && strcmp(name, "UTF-8") == 0;
    }
  }
  (void)sqlite3_finalize(query);
  return utf8;
}

/* Before 3.39: a list has them by number, but temp only once it is used. */
static int listed_database(sqlite3 *db, int n, char **out) {
  sqlite3_stmt *list;
  int rc = sqlite3_prepare_v2(db, "PRAGMA database_list", -1, &list, NULL);
  const char *name = n == 1 ? "temp" : NULL;
  if (rc != SQLITE_OK)
    return rc;
  while (name == NULL && (rc = sqlite3_step(list)) == SQLITE_ROW)
    if (sqlite3_column_int(list, 0) == n)
      name = (const char *)sqlite3_column_text(list, 1);
  if (name != NULL) {
    *out = sqlite3_mprintf("%s", name);
    rc = *out == NULL ? SQLITE_NOMEM : SQLITE_OK;
  }
  (void)sqlite3_finalize(list);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int mpg_host_database(sqlite3 *db, int n, char **out) {
  *out = NULL;
#if SQLITE_VERSION_NUMBER >= 3039000
  if (host_has(3039000)) {
    const char *name = sqlite3_db_name(db, n);
    if (name != NULL)
      *out = sqlite3_mprintf("%s", name);
    return name != NULL && *out == NULL ? SQLITE_NOMEM : SQLITE_OK;
  }
#endif
  return listed_database(db, n, out);
}

static int table_has(sqlite3 *db, const char *schema, const char *table, const char *column) {
  return sqlite3_table_column_metadata(db, schema, table, column, NULL, NULL, NULL, NULL, NULL);
}

int mpg_host_has_column(sqlite3 *db, const char *schema, const char *table, const char *column,
                        bool *has) {
  sqlite3_stmt *stmt = NULL;
  char *sql = NULL;
  int rc = table_has(db, schema, table, NULL);
  if (rc == SQLITE_OK) { /* no view */
    sql = sqlite3_mprintf("SELECT 1 FROM \"%w\".\"%w\"", schema, table);
    rc = sql == NULL ? SQLITE_NOMEM
                     : sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_NO_VTAB, &stmt, NULL);
    sqlite3_free(sql);
    (void)sqlite3_finalize(stmt);
  }
  if (rc == SQLITE_OK || rc == SQLITE_AUTH) /* who may not read it is told so when it is read */
    rc = table_has(db, schema, table, column);
  *has = rc == SQLITE_OK;
  /* A no leaves an error with the connection, which a question that has a yes takes away again. */
  return rc == SQLITE_ERROR ? table_has(db, "main", "sqlite_master", "name") : rc;
}

int mpg_host_without_hints(const char *sql, char **out) {
  static const char hint[] = " AS MATERIALIZED (";
  const size_t as = strlen(" AS "), word = strlen("MATERIALIZED");
  char *at;
  *out = NULL;
  if (host_has(3035000) || strstr(sql, hint) == NULL)
    return SQLITE_OK;
  *out = sqlite3_mprintf("%s", sql);
  if (*out == NULL)
    return SQLITE_NOMEM;
  for (at = *out; (at = strstr(at, hint)) != NULL;)
    memset(at + as, ' ', word);
  return SQLITE_OK;
}

char *mpg_host_copy_text(sqlite3_stmt *stmt, int column) {
  const bool is_null = sqlite3_column_type(stmt, column) == SQLITE_NULL;
  const unsigned char *text = sqlite3_column_text(stmt, column);
  return is_null || text != NULL ? sqlite3_mprintf("%s", text) : NULL;
}

static bool is_on(sqlite3 *db, const char *pragma) {
  sqlite3_stmt *stmt = NULL;
  bool on = false;
  if (sqlite3_prepare_v2(db, pragma, -1, &stmt, NULL) == SQLITE_OK &&
      sqlite3_step(stmt) == SQLITE_ROW)
    on = sqlite3_column_int(stmt, 0) != 0;
  (void)sqlite3_finalize(stmt);
  return on;
}

bool mpg_host_has_full_names(sqlite3 *db) {
  return is_on(db, "PRAGMA full_column_names") && !is_on(db, "PRAGMA short_column_names");
}

void mpg_host_short_names(sqlite3 *db, bool on) {
  (void)sqlite3_exec(db, on ? "PRAGMA short_column_names = ON" : "PRAGMA short_column_names = OFF",
                     NULL, NULL, NULL);
}
