/* Tests of ext/formats/pbs/pbs_ends.c. */
#include "check.h"
#include "hostile.h"
#include "../../ext/formats/pbs/pbs_ends.h"

/* 17:00:00, 17:10:00, 17:20:00 and 19:00:00 of a day, and the moments of these in UTC. */
#define QUEUED "03/31/2025 17:00:00;Q;"
#define STARTED "03/31/2025 17:10:00;S;"
#define ENDED "03/31/2025 17:20:00;E;"
#define WHO "user=a queue=q ctime=1743440400 qtime=1743440400 "
#define RUN "start=1743441000 exec_host=n/0 "
#define OVER " end=1743441600 Exit_status=0 resources_used.walltime=00:10:00\n"
#define GPUS "Resource_List.ngpus=4"
#define SHARED " Resource_List.nodes=1:gpus=4:shared"

/* Every record as "(LINE TYPES ID GPUS)", "-" for NULL. */
static mpg_rc render(const mpg_env *env, const char *text, char *out, size_t cap) {
  mpg_stream *stream = NULL;
  mpg_pbs *pbs = NULL;
  mpg_pbs_ends *ends = NULL;
  mpg_err err;
  size_t n = 0;
  mpg_rc rc = mpg_stream_memory(&stream, env, "mem", mpg_str_of(text), &err);
  out[0] = '\0';
  if (rc == MPG_OK)
    rc = mpg_pbs_open(&pbs, env, stream, NULL, NULL, &err);
  if (rc == MPG_OK)
    rc = mpg_pbs_ends_open(&ends, env, pbs, &err);
  while (rc == MPG_OK || rc == MPG_DATA) {
    mpg_str id, types, gpus;
    rc = mpg_pbs_ends_next(ends, &err);
    if (rc != MPG_OK)
      continue;
    id = mpg_pbs_id_text(pbs);
    types = mpg_pbs_ends_types(ends);
    gpus = mpg_pbs_get(pbs, MPG_PBS_list_ngpus)->type == MPG_NULL
               ? MPG_STR("-")
               : mpg_pbs_written(pbs, MPG_PBS_list_ngpus);
    n += (size_t)snprintf(out + n, cap - n, "(%lld %.*s %.*s %.*s)", (long long)mpg_pbs_line(pbs),
                          (int)types.n, types.p, (int)id.n, id.p, (int)gpus.n, gpus.p);
  }
  mpg_pbs_ends_close(ends);
  mpg_pbs_close(pbs);
  mpg_stream_close(stream);
  return rc;
}

static void expect(const char *text, const char *expected) {
  char out[1024];
  CHECK(render(&mpg_env_libc, text, out, sizeof out) == MPG_DONE);
  CHECK(strcmp(out, expected) == 0);
}

static void test_said_again(void) {
  expect(QUEUED "1.s;" WHO GPUS "\n" STARTED "1.s;" WHO RUN GPUS "\n" ENDED
                "1.s;" WHO RUN GPUS OVER,
         "(3 QSE 1.s 4)");
  expect(STARTED "1.s;" WHO RUN GPUS "\n" ENDED "1.s;" WHO RUN GPUS OVER, "(2 SE 1.s 4)");
  expect(QUEUED "1.s;" WHO "\n" ENDED "1.s;" WHO RUN GPUS OVER, "(2 QE 1.s 4)");
  /* in another order of the keys, and with one that nobody looks at */
  expect(STARTED "1.s;session=1 " GPUS " " RUN WHO "\n" ENDED "1.s;" WHO RUN GPUS OVER,
         "(2 SE 1.s 4)");
  /* of two jobs, and of one that runs */
  expect(QUEUED "1.s;" WHO "\n" QUEUED "2.s;" WHO "\n" STARTED "2.s;" WHO RUN "\n" STARTED
                "1.s;" WHO RUN "\n" ENDED "1.s;" WHO RUN OVER,
         "(5 QSE 1.s -)(2 Q 2.s -)(3 S 2.s -)");
  /* a type of GPU that the end names among its chunks, too */
  expect(QUEUED "1.s;" WHO GPUS " Resource_List.select=1:ngpus=4:gpu_type=a100\n" ENDED
                "1.s;" WHO RUN GPUS
                " Resource_List.select=1:ngpus=4:gpu_type=a100 exec_vnode=(n:ngpus=4:gpu_type="
                "a100)" OVER,
         "(2 QE 1.s 4)");
}

