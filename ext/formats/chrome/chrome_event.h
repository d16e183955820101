/*
** chrome_event.h - one event of a Chrome trace: its own members found, what is nested in them
** passed over (json_lenient.h).
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

/* Events of one writer have the same keys in the same order: what stood behind a key, up to the
** value of the next, is looked for there first, the last two of it. All zero at the beginning;
** one a thread. */
typedef struct mpg_chrome_key {
  uint64_t text[2], mask[2];
  uint8_t n, field;
} mpg_chrome_key;
typedef struct mpg_chrome_keys {
  /* behind each of the members, behind any other, and in front of all */
  mpg_chrome_key of[MPG_CHROME_FIELDS + 2][2];
} mpg_chrome_keys;

/*
** The members of the event whose '{' is at p, of a key that repeats the last, and behind them one
** for other keys; `any`: it has members. The position behind it, or NULL and why in `s`.
*/
const char *mpg_chrome_event_scan(mpg_json_lenient *s, const char *p, mpg_chrome_keys *keys,
                                  mpg_json_token fields[MPG_CHROME_FIELDS + 1], bool *any);

/* What is asked of the events of a trace: those that surely differ may be left out. */
#define MPG_CHROME_EQUALS 4
typedef struct mpg_chrome_request {
  struct {
    mpg_chrome_field field;
    mpg_str text; /* borrowed, as long as the reader lives */
  } equal[MPG_CHROME_EQUALS];
  size_t n;
} mpg_chrome_request;

/* Escapes may spell the same text otherwise, and what is no string may be given as one: only a
** string without any escape tells, and a member that is not there. */
bool mpg_chrome_differs(const mpg_chrome_request *wish, const mpg_json_token *fields);

#endif
