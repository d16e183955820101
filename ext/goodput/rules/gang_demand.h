/*
** gang_demand.h - the chips that a job requested and did not hold (docs/rules.md, section 7). A
** part of gang.c's sweep over a job.
*/
#ifndef MPG_GANG_DEMAND_H
#define MPG_GANG_DEMAND_H

#include "gang.h"

/* The job comes to a pool. */
typedef struct mpg_arrival {
  int64_t start;
  size_t pool; /* in mpg_gang.pools */
} mpg_arrival;

typedef struct mpg_demand {
  bool asks;        /* for chips, at all */
  int64_t from, to; /* when */
  const mpg_pool_ends *ends;
  const mpg_arrival *arrivals;
  size_t narrivals, coming; /* the first that is still to come */
  size_t next;              /* the first attempt that has not begun */
  int64_t end;              /* of the attempts that have begun the last ends then, */
  mpg_outcome outcome;      /* so: of several at once the worst counts */
  int64_t chips, asked;     /* of the job; what it asks for since it gave some back, */
  int64_t released;         /* then */
} mpg_demand;

/* Over the attempts of a gang. Sorts the arrivals, which are borrowed, as are the ends; several at
** one time count as one, at the first of its pools. */
mpg_rc mpg_demand_init(mpg_demand *demand, const mpg_gang *gang, const mpg_job *job,
                       const mpg_pool_ends *ends, mpg_arrival *arrivals, size_t narrivals);

/* The job holds `chips` from then on, and asks for no more if it released some. */
void mpg_demand_hold(mpg_demand *demand, bool released, int64_t at, int64_t chips);

/* Adds shortfalls to the gang for the time within [from, to) in which the job requests more chips
** than it holds; `rounded` is what their fractions may lack. `from` is never before the `to` of an
** earlier call. */
mpg_rc mpg_demand_short(mpg_demand *demand, mpg_gang *gang, int64_t from, int64_t to, int64_t held,
                        int64_t rounded);

#endif
