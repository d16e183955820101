/*
** ledger_naive.h - the ledger of a small fleet, computed a second time from docs/rules.md alone:
** every second by itself.
**
** Names end in the digit that is their number. Times are whole seconds and chips quarters, so that
** every chip-time is a whole number of microseconds.
*/
#ifndef MPG_FUZZ_LEDGER_NAIVE_H
#define MPG_FUZZ_LEDGER_NAIVE_H

#include "../../ext/goodput/category.h"
#include "../../ext/goodput/trace/fleet.h"

#define LEDGER_JOBS 4
#define LEDGER_POOLS 3
#define LEDGER_RECORDS 48
#define LEDGER_SECONDS 320 /* all times are less */

typedef struct ledger_record {
  mpg_relation relation; /* any but MPG_REL_CHIPS */
  mpg_value values[MPG_MAX_COLUMNS];
} ledger_record;

/* Chip-microseconds. */
typedef struct ledger_sums {
  mpg_i128 of[LEDGER_JOBS + 1][LEDGER_POOLS + 1][MPG_CATEGORIES]; /* [0]: no job, no pool */
  mpg_i128 intervals; /* rows of a ledger; naively there are none */
} ledger_sums;

/* The chips that fleets may name beside those that nobody knows, by their peak in bf16, in
** FLOP/s. */
#define LEDGER_ONE_PEAK 1e12
#define LEDGER_TPU_V4_PEAK 275e12 /* schema/chips.csv */

/* as_of: in seconds; 0: the latest time in any record. */
void ledger_naive(const ledger_record *records, size_t n, int64_t as_of, ledger_sums *out);

#endif
