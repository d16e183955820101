/*
** held_fleet.h - the relations of the connection, read once for several scans of the ledger's
** tables that name no schema (ledger/ledger_fleet.c).
*/
#ifndef MPG_HELD_FLEET_H
#define MPG_HELD_FLEET_H

#include "connection.h"

/* For all scans until mpg_held_fleet_end, which is called also after a failure. The relations must
** not change meanwhile. */
mpg_rc mpg_held_fleet_begin(mpg_conn *conn, mpg_err *err);
void mpg_held_fleet_end(mpg_conn *conn);

#endif
