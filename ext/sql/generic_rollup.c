/*
** generic_rollup.c - csv_rollup and jsonl_rollup: files that no format describes, summed by the
** columns that a query names.
**
**   CREATE VIRTUAL TABLE temp.r USING csv_rollup('jobs.csv', measures='gpus * ("end" - start) AS s');
**   SELECT pool, sum(s), sum(rows) FROM r GROUP BY pool;
**
** (1) The columns are those of the file, the measures, and `rows`; of a file of more than 63 columns
**     measures and `rows` come first. A column whose name a measure takes is the measure alone. The
**     grain law: a row of the table is one combination of the file's columns that the query names, no
**     finer; measures and rows are sums over the records that have it. So sum(rows) counts records, and
**     count(*) counts rows of the table.
** (2) As a table function, csv_rollup(path, measures, by): a row is a record of JSON, with the
**     columns that `by` names, the measures and rows.
** (3) Comparisons of the file's columns are tested while it is read (generic_filter.c). Rows come out
**     in the order of the columns, or in the one that the query asks for.
** (4) SQLite compares rowids of one scan with those of another, which may have other comparisons (OR,
**     RIGHT JOIN): a group's is the number of its first record.
** (5) As of csv_trace: DIRECTONLY; made in the schema temp alone (generic.h); the first file is read
**     when the table is made, all of them in xFilter, by several threads.
*/
#include "generic.h"
#include "../core/sort.h"
#include "../core/text.h"
#include "../io/rows_rollup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct rollup_module {
  mpg_module module; /* must be first */
  const mpg_generic_kind *kind;
  const char *example;
} rollup_module;

/* What is to be summed, in which files. */
typedef struct rollup_source {
  mpg_generic generic;
  mpg_columns columns;
  mpg_measures measures;
  size_t operands[MPG_OPERANDS]; /* columns */
} rollup_source;

typedef struct rollup_table {
  sqlite3_vtab base; /* must be first */
  mpg_conn *conn;
  const rollup_module *module;
  bool created;
  mpg_value values[MPG_OPTIONS];
  rollup_source source;
  size_t *shown; /* the file's columns that the table has, in order */
  size_t n_shown;
  size_t first_shown, first_total; /* columns of the table; the last total is `rows` */
} rollup_table;

/* A column to sort by. */
typedef struct sort_key {
  size_t part;
  bool down;
} sort_key;

typedef struct rollup_cursor {
  sqlite3_vtab_cursor base; /* must be first */
  mpg_walk walk;            /* for its paths and its environment */
  mpg_generic_filters filters;
  sqlite3_value *arguments[MPG_OPTIONS];
  rollup_source source; /* of a table function */
  mpg_rollup_query query;
  mpg_groups groups;
  uint32_t *order;
  sort_key keys[2 * MPG_GROUP_PARTS];
  size_t n_keys;
  int part_of[MPG_GROUP_PARTS]; /* the table's column of each part */
  mpg_json_text record;
  size_t at;
} rollup_cursor;

static rollup_table *table_of(rollup_cursor *cursor) {
  return (rollup_table *)cursor->base.pVtab;
}

static const rollup_source *source_of(rollup_cursor *cursor) {
  return table_of(cursor)->created ? &table_of(cursor)->source : &cursor->source;
}

/* ---- Sources ---- */

static void source_close(rollup_source *s) {
  mpg_measures_free(&s->measures);
  if (s->columns.env != NULL)
    mpg_columns_free(&s->columns);
  mpg_generic_close(&s->generic);
  memset(s, 0, sizeof *s);
}

static mpg_rc named(const char *option, mpg_err *err) {
  mpg_err what = *err;
  return what.rc == MPG_MISUSE ? mpg_fail(err, MPG_MISUSE, "%s: %.900s", option, what.text)
                               : what.rc;
}

/* Finds the columns that the measures are made of. */
static mpg_rc bind_operands(rollup_source *s, mpg_err *err) {
  for (size_t i = 0; i < s->measures.n_operands; i++) {
    size_t k = mpg_columns_find(&s->columns, s->measures.operands[i]);
    char name[MPG_EXCERPT];
    mpg_text_excerpt(s->measures.operands[i], name);
    if (k == s->columns.n)
      return mpg_fail(err, MPG_MISUSE, "measures: no column is called \"%s\"", name);
    if (s->columns.p[k].type == MPG_COLUMN_TEXT)
      return mpg_fail(err, MPG_MISUSE,
                      "measures: \"%s\" is TEXT by its first records; types='%s REAL' gives it a "
                      "type, nulls='...' texts that are NULL",
                      name, name);
    s->operands[i] = k;
    s->measures.whole[i] = s->columns.p[k].type == MPG_COLUMN_BIGINT;
  }
  mpg_measures_type(&s->measures);
  return MPG_OK;
}

