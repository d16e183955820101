/*
** relation_rows.h - rows of a host's table or view on their way into a fleet: which of its columns
** are which, and what becomes of a row that breaks a rule.
*/
#ifndef MPG_RELATION_ROWS_H
#define MPG_RELATION_ROWS_H

#include "fleet.h"

typedef struct mpg_relation_rows {
  mpg_fleet *fleet;
  const mpg_env *env; /* which says whether to stop */
  mpg_relation relation;
  const char *source; /* "main.spans"; borrowed */
  bool skip;          /* a row that breaks a rule is listed as `skipped_record`, else an error */
  bool unplaced;      /* its rows have no places that a timeline could show */
  int of[MPG_MAX_COLUMNS]; /* the host's column of each of the relation's; -1: none */
  int64_t n;               /* rows so far */
} mpg_relation_rows;

/* Forgets the issues of the source. The fields down to `unplaced` are the caller's. */
mpg_rc mpg_relation_rows_begin(mpg_relation_rows *rows, mpg_err *err);
/* The host's column number i has this name; of two with the same name the first counts, one that
** the relation does not have is listed as `unknown_column`. */
mpg_rc mpg_relation_rows_column(mpg_relation_rows *rows, int i, const char *name, mpg_err *err);
/* After the last column: MPG_DATA if one that is required has not come. */
mpg_rc mpg_relation_rows_columns_end(const mpg_relation_rows *rows, mpg_err *err);
/* A row: values by the relation's columns; an empty text counts as NULL, as in CSV. `row` is its
** number in messages: MPG_DATA "SOURCE:ROW: what". */
mpg_rc mpg_relation_rows_add(mpg_relation_rows *rows, mpg_value *values, int64_t row, mpg_err *err);
/* After the last row, or a failure. */
void mpg_relation_rows_end(mpg_relation_rows *rows);

#endif
