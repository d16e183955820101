/* ledger_values.c - see ledger_values.h. */
#include "ledger_values.h"

#include <string.h>

void mpg_ledger_values_free(mpg_ledger_values *v) {
  for (int i = 0; i < MPG_COLS; i++)
    mpg_shown_free(&v->texts[i]);
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

void mpg_ledger_values_of(mpg_ledger_values *v, const mpg_ledger *rows) {
  v->rows = rows;
  for (int i = 0; i < MPG_COLS; i++)
    v->last[i].keys = rows->job; /* of those that are texts of the job */
  v->last[MPG_COL_POOL].keys = rows->pool;
  v->last[MPG_COL_CHIP].keys = rows->chip;
  v->last[MPG_COL_CAUSE].keys = rows->cause;
  v->last[MPG_COL_KIND].keys = rows->kind;
  v->last[MPG_COL_PROGRAM].keys = rows->program;
  v->last[MPG_COL_FILE].keys = rows->file;
}

/* The text of an id; 0 is NULL. `few`: there are not many in the column. */
static void show(sqlite3_context *context, mpg_ledger_values *v, mpg_ledger_col col,
                 const mpg_intern *texts, uint32_t id, bool few) {
  mpg_ledger_last *last = &v->last[col];
  const mpg_shown *shown = &v->texts[col];
  last->text = NULL;
  if (id == 0)
    return;
  mpg_result_shown(context, v->conn, &v->texts[col], texts, id, few);
  if (shown->lasting == NULL)
    return;
  last->text = shown->lasting;
  last->key = last->keys[v->row];
  /* What is compared needs a length alone; what functions are given, its end. */
  last->n = v->compared >> col & 1 ? (int)strlen(last->text) : -1;
}

/* One of the job's own texts. */
static void show_of_job(sqlite3_context *context, mpg_ledger_values *v, mpg_ledger_col col,
                        mpg_dim dim, bool few) {
  uint32_t job = v->rows->job[v->row];
  const mpg_fleet *fleet = v->fleet;
  show(context, v, col, &fleet->texts, job == 0 ? 0 : fleet->jobs[job - 1].dim[dim - MPG_DIM_NAME],
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

void mpg_ledger_other_result(sqlite3_context *context, mpg_ledger_values *v, mpg_ledger_col col) {
  const mpg_ledger *l = v->rows;
  const mpg_fleet *fleet = v->fleet;
  size_t i = v->row;
  switch (col) {
  case MPG_COL_POOL:
    show(context, v, col, &fleet->pool_names, l->pool[i], true);
    break;
  case MPG_COL_CHIP:
    show(context, v, col, &fleet->texts, l->chip[i], true);
    break;
  case MPG_COL_JOB:
    show(context, v, col, &fleet->job_names, l->job[i], false);
    break;
  case MPG_COL_ATTEMPT:
    show_int(context, l->attempt[i]);
    break;
  case MPG_COL_NAME:
    show_of_job(context, v, col, MPG_DIM_NAME, false);
    break;
  case MPG_COL_OWNER:
    show_of_job(context, v, col, MPG_DIM_OWNER, true);
    break;
  case MPG_COL_PHASE:
    show_of_job(context, v, col, MPG_DIM_PHASE, true);
    break;
  case MPG_COL_FRAMEWORK:
    show_of_job(context, v, col, MPG_DIM_FRAMEWORK, true);
    break;
  case MPG_COL_RUNTIME:
    show_of_job(context, v, col, MPG_DIM_RUNTIME, true);
    break;
  case MPG_COL_MODEL:
    show_of_job(context, v, col, MPG_DIM_MODEL, true);
    break;
  case MPG_COL_SIZE:
    if (l->size[i] != 0)
      sqlite3_result_text(context, mpg_size_name(l->size[i]), -1, SQLITE_STATIC);
    break;
  case MPG_COL_PRIORITY:
    show_of_job(context, v, col, MPG_DIM_PRIORITY, true);
    break;
  case MPG_COL_LABELS:
    show_of_job(context, v, col, MPG_DIM_LABELS, false);
    break;
  case MPG_COL_CATEGORY:
    sqlite3_result_text(context, mpg_category_name((mpg_category)l->category[i]), -1,
                        SQLITE_STATIC);
    break;
  case MPG_COL_CAUSE:
    show(context, v, col, &fleet->texts, l->cause[i], true);
    break;
  case MPG_COL_START_TIME:
    show_seconds(context, l->start[i]);
    break;
  case MPG_COL_END_TIME:
    show_seconds(context, l->end[i]);
    break;
  case MPG_COL_BUCKET:
    show_bucket(context, v, l->bucket[i]);
    break;
  case MPG_COL_CHIP_US:
    sqlite3_result_int64(context, l->chip_us[i]);
    break;
  case MPG_COL_CHIP_SECONDS:
    show_seconds(context, l->chip_us[i]);
    break;
  case MPG_COL_INTERVALS:
    sqlite3_result_int64(context, v->intervals);
    break;
  case MPG_COL_KIND:
    show(context, v, col, &fleet->kind_names, l->kind[i], true);
    break;
  case MPG_COL_STEP:
    show_int(context, l->step[i]);
    break;
  case MPG_COL_PROGRAM:
    show(context, v, col, &fleet->program_names, l->program[i], true);
    break;
  case MPG_COL_FILE:
    show(context, v, col, &fleet->texts, l->file[i], true);
    break;
  case MPG_COL_LINE:
    if (l->line[i] != 0)
      sqlite3_result_int64(context, l->line[i]);
    break;
  default:
    break;
  }
}
