/*
** test_source.c - streams of real files in a folder of their own, under several buffer
** sizes, failing allocations and (with MPG_TEST) a failing operating system.
*/
#define _GNU_SOURCE
#include "folder.h"
#include "hostile.h"
#include "../../ext/read/input/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

typedef struct bytes {
  char p[1 << 20];
  size_t n;
} bytes;

static bytes text, packed, back;

/* A member; with zlib's own header where none is given. */
static void gzip_member(const void *p, size_t n, gz_header *header) {
  z_stream z;
  memset(&z, 0, sizeof z);
  CHECK(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  CHECK(header == NULL || deflateSetHeader(&z, header) == Z_OK);
  z.next_in = (z_const Bytef *)p;
  z.avail_in = (uInt)n;
  z.next_out = (Bytef *)packed.p + packed.n;
  z.avail_out = (uInt)(sizeof packed.p - packed.n);
  CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
  packed.n += z.total_out;
  (void)deflateEnd(&z);
}
static void gzip_add(const void *p, size_t n) {
  gzip_member(p, n, NULL);
}
static void zstd_add(const void *p, size_t n) {
  ZSTD_CCtx *z = ZSTD_createCCtx();
  size_t got;
  CHECK(z != NULL && !ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1)));
  got = ZSTD_compress2(z, packed.p + packed.n, sizeof packed.p - packed.n, p, n);
  CHECK(!ZSTD_isError(got));
  packed.n += got;
  (void)ZSTD_freeCCtx(z);
}
static void raw_add(const void *p, size_t n) {
  memcpy(packed.p + packed.n, p, n);
  packed.n += n;
}

/* Reads to the end in pieces of `piece` bytes. */
static mpg_rc drain(mpg_stream *s, size_t piece, mpg_err *err) {
  mpg_rc rc;
  size_t got, again;
  back.n = 0;
  do {
    size_t want = piece < sizeof back.p - back.n ? piece : sizeof back.p - back.n;
    rc = mpg_stream_read(s, back.p + back.n, want, &got, err);
    back.n += got;
    if (rc == MPG_OK && got < want) {
      CHECK(mpg_stream_read(s, back.p + back.n, 1, &again, err) == MPG_OK && again == 0);
      return MPG_OK;
    }
  } while (rc == MPG_OK && got > 0);
  return rc;
}

static mpg_rc read_file(const mpg_env *env, const char *path, size_t piece, mpg_err *err) {
  mpg_stream *s;
  mpg_rc rc = mpg_stream_open(&s, env, path, err);
  back.n = 0;
  if (rc == MPG_OK) {
    CHECK(strcmp(mpg_stream_path(s), path) == 0);
    rc = drain(s, piece, err);
  } else {
    CHECK(s == NULL);
  }
  mpg_stream_close(s);
  return rc;
}

/* Read by whoever of three threads cuts, while another unpacks. */
typedef struct shared {
  mpg_stream *stream;
  size_t piece;
  bool ended;
} shared;

#define SHARED_PIECE ((size_t)64 << 10)

typedef struct shared_piece {
  char bytes[SHARED_PIECE];
  size_t n;
  mpg_err err;
} shared_piece;

static mpg_rc cut_shared(void *ctx, void *slot, mpg_err *err) {
  shared *s = ctx;
  shared_piece *p = slot;
  (void)err;
  if (s->ended)
    return MPG_DONE;
  p->err.rc = mpg_stream_read(s->stream, p->bytes, s->piece, &p->n, &p->err);
  s->ended = p->err.rc != MPG_OK || p->n < s->piece;
  return MPG_OK;
}

static void work_shared(void *ctx, void *slot, int worker) {
  (void)ctx;
  (void)slot;
  (void)worker;
}

