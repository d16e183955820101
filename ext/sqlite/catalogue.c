/*
** catalogue.c - see catalogue.h. Every catalogue in use hangs in the connection's list with the
** number of its users: the built-in one always, one with a user's rows for each statement that
** needed it.
*/
#include "catalogue.h"
#include "../base/intern.h"
#include "host.h"
#include "../base/number.h"
#include "../base/text.h"
#include "../program/roofline.h"
#include "../read/parse/json_records.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct mpg_catalogue_entry {
  struct mpg_catalogue_entry *next;
  mpg_chips *chips;
  int users;
} mpg_catalogue_entry;

/* Columns of a user's table, in the order of the SELECT. */
enum {
  CHIP,
  DTYPE,
  PEAK_FLOPS,
  NEEDED,
  VENDOR = NEEDED,
  YEAR,
  HBM_BYTES,
  HBM_BYTES_PER_S,
  ICI_BYTES_PER_S,
  TDP_W,
  SOURCE,
  ALIASES,
  COLUMNS
};

static const char *const columns[COLUMNS] = {
    "chip",  "dtype",     "peak_flops",      "vendor",
    "year",  "hbm_bytes", "hbm_bytes_per_s", "ici_bytes_per_s",
    "tdp_w", "source",    "aliases",
};

/* A user's table on its way into a catalogue. */
typedef struct reading {
  mpg_conn *conn;
  const char *table; /* "main.chips" */
  sqlite3_stmt *stmt;
  int64_t row; /* counts from 1 in the order of the table */
  mpg_json_doc *doc;
  mpg_err *err;
} reading;

static mpg_rc sqlite_failure(const reading *r, int rc) {
  if (rc == SQLITE_NOMEM)
    return mpg_fail_nomem(r->err);
  return mpg_fail(r->err, rc == SQLITE_INTERRUPT ? MPG_INTERRUPTED : MPG_IO, "%s: %s", r->table,
                  sqlite3_errmsg(r->conn->db));
}

static mpg_rc row_failure(const reading *r, const char *format, ...) MPG_PRINTF(2, 3);

static mpg_rc row_failure(const reading *r, const char *format, ...) {
  char what[MPG_ERR_TEXT / 2];
  va_list args;
  va_start(args, format);
  mpg_format(what, sizeof what, format, args);
  va_end(args);
  return mpg_fail(r->err, MPG_DATA, "%s: row %lld: %s", r->table, (long long)r->row, what);
}

/* Prepares a statement in which every %w is the schema. A crafted schema may define `chips` as a
** virtual table; that is never read, for INNOCUOUS functions use this. */
static mpg_rc prepare_statement(reading *r, const char *sql) {
  int rc;
  if (sql == NULL)
    return mpg_fail_nomem(r->err);
  rc = sqlite3_prepare_v3(r->conn->db, sql, -1, SQLITE_PREPARE_NO_VTAB, &r->stmt, NULL);
  return rc == SQLITE_OK ? MPG_OK : sqlite_failure(r, rc);
}

static void finalize_statement(reading *r) {
  sqlite3_finalize(r->stmt);
  r->stmt = NULL;
}

/* *there: an ordinary table, with a place in the file. */
static mpg_rc is_table(reading *r, const char *schema, bool *there) {
  char *sql = sqlite3_mprintf("SELECT 1 FROM \"%w\".sqlite_schema WHERE type = 'table' AND "
                              "rootpage > 0 AND name = 'chips' COLLATE NOCASE",
                              schema);
  mpg_rc rc = prepare_statement(r, sql);
  sqlite3_free(sql);
  if (rc == MPG_OK) {
    int step = sqlite3_step(r->stmt);
    *there = step == SQLITE_ROW;
    if (step != SQLITE_ROW && step != SQLITE_DONE)
      rc = sqlite_failure(r, step);
  }
  finalize_statement(r);
  if (rc == MPG_OK &&
      *there) { /* a crafted one could still be virtual, and the pragma would connect it */
    sql = sqlite3_mprintf("SELECT 1 FROM \"%w\".chips", schema);
    rc = prepare_statement(r, sql);
    sqlite3_free(sql);
    finalize_statement(r);
  }
  return rc;
}

