/* native_json.c - records of the native trace in JSON: see native.h. */
#include "native_read.h"

#include <string.h>

#define KEYS_REMEMBERED 32

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
  size_t n;
  mpg_rc rc = MPG_OK;
  memset(&remembered, -1, sizeof remembered);
  while (rc == MPG_OK) {
    rc = mpg_json_record(json, &members, &n, r->err);
    if (rc == MPG_OK)
      rc = json_record(r, json, &remembered, members, n);
    else if (mpg_native_passed_over(r, &rc, &before))
      continue;
    if (rc == MPG_OK)
      rc = mpg_native_poll(r);
  }
  return rc == MPG_DONE ? MPG_OK : rc;
}
