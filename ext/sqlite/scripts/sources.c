/*
** sources.c - see sources.h: finds and recognises files, reads what their scripts made of them.
**
** What is known of files and sources are tables of the private connection (sql/sources/plan.sql);
** what decides over them is SQL too (match.sql, join.sql; sources_mapping.c runs it). Here is what
** SQL cannot do.
*/
#include "sources.h"
#include "source_parameters.h"
#include "../../base/text.h"
#include "../../read/input/unfinished.h"
#include "../../goodput/native/native.h"
#include "../../goodput/native/same_content.h"
#include "../sqlite_relations.h"
#include "copies.h"
#include "job_names.h"
#include "../recognise/script.h"
#include "source_run.h"
#include "../host.h"

#include <stdio.h>
#include <string.h>

/* ---- SQL on the private connection ---- */

/* Steps a statement that gives no rows, and resets it. */
static mpg_rc finish_statement(mpg_sources *s, sqlite3_stmt *stmt, mpg_err *err) {
  int code = sqlite3_step(stmt);
  mpg_rc rc =
      code == SQLITE_DONE || code == SQLITE_ROW ? MPG_OK : mpg_private_failure(&s->db, code, err);
  (void)sqlite3_reset(stmt);
  return rc;
}

/* ---- files ---- */

static int bind_str(sqlite3_stmt *stmt, int i, mpg_str text) {
  return text.n > 0 ? sqlite3_bind_text64(stmt, i, text.p, text.n, SQLITE_TRANSIENT, SQLITE_UTF8)
                    : sqlite3_bind_null(stmt, i);
}

static mpg_str format_name(const mpg_recognised *what) {
  if (what->native)
    return MPG_STR("native");
  if (what->script == NULL)
    return MPG_STR("");
  return mpg_str_of(strrchr(what->script->name, '/') + 1);
}

static mpg_rc missing_options(const mpg_recognised *what, char **out, mpg_err *err) {
  char *text = sqlite3_mprintf("[");
  for (size_t i = 0; text != NULL && i < what->nmissing; i++) {
    char *longer = sqlite3_mprintf("%s%s\"%.*s\"", text, i > 0 ? "," : "", (int)what->missing[i].n,
                                   what->missing[i].p);
    sqlite3_free(text);
    text = longer;
  }
  *out = text == NULL ? NULL : sqlite3_mprintf("%s]", text);
  sqlite3_free(text);
  return *out == NULL ? mpg_fail_nomem(err) : MPG_OK;
}

/* One row of `file`. */
static mpg_rc file_insert(mpg_sources *s, sqlite3_stmt *insert, const char *path, size_t entry,
                          const mpg_recognised *what, bool given, mpg_err *err) {
  static const char *const words[] = {NULL, "likely", "sure"};
  char *missing;
  mpg_rc rc = missing_options(what, &missing, err);
  if (rc != MPG_OK)
    return rc;
  bool failed = sqlite3_bind_text(insert, 7, missing, -1, sqlite3_free) != SQLITE_OK;
  failed |= sqlite3_bind_text(insert, 1, path, -1, SQLITE_TRANSIENT) != SQLITE_OK;
  failed |= sqlite3_bind_int64(insert, 2, (sqlite3_int64)entry) != SQLITE_OK;
  failed |= bind_str(insert, 3, format_name(what)) != SQLITE_OK;
  failed |= bind_str(insert, 4, what->native ? MPG_STR("trace") : what->parameter) != SQLITE_OK;
  failed |=
      sqlite3_bind_text(insert, 5, given && what->certainty > 0 ? "given" : words[what->certainty],
                        -1, SQLITE_STATIC) != SQLITE_OK;
  failed |= sqlite3_bind_text(insert, 6,
                              !what->fleet ? what->reason
                              : mpg_may_be_fleet_file(mpg_str_of(path))
                                  ? "a fleet file: give it as the path"
                                  : "a fleet file: its name must end in .json",
                              -1, SQLITE_TRANSIENT) != SQLITE_OK;
  failed |= bind_str(insert, 8, mpg_str_of(what->job)) != SQLITE_OK;
  failed |= sqlite3_bind_text(insert, 9, s->entries.entry[entry].options, -1, SQLITE_TRANSIENT) !=
            SQLITE_OK;
  failed |= sqlite3_bind_int64(insert, 10, (sqlite3_int64)what->head) != SQLITE_OK;
  failed |= bind_str(insert, 11, mpg_str_of(what->task)) != SQLITE_OK;
  failed |= sqlite3_bind_int64(
                insert, 12, what->nbegin == 0 ? 0 : (sqlite3_int64)what->begin[what->nbegin - 1]) !=
            SQLITE_OK;
  return failed ? mpg_fail_nomem(err) : finish_statement(s, insert, err);
}

