/* protobuf.c - see protobuf.h. */
#include "protobuf.h"
#include "../../base/limits.h"

#include <stdio.h>
#include <string.h>

#define FIELD_BYTES 20 /* of a tag and a varint, at most: two varints */
#define NUMBER_LIMIT ((UINT64_C(1) << 29) - 1)

typedef enum decoded { GOOD, SHORT, LONG_VARINT, BAD_NUMBER, BAD_TYPE, BAD_LENGTH } decoded;

/* ---- Fields in memory ---- */

/* Little-endian groups of 7 bits, the last one without its high bit. */
static decoded read_varint(const unsigned char *p, size_t n, size_t *at, uint64_t *out) {
  uint64_t v = 0;
  if (*at < n && p[*at] < 0x80) { /* most of them */
    *out = p[(*at)++];
    return GOOD;
  }
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint64_t byte;
    if (*at == n)
      return SHORT;
    byte = p[(*at)++];
    if (shift == 63 && byte > 1)
      return LONG_VARINT;
    v |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      *out = v;
      return GOOD;
    }
  }
  return LONG_VARINT;
}

uint64_t mpg_little_endian(const char *bytes, size_t n) {
  const unsigned char *p = (const unsigned char *)bytes;
  uint64_t v = 0;
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (n == 8) {
    memcpy(&v, p, 8);
    return v;
  }
  if (n == 4) {
    uint32_t half;
    memcpy(&half, p, 4);
    return half;
  }
#endif
  while (n-- > 0)
    v = v << 8 | p[n];
  return v;
}

/* A tag and a number, or a tag and a length; *used are their bytes. `tag` is the raw tag if it
** could be read. */
static decoded decode_field(const char *bytes, size_t n, mpg_proto_field *f, size_t *used,
                            uint64_t *tag) {
  const unsigned char *p = (const unsigned char *)bytes;
  size_t at = 0, width;
  decoded d;
  f->bytes = (mpg_str){NULL, 0};
  /* Most have a tag of one byte, and a number or a length of one. */
  if (n >= 2 && p[0] >= 8 && p[0] < 0x80 && p[1] < 0x80 &&
      ((p[0] & 7) == MPG_PROTO_BYTES || (p[0] & 7) == MPG_PROTO_VARINT)) {
    f->number = p[0] >> 3;
    f->type = (mpg_proto_type)(p[0] & 7);
    f->value = p[1];
    *used = 2;
    return GOOD;
  }
  d = read_varint(p, n, &at, tag);
  if (d != GOOD)
    return d;
  if (*tag >> 3 == 0 || *tag >> 3 > NUMBER_LIMIT)
    return BAD_NUMBER;
  f->number = (uint32_t)(*tag >> 3);
  switch (*tag & 7) {
  case MPG_PROTO_VARINT:
  case MPG_PROTO_BYTES:
    f->type = (mpg_proto_type)(*tag & 7);
    d = read_varint(p, n, &at, &f->value);
    if (d == GOOD && f->type == MPG_PROTO_BYTES && f->value > (uint64_t)MPG_PROTO_LENGTH_LIMIT)
      d = BAD_LENGTH;
    break;
  case MPG_PROTO_FIXED64:
  case MPG_PROTO_FIXED32:
    f->type = (mpg_proto_type)(*tag & 7);
    width = f->type == MPG_PROTO_FIXED64 ? 8 : 4;
    if (n - at < width)
      return SHORT;
    f->value = mpg_little_endian(bytes + at, width);
    at += width;
    break;
  default:
    return BAD_TYPE;
  }
  *used = at;
  return d;
}

static mpg_rc malformed(const char *path, const char *what, int64_t at, decoded d,
                        const mpg_proto_field *f, uint64_t tag, mpg_err *err) {
  char found[96];
  switch (d) {
  case LONG_VARINT:
    (void)snprintf(found, sizeof found, "a varint of more than 64 bits");
    break;
  case BAD_NUMBER:
    (void)snprintf(found, sizeof found, "field number %llu", (unsigned long long)(tag >> 3));
    break;
  case BAD_TYPE:
    (void)snprintf(found, sizeof found, "wire type %u", (unsigned)(tag & 7));
    break;
  case BAD_LENGTH:
    (void)snprintf(found, sizeof found, "field %u with a length of %llu bytes", f->number,
                   (unsigned long long)f->value);
    break;
  default:
    (void)snprintf(found, sizeof found, "its end within a field");
  }
  return mpg_fail(err, MPG_DATA, "%s: byte %lld: expected a field of %s, found %s", path,
                  (long long)at, what, found);
}

static mpg_rc fail_beyond(const char *path, const char *what, const mpg_proto_field *f,
                          uint64_t left, mpg_err *err) {
  return mpg_fail(err, MPG_DATA,
                  "%s: byte %lld: expected a field of %s, found field %u with a length of %llu "
                  "bytes where %llu are left",
                  path, (long long)f->at, what, f->number, (unsigned long long)f->value,
                  (unsigned long long)left);
}

mpg_rc mpg_proto_next(mpg_proto_message *m, mpg_proto_field *f, mpg_err *err) {
  size_t used;
  uint64_t tag = 0;
  decoded d;
  if (m->bytes.n == 0)
    return MPG_DONE;
  d = decode_field(m->bytes.p, m->bytes.n, f, &used, &tag);
  f->at = m->offset;
  if (d != GOOD)
    return malformed(m->path, m->what, f->at, d, f, tag, err);
  if (f->type == MPG_PROTO_BYTES) {
    if (f->value > m->bytes.n - used)
      return fail_beyond(m->path, m->what, f, m->bytes.n - used, err);
    f->bytes = (mpg_str){m->bytes.p + used, (size_t)f->value};
    used += (size_t)f->value;
  }
  m->bytes.p += used;
  m->bytes.n -= used;
  m->offset += (int64_t)used;
  return MPG_OK;
}

