/* test_slurm_value.c - the notations inside Slurm's fields: ids, states, GPUs, durations, lists
** of nodes. */
#include "../../ext/formats/slurm/slurm_value.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

static bool is(mpg_str s, const char *z) {
  return mpg_str_eq(s, mpg_str_of(z));
}

static void test_ids(void) {
  static const struct {
    const char *text;
    int64_t base;
    const char *task;
    int64_t tasks, offset;
    const char *step;
  } good[] = {
      {"123", 123, "", 1, -1, ""},
      {"123_4", 123, "4", 1, -1, ""},
      {"123_[1-3]", 123, "[1-3]", 3, -1, ""},
      {"123_[1-3,7%2]", 123, "[1-3,7%2]", 4, -1, ""},
      {"123_[0-20:5]", 123, "[0-20:5]", 5, -1, ""},
      {"123_[1,3,...]", 123, "[1,3,...]", 2, -1, ""},
      {"123_[40,42,44...]", 123, "[40,42,44...]", 3, -1, ""},
      {"123_[40,42,4...%9]", 123, "[40,42,4...%9]", 3, -1, ""},
      {"123_[1,3-...]", 123, "[1,3-...]", 3, -1, ""},
      {"123_[1,30-4...]", 123, "[1,30-4...]", 3, -1, ""},
      {"123_[1,30-45...]", 123, "[1,30-45...]", 17, -1, ""},
      {"123+0", 123, "", 1, 0, ""},
      {"123+11.batch", 123, "", 1, 11, "batch"},
      {"123.batch", 123, "", 1, -1, "batch"},
      {"123.extern", 123, "", 1, -1, "extern"},
      {"123.interactive", 123, "", 1, -1, "interactive"},
      {"123_4.0", 123, "4", 1, -1, "0"},
      {"123.0+1", 123, "", 1, -1, "0+1"},
  };
  static const char *const bad[] = {"",
                                    "x",
                                    "123_",
                                    "123_x",
                                    "123+",
                                    "123.",
                                    "123 ",
                                    " 123",
                                    "123_[1-3",
                                    "123_[]",
                                    "123_[3-1]",
                                    "123_[a]",
                                    "123_[1-3]x",
                                    "-1",
                                    "123.a b",
                                    "99999999999999999999",
                                    "123_[1-3:0]",
                                    "COMPLETED",
                                    "123_[-1]",
                                    "123_[...]",
                                    "123_[1,x...]",
                                    "123_[1,-3...]",
                                    "123_[1,3...,5]x",
                                    "123_[1,99999999999999999999...]",
                                    "123_[1-9,0-9223372036854775807...]"};
  mpg_slurm_id id;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    CHECK(mpg_slurm_id_parse(mpg_str_of(good[i].text), &id));
    CHECK(id.base == good[i].base && id.tasks == good[i].tasks && id.offset == good[i].offset);
    CHECK(is(id.task, good[i].task) && is(id.step, good[i].step));
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK(!mpg_slurm_id_parse(mpg_str_of(bad[i]), &id));
}

