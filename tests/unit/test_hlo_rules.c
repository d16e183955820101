/* Tests of what HLO costs, from its text: the rules of hlo_opcode.h, counted by hand,
** convolutions and trips of loops. */
#include "hlo_told.h"
#include "../../ext/program/hlo/hlo_attribute.h"

/* ---- Convolutions against counting every pair ---- */

static int64_t slow_pairs(int64_t kernel, int64_t output, int64_t input, int64_t stride,
                          int64_t pad, int64_t base, int64_t dilation) {
  int64_t n = 0;
  for (int64_t k = 0; k < kernel; k++)
    for (int64_t o = 0; o < output; o++) {
      int64_t x = o * stride - pad + k * dilation;
      n += x % base == 0 && x / base >= 0 && x / base < input;
    }
  return n;
}

static void test_convolutions(void) {
  uint32_t seed = 1;
  int64_t draw[7];
  for (int turn = 0; turn < 3000; turn++) {
    char text[512], out[256], expected[64];
    for (int i = 0; i < 7; i++) {
      seed = seed * 1664525u + 1013904223u;
      draw[i] = 1 + (int64_t)(seed >> 16) % (i < 3 ? 12 : 6);
    }
    (void)snprintf(text, sizeof text,
                   "e { i = f32[2,3,%lld] parameter(0) k = f32[5,3,%lld] parameter(1) ROOT c = "
                   "f32[2,5,%lld] convolution(i, k), window={size=%lld stride=%lld pad=%lld_0 "
                   "lhs_dilate=%lld rhs_dilate=%lld}, dim_labels=bf0_oi0->bf0 }",
                   (long long)draw[2], (long long)draw[0], (long long)draw[1], (long long)draw[0],
                   (long long)draw[3], (long long)draw[4] - 3, (long long)draw[5],
                   (long long)draw[6]);
    (void)snprintf(
        expected, sizeof expected, "(1 e 3 %lld ",
        (long long)(2 * 3 * 5 * 2 *
                    slow_pairs(draw[0], draw[1], draw[2], draw[3], draw[4] - 3, draw[5], draw[6])));
    CHECK(render_text(&mpg_env_libc, mpg_str_of(text), out, sizeof out) == MPG_DONE);
    CHECK(strncmp(out, expected, strlen(expected)) == 0);
    if (strncmp(out, expected, strlen(expected)) != 0)
      (void)fprintf(stderr, "  %s\n  found %s, expected %s\n", text, out, expected);
  }
}

/* ---- The rules, one instruction each, counted by hand from hlo_opcode.h ---- */

/* The last of an entry computation: FLOPs, transcendentals and bytes of it alone. */
static void rule(const char *parameters, const char *root, long long flops,
                 long long transcendentals, long long bytes) {
  char text[2048], out[256], wanted[128];
  const char *after;
  (void)snprintf(
      text, sizeof text,
      "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\n"
      "ge { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = pred[] compare(x, y), "
      "direction=GE }\n"
      "ENTRY e { %s ROOT r = %s }\n",
      parameters, root);
  (void)snprintf(wanted, sizeof wanted, " %lld %lld %lld)", flops, transcendentals, bytes);
  CHECK(render_text(&mpg_env_libc, mpg_str_of(text), out, sizeof out) == MPG_DONE);
  after = strlen(out) > strlen(wanted) ? out + strlen(out) - strlen(wanted) : out;
  CHECK(strcmp(after, wanted) == 0);
  if (strcmp(after, wanted) != 0)
    (void)fprintf(stderr, "  %s\n  found %s, expected %s\n", root, out, wanted);
}

