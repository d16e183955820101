/*
** chrome_prefetch.h - the array of events of a Chrome trace, read ahead by several threads
** (base/pipeline.h).
**
** A JSON array does not say where its elements end: what looks like the seam between two events may
** lie within a text, or within args. So the stream is cut at what looks like one, each piece is
** read as if an event had just ended before it, and none of that counts until the reader of the
** whole (chrome.c) has come to the end of the piece before, and finds itself at that very byte,
** behind an event of the array. Where it finds anything else it reads the piece itself. What comes
** out is therefore what one thread gives, whatever the file holds; a wrong guess costs time.
**
** Only well-formed events are read ahead: a piece is read up to what is none, be it the end of the
** array, and the reader of the whole goes on from there.
*/
#ifndef MPG_CHROME_AHEAD_H
#define MPG_CHROME_AHEAD_H

#include "chrome_event.h"
#include "../../read/input/stream.h"

/* An event of a piece: offsets in its bytes, and what an mpg_json_token has. */
typedef struct mpg_chrome_row {
  uint32_t at, behind;
  uint32_t number; /* of the events before it in the piece, without empty ones */
  uint32_t lines;  /* that end before it in the piece */
  struct {
    uint32_t at, n;
  } text[MPG_CHROME_FIELDS];
  uint8_t kind[MPG_CHROME_FIELDS];
  bool escaped[MPG_CHROME_FIELDS];
} mpg_chrome_row;

typedef struct mpg_chrome_piece {
  char *bytes; /* MPG_WINDOW_SLACK readable bytes follow the last */
  size_t n, cap;
  bool guessed; /* it begins at what looks like a seam */
  /* If an event of the array ended before the first byte: events were read up to `behind`, with so
  ** many line ends, the last of them before `line_start`; `rows` are those that do not differ. */
  mpg_chrome_row *rows;
  size_t n_rows, cap_rows;
  uint32_t events;
  size_t behind, line_start;
  int64_t lines;
} mpg_chrome_piece;

typedef struct mpg_chrome_prefetch mpg_chrome_prefetch;

/* Goes on with the stream where it is. Everything is borrowed and outlives it; threads > 1. */
mpg_rc mpg_chrome_prefetch_open(mpg_chrome_prefetch **out, const mpg_env *env, mpg_stream *stream,
                                const mpg_chrome_request *wish, int threads, mpg_err *err);
void mpg_chrome_prefetch_close(mpg_chrome_prefetch *ahead); /* NULL is fine */
/* The next piece, borrowed until the next call; MPG_DONE at the end of the stream. An error of the
** stream comes behind the bytes before it. */
mpg_rc mpg_chrome_prefetch_next(mpg_chrome_prefetch *ahead, const mpg_chrome_piece **piece,
                                mpg_err *err);
/* What came of a piece that was guessed. */
void mpg_chrome_prefetch_judge(mpg_chrome_prefetch *ahead, bool right);
/* How the file spells a seam, from behind the '}' of an event to the end of the first key of the
** next: looked for before anything that may be one. */
void mpg_chrome_prefetch_seam(mpg_chrome_prefetch *ahead, mpg_str seam);

#endif
