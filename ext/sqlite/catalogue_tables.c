/*
** catalogue_tables.c - three small tables about the extension itself.
**
**     mpg_chips        a row for each chip and dtype, in the order of the catalogue, with the
**                      user's rows (catalogue.h): chip, vendor, year, dtype, peak_flops,
**                      hbm_bytes, hbm_bytes_per_s, ici_bytes_per_s, tdp_w, source, aliases,
**                      devices, unit. NULL is unknown; aliases is a JSON array of text; devices
**                      and unit say what counts as one chip (chips.h)
**     mpg_categories   category, layer, meaning, and in_capacity, in_allocated, in_productive: 1 if
**                      the category counts towards C, A, G
**     mpg_issues       source, severity, kind, line, count, detail: what the connection's last scan
**                      of each source found; line is NULL if there is none
**
** Each is eponymous, and shows the state at the begin of its scan: a scan of another source in the
** same statement may add issues. mpg_chips and mpg_categories are innocuous. mpg_issues names files
** and is not. Mappings insert what they leave out into mpg_issues; nothing else can be changed.
*/
#include "catalogue.h"
#include "constraint.h"
#include "../goodput/account.h"
#include "../read/input/utf8.h"
#include "../read/parse/json_writer.h"

#include <math.h>
#include <string.h>

typedef enum kind { CHIPS, CATEGORIES, ISSUES } kind;

typedef struct cursor {
  sqlite3_vtab_cursor base; /* must be first */
  size_t i, n;
  const mpg_chips *chips; /* CHIPS: held from one xFilter to the next, or to xClose */
  mpg_issues issues;      /* ISSUES: a copy */
} cursor;

static mpg_table *table_of(const sqlite3_vtab_cursor *base) {
  return (mpg_table *)base->pVtab;
}

static kind kind_of(const sqlite3_vtab_cursor *base) {
  return (kind)table_of(base)->module->parameter;
}

static int table_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **error) {
  static const char *const declarations[] = {
      [CHIPS] = "CREATE TABLE x(chip TEXT, vendor TEXT, year BIGINT, dtype TEXT, peak_flops REAL, "
                "hbm_bytes BIGINT, hbm_bytes_per_s REAL, ici_bytes_per_s REAL, tdp_w REAL, "
                "source TEXT, aliases TEXT, devices BIGINT, unit TEXT)",
      [CATEGORIES] = "CREATE TABLE x(category TEXT, layer TEXT, meaning TEXT, in_capacity BIGINT, "
                     "in_allocated BIGINT, in_productive BIGINT)",
      [ISSUES] = "CREATE TABLE x(source TEXT, severity TEXT, kind TEXT, line BIGINT, "
                 "count BIGINT, detail TEXT, listed BIGINT HIDDEN)",
  };
  int which = ((const mpg_module_data *)aux)->module->parameter;
  (void)argc;
  (void)argv;
  return mpg_table_connect(db, aux, declarations[which],
                           which == ISSUES ? 0 : SQLITE_VTAB_INNOCUOUS, out, error);
}

/* Always a full scan: SQLite checks every condition itself. */
static int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
  static const char *const severities[] = {"info", "warning", "data_loss"};
  const mpg_word_column severity = {"mpg_issues", "severity", 1, severities, 3};
  info->estimatedRows = 300;
  info->estimatedCost = 300;
  return ((const mpg_table *)base)->module->parameter == ISSUES
             ? mpg_constraint_of_words(base, info, &severity)
             : SQLITE_OK;
}

static int table_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out) {
  const mpg_table *t = (const mpg_table *)base;
  int rc = mpg_cursor_open(sizeof(cursor), out);
  if (rc == SQLITE_OK)
    mpg_issues_init(&((cursor *)*out)->issues, &t->conn->env);
  return rc;
}

static void cursor_clear(cursor *c) {
  mpg_catalogue_release(table_of(&c->base)->conn, c->chips);
  c->chips = NULL;
  mpg_issues_free(&c->issues);
  c->i = c->n = 0;
}

static int table_close(sqlite3_vtab_cursor *base) {
  cursor *c = (cursor *)base;
  cursor_clear(c);
  sqlite3_free(c);
  return SQLITE_OK;
}

static int chips_filter(cursor *c) {
  mpg_table *t = table_of(&c->base);
  mpg_err err;
  c->chips = mpg_catalogue(t->conn, &err);
  if (c->chips == NULL)
    return mpg_vtab_failure(&t->base, "mpg_chips", &err);
  c->n = mpg_chips_count(c->chips);
  return SQLITE_OK;
}

static int issues_filter(cursor *c) {
  const mpg_issues *from = &table_of(&c->base)->conn->issues;
  for (size_t i = 0; i < from->n; i++) {
    const mpg_issue *issue = &from->items[i];
    if (mpg_issues_add(&c->issues, issue->severity, issue->source, issue->kind, issue->line,
                       issue->count, "%s", issue->detail) != MPG_OK)
      return SQLITE_NOMEM;
    c->issues.items[c->issues.n - 1].listed = issue->listed;
  }
  c->n = c->issues.n;
  return SQLITE_OK;
}

