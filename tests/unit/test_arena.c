/* test_arena.c - memory that is cut into pieces: nothing overlaps, nothing is lost or kept. */
#include "../../ext/goodput/packed/arena.h"
#include "check.h"
#include "hostile.h"

#include <stdint.h>
#include <string.h>

/* Pieces of every size, each filled; none is written over by another. */
static void test_pieces(void) {
  enum { N = 3000 };
  hostile h = {0};
  mpg_env env = hostile_env(&h);
  mpg_arena arena;
  static unsigned char *pieces[N];
  size_t sum = 0;
  int wrong = 0;
  mpg_arena_init(&arena, &env);
  for (int round = 0; round < 2; round++) {
    sum = 0;
    for (int i = 0; i < N; i++) {
      size_t n = i % 500 == 499 ? (size_t)3 << 20 : (size_t)(i * 7 % 2000);
      pieces[i] = mpg_arena_cut(&arena, n);
      if (pieces[i] == NULL)
        abort();
      wrong += (uintptr_t)pieces[i] % 8 != 0;
      memset(pieces[i], i % 251, n);
      sum += (n + 7) & ~(size_t)7;
    }
    for (int i = 0; i < N; i++)
      for (size_t k = 0; k < (size_t)(i * 7 % 2000); k += 97)
        wrong += pieces[i][k] != i % 251;
    CHECK(wrong == 0 && arena.bytes == sum && h.live > 2 && h.live < 20);
    if (round == 0)
      mpg_arena_reset(&arena);
    CHECK(round == 1 || (arena.bytes == 0 && h.live <= 1));
  }
  CHECK(mpg_arena_cut(&arena, SIZE_MAX) == NULL && mpg_arena_cut(&arena, SIZE_MAX - 4096) == NULL);
  mpg_arena_free(&arena);
  CHECK(h.live == 0 && arena.blocks == NULL && arena.bytes == 0);
}

/* Of little data one small block is kept from reset to reset. */
static void test_reset(void) {
  hostile h = {0};
  mpg_env env = hostile_env(&h);
  mpg_arena arena;
  void *first;
  mpg_arena_init(&arena, &env);
  mpg_arena_reset(&arena);
  first = mpg_arena_cut(&arena, 100);
  mpg_arena_reset(&arena);
  CHECK(h.live == 1 && mpg_arena_cut(&arena, 100) == first);
  mpg_arena_free(&arena);
  CHECK(h.live == 0);
}

/* A piece that is pinned outlives a drop, and nothing else does. */
static void test_pins(void) {
  hostile h = {0};
  mpg_env env = hostile_env(&h);
  mpg_arena arena;
  mpg_arena_pin *pins[2];
  unsigned char *kept, *other;
  mpg_arena_init(&arena, &env);
  for (int i = 0; i < 100; i++)
    CHECK(mpg_arena_cut(&arena, 10000) != NULL);
  kept = mpg_arena_cut_pinned(&arena, 5000, &pins[0]);
  if (kept == NULL)
    abort();
  memset(kept, 1, 5000);
  for (int i = 0; i < 1000; i++)
    CHECK(mpg_arena_cut(&arena, 10000) != NULL);
  other = mpg_arena_cut_pinned(&arena, 5000, &pins[1]);
  if (other == NULL)
    abort();
  memset(other, 2, 5000);
  mpg_arena_drop(&arena);
  CHECK(h.live == 2 && arena.bytes == 0 && kept[4999] == 1 && other[4999] == 2);
  mpg_arena_unpin(pins[1]);
  mpg_arena_drop(&arena);
  CHECK(h.live == 1 && kept[0] == 1);
  CHECK(mpg_arena_cut(&arena, 10000) != NULL);
  mpg_arena_unpin(pins[0]);
  mpg_arena_unpin(NULL);
  mpg_arena_drop(&arena);
  CHECK(h.live == 0);
  h.fail_in = 1;
  CHECK(mpg_arena_cut_pinned(&arena, 8, &pins[0]) == NULL && pins[0] == NULL);
  mpg_arena_free(&arena);
}

int main(void) {
  test_pieces();
  test_reset();
  test_pins();
  return check_done("arena");
}
