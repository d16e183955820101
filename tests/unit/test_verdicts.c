/*
** test_verdicts.c - what each time of a job is called, for what cause, on what evidence and with
** which ideal: the cases of docs/rules.md, sections 3 to 7, each to the microsecond and by both
** roads (core/run.h).
*/
#include "check.h"
#include "trace.h"
#include "../../ext/core/ledger.h"
#include "../../ext/core/time.h"

static const char *const always[] = {
    "chips chip=c dtype=bf16 peak_flops=1e12 hbm_bytes_per_s=1e9",
    "chips chip=c dtype=fp8 peak_flops=2e12 hbm_bytes_per_s=1e9",
    "chips chip=d dtype=bf16 peak_flops=4e12",
    "capacity pool=p chip=c chips=9 start_time=0 end_time=100",
};
enum { ALWAYS = sizeof always / sizeof *always };

#define HELD                                                                                       \
  "jobs job=j chips=2 submit_time=0\nallocations job=j pool=p chips=2 start_time=0 end_time=10 "   \
  "outcome=completed\n"

typedef struct choices {
  bool memory;
  int as_of;     /* seconds; 0: the end of the trace */
  bool pools;    /* their rows behind those of the job */
  bool evidence; /* behind each row [attempt kind step program] */
} choices;

/* Of each row "start-end category(cause) chip_us @line", then "kind*count" of each issue. */
static void tell_rows(const mpg_ledger *rows, const mpg_fleet *fleet, bool evidence, char *out,
                      size_t cap) {
  size_t n = 0;
  for (size_t i = 0; i < rows->n; i++) {
    mpg_str cause = mpg_intern_text(&fleet->texts, rows->cause[i]);
    n += (size_t)snprintf(out + n, cap - n, "%s%.9g-%.9g %s", i > 0 ? "; " : "",
                          (double)rows->start[i] / 1e6, (double)rows->end[i] / 1e6,
                          mpg_category_name((mpg_category)rows->category[i]));
    if (rows->cause[i] != 0)
      n += (size_t)snprintf(out + n, cap - n, "(%.*s)", (int)cause.n, cause.p);
    n += (size_t)snprintf(out + n, cap - n, " %lld", (long long)rows->chip_us[i]);
    if (rows->line[i] != 0)
      n += (size_t)snprintf(out + n, cap - n, " @%lld%s", (long long)rows->line[i],
                            rows->file[i] == 0 ? " of nothing" : "");
    if (evidence) {
      mpg_str kind = mpg_intern_text(&fleet->kind_names, rows->kind[i]);
      mpg_str program = mpg_intern_text(&fleet->program_names, rows->program[i]);
      n += (size_t)snprintf(out + n, cap - n, " [");
      if (rows->attempt[i] != MPG_NONE)
        n += (size_t)snprintf(out + n, cap - n, "%lld", (long long)rows->attempt[i]);
      n += (size_t)snprintf(out + n, cap - n, " %.*s ", (int)kind.n, kind.p);
      if (rows->step[i] != MPG_NONE)
        n += (size_t)snprintf(out + n, cap - n, "%lld", (long long)rows->step[i]);
      n += (size_t)snprintf(out + n, cap - n, " %.*s]", (int)program.n, program.p);
    }
  }
}

