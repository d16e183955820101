/* source_parameters.c - see source_parameters.h. */
#include "source_parameters.h"
#include "../../base/text.h"

#include <string.h>

mpg_rc mpg_on_error_of(const mpg_value *word, mpg_on_error otherwise, mpg_on_error *out,
                       mpg_err *err) {
  *out = otherwise;
  if (word->type == MPG_TEXT && mpg_str_eq(word->s, MPG_STR("skip")))
    *out = MPG_ON_ERROR_SKIP;
  else if (word->type == MPG_TEXT && mpg_str_eq(word->s, MPG_STR("stop")))
    *out = MPG_ON_ERROR_STOP;
  else if (word->type != MPG_NULL)
    return mpg_fail_argument(err, "on_error", "'stop' or 'skip'", word);
  return MPG_OK;
}

mpg_rc mpg_on_error_read(sqlite3_value *value, mpg_on_error otherwise, mpg_on_error *out,
                         mpg_err *err) {
  mpg_value word = {MPG_NULL, 0, 0.0, {NULL, 0}};
  if (value != NULL)
    word = mpg_value_of(value);
  return mpg_on_error_of(&word, otherwise, out, err);
}

/* Whether the option `chips` is of files of other formats: a word, or a number. */
static bool is_for_others(const mpg_sources *s, const char *name, sqlite3_stmt *option) {
  return strcmp(name, "chips") == 0 && (sqlite3_column_type(option, 0) == SQLITE_TEXT) != s->counts;
}

/* A parameter's value. After each table that a script makes, SQLite compiles anew what finds it: it
** is found once. */
typedef struct mpg_source_value {
  struct mpg_source_value *next;
  sqlite3_value *value; /* NULL: none */
  char name[];
} mpg_source_value;

void mpg_source_forget(mpg_sources *s) {
  while (s->values != NULL) {
    mpg_source_value *one = s->values;
    s->values = one->next;
    sqlite3_value_free(one->value);
    sqlite3_free(one);
  }
}

/* A copy of the value that a query has of a parameter; NULL: none. */
static int copy_value(mpg_sources *s, sqlite3_stmt *query, const char *name,
                      sqlite3_value **value) {
  int rc = sqlite3_bind_text(query, 1, name, -1, SQLITE_STATIC);
  if (rc == SQLITE_OK)
    rc = sqlite3_bind_int64(query, 2, s->source);
  if (rc == SQLITE_OK)
    rc = sqlite3_step(query);
  if (rc == SQLITE_ROW && sqlite3_column_type(query, 0) != SQLITE_NULL &&
      !is_for_others(s, name, query) &&
      (*value = sqlite3_value_dup(sqlite3_column_value(query, 0))) == NULL)
    rc = SQLITE_NOMEM;
  (void)sqlite3_reset(query);
  return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* The value of a parameter of the source as its tables have it; NULL: none. The caller frees it. */
static int find_value(mpg_sources *s, const char *name, sqlite3_value **value) {
  int rc = SQLITE_OK;
  *value = NULL;
  if (s->files != NULL) /* else the script maps no files */
    rc = copy_value(s, s->files, name, value);
  if (rc == SQLITE_OK && *value == NULL && s->option != NULL)
    rc = copy_value(s, s->option, name, value);
  return rc;
}

static int bind_found(mpg_sources *s, sqlite3_stmt *stmt, int index, const char *name) {
  mpg_source_value *one = s->values;
  while (one != NULL && strcmp(one->name, name) != 0)
    one = one->next;
  if (one == NULL) {
    const size_t n = strlen(name) + 1;
    int rc;
    if ((one = sqlite3_malloc64(sizeof *one + n)) == NULL)
      return SQLITE_NOMEM;
    memcpy(one->name, name, n);
    if ((rc = find_value(s, name, &one->value)) != SQLITE_OK) {
      sqlite3_free(one);
      return rc;
    }
    one->next = s->values;
    s->values = one;
  }
  return one->value == NULL ? SQLITE_OK : sqlite3_bind_value(stmt, index, one->value);
}

/* A parameter of a script: an argument of the table function or, as :table, its name; the files of
** an input, an option of the source or, as :rotated, the files that may be parts of one log, and as
** :starts, when logs began. */
int mpg_source_bind(void *ctx, sqlite3_stmt *stmt, int index, const char *name) {
  mpg_sources *s = ctx;
  if (strcmp(name, "on_error") == 0)
    return sqlite3_bind_text(stmt, index, s->on_error == MPG_ON_ERROR_SKIP ? "skip" : "stop", -1,
                             SQLITE_STATIC);
  if (strcmp(name, "only_relations") == 0) /* no table function asks for more */
    return s->table == NULL ? sqlite3_bind_int(stmt, index, 1) : SQLITE_OK;
  if (s->table != NULL && strcmp(name, "table") == 0)
    return sqlite3_bind_text64(stmt, index, s->table->name.p, s->table->name.n, SQLITE_STATIC,
                               SQLITE_UTF8);
  if (s->table != NULL) {
    const int given = mpg_table_shape_argument(s->table, name);
    if (given >= (s->table->files ? 1 : 0) && s->arguments[given] != NULL)
      return sqlite3_bind_value(stmt, index, s->arguments[given]);
  }
  return bind_found(s, stmt, index, name);
}

/* An option of a source; as `rotated`, [path, log, place] of the files that are parts of one log by
** their names, and of one job, unless all of these say when they began; as `starts`, {path: Unix
** seconds} of logs that begin with their job. */
static const char option_of[] =
    "SELECT CASE ?1 WHEN 'rotated' THEN (SELECT json_group_array(json_array(path, log, place)) "
    "FILTER (WHERE n > 1 AND (of_job IS NULL OR unnamed)) FROM (SELECT path, name || ' ' || "
    "coalesce(job, '') || ' ' || parameter AS log, place, job AS of_job, count(*) OVER w AS n, "
    "count(*) OVER w - count(named) OVER w AS unnamed FROM file JOIN log_name USING (file) WHERE "
    "source = ?2 WINDOW w AS (PARTITION BY name, job, parameter))) WHEN 'starts' THEN (SELECT "
    "nullif(json_group_object(path, start), '{}') FROM file WHERE source = ?2 AND start IS NOT "
    "NULL) ELSE json_extract(options, '$.' || ?1) END FROM source WHERE source = ?2";

mpg_rc mpg_source_prepare(mpg_sources *s, mpg_err *err) {
  mpg_rc rc = mpg_private_prepare(
      &s->db,
      "SELECT iif(count(*) > 0, coalesce((SELECT alone FROM source WHERE source = ?2), "
      "json_group_array(path)), NULL) FROM (SELECT path FROM file WHERE parameter = ?1 AND "
      "source = ?2 ORDER BY path)",
      &s->files, err);
  return rc == MPG_OK ? mpg_private_prepare(&s->db, option_of, &s->option, err) : rc;
}
