/*
** progress_report.h - shows how far scans of a connection have come: a bar on the
** terminal, or a call of a function of SQL that the host has registered (mpg_progress).
**
** All is done in the host's thread while it is polled for an interruption, so there is no lock and
** no thread. The function is called as any function of a statement within a statement is; scans
** that it begins itself are not counted.
*/
#ifndef MPG_PROGRESS_REPORT_H
#define MPG_PROGRESS_REPORT_H

#include <sqlite3ext.h>

#include "../base/base.h"

#define MPG_PROGRESS_NAME 128 /* bytes of a function's name, with its NUL */

typedef enum mpg_progress_mode {
  MPG_PROGRESS_OFF,
  MPG_PROGRESS_TERMINAL,
  MPG_PROGRESS_FUNCTION
} mpg_progress_mode;

typedef struct mpg_progress_report {
  mpg_progress counts;
  mpg_progress_mode mode;
  char function[MPG_PROGRESS_NAME];
  int64_t delay_us;             /* of work before the first report */
  int scans;                    /* open ones that count */
  int64_t began_us, next_us;    /* monotonic: of the first scan; of the next report */
  int64_t jobs_began_us;        /* 0: no report of jobs yet */
  bool drawn, calling, stopped; /* a bar is on the terminal; the function runs; it failed */
} mpg_progress_report;

/* What a scan counts in; NULL: nobody asks. If it is not NULL, the scan is to be ended. */
mpg_progress *mpg_progress_scan_begin(mpg_progress_report *report);
void mpg_progress_scan_end(mpg_progress_report *report);
/* Reports if it is time to. True: the function failed, and the statement is to end. */
bool mpg_progress_poll(mpg_progress_report *report, sqlite3 *db);
/* Calls the function with the counts; false: it failed, and sqlite3_errmsg says why. */
bool mpg_progress_call(const mpg_progress_report *report, sqlite3 *db, int64_t elapsed_us);

#endif
