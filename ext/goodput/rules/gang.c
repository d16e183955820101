/* gang.c - see gang.h. Everything is a sweep over the starts and ends of the job's allocations. */
#include "gang.h"
#include "gang_demand.h"
#include "../../base/sort.h"

#include <string.h>

/* An allocation as this job's sweeps see it. */
typedef struct hold {
  int64_t start, end, chips;
  int64_t number; /* of its attempt */
  size_t attempt; /* its place in order */
  size_t pool;    /* in mpg_gang.pools */
  uint32_t task;  /* text; 0: none */
  mpg_outcome outcome;
  bool running;
  size_t allocation;
  size_t before, after; /* of those that are held at an instant, in the order of a sweep */
} hold;

struct mpg_gang_work {
  hold *holds;
  size_t nholds, holds_cap;
  mpg_arrival *arrivals;
  size_t arrivals_cap;
  mpg_cover *spells; /* stretches of all attempts */
  size_t spells_cap;
  size_t *by_start, *by_end; /* holds in the order of a sweep */
  size_t by_start_cap, by_end_cap;
  uint32_t *tasks;   /* distinct tasks of an attempt, sorted */
  uint32_t *running; /* how many holds each task, or attempt, has now */
  size_t ntasks, tasks_cap, running_cap;
};

mpg_rc mpg_gang_init(mpg_gang *gang, const mpg_env *env, mpg_err *err) {
  memset(gang, 0, sizeof *gang);
  gang->env = env;
  gang->work = mpg_calloc(env, sizeof *gang->work);
  return gang->work == NULL ? mpg_fail_nomem(err) : MPG_OK;
}

void mpg_gang_free(mpg_gang *gang) {
  const mpg_env *env = gang->env;
  if (env == NULL)
    return;
  if (gang->work != NULL) {
    mpg_free(env, gang->work->holds);
    mpg_free(env, gang->work->arrivals);
    mpg_free(env, gang->work->spells);
    mpg_free(env, gang->work->by_start);
    mpg_free(env, gang->work->by_end);
    mpg_free(env, gang->work->tasks);
    mpg_free(env, gang->work->running);
    mpg_free(env, gang->work);
  }
  mpg_free(env, gang->pools);
  mpg_free(env, gang->attempts);
  mpg_free(env, gang->stretches);
  mpg_free(env, gang->rates);
  mpg_free(env, gang->covers);
  mpg_free(env, gang->shortfalls);
  memset(gang, 0, sizeof *gang);
}

#define ROOM(g, array, cap, n) mpg_grow((g)->env, &(array), &(cap), (n), sizeof *(array))

/* ---- holds, pools, attempts ---- */

static int pool_order(const void *a, const void *b, void *ctx) {
  const mpg_fleet *fleet = ctx;
  return mpg_intern_cmp(&fleet->pool_names, *(const uint32_t *)a + 1, *(const uint32_t *)b + 1);
}

/* Mostly there are few, and looking through them is quicker than anything else. */
#define FEW_POOLS 4

static int by_number(const void *a, const void *b, void *ctx) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  (void)ctx;
  return (x > y) - (x < y);
}

/* Adds those of all allocations from `first` on; each is there once. */
static mpg_rc gather_many_pools(mpg_gang *g, const mpg_fleet *fleet, const mpg_job *job,
                                size_t first) {
  size_t n = g->npools;
  mpg_rc rc = ROOM(g, g->pools, g->pools_cap, n + job->nallocations - first);
  if (rc != MPG_OK)
    return rc;
  for (size_t i = first; i < job->nallocations; i++)
    g->pools[n++] = fleet->allocations[job->allocation + i].pool;
  rc = mpg_sort(g->env, g->pools, n, sizeof *g->pools, by_number, NULL);
  g->npools = 0;
  for (size_t i = 0; rc == MPG_OK && i < n; i++)
    if (i == 0 || g->pools[i] != g->pools[g->npools - 1])
      g->pools[g->npools++] = g->pools[i];
  return rc;
}

