/* native_csv.c - records of the native trace in CSV: see native.h. */
#include "native_reading.h"
#include "../../read/input/unfinished.h"

#include <strings.h>

/* A header without a column: the error shows the field that has the column's name in it, as one
** with spaces around it does, else the first. */
static mpg_rc fail_without(const mpg_native_reading *r, mpg_csv *csv, const mpg_str *fields,
                           size_t n, const mpg_relation_info *info, size_t column) {
  const char *const name = info->columns[column];
  const size_t length = strlen(name);
  int64_t line = 1, at = 1;
  size_t shown = n;
  for (size_t i = 0; i < n && shown == n; i++)
    for (size_t from = 0; from + length <= fields[i].n && n > 1; from++)
      if (strncasecmp(fields[i].p + from, name, length) == 0)
        shown = i;
  if (shown < n)
    mpg_csv_where(csv, shown, &line, &at);
  else
    shown = 0;
  return mpg_fail(r->err, MPG_DATA,
                  "%s:%lld:%lld: expected a header with the column \"%s\" of %s, found "
                  "\"%.*s\"%s",
                  r->path, (long long)line, (long long)at, name, info->name,
                  n == 0 ? 0 : (int)(fields[shown].n > 80 ? 80 : fields[shown].n),
                  n == 0 || fields[shown].n == 0 ? "" : fields[shown].p, n > 1 ? ", ..." : "");
}

static mpg_rc read_header(const mpg_native_reading *r, mpg_csv *csv, const mpg_str *fields,
                          size_t n, mpg_native_header *h) {
  const mpg_relation_info *info = mpg_relation_get(h->relation);
  int64_t line, column;
  h->nfields = n;
  for (size_t c = 0; c < MPG_MAX_COLUMNS; c++)
    h->field_of[c] = -1;
  for (size_t i = 0; i < n; i++) {
    int c = mpg_column_by_name(h->relation, fields[i]);
    mpg_csv_where(csv, i, &line, &column);
    if (c < 0) {
      mpg_rc rc = mpg_native_unknown_column(r, line, fields[i], h->relation);
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
  h->in_order = true;
  for (size_t c = 0; c < info->ncolumns; c++)
    h->in_order &= h->field_of[c] == (int)c;
  for (size_t c = 0; c < info->ncolumns; c++)
    if ((info->required >> c & 1) && h->field_of[c] < 0)
      return fail_without(r, csv, fields, n, info, c);
  return MPG_OK;
}

mpg_rc mpg_native_csv_header(mpg_native_reading *r, mpg_csv *csv, mpg_native_header *h) {
  const mpg_str *fields;
  size_t n;
  mpg_rc rc = mpg_csv_next(csv, &fields, &n, r->err);
  return rc == MPG_OK ? read_header(r, csv, fields, n, h) : rc;
}

/* The file ended within this record, which is none. */
static mpg_rc unfinished(const mpg_native_reading *r, const mpg_csv *csv) {
  mpg_rc rc = mpg_unfinished_record(r->fleet->issues, r->path, mpg_csv_line(csv), r->err);
  return rc == MPG_OK ? MPG_DONE : rc;
}

static mpg_rc csv_record(mpg_native_reading *r, mpg_csv *csv, const mpg_native_header *h,
                         const mpg_str *fields, size_t n) {
  const mpg_relation_info *info = mpg_relation_get(h->relation);
  mpg_value values[MPG_MAX_COLUMNS];
  int64_t line = mpg_csv_line(csv), column;
  int bad;
  mpg_rc rc;
  mpg_err why;
  if (n < h->nfields && mpg_csv_cut_off(csv))
    return unfinished(r, csv);
  if (n != h->nfields) {
    (void)mpg_fail(&why, MPG_DATA, "expected %zu fields, found %zu", h->nfields, n);
    mpg_csv_where(csv, n < h->nfields ? n : h->nfields, &line, &column);
    return mpg_native_broken(r, line, column, why.text);
  }
  if (h->relation == MPG_REL_SPANS || h->relation == MPG_REL_COMMITS) {
    mpg_str room[MPG_MAX_COLUMNS];
    const mpg_str *texts = h->in_order ? fields : room;
    bool fast;
    for (size_t c = 0; !h->in_order && c < info->ncolumns; c++)
      room[c] = h->field_of[c] < 0 ? (mpg_str){NULL, 0} : fields[h->field_of[c]];
    rc = h->relation == MPG_REL_SPANS ? mpg_fleet_add_span(r->fleet, texts, line, &fast)
                                      : mpg_fleet_add_commit(r->fleet, texts, &fast);
    if (rc != MPG_OK)
      return mpg_fail_plain(r->err, rc);
    if (fast)
      return MPG_OK;
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
  if (mpg_csv_cut_off(csv) && h->field_of[bad] == (int)n - 1)
    return unfinished(r, csv);
  mpg_csv_where(csv, h->field_of[bad] < 0 ? 0 : (size_t)h->field_of[bad], &line, &column);
  return mpg_native_broken(r, line, column, why.text);
}

mpg_rc mpg_native_csv(mpg_native_reading *r, mpg_csv *csv, const mpg_native_header *h,
                      size_t most) {
  mpg_err before = {MPG_OK, ""};
  const mpg_str *fields;
  size_t n;
  mpg_rc rc = MPG_OK;
  while (rc == MPG_OK) {
    rc = mpg_csv_next(csv, &fields, &n, r->err);
    if (rc == MPG_OK) {
      rc = csv_record(r, csv, h, fields, n);
      if (rc == MPG_OK && mpg_csv_cut_off(csv))
        rc = mpg_no_line_end(r->fleet->issues, r->path, mpg_csv_line(csv), r->err);
    } else if (rc == MPG_DATA && mpg_csv_cut_off(csv))
      return unfinished(r, csv);
    else if (mpg_native_passed_over(r, &rc, &before))
      continue;
    if (rc == MPG_OK)
      rc = mpg_native_poll(r);
    if (rc == MPG_OK && --most == 0)
      break;
  }
  return rc;
}
