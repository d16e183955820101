/* tensor.c - see tensor.h. */
#include "tensor.h"

#include <math.h>
#include <string.h>

/* DataType of types.proto. */
enum {
  DT_FLOAT = 1,
  DT_DOUBLE = 2,
  DT_INT32 = 3,
  DT_UINT8 = 4,
  DT_INT16 = 5,
  DT_INT8 = 6,
  DT_STRING = 7,
  DT_INT64 = 9,
  DT_BOOL = 10,
  DT_BFLOAT16 = 14,
  DT_UINT16 = 17,
  DT_HALF = 19,
  DT_UINT32 = 22,
  DT_UINT64 = 23
};

/* Fields of a TensorProto. */
enum {
  DTYPE = 1,
  SHAPE = 2,
  CONTENT = 4,
  FLOAT_VAL = 5,
  DOUBLE_VAL = 6,
  INT_VAL = 7,
  STRING_VAL = 8,
  INT64_VAL = 10,
  BOOL_VAL = 11,
  HALF_VAL = 13,
  UINT32_VAL = 16,
  UINT64_VAL = 17
};

/* A tensor on the way: of its elements the first, and whether there are more. */
typedef struct tensor {
  uint64_t dtype;
  bool one_element; /* by its shape */
  mpg_str content;  /* raw bytes */
  uint64_t bits;    /* the first of the list, in the list's own width */
  mpg_str text;     /* the first of string_val */
  size_t listed;    /* elements of the list: 2 stands for more than one */
  mpg_poller *poller;
} tensor;

static mpg_rc interrupted(mpg_err *err) {
  return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
}

/* ---- The shape ---- */

static mpg_rc read_dimension(mpg_proto_message m, tensor *t, mpg_err *err) {
  mpg_proto_field f;
  mpg_rc rc;
  uint64_t size = 0;
  while ((rc = mpg_proto_next(&m, &f, err)) == MPG_OK) {
    if (f.number == 1 && f.type == MPG_PROTO_VARINT)
      size = f.value;
    if (mpg_poller_stop(t->poller, 16))
      return interrupted(err);
  }
  t->one_element = t->one_element && size == 1;
  return rc == MPG_DONE ? MPG_OK : rc;
}

static mpg_rc read_shape(mpg_proto_message m, tensor *t, mpg_err *err) {
  mpg_proto_field f;
  mpg_rc rc;
  while ((rc = mpg_proto_next(&m, &f, err)) == MPG_OK) {
    if (f.number == 2 && f.type == MPG_PROTO_BYTES)
      rc = read_dimension(mpg_proto_within(&m, &f, "a dimension"), t, err);
    else if (f.number == 3 && f.value != 0)
      t->one_element = false; /* of unknown rank */
    if (rc != MPG_OK)
      return rc;
    if (mpg_poller_stop(t->poller, 16))
      return interrupted(err);
  }
  return rc == MPG_DONE ? MPG_OK : rc;
}

/* ---- Lists ---- */

static void add_bits(tensor *t, uint64_t bits) {
  if (t->listed == 0)
    t->bits = bits;
  t->listed = t->listed == 0 ? 1 : 2;
}

/* Of a packed list of varints the first one; how many bytes it takes, 0 if it has no end. */
static size_t first_varint(mpg_str list, uint64_t *out) {
  uint64_t v = 0;
  for (size_t i = 0; i < list.n && i < 10; i++) {
    v |= (uint64_t)((unsigned char)list.p[i] & 0x7f) << (7 * i);
    if ((unsigned char)list.p[i] < 0x80) {
      *out = v;
      return i + 1;
    }
  }
  return 0;
}

static mpg_rc bad_list(const mpg_proto_message *m, const mpg_proto_field *f, mpg_err *err) {
  return mpg_fail(err, MPG_DATA,
                  "%s: byte %lld: expected whole numbers in field %u of %s, found %llu bytes",
                  m->path, (long long)f->at, f->number, m->what, (unsigned long long)f->value);
}

/* A list may be packed, or have a field for each element. `width` is 4 or 8, or 0 for varints. */
static mpg_rc read_list(const mpg_proto_message *m, const mpg_proto_field *f, size_t width,
                        tensor *t, mpg_err *err) {
  uint64_t bits = 0;
  size_t used = width;
  if (f->type != MPG_PROTO_BYTES) {
    mpg_rc rc = mpg_proto_expect(m->path, m->what, f,
                                 width == 0   ? MPG_PROTO_VARINT
                                 : width == 4 ? MPG_PROTO_FIXED32
                                              : MPG_PROTO_FIXED64,
                                 err);
    if (rc == MPG_OK)
      add_bits(t, f->value);
    return rc;
  }
  if (f->bytes.n == 0)
    return MPG_OK;
  if (width == 0)
    used = first_varint(f->bytes, &bits);
  else if (f->bytes.n % width == 0)
    bits = mpg_little_endian(f->bytes.p, width);
  else
    used = 0;
  if (used == 0)
    return bad_list(m, f, err);
  add_bits(t, bits);
  if (f->bytes.n > used)
    t->listed = 2;
  return MPG_OK;
}

