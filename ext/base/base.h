/*
** base.h - what every room shares: status codes, errors, memory,
** interruption, borrowed text and values. Nothing here knows of SQLite; a host passes its allocator
** and its interruption check in an mpg_env.
**
** Conventions of the whole core:
**   - a function that can fail returns mpg_rc and fills an mpg_err (never NULL) on failure;
**   - what a function hands out through a pointer is owned by the caller and freed with the
**     matching *_free or *_close, unless the header says "borrowed";
**   - times are int64 microseconds since the Unix epoch, UTC; chips are int64 millionths of a chip;
**     chip-time is int64 (or 128-bit) chip-microseconds.
*/
#ifndef MPG_BASE_H
#define MPG_BASE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <string.h>

/* Byte order, memrchr and times of files, where a system calls them something else. Linux is tried,
** with glibc and musl. macOS is not: what is here for it is by its documentation. */
#ifdef __APPLE__
#include <libkern/OSByteOrder.h>
#include <xlocale.h> /* newlocale, strtod_l */
#define htole64(x) OSSwapHostToLittleInt64(x)
#define le64toh(x) OSSwapLittleToHostInt64(x)
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec

/* The last byte c of n bytes; NULL: none. */
static inline void *memrchr(const void *bytes, int c, size_t n) {
  const unsigned char *p = bytes;
  while (n > 0)
    if (p[--n] == (unsigned char)c)
      return (void *)(p + n);
  return NULL;
}
#else
#include <endian.h>
#endif

#if defined(__GNUC__)
#define MPG_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define MPG_PRINTF(f, a)
#endif

/* Aligned as 64-bit integers are: what SQLite allocates promises no more. */
__extension__ typedef __int128 mpg_i128 __attribute__((aligned(8)));
__extension__ typedef unsigned __int128 mpg_u128 __attribute__((aligned(8)));

typedef enum mpg_rc {
  MPG_OK = 0,
  MPG_DONE,        /* the end of the input: not an error */
  MPG_NOMEM,       /* the allocator said no */
  MPG_IO,          /* the operating system said no: open, read, stat */
  MPG_DATA,        /* malformed input: the text says file:line:column, expected, found */
  MPG_LIMIT,       /* a documented limit was met */
  MPG_INTERRUPTED, /* the host said to stop */
  MPG_MISUSE       /* a bad argument */
} mpg_rc;

/* Text of an error, always terminated; of longer text the middle is left out (mpg_format). */
#define MPG_ERR_TEXT 1024
typedef struct mpg_err {
  mpg_rc rc;
  char text[MPG_ERR_TEXT];
} mpg_err;

/* Records `rc` and the formatted text in `err`, and returns `rc`. */
mpg_rc mpg_fail(mpg_err *err, mpg_rc rc, const char *format, ...) MPG_PRINTF(3, 4);
mpg_rc mpg_fail_nomem(mpg_err *err);
/* Formats into `cap` bytes, terminated. If the text is too long, "..." replaces its middle, for a
** message begins with the path and ends with what is wrong. */
void mpg_format(char *to, size_t cap, const char *format, va_list args) MPG_PRINTF(3, 0);
/* snprintf in the C locale: the host's may have a comma for a decimal point. mpg_format is so
** too. */
int mpg_print(char *to, size_t cap, const char *format, ...) MPG_PRINTF(3, 4);
/* MPG_INTERRUPTED; else MPG_NOMEM, for nothing else can go wrong here. */
mpg_rc mpg_fail_plain(mpg_err *err, mpg_rc rc);
#ifdef __clang_analyzer__ /* which sees one file at a time: what these return */
#define mpg_fail(err, rc, ...) ((void)mpg_fail(err, rc, __VA_ARGS__), (rc))
#define mpg_fail_nomem(err) ((void)mpg_fail_nomem(err), MPG_NOMEM)
#endif

