/* generic.c - see generic.h. */
#include "generic.h"
#include "../../base/ascii.h"
#include "../../base/number.h"
#include "../../base/text.h"

#include <string.h>

static const mpg_generic_option csv_options[] = {
    MPG_OPTION_PATH,  MPG_OPTION_DELIMITER, MPG_OPTION_HEADER, MPG_OPTION_NAMES,   MPG_OPTION_TYPES,
    MPG_OPTION_NULLS, MPG_OPTION_QUOTE,     MPG_OPTION_ZONE,   MPG_OPTION_ON_ERROR};
static const mpg_generic_option json_options[] = {MPG_OPTION_PATH,  MPG_OPTION_COLUMNS,
                                                  MPG_OPTION_TYPES, MPG_OPTION_NULLS,
                                                  MPG_OPTION_ZONE,  MPG_OPTION_ON_ERROR};

static const mpg_generic_option csv_table_options[] = {
    MPG_OPTION_PATH,     MPG_OPTION_DELIMITER, MPG_OPTION_HEADER, MPG_OPTION_NAMES,
    MPG_OPTION_TYPES,    MPG_OPTION_NULLS,     MPG_OPTION_QUOTE,  MPG_OPTION_ZONE,
    MPG_OPTION_ON_ERROR, MPG_OPTION_THREADS};
static const mpg_generic_option json_table_options[] = {
    MPG_OPTION_PATH, MPG_OPTION_COLUMNS,  MPG_OPTION_TYPES,  MPG_OPTION_NULLS,
    MPG_OPTION_ZONE, MPG_OPTION_ON_ERROR, MPG_OPTION_THREADS};

static const mpg_generic_option csv_rollup_options[] = {
    MPG_OPTION_PATH,   MPG_OPTION_MEASURES, MPG_OPTION_BY,       MPG_OPTION_DELIMITER,
    MPG_OPTION_HEADER, MPG_OPTION_NAMES,    MPG_OPTION_TYPES,    MPG_OPTION_NULLS,
    MPG_OPTION_QUOTE,  MPG_OPTION_ZONE,     MPG_OPTION_ON_ERROR, MPG_OPTION_THREADS};
static const mpg_generic_option json_rollup_options[] = {
    MPG_OPTION_PATH,    MPG_OPTION_MEASURES, MPG_OPTION_BY,
    MPG_OPTION_COLUMNS, MPG_OPTION_TYPES,    MPG_OPTION_NULLS,
    MPG_OPTION_ZONE,    MPG_OPTION_ON_ERROR, MPG_OPTION_THREADS};

const mpg_generic_kind mpg_generic_csv_rollup = {
    &mpg_csv_rows, csv_rollup_options, sizeof csv_rollup_options / sizeof *csv_rollup_options};
const mpg_generic_kind mpg_generic_json_rollup = {
    &mpg_json_rows, json_rollup_options, sizeof json_rollup_options / sizeof *json_rollup_options};
const mpg_generic_kind mpg_generic_csv_table = {
    &mpg_csv_rows, csv_table_options, sizeof csv_table_options / sizeof *csv_table_options};
const mpg_generic_kind mpg_generic_json_table = {
    &mpg_json_rows, json_table_options, sizeof json_table_options / sizeof *json_table_options};
const mpg_generic_kind mpg_generic_csv = {&mpg_csv_rows, csv_options,
                                          sizeof csv_options / sizeof *csv_options};
const mpg_generic_kind mpg_generic_json = {&mpg_json_rows, json_options,
                                           sizeof json_options / sizeof *json_options};

const char *mpg_generic_option_name(mpg_generic_option option) {
  static const char *const names[MPG_OPTIONS] = {
      [MPG_OPTION_PATH] = "path",         [MPG_OPTION_DELIMITER] = "delimiter",
      [MPG_OPTION_HEADER] = "header",     [MPG_OPTION_NAMES] = "names",
      [MPG_OPTION_COLUMNS] = "columns",   [MPG_OPTION_TYPES] = "types",
      [MPG_OPTION_NULLS] = "nulls",       [MPG_OPTION_QUOTE] = "quote",
      [MPG_OPTION_MEASURES] = "measures", [MPG_OPTION_BY] = "by",
      [MPG_OPTION_THREADS] = "threads",   [MPG_OPTION_ZONE] = "zone",
      [MPG_OPTION_ON_ERROR] = "on_error"};
  return names[option];
}

const char *mpg_generic_option_type(mpg_generic_option option) {
  return option == MPG_OPTION_HEADER || option == MPG_OPTION_THREADS ? "" : "TEXT";
}

/* ---- Options ---- */

