/* sqlite_relations.c - see relations.h. */
#include "sqlite_relations.h"
#include "host.h"
#include "results.h"
#include "../base/time.h"
#include "../goodput/trace/relation_rows.h"

#define READING_MAX 8 /* one inside the other */

static mpg_rc sqlite_failure(sqlite3 *db, int rc, const char *what, mpg_err *err) {
  if (rc == SQLITE_NOMEM)
    return mpg_fail_nomem(err);
  if (rc == SQLITE_INTERRUPT)
    return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  return mpg_fail(err, MPG_DATA, "%s: %s", what, sqlite3_errmsg(db));
}

/* What a schema has under a relation's name. */
typedef enum found { NOTHING, TABLE, VIEW } found;

/* By what SQLite made of the schema, not by what its rows say of themselves: a crafted file may
** lie. */
static found kind_of(sqlite3 *db, const char *schema, const char *name) {
  return sqlite3_table_column_metadata(db, schema, name, NULL, NULL, NULL, NULL, NULL, NULL) ==
                 SQLITE_OK
             ? TABLE
             : VIEW;
}

static mpg_rc find_object(sqlite3 *db, const char *schema, const char *name, found *out,
                          mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  char *sql = sqlite3_mprintf("SELECT 1 FROM \"%w\".sqlite_schema WHERE type IN ('table', 'view') "
                              "AND name = ?1 COLLATE NOCASE",
                              schema);
  int rc;
  *out = NOTHING;
  if (sql == NULL)
    return mpg_fail_nomem(err);
  rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
  sqlite3_free(sql);
  if (rc == SQLITE_OK)
    rc = sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
  if (rc == SQLITE_OK)
    rc = sqlite3_step(stmt);
  sqlite3_finalize(stmt);
  if (rc == SQLITE_ROW) {
    *out = kind_of(db, schema, name);
    rc = SQLITE_DONE;
  }
  return rc == SQLITE_DONE ? MPG_OK : sqlite_failure(db, rc, schema, err);
}

/* The schemas to look in, in SQLite's order of names; each to be freed, as is the list. */
static mpg_rc list_schemas(sqlite3 *db, char ***out, size_t *n, mpg_err *err) {
  char **list = NULL;
  size_t count = 0;
  for (int i = 0;; i++) {
    char **grown = sqlite3_realloc64(list, (count + 1) * sizeof *list);
    int rc = SQLITE_NOMEM;
    if (grown != NULL) { /* temp is number 1, and comes before all others */
      list = grown;
      list[count] = NULL;
      rc = mpg_host_database(db, i == 0 ? 1 : i == 1 ? 0 : i, &list[count]);
    }
    if (rc != SQLITE_OK) {
      while (count > 0)
        sqlite3_free(list[--count]);
      sqlite3_free(list);
      return rc == SQLITE_NOMEM ? mpg_fail_nomem(err) : sqlite_failure(db, rc, "temp", err);
    }
    if (list[count] == NULL)
      break;
    count++;
  }
  *out = list;
  *n = count;
  return MPG_OK;
}

/* A column's value. Text is UTF-8 in every encoding of the database; converting it may fail. */
static mpg_rc take_value(mpg_value *v, sqlite3_value *value) {
  mpg_value_take(v, value);
  return v->type == MPG_TEXT && v->s.p == NULL && sqlite3_value_type(value) != SQLITE_BLOB
             ? MPG_NOMEM
             : MPG_OK;
}

/* ---- times of mpg_build's tables: start_us in microseconds, and start_time made of it ---- */

#define US_NAME 32 /* bytes of such a column's name */

/* Writes the name of the column that a time is generated from. false: `time` is no time's name. */
static bool source_of_time(const char *time, char out[US_NAME]) {
  const size_t n = strlen(time), ending = strlen("_time");
  if (n <= ending || n >= US_NAME || strcmp(time + n - ending, "_time") != 0)
    return false;
  sqlite3_snprintf(US_NAME, out, "%.*s_us", (int)(n - ending), time);
  return true;
}

