/* connection.c - connection state, registration, errors and interruption for the glue: see
** connection.h. */
#include "connection.h"
#include "host.h"
#include "../base/number.h"
#include "../base/pipeline.h"
#include "../base/text.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>

static void *sqlite_resize(void *ctx, void *p, size_t n) {
  (void)ctx;
  if (n == 0) {
    sqlite3_free(p);
    return NULL;
  }
  return sqlite3_realloc64(p, n);
}

mpg_conn *mpg_conn_new(sqlite3 *db) {
  mpg_conn *conn = sqlite3_malloc64(sizeof *conn);
  if (conn == NULL)
    return NULL;
  memset(conn, 0, sizeof *conn);
  conn->db = db;
  conn->env.resize = sqlite_resize;
  mpg_limits_init(&conn->limits);
  conn->env.limits = &conn->limits;
  sqlite3_randomness(sizeof conn->env.seed, &conn->env.seed);
  conn->references = 1;
  mpg_issues_init(&conn->issues, &conn->env);
  return conn;
}

void mpg_conn_on_close(mpg_conn *conn, void (*close)(mpg_conn *conn)) {
  for (size_t i = 0; i < conn->closes; i++)
    if (conn->on_close[i] == close)
      return;
  assert(conn->closes < MPG_CONN_CLOSES);
  conn->on_close[conn->closes++] = close;
}

void mpg_conn_release(void *p) {
  mpg_conn *conn = p;
  if (--conn->references > 0)
    return;
  while (conn->closes > 0)
    conn->on_close[--conn->closes](conn);
  mpg_issues_free(&conn->issues);
  sqlite3_free(conn);
}

/* What a registered function finds in sqlite3_user_data. */
typedef struct function_data {
  mpg_conn *conn;
  const mpg_function *function;
} function_data;

static void function_data_free(void *p) {
  function_data *data = p;
  mpg_conn_release(data->conn);
  sqlite3_free(data);
}

const mpg_function *mpg_function_of(sqlite3_context *context) {
  return ((function_data *)sqlite3_user_data(context))->function;
}

mpg_conn *mpg_conn_of(sqlite3_context *context) {
  return ((function_data *)sqlite3_user_data(context))->conn;
}

/* Whether this very version was loaded into the connection before. */
static bool loaded_before(sqlite3 *db) {
  sqlite3_stmt *query;
  bool same = false;
  if (sqlite3_prepare_v2(db, "SELECT mpg_version()", -1, &query, NULL) == SQLITE_OK &&
      sqlite3_step(query) == SQLITE_ROW) {
    const char *version = (const char *)sqlite3_column_text(query, 0);
    same = version != NULL && strcmp(version, MPG_VERSION) == 0;
  }
  (void)sqlite3_finalize(query);
  return same;
}

static int name_failure(mpg_conn *conn, const char *name, int rc, char **error) {
  *error = sqlite3_mprintf("mpg: cannot register %s: %s", name, sqlite3_errmsg(conn->db));
  return rc;
}

int mpg_register_functions(mpg_conn *conn, const mpg_function *table, size_t n, char **error) {
  for (size_t i = 0; i < n; i++) {
    const mpg_function *f = &table[i];
    function_data *data = sqlite3_malloc64(sizeof *data);
    int rc, flags = SQLITE_UTF8 | f->flags;
    if (data == NULL)
      return SQLITE_NOMEM;
    *data = (function_data){conn, f};
    conn->references++;
    /* On failure SQLite has already called the destructor. */
    if (f->inverse != NULL)
      rc = sqlite3_create_window_function(conn->db, f->name, f->nargs, flags, data, f->step,
                                          f->final, f->value, f->inverse, function_data_free);
    else
      rc = sqlite3_create_function_v2(conn->db, f->name, f->nargs, flags, data, f->func, f->step,
                                      f->final, function_data_free);
    /* SQLite replaces no function while a statement runs; the one of the same version serves. */
    if (rc == SQLITE_BUSY && loaded_before(conn->db))
      rc = SQLITE_OK;
    if (rc != SQLITE_OK)
      return name_failure(conn, f->name, rc, error);
  }
  return SQLITE_OK;
}

static void module_data_free(void *p) {
  mpg_module_data *data = p;
  mpg_conn_release(data->conn);
  sqlite3_free(data);
}

