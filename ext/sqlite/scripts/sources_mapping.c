/*
** sources_mapping.c - see sources.h: runs the scripts of the sources, rank by rank, and joins what
** they gave.
**
** First schedulers and native traces, since what they say of jobs decides what a log is of. A step
** that has nothing to do is left out: its statements alone take longer than a small trace.
*/
#include "sources.h"
#include "../host.h"
#include "../recognise/script.h"
#include "source_run.h"
#include "source_options.h"
#include "source_parameters.h"

#include <string.h>

/* ---- scripts of sources ---- */

/* The parameter :path of our own scripts. */
static int bind_path(void *ctx, sqlite3_stmt *stmt, int index, const char *name) {
  const mpg_sources *s = ctx;
  return strcmp(name, "path") == 0 ? sqlite3_bind_text(stmt, index, s->path, -1, SQLITE_STATIC)
                                   : SQLITE_OK;
}

mpg_rc mpg_sources_own(mpg_sources *s, const char *name, mpg_err *err) {
  const mpg_script *script = mpg_script_find(name);
  return mpg_private_run(&s->db, script->sql, bind_path, s, NULL, err);
}

/* The input without which the script reads no file, empty if any of several will do. */
static mpg_str needed_input(const mpg_script *script) {
  static const char asks[] = "_trace(mpg_required(:";
  const char *found = strstr(script->sql, asks), *at = script->heads;
  mpg_str name = MPG_STR("");
  mpg_head head;
  if (found == NULL)
    return name;
  found += sizeof asks - 1;
  name = (mpg_str){found, strcspn(found, ",")};
  while ((head = mpg_head_next(&at)).kind != MPG_HEAD_END)
    if (head.kind == MPG_HEAD_INPUT && mpg_str_eq(head.parameter, name))
      return name;
  return MPG_STR("");
}

/* What the head of a format says: its rank, of length 0 if it is no source, what it feeds, and the
** parameter of files that are databases, each of which is a source of its own. */
static mpg_rc insert_rank(mpg_sources *s, const mpg_script *script, sqlite3_stmt *insert,
                          mpg_err *err) {
  const char *at = script->heads;
  mpg_str rank = MPG_STR(""), feeds = MPG_STR(""), needed, attached;
  mpg_head head;
  int code;
  while ((head = mpg_head_next(&at)).kind != MPG_HEAD_END) {
    if (head.kind == MPG_HEAD_SOURCE)
      rank = head.text;
    else if (head.kind == MPG_HEAD_FEEDS)
      feeds = head.text;
  }
  if (rank.n == 0)
    return MPG_OK;
  needed = needed_input(script);
  (void)mpg_source_attached(script, &attached);
  /* A source's script lies in a folder. */
  code = sqlite3_bind_text(insert, 1, strrchr(script->name, '/') + 1, -1, SQLITE_STATIC);
  if (code == SQLITE_OK)
    code = sqlite3_bind_text(insert, 2, rank.p, (int)rank.n, SQLITE_STATIC);
  if (code == SQLITE_OK)
    code = sqlite3_bind_text(insert, 3, feeds.p, (int)feeds.n, SQLITE_STATIC);
  if (code == SQLITE_OK)
    code = needed.n == 0 ? sqlite3_bind_null(insert, 4)
                         : sqlite3_bind_text(insert, 4, needed.p, (int)needed.n, SQLITE_STATIC);
  if (code == SQLITE_OK)
    code = sqlite3_bind_text(insert, 5, attached.p, (int)attached.n, SQLITE_STATIC);
  if (code == SQLITE_OK && (code = sqlite3_step(insert)) == SQLITE_DONE)
    code = sqlite3_reset(insert);
  return code == SQLITE_OK ? MPG_OK : mpg_private_failure(&s->db, code, err);
}

static mpg_rc insert_ranks(mpg_sources *s, mpg_err *err) {
  sqlite3_stmt *insert = NULL;
  mpg_rc rc = mpg_private_do_text(
      &s->db,
      "CREATE TABLE format_rank(format TEXT PRIMARY KEY, rank INTEGER, feeds TEXT, needed "
      "TEXT, attached TEXT) WITHOUT ROWID;"
      "CREATE TABLE user_table AS SELECT name FROM sqlite_temp_schema;",
      err);
  if (rc == MPG_OK)
    rc = mpg_private_prepare(&s->db, "INSERT INTO format_rank VALUES (?1, ?2, ?3, ?4, ?5)", &insert,
                             err);
  for (size_t i = 0; rc == MPG_OK && i < mpg_scripts_count; i++)
    rc = insert_rank(s, &mpg_scripts[i], insert, err);
  (void)sqlite3_finalize(insert);
  return rc;
}

