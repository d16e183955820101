/*
** source_run.c - see source_run.h: runs the script, collects its relations, and leaves out a file
** that it cannot read.
*/
#include "source_run.h"
#include "source_options.h"
#include "source_parameters.h"
#include "../host.h"
#include "../recognise/fleet_options.h"
#include "../recognise/script.h"

#include <string.h>

static const char *const relations[] = {"capacity",      "outages",       "jobs",     "allocations",
                                        "commits",       "programs",      "observed", "aliases",
                                        "assumed_chips", "program_files", "hosts",    "spans"};
enum { RELATIONS = sizeof relations / sizeof *relations, SPANS = RELATIONS - 1 };

/* ---- relations ---- */

/* Whether no other source is there, and no file that one may yet be made of. */
static mpg_rc is_alone(mpg_sources *s, bool *alone, mpg_err *err) {
  int64_t n;
  mpg_rc rc = mpg_private_ask(&s->db,
                              "SELECT (SELECT count(*) FROM source) + (SELECT count(*) FROM file "
                              "WHERE source IS NULL AND format IS NOT NULL)",
                              0, &n, err);
  *alone = rc == MPG_OK && n == 1;
  return rc;
}

/*
** The large relation of a source that is alone stays where it is, under the name of what has those
** of all sources: temp comes before main. It gets the columns that it lacks.
*/
static mpg_rc keep_relation(mpg_sources *s, const char *relation, mpg_err *err) {
  const long long source = s->source;
  char *query = sqlite3_mprintf(
      "SELECT coalesce((SELECT 'ALTER TABLE temp.%s RENAME TO all_%s;ALTER TABLE temp.all_%s ADD "
      "COLUMN source INTEGER DEFAULT %lld;' || coalesce(lacks || ';', '') || "
      "'UPDATE source SET records = json_set(records, ''$.%s'', (SELECT count(*) FROM all_%s)) "
      "WHERE "
      "source = %lld;' || coalesce(latest, '') FROM (SELECT "
      "(SELECT group_concat('ALTER TABLE temp.all_%s ADD COLUMN ' || name, ';') FROM "
      "pragma_table_info('all_%s', 'main') WHERE name <> 'source' AND name NOT IN (SELECT "
      "lower(name) FROM pragma_table_info('%s', 'temp'))) AS lacks, "
      "group_concat('INSERT INTO own_record SELECT %lld, max(' || name || ') FROM all_%s', ';') "
      "FILTER (WHERE name GLOB '*_time' AND name <> 'until_time') AS latest "
      "FROM pragma_table_info('%s', 'temp'))), '')",
      relation, relation, relation, source, relation, relation, source, relation, relation,
      relation, source, relation, relation);
  mpg_rc rc = query == NULL ? mpg_fail_nomem(err) : mpg_private_run_made(&s->db, query, err);
  sqlite3_free(query);
  return rc;
}

/* Copies a relation that a script has made, if it has, to what has those of all sources, and the
** latest of each of its times to own_record. */
static mpg_rc collect_relation(mpg_sources *s, const char *relation, mpg_err *err) {
  const long long source = s->source;
  char *query = sqlite3_mprintf(
      "SELECT coalesce((SELECT 'INSERT INTO all_%s(source, ' || names || ') SELECT %lld, ' || "
      "names || ' FROM temp.%s; UPDATE source SET records = json_set(records, ''$.%s'', changes()) "
      "WHERE source = %lld;' || coalesce(latest, '') "
      "FROM (SELECT group_concat(name) AS names, "
      "group_concat('INSERT INTO own_record SELECT %lld, max(' || name || ') FROM temp.%s', ';') "
      "FILTER (WHERE name GLOB '*_time' AND name <> 'until_time') AS latest "
      "FROM pragma_table_info('%s', 'temp') WHERE lower(name) IN (SELECT name FROM "
      "pragma_table_info('all_%s', 'main'))) WHERE names IS NOT NULL), '')",
      relation, source, relation, relation, source, source, relation, relation, relation);
  mpg_rc rc = query == NULL ? mpg_fail_nomem(err) : mpg_private_run_made(&s->db, query, err);
  sqlite3_free(query);
  return rc;
}