/* What of a file that was inserted copies.c looks for. */
static mpg_rc begins_insert(mpg_sources *s, const mpg_recognised *what, mpg_err *err) {
  char list[24 * MPG_BEGINS] = "";
  for (size_t i = 0, n = 0; i < what->nbegin; i++)
    n += (size_t)snprintf(list + n, sizeof list - n, "%s(%lld)", i == 0 ? "" : ",",
                          (long long)what->begin[i]);
  return what->nbegin == 0
             ? MPG_OK
             : mpg_private_do(&s->db, err,
                              "INSERT INTO file_begin SELECT column1, %lld FROM (VALUES %s)",
                              (long long)sqlite3_last_insert_rowid(s->db.db), list);
}

/* An entry's option, owned by SQLite's allocator; NULL: it has none of that name. */
static mpg_rc text_option(mpg_sources *s, const char *options, const char *name, char **out,
                          mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  int code;
  mpg_rc rc = mpg_private_prepare(&s->db, "SELECT json_extract(?1, '$.' || ?2)", &stmt, err);
  *out = NULL;
  if (rc != MPG_OK)
    return rc;
  code = sqlite3_bind_text(stmt, 1, options, -1, SQLITE_STATIC);
  if (code == SQLITE_OK)
    code = sqlite3_bind_text(stmt, 2, name, -1, SQLITE_STATIC);
  if (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    code = SQLITE_OK;
    if (sqlite3_column_type(stmt, 0) != SQLITE_NULL) {
      *out = mpg_host_copy_text(stmt, 0);
      code = *out == NULL ? SQLITE_NOMEM : SQLITE_OK;
    }
  }
  if (code != SQLITE_OK)
    rc = mpg_private_failure(&s->db, code, err);
  (void)sqlite3_finalize(stmt);
  return rc;
}

/* Which source of the fleet file an error is of. */
static mpg_rc fail_of_source(const mpg_sources *s, size_t entry, mpg_rc rc, mpg_err *err) {
  mpg_err plain = *err;
  if (!s->entries.of_fleet || rc == MPG_NOMEM || rc == MPG_INTERRUPTED)
    return rc;
  return mpg_fail(err, rc, "%s:%lld: source %zu: %.900s",
                  s->entries.fleet_file == NULL ? "the fleet's JSON" : s->entries.fleet_file,
                  (long long)s->entries.entry[entry].line, entry + 1, plain.text);
}

/* Whether the file is the fleet file, or one of an entry before, whatever they call it. */
static mpg_rc is_taken(mpg_sources *s, const mpg_file *file, size_t entry, bool *taken,
                       mpg_err *err) {
  const long long device = file->state.device, inode = file->state.inode;
  mpg_file_state fleet;
  char *query;
  int64_t n = 0;
  mpg_rc rc;
  *taken = s->entries.fleet_file != NULL && mpg_file_stat(s->entries.fleet_file, &fleet) &&
           fleet.device == device && fleet.inode == inode;
  if (*taken || s->entries.n < 2)
    return MPG_OK;
  rc = mpg_private_do(&s->db, err, "INSERT OR IGNORE INTO taken VALUES (%lld, %lld, %lld)", device,
                      inode, (long long)entry);
  if (rc != MPG_OK)
    return rc;
  query = sqlite3_mprintf("SELECT entry < ?1 FROM taken WHERE device = %lld AND inode = %lld",
                          device, inode);
  rc =
      query == NULL ? mpg_fail_nomem(err) : mpg_private_ask(&s->db, query, (int64_t)entry, &n, err);
  sqlite3_free(query);
  *taken = n != 0;
  return rc;
}