/* What differs in anything that counts is handed out, in the order of the file. */
static void test_said_otherwise(void) {
#define EACH "(1 Q 1.s 4)(2 S 1.s 4)(3 E 1.s 4)"
  static const struct {
    const char *q, *s, *e;
  } of[] = {
      {WHO GPUS, WHO RUN GPUS, "user=b queue=q ctime=1743440400 qtime=1743440400 " RUN GPUS OVER},
      {WHO GPUS " project=p", WHO RUN GPUS, WHO RUN GPUS OVER},
      {WHO GPUS, WHO RUN GPUS " exec_vnode=(n:ngpus=4)", WHO RUN GPUS OVER},
      {WHO GPUS, WHO RUN GPUS, WHO RUN GPUS " exec_gpus=n-gpu/0" OVER},
      {WHO GPUS, WHO RUN GPUS, WHO RUN GPUS " resource_assigned.ngpus=3" OVER},
      {WHO GPUS, WHO RUN GPUS, WHO RUN GPUS " resources_used.ngpus=3" OVER},
      {WHO GPUS, WHO RUN GPUS, WHO RUN GPUS " resources_used.ncpus=3" OVER},
      {WHO GPUS, WHO RUN GPUS, WHO RUN GPUS " end=1743441600\n"},
      {WHO GPUS " x.gpus4=1", WHO RUN GPUS " x.gpus4=1", WHO RUN GPUS " x.gpus4=1" OVER},
      {WHO GPUS SHARED, WHO RUN GPUS SHARED, WHO RUN GPUS SHARED OVER},
      {"user=a queue=q qtime=1743433200 " GPUS, "user=a queue=q qtime=1743433200 " RUN GPUS,
       "user=a queue=q qtime=1743433200 " RUN GPUS OVER},
      {WHO GPUS " Resource_List.gpu_type=v100",
       WHO RUN GPUS " exec_vnode=(n:ngpus=4:gpu_type=a100)",
       WHO RUN GPUS " Resource_List.gpu_type=v100 exec_vnode=(n:ngpus=4:gpu_type=a100)" OVER},
  };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    char text[2048];
    (void)snprintf(text, sizeof text, QUEUED "1.s;%s\n" STARTED "1.s;%s\n" ENDED "1.s;%s", of[i].q,
                   of[i].s, of[i].e);
    expect(text, EACH);
  }
  /* a record between them, one that comes twice, and no job */
  expect(QUEUED "1.s;" WHO "\n" STARTED "1.s;" WHO RUN
                "\n03/31/2025 17:15:00;D;1.s;requestor=b\n" ENDED "1.s;" WHO RUN OVER,
         "(1 Q 1.s -)(2 S 1.s -)(3 D 1.s -)(4 E 1.s -)");
  expect(STARTED "1.s;" WHO RUN "\n" STARTED "1.s;" WHO RUN "\n" ENDED "1.s;" WHO RUN OVER,
         "(1 S 1.s -)(3 SE 1.s -)");
  expect(QUEUED "1[].s;" WHO "\n" STARTED "1[].s;" WHO RUN "\n" ENDED "1[].s;" WHO RUN OVER,
         "(1 Q 1[].s -)(2 S 1[].s -)(3 E 1[].s -)");
  expect(QUEUED "1.s;queue=q\n" ENDED "1.s;" WHO RUN OVER, "(1 Q 1.s -)(2 E 1.s -)");
}

