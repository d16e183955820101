/* Tests of ext/core/op_cost.c. */
#include "check.h"
#include "../../ext/core/op_cost.h"

#include <stdlib.h>

#define BF16 "\"c10::BFloat16\""

static mpg_str text(const char *z) {
  return z == NULL ? (mpg_str){NULL, 0} : mpg_str_of(z);
}

static void price(const char *name, const char *dims, const char *types, const char *concrete,
                  long long flops, long long bytes) {
  mpg_op_cost cost;
  bool known = mpg_op_cost_of(text(name), text(dims), text(types), text(concrete), &cost);
  CHECK(known && cost.flops == flops && cost.bytes == bytes);
  if (!known || cost.flops != flops || cost.bytes != bytes)
    (void)fprintf(stderr, "  %s %s: %lld FLOPs, %lld bytes\n", name, dims,
                  known ? (long long)cost.flops : -9, known ? (long long)cost.bytes : -9);
}

static void no_price(const char *name, const char *dims, const char *concrete) {
  mpg_op_cost cost;
  CHECK(!mpg_op_cost_of(text(name), text(dims), text(NULL), text(concrete), &cost));
}

static void test_products(void) {
  price("aten::mm", "[[2, 3], [3, 5]]", NULL, NULL, 60, -1);
  price("mm", "[[2, 3], [3, 5]]", "[\"float\", \"float\"]", NULL, 60, 4 * (6 + 15 + 10));
  price("aten::mm", " [ [ 2 ,3 ] , [3,5] ] ", "[\"c10::Half\",\"double\"]", NULL, 60,
        2 * 6 + 8 * 15 + 2 * 10);
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
        "[\"\",\"\",\"\",\"0.\",\"True\",\"False\",\"\"]", scores * 14, -1);
  price("aten::_scaled_dot_product_flash_attention", dims, NULL, NULL, 2 * scores * 14, -1);
  price("aten::scaled_dot_product_attention", dims, NULL,
        "[\"\",\"\",\"\",\"\",\"0.\",\"True\",\"\"]", scores * 14, -1);
  price("aten::_scaled_dot_product_efficient_attention", dims, NULL,
        "[\"\",\"\",\"\",\"\",\"True\",\"0.\",\"False\",\"\"]", 2 * scores * 14, -1);
  price("aten::_flash_attention_forward",
        "[[2, 16, 4, 8], [2, 32, 4, 8], [2, 32, 4, 6], [], [], [], [], [], [], []]", NULL,
        "[\"\",\"\",\"\",\"\",\"\",\"16\",\"32\",\"0.\",\"True\",\"False\"]", scores * 14, -1);
  price("aten::_efficient_attention_forward", "[[2, 16, 4, 8], [2, 32, 4, 8], [2, 32, 4, 6]]", NULL,
        "[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"0.\",\"1\"]", scores * 14, -1);
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
      bytes[t] = malloc(n[t] + 1);
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

int main(void) {
  test_products();
  test_convolutions();
  test_attention();
  test_odd();
  test_noise();
  CHECK(mpg_op_type_size(MPG_STR("c10::BFloat16")) == 2 && mpg_op_type_size(MPG_STR("no")) == 0);
  return check_done("op_cost");
}
