/*
** protobuf.h - the wire format of Protocol Buffers: fields of messages, from bytes in memory and
** from a stream, without any schema.
**
** A message is a row of fields, each a tag (number and wire type) and a value: a varint, 4 or 8
** bytes, or a length and so many bytes, which may be a message again. Source: "Encoding" of the
** Protocol Buffers documentation. Nothing here recurses; a caller that enters a message stores its
** end.
**
** MPG_DATA, as "PATH: byte N: expected a field of an XPlane, found ...", where N counts the
** (decompressed) bytes before the field and the message is what the caller calls it: a varint of
** more than 64 bits, a length beyond the end of the message or of 2 GiB and more, field number 0,
** wire types 3, 4 (groups, which no proto3 writes), 6 and 7.
*/
#ifndef MPG_PROTOBUF_H
#define MPG_PROTOBUF_H

#include "../input/window.h"

#define MPG_PROTO_LENGTH_LIMIT INT64_C(0x7fffffff) /* of a message, by the format's own rule */

typedef enum mpg_proto_type {
  MPG_PROTO_VARINT = 0,
  MPG_PROTO_FIXED64 = 1,
  MPG_PROTO_BYTES = 2,
  MPG_PROTO_FIXED32 = 5
} mpg_proto_type;

typedef struct mpg_proto_field {
  uint32_t number;
  mpg_proto_type type;
  uint64_t value; /* the bits of a number; of MPG_PROTO_BYTES the length */
  mpg_str bytes;  /* of MPG_PROTO_BYTES, from memory alone: borrowed */
  int64_t at;     /* offset of the tag */
} mpg_proto_field;

/* A message in memory. `path` and `what` ("an XEvent") are for errors. */
typedef struct mpg_proto_message {
  mpg_str bytes;
  int64_t offset; /* of bytes.p */
  const char *path, *what;
} mpg_proto_message;

/* The next field, which leaves the message after it; MPG_DONE at its end. */
mpg_rc mpg_proto_next(mpg_proto_message *message, mpg_proto_field *field, mpg_err *err);
/* MPG_DATA if the field is of another wire type than `type`. */
mpg_rc mpg_proto_expect(const char *path, const char *what, const mpg_proto_field *field,
                        mpg_proto_type type, mpg_err *err);

/* The message that a field of `outer` holds, the one read last. */
mpg_proto_message mpg_proto_within(const mpg_proto_message *outer, const mpg_proto_field *field,
                                   const char *what);
/* A number of up to 8 bytes, the lowest first. */
uint64_t mpg_little_endian(const char *bytes, size_t n);

/* A stream of fields; `at` is the offset of the next byte. */
typedef struct mpg_proto_stream {
  mpg_window window;
  int64_t at;
} mpg_proto_stream;

void mpg_proto_open(mpg_proto_stream *s, const mpg_env *env, mpg_stream *stream /* borrowed */);
void mpg_proto_close(mpg_proto_stream *s);

/*
** The next field of the message that ends at `end` (INT64_MAX: with the stream); MPG_DONE there. Of
** MPG_PROTO_BYTES the payload comes next: the caller takes it, skips it, or reads its fields. Asks
** now and then whether to stop.
*/
mpg_rc mpg_proto_stream_next(mpg_proto_stream *s, int64_t end, const char *what,
                             mpg_proto_field *field, mpg_err *err);
/* The next `n` bytes, fewer only at the end of the file, without consuming them: borrowed until the
** next call. */
mpg_rc mpg_proto_peek(mpg_proto_stream *s, size_t n, mpg_str *bytes, mpg_err *err);
/* `n` bytes in one piece, borrowed until the next call. Above MPG_LIMIT_RECORD_BYTES it is
** MPG_LIMIT. */
mpg_rc mpg_proto_read(mpg_proto_stream *s, uint64_t n, const char *what, mpg_str *bytes,
                      mpg_err *err);
mpg_rc mpg_proto_skip(mpg_proto_stream *s, uint64_t n, const char *what, mpg_err *err);

#endif