/*
** Gradients of y = convolution(x, k), of 2 x 9 x 3 by 4 x 3 x 5 with a stride of 2 and a padding of
** 1 and 2: as XLA writes them before it calls cuDNN, and as the calls, whose labels and windows are
** those of y. All three are of the same work: the pairs of a place in k and one in y that fall on
** x.
*/
static void test_cudnn_gradients(void) {
  static const char labels[] = "dim_labels=b0f_0io->b0f, ";
  static const char forward[] = "window={size=4 stride=2 pad=1_2}, ";
  static const char of_y[] = "x = f32[2,9,3] parameter(0) k = f32[4,3,5] parameter(1) ";
  static const char of_x[] = "g = f32[2,5,5] parameter(0) k = f32[4,3,5] parameter(1) ";
  static const char of_k[] = "x = f32[2,9,3] parameter(0) g = f32[2,5,5] parameter(1) ";
  const long long flops = 2LL * 2 * 3 * 5 * slow_pairs(4, 5, 9, 2, 1, 1, 1);
  const long long x = 216, k = 240, y = 200;
  char root[512];
  (void)snprintf(root, sizeof root, "f32[2,5,5] convolution(x, k), %s%sfeature_group_count=1",
                 forward, labels);
  rule(of_y, root, flops, 0, x + k + y);
  rule(of_x,
       "f32[2,9,3] convolution(g, k), window={size=4 pad=2_2 lhs_dilate=2 rhs_reversal=1}, "
       "dim_labels=b0f_0oi->b0f",
       flops, 0, x + k + y);
  rule(of_k,
       "f32[4,3,5] convolution(x, g), window={size=5 pad=1_2 rhs_dilate=2}, "
       "dim_labels=f0b_i0o->0bf",
       flops, 0, x + k + y);
  (void)snprintf(root, sizeof root,
                 "(f32[2,9,3], u8[64]) custom-call(g, k), "
                 "%s%scustom_call_target=\"__cudnn$convBackwardInput\"",
                 forward, labels);
  rule(of_x, root, flops, 0, x + k + y);
  (void)snprintf(root, sizeof root,
                 "(f32[4,3,5], u8[64]) custom-call(x, g), "
                 "%s%scustom_call_target=\"__cudnn$convBackwardFilter\"",
                 forward, labels);
  rule(of_k, root, flops, 0, x + k + y);
}

