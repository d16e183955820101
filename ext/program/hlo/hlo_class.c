/* hlo_class.c - the classes of types in which instructions multiply: see hlo_cost.h. */
#include "hlo_attribute.h"
#include "hlo_cost.h"

#include <string.h>

const char *mpg_hlo_class_name(unsigned class) {
  return class < MPG_DTYPES ? mpg_dtype_name((mpg_dtype) class)
                            : mpg_hlo_type_name((mpg_hlo_type)(class - MPG_DTYPES));
}

/* A complex number is multiplied by its parts. */
static unsigned class_of(mpg_hlo_type type) {
  mpg_dtype d;
  if (type == MPG_HLO_c64 || type == MPG_HLO_c128)
    return type == MPG_HLO_c64 ? MPG_FP32 : MPG_FP64;
  d = mpg_dtype_find(mpg_str_of(mpg_hlo_type_name(type)));
  return d != MPG_DTYPES ? (unsigned)d : MPG_DTYPES + (unsigned)type;
}

/* Operands of two classes are multiplied in the wider one; of two of one width, in the float. */
static const int widths[MPG_HLO_CLASSES] = {
    [MPG_FP64] = 64 * 2 + 1, [MPG_FP32] = 32 * 2 + 1, [MPG_BF16] = 16 * 2 + 1,
    [MPG_FP16] = 16 * 2 + 1, [MPG_FP8] = 8 * 2 + 1,   [MPG_INT8] = 8 * 2,
    [MPG_FP4] = 4 * 2 + 1,   [MPG_INT4] = 4 * 2,
};

/* Nothing is wider than what is in no catalogue: pred, s32. */
static bool is_wider(unsigned a, unsigned b) {
  return widths[b] != 0 && (widths[a] == 0 || widths[a] > widths[b]);
}

/*
** The dtype in which a dot's algorithm multiplies, "dot_tf32_tf32_f32", "dot_any_f8_any_f8_f32", in
** a library's configuration "ALG_DOT_TF32_TF32_F32"; MPG_DTYPES if it does not say, or if it uses
** several products, "dot_bf16_bf16_f32_x3", to reach the precision of its operands' type.
*/
static mpg_dtype class_of_algorithm(mpg_str algorithm) {
  static const mpg_str begins[] = {{"dot_any_", 8}, {"DOT_ANY_", 8}, {"dot_", 4}, {"DOT_", 4}};
  if (algorithm.n <= 4 ||
      (algorithm.p[algorithm.n - 3] == '_' && (algorithm.p[algorithm.n - 2] | 0x20) == 'x'))
    return MPG_DTYPES;
  for (size_t b = 0; b < sizeof begins / sizeof *begins; b++) {
    const char *end;
    mpg_str type;
    if (algorithm.n <= begins[b].n || memcmp(algorithm.p, begins[b].p, begins[b].n) != 0)
      continue;
    type = (mpg_str){algorithm.p + begins[b].n, algorithm.n - begins[b].n};
    end = memchr(type.p, '_', type.n);
    return end == NULL ? MPG_DTYPES : mpg_dtype_find((mpg_str){type.p, (size_t)(end - type.p)});
  }
  return MPG_DTYPES;
}

/* What an algorithm is called: by an attribute, or in the configuration of a library's call. */
static mpg_str algorithm_of(const mpg_hlo_module *m, const mpg_hlo_instruction *i) {
  mpg_str name;
  if (i->rule != MPG_HLO_CUSTOM_CALL)
    return mpg_hlo_attribute_of(m, i, MPG_HLO_ALGORITHM);
  name = mpg_hlo_after(mpg_hlo_attribute_of(m, i, MPG_HLO_BACKEND), MPG_STR("\"ALG_"));
  for (size_t n = 0; n < name.n; n++)
    if (name.p[n] == '"' || name.p[n] == '\\') /* a configuration may be text in text */
      return (mpg_str){name.p, n};
  return (mpg_str){NULL, 0};
}

static unsigned class_of_shape(const mpg_hlo_module *m, uint32_t shape) {
  return class_of((mpg_hlo_type)mpg_hlo_shape_at(&m->shapes, shape)->type);
}

/* Kernels have tables of offsets and numbers in front of their factors. */
bool mpg_hlo_factors(const mpg_hlo_module *m, const mpg_hlo_instruction *i, bool is_declared,
                     uint32_t shapes[2]) {
  uint32_t n = 0;
  if (i->rule == MPG_HLO_CUSTOM_CALL && mpg_hlo_custom_of(m, i) == MPG_HLO_CUSTOM_ENGINE_DOT) {
    shapes[0] = mpg_hlo_operand_shape(m, i, 0);
    shapes[1] = mpg_hlo_operand_shape(m, i, 2);
    return i->noperands > 2;
  }
  for (uint32_t k = 0; k < i->noperands && n < 2; k++) {
    uint32_t shape = mpg_hlo_operand_shape(m, i, k);
    if (!is_declared ||
        (mpg_hlo_shape_at(&m->shapes, shape)->n > 1 && class_of_shape(m, shape) < MPG_DTYPES))
      shapes[n++] = shape;
  }
  return n == 2;
}

static bool is_complex(const mpg_hlo_module *m, uint32_t shape) {
  uint8_t type = mpg_hlo_shape_at(&m->shapes, shape)->type;
  return type == MPG_HLO_c64 || type == MPG_HLO_c128;
}

int mpg_hlo_real_products(const mpg_hlo_module *m, const mpg_hlo_instruction *i) {
  uint32_t shapes[2];
  if (!mpg_hlo_factors(m, i, false, shapes))
    return 1;
  return (is_complex(m, shapes[0]) ? 2 : 1) * (is_complex(m, shapes[1]) ? 2 : 1);
}

/* fp64 and fp32 are rates of the vector units, those of products have names of their own. */
static unsigned of_products(unsigned class) {
  return class == MPG_FP64 ? MPG_FP64_MATRIX : class == MPG_FP32 ? MPG_FP32_MATRIX : class;
}

unsigned mpg_hlo_class(const mpg_hlo_cost *c, const mpg_hlo_instruction *i) {
  const mpg_hlo_module *m = c->m;
  const mpg_hlo_price *p = &c->price[i - m->instructions];
  unsigned classes[2];
  uint32_t shapes[2];
  mpg_dtype declared;
  if (!p->is_matmul || !mpg_hlo_factors(m, i, p->is_declared, shapes))
    return MPG_HLO_CLASSES;
  declared = class_of_algorithm(algorithm_of(m, i));
  if (declared != MPG_DTYPES)
    return of_products((unsigned)declared);
  for (uint32_t k = 0; k < 2; k++)
    classes[k] = class_of_shape(m, shapes[k]);
  return of_products(is_wider(classes[1], classes[0]) ? classes[1] : classes[0]);
}
