/*
** catalogue.h - the chip catalogue as a connection sees it: the built-in one, extended and
** overridden by the user's tables main.chips and temp.chips, in this order.
**
** A user's table has the columns of mpg_chips, in any order. chip, dtype and peak_flops are
** required; a table without them is another's and is ignored. The others are vendor, year,
** hbm_bytes, hbm_bytes_per_s, ici_bytes_per_s, tdp_w, source, and aliases, a JSON array of texts. A
** value that is missing, NULL or '' comes from the overridden row, else from the chip's first row;
** the source is then "main.chips" or "temp.chips". Numbers may be text, as .import leaves them. Of
** two rows of the same chip and dtype the later one counts. A malformed row is an error that names
** it.
**
** Only ordinary columns of ordinary tables count. No view, virtual table or generated column is
** evaluated, so opening an unknown database runs nothing of its schema.
**
** A statement reads the tables once, when it first needs a chip, and uses what it read to its end.
** So it sees what a SELECT at that moment sees. Without such a table nothing is read, and the
** built-in catalogue is made once for each connection.
**
** An index or a generated column over these functions holds values of the catalogue at the time of
** writing: REINDEX after changing the table, as after changing a collation.
*/
#ifndef MPG_CATALOGUE_H
#define MPG_CATALOGUE_H

#include "connection.h"

/* The catalogue as it is now, for a virtual table's scan: with a reference, which the caller gives
** back with mpg_catalogue_release. NULL on failure. */
const mpg_chips *mpg_catalogue(mpg_conn *conn, mpg_err *err);
void mpg_catalogue_release(mpg_conn *conn, const mpg_chips *chips); /* NULL is fine */

/* The same as a catalogue of the caller's own, to add to; to be freed also after a failure. */
mpg_rc mpg_catalogue_copy(mpg_conn *conn, mpg_chips **out, mpg_err *err);

/* Of everything in it that accounting can see; false: it cannot be had. */
bool mpg_catalogue_hash(mpg_conn *conn, uint64_t *hash);

/* MPG_DATA: the catalogue has no such chip; the message names the nearest. */
mpg_rc mpg_catalogue_check(mpg_conn *conn, mpg_str chip, mpg_err *err);

/* The same for a function: the catalogue of the statement that calls it, with a reference. */
const mpg_chips *mpg_catalogue_of(sqlite3_context *context, mpg_err *err);

#endif
