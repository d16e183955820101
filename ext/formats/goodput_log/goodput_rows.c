/* goodput_rows.c - see goodput_rows.h. */
#include "goodput_rows.h"
#include "../../read/unwrap/unwrap.h"

typedef struct goodput_file {
  const mpg_env *env;
  mpg_goodput_log *log;
  const mpg_goodput_row *row;
} goodput_file;

static void file_close(void *p) {
  goodput_file *file = p;
  mpg_goodput_log_close(file->log);
  mpg_free(file->env, file);
}

static mpg_rc file_begin(void **out, const mpg_env *env, const mpg_rows_query *query,
                         mpg_stream *stream, mpg_issues *issues, mpg_err *err) {
  goodput_file *file = mpg_calloc(env, sizeof *file);
  mpg_rc rc;
  (void)query;
  if (file == NULL)
    return mpg_fail_nomem(err);
  file->env = env;
  rc = mpg_goodput_log_open(&file->log, env, stream, NULL, issues, err);
  if (rc == MPG_OK)
    *out = file;
  else
    file_close(file);
  return rc;
}

static mpg_rc file_header(void *p, mpg_err *err) {
  (void)p;
  (void)err;
  return MPG_OK;
}

static void file_feed(void *p, mpg_stream *stream, mpg_block *block, const mpg_env *poll_env) {
  mpg_goodput_log_feed(((goodput_file *)p)->log, stream, block, poll_env);
}

static void file_like(void *p, const void *of) {
  (void)p;
  (void)of;
}

static const size_t *file_fields(void *p, size_t *width) {
  (void)p;
  *width = 0;
  return NULL;
}

static mpg_rc file_next(void *p, mpg_err *err) {
  goodput_file *file = p;
  return mpg_goodput_log_next(file->log, &file->row, err);
}

static int64_t file_line(const void *p) {
  return mpg_goodput_log_line(((const goodput_file *)p)->log);
}

/* ---- Columns ---- */

static void give_text(mpg_value *out, mpg_str text) {
  out->type = MPG_TEXT;
  out->s = text;
}

static void give_int(mpg_value *out, int64_t v) {
  out->type = MPG_INT;
  out->i = v;
}

static void give_event(const mpg_goodput_row *row, mpg_value *out) {
  if (row->kind == MPG_GOODPUT_CUSTOM_EVENT)
    *out = row->values[MPG_GOODPUT_custom_badput_event_type];
  else if (row->kind == MPG_GOODPUT_ELASTIC_WAIT)
    *out = row->values[MPG_GOODPUT_elastic_wait_event_type];
}

/* A column that is no field of the log. */
static mpg_rc derived_column(goodput_file *file, size_t i, mpg_value *out, mpg_err *err) {
  const mpg_goodput_row *row = file->row;
  mpg_str rest;
  switch (i) {
  case MPG_GOODPUT_ROW_JOB_NAME:
    give_text(out, row->job);
    break;
  case MPG_GOODPUT_ROW_KIND:
    if (row->kind == MPG_GOODPUT_CHECKPOINT)
      *out = row->values[MPG_GOODPUT_event_type];
    else
      give_text(out, mpg_str_of(mpg_goodput_kind_name(row->kind)));
    break;
  case MPG_GOODPUT_ROW_EDGE:
    if (row->edge != MPG_GOODPUT_NONE)
      give_text(out, row->edge == MPG_GOODPUT_START ? MPG_STR("start") : MPG_STR("end"));
    break;
  case MPG_GOODPUT_ROW_TIME:
    if (row->field < MPG_GOODPUT_COUNT)
      *out = row->values[row->field];
    break;
  case MPG_GOODPUT_ROW_EVENT:
    give_event(row, out);
    break;
  case MPG_GOODPUT_ROW_REST:
    if (mpg_goodput_log_rest(file->log, &rest, err) != MPG_OK)
      return err->rc;
    if (rest.n > 0)
      give_text(out, rest);
    break;
  case MPG_GOODPUT_ROW_TIMESTAMP:
    if (row->exported)
      give_text(out, row->timestamp);
    break;
  case MPG_GOODPUT_ROW_TIME_NS:
    if (row->exported)
      give_int(out, row->time_ns);
    break;
  case MPG_GOODPUT_ROW_INSERT_ID:
    if (row->insert_id.n > 0)
      give_text(out, row->insert_id);
    break;
  case MPG_GOODPUT_ROW_ENTRY:
    if (row->exported)
      give_int(out, (int64_t)row->entry);
    break;
  default:
    break;
  }
  return MPG_OK;
}

static mpg_rc file_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  goodput_file *file = p;
  const mpg_goodput_row *row = file->row;
  size_t field = i - MPG_GOODPUT_ROW_FIELDS;
  out->type = MPG_NULL;
  if (i < MPG_GOODPUT_ROW_FIELDS || field >= MPG_GOODPUT_COUNT)
    return derived_column(file, i, out, err);
  /* A step's number is its count. */
  if (field == MPG_GOODPUT_step && row->kind == MPG_GOODPUT_STEP)
    field = MPG_GOODPUT_step_count;
  *out = row->values[field];
  return MPG_OK;
}

const mpg_rows_options mpg_goodput_rows_options = {.delimiter = ','};
const mpg_rows_format mpg_goodput_rows = {
    .json = true,
    .unwrap = MPG_UNWRAP_PREFIX | MPG_UNWRAP_TEXT | MPG_UNWRAP_MIXED,
    .close = file_close,
    .next = file_next,
    .line = file_line,
    .column = file_column,
    .begin = file_begin,
    .header = file_header,
    .feed = file_feed,
    .like = file_like,
    .fields = file_fields,
};
