/*
** text.h - numbers and foreign bytes as text: for results and for error messages. Never depends on
** the host's locale. Reading numbers is number.h.
*/
#ifndef MPG_TEXT_H
#define MPG_TEXT_H

#include "base.h"

/* A 128-bit integer in decimal; terminated, the length is returned. */
#define MPG_INT_TEXT 41
size_t mpg_text_int(mpg_i128 v, char out[MPG_INT_TEXT]);

/*
** A double with the fewest of 15 to 17 digits that read back as the same double, less trailing
** zeros. It always has a "." or an exponent, so it reads as a real in JSON, SQL and most
** languages: "0.5", "3.0", "1e+300". NaN and infinities, which have no such text, are "nan",
** "inf" and "-inf". Terminated, the length is returned.
*/
#define MPG_REAL_TEXT 32
size_t mpg_text_real(double v, char out[MPG_REAL_TEXT]);

/*
** The start of `s` as one line of valid UTF-8 for a message: control bytes and bytes that are not
** UTF-8 become "\xHH"; what is longer than about 40 bytes ends in "...". Terminated.
*/
#define MPG_EXCERPT 64
void mpg_text_excerpt(mpg_str s, char out[MPG_EXCERPT]);

/* A value for a message: 5, 2.5, 'text' as mpg_text_excerpt has it, NULL. Terminated. */
#define MPG_FOUND (MPG_EXCERPT + 2)
void mpg_text_value(const mpg_value *value, char out[MPG_FOUND]);

/* MPG_MISUSE: "expected WHAT, found VALUE", and "ARGUMENT: expected WHAT, found VALUE". */
mpg_rc mpg_fail_expected(mpg_err *err, const char *what, const mpg_value *found);
mpg_rc mpg_fail_argument(mpg_err *err, const char *argument, const char *what,
                         const mpg_value *found);

/* Whether `s` has no control characters but those of text and NUL bytes: text with NULs, as a crash
** or a truncation leaves, and no binary data. */
bool mpg_text_but_nul(mpg_str s);

/* Copies a text without the codes that make text of a terminal bold or red, as grep and loggers
** print them, to `out`, which has room for all of it; the bytes that are left. */
size_t mpg_text_without_codes(mpg_str s, char *out);

/* The text behind a byte order mark, if it begins with one; and behind the white space after it. */
mpg_str mpg_skip_mark(mpg_str s);
mpg_str mpg_skip_space(mpg_str s);

#endif
