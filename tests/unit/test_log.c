/* test_log.c - ext/formats/log/log_stamp, pattern and log: times in logs, patterns with limits,
** lines as records. */
#include "../../ext/formats/log/log.h"
#include "../../ext/formats/log/log_stamp.h"
#include "../../ext/base/time.h"
#include "check.h"
#include "hostile.h"

#include <stdio.h>
#include <string.h>

static bool is(mpg_str s, const char *text) {
  return mpg_str_eq(s, mpg_str_of(text));
}

/* ---- Times ---- */

#define T INT64_C(1795273286) /* 2026-11-21T15:01:26Z */

static void test_stamps(void) {
  static const struct {
    const char *text;
    int64_t us;
  } good[] = {
      {"1795273286", T * MPG_SECOND},
      {"1795273286.25", T * MPG_SECOND + 250000},
      {"2026-11-21T15:01:26Z", T * MPG_SECOND},
      {"2026-11-21 15:01:26,123", T * MPG_SECOND + 123000},
      {"2026/11/21 15:01:26", T * MPG_SECOND},
      {"2026-11-21T16:01:26.1234565+01:00", T * MPG_SECOND + 123456},
      {"2026-11-21 10:01:26 -0500", T * MPG_SECOND},
      {"21 Nov 2026 15:01:26,123", T * MPG_SECOND + 123000},
      {"21/Nov/2026:16:01:26 +0100", T * MPG_SECOND},
      {"26/11/21 15:01:26", T * MPG_SECOND},
      {"20261121 15:01:26.5", T * MPG_SECOND + 500000},
      {"1121 15:01:26.123456", T * MPG_SECOND + 123456},
      {"Nov 21 15:01:26", T * MPG_SECOND},
      {"Sat Nov 21 15:01:26 2026", T * MPG_SECOND},
      {"Sat Nov 21 15:01:26 UTC 2026", T * MPG_SECOND},
      {"Sat, 21 Nov 2026 15:01:26 GMT", T * MPG_SECOND},
      {"Nov  1 00:00:00", (T - 20 * 86400 - 54086) * MPG_SECOND},
      {"2026-12-31 23:59:60", INT64_C(1798761600) * MPG_SECOND},
  };
  static const char *const bad[] = {"",
                                    "15:01:26",
                                    "2026-11-21",
                                    "2026-13-01 00:00:00",
                                    "2026-11-21 24:00:00",
                                    "2026-11-21 15:01:26 CET",
                                    "2026-11-21 15:01:26.",
                                    "Nox 21 15:01:26",
                                    "2026-11-21 15:01:26+25:00",
                                    "12345",
                                    "1795273286123",
                                    "0021 15:01:26",
                                    "2026-11-21 15:01:26.12345678901234567890123456789012345"};
  static const char *const no_days[] = {"2026-02-29 00:00:00", "Feb 30 10:00:00",
                                        "1969-12-31 23:59:59", "2262-01-01 00:00:00",
                                        "1970-01-01 00:00:00 +0100"};
  mpg_stamp t;
  mpg_zone_fit fit;
  int64_t us = 0;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    CHECK(mpg_stamp_read(mpg_str_of(good[i].text), &t));
    CHECK(mpg_stamp_at(&t, 2026, NULL, &us, &fit) && us == good[i].us && fit == MPG_ZONE_UNIQUE);
    if (us != good[i].us)
      (void)fprintf(stderr, "  %s: found %lld, expected %lld\n", good[i].text, (long long)us,
                    (long long)good[i].us);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK(!mpg_stamp_read(mpg_str_of(bad[i]), &t));
  for (size_t i = 0; i < sizeof no_days / sizeof *no_days; i++) {
    CHECK(mpg_stamp_read(mpg_str_of(no_days[i]), &t));
    CHECK(!mpg_stamp_at(&t, 2026, NULL, &us, &fit));
  }
}

/* ---- Patterns ---- */

static mpg_rc open_pattern(const mpg_env *env, const char *text, mpg_pattern **out, mpg_err *err) {
  *out = NULL;
  return mpg_pattern_open(out, env, mpg_str_of(text), err);
}

