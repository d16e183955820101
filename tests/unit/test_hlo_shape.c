/* test_hlo_shape.c - arrays and tuples in numbers, and opcodes by name. */
#include "../../ext/program/hlo/hlo_opcode.h"
#include "../../ext/program/hlo/hlo_shape.h"
#include "check.h"
#include "hostile.h"

static mpg_hlo_shapes s;

static uint32_t array(mpg_hlo_type type, unsigned bits, const int64_t *dims, const int64_t *order,
                      size_t n) {
  uint32_t out = 0;
  CHECK(mpg_hlo_shape_array(&s, type, bits, dims, order, n, &out) == MPG_OK && out > 0);
  return out;
}

static uint32_t tuple(const uint32_t *members, size_t n) {
  uint32_t out = 0;
  CHECK(mpg_hlo_shape_tuple(&s, members, n, &out) == MPG_OK && out > 0);
  return out;
}

static void test_types(void) {
  CHECK(mpg_hlo_type_find(MPG_STR("f32")) == MPG_HLO_f32);
  CHECK(mpg_hlo_type_find(MPG_STR("f3")) == MPG_HLO_NO_TYPE);
  CHECK(mpg_hlo_type_find(MPG_STR("f322")) == MPG_HLO_NO_TYPE);
  CHECK(mpg_hlo_type_find(MPG_STR("")) == MPG_HLO_NO_TYPE);
  for (int t = MPG_HLO_pred; t < MPG_HLO_TYPE_COUNT; t++)
    CHECK(mpg_hlo_type_find(mpg_str_of(mpg_hlo_type_name((mpg_hlo_type)t))) == (mpg_hlo_type)t);
  CHECK(strcmp(mpg_hlo_type_name(MPG_HLO_TUPLE), "tuple") == 0);
}

/* A sum, or a product, of what is at the limit, and just below and beyond it: exact up to the
** limit, which stands for all that is more. */
static void test_limit(void) {
  const mpg_i128 most = MPG_HLO_MAX;
  CHECK(mpg_hlo_add(most - 1, 1) == most && mpg_hlo_add(most - 2, 1) == most - 1);
  CHECK(mpg_hlo_add(most, 0) == most && mpg_hlo_add(0, most) == most);
  CHECK(mpg_hlo_add(most, 1) == most && mpg_hlo_add(most, most) == most);
  CHECK(mpg_hlo_mul(0, most) == 0 && mpg_hlo_mul(most, 0) == 0);
  CHECK(mpg_hlo_mul(-1, 5) == 0 && mpg_hlo_mul(5, -1) == 0 && mpg_hlo_mul(1, 1) == 1);
  CHECK(mpg_hlo_mul(most, 1) == most && mpg_hlo_mul(1, most) == most);
  for (mpg_i128 b = 2; b < most; b = b * 5 / 2) { /* 2^100 leaves a rest by most of these */
    mpg_i128 a = most / b, rest = most - a * b;
    CHECK(mpg_hlo_mul(a, b) == most - rest && mpg_hlo_mul(b, a) == most - rest);
    CHECK(mpg_hlo_mul(a + 1, b) == most && mpg_hlo_mul(b, a + 1) == most);
  }
}

static void test_arrays(void) {
  const int64_t dims[] = {3, 5, 7}, order[] = {1, 2, 0};
  uint32_t plain = array(MPG_HLO_f32, 0, dims, NULL, 3),
           laid = array(MPG_HLO_bf16, 0, dims, order, 3);
  uint32_t scalar = array(MPG_HLO_c128, 0, NULL, NULL, 0),
           token = array(MPG_HLO_token, 0, NULL, NULL, 0);
  uint32_t none = array(MPG_HLO_f32, 0, (const int64_t[]){3, 0}, NULL, 2);
  uint32_t packed = array(MPG_HLO_u4, 0, (const int64_t[]){5}, NULL, 1);
  uint32_t bytes = array(MPG_HLO_u4, 8, (const int64_t[]){5}, NULL, 1);
  CHECK(mpg_hlo_elements(&s, plain) == 105 && mpg_hlo_size(&s, plain) == 420);
  CHECK(mpg_hlo_leaf_size(&s, laid) == 210 && mpg_hlo_all_elements(&s, laid) == 105);
  for (int64_t i = 0; i < 3; i++) {
    CHECK(mpg_hlo_dim(&s, plain, i) == dims[i] && mpg_hlo_dim(&s, laid, i) == dims[i]);
    CHECK(mpg_hlo_minor(&s, plain, (size_t)i) == 2 - i);
    CHECK(mpg_hlo_minor(&s, laid, (size_t)i) == order[i]);
  }
  CHECK(mpg_hlo_dim(&s, plain, -1) == -1 && mpg_hlo_dim(&s, plain, 3) == -1);
  CHECK(mpg_hlo_dim(&s, scalar, 0) == -1 && mpg_hlo_dim(&s, 0, 0) == -1);
  CHECK(mpg_hlo_elements(&s, scalar) == 1 && mpg_hlo_size(&s, scalar) == 16);
  CHECK(mpg_hlo_elements(&s, token) == 0 && mpg_hlo_size(&s, token) == 0);
  CHECK(mpg_hlo_elements(&s, none) == 0 && mpg_hlo_size(&s, none) == 0);
  CHECK(mpg_hlo_size(&s, packed) == 3 && mpg_hlo_size(&s, bytes) == 5); /* 20 bits, rounded up */
  CHECK(mpg_hlo_first_array(&s, plain) == plain && mpg_hlo_member(&s, plain, 0) == 0);
  CHECK(!mpg_hlo_is_tuple(&s, plain) && mpg_hlo_shape_at(&s, plain)->leaves == 1);
}

