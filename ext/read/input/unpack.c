/* unpack.c - gzip by gzip.h, zstd by libzstd: see unpack.h. */
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_createDStream_advanced, see below */
#include "unpack.h"
#include "gzip.h"
#include "../../base/limits.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/* The only call of zstd that takes an allocator is not part of its stable interface. If the library
** was built without it, the address is NULL and zstd uses its own allocator. */
#pragma weak ZSTD_createDStream_advanced

#define RATIO_COUNTS_ABOVE (INT64_C(256) << 20)
#define FRAME_HEADER 18 /* bytes of the longest header of a zstd frame */
#define BLOCK_HEADER 3 /* of a block's; libzstd takes a block together with the next one's header */

struct mpg_inflate {
  const mpg_env *env;
  const char *path;
  mpg_packing packing;
  bool inside;    /* of a gzip member or zstd frame, whose end is still to come */
  bool padding;   /* after the last gzip member: only zeros may follow */
  int64_t eaten;  /* packed bytes taken so far, for messages */
  int64_t given;  /* unpacked bytes */
  mpg_gzip *gzip; /* NULL: of zstd */
  ZSTD_DStream *zstd;
  char head[FRAME_HEADER]; /* a zstd frame's that begins, or what libzstd left of it */
  size_t nhead;
  size_t want; /* bytes that libzstd is given next: of one header, or of one block */
  bool full;   /* its last output was: more of the same block may be to come */
};

mpg_packing mpg_packing_of(const char *p, size_t n) {
  static const unsigned char gzip[] = {0x1f, 0x8b}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
  if (n >= 2 && memcmp(p, gzip, 2) == 0)
    return MPG_GZIP;
  if (n >= 4 && (memcmp(p, zstd, 4) == 0 ||
                 (((unsigned char)p[0] & 0xf0) == 0x50 && memcmp(p + 1, "\x2a\x4d\x18", 3) == 0)))
    return MPG_ZSTD;
  return MPG_PLAIN;
}

static void zstd_free(void *opaque, void *p) {
  mpg_inflate *f = opaque;
  mpg_free(f->env, p);
}

static void *zstd_alloc(void *opaque, size_t n) {
  mpg_inflate *f = opaque;
  return mpg_malloc(f->env, n);
}

mpg_rc mpg_inflate_open(mpg_inflate **out, const mpg_env *env, mpg_packing packing,
                        const char *path, mpg_err *err) {
  mpg_inflate *f = mpg_calloc(env, sizeof *f);
  *out = NULL;
  if (f == NULL)
    return mpg_fail_nomem(err);
  f->env = env;
  f->path = path;
  f->packing = packing;
  if (packing == MPG_GZIP)
    f->gzip = mpg_gzip_open(env);
  else if (ZSTD_createDStream_advanced != NULL)
    f->zstd = ZSTD_createDStream_advanced((ZSTD_customMem){zstd_alloc, zstd_free, f});
  else
    f->zstd = ZSTD_createDStream();
  if (f->gzip == NULL && f->zstd == NULL) {
    mpg_free(env, f);
    return mpg_fail_nomem(err);
  }
  *out = f;
  return MPG_OK;
}

void mpg_inflate_close(mpg_inflate *f) {
  if (f == NULL)
    return;
  if (f->packing == MPG_GZIP)
    f->gzip->close(f->gzip);
  else
    (void)ZSTD_freeDStream(f->zstd);
  mpg_free(f->env, f);
}

void mpg_inflate_change_env(mpg_inflate *f, const mpg_env *env) {
  if (f == NULL)
    return;
  f->env = env;
  if (f->gzip != NULL)
    f->gzip->env = env;
}

static void consume(mpg_inflate *f, mpg_str *in, size_t n) {
  in->p += n;
  in->n -= n;
  f->eaten += (int64_t)n;
}

static mpg_rc truncated(const mpg_inflate *f, mpg_err *err) {
  return mpg_fail(err, MPG_DATA, "%s: truncated %s stream: expected more data, found end of file",
                  f->path, f->packing == MPG_GZIP ? "gzip" : "zstd");
}

static mpg_rc damaged(const mpg_inflate *f, const char *what, mpg_err *err) {
  return mpg_fail(err, MPG_DATA, "%s: damaged %s stream near its byte %lld: %s", f->path,
                  f->packing == MPG_GZIP ? "gzip" : "zstd", (long long)f->eaten + 1, what);
}

/* Between members: at another one, in the zeros after the last, or at the end (MPG_DONE). */
static mpg_rc gzip_between(mpg_inflate *f, mpg_str *in, bool last, mpg_err *err) {
  if (!f->padding && in->n > 0 && *in->p == 0x1f) {
    if (!f->gzip->start(f->gzip))
      return damaged(f, "cannot start another member", err);
    f->inside = true;
    return MPG_OK;
  }
  while (in->n > 0) {
    f->padding = true;
    if (*in->p != 0)
      return damaged(f, "expected another member or the end, found something else", err);
    consume(f, in, 1);
  }
  return last ? MPG_DONE : MPG_OK;
}

static mpg_rc gzip_run(mpg_inflate *f, mpg_str *in, bool last, char *out, size_t cap, size_t *got,
                       mpg_err *err) {
  while (*got == 0) {
    mpg_gzip_step step = {.in = *in, .out = out, .cap = cap};
    mpg_rc rc;
    if (!f->inside) {
      rc = gzip_between(f, in, last, err);
      if (rc != MPG_OK || !f->inside)
        return rc;
    }
    rc = f->gzip->step(f->gzip, &step);
    *got = step.got;
    f->inside = !step.ended;
    if (rc == MPG_NOMEM)
      return mpg_fail_nomem(err);
    consume(f, in, step.eaten);
    if (rc != MPG_OK)
      return damaged(f, step.damage, err);
    if (f->inside && *got == 0 && in->n == 0)
      return last ? truncated(f, err) : MPG_OK;
  }
  return MPG_OK;
}