static void test_groups(bool compiled) {
  mpg_pattern *p;
  mpg_err err;
  mpg_str s;
  CHECK(open_pattern(&mpg_env_libc, "(?:z (?<b>\\d+)|y (?<b>\\w+)) (?<a>.)?", &p, &err) == MPG_OK);
  if (compiled)
    mpg_pattern_compile(p);
  CHECK(mpg_pattern_names(p) == 2 && is(mpg_pattern_name(p, 0), "b") &&
        is(mpg_pattern_name(p, 1), "a"));
  CHECK(mpg_pattern_match(p, MPG_STR("x y two q"), &err) == MPG_OK);
  CHECK(mpg_pattern_group(p, 0, &s) && is(s, "two") && mpg_pattern_group(p, 1, &s) && is(s, "q"));
  CHECK(mpg_pattern_match(p, MPG_STR("z 17 "), &err) == MPG_OK);
  CHECK(mpg_pattern_group(p, 0, &s) && is(s, "17") && !mpg_pattern_group(p, 1, &s));
  CHECK(mpg_pattern_match(p, MPG_STR(""), &err) == MPG_DONE);
  CHECK(mpg_pattern_match(p, (mpg_str){NULL, 0}, &err) == MPG_DONE);
  /* Bytes that are no UTF-8 are matched by nothing, and do not stop the rest from matching. */
  CHECK(mpg_pattern_match(p, MPG_STR("\xff\xfe z 5 \xff"), &err) == MPG_OK);
  CHECK(mpg_pattern_group(p, 0, &s) && is(s, "5") && !mpg_pattern_group(p, 1, &s));
  mpg_pattern_close(p);
  CHECK(open_pattern(&mpg_env_libc, "(?<a>\\K(?=.))", &p, &err) == MPG_OK);
  if (compiled)
    mpg_pattern_compile(p);
  CHECK(mpg_pattern_match(p, MPG_STR("xy"), &err) == MPG_OK);
  mpg_pattern_close(p);
  CHECK(open_pattern(&mpg_env_libc, "^only this$", &p, &err) == MPG_OK &&
        mpg_pattern_names(p) == 0);
  CHECK(mpg_pattern_match(p, MPG_STR("only this"), &err) == MPG_OK);
  mpg_pattern_close(p);
  mpg_pattern_close(NULL);
}

/* A pattern that becomes machine code after some lines finds in later ones what it found before. */
static void test_many_lines(void) {
  mpg_pattern *p;
  mpg_err err;
  mpg_str s;
  CHECK(open_pattern(&mpg_env_libc, "step (?<step>\\d+)", &p, &err) == MPG_OK);
  for (int i = 0; i < 200; i++) {
    char line[32], step[16];
    (void)snprintf(step, sizeof step, "%d", i);
    (void)snprintf(line, sizeof line, "at step %d of 200", i);
    CHECK(mpg_pattern_match(p, mpg_str_of(line), &err) == MPG_OK);
    CHECK(mpg_pattern_group(p, 0, &s) && is(s, step));
    CHECK(mpg_pattern_match(p, MPG_STR("no step"), &err) == MPG_DONE);
  }
  mpg_pattern_close(p);
}

static void test_bad_patterns(void) {
  static const struct {
    const char *text, *error;
  } bad[] = {
      {"a(?<b>c", "pattern: missing closing parenthesis, at offset 7, its end"},
      {"(?<b>x)[z-a]",
       "pattern: range out of order in character class, at offset 10, before \"a]\""},
      {"a(b)", "pattern: expected named groups such as (?<step>\\d+), found groups without names"},
      {"\\C(?<x>.)",
       "pattern: using \\C is disabled by the application, at offset 2, before \"(?<x>.)\""},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    mpg_pattern *p;
    mpg_err err;
    CHECK(open_pattern(&mpg_env_libc, bad[i].text, &p, &err) == MPG_MISUSE);
    CHECK(strcmp(err.text, bad[i].error) == 0);
    if (strcmp(err.text, bad[i].error) != 0)
      (void)fprintf(stderr, "  found %s\n", err.text);
  }
}

static char *repeated(char c, size_t n) {
  char *text = malloc(n + 1);
  if (text == NULL)
    abort();
  memset(text, c, n);
  text[n] = '\0';
  return text;
}