/* A packed file beside one of its name without the ending is left out if it is that one, or was
** when that one was shorter. */
static mpg_rc leave_out_packed(const mpg_sources *s, const char *path, const char *copied,
                               mpg_recognised *what, mpg_err *err) {
  static const char *const said[] = {[MPG_SAME] = "the same file as %.200s, packed",
                                     [MPG_BEGINS_OTHER] = "the beginning of %.200s, packed",
                                     [MPG_GOES_BEYOND] = "%.200s, packed, and more: remove one"};
  mpg_likeness likeness;
  mpg_rc rc = mpg_compare_content(s->env, path, copied, &likeness, err);
  if (rc == MPG_OK && likeness != MPG_DIFFERENT) {
    *what = (mpg_recognised){.certainty = MPG_NOT_RECOGNISED};
    (void)sqlite3_snprintf((int)sizeof what->reason, what->reason, said[likeness], copied);
  }
  return rc;
}

/* A file that cannot be read, or a closed folder, is listed and left out, or fails. */
static mpg_rc leave_unreadable(mpg_sources *s, const char *path, mpg_recognised *what,
                               mpg_err *err) {
  const char *why = what->reason;
  char *reason;
  const size_t n = strlen(path);
  if (strncmp(why, path, n) == 0 && strncmp(why + n, ": ", 2) == 0)
    why += n + 2;
  if (s->on_error == MPG_ON_ERROR_STOP)
    return mpg_fail(err, MPG_IO, "%s: %s", path, why);
  if (mpg_issues_add(&s->db.conn->issues, MPG_DATA_LOSS, path, "unreadable_file", 0, 1, "%s",
                     why) != MPG_OK ||
      (reason = sqlite3_mprintf("cannot be read: %s", why)) == NULL)
    return mpg_fail_nomem(err);
  (void)sqlite3_snprintf((int)sizeof what->reason, what->reason, "%s", reason);
  sqlite3_free(reason);
  return MPG_OK;
}

/* What of an entry's path is passed over. */
static mpg_rc insert_passed(mpg_sources *s, sqlite3_stmt *insert, size_t entry,
                            const mpg_paths *paths, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  for (size_t i = 0; rc == MPG_OK && i < paths->n_passed; i++) {
    const mpg_passed *p = &paths->passed[i];
    mpg_recognised what = {.certainty = MPG_NOT_RECOGNISED};
    (void)sqlite3_snprintf((int)sizeof what.reason, what.reason, "%s", p->why);
    if (p->closed)
      rc = leave_unreadable(s, p->path, &what, err);
    if (rc == MPG_OK)
      rc = file_insert(s, insert, p->path, entry, &what, false, err);
  }
  return rc;
}

/* The files of one entry. */
static mpg_rc find_files(mpg_sources *s, sqlite3_stmt *insert, size_t entry, mpg_err *err) {
  const mpg_entry *e = &s->entries.entry[entry];
  char *format = NULL, *columns = NULL;
  mpg_paths listed = {.env = NULL};
  const mpg_paths *paths = s->listed;
  mpg_rc rc = text_option(s, e->options, "format", &format, err);
  if (rc == MPG_OK && format != NULL)
    rc = text_option(s, e->options, "columns", &columns, err);
  if (rc == MPG_OK && paths == NULL) {
    rc = mpg_paths_expand_readable(&listed, s->env, mpg_str_of(e->path), err);
    paths = &listed;
    if (rc != MPG_OK)
      rc = fail_of_source(s, entry, rc, err);
  }
  for (size_t i = 0; rc == MPG_OK && i < paths->n; i++) {
    const char *path = paths->file[i].path, *copied = mpg_paths_copied(paths, i);
    mpg_recognised what;
    bool taken;
    rc = is_taken(s, &paths->file[i], entry, &taken, err);
    if (rc != MPG_OK || taken)
      continue;
    rc = mpg_interrupted(s->env)
             ? mpg_fail(err, MPG_INTERRUPTED, "interrupted")
             : mpg_recognise(s->recogniser, s->env, path,
                             format == NULL ? MPG_STR("") : mpg_str_of(format), &what, err);
    if (rc == MPG_OK && format != NULL &&
        ((paths->n == 1 && !paths->from_folder) || (columns != NULL && what.headless)))
      mpg_recognise_given(s->recogniser, mpg_str_of(format), &what);
    if (rc == MPG_OK && what.unreadable)
      rc = leave_unreadable(s, path, &what, err);
    else if (rc == MPG_OK && !what.native && copied != NULL)
      rc = leave_out_packed(s, path, copied, &what, err);
    if (rc == MPG_OK)
      rc = file_insert(s, insert, path, entry, &what, format != NULL, err);
    if (rc == MPG_OK && sqlite3_changes(s->db.db) > 0)
      rc = begins_insert(s, &what, err);
  }
  if (rc == MPG_OK)
    rc = insert_passed(s, insert, entry, paths, err);
  mpg_paths_free(&listed);
  sqlite3_free(format);
  sqlite3_free(columns);
  return rc;
}