static void test_rules(void) {
  static const char vectors[] = "a = f32[8] parameter(0) z = f32[] constant(0) ";
  static const char matrices[] = "a = f32[4,4] parameter(0) b = f32[4,6] parameter(1) ";
  static const char cube[] = "a = f32[4,6,1] parameter(0) ";
  static const char gathered[] = "a = f32[100,4] parameter(0) i = s32[3,1] parameter(1) ";
  static const char conv[] = "i = f32[2,3,9] parameter(0) k = f32[5,3,3] parameter(1) ";
  static const char ragged[] =
      "a = f32[16,8] parameter(0) b = f32[4,8,32] parameter(1) g = s32[4] parameter(2) ";
  static const char contracted[] =
      "a = f32[8,16] parameter(0) b = f32[16,32] parameter(1) g = s32[4] parameter(2) ";
  static const char both[] = "a = f32[2,100] parameter(0) b = f32[100,7] parameter(1) ";

  rule(ragged, "f32[16,32] ragged-dot(a, b, g), lhs_contracting_dims={1}, lhs_ragged_dims={0}",
       2LL * 16 * 32 * 8, 0, 512 + 4096 + 16 + 2048);
  rule(contracted, "f32[4,8,32] ragged-dot(a, b, g), lhs_contracting_dims={1}, lhs_ragged_dims={1}",
       2LL * 8 * 32 * 16, 0, 512 + 2048 + 16 + 4096);

  /* Two of a window's three places are added to the first; a scan over everything is one
  ** reduction. */
  rule(vectors, "f32[6] reduce-window(a, z), window={size=3}, to_apply=add", 6LL * 2, 0,
       32 + 4 + 24);
  rule(vectors, "f32[8] reduce-window(a, z), window={size=15 pad=7_7}, to_apply=add", 8 / 8 + 7, 0,
       32 + 4 + 32);
  rule(vectors, "f32[8] reduce-window(a, z), window={size=15 pad=7_8}, to_apply=add", 8LL * 14, 0,
       32 + 4 + 32);
  rule(vectors, "f32[8] reduce-window(a, z), window={size=13 pad=6_6}, to_apply=add", 8LL * 12, 0,
       32 + 4 + 32);
  rule(vectors, "f32[8] reduce-window(a, z), window={size=0x}, to_apply=add", 0, 0, 32 + 4 + 32);
  rule("a = f32[8] parameter(0) s = f32[4] parameter(1) z = f32[] constant(0) ",
       "f32[8] select-and-scatter(a, s, z), window={size=2 stride=2}, select=ge, scatter=add",
       4LL * 1 + 4, 0, 32 + 16 + 4 + 32);
  rule("a = f32[8] parameter(0) s = f32[4] parameter(1) z = f32[] constant(0) ",
       "f32[8] select-and-scatter(a, s, z), window={size=0}, select=ge, scatter=add", 4, 0,
       32 + 16 + 4 + 32);
  rule(vectors, "f32[8] reduce-window(a, z), window={size=0}, to_apply=add", 0, 0, 32 + 4 + 32);
  rule("a = f32[10] parameter(0) b = f32[10] parameter(1) ", "f32[10] map(a, b), to_apply=add", 10,
       0, 120);
  rule("a = f32[100,4] parameter(0) i = s32[3,1] parameter(1) u = f32[3,4] parameter(2) ",
       "f32[100,4] scatter(a, i, u), to_apply=add", 12, 0, 48 + 12 + 48 + 48);
  rule("a = f32[10] parameter(0) ", "f32[10] sort(a), dimensions={0}, to_apply=ge", 10LL * 4, 0,
       80);
  rule("a = f32[16] parameter(0) ", "f32[16] sort(a), dimensions={0}, to_apply=ge", 16LL * 4, 0,
       128);
  rule("a = f32[1] parameter(0) ", "f32[1] sort(a), dimensions={0}, to_apply=ge", 0, 0, 8);
  rule("a = c64[3,8,4] parameter(0) ", "c64[3,8,4] fft(a), fft_type=FFT, fft_length={8,4}",
       8LL * 96 * 3 * 2, 0, 2LL * 96 * 8);
  rule(matrices, "f32[4,6] triangular-solve(a, b), left_side=true", 2LL * 4 * 24, 0, 32 + 96 + 96);
  rule("a = f32[6,6] parameter(0) ", "f32[6,6] cholesky(a), lower=true", 6LL * 36 / 3, 0, 72 + 72);
  rule("a = u64[2] parameter(0) ", "(u64[2], u32[8]) rng-bit-generator(a), algorithm=rng_default",
       0, 10, 16 + 16 + 32);

  /* Calls of libraries: cuBLAS by its dimension numbers, cuDNN as a convolution, with a
  ** workspace. */
  rule(both,
       "(f32[2,7], s8[999]) custom-call(a, b), custom_call_target=\"__cublas$gemm\", "
       "backend_config={\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"]}}",
       2LL * 2 * 7 * 100, 0, 800 + 2800 + 56);
  rule(both, "f32[2,7] custom-call(a, b), custom_call_target=\"__cublas$lt$matmul$f8\"", 0, 0,
       800 + 2800 + 56);
  rule(conv,
       "(f32[2,5,7], s8[64]) custom-call(i, k), custom_call_target=\"__cudnn$convForward\", "
       "window={size=3}, dim_labels=bf0_oi0->bf0",
       2LL * 2 * 3 * 5 * 7 * 3, 0, 216 + 180 + 280);
  test_cudnn_gradients();
  rule(conv, "f32[2,5,7] custom-call(i, k), custom_call_target=\"Sharding\"", 0, 0, 0);
  rule(conv, "f32[2,5,7] custom-call(i, k), custom_call_target=\"Shardings\"", 0, 0, 0);

  /* A transpose that moves nothing: of a dimension of 1, or of the order in memory with it. */
  rule(cube, "f32[6,4,1] transpose(a), dimensions={1,0,2}", 0, 0, 192);
  rule(cube, "f32[4,1,6] transpose(a), dimensions={0,2,1}", 0, 0, 0);
  rule("a = f32[4,6]{1,0} parameter(0) ", "f32[6,4]{0,1} transpose(a), dimensions={1,0}", 0, 0, 0);
  rule("a = f32[4,6]{1,0} parameter(0) ", "f32[6,4]{1,0} transpose(a), dimensions={1,0}", 0, 0,
       192);
  rule("a = f32[4,6] parameter(0) ", "f32[6,4] transpose(a), dimensions={1}", 0, 0, 192);

  /* What of an operand is read: a slice, gathered rows; what is written: an update. */
  rule(gathered, "f32[5,4] slice(a), slice={[0:5], [0:4]}", 0, 0, 80 + 80);
  rule(gathered, "f32[3,4] gather(a, i), offset_dims={1}", 0, 0, 48 + 12 + 48);
  rule("a = f32[100] parameter(0) i = s32[] parameter(1) ",
       "f32[5] dynamic-slice(a, i), dynamic_slice_sizes={5}", 0, 0, 20 + 4 + 20);
  rule("a = f32[100] parameter(0) u = f32[5] parameter(1) i = s32[] parameter(2) ",
       "f32[100] dynamic-update-slice(a, u, i)", 0, 0, 20 + 4 + 20);
  rule("a = f32[25] parameter(0) t = token[] parameter(1) ", "token[] outfeed(a, t)", 0, 0, 100);
}