static mpg_rc is_so(mpg_sources *s, const char *query, bool *so, mpg_err *err) {
  int64_t n;
  mpg_rc rc = mpg_private_ask(&s->db, query, 0, &n, err);
  *so = rc == MPG_OK && n != 0;
  return rc;
}

/* Runs the script `name` where the query says so. */
static mpg_rc run_where(mpg_sources *s, const char *query, const char *name, mpg_err *err) {
  bool so = false;
  mpg_rc rc = is_so(s, query, &so, err);
  return rc == MPG_OK && so ? mpg_sources_own(s, name, err) : rc;
}

/* Makes sources of the files that are of none, of formats of a rank up to `rank`. */
static mpg_rc make_sources(mpg_sources *s, int rank, mpg_err *err) {
  mpg_rc rc = mpg_private_do(&s->db, err,
                             "INSERT OR IGNORE INTO source(format, rank, options, records, alone) "
                             "SELECT DISTINCT format, rank, options, '{}', iif(parameter = "
                             "attached, path, NULL) FROM file JOIN "
                             "format_rank USING (format) WHERE source IS NULL AND reason NOT LIKE "
                             "'cannot be read:%%' AND rank <= %d "
                             "ORDER BY rank, entry, format",
                             rank);
  if (rc == MPG_OK)
    rc =
        mpg_private_do(&s->db, err,
                       "UPDATE file SET source = o.source FROM source AS o WHERE "
                       "file.source IS NULL AND file.reason NOT LIKE 'cannot be read:%%' AND "
                       "o.format = file.format AND o.options = file.options AND o.alone IS (SELECT "
                       "iif(file.parameter = r.attached, file.path, NULL) FROM format_rank AS r "
                       "WHERE r.format = file.format)");
  return rc == MPG_OK && rank < 3
             ? run_where(s,
                         "SELECT EXISTS (SELECT 1 FROM source JOIN format_rank USING (format) "
                         "WHERE needed IS NOT NULL GROUP BY format HAVING count(*) > 1)",
                         "sources/beside", err)
             : rc;
}

/* The source of these ranks after s->source, its format in `format`; false: none. No statement is
** left open, for scripts drop and rename tables. */
static bool next_source(mpg_sources *s, int from, int to, char format[64], mpg_rc *rc,
                        mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  const char *text;
  bool found = false;
  *rc = mpg_private_prepare(
      &s->db,
      "SELECT source, format FROM source WHERE source > ?1 AND rank BETWEEN ?2 AND ?3 "
      "ORDER BY source LIMIT 1",
      &stmt, err);
  if (*rc != MPG_OK)
    return false;
  (void)sqlite3_bind_int64(stmt, 1, s->source);
  (void)sqlite3_bind_int(stmt, 2, from);
  (void)sqlite3_bind_int(stmt, 3, to);
  switch (sqlite3_step(stmt)) {
  case SQLITE_ROW:
    found = true;
    s->source = sqlite3_column_int64(stmt, 0);
    text = (const char *)sqlite3_column_text(stmt, 1);
    if (text == NULL)
      *rc = mpg_fail_nomem(err);
    else
      (void)sqlite3_snprintf(64, format, "%s", text);
    break;
  case SQLITE_DONE:
    break;
  default:
    *rc = mpg_private_failure(&s->db, sqlite3_errcode(s->db.db), err);
    break;
  }
  (void)sqlite3_finalize(stmt);
  return found && *rc == MPG_OK;
}

mpg_rc mpg_sources_run_ranks(mpg_sources *s, int from, int to, mpg_err *err) {
  char format[64];
  mpg_rc rc = MPG_OK;
  s->source = 0;
  while (rc == MPG_OK && next_source(s, from, to, format, &rc, err))
    rc = mpg_source_run(s, format, err);
  return rc;
}

/* ---- joining ---- */

/* Whether issues of `source`, a file or a JSON array of files, are of the file. */
static bool is_of_file(const void *file, const char *source) {
  const char *path = file, *at = strstr(source, path);
  const size_t n = strlen(path);
  if (strcmp(source, path) == 0)
    return true;
  while (at != NULL && !(at > source && at[-1] == '"' && at[n] == '"'))
    at = strstr(at + 1, path);
  return at != NULL;
}