static mpg_rc find_all(mpg_sources *s, mpg_err *err) {
  sqlite3_stmt *insert = NULL;
  mpg_rc rc = mpg_private_prepare(
      &s->db,
      "INSERT OR IGNORE INTO file(path, entry, format, parameter, certainty, reason, "
      "missing, said_job, options, inferred, head, said_task, begin) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, (SELECT json_group_array(value) FROM json_each(?7) WHERE "
      "json_extract(?9, '$.' || value) IS NULL), ?8, (SELECT json_group_object(key, value) FROM "
      "(SELECT key, value FROM json_each(?9) WHERE key <> 'format' AND value IS NOT NULL ORDER BY "
      "key)), '{}', ?10, ?11, ?12)",
      &insert, err);
  for (size_t i = 0; rc == MPG_OK && i < s->entries.n; i++)
    rc = find_files(s, insert, i, err);
  (void)sqlite3_finalize(insert);
  if (rc == MPG_OK)
    rc = mpg_sources_own(s, "sources/parts", err);
  if (rc == MPG_OK && s->entries.of_fleet)
    rc = mpg_sources_name_jobs(s, err);
  if (rc == MPG_OK)
    rc = mpg_sources_name_times(s, err);
  return rc == MPG_OK ? mpg_sources_leave_out_copies(s, err) : rc;
}

static mpg_rc open_listed(mpg_sources *s, mpg_conn *host, const mpg_env *env,
                          const mpg_sources_query *q, mpg_err *err) {
  mpg_rc rc;
  memset(s, 0, sizeof *s);
  s->host = host;
  s->issues = &host->issues;
  s->env = env;
  s->on_error = q->on_error;
  s->every_end = q->every_end;
  s->reported = q->reported;
  s->path = sqlite3_mprintf("%.*s", (int)q->path.n, q->path.p);
  rc = s->path == NULL ? mpg_fail_nomem(err) : mpg_entries_read(&s->entries, env, q->path, err);
  if (rc == MPG_OK && s->entries.fleet_file == NULL)
    s->listed = q->listed;
  if (rc == MPG_OK)
    rc = mpg_recogniser_of(host, &s->recogniser, err);
  if (rc == MPG_OK)
    rc = mpg_private_open(&s->db, host, env, err);
  if (rc == MPG_OK) {
    s->db.conn->skip_errors = q->on_error == MPG_ON_ERROR_SKIP;
    rc = mpg_sources_own(s, "sources/plan", err);
  }
  if (rc == MPG_OK)
    rc = find_all(s, err);
  if (rc != MPG_OK)
    mpg_sources_close(s);
  return rc;
}

mpg_rc mpg_sources_open(mpg_sources *s, mpg_conn *host, const mpg_env *env, mpg_str path,
                        mpg_on_error on_error, mpg_err *err) {
  return open_listed(s, host, env, &(mpg_sources_query){.path = path, .on_error = on_error}, err);
}

