/*
** intern.h - texts that repeat, stored once and known by a number.
*/
#ifndef MPG_INTERN_H
#define MPG_INTERN_H

#include "base.h"
#include "hash_index.h"

#include <string.h>

/* Texts repeat soon: the latest ones, by their first and last bytes. */
#define MPG_INTERN_RECENT 64
typedef struct mpg_intern_recent {
  uint64_t head, tail;
  uint32_t n, id; /* id 0: none */
} mpg_intern_recent;

struct mpg_intern_entry {
  const char *text;
  size_t n;
  uint64_t hash;
};

/* Ids count from 1 in the order of first use; 0 is NULL. */
typedef struct mpg_intern {
  const mpg_env *env;
  struct mpg_intern_entry *entries; /* [id - 1] */
  size_t n, cap;
  mpg_intern_recent recent[MPG_INTERN_RECENT];
  mpg_hash_index index; /* of entries */
  struct mpg_intern_block *blocks;
} mpg_intern;

void mpg_intern_init(mpg_intern *t, const mpg_env *env);
void mpg_intern_free(mpg_intern *t);
/* Empty again, with the memory for about as much. */
void mpg_intern_reset(mpg_intern *t);
/* The id of `text`, which is copied at its first sight. Also an empty text has an id. MPG_OK,
** MPG_NOMEM, or MPG_INTERRUPTED, for among many the table is moved now and then. */
mpg_rc mpg_intern_id(mpg_intern *t, mpg_str text, uint32_t *id);
/* The id of a text that is stored already, else 0. */
uint32_t mpg_intern_find(const mpg_intern *t, mpg_str text);
/* Borrowed, terminated, and where it is until mpg_intern_free. {NULL, 0} for id 0. */
mpg_str mpg_intern_text(const mpg_intern *t, uint32_t id);
/* Whether `text` is the one of an id. */
static inline bool mpg_intern_is(const mpg_intern *t, uint32_t id, mpg_str text) {
  const struct mpg_intern_entry *e = &t->entries[id - 1];
  return e->n == text.n && memcmp(e->text, text.p, text.n) == 0;
}
/* The memory it takes. */
size_t mpg_intern_bytes(const mpg_intern *t);
/* memcmp order of the texts; NULL first. */
int mpg_intern_cmp(const mpg_intern *t, uint32_t a, uint32_t b);

/* A 64-bit hash of bytes, with the seed of the environment. Of one seed it is the same on every
** machine of one byte order. */
uint64_t mpg_hash(uint64_t seed, const void *p, size_t n);

#endif