/* What would take for ever ends, in an error or in the answer; and it can be interrupted. */
static void test_catastrophes(bool compiled) {
  static const char *const patterns[] = {"(?<x>(a+)+[bc])", "(?<x>(?:a|aa)+[bc])",
                                         "(?<x>(a*)*a*a*a*a*[bc])", "(?<x>(?:a?){60}a{60}[bc])"};
  static const size_t lengths[] = {300, 5000};
  mpg_pattern *p;
  mpg_err err;
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    CHECK(open_pattern(&mpg_env_libc, patterns[i], &p, &err) == MPG_OK);
    if (compiled)
      mpg_pattern_compile(p);
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
      char *line = repeated('a', lengths[l]);
      mpg_rc rc = mpg_pattern_match(p, mpg_str_of(line), &err);
      CHECK(rc == MPG_LIMIT || rc == MPG_DONE);
      if (rc == MPG_LIMIT)
        CHECK(strncmp(err.text, "the pattern ", 12) == 0);
      free(line);
    }
    CHECK(mpg_pattern_match(p, MPG_STR("aaab"), &err) == (i == 3 ? MPG_DONE : MPG_OK));
    mpg_pattern_close(p);
  }
  {
    hostile h = {0, 0, false, false, 2};
    mpg_env env = hostile_env(&h);
    char *line = repeated('a', 20000);
    CHECK(open_pattern(&env, patterns[0], &p, &err) == MPG_OK);
    if (compiled)
      mpg_pattern_compile(p);
    CHECK(mpg_pattern_match(p, mpg_str_of(line), &err) == MPG_INTERRUPTED);
    mpg_pattern_close(p);
    free(line);
    CHECK(h.live == 0);
  }
}

/* ---- Lines ---- */

/* Every record as "(LINE|time|step|fields|text)", every error as "{...}". */
static mpg_rc render(const mpg_env *env, const char *pattern, mpg_log_unmatched unmatched,
                     int64_t year, mpg_str text, mpg_issues *issues, char *out, size_t cap) {
  mpg_log_options options = {NULL, NULL, year, unmatched};
  mpg_json_text json = {.env = env};
  mpg_stream *stream = NULL;
  mpg_log *log = NULL;
  mpg_err err;
  size_t n = 0;
  mpg_rc rc = open_pattern(env, pattern, &options.pattern, &err);
  out[0] = '\0';
  if (rc == MPG_OK)
    rc = mpg_stream_memory(&stream, env, "mem", text, &err);
  if (rc == MPG_OK)
    rc = mpg_log_open(&log, env, stream, &options, issues, &err);
  while (rc == MPG_OK || rc == MPG_DATA) {
    bool any = false;
    rc = mpg_log_next(log, &err);
    if (rc == MPG_DATA)
      n += (size_t)snprintf(out + n, cap - n, "{%s}", err.text);
    if (rc != MPG_OK)
      continue;
    json.n = 0;
    rc = mpg_log_fields(log, &json, &any);
    if (rc != MPG_OK)
      break;
    n += (size_t)snprintf(out + n, cap - n, "(%lld|", (long long)mpg_log_line(log));
    if (mpg_log_time(log)->type == MPG_REAL)
      n += (size_t)snprintf(out + n, cap - n, "%.3f", mpg_log_time(log)->r);
    if (mpg_log_step(log)->type == MPG_INT)
      n += (size_t)snprintf(out + n, cap - n, "|%lld", (long long)mpg_log_step(log)->i);
    if (any)
      n += (size_t)snprintf(out + n, cap - n, "|%.*s", (int)json.n, json.p);
    n +=
        (size_t)snprintf(out + n, cap - n, "|%.*s)", (int)mpg_log_text(log).n, mpg_log_text(log).p);
  }
  mpg_json_text_free(&json);
  mpg_log_close(log);
  mpg_stream_close(stream);
  mpg_pattern_close(options.pattern);
  return rc;
}

