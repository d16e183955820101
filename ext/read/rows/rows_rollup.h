/*
** rows_rollup.h - files of rows (rows.h) summed by the columns that a query groups by, block by
** block, by several threads.
**
** The groups and their totals are those of one thread (of measures in doubles: except for the last
** bit of a sum that is not exact), and so are issues and errors, which come in the order of the
** files. Memory is that of the groups, once a thread, and a few blocks.
*/
#ifndef MPG_ROWS_ROLLUP_H
#define MPG_ROWS_ROLLUP_H

#include "rows.h"
#include "../grouping/groups.h"

typedef struct mpg_rollup_query {
  const mpg_rows_format *format;
  mpg_rows_query rows; /* options, columns, filters; `checked` is not used */
  size_t dimensions[MPG_GROUP_PARTS];
  size_t n_dimensions;
  const mpg_sum_expressions *measures; /* typed */
  size_t operands[MPG_OPERANDS];       /* the column of each operand: BIGINT, REAL or TIME */
  bool skip; /* malformed records, and those with a value that does not fit, are left out */
  int threads;
} mpg_rollup_query;

/*
** Sums the files into `groups`, which is empty and made for n_dimensions and measures->n. A part of
** a group is the text, or the bytes of the int64_t or double, of its dimension. The issues of every
** file that is read are replaced. With threads > 1, several threads allocate from `env`.
*/
mpg_rc mpg_rows_rollup(mpg_groups *groups, const mpg_env *env, const mpg_rollup_query *query,
                       const mpg_paths *paths, mpg_issues *issues, mpg_err *err);

#endif
