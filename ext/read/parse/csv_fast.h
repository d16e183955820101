/*
** csv_fast.h - the fields of plain records of delimited text in memory, many records at a time.
**
** A plain record has the expected number of fields, ends with LF or CRLF, and has no quotes, NULs
** or other CRs. The first record that is not plain, and those after it, are for csv.h.
*/
#ifndef MPG_CSV_FAST_H
#define MPG_CSV_FAST_H

#include "../../base/base.h"
#include "../input/bit_positions.h"

/* Fields found at a time: records of more than half as many are not plain. */
#define MPG_CSV_SCAN_FIELDS 4096

typedef struct mpg_csv_scan {
  char delimiter;
  bool quotes;   /* a quote is no plain byte */
  unsigned most; /* bytes at a time, 16 or 32, for tests; 0: as many as the processor can */
  size_t end;    /* of what was counted */
  size_t width;  /* fields of a record, at least 2: a blank line would be a record of one */
  /* Field k of record r is between the bytes at [r * width + k] and at the next one: delimiters and
  ** LFs. Before the first byte of all there is the one at UINT32_MAX. */
  uint32_t marks[MPG_CSV_SCAN_FIELDS + 1 + MPG_BITS_MORE];
} mpg_csv_scan;

/* Field k of a record; of the last one a CR before the LF is no part. */
static inline mpg_str mpg_csv_scan_field(const mpg_csv_scan *scan, const char *p, size_t record,
                                         size_t k) {
  const uint32_t *mark = scan->marks + record * scan->width + k;
  uint32_t from = mark[0] + 1, n = mark[1] - from;
  n -= k + 1 == scan->width && n > 0 && p[mark[1] - 1] == '\r';
  return (mpg_str){p + from, n};
}
/* The LF of a record. */
static inline uint32_t mpg_csv_scan_lf(const mpg_csv_scan *scan, size_t record) {
  return scan->marks[(record + 1) * scan->width];
}

/*
** The plain records of p[0..n) from the record at `at` on; how many there are. 0: the one at `at`
** is not plain, or not whole. n is less than 4 GiB; 64 bytes after p + n are readable.
*/
size_t mpg_csv_scan_next(mpg_csv_scan *scan, const char *p, size_t n, size_t at);
/* As many of them as follow each other, without their fields: up to scan->end. */
size_t mpg_csv_scan_count(mpg_csv_scan *scan, const char *p, size_t n, size_t at);

#endif
