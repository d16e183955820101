/*
** test_row_order.c - rows of a ledger in order, as one group and as a pile of chunks: as a naive
** sort has them, and with the host saying stop at each of its looks, and each allocation failing.
*/
#include "check.h"
#include "hostile.h"
#include "trace.h"
#include "../../ext/goodput/ledger/ledger_order.h"

/* Rows, and as many combinations but for a few: more than it takes until the host is asked once. */
enum { ROWS = (int)MPG_POLL_TURNS + 300, ATTEMPTS = ROWS - 200, CHUNKS = 3, NEVER = 1000000 };

static const mpg_env *const libc = &mpg_env_libc;
static mpg_fleet fleet;
static mpg_ledger rows;                      /* as they come; `number` says when */
static size_t forward[ROWS], backward[ROWS]; /* their places */

/* Attempts in no order, some of them twice; few categories, in runs. */
static void make_rows(void) {
  mpg_sink sink = mpg_ledger_sink(&rows);
  rows.columns = 1u << MPG_ROW_ATTEMPT | 1u << MPG_ROW_CATEGORY | 1u << MPG_ROW_START |
                 1u << MPG_ROW_END | 1u << MPG_ROW_CHIP_US | 1u << MPG_ROW_NUMBER;
  for (int i = 0; i < ROWS; i++) {
    mpg_row row = {.attempt = (int64_t)i * 7919 % ATTEMPTS,
                   .category = (mpg_category)(i / 100 % MPG_CATEGORIES),
                   .start = i,
                   .end = i + 1,
                   .chip_us = i % 13,
                   .number = i};
    CHECK(sink.row(sink.ctx, &row) == MPG_OK);
    forward[i] = backward[ROWS - 1 - i] = (size_t)i;
  }
}

static mpg_rc take(mpg_ledger *l, const size_t *places, size_t n) {
  l->columns = rows.columns;
  return mpg_ledger_pick(l, &rows, places, n);
}

/* ---- what comes out, and what should ---- */

static int compare(const mpg_row_order *o, int64_t a, int64_t b) {
  size_t x = (size_t)a, y = (size_t)b;
  for (size_t k = 0; k < o->nkeys; k++) {
    int c = o->keys[k].dim == MPG_DIM_ATTEMPT
                ? (rows.attempt[x] > rows.attempt[y]) - (rows.attempt[x] < rows.attempt[y])
                : strcmp(mpg_category_name((mpg_category)rows.category[x]),
                         mpg_category_name((mpg_category)rows.category[y]));
    if (c != 0)
      return o->keys[k].descending ? -c : c;
  }
  return 0;
}

/* Their numbers, as they are told. */
typedef struct told {
  int64_t *number;
  size_t n;
} told;

/* In order, each row once; what agrees in all keys as it came, or the first of it alone. */
static void check_told(const mpg_row_order *o, const told *t) {
  static bool seen[ROWS], met[ATTEMPTS][MPG_CATEGORIES];
  size_t wrong = 0, first = 0;
  memset(seen, 0, sizeof seen);
  memset(met, 0, sizeof met);
  for (size_t i = 0; i < t->n; i++) {
    int c = i == 0 ? -1 : compare(o, t->number[i - 1], t->number[i]);
    wrong += c > 0 || (c == 0 && (o->once || t->number[i - 1] > t->number[i]));
    wrong += seen[t->number[i]];
    seen[t->number[i]] = true;
  }
  for (size_t i = 0; i < ROWS; i++) {
    bool attempt = o->keys[0].dim == MPG_DIM_ATTEMPT || o->nkeys > 1;
    bool category = o->keys[0].dim == MPG_DIM_CATEGORY || o->nkeys > 1;
    bool *again = &met[attempt ? rows.attempt[i] : 0][category ? rows.category[i] : 0];
    wrong += seen[i] != !(o->once && *again);
    first += !*again;
    *again = true;
  }
  CHECK(wrong == 0 && t->n == (o->once ? first : ROWS));
}

/* All rows as one group. */
static mpg_rc in_one(const mpg_env *env, const mpg_row_order *o, told *t) {
  mpg_ledger l;
  mpg_row_sorter sorter;
  size_t norder = 0;
  mpg_rc rc;
  mpg_ledger_init(&l, env);
  mpg_row_sorter_init(&sorter, env, o);
  rc = take(&l, forward, rows.n);
  if (rc == MPG_OK)
    rc = mpg_row_sorter_sort(&sorter, &l, 0, &norder);
  for (t->n = 0; rc == MPG_OK && t->n < norder; t->n++)
    t->number[t->n] = l.number[l.order[t->n]];
  mpg_row_sorter_free(&sorter);
  mpg_ledger_free(&l);
  return rc;
}

