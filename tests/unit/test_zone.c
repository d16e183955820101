/* The zone reader: offsets, names, zone files built here byte by byte, and damaged ones. Named
** zones are held against another implementation in tests/formats/test_slurm_zones.py. */
#include "../../ext/read/input/zone.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

static const mpg_env *const env = &mpg_env_libc;

/* ---- Building a zone file ---- */

typedef struct file {
  char bytes[4096];
  size_t n;
} file;

static void put(file *f, const void *p, size_t n) {
  memcpy(f->bytes + f->n, p, n);
  f->n += n;
}

static void put_number(file *f, int64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; i--) {
    char c = (char)(uint8_t)((uint64_t)value >> (8 * i));
    put(f, &c, 1);
  }
}

static void put_header(file *f, char version, int leaps, int times, int types) {
  char reserved[15] = {0};
  put(f, "TZif", 4);
  put(f, &version, 1);
  put(f, reserved, 15);
  put_number(f, 0, 4);
  put_number(f, 0, 4);
  put_number(f, leaps, 4);
  put_number(f, times, 4);
  put_number(f, types, 4);
  put_number(f, 4, 4); /* letters */
}

/* A file of version 2 with `n` transitions to types 1, 0, 1, ...; offsets of types 0 and 1. */
static file build(const int64_t *times, int n, int64_t standard, int64_t daylight,
                  const char *footer) {
  file f = {.n = 0};
  put_header(&f, '2', 0, 0, 1); /* the old part says nothing */
  put_number(&f, 0, 4);
  put_number(&f, 0, 2);
  put(&f, "XXX", 4);
  put_header(&f, '2', 0, n, 2);
  for (int i = 0; i < n; i++)
    put_number(&f, times[i], 8);
  for (int i = 0; i < n; i++)
    put_number(&f, (i + 1) % 2, 1);
  put_number(&f, standard, 4);
  put_number(&f, 0, 2);
  put_number(&f, daylight, 4);
  put_number(&f, 256, 2);
  put(&f, "XXX", 4);
  put(&f, "\n", 1);
  put(&f, footer, strlen(footer));
  put(&f, "\n", 1);
  return f;
}

static mpg_zone *load(const file *f) {
  mpg_zone *zone = NULL;
  mpg_err err;
  CHECK(mpg_zone_load(&zone, env, "built", (mpg_str){f->bytes, f->n}, &err) == MPG_OK);
  return zone;
}

static int64_t utc(const mpg_zone *zone, int64_t local, mpg_zone_fit expected) {
  int64_t out = -1;
  CHECK(mpg_zone_utc(zone, local, &out) == expected);
  return out;
}

/* ---- Tests ---- */

static mpg_rc open_name(const char *name, int64_t *offset, mpg_err *err) {
  mpg_zone *zone = NULL;
  mpg_rc rc = mpg_zone_open(&zone, env, mpg_str_of(name), MPG_ZONE_FOLDER, err);
  if (rc == MPG_OK)
    *offset = mpg_zone_offset(zone, 0);
  mpg_zone_free(zone);
  return rc;
}

static void test_offsets(void) {
  static const struct {
    const char *name;
    int64_t offset;
  } good[] = {{"UTC", 0},        {"utc", 0},        {"Z", 0},           {"+02", 7200},
              {"+0200", 7200},   {"+02:00", 7200},  {"-03:30", -12600}, {"-0330", -12600},
              {"+05:45", 20700}, {"+24:00", 86400}, {"-00:30", -1800}};
  static const char *const bad[] = {
      "",       "+",    "+2", "+02:0",   "+02:60", "+24:01",  "+02:00x", "/etc/passwd", "../zone",
      "a/../b", "a//b", "a/", ".hidden", "a/.b",   "Eur ope", "a\\b",    "a..b"};
  mpg_err err;
  int64_t offset = 0;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    CHECK(open_name(good[i].name, &offset, &err) == MPG_OK);
    CHECK(offset == good[i].offset);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK(open_name(bad[i], &offset, &err) == MPG_MISUSE);
  CHECK(open_name("../x", &offset, &err) == MPG_MISUSE);
  CHECK(strcmp(err.text, "expected UTC, an offset such as +02:00 or a time zone such as "
                         "Europe/Berlin, found \"../x\"") == 0);
  CHECK(open_name("No/Such_Zone", &offset, &err) == MPG_IO);
  CHECK(strcmp(err.text, "no time zone \"No/Such_Zone\" in /usr/share/zoneinfo (is the package "
                         "tzdata installed?)") == 0);
}