/* Which columns the table has, generated ones left out. */
static mpg_rc find_columns(reading *r, const char *schema, bool has[COLUMNS]) {
  char *sql = sqlite3_mprintf("PRAGMA \"%w\".table_xinfo(chips)", schema);
  mpg_rc rc = prepare_statement(r, sql);
  int step = SQLITE_DONE;
  sqlite3_free(sql);
  while (rc == MPG_OK && (step = sqlite3_step(r->stmt)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(r->stmt, 1);
    if (name == NULL)
      rc = mpg_fail_nomem(r->err);
    else if (sqlite3_column_int(r->stmt, 6) == 0)
      for (int c = 0; c < COLUMNS; c++)
        has[c] |= sqlite3_stricmp(name, columns[c]) == 0;
  }
  if (rc == MPG_OK && step != SQLITE_DONE)
    rc = sqlite_failure(r, step);
  finalize_statement(r);
  return rc;
}

/* A text of this row, copied into *out (sqlite3_free), or NULL if it is NULL or ''. */
static mpg_rc get_text(const reading *r, int c, char **out) {
  int type = sqlite3_column_type(r->stmt, c);
  const char *text;
  *out = NULL;
  if (type == SQLITE_NULL)
    return MPG_OK;
  text = (const char *)sqlite3_column_text(r->stmt, c);
  if (text == NULL)
    return mpg_fail_nomem(r->err);
  if (type != SQLITE_TEXT || strlen(text) != (size_t)sqlite3_column_bytes(r->stmt, c))
    return row_failure(r, "expected text as %s", columns[c]);
  if (text[0] == '\0')
    return MPG_OK;
  *out = sqlite3_mprintf("%s", text);
  return *out == NULL ? mpg_fail_nomem(r->err) : MPG_OK;
}

/* A number, even if written as text; NAN if it is NULL or ''. */
static mpg_rc get_real(const reading *r, int c, double *out) {
  int type = sqlite3_column_type(r->stmt, c);
  char found[MPG_EXCERPT];
  mpg_str text;
  *out = (double)NAN;
  if (type == SQLITE_NULL)
    return MPG_OK;
  if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) {
    *out = sqlite3_column_double(r->stmt, c);
    return MPG_OK;
  }
  text.p = sqlite3_column_blob(r->stmt, c);
  text.n = (size_t)sqlite3_column_bytes(r->stmt, c);
  if (text.n == 0 || (type == SQLITE_TEXT && mpg_real_parse(text, out)))
    return MPG_OK;
  mpg_text_excerpt(text, found);
  return row_failure(r, "expected a number as %s, found '%s'", columns[c], found);
}

static mpg_rc get_year(const reading *r, int *out) {
  double v;
  mpg_rc rc = get_real(r, YEAR, &v);
  *out = 0;
  if (rc != MPG_OK || isnan(v))
    return rc;
  if (!(v >= 1 && v <= 9999) || v != floor(v))
    return row_failure(r, "expected a year, found %g", v);
  *out = (int)v;
  return MPG_OK;
}

static mpg_rc add_aliases(reading *r, mpg_chips *chips, const char *chip, const char *json) {
  const mpg_json_member *members;
  char where[96];
  size_t n;
  mpg_rc rc;
  (void)snprintf(where, sizeof where, "%s: row %lld: aliases", r->table, (long long)r->row);
  if (json[strspn(json, " \t\r\n")] != '[')
    return row_failure(r, "expected a JSON array of texts as aliases");
  rc = mpg_json_parse(&r->doc, &r->conn->env, where, mpg_str_of(json), &members, &n, r->err);
  for (size_t i = 0; rc == MPG_OK && i < n; i++) {
    mpg_err err;
    if (members[i].kind != MPG_JSON_STRING)
      return row_failure(r, "expected a JSON array of texts as aliases");
    rc = mpg_chips_add_alias(chips, members[i].text, mpg_str_of(chip), &err);
    if (rc == MPG_DATA)
      return row_failure(r, "%s", err.text);
  }
  return rc == MPG_NOMEM ? mpg_fail_nomem(r->err) : rc;
}

