/*
** test_oom.c - every allocation of SQLite and of the extension failing, over all statements of
** tests/memory: here linked statically, so that it runs under the sanitizers;
** tests/robust/test_memory.py does the same to the mpg.so that is shipped.
**
** RELEASED_BY tests/robust/test_memory.py
*/
#include "../../ext/mpg.h"
#include "../memory/sweep.h"

static int load_extension(sqlite3 *db) {
  char *error = NULL;
  int rc = sqlite3_mpg_init(db, &error, NULL);
  sqlite3_free(error);
  return rc;
}

/* Every allocation where MPG_FULL is set; else one at each place, and of the others every 100th.
** Under the sanitizers every 1000th, and a place is where fewer callers differ. */
static long stride(void) {
  return getenv("MPG_FULL") != NULL ? 1 : 50 * check_stride(10);
}

int main(void) {
  long points;
  sweep_begin();
  by_places = getenv("MPG_FULL") == NULL;
  callers = check_stride(2) == 4 ? 3 : 4;
  points = sweep_all(&of_sqlite, stride());
  (void)printf("oom: %ld allocations failed\n", points);
  CHECK(points > 500);
  sweep_end();
  return check_done("oom");
}
