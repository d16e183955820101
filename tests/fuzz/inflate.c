/* inflate.c - compressed streams: what comes out does not depend on how it is asked for, nor on
** how a file gives it. */
#include "fuzz.h"
#include "../../ext/read/input/unpack.h"
#include "../../ext/read/input/os.h"
#include "../../ext/base/intern.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define MOST ((size_t)4 << 20)

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  static char buffer[65536];
  mpg_stream *stream;
  mpg_err err;
  uint64_t sum = 0;
  size_t total = 0, got = 0, ask = 1 + mpg_hash(0, input.p, input.n) % sizeof buffer;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK) {
    fuzz_put(out, "!%s\n", err.text);
    return rc;
  }
  while (rc == MPG_OK && total < MOST) {
    rc = mpg_stream_read(stream, buffer, ask, &got, &err);
    CHECK(got <= ask);
    for (size_t i = 0; rc == MPG_OK && i < got; i++)
      sum = sum * 31 + (unsigned char)buffer[i];
    total += rc == MPG_OK ? got : 0;
    if (rc == MPG_OK && got < ask)
      rc = MPG_DONE;
  }
  fuzz_put(out, "%zu %llx\n", total, (unsigned long long)sum);
  if (rc != MPG_OK && rc != MPG_DONE)
    fuzz_put(out, "!%s\n", err.text);
  mpg_stream_close(stream);
  return rc == MPG_OK ? MPG_DONE : rc;
}

#ifdef MPG_TEST /* else the calls that read a file are not to be replaced */

/* ---- A file that gives what it likes ---- */

static struct disk {
  mpg_str left;
  uint64_t chance;
  long fails_in; /* reads until one fails, and no other; 0: none does */
  bool failed;
} disk;

static int disk_open(const char *path, int flags) {
  CHECK(strcmp(path, "f") == 0 && (flags & O_ACCMODE) == O_RDONLY);
  return 77;
}
static int disk_fstat(int fd, struct stat *st) {
  CHECK(fd == 77);
  memset(st, 0, sizeof *st);
  st->st_mode = S_IFREG;
  return 0;
}
static ssize_t disk_read(int fd, void *buf, size_t n) {
  CHECK(fd == 77 && n > 0 && !disk.failed);
  disk.chance = disk.chance * UINT64_C(6364136223846793005) + 1;
  if (disk.fails_in > 0 && --disk.fails_in == 0) {
    disk.failed = true;
    errno = EIO;
    return -1;
  }
  if (disk.chance >> 60 == 0) {
    errno = EINTR;
    return -1;
  }
  if (disk.chance >> 60 < 8 && n > 1)
    n = 1 + (disk.chance >> 32) % 99 % n;
  if (n > disk.left.n)
    n = disk.left.n;
  if (n > 0)
    memcpy(buf, disk.left.p, n);
  disk.left.p += n;
  disk.left.n -= n;
  return (ssize_t)n;
}
static int disk_close(int fd) {
  CHECK(fd == 77);
  return 0;
}

static mpg_rc disk_stream(mpg_stream **out, mpg_str input, mpg_err *err) {
  uint64_t hash = mpg_hash(0, input.p, input.n);
  mpg_os_calls = (mpg_os){disk_open, disk_fstat, disk_read, disk_close};
  disk = (struct disk){input, hash, hash % 4 == 0 ? (long)(1 + (hash >> 8) % 40) : 0, false};
  return mpg_stream_open(out, &mpg_env_libc, "f", err);
}

/* ---- By one thread that unpacks while another reads ---- */

#define PIECE 4096
#define SLOTS 5

typedef struct unpacked {
  mpg_stream *stream;
  size_t total;
  uint64_t hash;
  mpg_rc rc;
} unpacked;

static void read_on(unpacked *u, char *buffer) {
  mpg_err err;
  size_t got;
  u->rc = mpg_stream_read(u->stream, buffer, PIECE, &got, &err);
  u->total += got;
  u->hash = mpg_hash(0, buffer, got) ^ u->hash * 31;
  if (u->rc == MPG_OK && (got < PIECE || u->total >= MOST))
    u->rc = MPG_DONE;
}

static mpg_rc cut(void *ctx, void *slot, mpg_err *err) {
  unpacked *u = ctx;
  (void)err;
  if (u->rc == MPG_OK)
    read_on(u, slot);
  return u->rc == MPG_OK ? MPG_OK : MPG_DONE;
}

static void work(void *ctx, void *slot, int worker) {
  (void)ctx;
  (void)slot;
  (void)worker;
}

static void by_two(unpacked *u) {
  static const mpg_pipeline_steps steps = {.cut = cut, .work = work, .cut_by_any = true};
  static char buffers[SLOTS][PIECE];
  mpg_pipeline *pipeline;
  void *slots[SLOTS], *slot;
  mpg_err err;
  for (size_t i = 0; i < SLOTS; i++)
    slots[i] = buffers[i];
  CHECK(mpg_pipeline_slots(2) == SLOTS);
  CHECK(mpg_pipeline_open(&pipeline, &mpg_env_libc, 2, &steps, u, slots, &err) == MPG_OK);
  mpg_stream_ask(u->stream, mpg_pipeline_env(pipeline));
  mpg_stream_share(u->stream, pipeline);
  while (mpg_pipeline_next(pipeline, &slot, &err) == MPG_OK) {
  }
  mpg_pipeline_close(pipeline);
  mpg_stream_ask(u->stream, &mpg_env_libc); /* the pipeline's is gone */
}

/* From memory by one thread, and from a file by two: the same end and the same bytes, those before
** damage too. But how many there are where a limit is met depends on how many are unpacked at a
** time. */
static void read_both(mpg_str input) {
  static char buffer[PIECE];
  const mpg_os real = mpg_os_calls;
  unpacked one = {.rc = MPG_OK}, two = one;
  bool ahead; /* the disk may be read behind where the first came to its end */
  mpg_err err;
  CHECK(mpg_stream_memory(&one.stream, &mpg_env_libc, "f", input, &err) == MPG_OK);
  while (one.rc == MPG_OK)
    read_on(&one, buffer);
  two.rc = disk_stream(&two.stream, input, &err);
  if (two.rc == MPG_OK)
    by_two(&two);
  ahead = one.rc != MPG_DONE || one.total >= MOST;
  if (disk.failed && (two.rc == MPG_IO || !ahead))
    CHECK(two.rc == MPG_IO);
  else
    CHECK(two.rc == one.rc);
  CHECK(two.rc != one.rc || two.rc == MPG_LIMIT ||
        (one.total == two.total && one.hash == two.hash));
  mpg_stream_close(one.stream);
  mpg_stream_close(two.stream);
  mpg_os_calls = real;
}

#endif

void fuzz_inflate(mpg_str input) {
  fuzz_reader(render, input);
#ifdef MPG_TEST
  read_both(input);
#endif
}
