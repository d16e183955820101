/* gang_demand.c - see gang_demand.h. */
#include "gang_demand.h"
#include "../../base/debug_assert.h"
#include "../../base/sort.h"

static mpg_rc add_shortfall(mpg_gang *g, int64_t start, int64_t end, int64_t chips, uint32_t pool) {
  if (g->nshortfalls > 0) {
    mpg_shortfall *last = &g->shortfalls[g->nshortfalls - 1];
    if (last->end == start && last->chips == chips && last->pool == pool) {
      last->end = end;
      return MPG_OK;
    }
  }
  if (mpg_grow(g->env, &g->shortfalls, &g->shortfalls_cap, g->nshortfalls + 1,
               sizeof *g->shortfalls) != MPG_OK)
    return MPG_NOMEM;
  g->shortfalls[g->nshortfalls++] = (mpg_shortfall){start, end, chips, pool};
  return MPG_OK;
}

static int arrival_order(const void *pa, const void *pb, void *ctx) {
  const mpg_arrival *a = pa, *b = pb;
  (void)ctx;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return (a->pool > b->pool) - (a->pool < b->pool);
}

/*
** The life of the demand: the time in which the job requested its chips. False if it requested
** none.
*/
static bool find_life(const mpg_gang *g, const mpg_job *job, int64_t *from, int64_t *to) {
  bool held = g->nattempts > 0;
  if (job->chips == MPG_NONE || (!held && job->submit == MPG_NONE))
    return false;
  *from = job->submit;
  if (held && (job->submit == MPG_NONE || g->attempts[0].start < job->submit))
    *from = g->attempts[0].start;
  *to = g->end;
  if (held && !g->attempts[g->nattempts - 1].running)
    *to = g->attempts[g->nattempts - 1].end;
  return *from < *to;
}

mpg_rc mpg_demand_init(mpg_demand *d, const mpg_gang *g, const mpg_job *job,
                       const mpg_pool_ends *ends, mpg_arrival *arrivals, size_t narrivals) {
  mpg_rc rc = mpg_sort(g->env, arrivals, narrivals, sizeof *arrivals, arrival_order, NULL);
  *d = (mpg_demand){.ends = ends,
                    .arrivals = arrivals,
                    .end = INT64_MIN,
                    .outcome = MPG_RUNNING,
                    .chips = job->chips,
                    .asked = job->chips};
  d->asks = find_life(g, job, &d->from, &d->to);
  for (size_t i = 0; rc == MPG_OK && i < narrivals; i++) {
    if (d->narrivals == 0 || arrivals[d->narrivals - 1].start != arrivals[i].start)
      arrivals[d->narrivals++] = arrivals[i];
    if (mpg_poll(g->env, i))
      rc = MPG_INTERRUPTED;
  }
  return rc;
}

/* The shortfall over [from, to), cut if the awaited pool changes: the pool of the next arrival,
** else of the last. Nothing is short after that pool's end. */
static mpg_rc add_shortfalls(mpg_demand *d, mpg_gang *g, int64_t from, int64_t to, int64_t chips) {
  while (from < to) {
    int64_t stop = to, end;
    uint32_t pool = 0;
    while (d->coming < d->narrivals && d->arrivals[d->coming].start <= from)
      d->coming++;
    if (d->coming < d->narrivals) {
      pool = g->pools[d->arrivals[d->coming].pool] + 1;
      stop = d->arrivals[d->coming].start < to ? d->arrivals[d->coming].start : to;
    } else if (d->narrivals > 0) {
      pool = g->pools[d->arrivals[d->narrivals - 1].pool] + 1;
    }
    end = pool == 0 ? d->ends->as_of : mpg_pool_end(d->ends, pool - 1);
    end = stop < end ? stop : end;
    if (from < end && add_shortfall(g, from, end, chips, pool) != MPG_OK)
      return MPG_NOMEM;
    from = stop;
  }
  return MPG_OK;
}

/* A job whose last attempt was cancelled or completed requests nothing until the next begins. */
static bool is_paused(const mpg_demand *d, int64_t at) {
  return at >= d->end && (d->outcome == MPG_CANCELLED || d->outcome == MPG_COMPLETED);
}

void mpg_demand_hold(mpg_demand *d, bool released, int64_t at, int64_t chips) {
  if (released)
    d->released = at;
  if (released || chips > d->asked)
    d->asked = chips < d->chips ? chips : d->chips;
}

mpg_rc mpg_demand_short(mpg_demand *d, mpg_gang *g, int64_t from, int64_t to, int64_t held,
                        int64_t rounded) {
  MPG_ASSERT(held >= 0);
  from = from < d->from ? d->from : from;
  to = to > d->to ? d->to : to;
  while (from < to) {
    int64_t stop = to;
    for (; d->next < g->nattempts && g->attempts[d->next].start <= from; d->next++) {
      const mpg_attempt *a = &g->attempts[d->next];
      if (a->start >= d->released)
        d->asked = d->chips;
      if (a->end > d->end || (a->end == d->end && a->outcome > d->outcome)) {
        d->end = a->end;
        d->outcome = a->outcome;
      }
      if (mpg_poll_work(g->env, &g->done, 1))
        return MPG_INTERRUPTED;
    }
    if (d->next < g->nattempts && g->attempts[d->next].start < stop)
      stop = g->attempts[d->next].start;
    if (d->end > from && d->end < stop)
      stop = d->end;
    if (!is_paused(d, from) && held + rounded < d->asked) {
      mpg_rc rc = add_shortfalls(d, g, from, stop, d->asked - held);
      if (rc != MPG_OK)
        return rc;
    }
    from = stop;
  }
  return MPG_OK;
}
