/* op_cost.c - see op_cost.h. */
#include "op_cost.h"
#include "op_call.h"
#include "op_signature.h"
#include "../base/number.h"

#include <string.h>

#define STEP_LIMIT (INT64_C(1) << 20) /* stride, padding, dilation */

typedef mpg_op_shape shape;
typedef mpg_op_call call;

/* ---- Bytes ---- */

int mpg_op_type_size(mpg_str type) {
  static const struct {
    const char *name;
    int size;
  } types[] = {{"c10::BFloat16", 2},
               {"c10::Half", 2},
               {"float", 4},
               {"double", 8},
               {"c10::Float8_e4m3fn", 1},
               {"c10::Float8_e5m2", 1},
               {"c10::Float8_e4m3fnuz", 1},
               {"c10::Float8_e5m2fnuz", 1},
               {"c10::Float4_e2m1fn_x2", 1},
               {"signed char", 1},
               {"unsigned char", 1},
               {"bool", 1},
               {"short", 2},
               {"short int", 2},
               {"int", 4},
               {"long", 8},
               {"long int", 8},
               {"c10::complex<float>", 8},
               {"c10::complex<double>", 16}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (mpg_str_eq(type, mpg_str_of(types[i].name)))
      return types[i].size;
  return 0;
}

/*
** Values in an element of a type: 1; 2 of float4_e2m1fn_x2; 0 if several may be packed and the type
** does not say along which dimension.
*/
static int packing_of(mpg_str type) {
  static const char *const several[] = {"x2", "x4", "x8"};
  static const char *const narrow[] = {"c10::Int", "c10::UInt", "Int", "UInt", "int", "uint"};
  if (mpg_str_eq(type, MPG_STR("c10::Float4_e2m1fn_x2")) ||
      mpg_str_eq(type, MPG_STR("Float4_e2m1fn_x2")))
    return 2;
  for (size_t i = 0; i < sizeof several / sizeof *several; i++)
    if (type.n > 2 && memcmp(type.p + type.n - 2, several[i], 2) == 0)
      return 0; /* quint4x2, quint2x4, Bits1x8 */
  for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
    size_t n = strlen(narrow[i]);
    if (type.n == n + 1 && memcmp(type.p, narrow[i], n) == 0 && type.p[n] >= '1' &&
        type.p[n] <= '7')
      return 0; /* of 1 to 7 bits */
  }
  return 1;
}

/* Of pairs that are multiplied and added, and of sums: a complex pair is four of real numbers, and
** a complex sum is two. */
static mpg_i128 flops_of_product(mpg_str type, mpg_i128 pairs, mpg_i128 sums) {
  bool is_complex = type.n > 13 && memcmp(type.p, "c10::complex<", 13) == 0;
  return is_complex ? 8 * pairs + 2 * sums : 2 * pairs + sums;
}

/* Adds the bytes of argument i, if it is a tensor. */
static void add_bytes(const call *c, int i, mpg_op_cost *out) {
  int size = mpg_op_type_size(c->type[i]);
  if (c->in[i].rank < 0 || out->bytes < 0)
    return;
  out->bytes = size == 0 ? -1 : out->bytes + mpg_op_elements(&c->in[i]) * size;
}

/* Adds a result of so many elements, of so many bytes each; 0: not known. */
static void add_elements(mpg_i128 n, int size, mpg_op_cost *out) {
  if (out->bytes >= 0)
    out->bytes = size == 0 ? -1 : out->bytes + n * size;
}

/* Adds a result of so many elements, of the type of argument i. */
static void add_result(const call *c, int i, mpg_i128 n, mpg_op_cost *out) {
  add_elements(n, mpg_op_type_size(c->type[i]), out);
}

/* ---- Matrix products ---- */

