/*
** stream.c - streams of bytes from files and from memory: see stream.h.
*/
#include "stream.h"
#include "unpack.h"
#include "utf8.h"
#include "../unwrap/unwrap.h"
#include "os.h"
#include "../../base/debug_assert.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define PEEKED ((size_t)4096) /* bytes that are peeked at first */
#define PACKED_BUFFER MPG_IO_SIZE(128 << 10)

/* What is unpacked ahead: enough that neither thread waits for the other at each turn. */
#define CHUNKS 4
#define CHUNK MPG_IO_SIZE(256 << 10)

typedef struct chunk {
  char *bytes;
  size_t at, n;
  mpg_err end; /* MPG_DONE, or what went wrong, after the n bytes; MPG_OK: there is more */
} chunk;

typedef struct ring {
  pthread_mutex_t lock;
  pthread_cond_t unpacked;
  chunk chunks[CHUNKS];
  size_t filled, taken; /* chunks in all; the last one stays */
  bool unpacking;       /* a thread is */
  bool failed;          /* the error of a reader that unpacked by itself; it is not called again */
} ring;

/* Text in which bytes that are no UTF-8 become U+FFFD. */
typedef struct repair {
  bool on;
  char ahead[4];         /* bytes read to see whether a character ends as it should */
  size_t ahead_n, known; /* the first `known` of them do end one */
  char *text;            /* repaired and not yet given, from `at` on */
  size_t at, n, cap;
  int64_t count; /* of what was replaced */
} repair;

/* Lines that are wrapped. */
typedef struct wrapped {
  int ways;  /* as asked for; 0 once the first bytes were looked at */
  bool over; /* the file is */
  mpg_unwrap u;
  char *bytes, *text; /* read; without what is around it, and not yet given from `at` on */
  size_t at, n, cap;
} wrapped;

struct mpg_stream {
  const mpg_env *env;
  char *path;
  int fd;      /* -1: bytes in memory */
  mpg_str raw; /* packed or plain bytes that are read and not yet taken: of `head`, `buf`, memory */
  bool raw_end;
  bool end;
  mpg_inflate *inflate; /* NULL: plain */
  char *buf;            /* of a packed file */
  size_t buf_cap;
  char head[4];      /* the first bytes of a file, which show how it is packed */
  off_t at;          /* bytes of the file that were read, */
  off_t end_of_text; /* and that are, if it ends in NUL bytes; 0: all */
  off_t nul;         /* NUL bytes that were left out */
  ring *ring;        /* NULL: the reader unpacks */
  bool begun;        /* the lead was read */
  char mark[2];      /* the lead, unless more was peeked at */
  char *lead;        /* the first bytes of what is read, looked at before they are given */
  size_t lead_at, lead_n;
  bool windowed;  /* zstd, which may keep 128 MiB */
  mpg_err failed; /* what every read says from then on */
  repair repair;
  wrapped wrapped;
};

static int os_open(const char *path, int flags) {
  return open(path, flags);
}
static int os_fstat(int fd, struct stat *st) {
  return fstat(fd, st);
}

#ifdef MPG_TEST
mpg_os mpg_os_calls = {os_open, os_fstat, read, close};
size_t mpg_io_block = 61;
#else
static const mpg_os mpg_os_calls = {os_open, os_fstat, read, close};
#endif

/* The text of errno, in `buf`: threads share strerror's own buffer. */
static const char *os_error(int code, char *buf, size_t cap) {
  if (strerror_r(code, buf, cap) != 0)
    (void)strncpy(buf, "unknown error", cap);
  return buf;
}

static mpg_rc os_fail(const char *path, const char *what, mpg_err *err) {
  int code = errno;
  char text[256];
  return code == ENOMEM ? mpg_fail_nomem(err)
                        : mpg_fail(err, MPG_IO, "%s: cannot %s: %s", path, what,
                                   os_error(code, text, sizeof text));
}

