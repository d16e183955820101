/* Tests of ext/program/op_cost.c: every operator, and the place of every argument. */
#include "op_priced.h"

/* 3 sequences of 2 x 20, 5 kernels of 2 x 3, in steps of 2, with 3 of padding, 4 apart:
** (20 + 2 * 3 - 4 * (3 - 1) - 1) / 2 + 1 = 9 places. */
static void test_every_convolution(void) {
  static const struct {
    const char *name, *given;
  } all[] = {{"aten::convolution", "3=[2] 4=[3] 5=[4] 6=False"},
             {"aten::_convolution", "3=[2] 4=[3] 5=[4] 6=False"},
             {"aten::convolution_overrideable", "3=[2] 4=[3] 5=[4] 6=False"},
             {"aten::conv1d", "3=[2] 4=[3] 5=[4]"},
             {"aten::conv2d", "3=[2] 4=[3] 5=[4]"},
             {"aten::conv3d", "3=[2] 4=[3] 5=[4]"},
             {"aten::cudnn_convolution_relu", "3=[2] 4=[3] 5=[4]"},
             {"aten::miopen_convolution_relu", "3=[2] 4=[3] 5=[4]"},
             {"aten::cudnn_convolution", "2=[3] 3=[2] 4=[4]"},
             {"aten::miopen_convolution", "3=[3] 4=[2] 5=[4]"},
             {"aten::mkldnn_convolution", "3=[3] 4=[2] 5=[4]"}};
  char concrete[1000];
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    arguments(all[i].given, "True", concrete, sizeof concrete);
    price(all[i].name, "[[3, 2, 20], [5, 2, 3]]", "[\"float\", \"c10::Half\"]", concrete,
          2LL * 3 * 5 * 9 * 2 * 3, 4 * 120 + 2 * 30 + 4 * (3 * 5 * 9));
  }
  /* A single number stands for each dimension, and without a batch there is one image. */
  arguments("3=2 4=1 5=1 6=False", "", concrete, sizeof concrete);
  price("convolution", "[[2, 9, 11], [5, 2, 3, 3]]", NULL, concrete, 2LL * 5 * 5 * 6 * 2 * 9, -1);
  /* Transposed: (n - 1) stride - 2 padding + dilation (k - 1) + 1 = 19 * 2 - 6 + 8 + 1 = 41
  ** places. */
  arguments("3=[2] 4=[3] 5=[4] 6=true", "", concrete, sizeof concrete);
  price("convolution", "[[3, 2, 20], [2, 5, 3]]", "[\"float\", \"float\"]", concrete,
        2LL * 120 * 5 * 3, 4 * (120 + 30 + 3 * 5 * 41));
  /* As large as it may be, and too small. */
  arguments("3=[1] 4=[0] 5=[1] 6=False", "", concrete, sizeof concrete);
  price("convolution", "[[1, 1, 3], [1, 1, 3]]", NULL, concrete, 2LL * 3, -1);
  no_price("convolution", "[[1, 1, 2], [1, 1, 3]]", concrete);
  no_price("convolution", "[[1, 1, 3], [1, 1, 0]]", concrete);
  no_price("convolution", "[[1, 3], [1, 3]]", concrete);
  no_price("convolution", "[[3], [1, 1, 3]]", concrete);
  no_price("convolution", "[[1, 1, 1, 3], [1, 1, 3]]", concrete);
  arguments("3=[1,1] 4=[0] 5=[1] 6=False", "", concrete, sizeof concrete);
  no_price("convolution", "[[1, 1, 3], [1, 1, 3]]", concrete);
  arguments("3=[1] 4=[-1] 5=[1] 6=False", "", concrete, sizeof concrete);
  no_price("convolution", "[[1, 1, 3], [1, 1, 3]]", concrete);
  arguments("3=[1] 4=[0] 5=[0] 6=False", "", concrete, sizeof concrete);
  no_price("convolution", "[[1, 1, 3], [1, 1, 3]]", concrete);

  /* Backward: gradient [3, 5, 9]; bytes of what is read, and of the gradients that are wanted. */
  {
    static const char dims[] = "[[3, 5, 9], [3, 2, 20], [5, 2, 3]]",
                      types[] = "[\"float\", \"double\", \"c10::Half\"]";
    const long long read = 4LL * 135 + 8 * 120 + 2 * 30, one = 2LL * 135 * 2 * 3;
    arguments("7=False 10=[True,True,False]", "", concrete, sizeof concrete);
    price("convolution_backward", dims, types, concrete, 2 * one, read + 8 * 120 + 2 * 30);
    arguments("7=False 10=[True,False,True]", "True", concrete, sizeof concrete);
    price("convolution_backward", dims, types, concrete, one, read + 8 * 120);
    arguments("7=False 10=[False,True,True]", "True", concrete, sizeof concrete);
    price("convolution_backward", dims, types, concrete, one, read + 2 * 30);
    arguments("7=True 10=[False,True,True]", "False", concrete, sizeof concrete);
    price("convolution_backward", "[[3, 5, 41], [3, 2, 20], [2, 5, 3]]", NULL, concrete,
          2LL * 120 * 5 * 3, -1);
    arguments("7=False 10=[True,True]", "", concrete, sizeof concrete);
    no_price("convolution_backward", dims, concrete);
    no_price("convolution_backward", dims, "[\"\", \"\"]");
    arguments("7=False 10=[True,True,False]", "", concrete, sizeof concrete);
    no_price("convolution_backward", "[[3, 5, 9], [3, 2, 20], [5, 2]]", concrete);
  }
}

