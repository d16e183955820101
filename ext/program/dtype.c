/* dtype.c - see dtype.h. */
#include "dtype.h"
#include "../base/ascii.h"

#include <string.h>

const char *mpg_dtype_name(mpg_dtype d) {
  static const char *const names[MPG_DTYPES] = {
      [MPG_FP64] = "fp64",
      [MPG_FP64_TENSOR] = "fp64_tensor",
      [MPG_FP64_MATRIX] = "fp64_matrix",
      [MPG_FP32] = "fp32",
      [MPG_FP32_MATRIX] = "fp32_matrix",
      [MPG_TF32] = "tf32",
      [MPG_BF16] = "bf16",
      [MPG_FP16] = "fp16",
      [MPG_FP8] = "fp8",
      [MPG_FP6] = "fp6",
      [MPG_FP4] = "fp4",
      [MPG_INT8] = "int8",
      [MPG_INT4] = "int4",
  };
  return names[d];
}

/* Folded: lower case, without separators. The usual names come first, as this is looked up for
** every row that names a dtype. */
static const struct spelling {
  const char *text;
  size_t n;
  mpg_dtype d;
} spellings[] = {
#define SPELLING(text, d)                                                                          \
  { text, sizeof(text) - 1, d }
    SPELLING("bf16", MPG_BF16),
    SPELLING("fp16", MPG_FP16),
    SPELLING("fp32", MPG_FP32),
    SPELLING("tf32", MPG_TF32),
    SPELLING("int8", MPG_INT8),
    SPELLING("int4", MPG_INT4),
    SPELLING("fp64", MPG_FP64),
    SPELLING("fp64tensor", MPG_FP64_TENSOR),
    SPELLING("fp64matrix", MPG_FP64_MATRIX),
    SPELLING("fp32matrix", MPG_FP32_MATRIX),
    SPELLING("bfloat16", MPG_BF16),
    SPELLING("float16", MPG_FP16),
    SPELLING("float32", MPG_FP32),
    SPELLING("float64", MPG_FP64),
    SPELLING("f16", MPG_FP16),
    SPELLING("f32", MPG_FP32),
    SPELLING("f64", MPG_FP64),
    SPELLING("half", MPG_FP16),
    SPELLING("float", MPG_FP32),
    SPELLING("single", MPG_FP32),
    SPELLING("double", MPG_FP64),
    SPELLING("tensorfloat32", MPG_TF32),
    SPELLING("xf32", MPG_TF32), /* AMD's word */
    SPELLING("s8", MPG_INT8),
    SPELLING("u8", MPG_INT8),
    SPELLING("i8", MPG_INT8),
    SPELLING("uint8", MPG_INT8),
    SPELLING("char", MPG_INT8),
    SPELLING("signedchar", MPG_INT8),
    SPELLING("unsignedchar", MPG_INT8),
    SPELLING("s4", MPG_INT4),
    SPELLING("u4", MPG_INT4),
    SPELLING("i4", MPG_INT4),
    SPELLING("uint4", MPG_INT4),
    SPELLING("nvfp4", MPG_FP4),
#undef SPELLING
};

#define FOLDED 32

static size_t fold_name(mpg_str text, char out[FOLDED]) {
  size_t from = text.n, n = 0;
  while (from > 0 && text.p[from - 1] != '.' && text.p[from - 1] != ':')
    from--;
  for (size_t i = from; i < text.n; i++) {
    char c = text.p[i];
    if (c == ' ' || c == '_' || c == '-')
      continue;
    if (n == FOLDED)
      return 0;
    out[n++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
  }
  return n;
}

static size_t prefix_length(const char *p, size_t n, const char *prefix) {
  size_t length = strlen(prefix);
  return n >= length && memcmp(p, prefix, length) == 0 ? length : 0;
}

/* "e4m3", and with what may follow: "e4m3fn", "e5m2fnuz", "e2m1fnx2". */
static bool is_exponent_mantissa(const char *p, size_t n) {
  return n >= 4 && p[0] == 'e' && mpg_is_digit(p[1]) && p[2] == 'm' && mpg_is_digit(p[3]);
}

/* The 8, 6 and 4 bit floats, in their many variants: "fp8", "f8e4m3fn", "float8e5m2", "mxfp4". */
static mpg_dtype find_small_float(const char *p, size_t n) {
  static const char *const prefixes[] = {"float", "mxfp", "fp", "f"};
  char bits;
  if (is_exponent_mantissa(p, n)) {
    bits = (char)('1' + (p[1] - '0') + (p[3] - '0')); /* and the sign */
    p += 4;
    n = 0;
  } else {
    size_t skip = 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && skip == 0; i++)
      skip = prefix_length(p, n, prefixes[i]);
    if (skip == 0 || n == skip)
      return MPG_DTYPES;
    bits = p[skip];
    p += skip + 1;
    n -= skip + 1;
  }
  if (n > 0 && !is_exponent_mantissa(p, n))
    return MPG_DTYPES;
  return bits == '8' ? MPG_FP8 : bits == '6' ? MPG_FP6 : bits == '4' ? MPG_FP4 : MPG_DTYPES;
}

mpg_dtype mpg_dtype_find(mpg_str text) {
  char folded[FOLDED];
  size_t n = fold_name(text, folded);
  for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
    if (spellings[i].n == n && memcmp(spellings[i].text, folded, n) == 0)
      return spellings[i].d;
  return find_small_float(folded, n);
}
