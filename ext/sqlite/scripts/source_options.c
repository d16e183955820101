/* source_options.c - see source_options.h. */
#include "source_options.h"
#include "../host.h"
#include "../recognise/fleet_options.h"

#include <string.h>

/* What options say of all jobs and pools of a source. */
enum { OF_JOBS = 1, OF_POOLS = 2, OF_CHIPS = 4 };

static mpg_rc read_options(mpg_sources *s, int64_t *of, mpg_err *err) {
  return mpg_private_ask(
      &s->db,
      "SELECT coalesce(max(key IN (SELECT key FROM of_jobs)) + 2 * max(key = 'pool') + 4 * max(key "
      "= 'chip'), 0) FROM source, json_each(options) WHERE source = ?1 AND "
      "value IS NOT NULL",
      s->source, of, err);
}

mpg_rc mpg_source_apply_options(mpg_sources *s, const mpg_script *script, mpg_err *err) {
  static const char *const of_pools[] = {"capacity", "outages", "allocations", "observed"};
  int64_t of;
  mpg_rc rc = read_options(s, &of, err);
  if (rc == MPG_OK && (of & OF_JOBS) != 0)
    rc = mpg_private_do(&s->db, err,
                        "UPDATE all_jobs SET "
                        "phase = coalesce(json_extract(o.options, '$.phase'), phase), "
                        "framework = coalesce(json_extract(o.options, '$.framework'), framework), "
                        "runtime = coalesce(json_extract(o.options, '$.runtime'), runtime), "
                        "model = coalesce(json_extract(o.options, '$.model'), model), "
                        "owner = coalesce(json_extract(o.options, '$.owner'), owner), "
                        "name = coalesce(json_extract(o.options, '$.name'), name), "
                        "priority = coalesce(json_extract(o.options, '$.priority'), priority) "
                        "FROM source AS o WHERE o.source = %lld AND all_jobs.source = o.source",
                        (long long)s->source);
  /* A script that has no parameter of that name leaves the option to us. */
  if ((of & OF_POOLS) != 0 && strstr(script->sql, ":pool") == NULL)
    for (size_t i = 0; rc == MPG_OK && i < sizeof of_pools / sizeof *of_pools; i++)
      rc = mpg_private_do(&s->db, err,
                          "UPDATE all_%s SET pool = json_extract(o.options, '$.pool') "
                          "FROM source AS o WHERE o.source = %lld AND all_%s.source = o.source",
                          of_pools[i], (long long)s->source, of_pools[i]);
  if (rc == MPG_OK && (of & OF_CHIPS) != 0 && strstr(script->sql, ":chip,") == NULL &&
      strstr(script->sql, ":chip ") == NULL)
    rc = mpg_private_do(&s->db, err,
                        "UPDATE all_capacity SET chip = json_extract(o.options, '$.chip') "
                        "FROM source AS o WHERE o.source = %lld AND all_capacity.source = o.source",
                        (long long)s->source);
  return rc;
}

/* ---- options that have no effect ---- */

/* Each option that is given, with each format of its source's files; a scheduler's are of many
** jobs, and their option `job` says nothing. */
static const char given_options[] =
    "SELECT DISTINCT f.entry, o.key, f.format, r.rank = 1, o.type = 'text' FROM file AS f JOIN "
    "json_each(f.options) "
    "AS o LEFT JOIN format_rank AS r USING (format) WHERE f.format IS NOT NULL AND o.value IS NOT "
    "NULL";

static const char made[] = "CREATE TABLE option_use(entry INTEGER, key TEXT, format TEXT, used "
                           "INTEGER);"
                           "CREATE TABLE entry_place(entry INTEGER PRIMARY KEY, line INTEGER)";

static const char told[] =
    "INSERT INTO mpg_issues(source, severity, kind, line, count, detail) "
    "SELECT %Q, 'warning', 'unused_option', line, 1, 'source ' || (entry + 1) || ': option \"' || "
    "key || '\" says nothing of files of ' || formats || ': it is not used' FROM (SELECT entry, "
    "key, group_concat(format, ', ') AS formats FROM option_use GROUP BY entry, key HAVING "
    "max(used) = 0) JOIN entry_place USING (entry);"
    "INSERT INTO mpg_issues(source, severity, kind, line, count, detail) "
    "SELECT %Q, 'warning', 'unused_option', line, 1, 'source ' || (entry + 1) || ': its files are "
    "those of sources before it: its options are not used. Name it before them' FROM entry_place "
    "WHERE entry NOT IN (SELECT entry FROM file);"
    "DROP TABLE option_use; DROP TABLE entry_place";

static bool is_used(const char *format, const char *key, bool scheduler, bool text) {
  char name[64];
  const mpg_script *script;
  if (mpg_str_eq(mpg_str_of(key), MPG_STR("job")))
    return !scheduler;
  if (mpg_is_general_option(mpg_str_of(key)))
    return true;
  (void)sqlite3_snprintf((int)sizeof name, name, "formats/%s", format);
  script = mpg_script_find(name);
  if (script == NULL ||
      (mpg_str_eq(mpg_str_of(key), MPG_STR("chips")) && mpg_script_counts(script) != text))
    return false;
  return mpg_script_has_option(script, mpg_str_of(key));
}

static mpg_rc note_option(void *ctx, sqlite3_stmt *stmt, mpg_err *err) {
  mpg_sources *s = ctx;
  const char *key = (const char *)sqlite3_column_text(stmt, 1);
  const char *format = (const char *)sqlite3_column_text(stmt, 2);
  if (key == NULL || format == NULL)
    return mpg_fail_nomem(err);
  return mpg_private_do(
      &s->db, err, "INSERT INTO option_use VALUES (%lld, %Q, %Q, %d)",
      sqlite3_column_int64(stmt, 0), key, format,
      is_used(format, key, sqlite3_column_int(stmt, 3) != 0, sqlite3_column_int(stmt, 4) != 0));
}

mpg_rc mpg_sources_list_unused(mpg_sources *s, mpg_err *err) {
  const char *name = s->entries.fleet_file == NULL ? s->path : s->entries.fleet_file;
  mpg_rc rc;
  if (!s->entries.of_fleet)
    return MPG_OK;
  rc = mpg_private_do_text(&s->db, made, err);
  for (size_t i = 0; rc == MPG_OK && i < s->entries.n; i++)
    rc = mpg_private_do(&s->db, err, "INSERT INTO entry_place VALUES (%lld, %lld)", (long long)i,
                        (long long)s->entries.entry[i].line);
  if (rc == MPG_OK)
    rc = mpg_private_run(&s->db, given_options, NULL, s, note_option, err);
  return rc == MPG_OK ? mpg_private_do(&s->db, err, told, name, name) : rc;
}
