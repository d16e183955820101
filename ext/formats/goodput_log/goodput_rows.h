/*
** goodput_rows.h - job logs of ml-goodput-measurement (goodput_log.h) as rows of columns that
** several threads may read ahead (rows_scan.h).
*/
#ifndef MPG_GOODPUT_ROWS_H
#define MPG_GOODPUT_ROWS_H

#include "goodput_log.h"
#include "../../read/rows/rows.h"

/* The columns: MPG_GOODPUT_ROW_FIELDS + i is the log's own field i. */
enum {
  MPG_GOODPUT_ROW_JOB_NAME,
  MPG_GOODPUT_ROW_KIND,
  MPG_GOODPUT_ROW_EDGE,
  MPG_GOODPUT_ROW_TIME,
  MPG_GOODPUT_ROW_EVENT,
  MPG_GOODPUT_ROW_FIELDS,
  MPG_GOODPUT_ROW_REST = MPG_GOODPUT_ROW_FIELDS + MPG_GOODPUT_COUNT,
  MPG_GOODPUT_ROW_TIMESTAMP,
  MPG_GOODPUT_ROW_TIME_NS,
  MPG_GOODPUT_ROW_INSERT_ID,
  MPG_GOODPUT_ROW_DUPLICATE, /* always NULL here: set by whoever sees the rows in order, from */
  MPG_GOODPUT_ROW_ENTRY /* an exported row's mpg_goodput_row.entry, as the bits of an integer */
};

/* A query of it needs no columns, and these options. */
extern const mpg_rows_format mpg_goodput_rows;
extern const mpg_rows_options mpg_goodput_rows_options;

#endif
