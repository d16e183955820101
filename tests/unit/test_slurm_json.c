/* test_slurm_json.c - ext/formats/slurm/slurm_json and sinfo: jobs and nodes of Slurm's JSON and of
** scontrol, however the bytes come, and with every allocation failing. */
#include "../../ext/formats/slurm/slurm_nodes.h"
#include "../../ext/formats/slurm/slurm_json.h"
#include "../../ext/formats/slurm/slurm_object.h"
#include "check.h"
#include "hostile.h"

#include <stdio.h>
#include <string.h>

/* ---- Lists of resources ---- */

static void test_gres(void) {
  static const struct {
    const char *text;
    int64_t times;
    const char *tres;
  } lists[] = {
      {"", 1, ""},
      {"gres/gpu:4", 1, "gres/gpu=4"},
      {"gres/gpu:h100:4", 2, "gres/gpu=8,gres/gpu:h100=8"},
      {"gres:gpu:h100:8", 1, "gres/gpu=8,gres/gpu:h100=8"},
      {"gres/gpu=2", 3, "gres/gpu=6"},
      {"gpu", 1, "gres/gpu=1"},
      {"gpu:h100", 1, "gres/gpu=1,gres/gpu:h100=1"},
      {"gpu:h100:8(S:0-1),gpu:2(IDX:0,1)", 1, "gres/gpu=10,gres/gpu:h100=8"},
      {"npu:8", 2, "gres/npu=16"},
      {"npu:(null):2(IDX:0,1),gpu:(null):0(IDX:N/A),gpu:1", 1, "gres/gpu=1,gres/npu=2"},
      {"gres/npu:910b3:8(S:0-1),tpu", 1, "gres/npu=8,gres/npu:910b3=8,gres/tpu=1"},
      {"gpu:a:1,gpu:b:2,gpu:a:3", 1, "gres/gpu=6,gres/gpu:a=4,gres/gpu:b=2"},
      {"shard:4,gres/mps:8,gpus:3,gpu:x:y,gpu:0", 1, ""},
      {"gpu:9223372036854775807,gpu:1", 1, "gres/gpu=9223372036854775807"},
      {"gpu:9223372036854775807", 2, ""},
      {"gpu:4(S:0", 1, "gres/gpu=4"},
  };
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    mpg_json_text out = {.env = &mpg_env_libc};
    mpg_slurm_gres gres = {0};
    mpg_slurm_gres_add(&gres, mpg_str_of(lists[i].text), lists[i].times, NULL);
    CHECK(mpg_slurm_put_gres(&gres, 0, &out) == MPG_OK);
    CHECK(mpg_str_eq((mpg_str){out.n == 0 ? "" : out.p, out.n}, mpg_str_of(lists[i].tres)));
    mpg_json_text_free(&out);
  }
  {
    mpg_json_text out = {.env = &mpg_env_libc};
    mpg_slurm_gres gres = {0};
    char many[40][24];
    for (int i = 0; i < 40; i++) {
      (void)snprintf(many[i], sizeof many[i], "gpu:t%d", i);
      mpg_slurm_gres_add(&gres, mpg_str_of(many[i]), 1, NULL);
    }
    CHECK(gres.n <= MPG_SLURM_GPU_TYPES && mpg_slurm_put_gres(&gres, 0, &out) == MPG_OK);
    CHECK(out.n > 11 && memcmp(out.p, "gres/gpu=40,", 12) == 0);
    mpg_json_text_free(&out);
  }
}

/* ---- Jobs ---- */

static const size_t shown[] = {MPG_SLURM_JOB_JobID,    MPG_SLURM_JOB_JobIDRaw, MPG_SLURM_JOB_State,
                               MPG_SLURM_JOB_Submit,   MPG_SLURM_JOB_Start,    MPG_SLURM_JOB_End,
                               MPG_SLURM_JOB_AllocTRES};

