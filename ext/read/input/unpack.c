/*
** unpack.c - gzip by ISA-L, where it was there to build with, else by zlib; zstd by libzstd: see
** unpack.h.
*/
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_createDStream_advanced, see below */
#include "unpack.h"
#include "../../base/limits.h"

#include <limits.h>
#include <string.h>
#ifdef MPG_ISAL
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif
#include <zstd.h>
#include <zstd_errors.h>

/* The only call of zstd that takes an allocator is not part of its stable interface: where the
** library at hand was built without it, the address is NULL and zstd allocates for itself. */
#pragma weak ZSTD_createDStream_advanced

#define RATIO_COUNTS_ABOVE (INT64_C(256) << 20)
#define FRAME_HEADER 18 /* bytes of the longest header of a zstd frame */
#define BLOCK_HEADER 3  /* of a block's; with a block libzstd asks for the next one's header */

#ifdef MPG_ISAL
/* Parts of a gzip header, in their order; all but the first where a flag says so. */
typedef enum header_part {
  FIXED,
  EXTRA_SIZE,
  EXTRA,
  NAME,
  COMMENT,
  HEADER_CRC,
  BEHIND
} header_part;

/* Where a header is being read: as a member of several files may be, a byte at a time. */
typedef struct header {
  header_part part;
  unsigned at;         /* bytes of the part so far */
  unsigned flags, two; /* two: of bytes that are a number */
  uint32_t crc;        /* of all before HEADER_CRC */
} header;
#endif