static mpg_rc source_open(rollup_source *s, const rollup_table *table,
                          const mpg_value values[MPG_OPTIONS], mpg_walk *walk, mpg_err *err) {
  const mpg_env *env = &table->conn->env;
  const mpg_value *measures = &values[MPG_OPTION_MEASURES];
  mpg_rc rc;
  memset(s, 0, sizeof *s);
  mpg_columns_init(&s->columns, env);
  rc = mpg_generic_open(&s->generic, table->module->kind, table->conn, values, err);
  if (rc == MPG_OK && measures->type != MPG_TEXT && measures->type != MPG_NULL)
    rc = mpg_fail(err, MPG_MISUSE, "measures: expected text");
  if (rc == MPG_OK &&
      mpg_measures_parse(&s->measures, env, measures->type == MPG_TEXT ? measures->s : MPG_STR(""),
                         err) != MPG_OK)
    rc = named("measures", err);
  if (rc == MPG_OK)
    rc = mpg_walk_path(walk, s->generic.path, err);
  if (rc == MPG_OK)
    rc = mpg_generic_columns(&s->generic, &s->columns, &walk->scan.env, &walk->paths, err);
  if (rc == MPG_OK && s->columns.n > 0)
    rc = bind_operands(s, err);
  return rc;
}

/* ---- Table ---- */

static bool is_measure(const rollup_source *s, mpg_str name) {
  bool found = mpg_str_eq_nocase(name, MPG_STR("rows"));
  for (size_t i = 0; i < s->measures.n && !found; i++)
    found = mpg_str_eq_nocase(name, s->measures.p[i].name);
  return found;
}

static mpg_rc show_columns(rollup_table *table, mpg_err *err) {
  const rollup_source *s = &table->source;
  for (size_t i = 0; i < s->measures.n; i++)
    if (mpg_str_eq_nocase(s->measures.p[i].name, MPG_STR("rows")))
      return mpg_fail(err, MPG_MISUSE, "measures: \"rows\" is the count of records");
  table->shown = mpg_malloc(&table->conn->env, (s->columns.n + 1) * sizeof *table->shown);
  if (table->shown == NULL)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < s->columns.n; i++)
    if (!is_measure(s, s->columns.p[i].name))
      table->shown[table->n_shown++] = i;
  /* SQLite tells which of the first 63 columns a query names, and of the others only whether it names any: dimensions
  ** among those would be named with every total. So then totals come first. */
  if (table->n_shown > 63)
    table->first_shown = s->measures.n + 1;
  else
    table->first_total = table->n_shown;
  return MPG_OK;
}

static int open_created(rollup_table *table, int argc, const char *const *argv, char **error) {
  const rollup_module *m = table->module;
  mpg_walk walk;
  mpg_err err;
  mpg_rc rc;
  int code = mpg_generic_arguments(m->kind, argc, argv, m->example, table->values, error);
  if (code != SQLITE_OK)
    return code;
  memset(&walk, 0, sizeof walk);
  code = mpg_walk_begin(&walk, table->conn, NULL);
  if (code != SQLITE_OK)
    return code;
  if (table->values[MPG_OPTION_BY].type != MPG_NULL)
    rc = mpg_fail(&err, MPG_MISUSE,
                  "by: is of the table function; a table is summed by the columns that a query "
                  "names");
  else
    rc = source_open(&table->source, table, table->values, &walk, &err);
  if (rc == MPG_OK && table->source.columns.n == 0)
    rc = mpg_fail(&err, MPG_DATA,
                  "%s:1:1: expected a record that shows the columns, found end of file",
                  walk.paths.path[0]);
  if (rc == MPG_OK)
    rc = show_columns(table, &err);
  mpg_walk_end(&walk);
  if (rc == MPG_OK)
    return SQLITE_OK;
  if (rc != MPG_NOMEM && rc != MPG_INTERRUPTED)
    *error = sqlite3_mprintf("%s: %s", m->module.name, err.text);
  return mpg_sqlite_rc(rc);
}

