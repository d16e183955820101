/* test_digests.c - digests of jobs and of pools' days: equal where the accounting is, other where
** it is not, and only there; and with every allocation of memory failing once. */
#include "trace.h"
#include "check.h"
#include "../../ext/goodput/ledger/digests.h"

#include <stdlib.h>

#define DAY 86400

static const char *const fleet_lines[] = {
    "capacity pool=p chip=tpu-v4 chips=8 start_time=0 end_time=345600",
    "capacity pool=q chip=tpu-v4 chips=4 start_time=0 end_time=345600",
    "outages pool=p chips=1 start_time=90000 end_time=90060 kind=hw_down",
    "jobs job=a name=first phase=training chips=4 submit_time=0",
    "jobs job=b name=second chips=2",
    "allocations job=a pool=p chips=4 start_time=100 end_time=1000 outcome=completed",
    "allocations job=b pool=q chips=2 start_time=200 end_time=90000",
    "spans job=a kind=step step=1 program=s start_time=100 end_time=300",
    "spans job=a kind=step step=2 program=s start_time=300 end_time=500",
    "spans job=b kind=serve program=s start_time=300 end_time=900",
    "programs program=s flops=5.5e15 dtype=bf16",
};
enum { LINES = sizeof fleet_lines / sizeof *fleet_lines };

/* What is kept of digests after their fleet is gone. */
typedef struct told {
  uint64_t job[2]; /* a, b */
  size_t ndays;
  uint64_t day[2][5]; /* by pool, p and q, and day; 0: none */
  mpg_digest_totals totals;
} told;

static size_t place_of(const mpg_intern *names, uint32_t id) {
  return *mpg_intern_text(names, id).p == 'p' || *mpg_intern_text(names, id).p == 'a' ? 0 : 1;
}

static mpg_rc tell(const mpg_env *env, const char *const *lines, told *out) {
  const mpg_ledger_options options = mpg_ledger_defaults();
  mpg_issues issues;
  mpg_chips *chips = NULL;
  mpg_fleet fleet = {0};
  mpg_accounting accounting = {0};
  mpg_digests digests = {0};
  mpg_err err;
  mpg_rc rc;
  memset(out, 0, sizeof *out);
  mpg_issues_init(&issues, env);
  rc = mpg_chips_new(&chips, env, &err);
  if (rc == MPG_OK)
    rc = mpg_fleet_init(&fleet, env, &issues, chips, &err);
  if (rc == MPG_OK)
    rc = trace_build(&fleet, lines, LINES, &err);
  if (rc == MPG_OK)
    rc = mpg_accounting_init(&accounting, env, &fleet, &options, &err);
  if (rc == MPG_OK)
    rc = mpg_digests_make(&digests, &accounting, "test", &err);
  if (rc == MPG_OK) {
    for (uint32_t job = 0; job < 2; job++)
      out->job[place_of(&fleet.job_names, job + 1)] = digests.jobs[job];
    for (size_t i = 0; i < digests.ndays; i++)
      out->day[place_of(&fleet.pool_names, digests.days[i].pool)][digests.days[i].day] =
          digests.days[i].digest;
    out->ndays = digests.ndays;
    out->totals = digests.totals;
  }
  mpg_digests_free(&digests);
  mpg_accounting_free(&accounting);
  mpg_fleet_free(&fleet);
  mpg_chips_free(chips);
  mpg_issues_free(&issues);
  return rc;
}

/* The fleet with one line instead of another. */
static told with(size_t at, const char *line) {
  const char *lines[LINES];
  told found;
  memcpy(lines, fleet_lines, sizeof lines);
  if (line != NULL)
    lines[at] = line;
  CHECK(tell(&mpg_env_libc, lines, &found) == MPG_OK);
  return found;
}

