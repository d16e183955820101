/* test_sort.c - sort.h against qsort, at sizes around its runs, with orders of every kind; and
** stopped, or without memory, at every place. */
#include "check.h"
#include "hostile.h"
#include "../../ext/base/sort.h"

typedef struct item {
  uint32_t key, place;
} item;

static int by_key(const void *a, const void *b, void *ctx) {
  const item *x = a, *y = b;
  ++*(long *)ctx;
  return (x->key > y->key) - (x->key < y->key);
}

static item items[200000];

static void fill(size_t n, int kind) {
  for (size_t i = 0; i < n; i++) {
    uint32_t key = kind == 0   ? (uint32_t)i
                   : kind == 1 ? (uint32_t)(n - i)
                   : kind == 2 ? (uint32_t)(i * 2654435761u) >> 4
                               : (uint32_t)(i * 2654435761u) >> 29;
    items[i] = (item){key, (uint32_t)i};
  }
}

/* Every item is there once. */
static bool whole(size_t n) {
  static bool seen[200000];
  memset(seen, 0, n);
  for (size_t i = 0; i < n; i++) {
    if (items[i].place >= n || seen[items[i].place])
      return false;
    seen[items[i].place] = true;
  }
  return true;
}

int main(void) {
  static const size_t sizes[] = {0,     1,     2,     16383, 16384,  16385,
                                 32768, 32769, 49152, 65537, 131072, 200000};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int kind = 0; kind < 4; kind++) {
      size_t n = sizes[s];
      bool sorted = true;
      long compared = 0;
      fill(n, kind);
      CHECK(mpg_sort(&mpg_env_libc, items, n, sizeof *items, by_key, &compared) == MPG_OK);
      for (size_t i = 1; i < n; i++) /* and stable, where qsort_r is */
        sorted &= items[i - 1].key < items[i].key ||
                  (items[i - 1].key == items[i].key && items[i - 1].place < items[i].place);
      CHECK(sorted && whole(n));
      CHECK(compared <= (long)(n * 18));
    }
  for (int kind = 1; kind < 4; kind++)
    for (long stop = 2;; stop += check_stride(3)) {
      hostile h = {0, 0, false, false, stop};
      mpg_env env = hostile_env(&h);
      long compared = 0;
      mpg_rc rc;
      fill(200000, kind);
      rc = mpg_sort(&env, items, 200000, sizeof *items, by_key, &compared);
      CHECK(whole(200000) && h.live == 0);
      CHECK(rc == (h.stop_in == 1 ? MPG_INTERRUPTED : MPG_OK));
      if (rc == MPG_OK) {
        CHECK(stop > 18); /* it is asked about 13 times in the runs, and while they are merged */
        break;
      }
    }
  hostile h = {0, 1, false, false, 0};
  mpg_env env = hostile_env(&h);
  long compared = 0;
  fill(200000, 2);
  CHECK(mpg_sort(&env, items, 200000, sizeof *items, by_key, &compared) == MPG_NOMEM &&
        whole(200000));
  return check_done("sort");
}
