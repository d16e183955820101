/*
** groups.h - rows summed by what they have in common: one group for each combination of the values
** that a query groups by, with a count of rows and the totals of its measures.
**
** A table belongs to one thread; tables are put together when all rows are in.
*/
#ifndef MPG_GROUPS_H
#define MPG_GROUPS_H

#include "measure.h"

#define MPG_GROUP_PARTS 64

#define MPG_GROUP_SLACK 16

/* The value of a row in one of the dimensions: text, or the bytes of a number. p NULL is NULL, else
** MPG_GROUP_SLACK bytes from there on are readable, whatever they are. */
typedef mpg_str mpg_group_part;

typedef struct mpg_groups {
  const mpg_env *env;
  size_t n_parts, n_totals;
  struct mpg_group *p; /* in the order of first sight */
  mpg_total *totals;   /* [group * n_totals + measure] */
  size_t n, cap, totals_cap;
  uint32_t *slots; /* open addressing: index + 1, 0 is empty */
  size_t n_slots;  /* a power of two, or 0 */
  struct mpg_groups_block *blocks;
} mpg_groups;

void mpg_groups_init(mpg_groups *groups, const mpg_env *env, size_t n_parts, size_t n_totals);
void mpg_groups_free(mpg_groups *groups);
/* The group of these parts, which are copied at their first sight. Counts a row. MPG_LIMIT: too many. */
mpg_rc mpg_groups_row(mpg_groups *groups, const mpg_group_part *parts, size_t *group);
/* Adds all groups of another table. MPG_LIMIT: *which measure is beyond 128 bits, or too many groups. */
#define MPG_GROUPS_TOO_MANY SIZE_MAX
mpg_rc mpg_groups_merge(mpg_groups *into, const mpg_groups *more, const mpg_measures *measures,
                        size_t *which);
int64_t mpg_groups_rows(const mpg_groups *groups, size_t group);
/* Part i of a group, borrowed. */
mpg_group_part mpg_groups_part(const mpg_groups *groups, size_t group, size_t i);

#endif
