/* Tests of ext/program/op_cost.c by hand: products, convolutions, attention, types, and the ends
** of what may be. */
#include "op_priced.h"

static void test_products(void) {
  price("aten::mm", "[[2, 3], [3, 5]]", NULL, NULL, 60, -1);
  price("mm", "[[2, 3], [3, 5]]", "[\"float\", \"float\"]", NULL, 60, 4 * (6 + 15 + 10));
  price("aten::mm", " [ [ 2 ,3 ] , [3,5] ] ", "[\"c10::Half\",\"double\"]", NULL, 60,
        2 * 6 + 8 * 15 + 8 * 10);
  price("aten::mm", "[[2, 3], [3, 5]]", "[\"float\", \"strange\"]", NULL, 60, -1);
  price("aten::mm", "[[0, 3], [3, 5]]", NULL, NULL, 0, -1);
  price("aten::addmm", "[[5], [2, 3], [3, 5], [], []]",
        "[" BF16 "," BF16 "," BF16 ",\"Scalar\",\"Scalar\"]", NULL, 60 + 10, 2 * (5 + 6 + 15 + 10));
  price("aten::bmm", "[[7, 2, 3], [7, 3, 5]]", NULL, NULL, 420, -1);
  price("aten::baddbmm", "[[7, 2, 5], [7, 2, 3], [7, 3, 5], [], []]", NULL, NULL, 420 + 70, -1);
  price("aten::addbmm", "[[2, 5], [7, 2, 3], [7, 3, 5]]", "[\"float\",\"float\",\"float\"]", NULL,
        420 + 10, 4 * (10 + 42 + 105 + 10));
  price("aten::mv", "[[2, 3], [3]]", NULL, NULL, 12, -1);
  price("aten::addmv", "[[2], [2, 3], [3]]", NULL, NULL, 14, -1);
  price("aten::dot", "[[3], [3]]", NULL, NULL, 6, -1);
  price("aten::_scaled_mm", "[[16, 32], [32, 16], [], [], [], [], []]", NULL, NULL, 16384, -1);
  price("aten::matmul", "[[5, 1, 2, 3], [7, 3, 4]]", NULL, NULL, 5 * 7 * 2 * 2 * 3 * 4, -1);
  price("aten::matmul", "[[3], [7, 3, 4]]", NULL, NULL, 7 * 2 * 3 * 4, -1);
  price("aten::matmul", "[[7, 2, 3], [3]]", NULL, NULL, 7 * 2 * 2 * 3, -1);
  price("aten::linear", "[[7, 2, 3], [4, 3], [4]]", "[\"float\",\"float\",\"float\"]", NULL,
        7 * 2 * 2 * 3 * 4 + 56, 4 * (42 + 12 + 4 + 56));
  price("aten::linear", "[[7, 2, 3], [4, 3], []]", NULL, NULL, 7 * 2 * 2 * 3 * 4, -1);
  no_price("aten::mm", "[[2, 3], [4, 5]]", NULL);
  no_price("aten::mm", "[[2, 3]]", NULL);
  no_price("aten::matmul", "[[2, 2, 3], [5, 3, 4]]", NULL);
  no_price("aten::linear", "[[2, 3], [4, 5]]", NULL);
  no_price("aten::add", "[[2, 3], [2, 3]]", NULL);
  no_price("", "[[2, 3], [3, 5]]", NULL);
}

