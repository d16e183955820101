/* hash_set.h - a set of 64-bit hashes: whether a value probably came before. */
#ifndef MPG_HASH_SET_H
#define MPG_HASH_SET_H

#include "base.h"

/* Zeroed at first, except for env. */
typedef struct mpg_hash_set {
  const mpg_env *env;
  uint64_t *hashes; /* open addressing; 0: free */
  size_t n, cap;    /* cap is a power of two, or 0 */
} mpg_hash_set;

void mpg_hash_set_free(mpg_hash_set *set);
/* Puts the hash in, which is not 0; *before: it was in. MPG_OK, MPG_NOMEM or
** MPG_INTERRUPTED. */
mpg_rc mpg_hash_set_put(mpg_hash_set *set, uint64_t hash, bool *before);
/* Whether it was put in. */
bool mpg_hash_set_has(const mpg_hash_set *set, uint64_t hash);

#endif
