/* Tests of ext/formats/pbs/pbs_value.c, pbs.c, lines.c and json_writer.c. */
#include "check.h"
#include "hostile.h"
#include "../../ext/read/parse/json_writer.h"
#include "../../ext/formats/pbs/pbs.h"
#include "../../ext/formats/pbs/pbs_value.h"

static bool is(mpg_str s, const char *text) {
  return mpg_str_eq(s, mpg_str_of(text));
}

/* ---- Values ---- */

static void test_ids(void) {
  static const struct {
    const char *text;
    int64_t base;
    bool in_array;
    const char *index, *server;
  } good[] = {{"4215033.casper-pbs", 4215033, false, "", "casper-pbs"},
              {"1", 1, false, "", ""},
              {"12[].s.example.org", 12, true, "", "s.example.org"},
              {"12[4].s", 12, true, "4", "s"},
              {"12[1-5].s", 12, true, "1-5", "s"},
              {"12-4.s", 12, true, "4", "s"}};
  static const char *const bad[] = {"",    "license", "R111.s",  ".s",  "12.",
                                    "12x", "12[4",    "12[4]x.", "12-", "99999999999999999999.s"};
  mpg_pbs_id id;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    CHECK(mpg_pbs_id_parse(mpg_str_of(good[i].text), &id));
    CHECK(id.base == good[i].base && id.in_array == good[i].in_array);
    CHECK(is(id.index, good[i].index) && is(id.server, good[i].server));
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK(!mpg_pbs_id_parse(mpg_str_of(bad[i]), &id));
}

typedef bool (*parse_sum)(mpg_str text, mpg_poller *poller, mpg_pbs_sum *out);

static void check_sum(parse_sum parse, const char *text, int64_t cpus, int64_t gpus,
                      const char *type) {
  mpg_pbs_sum sum = {-9, -9, {NULL, 0}};
  CHECK(parse(mpg_str_of(text), NULL, &sum));
  CHECK(sum.cpus == cpus && sum.gpus == (gpus < 0 ? -1 : gpus * 1000000) && is(sum.gpu_type, type));
}

static void test_sums(void) {
  static const char *const bad[] = {"",
                                    "n1:ncpus=x",
                                    "+",
                                    "(n1:ncpus=4)+",
                                    "n1:ncpus=-1",
                                    "n1:ncpus=9223372036854775807+n2:ncpus=1"};
  static const char *const bad_select[] = {"", "2:ncpus=", "x", "2:ngpus=1+",
                                           "4:ngpus=4611686018427387904"};
  mpg_pbs_sum sum;
  check_sum(mpg_pbs_vnodes_parse, "(crhtc65:ncpus=1:mem=1kb)", 1, -1, "");
  check_sum(mpg_pbs_vnodes_parse, "(n1:ncpus=4:ngpus=2)+(n2:ncpus=2:ngpus=1+n3:ncpus=2:ngpus=1)", 8,
            4, "");
  check_sum(mpg_pbs_vnodes_parse, "(n1)", -1, -1, "");
  check_sum(mpg_pbs_vnodes_parse, "n1:ngpus=0", -1, 0, "");
  check_sum(mpg_pbs_select_parse, "1:ncpus=1:mem=30:ompthreads=1", 1, -1, "");
  check_sum(mpg_pbs_select_parse, "2:ncpus=8:ngpus=4:gpu_type=a100+1:ncpus=2", 18, 8, "a100");
  check_sum(mpg_pbs_select_parse, "ncpus=4:ngpus=1", 4, 1, "");
  check_sum(mpg_pbs_select_parse, "3", 3, -1, "");
  check_sum(mpg_pbs_select_parse, "1:ngpus=1:gpu_type=a100+1:ngpus=1:gpu_model=V100", 2, 2, "");
  check_sum(mpg_pbs_select_parse, "1:ngpus=1:gpu_type=a100+1:ngpus=1:gpu_type=A100", 2, 2, "A100");
  check_sum(mpg_pbs_nodes_parse, "2:ppn=8:gpus=4", 16, 8, "");
  check_sum(mpg_pbs_nodes_parse, "n1+n2:ppn=2#shared", 3, -1, "");
  check_sum(mpg_pbs_nodes_parse, "1:ppn=2:infiniband", 2, -1, "");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK(!mpg_pbs_vnodes_parse(mpg_str_of(bad[i]), NULL, &sum));
  for (size_t i = 0; i < sizeof bad_select / sizeof *bad_select; i++)
    CHECK(!mpg_pbs_select_parse(mpg_str_of(bad_select[i]), NULL, &sum));
}

