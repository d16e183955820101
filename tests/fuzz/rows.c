/* rows.c - files that no format describes: types found, values decoded, records as JSON. The first byte says which kind
** of file the rest is. */
#include "fuzz.h"
#include "../../ext/io/rows.h"

static bool is_csv;

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

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  static const mpg_str nulls[] = {{"n/a", 3}};
  const mpg_rows_format *format = is_csv ? &mpg_csv_rows : &mpg_json_rows;
  mpg_rows_options options = {',', false, true, true, {nulls, 1, NULL}};
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
  if (rc == MPG_OK)
    rc = mpg_rows_declare(format, &columns, env, &options, (mpg_str){NULL, 0}, &paths, &err);
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
  return rc;
}

void fuzz_rows(mpg_str input) {
  if (input.n == 0)
    return;
  is_csv = input.p[0] % 2 == 0;
  fuzz_file(render, is_csv ? "rows.csv" : "rows.jsonl", (mpg_str){input.p + 1, input.n - 1});
}
