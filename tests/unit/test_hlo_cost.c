/*
** Tests of ext/core/hlo_cost.c and the rules it is made of, instruction by instruction. The figures are
** counted by hand from the formulas of docs/hlo.md, which are those of XLA's HloCostAnalysis; what the
** text of a module may look like is tested in test_hlo.c.
*/
#include "hlo_priced.h"

#define ADD "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\n"
#define GE                                                                                         \
  "ge { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = pred[] compare(x, y), "             \
  "direction=GE }\n"

/* What r = ROOT costs by itself, and whether that is all it costs. */
static void costs(const char *parameters, const char *root, bool known, long long flops,
                  long long transcendentals, long long bytes) {
  char text[4096];
  const mpg_hlo_price *r;
  priced p;
  bool good;
  (void)snprintf(text, sizeof text, ADD GE "ENTRY e { %s ROOT r = %s }\n", parameters, root);
  price_text(&p, text);
  r = price_of(&p, "r");
  good = r->known == known && r->own.of[MPG_HLO_FLOPS] == flops &&
         r->own.of[MPG_HLO_TRANSCENDENTALS] == transcendentals && r->own.of[MPG_HLO_BYTES] == bytes;
  CHECK(good);
  if (!good)
    (void)fprintf(stderr, "  %s\n  found %s %lld %lld %lld\n", root, r->known ? "known" : "unknown",
                  (long long)r->own.of[MPG_HLO_FLOPS],
                  (long long)r->own.of[MPG_HLO_TRANSCENDENTALS],
                  (long long)r->own.of[MPG_HLO_BYTES]);
  done(&p);
}

/* ---- Dots: 2 N x contracted ---- */

static void test_dots(void) {
  static const char batch[] = "a = f32[3,4,5] parameter(0) b = f32[3,5,6] parameter(1) ";
  static const char two[] = "a = f32[4,5,7] parameter(0) b = f32[5,7,6] parameter(1) ";
  static const char ragged[] =
      "a = f32[8,16] parameter(0) b = f32[16,32] parameter(1) g = s32[1] parameter(2) ";
  static const char groups[] =
      "a = f32[8,16] parameter(0) b = f32[16,32] parameter(1) g = s32[4] parameter(2) ";
  costs(batch,
        "f32[3,4,6] dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, "
        "rhs_contracting_dims={1}",
        true, 2LL * 72 * 5, 0, 4LL * (60 + 90 + 72));
  costs(two, "f32[4,6] dot(a, b), lhs_contracting_dims={1,2}, rhs_contracting_dims={0,1}", true,
        2LL * 24 * 35, 0, 4LL * (140 + 210 + 24));
  /* An outer product contracts nothing; a dimension that is not there is none. */
  costs("a = f32[4] parameter(0) b = f32[6] parameter(1) ", "f32[4,6] dot(a, b)", true, 2LL * 24, 0,
        4LL * (4 + 6 + 24));
  costs("a = f32[4] parameter(0) b = f32[6] parameter(1) ",
        "f32[4,6] dot(a, b), lhs_contracting_dims={-1,9,99999999999999999999}", true, 2LL * 24, 0,
        4LL * (4 + 6 + 24));
  /* Of a ragged dot that contracts its ragged dimension each group has a part: one group, all. */
  costs(ragged, "f32[1,8,32] ragged-dot(a, b, g), lhs_contracting_dims={1}, lhs_ragged_dims={1}",
        true, 2LL * 256 * 16, 0, 4LL * (128 + 512 + 1 + 256));
  costs(groups, "f32[4,8,32] ragged-dot(a, b, g), lhs_contracting_dims={1}", true, 2LL * 1024 * 16,
        0, 4LL * (128 + 512 + 4 + 1024));
}

/* ---- Convolutions: 2 (Cin / groups) Cout (N / groups) x pairs ---- */

