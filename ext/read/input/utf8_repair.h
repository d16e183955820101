/*
** utf8_repair.h - texts of formats that are no text, as UTF-8: what is none becomes U+FFFD.
*/
#ifndef MPG_UTF8_REPAIR_H
#define MPG_UTF8_REPAIR_H

#include "../../base/base.h"

/* All zero: empty. Freed by mpg_free(env, p). */
typedef struct mpg_utf8_copy {
  char *p;
  size_t n, cap;
} mpg_utf8_copy;

/* Where *s is no UTF-8, *s becomes a repaired copy in *copy, borrowed until its next use, and
** *invalid grows by the characters that were replaced. MPG_NOMEM or MPG_INTERRUPTED. */
mpg_rc mpg_utf8_repair(mpg_poller *poller, mpg_utf8_copy *copy, mpg_str *s, int64_t *invalid);

#endif
