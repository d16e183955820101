/* test_gang.c - attempts, stretches, covers and shortfalls of random jobs, beside what holds at
** each second, looked up allocation by allocation. Times are few, so that ends meet all the
** time. */
#include "trace.h"
#include "check.h"
#include "hostile.h"
#include "../../ext/goodput/rules/gang.h"
#include "../../ext/base/time.h"

#include <stdlib.h>

enum { MOST = 10, PLACES = 14, POOLS = 9 }; /* times are 0 .. PLACES - 1 seconds */

static const mpg_env *const env = &mpg_env_libc;
/* An allocation that began before as_of, cut there; `attempt` is a place in order. */
typedef struct hold {
  const mpg_allocation *of;
  int64_t start, end, number;
  size_t attempt, pool;
  bool running;
  mpg_outcome outcome;
} hold;

typedef struct naive {
  const mpg_fleet *fleet;
  const mpg_job *job;
  int64_t as_of;
  hold holds[MOST];
  size_t n;
  mpg_attempt attempts[MOST];
  size_t nattempts;
} naive;

/* Whether it holds chips at a moment. */
static bool at_work(const hold *h, int64_t at) {
  return h->start <= at && at < h->end;
}

static void gather(naive *x, const mpg_gang *g) {
  int64_t number = 0, reach = 0;
  for (size_t i = 0; i < x->job->nallocations; i++) {
    const mpg_allocation *a = &x->fleet->allocations[x->job->allocation + i];
    hold *h = &x->holds[x->n];
    if (a->start >= x->as_of)
      continue;
    x->n++;
    *h = (hold){
        .of = a, .start = a->start, .end = a->end, .number = a->attempt, .outcome = a->outcome};
    h->running = a->end > x->as_of;
    if (h->running) {
      h->end = x->as_of;
      h->outcome = MPG_RUNNING;
    }
    while (g->pools[h->pool] != a->pool)
      h->pool++;
    if (h->number == MPG_NONE) { /* a gap begins the next attempt */
      number += number == 0 || h->start > reach;
      reach = h->end > reach ? h->end : reach;
      h->number = number;
    }
  }
  for (size_t i = 0; i < x->n; i++) {
    const hold *h = &x->holds[i];
    size_t a = 0;
    while (a < x->nattempts && x->attempts[a].number != h->number)
      a++;
    if (a == x->nattempts)
      x->attempts[x->nattempts++] =
          (mpg_attempt){.number = h->number, .start = h->start, .end = -1};
    if (h->end > x->attempts[a].end ||
        (h->end == x->attempts[a].end && h->outcome > x->attempts[a].outcome))
      x->attempts[a].outcome = h->outcome;
    x->attempts[a].end = h->end > x->attempts[a].end ? h->end : x->attempts[a].end;
    x->attempts[a].start = h->start < x->attempts[a].start ? h->start : x->attempts[a].start;
    x->attempts[a].running |= h->running;
  }
  for (size_t a = 0; a < x->nattempts; a++) /* by start, then number */
    for (size_t b = a + 1; b < x->nattempts; b++)
      if (x->attempts[b].start < x->attempts[a].start ||
          (x->attempts[b].start == x->attempts[a].start &&
           x->attempts[b].number < x->attempts[a].number)) {
        mpg_attempt swap = x->attempts[a];
        x->attempts[a] = x->attempts[b];
        x->attempts[b] = swap;
      }
  for (size_t i = 0; i < x->n; i++)
    while (x->attempts[x->holds[i].attempt].number != x->holds[i].number)
      x->holds[i].attempt++;
}

static void check_attempts(const naive *x, const mpg_gang *g) {
  CHECK(g->nattempts == x->nattempts);
  for (size_t a = 0; a < x->nattempts && a < g->nattempts; a++) {
    const mpg_attempt *found = &g->attempts[a], *expected = &x->attempts[a];
    CHECK(found->number == expected->number && found->start == expected->start);
    CHECK(found->end == expected->end && found->running == expected->running);
    CHECK(found->outcome == (expected->running ? MPG_RUNNING : expected->outcome));
  }
  for (int64_t number = -1; number < 12; number++) {
    size_t place = SIZE_MAX;
    for (size_t a = 0; a < x->nattempts; a++)
      if (x->attempts[a].number == number)
        place = a;
    CHECK(mpg_gang_numbered(g, number) == place);
  }
}

