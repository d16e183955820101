/* native_json.c - records of the native trace in JSON: see native.h. */
#include "../../read/parse/json_fast.h"
#include "native_reading.h"
#include "native_json_fast.h"
#include "../../read/input/unfinished.h"

#include <string.h>

#define KEYS_REMEMBERED 32

/* ---- records as they are usually written ---- */

/* Of `spans` and `commits`, the relations that grow long: `record`, then the columns of both. */
enum { QUICK_RELATIONS = 2, QUICK_KEYS = 1 + SPANS_EXECUTIONS + 1 + COMMITS_DURABLE + 1 };

typedef struct quick_record {
  mpg_native_json_fast same;
  mpg_json_fast keys;
  struct quick_relation {
    const mpg_relation_info *info;
    uint8_t key[SPANS_EXECUTIONS + 1]; /* of each column */
    uint64_t keys;                     /* all of them, as bits */
  } of[QUICK_RELATIONS];
} quick_record;

static void quick_begin(quick_record *q) {
  static const mpg_relation relations[QUICK_RELATIONS] = {MPG_REL_SPANS, MPG_REL_COMMITS};
  memset(q, 0, sizeof *q);
  (void)mpg_json_fast_add(&q->keys, MPG_STR("record")); /* they are few, plain and short */
  for (int i = 0; i < QUICK_RELATIONS; i++) {
    struct quick_relation *of = &q->of[i];
    of->info = mpg_relation_get(relations[i]);
    of->keys = 1;
    for (size_t c = 0; c < of->info->ncolumns; c++) {
      mpg_str name = mpg_str_of(of->info->columns[c]);
      int shared = i > 0 ? mpg_column_by_name(relations[0], name) : -1;
      of->key[c] = shared >= 0 ? q->of[0].key[shared] : (uint8_t)q->keys.n;
      if (shared < 0)
        (void)mpg_json_fast_add(&q->keys, name);
      of->keys |= UINT64_C(1) << of->key[c];
    }
  }
}

/* The record at p in `values`, by column: the position after it, or NULL if it is anything else,
** and so for the reader of all JSON. */
static const char *fast_record(quick_record *q, const char *p, const char *end, mpg_str *values,
                               const struct quick_relation **of) {
  mpg_json_member m[QUICK_KEYS];
  uint64_t has;
  const char *after = mpg_json_fast_object(&q->keys, p, end, m, &has);
  if (after == NULL || (has & 1) == 0 || m[0].kind != MPG_JSON_STRING)
    return NULL;
  *of = &q->of[0];
  if (!mpg_str_eq(m[0].text, mpg_str_of((*of)->info->record)))
    ++*of;
  if ((has & ~(*of)->keys) != 0 || !mpg_str_eq(m[0].text, mpg_str_of((*of)->info->record)))
    return NULL;
  for (size_t c = 0; c < (*of)->info->ncolumns; c++) {
    const mpg_json_member *v = &m[(*of)->key[c]];
    values[c] = (mpg_str){NULL, 0};
    if ((has >> (*of)->key[c] & 1) == 0 || v->kind == MPG_JSON_NULL)
      continue;
    if (v->kind != MPG_JSON_STRING && v->kind != MPG_JSON_NUMBER)
      return NULL;
    values[c] = v->text;
  }
  return after;
}

/* A record of the usual form at p; after it, or NULL if it is for the reader of all JSON. */
static const char *fast_next(mpg_native_reading *r, quick_record *quick, const char *p,
                             const char *end, int64_t line, mpg_rc *rc) {
  mpg_fleet *f = r->fleet;
  const struct quick_relation *of;
  mpg_str values[SPANS_EXECUTIONS + 1];
  mpg_span span;
  uint32_t job;
  bool fast;
  const char *after = mpg_native_json_fast_read(&quick->same, p, end, &span, &job);
  *rc = MPG_OK;
  if (after != NULL) {
    *rc = mpg_fleet_put_span(f, job, &span, line);
    return after;
  }
  after = fast_record(quick, p, end, values, &of);
  if (after == NULL)
    return NULL;
  if (of != &quick->of[0]) {
    *rc = mpg_fleet_add_commit(f, values, &fast);
    return fast ? after : NULL;
  }
  *rc = mpg_fleet_read_span(f, values, &span, &job, &fast);
  if (*rc == MPG_OK && fast) {
    mpg_native_json_fast_learn(&quick->same, (mpg_str){p, (size_t)(after - p)}, values, &span, job);
    *rc = mpg_fleet_put_span(f, job, &span, line);
  }
  return fast ? after : NULL;
}

