/*
** perfetto_table.c - perfetto_trace(path, on_error), a row for each slice and other track event of
** Perfetto's traces; columns are those of ext/formats/perfetto/perfetto.h, and _line is the offset
** of the packet's first byte in the (decompressed) file.
*/
#include "../list.h"
#include "../../sqlite/reader/reader.h"
#include "perfetto.h"

#define COLUMN(name, type) {#name, #type},
static const mpg_reader_column columns[] = {MPG_PERFETTO_COLUMNS(COLUMN)};

MPG_READER_FILE(perfetto_file, perfetto)

int mpg_register_perfetto(mpg_conn *conn, char **error) {
  static const mpg_reader_format format = {
      .module = {"perfetto_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in perfetto_trace('results.pftrace')",
      .columns = columns,
      .ncolumns = MPG_PERFETTO_COUNT,
      .binary = true,
      .file_size = sizeof(perfetto_file),
      .open = file_open,
      .close = file_close,
      .next = file_next,
      .line = file_line,
      .column = file_column,
  };
  return mpg_register_reader(conn, &format, error);
}
