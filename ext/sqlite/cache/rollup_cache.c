/* rollup_cache.c - see rollup_cache.h. */
#include "rollup_cache.h"
#include "../catalogue.h"
#include "../sqlite_relations.h"

#include <string.h>

enum { OPTIONS = 14 };

struct mpg_rollup_cache_key {
  const mpg_env *env;
  mpg_looked looked;   /* what the files are; of tables nothing */
  mpg_intern reported; /* what else issues of the files are listed under */
  char *path;          /* or, of tables, the schema under which their issues are listed */
  size_t path_n;
  bool of_tables;
  mpg_relation_tables tables;
  mpg_tables_state tables_state;
  int64_t options[OPTIONS];
  mpg_limits limits;
  uint64_t chips;       /* of the catalogue, less what the files add */
  uint64_t user_tables; /* that scripts read */
};

/* ---- keys ---- */

static void key_free(struct mpg_rollup_cache_key *k) {
  if (k == NULL)
    return;
  mpg_looked_free(&k->looked);
  if (k->reported.env != NULL)
    mpg_intern_free(&k->reported);
  mpg_free(k->env, k->path);
  mpg_free(k->env, k);
}

/* All but the files or tables; NULL if that is unknown, for any reason: reading will give the
** error. */
static struct mpg_rollup_cache_key *key_new(mpg_conn *conn, mpg_str path,
                                            const mpg_rollup_question *q) {
  const mpg_ledger_options *o = q->options;
  struct mpg_rollup_cache_key *k = mpg_calloc(&conn->env, sizeof *k);
  const int64_t options[OPTIONS] = {o->window.since,
                                    o->window.until,
                                    o->window.bucket.width_us,
                                    o->window.bucket.origin_us,
                                    o->window.bucket.months,
                                    o->window.bucket.ahead_us,
                                    o->rules.as_of,
                                    o->rules.basis,
                                    o->rules.memory_roofline,
                                    o->rules.sizes.from[0],
                                    o->rules.sizes.from[1],
                                    o->rules.sizes.from[2],
                                    q->on_error,
                                    q->rows > 0};
  if (k == NULL)
    return NULL;
  k->env = &conn->env;
  k->limits = conn->limits;
  memcpy(k->options, options, sizeof options);
  k->path = mpg_calloc(k->env, path.n + 1);
  k->path_n = path.n;
  if (k->path == NULL || !mpg_catalogue_hash(conn, &k->chips)) {
    key_free(k);
    return NULL;
  }
  if (path.n > 0)
    memcpy(k->path, path.p, path.n);
  return k;
}

static struct mpg_rollup_cache_key *key_of_files(mpg_conn *conn, mpg_str path,
                                                 const mpg_rollup_question *question) {
  struct mpg_rollup_cache_key *k = key_new(conn, path, question);
  if (k == NULL)
    return NULL;
  mpg_looked_init(&k->looked, k->env);
  mpg_intern_init(&k->reported, k->env);
  k->user_tables = question->user_tables;
  return k;
}

static struct mpg_rollup_cache_key *key_of_tables(mpg_conn *conn, const char *schema,
                                                  const mpg_rollup_question *question) {
  struct mpg_rollup_cache_key *k =
      key_new(conn, mpg_str_of(schema == NULL ? "main" : schema), question);
  if (k == NULL)
    return NULL;
  k->of_tables = true;
  mpg_relations_find(&k->tables, conn, schema);
  if (!k->tables.known || !mpg_tables_look(&k->tables_state, conn->db)) {
    key_free(k);
    return NULL;
  }
  return k;
}

static bool same_tables(const struct mpg_rollup_cache_key *a,
                        const struct mpg_rollup_cache_key *b) {
  return a->tables.n == b->tables.n && a->tables.known == b->tables.known &&
         memcmp(a->tables.source, b->tables.source, sizeof a->tables.source) == 0 &&
         memcmp(&a->tables_state, &b->tables_state, sizeof a->tables_state) == 0;
}