/* Up to `cap` bytes of the file itself; less than one only at its end. */
static mpg_rc file_read(mpg_stream *s, char *buf, size_t cap, size_t *got, mpg_err *err) {
  *got = 0;
  while (*got < cap) {
    size_t want = cap - *got < MIB ? cap - *got : MIB;
    ssize_t n;
    if (mpg_interrupted(s->env))
      return mpg_fail(err, MPG_INTERRUPTED, "%s: interrupted", s->path);
    if (s->end_of_text > 0 && (off_t)want > s->end_of_text - s->at)
      want = (size_t)(s->end_of_text - s->at);
    n = want == 0 ? 0 : mpg_os_calls.read(s->fd, buf + *got, want);
    if (n < 0 && errno != EINTR)
      return os_fail(s->path, "read", err);
    if (n == 0)
      break;
    if (n > 0) {
      *got += (size_t)n;
      s->at += n;
    }
  }
  mpg_progress_read(s->env, *got);
  return MPG_OK;
}

static mpg_rc stream_new(mpg_stream **out, const mpg_env *env, const char *path, mpg_err *err) {
  size_t n = strlen(path) + 1;
  mpg_stream *s = mpg_calloc(env, sizeof *s);
  *out = s;
  if (s == NULL)
    return mpg_fail_nomem(err);
  s->env = env;
  s->fd = -1;
  s->lead = s->mark;
  s->path = mpg_malloc(env, n);
  if (s->path == NULL)
    return mpg_fail_nomem(err);
  memcpy(s->path, path, n);
  return MPG_OK;
}

static bool is_held(const mpg_stream *s) {
  const mpg_locked_files *held = s->env->held;
  struct stat st;
  if (held == NULL || held->n == 0 || stat(s->path, &st) != 0)
    return false;
  for (size_t i = 0; i < held->n; i++)
    if (held->file[i].device == (uint64_t)st.st_dev && held->file[i].inode == (uint64_t)st.st_ino)
      return true;
  return false;
}

static mpg_rc file_open(mpg_stream *s, mpg_err *err) {
  struct stat st;
  size_t n;
  mpg_rc rc;
  if (is_held(s))
    return mpg_fail(err, MPG_DATA, /* no trace: among others it can be skipped */
                    "%s: expected a file, found a database that this connection has open", s->path);
  /* A FIFO without a writer would block without O_NONBLOCK; a terminal must not become ours. */
  do {
    s->fd = mpg_os_calls.open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  } while (s->fd < 0 && errno == EINTR);
  if (s->fd < 0)
    return os_fail(s->path, "open", err);
  if (mpg_os_calls.fstat(s->fd, &st) != 0)
    return os_fail(s->path, "stat", err);
  if (!S_ISREG(st.st_mode))
    return mpg_fail(err, MPG_IO, "%s: not a regular file%s", s->path,
                    S_ISDIR(st.st_mode) ? ", but a folder" : "");
  mpg_progress_expect(s->env, (int64_t)st.st_size);
  rc = file_read(s, s->head, sizeof s->head, &n, err);
  s->raw = (mpg_str){s->head, n};
  s->raw_end = n < sizeof s->head;
  return rc;
}

/* Looks at the first bytes, and makes ready what unpacks the rest. */
static mpg_rc find_packing(mpg_stream *s, mpg_err *err) {
  mpg_packing packing = mpg_packing_of(s->raw.p, s->raw.n);
  if (packing == MPG_PLAIN)
    return MPG_OK;
  if (s->fd >= 0) {
    s->windowed = packing == MPG_ZSTD;
    s->buf_cap = PACKED_BUFFER;
    s->buf = mpg_malloc(s->env, s->buf_cap);
    if (s->buf == NULL)
      return mpg_fail_nomem(err);
  }
  return mpg_inflate_open(&s->inflate, s->env, packing, s->path, err);
}

/* ---- streams opened before ---- */