/* Twice the pairs below a mask's edge, and those on it. */
static long long met(int queries, int keys, int edge) {
  long long n = 0;
  for (int i = 0; i < queries; i++)
    for (int j = 0; j < keys; j++)
      n += j < i + edge ? 2 : j == i + edge;
  return n;
}

/* Of each pair of a query and a key: 2 of either way. */
static void check_masks(const char *name, int causal, int value, bool last, bool heads_last,
                        bool backward) {
  static const int sizes[][2] = {{16, 32}, {32, 16}, {1, 40}, {40, 1}, {24, 24}};
  char concrete[1000], given[32], dims[200], tensor[4][40];
  (void)snprintf(given, sizeof given, value < 0 ? "%d=True" : "%d=%d", causal, value);
  arguments(given, "", concrete, sizeof concrete);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    int queries = sizes[i][0], keys = sizes[i][1];
    for (int t = 0; t < 4; t++) { /* the gradient, query, key, value */
      int n = t < 2 ? queries : keys;
      (void)snprintf(tensor[t], sizeof tensor[t], "[2, %d, %d, %d]", heads_last ? n : 4,
                     heads_last ? 4 : n, t == 0 || t == 3 ? 6 : 8);
    }
    (void)snprintf(dims, sizeof dims, "[%s%s%s, %s, %s]", backward ? tensor[0] : "",
                   backward ? ", " : "", tensor[1], tensor[2], tensor[3]);
    price(name, dims, NULL, concrete,
          2 * 4 * met(queries, keys, last ? keys - queries : 0) *
              (backward ? 3 * 8 + 2 * 6 : 8 + 6),
          -1);
  }
}