static bool is_generated(sqlite3 *db, const char *schema, const char *table, const char *column) {
  sqlite3_stmt *stmt = NULL;
  char *sql = sqlite3_mprintf("PRAGMA \"%w\".table_xinfo(\"%w\")", schema, table);
  bool generated = false;
  if (sql != NULL && sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK)
    while (!generated && sqlite3_step(stmt) == SQLITE_ROW) {
      const char *name = (const char *)sqlite3_column_text(stmt, 1);
      generated = name != NULL && strcmp(name, column) == 0 && sqlite3_column_int(stmt, 6) > 1;
    }
  sqlite3_finalize(stmt);
  sqlite3_free(sql);
  return generated;
}

/* Bit c: the table generates column c of the relation from microseconds. */
static uint32_t find_microseconds(sqlite3 *db, const char *schema, const mpg_relation_info *info) {
  char us[US_NAME];
  uint32_t bits = 0;
  bool has = false;
  for (size_t c = 0; c < info->ncolumns; c++)
    if (source_of_time(info->columns[c], us) &&
        mpg_host_has_column(db, schema, info->name, us, &has) == SQLITE_OK && has &&
        is_generated(db, schema, info->name, info->columns[c]))
      bits |= (uint32_t)1 << c;
  return bits;
}

/* Whether a column is one that times are generated from, or the number of a record. */
static bool is_own(const mpg_relation_info *info, uint32_t microseconds, const char *name) {
  char us[US_NAME];
  bool own = strcmp(name, "id") == 0;
  for (size_t c = 0; !own && c < info->ncolumns; c++)
    own = (microseconds >> c & 1) != 0 && source_of_time(info->columns[c], us) &&
          strcmp(name, us) == 0;
  return own;
}

/* ---- rows ---- */

/* Where relations are read, and how. */
typedef struct place {
  sqlite3 *db;
  const mpg_env *env;
  const char *called; /* by errors and issues, instead of the schema; or NULL */
  bool skip;
} place;

/* A relation that is read. */
typedef struct reading {
  mpg_relation_rows rows;
  sqlite3 *db;
  const char *schema;
  found kind;
  bool numbered; /* its rows have a rowid */
  sqlite3_stmt *stmt;
  uint32_t microseconds;   /* bit c: in which column c of the relation comes */
  const char *called;      /* of the place: where sources were joined, */
  int source;              /* and the value that says of which a row is; 0: none */
  sqlite3_int64 of_source; /* of the row before */
  mpg_rc rc;               /* of the row at hand, with its error */
  mpg_err *err;
} reading;

/* Column 0 is the rowid; it belongs to no relation. */
static mpg_rc map_columns(reading *r, mpg_err *err) {
  const mpg_relation_info *info = mpg_relation_get(r->rows.relation);
  mpg_rc rc = MPG_OK;
  for (int i = 1; rc == MPG_OK && i < sqlite3_column_count(r->stmt); i++) {
    const size_t n = strlen(info->name);
    const char *name = sqlite3_column_name(r->stmt, i);
    /* PRAGMA full_column_names: "capacity.pool" */
    if (name != NULL && sqlite3_strnicmp(name, info->name, (int)n) == 0 && name[n] == '.')
      name += n + 1;
    if (name == NULL)
      rc = mpg_fail_nomem(err);
    else if (r->called != NULL && strcmp(name, "_file") == 0)
      r->source = r->rows.fleet->keep_origins ? i : 0;
    else if (!is_own(info, r->microseconds, name))
      rc = mpg_relation_rows_column(&r->rows, i, name, err);
  }
  return rc == MPG_OK ? mpg_relation_rows_columns_end(&r->rows, err) : rc;
}

