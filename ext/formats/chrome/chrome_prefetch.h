/*
** chrome_prefetch.h - reads the array of events of a Chrome trace ahead, by several threads
** (base/pipeline.h).
**
** A JSON array does not say where its elements end: what looks like the seam between two events may
** be inside a text, or inside args. So the stream is cut at what looks like a seam, and each piece
** is read as if an event had just ended before it. The result of a piece counts only if the reader
** of the whole (chrome.c), at the end of the piece before, is at that very byte and after an event
** of the array. Else it reads the piece itself. So the rows are those of one thread for every file;
** a wrong guess only costs time.
**
** Only well-formed events are prefetched: a piece is read up to the first byte that is none, such
** as the end of the array, and the reader of the whole continues there.
*/
#ifndef MPG_CHROME_PREFETCH_H
#define MPG_CHROME_PREFETCH_H

#include "chrome_event.h"
#include "../../read/input/stream.h"

/* An event of a piece: offsets in its bytes, and what an mpg_json_token has. */
typedef struct mpg_chrome_row {
  uint32_t at, after;
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
  /* Valid if an event of the array ended before the first byte. Events were read up to `after`,
  ** with so many line ends, the last of them before `line_start`; `rows` are those that do not
  ** differ. */
  mpg_chrome_row *rows;
  size_t n_rows, cap_rows;
  uint32_t events;
  size_t after, line_start;
  int64_t lines;
} mpg_chrome_piece;

typedef struct mpg_chrome_prefetch mpg_chrome_prefetch;

/* Continues with the stream at its position. Everything is borrowed and outlives it; threads > 1.
*/
mpg_rc mpg_chrome_prefetch_open(mpg_chrome_prefetch **out, const mpg_env *env, mpg_stream *stream,
                                const mpg_chrome_request *request, int threads, mpg_err *err);
void mpg_chrome_prefetch_close(mpg_chrome_prefetch *ahead); /* NULL is fine */
/* The next piece, borrowed until the next call; MPG_DONE at the end of the stream. An error of the
** stream comes after the bytes before it. */
mpg_rc mpg_chrome_prefetch_next(mpg_chrome_prefetch *ahead, const mpg_chrome_piece **piece,
                                mpg_err *err);
/* What came of a piece that was guessed. */
void mpg_chrome_prefetch_judge(mpg_chrome_prefetch *ahead, bool right);
/* How the file spells a seam, from after the '}' of an event to the end of the first key of the
** next. This spelling is searched first. */
void mpg_chrome_prefetch_seam(mpg_chrome_prefetch *ahead, mpg_str seam);

#endif
