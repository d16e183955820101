/*
** interval_buckets.c - a table function that splits one interval at the edges of time buckets.
**
**     interval_buckets(start, end, width)
**
**     SELECT b.bucket, sum(b.seconds)
**     FROM runs, interval_buckets(runs.start_time, runs.end_time, 'week') b GROUP BY 1;
**
** start and end are times as everywhere (Unix seconds, or ISO 8601 text), width is a number of
** seconds or '<n> <unit>' with unit second, minute, hour, day, week, month or year. A row for each
** bucket that the interval touches, in order:
**
**     bucket        start of the bucket, as text that sorts: '2026-11-20' or '2026-11-20 09:30:00'
**     start_time    of the part of the interval in the bucket, Unix seconds
**     end_time
**     seconds       its length
**
** No rows if start = end, or if an argument is NULL. The arguments are hidden columns, in
** this order: interval_start, interval_end, width. Errors: an argument is missing or malformed, end
** < start.
*/
#include "../connection.h"
#include "../../base/text.h"
#include "../../base/time.h"
#include "../../base/time_bucket.h"

enum { BUCKET, START_TIME, END_TIME, SECONDS, ARGUMENT, ARGUMENTS = 3 };

typedef struct cursor {
  sqlite3_vtab_cursor base; /* must be first */
  mpg_bucket width;
  int64_t from, end;                   /* what is left of the interval; from = end: nothing */
  int64_t bucket, next;                /* the bucket of `from`, and the one after */
  int64_t row;                         /* counts from 1 */
  sqlite3_value *arguments[ARGUMENTS]; /* as given */
} cursor;

static int buckets_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                           sqlite3_vtab **out, char **error) {
  (void)argc;
  (void)argv;
  return mpg_table_connect(
      db, aux,
      "CREATE TABLE x(bucket TEXT, start_time REAL, end_time REAL, seconds REAL, "
      "interval_start HIDDEN, interval_end HIDDEN, width HIDDEN)",
      SQLITE_VTAB_INNOCUOUS, out, error);
}

/* Every argument must be given with "=", and is passed to xFilter in the order of the columns.
** SQLite also requests plans for single terms of an OR, without them: idxNum 0, too expensive to be
** chosen. */
static int buckets_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  int at[ARGUMENTS] = {-1, -1, -1};
  bool unusable = false;
  for (int i = 0; i < info->nConstraint; i++) {
    int argument = info->aConstraint[i].iColumn - ARGUMENT;
    if (argument < 0 || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
      continue;
    if (mpg_argument_twice(vtab, "interval_buckets", info, argument, at[argument], i) != SQLITE_OK)
      return SQLITE_ERROR;
    if (info->aConstraint[i].usable)
      at[argument] = i;
    else
      unusable = true;
  }
  info->estimatedCost = 1e99;
  info->idxNum = (info->colUsed >> ARGUMENT & 7) == 7 ? 2 : 0;
  for (int a = 0; a < ARGUMENTS; a++)
    if (at[a] < 0)
      return unusable ? SQLITE_CONSTRAINT : SQLITE_OK;
  for (int a = 0; a < ARGUMENTS; a++) {
    info->aConstraintUsage[at[a]].argvIndex = a + 1;
    info->aConstraintUsage[at[a]].omit = 1;
  }
  info->idxNum = 1;
  info->estimatedCost = 100;
  info->estimatedRows = 100;
  if (info->nOrderBy == 1 && !info->aOrderBy[0].desc &&
      (info->aOrderBy[0].iColumn == START_TIME || info->aOrderBy[0].iColumn == END_TIME))
    info->orderByConsumed = 1;
  return SQLITE_OK;
}

static int buckets_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
  (void)vtab;
  return mpg_cursor_open(sizeof(cursor), out);
}

static void cursor_clear(cursor *c) {
  for (int a = 0; a < ARGUMENTS; a++) {
    sqlite3_value_free(c->arguments[a]);
    c->arguments[a] = NULL;
  }
  c->from = c->end = 0;
}

static int buckets_close(sqlite3_vtab_cursor *base) {
  cursor *c = (cursor *)base;
  cursor_clear(c);
  sqlite3_free(c);
  return SQLITE_OK;
}

