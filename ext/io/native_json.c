/* native_json.c - records of the native trace in JSON: see native.h. */
#include "json_scan.h"
#include "native_read.h"
#include "unfinished.h"

#include <stdio.h>
#include <string.h>

#define KEYS_REMEMBERED 32

/* ---- records as they are usually written ---- */

/* A key with its quotes and colon, of up to 16 bytes: the bytes, and which of them count. */
typedef struct quick_key {
  uint64_t text[2], mask[2];
  size_t n;
  int column;
} quick_key;

/* Of `spans` and `commits`, the relations that grow long: their columns, then `record`. */
enum { QUICK_KEYS = SPANS_EXECUTIONS + 2 };
typedef struct quick_record {
  mpg_relation relation;
  mpg_str name; /* the value of `record` */
  int ncolumns;
  quick_key keys[QUICK_KEYS];
  uint8_t order[QUICK_KEYS]; /* writers repeat it: the key that stood i-th last time */
} quick_record;

static quick_key make_key(const char *name, int column) {
  quick_key k = {{0, 0}, {0, 0}, 0, column};
  char text[17], mask[17];
  k.n = (size_t)snprintf(text, sizeof text, "\"%s\":", name);
  memset(text + k.n, 0, sizeof text - k.n);
  memset(mask, 0, sizeof mask);
  memset(mask, 0xff, k.n);
  memcpy(k.text, text, 16);
  memcpy(k.mask, mask, 16);
  return k;
}

/* Every name of theirs fits: the longest is "snapshot_time". */
static void quick_begin(quick_record *q, mpg_relation relation) {
  const mpg_relation_info *info = mpg_relation_get(relation);
  q->relation = relation;
  q->name = mpg_str_of(info->record);
  q->ncolumns = (int)info->ncolumns;
  for (int c = 0; c < q->ncolumns; c++)
    q->keys[c] = make_key(info->columns[c], c);
  q->keys[q->ncolumns] = make_key("record", q->ncolumns);
  memset(q->order, 0, sizeof q->order);
}

/* Behind p are 16 readable bytes, in the window or its slack. */
static inline bool key_is(const char *p, const quick_key *k) {
  uint64_t v[2];
  memcpy(v, p, 16);
  return (((v[0] ^ k->text[0]) & k->mask[0]) | ((v[1] ^ k->text[1]) & k->mask[1])) == 0;
}

/* The key at p, NULL where it is none of them. */
static inline const quick_key *key_at(quick_record *q, size_t i, const char *p) {
  const quick_key *k = &q->keys[q->order[i]];
  if (key_is(p, k))
    return k;
  for (int c = 0; c <= q->ncolumns; c++)
    if (key_is(p, &q->keys[c])) {
      q->order[i] = (uint8_t)c;
      return &q->keys[c];
    }
  return NULL;
}

/* Eight bytes behind p may be read, in the window or its slack. */
static const char *digits(const char *p, const char *end) {
  uint64_t v;
  for (;; p += 8) {
    memcpy(&v, p, 8);
    if (((v & UINT64_C(0xf0f0f0f0f0f0f0f0)) |
         ((v + UINT64_C(0x0606060606060606)) & UINT64_C(0xf0f0f0f0f0f0f0f0)) >> 4) !=
            UINT64_C(0x3333333333333333) ||
        end - p < 8)
      break;
  }
  while (p < end && *p >= '0' && *p <= '9')
    p++;
  return p;
}

/* A text of plain ASCII, a number without sign and exponent, or null; behind it, or NULL. */
static const char *plain_value(const char *p, const char *end, mpg_str *value) {
  const char *from = p;
  if (p < end && *p == '"') {
    p = mpg_json_plain_end(++from, end);
    *value = (mpg_str){from, (size_t)(p - from)};
    return p < end && *p == '"' ? p + 1 : NULL;
  }
  p = digits(p, end);
  if (p == from) {
    *value = (mpg_str){NULL, 0};
    return end - p >= 4 && memcmp(p, "null", 4) == 0 ? p + 4 : NULL;
  }
  if (*from == '0' && p > from + 1)
    return NULL;
  if (p < end && *p == '.') {
    const char *point = p++;
    p = digits(p, end);
    if (p == point + 1)
      return NULL;
  }
  *value = (mpg_str){from, (size_t)(p - from)};
  return p;
}

/* The record at p in `values`, by column: the position behind it, or NULL where it is anything else,
** and so for the reader of all JSON. */
static const char *usual_record(quick_record *q, const char *p, const char *end, mpg_str *values) {
  uint32_t seen = 0;
  /* Of as many as there are: for a constant compilers have rep stos, which takes long to begin. */
  memset(values, 0, ((size_t)q->ncolumns + 1) * sizeof *values);
  for (int i = 0; i <= q->ncolumns; i++) {
    const quick_key *key;
    p++; /* behind '{' or ',' */
    if (i > 0 && p < end && *p == ' ')
      p++;
    if (p >= end || (key = key_at(q, (size_t)i, p)) == NULL || (seen >> key->column & 1))
      return NULL;
    seen |= 1u << key->column;
    p += key->n;
    if (p < end && *p == ' ')
      p++;
    p = plain_value(p, end, &values[key->column]);
    if (p == NULL || p >= end || (*p != ',' && *p != '}'))
      return NULL;
    if (key->column == q->ncolumns && !mpg_str_eq(values[key->column], q->name))
      return NULL;
    if (*p == '}')
      return seen >> q->ncolumns & 1 ? p + 1 : NULL;
  }
  return NULL;
}

/* The records that come next, as long as they are of the usual form. */
static mpg_rc usual_records(mpg_native_reading *r, mpg_json *json, quick_record quick[2]) {
  const char *p, *end, *behind;
  while (mpg_json_peek(json, &p, &end)) {
    mpg_str values[QUICK_KEYS];
    bool usual;
    mpg_rc rc;
    int kind = 0;
    behind = usual_record(&quick[0], p, end, values);
    if (behind == NULL) {
      kind = 1;
      behind = usual_record(&quick[1], p, end, values);
    }
    if (behind == NULL)
      break;
    rc = kind == 0 ? mpg_fleet_add_span(r->fleet, values, mpg_json_line(json), &usual)
                   : mpg_fleet_add_commit(r->fleet, values, &usual);
    if (rc != MPG_OK)
      return mpg_fail_nomem(r->err);
    if (!usual)
      break;
    mpg_json_take(json, behind);
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
  (void)mpg_fail(&why, MPG_DATA, "expected %s, found an object without \"record\"", expected);
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
  quick_record quick[2];
  size_t n;
  mpg_rc rc = MPG_OK;
  memset(&remembered, -1, sizeof remembered);
  quick_begin(&quick[0], MPG_REL_SPANS);
  quick_begin(&quick[1], MPG_REL_COMMITS);
  while (rc == MPG_OK) {
    if ((rc = usual_records(r, json, quick)) != MPG_OK)
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