/*
** Memory: resize(ctx, NULL, n) allocates, resize(ctx, p, n) grows or shrinks, resize(ctx, p, 0)
** frees and returns NULL. NULL for n > 0 is "out of memory", p then stays valid. Memory is aligned
** to 8 bytes and no more (SQLite promises no more): no type in it may need 16.
*/
struct mpg_locked_files;
struct mpg_stream_pool;
struct mpg_progress;
struct mpg_looked;
typedef struct mpg_env {
  void *(*resize)(void *ctx, void *p, size_t n);
  void *resize_ctx;
  bool (*interrupted)(void *ctx); /* NULL: never */
  void *interrupted_ctx;
  const struct mpg_limits *limits; /* NULL: as compiled, see limits.h */
  /* The seed of hashes, drawn by the host, so that nobody can make names that all collide. No
  ** result depends on it. */
  uint64_t seed;
  const struct mpg_locked_files *held; /* NULL: none */
  struct mpg_stream_pool *opened;      /* see read/input/stream.h; NULL: none */
  struct mpg_progress *progress;       /* NULL: nobody asks */
  struct mpg_looked *looked;           /* see read/input/paths.h; NULL: nobody asks */
  bool maps;                           /* a mapping reads, of files that were recognised */
} mpg_env;

/* Files that the host has locked, by the system's numbers of them. They are not to be opened:
** closing a file gives up all locks that the process has on it (POSIX), whoever holds them. */
typedef struct mpg_locked_files {
  size_t n;
  struct {
    uint64_t device, inode;
  } file[];
} mpg_locked_files;

/* An mpg_env over realloc and free, for programs without a host. */
extern const mpg_env mpg_env_libc;

bool mpg_same_allocator(const mpg_env *a, const mpg_env *b);
void *mpg_malloc(const mpg_env *env, size_t n);
void *mpg_calloc(const mpg_env *env, size_t n);
/* The same for large sizes: the host is polled on the way. If NULL is returned, *rc says why:
** MPG_NOMEM or MPG_INTERRUPTED. */
void *mpg_zeroed(const mpg_env *env, size_t n, mpg_rc *rc);
void mpg_free(const mpg_env *env, void *p);
bool mpg_interrupted(const mpg_env *env);
#ifdef MPG_TEST
/* The interruption check of worker threads (pipeline.h); NULL in the host's thread. A worker that
** would poll the host itself, even if only in a later turn, ends the program: few tests are long
** enough to reach that turn. */
extern _Thread_local bool (*mpg_test_poller)(void *ctx);
void mpg_may_ask(const mpg_env *env);
#else
static inline void mpg_may_ask(const mpg_env *env) {
  (void)env;
}
#endif
/* The same, polled once in so many turns: for loops whose turn takes nanoseconds, or microseconds
** if each touches fresh memory. */
#ifndef MPG_POLL_TURNS /* tests/full/full_stops.sh has both far smaller */
#define MPG_POLL_TURNS ((size_t)8192)
#endif
static inline bool mpg_poll(const mpg_env *env, size_t turn) {
  mpg_may_ask(env);
  return turn % MPG_POLL_TURNS == MPG_POLL_TURNS - 1 && mpg_interrupted(env);
}
/* The same for turns that differ: `n` is what this one took, in loops of nanoseconds. */
#ifndef MPG_POLL_WORK
#define MPG_POLL_WORK ((size_t)32768)
#endif
static inline bool mpg_poll_work(const mpg_env *env, size_t *done, size_t n) {
  mpg_may_ask(env);
  *done += n;
  if (*done < MPG_POLL_WORK)
    return false;
  *done = 0;
  return mpg_interrupted(env);
}

/* The same after work on one record of `n` bytes. */
static inline bool mpg_poll_bytes(const mpg_env *env, size_t n) {
  mpg_may_ask(env);
  return n > (size_t)1 << 20 && mpg_interrupted(env);
}

/* The same within a parser of one text that only says whether the text is sound: once the host says
** to stop, `stopped` stays set, and the text counts as malformed. NULL: the parser does not poll.
*/
typedef struct mpg_poller {
  const mpg_env *env;
  size_t work;
  bool stopped;
} mpg_poller;
static inline bool mpg_poller_stop(mpg_poller *poller, size_t n) {
  if (poller != NULL && !poller->stopped)
    poller->stopped = mpg_poll_work(poller->env, &poller->work, n);
  return poller != NULL && poller->stopped;
}

/* The poller to use for n bytes: NULL below 4 KiB, where polling would cost more than the work. */
static inline mpg_poller *mpg_poller_within(mpg_poller *poller, size_t n) {
  return n < 4096 ? NULL : poller;
}

/* Copies, or fills with zeros, large sizes in pieces. False if the host said to stop: the work is
** then incomplete. */
bool mpg_copy(const mpg_env *env, void *to, const void *from, size_t n);
bool mpg_clear(const mpg_env *env, void *p, size_t n);