static mpg_rc misuse(mpg_generic_option option, const char *what, const mpg_value *found,
                     mpg_err *err) {
  return mpg_fail_argument(err, mpg_generic_option_name(option), what, found);
}

mpg_rc mpg_option_fail(const char *option, mpg_err *err) {
  mpg_err what = *err;
  return what.rc == MPG_MISUSE ? mpg_fail(err, MPG_MISUSE, "%s: %.900s", option, what.text)
                               : what.rc;
}

static bool is_one_of(const mpg_value *v, const char *words) {
  for (const char *w = words; *w != '\0'; w += strlen(w) + 1)
    if (v->type == MPG_TEXT && mpg_str_eq_nocase(v->s, mpg_str_of(w)))
      return true;
  return false;
}

static mpg_rc read_switch(mpg_generic_option option, const mpg_value *v, bool *out, mpg_err *err) {
  if (v->type == MPG_NULL)
    return MPG_OK;
  if (is_one_of(v, "yes\0true\0on\0001\0") || (v->type == MPG_INT && v->i == 1))
    *out = true;
  else if (is_one_of(v, "no\0false\0off\0000\0") || (v->type == MPG_INT && v->i == 0))
    *out = false;
  else
    return misuse(option, "yes or no", v, err);
  return MPG_OK;
}

static mpg_rc read_text_form(mpg_generic *g, const mpg_value values[MPG_OPTIONS], mpg_err *err) {
  const mpg_value *delimiter = &values[MPG_OPTION_DELIMITER], *quote = &values[MPG_OPTION_QUOTE];
  g->options.delimiter = ',';
  if (is_one_of(delimiter, "tab\0\\t\0"))
    g->options.delimiter = '\t';
  else if (delimiter->type == MPG_TEXT && delimiter->s.n == 1)
    g->options.delimiter = delimiter->s.p[0];
  else if (delimiter->type != MPG_NULL)
    return misuse(MPG_OPTION_DELIMITER, "one byte, or tab", delimiter, err);
  if (strchr("\"\r\n", g->options.delimiter) != NULL)
    return misuse(MPG_OPTION_DELIMITER, "no quote, line end or NUL", delimiter, err);
  if (is_one_of(quote, "none\0no\0\0") || (quote->type == MPG_TEXT && quote->s.n == 0))
    g->options.no_quotes = true;
  else if (quote->type != MPG_NULL && !is_one_of(quote, "\"\0"))
    return misuse(MPG_OPTION_QUOTE, "'\"' or none", quote, err);
  g->options.header = values[MPG_OPTION_NAMES].type == MPG_NULL;
  return read_switch(MPG_OPTION_HEADER, &values[MPG_OPTION_HEADER], &g->options.header, err);
}

static mpg_rc read_names(mpg_generic *g, mpg_generic_option option, mpg_columns_form form,
                         const mpg_value *v, mpg_err *err) {
  mpg_columns tried;
  mpg_rc rc;
  if (v->type == MPG_NULL)
    return MPG_OK;
  if (v->type != MPG_TEXT)
    return misuse(option, "text", v, err);
  g->chosen = true;
  g->list = v->s;
  g->form = form;
  mpg_columns_init(&tried, g->env);
  rc = mpg_columns_parse(&tried, v->s, form, err);
  mpg_columns_free(&tried);
  return rc == MPG_MISUSE ? mpg_option_fail(mpg_generic_option_name(option), err) : rc;
}

/* Texts between commas, without the spaces around them. */
static mpg_rc read_nulls(mpg_generic *g, const mpg_value *v, mpg_err *err) {
  size_t n = 1, from = 0;
  if (v->type == MPG_NULL)
    return MPG_OK;
  if (v->type != MPG_TEXT)
    return misuse(MPG_OPTION_NULLS, "text", v, err);
  for (size_t i = 0; i < v->s.n; i++)
    n += v->s.p[i] == ',';
  g->nulls = mpg_malloc(g->env, n * sizeof *g->nulls);
  if (g->nulls == NULL)
    return mpg_fail_nomem(err);
  for (size_t i = 0, k = 0; i <= v->s.n; i++) {
    mpg_str s = {v->s.p + from, i - from};
    if (i < v->s.n && v->s.p[i] != ',')
      continue;
    while (s.n > 0 && *s.p == ' ') {
      s.p++;
      s.n--;
    }
    while (s.n > 0 && s.p[s.n - 1] == ' ')
      s.n--;
    g->nulls[k++] = s;
    from = i + 1;
  }
  g->options.reading.nulls = g->nulls;
  g->options.reading.n_nulls = n;
  return MPG_OK;
}

