/*
** verdicts.h - a fleet of a few records, and what its first job comes to, as text: for tests of the
** rules of docs/rules.md, each to the microsecond and by both roads (goodput/rules/stretch_sums.h).
*/
#ifndef MPG_TEST_VERDICTS_H
#define MPG_TEST_VERDICTS_H

#include "scene.h"
#include "trace.h"
#include "../../ext/base/time.h"

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
  bool all;      /* the rows of pools, and of other jobs, too */
  bool evidence; /* behind each row [attempt kind step program size chip] */
} choices;

/* Of each row "start-end category(cause) chip_us @line", then "kind*count job" of each issue. */
static inline void tell_rows(const mpg_ledger *rows, const mpg_fleet *fleet, bool evidence,
                             char *out, size_t cap) {
  size_t n = 0;
  out[0] = '\0';
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
      mpg_str chip = mpg_intern_text(&fleet->texts, rows->chip[i]);
      n += (size_t)snprintf(out + n, cap - n, " [");
      if (rows->attempt[i] != MPG_NONE)
        n += (size_t)snprintf(out + n, cap - n, "%lld", (long long)rows->attempt[i]);
      n += (size_t)snprintf(out + n, cap - n, " %.*s ", (int)kind.n, kind.p);
      if (rows->step[i] != MPG_NONE)
        n += (size_t)snprintf(out + n, cap - n, "%lld", (long long)rows->step[i]);
      n += (size_t)snprintf(out + n, cap - n, " %.*s %d %.*s]", (int)program.n, program.p,
                            rows->size[i], (int)chip.n, chip.p);
    }
  }
}

static inline void account(const char *text, const choices *o, bool long_road, char *out,
                           size_t cap) {
  mpg_ledger_options options = mpg_ledger_defaults();
  mpg_accounting accounting;
  scene s;
  mpg_err err;
  int64_t number = 0;
  int column;
  scene_open(&s);
  s.fleet.keep_origins = true;
  CHECK(mpg_fleet_from(&s.fleet, "test", &err) == MPG_OK);
  for (int i = 0; i < ALWAYS; i++)
    CHECK(trace_add(&s.fleet, always[i], ++number, &column, &err) == MPG_OK);
  for (size_t n; *text != '\0'; text += n + (text[n] == '\n')) {
    char line[200];
    n = strcspn(text, "\n");
    (void)snprintf(line, sizeof line, "%.*s", (int)n, text);
    CHECK(trace_add(&s.fleet, line, ++number, &column, &err) == MPG_OK);
  }
  CHECK(mpg_fleet_seal(&s.fleet, &err) == MPG_OK);
  options.rules.long_road = long_road;
  options.rules.memory_roofline = o->memory;
  if (o->as_of != 0)
    options.rules.as_of = o->as_of * MPG_SECOND;
  CHECK(mpg_accounting_init(&accounting, &mpg_env_libc, &s.fleet, &options, &err) == MPG_OK);
  for (size_t u = 0; u < (o->all ? mpg_accounting_units(&accounting) : 1); u++)
    CHECK(mpg_accounting_unit(&accounting, u, &s.sink, "test", &err) == MPG_OK);
  CHECK(mpg_accounting_finish(&accounting, "test", &err) == MPG_OK);
  tell_rows(&s.rows, &s.fleet, o->evidence, out, cap);
  for (size_t i = 0; i < s.issues.n; i++) {
    size_t n = strlen(out);
    const char *job = strstr(s.issues.items[i].detail, "first in job");
    const char *above = strstr(s.issues.items[i].detail, " up to ");
    (void)snprintf(out + n, cap - n, "; %s*%lld%s%.*s", s.issues.items[i].kind,
                   (long long)s.issues.items[i].count, job == NULL ? "" : job + 12,
                   above == NULL ? 0 : (int)strcspn(above, ";"), above == NULL ? "" : above);
  }
  mpg_accounting_free(&accounting);
  scene_close(&s);
}

static inline void expect_with(const char *text, choices o, const char *expected) {
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

static inline void expect(const char *text, const char *expected) {
  expect_with(text, (choices){.memory = false}, expected);
}

static inline void expect_memory(const char *text, const char *expected) {
  expect_with(text, (choices){.memory = true}, expected);
}

#endif