static void test_convolutions(void) {
  static const char types[] = "[\"float\",\"float\",\"float\"]";
  /* 1 image of 3 x 8 x 8, 4 kernels of 3 x 3 x 3: 6 x 6 out */
  static const char dims[] = "[[1, 3, 8, 8], [4, 3, 3, 3], [4], [], [], [], [], [], []]";
  price("aten::convolution", dims, types,
        "[\"\",\"\",\"\",\"[1, 1]\",\"[0, 0]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"]",
        2 * 144 * 27, 4 * (192 + 108 + 144));
  price("aten::convolution", dims, types,
        "[\"\",\"\",\"\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"]", 2 * 64 * 27,
        4 * (192 + 108 + 64));
  price("aten::convolution", dims, NULL,
        "[\"\",\"\",\"\",\"[1]\",\"[2]\",\"[2]\",\"False\",\"[0]\",\"1\"]", 2 * 4 * 64 * 27, -1);
  /* groups: a kernel sees the channels of its group */
  price("aten::conv2d", "[[1, 4, 5, 5], [4, 1, 3, 3], []]", NULL,
        "[\"\",\"\",\"\",\"[1, 1]\",\"[1, 1]\",\"[1, 1]\",\"4\"]", 2 * 100 * 9, -1);
  price("aten::conv1d", "[[2, 3, 10], [6, 3, 4], [6]]", NULL,
        "[\"\",\"\",\"\",\"[2]\",\"[0]\",\"[1]\",\"1\"]", 2 * 2 * 6 * 4 * 12, -1);
  price("aten::cudnn_convolution", "[[1, 3, 8, 8], [4, 3, 3, 3], [], [], [], [], [], [], []]", NULL,
        "[\"\",\"\",\"[1, 1]\",\"[2, 2]\",\"[1, 1]\",\"1\",\"False\",\"False\",\"True\"]",
        2 * 64 * 27, -1);
  price("aten::miopen_convolution", "[[1, 3, 8, 8], [4, 3, 3, 3], [], [], [], [], []]", NULL,
        "[\"\",\"\",\"\",\"[1, 1]\",\"[2, 2]\",\"[1, 1]\",\"1\"]", 2 * 64 * 27, -1);
  /* transposed: each element of the input meets every kernel element */
  price("aten::convolution", "[[1, 3, 4, 4], [3, 5, 2, 2], []]", "[\"float\",\"float\",\"\"]",
        "[\"\",\"\",\"\",\"[2, 2]\",\"[0, 0]\",\"[1, 1]\",\"True\",\"[0, 0]\",\"1\"]", 2 * 48 * 20,
        4 * (48 + 60 + 5 * 64));
  price("aten::convolution_backward",
        "[[1, 4, 6, 6], [1, 3, 8, 8], [4, 3, 3, 3], [], [], [], [], [], [], [], []]", NULL,
        "[\"\",\"\",\"\",\"[4]\",\"[1, 1]\",\"[0, 0]\",\"[1, 1]\",\"False\",\"[0, "
        "0]\",\"1\",\"[True, True, True]\"]",
        2 * 2 * 144 * 27, -1);
  price("aten::convolution_backward",
        "[[1, 4, 6, 6], [1, 3, 8, 8], [4, 3, 3, 3], [], [], [], [], [], [], [], []]", NULL,
        "[\"\",\"\",\"\",\"[4]\",\"[1, 1]\",\"[0, 0]\",\"[1, 1]\",\"False\",\"[0, "
        "0]\",\"1\",\"[False, True, False]\"]",
        2 * 144 * 27, -1);
  no_price("aten::convolution", dims, NULL);
  no_price("aten::convolution", "[[1, 3, 2, 2], [4, 3, 3, 3], []]",
           "[\"\",\"\",\"\",\"[1, 1]\",\"[0, 0]\",\"[1, 1]\",\"False\"]");
  no_price("aten::convolution", dims,
           "[\"\",\"\",\"\",\"[0, 1]\",\"[0, 0]\",\"[1, 1]\",\"False\"]");
}

