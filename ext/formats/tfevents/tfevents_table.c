/*
** tfevents_table.c - tfevents_trace(path, on_error), a row for each value and for each other event
** of TensorBoard's event files; columns are those of ext/formats/tfevents/tfevents.h, and _line is
** the offset of the record's first byte in the (decompressed) file.
*/
#include "../list.h"
#include "../../sqlite/reader/reader.h"
#include "tfevents.h"

#define COLUMN(name, type) {#name, #type},
static const mpg_reader_column columns[] = {MPG_TFEVENTS_COLUMNS(COLUMN)};

MPG_READER_FILE(tfevents_file, tfevents)

int mpg_register_tfevents(mpg_conn *conn, char **error) {
  static const mpg_reader_format format = {
      .module = {"tfevents_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in tfevents_trace('events.out.tfevents.1')",
      .columns = columns,
      .ncolumns = MPG_TFEVENTS_COUNT,
      .binary = true,
      .file_size = sizeof(tfevents_file),
      .open = file_open,
      .close = file_close,
      .next = file_next,
      .line = file_line,
      .column = file_column,
  };
  return mpg_register_reader(conn, &format, error);
}