/* What attempt a holds in each pool at a moment, and of it what counts. */
typedef struct moment {
  int64_t held[POOLS], counted[POOLS], total;
  bool complete;
} moment;

static moment look(const naive *x, const mpg_gang *g, size_t a, int64_t at) {
  moment m = {0};
  uint32_t tasks[MOST];
  int64_t ntasks = 0, surplus = 0;
  bool elastic = x->job->min_chips != MPG_NONE, unnamed = false;
  int64_t chips = elastic ? x->job->min_chips : x->job->chips;
  for (size_t i = 0; i < x->n; i++) {
    const hold *h = &x->holds[i];
    int64_t k = 0;
    unnamed |= h->attempt == a && h->of->task == 0;
    if (h->attempt != a || !at_work(h, at))
      continue;
    m.held[h->pool] += h->of->chips;
    m.total += h->of->chips;
    while (k < ntasks && tasks[k] != h->of->task)
      k++;
    if (k == ntasks)
      tasks[ntasks++] = h->of->task;
  }
  m.complete = (chips == MPG_NONE || m.total >= chips) &&
               (elastic || unnamed || x->job->tasks == MPG_NONE || ntasks >= x->job->tasks);
  if (m.complete && !elastic && chips != MPG_NONE)
    surplus = m.total - chips;
  for (size_t p = g->npools; p-- > 0;) { /* the last pools' chips are too many */
    int64_t take = surplus < m.held[p] ? surplus : m.held[p];
    m.counted[p] = m.held[p] - take;
    surplus -= take;
  }
  return m;
}

/* The allocation of the attempt that was the last to change what is held of a pool by `at`: one
** that began then counts for later than one that ended then. */
static size_t evidence(const naive *x, size_t a, size_t pool, int64_t at) {
  size_t found = 0;
  int64_t when = -1;
  for (int starts = 0; starts < 2; starts++)
    for (size_t i = 0; i < x->n; i++) {
      const hold *h = &x->holds[i];
      int64_t t = starts ? h->start : h->end;
      if (h->attempt == a && h->pool == pool && h->start < h->end && t <= at && t >= when) {
        found = (size_t)(h->of - x->fleet->allocations);
        when = t;
      }
    }
  return found;
}

static bool same(const moment *a, const moment *b) {
  return a->complete == b->complete && memcmp(a->held, b->held, sizeof a->held) == 0 &&
         memcmp(a->counted, b->counted, sizeof a->counted) == 0;
}

/* Latest first where an attempt's holds all end, and begin again later: another stretch. */
static void check_stretches(const naive *x, const mpg_gang *g) {
  for (size_t a = 0; a < g->nattempts; a++) {
    size_t k = g->attempts[a].stretch, stop = k + g->attempts[a].nstretches;
    moment before = {0};
    for (int t = 0; t < PLACES; t++) {
      int64_t at = t * MPG_SECOND;
      moment now = look(x, g, a, at);
      if (now.total > 0 && (before.total == 0 || !same(&before, &now))) {
        const mpg_stretch *s = &g->stretches[k++];
        CHECK(k <= stop);
        if (k > stop)
          return;
        CHECK(s->start == at && s->complete == now.complete);
        for (size_t p = 0; p < g->npools; p++) {
          CHECK(mpg_stretch_held(g, s)[p] == now.held[p]);
          CHECK(mpg_stretch_counted(g, s)[p] == now.counted[p]);
          CHECK(now.held[p] == 0 || mpg_stretch_allocation(g, s, p) == evidence(x, a, p, at));
        }
      }
      if (before.total > 0 && (now.total == 0 || !same(&before, &now)))
        CHECK(g->stretches[k - 1 - (now.total > 0)].end == at);
      before = now;
    }
    CHECK(k == stop);
  }
}

/* Which attempt covers a moment: that of the hold that began last; of several the highest. */
static size_t covering(const naive *x, int64_t at) {
  size_t found = SIZE_MAX;
  int64_t start = -1;
  for (size_t i = 0; i < x->n; i++)
    if (at_work(&x->holds[i], at) && (x->holds[i].start > start || (x->holds[i].start == start &&
                                                                    x->holds[i].attempt > found))) {
      found = x->holds[i].attempt;
      start = x->holds[i].start;
    }
  return found;
}