/* Column i of the table. */
static void declare_column(sqlite3_str *sql, const rollup_table *table, size_t i) {
  const rollup_source *s = &table->source;
  size_t shown = i - table->first_shown, total = i - table->first_total;
  if (shown < table->n_shown)
    mpg_generic_declare(sql, s->columns.p[table->shown[shown]].name,
                        s->columns.p[table->shown[shown]].type);
  else if (total < s->measures.n)
    mpg_generic_declare(sql, s->measures.p[total].name,
                        s->measures.p[total].whole ? MPG_COLUMN_BIGINT : MPG_COLUMN_REAL);
  else
    sqlite3_str_appendall(sql, "rows BIGINT");
}

static int declare(sqlite3 *db, const rollup_table *table) {
  const mpg_generic_kind *kind = table->module->kind;
  sqlite3_str *sql = sqlite3_str_new(db);
  size_t n = table->n_shown + table->source.measures.n + 1;
  char *text;
  int rc;
  sqlite3_str_appendall(sql, "CREATE TABLE x(");
  for (size_t i = 0; table->created && i < n; i++) {
    sqlite3_str_appendall(sql, i == 0 ? "" : ", ");
    declare_column(sql, table, i);
  }
  if (!table->created)
    sqlite3_str_appendall(sql, "record TEXT");
  for (size_t i = 0; !table->created && i < kind->n_options; i++)
    sqlite3_str_appendf(sql, ", \"%w\" HIDDEN", mpg_generic_option_name(kind->options[i]));
  sqlite3_str_appendall(sql, ")");
  text = sqlite3_str_finish(sql);
  if (text == NULL)
    return SQLITE_NOMEM;
  rc = sqlite3_declare_vtab(db, text);
  sqlite3_free(text);
  return rc == SQLITE_OK ? sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY) : rc;
}

static int rollup_disconnect(sqlite3_vtab *vtab) {
  rollup_table *table = (rollup_table *)vtab;
  source_close(&table->source);
  mpg_free(&table->conn->env, table->shown);
  mpg_generic_arguments_free(table->values);
  mpg_conn_release(table->conn);
  sqlite3_free(table);
  return SQLITE_OK;
}

static int rollup_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                          sqlite3_vtab **out, char **error) {
  const mpg_module_data *data = aux;
  rollup_table *table = sqlite3_malloc64(sizeof *table);
  int rc = SQLITE_OK;
  if (table == NULL)
    return SQLITE_NOMEM;
  memset(table, 0, sizeof *table);
  table->conn = data->conn;
  table->conn->references++;
  table->module = (const rollup_module *)data->module;
  /* The eponymous table has the module's name, and no argument. */
  table->created = argc > 3 || sqlite3_stricmp(argv[2], argv[0]) != 0;
  if (table->created)
    rc = open_created(table, argc, argv, error);
  if (rc == SQLITE_OK) {
    rc = declare(db, table);
    if (rc != SQLITE_OK && rc != SQLITE_NOMEM)
      *error = sqlite3_mprintf("%s: %s", table->module->module.name, sqlite3_errmsg(db));
  }
  if (rc != SQLITE_OK) {
    (void)rollup_disconnect(&table->base);
    return rc;
  }
  *out = &table->base;
  return SQLITE_OK;
}

/* ---- Plans ---- */

static size_t column_of(const void *p, int i) {
  const rollup_table *table = p;
  size_t k = (size_t)i - table->first_shown; /* of a total more than there are */
  return k < table->n_shown ? table->shown[k] : MPG_FILTER_NONE;
}

static bool is_text(const rollup_table *table, int column) {
  mpg_column_type type = table->source.columns.p[column_of(table, column)].type;
  return type != MPG_COLUMN_BIGINT && type != MPG_COLUMN_REAL && type != MPG_COLUMN_TIME;
}