int mpg_register_modules(mpg_conn *conn, const mpg_module *table, size_t n, char **error) {
  for (size_t i = 0; i < n; i++) {
    mpg_module_data *data = sqlite3_malloc64(sizeof *data);
    int rc;
    if (data == NULL)
      return SQLITE_NOMEM;
    *data = (mpg_module_data){conn, &table[i]};
    conn->references++;
    rc = sqlite3_create_module_v2(conn->db, table[i].name, table[i].module, data, module_data_free);
    if (rc != SQLITE_OK)
      return name_failure(conn, table[i].name, rc, error);
  }
  return SQLITE_OK;
}

int mpg_register_file_modules(mpg_conn *conn, const mpg_module *table, size_t n, char **error) {
  return conn->no_files ? SQLITE_OK : mpg_register_modules(conn, table, n, error);
}

bool mpg_conn_threads(const mpg_conn *conn) {
  sqlite3_mutex *a, *b;
  bool real;
  if (conn->one_thread || sqlite3_threadsafe() == 0)
    return false;
  if (sqlite3_db_mutex(conn->db) != NULL)
    return true;
  /* SQLITE_CONFIG_SINGLETHREAD has no query; it shows in that all mutexes are the same one. */
  a = sqlite3_mutex_alloc(SQLITE_MUTEX_FAST);
  b = sqlite3_mutex_alloc(SQLITE_MUTEX_FAST);
  real = a != NULL && b != NULL && a != b;
  if (a != NULL)
    sqlite3_mutex_free(a);
  if (b != NULL)
    sqlite3_mutex_free(b);
  return real;
}

mpg_rc mpg_threads_given(const mpg_conn *conn, const mpg_value *argument, int *threads,
                         mpg_err *err) {
  const int most = 16; /* not all of a large machine, unless requested */
  const int available = mpg_threads_available();
  int64_t n = 0;
  _Static_assert(MPG_THREADS_MAX == 64, "the error below says so");
  *threads = available < most ? available : most;
  if (argument->type != MPG_NULL && (!mpg_value_int(argument, &n) || n < 1 || n > MPG_THREADS_MAX))
    return mpg_fail_argument(err, "threads", "a whole number from 1 to 64", argument);
  if (argument->type != MPG_NULL)
    *threads = (int)n;
  if (!mpg_conn_threads(conn))
    *threads = 1;
  return MPG_OK;
}

int mpg_declare_table(sqlite3 *db, const char *name, const char *declared, char **error) {
  static const struct {
    int limit;
    const char *name;
  } limits[] = {{SQLITE_LIMIT_LENGTH, "SQLITE_LIMIT_LENGTH"},
                {SQLITE_LIMIT_SQL_LENGTH, "SQLITE_LIMIT_SQL_LENGTH"}};
  size_t n = strlen(declared);
  int rc;
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    int most = sqlite3_limit(db, limits[i].limit, -1);
    if (n <= (size_t)most)
      continue;
    *error = sqlite3_mprintf("%s: %s is %d: the table is declared in %lld bytes", name,
                             limits[i].name, most, (sqlite3_int64)n);
    return *error == NULL ? SQLITE_NOMEM : SQLITE_TOOBIG;
  }
  rc = sqlite3_declare_vtab(db, declared);
  if (rc != SQLITE_OK)
    *error = sqlite3_mprintf("%s: %s", name, sqlite3_errmsg(db));
  return rc;
}

int mpg_table_connect(sqlite3 *db, void *aux, const char *declared, int tier, sqlite3_vtab **out,
                      char **error) {
  const mpg_module_data *data = aux;
  mpg_table *table;
  int rc = mpg_declare_table(db, data->module->name, declared, error);
  if (rc == SQLITE_OK && tier != 0)
    rc = sqlite3_vtab_config(db, tier);
  if (rc != SQLITE_OK)
    return rc;
  table = sqlite3_malloc64(sizeof *table);
  if (table == NULL)
    return SQLITE_NOMEM;
  memset(table, 0, sizeof *table);
  table->conn = data->conn;
  table->conn->references++;
  table->module = data->module;
  *out = &table->base;
  return SQLITE_OK;
}

int mpg_table_disconnect(sqlite3_vtab *vtab) {
  mpg_conn_release(((mpg_table *)vtab)->conn);
  sqlite3_free(vtab);
  return SQLITE_OK;
}