static void test_attention(void) {
  static const char dims[] = "[[2, 4, 16, 8], [2, 4, 32, 8], [2, 4, 32, 6], [], [], [], []]";
  static const char types[] = "[" BF16 "," BF16 "," BF16 "]";
  const long long scores = 2LL * 4 * 16 * 32;
  price("aten::_scaled_dot_product_flash_attention", dims, types,
        "[\"\",\"\",\"\",\"0.\",\"False\",\"False\",\"\"]", 2 * scores * 14,
        2 * (1024 + 2048 + 1536 + 768));
  price("aten::_scaled_dot_product_flash_attention", dims, NULL,
        "[\"\",\"\",\"\",\"0.\",\"True\",\"False\",\"\"]", (2 * 512 - 16 * 16) * 8 * 14, -1);
  price("aten::_scaled_dot_product_flash_attention", dims, NULL, NULL, 2 * scores * 14, -1);
  price("aten::scaled_dot_product_attention", dims, NULL,
        "[\"\",\"\",\"\",\"\",\"0.\",\"True\",\"\"]", 16 * 16 * 8 * 14, -1);
  price("aten::_scaled_dot_product_efficient_attention", dims, NULL,
        "[\"\",\"\",\"\",\"\",\"True\",\"0.\",\"False\",\"\"]", 2 * scores * 14, -1);
  price("aten::_flash_attention_forward",
        "[[2, 16, 4, 8], [2, 32, 4, 8], [2, 32, 4, 6], [], [], [], [], [], [], []]", NULL,
        "[\"\",\"\",\"\",\"\",\"\",\"16\",\"32\",\"0.\",\"True\",\"False\"]",
        (2 * 512 - 16 * 16) * 8 * 14, -1);
  price("aten::_efficient_attention_forward", "[[2, 16, 4, 8], [2, 32, 4, 8], [2, 32, 4, 6]]", NULL,
        "[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"0.\",\"1\"]", 16 * 16 * 8 * 14, -1);
  price("aten::_scaled_dot_product_flash_attention_backward",
        "[[2, 4, 16, 6], [2, 4, 16, 8], [2, 4, 32, 8], [2, 4, 32, 6]]", NULL,
        "[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"0.\",\"False\"]",
        2 * scores * (24 + 12), -1);
  no_price("aten::_flash_attention_forward", "[[512, 4, 8], [512, 4, 8], [512, 4, 8]]", NULL);
  no_price("aten::_scaled_dot_product_flash_attention",
           "[[2, 4, 16, 8], [2, 4, 32, 7], [2, 4, 32, 6]]", NULL);
}

static void test_odd(void) {
  static const char *const bad[] = {"",
                                    "[",
                                    "[[2, 3]",
                                    "{}",
                                    "[[2, 3], [3, 5]",
                                    "[[2,]",
                                    "[[-2, 3], [3, 5]]",
                                    "[\"a\", \"b\"]",
                                    "null",
                                    "[[2.5, 3], [3, 5]]"};
  char many[1000];
  size_t n = 0;
  mpg_op_cost cost;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    no_price("aten::mm", bad[i], NULL);
  many[n++] = '[';
  while (n < sizeof many - 20)
    n += (size_t)snprintf(many + n, 10, "[2, 3], ");
  (void)snprintf(many + n, 10, "[]]");
  no_price("aten::mm", many, NULL);
  no_price("aten::mm", "[[2, 3, 1, 1, 1, 1, 1, 1, 1], [3, 5]]", NULL);
  /* The largest tensors there may be, and larger ones. */
  CHECK(mpg_op_cost_of(MPG_STR("mm"), MPG_STR("[[1048576, 1048576], [1048576, 1048576]]"),
                       text(NULL), text(NULL), &cost));
  CHECK(cost.flops == (mpg_i128)2 << 60);
  CHECK(mpg_op_cost_of(MPG_STR("mm"), MPG_STR("[[1, 1099511627776], [1099511627776, 1]]"),
                       text(NULL), text(NULL), &cost));
  no_price("mm", "[[1048576, 1048577], [1048577, 1048576]]", NULL);
  no_price("mm", "[[0, 9999999999999], [9999999999999, 0]]", NULL);
  no_price("aten::matmul", "[[1099511627776, 1099511627776, 0], [0, 5]]", NULL);
  no_price("aten::convolution", "[[1, 1, 1099511627776], [1, 1, 1]]",
           "[\"\",\"\",\"\",\"[1048576]\",\"[0]\",\"[1]\",\"True\"]");
}

