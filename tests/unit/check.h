/*
** check.h - the whole of the C unit test framework: CHECK(condition) counts, and prints where it
** fails; main ends with `return check_done("name");`.
*/
#ifndef MPG_CHECK_H
#define MPG_CHECK_H

#include <stdio.h>

static int check_passed, check_failed;

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (condition) {                                                                               \
      check_passed++;                                                                              \
    } else {                                                                                       \
      check_failed++;                                                                              \
      (void)fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                \
    }                                                                                              \
  } while (0)

static inline int check_done(const char *name) {
  (void)printf("%s: %d passed, %d failed\n", name, check_passed, check_failed);
  return check_failed != 0;
}

#endif
