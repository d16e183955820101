/*
** ties.c - with LD_PRELOAD, a qsort that puts what compares as equal in the opposite order: glibc's
** keeps it in place up to 2.36 where memory is left, and not after. Nothing that the extension says
** may depend on that.
*/
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

typedef int comparison(const void *, const void *, void *);

/* NOLINTNEXTLINE(misc-no-recursion): as deep as a logarithm */
__attribute__((visibility("default"))) void qsort_r(void *base, size_t n, size_t size,
                                                    comparison *compare, void *ctx) {
  size_t half = n / 2;
  char *p = base, *merged, *a, *b;
  if (n < 2)
    return;
  merged = malloc(n * size);
  if (merged == NULL)
    abort();
  qsort_r(p, half, size, compare, ctx);
  qsort_r(p + half * size, n - half, size, compare, ctx);
  a = p;
  b = p + half * size;
  for (size_t i = 0; i < n; i++) {
    /* Of two that are equal the one that stood behind comes first. */
    int first = b == p + n * size || (a < p + half * size && compare(a, b, ctx) < 0);
    memcpy(merged + i * size, first ? a : b, size);
    *(first ? &a : &b) += size;
  }
  memcpy(p, merged, n * size);
  free(merged);
}

static int plain(const void *a, const void *b, void *compare) {
  int (*of)(const void *, const void *);
  memcpy(&of, compare, sizeof of);
  return of(a, b);
}

__attribute__((visibility("default"))) void qsort(void *base, size_t n, size_t size,
                                                  int (*compare)(const void *, const void *)) {
  qsort_r(base, n, size, plain, &compare);
}