/* A fusion reads of its parameters what the instructions in it use. */
static void fused(const char *inside, const char *parameters, const char *result, long long flops,
                  long long bytes) {
  char text[2048], out[256], wanted[128];
  const char *after;
  (void)snprintf(text, sizeof text, "f { %s }\nENTRY e { %s ROOT r = %s, kind=kLoop, calls=f }\n",
                 inside, parameters, result);
  (void)snprintf(wanted, sizeof wanted, " %lld 0 %lld)", flops, bytes);
  CHECK(render_text(&mpg_env_libc, mpg_str_of(text), out, sizeof out) == MPG_DONE);
  after = strlen(out) > strlen(wanted) ? out + strlen(out) - strlen(wanted) : out;
  CHECK(strcmp(after, wanted) == 0);
  if (strcmp(after, wanted) != 0)
    (void)fprintf(stderr, "  %s\n  found %s, expected %s\n", inside, out, wanted);
}

static void test_fusions(void) {
  static const char one[] = "a = f32[100] parameter(0) ",
                    two[] = "a = f32[100] parameter(0) i = s32[] parameter(1) ";
  fused("p = f32[100] parameter(0) ROOT n = f32[100] negate(p)", one, "f32[100] fusion(a)", 100,
        800);
  fused("p = f32[100] parameter(0) x = f32[100] negate(p) ROOT n = f32[100] add(p, x)", one,
        "f32[100] fusion(a)", 200, 800);
  fused("p = f32[100] parameter(0) x = f32[5] slice(p), slice={[0:5]} ROOT n = f32[5] negate(x)",
        one, "f32[5] fusion(a)", 5, 20 + 20);
  fused("p = f32[100] parameter(0) x = f32[5] slice(p), slice={[0:5]} y = f32[5] slice(p), "
        "slice={[9:14]} ROOT n = f32[5] add(x, y)",
        one, "f32[5] fusion(a)", 5, 40 + 20);
  fused("p = f32[100] parameter(0) i = s32[] parameter(1) ROOT x = f32[5] dynamic-slice(p, i), "
        "dynamic_slice_sizes={5}",
        two, "f32[5] fusion(a, i)", 0, 20 + 4 + 20);
  fused(
      "p = f32[100] parameter(0) u = f32[5] parameter(1) i = s32[] parameter(2) ROOT x = f32[100] "
      "dynamic-update-slice(p, u, i)",
      "a = f32[100] parameter(0) u = f32[5] parameter(1) i = s32[] parameter(2) ",
      "f32[100] fusion(a, u, i)", 0, 0 + 20 + 4 + 20);
  fused("p = f32[] parameter(0) ROOT x = f32[100] broadcast(p), dimensions={}",
        "a = f32[] parameter(0) ", "f32[100] fusion(a)", 0, 4 + 400);
  fused("p = f32[4] parameter(0) c = f32[4] constant({1,2,3,4}) ROOT x = f32[4] add(p, c)",
        "a = f32[4] parameter(0) ", "f32[4] fusion(a)", 4, 16 + 16 + 16);
  fused("p = f32[100] parameter(0) u = f32[5] slice(p), slice={[0:5]} v = f32[100] negate(p) ROOT "
        "t = "
        "(f32[5], f32[100]) tuple(u, v)",
        one, "(f32[5], f32[100]) fusion(a)", 100, 20 + 400 + 20 + 400);

  /* A fusion within hands its parameter on: what is sliced of it is all that is read. Else what
  ** it reads itself, once. */
  fused("p = f32[100] parameter(0) x = f32[100] fusion(p), kind=kLoop, calls={ q = f32[100] "
        "parameter(0) ROOT n = f32[100] negate(q) } ROOT y = f32[5] slice(x), slice={[0:5]}",
        one, "f32[5] fusion(a)", 100, 20 + 20);
  fused("p = f32[100] parameter(0) x = f32[100] fusion(p), kind=kLoop, calls={ q = f32[100] "
        "parameter(0) ROOT n = f32[100] negate(q) } y = f32[100] negate(x) z = f32[100] negate(x) "
        "ROOT w = f32[100] add(y, z)",
        one, "f32[100] fusion(a)", 400, 400 + 400);
  fused("p = f32[100] parameter(0) x = f32[100] fusion(p), kind=kLoop, calls={ q = f32[100] "
        "parameter(0) m = f32[100] negate(q) ROOT n = f32[100] negate(m) } ROOT y = f32[5] "
        "slice(x), slice={[0:5]}",
        one, "f32[5] fusion(a)", 200, 400 + 20);
  /* Handed in twice, but taken once. */
  fused("p = f32[100] parameter(0) x = f32[100] fusion(p, p), kind=kLoop, calls={ q = f32[100] "
        "parameter(0) ROOT n = f32[100] negate(q) } ROOT y = f32[5] slice(x), slice={[0:5]}",
        one, "f32[5] fusion(a)", 100, 20 + 20);

  /* A custom fusion around a gather moves what that does; around anything else it is as others. */
  expect("f { p = f32[100,4] parameter(0) i = s32[3,1] parameter(1) ROOT g = f32[3,4] gather(p, "
         "i), offset_dims={1} }\nENTRY e { a = f32[100,4] parameter(0) i = s32[3,1] parameter(1) "
         "ROOT r = f32[3,4] fusion(a, i), kind=kCustom, calls=f }",
         "(1 e 6 0 0 108)");
  expect("f { p = f32[100] parameter(0) ROOT g = f32[100] negate(p) }\nENTRY e { a = f32[100] "
         "parameter(0) ROOT r = f32[100] fusion(a), kind=kCustom, calls=f }",
         "(1 e 4 100 0 800)");
}

