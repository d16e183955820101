/* groups.c - see groups.h. */
#include "groups.h"
#include "../../base/debug_assert.h"
#include "../../base/limits.h"

#include <string.h>

#define BLOCK ((size_t)64 << 10)

struct mpg_groups_block {
  struct mpg_groups_block *next;
  size_t used, cap;
  char bytes[];
};

void mpg_groups_init(mpg_groups *g, const mpg_env *env, size_t n_parts, size_t n_totals) {
  memset(g, 0, sizeof *g);
  g->env = env;
  g->n_parts = n_parts;
  g->n_totals = n_totals;
}

void mpg_groups_free(mpg_groups *g) {
  if (g->env == NULL)
    return;
  while (g->blocks != NULL) {
    struct mpg_groups_block *next = g->blocks->next;
    mpg_free(g->env, g->blocks);
    g->blocks = next;
  }
  mpg_free(g->env, g->p);
  mpg_free(g->env, g->totals);
  mpg_hash_index_free(&g->index, g->env);
  memset(g, 0, sizeof *g);
}

/* ---- Keys ---- */

const uint8_t mpg_group_known[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                     255, 255, 255, 255, 255, 255, 255, 255};

/* As they are as long, both have all of their bytes elsewhere or none has. */
static bool same_rest(const mpg_group_head *a, const mpg_group_head *b, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (a[i].p != NULL && b[i].p != NULL && memcmp(a[i].p, b[i].p, a[i].n) != 0)
      return false;
  return true;
}

static inline bool same_key(const mpg_group_head *a, const mpg_group_head *b, size_t n) {
  uint64_t differ = 0;
  uintptr_t rest = 0;
  for (size_t i = 0; i < n; i++) {
    differ |= (a[i].first ^ b[i].first) | (a[i].last ^ b[i].last) | (a[i].n ^ b[i].n);
    rest |= (uintptr_t)a[i].p;
  }
  return differ == 0 && (rest == 0 || same_rest(a, b, n));
}

/* A copy of the key, with all of its bytes. */
static mpg_group_head *store_key(mpg_groups *g, const mpg_group_head *key) {
  size_t need = g->n_parts * sizeof *key;
  struct mpg_groups_block *b = g->blocks;
  char *bytes;
  mpg_group_head *copy;
  for (size_t i = 0; i < g->n_parts; i++)
    need += key[i].p == NULL ? 0 : (key[i].n + 7) / 8 * 8;
  if (b == NULL || b->cap - b->used < need) {
    size_t cap = need > BLOCK ? need : BLOCK;
    b = mpg_malloc(g->env, sizeof *b + cap);
    if (b == NULL)
      return NULL;
    b->next = g->blocks;
    b->used = 0;
    b->cap = cap;
    g->blocks = b;
  }
  copy = (mpg_group_head *)(void *)(b->bytes + b->used);
  b->used += need;
  bytes = (char *)(copy + g->n_parts);
  for (size_t i = 0; i < g->n_parts; i++) {
    copy[i] = key[i];
    if (key[i].p != NULL) {
      memcpy(bytes, key[i].p, key[i].n);
      copy[i].p = bytes;
      bytes += (key[i].n + 7) / 8 * 8;
    }
  }
  return copy;
}

/* A slot goes by the low bits, into which the high ones are folded. */
static inline uint64_t fold_hash(uint64_t hash) {
  return hash ^ hash >> 32;
}

static uint64_t hash_of_group(const void *g, uint32_t number) {
  return fold_hash(((const mpg_groups *)g)->p[number].hash);
}

static mpg_rc add_group(mpg_groups *g, const mpg_group_head *parts, uint64_t hash, size_t slot,
                        size_t *group) {
  mpg_group_head *key;
  if ((int64_t)g->n >= mpg_limit_in(g->env, MPG_LIMIT_GROUPS))
    return MPG_LIMIT;
  if (mpg_grow(g->env, &g->p, &g->cap, g->n + 1, sizeof *g->p) != MPG_OK ||
      mpg_grow(g->env, &g->totals, &g->totals_cap, (g->n + 1) * g->n_totals + 1,
               sizeof *g->totals) != MPG_OK)
    return MPG_NOMEM;
  key = store_key(g, parts);
  if (key == NULL)
    return MPG_NOMEM;
  for (size_t i = 0; i < g->n_totals; i++)
    g->totals[g->n * g->n_totals + i] = (mpg_total){0, 0, 0.0, 0.0};
  g->p[g->n] = (mpg_group){hash, 1, INT64_MAX, key};
  mpg_hash_index_put(&g->index, slot, (uint32_t)g->n);
  *group = g->n++;
  return MPG_OK;
}

mpg_rc mpg_groups_find(mpg_groups *g, const mpg_group_head *key, uint64_t hash, size_t *group) {
  size_t slot;
  uint32_t number;
  mpg_rc rc = mpg_hash_index_reserve(&g->index, g->env, g->n, 64, hash_of_group, g);
  if (rc != MPG_OK)
    return rc;
  for (slot = mpg_hash_index_first(&g->index, fold_hash(hash));
       mpg_hash_index_at(&g->index, slot, &number); slot = mpg_hash_index_next(&g->index, slot)) {
    mpg_group *at = &g->p[number];
    if (at->hash == hash && same_key(at->key, key, g->n_parts)) {
      *group = number;
      at->rows++;
      return MPG_OK;
    }
  }
  return add_group(g, key, hash, slot, group);
}

mpg_rc mpg_groups_row(mpg_groups *g, const mpg_group_part *parts, size_t *group) {
  mpg_group_head key[MPG_GROUP_PARTS];
  uint64_t hash = 0;
  for (size_t i = 0; i < g->n_parts; i++)
    key[i] = mpg_group_head_of(parts[i], i, g->env->seed, &hash);
  return mpg_groups_find(g, key, hash, group);
}

int64_t mpg_groups_rows(const mpg_groups *g, size_t group) {
  MPG_ASSERT(group < g->n);
  return g->p[group].rows;
}

mpg_group_part mpg_groups_part(const mpg_groups *g, size_t group, size_t i) {
  const mpg_group_head *h = &g->p[group].key[i];
  MPG_ASSERT(group < g->n && i < g->n_parts);
  if (h->n == MPG_GROUP_NULL)
    return (mpg_group_part){NULL, 0};
  return (mpg_group_part){h->p != NULL ? h->p : (const char *)h, (size_t)h->n};
}

mpg_rc mpg_groups_merge(mpg_groups *into, const mpg_groups *more,
                        const mpg_sum_expressions *measures, size_t *which) {
  MPG_ASSERT(into->n_parts == more->n_parts && into->n_totals == more->n_totals);
  for (size_t k = 0; k < more->n; k++) {
    size_t group;
    mpg_rc rc = mpg_poll(into->env, k)
                    ? MPG_INTERRUPTED
                    : mpg_groups_find(into, more->p[k].key, more->p[k].hash, &group);
    *which = MPG_GROUPS_TOO_MANY;
    if (rc != MPG_OK)
      return rc;
    into->p[group].rows += more->p[k].rows - 1; /* one is counted */
    mpg_groups_number(into, group, more->p[k].first);
    for (size_t i = 0; i < more->n_totals; i++) {
      *which = i;
      if (!mpg_total_merge(&into->totals[group * into->n_totals + i],
                           &more->totals[k * more->n_totals + i], measures->p[i].whole))
        return MPG_LIMIT;
    }
  }
  return MPG_OK;
}
