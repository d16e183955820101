/*
** gang.h - a job's attempts, and when each one's gang was complete (docs/rules.md, sections 1 and
** 3).
*/
#ifndef MPG_GANG_H
#define MPG_GANG_H

#include "../trace/fleet.h"
#include "../trace/pool_ends.h"

/* A time in which an attempt's holding does not change. */
typedef struct mpg_stretch {
  int64_t start, end;
  bool complete;
  size_t rates; /* in mpg_gang.rates: held by each pool, what of it counts, and the allocation that
                ** changed it last */
} mpg_stretch;

typedef struct mpg_attempt {
  int64_t number;
  int64_t start, end; /* of its allocations, cut where their pool ends */
  bool running;       /* there */
  mpg_outcome outcome;
  size_t stretch, nstretches; /* a run of mpg_gang.stretches, in time order */
} mpg_attempt;

/* When an attempt covers the start of a span that names none: the latest-started allocation there.
 */
typedef struct mpg_cover {
  int64_t start, end;
  size_t attempt;
} mpg_cover;

/* Chips requested and not held. */
typedef struct mpg_shortfall {
  int64_t start, end, chips;
  uint32_t pool; /* index + 1; 0: no pool known */
} mpg_shortfall;

/* One job's; the arrays are scratch that the next job reuses. */
typedef struct mpg_gang {
  const mpg_env *env;
  uint32_t *pools; /* indexes, by name */
  size_t npools;
  int64_t end;           /* of the job's ledger: the latest of its pools */
  mpg_attempt *attempts; /* in order */
  size_t nattempts;
  mpg_stretch *stretches;
  size_t nstretches;
  int64_t *rates; /* 3 * npools for each stretch: millionths twice, then indexes of allocations */
  size_t nrates;
  mpg_cover *covers; /* disjoint, in time order */
  size_t ncovers;
  mpg_shortfall *shortfalls;
  size_t nshortfalls;
  int64_t most_held; /* over all attempts at once */
  bool overlapping;  /* attempts held chips at the same time */
  int64_t repeated;  /* allocations that are the same as another in all but outcome */
  struct mpg_gang_work *work;
  size_t done; /* since the host was polled */
  size_t pools_cap, attempts_cap, stretches_cap, rates_cap, covers_cap, shortfalls_cap;
} mpg_gang;

mpg_rc mpg_gang_init(mpg_gang *gang, const mpg_env *env, mpg_err *err);
void mpg_gang_free(mpg_gang *gang);
mpg_rc mpg_gang_build(mpg_gang *gang, const mpg_fleet *fleet, const mpg_job *job,
                      const mpg_pool_ends *ends, mpg_err *err);

/* The index of the attempt with a number; SIZE_MAX if the job has none. */
size_t mpg_gang_numbered(const mpg_gang *gang, int64_t number);

static inline const int64_t *mpg_stretch_held(const mpg_gang *g, const mpg_stretch *s) {
  return g->rates + s->rates;
}
static inline const int64_t *mpg_stretch_counted(const mpg_gang *g, const mpg_stretch *s) {
  return g->rates + s->rates + g->npools;
}

/* The evidence for what a pool's chips did if no span says: an index into the fleet's allocations.
*/
static inline size_t mpg_stretch_allocation(const mpg_gang *g, const mpg_stretch *s, size_t pool) {
  return (size_t)g->rates[s->rates + 2 * g->npools + pool];
}

#endif