/* Whether both are of the same path, or of the same tables, and have the same options. */
static bool same_question(const struct mpg_rollup_cache_key *a,
                          const struct mpg_rollup_cache_key *b) {
  return a->of_tables == b->of_tables && a->path_n == b->path_n &&
         memcmp(a->path, b->path, a->path_n) == 0 &&
         memcmp(a->options, b->options, sizeof a->options) == 0;
}

static bool same_key(const struct mpg_rollup_cache_key *a, const struct mpg_rollup_cache_key *b) {
  return same_question(a, b) && a->chips == b->chips && a->user_tables == b->user_tables &&
         memcmp(&a->limits, &b->limits, sizeof a->limits) == 0 && same_tables(a, b);
}

/* The files or tables are unchanged, and a later change would be noticed. */
static bool is_trusted(const struct mpg_rollup_cache_key *k, const mpg_env *env, sqlite3 *db) {
  mpg_tables_state now;
  if (!k->of_tables)
    return mpg_looked_lasts(&k->looked, env);
  return mpg_tables_look(&now, db) && memcmp(&now, &k->tables_state, sizeof now) == 0;
}

/* ---- entries ---- */

static void entry_free(mpg_cache_entry *base) {
  mpg_rollup_cache_entry *e = (mpg_rollup_cache_entry *)base;
  const mpg_env *env = e->key->env;
  mpg_fleet_free(&e->fleet);
  mpg_free(env, e->cells.p);
  mpg_ledger_free(&e->rows);
  mpg_issues_free(&e->issues);
  key_free(e->key);
  mpg_free(env, e);
}

void mpg_rollup_cache_release(mpg_rollup_cache_entry *e) {
  mpg_cache_release(e == NULL ? NULL : &e->base);
}

/* The key of an entry that is a roll-up; NULL: it is none. */
static const struct mpg_rollup_cache_key *key_of(const mpg_cache_entry *e) {
  return e->free == entry_free ? ((const mpg_rollup_cache_entry *)e)->key : NULL;
}

/* A source is the path, or one of its files; or the schema, or a table. */
static bool is_of(const void *key, const char *source) {
  const struct mpg_rollup_cache_key *k = key;
  for (size_t i = 0; i < k->tables.n; i++)
    if (strcmp(source, k->tables.source[i]) == 0)
      return true;
  return strcmp(source, k->path) == 0 || mpg_looked_has(&k->looked, source) ||
         (!k->of_tables && mpg_intern_find(&k->reported, mpg_str_of(source)) != 0);
}

/* The entry of the key that is looked up, with a reference; NULL: there is none. */
static mpg_rollup_cache_entry *find_entry(const mpg_rollup_cache_fill *fill) {
  mpg_conn *conn = fill->conn;
  mpg_cache_entry *at = fill->key == NULL ? NULL : conn->cache;
  for (; at != NULL; at = at->next) {
    mpg_rollup_cache_entry *e = (mpg_rollup_cache_entry *)at;
    if (key_of(at) == NULL || !same_key(e->key, fill->key) ||
        (e->rows.n < fill->rows && !e->all_rows) || !mpg_looked_same(&e->key->looked, fill->env))
      continue;
    mpg_cache_use(conn, at);
    if (mpg_cache_list_again(conn, &e->issues, is_of, e->key) == MPG_OK)
      return e;
    mpg_cache_release(at);
    return NULL;
  }
  return NULL;
}

static void fill_begin(mpg_rollup_cache_fill *fill, mpg_conn *conn, mpg_env *env,
                       const mpg_rollup_question *question) {
  fill->conn = conn;
  fill->env = env;
  fill->rows = question->rows;
}

mpg_rollup_cache_entry *mpg_rollup_cache_begin(mpg_rollup_cache_fill *fill, mpg_conn *conn,
                                               mpg_env *env, mpg_str path,
                                               const mpg_rollup_question *question) {
  fill_begin(fill, conn, env, question);
  fill->key = conn->cache_limit == 0 ? NULL : key_of_files(conn, path, question);
  if (fill->key != NULL)
    env->looked = &fill->key->looked;
  return find_entry(fill);
}

