/* build_check.c - see build_check.h. */
#include "build_check.h"

/* Each name with two words that its definition has had in all versions. A user's own tables may
** have such names, and a build drops and fills what has them. */
static const char tables[] =
    "WITH made(name, type, word, other) AS (VALUES ('capacity', 'table', 'pool', 'start_us'),"
    "('outages', 'table', 'pool', 'start_us'),('jobs', 'table', 'framework', 'submit_us'),"
    "('allocations', 'table', 'outcome', 'start_us'),('spans', 'table', 'kind', 'start_us'),"
    "('commits', 'table', 'snapshot_us', 'durable_us'),('programs', 'table', 'flops', 'dtype'),"
    "('observed', 'table', 'chip', 'until_us'),('chips', 'table', 'dtype', 'peak_flops'),"
    "('prices', 'table', 'chip', 'micros_per_chip_hour'),('mpg_config', 'table', 'name', 'value'),"
    "('mpg_built', 'table', 'version', 'made_of'),('mpg_accounted', 'table', 'kind', 'digest'),"
    "('ledger', 'table', 'category', 'chip_us'),('waits', 'table', 'category', 'chip_us'),"
    "('attempts', 'table', 'outcome', 'ready_us'),('runs', 'table', 'outcome', 'progress_us'),"
    "('job_labels', 'table', 'job', 'value'),('program_ledger', 'table', 'program', 'lost_us'),"
    "('issues', 'table', 'severity', 'detail'),('mpg_columns', 'table', 'table_name', 'type'),"
    "('day_sums', 'table', 'day', 'capacity_us'),('pool_sums', 'table', 'pool', 'capacity_us'),"
    "('job_sums', 'table', 'job', 'capacity_us'),('cells', 'view', 'chip_us', 'FROM ledger'),"
    "('goodput_by_day', 'view', 'MPG', 'FROM day_sums'),"
    "('goodput_by_pool', 'view', 'MPG', 'FROM pool_sums'),"
    "('goodput_by_job', 'view', 'MPG', 'FROM job_sums')) "
    "SELECT 'expected no table or view ' || s.name || ' but that of an earlier build, found one of "
    "another kind: build into a new file' FROM main.sqlite_schema AS s JOIN made AS m ON m.name = "
    "s.name COLLATE NOCASE WHERE s.type IN ('table', 'view') AND (s.type <> m.type OR "
    "instr(s.sql, m.word) = 0 OR instr(s.sql, m.other) = 0) LIMIT 1";

static const char settings[] =
    "SELECT 'mpg_config: expected one of the names trace, offset, as_of, sizes, basis, roofline, "
    "labels, currency, target_MPG, target_SG, target_RG and target_PG, found ' || quote(name) "
    "FROM main.mpg_config WHERE name IS NULL OR name NOT IN ('trace', 'offset', 'as_of', 'sizes', "
    "'basis', 'roofline', 'labels', 'currency', 'target_MPG', 'target_SG', 'target_RG', "
    "'target_PG') UNION ALL "
    /* What a bucket takes: of "+0200", SQLite's own functions would make no time of an hour. */
    "SELECT 'mpg_config: offset: expected an offset from UTC such as +02:00, found ' || "
    "quote(value) FROM main.mpg_config WHERE name = 'offset' AND value NOT NULL AND value <> 'Z' "
    "AND (value NOT GLOB '[+-][0-9][0-9]:[0-9][0-9]' OR substr(value, 2, 2) > '14' OR "
    "substr(value, 5) > '59') UNION ALL "
    "SELECT 'mpg_config: expected each name once, found ' || quote(name) || ' ' || count(*) || "
    "' times' FROM main.mpg_config GROUP BY name HAVING count(*) > 1 LIMIT 1";

/* Each relation with a column that none of its tables lacks. */
static const char lost[] =
    "WITH relation(name, needs) AS (VALUES ('capacity', 'pool'),('outages', 'pool'),"
    "('jobs', 'job'),('allocations', 'job'),('spans', 'kind'),('commits', 'job'),"
    "('programs', 'program'),('observed', 'until_time')) "
    "SELECT 'expected no TEMP ' || s.type || ' ' || s.name || iif(s.type = 'view', '', "
    "' but of the relation') || ', found one, which would be lost: rename or drop it' "
    "FROM temp.sqlite_schema AS s JOIN relation AS r ON r.name = s.name COLLATE NOCASE "
    "WHERE s.type = 'view' OR s.type = 'table' AND NOT EXISTS (SELECT 1 FROM "
    "pragma_table_info(s.name, 'temp') AS c WHERE c.name = r.needs COLLATE NOCASE) LIMIT 1";

/* The text of the first row, or NULL: there is none. An SQLite code. */
static int first_text(sqlite3 *db, const char *sql, char **text) {
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
  *text = NULL;
  if (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
    *text = mpg_host_copy_text(stmt, 0);
    rc = *text == NULL ? SQLITE_NOMEM : SQLITE_DONE;
  }
  (void)sqlite3_finalize(stmt);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int mpg_import_check(sqlite3 *db, char **why) {
  return first_text(db, lost, why);
}

int mpg_build_check(sqlite3 *db, char **why) {
  char *any = NULL;
  int rc = first_text(db, tables, why);
  if (rc == SQLITE_OK && *why == NULL)
    rc = first_text(db, lost, why);
  if (rc == SQLITE_OK && *why == NULL)
    rc = first_text(db, "SELECT name FROM main.sqlite_schema WHERE name = 'mpg_config'", &any);
  if (rc == SQLITE_OK && any != NULL)
    rc = first_text(db, settings, why);
  sqlite3_free(any);
  return rc;
}

bool mpg_build_is_same(sqlite3 *db) {
  static const char same[] = "SELECT same FROM temp.mpg_same";
  static const char whole[] = "SELECT 'same' WHERE (SELECT sum(chip_us) FROM main.ledger WHERE "
                              "category <> 'queued') IS (SELECT sum(capacity_us) FROM "
                              "main.day_sums)";
  char *found = NULL;
  bool is = first_text(db, same, &found) == SQLITE_OK && found != NULL;
  sqlite3_free(found);
  found = NULL;
  is = is && first_text(db, whole, &found) == SQLITE_OK && found != NULL; /* the tables are there */
  sqlite3_free(found);
  return is;
}
