/* ledger_columns.c - see ledger_columns.h. */
#include "ledger_columns.h"
#include "../../base/text.h"

#include <stddef.h>

/* name, type, dimension, field and its number, form, names */
#define COLUMN(name, type, dim, field, number, form, names)                                        \
  {                                                                                                \
    name, MPG_##type, dim, MPG_FORM_##form, MPG_ROW_##number, offsetof(mpg_ledger_row, field),     \
        offsetof(mpg_ledger, field), offsetof(mpg_fleet, names)                                    \
  }
static const mpg_ledger_column_info col_info[MPG_COLS] = {
    [MPG_COL_POOL] = COLUMN("pool", TEXT, MPG_DIM_POOL, pool, POOL, FEW, pool_names),
    [MPG_COL_CHIP] = COLUMN("chip", TEXT, MPG_DIM_CHIP, chip, CHIP, FEW, texts),
    [MPG_COL_JOB] = COLUMN("job", TEXT, MPG_DIM_JOB, job, JOB, NAME, job_names),
    [MPG_COL_ATTEMPT] = COLUMN("attempt", INT, MPG_DIM_ATTEMPT, attempt, ATTEMPT, NUMBER, texts),
    [MPG_COL_NAME] = COLUMN("name", TEXT, MPG_DIM_NAME, job, JOB, OF_JOB, texts),
    [MPG_COL_OWNER] = COLUMN("owner", TEXT, MPG_DIM_OWNER, job, JOB, OF_JOB, texts),
    [MPG_COL_PHASE] = COLUMN("phase", TEXT, MPG_DIM_PHASE, job, JOB, OF_JOB, texts),
    [MPG_COL_FRAMEWORK] = COLUMN("framework", TEXT, MPG_DIM_FRAMEWORK, job, JOB, OF_JOB, texts),
    [MPG_COL_RUNTIME] = COLUMN("runtime", TEXT, MPG_DIM_RUNTIME, job, JOB, OF_JOB, texts),
    [MPG_COL_MODEL] = COLUMN("model", TEXT, MPG_DIM_MODEL, job, JOB, OF_JOB, texts),
    [MPG_COL_SIZE] = COLUMN("size", TEXT, MPG_DIM_SIZE, size, SIZE, SIZE, texts),
    [MPG_COL_PRIORITY] = COLUMN("priority", TEXT, MPG_DIM_PRIORITY, job, JOB, OF_JOB, texts),
    [MPG_COL_LABELS] = COLUMN("labels", TEXT, MPG_DIM_LABELS, job, JOB, OF_JOB, texts),
    [MPG_COL_CATEGORY] =
        COLUMN("category", TEXT, MPG_DIM_CATEGORY, category, CATEGORY, CATEGORY, texts),
    [MPG_COL_CAUSE] = COLUMN("cause", TEXT, MPG_DIM_CAUSE, cause, CAUSE, FEW, texts),
    [MPG_COL_START_TIME] = COLUMN("start_time", REAL, -1, start, START, SECONDS, texts),
    [MPG_COL_END_TIME] = COLUMN("end_time", REAL, -1, end, END, SECONDS, texts),
    [MPG_COL_BUCKET] = COLUMN("bucket", TEXT, MPG_DIM_BUCKET, bucket, BUCKET, BUCKET, texts),
    [MPG_COL_CHIP_US] = COLUMN("chip_us", INT, -1, chip_us, CHIP_US, AMOUNT, texts),
    [MPG_COL_CHIP_SECONDS] = COLUMN("chip_seconds", REAL, -1, chip_us, CHIP_US, SECONDS, texts),
    [MPG_COL_INTERVALS] = COLUMN("intervals", INT, -1, chip_us, CHIP_US, INTERVALS, texts),
    [MPG_COL_KIND] = COLUMN("kind", TEXT, -1, kind, KIND, FEW, kind_names),
    [MPG_COL_STEP] = COLUMN("step", INT, -1, step, STEP, NUMBER, texts),
    [MPG_COL_PROGRAM] = COLUMN("program", TEXT, -1, program, PROGRAM, FEW, program_names),
    [MPG_COL_FILE] = COLUMN("_file", TEXT, -1, file, FILE, FEW, texts),
    [MPG_COL_LINE] = COLUMN("_line", INT, -1, line, LINE, LINE, texts),
};

