/*
** floor.c - what SQLite itself takes to group as many rows as a ledger has, for tests/bench/run: a
** virtual table that does nothing, and an aggregate that looks at its arguments and keeps nothing.
**
**   SELECT pool, chip, phase, framework, taken(category, chip_us)
**   FROM floor_rows(ROWS, GROUPS) GROUP BY 1, 2, 3, 4
**
** Rows come in the order of the groups, and texts are SQLITE_STATIC: no table of such rows can be
** quicker.
*/
#include <sqlite3ext.h>
#include <stdio.h>
#include <string.h>
SQLITE_EXTENSION_INIT1

enum { POOL, CHIP, PHASE, FRAMEWORK, CATEGORY, CHIP_US, ROWS, GROUPS };

typedef struct cursor {
  sqlite3_vtab_cursor base;              /* must be first */
  sqlite3_int64 row, rows, groups, next; /* next: the first row of the next group */
  char pool[32];
} cursor;

static int floor_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **error) {
  (void)aux, (void)argc, (void)argv, (void)error;
  *out = sqlite3_malloc64(sizeof **out);
  if (*out == NULL)
    return SQLITE_NOMEM;
  memset(*out, 0, sizeof **out);
  return sqlite3_declare_vtab(db, "CREATE TABLE x(pool TEXT, chip TEXT, phase TEXT, framework "
                                  "TEXT, category TEXT, chip_us BIGINT, "
                                  "n_rows HIDDEN, n_groups HIDDEN)");
}

static int floor_disconnect(sqlite3_vtab *vtab) {
  sqlite3_free(vtab);
  return SQLITE_OK;
}

static int floor_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  (void)vtab;
  for (int i = 0; i < info->nConstraint; i++)
    if (info->aConstraint[i].iColumn >= ROWS && info->aConstraint[i].usable) {
      info->aConstraintUsage[i].argvIndex = info->aConstraint[i].iColumn - ROWS + 1;
      info->aConstraintUsage[i].omit = 1;
    }
  info->orderByConsumed = 1;
  return SQLITE_OK;
}

static int floor_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
  cursor *c = sqlite3_malloc64(sizeof *c);
  (void)vtab;
  if (c == NULL)
    return SQLITE_NOMEM;
  memset(c, 0, sizeof *c);
  *out = &c->base;
  return SQLITE_OK;
}

static int floor_close(sqlite3_vtab_cursor *base) {
  sqlite3_free(base);
  return SQLITE_OK;
}

static int floor_filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
                        sqlite3_value **argv) {
  cursor *c = (cursor *)base;
  (void)number, (void)text;
  if (argc != 2)
    return SQLITE_MISUSE;
  c->row = c->next = 0;
  c->rows = sqlite3_value_int64(argv[0]);
  c->groups = sqlite3_value_int64(argv[1]);
  return SQLITE_OK;
}

static int floor_next(sqlite3_vtab_cursor *base) {
  ((cursor *)base)->row++;
  return SQLITE_OK;
}

static int floor_eof(sqlite3_vtab_cursor *base) {
  const cursor *c = (const cursor *)base;
  return c->row >= c->rows;
}

static int floor_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int i) {
  cursor *c = (cursor *)base;
  switch (i) {
  case POOL: /* SQLite copies what it keeps of a group: the text changes with it */
    if (c->row >= c->next) {
      c->next = c->row + c->rows / c->groups + 1;
      snprintf(c->pool, sizeof c->pool, "pool-%09lld", c->row);
      sqlite3_result_text(context, c->pool, -1, SQLITE_TRANSIENT);
    } else {
      sqlite3_result_text(context, c->pool, -1, SQLITE_STATIC);
    }
    break;
  case CHIP:
    sqlite3_result_text(context, "tpu-v5p", -1, SQLITE_STATIC);
    break;
  case PHASE:
    sqlite3_result_text(context, "training", -1, SQLITE_STATIC);
    break;
  case FRAMEWORK:
    sqlite3_result_text(context, "jax", -1, SQLITE_STATIC);
    break;
  case CATEGORY:
    sqlite3_result_text(context, c->row & 1 ? "inefficiency" : "ideal", -1, SQLITE_STATIC);
    break;
  default:
    sqlite3_result_int64(context, 977 * c->row);
  }
  return SQLITE_OK;
}

static int floor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  *rowid = ((cursor *)base)->row;
  return SQLITE_OK;
}

static void taken_step(sqlite3_context *context, int n, sqlite3_value **args) {
  sqlite3_int64 *sum = sqlite3_aggregate_context(context, sizeof *sum);
  (void)n;
  if (sum != NULL && sqlite3_value_text(args[0]) != NULL)
    *sum ^= sqlite3_value_int64(args[1]);
}

static void taken_final(sqlite3_context *context) {
  sqlite3_int64 *sum = sqlite3_aggregate_context(context, 0);
  sqlite3_result_int64(context, sum == NULL ? 0 : *sum);
}

int sqlite3_floor_init(sqlite3 *db, char **error, const sqlite3_api_routines *api);
int sqlite3_floor_init(sqlite3 *db, char **error, const sqlite3_api_routines *api) {
  static const sqlite3_module module = {.xConnect = floor_connect,
                                        .xBestIndex = floor_best_index,
                                        .xDisconnect = floor_disconnect,
                                        .xOpen = floor_open,
                                        .xClose = floor_close,
                                        .xFilter = floor_filter,
                                        .xNext = floor_next,
                                        .xEof = floor_eof,
                                        .xColumn = floor_column,
                                        .xRowid = floor_rowid};
  int rc;
  SQLITE_EXTENSION_INIT2(api)
  (void)error;
  rc = sqlite3_create_module(db, "floor_rows", &module, NULL);
  return rc == SQLITE_OK ? sqlite3_create_function(db, "taken", 2, SQLITE_UTF8, NULL, NULL,
                                                   taken_step, taken_final)
                         : rc;
}
