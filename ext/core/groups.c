/* groups.c - see groups.h. */
#include "groups.h"
#include "limits.h"

#include <string.h>

#define BLOCK ((size_t)64 << 10)
#define NONE UINT32_MAX /* length of a part that is NULL */

/* Where a group's key is: n_parts lengths of 32 bits, then the bytes of all parts in a row. */
typedef struct mpg_group {
  uint64_t hash;
  int64_t rows;
  const char *key;
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

static inline uint64_t load(const char *p, size_t n) {
  uint64_t w = 0;
  memcpy(&w, p, n);
  return w;
}

/* Mostly a few bytes: two loads that may overlap take up to 16. Parts are hashed apart from each
** other, which a processor does side by side, and then put together. */
static inline uint64_t hash_part(mpg_group_part s) {
  const uint64_t k0 = UINT64_C(0x9e3779b97f4a7c15), k1 = UINT64_C(0xd1b54a32d192ed03);
  uint64_t low, high, h = s.n;
  if (s.p == NULL)
    return k0;
  while (s.n > 16) {
    h = mix(h ^ load(s.p, 8) ^ k1, k0 ^ load(s.p + 8, 8));
    s.p += 16;
    s.n -= 16;
  }
  if (s.n >= 8) {
    low = load(s.p, 8);
    high = load(s.p + s.n - 8, 8);
  } else if (s.n >= 4) {
    low = load(s.p, 4);
    high = load(s.p + s.n - 4, 4);
  } else {
    low = s.n > 0 ? (unsigned char)s.p[0] : 0;
    high = s.n > 0 ? (uint64_t)(unsigned char)s.p[s.n / 2] << 8 | (unsigned char)s.p[s.n - 1] : 0;
  }
  return mix(h ^ low ^ k1, high ^ k0);
}

static inline bool same_bytes(const char *a, const char *b, size_t n) {
  if (n > 16)
    return memcmp(a, b, n) == 0;
  if (n >= 8)
    return load(a, 8) == load(b, 8) && load(a + n - 8, 8) == load(b + n - 8, 8);
  if (n >= 4)
    return load(a, 4) == load(b, 4) && load(a + n - 4, 4) == load(b + n - 4, 4);
  return n == 0 || (a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1]);
}

static inline uint32_t length_of(mpg_group_part s) {
  return s.p == NULL ? NONE : (uint32_t)s.n;
}

static bool same(const mpg_groups *g, const char *key, const mpg_group_part *parts) {
  const char *bytes = key + 4 * g->n_parts;
  for (size_t i = 0; i < g->n_parts; i++) {
    uint32_t n;
    memcpy(&n, key + 4 * i, 4);
    if (n != length_of(parts[i]))
      return false;
    if (n != NONE) {
      if (!same_bytes(bytes, parts[i].p, n))
        return false;
      bytes += n;
    }
  }
  return true;
}

static const char *store(mpg_groups *g, const mpg_group_part *parts) {
  size_t need = 4 * g->n_parts;
  struct mpg_groups_block *b = g->blocks;
  char *key, *bytes;
  for (size_t i = 0; i < g->n_parts; i++)
    need += parts[i].p == NULL ? 0 : parts[i].n;
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
  key = b->bytes + b->used;
  b->used += need;
  bytes = key + 4 * g->n_parts;
  for (size_t i = 0; i < g->n_parts; i++) {
    uint32_t n = length_of(parts[i]);
    memcpy(key + 4 * i, &n, 4);
    if (n != NONE && n > 0) {
      memcpy(bytes, parts[i].p, n);
      bytes += n;
    }
  }
  return key;
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

static mpg_rc add_group(mpg_groups *g, const mpg_group_part *parts, uint64_t hash, size_t slot,
                        size_t *group) {
  const char *key;
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

static mpg_rc find(mpg_groups *g, const mpg_group_part *parts, uint64_t hash, size_t *group) {
  size_t i;
  if (g->n * 2 >= g->n_slots && widen(g) != MPG_OK)
    return MPG_NOMEM;
  for (i = hash & (g->n_slots - 1); g->slots[i] != 0; i = (i + 1) & (g->n_slots - 1)) {
    const mpg_group *at = &g->p[g->slots[i] - 1];
    if (at->hash == hash && same(g, at->key, parts)) {
      *group = g->slots[i] - 1;
      return MPG_OK;
    }
  }
  return add_group(g, parts, hash, i, group);
}

mpg_rc mpg_groups_row(mpg_groups *g, const mpg_group_part *parts, size_t *group) {
  uint64_t hash = 0;
  mpg_rc rc;
  for (size_t i = 0; i < g->n_parts; i++)
    hash = (hash ^ hash_part(parts[i])) * UINT64_C(0xa0761d6478bd642f) + i;
  hash ^= hash >> 32; /* slots are told by the low bits */
  rc = find(g, parts, hash, group);
  if (rc == MPG_OK)
    g->p[*group].rows++;
  return rc;
}

int64_t mpg_groups_rows(const mpg_groups *g, size_t group) {
  return g->p[group].rows;
}

mpg_group_part mpg_groups_part(const mpg_groups *g, size_t group, size_t i) {
  const char *key = g->p[group].key, *bytes = key + 4 * g->n_parts;
  uint32_t n;
  for (size_t k = 0; k < i; k++) {
    memcpy(&n, key + 4 * k, 4);
    bytes += n == NONE ? 0 : n;
  }
  memcpy(&n, key + 4 * i, 4);
  return n == NONE ? (mpg_group_part){NULL, 0} : (mpg_group_part){bytes, n};
}

mpg_rc mpg_groups_merge(mpg_groups *into, const mpg_groups *more, const mpg_measures *measures,
                        size_t *which) {
  mpg_group_part parts[MPG_GROUP_PARTS] = {{NULL, 0}};
  for (size_t k = 0; k < more->n; k++) {
    size_t group;
    for (size_t i = 0; i < more->n_parts; i++)
      parts[i] = mpg_groups_part(more, k, i);
    mpg_rc rc = find(into, parts, more->p[k].hash, &group);
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