const mpg_ledger_column_info *mpg_ledger_column_get(mpg_ledger_column col) {
  return &col_info[col];
}

static const signed char ledger_cols[] = {
    MPG_COL_POOL,     MPG_COL_CHIP,     MPG_COL_JOB,     MPG_COL_ATTEMPT,
    MPG_COL_NAME,     MPG_COL_OWNER,    MPG_COL_PHASE,   MPG_COL_FRAMEWORK,
    MPG_COL_RUNTIME,  MPG_COL_MODEL,    MPG_COL_SIZE,    MPG_COL_PRIORITY,
    MPG_COL_LABELS,   MPG_COL_CATEGORY, MPG_COL_CAUSE,   MPG_COL_START_TIME,
    MPG_COL_END_TIME, MPG_COL_BUCKET,   MPG_COL_CHIP_US, MPG_COL_CHIP_SECONDS};
static const signed char rollup_cols[] = {
    MPG_COL_POOL,   MPG_COL_CHIP,     MPG_COL_JOB,          MPG_COL_ATTEMPT,  MPG_COL_NAME,
    MPG_COL_OWNER,  MPG_COL_PHASE,    MPG_COL_FRAMEWORK,    MPG_COL_RUNTIME,  MPG_COL_MODEL,
    MPG_COL_SIZE,   MPG_COL_PRIORITY, MPG_COL_LABELS,       MPG_COL_CATEGORY, MPG_COL_CAUSE,
    MPG_COL_BUCKET, MPG_COL_CHIP_US,  MPG_COL_CHIP_SECONDS, MPG_COL_INTERVALS};
static const signed char timeline_cols[] = {
    MPG_COL_JOB,      MPG_COL_ATTEMPT,      MPG_COL_START_TIME, MPG_COL_END_TIME,
    MPG_COL_CATEGORY, MPG_COL_CAUSE,        MPG_COL_KIND,       MPG_COL_STEP,
    MPG_COL_PROGRAM,  MPG_COL_POOL,         MPG_COL_CHIP,       MPG_COL_BUCKET,
    MPG_COL_CHIP_US,  MPG_COL_CHIP_SECONDS, MPG_COL_FILE,       MPG_COL_LINE};

static const signed char trace_args[] = {
    MPG_ARG_PATH,  MPG_ARG_BUCKET_WIDTH, MPG_ARG_SINCE,    MPG_ARG_UNTIL,    MPG_ARG_AS_OF,
    MPG_ARG_BASIS, MPG_ARG_SIZES,        MPG_ARG_ROOFLINE, MPG_ARG_ON_ERROR, MPG_ARG_THREADS};
static const signed char mpg_args[] = {
    MPG_ARG_SCHEMA, MPG_ARG_BUCKET_WIDTH, MPG_ARG_SINCE,    MPG_ARG_UNTIL,    MPG_ARG_AS_OF,
    MPG_ARG_BASIS,  MPG_ARG_SIZES,        MPG_ARG_ROOFLINE, MPG_ARG_ON_ERROR, MPG_ARG_THREADS};
static const signed char trace_rollup_args[] = {
    MPG_ARG_PATH,     MPG_ARG_BUCKET_WIDTH, MPG_ARG_SINCE, MPG_ARG_UNTIL,
    MPG_ARG_AS_OF,    MPG_ARG_BASIS,        MPG_ARG_SIZES, MPG_ARG_ROOFLINE,
    MPG_ARG_ON_ERROR, MPG_ARG_THREADS,      MPG_ARG_GRAIN};