static void check_covers(const naive *x, const mpg_gang *g) {
  size_t n = 0, before = SIZE_MAX;
  for (int t = 0; t < PLACES; t++) {
    size_t now = covering(x, t * MPG_SECOND);
    if (before != SIZE_MAX && now != before)
      CHECK(n <= g->ncovers && g->covers[n - 1].end == t * MPG_SECOND);
    if (now != SIZE_MAX && now != before) {
      CHECK(n < g->ncovers && g->covers[n].start == t * MPG_SECOND && g->covers[n].attempt == now);
      n++;
    }
    before = now;
  }
  CHECK(g->ncovers == n);
}

/* Whether nothing is asked for: the attempt before was cancelled or completed, and the next has not
** begun. */
static bool pauses(const naive *x, int64_t at) {
  int64_t end = INT64_MIN;
  mpg_outcome worst = MPG_RUNNING;
  for (size_t a = 0; a < x->nattempts; a++)
    if (x->attempts[a].start <= at && x->attempts[a].end > end)
      end = x->attempts[a].end;
  for (size_t a = 0; a < x->nattempts; a++)
    if (x->attempts[a].start <= at && x->attempts[a].end == end && x->attempts[a].outcome > worst)
      worst = x->attempts[a].outcome;
  return at >= end && (worst == MPG_CANCELLED || worst == MPG_COMPLETED);
}

/* Chips that lack at a moment, and the pool that is awaited: of the next arrival, else of the
** last. */
static int64_t lacking(const naive *x, const mpg_gang *g, int64_t at, uint32_t *pool) {
  const hold *next = NULL, *last = NULL;
  int64_t held = 0, from = x->job->submit, to = x->as_of;
  for (size_t i = 0; i < x->n; i++) {
    const hold *h = &x->holds[i];
    held += at_work(h, at) ? h->of->chips : 0;
    if (h->start > at && (next == NULL || h->start < next->start ||
                          (h->start == next->start && h->pool < next->pool)))
      next = h;
    if (last == NULL || h->start > last->start || (h->start == last->start && h->pool < last->pool))
      last = h;
  }
  if (x->nattempts > 0) {
    const mpg_attempt *end = &x->attempts[x->nattempts - 1];
    if (from == MPG_NONE || x->attempts[0].start < from)
      from = x->attempts[0].start;
    to = end->running ? to : end->end;
  }
  *pool = next != NULL ? g->pools[next->pool] + 1 : last != NULL ? g->pools[last->pool] + 1 : 0;
  if (x->job->chips == MPG_NONE || from == MPG_NONE || at < from || at >= to ||
      held >= x->job->chips || pauses(x, at))
    return 0;
  return x->job->chips - held;
}

static void check_shortfalls(const naive *x, const mpg_gang *g) {
  size_t n = 0;
  int64_t before = 0;
  uint32_t was = 0, pool;
  for (int t = 0; t < PLACES; t++) {
    int64_t at = t * MPG_SECOND, now = lacking(x, g, at, &pool);
    bool other = now != before || pool != was;
    if (before > 0 && other)
      CHECK(n <= g->nshortfalls && g->shortfalls[n - 1].end == at);
    if (now > 0 && other) {
      CHECK(n < g->nshortfalls && g->shortfalls[n].start == at);
      CHECK(n < g->nshortfalls && g->shortfalls[n].chips == now && g->shortfalls[n].pool == pool);
      n++;
    }
    before = now;
    was = pool;
  }
  CHECK(g->nshortfalls == n);
}

static void check_sums(const naive *x, const mpg_gang *g) {
  int64_t most = 0, repeated = 0;
  bool overlapping = false;
  for (int t = 0; t < PLACES; t++) {
    int64_t held = 0;
    for (size_t i = 0; i < x->n; i++) {
      held += at_work(&x->holds[i], t * MPG_SECOND) ? x->holds[i].of->chips : 0;
      for (size_t k = 0; k < i; k++)
        overlapping |= at_work(&x->holds[i], t * MPG_SECOND) &&
                       at_work(&x->holds[k], t * MPG_SECOND) && x->holds[i].of->chips > 0 &&
                       x->holds[k].of->chips > 0 && x->holds[i].attempt != x->holds[k].attempt;
    }
    most = held > most ? held : most;
  }
  for (size_t i = 1; i < x->n; i++) {
    const mpg_allocation *a = x->holds[i].of, *b = x->holds[i - 1].of;
    repeated += a->task != 0 && a->task == b->task && a->pool == b->pool &&
                a->attempt == b->attempt && a->start == b->start && a->end == b->end &&
                a->chips == b->chips;
  }
  CHECK(g->most_held == most && g->overlapping == overlapping && g->repeated == repeated);
}