void mpg_stream_pool_init(mpg_stream_pool *pool, const mpg_env *env) {
  pool->env = env;
  pool->n = 0;
  (void)pthread_mutex_init(&pool->lock, NULL); /* glibc's cannot fail */
}

void mpg_stream_pool_free(mpg_stream_pool *pool) {
  for (size_t i = 0; i < pool->n; i++)
    mpg_stream_close(pool->stream[i]);
  (void)pthread_mutex_destroy(&pool->lock);
}

/* The env that a stream has had may end from here on. */
static void change_env(mpg_stream *s, const mpg_env *env) {
  s->env = env;
  mpg_inflate_change_env(s->inflate, env);
}

void mpg_stream_put_back(const mpg_env *env, mpg_stream *s) {
  mpg_stream_pool *pool = env->opened;
  bool pooled = false;
  if (pool != NULL && s != NULL && !s->windowed && mpg_same_allocator(s->env, pool->env)) {
    change_env(s, pool->env);
    (void)pthread_mutex_lock(&pool->lock);
    pooled = pool->n < MPG_STREAM_POOL;
    if (pooled)
      pool->stream[pool->n++] = s;
    (void)pthread_mutex_unlock(&pool->lock);
  }
  if (!pooled)
    mpg_stream_close(s);
}

/* The stream of a path out of the pool; NULL if there is none. */
static mpg_stream *pool_remove(mpg_stream_pool *pool, const mpg_env *env, const char *path) {
  mpg_stream *found = NULL;
  if (!mpg_same_allocator(pool->env, env))
    return NULL;
  (void)pthread_mutex_lock(&pool->lock);
  for (size_t i = 0; i < pool->n && found == NULL; i++)
    if (strcmp(pool->stream[i]->path, path) == 0) {
      found = pool->stream[i];
      pool->stream[i] = pool->stream[--pool->n];
    }
  (void)pthread_mutex_unlock(&pool->lock);
  return found;
}

mpg_rc mpg_stream_open(mpg_stream **out, const mpg_env *env, const char *path, mpg_err *err) {
  mpg_stream *s = env->opened == NULL ? NULL : pool_remove(env->opened, env, path);
  mpg_rc rc;
  *out = s;
  if (s != NULL) {
    change_env(s, env);
    return MPG_OK;
  }
  rc = stream_new(&s, env, path, err);
  if (rc == MPG_OK)
    rc = file_open(s, err);
  if (rc == MPG_OK)
    rc = find_packing(s, err);
  if (rc != MPG_OK) {
    mpg_stream_close(s);
    s = NULL;
  }
  *out = s;
  return rc;
}

mpg_rc mpg_stream_memory(mpg_stream **out, const mpg_env *env, const char *name, mpg_str bytes,
                         mpg_err *err) {
  mpg_stream *s;
  mpg_rc rc = stream_new(&s, env, name, err);
  if (rc == MPG_OK) {
    s->raw = bytes;
    s->raw_end = true;
    rc = find_packing(s, err);
  }
  if (rc != MPG_OK) {
    mpg_stream_close(s);
    s = NULL;
  }
  *out = s;
  return rc;
}

static void ring_free(const mpg_env *env, ring *r) {
  if (r == NULL)
    return;
  (void)pthread_mutex_destroy(&r->lock);
  (void)pthread_cond_destroy(&r->unpacked);
  for (size_t i = 0; i < CHUNKS; i++)
    mpg_free(env, r->chunks[i].bytes);
  mpg_free(env, r);
}

void mpg_stream_close(mpg_stream *s) {
  if (s == NULL)
    return;
  mpg_inflate_close(s->inflate);
  ring_free(s->env, s->ring);
  /* Not repeated after EINTR: Linux has closed it all the same. */
  if (s->fd >= 0)
    (void)mpg_os_calls.close(s->fd);
  mpg_free(s->env, s->buf);
  mpg_free(s->env, s->repair.text);
  mpg_free(s->env, s->wrapped.bytes);
  mpg_free(s->env, s->wrapped.text);
  if (s->lead != s->mark)
    mpg_free(s->env, s->lead);
  mpg_free(s->env, s->path);
  mpg_free(s->env, s);
}