/* Sizes of a product of two tensors of one or more dimensions, broadcast over the leading ones. */
static bool product_sizes(const shape *a, const shape *b, mpg_i128 *out_elements, int64_t *k) {
  shape left = *a, right = *b;
  mpg_i128 batch = 1;
  if (a->rank < 1 || b->rank < 1)
    return false;
  *k = left.dim[--left.rank];
  if (right.rank == 1) {
    if (right.dim[0] != *k)
      return false;
    right.rank = 0;
  } else {
    if (right.dim[right.rank - 2] != *k)
      return false;
    right.dim[right.rank - 2] = right.dim[right.rank - 1];
    right.rank--;
  }
  /* Now the last dimension of each, if it is a matrix or more, is its own; those before are shared.
  */
  {
    int own_left = a->rank > 1, own_right = b->rank > 1;
    int nl = left.rank - own_left, nr = right.rank - own_right, most = nl > nr ? nl : nr;
    for (int i = 1; i <= most; i++) {
      int64_t l = i <= nl ? left.dim[nl - i] : 1, r = i <= nr ? right.dim[nr - i] : 1;
      if (l != r && l != 1 && r != 1)
        return false;
      batch *= l == 1 ? r : l; /* also of none */
    }
    *out_elements = batch * (own_left ? left.dim[left.rank - 1] : 1) *
                    (own_right ? right.dim[right.rank - 1] : 1);
  }
  return true;
}

/* Of a value of c10::ScalarType, of the types that a product may give; 0: of another, or not
** given. */
static int scalar_size(mpg_str value) {
  static const struct {
    int type, size;
  } scalars[] = {{3, 4}, {5, 2}, {6, 4}, {15, 2}, {23, 1}, {24, 1}, {25, 1}, {26, 1}};
  int64_t type;
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
    if (mpg_int_parse(value, &type) && type == scalars[i].type)
      return scalars[i].size;
  return 0;
}

/* Bytes of an element of a product's result: as the wider operand, but of narrow types more. */
static int result_size(const call *c, mpg_str name, int first) {
  int left = mpg_op_type_size(c->type[first]), right = mpg_op_type_size(c->type[first + 1]);
  if (mpg_str_eq(name, MPG_STR("_scaled_mm"))) /* (a, b, scale, scale, bias, scale, type, ...) */
    return scalar_size(c->value[6].n > 0 ? c->value[6]
                                         : c->value[3]); /* until 2.4 (.., bias, type) */
  if (mpg_str_eq(name, MPG_STR("_scaled_mm_v2"))) /* (a, b, 6 of the scales, bias, type, ...) */
    return scalar_size(c->value[9]);
  if (mpg_str_eq(name, MPG_STR("_int_mm")))
    return 4;
  if (first == 0 && c->value[2].n > 0) /* mm, bmm (a, b, type) */
    return scalar_size(c->value[2]);
  if (first == 1 && c->value[5].n > 0 && c->value[5].p[0] <= '9') /* (.., type, beta, alpha) */
    return scalar_size(c->value[3]);
  return left > right ? left : right;
}

/* first: the left operand's place. A place before it is what is added. */
static bool price_product(const call *c, mpg_str name, int first, bool sum_batch,
                          mpg_op_cost *out) {
  mpg_i128 n, result;
  int64_t k;
  if (!product_sizes(&c->in[first], &c->in[first + 1], &n, &k))
    return false;
  /* Both operands are packed along K. */
  k *= packing_of(c->type[first]);
  result = n;
  if (sum_batch) { /* addbmm: one matrix out of the whole batch */
    if (c->in[first].rank != 3 || c->in[first].dim[0] == 0)
      return false;
    result = n / c->in[first].dim[0];
  }
  out->flops = flops_of_product(c->type[first], n * k, first == 1 ? result : 0);
  for (int i = 0; i < first + 2; i++)
    add_bytes(c, i, out);
  add_elements(result, result_size(c, name, first), out);
  return true;
}

