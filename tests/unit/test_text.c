/* test_text.c - numbers and excerpts, exactly; reals read back with strtod. */
#include "../../ext/core/text.h"
#include "check.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool int_is(mpg_i128 v, const char *text) {
  char out[MPG_INT_TEXT];
  return mpg_text_int(v, out) == strlen(text) && strcmp(out, text) == 0;
}

static bool real_is(double v, const char *text) {
  char out[MPG_REAL_TEXT];
  return mpg_text_real(v, out) == strlen(text) && strcmp(out, text) == 0;
}

static bool excerpt_is(const char *p, size_t n, const char *text) {
  char out[MPG_EXCERPT];
  mpg_text_excerpt((mpg_str){p, n}, out);
  return strcmp(out, text) == 0;
}

static void integers(void) {
  mpg_i128 top = (mpg_i128)(~(mpg_u128)0 >> 1);
  CHECK(int_is(0, "0"));
  CHECK(int_is(-1, "-1"));
  CHECK(int_is(INT64_MAX, "9223372036854775807"));
  CHECK(int_is((mpg_i128)INT64_MAX * 10 + 9, "92233720368547758079"));
  CHECK(int_is(top, "170141183460469231731687303715884105727"));
  CHECK(int_is(-top - 1, "-170141183460469231731687303715884105728"));
}

static void reals(void) {
  uint64_t random = 1;
  int wrong = 0;
  CHECK(real_is(0.0, "0.0"));
  CHECK(real_is(-0.0, "0.0"));
  CHECK(real_is(1.0, "1.0"));
  CHECK(real_is(-0.5, "-0.5"));
  CHECK(real_is(0.1, "0.1"));
  CHECK(real_is(0.1 + 0.2, "0.30000000000000004"));
  CHECK(real_is(1.0 / 3, "0.3333333333333333"));
  CHECK(real_is(123456.75, "123456.75"));
  CHECK(real_is(1e15, "1000000000000000.0"));
  CHECK(real_is(1e16, "10000000000000000.0"));
  CHECK(real_is(1e17, "1e+17"));
  CHECK(real_is(0.00001, "0.00001"));
  CHECK(real_is(0.000001, "1e-06"));
  CHECK(real_is(-1.5e300, "-1.5e+300"));
  CHECK(real_is(1.7976931348623157e308, "1.7976931348623157e+308"));
  CHECK(real_is(5e-324, "4.94065645841247e-324"));
  CHECK(real_is(NAN, "nan"));
  CHECK(real_is(INFINITY, "inf"));
  CHECK(real_is(-INFINITY, "-inf"));
  for (int i = 0; i < 20000; i++) {
    char out[MPG_REAL_TEXT];
    double v;
    random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    memcpy(&v, &random, sizeof v);
    if (!isfinite(v))
      continue;
    (void)mpg_text_real(v, out);
    wrong += strtod(out, NULL) != v || strpbrk(out, ".e") == NULL;
  }
  CHECK(wrong == 0);
}

static void other_locale(void) {
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL) {
    (void)printf("text: no de_DE locale here, its decimal comma is not tested\n");
    return;
  }
  CHECK(real_is(0.5, "0.5"));
  CHECK(real_is(0.1 + 0.2, "0.30000000000000004"));
  (void)setlocale(LC_NUMERIC, "C");
}

static void excerpts(void) {
  CHECK(excerpt_is(NULL, 0, ""));
  CHECK(excerpt_is("a b", 3, "a b"));
  CHECK(excerpt_is("a\0b\n\x7f", 5, "a\\x00b\\x0a\\x7f"));
  CHECK(excerpt_is("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9,
                   "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
  CHECK(excerpt_is("\xc3", 1, "\\xc3"));                            /* cut short */
  CHECK(excerpt_is("\xc0\xaf", 2, "\\xc0\\xaf"));                   /* overlong */
  CHECK(excerpt_is("\xed\xa0\x80", 3, "\\xed\\xa0\\x80"));          /* a surrogate */
  CHECK(excerpt_is("\xf4\x90\x80\x80", 4, "\\xf4\\x90\\x80\\x80")); /* past U+10FFFF */
  CHECK(excerpt_is("01234567890123456789012345678901234567890123", 44,
                   "01234567890123456789012345678901234567890123"));
  CHECK(excerpt_is("012345678901234567890123456789012345678901234", 45,
                   "01234567890123456789012345678901234567890123..."));
  CHECK(excerpt_is("012345678901234567890123456789012345678901\xe2\x82\xac", 45,
                   "012345678901234567890123456789012345678901..."));
}

int main(void) {
  integers();
  reals();
  other_locale();
  excerpts();
  return check_done("text");
}