static void test_tuples(void) {
  uint32_t a = array(MPG_HLO_f32, 0, (const int64_t[]){4}, NULL, 1);
  uint32_t b = array(MPG_HLO_s8, 0, (const int64_t[]){9}, NULL, 1);
  uint32_t empty = tuple(NULL, 0), deep = tuple(&empty, 1);
  uint32_t pair = tuple((const uint32_t[]){b, a}, 2);
  uint32_t all = tuple((const uint32_t[]){empty, deep, pair, a}, 4);
  CHECK(mpg_hlo_is_tuple(&s, all) && mpg_hlo_shape_at(&s, all)->leaves == 3);
  CHECK(mpg_hlo_first_array(&s, all) == b && mpg_hlo_elements(&s, all) == 9);
  CHECK(mpg_hlo_all_elements(&s, all) == 9 + 4 + 4 && mpg_hlo_leaf_size(&s, all) == 9 + 16 + 16);
  CHECK(mpg_hlo_size(&s, all) == 4 * 8 && mpg_hlo_size(&s, empty) == 0);
  CHECK(mpg_hlo_first_array(&s, empty) == 0 && mpg_hlo_first_array(&s, deep) == 0);
  CHECK(mpg_hlo_elements(&s, deep) == 0);
  CHECK(mpg_hlo_member(&s, all, 0) == empty && mpg_hlo_member(&s, all, 3) == a);
  CHECK(mpg_hlo_member(&s, all, -1) == 0 && mpg_hlo_member(&s, all, 4) == 0);
  CHECK(mpg_hlo_dim(&s, all, 0) == -1);
  /* Doubled again and again: leaves stop at the most there can be, sums go on. */
  for (int i = 0; i < 31; i++)
    a = tuple((const uint32_t[]){a, a}, 2);
  CHECK(mpg_hlo_shape_at(&s, a)->leaves == UINT32_C(1) << 31);
  CHECK(mpg_hlo_shape_at(&s, tuple((const uint32_t[]){a, a}, 2))->leaves == UINT32_MAX);
  b = tuple((const uint32_t[]){a, b}, 2);
  CHECK(mpg_hlo_shape_at(&s, b)->leaves == (UINT32_C(1) << 31) + 1);
  CHECK(mpg_hlo_shape_at(&s, tuple((const uint32_t[]){a, b}, 2))->leaves == UINT32_MAX);
  CHECK(mpg_hlo_all_elements(&s, a) == (mpg_i128)4 << 31);
}

/* Cleared it is as new, but for the memory. */
static void test_clear(void) {
  size_t cap = s.cap;
  CHECK(s.n > 1 && s.n_numbers > 0);
  mpg_hlo_shapes_clear(&s);
  CHECK(s.n == 1 && s.n_numbers == 0 && s.cap == cap && mpg_hlo_elements(&s, 0) == 0);
  CHECK(array(MPG_HLO_f32, 0, NULL, NULL, 0) == 1);
}

static void opcode(const char *name, const char *expected, bool sugar) {
  bool found_sugar = !sugar;
  const mpg_hlo_opcode *found = mpg_hlo_opcode_find(mpg_str_of(name), &found_sugar);
  CHECK(strcmp(found->name, expected) == 0 && found->n == strlen(expected) && found_sugar == sugar);
}

static void test_opcodes(void) {
  opcode("abs", "abs", false);
  opcode("xor", "xor", false);
  opcode("dot", "dot", false);
  opcode("or", "or", false);
  opcode("add-dependency", "add-dependency", false);
  opcode("all-reduce-start", "all-reduce-start", false);
  opcode("async-done", "async-done", false);
  opcode("dot-start", "dot", true); /* the short form of an async-start around it */
  opcode("dot-done", "async-done", false);
  opcode("or-update", "async-done", false);
  opcode("xor-done", "async-done", false);
  opcode("", "", false);
  opcode("a", "", false);
  opcode("absent", "", false);
  opcode("zzz", "", false);
  opcode("zzz-start", "", false);
  opcode("zzz-done", "", false);
  opcode("zzz-update", "", false);
  opcode("-start", "", false);
  opcode("-done", "", false);
  opcode("dot-", "", false);
  opcode("dotstart", "", false);
}

int main(void) {
  hostile h = {0, 1, false, false, 0};
  mpg_env env = hostile_env(&h);
  CHECK(mpg_hlo_shapes_init(&s, &env) == MPG_NOMEM);
  CHECK(mpg_hlo_shapes_init(&s, &env) == MPG_OK);
  test_types();
  test_limit();
  test_arrays();
  test_tuples();
  test_clear();
  test_opcodes();
  mpg_hlo_shapes_free(&s);
  mpg_hlo_shapes_free(&s);
  CHECK(h.live == 0);
  return check_done("hlo_shape");
}
