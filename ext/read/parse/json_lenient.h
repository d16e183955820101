/*
** json_lenient.h - JSON as profilers write it, scanned no more than is asked for.
**
** json_tokens.h checks every byte; here only strings, brackets and what stands between the members at
** hand are looked at, and what is nested deeper is passed over at the speed of a search for its end.
** And it takes what is no JSON and can only mean one thing: bytes below 0x20 and unknown escapes in
** strings (Windows paths) stand for themselves, and NaN, nan, Infinity and inf are numbers.
*/
#ifndef MPG_JSON_LEAN_H
#define MPG_JSON_LEAN_H

#include "../../base/base.h"

typedef enum mpg_json_lean_kind {
  MPG_LEAN_NONE, /* not there */
  MPG_LEAN_STRING,
  MPG_LEAN_NUMBER,
  MPG_LEAN_WORD,  /* true, false, null, and numbers that are none: NaN, -inf, ... */
  MPG_LEAN_NESTED /* an object or array: raw, brackets balanced, otherwise unchecked */
} mpg_json_lean_kind;

typedef struct mpg_json_token {
  mpg_json_lean_kind kind;
  bool escaped; /* a string with a backslash in it */
  mpg_str text; /* borrowed, raw; of a string what is between its quotes */
} mpg_json_token;

typedef struct mpg_json_lean {
  const char *end;
  bool more;            /* it ran into `end` */
  const char *at;       /* else where it failed */
  const char *expected; /* a constant text */
  const char *look;     /* from here on `asks` is asked whether to stop: then a scan fails, too */
  mpg_asks *asks;       /* NULL: nobody is asked */
} mpg_json_lean;

/* Bytes scanned between two questions. */
#define MPG_LEAN_LOOK ((size_t)1 << 18)

/* Of a scan from p on. */
static inline mpg_json_lean mpg_json_lean_of(const char *p, const char *end, mpg_asks *asks) {
  const char *look = asks != NULL && (size_t)(end - p) > MPG_LEAN_LOOK ? p + MPG_LEAN_LOOK : end;
  return (mpg_json_lean){end, false, NULL, NULL, look, asks};
}
bool mpg_json_lean_asks(mpg_json_lean *s, const char *p);
static inline bool mpg_json_lean_stops(mpg_json_lean *s, const char *p) {
  return p >= s->look && mpg_json_lean_asks(s, p);
}

/* A value; returns the position behind it, or NULL and why in `s`. */
const char *mpg_json_lean_value(mpg_json_lean *s, const char *p, mpg_json_token *value);
/* A member, from its key on: "key": value. The white space behind the value is taken too. */
const char *mpg_json_lean_member(mpg_json_lean *s, const char *p, mpg_json_token *key,
                                 mpg_json_token *value);
const char *mpg_json_lean_space(const char *p, const char *end);

/*
** Passes over an object or array of any size and depth, piece by piece: all zero before its opening
** bracket. The position behind its end, or NULL where it goes on behind `end`.
*/
typedef struct mpg_json_skip {
  uint64_t depth;
  bool in_string;
  bool escaped; /* the byte before was a backslash that counts */
} mpg_json_skip;
const char *mpg_json_skip_nested(mpg_json_skip *s, const char *p, const char *end);

/* The text of a string: `to` has room for raw.n bytes. A lone surrogate becomes U+FFFD. `asks` may be
** NULL; where it says to stop there is no telling what the text is. */
size_t mpg_json_lean_unescape(char *to, mpg_str raw, mpg_asks *asks);

/* Line feeds from p to `end`. */
int64_t mpg_count_lines(const char *p, const char *end);
/* Behind the last line feed from p to `end`, of which there is one. */
const char *mpg_last_line(const char *p, const char *end);

#endif