/* Clocks go forward by an hour at 1000000 and back at 2000000; no rule after that. */
static void test_transitions(void) {
  const int64_t times[] = {1000000, 2000000};
  file f = build(times, 2, 3600, 7200, "");
  mpg_zone *zone = load(&f);
  CHECK(mpg_zone_offset(zone, 0) == 3600);
  CHECK(mpg_zone_offset(zone, 999999) == 3600);
  CHECK(mpg_zone_offset(zone, 1000000) == 7200);
  CHECK(mpg_zone_offset(zone, 1999999) == 7200);
  CHECK(mpg_zone_offset(zone, 2000000) == 3600);
  CHECK(utc(zone, 1003599, MPG_ZONE_UNIQUE) == 999999);
  CHECK(utc(zone, 1003600, MPG_ZONE_SKIPPED) == 1000000); /* 1 h later on the clock */
  CHECK(utc(zone, 1007199, MPG_ZONE_SKIPPED) == 1003599);
  CHECK(utc(zone, 1007200, MPG_ZONE_UNIQUE) == 1000000);
  CHECK(utc(zone, 2003599, MPG_ZONE_UNIQUE) == 1996399);
  CHECK(utc(zone, 2003600, MPG_ZONE_REPEATED) == 1996400); /* the first of the two */
  CHECK(utc(zone, 2007199, MPG_ZONE_REPEATED) == 1999999);
  CHECK(utc(zone, 2007200, MPG_ZONE_UNIQUE) == 2003600);
  mpg_zone_free(zone);
}

/* 2026-07-01T00:00:00Z, 2026-12-01T00:00:00Z. */
#define SUMMER INT64_C(1782864000)
#define WINTER INT64_C(1796083200)

static void test_rules(void) {
  static const struct {
    const char *footer;
    int64_t summer, winter;
  } rules[] = {
      {"CET-1CEST,M3.5.0,M10.5.0/3", 7200, 3600},
      {"EST5EDT,M3.2.0,M11.1.0", -14400, -18000},
      {"AEST-10AEDT,M10.1.0,M4.1.0/3", 36000, 39600},       /* southern */
      {"IST-1GMT0,M10.5.0,M3.5.0/1", 3600, 0},              /* winter time is the odd one */
      {"<+0330>-3:30<+0430>,J79/24,J263/24", 16200, 12600}, /* days of the year */
      {"<-03>3<-02>,80,300/-2:30:15", -7200, -10800},
      {"XXX-2<+03>-3,0/0,J365/23", 10800, 10800}, /* all year round */
      {"UTC0", 0, 0},
  };
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    file f = build(NULL, 0, 3600, 7200, rules[i].footer);
    mpg_zone *zone = load(&f);
    CHECK(mpg_zone_offset(zone, SUMMER) == rules[i].summer);
    CHECK(mpg_zone_offset(zone, WINTER) == rules[i].winter);
    mpg_zone_free(zone);
  }
}

/* Europe's last Sunday of March 2026 is the 29th: 01:00Z is the change; the rule holds in 2261
** too. */
static void test_rule_edges(void) {
  const int64_t past[] = {1000000, 2000000};
  file f = build(past, 2, 3600, 7200, "CET-1CEST,M3.5.0,M10.5.0/3");
  mpg_zone *zone = load(&f);
  CHECK(mpg_zone_offset(zone, 1774745999) == 3600);
  CHECK(mpg_zone_offset(zone, 1774746000) == 7200);
  CHECK(utc(zone, 1774746000 + 3600, MPG_ZONE_SKIPPED) == 1774746000);
  CHECK(mpg_zone_offset(zone, 2000001) == 3600);             /* January 1970, from the table */
  CHECK(mpg_zone_offset(zone, INT64_C(9198748800)) == 7200); /* 2261-07-01 */
  mpg_zone_free(zone);
}

static void refuse(const file *f, const char *text) {
  mpg_zone *zone = NULL;
  mpg_err err;
  CHECK(mpg_zone_load(&zone, env, "built", (mpg_str){f->bytes, f->n}, &err) == MPG_DATA);
  CHECK(strcmp(err.text, text) == 0);
  CHECK(zone == NULL);
}

