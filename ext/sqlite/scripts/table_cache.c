/* table_cache.c - see table_cache.h. */
#include "table_cache.h"
#include "private_db.h"

#include <string.h>

struct mpg_table_cache_key {
  const mpg_env *env;
  const char *function; /* the script's, which is always there */
  sqlite3_value *arguments[MPG_SHAPE_ARGUMENTS];
  uint64_t user_tables;
  mpg_limits limits;
  mpg_looked looked;
  mpg_intern reported; /* the names under which issues are listed */
};

/* ---- keys ---- */

bool mpg_same_argument(sqlite3_value *a, sqlite3_value *b) {
  mpg_value x = {MPG_NULL, 0, 0.0, {NULL, 0}}, y = x;
  if (a != NULL)
    x = mpg_value_of(a);
  if (b != NULL)
    y = mpg_value_of(b);
  if (x.type != y.type)
    return false;
  if (x.type == MPG_INT)
    return x.i == y.i;
  return x.type == MPG_NULL || (x.type == MPG_REAL ? x.r == y.r : mpg_str_eq(x.s, y.s));
}

static void key_free(struct mpg_table_cache_key *k) {
  if (k == NULL)
    return;
  for (int i = 0; i < MPG_SHAPE_ARGUMENTS; i++)
    sqlite3_value_free(k->arguments[i]);
  mpg_looked_free(&k->looked);
  mpg_intern_free(&k->reported);
  mpg_free(k->env, k);
}

/* NULL if it cannot be had, for any reason: reading will give the error. */
static struct mpg_table_cache_key *key_new(mpg_conn *conn, const mpg_table_shape *shape,
                                           sqlite3_value *const *arguments) {
  struct mpg_table_cache_key *k = mpg_calloc(&conn->env, sizeof *k);
  bool fine = k != NULL;
  if (!fine)
    return NULL;
  k->env = &conn->env;
  k->function = shape->name.p;
  k->limits = conn->limits;
  mpg_looked_init(&k->looked, k->env);
  mpg_intern_init(&k->reported, k->env);
  for (int i = 0; fine && i < shape->narguments; i++)
    if (arguments[i] != NULL) {
      k->arguments[i] = sqlite3_value_dup(arguments[i]);
      fine = k->arguments[i] != NULL;
    }
  if (!fine || !mpg_user_tables_hash(conn, &k->user_tables)) {
    key_free(k);
    return NULL;
  }
  return k;
}

static bool same_question(const struct mpg_table_cache_key *a,
                          const struct mpg_table_cache_key *b) {
  bool same = a->function == b->function;
  for (int i = 0; same && i < MPG_SHAPE_ARGUMENTS; i++)
    same = mpg_same_argument(a->arguments[i], b->arguments[i]);
  return same;
}

/* Whether issues of this source are those of the key. */
static bool is_of(const void *key, const char *source) {
  const struct mpg_table_cache_key *k = key;
  return mpg_intern_find(&k->reported, mpg_str_of(source)) != 0;
}

/* ---- entries ---- */

static void rows_free(mpg_cache_entry *base) {
  mpg_table_rows *e = (mpg_table_rows *)base;
  const mpg_env *env = e->key->env;
  mpg_issues_free(&e->issues);
  mpg_row_store_free(&e->rows);
  key_free(e->key);
  mpg_free(env, e);
}

void mpg_table_rows_release(mpg_table_rows *rows) {
  mpg_cache_release(rows == NULL ? NULL : &rows->base);
}

/* Whether the entry is of the same function and arguments. */
static bool is_answer(const mpg_cache_entry *e, const void *key) {
  return e->free == rows_free && same_question(((const mpg_table_rows *)e)->key, key);
}

mpg_table_rows *mpg_table_cache_begin(mpg_table_cache_fill *fill, mpg_conn *conn, mpg_env *env,
                                      const mpg_table_shape *shape,
                                      sqlite3_value *const *arguments) {
  mpg_cache_entry *at = conn->cache;
  *fill = (mpg_table_cache_fill){conn, env, NULL};
  if (conn->cache_limit > 0)
    fill->key = key_new(conn, shape, arguments);
  if (fill->key == NULL)
    return NULL;
  env->looked = &fill->key->looked;
  while (at != NULL && !is_answer(at, fill->key))
    at = at->next;
  if (at != NULL) { /* there is one of a question at most */
    mpg_table_rows *e = (mpg_table_rows *)at;
    if (e->key->user_tables != fill->key->user_tables ||
        memcmp(&e->key->limits, &fill->key->limits, sizeof fill->key->limits) != 0 ||
        !mpg_looked_same(&e->key->looked, env))
      return NULL;
    mpg_cache_use(conn, at);
    if (mpg_cache_list_again(conn, &e->issues, is_of, e->key) == MPG_OK)
      return e;
    mpg_cache_release(at);
  }
  return NULL;
}

