/*
** Tests of what counts as a matrix multiply, and which of the chip's peaks it is held against:
** mpg_hlo_class of ext/program/hlo/hlo_cost.c.
*/
#include "hlo_priced.h"

/* Which peak a multiply is held against: the wider operand's, the float's of one width. */
static void test_classes(void) {
  static const struct {
    const char *a, *b, *class;
  } pairs[] = {
      {"f32", "f32", "fp32_matrix"}, {"f64", "f32", "fp64_matrix"}, {"f32", "bf16", "fp32_matrix"},
      {"bf16", "s8", "bf16"},        {"f8e4m3fn", "bf16", "bf16"},  {"f16", "f8e5m2", "fp16"},
      {"f8e5m2", "s8", "fp8"},       {"s8", "f8e4m3fnuz", "fp8"},   {"u8", "f4e2m1fn", "int8"},
      {"f4e2m1fn", "s4", "fp4"},     {"u4", "f4e2m1fn", "fp4"},     {"s4", "u4", "int4"},
      {"s32", "s32", "s32"},         {"s8", "s32", "s32"},          {"c64", "c64", "fp32_matrix"},
      {"f64", "pred", "pred"},       {"f8e8m0fnu", "s8", "fp8"},    {"c128", "f64", "fp64_matrix"}};
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
    char text[512];
    priced p;
    unsigned class;
    (void)snprintf(text, sizeof text,
                   "e { a = %s[4,5] parameter(0) b = %s[5,6] parameter(1) ROOT r = f32[4,6] "
                   "dot(a, b), lhs_contracting_dims={1} n = f32[4,6] negate(r) }",
                   pairs[k].a, pairs[k].b);
    price_text(&p, text);
    class = mpg_hlo_class(&p.cost, named(&p, "r"));
    CHECK(class < MPG_HLO_CLASSES && strcmp(mpg_hlo_class_name(class), pairs[k].class) == 0);
    if (class < MPG_HLO_CLASSES && strcmp(mpg_hlo_class_name(class), pairs[k].class) != 0)
      (void)fprintf(stderr, "  %s x %s: %s\n", pairs[k].a, pairs[k].b, mpg_hlo_class_name(class));
    /* A complex factor has two parts. */
    CHECK(p.cost.matmul[class] ==
          2LL * 24 * 5 * (pairs[k].a[0] == 'c' ? 2 : 1) * (pairs[k].b[0] == 'c' ? 2 : 1));
    CHECK(mpg_hlo_class(&p.cost, named(&p, "n")) == MPG_HLO_CLASSES);
    done(&p);
  }
  {
    priced p;
    price_text(&p, "e { a = f32[4] parameter(0) ROOT r = f32[4] dot(a), lhs_contracting_dims={} }");
    CHECK(mpg_hlo_class(&p.cost, named(&p, "r")) == MPG_HLO_CLASSES); /* a product of what? */
    done(&p);
  }
}

/* An algorithm says in what a product is computed; one of several products, or none that is known,
** that the operands' types count. */
static void test_algorithms(void) {
  static const struct {
    const char *type, *algorithm, *class;
  } of[] = {{"f32", "dot_tf32_tf32_f32", "tf32"},
            {"f32", "dot_bf16_bf16_f32", "bf16"},
            {"f32", "dot_bf16_bf16_f32_x3", "fp32_matrix"},
            {"f32", "dot_bf16_bf16_f32_x9", "fp32_matrix"},
            {"bf16", "dot_f32_f32_f32", "fp32_matrix"},
            {"f8e5m2", "dot_any_f8_any_f8_f32", "fp8"},
            {"f8e5m2", "dot_any_f8_any_f8_f32_fast_accum", "fp8"},
            {"f64", "dot_f64_f64_f64", "fp64_matrix"},
            {"bf16", "dot_new_new_f32", "bf16"},
            {"bf16", "dot_f32", "bf16"},
            {"bf16", "dot_any_", "bf16"},
            {"bf16", "dot_", "bf16"},
            {"bf16", "_x3", "bf16"},
            {"bf16", "unset", "bf16"}};
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    char text[512];
    priced p;
    const char *class;
    (void)snprintf(text, sizeof text,
                   "e { a = %s[4,5] parameter(0) b = %s[5,6] parameter(1) ROOT r = f32[4,6] "
                   "dot(a, b), lhs_contracting_dims={1}, algorithm=%s }",
                   of[k].type, of[k].type, of[k].algorithm);
    price_text(&p, text);
    class = mpg_hlo_class_name(mpg_hlo_class(&p.cost, named(&p, "r")));
    CHECK(strcmp(class, of[k].class) == 0);
    if (strcmp(class, of[k].class) != 0)
      (void)fprintf(stderr, "  %s of %s: %s\n", of[k].algorithm, of[k].type, class);
    done(&p);
  }
}

static void test_what_multiplies(void) {
  static const struct {
    const char *root;
    bool is_matmul;
  } of[] = {
      {"f32[4,4] dot(a, a), lhs_contracting_dims={1}", true},
      {"f32[4,4] ragged-dot(a, a, g), lhs_contracting_dims={1}", true},
      {"f32[4,4] convolution(a, a), dim_labels=bf_io->bf", true},
      {"f32[4,4] custom-call(a, a), custom_call_target=\"__cublas$gemm\", "
       "backend_config={\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"]}}",
       true},
      {"f32[4,4] custom-call(a, a), custom_call_target=\"__cublas$gemm\"", false}, /* of what? */
      {"f32[4,4] custom-call(a, a), custom_call_target=\"Sharding\"", false},
      {"f32[4,4] custom-call(a, a), custom_call_target=\"anyone's\"", false},
      {"f32[4,4] multiply(a, a)", false},
      {"f32[4,4] fusion(a), kind=kLoop, calls=f", false}, /* the dot in it is */
  };
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    char text[1024];
    priced p;
    (void)snprintf(text, sizeof text,
                   "f { x = f32[4,4] parameter(0) ROOT y = f32[4,4] dot(x, x), "
                   "lhs_contracting_dims={1} }\n"
                   "ENTRY e { a = f32[4,4] parameter(0) g = s32[1] parameter(1) ROOT r = %s }",
                   of[k].root);
    price_text(&p, text);
    CHECK(price_of(&p, "r")->is_matmul == of[k].is_matmul);
    if (price_of(&p, "r")->is_matmul != of[k].is_matmul)
      (void)fprintf(stderr, "  %s\n", of[k].root);
    done(&p);
  }
}

int main(void) {
  test_classes();
  test_algorithms();
  test_what_multiplies();
  return check_done("hlo_class");
}