static void test_convolutions(void) {
  static const char same[] = "i = f32[1,6,5] parameter(0) k = f32[9,2,3] parameter(1) ";
  static const char wide[] = "i = f32[1,1,134217728] parameter(0) k = f32[1,1,134217728] "
                             "parameter(1) ";
  /* Kernel of 3 over 5 with padding of 1: 4 + 5 + 4 pairs. */
  costs(same,
        "f32[1,9,5] convolution(i, k), window={size=3 pad=1_1}, dim_labels=bf0_oi0->bf0, "
        "feature_group_count=3",
        true, 2LL * 2 * 9 * 13, 0, 4LL * (30 + 54 + 45));
  costs("i = f32[4,3,5] parameter(0) k = f32[8,3,3] parameter(1) ",
        "f32[2,8,3] convolution(i, k), window={size=3}, dim_labels=bf0_oi0->bf0, "
        "batch_group_count=2",
        true, 2LL * 3 * 8 * 2 * 9, 0, 4LL * (60 + 72 + 48));
  /* Of two dimensions the pairs multiply: 13 x 2 * 2. */
  costs("i = f32[1,5,3,6] parameter(0) k = f32[3,2,6,7] parameter(1) ",
        "f32[1,5,2,7] convolution(i, k), window={size=3x2 pad=1_1x0_0}, "
        "dim_labels=b01f_01io->b01f",
        true, 2LL * 6 * 7 * 13 * 4, 0, 4LL * (90 + 252 + 70));
  /* Of no dimension of space it is a product of matrices, with one pair an element. */
  costs("i = f32[2,3] parameter(0) k = f32[3,5] parameter(1) ",
        "f32[2,5] convolution(i, k), dim_labels=bf_io->bf", true, 2LL * 3 * 5 * 2, 0,
        4LL * (6 + 15 + 10));
  /* Nothing to multiply with. */
  costs("i = f32[1,1,0] parameter(0) k = f32[1,1,3] parameter(1) ",
        "f32[1,1,2] convolution(i, k), window={size=3 pad=2_2}, dim_labels=bf0_oi0->bf0", true, 0,
        0, 4LL * (0 + 3 + 2));
  costs("i = f32[1,1,3] parameter(0) k = f32[1,1,0] parameter(1) ",
        "f32[1,1,4] convolution(i, k), window={size=0}, dim_labels=bf0_oi0->bf0", true, 0, 0,
        4LL * (3 + 0 + 4));
  /* A dimension without a bound: of how much work nobody knows. */
  costs("i = f32[?,3] parameter(0) k = f32[3,5] parameter(1) ",
        "f32[?,5] convolution(i, k), dim_labels=bf_io->bf", false, 0, 0, 4LL * 15);
  costs("i = f32[?,3] parameter(0) ", "f32[?,3] negate(i)", false, 0, 0, 0);
  costs("i = f32[1,1,5] parameter(0) k = f32[1,1,2] parameter(1) ",
        "f32[1,1,9] convolution(i, k), window={size=2 stride=2 pad=-9_0 lhs_dilate=3}, "
        "dim_labels=bf0_oi0->bf0",
        true, 2LL * 2, 0, 4LL * (5 + 2 + 9)); /* 9 + 0 and 9 + 2 + 1 of 0, 3, ... 12 */
  /* Attributes that make no sense are told, not guessed around. */
  {
    static const char *const none[] = {
        "window={size=3}",
        "window={size=3}, dim_labels=b0_oi0->bf0",
        "window={size=3}, dim_labels=f0_oi0->bf0",
        "window={size=3}, dim_labels=bf0_oi0->b0",
        "window={size=3}, dim_labels=bf0_oi->bf0",
        "window={size=3}, dim_labels=bf0_oi0->bf",
        "window={size=3}, dim_labels=bf_oi0->bf0",
        "window={size=}, dim_labels=bf0_oi0->bf0",
        "window={size=3x1x1x1x1x1x1x1x1x1x1}, dim_labels=bf0_oi0->bf0",
        "window={size=3}, dim_labels=bf0_oi0->bf0, feature_group_count=0",
        "window={size=3}, dim_labels=bf0_oi0->bf0, batch_group_count=0"};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
      char root[256];
      (void)snprintf(root, sizeof root, "f32[1,9,3] convolution(i, k), %s", none[k]);
      costs("i = f32[1,2,5] parameter(0) k = f32[9,2,3] parameter(1) ", root, false, 0, 0,
            4LL * (10 + 54 + 27));
    }
  }
  /* Sizes are counted up to 2^31 - 1. */
  costs("i = s8[1,1,9] parameter(0) k = s8[1,1,2147483647] parameter(1) ",
        "s8[1,1,1] convolution(i, k), window={size=2147483647}, dim_labels=bf0_oi0->bf0", true,
        2LL * 9, 0, 9 + 2147483647LL + 1);
  costs("i = s8[1,1,9] parameter(0) k = s8[1,1,1] parameter(1) ",
        "s8[1,1,2147483647] convolution(i, k), window={size=1}, dim_labels=bf0_oi0->bf0", true,
        2LL * 9, 0, 9 + 1 + 2147483647LL);
  costs("i = s8[1,1,2147483647] parameter(0) k = s8[1,1,1] parameter(1) ",
        "s8[1,1,1] convolution(i, k), window={size=1}, dim_labels=bf0_oi0->bf0", true, 2, 0,
        2147483647LL + 1 + 1);
  /* However long: n (n + 1) / 2 pairs of two places whose sum is below n; half of them, of an even sum. */
  costs(wide,
        "f32[1,1,134217728] convolution(i, k), window={size=134217728}, dim_labels=bf0_oi0->bf0",
        true, 134217728LL * 134217729, 0, 3LL * 4 * 134217728);
  costs("i = f32[1,1,1048576] parameter(0) k = f32[1,1,1048576] parameter(1) ",
        "f32[1,1,1048576] convolution(i, k), window={size=1048576 lhs_dilate=2}, "
        "dim_labels=bf0_oi0->bf0",
        true, 1048576LL * 1048576, 0, 3LL * 4 * 1048576);
  /* Nor is what would take for ever to count, in all dimensions together, or does not fit. */
  costs("i = f32[1,1,1048577] parameter(0) k = f32[1,1,1048577] parameter(1) ",
        "f32[1,1,1048577] convolution(i, k), window={size=1048577 lhs_dilate=2}, "
        "dim_labels=bf0_oi0->bf0",
        false, 0, 0, 3LL * 4 * 1048577);
  costs("i = f32[1,1,1,1048576] parameter(0) k = f32[1,1,1,1048576] parameter(1) ",
        "f32[1,1,1,1048576] convolution(i, k), window={size=1x1048576 lhs_dilate=2x2}, "
        "dim_labels=bf01_oi01->bf01",
        false, 0, 0, 3LL * 4 * 1048576);
  costs("i = f32[1,1,9] parameter(0) k = f32[1,1,2147483648] parameter(1) ",
        "f32[1,1,1] convolution(i, k), window={size=3}, dim_labels=bf0_oi0->bf0", false, 0, 0,
        4LL * (9 + 2147483648 + 1));
  costs("i = f32[1,1,9] parameter(0) k = f32[1,1,1] parameter(1) ",
        "f32[1,1,2147483648] convolution(i, k), window={size=3}, dim_labels=bf0_oi0->bf0", false, 0,
        0, 4LL * (9 + 2147483648 + 1));
  costs("i = s8[1,1,4611686018427387904] parameter(0) k = s8[1,1,1] parameter(1) ",
        "s8[1,1,1] convolution(i, k), window={size=1 lhs_dilate=2147483648}, "
        "dim_labels=bf0_oi0->bf0",
        false, 0, 0, 4611686018427387904 + 2);
}

/* Windows of every kind over a line, beside each place of each of them: a pair is where the kernel meets an
** element, rather than padding or a hole between two elements. */
static void test_every_window(void) {
  for (int round = 0; round < 3000; round++) {
    int input = 1 + check_below(6), kernel = 1 + check_below(5), output = 1 + check_below(6);
    int stride = 1 + check_below(8), low = check_below(9) - 3, pairs = 0;
    int base = 1 + check_below(8), apart = 1 + check_below(6);
    char parameters[96], root[256];
    for (int o = 0; o < output; o++)
      for (int k = 0; k < kernel; k++) {
        int at = o * stride + k * apart - low;
        pairs += at >= 0 && at % base == 0 && at / base < input;
      }
    (void)snprintf(parameters, sizeof parameters,
                   "i = f32[1,1,%d] parameter(0) k = f32[1,1,%d] parameter(1) ", input, kernel);
    (void)snprintf(root, sizeof root,
                   "f32[1,1,%d] convolution(i, k), window={size=%d stride=%d pad=%d_0 "
                   "lhs_dilate=%d rhs_dilate=%d}, dim_labels=bf0_oi0->bf0",
                   output, kernel, stride, low, base, apart);
    costs(parameters, root, true, 2LL * pairs, 0, 4LL * (input + kernel + output));
  }
}

/* Long ones, beside what each place of the kernel meets: strides and windows beyond 32 bits in their product. */
static void test_long_windows(void) {
  for (int round = 0; round < 300; round++) {
    const int most = round % 3 == 0 ? 100000 : 300;
    long long input = 1 + check_below(round % 2 == 0 ? 2147483647 : 100000);
    long long kernel = 1 + check_below(most), output = 1 + check_below(most);
    long long stride = 1 + check_below(most), low = check_below(1000000) - 100000;
    long long apart = 1 + check_below(round % 5 == 0 ? 2147483647 : most), pairs = 0;
    char parameters[96], root[256];
    for (long long k = 0; k < kernel; k++) {
      long long from = k * apart - low, first = from >= 0 ? 0 : (-from + stride - 1) / stride;
      long long last = input - 1 - from < 0 ? -1 : (input - 1 - from) / stride;
      last = last < output ? last : output - 1;
      pairs += first <= last ? last - first + 1 : 0;
    }
    (void)snprintf(parameters, sizeof parameters,
                   "i = f32[1,1,%lld] parameter(0) k = f32[1,1,%lld] parameter(1) ", input, kernel);
    (void)snprintf(root, sizeof root,
                   "f32[1,1,%lld] convolution(i, k), window={size=%lld stride=%lld pad=%lld_0 "
                   "rhs_dilate=%lld}, dim_labels=bf0_oi0->bf0",
                   output, kernel, stride, low, apart);
    costs(parameters, root, true, 2LL * pairs, 0, 4LL * (input + kernel + output));
  }
}

