/*
** records_plan.h - which records a statement asks trace_records or mpg_records for, and in which
** order.
*/
#ifndef MPG_RECORDS_PLAN_H
#define MPG_RECORDS_PLAN_H

#include "../connection.h"

/* Bits of idxNum. An argument of the scan is the one relation whose records are wanted, or are not:
** SQLite does not compare again. */
#define MPG_RECORD_IS (1 << 9)
#define MPG_RECORD_IS_NOT (1 << 10)
/* The one after it is the job whose spans and commits are wanted; SQLite compares as well. */
#define MPG_JOB_IS (1 << 11)

/* Makes the constraints on `record` and `job`, which are the first columns of the declaration, the
** scan's arguments from `given` + 1 on, sets their bits, and says whether rows come in the order
** that is asked for: spans, and commits, are in that of their jobs' names. The values that follow
** are those of mpg_values_of_numbers, for which idxStr is. estimatedCost is set before. SQLITE_OK,
** or the table has its error: a number is compared with a time. */
int mpg_records_plan(sqlite3_vtab *vtab, sqlite3_index_info *info, const char *declaration,
                     int given);

#endif
