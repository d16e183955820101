/*
** test_number.c - numbers in text against strtod, against long division of digits, and edge by
** edge.
*/
#include "check.h"
#include "exactly.h"
#include "../../ext/base/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 88172645463325252u;
static uint64_t any(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}
static unsigned below(unsigned n) {
  return (unsigned)(any() >> 33) % n;
}

static bool int_is(const char *z, int64_t want) {
  int64_t v = 77;
  return mpg_int_parse(exactly(z), &v) && v == want;
}
static bool int_refused(const char *z) {
  int64_t v = 77;
  return !mpg_int_parse(exactly(z), &v) && v == 77;
}

static void test_int(void) {
  CHECK(int_is("0", 0) && int_is("-0", 0) && int_is("007", 7) && int_is("-12", -12));
  CHECK(int_is("9223372036854775807", INT64_MAX));
  CHECK(int_is("-9223372036854775808", INT64_MIN));
  CHECK(int_is("0000000000000000000000000000001", 1));
  CHECK(int_refused("9223372036854775808") && int_refused("-9223372036854775809"));
  CHECK(int_refused("99999999999999999999") && int_refused("18446744073709551616"));
  CHECK(int_refused("") && int_refused("-") && int_refused("+1") && int_refused(" 1"));
  CHECK(int_refused("1 ") && int_refused("1.0") && int_refused("1e3") && int_refused("0x10"));
  CHECK(int_refused("--1") && int_refused("\xd9\xa1"));
  int64_t v = 5;
  CHECK(!mpg_int_parse((mpg_str){NULL, 0}, &v) && v == 5);
  CHECK(!mpg_int_parse((mpg_str){"1\0002", 3}, &v) && v == 5);
  CHECK(mpg_int_parse((mpg_str){"123", 2}, &v) && v == 12);
}