static mpg_rc add_chunk(const mpg_env *env, mpg_row_sorter *sorter, mpg_row_pile *pile, size_t from,
                        size_t to) {
  mpg_ledger l;
  mpg_row_chunk chunk;
  mpg_rc rc;
  mpg_ledger_init(&l, env);
  mpg_row_chunk_init(&chunk, env, pile->order, rows.columns);
  rc = take(&l, forward + from, to - from);
  if (rc == MPG_OK)
    rc = mpg_row_chunk_make(&chunk, sorter, &l);
  if (rc == MPG_OK)
    rc = mpg_row_pile_add(pile, &chunk);
  mpg_row_chunk_free(&chunk);
  mpg_ledger_free(&l);
  return rc;
}

/* A large one, and two small ones behind it. */
static mpg_rc in_chunks(const mpg_env *env, const mpg_row_order *o, told *t) {
  const size_t from[CHUNKS + 1] = {0, rows.n - 40, rows.n - 1, rows.n};
  mpg_row_sorter sorter;
  mpg_row_pile pile;
  mpg_ledger out;
  mpg_rc rc = MPG_OK;
  mpg_row_sorter_init(&sorter, env, o);
  mpg_row_pile_init(&pile, env, o);
  mpg_ledger_init(&out, env);
  out.columns = rows.columns;
  for (size_t i = 0; rc == MPG_OK && i < CHUNKS; i++)
    rc = add_chunk(env, &sorter, &pile, from[i], from[i + 1]);
  if (rc == MPG_OK)
    rc = mpg_row_pile_sort(&pile);
  t->n = 0;
  do {
    if (rc == MPG_OK)
      rc = mpg_row_pile_next(&pile, &out);
    for (size_t i = 0; rc == MPG_OK && i < out.n; i++)
      t->number[t->n++] = out.number[i];
  } while (rc == MPG_OK && out.n > 0);
  mpg_ledger_free(&out);
  mpg_row_pile_free(&pile);
  mpg_row_sorter_free(&sorter);
  return rc;
}

static mpg_rc by_time(const mpg_env *env, const mpg_row_order *o, told *t) {
  mpg_ledger l;
  mpg_rc rc;
  (void)o;
  mpg_ledger_init(&l, env);
  rc = take(&l, backward + ROWS - rows.n, rows.n);
  if (rc == MPG_OK)
    rc = mpg_ledger_sort(&l);
  for (t->n = 0; rc == MPG_OK && t->n < l.n; t->n++)
    t->number[t->n] = l.number[l.order[t->n]];
  mpg_ledger_free(&l);
  return rc;
}

/* ---- columns ---- */

/* Rows that keep a narrow column, and a wide one behind it. */
static void test_widths(void) {
  mpg_ledger l;
  mpg_sink sink;
  size_t wrong = 0;
  mpg_ledger_init(&l, libc);
  l.columns = 1u << MPG_ROW_JOB | 1u << MPG_ROW_START;
  sink = mpg_ledger_sink(&l);
  for (uint32_t i = 0; i < 2000; i++) {
    mpg_row row = {.job = i, .start = -(int64_t)i};
    CHECK(sink.row(sink.ctx, &row) == MPG_OK);
  }
  for (uint32_t i = 0; i < l.n; i++)
    wrong += l.job[i] != i || l.start[i] != -(int64_t)i;
  CHECK(l.n == 2000 && wrong == 0 && l.end == NULL);
  mpg_ledger_free(&l);
}

/* ---- ways out ---- */

typedef mpg_rc road(const mpg_env *env, const mpg_row_order *o, told *t);

static void stopped(road *go, const mpg_row_order *o, long looks) {
  static int64_t number[ROWS];
  told t = {number, 0};
  hostile h = {0, 0, false, false, NEVER};
  mpg_env env = hostile_env(&h);
  long asked;
  CHECK(go(&env, o, &t) == MPG_OK && h.live == 0);
  asked = NEVER - h.stop_in;
  CHECK(asked >= looks);
  for (long n = 1; n <= asked; n++) {
    h.stop_in = n + 1;
    CHECK(go(&env, o, &t) == MPG_INTERRUPTED && h.stop_in == 1 && h.live == 0);
  }
}

