/* sum_batch.c - see sum_batch.h. */
#include "sum_batch.h"

#include <math.h>
#include <string.h>

typedef struct whole_rows {
  int64_t v[MPG_SUM_EXPRESSION_ROWS];
} whole_rows;

typedef struct real_rows {
  double v[MPG_SUM_EXPRESSION_ROWS];
} real_rows;

/* ---- Whole numbers, as long as they are within 64 bits ---- */

#define EACH_WHOLE(operation)                                                                      \
  for (size_t k = 0; k < n; k++)                                                                   \
  over |= (uint64_t)operation << k

static uint64_t whole_op(unsigned op, whole_rows *a, const whole_rows *b, size_t n) {
  uint64_t over = 0;
  switch (op) {
  case MPG_OP_NEG:
    EACH_WHOLE(__builtin_sub_overflow((int64_t)0, a->v[k], &a->v[k]));
    break;
  case MPG_OP_ADD:
    EACH_WHOLE(__builtin_add_overflow(a->v[k], b->v[k], &a->v[k]));
    break;
  case MPG_OP_SUB:
    EACH_WHOLE(__builtin_sub_overflow(a->v[k], b->v[k], &a->v[k]));
    break;
  default:
    EACH_WHOLE(__builtin_mul_overflow(a->v[k], b->v[k], &a->v[k]));
    break;
  }
  return over;
}

static uint64_t whole_of(const mpg_sum_expression *m, const mpg_sum_expression_column *operands,
                         size_t n, int64_t *out) {
  whole_rows stack[MPG_SUM_EXPRESSION_DEPTH] = {{{0}}};
  size_t depth = 0;
  uint64_t over = 0;
  for (size_t i = 0; i < m->n_ops; i++) {
    const mpg_sum_expression_op *op = &m->ops[i];
    switch (op->op) {
    case MPG_OP_OPERAND:
      memcpy(stack[depth++].v, operands[op->operand].v.i, n * sizeof(int64_t));
      break;
    case MPG_OP_INT:
    case MPG_OP_REAL:
      for (size_t k = 0; k < n; k++)
        stack[depth].v[k] = op->i;
      depth++;
      break;
    case MPG_OP_NEG:
      over |= whole_op(op->op, &stack[depth - 1], &stack[depth - 1], n);
      break;
    default:
      depth--;
      over |= whole_op(op->op, &stack[depth - 1], &stack[depth], n);
    }
  }
  memcpy(out, stack[0].v, n * sizeof *out);
  return over;
}

/* ---- Doubles ---- */

static void real_op(unsigned op, real_rows *a, const real_rows *b, size_t n) {
  switch (op) {
  case MPG_OP_NEG:
    for (size_t k = 0; k < n; k++)
      a->v[k] = -a->v[k];
    break;
  case MPG_OP_ADD:
    for (size_t k = 0; k < n; k++)
      a->v[k] += b->v[k];
    break;
  case MPG_OP_SUB:
    for (size_t k = 0; k < n; k++)
      a->v[k] -= b->v[k];
    break;
  default:
    for (size_t k = 0; k < n; k++)
      a->v[k] *= b->v[k];
    break;
  }
}

static uint64_t real_of(const mpg_sum_expressions *all, const mpg_sum_expression *m,
                        const mpg_sum_expression_column *operands, size_t n, double *out) {
  real_rows stack[MPG_SUM_EXPRESSION_DEPTH] = {{{0.0}}};
  size_t depth = 0;
  uint64_t over = 0;
  for (size_t i = 0; i < m->n_ops; i++) {
    const mpg_sum_expression_op *op = &m->ops[i];
    const mpg_sum_expression_column *c = &operands[op->operand];
    switch (op->op) {
    case MPG_OP_OPERAND:
      if (all->whole[op->operand])
        for (size_t k = 0; k < n; k++)
          stack[depth].v[k] = (double)c->v.i[k];
      else
        memcpy(stack[depth].v, c->v.r, n * sizeof(double));
      depth++;
      break;
    case MPG_OP_INT:
    case MPG_OP_REAL:
      for (size_t k = 0; k < n; k++)
        stack[depth].v[k] = op->r;
      depth++;
      break;
    case MPG_OP_NEG:
      real_op(op->op, &stack[depth - 1], &stack[depth - 1], n);
      break;
    default:
      depth--;
      real_op(op->op, &stack[depth - 1], &stack[depth], n);
    }
  }
  memcpy(out, stack[0].v, n * sizeof *out);
  for (size_t k = 0; k < n; k++)
    over |= (uint64_t)!isfinite(out[k]) << k;
  return over;
}

void mpg_sum_batch(const mpg_sum_expressions *measures, const mpg_sum_expression *m,
                   const mpg_sum_expression_column *operands, size_t n,
                   mpg_sum_expression_column *out, uint64_t *over) {
  out->nulls = 0;
  for (size_t i = 0; i < measures->n_operands; i++)
    if ((m->operands >> i & 1) != 0)
      out->nulls |= operands[i].nulls;
  *over =
      m->whole ? whole_of(m, operands, n, out->v.i) : real_of(measures, m, operands, n, out->v.r);
}
