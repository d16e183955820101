/* rollup_cache.c - see rollup_cache.h; and mpg_keep(), its setting. */
#include "rollup_cache.h"
#include "catalogue.h"
#include "sqlite_relations.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND_NS INT64_C(1000000000)
#define TRUSTED_AGE (2 * SECOND_NS) /* the coarsest clock of file systems in use, FAT's */

enum { OPTIONS = 14 };

struct mpg_rollup_cache_key {
  const mpg_env *env;
  mpg_paths paths;
  char *path; /* or, of tables, the schema under which their issues are listed */
  size_t path_n;
  bool of_tables;
  mpg_relation_tables tables;
  mpg_tables_state tables_state;
  int64_t options[OPTIONS];
  uint64_t chips; /* of the catalogue, less what the files add */
  int64_t now_ns; /* when the paths were listed */
};

/* ---- keys ---- */

static int64_t ns_of(struct timespec t) {
  return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

static uint64_t mix(uint64_t h, const void *p, size_t n) {
  uint64_t pair[2] = {h, mpg_hash(h, p, n)};
  return mpg_hash(h, pair, sizeof pair);
}

static uint64_t mix_text(uint64_t h, const char *text) {
  return text == NULL ? mix(h, "", 0) : mix(h, text, strlen(text) + 1);
}

/* Everything that the accounting can see of a catalogue. */
static uint64_t chips_hash(const mpg_chips *chips, uint64_t seed) {
  uint64_t h = seed;
  for (size_t i = 0; i < mpg_chips_count(chips); i++) {
    const mpg_chip_row *r = mpg_chips_row(chips, i);
    double figures[5] = {r->peak_flops, r->hbm_bytes, r->hbm_bytes_per_s, r->ici_bytes_per_s,
                         r->tdp_w};
    h = mix_text(mix_text(mix(h, figures, sizeof figures), r->chip), r->dtype);
  }
  for (size_t i = 0; i < mpg_chips_alias_count(chips); i++) {
    const char *alias, *chip;
    mpg_chips_alias(chips, i, &alias, &chip);
    h = mix_text(mix_text(h, alias), chip);
  }
  return h;
}

static void key_free(struct mpg_rollup_cache_key *k) {
  if (k == NULL)
    return;
  mpg_paths_free(&k->paths);
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
  const mpg_chips *chips;
  mpg_err err;
  if (k == NULL)
    return NULL;
  k->env = &conn->env;
  k->paths.env = k->env; /* outlives the scan */
  memcpy(k->options, options, sizeof options);
  k->path = mpg_calloc(k->env, path.n + 1);
  k->path_n = path.n;
  chips = mpg_catalogue(conn, &err);
  if (k->path == NULL || chips == NULL) {
    mpg_catalogue_release(conn, chips);
    key_free(k);
    return NULL;
  }
  if (path.n > 0)
    memcpy(k->path, path.p, path.n);
  k->chips = chips_hash(chips, k->env->seed);
  mpg_catalogue_release(conn, chips);
  return k;
}

static struct mpg_rollup_cache_key *key_of_files(mpg_conn *conn, const mpg_env *env, mpg_str path,
                                                 mpg_str files,
                                                 const mpg_rollup_question *question) {
  struct mpg_rollup_cache_key *k = key_new(conn, path, question);
  struct timespec now;
  mpg_err err;
  bool fine;
  if (k == NULL)
    return NULL;
  (void)clock_gettime(CLOCK_REALTIME, &now);
  k->now_ns = ns_of(now);
  fine = mpg_paths_expand(&k->paths, env, files, &err) == MPG_OK;
  k->paths.env = k->env;
  if (!fine) {
    key_free(k);
    return NULL;
  }
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

static bool same_state(const mpg_file_state *a, const mpg_file_state *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

static bool same_tables(const struct mpg_rollup_cache_key *a,
                        const struct mpg_rollup_cache_key *b) {
  return a->tables.n == b->tables.n && a->tables.known == b->tables.known &&
         memcmp(a->tables.source, b->tables.source, sizeof a->tables.source) == 0 &&
         memcmp(&a->tables_state, &b->tables_state, sizeof a->tables_state) == 0;
}

/* Of the same path, or tables, and options. */
static bool same_question(const struct mpg_rollup_cache_key *a,
                          const struct mpg_rollup_cache_key *b) {
  return a->of_tables == b->of_tables && a->path_n == b->path_n &&
         memcmp(a->path, b->path, a->path_n) == 0 &&
         memcmp(a->options, b->options, sizeof a->options) == 0;
}

static bool same_key(const struct mpg_rollup_cache_key *a, const struct mpg_rollup_cache_key *b) {
  bool same =
      same_question(a, b) && a->chips == b->chips && a->paths.n == b->paths.n && same_tables(a, b);
  for (size_t i = 0; same && i < a->paths.n; i++) {
    const mpg_file *f = &a->paths.file[i], *g = &b->paths.file[i];
    same = strcmp(f->path, g->path) == 0 && same_state(&f->state, &g->state);
  }
  return same;
}

/* The files or tables are unchanged, and a later change would be noticed. */
static bool is_trusted(const struct mpg_rollup_cache_key *k, const mpg_env *env, sqlite3 *db) {
  if (k->of_tables) {
    mpg_tables_state now;
    return mpg_tables_look(&now, db) && memcmp(&now, &k->tables_state, sizeof now) == 0;
  }
  for (size_t i = 0; i < k->paths.n; i++) {
    const mpg_file *f = &k->paths.file[i];
    mpg_file_state now;
    if (mpg_interrupted(env) || !mpg_file_stat(f->path, &now) || !same_state(&now, &f->state) ||
        now.data_ns > k->now_ns - TRUSTED_AGE || now.status_ns > k->now_ns - TRUSTED_AGE)
      return false;
  }
  return true;
}

/* ---- entries ---- */

void mpg_rollup_cache_release(mpg_rollup_cache_entry *e) {
  const mpg_env *env;
  if (e == NULL || --e->users > 0)
    return;
  env = e->key->env;
  mpg_fleet_free(&e->fleet);
  mpg_free(env, e->cells.p);
  mpg_ledger_free(&e->rows);
  mpg_issues_free(&e->issues);
  key_free(e->key);
  mpg_free(env, e);
}

/* Drops the entries after the first that together fit `limit` bytes: the list is by last use. */
static void shrink_cache(mpg_conn *conn, size_t limit) {
  mpg_rollup_cache_entry **at = (mpg_rollup_cache_entry **)&conn->rollups;
  size_t bytes = 0;
  while (*at != NULL) {
    mpg_rollup_cache_entry *e = *at;
    bytes += e->bytes;
    if (bytes > limit) {
      bytes -= e->bytes;
      *at = e->next;
      mpg_rollup_cache_release(e);
    } else {
      at = &e->next;
    }
  }
}

static void drop_all(mpg_conn *conn) {
  shrink_cache(conn, 0);
}

static int by_bytes(const void *source, const void *file) {
  return strcmp(source, ((const mpg_file *)file)->path);
}

/* A source is the path, or one of its files, which are sorted; or the schema, or a table. */
static bool is_of(const void *key, const char *source) {
  const struct mpg_rollup_cache_key *k = key;
  for (size_t i = 0; i < k->tables.n; i++)
    if (strcmp(source, k->tables.source[i]) == 0)
      return true;
  return strcmp(source, k->path) == 0 ||
         bsearch(source, k->paths.file, k->paths.n, sizeof *k->paths.file, by_bytes) != NULL;
}

/* The connection's issues become what they were when the entry was made. */
static bool list_again(mpg_conn *conn, const mpg_rollup_cache_entry *e) {
  mpg_issues_drop_those(&conn->issues, is_of, e->key);
  for (size_t i = 0; i < e->issues.n; i++)
    if (mpg_issues_merge(&conn->issues, &e->issues.items[i]) != MPG_OK)
      return false;
  return true;
}

/* The entry of the key that is looked up, with a reference; NULL: there is none. */
static mpg_rollup_cache_entry *find_entry(const mpg_rollup_cache_fill *fill) {
  mpg_conn *conn = fill->conn;
  mpg_rollup_cache_entry **at = (mpg_rollup_cache_entry **)&conn->rollups;
  for (; fill->key != NULL && *at != NULL; at = &(*at)->next) {
    mpg_rollup_cache_entry *e = *at;
    if (!same_key(e->key, fill->key) || (e->rows.n < fill->rows && !e->all_rows))
      continue;
    *at = e->next; /* to the front */
    e->next = conn->rollups;
    conn->rollups = e;
    if (!list_again(conn, e))
      return NULL;
    e->users++;
    return e;
  }
  return NULL;
}

mpg_rollup_cache_entry *mpg_rollup_cache_begin(mpg_rollup_cache_fill *fill, mpg_conn *conn,
                                               const mpg_env *env, mpg_str path, mpg_str files,
                                               const mpg_rollup_question *question) {
  fill->conn = conn;
  fill->env = env;
  fill->rows = question->rows;
  fill->key = conn->rollups_limit == 0 ? NULL : key_of_files(conn, env, path, files, question);
  return find_entry(fill);
}

mpg_rollup_cache_entry *mpg_rollup_cache_begin_tables(mpg_rollup_cache_fill *fill, mpg_conn *conn,
                                                      const mpg_env *env, const char *schema,
                                                      const mpg_rollup_question *question) {
  fill->conn = conn;
  fill->env = env;
  fill->rows = question->rows;
  fill->key = conn->rollups_limit == 0 || conn->host_env != NULL /* closes after its question */
                  ? NULL
                  : key_of_tables(conn, schema, question);
  return find_entry(fill);
}

const mpg_paths *mpg_rollup_cache_paths(const mpg_rollup_cache_fill *fill) {
  return fill->key == NULL || fill->key->of_tables ? NULL : &fill->key->paths;
}

size_t mpg_rollup_cache_room(const mpg_rollup_cache_fill *fill) {
  return fill->key == NULL ? 0 : fill->conn->rollups_limit / sizeof(mpg_cell);
}

static bool copy_issues(mpg_conn *conn, mpg_rollup_cache_entry *e) {
  mpg_issues_init(&e->issues, &conn->env);
  for (size_t i = 0; i < conn->issues.n; i++)
    if (is_of(e->key, conn->issues.items[i].source) &&
        mpg_issues_merge(&e->issues, &conn->issues.items[i]) != MPG_OK)
      return false;
  return true;
}

/* An entry of the same path and options is of files that have changed since. */
static void drop_older(mpg_conn *conn, const struct mpg_rollup_cache_key *k) {
  mpg_rollup_cache_entry **at = (mpg_rollup_cache_entry **)&conn->rollups;
  while (*at != NULL) {
    mpg_rollup_cache_entry *e = *at;
    if (same_question(e->key, k)) {
      *at = e->next;
      mpg_rollup_cache_release(e);
    } else {
      at = &e->next;
    }
  }
}

/* A new entry with the names of the fleet, which are taken out of it; one reference. NULL: it is
** not to be had. */
static mpg_rollup_cache_entry *entry_new(mpg_rollup_cache_fill *fill, mpg_fleet *fleet) {
  mpg_conn *conn = fill->conn;
  mpg_rollup_cache_entry *e;
  if (fill->key == NULL || !is_trusted(fill->key, fill->env, conn->db))
    return NULL;
  e = mpg_calloc(&conn->env, sizeof *e);
  if (e == NULL)
    return NULL;
  drop_older(conn, fill->key);
  e->users = 1;
  e->key = fill->key;
  fill->key = NULL;
  if (!copy_issues(conn, e)) {
    mpg_rollup_cache_release(e);
    return NULL;
  }
  e->fleet = *fleet;
  memset(fleet, 0, sizeof *fleet);
  mpg_fleet_names_only(&e->fleet, &conn->env);
  return e;
}

/* Puts an entry of `bytes` beside its names in front of the others; a second reference. */
static mpg_rollup_cache_entry *store_entry(mpg_conn *conn, mpg_rollup_cache_entry *e,
                                           size_t bytes) {
  e->bytes = sizeof *e + bytes + mpg_fleet_bytes(&e->fleet) + e->key->paths.n * sizeof(mpg_file);
  mpg_conn_on_close(conn, drop_all);
  e->next = conn->rollups;
  conn->rollups = e;
  e->users++;
  shrink_cache(conn, conn->rollups_limit);
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

/* ---- the setting ---- */

/* mpg_keep(): the limit in MiB. mpg_keep(MiB): sets it and returns it; 0 keeps nothing. */
static void keep_function(sqlite3_context *context, int n, sqlite3_value **args) {
  mpg_conn *conn = mpg_conn_of(context);
  if (n == 1) {
    sqlite3_int64 mib = sqlite3_value_int64(args[0]);
    if (sqlite3_value_type(args[0]) != SQLITE_INTEGER || mib < 0 || mib > (1 << 20)) {
      sqlite3_result_error(context, "mpg_keep: expected a whole number of MiB from 0 to 1048576",
                           -1);
      return;
    }
    conn->rollups_limit = (size_t)mib << 20;
    shrink_cache(conn, conn->rollups_limit);
  }
  sqlite3_result_int64(context, (sqlite3_int64)(conn->rollups_limit >> 20));
}

int mpg_register_keep(mpg_conn *conn, char **error) {
  static const mpg_function table[] = {
      {"mpg_keep", 0, MPG_SETTING, 0, keep_function, NULL, NULL, NULL, NULL},
      {"mpg_keep", 1, MPG_SETTING, 0, keep_function, NULL, NULL, NULL, NULL},
  };
  conn->rollups_limit = MPG_ROLLUP_CACHE_LIMIT;
  return mpg_register_functions(conn, table, sizeof table / sizeof *table, error);
}