static void account(const char *text, const choices *o, bool long_road, char *out, size_t cap) {
  mpg_ledger_options options = mpg_ledger_defaults();
  mpg_accounting accounting;
  mpg_issues issues;
  mpg_chips *chips = NULL;
  mpg_fleet fleet;
  mpg_ledger rows;
  mpg_sink sink;
  mpg_err err;
  int64_t number = 0;
  int column;
  mpg_issues_init(&issues, &mpg_env_libc);
  mpg_ledger_init(&rows, &mpg_env_libc);
  sink = mpg_ledger_sink(&rows);
  CHECK(mpg_chips_new(&chips, &mpg_env_libc, &err) == MPG_OK);
  CHECK(mpg_fleet_init(&fleet, &mpg_env_libc, &issues, chips, &err) == MPG_OK);
  fleet.keep_origins = true;
  CHECK(mpg_fleet_from(&fleet, "test", &err) == MPG_OK);
  for (int i = 0; i < ALWAYS; i++)
    CHECK(trace_add(&fleet, always[i], ++number, &column, &err) == MPG_OK);
  for (size_t n; *text != '\0'; text += n + (text[n] == '\n')) {
    char line[200];
    n = strcspn(text, "\n");
    (void)snprintf(line, sizeof line, "%.*s", (int)n, text);
    CHECK(trace_add(&fleet, line, ++number, &column, &err) == MPG_OK);
  }
  CHECK(mpg_fleet_seal(&fleet, &err) == MPG_OK);
  options.rules.long_road = long_road;
  options.rules.memory_roofline = o->memory;
  if (o->as_of != 0)
    options.rules.as_of = o->as_of * MPG_SECOND;
  CHECK(mpg_accounting_init(&accounting, &mpg_env_libc, &fleet, &options, &err) == MPG_OK);
  for (size_t u = 0; u < (o->pools ? mpg_accounting_units(&accounting) : 1); u++)
    CHECK(mpg_accounting_unit(&accounting, u, &sink, "test", &err) == MPG_OK);
  CHECK(mpg_accounting_finish(&accounting, "test", &err) == MPG_OK);
  tell_rows(&rows, &fleet, o->evidence, out, cap);
  for (size_t i = 0; i < issues.n; i++) {
    size_t n = strlen(out);
    (void)snprintf(out + n, cap - n, "; %s*%lld", issues.items[i].kind,
                   (long long)issues.items[i].count);
  }
  mpg_accounting_free(&accounting);
  mpg_ledger_free(&rows);
  mpg_fleet_free(&fleet);
  mpg_chips_free(chips);
  mpg_issues_free(&issues);
}

static void expect_with(const char *text, choices o, const char *expected) {
  for (int road = 0; road < 2; road++) {
    static char out[4096];
    bool same;
    account(text, &o, road == 1, out, sizeof out);
    same = strcmp(out, expected) == 0;
    CHECK(same);
    if (!same)
      (void)fprintf(stderr, "%s\n  found    %s\n  expected %s\n", text, out, expected);
  }
}

static void expect(const char *text, const char *expected) {
  expect_with(text, (choices){.memory = false}, expected);
}

static void expect_memory(const char *text, const char *expected) {
  expect_with(text, (choices){.memory = true}, expected);
}

/* Section 4: the categories of kinds, and of time that no span explains. */
static void test_kinds(void) {
  expect(HELD "spans job=j kind=init start_time=0 end_time=1\n"
              "spans job=j kind=prep start_time=1 end_time=2\n"
              "spans job=j kind=compile start_time=2 end_time=3\n"
              "spans job=j kind=restore start_time=3 end_time=4\n"
              "spans job=j kind=input start_time=4 end_time=5\n"
              "spans job=j kind=checkpoint start_time=5 end_time=6\n"
              "spans job=j kind=eval start_time=6 end_time=7\n"
              "spans job=j kind=hang start_time=7 end_time=8\n"
              "spans job=j kind=lunch start_time=8 end_time=9",
         "0-1 startup 2000000 @7; 1-2 startup 2000000 @8; 2-3 compile 2000000 @9; "
         "3-4 restore 2000000 @10; 4-5 input 2000000 @11; 5-6 checkpoint 2000000 @12; "
         "6-7 eval 2000000 @13; 7-8 stall(hang) 2000000 @14; 8-9 stall(lunch) 2000000 @15; "
         "9-10 unknown 2000000 @6");
  expect(HELD, "0-10 untraced 20000000 @6");
  expect("jobs job=j phase=serving\n"
         "allocations job=j pool=p chips=2 start_time=0 end_time=10\n"
         "spans job=j kind=serve start_time=2 end_time=3",
         "0-2 stall(no_traffic) 4000000 @6; 2-3 unrated 2000000 @7; "
         "3-10 stall(no_traffic) 14000000 @6");
  expect("jobs job=j phase=serving\n"
         "allocations job=j pool=p chips=2 start_time=0 end_time=10\n"
         "spans job=j kind=step start_time=2 end_time=3\n"
         "commits job=j snapshot_time=5 durable_time=5",
         "0-2 unknown 4000000 @6; 2-3 unrated 2000000 @7; 3-10 unknown 14000000 @6");
  expect("jobs job=j phase=training\n"
         "allocations job=j pool=p chips=2 start_time=0 end_time=10\n"
         "spans job=j kind=serve start_time=2 end_time=3",
         "0-2 unknown 4000000 @6; 2-3 unrated 2000000 @7; 3-10 unknown 14000000 @6");
  expect("jobs job=j\n"
         "allocations job=j pool=p chips=2 start_time=0 end_time=10 outcome=node_fail\n"
         "spans job=j kind=init start_time=2 end_time=3\n"
         "spans job=j kind=eval start_time=5 end_time=6",
         "0-2 unknown 4000000 @6; 2-3 startup 2000000 @7; 3-5 unknown 4000000 @6; "
         "5-6 eval 2000000 @8; 6-10 stall(node_fail) 8000000 @6");
  expect("jobs job=j\n"
         "allocations job=j pool=p chips=2 start_time=0 end_time=10 outcome=failed\n"
         "spans job=j kind=init start_time=2 end_time=3",
         "0-2 unknown 4000000 @6; 2-3 startup 2000000 @7; 3-10 unknown 14000000 @6");
  expect("jobs job=j\n"
         "allocations job=j pool=p chips=2 attempt=1 start_time=0 end_time=10 outcome=node_fail\n"
         "allocations job=j pool=p chips=2 attempt=2 start_time=10 end_time=20 outcome=node_fail\n"
         "spans job=j kind=init attempt=1 start_time=2 end_time=3",
         "0-2 unknown 4000000 @6; 2-3 startup 2000000 @8; 3-10 stall(node_fail) 14000000 @6; "
         "10-20 unknown 20000000 @7");
  expect("jobs job=j\n"
         "allocations job=j pool=p chips=2 start_time=0 end_time=10\n"
         "commits job=j step=1 snapshot_time=5",
         "0-10 unknown 20000000 @6");
}