static mpg_rc read_shared(const mpg_env *env, const char *path, size_t piece, mpg_err *err) {
  static const mpg_pipeline_steps steps = {
      .cut = cut_shared, .work = work_shared, .cut_by_any = true};
  static shared_piece pieces[7];
  shared s = {.piece = piece < SHARED_PIECE ? piece : SHARED_PIECE};
  void *slots[7], *slot;
  mpg_pipeline *p;
  mpg_rc rc;
  back.n = 0;
  for (size_t i = 0; i < 7; i++)
    slots[i] = &pieces[i];
  CHECK(mpg_pipeline_slots(3) == 7);
  if ((rc = mpg_pipeline_open(&p, env, 3, &steps, &s, slots, err)) != MPG_OK)
    return rc;
  rc = mpg_stream_open(&s.stream, mpg_pipeline_env(p), path, err);
  if (rc == MPG_OK)
    mpg_stream_share(s.stream, p);
  while (rc == MPG_OK && (rc = mpg_pipeline_next(p, &slot, err)) == MPG_OK) {
    const shared_piece *got = slot;
    memcpy(back.p + back.n, got->bytes, got->n);
    back.n += got->n;
    *err = got->err;
    rc = got->err.rc;
  }
  mpg_pipeline_no_ahead(p, s.stream);
  mpg_stream_close(s.stream);
  mpg_pipeline_close(p);
  return rc == MPG_DONE ? MPG_OK : rc;
}

/* The packed bytes, from a file and from memory, give the text, whatever the sizes. */
static bool unpacks(const char *name, const void *p, size_t n) {
  static const size_t pieces[] = {1, 7, 4096, 1 << 20};
  bool ok = true;
  (void)file_of(name, packed.p, packed.n);
  for (size_t b = 0; b < HOSTILE_BLOCKS; b++)
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
      mpg_err err;
      mpg_stream *s;
      if (n > 5000 && (pieces[i] < 7 || hostile_blocks[b] - 1 < 7))
        continue;
      hostile_block(hostile_blocks[b]);
      ok &= read_file(&mpg_env_libc, in(name), pieces[i], &err) == MPG_OK && back.n == n &&
            memcmp(back.p, p, n) == 0;
      ok &= read_shared(&mpg_env_libc, in(name), pieces[i], &err) == MPG_OK && back.n == n &&
            memcmp(back.p, p, n) == 0;
      ok &=
          mpg_stream_memory(&s, &mpg_env_libc, "m", (mpg_str){packed.p, packed.n}, &err) == MPG_OK;
      ok &= drain(s, pieces[i], &err) == MPG_OK && back.n == n && memcmp(back.p, p, n) == 0;
      mpg_stream_close(s);
    }
  return ok;
}

/* The packed bytes fail with `want` behind the path, or with a text that begins so and ends in "".
 */
static bool refused(const char *name, mpg_rc want_rc, const char *want) {
  bool ok = true;
  (void)file_of(name, packed.p, packed.n);
  for (size_t b = 0; b < HOSTILE_BLOCKS; b++) {
    mpg_err err = {MPG_OK, ""}, same = err;
    char full[7000];
    size_t n;
    mpg_rc rc;
    hostile_block(hostile_blocks[b]);
    rc = read_file(&mpg_env_libc, in(name), 4096, &err);
    n = back.n;
    ok &= read_shared(&mpg_env_libc, in(name), 4096, &same) == rc && back.n == n &&
          strcmp(err.text, same.text) == 0;
    (void)snprintf(full, sizeof full, "%s: %s", in(name), want);
    if (rc != want_rc || strcmp(err.text, full) != 0) {
      (void)fprintf(stderr, "got  %d %s\nwant %d %s\n", (int)rc, err.text, (int)want_rc, full);
      ok = false;
    }
  }
  return ok;
}

static void test_plain(void) {
  for (size_t n = 0; n < 12; n++) {
    packed.n = 0;
    raw_add("hello, world", n);
    CHECK(unpacks("plain", "hello, world", n));
  }
  packed.n = 0;
  raw_add(text.p, text.n);
  CHECK(unpacks("plain.gz", text.p, text.n)); /* the name says nothing */
  packed.n = 0;
  raw_add("\x1f", 1);
  CHECK(unpacks("short", "\x1f", 1));
  packed.n = 0;
  raw_add("\x28\xb5\x2f", 3);
  CHECK(unpacks("short", "\x28\xb5\x2f", 3));
  mpg_err err;
  mpg_stream *s;
  size_t got;
  CHECK(mpg_stream_memory(&s, &mpg_env_libc, "m", (mpg_str){NULL, 0}, &err) == MPG_OK);
  CHECK(mpg_stream_read(s, back.p, 10, &got, &err) == MPG_OK && got == 0);
  CHECK(strcmp(mpg_stream_path(s), "m") == 0);
  mpg_stream_close(s);
  mpg_stream_close(NULL);
}

