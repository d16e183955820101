/*
** hash_index.h - the slots of a hash table over entries that its owner keeps: the numbers of the
** entries, by open addressing. At most half of the slots are in use.
**
**   rc = mpg_hash_index_reserve(&index, env, n, 64, hash_of, owner);
**   for (at = mpg_hash_index_first(&index, hash); mpg_hash_index_at(&index, at, &number);
**        at = mpg_hash_index_next(&index, at))
**     if (... entry `number` is the one ...)
**       return number;
**   mpg_hash_index_put(&index, at, n++);
*/
#ifndef MPG_HASH_INDEX_H
#define MPG_HASH_INDEX_H

#include "base.h"
#include "debug_assert.h"

/* Zeroed at first: no slots. */
typedef struct mpg_hash_index {
  uint32_t *slots; /* number + 1; 0: free */
  size_t n_slots;  /* a power of two, or 0 */
} mpg_hash_index;

static inline void mpg_hash_index_free(mpg_hash_index *index, const mpg_env *env) {
  mpg_free(env, index->slots);
  *index = (mpg_hash_index){NULL, 0};
}

/* The slots of a hash are tried from the first on until one is free. There are slots. */
static inline size_t mpg_hash_index_first(const mpg_hash_index *index, uint64_t hash) {
  MPG_ASSERT(index->n_slots > 0 && (index->n_slots & (index->n_slots - 1)) == 0);
  return (size_t)hash & (index->n_slots - 1);
}

static inline size_t mpg_hash_index_next(const mpg_hash_index *index, size_t at) {
  return (at + 1) & (index->n_slots - 1);
}

/* False: the slot is free. */
static inline bool mpg_hash_index_at(const mpg_hash_index *index, size_t at, uint32_t *number) {
  *number = index->slots[at] - 1;
  return index->slots[at] != 0;
}

/* `number` is below UINT32_MAX. */
static inline void mpg_hash_index_put(mpg_hash_index *index, size_t at, uint32_t number) {
  MPG_ASSERT(at < index->n_slots && number < UINT32_MAX);
  index->slots[at] = number + 1;
}

/* The hash of the entry of that number. */
typedef uint64_t (*mpg_hash_index_of)(const void *owner, uint32_t number);

/* Twice the slots, at least `least`, a power of two. On MPG_NOMEM and MPG_INTERRUPTED the index is
** as it was. */
static inline mpg_rc mpg_hash_index_widen(mpg_hash_index *index, const mpg_env *env, size_t least,
                                          mpg_hash_index_of hash_of, const void *owner) {
  mpg_hash_index wide = {NULL, index->n_slots == 0 ? least : index->n_slots * 2};
  uint32_t number;
  mpg_rc rc;
  if (wide.n_slots > SIZE_MAX / sizeof *wide.slots)
    return MPG_NOMEM;
  wide.slots = mpg_zeroed(env, wide.n_slots * sizeof *wide.slots, &rc);
  if (wide.slots == NULL)
    return rc;
  for (size_t i = 0; i < index->n_slots; i++) {
    size_t at;
    if (mpg_poll(env, i)) {
      mpg_free(env, wide.slots);
      return MPG_INTERRUPTED;
    }
    if (!mpg_hash_index_at(index, i, &number))
      continue;
    at = mpg_hash_index_first(&wide, hash_of(owner, number));
    while (wide.slots[at] != 0)
      at = mpg_hash_index_next(&wide, at);
    wide.slots[at] = index->slots[i];
  }
  mpg_free(env, index->slots);
  *index = wide;
  return MPG_OK;
}

/* Makes room for one more entry than the n there are. */
static inline mpg_rc mpg_hash_index_reserve(mpg_hash_index *index, const mpg_env *env, size_t n,
                                            size_t least, mpg_hash_index_of hash_of,
                                            const void *owner) {
  return n * 2 >= index->n_slots ? mpg_hash_index_widen(index, env, least, hash_of, owner) : MPG_OK;
}

/* Frees the slots of the entries below n, which are all there are. A few are looked up each by
** itself: the index may have grown wide for the one large table among very many. MPG_OK or
** MPG_INTERRUPTED. */
static inline mpg_rc mpg_hash_index_clear(mpg_hash_index *index, const mpg_env *env, size_t n,
                                          mpg_hash_index_of hash_of, const void *owner) {
  if (n >= index->n_slots / 16)
    return mpg_clear(env, index->slots, index->n_slots * sizeof *index->slots) ? MPG_OK
                                                                               : MPG_INTERRUPTED;
  for (size_t k = 0; k < n; k++) {
    size_t at = mpg_hash_index_first(index, hash_of(owner, (uint32_t)k));
    while (index->slots[at] != (uint32_t)k + 1)
      at = mpg_hash_index_next(index, at);
    MPG_ASSERT(n <= index->n_slots / 2);
    index->slots[at] = 0;
  }
  return MPG_OK;
}

#endif