static void test_types(void) {
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
               {"signed char", 1},
               {"unsigned char", 1},
               {"bool", 1},
               {"short", 2},
               {"short int", 2},
               {"int", 4},
               {"long", 8},
               {"long int", 8},
               {"c10::complex<float>", 8},
               {"c10::complex<double>", 16},
               {"", 0},
               {"Float", 0}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    CHECK(mpg_op_type_size(mpg_str_of(types[i].name)) == types[i].size);
}

/* ---- Ends of what may be ---- */

/* An array of n arguments, of which the first is `first`. */
static const char *array(const char *first, int n) {
  static char out[400];
  size_t at = (size_t)snprintf(out, sizeof out, "[%s", first);
  for (int i = 1; i < n; i++)
    at += (size_t)snprintf(out + at, sizeof out - at, ",[3]");
  (void)snprintf(out + at, sizeof out - at, "]");
  return out;
}

static void test_arguments(void) {
  static const char dims[] = "[[1, 1, 3], [1, 1, 3]]";
  price("dot", array("[3]", 40), NULL, NULL, 6, -1);
  no_price("dot", array("[3]", 41), NULL);
  no_price("dot", "[[3], [3]]", array("[3]", 41));
  price("dot", "[[3], [3]]", array("[3]", 40), NULL, 6, -1);
  CHECK(!mpg_op_cost_of(MPG_STR("dot"), MPG_STR("[[3], [3]]"), mpg_str_of(array("[3]", 41)),
                        text(NULL), &(mpg_op_cost){0, 0}));
  /* Space of any kind, within and around. */
  price("dot", "\n\t\r [\r[\t3\n]\n,\t[ 3\r]\t]\n", "[\n\"float\"\r,\t\"float\" ]", NULL, 6, 28);
  /* Brackets, commas and quotes that are text, and those of other values. */
  price("convolution", dims, NULL, "[\"],[\", \"a\\\",\", \"\\\\\", \"[1]\", \"[0]\", \"[1]\"]", 6,
        -1);
  price("convolution", dims, NULL, "[(1, 2], {\"a\": [1, 2]}, [[], []], [1], [0], [1]]", 6, -1);
  price("convolution", dims, NULL, "[{1, 2), {}, (), [1], [0], [1]]", 6, -1);
  no_price("convolution", dims, "[1, 2, [1], [0], [1]]");
  no_price("convolution", dims, "[\"\", \"\", \"\", \"[1]\", \"[0]\", \"[1]\"");
  no_price("convolution", dims, "[\"\", \"\", \"\", \"[1]\", \"[0]\"]");
  no_price("convolution", dims, "[\"\", \"\", \"\", \"\", \"[0]\", \"[1]\"]");
  no_price("mm", "[[2, 3], [3, 5], [3, 5]", NULL);
  no_price("mm", "[[2, 3], [3, ]]", NULL);
  no_price("mm", "[[2, 3], [, 3]]", NULL);
  /* An array ends where its text does, whatever stands behind that. */
  CHECK(!mpg_op_cost_of(MPG_STR("dot"), (mpg_str){"[[3], [3]]", 9}, text(NULL), text(NULL),
                        &(mpg_op_cost){0, 0}));
  CHECK(mpg_op_cost_of(MPG_STR("dot"), (mpg_str){"[[3], [3]]", 10}, text(NULL), text(NULL),
                       &(mpg_op_cost){0, 0}));
  /* As many types and values as were given, or none: what lacks one has no bytes. */
  price("dot", "[[3], [3]]", "[]", "[]", 6, -1);
  price("linear", "[[3], [5, 3], [5]]", "[\"float\", \"float\"]", NULL, 35, -1);
  price("linear", "[[3], [5, 3]]", "[\"float\", \"float\"]", NULL, 30, 4 * 23);
}