/* The job's pools by name, each once. */
static mpg_rc gather_pools(mpg_gang *g, const mpg_fleet *fleet, const mpg_job *job) {
  mpg_rc rc = MPG_OK;
  g->npools = 0;
  for (size_t i = 0; i < job->nallocations; i++) {
    uint32_t pool = fleet->allocations[job->allocation + i].pool;
    size_t p = g->npools;
    while (p > 0 && g->pools[p - 1] != pool)
      p--;
    if (p > 0)
      continue;
    if (g->npools == FEW_POOLS) {
      rc = gather_many_pools(g, fleet, job, i);
      break;
    }
    if (ROOM(g, g->pools, g->pools_cap, g->npools + 1) != MPG_OK)
      return MPG_NOMEM;
    g->pools[g->npools++] = pool;
  }
  if (rc == MPG_OK && g->npools > 1)
    rc = mpg_sort(g->env, g->pools, g->npools, sizeof *g->pools, pool_order,
                  (void *)(uintptr_t)fleet);
  return rc;
}

static size_t pool_place(const mpg_gang *g, const mpg_fleet *fleet, uint32_t pool) {
  size_t low = 0, high = g->npools;
  while (high - low > FEW_POOLS) {
    size_t middle = low + (high - low) / 2;
    if (pool_order(&g->pools[middle], &pool, (void *)(uintptr_t)fleet) <= 0)
      low = middle;
    else
      high = middle;
  }
  while (g->pools[low] != pool)
    low++;
  return low;
}

/* One task's record of the same chips at the same time, once more. */
static bool is_repeat(const mpg_allocation *a, const mpg_allocation *b) {
  return a->task != 0 && a->task == b->task && a->pool == b->pool && a->attempt == b->attempt &&
         a->start == b->start && a->end == b->end && a->chips == b->chips;
}

/* The allocations that began before their pool's end, cut there; those without a number get one. */
static mpg_rc gather_holds(mpg_gang *g, const mpg_fleet *fleet, const mpg_job *job,
                           const mpg_pool_ends *ends) {
  struct mpg_gang_work *w = g->work;
  int64_t number = 0, reach = 0;
  w->nholds = 0;
  g->repeated = 0;
  if (ROOM(g, w->holds, w->holds_cap, job->nallocations) != MPG_OK)
    return MPG_NOMEM;
  for (size_t i = 0; i < job->nallocations; i++) { /* sorted by start: mpg_fleet_seal */
    const mpg_allocation *a = &fleet->allocations[job->allocation + i];
    hold *h = &w->holds[w->nholds];
    int64_t end = mpg_pool_job_end(ends, a->pool, job);
    if (mpg_poll(g->env, i))
      return MPG_INTERRUPTED;
    if (a->start >= end)
      continue;
    g->repeated += i > 0 && is_repeat(a, a - 1);
    h->start = a->start;
    h->running = a->end > end;
    h->end = h->running ? end : a->end;
    h->chips = a->chips;
    h->task = a->task;
    h->outcome = h->running ? MPG_RUNNING : a->outcome;
    h->pool = pool_place(g, fleet, a->pool);
    h->allocation = job->allocation + i;
    h->number = a->attempt;
    if (h->number == MPG_NONE) {
      if (number == 0 || h->start > reach) {
        number++;
        reach = h->end;
      } else if (h->end > reach) {
        reach = h->end;
      }
      h->number = number;
    }
    w->nholds++;
  }
  return MPG_OK;
}

static int number_order(const void *pa, const void *pb, void *ctx) {
  const hold *a = pa, *b = pb;
  (void)ctx;
  if (a->number != b->number)
    return a->number < b->number ? -1 : 1;
  return (a->allocation > b->allocation) - (a->allocation < b->allocation);
}

