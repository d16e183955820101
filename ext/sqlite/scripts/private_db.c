/* private_db.c - see private_db.h. */
#include "private_db.h"
#include "../math_functions.h"
#include "../host.h"
#include "../../base/intern.h"
#include "../recognise/script.h"

#include <string.h>

#define STEPS_BETWEEN_POLLS 20000 /* of SQLite's virtual machine: about a millisecond */

/* Scripts fill wide tables and drop them: large pages are fewer to read, to write and to free. The
** second cache says how much is sorted before it goes to a file. Each statement is a transaction:
** in memory, its journal needs no file. Where SQLite is built to overwrite what is dropped with
** zeros, as Debian's is, that took a third of the time of a log. */
#define SETTINGS                                                                                   \
  "PRAGMA page_size = 16384; PRAGMA temp.cache_size = -16000; PRAGMA main.cache_size = -16000; "   \
  "PRAGMA temp.journal_mode = MEMORY; "                                                            \
  "PRAGMA temp.secure_delete = OFF; PRAGMA main.secure_delete = OFF"

static int progress(void *ctx) {
  const mpg_private_db *p = ctx;
  return mpg_interrupted(p->env);
}

mpg_rc mpg_private_failure(const mpg_private_db *p, int code, mpg_err *err) {
  static const char checked[] = "CHECK constraint failed: "; /* a script's own words follow */
  const char *said = sqlite3_errmsg(p->db);
  if (strncmp(said, checked, sizeof checked - 1) == 0)
    said += sizeof checked - 1;
  switch (code) {
  case SQLITE_NOMEM:
    return mpg_fail_nomem(err);
  case SQLITE_INTERRUPT:
    return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  case SQLITE_TOOBIG:
    return mpg_fail(err, MPG_LIMIT, "%s", sqlite3_errmsg(p->db));
  case SQLITE_FULL:
  case SQLITE_IOERR:
    return mpg_fail(err, MPG_IO, "temporary storage: %s", sqlite3_errmsg(p->db));
  default:
    return mpg_fail(err, MPG_DATA, "%s", said);
  }
}

/* ---- the user's tables ---- */