static mpg_rc add_row(reading *r, mpg_chips *chips) {
  char *chip = NULL, *dtype = NULL, *vendor = NULL, *source = NULL, *aliases = NULL;
  mpg_chip_row row = {0};
  mpg_err err;
  mpg_rc rc = get_text(r, CHIP, &chip);
  if (rc == MPG_OK)
    rc = get_text(r, DTYPE, &dtype);
  if (rc == MPG_OK)
    rc = get_text(r, VENDOR, &vendor);
  if (rc == MPG_OK)
    rc = get_text(r, SOURCE, &source);
  if (rc == MPG_OK)
    rc = get_text(r, ALIASES, &aliases);
  if (rc == MPG_OK)
    rc = get_year(r, &row.year);
  if (rc == MPG_OK)
    rc = get_real(r, PEAK_FLOPS, &row.peak_flops);
  if (rc == MPG_OK)
    rc = get_real(r, HBM_BYTES, &row.hbm_bytes);
  if (rc == MPG_OK)
    rc = get_real(r, HBM_BYTES_PER_S, &row.hbm_bytes_per_s);
  if (rc == MPG_OK)
    rc = get_real(r, ICI_BYTES_PER_S, &row.ici_bytes_per_s);
  if (rc == MPG_OK)
    rc = get_real(r, TDP_W, &row.tdp_w);
  if (rc == MPG_OK) {
    row.chip = chip;
    row.dtype = dtype;
    row.vendor = vendor;
    row.source = source != NULL ? source : r->table;
    rc = mpg_chips_add(chips, &row, &err);
    if (rc == MPG_DATA)
      rc = row_failure(r, "%s", err.text);
    else if (rc == MPG_NOMEM)
      rc = mpg_fail_nomem(r->err);
  }
  if (rc == MPG_OK && aliases != NULL)
    rc = add_aliases(r, chips, chip, aliases);
  sqlite3_free(chip);
  sqlite3_free(dtype);
  sqlite3_free(vendor);
  sqlite3_free(source);
  sqlite3_free(aliases);
  return rc;
}

/* NOT INDEXED keeps the rows in the table's own order. */
static mpg_rc select_rows(reading *r, const char *schema, const bool has[COLUMNS]) {
  sqlite3_str *sql = sqlite3_str_new(NULL);
  char *text;
  mpg_rc rc;
  for (int c = 0; c < COLUMNS; c++)
    sqlite3_str_appendf(sql, "%s%s", c == 0 ? "SELECT " : ", ", has[c] ? columns[c] : "NULL");
  sqlite3_str_appendf(sql, " FROM \"%w\".chips NOT INDEXED", schema);
  text = sqlite3_str_finish(sql);
  rc = prepare_statement(r, text);
  sqlite3_free(text);
  return rc;
}

static mpg_rc read_table(mpg_conn *conn, const char *schema, mpg_chips *chips, mpg_err *err) {
  char table[16];
  reading r = {conn, table, NULL, 0, NULL, err};
  bool has[COLUMNS] = {false}, there = false;
  mpg_rc rc;
  int step = SQLITE_DONE;
  (void)snprintf(table, sizeof table, "%s.chips", schema);
  rc = is_table(&r, schema, &there);
  if (rc == MPG_OK && there)
    rc = find_columns(&r, schema, has);
  for (int c = 0; c < NEEDED; c++)
    there = there && has[c];
  if (rc != MPG_OK || !there)
    return rc;
  rc = select_rows(&r, schema, has);
  while (rc == MPG_OK && (step = sqlite3_step(r.stmt)) == SQLITE_ROW) {
    r.row++;
    rc = add_row(&r, chips);
  }
  if (rc == MPG_OK && step != SQLITE_DONE)
    rc = sqlite_failure(&r, step);
  finalize_statement(&r);
  mpg_json_doc_free(r.doc);
  return rc;
}

