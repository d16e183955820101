/*
** mllog_table.c - mllog_trace(path, on_error), the :::MLLOG records of MLPerf logs; columns are
** those of ext/formats/mllog/mllog.h.
*/
#include "../list.h"
#include "../../sqlite/reader/reader.h"
#include "mllog.h"

#define COLUMN(name, type) {#name, #type},
static const mpg_reader_column columns[] = {MPG_MLLOG_COLUMNS(COLUMN)};

MPG_READER_FILE(mllog_file, mllog)

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
