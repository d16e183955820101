/*
** test_io_faults.c - every reader in a real connection, with the calls of ext/read/input/os.h in
** our hands: the n-th fails, or gives less than was asked for, for every n until none is left,
** under several sizes of the buffers. Each run ends in an error that names the file, or in the rows
** of a run without faults; every file is closed.
*/
#define _GNU_SOURCE
#include "check.h"
#include "hostile.h"
#include "../../build/register.h"
#include "../../ext/mpg.h"

#include <errno.h>
#include <pthread.h>

#ifdef MPG_TEST

#define SELECT_ALL(call) "SELECT * FROM " call,
static const char *const statements[] = {
    "SELECT category, sum(chip_us) FROM trace_rollup('fixtures/golden') GROUP BY 1",
    READER_CALLS(SELECT_ALL)};
enum { STATEMENTS = sizeof statements / sizeof *statements };

/* Files are read by several threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  long left, open;
  int code; /* 0: a short read */
  bool fired;
} fault;
static mpg_os real;

static bool hit(bool can) {
  bool now;
  (void)pthread_mutex_lock(&lock);
  now = fault.left > 0 && --fault.left == 0;
  fault.fired |= now;
  (void)pthread_mutex_unlock(&lock);
  errno = now && can ? fault.code : errno;
  return now && can;
}

static void count(long files) {
  (void)pthread_mutex_lock(&lock);
  fault.open += files;
  (void)pthread_mutex_unlock(&lock);
}

static int faulty_open(const char *path, int flags) {
  int fd = hit(fault.code != 0) ? -1 : real.open(path, flags);
  count(fd >= 0);
  return fd;
}
static int faulty_fstat(int fd, struct stat *st) {
  return hit(fault.code != 0 && fault.code != EINTR) ? -1 : real.fstat(fd, st);
}
static ssize_t faulty_read(int fd, void *buf, size_t n) {
  if (!hit(true))
    return real.read(fd, buf, n);
  return fault.code != 0 ? -1 : real.read(fd, buf, n > 3 ? 3 : 1);
}
static int faulty_close(int fd) {
  count(-1);
  return real.close(fd);
}

/* The rows as one text, or the error. The caller frees it. */
static char *run(const char *sql, bool *failed) {
  sqlite3 *db = NULL;
  sqlite3_stmt *stmt = NULL;
  sqlite3_str *out = sqlite3_str_new(NULL);
  int rc;
  char *text;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK &&
        sqlite3_mpg_init(db, &text, NULL) == SQLITE_OK);
  CHECK(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK);
  while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
    for (int i = 0; i < sqlite3_column_count(stmt); i++)
      sqlite3_str_appendf(out, "%s|", (const char *)sqlite3_column_text(stmt, i));
  *failed = rc != SQLITE_DONE;
  if (*failed) {
    sqlite3_str_reset(out);
    sqlite3_str_appendall(out, sqlite3_errmsg(db));
  }
  (void)sqlite3_finalize(stmt);
  text = sqlite3_str_finish(out);
  CHECK(sqlite3_close(db) == SQLITE_OK && fault.open == 0);
  return text;
}

/* Every second call where the buffers are as released; under the sanitizers one in twenty. Of the
** thousands with small ones, each of which would have all before it again, the first few and then
** one in so many. More of all of them where MPG_FULL is set. */
static long next(long n, size_t block) {
  const long close = getenv("MPG_FULL") != NULL ? 64 : 4 / check_stride(2);
  return n + (block == 0 ? check_stride(10) : check_stride(3) + n / close);
}

static long sweep(const char *sql, const char *expected, int code, size_t block) {
  long points = 0;
  for (long n = 1;; n = next(n, block)) {
    bool failed, fine;
    char *found;
    fault.left = n;
    fault.code = code;
    fault.fired = false;
    found = run(sql, &failed);
    if (failed)
      fine =
          code > 0 && code != EINTR && strstr(found, "Input/output error") != NULL &&
          (strstr(found, "fixtures/") != NULL || strstr(found, "zoneinfo/Europe/Berlin") != NULL);
    else
      fine = found != NULL && strcmp(found, expected) == 0;
    if (!fine)
      (void)fprintf(stderr, "%s: %s at call %ld, buffers of %zu: %.300s\n", sql,
                    code == 0 ? "a short read" : strerror(code), n, block, found);
    CHECK(fine);
    sqlite3_free(found);
    if (!fault.fired)
      return points;
    points++;
  }
}

int main(void) {
  static const int codes[] = {0, EINTR, EIO};
  static const size_t blocks[] = {0, 7, 64};
  long points = 0;
  real = mpg_os_calls;
  mpg_os_calls = (mpg_os){faulty_open, faulty_fstat, faulty_read, faulty_close};
  for (int i = 0; i < STATEMENTS; i++)
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
      bool failed;
      char *expected;
      hostile_block(blocks[b]);
      fault.left = 0;
      expected = run(statements[i], &failed);
      if (failed)
        (void)fprintf(stderr, "%s: %s\n", statements[i], expected);
      CHECK(!failed && expected != NULL && expected[0] != '\0');
      for (size_t c = 0; c < sizeof codes / sizeof *codes && !failed; c++)
        points += sweep(statements[i], expected, codes[c], blocks[b]);
      sqlite3_free(expected);
    }
  (void)printf("io_faults: %ld calls failed\n", points);
  CHECK(points > 500);
  return check_done("io_faults");
}

#else

int main(void) { /* there is no seam in what is released */
  CHECK(true);
  return check_done("io_faults");
}

#endif
