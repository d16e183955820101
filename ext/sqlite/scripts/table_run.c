/* table_run.c - see table_run.h. */
#include "table_run.h"
#include "../../read/input/stream.h"
#include "source_parameters.h"
#include "source_run.h"
#include "../../read/input/paths.h"
#include "../host.h"

#include <string.h>

/* ---- scripts ---- */

/* Whether files of the script's format come to the tables of `filled`, which may be itself. */
static bool is_mapping_of(const mpg_script *script, const mpg_script *filled) {
  return mpg_script_declares(script, MPG_HEAD_INPUT, NULL) &&
         (script == filled || mpg_script_declares(script, MPG_HEAD_FILLS, filled->name) ||
          mpg_script_declares(filled, MPG_HEAD_READS, script->name));
}

/* Whether the script itself runs for files, and leaves its relations for each source. */
static bool runs_for_files(const mpg_script *script) {
  return mpg_script_declares(script, MPG_HEAD_INPUT, NULL) ||
         mpg_script_declares(script, MPG_HEAD_READS, NULL);
}

/* Whether a script, or one that it uses, is filled by files of `format`. */
static bool reads_format(const mpg_script *script, const mpg_script *format) {
  const char *at = script->heads;
  const mpg_script *used = script;
  while (used != NULL && !is_mapping_of(format, used))
    used = mpg_script_next_used(&at);
  return used != NULL;
}

/* Makes sources of the files of one format, with a rank of their own. */
static mpg_rc make_sources(mpg_sources *s, const mpg_script *format, int rank, mpg_err *err) {
  const char *name = strrchr(format->name, '/') + 1;
  /* Of a profiler each file is one, of a trainer those that are databases. */
  const bool each = mpg_script_declares(format, MPG_HEAD_ATTACH, NULL) &&
                    !mpg_script_declares(format, MPG_HEAD_SOURCE, NULL);
  mpg_str database;
  /* An export of all metrics has those of Kubernetes and those of chips. */
  mpg_rc rc = strcmp(name, "dcgm") != 0
                  ? MPG_OK
                  : mpg_private_do_text(&s->db,
                                        "UPDATE file SET format = 'dcgm', parameter = 'prometheus' "
                                        "WHERE parameter = 'kube_state' AND certainty <> 'given'",
                                        err);
  if (rc != MPG_OK)
    return rc;
  (void)mpg_source_attached(format, &database);
  return mpg_private_do(
      &s->db, err,
      "INSERT OR IGNORE INTO source(format, rank, options, records, alone) SELECT DISTINCT format, "
      "%d, options, '{}', iif(%d OR parameter = '%.*s', path, NULL) FROM file WHERE format = %Q "
      "AND "
      "reason NOT LIKE 'cannot be read:%%' ORDER BY entry, path;"
      "UPDATE file SET source = o.source FROM source AS o WHERE file.reason NOT LIKE 'cannot be "
      "read:%%' AND o.format = %Q AND o.format = file.format AND o.options = file.options AND "
      "o.alone IS iif(%d OR file.parameter = '%.*s', file.path, NULL)",
      rank, each, (int)database.n, database.p, name, name, each, (int)database.n, database.p);
}

/* What a script over files leaves in temp is not cleared after each mapping. */
static mpg_rc keep_tables(mpg_sources *s, mpg_err *err) {
  return mpg_private_do_text(&s->db,
                             "CREATE TABLE IF NOT EXISTS user_table(name);"
                             "INSERT INTO user_table SELECT name FROM sqlite_temp_schema WHERE "
                             "name NOT IN (SELECT name FROM user_table)",
                             err);
}

static mpg_rc run_alone(mpg_sources *s, const mpg_script *script, int *rank, mpg_err *err) {
  bool filled = false;
  mpg_rc rc = MPG_OK;
  mpg_source_forget(s);
  if (!runs_for_files(script))
    rc = mpg_private_run(&s->db, script->sql, mpg_source_bind, s, NULL, err);
  if (rc == MPG_OK && s->table->files)
    rc = keep_tables(s, err);
  for (size_t i = 0; rc == MPG_OK && s->table->files && i < mpg_scripts_count; i++)
    if (is_mapping_of(&mpg_scripts[i], script)) {
      rc = make_sources(s, &mpg_scripts[i], *rank, err);
      filled = true;
    }
  if (rc == MPG_OK && filled)
    rc = mpg_sources_run_ranks(s, *rank, *rank, err);
  *rank += filled;
  return rc;
}