/* Forgets what was listed of a file that is read again. */
static mpg_rc forget_file(void *ctx, sqlite3_stmt *stmt, mpg_err *err) {
  mpg_sources *s = ctx;
  const char *path = (const char *)sqlite3_column_text(stmt, 0);
  if (path == NULL)
    return mpg_fail_nomem(err);
  mpg_issues_drop_those(&s->db.conn->issues, is_of_file, path);
  return MPG_OK;
}

/* Sources of Kubernetes without nodes go to the one that has them, which is read again; and so do
** those of one cluster whose options say other things of jobs. */
static mpg_rc join_nodes(mpg_sources *s, mpg_err *err) {
  bool several = false;
  int64_t source = 0;
  char format[64];
  mpg_rc rc = is_so(s,
                    "SELECT count(*) > 1 OR EXISTS (SELECT 1 FROM together) FROM source "
                    "WHERE format = 'kube'",
                    &several, err);
  if (rc != MPG_OK || !several)
    return rc;
  rc = mpg_sources_own(s, "sources/without_nodes", err);
  if (rc == MPG_OK)
    rc = mpg_private_run(&s->db,
                         "SELECT path FROM file WHERE source IN (SELECT source FROM read_again)",
                         NULL, s, forget_file, err);
  while (rc == MPG_OK &&
         (rc = mpg_private_ask(&s->db, "SELECT min(source) FROM read_again", 0, &source, err)) ==
             MPG_OK &&
         source > 0) {
    s->source = source - 1;
    if (!next_source(s, 1, 1, format, &rc, err))
      break;
    rc = mpg_private_do(&s->db, err, "DELETE FROM read_again WHERE source = %lld",
                        (long long)source);
    if (rc == MPG_OK)
      rc = mpg_source_run(s, format, err);
  }
  if (rc == MPG_OK)
    rc = mpg_sources_own(s, "sources/described", err);
  return rc;
}

/* Finds the jobs of logs, if there are jobs or a log names its own, and of a native trace beside a
** scheduler. */
static mpg_rc match_logs(mpg_sources *s, bool *matched, mpg_err *err) {
  mpg_rc rc = is_so(s,
                    "SELECT EXISTS (SELECT 1 FROM file WHERE source IS NULL AND coalesce(format, "
                    "said_job, said_task, json_extract(options, '$.job')) IS NOT NULL) AND (EXISTS "
                    "(SELECT 1 FROM source) OR EXISTS (SELECT 1 FROM file WHERE coalesce(said_job, "
                    "said_task) GLOB '[0-9]*' OR json_extract(options, '$.job') IS NOT NULL)) OR "
                    "(EXISTS (SELECT 1 FROM source "
                    "WHERE rank = 1) AND EXISTS (SELECT 1 FROM source WHERE rank = 2))",
                    matched, err);
  return rc == MPG_OK && *matched ? mpg_sources_own(s, "sources/match", err) : rc;
}

/* Whether a launcher keeps logs by attempt and rank: before match_logs where no scheduler may know
** their job, and behind it of what none knows. */
static const char launched_before[] =
    "SELECT EXISTS (SELECT 1 FROM file WHERE source IS NULL AND path GLOB '*/attempt_[0-9]*') AND "
    "NOT EXISTS (SELECT 1 FROM source WHERE rank = 1)";
static const char launched_after[] =
    "SELECT EXISTS (SELECT 1 FROM file WHERE source IS NULL AND job IS NULL AND path GLOB "
    "'*/attempt_[0-9]*') AND EXISTS (SELECT 1 FROM source WHERE rank = 1)";

/* Runs the SQL that the script `name` makes of what the sources gave. */
static mpg_rc run_made(mpg_sources *s, const char *name, mpg_err *err) {
  return mpg_private_run_made(&s->db, mpg_script_find(name)->sql, err);
}

/* The relations of all sources as those of one fleet, in the schema temp. */
static mpg_rc join_all(mpg_sources *s, bool matched, mpg_err *err) {
  bool logs = false, alone = false;
  mpg_rc rc = is_so(s,
                    "SELECT EXISTS (SELECT 1 FROM source WHERE rank = 1) AND EXISTS (SELECT 1 FROM "
                    "source WHERE rank = 3)",
                    &logs, err);
  if (rc == MPG_OK && !matched)
    rc = is_so(s, "SELECT count(*) = 1 AND max(rank) <> 2 FROM source", &alone, err);
  if (rc == MPG_OK && logs)
    rc = run_made(s, "sources/placed", err);
  if (rc == MPG_OK && logs)
    rc = run_made(s, "sources/aligned", err);
  if (rc == MPG_OK && logs)
    rc = mpg_sources_own(s, "sources/by_time", err);
  if (rc == MPG_OK)
    rc = mpg_sources_own(s, alone ? "sources/alone" : "sources/join", err);
  if (rc == MPG_OK && !alone)
    rc = is_so(s,
               "SELECT EXISTS (SELECT 1 FROM source WHERE rank = 1) AND EXISTS (SELECT 1 FROM "
               "source WHERE rank IN (2, 3))",
               &logs, err);
  if (rc == MPG_OK && logs && !alone)
    rc = run_made(s, "sources/het", err);
  if (rc == MPG_OK && logs && !alone)
    rc = run_made(s, "sources/across", err);
  return rc == MPG_OK && !alone ? run_made(s, "sources/parallel", err) : rc;
}