static void test_hosts(void) {
  static const struct {
    const char *text;
    int64_t slots;
    const char *hosts;
  } good[] = {{"crhtc65/34", 1, "crhtc65 "},  {"crhtc72/0*5", 5, "crhtc72 "},
              {"n1/0*8+n2/3", 9, "n1 n2 "},   {"n1/0+n1/1+n2/0", 3, "n1 n1 n2 "},
              {"n1/0-3,5+n2/7", 6, "n1 n2 "}, {"n1+n2", 2, "n1 n2 "}};
  static const char *const bad[] = {"",
                                    "/0",
                                    "n1/",
                                    "n1/x",
                                    "n1/3-1",
                                    "n1/0*x",
                                    "n1/0+",
                                    "n1/0-9223372036854775807",
                                    "n1/0-9223372036854775807+n2/0-9223372036854775806+n3/0-5"};
  static const char vnodes[] = "(n1:ncpus=4)+(n2:ncpus=2+n3:ncpus=2)";
  char all[64] = "";
  mpg_str host;
  int64_t slots;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    char names[64] = "";
    CHECK(mpg_pbs_hosts_count(mpg_str_of(good[i].text), NULL, &slots) && slots == good[i].slots);
    for (size_t at = 0; mpg_pbs_hosts_next(mpg_str_of(good[i].text), &at, &host);) {
      size_t n = strlen(names);
      (void)snprintf(names + n, sizeof names - n, "%.*s ", (int)host.n, host.p);
    }
    CHECK(strcmp(names, good[i].hosts) == 0);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK(!mpg_pbs_hosts_count(mpg_str_of(bad[i]), NULL, &slots));
  for (size_t at = 0; mpg_pbs_hosts_next(mpg_str_of(vnodes), &at, &host);)
    (void)strncat(all, host.p, host.n);
  CHECK(strcmp(all, "n1n2n3") == 0);
}

static void test_durations(void) {
  static const struct {
    const char *text;
    int64_t seconds;
  } good[] = {{"06:00:00", 21600},    {"100:00:00", 360000}, {"90", 90}, {"1:30", 90},
              {"2:00:00:01", 172801}, {"00:00:00", 0},       {"-1", -1}, {"-596:31:23", -2147483}};
  static const char *const bad[] = {"",          ":",   "x",     "-",
                                    "1:2:3:4:5", "1.5", "00:0x", "999999999999999999:00:00"};
  int64_t seconds;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    CHECK(mpg_pbs_duration_parse(mpg_str_of(good[i].text), &seconds) && seconds == good[i].seconds);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK(!mpg_pbs_duration_parse(mpg_str_of(bad[i]), &seconds));
}

static void test_outcomes(void) {
  CHECK(strcmp(mpg_pbs_outcome('E', false, true, 0), "completed") == 0);
  CHECK(strcmp(mpg_pbs_outcome('E', false, true, 1), "failed") == 0);
  CHECK(strcmp(mpg_pbs_outcome('E', false, true, -1), "failed") == 0);
  CHECK(strcmp(mpg_pbs_outcome('E', false, true, -29), "timeout") == 0);
  CHECK(strcmp(mpg_pbs_outcome('E', false, true, -11), "preempted") == 0);
  CHECK(mpg_pbs_outcome('E', false, false, 0) == NULL);
  CHECK(strcmp(mpg_pbs_outcome('R', false, false, 0), "preempted") == 0);
  CHECK(strcmp(mpg_pbs_outcome('D', false, false, 0), "cancelled") == 0);
  CHECK(mpg_pbs_outcome('S', false, false, 0) == NULL);
  CHECK(strcmp(mpg_pbs_outcome('E', false, true, -12), "failed") == 0);
  CHECK(strcmp(mpg_pbs_outcome('E', false, true, -14), "preempted") == 0);
  CHECK(strcmp(mpg_pbs_outcome('E', true, true, -11), "timeout") == 0);
  CHECK(strcmp(mpg_pbs_outcome('E', true, true, -12), "timeout") == 0);
  CHECK(strcmp(mpg_pbs_outcome('E', true, true, -14), "failed") == 0);
  CHECK(strcmp(mpg_pbs_outcome('E', true, true, 0), "completed") == 0);
}