/*
** Lets SQLite notice what other connections did to the schema of main, as the first statement that
** reads a database does; the statement that calls us may read none. A host that forbids it will
** have its reasons.
*/
static mpg_rc refresh_schema(mpg_conn *conn, mpg_err *err) {
  reading r = {conn, "main.chips", NULL, 0, NULL, err};
  int rc =
      sqlite3_prepare_v2(conn->db, "SELECT 1 FROM main.sqlite_schema LIMIT 0", -1, &r.stmt, NULL);
  if (rc == SQLITE_OK) {
    rc = sqlite3_step(r.stmt);
    finalize_statement(&r);
  }
  return rc == SQLITE_DONE || rc == SQLITE_AUTH ? MPG_OK : sqlite_failure(&r, rc);
}

/* Whether the schema may hold a user's table, without running a statement. */
static mpg_rc may_have_table(mpg_conn *conn, const char *schema, bool *may, mpg_err *err) {
  const reading r = {conn, "main.chips", NULL, 0, NULL, err};
  int rc = mpg_host_has_column(conn->db, schema, "chips", "peak_flops", may);
  return rc == SQLITE_OK ? MPG_OK : sqlite_failure(&r, rc);
}

static mpg_catalogue_entry *new_entry(mpg_conn *conn, mpg_err *err) {
  mpg_catalogue_entry *entry = mpg_calloc(&conn->env, sizeof *entry);
  if (entry == NULL) {
    (void)mpg_fail_nomem(err);
    return NULL;
  }
  if (mpg_chips_new(&entry->chips, &conn->env, err) != MPG_OK) {
    mpg_free(&conn->env, entry);
    return NULL;
  }
  entry->users = 1;
  return entry;
}

static void free_entry(mpg_conn *conn, mpg_catalogue_entry *entry) {
  mpg_chips_free(entry->chips);
  mpg_free(&conn->env, entry);
}

static void free_all(mpg_conn *conn) {
  while (conn->catalogues != NULL) {
    mpg_catalogue_entry *entry = conn->catalogues;
    conn->catalogues = entry->next;
    free_entry(conn, entry);
  }
}

/* The built-in catalogue is the first of the list, and the list itself is one of its users. */
static mpg_catalogue_entry *use_builtin(mpg_conn *conn, mpg_err *err) {
  if (conn->catalogues == NULL)
    conn->catalogues = new_entry(conn, err);
  if (conn->catalogues != NULL) {
    conn->catalogues->users++;
    mpg_conn_on_close(conn, free_all);
  }
  return conn->catalogues;
}

static const char *const schemas[] = {"main", "temp"};
enum { SCHEMAS = sizeof schemas / sizeof *schemas };

static mpg_catalogue_entry *acquire_entry(mpg_conn *conn, mpg_err *err) {
  mpg_catalogue_entry *entry = use_builtin(conn, err), *own = NULL;
  mpg_rc rc;
  if (entry == NULL)
    return NULL;
  rc = refresh_schema(conn, err);
  for (int i = 0; rc == MPG_OK && i < SCHEMAS; i++) {
    bool may = false;
    rc = may_have_table(conn, schemas[i], &may, err);
    if (rc == MPG_OK && may && own == NULL) {
      own = new_entry(conn, err);
      rc = own == NULL ? MPG_NOMEM : MPG_OK;
    }
    if (rc == MPG_OK && may)
      rc = read_table(conn, schemas[i], own->chips, err);
  }
  if (rc == MPG_OK && own == NULL)
    return entry;
  entry->users--;
  if (rc == MPG_OK) {
    own->next = entry->next;
    entry->next = own;
  } else if (own != NULL) {
    free_entry(conn, own);
    own = NULL;
  }
  return own;
}

const mpg_chips *mpg_catalogue(mpg_conn *conn, mpg_err *err) {
  mpg_catalogue_entry *entry = acquire_entry(conn, err);
  return entry == NULL ? NULL : entry->chips;
}

mpg_rc mpg_catalogue_copy(mpg_conn *conn, mpg_chips **out, mpg_err *err) {
  mpg_rc rc = mpg_chips_new(out, &conn->env, err);
  if (rc == MPG_OK)
    rc = refresh_schema(conn, err);
  for (int i = 0; rc == MPG_OK && i < SCHEMAS; i++) {
    bool may = false;
    rc = may_have_table(conn, schemas[i], &may, err);
    if (rc == MPG_OK && may)
      rc = read_table(conn, schemas[i], *out, err);
  }
  return rc;
}

