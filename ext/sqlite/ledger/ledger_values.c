/* ledger_values.c - see ledger_values.h. */
#include "ledger_values.h"

#include <string.h>

void mpg_ledger_values_free(mpg_ledger_values *v) {
  for (int i = 0; i < MPG_COLS; i++)
    mpg_shared_text_free(&v->texts[i]);
}

mpg_ledger mpg_ledger_of_cell(mpg_ledger_row *cell) {
  return (mpg_ledger){.n = 1,
                      .job = &cell->job,
                      .pool = &cell->pool,
                      .chip = &cell->chip,
                      .cause = &cell->cause,
                      .size = &cell->size,
                      .category = &cell->category,
                      .attempt = &cell->attempt,
                      .bucket = &cell->bucket,
                      .chip_us = &cell->chip_us};
}

/* ---- texts ---- */

/* The array of a field in `rows`. */
static const void *array_of(const mpg_ledger *rows, const mpg_ledger_column_info *info) {
  const void *array;
  memcpy(&array, (const char *)rows + info->of_ledger, sizeof array);
  return array;
}

void mpg_ledger_values_of(mpg_ledger_values *v, const mpg_ledger *rows) {
  v->rows = rows;
  for (int i = 0; i < v->table->ncols; i++)
    v->last[i].keys = array_of(rows, mpg_ledger_column_get((mpg_ledger_column)v->table->cols[i]));
}

/* The text of an id; 0 is NULL. `few`: there are not many in the column. */
static void result_id(sqlite3_context *context, mpg_ledger_values *v, int i,
                      const mpg_intern *texts, uint32_t id, bool few) {
  mpg_ledger_last *last = &v->last[i];
  mpg_shared_text *shared = &v->texts[i];
  last->text = NULL;
  if (id == 0)
    return;
  mpg_result_shared_text(context, v->conn, shared, texts, id, few);
  if (shared->lasting == NULL)
    return;
  last->text = shared->lasting;
  last->key = last->keys[v->row];
  /* What is compared needs a length alone; what functions are given, its end. */
  last->n = v->compared >> i & 1 ? (int)strlen(last->text) : -1;
}

/* One of the job's own texts. */
static void show_of_job(sqlite3_context *context, mpg_ledger_values *v, int i, mpg_dim dim,
                        bool few) {
  uint32_t job = v->rows->job[v->row];
  const mpg_fleet *fleet = v->fleet;
  result_id(context, v, i, &fleet->texts,
            job == 0 ? 0 : fleet->jobs[job - 1].dim[dim - MPG_DIM_NAME], few);
}

static void show_bucket(sqlite3_context *context, mpg_ledger_values *v, int64_t start) {
  if (start == MPG_NONE)
    return;
  if (v->label[0] == '\0' || v->labelled != start) {
    v->label[mpg_bucket_label(v->bucket, start, v->label)] = '\0';
    v->labelled = start;
  }
  sqlite3_result_text(context, v->label, -1, SQLITE_TRANSIENT);
}

/* ---- columns ---- */

static void show_int(sqlite3_context *context, int64_t v, int64_t none) {
  if (v != none)
    sqlite3_result_int64(context, v);
}

void mpg_ledger_result(sqlite3_context *context, mpg_ledger_values *v, int i) {
  const mpg_ledger *l = v->rows;
  const mpg_ledger_column col = (mpg_ledger_column)v->table->cols[i];
  const mpg_ledger_column_info *info = mpg_ledger_column_get(col);
  const void *array = array_of(l, info);
  size_t row = v->row;
  switch (info->form) {
  case MPG_FORM_NAME:
  case MPG_FORM_FEW:
    result_id(context, v, i, mpg_ledger_column_names(info, v->fleet),
              ((const uint32_t *)array)[row], info->form == MPG_FORM_FEW);
    break;
  case MPG_FORM_OF_JOB: /* nearly each job has a name and labels of its own */
    show_of_job(context, v, i, (mpg_dim)info->dim, col != MPG_COL_NAME && col != MPG_COL_LABELS);
    break;
  case MPG_FORM_SIZE:
    if (l->size[row] != 0)
      sqlite3_result_text(context, mpg_size_name(l->size[row]), -1, SQLITE_STATIC);
    break;
  case MPG_FORM_CATEGORY:
    sqlite3_result_text(context, mpg_category_name((mpg_category)l->category[row]), -1,
                        SQLITE_STATIC);
    break;
  case MPG_FORM_BUCKET:
    show_bucket(context, v, l->bucket[row]);
    break;
  case MPG_FORM_AMOUNT:
    sqlite3_result_int64(context, ((const int64_t *)array)[row]);
    break;
  case MPG_FORM_NUMBER:
    show_int(context, ((const int64_t *)array)[row], MPG_NONE);
    break;
  case MPG_FORM_LINE:
    show_int(context, ((const int64_t *)array)[row], 0);
    break;
  case MPG_FORM_SECONDS:
    sqlite3_result_double(context, (double)((const int64_t *)array)[row] / 1e6);
    break;
  default:
    sqlite3_result_int64(context, v->intervals);
  }
}
