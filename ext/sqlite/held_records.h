/*
** held_records.h - what trace_records and mpg_records have read, kept for further scans of the same
** source (ledger/records_reading.c).
*/
#ifndef MPG_HELD_RECORDS_H
#define MPG_HELD_RECORDS_H

#include "connection.h"

/* For all scans until mpg_held_records_end, which is called also after a failure. Files and tables
** are not read again meanwhile, even if they change. */
mpg_rc mpg_held_records_begin(mpg_conn *conn, mpg_err *err);
void mpg_held_records_end(mpg_conn *conn);

#endif