void mpg_stream_ask(mpg_stream *s, const mpg_env *env) {
  s->env = env;
}

/* Plain bytes: those already read, then straight from the file into the caller's buffer. */
static mpg_rc plain_read(mpg_stream *s, char *buf, size_t cap, size_t *got, mpg_err *err) {
  size_t n = s->raw.n < cap ? s->raw.n : cap;
  size_t more = 0;
  mpg_rc rc = MPG_OK;
  if (n > 0) {
    memcpy(buf, s->raw.p, n);
    s->raw.p += n;
    s->raw.n -= n;
  }
  if (n < cap && !s->raw_end) {
    rc = file_read(s, buf + n, cap - n, &more, err);
    s->raw_end = more < cap - n;
  }
  *got = n + more;
  return rc;
}

static mpg_rc packed_read(mpg_stream *s, char *buf, size_t cap, size_t *got, mpg_err *err) {
  while (*got < cap && !s->end) {
    size_t n, room = cap - *got < MIB ? cap - *got : MIB;
    mpg_rc rc;
    if (mpg_interrupted(s->env))
      return mpg_fail(err, MPG_INTERRUPTED, "%s: interrupted", s->path);
    rc = mpg_inflate_run(s->inflate, &s->raw, s->raw_end, buf + *got, room, &n, err);
    *got += n;
    if (rc == MPG_DONE)
      s->end = true;
    else if (rc != MPG_OK)
      return rc;
    if (rc == MPG_OK && n == 0) {
      rc = file_read(s, s->buf, s->buf_cap, &n, err);
      if (rc != MPG_OK)
        return rc;
      s->raw = (mpg_str){s->buf, n};
      s->raw_end = n < s->buf_cap;
    }
  }
  return MPG_OK;
}

/* ---- Unpacked ahead ---- */

static bool has_room(const ring *r) {
  bool ended = r->filled > r->taken && r->chunks[(r->filled - 1) % CHUNKS].end.rc != MPG_OK;
  return !ended && !r->failed && r->filled - r->taken < CHUNKS;
}

/* False if there is no memory for it: then the reader unpacks. */
static bool fill_chunk(mpg_stream *s, chunk *c) {
  if (c->bytes == NULL)
    c->bytes = mpg_malloc(s->env, CHUNK);
  if (c->bytes == NULL)
    return false;
  c->at = c->n = 0;
  c->end.rc = packed_read(s, c->bytes, CHUNK, &c->n, &c->end);
  if (c->end.rc == MPG_OK && c->n < CHUNK)
    c->end.rc = MPG_DONE;
  return true;
}

/* Chunk after chunk while there is room, for the thread that unpacks has what it needs in its
** cache: and so it takes over from a reader that does it itself. */
static bool unpack_ahead(void *stream) {
  mpg_stream *s = stream;
  ring *r = s->ring;
  bool filled = true;
  (void)pthread_mutex_lock(&r->lock);
  while (r->unpacking)
    (void)pthread_cond_wait(&r->unpacked, &r->lock);
  r->unpacking = true;
  while (filled && has_room(r)) {
    (void)pthread_mutex_unlock(&r->lock);
    filled = fill_chunk(s, &r->chunks[r->filled % CHUNKS]);
    (void)pthread_mutex_lock(&r->lock);
    r->filled += filled;
    (void)pthread_cond_signal(&r->unpacked);
  }
  r->unpacking = false;
  (void)pthread_cond_signal(&r->unpacked);
  (void)pthread_mutex_unlock(&r->lock);
  return false;
}

