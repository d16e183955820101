/*
** held_fleet.h - the relations of the connection, read once for several scans of the ledger's
** tables that name no schema (ledger/ledger_fleet.c).
*/
#ifndef MPG_HELD_FLEET_H
#define MPG_HELD_FLEET_H

#include "connection.h"
#include "../goodput/ledger/digests.h"

/*
** For all scans until mpg_held_fleet_end, which is called also after a failure. The relations must
** not change meanwhile. Ends the holding of records (held_records.h).
**
** stored: the rows of each relation, by mpg_relation, up to MPG_REL_OBSERVED, if all of them come
** from the records that the connection holds; NULL: some may not. If the records are as many, none
** was dropped or merged: then their fleet is taken, and the relations need not be read.
*/
mpg_rc mpg_held_fleet_begin(mpg_conn *conn, const int64_t *stored, mpg_err *err);
void mpg_held_fleet_end(mpg_conn *conn);

/* Accounts the fleet that is held as the statements of a build do, by the settings in main's
** mpg_config. mpg_digests_free also after a failure. */
mpg_rc mpg_held_fleet_digests(mpg_conn *conn, mpg_digests *made, mpg_err *err);
/* By the fleet's jobs, or NULL: whose rows the statements that follow leave out. Roll-ups by job
** and mpg_runs then account only the others; what else they would notice, a later scan of all
** lists. */
void mpg_held_fleet_leave_out(mpg_conn *conn, const bool *jobs);

#endif