void mpg_sources_close(mpg_sources *s) {
  mpg_source_forget(s);
  (void)sqlite3_finalize(s->option);
  (void)sqlite3_finalize(s->files);
  mpg_private_close(&s->db);
  mpg_entries_free(&s->entries);
  sqlite3_free(s->path);
  memset(s, 0, sizeof *s);
}

/* ---- issues ---- */

mpg_rc mpg_sources_forget(mpg_sources *s, const char *name, mpg_err *err) {
  uint32_t id;
  mpg_issues_drop(s->issues, name);
  return s->reported == NULL || mpg_intern_id(s->reported, mpg_str_of(name), &id) == MPG_OK
             ? MPG_OK
             : mpg_fail_nomem(err);
}

static mpg_rc drop_row(void *ctx, sqlite3_stmt *stmt, mpg_err *err) {
  mpg_sources *s = ctx;
  const char *path = (const char *)sqlite3_column_text(stmt, 0);
  const char *reason = (const char *)sqlite3_column_text(stmt, 1);
  if (path == NULL)
    return mpg_fail_nomem(err);
  if (mpg_sources_forget(s, path, err) != MPG_OK)
    return err->rc;
  return reason == NULL || mpg_issues_add(s->issues, MPG_INFO, path, "ignored_file", 0, 1, "%s",
                                          reason) == MPG_OK
             ? MPG_OK
             : mpg_fail_nomem(err);
}

/*
** What a script lists is of its parameter, a JSON array of the files that it read. The host's issue
** is of the file, or of the first of several.
*/
static mpg_rc name_source(mpg_sources *s, const char *source, char **out, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  mpg_rc rc = mpg_private_prepare(
      &s->db,
      "SELECT CASE WHEN json_array_length(?1) > 1 THEN json_extract(?1, '$[0]') || ' and ' || "
      "(json_array_length(?1) - 1) || ' more' ELSE json_extract(?1, '$[0]') END WHERE ?1 LIKE "
      "'[\"%' AND json_valid(?1)",
      &stmt, err);
  *out = NULL;
  if (rc != MPG_OK)
    return rc;
  if (sqlite3_bind_text(stmt, 1, source, -1, SQLITE_STATIC) != SQLITE_OK) {
    rc = mpg_fail_nomem(err);
  } else {
    const int code = sqlite3_step(stmt);
    if (code == SQLITE_ROW)
      *out = mpg_host_copy_text(stmt, 0);
    else if (code == SQLITE_DONE)
      *out = sqlite3_mprintf("%s", source);
    else
      rc = mpg_private_failure(&s->db, code, err);
    if (rc == MPG_OK && *out == NULL)
      rc = mpg_fail_nomem(err);
  }
  (void)sqlite3_finalize(stmt);
  return rc;
}

/* Lists in s->issues what scripts and readers listed here, or forgets what an earlier read listed
** under such names. */
static mpg_rc pass_on_issues(mpg_sources *s, bool forget, mpg_err *err) {
  const mpg_issues *found = &s->db.conn->issues;
  mpg_rc rc = MPG_OK;
  for (size_t i = 0; rc == MPG_OK && i < found->n; i++) {
    mpg_issue issue = found->items[i];
    char *source;
    rc = name_source(s, issue.source, &source, err);
    if (rc != MPG_OK)
      break;
    issue.source = source;
    if (forget)
      rc = mpg_sources_forget(s, source, err);
    else if (mpg_issues_merge(s->issues, &issue) != MPG_OK)
      rc = mpg_fail_nomem(err);
    sqlite3_free(source);
  }
  return rc;
}

/* Why a file of a known format is ignored. */
static int bind_why(void *ctx, sqlite3_stmt *stmt, int index, const char *name) {
  const mpg_sources *s = ctx;
  char *why =
      s->table == NULL
          ? sqlite3_mprintf("which says nothing of who holds chips or what a job did")
          : sqlite3_mprintf("which %.*s does not read", (int)s->table->name.n, s->table->name.p);
  (void)name;
  return why == NULL ? SQLITE_NOMEM : sqlite3_bind_text(stmt, index, why, -1, sqlite3_free);
}

