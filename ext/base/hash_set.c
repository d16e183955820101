/* hash_set.c - see hash_set.h. */
#include "hash_set.h"
#include "debug_assert.h"

void mpg_hash_set_free(mpg_hash_set *set) {
  if (set->env != NULL)
    mpg_free(set->env, set->hashes);
  set->hashes = NULL;
  set->n = set->cap = 0;
}

/* Where the hash is, or may be put. */
static uint64_t *slot_of(uint64_t *hashes, size_t cap, uint64_t hash) {
  size_t i = (size_t)hash & (cap - 1);
  while (hashes[i] != 0 && hashes[i] != hash)
    i = (i + 1) & (cap - 1);
  return &hashes[i];
}

static mpg_rc grow(mpg_hash_set *set) {
  size_t cap = set->cap == 0 ? 256 : set->cap * 2;
  mpg_rc rc;
  uint64_t *hashes = mpg_zeroed(set->env, cap * sizeof *hashes, &rc);
  if (hashes == NULL)
    return rc;
  for (size_t i = 0; i < set->cap; i++) {
    if (mpg_poll(set->env, i)) {
      mpg_free(set->env, hashes);
      return MPG_INTERRUPTED;
    }
    if (set->hashes[i] != 0)
      *slot_of(hashes, cap, set->hashes[i]) = set->hashes[i];
  }
  mpg_free(set->env, set->hashes);
  set->hashes = hashes;
  set->cap = cap;
  return MPG_OK;
}

mpg_rc mpg_hash_set_put(mpg_hash_set *set, uint64_t hash, bool *before) {
  uint64_t *at;
  mpg_rc rc = set->n * 2 >= set->cap ? grow(set) : MPG_OK;
  MPG_ASSERT(hash != 0);
  if (rc != MPG_OK)
    return rc;
  at = slot_of(set->hashes, set->cap, hash);
  *before = *at != 0;
  *at = hash;
  set->n += !*before;
  return MPG_OK;
}

bool mpg_hash_set_has(const mpg_hash_set *set, uint64_t hash) {
  return set->n > 0 && *slot_of(set->hashes, set->cap, hash) != 0;
}
