/*
** test_stopped.c - the host says stop at each of the moments at which accounting a long trace asks
** it: that ends in MPG_INTERRUPTED, nothing stays allocated, and one that is never stopped is as
** ever.
*/
#include "check.h"
#include "hostile.h"
#include "trace.h"
#include "../../ext/goodput/ledger/ledger.h"

/* A few turns more than it takes until the host is asked once. */
#define LONG ((int)MPG_POLL_TURNS + 164)

typedef struct world {
  hostile h;
  mpg_env env;
  mpg_issues issues;
  mpg_chips *chips;
  mpg_fleet fleet;
  int64_t line;
} world;

static void begin(world *w) {
  mpg_err err;
  memset(w, 0, sizeof *w);
  w->env = hostile_env(&w->h);
  mpg_issues_init(&w->issues, &w->env);
  if (mpg_chips_new(&w->chips, &w->env, &err) != MPG_OK ||
      mpg_fleet_init(&w->fleet, &w->env, &w->issues, w->chips, &err) != MPG_OK ||
      mpg_fleet_from(&w->fleet, "test", &err) != MPG_OK)
    abort();
}

static void tell(world *w, const char *text) {
  mpg_err err;
  int column;
  if (trace_add(&w->fleet, text, ++w->line, &column, &err) != MPG_OK) {
    (void)fprintf(stderr, "%s: %s\n", text, err.text);
    abort();
  }
}

static void end(world *w) {
  mpg_fleet_free(&w->fleet);
  mpg_chips_free(w->chips);
  mpg_issues_free(&w->issues);
  CHECK(w->h.live == 0);
}

typedef struct counted {
  int64_t rows;
  mpg_i128 chip_us;
} counted;

static mpg_rc count(void *ctx, const mpg_row *row) {
  counted *c = ctx;
  c->rows++;
  c->chip_us += row->chip_us;
  return MPG_OK;
}

/* Every unit of the sealed fleet, in an environment that stops at its `stop`th question. */
static mpg_rc account(const world *w, long *stop, counted *c, mpg_err *err) {
  hostile h = {0, 0, false, false, *stop};
  mpg_env env = hostile_env(&h);
  mpg_sink sink = {.ctx = c, .row = count};
  mpg_ledger_options options = mpg_ledger_defaults();
  mpg_accounting a = {0};
  mpg_rc rc = mpg_accounting_init(&a, &env, &w->fleet, &options, err);
  *c = (counted){0, 0};
  for (size_t u = 0; rc == MPG_OK && u < mpg_accounting_units(&a); u++)
    rc = mpg_accounting_unit(&a, u, &sink, "test", err);
  if (rc == MPG_OK)
    rc = mpg_accounting_finish(&a, "test", err);
  mpg_accounting_free(&a);
  CHECK(h.live == 0);
  *stop = h.stop_in;
  return rc;
}

/* At each question, but of many at the first, at the last, and at some between. */
static void stopped_anywhere(world *w, mpg_i128 chip_s) {
  enum { NEVER = 1000000 };
  long left = NEVER, asked;
  counted c;
  mpg_err err;
  CHECK(mpg_fleet_seal(&w->fleet, &err) == MPG_OK);
  CHECK(account(w, &left, &c, &err) == MPG_OK && c.chip_us == chip_s * 1000000);
  asked = NEVER - left;
  CHECK(asked > 8);
  for (long n = 1; n <= asked; n++) {
    long stop = n + 1;
    if (asked > 40 && n > 5 && n <= asked - 14 && n % (asked / 4) != 0)
      continue;
    CHECK(account(w, &stop, &c, &err) == MPG_INTERRUPTED && stop == 1);
    CHECK(strcmp(err.text, "interrupted") == 0);
  }
}

