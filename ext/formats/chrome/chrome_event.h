/*
** chrome_event.h - one event of a Chrome trace: its own members found, what is nested in them
** skipped (json_lenient.h).
*/
#ifndef MPG_CHROME_EVENT_H
#define MPG_CHROME_EVENT_H

#include "../../read/parse/json_lenient.h"

/* Members of an event. */
typedef enum mpg_chrome_field {
  MPG_CHROME_PH,
  MPG_CHROME_NAME,
  MPG_CHROME_CAT,
  MPG_CHROME_TS,
  MPG_CHROME_DUR,
  MPG_CHROME_PID,
  MPG_CHROME_TID,
  MPG_CHROME_ID,
  MPG_CHROME_S,
  MPG_CHROME_BP,
  MPG_CHROME_ARGS,
  MPG_CHROME_FIELDS
} mpg_chrome_field;

/* Events of one writer have the same keys in the same order. So the bytes between one value and the
** next are remembered for each key, the last two spellings, and compared first. All zero at the
** beginning; one for each thread. */
typedef struct mpg_chrome_key {
  uint64_t text[2], mask[2];
  uint8_t n, field;
} mpg_chrome_key;
typedef struct mpg_chrome_keys {
  /* after each of the members, after any other, and before all */
  mpg_chrome_key of[MPG_CHROME_FIELDS + 2][2];
} mpg_chrome_keys;

/*
** Reads the members of the event whose '{' is at p; if a key repeats, the last counts. After the
** members comes one entry for other keys. `any`: the event has members. Returns the position after
** it, or NULL with the reason in `s`.
*/
const char *mpg_chrome_event_scan(mpg_json_lenient *s, const char *p, mpg_chrome_keys *keys,
                                  mpg_json_token fields[MPG_CHROME_FIELDS + 1], bool *any);

/* The events that a query wants. Those that surely differ may be left out. */
#define MPG_CHROME_EQUALS 4
typedef struct mpg_chrome_request {
  struct {
    mpg_chrome_field field;
    mpg_str text; /* borrowed, as long as the reader lives */
  } equal[MPG_CHROME_EQUALS];
  size_t n;
} mpg_chrome_request;

/* Escapes may spell the same text differently, and a value that is no string may be compared as
** one. So only a string without escapes, or a missing member, surely differs. */
bool mpg_chrome_differs(const mpg_chrome_request *request, const mpg_json_token *fields);

#endif
