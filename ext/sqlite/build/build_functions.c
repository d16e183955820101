/*
** build_functions.c - what lies at a path, as tables of the open database.
**
**     mpg_import(path)   TEMP tables of the relations, to be changed before mpg_rollup reads them
**     mpg_build(path)    plain tables of the records, their ledger and its views, which stay: adds
**                        what is new, once; NULL reads what mpg_config names (sql/build.sql).
**                        Then the labels that mpg_config names become columns of the ledger, and
**                        mpg_columns tells what every column means (sql/columns.sql)
**
** A file whose journal is SQLite's default gets a write-ahead log, under which readers and the
** build never wait for each other, however long a reader's transaction is open. A file without
** tables gets it after the build: its pages are written once. Its pages are of 16 KiB, if their
** size is SQLite's default: most of a build is rows appended, a tenth faster than with 4 KiB.
**
** Each runs a compiled-in script on the host's own connection, all of it or nothing, and returns
** what it did as a JSON object. They write, and so no stored schema may call them (DIRECTONLY).
** Errors: those of trace_records, and SQLite's own, such as "database is locked".
*/
#include "../connection.h"
#include "../held_fleet.h"
#include "../held_records.h"
#include "../recognise/script.h"
#include "../host.h"
#include "build_check.h"
#include "build_labels.h"
#include "changed_jobs.h"
#include "late_columns.h"
#include "user_columns.h"
#include "user_objects.h"
#include "../../goodput/trace/relation_schema.h"

#include <string.h>

enum { RELATIONS = MPG_REL_OBSERVED }; /* those that are counted */
enum { IMPORT, BUILD };                /* mpg_function.parameter */

/* The rows of each relation before a script and after it. */
typedef struct row_counts {
  int64_t before[RELATIONS], now[RELATIONS];
} row_counts;

/* The rows of each relation of a schema, 0 of those that it does not have. An SQLite code. */
static int count_rows(sqlite3 *db, const char *schema, int64_t *rows) {
  int rc = SQLITE_OK;
  for (int i = 0; rc == SQLITE_OK && i < RELATIONS; i++) {
    sqlite3_stmt *stmt = NULL;
    char *sql = sqlite3_mprintf("SELECT count(*) FROM %s.%s", schema,
                                mpg_relation_get((mpg_relation)i)->name);
    rows[i] = 0;
    rc = sql == NULL ? SQLITE_NOMEM : sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
    if (rc == SQLITE_ERROR) /* no such table */
      rc = SQLITE_OK;
    else if (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
      rows[i] = sqlite3_column_int64(stmt, 0);
      rc = SQLITE_OK;
    }
    (void)sqlite3_finalize(stmt);
    sqlite3_free(sql);
  }
  return rc;
}

/* ---- scripts ---- */

static const char *skip_comments(const char *sql) {
  while (*sql == ' ' || *sql == '\n' || (*sql == '-' && sql[1] == '-'))
    sql += *sql == '-' ? strcspn(sql, "\n") : 1;
  return sql;
}

