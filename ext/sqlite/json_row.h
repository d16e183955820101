/*
** json_row.h - a record of JSON that a reader is at: what its hidden column _record lends, a
** pointer of the type MPG_JSON_ROW, and json_first reads.
*/
#ifndef MPG_JSON_ROW_H
#define MPG_JSON_ROW_H

#include "../read/parse/json_records.h"

#define MPG_JSON_ROW "mpg_json_row"

/* Borrowed until the reader goes on: by then there are none. */
typedef struct mpg_json_row {
  const mpg_json_member *members;
  size_t n;
} mpg_json_row;

#endif