static void set_bucket(cursor *c) {
  c->bucket = mpg_bucket_start(&c->width, c->from);
  c->next = mpg_bucket_next(&c->width, c->bucket);
}

static int buckets_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                          sqlite3_value **argv) {
  cursor *c = (cursor *)base;
  mpg_value v[ARGUMENTS];
  int64_t from, end;
  mpg_err err;
  mpg_rc rc;
  (void)text;
  cursor_clear(c);
  if (plan == 2)
    return mpg_vtab_error(base->pVtab,
                          "interval_buckets: the arguments take = alone, outside OR and "
                          "RIGHT or FULL JOIN");
  if (plan == 0)
    return mpg_vtab_error(base->pVtab, "interval_buckets: expected 3 arguments: start, end and the "
                                       "width of a bucket");
  for (int a = 0; a < argc; a++) {
    v[a] = mpg_value_of(argv[a]);
    if (v[a].type == MPG_NULL)
      return SQLITE_OK;
    c->arguments[a] = sqlite3_value_dup(argv[a]);
    if (c->arguments[a] == NULL)
      return SQLITE_NOMEM;
  }
  rc = mpg_time_value(&v[0], &from, &err);
  if (rc == MPG_OK)
    rc = mpg_time_value(&v[1], &end, &err);
  if (rc == MPG_OK)
    rc = mpg_bucket_parse(&v[2], &c->width, &err);
  if (rc == MPG_OK && end < from) {
    char from_text[40], end_text[40];
    (void)mpg_time_format(from, from_text);
    (void)mpg_time_format(end, end_text);
    rc = mpg_fail(&err, MPG_DATA, "the end %s is before the start %s", end_text, from_text);
  }
  if (rc != MPG_OK)
    return mpg_vtab_failure(base->pVtab, "interval_buckets", &err);
  c->from = from;
  c->end = end;
  c->row = mpg_first_rowid(c->arguments, ARGUMENTS) + 1;
  set_bucket(c);
  return SQLITE_OK;
}

static int64_t part_end(const cursor *c) {
  return c->next < c->end ? c->next : c->end;
}

static int buckets_next(sqlite3_vtab_cursor *base) {
  cursor *c = (cursor *)base;
  c->from = part_end(c);
  c->row++;
  set_bucket(c);
  return SQLITE_OK;
}

static int buckets_eof(sqlite3_vtab_cursor *base) {
  const cursor *c = (cursor *)base;
  return c->from >= c->end;
}

static double seconds_of(int64_t us) {
  return (double)us / (double)MPG_SECOND;
}

static int buckets_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  const cursor *c = (cursor *)base;
  char label[40];
  switch (column) {
  case BUCKET:
    (void)mpg_bucket_label(&c->width, c->bucket, label);
    sqlite3_result_text(context, label, -1, SQLITE_TRANSIENT);
    break;
  case START_TIME:
    sqlite3_result_double(context, seconds_of(c->from));
    break;
  case END_TIME:
    sqlite3_result_double(context, seconds_of(part_end(c)));
    break;
  case SECONDS:
    sqlite3_result_double(context, seconds_of(part_end(c) - c->from));
    break;
  default:
    sqlite3_result_value(context, c->arguments[column - ARGUMENT]);
    break;
  }
  return SQLITE_OK;
}

static int buckets_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  *rowid = ((cursor *)base)->row;
  return SQLITE_OK;
}

static const sqlite3_module module = {
    .iVersion = 0,
    .xConnect = buckets_connect, /* no xCreate: eponymous only */
    .xBestIndex = buckets_best_index,
    .xDisconnect = mpg_table_disconnect,
    .xOpen = buckets_open,
    .xClose = buckets_close,
    .xFilter = buckets_filter,
    .xNext = buckets_next,
    .xEof = buckets_eof,
    .xColumn = buckets_column,
    .xRowid = buckets_rowid,
};

int mpg_register_interval_buckets(mpg_conn *conn, char **error) {
  static const mpg_module modules[] = {{"interval_buckets", &module, 0}};
  return mpg_register_modules(conn, modules, sizeof modules / sizeof *modules, error);
}
