/*
** spill.c - see spill.h. The file holds pieces: a head, the table of shapes of a group that begins
** there, and the bytes. A run's index has the place of each job that it holds.
*/
#define _GNU_SOURCE /* O_TMPFILE, mkostemp */
#include "spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PATH_MOST 4096

typedef struct head {
  uint32_t bytes, nshapes;
  uint32_t kind, begins;
} head;

typedef struct place {
  uint64_t offset;
  uint32_t job;
} place;

/* places[n] is the end of the run. */
typedef struct run {
  place *places;
  size_t n, cap;
} run;

struct mpg_spill {
  const mpg_env *env;
  int fd;
  uint64_t written; /* and the bytes that wait: */
  unsigned char *buffer;
  size_t nbuffer;
  run *runs;
  size_t nruns, runs_cap;
  char folder[PATH_MOST]; /* for messages */
};

#ifdef MPG_TEST
mpg_spill_os mpg_spill_calls = {write, pread};
size_t mpg_spill_buffer = 64;
#define WRITTEN_AT_ONCE mpg_spill_buffer
#define WRITE mpg_spill_calls.write
#define PREAD mpg_spill_calls.pread
#else
#define WRITTEN_AT_ONCE ((size_t)256 << 10)
#define WRITE write
#define PREAD pread
#endif

/* ---- the file ---- */

/* With _GNU_SOURCE glibc has a call of that name that returns the text. */
static const char *text_of_error(int error, char *buf, size_t cap) {
#ifdef __GLIBC__
  return strerror_r(error, buf, cap);
#else
  return strerror_r(error, buf, cap) == 0 ? buf : "an unknown error";
#endif
}

static mpg_rc failed(const mpg_spill *s, const char *what, int error, mpg_err *err) {
  char why[128];
  return mpg_fail(err, MPG_IO,
                  "%s: a temporary file for spans beyond mpg_limit('packed_bytes'): %s: %s",
                  s->folder, what, text_of_error(error, why, sizeof why));
}

static int open_in(const char *folder) {
  char name[PATH_MOST + 32];
  int fd = -1;
#ifdef O_TMPFILE
  fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0)
    return fd;
#endif
  (void)snprintf(name, sizeof name, "%s/mpg-XXXXXX", folder);
  fd = mkostemp(name, O_CLOEXEC);
  if (fd >= 0)
    (void)unlink(name);
  return fd;
}

/* Where SQLite puts its own temporary files. */
static mpg_rc open_file(mpg_spill *s, mpg_err *err) {
  const char *folders[] = {
      getenv("SQLITE_TMPDIR"), getenv("TMPDIR"), "/var/tmp", "/usr/tmp", "/tmp", "."};
  int error = ENOENT;
  for (size_t i = 0; s->fd < 0 && i < sizeof folders / sizeof *folders; i++) {
    if (folders[i] == NULL || *folders[i] == '\0' || strlen(folders[i]) >= PATH_MOST)
      continue;
    (void)snprintf(s->folder, sizeof s->folder, "%s", folders[i]);
    s->fd = open_in(folders[i]);
    error = errno;
  }
  return s->fd < 0 ? failed(s, "open", error, err) : MPG_OK;
}

mpg_rc mpg_spill_new(mpg_spill **out, const mpg_env *env, mpg_err *err) {
  mpg_spill *s = mpg_calloc(env, sizeof *s);
  *out = s;
  if (s == NULL)
    return mpg_fail_nomem(err);
  s->env = env;
  s->fd = -1;
  s->buffer = mpg_malloc(env, WRITTEN_AT_ONCE);
  return s->buffer == NULL ? mpg_fail_nomem(err) : open_file(s, err);
}

void mpg_spill_free(mpg_spill *s) {
  if (s == NULL)
    return;
  for (size_t i = 0; i < s->nruns; i++)
    mpg_free(s->env, s->runs[i].places);
  mpg_free(s->env, s->runs);
  mpg_free(s->env, s->buffer);
  if (s->fd >= 0)
    (void)close(s->fd);
  mpg_free(s->env, s);
}

/* ---- writing ---- */