static void test_every_attention(void) {
  static const struct {
    const char *name;
    int causal;
    bool last, heads_last, backward;
  } all[] = {
      {"aten::scaled_dot_product_attention", 5, false, false, false},
      {"aten::_scaled_dot_product_attention_math", 5, false, false, false},
      {"aten::_scaled_dot_product_flash_attention", 4, true, false, false},
      {"aten::_scaled_dot_product_flash_attention_for_cpu", 4, false, false, false},
      {"aten::_scaled_dot_product_efficient_attention", 6, false, false, false},
      {"aten::_scaled_dot_product_cudnn_attention", 6, false, false, false},
      {"aten::_scaled_dot_product_fused_attention_overrideable", 5, false, false, false},
      {"aten::_flash_attention_forward", 8, true, true, false},
      {"aten::_efficient_attention_forward", 9, false, true, false},
      {"flash_attn::_flash_attn_forward", 5, true, true, false},
      {"flash_attn_3::fwd", 24, true, true, false},
      {"flash_attn_3::bwd", 16, true, true, true},
      {"aten::_scaled_dot_product_flash_attention_backward", 11, true, false, true},
      {"aten::_scaled_dot_product_efficient_attention_backward", 11, false, false, true},
      {"aten::_scaled_dot_product_cudnn_attention_backward", 14, false, false, true},
      {"aten::_scaled_dot_product_fused_attention_overrideable_backward", 13, false, false, true},
      {"aten::_flash_attention_backward", 11, true, true, true},
      {"flash_attn::_flash_attn_backward", 11, true, true, true}};
  const long long scores = 2LL * 4 * 16 * 32, q = 2LL * 4 * 16 * 8, k = 2LL * 4 * 32 * 8,
                  v = 2LL * 4 * 32 * 6, result = 2LL * 4 * 16 * 6;
  char concrete[1000], given[32];
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const char *forward = all[i].heads_last ? "[[2, 16, 4, 8], [2, 32, 4, 8], [2, 32, 4, 6]]"
                                            : "[[2, 4, 16, 8], [2, 4, 32, 8], [2, 4, 32, 6]]";
    const char *backward = all[i].heads_last
                               ? "[[2, 16, 4, 6], [2, 16, 4, 8], [2, 32, 4, 8], [2, 32, 4, 6]]"
                               : "[[2, 4, 16, 6], [2, 4, 16, 8], [2, 4, 32, 8], [2, 4, 32, 6]]";
    const char *dims = all[i].backward ? backward : forward;
    const char *types = all[i].backward ? "[\"bool\", \"float\", \"c10::Half\", \"double\"]"
                                        : "[\"float\", \"c10::Half\", \"double\"]";
    long long flops = all[i].backward ? 2 * scores * (3 * 8 + 2 * 6) : 2 * scores * (8 + 6);
    long long bytes = 4 * q + 2 * k + 8 * v;
    bytes = all[i].backward ? 2 * bytes + 4 * 2 * result : bytes + 4 * result;
    check_masks(all[i].name, all[i].causal, all[i].causal == 9 ? 1 : -1, all[i].last,
                all[i].heads_last, all[i].backward);
    (void)snprintf(given, sizeof given, "%d=False", all[i].causal);
    arguments(given, all[i].heads_last ? "" : "True", concrete, sizeof concrete);
    price(all[i].name, dims, types, concrete, flops, bytes);
    no_price(all[i].name, "[[2, 4, 16, 8], [2, 4, 32, 8], [2, 4, 32]]", concrete);
    no_price(all[i].name, "[[2, 4, 16], [2, 4, 32, 8], [2, 4, 32, 6], [2, 4]]", concrete);
    no_price(all[i].name, "[[2, 4, 16], [2, 4, 32, 0], [2, 4, 32, 6], [2, 4, 32, 6]]", concrete);
  }
  /* A mask by number: causal are 1 and 2, of the one operator that has it. */
  check_masks("_efficient_attention_forward", 9, 1, false, true, false);
  check_masks("_efficient_attention_forward", 9, 2, true, true, false);
  for (int mask = 0; mask < 4; mask++) {
    static const char dims[] = "[[2, 16, 4, 8], [2, 32, 4, 8], [2, 32, 4, 6]]";
    (void)snprintf(given, sizeof given, "9=%d", mask);
    arguments(given, "", concrete, sizeof concrete);
    if (mask == 0 || mask == 3)
      price("_efficient_attention_forward", dims, NULL, concrete, 2 * scores * 14, -1);
    (void)snprintf(given, sizeof given, "8=%d", mask);
    arguments(given, "", concrete, sizeof concrete);
    price("_flash_attention_forward", dims, NULL, concrete, 2 * scores * 14, -1);
  }
  no_price("_scaled_dot_product_flash_attention", "[[2, 4, 16, 8], [2, 4, 32, 8], [2, 4, 31, 6]]",
           NULL);
}

