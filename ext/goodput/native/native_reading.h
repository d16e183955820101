/*
** native_reading.h - between native.c (files, blocks, threads) and the two readers of records,
** native_csv.c and native_json.c.
*/
#ifndef MPG_NATIVE_READING_H
#define MPG_NATIVE_READING_H

#include "../trace/fleet_part.h"
#include "../../read/parse/blocks.h"
#include "../../read/parse/csv.h"
#include "../../read/parse/json_records.h"

/* Records on their way into a fleet, or a part of one. */
typedef struct mpg_native_reading {
  mpg_fleet *fleet;
  const mpg_env *env; /* which says whether to stop */
  const char *path;
  bool skip;
  uint64_t records;
  mpg_err *err;
} mpg_native_reading;

/* A record that breaks a rule: an error, or an issue if the caller wants to skip. `what` is the
** rule. */
mpg_rc mpg_native_broken(const mpg_native_reading *r, int64_t line, int64_t column,
                         const char *what);
mpg_rc mpg_native_unknown_column(const mpg_native_reading *r, int64_t line, mpg_str name,
                                 mpg_relation relation);
/* After text that is no CSV or JSON: true if the reader can continue after it, and the caller wants
** to. An error that cannot be skipped, such as a truncated file, is returned again by the next
** call. */
bool mpg_native_passed_over(mpg_native_reading *r, mpg_rc *rc, mpg_err *before);
/* To be called for each record: polls now and then. */
mpg_rc mpg_native_poll(mpg_native_reading *r);

/* Which field of a CSV file is which column. */
typedef struct mpg_native_header {
  mpg_relation relation;
  size_t nfields;                /* 0: not read yet */
  int field_of[MPG_MAX_COLUMNS]; /* of each column; -1: the file does not have it */
  bool in_order;                 /* field i is column i */
} mpg_native_header;

/* The next record is the header. MPG_DONE: there is none. */
mpg_rc mpg_native_csv_header(mpg_native_reading *r, mpg_csv *csv, mpg_native_header *h);
/* At most so many records of those that the reader has, 0: every one. MPG_DONE: that was all. */
mpg_rc mpg_native_csv(mpg_native_reading *r, mpg_csv *csv, const mpg_native_header *h, size_t most);
mpg_rc mpg_native_json(mpg_native_reading *r, mpg_json *json);

#endif
