/*
** goodput_row.h - one row of a job log from its members: values, kind and times; and the fast road
** for rows as a recorder usually writes them. For goodput_log.c.
*/
#ifndef MPG_GOODPUT_ROW_H
#define MPG_GOODPUT_ROW_H

#include "goodput_log.h"
#include "../../read/parse/json_fast.h"

/* Most of a row is empty, and was so before. */
void mpg_goodput_row_clear(mpg_goodput_row *row);
/* The value of a field, MPG_NULL for null. False if it has another type; *out is then MPG_NULL. */
bool mpg_goodput_value(size_t field, const mpg_json_member *m, mpg_value *out);
/* Whether a key is one of those that the library's interval queries go by. */
bool mpg_goodput_names_time(mpg_str key);
/* kind, edge and field, by the fields that are present. */
void mpg_goodput_classify(mpg_goodput_row *row);
/* Whether the time that decides the kind of the row, if it has one, is a possible time. */
bool mpg_goodput_is_timely(const mpg_goodput_row *row);

/* All zero before init. */
typedef struct mpg_goodput_fast {
  mpg_json_fast keys; /* the fields by their numbers, and after them job_name */
  mpg_json_member members[MPG_GOODPUT_COUNT + 1];
  uint64_t times; /* fields that name a time */
} mpg_goodput_fast;

void mpg_goodput_fast_init(mpg_goodput_fast *fast);
/* Reads the raw row at p into `row`, which must be clear, and returns the position after it. NULL
** if it is not in the common form (json_fast.h), has other keys, or is no such row; `row` may then
** be filled in part. */
const char *mpg_goodput_fast_row(mpg_goodput_fast *fast, const char *p, const char *end,
                                 mpg_goodput_row *row);

#endif
