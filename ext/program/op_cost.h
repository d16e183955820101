/*
** op_cost.h - FLOPs and bytes of a framework's operators from their shapes, as PyTorch's profiler
** records them with record_shapes: matrix products, convolutions and attention.
**
** M, N, K are the sizes of a product, B its batch; a multiply and an add are two FLOPs.
**
**     mm, _int_mm, _scaled_mm        2 M N K
**     addmm, linear with a bias      2 M N K + M N, for the bias
**     bmm; baddbmm; addbmm           2 B M N K; + B M N; + M N
**     mv, addmv, dot, vdot           the same with N, and M, of 1
**     matmul                         that of its two operands, broadcast
**     convolutions                   2 x output elements x input channels of a group x kernel
**     elements;
**                                    transposed: over the input's elements. Padding counts, bias
**                                    does
**                                    not. Backward: once for each gradient asked for
**     attention                      2 B H Nq Nkv (Dqk + Dv); backward 2 B H Nq Nkv (3 Dqk + 2 Dv),
**     for it
**                                    computes the scores again; half of that where it is causal
**
** Bytes are those of every operand (a convolution's bias left out) read once and of the result
** written once, in the type of the first operand: the least that a memory has to move. These are
** the rules by which TraceLens prices them.
*/
#ifndef MPG_OP_COST_H
#define MPG_OP_COST_H

#include "../base/base.h"

typedef struct mpg_op_cost {
  mpg_i128 flops;
  mpg_i128 bytes; /* -1: a type is unknown, or none were given */
} mpg_op_cost;

/*
** `name` is the operator's, with or without its namespace ("aten::mm"). dims, types and concrete
** are JSON arrays with an item for each argument: shapes ([] for a scalar), type names, values as
** text; types and concrete may be empty. Without concrete attention counts as dense.
** False: an operator that has no price, or arguments that do not give it: a convolution without
** concrete; packed sequences, windows and keys that are not all used; types that pack several
** values into an element, but for float4_e2m1fn_x2, of which a product packs both along K.
*/
bool mpg_op_cost_of(mpg_str name, mpg_str dims, mpg_str types, mpg_str concrete, mpg_op_cost *out);

/* Bytes of an element of a type by its name ("c10::BFloat16", "float"); 0: unknown. */
int mpg_op_type_size(mpg_str type);

#endif