static void test_damage(void) {
  static const char *const footers[] = {"C-1",
                                        "CET",
                                        "CET-1CEST",
                                        "CET-1CEST,M3.5.0",
                                        "CET-200",
                                        "CET-1CEST,M13.5.0,M10.5.0",
                                        "CET-1CEST,M3.6.0,M10.5.0",
                                        "<+03-3",
                                        "CET-1CEST,M3.5.7,M10.5.0",
                                        "CET-1CEST,J0,J10",
                                        "CET-1x",
                                        "CET-1CEST,J1,J366",
                                        "CET-1CEST,366,10"};
  const int64_t times[] = {1000000, 2000000}, unsorted[] = {2000000, 1000000};
  const int64_t far[] = {-(INT64_C(1) << 60), 0};
  file f = build(times, 2, 3600, 7200, "CET-1CEST,M3.5.0,M10.5.0/3"), g;
  for (size_t n = 0; n < f.n; n++) { /* every truncation, in memory of that size */
    mpg_zone *zone = NULL;
    mpg_err err;
    char *copy = malloc(n + 1);
    CHECK(copy != NULL);
    if (copy == NULL)
      return;
    memcpy(copy, f.bytes, n);
    CHECK(mpg_zone_load(&zone, env, "cut", (mpg_str){copy, n}, &err) == MPG_DATA);
    free(copy);
  }
  for (size_t i = 0; i < f.n; i++) { /* every byte changed: an answer or an error, no crash */
    mpg_zone *zone = NULL;
    mpg_err err;
    g = f;
    g.bytes[i] ^= (char)0xff;
    if (mpg_zone_load(&zone, env, "bent", (mpg_str){g.bytes, g.n}, &err) == MPG_OK) {
      (void)mpg_zone_offset(zone, SUMMER);
      mpg_zone_free(zone);
    }
  }
  for (size_t i = 0; i < sizeof footers / sizeof *footers; i++) {
    g = build(times, 2, 3600, 7200, footers[i]);
    refuse(&g, "built: not a time zone file, or a damaged one");
  }
  g = build(unsorted, 2, 3600, 7200, "");
  refuse(&g, "built: not a time zone file, or a damaged one");
  g = build(far, 2, 3600, 7200, "");
  refuse(&g, "built: not a time zone file, or a damaged one");
  g = f;
  g.bytes[4] = '\0';
  refuse(&g, "built: expected a time zone file of version 2 or later");
  g.n = 0;
  put_header(&g, '2', 0, 0, 1);
  put_number(&g, 0, 4);
  put_number(&g, 0, 2);
  put(&g, "XXX", 4);
  put_header(&g, '2', 1, 0, 1);
  put_number(&g, 0, 4);
  put_number(&g, 0, 2);
  put(&g, "XXX", 4);
  put_number(&g, 100, 8);
  put_number(&g, 1, 4);
  put(&g, "\n\n", 2);
  refuse(&g, "built: expected a time zone without leap seconds, found one with them");
}

/* Every allocation fails once: out of memory, or the right answer, and nothing leaks. */
static int countdown;

static void *stingy(void *ctx, void *p, size_t n) {
  if (n > 0 && countdown-- == 0)
    return NULL;
  return mpg_env_libc.resize(ctx, p, n);
}

static void test_memory(void) {
  const mpg_env poor = {.resize = stingy};
  const int64_t times[] = {1000000, 2000000};
  file f = build(times, 2, 3600, 7200, "CET-1CEST,M3.5.0,M10.5.0/3");
  mpg_rc rc = MPG_NOMEM;
  for (int i = 0; rc != MPG_OK && i < 100; i++) {
    mpg_zone *zone = NULL;
    mpg_err err;
    countdown = i;
    rc = mpg_zone_load(&zone, &poor, "built", (mpg_str){f.bytes, f.n}, &err);
    CHECK(rc == MPG_NOMEM || rc == MPG_OK);
    CHECK((rc == MPG_OK) == (zone != NULL));
    mpg_zone_free(zone);
  }
  CHECK(rc == MPG_OK);
}

int main(void) {
  test_offsets();
  test_transitions();
  test_rules();
  test_rule_edges();
  test_damage();
  test_memory();
  return check_done("zone");
}