/* Section 5: what became of steps. */
static void test_steps(void) {
  expect("jobs job=j\n"
         "allocations job=j pool=p chips=2 start_time=0 end_time=10 outcome=failed\n"
         "spans job=j kind=step step=1 start_time=0 end_time=4\n"
         "spans job=j kind=step step=2 start_time=4 end_time=8\n"
         "commits job=j step=1 snapshot_time=4 durable_time=5",
         "0-4 unrated 8000000 @7; 4-8 lost 8000000 @8; 8-10 unknown 4000000 @6");
  expect("jobs job=j\n"
         "allocations job=j pool=p chips=2 start_time=0\n"
         "spans job=j kind=step step=1 start_time=0 end_time=4\n"
         "spans job=j kind=batch step=2 start_time=4 end_time=8\n"
         "commits job=j step=1 snapshot_time=4 durable_time=5",
         "0-4 unrated 8000000 @7; 4-8 pending 8000000 @8; 8-100 unknown 184000000 @6");
  expect("jobs job=j\n"
         "allocations job=j pool=p chips=2 start_time=0 end_time=10 outcome=failed\n"
         "spans job=j kind=step step=1 start_time=0 end_time=4",
         "0-4 unknown(no_checkpoint_data) 8000000 @7; 4-10 unknown 12000000 @6");
}