/* A job with up to MOST allocations. */
static void random_job(mpg_fleet *fleet, mpg_err *err) {
  static const char *const outcomes[] = {"", "outcome=completed", "outcome=failed",
                                         "outcome=node_fail"};
  static const char *const tasks[] = {"", "task=x", "task=y", "task=z"};
  static const char *const pools[POOLS] = {"zeta", "alpha", "mid",  "c",   "aa",
                                           "z",    "beta",  "zetb", "mids"};
  char line[400];
  int column, n = check_below(MOST + 1), numbered = check_below(3), named = check_below(2);
  int npools = check_below(3) == 0 ? POOLS : 3;
  mpg_rc rc = mpg_fleet_from(fleet, "test", err);
  int used = snprintf(line, sizeof line, "jobs job=j");
  if (check_below(3) > 0)
    used += snprintf(line + used, sizeof line - (size_t)used, " chips=%d", 1 + check_below(5));
  if (check_below(5) == 0)
    used += snprintf(line + used, sizeof line - (size_t)used, " min_chips=%d", 1);
  if (check_below(2) > 0)
    used += snprintf(line + used, sizeof line - (size_t)used, " tasks=%d", 1 + check_below(3));
  if (check_below(2) > 0)
    used +=
        snprintf(line + used, sizeof line - (size_t)used, " submit_time=%d", check_below(PLACES));
  rc = rc == MPG_OK ? trace_add(fleet, line, 1, &column, err) : rc;
  for (int i = 0; rc == MPG_OK && i < n; i++) {
    int start = check_below(PLACES - 1), end = start + check_below(PLACES - start);
    char attempt[20] = "";
    if (i == 0 ||
        check_below(4) > 0) { /* else the one before, once more, perhaps with another outcome */
      if (numbered == 2 || (numbered == 1 && check_below(2)))
        (void)snprintf(attempt, sizeof attempt, "attempt=%d", 1 + check_below(3));
      used = snprintf(line, sizeof line,
                      "allocations job=j pool=%s chips=%d start_time=%d end_time=%d",
                      pools[check_below(npools)], check_below(4), start, end);
      if (named && check_below(8) > 0)
        used += snprintf(line + used, sizeof line - (size_t)used, " %s", tasks[1 + check_below(3)]);
      if (attempt[0] != '\0')
        used += snprintf(line + used, sizeof line - (size_t)used, " %s", attempt);
    }
    if (i > 0 && check_below(4) == 0)
      line[used] = '\0';
    else
      (void)snprintf(line + used, sizeof line - (size_t)used, "%s%s", i % 2 ? " " : "",
                     i % 2 ? outcomes[1 + check_below(3)] : "");
    rc = trace_add(fleet, line, i + 2, &column, err);
  }
  rc = rc == MPG_OK ? mpg_fleet_seal(fleet, err) : rc;
  CHECK(rc == MPG_OK);
}

/* A job of n tasks in three attempts and five pools, which are more than few. */
static void crowd(mpg_fleet *fleet, mpg_issues *issues, int n, mpg_err *err) {
  static const char *const pools[5] = {"zeta", "alpha", "mid", "c", "aa"};
  char line[200];
  int column;
  CHECK(mpg_fleet_init(fleet, env, issues, NULL, err) == MPG_OK);
  CHECK(mpg_fleet_from(fleet, "test", err) == MPG_OK);
  (void)snprintf(line, sizeof line, "jobs job=j chips=%d tasks=9 submit_time=0", n + 1);
  CHECK(trace_add(fleet, line, 1, &column, err) == MPG_OK);
  for (int i = 0; i < n; i++) {
    (void)snprintf(
        line, sizeof line,
        "allocations job=j attempt=%d task=t%d pool=%s chips=1 start_time=%d end_time=%d", i % 3,
        i % 9, pools[i % 5], (int)(i * INT64_C(7919) % n), n + i);
    CHECK(trace_add(fleet, line, i + 2, &column, err) == MPG_OK);
  }
  CHECK(mpg_fleet_seal(fleet, err) == MPG_OK);
}