/* Whether the order asked for is one of dimensions; appends how many they are, and "COLUMN
** DIRECTION" of each. */
static bool plan_order(const rollup_table *table, const sqlite3_index_info *info,
                       sqlite3_str *text) {
  bool ordered = info->nOrderBy > 0 && info->nOrderBy <= MPG_GROUP_PARTS, texts = false;
  for (int i = 0; ordered && i < info->nOrderBy; i++)
    ordered = info->aOrderBy[i].iColumn >= 0 &&
              column_of(table, info->aOrderBy[i].iColumn) != MPG_FILTER_NONE;
  for (int i = 0; ordered && i < info->nOrderBy; i++)
    texts |= is_text(table, info->aOrderBy[i].iColumn);
  ordered = ordered && (!texts || mpg_text_is_utf8(table->conn->db));
  sqlite3_str_appendf(text, "%d ", ordered ? info->nOrderBy : 0);
  for (int i = 0; ordered && i < info->nOrderBy; i++)
    sqlite3_str_appendf(text, "%d %d ", info->aOrderBy[i].iColumn, info->aOrderBy[i].desc);
  return ordered;
}

/* idxStr: the columns asked for, as a mask; how many to sort by, and which; the comparisons. */
static int plan_created(const rollup_table *table, sqlite3_index_info *info) {
  sqlite3_str *plan = sqlite3_str_new(table->conn->db);
  int equalities, failed;
  sqlite3_str_appendf(plan, "%llu ", (unsigned long long)info->colUsed);
  info->orderByConsumed = plan_order(table, info, plan);
  equalities = mpg_generic_plan_filters(info, &table->source.columns, column_of, table, plan);
  info->estimatedCost = equalities > 0 ? 5e5 : 1e6;
  info->estimatedRows = equalities > 0 ? 100 : 10000;
  failed = sqlite3_str_errcode(plan);
  info->idxStr = sqlite3_str_finish(plan);
  info->needToFreeIdxStr = 1;
  return failed != SQLITE_OK || info->idxStr == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

static int rollup_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  const rollup_table *table = (const rollup_table *)vtab;
  if (table->created)
    return plan_created(table, info);
  info->estimatedRows = 10000;
  return mpg_generic_plan_options(table->module->kind, info);
}

/* ---- Cursor ---- */

static int rollup_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
  int rc = mpg_cursor_open(sizeof(rollup_cursor), out);
  if (rc == SQLITE_OK)
    ((rollup_cursor *)*out)->record.env = &((rollup_table *)vtab)->conn->env;
  return rc;
}

static void reset(rollup_cursor *cursor) {
  (void)mpg_walk_reset(&cursor->walk); /* no file is open in it */
  mpg_groups_free(&cursor->groups);
  mpg_free(&table_of(cursor)->conn->env, cursor->order);
  source_close(&cursor->source);
  mpg_generic_free_filters(&cursor->filters, table_of(cursor)->conn);
  for (size_t i = 0; i < MPG_OPTIONS; i++) {
    sqlite3_value_free(cursor->arguments[i]);
    cursor->arguments[i] = NULL;
  }
  memset(&cursor->query, 0, sizeof cursor->query);
  cursor->order = NULL;
  cursor->n_keys = 0;
  cursor->at = 0;
}

static int rollup_close(sqlite3_vtab_cursor *base) {
  rollup_cursor *cursor = (rollup_cursor *)base;
  reset(cursor);
  mpg_walk_end(&cursor->walk);
  mpg_json_text_free(&cursor->record);
  sqlite3_free(cursor);
  return SQLITE_OK;
}

static int fail(rollup_cursor *cursor, const mpg_err *err) {
  cursor->at = cursor->groups.n;
  return mpg_vtab_failure(cursor->base.pVtab, table_of(cursor)->module->module.name, err);
}

static mpg_column_type type_of(rollup_cursor *cursor, size_t part) {
  return source_of(cursor)->columns.p[cursor->query.dimensions[part]].type;
}

/* The value of a part, as it was when the group was made. */
static mpg_value value_of(rollup_cursor *cursor, size_t group, size_t part) {
  mpg_str s = mpg_groups_part(&cursor->groups, group, part);
  mpg_value v = {MPG_NULL, 0, 0.0, {NULL, 0}};
  if (s.p == NULL)
    return v;
  switch (type_of(cursor, part)) {
  case MPG_COLUMN_BIGINT:
    v.type = MPG_INT;
    memcpy(&v.i, s.p, sizeof v.i);
    break;
  case MPG_COLUMN_REAL:
  case MPG_COLUMN_TIME:
    v.type = MPG_REAL;
    memcpy(&v.r, s.p, sizeof v.r);
    break;
  default:
    v.type = MPG_TEXT;
    v.s = s;
  }
  return v;
}