static void test_ends(void) {
  /* Strides, paddings and dilations that are too large, too small, or not there. */
  static const char *const no_steps[] = {"3=1048577 4=0 5=1", "3=[1048577] 4=0 5=1", "3=0 4=0 5=1",
                                         "3=1 4=-1 5=1", "3=[] 4=0 5=1"};
  char concrete[1000];
  /* 2^40 elements, 2^20 of a step. */
  price("dot", "[[1099511627776], [1099511627776]]", NULL, NULL, 2LL << 40, -1);
  no_price("dot", "[[1099511627777], [1099511627777]]", NULL);
  price("mm", "[[0, 1099511627776], [1099511627776, 1]]", NULL, NULL, 0, -1);
  no_price("mm", "[[2, 1099511627776], [1099511627776, 0]]", NULL);
  price("dot", "[[2, 2, 2, 2, 2, 2, 2, 2], [2]]", NULL, NULL, 2LL * 256, -1);
  arguments("3=1048576 4=[1048576] 5=[1048576]", "", concrete, sizeof concrete);
  price("conv1d", "[[1, 1, 1], [1, 1, 3]]", NULL, concrete, 2LL * 3, -1);
  for (size_t k = 0; k < sizeof no_steps / sizeof *no_steps; k++) {
    arguments(no_steps[k], "", concrete, sizeof concrete);
    no_price("conv1d", "[[1, 1, 9], [1, 1, 3]]", concrete);
  }
  arguments("3=[1,1,1] 4=0 5=1", "", concrete, sizeof concrete); /* of two dimensions */
  no_price("conv2d", "[[1, 1, 3, 3], [1, 1, 3, 3]]", concrete);
  /* Steps of two dimensions differ: (9 - 3) / 2 + 1 = 4 and (9 + 2 - 5 - 1 + 1) / 3 + 1 = 3
  ** places. */
  arguments("3=[2,3] 4=[0,1] 5=[1,2]", "", concrete, sizeof concrete);
  price("conv2d", "[[1, 1, 9, 9], [1, 1, 3, 3]]", NULL, concrete, 2LL * 12 * 9, -1);
  /* A place for the kernel: none, one; of a transposed one fewer than 2^40. */
  arguments("3=1 4=0 5=2 6=true", "", concrete, sizeof concrete);
  price("convolution", "[[1, 1, 1099511627776], [1, 1, 1]]", NULL, concrete, 2LL << 40, -1);
  no_price("convolution", "[[1, 1, 1099511627775], [1, 1, 2]]", concrete);
  price("convolution", "[[1, 1, 1099511627774], [1, 1, 2]]", NULL, concrete,
        2LL * 1099511627774 * 2, -1);
  arguments("3=1 4=1 5=1 6=true", "", concrete, sizeof concrete);
  price("convolution", "[[1, 1, 3], [1, 1, 1]]", NULL, concrete, 6, -1);
  no_price("convolution", "[[1, 1, 2], [1, 1, 1]]", concrete);
  /* Results up to 2^80 before the last dimension: 4 times 2^20, and twice that. */
  arguments("3=1 4=0 5=[1048575,1048575,1048575,1048575,1] 6=true", "", concrete, sizeof concrete);
  price("convolution", "[[1, 1, 1, 1, 1, 1, 1], [1, 1, 2, 2, 2, 2, 2]]", NULL, concrete, 64, -1);
  no_price("convolution", "[[2, 1, 1, 1, 1, 1, 1], [1, 1, 2, 2, 2, 2, 2]]", concrete);
  /* Ranks: a batch may lack, space may not. */
  arguments("3=1 4=0 5=1 6=False", "", concrete, sizeof concrete);
  price("convolution", "[[2, 3], [1, 2, 3]]", NULL, concrete, 2LL * 2 * 3, -1);
  no_price("convolution", "[[1, 2, 1, 3], [1, 2, 3]]", concrete);
  no_price("convolution", "[[3], [1, 3]]", concrete);
  no_price("convolution", "[[3], [3]]", concrete);
  arguments("7=False 10=[True,True,False]", "", concrete, sizeof concrete);
  price("convolution_backward", "[[5], [5], [1, 1, 3]]", NULL, concrete, 2LL * 2 * 5 * 3, -1);
  no_price("convolution_backward", "[[], [5], [1, 1, 3]]", concrete);
  no_price("convolution_backward", "[[5], [], [1, 1, 3]]", concrete);
  /* A batch of ones on either side, and the larger of both. */
  price("matmul", "[[2, 1, 1, 3], [1, 4, 3, 1]]", NULL, NULL, 2LL * 2 * 4 * 3, -1);
  price("matmul", "[[0, 1, 3], [1, 3, 1]]", NULL, NULL, 0, -1);
  no_price("matmul", "[[2, 1, 3], [3, 3, 1]]", NULL);
  /* One matrix out of a batch of one. */
  price("addbmm", "[[2, 5], [1, 2, 3], [1, 3, 5]]", "[\"float\",\"float\",\"float\"]", NULL,
        60 + 10, 4 * (10 + 6 + 15 + 10));
}

