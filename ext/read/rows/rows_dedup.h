/*
** rows_dedup.h - the rows of a file that a thread has given, so that one which is the same need not
** be given again: for DISTINCT, which leaves out what comes twice anyway.
**
** Memory is bounded: what is known is forgotten when it is too much, and where few rows come again
** nothing is searched for any more in that file.
*/
#ifndef MPG_ROWS_DEDUP_H
#define MPG_ROWS_DEDUP_H

#include "../grouping/groups.h"

#define MPG_ROWS_DEDUP_COLUMNS MPG_GROUP_PARTS

typedef struct mpg_rows_dedup {
  mpg_groups rows;
  size_t bytes;
  size_t asked, found; /* since it was last forgotten */
  const char *of;      /* the file's path */
  bool blind;          /* too few are seen twice */
} mpg_rows_dedup;

/* Of rows of n columns, MPG_ROWS_DEDUP_COLUMNS at most; `env` is borrowed. */
void mpg_rows_dedup_init(mpg_rows_dedup *seen, const mpg_env *env, size_t n);
void mpg_rows_dedup_free(mpg_rows_dedup *seen);
void mpg_rows_dedup_forget(mpg_rows_dedup *seen);

/* Before a row of the file, `path` being the same pointer for all of them: whether to ask at
** all. */
static inline bool mpg_rows_dedup_looks(mpg_rows_dedup *seen, const char *path) {
  if (seen->of != path) {
    mpg_rows_dedup_forget(seen);
    seen->blind = false;
    seen->of = path;
  }
  return !seen->blind;
}
/* Whether there was a row of this key (mpg_group_head_of); from now on there was. */
mpg_rc mpg_rows_dedup_ask(mpg_rows_dedup *seen, const mpg_group_head *key, uint64_t hash,
                          bool *was);

#endif