#define GZIP_CUT "truncated gzip stream: expected more data, found end of file"
#define ZSTD_CUT "truncated zstd stream: expected more data, found end of file"

/* A member with a header of which zlib makes all that its flags allow. */
static void gzip_add_with_header(const void *p, size_t n, const char *extra, bool name,
                                 bool comment, bool crc) {
  char file[] = "a file", about[] = "about it";
  gz_header header;
  memset(&header, 0, sizeof header);
  header.extra = (Bytef *)(uintptr_t)extra;
  header.extra_len = extra == NULL ? 0 : (uInt)strlen(extra);
  header.name = name ? (Bytef *)file : NULL;
  header.comment = comment ? (Bytef *)about : NULL;
  header.hcrc = crc;
  gzip_member(p, n, &header);
}

static void test_gzip_headers(void) {
  static const char *const extras[] = {NULL, "", "x", "an extra field"};
  mpg_err err;
  for (size_t e = 0; e < sizeof extras / sizeof *extras; e++)
    for (int flags = 0; flags < 8; flags++) {
      size_t member;
      packed.n = 0;
      gzip_add_with_header("hello, ", 7, extras[e], flags & 1, flags & 2, flags & 4);
      member = packed.n;
      gzip_add_with_header("world", 5, extras[e], flags & 1, flags & 2, flags & 4);
      CHECK(unpacks("header.gz", "hello, world", 12));
      for (packed.n = member - 1; packed.n > 1; packed.n--) {
        (void)file_of("header.gz", packed.p, packed.n);
        CHECK(read_file(&mpg_env_libc, in("header.gz"), 100, &err) == MPG_DATA &&
              strstr(err.text, GZIP_CUT) != NULL);
      }
    }
  packed.n = 0;
  gzip_add_with_header("hello", 5, "x", true, true, true);
  for (size_t at = 1; at < 31; at++) { /* by its CRC every byte of the header tells */
    packed.p[at] ^= 64;
    (void)file_of("header.gz", packed.p, packed.n);
    CHECK(at == 1
              ? read_file(&mpg_env_libc, in("header.gz"), 100, &err) == MPG_OK /* no gzip at all */
              : read_file(&mpg_env_libc, in("header.gz"), 100, &err) == MPG_DATA);
    packed.p[at] ^= 64;
  }
  CHECK(unpacks("header.gz", "hello", 5));
}