/* ---- Computations applied to elements ---- */

static void test_applied(void) {
  static const char vector[] = "a = f32[8] parameter(0) z = f32[] constant(0) ";
  /* in - out additions; none where nothing is reduced; and unknown where nobody says by what. */
  costs(vector, "f32[] reduce(a, z), dimensions={0}, to_apply=add", true, 7, 0, 4LL * (8 + 1 + 1));
  costs(vector, "f32[9] reduce(a, z), dimensions={}, to_apply=add", true, 0, 0, 4LL * (8 + 1 + 9));
  costs(vector, "f32[] reduce(a, z), dimensions={0}", false, 0, 0, 4LL * (8 + 1 + 1));
  costs(vector, "f32[8] map(a)", false, 0, 0, 4LL * (8 + 8));
  costs("a = f32[8] parameter(0) s = f32[4] parameter(1) z = f32[] constant(0) ",
        "f32[8] select-and-scatter(a, s, z), window={size=2 stride=2}, scatter=add", false, 4, 0,
        4LL * (8 + 4 + 1 + 8));
  /*
  ** A window over a whole dimension from anywhere in it is a scan, which XLA makes a reduction. No scan:
  ** with two dimensions of it, in a tuple, with padding on one side, without anything to reduce.
  */
  costs("a = f32[2,2] parameter(0) z = f32[] constant(0) ",
        "f32[2,2] reduce-window(a, z), window={size=3x3 pad=1_1x1_1}, to_apply=add", true, 4LL * 8,
        0, 4LL * (4 + 1 + 4));
  costs("a = f32[2,2] parameter(0) z = f32[] constant(0) ",
        "f32[2,2] reduce-window(a, z), window={size=3x1 pad=1_1x0_0}, to_apply=add", true,
        4 / 2 + 1, 0, 4LL * (4 + 1 + 4));
  costs("a = f32[2,2] parameter(0) z = f32[] constant(0) ",
        "f32[2,4] reduce-window(a, z), window={size=3x1 pad=1_1x1_1}, to_apply=add", true, 8LL * 2,
        0, 4LL * (4 + 1 + 8));
  costs(vector, "(f32[8]) reduce-window(a, z), window={size=15 pad=7_7}, to_apply=add", true,
        8LL * 14, 0, 4LL * (8 + 1 + 8));
  costs(vector, "f32[8] reduce-window(a, z), window={size=2 pad=0_1}, to_apply=add", true, 8, 0,
        4LL * (8 + 1 + 8));
  costs(vector, "f32[10] reduce-window(a, z), window={size=1 pad=1_1}, to_apply=add", true, 0, 0,
        4LL * (8 + 1 + 10));
  /* FFT of real numbers: 8 n log2 n of what goes in. Sorts of several arrays compare the first. */
  costs("a = f32[8] parameter(0) ", "c64[5] fft(a), fft_type=RFFT, fft_length={8}", true,
        8LL * 8 * 3, 0, 32 + 40);
  costs("a = f32[16] parameter(0) b = s32[16] parameter(1) ",
        "(f32[16], s32[16]) sort(a, b), dimensions={0}, to_apply=ge", true, 16LL * 4, 0, 256);
}

/*
** Custom calls that annotate cost nothing, and that is known; a name that only begins like one is none. By who writes
** them: XLA's partitioner, Shardy, JAX's offloading to the host, and XLA's passes.
*/
static void test_annotations(void) {
  static const char free_of_cost[] =
      "Sharding InspectSharding SPMDFullToShardShape SPMDShardToFullShape "
      "xla.sdy.FuncResultSharding sdy.sharding_constraint "
      "annotate_device_placement MoveToHost MoveToDevice "
      "AllocateBuffer Pin Unpin LayoutConstraint AssumeGatherIndicesInBound ";
  static const char *const work[] = {"Shardin", "MoveToHostMemory", "xla.sdy", "Pinned",
                                     "",        "__cublas"};
  for (const char *name = free_of_cost; *name != '\0'; name += strcspn(name, " ") + 1) {
    char root[256];
    (void)snprintf(root, sizeof root, "f32[8] custom-call(a), custom_call_target=\"%.*s\"",
                   (int)strcspn(name, " "), name);
    costs("a = f32[8] parameter(0) ", root, true, 0, 0, 0);
  }
  for (size_t k = 0; k < sizeof work / sizeof *work; k++) {
    char root[256];
    (void)snprintf(root, sizeof root, "f32[8] custom-call(a), custom_call_target=\"%s\"", work[k]);
    costs("a = f32[8] parameter(0) ", root, false, 0, 0, 0);
  }
  costs("a = f32[8] parameter(0) ", "f32[8] custom-call(a)", false, 0, 0, 0);
  costs("a = f32[2,4] parameter(0) b = f32[4,3] parameter(1) ",
        "f32[2,3] custom-call(a, b), custom_call_target=\"__cublas$gemm\", "
        "backend_config={\"lhs_contracting_dimensions\":\"1\"}",
        false, 0, 0, 32 + 48 + 24);
}

/* ---- Bytes ---- */

static void test_transposes(void) {
  /* Dimensions of size 1 are in no order, but there may be more of the others on either side. */
  costs("a = f32[2,1] parameter(0) ", "f32[2,2] transpose(a), dimensions={1,0}", true, 0, 0,
        8 + 16);
  costs("a = f32[2,2] parameter(0) ", "f32[2,1] transpose(a), dimensions={1,0}", true, 0, 0,
        16 + 8);
  costs("a = f32[1,1] parameter(0) ", "f32[1,1] transpose(a), dimensions={1,0}", true, 0, 0, 0);
  /* A result that is no transpose of its operand is moved. */
  costs("a = f32[2,3] parameter(0) ", "f32[6] transpose(a), dimensions={0}", true, 0, 0, 24 + 24);
  costs("a = f32[2] parameter(0) ", "s32[2] transpose(a), dimensions={0}", true, 0, 0, 8 + 8);
  costs("a = (f32[2]) parameter(0) ", "f32[2] transpose(a), dimensions={0}", true, 0, 0, 8 + 8);
  costs("a = f32[2] parameter(0) ", "(f32[2]) transpose(a), dimensions={0}", true, 0, 0, 8 + 8);
  costs("a = f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2] parameter(0) ",
        "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2] transpose(a), "
        "dimensions={0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}",
        true, 0, 0, 8 + 8);
}

/* Where an element lies in memory: `minor` lists dimensions from the one that varies fastest. */
static int place_of(const int at[3], const int size[3], const int minor[3]) {
  int place = 0, stride = 1;
  for (int k = 0; k < 3; k++) {
    place += at[minor[k]] * stride;
    stride *= size[minor[k]];
  }
  return place;
}