/* Every record as "(line;field;...)", every error as "{...}". */
static mpg_rc render_jobs(const mpg_env *env, const char *text, mpg_issues *issues, char *out,
                          size_t cap) {
  mpg_stream *stream = NULL;
  mpg_slurm_json *json = NULL;
  mpg_err err;
  size_t n = 0;
  mpg_rc rc = mpg_stream_memory(&stream, env, "mem", mpg_str_of(text), &err);
  out[0] = '\0';
  if (rc == MPG_OK)
    rc = mpg_slurm_json_open(&json, env, stream, issues, &err);
  while (rc == MPG_OK || rc == MPG_DATA) {
    rc = mpg_slurm_json_next(json, &err);
    if (rc == MPG_DATA)
      n += (size_t)snprintf(out + n, cap - n, "{%s}", err.text);
    if (rc != MPG_OK)
      continue;
    n += (size_t)snprintf(out + n, cap - n, "(%lld", (long long)mpg_slurm_json_line(json));
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
      mpg_str s = mpg_slurm_json_raw(json, shown[i]);
      CHECK(s.n == 0 || mpg_slurm_json_has(json, shown[i]));
      CHECK((s.n == 0) == (mpg_slurm_json_get(json, shown[i])->type == MPG_NULL));
      n += (size_t)snprintf(out + n, cap - n, ";%.*s", (int)s.n, s.p);
    }
    n += (size_t)snprintf(out + n, cap - n, ")");
  }
  mpg_slurm_json_close(json);
  mpg_stream_close(stream);
  return rc;
}

#define ACCOUNTED                                                                                  \
  "{\"job_id\":12,\"cluster\":\"c\",\"array\":{\"job_id\":5,\"task_id\":1},\"state\":{"            \
  "\"current\":[\"CANCELLED\"]},"                                                                  \
  "\"kill_request_user\":\"ada\",\"time\":{\"submission\":10,\"start\":{\"set\":true,\"number\":"  \
  "20},\"end\":30},"                                                                               \
  "\"tres\":{\"allocated\":[{\"type\":\"mem\",\"count\":5},{\"type\":\"gres\",\"name\":"           \
  "\"gpu\\u003ax\",\"count\":2}]},"                                                                \
  "\"steps\":[{\"step\":{\"id\":\"batch\"},\"state\":\"FAILED\",\"time\":{\"start\":21,\"end\":"   \
  "29}}]}"
#define CONTROLLED                                                                                 \
  "{\"job_id\":{\"set\":true,\"infinite\":false,\"number\":7},\"job_state\":\"RUNNING\",\"submit_" \
  "time\":1,\"start_time\":2,"                                                                     \
  "\"end_time\":9,\"nodes\":\"n1\",\"tres_alloc_str\":\"cpu=1\",\"gres_detail\":[\"gpu:h100:1("    \
  "IDX:0)\"]}"
#define ROWS                                                                                       \
  "(1;5_1;12;CANCELLED by "                                                                        \
  "ada;10;20;30;mem=5M,gres/gpu:x=2)(1;5_1.batch;12.batch;FAILED;21;21;29;)"                       \
  "(2;7;7;RUNNING;1;2;;cpu=1,gres/gpu=1,gres/gpu:h100=1)"

static const char jobs[] =
    "{\"meta\":{\"x\":[1,{}]},\"jobs\":[" ACCOUNTED ",\n" CONTROLLED "],\"errors\":[]}";

static void expect_jobs(const char *text, const char *expected, const char *issue) {
  for (size_t b = 0; b < HOSTILE_BLOCKS; b++) {
    char out[4096];
    mpg_issues issues;
    mpg_issues_init(&issues, &mpg_env_libc);
    hostile_block(hostile_blocks[b]);
    CHECK(render_jobs(&mpg_env_libc, text, &issues, out, sizeof out) == MPG_DONE);
    CHECK(strcmp(out, expected) == 0);
    if (strcmp(out, expected) != 0)
      (void)fprintf(stderr, "  found    %s\n  expected %s\n", out, expected);
    CHECK(issue == NULL ? issues.n == 0
                        : issues.n == 1 && strcmp(issues.items[0].kind, issue) == 0);
    mpg_issues_free(&issues);
  }
  hostile_block(0);
}

