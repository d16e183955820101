/*
** ledger_scan.h - the rows of a ledger, accounted by several threads ahead of the one who takes
** them, and in the order that is asked for where that is one of dimensions.
**
** An order costs little where it begins with what is the same for all of a job's rows, with pool
** and with chip: then jobs are accounted in that order. Rows that are to be ordered by attempt,
** category, cause or bucket, and by what comes after these, are kept until those that agree in what
** comes before are complete: up to all rows there are, their columns alone that are asked for and
** that do not order them.
*/
#ifndef MPG_LEDGER_SCAN_H
#define MPG_LEDGER_SCAN_H

#include "ledger_order.h"

#define MPG_SCAN_KEYS MPG_DIMS
#define MPG_SCAN_FILTERS 16

/* What rows must hold: a dimension is a text, or a time lies in a range. */
typedef struct mpg_scan_filter {
  enum mpg_scan_op { MPG_SCAN_EQ, MPG_SCAN_LT, MPG_SCAN_LE, MPG_SCAN_GT, MPG_SCAN_GE } op;
  bool time; /* of the row's start, or of its end, in seconds; else a dimension, which is equal */
  bool end;
  double seconds;
  mpg_dim dim; /* NAME to CHIP, SIZE, CATEGORY or CAUSE */
  mpg_str text;
} mpg_scan_filter;

typedef struct mpg_scan_request {
  /* 1 << mpg_row_field: those that will be looked at. A row's number is the same in every scan of a
  ** fleet with the same options, whatever else is wished, and no other row's. */
  uint32_t columns;
  mpg_scan_key keys[MPG_SCAN_KEYS];
  size_t nkeys;                              /* rows come in their order */
  bool once;                                 /* of the rows with the same keys the first alone */
  mpg_scan_filter filters[MPG_SCAN_FILTERS]; /* all of them; texts are borrowed */
  size_t nfilters;
} mpg_scan_request;

typedef struct mpg_ledger_scan mpg_ledger_scan;

/* Over an accounting of which no unit was done, which outlives it, as does the wish. *out must be
** closed also on failure. */
mpg_rc mpg_ledger_scan_open(mpg_ledger_scan **out, mpg_accounting *accounting,
                            const mpg_scan_request *wish, int threads, const char *source,
                            mpg_err *err);
/* The next rows, borrowed until the next call: ledger->n of them, in ledger->order where that is
** not NULL. MPG_DONE after the last, and once the issues are listed. */
mpg_rc mpg_ledger_scan_next(mpg_ledger_scan *scan, const mpg_ledger **rows, mpg_err *err);
void mpg_ledger_scan_close(mpg_ledger_scan *scan); /* NULL is fine */

#endif
