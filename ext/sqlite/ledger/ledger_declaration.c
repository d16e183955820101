/* ledger_declaration.c - see ledger_declaration.h. */
#include "ledger_declaration.h"
#include "ledger_arguments.h"
#include "ledger_plan.h"
#include "../constraint.h"
#include "../host.h"

const mpg_ledger_table *mpg_ledger_table_of(const mpg_table *t) {
  return mpg_ledger_table_get(t->module->parameter);
}

/* Times, widths and counts may be numbers. */
static const char *argument_type(mpg_arg a) {
  switch (a) {
  case MPG_ARG_BUCKET_WIDTH:
  case MPG_ARG_SINCE:
  case MPG_ARG_UNTIL:
  case MPG_ARG_AS_OF:
  case MPG_ARG_THREADS:
    return "";
  default:
    return "TEXT";
  }
}

char *mpg_ledger_declared(const char *columns, const mpg_ledger_table *kind) {
  sqlite3_str *sql = sqlite3_str_new(NULL);
  sqlite3_str_appendall(sql, columns);
  for (int i = 0; i < kind->nargs; i++) {
    if (i > 0)
      sqlite3_str_appendall(sql, ", ");
    mpg_declare_argument(sql, mpg_arg_name((mpg_arg)kind->args[i]),
                         argument_type((mpg_arg)kind->args[i]));
  }
  sqlite3_str_appendall(sql, ")");
  return sqlite3_str_finish(sql);
}

int mpg_ledger_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                       sqlite3_vtab **out, char **error) {
  const mpg_module_data *data = aux;
  const mpg_ledger_table *kind = mpg_ledger_table_get(data->module->parameter);
  sqlite3_str *sql = sqlite3_str_new(NULL);
  char *columns, *text;
  int rc;
  (void)argc;
  (void)argv;
  sqlite3_str_appendall(sql, "CREATE TABLE x(");
  for (int i = 0; i < kind->ncols; i++) {
    const mpg_ledger_column_info *col = mpg_ledger_column_get((mpg_ledger_column)kind->cols[i]);
    sqlite3_str_appendf(sql, "%s %s, ", col->name,
                        col->type == MPG_TEXT  ? "TEXT"
                        : col->type == MPG_INT ? "BIGINT"
                                               : "REAL");
  }
  columns = sqlite3_str_finish(sql);
  text = columns == NULL ? NULL : mpg_ledger_declared(columns, kind);
  sqlite3_free(columns);
  if (text == NULL)
    return SQLITE_NOMEM;
  /* what a file holds is no business of a stored schema */
  rc = mpg_table_connect(db, aux, text, kind->files ? SQLITE_VTAB_DIRECTONLY : 0, out, error);
  sqlite3_free(text);
  return rc;
}

int mpg_ledger_not_handed_over(sqlite3_vtab *vtab, int a) {
  const mpg_ledger_table *kind = mpg_ledger_table_of((const mpg_table *)vtab);
  return mpg_argument_missing(vtab, kind->name, mpg_arg_name((mpg_arg)kind->args[a]));
}

int mpg_ledger_missing(const mpg_ledger_table *kind, unsigned long long columns, int given) {
  for (int a = 0; a < kind->nargs; a++)
    if ((columns >> (kind->ncols + a) & 1) != 0 && (given >> a & 1) == 0)
      return a;
  return -1;
}

/* Categories and sizes are a few words: a comparison with another is a mistake. */
static int check_words(sqlite3_vtab *vtab, sqlite3_index_info *info, const mpg_ledger_table *kind) {
  const char *words[MPG_CATEGORIES];
  int rc = SQLITE_OK;
  for (int i = 0; rc == SQLITE_OK && kind->cols != NULL && i < kind->ncols; i++) {
    size_t n = 0;
    if (kind->cols[i] == MPG_COL_CATEGORY)
      for (; n < MPG_CATEGORIES; n++)
        words[n] = mpg_category_name((mpg_category)n);
    else if (kind->cols[i] == MPG_COL_SIZE)
      for (; n < 4; n++)
        words[n] = mpg_size_name((uint8_t)(n + 1));
    if (n > 0)
      rc = mpg_constraint_of_words(
          vtab, info,
          &(mpg_word_column){kind->name,
                             mpg_ledger_column_get((mpg_ledger_column)kind->cols[i])->name, i,
                             words, n});
  }
  return rc;
}

static mpg_str number_column(const void *of, int column) {
  const mpg_ledger_table *kind = of;
  const mpg_ledger_column_info *info;
  if (kind->cols == NULL || column >= kind->ncols)
    return MPG_STR("");
  info = mpg_ledger_column_get((mpg_ledger_column)kind->cols[column]);
  return info->type == MPG_TEXT ? MPG_STR("") : mpg_str_of(info->name);
}

int mpg_ledger_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  const mpg_ledger_table *kind = mpg_ledger_table_of((const mpg_table *)vtab);
  int at[MPG_ARGS], n = 0, rc = check_words(vtab, info, kind);
  if (rc == SQLITE_OK)
    rc = mpg_constraint_of_numbers(vtab, info, kind->name, number_column, kind);
  if (rc != SQLITE_OK)
    return rc;
  for (int a = 0; a < MPG_ARGS; a++)
    at[a] = -1;
  for (int i = 0; i < info->nConstraint; i++) {
    const struct sqlite3_index_constraint *c = &info->aConstraint[i];
    int a = c->iColumn - kind->ncols;
    if (c->op == SQLITE_INDEX_CONSTRAINT_LIMIT || c->op == SQLITE_INDEX_CONSTRAINT_OFFSET || a < 0)
      continue;
    if (c->op != SQLITE_INDEX_CONSTRAINT_EQ)
      return mpg_ledger_not_handed_over(vtab, a);
    if (!c->usable)
      return SQLITE_CONSTRAINT;
    if (mpg_argument_twice(vtab, kind->name, info, a, at[a], i) != SQLITE_OK)
      return SQLITE_ERROR;
    at[a] = i;
  }
  for (int a = 0; a < kind->nargs; a++)
    if (at[a] != -1) {
      info->idxNum |= mpg_argument_bits(a, at[a]);
      info->aConstraintUsage[at[a]].argvIndex = ++n;
      info->aConstraintUsage[at[a]].omit = 1;
    }
  info->estimatedRows = 1000000; /* about what a scan costs: rows are held, one again is cheap */
  info->estimatedCost = 2e6 / (1 << n); /* a plan that drops an argument is never the cheaper one */
  /* Without its path a scan is an error, but only xFilter can say so: SQLite also requests plans
  ** for single terms of an OR, without the path. */
  if (kind->args[0] == MPG_ARG_PATH && at[0] == -1)
    info->estimatedCost = 1e60;
  return mpg_ledger_plan(((const mpg_table *)vtab)->conn->db, info, kind, n) ? SQLITE_OK
                                                                             : SQLITE_NOMEM;
}
