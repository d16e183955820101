/* user_columns.c - see user_columns.h. */
#include "user_columns.h"
#include "../recognise/script.h"

#include <string.h>

typedef struct mpg_user_column {
  char *table;
  char *key; /* columns that tell its rows apart, "job,attempt"; "": it is not made anew */
  char *name;
  char *definition; /* as the schema has it, with the name */
  bool generated;
  bool renamed; /* it is one of the build's, by another name */
} mpg_user_column;

/* The columns of a build's tables, of those that it makes anew with their keys and of those that
** stay, less what an earlier build described, as columns of labels or of an earlier version. One
** that stands before such a column was renamed: users add theirs behind them. */
#define COLUMNS(is_described)                                                                      \
  "WITH made(name, key) AS (VALUES "                                                               \
  "('ledger', 'hour,pool,chip,job,attempt,category,cause'),"                                       \
  "('waits', 'pool,job,attempt,category,cause,start_us'),('attempts', 'job,attempt'),"             \
  "('job_labels', 'job,key'),('runs', 'job,attempt,run'),"                                         \
  "('program_ledger', 'program,job,day'),('day_sums', 'day'),('pool_sums', 'pool'),"               \
  "('job_sums', 'job'),('mpg_columns', 'table_name,column_name'),('mpg_config', NULL),"            \
  "('capacity', NULL),('outages', NULL),('jobs', NULL),('allocations', NULL),('spans', NULL),"     \
  "('commits', NULL),('programs', NULL),('observed', NULL),('chips', NULL),('prices', NULL),"      \
  "('issues', NULL)), "                                                                            \
  "has AS (SELECT t.name AS table_name, t.sql, m.key, c.cid, c.name, c.hidden > 1 AS "             \
  "generated, " is_described                                                                       \
  " AS described FROM made AS m JOIN main.sqlite_schema AS t ON t.type = 'table' AND t.name = "    \
  "m.name COLLATE NOCASE JOIN pragma_table_xinfo(t.name, 'main') AS c) "                           \
  "SELECT table_name, coalesce(key, ''), name, sql, generated, key IS NOT NULL AND before "        \
  "FROM (SELECT *, coalesce(max(described) OVER (PARTITION BY table_name ORDER BY cid ROWS "       \
  "BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), 0) AS before FROM has) "                          \
  "WHERE key IS NULL OR NOT described ORDER BY table_name, cid"

static const char described[] =
    COLUMNS("EXISTS (SELECT 1 FROM main.mpg_columns AS k WHERE k.table_name = t.name AND "
            "k.column_name = c.name AND k.meaning <> 'A column of your own.')");
/* Of a database in which no build has described any. */
static const char all[] = COLUMNS("0");

/* ---- definitions ---- */

/* After a comment, a quoted name or text, or one byte. */
static const char *skip_piece(const char *p) {
  const char close = *p == '[' ? ']' : *p;
  if (p[0] == '-' && p[1] == '-')
    return p + strcspn(p, "\n");
  if (p[0] == '/' && p[1] == '*') {
    const char *end = strstr(p + 2, "*/");
    return end == NULL ? p + strlen(p) : end + 2;
  }
  if (*p == '\'' || *p == '"' || *p == '`' || *p == '[') {
    const char *end = strchr(p + 1, close);
    return end == NULL ? p + strlen(p) : end + 1; /* a doubled quote begins another piece */
  }
  return p + 1;
}

/* The end of a column's definition: its comma, the last parenthesis, or the end of the text. */
static const char *definition_end(const char *p) {
  for (int depth = 0; *p != '\0' && (depth > 0 || (*p != ',' && *p != ')'));) {
    depth += (*p == '(') - (*p == ')');
    p = skip_piece(p);
  }
  return p;
}