/* ---- The reader ---- */

/* Every record as "(LINE TYPE ID|text|user|jobname|ctime|walltime|other=value...)". */
static mpg_rc render(const mpg_env *env, const mpg_zone *zone, const char *text, mpg_issues *issues,
                     char *out, size_t cap) {
  mpg_stream *stream = NULL;
  mpg_pbs *pbs = NULL;
  mpg_err err;
  size_t n = 0;
  mpg_rc rc = mpg_stream_memory(&stream, env, "mem", mpg_str_of(text), &err);
  out[0] = '\0';
  if (rc == MPG_OK)
    rc = mpg_pbs_open(&pbs, env, stream, zone, issues, &err);
  while (rc == MPG_OK || rc == MPG_DATA) {
    static const size_t shown[] = {MPG_PBS_user, MPG_PBS_jobname, MPG_PBS_ctime,
                                   MPG_PBS_list_walltime};
    size_t count;
    const mpg_pbs_pair *pairs;
    rc = mpg_pbs_next(pbs, &err);
    if (rc == MPG_DATA)
      n += (size_t)snprintf(out + n, cap - n, "{%s}", err.text);
    if (rc != MPG_OK)
      continue;
    n += (size_t)snprintf(out + n, cap - n, "(%lld %c %.*s|%.*s", (long long)mpg_pbs_line(pbs),
                          mpg_pbs_record_type(pbs), (int)mpg_pbs_id_text(pbs).n,
                          mpg_pbs_id_text(pbs).p, (int)mpg_pbs_text(pbs).n, mpg_pbs_text(pbs).p);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
      const mpg_value *v = mpg_pbs_get(pbs, shown[i]);
      if (v->type == MPG_TEXT)
        n += (size_t)snprintf(out + n, cap - n, "|%.*s", (int)v->s.n, v->s.p);
      else if (v->type == MPG_INT)
        n += (size_t)snprintf(out + n, cap - n, "|%lld", (long long)v->i);
      else
        n += (size_t)snprintf(out + n, cap - n, "|-");
    }
    pairs = mpg_pbs_others(pbs, &count);
    for (size_t i = 0; i < count; i++)
      n += (size_t)snprintf(out + n, cap - n, "|%.*s=%.*s", (int)pairs[i].key.n, pairs[i].key.p,
                            (int)pairs[i].value.n, pairs[i].value.p);
    n += (size_t)snprintf(out + n, cap - n, ")");
  }
  mpg_pbs_close(pbs);
  mpg_stream_close(stream);
  return rc;
}

static void expect(const char *text, const char *expected, const char *issue) {
  for (size_t b = 0; b < HOSTILE_BLOCKS; b++) {
    char out[2048];
    mpg_issues issues;
    mpg_issues_init(&issues, &mpg_env_libc);
    hostile_block(hostile_blocks[b]);
    CHECK(render(&mpg_env_libc, NULL, text, &issues, out, sizeof out) == MPG_DONE);
    CHECK(strcmp(out, expected) == 0);
    if (strcmp(out, expected) != 0)
      (void)fprintf(stderr, "  found    %s\n  expected %s\n", out, expected);
    CHECK(issue == NULL ? issues.n == 0
                        : issues.n == 1 && strcmp(issues.items[0].kind, issue) == 0);
    mpg_issues_free(&issues);
  }
  hostile_block(0);
}

#define AT "03/31/2025 10:59:15;"

