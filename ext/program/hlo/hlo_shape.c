/* hlo_shape.c - see hlo_shape.h. */
#include "hlo_shape.h"

#include <string.h>

#define POINTER 8 /* bytes of a member in a tuple's table, as XLA counts them */

mpg_i128 mpg_hlo_add(mpg_i128 a, mpg_i128 b) {
  return a > MPG_HLO_MAX - b ? MPG_HLO_MAX : a + b;
}

mpg_i128 mpg_hlo_mul(mpg_i128 a, mpg_i128 b) {
  if (a <= 0 || b <= 0)
    return 0;
  return a > MPG_HLO_MAX / b ? MPG_HLO_MAX : a * b;
}

/* ---- Types ---- */

static const struct type {
  const char *name;
  uint8_t n, bits;
} types[MPG_HLO_TYPE_COUNT] = {[MPG_HLO_NO_TYPE] = {"unknown", 0, 0},
                               [MPG_HLO_TUPLE] = {"tuple", 0, 0},
#define T(name, bits) [MPG_HLO_##name] = {#name, sizeof #name - 1, bits},
                               MPG_HLO_TYPES(T)
#undef T
};

mpg_hlo_type mpg_hlo_type_find(mpg_str name) {
  for (int t = MPG_HLO_TUPLE + 1; t < MPG_HLO_TYPE_COUNT; t++)
    if (types[t].n == name.n && memcmp(types[t].name, name.p, name.n) == 0)
      return (mpg_hlo_type)t;
  return MPG_HLO_NO_TYPE;
}

const char *mpg_hlo_type_name(mpg_hlo_type type) {
  return types[type].name;
}

/* ---- The pool ---- */

mpg_rc mpg_hlo_shapes_init(mpg_hlo_shapes *s, const mpg_env *env) {
  memset(s, 0, sizeof *s);
  s->env = env;
  if (mpg_grow(env, &s->items, &s->cap, 1, sizeof *s->items) != MPG_OK)
    return MPG_NOMEM;
  mpg_hlo_shapes_clear(s);
  return MPG_OK;
}

void mpg_hlo_shapes_clear(mpg_hlo_shapes *s) {
  memset(&s->items[0], 0, sizeof s->items[0]);
  s->n = 1;
  s->n_numbers = 0;
}

void mpg_hlo_shapes_free(mpg_hlo_shapes *s) {
  if (s->env == NULL)
    return;
  mpg_free(s->env, s->items);
  mpg_free(s->env, s->numbers);
  memset(s, 0, sizeof *s);
}

static mpg_rc reserve_shape(mpg_hlo_shapes *s, size_t numbers) {
  if (s->n >= UINT32_MAX || s->n_numbers + numbers >= UINT32_MAX)
    return MPG_NOMEM;
  if (mpg_grow(s->env, &s->items, &s->cap, s->n + 1, sizeof *s->items) != MPG_OK)
    return MPG_NOMEM;
  return mpg_grow(s->env, &s->numbers, &s->cap_numbers, s->n_numbers + numbers, sizeof *s->numbers);
}

mpg_rc mpg_hlo_shape_array(mpg_hlo_shapes *s, mpg_hlo_type type, unsigned bits, const int64_t *dims,
                           const int64_t *order, size_t n, uint32_t *out) {
  mpg_hlo_shape *a;
  if (reserve_shape(s, 2 * n) != MPG_OK)
    return MPG_NOMEM;
  *out = (uint32_t)s->n;
  a = &s->items[s->n++];
  memset(a, 0, sizeof *a);
  a->type = (uint8_t)type;
  a->laid_out = order != NULL;
  a->n = (uint32_t)n;
  a->first = (uint32_t)s->n_numbers;
  a->leaves = 1;
  a->elements = types[type].bits > 0;
  for (size_t i = 0; i < n; i++) {
    a->unbounded |= dims[i] < 0;
    s->numbers[s->n_numbers++] = dims[i] < 0 ? 0 : dims[i];
    a->elements = mpg_hlo_mul(a->elements, dims[i]);
  }
  for (size_t i = 0; order != NULL && i < n; i++)
    s->numbers[s->n_numbers++] = order[i];
  a->size = (mpg_hlo_mul(a->elements, bits != 0 ? bits : types[type].bits) + 7) / 8;
  return MPG_OK;
}

