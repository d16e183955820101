/* fleet_cache.c - see fleet_cache.h. */
#include "fleet_cache.h"
#include "../catalogue.h"

#include <string.h>

typedef struct mpg_fleet_entry {
  mpg_cache_entry base; /* must be first */
  const mpg_env *env;
  char *path;
  mpg_fleet_question question; /* of that path */
  uint64_t catalogue;          /* less what the files add */
  mpg_limits limits;
  mpg_looked looked;
  mpg_intern reported; /* the names under which issues are listed */
  mpg_issues issues;   /* what mapping listed */
  bool mapped;         /* all of that is known */
  mpg_fleet fleet;
  mpg_chips *chips;
} mpg_fleet_entry;

/* ---- entries ---- */

static void entry_free(mpg_cache_entry *base) {
  mpg_fleet_entry *e = (mpg_fleet_entry *)base;
  mpg_fleet_free(&e->fleet);
  mpg_chips_free(e->chips);
  mpg_looked_free(&e->looked);
  mpg_intern_free(&e->reported);
  mpg_issues_free(&e->issues);
  mpg_free(e->env, e->path);
  mpg_free(e->env, e);
}

/* Without a fleet, with one reference; NULL if it cannot be had, for any reason. */
static mpg_fleet_entry *entry_new(mpg_conn *conn, const mpg_fleet_question *question) {
  mpg_fleet_entry *e = mpg_calloc(&conn->env, sizeof *e);
  if (e == NULL)
    return NULL;
  e->base = (mpg_cache_entry){.users = 1, .no_answer = true, .free = entry_free};
  e->env = &conn->env;
  e->question = *question;
  e->limits = conn->limits;
  mpg_looked_init(&e->looked, e->env);
  mpg_intern_init(&e->reported, e->env);
  mpg_issues_init(&e->issues, e->env);
  e->path = mpg_calloc(e->env, question->path.n + 1);
  if (e->path == NULL || !mpg_catalogue_hash(conn, &e->catalogue)) {
    mpg_cache_release(&e->base);
    return NULL;
  }
  if (question->path.n > 0)
    memcpy(e->path, question->path.p, question->path.n);
  e->question.path.p = e->path;
  return e;
}

/* Whether an entry is of the same files, read in the same way. */
static bool is_of_question(const mpg_cache_entry *base, const void *entry) {
  const mpg_fleet_entry *a = (const mpg_fleet_entry *)base, *b = entry;
  return base->free == entry_free && mpg_str_eq(a->question.path, b->question.path) &&
         a->question.on_error == b->question.on_error && a->question.records == b->question.records;
}

static bool is_same(const mpg_fleet_entry *a, const mpg_fleet_entry *b) {
  return a->question.user_tables == b->question.user_tables && a->catalogue == b->catalogue &&
         memcmp(&a->limits, &b->limits, sizeof a->limits) == 0;
}

/* A source is the path, one of its files, or what was reported. What accounting listed of the path
** stays where the question is for records. */
static bool is_of(const void *entry, const char *source) {
  const mpg_fleet_entry *e = entry;
  return (!e->question.records && strcmp(source, e->path) == 0) ||
         mpg_looked_has(&e->looked, source) ||
         mpg_intern_find(&e->reported, mpg_str_of(source)) != 0;
}

/* ---- what was looked up, and reported ---- */

static bool report(mpg_intern *to, const mpg_intern *from) {
  uint32_t id;
  for (size_t i = 1; i <= from->n; i++)
    if (mpg_intern_id(to, mpg_intern_text(from, (uint32_t)i), &id) != MPG_OK)
      return false;
  return true;
}

/* ---- scans ---- */

/* The cache's entry of the same question, unlinked, if it is valid. */
static mpg_fleet_entry *take_entry(mpg_conn *conn, const mpg_env *env, const mpg_fleet_entry *as) {
  mpg_cache_entry *at = conn->cache;
  mpg_fleet_entry *e;
  while (at != NULL && !is_of_question(at, as))
    at = at->next;
  e = (mpg_fleet_entry *)at; /* there is one of a question at most */
  if (e == NULL || !is_same(e, as) || !mpg_looked_same(&e->looked, env))
    return NULL;
  mpg_cache_take(conn, at);
  return e;
}

bool mpg_fleet_cache_take(mpg_fleet_keep *keep, const mpg_fleet_question *question, mpg_env *env,
                          mpg_fleet *fleet, mpg_chips **chips) {
  mpg_conn *conn = keep->conn;
  mpg_fleet_entry *e = conn->cache_limit == 0 ? NULL : entry_new(conn, question), *kept;
  *env = *keep->scan;
  if (e == NULL)
    return false;
  kept = take_entry(conn, env, e);
  if (kept == NULL) {
    keep->entry = e;
    if (env->looked == NULL)
      env->looked = &e->looked;
    if (keep->reported == NULL)
      keep->reported = &e->reported;
    return false;
  }
  mpg_cache_release(&e->base);
  if (env->looked != NULL)
    mpg_looked_add(env->looked, &kept->looked);
  if ((keep->reported != NULL && !report(keep->reported, &kept->reported)) ||
      mpg_cache_list_again(conn, &kept->issues, is_of, kept) != MPG_OK) {
    mpg_cache_release(&kept->base);
    return false;
  }
  keep->entry = kept;
  *fleet = kept->fleet;
  *chips = kept->chips;
  memset(&kept->fleet, 0, sizeof kept->fleet);
  kept->chips = NULL;
  mpg_fleet_set_env(fleet, keep->scan);
  return true;
}

void mpg_fleet_cache_mapped(mpg_fleet_keep *keep) {
  mpg_fleet_entry *e = keep->entry;
  if (e == NULL)
    return;
  if (keep->scan->looked != NULL)
    mpg_looked_add(&e->looked, keep->scan->looked);
  e->mapped = (keep->reported == &e->reported || report(&e->reported, keep->reported)) &&
              mpg_cache_copy_issues(&e->issues, keep->conn, is_of, e) == MPG_OK;
}

bool mpg_fleet_cache_keeps(const mpg_fleet_keep *keep, const mpg_fleet *fleet) {
  return keep->entry != NULL && keep->entry->mapped && fleet->env != NULL && fleet->spill == NULL &&
         mpg_fleet_all_bytes(fleet) < keep->conn->cache_limit;
}

void mpg_fleet_cache_give(mpg_fleet_keep *keep, mpg_fleet *fleet, mpg_chips **chips) {
  mpg_fleet_entry *e = keep->entry;
  if (e == NULL)
    return;
  if (mpg_fleet_cache_keeps(keep, fleet) && mpg_looked_lasts(&e->looked, keep->scan)) {
    mpg_cache_drop(keep->conn, is_of_question, e);
    mpg_fleet_set_env(fleet, e->env);
    fleet->source = NULL; /* of the mapping's last record */
    e->fleet = *fleet;
    e->chips = *chips;
    memset(fleet, 0, sizeof *fleet);
    *chips = NULL;
    e->base.bytes = sizeof *e + mpg_fleet_all_bytes(&e->fleet) + mpg_looked_bytes(&e->looked);
    mpg_cache_add(keep->conn, &e->base);
  }
  keep->entry = NULL;
  mpg_cache_release(&e->base);
}