static mpg_rc run_script(mpg_sources *s, const mpg_script *script, int *rank, mpg_err *err) {
  const char *at = script->heads;
  const mpg_script *used;
  mpg_rc rc = MPG_OK;
  while (rc == MPG_OK && (used = mpg_script_next_used(&at)) != NULL)
    rc = run_alone(s, used, rank, err);
  return rc == MPG_OK ? run_alone(s, script, rank, err) : rc;
}

/* ---- rows ---- */

static void append_columns(sqlite3_str *sql, const mpg_table_shape *shape, bool types) {
  for (int i = 0; i < shape->ncolumns; i++) {
    const mpg_head *c = &shape->columns[i];
    sqlite3_str_appendf(sql, "%s\"%.*s\"", i > 0 ? ", " : "", (int)c->name.n, c->name.p);
    if (types)
      sqlite3_str_appendf(sql, " %.*s", (int)c->type.n, c->type.p);
  }
}

/*
** A relation that a mapping leaves is gathered in the table gathered_RELATION, for several sources
** leave it (sql/sources/gather.sql). A script that is filled by mappings makes its tables itself.
*/
static mpg_rc make_gathering(mpg_sources *s, mpg_err *err) {
  const mpg_table_shape *shape = s->table;
  sqlite3_str *sql = sqlite3_str_new(s->db.db);
  char *text;
  mpg_rc rc;
  sqlite3_str_appendf(sql, "CREATE TABLE \"gathered_%.*s\"(", (int)shape->relation.n,
                      shape->relation.p);
  append_columns(sql, shape, true);
  sqlite3_str_appendall(sql, ")");
  text = sqlite3_str_finish(sql);
  rc = text == NULL ? mpg_fail_nomem(err) : mpg_private_do_text(&s->db, text, err);
  sqlite3_free(text);
  return rc;
}

static mpg_rc prepare_rows(mpg_sources *s, sqlite3_stmt **rows, mpg_err *err) {
  const mpg_table_shape *shape = s->table;
  const bool gathered = runs_for_files(shape->script);
  sqlite3_str *sql = sqlite3_str_new(s->db.db);
  char *text;
  mpg_rc rc;
  sqlite3_str_appendall(sql, "SELECT ");
  append_columns(sql, shape, false);
  sqlite3_str_appendf(sql, " FROM %s%.*s\"", gathered ? "main.\"gathered_" : "temp.\"",
                      (int)shape->relation.n, shape->relation.p);
  text = sqlite3_str_finish(sql);
  rc = text == NULL ? mpg_fail_nomem(err) : mpg_private_prepare(&s->db, text, rows, err);
  sqlite3_free(text);
  return rc;
}

/* ---- all of it ---- */

static mpg_rc on_error_of(const mpg_table_shape *shape, sqlite3_value *const *arguments,
                          mpg_on_error *out, mpg_err *err) {
  const int i = mpg_table_shape_argument(shape, "on_error");
  return mpg_on_error_read(i < 0 ? NULL : arguments[i], MPG_ON_ERROR_DEFAULT, out, err);
}

/* The formats that a table reads, for an error: "kineto, nsys, xplane". */
static char *formats_of(const mpg_table_shape *shape) {
  sqlite3_str *list = sqlite3_str_new(NULL);
  for (size_t i = 0; i < mpg_scripts_count; i++)
    if (reads_format(shape->script, &mpg_scripts[i]))
      sqlite3_str_appendf(list, "%s%s", sqlite3_str_length(list) > 0 ? ", " : "",
                          strrchr(mpg_scripts[i].name, '/') + 1);
  return sqlite3_str_finish(list);
}