mpg_rollup_cache_entry *mpg_rollup_cache_begin_tables(mpg_rollup_cache_fill *fill, mpg_conn *conn,
                                                      mpg_env *env, const char *schema,
                                                      const mpg_rollup_question *question) {
  fill_begin(fill, conn, env, question);
  fill->key = conn->cache_limit == 0 ? NULL : key_of_tables(conn, schema, question);
  return find_entry(fill);
}

mpg_intern *mpg_rollup_cache_reported(mpg_rollup_cache_fill *fill) {
  return fill->key == NULL || fill->key->of_tables ? NULL : &fill->key->reported;
}

/* A quarter of what all answers may take: they are in memory beside the fleet. */
size_t mpg_rollup_cache_room(const mpg_rollup_cache_fill *fill) {
  return fill->key == NULL ? 0 : fill->conn->cache_limit / 4 / sizeof(mpg_cell);
}

/* An entry of the same path and options is of files that have changed since. */
static bool is_older(const mpg_cache_entry *e, const void *key) {
  return key_of(e) != NULL && same_question(key_of(e), key);
}

/* A new entry with the names of the fleet, which are taken out of it, or copied; one reference.
** NULL: it is not to be had. */
static mpg_rollup_cache_entry *entry_new(mpg_rollup_cache_fill *fill, mpg_fleet *fleet) {
  mpg_conn *conn = fill->conn;
  mpg_rollup_cache_entry *e;
  if (fill->key == NULL || !is_trusted(fill->key, fill->env, conn->db))
    return NULL;
  e = mpg_calloc(&conn->env, sizeof *e);
  if (e == NULL)
    return NULL;
  mpg_cache_drop(conn, is_older, fill->key);
  e->base.users = 1;
  e->base.free = entry_free;
  e->key = fill->key;
  fill->key = NULL;
  fill->env->looked = NULL;
  if (mpg_cache_copy_issues(&e->issues, conn, is_of, e->key) != MPG_OK) {
    mpg_rollup_cache_release(e);
    return NULL;
  }
  if (fill->copies_names) {
    if (mpg_fleet_copy_names(&e->fleet, fleet, &conn->env) != MPG_OK) {
      mpg_rollup_cache_release(e);
      return NULL;
    }
    return e;
  }
  e->fleet = *fleet;
  memset(fleet, 0, sizeof *fleet);
  mpg_fleet_names_only(&e->fleet, &conn->env);
  return e;
}

/* Puts an entry of `bytes` beside its names in front of the others; a second reference. */
static mpg_rollup_cache_entry *store_entry(mpg_conn *conn, mpg_rollup_cache_entry *e,
                                           size_t bytes) {
  e->base.bytes =
      sizeof *e + bytes + mpg_fleet_bytes(&e->fleet) + mpg_looked_bytes(&e->key->looked);
  mpg_cache_add(conn, &e->base);
  return e;
}

mpg_rollup_cache_entry *mpg_rollup_cache_end(mpg_rollup_cache_fill *fill, mpg_fleet *fleet,
                                             mpg_cells *cells) {
  mpg_rollup_cache_entry *e = cells->over ? NULL : entry_new(fill, fleet);
  if (e == NULL)
    return NULL;
  e->cells = *cells;
  memset(cells, 0, sizeof *cells);
  return store_entry(fill->conn, e, e->cells.cap * sizeof *e->cells.p);
}

mpg_rollup_cache_entry *mpg_rollup_cache_end_rows(mpg_rollup_cache_fill *fill, mpg_fleet *fleet,
                                                  mpg_ledger *rows, bool all) {
  mpg_rollup_cache_entry *e = entry_new(fill, fleet);
  if (e == NULL)
    return NULL;
  e->rows = *rows;
  e->rows.env = e->key->env;
  e->all_rows = all;
  mpg_ledger_init(rows, fill->env);
  return store_entry(fill->conn, e, e->rows.cap * MPG_ROW_COLUMNS * sizeof(int64_t));
}

void mpg_rollup_cache_fill_free(mpg_rollup_cache_fill *fill) {
  key_free(fill->key);
  fill->key = NULL;
}