static void test_jobs(void) {
  expect_jobs("", "", NULL);
  expect_jobs(" \n", "", NULL);
  expect_jobs(jobs, ROWS, "no_requeues");
  expect_jobs("{\"jobs\":[" CONTROLLED "]}",
              "(1;7;7;RUNNING;1;2;;cpu=1,gres/gpu=1,gres/gpu:h100=1)", NULL);
  expect_jobs("{\"jobs\":[]}{\"jobs\":[{\"job_id\":1}]}", "(1;1;1;;;;;)", "no_requeues");
  expect_jobs("{\"jobs\":[{\"job_id\":1}]}{\"jobs\":[{\"job_id\":1}]}", "(1;1;1;;;;;)(1;1;1;;;;;)",
              NULL);
  expect_jobs("{\"jobs\":[],\"errors\":[{\"description\":\"no such job\"}]}", "", "reported_error");
  expect_jobs("{\"jobs\":[{\"job_id\":1,\"job_state\":\"CANCELLED\",\"start_time\":5,\"end_time\":"
              "5,\"nodes\":\"\"}]}",
              "(1;1;1;CANCELLED;;;5;)", NULL);
  expect_jobs("{\"jobs\":[{\"x\":1},{\"job_id\":2}]}",
              "{mem:1:1: expected a job with a number \"job_id\"}(1;2;2;;;;;)", "no_requeues");
  expect_jobs("{\"x\":1}",
              "{mem:1:1: expected jobs of sacct --json, squeue --json or slurmrestd (a member "
              "\"jobs\"), found "
              "members \"x\"}",
              NULL);
  expect_jobs("[]", "{mem:1:1: expected the object that sacct --json or squeue --json writes}",
              NULL);
  expect_jobs("{\"jobs\":[{\"job_id\":1},{\"job_id\":",
              "(1;1;1;;;;;){mem:1:33: expected a value, found end of file}", "no_requeues");
}

/* ---- Nodes ---- */

static mpg_rc render_nodes(const mpg_env *env, const char *text, bool json, mpg_issues *issues,
                           char *out, size_t cap) {
  static const size_t fields[] = {MPG_SLURM_SHOW_NODE_NodeName, MPG_SLURM_SHOW_NODE_State,
                                  MPG_SLURM_SHOW_NODE_Reason, MPG_SLURM_SHOW_NODE_ReasonUser};
  mpg_stream *stream = NULL;
  mpg_slurm_show_node *sinfo = NULL;
  mpg_err err;
  size_t n = 0;
  mpg_rc rc = mpg_stream_memory(&stream, env, "mem", mpg_str_of(text), &err);
  out[0] = '\0';
  if (rc == MPG_OK)
    rc = mpg_slurm_show_node_open(&sinfo, env, stream, json, NULL, issues, &err);
  while (rc == MPG_OK || rc == MPG_DATA) {
    rc = mpg_slurm_show_node_next(sinfo, &err);
    if (rc == MPG_DATA)
      n += (size_t)snprintf(out + n, cap - n, "{%s}", err.text);
    if (rc != MPG_OK)
      continue;
    n += (size_t)snprintf(out + n, cap - n, "(%lld", (long long)mpg_slurm_show_node_line(sinfo));
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
      const mpg_value *v = mpg_slurm_show_node_get(sinfo, fields[i]);
      n += (size_t)snprintf(out + n, cap - n, ";%.*s", v->type == MPG_TEXT ? (int)v->s.n : 0,
                            v->type == MPG_TEXT ? v->s.p : "");
    }
    n += (size_t)snprintf(
        out + n, cap - n, ";%.*s;%.*s)", (int)mpg_slurm_show_node_gpus(sinfo, false).n,
        mpg_slurm_show_node_gpus(sinfo, false).p, (int)mpg_slurm_show_node_gpus(sinfo, true).n,
        mpg_slurm_show_node_gpus(sinfo, true).p);
  }
  mpg_slurm_show_node_close(sinfo);
  mpg_stream_close(stream);
  return rc;
}

static void expect_nodes(const char *text, bool json, const char *expected, const char *issue) {
  for (size_t b = 0; b < HOSTILE_BLOCKS; b++) {
    char out[4096];
    mpg_issues issues;
    mpg_issues_init(&issues, &mpg_env_libc);
    hostile_block(hostile_blocks[b]);
    CHECK(render_nodes(&mpg_env_libc, text, json, &issues, out, sizeof out) == MPG_DONE);
    CHECK(strcmp(out, expected) == 0);
    if (strcmp(out, expected) != 0)
      (void)fprintf(stderr, "  found    %s\n  expected %s\n", out, expected);
    CHECK(issue == NULL ? issues.n == 0
                        : issues.n == 1 && strcmp(issues.items[0].kind, issue) == 0);
    mpg_issues_free(&issues);
  }
  hostile_block(0);
}