/* What generates a time takes an integer from what is a real number, and so does this. */
static void make_microseconds(mpg_value *v) {
  if (v->type == MPG_REAL && v->r >= 0 && v->r < (double)MPG_TIME_MAX) {
    v->type = MPG_INT;
    v->i = (int64_t)v->r;
  }
  if (v->type == MPG_INT)
    v->type = MPG_MICROSECONDS;
}

/* For timelines: a row of source number `source` is of its one file, or of several of a format. No
** more is known of it: lines are those of the readers. */
static mpg_rc enter_source(reading *r, sqlite3_int64 source, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  mpg_rc rc = MPG_OK;
  int code = sqlite3_prepare_v2(r->db,
                                "SELECT iif(count(*) = 1, max(path), ?2 || ': ' || max(format)) "
                                "FROM main.file WHERE source = ?1",
                                -1, &stmt, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_bind_int64(stmt, 1, source);
  if (code == SQLITE_OK)
    code = sqlite3_bind_text(stmt, 2, r->called, -1, SQLITE_STATIC);
  if (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    const char *file = (const char *)sqlite3_column_text(stmt, 0);
    rc = mpg_fleet_from(r->rows.fleet, file != NULL ? file : r->rows.source, err);
    r->rows.fleet->source = r->rows.source; /* of issues */
  }
  (void)sqlite3_finalize(stmt);
  r->of_source = source;
  return code == SQLITE_ROW ? rc : sqlite_failure(r->db, code, r->rows.source, err);
}

static mpg_rc add_row(reading *r, sqlite3_value **row, mpg_err *err) {
  const size_t n = mpg_relation_get(r->rows.relation)->ncolumns;
  mpg_value values[MPG_MAX_COLUMNS], rowid;
  if (r->source > 0 && sqlite3_value_int64(row[r->source]) != r->of_source) {
    mpg_rc rc = enter_source(r, sqlite3_value_int64(row[r->source]), err);
    if (rc != MPG_OK)
      return rc;
  }
  if (take_value(&rowid, row[0]) != MPG_OK)
    return mpg_fail_nomem(err);
  for (size_t c = 0; c < n; c++) {
    values[c].type = MPG_NULL;
    if (r->rows.of[c] >= 0 && take_value(&values[c], row[r->rows.of[c]]) != MPG_OK)
      return mpg_fail_nomem(err);
    if ((r->microseconds >> c & 1) != 0)
      make_microseconds(&values[c]);
  }
  /* A view's rows are numbered as they come. */
  return mpg_relation_rows_add(&r->rows, values, rowid.type == MPG_INT ? rowid.i : r->rows.n + 1,
                               err);
}

/*
** mpg_take_row(reading, rowid, column, ...): an aggregate, to which SQLite hands one row after the
** other within a single step. With a step a row, and a call a column, an answer over tables took a
** third longer.
*/
#define READING "mpg_reading"

static void take_row(sqlite3_context *context, int n, sqlite3_value **args) {
  reading *r = n > 0 ? sqlite3_value_pointer(args[0], READING) : NULL;
  if (r == NULL)
    sqlite3_result_error(context, "mpg_take_row: it is of mpg's own statements", -1);
  else if ((r->rc = add_row(r, args + 1, r->err)) != MPG_OK)
    sqlite3_result_error_code(context, SQLITE_ABORT);
}

static void end_rows(sqlite3_context *context) {
  sqlite3_result_null(context);
}

int mpg_register_relations(mpg_conn *conn, char **error) {
  static const mpg_function table[] = {
      {"mpg_take_row", -1, SQLITE_DIRECTONLY, 0, NULL, take_row, end_rows, NULL, NULL},
  };
  return mpg_register_functions(conn, table, sizeof table / sizeof *table, error);
}

static mpg_rc read_rows(reading *r, mpg_err *err) {
  int rc = sqlite3_bind_pointer(r->stmt, 1, r, READING, NULL);
  r->err = err;
  if (rc == SQLITE_OK)
    rc = sqlite3_step(r->stmt);
  if (r->rc != MPG_OK)
    return r->rc;
  return rc == SQLITE_ROW ? MPG_OK : sqlite_failure(r->db, rc, r->rows.source, err);
}

/*
** To SQLite, a statement of the extension is typed by the user. So it could read a virtual table
** that a view of the database may not read: one that is DIRECTONLY because it opens files.
** Therefore virtual tables of a database are refused here. Views are allowed, for SQLite checks
** what they name; so is temp, which only the user writes.
*/
static int prepare_own(sqlite3 *db, const char *schema, found kind, const char *sql,
                       sqlite3_stmt **stmt) {
  bool own = kind == VIEW || sqlite3_stricmp(schema, "temp") == 0;
  return sqlite3_prepare_v3(db, sql, -1, own ? 0 : SQLITE_PREPARE_NO_VTAB, stmt, NULL);
}

static mpg_rc prepare_failure(sqlite3 *db, int code, found kind, const char *source, mpg_err *err) {
  if (code == SQLITE_ERROR && kind == TABLE &&
      strncmp(sqlite3_errmsg(db), "no such table", strlen("no such table")) == 0)
    return mpg_fail(err, MPG_MISUSE,
                    "%s: expected a table or a view, found a virtual table; only in temp may it be "
                    "one",
                    source);
  return sqlite_failure(db, code, source, err);
}

/* Every column of the relation, to see which there are. */
static mpg_rc prepare_all(reading *r, mpg_err *err) {
  const char *name = mpg_relation_get(r->rows.relation)->name;
  int code = SQLITE_ERROR;
  for (int numbered = r->kind == TABLE; code == SQLITE_ERROR && numbered >= 0; numbered--) {
    char *sql = sqlite3_mprintf("SELECT %s, * FROM \"%w\".\"%w\"",
                                numbered ? "rowid" : "NULL" /* of a table WITHOUT ROWID */,
                                r->schema, name);
    if (sql == NULL)
      return mpg_fail_nomem(err);
    code = prepare_own(r->db, r->schema, r->kind, sql, &r->stmt);
    sqlite3_free(sql);
    r->numbered = numbered;
  }
  return code == SQLITE_OK ? MPG_OK : prepare_failure(r->db, code, r->kind, r->rows.source, err);
}

/* The columns that the relation has, and microseconds instead of times. NULL: there is no memory;
** the caller frees it. */
static char *select_rows(reading *r) {
  const mpg_relation_info *info = mpg_relation_get(r->rows.relation);
  sqlite3_str *sql = sqlite3_str_new(NULL);
  char us[US_NAME];
  int n = 0;
  sqlite3_str_appendf(sql, "SELECT mpg_take_row(?1, %s", r->numbered ? "rowid" : "NULL");
  for (size_t c = 0; c < info->ncolumns; c++)
    if (r->rows.of[c] >= 0) {
      const bool micro = (r->microseconds >> c & 1) != 0 && source_of_time(info->columns[c], us);
      sqlite3_str_appendf(sql, ", \"%w\"", micro ? us : info->columns[c]);
      r->rows.of[c] = ++n;
    }
  if (r->source > 0) {
    sqlite3_str_appendall(sql, ", _file");
    r->source = ++n;
  }
  sqlite3_str_appendf(sql, ") FROM \"%w\".\"%w\"%s", r->schema, info->name,
                      r->kind == TABLE ? " NOT INDEXED" : "");
  return sqlite3_str_finish(sql);
}

static mpg_rc prepare_rows(reading *r, mpg_err *err) {
  char *sql = select_rows(r);
  int code;
  if (sql == NULL)
    return mpg_fail_nomem(err);
  sqlite3_finalize(r->stmt);
  code = prepare_own(r->db, r->schema, r->kind, sql, &r->stmt);
  sqlite3_free(sql);
  return code == SQLITE_OK ? MPG_OK : prepare_failure(r->db, code, r->kind, r->rows.source, err);
}

static mpg_rc read_relation(mpg_fleet *fleet, const place *at, const char *schema,
                            mpg_relation relation, found kind, mpg_err *err) {
  const mpg_relation_info *info = mpg_relation_get(relation);
  char *source = at->called != NULL ? sqlite3_mprintf("%s: %s", at->called, info->name)
                                    : sqlite3_mprintf("%s.%s", schema, info->name);
  reading r = {.rows = {.fleet = fleet,
                        .env = at->env,
                        .relation = relation,
                        .source = source,
                        .skip = at->skip,
                        .unplaced = at->called != NULL && fleet->keep_origins},
               .db = at->db,
               .schema = schema,
               .kind = kind,
               .called = at->called};
  mpg_rc rc;
  if (source == NULL)
    return mpg_fail_nomem(err);
  rc = mpg_relation_rows_begin(&r.rows, err);
  if (rc == MPG_OK)
    rc = prepare_all(&r, err);
  if (rc == MPG_OK) {
    r.microseconds = kind == TABLE ? find_microseconds(r.db, schema, info) : 0;
    rc = map_columns(&r, err);
  }
  if (rc == MPG_OK)
    rc = prepare_rows(&r, err);
  if (rc == MPG_OK)
    rc = read_rows(&r, err);
  mpg_relation_rows_end(&r.rows);
  sqlite3_finalize(r.stmt);
  sqlite3_free(source);
  return rc;
}

/* A table for another purpose may have the name: then it lacks a column. Any other fault of it is
** found when it is read. */
static mpg_rc check_observed(sqlite3 *db, const char *schema, found *kind, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  char *sql = sqlite3_mprintf("SELECT pool, until_time FROM \"%w\".observed", schema);
  if (sql == NULL)
    return mpg_fail_nomem(err);
  if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_ERROR &&
      strncmp(sqlite3_errmsg(db), "no such column", strlen("no such column")) == 0)
    *kind = NOTHING;
  sqlite3_finalize(stmt);
  sqlite3_free(sql);
  return MPG_OK;
}

