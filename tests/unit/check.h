/*
** check.h - the whole of the C unit test framework: CHECK(condition) counts, and prints where it
** fails, and stops where that has no end; main ends with `return check_done("name");`. Random
** numbers are the same in every run.
*/
#ifndef MPG_CHECK_H
#define MPG_CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef CHECK_MOST_FAILURES
#define CHECK_MOST_FAILURES 200
#endif

static int check_passed, check_failed;
static uint64_t check_random = 88172645463325252u;

/* 0 .. n - 1, by Marsaglia's xorshift; n is at most 2^31. */
static inline size_t check_draw(size_t n) {
  check_random ^= check_random << 13;
  check_random ^= check_random >> 7;
  check_random ^= check_random << 17;
  return (size_t)(check_random >> 33) % n;
}

static inline int check_below(int n) {
  return (int)check_draw((size_t)n);
}

/*
** Which cases a long sweep tries: every one (1) where MPG_FULL is set, else every second; under the
** sanitizers, which take ten times as long, every `stride`-th of those. A random test divides its
** rounds by it.
*/
static inline int check_stride(int stride) {
#if defined(__SANITIZE_ADDRESS__)
  const int sanitized = stride;
#else
  const int sanitized = 1;
  (void)stride;
#endif
  return getenv("MPG_FULL") != NULL ? 1 : 2 * sanitized;
}

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (condition) {                                                                               \
      check_passed++;                                                                              \
    } else {                                                                                       \
      check_failed++;                                                                              \
      (void)fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                \
      if (check_failed >= CHECK_MOST_FAILURES)                                                     \
        exit(1);                                                                                   \
    }                                                                                              \
  } while (0)

static inline int check_done(const char *name) {
  (void)printf("%s: %d passed, %d failed\n", name, check_passed, check_failed);
  return check_failed != 0;
}

#endif
