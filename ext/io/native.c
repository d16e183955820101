/* native.c - see native.h. */
#include "native.h"

#include "csv.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS_BETWEEN_POLLS 4096
#define KEYS_REMEMBERED 32

/* One file on its way into the fleet. */
typedef struct reading {
  mpg_fleet *fleet;
  const mpg_env *env;
  const char *path;
  bool skip;
  uint64_t records;
  mpg_err *err;
} reading;

static mpg_rc listed(const reading *r, mpg_rc rc) {
  return rc == MPG_OK ? MPG_OK : mpg_fail_nomem(r->err);
}

/* A record that breaks a rule: an error, or an issue where the caller wants to skip. `what` is the
 * rule. */
static mpg_rc broken(const reading *r, int64_t line, int64_t column, const char *what) {
  if (r->skip)
    return listed(r,
                  mpg_issues_add(r->fleet->issues, MPG_DATA_LOSS, r->path, "skipped_record", line,
                                 1, "%lld:%lld: %s", (long long)line, (long long)column, what));
  return mpg_fail(r->err, MPG_DATA, "%s:%lld:%lld: %s", r->path, (long long)line, (long long)column,
                  what);
}

static mpg_rc poll(reading *r) {
  if (++r->records % RECORDS_BETWEEN_POLLS == 0 && mpg_interrupted(r->env))
    return mpg_fail(r->err, MPG_INTERRUPTED, "interrupted");
  return MPG_OK;
}

/* The line in an error of a reader, "PATH:LINE:COLUMN: ..."; 0 where it names none. */
static int64_t line_of(const reading *r) {
  size_t n = strlen(r->path);
  if (strncmp(r->err->text, r->path, n) != 0 || r->err->text[n] != ':')
    return 0;
  return strtoll(r->err->text + n + 1, NULL, 10);
}

/* After text that is no CSV or JSON: true where the reader can go on behind it, and the caller wants
** to. What cannot be passed over, such as a file that was cut off, is told again at the next call. */
static bool passed_over(reading *r, mpg_rc *rc, mpg_err *before) {
  if (*rc != MPG_DATA || !r->skip || strcmp(r->err->text, before->text) == 0)
    return false;
  *before = *r->err;
  *rc = listed(r, mpg_issues_add(r->fleet->issues, MPG_DATA_LOSS, r->path, "skipped_record",
                                 line_of(r), 1, "%s", before->text));
  return *rc == MPG_OK;
}

static mpg_rc unknown_column(const reading *r, int64_t line, mpg_str name, mpg_relation relation) {
  return listed(r, mpg_issues_add(r->fleet->issues, MPG_INFO, r->path, "unknown_column", line, 1,
                                  "%.*s is no column of %s and was left out",
                                  name.n > 80 ? 80 : (int)name.n, name.n ? name.p : "",
                                  mpg_relation_get(relation)->name));
}

/* ---- CSV ---- */

typedef struct header {
  mpg_relation relation;
  size_t nfields;
  int field_of[MPG_MAX_COLUMNS]; /* of each column; -1: the file does not have it */
} header;

static mpg_rc read_header(const reading *r, mpg_csv *csv, const mpg_str *fields, size_t n,
                          header *h) {
  const mpg_relation_info *info = mpg_relation_get(h->relation);
  int64_t line, column;
  h->nfields = n;
  for (size_t c = 0; c < MPG_MAX_COLUMNS; c++)
    h->field_of[c] = -1;
  for (size_t i = 0; i < n; i++) {
    int c = mpg_column_by_name(h->relation, fields[i]);
    mpg_csv_where(csv, i, &line, &column);
    if (c < 0) {
      mpg_rc rc = unknown_column(r, line, fields[i], h->relation);
      if (rc != MPG_OK)
        return rc;
    } else if (h->field_of[c] >= 0) {
      return mpg_fail(r->err, MPG_DATA,
                      "%s:%lld:%lld: expected each column once, found \"%s\" again", r->path,
                      (long long)line, (long long)column, info->columns[c]);
    } else {
      h->field_of[c] = (int)i;
    }
  }
  for (size_t c = 0; c < info->ncolumns; c++)
    if ((info->required >> c & 1) && h->field_of[c] < 0)
      return mpg_fail(r->err, MPG_DATA,
                      "%s:1:1: expected a header with the column \"%s\" of %s, found \"%.*s\"%s",
                      r->path, info->columns[c], info->name,
                      n > 0 ? (fields[0].n > 80 ? 80 : (int)fields[0].n) : 0,
                      n > 0 && fields[0].n > 0 ? fields[0].p : "", n > 1 ? ", ..." : "");
  return MPG_OK;
}

