/* test_groups.c - rows find the group of what they have in common, and tables of groups are put
** together. */
#include "check.h"
#include "hostile.h"
#include "../../ext/read/grouping/groups.h"
#include "../../ext/base/limits.h"

static void test_lengths(void) {
  mpg_groups all, some;
  mpg_sum_expressions none;
  mpg_err err;
  size_t which = 0, group;
  static const char xs[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
  char texts[2][40 + MPG_GROUP_SLACK];
  CHECK(mpg_sum_expressions_parse(&none, &mpg_env_libc, MPG_STR(""), &err) == MPG_OK);
  mpg_groups_init(&all, &mpg_env_libc, 2, 0);
  mpg_groups_init(&some, &mpg_env_libc, 2, 0);
  /* Every length up to 39, against every other, and NULL; 1600 groups, seen three times. */
  for (int turn = 0; turn < 3; turn++)
    for (size_t i = 0; i < 40; i++)
      for (size_t k = 0; k < 40; k++) {
        mpg_group_part parts[2] = {{texts[0], i}, {k == 39 ? NULL : texts[1], k == 39 ? 0 : k}};
        memset(texts, 'x', sizeof texts);
        memset(texts[0] + i, turn, MPG_GROUP_SLACK);
        memset(texts[1] + k, turn, MPG_GROUP_SLACK);
        CHECK(mpg_groups_row(turn == 2 ? &some : &all, parts, &group) == MPG_OK);
        CHECK(turn != 0 || group == i * 40 + k);
      }
  CHECK(all.n == 1600 && mpg_groups_merge(&all, &some, &none, &which) == MPG_OK && all.n == 1600);
  for (size_t g = 0; g < all.n; g++) {
    mpg_group_part first = mpg_groups_part(&all, g, 0), second = mpg_groups_part(&all, g, 1);
    CHECK(mpg_groups_rows(&all, g) == 3 && first.n == g / 40);
    CHECK(memcmp(first.p, xs, first.n) == 0 &&
          (second.p == NULL || memcmp(second.p, xs, second.n) == 0));
    CHECK(g % 40 == 39 ? second.p == NULL : second.p != NULL && second.n == g % 40);
  }
  mpg_groups_free(&all);
  mpg_groups_free(&some);
  mpg_groups_free(&some); /* nothing is left to free */
  mpg_sum_expressions_free(&none);
}

enum { LONGEST = 40 };

/* Texts that differ in one byte, wherever, or are not there; short ones, and such as are looked
** at in part. */
static mpg_group_part alike(char *room) {
  size_t n = check_draw(8) == 0 ? check_draw(LONGEST) : 14 + check_draw(5) * check_draw(5);
  memset(room, 'a', LONGEST + MPG_GROUP_SLACK);
  if (n > 0 && check_draw(2) == 0)
    room[check_draw(3) == 0 ? check_draw(n) : n / 2] = 'b';
  return check_draw(6) == 0 ? (mpg_group_part){NULL, 0} : (mpg_group_part){room, n};
}

static bool same_part(mpg_group_part a, mpg_group_part b) {
  return (a.p == NULL) == (b.p == NULL) && mpg_str_eq(a, b);
}

/* Were all hashes the same, what is alike would be told apart all the same: beside a search
** through all groups. */
static void test_collisions(void) {
  static char seen[3000][2][LONGEST + MPG_GROUP_SLACK];
  static mpg_group_part parts[3000][2];
  hostile h = {0, 0, false, false, 0};
  mpg_env env = hostile_env(&h);
  size_t n = 0, group;
  mpg_groups g;
  mpg_groups_init(&g, &env, 2, 1);
  for (int i = 0; i < 3000; i++) {
    mpg_group_part key[2] = {alike(seen[n][0]), alike(seen[n][1])};
    mpg_group_head heads[2];
    uint64_t hash = 0;
    size_t expected = 0;
    for (size_t k = 0; k < 2; k++)
      heads[k] = mpg_group_head_of(key[k], k, 0, &hash);
    while (expected < n &&
           !(same_part(parts[expected][0], key[0]) && same_part(parts[expected][1], key[1])))
      expected++;
    CHECK(mpg_groups_find(&g, heads, (uint64_t)i % 2, &group) == MPG_OK); /* two hashes in all */
    mpg_groups_totals(&g, group)->n++;
    CHECK(same_part(mpg_groups_part(&g, group, 0), key[0]) &&
          same_part(mpg_groups_part(&g, group, 1), key[1]));
    if (expected == n) {
      memcpy(parts[n], key, sizeof key);
      n++;
    }
  }
  for (size_t a = 0; a < g.n; a++) /* no group is there more than twice, for the two hashes */
    for (size_t b = a + 1, twice = 0; b < g.n; b++) {
      twice += same_part(mpg_groups_part(&g, a, 0), mpg_groups_part(&g, b, 0)) &&
               same_part(mpg_groups_part(&g, a, 1), mpg_groups_part(&g, b, 1));
      CHECK(twice < 2);
    }
  for (size_t a = 0; a < g.n; a++)
    CHECK(mpg_groups_rows(&g, a) == (int64_t)mpg_groups_totals(&g, a)->n);
  CHECK(n > 300 && g.n >= n && g.n <= 2 * n);
  mpg_groups_free(&g);
  CHECK(h.live == 0);
  for (long fail = 1;; fail++) {
    mpg_rc rc = MPG_OK;
    h = (hostile){0, fail, false, false, 0};
    mpg_groups_init(&g, &env, 2, 1);
    for (size_t i = 0; rc == MPG_OK && i < n; i++)
      rc = mpg_groups_row(&g, parts[i], &group);
    CHECK(rc == (h.failed ? MPG_NOMEM : MPG_OK) && (rc != MPG_OK || g.n == n));
    mpg_groups_free(&g);
    CHECK(h.live == 0);
    if (!h.failed)
      break;
  }
}

/* One group more than the limit is an error, and says which. */
static void test_too_many(void) {
  mpg_limits limits;
  mpg_env env = mpg_env_libc;
  mpg_groups few, more;
  mpg_sum_expressions none;
  mpg_err err;
  char text[1 + MPG_GROUP_SLACK] = "";
  size_t group, which = 0;
  mpg_limits_init(&limits);
  limits.of[MPG_LIMIT_GROUPS] = 5;
  env.limits = &limits;
  CHECK(mpg_sum_expressions_parse(&none, &mpg_env_libc, MPG_STR(""), &err) == MPG_OK);
  mpg_groups_init(&few, &env, 1, 0);
  mpg_groups_init(&more, &mpg_env_libc, 1, 0);
  for (int i = 0; i < 6; i++) {
    mpg_group_part part = {text, 1};
    text[0] = (char)('a' + i);
    CHECK(mpg_groups_row(&few, &part, &group) == (i < 5 ? MPG_OK : MPG_LIMIT));
    CHECK(mpg_groups_row(&more, &part, &group) == MPG_OK);
  }
  CHECK(mpg_groups_merge(&few, &more, &none, &which) == MPG_LIMIT && which == MPG_GROUPS_TOO_MANY);
  mpg_groups_free(&few);
  mpg_groups_free(&more);
  mpg_sum_expressions_free(&none);
}

/* Whoever has much to move asks on the way; a no adds nothing. */
static void test_stops(void) {
  enum { MANY = 300000 };
  hostile h = {0};
  mpg_env env = hostile_env(&h);
  mpg_groups g;
  int stopped = 0;
  bool wrong = false;
  mpg_groups_init(&g, &env, 1, 0);
  for (int64_t i = 0; i < MANY; i++) {
    mpg_value v = {MPG_INT, i, 0.0, {NULL, 0}};
    mpg_group_number number;
    mpg_group_part part = mpg_group_number_of(&v, &number);
    size_t group;
    mpg_rc rc;
    h.stop_in = 2;
    rc = mpg_groups_row(&g, &part, &group);
    h.stop_in = 0;
    if (rc == MPG_INTERRUPTED) {
      stopped++;
      rc = mpg_groups_row(&g, &part, &group);
    }
    wrong |= rc != MPG_OK || group != (size_t)i;
  }
  CHECK(!wrong && g.n == MANY && stopped == 7); /* at 4 Ki to 256 Ki groups */
  mpg_groups_free(&g);
  CHECK(h.live == 0);
}

/* Totals of each group in each of several tables, and of all tables put together, beside sums of
** all rows. */
static void test_totals(void) {
  enum { TABLES = 3, GROUPS = 50 };
  static int64_t rows[GROUPS], sums[GROUPS][2], least[GROUPS];
  static bool numbered[GROUPS];
  mpg_groups tables[TABLES];
  mpg_sum_expressions m;
  mpg_err err;
  size_t group, which;
  CHECK(mpg_sum_expressions_parse(&m, &mpg_env_libc, MPG_STR("x, y"), &err) == MPG_OK);
  m.whole[0] = m.whole[1] = true;
  mpg_sum_expressions_type(&m);
  for (size_t t = 0; t < TABLES; t++)
    mpg_groups_init(&tables[t], &mpg_env_libc, 1, 2);
  for (int row = 0; row < 2000; row++) {
    size_t key = check_draw(GROUPS);
    mpg_value x = {MPG_INT, check_below(1000), 0, {NULL, 0}}, values[2] = {x, x};
    mpg_group_number number;
    mpg_group_part part =
        mpg_group_number_of(&(mpg_value){MPG_INT, (int64_t)key, 0, {NULL, 0}}, &number);
    mpg_groups *g = &tables[check_draw(TABLES)];
    values[1].i = -7 * check_below(1000);
    CHECK(mpg_groups_row(g, &part, &group) == MPG_OK);
    CHECK(mpg_sum_expressions_add(&m, values, mpg_groups_totals(g, group), &which) == MPG_OK);
    if (check_draw(8) > 0) { /* of the others no number is told */
      int64_t told = check_below(1000000) - 5000;
      mpg_groups_number(g, group, told);
      least[key] = numbered[key] && least[key] < told ? least[key] : told;
      numbered[key] = true;
    }
    rows[key]++;
    sums[key][0] += values[0].i;
    sums[key][1] += values[1].i;
  }
  for (size_t t = 1; t < TABLES; t++)
    CHECK(mpg_groups_merge(&tables[0], &tables[t], &m, &which) == MPG_OK);
  CHECK(tables[0].n == GROUPS);
  for (size_t k = 0; k < tables[0].n; k++) {
    const mpg_total *totals = mpg_groups_totals(&tables[0], k);
    int64_t key = -1;
    memcpy(&key, mpg_groups_part(&tables[0], k, 0).p, sizeof key);
    CHECK(key >= 0 && key < GROUPS && mpg_groups_rows(&tables[0], k) == rows[key]);
    CHECK(key >= 0 && key < GROUPS &&
          tables[0].p[k].first == (numbered[key] ? least[key] : INT64_MAX));
    for (size_t i = 0; key >= 0 && key < GROUPS && i < 2; i++)
      CHECK(totals[i].whole == sums[key][i] && (int64_t)totals[i].n == rows[key]);
  }
  for (size_t t = 0; t < TABLES; t++)
    mpg_groups_free(&tables[t]);
  mpg_sum_expressions_free(&m);
}

/* Which measure of two tables together is beyond 128 bits, of which group ever. */
static void test_beyond(void) {
  for (size_t beyond = 0; beyond < 3; beyond++) {
    mpg_groups one, two;
    mpg_sum_expressions m;
    mpg_err err;
    size_t group, which = 99;
    CHECK(mpg_sum_expressions_parse(&m, &mpg_env_libc, MPG_STR("x, y"), &err) == MPG_OK);
    m.whole[0] = m.whole[1] = true;
    mpg_sum_expressions_type(&m);
    mpg_groups_init(&one, &mpg_env_libc, 1, 2);
    mpg_groups_init(&two, &mpg_env_libc, 1, 2);
    for (int i = 0; i < 4; i++) {
      char text[1 + MPG_GROUP_SLACK] = {(char)('a' + i)};
      CHECK(mpg_groups_row(&one, &(mpg_group_part){text, 1}, &group) == MPG_OK);
      CHECK(mpg_groups_row(&two, &(mpg_group_part){text, 1}, &group) == MPG_OK);
    }
    if (beyond < 2) {
      mpg_groups_totals(&one, 2)[beyond].whole = (mpg_i128)1 << 126;
      mpg_groups_totals(&two, 2)[beyond].whole = (mpg_i128)1 << 126;
    }
    CHECK(mpg_groups_merge(&one, &two, &m, &which) == (beyond < 2 ? MPG_LIMIT : MPG_OK));
    CHECK(beyond == 2 || which == beyond);
    mpg_groups_free(&one);
    mpg_groups_free(&two);
    mpg_sum_expressions_free(&m);
  }
}

/* Keys so long that each has memory of its own, which it fills to the end. */
static void test_long_keys(void) {
  enum { LONG = 40000, LONGEST_REST = 9 };
  char *room = malloc(LONG + LONGEST_REST + MPG_GROUP_SLACK);
  mpg_groups g;
  size_t group;
  CHECK(room != NULL);
  if (room == NULL)
    return;
  memset(room, 'l', LONG + LONGEST_REST + MPG_GROUP_SLACK);
  mpg_groups_init(&g, &mpg_env_libc, 3, 0);
  for (size_t rest = 0; rest < LONGEST_REST; rest++) {
    mpg_group_part parts[3] = {{room, LONG + rest}, {room, 3}, {room, LONG}};
    CHECK(mpg_groups_row(&g, parts, &group) == MPG_OK && group == rest);
  }
  for (size_t k = 0; k < g.n; k++) {
    mpg_str first = mpg_groups_part(&g, k, 0), third = mpg_groups_part(&g, k, 2);
    CHECK(first.n == LONG + k && memcmp(first.p, room, first.n) == 0);
    CHECK(third.n == LONG && memcmp(third.p, room, third.n) == 0);
  }
  mpg_groups_free(&g);
  free(room);
}

/* Texts that are one hash where no seed is drawn, for their last word is what the first is
** multiplied with. */
static void test_seeds(void) {
  const uint64_t k0 = UINT64_C(0x9e3779b97f4a7c15);
  const uint64_t seeds[3] = {0, 2, UINT64_C(0x0123456789abcdef)};
  uint64_t first[3] = {0}, equal[3] = {0};
  for (size_t s = 0; s < 3; s++)
    for (uint64_t i = 0; i < 500; i++) {
      uint64_t words[4] = {i, k0}, hash = 0;
      (void)mpg_group_head_of((mpg_group_part){(const char *)words, 16}, 0, seeds[s], &hash);
      if (i == 0)
        first[s] = hash;
      equal[s] += hash == first[s];
    }
  CHECK(equal[0] == 500 && equal[1] == 1 && equal[2] == 1);
}

int main(void) {
  test_lengths();
  test_collisions();
  test_seeds();
  test_stops();
  test_totals();
  test_beyond();
  test_long_keys();
  test_too_many();
  return check_done("groups");
}
