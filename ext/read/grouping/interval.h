/*
** interval.h - sweeps over half-open intervals [start, end) in any order.
**
** Units are the caller's. An interval that is empty (end = start) or reversed (end < start) covers
** nothing: it adds to no length and is never active. Touching intervals do not overlap. Lengths are
** exact: the span of all int64 takes 65 bits, so they are 128-bit.
**
** A sweep takes O(n log n) time, less for intervals in order, and memory through the set's mpg_env.
** A set is swept any number of times, and may grow between sweeps.
*/
#ifndef MPG_INTERVAL_H
#define MPG_INTERVAL_H

#include "../../base/base.h"

/* The start or the end of an interval: from here on the number active is greater by a and b. */
typedef struct mpg_edge {
  int64_t at;
  int8_t a, b; /* of either class: 1 at a start, -1 at an end, 0 for the other class */
} mpg_edge;

typedef struct mpg_intervals {
  const mpg_env *env; /* borrowed */
  mpg_edge *edges;    /* two an interval */
  size_t n, cap;
  bool sorted;
} mpg_intervals;

void mpg_intervals_init(mpg_intervals *set, const mpg_env *env);
void mpg_intervals_free(mpg_intervals *set);
/* Adds [start, end) to class a, or to class b. MPG_NOMEM leaves the set as it was. */
mpg_rc mpg_intervals_add(mpg_intervals *set, int64_t start, int64_t end, bool is_b);

/*
** Calls `piece` for each stretch [from, to) in which at least one interval is active and the
** numbers active, a and b of either class, do not change, in order; stretches with the same numbers
** may touch. Stops at the first that does not return MPG_OK, and returns what it did. MPG_NOMEM,
** MPG_INTERRUPTED.
*/
typedef mpg_rc (*mpg_piece_fn)(void *ctx, int64_t from, int64_t to, int64_t a, int64_t b);
mpg_rc mpg_intervals_each(mpg_intervals *set, mpg_piece_fn piece, void *ctx);

typedef struct mpg_sweep {
  mpg_i128 covered;  /* length with at least one interval, of either class */
  mpg_i128 both;     /* length with at least one of class a and one of class b */
  mpg_i128 at_least; /* length with at least k intervals, of either class */
  int64_t peak;      /* most intervals at once, of either class */
} mpg_sweep;

/* k below 1 counts as 1. */
mpg_rc mpg_intervals_sweep(mpg_intervals *set, int64_t k, mpg_sweep *out);

#endif
