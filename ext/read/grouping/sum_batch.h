/*
** sum_batch.h - measures (sum_expression.h) of several rows at a time: operation by operation, each
** over all of them.
*/
#ifndef MPG_SUM_BATCH_H
#define MPG_SUM_BATCH_H

#include "sum_expression.h"

#define MPG_SUM_EXPRESSION_ROWS 64 /* at most at a time: a row is a bit of a word */

/* One column of the rows, or the value of a measure in each. If a bit of `nulls` is set, and in
** rows that do not count, the value is undefined. */
typedef struct mpg_sum_expression_column {
  union {
    int64_t i[MPG_SUM_EXPRESSION_ROWS]; /* of whole numbers */
    double r[MPG_SUM_EXPRESSION_ROWS];
  } v;
  uint64_t nulls;
} mpg_sum_expression_column;

/* A measure of n rows. *over: the rows whose value mpg_sum_expressions_add has to compute, for it
** may be too large. */
void mpg_sum_batch(const mpg_sum_expressions *measures, const mpg_sum_expression *measure,
                   const mpg_sum_expression_column *operands, size_t n,
                   mpg_sum_expression_column *out, uint64_t *over);

#endif
