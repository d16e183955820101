/* reader_groups.c - see reader_groups.h. */
#include "reader_groups.h"
#include "../host.h"

#include <stdlib.h>
#include <string.h>

#define MEMORY ((size_t)32 << 20)

/* Of each record, before the columns: its number, the number of its file, and its line. */
enum { ROW, FILE_NUMBER, LINE, COLUMNS };
#define COLUMNS_MOST (MPG_GROUP_SORTER_VALUES - COLUMNS)

static bool has_column(uint64_t columns, size_t column) {
  return (columns >> column & 1) != 0;
}

/* How many columns of a set come before one. */
static size_t columns_before(uint64_t columns, size_t column) {
  return (size_t)__builtin_popcountll(columns & ((UINT64_C(1) << column) - 1));
}

static uint64_t keys_of(const mpg_reader_grouping *by) {
  uint64_t keys = 0;
  for (size_t i = 0; i < by->n_keys; i++)
    keys |= UINT64_C(1) << by->key[i];
  return keys;
}

/* ---- Plan ---- */

/*
** SQLite sets the highest bit for any column from the 64th on, hidden ones included. Then _file and
** _line are stored, though the statement may have named only the argument `threads`.
**
** Only for GROUP BY: with rows in the order of the file, DISTINCT with a LIMIT ends long before the
** file does.
*/
bool mpg_reader_plan_groups(const mpg_reader_format *f, sqlite3 *db, sqlite3_index_info *info,
                            sqlite3_str *text) {
  uint64_t own = f->ncolumns < 63 ? (UINT64_C(1) << f->ncolumns) - 1 : 0, keys = 0, others;
  size_t n = info->nOrderBy < 0 ? 0 : (size_t)info->nOrderBy;
  if (n == 0 || n > MPG_GROUP_SORTER_KEYS || mpg_host_distinct(info) != 1)
    return false;
  for (size_t i = 0; i < n; i++) {
    int column = info->aOrderBy[i].iColumn;
    if (column < 0 || column >= (int)f->ncolumns || column >= 63 ||
        !has_column(f->comparable & f->plain, (size_t)column))
      return false;
    keys |= UINT64_C(1) << column;
  }
  others = info->colUsed & own & ~keys;
  if ((others & ~f->plain) != 0 || columns_before(others, 63) > COLUMNS_MOST ||
      !mpg_text_is_utf8(db))
    return false;
  sqlite3_str_appendf(text, " %llx %d", (unsigned long long)others, (info->colUsed & ~own) != 0);
  for (size_t i = 0; i < n; i++)
    sqlite3_str_appendf(text, " %d %d", info->aOrderBy[i].iColumn, info->aOrderBy[i].desc);
  return true;
}

mpg_reader_grouping mpg_reader_grouping_of(const char *text) {
  mpg_reader_grouping by = {.n_keys = 0};
  char *p;
  by.columns = strtoull(text, &p, 16);
  by.places = strtol(p, &p, 10) != 0;
  while (*p != '\0' && by.n_keys < MPG_GROUP_SORTER_KEYS) {
    by.key[by.n_keys] = strtoul(p, &p, 10);
    by.descending[by.n_keys++] = strtol(p, &p, 10) != 0;
  }
  return by;
}

void mpg_reader_groups_reset(mpg_reader_groups *groups) {
  mpg_group_sorter_close(groups->gather);
  (void)sqlite3_finalize(groups->sorted);
  for (size_t i = 0; i < sizeof groups->texts / sizeof *groups->texts; i++)
    mpg_shared_text_free(&groups->texts[i]);
  memset(groups, 0, sizeof *groups);
}

/* ---- Gathered ---- */

/* MPG_LIMIT: it is one too many. */
static mpg_rc add_record(const mpg_reader_groups *groups, const mpg_reader_records *records,
                         mpg_err *err) {
  const mpg_reader_grouping *by = &groups->by;
  mpg_value keys[MPG_GROUP_SORTER_KEYS], values[MPG_GROUP_SORTER_VALUES];
  size_t n = COLUMNS;
  mpg_rc rc = MPG_OK;
  values[ROW] = (mpg_value){.type = MPG_INT, .i = records->row(records->of)};
  values[FILE_NUMBER].type = values[LINE].type = MPG_NULL;
  if (by->places) {
    values[FILE_NUMBER] = (mpg_value){.type = MPG_INT, .i = (int64_t)records->file(records->of)};
    values[LINE] = (mpg_value){.type = MPG_INT, .i = records->line(records->of)};
  }
  for (uint64_t left = by->columns; rc == MPG_OK && left != 0; left &= left - 1, n++) {
    values[n].type = MPG_NULL;
    rc = records->column(records->of, (size_t)__builtin_ctzll(left), &values[n], err);
  }
  for (size_t i = 0; rc == MPG_OK && i < by->n_keys; i++) {
    keys[i].type = MPG_NULL;
    rc = records->column(records->of, by->key[i], &keys[i], err);
  }
  if (rc != MPG_OK)
    return rc;
  rc = mpg_group_sorter_add(groups->gather, keys, values);
  return rc == MPG_NOMEM || rc == MPG_INTERRUPTED ? mpg_fail_plain(err, rc) : rc;
}

