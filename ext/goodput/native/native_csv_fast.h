/*
** native_csv_fast.h - spans and commits of CSV as most are written, straight out of a block's
** bytes.
**
** Plain is a record of the header's number of fields, none of them quoted, ended by LF or CRLF,
** with texts and numbers of the usual form (goodput/trace/fleet.h). Any other is for csv.h and
** mpg_fleet_add, which take everything; what a plain record comes to is what they would make of it.
*/
#ifndef MPG_NATIVE_PLAIN_H
#define MPG_NATIVE_PLAIN_H

#include "native_reading.h"

/*
** Takes plain records off the block, up to the first that is not; block->at is then after the last.
*/
mpg_rc mpg_native_csv_fast(mpg_native_reading *r, mpg_block *block, const mpg_native_header *h);

#endif