/* One relation from the first of the schemas that has it. */
static mpg_rc read_first(mpg_fleet *fleet, const place *at, char **schemas, size_t n,
                         mpg_relation relation, bool *there, mpg_err *err) {
  *there = false;
  for (size_t i = 0; i < n; i++) {
    found kind;
    mpg_rc rc = find_object(at->db, schemas[i], mpg_relation_get(relation)->name, &kind, err);
    if (rc == MPG_OK && kind != NOTHING && relation == MPG_REL_OBSERVED)
      rc = check_observed(at->db, schemas[i], &kind, err);
    if (rc != MPG_OK)
      return rc;
    if (kind == NOTHING)
      continue;
    *there = true;
    return read_relation(fleet, at, schemas[i], relation, kind, err);
  }
  return MPG_OK;
}

static void free_schemas(char **schemas, size_t n) {
  for (size_t i = 0; i < n; i++)
    sqlite3_free(schemas[i]);
  sqlite3_free(schemas);
}

static mpg_rc read_all(mpg_fleet *fleet, const place *at, const char *schema, mpg_err *err) {
  char **schemas = NULL, *only = NULL;
  size_t n = 0;
  bool there, any = false;
  mpg_rc rc = list_schemas(at->db, &schemas, &n, err);
  if (rc != MPG_OK)
    return rc;
  if (schema != NULL) {
    for (size_t i = 0; i < n && only == NULL; i++)
      if (sqlite3_stricmp(schemas[i], schema) == 0)
        only = schemas[i];
    if (only == NULL)
      rc = mpg_fail(err, MPG_MISUSE,
                    "schema: expected the name of an open database, found \"%.80s\"", schema);
  }
  for (int r = 0; rc == MPG_OK && r < MPG_REL_CHIPS; r++) {
    rc = read_first(fleet, at, only ? &only : schemas, only ? 1 : n, (mpg_relation)r, &there, err);
    any |= there && r != MPG_REL_OBSERVED;
  }
  free_schemas(schemas, n);
  if (rc == MPG_OK && !any)
    rc = mpg_fail(
        err, MPG_IO,
        "expected tables or views capacity, allocations, ... (schema/fleet.sql), found none");
  return rc;
}

