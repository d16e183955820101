/* pools.c - see pools.h. */
#include "pools.h"
#include "../../base/ascii.h"
#include "../../base/sort.h"

#include <stdlib.h>
#include <string.h>

#define MILLION INT64_C(1000000)

/* ---- which chip when ---- */

static int capacity_order(const void *pa, const void *pb, void *ctx) {
  const mpg_capacity *a = pa, *b = pb;
  int c = mpg_compare_int64(a->pool, b->pool);
  (void)ctx;
  return c ? c : mpg_compare_int64(a->start, b->start);
}

static int outage_order(const void *pa, const void *pb, void *ctx) {
  const mpg_outage *a = pa, *b = pb;
  int c = mpg_compare_int64(a->pool, b->pool);
  (void)ctx;
  return c ? c : mpg_compare_int64(a->start, b->start);
}

static mpg_rc add_since(mpg_pools *ps, mpg_pool *pool, int64_t start, uint32_t chip) {
  if (pool->nsince > 0 && ps->since[ps->nsince - 1].chip == chip)
    return MPG_OK;
  if (mpg_grow(ps->env, &ps->since, &ps->since_cap, ps->nsince + 1, sizeof *ps->since) != MPG_OK)
    return MPG_NOMEM;
  ps->since[ps->nsince++] = (mpg_chip_since){start, chip};
  pool->nsince++;
  return MPG_OK;
}

/* A record of a chip comes into force, or goes. */
typedef struct edge {
  int64_t at;
  int32_t sign;
  uint32_t chip;
} edge;

static int edge_order(const void *pa, const void *pb, void *ctx) {
  (void)ctx;
  return mpg_compare_int64(((const edge *)pa)->at, ((const edge *)pb)->at);
}

/* The chips of the records in force, as numbers: how many, their sum and that of their squares. */
typedef struct in_force {
  mpg_i128 n, sum, squares;
} in_force;

static void pass_edge(in_force *now, const edge *e) {
  now->n += e->sign;
  now->sum += e->sign * (mpg_i128)e->chip;
  now->squares += e->sign * ((mpg_i128)e->chip * e->chip);
}

/* Whether there are several: n numbers are the same if n times the sum of their squares is the
** square of their sum (Cauchy and Schwarz). Of fewer than 2^31 that is within 127 bits. */
static bool are_several(const in_force *now) {
  return now->n * now->squares != now->sum * now->sum;
}

/* Pools with one chip are the rule; others are looked at wherever a record begins or ends. Where no
** record of capacity names a chip, it is `told`. */
static mpg_rc find_chips(mpg_pools *ps, mpg_pool *pool, uint32_t told) {
  in_force now = {0, 0, 0};
  uint32_t only = 0;
  edge *edges;
  size_t n = 0;
  mpg_rc rc;
  pool->since = ps->nsince;
  for (size_t i = pool->capacity; i < pool->capacity + pool->ncapacity; i++) {
    uint32_t chip = ps->capacity[i].chip;
    if (mpg_poll(ps->env, i))
      return MPG_INTERRUPTED;
    pool->several |= only != 0 && chip != 0 && chip != only;
    only = chip != 0 ? chip : only;
  }
  if (!pool->several)
    return add_since(ps, pool, INT64_MIN, only != 0 ? only : told);
  edges = mpg_malloc(ps->env, 2 * pool->ncapacity * sizeof *edges);
  if (edges == NULL)
    return MPG_NOMEM;
  for (size_t i = pool->capacity; i < pool->capacity + pool->ncapacity; i++) {
    const mpg_capacity *c = &ps->capacity[i];
    if (c->chip == 0 || c->start >= c->end)
      continue;
    edges[n++] = (edge){c->start, 1, c->chip};
    edges[n++] = (edge){c->end, -1, c->chip};
  }
  rc = mpg_sort(ps->env, edges, n, sizeof *edges, edge_order, NULL);
  if (rc == MPG_OK)
    rc = add_since(ps, pool, INT64_MIN, 0);
  for (size_t i = 0; rc == MPG_OK && i < n; i++) {
    if (mpg_poll(ps->env, i))
      rc = MPG_INTERRUPTED;
    pass_edge(&now, &edges[i]);
    if (rc != MPG_OK || (i + 1 < n && edges[i + 1].at == edges[i].at))
      continue;
    pool->mixed |= are_several(&now);
    rc = add_since(ps, pool, edges[i].at,
                   now.n == 0 || are_several(&now) ? 0 : (uint32_t)(now.sum / now.n));
  }
  mpg_free(ps->env, edges);
  return rc;
}

