/* constraint.c - see constraint.h. */
#include "constraint.h"
#include "../base/number.h"
#include "../base/time.h"
#include "host.h"
#include "results.h"

#include <math.h>
#include <string.h>

bool mpg_constraint_is_constant(sqlite3_index_info *info, int c) {
  return mpg_host_constant(info, c) != NULL;
}

/* To SQLite a cost is a logarithm, of large ones in whole powers of two. */
void mpg_constraint_in_doubt(sqlite3_index_info *info, int n) {
  info->estimatedCost = ldexp(info->estimatedCost, n < 100 ? n : 100);
}

int mpg_value_of_words(sqlite3_vtab *vtab, sqlite3_value *value, const mpg_word_column *column) {
  char what[400] = "one of ";
  size_t n = strlen(what);
  mpg_value found;
  if (value == NULL || sqlite3_value_type(value) != SQLITE_TEXT)
    return SQLITE_OK;
  found = mpg_value_of(value);
  for (size_t i = 0; i < column->n; i++) {
    if (mpg_str_eq(found.s, mpg_str_of(column->words[i])))
      return SQLITE_OK;
    (void)sqlite3_snprintf((int)(sizeof what - n), what + n, "%s'%s'", i == 0 ? "" : ", ",
                           column->words[i]);
    n += strlen(what + n);
  }
  return mpg_vtab_misuse(vtab, column->table, column->name, what, &found);
}

int mpg_constraint_of_words(sqlite3_vtab *vtab, sqlite3_index_info *info,
                            const mpg_word_column *column) {
  int rc = SQLITE_OK;
  for (int i = 0; rc == SQLITE_OK && i < info->nConstraint; i++) {
    const struct sqlite3_index_constraint *c = &info->aConstraint[i];
    if (c->iColumn == column->column &&
        (c->op == SQLITE_INDEX_CONSTRAINT_EQ || c->op == SQLITE_INDEX_CONSTRAINT_NE) &&
        sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") == 0)
      rc = mpg_value_of_words(vtab, mpg_host_constant(info, i), column);
  }
  return rc;
}

/* Whether it is a text that is a time and no number. */
static bool is_time(sqlite3_value *value) {
  int64_t us;
  mpg_err ignored;
  double number;
  mpg_str text;
  if (value == NULL || sqlite3_value_type(value) != SQLITE_TEXT)
    return false;
  text = mpg_value_of(value).s;
  return !mpg_real_parse(text, &number) && mpg_time_parse(text, &us, &ignored) == MPG_OK;
}

int mpg_value_of_numbers(sqlite3_vtab *vtab, sqlite3_value *value, const char *table,
                         mpg_str column) {
  if (!is_time(value))
    return SQLITE_OK;
  return mpg_vtab_error(vtab, "%s: %.*s: expected a number, such as mpg_time('%s'), found '%s'",
                        table, (int)column.n, column.p, sqlite3_value_text(value),
                        sqlite3_value_text(value));
}

int mpg_constraint_of_numbers(sqlite3_vtab *vtab, sqlite3_index_info *info, const char *table,
                              mpg_number_column *name, const void *of) {
  static const unsigned char ops[] = {SQLITE_INDEX_CONSTRAINT_EQ, SQLITE_INDEX_CONSTRAINT_GT,
                                      SQLITE_INDEX_CONSTRAINT_LE, SQLITE_INDEX_CONSTRAINT_LT,
                                      SQLITE_INDEX_CONSTRAINT_GE};
  int rc = SQLITE_OK;
  for (int i = 0; rc == SQLITE_OK && i < info->nConstraint; i++) {
    const struct sqlite3_index_constraint *c = &info->aConstraint[i];
    mpg_str column;
    if (c->iColumn >= 0 && memchr(ops, c->op, sizeof ops) != NULL &&
        (column = name(of, c->iColumn)).n > 0)
      rc = mpg_value_of_numbers(vtab, mpg_host_constant(info, i), table, column);
  }
  return rc;
}

/* Whether only xFilter gets the value. That of "=" may be one of an IN, for which SQLite would scan
** once more. */
static bool is_for_filter(sqlite3_index_info *info, int c) {
  static const unsigned char ops[] = {SQLITE_INDEX_CONSTRAINT_GT, SQLITE_INDEX_CONSTRAINT_LE,
                                      SQLITE_INDEX_CONSTRAINT_LT, SQLITE_INDEX_CONSTRAINT_GE};
  return info->aConstraint[c].iColumn >= 0 && info->aConstraint[c].usable != 0 &&
         memchr(ops, info->aConstraint[c].op, sizeof ops) != NULL &&
         info->aConstraintUsage[c].argvIndex == 0 && mpg_host_constant(info, c) == NULL;
}

void mpg_constraint_ask_numbers(sqlite3_index_info *info, mpg_number_column *name, const void *of,
                                int given, sqlite3_str *text) {
  for (int i = 0; i < info->nConstraint; i++) {
    mpg_str column;
    if (!is_for_filter(info, i) || (column = name(of, info->aConstraint[i].iColumn)).n == 0)
      continue;
    info->aConstraintUsage[i].argvIndex = ++given;
    sqlite3_str_appendf(text, "%.*s;", (int)column.n, column.p);
  }
  sqlite3_str_appendchar(text, 1, '|');
}

int mpg_values_of_numbers(sqlite3_vtab *vtab, const char *table, const char **text, int argc,
                          sqlite3_value **argv) {
  int rc = SQLITE_OK, n = 0;
  for (const char *p = *text; *p != '|'; p++)
    n += *p == ';';
  for (; rc == SQLITE_OK && n > 0; n--) {
    const char *end = strchr(*text, ';');
    rc = mpg_value_of_numbers(vtab, argv[argc - n], table, (mpg_str){*text, (size_t)(end - *text)});
    *text = end + 1;
  }
  *text += rc == SQLITE_OK;
  return rc;
}

mpg_str mpg_declared_number(const void *declaration, int column) {
  const char *name = strchr(declaration, '(') + 1, *type;
  for (int i = 0; i < column && name != NULL; i++)
    if ((name = strchr(name, ',')) != NULL)
      name += 2;
  if (name == NULL || (type = strchr(name, ' ')) == NULL)
    return MPG_STR("");
  return strncmp(type, " REAL,", 6) == 0 || strncmp(type, " BIGINT,", 8) == 0
             ? (mpg_str){name, (size_t)(type - name)}
             : MPG_STR("");
}
