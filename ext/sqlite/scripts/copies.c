/* copies.c - see copies.h. */
#include "copies.h"
#include "../../goodput/native/same_content.h"

/* Formats of which a file is a log, or the record of a run, that goes on while it is written. */
#define OF_RUNS                                                                                    \
  "('maxtext', 'megatron', 'torchtitan', 'nanogpt', 'trainer', 'tfevents', 'goodput', 'otlp', "    \
  "'mllog', 'nvrx')"

/* In MLflow's store the name of a file is the metric: two metrics of one run may be equal. */
#define SAME_METRIC                                                                                \
  "(a.parameter <> 'mlflow_store' OR "                                                             \
  "replace(a.path, rtrim(a.path, replace(a.path, '/', '')), '') = "                                \
  "replace(b.path, rtrim(b.path, replace(b.path, '/', '')), ''))"

/* Files that begin like an earlier one of their format and options. Not metrics: samples without a
** time have it in the name of their file, and may be equal at two times. */
static const char repeated[] =
    "SELECT file, path FROM (SELECT file, path, row_number() OVER (PARTITION BY head, format, "
    "parameter, options, iif(parameter = 'mlflow_store', "
    "replace(path, rtrim(path, replace(path, '/', '')), ''), '') ORDER BY file) AS nth "
    "FROM file WHERE head IS NOT NULL AND format IS NOT NULL "
    "AND parameter NOT IN ('prometheus', 'kube_state')) WHERE nth > 1 ORDER BY file";

/* The files before it that begin like it, without those that are copies themselves. */
static const char earlier[] =
    "SELECT b.path FROM file AS a CROSS JOIN file AS b ON b.head = a.head AND b.file < a.file AND "
    "b.format = a.format AND b.parameter = a.parameter AND b.options = a.options AND " SAME_METRIC
    " WHERE a.file = ?1 AND b.file NOT IN (SELECT file FROM copy) ORDER BY b.file";

/* Those of which one may be the beginning of the other, as a copy is that was made earlier. */
static const char begins[] =
    "SELECT a.file, a.path, b.path FROM file AS a JOIN file_begin AS g ON g.begin = a.begin "
    "JOIN file AS b ON b.file = g.file WHERE b.file <> a.file AND b.format = a.format AND "
    "b.parameter = a.parameter AND b.options = a.options AND " SAME_METRIC
    " AND a.format IN " OF_RUNS
    " AND a.file NOT IN (SELECT file FROM copy) AND b.file NOT IN (SELECT file FROM copy) "
    "ORDER BY a.file, b.file";

/*
** Logs without a clock are alike if two runs failed at the same step; those with one are of one run
** wherever they lie. Tables are one in one folder, or if a folder repeats others as a whole. A part
** of a rotated log without a step may be alike by chance, unless the log's other parts are copies.
*/
static const char decide[] =
    "CREATE TABLE recognised_in AS "
    "SELECT rtrim(path, replace(path, '/', '')) AS folder, count(*) AS n, "
    "sum(file IN (SELECT file FROM copy)) AS copies "
    "FROM file WHERE format IS NOT NULL GROUP BY 1;"
    "UPDATE copy SET left_out = 1 WHERE EXISTS ("
    "SELECT 1 FROM file AS f WHERE f.file = copy.file AND f.format <> 'native' "
    "AND f.missing NOT LIKE '%\"start\"%' AND json_extract(f.options, '$.start') IS NULL "
    "AND NOT (f.reason GLOB 'by its name a part of *' AND EXISTS (SELECT 1 FROM log_name AS n "
    "JOIN log_name AS p USING (name) WHERE n.file = f.file AND p.file NOT IN (SELECT file FROM "
    "copy))) AND (f.format IN " OF_RUNS " "
    "OR rtrim(f.path, replace(f.path, '/', '')) = rtrim(original, replace(original, '/', '')) "
    "OR rtrim(f.path, replace(f.path, '/', '')) IN "
    "(SELECT folder FROM recognised_in WHERE copies = n)));"
    "UPDATE file SET format = NULL, certainty = NULL, reason = iif(is_begin, 'the "
    "beginning of ', 'the same content as ') || original "
    "FROM copy WHERE copy.file = file.file AND left_out;";

static mpg_rc insert_copy(mpg_sources *s, sqlite3_int64 file, const char *original, int is_begin,
                          mpg_err *err) {
  return mpg_private_do(&s->db, err, "INSERT INTO copy VALUES (%lld, %Q, %d, 0)", (long long)file,
                        original, is_begin);
}