uint32_t mpg_pools_chip(const mpg_pools *ps, uint32_t pool, int64_t at, int64_t *until) {
  const mpg_pool *p = &ps->pools[pool];
  const mpg_chip_since *since = ps->since + p->since;
  size_t lo = 0, hi = p->nsince;
  while (hi - lo > 1) { /* since[lo].start <= at */
    size_t mid = lo + (hi - lo) / 2;
    if (since[mid].start <= at)
      lo = mid;
    else
      hi = mid;
  }
  *until = lo + 1 < p->nsince ? since[lo + 1].start : INT64_MAX;
  return since[lo].chip;
}

/* ---- life ---- */

/* NULL on failure; *rc says why. */
static void *copy_of(const mpg_env *env, const void *p, size_t n, size_t size, mpg_rc *rc) {
  void *copy = *rc == MPG_OK ? mpg_malloc(env, n * size) : NULL;
  if (*rc == MPG_OK && copy == NULL)
    *rc = MPG_NOMEM;
  if (*rc == MPG_OK && !mpg_copy(env, copy, p, n * size))
    *rc = MPG_INTERRUPTED;
  return copy;
}

/* The chip that sources tell of each pool apart from its capacity, 0: none. Of several that of the
** greatest name. NULL on failure; *rc says why. */
static uint32_t *chips_without_capacity(const mpg_env *env, const mpg_fleet *f, mpg_rc *rc) {
  uint32_t *told = mpg_zeroed(env, (mpg_fleet_npools(f) + 1) * sizeof *told, rc);
  for (size_t i = 0; *rc == MPG_OK && i < f->nobserved; i++) {
    const mpg_observed *o = &f->observed[i]; /* of pool 0 none is read */
    if (mpg_intern_cmp(&f->texts, o->chip, told[o->pool]) > 0)
      told[o->pool] = o->chip;
    *rc = mpg_poll(env, i) ? MPG_INTERRUPTED : MPG_OK;
  }
  return told;
}