/* The next chunk, once ready; NULL if no thread unpacks one: then the caller may. */
static chunk *next_chunk(ring *r) {
  chunk *c = NULL;
  (void)pthread_mutex_lock(&r->lock);
  while (r->filled == r->taken && r->unpacking)
    (void)pthread_cond_wait(&r->unpacked, &r->lock);
  if (r->filled > r->taken)
    c = &r->chunks[r->taken % CHUNKS];
  else
    r->unpacking = true;
  (void)pthread_mutex_unlock(&r->lock);
  return c;
}

static mpg_rc shared_read(mpg_stream *s, char *buf, size_t cap, size_t *got, mpg_err *err) {
  ring *r = s->ring;
  while (*got < cap) {
    chunk *c = next_chunk(r);
    size_t n = 0;
    if (c == NULL) {
      mpg_rc rc = packed_read(s, buf + *got, cap - *got, &n, err);
      *got += n;
      (void)pthread_mutex_lock(&r->lock);
      r->unpacking = false;
      r->failed = rc != MPG_OK;
      (void)pthread_cond_signal(&r->unpacked);
      (void)pthread_mutex_unlock(&r->lock);
      return rc;
    }
    n = c->n - c->at < cap - *got ? c->n - c->at : cap - *got;
    memcpy(buf + *got, c->bytes + c->at, n);
    c->at += n;
    *got += n;
    if (c->at < c->n)
      continue;
    if (c->end.rc == MPG_DONE)
      break;
    if (c->end.rc != MPG_OK) {
      *err = c->end;
      return err->rc;
    }
    (void)pthread_mutex_lock(&r->lock);
    r->taken++;
    (void)pthread_mutex_unlock(&r->lock);
  }
  return MPG_OK;
}

void mpg_stream_share(mpg_stream *s, mpg_pipeline *pipeline) {
  ring *r;
  if (s->inflate == NULL || mpg_pipeline_threads(pipeline) < 2)
    return;
  r = mpg_calloc(s->env, sizeof *r);
  if (r == NULL || pthread_mutex_init(&r->lock, NULL) != 0) {
    mpg_free(s->env, r);
    return;
  }
  (void)pthread_cond_init(&r->unpacked, NULL); /* nor can this */
  s->ring = r;
  mpg_pipeline_ahead(pipeline, unpack_ahead, s);
}

static mpg_rc read_on(mpg_stream *s, char *buf, size_t cap, size_t *got, mpg_err *err) {
  mpg_rc rc;
  *got = 0;
  if (s->inflate == NULL)
    rc = plain_read(s, buf, cap, got, err);
  else
    rc = s->ring != NULL ? shared_read(s, buf, cap, got, err) : packed_read(s, buf, cap, got, err);
  if (rc == MPG_DATA || rc == MPG_IO || rc == MPG_LIMIT)
    s->failed = *err;
  return rc;
}

/* UTF-16, as PowerShell's > and spreadsheets write it, is recognised here: each reader would report
** another odd byte in it. */
static mpg_rc read_lead(mpg_stream *s, mpg_err *err) {
  mpg_rc rc = read_on(s, s->mark, sizeof s->mark, &s->lead_n, err);
  s->begun = true;
  if (s->lead_n < 2 || (memcmp(s->lead, "\xff\xfe", 2) != 0 && memcmp(s->lead, "\xfe\xff", 2) != 0))
    return rc;
  s->lead_n = 0;
  rc = mpg_fail(err, MPG_DATA,
                "%s:1:1: expected UTF-8, found the byte order mark of UTF-16 (convert it, as with "
                "iconv -f UTF-16 -t UTF-8)",
                s->path);
  s->failed = *err;
  return rc;
}