/* Lists the file if it has the content of one that `others` gives. */
static mpg_rc find_original(mpg_sources *s, sqlite3_stmt *others, sqlite3_int64 file,
                            const char *path, bool *any, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  bool same = false;
  int code = sqlite3_bind_int64(others, 1, file);
  while (rc == MPG_OK && code == SQLITE_OK && !same &&
         (code = sqlite3_step(others)) == SQLITE_ROW) {
    const char *other = (const char *)sqlite3_column_text(others, 0);
    rc = other == NULL ? mpg_fail_nomem(err) : mpg_same_content(s->env, other, path, &same, err);
    if (rc == MPG_OK && same)
      rc = insert_copy(s, file, other, 0, err);
    code = SQLITE_OK;
  }
  *any |= same;
  if (rc == MPG_OK && code != SQLITE_OK && code != SQLITE_DONE)
    rc = mpg_private_failure(&s->db, code, err);
  (void)sqlite3_reset(others);
  return rc;
}

static mpg_rc find_repeated(mpg_sources *s, bool *any, mpg_err *err) {
  sqlite3_stmt *stmt = NULL, *others = NULL;
  mpg_rc rc = mpg_private_prepare(&s->db, repeated, &stmt, err);
  int code = SQLITE_DONE;
  while (rc == MPG_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    const char *path = (const char *)sqlite3_column_text(stmt, 1);
    if (path == NULL)
      rc = mpg_fail_nomem(err);
    else if (others == NULL)
      rc = mpg_private_prepare(&s->db, earlier, &others, err);
    if (rc == MPG_OK)
      rc = find_original(s, others, sqlite3_column_int64(stmt, 0), path, any, err);
  }
  if (rc == MPG_OK && code != SQLITE_DONE)
    rc = mpg_private_failure(&s->db, code, err);
  (void)sqlite3_finalize(others);
  (void)sqlite3_finalize(stmt);
  return rc;
}

/* Files with which another begins. */
static mpg_rc find_begins(mpg_sources *s, bool *any, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  sqlite3_int64 last = 0;
  mpg_rc rc = mpg_private_prepare(&s->db, begins, &stmt, err);
  int code = SQLITE_DONE;
  while (rc == MPG_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    const sqlite3_int64 file = sqlite3_column_int64(stmt, 0);
    const char *path = (const char *)sqlite3_column_text(stmt, 1);
    const char *other = (const char *)sqlite3_column_text(stmt, 2);
    mpg_likeness likeness = MPG_DIFFERENT;
    if (path == NULL || other == NULL)
      rc = mpg_fail_nomem(err);
    else if (file != last)
      rc = mpg_compare_content(s->env, path, other, &likeness, err);
    if (rc == MPG_OK && likeness == MPG_BEGINS_OTHER) {
      *any = true;
      last = file;
      rc = insert_copy(s, file, other, 1, err);
    }
  }
  if (rc == MPG_OK && code != SQLITE_DONE)
    rc = mpg_private_failure(&s->db, code, err);
  (void)sqlite3_finalize(stmt);
  return rc;
}

mpg_rc mpg_sources_leave_out_copies(mpg_sources *s, mpg_err *err) {
  bool any = false;
  mpg_rc rc = mpg_private_do_text(&s->db,
                                  "CREATE INDEX file_begin_of ON file_begin(begin);"
                                  "CREATE INDEX file_head ON file(head)",
                                  err);
  if (rc == MPG_OK)
    rc = find_repeated(s, &any, err);
  if (rc == MPG_OK)
    rc = find_begins(s, &any, err);
  return rc == MPG_OK && any ? mpg_private_do_text(&s->db, decide, err) : rc;
}

static mpg_rc list_copy(void *ctx, sqlite3_stmt *stmt, mpg_err *err) {
  mpg_sources *s = ctx;
  const char *path = (const char *)sqlite3_column_text(stmt, 0);
  const char *original = (const char *)sqlite3_column_text(stmt, 1);
  mpg_rc added = MPG_NOMEM;
  if (path == NULL || original == NULL)
    return mpg_fail_nomem(err);
  if (sqlite3_column_int(stmt, 2))
    added = mpg_issues_add(s->issues, MPG_WARNING, path, "same_content", 0, 1,
                           "%s begins with its content: its records come twice", original);
  else
    added = mpg_add_same_content(s->issues, path, original);
  return added == MPG_OK ? MPG_OK : mpg_fail_nomem(err);
}

mpg_rc mpg_sources_list_copies(mpg_sources *s, mpg_err *err) {
  return mpg_private_run(
      &s->db,
      "SELECT path, original, is_begin FROM copy JOIN file USING (file) WHERE NOT "
      "left_out AND format <> 'native'",
      NULL, s, list_copy, err);
}
