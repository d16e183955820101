/*
** goodput_table.c - goodput_trace(path, on_error), rows of a job log of ml-goodput-measurement.
**
**   job_name TEXT
**   kind TEXT
**       what the row is of: job, step, tpu_init, training_prep, data_loading, custom_event,
**       slice_counts, elastic_wait, elastic_reinit, save, restore, emergency_restore (an Orbax
**       checkpoint's own event_type), other
**   edge TEXT
**       start or end, of a kind that has both; of a step start; else NULL
**   time REAL
**       when, Unix seconds: the start or end, of a checkpoint its start
**   event TEXT
**       the type of a custom event or of an elastic wait
**   step BIGINT
**       of a step step_count, of a checkpoint its step
**   the log's own keys by their own names (seconds REAL, truths 0 or 1), NULL where a row lacks them
**   rest TEXT
**       all other keys as a JSON object
**   timestamp TEXT, time_ns BIGINT, insertId TEXT, duplicate BIGINT
**       of an entry of Cloud Logging: its timestamp, as exported and in nanoseconds, its id, and
**       whether the same entry came before
*/
#include "reader.h"
#include "../io/goodput_log.h"

#define TYPE_REAL "REAL"
#define TYPE_INT "BIGINT"
#define TYPE_TEXT "TEXT"
#define TYPE_BOOL "BIGINT"
#define COLUMN(name, type) {#name, TYPE_##type},

enum { JOB_NAME, KIND, EDGE, TIME, EVENT, FIELDS };
enum { REST = FIELDS + MPG_GOODPUT_COUNT, TIMESTAMP, TIME_NS, INSERT_ID, DUPLICATE, COLUMNS };

/* clang-format off */
static const mpg_reader_column columns[COLUMNS] = {
    {"job_name", "TEXT"}, {"kind", "TEXT"}, {"edge", "TEXT"}, {"time", "REAL"}, {"event", "TEXT"},
    MPG_GOODPUT_FIELDS(COLUMN)
    {"rest", "TEXT"}, {"timestamp", "TEXT"}, {"time_ns", "BIGINT"}, {"insertId", "TEXT"},
    {"duplicate", "BIGINT"},
};
/* clang-format on */

typedef struct goodput_file {
  const mpg_env *env;
  mpg_stream *stream;
  mpg_goodput_log *log;
  const mpg_goodput_row *row;
} goodput_file;

/* The entries seen are those of all files of the scan: exports overlap. */
static mpg_rc scan_begin(void **out, const mpg_env *env, const mpg_value *given, mpg_err *err) {
  mpg_goodput_seen *seen = mpg_calloc(env, sizeof *seen);
  (void)given;
  if (seen == NULL)
    return mpg_fail_nomem(err);
  seen->env = env;
  *out = seen;
  return MPG_OK;
}

static void scan_end(void *p) {
  mpg_goodput_seen *seen = p;
  mpg_goodput_seen_free(seen);
  mpg_free(seen->env, seen);
}

static void file_close(void *p) {
  goodput_file *file = p;
  mpg_goodput_log_close(file->log);
  mpg_stream_close(file->stream);
  mpg_free(file->env, file);
}

static mpg_rc file_open(void **out, void *shared, const mpg_env *env, const char *path,
                        mpg_issues *issues, mpg_err *err) {
  goodput_file *file = mpg_calloc(env, sizeof *file);
  mpg_rc rc;
  if (file == NULL)
    return mpg_fail_nomem(err);
  file->env = env;
  rc = mpg_stream_open(&file->stream, env, path, err);
  if (rc == MPG_OK)
    rc = mpg_goodput_log_open(&file->log, env, file->stream, shared, issues, err);
  if (rc == MPG_OK)
    *out = file;
  else
    file_close(file);
  return rc;
}

static mpg_rc file_next(void *p, mpg_err *err) {
  goodput_file *file = p;
  return mpg_goodput_log_next(file->log, &file->row, err);
}

static int64_t file_line(const void *p) {
  return mpg_goodput_log_line(((const goodput_file *)p)->log);
}

static void give_text(mpg_value *out, mpg_str text) {
  out->type = MPG_TEXT;
  out->s = text;
}

static void give_int(mpg_value *out, int64_t v) {
  out->type = MPG_INT;
  out->i = v;
}

static void give_kind(const mpg_goodput_row *row, mpg_value *out) {
  if (row->kind == MPG_GOODPUT_CHECKPOINT)
    *out = row->values[MPG_GOODPUT_event_type];
  else
    give_text(out, mpg_str_of(mpg_goodput_kind_name(row->kind)));
}

static mpg_rc file_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  goodput_file *file = p;
  const mpg_goodput_row *row = file->row;
  mpg_str rest;
  switch (i) {
  case JOB_NAME:
    give_text(out, row->job);
    break;
  case KIND:
    give_kind(row, out);
    break;
  case EDGE:
    if (row->edge != MPG_GOODPUT_NONE)
      give_text(out, row->edge == MPG_GOODPUT_START ? MPG_STR("start") : MPG_STR("end"));
    break;
  case TIME:
    if (row->field < MPG_GOODPUT_COUNT)
      *out = row->values[row->field];
    break;
  case EVENT:
    if (row->kind == MPG_GOODPUT_CUSTOM_EVENT || row->kind == MPG_GOODPUT_ELASTIC_WAIT)
      *out =
          row->values[row->kind == MPG_GOODPUT_CUSTOM_EVENT ? MPG_GOODPUT_custom_badput_event_type
                                                            : MPG_GOODPUT_elastic_wait_event_type];
    break;
  case FIELDS + MPG_GOODPUT_step:
    *out = row->values[row->kind == MPG_GOODPUT_STEP ? MPG_GOODPUT_step_count : MPG_GOODPUT_step];
    break;
  case REST:
    if (mpg_goodput_log_rest(file->log, &rest, err) != MPG_OK)
      return err->rc;
    if (rest.n > 0)
      give_text(out, rest);
    break;
  case TIMESTAMP:
    if (row->exported)
      give_text(out, row->timestamp);
    break;
  case TIME_NS:
    if (row->exported)
      give_int(out, row->time_ns);
    break;
  case INSERT_ID:
    if (row->insert_id.n > 0)
      give_text(out, row->insert_id);
    break;
  case DUPLICATE:
    if (row->exported)
      give_int(out, row->duplicate);
    break;
  default:
    *out = row->values[i - FIELDS];
  }
  return MPG_OK;
}

int mpg_register_goodput_log(mpg_conn *conn, char **error) {
  static const mpg_reader_format format = {
      .module = {"goodput_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in goodput_trace('goodput.jsonl')",
      .columns = columns,
      .ncolumns = COLUMNS,
      .begin = scan_begin,
      .end = scan_end,
      .open = file_open,
      .close = file_close,
      .next = file_next,
      .line = file_line,
      .column = file_column,
  };
  return mpg_register_reader(conn, &format, error);
}