mpg_intern *mpg_table_cache_reported(const mpg_table_cache_fill *fill) {
  return fill->key == NULL ? NULL : &fill->key->reported;
}

/* Copies the rows that the statement still gives, as far as `limit` bytes: *all if those are all.
** What stepping said. */
static int copy_rows(mpg_row_store *to, sqlite3_stmt *rows, size_t limit, bool *all) {
  int rc;
  *all = false;
  for (size_t n = 0; (rc = sqlite3_step(rows)) == SQLITE_ROW; n++)
    if (mpg_row_store_add(to, rows) != MPG_OK || (n % 256 == 0 && mpg_row_store_bytes(to) > limit))
      return SQLITE_OK;
  *all = rc == SQLITE_DONE;
  return rc;
}

/* Without rows, for the fill's question, whose key it takes; NULL: there is no memory. */
static mpg_table_rows *entry_new(mpg_table_cache_fill *fill) {
  mpg_table_rows *e = mpg_calloc(&fill->conn->env, sizeof *e);
  if (e == NULL)
    return NULL;
  e->base = (mpg_cache_entry){.users = 1, .free = rows_free};
  e->key = fill->key;
  mpg_issues_init(&e->issues, &fill->conn->env);
  return e;
}

/* Puts it where the next one of its question finds it. */
static void entry_add(mpg_table_cache_fill *fill, mpg_table_rows *e) {
  fill->key = NULL;
  fill->env->looked = NULL;
  e->base.bytes = sizeof *e + mpg_row_store_bytes(&e->rows) + mpg_looked_bytes(&e->key->looked);
  mpg_cache_drop(fill->conn, is_answer, e->key);
  mpg_cache_add(fill->conn, &e->base);
}

int mpg_table_cache_end(mpg_table_cache_fill *fill, sqlite3_stmt *rows, mpg_table_rows **out) {
  mpg_conn *conn = fill->conn;
  mpg_table_rows *e;
  bool all;
  int rc;
  *out = NULL;
  if (fill->key == NULL || !mpg_looked_lasts(&fill->key->looked, fill->env))
    return SQLITE_DONE;
  e = entry_new(fill);
  if (e == NULL)
    return SQLITE_DONE;
  mpg_row_store_init(&e->rows, &conn->env, sqlite3_column_count(rows));
  rc = copy_rows(&e->rows, rows, conn->cache_limit, &all);
  /* Views read as they are stepped through. */
  if (all && mpg_looked_lasts(&e->key->looked, fill->env) &&
      mpg_cache_copy_issues(&e->issues, conn, is_of, e->key) == MPG_OK) {
    entry_add(fill, e);
    *out = e;
    return SQLITE_DONE;
  }
  if (rc == SQLITE_OK || rc == SQLITE_DONE) /* not to be had: they are read again */
    rc = sqlite3_reset(rows) == SQLITE_OK ? SQLITE_DONE : SQLITE_ERROR;
  mpg_issues_free(&e->issues);
  mpg_row_store_free(&e->rows);
  mpg_free(&conn->env, e);
  return rc;
}

mpg_table_rows *mpg_table_cache_add(mpg_table_cache_fill *fill, mpg_row_store *rows,
                                    mpg_issues *issues) {
  mpg_table_rows *e = NULL;
  if (fill->key != NULL && mpg_looked_lasts(&fill->key->looked, fill->env))
    e = entry_new(fill);
  if (e == NULL)
    return NULL;
  e->rows = *rows;
  e->issues = *issues;
  memset(rows, 0, sizeof *rows);
  memset(issues, 0, sizeof *issues);
  entry_add(fill, e);
  return e;
}

void mpg_table_cache_fill_free(mpg_table_cache_fill *fill) {
  if (fill->key != NULL)
    fill->env->looked = NULL;
  key_free(fill->key);
  fill->key = NULL;
}