static int table_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                        sqlite3_value **argv) {
  cursor *c = (cursor *)base;
  (void)plan;
  (void)text;
  (void)argc;
  (void)argv;
  cursor_clear(c);
  switch (kind_of(base)) {
  case CHIPS:
    return chips_filter(c);
  case ISSUES:
    return issues_filter(c);
  default:
    c->n = MPG_CATEGORIES;
    return SQLITE_OK;
  }
}

static int table_next(sqlite3_vtab_cursor *base) {
  ((cursor *)base)->i++;
  return SQLITE_OK;
}

static int table_eof(sqlite3_vtab_cursor *base) {
  const cursor *c = (cursor *)base;
  return c->i >= c->n;
}

static int table_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  *rowid = (sqlite3_int64)((cursor *)base)->i + 1;
  return SQLITE_OK;
}

static void result_text(sqlite3_context *context, const char *text) {
  sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT); /* NULL gives NULL */
}

static mpg_rc put_aliases(mpg_json_text *json, const mpg_chips *chips, const char *chip) {
  mpg_rc rc = mpg_json_put(json, MPG_STR("["));
  for (size_t i = 0; rc == MPG_OK && i < mpg_chips_alias_count(chips); i++) {
    const char *alias, *of;
    mpg_chips_alias(chips, i, &alias, &of);
    if (strcmp(of, chip) != 0)
      continue;
    rc = mpg_json_put_comma(json);
    if (rc == MPG_OK)
      rc = mpg_json_put_string(json, mpg_str_of(alias));
  }
  return rc == MPG_OK ? mpg_json_put(json, MPG_STR("]")) : rc;
}

static void result_aliases(sqlite3_context *context, const cursor *c, const char *chip) {
  mpg_json_text json = {.env = &table_of(&c->base)->conn->env};
  mpg_rc rc = put_aliases(&json, c->chips, chip);
  if (rc == MPG_OK)
    sqlite3_result_text64(context, json.p, json.n, SQLITE_TRANSIENT, SQLITE_UTF8);
  else
    sqlite3_result_error_code(context, mpg_sqlite_rc(rc));
  mpg_json_text_free(&json);
}

static void chips_column(sqlite3_context *context, const cursor *c, int column) {
  const mpg_chip_row *row = mpg_chips_row(c->chips, c->i);
  switch (column) {
  case 0:
    result_text(context, row->chip);
    break;
  case 1:
    result_text(context, row->vendor);
    break;
  case 2:
    if (row->year != 0)
      sqlite3_result_int(context, row->year);
    break;
  case 3:
    result_text(context, row->dtype);
    break;
  case 4:
    sqlite3_result_double(context, row->peak_flops);
    break;
  case 5: /* NAN, which is NULL, compares false */
    if (row->hbm_bytes < 9e18)
      sqlite3_result_int64(context, llround(row->hbm_bytes));
    else
      sqlite3_result_double(context, row->hbm_bytes);
    break;
  case 6:
    sqlite3_result_double(context, row->hbm_bytes_per_s);
    break;
  case 7:
    sqlite3_result_double(context, row->ici_bytes_per_s);
    break;
  case 8:
    sqlite3_result_double(context, row->tdp_w);
    break;
  case 9:
    result_text(context, row->source);
    break;
  case 10:
    result_aliases(context, c, row->chip);
    break;
  case 11:
    if (row->devices != 0)
      sqlite3_result_int(context, row->devices);
    break;
  default:
    result_text(context, row->unit);
    break;
  }
}

static void categories_column(sqlite3_context *context, size_t i, int column) {
  const mpg_category_info *info = mpg_category_get((mpg_category)i);
  /* What a category counts towards is found by adding one unit of it to an account. */
  mpg_account one = {{{0, 0}}};
  one.sum[i].whole = 1;
  switch (column) {
  case 0:
    sqlite3_result_text(context, info->name, -1, SQLITE_STATIC);
    break;
  case 1:
    sqlite3_result_text(context, mpg_layer_name(info->layer), -1, SQLITE_STATIC);
    break;
  case 2:
    sqlite3_result_text(context, info->meaning, -1, SQLITE_STATIC);
    break;
  case 3:
    sqlite3_result_int(context, !mpg_sum_is_zero(mpg_account_capacity(&one)));
    break;
  case 4:
    sqlite3_result_int(context, !mpg_sum_is_zero(mpg_account_allocated(&one)));
    break;
  default:
    sqlite3_result_int(context, !mpg_sum_is_zero(mpg_account_productive(&one)));
    break;
  }
}

