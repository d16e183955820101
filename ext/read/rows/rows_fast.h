/*
** rows_fast.h - the columns of plain records: of delimited text as in csv_fast.h, of JSON lines
** with the members of the line before (json_fast.h).
**
** The result is that of the readers (csv_rows.c, json_rows.c), or says that these have to be used.
** Bytes are those of a block: MPG_WINDOW_SLACK more are readable.
*/
#ifndef MPG_ROWS_FAST_H
#define MPG_ROWS_FAST_H

#include "../parse/csv_fast.h"
#include "rows.h"
#include "../grouping/groups.h"
#include "../grouping/sum_batch.h"
#include "../../base/number.h"

/* Where the fields of plain records are. */
typedef struct mpg_rows_fast_scan {
  bool json;
  mpg_csv_scan csv;
  mpg_json_lines lines;
} mpg_rows_fast_scan;

#define MPG_ROWS_FAST_NONE UINT32_MAX /* of JSON: no member of the records */

/* A column of them: its field, and its type. */
typedef struct mpg_rows_fast_column {
  uint32_t field;
  mpg_column_type type;
  bool found; /* as of mpg_column */
} mpg_rows_fast_column;

static inline mpg_rows_fast_column mpg_rows_fast_of(const mpg_rows_query *query, const size_t *at,
                                                    size_t column) {
  const mpg_column *c = &query->columns->p[column];
  return (mpg_rows_fast_column){(uint32_t)at[column], c->type, c->found};
}

/* The LF of a plain record. */
static inline uint32_t mpg_rows_fast_end(const mpg_rows_fast_scan *scan, size_t record) {
  return scan->json ? scan->lines.ends[record] : mpg_csv_scan_lf(&scan->csv, record);
}

/* The text of a field that the records have; of a string of JSON without its quotes. */
static inline mpg_str mpg_rows_fast_field(const mpg_rows_fast_scan *scan, size_t record,
                                          const char *p, uint32_t field) {
  const struct mpg_json_span *span;
  if (!scan->json)
    return mpg_csv_scan_field(&scan->csv, p, record, field);
  span = &scan->lines.values[record * scan->lines.width + field];
  return (mpg_str){p + span->at, span->n};
}

/* A text as a value, which is not NULL. */
static inline bool mpg_rows_fast_text(const mpg_reading *reading, mpg_rows_fast_column column,
                                      mpg_str text, mpg_value *out) {
  const mpg_column_type type = column.type;
  uint64_t digits;
  if (type == MPG_COLUMN_TEXT) {
    out->type = MPG_TEXT;
    out->s = text;
    return true;
  }
  if (column.found && mpg_column_is_padded(text))
    return false;
  if (type == MPG_COLUMN_BIGINT && mpg_digits_parse(text.p, text.n, &digits)) {
    out->type = MPG_INT;
    out->i = (int64_t)digits;
    return true;
  }
  if (type == MPG_COLUMN_REAL && mpg_real_quick(text.p, text.n, &out->r)) {
    out->type = MPG_REAL;
    return true;
  }
  return mpg_column_value(reading, type, column.found, text, out);
}

/* A member of JSON, with the result of read_member of json_rows.c. */
bool mpg_rows_fast_member(const mpg_reading *reading, mpg_rows_fast_column column, mpg_str text,
                          mpg_value *out);

/* A column of a record. False if it is none of its type: the reader itself is to say so. */
static inline bool mpg_rows_fast_read(const mpg_rows_fast_scan *scan, size_t record, const char *p,
                                      mpg_rows_fast_column column, const mpg_reading *reading,
                                      mpg_value *out) {
  mpg_str text;
  out->type = MPG_NULL;
  if (column.field == MPG_ROWS_FAST_NONE)
    return true;
  text = mpg_rows_fast_field(scan, record, p, column.field);
  if (scan->json)
    return mpg_rows_fast_member(reading, column, text, out);
  if (text.n == 0 || (reading->n_nulls > 0 && mpg_reading_is_null(reading, text)))
    return true;
  return mpg_rows_fast_text(reading, column, text, out);
}

/* A column of texts, of which every field is one: p NULL is NULL. */
static inline mpg_str mpg_rows_fast_read_text(const mpg_rows_fast_scan *scan, size_t record,
                                              const char *p, uint32_t field,
                                              const mpg_reading *reading) {
  const mpg_str none = {NULL, 0};
  mpg_str text;
  if (field == MPG_ROWS_FAST_NONE)
    return none;
  text = mpg_rows_fast_field(scan, record, p, field);
#ifdef __clang_analyzer__ /* a part of a group may be NULL; a field is never NULL here */
  if (text.p == NULL)
    return none;
#endif
  if (scan->json ? text.p[-1] != '"' && *text.p == 'n' : text.n == 0)
    return none;
  for (size_t i = 0; i < reading->n_nulls; i++) /* of JSON only strings are held against them */
    if (mpg_str_eq(text, reading->nulls[i]) && (!scan->json || text.p[-1] == '"'))
      return none;
  return text;
}

/* ---- Up to MPG_SUM_EXPRESSION_ROWS records from `record` on; bit k of a word is record + k ----
*/

/*
** Numbers of the records whose bits are set in `rows`, zeros for the others: whole ones, or
** doubles, which a column of BIGINT may be read as. Returns the number of records before the first
** that needs the general reader, at most n.
*/
size_t mpg_rows_fast_numbers(const mpg_rows_fast_scan *scan, size_t record, size_t n, uint64_t rows,
                             const char *p, mpg_rows_fast_column column, const mpg_reading *reading,
                             bool whole, mpg_sum_expression_column *out);
/*
** The group keys of those records (read/grouping/groups.h), one column after the other: the parts
** of record + k at [k * n_columns], and its hash with that seed.
*/
size_t mpg_rows_fast_keys(const mpg_rows_fast_scan *scan, size_t record, size_t n, uint64_t rows,
                          const char *p, const mpg_rows_fast_column *columns, size_t n_columns,
                          const mpg_reading *reading, uint64_t seed, mpg_group_head *keys,
                          uint64_t *hashes);
/* Takes those that a filter refuses out of *rows. */
size_t mpg_rows_fast_filter(const mpg_rows_fast_scan *scan, size_t record, size_t n, uint64_t *rows,
                            const char *p, mpg_rows_fast_column column, const mpg_reading *reading,
                            const mpg_rows_filter *filter);

#endif
