/*
** trace.h - fleets for unit tests, told as lines of text: "spans job=a kind=step start_time=1 ...".
** A value is text, as in CSV; what is not named is NULL.
*/
#ifndef MPG_TEST_TRACE_H
#define MPG_TEST_TRACE_H

#include "../../ext/goodput/trace/fleet.h"

#include <string.h>

/* Adds the record of one line; `line` counts from 1. */
static inline mpg_rc trace_add(mpg_fleet *fleet, const char *text, int64_t line, int *column,
                               mpg_err *err) {
  mpg_value values[MPG_MAX_COLUMNS];
  mpg_relation relation = mpg_relation_by_file(text);
  const char *p = text + strcspn(text, " ");
  for (size_t c = 0; c < MPG_MAX_COLUMNS; c++)
    values[c] = (mpg_value){MPG_NULL, 0, 0.0, {NULL, 0}};
  while (*p == ' ') {
    size_t name = strcspn(++p, "=");
    int c = mpg_column_by_name(relation, (mpg_str){p, name});
    const char *value = p + name + 1;
    size_t n = strcspn(value, " ");
    if (c < 0)
      return mpg_fail(err, MPG_MISUSE, "no such column in: %s", text);
    values[c] = (mpg_value){MPG_TEXT, 0, 0.0, {value, n}};
    p = value + n;
  }
  return mpg_fleet_add(fleet, relation, values, line, column, err);
}

/* All lines, then the seal. */
static inline mpg_rc trace_build(mpg_fleet *fleet, const char *const *lines, size_t n,
                                 mpg_err *err) {
  mpg_rc rc = mpg_fleet_from(fleet, "test", err);
  int column;
  for (size_t i = 0; rc == MPG_OK && i < n; i++)
    rc = trace_add(fleet, lines[i], (int64_t)i + 1, &column, err);
  return rc == MPG_OK ? mpg_fleet_seal(fleet, err) : rc;
}

#endif
