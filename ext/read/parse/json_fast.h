/*
** json_fast.h - objects of JSON as they are usually written: known keys, mostly in the order of
** the object before, with plain values. What is anything else is for the reader of all JSON
** (json_records.h).
*/
#ifndef MPG_JSON_FAST_H
#define MPG_JSON_FAST_H

#include "json_records.h"

#define MPG_JSON_FAST_KEYS 64
#define MPG_JSON_FAST_NAME 56 /* bytes of the longest */

typedef struct mpg_json_fast_key {
  size_t n;      /* with quotes and colon */
  unsigned mask; /* of 16 bytes, those that are of it */
  char whole[MPG_JSON_FAST_NAME + 8];
} mpg_json_fast_key;

/* All zero: no keys. */
typedef struct mpg_json_fast {
  size_t n;
  mpg_json_fast_key keys[MPG_JSON_FAST_KEYS];
  uint8_t order[MPG_JSON_FAST_KEYS]; /* the key that stood i-th last time */
  size_t members;                    /* of the last object; 0: none yet */
} mpg_json_fast;

/* Adds a key, whose number is usual->n before. False: there is no room, or its name is not
** plain. */
bool mpg_json_fast_add(mpg_json_fast *fast, mpg_str name);

/*
** The object that begins at p: its members, by the number of their key, and which of them it has.
** Their texts are borrowed from p, where 64 bytes after `end` are readable. Returns the position
** after it; NULL if it is not in the common form: another key, a key twice, a nested value, text
** with escapes, white space other than a space after ':' and ',', a part of an object.
*/
const char *mpg_json_fast_object(mpg_json_fast *fast, const char *p, const char *end,
                                 mpg_json_member *members, uint64_t *has);

/* Members found at a time. */
#define MPG_JSON_LINES_MEMBERS 4096

typedef struct mpg_json_lines {
  size_t width; /* members of an object */
  struct mpg_json_span {
    uint32_t at, n;
  } values[MPG_JSON_LINES_MEMBERS];      /* [object * width + i]; of a string without its quotes */
  uint32_t ends[MPG_JSON_LINES_MEMBERS]; /* the LF after each object */
} mpg_json_lines;

/*
** The lines of p[0..n) from `at` on that are an object with the members of the last usual one, in
** its order: how many, up to the first that is anything else. 64 bytes after p + n are readable.
*/
size_t mpg_json_fast_lines(const mpg_json_fast *fast, mpg_json_lines *lines, const char *p,
                           size_t n, size_t at);

#endif
