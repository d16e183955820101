/*
** changed_jobs.h - which jobs, and which days of pools, a build accounts otherwise than the build
** before: it makes the rows of these alone anew (sql/build/ledger.sql).
**
** The table mpg_accounted of the file keeps a digest (goodput/ledger/digests.h) of each job and of
** each day of a pool, and what tells whether the tables are still as that build left them. Small
** files have none: their tables are made in no time. A file that an earlier version built has none
** either, and gets it once its tables are made as a whole. A text that somebody changed by hand in
** a table that follows from the records stays until its job changes; rows and figures are noticed.
*/
#ifndef MPG_CHANGED_JOBS_H
#define MPG_CHANGED_JOBS_H

#include "../../goodput/ledger/digests.h"
#include "../../goodput/trace/relation_schema.h"
#include "../host.h"

/* Digests by name. */
typedef struct mpg_named_digests {
  const mpg_env *env;
  mpg_intern names;
  uint64_t *digests; /* by id - 1 */
  bool *before;      /* the build before has the same */
  size_t cap, before_cap;
} mpg_named_digests;

typedef struct mpg_changed_jobs {
  bool keeps;  /* the file has the table */
  bool partly; /* what changed is made, and nothing else */
  sqlite3_int64 script;
  mpg_digest_totals totals;
  mpg_named_digests jobs; /* the fleet's first, by its numbers */
  mpg_named_digests days; /* by the pool's name and the day's 8 bytes */
} mpg_changed_jobs;

/*
** Within a build, once the connection holds the fleet: fills mpg_made, mpg_changed and
** mpg_changed_days, which ledger.sql has made.
**
** rows: of each relation; script: the statements that make the tables; may_be_partly: nothing of a
** user is in the way. An SQLite code, as all below. mpg_changed_jobs_free also after a failure.
*/
int mpg_changed_jobs_find(mpg_changed_jobs *changed, mpg_conn *conn,
                          const int64_t rows[MPG_REL_OBSERVED], const char *script,
                          bool may_be_partly, mpg_err *err);
/* Once the tables that sum intervals are made partly: whether they sum to what was accounted. If
** not, somebody changed rows by hand: everything is made anew, and mpg_made says so. */
int mpg_changed_jobs_check(mpg_changed_jobs *changed, mpg_conn *conn);
/* Once everything is made, mpg_built too: writes down what was accounted. */
int mpg_changed_jobs_keep(const mpg_changed_jobs *changed, sqlite3 *db);
void mpg_changed_jobs_free(mpg_changed_jobs *changed);

/* Whether a statement drops or makes a table of the file: a part leaves it as it is. */
bool mpg_changed_jobs_skips(const char *sql);

#endif
