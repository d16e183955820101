/*
** sum_expression.h - what a roll-up sums: names, products, sums and differences of numeric columns.
**
**     gpus, gpus * ("end" - start) AS gpu_seconds, -(a - 2) * 0.5 AS b
**
** If every column and constant of a measure is a whole number, it is summed exactly, in 128 bits;
** else in doubles with compensation (with the error of about one rounding, so the order of rows
** hardly matters). A row in which one of its columns is NULL adds nothing, as in SQL.
*/
#ifndef MPG_SUM_EXPRESSION_H
#define MPG_SUM_EXPRESSION_H

#include "../../base/base.h"

#include <math.h>

#define MPG_SUM_EXPRESSIONS 32
#define MPG_OPERANDS 64 /* different columns of all measures */
#define MPG_SUM_EXPRESSION_OPS 64
#define MPG_SUM_EXPRESSION_DEPTH 8 /* values at a time, while one is computed */

typedef struct mpg_sum_expression_op {
  enum {
    MPG_OP_OPERAND,
    MPG_OP_INT,
    MPG_OP_REAL,
    MPG_OP_ADD,
    MPG_OP_SUB,
    MPG_OP_MUL,
    MPG_OP_NEG
  } op;
  int operand; /* index into operands */
  int64_t i;
  double r; /* also of MPG_OP_INT */
} mpg_sum_expression_op;

typedef struct mpg_sum_expression {
  mpg_str name;      /* owned */
  bool whole;        /* all of it are whole numbers; set by mpg_sum_expressions_type, as is */
  uint64_t operands; /* bit i: operand i is in it */
  mpg_sum_expression_op ops[MPG_SUM_EXPRESSION_OPS]; /* in postfix order */
  size_t n_ops;
} mpg_sum_expression;

typedef struct mpg_sum_expressions {
  const mpg_env *env;
  mpg_sum_expression *p; /* of MPG_SUM_EXPRESSIONS */
  size_t n;
  mpg_str operands[MPG_OPERANDS]; /* names of columns; owned */
  bool whole[MPG_OPERANDS];
  size_t n_operands;
} mpg_sum_expressions;

/* MPG_MISUSE: "expected ..., found ...". Free it in any case. */
mpg_rc mpg_sum_expressions_parse(mpg_sum_expressions *measures, const mpg_env *env, mpg_str text,
                                 mpg_err *err);
void mpg_sum_expressions_free(mpg_sum_expressions *measures); /* all zero is fine */
/* Once measures->whole says which operands are whole numbers. */
void mpg_sum_expressions_type(mpg_sum_expressions *measures);

/* The sum of one measure over some rows: all zero, of none. */
typedef struct mpg_total {
  uint64_t n;       /* values; 0: the sum is NULL */
  mpg_i128 whole;   /* of a measure of whole numbers, else: */
  double high, low; /* the sum is both together */
} mpg_total;

/* Both leave the count alone. False: beyond 128 bits. */
static inline bool mpg_total_add_whole(mpg_total *t, mpg_i128 v) {
  return !__builtin_add_overflow(t->whole, v, &t->whole);
}
/* Adds a double to a sum of two: what rounding the first loses (Knuth's two-sum) goes to the
** second, and what that has too much of goes back (Dekker's). About 106 bits in all. */
static inline void mpg_total_add_real(mpg_total *t, double v) {
  double s = t->high + v, part = s - t->high;
  double lost = (t->high - (s - part)) + (v - part) + t->low;
  if (!isfinite(s)) { /* infinite it stays */
    t->high = s;
    t->low = 0.0;
    return;
  }
  t->high = s + lost;
  t->low = lost - (t->high - s);
}

/*
** Adds the measures of one row to totals[measures->n]. An operand is MPG_NULL, or MPG_INT if
** measures->whole says so, else MPG_REAL. MPG_LIMIT: beyond 128 bits, or a real that is not finite;
** *which is the measure.
*/
mpg_rc mpg_sum_expressions_add(const mpg_sum_expressions *measures, const mpg_value *operands,
                               mpg_total *totals, size_t *which);
/* False beyond 128 bits. */
bool mpg_total_merge(mpg_total *into, const mpg_total *more, bool whole);

#endif
