/* text.c - numbers and foreign bytes as text: see text.h. */
#include "text.h"
#include "ascii.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t mpg_text_int(mpg_i128 v, char out[MPG_INT_TEXT]) {
  mpg_u128 left = v < 0 ? 0 - (mpg_u128)v : (mpg_u128)v;
  char reversed[MPG_INT_TEXT];
  size_t n = 0, length = 0;
  uint64_t low; /* dividing 128 bits is a function call, and rarely needed */
  for (; left > UINT64_MAX; left /= 10)
    reversed[n++] = (char)('0' + (int)(left % 10));
  low = (uint64_t)left;
  do {
    reversed[n++] = (char)('0' + (int)(low % 10));
    low /= 10;
  } while (low > 0);
  if (v < 0)
    out[length++] = '-';
  while (n > 0)
    out[length++] = reversed[--n];
  out[length] = '\0';
  return length;
}

/*
** The significant digits of v > 0 without trailing zeros, and the exponent of the first. printf
** rounds correctly; its decimal sign is the locale's, so only the digits are taken from it, and
** strtod judges the text as printf wrote it, under the same locale.
*/
static int shortest_digits(double v, char digits[20], int *exponent) {
  char text[48], *mark;
  int n = 0;
  for (int precision = 14; precision <= 16; precision++) {
    (void)snprintf(text, sizeof text, "%.*e", precision, v);
    if (strtod(text, NULL) == v)
      break;
  }
  mark = strchr(text, 'e');
  for (const char *p = text; p < mark; p++)
    if (*p >= '0' && *p <= '9')
      digits[n++] = *p;
  while (n > 1 && digits[n - 1] == '0')
    n--;
  *exponent = (int)strtol(mark + 1, NULL, 10);
  return n;
}

size_t mpg_text_real(double v, char out[MPG_REAL_TEXT]) {
  char digits[20], *p = out;
  int n = 1, exponent = 0, point;
  if (isnan(v) || isinf(v)) {
    return (size_t)snprintf(out, MPG_REAL_TEXT, "%s", isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
  }
  digits[0] = '0';
  if (v != 0)
    n = shortest_digits(fabs(v), digits, &exponent);
  if (v < 0)
    *p++ = '-';
  if (exponent < -5 || exponent > 16) { /* d.ddde+xx */
    *p++ = digits[0];
    if (n > 1) {
      *p++ = '.';
      memcpy(p, digits + 1, (size_t)n - 1);
      p += n - 1;
    }
    p += snprintf(p, 8, "e%+03d", exponent);
    return (size_t)(p - out);
  }
  point = exponent + 1; /* digits before the point */
  if (point <= 0)
    *p++ = '0';
  for (int i = 0; i < point; i++)
    *p++ = i < n ? digits[i] : '0';
  *p++ = '.';
  for (int i = point; i < 0; i++)
    *p++ = '0';
  for (int i = point > 0 ? point : 0; i < n; i++)
    *p++ = digits[i];
  if (point >= n)
    *p++ = '0';
  *p = '\0';
  return (size_t)(p - out);
}

/* The length of the well-formed UTF-8 character at p, or 0: no surrogates, nothing overlong. */
static size_t utf8_length(const unsigned char *p, size_t n) {
  size_t length = p[0] < 0x80 ? 1 : p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
  if (length == 0 || length > n || p[0] > 0xF4)
    return 0;
  for (size_t i = 1; i < length; i++)
    if ((p[i] & 0xC0) != 0x80)
      return 0;
  if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) ||
      (p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F))
    return 0;
  return length;
}

void mpg_text_excerpt(mpg_str s, char out[MPG_EXCERPT]) {
  const size_t room = 44;
  const unsigned char *p = (const unsigned char *)s.p;
  size_t n = 0;
  for (size_t i = 0, length; i < s.n; i += length) {
    size_t excerpt;
    length = utf8_length(p + i, s.n - i);
    excerpt = length == 0 || p[i] < 0x20 || p[i] == 0x7F ? 4 : length;
    if (n + excerpt > room) {
      memcpy(out + n, "...", 3);
      n += 3;
      break;
    }
    if (length > 0 && excerpt == length) {
      memcpy(out + n, p + i, length);
    } else {
      (void)snprintf(out + n, 5, "\\x%02x", p[i]);
      length = 1;
    }
    n += excerpt;
  }
  out[n] = '\0';
}

void mpg_text_value(const mpg_value *value, char out[MPG_FOUND]) {
  char text[MPG_EXCERPT];
  switch (value->type) {
  case MPG_INT:
  case MPG_MICROSECONDS:
    (void)mpg_text_int(value->i, out);
    break;
  case MPG_REAL:
    (void)mpg_text_real(value->r, out);
    break;
  case MPG_TEXT:
    mpg_text_excerpt(value->s, text);
    (void)snprintf(out, MPG_FOUND, "'%s'", text);
    break;
  default:
    (void)snprintf(out, MPG_FOUND, "NULL");
    break;
  }
}

mpg_rc mpg_fail_expected(mpg_err *err, const char *what, const mpg_value *found) {
  char text[MPG_FOUND];
  mpg_text_value(found, text);
  return mpg_fail(err, MPG_MISUSE, "expected %s, found %s", what, text);
}

mpg_rc mpg_fail_argument(mpg_err *err, const char *argument, const char *what,
                         const mpg_value *found) {
  char text[MPG_FOUND];
  mpg_text_value(found, text);
  return mpg_fail(err, MPG_MISUSE, "%s: expected %s, found %s", argument, what, text);
}

bool mpg_text_but_nul(mpg_str s) {
  static const char controls[] = "\t\n\r\a\b\f\x1b"; /* and its end, the NUL */
  for (size_t i = 0; i < s.n; i++)
    if ((unsigned char)s.p[i] < ' ' && memchr(controls, s.p[i], sizeof controls) == NULL)
      return false;
  return true;
}

size_t mpg_text_without_codes(mpg_str s, char *out) {
  size_t to = 0;
  for (size_t i = 0; i < s.n; i++) {
    size_t end = i + 2;
    if (s.p[i] == '\x1b' && end < s.n && s.p[i + 1] == '[') {
      while (end < s.n && (mpg_is_digit(s.p[end]) || s.p[end] == ';' || s.p[end] == '?'))
        end++;
      if (end < s.n && mpg_is_letter(s.p[end])) {
        i = end;
        continue;
      }
    }
    out[to++] = s.p[i];
  }
  return to;
}

mpg_str mpg_skip_mark(mpg_str s) {
  if (s.n >= 3 && memcmp(s.p, "\xef\xbb\xbf", 3) == 0) {
    s.p += 3;
    s.n -= 3;
  }
  return s;
}

mpg_str mpg_skip_space(mpg_str s) {
  s = mpg_skip_mark(s);
  while (s.n > 0 && mpg_is_json_space(*s.p)) {
    s.p++;
    s.n--;
  }
  return s;
}
