/* roofline.c - see roofline.h. */
#include "roofline.h"
#include "../base/text.h"

#include <math.h>

static mpg_rc unknown_chip(const mpg_chips *chips, mpg_str chip, mpg_err *err) {
  char near[256], found[MPG_EXCERPT];
  mpg_text_excerpt(chip, found);
  mpg_chips_nearest(chips, chip, near, sizeof near);
  if (near[0] == '\0')
    return mpg_fail(err, MPG_DATA, "unknown chip '%s'; the catalogue is table mpg_chips", found);
  return mpg_fail(err, MPG_DATA, "unknown chip '%s'; nearest: %s", found, near);
}

static mpg_rc unknown_dtype(const mpg_chips *chips, const char *chip, mpg_str dtype, mpg_err *err) {
  char has[256], found[MPG_EXCERPT];
  mpg_chips_dtypes(chips, chip, has, sizeof has);
  if (dtype.n == 0)
    return mpg_fail(err, MPG_DATA, "chip '%.64s' has no peak for bf16, fp16 or fp32; it has: %s",
                    chip, has);
  mpg_text_excerpt(dtype, found);
  return mpg_fail(err, MPG_DATA, "chip '%.64s' has no peak for dtype '%s'; it has: %s", chip, found,
                  has);
}

mpg_rc mpg_roofline_row(const mpg_chips *chips, mpg_str chip, mpg_str dtype,
                        const mpg_chip_row **row, mpg_err *err) {
  const char *name = mpg_chips_find(chips, chip);
  if (name == NULL)
    return unknown_chip(chips, chip, err);
  *row = mpg_chips_peak(chips, name, dtype);
  return *row == NULL ? unknown_dtype(chips, name, dtype, err) : MPG_OK;
}

mpg_rc mpg_roofline_of(const mpg_chip_row *row, double flops, double bytes, mpg_roofline *out,
                       mpg_err *err) {
  double compute, memory;
  if (!isfinite(flops) || flops < 0)
    return mpg_fail(err, MPG_DATA, "expected finite flops of at least 0, found %.15g", flops);
  compute = flops / row->peak_flops;
  *out = (mpg_roofline){compute, false};
  if (isnan(bytes))
    return MPG_OK;
  if (isinf(bytes) || bytes < 0)
    return mpg_fail(err, MPG_DATA, "expected finite bytes of at least 0, found %.15g", bytes);
  if (bytes == 0.0)
    return MPG_OK;
  if (isnan(row->hbm_bytes_per_s))
    return mpg_fail(err, MPG_DATA, "chip '%.64s' has no bandwidth in the catalogue", row->chip);
  memory = bytes / row->hbm_bytes_per_s;
  if (memory > compute)
    *out = (mpg_roofline){memory, true};
  return MPG_OK;
}