/* Signatures of PyTorch until 2.2, and 2.4: a number where those of today have none, or another. */
static void test_older_signatures(void) {
  static const char last[] = "[[2, 16, 4, 8], [2, 32, 4, 8], [2, 32, 4, 6]]";
  static const char heads[] = "[[2, 4, 16, 8], [2, 4, 32, 8], [2, 4, 32, 6]]";
  static const char gradient[] = "[[2, 4, 16, 6], [2, 4, 16, 8], [2, 4, 32, 8], [2, 4, 32, 6]]";
  static const char packed[] =
      "[[2, 4, 16, 6], [2, 4, 16, 8], [2, 4, 32, 8], [2, 4, 32, 6], [], [], [3]]";
  const long long scores = 2LL * 4 * 16 * 32, edge = 2LL * 4 * met(16, 32, 0);
  char concrete[1000];
  for (int stored = 0; stored < 2;
       stored++) { /* the logarithms of sums, with True behind the mask */
    arguments(stored ? "7=0. 8=0 9=True" : "7=0. 8=0 9=False", "", concrete, sizeof concrete);
    price("_efficient_attention_forward", last, NULL, concrete, 2 * scores * 14, -1);
    arguments(stored ? "7=0. 8=1 9=True" : "7=0. 8=1 9=False", "", concrete, sizeof concrete);
    price("_efficient_attention_forward", last, NULL, concrete, edge * 14, -1);
  }
  arguments("8=0. 9=1 10=True", "", concrete, sizeof concrete);
  price("_efficient_attention_forward", last, NULL, concrete, edge * 14, -1);
  arguments("3=0. 4=True 5=False", "", concrete, sizeof concrete);
  price("_scaled_dot_product_cudnn_attention", heads, NULL, concrete, edge * 14, -1);
  arguments("3=0. 4=False 5=True", "", concrete, sizeof concrete);
  price("_scaled_dot_product_cudnn_attention", heads, NULL, concrete, 2 * scores * 14, -1);
  arguments("4=True 5=0. 6=False", "", concrete, sizeof concrete); /* that of today */
  price("_scaled_dot_product_cudnn_attention", heads, NULL, concrete, 2 * scores * 14, -1);
  arguments("8=16 9=32 10=0. 11=True", "", concrete, sizeof concrete);
  price("_scaled_dot_product_cudnn_attention_backward", gradient, NULL, concrete, edge * 36, -1);
  no_price("_scaled_dot_product_cudnn_attention_backward", packed, concrete);
  arguments("11=16 12=32 13=0. 14=True", "", concrete, sizeof concrete);
  price("_scaled_dot_product_cudnn_attention_backward", gradient, NULL, concrete, edge * 36, -1);
  price("_scaled_mm", "[[2, 3], [3, 5]]", "[\"c10::Float8_e4m3fn\", \"c10::Float8_e4m3fn\"]",
        "[\"\", \"\", \"\", \"15\"]", 60, 6 + 15 + 2 * 10);
}

/* Attention of fp8, whose scales stand between the values and the mask, or behind it; the result is
** of bf16. */
static void test_attention_of_fp8(void) {
  static const char heads[] =
      "[[2, 4, 16, 8], [2, 4, 32, 8], [2, 4, 32, 6], [2, 4], [2, 4], [2, 4]]";
  static const char last[] = "[[2, 16, 4, 8], [2, 32, 4, 8], [2, 32, 4, 6]]";
  static const char fp8[] = "[\"c10::Float8_e4m3fn\", \"c10::Float8_e4m3fn\", "
                            "\"c10::Float8_e4m3fn\"]";
  const long long all = 2LL * 2 * 4 * 16 * 32, edge = 2LL * 4 * met(16, 32, 16);
  const long long bytes = 8 * (16 * 8 + 32 * 8 + 32 * 6 + 2 * 16 * 6);
  char concrete[1000];
  arguments("6=0. 7=True 8=False", "", concrete, sizeof concrete);
  price("_scaled_dot_product_flash_attention", heads, fp8, concrete, edge * 14, bytes);
  arguments("6=0. 7=False 8=True", "", concrete, sizeof concrete);
  price("_scaled_dot_product_flash_attention", heads, fp8, concrete, all * 14, bytes);
  arguments("3=0. 4=True 5=False 6=0.125", "", concrete, sizeof concrete); /* a scale, of others */
  price("_scaled_dot_product_flash_attention", heads, NULL, concrete, edge * 14, -1);
  arguments("5=16 6=32 7=0. 8=True 9=False 14=-1 15=-1", "", concrete, sizeof concrete);
  price("_flash_attention_forward", last, fp8, concrete, edge * 14, bytes);
  arguments("5=16 6=32 7=0. 8=True 9=False 14=8 15=0", "", concrete, sizeof concrete);
  no_price("_flash_attention_forward", last, concrete);
}

