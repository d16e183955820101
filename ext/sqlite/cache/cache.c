/* cache.c - see cache.h; and mpg_keep(), its setting. */
#include "cache.h"
#include "../../base/number.h"
#include "../../base/text.h"

void mpg_cache_release(mpg_cache_entry *e) {
  if (e != NULL && --e->users == 0)
    e->free(e);
}

/* Drops the entries after the first that together fit `limit` bytes: the list is by last use. */
static void shrink_cache(mpg_conn *conn, size_t limit) {
  mpg_cache_entry **at = &conn->cache;
  size_t bytes = 0;
  while (*at != NULL) {
    mpg_cache_entry *e = *at;
    if (bytes + e->bytes > limit) {
      *at = e->next;
      mpg_cache_release(e);
    } else {
      bytes += e->bytes;
      at = &e->next;
    }
  }
}

static void drop_all(mpg_conn *conn) {
  shrink_cache(conn, 0);
}

static void put_in_front(mpg_conn *conn, mpg_cache_entry *e) {
  mpg_cache_entry **at = &conn->cache;
  while (e->no_answer && *at != NULL && !(*at)->no_answer)
    at = &(*at)->next;
  e->next = *at;
  *at = e;
  e->users++;
}

void mpg_cache_add(mpg_conn *conn, mpg_cache_entry *e) {
  mpg_conn_on_close(conn, drop_all);
  put_in_front(conn, e);
  shrink_cache(conn, conn->cache_limit);
}

void mpg_cache_take(mpg_conn *conn, mpg_cache_entry *e) {
  mpg_cache_entry **at = &conn->cache;
  while (*at != e)
    at = &(*at)->next;
  *at = e->next;
}

void mpg_cache_use(mpg_conn *conn, mpg_cache_entry *e) {
  mpg_cache_take(conn, e);
  put_in_front(conn, e);
}

void mpg_cache_drop(mpg_conn *conn, bool (*is)(const mpg_cache_entry *entry, const void *ctx),
                    const void *ctx) {
  mpg_cache_entry **at = &conn->cache;
  while (*at != NULL) {
    mpg_cache_entry *e = *at;
    if (is(e, ctx)) {
      *at = e->next;
      mpg_cache_release(e);
    } else {
      at = &e->next;
    }
  }
}

/* ---- issues ---- */

mpg_rc mpg_cache_copy_issues(mpg_issues *to, mpg_conn *conn,
                             bool (*is)(const void *ctx, const char *source), const void *ctx) {
  mpg_rc rc = MPG_OK;
  mpg_issues_init(to, &conn->env);
  for (size_t i = 0; rc == MPG_OK && i < conn->issues.n; i++)
    if (is(ctx, conn->issues.items[i].source))
      rc = mpg_issues_merge(to, &conn->issues.items[i]);
  return rc;
}

mpg_rc mpg_cache_list_again(mpg_conn *conn, const mpg_issues *then,
                            bool (*is)(const void *ctx, const char *source), const void *ctx) {
  mpg_rc rc = MPG_OK;
  mpg_issues_drop_those(&conn->issues, is, ctx);
  for (size_t i = 0; rc == MPG_OK && i < then->n; i++)
    rc = mpg_issues_merge(&conn->issues, &then->items[i]);
  return rc;
}

/* ---- the setting ---- */

/* mpg_keep(): the limit in MiB. mpg_keep(MiB): sets it and returns it; 0 keeps nothing. */
static void keep_function(sqlite3_context *context, int n, sqlite3_value **args) {
  mpg_conn *conn = mpg_conn_of(context);
  if (n == 1) {
    const mpg_value given = mpg_value_of(args[0]);
    int64_t mib = 0;
    if (!mpg_value_int(&given, &mib) || mib < 0 || mib > (1 << 20)) {
      mpg_err err;
      (void)mpg_fail_expected(&err, "a whole number of MiB from 0 to 1048576", &given);
      mpg_result_failure(context, &err);
      return;
    }
    conn->cache_limit = (size_t)mib << 20;
    shrink_cache(conn, conn->cache_limit);
  }
  sqlite3_result_int64(context, (sqlite3_int64)(conn->cache_limit >> 20));
}

int mpg_register_keep(mpg_conn *conn, char **error) {
  static const mpg_function table[] = {
      {"mpg_keep", 0, MPG_SETTING, 0, keep_function, NULL, NULL, NULL, NULL},
      {"mpg_keep", 1, MPG_SETTING, 0, keep_function, NULL, NULL, NULL, NULL},
  };
  conn->cache_limit = MPG_CACHE_LIMIT;
  return mpg_register_functions(conn, table, sizeof table / sizeof *table, error);
}