/*
** Makes room for at least `want` elements of `size` bytes in *array (capacity *cap, in elements),
** by doubling. MPG_NOMEM also if the product would overflow; *array and *cap are then unchanged.
*/
mpg_rc mpg_grow_array(const mpg_env *env, void *array, size_t *cap, size_t want, size_t size);
static inline mpg_rc mpg_grow(const mpg_env *env, void *array, size_t *cap, size_t want,
                              size_t size) {
  return want <= *cap ? MPG_OK : mpg_grow_array(env, array, cap, want, size);
}

/*
** Borrowed bytes: not terminated, may hold NULs and invalid UTF-8. p may be NULL only if n is 0.
*/
typedef struct mpg_str {
  const char *p;
  size_t n;
} mpg_str;

#define MPG_STR(literal) ((mpg_str){(literal), sizeof(literal) - 1})
/* The text of a terminated C string, borrowed. */
mpg_str mpg_str_of(const char *z);
bool mpg_str_eq(mpg_str a, mpg_str b);
bool mpg_str_eq_nocase(mpg_str a, mpg_str b); /* ASCII letters only */
bool mpg_str_starts_with(mpg_str s, mpg_str start);
bool mpg_str_contains(mpg_str s, mpg_str part);
int mpg_str_cmp(mpg_str a, mpg_str b); /* memcmp order, shorter first: SQLite's BINARY */

/* A field of a record as its source gave it. Text is borrowed from the source. */
typedef enum mpg_type {
  MPG_NULL,
  MPG_INT,
  MPG_REAL,
  MPG_TEXT,
  MPG_MICROSECONDS /* of a time alone, in i */
} mpg_type;
typedef struct mpg_value {
  mpg_type type;
  int64_t i; /* MPG_INT */
  double r;  /* MPG_REAL */
  mpg_str s; /* MPG_TEXT */
} mpg_value;

/*
** How far a scan has come: counts that any thread adds to, and the host's own reads. They are
** added to once a MiB or once in some jobs, so they cost nothing that can be measured.
*/
typedef struct mpg_progress { /* all atomic */
  int64_t bytes, bytes_all;   /* of files, as they lie on disk: read, and of all known */
  int64_t jobs, jobs_all;     /* accounted, and of all; 0: no accounting has begun */
  bool whole;                 /* the accounting is done */
} mpg_progress;

static inline void mpg_progress_read(const mpg_env *env, size_t n) {
  if (env->progress != NULL)
    (void)__atomic_fetch_add(&env->progress->bytes, (int64_t)n, __ATOMIC_RELAXED);
}

/* Files of `n` bytes are to be read from here on. They may be among those that are known already:
** a fleet lists all its files, and each is opened later. */
static inline void mpg_progress_expect(const mpg_env *env, int64_t n) {
  if (env->progress != NULL) {
    mpg_progress *p = env->progress;
    int64_t all = __atomic_load_n(&p->bytes_all, __ATOMIC_RELAXED);
    int64_t want = __atomic_load_n(&p->bytes, __ATOMIC_RELAXED) + n;
    while (all < want && !__atomic_compare_exchange_n(&p->bytes_all, &all, want, true,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
  }
}

static inline void mpg_progress_account(const mpg_env *env, size_t jobs) {
  if (env->progress != NULL)
    (void)__atomic_fetch_add(&env->progress->jobs, (int64_t)jobs, __ATOMIC_RELAXED);
}

/* So many jobs are to be accounted from here on. */
static inline void mpg_progress_begin_jobs(const mpg_env *env, size_t all) {
  if (env->progress != NULL) {
    __atomic_store_n(&env->progress->jobs, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&env->progress->jobs_all, (int64_t)all, __ATOMIC_RELAXED);
    __atomic_store_n(&env->progress->whole, false, __ATOMIC_RELAXED);
  }
}

/* Every job is accounted. For the host's thread: the host is polled, so that it learns the end. */
static inline void mpg_progress_end_jobs(const mpg_env *env) {
  if (env->progress != NULL) {
    mpg_progress *p = env->progress;
    __atomic_store_n(&p->jobs, __atomic_load_n(&p->jobs_all, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    __atomic_store_n(&p->whole, true, __ATOMIC_RELAXED);
    (void)mpg_interrupted(env);
  }
}

#endif
