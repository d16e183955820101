/* test_group_sorter.c - group_sorter.h against a plain array: every value comes back to the bit,
** groups in order and records as they came; within its memory; stopped, or without memory, at every
** place. */
#include "check.h"
#include "hostile.h"
#include "../../ext/read/grouping/group_sorter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS 6000
#define VALUES 4

typedef struct record {
  mpg_value keys[2], values[VALUES];
} record;

static record records[RECORDS];
static record *sorted[RECORDS];
static char texts[RECORDS][24];
static const char blank[40000];

static uint64_t state = 7;
static uint64_t draw(uint64_t n) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (state >> 33) % n;
}

static mpg_value a_text(size_t i) {
  static const mpg_str odd[] = {{"", 0}, {"a\0b", 3}, {"a", 1}, {"\xff\xfe", 2}, {blank, 40000}};
  mpg_value v = {MPG_TEXT, 0, 0.0, {NULL, 0}};
  if (draw(3) == 0) {
    v.s = odd[draw(5)];
  } else {
    (void)snprintf(texts[i], sizeof *texts, "text %d", (int)draw(300));
    v.s = mpg_str_of(texts[i]);
  }
  return v;
}

static mpg_value a_number(int64_t near) {
  static const int64_t ints[] = {
      0, -1, INT64_MIN, INT64_MAX, INT64_C(1) << 60, -(INT64_C(1) << 60)};
  static const double reals[] = {0.0,       -0.0, 0.1,  -1e300,           INFINITY,
                                 -INFINITY, 9e12, 1e-9, 4203669613000.123};
  mpg_value v = {draw(2) == 0 ? MPG_INT : MPG_REAL, near, (double)near / 1000, {NULL, 0}};
  if (draw(8) == 0) {
    v.i = ints[draw(6)];
    v.r = reals[draw(9)];
  } else if (draw(8) == 0) {
    v.i = (int64_t)(state ^ state << 29);
    memcpy(&v.r, &v.i, sizeof v.r); /* NaN among them */
  }
  return v;
}

static void fill(void) {
  static const mpg_value null = {MPG_NULL, 0, 0.0, {NULL, 0}};
  for (size_t i = 0; i < RECORDS; i++) {
    record *r = &records[i];
    r->keys[0] = draw(9) == 0 ? null : (mpg_value){MPG_TEXT, 0, 0.0, {&"abcdefgh"[draw(8)], 1}};
    r->keys[1] = draw(9) == 0 ? null : (mpg_value){MPG_TEXT, 0, 0.0, {"kkkkkkkk", draw(8)}};
    r->values[0] = (mpg_value){MPG_INT, (int64_t)i, 0.0, {NULL, 0}};
    r->values[1] = a_number((int64_t)i * 1000 + (int64_t)draw(999));
    r->values[2] = draw(5) == 0 ? null : a_text(i);
    r->values[3] = draw(2) == 0 ? a_number(-(int64_t)i) : a_text(i);
    sorted[i] = r;
  }
}

static bool descending[MPG_GROUP_SORTER_KEYS];

static int compare_keys(const record *x, const record *y) {
  for (int k = 0; k < 2; k++) {
    const mpg_value *a = &x->keys[k], *b = &y->keys[k];
    int c = a->type != b->type    ? (a->type == MPG_NULL ? -1 : 1)
            : a->type == MPG_NULL ? 0
                                  : mpg_str_cmp(a->s, b->s);
    if (c != 0)
      return descending[k] ? -c : c;
  }
  return 0;
}

static int compare(const void *a, const void *b) {
  const record *x = *(record *const *)a, *y = *(record *const *)b;
  int c = compare_keys(x, y);
  return c != 0 ? c : x < y ? -1 : 1;
}

static uint64_t bits(double r) {
  uint64_t v;
  memcpy(&v, &r, sizeof v);
  return v;
}

static bool same(const mpg_value *a, const mpg_value *b) {
  return a->type == b->type && (a->type == MPG_NULL || (a->type == MPG_INT && a->i == b->i) ||
                                (a->type == MPG_REAL && bits(a->r) == bits(b->r)) ||
                                (a->type == MPG_TEXT && mpg_str_eq(a->s, b->s)));
}

/* How far it came: MPG_OK, all of it came back right. */
static mpg_rc gather(const mpg_env *env, size_t n, size_t most) {
  mpg_group_sorter *g;
  mpg_err err;
  mpg_rc rc = mpg_group_sorter_open(&g, env, 2, VALUES, most, &err);
  size_t i = 0;
  for (; rc == MPG_OK && i < n; i++)
    rc = mpg_group_sorter_add(g, records[i].keys, records[i].values);
  if (rc == MPG_OK)
    rc = mpg_group_sorter_sort(g, descending, &err);
  for (i = 0; rc == MPG_OK && mpg_group_sorter_next(g); i++) {
    bool right = i < n;
    for (size_t k = 0; right && k < 2; k++)
      right = same(mpg_group_sorter_key(g, k), &sorted[i]->keys[k]);
    for (size_t v = 0; right && v < VALUES; v++)
      right = same(mpg_group_sorter_value(g, v), &sorted[i]->values[v]);
    if (right && mpg_group_sorter_value(g, 2)->type == MPG_TEXT)
      right = mpg_str_eq(
          mpg_intern_text(mpg_group_sorter_texts(g), (uint32_t)mpg_group_sorter_value(g, 2)->i),
          sorted[i]->values[2].s);
    if (!right)
      rc = MPG_DATA;
  }
  if (rc == MPG_OK && i != n)
    rc = MPG_DATA;
  mpg_group_sorter_close(g);
  return rc;
}

