/*
** op_cost.h - FLOPs and bytes of a framework's operators from their shapes, as PyTorch's profiler
** records them with record_shapes: matrix products, convolutions and attention.
**
** M, N, K are the sizes of a product, B its batch; a multiply and an add are two FLOPs.
**
**     mm, _int_mm, _scaled_mm        2 M N K; of complex numbers 8 M N K, and 2 for an addition
**     _grouped_mm, _scaled_grouped_mm  that of all groups; rows of none count
**     addmm, linear with a bias      2 M N K + M N, for the bias
**     bmm; baddbmm; addbmm           2 B M N K; + B M N; + M N
**     mv, addmv, dot, vdot           the same with N, and M, of 1
**     matmul                         that of its two operands, broadcast
**     convolutions                   2 x output elements (of a transposed one: input elements)
**                                      x input channels of a group x kernel elements.
**                                    Padding counts, bias does not.
**                                    Backward: once for each gradient asked for
**     attention                      2 B H Nq Nkv (Dqk + Dv)
**                                    backward: 2 B H Nq Nkv (3 Dqk + 2 Dv), scores computed again
**                                    causal: half of that
**
** Bytes are the least that memory has to move, in the type of the first operand: each operand but a
** convolution's bias read once, and the result written once. These are TraceLens' rules.
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
** False if the operator has no price, or if its arguments do not decide the price: a convolution
** without concrete; packed sequences, windows, or keys that are not all used; a type that packs
** several values into an element. float4_e2m1fn_x2 has a price: a product packs both along K.
*/
bool mpg_op_cost_of(mpg_str name, mpg_str dims, mpg_str types, mpg_str concrete, mpg_op_cost *out);

/* Bytes of an element of a type by its name ("c10::BFloat16", "float"); 0: unknown. */
int mpg_op_type_size(mpg_str type);

#endif
