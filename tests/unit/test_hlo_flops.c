/*
** Tests of ext/program/hlo/hlo_flops.c by instructions: the FLOPs of dots, convolutions and what is
** applied to elements, counted by hand from the formulas of hlo_opcode.h, which are those of
** XLA's HloCostAnalysis.
*/
#include "hlo_priced.h"

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
  /* An outer product contracts nothing. Lists that do not lead to the result have no price. */
  costs("a = f32[4] parameter(0) b = f32[6] parameter(1) ", "f32[4,6] dot(a, b)", true, 2LL * 24, 0,
        4LL * (4 + 6 + 24));
  costs("a = f32[4] parameter(0) b = f32[6] parameter(1) ",
        "f32[4,6] dot(a, b), lhs_contracting_dims={-1,9,99999999999999999999}", false, 0, 0,
        4LL * (4 + 6 + 24));
  costs(two, "f32[4,6] dot(a, b), lhs_contracting_dims=frobnicated", false, 0, 0,
        4LL * (140 + 210 + 24));
  costs(two, "f32[4,6] dot(a, b)", false, 0, 0, 4LL * (140 + 210 + 24));
  costs(batch, "f32[3,4,6] dot(a, b), lhs_contracting_dims={2}", false, 0, 0, 4LL * (60 + 90 + 72));
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
  /* However long: n (n + 1) / 2 pairs of two places whose sum is below n; half of them, of an
  ** even sum. */
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

/* Windows of every kind over a line, beside each place of each of them: a pair is where the kernel
** meets an element, rather than padding or a hole between two elements. */
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

/* Long ones, beside what each place of the kernel meets: strides and windows beyond 32 bits in
** their product. */
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
  ** A window over a whole dimension from anywhere in it is a scan, which XLA makes a reduction. No
  ** scan: with two dimensions of it, in a tuple, with padding on one side, without anything to
  ** reduce.
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
** Custom calls that annotate cost nothing, and that is known; a name that only begins like one is
** none. By who writes them: XLA's partitioner, Shardy, JAX's offloading to the host, XLA's passes,
** and PyTorch for Neuron, which marks how weights are moved.
*/
static void test_annotations(void) {
  static const char free_of_cost[] =
      "Sharding InspectSharding SPMDFullToShardShape SPMDShardToFullShape "
      "xla.sdy.FuncResultSharding sdy.sharding_constraint "
      "annotate_device_placement MoveToHost MoveToDevice "
      "AllocateBuffer Pin Unpin LayoutConstraint AssumeGatherIndicesInBound "
      "__xla_internal_call_marker_before __xla_internal_call_marker_after "
      "AwsNeuronTransferWithStaticRing ";
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

int main(void) {
  test_dots();
  test_convolutions();
  test_every_window();
  test_long_windows();
  test_applied();
  test_annotations();
  return check_done("hlo_flops");
}
