/* fuzz.c - see fuzz.h. */
#include "fuzz.h"
#include "../../ext/base/intern.h"
#include "../../ext/read/input/os.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fuzz_failed(const char *file, int line, const char *what) {
  (void)fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
  abort();
}

/* ---- Text ---- */

void fuzz_put(fuzz_text *t, const char *format, ...) {
  va_list args;
  int n;
  va_start(args, format);
  n = vsnprintf(t->p + t->n, sizeof t->p - t->n, format, args);
  va_end(args);
  t->n += (size_t)n < sizeof t->p - t->n ? (size_t)n : sizeof t->p - t->n - 1;
}

void fuzz_put_str(fuzz_text *t, mpg_str s) {
  size_t room = sizeof t->p - t->n - 1, n = s.n < room ? s.n : room;
  if (n > 0)
    memcpy(t->p + t->n, s.p, n);
  t->n += n;
  t->p[t->n] = '\0';
  fuzz_put(t, "|");
}

void fuzz_put_value(fuzz_text *t, const mpg_value *v) {
  switch (v->type) {
  case MPG_NULL:
    fuzz_put(t, "-|");
    break;
  case MPG_INT:
    fuzz_put(t, "%lld|", (long long)v->i);
    break;
  case MPG_REAL:
    fuzz_put(t, "%.17g|", v->r);
    break;
  case MPG_MICROSECONDS:
    fuzz_put(t, "%lldus|", (long long)v->i);
    break;
  case MPG_TEXT:
    fuzz_put_str(t, v->s);
    break;
  }
}

/* Bytes that are no UTF-8 are counted as they are read, which of a file that is left early depends
** on how far ahead that was: their number is left out. */
void fuzz_put_issues(fuzz_text *t, const mpg_issues *issues) {
  for (size_t i = 0; i < issues->n; i++) {
    const bool read_ahead = strcmp(issues->items[i].kind, "invalid_utf8") == 0;
    fuzz_put(t, "%s %s:%lld x%lld %s\n", issues->items[i].kind, issues->items[i].source,
             (long long)issues->items[i].line, read_ahead ? 0LL : (long long)issues->items[i].count,
             issues->items[i].detail);
  }
}

/* ---- The host ---- */

/* Memory is aligned to 8 bytes and never to 16, as a host's may be. Of the allocations one may
** fail, and from one of the looks on the host may ask to stop (0: none). Readers may have several
** threads, and all may allocate; but SQLite may be asked by its own alone. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
typedef struct host {
  uint64_t live, allocations, fails, looks, stops;
  bool failed;
  pthread_t thread;
} host;

static void *resize(host *h, void *p, size_t n) {
  char *block = p == NULL ? NULL : (char *)p - 8;
  if (n == 0) {
    h->live -= p != NULL;
    free(block);
    return NULL;
  }
  if (++h->allocations == h->fails) {
    h->failed = true;
    return NULL;
  }
  block = realloc(block, n + 8);
  if (block == NULL)
    return NULL;
  h->live += p == NULL;
  return block + 8;
}

static void *host_resize(void *ctx, void *p, size_t n) {
  (void)pthread_mutex_lock(&lock);
  p = resize(ctx, p, n);
  (void)pthread_mutex_unlock(&lock);
  return p;
}

static bool host_interrupted(void *ctx) {
  host *h = ctx;
  CHECK(pthread_equal(pthread_self(), h->thread));
  h->looks++;
  return h->stops > 0 && h->looks >= h->stops;
}

/* ---- Readers ---- */

#define LARGE 8192 /* bytes of a buffer: mostly all of the input, and soon allocated */

/* Only where the readers are built for tests do their buffers have another size. */
static void set_block(size_t n) {
#ifdef MPG_TEST
  mpg_io_block = n;
#else
  (void)n;
#endif
}

int fuzz_threads(mpg_str input) {
#ifdef MPG_TEST
  return mpg_io_block == 0 || input.n / mpg_io_block < 100 ? 3 : 1;
#else
  (void)input;
  return 3;
#endif
}