int mpg_cursor_open(size_t size, sqlite3_vtab_cursor **out) {
  *out = sqlite3_malloc64(size);
  if (*out == NULL)
    return SQLITE_NOMEM;
  memset(*out, 0, size);
  return SQLITE_OK;
}

/* Stepping any statement of an interrupted connection fails at once, in every version of SQLite. */
static bool scan_interrupted(void *ctx) {
  mpg_query_env *scan = ctx;
  int rc = sqlite3_step(scan->probe);
  (void)sqlite3_reset(scan->probe);
  return rc == SQLITE_INTERRUPT ||
         (scan->env.progress != NULL && mpg_progress_poll(&scan->conn->progress, scan->conn->db));
}

static void add_locked_file(mpg_locked_files *held, const char *path) {
  struct stat st;
  if (stat(path, &st) != 0)
    return;
  held->file[held->n].device = (uint64_t)st.st_dev;
  held->file[held->n].inode = (uint64_t)st.st_ino;
  held->n++;
}

/* SQLite locks a database in its file, and one with a WAL in that of the WAL's index. */
static int hold_database(mpg_query_env *scan, sqlite3 *db, const char *name) {
  const char *path = sqlite3_db_filename(db, name);
  mpg_locked_files *grown;
  char *index;
  if (path == NULL || *path == '\0')
    return SQLITE_OK;
  grown = sqlite3_realloc64(scan->held, sizeof *grown + (scan->held->n + 2) * sizeof *grown->file);
  if (grown == NULL)
    return SQLITE_NOMEM;
  scan->held = grown;
  index = sqlite3_mprintf("%s-shm", path);
  if (index == NULL)
    return SQLITE_NOMEM;
  add_locked_file(scan->held, path);
  add_locked_file(scan->held, index);
  sqlite3_free(index);
  return SQLITE_OK;
}

static int hold_databases(mpg_query_env *scan, sqlite3 *db) {
  char *name;
  int rc;
  scan->held = sqlite3_malloc64(sizeof *scan->held);
  if (scan->held == NULL)
    return SQLITE_NOMEM;
  scan->held->n = 0;
  rc = mpg_host_database(db, 0, &name);
  for (int i = 1; rc == SQLITE_OK && name != NULL; i++) {
    rc = hold_database(scan, db, name);
    sqlite3_free(name);
    name = NULL;
    if (rc == SQLITE_OK)
      rc = mpg_host_database(db, i, &name);
  }
  return rc;
}

int mpg_query_env_begin(mpg_query_env *scan, mpg_conn *conn) {
  int rc = sqlite3_prepare_v2(conn->db, "SELECT 1", -1, &scan->probe, NULL);
  scan->held = NULL;
  scan->counted = false;
  scan->conn = conn;
  if (rc == SQLITE_OK)
    rc = hold_databases(scan, conn->db);
  if (rc != SQLITE_OK) {
    mpg_query_env_end(scan);
    return rc;
  }
  scan->env = conn->env;
  scan->limits = conn->limits;
  if (conn->no_files) /* a temporary one, too */
    scan->limits.of[MPG_LIMIT_PACKED_BYTES] = mpg_limit_get(MPG_LIMIT_PACKED_BYTES)->most;
  scan->env.limits = &scan->limits;
  scan->env.interrupted = scan_interrupted;
  scan->env.interrupted_ctx = scan;
  scan->env.held = scan->held;
  if (conn->host_env != NULL) {
    scan->env.interrupted = conn->host_env->interrupted;
    scan->env.interrupted_ctx = conn->host_env->interrupted_ctx;
    scan->env.held = conn->host_env->held;
    scan->env.opened = conn->host_env->opened;
    scan->env.maps = true;
    scan->env.looked = conn->host_env->looked;
    scan->env.progress = conn->host_env->progress;
  } else {
    scan->env.progress = mpg_progress_scan_begin(&conn->progress);
    scan->counted = scan->env.progress != NULL;
  }
  return SQLITE_OK;
}

void mpg_query_env_end(mpg_query_env *scan) {
  if (scan->counted)
    mpg_progress_scan_end(&scan->conn->progress);
  scan->counted = false;
  scan->env.progress = NULL;
  sqlite3_finalize(scan->probe);
  sqlite3_free(scan->held);
  scan->probe = NULL;
  scan->held = NULL;
}
