/* rows_dedup.c - see rows_dedup.h. */
#include "rows_dedup.h"

#define BYTES_MAX ((size_t)4 << 20)

void mpg_rows_dedup_init(mpg_rows_dedup *dedup, const mpg_env *env, size_t n) {
  *dedup = (mpg_rows_dedup){.of = NULL};
  mpg_groups_init(&dedup->rows, env, n, 0);
}

void mpg_rows_dedup_free(mpg_rows_dedup *dedup) {
  mpg_groups_free(&dedup->rows);
}

void mpg_rows_dedup_forget(mpg_rows_dedup *dedup) {
  const mpg_env *env = dedup->rows.env;
  size_t n = dedup->rows.n_parts;
  dedup->blind = dedup->n_found < dedup->n_asked / 2;
  mpg_groups_free(&dedup->rows);
  mpg_groups_init(&dedup->rows, env, n, 0);
  dedup->bytes = dedup->n_asked = dedup->n_found = 0;
}

mpg_rc mpg_rows_dedup_ask(mpg_rows_dedup *dedup, const mpg_group_head *key, uint64_t hash,
                          bool *was) {
  size_t before = dedup->rows.n, group;
  mpg_rc rc = mpg_groups_find(&dedup->rows, key, hash, &group);
  *was = false;
  if (rc == MPG_LIMIT) /* of groups: as many as may be remembered */
    mpg_rows_dedup_forget(dedup);
  if (rc != MPG_OK)
    return rc == MPG_LIMIT ? MPG_OK : rc;
  *was = group < before;
  dedup->n_asked++;
  dedup->n_found += *was;
  if (*was)
    return MPG_OK;
  for (size_t k = 0; k < dedup->rows.n_parts; k++)
    dedup->bytes += sizeof *key + (key[k].p == NULL ? 0 : (size_t)key[k].n);
  if (dedup->bytes > BYTES_MAX)
    mpg_rows_dedup_forget(dedup);
  return MPG_OK;
}