static mpg_rc read_field(const mpg_proto_message *m, const mpg_proto_field *f, tensor *t,
                         mpg_err *err) {
  mpg_rc rc = MPG_OK;
  switch (f->number) {
  case DTYPE:
    rc = mpg_proto_expect(m->path, m->what, f, MPG_PROTO_VARINT, err);
    t->dtype = f->value;
    return rc;
  case SHAPE:
    rc = mpg_proto_expect(m->path, m->what, f, MPG_PROTO_BYTES, err);
    return rc == MPG_OK ? read_shape(mpg_proto_within(m, f, "the shape of a tensor"), t, err) : rc;
  case CONTENT:
    rc = mpg_proto_expect(m->path, m->what, f, MPG_PROTO_BYTES, err);
    t->content = f->bytes;
    return rc;
  case STRING_VAL:
    rc = mpg_proto_expect(m->path, m->what, f, MPG_PROTO_BYTES, err);
    if (t->listed == 0)
      t->text = f->bytes;
    t->listed = t->listed == 0 ? 1 : 2;
    return rc;
  case FLOAT_VAL:
    return read_list(m, f, 4, t, err);
  case DOUBLE_VAL:
    return read_list(m, f, 8, t, err);
  case INT_VAL:
  case INT64_VAL:
  case BOOL_VAL:
  case HALF_VAL:
  case UINT32_VAL:
  case UINT64_VAL:
    return read_list(m, f, 0, t, err);
  default:
    return MPG_OK; /* version_number, and lists of other types */
  }
}

/* ---- The number ---- */

static double real_of_float(uint64_t bits) {
  const uint32_t low = (uint32_t)bits;
  float v;
  memcpy(&v, &low, sizeof v);
  return (double)v;
}

static double real_of_double(uint64_t bits) {
  double v;
  memcpy(&v, &bits, sizeof v);
  return v;
}

/* IEEE 754 of 16 bits: a sign, 5 of exponent, 10 of fraction. */
static double real_of_half(uint64_t bits) {
  const int exponent = (int)(bits >> 10 & 31);
  const double fraction = (double)(bits & 1023) / 1024;
  double v = exponent == 0    ? ldexp(fraction, -14)
             : exponent == 31 ? (fraction > 0 ? (double)NAN : (double)INFINITY)
                              : ldexp(1 + fraction, exponent - 15);
  return (bits >> 15 & 1) != 0 ? -v : v;
}

/* The bytes of one element in tensor_content; 0: of a type that has no number here. */
static size_t width_of(uint64_t dtype) {
  switch (dtype) {
  case DT_DOUBLE:
  case DT_INT64:
  case DT_UINT64:
    return 8;
  case DT_FLOAT:
  case DT_INT32:
  case DT_UINT32:
    return 4;
  case DT_INT16:
  case DT_UINT16:
  case DT_HALF:
  case DT_BFLOAT16:
    return 2;
  case DT_INT8:
  case DT_UINT8:
  case DT_BOOL:
    return 1;
  default:
    return 0;
  }
}

/* Bits in the width of the type, or more of them, as a varint extends the sign. */
static double real_of(uint64_t dtype, uint64_t bits) {
  switch (dtype) {
  case DT_FLOAT:
    return real_of_float(bits);
  case DT_DOUBLE:
    return real_of_double(bits);
  case DT_BFLOAT16:
    return real_of_float((bits & 0xffff) << 16);
  case DT_HALF:
    return real_of_half(bits);
  case DT_INT8:
    return (double)(int8_t)bits;
  case DT_INT16:
    return (double)(int16_t)bits;
  case DT_INT32:
    return (double)(int32_t)bits;
  case DT_INT64:
    return (double)(int64_t)bits;
  default:
    return (double)bits; /* unsigned, or a bool */
  }
}

static void give_value(const tensor *t, mpg_value *out) {
  const size_t width = width_of(t->dtype);
  if (!t->one_element)
    return;
  if (t->dtype == DT_STRING && t->listed == 1) {
    out->type = MPG_TEXT;
    out->s = t->text;
  } else if (width > 0 && t->content.n == width) {
    out->type = MPG_REAL;
    out->r = real_of(t->dtype, mpg_little_endian(t->content.p, width));
  } else if (width > 0 && t->content.n == 0 && t->listed == 1) {
    out->type = MPG_REAL;
    out->r = real_of(t->dtype, t->bits);
  }
}

mpg_rc mpg_tensor_read(mpg_proto_message m, mpg_poller *poller, mpg_value *out, mpg_err *err) {
  tensor t = {.one_element = true, .poller = poller};
  mpg_proto_field f;
  mpg_rc rc;
  *out = (mpg_value){MPG_NULL, 0, 0.0, {NULL, 0}};
  while ((rc = mpg_proto_next(&m, &f, err)) == MPG_OK) {
    rc = read_field(&m, &f, &t, err);
    if (rc != MPG_OK)
      return rc;
    if (mpg_poller_stop(poller, 16))
      return interrupted(err);
  }
  if (rc == MPG_DONE)
    give_value(&t, out);
  return rc == MPG_DONE ? MPG_OK : rc;
}
