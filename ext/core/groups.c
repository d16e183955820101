/* groups.c - see groups.h. */
#include "groups.h"
#include "limits.h"

#include <string.h>

#define BLOCK ((size_t)64 << 10)
#define NONE UINT64_MAX /* length of a part that is NULL */

/*
** A part of a key: most are of up to 16 bytes, and those are hashed and compared as two words whatever
** their length, so that a processor has nothing to guess. Of a longer one the words are its first and
** its last 8 bytes.
*/
typedef struct head {
  uint64_t first, last, n;
  const char *p; /* all of its bytes, where they are more than 16 */
} head;

typedef struct mpg_group {
  uint64_t hash;
  int64_t rows;
  head *key; /* n_parts of them */
} mpg_group;

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
  mpg_free(g->env, g->slots);
  memset(g, 0, sizeof *g);
}

/* ---- Keys ---- */

/* Folds the 128-bit product: every bit of both reaches every bit of the result. */
static inline uint64_t mix(uint64_t a, uint64_t b) {
  mpg_u128 m = (mpg_u128)a * b;
  return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static inline uint64_t load(const char *p) {
  uint64_t w;
  memcpy(&w, p, sizeof w);
  return w;
}

/* The bytes of a word that are of a text of n bytes. */
static inline uint64_t known(size_t n) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return n >= 8 ? ~UINT64_C(0) : (UINT64_C(1) << (8 * n)) - 1;
#else
  return n >= 8 ? ~UINT64_C(0) : ~(~UINT64_C(0) >> (8 * n));
#endif
}

static inline head head_of(mpg_group_part s) {
  if (s.p == NULL)
    return (head){0, 0, NONE, NULL};
  if (s.n > 16)
    return (head){load(s.p), load(s.p + s.n - 8), s.n, s.p};
  return (head){load(s.p) & known(s.n), load(s.p + 8) & known(s.n < 8 ? 0 : s.n - 8), s.n, NULL};
}

/* Parts are hashed apart from each other, which a processor does side by side, and then put together. */
static inline uint64_t hash_of(const head *h) {
  const uint64_t k0 = UINT64_C(0x9e3779b97f4a7c15), k1 = UINT64_C(0xd1b54a32d192ed03);
  uint64_t rest = h->n;
  for (size_t i = 8; h->p != NULL && i + 8 < h->n; i += 8)
    rest = mix(rest ^ k1, k0 ^ load(h->p + i));
  return mix(rest ^ h->first ^ k1, h->last ^ k0);
}

static bool same(const head *a, const head *b, size_t n) {
  uint64_t differ = 0;
  for (size_t i = 0; i < n; i++)
    differ |= (a[i].first ^ b[i].first) | (a[i].last ^ b[i].last) | (a[i].n ^ b[i].n);
  for (size_t i = 0; differ == 0 && i < n; i++)
    if (a[i].p != NULL && b[i].p != NULL && memcmp(a[i].p, b[i].p, a[i].n) != 0)
      return false; /* as they are as long, both have all of their bytes or none has */
  return differ == 0;
}

/* A copy of the key, with all of its bytes. */
static head *store(mpg_groups *g, const head *key) {
  size_t need = g->n_parts * sizeof *key;
  struct mpg_groups_block *b = g->blocks;
  char *bytes;
  head *copy;
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
  copy = (head *)(void *)(b->bytes + b->used);
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

static mpg_rc widen(mpg_groups *g) {
  size_t n = g->n_slots == 0 ? 64 : 2 * g->n_slots;
  uint32_t *slots = mpg_calloc(g->env, n * sizeof *slots);
  if (slots == NULL)
    return MPG_NOMEM;
  for (size_t k = 0; k < g->n; k++) {
    size_t i = g->p[k].hash & (n - 1);
    while (slots[i] != 0)
      i = (i + 1) & (n - 1);
    slots[i] = (uint32_t)k + 1;
  }
  mpg_free(g->env, g->slots);
  g->slots = slots;
  g->n_slots = n;
  return MPG_OK;
}

static mpg_rc add_group(mpg_groups *g, const head *parts, uint64_t hash, size_t slot,
                        size_t *group) {
  head *key;
  if ((int64_t)g->n >= mpg_limit_in(g->env, MPG_LIMIT_GROUPS))
    return MPG_LIMIT;
  if (mpg_grow(g->env, &g->p, &g->cap, g->n + 1, sizeof *g->p) != MPG_OK ||
      (g->n_totals > 0 && mpg_grow(g->env, &g->totals, &g->totals_cap, (g->n + 1) * g->n_totals,
                                   sizeof *g->totals) != MPG_OK))
    return MPG_NOMEM;
  key = store(g, parts);
  if (key == NULL)
    return MPG_NOMEM;
  for (size_t i = 0; i < g->n_totals; i++)
    g->totals[g->n * g->n_totals + i] = (mpg_total){0, 0, 0.0, 0.0};
  g->p[g->n] = (mpg_group){hash, 0, key};
  *group = g->n++;
  g->slots[slot] = (uint32_t)g->n;
  return MPG_OK;
}

static inline mpg_rc find(mpg_groups *g, const head *key, uint64_t hash, size_t *group) {
  size_t i;
  if (g->n * 2 >= g->n_slots && widen(g) != MPG_OK)
    return MPG_NOMEM;
  for (i = hash & (g->n_slots - 1); g->slots[i] != 0; i = (i + 1) & (g->n_slots - 1)) {
    const mpg_group *at = &g->p[g->slots[i] - 1];
    if (at->hash == hash && same(at->key, key, g->n_parts)) {
      *group = g->slots[i] - 1;
      return MPG_OK;
    }
  }
  return add_group(g, key, hash, i, group);
}

mpg_rc mpg_groups_row(mpg_groups *g, const mpg_group_part *parts, size_t *group) {
  head key[MPG_GROUP_PARTS];
  uint64_t hash = 0;
  mpg_rc rc;
  for (size_t i = 0; i < g->n_parts; i++) {
    key[i] = head_of(parts[i]);
    hash = (hash ^ hash_of(&key[i])) * UINT64_C(0xa0761d6478bd642f) + i;
  }
  hash ^= hash >> 32; /* slots are told by the low bits */
  rc = find(g, key, hash, group);
  if (rc == MPG_OK)
    g->p[*group].rows++;
  return rc;
}

int64_t mpg_groups_rows(const mpg_groups *g, size_t group) {
  return g->p[group].rows;
}

mpg_group_part mpg_groups_part(const mpg_groups *g, size_t group, size_t i) {
  const head *h = &g->p[group].key[i];
  if (h->n == NONE)
    return (mpg_group_part){NULL, 0};
  return (mpg_group_part){h->p != NULL ? h->p : (const char *)h, (size_t)h->n};
}

mpg_rc mpg_groups_merge(mpg_groups *into, const mpg_groups *more, const mpg_measures *measures,
                        size_t *which) {
  for (size_t k = 0; k < more->n; k++) {
    size_t group;
    mpg_rc rc = mpg_poll(into->env, k) ? MPG_INTERRUPTED
                                       : find(into, more->p[k].key, more->p[k].hash, &group);
    *which = MPG_GROUPS_TOO_MANY;
    if (rc != MPG_OK)
      return rc;
    into->p[group].rows += more->p[k].rows;
    for (size_t i = 0; i < more->n_totals; i++) {
      *which = i;
      if (!mpg_total_merge(&into->totals[group * into->n_totals + i],
                           &more->totals[k * more->n_totals + i], measures->p[i].whole))
        return MPG_LIMIT;
    }
  }
  return MPG_OK;
}