static mpg_rc csv_record(reading *r, mpg_csv *csv, const header *h, const mpg_str *fields,
                         size_t n) {
  const mpg_relation_info *info = mpg_relation_get(h->relation);
  mpg_value values[MPG_MAX_COLUMNS];
  int64_t line = mpg_csv_line(csv), column;
  int bad;
  mpg_rc rc;
  mpg_err why;
  if (n != h->nfields) {
    (void)mpg_fail(&why, MPG_DATA, "expected %zu fields, found %zu", h->nfields, n);
    mpg_csv_where(csv, n < h->nfields ? n : h->nfields, &line, &column);
    return broken(r, line, column, why.text);
  }
  for (size_t c = 0; c < info->ncolumns; c++) {
    int f = h->field_of[c];
    values[c].type = f < 0 || fields[f].n == 0 ? MPG_NULL : MPG_TEXT;
    if (f >= 0)
      values[c].s = fields[f];
  }
  rc = mpg_fleet_add(r->fleet, h->relation, values, line, &bad, &why);
  if (rc == MPG_OK)
    return MPG_OK;
  if (rc != MPG_DATA) {
    *r->err = why;
    return rc;
  }
  mpg_csv_where(csv, h->field_of[bad] < 0 ? 0 : (size_t)h->field_of[bad], &line, &column);
  return broken(r, line, column, why.text);
}

static mpg_rc read_csv(reading *r, mpg_stream *stream, mpg_relation relation) {
  static const mpg_csv_options options = {',', false, 0};
  header h = {.relation = relation};
  mpg_err before = {MPG_OK, ""};
  const mpg_str *fields;
  size_t n;
  mpg_csv *csv = NULL;
  mpg_rc rc = mpg_csv_open(&csv, r->env, stream, &options, r->err);
  if (rc == MPG_OK)
    rc = mpg_csv_next(csv, &fields, &n, r->err);
  if (rc == MPG_OK)
    rc = read_header(r, csv, fields, n, &h);
  while (rc == MPG_OK) {
    rc = mpg_csv_next(csv, &fields, &n, r->err);
    if (rc == MPG_OK)
      rc = csv_record(r, csv, &h, fields, n);
    else if (passed_over(r, &rc, &before))
      continue;
    if (rc == MPG_OK)
      rc = poll(r);
  }
  mpg_csv_close(csv);
  return rc == MPG_DONE ? MPG_OK : rc;
}

/* ---- JSON ---- */

/* Writers repeat the order of their keys: the column that the i-th key was last time, for each
** relation. */
typedef struct memory {
  int8_t column[MPG_RELATIONS][KEYS_REMEMBERED];
} memory;

static int column_of(memory *m, mpg_relation relation, size_t i, mpg_str key) {
  const mpg_relation_info *info = mpg_relation_get(relation);
  int c;
  if (i < KEYS_REMEMBERED) {
    c = m->column[relation][i];
    if ((size_t)c < info->ncolumns && mpg_str_eq(key, mpg_str_of(info->columns[c])))
      return c;
  }
  c = mpg_column_by_name(relation, key);
  if (c >= 0 && i < KEYS_REMEMBERED)
    m->column[relation][i] = (int8_t)c;
  return c;
}

static bool is_record_key(mpg_str key) {
  return mpg_str_eq(key, MPG_STR("record"));
}

