/*
** native_csv_fast.h - the fast road for spans and commits of CSV, straight from a block's bytes.
**
** A plain record has as many fields as the header, none quoted, ends with LF or CRLF, and has texts
** and numbers of the common form (goodput/trace/fleet.h). Any other record is for csv.h and
** mpg_fleet_add, which take every form; for a plain record the result is the same as theirs.
*/
#ifndef MPG_NATIVE_CSV_FAST_H
#define MPG_NATIVE_CSV_FAST_H

#include "native_reading.h"

typedef struct mpg_native_csv_fast mpg_native_csv_fast;
/* NULL: out of memory. */
mpg_native_csv_fast *mpg_native_csv_fast_new(const mpg_env *env);
void mpg_native_csv_fast_free(mpg_native_csv_fast *fast, const mpg_env *env);
/* Begins a block, of records with this header, for a part of a fleet. */
void mpg_native_csv_fast_begin(mpg_native_csv_fast *fast, mpg_fleet *part,
                               const mpg_native_header *header);
/* Takes plain records off the block, up to the first that is not; block->at is then after the last.
*/
mpg_rc mpg_native_csv_fast_read(mpg_native_csv_fast *fast, mpg_native_reading *r, mpg_block *block);

#endif
