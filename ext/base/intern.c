/* intern.c - see intern.h. */
#include "intern.h"
#include "debug_assert.h"

#include <string.h>

/* Texts live in blocks that never move. */
struct mpg_intern_block {
  struct mpg_intern_block *next;
  size_t used, cap;
  char bytes[];
};

#define BLOCK_BYTES ((size_t)64 << 10)

static uint64_t mix(uint64_t a, uint64_t b) {
  mpg_u128 p = (mpg_u128)a * b;
  return (uint64_t)p ^ (uint64_t)(p >> 64);
}

/* Whoever knows what a word is mixed with can choose one that makes nothing of all before it. */
uint64_t mpg_hash(uint64_t seed, const void *data, size_t n) {
  const unsigned char *p = data;
  const uint64_t k0 = (UINT64_C(0x9e3779b97f4a7c15) ^ seed) | 1, k1 = UINT64_C(0xd1b54a32d192ed03);
  uint64_t h = mix(n ^ k0, k1), w;
  while (n >= 8) {
    memcpy(&w, p, 8);
    h = mix(h ^ w, k0);
    p += 8;
    n -= 8;
  }
  w = 0;
  if (n > 0)
    memcpy(&w, p, n);
  return mix(h ^ w, k1);
}

void mpg_intern_init(mpg_intern *t, const mpg_env *env) {
  memset(t, 0, sizeof *t);
  t->env = env;
}

void mpg_intern_free(mpg_intern *t) {
  while (t->blocks != NULL) {
    struct mpg_intern_block *next = t->blocks->next;
    mpg_free(t->env, t->blocks);
    t->blocks = next;
  }
  mpg_free(t->env, t->entries);
  mpg_hash_index_free(&t->index, t->env);
  mpg_intern_init(t, t->env);
}

void mpg_intern_reset(mpg_intern *t) {
  while (t->blocks != NULL && t->blocks->next != NULL) {
    struct mpg_intern_block *next = t->blocks->next;
    mpg_free(t->env, t->blocks);
    t->blocks = next;
  }
  if (t->blocks != NULL)
    t->blocks->used = 0;
  if (t->index.n_slots > 0)
    memset(t->index.slots, 0, t->index.n_slots * sizeof *t->index.slots);
  t->n = 0;
  memset(t->recent, 0, sizeof t->recent);
}

/* The slot that holds `text`, or the free one for it. */
static size_t probe(const mpg_intern *t, mpg_str text, uint64_t hash) {
  size_t at = mpg_hash_index_first(&t->index, hash);
  uint32_t i;
  while (mpg_hash_index_at(&t->index, at, &i)) {
    const struct mpg_intern_entry *e = &t->entries[i];
    if (e->hash == hash && e->n == text.n && (text.n == 0 || memcmp(e->text, text.p, text.n) == 0))
      break;
    at = mpg_hash_index_next(&t->index, at);
  }
  return at;
}

static uint64_t hash_of_entry(const void *t, uint32_t i) {
  return ((const mpg_intern *)t)->entries[i].hash;
}

static char *store_text(mpg_intern *t, mpg_str text) {
  struct mpg_intern_block *b = t->blocks;
  char *p;
  if (b == NULL || b->cap - b->used < text.n + 1) {
    size_t cap = text.n + 1 > BLOCK_BYTES / 4 ? text.n + 1 : BLOCK_BYTES;
    b = mpg_malloc(t->env, sizeof *b + cap);
    if (b == NULL)
      return NULL;
    b->used = 0;
    b->cap = cap;
    /* An oversized text gets a block of its own after the one in use. */
    if (t->blocks != NULL && cap != BLOCK_BYTES) {
      b->next = t->blocks->next;
      t->blocks->next = b;
    } else {
      b->next = t->blocks;
      t->blocks = b;
    }
  }
  p = b->bytes + b->used;
  if (text.n > 0)
    memcpy(p, text.p, text.n);
  p[text.n] = '\0';
  b->used += text.n + 1;
  return p;
}