static const signed char mpg_rollup_args[] = {
    MPG_ARG_SCHEMA,   MPG_ARG_BUCKET_WIDTH, MPG_ARG_SINCE, MPG_ARG_UNTIL,
    MPG_ARG_AS_OF,    MPG_ARG_BASIS,        MPG_ARG_SIZES, MPG_ARG_ROOFLINE,
    MPG_ARG_ON_ERROR, MPG_ARG_THREADS,      MPG_ARG_GRAIN};
static const signed char trace_job_args[] = {MPG_ARG_PATH,     MPG_ARG_OF_JOB, MPG_ARG_BUCKET_WIDTH,
                                             MPG_ARG_SINCE,    MPG_ARG_UNTIL,  MPG_ARG_AS_OF,
                                             MPG_ARG_BASIS,    MPG_ARG_SIZES,  MPG_ARG_ROOFLINE,
                                             MPG_ARG_ON_ERROR, MPG_ARG_THREADS};
static const signed char mpg_job_args[] = {MPG_ARG_OF_JOB,   MPG_ARG_SCHEMA, MPG_ARG_BUCKET_WIDTH,
                                           MPG_ARG_SINCE,    MPG_ARG_UNTIL,  MPG_ARG_AS_OF,
                                           MPG_ARG_BASIS,    MPG_ARG_SIZES,  MPG_ARG_ROOFLINE,
                                           MPG_ARG_ON_ERROR, MPG_ARG_THREADS};

#define TABLE(name, shape, files, cols, args)                                                      \
  { name, shape, files, cols, args, (int)sizeof(cols), (int)sizeof(args) }

static const mpg_ledger_table tables[MPG_LEDGER_TABLES] = {
    TABLE("trace_ledger", MPG_SHAPE_LEDGER, true, ledger_cols, trace_args),
    TABLE("trace_rollup", MPG_SHAPE_ROLLUP, true, rollup_cols, trace_rollup_args),
    TABLE("trace_timeline", MPG_SHAPE_TIMELINE, true, timeline_cols, trace_job_args),
    TABLE("mpg_ledger", MPG_SHAPE_LEDGER, false, ledger_cols, mpg_args),
    TABLE("mpg_rollup", MPG_SHAPE_ROLLUP, false, rollup_cols, mpg_rollup_args),
    TABLE("mpg_timeline", MPG_SHAPE_TIMELINE, false, timeline_cols, mpg_job_args),
    [MPG_RUNS_TABLE] = {"mpg_runs", MPG_SHAPE_RUNS, false, NULL, mpg_args, MPG_RUNS_COLUMNS,
                        (int)sizeof mpg_args},
};

const mpg_ledger_table *mpg_ledger_table_get(int i) {
  return &tables[i];
}

uint32_t mpg_ledger_grain(const mpg_ledger_table *table, uint64_t columns) {
  uint32_t mask = 0;
  for (int i = 0; i < table->ncols; i++)
    if ((columns >> i & 1) && col_info[table->cols[i]].dim >= 0)
      mask |= 1u << col_info[table->cols[i]].dim;
  return mask;
}

static int dim_by_name(const mpg_ledger_table *table, mpg_str name) {
  for (int i = 0; i < table->ncols; i++) {
    const mpg_ledger_column_info *col = &col_info[table->cols[i]];
    if (col->dim >= 0 && mpg_str_eq_nocase(mpg_str_of(col->name), name))
      return col->dim;
  }
  return -1;
}

mpg_rc mpg_ledger_grain_parse(const mpg_ledger_table *table, const char *argument, mpg_str names,
                              uint32_t *mask, mpg_err *err) {
  char found[MPG_EXCERPT];
  size_t i = 0;
  *mask = 0;
  if (mpg_str_eq_nocase(names, mpg_str_of("full"))) {
    *mask = mpg_ledger_grain(table, UINT64_MAX);
    return MPG_OK;
  }
  while (i < names.n) {
    mpg_str name = {names.p + i, 0};
    int dim;
    while (i < names.n && names.p[i] != ',')
      i++;
    name.n = (size_t)(names.p + i - name.p);
    while (name.n > 0 && *name.p == ' ') {
      name.p++;
      name.n--;
    }
    while (name.n > 0 && name.p[name.n - 1] == ' ')
      name.n--;
    dim = dim_by_name(table, name);
    if (dim < 0) {
      mpg_text_excerpt(name, found);
      return mpg_fail(err, MPG_MISUSE,
                      "%s: expected 'full', or names of its dimensions such as 'pool, category', "
                      "found '%s'",
                      argument, found);
    }
    *mask |= 1u << dim;
    if (i < names.n && ++i == names.n) /* a comma at the end */
      return mpg_fail(err, MPG_MISUSE, "%s: expected a name after the last comma", argument);
  }
  return MPG_OK;
}