/* Sections 3 and 7: chips that are not at work, and the demand that is not met. */
static void test_held(void) {
  expect("jobs job=j chips=4 submit_time=0\n"
         "allocations job=j pool=p task=a chips=2 start_time=2 end_time=10\n"
         "allocations job=j pool=p task=b chips=3 start_time=4 end_time=8",
         "2-4 partial 4000000 @6; 4-8 untraced 16000000 @7; 4-8 partial(surplus) 4000000 @7; "
         "8-10 partial 4000000 @7; 0-2 queued 8000000; 2-4 queued 4000000; 8-10 queued 4000000");
  expect("jobs job=j chips=2 tasks=2\n"
         "allocations job=j pool=p task=a chips=1.5 start_time=0 end_time=10\n"
         "allocations job=j pool=q task=b chips=1.25 start_time=3 end_time=8",
         "0-3 partial 4500000 @6; 3-8 untraced 7500000 @6; 3-8 untraced 2500000 @7; "
         "3-8 partial(surplus) 3750000 @7; 8-10 partial 3000000 @6; 0-3 queued 1500000; "
         "8-10 queued 1000000");
  expect("jobs job=j chips=2 submit_time=1", "1-100 queued 198000000");
  expect("jobs job=j chips=4 submit_time=0\n"
         "capacity pool=q chip=c chips=4 start_time=0 end_time=3\n"
         "capacity pool=q chip=d chips=4 start_time=3 end_time=100\n"
         "allocations job=j pool=q chips=4 start_time=6 end_time=8",
         "6-8 untraced 8000000 @8; 0-3 queued 12000000; 3-6 queued 12000000");
  expect_with("jobs job=j\n"
              "allocations job=j pool=p chips=0.000001 start_time=0 end_time=10 outcome=completed",
              (choices){.pools = true},
              "0-10 untraced 10 @6; 0-10 idle 89999990; 10-100 idle 810000000");
  expect_with(
      "jobs job=j chips=2 submit_time=0\n"
      "programs program=f flops=1e12\n"
      "allocations job=j pool=p attempt=3 chips=2 start_time=1 end_time=4 outcome=preempted\n"
      "allocations job=j pool=p attempt=7 chips=3 start_time=5 end_time=9 outcome=completed\n"
      "spans job=j kind=step step=11 program=f start_time=1 end_time=2\n"
      "spans job=j kind=step step=12 program=f start_time=5 end_time=9\n"
      "spans job=j kind=eval start_time=6 end_time=7",
      (choices){.evidence = true},
      "1-2 ideal 1000000 @9 [3 step 11 f]; 1-2 inefficiency 1000000 @9 [3 step 11 f]; "
      "2-4 unknown 4000000 @7 [3   ]; 5-6 ideal 333333 @10 [7 step 12 f]; "
      "5-6 inefficiency 1666667 @10 [7 step 12 f]; 6-7 eval 2000000 @11 [7 eval  ]; "
      "7-9 ideal 666667 @10 [7 step 12 f]; 7-9 inefficiency 3333333 @10 [7 step 12 f]; "
      "5-9 partial(surplus) 4000000 @8 [7   ]; 0-1 queued 2000000 [   ]; "
      "4-5 queued 2000000 [   ]");
}

/* Section 6: the ideal of a span's work. */
static void test_ideal(void) {
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=5e12",
         "0-10 ideal 5000000 @7; 0-10 inefficiency 15000000 @7");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=2500000",
         "0-10 ideal 3 @7; 0-10 inefficiency 19999997 @7");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=2499999",
         "0-10 ideal 2 @7; 0-10 inefficiency 19999998 @7");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=0",
         "0-10 inefficiency 20000000 @7");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=5e12 dtype=fp8",
         "0-10 ideal 2500000 @7; 0-10 inefficiency 17500000 @7");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=5e12 dtype=int8",
         "0-10 unrated 20000000 @7; unknown_dtype*1");
  expect(HELD "programs program=f flops=1e12 bytes=3e9 dtype=fp8\n"
              "spans job=j kind=step start_time=0 end_time=10 program=f",
         "0-10 ideal 500000 @8; 0-10 inefficiency 19500000 @8");
  expect(HELD "programs program=f flops=1e12 bytes=3e9 dtype=fp8\n"
              "spans job=j kind=step start_time=0 end_time=10 program=f executions=3",
         "0-10 ideal 1500000 @8; 0-10 inefficiency 18500000 @8");
  expect(HELD "programs program=f flops=1e12 bytes=3e9 dtype=fp8\n"
              "spans job=j kind=step start_time=0 end_time=10 program=f executions=3 flops=2e12 "
              "dtype=bf16",
         "0-10 ideal 2000000 @8; 0-10 inefficiency 18000000 @8");
  expect(HELD "programs program=f flops=1e12 bytes=3e9 dtype=fp8\n"
              "spans job=j kind=serve start_time=0 end_time=10 program=g",
         "0-10 unrated 20000000 @8; unknown_program*1");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10", "0-10 unrated 20000000 @7");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=3e13",
         "0-10 ideal 30000000 @7; 0-10 inefficiency -10000000 @7; above_roofline*1");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=4e24",
         "0-10 unrated 20000000 @7");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=3.9e24",
         "0-10 ideal 3899999999999999488 @7; 0-10 inefficiency -3899999999979999488 @7; "
         "above_roofline*1");
  expect("jobs job=j\n"
         "allocations job=j pool=q chips=2 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=1e12",
         "0-10 unrated 20000000 @7");
  expect("jobs job=j\n"
         "capacity pool=q chip=e chips=2 start_time=0\n"
         "allocations job=j pool=q chips=2 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=1e12",
         "0-10 unrated 20000000 @8; unknown_chip*1");
}