/* What is called costs where it is called: of branches the dearest, by each counter. */
static void test_calls(void) {
#define BRANCHES                                                                                   \
  "a { x = f32[4] parameter(0) ROOT n = f32[4] negate(x) }\n"                                      \
  "b { x = f32[4] parameter(0) m = f32[4] exponential(x) ROOT n = f32[4] exponential(m) }\n"
  expect(BRANCHES "ENTRY e { p = pred[] parameter(0) x = f32[4] parameter(1) ROOT c = f32[4] "
                  "conditional(p, x, x), true_computation=a, false_computation=b }",
         "(1 e 8 4 8 64)");
  expect(BRANCHES "ENTRY e { p = s32[] parameter(0) x = f32[4] parameter(1) ROOT c = f32[4] "
                  "conditional(p, x, x, x), branch_computations={a, a, a} }",
         "(1 e 8 4 0 32)");
  expect(BRANCHES "ENTRY e { x = f32[4] parameter(0) y = f32[4] call(x), to_apply=a ROOT z = "
                  "f32[4] call(y), to_apply=b }",
         "(1 e 8 4 8 96)");
#undef BRANCHES
}

/* ---- Trip counts ---- */

static void trips(const char *start, const char *step, const char *compare, const char *limit,
                  int64_t expected) {
  char text[1024], out[256], wanted[64];
  (void)snprintf(text, sizeof text,
                 "lt { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, "
                 "b), direction=LT }\n"
                 "body { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
                 "x = f32[4] get-tuple-element(s), index=1 c = s32[] constant(%s) j = s32[] "
                 "%s y = f32[4] negate(x) ROOT t = (s32[], f32[4]) tuple(j, y) }\n"
                 "cond { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
                 "n = s32[] constant(%s) ROOT r = pred[] %s }\n"
                 "ENTRY e { x = f32[4] parameter(0) i = s32[] constant(%s) k = s32[] copy(i) t = "
                 "(s32[], f32[4]) tuple(k, x) ROOT w = (s32[], f32[4]) while(t), condition=cond, "
                 "body=body }",
                 "1", step, limit, compare, start);
  /* A turn: add, negate of 4, and compare; the condition once more. */
  (void)snprintf(wanted, sizeof wanted, "(1 e 19 %lld ",
                 (long long)(expected < 0 ? 6 : expected * 6 + 1));
  CHECK(render_text(&mpg_env_libc, mpg_str_of(text), out, sizeof out) == MPG_DONE);
  CHECK(strncmp(out, wanted, strlen(wanted)) == 0);
  if (strncmp(out, wanted, strlen(wanted)) != 0)
    (void)fprintf(stderr, "  %s\n  found %s, expected %s\n", text, out, wanted);
}

