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

#include "csv.h"
#include "json_records.h"
#include "../input/stream.h"

/* Zero-initialised is empty; its memory is used again from block to block. */
typedef struct mpg_block {
  const mpg_env *env;
  char *bytes; /* MPG_WINDOW_SLACK readable bytes follow the last */
  size_t n, cap;
  size_t at;      /* where a reader begins, mpg_csv_unfeed may have moved it */
  size_t more;    /* bytes after the n: the beginning of the next block, for messages alone */
  int64_t line;   /* of the byte at `at` */
  int64_t offset; /* of the first byte in the stream */
  bool first;     /* of the stream */
  bool rest; /* no end was found: the stream continues after the n bytes (see mpg_blocks_next) */
} mpg_block;

void mpg_block_free(mpg_block *block);

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

/*
** Readers over a block: opened once, then fed one block after the other. The stream is that of the
** block: for its name, and for a rest. The block's bytes are borrowed until the reader is fed
** again, and changed where quotes are halved; those of a rest become the reader's. `asked` says
** whether to stop, NULL: nobody is asked; a thread that works on a block must not ask the host, of
** which it knows nothing. A rest is for the thread that opened the reader, which asks for itself.
*/
void mpg_csv_feed(mpg_csv *csv, mpg_stream *stream, mpg_block *block, const mpg_env *asked);
void mpg_json_feed(mpg_json *json, mpg_stream *stream, mpg_block *block, const mpg_env *asked);
/* The bytes from the next object of JSON Lines on, at its '{', for a reader that knows what usually
** stands there; *end: of what is in memory, with slack. False: there is none, or not so simply. */
bool mpg_json_peek(mpg_json *json, const char **p, const char **end);
/* The object was read, up to `after`; it has no line end inside. */
void mpg_json_take(mpg_json *json, const char *after);
/* The block, no rest, begins after what the reader has read of it, say after a header. */
void mpg_csv_unfeed(mpg_csv *csv, mpg_block *block);
/* The same after an object of JSON Lines; false if that is not the end of its line. */
bool mpg_json_unfeed(mpg_json *json, mpg_block *block);

/* For blocks.c: the end of the last record that begins and surely ends within the bytes, 0 if there
** is none. */
mpg_rc mpg_csv_cut(mpg_csv *csv, const char *bytes, size_t n, size_t *cut, mpg_err *err);

#endif
