/* rows.c - files that no format describes: types found or given, values decoded, records as JSON.
** The first byte says which kind of file it is and what is said of it beside: a line of columns, a
** line of their types, the zone of its times. The file follows. '0' is text and '1' JSON of
** which nothing is said. */
#include "fuzz.h"
#include "../../ext/read/rows/rows.h"

#include <string.h>

enum flags {
  JSON = 1,
  COLUMNS = 2,
  TYPES = 4,
  ZONE = 8,
  BARE = 64,    /* text of no quotes and no header */
  EARLIER = 128 /* the columns are those of an earlier file */
};
static uint8_t flags;
static mpg_str list, types;

static mpg_rc show(const mpg_rows_format *format, void *file, const mpg_columns *columns,
                   const mpg_env *env, fuzz_text *out) {
  mpg_json_text json = {.env = env};
  mpg_err err;
  mpg_rc rc = MPG_OK;
  for (size_t i = 0; (rc == MPG_OK || rc == MPG_DATA) && i < columns->n; i++) {
    mpg_value v = {MPG_NULL, 0, 0.0, {NULL, 0}};
    rc = format->column(file, i, &v, &err);
    if (rc == MPG_OK)
      fuzz_put_value(out, &v);
    else
      fuzz_put(out, "!%s ", err.text);
  }
  for (int whole = 0; (rc == MPG_OK || rc == MPG_DATA) && whole < 2; whole++) {
    json.n = 0;
    rc = format->record(file, whole == 1, &json, &err);
    if (rc == MPG_OK)
      fuzz_put_str(out, (mpg_str){json.p, json.n});
  }
  mpg_json_text_free(&json);
  return rc == MPG_DATA ? MPG_OK : rc;
}

/* The columns that are said, and then those that the file tells. */
static mpg_rc declare(const mpg_rows_format *format, mpg_columns *columns, const mpg_env *env,
                      const mpg_rows_options *options, const mpg_paths *paths, mpg_err *err) {
  mpg_columns_form form = (flags & JSON) != 0 ? MPG_COLUMNS_PATHS : MPG_COLUMNS_NAMES;
  mpg_rc rc = MPG_OK;
  if ((flags & COLUMNS) != 0)
    rc = mpg_columns_parse(columns, list, form, err);
  return rc == MPG_OK ? mpg_rows_declare(format, columns, env, options, types, paths, err) : rc;
}

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  static const mpg_str nulls[] = {{"n/a", 3}};
  const mpg_rows_format *format = (flags & JSON) != 0 ? &mpg_json_rows : &mpg_csv_rows;
  const mpg_value east = {MPG_TEXT, 0, 0.0, {"+02:30", 6}};
  mpg_zone *zone = NULL;
  mpg_rows_options options = {(flags & BARE) != 0 ? '\t' : ',',
                              (flags & BARE) != 0,
                              (flags & BARE) == 0,
                              (flags & BARE) == 0 && (flags & (COLUMNS | EARLIER)) != COLUMNS,
                              {nulls, 1, NULL}};
  mpg_rows_query query = {.options = &options};
  mpg_columns columns;
  mpg_paths paths;
  mpg_issues issues;
  mpg_err err;
  void *file = NULL;
  mpg_rc rc = mpg_paths_expand(&paths, env, mpg_str_of(fuzz_path()), &err);
  (void)input;
  mpg_columns_init(&columns, env);
  mpg_issues_init(&issues, env);
  query.columns = &columns;
  if (rc == MPG_OK && (flags & ZONE) != 0)
    rc = mpg_zone_given(&zone, env, &east, &err);
  options.reading.zone = zone;
  if (rc == MPG_OK)
    rc = declare(format, &columns, env, &options, &paths, &err);
  for (size_t i = 0; rc == MPG_OK && i < columns.n; i++) {
    fuzz_put_str(out, columns.p[i].name);
    fuzz_put(out, "%s ", mpg_column_type_name(columns.p[i].type));
  }
  if (rc == MPG_OK)
    rc = format->open(&file, env, &query, fuzz_path(), &issues, &err);
  if (rc != MPG_OK)
    fuzz_put(out, "!%s\n", err.text);
  while (file != NULL && (rc == MPG_OK || rc == MPG_DATA)) {
    rc = format->next(file, &err);
    if (rc == MPG_OK) {
      fuzz_put(out, "%lld ", (long long)format->line(file));
      rc = show(format, file, &columns, env, out);
    } else if (rc != MPG_DONE) {
      fuzz_put(out, "!%s", err.text);
    }
    fuzz_put(out, "\n");
  }
  fuzz_put_issues(out, &issues);
  if (file != NULL)
    format->close(file);
  mpg_issues_free(&issues);
  mpg_columns_free(&columns);
  mpg_paths_free(&paths);
  mpg_zone_free(zone);
  return rc;
}

/* The first line of the rest. */
static mpg_str line_of(mpg_str *rest) {
  const char *lf = rest->n == 0 ? NULL : memchr(rest->p, '\n', rest->n);
  mpg_str line = {rest->p, lf == NULL ? rest->n : (size_t)(lf - rest->p)};
  rest->p += line.n + (lf != NULL);
  rest->n -= line.n + (lf != NULL);
  return line;
}

void fuzz_rows(mpg_str input) {
  mpg_str rest;
  if (input.n == 0)
    return;
  rest = (mpg_str){input.p + 1, input.n - 1};
  flags = (uint8_t)input.p[0];
  list = (flags & COLUMNS) != 0 ? line_of(&rest) : (mpg_str){"", 0};
  types = (flags & TYPES) != 0 ? line_of(&rest) : (mpg_str){"", 0};
  fuzz_file(render, (flags & JSON) != 0 ? "rows.jsonl" : "rows.csv", rest);
}