/* The clock of another zone says the same, of whole quarters of an hour. */
static void test_zones(void) {
  expect("03/31/2025 22:30:00;Q;1.s;" WHO "\n03/31/2025 22:40:01;S;1.s;" WHO RUN
         "\n03/31/2025 22:50:02;E;1.s;" WHO RUN OVER,
         "(3 QSE 1.s -)");
}

/* What is malformed is said where it stands, and what waits goes on waiting. */
static void test_malformed(void) {
  expect(QUEUED "1.s;" WHO "\n" QUEUED "2.s;ctime=x\n" STARTED "1.s;" WHO RUN "\n" ENDED
                "1.s;" WHO RUN OVER,
         "(4 QSE 1.s -)");
  expect(QUEUED "1.s;" WHO "\n" STARTED "1.s;" WHO, "(1 Q 1.s -)");
}

/* What waits is 32 MiB at most: then all of it is handed out, in the order of the file. */
static void test_much_that_waits(void) {
  enum { RECORDS = 40000, NAME = 1000 };
  const size_t most = (size_t)RECORDS * (NAME + 200);
  char *text = malloc(most), name[NAME + 1];
  size_t n = 0;
  int64_t count = 0;
  mpg_stream *stream = NULL;
  mpg_pbs *pbs = NULL;
  mpg_pbs_ends *ends = NULL;
  mpg_err err;
  memset(name, 'x', NAME);
  name[NAME] = '\0';
  for (int i = 0; i < RECORDS; i++)
    n += (size_t)snprintf(text + n, most - n, QUEUED "%d.s;" WHO "jobname=%s\n", i, name);
  CHECK(mpg_stream_memory(&stream, &mpg_env_libc, "mem", (mpg_str){text, n}, &err) == MPG_OK);
  CHECK(mpg_pbs_open(&pbs, &mpg_env_libc, stream, NULL, NULL, &err) == MPG_OK);
  CHECK(mpg_pbs_ends_open(&ends, &mpg_env_libc, pbs, &err) == MPG_OK);
  while (mpg_pbs_ends_next(ends, &err) == MPG_OK) {
    CHECK(mpg_pbs_line(pbs) == ++count && mpg_pbs_get(pbs, MPG_PBS_jobname)->s.n == NAME);
  }
  CHECK(count == RECORDS);
  mpg_pbs_ends_close(ends);
  mpg_pbs_close(pbs);
  mpg_stream_close(stream);
  free(text);
}

/* Every allocation fails once, alone and with all after it: out of memory or the whole result, and
** nothing leaks. */
static void test_memory(void) {
  static const char text[] =
      QUEUED "1.s;" WHO "\n" QUEUED "2.s;" WHO "\n" STARTED "1.s;" WHO RUN "\n" ENDED
             "2.s;" RUN OVER ENDED "1.s;" WHO RUN OVER QUEUED "3.s;" WHO "\n";
  char whole[512], out[512];
  CHECK(render(&mpg_env_libc, text, whole, sizeof whole) == MPG_DONE);
  CHECK(strcmp(whole, "(2 Q 2.s -)(4 E 2.s -)(5 QSE 1.s -)(6 Q 3.s -)") == 0);
  for (int and_after = 0; and_after < 2; and_after++) {
    bool finished = false;
    for (long i = 1; !finished && i < 200; i++) {
      hostile h = {0, i, and_after, false, 0};
      mpg_env env = hostile_env(&h);
      mpg_rc rc = render(&env, text, out, sizeof out);
      CHECK(h.failed ? rc == MPG_NOMEM : rc == MPG_DONE && strcmp(out, whole) == 0);
      finished = !h.failed;
      CHECK(h.live == 0);
    }
    CHECK(finished);
  }
}

int main(void) {
  test_said_again();
  test_said_otherwise();
  test_zones();
  test_malformed();
  test_much_that_waits();
  test_memory();
  return check_done("pbs_ends");
}