static mpg_rc read_bytes(mpg_stream *s, char *buf, size_t cap, size_t *got, mpg_err *err) {
  size_t lead, more = 0;
  mpg_rc rc = s->begun ? MPG_OK : read_lead(s, err);
  lead = s->lead_n - s->lead_at < cap ? s->lead_n - s->lead_at : cap;
  if (lead > 0)
    memcpy(buf, s->lead + s->lead_at, lead);
  s->lead_at += lead;
  *got = lead;
  if (s->lead_at < s->lead_n) /* their error is returned after them */
    return rc == s->failed.rc ? MPG_OK : rc;
  if (rc == MPG_OK && s->failed.rc != MPG_OK) {
    *err = s->failed;
    rc = err->rc;
  }
  if (rc == MPG_OK && lead < cap)
    rc = read_on(s, buf + lead, cap - lead, &more, err);
  *got += more;
  return rc;
}

/* Reads on until the lead has n bytes. */
static mpg_rc extend_lead(mpg_stream *s, size_t n, mpg_err *err) {
  size_t more = 0;
  mpg_rc rc;
  char *lead = mpg_malloc(s->env, n);
  if (lead == NULL)
    return mpg_fail_nomem(err);
  memcpy(lead, s->lead, s->lead_n);
  if (s->lead != s->mark)
    mpg_free(s->env, s->lead);
  s->lead = lead;
  rc = read_on(s, lead + s->lead_n, n - s->lead_n, &more, err);
  s->lead_n += more;
  return rc;
}

mpg_rc mpg_stream_peek(mpg_stream *s, size_t n, mpg_str *out, mpg_err *err) {
  mpg_rc rc = s->begun ? MPG_OK : read_lead(s, err);
  MPG_ASSERT(s->lead_at == 0);
  if (rc == MPG_OK && s->failed.rc != MPG_OK) {
    *err = s->failed;
    rc = err->rc;
  }
  /* A small file, as most are, has a small buffer. */
  if (rc == MPG_OK && s->lead_n < n && s->lead_n < PEEKED)
    rc = extend_lead(s, n < PEEKED ? n : PEEKED, err);
  if (rc == MPG_OK && s->lead_n < n && s->lead_n >= PEEKED)
    rc = extend_lead(s, n, err);
  *out = (mpg_str){s->lead, s->lead_n < n ? s->lead_n : n};
  return rc;
}

/* ---- Wrapped lines ---- */

#define LOOKED_AT ((size_t)64 << 10) /* bytes that show how lines are wrapped */
#define WRAPPED MPG_IO_SIZE(256 << 10)

void mpg_stream_unwrap(mpg_stream *s, int ways) {
  s->wrapped.ways = ways;
}

/* What cannot be looked at cannot be read: that says why. */
static mpg_rc look_at_head(mpg_stream *s, mpg_err *err) {
  wrapped *w = &s->wrapped;
  mpg_str head;
  const int ways = w->ways;
  mpg_rc rc = mpg_stream_peek(s, LOOKED_AT, &head, err);
  if (rc == MPG_NOMEM || rc == MPG_INTERRUPTED)
    return rc;
  w->ways = 0;
  if (!mpg_unwrap_find(&w->u, head, ways))
    return MPG_OK;
  w->bytes = mpg_malloc(s->env, WRAPPED);
  return w->bytes == NULL ? mpg_fail_nomem(err) : MPG_OK;
}

static mpg_rc unwrap_more(mpg_stream *s, mpg_err *err) {
  wrapped *w = &s->wrapped;
  size_t n = 0;
  mpg_rc rc = read_bytes(s, w->bytes, WRAPPED, &n, err);
  w->at = w->n = 0;
  if (mpg_grow(s->env, &w->text, &w->cap, mpg_unwrap_room(&w->u, n), 1) != MPG_OK)
    return mpg_fail_nomem(err);
  w->n = mpg_unwrap_run(&w->u, w->bytes, n, w->text);
  w->over = rc == MPG_OK && n < WRAPPED;
  if (w->over)
    w->n += mpg_unwrap_end(&w->u, w->text + w->n);
  return rc;
}