mpg_rc mpg_pools_init(mpg_pools *ps, const mpg_env *env, const mpg_fleet *fleet,
                      const mpg_pool_ends *ends, mpg_err *err) {
  size_t n = mpg_fleet_npools(fleet), c = 0, o = 0, ncapacity = 0;
  uint32_t *told;
  mpg_rc rc;
  memset(ps, 0, sizeof *ps);
  ps->env = env;
  ps->fleet = fleet;
  ps->ends = ends;
  ps->pools = mpg_zeroed(env, (n + 1) * sizeof *ps->pools, &rc);
  ps->capacity = copy_of(env, fleet->capacity, fleet->ncapacity, sizeof *ps->capacity, &rc);
  ps->outages = copy_of(env, fleet->outages, fleet->noutages, sizeof *ps->outages, &rc);
  for (size_t i = 0; rc == MPG_OK && i < fleet->ncapacity; i++) {
    int64_t end = mpg_pool_end(ends, fleet->capacity[i].pool);
    if (fleet->capacity[i].start < end) { /* later ones have not been installed yet */
      ps->capacity[ncapacity] = fleet->capacity[i];
      if (ps->capacity[ncapacity].end > end)
        ps->capacity[ncapacity].end = end;
      ncapacity++;
    }
    rc = mpg_poll(env, i) ? MPG_INTERRUPTED : MPG_OK;
  }
  if (rc == MPG_OK)
    rc = mpg_sort(env, ps->capacity, ncapacity, sizeof *ps->capacity, capacity_order, NULL);
  if (rc == MPG_OK)
    rc = mpg_sort(env, ps->outages, fleet->noutages, sizeof *ps->outages, outage_order, NULL);
  told = rc == MPG_OK ? chips_without_capacity(env, fleet, &rc) : NULL;
  for (uint32_t p = 0; rc == MPG_OK && p < n; p++) {
    mpg_pool *pool = &ps->pools[p];
    pool->capacity = c;
    while (c < ncapacity && ps->capacity[c].pool == p)
      c++;
    pool->ncapacity = c - pool->capacity;
    pool->outage = o;
    while (o < fleet->noutages && ps->outages[o].pool == p)
      o++;
    pool->noutages = o - pool->outage;
    rc = mpg_poll(env, p) ? MPG_INTERRUPTED : find_chips(ps, pool, told[p + 1]);
  }
  mpg_free(env, told);
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

void mpg_pools_free(mpg_pools *ps) {
  if (ps->env == NULL)
    return;
  mpg_free(ps->env, ps->pools);
  mpg_free(ps->env, ps->since);
  mpg_free(ps->env, ps->capacity);
  mpg_free(ps->env, ps->outages);
  mpg_free(ps->env, ps->holdings);
  memset(ps, 0, sizeof *ps);
}

mpg_rc mpg_pools_hold(mpg_pools *ps, uint32_t pool, int64_t start, int64_t end, int64_t chips,
                      mpg_err *err) {
  if (mpg_grow(ps->env, &ps->holdings, &ps->holdings_cap, ps->nholdings + 1,
               sizeof *ps->holdings) != MPG_OK)
    return mpg_fail_nomem(err);
  ps->holdings[ps->nholdings++] = (mpg_holding){pool, start, end, chips};
  return MPG_OK;
}

mpg_pools mpg_pools_view(const mpg_pools *ps, const mpg_env *env) {
  mpg_pools view = *ps;
  view.env = env;
  view.holdings = NULL;
  view.nholdings = view.holdings_cap = 0;
  return view;
}

mpg_rc mpg_pools_gather(mpg_pools *ps, mpg_pools *view, mpg_err *err) {
  size_t n = ps->nholdings + view->nholdings;
  mpg_rc rc = MPG_OK;
  if (ps->nholdings == 0) { /* the first view's array becomes the pools' */
    mpg_free(ps->env, ps->holdings);
    ps->holdings = view->holdings;
    ps->holdings_cap = view->holdings_cap;
  } else {
    rc = mpg_grow(ps->env, &ps->holdings, &ps->holdings_cap, n, sizeof *ps->holdings);
    if (rc == MPG_OK && !mpg_copy(ps->env, ps->holdings + ps->nholdings, view->holdings,
                                  view->nholdings * sizeof *ps->holdings))
      rc = MPG_INTERRUPTED;
    mpg_free(view->env, view->holdings);
  }
  if (rc == MPG_OK)
    ps->nholdings = n;
  view->holdings = NULL;
  view->nholdings = view->holdings_cap = 0;
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

static int holding_order(const void *pa, const void *pb, void *ctx) {
  const mpg_holding *a = pa, *b = pb;
  int c = mpg_compare_int64(a->pool, b->pool);
  (void)ctx;
  c = c ? c : mpg_compare_int64(a->start, b->start);
  c = c ? c : mpg_compare_int64(a->end, b->end);
  return c ? c : mpg_compare_int64(a->chips, b->chips);
}

mpg_rc mpg_pools_sort(mpg_pools *ps, mpg_err *err) {
  mpg_rc rc =
      mpg_sort(ps->env, ps->holdings, ps->nholdings, sizeof *ps->holdings, holding_order, NULL);
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

/* ---- down and idle ---- */

typedef enum change_of { CAPACITY, OUTAGE, HOLDING, CHIP } change_of;

/* Something that changes how many chips of a pool are there, down or held. */
typedef struct change {
  int64_t at, chips; /* millionths, signed */
  change_of what;
  uint32_t kind; /* of an outage */
} change;

typedef struct down {
  uint32_t kind;
  int64_t chips;
} down;

/* The sweep over one pool. */
typedef struct sweep {
  const mpg_env *env;
  change *changes;
  size_t n, changes_cap;
  int64_t capacity;
  down *downs;
  size_t ndowns, downs_cap;
  int64_t idle; /* whole chips: see mpg_rate */
  mpg_fraction *fractions;
  size_t nfractions, fractions_cap;
} sweep;

static mpg_rc add_changes(sweep *s, int64_t start, int64_t end, int64_t chips, change_of what,
                          uint32_t kind) {
  if (start >= end)
    return MPG_OK;
  if (mpg_grow(s->env, &s->changes, &s->changes_cap, s->n + 2, sizeof *s->changes) != MPG_OK)
    return MPG_NOMEM;
  s->changes[s->n].at = start;
  s->changes[s->n].chips = chips;
  s->changes[s->n].kind = kind;
  s->changes[s->n].what = what;
  s->changes[s->n + 1] = s->changes[s->n];
  s->changes[s->n + 1].at = end;
  s->changes[s->n + 1].chips = -chips;
  s->n += 2;
  return MPG_OK;
}

static int change_order(const void *pa, const void *pb, void *ctx) {
  const change *a = pa, *b = pb;
  (void)ctx;
  return mpg_compare_int64(a->at, b->at);
}

/* Adds `sign` times a rate of `chips` millionths to what is idle. */
static mpg_rc add_idle(sweep *s, int64_t chips, int64_t sign) {
  uint32_t f = (uint32_t)(chips % MILLION);
  size_t i = 0;
  s->idle += sign * (chips / MILLION);
  if (f == 0)
    return MPG_OK;
  while (i < s->nfractions && s->fractions[i].millionths != f)
    i++;
  if (i == s->nfractions) {
    if (mpg_grow(s->env, &s->fractions, &s->fractions_cap, i + 1, sizeof *s->fractions) != MPG_OK)
      return MPG_NOMEM;
    s->fractions[s->nfractions++] = (mpg_fraction){f, 0};
  }
  s->fractions[i].count += sign;
  if (s->fractions[i].count == 0)
    s->fractions[i] = s->fractions[--s->nfractions];
  return MPG_OK;
}

/* A sum that changes leaves idle as one rate and comes back as another. */
static mpg_rc change_sum(sweep *s, int64_t *sum, int64_t chips, int64_t sign) {
  mpg_rc rc = add_idle(s, *sum, -sign);
  *sum += chips;
  return rc == MPG_OK ? add_idle(s, *sum, sign) : rc;
}

static mpg_rc apply_change(sweep *s, const change *c) {
  size_t i = 0;
  switch (c->what) {
  case CAPACITY:
    return change_sum(s, &s->capacity, c->chips, 1);
  case OUTAGE:
    while (i < s->ndowns && s->downs[i].kind != c->kind)
      i++;
    if (i == s->ndowns) {
      if (mpg_grow(s->env, &s->downs, &s->downs_cap, i + 1, sizeof *s->downs) != MPG_OK)
        return MPG_NOMEM;
      s->downs[s->ndowns++] = (down){c->kind, 0};
    }
    return change_sum(s, &s->downs[i].chips, c->chips, -1);
  case HOLDING: /* each is a rate of its own, as its job's rows are */
    return c->chips < 0 ? add_idle(s, -c->chips, 1) : add_idle(s, c->chips, -1);
  default:
    return MPG_OK;
  }
}

static mpg_rc gather_changes(const mpg_pools *ps, uint32_t p, bool shard, sweep *s) {
  const mpg_pool *pool = &ps->pools[p];
  size_t ncapacity = shard ? 0 : pool->ncapacity, noutages = shard ? 0 : pool->noutages;
  size_t lo = 0, hi = ps->nholdings;
  const int64_t end = mpg_pool_end(ps->ends, p);
  for (size_t i = pool->capacity; i < pool->capacity + ncapacity; i++) {
    const mpg_capacity *c = &ps->capacity[i];
    if (add_changes(s, c->start, c->end, c->chips, CAPACITY, 0) != MPG_OK)
      return MPG_NOMEM;
  }
  for (size_t i = pool->outage; i < pool->outage + noutages; i++) {
    const mpg_outage *o = &ps->outages[i];
    if (add_changes(s, o->start, o->end < end ? o->end : end, o->chips, OUTAGE, o->kind) != MPG_OK)
      return MPG_NOMEM;
  }
  for (size_t i = 1; i < pool->nsince; i++) {
    int64_t at = ps->since[pool->since + i].start;
    if (add_changes(s, at, end, 0, CHIP, 0) != MPG_OK)
      return MPG_NOMEM;
  }
  while (lo < hi) { /* the pool's first holding */
    size_t mid = lo + (hi - lo) / 2;
    if (ps->holdings[mid].pool < p)
      lo = mid + 1;
    else
      hi = mid;
  }
  for (; lo < ps->nholdings && ps->holdings[lo].pool == p; lo++) {
    const mpg_holding *h = &ps->holdings[lo];
    if (mpg_poll(ps->env, lo))
      return MPG_INTERRUPTED;
    if (add_changes(s, h->start, h->end, h->chips, HOLDING, 0) != MPG_OK)
      return MPG_NOMEM;
  }
  return mpg_sort(ps->env, s->changes, s->n, sizeof *s->changes, change_order, NULL);
}

/* Whether more is held or down than exists; fractions of several sizes may add up to whole chips.
*/
static bool is_over(const sweep *s) {
  mpg_i128 idle = (mpg_i128)s->idle * MILLION;
  for (size_t i = 0; i < s->nfractions; i++)
    idle += (mpg_i128)s->fractions[i].count * s->fractions[i].millionths;
  return idle < 0;
}

/* The rows of [row->start, row->end), in which nothing changes. */
static mpg_rc emit_rows(const sweep *s, mpg_row *row, bool downs, bool idles,
                        const mpg_window *window, const mpg_sink *sink) {
  mpg_rate idle = {s->idle, s->fractions, s->nfractions};
  mpg_rc rc = MPG_OK;
  row->category = MPG_DOWN;
  for (size_t i = 0; downs && rc == MPG_OK && i < s->ndowns; i++) {
    if (mpg_poll(s->env, i))
      return MPG_INTERRUPTED;
    mpg_fraction room[2];
    mpg_rate rate = mpg_rate_of(s->downs[i].chips, 0, room);
    row->cause = s->downs[i].kind;
    rc = mpg_row_emit(s->env, window, row, &rate, MPG_NONE, sink);
  }
  row->category = MPG_IDLE;
  row->cause = 0;
  if (idles && rc == MPG_OK)
    rc = mpg_row_emit(s->env, window, row, &idle, MPG_NONE, sink);
  return rc;
}

/* Chips that exist but are under no record: what the pool's issues say of it. A shard knows neither
** all that is held nor what it is held of. */
static mpg_rc pool_issues(const mpg_pools *ps, uint32_t p, bool shard, int64_t over,
                          int64_t over_at, mpg_issues *issues, const char *source) {
  const mpg_pool *pool = &ps->pools[p];
  mpg_str name = mpg_intern_text(&ps->fleet->pool_names, p + 1);
  int n = (int)name.n;
  int64_t most = 0;
  char when[40];
  for (size_t i = pool->capacity; i < pool->capacity + pool->ncapacity; i++)
    most = ps->capacity[i].chips > most ? ps->capacity[i].chips : most;
  if (!shard && pool->ncapacity == 0 &&
      mpg_issues_add(issues, MPG_WARNING, source, "no_capacity", 0, 1,
                     "pool %.*s has no capacity record: its capacity is what is held or down", n,
                     name.p) != MPG_OK)
    return MPG_NOMEM;
  if (!shard && pool->ncapacity > 0 && most == 0 &&
      mpg_issues_add(issues, MPG_WARNING, source, "zero_capacity", 0, 1,
                     "pool %.*s has a capacity of 0 chips", n, name.p) != MPG_OK)
    return MPG_NOMEM;
  if (pool->mixed &&
      mpg_issues_add(issues, MPG_WARNING, source, "mixed_pool", 0, 1,
                     "pool %.*s has several kinds of chip at once: its chip is NULL then", n,
                     name.p) != MPG_OK)
    return MPG_NOMEM;
  (void)mpg_time_format(over_at, when);
  if (over > 0 && mpg_issues_add(issues, MPG_WARNING, source, "oversubscribed", 0, over,
                                 "pool %.*s: more chips held or down than installed, first at %s",
                                 n, name.p, when) != MPG_OK)
    return MPG_NOMEM;
  return MPG_OK;
}

mpg_rc mpg_pools_account(const mpg_pools *ps, uint32_t p, mpg_basis basis, const mpg_window *window,
                         const mpg_sink *sink, mpg_issues *issues, const char *source,
                         mpg_err *err) {
  const mpg_pool *pool = &ps->pools[p];
  sweep s = {.env = ps->env};
  mpg_row row = {.pool = p + 1, .attempt = MPG_NONE, .step = MPG_NONE};
  int64_t over = 0, over_at = 0;
  size_t done = 0;
  bool shard = basis == MPG_BASIS_SHARD;
  mpg_rc rc = gather_changes(ps, p, shard, &s);
  for (size_t i = 0; rc == MPG_OK && i < s.n;) {
    int64_t at = s.changes[i].at, until;
    for (; rc == MPG_OK && i < s.n && s.changes[i].at == at; i++)
      rc = apply_change(&s, &s.changes[i]);
    if (rc != MPG_OK || i == s.n)
      break;
    row.start = at;
    row.end = s.changes[i].at;
    row.chip = mpg_pools_chip(ps, p, at, &until);
    if (pool->ncapacity > 0 && !shard && is_over(&s) && over++ == 0)
      over_at = at;
    if (mpg_poll_work(ps->env, &done, 16 + 32 * s.ndowns))
      rc = MPG_INTERRUPTED;
    else
      rc = emit_rows(&s, &row, basis == MPG_BASIS_INSTALLED, pool->ncapacity > 0, window, sink);
  }
  if (rc == MPG_OK && (s.n > 0 || shard))
    rc = pool_issues(ps, p, shard, over, over_at, issues, source);
  mpg_free(ps->env, s.changes);
  mpg_free(ps->env, s.downs);
  mpg_free(ps->env, s.fractions);
  return rc == MPG_NOMEM || rc == MPG_INTERRUPTED ? mpg_fail_plain(err, rc) : rc;
}