/* Every transpose of three dimensions between any two layouts: free where no element moves. */
static void test_every_transpose(void) {
  static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  static const int sizes[][3] = {{2, 3, 4}, {2, 1, 3}, {1, 1, 3}, {3, 2, 1}};
  for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++)
    for (int in = 0; in < 6; in++)
      for (int out = 0; out < 6; out++)
        for (int by = 0; by < 6; by++) {
          const int *size = sizes[z], *d = orders[by], *from = orders[in], *to = orders[out];
          int turned[3] = {size[d[0]], size[d[1]], size[d[2]]}, moved = 0;
          char parameter[80], root[120];
          for (int i = 0; i < size[0] * size[1] * size[2]; i++) {
            int at[3] = {i / size[2] / size[1], i / size[2] % size[1], i % size[2]};
            int after[3] = {at[d[0]], at[d[1]], at[d[2]]};
            moved += place_of(at, size, from) != place_of(after, turned, to);
          }
          (void)snprintf(parameter, sizeof parameter, "a = f32[%d,%d,%d]{%d,%d,%d} parameter(0) ",
                         size[0], size[1], size[2], from[0], from[1], from[2]);
          (void)snprintf(root, sizeof root,
                         "f32[%d,%d,%d]{%d,%d,%d} transpose(a), dimensions={%d,%d,%d}", turned[0],
                         turned[1], turned[2], to[0], to[1], to[2], d[0], d[1], d[2]);
          costs(parameter, root, true, 0, 0, moved == 0 ? 0 : 8LL * size[0] * size[1] * size[2]);
        }
}

/* What is read of each operand. */
static void test_operands(void) {
  static const struct {
    const char *parameters, *root;
    int read[5];
  } calls[] = {
      {"a = f32[100] parameter(0) i = s32[3] parameter(1) ", "f32[3] gather(a, i)", {12, 12}},
      {"a = f32[100] parameter(0) ", "f32[7] slice(a), slice={[0:7]}", {28}},
      {"a = f32[100,2] parameter(0) i = s32[] parameter(1) j = s32[] parameter(2) ",
       "f32[7,1] dynamic-slice(a, i, j), dynamic_slice_sizes={7,1}",
       {28, 4, 0}},
      {"a = f32[100,2] parameter(0) u = f32[5,1] parameter(1) i = s32[] parameter(2) j = s32[] "
       "parameter(3) ",
       "f32[100,2] dynamic-update-slice(a, u, i, j)",
       {0, 20, 4, 0}},
      {"a = f32[4,4] parameter(0) b = f32[4,2] parameter(1) ",
       "f32[4,2] triangular-solve(a, b)",
       {32, 32}},
      {"a = f32[4,4] parameter(0) ", "f32[4,4] cholesky(a)", {32}},
      {"a = f32[100] parameter(0) i = s32[3,1] parameter(1) u = f32[3] parameter(2) ",
       "f32[100] scatter(a, i, u), to_apply=add",
       {12, 12, 12}},
      {"a = f32[9] parameter(0) b = f32[9] parameter(1) ", "f32[9] add(a, b)", {36, 36}},
      {"a = f32[9] parameter(0) b = f32[9] parameter(1) ", "(f32[9], f32[9]) tuple(a, b)", {0, 0}}};
  for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
    char text[1024];
    priced p;
    (void)snprintf(text, sizeof text, ADD "ENTRY e { %s ROOT r = %s }\n", calls[k].parameters,
                   calls[k].root);
    price_text(&p, text);
    for (uint32_t o = 0; o < named(&p, "r")->noperands; o++) {
      CHECK(mpg_hlo_operand_bytes(&p.cost, named(&p, "r"), o) == calls[k].read[o]);
      if (mpg_hlo_operand_bytes(&p.cost, named(&p, "r"), o) != calls[k].read[o])
        (void)fprintf(stderr, "  %s: operand %u\n", calls[k].root, o);
    }
    done(&p);
  }
}

static void test_read(void) {
  /* Of a slice's starts the first is read alone. */
  costs("a = f32[10,10] parameter(0) i = s32[] parameter(1) j = s32[] parameter(2) ",
        "f32[2,3] dynamic-slice(a, i, j), dynamic_slice_sizes={2,3}", true, 0, 0, 24 + 4 + 24);
  costs("a = f32[10,10] parameter(0) u = f32[2,3] parameter(1) i = s32[] parameter(2) j = s32[] "
        "parameter(3) ",
        "f32[10,10] dynamic-update-slice(a, u, i, j)", true, 0, 0, 24 + 4 + 24);
  /* Two arrays scattered by one list of indices: operands, indices, updates. */
  costs("a = f32[100] parameter(0) b = f64[100] parameter(1) i = s64[3,1] parameter(2) u = f32[3] "
        "parameter(3) v = f64[3] parameter(4) ",
        "(f32[100], f64[100]) scatter(a, b, i, u, v), to_apply=add", true, 3, 0,
        12 + 24 + 24 + 12 + 24 + 12 + 24);
}

/* What a fusion reads and writes: r, of the computation f; helpers stand before it. */
static void fused(const char *before, const char *inside, const char *parameters,
                  const char *result, long long bytes) {
  char text[4096];
  priced p;
  long long found;
  (void)snprintf(text, sizeof text, "%s\nf { %s }\nENTRY e { %s ROOT r = %s, calls=f }\n", before,
                 inside, parameters, result);
  price_text(&p, text);
  found = (long long)price_of(&p, "r")->own.of[MPG_HLO_BYTES];
  CHECK(found == bytes);
  if (found != bytes)
    (void)fprintf(stderr, "  %s\n  found %lld bytes, expected %lld\n", text, found, bytes);
  done(&p);
}