/* Bytes of the header of a zstd frame (RFC 8878, 3.1.1.1 and 3.1.2); all n if it is cut short. */
static size_t header_size(const char *p, size_t n) {
  static const size_t dictionary[] = {0, 1, 2, 4}, content[] = {0, 2, 4, 8};
  unsigned flags;
  size_t size;
  if (n < 5 || (unsigned char)*p != 0x28)
    return n < 8 ? n : 8; /* skippable: its size is after the magic number */
  flags = (unsigned char)p[4];
  size = 5 + dictionary[flags & 3] + content[flags >> 6];
  if ((flags & 0x20) == 0 || flags >> 6 == 0)
    size++; /* a window; or, if there is none, the least that holds the content's size */
  return n < size ? n : size;
}

/*
** Between frames: at the end (MPG_DONE), or with the header of another in f->head. libzstd may be
** built to read formats from before version 1, by decoders that allocate by themselves. If it gets
** the header in one piece, it takes nothing else for one of these.
*/
static mpg_rc zstd_between(mpg_inflate *f, mpg_str *in, bool last, mpg_err *err) {
  size_t n = sizeof f->head - f->nhead < in->n ? sizeof f->head - f->nhead : in->n;
  memcpy(f->head + f->nhead, in->n > 0 ? in->p : "", n);
  f->nhead += n;
  in->p += n;
  in->n -= n;
  if (f->nhead < sizeof f->head && !last)
    return MPG_OK;
  if (f->nhead == 0)
    return MPG_DONE;
  if (f->nhead >= 4 && mpg_packing_of(f->head, f->nhead) != MPG_ZSTD)
    return damaged(f, "expected another frame or the end, found something else", err);
  f->inside = true;
  f->want = header_size(f->head, f->nhead);
  f->full = false;
  return MPG_OK;
}

static mpg_rc zstd_failed(const mpg_inflate *f, size_t code, mpg_err *err) {
  switch (ZSTD_getErrorCode(code)) {
  case ZSTD_error_memory_allocation:
    return mpg_fail_nomem(err);
  case ZSTD_error_frameParameter_windowTooLarge:
    return mpg_fail(err, MPG_LIMIT, "%s: a zstd window over 128 MiB (--long): too large", f->path);
  default:
    return damaged(f, ZSTD_getErrorName(code), err);
  }
}

/* In the call that finds damage, libzstd drops what it has unpacked. So it gets one header or block
** at a time, and none while it has more output of the last. Then all bytes before the damage are
** returned, for any size of the output. */
static mpg_rc zstd_run(mpg_inflate *f, mpg_str *in, bool last, char *out, size_t cap, size_t *got,
                       mpg_err *err) {
  while (*got == 0) {
    ZSTD_outBuffer to = {out, cap, 0};
    ZSTD_inBuffer from;
    size_t code;
    if (!f->inside) {
      mpg_rc rc = zstd_between(f, in, last, err);
      if (rc != MPG_OK || !f->inside)
        return rc;
    }
    from = f->nhead > 0 ? (ZSTD_inBuffer){f->head, f->nhead, 0} : (ZSTD_inBuffer){in->p, in->n, 0};
    if (f->full)
      from.size = 0;
    else if (from.size > f->want)
      from.size = f->want;
    code = ZSTD_decompressStream(f->zstd, &to, &from);
    *got = to.pos;
    f->full = to.pos == to.size;
    f->want = code > BLOCK_HEADER ? code - BLOCK_HEADER : code;
    if (ZSTD_isError(code))
      return zstd_failed(f, code, err);
    if (f->nhead > 0) {
      f->nhead -= from.pos;
      memmove(f->head, f->head + from.pos, f->nhead);
      f->eaten += (int64_t)from.pos;
    } else {
      consume(f, in, from.pos);
    }
    f->inside = code != 0;
    if (f->inside && *got == 0 && f->nhead == 0 && in->n == 0)
      return last ? truncated(f, err) : MPG_OK;
  }
  return MPG_OK;
}

/* A few bytes may say that a terabyte follows. */
static mpg_rc check_size(const mpg_inflate *f, mpg_err *err) {
  const int64_t bytes = mpg_limit_in(f->env, MPG_LIMIT_UNPACKED_BYTES),
                ratio = mpg_limit_in(f->env, MPG_LIMIT_UNPACKED_RATIO);
  if (f->given > bytes)
    return mpg_fail(err, MPG_LIMIT, "%s: unpacks to more than %lld bytes (unpacked_bytes)", f->path,
                    (long long)bytes);
  if (f->given > RATIO_COUNTS_ABOVE && f->given / ratio > f->eaten)
    return mpg_fail(err, MPG_LIMIT,
                    "%s: unpacks to more than %lld times its size; if it is no bomb, raise "
                    "mpg_limit('unpacked_ratio', ...)",
                    f->path, (long long)ratio);
  return MPG_OK;
}

mpg_rc mpg_inflate_run(mpg_inflate *f, mpg_str *in, bool last, char *out, size_t cap, size_t *got,
                       mpg_err *err) {
  mpg_rc rc;
  *got = 0;
  rc = f->packing == MPG_GZIP ? gzip_run(f, in, last, out, cap, got, err)
                              : zstd_run(f, in, last, out, cap, got, err);
  f->given += (int64_t)*got;
  return rc == MPG_OK ? check_size(f, err) : rc;
}
