/* sort.c - see sort.h. */
#define _GNU_SOURCE /* qsort_r */
#include "sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Elsewhere than in glibc qsort_r is another function or none: there merging does it all. */
#ifdef __GLIBC__
#define RUN ((size_t)16384) /* a few milliseconds */
#define SORT_RUN qsort_r
#else
#define RUN ((size_t)1)
#define SORT_RUN(items, n, size, order, ctx) ((void)0)
#endif

#define SELECT_TURN 4 /* what a turn of a selection takes, as mpg_poller counts */

typedef struct sorting {
  const mpg_env *env;
  char *room; /* for the left of two runs */
  size_t size;
  mpg_order *order;
  void *ctx;
  size_t moves;
} sorting;

/* Merges two runs in a row, of which the left has `left` items. Once the host says to stop it
** continues without comparing, so that nothing is lost. */
static bool merge_runs(sorting *s, char *at, size_t left, size_t right) {
  const size_t size = s->size;
  char *l = s->room, *r = at + left * size, *l_end = l + left * size, *r_end = r + right * size;
  bool stopped = false;
  if (s->order(r - size, r, s->ctx) <= 0)
    return mpg_poll(s->env, s->moves++);
  if (!mpg_copy(s->env, l, at, left * size))
    return true;
  while (l < l_end && r < r_end) {
    if (!stopped && s->order(l, r, s->ctx) > 0) {
      memcpy(at, r, size);
      r += size;
    } else {
      memcpy(at, l, size);
      l += size;
    }
    at += size;
    stopped = stopped || mpg_poll(s->env, s->moves++);
  }
  memcpy(at, l, (size_t)(l_end - l)); /* what is left on the right is in its place */
  return stopped;
}

mpg_rc mpg_sort(const mpg_env *env, void *items, size_t n, size_t size, mpg_order *order,
                void *ctx) {
  char *p = items;
  sorting s = {.env = env, .size = size, .order = order, .ctx = ctx};
  size_t widest = RUN; /* of the left runs that are merged */
  bool stopped = false;
  if (n < 2)
    return MPG_OK;
  if (n <= RUN) {
    SORT_RUN(p, n, size, order, ctx);
    return MPG_OK;
  }
  while (widest * 2 < n)
    widest *= 2;
  s.room = widest > SIZE_MAX / size ? NULL : mpg_malloc(env, widest * size);
  if (s.room == NULL)
    return MPG_NOMEM;
  for (size_t i = 0; !stopped && i < n; i += RUN) {
    SORT_RUN(p + i * size, n - i < RUN ? n - i : RUN, size, order, ctx);
    stopped = mpg_interrupted(env);
  }
  for (size_t width = RUN; !stopped && width < n; width *= 2)
    for (size_t i = 0; !stopped && n - i > width; i += 2 * width) {
      size_t right = n - i - width;
      stopped = merge_runs(&s, p + i * size, width, right < width ? right : width);
      if (n - i <= 2 * width)
        break;
    }
  mpg_free(env, s.room);
  return stopped ? MPG_INTERRUPTED : MPG_OK;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* By halves around a pivot (C. A. R. Hoare, "Find", 1961); if the halves are too unequal, by
** sorting the rest. */
void mpg_select_nth(mpg_poller *poller, double *v, size_t n, size_t k) {
  size_t low = 0, high = n - 1; /* the k-th is in [low, high] */
  for (int rounds = 128; low < high && !mpg_poller_stop(poller, SELECT_TURN); rounds--) {
    double a = v[low], b = v[low + (high - low) / 2], c = v[high];
    double pivot = fmax(fmin(a, b), fmin(fmax(a, b), c));
    size_t i = low, j = high;
    if (rounds == 0) {
      qsort(v + low, high - low + 1, sizeof *v, by_value);
      return;
    }
    for (;;) {
      while (v[i] < pivot)
        i++;
      while (v[j] > pivot)
        j--;
      if (i >= j || mpg_poller_stop(poller, SELECT_TURN))
        break;
      a = v[i];
      v[i++] = v[j];
      v[j--] = a;
    }
    /* Below i none is greater than the pivot, above j none is less. */
    if (k <= j)
      high = j;
    else
      low = j + 1;
  }
}
