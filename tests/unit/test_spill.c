/*
** test_spill.c - a fleet whose packed records wait in a temporary file is that which memory holds:
** with writes and reads that come short, are interrupted or fail, and where the host says to stop.
*/
#include "check.h"
#include "hostile.h"
#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { JOBS = 7, LINES = 400 };

static char lines[LINES][160];

static void write_records(void) {
  for (int i = 0; i < LINES; i++) {
    int job = check_below(JOBS), at = check_below(10000);
    if (i % 5 == 0)
      (void)snprintf(lines[i], sizeof lines[i], "commits job=j%d step=%d durable_time=%d", job,
                     check_below(50), at);
    else
      (void)snprintf(lines[i], sizeof lines[i],
                     "spans job=j%d kind=k%d start_time=%d end_time=%d step=%d program=p%d", job,
                     check_below(4), at, at + check_below(100), i, check_below(3));
  }
}

static mpg_rc build(mpg_fleet *f, const mpg_env *env, mpg_issues *issues, mpg_chips *chips,
                    size_t most, mpg_err *err) {
  mpg_rc rc = mpg_fleet_init(f, env, issues, chips, err);
  int column;
  f->most_packed = most;
  f->keep_origins = true;
  rc = rc == MPG_OK ? mpg_fleet_from(f, "test", err) : rc;
  for (int i = 0; rc == MPG_OK && i < LINES; i++)
    rc = trace_add(f, lines[i], i + 1, &column, err);
  return rc;
}

/* Every span and commit of both. */
static mpg_rc compare(const mpg_fleet *a, const mpg_fleet *b, const mpg_env *env, mpg_err *err) {
  static mpg_span x[LINES], y[LINES];
  static mpg_commit c[LINES], d[LINES];
  mpg_rc rc = MPG_OK;
  for (uint32_t j = 0; rc == MPG_OK && j < mpg_fleet_njobs(a); j++) {
    size_t n = a->jobs[j].spans.n, m = a->jobs[j].commits.n;
    CHECK(n == b->jobs[j].spans.n && m == b->jobs[j].commits.n);
    CHECK(mpg_fleet_spans(a, j, x, sizeof *x, &mpg_env_libc, err) == MPG_OK);
    CHECK(mpg_fleet_commits(a, j, c, &mpg_env_libc, err) == MPG_OK);
    rc = mpg_fleet_spans(b, j, y, sizeof *y, env, err);
    rc = rc == MPG_OK ? mpg_fleet_commits(b, j, d, env, err) : rc;
    for (size_t i = 0; rc == MPG_OK && i < n; i++)
      CHECK(x[i].start == y[i].start && x[i].end == y[i].end && x[i].step == y[i].step &&
            x[i].kind == y[i].kind && x[i].program == y[i].program && x[i].line == y[i].line);
    for (size_t i = 0; rc == MPG_OK && i < m; i++)
      CHECK(c[i].step == d[i].step && c[i].durable == d[i].durable && d[i].job == j);
  }
  return rc;
}

#ifdef MPG_TEST
/* ---- calls that come short, are interrupted, or fail ---- */

static long calls, fail_at; /* the call that fails, of writes and reads; 0: none */
static int how;             /* errno; 0: the end of the file, or of the disk */
static mpg_spill_os real;

static bool fails(void) {
  return ++calls == fail_at;
}

static ssize_t some_write(int fd, const void *p, size_t n) {
  if (fails()) {
    errno = how;
    return how == 0 ? 0 : -1;
  }
  if (calls % 3 == 0) {
    errno = EINTR;
    return -1;
  }
  return real.write(fd, p, n > 5 ? n / 2 : n);
}

static ssize_t some_pread(int fd, void *p, size_t n, off_t at) {
  if (fails()) {
    errno = how;
    return how == 0 ? 0 : -1;
  }
  if (calls % 3 == 1) {
    errno = EINTR;
    return -1;
  }
  return real.pread(fd, p, n > 7 ? 7 : n, at);
}