static void test_fusions(void) {
  static const char one[] = "a = f32[100] parameter(0) ";
  /* A constant of one element lies in the program, others in memory. */
  fused("", "p = f32[4] parameter(0) c = f32[] constant(1) ROOT x = f32[4] add(p, c)",
        "a = f32[4] parameter(0) ", "f32[4] fusion(a), kind=kLoop", 16 + 16);
  /* A hole among the parameters is read by nobody. */
  fused("", "p = f32[100] parameter(1) ROOT x = f32[100] negate(p)",
        "a = f32[100] parameter(0) b = f32[100] parameter(1) ", "f32[100] fusion(a, b), kind=kLoop",
        400 + 400);
  /* What is called may be empty, or not be there. */
  fused("g { }",
        "p = f32[100] parameter(0) x = f32[100] fusion(p), kind=kLoop, calls=g ROOT n = "
        "f32[5] negate(x)",
        one, "f32[5] fusion(a), kind=kLoop", 20);
  fused("",
        "p = f32[100] parameter(0) x = f32[100] fusion(p), kind=kLoop ROOT n = f32[5] negate(x)",
        one, "f32[5] fusion(a), kind=kLoop", 20);
  fused("", "", one, "f32[5] fusion(a), kind=kLoop", 20);
  fused("", "", one, "(f32[5], f32[6]) fusion(a), kind=kLoop", 44);
  /* An inner fusion of two operands reads each by itself: one through a slice, one whole. */
  fused(
      "g { p = f32[100] parameter(0) q = f32[100] parameter(1) s = f32[5] slice(p), slice={[0:5]} "
      "t = f32[100] negate(q) ROOT c = f32[105] concatenate(s, t), dimensions={0} }",
      "p = f32[100] parameter(0) q = f32[100] parameter(1) x = f32[105] fusion(p, q), "
      "kind=kLoop, calls=g ROOT n = f32[105] negate(x)",
      "a = f32[100] parameter(0) b = f32[100] parameter(1) ", "f32[105] fusion(a, b), kind=kLoop",
      20 + 400 + 420);
  /* As XLA counts it, what nobody uses within the fusion reads nothing, be it the root. */
  fused("g { p = f32[100] parameter(0) ROOT n = f32[100] negate(p) }",
        "p = f32[100] parameter(0) ROOT x = f32[100] fusion(p), kind=kLoop, calls=g", one,
        "f32[100] fusion(a), kind=kLoop", 400);
  /* It makes what it hands on out of nothing: slices of it are no slices of a parameter. */
  fused("g { p = f32[100] parameter(0) ROOT c = f32[100] iota(), iota_dimension=0 }",
        "p = f32[100] parameter(0) x = f32[100] fusion(p), kind=kLoop, calls=g ROOT s = f32[5] "
        "slice(x), slice={[0:5]}",
        one, "f32[5] fusion(a), kind=kLoop", 20 + 20);
  /* In place: into what the fusion within hands on; of what it reads of the slice nothing but that. */
  fused("g { p = f32[100] parameter(0) ROOT n = f32[100] negate(p) }",
        "p = f32[100] parameter(0) u = f32[5] parameter(1) i = s32[] parameter(2) x = f32[100] "
        "fusion(p), kind=kLoop, calls=g ROOT w = f32[100] dynamic-update-slice(x, u, i)",
        "a = f32[100] parameter(0) u = f32[5] parameter(1) i = s32[] parameter(2) ",
        "f32[100] fusion(a, u, i), kind=kLoop", 0 + 20 + 4 + 20);
  fused("g { p = f32[100] parameter(0) ROOT n = f32[100] negate(p) }",
        "p = f32[100] parameter(0) i = s32[] parameter(1) x = f32[100] fusion(p), kind=kLoop, "
        "calls=g ROOT w = f32[7] dynamic-slice(x, i), dynamic_slice_sizes={7}",
        "a = f32[100] parameter(0) i = s32[] parameter(1) ", "f32[7] fusion(a, i), kind=kLoop",
        28 + 4 + 28);
  /* An index into it, rather than it, is read whole. */
  fused("",
        "p = s32[] parameter(0) q = f32[100] parameter(1) ROOT w = f32[7] dynamic-slice(q, p), "
        "dynamic_slice_sizes={7}",
        "i = s32[] parameter(0) a = f32[100] parameter(1) ", "f32[7] fusion(i, a), kind=kLoop",
        4 + 28 + 28);
  /*
  ** A tuple is read through its elements: the first that takes one out is it, an index beyond it takes
  ** nothing, and an element that nobody takes is charged as the tuple's own users use that.
  */
  fused("",
        "t = (f32[100], f32[50]) parameter(0) x = f32[100] get-tuple-element(t), index=0 y = "
        "f32[100] get-tuple-element(t), index=0 z = f32[50] get-tuple-element(t), index=1 w = "
        "f32[9] get-tuple-element(t), index=2 s = f32[5] slice(x), slice={[0:5]} n = f32[50] "
        "negate(z) ROOT c = f32[55] concatenate(s, n), dimensions={0}",
        "a = (f32[100], f32[50]) parameter(0) ", "f32[55] fusion(a), kind=kLoop", 20 + 200 + 220);
  /* A computation that two fusions call is looked at once, and read twice. */
  {
    priced p;
    price_text(&p, "f { p = f32[100] parameter(0) ROOT s = f32[5] slice(p), slice={[0:5]} }\n"
                   "ENTRY e { a = f32[100] parameter(0) q = f32[5] fusion(a), kind=kLoop, calls=f "
                   "ROOT r = f32[5] fusion(a), kind=kLoop, calls=f }");
    CHECK(price_of(&p, "q")->own.of[MPG_HLO_BYTES] == 40);
    CHECK(price_of(&p, "r")->own.of[MPG_HLO_BYTES] == 40);
    CHECK(price_of(&p, "r")->output_bytes == 20);
    CHECK(mpg_hlo_operand_bytes(&p.cost, named(&p, "r"), 0) == 20);
    CHECK(mpg_hlo_operand_bytes(&p.cost, named(&p, "r"), 1) == 0);
    done(&p);
  }
  /* A custom fusion around a scatter moves what that does. */
  fused(ADD,
        "p = f32[100] parameter(0) i = s32[3,1] parameter(1) u = f32[3] parameter(2) ROOT s = "
        "f32[100] scatter(p, i, u), to_apply=add",
        "a = f32[100] parameter(0) i = s32[3,1] parameter(1) u = f32[3] parameter(2) ",
        "f32[100] fusion(a, i, u), kind=kCustom", 12 + 12 + 12 + 12);
}

/* ---- Collectives ---- */

static void collective(const char *header, const char *root, long long ranks, long long devices,
                       long long whole, long long wire) {
  char text[1024];
  const mpg_hlo_price *r;
  priced p;
  bool good;
  (void)snprintf(text, sizeof text,
                 "HloModule m%s\n" ADD "ENTRY e { a = f32[24] parameter(0) ROOT r = %s }\n", header,
                 root);
  price_text(&p, text);
  r = price_of(&p, "r");
  good = r->ranks == ranks && p.cost.devices == devices && r->own.of[MPG_HLO_COLLECTIVE] == whole &&
         r->own.of[MPG_HLO_WIRE] == wire;
  CHECK(good);
  if (!good)
    (void)fprintf(stderr, "  %s\n  found %lld ranks of %lld, %lld, %lld\n", root,
                  (long long)r->ranks, (long long)p.cost.devices,
                  (long long)r->own.of[MPG_HLO_COLLECTIVE], (long long)r->own.of[MPG_HLO_WIRE]);
  done(&p);
}