/* Products that say of which type their result is. */
static void test_results_of_another_type(void) {
  char concrete[1000];
  arguments("2=6", "", concrete, sizeof concrete);
  price("mm", "[[2, 3], [3, 5]]", "[" BF16 ", " BF16 "]", concrete, 60, 2 * (6 + 15) + 4 * 10);
  price("bmm", "[[1, 2, 3], [1, 3, 5]]", "[" BF16 ", " BF16 "]", concrete, 60,
        2 * (6 + 15) + 4 * 10);
  arguments("3=6 4=1 5=0.5", "", concrete, sizeof concrete);
  price("addmm", "[[5], [2, 3], [3, 5]]", "[\"float\", " BF16 ", " BF16 "]", concrete, 70,
        4 * 5 + 2 * (6 + 15) + 4 * 10);
  arguments("3=1 4=1 5=False", "", concrete, sizeof concrete);
  price("_addmm_activation", "[[5], [2, 3], [3, 5]]", "[" BF16 ", " BF16 ", " BF16 "]", concrete,
        70, 2 * (5 + 6 + 15 + 10));
  arguments("3=1 4=1", "", concrete, sizeof concrete);
  price("addmm", "[[5], [2, 3], [3, 5]]", "[" BF16 ", " BF16 ", " BF16 "]", concrete, 70,
        2 * (5 + 6 + 15 + 10));
}

/* FlashAttention 3: lengths and numbers of keys in the places that it has for them, and windows. */
static void test_what_flash_attention_3_leaves_open(void) {
  static const char *const dims[] = {
      "[[2, 16, 4, 8], [2, 32, 4, 8], [2, 32, 4, 6], [], [], [], [], [3]]",
      "[[2, 16, 4, 8], [2, 32, 4, 8], [2, 32, 4, 6], [], [], [], [], [], [], [], [], [2]]"};
  static const char dense[] = "[[2, 16, 4, 8], [2, 32, 4, 8], [2, 32, 4, 6]]";
  static const char gradient[] = "[[2, 16, 4, 6], [2, 16, 4, 8], [2, 32, 4, 8], [2, 32, 4, 6], [2, "
                                 "16, 4, 6], [2, 4, 16], [], [], [], [3], [3]]";
  char concrete[1000];
  arguments("24=False 25=-1 26=-1 27=0", "", concrete, sizeof concrete);
  for (size_t i = 0; i < sizeof dims / sizeof *dims; i++)
    no_price("flash_attn_3::fwd", dims[i], concrete);
  price("flash_attn_3::fwd", dense, NULL, concrete, 2LL * 2 * 4 * 16 * 32 * 14, -1);
  arguments("24=False 25=128 26=0 27=0", "", concrete, sizeof concrete);
  no_price("flash_attn_3::fwd", dense, concrete);
  arguments("16=False 17=-1 18=-1", "", concrete, sizeof concrete);
  no_price("flash_attn_3::bwd", gradient, concrete);
}

/* Of 2.9: lists of scales, and the result's type behind the bias. */
static void test_scaled_by_lists(void) {
  static const char dims[] = "[[2, 3], [3, 5], [[1], [1]], [], [], [[1]], [], [], []]";
  char concrete[1000];
  arguments("9=15", "", concrete, sizeof concrete);
  price("_scaled_mm_v2", dims, "[\"c10::Float8_e4m3fn\", \"c10::Float8_e4m3fn\"]", concrete, 60,
        6 + 15 + 2 * 10);
  price("_scaled_mm_v2", dims, "[\"c10::Float4_e2m1fn_x2\", \"c10::Float4_e2m1fn_x2\"]", concrete,
        120, 6 + 15 + 2 * 10);
  price("_scaled_mm_v2", dims, "[\"c10::Float8_e4m3fn\", \"c10::Float8_e4m3fn\"]", NULL, 60, -1);
}

