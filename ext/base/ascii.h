/*
** ascii.h - what a byte is in ASCII, whatever the host's locale says, and the order of two numbers.
** "Space" has several meanings in the formats read here: each has a name.
*/
#ifndef MPG_ASCII_H
#define MPG_ASCII_H

#include <stdbool.h>
#include <stdint.h>

static inline bool mpg_is_digit(char c) {
  return c >= '0' && c <= '9';
}

static inline bool mpg_is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

static inline bool mpg_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || mpg_is_upper(c);
}

/* Space or tab: separates words of a line. */
static inline bool mpg_is_blank(char c) {
  return c == ' ' || c == '\t';
}

/* White space of JSON: blanks and ends of lines. */
static inline bool mpg_is_json_space(char c) {
  return mpg_is_blank(c) || c == '\n' || c == '\r';
}

/* White space of C but the line feed: all that can separate words of a line of text. */
static inline bool mpg_is_space_in_line(char c) {
  return mpg_is_blank(c) || c == '\r' || c == '\f' || c == '\v';
}

/* The value of a hexadecimal digit, -1 for any other byte. */
static inline int mpg_hex_digit(char c) {
  if (mpg_is_digit(c))
    return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The value of the four hexadecimal digits at p, which are readable; -1 if one is none. */
static inline int mpg_hex4(const char *p) {
  int value = 0;
  for (int i = 0; i < 4; i++) {
    int digit = mpg_hex_digit(p[i]);
    if (digit < 0)
      return -1;
    value = value << 4 | digit;
  }
  return value;
}

/* Negative, 0 or positive: a before, at or after b. */
static inline int mpg_compare_int64(int64_t a, int64_t b) {
  return (a > b) - (a < b);
}

#endif