/* Stopped at each look, or without each piece of memory, nothing stays behind. */
static void check_ways_out(int n, bool stops) {
  mpg_issues issues;
  mpg_fleet fleet;
  mpg_gang whole;
  mpg_err err;
  const int64_t as_of = INT64_C(2) * n * MPG_SECOND;
  bool out = true;
  long k = 0;
  mpg_issues_init(&issues, env);
  crowd(&fleet, &issues, n, &err);
  CHECK(mpg_gang_init(&whole, env, &err) == MPG_OK);
  CHECK(mpg_gang_build(&whole, &fleet, &fleet.jobs[0],
                       &(mpg_pool_ends){.as_of = as_of, .usual = as_of}, &err) == MPG_OK);
  CHECK(whole.nattempts == 3 && whole.nstretches > (size_t)n && whole.nshortfalls > (size_t)n);
  while (out) {
    hostile h = {0, stops ? 0 : k + 1, false, false, stops ? k + 2 : 0};
    mpg_env poor = hostile_env(&h);
    mpg_gang gang;
    mpg_rc rc = mpg_gang_init(&gang, &poor, &err);
    if (rc == MPG_OK)
      rc = mpg_gang_build(&gang, &fleet, &fleet.jobs[0],
                          &(mpg_pool_ends){.as_of = as_of, .usual = as_of}, &err);
    out = stops ? h.stop_in == 1 : h.failed;
    CHECK(rc == (!out ? MPG_OK : stops ? MPG_INTERRUPTED : MPG_NOMEM));
    CHECK(!out || strcmp(err.text, stops ? "interrupted" : "out of memory") == 0);
    CHECK(out || (gang.nstretches == whole.nstretches && gang.ncovers == whole.ncovers &&
                  gang.nshortfalls == whole.nshortfalls));
    mpg_gang_free(&gang);
    CHECK(h.live == 0);
    k += check_stride(stops ? 5 : 2);
  }
  CHECK(k > 20);
  mpg_gang_free(&whole);
  mpg_fleet_free(&fleet);
  mpg_issues_free(&issues);
}

int main(void) {
  mpg_gang gang; /* one for all, as the accounting has it */
  mpg_err err;
  int several = 0;
  CHECK(mpg_gang_init(&gang, env, &err) == MPG_OK);
  for (int round = 0; round < 6000 / check_stride(2) && check_failed < 20; round++) {
    mpg_issues issues;
    mpg_chips *chips = NULL;
    mpg_fleet fleet;
    naive x = {0};
    mpg_issues_init(&issues, env);
    CHECK(mpg_fleet_init(&fleet, env, &issues, chips, &err) == MPG_OK);
    random_job(&fleet, &err);
    x.fleet = &fleet;
    x.job = &fleet.jobs[0];
    x.as_of = (PLACES - check_below(5)) * MPG_SECOND;
    CHECK(mpg_gang_build(&gang, &fleet, x.job, &(mpg_pool_ends){.as_of = x.as_of, .usual = x.as_of},
                         &err) == MPG_OK);
    CHECK(x.job->nallocations > 0 || gang.npools == 0);
    for (size_t p = 0; p < gang.npools; p++) { /* none that is another job's */
      bool held = false;
      for (size_t i = 0; i < x.job->nallocations; i++)
        held |= fleet.allocations[x.job->allocation + i].pool == gang.pools[p];
      CHECK(held);
    }
    for (size_t p = 1; p < gang.npools; p++)
      CHECK(mpg_intern_cmp(&fleet.pool_names, gang.pools[p - 1] + 1, gang.pools[p] + 1) < 0);
    gather(&x, &gang);
    check_attempts(&x, &gang);
    check_stretches(&x, &gang);
    check_covers(&x, &gang);
    check_shortfalls(&x, &gang);
    check_sums(&x, &gang);
    several += x.nattempts > 1 && gang.nstretches > 3;
    mpg_fleet_free(&fleet);
    mpg_issues_free(&issues);
  }
  CHECK(several > 300 / check_stride(2));
  mpg_gang_free(&gang);
  mpg_gang_free(&gang);
  check_ways_out(20000, true);
  check_ways_out(700, false);
  return check_done("gang");
}