/* NULL first; of one column all others are of one type. */
static int compare(const mpg_value *a, const mpg_value *b) {
  if (a->type == MPG_NULL || b->type == MPG_NULL)
    return (a->type != MPG_NULL) - (b->type != MPG_NULL);
  if (a->type == MPG_INT)
    return (a->i > b->i) - (a->i < b->i);
  if (a->type == MPG_REAL)
    return (a->r > b->r) - (a->r < b->r);
  return mpg_str_cmp(a->s, b->s);
}

static int group_order(const void *x, const void *y, void *ctx) {
  rollup_cursor *cursor = ctx;
  for (size_t i = 0; i < cursor->n_keys; i++) {
    mpg_value a = value_of(cursor, *(const uint32_t *)x, cursor->keys[i].part);
    mpg_value b = value_of(cursor, *(const uint32_t *)y, cursor->keys[i].part);
    int order = compare(&a, &b);
    if (order != 0)
      return cursor->keys[i].down ? -order : order;
  }
  return 0;
}

static mpg_rc sort(rollup_cursor *cursor, mpg_err *err) {
  size_t n = cursor->groups.n;
  mpg_rc rc;
  for (size_t i = 0; i < cursor->query.n_dimensions; i++)
    cursor->keys[cursor->n_keys++] = (sort_key){i, false};
  cursor->order = mpg_malloc(&table_of(cursor)->conn->env, (n + 1) * sizeof *cursor->order);
  if (cursor->order == NULL)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < n; i++)
    cursor->order[i] = (uint32_t)i;
  rc = mpg_sort(&cursor->walk.scan.env, cursor->order, n, sizeof *cursor->order, group_order,
                cursor);
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

static mpg_rc sum_up(rollup_cursor *cursor, mpg_err *err) {
  const rollup_table *table = table_of(cursor);
  const rollup_source *s = source_of(cursor);
  mpg_rollup_query *q = &cursor->query;
  mpg_rc rc;
  q->format = table->module->kind->rows;
  q->rows.options = &s->generic.options;
  q->rows.columns = &s->columns;
  q->measures = &s->measures;
  memcpy(q->operands, s->operands, sizeof q->operands);
  q->skip = s->generic.skip;
  q->threads = s->generic.threads;
  mpg_groups_init(&cursor->groups, &cursor->walk.scan.env, q->n_dimensions, s->measures.n);
  rc = mpg_rows_rollup(&cursor->groups, &cursor->walk.scan.env, q, &cursor->walk.paths,
                       &table->conn->issues, err);
  return rc == MPG_OK ? sort(cursor, err) : rc;
}

static mpg_rc add_dimension(rollup_cursor *cursor, size_t column, int shown_as, mpg_err *err) {
  mpg_rollup_query *q = &cursor->query;
  if (q->n_dimensions == MPG_GROUP_PARTS)
    return mpg_fail(err, MPG_LIMIT, "a query may name at most %d columns besides measures",
                    MPG_GROUP_PARTS);
  cursor->part_of[q->n_dimensions] = shown_as;
  q->dimensions[q->n_dimensions++] = column;
  return MPG_OK;
}

static int begin_created(rollup_cursor *cursor, const char *plan, int argc, sqlite3_value **argv) {
  const rollup_table *table = table_of(cursor);
  mpg_rows_query *rows = &cursor->query.rows;
  char *end;
  uint64_t used = strtoull(plan, &end, 10);
  long n = strtol(end, &end, 10);
  mpg_err err;
  int rc;
  for (size_t k = 0; k < table->n_shown; k++) {
    size_t i = table->first_shown + k;
    if ((used >> (i < 63 ? i : 63) & 1) != 0 &&
        add_dimension(cursor, table->shown[k], (int)i, &err) != MPG_OK)
      return fail(cursor, &err);
  }
  for (long i = 0; i < n; i++) {
    int column = (int)strtol(end, &end, 10);
    bool down = strtol(end, &end, 10) != 0;
    for (size_t k = 0; k < cursor->query.n_dimensions; k++)
      if (cursor->part_of[k] == column)
        cursor->keys[cursor->n_keys++] = (sort_key){k, down};
  }
  rc = mpg_generic_take_filters(&cursor->filters, table->conn, &table->source.columns, end, argc,
                                argv);
  if (rc != SQLITE_OK)
    return rc;
  memcpy(rows->filters, cursor->filters.rows, sizeof rows->filters);
  rows->n_filters = cursor->filters.n_rows;
  return mpg_walk_path(&cursor->walk, table->source.generic.path, &err) == MPG_OK
             ? SQLITE_OK
             : fail(cursor, &err);
}