/* What n records of one key and two values take: whether `most` bytes are enough. */
static bool fits(size_t n, size_t most, void (*make)(size_t i, mpg_value *key, mpg_value *values)) {
  mpg_group_sorter *g;
  mpg_err err;
  mpg_rc rc = mpg_group_sorter_open(&g, &mpg_env_libc, 1, 2, most, &err);
  for (size_t i = 0; rc == MPG_OK && i < n; i++) {
    mpg_value key = {MPG_NULL, 0, 0.0, {NULL, 0}}, values[2] = {key, key};
    make(i, &key, values);
    rc = mpg_group_sorter_add(g, &key, values);
  }
  mpg_group_sorter_close(g);
  CHECK(rc == MPG_OK || rc == MPG_LIMIT);
  return rc == MPG_OK;
}

/* A number that is within 7 of the one before, and a time within 7 ms of it, before and after 0. */
static void near_numbers(size_t i, mpg_value *key, mpg_value *values) {
  int64_t at = (int64_t)i * 7 - 200000;
  (void)key;
  values[0] = (mpg_value){MPG_INT, -at, 0.0, {NULL, 0}};
  values[1] = (mpg_value){MPG_REAL, 0, (double)at / 1000, {NULL, 0}};
}

static void far_numbers(size_t i, mpg_value *key, mpg_value *values) {
  (void)key;
  values[0] =
      (mpg_value){MPG_INT, (int64_t)((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15)), 0.0, {NULL, 0}};
  values[1] = (mpg_value){MPG_REAL, 0, sqrt((double)i), {NULL, 0}};
}

static void a_group_each(size_t i, mpg_value *key, mpg_value *values) {
  (void)values;
  (void)snprintf(texts[i], sizeof *texts, "%06d", (int)i);
  *key = (mpg_value){MPG_TEXT, 0, 0.0, mpg_str_of(texts[i])};
}

static void a_text_each(size_t i, mpg_value *key, mpg_value *values) {
  a_group_each(i, &values[i % 2], values);
  *key = values[1 - i % 2];
}

static void one_text(size_t i, mpg_value *key, mpg_value *values) {
  (void)i;
  (void)key;
  values[0] = values[1] = (mpg_value){MPG_TEXT, 0, 0.0, {blank, 30}};
}

/*
** Values that are near take a byte; what is far, and every text once, takes what it is long. A byte
** a value is 60,000 for 30,000 records, and a chunk is at most twice what is in it.
*/
static void memory(void) {
  CHECK(fits(30000, 120000, near_numbers) && !fits(30000, 60000, near_numbers));
  CHECK(!fits(30000, 16 * 30000, far_numbers) && fits(30000, 20 * 30000, far_numbers));
  CHECK(fits(30000, 120000, one_text) && !fits(30000, 60000, one_text));
  /* The chunks of 5000 texts are 10,000 bytes, and of 5000 groups 64 each. */
  CHECK(!fits(5000, 5000 * 70, a_text_each) && fits(5000, 5000 * 80, a_text_each));
  CHECK(!fits(5000, 5000 * (64 + 64 + 64), a_group_each) && fits(5000, 5000 * 300, a_group_each));
}

int main(void) {
  for (int round = 0; round < 8; round++) {
    descending[0] = round & 1;
    descending[1] = (round & 2) != 0;
    fill();
    qsort(sorted, RECORDS, sizeof *sorted, compare);
    CHECK(gather(&mpg_env_libc, RECORDS, SIZE_MAX) == MPG_OK);
  }
  memory();
  CHECK(gather(&mpg_env_libc, 0, SIZE_MAX) == MPG_OK);
  sorted[0] = &records[0]; /* one group alone, of one record */
  CHECK(gather(&mpg_env_libc, 1, SIZE_MAX) == MPG_OK);
  CHECK(gather(&mpg_env_libc, RECORDS, 10000) == MPG_LIMIT);
  for (size_t i = 0; i < 400; i++)
    sorted[i] = &records[i];
  qsort(sorted, 400, sizeof *sorted, compare);
  for (long fail = 1;; fail++) {
    hostile h = {0, fail, false, false, 0};
    mpg_env env = hostile_env(&h);
    mpg_rc rc = gather(&env, 400, SIZE_MAX);
    CHECK(rc == (h.failed ? MPG_NOMEM : MPG_OK) && h.live == 0);
    if (rc != MPG_NOMEM)
      break;
  }
  return check_done("group_sorter");
}
