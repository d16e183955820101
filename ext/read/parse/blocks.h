/*
** blocks.h - cuts a stream into blocks of whole records, so that several threads can read one file
** (base/pipeline.h) in bounded memory, with the result of one thread.
**
** The end of a block is exact, not a guess that is mended later: a block ends after a line end at
** which a reader of the whole file begins a record.
**
** CSV: the parity of quotes decides which line ends are inside quotes, 64 bytes at a time. If a
** quote is misplaced, or the text has NULs, the reader itself (csv.h) finds the end. JSON: a block
** ends at a line end between '}' and '{': no valid record continues there, and a reader that skips
** malformed records begins anew there.
*/
#ifndef MPG_BLOCKS_H
#define MPG_BLOCKS_H

#include "block.h"

typedef struct mpg_blocks mpg_blocks;

typedef struct mpg_blocks_options {
  bool json;      /* objects one after the other, else delimited text: */
  char delimiter; /* as in csv.h */
  bool no_quotes; /* as in csv.h */
  bool whole;     /* do not cut: all is a rest */
} mpg_blocks_options;

/* Begins at the position of the stream; at its very start a byte order mark is skipped. */
mpg_rc mpg_blocks_open(mpg_blocks **out, const mpg_env *env, mpg_stream *stream /* borrowed */,
                       const mpg_blocks_options *options, mpg_err *err);
void mpg_blocks_close(mpg_blocks *blocks); /* NULL is fine; the stream stays open */

/*
** The next block into `block`. MPG_DONE at the end. Where the stream fails, the whole records
** before that come first. A block with `rest` is the last: what follows cannot be cut (one JSON
** array, a record of many megabytes, ...), and a reader that is fed it continues by itself to the
** end of the stream.
*/
mpg_rc mpg_blocks_next(mpg_blocks *blocks, mpg_block *block, mpg_err *err);

#endif