/*
** A product for each group of rows, or of columns, as of experts: (self, mat2, ...). What has two
** dimensions is divided among the groups, which end at `ends_at`. Rows that no group has count.
*/
static bool price_grouped(const call *c, int ends_at, int type_at, mpg_op_cost *out) {
  const shape *a = &c->in[0], *b = &c->in[1], *ends = &c->in[ends_at];
  bool scaled = ends_at > 2;
  mpg_str type = c->value[type_at];
  int size = scalar_size(type);
  mpg_i128 groups, products, result;
  if (a->rank < 2 || a->rank > 3 || b->rank < 2 || b->rank > 3 ||
      a->dim[a->rank - 1] != b->dim[b->rank - 2] ||
      (a->rank == 3 && b->rank == 3 && a->dim[0] != b->dim[0]))
    return false;
  groups = a->rank == 3 ? a->dim[0] : b->rank == 3 ? b->dim[0] : ends->rank == 1 ? ends->dim[0] : 0;
  products = (mpg_i128)a->dim[a->rank - 2] * b->dim[b->rank - 1];
  result = a->rank == b->rank ? groups * products : products;
  out->flops = 2 * products * a->dim[a->rank - 1] * packing_of(c->type[0]) *
               (a->rank == 3 && b->rank == 3 ? groups : 1);
  add_bytes(c, 0, out);
  add_bytes(c, 1, out);
  if (size == 0 && type.n == 0)
    size = scaled ? 2 : mpg_op_type_size(c->type[0]); /* bf16, or as the operands */
  add_elements(result, groups == 0 ? 0 : size, out);
  return true;
}

/* linear(input, weight [N, K], bias) */
static bool price_linear(const call *c, mpg_op_cost *out) {
  const shape *x = &c->in[0], *w = &c->in[1];
  bool bias = c->in[2].rank == 1;
  mpg_i128 m = 1, result;
  if (x->rank < 1 || w->rank < 1 || w->rank > 2 || w->dim[w->rank - 1] != x->dim[x->rank - 1])
    return false;
  for (int i = 0; i < x->rank - 1; i++)
    m *= x->dim[i];
  result = m * (w->rank == 2 ? w->dim[0] : 1);
  out->flops = flops_of_product(c->type[0], result * x->dim[x->rank - 1], bias ? result : 0);
  for (int i = 0; i < (bias ? 3 : 2); i++)
    add_bytes(c, i, out);
  add_result(c, 0, result, out);
  return true;
}

/* ---- Convolutions ---- */

/* A size for each dimension of space: one for all may be given as a single number. */
static bool sizes_at(const call *c, int i, int space, int64_t *out) {
  int n = mpg_int_parse(c->value[i], &out[0])
              ? 1
              : mpg_op_integers(c->value[i], out, MPG_OP_RANK, STEP_LIMIT);
  for (int d = 1; n == 1 && d < space; d++)
    out[d] = out[0];
  return (n == 1 || n == space) && out[0] >= 0 && out[0] <= STEP_LIMIT;
}

/* x and w are the places of input and weight. */
static bool price_convolution(const call *c, int x, int w, mpg_op_conv at, mpg_op_cost *out) {
  const shape *in = &c->in[x], *weight = &c->in[w];
  int64_t stride[MPG_OP_RANK], padding[MPG_OP_RANK], dilation[MPG_OP_RANK];
  int space = weight->rank - 2;
  bool transposed = at.transposed >= 0 && mpg_op_value_is(c, at.transposed, "true");
  mpg_i128 result, kernel = 1;
  if (space < 1 || in->rank < space + 1 || in->rank > space + 2 ||
      !sizes_at(c, at.stride, space, stride) || !sizes_at(c, at.padding, space, padding) ||
      !sizes_at(c, at.dilation, space, dilation))
    return false;
  result = in->rank == space + 2 ? in->dim[0] : 1;
  for (int d = 0; d < space; d++) {
    int64_t k = weight->dim[2 + d], n = in->dim[in->rank - space + d];
    int64_t room = n + 2 * padding[d] - dilation[d] * (k - 1) - 1;
    if (stride[d] < 1 || k < 1 || dilation[d] < 1)
      return false;
    if (transposed)
      room = (n - 1) * stride[d] - 2 * padding[d] + dilation[d] * (k - 1);
    if (room < 0 || room >= MPG_OP_TENSOR_LIMIT ||
        result > (mpg_i128)MPG_OP_TENSOR_LIMIT * MPG_OP_TENSOR_LIMIT)
      return false;
    kernel *= k;
    result *= transposed ? room + 1 : room / stride[d] + 1;
  }
  if (transposed) {
    /* weight [Cin, Cout of a group, k...]. The result's size leaves output_padding out. */
    out->flops = 2 * mpg_op_elements(in) * weight->dim[1] * kernel;
    result *= weight->dim[1];
  } else {
    result *= weight->dim[0];
    out->flops = 2 * result * weight->dim[1] * kernel;
  }
  add_bytes(c, x, out);
  add_bytes(c, w, out);
  add_result(c, x, result, out);
  return true;
}

/* convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation,
** transposed, output_padding, groups, output_mask): each of the two gradients is a convolution
** of the same size. */
static bool price_convolution_backward(const call *c, mpg_op_cost *out) {
  const shape *grad = &c->in[0], *in = &c->in[1], *weight = &c->in[2];
  mpg_str mask[MPG_OP_ARGUMENTS];
  bool transposed = mpg_op_value_is(c, 7, "true");
  mpg_i128 kernel = 1;
  int wanted = 0;
  if (weight->rank < 3 || grad->rank < 1 || in->rank < 1 || mpg_op_items(c->value[10], mask) != 3)
    return false;
  for (int d = 2; d < weight->rank; d++)
    kernel *= weight->dim[d];
  for (int i = 0; i < 2; i++)
    wanted += mpg_str_eq_nocase(mask[i], MPG_STR("true"));
  out->flops = wanted * 2 * mpg_op_elements(transposed ? in : grad) * weight->dim[1] * kernel;
  for (int i = 0; i < 3; i++)
    add_bytes(c, i, out);
  for (int i = 0; i < 2; i++)
    if (mpg_str_eq_nocase(mask[i], MPG_STR("true")))
      add_result(c, i + 1, mpg_op_elements(&c->in[i + 1]), out);
  return true;
}

/* ---- Attention ---- */

/* Whether argument i is a tensor with something in it. */
static bool has_tensor(const call *c, int i) {
  return i > 0 && i < MPG_OP_ARGUMENTS && c->in[i].rank > 0 && mpg_op_elements(&c->in[i]) > 0;
}

/* Whether argument i is a window: neither absent nor -1, which is none. */
static bool has_window(const call *c, int i) {
  static const char *const none[] = {"", "-1", "None", "[-1, -1]", "[-1,-1]", "(-1, -1)"};
  for (size_t j = 0; j < sizeof none / sizeof *none; j++)
    if (i <= 0 || mpg_op_value_is(c, i, none[j]))
      return false;
  return true;
}

typedef enum mask_kind { FULL, TOP_LEFT, BOTTOM_RIGHT } mask_kind;

/*
** Twice the pairs of a query and a key that meet, where those on the mask's edge count half. The
** edge begins at the first query and key, or ends at the last ones: a query of a decoder with a
** cache of keys meets them all.
*/
static mpg_i128 twice_met(int64_t queries, int64_t keys, mask_kind mask) {
  mpg_i128 all = 2 * (mpg_i128)queries * keys;
  if (mask == FULL)
    return all;
  if (mask == TOP_LEFT)
    return queries <= keys ? (mpg_i128)queries * queries : all - (mpg_i128)keys * keys;
  return queries <= keys ? all - (mpg_i128)queries * queries : (mpg_i128)keys * keys;
}

/* first: the query's place. heads_last: [B, N, H, D] instead of [B, H, N, D]. */
static bool price_attention(const call *c, int first, bool heads_last, mask_kind mask,
                            bool backward, mpg_op_cost *out) {
  const shape *q = &c->in[first], *k = &c->in[first + 1], *v = &c->in[first + 2];
  int h = heads_last ? 2 : 1, n = heads_last ? 1 : 2;
  mpg_i128 scores, result;
  if (q->rank != 4 || k->rank != 4 || v->rank != 4 || q->dim[3] != k->dim[3] ||
      k->dim[n] != v->dim[n])
    return false;
  scores = (mpg_i128)q->dim[0] * q->dim[h] * twice_met(q->dim[n], k->dim[n], mask);
  out->flops = scores * (backward ? 3 * q->dim[3] + 2 * v->dim[3] : q->dim[3] + v->dim[3]);
  result = (mpg_i128)q->dim[0] * q->dim[h] * q->dim[n] * v->dim[3];
  for (int i = first; i < first + 3; i++)
    add_bytes(c, i, out);
  if (!backward) { /* of fp8 in bf16 */
    int size = mpg_op_type_size(c->type[first]);
    add_elements(result, size == 1 ? 2 : size, out);
    return true;
  }
  /* The result and its gradient are read, three gradients are written. */
  add_result(c, first, 2 * result, out);
  for (int i = first; i < first + 3; i++)
    add_bytes(c, i, out);
  return true;
}