/* (n - 1) / n V, twice that for an all-reduce, V for a permute: nccl-tests' doc/PERFORMANCE.md. */
static void test_collectives(void) {
  collective("", "f32[24] all-reduce(a), replica_groups={{0,1,2,3}}, to_apply=add", 4, 4, 96, 144);
  collective("", "f32[48] all-gather(a), dimensions={0}, replica_groups={{0,1},{2,3}}", 2, 4, 192,
             96);
  collective("", "(f32[24], f32[48]) all-gather-start(a), dimensions={0}, replica_groups={{0,1}}",
             2, 2, 192, 96);
  collective("", "f32[6] reduce-scatter(a), replica_groups={{0,1,2,3}}, to_apply=add", 4, 4, 96,
             72);
  collective("", "f32[24] all-to-all(a), replica_groups={{0,1,2,3}}", 4, 4, 96, 72);
  collective("", "f32[24] collective-permute(a), source_target_pairs={{0,1},{1,0}}", 2, 2, 96, 96);
  /* Of a ragged one the input is the first operand; then come the output's room, and how it is cut. */
  collective("", "f32[24] ragged-all-to-all(a, a, a, a, a, a), replica_groups={{0,1,2,3}}", 4, 4,
             96, 72);
  /* Several arrays at a time, as XLA combines them. */
  collective("", "(f32[6], f32[6], f32[6]) reduce-scatter(a, a, a), replica_groups={{0,1,2,3}}", 4,
             4, 288, 216);
  collective("", "(f32[24], f32[24]) all-to-all(a, a), replica_groups={{0,1}}", 2, 2, 192, 96);
  collective(", num_partitions=8", "(f32[72], f32[72]) all-gather(a, a), dimensions={0}", 3, 8, 576,
             384);
  collective("", "(f32[24], f32[24]) all-reduce(a, a), replica_groups={{0,1}}, to_apply=add", 2, 2,
             192, 192);
  /* Groups of one move nothing, though there are more devices. */
  collective(", num_partitions=8", "f32[24] all-reduce(a), replica_groups={{0},{1}}, to_apply=add",
             1, 8, 96, 0);
  collective(", num_partitions=8",
             "f32[72] all-gather(a), dimensions={0}, replica_groups={{0},{1}}", 1, 8, 288, 0);
  collective(", num_partitions=8",
             "f32[8] reduce-scatter(a), replica_groups={{0},{1}}, to_apply=add", 1, 8, 96, 0);
  /* Groups of replicas, with all of their partitions: with a channel, and not by the numbers of all devices. */
  collective(", num_partitions=8",
             "f32[24] all-reduce(a), channel_id=1, replica_groups={{0}}, to_apply=add", 8, 8, 96,
             168);
  collective(", num_partitions=4, replica_count=2",
             "f32[24] all-reduce-start(a), channel_id=1, replica_groups={{0},{1}}, "
             "use_global_device_ids=false, to_apply=add",
             4, 8, 96, 144);
  collective(", num_partitions=4, replica_count=2",
             "f32[3] reduce-scatter(a), channel_id=1, replica_groups={{0,1}}, to_apply=add", 8, 8,
             96, 84);
  collective(", num_partitions=4, replica_count=2",
             "f32[192] all-gather(a), dimensions={0}, channel_id=1, replica_groups=[1,2]<=[2]", 8,
             8, 768, 672);
  collective(", num_partitions=2147483647",
             "f32[24] all-reduce(a), channel_id=1, replica_groups={{0}}, to_apply=add", INT32_MAX,
             INT32_MAX, 96, 191);
  collective(", num_partitions=8",
             "f32[24] all-reduce(a), channel_id=1, replica_groups={{0},{1}}, "
             "use_global_device_ids=true, to_apply=add",
             1, 8, 96, 0);
  collective(", num_partitions=8",
             "f32[24] all-reduce(a), channel_id=1, replica_groups={{0,1,2,3},{4,5,6,7}}, "
             "to_apply=add",
             4, 8, 96, 144);
  collective(", num_partitions=8", "f32[24] all-to-all(a), channel_id=1, replica_groups={{0}}", 1,
             8, 96, 0);
  /* Without groups: by the shapes, which must divide; else everybody; no more than 2^31 - 1. */
  collective(", num_partitions=8", "f32[72] all-gather(a), dimensions={0}", 3, 8, 288, 192);
  collective(", num_partitions=8", "f32[8] reduce-scatter(a), to_apply=add", 3, 8, 96, 64);
  collective(", num_partitions=8", "f32[0] reduce-scatter(a), to_apply=add", 8, 8, 96, 84);
  collective(", num_partitions=8", "f32[24] all-gather(a), dimensions={0}", 8, 8, 96, 84);
  collective(", num_partitions=2, replica_count=4", "f32[24] all-reduce(a), to_apply=add", 8, 8, 96,
             168);
  collective(", num_partitions=65536, replica_count=65536", "f32[24] all-reduce(a), to_apply=add",
             INT32_MAX, INT32_MAX, 96, 191);
  collective(", num_partitions=1073741823, replica_count=2", "f32[24] all-reduce(a), to_apply=add",
             INT32_MAX - 1, INT32_MAX - 1, 96, 191);
  collective(", num_partitions=2, replica_count=1073741824", "f32[24] all-reduce(a), to_apply=add",
             INT32_MAX, INT32_MAX, 96, 191);
  collective("", "s8[96000000000000] all-gather(a), dimensions={0}", 1, 1, 96000000000000, 0);
  /* Groups that no machine has. */
  collective("", "f32[24] all-reduce(a), replica_groups=[1,9223372036854775807]<=[8], to_apply=add",
             INT32_MAX, INT32_MAX, 96, 191);
  collective("", "f32[24] all-reduce(a), replica_groups=[4,-2]<=[8], to_apply=add", 1, 1, 96, 0);
}

static void scope(const char *header, const char *root, bool global, const char *evidence) {
  char text[1024];
  priced p;
  (void)snprintf(text, sizeof text,
                 "HloModule m%s\nENTRY e { a = f32[8] parameter(0) ROOT r = %s }", header, root);
  price_text(&p, text);
  CHECK(p.cost.is_global == global && strncmp(p.cost.evidence, evidence, strlen(evidence)) == 0);
  done(&p);
}

/* docs/hlo.md, "Per device or of all devices": the first of these that holds. */
static void test_scope(void) {
  static const char *const annotations[] = {"Sharding", "SPMDFullToShardShape", "xla.sdy.X"};
  scope("", "f32[8] negate(a)", false, "one partition");
  for (int k = 0; k < 3; k++) {
    char root[128];
    (void)snprintf(root, sizeof root, "f32[8] custom-call(a), custom_call_target=\"%s\"",
                   annotations[k]);
    scope(", is_scheduled=true, num_partitions=2", root, true, "sharding annotations");
    scope(", num_partitions=1", root, false, "one partition");
  }
  scope(", num_partitions=2", "f32[8] custom-call(a), custom_call_target=\"foo\"", true,
        "several partitions");
  scope(", num_partitions=2", "f32[8] custom-call(a), custom_call_target=\"__cublas$gemm\"", true,
        "several partitions");
  scope(", num_partitions=2", "f32[8] custom-call(a), custom_call_target=\"xla.sdx.Sharding\"",
        true, "several partitions");
  scope(", num_partitions=2", "f32[8] all-gather(a)", false, "collectives");
  scope(", num_partitions=2, is_scheduled=true", "f32[8] negate(a)", false, "is_scheduled=true");
  scope(", num_partitions=2, is_scheduled=false", "f32[8] negate(a)", true, "several partitions");
  scope(", num_partitions=2", "f32[8] fusion(a), kind=kLoop", false, "fusions");
  scope(", num_partitions=2", "f32[8] all-reduce(a)", false, "collectives");
  scope(", num_partitions=2", "f32[8] collective-permute(a)", false, "collectives");
}