/* The records that come next, as long as they are of the usual form. */
static mpg_rc fast_records(mpg_native_reading *r, mpg_json *json, quick_record *quick) {
  const char *p, *end, *after;
  while (mpg_json_peek(json, &p, &end)) {
    mpg_rc rc;
    after = fast_next(r, quick, p, end, mpg_json_line(json), &rc);
    if (rc != MPG_OK)
      return mpg_fail_plain(r->err, rc);
    if (after == NULL)
      break;
    mpg_json_advance(json, after);
    if ((rc = mpg_native_poll(r)) != MPG_OK)
      return rc;
  }
  return MPG_OK;
}

/* ---- any record ---- */

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
static mpg_rc record_relation(const mpg_native_reading *r, mpg_json *json, const mpg_json_member *m,
                              size_t n, mpg_relation *relation) {
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
      return mpg_native_broken(r, line, column, why.text);
    }
  mpg_json_where(json, 0, &line, &column);
  (void)mpg_fail(&why, MPG_DATA, "expected %s, found an object without \"record\"%s", expected,
                 line == 1 ? ", or the \"sources\" of a fleet file" : "");
  return mpg_native_broken(r, line, column, why.text);
}

static mpg_rc json_record(mpg_native_reading *r, mpg_json *json, memory *remembered,
                          const mpg_json_member *m, size_t n) {
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
    if (mpg_poll(r->env, i))
      return mpg_fail(r->err, MPG_INTERRUPTED, "interrupted");
    if (is_record_key(m[i].key))
      continue;
    c = column_of(remembered, relation, i, m[i].key);
    if (c < 0) {
      rc = mpg_native_unknown_column(r, mpg_json_line(json), m[i].key, relation);
      if (rc != MPG_OK)
        return rc;
      continue;
    }
    if (m[i].kind == MPG_JSON_NULL || m[i].text.n == 0) /* an empty text, as in CSV */
      continue;
    if ((m[i].kind == MPG_JSON_OBJECT || m[i].kind == MPG_JSON_ARRAY) &&
        !(relation == MPG_REL_JOBS && c == JOBS_LABELS)) {
      mpg_json_where(json, m[i].value_at, &line, &column);
      return mpg_native_broken(r, line, column,
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
  return mpg_native_broken(r, line, column, why.text);
}

mpg_rc mpg_native_json(mpg_native_reading *r, mpg_json *json) {
  mpg_err before = {MPG_OK, ""};
  const mpg_json_member *members;
  memory remembered;
  quick_record quick;
  size_t n;
  mpg_rc rc = MPG_OK;
  memset(&remembered, -1, sizeof remembered);
  quick_begin(&quick);
  while (rc == MPG_OK) {
    if ((rc = fast_records(r, json, &quick)) != MPG_OK)
      break;
    rc = mpg_json_record(json, &members, &n, r->err);
    if (rc == MPG_OK)
      rc = json_record(r, json, &remembered, members, n);
    else if (rc == MPG_DATA && mpg_json_cut_off(json))
      return mpg_unfinished_record(r->fleet->issues, r->path, mpg_json_line(json), r->err);
    else if (mpg_native_passed_over(r, &rc, &before))
      continue;
    if (rc == MPG_OK)
      rc = mpg_native_poll(r);
  }
  return rc == MPG_DONE ? MPG_OK : rc;
}