mpg_rc mpg_proto_expect(const char *path, const char *what, const mpg_proto_field *f,
                        mpg_proto_type type, mpg_err *err) {
  if (f->type == type)
    return MPG_OK;
  return mpg_fail(err, MPG_DATA,
                  "%s: byte %lld: expected field %u of %s with wire type %d, found %d", path,
                  (long long)f->at, f->number, what, (int)type, (int)f->type);
}

mpg_proto_message mpg_proto_within(const mpg_proto_message *outer, const mpg_proto_field *f,
                                   const char *what) {
  return (mpg_proto_message){f->bytes, outer->offset - (int64_t)f->bytes.n, outer->path, what};
}

/* ---- Fields of a stream ---- */

void mpg_proto_open(mpg_proto_stream *s, const mpg_env *env, mpg_stream *stream) {
  mpg_window_open(&s->window, env, stream);
  s->at = 0;
}

void mpg_proto_close(mpg_proto_stream *s) {
  mpg_window_close(&s->window);
}

static mpg_rc read_more(mpg_proto_stream *s, mpg_err *err) {
  if (mpg_interrupted(s->window.env))
    return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  return mpg_window_more(&s->window, err);
}

static size_t in_window(const mpg_proto_stream *s) {
  return s->window.end - s->window.at;
}

/* Reads on until there are `n` bytes, or the file ends. */
static mpg_rc fill_window(mpg_proto_stream *s, size_t n, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  while (rc == MPG_OK && in_window(s) < n && !s->window.last)
    rc = read_more(s, err);
  return rc;
}

mpg_rc mpg_proto_peek(mpg_proto_stream *s, size_t n, mpg_str *bytes, mpg_err *err) {
  mpg_rc rc = fill_window(s, n, err);
  if (rc == MPG_OK)
    *bytes = (mpg_str){s->window.buf + s->window.at, in_window(s) < n ? in_window(s) : n};
  return rc;
}

static void advance(mpg_proto_stream *s, size_t n) {
  s->window.at += n;
  s->at += (int64_t)n;
}

static mpg_rc truncated(const mpg_proto_stream *s, uint64_t n, const char *what, mpg_err *err) {
  return mpg_fail(err, MPG_DATA,
                  "%s: byte %lld: expected %llu more of the bytes of %s, found the end of the file",
                  mpg_stream_path(s->window.stream), (long long)s->at, (unsigned long long)n, what);
}

mpg_rc mpg_proto_stream_next(mpg_proto_stream *s, int64_t end, const char *what, mpg_proto_field *f,
                             mpg_err *err) {
  const char *path = mpg_stream_path(s->window.stream);
  size_t n, used;
  uint64_t tag = 0;
  decoded d;
  mpg_rc rc;
  if (s->at == end)
    return MPG_DONE;
  rc = fill_window(s, FIELD_BYTES, err);
  if (rc != MPG_OK)
    return rc;
  n = in_window(s);
  if (n == 0 && end == INT64_MAX)
    return MPG_DONE;
  if ((int64_t)n > end - s->at)
    n = (size_t)(end - s->at);
  d = decode_field(s->window.buf + s->window.at, n, f, &used, &tag);
  f->at = s->at;
  if (d == SHORT && s->window.last && n == in_window(s) && end != s->at + (int64_t)n)
    return truncated(s, end == INT64_MAX ? 1 : (uint64_t)(end - s->at), what, err);
  if (d != GOOD)
    return malformed(path, what, f->at, d, f, tag, err);
  if (f->type == MPG_PROTO_BYTES && (int64_t)f->value > end - s->at - (int64_t)used)
    return fail_beyond(path, what, f, (uint64_t)(end - s->at) - used, err);
  advance(s, used);
  return MPG_OK;
}

mpg_rc mpg_proto_read(mpg_proto_stream *s, uint64_t n, const char *what, mpg_str *bytes,
                      mpg_err *err) {
  const uint64_t limit = (uint64_t)mpg_limit_in(s->window.env, MPG_LIMIT_RECORD_BYTES);
  mpg_rc rc;
  if (n > limit)
    return mpg_fail(err, MPG_LIMIT, "%s: byte %lld: %s of %llu bytes, more than %llu",
                    mpg_stream_path(s->window.stream), (long long)s->at, what,
                    (unsigned long long)n, (unsigned long long)limit);
  rc = fill_window(s, (size_t)n, err);
  if (rc != MPG_OK)
    return rc;
  if (in_window(s) < n) {
    n -= in_window(s);
    advance(s, in_window(s));
    return truncated(s, n, what, err);
  }
  *bytes = (mpg_str){s->window.buf + s->window.at, (size_t)n};
  advance(s, (size_t)n);
  return MPG_OK;
}

mpg_rc mpg_proto_skip(mpg_proto_stream *s, uint64_t n, const char *what, mpg_err *err) {
  while (in_window(s) < n) {
    mpg_rc rc;
    n -= in_window(s);
    advance(s, in_window(s));
    if (s->window.last)
      return truncated(s, n, what, err);
    rc = read_more(s, err);
    if (rc != MPG_OK)
      return rc;
  }
  advance(s, (size_t)n);
  return MPG_OK;
}
