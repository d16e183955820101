/* hash_set.c - see hash_set.h. */
#include "hash_set.h"
#include "debug_assert.h"

void mpg_hash_set_free(mpg_hash_set *seen) {
  if (seen->env != NULL)
    mpg_free(seen->env, seen->hashes);
  seen->hashes = NULL;
  seen->n = seen->cap = 0;
}

/* Where the hash is, or may be put. */
static uint64_t *slot_of(uint64_t *hashes, size_t cap, uint64_t hash) {
  size_t i = (size_t)hash & (cap - 1);
  while (hashes[i] != 0 && hashes[i] != hash)
    i = (i + 1) & (cap - 1);
  return &hashes[i];
}

static mpg_rc grow(mpg_hash_set *seen) {
  size_t cap = seen->cap == 0 ? 256 : seen->cap * 2;
  mpg_rc rc;
  uint64_t *hashes = mpg_zeroed(seen->env, cap * sizeof *hashes, &rc);
  if (hashes == NULL)
    return rc;
  for (size_t i = 0; i < seen->cap; i++) {
    if (mpg_poll(seen->env, i)) {
      mpg_free(seen->env, hashes);
      return MPG_INTERRUPTED;
    }
    if (seen->hashes[i] != 0)
      *slot_of(hashes, cap, seen->hashes[i]) = seen->hashes[i];
  }
  mpg_free(seen->env, seen->hashes);
  seen->hashes = hashes;
  seen->cap = cap;
  return MPG_OK;
}

mpg_rc mpg_hash_set_put(mpg_hash_set *seen, uint64_t hash, bool *before) {
  uint64_t *at;
  mpg_rc rc = seen->n * 2 >= seen->cap ? grow(seen) : MPG_OK;
  MPG_ASSERT(hash != 0);
  if (rc != MPG_OK)
    return rc;
  at = slot_of(seen->hashes, seen->cap, hash);
  *before = *at != 0;
  *at = hash;
  seen->n += !*before;
  return MPG_OK;
}