/* A row of the host's table into the one of the same name here. */
static int copy_row(sqlite3_stmt *from, sqlite3_stmt *to) {
  int rc = SQLITE_OK;
  for (int i = 0; rc == SQLITE_OK && i < sqlite3_column_count(from); i++)
    rc = sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
  if (rc == SQLITE_OK)
    rc = sqlite3_step(to);
  (void)sqlite3_reset(to);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* "CREATE TEMP TABLE name(columns); INSERT INTO name VALUES (?, ...)" of a query's columns. */
static char *copy_sql(sqlite3_stmt *query, const char *name, bool create) {
  sqlite3_str *sql = sqlite3_str_new(NULL);
  sqlite3_str_appendf(sql, create ? "CREATE TEMP TABLE \"%w\"(" : "INSERT INTO \"%w\" VALUES (",
                      name);
  for (int i = 0; i < sqlite3_column_count(query); i++)
    if (create)
      sqlite3_str_appendf(sql, "%s\"%w\"", i > 0 ? ", " : "", sqlite3_column_name(query, i));
    else
      sqlite3_str_appendall(sql, i > 0 ? ", ?" : "?");
  sqlite3_str_appendall(sql, ")");
  return sqlite3_str_finish(sql);
}

/*
** Copies a table or view of the host's connection, if there is one of that name. As a query of ours
** counts as typed by the user, it may not read virtual tables, which could open files.
*/
static mpg_rc copy_table(mpg_private_db *p, sqlite3 *host, const char *name, mpg_err *err) {
  sqlite3_stmt *from = NULL, *to = NULL;
  char *query = sqlite3_mprintf("SELECT * FROM \"%w\"", name), *create = NULL, *insert = NULL;
  int rc = query == NULL ? SQLITE_NOMEM
                         : sqlite3_prepare_v3(host, query, -1, SQLITE_PREPARE_NO_VTAB, &from, NULL);
  sqlite3_free(query);
  if (rc == SQLITE_ERROR) { /* there is none */
    (void)sqlite3_finalize(from);
    return MPG_OK;
  }
  if (rc == SQLITE_OK) {
    create = copy_sql(from, name, true);
    insert = copy_sql(from, name, false);
    rc = create == NULL || insert == NULL ? SQLITE_NOMEM
                                          : sqlite3_exec(p->db, create, NULL, NULL, NULL);
  }
  if (rc == SQLITE_OK)
    rc = sqlite3_prepare_v2(p->db, insert, -1, &to, NULL);
  while (rc == SQLITE_OK && (rc = sqlite3_step(from)) == SQLITE_ROW)
    rc = copy_row(from, to);
  sqlite3_free(create);
  sqlite3_free(insert);
  (void)sqlite3_finalize(to);
  (void)sqlite3_finalize(from);
  return rc == SQLITE_DONE ? MPG_OK : mpg_private_failure(p, rc, err);
}

static mpg_rc copy_tables(mpg_private_db *p, sqlite3 *host, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  for (size_t i = 0; rc == MPG_OK && mpg_user_tables[i] != NULL; i++)
    rc = copy_table(p, host, mpg_user_tables[i], err);
  return rc;
}

static uint64_t hash_value(uint64_t hash, sqlite3_value *v) {
  const mpg_value value = mpg_value_of(v);
  struct {
    uint64_t before, bytes;
    int64_t type, integer;
    double real;
  } mixed = {hash, 0, sqlite3_value_type(v), 0, 0};
  if (value.type == MPG_INT)
    mixed.integer = value.i;
  else if (value.type == MPG_REAL)
    mixed.real = value.r;
  else if (value.type == MPG_TEXT)
    mixed.bytes = mpg_hash(hash, value.s.p, value.s.n);
  return mpg_hash(hash, &mixed, sizeof mixed);
}

/* Adds one table's names of columns and its rows. */
static int hash_table(sqlite3 *host, const char *name, uint64_t *hash) {
  sqlite3_stmt *from = NULL;
  char *query = sqlite3_mprintf("SELECT * FROM \"%w\"", name);
  int rc = query == NULL ? SQLITE_NOMEM
                         : sqlite3_prepare_v3(host, query, -1, SQLITE_PREPARE_NO_VTAB, &from, NULL);
  sqlite3_free(query);
  if (rc == SQLITE_ERROR) { /* there is none */
    (void)sqlite3_finalize(from);
    *hash = mpg_hash(*hash, "", 1);
    return SQLITE_OK;
  }
  for (int i = 0; rc == SQLITE_OK && i < sqlite3_column_count(from); i++) {
    const char *column = sqlite3_column_name(from, i);
    if (column == NULL)
      rc = SQLITE_NOMEM;
    else
      *hash = mpg_hash(*hash, column, strlen(column) + 1);
  }
  while (rc == SQLITE_OK && (rc = sqlite3_step(from)) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(from); i++)
      *hash = hash_value(*hash, sqlite3_column_value(from, i));
    rc = SQLITE_OK;
  }
  (void)sqlite3_finalize(from);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

bool mpg_user_tables_hash(mpg_conn *host, uint64_t *out) {
  int rc = SQLITE_OK;
  *out = host->env.seed;
  for (size_t i = 0; rc == SQLITE_OK && mpg_user_tables[i] != NULL; i++)
    rc = hash_table(host->db, mpg_user_tables[i], out);
  return rc == SQLITE_OK;
}

/* ---- opening ---- */

mpg_rc mpg_private_open(mpg_private_db *p, mpg_conn *host, const mpg_env *env, mpg_err *err) {
  char *text = NULL;
  mpg_rc rc = MPG_OK;
  /* One thread at a time uses it: no call takes a mutex. */
  int code = sqlite3_open_v2(
      ":memory:", &p->db,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
  p->env = env;
  p->conn = NULL;
  if (code == SQLITE_OK)
    code = sqlite3_exec(p->db, SETTINGS, NULL, NULL, NULL);
  if (code == SQLITE_OK)
    code = host->register_all(p->db, host->no_files, &p->conn, &text);
  if (code == SQLITE_OK)
    code = mpg_add_math_functions(p->db);
  if (code != SQLITE_OK)
    rc = code == SQLITE_NOMEM
             ? mpg_fail_nomem(err)
             : mpg_fail(err, MPG_DATA, "%s", text != NULL ? text : sqlite3_errmsg(p->db));
  sqlite3_free(text);
  if (rc == MPG_OK) {
    p->conn->host_env = env;
    p->conn->limits = host->limits;
    p->conn->one_thread = host->one_thread;
    p->conn->cache_limit = 0; /* it closes after its question */
    sqlite3_limit(p->db, SQLITE_LIMIT_LENGTH, sqlite3_limit(host->db, SQLITE_LIMIT_LENGTH, -1));
    mpg_host_progress(p->db, STEPS_BETWEEN_POLLS, progress, p);
    rc = copy_tables(p, host->db, err);
  }
  if (rc != MPG_OK)
    mpg_private_close(p);
  return rc;
}

void mpg_private_close(mpg_private_db *p) {
  (void)sqlite3_close(p->db);
  *p = (mpg_private_db){NULL, NULL, NULL};
}

/* ---- scripts ---- */

static int bind_all(sqlite3_stmt *stmt, mpg_private_bind *bind, void *ctx) {
  int rc = SQLITE_OK;
  for (int i = 1; rc == SQLITE_OK && i <= sqlite3_bind_parameter_count(stmt); i++) {
    const char *name = sqlite3_bind_parameter_name(stmt, i);
    if (name != NULL)
      rc = bind(ctx, stmt, i, name + 1);
  }
  return rc;
}

#define IF "--@ if "
#define END "--@ end\n"

/* Behind the line "--@ end" of a block from `at`, which is in it, on. */
static const char *behind_block(const char *at) {
  for (size_t open = 1; open > 0; at++) {
    if ((at = strstr(at, "\n--@ ")) == NULL)
      return NULL;
    if (strncmp(at + 1, IF, sizeof IF - 1) == 0)
      open++;
    else
      open--;
  }
  return at + sizeof END - 1;
}

/* Whether the condition of a block is true. */
static mpg_rc is_true(mpg_private_db *p, mpg_str condition, mpg_private_bind *bind, void *ctx,
                      bool *yes, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  char *query = sqlite3_mprintf("SELECT %.*s", (int)condition.n, condition.p);
  int code = query == NULL ? SQLITE_NOMEM : sqlite3_prepare_v2(p->db, query, -1, &stmt, NULL);
  sqlite3_free(query);
  if (code == SQLITE_OK && bind != NULL)
    code = bind_all(stmt, bind, ctx);
  if (code == SQLITE_OK)
    code = sqlite3_step(stmt);
  *yes = code == SQLITE_ROW && sqlite3_column_int(stmt, 0) != 0;
  (void)sqlite3_finalize(stmt);
  return code == SQLITE_ROW ? MPG_OK : mpg_private_failure(p, code, err);
}

/* Moves `*sql` behind the blocks that begin there and whose conditions are not true. */
static mpg_rc pass_over(mpg_private_db *p, const char **sql, mpg_private_bind *bind, void *ctx,
                        mpg_err *err) {
  for (;;) {
    const char *at = *sql + strspn(*sql, " \n");
    if (strncmp(at, END, sizeof END - 1) == 0) {
      *sql = at + sizeof END - 1;
    } else if (strncmp(at, IF, sizeof IF - 1) == 0) {
      const char *condition = at + sizeof IF - 1;
      const size_t n = strcspn(condition, "\n");
      bool yes;
      mpg_rc rc = is_true(p, (mpg_str){condition, n}, bind, ctx, &yes, err);
      if (rc != MPG_OK)
        return rc;
      if ((*sql = yes ? condition + n : behind_block(condition)) == NULL)
        return mpg_fail(err, MPG_DATA, "a block of a script has no end");
    } else {
      return MPG_OK;
    }
  }
}

static mpg_rc run_statements(mpg_private_db *p, const char *sql, mpg_private_bind *bind, void *ctx,
                             mpg_rc (*row)(void *ctx, sqlite3_stmt *stmt, mpg_err *err),
                             mpg_err *err) {
  mpg_rc rc = MPG_OK;
  while (rc == MPG_OK && *sql != '\0') {
    sqlite3_stmt *stmt = NULL;
    int code;
    if ((rc = pass_over(p, &sql, bind, ctx, err)) != MPG_OK)
      break;
    code = sqlite3_prepare_v2(p->db, sql, -1, &stmt, &sql);
    if (code == SQLITE_OK && stmt == NULL) /* a comment, or blanks */
      continue;
    if (code == SQLITE_OK && bind != NULL)
      code = bind_all(stmt, bind, ctx);
    while (rc == MPG_OK && code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
      rc = row == NULL ? MPG_OK : row(ctx, stmt, err);
      code = SQLITE_OK;
    }
    if (rc == MPG_OK && code != SQLITE_OK && code != SQLITE_DONE)
      rc = mpg_private_failure(p, code, err);
    (void)sqlite3_finalize(stmt);
  }
  return rc;
}

mpg_rc mpg_private_run(mpg_private_db *p, const char *sql, mpg_private_bind *bind, void *ctx,
                       mpg_rc (*row)(void *ctx, sqlite3_stmt *stmt, mpg_err *err), mpg_err *err) {
  char *without;
  mpg_rc rc;
  if (mpg_host_without_hints(sql, &without) != SQLITE_OK)
    return mpg_fail_nomem(err);
  rc = run_statements(p, without != NULL ? without : sql, bind, ctx, row, err);
  sqlite3_free(without);
  return rc;
}

mpg_rc mpg_private_do(mpg_private_db *p, mpg_err *err, const char *format, ...) {
  va_list args;
  char *sql;
  mpg_rc rc;
  va_start(args, format);
  sql = sqlite3_vmprintf(format, args);
  va_end(args);
  rc = sql == NULL ? mpg_fail_nomem(err) : mpg_private_run(p, sql, NULL, NULL, NULL, err);
  sqlite3_free(sql);
  return rc;
}

mpg_rc mpg_private_do_text(mpg_private_db *p, const char *sql, mpg_err *err) {
  return mpg_private_run(p, sql, NULL, NULL, NULL, err);
}

mpg_rc mpg_private_prepare(mpg_private_db *p, const char *sql, sqlite3_stmt **out, mpg_err *err) {
  char *without;
  int code = mpg_host_without_hints(sql, &without);
  if (code == SQLITE_OK)
    code = sqlite3_prepare_v2(p->db, without != NULL ? without : sql, -1, out, NULL);
  sqlite3_free(without);
  return code == SQLITE_OK ? MPG_OK : mpg_private_failure(p, code, err);
}

mpg_rc mpg_private_ask(mpg_private_db *p, const char *sql, int64_t value, int64_t *out,
                       mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  mpg_rc rc = mpg_private_prepare(p, sql, &stmt, err);
  *out = 0;
  if (rc != MPG_OK)
    return rc;
  if (sqlite3_bind_parameter_count(stmt) > 0)
    (void)sqlite3_bind_int64(stmt, 1, value);
  switch (sqlite3_step(stmt)) {
  case SQLITE_ROW:
    *out = sqlite3_column_int64(stmt, 0);
    break;
  case SQLITE_DONE:
    break;
  default:
    rc = mpg_private_failure(p, sqlite3_errcode(p->db), err);
    break;
  }
  (void)sqlite3_finalize(stmt);
  return rc;
}

mpg_rc mpg_private_run_made(mpg_private_db *p, const char *query, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  char *sql = NULL;
  mpg_rc rc = mpg_private_prepare(p, query, &stmt, err);
  if (rc == MPG_OK) {
    int code = sqlite3_step(stmt);
    if (code == SQLITE_ROW)
      sql = mpg_host_copy_text(stmt, 0);
    else
      rc = mpg_private_failure(p, code, err);
  }
  (void)sqlite3_finalize(stmt);
  if (rc == MPG_OK)
    rc = sql == NULL ? mpg_fail_nomem(err) : mpg_private_do_text(p, sql, err);
  sqlite3_free(sql);
  return rc;
}
