/*
** test_rows_seen.c - rows that come again are told from new ones, within bounds: what is forgotten,
** and when no more is looked for.
*/
#include "check.h"
#include "hostile.h"
#include "../../ext/base/limits.h"
#include "../../ext/read/rows/rows_dedup.h"

enum { BOUND = 4 << 20, TEXT = 1000 };

static mpg_rc ask(mpg_rows_dedup *seen, const char *text, size_t n, bool *was) {
  uint64_t hash = 0;
  mpg_group_head key[2]; /* the other is of a column that is NULL, where it is asked for */
  key[0] = mpg_group_head_of((mpg_group_part){text, n}, 0, 0, &hash);
  key[1] = mpg_group_head_of((mpg_group_part){NULL, 0}, 1, 0, &hash);
  *was = true; /* the answer is given in any case */
  return mpg_rows_dedup_ask(seen, key, hash, was);
}

/* Row i, of 8 bytes or of TEXT. */
static mpg_rc ask_number(mpg_rows_dedup *seen, uint64_t i, size_t n, bool *was) {
  static char text[TEXT + MPG_GROUP_SLACK];
  memcpy(text, &i, sizeof i);
  return ask(seen, text, n, was);
}

/* Rows are forgotten when those that differ are of more than 4 MiB, with a head each; from then on
** none is looked for where fewer than half of the questions had been answered with yes. */
static void test_forgets(void) {
  for (int times = 0; times <= 3; times++) /* 0: each second row twice */
    for (size_t n = 8; n <= TEXT; n += TEXT - 8) {
      size_t each = sizeof(mpg_group_head) + (n > 16 ? n : 0), most = BOUND / each, wrong = 0;
      mpg_rows_dedup seen;
      bool was = true;
      memset(&seen, 0xa5, sizeof seen);
      mpg_rows_dedup_init(&seen, &mpg_env_libc, 1);
      CHECK(mpg_rows_dedup_searches(&seen, "path"));
      for (uint64_t i = 0; i < most; i++)
        for (int k = 0; k < (times == 0 ? 1 + (int)(i % 2) : times); k++)
          wrong += ask_number(&seen, i, n, &was) != MPG_OK || was != (k > 0);
      CHECK(wrong == 0 && seen.rows.n == most && seen.bytes == most * each && !seen.blind);
      CHECK(ask_number(&seen, most, n, &was) == MPG_OK && !was);
      CHECK(seen.rows.n == 0 && seen.bytes == 0 && seen.n_asked == 0 && seen.n_found == 0);
      CHECK(seen.blind == (times <= 1) && seen.rows.n_parts == 1);
      CHECK(ask_number(&seen, 0, n, &was) == MPG_OK && !was);
      CHECK(ask_number(&seen, 0, n, &was) == MPG_OK && was);
      mpg_rows_dedup_free(&seen);
    }
}

/* Another file is another matter, also where its rows are the same. */
static void test_files(void) {
  static const char one[] = "one", two[] = "two";
  mpg_rows_dedup seen;
  bool was;
  mpg_rows_dedup_init(&seen, &mpg_env_libc, 1);
  CHECK(mpg_rows_dedup_searches(&seen, one) && ask_number(&seen, 1, 8, &was) == MPG_OK && !was);
  CHECK(mpg_rows_dedup_searches(&seen, one) && ask_number(&seen, 1, 8, &was) == MPG_OK && was);
  CHECK(mpg_rows_dedup_searches(&seen, two) && ask_number(&seen, 1, 8, &was) == MPG_OK && !was);
  seen.blind = true;
  CHECK(!mpg_rows_dedup_searches(&seen, two) && mpg_rows_dedup_searches(&seen, one));
  mpg_rows_dedup_free(&seen);
  mpg_rows_dedup_init(&seen, &mpg_env_libc, 2);
  CHECK(ask_number(&seen, 1, 8, &was) == MPG_OK && !was);
  CHECK(seen.bytes == 2 * sizeof(mpg_group_head));
  mpg_rows_dedup_free(&seen);
}

/* More than may be remembered is no error; no memory is. */
static void test_limits(void) {
  mpg_limits limits;
  mpg_env env = mpg_env_libc;
  mpg_rows_dedup seen;
  bool was;
  mpg_limits_init(&limits);
  limits.of[MPG_LIMIT_GROUPS] = 3;
  env.limits = &limits;
  mpg_rows_dedup_init(&seen, &env, 1);
  for (uint64_t i = 0; i < 4; i++)
    CHECK(ask_number(&seen, i, 8, &was) == MPG_OK && !was && seen.rows.n == (i + 1) % 4);
  CHECK(ask_number(&seen, 0, 8, &was) == MPG_OK && !was && seen.rows.n == 1);
  mpg_rows_dedup_free(&seen);
  for (long fail = 1;; fail++) {
    hostile h = {0, fail, false, false, 0};
    mpg_rc rc;
    env = hostile_env(&h);
    mpg_rows_dedup_init(&seen, &env, 1);
    rc = ask_number(&seen, 1, TEXT, &was);
    CHECK(rc == (h.failed ? MPG_NOMEM : MPG_OK) && !was);
    mpg_rows_dedup_free(&seen);
    CHECK(h.live == 0);
    if (!h.failed)
      break;
  }
}

int main(void) {
  test_forgets();
  test_files();
  test_limits();
  return check_done("rows_seen");
}
