/*
** records_reading.h - the records that trace_records and mpg_records show, read once for each scan,
** or once for all scans of the same source while the connection holds readings (held_records.h).
*/
#ifndef MPG_RECORDS_READING_H
#define MPG_RECORDS_READING_H

#include "../cache/fleet_cache.h"
#include "../connection.h"
#include "../held_records.h"

typedef struct mpg_records_reading {
  sqlite3_value *source;     /* the path or the schema; NULL: not given */
  bool files;                /* the source is a path */
  int users;                 /* scans that read it, and the connection while it holds it */
  mpg_query_env scan;        /* of the fleet */
  mpg_chips *chips, *before; /* the catalogue with the trace's chips, and without */
  mpg_fleet fleet;
  mpg_fleet_keep keep; /* of files that scripts map: the next reading of them has the fleet */
  uint32_t *by_name; /* the jobs in the order of their names, in which tables have their records */
} mpg_records_reading;

/* Reads what the arguments say, by mpg_arg, for the scan that asks until mpg_records_done; `files`:
** a path. Other scans may have the same reading: none changes it. NULL: *err says why. */
mpg_records_reading *mpg_records_read(mpg_conn *conn, bool files, sqlite3_value *const *args,
                                      mpg_err *err);
/* The held reading of files, if it is the only one, no scan reads it, and it has as many records of
** each relation as `rows` says, by mpg_relation, up to MPG_REL_OBSERVED; else NULL. The caller's
** alone, until mpg_records_done. */
mpg_records_reading *mpg_held_records_take(mpg_conn *conn, const int64_t *rows);
/* The scan needs it no more. NULL is no reading. */
void mpg_records_done(mpg_conn *conn, mpg_records_reading *reading);

#endif