static void test_records(void) {
  expect("", "", NULL);
  expect("\n\r\n", "", NULL);
  expect(AT "Q;1.s;user=a jobname=b ctime=7 Resource_List.walltime=01:00:00\n",
         "(1 Q 1.s||a|b|7|3600)", NULL);
  expect("\xef\xbb\xbf" AT "Q;1.s;user=a\r\n\n" AT "D;1.s;requestor=a@b\n",
         "(1 Q 1.s||a|-|-|-)(3 D 1.s||-|-|-|-)", NULL);
  expect(AT "L;license;floating license hour:3 day:3\n",
         "(1 L license|floating license hour:3 day:3|-|-|-|-)", NULL);
  expect(AT "A;1.s;aborted, see user=x ctime=0\n", "(1 A 1.s|aborted, see|x|-|-|-)", NULL);
  expect(AT "Q;1.s;\n", "(1 Q 1.s||-|-|-|-)", NULL);
  /* Quotes, and what looks like them. */
  expect(AT "Q;1.s;jobname=\"a b=c d\" user='it \"is\"' x=\"y\n",
         "(1 Q 1.s||it \"is\"|a b=c d|-|-|x=\"y)", NULL);
  expect(AT "Q;1.s;jobname=\"a\"b\" user=\n", "(1 Q 1.s||-|a\"b|-|-)", NULL);
  expect(AT "Q;1.s;jobname=\"it \"is\" so\" user='it 'is' so' ctime=7\n",
         "(1 Q 1.s||it 'is' so|it \"is\" so|7|-)", NULL);
  expect(AT "Q;1.s;jobname=\"a\" b user=x ctime=7\n", "(1 Q 1.s||x|\"a\" b|7|-)", NULL);
  expect(AT "Q;1.s;jobname=\"a\"  user=\"b\" \n", "(1 Q 1.s||b|a|-|-)", NULL);
  /* Without quotes, as Torque may write it. */
  expect(AT "Q;1.s;jobname=relax md  run user=x 1=2\n", "(1 Q 1.s||x 1=2|relax md  run|-|-)", NULL);
  /* Keys that come again or have no column. */
  expect(AT "Q;1.s;user=a user=b Resource_List.mps=0 v=a=b\n",
         "(1 Q 1.s||a|-|-|-|user=b|Resource_List.mps=0|v=a=b)", NULL);
}

static void test_errors(void) {
#define EXPECTED                                                                                   \
  "expected a PBS accounting record such as 03/31/2025 10:59:15;Q;123.server;user=..., found "
  expect("x\n", "{mem:1:1: " EXPECTED "\"x\"}", NULL);
  expect("x", "{mem:1:1: " EXPECTED "\"x\"}", NULL);
  expect("JobID|State\n",
         "{mem:1:1: " EXPECTED "\"JobID|State\" (a header of sacct: read it with slurm_trace)}",
         NULL);
  expect(AT "Q;no end\n", "{mem:1:1: " EXPECTED "\"03/31/2025 10:59:15;Q;no end\"}", NULL);
  expect("02/30/2025 10:59:15;Q;1;\n02/29/2024 00:00:00;Q;1;\n04/31/2024 00:00:00;Q;1;\n",
         "{mem:1:1: expected a date and time as MM/DD/YYYY HH:MM:SS, found \"02/30/2025 "
         "10:59:15\"}(2 Q 1||-|-|-|-){mem:3:1: expected a date and time as MM/DD/YYYY HH:MM:SS, "
         "found \"04/31/2024 00:00:00\"}",
         NULL);
  expect(AT "Q;1.s;user=a ctime=noon\n" AT "Q;2.s;user=b\n",
         "{mem:1:40: expected Unix seconds for ctime, found \"noon\"}(2 Q 2.s||b|-|-|-)", NULL);
  expect(AT "Q;1.s;Resource_List.walltime=1h\n",
         "{mem:1:50: expected a duration such as 06:00:00 for Resource_List.walltime, found "
         "\"1h\"}",
         NULL);
  expect(AT "Q;1.s;run_count=two\n",
         "{mem:1:37: expected a whole number for run_count, found \"two\"}", NULL);
  {
    static const char nul[] = AT "Q;1.s;user=a\0b\n" AT "Q;2.s;\n";
    mpg_stream *stream = NULL;
    mpg_pbs *pbs = NULL;
    mpg_err err;
    CHECK(mpg_stream_memory(&stream, &mpg_env_libc, "mem", (mpg_str){nul, sizeof nul - 1}, &err) ==
          MPG_OK);
    CHECK(mpg_pbs_open(&pbs, &mpg_env_libc, stream, NULL, NULL, &err) == MPG_OK);
    CHECK(mpg_pbs_next(pbs, &err) == MPG_DATA);
    CHECK(strcmp(err.text, "mem:1:33: expected text, found byte 0x00") == 0);
    CHECK(mpg_pbs_next(pbs, &err) == MPG_OK && mpg_pbs_line(pbs) == 2);
    CHECK(mpg_pbs_next(pbs, &err) == MPG_DONE && mpg_pbs_next(pbs, &err) == MPG_DONE);
    mpg_pbs_close(pbs);
    mpg_stream_close(stream);
  }
}