static void test_calls(const mpg_fleet *whole, mpg_chips *chips) {
  static const int errors[] = {ENOSPC, EIO, 0};
  bool all = false;
  mpg_spill_calls = (mpg_spill_os){some_write, some_pread};
  for (long at = 0; !all; at += at < 40 ? 1 : 97)
    for (int e = 0; e < 3; e++) {
      mpg_issues issues;
      mpg_fleet f;
      mpg_err err = {MPG_OK, ""};
      mpg_rc rc;
      mpg_issues_init(&issues, &mpg_env_libc);
      calls = 0;
      fail_at = at;
      how = errors[e];
      rc = build(&f, &mpg_env_libc, &issues, chips, 600, &err);
      CHECK(rc != MPG_OK || f.spill != NULL);
      rc = rc == MPG_OK ? compare(whole, &f, &mpg_env_libc, &err) : rc;
      all = at > 0 && calls < at;
      CHECK(rc == (at == 0 || all ? MPG_OK : MPG_IO));
      CHECK(rc == MPG_OK || strstr(err.text, "a temporary file for spans beyond "
                                             "mpg_limit('packed_bytes'): ") != NULL);
      mpg_fleet_free(&f);
      mpg_issues_free(&issues);
    }
  mpg_spill_calls = real;
}
#endif

/* ---- memory that ends, hosts that say to stop ---- */

static void test_hosts(const mpg_fleet *whole, mpg_chips *chips) {
  for (int stop = 0; stop < 2; stop++) {
    bool done = false;
    for (long n = 2; !done; n += n < 60 ? 1 : 13) {
      hostile h = {.fail_in = stop ? 0 : n, .stop_in = stop ? n : 0};
      mpg_env env = hostile_env(&h);
      mpg_issues issues;
      mpg_fleet f;
      mpg_err err = {MPG_OK, ""};
      mpg_rc rc;
      mpg_issues_init(&issues, &env);
      rc = build(&f, &env, &issues, chips, 600, &err);
      rc = rc == MPG_OK ? compare(whole, &f, &env, &err) : rc;
      done = stop ? h.stop_in > 1 : !h.failed;
      CHECK(rc == (done ? MPG_OK : stop ? MPG_INTERRUPTED : MPG_NOMEM));
      mpg_fleet_free(&f);
      mpg_issues_free(&issues);
      CHECK(h.live == 0);
    }
  }
}

/* ---- where the file is ---- */

static void test_folders(mpg_chips *chips) {
  static const char *const set[][2] = {
      {"/nowhere", "/tmp"}, {"", "/nowhere"}, {"/proc", "/dev/null"}};
  mpg_issues issues;
  for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
    mpg_fleet f;
    mpg_err err = {MPG_OK, ""};
    mpg_issues_init(&issues, &mpg_env_libc);
    CHECK(setenv("SQLITE_TMPDIR", set[i][0], 1) == 0 && setenv("TMPDIR", set[i][1], 1) == 0);
    CHECK(build(&f, &mpg_env_libc, &issues, chips, 600, &err) == MPG_OK && f.spill != NULL);
    mpg_fleet_free(&f);
    mpg_issues_free(&issues);
  }
  CHECK(unsetenv("SQLITE_TMPDIR") == 0 && unsetenv("TMPDIR") == 0);
}

int main(void) {
  mpg_chips *chips = NULL;
  mpg_issues issues;
  mpg_fleet whole;
  mpg_err err;
#ifdef MPG_TEST
  real = mpg_spill_calls;
#endif
  write_records();
  mpg_issues_init(&issues, &mpg_env_libc);
  CHECK(mpg_chips_new(&chips, &mpg_env_libc, &err) == MPG_OK);
  CHECK(build(&whole, &mpg_env_libc, &issues, chips, SIZE_MAX, &err) == MPG_OK);
  CHECK(whole.spill == NULL);
  for (size_t most = 1; most < 20000; most = most * 3 + 7) {
    mpg_issues own;
    mpg_fleet f;
    mpg_issues_init(&own, &mpg_env_libc);
    CHECK(build(&f, &mpg_env_libc, &own, chips, most, &err) == MPG_OK);
    CHECK(compare(&whole, &f, &mpg_env_libc, &err) == MPG_OK);
    mpg_fleet_free(&f);
    mpg_issues_free(&own);
  }
#ifdef MPG_TEST
  test_calls(&whole, chips);
#endif
  test_hosts(&whole, chips);
  test_folders(chips);
  mpg_fleet_free(&whole);
  mpg_issues_free(&issues);
  mpg_chips_free(chips);
  return check_done("spill");
}
