/*
** ledger_declaration.h - what the ledger's tables declare to SQLite, and which plans they offer.
*/
#ifndef MPG_LEDGER_DECLARATION_H
#define MPG_LEDGER_DECLARATION_H

#include "../connection.h"
#include "../../goodput/ledger/ledger_columns.h"

const mpg_ledger_table *mpg_ledger_table_of(const mpg_table *t);

/* A declaration: `columns` begins it and ends in a comma, the table's arguments follow. The caller
** frees it; NULL: out of memory. */
char *mpg_ledger_declared(const char *columns, const mpg_ledger_table *table);

/* xConnect and xBestIndex. */
int mpg_ledger_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                       sqlite3_vtab **out, char **error);
int mpg_ledger_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info);

/* The error for argument `a`: it is in a condition that SQLite does not pass on, and NULL would
** mean no rows in silence; or SQLite scans the right side of a RIGHT JOIN twice, and passes it on
** for one of them. */
int mpg_ledger_not_handed_over(sqlite3_vtab *vtab, int a);
/* The first argument that the statement names and is not given; -1: there is none. `columns` as of
** mpg_ledger_plan_columns, `given` as of idxNum. */
int mpg_ledger_missing(const mpg_ledger_table *table, unsigned long long columns, int given);

#endif
