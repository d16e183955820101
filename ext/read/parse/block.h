/*
** block.h - bytes of a stream that are whole records: blocks.h cuts them, and readers are fed them
** one after the other.
**
** A reader is opened once. The stream that comes with a block is the block's: for its name, and for
** a rest. The block's bytes are borrowed until the reader is fed again, and changed where quotes
** are halved; those of a rest become the reader's. `asked` is polled for an interruption (NULL:
** nobody is); a thread that works on a block must not poll the host. A rest is for the thread that
** opened the reader, which polls for itself.
*/
#ifndef MPG_BLOCK_H
#define MPG_BLOCK_H

#include "../input/stream.h"

/* Zero-initialised is empty; its memory is used again from block to block. */
typedef struct mpg_block {
  const mpg_env *env;
  char *bytes; /* MPG_WINDOW_SLACK readable bytes follow the last */
  size_t n, cap;
  size_t at;      /* where a reader begins; mpg_csv_unfeed may move it */
  size_t more;    /* bytes after the n: the beginning of the next block, for messages alone */
  int64_t line;   /* of the byte at `at` */
  int64_t offset; /* of the first byte in the stream */
  bool first;     /* of the stream */
  bool rest; /* no end was found: the stream continues after the n bytes (see mpg_blocks_next) */
} mpg_block;

void mpg_block_free(mpg_block *block);

#endif