static mpg_rc read_zone(mpg_generic *g, const mpg_value *v, mpg_err *err) {
  mpg_rc rc;
  if (v->type == MPG_NULL)
    return MPG_OK;
  rc = mpg_zone_given(&g->zone, g->env, v, err);
  g->options.reading.zone = g->zone;
  return rc;
}

/* Arguments of CREATE VIRTUAL TABLE are texts. */
static mpg_rc read_threads(mpg_generic *g, const mpg_conn *conn, const mpg_value *v, mpg_err *err) {
  mpg_value n = *v;
  if (v->type == MPG_TEXT && mpg_int_parse(v->s, &n.i))
    n.type = MPG_INT;
  return mpg_threads_given(conn, &n, &g->threads, err);
}

static mpg_rc read_rest(mpg_generic *g, const mpg_conn *conn, const mpg_value values[MPG_OPTIONS],
                        mpg_err *err) {
  const mpg_value *types = &values[MPG_OPTION_TYPES], *mode = &values[MPG_OPTION_ON_ERROR];
  if (types->type != MPG_NULL && types->type != MPG_TEXT)
    return misuse(MPG_OPTION_TYPES, "text", types, err);
  if (types->type == MPG_TEXT)
    g->types = types->s;
  g->skip = mode->type == MPG_NULL ? conn->skip_errors : is_one_of(mode, "skip\0");
  if (!g->skip && mode->type != MPG_NULL && !is_one_of(mode, "stop\0"))
    return misuse(MPG_OPTION_ON_ERROR, "'stop' or 'skip'", mode, err);
  return MPG_OK;
}

mpg_rc mpg_generic_open(mpg_generic *g, const mpg_generic_kind *kind, const mpg_conn *conn,
                        const mpg_value values[MPG_OPTIONS], mpg_err *err) {
  mpg_rc rc = MPG_OK;
  memset(g, 0, sizeof *g);
  g->kind = kind;
  g->env = &conn->env;
  if (values[MPG_OPTION_PATH].type != MPG_TEXT)
    return misuse(MPG_OPTION_PATH, "a file, a glob or a folder", &values[MPG_OPTION_PATH], err);
  g->path = values[MPG_OPTION_PATH].s;
  if (kind->rows == &mpg_csv_rows)
    rc = read_text_form(g, values, err);
  if (rc == MPG_OK)
    rc = read_names(g, MPG_OPTION_NAMES, MPG_COLUMNS_NAMES, &values[MPG_OPTION_NAMES], err);
  if (rc == MPG_OK)
    rc = read_names(g, MPG_OPTION_COLUMNS, MPG_COLUMNS_PATHS, &values[MPG_OPTION_COLUMNS], err);
  if (rc == MPG_OK)
    rc = read_nulls(g, &values[MPG_OPTION_NULLS], err);
  if (rc == MPG_OK)
    rc = read_zone(g, &values[MPG_OPTION_ZONE], err);
  if (rc == MPG_OK)
    rc = read_threads(g, conn, &values[MPG_OPTION_THREADS], err);
  if (rc == MPG_OK)
    rc = read_rest(g, conn, values, err);
  g->options.by_name = !g->chosen && (kind->rows == &mpg_json_rows || g->options.header);
  return rc;
}

void mpg_generic_close(mpg_generic *g) {
  if (g->env == NULL)
    return;
  mpg_zone_free(g->zone);
  mpg_free(g->env, g->nulls);
  memset(g, 0, sizeof *g);
}

mpg_rc mpg_generic_columns(const mpg_generic *g, mpg_columns *columns, const mpg_env *env,
                           const mpg_paths *paths, mpg_err *err) {
  mpg_rc rc = g->chosen ? mpg_columns_parse(columns, g->list, g->form, err) : MPG_OK;
  return rc == MPG_OK
             ? mpg_rows_declare(g->kind->rows, columns, env, &g->options, g->types, paths, err)
             : rc;
}

/* ---- Walking ---- */

/* A file with columns of its own. */
typedef struct each_file {
  const mpg_env *env;
  const mpg_generic *generic;
  mpg_columns columns;
  mpg_rows_query query;
  mpg_rows_options options;
  void *file;
} each_file;

static void each_close(void *p, void *shared) {
  each_file *e = p;
  (void)shared;
  if (e->file != NULL)
    e->generic->kind->rows->close(e->file);
  mpg_columns_free(&e->columns);
  mpg_free(e->env, e);
}

