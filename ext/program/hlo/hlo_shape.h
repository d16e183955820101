/*
** hlo_shape.h - the shapes of XLA's HLO: arrays and nested tuples, their elements and bytes.
**
** Shapes live in one pool and are known by their number; 0 stands for "unknown", which has neither
** elements nor bytes. Products saturate at MPG_HLO_MAX, so that no dimension of a hostile file
** overflows.
*/
#ifndef MPG_HLO_SHAPE_H
#define MPG_HLO_SHAPE_H

#include "../../base/base.h"

/* Counts of work are not negative, and stop here: about 1.3e30. */
#define MPG_HLO_MAX ((mpg_i128)1 << 100)
mpg_i128 mpg_hlo_add(mpg_i128 a, mpg_i128 b);
mpg_i128 mpg_hlo_mul(mpg_i128 a, mpg_i128 b);

/* clang-format off */
/* Element types: name, bits of an element as it lies in memory unless the layout says E(bits).
** Devices pack elements of less than a byte; XLA's own count takes a byte for each until a pass of
** the compiler writes E(4). */
#define MPG_HLO_TYPES(T)                                                                           \
  T(pred, 8) T(s1, 1) T(s2, 2) T(s4, 4) T(s8, 8) T(s16, 16) T(s32, 32) T(s64, 64)                  \
  T(u1, 1) T(u2, 2) T(u4, 4) T(u8, 8) T(u16, 16) T(u32, 32) T(u64, 64)                             \
  T(f16, 16) T(bf16, 16) T(f32, 32) T(f64, 64) T(c64, 64) T(c128, 128)                             \
  T(f8e5m2, 8) T(f8e4m3, 8) T(f8e4m3fn, 8) T(f8e4m3b11fnuz, 8) T(f8e5m2fnuz, 8) T(f8e4m3fnuz, 8)   \
  T(f8e3m4, 8) T(f8e8m0fnu, 8) T(f4e2m1fn, 4) T(token, 0) T(opaque, 0)
/* clang-format on */

typedef enum mpg_hlo_type {
  MPG_HLO_NO_TYPE = 0,
  MPG_HLO_TUPLE,
#define T(name, bits) MPG_HLO_##name,
  MPG_HLO_TYPES(T)
#undef T
      MPG_HLO_TYPE_COUNT
} mpg_hlo_type;

/* MPG_HLO_NO_TYPE if there is none of this name. */
mpg_hlo_type mpg_hlo_type_find(mpg_str name);
const char *mpg_hlo_type_name(mpg_hlo_type type); /* "tuple", "f32", ... */

typedef struct mpg_hlo_shape {
  uint8_t type;            /* mpg_hlo_type */
  bool laid_out;           /* an order of dimensions follows the dimensions */
  bool unbounded;          /* a dimension of it, or of an array in it, may be of any size */
  uint32_t n;              /* dimensions, or members */
  uint32_t first;          /* of them in `numbers` */
  uint32_t leaves;         /* arrays in it; 1 for an array */
  mpg_i128 elements, size; /* of all leaves; size in bytes */
  mpg_i128 on_host;        /* of size what lies in the host's memory */
} mpg_hlo_shape;

typedef struct mpg_hlo_shapes {
  const mpg_env *env;
  mpg_hlo_shape *items; /* [0] is the unknown one */
  size_t n, cap;
  int64_t *numbers; /* dimensions (then minor_to_major), or numbers of member shapes */
  size_t n_numbers, cap_numbers;
} mpg_hlo_shapes;

mpg_rc mpg_hlo_shapes_init(mpg_hlo_shapes *s, const mpg_env *env);
void mpg_hlo_shapes_clear(mpg_hlo_shapes *s); /* forgets the shapes, keeps the memory */
void mpg_hlo_shapes_free(mpg_hlo_shapes *s);

/* A dimension of -1 is unbounded (?). `order` is minor_to_major, n numbers, or NULL for the
** default, major to minor. Returns the number in *out. */
mpg_rc mpg_hlo_shape_array(mpg_hlo_shapes *s, mpg_hlo_type type, unsigned bits, const int64_t *dims,
                           const int64_t *order, size_t n, uint32_t *out);
mpg_rc mpg_hlo_shape_tuple(mpg_hlo_shapes *s, const uint32_t *members, size_t n, uint32_t *out);
/* Says of an array that it lies in the host's memory. */
void mpg_hlo_shape_on_host(mpg_hlo_shapes *s, uint32_t array);

static inline const mpg_hlo_shape *mpg_hlo_shape_at(const mpg_hlo_shapes *s, uint32_t shape) {
  return &s->items[shape];
}
static inline bool mpg_hlo_is_tuple(const mpg_hlo_shapes *s, uint32_t shape) {
  return s->items[shape].type == MPG_HLO_TUPLE;
}
/* Dimension i, or -1 if there is none; an unbounded one (?) is 0. */
int64_t mpg_hlo_dim(const mpg_hlo_shapes *s, uint32_t shape, int64_t i);
/* Dimension i counted from the minor one in memory. */
int64_t mpg_hlo_minor(const mpg_hlo_shapes *s, uint32_t shape, size_t i);
/* Member i of a tuple, or 0. */
uint32_t mpg_hlo_member(const mpg_hlo_shapes *s, uint32_t shape, int64_t i);
/* The array itself, or the first leaf of a tuple; 0 if there is none. */
uint32_t mpg_hlo_first_array(const mpg_hlo_shapes *s, uint32_t shape);

/* Elements of an array; of a tuple those of its first leaf. */
mpg_i128 mpg_hlo_elements(const mpg_hlo_shapes *s, uint32_t shape);
/* Elements of all leaves. */
mpg_i128 mpg_hlo_all_elements(const mpg_hlo_shapes *s, uint32_t shape);
/* Bytes of an array; of a tuple its table of pointers, 8 bytes a member. */
mpg_i128 mpg_hlo_size(const mpg_hlo_shapes *s, uint32_t shape);
/* Bytes of all leaves; of those in the device's memory. */
mpg_i128 mpg_hlo_leaf_size(const mpg_hlo_shapes *s, uint32_t shape);
mpg_i128 mpg_hlo_device_size(const mpg_hlo_shapes *s, uint32_t shape);

#endif