/* ---- Calls ---- */

/* Only what an opcode says it calls runs. */
static void test_runs(void) {
  static const char callees[] =
      "n { x = f32[4] parameter(0) ROOT y = f32[4] negate(x) }\n"
      "x { x = f32[4] parameter(0) ROOT y = f32[4] exponential(x) }\n"
      "c { x = f32[4] parameter(0) ROOT y = pred[] is-finite(x) }\n"
      "d { x = f32[4] parameter(0) y = f32[4] negate(x) ROOT z = f32[4] negate(y) }\n";
  static const struct {
    const char *root;
    long long flops, transcendentals;
  } calls[] = {
      {"f32[4] call(a), to_apply=n", 4, 0},
      {"f32[4] call(a), calls=x", 0, 4},
      {"f32[4] call(a), to_apply=n, body=x", 4, 0},
      {"f32[4] fusion(a), calls=n, to_apply=x", 4, 0},
      {"f32[4] while(a), body=x, condition=c, to_apply=n, calls=n", 1, 4},
      {"f32[4] conditional(a, a, a), true_computation=x, false_computation=n, to_apply=c", 4, 4},
      {"f32[4] conditional(a, a, a), branch_computations={n, x}, calls=c", 4, 4},
      {"f32[4] negate(a), calls=x", 4, 0},
      /* And not the dearest of all. */
      {"f32[4] call(a), to_apply=n, body=d, condition=d, branch_computations={d, d}", 4, 0},
      {"f32[4] fusion(a), calls=n, to_apply=d, body=d, condition=d, true_computation=d", 4, 0},
      {"f32[4] while(a), body=x, condition=c, to_apply=d, calls=d, false_computation=d", 1, 4},
      {"f32[4] conditional(a, a, a), true_computation=x, false_computation=n, to_apply=d, calls=d, "
       "body=d, condition=d",
       4, 4},
      {"((f32[4]), f32[4], s32[]) async-start(a), calls=n", 4, 0},
  };
  for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
    char text[1024];
    mpg_hlo_work work;
    priced p;
    (void)snprintf(text, sizeof text, "%sENTRY e { a = f32[4] parameter(0) ROOT r = %s }\n",
                   callees, calls[k].root);
    price_text(&p, text);
    work = mpg_hlo_with_callees(&p.cost, named(&p, "r"));
    CHECK(work.of[MPG_HLO_FLOPS] == calls[k].flops &&
          work.of[MPG_HLO_TRANSCENDENTALS] == calls[k].transcendentals);
    CHECK(p.cost.sum.of[MPG_HLO_FLOPS] == calls[k].flops);
    done(&p);
  }
}

/* Executions of the computation of this name, as its work is counted. */
static long long times(const priced *p, const char *name, int counter) {
  for (size_t k = 0; k < p->m->n_computations; k++)
    if (mpg_str_eq(p->m->computations[k].name, mpg_str_of(name)))
      return (long long)p->cost.times[k].of[counter];
  return -1;
}

/*
** Seven turns of a loop: eight of its condition, fourteen of what its body calls twice. Of branches the dearest
** runs, by each counter; of two that cost the same the first.
*/
static void test_executions(void) {
  static const char text[] =
      "sq { x = f32[4,4] parameter(0) ROOT d = f32[4,4] dot(x, x), lhs_contracting_dims={1} }\n"
      "f { x = f32[4,4] parameter(0) ROOT y = f32[4,4] negate(x) }\n"
      "body { x = f32[4,4] parameter(0) u = f32[4,4] call(x), to_apply=sq v = f32[4,4] call(u), "
      "to_apply=sq "
      "ROOT w = f32[4,4] fusion(v), kind=kLoop, calls=f }\n"
      "cond { x = f32[4,4] parameter(0) ROOT y = pred[3] constant({0,0,0}) z = pred[3] not(y) }\n"
      "one { x = f32[4,4] parameter(0) ROOT y = f32[4,4] negate(x) }\n"
      "two { x = f32[4,4] parameter(0) ROOT y = f32[4,4] abs(x) }\n"
      "exp { x = f32[4] parameter(0) ROOT y = f32[4] exponential(x) }\n"
      "ENTRY e { a = f32[4,4] parameter(0) s = f32[4] parameter(1) p = s32[] parameter(2) "
      "w = f32[4,4] while(a), condition=cond, body=body, "
      "backend_config={\"known_trip_count\":{\"n\":\"7\"}} "
      "r = f32[4,4] conditional(p, a, a, s), branch_computations={one, two, exp} "
      "ROOT b = f32[4,4] dot(w, r), lhs_contracting_dims={1} }\n";
  priced p;
  price_text(&p, text);
  for (int k = MPG_HLO_FLOPS; k <= MPG_HLO_TRANSCENDENTALS; k++) {
    CHECK(times(&p, "e", k) == 1 && times(&p, "cond", k) == 8 && times(&p, "body", k) == 7);
    CHECK(times(&p, "sq", k) == 14 && times(&p, "f", k) == 7 && times(&p, "two", k) == 0);
  }
  CHECK(times(&p, "f", MPG_HLO_BYTES) == 0); /* what a fusion moves is its own */
  CHECK(times(&p, "one", MPG_HLO_FLOPS) == 1 && times(&p, "one", MPG_HLO_TRANSCENDENTALS) == 0);
  CHECK(times(&p, "exp", MPG_HLO_FLOPS) == 0 && times(&p, "exp", MPG_HLO_TRANSCENDENTALS) == 1);
  /* A dot of two matrices of 4 x 4 is 2 * 4^3; and 3 comparisons, 16 and 16 negations. */
  CHECK(p.cost.matmul[MPG_FP32] == 15LL * 128);
  CHECK(p.cost.sum.of[MPG_HLO_FLOPS] == 15LL * 128 + 8 * 3 + 7 * 16 + 16);
  CHECK(p.cost.sum.of[MPG_HLO_TRANSCENDENTALS] == 4);
  CHECK(p.cost.unknown_trips == 0 && price_of(&p, "w")->known);
  done(&p);
}

/* What XLA calls by another opcode's name and "-start" works on the results in its tuple. */
static void test_sugar(void) {
  costs("a = f32[64] parameter(0) ", "((f32[64]), f32[64], s32[]) negate-start(a)", true, 64, 0,
        256 + 256);
  costs("a = ((f32[64]), f32[64], s32[]) parameter(0) ", "f32[64] negate-done(a)", true, 0, 0,
        24 + 256);
  costs("a = ((f32[64]), f32[64], s32[]) parameter(0) ",
        "((f32[64]), f32[64], s32[]) negate-update(a)", true, 0, 0, 24 + 256 + 256 + 4);
  costs("a = f32[64] parameter(0) ", "f32[64] frobnicate-start(a)", false, 0, 0, 0);
  costs("a = f32[64] parameter(0) ", "f32[64] frobnicate-done(a)", false, 0, 0, 0);
  costs("a = f32[64] parameter(0) ", "f32[64] frobnicate-update(a)", false, 0, 0, 0);
  costs("a = f32[64] parameter(0) ", "f32[64] -start(a)", false, 0, 0, 0);
}