void mpg_catalogue_release(mpg_conn *conn, const mpg_chips *chips) {
  mpg_catalogue_entry *entry, **link = &conn->catalogues;
  while (*link != NULL && (*link)->chips != chips)
    link = &(*link)->next;
  entry = *link;
  if (entry == NULL || --entry->users > 0)
    return;
  *link = entry->next;
  free_entry(conn, entry);
}

/* A statement's hold on its catalogue. */
typedef struct hold {
  mpg_conn *conn;
  const mpg_chips *chips;
} hold;

static void let_go(void *p) {
  hold *h = p;
  mpg_catalogue_release(h->conn, h->chips);
  mpg_conn_release(h->conn);
  sqlite3_free(h);
}

/*
** The slot of sqlite3_set_auxdata for the hold. SQLite keeps the data of a negative slot until the
** statement ends, for all of its functions; its own JSON functions rely on that, but the
** documentation does not promise it. Without it the slot is empty at each call, and the tables are
** read each time: slower, and still right.
*/
#define HOLD_SLOT (-0x6d7067)

const mpg_chips *mpg_catalogue_of(sqlite3_context *context, mpg_err *err) {
  mpg_conn *conn = mpg_conn_of(context);
  hold *h = sqlite3_get_auxdata(context, HOLD_SLOT);
  mpg_catalogue_entry *entry;
  if (h != NULL) {
    for (entry = h->conn->catalogues; entry->chips != h->chips;)
      entry = entry->next;
    entry->users++;
    return h->chips;
  }
  entry = acquire_entry(conn, err);
  if (entry == NULL)
    return NULL;
  h = sqlite3_malloc64(sizeof *h);
  if (h == NULL) {
    mpg_catalogue_release(conn, entry->chips);
    (void)mpg_fail_nomem(err);
    return NULL;
  }
  *h = (hold){conn, entry->chips};
  conn->references++;
  entry->users++;
  sqlite3_set_auxdata(context, HOLD_SLOT, h, let_go);
  return entry->chips;
}

mpg_rc mpg_catalogue_check(mpg_conn *conn, mpg_str chip, mpg_err *err) {
  const mpg_chips *chips = mpg_catalogue(conn, err);
  const mpg_chip_row *row;
  mpg_rc rc = MPG_OK;
  if (chips == NULL)
    return err->rc;
  if (mpg_chips_find(chips, chip) == NULL)
    rc = mpg_roofline_row(chips, chip, MPG_STR(""), &row, err);
  mpg_catalogue_release(conn, chips);
  return rc;
}

/* ---- its content in short ---- */

static uint64_t mix(uint64_t h, const void *p, size_t n) {
  uint64_t pair[2] = {h, mpg_hash(h, p, n)};
  return mpg_hash(h, pair, sizeof pair);
}

static uint64_t mix_text(uint64_t h, const char *text) {
  return text == NULL ? mix(h, "", 0) : mix(h, text, strlen(text) + 1);
}

bool mpg_catalogue_hash(mpg_conn *conn, uint64_t *hash) {
  mpg_err err;
  const mpg_chips *chips = mpg_catalogue(conn, &err);
  uint64_t h = conn->env.seed;
  if (chips == NULL)
    return false;
  for (size_t i = 0; i < mpg_chips_count(chips); i++) {
    const mpg_chip_row *r = mpg_chips_row(chips, i);
    double figures[5] = {r->peak_flops, r->hbm_bytes, r->hbm_bytes_per_s, r->ici_bytes_per_s,
                         r->tdp_w};
    h = mix_text(mix_text(mix(h, figures, sizeof figures), r->chip), r->dtype);
  }
  for (size_t i = 0; i < mpg_chips_alias_count(chips); i++) {
    const char *alias, *chip;
    mpg_chips_alias(chips, i, &alias, &chip);
    h = mix_text(mix_text(h, alias), chip);
  }
  mpg_catalogue_release(conn, chips);
  *hash = h;
  return true;
}