/* As read_bytes, of the text within the lines that something else kept. */
static mpg_rc read_inner(mpg_stream *s, char *buf, size_t cap, size_t *got, mpg_err *err) {
  wrapped *w = &s->wrapped;
  mpg_rc rc = w->ways != 0 ? look_at_head(s, err) : MPG_OK;
  *got = 0;
  if (rc != MPG_OK || w->u.how == 0)
    return rc != MPG_OK ? rc : read_bytes(s, buf, cap, got, err);
  while (*got < cap) {
    const size_t left = w->n - w->at, room = cap - *got, n = left < room ? left : room;
    if (n > 0)
      memcpy(buf + *got, w->text + w->at, n);
    w->at += n;
    *got += n;
    if (rc != MPG_OK || (w->over && w->at == w->n))
      break;
    if (w->at == w->n)
      rc = unwrap_more(s, err);
  }
  return rc;
}

/* ---- UTF-8 ---- */

/* As read_inner, but the bytes that were read ahead come first. */
static mpg_rc read_after_ahead(mpg_stream *s, char *buf, size_t cap, size_t *got, mpg_err *err) {
  repair *r = &s->repair;
  size_t n = r->ahead_n < cap ? r->ahead_n : cap, more = 0;
  mpg_rc rc = MPG_OK;
  memcpy(buf, r->ahead, n);
  memmove(r->ahead, r->ahead + n, r->ahead_n - n);
  r->ahead_n -= n;
  if (n < cap)
    rc = read_inner(s, buf + n, cap - n, &more, err);
  *got = n + more;
  return rc;
}

/* Whether a character of which the last n bytes read are the beginning ends as it should. What is
** read to see that is read again by the next read. If the character is sound, what is of it counts
** as such. If not, what is of the same maximal subpart is left out: one U+FFFD stands for all. */
static mpg_rc check_end(mpg_stream *s, const char *tail, size_t n, bool *sound, mpg_err *err) {
  repair *r = &s->repair;
  char whole[4];
  size_t more = 0, of_it;
  int length;
  mpg_rc rc;
  memcpy(whole, tail, n);
  rc = read_after_ahead(s, whole + n, sizeof whole - n, &more, err);
  length = mpg_utf8_character(whole, n + more);
  *sound = length > 0;
  of_it = (length == 0 ? n + more : (size_t)(*sound ? length : -length)) - n;
  r->known = *sound ? of_it : 0;
  if (!*sound) {
    n += of_it;
    more -= of_it;
  }
  memmove(r->ahead + more, r->ahead, r->ahead_n);
  memcpy(r->ahead, whole + n, more);
  r->ahead_n += more;
  return rc == MPG_OK || s->failed.rc == rc ? MPG_OK : rc; /* the file's failure comes again */
}

/* Puts the n bytes at p to r->text, with U+FFFD for what is no character. */
static mpg_rc repair_text(mpg_stream *s, const char *p, size_t n, mpg_err *err) {
  repair *r = &s->repair;
  const char *end = p + n;
  r->at = r->n = 0;
  if (mpg_grow(s->env, &r->text, &r->cap, 3 * n, 1) != MPG_OK)
    return mpg_fail_nomem(err);
  while (p < end) {
    size_t valid = mpg_utf8_valid(p, (size_t)(end - p));
    int length;
    bool sound = false;
    mpg_rc rc = MPG_OK;
    memcpy(r->text + r->n, p, valid);
    r->n += valid;
    p += valid;
    if (p == end)
      break;
    length = mpg_utf8_character(p, (size_t)(end - p));
    if (length == 0) {
      length = -(int)(end - p);
      rc = check_end(s, p, (size_t)(end - p), &sound, err);
    }
    if (rc != MPG_OK)
      return rc;
    r->count += !sound;
    memcpy(r->text + r->n, sound ? p : MPG_UTF8_REPLACEMENT, sound ? (size_t)-length : 3);
    r->n += sound ? (size_t)-length : 3;
    p -= length;
  }
  return MPG_OK;
}