/* Parameters and result of the entry; a hole among the parameters has no bytes. */
static void test_entry(void) {
  priced p;
  price_text(&p, "ENTRY e { b = (f32[4], f64[2]) parameter(2) a = f32[3] parameter(0) ROOT t = "
                 "(f32[3], f32[3]) tuple(a, a) }");
  CHECK(p.cost.parameter_bytes == 16 + 16 + 12 && p.cost.result_bytes == 24);
  done(&p);
  price_text(&p, "ENTRY e { }");
  CHECK(p.cost.parameter_bytes == 0 && p.cost.result_bytes == 0 && p.cost.known == 0);
  done(&p);
}

/* More names than the table begins with, some of them in both computations, one twice; parameters whose numbers
** go beyond what their computation holds (price_text looks at each). */
static void test_names(void) {
  enum { N = 3000 };
  static const char *const odd[] = {
      "ENTRY e { ROOT p = f32[] parameter(7) }", "ENTRY e { ROOT p = f32[] parameter(1) }",
      "ENTRY e { p = f32[] parameter(2) ROOT q = f32[] parameter(0) }",
      "ENTRY e { p = f32[] parameter(1) ROOT q = f32[] parameter(1) }"};
  char *text = malloc((size_t)N * 64), *at = text;
  priced p;
  uint32_t f, e;
  if (text == NULL)
    abort();
  at = put(at, "f { ");
  for (int i = 0; i < N; i++)
    at += sprintf(at, "v%d = f32[] constant(0)\n", i);
  at = put(at, "}\nENTRY e { ");
  for (int i = 0; i < N / 2; i++)
    at += sprintf(at, "v%d = f32[] constant(0)\n", 2 * i);
  *put(at, "f = f32[] constant(0) v0 = f32[] constant(1) }\n") = '\0';
  price_text(&p, text);
  f = mpg_hlo_find(p.m, MPG_HLO_NONE, MPG_STR("f"));
  e = mpg_hlo_find(p.m, MPG_HLO_NONE, MPG_STR("e"));
  CHECK((f & 0x7fffffff) == 0 && (e & 0x7fffffff) == 1);
  for (uint32_t i = 0; i < N; i++) {
    char name[16];
    uint32_t in_e = i % 2 != 0 ? MPG_HLO_NONE : i == 0 ? N + N / 2 + 1 : N + i / 2;
    (void)snprintf(name, sizeof name, "v%u", i);
    CHECK(mpg_hlo_find(p.m, 0, mpg_str_of(name)) == i);
    CHECK(mpg_hlo_find(p.m, 1, mpg_str_of(name)) == in_e);
  }
  CHECK(mpg_hlo_find(p.m, 1, MPG_STR("f")) == N + N / 2 &&
        mpg_hlo_find(p.m, 0, MPG_STR("f")) == MPG_HLO_NONE);
  done(&p);
  free(text);
  for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
    price_text(&p, odd[k]);
    done(&p);
  }
}

/* ---- Faults ---- */

/* Stopped at each look at an interruption, pricing says so; what is priced again then is as ever. */
static void test_stop(void) {
  enum { N = 70000 };
  static const char head[] = "ENTRY e { v = f32[8] parameter(0)\n";
  static const char piece[] = "v = f32[8] negate(v)\n";
  char *text = malloc(sizeof head + N * (sizeof piece - 1) + 2), *at = text;
  mpg_hlo_cost cost;
  mpg_err err;
  priced p;
  long looks = 0;
  if (text == NULL)
    abort();
  at = put(at, head);
  for (int i = 0; i < N; i++)
    at = put(at, piece);
  *put(at, "}\n") = '\0';
  price_text(&p, text);
  for (mpg_rc rc = MPG_INTERRUPTED; rc == MPG_INTERRUPTED; looks++) {
    hostile h = {0, 0, false, false, looks + 2};
    mpg_env env = hostile_env(&h);
    mpg_hlo_cost_init(&cost, &env);
    rc = mpg_hlo_cost_module(&cost, p.m, &err);
    CHECK(rc == (h.stop_in == 1 ? MPG_INTERRUPTED : MPG_OK));
    CHECK(rc == MPG_OK || strcmp(err.text, "interrupted") == 0);
    if (rc == MPG_OK)
      CHECK(cost.sum.of[MPG_HLO_FLOPS] == 8LL * N);
    mpg_hlo_cost_free(&cost);
    CHECK(h.live == 0);
  }
  CHECK(looks > 18 && looks < 40); /* in reading, pricing, counting runs, summing up */
  done(&p);
  free(text);
  memset(&cost, 0, sizeof cost);
  mpg_hlo_cost_free(&cost); /* never begun */
}

/* Each allocation of pricing fails, once or with all that follow: an error or the same figures. */
static void test_faults(void) {
  static const char text[] =
      "f { t = (f32[8], (f32[4], f32[2])) parameter(0) x = f32[8] get-tuple-element(t), index=0 u "
      "= "
      "(f32[4], f32[2]) get-tuple-element(t), index=1 y = f32[2] get-tuple-element(u), index=1 "
      "ROOT "
      "r = (f32[8], f32[2]) tuple(x, y) }\n"
      "ENTRY e { t = (f32[8], (f32[4], f32[2])) parameter(0) ROOT r = (f32[8], f32[2]) fusion(t), "
      "kind=kLoop, calls=f }";
  long points = 0;
  mpg_err err;
  priced p;
  price_text(&p, text);
  for (int and_after = 0; and_after < 2; and_after++)
    for (long n = 1;; n++) {
      hostile h = {0, n, and_after, false, 0};
      mpg_env env = hostile_env(&h);
      mpg_hlo_cost cost;
      mpg_rc rc;
      mpg_hlo_cost_init(&cost, &env);
      rc = mpg_hlo_cost_module(&cost, p.m, &err);
      CHECK(rc == (h.failed ? MPG_NOMEM : MPG_OK));
      CHECK(rc != MPG_NOMEM || strcmp(err.text, "out of memory") == 0);
      CHECK(rc != MPG_OK || cost.sum.of[MPG_HLO_BYTES] == p.cost.sum.of[MPG_HLO_BYTES]);
      mpg_hlo_cost_free(&cost);
      CHECK(h.live == 0);
      if (!h.failed)
        break;
      points++;
    }
  CHECK(points >= 10);
  done(&p);
}

int main(void) {
  test_dots();
  test_convolutions();
  test_every_window();
  test_long_windows();
  test_applied();
  test_annotations();
  test_transposes();
  test_every_transpose();
  test_operands();
  test_read();
  test_fusions();
  test_collectives();
  test_scope();
  test_runs();
  test_executions();
  test_sugar();
  test_entry();
  test_names();
  test_faults();
  test_stop();
  return check_done("hlo_cost");
}