static void test_states(void) {
  static const struct {
    const char *text, *base, *by, *outcome;
    bool plausible;
  } states[] = {
      {"COMPLETED", "COMPLETED", "", "completed", true},
      {"CANCELLED", "CANCELLED", "", "cancelled", true},
      {"CANCELLED by 1000", "CANCELLED", "1000", "cancelled", true},
      {"CANCELLED+", "CANCELLED", "", "cancelled", false},
      {"FAILED", "FAILED", "", "failed", true},
      {"OUT_OF_MEMORY", "OUT_OF_MEMORY", "", "failed", true},
      {"TIMEOUT", "TIMEOUT", "", "timeout", true},
      {"DEADLINE", "DEADLINE", "", "timeout", true},
      {"PREEMPTED", "PREEMPTED", "", "preempted", true},
      {"REQUEUED", "REQUEUED", "", "preempted", true},
      {"NODE_FAIL", "NODE_FAIL", "", "node_fail", true},
      {"BOOT_FAIL", "BOOT_FAIL", "", "node_fail", true},
      {"RUNNING", "RUNNING", "", NULL, true},
      {"PENDING", "PENDING", "", NULL, true},
      {"SUSPENDED", "SUSPENDED", "", NULL, true},
      {"EXPEDITING", "EXPEDITING", "", NULL, true},
      {"DOWN*", "DOWN", "", NULL, false},
      {"some thing", "some thing", "", NULL, false},
      {"x", "x", "", NULL, false},
  };
  mpg_slurm_state state;
  for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
    const char *outcome;
    CHECK(mpg_slurm_state_parse(mpg_str_of(states[i].text), &state));
    CHECK(is(state.base, states[i].base) && is(state.by, states[i].by));
    outcome = mpg_slurm_outcome(state.base);
    CHECK(states[i].outcome == NULL ? outcome == NULL
                                    : outcome != NULL && strcmp(outcome, states[i].outcome) == 0);
    CHECK(mpg_slurm_state_plausible(mpg_str_of(states[i].text)) == states[i].plausible);
  }
  CHECK(!mpg_slurm_state_parse(MPG_STR(""), &state));
}

static void test_gpus(void) {
  static const struct {
    const char *text;
    int64_t total, typed;
    size_t types;
    const char *type;
  } good[] = {
      {"", 0, 0, 0, ""},
      {"cpu=8,mem=4000M,node=1", 0, 0, 0, ""},
      {"billing=8,cpu=8,gres/gpu:h100=16,gres/gpu=16,mem=4000M,node=2", 16, 16, 1, "h100"},
      {"gres/gpu:a100=4,gres/gpu:v100=2", 6, 6, 2, "a100"},
      {"gres/gpu=8", 8, 0, 0, ""},
      {"gres/gpu=8,gres/gpu:a100=4", 8, 4, 1, "a100"},
      {"gres/gpu=2K", 2048, 0, 0, ""},
      {"gres/gpumem=80G,gres/gpuutil=99,gres/shard=3", 0, 0, 0, ""},
      {"gres/gpu:1g.5gb=7", 7, 7, 1, "1g.5gb"},
      {"gres/npu=8", 8, 8, 1, "npu"},
      {"gres/npu=8,gres/npu:910b3=8", 8, 8, 1, "910b3"},
      {"gres/dcu=4,gres/dcu:z100=3", 4, 4, 2, "z100"},
      {"gres/gpu=2,gres/mlu:370=1,gres/xpu=3,gres/npus=9,gres/:x=1", 6, 4, 2, "370"},
  };
  static const char *const bad[] = {"x",          "gres/gpu",    "gres/gpu=",
                                    "gres/gpu=x", "gres/gpu=-1", "cpu=8,,mem=1M",
                                    "cpu=8,mem",  "=8",          "gres/gpu=9223372036854775808"};
  mpg_slurm_gpus gpus;
  mpg_str type;
  int64_t count;
  size_t at = 0;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    CHECK(mpg_slurm_gpus_parse(mpg_str_of(good[i].text), NULL, &gpus));
    CHECK(gpus.total == good[i].total && gpus.typed == good[i].typed);
    CHECK(gpus.types == good[i].types && is(gpus.type, good[i].type));
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK(!mpg_slurm_gpus_parse(mpg_str_of(bad[i]), NULL, &gpus));
  CHECK(mpg_slurm_gpus_next(mpg_str_of(good[3].text), &at, NULL, &type, &count));
  CHECK(is(type, "a100") && count == 4);
  CHECK(mpg_slurm_gpus_next(mpg_str_of(good[3].text), &at, NULL, &type, &count));
  CHECK(is(type, "v100") && count == 2);
  CHECK(!mpg_slurm_gpus_next(mpg_str_of(good[3].text), &at, NULL, &type, &count));
  CHECK(mpg_slurm_lists_chips(MPG_STR("cpu=8,gres/tpu=4")));
  CHECK(mpg_slurm_lists_chips(MPG_STR("gres/hpu:gaudi3=4")));
  CHECK(!mpg_slurm_lists_chips(MPG_STR("cpu=8,gres/gpumem=4,gres/shard=2,tpu=1")));
}