/* Products of experts: rows of one operand are divided among the matrices of the other, or K is. */
static void test_groups(void) {
  static const char types[] = "[" BF16 ", " BF16 "]", fp8[] = "[\"c10::Float8_e4m3fn\", "
                                                              "\"c10::Float8_e4m3fn\"]";
  const long long flops = 2LL * 7 * 3 * 5;
  price("aten::_grouped_mm", "[[7, 3], [4, 3, 5], [4]]", types, NULL, flops,
        2 * (7 * 3 + 4 * 3 * 5 + 7 * 5));
  price("_grouped_mm", "[[4, 7, 3], [3, 5], [4]]", types, NULL, flops,
        2 * (4 * 7 * 3 + 3 * 5 + 7 * 5));
  price("_grouped_mm", "[[7, 3], [3, 5], [4]]", types, NULL, flops,
        2 * (7 * 3 + 3 * 5 + 4 * 7 * 5));
  price("_grouped_mm", "[[7, 3], [3, 5]]", types, NULL, flops, -1); /* of how many groups? */
  price("_grouped_mm", "[[4, 7, 3], [4, 3, 5]]", types, NULL, 4 * flops,
        2 * 4 * (7 * 3 + 3 * 5 + 7 * 5));
  price("_grouped_mm", "[[7, 3], [4, 3, 5], [4]]", types, "[\"\", \"\", \"\", \"\", \"6\"]", flops,
        2 * (7 * 3 + 4 * 3 * 5) + 4 * 7 * 5);
  price("_scaled_grouped_mm", "[[7, 3], [4, 3, 5], [7], [4, 5], [4]]", fp8, NULL, flops,
        7 * 3 + 4 * 3 * 5 + 2 * 7 * 5);
  price("_scaled_grouped_mm", "[[7, 3], [3, 5], [7], [5], [4]]", fp8,
        "[\"\", \"\", \"\", \"\", \"\", \"\", \"\", \"6\"]", flops, 7 * 3 + 3 * 5 + 4 * 4 * 7 * 5);
  price("_scaled_grouped_mm_v2", "[[7, 3], [3, 5], [[7]], [], [], [[5]], [], [], [4]]", fp8, NULL,
        flops, 7 * 3 + 3 * 5 + 2 * 4 * 7 * 5);
  price("_scaled_grouped_mm_v2", "[[7, 3], [4, 3, 5], [[7]], [], [], [[4, 5]], [], [], [4]]", fp8,
        "[\"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"6\"]", flops,
        7 * 3 + 4 * 3 * 5 + 4 * 7 * 5);
  no_price("_grouped_mm", "[[7, 3], [4, 2, 5], [4]]", NULL);
  no_price("_grouped_mm", "[[4, 7, 3], [5, 3, 5], [4]]", NULL);
  no_price("_grouped_mm", "[[3], [3, 5], [4]]", NULL);
  no_price("_grouped_mm", "[[1, 4, 7, 3], [3, 5], [4]]", NULL);
  no_price("_grouped_mm", "[[7, 3], [3], [4]]", NULL);
  no_price("_grouped_mm", "[[7, 3], [1, 4, 3, 5], [4]]", NULL);
}