static mpg_rc each_open(void **file, void *shared, const mpg_env *env, const char *path,
                        mpg_issues *issues, mpg_err *err) {
  const mpg_generic *g = shared;
  mpg_file named = {.path = (char *)(uintptr_t)path, .regular = true};
  const mpg_paths only = {.env = env, .file = &named, .n = 1, .cap = 1};
  each_file *e = mpg_calloc(env, sizeof *e);
  mpg_rc rc = MPG_OK;
  if (e == NULL)
    return mpg_fail_nomem(err);
  e->env = env;
  e->generic = g;
  e->options = g->options;
  mpg_columns_init(&e->columns, env);
  /* A record of JSON that is returned unchanged needs no columns. */
  if (g->chosen || g->kind->rows == &mpg_csv_rows)
    rc = mpg_generic_columns(g, &e->columns, env, &only, err);
  else
    e->options.by_name = false;
  e->query = (mpg_rows_query){.options = &e->options, .columns = &e->columns};
  e->query.checked = g->skip ? UINT64_MAX : 0;
  if (rc == MPG_OK)
    rc = g->kind->rows->open(&e->file, env, &e->query, path, issues, err);
  if (rc == MPG_OK)
    *file = e;
  else
    each_close(e, shared);
  return rc;
}

static mpg_rc each_next(void *p, mpg_err *err) {
  each_file *e = p;
  return e->generic->kind->rows->next(e->file, err);
}

static int64_t each_line(const void *p) {
  const each_file *e = p;
  return e->generic->kind->rows->line(e->file);
}

const mpg_file_format mpg_generic_files = {each_open, each_close, each_next, each_line};

mpg_rc mpg_generic_record(void *p, mpg_json_text *json, mpg_err *err) {
  each_file *e = p;
  return e->generic->kind->rows->record(e->file, !e->generic->chosen, json, err);
}

bool mpg_generic_members(const void *p, const mpg_json_member **members, size_t *n) {
  const each_file *e = p;
  if (e->generic->kind->rows != &mpg_json_rows || e->generic->chosen)
    return false;
  *members = mpg_json_rows_members(e->file, n);
  return true;
}

/* ---- CREATE VIRTUAL TABLE ---- */

static const char *skip_space(const char *z) {
  while (mpg_is_json_space(*z))
    z++;
  return z;
}

/* A literal or a bare word, copied into *out; *whole: that is all of `z`. */
static int read_value(const char *z, mpg_value *out, bool *whole) {
  char quote = *z == '\'' || *z == '"' ? *z : '\0';
  size_t length = strlen(z), n = 0;
  char *text = sqlite3_malloc64(length + 1);
  if (text == NULL)
    return SQLITE_NOMEM;
  if (quote == '\0') {
    while (length > 0 && mpg_is_json_space(z[length - 1]))
      length--;
    memcpy(text, z, length);
    n = length;
    *whole = n > 0;
  } else {
    for (z++; *z != '\0' && (*z != quote || z[1] == quote); z++) {
      text[n++] = *z;
      z += *z == quote;
    }
    *whole = *z == quote && *skip_space(z + 1) == '\0';
  }
  text[n] = '\0';
  *out = (mpg_value){MPG_TEXT, 0, 0.0, {text, n}};
  return SQLITE_OK;
}

static int no_such_option(const mpg_generic_kind *kind, const char *module, const char *argument,
                          char **error) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  sqlite3_str_appendf(text, "%s: expected the path in quotes, or one of", module);
  for (size_t i = 0; i < kind->n_options; i++)
    sqlite3_str_appendf(text, "%s %s", i > 0 ? "," : "", mpg_generic_option_name(kind->options[i]));
  sqlite3_str_appendf(text, " = value, found \"%.100s\"", argument);
  *error = sqlite3_str_finish(text);
  return *error == NULL ? SQLITE_NOMEM : SQLITE_ERROR;
}