mpg_rc mpg_sources_run(mpg_sources *s, mpg_err *err) {
  bool matched = false;
  mpg_rc rc = insert_ranks(s, err);
  if (rc == MPG_OK)
    rc = mpg_sources_list_unused(s, err);
  if (rc == MPG_OK)
    rc = mpg_source_prepare(s, err);
  if (rc == MPG_OK)
    rc = make_sources(s, 2, err);
  if (rc == MPG_OK)
    rc = mpg_sources_run_ranks(s, 1, 2, err);
  if (rc == MPG_OK)
    rc = join_nodes(s, err);
  if (rc == MPG_OK)
    rc = run_where(s, "SELECT count(*) > 1 FROM source WHERE rank = 1", "sources/schedulers", err);
  if (rc == MPG_OK)
    rc = run_where(s, launched_before, "sources/launched", err);
  if (rc == MPG_OK)
    rc = match_logs(s, &matched, err);
  if (rc == MPG_OK)
    rc = run_where(
        s, "SELECT EXISTS (SELECT 1 FROM file WHERE coalesce(named, named_year) IS NOT NULL)",
        "sources/named", err);
  if (rc == MPG_OK)
    rc = run_where(s, launched_after, "sources/launched", err);
  if (rc == MPG_OK)
    rc = make_sources(s, 9, err);
  if (rc == MPG_OK)
    rc = mpg_sources_run_ranks(s, 3, 3, err);
  if (rc == MPG_OK)
    rc = run_where(s, "SELECT EXISTS (SELECT 1 FROM source WHERE rank = 4)", "sources/chip", err);
  if (rc == MPG_OK)
    rc = mpg_sources_run_ranks(s, 4, 4, err);
  if (rc == MPG_OK)
    rc = join_all(s, matched, err);
  if (rc == MPG_OK)
    rc = run_where(s, "SELECT EXISTS (SELECT 1 FROM all_program_files)", "sources/programs", err);
  if (rc == MPG_OK)
    rc = run_made(s, "sources/spans", err);
  if (rc == MPG_OK)
    rc = run_where(s,
                   "SELECT EXISTS (SELECT 1 FROM all_program_files) AND EXISTS (SELECT 1 FROM "
                   "sqlite_temp_master WHERE name = 'spans')",
                   "sources/unnamed", err);
  if (rc == MPG_OK)
    rc = run_made(s, "sources/continued", err);
  if (rc == MPG_OK && s->every_end)
    rc = mpg_private_do_text(&s->db, "CREATE TABLE every_end AS SELECT 1", err);
  return rc == MPG_OK ? run_made(s, "sources/endings", err) : rc;
}

mpg_rc mpg_sources_tell(mpg_sources *s, mpg_sources_told *told, mpg_err *err) {
  sqlite3_stmt *rows = NULL;
  int code = SQLITE_DONE;
  mpg_rc rc = mpg_private_prepare(&s->db, mpg_script_find("sources/report")->sql, &rows, err);
  if (rc != MPG_OK)
    return rc;
  mpg_row_store_init(&told->rows, &s->host->env, sqlite3_column_count(rows));
  mpg_issues_init(&told->issues, &s->host->env);
  while (rc == MPG_OK && (code = sqlite3_step(rows)) == SQLITE_ROW)
    if (mpg_row_store_add(&told->rows, rows) != MPG_OK)
      rc = mpg_fail_nomem(err);
  if (rc == MPG_OK && code != SQLITE_DONE)
    rc = mpg_private_failure(&s->db, code, err);
  (void)sqlite3_finalize(rows);
  return rc;
}

void mpg_sources_told_free(mpg_sources_told *told) {
  if (told->rows.columns == 0)
    return;
  mpg_row_store_free(&told->rows);
  mpg_issues_free(&told->issues);
  memset(told, 0, sizeof *told);
}
