/* job_size.c - see job_size.h. */
#include "job_size.h"
#include "../base/number.h"
#include "../base/text.h"

#include <string.h>

#define CHIP INT64_C(1000000)
#define THREE_SIZES "three rising numbers of chips such as '16,256,2048'"
#define FOUND_TEXT 80 /* how much of a bad text a message shows */

const mpg_sizes mpg_sizes_default = {{16 * CHIP, 256 * CHIP, 2048 * CHIP}};

static bool parse_sizes(mpg_str text, mpg_sizes *sizes) {
  for (int i = 0; i < 3; i++) {
    size_t n = 0;
    while (n < text.n && text.p[n] != ',')
      n++;
    if (!mpg_scaled_parse((mpg_str){text.p, n}, 6, &sizes->from[i]) ||
        sizes->from[i] <= (i > 0 ? sizes->from[i - 1] : 0) || (n < text.n) != (i < 2))
      return false;
    if (i < 2) {
      text.p += n + 1;
      text.n -= n + 1;
    }
  }
  return true;
}

mpg_rc mpg_sizes_parse(mpg_str text, mpg_sizes *sizes, mpg_err *err) {
  mpg_sizes found;
  if (!parse_sizes(text, &found))
    return mpg_fail(err, MPG_MISUSE, "expected " THREE_SIZES ", found '%.*s'",
                    text.n > FOUND_TEXT ? FOUND_TEXT : (int)text.n, text.n > 0 ? text.p : "");
  *sizes = found;
  return MPG_OK;
}

uint8_t mpg_size_class(const mpg_sizes *sizes, int64_t chips) {
  uint8_t size = 1;
  while (size < 4 && chips >= sizes->from[size - 1])
    size++;
  return size;
}

const char *mpg_size_name(uint8_t size) {
  static const char *const names[] = {NULL, "S", "M", "L", "XL"};
  return names[size];
}

static mpg_rc sizes_of(const mpg_value *bounds, mpg_sizes *sizes, mpg_err *err) {
  return bounds->type == MPG_TEXT ? mpg_sizes_parse(bounds->s, sizes, err)
                                  : mpg_fail_expected(err, THREE_SIZES, bounds);
}

mpg_rc mpg_size_of(const mpg_value *chips, const mpg_value *bounds, const char **name,
                   mpg_err *err) {
  mpg_sizes sizes = mpg_sizes_default;
  int64_t millionths = 0;
  bool ok;
  mpg_err why;
  *name = NULL;
  if (bounds != NULL) {
    if (bounds->type == MPG_NULL)
      return MPG_OK;
    if (sizes_of(bounds, &sizes, &why) != MPG_OK)
      return mpg_fail(err, MPG_MISUSE, "bounds: %s", why.text);
  }
  if (chips->type == MPG_NULL)
    return MPG_OK;
  if (chips->type == MPG_INT) {
    ok = chips->i >= 0 && chips->i <= INT64_MAX / CHIP;
    millionths = ok ? chips->i * CHIP : 0;
  } else if (chips->type == MPG_REAL) {
    ok = mpg_scaled_real(chips->r, 6, &millionths) && millionths >= 0;
  } else {
    ok = mpg_scaled_parse(chips->s, 6, &millionths) && millionths >= 0;
  }
  if (!ok)
    return mpg_fail_expected(err, "a number of chips", chips);
  *name = mpg_size_name(mpg_size_class(&sizes, millionths));
  return MPG_OK;
}