static void expect(const char *pattern, mpg_log_unmatched unmatched, int64_t year, const char *text,
                   const char *expected, const char *kinds) {
  for (size_t b = 0; b < HOSTILE_BLOCKS; b++) {
    char out[4096], found[256] = "";
    mpg_issues issues;
    mpg_issues_init(&issues, &mpg_env_libc);
    hostile_block(hostile_blocks[b]);
    CHECK(render(&mpg_env_libc, pattern, unmatched, year, mpg_str_of(text), &issues, out,
                 sizeof out) == MPG_DONE);
    CHECK(strcmp(out, expected) == 0);
    if (strcmp(out, expected) != 0)
      (void)fprintf(stderr, "  found    %s\n  expected %s\n", out, expected);
    for (size_t i = 0; i < issues.n; i++) {
      size_t n = strlen(found);
      (void)snprintf(found + n, sizeof found - n, "%s=%lld ", issues.items[i].kind,
                     (long long)issues.items[i].count);
    }
    CHECK(strcmp(found, kinds) == 0);
    if (strcmp(found, kinds) != 0)
      (void)fprintf(stderr, "  found issues %s\n", found);
    mpg_issues_free(&issues);
  }
  hostile_block(0);
}

/* Of lines after the last that matched the last with a time, if that is not before the others. */
static void test_last_lines(void) {
  static const char step[] = "(?<time>\\S+ \\S+) step (?<step>\\d+)";
#define FIRST "2026-01-01 00:00:10 step 1\n"
#define SHOWN                                                                                      \
  "(1|1767225610.000|1|{\"time\":\"2026-01-01 00:00:10\",\"step\":1}|2026-01-01 00:00:10 step 1)"
  expect(step, MPG_LOG_LAST, 0, FIRST "a\n[E101 00:00:12.5 x\nb\n", SHOWN "(3|1767225612.500|)",
         "unmatched_lines=3 ");
  expect(step, MPG_LOG_LAST, 0, FIRST "[2026-01-01 00:00:13,5] x\n2026-01-01T00:00:12 y\n",
         SHOWN "(2|1767225613.500|)", "unmatched_lines=2 ");
  expect(step, MPG_LOG_LAST, 0, FIRST "2026-01-01 00:00:13\nb", SHOWN "(2|1767225613.000|)",
         "unfinished_line=1 unmatched_lines=1 ");
  expect(step, MPG_LOG_LAST, 0, "2026-01-01 00:00:09 x\n" FIRST "2026-01-01 00:00:09 x\n",
         "(2|1767225610.000|1|{\"time\":\"2026-01-01 00:00:10\",\"step\":1}|2026-01-01 00:00:10 "
         "step 1)",
         "unmatched_lines=2 ");
  expect(step, MPG_LOG_LAST, 0,
         FIRST "I0231 00:00:12.5 x\n2026-01-01 00:00:12Z x\n12026-01-01 00:00:12\n1:2026-01-01 "
               "00:00:1\nE01 00:00:12\n",
         SHOWN, "unmatched_lines=5 ");
  expect(step, MPG_LOG_LAST, 0, "2026-12-31 23:59:59 step 1\nI0101 00:00:01.0 x\n",
         "(1|1798761599.000|1|{\"time\":\"2026-12-31 23:59:59\",\"step\":1}|2026-12-31 23:59:59 "
         "step 1)"
         "(2|1798761601.000|)",
         "unmatched_lines=1 ");
  expect("(?<x>\\d+x)", MPG_LOG_LAST, 0, "1x\n2026-01-01 00:00:13\n", "(1||{\"x\":\"1x\"}|1x)",
         "unmatched_lines=1 ");
#undef FIRST
#undef SHOWN
}

static void test_lines(void) {
  expect("step (?<step>\\d+) loss (?<loss>\\S+)", MPG_LOG_IGNORE, 0,
         "hello\nstep 1 loss 2.5\nstep 2 loss nan\r\n",
         "(2||1|{\"step\":1,\"loss\":2.5}|step 1 loss 2.5)(3||2|{\"step\":2,\"loss\":\"nan\"}|step "
         "2 loss nan)",
         "unmatched_lines=1 ");
  expect("(?<x>\\d+)", MPG_LOG_ROWS, 0, "a\n7\n", "(1||a)(2||{\"x\":7}|7)", "unmatched_lines=1 ");
  expect("(?<x>\\d+)", MPG_LOG_ERROR, 0, "a\n7\n",
         "{mem:1:1: expected a line that matches the pattern, found \"a\"}(2||{\"x\":7}|7)",
         "unmatched_lines=1 ");
  expect("(?<x>\\d+)", MPG_LOG_IGNORE, 0, "a\nb\n", "", "no_match=1 unmatched_lines=2 ");
  test_last_lines();
  expect("(?<x>\\d+)", MPG_LOG_IGNORE, 0, "", "", "no_match=1 ");
  expect("(?<x>\\d+)", MPG_LOG_IGNORE, 0, "1\n2", "(1||{\"x\":1}|1)", "unfinished_line=1 ");
  expect("(?<x>.*)", MPG_LOG_IGNORE, 0,
         "\xef\xbb\xbf"
         "\"\\\t\n\n",
         "(1||{\"x\":\"\\\"\\\\\\u0009\"}|\"\\\t)(2||{\"x\":\"\"}|)", "");
  expect("(?<step>\\S+)", MPG_LOG_IGNORE, 0, "1\n1.5\n3\n",
         "(1||1|{\"step\":1}|1){mem:2:1: expected a whole number in group \"step\", found "
         "\"1.5\"}(3||3|{\"step\":3}|3)",
         "");
}