static int attempt_order(const void *pa, const void *pb, void *ctx) {
  const mpg_attempt *a = pa, *b = pb;
  (void)ctx;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

/* How an attempt ended is how its last allocation did; of several at once the worst counts, and to
** release it is none. */
static void attempt_end(mpg_attempt *a, const hold *h) {
  mpg_outcome outcome = h->outcome == MPG_RELEASED ? MPG_RUNNING : h->outcome;
  if (h->end > a->end || (h->end == a->end && outcome > a->outcome)) {
    a->end = h->end;
    a->outcome = outcome;
  }
  a->running |= h->running;
}

/* Sorts attempts, and makes the holds of each adjacent. Until the stretches are made,
** attempt.stretch is the index of its first hold. */
static mpg_rc gather_attempts(mpg_gang *g) {
  struct mpg_gang_work *w = g->work;
  mpg_rc rc = mpg_sort(g->env, w->holds, w->nholds, sizeof *w->holds, number_order, NULL);
  g->nattempts = 0;
  if (rc != MPG_OK)
    return rc;
  for (size_t i = 0; i < w->nholds; i++) {
    const hold *h = &w->holds[i];
    if (mpg_poll(g->env, i))
      return MPG_INTERRUPTED;
    if (i == 0 || h->number != w->holds[i - 1].number) {
      if (ROOM(g, g->attempts, g->attempts_cap, g->nattempts + 1) != MPG_OK)
        return MPG_NOMEM;
      g->attempts[g->nattempts++] =
          (mpg_attempt){h->number, h->start, h->end, h->running, MPG_RUNNING, i, 0};
    }
    attempt_end(&g->attempts[g->nattempts - 1], h);
    g->attempts[g->nattempts - 1].nstretches++;
  }
  rc = mpg_sort(g->env, g->attempts, g->nattempts, sizeof *g->attempts, attempt_order, NULL);
  if (rc != MPG_OK)
    return rc;
  for (size_t a = 0; a < g->nattempts; a++) {
    mpg_attempt *attempt = &g->attempts[a];
    if (attempt->running)
      attempt->outcome = MPG_RUNNING;
    for (size_t i = 0; i < attempt->nstretches; i++) {
      w->holds[attempt->stretch + i].attempt = a;
      if (mpg_poll(g->env, attempt->stretch + i))
        return MPG_INTERRUPTED;
    }
  }
  return MPG_OK;
}

size_t mpg_gang_numbered(const mpg_gang *g, int64_t number) {
  const struct mpg_gang_work *w = g->work;
  size_t lo = 0, hi = w->nholds;
  while (lo < hi) { /* the first hold of that number or a higher one */
    size_t mid = lo + (hi - lo) / 2;
    if (w->holds[mid].number < number)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < w->nholds && w->holds[lo].number == number ? w->holds[lo].attempt : SIZE_MAX;
}

/* ---- sweeps ---- */

/* What a hold that comes or goes counts, until the host is polled. */
#define ONE_HOLD 16

static int start_order(const void *pa, const void *pb, void *ctx) {
  const hold *holds = ctx, *a = &holds[*(const size_t *)pa], *b = &holds[*(const size_t *)pb];
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  if (a->attempt != b->attempt)
    return a->attempt < b->attempt ? -1 : 1;
  return (a->allocation > b->allocation) - (a->allocation < b->allocation);
}

static int end_order(const void *pa, const void *pb, void *ctx) {
  const hold *holds = ctx, *a = &holds[*(const size_t *)pa], *b = &holds[*(const size_t *)pb];
  if (a->end != b->end)
    return a->end < b->end ? -1 : 1;
  return (a->allocation > b->allocation) - (a->allocation < b->allocation);
}

/* Both orders of n holds from `first`, without those of no length; *kept is how many these are. */
static mpg_rc order_sweep(mpg_gang *g, size_t first, size_t n, size_t *kept) {
  struct mpg_gang_work *w = g->work;
  size_t k = 0;
  mpg_rc rc;
  if (ROOM(g, w->by_start, w->by_start_cap, n) != MPG_OK ||
      ROOM(g, w->by_end, w->by_end_cap, n) != MPG_OK)
    return MPG_NOMEM;
  for (size_t i = first; i < first + n; i++) {
    if (w->holds[i].start < w->holds[i].end)
      w->by_start[k++] = i;
    if (mpg_poll(g->env, i))
      return MPG_INTERRUPTED;
  }
  *kept = k;
  if (k == 0)
    return MPG_OK;
  if (!mpg_copy(g->env, w->by_end, w->by_start, k * sizeof *w->by_end))
    return MPG_INTERRUPTED;
  rc = mpg_sort(g->env, w->by_start, k, sizeof *w->by_start, start_order, w->holds);
  if (rc == MPG_OK)
    rc = mpg_sort(g->env, w->by_end, k, sizeof *w->by_end, end_order, w->holds);
  return rc;
}

/* The distinct tasks of an attempt; *unnamed if an allocation has none. */
static mpg_rc gather_tasks(mpg_gang *g, const mpg_attempt *a, bool *unnamed) {
  struct mpg_gang_work *w = g->work;
  size_t n = 0;
  mpg_rc rc;
  *unnamed = false;
  if (ROOM(g, w->tasks, w->tasks_cap, a->nstretches) != MPG_OK ||
      ROOM(g, w->running, w->running_cap, a->nstretches) != MPG_OK)
    return MPG_NOMEM;
  for (size_t i = 0; i < a->nstretches; i++) {
    w->tasks[i] = w->holds[a->stretch + i].task;
    *unnamed |= w->tasks[i] == 0;
    if (mpg_poll(g->env, i))
      return MPG_INTERRUPTED;
  }
  rc = mpg_sort(g->env, w->tasks, a->nstretches, sizeof *w->tasks, by_number, NULL);
  if (rc != MPG_OK)
    return rc;
  for (size_t i = 0; i < a->nstretches; i++)
    if (n == 0 || w->tasks[n - 1] != w->tasks[i])
      w->tasks[n++] = w->tasks[i];
  w->ntasks = n;
  return mpg_clear(g->env, w->running, n * sizeof *w->running) ? MPG_OK : MPG_INTERRUPTED;
}

static uint32_t *task_running(struct mpg_gang_work *w, uint32_t task) {
  size_t low = 0, high = w->ntasks;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (w->tasks[middle] <= task)
      low = middle;
    else
      high = middle;
  }
  return &w->running[low];
}

/* What a complete gang needs; a negative number is no demand. */
typedef struct need {
  int64_t chips, tasks;
  bool elastic;
} need;

static need job_need(const mpg_job *job, bool unnamed) {
  need n = {-1, -1, job->min_chips != MPG_NONE};
  if (n.elastic)
    n.chips = job->min_chips;
  else if (job->chips != MPG_NONE)
    n.chips = job->chips;
  if (!n.elastic && job->tasks != MPG_NONE && !unnamed)
    n.tasks = job->tasks;
  return n;
}

/* Adds [start, end) with what is held now, or lengthens the stretch before if nothing changed.
** `held` are the chips held in each pool, then the latest allocation that changed each. */
static mpg_rc add_stretch(mpg_gang *g, mpg_attempt *a, int64_t start, int64_t end,
                          const int64_t *held, bool complete, int64_t surplus) {
  int64_t *rates;
  mpg_stretch *last;
  size_t np = g->npools;
  if (ROOM(g, g->rates, g->rates_cap, g->nrates + 3 * np) != MPG_OK ||
      ROOM(g, g->stretches, g->stretches_cap, g->nstretches + 1) != MPG_OK)
    return MPG_NOMEM;
  rates = g->rates + g->nrates;
  memcpy(rates, held, np * sizeof *rates);
  memcpy(rates + np, held, np * sizeof *rates);
  memcpy(rates + 2 * np, held + np, np * sizeof *rates);
  for (size_t p = np; p-- > 0 && surplus > 0;) {
    int64_t from = surplus < held[p] ? surplus : held[p];
    rates[np + p] -= from;
    surplus -= from;
  }
  last = a->nstretches > 0 ? &g->stretches[g->nstretches - 1] : NULL;
  if (last != NULL && last->end == start && last->complete == complete &&
      memcmp(g->rates + last->rates, rates, 2 * np * sizeof *rates) == 0) {
    last->end = end;
    return MPG_OK;
  }
  g->stretches[g->nstretches++] = (mpg_stretch){start, end, complete, g->nrates};
  g->nrates += 3 * np;
  a->nstretches++;
  return MPG_OK;
}

/* Each fraction may be half a millionth below the request, so that three thirds are a chip. */
static bool is_fraction(const hold *h) {
  return h->chips % MPG_CHIP != 0;
}
static bool are_enough(int64_t held, int64_t fractions, int64_t wanted) {
  return held + fractions / 2 >= wanted;
}

static mpg_rc sweep_attempt(mpg_gang *g, const mpg_job *job, mpg_attempt *a, int64_t *held) {
  struct mpg_gang_work *w = g->work;
  size_t n, s = 0, e = 0;
  int64_t total = 0, fractions = 0, holding = 0, at = 0;
  bool unnamed;
  need wanted;
  mpg_rc rc = gather_tasks(g, a, &unnamed);
  if (rc == MPG_OK)
    rc = order_sweep(g, a->stretch, a->nstretches, &n);
  if (rc != MPG_OK)
    return rc;
  wanted = job_need(job, unnamed);
  memset(held, 0, 2 * g->npools * sizeof *held);
  a->stretch = g->nstretches;
  a->nstretches = 0;
  while (e < n) {
    int64_t next = w->holds[w->by_end[e]].end;
    if (s < n && w->holds[w->by_start[s]].start < next)
      next = w->holds[w->by_start[s]].start;
    if (total > 0 && next > at) {
      bool complete = are_enough(total, fractions, wanted.chips) && holding >= wanted.tasks;
      int64_t surplus = complete && !wanted.elastic && wanted.chips >= 0 ? total - wanted.chips : 0;
      if (add_stretch(g, a, at, next, held, complete, surplus) != MPG_OK)
        return MPG_NOMEM;
      if (mpg_poll_work(g->env, &g->done, 16 + 6 * g->npools))
        return MPG_INTERRUPTED;
    }
    at = next;
    for (; e < n && w->holds[w->by_end[e]].end == at; e++) {
      const hold *h = &w->holds[w->by_end[e]];
      if (mpg_poll_work(g->env, &g->done, ONE_HOLD))
        return MPG_INTERRUPTED;
      held[h->pool] -= h->chips;
      total -= h->chips;
      fractions -= is_fraction(h);
      holding -= --*task_running(w, h->task) == 0;
      held[g->npools + h->pool] = (int64_t)h->allocation;
    }
    for (; s < n && w->holds[w->by_start[s]].start == at; s++) {
      const hold *h = &w->holds[w->by_start[s]];
      if (mpg_poll_work(g->env, &g->done, ONE_HOLD))
        return MPG_INTERRUPTED;
      held[h->pool] += h->chips;
      total += h->chips;
      fractions += is_fraction(h);
      holding += ++*task_running(w, h->task) == 1;
      held[g->npools + h->pool] = (int64_t)h->allocation;
    }
  }
  return MPG_OK;
}

/* ---- over all attempts: covers, shortfalls, the peak of chips held ---- */

static mpg_rc add_cover(mpg_gang *g, int64_t start, int64_t end, size_t attempt) {
  if (g->ncovers > 0) {
    mpg_cover *last = &g->covers[g->ncovers - 1];
    if (last->end == start && last->attempt == attempt) {
      last->end = end;
      return MPG_OK;
    }
  }
  if (ROOM(g, g->covers, g->covers_cap, g->ncovers + 1) != MPG_OK)
    return MPG_NOMEM;
  g->covers[g->ncovers++] = (mpg_cover){start, end, attempt};
  return MPG_OK;
}

/* Where the job went: all its holds, also those of no length. */
static mpg_rc gather_arrivals(mpg_gang *g) {
  struct mpg_gang_work *w = g->work;
  if (ROOM(g, w->arrivals, w->arrivals_cap, w->nholds) != MPG_OK)
    return MPG_NOMEM;
  for (size_t i = 0; i < w->nholds; i++) {
    w->arrivals[i] = (mpg_arrival){w->holds[i].start, w->holds[i].pool};
    if (mpg_poll(g->env, i))
      return MPG_INTERRUPTED;
  }
  return MPG_OK;
}

/* What runs now: chips, the attempts that hold any, and the holds in the order in which they
** began. */
#define NO_HOLD SIZE_MAX
typedef struct running {
  int64_t chips, fractions; /* how many of them are fractions */
  size_t attempts;          /* how many */
  size_t last;              /* hold, NO_HOLD: none */
} running;

static void begin_hold(running *now, struct mpg_gang_work *w, size_t i) {
  hold *h = &w->holds[i];
  now->chips += h->chips;
  now->fractions += is_fraction(h);
  now->attempts += w->running[h->attempt]++ == 0;
  h->before = now->last;
  h->after = NO_HOLD;
  if (now->last != NO_HOLD)
    w->holds[now->last].after = i;
  now->last = i;
}

static void end_hold(running *now, struct mpg_gang_work *w, size_t i) {
  const hold *h = &w->holds[i];
  now->chips -= h->chips;
  now->fractions -= is_fraction(h);
  now->attempts -= --w->running[h->attempt] == 0;
  if (h->before != NO_HOLD)
    w->holds[h->before].after = h->after;
  if (h->after != NO_HOLD)
    w->holds[h->after].before = h->before;
  else
    now->last = h->before;
}

/* One sweep over every hold of the job. */
static mpg_rc sweep_job(mpg_gang *g, const mpg_job *job, const mpg_pool_ends *ends) {
  struct mpg_gang_work *w = g->work;
  int64_t at = INT64_MIN;
  size_t n = 0, s = 0, e = 0;
  bool released = false;
  running now = {0, 0, 0, NO_HOLD};
  mpg_demand demand;
  mpg_rc rc = order_sweep(g, 0, w->nholds, &n);
  if (rc == MPG_OK)
    rc = gather_arrivals(g);
  if (rc == MPG_OK)
    rc = mpg_demand_init(&demand, g, job, ends, w->arrivals, w->nholds);
  if (rc == MPG_OK)
    rc = ROOM(g, w->running, w->running_cap, g->nattempts + 1);
  if (rc != MPG_OK)
    return rc;
  if (!mpg_clear(g->env, w->running, (g->nattempts + 1) * sizeof *w->running))
    return MPG_INTERRUPTED;
  for (;;) {
    int64_t next = INT64_MAX;
    if (e < n)
      next = w->holds[w->by_end[e]].end;
    if (s < n && w->holds[w->by_start[s]].start < next)
      next = w->holds[w->by_start[s]].start;
    if (demand.asks && !are_enough(now.chips, now.fractions, job->chips))
      rc = mpg_demand_short(&demand, g, at, next, now.chips, now.fractions / 2);
    if (rc != MPG_OK)
      return rc;
    if (mpg_poll_work(g->env, &g->done, 16))
      return MPG_INTERRUPTED;
    /* Where several attempts hold chips, the one that covers the moment is that of the hold that
    ** began last; of several such the highest: so they are ordered. */
    if (now.attempts > 0 && add_cover(g, at, next, w->holds[now.last].attempt) != MPG_OK)
      return MPG_NOMEM;
    if (next == INT64_MAX)
      return MPG_OK;
    at = next;
    for (; e < n && w->holds[w->by_end[e]].end == at; e++) {
      end_hold(&now, w, w->by_end[e]);
      released |= w->holds[w->by_end[e]].outcome == MPG_RELEASED;
      if (mpg_poll_work(g->env, &g->done, ONE_HOLD))
        return MPG_INTERRUPTED;
    }
    for (; s < n && w->holds[w->by_start[s]].start == at; s++) {
      begin_hold(&now, w, w->by_start[s]);
      if (mpg_poll_work(g->env, &g->done, ONE_HOLD))
        return MPG_INTERRUPTED;
    }
    if (now.chips > g->most_held)
      g->most_held = now.chips;
    mpg_demand_hold(&demand, released, at, now.chips);
    released = false;
  }
}

static int cover_order(const void *pa, const void *pb, void *ctx) {
  const mpg_cover *a = pa, *b = pb;
  (void)ctx;
  return (a->start > b->start) - (a->start < b->start);
}

/* Whether two attempts held chips at the same time. Stretches of one attempt never overlap, so each
** need only be held against the one that lasts longest of those that began before it. */
static mpg_rc find_overlap(mpg_gang *g) {
  struct mpg_gang_work *w = g->work;
  mpg_cover longest = {INT64_MIN, INT64_MIN, 0};
  size_t n = 0;
  mpg_rc rc;
  if (g->nattempts < 2)
    return MPG_OK;
  if (ROOM(g, w->spells, w->spells_cap, g->nstretches) != MPG_OK)
    return MPG_NOMEM;
  for (size_t a = 0; a < g->nattempts; a++)
    for (size_t k = 0; k < g->attempts[a].nstretches; k++) {
      const mpg_stretch *s = &g->stretches[g->attempts[a].stretch + k];
      w->spells[n++] = (mpg_cover){s->start, s->end, a};
    }
  rc = mpg_sort(g->env, w->spells, n, sizeof *w->spells, cover_order, NULL);
  if (rc != MPG_OK)
    return rc;
  for (size_t i = 0; i < n; i++) {
    g->overlapping |= w->spells[i].start < longest.end && w->spells[i].attempt != longest.attempt;
    if (w->spells[i].end > longest.end)
      longest = w->spells[i];
  }
  return MPG_OK;
}

mpg_rc mpg_gang_build(mpg_gang *g, const mpg_fleet *fleet, const mpg_job *job,
                      const mpg_pool_ends *ends, mpg_err *err) {
  int64_t *held = NULL;
  mpg_rc rc;
  g->nattempts = g->nstretches = g->nrates = g->ncovers = g->nshortfalls = 0;
  g->most_held = 0;
  g->overlapping = false;
  rc = gather_pools(g, fleet, job);
  g->end = mpg_pool_ends_of_job(ends, job, g->pools, g->npools);
  if (rc == MPG_OK)
    rc = gather_holds(g, fleet, job, ends);
  if (rc == MPG_OK)
    rc = gather_attempts(g);
  if (rc == MPG_OK) {
    held = mpg_malloc(g->env, (2 * g->npools + 1) * sizeof *held);
    rc = held == NULL ? MPG_NOMEM : sweep_job(g, job, ends);
  }
  for (size_t a = 0; rc == MPG_OK && a < g->nattempts; a++)
    rc = sweep_attempt(g, job, &g->attempts[a], held);
  if (rc == MPG_OK)
    rc = find_overlap(g);
  mpg_free(g->env, held);
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}
