/*
** interval.c - see interval.h. Edges are sorted by a merge sort whose runs are those already in the
** input, since traces are mostly in order; the order of edges at one place does not matter, for
** they are applied together.
*/
#include "interval.h"

#include <string.h>

void mpg_intervals_init(mpg_intervals *set, const mpg_env *env) {
  *set = (mpg_intervals){env, NULL, 0, 0, true};
}

void mpg_intervals_free(mpg_intervals *set) {
  mpg_free(set->env, set->edges);
  mpg_intervals_init(set, set->env);
}

mpg_rc mpg_intervals_add(mpg_intervals *set, int64_t start, int64_t end, bool is_b) {
  int8_t a = !is_b, b = is_b;
  if (end <= start)
    return MPG_OK;
  if (mpg_grow(set->env, &set->edges, &set->cap, set->n + 2, sizeof *set->edges) != MPG_OK)
    return MPG_NOMEM;
  if (set->n > 0 && set->edges[set->n - 1].at > start)
    set->sorted = false;
  set->edges[set->n++] = (mpg_edge){start, a, b};
  set->edges[set->n++] = (mpg_edge){end, (int8_t)-a, (int8_t)-b};
  return MPG_OK;
}

/* The end of the sorted run that begins at i; false if the host says to stop. */
static bool run_end(const mpg_env *env, size_t *done, const mpg_edge *edges, size_t i, size_t n,
                    size_t *end) {
  for (i++; i < n && edges[i - 1].at <= edges[i].at; i++)
    if (mpg_poll_work(env, done, 1))
      return false;
  *end = i;
  return true;
}

static bool merge_runs(const mpg_env *env, size_t *done, const mpg_edge *a, size_t na,
                       const mpg_edge *b, size_t nb, mpg_edge *to) {
  while (na > 0 && nb > 0) {
    if (mpg_poll_work(env, done, 1))
      return false;
    if (b->at < a->at) {
      *to++ = *b++;
      nb--;
    } else {
      *to++ = *a++;
      na--;
    }
  }
  return na > 0 ? mpg_copy(env, to, a, na * sizeof *a) : mpg_copy(env, to, b, nb * sizeof *b);
}

/* Merges neighbouring runs from one buffer into the other until there is one: at most log2 n
** passes. */
static mpg_rc sort_edges(mpg_intervals *set) {
  mpg_edge *from = set->edges, *to, *spare;
  size_t n = set->n, runs = 0, done = 0;
  mpg_rc rc = MPG_OK;
  if (set->sorted)
    return MPG_OK;
  spare = mpg_malloc(set->env, n * sizeof *spare); /* mpg_grow checked the product */
  if (spare == NULL)
    return MPG_NOMEM;
  to = spare;
  while (rc == MPG_OK && runs != 1) {
    runs = 0;
    for (size_t i = 0, middle, end; rc == MPG_OK && i < n; i = end, runs++) {
      end = n;
      if (!run_end(set->env, &done, from, i, n, &middle) ||
          (middle < n && !run_end(set->env, &done, from, middle, n, &end)) ||
          !merge_runs(set->env, &done, from + i, middle - i, from + middle, end - middle, to + i) ||
          mpg_poll_work(set->env, &done, 1))
        rc = MPG_INTERRUPTED;
    }
    if (rc != MPG_OK) /* what was merged so far is in `to` alone: `from` has all */
      break;
    spare = from;
    from = to;
    to = spare;
    if (mpg_interrupted(set->env))
      rc = MPG_INTERRUPTED;
  }
  /* Both buffers are blocks of the same allocator: the set keeps the one with the result. */
  if (from != set->edges)
    set->cap = n;
  set->edges = from;
  mpg_free(set->env, to);
  set->sorted = rc == MPG_OK;
  return rc;
}

mpg_rc mpg_intervals_each(mpg_intervals *set, mpg_piece_fn piece, void *ctx) {
  int64_t a = 0, b = 0;
  size_t pieces = 0;
  mpg_rc rc = sort_edges(set);
  for (size_t i = 0; rc == MPG_OK && i < set->n;) {
    int64_t at = set->edges[i].at;
    for (; i < set->n && set->edges[i].at == at; i++) {
      a += set->edges[i].a;
      b += set->edges[i].b;
    }
    if (mpg_poll(set->env, pieces++))
      return MPG_INTERRUPTED;
    if (a + b > 0) /* then there is an end to come */
      rc = piece(ctx, at, set->edges[i].at, a, b);
  }
  return rc;
}

typedef struct totals {
  mpg_sweep *out;
  int64_t k;
} totals;

static mpg_rc add_piece(void *ctx, int64_t from, int64_t to, int64_t a, int64_t b) {
  const totals *t = ctx;
  mpg_i128 length = (mpg_i128)to - from;
  t->out->covered += length;
  if (a > 0 && b > 0)
    t->out->both += length;
  if (a + b >= t->k)
    t->out->at_least += length;
  if (a + b > t->out->peak)
    t->out->peak = a + b;
  return MPG_OK;
}

mpg_rc mpg_intervals_sweep(mpg_intervals *set, int64_t k, mpg_sweep *out) {
  totals t = {out, k < 1 ? 1 : k};
  *out = (mpg_sweep){0, 0, 0, 0};
  return mpg_intervals_each(set, add_piece, &t);
}
