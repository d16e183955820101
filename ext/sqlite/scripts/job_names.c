/* job_names.c - see job_names.h. */
#include "job_names.h"
#include "../recognise/fleet_options.h"
#include "../../read/parse/pattern.h"

#include <string.h>

static const char asked[] =
    "SELECT file, path, json_extract(options, '$.job') FROM file WHERE json_type(options, '$.job') "
    "= 'text' ORDER BY entry, file";

static const char missed[] =
    "UPDATE file SET options = json_remove(options, '$.job'), missing = json_insert(missing, "
    "'$[#]', 'job') WHERE file = %lld";

/* The file whose path a pattern was matched with: its job is what the group of that name holds. */
static mpg_rc name_job(mpg_sources *s, sqlite3_int64 file, const mpg_pattern *pattern, bool matches,
                       mpg_err *err) {
  mpg_str job = MPG_STR("");
  for (size_t i = 0; matches && i < mpg_pattern_names(pattern); i++)
    if (mpg_str_eq(mpg_pattern_name(pattern, i), MPG_STR("job")))
      matches = mpg_pattern_group(pattern, i, &job);
  if (!matches || job.n == 0)
    return mpg_private_do(&s->db, err, missed, (long long)file);
  return mpg_private_do(&s->db, err,
                        "UPDATE file SET options = json_set(options, '$.job', '%.*q') WHERE file = "
                        "%lld",
                        (int)job.n, job.p, (long long)file);
}

/* One row of `asked`. *text, owned by SQLite's allocator, is the pattern that is open, for most
** files of a source have the same. */
static mpg_rc name_file(mpg_sources *s, sqlite3_stmt *stmt, char **text, mpg_pattern **pattern,
                        mpg_err *err) {
  const char *path = (const char *)sqlite3_column_text(stmt, 1);
  const char *option = (const char *)sqlite3_column_text(stmt, 2);
  mpg_rc rc = MPG_OK;
  if (path == NULL || option == NULL)
    return mpg_fail_nomem(err);
  if (!mpg_is_job_pattern(mpg_str_of(option)))
    return MPG_OK;
  if (*text == NULL || strcmp(*text, option) != 0) {
    mpg_pattern_close(*pattern);
    *pattern = NULL;
    sqlite3_free(*text);
    if ((*text = sqlite3_mprintf("%s", option)) == NULL)
      return mpg_fail_nomem(err);
    rc = mpg_pattern_open(pattern, s->env, mpg_str_of(*text), err);
  }
  if (rc == MPG_OK)
    rc = mpg_pattern_match(*pattern, mpg_str_of(path), err);
  if (rc == MPG_LIMIT) {
    mpg_err plain = *err;
    return mpg_fail(err, rc, "%s: option \"job\": %.500s", path, plain.text);
  }
  return rc == MPG_OK || rc == MPG_DONE
             ? name_job(s, sqlite3_column_int64(stmt, 0), *pattern, rc == MPG_OK, err)
             : rc;
}

mpg_rc mpg_sources_name_jobs(mpg_sources *s, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  char *text = NULL;
  mpg_pattern *pattern = NULL;
  int code = SQLITE_DONE;
  mpg_rc rc = mpg_private_prepare(&s->db, asked, &stmt, err);
  while (rc == MPG_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW)
    rc = name_file(s, stmt, &text, &pattern, err);
  if (rc == MPG_OK && code != SQLITE_DONE)
    rc = mpg_private_failure(&s->db, code, err);
  (void)sqlite3_finalize(stmt);
  mpg_pattern_close(pattern);
  sqlite3_free(text);
  return rc;
}
