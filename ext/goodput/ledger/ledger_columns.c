/* ledger_columns.c - see ledger_columns.h. */
#include "ledger_columns.h"
#include "../../base/text.h"

static const mpg_ledger_column_info col_info[MPG_COLS] = {
    [MPG_COL_POOL] = {"pool", MPG_TEXT, MPG_DIM_POOL, MPG_ROW_POOL},
    [MPG_COL_CHIP] = {"chip", MPG_TEXT, MPG_DIM_CHIP, MPG_ROW_CHIP},
    [MPG_COL_JOB] = {"job", MPG_TEXT, MPG_DIM_JOB, MPG_ROW_JOB},
    [MPG_COL_ATTEMPT] = {"attempt", MPG_INT, MPG_DIM_ATTEMPT, MPG_ROW_ATTEMPT},
    [MPG_COL_NAME] = {"name", MPG_TEXT, MPG_DIM_NAME, MPG_ROW_JOB},
    [MPG_COL_OWNER] = {"owner", MPG_TEXT, MPG_DIM_OWNER, MPG_ROW_JOB},
    [MPG_COL_PHASE] = {"phase", MPG_TEXT, MPG_DIM_PHASE, MPG_ROW_JOB},
    [MPG_COL_FRAMEWORK] = {"framework", MPG_TEXT, MPG_DIM_FRAMEWORK, MPG_ROW_JOB},
    [MPG_COL_RUNTIME] = {"runtime", MPG_TEXT, MPG_DIM_RUNTIME, MPG_ROW_JOB},
    [MPG_COL_MODEL] = {"model", MPG_TEXT, MPG_DIM_MODEL, MPG_ROW_JOB},
    [MPG_COL_SIZE] = {"size", MPG_TEXT, MPG_DIM_SIZE, MPG_ROW_SIZE},
    [MPG_COL_PRIORITY] = {"priority", MPG_TEXT, MPG_DIM_PRIORITY, MPG_ROW_JOB},
    [MPG_COL_LABELS] = {"labels", MPG_TEXT, MPG_DIM_LABELS, MPG_ROW_JOB},
    [MPG_COL_CATEGORY] = {"category", MPG_TEXT, MPG_DIM_CATEGORY, MPG_ROW_CATEGORY},
    [MPG_COL_CAUSE] = {"cause", MPG_TEXT, MPG_DIM_CAUSE, MPG_ROW_CAUSE},
    [MPG_COL_START_TIME] = {"start_time", MPG_REAL, -1, MPG_ROW_START},
    [MPG_COL_END_TIME] = {"end_time", MPG_REAL, -1, MPG_ROW_END},
    [MPG_COL_BUCKET] = {"bucket", MPG_TEXT, MPG_DIM_BUCKET, MPG_ROW_BUCKET},
    [MPG_COL_CHIP_US] = {"chip_us", MPG_INT, -1, MPG_ROW_CHIP_US},
    [MPG_COL_CHIP_SECONDS] = {"chip_seconds", MPG_REAL, -1, MPG_ROW_CHIP_US},
    [MPG_COL_INTERVALS] = {"intervals", MPG_INT, -1, MPG_ROW_CHIP_US},
    [MPG_COL_KIND] = {"kind", MPG_TEXT, -1, MPG_ROW_KIND},
    [MPG_COL_STEP] = {"step", MPG_INT, -1, MPG_ROW_STEP},
    [MPG_COL_PROGRAM] = {"program", MPG_TEXT, -1, MPG_ROW_PROGRAM},
    [MPG_COL_FILE] = {"_file", MPG_TEXT, -1, MPG_ROW_FILE},
    [MPG_COL_LINE] = {"_line", MPG_INT, -1, MPG_ROW_LINE},
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

static mpg_value text(mpg_str s) {
  return (mpg_value){.type = s.p == NULL ? MPG_NULL : MPG_TEXT, .s = s};
}

static mpg_value integer(int64_t v) {
  return (mpg_value){.type = MPG_INT, .i = v};
}

static mpg_value integer_or_none(int64_t v) {
  return (mpg_value){.type = v == MPG_NONE ? MPG_NULL : MPG_INT, .i = v};
}

static mpg_value seconds(int64_t us) {
  return (mpg_value){.type = MPG_REAL, .r = (double)us / 1e6};
}

mpg_value mpg_ledger_value(const mpg_fleet *fleet, const mpg_bucket *bucket,
                           const mpg_ledger_row *row, mpg_ledger_column col,
                           char room[MPG_LEDGER_VALUE_TEXT]) {
  switch (col) {
  case MPG_COL_POOL:
    return text(mpg_intern_text(&fleet->pool_names, row->pool));
  case MPG_COL_CHIP:
    return text(mpg_intern_text(&fleet->texts, row->chip));
  case MPG_COL_JOB:
    return text(mpg_intern_text(&fleet->job_names, row->job));
  case MPG_COL_ATTEMPT:
    return integer_or_none(row->attempt);
  case MPG_COL_SIZE:
    return text(mpg_str_of(mpg_size_name(row->size)));
  case MPG_COL_CATEGORY:
    return text(mpg_str_of(mpg_category_get((mpg_category)row->category)->name));
  case MPG_COL_CAUSE:
    return text(mpg_intern_text(&fleet->texts, row->cause));
  case MPG_COL_START_TIME:
    return seconds(row->start);
  case MPG_COL_END_TIME:
    return seconds(row->end);
  case MPG_COL_BUCKET:
    if (row->bucket == MPG_NONE)
      return text((mpg_str){NULL, 0});
    return text((mpg_str){room, mpg_bucket_label(bucket, row->bucket, room)});
  case MPG_COL_CHIP_US:
    return integer(row->chip_us);
  case MPG_COL_CHIP_SECONDS:
    return seconds(row->chip_us);
  case MPG_COL_INTERVALS:
    return integer(row->intervals);
  case MPG_COL_KIND:
    return text(mpg_intern_text(&fleet->kind_names, row->kind));
  case MPG_COL_STEP:
    return integer_or_none(row->step);
  case MPG_COL_PROGRAM:
    return text(mpg_intern_text(&fleet->program_names, row->program));
  case MPG_COL_FILE:
    return text(mpg_intern_text(&fleet->texts, row->file));
  case MPG_COL_LINE:
    return row->line == 0 ? text((mpg_str){NULL, 0}) : integer(row->line);
  default: /* NAME to LABELS */
    if (row->job == 0)
      return text((mpg_str){NULL, 0});
    return text(mpg_intern_text(&fleet->texts,
                                fleet->jobs[row->job - 1].dim[col_info[col].dim - MPG_DIM_NAME]));
  }
}