static const char *skip_blanks(const char *p) {
  for (;;) {
    if (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
      p++;
    else if ((p[0] == '-' && p[1] == '-') || (p[0] == '/' && p[1] == '*'))
      p = skip_piece(p);
    else
      return p;
  }
}

/* Whether a definition is of the column of that name. */
static bool defines(const char *p, const char *name) {
  const char quote = *p == '[' ? ']' : *p;
  const bool quoted = *p == '"' || *p == '\'' || *p == '`' || *p == '[';
  p += quoted;
  for (; *name != '\0'; name++, p++) {
    if (sqlite3_strnicmp(p, name, 1) != 0)
      return false;
    p += quoted && *p == quote && quote != ']'; /* doubled */
  }
  return quoted ? *p == quote : strchr(" \t\r\n,()-/", *p) != NULL;
}

/* A column's definition in CREATE TABLE, or NULL: there is none, or no memory. The caller frees
** it. */
static char *definition_of(const char *sql, const char *name) {
  const char *p = strchr(sql, '(');
  while (p != NULL && *p != '\0' && *p != ')') {
    const char *first = skip_blanks(p + 1);
    p = definition_end(first);
    if (defines(first, name))
      return sqlite3_mprintf("%.*s", (int)(p - first), first);
  }
  return NULL;
}

/* Whether the build's script makes the column. */
static int is_made(const char *table, const char *column, bool *made) {
  static const char *const scripts[] = {"build", "columns"};
  char *start = sqlite3_mprintf("CREATE TABLE %s(", table),
       *if_none = sqlite3_mprintf("CREATE TABLE IF NOT EXISTS %s(", table);
  if (start == NULL || if_none == NULL) {
    sqlite3_free(start);
    sqlite3_free(if_none);
    return SQLITE_NOMEM;
  }
  *made = false;
  for (size_t i = 0; !*made && i < sizeof scripts / sizeof *scripts; i++) {
    const char *sql = mpg_script_find(scripts[i])->sql, *first = strstr(sql, start),
               *at = first != NULL ? first : strstr(sql, if_none);
    char *definition = at == NULL ? NULL : definition_of(at, column);
    *made = definition != NULL;
    sqlite3_free(definition);
  }
  sqlite3_free(start);
  sqlite3_free(if_none);
  return SQLITE_OK;
}

/* ---- before ---- */

static bool copy_texts(mpg_user_column *column, sqlite3_stmt *stmt) {
  char *sql = mpg_host_copy_text(stmt, 3);
  column->table = mpg_host_copy_text(stmt, 0);
  column->key = mpg_host_copy_text(stmt, 1);
  column->name = mpg_host_copy_text(stmt, 2);
  column->generated = sqlite3_column_int(stmt, 4) != 0;
  column->renamed = sqlite3_column_int(stmt, 5) != 0;
  if (sql != NULL && column->name != NULL)
    column->definition = definition_of(sql, column->name);
  sqlite3_free(sql);
  return column->table != NULL && column->key != NULL && column->name != NULL;
}

static void free_column(mpg_user_column *column) {
  sqlite3_free(column->table);
  sqlite3_free(column->key);
  sqlite3_free(column->name);
  sqlite3_free(column->definition);
}

/* Runs the statement of a text, and frees that. An SQLite code. */
static int run_text(sqlite3 *db, char *sql) {
  int rc = sql == NULL ? SQLITE_NOMEM : sqlite3_exec(db, sql, NULL, NULL, NULL);
  sqlite3_free(sql);
  return rc;
}

/* The column of a row, unless the script makes it; sql/columns.sql reads of all in temp.mpg_own. */
static int add_column(mpg_user_columns *columns, sqlite3 *db, sqlite3_stmt *stmt) {
  mpg_user_column column = {0}, *p = NULL;
  bool made = false;
  int rc = copy_texts(&column, stmt) ? is_made(column.table, column.name, &made) : SQLITE_NOMEM;
  if (rc == SQLITE_OK && !made && !column.renamed)
    rc = run_text(
        db, sqlite3_mprintf("INSERT INTO temp.mpg_own VALUES (%Q, %Q)", column.table, column.name));
  if (rc == SQLITE_OK && !made && *column.key != '\0') {
    p = sqlite3_realloc64(columns->p, (columns->n + 1) * sizeof *p);
    rc = p == NULL ? SQLITE_NOMEM : SQLITE_OK;
  }
  if (p == NULL) {
    free_column(&column);
    return rc;
  }
  columns->p = p;
  p[columns->n++] = column;
  return SQLITE_OK;
}

/* What users wrote into column i, with the keys of its rows, as a TEMP table. There is none if the
** table lacks the key, for somebody renamed its columns: then the values are lost, which is
** listed. */
static int keep_values(const mpg_user_columns *columns, size_t i, sqlite3 *db) {
  const mpg_user_column *c = &columns->p[i];
  int rc =
      run_text(db, sqlite3_mprintf("DROP TABLE IF EXISTS temp.mpg_kept_%llu; "
                                   "CREATE TEMP TABLE mpg_kept_%llu AS SELECT %s, \"%w\" AS "
                                   "mpg_kept FROM main.\"%w\" WHERE \"%w\" NOT NULL; "
                                   "CREATE INDEX temp.mpg_kept_by_%llu ON mpg_kept_%llu(%s)",
                                   (sqlite3_uint64)i, (sqlite3_uint64)i, c->key, c->name, c->table,
                                   c->name, (sqlite3_uint64)i, (sqlite3_uint64)i, c->key));
  return rc == SQLITE_ERROR ? SQLITE_OK : rc;
}

int mpg_user_columns_read(mpg_user_columns *columns, sqlite3 *db) {
  sqlite3_stmt *stmt = NULL;
  int rc;
  *columns = (mpg_user_columns){NULL, 0};
  rc = sqlite3_exec(db,
                    "DROP TABLE IF EXISTS temp.mpg_own; "
                    "CREATE TEMP TABLE mpg_own(table_name TEXT, column_name TEXT)",
                    NULL, NULL, NULL);
  if (rc == SQLITE_OK && (rc = sqlite3_prepare_v2(db, described, -1, &stmt, NULL)) == SQLITE_ERROR)
    rc = sqlite3_prepare_v2(db, all, -1, &stmt, NULL);
  while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
    rc = add_column(columns, db, stmt);
  (void)sqlite3_finalize(stmt);
  rc = rc == SQLITE_DONE ? SQLITE_OK : rc;
  for (size_t i = 0; rc == SQLITE_OK && i < columns->n; i++)
    if (!columns->p[i].generated && !columns->p[i].renamed)
      rc = keep_values(columns, i, db);
  return rc;
}

/* ---- after ---- */

/* Whether there is something of that name: a table's column; or, of NULL, a TEMP table. */
static int is_there(sqlite3 *db, const char *table, const char *column, bool *there) {
  const char *sql = column != NULL ? "SELECT 1 FROM pragma_table_xinfo(?1, 'main') WHERE name = ?2 "
                                     "COLLATE NOCASE"
                                   : "SELECT 1 FROM temp.sqlite_schema WHERE name = ?1";
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
  if (rc == SQLITE_OK)
    rc = sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
  if (rc == SQLITE_OK && column != NULL)
    rc = sqlite3_bind_text(stmt, 2, column, -1, SQLITE_STATIC);
  if (rc == SQLITE_OK)
    rc = sqlite3_step(stmt);
  *there = rc == SQLITE_ROW;
  (void)sqlite3_finalize(stmt);
  return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* The schema of a crafted file may have anything: one statement is run, and no other. */
static int make_column(const mpg_user_column *c, sqlite3 *db, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  const char *tail = "";
  char *sql = sqlite3_mprintf("ALTER TABLE main.\"%w\" ADD COLUMN %s", c->table,
                              c->definition == NULL ? "" : c->definition);
  int rc = sql == NULL ? SQLITE_NOMEM : sqlite3_prepare_v2(db, sql, -1, &stmt, &tail);
  if (rc == SQLITE_OK)
    rc = *tail == '\0' ? sqlite3_step(stmt) : SQLITE_ERROR;
  if (rc != SQLITE_OK && rc != SQLITE_DONE && rc != SQLITE_NOMEM && rc != SQLITE_INTERRUPT)
    (void)mpg_fail(err, MPG_DATA,
                   "column %s of %s cannot be made again: %s; drop it, or the table, then build",
                   c->name, c->table, sqlite3_errmsg(db));
  (void)sqlite3_finalize(stmt);
  sqlite3_free(sql);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* "a IS k.a AND b IS k.b" of the key "a,b". NULL: there is no memory; the caller frees it. */
static char *same_key(const mpg_user_column *c) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  for (const char *p = c->key; *p != '\0';) {
    const int n = (int)strcspn(p, ",");
    sqlite3_str_appendf(text, "%s\"%w\".%.*s IS k.%.*s", p == c->key ? "" : " AND ", c->table, n, p,
                        n, p);
    p += n + (p[n] == ',');
  }
  return sqlite3_str_finish(text);
}

/* What was kept of column i, in the rows that are there again; and how much is lost. (All rows have
** the default yet.) */
static int restore_values(const mpg_user_columns *columns, size_t i, sqlite3 *db) {
  const mpg_user_column *c = &columns->p[i];
  const sqlite3_uint64 n = i;
  char *same = same_key(c);
  int rc = same == NULL ? SQLITE_NOMEM : SQLITE_OK;
  if (rc == SQLITE_OK)
    rc = run_text(db, sqlite3_mprintf("DELETE FROM temp.mpg_kept_%llu WHERE mpg_kept IS (SELECT "
                                      "\"%w\" FROM main.\"%w\" LIMIT 1); "
                                      "UPDATE main.\"%w\" SET \"%w\" = k.mpg_kept "
                                      "FROM temp.mpg_kept_%llu AS k WHERE %s",
                                      n, c->name, c->table, c->table, c->name, n, same));
  sqlite3_free(same);
  if (rc == SQLITE_OK)
    rc = run_text(db, sqlite3_mprintf(
                          "CREATE TEMP TABLE mpg_lost AS SELECT 'main.%q' AS source, 'warning' AS "
                          "severity, 'lost_values' AS kind, count(*) AS count, "
                          "'what users wrote into the column %q for rows that the table has no "
                          "more: it is better kept in a table of its own' AS detail "
                          "FROM (SELECT %s FROM temp.mpg_kept_%llu EXCEPT SELECT %s FROM "
                          "main.\"%w\") GROUP BY NULL HAVING count(*) > 0; "
                          "INSERT INTO mpg_issues(source, severity, kind, count, detail) SELECT * "
                          "FROM temp.mpg_lost; "
                          "INSERT INTO main.issues(source, severity, kind, count, detail) SELECT * "
                          "FROM temp.mpg_lost; "
                          "DROP TABLE temp.mpg_lost; DROP TABLE temp.mpg_kept_%llu",
                          c->table, c->name, c->key, n, c->key, c->table, n));
  return rc;
}

/* Lists a column that is renamed, or whose rows nothing told apart. */
static int list_lost(const mpg_user_column *c, sqlite3 *db) {
  static const char format[] =
      "INSERT INTO %s(source, severity, kind, count, detail) VALUES ('main.%q', 'warning', "
      "'lost_values', 1, '%s%q%s%q')";
  const char *const into[] = {"mpg_issues", "main.issues"};
  int rc = SQLITE_OK;
  for (size_t i = 0; rc == SQLITE_OK && i < 2; i++)
    rc = run_text(
        db,
        c->renamed
            ? sqlite3_mprintf(format, into[i], c->table, "the name ", c->name,
                              " of a column that the build makes: it has its own again", "")
            : sqlite3_mprintf(format, into[i], c->table, "what users wrote into the column ",
                              c->name, ": a column that tells rows apart was renamed: ", c->key));
  return rc;
}

int mpg_user_columns_make(const mpg_user_columns *columns, bool last, sqlite3 *db, mpg_err *err) {
  int rc = SQLITE_OK;
  for (size_t i = 0; rc == SQLITE_OK && i < columns->n; i++) {
    const mpg_user_column *c = &columns->p[i];
    char kept[32];
    bool label = false, keeps = false; /* a label of that name takes the column's place */
    if ((strcmp(c->table, "mpg_columns") == 0) != last)
      continue;
    if (c->renamed) {
      rc = list_lost(c, db);
      continue;
    }
    rc = is_there(db, c->table, c->name, &label);
    if (rc == SQLITE_OK && !label)
      rc = make_column(c, db, err);
    (void)sqlite3_snprintf((int)sizeof kept, kept, "mpg_kept_%llu", (sqlite3_uint64)i);
    if (rc == SQLITE_OK)
      rc = is_there(db, kept, NULL, &keeps);
    if (rc == SQLITE_OK && keeps)
      rc = label ? run_text(db, sqlite3_mprintf("DROP TABLE temp.\"%w\"", kept))
                 : restore_values(columns, i, db);
    else if (rc == SQLITE_OK && !label && !c->generated)
      rc = list_lost(c, db);
  }
  return rc;
}

void mpg_user_columns_free(mpg_user_columns *columns) {
  for (size_t i = 0; i < columns->n; i++)
    free_column(&columns->p[i]);
  sqlite3_free(columns->p);
  *columns = (mpg_user_columns){NULL, 0};
}

int mpg_user_references_check(sqlite3 *db) {
  /* A key that refers to no unique columns is an error of the check; its rows cannot be said. */
  int rc = sqlite3_exec(db,
                        "CREATE TEMP TABLE mpg_lost AS SELECT 'main.' || \"table\" AS source, "
                        "'warning' AS severity, 'lost_values' AS kind, count(*) AS count, 'rows "
                        "that refer to rows of ' || parent || ' which are no more' AS detail FROM "
                        "pragma_foreign_key_check(NULL, 'main') GROUP BY \"table\", parent",
                        NULL, NULL, NULL);
  if (rc == SQLITE_ERROR)
    return SQLITE_OK;
  return rc != SQLITE_OK
             ? rc
             : sqlite3_exec(db,
                            "INSERT INTO mpg_issues(source, severity, kind, count, detail) SELECT "
                            "* FROM temp.mpg_lost; "
                            "INSERT INTO main.issues(source, severity, kind, count, detail) SELECT "
                            "* FROM temp.mpg_lost; DROP TABLE temp.mpg_lost",
                            NULL, NULL, NULL);
}