static void issues_column(sqlite3_context *context, const mpg_issue *issue, int column) {
  switch (column) {
  case 0:
    result_text(context, issue->source);
    break;
  case 1:
    sqlite3_result_text(context, mpg_severity_name(issue->severity), -1, SQLITE_STATIC);
    break;
  case 2:
    result_text(context, issue->kind);
    break;
  case 3:
    if (issue->line != 0)
      sqlite3_result_int64(context, issue->line);
    break;
  case 4:
    sqlite3_result_int64(context, issue->count);
    break;
  case 5:
    result_text(context, issue->detail);
    break;
  default:
    sqlite3_result_int64(context, (sqlite3_int64)issue->listed);
    break;
  }
}

static int table_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  const cursor *c = (cursor *)base;
  switch (kind_of(base)) {
  case CHIPS:
    chips_column(context, c, column);
    break;
  case CATEGORIES:
    categories_column(context, c->i, column);
    break;
  default:
    issues_column(context, &c->issues.items[c->i], column);
    break;
  }
  return SQLITE_OK;
}

/* The severity of that name; false if there is none. */
static bool severity_by_name(mpg_str name, mpg_severity *out) {
  for (int s = MPG_INFO; s <= MPG_DATA_LOSS; s++)
    if (mpg_str_eq(name, mpg_str_of(mpg_severity_name((mpg_severity)s)))) {
      *out = (mpg_severity)s;
      return true;
    }
  return false;
}

/* A copy with a question mark for each byte that is no UTF-8, as what a detail quotes of a file may
** have; NULL if there is none, or no memory. */
static char *sound_copy(const char *text) {
  const size_t n = text == NULL ? 0 : strlen(text);
  char *copy = n == 0 || mpg_utf8_valid(text, n) == n ? NULL : sqlite3_mprintf("%s", text);
  if (copy != NULL)
    for (size_t i; (i = mpg_utf8_valid(copy, n)) < n;)
      copy[i] = '?';
  return copy;
}

/* A row that a mapping lists: texts and whole numbers, as the table shows them. */
static int issue_insert(mpg_table *t, sqlite3_value **row) {
  enum { SOURCE, SEVERITY, KIND, LINE, COUNT, DETAIL };
  const char *source = (const char *)sqlite3_value_text(row[SOURCE]);
  const char *what = (const char *)sqlite3_value_text(row[KIND]);
  const char *detail = (const char *)sqlite3_value_text(row[DETAIL]);
  mpg_value severity = mpg_value_of(row[SEVERITY]), count = mpg_value_of(row[COUNT]);
  mpg_severity level;
  char *sound;
  int rc;
  if (source == NULL || what == NULL)
    return mpg_vtab_error(&t->base, "mpg_issues: expected a source and a kind, found NULL");
  if (severity.type != MPG_TEXT || !severity_by_name(severity.s, &level))
    return mpg_vtab_error(&t->base,
                          "mpg_issues: expected the severity 'info', 'warning' or 'data_loss'");
  if (count.type != MPG_INT || count.i < 0)
    return mpg_vtab_error(&t->base, "mpg_issues: expected a count of 0 or more");
  if (count.i == 0)
    return SQLITE_OK;
  sound = sound_copy(detail);
  rc = mpg_sqlite_rc(mpg_issues_add(&t->conn->issues, level, source, what,
                                    sqlite3_value_int64(row[LINE]), count.i, "%s",
                                    sound != NULL    ? sound
                                    : detail == NULL ? ""
                                                     : detail));
  sqlite3_free(sound);
  return rc;
}

/*
** INSERT INTO mpg_issues is how a mapping lists what it left out. A second row of one source and
** kind adds to the count of the first. The next scan of a source drops its rows, so nothing is
** updated or deleted here.
*/
static int issues_update(sqlite3_vtab *base, int argc, sqlite3_value **argv, sqlite3_int64 *rowid) {
  mpg_table *t = (mpg_table *)base;
  if (argc == 1 || sqlite3_value_type(argv[0]) != SQLITE_NULL)
    return mpg_vtab_error(base, "mpg_issues: rows can be inserted, not updated or deleted");
  *rowid = (sqlite3_int64)t->conn->issues.n;
  return issue_insert(t, argv + 2);
}

#define SCAN_METHODS                                                                               \
  .iVersion = 0, .xConnect = table_connect, /* no xCreate: eponymous only */                       \
      .xBestIndex = table_best_index, .xDisconnect = mpg_table_disconnect, .xOpen = table_open,    \
  .xClose = table_close, .xFilter = table_filter, .xNext = table_next, .xEof = table_eof,          \
  .xColumn = table_column, .xRowid = table_rowid

static const sqlite3_module module = {SCAN_METHODS};
static const sqlite3_module issues_module = {SCAN_METHODS, .xUpdate = issues_update};

int mpg_register_catalogue(mpg_conn *conn, char **error) {
  static const mpg_module modules[] = {
      {"mpg_chips", &module, CHIPS},
      {"mpg_categories", &module, CATEGORIES},
      {"mpg_issues", &issues_module, ISSUES},
  };
  return mpg_register_modules(conn, modules, sizeof modules / sizeof *modules, error);
}
