/* rows_fast.c - see rows_fast.h. */
#include "rows_fast.h"
#include "../input/simd.h"

#include <string.h>

bool mpg_rows_fast_member(const mpg_reading *reading, mpg_rows_fast_column column, mpg_str text,
                          mpg_value *out) {
  const mpg_column_type type = column.type;
  char first = text.n > 0 ? *text.p : '\0';
  out->type = MPG_NULL;
  if (text.p[-1] == '"') { /* of a number or a word it is ':' or a space */
    for (size_t i = 0; i < reading->n_nulls; i++)
      if (mpg_str_eq(text, reading->nulls[i]))
        return true;
    return mpg_rows_fast_text(reading, column, text, out);
  }
  if (first == 'n')
    return true;
  if ((first == 't' || first == 'f') && type == MPG_COLUMN_BIGINT) {
    out->type = MPG_INT;
    out->i = first == 't';
    return true;
  }
  if ((first == 't' || first == 'f') && type != MPG_COLUMN_TEXT)
    return false;
  return mpg_rows_fast_text(reading, column, text, out);
}

/* ---- Many at a time ---- */

/* A number, with the result of the general reader; false if it is none. */
static bool read_slowly(const mpg_rows_fast_scan *scan, size_t record, size_t k, const char *p,
                        mpg_rows_fast_column column, const mpg_reading *reading, bool whole,
                        mpg_sum_expression_column *out) {
  mpg_value v = {MPG_NULL, 0, 0.0, {NULL, 0}};
  if (!mpg_rows_fast_read(scan, record + k, p, column, reading, &v))
    return false;
  if (v.type == MPG_NULL)
    out->nulls |= UINT64_C(1) << k;
  else if (whole)
    out->v.i[k] = v.i;
  else
    out->v.r[k] = v.type == MPG_INT ? (double)v.i : v.r;
  return true;
}

/* What most are is read here. A member of JSON is the same number with quotes and without. */
MPG_INLINE size_t numbers(const mpg_rows_fast_scan *scan, size_t record, size_t n, uint64_t rows,
                          const char *p, mpg_rows_fast_column column, const mpg_reading *reading,
                          bool whole, mpg_sum_expression_column *out) {
  bool quick = reading->n_nulls == 0 &&
               column.type == (whole ? MPG_COLUMN_BIGINT : MPG_COLUMN_REAL) &&
               column.field != MPG_ROWS_FAST_NONE;
  out->nulls = 0;
  for (size_t k = 0; k < n; k++) {
    out->v.i[k] = 0; /* as a double it is 0.0 */
    if ((rows >> k & 1) == 0)
      continue;
    if (quick) {
      mpg_str s = mpg_rows_fast_field(scan, record + k, p, column.field);
      uint64_t digits = 0;
      if (!(column.found && mpg_column_is_padded(s)) &&
          (whole ? mpg_digits_parse(s.p, s.n, &digits) : mpg_real_fast(s.p, s.n, &out->v.r[k]))) {
        if (whole)
          out->v.i[k] = (int64_t)digits;
        continue;
      }
    }
    if (!read_slowly(scan, record, k, p, column, reading, whole, out))
      return k;
  }
  return n;
}

size_t mpg_rows_fast_numbers(const mpg_rows_fast_scan *scan, size_t record, size_t n, uint64_t rows,
                             const char *p, mpg_rows_fast_column column, const mpg_reading *reading,
                             bool whole, mpg_sum_expression_column *out) {
  return whole ? numbers(scan, record, n, rows, p, column, reading, true, out)
               : numbers(scan, record, n, rows, p, column, reading, false, out);
}

/* Part i of the keys, if the column is one of numbers. */
static size_t number_keys(const mpg_rows_fast_scan *scan, size_t record, size_t n, uint64_t rows,
                          const char *p, mpg_rows_fast_column column, const mpg_reading *reading,
                          size_t i, size_t n_columns, uint64_t seed, mpg_group_head *keys,
                          uint64_t *hashes) {
  bool whole = column.type == MPG_COLUMN_BIGINT;
  mpg_sum_expression_column c;
  n = mpg_rows_fast_numbers(scan, record, n, rows, p, column, reading, whole, &c);
  for (size_t k = 0; k < n; k++) {
    const mpg_value v = {
        whole ? MPG_INT : MPG_REAL, whole ? c.v.i[k] : 0, whole ? 0.0 : c.v.r[k], {NULL, 0}};
    mpg_group_number number;
    mpg_group_part part = mpg_group_number_of(&v, &number);
    if ((c.nulls >> k & 1) != 0)
      part = (mpg_group_part){NULL, 0};
    keys[k * n_columns + i] = mpg_group_head_of(part, i, seed, &hashes[k]);
  }
  return n;
}

size_t mpg_rows_fast_keys(const mpg_rows_fast_scan *scan, size_t record, size_t n, uint64_t rows,
                          const char *p, const mpg_rows_fast_column *columns, size_t n_columns,
                          const mpg_reading *reading, uint64_t seed, mpg_group_head *keys,
                          uint64_t *hashes) {
  memset(hashes, 0, n * sizeof *hashes);
  for (size_t i = 0; i < n_columns; i++) {
    if (columns[i].type != MPG_COLUMN_TEXT) {
      n = number_keys(scan, record, n, rows, p, columns[i], reading, i, n_columns, seed, keys,
                      hashes);
      continue;
    }
    for (size_t k = 0; k < n; k++)
      if ((rows >> k & 1) != 0)
        keys[k * n_columns + i] = mpg_group_head_of(
            mpg_rows_fast_read_text(scan, record + k, p, columns[i].field, reading), i, seed,
            &hashes[k]);
  }
  return n;
}

size_t mpg_rows_fast_filter(const mpg_rows_fast_scan *scan, size_t record, size_t n, uint64_t *rows,
                            const char *p, mpg_rows_fast_column column, const mpg_reading *reading,
                            const mpg_rows_filter *filter) {
  mpg_value v = {MPG_NULL, 0, 0.0, {NULL, 0}};
  for (size_t k = 0; k < n; k++) {
    uint64_t row = UINT64_C(1) << k;
    if ((*rows & row) == 0)
      continue;
    if (!mpg_rows_fast_read(scan, record + k, p, column, reading, &v))
      return k;
    if (!mpg_rows_passes(filter, &v))
      *rows -= row;
  }
  return n;
}
