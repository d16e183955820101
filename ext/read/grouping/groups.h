/*
** groups.h - rows summed by what they have in common: one group for each combination of the values
** that a query groups by, with a count of rows and the totals of its measures.
**
** A table belongs to one thread; tables are put together when all rows are in.
*/
#ifndef MPG_GROUPS_H
#define MPG_GROUPS_H

#include "sum_expression.h"
#include "../../base/hash_index.h"

#include <string.h>

#define MPG_GROUP_PARTS 64

#define MPG_GROUP_SLACK 16

/* The value of a row in one of the dimensions: text, or the bytes of a number. p NULL is NULL; else
** MPG_GROUP_SLACK bytes from p on are readable, with any values. */
typedef mpg_str mpg_group_part;

/* A number as the bytes of a part. */
typedef union mpg_group_number {
  int64_t i;
  double r;
  char bytes[MPG_GROUP_SLACK];
} mpg_group_number;

/* The part of a key that an MPG_INT or MPG_REAL makes; lent by `to`. */
static inline mpg_group_part mpg_group_number_of(const mpg_value *v, mpg_group_number *to) {
  *to = (mpg_group_number){.bytes = {0}}; /* the slack too: it is read */
  if (v->type == MPG_INT)
    to->i = v->i;
  else
    to->r = v->r == 0.0 ? 0.0 : v->r; /* of the two zeros one */
  return (mpg_group_part){to->bytes, sizeof to->i};
}

/*
** A part of a key. Most have up to 16 bytes; these are hashed and compared as two words for every
** length, without a branch. The words of a longer one are its first and its last 8 bytes.
*/
typedef struct mpg_group_head {
  uint64_t first, last, n;
  const char *p; /* all of its bytes, if they are more than 16 */
} mpg_group_head;

#define MPG_GROUP_NULL UINT64_MAX /* n of a part that is NULL */

/* At n bytes before its middle: which of 16 bytes are of a text of n. */
extern const uint8_t mpg_group_known[32];

static inline uint64_t mpg_group_load(const void *p) {
  uint64_t w;
  memcpy(&w, p, sizeof w);
  return w;
}

/* Folds the 128-bit product: every bit of both reaches every bit of the result. */
static inline uint64_t mpg_group_mix(uint64_t a, uint64_t b) {
  mpg_u128 m = (mpg_u128)a * b;
  return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/*
** The head of part i, which borrows it. The seed is that of the environment. *hash is 0 before the
** first part. Parts are hashed apart from each other, which a processor does side by side, and then
** put together.
*/
static inline mpg_group_head mpg_group_head_of(mpg_group_part s, size_t i, uint64_t seed,
                                               uint64_t *hash) {
  const uint64_t k0 = (UINT64_C(0x9e3779b97f4a7c15) ^ seed) | 1,
                 k1 = UINT64_C(0xd1b54a32d192ed03) ^ (seed << 32 | seed >> 32);
  mpg_group_head h = {0, 0, MPG_GROUP_NULL, NULL};
  uint64_t rest;
  if (s.p != NULL && s.n <= 16) {
    const uint8_t *mask = mpg_group_known + 16 - s.n;
    h.first = mpg_group_load(s.p) & mpg_group_load(mask);
    h.last = mpg_group_load(s.p + 8) & mpg_group_load(mask + 8);
    h.n = s.n;
  } else if (s.p != NULL) {
    h = (mpg_group_head){mpg_group_load(s.p), mpg_group_load(s.p + s.n - 8), s.n, s.p};
  }
  rest = h.n;
  for (size_t at = 8; h.p != NULL && at + 8 < h.n; at += 8)
    rest = mpg_group_mix(rest ^ k1, k0 ^ mpg_group_load(h.p + at));
  *hash =
      (*hash ^ mpg_group_mix(rest ^ h.first ^ k1, h.last ^ k0)) * UINT64_C(0xa0761d6478bd642f) + i;
  return h;
}

typedef struct mpg_group {
  uint64_t hash;
  int64_t rows;
  int64_t first;       /* the least number of a row of it; INT64_MAX: none yet */
  mpg_group_head *key; /* n_parts of them */
} mpg_group;

typedef struct mpg_groups {
  const mpg_env *env;
  size_t n_parts, n_totals;
  mpg_group *p;      /* in the order of first sight */
  mpg_total *totals; /* [group * n_totals + measure], and one more */
  size_t n, cap, totals_cap;
  mpg_hash_index index;
  struct mpg_groups_block *blocks;
} mpg_groups;

void mpg_groups_init(mpg_groups *groups, const mpg_env *env, size_t n_parts, size_t n_totals);
void mpg_groups_free(mpg_groups *groups);
/* The group of these parts, which are copied at their first sight. Counts a row. MPG_LIMIT: too
** many. */
mpg_rc mpg_groups_row(mpg_groups *groups, const mpg_group_part *parts, size_t *group);
/* The same in two steps: the heads of the parts from the first to the last (mpg_group_head_of), and
** their group. */
mpg_rc mpg_groups_find(mpg_groups *groups, const mpg_group_head *key, uint64_t hash, size_t *group);
/* Adds all groups of another table. MPG_LIMIT: *which measure is beyond 128 bits, or too many
** groups. */
#define MPG_GROUPS_TOO_MANY SIZE_MAX
mpg_rc mpg_groups_merge(mpg_groups *into, const mpg_groups *more,
                        const mpg_sum_expressions *measures, size_t *which);
/* The totals of a group, n_totals of them; lent until the next group comes. */
static inline mpg_total *mpg_groups_totals(const mpg_groups *groups, size_t group) {
  return groups->totals + group * groups->n_totals;
}
int64_t mpg_groups_rows(const mpg_groups *groups, size_t group);
/* The number of a row that was just found to be of the group: rows may come in any order. */
static inline void mpg_groups_number(mpg_groups *groups, size_t group, int64_t number) {
  if (number < groups->p[group].first)
    groups->p[group].first = number;
}
/* Part i of a group, borrowed. */
mpg_group_part mpg_groups_part(const mpg_groups *groups, size_t group, size_t i);

#endif