/* The columns that the argument `by` names. */
static mpg_rc read_by(rollup_cursor *cursor, const mpg_value *by, mpg_err *err) {
  const rollup_source *s = &cursor->source;
  mpg_columns list;
  mpg_rc rc;
  if (by->type == MPG_NULL || (by->type == MPG_TEXT && by->s.n == 0))
    return MPG_OK;
  if (by->type != MPG_TEXT)
    return mpg_fail(err, MPG_MISUSE, "by: expected text");
  mpg_columns_init(&list, &table_of(cursor)->conn->env);
  rc = mpg_columns_parse(&list, by->s, MPG_COLUMNS_NAMES, err);
  if (rc != MPG_OK)
    rc = named("by", err);
  for (size_t i = 0; rc == MPG_OK && i < list.n && s->columns.n > 0; i++) {
    size_t k = mpg_columns_find(&s->columns, list.p[i].name);
    char name[MPG_EXCERPT];
    mpg_text_excerpt(list.p[i].name, name);
    rc = k < s->columns.n ? add_dimension(cursor, k, (int)k, err)
                          : mpg_fail(err, MPG_MISUSE, "by: no column is called \"%s\"", name);
  }
  mpg_columns_free(&list);
  return rc;
}

static int begin_options(rollup_cursor *cursor, int given, sqlite3_value **argv, bool *none) {
  const rollup_table *table = table_of(cursor);
  mpg_value values[MPG_OPTIONS];
  mpg_err err;
  mpg_rc rc;
  int code =
      mpg_generic_read_options(table->module->kind, given, argv, cursor->arguments, values, none);
  if (code != SQLITE_OK || *none)
    return code;
  if (values[MPG_OPTION_PATH].type == MPG_NULL)
    return mpg_vtab_error(cursor->base.pVtab, "%s: expected a path, as in %s",
                          table->module->module.name, table->module->example);
  rc = source_open(&cursor->source, table, values, &cursor->walk, &err);
  if (rc == MPG_OK)
    rc = read_by(cursor, &values[MPG_OPTION_BY], &err);
  *none = rc == MPG_OK && cursor->source.columns.n == 0; /* empty files */
  return rc == MPG_OK ? SQLITE_OK : fail(cursor, &err);
}

static int rollup_filter(sqlite3_vtab_cursor *base, int given, const char *plan, int argc,
                         sqlite3_value **argv) {
  rollup_cursor *cursor = (rollup_cursor *)base;
  const rollup_table *table = table_of(cursor);
  bool none = false;
  mpg_err err;
  int rc;
  reset(cursor);
  rc = mpg_walk_begin(&cursor->walk, table->conn, NULL);
  if (rc == SQLITE_OK)
    rc = table->created ? begin_created(cursor, plan, argc, argv)
                        : begin_options(cursor, given, argv, &none);
  if (rc != SQLITE_OK || none)
    return rc;
  return sum_up(cursor, &err) == MPG_OK ? SQLITE_OK : fail(cursor, &err);
}

static int rollup_next(sqlite3_vtab_cursor *base) {
  ((rollup_cursor *)base)->at++;
  return SQLITE_OK;
}

static int rollup_eof(sqlite3_vtab_cursor *base) {
  const rollup_cursor *cursor = (const rollup_cursor *)base;
  return cursor->at >= cursor->groups.n;
}

static int rollup_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *row) {
  const rollup_cursor *cursor = (const rollup_cursor *)base;
  *row = cursor->groups.p[cursor->order[cursor->at]].first;
  return SQLITE_OK;
}

/* Measure i of a group. MPG_LIMIT: no integer of SQL holds it. */
static mpg_rc total_of(rollup_cursor *cursor, size_t group, size_t i, mpg_value *out,
                       mpg_err *err) {
  const mpg_measure *m = &source_of(cursor)->measures.p[i];
  const mpg_total *t = mpg_groups_totals(&cursor->groups, group) + i;
  char name[MPG_EXCERPT];
  out->type = MPG_NULL;
  if (t->n == 0)
    return MPG_OK;
  if (m->whole) {
    out->type = MPG_INT;
    out->i = (int64_t)t->whole;
    if (out->i == t->whole)
      return MPG_OK;
    mpg_text_excerpt(m->name, name);
    return mpg_fail(err, MPG_LIMIT, "the sum of %s is beyond 64 bits", name);
  }
  out->type = MPG_REAL;
  out->r = isfinite(t->high) ? t->high + t->low : t->high;
  return MPG_OK;
}