mpg_rc mpg_hlo_shape_tuple(mpg_hlo_shapes *s, const uint32_t *members, size_t n, uint32_t *out) {
  mpg_hlo_shape *t;
  if (reserve_shape(s, n) != MPG_OK)
    return MPG_NOMEM;
  *out = (uint32_t)s->n;
  t = &s->items[s->n++];
  memset(t, 0, sizeof *t);
  t->type = MPG_HLO_TUPLE;
  t->n = (uint32_t)n;
  t->first = (uint32_t)s->n_numbers;
  for (size_t i = 0; i < n; i++) {
    const mpg_hlo_shape *member = &s->items[members[i]];
    t->leaves = member->leaves > UINT32_MAX - t->leaves ? UINT32_MAX : t->leaves + member->leaves;
    t->unbounded |= member->unbounded;
    t->elements = mpg_hlo_add(t->elements, member->elements);
    t->size = mpg_hlo_add(t->size, member->size);
    t->on_host = mpg_hlo_add(t->on_host, member->on_host);
    s->numbers[s->n_numbers++] = members[i];
  }
  return MPG_OK;
}

void mpg_hlo_shape_on_host(mpg_hlo_shapes *s, uint32_t array) {
  s->items[array].on_host = s->items[array].size;
}

/* ---- Questions ---- */

int64_t mpg_hlo_dim(const mpg_hlo_shapes *s, uint32_t shape, int64_t i) {
  const mpg_hlo_shape *a = &s->items[shape];
  if (a->type == MPG_HLO_TUPLE || i < 0 || i >= a->n)
    return -1;
  return s->numbers[a->first + (size_t)i];
}

int64_t mpg_hlo_minor(const mpg_hlo_shapes *s, uint32_t shape, size_t i) {
  const mpg_hlo_shape *a = &s->items[shape];
  return a->laid_out ? s->numbers[a->first + a->n + i] : (int64_t)(a->n - 1 - i);
}

uint32_t mpg_hlo_member(const mpg_hlo_shapes *s, uint32_t shape, int64_t i) {
  const mpg_hlo_shape *t = &s->items[shape];
  if (t->type != MPG_HLO_TUPLE || i < 0 || i >= t->n)
    return 0;
  return (uint32_t)s->numbers[t->first + (size_t)i];
}

uint32_t mpg_hlo_first_array(const mpg_hlo_shapes *s, uint32_t shape) {
  while (mpg_hlo_is_tuple(s, shape)) {
    uint32_t found = 0;
    for (uint32_t i = 0; found == 0 && i < s->items[shape].n; i++) {
      uint32_t member = mpg_hlo_member(s, shape, i);
      found = s->items[member].leaves > 0 ? member : 0;
    }
    shape = found;
  }
  return shape;
}

mpg_i128 mpg_hlo_elements(const mpg_hlo_shapes *s, uint32_t shape) {
  return s->items[mpg_hlo_first_array(s, shape)].elements;
}

mpg_i128 mpg_hlo_all_elements(const mpg_hlo_shapes *s, uint32_t shape) {
  return s->items[shape].elements;
}

mpg_i128 mpg_hlo_size(const mpg_hlo_shapes *s, uint32_t shape) {
  const mpg_hlo_shape *it = &s->items[shape];
  return it->type == MPG_HLO_TUPLE ? (mpg_i128)it->n * POINTER : it->size;
}

mpg_i128 mpg_hlo_leaf_size(const mpg_hlo_shapes *s, uint32_t shape) {
  return s->items[shape].size;
}

mpg_i128 mpg_hlo_device_size(const mpg_hlo_shapes *s, uint32_t shape) {
  return s->items[shape].size - s->items[shape].on_host;
}
