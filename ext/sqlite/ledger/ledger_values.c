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

/* What of a row the column's text is told from. */
static const uint32_t *keys_of(const mpg_ledger *rows, mpg_ledger_column col) {
  switch (mpg_ledger_column_get(col)->row) {
  case MPG_ROW_POOL:
    return rows->pool;
  case MPG_ROW_CHIP:
    return rows->chip;
  case MPG_ROW_CAUSE:
    return rows->cause;
  case MPG_ROW_KIND:
    return rows->kind;
  case MPG_ROW_PROGRAM:
    return rows->program;
  case MPG_ROW_FILE:
    return rows->file;
  default:
    return rows->job;
  }
}

void mpg_ledger_values_of(mpg_ledger_values *v, const mpg_ledger *rows) {
  v->rows = rows;
  for (int i = 0; i < v->table->ncols; i++)
    v->last[i].keys = keys_of(rows, (mpg_ledger_column)v->table->cols[i]);
}

/* The text of an id; 0 is NULL. `few`: there are not many in the column. */
static void show(sqlite3_context *context, mpg_ledger_values *v, int i, const mpg_intern *texts,
                 uint32_t id, bool few) {
  mpg_ledger_last *last = &v->last[i];
  mpg_shared_text *shown = &v->texts[i];
  last->text = NULL;
  if (id == 0)
    return;
  mpg_result_shared_text(context, v->conn, shown, texts, id, few);
  if (shown->lasting == NULL)
    return;
  last->text = shown->lasting;
  last->key = last->keys[v->row];
  /* What is compared needs a length alone; what functions are given, its end. */
  last->n = v->compared >> i & 1 ? (int)strlen(last->text) : -1;
}

/* One of the job's own texts. */
static void show_of_job(sqlite3_context *context, mpg_ledger_values *v, int i, mpg_dim dim,
                        bool few) {
  uint32_t job = v->rows->job[v->row];
  const mpg_fleet *fleet = v->fleet;
  show(context, v, i, &fleet->texts, job == 0 ? 0 : fleet->jobs[job - 1].dim[dim - MPG_DIM_NAME],
       few);
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

static void show_int(sqlite3_context *context, int64_t v) {
  if (v != MPG_NONE)
    sqlite3_result_int64(context, v);
}

static void show_seconds(sqlite3_context *context, int64_t us) {
  sqlite3_result_double(context, (double)us / 1e6);
}

void mpg_ledger_result(sqlite3_context *context, mpg_ledger_values *v, int i) {
  const mpg_ledger *l = v->rows;
  const mpg_fleet *fleet = v->fleet;
  size_t row = v->row;
  switch ((mpg_ledger_column)v->table->cols[i]) {
  case MPG_COL_POOL:
    show(context, v, i, &fleet->pool_names, l->pool[row], true);
    break;
  case MPG_COL_CHIP:
    show(context, v, i, &fleet->texts, l->chip[row], true);
    break;
  case MPG_COL_JOB:
    show(context, v, i, &fleet->job_names, l->job[row], false);
    break;
  case MPG_COL_ATTEMPT:
    show_int(context, l->attempt[row]);
    break;
  case MPG_COL_NAME:
    show_of_job(context, v, i, MPG_DIM_NAME, false);
    break;
  case MPG_COL_OWNER:
    show_of_job(context, v, i, MPG_DIM_OWNER, true);
    break;
  case MPG_COL_PHASE:
    show_of_job(context, v, i, MPG_DIM_PHASE, true);
    break;
  case MPG_COL_FRAMEWORK:
    show_of_job(context, v, i, MPG_DIM_FRAMEWORK, true);
    break;
  case MPG_COL_RUNTIME:
    show_of_job(context, v, i, MPG_DIM_RUNTIME, true);
    break;
  case MPG_COL_MODEL:
    show_of_job(context, v, i, MPG_DIM_MODEL, true);
    break;
  case MPG_COL_SIZE:
    if (l->size[row] != 0)
      sqlite3_result_text(context, mpg_size_name(l->size[row]), -1, SQLITE_STATIC);
    break;
  case MPG_COL_PRIORITY:
    show_of_job(context, v, i, MPG_DIM_PRIORITY, true);
    break;
  case MPG_COL_LABELS:
    show_of_job(context, v, i, MPG_DIM_LABELS, false);
    break;
  case MPG_COL_CATEGORY:
    sqlite3_result_text(context, mpg_category_name((mpg_category)l->category[row]), -1,
                        SQLITE_STATIC);
    break;
  case MPG_COL_CAUSE:
    show(context, v, i, &fleet->texts, l->cause[row], true);
    break;
  case MPG_COL_START_TIME:
    show_seconds(context, l->start[row]);
    break;
  case MPG_COL_END_TIME:
    show_seconds(context, l->end[row]);
    break;
  case MPG_COL_BUCKET:
    show_bucket(context, v, l->bucket[row]);
    break;
  case MPG_COL_CHIP_US:
    sqlite3_result_int64(context, l->chip_us[row]);
    break;
  case MPG_COL_CHIP_SECONDS:
    show_seconds(context, l->chip_us[row]);
    break;
  case MPG_COL_INTERVALS:
    sqlite3_result_int64(context, v->intervals);
    break;
  case MPG_COL_KIND:
    show(context, v, i, &fleet->kind_names, l->kind[row], true);
    break;
  case MPG_COL_STEP:
    show_int(context, l->step[row]);
    break;
  case MPG_COL_PROGRAM:
    show(context, v, i, &fleet->program_names, l->program[row], true);
    break;
  case MPG_COL_FILE:
    show(context, v, i, &fleet->texts, l->file[row], true);
    break;
  case MPG_COL_LINE:
    if (l->line[row] != 0)
      sqlite3_result_int64(context, l->line[row]);
    break;
  default:
    break;
  }
}
