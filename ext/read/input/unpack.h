/*
** unpack.h - gzip and zstd, a piece at a time; the part of a stream (stream.h) that unpacks.
*/
#ifndef MPG_UNPACK_H
#define MPG_UNPACK_H

#include "../../base/base.h"

typedef enum mpg_packing { MPG_PLAIN, MPG_GZIP, MPG_ZSTD } mpg_packing;

/* How bytes are packed, by the first four: gzip 1f 8b (RFC 1952); zstd 28 b5 2f fd and its
** skippable frames 5? 2a 4d 18 (RFC 8878). Fewer than four are plain unless they are gzip's two. */
mpg_packing mpg_packing_of(const char *p, size_t n);

typedef struct mpg_inflate mpg_inflate;

/* `packing` is not MPG_PLAIN. `path` is borrowed, for messages. Memory comes from `env`, zstd's
** only if the library allows it. */
mpg_rc mpg_inflate_open(mpg_inflate **out, const mpg_env *env, mpg_packing packing,
                        const char *path, mpg_err *err);
void mpg_inflate_close(mpg_inflate *inflate); /* NULL is fine */
/* From here on memory comes from `env`, whose allocator is the same. NULL is fine. */
void mpg_inflate_change_env(mpg_inflate *inflate, const mpg_env *env);

/*
** Unpacks from the front of *in, which shrinks, to `out`. MPG_OK with *got = 0 needs more input;
** `last` says that none follows *in, and MPG_DONE then is the end of the whole stream. MPG_DATA:
** damaged or truncated after *got bytes. MPG_LIMIT: more bytes than MPG_LIMIT_UNPACKED_BYTES and
** _RATIO allow, or a zstd window above the library's own limit (128 MiB). Several gzip members or
** zstd frames in a row are one stream. After the last gzip member zeros may follow, as tapes and
** gzip itself have it; anything else is MPG_DATA.
*/
mpg_rc mpg_inflate_run(mpg_inflate *inflate, mpg_str *in, bool last, char *out, size_t cap,
                       size_t *got, mpg_err *err);

#endif
