/*
** test_pools.c - the chips of random pools, and what of them is down and idle, beside section 2 of
** docs/rules.md worked out second by second, record by record; and the same stopped, or without
** memory, at every place.
*/
#include "check.h"
#include "hostile.h"
#include "trace.h"
#include "../../ext/goodput/rules/pools.h"

enum { MOST = 6, PLACES = 12, POOLS = 3, QUARTER = 250000 }; /* times are 0 .. PLACES - 1 seconds */

static const char *const pool_names[POOLS] = {"a", "b", "c"};
static const char *const chip_names[] = {"", "tpu-v4", "tpu-v5e"};
static const char *const kinds[] = {"hw_down", "repair"};

static mpg_chips *catalogue;

/* A capacity record, an outage or a holding: chips in quarters. */
typedef struct record {
  int pool, start, end, chips, name;
} record;

typedef struct naive {
  record capacity[MOST], outages[MOST], holdings[MOST];
  int ncapacity, noutages, nholdings, as_of;
} naive;

static bool in_force(const record *r, int pool, int at) {
  return r->pool == pool && r->start <= at && at < r->end;
}

/* The one chip that the records in force name; "": none, or several. */
static const char *chip_at(const naive *x, int pool, int at, bool *several) {
  int found = 0;
  *several = false;
  for (int i = 0; i < x->ncapacity; i++)
    if (in_force(&x->capacity[i], pool, at) && x->capacity[i].name != 0) {
      *several |= found != 0 && found != x->capacity[i].name;
      found = x->capacity[i].name;
    }
  return *several ? "" : chip_names[found];
}

/* Of a pool all of whose records name one chip, or none, that is its chip at any time. */
static const char *chip_of(const naive *x, int pool, int at) {
  int found = 0;
  bool several = false;
  for (int i = 0; i < x->ncapacity; i++)
    if (x->capacity[i].pool == pool && x->capacity[i].name != 0) {
      several |= found != 0 && found != x->capacity[i].name;
      found = x->capacity[i].name;
    }
  return several ? chip_at(x, pool, at, &several) : chip_names[found];
}

static int sum_at(const record *r, int n, int pool, int at, int name) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    if (in_force(&r[i], pool, at) && (name < 0 || r[i].name == name))
      sum += r[i].chips;
  return sum;
}

static bool has_capacity(const naive *x, int pool) {
  for (int i = 0; i < x->ncapacity; i++)
    if (x->capacity[i].pool == pool && x->capacity[i].start < x->as_of)
      return true;
  return false;
}

/* Quarters of chips of each pool and second, as the rows tell it. */
typedef struct seen {
  const mpg_fleet *fleet;
  const naive *x;
  int64_t idle[PLACES], down[2][PLACES];
  int rows;
} seen;

static bool is_text(const mpg_intern *texts, uint32_t id, const char *expected) {
  return *expected == '\0' ? id == 0 : mpg_str_eq(mpg_intern_text(texts, id), mpg_str_of(expected));
}

static mpg_rc see(void *ctx, const mpg_row *row) {
  seen *s = ctx;
  int64_t from = row->start / MPG_SECOND, to = row->end / MPG_SECOND, quarters;
  CHECK(row->job == 0 && row->attempt == MPG_NONE && row->step == MPG_NONE && row->kind == 0);
  CHECK(row->category == MPG_IDLE || row->category == MPG_DOWN);
  CHECK(from >= 0 && from < to && to <= PLACES && row->chip_us != 0);
  quarters = row->chip_us / (to - from) / QUARTER;
  CHECK(quarters * QUARTER * (to - from) == row->chip_us);
  for (int64_t at = from; at < to; at++) {
    int k = row->category == MPG_DOWN ? is_text(&s->fleet->texts, row->cause, kinds[1]) : 0;
    int64_t *to_add = row->category == MPG_DOWN ? &s->down[k][at] : &s->idle[at];
    *to_add += quarters;
    CHECK(is_text(&s->fleet->texts, row->chip, chip_of(s->x, (int)row->pool - 1, (int)at)));
  }
  CHECK(row->category == MPG_IDLE ? row->cause == 0 : row->cause != 0);
  s->rows++;
  return MPG_OK;
}

/* Whether something of the pool begins or ends at a moment. */
static bool changes_at(const naive *x, int pool, int at) {
  const record *lists[] = {x->capacity, x->outages, x->holdings};
  const int n[] = {x->ncapacity, x->noutages, x->nholdings};
  for (int l = 0; l < 3; l++)
    for (int i = 0; i < n[l]; i++) {
      const record *r = &lists[l][i];
      if (r->pool == pool && r->start < r->end && (r->start == at || r->end == at))
        return true;
    }
  return false;
}