/* ---- Operators ---- */

/* Whether every token meets every other, or those before it: only then does the shape decide the
** price. */
static bool is_dense(const call *c, const mpg_op_signature *row) {
  if (row->lengths > 0 && (has_tensor(c, row->lengths) || has_tensor(c, row->lengths + 1)))
    return false;
  for (int i = 0; i < row->windows; i++)
    if (has_window(c, row->window + i))
      return false;
  return !has_tensor(c, row->used);
}

/* Whether operands hold as many values as their shapes say, or twice as many in both of a product
** (float4). _scaled_mm multiplies no bytes: those are packed. */
static bool is_packed_otherwise(const call *c, const mpg_op_signature *row) {
  const bool product = row->family == MPG_OP_PRODUCT || row->family == MPG_OP_GROUPED ||
                       row->family == MPG_OP_GROUPED_SCALED;
  int first = product || row->family == MPG_OP_ADDBMM ? row->first : 0;
  int left = packing_of(c->type[first]);
  for (int i = 0; i < 4; i++) {
    int values = packing_of(c->type[i]);
    bool operand = product && (i == first || i == first + 1);
    if (c->in[i].rank > 0 && (values == 0 || (values > 1 && !operand)))
      return true;
  }
  if (!product)
    return false;
  return left != packing_of(c->type[first + 1]) ||
         ((row->family == MPG_OP_GROUPED_SCALED || strncmp(row->name, "_scaled_mm", 10) == 0) &&
          mpg_str_eq(c->type[0], MPG_STR("unsigned char")));
}

static mask_kind mask_of(const mpg_op_signature *row, const call *c) {
  if (row->numbered && mpg_op_value_is(c, row->causal, "2"))
    return BOTTOM_RIGHT;
  if (!mpg_op_value_is(c, row->causal, row->numbered ? "1" : "true"))
    return FULL;
  return row->last ? BOTTOM_RIGHT : TOP_LEFT;
}

bool mpg_op_cost_of(mpg_str name, mpg_str dims, mpg_str types, mpg_str concrete, mpg_op_cost *out) {
  const mpg_op_signature *row;
  call c;
  if (name.n > 6 && memcmp(name.p, "aten::", 6) == 0)
    name = (mpg_str){name.p + 6, name.n - 6};
  row = mpg_op_signature_find(name);
  out->flops = 0;
  out->bytes = types.n == 0 ? -1 : 0;
  if (row == NULL || !mpg_op_call_read(dims, types, concrete, &c))
    return false;
  row = mpg_op_signature_of(row, &c);
  if (is_packed_otherwise(&c, row) || !is_dense(&c, row))
    return false;
  switch (row->family) {
  case MPG_OP_PRODUCT:
  case MPG_OP_ADDBMM:
    return price_product(&c, name, row->first, row->family == MPG_OP_ADDBMM, out);
  case MPG_OP_GROUPED:
    return price_grouped(&c, 2, 4, out);
  case MPG_OP_GROUPED_SCALED:
    /* (a, b, 2 or 6 of the scales, ends, bias, type or scale and type, ...) */
    return price_grouped(&c, row->ends, row->ends == 4 ? 7 : 10, out);
  case MPG_OP_LINEAR:
    return price_linear(&c, out);
  case MPG_OP_CONV:
    return price_convolution(&c, 0, 1, row->conv, out);
  case MPG_OP_CONV_BACKWARD:
    return price_convolution_backward(&c, out);
  case MPG_OP_ATTENTION:
  case MPG_OP_ATTENTION_BACKWARD:
    return price_attention(&c, row->first, row->heads_last, mask_of(row, &c),
                           row->family == MPG_OP_ATTENTION_BACKWARD, out);
  }
  return false;
}
