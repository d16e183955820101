/*
** number.h - numbers in text, exactly and without the host's locale.
*/
#ifndef MPG_NUMBER_H
#define MPG_NUMBER_H

#include "base.h"

#include <float.h>
#include <string.h>

/* Each takes the whole of `text` or returns false and leaves *out alone. No white space, no "+". */

/* -?[0-9]+ within int64. */
bool mpg_int_parse(mpg_str text, int64_t *out);
/* Whether a value is a whole number, or a text of one, as of clients that bind texts alone. */
bool mpg_value_int(const mpg_value *value, int64_t *out);
/* A decimal number with optional fraction and exponent ("1", "1.", ".5", "1e+9"), correctly rounded
** as strtod does in the C locale; no hexadecimal, no "inf" or "nan"; a value that overflows to
** infinity is refused, one that underflows is a denormal or 0. */
bool mpg_real_parse(mpg_str text, double *out);
/* A decimal number times 10^scale, rounded half to even to an int64: "0.5", scale 6 -> 500000.
** No detour through double: exact. scale is 0..9. An exponent part is accepted. */
bool mpg_scaled_parse(mpg_str text, int scale, int64_t *out);
/* The same of a double: rounded half to even; false for NaN, infinities and what does not fit. */
bool mpg_scaled_real(double v, int scale, int64_t *out);

/* Eight bytes, the first of them the lowest of the word on every processor. */
static inline uint64_t mpg_word(const char *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return le64toh(v);
}

/* The number that eight digits make; false if one of the bytes is none. */
static inline bool mpg_eight_digits(uint64_t v, uint64_t *out) {
  const uint64_t high = UINT64_C(0xf0f0f0f0f0f0f0f0), low = UINT64_C(0x0f0f0f0f0f0f0f0f);
  if (((v & high) | ((v + UINT64_C(0x0606060606060606)) & high) >> 4) !=
      UINT64_C(0x3333333333333333))
    return false;
  v = (v & low) * (1 + (10 << 8)) >> 8;
  v = (v & UINT64_C(0x00ff00ff00ff00ff)) * (1 + (UINT64_C(100) << 16)) >> 16;
  *out = (v & UINT64_C(0x0000ffff0000ffff)) * (1 + (UINT64_C(10000) << 32)) >> 32;
  return true;
}

/* The number of 1 to 16 digits. The 8 bytes after the text must be readable, with any value. False:
** it is none, or longer. */
static inline bool mpg_digits_parse(const char *p, size_t n, uint64_t *out) {
  const uint64_t zeros = UINT64_C(0x3030303030303030);
  uint64_t first = mpg_word(p), last;
  if (n - 1 < 8) /* as if zeros stood before it */
    return mpg_eight_digits(first << (64 - 8 * n) | (zeros >> 1) >> (8 * n - 1), out);
  if (n - 1 >= 16)
    return false;
  last = mpg_word(p + n - 8);
  if (n < 16)
    first = first << (128 - 8 * n) | zeros >> (8 * n - 64);
  if (!mpg_eight_digits(first, &first) || !mpg_eight_digits(last, &last))
    return false;
  *out = first * 100000000 + last;
  return true;
}
/* The same for "-12.25", with the result of mpg_real_parse: up to 20 bytes, with 16 readable after
** them. */
bool mpg_real_quick(const char *p, size_t n, double *out);

/* "1767891265.323983", 17 bytes as a clock prints them, in millionths: the quick way of
** mpg_scaled_parse, which takes everything. */
static inline bool mpg_clock_parse(const char *p, int64_t *out) {
  uint64_t first = mpg_word(p), last = mpg_word(p + 9), seconds, micros;
  if (p[10] != '.' || p[8] < '0' || p[8] > '9' || p[9] < '0' || p[9] > '9')
    return false;
  last = (last & ~UINT64_C(0xffff)) | 0x3030; /* p[9] and the point, as zeros */
  if (!mpg_eight_digits(first, &seconds) || !mpg_eight_digits(last, &micros))
    return false;
  seconds = seconds * 100 + (uint64_t)(p[8] - '0') * 10 + (uint64_t)(p[9] - '0');
  *out = (int64_t)(seconds * 1000000 + micros);
  return true;
}

/*
** The same for either form, with the result of mpg_real_parse: up to 20 bytes, with 16 readable
** after them.
*/
static inline bool mpg_real_fast(const char *p, size_t n, double *out) {
  int64_t millionths;
  if (n == 17 && FLT_EVAL_METHOD == 0 && mpg_clock_parse(p, &millionths) &&
      millionths <= INT64_C(1) << 53) {
    *out = (double)millionths / 1e6;
    return true;
  }
  return mpg_real_quick(p, n, out);
}

#endif
