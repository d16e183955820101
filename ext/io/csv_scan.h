/*
** csv_scan.h - the fields of plain records of delimited text in memory, many records at a time.
**
** Plain is what needs no thought: records of the expected number of fields, ended by LF, without
** quotes, CR and NUL. From the first record that is not plain on, csv.h is asked.
*/
#ifndef MPG_CSV_SCAN_H
#define MPG_CSV_SCAN_H

#include "../core/base.h"

/* Fields found at a time: records of more than half as many are not plain. */
#define MPG_CSV_SCAN_FIELDS 4096

typedef struct mpg_csv_scan {
  char delimiter;
  bool quotes;  /* a quote is no plain byte */
  size_t end;   /* of what was counted */
  size_t width; /* fields of a record, at least 2: a blank line would be a record of one */
  uint32_t ends[MPG_CSV_SCAN_FIELDS + 8]; /* offset behind field k of record r: [r * width + k] */
} mpg_csv_scan;

/*
** The plain records of p[0..n) from the record at `at` on; how many there are. 0: the one at `at` is
** not plain, or not whole. n is less than 4 GiB; 64 bytes behind p + n are readable.
*/
size_t mpg_csv_scan_next(mpg_csv_scan *scan, const char *p, size_t n, size_t at);
/* As many of them as follow each other, without their fields: up to scan->end. */
size_t mpg_csv_scan_count(mpg_csv_scan *scan, const char *p, size_t n, size_t at);

#endif