struct mpg_inflate {
  const mpg_env *env;
  const char *path;
  mpg_packing packing;
  bool inside;   /* of a gzip member or zstd frame, whose end is still to come */
  bool padding;  /* behind the last gzip member: only zeros may follow */
  int64_t eaten; /* packed bytes taken so far, for messages */
  int64_t given; /* unpacked bytes */
#ifdef MPG_ISAL
  struct inflate_state *gzip;
  header header;
#else
  z_stream z;
#endif
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

#ifndef MPG_ISAL
static void *zlib_alloc(void *opaque, uInt items, uInt size) {
  mpg_inflate *f = opaque;
  size_t n;
  return __builtin_mul_overflow((size_t)items, (size_t)size, &n) ? NULL : mpg_malloc(f->env, n);
}
#endif

static void free_own(void *opaque, void *p) {
  mpg_inflate *f = opaque;
  mpg_free(f->env, p);
}

static void *zstd_alloc(void *opaque, size_t n) {
  mpg_inflate *f = opaque;
  return mpg_malloc(f->env, n);
}

/* ---- gzip, by either library ---- */

static mpg_rc damaged(const mpg_inflate *f, const char *what, mpg_err *err);

#ifdef MPG_ISAL
static bool gzip_open(mpg_inflate *f) {
  f->gzip = mpg_malloc(f->env, sizeof *f->gzip);
  return f->gzip != NULL;
}

static void gzip_close(mpg_inflate *f) {
  mpg_free(f->env, f->gzip);
}

static bool gzip_start(mpg_inflate *f) {
  isal_inflate_init(f->gzip);
  f->gzip->crc_flag = ISAL_GZIP_NO_HDR_VER; /* a trailer that is checked */
  f->header = (header){FIXED, 0, 0, 0, 0};
  return true;
}

/* The part behind this one that the header has. */
static header_part part_behind(const header *h) {
  static const unsigned flag[] = {
      [EXTRA_SIZE] = 4, [EXTRA] = 4, [NAME] = 8, [COMMENT] = 16, [HEADER_CRC] = 2};
  header_part part = h->part + 1;
  while (part < BEHIND && ((h->flags & flag[part]) == 0 || (part == EXTRA && h->two == 0)))
    part++;
  return part;
}

/* Takes a byte of the header; NULL, or what is wrong with it. */
static const char *header_byte(header *h, unsigned b) {
  unsigned at = h->at++;
  bool ends = false;
  switch (h->part) {
  case FIXED:
    if (at < 2 && b != (at == 0 ? 0x1f : 0x8b))
      return "incorrect header check";
    if (at == 2 && b != 8)
      return "unknown compression method";
    if (at == 3 && b > 0x1f)
      return "unknown header flags set";
    h->flags = at == 3 ? b : h->flags;
    ends = at == 9;
    break;
  case EXTRA_SIZE:
  case HEADER_CRC:
    h->two = at == 0 ? b : h->two | b << 8;
    ends = at == 1;
    break;
  case EXTRA:
    ends = h->at == h->two;
    break;
  default: /* texts */
    ends = b == 0;
  }
  if (ends && h->part == HEADER_CRC && h->two != (h->crc & 0xffff))
    return "header crc mismatch";
  if (h->part != HEADER_CRC) {
    unsigned char byte = (unsigned char)b;
    h->crc = crc32_gzip_refl(h->crc, &byte, 1);
  }
  if (ends) {
    h->part = part_behind(h);
    h->at = 0;
  }
  return NULL;
}

static const char *isal_text(int code) {
  switch (code) {
  case ISAL_INVALID_BLOCK:
    return "invalid block type";
  case ISAL_INVALID_SYMBOL:
    return "invalid code";
  case ISAL_INVALID_LOOKBACK:
    return "invalid distance too far back";
  case ISAL_INCORRECT_CHECKSUM:
    return "incorrect data check";
  default:
    return "unreadable";
  }
}

/* Unpacks some of a member; its end clears f->inside. The header is read here: libisal refuses one
** that has a CRC of its own. */
static mpg_rc gzip_some(mpg_inflate *f, mpg_str in, size_t *eaten, char *out, size_t cap,
                        size_t *got, mpg_err *err) {
  uint32_t in_n = in.n < INT32_MAX ? (uint32_t)in.n : INT32_MAX,
           out_n = cap < INT32_MAX ? (uint32_t)cap : INT32_MAX;
  int code;
  *got = 0;
  for (*eaten = 0; *eaten < in.n && f->header.part != BEHIND; ++*eaten) {
    const char *wrong = header_byte(&f->header, (unsigned char)in.p[*eaten]);
    if (wrong != NULL) {
      f->eaten += (int64_t)*eaten;
      return damaged(f, wrong, err);
    }
  }
  if (*eaten > 0 || f->header.part != BEHIND)
    return MPG_OK;
  f->gzip->next_in = (uint8_t *)(uintptr_t)in.p;
  f->gzip->avail_in = in_n;
  f->gzip->next_out = (uint8_t *)out;
  f->gzip->avail_out = out_n;
  code = isal_inflate(f->gzip);
  *eaten = in_n - f->gzip->avail_in;
  *got = out_n - f->gzip->avail_out;
  f->inside = f->gzip->block_state != ISAL_BLOCK_FINISH;
  f->eaten += code < 0 || code == ISAL_NEED_DICT ? (int64_t)*eaten : 0;
  return code < 0 || code == ISAL_NEED_DICT ? damaged(f, isal_text(code), err) : MPG_OK;
}
#else
static bool gzip_open(mpg_inflate *f) {
  f->z.zalloc = zlib_alloc;
  f->z.zfree = free_own;
  f->z.opaque = f;
  return inflateInit2(&f->z, 15 + 16) == Z_OK; /* the largest window; gzip headers only */
}

static void gzip_close(mpg_inflate *f) {
  (void)inflateEnd(&f->z);
}

static bool gzip_start(mpg_inflate *f) {
  return inflateReset(&f->z) == Z_OK;
}

/* Unpacks some of a member; its end clears f->inside. */
static mpg_rc gzip_some(mpg_inflate *f, mpg_str in, size_t *eaten, char *out, size_t cap,
                        size_t *got, mpg_err *err) {
  size_t in_n = in.n < UINT_MAX ? in.n : UINT_MAX, out_n = cap < UINT_MAX ? cap : UINT_MAX;
  int code;
  f->z.next_in = (z_const Bytef *)in.p;
  f->z.avail_in = (uInt)in_n;
  f->z.next_out = (Bytef *)out;
  f->z.avail_out = (uInt)out_n;
  code = inflate(&f->z, Z_NO_FLUSH);
  *eaten = in_n - f->z.avail_in;
  *got = out_n - f->z.avail_out;
  if (code == Z_STREAM_END)
    f->inside = false;
  else if (code == Z_MEM_ERROR)
    return mpg_fail_nomem(err);
  else if (code != Z_OK && code != Z_BUF_ERROR) {
    f->eaten += (int64_t)*eaten;
    return damaged(f, f->z.msg != NULL ? f->z.msg : "unreadable", err);
  }
  return MPG_OK;
}
#endif

mpg_rc mpg_inflate_open(mpg_inflate **out, const mpg_env *env, mpg_packing packing,
                        const char *path, mpg_err *err) {
  mpg_inflate *f = mpg_calloc(env, sizeof *f);
  *out = NULL;
  if (f == NULL)
    return mpg_fail_nomem(err);
  f->env = env;
  f->path = path;
  f->packing = packing;
  if (packing == MPG_GZIP) {
    if (!gzip_open(f)) {
      mpg_free(env, f);
      return mpg_fail_nomem(err);
    }
  } else {
    if (ZSTD_createDStream_advanced != NULL)
      f->zstd = ZSTD_createDStream_advanced((ZSTD_customMem){zstd_alloc, free_own, f});
    else
      f->zstd = ZSTD_createDStream();
    if (f->zstd == NULL) {
      mpg_free(env, f);
      return mpg_fail_nomem(err);
    }
  }
  *out = f;
  return MPG_OK;
}

void mpg_inflate_close(mpg_inflate *f) {
  if (f == NULL)
    return;
  if (f->packing == MPG_GZIP)
    gzip_close(f);
  else
    (void)ZSTD_freeDStream(f->zstd);
  mpg_free(f->env, f);
}

static void eat(mpg_inflate *f, mpg_str *in, size_t n) {
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

/* Between members: at another one, in the zeros behind the last, or at the end (MPG_DONE). */
static mpg_rc gzip_between(mpg_inflate *f, mpg_str *in, bool last, mpg_err *err) {
  if (!f->padding && in->n > 0 && *in->p == 0x1f) {
    if (!gzip_start(f))
      return damaged(f, "cannot start another member", err);
    f->inside = true;
    return MPG_OK;
  }
  while (in->n > 0) {
    f->padding = true;
    if (*in->p != 0)
      return damaged(f, "expected another member or the end, found something else", err);
    eat(f, in, 1);
  }
  return last ? MPG_DONE : MPG_OK;
}

static mpg_rc gzip_run(mpg_inflate *f, mpg_str *in, bool last, char *out, size_t cap, size_t *got,
                       mpg_err *err) {
  while (*got == 0) {
    size_t eaten;
    mpg_rc rc;
    if (!f->inside) {
      rc = gzip_between(f, in, last, err);
      if (rc != MPG_OK || !f->inside)
        return rc;
    }
    rc = gzip_some(f, *in, &eaten, out, cap, got, err);
    if (rc != MPG_OK)
      return rc;
    eat(f, in, eaten);
    if (f->inside && *got == 0 && in->n == 0)
      return last ? truncated(f, err) : MPG_OK;
  }
  return MPG_OK;
}

/* Bytes of the header that a zstd frame begins with (RFC 8878, 3.1.1.1 and 3.1.2); all n where
** it is cut short. */
static size_t header_size(const char *p, size_t n) {
  static const size_t dictionary[] = {0, 1, 2, 4}, content[] = {0, 2, 4, 8};
  unsigned flags;
  size_t size;
  if (n < 5 || (unsigned char)*p != 0x28)
    return n < 8 ? n : 8; /* skippable: its size is behind the magic number */
  flags = (unsigned char)p[4];
  size = 5 + dictionary[flags & 3] + content[flags >> 6];
  if ((flags & 0x20) == 0 || flags >> 6 == 0)
    size++; /* a window; or, where there is none, the least that the content's size takes */
  return n < size ? n : size;
}

/*
** Between frames: at the end (MPG_DONE), or with the header of another in f->head. libzstd may be
** built to read formats of before version 1, by decoders that take memory of their own: where the
** header comes to it in one piece, it sees nothing else for one.
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

/* libzstd forgets what it has put out in the call in which it comes upon damage: it gets a header
** or a block at a time, and neither while it has more of the last, so that all before the damage
** comes out, however much is asked for at a time. */
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
      eat(f, in, from.pos);
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
                    "%s: unpacks to more than %lld times its size: a bomb, or a case for "
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