/* What a script left in the schema temp under the name of a relation. */
typedef enum made { NOTHING, TABLE, VIEW } made;

/* Whether a relation is a table that is better kept than copied: to alter a table, SQLite compiles
** all of the schema again, which takes as long as some thousand rows. */
static mpg_rc is_large(mpg_sources *s, const char *relation, made kind, bool *large, mpg_err *err) {
  int64_t n = 0;
  char *query = sqlite3_mprintf("SELECT 1 FROM temp.%s LIMIT 1 OFFSET 1000", relation);
  mpg_rc rc = query == NULL   ? mpg_fail_nomem(err)
              : kind == TABLE ? mpg_private_ask(&s->db, query, 0, &n, err)
                              : MPG_OK;
  sqlite3_free(query);
  *large = n > 0;
  return rc;
}

/* Spans are a table of the source's own: the script's, if they are many. */
static mpg_rc collect_spans(mpg_sources *s, made kind, mpg_err *err) {
  const long long source = s->source;
  bool large;
  mpg_rc rc = is_large(s, "spans", kind, &large, err);
  if (rc == MPG_OK && large)
    rc = mpg_private_do(&s->db, err, "ALTER TABLE temp.spans RENAME TO spans_of_%lld", source);
  else if (rc == MPG_OK && kind != NOTHING)
    rc = mpg_private_do(&s->db, err, "CREATE TEMP TABLE spans_of_%lld AS SELECT * FROM temp.spans",
                        source);
  if (rc == MPG_OK && kind != NOTHING)
    rc = mpg_private_do(&s->db, err,
                        "UPDATE source SET records = json_set(records, '$.spans', (SELECT count(*) "
                        "FROM temp.spans_of_%lld)) WHERE source = %lld",
                        source, source);
  return rc;
}

/* What a script leaves in temp besides spans and the user's tables. */
static mpg_rc clear_temp(mpg_sources *s, mpg_err *err) {
  return mpg_private_run_made(
      &s->db,
      "SELECT coalesce(group_concat('DROP ' || type || ' temp.\"' || name || '\"', ';'), '') FROM "
      "(SELECT type, name FROM sqlite_temp_schema WHERE type IN ('table', 'view') AND name NOT "
      "LIKE "
      "'spans\\_of\\_%' ESCAPE '\\' AND name NOT GLOB 'all_*' AND name NOT LIKE 'sqlite\\_%' "
      "ESCAPE '\\' AND name NOT IN "
      "(SELECT name FROM user_table) ORDER BY type DESC)",
      err);
}

static mpg_rc note_made(void *ctx, sqlite3_stmt *stmt, mpg_err *err) {
  made *found = ctx;
  const char *name = (const char *)sqlite3_column_text(stmt, 0);
  if (name == NULL)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < RELATIONS; i++)
    if (sqlite3_stricmp(name, relations[i]) == 0)
      found[i] = sqlite3_column_int(stmt, 1) ? VIEW : TABLE;
  return MPG_OK;
}

static mpg_rc keep_if_large(mpg_sources *s, const char *relation, made kind, mpg_err *err) {
  bool large;
  mpg_rc rc = is_large(s, relation, kind, &large, err);
  if (rc != MPG_OK)
    return rc;
  return large ? keep_relation(s, relation, err) : collect_relation(s, relation, err);
}

static mpg_rc collect_relations(mpg_sources *s, mpg_err *err) {
  made found[RELATIONS] = {NOTHING};
  bool alone = false;
  mpg_rc rc = mpg_private_run(&s->db,
                              "SELECT name, type = 'view' FROM sqlite_temp_schema WHERE type IN "
                              "('table', 'view')",
                              NULL, found, note_made, err);
  if (rc == MPG_OK)
    rc = is_alone(s, &alone, err);
  for (size_t i = 0; rc == MPG_OK && i < SPANS; i++)
    if (found[i] != NOTHING)
      rc = alone ? keep_if_large(s, relations[i], found[i], err)
                 : collect_relation(s, relations[i], err);
  return rc == MPG_OK ? collect_spans(s, found[SPANS], err) : rc;
}