static mpg_rc run(fuzz_render render, mpg_str input, fuzz_text *out, size_t block, host *h) {
  mpg_env env = {.resize = host_resize,
                 .resize_ctx = h,
                 .interrupted = host_interrupted,
                 .interrupted_ctx = h};
  mpg_rc rc;
  h->thread = pthread_self();
  out->n = 0;
  out->p[0] = '\0';
  set_block(block);
  rc = render(&env, input, out);
  set_block(0);
  CHECK(h->live == 0);
  return rc;
}

bool fuzz_packed(mpg_str input) {
  static const char *const heads[] = {"\x1f\x8b", "\x28\xb5\x2f\xfd", "*M\x18"};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    size_t skip = i == 2; /* of a skippable frame the first byte may vary */
    if (input.n >= skip + strlen(heads[i]) &&
        memcmp(input.p + skip, heads[i], strlen(heads[i])) == 0)
      return true;
  }
  return false;
}

/* How much comes out of a damaged stream before its error does depend on how much is asked for.
** What is read may stand behind a line of options. */
static bool compressed(mpg_str input) {
  const char *line = input.n == 0 ? NULL : memchr(input.p, '\n', input.n);
  return fuzz_packed(input) ||
         (line != NULL && fuzz_packed((mpg_str){line + 1, (size_t)(input.p + input.n - line) - 1}));
}

static void check_same(const fuzz_text *plain, mpg_rc rc, const fuzz_text *other, mpg_rc again,
                       uint64_t n, const char *how) {
  if (again == rc && other->n == plain->n && memcmp(other->p, plain->p, plain->n) == 0)
    return;
  (void)fprintf(stderr, "as released (%d):\n%s\n", (int)rc, plain->p);
  (void)fprintf(stderr, "with %llu, %s (%d):\n%s\n", (unsigned long long)n, how, (int)again,
                other->p);
  fuzz_failed(__FILE__, __LINE__, "the same is said");
}

void fuzz_reader(fuzz_render render, mpg_str input) {
  static fuzz_text plain, other;
  uint64_t hash = mpg_hash(0, input.p, input.n), small = 1 + hash % 67;
  host large_buffers = {0}, small_buffers = {0}, fails = {0}, stops = {0};
  mpg_rc rc = run(render, input, &plain, LARGE, &large_buffers), again;
  CHECK(rc == MPG_DONE || rc == MPG_LIMIT || rc == MPG_DATA || rc == MPG_IO || rc == MPG_MISUSE);
  again = run(render, input, &other, small, &small_buffers);
  if (!compressed(input))
    check_same(&plain, rc, &other, again, small, "bytes of a buffer");

  if (large_buffers.allocations > 0) {
    fails.fails = 1 + (hash >> 16) % large_buffers.allocations;
    again = run(render, input, &other, LARGE, &fails);
    /* What can do without memory says the same, but reads ahead by less. */
    if (!fails.failed || (again != MPG_NOMEM && !compressed(input)))
      check_same(&plain, rc, &other, again, fails.fails, "the allocation that failed");
  }
  if (small_buffers.looks > 0) {
    stops.stops = 1 + (hash >> 32) % small_buffers.looks;
    again = run(render, input, &other, small, &stops);
    if ((stops.looks < stops.stops || again != MPG_INTERRUPTED) && !compressed(input))
      check_same(&plain, rc, &other, again, stops.stops, "the look that said to stop");
  }
}

static char folder[256], path[512];

static void remove_folder(void) {
  (void)unlink(path);
  (void)rmdir(folder);
}

const char *fuzz_path(void) {
  return path;
}

void fuzz_file(fuzz_render render, const char *name, mpg_str input) {
  FILE *file;
  if (folder[0] == '\0') {
    const char *top = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/mpg-fuzz-XXXXXX", top == NULL ? "/tmp" : top);
    CHECK(mkdtemp(folder) != NULL);
    (void)atexit(remove_folder);
  }
  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  file = fopen(path, "wb");
  CHECK(file != NULL && fwrite(input.p, 1, input.n, file) == input.n && fclose(file) == 0);
  fuzz_reader(render, input);
  (void)unlink(path);
}