static void test_still_written(void) {
  expect(AT "Q;1.s;user=a\n" AT "S;1.s;user=a ctime=12", "(1 Q 1.s||a|-|-|-)", "unfinished_record");
  expect(AT "Q;1.s;user=a\n03/3", "(1 Q 1.s||a|-|-|-)", "unfinished_record");
  expect(AT "Q;1.s;user=a", "", "unfinished_record");
}

static void test_zones(void) {
  static const struct {
    const char *zone, *text;
    int64_t time;
    const char *issue;
  } times[] = {{"UTC", AT "Q;1;\n", 1743418755, NULL},
               {"America/Denver", AT "Q;1;\n", 1743440355, NULL},
               {"America/Denver", "03/09/2025 02:30:00;Q;1;\n", 1741512600, "skipped_time"},
               {"America/Denver", "11/02/2025 01:30:00;Q;1;\n", 1762068600, "repeated_time"},
               /* Told in Unix seconds too: late by 5 seconds, and 6 hours off either way. */
               {"America/Denver", AT "S;1;start=1743440350\n", 1743440355, NULL},
               {"America/Denver", AT "E;1;start=1743418755 end=1743440355\n", 1743440355, NULL},
               {"UTC", AT "S;1;start=1743440350\n", 1743418755, "other_zone"},
               {"UTC", AT "E;1;start=1743418755 end=1743440355\n", 1743418755, "other_zone"},
               {"America/Denver", AT "S;1;start=1743418755\n", 1743440355, "other_zone"},
               {"America/Denver", AT "S;1;start=1743418750\n", 1743440355, "other_zone"},
               /* What no zone explains, or the repeated hour does; not of other records. */
               {"UTC", AT "S;1;start=1743440349\n", 1743418755, NULL},
               {"America/Denver", AT "S;1;start=1743418749\n", 1743440355, NULL},
               {"UTC", AT "S;1;start=1\n", 1743418755, NULL},
               {"UTC", AT "Q;1;start=1743440355 end=1743440355\n", 1743418755, NULL},
               {"UTC", AT "S;1;end=1743440355\n", 1743418755, NULL},
               {"America/Denver", "11/02/2025 01:30:00;S;1;start=1762072200\n", 1762072200, NULL},
               {"America/Denver", "11/02/2025 01:30:00;S;1;start=1762068599\n", 1762068600, NULL},
               {"America/Denver", "11/02/2025 01:30:00;S;1;start=1762070000\n", 1762068600,
                "repeated_time"}};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    mpg_stream *stream = NULL;
    mpg_pbs *pbs = NULL;
    mpg_zone *zone = NULL;
    mpg_issues issues;
    mpg_err err;
    mpg_issues_init(&issues, &mpg_env_libc);
    CHECK(mpg_zone_open(&zone, &mpg_env_libc, mpg_str_of(times[i].zone), MPG_ZONE_FOLDER, &err) ==
          MPG_OK);
    CHECK(mpg_stream_memory(&stream, &mpg_env_libc, "mem", mpg_str_of(times[i].text), &err) ==
          MPG_OK);
    CHECK(mpg_pbs_open(&pbs, &mpg_env_libc, stream, zone, &issues, &err) == MPG_OK);
    CHECK(mpg_pbs_next(pbs, &err) == MPG_OK && mpg_pbs_time(pbs) == times[i].time);
    CHECK(times[i].issue == NULL
              ? issues.n == 0
              : issues.n == 1 && strcmp(issues.items[0].kind, times[i].issue) == 0);
    mpg_pbs_close(pbs);
    mpg_stream_close(stream);
    mpg_zone_free(zone);
    mpg_issues_free(&issues);
  }
}