/* Random bytes of the grammar's own characters: no overflow, no read past the end. */
static void test_noise(void) {
  static const char alphabet[] = "[[]],\" 1234567890";
  static const char *const names[] = {"mm",
                                      "matmul",
                                      "linear",
                                      "convolution",
                                      "addbmm",
                                      "_scaled_dot_product_flash_attention",
                                      "convolution_backward"};
  uint32_t seed = 7;
  for (int round = 0; round < 20000; round++) {
    mpg_op_cost cost;
    char *bytes[3];
    size_t n[3];
    for (int t = 0; t < 3; t++) {
      seed = seed * 1664525 + 1013904223;
      n[t] = (seed >> 16) % 40;
      bytes[t] = malloc(n[t] + (n[t] == 0)); /* with nothing behind it */
      for (size_t i = 0; i < n[t]; i++) {
        seed = seed * 1664525 + 1013904223;
        bytes[t][i] = alphabet[(seed >> 16) % (sizeof alphabet - 1)];
      }
    }
    (void)mpg_op_cost_of(mpg_str_of(names[round % 7]), (mpg_str){bytes[0], n[0]},
                         (mpg_str){bytes[1], n[1]}, (mpg_str){bytes[2], n[2]}, &cost);
    for (int t = 0; t < 3; t++)
      free(bytes[t]);
  }
  CHECK(true);
}

/* As C++ has them on 64-bit Linux, and IEEE 754 and OCP's 8-bit formats. */
static void test_sizes(void) {
  static const struct {
    const char *name;
    size_t size;
  } types[] = {{"float", sizeof(float)},
               {"double", sizeof(double)},
               {"signed char", sizeof(signed char)},
               {"unsigned char", sizeof(unsigned char)},
               {"bool", sizeof(bool)},
               {"short", sizeof(int16_t)},
               {"short int", sizeof(int16_t)},
               {"int", sizeof(int32_t)},
               {"long", sizeof(int64_t)},
               {"long int", sizeof(int64_t)},
               {"c10::complex<float>", 2 * sizeof(float)},
               {"c10::complex<double>", 2 * sizeof(double)},
               {"c10::Half", (1 + 5 + 10) / 8}, /* sign, exponent, mantissa */
               {"c10::BFloat16", (1 + 8 + 7) / 8},
               {"c10::Float8_e4m3fn", (1 + 4 + 3) / 8},
               {"c10::Float8_e4m3fnuz", (1 + 4 + 3) / 8},
               {"c10::Float8_e5m2", (1 + 5 + 2) / 8},
               {"c10::Float8_e5m2fnuz", (1 + 5 + 2) / 8}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    CHECK((size_t)mpg_op_type_size(mpg_str_of(types[i].name)) == types[i].size);
  CHECK(mpg_op_type_size(MPG_STR("no")) == 0 && mpg_op_type_size(MPG_STR("")) == 0);
}

int main(void) {
  test_products();
  test_convolutions();
  test_attention();
  test_odd();
  test_types();
  test_arguments();
  test_ends();
  test_noise();
  test_sizes();
  return check_done("op_cost");
}