static void test_numbers(void) {
  static const struct {
    const char *text, *json;
  } texts[] = {{"0", "0"},
               {"-12", "-12"},
               {"007", "\"007\""},
               {"+1", "\"+1\""},
               {"1.", "\"1.\""},
               {".5", "\".5\""},
               {"1.043863E+01", "1.043863E+01"},
               {"1e5", "1e5"},
               {"1e", "\"1e\""},
               {"1e999", "\"1e999\""},
               {"1,024", "\"1,024\""},
               {"9223372036854775807", "9223372036854775807"},
               {"9223372036854775808", "\"9223372036854775808\""},
               {"0.123456789012345678", "\"0.123456789012345678\""},
               {"0.12345678901234567", "0.12345678901234567"},
               {"0.0012345678901234567", "0.0012345678901234567"},
               {"0.00123456789012345678", "\"0.00123456789012345678\""},
               {"10.012345678901234", "10.012345678901234"},
               {"0.00000000000000000000", "0.00000000000000000000"},
               {"0.1234567890123456", "0.1234567890123456"},
               {"-", "\"-\""},
               {"nan", "\"nan\""}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char line[64], wanted[128];
    (void)snprintf(line, sizeof line, "%s\n", texts[i].text);
    (void)snprintf(wanted, sizeof wanted, "(1||{\"x\":%s}|%s)", texts[i].json, texts[i].text);
    expect("^(?<x>.*)", MPG_LOG_IGNORE, 0, line, wanted, "");
  }
}

