/*
** blocks.h - a stream of records cut into blocks of whole records, so that several threads can read
** one file (base/pipeline.h), in bounded memory and without a difference to reading it in one go.
**
** Where a block ends is exact, not a guess that is mended later: a block ends after a line end at
** which a reader of the whole file would begin a record.
**
** CSV: line ends within quotes are told apart 64 bytes at a time by the parity of the quotes, where
** each stands where a quote belongs; where one does not, and in text with NULs, the reader itself
** (csv.h) is asked. JSON: at a line end between '}' and '{', where no valid record can continue and
** where also a reader that skips malformed ones begins anew.
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

/* From where the stream is; at its very start a byte order mark is stepped over. */
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
