/* test_ascii.c - every byte, held against a list of those that are of the kind. */
#include "../../ext/base/ascii.h"
#include "check.h"

#include <stdio.h>
#include <string.h>

static bool is_one_of(const char *list, int byte) {
  return byte != 0 && strchr(list, byte) != NULL;
}

static void kinds_of_bytes(void) {
  static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", lower[] = "abcdefghijklmnopqrstuvwxyz";
  for (int byte = 0; byte < 256; byte++) {
    char c = (char)byte;
    CHECK(mpg_is_digit(c) == is_one_of("0123456789", byte));
    CHECK(mpg_is_upper(c) == is_one_of(upper, byte));
    CHECK(mpg_is_letter(c) == (is_one_of(upper, byte) || is_one_of(lower, byte)));
    CHECK(mpg_is_blank(c) == is_one_of(" \t", byte));
    CHECK(mpg_is_json_space(c) == is_one_of(" \t\r\n", byte));
    CHECK(mpg_is_space_in_line(c) == is_one_of(" \t\r\f\v", byte));
    CHECK((mpg_hex_digit(c) >= 0) == is_one_of("0123456789abcdefABCDEF", byte));
  }
}

static void hexadecimal(void) {
  for (int i = 0; i < 0x10000; i++) {
    char text[5];
    (void)snprintf(text, sizeof text, i % 2 == 0 ? "%04x" : "%04X", (unsigned)i);
    CHECK(mpg_hex4(text) == i);
  }
  CHECK(mpg_hex4("12g4") == -1 && mpg_hex4("-123") == -1 && mpg_hex4("123 ") == -1);
}

static void order_of_numbers(void) {
  CHECK(mpg_compare_int64(INT64_MIN, INT64_MAX) < 0);
  CHECK(mpg_compare_int64(INT64_MAX, INT64_MIN) > 0);
  CHECK(mpg_compare_int64(-1, -1) == 0);
}

int main(void) {
  kinds_of_bytes();
  hexadecimal();
  order_of_numbers();
  return check_done("ascii");
}
