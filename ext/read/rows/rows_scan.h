/*
** rows_scan.h - files of rows (rows.h), prefetched block by block, by several threads.
**
** Rows and errors come in the order of the files, so the result does not depend on the number of
** threads. The threads decode the requested columns, and skip rows that the filters refuse; a value
** that does not fit its type is an error only if it is requested. Memory is that of a few blocks.
*/
#ifndef MPG_ROWS_SCAN_H
#define MPG_ROWS_SCAN_H

#include "rows.h"

typedef struct mpg_scan_query {
  const mpg_rows_format *format;
  mpg_rows_query rows;  /* options, columns, filters, checked */
  const size_t *wanted; /* the columns that may be requested */
  size_t n_wanted;
  bool lines; /* so may a row's line */
  /* A row that is the same in the columns wanted as an earlier one of the same file may be left
  ** out; the first never is. */
  bool distinct;
  bool skip;                                         /* malformed records are left out */
  bool (*chosen)(const void *ctx, const char *path); /* whether a file is read; NULL: all are */
  const void *chosen_ctx;
  int threads;
} mpg_scan_query;

/* A row has a cell for each requested column: its kind, and the number, or the position of its
** text. */
typedef union mpg_cell {
  int64_t i;
  double r;
  struct {
    uint32_t at, n;
  } text;
} mpg_cell;

/* Rows of one piece. Zero-initialised is empty. */
typedef struct mpg_rows_batch {
  size_t n;
  mpg_cell *cells; /* [row * n_wanted + k], as are the kinds */
  uint8_t *kinds;
  int64_t *lines;
  int64_t first;     /* the number of the first row (mpg_rows_scan_number) */
  uint32_t *numbers; /* less that; without them they follow each other */
  char *copies;      /* of texts that the block does not hold */
  size_t cells_cap, kinds_cap, lines_cap, numbers_cap, copies_n, copies_cap;
} mpg_rows_batch;

typedef struct mpg_rows_scan {
  const mpg_rows_batch *batch; /* NULL: none yet */
  size_t at;                   /* the current row */
  const char *path;            /* its file's, */
  size_t file;                 /* and the number of that */
  const char *bytes;           /* its block's */
  bool numbered;
  struct mpg_rows_reading *reading;
} mpg_rows_scan;

/*
** Everything is borrowed until the scan is closed. The issues of a file that is read are replaced.
** With threads > 1, several threads allocate from `env`.
*/
mpg_rc mpg_rows_scan_open(mpg_rows_scan *scan, const mpg_env *env, const mpg_scan_query *query,
                          const mpg_paths *paths, mpg_issues *issues, mpg_err *err);
/* All zero is fine. */
void mpg_rows_scan_close(mpg_rows_scan *scan);

/* Moves to the next row if the current batch has one; else call mpg_rows_scan_more. */
static inline bool mpg_rows_scan_step(mpg_rows_scan *scan) {
  return scan->batch != NULL && ++scan->at < scan->batch->n;
}
mpg_rc mpg_rows_scan_more(mpg_rows_scan *scan, mpg_err *err);

/* The next row; MPG_DONE after the last. After anything but MPG_OK it may only be closed. */
static inline mpg_rc mpg_rows_scan_next(mpg_rows_scan *scan, mpg_err *err) {
  return mpg_rows_scan_step(scan) ? MPG_OK : mpg_rows_scan_more(scan, err);
}

/* Column wanted[k] of the current row; text is lent until the next row. */
mpg_rc mpg_rows_scan_column(const mpg_rows_scan *scan, size_t k, mpg_value *out, mpg_err *err);
static inline int64_t mpg_rows_scan_line(const mpg_rows_scan *scan) {
  return scan->batch->lines[scan->at];
}
/* A number of the current row: unique, and the same in every scan of the paths, for any request. */
static inline int64_t mpg_rows_scan_number(const mpg_rows_scan *scan) {
  const mpg_rows_batch *b = scan->batch;
  return b->first + (int64_t)(scan->numbered ? b->numbers[scan->at] : scan->at);
}

#endif
