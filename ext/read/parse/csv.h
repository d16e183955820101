/*
** csv.h - delimited text (RFC 4180) from a stream, a record at a time, in bounded memory.
**
** Quoted fields may hold delimiters, doubled quotes and newlines; a quote further on in a field is
** an ordinary byte. A record ends with CRLF, LF or a lone CR, the last one also with the stream. A
** byte order mark at the start is skipped and not counted in columns. Blank lines (no bytes at all)
** are skipped.
**
** MPG_DATA, as "PATH:LINE:COLUMN: expected ..., found ...": a quote that never closes, text after a
** closing quote, a NUL byte. The next call then continues after the line of the error (of the byte
** found, not of the record). After any other error, also MPG_DATA of the stream itself, every call
** returns that error again, and mpg_csv_is_broken says so. Line and column count from 1; a column
** is a byte of its line.
*/
#ifndef MPG_CSV_H
#define MPG_CSV_H

#include "block.h"
#include "../input/stream.h"

typedef struct mpg_csv mpg_csv;

typedef struct mpg_csv_options {
  char delimiter;      /* ',' usually; any byte but '"', CR, LF and NUL */
  bool no_quotes;      /* a '"' is an ordinary byte: sacct -P and the like */
  size_t record_limit; /* bytes of one record; 0: as set. Above it MPG_LIMIT. */
} mpg_csv_options;

mpg_rc mpg_csv_open(mpg_csv **out, const mpg_env *env, mpg_stream *stream /* borrowed */,
                    const mpg_csv_options *options, mpg_err *err);
void mpg_csv_close(mpg_csv *csv); /* NULL is fine; the stream stays open */

/* The next record: *fields is borrowed and valid until the next call. MPG_DONE at the end. */
mpg_rc mpg_csv_next(mpg_csv *csv, const mpg_str **fields, size_t *n, mpg_err *err);

/* Where the current record begins. */
int64_t mpg_csv_line(const mpg_csv *csv);
/* Whether an error was returned that every call will repeat. */
bool mpg_csv_is_broken(const mpg_csv *csv);
/* Whether the stream ended within the line of the current record, or of the one that was malformed:
** what is still being written may end so. */
bool mpg_csv_cut_off(const mpg_csv *csv);
/* Where field i of the current record begins, for messages (may be slow). A field past the last one
** is the end of the record. */
void mpg_csv_where(const mpg_csv *csv, size_t i, int64_t *line, int64_t *column);

/* The reader continues with a block (block.h). */
void mpg_csv_feed(mpg_csv *csv, mpg_stream *stream, mpg_block *block, const mpg_env *poll_env);
/* The block, no rest, begins after what the reader has read of it, say after a header. */
void mpg_csv_unfeed(mpg_csv *csv, mpg_block *block);
/* For blocks.c: the end of the last record that begins and surely ends within the bytes, 0 if there
** is none. */
mpg_rc mpg_csv_cut(mpg_csv *csv, const char *bytes, size_t n, size_t *cut, mpg_err *err);

#endif