static const mpg_issue *issue_of(const mpg_issues *issues, const char *kind) {
  for (size_t i = 0; i < issues->n; i++)
    if (strcmp(issues->items[i].kind, kind) == 0)
      return &issues->items[i];
  return NULL;
}

static void check_issues(const naive *x, int pool, bool shard, const mpg_issues *issues) {
  bool any = shard, capacity = has_capacity(x, pool), mixed = false, at_once;
  int most = 0, over = 0, first = 0;
  char text[120];
  for (int at = 0; at < PLACES; at++) {
    int idle = sum_at(x->capacity, x->ncapacity, pool, at, -1) -
               sum_at(x->outages, x->noutages, pool, at, -1) -
               sum_at(x->holdings, x->nholdings, pool, at, -1);
    any |= changes_at(x, pool, at);
    (void)chip_at(x, pool, at, &at_once);
    mixed |= at_once;
    if (!shard && capacity && idle < 0 && changes_at(x, pool, at) && over++ == 0)
      first = at;
  }
  for (int i = 0; i < x->ncapacity; i++)
    if (x->capacity[i].pool == pool && x->capacity[i].start < x->as_of &&
        x->capacity[i].chips > most)
      most = x->capacity[i].chips;
  CHECK((issue_of(issues, "no_capacity") != NULL) == (any && !shard && !capacity));
  CHECK((issue_of(issues, "zero_capacity") != NULL) == (any && !shard && capacity && most == 0));
  CHECK((issue_of(issues, "mixed_pool") != NULL) == (any && mixed));
  CHECK((issue_of(issues, "oversubscribed") != NULL) == (over > 0));
  if (over > 0 && issue_of(issues, "oversubscribed") != NULL) {
    (void)snprintf(
        text, sizeof text,
        "pool %s: more chips held or down than installed, first at 1970-01-01T00:00:%02dZ",
        pool_names[pool], first);
    CHECK(issue_of(issues, "oversubscribed")->count == over);
    CHECK(strcmp(issue_of(issues, "oversubscribed")->detail, text) == 0);
  }
}

static void check_pool(const naive *x, const mpg_pools *ps, int pool, mpg_basis basis) {
  const mpg_window window = {0, INT64_MAX, {.width_us = 0}};
  bool shard = basis == MPG_BASIS_SHARD;
  mpg_issues issues;
  seen s = {.fleet = ps->fleet, .x = x};
  mpg_sink sink = {see, &s, NULL};
  mpg_err err;
  mpg_issues_init(&issues, &mpg_env_libc);
  CHECK(mpg_pools_account(ps, (uint32_t)pool, basis, &window, &sink, &issues, "test", &err) ==
        MPG_OK);
  for (int at = 0; at < PLACES; at++) {
    int capacity = shard ? 0 : sum_at(x->capacity, x->ncapacity, pool, at, -1);
    int down = shard ? 0 : sum_at(x->outages, x->noutages, pool, at, -1);
    int held = sum_at(x->holdings, x->nholdings, pool, at, -1);
    CHECK(s.idle[at] == (has_capacity(x, pool) ? capacity - down - held : 0));
    for (int k = 0; k < 2; k++)
      CHECK(s.down[k][at] ==
            (basis == MPG_BASIS_INSTALLED ? sum_at(x->outages, x->noutages, pool, at, k) : 0));
  }
  check_issues(x, pool, shard, &issues);
  mpg_issues_free(&issues);
}

static void check_chips(const naive *x, const mpg_pools *ps, int pool) {
  for (int at = 0; at < PLACES; at++) {
    int64_t until;
    uint32_t chip = mpg_pools_chip(ps, (uint32_t)pool, at * MPG_SECOND, &until);
    CHECK(is_text(&ps->fleet->texts, chip, chip_of(x, pool, at)));
    CHECK(until > at * MPG_SECOND);
    for (int later = at + 1; later < PLACES && later * MPG_SECOND < until; later++)
      CHECK(is_text(&ps->fleet->texts, chip, chip_of(x, pool, later)));
    if (until < x->as_of * MPG_SECOND) /* and no sooner than it has to */
      CHECK(!is_text(&ps->fleet->texts, chip, chip_of(x, pool, (int)(until / MPG_SECOND))));
  }
}

/* ---- random pools ---- */

static record draw(int as_of) {
  record r = {.pool = check_below(POOLS),
              .start = check_below(PLACES - 2),
              .chips = check_below(4) ? check_below(20) : 0};
  r.end = r.start + check_below(PLACES - r.start);
  if (r.start >= as_of)
    r.start = as_of - 1;
  r.end = r.end < r.start ? r.start : r.end;
  return r;
}

