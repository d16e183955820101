/*
** ledger_scan.h - the rows of a ledger, accounted by several threads ahead of the reader, and in
** the requested order if that is one of dimensions.
**
** An order costs little if it begins with pool, chip, or what is the same for all rows of a job:
** then jobs are accounted in that order. If it has attempt, category, cause or bucket, rows are
** collected until all rows that agree in the keys before it are complete: at worst all rows, but
** only the requested columns that are no keys.
*/
#ifndef MPG_LEDGER_SCAN_H
#define MPG_LEDGER_SCAN_H

#include "ledger_order.h"

#define MPG_SCAN_KEYS MPG_DIMS
#define MPG_SCAN_FILTERS 16

/* What rows must hold: a dimension is one of some texts, or a time lies in a range. */
typedef struct mpg_scan_filter {
  enum mpg_scan_op { MPG_SCAN_EQ, MPG_SCAN_LT, MPG_SCAN_LE, MPG_SCAN_GT, MPG_SCAN_GE } op;
  bool time; /* of the row's start, or of its end, in seconds; else a dimension, which is equal */
  bool end;
  double seconds;
  mpg_dim dim; /* NAME to CHIP, SIZE, CATEGORY or CAUSE */
  const mpg_str *texts;
  size_t ntexts;
} mpg_scan_filter;

typedef struct mpg_scan_request {
  /* 1 << mpg_row_field: those that will be read. A row's number is unique, and the same in every
  ** scan of a fleet with the same options, whatever else is requested. */
  uint32_t columns;
  mpg_scan_key keys[MPG_SCAN_KEYS];
  size_t nkeys;                              /* rows come in their order */
  bool once;                                 /* of the rows with the same keys the first alone */
  mpg_scan_filter filters[MPG_SCAN_FILTERS]; /* all of them; texts are borrowed */
  size_t nfilters;
} mpg_scan_request;

typedef struct mpg_ledger_scan mpg_ledger_scan;

/* `accounting` must be new; it and the request must outlive the scan. *out must be closed also on
** failure. */
mpg_rc mpg_ledger_scan_open(mpg_ledger_scan **out, mpg_accounting *accounting,
                            const mpg_scan_request *request, int threads, const char *source,
                            mpg_err *err);
/* The next rows, borrowed until the next call: ledger->n of them, in ledger->order if that is not
** NULL. MPG_DONE after the last; the issues are then listed. */
mpg_rc mpg_ledger_scan_next(mpg_ledger_scan *scan, const mpg_ledger **rows, mpg_err *err);
void mpg_ledger_scan_close(mpg_ledger_scan *scan); /* NULL is fine */

#endif
