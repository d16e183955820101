/*
** hostile.h - for the tests of readers: an environment whose allocations fail on demand and are
** counted, and the buffer sizes that every test is run under (one, as released, without MPG_TEST).
*/
#ifndef MPG_HOSTILE_H
#define MPG_HOSTILE_H

#include "../../ext/read/input/os.h"
#include "../../ext/read/input/stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct hostile {
  long live;      /* allocations that are not freed yet */
  long fail_in;   /* the allocation that fails, counted from 1; 0: none */
  bool and_after; /* all later ones fail as well */
  bool failed;
  long stop_in; /* the interruption check that says yes; 0: none */
} hostile;

/* Memory is aligned to 8 bytes and never to 16, as a host's may be. */
static inline void *hostile_resize(void *ctx, void *p, size_t n) {
  hostile *h = ctx;
  char *block = p == NULL ? NULL : (char *)p - 8;
  if (n == 0) {
    h->live -= p != NULL;
    free(block);
    return NULL;
  }
  if (h->fail_in == 1 || (h->and_after && h->failed)) {
    h->fail_in = 0;
    h->failed = true;
    return NULL;
  }
  h->fail_in -= h->fail_in > 0;
  h->live += p == NULL;
  block = realloc(block, n + 8);
  if (block == NULL)
    abort();
  return block + 8;
}

/* The thread that may be asked whether to stop: SQLite, too, is asked by its own alone. */
static pthread_t hostile_thread;

static inline bool hostile_stop(void *ctx) {
  hostile *h = ctx;
  if (!pthread_equal(pthread_self(), hostile_thread))
    abort();
  h->stop_in -= h->stop_in > 0;
  return h->stop_in == 1;
}

static inline mpg_env hostile_env(hostile *h) {
  hostile_thread = pthread_self();
  return (mpg_env){
      .resize = hostile_resize, .resize_ctx = h, .interrupted = hostile_stop, .interrupted_ctx = h};
}

#ifdef MPG_TEST
static const size_t hostile_blocks[] = {7, 1, 3, 64, 65, 0};
static inline void hostile_block(size_t n) {
  mpg_io_block = n;
}
#else
static const size_t hostile_blocks[] = {0};
static inline void hostile_block(size_t n) {
  (void)n;
}
#endif
#define HOSTILE_BLOCKS (sizeof hostile_blocks / sizeof *hostile_blocks)

#endif