mpg_rc mpg_sources_list_issues(mpg_sources *s, mpg_err *err) {
  mpg_rc rc = pass_on_issues(s, true, err);
  for (size_t i = 0; i < s->entries.n; i++)
    mpg_paths_forget_gone(mpg_str_of(s->entries.entry[i].path), s->issues);
  if (rc == MPG_OK && s->path != NULL)
    rc = mpg_private_run(&s->db,
                         "SELECT path, CASE WHEN source IS NOT NULL OR reason LIKE 'cannot be "
                         "read:%' THEN NULL WHEN format IS NULL THEN reason ELSE 'of the format ' "
                         "|| format || ', ' || :why END FROM file",
                         bind_why, s, drop_row, err);
  if (rc == MPG_OK && s->path != NULL)
    rc = mpg_sources_list_copies(s, err);
  return rc == MPG_OK ? pass_on_issues(s, false, err) : rc;
}

/* ---- the fleet ---- */

/* Fails with the first file that cannot be read, if no other says anything. */
static mpg_rc check_read(mpg_sources *s, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  mpg_rc rc = mpg_private_prepare(
      &s->db,
      "SELECT iif(instr(reason, path) = 0, path || ': ', '') || substr(reason, 17), count(*) OVER "
      "() - 1 FROM file "
      "WHERE reason LIKE 'cannot be read: %' AND NOT EXISTS (SELECT 1 FROM source WHERE rank < 4 "
      "AND (SELECT coalesce(sum(value), 0) FROM json_each(records)) > 0) ORDER BY path LIMIT 1",
      &stmt, err);
  int code = rc == MPG_OK ? sqlite3_step(stmt) : SQLITE_DONE;
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    rc = mpg_private_failure(&s->db, code, err);
  } else if (code == SQLITE_ROW) {
    long long others = sqlite3_column_int64(stmt, 1);
    const char *why = (const char *)sqlite3_column_text(stmt, 0);
    if (why == NULL)
      rc = mpg_fail_nomem(err);
    else if (others == 0)
      rc = mpg_fail(err, MPG_DATA, "%s", why);
    else
      rc = mpg_fail(err, MPG_DATA, "%s (and %lld more that cannot be read)", why, others);
  }
  (void)sqlite3_finalize(stmt);
  return rc;
}

/* That at least one source says who holds chips, or what a job did, and can be read. */
static mpg_rc check_any(mpg_sources *s, mpg_err *err) {
  int64_t n;
  mpg_rc rc = mpg_private_ask(&s->db, "SELECT count(*) FROM source WHERE rank < 4", 0, &n, err);
  if (rc == MPG_OK && s->on_error != MPG_ON_ERROR_NEVER)
    rc = check_read(s, err);
  return rc != MPG_OK || n > 0
             ? rc
             : mpg_fail(err, MPG_DATA,
                        "%s: expected a scheduler's records, a job's log or a native trace, found "
                        "none; trace_sources says what is there",
                        s->path);
}

/* Whether no folder is closed, and every file of the native trace or of nothing known. MPG_DATA:
** none is, and of one it is known what to give instead. */
static mpg_rc native_alone(mpg_conn *host, const mpg_env *env, const mpg_paths *paths, bool *alone,
                           mpg_err *err) {
  mpg_recogniser *recogniser = NULL;
  mpg_rc rc = MPG_OK;
  mpg_err hint = {.rc = MPG_OK};
  bool any = false, fleet = false;
  *alone = true;
  for (size_t i = 0; *alone && i < paths->n_passed; i++)
    *alone = !paths->passed[i].closed;
  if (paths->n == 1 && !paths->from_folder &&
      mpg_may_be_fleet_file(mpg_str_of(paths->file[0].path)))
    rc = mpg_is_fleet_file(env, paths->file[0].path, &fleet, err);
  if (rc != MPG_OK || fleet) {
    *alone = false;
    return rc;
  }
  for (size_t i = 0; rc == MPG_OK && *alone && i < paths->n; i++) {
    mpg_recognised what;
    bool native = false;
    if (mpg_interrupted(env))
      rc = mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    else
      rc = mpg_is_native_file(env, paths->file[i].path, &native, err);
    any |= native;
    if (rc != MPG_OK || native)
      continue;
    if (recogniser == NULL)
      rc = mpg_recogniser_of(host, &recogniser, err);
    if (rc == MPG_OK)
      rc = mpg_recognise(recogniser, env, paths->file[i].path, MPG_STR(""), &what, err);
    if (rc == MPG_OK)
      *alone = what.script == NULL && !what.fleet &&
               (!what.unreadable || mpg_native_ending(paths->file[i].path));
    if (rc == MPG_OK && what.hinted && hint.rc == MPG_OK)
      (void)mpg_fail(&hint, MPG_DATA,
                     "%s: expected a scheduler's records, a job's log or a native trace, found %s",
                     paths->file[i].path, what.reason);
  }
  if (rc == MPG_OK && *alone && !any && hint.rc != MPG_OK) {
    *err = hint;
    rc = hint.rc;
  }
  return rc;
}

