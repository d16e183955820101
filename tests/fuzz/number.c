/* number.c - numbers in text, against other ways to read and write them. */
#include "fuzz.h"
#include "../../ext/base/number.h"
#include "../../ext/base/text.h"
#include "../../ext/formats/pbs/pbs_value.h"
#include "../../ext/formats/slurm/slurm_value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -?[0-9]+ within int64, in 128 bits. */
static bool plain_int(mpg_str s, int64_t *out) {
  mpg_i128 v = 0;
  size_t i = s.n > 0 && s.p[0] == '-';
  if (i == s.n)
    return false;
  for (; i < s.n; i++) {
    if (s.p[i] < '0' || s.p[i] > '9')
      return false;
    v = v * 10 + (s.p[i] - '0');
    if (v > (mpg_i128)INT64_MAX + 1)
      return false;
  }
  v = s.p[0] == '-' ? -v : v;
  *out = (int64_t)v;
  return v >= INT64_MIN && v <= INT64_MAX;
}

/* -?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)? */
static bool is_decimal(mpg_str s) {
  size_t i = s.n > 0 && s.p[0] == '-', digits = 0, exponent = 0;
  for (; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
    digits++;
  if (i < s.n && s.p[i] == '.')
    for (i++; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
      digits++;
  if (digits == 0 || i == s.n)
    return digits > 0;
  if (s.p[i] != 'e' && s.p[i] != 'E')
    return false;
  i++;
  i += i < s.n && (s.p[i] == '+' || s.p[i] == '-');
  for (; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
    exponent++;
  return exponent > 0 && i == s.n;
}

/* Digits and fraction of up to 30 digits, without an exponent, times 10^scale, half to even. */
static bool plain_scaled(mpg_str s, int scale, int64_t *out) {
  mpg_i128 v = 0, divisor = 1, rest;
  size_t i = s.n > 0 && s.p[0] == '-';
  bool fraction = false;
  for (; i < s.n; i++) {
    if (s.p[i] == '.') {
      fraction = true;
      continue;
    }
    v = v * 10 + (s.p[i] - '0');
    divisor = fraction ? divisor * 10 : divisor;
  }
  for (int k = 0; k < scale; k++)
    v *= 10;
  rest = v % divisor;
  v /= divisor;
  if (rest * 2 > divisor || (rest * 2 == divisor && v % 2 != 0))
    v++;
  v = s.p[0] == '-' ? -v : v;
  *out = (int64_t)v;
  return v >= INT64_MIN && v <= INT64_MAX;
}

static void check_text(mpg_str input) {
  char excerpt[MPG_EXCERPT];
  mpg_text_excerpt(input, excerpt);
  CHECK(strlen(excerpt) < sizeof excerpt);
  for (const char *p = excerpt; *p != '\0'; p++)
    CHECK((unsigned char)*p >= 0x20);
}

static void check_bits(uint64_t bits) {
  char text[MPG_REAL_TEXT], digits[MPG_INT_TEXT];
  double v, again;
  int64_t i, scaled;
  memcpy(&v, &bits, sizeof v);
  CHECK(mpg_text_real(v, text) < MPG_REAL_TEXT);
  if (isfinite(v)) {
    CHECK(mpg_real_parse(mpg_str_of(text), &again));
    CHECK(v == again);
    if (fabs(v) < 9e9 && mpg_scaled_real(v, 6, &scaled))
      CHECK(fabs((double)scaled - v * 1e6) <= 1);
  }
  (void)mpg_text_int((int64_t)bits, digits);
  CHECK(mpg_int_parse(mpg_str_of(digits), &i) && i == (int64_t)bits);
}

void fuzz_number(mpg_str input) {
  char text[256], *end;
  int64_t i = 7, want = 7, scaled;
  double r = 7;
  mpg_slurm_id id;
  mpg_slurm_gpus gpus;
  bool decimal = is_decimal(input);
  CHECK(mpg_int_parse(input, &i) == plain_int(input, &want));
  CHECK(i == (plain_int(input, &want) ? want : 7));
  if (input.n < sizeof text) {
    memcpy(text, input.n == 0 ? "" : input.p, input.n);
    text[input.n] = '\0';
    if (mpg_real_parse(input, &r)) {
      double other = strtod(text, &end);
      CHECK(decimal && *end == '\0' && other == r);
    } else {
      CHECK(!decimal || isinf(strtod(text, &end)));
    }
  }
  if (decimal && input.n < 30 && memchr(input.p, 'e', input.n) == NULL &&
      memchr(input.p, 'E', input.n) == NULL) {
    int scale = (int)(input.n % 7);
    bool fits = plain_scaled(input, scale, &want);
    CHECK(mpg_scaled_parse(input, scale, &scaled) == fits && (!fits || scaled == want));
  } else if (!decimal) {
    CHECK(!mpg_scaled_parse(input, 6, &scaled));
  }
  check_text(input);
  if (input.n >= 8) {
    uint64_t bits;
    memcpy(&bits, input.p, 8);
    check_bits(bits);
  }
  (void)mpg_slurm_id_parse(input, &id);
  (void)mpg_slurm_gpus_parse(input, NULL, &gpus);
  (void)mpg_slurm_duration_parse(input, &i);
  (void)mpg_slurm_count_parse(input, &i);
}
