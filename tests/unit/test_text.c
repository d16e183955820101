/* test_text.c - numbers and excerpts, exactly; reals read back with strtod. */
#include "../../ext/base/text.h"
#include "check.h"
#include "exactly.h"

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
  mpg_text_excerpt(p == NULL ? (mpg_str){NULL, 0} : exactly_n(p, n), out);
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

/* Around every power of ten, either way, digits taken one by one: 64 bits and 128 take two
** roads. */
static void every_length(void) {
  mpg_i128 ten = 1;
  for (int length = 1; length <= 38; length++, ten *= 10)
    for (int off = -2; off <= 2; off++) {
      mpg_i128 v = ten + off, left = v < 0 ? -v : v;
      char text[MPG_INT_TEXT], *p = text + sizeof text - 1;
      *p = '\0';
      do
        *--p = "0123456789"[left % 10];
      while ((left /= 10) > 0);
      CHECK(int_is(v < 0 ? -v : v, p));
      *--p = '-';
      CHECK(v == 0 || int_is(v < 0 ? v : -v, p));
    }
  CHECK(int_is(UINT64_MAX, "18446744073709551615"));
  CHECK(int_is((mpg_i128)UINT64_MAX + 1, "18446744073709551616"));
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

/* The Unicode character that n bytes are: taken apart, and put together again as the standard
** says. */
static bool is_character(const unsigned char *p, size_t n) {
  static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  uint32_t c = n == 1 ? p[0] : (uint32_t)(p[0] & (0x7F >> n));
  unsigned char again[4];
  for (size_t i = 1; i < n; i++)
    c = c << 6 | (p[i] & 0x3F);
  if (c < least[n] || (n == 1 && c >= 0x80) || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
    return false;
  for (size_t i = n; i-- > 0; c >>= 6)
    again[i] = (unsigned char)(n == 1 ? c : i == 0 ? lead[n] | c : 0x80 | (c & 0x3F));
  return memcmp(p, again, n) == 0;
}

/* Every byte before every other, and four bytes of each kind: what is one character is shown, of
** all else the first byte by its number. */
static void characters(void) {
  static const unsigned char edges[] = {0x00, 0x1F, 0x20, 0x41, 0x7E, 0x7F, 0x80, 0x8F, 0x90, 0x9F,
                                        0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED,
                                        0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF};
  const size_t n_edges = sizeof edges;
  int wrong = 0;
  for (size_t i = 0; i < 65536 + n_edges * n_edges * n_edges * n_edges; i++) {
    size_t k = i - 65536, n = i < 65536 ? 2 : 4, length = 0;
    unsigned char p[4] = {(unsigned char)(i >> 8), (unsigned char)i};
    char first[8], out[MPG_EXCERPT];
    if (n == 4)
      for (int at = 0; at < 4; at++, k /= n_edges)
        p[at] = edges[k % n_edges];
    for (size_t l = 1; length == 0 && l <= n; l++)
      length = is_character(p, l) ? l : 0;
    if (length == 0 || p[0] < 0x20 || p[0] == 0x7F)
      (void)snprintf(first, sizeof first, "\\x%02x", p[0]);
    else
      (void)snprintf(first, sizeof first, "%.*s", (int)length, (const char *)p);
    mpg_text_excerpt((mpg_str){(const char *)p, n}, out);
    wrong += strncmp(out, first, strlen(first)) != 0;
  }
  CHECK(wrong == 0);
}

int main(void) {
  integers();
  every_length();
  characters();
  reals();
  other_locale();
  excerpts();
  return check_done("text");
}