static mpg_rc read_sources(mpg_fleet *fleet, mpg_conn *host, const mpg_env *env,
                           const mpg_sources_query *q, mpg_err *err) {
  mpg_sources s;
  mpg_rc rc = open_listed(&s, host, env, q, err);
  if (rc != MPG_OK)
    return rc;
  rc = mpg_sources_run(&s, err);
  if (rc == MPG_OK)
    rc = check_any(&s, err);
  if (rc == MPG_OK && q->told != NULL)
    rc = mpg_sources_tell(&s, q->told, err);
  if (rc == MPG_OK)
    s.db.conn->relations_called = s.path;
  fleet->keep_origins = true; /* it may be kept, and a timeline asked for next */
  if (rc == MPG_OK)
    rc = mpg_relations_read(fleet, s.db.conn, env, "temp", q->on_error != MPG_ON_ERROR_STOP,
                            "its sources", err); /* one record of many is no reason to stop */
  if (rc == MPG_OK)
    rc = mpg_sources_list_issues(&s, err);
  if (rc == MPG_OK && q->told != NULL) {
    s.issues = &q->told->issues;
    rc = mpg_sources_list_issues(&s, err);
  }
  mpg_sources_close(&s);
  return rc;
}

/* Reads files that are listed, unless the path is a fleet's JSON or its file. */
static mpg_rc read_listed(mpg_fleet *fleet, mpg_conn *host, const mpg_env *env,
                          const mpg_sources_query *q, mpg_err *err) {
  bool native = host->host_env != NULL; /* a script's own */
  mpg_rc rc = MPG_OK;
  if (!native && q->listed != NULL)
    rc = native_alone(host, env, q->listed, &native, err);
  if (q->mapped != NULL)
    *q->mapped = !native;
  if (rc == MPG_OK && native && q->only_mapped)
    return MPG_OK;
  if (rc == MPG_OK && native)
    return mpg_native_read(fleet, env, q->path,
                           &(mpg_native_options){.listed = q->listed,
                                                 .skip = q->on_error == MPG_ON_ERROR_SKIP,
                                                 .threads = q->threads},
                           err);
  return rc == MPG_OK ? read_sources(fleet, host, env, q, err) : rc;
}

mpg_rc mpg_sources_fleet(mpg_fleet *fleet, mpg_conn *host, const mpg_env *env,
                         const mpg_sources_query *query, mpg_err *err) {
  mpg_sources_query q = *query;
  mpg_paths listed = {.env = NULL};
  mpg_stream_pool opened;
  mpg_env with_opened = *env;
  mpg_rc rc = MPG_OK;
  if (q.listed == NULL && !(q.path.n > 0 && *q.path.p == '{')) {
    rc = mpg_paths_expand_readable(&listed, env, q.path, err);
    q.listed = &listed;
  }
  mpg_stream_pool_init(&opened, &with_opened);
  with_opened.opened = &opened;
  if (rc == MPG_OK && q.listed != NULL)
    mpg_paths_expect(q.listed, env);
  if (rc == MPG_OK)
    rc = read_listed(fleet, host, &with_opened, &q, err);
  mpg_stream_pool_free(&opened);
  mpg_paths_free(&listed);
  return rc;
}
