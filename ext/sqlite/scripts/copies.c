/* copies.c - see copies.h. */
#include "copies.h"
#include "../../goodput/native/same_content.h"

/* Pairs that begin alike. Samples without times have their time in the name of the file. */
static const char pairs[] =
    "SELECT a.file, a.path, b.path FROM file AS a JOIN file AS b ON b.head = a.head AND b.file < "
    "a.file AND b.format = a.format AND b.parameter = a.parameter AND b.options = a.options WHERE "
    "a.parameter NOT IN ('prometheus', 'kube_state') ORDER BY a.file, b.file";

/*
** Logs without a clock are alike if two runs failed at the same step; those with one are of one run
** wherever they lie. Tables are one in one folder, or if a folder repeats others as a whole.
*/
static const char decide[] =
    "CREATE TABLE recognised_in AS "
    "SELECT rtrim(path, replace(path, '/', '')) AS folder, count(*) AS n, "
    "sum(file IN (SELECT file FROM copy)) AS copies "
    "FROM file WHERE format IS NOT NULL GROUP BY 1;"
    "UPDATE copy SET left_out = 1 WHERE EXISTS ("
    "SELECT 1 FROM file AS f WHERE f.file = copy.file AND f.format <> 'native' "
    "AND f.missing NOT LIKE '%\"start\"%' AND json_extract(f.options, '$.start') IS NULL "
    "AND (f.format IN ('maxtext', 'megatron', 'torchtitan', 'nanogpt', 'trainer', 'tfevents', "
    "'goodput', 'otlp', 'mllog') "
    "OR rtrim(f.path, replace(f.path, '/', '')) = rtrim(original, replace(original, '/', '')) "
    "OR rtrim(f.path, replace(f.path, '/', '')) IN "
    "(SELECT folder FROM recognised_in WHERE copies = n)));"
    "UPDATE file SET format = NULL, certainty = NULL, reason = 'the same content as ' || original "
    "FROM copy WHERE copy.file = file.file AND left_out;";

static mpg_rc insert_copy(mpg_sources *s, sqlite3_int64 file, const char *original, mpg_err *err) {
  return mpg_private_do(&s->db, err, "INSERT INTO copy VALUES (%lld, %Q, 0)", (long long)file,
                        original);
}

static mpg_rc find_copies(mpg_sources *s, bool *any, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  sqlite3_int64 last = 0;
  mpg_rc rc = mpg_private_prepare(&s->db, pairs, &stmt, err);
  int code = SQLITE_DONE;
  while (rc == MPG_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    const sqlite3_int64 file = sqlite3_column_int64(stmt, 0);
    const char *path = (const char *)sqlite3_column_text(stmt, 1);
    const char *other = (const char *)sqlite3_column_text(stmt, 2);
    bool same = false;
    if (path == NULL || other == NULL)
      rc = mpg_fail_nomem(err);
    else if (file != last)
      rc = mpg_same_content(s->env, other, path, &same, err);
    if (rc == MPG_OK && same) {
      *any = true;
      last = file;
      rc = insert_copy(s, file, other, err);
    }
  }
  if (rc == MPG_OK && code != SQLITE_DONE)
    rc = mpg_private_failure(&s->db, code, err);
  (void)sqlite3_finalize(stmt);
  return rc;
}

mpg_rc mpg_sources_leave_out_copies(mpg_sources *s, mpg_err *err) {
  bool any = false;
  mpg_rc rc = find_copies(s, &any, err);
  return rc == MPG_OK && any ? mpg_private_do_text(&s->db, decide, err) : rc;
}

static mpg_rc list_copy(void *ctx, sqlite3_stmt *stmt, mpg_err *err) {
  mpg_sources *s = ctx;
  const char *path = (const char *)sqlite3_column_text(stmt, 0);
  const char *original = (const char *)sqlite3_column_text(stmt, 1);
  if (path == NULL || original == NULL ||
      mpg_add_same_content(&s->host->issues, path, original) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

mpg_rc mpg_sources_list_copies(mpg_sources *s, mpg_err *err) {
  return mpg_private_run(&s->db,
                         "SELECT path, original FROM copy JOIN file USING (file) WHERE NOT "
                         "left_out AND format <> 'native'",
                         NULL, s, list_copy, err);
}
