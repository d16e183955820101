/* rows_dedup.c - see rows_dedup.h. */
#include "rows_dedup.h"

#define BYTES_MAX ((size_t)4 << 20)

void mpg_rows_dedup_init(mpg_rows_dedup *seen, const mpg_env *env, size_t n) {
  *seen = (mpg_rows_dedup){.of = NULL};
  mpg_groups_init(&seen->rows, env, n, 0);
}

void mpg_rows_dedup_free(mpg_rows_dedup *seen) {
  mpg_groups_free(&seen->rows);
}

void mpg_rows_dedup_forget(mpg_rows_dedup *seen) {
  const mpg_env *env = seen->rows.env;
  size_t n = seen->rows.n_parts;
  seen->blind = seen->found < seen->asked / 2;
  mpg_groups_free(&seen->rows);
  mpg_groups_init(&seen->rows, env, n, 0);
  seen->bytes = seen->asked = seen->found = 0;
}

mpg_rc mpg_rows_dedup_ask(mpg_rows_dedup *seen, const mpg_group_head *key, uint64_t hash,
                          bool *was) {
  size_t before = seen->rows.n, group;
  mpg_rc rc = mpg_groups_find(&seen->rows, key, hash, &group);
  *was = false;
  if (rc == MPG_LIMIT) /* of groups: as many as may be remembered */
    mpg_rows_dedup_forget(seen);
  if (rc != MPG_OK)
    return rc == MPG_LIMIT ? MPG_OK : rc;
  *was = group < before;
  seen->asked++;
  seen->found += *was;
  if (*was)
    return MPG_OK;
  for (size_t k = 0; k < seen->rows.n_parts; k++)
    seen->bytes += sizeof *key + (key[k].p == NULL ? 0 : (size_t)key[k].n);
  if (seen->bytes > BYTES_MAX)
    mpg_rows_dedup_forget(seen);
  return MPG_OK;
}