static mpg_rc random_pools(mpg_fleet *fleet, naive *x, mpg_err *err) {
  char line[200];
  int column, chips = check_below(3);
  mpg_rc rc = mpg_fleet_from(fleet, "test", err);
  for (int p = 0; rc == MPG_OK && p < POOLS; p++) { /* so that they have these numbers */
    (void)snprintf(line, sizeof line, "outages pool=%s chips=0 start_time=0 end_time=0 kind=none",
                   pool_names[p]);
    rc = trace_add(fleet, line, 1, &column, err);
  }
  x->ncapacity = check_below(MOST + 1);
  x->noutages = check_below(MOST + 1);
  x->nholdings = check_below(MOST + 1);
  for (int i = 0; rc == MPG_OK && i < x->ncapacity; i++) {
    record *r = &x->capacity[i];
    *r = draw(x->as_of);
    r->start += check_below(6) == 0 ? 3 : 0; /* perhaps not installed yet */
    r->end = r->end < r->start ? r->start : r->end;
    r->name = chips == 0 ? 0 : chips == 1 ? check_below(2) : check_below(3);
    (void)snprintf(line, sizeof line, "capacity pool=%s chips=%.2f start_time=%d end_time=%d%s%s",
                   pool_names[r->pool], r->chips / 4.0, r->start, r->end, r->name ? " chip=" : "",
                   chip_names[r->name]);
    rc = trace_add(fleet, line, i + 2, &column, err);
    if (r->start >= x->as_of)
      r->chips = r->name = 0;
    r->end = r->end > x->as_of ? x->as_of : r->end;
  }
  for (int i = 0; rc == MPG_OK && i < x->noutages; i++) {
    record *r = &x->outages[i];
    *r = draw(x->as_of);
    r->name = check_below(2);
    (void)snprintf(line, sizeof line,
                   "outages pool=%s chips=%.2f start_time=%d end_time=%d kind=%s",
                   pool_names[r->pool], r->chips / 4.0, r->start, r->end, kinds[r->name]);
    rc = trace_add(fleet, line, i + 9, &column, err);
    r->end = r->end > x->as_of ? x->as_of : r->end;
  }
  for (int i = 0; i < x->nholdings; i++) {
    x->holdings[i] = draw(x->as_of);
    x->holdings[i].end = x->holdings[i].end > x->as_of ? x->as_of : x->holdings[i].end;
  }
  return rc == MPG_OK ? mpg_fleet_seal(fleet, err) : rc;
}

/* Held by two threads, each with a view of its own. */
static mpg_rc hold(const naive *x, mpg_pools *ps, mpg_err *err) {
  mpg_pools views[2] = {mpg_pools_view(ps, ps->env), mpg_pools_view(ps, ps->env)};
  mpg_rc rc = MPG_OK;
  for (int i = 0; rc == MPG_OK && i < x->nholdings; i++) {
    const record *r = &x->holdings[i];
    rc = mpg_pools_hold(i % 3 == 2 ? ps : &views[i % 3], (uint32_t)r->pool, r->start * MPG_SECOND,
                        r->end * MPG_SECOND, (int64_t)r->chips * QUARTER, err);
  }
  for (int v = 0; v < 2; v++) {
    mpg_rc gathered = mpg_pools_gather(ps, &views[v], err);
    rc = rc == MPG_OK ? gathered : rc;
  }
  return rc == MPG_OK ? mpg_pools_sort(ps, err) : rc;
}

static mpg_rc count(void *ctx, const mpg_row *row) {
  *(int64_t *)ctx += row->chip_us;
  return MPG_OK;
}

/* All of it within an environment: the sum of all rows. */
static mpg_rc run(const naive *x, const mpg_fleet *fleet, const mpg_env *env, int64_t *sum) {
  const mpg_window window = {0, INT64_MAX, {.width_us = 0}};
  mpg_sink sink = {count, sum, NULL};
  mpg_issues issues;
  mpg_pools ps;
  mpg_err err = {MPG_OK, ""};
  const mpg_pool_ends ends = mpg_pool_ends_at(x->as_of * MPG_SECOND);
  mpg_rc rc = mpg_pools_init(&ps, env, fleet, &ends, &err);
  *sum = 0;
  mpg_issues_init(&issues, env);
  rc = rc == MPG_OK ? hold(x, &ps, &err) : rc;
  for (uint32_t p = 0; rc == MPG_OK && p < POOLS; p++)
    rc = mpg_pools_account(&ps, p, MPG_BASIS_INSTALLED, &window, &sink, &issues, "test", &err);
  CHECK(rc == MPG_OK || err.rc == rc);
  CHECK(rc != MPG_NOMEM || strcmp(err.text, "out of memory") == 0);
  CHECK(rc != MPG_INTERRUPTED || strcmp(err.text, "interrupted") == 0);
  mpg_pools_free(&ps);
  mpg_pools_free(&ps);
  mpg_issues_free(&issues);
  return rc;
}