/* Which of the digests differ: bits 0 and 1 are the jobs', then follow five of pool p's days, and
** five of q's. */
static unsigned differ(const told *x, const told *y) {
  unsigned bits = 0;
  for (int i = 0; i < 2; i++)
    bits |= (unsigned)(x->job[i] != y->job[i]) << i;
  for (int pool = 0; pool < 2; pool++)
    for (int day = 0; day < 5; day++)
      bits |= (unsigned)(x->day[pool][day] != y->day[pool][day]) << (2 + 5 * pool + day);
  return bits;
}
enum { JOB_A = 1, JOB_B = 2, DAYS_OF_P = 4, DAYS_OF_Q = 128 };

static void test_what_differs(void) {
  const told once = with(0, NULL);
  told other = with(0, NULL);
  CHECK(differ(&once, &other) == 0 && once.ndays == 8); /* four days of each pool */
  CHECK(once.job[0] != once.job[1] && once.job[0] != 0);
  other = with(8, "spans job=a kind=step step=2 program=s start_time=300 end_time=501");
  CHECK(differ(&once, &other) == JOB_A);
  other = with(9, "spans job=b kind=serve program=s start_time=300 end_time=901");
  CHECK(differ(&once, &other) == JOB_B);
  other = with(4, "jobs job=b name=third chips=2"); /* a dimension */
  CHECK(differ(&once, &other) == JOB_B);
  other = with(10, "programs program=s flops=5.6e15 dtype=bf16");
  CHECK(differ(&once, &other) == (JOB_A | JOB_B));
  /* An outage of the second day, and what is idle after it, to the last. */
  other = with(2, "outages pool=p chips=1 start_time=90000 end_time=90061 kind=hw_down");
  CHECK(differ(&once, &other) == DAYS_OF_P * 14);
  other = with(1, "capacity pool=q chip=tpu-v4 chips=5 start_time=0 end_time=345600");
  CHECK(differ(&once, &other) == DAYS_OF_Q * 15);
}

/* Records in any order: the digests are sums. */
static void test_any_order(void) {
  const told once = with(0, NULL);
  for (int turn = 0; turn < 50; turn++) {
    const char *lines[LINES];
    told other;
    memcpy(lines, fleet_lines, sizeof lines);
    for (size_t i = LINES - 1; i > 0; i--) {
      const size_t j = check_draw(i + 1);
      const char *line = lines[i];
      lines[i] = lines[j];
      lines[j] = line;
    }
    CHECK(tell(&mpg_env_libc, lines, &other) == MPG_OK);
    CHECK(differ(&once, &other) == 0 && once.ndays == other.ndays);
    CHECK(memcmp(&once.totals, &other.totals, sizeof once.totals) == 0);
  }
}

/* All chip-time of the pools is somewhere: 12 chips for four days; what is queued comes on top. */
static void test_totals(void) {
  const told once = with(0, NULL);
  const int64_t queued = 4 * 100, held = 4 * 900 + 2 * (90000 - 200);
  CHECK(once.totals.chip_us == (mpg_i128)(12 * 4 * DAY + queued) * MPG_SECOND);
  CHECK(once.totals.of_jobs == (mpg_i128)(held + queued) * MPG_SECOND);
  CHECK(once.totals.jobs == 2);
  CHECK(once.totals.waits_us == (mpg_i128)(12 * 4 * DAY - held + queued) * MPG_SECOND);
}

typedef struct faults {
  long left; /* allocations until one fails */
} faults;

static void *faulty_resize(void *ctx, void *p, size_t n) {
  faults *f = ctx;
  return n > 0 && f->left-- == 0 ? NULL : mpg_env_libc.resize(mpg_env_libc.resize_ctx, p, n);
}

static void test_memory(void) {
  long at = 0;
  told found;
  mpg_rc rc;
  do {
    faults f = {at++};
    mpg_env env = {.resize = faulty_resize, .resize_ctx = &f};
    rc = tell(&env, fleet_lines, &found);
    CHECK(rc == MPG_OK || rc == MPG_NOMEM);
  } while (rc != MPG_OK && at < 10000);
  CHECK(at > 20 && rc == MPG_OK);
}

int main(void) {
  test_what_differs();
  test_any_order();
  test_totals();
  test_memory();
  return check_done("digests");
}
