/*
** debug_assert.h - conditions that the code relies on. They are checked where MPG_TEST is set, as
** in the sanitized tests and the fuzz targets; elsewhere they are compiled, and cost nothing.
**
** An assertion is about this program alone. What comes from a file, a query or the system is never
** asserted: it has an error.
*/
#ifndef MPG_DEBUG_ASSERT_H
#define MPG_DEBUG_ASSERT_H

#ifdef MPG_TEST
#include <stdio.h>
#include <stdlib.h>

static inline _Noreturn void mpg_assert_failed(const char *condition, const char *file, int line) {
  (void)fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  abort();
}
#define MPG_ASSERT(condition)                                                                      \
  ((condition) ? (void)0 : mpg_assert_failed(#condition, __FILE__, __LINE__))
#else
#define MPG_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

#endif