static uint64_t load8(const char *p) {
  uint64_t v;
  memcpy(&v, p, 8);
  return v;
}

static uint32_t load4(const char *p) {
  uint32_t v;
  memcpy(&v, p, 4);
  return v;
}

/* The first and the last bytes; of up to 16 they are the text. */
static mpg_intern_recent key_bytes_of(mpg_str s) {
  mpg_intern_recent r = {0, 0, (uint32_t)s.n, 0};
  if (s.n >= 8) {
    r.head = load8(s.p);
    r.tail = load8(s.p + s.n - 8);
  } else if (s.n >= 4) {
    r.head = load4(s.p);
    r.tail = load4(s.p + s.n - 4);
  } else if (s.n > 0) {
    r.head = (unsigned char)s.p[0] | (uint64_t)(unsigned char)s.p[s.n / 2] << 8;
    r.tail = (unsigned char)s.p[s.n - 1];
  }
  return r;
}

static mpg_rc intern(mpg_intern *t, mpg_str text, uint32_t *id) {
  uint64_t hash = mpg_hash(t->env->seed, text.p, text.n);
  size_t i;
  char *copy;
  mpg_rc rc = mpg_hash_index_reserve(&t->index, t->env, t->n, 64, hash_of_entry, t);
  if (rc != MPG_OK)
    return rc;
  i = probe(t, text, hash);
  *id = t->index.slots[i]; /* number + 1 */
  if (*id != 0)
    return MPG_OK;
  if (t->n >= UINT32_MAX - 1 ||
      mpg_grow(t->env, &t->entries, &t->cap, t->n + 1, sizeof *t->entries) != MPG_OK)
    return MPG_NOMEM;
  copy = store_text(t, text);
  if (copy == NULL)
    return MPG_NOMEM;
  t->entries[t->n++] = (struct mpg_intern_entry){copy, text.n, hash};
  t->index.slots[i] = *id = (uint32_t)t->n;
  return MPG_OK;
}

mpg_rc mpg_intern_id(mpg_intern *t, mpg_str text, uint32_t *id) {
  mpg_intern_recent now = key_bytes_of(text);
  uint64_t mixed = (now.head ^ now.tail * 31 ^ now.n) * UINT64_C(0x9e3779b97f4a7c15);
  mpg_intern_recent *r = &t->recent[mixed >> 58];
  mpg_rc rc;
  if (r->id != 0 && r->head == now.head && r->tail == now.tail && r->n == now.n &&
      (text.n <= 16 ||
       (text.n == now.n && memcmp(t->entries[r->id - 1].text, text.p, text.n) == 0))) {
    *id = r->id;
    return MPG_OK;
  }
  rc = intern(t, text, id);
  if (rc == MPG_OK) {
    now.id = *id;
    *r = now;
  }
  return rc;
}

uint32_t mpg_intern_find(const mpg_intern *t, mpg_str text) {
  uint64_t hash = mpg_hash(t->env->seed, text.p, text.n);
  return t->index.n_slots == 0 ? 0 : t->index.slots[probe(t, text, hash)];
}

mpg_str mpg_intern_text(const mpg_intern *t, uint32_t id) {
  if (id == 0)
    return (mpg_str){NULL, 0};
  MPG_ASSERT(id <= t->n);
  return (mpg_str){t->entries[id - 1].text, t->entries[id - 1].n};
}

size_t mpg_intern_bytes(const mpg_intern *t) {
  size_t bytes = t->cap * sizeof *t->entries + t->index.n_slots * sizeof *t->index.slots;
  for (const struct mpg_intern_block *b = t->blocks; b != NULL; b = b->next)
    bytes += sizeof *b + b->cap;
  return bytes;
}

int mpg_intern_cmp(const mpg_intern *t, uint32_t a, uint32_t b) {
  if (a == b)
    return 0;
  if (a == 0 || b == 0)
    return a == 0 ? -1 : 1;
  return mpg_str_cmp(mpg_intern_text(t, a), mpg_intern_text(t, b));
}
