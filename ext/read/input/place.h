/*
** place.h - errors with their place, the same in all readers: "PATH:LINE:COLUMN: expected WHAT,
** found WHAT". Lines and columns count from 1, columns in bytes.
*/
#ifndef MPG_PLACE_H
#define MPG_PLACE_H

#include "../../base/text.h"

#include <stdio.h>
#include <string.h>

typedef struct mpg_place {
  const char *path;
  int64_t line, column;
} mpg_place;

/* The place of `at` in a line of text that begins at `line_start`. */
static inline mpg_place mpg_place_in_line(const char *path, int64_t line, const char *line_start,
                                          const char *at) {
  return (mpg_place){path, line, at - line_start + 1};
}

/* Fails with MPG_DATA; `found` is a description. */
static inline mpg_rc mpg_expected(mpg_err *err, mpg_place at, const char *expected,
                                  const char *found) {
  return mpg_fail(err, MPG_DATA, "%s:%lld:%lld: expected %s, found %s", at.path, (long long)at.line,
                  (long long)at.column, expected, found);
}

/* The same; `found` is text of the file, of which an excerpt is quoted. */
static inline mpg_rc mpg_expected_text(mpg_err *err, mpg_place at, const char *expected,
                                       mpg_str found) {
  char quoted[MPG_EXCERPT + 2];
  size_t n;
  mpg_text_excerpt(found, quoted + 1);
  n = strlen(quoted + 1);
  quoted[0] = quoted[n + 1] = '"';
  quoted[n + 2] = '\0';
  return mpg_expected(err, at, expected, quoted);
}

/* Adds to the text of an error what follows from it, as "; nothing after it is read". */
static inline void mpg_add_to_error(mpg_err *err, const char *what) {
  size_t n = strlen(err->text);
  (void)snprintf(err->text + n, sizeof err->text - n, "%s", what);
}

#endif
