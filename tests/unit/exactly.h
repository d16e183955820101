/* exactly.h - text with nothing behind it, where the sanitizers see whoever reads on. */
#ifndef MPG_EXACTLY_H
#define MPG_EXACTLY_H

#include "../../ext/base/base.h"

#include <stdlib.h>
#include <string.h>

/* A copy of n bytes without a terminator, kept until 8 more were asked for. */
static inline mpg_str exactly_n(const char *text, size_t n) {
  static char *kept[8];
  static unsigned turn;
  char **copy = &kept[turn++ % 8];
  free(*copy);
  *copy = malloc(n + (n == 0));
  if (*copy == NULL)
    abort();
  memcpy(*copy, text, n);
  return (mpg_str){*copy, n};
}

static inline mpg_str exactly(const char *text) {
  return exactly_n(text, strlen(text));
}

#endif
