/*
** native_json_fast.h - spans of JSON that are, byte for byte, the same as one before except for
** their times and their step: as those of a job mostly are that one recorder writes.
**
** Only what differs is read; what the rest says, and its numbers in the fleet, is known.
*/
#ifndef MPG_NATIVE_JSON_FAST_H
#define MPG_NATIVE_JSON_FAST_H

#include "../trace/fleet.h"

#define MPG_NATIVE_JSON_FAST 4         /* records that are remembered */
#define MPG_NATIVE_JSON_FAST_BYTES 496 /* of the longest */

/* A record, and the positions of its times and its step, from left to right. */
typedef struct mpg_native_pattern {
  char text[MPG_NATIVE_JSON_FAST_BYTES];
  uint16_t n;
  uint8_t n_numbers;
  struct mpg_native_number {
    uint16_t at, n;
    bool quoted;
    uint8_t column; /* SPANS_START, SPANS_END or SPANS_STEP */
  } numbers[3];
  uint32_t job;
  mpg_span span;
} mpg_native_pattern;

/* All zero knows none. For the records of one fleet, one after the other. */
typedef struct mpg_native_json_fast {
  mpg_native_pattern patterns[MPG_NATIVE_JSON_FAST];
  size_t n, last, next;
} mpg_native_json_fast;

/* A span was read by other means: its record, the texts of its columns within that, and what
** they are. */
void mpg_native_json_fast_learn(mpg_native_json_fast *same, mpg_str record, const mpg_str *values,
                                const mpg_span *span, uint32_t job);
/*
** The span at p, of a job's number: after it, or NULL if it is like none that is known, or may be
** wrong. 64 bytes after `end` are readable.
*/
const char *mpg_native_json_fast_read(mpg_native_json_fast *same, const char *p, const char *end,
                                      mpg_span *span, uint32_t *job);

#endif
