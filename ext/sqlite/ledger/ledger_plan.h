/*
** ledger_plan.h - what a statement requests of the ledger's rows beyond its arguments, passed from
** xBestIndex to xFilter in idxStr: the columns that it uses, the order that it wants, and
** comparisons pushed down: rows that fail them need not be returned.
*/
#ifndef MPG_LEDGER_PLAN_H
#define MPG_LEDGER_PLAN_H

#include "../connection.h"
#include "../../goodput/ledger/ledger_scan.h"
#include "../../goodput/ledger/ledger_columns.h"

#define MPG_PREVIEW_ROWS 10000

/* Sets idxStr, orderByConsumed, and an argvIndex from `given` + 1 on for what is compared; may make
** estimatedCost, which is set before, more (constraint.h). Of
** roll-ups and timelines the columns alone are planned. False: out of memory. */
bool mpg_ledger_plan(sqlite3 *db, sqlite3_index_info *info, const mpg_ledger_table *table,
                     int given);
/* The columns that the statement uses, as bits. */
unsigned long long mpg_ledger_plan_columns(const char *idx_str);
/* How many rows the statement reads at most, if it wants them as they come and SQLite says so; 0:
** that is not known, or over MPG_PREVIEW_ROWS. */
size_t mpg_ledger_plan_limit(const char *idx_str);
/* Whether a measure of a roll-up is compared whose grain follows from the columns. */
bool mpg_ledger_plan_compares(const char *idx_str);
/* The plan as a request; `values` are those of argv after the arguments, borrowed for as long as
** the request is used. */
void mpg_ledger_plan_request(const char *idx_str, const mpg_ledger_table *table,
                             sqlite3_value *const *values, int nvalues, mpg_scan_request *request);

#endif