static void test_gzip(void) {
  packed.n = 0;
  gzip_add(text.p, text.n);
  size_t one = packed.n;
  CHECK(unpacks("a.csv", text.p, text.n));
  packed.n = one - 1;
  CHECK(refused("cut.gz", MPG_DATA, GZIP_CUT));
  packed.n = one / 2;
  CHECK(refused("cut.gz", MPG_DATA, GZIP_CUT));
  packed.n = 2;
  CHECK(refused("cut.gz", MPG_DATA, GZIP_CUT));

  packed.n = 0;
  gzip_add("", 0);
  CHECK(unpacks("empty.gz", "", 0));
  packed.n = 0;
  gzip_add("hello", 5);
  gzip_add("", 0);
  gzip_add(", ", 2);
  gzip_add("world", 5);
  CHECK(unpacks("members.gz", "hello, world", 12));
  size_t members = packed.n;
  raw_add("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
  CHECK(unpacks("padded.gz", "hello, world", 12));
  raw_add("x", 1);
  char want[128];
  (void)snprintf(want, sizeof want,
                 "damaged gzip stream near its byte %zu: expected another member or the end, found "
                 "something else",
                 packed.n);
  CHECK(refused("padded.gz", MPG_DATA, want));
  packed.n--;
  (void)snprintf(want, sizeof want,
                 "damaged gzip stream near its byte %zu: expected another member or the end, found "
                 "something else",
                 packed.n + 1);
  gzip_add("hello", 5);
  CHECK(refused("padded.gz", MPG_DATA, want));
  packed.n = members;
  raw_add("x", 1);
  (void)snprintf(want, sizeof want,
                 "damaged gzip stream near its byte %zu: expected another member or the end, found "
                 "something else",
                 packed.n);
  CHECK(refused("tail.gz", MPG_DATA, want));
  packed.n = members;
  raw_add("\x1f", 1);
  CHECK(refused("tail.gz", MPG_DATA, GZIP_CUT));

  packed.n = 0;
  gzip_add("hello", 5);
  packed.p[packed.n - 8] ^= 1; /* of the CRC */
  (void)file_of("crc.gz", packed.p, packed.n);
  mpg_err err;
  hostile_block(0);
  CHECK(read_file(&mpg_env_libc, in("crc.gz"), 100, &err) == MPG_DATA);
  CHECK(strstr(err.text, "crc.gz: damaged gzip stream near its byte ") != NULL &&
        strstr(err.text, ": incorrect data check") != NULL);
  packed.p[2] = 9; /* no such method */
  (void)file_of("method.gz", packed.p, packed.n);
  CHECK(read_file(&mpg_env_libc, in("method.gz"), 100, &err) == MPG_DATA);
  CHECK(strstr(err.text, "unknown compression method") != NULL);
}

static void test_zstd(void) {
  static const char skippable[] = "\x53\x2a\x4d\x18\x05\0\0\0skip.";
  packed.n = 0;
  zstd_add(text.p, text.n);
  size_t one = packed.n;
  CHECK(unpacks("a.gz", text.p, text.n));
  packed.n = one - 1;
  CHECK(refused("cut.zst", MPG_DATA, ZSTD_CUT));
  packed.n = one / 2;
  CHECK(refused("cut.zst", MPG_DATA, ZSTD_CUT));
  packed.n = 4;
  CHECK(refused("cut.zst", MPG_DATA, ZSTD_CUT));

  packed.n = 0;
  zstd_add("", 0);
  CHECK(unpacks("empty.zst", "", 0));
  packed.n = 0;
  raw_add(skippable, sizeof skippable - 1);
  CHECK(unpacks("skip.zst", "", 0));
  zstd_add("hello, ", 7);
  raw_add(skippable, sizeof skippable - 1);
  zstd_add("world", 5);
  raw_add(skippable, sizeof skippable - 1);
  CHECK(unpacks("frames.zst", "hello, world", 12));
  packed.n--;
  CHECK(refused("frames-cut.zst", MPG_DATA, ZSTD_CUT));
  packed.n = 0;
  zstd_add("hello", 5);
  raw_add("trailing text", 13);
  mpg_err err;
  (void)file_of("tail.zst", packed.p, packed.n);
  hostile_block(0);
  CHECK(read_file(&mpg_env_libc, in("tail.zst"), 100, &err) == MPG_DATA);
  CHECK(strstr(err.text, "tail.zst: damaged zstd stream near its byte 19: expected another frame "
                         "or the end, found something else"));
  packed.n = 0;
  zstd_add(text.p, text.n);
  packed.p[one / 2] ^= 0x55;
  packed.p[one / 2 + 9] ^= 0x55;
  (void)file_of("bad.zst", packed.p, packed.n);
  CHECK(read_file(&mpg_env_libc, in("bad.zst"), 4096, &err) == MPG_DATA);
  CHECK(strstr(err.text, "bad.zst: damaged zstd stream near its byte ") != NULL);
  /* A window of 2^31 bytes: single segment off, window descriptor 21 << 3. */
  packed.n = 0;
  raw_add("\x28\xb5\x2f\xfd\x00\xa8\x01\0\0", 9);
  CHECK(refused("window.zst", MPG_LIMIT, "a zstd window over 128 MiB (--long): too large"));
  /* Version 0.7, which some builds of libzstd read, behind a frame; and where one that ends behind
  ** its first four bytes has its header. */
  static const char old[] = "\x27\xb5\x2f\xfd\x20\x05\x40\0\x05hello\xc0\0\0";
  packed.n = 0;
  raw_add(skippable, sizeof skippable - 1);
  raw_add(old, sizeof old - 1);
  CHECK(refused("old.zst", MPG_DATA,
                "damaged zstd stream near its byte 14: expected another frame or the end, found "
                "something else"));
  packed.n = 0;
  raw_add("\x28\xb5\x2f\xfd", 4);
  raw_add(old, sizeof old - 1);
  CHECK(
      refused("hidden.zst", MPG_DATA, "damaged zstd stream near its byte 1: Dictionary mismatch"));
}

/* A block of n times `c`. */
static void rle_add(size_t n, char c, bool last) {
  uint32_t header = (uint32_t)n << 3 | 1 << 1 | last;
  const char block[] = {(char)header, (char)(header >> 8), (char)(header >> 16), c};
  raw_add(block, 4);
}

/* All n bytes before the damage come out, however many are asked for at a time. */
static bool comes_to_damage(const char *name, size_t n) {
  static const size_t pieces[] = {1000, 4096, 1 << 20};
  bool ok = true;
  (void)file_of(name, packed.p, packed.n);
  hostile_block(0);
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    mpg_err err;
    ok &= read_file(&mpg_env_libc, in(name), pieces[i], &err) == MPG_DATA && back.n == n;
    ok &= read_shared(&mpg_env_libc, in(name), pieces[i], &err) == MPG_DATA && back.n == n;
  }
  return ok;
}