static mpg_rc put_member(mpg_json_text *json, mpg_str name, const mpg_value *v) {
  mpg_rc rc = mpg_json_put_key(json, name);
  return rc == MPG_OK ? mpg_rows_put(json, v) : rc;
}

static mpg_rc make_record(rollup_cursor *cursor, size_t group, mpg_value *out, mpg_err *err) {
  const rollup_source *s = &cursor->source;
  mpg_json_text *json = &cursor->record;
  mpg_value v = {MPG_NULL, 0, 0.0, {NULL, 0}};
  mpg_rc rc;
  json->n = 0;
  rc = mpg_json_put(json, MPG_STR("{"));
  for (size_t i = 0; rc == MPG_OK && i < cursor->query.n_dimensions; i++) {
    v = value_of(cursor, group, i);
    rc = put_member(json, s->columns.p[cursor->query.dimensions[i]].name, &v);
  }
  for (size_t i = 0; rc == MPG_OK && i < s->measures.n; i++) {
    if (total_of(cursor, group, i, &v, err) != MPG_OK)
      return err->rc;
    rc = put_member(json, s->measures.p[i].name, &v);
  }
  v.type = MPG_INT;
  v.i = mpg_groups_rows(&cursor->groups, group);
  if (rc == MPG_OK)
    rc = put_member(json, MPG_STR("rows"), &v);
  if (rc == MPG_OK)
    rc = mpg_json_put(json, MPG_STR("}"));
  out->type = MPG_TEXT;
  out->s = (mpg_str){json->p, json->n};
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

static int rollup_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  rollup_cursor *cursor = (rollup_cursor *)base;
  const rollup_table *table = table_of(cursor);
  size_t i = (size_t)column, group = cursor->order[cursor->at];
  mpg_value value = {MPG_NULL, 0, 0.0, {NULL, 0}};
  mpg_err err;
  mpg_rc rc = MPG_OK;
  if (!table->created && i > 0) {
    if (cursor->arguments[i - 1] != NULL)
      sqlite3_result_value(context, cursor->arguments[i - 1]);
    return SQLITE_OK;
  }
  if (!table->created) {
    rc = make_record(cursor, group, &value, &err);
  } else if (i - table->first_shown < table->n_shown) {
    for (size_t k = 0; k < cursor->query.n_dimensions; k++)
      if (cursor->part_of[k] == column)
        value = value_of(cursor, group, k);
  } else if (i - table->first_total < table->source.measures.n) {
    rc = total_of(cursor, group, i - table->first_total, &value, &err);
  } else {
    value.type = MPG_INT;
    value.i = mpg_groups_rows(&cursor->groups, group);
  }
  if (rc != MPG_OK)
    return mpg_vtab_failure(base->pVtab, table->module->module.name, &err);
  mpg_result_value(context, &value);
  return SQLITE_OK;
}

/* xCreate is xConnect: eponymous, and creatable. */
static const sqlite3_module methods = {
    .iVersion = 0,
    .xCreate = rollup_connect,
    .xConnect = rollup_connect,
    .xBestIndex = rollup_best_index,
    .xDisconnect = rollup_disconnect,
    .xDestroy = rollup_disconnect,
    .xOpen = rollup_open,
    .xClose = rollup_close,
    .xFilter = rollup_filter,
    .xNext = rollup_next,
    .xEof = rollup_eof,
    .xColumn = rollup_column,
    .xRowid = rollup_rowid,
};

int mpg_register_generic_rollup(mpg_conn *conn, char **error) {
  static const rollup_module csv = {{"csv_rollup", &methods, 0},
                                    &mpg_generic_csv_rollup,
                                    "csv_rollup('jobs.csv', 'gpus', 'pool')"},
                             json = {{"jsonl_rollup", &methods, 0},
                                     &mpg_generic_json_rollup,
                                     "jsonl_rollup('jobs.jsonl', 'gpus', 'pool')"};
  int rc = mpg_register_file_modules(conn, &csv.module, 1, error);
  return rc == SQLITE_OK ? mpg_register_file_modules(conn, &json.module, 1, error) : rc;
}