/* Which relation a record is of, by its `record`. */
static mpg_rc record_relation(const reading *r, mpg_json *json, const mpg_json_member *m, size_t n,
                              mpg_relation *relation) {
  static const char expected[] =
      "a record of capacity, outage, job, allocation, span, commit, program or chip";
  int64_t line = mpg_json_line(json), column = 1;
  mpg_err why;
  *relation = MPG_RELATIONS;
  for (size_t i = 0; i < n; i++)
    if (is_record_key(m[i].key)) {
      if (m[i].kind == MPG_JSON_STRING)
        *relation = mpg_relation_by_record(m[i].text);
      if (*relation != MPG_RELATIONS)
        return MPG_OK;
      mpg_json_where(json, m[i].value_at, &line, &column);
      (void)mpg_fail(&why, MPG_DATA, "expected %s, found \"%.*s\"", expected,
                     m[i].text.n > 80 ? 80 : (int)m[i].text.n, m[i].text.n ? m[i].text.p : "");
      return broken(r, line, column, why.text);
    }
  mpg_json_where(json, 0, &line, &column);
  (void)mpg_fail(&why, MPG_DATA, "expected %s, found an object without \"record\"", expected);
  return broken(r, line, column, why.text);
}

static mpg_rc json_record(reading *r, mpg_json *json, memory *remembered, const mpg_json_member *m,
                          size_t n) {
  mpg_value values[MPG_MAX_COLUMNS];
  size_t at[MPG_MAX_COLUMNS] = {0};
  int64_t line, column;
  mpg_relation relation;
  int bad;
  mpg_err why;
  mpg_rc rc = record_relation(r, json, m, n, &relation);
  if (rc != MPG_OK || relation == MPG_RELATIONS)
    return rc;
  for (size_t c = 0; c < MPG_MAX_COLUMNS; c++)
    values[c].type = MPG_NULL;
  for (size_t i = 0; i < n; i++) {
    int c;
    if (is_record_key(m[i].key))
      continue;
    c = column_of(remembered, relation, i, m[i].key);
    if (c < 0) {
      rc = unknown_column(r, mpg_json_line(json), m[i].key, relation);
      if (rc != MPG_OK)
        return rc;
      continue;
    }
    if (m[i].kind == MPG_JSON_NULL || m[i].text.n == 0) /* an empty text, as in CSV */
      continue;
    if ((m[i].kind == MPG_JSON_OBJECT || m[i].kind == MPG_JSON_ARRAY) &&
        !(relation == MPG_REL_JOBS && c == JOBS_LABELS)) {
      mpg_json_where(json, m[i].value_at, &line, &column);
      return broken(r, line, column,
                    "expected a text, a number or null, found an object or an array");
    }
    values[c].type = MPG_TEXT; /* numbers too: their digits are read exactly */
    values[c].s = m[i].text;
    at[c] = m[i].value_at;
  }
  rc = mpg_fleet_add(r->fleet, relation, values, mpg_json_line(json), &bad, &why);
  if (rc == MPG_OK)
    return MPG_OK;
  if (rc != MPG_DATA) {
    *r->err = why;
    return rc;
  }
  mpg_json_where(json, at[bad], &line, &column);
  return broken(r, line, column, why.text);
}

static mpg_rc read_json(reading *r, mpg_stream *stream) {
  static const mpg_json_options options = {0};
  mpg_err before = {MPG_OK, ""};
  const mpg_json_member *members;
  memory remembered;
  size_t n;
  mpg_json *json = NULL;
  mpg_rc rc = mpg_json_open(&json, r->env, stream, &options, r->err);
  memset(&remembered, -1, sizeof remembered);
  while (rc == MPG_OK) {
    rc = mpg_json_record(json, &members, &n, r->err);
    if (rc == MPG_OK)
      rc = json_record(r, json, &remembered, members, n);
    else if (passed_over(r, &rc, &before))
      continue;
    if (rc == MPG_OK)
      rc = poll(r);
  }
  mpg_json_close(json);
  return rc == MPG_DONE ? MPG_OK : rc;
}

