/* far_lines.c - see far_lines.h. */
#define _GNU_SOURCE /* memmem, memrchr */
#include "far_lines.h"
#include "../../read/input/stream.h"

#include <string.h>

#define MOST ((size_t)64 << 20)  /* bytes of the file that are read */
#define BLOCK ((size_t)64 << 10) /* that are read at once */
#define LINE ((size_t)4 << 10)   /* bytes of a line that are looked at, its last */
#define ROOM ((size_t)16 << 10)  /* for lines of a part; parts are twice as long each time */
#define LAST ((size_t)32 << 10)  /* for the last lines of all */
enum { PARTS = 10 };

typedef struct gatherer {
  char *out; /* the head, then lines */
  size_t head, n, most;
  size_t part_end; /* offset in the file, */
  size_t part_n;   /* and what its lines may fill of `out` */
  char last[LAST]; /* lines that a part had no room for */
  size_t n_last;
} gatherer;

static bool tells_of_steps(const char *p, size_t n) {
  static const char *const words[] = {"step", "Step", "iter", "Iter"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (memmem(p, n, words[i], 4) != NULL)
      return true;
  return false;
}

static void append_line(char *out, size_t *at, const char *p, size_t n) {
  memcpy(out + *at, p, n);
  out[*at + n] = '\n';
  *at += n + 1;
}

static void keep_last(gatherer *g, const char *p, size_t n) {
  if (g->n_last + n + 1 > LAST) { /* the older half goes */
    memmove(g->last, g->last + g->n_last - LAST / 2, LAST / 2);
    g->n_last = LAST / 2;
  }
  append_line(g->last, &g->n_last, p, n);
}

/* A line that ends before the offset `at` of the file. */
static void take_line(gatherer *g, const char *p, size_t n, size_t at) {
  const char *drawn;
  for (; at > g->part_end; g->part_end *= 2)
    g->part_n = g->n + ROOM < g->most ? g->n + ROOM : g->most;
  if (n > 0 && p[n - 1] == '\r')
    n--;
  drawn = memrchr(p, '\r', n);
  if (drawn != NULL) {
    n -= (size_t)(drawn + 1 - p);
    p = drawn + 1;
  }
  if (at <= g->head || !tells_of_steps(p, n))
    return;
  if (n + 1 <= g->part_n - g->n)
    append_line(g->out, &g->n, p, n);
  else
    keep_last(g, p, n);
}

/* The whole lines of block[0..n), which ends at the offset `at`; how much of the last is left, at
** its start. */
static size_t take_lines(gatherer *g, char *block, size_t n, size_t at) {
  char *line = block, *end;
  size_t left;
  while ((end = memchr(line, '\n', n - (size_t)(line - block))) != NULL) {
    const size_t length = (size_t)(end - line), shown = length > LINE ? LINE : length;
    take_line(g, end - shown, shown, at - (n - (size_t)(end - block)));
    line = end + 1;
  }
  left = n - (size_t)(line - block);
  if (left > LINE) {
    line += left - LINE;
    left = LINE;
  }
  memmove(block, line, left);
  return left;
}

static mpg_rc gather_lines(gatherer *g, mpg_stream *stream, char *block, mpg_err *err) {
  size_t at = 0, kept = 0, got = BLOCK;
  mpg_rc rc = MPG_OK;
  while (rc == MPG_OK && got == BLOCK && at < MOST) {
    rc = mpg_stream_read(stream, block + kept, BLOCK, &got, err);
    at += got;
    kept = take_lines(g, block, kept + got, at);
  }
  return rc;
}

mpg_rc mpg_far_lines(const mpg_env *env, const char *path, mpg_str head, char **out, size_t *n,
                     mpg_err *err) {
  mpg_env quiet = *env;
  gatherer g = {.head = head.n, .n = head.n, .part_end = head.n, .part_n = head.n};
  mpg_stream *stream = NULL;
  char *block = mpg_malloc(env, LINE + BLOCK);
  mpg_rc rc = MPG_OK;
  quiet.progress = NULL; /* to look for what a file is is no progress */
  g.most = head.n + PARTS * ROOM;
  *n = head.n;
  *out = g.out = mpg_malloc(env, g.most + LAST);
  if (block == NULL || g.out == NULL) {
    rc = mpg_fail_nomem(err);
  } else {
    memcpy(g.out, head.p, head.n);
    rc = mpg_stream_open(&stream, &quiet, path, err);
    if (rc == MPG_OK)
      rc = gather_lines(&g, stream, block, err);
    memcpy(g.out + g.n, g.last, g.n_last);
    *n = g.n + g.n_last;
  }
  mpg_stream_close(stream);
  mpg_free(env, block);
  if (rc == MPG_NOMEM || rc == MPG_INTERRUPTED)
    return rc;
  return MPG_OK;
}