mpg_rc mpg_relations_read(mpg_fleet *fleet, mpg_conn *conn, const mpg_env *env, const char *schema,
                          bool skip, const char *what, mpg_err *err) {
  const place at = {conn->db, env, conn->relations_called, skip};
  mpg_rc rc;
  if (conn->reading >= READING_MAX)
    return mpg_fail(err, MPG_LIMIT, "a relation is defined by itself, through %s", what);
  conn->reading++;
  rc = read_all(fleet, &at, schema, err);
  conn->reading--;
  return rc;
}

/* ---- what has changed ---- */

/* An ordinary table of main or temp. */
static bool is_ordinary(sqlite3 *db, const char *schema, const char *name, found kind) {
  sqlite3_stmt *stmt = NULL;
  char *sql;
  int rc;
  if (kind != TABLE ||
      (sqlite3_stricmp(schema, "main") != 0 && sqlite3_stricmp(schema, "temp") != 0))
    return false;
  sql = sqlite3_mprintf("SELECT 1 FROM \"%w\".\"%w\"", schema, name);
  rc = sql == NULL ? SQLITE_NOMEM
                   : sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_NO_VTAB, &stmt, NULL);
  sqlite3_finalize(stmt);
  sqlite3_free(sql);
  return rc == SQLITE_OK;
}