static void check_faults(const naive *x, const mpg_fleet *fleet) {
  int64_t right, sum;
  CHECK(run(x, fleet, &mpg_env_libc, &right) == MPG_OK);
  for (int stopped = 0; stopped < 2; stopped++)
    for (long n = 1;; n++) {
      hostile h = {0, stopped ? 0 : n, false, false, stopped ? n + 1 : 0};
      mpg_env env = hostile_env(&h);
      mpg_rc rc = run(x, fleet, &env, &sum);
      bool struck = h.failed || h.stop_in == 1;
      CHECK(rc == (h.failed ? MPG_NOMEM : struck ? MPG_INTERRUPTED : MPG_OK));
      CHECK(h.live == 0 && (rc != MPG_OK || sum == right));
      if (!struck)
        break;
    }
}

/* Many pools, records and holdings of one pool: the host is asked while they are worked off. */
static void test_asked(void) {
  static const char *const lines[] = {
      "capacity pool=a chips=4 chip=tpu-v4 start_time=0 end_time=90000",
      "capacity pool=a chips=4 chip=tpu-v5e start_time=5 end_time=90000"};
  enum { N = 40000 };
  long asked = 0;
  mpg_issues issues;
  mpg_fleet fleet;
  mpg_err err;
  mpg_issues_init(&issues, &mpg_env_libc);
  CHECK(mpg_fleet_init(&fleet, &mpg_env_libc, &issues, catalogue, &err) == MPG_OK);
  CHECK(trace_build(&fleet, lines, 2, &err) == MPG_OK);
  for (mpg_rc rc = MPG_INTERRUPTED; rc == MPG_INTERRUPTED; asked++) {
    const mpg_window window = {0, INT64_MAX, {.width_us = 0}};
    hostile h = {0, 0, false, false, asked + 2};
    mpg_env env = hostile_env(&h);
    int64_t sum = 0;
    mpg_sink sink = {count, &sum, NULL};
    mpg_pools ps;
    const mpg_pool_ends ends = mpg_pool_ends_at(90000 * MPG_SECOND);
    CHECK(mpg_pools_init(&ps, &env, &fleet, &ends, &err) == MPG_OK);
    for (int i = 0; i < N; i++)
      CHECK(mpg_pools_hold(&ps, 0, i * 2 * MPG_SECOND, (i * 2 + 1) * MPG_SECOND, 1000000, &err) ==
            MPG_OK);
    rc = mpg_pools_sort(&ps, &err);
    if (rc == MPG_OK)
      rc = mpg_pools_account(&ps, 0, MPG_BASIS_INSTALLED, &window, &sink, &issues, "test", &err);
    CHECK(rc == (h.stop_in == 1 ? MPG_INTERRUPTED : MPG_OK));
    if (rc == MPG_OK) /* 4 chips, 8 from second 5 on, less one chip held every other second */
      CHECK(sum == (int64_t)(4 * 90000 + 4 * (90000 - 5) - N) * MPG_SECOND);
    mpg_pools_free(&ps);
    CHECK(h.live == 0);
  }
  CHECK(asked > 10);
  mpg_fleet_free(&fleet);
  mpg_issues_free(&issues);
}

int main(void) {
  mpg_err err;
  CHECK(mpg_chips_new(&catalogue, &mpg_env_libc, &err) == MPG_OK);
  for (int round = 0; round < 4000 / check_stride(5); round++) {
    mpg_issues issues;
    mpg_fleet fleet;
    mpg_pools ps;
    naive x = {.as_of = PLACES - check_below(4)};
    mpg_issues_init(&issues, &mpg_env_libc);
    CHECK(mpg_fleet_init(&fleet, &mpg_env_libc, &issues, catalogue, &err) == MPG_OK);
    CHECK(random_pools(&fleet, &x, &err) == MPG_OK && mpg_fleet_npools(&fleet) == POOLS);
    const mpg_pool_ends ends = mpg_pool_ends_at(x.as_of * MPG_SECOND);
    CHECK(mpg_pools_init(&ps, &mpg_env_libc, &fleet, &ends, &err) == MPG_OK);
    CHECK(hold(&x, &ps, &err) == MPG_OK);
    for (int p = 0; p < POOLS; p++) {
      check_chips(&x, &ps, p);
      for (int basis = MPG_BASIS_INSTALLED; basis <= MPG_BASIS_SHARD; basis++)
        check_pool(&x, &ps, p, (mpg_basis)basis);
    }
    if (round % 100 == 0)
      check_faults(&x, &fleet);
    mpg_pools_free(&ps);
    mpg_fleet_free(&fleet);
    mpg_issues_free(&issues);
  }
  test_asked();
  mpg_chips_free(catalogue);
  return check_done("pools");
}
