/* late_columns.c - see late_columns.h. */
#include "late_columns.h"

#include <string.h>

/* What follows `word`, if the text begins with it, or NULL. */
static const char *skip_prefix(const char *text, const char *word) {
  size_t n = strlen(word);
  return strncmp(text, word, n) == 0 ? text + n : NULL;
}

/* From the start of a column of CREATE TABLE to its comma, or the last parenthesis: whether the
** column is generated. */
static bool next_column(const char **p) {
  bool generated = false, quoted = false;
  for (int depth = 0; quoted || depth > 0 || (**p != ',' && **p != ')'); ++*p) {
    if (!quoted && depth == 0 && skip_prefix(*p, " AS (") != NULL)
      generated = true;
    if (**p == '\'')
      quoted = !quoted;
    else if (!quoted)
      depth += (**p == '(') - (**p == ')');
  }
  return generated;
}

static int has_table(sqlite3 *db, mpg_str name, bool *has) {
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_prepare_v2(db, "SELECT 1 FROM main.sqlite_schema WHERE name = ?1 COLLATE NOCASE",
                              -1, &stmt, NULL);
  if (rc == SQLITE_OK)
    rc = sqlite3_bind_text(stmt, 1, name.p, (int)name.n, SQLITE_STATIC);
  if (rc == SQLITE_OK)
    rc = sqlite3_step(stmt);
  *has = rc == SQLITE_ROW;
  (void)sqlite3_finalize(stmt);
  return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* A statement CREATE TABLE without what is generated, which the caller frees, or NULL: no memory.
** *p is after its first parenthesis, and then after the statement. */
static char *shortened(sqlite3 *db, const char *sql, const char **p, bool *generated) {
  sqlite3_str *text = sqlite3_str_new(db);
  const char *first = *p;
  sqlite3_str_append(text, sql, (int)(first - sql));
  for (const char *column = first; **p != ')'; column = *p) {
    if (next_column(p))
      *generated = true;
    else
      sqlite3_str_appendf(text, "%s%.*s", column == first ? "" : ",", (int)(*p - column), column);
    *p += **p == ',';
  }
  sqlite3_str_append(text, *p, (int)strcspn(*p, ";"));
  *p += strcspn(*p, ";") + 1;
  return sqlite3_str_finish(text);
}

/* Whether a query, of one parameter or (NULL) none, gives a row that is true. */
static bool is_true(sqlite3 *db, const char *sql, sqlite3_value *value) {
  sqlite3_stmt *stmt = NULL;
  bool yes = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
             (value == NULL || sqlite3_bind_value(stmt, 1, value) == SQLITE_OK) &&
             sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_int(stmt, 0) != 0;
  (void)sqlite3_finalize(stmt);
  return yes;
}

/* Whether the tables of records promise few rows: few jobs, allocations and spans, and few hours
** that these and the capacity last, for the ledger has a row or some for each hour. Of a file
** without these tables: whether the files that come in are small, which is asked once. */
static bool is_small(sqlite3 *db, sqlite3_value *path, mpg_late_columns *late) {
  static const char of_files[] = "SELECT total(bytes) <= 100000 FROM trace_files(?1)";
  static const char of_tables[] =
      "SELECT CASE WHEN max((SELECT count(*) FROM (SELECT 1 FROM main.jobs LIMIT 501)), (SELECT "
      "count(*) FROM (SELECT 1 FROM main.allocations LIMIT 501)), (SELECT count(*) FROM (SELECT 1 "
      "FROM main.spans LIMIT 5001)) / 10) <= 500 THEN (SELECT total((coalesce(end_us, (SELECT "
      "max(max(start_us, coalesce(end_us, 0))) FROM main.allocations)) - start_us) / 3.6e9 + 2) "
      "FROM (SELECT start_us, end_us FROM main.allocations UNION ALL SELECT start_us, end_us FROM "
      "main.capacity UNION ALL SELECT start_us, end_us FROM main.outages)) <= 1000 ELSE 0 END";
  bool has_spans = true;
  if (late->files == MPG_FILES_NOT_ASKED &&
      has_table(db, MPG_STR("spans"), &has_spans) == SQLITE_OK && !has_spans)
    late->files = sqlite3_value_type(path) == SQLITE_TEXT && is_true(db, of_files, path)
                      ? MPG_FILES_SMALL
                      : MPG_FILES_LARGE;
  if (late->files != MPG_FILES_NOT_ASKED)
    return late->files == MPG_FILES_SMALL;
  return is_true(db, of_tables, NULL);
}

int mpg_late_make_table(sqlite3 *db, const char *sql, sqlite3_value *path, mpg_late_columns *late,
                        const char **tail) {
  const char *name = skip_prefix(sql, "CREATE TABLE "), *p;
  bool generated = false, there = false;
  mpg_str table;
  char *text;
  int rc;
  *tail = NULL;
  if (name == NULL || late->n == MPG_LATE_TABLES)
    return SQLITE_OK;
  p = skip_prefix(name, "IF NOT EXISTS ");
  table.p = p != NULL ? p : name;
  table.n = strcspn(table.p, "(");
  rc = has_table(db, table, &there);
  if (rc != SQLITE_OK || there || is_small(db, path, late))
    return rc;
  p = table.p + table.n + 1;
  text = shortened(db, sql, &p, &generated);
  rc = text == NULL ? SQLITE_NOMEM : SQLITE_OK;
  if (generated && text != NULL) {
    rc = sqlite3_exec(db, text, NULL, NULL, NULL);
    late->table[late->n] = table;
    late->columns[late->n++] = table.p + table.n + 1;
    *tail = p;
  }
  sqlite3_free(text);
  return rc;
}

/* Adds the columns that are still missing to a table. An SQLite code. */
static int add_columns(sqlite3 *db, mpg_late_columns *late, size_t i) {
  const mpg_str table = late->table[i];
  const char *p = late->columns[i];
  int rc = SQLITE_OK;
  for (const char *column = p; rc == SQLITE_OK && *p != ')'; column = p) {
    if (next_column(&p)) {
      char *sql = sqlite3_mprintf("ALTER TABLE main.%.*s ADD COLUMN %.*s", (int)table.n, table.p,
                                  (int)(p - column), column);
      rc = sql == NULL ? SQLITE_NOMEM : sqlite3_exec(db, sql, NULL, NULL, NULL);
      sqlite3_free(sql);
    }
    p += *p == ',';
  }
  late->n--;
  late->table[i] = late->table[late->n];
  late->columns[i] = late->columns[late->n];
  return rc;
}

int mpg_late_add_after(sqlite3 *db, const char *sql, mpg_late_columns *late) {
  const char *name = skip_prefix(sql, "INSERT OR IGNORE INTO "),
             *plain = skip_prefix(sql, "INSERT INTO ");
  mpg_str table;
  name = name != NULL ? name : plain;
  if (name == NULL)
    return SQLITE_OK;
  plain = skip_prefix(name, "main.");
  table.p = plain != NULL ? plain : name;
  table.n = strcspn(table.p, " \n(");
  for (size_t i = 0; i < late->n; i++)
    if (mpg_str_eq(late->table[i], table))
      return add_columns(db, late, i);
  return SQLITE_OK;
}

int mpg_late_add_all(sqlite3 *db, mpg_late_columns *late) {
  int rc = SQLITE_OK;
  while (rc == SQLITE_OK && late->n > 0)
    rc = add_columns(db, late, late->n - 1);
  return rc;
}