/* Stopped between columns of a megabyte that grow together, at the first look and at the second:
** nothing is lost, and rows may follow. */
static void stopped_while_it_grows(void) {
  enum { MANY = 300000 };
  for (long look = 1; look <= 2; look++) {
    hostile h = {0, 0, false, false, look + 1};
    mpg_env env = hostile_env(&h);
    mpg_ledger l;
    mpg_sink sink;
    size_t wrong = 0;
    int stops = 0;
    mpg_ledger_init(&l, &env);
    l.columns = 1u << MPG_ROW_START | 1u << MPG_ROW_END;
    sink = mpg_ledger_sink(&l);
    while (l.n < MANY) {
      mpg_row row = {.start = (int64_t)l.n, .end = -(int64_t)l.n};
      mpg_rc rc = sink.row(sink.ctx, &row);
      stops += rc == MPG_INTERRUPTED;
      wrong += rc != MPG_OK && (rc != MPG_INTERRUPTED || l.n * sizeof *l.start < 1 << 20);
    }
    for (size_t i = 0; i < l.n; i++)
      wrong += l.start[i] != (int64_t)i || l.end[i] != -(int64_t)i;
    CHECK(stops == 1 && wrong == 0);
    mpg_ledger_free(&l);
    CHECK(h.live == 0);
  }
}

/* Of the first rows alone: each allocation fails, and is the last. */
static void starved(road *go, const mpg_row_order *o) {
  static int64_t whole[ROWS], number[ROWS];
  told expected = {whole, 0}, t = {number, 0};
  hostile h = {0, 0, false, false, 0};
  mpg_env env = hostile_env(&h);
  mpg_rc rc = MPG_NOMEM;
  rows.n = 200;
  CHECK(go(&env, o, &expected) == MPG_OK && h.live == 0);
  for (long n = 1; rc == MPG_NOMEM; n++) {
    h = (hostile){0, n, false, false, 0};
    rc = go(&env, o, &t);
    CHECK(rc == (h.failed ? MPG_NOMEM : MPG_OK) && h.live == 0);
  }
  CHECK(t.n == expected.n && memcmp(number, whole, t.n * sizeof *whole) == 0);
  rows.n = ROWS;
}

int main(void) {
  static int64_t number[ROWS];
  static const mpg_scan_key keys[][2] = {
      {{MPG_DIM_ATTEMPT, false}},
      {{MPG_DIM_ATTEMPT, true}, {MPG_DIM_CATEGORY, false}},
      {{MPG_DIM_CATEGORY, true}},
      {{MPG_DIM_CATEGORY, false}, {MPG_DIM_ATTEMPT, true}},
  };
  static const size_t nkeys[] = {1, 2, 1, 2};
  told t = {number, 0};
  mpg_issues issues;
  mpg_err err;
  mpg_row_order order;
  mpg_issues_init(&issues, libc);
  CHECK(mpg_fleet_init(&fleet, libc, &issues, NULL, &err) == MPG_OK);
  mpg_ledger_init(&rows, libc);
  make_rows();
  for (size_t i = 0; i < 4; i++)
    for (int once = 0; once < 2; once++) {
      mpg_row_order_init(&order, &fleet, keys[i], nkeys[i], once);
      CHECK(in_one(libc, &order, &t) == MPG_OK);
      check_told(&order, &t);
      CHECK(in_chunks(libc, &order, &t) == MPG_OK);
      check_told(&order, &t);
    }
  CHECK(by_time(libc, &order, &t) == MPG_OK && t.n == ROWS);
  for (size_t i = 0; i < t.n; i++)
    CHECK(t.number[i] == (int64_t)i);

  test_widths();
  stopped_while_it_grows();
  mpg_row_order_init(&order, &fleet, keys[0], nkeys[0], false);
  stopped(in_one, &order, 5);
  stopped(in_chunks, &order, 10);
  stopped(by_time, &order, 2);
  starved(in_one, &order);
  starved(in_chunks, &order);
  starved(by_time, &order);
  mpg_ledger_free(&rows);
  mpg_fleet_free(&fleet);
  mpg_issues_free(&issues);
  return check_done("row_order");
}