/* ---- rows ---- */

mpg_ledger_row mpg_ledger_row_at(const mpg_ledger *l, size_t i) {
  return (mpg_ledger_row){l->job[i],     l->pool[i], l->chip[i],   l->cause[i],    l->kind[i],
                          l->program[i], l->file[i], l->size[i],   l->category[i], l->attempt[i],
                          l->start[i],   l->end[i],  l->bucket[i], l->chip_us[i],  1,
                          l->step[i],    l->line[i]};
}

mpg_ledger_row mpg_ledger_row_of_cell(const mpg_cell *k, mpg_i128 *left) {
  int64_t piece = *left > INT64_MAX ? INT64_MAX : *left < INT64_MIN ? INT64_MIN : (int64_t)*left;
  *left -= piece;
  return (mpg_ledger_row){.job = k->job,
                          .pool = k->pool,
                          .chip = k->chip,
                          .cause = k->cause,
                          .size = k->size,
                          .category = k->category,
                          .attempt = k->attempt,
                          .bucket = k->bucket,
                          .chip_us = piece,
                          .intervals = *left == 0 ? k->intervals : 0};
}

/* ---- values ---- */

static mpg_value text_value(mpg_str s) {
  return (mpg_value){.type = s.p == NULL ? MPG_NULL : MPG_TEXT, .s = s};
}

static mpg_value int_value(int64_t v, int64_t none) {
  return (mpg_value){.type = v == none ? MPG_NULL : MPG_INT, .i = v};
}

mpg_value mpg_ledger_value(const mpg_fleet *fleet, const mpg_bucket *bucket,
                           const mpg_ledger_row *row, mpg_ledger_column col,
                           char room[MPG_LEDGER_VALUE_TEXT]) {
  const mpg_ledger_column_info *info = &col_info[col];
  const void *field = (const char *)row + info->of_row;
  switch (info->form) {
  case MPG_FORM_NAME:
  case MPG_FORM_FEW:
    return text_value(
        mpg_intern_text(mpg_ledger_column_names(info, fleet), *(const uint32_t *)field));
  case MPG_FORM_OF_JOB:
    if (row->job == 0)
      return text_value((mpg_str){NULL, 0});
    return text_value(
        mpg_intern_text(&fleet->texts, fleet->jobs[row->job - 1].dim[info->dim - MPG_DIM_NAME]));
  case MPG_FORM_SIZE:
    return text_value(mpg_str_of(mpg_size_name(row->size)));
  case MPG_FORM_CATEGORY:
    return text_value(mpg_str_of(mpg_category_get((mpg_category)row->category)->name));
  case MPG_FORM_BUCKET:
    if (row->bucket == MPG_NONE)
      return text_value((mpg_str){NULL, 0});
    return text_value((mpg_str){room, mpg_bucket_label(bucket, row->bucket, room)});
  case MPG_FORM_AMOUNT:
    return (mpg_value){.type = MPG_INT, .i = *(const int64_t *)field};
  case MPG_FORM_NUMBER:
    return int_value(*(const int64_t *)field, MPG_NONE);
  case MPG_FORM_LINE:
    return int_value(*(const int64_t *)field, 0);
  case MPG_FORM_SECONDS:
    return (mpg_value){.type = MPG_REAL, .r = (double)*(const int64_t *)field / 1e6};
  default:
    return (mpg_value){.type = MPG_INT, .i = row->intervals};
  }
}