static void test_before_damage(void) {
  static const char frame[] = "\x28\xb5\x2f\xfd\0\x38", checked[] = "\x28\xb5\x2f\xfd\x04\x38";
  packed.n = 0;
  raw_add(frame, 6); /* a window of 128 KiB */
  rle_add(100000, 'a', false);
  raw_add("\x28\0\0hello", 8);
  rle_add(70000, 'b', false);
  raw_add("\x0e\0\0", 3); /* a block of no type that there is */
  CHECK(comes_to_damage("block.zst", 170005));
  packed.n = 0;
  raw_add(checked, 6);
  rle_add(100000, 'a', false);
  rle_add(70000, 'b', true);
  raw_add("none", 4);
  CHECK(comes_to_damage("checksum.zst", 170000));
  packed.n = 0;
  raw_add(checked, 6);
  rle_add(11, 'a', true);
  raw_add("none", 4);
  CHECK(comes_to_damage("small.zst", 11)); /* a frame that is there as a whole */
}

static void open_fails(const char *path, mpg_rc want_rc, const char *want) {
  mpg_err err;
  char full[7000];
  mpg_stream *s = (mpg_stream *)&err;
  (void)snprintf(full, sizeof full, "%s: %s", path, want);
  CHECK(mpg_stream_open(&s, &mpg_env_libc, path, &err) == want_rc && s == NULL);
  CHECK(err.rc == want_rc && strcmp(err.text, full) == 0);
}

static void test_utf16(void) {
  static const char *const marks[] = {"\xff\xfe", "\xfe\xff"};
  for (size_t i = 0; i < 2; i++)
    for (size_t more = 0; more < 3; more++)
      for (int gzip = 0; gzip < 2; gzip++) {
        char start[4] = {marks[i][0], marks[i][1], 'a', 0};
        char want[7000];
        const char *path;
        mpg_err err;
        packed.n = 0;
        if (gzip)
          gzip_add(start, 2 + more);
        else
          raw_add(start, 2 + more);
        path = file_of("utf16", packed.p, packed.n);
        (void)snprintf(want, sizeof want,
                       "%s:1:1: expected UTF-8, found the byte order mark of UTF-16 (convert it, "
                       "as with iconv -f UTF-16 -t UTF-8)",
                       path);
        for (size_t b = 0; b < HOSTILE_BLOCKS; b++)
          for (size_t piece = 1; piece < 4; piece++) {
            hostile_block(hostile_blocks[b]);
            CHECK(read_file(&mpg_env_libc, path, piece, &err) == MPG_DATA && back.n == 0);
            CHECK(strcmp(err.text, want) == 0);
          }
        hostile_block(0);
        CHECK(read_shared(&mpg_env_libc, path, 64, &err) == MPG_DATA && back.n == 0);
      }
  packed.n = 0;
  raw_add("a\xff\xfe", 3); /* elsewhere they are bytes */
  CHECK(unpacks("later", "a\xff\xfe", 3));
  packed.n = 0;
  raw_add("\xff", 1);
  CHECK(unpacks("short", "\xff", 1));
}

static void test_open(void) {
  CHECK(mkfifo(in("fifo"), 0600) == 0);
  CHECK(mkdir(in("dir"), 0700) == 0);
  open_fails(in("none"), MPG_IO, "cannot open: No such file or directory");
  open_fails(in("plain/x"), MPG_IO, "cannot open: Not a directory");
  open_fails(in("fifo"), MPG_IO, "not a regular file");
  open_fails(in("dir"), MPG_IO, "not a regular file, but a folder");
  open_fails("/dev/null", MPG_IO, "not a regular file");
  CHECK(symlink("a.csv", in("link")) == 0 && symlink("loop", in("loop")) == 0);
  open_fails(in("loop"), MPG_IO, "cannot open: Too many levels of symbolic links");
  mpg_err err;
  hostile_block(0);
  CHECK(read_file(&mpg_env_libc, in("link"), 4096, &err) == MPG_OK && back.n == text.n);
}

