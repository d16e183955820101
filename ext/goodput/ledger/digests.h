/*
** digests.h - what a fleet's accounting says of each job, and of each pool and day, in short: where
** two digests are equal, so are the rows of the ledger that they stand for, whatever buckets cut
** them.
**
** A job's is of its dimensions and of every interval, with all that the ledger and its runs say of
** it. A pool's is of every interval in which its chips were down or idle, on each day (of UTC) that
** it touches. In which integers a fraction of a chip is cut at the edges of buckets depends on the
** fractions that are held: these count for the days, too. (Of a job, they are those of its
** allocations, which are not looked at here.)
*/
#ifndef MPG_DIGESTS_H
#define MPG_DIGESTS_H

#include "ledger.h"

#define MPG_DAY (INT64_C(86400) * MPG_SECOND)

/* day: since 1970, towards zero, as SQL divides. */
typedef struct mpg_day_digest {
  uint32_t pool; /* index + 1 */
  int64_t day;
  uint64_t digest;
} mpg_day_digest;

/* Sums over all intervals, by which the tables that were made of them are checked. */
typedef struct mpg_digest_totals {
  mpg_i128 chip_us, of_jobs; /* queued, too */
  int64_t jobs;              /* that have an interval */
  int64_t waits;             /* intervals that are down, idle, partial or queued, */
  mpg_i128 waits_us;         /* and their chip-time */
} mpg_digest_totals;

typedef struct mpg_digests {
  const mpg_env *env;
  const mpg_fleet *fleet;
  uint64_t *jobs; /* by the fleet's numbers */
  mpg_day_digest *days;
  size_t ndays, days_cap;
  mpg_hash_index index; /* of days */
  uint64_t *texts[4];   /* hashes by id, 0: not known yet; see digests.c */
  size_t recent;        /* the day that was added to last */
  uint64_t *job;        /* of the unit at hand; NULL: it is a pool */
  mpg_digest_totals totals;
  bool any; /* the unit has an interval */
} mpg_digests;

/* Accounts every unit of an accounting without buckets, from its start. mpg_digests_free also after
** a failure. */
mpg_rc mpg_digests_make(mpg_digests *d, mpg_accounting *accounting, const char *source,
                        mpg_err *err);
void mpg_digests_free(mpg_digests *d);

#endif
