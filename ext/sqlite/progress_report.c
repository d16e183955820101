/* progress_report.c - see progress_report.h. */
#include "connection.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define BETWEEN_REPORTS_US 100000
#define BAR 24 /* characters */

static int64_t now_us(void) {
  struct timespec t;
  if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
    return 0;
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t load_count(const int64_t *of) {
  return __atomic_load_n(of, __ATOMIC_RELAXED);
}

mpg_progress *mpg_progress_scan_begin(mpg_progress_report *r) {
  if (r->mode == MPG_PROGRESS_OFF || r->calling)
    return NULL;
  if (r->scans++ == 0) {
    memset(&r->counts, 0, sizeof r->counts);
    r->began_us = now_us();
    r->next_us = r->began_us + r->delay_us;
    r->jobs_began_us = 0;
    r->drawn = r->stopped = false;
  }
  return &r->counts;
}

/* ---- the terminal ---- */

static void write_text(const char *text, size_t n) {
  while (n > 0) {
    ssize_t done = write(STDERR_FILENO, text, n);
    if (done <= 0) /* a bar that cannot be drawn is no error */
      return;
    text += done;
    n -= (size_t)done;
  }
}

static void clear_bar(mpg_progress_report *r) {
  if (r->drawn)
    write_text("\r\033[K", 4);
  r->drawn = false;
}

void mpg_progress_scan_end(mpg_progress_report *r) {
  if (--r->scans == 0)
    clear_bar(r);
}

/* Seconds until `done` is `all`, at the rate until now; -1: there is none. */
static int64_t seconds_left(int64_t done, int64_t all, int64_t elapsed_us) {
  if (done <= 0 || elapsed_us <= 0)
    return -1;
  return (int64_t)((double)(all - done) / (double)done * (double)elapsed_us / 1e6 + 0.5);
}

static void print_left(char *to, size_t cap, int64_t seconds) {
  if (seconds < 0 || seconds >= 360000)
    (void)mpg_print(to, cap, "%s", "");
  else if (seconds < 3600)
    (void)mpg_print(to, cap, "  %d:%02d left", (int)(seconds / 60), (int)(seconds % 60));
  else
    (void)mpg_print(to, cap, "  %d:%02d:%02d left", (int)(seconds / 3600), (int)(seconds / 60 % 60),
                    (int)(seconds % 60));
}

static void draw(mpg_progress_report *r, int64_t now) {
  int64_t bytes = load_count(&r->counts.bytes), bytes_all = load_count(&r->counts.bytes_all);
  int64_t jobs = load_count(&r->counts.jobs), jobs_all = load_count(&r->counts.jobs_all);
  int64_t done = jobs_all > 0 ? jobs : bytes, all = jobs_all > 0 ? jobs_all : bytes_all;
  int64_t elapsed = now - r->began_us;
  char line[200], left[40], bar[BAR + 1];
  int filled;
  all = all < done ? done : all;
  if (jobs_all > 0 && r->jobs_began_us == 0)
    r->jobs_began_us = now;
  if (!isatty(STDERR_FILENO))
    return;
  filled = all > 0 ? (int)((double)done / (double)all * BAR) : 0;
  for (int i = 0; i < BAR; i++)
    bar[i] = i < filled ? '#' : '.';
  bar[BAR] = '\0';
  print_left(left, sizeof left,
             seconds_left(done, all, jobs_all > 0 ? now - r->jobs_began_us : elapsed));
  if (jobs_all > 0)
    (void)mpg_print(line, sizeof line, "\r\033[Kmpg [%s] %lld of %lld jobs%s", bar, (long long)done,
                    (long long)all, left);
  else
    (void)mpg_print(line, sizeof line, "\r\033[Kmpg [%s] %.1f of %.1f MB  %.1f MB/s%s", bar,
                    (double)done / 1e6, (double)all / 1e6,
                    elapsed > 0 ? (double)done / (double)elapsed : 0.0, left);
  r->drawn = true;
  write_text(line, strlen(line));
}

/* ---- the function ---- */

bool mpg_progress_call(const mpg_progress_report *r, sqlite3 *db, int64_t elapsed_us) {
  int64_t bytes = load_count(&r->counts.bytes), bytes_all = load_count(&r->counts.bytes_all);
  char *sql = sqlite3_mprintf("SELECT \"%w\"(?1, ?2, ?3, ?4, ?5)", r->function);
  sqlite3_stmt *call = NULL;
  int rc = sql == NULL ? SQLITE_NOMEM : sqlite3_prepare_v2(db, sql, -1, &call, NULL);
  sqlite3_free(sql);
  if (rc == SQLITE_OK) {
    (void)sqlite3_bind_int64(call, 1, bytes);
    (void)sqlite3_bind_int64(call, 2, bytes_all < bytes ? bytes : bytes_all);
    (void)sqlite3_bind_int64(call, 3, load_count(&r->counts.jobs));
    (void)sqlite3_bind_int64(call, 4, load_count(&r->counts.jobs_all));
    (void)sqlite3_bind_double(call, 5, (double)elapsed_us / 1e6);
    rc = sqlite3_step(call);
    rc = rc == SQLITE_ROW ? SQLITE_OK : rc;
  }
  (void)sqlite3_finalize(call);
  return rc == SQLITE_OK;
}

bool mpg_progress_poll(mpg_progress_report *r, sqlite3 *db) {
  bool whole;
  int64_t now;
  if (r->stopped || r->calling || r->scans == 0)
    return r->stopped;
  now = now_us();
  whole = __atomic_exchange_n(&r->counts.whole, false, __ATOMIC_RELAXED);
  if (now < r->next_us && !(whole && now - r->began_us >= r->delay_us))
    return false;
  r->next_us = now + BETWEEN_REPORTS_US;
  if (r->mode == MPG_PROGRESS_FUNCTION) {
    r->calling = true;
    r->stopped = !mpg_progress_call(r, db, now - r->began_us);
    r->calling = false;
    return r->stopped;
  }
  draw(r, now);
  if (whole) /* rows come now, perhaps to the same terminal */
    clear_bar(r);
  return false;
}
