/*
** dtype.h - number formats as the chip catalogue names them, from the names that frameworks, HLO,
** kernels and data sheets give them.
**
**     fp64 fp64_tensor fp64_matrix fp32 fp32_matrix tf32 bf16 fp16 fp8 fp6 fp4 int8 int4
**
** fp64_tensor is NVIDIA's word and fp64_matrix AMD's for the rate of the matrix units, if the
** vector units have another. A format's variants (f8e4m3fn, e5m2, mxfp8) run at one rate and share
** a name, as do signed and unsigned integers.
*/
#ifndef MPG_DTYPE_H
#define MPG_DTYPE_H

#include "../base/base.h"

typedef enum mpg_dtype {
  MPG_FP64 = 0,
  MPG_FP64_TENSOR,
  MPG_FP64_MATRIX,
  MPG_FP32,
  MPG_FP32_MATRIX,
  MPG_TF32,
  MPG_BF16,
  MPG_FP16,
  MPG_FP8,
  MPG_FP6,
  MPG_FP4,
  MPG_INT8,
  MPG_INT4,
  MPG_DTYPES
} mpg_dtype;

const char *mpg_dtype_name(mpg_dtype d);

/*
** The format that `text` names, or MPG_DTYPES. Case, '_', '-' and spaces do not matter, nor does a
** qualifier in front: "torch.bfloat16", "c10::Half", "jnp.float32", "F8E4M3FN", "fp64_tensor".
*/
mpg_dtype mpg_dtype_find(mpg_str text);

#endif