mpg_rc mpg_reader_groups_read(mpg_reader_groups *groups, const mpg_env *env,
                              const mpg_reader_records *records, mpg_err *err) {
  mpg_rc rc = mpg_group_sorter_open(&groups->gather, env, groups->by.n_keys,
                                    COLUMNS + columns_before(groups->by.columns, 63), MEMORY, err);
  while (rc == MPG_OK && (rc = records->next(records->of, err)) == MPG_OK) {
    rc = add_record(groups, records, err);
    if (rc == MPG_LIMIT) {
      mpg_group_sorter_close(groups->gather);
      groups->gather = NULL;
      return MPG_OK;
    }
  }
  return rc == MPG_DONE ? mpg_group_sorter_sort(groups->gather, groups->by.descending, err) : rc;
}

/* ---- Sorted ---- */

/* The columns come after the three that each record has, in their order. */
static void select_sorted(const mpg_reader_grouping *by, const mpg_reader_format *f,
                          sqlite3_str *sql) {
  sqlite3_str_appendf(sql, "SELECT rowid, %s", by->places ? "_file, _line" : "NULL, NULL");
  for (uint64_t left = by->columns | keys_of(by); left != 0; left &= left - 1)
    sqlite3_str_appendf(sql, ", \"%w\"", f->columns[__builtin_ctzll(left)].name);
  sqlite3_str_appendf(sql, " FROM \"%w\" WHERE 1", f->module.name);
}

int mpg_reader_groups_sorted(mpg_reader_groups *groups, const mpg_reader_format *f, sqlite3 *db,
                             const char *const *names, sqlite3_value *const *arguments, size_t n,
                             const mpg_reader_request *request) {
  const mpg_reader_grouping *by = &groups->by;
  sqlite3_str *sql = sqlite3_str_new(NULL);
  char *text;
  int rc, given = 0;
  select_sorted(by, f, sql);
  for (size_t i = 0; i < n; i++)
    if (arguments[i] != NULL)
      sqlite3_str_appendf(sql, " AND \"%w\" = ?", names[i]);
  /* A text with a NUL in it cannot be written here, and need not be: SQLite tests all rows again.
  */
  for (size_t i = 0; i < request->n; i++)
    if (memchr(request->equal[i].text.p, '\0', request->equal[i].text.n) == NULL)
      sqlite3_str_appendf(sql, " AND \"%w\" = %Q", f->columns[request->equal[i].column].name,
                          request->equal[i].text.p);
  for (size_t i = 0; i < by->n_keys; i++)
    sqlite3_str_appendf(sql, "%s \"%w\"%s", i == 0 ? " ORDER BY" : ",", f->columns[by->key[i]].name,
                        by->descending[i] ? " DESC" : "");
  text = sqlite3_str_finish(sql);
  if (text == NULL)
    return SQLITE_NOMEM;
  rc = sqlite3_prepare_v2(db, text, -1, &groups->sorted, NULL);
  sqlite3_free(text);
  for (size_t i = 0; rc == SQLITE_OK && i < n; i++)
    if (arguments[i] != NULL)
      rc = sqlite3_bind_value(groups->sorted, ++given, arguments[i]);
  return rc;
}

/* ---- Rows ---- */

int mpg_reader_groups_next(mpg_reader_groups *groups) {
  if (groups->sorted != NULL)
    return sqlite3_step(groups->sorted);
  return mpg_group_sorter_next(groups->gather) ? SQLITE_ROW : SQLITE_DONE;
}

sqlite3_int64 mpg_reader_groups_row(const mpg_reader_groups *groups) {
  return groups->sorted != NULL ? sqlite3_column_int64(groups->sorted, ROW)
                                : mpg_group_sorter_value(groups->gather, ROW)->i;
}

/* `shown` is only for the values of this row. */
static void result_value(const mpg_reader_groups *groups, sqlite3_context *context, mpg_conn *conn,
                         const mpg_value *value, mpg_shared_text *texts) {
  if (value->type == MPG_TEXT)
    mpg_result_shared_text(context, conn, texts, mpg_group_sorter_texts(groups->gather),
                           (uint32_t)value->i, true);
  else
    mpg_result_value(context, value);
}

void mpg_reader_groups_column(mpg_reader_groups *groups, sqlite3_context *context, mpg_conn *conn,
                              size_t column) {
  const mpg_reader_grouping *by = &groups->by;
  if (groups->sorted != NULL) {
    int at = COLUMNS + (int)columns_before(by->columns | keys_of(by), column);
    sqlite3_result_value(context, sqlite3_column_value(groups->sorted, at));
    return;
  }
  for (size_t i = 0; i < by->n_keys; i++)
    if (by->key[i] == column) {
      result_value(groups, context, conn, mpg_group_sorter_key(groups->gather, i),
                   &groups->texts[i]);
      return;
    }
  if (has_column(by->columns, column)) {
    size_t i = COLUMNS + columns_before(by->columns, column);
    result_value(groups, context, conn, mpg_group_sorter_value(groups->gather, i),
                 &groups->texts[MPG_GROUP_SORTER_KEYS + i]);
  }
}

void mpg_reader_groups_file(const mpg_reader_groups *groups, sqlite3_context *context,
                            const mpg_paths *paths) {
  if (groups->sorted != NULL)
    sqlite3_result_value(context, sqlite3_column_value(groups->sorted, FILE_NUMBER));
  else
    sqlite3_result_text(context,
                        paths->file[mpg_group_sorter_value(groups->gather, FILE_NUMBER)->i].path,
                        -1, SQLITE_TRANSIENT);
}

void mpg_reader_groups_line(const mpg_reader_groups *groups, sqlite3_context *context) {
  if (groups->sorted != NULL)
    sqlite3_result_value(context, sqlite3_column_value(groups->sorted, LINE));
  else
    sqlite3_result_int64(context, mpg_group_sorter_value(groups->gather, LINE)->i);
}
