/*
** number.c - numbers in text: see number.h.
**
** A text is first taken apart into sign, significant digits and the power of ten of the digit
** before the first one (`decimal`); each conversion then starts from those parts. Real numbers take
** one of three roads, all of them exact:
**   1. at most 2^53 times a power of ten within 10^22: both are doubles, so one multiplication or
**      division rounds once (W. D. Clinger, "How to Read Floating Point Numbers Accurately", 1990);
**   2. at most 19 digits times a power of ten within 10^19: 128-bit integers, a sticky last bit;
**   3. strtod_l in the C locale, on a copy of bounded length: no double, and no midpoint between
**      two, has more than 768 significant digits, so that 800 and a sticky digit decide as all do.
*/
#define _GNU_SOURCE
#include "number.h"
#include "ascii.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPONENT_LIMIT 1000000000000000 /* above any text's length, far below an int64 */
#define REAL_DIGITS 800

/* A decimal number taken apart: the value is 0.D1 D2 D3 ... times 10^point, where the D are the
** digits of `text` between `first` and `last` without the decimal point, D1 is not 0. */
typedef struct decimal {
  bool negative;
  bool zero;
  const char *first, *last; /* from the first digit other than 0 to after the last digit */
  int64_t point;
  uint64_t head; /* the first digits, at most 19 */
  int head_digits;
  bool head_is_all; /* after the head there are only zeros */
} decimal;

/* Every one of these is a double without rounding, so the casts are exact. */
#define TEN(n) (uint64_t)1e##n
static const uint64_t power_of_ten[20] = {
    TEN(0),  TEN(1),  TEN(2),  TEN(3),  TEN(4),  TEN(5),  TEN(6),  TEN(7),  TEN(8),  TEN(9),
    TEN(10), TEN(11), TEN(12), TEN(13), TEN(14), TEN(15), TEN(16), TEN(17), TEN(18), TEN(19)};

/* Behind the zeros at p, eight at a time: a hostile number has millions of them. */
static const char *after_zeros(const char *p, const char *end) {
  const uint64_t zeros = UINT64_C(0x3030303030303030);
  for (uint64_t w; end - p >= 8; p += 8) {
    memcpy(&w, p, 8);
    if (w != zeros)
      break;
  }
  while (p < end && *p == '0')
    p++;
  return p;
}

/* After the digits at p, likewise; *other is set if one of them is not 0. */
static const char *after_digits(const char *p, const char *end, bool *other) {
  const uint64_t zeros = UINT64_C(0x3030303030303030);
  for (uint64_t w, ignored; end - p >= 8; p += 8) {
    memcpy(&w, p, 8);
    if (w == zeros)
      continue;
    if (!mpg_eight_digits(w, &ignored))
      break;
    *other = true;
  }
  for (; p < end && mpg_is_digit(*p); p++)
    *other |= *p != '0';
  return p;
}

bool mpg_int_parse(mpg_str text, int64_t *out) {
  const char *p = text.p, *end;
  bool negative = text.n > 0 && *p == '-';
  uint64_t limit = (uint64_t)INT64_MAX + negative, v = 0;
  if (text.n == negative)
    return false;
  end = p + text.n;
  if (negative)
    p++;
  if (end - p > 19)
    p = after_zeros(p, end);
  for (; p < end; p++) {
    uint64_t digit = (uint64_t)(*p - '0');
    if (!mpg_is_digit(*p) || v > (limit - digit) / 10)
      return false;
    v = v * 10 + digit;
  }
  *out = negative ? (int64_t)(0 - v) : (int64_t)v;
  return true;
}

bool mpg_value_int(const mpg_value *value, int64_t *out) {
  if (value->type == MPG_TEXT)
    return mpg_int_parse(value->s, out);
  if (value->type == MPG_INT)
    *out = value->i;
  return value->type == MPG_INT;
}

/* The exponent part, [eE][+-]?[0-9]+, up to the end of the text. Saturates: beyond 10^15 only the
** sign matters, for no text has so many digits. */
static bool exponent_parse(const char *p, const char *end, int64_t *out) {
  int64_t v = 0;
  bool negative = false, ignored = false;
  if (p < end && (*p == '+' || *p == '-'))
    negative = *p++ == '-';
  if (p == end)
    return false;
  for (; p < end; p++) {
    if (!mpg_is_digit(*p))
      return false;
    if (v == 0 && *p == '0')
      p = after_zeros(p, end) - 1;
    else if (v < EXPONENT_LIMIT)
      v = v * 10 + (*p - '0');
    else
      p = after_digits(p, end, &ignored) - 1;
  }
  *out = negative ? -v : v;
  return true;
}

