/*
** lines.h - lines of text from a stream, for formats in which a record is a line.
**
** A line ends with LF or CRLF, the last one also with the stream. A byte order mark at the start is
** skipped, and NUL bytes at the start of a line, which a crash leaves.
*/
#ifndef MPG_LINES_H
#define MPG_LINES_H

#include "stream.h"

typedef struct mpg_lines mpg_lines;

mpg_rc mpg_lines_open(mpg_lines **out, const mpg_env *env, mpg_stream *stream /* borrowed */,
                      mpg_err *err);
/* Lines that hold a NUL are given as they are, instead of an error. */
void mpg_lines_keep_nul(mpg_lines *lines);
void mpg_lines_close(mpg_lines *lines); /* NULL is fine; the stream stays open */

/*
** The next line, without its end: borrowed, valid until the next call. MPG_DONE at the end of the
** stream. MPG_DATA, as "PATH:LINE:COLUMN: expected text, found byte 0x00", for a line that holds a
** NUL: the next call continues after that line. After any other error (one of the stream, a line of
** more than 64 MiB) every call says MPG_DONE. Asks now and then whether to stop.
*/
mpg_rc mpg_lines_next(mpg_lines *lines, mpg_str *line, mpg_err *err);
int64_t mpg_lines_number(const mpg_lines *lines); /* of the current line, from 1 */
/* Whether the current line had an end: one that has none may be still in the writing. */
bool mpg_lines_ended(const mpg_lines *lines);

#endif