static void test_memory_and_stops(void) {
  static const char *const names[] = {"a.csv", "a.gz", "members.gz", "frames.zst", "plain"};
  hostile_block(0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (int after = 0; after < 2; after++)
      for (long k = 1;; k++) {
        hostile h = {0, k, after == 1, false, 0};
        mpg_env env = hostile_env(&h);
        mpg_err err;
        mpg_rc rc = read_file(&env, in(names[i]), 4096, &err);
        CHECK(h.live == 0);
        if (!h.failed) {
          CHECK(k > 2);
          break;
        }
        CHECK(rc == MPG_NOMEM && strcmp(err.text, "out of memory") == 0);
      }
  /* The host says stop: at some check, until there are no more checks. */
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (long k = 2;; k++) {
      hostile h = {0, 0, false, false, k};
      mpg_env env = hostile_env(&h);
      mpg_err err;
      mpg_rc rc = read_file(&env, in(names[i]), 1 << 20, &err);
      CHECK(h.live == 0);
      if (h.stop_in != 1) {
        CHECK(rc == MPG_OK && k > 2);
        break;
      }
      CHECK(rc == MPG_INTERRUPTED && strstr(err.text, ": interrupted") != NULL);
    }
}

#ifdef MPG_TEST
static long fault_in, open_files, reads; /* reads: since a fault */
static int fault_errno;                  /* 0: a short read */
static mpg_os real;

static bool fault(void) {
  if (fault_in > 0 && --fault_in == 0) {
    errno = fault_errno;
    return true;
  }
  return false;
}
static int faulty_open(const char *path, int flags) {
  int fd = fault_errno != 0 && fault() ? -1 : real.open(path, flags);
  CHECK((flags & (O_CLOEXEC | O_NONBLOCK | O_ACCMODE)) == (O_CLOEXEC | O_NONBLOCK | O_RDONLY));
  open_files += fd >= 0;
  return fd;
}
static int faulty_fstat(int fd, struct stat *st) {
  return fault_errno != 0 && fault_errno != EINTR && fault() ? -1 : real.fstat(fd, st);
}
static ssize_t faulty_read(int fd, void *buf, size_t n) {
  reads++;
  if (!fault())
    return real.read(fd, buf, n);
  reads = 0;
  return fault_errno != 0 ? -1 : real.read(fd, buf, n > 3 ? 3 : 1);
}
static int faulty_close(int fd) {
  open_files--;
  return real.close(fd);
}

/* Every call fails once: an error is reported as one; EINTR and short reads are not seen at all. */
static void test_faults(void) {
  static const int errors[] = {0, EINTR, EIO, EACCES, ENOMEM};
  static const char *const names[] = {"small.gz", "small.zst", "plain", "a.csv", "a.gz"};
  size_t want;
  packed.n = 0;
  gzip_add(text.p, 2000);
  (void)file_of("small.gz", packed.p, packed.n);
  packed.n = 0;
  zstd_add(text.p, 2000);
  (void)file_of("small.zst", packed.p, packed.n);
  real = mpg_os_calls;
  mpg_os_calls = (mpg_os){faulty_open, faulty_fstat, faulty_read, faulty_close};
  for (size_t b = 3; b < HOSTILE_BLOCKS; b++)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      for (size_t e = 0; e < sizeof errors / sizeof *errors; e++)
        for (long k = 1;; k += k < 5 ? 1 : check_stride(4)) {
          mpg_err err;
          mpg_rc rc;
          if (i >= 3 && hostile_blocks[b] != 0)
            break;
          want = i < 2 ? 2000 : i == 2 ? 11 : text.n;
          hostile_block(hostile_blocks[b]);
          fault_in = k;
          fault_errno = errors[e];
          rc = read_file(&mpg_env_libc, in(names[i]), 1 << 20, &err);
          CHECK(open_files == 0);
          if (fault_in > 0 || e < 2) {
            CHECK(rc == MPG_OK && back.n == want);
          } else if (errors[e] == ENOMEM) {
            CHECK(rc == MPG_NOMEM);
          } else {
            CHECK(rc == MPG_IO && strstr(err.text, k == 1   ? ": cannot open: "
                                                   : k == 2 ? ": cannot stat: "
                                                            : ": cannot read: ") != NULL);
            CHECK(strstr(err.text, errors[e] == EIO ? ": Input/output error"
                                                    : ": Permission denied") != NULL);
          }
          if (fault_in > 0)
            break;
        }
  /* What failed is not asked again, whoever of several threads it failed for. */
  fault_errno = EIO;
  for (size_t b = 3; b < HOSTILE_BLOCKS; b++)
    for (int i = 0; i < 2; i++)
      for (long k = 3;; k += k < 5 ? 1 : check_stride(4)) {
        mpg_err err;
        mpg_rc rc;
        hostile_block(hostile_blocks[b]);
        fault_in = k;
        rc = read_shared(&mpg_env_libc, in(names[i]), 64, &err);
        CHECK(open_files == 0);
        if (fault_in > 0)
          break;
        CHECK(rc == MPG_IO && reads == 0);
      }
  fault_in = 0;
  mpg_os_calls = real;
}
#else
static void test_faults(void) {}
#endif

/* What was peeked at is read as if it had not been. */
static bool peeks(const char *path, const char *want, size_t want_n) {
  static const size_t sizes[] = {1, 2, 3, 10, 5000, 70000};
  bool fine = true;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    mpg_stream *s;
    mpg_str start;
    mpg_err err;
    CHECK(mpg_stream_open(&s, &mpg_env_libc, path, &err) == MPG_OK);
    for (size_t k = 0; k <= i; k++) {
      size_t n = want_n < sizes[k] ? want_n : sizes[k];
      fine &= mpg_stream_peek(s, sizes[k], &start, &err) == MPG_OK && start.n == n &&
              (n == 0 || memcmp(start.p, want, n) == 0);
    }
    fine &= drain(s, 1000, &err) == MPG_OK && back.n == want_n &&
            (want_n == 0 || memcmp(back.p, want, want_n) == 0);
    mpg_stream_close(s);
  }
  return fine;
}