/* -?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)? */
static bool decimal_parse(mpg_str text, decimal *d) {
  const char *p, *end, *point = NULL;
  bool digits = false;
  memset(d, 0, sizeof *d);
  if (text.n == 0)
    return false;
  p = text.p;
  end = p + text.n;
  d->head_is_all = true;
  if (p < end && *p == '-') {
    d->negative = true;
    p++;
  }
  for (; p < end; p++) {
    if (mpg_is_digit(*p)) {
      digits = true;
      if (d->first == NULL) {
        if (*p == '0') {
          p = after_zeros(p, end) - 1;
          continue;
        }
        d->first = p;
      }
      if (d->head_digits < 19) {
        d->head = d->head * 10 + (uint64_t)(*p - '0');
        d->head_digits++;
      } else {
        bool other = false;
        p = after_digits(p, end, &other) - 1;
        d->head_is_all &= !other;
      }
    } else if (*p == '.' && point == NULL) {
      point = p;
    } else {
      break;
    }
  }
  if (!digits)
    return false;
  d->last = p;
  d->zero = d->first == NULL;
  if (!d->zero) {
    if (point == NULL)
      point = p;
    d->point = point > d->first ? point - d->first : point + 1 - d->first;
  }
  if (p < end) {
    int64_t exponent;
    if ((*p != 'e' && *p != 'E') || !exponent_parse(p + 1, end, &exponent))
      return false;
    d->point += exponent;
  }
  return true;
}

/* m / 10^k, correctly rounded. m is not 0, k is 0..19. */
static double divide_by_power_of_ten(uint64_t m, int k) {
  int shift = __builtin_clzll(m);
  mpg_u128 n = (mpg_u128)(m << shift) << 64;
  mpg_u128 q = n / power_of_ten[k];
  /* q has 64 bits or more, so its last bit can be set for all bits that follow. */
  q |= q * power_of_ten[k] != n;
  return ldexp((double)q, -64 - shift);
}

static bool real_by_strtod(const decimal *d, double *out) {
  char buf[REAL_DIGITS + 16];
  size_t n = 0;
  int64_t exponent = d->point;
  bool sticky = false;
  locale_t c_locale;
  double v;
  buf[n++] = '.';
  for (const char *p = d->first; p < d->last; p++) {
    if (*p == '.')
      continue;
    if (n <= REAL_DIGITS)
      buf[n++] = *p;
    else
      p = after_digits(p, d->last, &sticky) - 1;
  }
  if (sticky)
    buf[n++] = '1';
  buf[n++] = 'e';
  /* Beyond +-9999 every number is infinite or 0, with any digits. */
  if (exponent < 0) {
    buf[n++] = '-';
    exponent = -exponent;
  }
  if (exponent > 9999)
    exponent = 9999;
  for (int64_t unit = 1000; unit > 0; unit /= 10)
    buf[n++] = (char)('0' + exponent / unit % 10);
  buf[n] = '\0';
  /* glibc's "C" locale object is a constant: nothing is allocated here, or freed. */
  c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (c_locale == (locale_t)0)
    return false;
  v = strtod_l(buf, NULL, c_locale);
  freelocale(c_locale);
  if (isinf(v))
    return false;
  *out = v;
  return true;
}