static bool same(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

/* As strtod of the same text, bit by bit; an overflow is refused. */
static bool real_as_strtod(const char *z) {
  double v = 77, want = strtod(z, NULL);
  bool ok = mpg_real_parse(mpg_str_of(z), &v);
  return isinf(want) ? !ok && v == 77 : ok && same(v, want);
}
static bool real_refused(const char *z) {
  double v = 77;
  return !mpg_real_parse(exactly(z), &v) && v == 77;
}

static void random_real(char *z, size_t cap) {
  size_t n = 0;
  unsigned kind = below(8), digits, after;
  uint64_t bits = any();
  double v;
  switch (kind) {
  case 0: /* any double at all, shortest and longest forms */
    memcpy(&v, &bits, sizeof v);
    if (isfinite(v)) {
      (void)snprintf(z, cap, "%.*e", (int)below(20), v);
      return;
    }
    break;
  case 1: /* a denormal */
    bits &= (UINT64_C(1) << (1 + below(52))) - 1;
    memcpy(&v, &bits, sizeof v);
    (void)snprintf(z, cap, "%.*e", 15 + (int)below(30), v);
    return;
  case 2: { /* half way between two integers near 2^53..2^63, a digit off now and then */
    uint64_t m = ((UINT64_C(1) << 53) | (bits >> 11)) << 1 | 1;
    unsigned shift = below(9);
    (void)snprintf(
        z, cap, "%llu%s", (unsigned long long)(m << shift),
        (const char *[]){"", ".0", ".00000000000000000001", "e0", "000", "e-3"}[below(6)]);
    return;
  }
  case 3: /* a time, as traces have it */
    (void)snprintf(z, cap, "%u.%0*u", 1700000000 + below(100000000), 1 + (int)below(9),
                   below(1000000));
    return;
  default:
    break;
  }
  if (below(3) == 0)
    z[n++] = '-';
  digits = below(kind < 6 ? 20 : 60);
  after = below(kind < 6 ? 20 : 60);
  if (digits + after == 0)
    digits = 1;
  for (unsigned i = 0; i < digits; i++)
    z[n++] = (char)('0' + (below(4) ? below(10) : 0));
  if (after > 0 || below(4) == 0)
    z[n++] = '.';
  for (unsigned i = 0; i < after; i++)
    z[n++] = (char)('0' + (below(4) ? below(10) : 0));
  z[n] = '\0';
  if (below(2))
    (void)snprintf(z + n, cap - n, "%c%s%u", below(2) ? 'e' : 'E',
                   (const char *[]){"", "+", "-"}[below(3)], below(kind == 7 ? 340 : 30));
}

static void test_real(void) {
  static const char *const texts[] = {"0",
                                      "-0",
                                      "0.0",
                                      "-0e5",
                                      ".5",
                                      "5.",
                                      "-.5",
                                      "1e+9",
                                      "1E-9",
                                      "1e0000000000000000000005",
                                      "9007199254740993",
                                      "9007199254740992",
                                      "9007199254740991",
                                      "9007199254740993.00000000001",
                                      "9007199254740993e0",
                                      "18014398509481985",
                                      "18014398509481987",
                                      "1e22",
                                      "1e23",
                                      "123456789e22",
                                      "1795240353.25",
                                      "1795240353.2512345",
                                      "1e-22",
                                      "1e-23",
                                      "9223372036854775807",
                                      "9999999999999999999",
                                      "9999999999999999999e19",
                                      "9999999999999999999e-19",
                                      "1e308",
                                      "1.7976931348623157e308",
                                      "1.7976931348623158e308",
                                      "1.7976931348623159e308",
                                      "1e309",
                                      "-1e309",
                                      "4.9406564584124654e-324",
                                      "2.4703282292062327e-324",
                                      "2.4703282292062328e-324",
                                      "2.2250738585072011e-308",
                                      "2.2250738585072012e-308",
                                      "1e-324",
                                      "1e-400",
                                      "1e99999999999",
                                      "1e-99999999999",
                                      "0e99999999999999999999",
                                      "1e18446744073709551616",
                                      "6.8e-321",
                                      "179769313486231580793728971405303415079934132710037826936173"
                                      "778980444968292764750946649017977"
                                      "587207096330286416692887910946555547851940402630657488671505"
                                      "820681908902000708383676273854845"
                                      "817711531764475730270069855571366959622842914819860834936475"
                                      "292719074168444365510704342711559"
                                      "699508093042880177904174497792",
                                      "179769313486231580793728971405303415079934132710037826936173"
                                      "778980444968292764750946649017977"
                                      "587207096330286416692887910946555547851940402630657488671505"
                                      "820681908902000708383676273854845"
                                      "817711531764475730270069855571366959622842914819860834936475"
                                      "292719074168444365510704342711559"
                                      "699508093042880177904174497791"};
  int bad = 0;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (!real_as_strtod(texts[i]) && bad++ < 5)
      (void)fprintf(stderr, "  differs from strtod: %s\n", texts[i]);
  CHECK(bad == 0);
  CHECK(real_refused("") && real_refused("-") && real_refused(".") && real_refused("-.") &&
        real_refused("e5") && real_refused("1e") && real_refused("1e+") && real_refused("1e5.0") &&
        real_refused("+1") && real_refused(" 1") && real_refused("1 ") && real_refused("1..2") &&
        real_refused("1.2.3") && real_refused("0x1p3") && real_refused("inf") &&
        real_refused("nan") && real_refused("-Infinity") && real_refused("1,5") &&
        real_refused("1_0") && real_refused("1e309") && real_refused("1f"));

  for (int i = 0; i < 1000000 / check_stride(5); i++) {
    char z[256];
    random_real(z, sizeof z);
    if (!real_as_strtod(z) && bad++ < 5)
      (void)fprintf(stderr, "  differs from strtod: %s\n", z);
  }
  CHECK(bad == 0);

  /* Midpoints of neighbouring doubles, written out in full, and one unit of the last place of a
  ** very long text above and below them. */
  static char z[4096];
  for (int i = 0; i < 2000; i++) {
    uint64_t bits = any() & ((UINT64_C(1) << 62) - 1);
    double a, b;
    size_t n;
    if (i % 4 == 0)
      bits &= (UINT64_C(1) << 53) - 1;
    memcpy(&a, &bits, sizeof a);
    bits++;
    memcpy(&b, &bits, sizeof b);
    /* x86's long double holds the midpoint of doubles, denormal ones too. */
    (void)snprintf(z, sizeof z, "%.1100Le", ((long double)a + (long double)b) / 2);
    bad += !real_as_strtod(z);
    n = strcspn(z, "e");
    memmove(z + n + 700, z + n, strlen(z + n) + 1); /* far behind the 800th digit */
    memset(z + n, '0', 700);
    bad += !real_as_strtod(z);
    z[n + 699] = '1';
    bad += !real_as_strtod(z);
  }
  CHECK(bad == 0);
  memset(z, '0', sizeof z);
  memcpy(z + 3000, "1e3000", 7);
  z[1] = '.';
  CHECK(real_as_strtod(z)); /* 10 */
  memset(z, '9', 3000);
  memcpy(z + 3000, "e-2700", 7);
  CHECK(real_as_strtod(z));
  double v = 0;
  CHECK(mpg_real_parse((mpg_str){"1.25e3", 4}, &v) && v == 1.25);
}

/*
** The same by long arithmetic on digits: the scaled number as a string of digits, rounded by
** looking at them. Independent of the code under test; for numbers of few hundred digits.
*/
static bool scaled_slowly(const char *z, int scale, int64_t *out) {
  char digits[2048];
  int n = 0, point = -1;
  long exponent = 0;
  bool negative = *z == '-';
  mpg_u128 v = 0;
  z += negative;
  for (; *z != '\0' && *z != 'e' && *z != 'E'; z++) {
    if (*z == '.')
      point = n;
    else
      digits[n++] = *z;
  }
  if (*z != '\0')
    exponent = strtol(z + 1, NULL, 10);
  long cut = (point < 0 ? n : point) + exponent + scale; /* digits before the scaled point */
  for (long i = 0; i < cut; i++) {
    v = v * 10 + (unsigned)(i < n ? digits[i] - '0' : 0);
    if (v > (mpg_u128)1 << 100)
      return false;
  }
  int order = -1; /* the rest against a half */
  if (cut >= 0 && cut < n) {
    order = digits[cut] > '5' ? 1 : digits[cut] < '5' ? -1 : 0;
    for (long i = cut + 1; order == 0 && i < n; i++)
      if (digits[i] != '0')
        order = 1;
  }
  v += order > 0 || (order == 0 && v % 2 == 1);
  if (v > (mpg_u128)INT64_MAX + negative)
    return false;
  *out = negative ? (int64_t)(-(mpg_i128)v) : (int64_t)v;
  return true;
}

static bool scaled_is(const char *z, int scale, int64_t want) {
  int64_t v = 77;
  return mpg_scaled_parse(exactly(z), scale, &v) && v == want;
}
static bool scaled_refused(const char *z, int scale) {
  int64_t v = 77;
  return !mpg_scaled_parse(exactly(z), scale, &v) && v == 77;
}

static void test_scaled(void) {
  CHECK(scaled_is("0.5", 6, 500000) && scaled_is("0.5", 0, 0) && scaled_is("1.5", 0, 2));
  CHECK(scaled_is("2.5", 0, 2) && scaled_is("-2.5", 0, -2) && scaled_is("-3.5", 0, -4));
  CHECK(scaled_is("2.5000000000000000000000000001", 0, 3));
  CHECK(scaled_is("1795240353.25", 6, 1795240353250000));
  CHECK(scaled_is("1795240353.0000005", 6, 1795240353000000));
  CHECK(scaled_is("1795240353.0000015", 6, 1795240353000002));
  CHECK(scaled_is("1.795240353e9", 6, 1795240353000000));
  CHECK(scaled_is("9223372036854.775807", 6, INT64_MAX));
  CHECK(scaled_is("-9223372036854.775808", 6, INT64_MIN));
  CHECK(scaled_is("9223372036854.7758074", 6, INT64_MAX));
  CHECK(scaled_refused("9223372036854.7758075", 6) && scaled_refused("9223372036854.775808", 6));
  CHECK(scaled_is("-9223372036854.7758085", 6, INT64_MIN));
  CHECK(scaled_refused("-9223372036854.7758086", 6) && scaled_refused("1e14", 6));
  CHECK(scaled_is("0.00000049999", 6, 0) && scaled_is("0.0000005", 6, 0) &&
        scaled_is("0.00000050001", 6, 1));
  CHECK(scaled_is("0e999999999999", 9, 0) && scaled_is("1e-999999999999", 9, 0) &&
        scaled_is("-0", 6, 0) && scaled_is("00012", 1, 120) && scaled_is("5e-1", 0, 0));
  CHECK(scaled_refused("1e999999999999", 0) && scaled_refused("9999999999999999999", 0));
  CHECK(scaled_refused("", 6) && scaled_refused("x", 6) && scaled_refused("1x", 6) &&
        scaled_refused("1", -1) && scaled_refused("1", 10) && scaled_refused("1e", 3));
  CHECK(!mpg_scaled_parse((mpg_str){NULL, 0}, 6, &(int64_t){0}));
  int bad = 0;
  for (int i = 0; i < 1000000 / check_stride(5); i++) {
    char z[256];
    int64_t v = 77, want = 77;
    int scale = (int)below(10);
    random_real(z, sizeof z);
    bool ok = mpg_scaled_parse(mpg_str_of(z), scale, &v);
    if ((ok != scaled_slowly(z, scale, &want) || v != want) && bad++ < 5)
      (void)fprintf(stderr, "  scaled by %d: %s gives %lld, not %lld\n", scale, z, (long long)v,
                    (long long)want);
  }
  CHECK(bad == 0);
}

static void test_scaled_real(void) {
  static const double refused[] = {NAN,
                                   INFINITY,
                                   -INFINITY,
                                   1e19,
                                   9223372036854775808.0,
                                   1.7976931348623157e308,
                                   -9223372036854777856.0};
  int64_t v = 77;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    CHECK(!mpg_scaled_real(refused[i], 0, &v) && v == 77);
  CHECK(!mpg_scaled_real(1.0, -1, &v) && !mpg_scaled_real(1.0, 10, &v) && v == 77);
  CHECK(mpg_scaled_real(-9223372036854775808.0, 0, &v) && v == INT64_MIN);
  CHECK(!mpg_scaled_real(9223372036854.77734375, 6, &v));
  CHECK(mpg_scaled_real(9223372036854.775390625, 6, &v) && v == 9223372036854775391);
  CHECK(mpg_scaled_real(0.5, 0, &v) && v == 0);
  CHECK(mpg_scaled_real(1.5, 0, &v) && v == 2);
  CHECK(mpg_scaled_real(-2.5, 0, &v) && v == -2);
  CHECK(mpg_scaled_real(-0.0, 6, &v) && v == 0);
  CHECK(mpg_scaled_real(4.9406564584124654e-324, 9, &v) && v == 0);
  CHECK(mpg_scaled_real(1795240353.25, 6, &v) && v == 1795240353250000);
  CHECK(mpg_scaled_real(0x1p62, 0, &v) && v == INT64_C(1) << 62);
  /* A double printed in full is the same number. */
  int bad = 0;
  for (int i = 0; i < 60000 / check_stride(5); i++) {
    char z[1400];
    double r;
    int64_t want = 77;
    int scale = (int)below(10);
    uint64_t bits = any();
    if (i % 2 == 0) /* magnitudes that fit */
      bits = (bits & ~(UINT64_C(0x7ff) << 52)) | (uint64_t)(1023 - 40 + below(104)) << 52;
    memcpy(&r, &bits, sizeof r);
    if (!isfinite(r))
      continue;
    (void)snprintf(z, sizeof z, "%.1080f", r);
    v = 77;
    bool ok = mpg_scaled_real(r, scale, &v);
    if (ok != scaled_slowly(z, scale, &want) || v != want)
      bad++;
  }
  CHECK(bad == 0);
}

/* Runs of zeros and of other digits, which are passed over eight at a time, of every length and
** in every place. */
static void test_runs(void) {
  static const char *const shapes[] = {"%s1",   "0.%s1",      "1%s",   "-1.%s1",
                                       "1.5%s", "1234567%s8", "1e%s5", "1234567890123456789%s.5",
                                       ".%s5",  "%s1.25e3",   "1.%se2"};
  static const char *const runs[] = {"0", "9", "3"};
  for (size_t r = 0; r < sizeof runs / sizeof *runs; r++)
    for (size_t n = 0; n < 45; n++) {
      char run[64], z[160];
      memset(run, runs[r][0], n);
      run[n] = '\0';
      for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        int64_t v = 77, want = 77;
        (void)snprintf(z, sizeof z, shapes[i], run);
        CHECK(real_as_strtod(z));
        if (strchr(z, 'e') == NULL)
          CHECK(mpg_scaled_parse(mpg_str_of(z), 6, &v) == scaled_slowly(z, 6, &want) && v == want);
        memcpy(z + strlen(z), "x", 2);
        CHECK(real_refused(z) && scaled_refused(z, 6));
        (void)snprintf(z, sizeof z, shapes[i], run);
        memcpy(z + strlen(z), ":1", 3);
        CHECK(real_refused(z) && int_refused(z));
      }
      (void)snprintf(z, sizeof z, "-%s12", r == 0 ? run : "");
      CHECK(int_is(z, -12) && int_is(z + 1, 12));
      (void)snprintf(z, sizeof z, "%s9223372036854775808", r == 0 ? run : "");
      CHECK(int_refused(z));
    }
}

int main(void) {
  test_int();
  test_real();
  test_scaled();
  test_scaled_real();
  test_runs();
  return check_done("number");
}