static void test_trips(void) {
  trips("0", "add(i, c)", "compare(i, n), direction=LT", "7", 7);
  trips("0", "add(c, i)", "compare(n, i), direction=GT", "7", 7);
  trips("0", "add(i, c)", "fusion(i, n), kind=kLoop, calls=lt", "7", 7);
  trips("0", "add(i, c)", "call(i, n), to_apply=lt", "7", 7);
  trips("0", "add(i, c)", "fusion(n, i), kind=kLoop, calls=lt", "7", -1);
  trips("0", "add(i, c)", "fusion(i), kind=kLoop, calls=lt", "7", -1);
  trips("0", "add(i, c)", "compare(i, n), direction=LT", "{ 7 }", 7);
  trips("0", "add(i, c)", "compare(i, n), direction=LT", "true", 1);
  trips("0", "add(i, c)", "compare(i, n), direction=LT", "false", 0);
  trips("0", "add(i, c)", "compare(i, n), direction=LT", "7.5", -1);
  trips("2", "add(i, c)", "compare(i, n), direction=LE", "7", 6);
  trips("9", "subtract(i, c)", "compare(i, n), direction=GT", "2", 7);
  trips("9", "subtract(i, c)", "compare(n, i), direction=LE", "2", 8);
  trips("3", "add(i, c)", "compare(i, n), direction=NE", "7", 4);
  trips("9", "add(i, c)", "compare(i, n), direction=NE", "7", -1);
  trips("9", "add(i, c)", "compare(i, n), direction=LT", "7", 0);
  trips("0", "subtract(i, c)", "compare(i, n), direction=LT", "7", -1);
  trips("0", "subtract(c, i)", "compare(i, n), direction=LT", "7", -1);
  trips("0", "multiply(i, c)", "compare(i, n), direction=LT", "7", -1);
  trips("0", "add(i, i)", "compare(i, n), direction=LT", "7", -1);
  trips("0", "add(i, c)", "compare(i, i), direction=LT", "7", -1);
  trips("0", "add(i, c)", "not(i)", "7", -1);
  trips("-9223372036854775808", "add(i, c)", "compare(i, n), direction=LE", "9223372036854775807",
        -1);
}

int main(void) {
  test_convolutions();
  test_rules();
  test_fusions();
  test_calls();
  test_trips();
  return check_done("hlo_rules");
}