static mpg_rc collect_all(mpg_sources *s, const mpg_script *script, mpg_err *err) {
  mpg_rc rc = collect_relations(s, err);
  if (rc == MPG_OK)
    rc = mpg_source_apply_options(s, script, err);
  return rc == MPG_OK ? clear_temp(s, err) : rc;
}

/* What the script found of its files that a user should know: it leaves it in temp.source_told. */
static mpg_rc tell_of_files(mpg_sources *s, mpg_err *err) {
  char *query = sqlite3_mprintf(
      "SELECT iif(EXISTS (SELECT 1 FROM sqlite_temp_schema WHERE name = 'source_told'), "
      "group_concat('UPDATE file SET inferred = json_set(inferred, ''$.'' || t.what, t.told) FROM "
      "temp.source_told AS t WHERE source = %lld AND t.' || value || ' = file.' || value, ';'), "
      "'') "
      "FROM json_each('[\"path\", \"parameter\"]')",
      (long long)s->source);
  mpg_rc rc = query == NULL ? mpg_fail_nomem(err) : mpg_private_run_made(&s->db, query, err);
  sqlite3_free(query);
  return rc;
}

/* Files that no format claims and that the script read beside its own: it leaves their paths in
** temp.read_beside. */
static mpg_rc claim_read_beside(mpg_sources *s, const char *format, mpg_err *err) {
  char *query = sqlite3_mprintf(
      "SELECT iif(EXISTS (SELECT 1 FROM sqlite_temp_schema WHERE name = 'read_beside'), "
      "'UPDATE file SET source = %lld, format = ''%q'', certainty = ''sure'', reason = "
      "''read with the files that it belongs to'' WHERE format IS NULL AND source IS NULL AND path "
      "IN (SELECT path FROM temp.read_beside)', '')",
      (long long)s->source, format);
  mpg_rc rc = query == NULL ? mpg_fail_nomem(err) : mpg_private_run_made(&s->db, query, err);
  sqlite3_free(query);
  return rc;
}

/* Of a table function: what the mapping left is copied, unless it filled tables that stay. */
static mpg_rc gather_made(mpg_sources *s, mpg_err *err) {
  mpg_rc rc = mpg_private_run_made(&s->db, mpg_script_find("sources/gather")->sql, err);
  return rc == MPG_OK ? clear_temp(s, err) : rc;
}

/* ---- a file that is a database ---- */

mpg_str mpg_source_attached(const mpg_script *script, mpg_str *parameter) {
  const char *at = script->heads;
  mpg_str name = MPG_STR("");
  mpg_head head;
  *parameter = MPG_STR("");
  while ((head = mpg_head_next(&at)).kind != MPG_HEAD_END)
    if (head.kind == MPG_HEAD_ATTACH)
      name = head.text;
    else if (head.kind == MPG_HEAD_INPUT && mpg_str_eq(head.how, MPG_STR("tables")))
      *parameter = head.parameter;
  return name;
}

/* The one file of the source as a URI, if it is a database; NULL: it is read by its path. */
static mpg_rc database_uri(mpg_sources *s, mpg_str parameter, char **uri, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  mpg_rc rc = mpg_private_prepare(
      &s->db, "SELECT path FROM file WHERE source = ?1 AND parameter = ?2", &stmt, err);
  int code = SQLITE_DONE;
  *uri = NULL;
  if (rc == MPG_OK)
    code = sqlite3_bind_int64(stmt, 1, s->source);
  if (rc == MPG_OK && code == SQLITE_OK)
    code = sqlite3_bind_text(stmt, 2, parameter.p, (int)parameter.n, SQLITE_STATIC);
  if (rc == MPG_OK && code == SQLITE_OK)
    code = sqlite3_step(stmt);
  if (code == SQLITE_ROW) {
    const char *path = (const char *)sqlite3_column_text(stmt, 0);
    *uri = path == NULL ? NULL : mpg_database_uri(path);
    rc = *uri == NULL ? mpg_fail_nomem(err) : MPG_OK;
  } else if (rc == MPG_OK && code != SQLITE_DONE) {
    rc = mpg_private_failure(&s->db, code, err);
  }
  (void)sqlite3_finalize(stmt);
  return rc;
}