/* Takes over what is sound of the n bytes read to `to`; the rest goes to r->text. */
static mpg_rc check_text(mpg_stream *s, const char *to, size_t n, size_t *sound, mpg_err *err) {
  repair *r = &s->repair;
  size_t known = r->known < n ? r->known : n;
  bool ends = false;
  mpg_rc rc = MPG_OK;
  *sound = known + mpg_utf8_valid(to + known, n - known);
  r->known -= known;
  if (*sound < n && mpg_utf8_character(to + *sound, n - *sound) == 0)
    rc = check_end(s, to + *sound, n - *sound, &ends, err);
  if (ends)
    *sound = n;
  return rc == MPG_OK && *sound < n ? repair_text(s, to + *sound, n - *sound, err) : rc;
}

mpg_rc mpg_stream_read(mpg_stream *s, void *buf, size_t cap, size_t *got, mpg_err *err) {
  repair *r = &s->repair;
  char *to = buf;
  if (!r->on)
    return read_inner(s, to, cap, got, err);
  *got = 0;
  while (*got < cap) {
    const size_t room = cap - *got, left = r->n - r->at;
    size_t n = 0, sound = 0;
    mpg_rc rc = MPG_OK, checked;
    if (left > 0) {
      n = left < room ? left : room;
      memcpy(to + *got, r->text + r->at, n);
      r->at += n;
      *got += n;
      continue;
    }
    rc = read_after_ahead(s, to + *got, room, &n, err);
    if (rc != MPG_OK && rc != s->failed.rc)
      return rc;
    checked = check_text(s, to + *got, n, &sound, err);
    *got += sound;
    if (checked != MPG_OK)
      return checked;
    if (sound < n)
      continue; /* a failure of the file comes again */
    if (rc != MPG_OK || n < room)
      return rc;
  }
  return MPG_OK;
}

/* NUL bytes at the end of a plain file are none of its text. What was peeked at may hold some. */
static void leave_nul_tail_out(mpg_stream *s) {
  off_t size, end = s->fd < 0 || s->inflate != NULL ? -1 : mpg_nul_tail(s->fd, &size);
  if (end < (off_t)sizeof s->head)
    return;
  s->end_of_text = end;
  s->nul += size - end;
  if (s->at > end) {
    s->lead_n -= (size_t)(s->at - end);
    s->at = end;
  }
}

void mpg_stream_repair_text(mpg_stream *s) {
  s->repair.on = true;
  leave_nul_tail_out(s);
}

mpg_rc mpg_stream_repaired(const mpg_stream *s, mpg_issues *issues, mpg_err *err) {
  const int64_t count = s->repair.count, others = s->wrapped.u.others;
  mpg_rc rc = MPG_OK;
  if (count > 0 && issues != NULL)
    rc = mpg_issues_add(issues, MPG_WARNING, s->path, "invalid_utf8", 0, count,
                        "bytes that are no UTF-8 are read as U+FFFD");
  if (rc == MPG_OK && others > 0 && issues != NULL)
    rc = mpg_issues_add(issues, MPG_INFO, s->path, "other_lines", 0, others,
                        "lines without JSON were passed over");
  if (rc == MPG_OK && s->nul > 0 && issues != NULL)
    rc = mpg_issues_add(issues, MPG_WARNING, s->path, "nul_bytes", 0, (int64_t)s->nul,
                        "NUL bytes, as a crash of a node leaves them, are left out: what was "
                        "written before it may be missing");
  return rc == MPG_OK ? MPG_OK : mpg_fail_nomem(err);
}

void mpg_stream_count_nul(mpg_stream *s, size_t n) {
  s->nul += (off_t)n;
}

bool mpg_stream_failed(const mpg_stream *s) {
  return s->failed.rc != MPG_OK;
}

bool mpg_stream_is_packed(const mpg_stream *s) {
  return s->inflate != NULL;
}

const char *mpg_stream_path(const mpg_stream *s) {
  return s->path;
}