/* Section 6: the roofline of memory. */
static void test_traffic(void) {
  expect_memory(HELD "spans job=j kind=step start_time=0 end_time=10 flops=5e12 bytes=8e9",
                "0-10 ideal 8000000 @7; 0-10 inefficiency 12000000 @7");
  expect(HELD "spans job=j kind=step start_time=0 end_time=10 flops=5e12 bytes=8e9",
         "0-10 ideal 5000000 @7; 0-10 inefficiency 15000000 @7");
  expect_memory(HELD "spans job=j kind=step start_time=0 end_time=10 flops=5e12 bytes=4e9",
                "0-10 ideal 5000000 @7; 0-10 inefficiency 15000000 @7");
  expect_memory(HELD "spans job=j kind=step start_time=0 end_time=10 flops=5e12",
                "0-10 ideal 5000000 @7; 0-10 inefficiency 15000000 @7");
  expect_memory(HELD "spans job=j kind=step start_time=0 end_time=10 flops=5e12 bytes=0",
                "0-10 ideal 5000000 @7; 0-10 inefficiency 15000000 @7");
  expect_memory(HELD "spans job=j kind=step start_time=0 end_time=10 flops=0 bytes=1500000",
                "0-10 ideal 1500 @7; 0-10 inefficiency 19998500 @7");
  expect_memory(HELD "programs program=f flops=1e12 bytes=3e9 dtype=fp8\n"
                     "spans job=j kind=step start_time=0 end_time=10 program=f executions=2",
                "0-10 ideal 6000000 @8; 0-10 inefficiency 14000000 @8");
  expect_memory("jobs job=j\n"
                "capacity pool=q chip=d chips=2 start_time=0\n"
                "allocations job=j pool=q chips=2 start_time=0 end_time=10 outcome=completed\n"
                "spans job=j kind=step start_time=0 end_time=10 flops=4e12 bytes=8e9",
                "0-10 ideal 1000000 @8; 0-10 inefficiency 19000000 @8");
}

/* Section 6: a span's ideal is shared by its parts, and what is not the job's is left out. */
static void test_parts(void) {
  expect(HELD "spans job=j kind=step start_time=0 end_time=9 flops=1e7\n"
              "spans job=j kind=checkpoint start_time=2 end_time=3\n"
              "spans job=j kind=checkpoint start_time=5 end_time=7",
         "0-2 ideal 3 @7; 0-2 inefficiency 3999997 @7; 2-3 checkpoint 2000000 @8; 3-5 ideal 3 @7; "
         "3-5 inefficiency 3999997 @7; 5-7 checkpoint 4000000 @9; 7-9 ideal 4 @7; "
         "7-9 inefficiency 3999996 @7; 9-10 unknown 2000000 @6");
  expect(HELD "spans job=j kind=step start_time=0 end_time=9 flops=1e7\n"
              "spans job=j kind=step start_time=0 end_time=9 flops=2e7",
         "0-9 ideal 10 @7; 0-9 inefficiency 17999990 @7; 9-10 unknown 2000000 @6; hidden_span*1");
  expect(HELD "spans job=j kind=step start_time=0 end_time=9\n"
              "spans job=j kind=step start_time=0 end_time=9 flops=0\n"
              "spans job=j kind=step start_time=0 end_time=8 flops=1e12",
         "0-8 ideal 1000000 @9; 0-8 inefficiency 15000000 @9; 8-9 unrated 2000000 @7; "
         "9-10 unknown 2000000 @6");
  expect(HELD "spans job=j kind=step start_time=5 end_time=5 flops=1e7",
         "0-5 unknown 10000000 @6; 5-10 unknown 10000000 @6; hidden_span*1");
  expect("jobs job=j chips=2\n"
         "allocations job=j pool=p task=a chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=p task=b chips=1 start_time=5 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=4e12 bytes=4e9",
         "0-5 partial 5000000 @6; 5-10 ideal 2000000 @8; 5-10 inefficiency 8000000 @8; "
         "0-5 queued 5000000; span_outside_allocation*1");
  expect_memory(
      "jobs job=j chips=2\n"
      "allocations job=j pool=p task=a chips=1 start_time=0 end_time=10 outcome=completed\n"
      "allocations job=j pool=p task=b chips=1 start_time=5 end_time=10 outcome=completed\n"
      "spans job=j kind=step start_time=0 end_time=10 flops=1e12 bytes=4e9",
      "0-5 partial 5000000 @6; 5-10 ideal 2000000 @8; 5-10 inefficiency 8000000 @8; "
      "0-5 queued 5000000; span_outside_allocation*1");
  expect_with(HELD "spans job=j kind=serve start_time=0 end_time=10 flops=4e12 bytes=8e9",
              (choices){.as_of = 5}, "0-5 ideal 2000000 @7; 0-5 inefficiency 8000000 @7");
  expect_with(HELD "spans job=j kind=serve start_time=0 end_time=10 flops=4e12 bytes=8e9",
              (choices){.memory = true, .as_of = 5},
              "0-5 ideal 4000000 @7; 0-5 inefficiency 6000000 @7");
}