static mpg_rc flush(mpg_spill *s, mpg_err *err) {
  for (size_t at = 0; at < s->nbuffer;) {
    ssize_t n = WRITE(s->fd, s->buffer + at, s->nbuffer - at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return failed(s, "write", n < 0 ? errno : ENOSPC, err);
    at += (size_t)n;
  }
  s->written += s->nbuffer;
  s->nbuffer = 0;
  return mpg_interrupted(s->env) ? mpg_fail_plain(err, MPG_INTERRUPTED) : MPG_OK;
}

static mpg_rc put_bytes(mpg_spill *s, const void *from, size_t n, mpg_err *err) {
  const unsigned char *p = from;
  mpg_rc rc = MPG_OK;
  while (rc == MPG_OK && n > 0) {
    size_t room = WRITTEN_AT_ONCE - s->nbuffer, now = n < room ? n : room;
    memcpy(s->buffer + s->nbuffer, p, now);
    s->nbuffer += now;
    p += now;
    n -= now;
    if (s->nbuffer == WRITTEN_AT_ONCE)
      rc = flush(s, err);
  }
  return rc;
}

static mpg_rc put_piece(mpg_spill *s, int kind, const mpg_packed_chunk *chunk, mpg_err *err) {
  static const unsigned char zeros[4];
  const uint32_t n = chunk->used, shapes = chunk->begins ? chunk->nshapes : 0;
  const head h = {n, shapes, (uint32_t)kind, chunk->begins};
  mpg_rc rc = put_bytes(s, &h, sizeof h, err);
  if (rc == MPG_OK && shapes > 0)
    rc = put_bytes(s, chunk->shapes, shapes * sizeof *chunk->shapes, err);
  if (rc == MPG_OK)
    rc = put_bytes(s, chunk->bytes, n, err);
  return rc == MPG_OK ? put_bytes(s, zeros, -n & 3, err) : rc; /* heads are aligned */
}

static mpg_rc put_place(mpg_spill *s, uint32_t job, mpg_err *err) {
  run *r = &s->runs[s->nruns - 1];
  if (mpg_grow(s->env, &r->places, &r->cap, r->n + 1, sizeof *r->places) != MPG_OK)
    return mpg_fail_nomem(err);
  r->places[r->n++] = (place){s->written + s->nbuffer, job};
  return MPG_OK;
}

mpg_rc mpg_spill_begin(mpg_spill *s, mpg_err *err) {
  if (mpg_grow(s->env, &s->runs, &s->runs_cap, s->nruns + 1, sizeof *s->runs) != MPG_OK)
    return mpg_fail_nomem(err);
  s->runs[s->nruns++] = (run){NULL, 0, 0};
  return MPG_OK;
}

mpg_rc mpg_spill_put(mpg_spill *s, uint32_t job, const mpg_packed *const lists[MPG_SPILL_KINDS],
                     mpg_err *err) {
  mpg_rc rc = put_place(s, job, err);
  for (int kind = 0; kind < MPG_SPILL_KINDS; kind++)
    for (const mpg_packed_chunk *c = lists[kind]->first; rc == MPG_OK && c != NULL; c = c->next)
      rc = put_piece(s, kind, c, err);
  return rc;
}

mpg_rc mpg_spill_end(mpg_spill *s, mpg_err *err) {
  mpg_rc rc = put_place(s, UINT32_MAX, err);
  if (rc != MPG_OK)
    return rc;
  s->runs[s->nruns - 1].n--;
  return flush(s, err);
}

/* ---- reading ---- */

static const place *find_job(const run *r, uint32_t job) {
  size_t low = 0, high = r->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (r->places[middle].job < job)
      low = middle + 1;
    else
      high = middle;
  }
  return low < r->n && r->places[low].job == job ? &r->places[low] : NULL;
}

static mpg_rc get_bytes(const mpg_spill *s, uint64_t offset, unsigned char *to, size_t n,
                        const mpg_env *env, mpg_err *err) {
  for (size_t at = 0; at < n;) {
    size_t now = n - at < WRITTEN_AT_ONCE ? n - at : WRITTEN_AT_ONCE;
    ssize_t got = PREAD(s->fd, to + at, now, (off_t)(offset + at));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return failed(s, "read", got < 0 ? errno : EIO, err);
    at += (size_t)got;
    if (mpg_interrupted(env))
      return mpg_fail_plain(err, MPG_INTERRUPTED);
  }
  return MPG_OK;
}

/* The pieces of a kind among those in n bytes. */
static void take_pieces(const unsigned char *p, size_t n, int kind,
                        void (*take)(void *ctx, const mpg_packed_bytes *piece), void *ctx) {
  const unsigned char *end = p + n;
  while (p < end) {
    head h;
    mpg_packed_bytes piece = {.begins = false};
    memcpy(&h, p, sizeof h);
    p += sizeof h;
    piece.begins = h.begins != 0;
    piece.shapes = (const mpg_shape *)(const void *)p;
    p += h.nshapes * sizeof(mpg_shape);
    piece.p = p;
    piece.n = h.bytes;
    p += (h.bytes + 3) & ~UINT32_C(3);
    if (h.kind == (uint32_t)kind)
      take(ctx, &piece);
  }
}

mpg_rc mpg_spill_read(const mpg_spill *s, uint32_t job, int kind,
                      void (*take)(void *ctx, const mpg_packed_bytes *piece), void *ctx,
                      const mpg_env *env, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  for (size_t i = 0; rc == MPG_OK && i < s->nruns; i++) {
    const place *at = find_job(&s->runs[i], job);
    unsigned char *bytes;
    size_t n;
    if (at == NULL)
      continue;
    n = (size_t)(at[1].offset - at->offset);
    bytes = mpg_malloc(env, n + MPG_ARENA_SLACK);
    if (bytes == NULL)
      return mpg_fail_nomem(err);
    memset(bytes + n, 0, MPG_ARENA_SLACK);
    rc = get_bytes(s, at->offset, bytes, n, env, err);
    if (rc == MPG_OK)
      take_pieces(bytes, n, kind, take, ctx);
    mpg_free(env, bytes);
  }
  return rc;
}
