/*
** json_lenient.h - JSON as profilers write it, scanned only as far as requested.
**
** json_tokens.h checks every byte. Here only strings, brackets and the bytes between the current
** members are checked, and nested values are skipped at the speed of a search for their end. Some
** text is accepted that is no JSON but has only one meaning: bytes below 0x20 and unknown escapes
** in strings (Windows paths) are ordinary bytes, and NaN, nan, Infinity and inf are numbers.
*/
#ifndef MPG_JSON_LENIENT_H
#define MPG_JSON_LENIENT_H

#include "../../base/base.h"

typedef enum mpg_json_lenient_kind {
  MPG_JSON_LENIENT_NONE, /* not there */
  MPG_JSON_LENIENT_STRING,
  MPG_JSON_LENIENT_NUMBER,
  MPG_JSON_LENIENT_WORD,  /* true, false, null, and numbers that are none: NaN, -inf, ... */
  MPG_JSON_LENIENT_NESTED /* an object or array: raw, brackets balanced, otherwise unchecked */
} mpg_json_lenient_kind;

typedef struct mpg_json_token {
  mpg_json_lenient_kind kind;
  bool escaped; /* a string with a backslash in it */
  mpg_str text; /* borrowed, raw; of a string what is between its quotes */
} mpg_json_token;

typedef struct mpg_json_lenient {
  const char *end;
  bool more;            /* it ran into `end` */
  const char *at;       /* else the position of the failure */
  const char *expected; /* a constant text */
  const char *look;     /* from here on `poller` is polled; if it says to stop, the scan fails */
  mpg_poller *poller;   /* NULL: none */
} mpg_json_lenient;

/* Bytes scanned between two questions. */
#define MPG_JSON_LENIENT_LOOK ((size_t)1 << 18)

/* A scan from p on. */
static inline mpg_json_lenient mpg_json_lenient_of(const char *p, const char *end,
                                                   mpg_poller *poller) {
  const char *look =
      poller != NULL && (size_t)(end - p) > MPG_JSON_LENIENT_LOOK ? p + MPG_JSON_LENIENT_LOOK : end;
  return (mpg_json_lenient){end, false, NULL, NULL, look, poller};
}
bool mpg_json_lenient_poll(mpg_json_lenient *s, const char *p);
static inline bool mpg_json_lenient_stops(mpg_json_lenient *s, const char *p) {
  return p >= s->look && mpg_json_lenient_poll(s, p);
}

/* A value; returns the position after it, or NULL and why in `s`. */
const char *mpg_json_lenient_value(mpg_json_lenient *s, const char *p, mpg_json_token *value);
/* A member, from its key on: "key": value. The white space after the value is taken too. */
const char *mpg_json_lenient_member(mpg_json_lenient *s, const char *p, mpg_json_token *key,
                                    mpg_json_token *value);
const char *mpg_json_lenient_space(const char *p, const char *end);

/*
** Passes over an object or array of any size and depth, piece by piece: all zero before its opening
** bracket. The position after its end, or NULL if it continues after `end`.
*/
typedef struct mpg_json_skip {
  uint64_t depth;
  bool in_string;
  bool escaped; /* the byte before was a backslash that counts */
} mpg_json_skip;
const char *mpg_json_skip_nested(mpg_json_skip *s, const char *p, const char *end);

/* The text of a string: `to` has room for raw.n bytes. A lone surrogate becomes U+FFFD. If
** `poller` (NULL: none) says to stop, the text is of no use. */
size_t mpg_json_lenient_unescape(char *to, mpg_str raw, mpg_poller *poller);

/* Line feeds from p to `end`. */
int64_t mpg_count_lines(const char *p, const char *end);
/* Behind the last line feed from p to `end`, of which there is one. */
const char *mpg_last_line(const char *p, const char *end);

#endif