/* The scripts that the head says run before it. */
static mpg_rc run_used(mpg_sources *s, const mpg_script *script, mpg_err *err) {
  const char *at = script->heads;
  const mpg_script *used;
  mpg_rc rc = MPG_OK;
  while (rc == MPG_OK && (used = mpg_script_next_used(&at)) != NULL)
    rc = mpg_private_run(&s->db, used->sql, mpg_source_bind, s, NULL, err);
  return rc;
}

/* What the schema of a file that is attached says may use nothing that is unsafe. */
static mpg_rc run_attached(mpg_sources *s, const mpg_script *script, mpg_err *err) {
  mpg_str parameter;
  const mpg_str name = mpg_source_attached(script, &parameter);
  char *uri = NULL;
  mpg_err ignored;
  mpg_rc rc = s->table == NULL ? run_used(s, script, err) : MPG_OK; /* table_run.c runs a table's */
  if (rc == MPG_OK && name.n > 0)
    rc = database_uri(s, parameter, &uri, err);
  if (rc == MPG_OK && uri != NULL) {
    (void)sqlite3_db_config(s->db.db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    rc = mpg_private_do(&s->db, err, "ATTACH %Q AS \"%.*s\"", uri, (int)name.n, name.p);
  }
  if (rc == MPG_OK)
    rc = mpg_private_run(&s->db, script->sql, mpg_source_bind, s, NULL, err);
  if (uri != NULL && rc == MPG_OK)
    rc = mpg_private_do(&s->db, err, "DETACH \"%.*s\"", (int)name.n, name.p);
  else if (uri != NULL)
    (void)mpg_private_do(&s->db, &ignored, "DETACH \"%.*s\"", (int)name.n, name.p);
  sqlite3_free(uri);
  return rc;
}

/* ---- files that cannot be read ---- */

/* Takes the file that the error names first out of the source; false: it names none. */
static bool leave_out(mpg_sources *s, const mpg_err *why, mpg_err *err, mpg_rc *rc) {
  sqlite3_stmt *stmt = NULL;
  sqlite3_int64 file = 0;
  const char *path;
  int code;
  *rc = mpg_private_prepare(
      &s->db,
      "SELECT file, path FROM file WHERE source = ?1 AND instr(?2, path) > 0 ORDER BY "
      "instr(?2, path), length(path) DESC LIMIT 1",
      &stmt, err);
  if (*rc != MPG_OK)
    return false;
  code = sqlite3_bind_int64(stmt, 1, s->source);
  if (code == SQLITE_OK)
    code = sqlite3_bind_text(stmt, 2, why->text, -1, SQLITE_STATIC);
  if (code == SQLITE_OK)
    code = sqlite3_step(stmt);
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    *rc = mpg_private_failure(&s->db, code, err);
  if (code == SQLITE_ROW) {
    file = sqlite3_column_int64(stmt, 0);
    path = (const char *)sqlite3_column_text(stmt, 1);
    *rc = path == NULL ? MPG_NOMEM
                       : mpg_issues_add(&s->db.conn->issues, MPG_DATA_LOSS, path, "unreadable_file",
                                        0, 1, "%s", why->text);
    if (*rc != MPG_OK)
      *rc = mpg_fail_nomem(err);
  }
  (void)sqlite3_finalize(stmt);
  if (file != 0 && *rc == MPG_OK) {
    char *reason = sqlite3_mprintf("cannot be read: %s", why->text);
    *rc = reason == NULL
              ? mpg_fail_nomem(err)
              : mpg_private_do(&s->db, err,
                               "UPDATE file SET source = NULL, certainty = NULL, reason = "
                               "%Q, format = NULL WHERE file = %lld",
                               reason, (long long)file);
    sqlite3_free(reason);
  }
  return file != 0;
}

static const char needs_option[] = "expected the option \"%.*s\", which a fleet file gives";

/* Takes every file out of a source that cannot be read as a whole: it lacks one of another kind. If
** it lacks an option that only some of its files do not tell, those alone. */
static mpg_rc leave_out_all(mpg_sources *s, const mpg_err *why, mpg_err *err) {
  const long long source = s->source;
  char *reason = sqlite3_mprintf("cannot be read: %s", why->text);
  char *option = sqlite3_mprintf(needs_option, 2, "%s");
  mpg_rc rc =
      reason == NULL || option == NULL
          ? mpg_fail_nomem(err)
          : mpg_private_do(&s->db, err,
                           "CREATE TEMP TABLE to_leave_out AS SELECT file, path, EXISTS (SELECT 1 "
                           "FROM json_each(missing) WHERE printf(%Q, value) = %Q) AS lacks "
                           "FROM file WHERE source = %lld; "
                           "DELETE FROM temp.to_leave_out WHERE NOT lacks AND (SELECT max(lacks) "
                           "FROM temp.to_leave_out); "
                           "INSERT INTO mpg_issues(source, severity, kind, line, count, "
                           "detail) SELECT path, 'data_loss', 'unreadable_file', NULL, 1, %Q "
                           "FROM temp.to_leave_out; UPDATE file SET source = NULL, reason = %Q "
                           "WHERE file IN (SELECT file FROM temp.to_leave_out)",
                           option, why->text, source, why->text, reason);
  sqlite3_free(reason);
  sqlite3_free(option);
  return rc;
}

/* Whether the source still has a file. */
static mpg_rc has_files(mpg_sources *s, bool *any, mpg_err *err) {
  int64_t n;
  mpg_rc rc =
      mpg_private_ask(&s->db, "SELECT count(*) FROM file WHERE source = ?1", s->source, &n, err);
  *any = n > 0;
  return rc;
}

/* Whether one bad file leaves the others. */
static mpg_rc stops_at_error(mpg_sources *s, bool *stop, mpg_err *err) {
  int64_t n;
  mpg_rc rc = mpg_private_ask(&s->db, "SELECT count(*) FROM file", 0, &n, err);
  *stop = s->on_error == MPG_ON_ERROR_STOP || (s->on_error != MPG_ON_ERROR_NEVER && n < 2);
  return rc;
}

/* The error, if it names no file with the first of the source, or of those that lack the option. */
static mpg_rc fail_with_file(mpg_sources *s, const mpg_err *why, mpg_err *err) {
  static const char sql[] =
      "SELECT path FROM file WHERE source = ?1 AND NOT EXISTS (SELECT 1 FROM file WHERE source = "
      "?1 AND instr(?2, path) > 0) ORDER BY NOT EXISTS (SELECT 1 FROM json_each(missing) WHERE "
      "instr(?2, '\"' || value || '\"')), path LIMIT 1";
  sqlite3_stmt *stmt = NULL;
  const char *path = NULL;
  if (mpg_private_prepare(&s->db, sql, &stmt, err) == MPG_OK &&
      sqlite3_bind_int64(stmt, 1, s->source) == SQLITE_OK &&
      sqlite3_bind_text(stmt, 2, why->text, -1, SQLITE_STATIC) == SQLITE_OK &&
      sqlite3_step(stmt) == SQLITE_ROW)
    path = (const char *)sqlite3_column_text(stmt, 0);
  if (path == NULL)
    *err = *why;
  else
    (void)mpg_fail(err, why->rc, "%s: %.900s", path, why->text);
  (void)sqlite3_finalize(stmt);
  return why->rc;
}

/* Leaves out what the error is about, or if it names no file the whole source. */
static mpg_rc leave_out_error(mpg_sources *s, mpg_err *err) {
  const mpg_err why = *err;
  bool stop;
  mpg_rc rc = stops_at_error(s, &stop, err);
  if (rc != MPG_OK)
    return rc;
  if (stop)
    return fail_with_file(s, &why, err);
  if (!leave_out(s, &why, err, &rc) && rc == MPG_OK)
    rc = leave_out_all(s, &why, err);
  return rc == MPG_OK ? clear_temp(s, err) : rc;
}

/* A file of the script's format that goes to the parameter, of another source: its path, owned by
** SQLite's allocator, or NULL. */
static char *file_of_another(mpg_sources *s, const char *format, mpg_str parameter) {
  static const char sql[] = "SELECT min(path) FROM file WHERE format = ?1 AND parameter = ?2 AND "
                            "source <> ?3 AND source IS NOT NULL";
  sqlite3_stmt *stmt = NULL;
  mpg_err ignored;
  char *path = NULL;
  if (mpg_private_prepare(&s->db, sql, &stmt, &ignored) == MPG_OK &&
      sqlite3_bind_text(stmt, 1, format, -1, SQLITE_STATIC) == SQLITE_OK &&
      sqlite3_bind_text(stmt, 2, parameter.p, (int)parameter.n, SQLITE_STATIC) == SQLITE_OK &&
      sqlite3_bind_int64(stmt, 3, s->source) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW &&
      sqlite3_column_type(stmt, 0) != SQLITE_NULL)
    path = mpg_host_copy_text(stmt, 0);
  (void)sqlite3_finalize(stmt);
  return path;
}

/* A script says which of its parameters was not set (mpg_required). Here it is a file that is not
** beside the others, or an option that the fleet file does not give. */
static void say_what_is_missing(mpg_sources *s, const mpg_script *script, mpg_err *err) {
  static const char said[] = "mpg_required: expected a value for :";
  const char *format = strrchr(script->name, '/') + 1, *at = script->heads;
  const mpg_err plain = *err;
  const char *found = strstr(plain.text, said);
  bool is_input = false;
  char *other;
  mpg_str name;
  mpg_head head;
  if (found == NULL)
    return;
  found += sizeof said - 1;
  name = (mpg_str){found, strcspn(found, ",")};
  while ((head = mpg_head_next(&at)).kind != MPG_HEAD_END)
    is_input |= head.kind == MPG_HEAD_INPUT && mpg_str_eq(head.parameter, name);
  other = is_input ? file_of_another(s, format, name) : NULL;
  if (other != NULL)
    (void)mpg_fail(err, err->rc,
                   "expected a file of %s for \"%.*s\" with the same options, found %.500s with "
                   "others: give both the same in the fleet file",
                   format, (int)name.n, name.p, other);
  else if (is_input)
    (void)mpg_fail(
        err, err->rc,
        "expected a file of %s for \"%.*s\" beside it, found none; trace_sources says what "
        "the others are",
        format, (int)name.n, name.p);
  else
    (void)mpg_fail(err, err->rc, needs_option, (int)name.n, name.p);
  sqlite3_free(other);
}

mpg_rc mpg_source_run(mpg_sources *s, const char *format, mpg_err *err) {
  char name[64];
  const mpg_script *script;
  bool any;
  mpg_rc rc;
  (void)sqlite3_snprintf((int)sizeof name, name, "%s/%s",
                         strcmp(format, "native") == 0 ? "sources" : "formats", format);
  script = s->table != NULL && mpg_script_declares(s->table->script, MPG_HEAD_READS, name)
               ? s->table->script
               : mpg_script_find(name);
  s->counts = mpg_script_counts(script);
  while ((rc = has_files(s, &any, err)) == MPG_OK && any) {
    mpg_source_forget(s);
    rc = run_attached(s, script, err);
    if (rc == MPG_DATA)
      say_what_is_missing(s, script, err);
    if (rc == MPG_OK)
      rc = claim_read_beside(s, format, err);
    if (rc == MPG_OK && s->table == NULL)
      rc = tell_of_files(s, err);
    if (rc == MPG_OK)
      return s->table == NULL ? collect_all(s, script, err) : gather_made(s, err);
    if (rc == MPG_DATA || rc == MPG_IO || rc == MPG_LIMIT)
      rc = leave_out_error(s, err);
    if (rc != MPG_OK)
      return rc;
  }
  return rc;
}