/* That at least one file is of a format that the table reads, and that one can be read. */
static mpg_rc check_any(mpg_sources *s, mpg_err *err) {
  char *formats, *why = NULL;
  sqlite3_stmt *stmt = NULL;
  int code;
  mpg_rc rc = mpg_private_prepare(
      &s->db,
      "SELECT CASE WHEN sum(source IS NOT NULL) > 0 THEN NULL ELSE coalesce((SELECT "
      "iif(instr(reason, path) = 0, path || ': ', '') || substr(reason, 17) || iif(count(*) OVER "
      "() > 1, ' (and ' || (count(*) OVER () - 1) || ' more that cannot be read)', '') FROM "
      "file WHERE reason LIKE 'cannot be read: %' ORDER BY path LIMIT 1), '') END FROM file",
      &stmt, err);
  if (rc == MPG_OK && (code = sqlite3_step(stmt)) != SQLITE_ROW)
    rc = mpg_private_failure(&s->db, code, err);
  if (rc == MPG_OK && sqlite3_column_type(stmt, 0) != SQLITE_NULL &&
      (why = mpg_host_copy_text(stmt, 0)) == NULL)
    rc = mpg_fail_nomem(err);
  (void)sqlite3_finalize(stmt);
  if (rc != MPG_OK || why == NULL)
    return rc;
  if (*why != '\0') {
    rc = mpg_fail(err, MPG_DATA, "%s", why);
  } else {
    formats = formats_of(s->table);
    rc = formats == NULL
             ? mpg_fail_nomem(err)
             : mpg_fail(err, MPG_DATA,
                        "%s: expected a file of %s %s, found none; "
                        "trace_sources says what is there",
                        s->path, strchr(formats, ',') == NULL ? "the format" : "one of the formats",
                        formats);
    sqlite3_free(formats);
  }
  sqlite3_free(why);
  return rc;
}

/* Of a script that gives its paths to readers: forgets what the host lists of these files. */
static mpg_rc forget_issues(mpg_sources *s, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  for (int i = 0; rc == MPG_OK && i < s->table->required; i++) {
    mpg_paths paths;
    rc = mpg_paths_expand(&paths, s->env, mpg_value_of(s->arguments[i]).s, err);
    if (rc != MPG_OK)
      break;
    for (size_t k = 0; rc == MPG_OK && k < paths.n; k++)
      rc = mpg_sources_forget(s, paths.file[k].path, err);
    mpg_paths_free(&paths);
  }
  return rc;
}

static mpg_rc open_run(mpg_sources *s, const mpg_table_question *q, mpg_err *err) {
  mpg_on_error on_error;
  mpg_rc rc = on_error_of(q->shape, q->arguments, &on_error, err);
  if (rc != MPG_OK)
    return rc;
  if (q->shape->files) {
    rc = mpg_sources_open(s, q->host, q->env, mpg_value_of(q->arguments[0]).s, on_error, err);
    if (rc == MPG_OK)
      rc = mpg_source_prepare(s, err);
  } else {
    s->host = q->host;
    s->issues = &q->host->issues;
    s->env = q->env;
    rc = mpg_private_open(&s->db, q->host, q->env, err);
    if (rc == MPG_OK)
      s->db.conn->skip_errors = on_error == MPG_ON_ERROR_SKIP;
  }
  s->table = q->shape;
  s->arguments = q->arguments;
  s->reported = q->reported;
  return rc;
}

mpg_rc mpg_table_run(mpg_sources *s, const mpg_table_question *q, sqlite3_stmt **rows,
                     mpg_err *err) {
  const mpg_script *script = q->shape->script;
  int rank = 0;
  mpg_rc rc;
  memset(s, 0, sizeof *s);
  rc = open_run(s, q, err);
  if (rc == MPG_OK && runs_for_files(script))
    rc = make_gathering(s, err);
  if (rc == MPG_OK && !q->shape->files)
    rc = forget_issues(s, err);
  if (rc == MPG_OK)
    rc = run_script(s, script, &rank, err);
  if (rc == MPG_OK && q->shape->files)
    rc = check_any(s, err);
  if (rc == MPG_OK && q->shape->files)
    rc = mpg_private_run_made(&s->db, mpg_script_find("sources/no_trace")->sql, err);
  if (rc == MPG_OK)
    rc = mpg_sources_list_issues(s, err);
  if (rc == MPG_OK)
    rc = prepare_rows(s, rows, err);
  if (rc != MPG_OK)
    mpg_sources_close(s);
  return rc;
}