static int read_argument(const mpg_generic_kind *kind, const char *module, const char *argument,
                         mpg_value values[MPG_OPTIONS], char **error) {
  const char *z = skip_space(argument), *end = z;
  mpg_generic_option option = MPG_OPTIONS;
  bool whole = false;
  int rc;
  if (*z == '\'' || *z == '"') {
    option = MPG_OPTION_PATH;
  } else {
    while ((*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z') || *end == '_')
      end++;
    for (size_t i = 0; i < kind->n_options; i++)
      if (mpg_str_eq_nocase((mpg_str){z, (size_t)(end - z)},
                            mpg_str_of(mpg_generic_option_name(kind->options[i]))))
        option = kind->options[i];
    end = skip_space(end);
    z = *end == '=' ? skip_space(end + 1) : "";
  }
  if (option == MPG_OPTIONS || *z == '\0')
    return no_such_option(kind, module, argument, error);
  if (values[option].type != MPG_NULL) {
    *error = sqlite3_mprintf("%s: %s is given twice", module, mpg_generic_option_name(option));
    return *error == NULL ? SQLITE_NOMEM : SQLITE_ERROR;
  }
  rc = read_value(z, &values[option], &whole);
  return rc == SQLITE_OK && !whole ? no_such_option(kind, module, argument, error) : rc;
}

/* The statement as it would be right. */
static int refuse_schema(int argc, const char *const *argv, char **error) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  sqlite3_str_appendf(text,
                      "%s: a table that opens files is made in the schema temp, where no database "
                      "that somebody else wrote can hold one: CREATE VIRTUAL TABLE temp.\"%w\" "
                      "USING %s(",
                      argv[0], argv[2], argv[0]);
  for (int i = 3; i < argc; i++)
    sqlite3_str_appendf(text, "%s%s", i > 3 ? ", " : "", argv[i]);
  sqlite3_str_appendall(text, ")");
  *error = sqlite3_str_finish(text);
  return *error == NULL ? SQLITE_NOMEM : SQLITE_ERROR;
}

int mpg_generic_arguments(const mpg_generic_kind *kind, int argc, const char *const *argv,
                          const char *example, mpg_value values[MPG_OPTIONS], char **error) {
  int rc = SQLITE_OK;
  memset(values, 0, MPG_OPTIONS * sizeof *values);
  if (sqlite3_stricmp(argv[1], "temp") != 0)
    return refuse_schema(argc, argv, error);
  for (int i = 3; rc == SQLITE_OK && i < argc; i++)
    rc = read_argument(kind, argv[0], argv[i], values, error);
  if (rc == SQLITE_OK && values[MPG_OPTION_PATH].type == MPG_NULL) {
    *error = sqlite3_mprintf("%s: expected a path, as in %s", argv[0], example);
    rc = *error == NULL ? SQLITE_NOMEM : SQLITE_ERROR;
  }
  return rc;
}

void mpg_generic_arguments_free(mpg_value values[MPG_OPTIONS]) {
  for (int i = 0; i < MPG_OPTIONS; i++)
    sqlite3_free((void *)(uintptr_t)values[i].s.p);
  memset(values, 0, MPG_OPTIONS * sizeof *values);
}

void mpg_generic_declare(sqlite3_str *sql, mpg_str name, mpg_column_type type) {
  char *text = sqlite3_mprintf("%.*s", (int)name.n, name.p);
  sqlite3_str_appendf(sql, "\"%w\" %s", text,
                      type == MPG_COLUMN_TIME ? "REAL" : mpg_column_type_name(type));
  sqlite3_free(text);
}

/* ---- Table functions ---- */

int mpg_generic_plan_options(sqlite3_vtab *vtab, const char *table, const mpg_generic_kind *kind,
                             sqlite3_index_info *info) {
  info->estimatedCost = 1e6;
  return mpg_plan_arguments(vtab, table, info, 1, (int)kind->n_options);
}

int mpg_generic_missing(const mpg_generic_kind *kind, sqlite3_vtab *vtab, int idx_num,
                        const char *table, sqlite3_value **argv) {
  int next = 0, rc = SQLITE_OK;
  for (size_t i = 0; rc == SQLITE_OK && i < kind->n_options; i++) {
    const char *name = mpg_generic_option_name(kind->options[i]);
    if (mpg_argument_is_missing(idx_num, i))
      rc = i == 0 ? mpg_path_missing(vtab, table) : mpg_argument_missing(vtab, table, name);
    else if ((idx_num >> i & 1) != 0)
      rc = mpg_argument_lost(vtab, idx_num, (int)i, table, name, argv[next++]);
  }
  return rc;
}

int mpg_generic_read_options(const mpg_generic_kind *kind, int given, sqlite3_value **argv,
                             sqlite3_value **copies, mpg_value values[MPG_OPTIONS]) {
  int next = 0;
  memset(values, 0, MPG_OPTIONS * sizeof *values);
  for (size_t i = 0; i < kind->n_options; i++) {
    sqlite3_value *value;
    if ((given >> i & 1) == 0)
      continue;
    value = argv[next++];
    /* In a database of UTF-16 this turns text into UTF-8. */
    copies[i] = sqlite3_value_dup(value);
    if (copies[i] == NULL ||
        (sqlite3_value_type(copies[i]) == SQLITE_TEXT && sqlite3_value_text(copies[i]) == NULL))
      return SQLITE_NOMEM;
    values[kind->options[i]] = mpg_value_of(copies[i]);
  }
  return SQLITE_OK;
}