/* Runs a statement, whose parameters are all the path. *tail: after it. An SQLite code. */
static int run_statement(sqlite3 *db, const char *sql, const char *end, sqlite3_value *path,
                         const char **tail) {
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_prepare_v2(db, sql, (int)(end - sql), &stmt, tail);
  for (int i = 1; rc == SQLITE_OK && i <= sqlite3_bind_parameter_count(stmt); i++)
    rc = sqlite3_bind_value(stmt, i, path);
  while (rc == SQLITE_OK && stmt != NULL && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
    rc = SQLITE_OK;
  if (rc == SQLITE_OK || rc == SQLITE_DONE)
    return sqlite3_finalize(stmt);
  (void)sqlite3_finalize(stmt); /* which leaves the connection's error as it is */
  return rc;
}

/* Runs one statement after the other, up to `end`; every parameter is the path. `partly`: but those
** that a part leaves out. What is still late afterwards is in `late`. An SQLite code. */
static int run_statements(sqlite3 *db, const char *sql, const char *end, sqlite3_value *path,
                          bool partly, mpg_late_columns *late) {
  const char *tail = sql;
  int rc = SQLITE_OK;
  while (rc == SQLITE_OK && (sql = skip_comments(tail)) < end) {
    if (partly && mpg_changed_jobs_skips(sql)) {
      tail = strchr(sql, ';') + 1; /* no text in them has one */
      continue;
    }
    rc = mpg_late_make_table(db, sql, path, late, &tail);
    if (rc == SQLITE_OK && tail == NULL)
      rc = run_statement(db, sql, end, path, &tail);
    if (rc == SQLITE_OK)
      rc = mpg_late_add_after(db, sql, late);
  }
  return rc;
}

static int run_part(sqlite3 *db, const char *sql, const char *end, sqlite3_value *path,
                    bool partly) {
  mpg_late_columns late = {.n = 0};
  int rc = run_statements(db, sql, end, path, partly, &late);
  return rc == SQLITE_OK ? mpg_late_add_all(db, &late) : rc;
}

static int run_script(sqlite3 *db, const char *sql, const char *end, sqlite3_value *path) {
  return run_part(db, sql, end, path, false);
}

/* Memory kept from before a script begins until it ends: where it fails for want of memory, undoing
** it needs some. (An allocation of SQLite's own that fails within the user's statement stops every
** other until that ends. Then the transaction stays open, for the user to roll back.) */
enum { RESERVE = 1 << 16 };

/* The error, `why` or that of the connection, after what the script had begun is undone by the
** statement `undo`, if it is not NULL. The reserve is free. */
static void fail(sqlite3_context *context, sqlite3 *db, int rc, const char *name, const char *why,
                 const char *undo) {
  char *text = sqlite3_mprintf("%s: %s", name, why != NULL ? why : sqlite3_errmsg(db));
  if (undo != NULL && sqlite3_get_autocommit(db) == 0)
    (void)sqlite3_exec(db, undo, NULL, NULL, NULL);
  if (text == NULL || rc == SQLITE_NOMEM)
    sqlite3_result_error_nomem(context);
  else
    sqlite3_result_error(context, text, -1);
  if (text != NULL && rc == SQLITE_INTERRUPT)
    sqlite3_result_error_code(context, rc);
  sqlite3_free(text);
}

/* {"capacity": 1, ...}: how many rows came. */
static void result_counts(sqlite3_context *context, const row_counts *counts) {
  sqlite3_str *json = sqlite3_str_new(sqlite3_context_db_handle(context));
  char *text;
  for (int i = 0; i < RELATIONS; i++)
    sqlite3_str_appendf(json, "%s\"%s\":%lld", i == 0 ? "{" : ",",
                        mpg_relation_get((mpg_relation)i)->name,
                        (long long)(counts->now[i] - counts->before[i]));
  sqlite3_str_appendall(json, "}");
  text = sqlite3_str_finish(json);
  if (text == NULL)
    sqlite3_result_error_nomem(context);
  else
    sqlite3_result_text(context, text, -1, sqlite3_free);
}

/* ---- the functions ---- */

/* The ledger has a row an hour. What is open lasts until the end of the trace: from a time that
** counts from 0, as in some public traces, that is 500,000 hours beside records of today. 30 years
** are refused. An SQLite code. */
static int check_times(sqlite3 *db, mpg_err *err) {
  static const char records[] =
      "WITH records(name, start_us, end_us) AS ("
      "SELECT 'pool ' || pool, start_us, coalesce(end_us, "
      "(SELECT until_us FROM main.observed AS o WHERE o.pool = c.pool)) "
      "FROM main.capacity AS c UNION ALL "
      "SELECT 'an outage of pool ' || pool, start_us, coalesce(end_us, "
      "(SELECT until_us FROM main.observed AS o WHERE o.pool = d.pool)) "
      "FROM main.outages AS d UNION ALL "
      "SELECT 'job ' || job, start_us, coalesce(end_us, "
      "(SELECT until_us FROM main.observed AS o WHERE o.job = a.job), "
      "(SELECT until_us FROM main.observed AS o WHERE o.pool = a.pool)) "
      "FROM main.allocations AS a), "
      "last AS (SELECT max(coalesce(end_us, start_us)) AS us FROM records) "
      "SELECT printf('expected at most 30 years of one record, found %s from %s to %s; times that "
      "count from 0 belong into a database of their own', name, "
      "strftime('%Y-%m-%dT%H:%M:%SZ', start_us / 1000000, 'unixepoch'), "
      "strftime('%Y-%m-%dT%H:%M:%SZ', coalesce(end_us, us) / 1000000, 'unixepoch')) "
      "FROM records, last WHERE coalesce(end_us, us) - start_us > 30 * 31557600000000 "
      "AND ?1 NOT NULL LIMIT 1";
  char *found = mpg_build_find_text(db, records, "");
  if (found == NULL)
    return SQLITE_OK;
  (void)mpg_fail(err, MPG_DATA, "%s", found);
  sqlite3_free(found);
  return SQLITE_ERROR;
}

/* Whether the relations hold what the build read and nothing else, as far as the script knows; all
** rows of a new file came with this build. */
static bool are_as_read(sqlite3 *db, const row_counts *counts) {
  int64_t rows = 0;
  char *whole;
  for (int i = 0; i < RELATIONS; i++)
    rows += counts->before[i];
  if (rows == 0)
    return true;
  whole = mpg_build_find_text(db, "SELECT 1 FROM temp.mpg_as_read WHERE whole AND ?1 NOT NULL", "");
  sqlite3_free(whole);
  return whole != NULL;
}

/* Where the parts of the script begin, each with its mark, the path that is every parameter of
** theirs, and the columns that the tables of records lack until they have rows. */
typedef struct build_parts {
  sqlite3_value *path;
  mpg_late_columns *late;
  const char *begun, *same, *known, *joined, *added, *dropped, *asks, *asked, *answered, *kept,
      *made_of, *views, *end;
} build_parts;

static build_parts parts_of(const char *script, sqlite3_value *path, mpg_late_columns *late) {
#define PART(name) .name = strstr(script, "\n--@ part " #name "\n")
  return (build_parts){.path = path,
                       .late = late,
                       PART(begun),
                       PART(same),
                       PART(known),
                       PART(joined),
                       PART(added),
                       PART(dropped),
                       PART(asks),
                       PART(asked),
                       PART(answered),
                       PART(kept),
                       PART(made_of),
                       PART(views),
                       PART(end)};
#undef PART
}

/* What is asked of the records, which the connection holds. An SQLite code. */
static int ask_records(mpg_conn *conn, const build_parts *parts, bool may_be_partly,
                       const row_counts *counts, mpg_changed_jobs *changed, mpg_err *err) {
  sqlite3 *db = conn->db;
  int rc = run_script(db, parts->asks, parts->asked, parts->path);
  if (rc == SQLITE_OK)
    rc = mpg_changed_jobs_find(changed, conn, counts->now, parts->asks, may_be_partly, err);
  if (rc == SQLITE_OK)
    rc = run_part(db, parts->asked, parts->answered, parts->path, changed->partly);
  if (rc != SQLITE_OK || !changed->partly)
    return rc;
  rc = mpg_changed_jobs_check(changed, conn);
  return rc == SQLITE_OK && !changed->partly
             ? run_script(db, parts->asks, parts->answered, parts->path)
             : rc;
}

/* What follows the records, which it counts: what is asked of them, which are read once, then what
** is made of the answers. An SQLite code. */
static int run_questions(mpg_conn *conn, const build_parts *parts, bool may_be_partly,
                         row_counts *counts, mpg_changed_jobs *changed, mpg_err *err) {
  sqlite3 *db = conn->db;
  int rc = count_rows(db, "main", counts->now);
  if (rc == SQLITE_OK &&
      mpg_held_fleet_begin(conn, are_as_read(db, counts) ? counts->now : NULL, err) != MPG_OK)
    rc = mpg_sqlite_rc(err->rc);
  if (rc == SQLITE_OK)
    rc = ask_records(conn, parts, may_be_partly, counts, changed, err);
  mpg_held_fleet_end(conn);
  return rc == SQLITE_OK ? run_part(db, parts->answered, parts->kept, parts->path, changed->partly)
                         : rc;
}

/* Whether an issue is of a table of the database, which the build reads or lists again. */
static bool is_of_main(const void *ctx, const char *source) {
  (void)ctx;
  return strncmp(source, "main.", 5) == 0;
}

/* Whether the tables are sure to have no record with which those that come in were to be joined. */
static bool have_no_records(sqlite3 *db) {
  char *none = mpg_build_find_text(
      db,
      "SELECT 'none' WHERE ?1 NOT NULL AND NOT (EXISTS (SELECT 1 FROM main.capacity) OR EXISTS "
      "(SELECT 1 FROM main.outages) OR EXISTS (SELECT 1 FROM main.jobs) OR EXISTS (SELECT 1 FROM "
      "main.allocations) OR EXISTS (SELECT 1 FROM main.spans) OR EXISTS (SELECT 1 FROM "
      "main.commits) OR EXISTS (SELECT 1 FROM main.programs) OR EXISTS (SELECT 1 FROM "
      "main.observed))",
      "");
  const bool have = none != NULL;
  sqlite3_free(none);
  return have;
}

/* Adds what is new to the records, and makes the tables that follow from them anew, with the
** columns of users, and what all mean. An SQLite code. */
static int make_tables(mpg_conn *conn, const build_parts *parts, const mpg_user_columns *added,
                       row_counts *counts, mpg_err *err) {
  sqlite3 *db = conn->db;
  const char *columns = mpg_script_find("columns")->sql;
  mpg_changed_jobs changed = {.partly = false};
  int rc;
  mpg_issues_drop_those(&conn->issues, is_of_main, NULL);
  rc = run_statements(db, parts->known, parts->joined, parts->path, false, parts->late);
  if (rc == SQLITE_OK)
    rc = run_statements(db, have_no_records(db) ? parts->added : parts->joined, parts->asks,
                        parts->path, false, parts->late);
  if (rc == SQLITE_OK)
    rc = mpg_late_add_all(db, parts->late);
  if (rc == SQLITE_OK)
    rc = check_times(db, err);
  if (rc == SQLITE_OK)
    rc = run_questions(conn, parts, added->n == 0, counts, &changed, err);
  if (rc == SQLITE_OK)
    rc = run_script(db, parts->views, parts->end, parts->path);
  if (rc == SQLITE_OK)
    rc = mpg_labels_add(db, changed.partly, err);
  if (rc == SQLITE_OK)
    rc = mpg_user_columns_make(added, false, db, err);
  if (rc == SQLITE_OK)
    rc = mpg_changed_jobs_keep(&changed, db);
  if (rc == SQLITE_OK)
    rc = run_script(db, parts->kept, parts->views, parts->path);
  if (rc == SQLITE_OK)
    rc = run_script(db, columns, columns + strlen(columns), parts->path);
  mpg_changed_jobs_free(&changed);
  return rc == SQLITE_OK ? mpg_user_columns_make(added, true, db, err) : rc;
}

/* Drops what came in: the tables have it, and stay as they are. An SQLite code. */
static int leave_tables(sqlite3 *db, const build_parts *parts, row_counts *counts) {
  int rc = run_statements(db, parts->dropped, parts->asks, parts->path, false, parts->late);
  memcpy(counts->now, counts->before, sizeof counts->now);
  if (rc == SQLITE_OK)
    rc = mpg_late_add_all(db, parts->late);
  if (rc == SQLITE_OK)
    rc = run_script(db, parts->made_of, parts->views, parts->path);
  return rc == SQLITE_OK ? sqlite3_exec(db, "DROP TABLE temp.mpg_own", NULL, NULL, NULL) : rc;
}

/* All of a build in one transaction. An SQLite code. */
static int build_tables(mpg_conn *conn, sqlite3_value *path, bool keys, row_counts *counts,
                        mpg_err *err) {
  sqlite3 *db = conn->db;
  const char *script = mpg_script_find("build")->sql;
  mpg_late_columns late = {.n = 0};
  const build_parts parts = parts_of(script, path, &late);
  mpg_user_objects objects = {NULL, 0};
  mpg_user_columns added = {NULL, 0};
  char *source = mpg_build_source(db, path);
  int rc = run_script(db, script, parts.begun, path);
  if (source != NULL) /* what an earlier build listed of it: its scripts add, and drop nothing */
    mpg_issues_drop(&conn->issues, source);
  sqlite3_free(source);
  if (rc == SQLITE_OK && sqlite3_get_autocommit(db) != 0) {
    (void)mpg_fail(err, MPG_DATA, "expected a transaction, but an authorizer ignores BEGIN");
    return SQLITE_AUTH;
  }
  if (rc == SQLITE_OK)
    rc = mpg_user_objects_read(&objects, db);
  if (rc == SQLITE_OK)
    rc = mpg_user_columns_read(&added, db);
  if (rc == SQLITE_OK)
    rc = mpg_held_records_begin(conn, err) == MPG_OK ? SQLITE_OK : SQLITE_NOMEM;
  if (rc == SQLITE_OK)
    rc = run_statements(db, parts.begun, parts.same, path, false, &late);
  if (rc == SQLITE_OK)
    rc = mpg_labels_take(conn, path, err);
  if (rc == SQLITE_OK)
    rc = run_statements(db, parts.same, parts.known, path, false, &late);
  if (rc == SQLITE_OK && added.n == 0 && mpg_build_is_same(db)) {
    rc = leave_tables(db, &parts, counts);
  } else if (rc == SQLITE_OK)
    rc = make_tables(conn, &parts, &added, counts, err);
  mpg_held_records_end(conn);
  if (rc == SQLITE_OK)
    rc = mpg_user_objects_make(&objects, db, err);
  if (rc == SQLITE_OK && keys)
    rc = mpg_user_references_check(db);
  mpg_user_objects_free(&objects);
  mpg_user_columns_free(&added);
  return rc == SQLITE_OK ? sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) : rc;
}

