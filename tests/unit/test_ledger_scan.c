/*
** test_ledger_scan.c - random fleets: the rows of a ledger in every kind of order, filtered, and
** one of each; and roll-ups; by several threads and with every allocation failing, against
** accounting one unit after the other.
*/
#include "check.h"
#include "hostile.h"
#include "trace.h"
#include "../../ext/goodput/ledger/ledger_scan.h"
#include "../../ext/goodput/ledger/rollup_threads.h"

#include <pthread.h>
#include <stdio.h>

enum { LINES = 90, LINE = 200 };

static uint64_t seed = 11;
static size_t below(size_t n) {
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (size_t)((seed >> 33) % n);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *shared_resize(void *ctx, void *p, size_t n) {
  void *q;
  (void)pthread_mutex_lock(&lock);
  q = hostile_resize(ctx, p, n);
  (void)pthread_mutex_unlock(&lock);
  return q;
}

/* Of a host that may be asked, by its own thread alone, and never says stop. */
static bool never(void *ctx) {
  (void)ctx;
  return false;
}
static mpg_env asked;

/* ---- fleets ---- */

static char lines[LINES][LINE];

static const char *one_of(const char *const *words, size_t n) {
  return words[below(n)];
}
#define ONE_OF(...)                                                                                \
  one_of((const char *const[]){__VA_ARGS__},                                                       \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void write_fleet(void) {
  size_t njobs = 1 + below(12);
  for (size_t i = 0; i < LINES; i++) {
    size_t start = below(80), end = start + below(25);
    switch (below(12)) {
    case 0:
      (void)snprintf(lines[i], LINE, "capacity pool=p%zu%s chips=%zu start_time=%zu", below(3),
                     ONE_OF("", " chip=tpu-v4", " chip=tpu-v5e", " chip=a100"), below(20),
                     below(2) ? 0 : start);
      break;
    case 1:
      (void)snprintf(lines[i], LINE, "jobs job=j%zu phase=%s framework=%s chips=%zu%s",
                     below(njobs), ONE_OF("training", "serving"), ONE_OF("jax", "torch"), below(40),
                     ONE_OF("", " owner=ann", " name=a,b"));
      break;
    case 2:
    case 3:
      (void)snprintf(
          lines[i], LINE,
          "allocations job=j%zu attempt=%zu pool=p%zu chips=%s start_time=%zu end_time=%zu%s",
          below(njobs), below(3), below(3), ONE_OF("1", "2", "8", "0.5"), start, end + 10,
          ONE_OF("", " outcome=completed", " outcome=failed", " task=t"));
      break;
    case 4:
      (void)snprintf(lines[i], LINE, "commits job=j%zu step=%zu durable_time=%zu", below(njobs),
                     below(9), start);
      break;
    case 5:
      (void)snprintf(lines[i], LINE, "programs program=f%zu flops=1e13 dtype=bf16", below(2));
      break;
    case 6:
      (void)snprintf(lines[i], LINE, "outages pool=p%zu chips=1 start_time=%zu end_time=%zu%s",
                     below(3), start, end, ONE_OF("", " kind=hw_down"));
      break;
    default:
      (void)snprintf(lines[i], LINE,
                     "spans job=j%zu kind=%s start_time=%zu end_time=%zu step=%zu%s", below(njobs),
                     ONE_OF("step", "step", "init", "input", "nap", "serve"), start, end, below(9),
                     ONE_OF("", " program=f0", " program=f1"));
    }
  }
}

static mpg_rc build(const mpg_env *env, mpg_fleet *fleet, mpg_chips **chips, mpg_issues *issues,
                    mpg_err *err) {
  const char *texts[LINES];
  mpg_rc rc = mpg_chips_new(chips, env, err);
  for (size_t i = 0; i < LINES; i++)
    texts[i] = lines[i];
  if (rc == MPG_OK)
    rc = mpg_fleet_init(fleet, env, issues, *chips, err);
  return rc == MPG_OK ? trace_build(fleet, texts, LINES, err) : rc;
}

/* ---- what a scan gives, and what it should ---- */

static mpg_ledger all; /* every row, unit after unit */
static mpg_fleet fleet;
static mpg_chips *chips;
static mpg_issues issues;
static size_t nissues;

static mpg_ledger_options options(bool buckets) {
  mpg_ledger_options o = mpg_ledger_defaults();
  if (buckets)
    o.window.bucket.width_us = 7 * MPG_SECOND;
  return o;
}

static void account_all(const mpg_ledger_options *o) {
  mpg_sink sink = mpg_ledger_sink(&all);
  mpg_accounting a;
  mpg_err err;
  all.n = 0;
  mpg_issues_drop(&issues, "test");
  CHECK(mpg_accounting_init(&a, &mpg_env_libc, &fleet, o, &err) == MPG_OK);
  for (size_t u = 0; u < mpg_accounting_units(&a); u++) {
    size_t first = all.n;
    CHECK(mpg_accounting_unit(&a, u, &sink, "test", &err) == MPG_OK);
    for (size_t i = first; i < all.n; i++)
      all.number[i] = (int64_t)((uint64_t)u << 32 | (i - first));
  }
  CHECK(mpg_accounting_finish(&a, "test", &err) == MPG_OK);
  mpg_accounting_free(&a);
  nissues = issues.n;
}

static const char *text_of(mpg_str s) {
  return s.p == NULL ? "" : s.p;
}

/* A key of a row, as text that sorts as SQLite would: NULL, which no text here is, first. */
static const char *key_of(const mpg_ledger *l, size_t i, mpg_dim d, char room[32]) {
  uint32_t job = l->job[i];
  switch (d) {
  case MPG_DIM_JOB:
    return text_of(mpg_intern_text(&fleet.job_names, job));
  case MPG_DIM_POOL:
    return text_of(mpg_intern_text(&fleet.pool_names, l->pool[i]));
  case MPG_DIM_CHIP:
    return text_of(mpg_intern_text(&fleet.texts, l->chip[i]));
  case MPG_DIM_CAUSE:
    return text_of(mpg_intern_text(&fleet.texts, l->cause[i]));
  case MPG_DIM_CATEGORY:
    return mpg_category_get((mpg_category)l->category[i])->name;
  case MPG_DIM_SIZE:
    return l->size[i] == 0 ? "" : mpg_size_name(l->size[i]);
  case MPG_DIM_ATTEMPT:
    (void)snprintf(room, 32, "%lld",
                   l->attempt[i] == MPG_NONE ? 0LL : (long long)l->attempt[i] + 10);
    return room;
  case MPG_DIM_BUCKET:
    (void)snprintf(room, 32, "%015lld",
                   l->bucket[i] == MPG_NONE ? 0LL : (long long)l->bucket[i] + 1);
    return room;
  default:
    return job == 0 ? "" : text_of(mpg_intern_text(&fleet.texts, fleet.jobs[job - 1].dim[d]));
  }
}

static int compare(const mpg_scan_request *w, const mpg_ledger *a, size_t i, const mpg_ledger *b,
                   size_t k) {
  for (size_t n = 0; n < w->nkeys; n++) {
    char rooms[2][32];
    int c = strcmp(key_of(a, i, w->keys[n].dim, rooms[0]), key_of(b, k, w->keys[n].dim, rooms[1]));
    if (c != 0)
      return w->keys[n].descending ? -c : c;
  }
  return 0;
}

static bool is_listed(const mpg_scan_filter *f, size_t row) {
  char room[32];
  for (size_t i = 0; i < f->ntexts; i++)
    if (strcmp(key_of(&all, row, f->dim, room), f->texts[i].p) == 0)
      return true;
  return false;
}

static bool wanted(const mpg_scan_request *w, size_t i) {
  for (size_t n = 0; n < w->nfilters; n++) {
    const mpg_scan_filter *f = &w->filters[n];
    double t = (double)(f->end ? all.end[i] : all.start[i]) / 1e6;
    if (f->time ? (f->op == MPG_SCAN_LT   ? !(t < f->seconds)
                   : f->op == MPG_SCAN_LE ? !(t <= f->seconds)
                   : f->op == MPG_SCAN_GT ? !(t > f->seconds)
                   : f->op == MPG_SCAN_GE ? !(t >= f->seconds)
                                          : t != f->seconds)
                : !is_listed(f, i))
      return false;
  }
  return true;
}

static bool same_row(const mpg_ledger *a, size_t i, const mpg_ledger *b, size_t k) {
  return a->job[i] == b->job[k] && a->pool[i] == b->pool[k] && a->chip[i] == b->chip[k] &&
         a->cause[i] == b->cause[k] && a->size[i] == b->size[k] &&
         a->category[i] == b->category[k] && a->attempt[i] == b->attempt[k] &&
         a->start[i] == b->start[k] && a->end[i] == b->end[k] && a->bucket[i] == b->bucket[k] &&
         a->chip_us[i] == b->chip_us[k];
}

/* The rows of a scan, one after the other, into `out`. */
static mpg_rc scan_all(const mpg_env *env, const mpg_ledger_options *o, const mpg_scan_request *w,
                       int threads, mpg_ledger *out, mpg_err *err) {
  mpg_ledger_scan *scan = NULL;
  mpg_accounting a;
  const mpg_ledger *rows;
  mpg_rc rc = mpg_accounting_init(&a, env, &fleet, o, err);
  out->columns = w->columns;
  if (rc == MPG_OK)
    rc = mpg_ledger_scan_open(&scan, &a, w, threads, "test", err);
  while (rc == MPG_OK) {
    rc = mpg_ledger_scan_next(scan, &rows, err);
    for (size_t i = 0; rc == MPG_OK && i < rows->n; i++)
      if (mpg_ledger_append(out, rows, rows->order != NULL ? rows->order[i] : i) != MPG_OK)
        rc = mpg_fail_nomem(err);
  }
  mpg_ledger_scan_close(scan);
  mpg_accounting_free(&a);
  return rc == MPG_DONE ? MPG_OK : rc;
}

static void random_request(mpg_scan_request *w) {
  static const mpg_dim texts[] = {MPG_DIM_PHASE, MPG_DIM_JOB,      MPG_DIM_POOL, MPG_DIM_CHIP,
                                  MPG_DIM_SIZE,  MPG_DIM_CATEGORY, MPG_DIM_CAUSE};
  /* Of each two that there are, and one of nothing. */
  static const mpg_str values[][3] = {{MPG_STR("training"), MPG_STR("serving"), MPG_STR("b")},
                                      {MPG_STR("j1"), MPG_STR("j2"), MPG_STR("b")},
                                      {MPG_STR("p1"), MPG_STR("p2"), MPG_STR("b")},
                                      {MPG_STR("tpu-v4"), MPG_STR("tpu-v5e"), MPG_STR("b")},
                                      {MPG_STR("S"), MPG_STR("M"), MPG_STR("b")},
                                      {MPG_STR("ideal"), MPG_STR("idle"), MPG_STR("b")},
                                      {MPG_STR("nap"), MPG_STR("hw_down"), MPG_STR("b")}};
  memset(w, 0, sizeof *w);
  w->columns = (1u << MPG_ROW_COLUMNS) - 1;
  if (below(4) == 0)
    w->columns &= ~(1u << MPG_ROW_NUMBER);
  w->nkeys = below(5);
  for (size_t i = 0; i < w->nkeys; i++)
    w->keys[i] = (mpg_scan_key){(mpg_dim)below(MPG_DIMS), below(2) == 0};
  w->once = w->nkeys > 0 && below(3) == 0;
  w->nfilters = below(3);
  for (size_t i = 0; i < w->nfilters; i++) {
    size_t which = below(7);
    mpg_scan_filter *f = &w->filters[i];
    f->time = below(2) == 0;
    f->end = below(2) == 0;
    f->seconds = (double)below(80);
    if (f->time)
      f->op = (enum mpg_scan_op)below(5);
    f->dim = texts[which];
    f->texts = values[which];
    f->ntexts = below(5) == 0 ? 0 : 1 + below(3);
  }
}

/* How many rows found do not have the number of such a row, or the number of another. */
static size_t misnumbered(const mpg_scan_request *w, const mpg_ledger *found) {
  size_t wrong = 0;
  for (size_t k = 0; k < found->n && (w->columns >> MPG_ROW_NUMBER & 1) != 0; k++) {
    size_t i = 0;
    while (i < all.n && all.number[i] != found->number[k])
      i++;
    wrong += i == all.n || !wanted(w, i) || !same_row(&all, i, found, k);
    for (size_t other = 0; other < k; other++)
      wrong += found->number[other] == found->number[k];
  }
  return wrong;
}

static void check_scan(const mpg_ledger_options *o, const mpg_scan_request *w, int threads) {
  mpg_ledger found;
  mpg_err err = {MPG_OK, ""};
  size_t expected = 0, wrong = 0;
  mpg_ledger_init(&found, &mpg_env_libc);
  mpg_issues_drop(&issues, "test");
  CHECK(scan_all(&asked, o, w, threads, &found, &err) == MPG_OK);
  CHECK(issues.n == nissues);
  for (size_t i = 0; i < all.n; i++) {
    bool first = wanted(w, i);
    size_t k = 0;
    for (size_t other = 0; first && w->once && other < i; other++)
      first = !wanted(w, other) || compare(w, &all, i, &all, other) != 0;
    expected += first;
    while (first && k < found.n &&
           (w->once ? compare(w, &all, i, &found, k) != 0 : !same_row(&all, i, &found, k)))
      k++;
    wrong += first && k == found.n;
  }
  CHECK(found.n == expected &&
        wrong == 0); /* rows of a fleet differ, but for those of overlapping holdings */
  for (size_t i = 1; i < found.n; i++) {
    wrong += compare(w, &found, i - 1, &found, i) > 0;
    if (w->nkeys == 0 && w->nfilters == 0)
      wrong += !same_row(&all, i, &found, i);
  }
  CHECK(wrong == 0 && misnumbered(w, &found) == 0);
  mpg_ledger_free(&found);
}

static void check_rollup(const mpg_ledger_options *o, int threads) {
  uint32_t mask = (uint32_t)below(1u << MPG_DIMS);
  mpg_rollup rollups[2];
  mpg_err err;
  for (int i = 0; i < 2; i++) {
    mpg_accounting a;
    CHECK(mpg_accounting_init(&a, &asked, &fleet, o, &err) == MPG_OK);
    CHECK(mpg_rollup_init(&rollups[i], &asked, &fleet, mask, &err) == MPG_OK);
    mpg_issues_drop(&issues, "test");
    CHECK(mpg_rollup_all(&rollups[i], &a, i == 0 ? 1 : threads, NULL, "test", &err) == MPG_OK);
    CHECK(issues.n == nissues);
    mpg_accounting_free(&a);
  }
  CHECK(rollups[0].ncells == rollups[1].ncells);
  for (size_t i = 0; i < rollups[0].ncells && i < rollups[1].ncells; i++)
    CHECK(rollups[0].cells[i].chip_us == rollups[1].cells[i].chip_us &&
          rollups[0].cells[i].job == rollups[1].cells[i].job &&
          rollups[0].cells[i].category == rollups[1].cells[i].category);
  mpg_rollup_free(&rollups[0]);
  mpg_rollup_free(&rollups[1]);
}

/* The finest cells, as many as may be kept: any roll-up follows from them. Were there one more,
** there are none. */
static void check_cells(const mpg_ledger_options *o, int threads) {
  size_t n = 0;
  for (int k = 0; k < 3 && (k == 0 || n > 0); k++) {
    mpg_cells cells = {.limit = k == 0 ? SIZE_MAX : k == 1 ? n : n - 1};
    uint32_t mask = (uint32_t)below(1u << MPG_DIMS);
    mpg_rollup rollup, again;
    mpg_accounting a;
    mpg_err err;
    CHECK(mpg_accounting_init(&a, &asked, &fleet, o, &err) == MPG_OK);
    CHECK(mpg_rollup_init(&rollup, &asked, &fleet, mask, &err) == MPG_OK);
    CHECK(mpg_rollup_init(&again, &mpg_env_libc, &fleet, mask, &err) == MPG_OK);
    mpg_issues_drop(&issues, "test");
    CHECK(mpg_rollup_all(&rollup, &a, threads, &cells, "test", &err) == MPG_OK);
    n = k == 0 ? cells.n : n;
    if (k == 2) {
      CHECK(cells.over && cells.n == 0 && cells.p == NULL);
    } else {
      CHECK(!cells.over && cells.n == n);
      CHECK(mpg_rollup_add_cells(&again, cells.p, cells.n) == MPG_OK);
      CHECK(again.ncells == rollup.ncells);
      for (size_t i = 0; i < again.ncells && i < rollup.ncells; i++)
        CHECK(again.cells[i].chip_us == rollup.cells[i].chip_us &&
              again.cells[i].intervals == rollup.cells[i].intervals);
    }
    mpg_free(&mpg_env_libc, cells.p);
    mpg_rollup_free(&rollup);
    mpg_rollup_free(&again);
    mpg_accounting_free(&a);
  }
}

/* Every allocation fails, once and from then on: an error and no leak, or every row. */
static void check_oom(const mpg_ledger_options *o, const mpg_scan_request *w, int threads) {
  mpg_ledger whole;
  mpg_err err;
  mpg_ledger_init(&whole, &mpg_env_libc);
  CHECK(scan_all(&asked, o, w, threads, &whole, &err) == MPG_OK);
  for (int forever = 0; forever < 2; forever++)
    for (long n = 1;; n += 1 + n / 40) {
      hostile h = {.fail_in = n, .and_after = forever};
      mpg_env env = {.resize = shared_resize, .resize_ctx = &h};
      mpg_ledger found;
      mpg_rc rc;
      mpg_ledger_init(&found, &mpg_env_libc);
      rc = scan_all(&env, o, w, threads, &found, &err);
      CHECK(h.live == 0 && (rc == MPG_OK ? found.n == whole.n : rc == MPG_NOMEM));
      mpg_ledger_free(&found);
      if (!h.failed)
        break;
    }
  mpg_ledger_free(&whole);
}

static bool stop_at_once(void *ctx) {
  int *left = ctx;
  return --*left < 0;
}

static void check_interrupts(const mpg_ledger_options *o, const mpg_scan_request *w) {
  for (int polls = 0; polls < 4; polls++) {
    int left = polls;
    mpg_env env = mpg_env_libc;
    mpg_ledger found;
    mpg_err err;
    env.interrupted = stop_at_once;
    env.interrupted_ctx = &left;
    mpg_ledger_init(&found, &mpg_env_libc);
    CHECK(scan_all(&env, o, w, 3, &found, &err) == MPG_INTERRUPTED);
    mpg_ledger_free(&found);
  }
}

/* Of many jobs that did nothing the host is asked once while each is accounted for, and else now
** and then. */
static void test_asked(void) {
  enum { JOBS = 20000 };
  mpg_scan_request w;
  mpg_ledger_options o = options(false);
  mpg_issues none;
  mpg_ledger found;
  mpg_err err;
  int left = 10 * JOBS, column;
  mpg_env env = mpg_env_libc;
  mpg_rc rc;
  env.interrupted = stop_at_once;
  env.interrupted_ctx = &left;
  mpg_issues_init(&none, &mpg_env_libc);
  CHECK(mpg_chips_new(&chips, &mpg_env_libc, &err) == MPG_OK);
  CHECK(mpg_fleet_init(&fleet, &mpg_env_libc, &none, chips, &err) == MPG_OK);
  rc = mpg_fleet_from(&fleet, "test", &err);
  for (int i = 0; rc == MPG_OK && i < JOBS; i++) {
    (void)snprintf(lines[0], LINE, "jobs job=j%d", i);
    rc = trace_add(&fleet, lines[0], i + 1, &column, &err);
  }
  CHECK(rc == MPG_OK && mpg_fleet_seal(&fleet, &err) == MPG_OK);
  mpg_ledger_init(&found, &mpg_env_libc);
  random_request(&w);
  w.nkeys = w.nfilters = 0;
  CHECK(scan_all(&env, &o, &w, 1, &found, &err) == MPG_OK && left < 9 * JOBS);
#ifndef MPG_TEST /* whose batches are tiny */
  CHECK(left > 8 * JOBS);
#endif
  mpg_ledger_free(&found);
  mpg_fleet_free(&fleet);
  mpg_chips_free(chips);
  mpg_issues_free(&none);
}

int main(void) {
  asked = mpg_env_libc;
  asked.interrupted = never;
  mpg_ledger_init(&all, &mpg_env_libc);
  for (int round = 0; round < 40 / check_stride(2); round++) {
    mpg_ledger_options o = options(round % 3 == 0);
    mpg_scan_request w;
    mpg_err err;
    mpg_issues_init(&issues, &mpg_env_libc);
    memset(&fleet, 0, sizeof fleet);
    write_fleet();
    CHECK(build(&mpg_env_libc, &fleet, &chips, &issues, &err) == MPG_OK);
    account_all(&o);
    for (int i = 0; i < 20; i++) {
      random_request(&w);
      check_scan(&o, &w, 1 + i % 3);
    }
    check_rollup(&o, 3);
    check_cells(&o, 1 + round % 3);
    if (round % 10 == 0) {
      check_oom(&o, &w, 1);
      check_oom(&o, &w, 3);
      check_interrupts(&o, &w);
    }
    mpg_fleet_free(&fleet);
    mpg_chips_free(chips);
    mpg_issues_free(&issues);
  }
  mpg_ledger_free(&all);
  test_asked();
  return check_done("ledger_scan");
}