static void test_times(void) {
  expect("^(?<time>.*?) x", MPG_LOG_IGNORE, 0, "2026-11-21 15:01:26,5 x\nnoon x\n",
         "(1|1795273286.500|{\"time\":\"2026-11-21 15:01:26,5\"}|2026-11-21 15:01:26,5 x)"
         "{mem:2:1: expected a time such as 2026-11-21 15:01:26,123 in group \"time\", found "
         "\"noon\"}",
         "");
  /* Without a year: none given, given, and over the turn of the year. */
  expect("^(?<time>.*?) x", MPG_LOG_IGNORE, 0, "Nov 21 15:01:26 x\n",
         "(1||{\"time\":\"Nov 21 15:01:26\"}|Nov 21 15:01:26 x)", "time_without_year=1 ");
  expect("^(?<time>.*?) x", MPG_LOG_IGNORE, 2026, "Dec 31 23:59:59 x\nJan  1 00:00:00 x\n",
         "(1|1798761599.000|{\"time\":\"Dec 31 23:59:59\"}|Dec 31 23:59:59 x)"
         "(2|1798761600.000|{\"time\":\"Jan  1 00:00:00\"}|Jan  1 00:00:00 x)",
         "");
  /* Lines of several writers around it: a late one is of the year before, and the next is not
  ** two on. */
  expect("^(?<time>.*?) x", MPG_LOG_IGNORE, 2026,
         "Dec 31 23:59:59 x\nJan  1 00:00:00 x\nDec 31 23:59:59 x\nJan  1 00:00:01 x\n",
         "(1|1798761599.000|{\"time\":\"Dec 31 23:59:59\"}|Dec 31 23:59:59 x)"
         "(2|1798761600.000|{\"time\":\"Jan  1 00:00:00\"}|Jan  1 00:00:00 x)"
         "(3|1798761599.000|{\"time\":\"Dec 31 23:59:59\"}|Dec 31 23:59:59 x)"
         "(4|1798761601.000|{\"time\":\"Jan  1 00:00:01\"}|Jan  1 00:00:01 x)",
         "");
  /* A long pause is none: what is later than the latest by less than a year is of the same year. */
  expect("^(?<time>.*?) x", MPG_LOG_IGNORE, 2026,
         "Dec 31 00:00:00 x\nJan  1 00:00:00 x\nDec  1 00:00:00 x\n",
         "(1|1798675200.000|{\"time\":\"Dec 31 00:00:00\"}|Dec 31 00:00:00 x)"
         "(2|1798761600.000|{\"time\":\"Jan  1 00:00:00\"}|Jan  1 00:00:00 x)"
         "(3|1827619200.000|{\"time\":\"Dec  1 00:00:00\"}|Dec  1 00:00:00 x)",
         "");
  /* A day that only the next year has. */
  expect("^(?<time>.*?) x", MPG_LOG_IGNORE, 2027,
         "Dec 31 00:00:00 x\nFeb 29 00:00:00 x\nFeb 29 00:00:01 x\n",
         "(1|1830211200.000|{\"time\":\"Dec 31 00:00:00\"}|Dec 31 00:00:00 x)"
         "(2|1835395200.000|{\"time\":\"Feb 29 00:00:00\"}|Feb 29 00:00:00 x)"
         "(3|1835395201.000|{\"time\":\"Feb 29 00:00:01\"}|Feb 29 00:00:01 x)",
         "");
  expect("^(?<time>.*?) x", MPG_LOG_IGNORE, 2027,
         "Feb 29 00:00:00 x\nMar  1 00:00:00 x\nFeb 29 00:00:00 x\n",
         "{mem:1:1: expected a day of the calendar from 1970 on in group \"time\", found \"Feb 29 "
         "00:00:00\"}"
         "(2|1803859200.000|{\"time\":\"Mar  1 00:00:00\"}|Mar  1 00:00:00 x)"
         "{mem:3:1: expected a day of the calendar from 1970 on in group \"time\", found \"Feb 29 "
         "00:00:00\"}",
         "");
  expect("^(?<time>.*?) x", MPG_LOG_IGNORE, 2026, "Feb 30 23:59:59 x\n",
         "{mem:1:1: expected a day of the calendar from 1970 on in group \"time\", found \"Feb 30 "
         "23:59:59\"}",
         "");
}

/* Every allocation fails once, alone and with all after it: out of memory or the whole result, and
** nothing leaks. */
static void test_memory(void) {
  static const char text[] = "a\n1 x\n2 y\nb\n3";
  char whole[512], out[512];
  mpg_issues none;
  mpg_issues_init(&none, &mpg_env_libc);
  CHECK(render(&mpg_env_libc, "(?<step>\\d) (?<b>.)", MPG_LOG_IGNORE, 0, mpg_str_of(text), &none,
               whole, sizeof whole) == MPG_DONE);
  mpg_issues_free(&none);
  for (int and_after = 0; and_after < 2; and_after++) {
    bool finished = false;
    for (long i = 1; !finished && i < 200; i++) {
      hostile h = {0, i, and_after, false, 0};
      mpg_env env = hostile_env(&h);
      mpg_issues issues;
      mpg_rc rc;
      mpg_issues_init(&issues, &env);
      rc = render(&env, "(?<step>\\d) (?<b>.)", MPG_LOG_IGNORE, 0, mpg_str_of(text), &issues, out,
                  sizeof out);
      /* Machine code and its stack are done without. */
      CHECK(rc == MPG_NOMEM || (rc == MPG_DONE && strcmp(out, whole) == 0));
      CHECK(h.failed || rc == MPG_DONE);
      finished = !h.failed;
      mpg_issues_free(&issues);
      CHECK(h.live == 0);
    }
    CHECK(finished);
  }
}

int main(void) {
  test_stamps();
  test_groups(false);
  test_groups(true);
  test_many_lines();
  test_bad_patterns();
  test_catastrophes(false);
  test_catastrophes(true);
  test_lines();
  test_numbers();
  test_times();
  test_memory();
  return check_done("log");
}