void mpg_relations_find(mpg_relation_tables *out, mpg_conn *conn, const char *schema) {
  static const char *const order[] = {"temp", "main"};
  char *third = NULL;
  mpg_err err;
  memset(out, 0, sizeof *out);
  if (mpg_host_database(conn->db, 2, &third) != SQLITE_OK || third != NULL) {
    sqlite3_free(third); /* one that is attached anew may have another content */
    return;
  }
  out->known = true;
  for (int r = 0; out->known && r < MPG_REL_CHIPS; r++) {
    const char *name = mpg_relation_get((mpg_relation)r)->name;
    found kind = NOTHING;
    for (size_t i = 0; out->known && kind == NOTHING && i < sizeof order / sizeof *order; i++) {
      if (schema != NULL && sqlite3_stricmp(schema, order[i]) != 0)
        continue;
      out->known = find_object(conn->db, order[i], name, &kind, &err) == MPG_OK &&
                   (kind == NOTHING || is_ordinary(conn->db, order[i], name, kind));
      if (out->known && kind != NOTHING)
        sqlite3_snprintf(sizeof out->source[0], out->source[out->n++], "%s.%s", order[i], name);
    }
  }
}

bool mpg_tables_look(mpg_tables_state *out, sqlite3 *db) {
  sqlite3_stmt *stmt = NULL;
  int rc;
  memset(out, 0, sizeof *out);
  if (!sqlite3_get_autocommit(db))
    return false;
  /* The version follows other connections when a statement begins to read. */
  rc = sqlite3_prepare_v2(db, "SELECT 1 FROM main.sqlite_schema", -1, &stmt, NULL);
  if (rc == SQLITE_OK)
    rc = sqlite3_step(stmt);
  sqlite3_finalize(stmt);
  if (rc != SQLITE_ROW && rc != SQLITE_DONE)
    return false;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_DATA_VERSION, &out->main_version) != SQLITE_OK)
    return false;
  /* Before its first table, temp has no version. */
  if (sqlite3_file_control(db, "temp", SQLITE_FCNTL_DATA_VERSION, &out->temp_version) != SQLITE_OK)
    out->temp_version = 0;
  out->changes = sqlite3_total_changes(db);
  return true;
}