static const double exact[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* What nearly every number of a log looks like: digits, perhaps a point and digits, 18 bytes at
** most, on the first road. False sends a text the long way. */
static bool real_quick(mpg_str text, double *out) {
  const char *p = text.p, *end, *point;
  uint64_t v = 0;
  if (text.n == 0 || text.n > 18 || FLT_EVAL_METHOD != 0)
    return false;
  point = end = p + text.n;
  for (; p < end && mpg_is_digit(*p); p++)
    v = v * 10 + (uint64_t)(*p - '0');
  if (p == text.p)
    return false;
  if (p < end) {
    if (*p != '.')
      return false;
    for (point = ++p; p < end && mpg_is_digit(*p); p++)
      v = v * 10 + (uint64_t)(*p - '0');
    if (p < end)
      return false;
  }
  if (v > UINT64_C(1) << 53)
    return false;
  *out = (double)v / exact[end - point];
  return true;
}

bool mpg_real_quick(const char *p, size_t n, double *out) {
  const uint64_t ones = UINT64_C(0x0101010101010101);
  bool negative = n > 1 && *p == '-';
  uint64_t whole, part, w;
  size_t point = 0;
  double v;
  p += negative;
  n -= negative;
  if (n > 20 || FLT_EVAL_METHOD != 0)
    return false;
  do { /* the first byte that is zero of what is no point elsewhere */
    w = mpg_word(p + point);
    w ^= ones * '.';
    w = (w - ones) & ~w & ones << 7;
    point += w != 0 ? (size_t)__builtin_ctzll(w) / 8 : 8;
  } while (w == 0 && point < n);
  if (point >= n) {
    if (!mpg_digits_parse(p, n, &whole) || whole > UINT64_C(1) << 53)
      return false;
    v = (double)whole;
  } else {
    size_t after = n - point - 1;
    if (n > 19 || !mpg_digits_parse(p, point, &whole) ||
        !mpg_digits_parse(p + point + 1, after, &part))
      return false;
    whole = whole * power_of_ten[after] + part; /* of 18 digits at most */
    if (whole > UINT64_C(1) << 53)
      return false;
    v = (double)whole / exact[after];
  }
  *out = negative ? -v : v;
  return true;
}

bool mpg_real_parse(mpg_str text, double *out) {
  decimal d;
  double v;
  if (real_quick(text, out))
    return true;
  if (!decimal_parse(text, &d))
    return false;
  if (d.zero) {
    v = 0.0;
  } else {
    int64_t e = d.point - d.head_digits; /* the value is head * 10^e, if the head is all */
    if (d.head_is_all && FLT_EVAL_METHOD == 0 && d.head <= UINT64_C(1) << 53 && e >= -22 &&
        e <= 22) {
      v = e < 0 ? (double)d.head / exact[-e] : (double)d.head * exact[e];
    } else if (d.head_is_all && e >= 0 && e <= 19) {
      v = (double)((mpg_u128)d.head * power_of_ten[e]);
    } else if (d.head_is_all && e < 0 && e >= -19) {
      v = divide_by_power_of_ten(d.head, (int)-e);
    } else if (!real_by_strtod(&d, &v)) {
      return false;
    }
  }
  *out = d.negative ? -v : v;
  return true;
}

/* Applies the sign to a magnitude, if the result fits. */
static bool signed_fit(bool negative, mpg_u128 v, int64_t *out) {
  if (v > (mpg_u128)INT64_MAX + negative)
    return false;
  *out = negative ? (int64_t)(0 - (uint64_t)v) : (int64_t)(uint64_t)v;
  return true;
}

/* What nearly every time and number of chips looks like: up to 18 digits with the scale, none past
** it. False sends a text the long way. */
static bool scaled_quick(mpg_str text, int scale, int64_t *out) {
  const char *p = text.p, *end, *point;
  int64_t v = 0;
  if (text.n == 17 && scale == 6 && mpg_clock_parse(p, out))
    return true;
  if (text.n == 0 || text.n > 18)
    return false;
  end = p + text.n;
  for (; p < end && mpg_is_digit(*p); p++)
    v = v * 10 + (*p - '0');
  if (p == text.p || p - text.p + scale > 18)
    return false;
  if (p < end) {
    if (*p != '.' || end - p - 1 > scale || end - p == 1)
      return false;
    for (point = ++p; p < end && mpg_is_digit(*p); p++)
      v = v * 10 + (*p - '0');
    if (p < end)
      return false;
    scale -= (int)(p - point);
  }
  *out = v * (int64_t)power_of_ten[scale];
  return true;
}

bool mpg_scaled_parse(mpg_str text, int scale, int64_t *out) {
  decimal d;
  int64_t left; /* digits that lie before the scaled decimal point */
  uint64_t v = 0;
  int next = 0; /* the first digit after it */
  bool more = false;
  if (scale < 0 || scale > 9)
    return false;
  if (scaled_quick(text, scale, out))
    return true;
  if (!decimal_parse(text, &d))
    return false;
  if (d.zero) {
    *out = 0;
    return true;
  }
  left = d.point + scale;
  if (left > 19)
    return false; /* at least 10^19 */
  if (left >= 0) {
    bool seen_next = false;
    for (const char *p = d.first; p < d.last; p++) {
      if (*p == '.')
        continue;
      if (left > 0) {
        v = v * 10 + (uint64_t)(*p - '0');
        left--;
      } else if (!seen_next) {
        next = *p - '0';
        seen_next = true;
      } else if (*p != '0') {
        more = true;
        break;
      } else {
        p = after_zeros(p, d.last) - 1;
      }
    }
    v *= power_of_ten[left];
  }
  return signed_fit(d.negative, (mpg_u128)v + (next > 5 || (next == 5 && (more || (v & 1) != 0))),
                    out);
}

bool mpg_scaled_real(double v, int scale, int64_t *out) {
  int exponent;
  mpg_u128 m;
  double fraction;
  if (scale < 0 || scale > 9 || !isfinite(v))
    return false;
  fraction = frexp(fabs(v), &exponent); /* |v| = fraction * 2^exponent, fraction in [.5, 1) or 0 */
  if (fraction == 0) {
    *out = 0;
    return true;
  }
  if (exponent > 64)
    return false;
  m = (mpg_u128)(uint64_t)ldexp(fraction, 53) * power_of_ten[scale]; /* below 2^83 */
  exponent -= 53;
  if (exponent >= 0) {
    m <<= exponent; /* by at most 11 bits: below 2^94 */
  } else if (exponent < -100) {
    m = 0; /* below 2^-17 */
  } else {
    mpg_u128 half = (mpg_u128)1 << (-exponent - 1), rest = m & (2 * half - 1);
    m >>= -exponent;
    m += rest > half || (rest == half && (m & 1) != 0);
  }
  return signed_fit(signbit(v) != 0, m, out);
}
