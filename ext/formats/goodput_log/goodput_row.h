/*
** goodput_row.h - one row of a job log from its members: values, and what they tell; and rows as a
** recorder usually writes them, in one go. For goodput_log.c.
*/
#ifndef MPG_GOODPUT_ROW_H
#define MPG_GOODPUT_ROW_H

#include "goodput_log.h"
#include "../../read/parse/json_fast.h"

/* Most of a row is empty, and was so before. */
void mpg_goodput_row_clear(mpg_goodput_row *row);
/* The value of a field, MPG_NULL for null; false where it is none of its type. *out is MPG_NULL. */
bool mpg_goodput_value(size_t field, const mpg_json_member *m, mpg_value *out);
/* Whether a key is one of those that the library's interval queries go by. */
bool mpg_goodput_names_time(mpg_str key);
/* kind, edge and field, by the fields that are present. */
void mpg_goodput_tell(mpg_goodput_row *row);
/* Whether the time that tells what the row is of, where it has one, can be one. */
bool mpg_goodput_is_timely(const mpg_goodput_row *row);

/* All zero before init. */
typedef struct mpg_goodput_fast {
  mpg_json_fast keys; /* the fields by their numbers, and behind them job_name */
  mpg_json_member members[MPG_GOODPUT_COUNT + 1];
  uint64_t times; /* fields that name a time */
} mpg_goodput_fast;

void mpg_goodput_fast_init(mpg_goodput_fast *usual);
/* The raw row without a fault that begins at p: all of `row`, which is clear, and the position
** behind it. NULL where it is not usual (json_fast.h), has other keys, or is no such row: `row` may
** then be filled in part. */
const char *mpg_goodput_fast_row(mpg_goodput_fast *usual, const char *p, const char *end,
                                 mpg_goodput_row *row);

#endif
