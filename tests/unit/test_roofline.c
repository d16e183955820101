/* The roofline against figures worked out by hand. */
#include "../../ext/program/roofline.h"
#include "check.h"

#include <math.h>
#include <string.h>

static mpg_chips *chips;
static mpg_err err;

static mpg_rc roofline(const char *chip, const char *dtype, double flops, double bytes,
                       mpg_roofline *out) {
  const mpg_chip_row *row = NULL;
  mpg_rc rc = mpg_roofline_row(chips, mpg_str_of(chip), mpg_str_of(dtype), &row, &err);
  return rc != MPG_OK ? rc : mpg_roofline_of(row, flops, bytes, out, &err);
}

static void test_seconds(void) {
  mpg_roofline r = {-1, false};
  /* TPU v4: 275e12 FLOP/s and 1.2e12 B/s. */
  CHECK(roofline("tpu-v4", "", 275e12, (double)NAN, &r) == MPG_OK);
  CHECK(r.seconds == 1 && !r.memory_bound);
  CHECK(roofline("TPU v4", "bf16", 550e12, 1.2e12, &r) == MPG_OK);
  CHECK(r.seconds == 2 && !r.memory_bound);
  CHECK(roofline("tpu-v4", "bf16", 275e12, 3.6e12, &r) == MPG_OK);
  CHECK(r.seconds == 3 && r.memory_bound);
  /* At the ridge the two are equal: compute. */
  CHECK(roofline("tpu-v4", "bf16", 275e12, 1.2e12, &r) == MPG_OK);
  CHECK(r.seconds == 1 && !r.memory_bound);
  CHECK(roofline("tpu-v4", "bf16", 0, 0, &r) == MPG_OK);
  CHECK(r.seconds == 0 && !r.memory_bound);
  CHECK(roofline("tpu-v4", "bf16", 0, 1.2e12, &r) == MPG_OK);
  CHECK(r.seconds == 1 && r.memory_bound);
  /* H100: fp8 is twice as fast as bf16. */
  CHECK(roofline("nvidia-h100-sxm", "f8e4m3fn", 1979e12, (double)NAN, &r) == MPG_OK);
  CHECK(r.seconds == 1);
}

static bool fails_with(mpg_rc rc, const char *text) {
  if (rc != MPG_DATA || strcmp(err.text, text) != 0)
    (void)fprintf(stderr, "  %s\n", err.text);
  return rc == MPG_DATA && err.rc == rc && strcmp(err.text, text) == 0;
}

static void test_errors(void) {
  mpg_chip_row own = {.chip = "acme", .dtype = "fp8", .peak_flops = 1e12};
  mpg_roofline r = {-1, false};
  own.hbm_bytes = own.hbm_bytes_per_s = own.ici_bytes_per_s = own.tdp_w = (double)NAN;
  CHECK(fails_with(
      roofline("h1000", "", 1, (double)NAN, &r),
      "unknown chip 'h1000'; nearest: nvidia-h100-sxm, nvidia-h100-pcie, nvidia-h100-nvl"));
  CHECK(fails_with(roofline("qqqq", "", 1, (double)NAN, &r),
                   "unknown chip 'qqqq'; the catalogue is table mpg_chips"));
  CHECK(fails_with(roofline("", "", 1, (double)NAN, &r),
                   "unknown chip ''; the catalogue is table mpg_chips"));
  CHECK(fails_with(roofline("TPU v2", "fp8", 1, (double)NAN, &r),
                   "chip 'tpu-v2' has no peak for dtype 'fp8'; it has: bf16"));
  CHECK(fails_with(roofline("tpu-v2", "", -1, (double)NAN, &r),
                   "expected finite flops of at least 0, found -1"));
  CHECK(fails_with(roofline("tpu-v2", "", (double)INFINITY, (double)NAN, &r),
                   "expected finite flops of at least 0, found inf"));
  CHECK(roofline("tpu-v2", "", (double)NAN, 1, &r) == MPG_DATA);
  CHECK(fails_with(roofline("tpu-v2", "", 1, -2.5, &r),
                   "expected finite bytes of at least 0, found -2.5"));
  CHECK(fails_with(roofline("tpu-v2", "", 1, (double)INFINITY, &r),
                   "expected finite bytes of at least 0, found inf"));
  CHECK(mpg_chips_add(chips, &own, &err) == MPG_OK);
  CHECK(fails_with(roofline("acme", "fp8", 1, 1, &r), "chip 'acme' has no bandwidth in the "
                                                      "catalogue"));
  CHECK(roofline("acme", "fp8", 1e12, (double)NAN, &r) == MPG_OK && r.seconds == 1);
  CHECK(fails_with(roofline("acme", "", 1, 1, &r),
                   "chip 'acme' has no peak for bf16, fp16 or fp32; it has: fp8"));
}

int main(void) {
  CHECK(mpg_chips_new(&chips, &mpg_env_libc, &err) == MPG_OK);
  test_seconds();
  test_errors();
  mpg_chips_free(chips);
  return check_done("roofline");
}