/* ---- files ---- */

/* The first byte that is neither a byte order mark nor white space; 0 at the end of the file. */
static mpg_rc first_byte(const reading *r, char *out) {
  mpg_stream *stream = NULL;
  unsigned char buf[4096];
  size_t got = 0;
  mpg_rc rc = mpg_stream_open(&stream, r->env, r->path, r->err);
  *out = 0;
  if (rc == MPG_OK)
    rc = mpg_stream_read(stream, buf, sizeof buf, &got, r->err);
  for (size_t i = 0; rc == MPG_OK && i < got && *out == 0; i++)
    if (strchr(" \t\r\n\xef\xbb\xbf", (char)buf[i]) == NULL || buf[i] == 0)
      *out = (char)buf[i];
  mpg_stream_close(stream);
  return rc;
}

/* A folder may hold other things: only names that end like traces are read. */
static bool looks_like_trace(const char *path) {
  static const char *const endings[] = {".csv", ".json", ".jsonl", ".ndjson"};
  size_t n = strlen(path);
  if (n > 3 && strcmp(path + n - 3, ".gz") == 0)
    n -= 3;
  else if (n > 4 && strcmp(path + n - 4, ".zst") == 0)
    n -= 4;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t m = strlen(endings[i]);
    if (n > m && strncmp(path + n - m, endings[i], m) == 0)
      return true;
  }
  return false;
}

static mpg_rc ignored(const reading *r, const char *why) {
  return listed(
      r, mpg_issues_add(r->fleet->issues, MPG_INFO, r->path, "ignored_file", 0, 1, "%s", why));
}

/* *used: the file held a trace. */
static mpg_rc read_file(reading *r, bool from_folder, bool *used) {
  mpg_relation relation = mpg_relation_by_file(r->path);
  mpg_stream *stream = NULL;
  char first;
  mpg_rc rc;
  mpg_issues_drop(r->fleet->issues, r->path);
  if (from_folder && !looks_like_trace(r->path))
    return ignored(r, "its name does not end in .csv, .json, .jsonl or .ndjson (.gz, .zst)");
  rc = first_byte(r, &first);
  if (rc != MPG_OK)
    return rc;
  if (first != '{' && first != '[' && relation == MPG_RELATIONS) {
    if (from_folder)
      return ignored(r, "no JSON, and its name does not begin with a relation");
    return mpg_fail(
        r->err, MPG_DATA,
        "%s:1:1: expected JSON, or CSV in a file named after its relation (capacity, outages, "
        "jobs, allocations, spans, commits, programs, chips)",
        r->path);
  }
  *used = true;
  rc = mpg_fleet_from(r->fleet, r->path, r->err);
  if (rc == MPG_OK)
    rc = mpg_stream_open(&stream, r->env, r->path, r->err);
  if (rc == MPG_OK)
    rc = first == '{' || first == '[' ? read_json(r, stream) : read_csv(r, stream, relation);
  mpg_stream_close(stream);
  return rc;
}

mpg_rc mpg_native_read(mpg_fleet *fleet, const mpg_env *env, mpg_str path, bool skip,
                       mpg_err *err) {
  mpg_paths paths = {0};
  bool used = false;
  mpg_rc rc = mpg_paths_expand(&paths, env, path, err);
  for (size_t i = 0; rc == MPG_OK && i < paths.n; i++) {
    reading r = {fleet, env, paths.path[i], skip, 0, err};
    rc = read_file(&r, paths.from_folder, &used);
  }
  if (rc == MPG_OK && !used)
    rc = mpg_fail(err, MPG_IO,
                  "%.*s: expected a trace (capacity.csv, allocations.csv, spans.csv, ... or JSON), "
                  "found none",
                  path.n > 512 ? 512 : (int)path.n, path.p);
  mpg_paths_free(&paths);
  return rc;
}
