/*
** op_signature.h - PyTorch's operators whose work is known, and where their arguments stand. One
** that versions or types call otherwise has several signatures.
*/
#ifndef MPG_OP_SIGNATURE_H
#define MPG_OP_SIGNATURE_H

#include "op_call.h"

typedef enum mpg_op_family {
  MPG_OP_PRODUCT,
  MPG_OP_GROUPED,
  MPG_OP_GROUPED_SCALED,
  MPG_OP_ADDBMM,
  MPG_OP_LINEAR,
  MPG_OP_CONV,
  MPG_OP_CONV_BACKWARD,
  MPG_OP_ATTENTION,
  MPG_OP_ATTENTION_BACKWARD
} mpg_op_family;

/* Where a convolution's arguments are. */
typedef struct mpg_op_conv {
  int stride, padding, dilation;
  int transposed; /* -1: it has no such argument */
} mpg_op_conv;

typedef struct mpg_op_signature {
  const char *name; /* without aten:: */
  mpg_op_family family;
  int first;  /* MPG_OP_PRODUCT: left operand; attention: query */
  int ends;   /* MPG_OP_GROUPED_SCALED: where the groups end */
  int causal; /* attention: the index of is_causal; -1: none */
  mpg_op_conv conv;
  /* Attention: indices of the arguments that restrict which tokens meet; 0: none. lengths: the
  ** lengths of packed sequences, the keys' after the queries'; used: the number of keys that count.
  */
  int lengths, used, window, windows;
  /* Another signature, of older versions or other types, which stands below the usual one: the
  ** place of a number that it alone has there, whole or with a fraction, or of a value that it
  ** lacks. 0: the usual one. */
  int whole_at, real_at, lacks_at;
  bool last; /* attention: causal counts from the last query and key back, not from the first on */
  bool heads_last;
  bool numbered; /* causal is the number of a mask */
} mpg_op_signature;

/* The usual signature of an operator, by its name without aten::; NULL: its work is not known. */
const mpg_op_signature *mpg_op_signature_find(mpg_str name);

/* The signature that the call has, of those that the operator of the usual one has. */
const mpg_op_signature *mpg_op_signature_of(const mpg_op_signature *usual, const mpg_op_call *c);

#endif
