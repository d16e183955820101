/* relation_rows.c - see relation_rows.h. */
#include "relation_rows.h"

#define ROWS_BETWEEN_POLLS 4096

mpg_rc mpg_relation_rows_begin(mpg_relation_rows *r, mpg_err *err) {
  for (size_t c = 0; c < MPG_MAX_COLUMNS; c++)
    r->of[c] = -1;
  r->n = 0;
  mpg_issues_drop(r->fleet->issues, r->source);
  return mpg_fleet_from(r->fleet, r->source, err);
}

mpg_rc mpg_relation_rows_column(mpg_relation_rows *r, int i, const char *name, mpg_err *err) {
  int c = mpg_column_by_name(r->relation, mpg_str_of(name));
  if (c >= 0 && r->of[c] < 0)
    r->of[c] = i;
  else if (c < 0 && mpg_issues_add(r->fleet->issues, MPG_INFO, r->source, "unknown_column", 0, 1,
                                   "%.80s is no column of %s and was left out", name,
                                   mpg_relation_get(r->relation)->name) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

mpg_rc mpg_relation_rows_columns_end(const mpg_relation_rows *r, mpg_err *err) {
  const mpg_relation_info *info = mpg_relation_get(r->relation);
  for (size_t c = 0; c < info->ncolumns; c++)
    if ((info->required >> c & 1) && r->of[c] < 0)
      return mpg_fail(err, MPG_DATA, "%s: expected a column \"%s\", found none", r->source,
                      info->columns[c]);
  return MPG_OK;
}

static mpg_rc report_broken(const mpg_relation_rows *r, int64_t row, const char *what,
                            mpg_err *err) {
  if (!r->skip)
    return mpg_fail(err, MPG_DATA, "%s:%lld: %s", r->source, (long long)row, what);
  if (mpg_issues_add(r->fleet->issues, MPG_DATA_LOSS, r->source, "skipped_record", row, 1, "%s",
                     what) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

mpg_rc mpg_relation_rows_add(mpg_relation_rows *r, mpg_value *values, int64_t row, mpg_err *err) {
  const mpg_relation_info *info = mpg_relation_get(r->relation);
  mpg_err why;
  int bad;
  mpg_rc rc;
  for (size_t c = 0; c < info->ncolumns; c++)
    if (values[c].type == MPG_TEXT && values[c].s.n == 0)
      values[c].type = MPG_NULL;
  rc = mpg_fleet_add(r->fleet, r->relation, values, r->unplaced ? 0 : row, &bad, &why);
  if (rc == MPG_DATA)
    rc = report_broken(r, row, why.text, err);
  else if (rc != MPG_OK)
    *err = why;
  if (rc == MPG_OK && ++r->n % ROWS_BETWEEN_POLLS == 0 && mpg_interrupted(r->env))
    rc = mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  return rc;
}

void mpg_relation_rows_end(mpg_relation_rows *r) {
  r->fleet->source = NULL;
}