/* One job of many spans: in order, or with the first of them last; one twice, two without an
** end. */
static void test_spans(bool ordered) {
  char text[128];
  world w;
  begin(&w);
  tell(&w, "capacity pool=p chip=tpu-v4 chips=8 start_time=0 end_time=100000");
  tell(&w, "jobs job=J chips=8 submit_time=0");
  tell(&w, "allocations job=J pool=p chips=8 start_time=0 end_time=100000 outcome=completed");
  tell(&w, "programs program=s flops=1e15 dtype=bf16");
  for (int i = ordered ? 0 : 1; i < LONG; i++) {
    (void)snprintf(text, sizeof text,
                   "spans job=J kind=step step=%d program=s start_time=%d end_time=%d", i, i,
                   i + 1);
    tell(&w, text);
    if (i == 7)
      tell(&w, text);
  }
  if (!ordered)
    tell(&w, "spans job=J kind=step step=0 program=s start_time=0 end_time=1");
  tell(&w, "spans job=J kind=eval start_time=70000");
  tell(&w, "spans job=J kind=eval start_time=80000");
  stopped_anywhere(&w, 8 * 100000);
  end(&w);
}

/* One job in many pieces, and attempts, and a pool whose chips change often. */
static void test_pieces(void) {
  char text[128];
  world w;
  begin(&w);
  for (int i = 0; i < LONG; i++) {
    (void)snprintf(text, sizeof text, "capacity pool=p chip=%s chips=8 start_time=%d end_time=%d",
                   i % 2 ? "tpu-v4" : "tpu-v3", i * 12, (i + 1) * 12);
    tell(&w, text);
  }
  tell(&w, "jobs job=J submit_time=0");
  for (int i = 0; i < LONG; i++) {
    (void)snprintf(text, sizeof text,
                   "allocations job=J attempt=%d pool=p chips=%d start_time=%d end_time=%d",
                   i / 200, 1 + i % 8, i, i + 1);
    tell(&w, text);
  }
  for (int i = 0; i < 200; i++) {
    (void)snprintf(text, sizeof text, "spans job=J attempt=%d kind=step start_time=%d end_time=%d",
                   i % 100, i, i + 1);
    tell(&w, text);
  }
  stopped_anywhere(&w, (mpg_i128)8 * 12 * LONG);
  end(&w);
}

/* Many of each record, of jobs with one allocation each. */
static void tell_many(world *w) {
  char text[128];
  for (int i = 0; i < LONG; i++) {
    (void)snprintf(text, sizeof text, "commits job=J step=%d snapshot_time=%d durable_time=%d", i,
                   i, i);
    tell(w, text);
    (void)snprintf(text, sizeof text,
                   "capacity pool=p chip=tpu-v%d chips=8 start_time=%d end_time=%d", 3 + i % 2, i,
                   i + 1);
    tell(w, text);
    (void)snprintf(text, sizeof text, "outages pool=p kind=k%d chips=1 start_time=%d end_time=%d",
                   i, i, i + 1);
    tell(w, text);
    (void)snprintf(text, sizeof text,
                   "allocations job=J%d pool=p chips=1 start_time=%d end_time=%d", i, i, i + 1);
    tell(w, text);
  }
}

/* Records are put in order when all are there, and then found by their jobs. */
static void test_seal(void) {
  mpg_rc rc = MPG_INTERRUPTED;
  long n = 2;
  for (; rc == MPG_INTERRUPTED; n++) {
    mpg_err err;
    world w;
    begin(&w);
    tell(&w, "jobs job=J chips=8");
    tell_many(&w);
    w.h.stop_in = n;
    rc = mpg_fleet_seal(&w.fleet, &err);
    CHECK(rc == (w.h.stop_in == 1 ? MPG_INTERRUPTED : MPG_OK));
    CHECK(rc == MPG_OK || strcmp(err.text, "interrupted") == 0);
    w.h.stop_in = 0;
    end(&w);
  }
  CHECK(n > 8); /* allocations are counted, put in place, looked at and summed up */
}

int main(void) {
  test_spans(true);
  test_spans(false);
  test_pieces();
  test_seal();
  return check_done("stopped");
}