static void test_peek(void) {
  mpg_stream *s;
  mpg_str start;
  mpg_err err;
  (void)file_of("peek", text.p, text.n);
  CHECK(peeks(in("peek"), text.p, text.n));
  (void)file_of("peek", "abc", 3);
  CHECK(peeks(in("peek"), "abc", 3));
  (void)file_of("peek", "", 0);
  CHECK(peeks(in("peek"), "", 0));
  packed.n = 0;
  gzip_add(text.p, text.n);
  (void)file_of("peek", packed.p, packed.n);
  CHECK(peeks(in("peek"), text.p, text.n));
  (void)file_of("peek", packed.p, packed.n / 2); /* the error comes after the bytes before it */
  CHECK(mpg_stream_open(&s, &mpg_env_libc, in("peek"), &err) == MPG_OK);
  CHECK(mpg_stream_peek(s, 100, &start, &err) == MPG_OK && start.n == 100);
  CHECK(mpg_stream_peek(s, text.n, &start, &err) == MPG_DATA && start.n > 100 &&
        memcmp(start.p, text.p, start.n) == 0);
  CHECK(mpg_stream_peek(s, text.n, &start, &err) == MPG_DATA);
  CHECK(drain(s, 1000, &err) == MPG_DATA && back.n == start.n);
  mpg_stream_close(s);
  (void)file_of("peek", "\xff\xfe\x41\0", 4);
  CHECK(mpg_stream_open(&s, &mpg_env_libc, in("peek"), &err) == MPG_OK);
  CHECK(mpg_stream_peek(s, 4, &start, &err) == MPG_DATA && start.n == 0);
  mpg_stream_close(s);
}