static void test_durations(void) {
  static const struct {
    const char *text;
    int64_t us;
  } good[] = {{"00:00", 0},
              {"01:02", 62000000},
              {"00:00.034", 34000},
              {"01:02:03", 3723000000},
              {"1-02:03:04", 93784000000},
              {"365-00:00:00", 31536000000000},
              {"-00:00:16", -16000000},
              {"-1-00:00:16", -86416000000},
              {"10:00:00.5", 36000500000}};
  static const char *const bad[] = {
      "",       "1",   "1:2:3:4", "x:00",   "1-",    "-",         "--1:00",
      "00:00:", ":00", "00:0x",   "1.5:00", "00:-1", "UNLIMITED", "99999999999999-00:00:00"};
  int64_t us = -1;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    CHECK(mpg_slurm_duration_parse(mpg_str_of(good[i].text), &us) && us == good[i].us);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK(!mpg_slurm_duration_parse(mpg_str_of(bad[i]), &us));
}

/* Joins the names with spaces. */
typedef struct names {
  char text[512];
  size_t n;
  int64_t count;
} names;

static mpg_rc add_name(void *ctx, mpg_str name) {
  names *all = ctx;
  all->count++;
  if (all->n + name.n + 2 < sizeof all->text) {
    if (all->n > 0)
      all->text[all->n++] = ' ';
    memcpy(all->text + all->n, name.p, name.n);
    all->n += name.n;
    all->text[all->n] = '\0';
  }
  return MPG_OK;
}

static mpg_rc no_room(void *ctx, mpg_str name) {
  (void)ctx;
  (void)name;
  return MPG_NOMEM;
}

static void test_nodes(void) {
  static const struct {
    const char *list, *expanded;
  } good[] = {{"n1", "n1"},
              {"n[1-2,4]", "n1 n2 n4"},
              {"n[1-2,4],gpu-[001-003]", "n1 n2 n4 gpu-001 gpu-002 gpu-003"},
              {"r[1-2]n[09-11]", "r1n09 r1n10 r1n11 r2n09 r2n10 r2n11"},
              {"n[8-10]-ib", "n8-ib n9-ib n10-ib"},
              {"a,b", "a b"},
              {"[1-3]", "1 2 3"}};
  static const char *const bad[] = {"n[",
                                    "n[1-",
                                    "n[]",
                                    "n[2-1]",
                                    "n[a]",
                                    ",",
                                    "a,,b",
                                    "n[1-3:2]",
                                    "n[0-9223372036854775807]",
                                    "n[0-9223372036854775807,0-9223372036854775806,1-5]"};
  static char wide[600]; /* a number that would be read for each of a million names */
  names all;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    memset(&all, 0, sizeof all);
    CHECK(mpg_slurm_nodes(mpg_str_of(good[i].list), add_name, &all) == MPG_DONE);
    CHECK(strcmp(all.text, good[i].expanded) == 0);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    memset(&all, 0, sizeof all);
    CHECK(mpg_slurm_nodes(mpg_str_of(bad[i]), add_name, &all) == MPG_DATA);
  }
  (void)snprintf(wide, sizeof wide, "n[1-%0590d]", 1000000);
  memset(&all, 0, sizeof all);
  CHECK(mpg_slurm_nodes(mpg_str_of(wide), add_name, &all) == MPG_DATA && all.count == 0);
  CHECK(mpg_slurm_nodes(MPG_STR("n[0-999999]"), add_name, &all) == MPG_DONE);
  CHECK(all.count == 1000000);
  CHECK(mpg_slurm_nodes(MPG_STR("n[0-1000000]"), add_name, &all) == MPG_LIMIT);
  CHECK(mpg_slurm_nodes(MPG_STR("n[0-9999999]x[0-9999999]y[0-9999999]"), add_name, &all) ==
        MPG_LIMIT);
  CHECK(mpg_slurm_nodes(MPG_STR("a,b"), no_room, NULL) == MPG_NOMEM);
}

int main(void) {
  test_ids();
  test_states();
  test_gpus();
  test_durations();
  test_nodes();
  return check_done("slurm_value");
}