/* Runs `set` if the pragma `get` says `value`, and leaves the setting as it is if it fails. */
static void set_pragma(sqlite3 *db, const char *get, const char *value, const char *set) {
  sqlite3_stmt *stmt = NULL;
  char *now = NULL;
  if (sqlite3_prepare_v2(db, get, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
    now = mpg_host_copy_text(stmt, 0);
  (void)sqlite3_finalize(stmt);
  if (now != NULL && strcmp(now, value) == 0)
    (void)sqlite3_exec(db, set, NULL, NULL, NULL);
  sqlite3_free(now);
}

/* Fails where a reader is in the middle of a transaction, or is the statement itself: then the
** journal stays as it is, and the build waits for readers as ever. */
static void use_wal(sqlite3 *db) {
  set_pragma(db, "PRAGMA main.journal_mode", "delete", "PRAGMA main.journal_mode = WAL");
}

/* Whether the file has no tables. */
static bool is_empty(sqlite3 *db) {
  char *any =
      mpg_build_find_text(db, "SELECT name FROM main.sqlite_schema WHERE ?1 NOT NULL LIMIT 1", "");
  bool empty = any == NULL;
  sqlite3_free(any);
  return empty;
}

static void run_import(sqlite3_context *context, sqlite3_value **args) {
  row_counts counts = {{0}, {0}};
  const char *script = mpg_script_find("sources/import")->sql;
  sqlite3 *db = mpg_conn_of(context)->db;
  void *reserve;
  const char *undo;
  char *why;
  int rc = mpg_import_check(db, &why);
  if (rc != SQLITE_OK || why != NULL) {
    fail(context, db, rc, "mpg_import", why, NULL);
    sqlite3_free(why);
    return;
  }
  reserve = sqlite3_malloc(RESERVE);
  rc = reserve == NULL ? SQLITE_NOMEM : sqlite3_exec(db, "SAVEPOINT mpg_import", NULL, NULL, NULL);
  undo = rc == SQLITE_OK ? "ROLLBACK TO mpg_import; RELEASE mpg_import" : NULL;
  if (rc == SQLITE_OK)
    rc = run_script(db, script, script + strlen(script), args[0]);
  if (rc == SQLITE_OK)
    rc = count_rows(db, "temp", counts.now);
  sqlite3_free(reserve);
  if (rc != SQLITE_OK) {
    fail(context, db, rc, "mpg_import",
         sqlite3_value_type(args[0]) == SQLITE_NULL ? "expected a path, found NULL" : NULL, undo);
    return;
  }
  (void)sqlite3_exec(db, "RELEASE mpg_import", NULL, NULL, NULL);
  result_counts(context, &counts);
}

/* What the ledger says of an argument that is a setting, or NULL: its error is of something
** else. */
static const char *said_of_setting(const char *error) {
  static const char *const names[] = {"as_of: ", "basis: ", "roofline: ", "sizes: "};
  static const char ledger[] = "mpg_runs: ";
  const size_t n = sizeof ledger - 1;
  if (strncmp(error, ledger, n) != 0)
    return NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(error + n, names[i], strlen(names[i])) == 0)
      return error + n;
  return NULL;
}

/* The connection's error in words for who called mpg_build, or NULL: it is clear as it is. */
static const char *said_better(sqlite3 *db, int rc, mpg_err *err) {
  const char *of_setting = said_of_setting(sqlite3_errmsg(db));
  if (of_setting != NULL) {
    (void)mpg_fail(err, MPG_DATA, "mpg_config: %s", of_setting);
    return err->text;
  }
  if (rc == SQLITE_LOCKED)
    return "expected no other statement that reads this database meanwhile: database table is "
           "locked";
  if (strstr(sqlite3_errmsg(db), "expected a value for :trace") != NULL)
    return "expected a path, TEMP tables of the relations or the setting trace in mpg_config, "
           "found none of them";
  return NULL;
}

/* `keys`: foreign keys are those of the connection otherwise. */
static void run_build(sqlite3_context *context, sqlite3_value **args, bool keys) {
  sqlite3 *db = mpg_conn_of(context)->db;
  row_counts counts;
  void *reserve;
  bool is_new;
  mpg_err err = {MPG_OK, ""};
  char *why;
  int rc;
  if (sqlite3_get_autocommit(db) == 0) {
    sqlite3_result_error(
        context,
        "mpg_build: expected no open transaction, for it begins one: COMMIT first; a driver that "
        "begins one by itself needs its autocommit on",
        -1);
    return;
  }
  rc = mpg_build_check(db, &why);
  if (rc != SQLITE_OK || why != NULL) {
    fail(context, db, rc, "mpg_build", why, NULL);
    sqlite3_free(why);
    return;
  }
  is_new = is_empty(db);
  if (is_new)
    set_pragma(db, "PRAGMA main.page_size", "4096", "PRAGMA main.page_size = 16384");
  else
    use_wal(db);
  reserve = sqlite3_malloc(RESERVE);
  rc = reserve == NULL ? SQLITE_NOMEM : count_rows(db, "main", counts.before);
  if (rc == SQLITE_OK)
    rc = build_tables(mpg_conn_of(context), args[0], keys, &counts, &err);
  if (rc == SQLITE_OK && is_new)
    use_wal(db);
  sqlite3_free(reserve);
  if (rc == SQLITE_OK)
    result_counts(context, &counts);
  else
    fail(context, db, rc, "mpg_build", err.rc == MPG_OK ? said_better(db, rc, &err) : err.text,
         "ROLLBACK");
}

/* mpg_import, or mpg_build, whose scripts have subqueries. A build makes tables anew to whose rows
** those of users may refer: without foreign keys none of these is deleted with the old table. */
static void script_function(sqlite3_context *context, int n, sqlite3_value **args) {
  sqlite3 *db = mpg_conn_of(context)->db;
  const bool builds = mpg_function_of(context)->parameter == BUILD;
  const bool full_names = mpg_host_has_full_names(db);
  int keys = 0; /* set back without memory that may lack */
  (void)n;
  if (builds)
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, -1, &keys);
  if (full_names)
    mpg_host_short_names(db, true);
  if (keys)
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
  if (builds)
    run_build(context, args, keys != 0);
  else
    run_import(context, args);
  if (keys)
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
  if (full_names)
    mpg_host_short_names(db, false);
}

int mpg_register_build(mpg_conn *conn, char **error) {
  static const mpg_function table[] = {
      {"mpg_import", 1, MPG_SETTING, IMPORT, script_function, NULL, NULL, NULL, NULL},
      {"mpg_build", 1, MPG_SETTING, BUILD, script_function, NULL, NULL, NULL, NULL},
  };
  return conn->no_files ? SQLITE_OK
                        : mpg_register_functions(conn, table, sizeof table / sizeof *table, error);
}