static const char text_nodes[] =
    "NodeName=a Gres=gpu:h100:8(S:0-1) State=DOWN*+DRAIN\n   Reason=it = broken "
    "[bob@2026-11-21T05:53:54]\n\n"
    "NodeName=b State=IDLE CfgTRES=cpu=1,gres/gpu=4 AllocTRES=cpu=1,gres/gpu=1 Reason=odd [x\n";
static const char json_nodes[] = "{\"nodes\":[{\"name\":\"a\",\"state\":[\"IDLE\",\"DRAIN\"],"
                                 "\"gres\":\"gpu:2\",\"reason\":\"r\"},"
                                 "{\"name\":\"b\",\"state\":\"idle\",\"state_flags\":[],\"tres\":"
                                 "\"gres/gpu=1\",\"reason_set_by_user\":null}]}";

static void test_nodes(void) {
  expect_nodes("", false, "", NULL);
  expect_nodes(text_nodes, false,
               "(1;a;DOWN*+DRAIN;it = broken;bob;gres/gpu=8,gres/gpu:h100=8;)(4;b;IDLE;odd "
               "[x;;cpu=1,gres/gpu=4;cpu=1,gres/gpu=1)",
               NULL);
  expect_nodes("NodeName=a\n  State=IDL", false, "", "unfinished_record");
  expect_nodes("x\n\nNodeName=a State=UP\n", false,
               "{mem:1:1: expected nodes of scontrol show node, such as NodeName=n1 Arch=x86_64 "
               "..., found \"x\"}(3;a;UP;;;;)",
               NULL);
  /* A line that is damaged costs no other node. */
  expect_nodes("NodeName=a State=UP\nXodeName=b State=UP\nNodeName=c State=UP\n", false,
               "(1;a;UP;;;;){mem:2:1: expected nodes of scontrol show node, such as NodeName=n1 "
               "Arch=x86_64 ..., found \"XodeName=b State=UP\"}(3;c;UP;;;;)",
               NULL);
  expect_nodes("NodeName=a State=UP\nNodeNa", false, "(1;a;UP;;;;)", "unfinished_record");
  expect_nodes(json_nodes, true, "(1;a;IDLE+DRAIN;r;;gres/gpu=2;)(1;b;IDLE;;;gres/gpu=1;)", NULL);
  expect_nodes("{\"nodes\":[{\"state\":\"x\"},{\"name\":\"c\"}]}", true,
               "{mem:1:1: expected a node with a \"name\"}(1;c;;;;;)", NULL);
  expect_nodes("{\"nodes\":7}", true,
               "{mem:1:1: expected nodes of scontrol show node --json (a member \"nodes\"), found "
               "none (sinfo --json of 23.02 and "
               "later lists groups of nodes; jobs are read with slurm_trace)}",
               NULL);
}

/* ---- Memory ---- */

typedef mpg_rc render(const mpg_env *env, const char *text, bool json, mpg_issues *issues,
                      char *out, size_t cap);

static mpg_rc render_any_jobs(const mpg_env *env, const char *text, bool json, mpg_issues *issues,
                              char *out, size_t cap) {
  (void)json;
  return render_jobs(env, text, issues, out, cap);
}

/* Every allocation fails once, alone and with all after it: out of memory or the whole result,
** and nothing leaks. */
static void sweep(render *run, const char *text, bool json) {
  char whole[4096], out[4096];
  CHECK(run(&mpg_env_libc, text, json, NULL, whole, sizeof whole) == MPG_DONE);
  for (int and_after = 0; and_after < 2; and_after++) {
    bool finished = false;
    for (long i = 1; !finished && i < 400; i++) {
      hostile h = {0, i, and_after, false, 0};
      mpg_env env = hostile_env(&h);
      mpg_rc rc = run(&env, text, json, NULL, out, sizeof out);
      CHECK(h.failed ? rc == MPG_NOMEM : rc == MPG_DONE && strcmp(out, whole) == 0);
      finished = !h.failed;
      CHECK(h.live == 0);
    }
    CHECK(finished);
  }
}

int main(void) {
  test_gres();
  test_jobs();
  test_nodes();
  sweep(render_any_jobs, jobs, true);
  sweep(render_nodes, text_nodes, false);
  sweep(render_nodes, json_nodes, true);
  return check_done("slurm_json");
}
