/*
** timeline.h - one job's chip-time, category by category: the home of the accounting rules
** (docs/rules.md). Gangs, the innermost spans and the lineage are worked out next door; here they
** meet.
*/
#ifndef MPG_TIMELINE_H
#define MPG_TIMELINE_H

#include "ledger_row.h"
#include "../trace/fleet.h"
#include "gang.h"
#include "notices.h"
#include "pools.h"
#include "../job_size.h"

/* What the caller may choose. */
typedef struct mpg_rules {
  int64_t as_of;
  mpg_basis basis;
  bool memory_roofline; /* ideal = max(compute, memory) instead of compute alone */
  mpg_sizes sizes;
  bool long_road; /* for tests: never the fast road (stretch_sums.h), whose result is the same */
} mpg_rules;

/* Works on one job after the other; one thread, its own scratch memory. */
typedef struct mpg_timeline mpg_timeline;

/* Everything borrowed outlives it. What jobs hold goes to `pools`. *out must be freed also on
 * failure. */
mpg_rc mpg_timeline_new(mpg_timeline **out, const mpg_env *env, const mpg_fleet *fleet,
                        const mpg_rules *rules, mpg_pools *pools, mpg_err *err);
void mpg_timeline_free(mpg_timeline *timeline);

/* Accounts fleet->jobs[job]: rows in the order of attempts and time, then what was queued. */
mpg_rc mpg_timeline_job(mpg_timeline *timeline, uint32_t job, const mpg_window *window,
                        const mpg_sink *sink, mpg_err *err);

/*
** Gives the pools what fleet->jobs[job] holds, and does nothing else. From then on mpg_timeline_job
** gives the pools nothing, so they can be accounted before the jobs. *size is the job's size; *gang
** is its gang, borrowed until the next call.
*/
mpg_rc mpg_timeline_hold(mpg_timeline *timeline, uint32_t job, uint8_t *size, const mpg_gang **gang,
                         mpg_err *err);
/* Another timeline gives the pools what the jobs hold, and this one nothing. */
void mpg_timeline_holds_nothing(mpg_timeline *timeline);

mpg_notices *mpg_timeline_notices(mpg_timeline *timeline);

#endif