/* Section 6: work on several pools and kinds of chip. */
static void test_lanes(void) {
  expect("jobs job=j\n"
         "capacity pool=q chip=d chips=2 start_time=0\n"
         "allocations job=j pool=p task=a chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=q task=b chips=3 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=8e12",
         "0-10 ideal 2000000 @9; 0-10 inefficiency 8000000 @9; 0-10 ideal 1500000 @9; "
         "0-10 inefficiency 28500000 @9");
  expect("jobs job=j\n"
         "capacity pool=q chip=c chips=2 start_time=0\n"
         "allocations job=j pool=p task=a chips=1 start_time=0 end_time=9 outcome=completed\n"
         "allocations job=j pool=q task=b chips=2 start_time=0 end_time=9 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=9 flops=1e7",
         "0-9 ideal 3 @9; 0-9 inefficiency 8999997 @9; 0-9 ideal 7 @9; "
         "0-9 inefficiency 17999993 @9");
  expect("jobs job=j\n"
         "capacity pool=q chip=c chips=2 start_time=0 end_time=3\n"
         "capacity pool=q chip=d chips=2 start_time=3 end_time=7\n"
         "capacity pool=q chip=c chips=2 start_time=7\n"
         "allocations job=j pool=q chips=2 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=1 end_time=9 flops=16e6\n"
         "spans job=j kind=eval start_time=2 end_time=4",
         "0-1 unknown 2000000 @9; 1-2 ideal 2 @10; 1-2 inefficiency 1999998 @10; "
         "2-3 eval 2000000 @11; 3-4 eval 2000000 @11; 4-7 ideal 2 @10; "
         "4-7 inefficiency 5999998 @10; 7-9 ideal 6 @10; 7-9 inefficiency 3999994 @10; "
         "9-10 unknown 2000000 @9");
  expect("jobs job=j\n"
         "capacity pool=q chip=d chips=2 start_time=0\n"
         "allocations job=j pool=p task=a chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=q task=b chips=1 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=8e13",
         "0-10 ideal 40000000 @9; 0-10 inefficiency -30000000 @9; 0-10 ideal 10000000 @9; "
         "above_roofline*1");
  expect("jobs job=j\n"
         "capacity pool=q chip=e chips=2 start_time=0\n"
         "allocations job=j pool=p task=a chips=1 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=q task=b chips=1 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=10 flops=2e12",
         "0-10 ideal 1000000 @9; 0-10 inefficiency 9000000 @9; 0-10 unrated 10000000 @9; "
         "unknown_chip*1");
  expect("jobs job=j\n"
         "allocations job=j pool=p task=a chips=0.5 start_time=0 end_time=10 outcome=completed\n"
         "allocations job=j pool=p task=b chips=0.25 start_time=0 end_time=10 outcome=completed\n"
         "spans job=j kind=step start_time=0 end_time=9 flops=1e12",
         "0-9 ideal 1000000 @8; 0-9 inefficiency 5750000 @8; 9-10 unknown 750000 @7");
}

int main(void) {
  test_kinds();
  test_steps();
  test_held();
  test_ideal();
  test_traffic();
  test_parts();
  test_lanes();
  return check_done("verdicts");
}
