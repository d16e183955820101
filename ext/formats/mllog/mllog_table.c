/*
** mllog_table.c - mllog_trace(path, on_error), the :::MLLOG records of MLPerf logs; columns are
** those of ext/formats/mllog/mllog.h.
*/
#include "../list.h"
#include "../../sqlite/reader/reader.h"
#include "mllog.h"

#define COLUMN(name, type) {#name, #type},
static const mpg_reader_column columns[] = {MPG_MLLOG_COLUMNS(COLUMN)};

typedef struct mllog_file {
  mpg_mllog *reader;
} mllog_file;

static void file_close(void *p) {
  mpg_mllog_close(((mllog_file *)p)->reader);
}

static mpg_rc file_open(void *p, void *scan, const mpg_env *env, mpg_stream *stream,
                        mpg_issues *issues, mpg_err *err) {
  (void)scan;
  return mpg_mllog_open(&((mllog_file *)p)->reader, env, stream, issues, err);
}

static mpg_rc file_next(void *p, mpg_err *err) {
  return mpg_mllog_next(((mllog_file *)p)->reader, err);
}

static int64_t file_line(const void *p) {
  return mpg_mllog_line(((const mllog_file *)p)->reader);
}

static mpg_rc file_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  (void)err;
  *out = *mpg_mllog_get(((mllog_file *)p)->reader, i);
  return MPG_OK;
}

int mpg_register_mllog(mpg_conn *conn, char **error) {
  static const mpg_reader_format format = {
      .module = {"mllog_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in mllog_trace('result_0.txt')",
      .columns = columns,
      .ncolumns = MPG_MLLOG_COUNT,
      .file_size = sizeof(mllog_file),
      .open = file_open,
      .close = file_close,
      .next = file_next,
      .line = file_line,
      .column = file_column,
  };
  return mpg_register_reader(conn, &format, error);
}
