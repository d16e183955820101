/*
** rows_dedup.h - the rows of a file that a thread has returned, so that an equal row can be left
** out: for DISTINCT, which drops it anyway.
**
** Memory is bounded: if there are too many rows, they are forgotten; if few rows repeat, the search
** ends for that file.
*/
#ifndef MPG_ROWS_DEDUP_H
#define MPG_ROWS_DEDUP_H

#include "../grouping/groups.h"

#define MPG_ROWS_DEDUP_COLUMNS MPG_GROUP_PARTS

typedef struct mpg_rows_dedup {
  mpg_groups rows;
  size_t bytes;
  size_t n_asked, n_found; /* since it was last forgotten */
  const char *of;          /* the file's path */
  bool blind;              /* too few rows repeat */
} mpg_rows_dedup;

/* For rows of n columns, MPG_ROWS_DEDUP_COLUMNS at most. `env` is borrowed. */
void mpg_rows_dedup_init(mpg_rows_dedup *dedup, const mpg_env *env, size_t n);
void mpg_rows_dedup_free(mpg_rows_dedup *dedup);
void mpg_rows_dedup_forget(mpg_rows_dedup *dedup);

/* Before a row of the file, with the same pointer `path` for all of them: whether to search at all.
*/
static inline bool mpg_rows_dedup_searches(mpg_rows_dedup *dedup, const char *path) {
  if (dedup->of != path) {
    mpg_rows_dedup_forget(dedup);
    dedup->blind = false;
    dedup->of = path;
  }
  return !dedup->blind;
}
/* Whether there was a row of this key (mpg_group_head_of); from now on there was. */
mpg_rc mpg_rows_dedup_ask(mpg_rows_dedup *dedup, const mpg_group_head *key, uint64_t hash,
                          bool *was);

#endif
