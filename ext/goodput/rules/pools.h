/*
** pools.h - the pools' side of the ledger: which chip a pool has when, what its jobs held, and from
** that `down` and `idle` (docs/rules.md, section 2).
*/
#ifndef MPG_POOLS_H
#define MPG_POOLS_H

#include "ledger_row.h"
#include "../trace/fleet.h"
#include "../trace/pool_ends.h"

/* What counts as the capacity of a pool. */
typedef enum mpg_basis {
  MPG_BASIS_INSTALLED,
  MPG_BASIS_IN_SERVICE, /* installed, less what is down */
  MPG_BASIS_SHARD /* nothing: what the jobs of a shard hold is taken from the idle time of all */
} mpg_basis;

/* From `start` until the next one of the pool. */
typedef struct mpg_chip_since {
  int64_t start;
  uint32_t chip; /* text; 0: NULL */
} mpg_chip_since;

/* One holding of one attempt in a pool at a rate that does not change. */
typedef struct mpg_holding {
  uint32_t pool;
  int64_t start, end, chips;
} mpg_holding;

typedef struct mpg_pool {
  size_t since, nsince; /* a run of mpg_pools.since, at least one, the first from INT64_MIN */
  size_t capacity, ncapacity, outage, noutages; /* runs of the sorted copies below */
  bool several;                                 /* its capacity records name several chips */
  bool mixed;                                   /* and do so at once */
} mpg_pool;

typedef struct mpg_pools {
  const mpg_env *env;
  const mpg_fleet *fleet;
  const mpg_pool_ends *ends;
  mpg_pool *pools;
  mpg_chip_since *since;
  mpg_capacity *capacity; /* by pool */
  mpg_outage *outages;    /* by pool */
  mpg_holding *holdings;  /* in the order added, by pool once mpg_pools_sort has run */
  size_t nsince, since_cap, nholdings, holdings_cap;
} mpg_pools;

/* Over a sealed fleet, which outlives it, as do the ends of its pools. */
mpg_rc mpg_pools_init(mpg_pools *pools, const mpg_env *env, const mpg_fleet *fleet,
                      const mpg_pool_ends *ends, mpg_err *err);
void mpg_pools_free(mpg_pools *pools);

/* The chip of a pool at `at`, and until when it stays so. */
uint32_t mpg_pools_chip(const mpg_pools *pools, uint32_t pool, int64_t at, int64_t *until);

mpg_rc mpg_pools_hold(mpg_pools *pools, uint32_t pool, int64_t start, int64_t end, int64_t chips,
                      mpg_err *err);

/*
** For accounting by several threads: a view of the pools for one thread. It shares all but the
** holds, which it collects by itself. mpg_pools_gather adds these to the pools and ends the view.
** The view's env must have the allocator of the pools' env.
*/
mpg_pools mpg_pools_view(const mpg_pools *pools, const mpg_env *env);
mpg_rc mpg_pools_gather(mpg_pools *pools, mpg_pools *view, mpg_err *err);

/* Once every job is accounted: */
mpg_rc mpg_pools_sort(mpg_pools *pools, mpg_err *err);
/* The `down` (if installed chips are the basis) and `idle` rows of a pool. Issues get `source`. */
mpg_rc mpg_pools_account(const mpg_pools *pools, uint32_t pool, mpg_basis basis,
                         const mpg_window *window, const mpg_sink *sink, mpg_issues *issues,
                         const char *source, mpg_err *err);

#endif
