/*
** window.h - the part of a stream that a reader of records has in memory, in one piece.
**
** A reader scans from `at`. If it reaches `end` within a record, it requests more bytes and starts
** the record again: that costs half a record per block, and no reader has to stop and resume within
** a token. Pointers into the window are valid until more bytes are requested.
*/
#ifndef MPG_WINDOW_H
#define MPG_WINDOW_H

#include "stream.h"

#define MPG_WINDOW_SLACK 64 /* readable bytes after `end`, of any value, for wide loads */

typedef struct mpg_window {
  const mpg_env *env;
  mpg_stream *stream; /* borrowed */
  char *buf;
  size_t cap;
  size_t at;     /* the start of the current record: bytes before it may be dropped */
  size_t end;    /* after the last byte that was read */
  bool last;     /* nothing follows `end` */
  bool borrowed; /* buf is another's */
} mpg_window;

void mpg_window_open(mpg_window *w, const mpg_env *env, mpg_stream *stream);
void mpg_window_close(mpg_window *w);

/* Reads at least one byte more, or sets `last`. Moves buf, at and end; doubles the window if the
** bytes from `at` fill more than half of it. If a file is damaged, the bytes before the damage are
** returned first. */
mpg_rc mpg_window_more(mpg_window *w, mpg_err *err);

/* Continues at buf[at] of `n` bytes (and slack) with capacity `cap`. If cap is 0, these are all
** bytes, and borrowed; else the window owns them, and the stream follows. */
void mpg_window_set(mpg_window *w, mpg_stream *stream, char *buf, size_t at, size_t n, size_t cap);

/* At the very start of the stream: reads the first bytes and steps over a UTF-8 byte order mark. */
mpg_rc mpg_window_start(mpg_window *w, mpg_err *err);

/* How an error shows a byte of the input: 'x', "end of line", "byte 0x00". */
#define MPG_BYTE_TEXT 16
const char *mpg_byte_text(char c, char buf[MPG_BYTE_TEXT]);

#endif
