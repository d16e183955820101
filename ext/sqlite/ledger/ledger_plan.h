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
#define MPG_PLAN_VALUES 64 /* that columns are compared with, those of an IN one by one */

/* Copies of the values that columns are compared with, and their texts. */
typedef struct mpg_plan_values {
  sqlite3_value *copies[MPG_PLAN_VALUES];
  mpg_str texts[MPG_PLAN_VALUES];
  size_t n;
} mpg_plan_values;

/* Sets idxStr, orderByConsumed, and an argvIndex from `given` + 1 on for what is compared; may make
** estimatedCost, which is set before, more (constraint.h). Of
** roll-ups the columns alone are planned, of timelines also what mpg_ledger_plan_check looks at.
** False: out of memory. */
bool mpg_ledger_plan(sqlite3 *db, sqlite3_index_info *info, const mpg_ledger_table *table,
                     int given);
/* The columns that the statement uses, as bits. */
unsigned long long mpg_ledger_plan_columns(const char *idx_str);
/* How many rows the statement reads at most, if it wants them as they come and SQLite says so; 0:
** that is not known, or over MPG_PREVIEW_ROWS. */
size_t mpg_ledger_plan_limit(const char *idx_str);
/* Whether a measure of a roll-up is compared whose grain follows from the columns. */
bool mpg_ledger_plan_compares(const char *idx_str);
/* The plan as a request; argv begins after the arguments. `values` holds what the request borrows,
** and is freed also after a failure. An SQLite code. */
int mpg_ledger_plan_request(const char *idx_str, const mpg_ledger_table *table, int argc,
                            sqlite3_value **argv, mpg_plan_values *values,
                            mpg_scan_request *request);
void mpg_plan_values_free(mpg_plan_values *values);
/* SQLITE_OK, or the table has its error: a time is compared with a text, which SQLite takes for
** more than any number. What the statement has as a parameter only this sees. */
int mpg_ledger_plan_check(sqlite3_vtab *vtab, const char *idx_str, const mpg_ledger_table *table,
                          int argc, sqlite3_value **argv);

#endif