static void test_every_product(void) {
  static const char types[] = "[\"double\", \"float\", \"c10::Half\"]";
  static const char given[] = "[\"\", \"\", \"\", \"\", \"\", \"\", \"15\", \"False\"]";
  price("mm", "[[2, 3], [3, 5]]", types, NULL, 60, 8 * 6 + 4 * 15 + 8 * 10);
  price("matmul", "[[2, 3], [3, 5]]", types, NULL, 60, 8 * 6 + 4 * 15 + 8 * 10);
  /* Narrow types give wider ones: of one product always int, of the other what is asked for. */
  price("_int_mm", "[[2, 3], [3, 5]]", types, NULL, 60, 8 * 6 + 4 * 15 + 4 * 10);
  price("_scaled_mm", "[[2, 3], [3, 5]]", types, NULL, 60, -1);
  price("_scaled_mm", "[[2, 3], [3, 5]]", types, given, 60, 8 * 6 + 4 * 15 + 2 * 10);
  price("mm", "[[2, 3], [3, 5]]", "[\"struct c10::Half\", \"struct c10::Half\"]", NULL, 60,
        2 * (6 + 15 + 10));
  price("bmm", "[[7, 2, 3], [7, 3, 5]]", types, NULL, 420, 8 * 42 + 4 * 105 + 8 * 70);
  price("mv", "[[2, 3], [3]]", types, NULL, 12, 8 * 6 + 4 * 3 + 8 * 2);
  price("dot", "[[3], [3]]", types, NULL, 6, 8 * 3 + 4 * 3 + 8);
  price("vdot", "[[3], [3]]", types, NULL, 6, 8 * 3 + 4 * 3 + 8);
  price("addmm", "[[5], [2, 3], [3, 5]]", types, NULL, 70, 8 * 5 + 4 * 6 + 2 * 15 + 4 * 10);
  price("_addmm_activation", "[[5], [2, 3], [3, 5]]", types, NULL, 70,
        8 * 5 + 4 * 6 + 2 * 15 + 4 * 10);
  price("addmv", "[[2], [2, 3], [3]]", types, NULL, 14, 8 * 2 + 4 * 6 + 2 * 3 + 4 * 2);
  price("baddbmm", "[[70], [7, 2, 3], [7, 3, 5]]", types, NULL, 490,
        8 * 70 + 4 * 42 + 2 * 105 + 4 * 70);
  price("linear", "[[4, 2, 3], [5, 3], [5]]", types, NULL, 2 * 8 * 15 + 40,
        8 * 24 + 4 * 15 + 2 * 5 + 8 * 40);
  price("linear", "[[4, 3], [3]]", types, NULL, 2 * 12, 8 * 12 + 4 * 3 + 8 * 4);
  price("linear", "[[3], [5, 3]]", types, NULL, 2 * 15, 8 * 3 + 4 * 15 + 8 * 5);
  no_price("linear", "[[4, 3], [2, 5, 3]]", NULL);
  no_price("linear", "[[], [5, 3]]", NULL);
  no_price("addbmm", "[[2, 5], [2, 3], [3, 5]]", NULL);
  no_price("addbmm", "[[2, 5], [0, 2, 3], [0, 3, 5]]", NULL);
  /* A tensor without dimensions holds one number. */
  price("addmm", "[[], [2, 3], [3, 5]]", types, NULL, 70, 8 * 1 + 4 * 6 + 2 * 15 + 4 * 10);
  price("addmm", "[[ ], [2, 3], [3, 5]]", types, NULL, 70, 8 * 1 + 4 * 6 + 2 * 15 + 4 * 10);
  /* Leading dimensions are shared: the same, or 1 on either side. */
  price("matmul", "[[1, 6, 2, 3], [4, 1, 3, 5]]", NULL, NULL, 24 * 60, -1);
  price("matmul", "[[6, 2, 3], [4, 6, 3, 5]]", NULL, NULL, 24 * 60, -1);
  price("matmul", "[[3], [3]]", NULL, NULL, 6, -1);
  no_price("matmul", "[[6, 2, 3], [4, 5, 3, 5]]", NULL);
  no_price("matmul", "[[2, 3], [2]]", NULL);
  no_price("matmul", "[[], [3]]", NULL);
  no_price("matmul", "[[3], []]", NULL);
  no_price("aten::", "[[2, 3], [3, 5]]", NULL);
}

int main(void) {
  test_older_signatures();
  test_groups();
  test_scaled_by_lists();
  test_attention_of_fp8();
  test_results_of_another_type();
  test_what_flash_attention_3_leaves_open();
  test_every_product();
  test_every_convolution();
  test_every_attention();
  return check_done("op_arguments");
}
