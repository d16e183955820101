/* native_reading.c - what becomes of records that break a rule: see native_reading.h. */
#include "native_reading.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS_BETWEEN_POLLS 4096

static mpg_rc fail_unless_listed(const mpg_native_reading *r, mpg_rc rc) {
  return rc == MPG_OK ? MPG_OK : mpg_fail_nomem(r->err);
}

mpg_rc mpg_native_broken(const mpg_native_reading *r, int64_t line, int64_t column,
                         const char *what) {
  if (r->skip)
    return fail_unless_listed(r, mpg_issues_add(r->fleet->issues, MPG_DATA_LOSS, r->path,
                                                "skipped_record", line, 1, "%lld:%lld: %s",
                                                (long long)line, (long long)column, what));
  return mpg_fail(r->err, MPG_DATA, "%s:%lld:%lld: %s", r->path, (long long)line, (long long)column,
                  what);
}

mpg_rc mpg_native_poll(mpg_native_reading *r) {
  if (++r->records % RECORDS_BETWEEN_POLLS == 0 && mpg_interrupted(r->env))
    return mpg_fail(r->err, MPG_INTERRUPTED, "interrupted");
  if (r->fleet->arena.bytes > r->fleet->most_packed && r->fleet->log == NULL)
    return mpg_fleet_bound(r->fleet, r->err);
  return MPG_OK;
}

#define PATH_KEPT 64 /* bytes of the end of a path, which a message keeps however long it is */

/* The line in an error of a reader, "PATH:LINE:COLUMN: ..."; 0 if it names none. */
static int64_t line_of(const mpg_native_reading *r) {
  size_t n = strlen(r->path), kept = n < PATH_KEPT ? n : PATH_KEPT;
  const char *p = r->err->text;
  while ((p = strstr(p, r->path + n - kept)) != NULL && p[kept] != ':')
    p++;
  return p == NULL ? 0 : strtoll(p + kept + 1, NULL, 10);
}

bool mpg_native_passed_over(mpg_native_reading *r, mpg_rc *rc, mpg_err *before) {
  if (*rc != MPG_DATA || !r->skip || strcmp(r->err->text, before->text) == 0)
    return false;
  *before = *r->err;
  *rc = fail_unless_listed(r, mpg_issues_add(r->fleet->issues, MPG_DATA_LOSS, r->path,
                                             "skipped_record", line_of(r), 1, "%s", before->text));
  return *rc == MPG_OK;
}

mpg_rc mpg_native_unknown_column(const mpg_native_reading *r, int64_t line, mpg_str name,
                                 mpg_relation relation) {
  if (name.n == 0)
    name = MPG_STR("one without a name");
  return fail_unless_listed(r, mpg_issues_add(r->fleet->issues, MPG_INFO, r->path, "unknown_column",
                                              line, 1, "%.*s is no column of %s and was left out",
                                              name.n > 80 ? 80 : (int)name.n, name.p,
                                              mpg_relation_get(relation)->name));
}