/* A file that was opened to see what it is, is not opened again. */
static void test_pool(void) {
  mpg_stream_pool pool;
  mpg_env env = mpg_env_libc;
  mpg_stream *s, *again, *other;
  mpg_str start;
  mpg_err err;
  mpg_stream_pool_init(&pool, &env);
  env.opened = &pool;
  (void)file_of("a", text.p, text.n);
  CHECK(mpg_stream_open(&s, &env, in("a"), &err) == MPG_OK);
  CHECK(mpg_stream_peek(s, 5000, &start, &err) == MPG_OK);
  mpg_stream_put_back(&env, s);
  CHECK(mpg_stream_open(&again, &mpg_env_libc, in("a"), &err) == MPG_OK && again != s);
  mpg_stream_put_back(&mpg_env_libc, again); /* closes it */
  CHECK(mpg_stream_open(&again, &env, in("a"), &err) == MPG_OK && again == s);
  CHECK(mpg_stream_open(&other, &env, in("a"), &err) == MPG_OK && other != s);
  CHECK(drain(again, 1000, &err) == MPG_OK && back.n == text.n &&
        memcmp(back.p, text.p, text.n) == 0);
  mpg_stream_close(again);
  mpg_stream_put_back(&env, other);
  mpg_stream_put_back(&env, NULL);
  for (int i = 0; i < MPG_STREAM_POOL + 3; i++) { /* one is in it already */
    char name[16];
    (void)snprintf(name, sizeof name, "pool%d", i);
    (void)file_of(name, "x", 1);
    CHECK(mpg_stream_open(&s, &env, in(name), &err) == MPG_OK);
    mpg_stream_put_back(&env, s);
    CHECK(pool.n == (size_t)(i + 2 < MPG_STREAM_POOL ? i + 2 : MPG_STREAM_POOL));
  }
  mpg_stream_pool_free(&pool);
  mpg_stream_pool_init(&pool, &env);
  packed.n = 0;
  zstd_add(text.p, text.n); /* might keep 128 MiB */
  (void)file_of("a", packed.p, packed.n);
  CHECK(mpg_stream_open(&s, &env, in("a"), &err) == MPG_OK);
  mpg_stream_put_back(&env, s);
  CHECK(pool.n == 0);
  mpg_stream_pool_free(&pool);
}

/* Who opened a stream of the pool may have ended before another reads it, or nobody does. */
static void test_pool_outlives_who_opened(void) {
  mpg_stream_pool pool;
  mpg_env env = mpg_env_libc;
  mpg_stream *s;
  mpg_str start;
  mpg_err err;
  mpg_stream_pool_init(&pool, &env);
  env.opened = &pool;
  packed.n = 0;
  gzip_add(text.p, text.n);
  (void)file_of("kept.gz", packed.p, packed.n);
  (void)file_of("kept", text.p, text.n);
  for (int i = 0; i < 4; i++) {
    const char *name = i % 2 == 0 ? "kept.gz" : "kept";
    mpg_env *opener = malloc(sizeof *opener), other = env;
    CHECK(opener != NULL);
    *opener = env;
    CHECK(mpg_stream_open(&s, opener, in(name), &err) == MPG_OK);
    CHECK(mpg_stream_peek(s, 5000, &start, &err) == MPG_OK);
    mpg_stream_put_back(opener, s);
    free(opener);
    if (i > 1)
      continue;
    CHECK(mpg_stream_open(&s, &other, in(name), &err) == MPG_OK);
    CHECK(drain(s, 1000, &err) == MPG_OK && back.n == text.n);
    mpg_stream_close(s);
  }
  mpg_stream_pool_free(&pool);
  env.resize_ctx = &pool; /* another allocator than that of the stream */
  mpg_stream_pool_init(&pool, &env);
  CHECK(mpg_stream_open(&s, &mpg_env_libc, in("kept"), &err) == MPG_OK);
  mpg_stream_put_back(&env, s);
  CHECK(pool.n == 0);
  mpg_stream_pool_free(&pool);
}

int main(void) {
  folder_make("source");
  while (text.n < 300000) {
    uint64_t x = text.n * 6364136223846793005u + 1442695040888963407u;
    text.n += (size_t)snprintf(text.p + text.n, sizeof text.p - text.n, "line %zu, %llx\n", text.n,
                               (unsigned long long)(x ^ x >> 29));
  }
  test_plain();
  test_gzip();
  test_gzip_headers();
  test_zstd();
  test_before_damage();
  test_utf16();
  test_peek();
  test_pool();
  test_pool_outlives_who_opened();
  test_open();
  test_memory_and_stops();
  test_faults();
  folder_remove();
  return check_done("source");
}
