/*
** stream.h - bytes from files, plain, gzip or zstd, in bounded memory.
*/
#ifndef MPG_STREAM_H
#define MPG_STREAM_H

#include "../../base/issues.h"
#include "../../base/pipeline.h"

#include <pthread.h>

typedef struct mpg_stream mpg_stream;

/*
** Opens a regular file for reading from start to end; a FIFO, device or folder is MPG_IO. The first
** bytes decide about compression, not the name (gzip 1f 8b, zstd 28 b5 2f fd and skippable frames).
** Several members or frames in a row are one stream, and zeros may follow the last gzip member.
** O_CLOEXEC, O_NONBLOCK, no mmap. A compressed stream that ends inside a member is MPG_DATA: "PATH:
** truncated gzip stream ..."; so is a damaged one. A zstd window over 128 MiB is MPG_LIMIT. A file
** that the host holds (mpg_locked_files) is MPG_DATA, and not opened.
*/
mpg_rc mpg_stream_open(mpg_stream **out, const mpg_env *env, const char *path, mpg_err *err);
/* The same interface over bytes in memory, which are borrowed and must outlive the stream. `name`
** is the path in errors. */
mpg_rc mpg_stream_memory(mpg_stream **out, const mpg_env *env, const char *name, mpg_str bytes,
                         mpg_err *err);
void mpg_stream_close(mpg_stream *stream); /* NULL is fine */

/*
** The first n bytes that reading will give, or all if there are fewer, before any was read; they
** are read again after that. The text is borrowed until the next call. An error of the file comes
** after the bytes before it, here and when they are read.
*/
mpg_rc mpg_stream_peek(mpg_stream *stream, size_t n, mpg_str *out, mpg_err *err);

/*
** Streams that were opened to see what a file is. mpg_stream_open with an env whose `opened` is the
** pool gives the stream of the same path, as if it had just been opened. Threads may share it.
*/
#define MPG_STREAM_POOL 32
typedef struct mpg_stream_pool {
  const mpg_env *env; /* which the streams in it have */
  pthread_mutex_t lock;
  mpg_stream *stream[MPG_STREAM_POOL];
  size_t n;
} mpg_stream_pool;

void mpg_stream_pool_init(mpg_stream_pool *pool, const mpg_env *env); /* outlives the pool */
void mpg_stream_pool_free(mpg_stream_pool *pool);                     /* closes the streams in it */
/* Puts a stream that was only peeked at into the pool of `env`, or closes it: if there is no pool,
** the pool is full or has another allocator, or the stream keeps a large window (zstd). The env
** that opened the stream may end then. NULL is fine. */
void mpg_stream_put_back(const mpg_env *env, mpg_stream *stream);

/* From here on `env` is polled: that of a thread that reads for another. It must have the same
** allocator, and live until the next call or until the stream is closed. */
void mpg_stream_ask(mpg_stream *stream, const mpg_env *env);
/* Fills `buf` with `cap` decompressed bytes; *got is less only at the end, and
** before an error: so much came before it. Retries EINTR and short reads. Text in UTF-16 with its
** byte order mark, which no format here begins with, is MPG_DATA and not given. */
mpg_rc mpg_stream_read(mpg_stream *stream, void *buf, size_t cap, size_t *got, mpg_err *err);
/* From here on what is read is UTF-8: bytes that are none become U+FFFD, and NUL bytes at the end
** of a plain file are left out. To be said before the first read, of text and not of binary
** formats. */
void mpg_stream_repair_text(mpg_stream *stream);
/* Counts NUL bytes that a reader leaves out. */
void mpg_stream_count_nul(mpg_stream *stream, size_t n);
/* From here on what is read is the JSON in lines that something else kept, if the first bytes show
** that (../unwrap/unwrap.h): `ways` are those of which something may be taken away. To be said
** before the first read. */
void mpg_stream_unwrap(mpg_stream *stream, int ways);
/* The issues invalid_utf8, which counts what was replaced so far, other_lines, those that had no
** JSON, and nul_bytes, if anything was. MPG_OK or MPG_NOMEM. */
mpg_rc mpg_stream_repaired(const mpg_stream *stream, mpg_issues *issues, mpg_err *err);
/* Whether an error was returned, of the file and not of memory or an interruption, that every read
** will repeat. */
bool mpg_stream_failed(const mpg_stream *stream);
/*
** From here on one thread of the pipeline unpacks a few blocks ahead while another reads. If there
** is only one thread, or memory is short, the reader unpacks itself. To be ended by
** mpg_pipeline_no_ahead before the stream is closed, or with the pipeline.
*/
void mpg_stream_share(mpg_stream *stream, mpg_pipeline *pipeline);
bool mpg_stream_is_packed(const mpg_stream *stream);
const char *mpg_stream_path(const mpg_stream *stream); /* borrowed, for messages */

#endif
