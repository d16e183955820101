/*
** op_call.h - the arguments of a call of one of PyTorch's operators, as its profiler records them:
** JSON arrays with an item for each argument.
*/
#ifndef MPG_OP_CALL_H
#define MPG_OP_CALL_H

#include "../base/base.h"

#define MPG_OP_ARGUMENTS 40
#define MPG_OP_RANK 8
/* So that no product of two tensors, with a dimension of either, leaves 128 bits. */
#define MPG_OP_TENSOR_LIMIT (INT64_C(1) << 40) /* elements */

typedef struct mpg_op_shape {
  int rank; /* -1: no tensor */
  int64_t dim[MPG_OP_RANK];
} mpg_op_shape;

typedef struct mpg_op_call {
  mpg_op_shape in[MPG_OP_ARGUMENTS];
  mpg_str type[MPG_OP_ARGUMENTS];
  mpg_str value[MPG_OP_ARGUMENTS]; /* concrete inputs; empty: a tensor, or not given */
} mpg_op_call;

/* Cuts a JSON array into its items, at most MPG_OP_ARGUMENTS, strings without their quotes. -1: it
** is none, or has too many. */
int mpg_op_items(mpg_str text, mpg_str *items);

/* Whole numbers of an array, at most `limit`; -1: something else is in it. */
int mpg_op_integers(mpg_str text, int64_t *out, int cap, int64_t limit);

/* types and concrete may be empty. False: they are no arrays. */
bool mpg_op_call_read(mpg_str dims, mpg_str types, mpg_str concrete, mpg_op_call *c);

/* Whether argument i is the value `text`, in any case. */
bool mpg_op_value_is(const mpg_op_call *c, int i, const char *text);

/* 0 of what is no tensor. */
mpg_i128 mpg_op_elements(const mpg_op_shape *s);

#endif