/* A log is in order: what is before the record above is of the second time. */
static void test_repeated_hour(void) {
  static const struct {
    const char *before, *at;
    int64_t time;
    size_t issues;
  } pairs[] = {{"11/02/2025 01:50:00", "11/02/2025 01:30:00", 1762072200, 1},
               {"11/02/2025 01:20:00", "11/02/2025 01:30:00", 1762068600, 2},
               {"11/02/2025 02:20:00", "11/02/2025 01:30:00", 1762068600, 1},
               {"11/02/2025 00:20:00", "11/02/2025 01:30:00", 1762068600, 1}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    char text[96];
    mpg_stream *stream = NULL;
    mpg_pbs *pbs = NULL;
    mpg_zone *zone = NULL;
    mpg_issues issues;
    mpg_err err;
    (void)snprintf(text, sizeof text, "%s;D;1;\n%s;D;2;\n", pairs[i].before, pairs[i].at);
    mpg_issues_init(&issues, &mpg_env_libc);
    CHECK(mpg_zone_open(&zone, &mpg_env_libc, mpg_str_of("America/Denver"), MPG_ZONE_FOLDER,
                        &err) == MPG_OK);
    CHECK(mpg_stream_memory(&stream, &mpg_env_libc, "mem", mpg_str_of(text), &err) == MPG_OK);
    CHECK(mpg_pbs_open(&pbs, &mpg_env_libc, stream, zone, &issues, &err) == MPG_OK);
    CHECK(mpg_pbs_next(pbs, &err) == MPG_OK && mpg_pbs_next(pbs, &err) == MPG_OK);
    CHECK(mpg_pbs_time(pbs) == pairs[i].time);
    CHECK(pairs[i].issues == 0
              ? issues.n == 0
              : issues.n == 1 && issues.items[0].count == (int64_t)pairs[i].issues);
    mpg_pbs_close(pbs);
    mpg_stream_close(stream);
    mpg_zone_free(zone);
    mpg_issues_free(&issues);
  }
}

/* A record in memory. */
static mpg_pbs *first_of(const char *text, mpg_stream **stream) {
  mpg_pbs *pbs = NULL;
  mpg_err err;
  CHECK(mpg_stream_memory(stream, &mpg_env_libc, "mem", mpg_str_of(text), &err) == MPG_OK);
  CHECK(mpg_pbs_open(&pbs, &mpg_env_libc, *stream, NULL, NULL, &err) == MPG_OK);
  CHECK(mpg_pbs_next(pbs, &err) == MPG_OK);
  return pbs;
}

/* Every key is found by its name, and one that differs from it in one byte is not. */
static void test_keys(void) {
#define KEY(name, key, type) key,
  static const char *const keys[] = {MPG_PBS_FIELDS(KEY)};
#undef KEY
  char text[8192];
  size_t n = (size_t)snprintf(text, sizeof text, AT "E;1.s;"), count;
  mpg_stream *stream = NULL;
  mpg_pbs *pbs;
  for (int i = 0; i < MPG_PBS_COUNT_OF_FIELDS; i++) {
    char like[64];
    size_t at = (size_t)i % strlen(keys[i]);
    (void)snprintf(like, sizeof like, "%s", keys[i]);
    like[at] = like[at] == 'Z' ? 'Y' : 'Z';
    n += (size_t)snprintf(text + n, sizeof text - n, "%s=%d %s=like%d ", keys[i], i + 1, like, i);
  }
  (void)snprintf(text + n, sizeof text - n, "\n");
  pbs = first_of(text, &stream);
  for (int i = 0; i < MPG_PBS_COUNT_OF_FIELDS; i++) {
    const mpg_value *v = mpg_pbs_get(pbs, (size_t)i);
    char number[16];
    (void)snprintf(number, sizeof number, "%d", i + 1);
    CHECK(v->type == MPG_TEXT   ? is(v->s, number)
          : v->type == MPG_REAL ? v->r == i + 1
                                : v->type == MPG_INT && v->i == i + 1);
  }
  CHECK(mpg_pbs_others(pbs, &count) != NULL && count == MPG_PBS_COUNT_OF_FIELDS);
  mpg_pbs_close(pbs);
  mpg_stream_close(stream);
}

