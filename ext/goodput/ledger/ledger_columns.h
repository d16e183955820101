/*
** ledger_columns.h - the ledger's tables in any host: their columns and arguments, and the values
** of a row.
*/
#ifndef MPG_LEDGER_COLUMNS_H
#define MPG_LEDGER_COLUMNS_H

#include "ledger_options.h"
#include "rollup.h"
#include "../../base/time_bucket.h"

/* Visible columns of all shapes. */
typedef enum mpg_ledger_column {
  MPG_COL_POOL,
  MPG_COL_CHIP,
  MPG_COL_JOB,
  MPG_COL_ATTEMPT,
  MPG_COL_NAME, /* NAME to LABELS lie in the order of mpg_job.dim, except for SIZE */
  MPG_COL_OWNER,
  MPG_COL_PHASE,
  MPG_COL_FRAMEWORK,
  MPG_COL_RUNTIME,
  MPG_COL_MODEL,
  MPG_COL_SIZE,
  MPG_COL_PRIORITY,
  MPG_COL_LABELS,
  MPG_COL_CATEGORY,
  MPG_COL_CAUSE,
  MPG_COL_START_TIME,
  MPG_COL_END_TIME,
  MPG_COL_BUCKET,
  MPG_COL_CHIP_US,
  MPG_COL_CHIP_SECONDS,
  MPG_COL_INTERVALS,
  MPG_COL_KIND,
  MPG_COL_STEP,
  MPG_COL_PROGRAM,
  MPG_COL_FILE,
  MPG_COL_LINE,
  MPG_COLS
} mpg_ledger_column;

/* How a column's value follows from a field of its row. */
typedef enum mpg_ledger_form {
  MPG_FORM_NAME,      /* the text of an id of `names` */
  MPG_FORM_FEW,       /* the same; few texts fill the column */
  MPG_FORM_OF_JOB,    /* a text of the row's job, of its dimension */
  MPG_FORM_SIZE,      /* the name of a size class */
  MPG_FORM_CATEGORY,  /* the name of a category */
  MPG_FORM_BUCKET,    /* the label of a bucket */
  MPG_FORM_AMOUNT,    /* the field */
  MPG_FORM_NUMBER,    /* the field; MPG_NONE is NULL */
  MPG_FORM_LINE,      /* the field; 0 is NULL */
  MPG_FORM_SECONDS,   /* the field, in microseconds */
  MPG_FORM_INTERVALS, /* how many intervals a cell sums */
} mpg_ledger_form;

typedef struct mpg_ledger_column_info {
  const char *name;
  mpg_type type;
  int dim; /* mpg_dim, or -1 */
  mpg_ledger_form form;
  mpg_row_field row; /* the field that it follows from: */
  size_t of_row;     /* where it is in mpg_ledger_row, */
  size_t of_ledger;  /* and where in mpg_ledger its array is */
  size_t names;      /* where in mpg_fleet the texts of the ids are */
} mpg_ledger_column_info;

const mpg_ledger_column_info *mpg_ledger_column_get(mpg_ledger_column col);
static inline const mpg_intern *mpg_ledger_column_names(const mpg_ledger_column_info *info,
                                                        const mpg_fleet *fleet) {
  return (const mpg_intern *)(const void *)((const char *)fleet + info->names);
}

typedef enum mpg_ledger_shape {
  MPG_SHAPE_LEDGER,   /* a row for each interval */
  MPG_SHAPE_ROLLUP,   /* the same summed */
  MPG_SHAPE_TIMELINE, /* one job's intervals in order, with their evidence */
  MPG_SHAPE_RUNS      /* what jobs did, folded: its columns are those of its host */
} mpg_ledger_shape;

typedef struct mpg_ledger_table {
  const char *name;
  mpg_ledger_shape shape;
  bool files;              /* over files, else over relations */
  const signed char *cols; /* mpg_ledger_column, in order */
  const signed char *args; /* mpg_arg, in order */
  int ncols, nargs;
} mpg_ledger_table;

enum {
  MPG_TRACE_LEDGER_TABLE = 0,
  MPG_RUNS_TABLE = 6,
  MPG_LEDGER_TABLES = 7,
  MPG_RUNS_COLUMNS = 15
};
const mpg_ledger_table *mpg_ledger_table_get(int i);

/* The dimensions of those of the table's columns whose bit is set: a roll-up's grain. */
uint32_t mpg_ledger_grain(const mpg_ledger_table *table, uint64_t columns);
/* The same of a list of their names, "pool, category", or of "full", which is all of them.
** `argument` is named where the list is wrong: MPG_MISUSE. */
mpg_rc mpg_ledger_grain_parse(const mpg_ledger_table *table, const char *argument, mpg_str names,
                              uint32_t *mask, mpg_err *err);

/* A row of either source, from which values are made. */
typedef struct mpg_ledger_row {
  uint32_t job, pool, chip, cause, kind, program, file;
  uint8_t size, category;
  int64_t attempt, start, end, bucket, chip_us, intervals, step, line;
} mpg_ledger_row;

mpg_ledger_row mpg_ledger_row_at(const mpg_ledger *ledger, size_t i);

/* A cell's sum may be past 64 bits: it is then several rows, the last of which has its intervals.
** What is `left` of the sum, the cell's chip_us at first, is less by the row; 0: it was the
** last. */
mpg_ledger_row mpg_ledger_row_of_cell(const mpg_cell *cell, mpg_i128 *left);

/* The value of a column. Text is borrowed from the fleet or from `room`, or is static (category and
** size). */
#define MPG_LEDGER_VALUE_TEXT 40
mpg_value mpg_ledger_value(const mpg_fleet *fleet, const mpg_bucket *bucket,
                           const mpg_ledger_row *row, mpg_ledger_column col,
                           char room[MPG_LEDGER_VALUE_TEXT]);

#endif
