/*
** json_usual.h - objects of JSON as they are usually written: known keys, mostly in the order of the
** object before, with plain values. What is anything else is for the reader of all JSON (json.h).
*/
#ifndef MPG_JSON_USUAL_H
#define MPG_JSON_USUAL_H

#include "json.h"

#define MPG_JSON_USUAL_KEYS 64
#define MPG_JSON_USUAL_NAME 56 /* bytes of the longest */

typedef struct mpg_json_usual_key {
  uint64_t text[2],
      mask[2]; /* its first 16 bytes, quote and colon with it, and which of them count */
  size_t n;    /* with quotes and colon */
  char whole[MPG_JSON_USUAL_NAME + 8];
} mpg_json_usual_key;

/* All zero: no keys. */
typedef struct mpg_json_usual {
  size_t n;
  mpg_json_usual_key keys[MPG_JSON_USUAL_KEYS];
  uint8_t order[MPG_JSON_USUAL_KEYS]; /* the key that stood i-th last time */
} mpg_json_usual;

/* Adds a key, whose number is usual->n before. False: there is no room, or its name is not plain. */
bool mpg_json_usual_add(mpg_json_usual *usual, mpg_str name);

/*
** The object that begins at p: its members, by the number of their key, and which of them it has.
** Their texts are borrowed from p, where 64 bytes behind `end` are readable. Returns the position
** behind it; NULL where it is not usual: another key, one twice, a nested value, text with escapes
** or beyond ASCII, white space other than a space behind ':' and ',', a part of an object.
*/
const char *mpg_json_usual_object(mpg_json_usual *usual, const char *p, const char *end,
                                  mpg_json_member *members, uint64_t *has);

#endif