/* Keys, words and values of every length, as bytes are looked at many at a time; and every byte
** in a key. */
static void test_lengths(void) {
  char text[512], key[64], value[64];
  for (int k = 1; k < 40; k++)
    for (int v = 0; v < 40; v++) {
      mpg_stream *stream = NULL;
      mpg_pbs *pbs;
      const mpg_pbs_pair *pairs;
      size_t count;
      memset(key, 'k', sizeof key);
      memset(value, 'v', sizeof value);
      (void)snprintf(text, sizeof text, AT "L;l;%.*s %.*s=%.*s %.*s user=%.*s\n", k, value, k, key,
                     v, value, k, key, v, value);
      pbs = first_of(text, &stream);
      CHECK(is(mpg_pbs_text(pbs), (value[k] = '\0', value)));
      value[k] = 'v';
      pairs = mpg_pbs_others(pbs, &count);
      CHECK(count == 1 && pairs[0].key.n == (size_t)k && pairs[0].value.n == (size_t)(v + 1 + k));
      CHECK(mpg_pbs_get(pbs, MPG_PBS_user)->s.n == (size_t)v);
      mpg_pbs_close(pbs);
      mpg_stream_close(stream);
    }
  for (int c = 1; c < 256; c++)
    for (size_t at = 1; at < 20; at += 6) {
      bool is_key = c == '_' || c == '.' || c == '-' || (c >= '0' && c <= '9') ||
                    ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
      mpg_stream *stream = NULL;
      mpg_pbs *pbs;
      size_t count;
      if (c == ' ' || c == '=' || c == '\n' || c == '\r')
        continue;
      memset(key, 'k', sizeof key);
      key[at] = (char)c;
      (void)snprintf(text, sizeof text, AT "L;l;%.20s=1 user=someone-with-a-name\n", key);
      pbs = first_of(text, &stream);
      (void)mpg_pbs_others(pbs, &count);
      CHECK(count == is_key && (mpg_pbs_text(pbs).n > 0) == !is_key);
      CHECK(is(mpg_pbs_get(pbs, MPG_PBS_user)->s, "someone-with-a-name"));
      mpg_pbs_close(pbs);
      mpg_stream_close(stream);
    }
}

/* Every allocation fails once, alone and with all after it: out of memory or the whole result, and
** nothing leaks. */
static void test_memory(void) {
  static const char text[] = AT "Q;1.s;user=a x=1 y=2\n" AT "Q;2.s;z=1 user=b\n03/3";
  char whole[512], out[512];
  CHECK(render(&mpg_env_libc, NULL, text, NULL, whole, sizeof whole) == MPG_DONE);
  for (int and_after = 0; and_after < 2; and_after++) {
    bool finished = false;
    for (long i = 1; !finished && i < 200; i++) {
      hostile h = {0, i, and_after, false, 0};
      mpg_env env = hostile_env(&h);
      mpg_issues issues;
      mpg_rc rc;
      mpg_issues_init(&issues, &env);
      rc = render(&env, NULL, text, &issues, out, sizeof out);
      CHECK(h.failed ? rc == MPG_NOMEM : rc == MPG_DONE && strcmp(out, whole) == 0);
      finished = !h.failed;
      mpg_issues_free(&issues);
      CHECK(h.live == 0);
    }
    CHECK(finished);
  }
}

static void test_json(void) {
  mpg_json_text json = {.env = &mpg_env_libc};
  CHECK(mpg_json_put(&json, MPG_STR("[")) == MPG_OK && mpg_json_put_comma(&json) == MPG_OK);
  CHECK(mpg_json_put_string(&json, MPG_STR("a\"b\\c\n\x01z")) == MPG_OK);
  CHECK(mpg_json_put_comma(&json) == MPG_OK);
  CHECK(mpg_json_put_string(&json, MPG_STR("")) == MPG_OK);
  CHECK(mpg_json_put(&json, MPG_STR("]")) == MPG_OK);
  CHECK(is((mpg_str){json.p, json.n}, "[\"a\\\"b\\\\c\\u000a\\u0001z\",\"\"]"));
  mpg_json_text_free(&json);
}

int main(void) {
  test_ids();
  test_sums();
  test_hosts();
  test_durations();
  test_outcomes();
  test_records();
  test_errors();
  test_still_written();
  test_zones();
  test_repeated_hour();
  test_keys();
  test_lengths();
  test_memory();
  test_json();
  return check_done("pbs");
}
