/*
** kube_table.c - kube_trace(path, on_error), objects of the Kubernetes API as kubectl prints them.
**
** A row is a version of an object: one in a listing, as many as a watch saw. docs/formats/kube.md
** describes the columns; kube_object.c and kube_pods.c fill them.
*/
#include "../list.h"
#include "../../sqlite/reader/reader.h"
#include "kube.h"

#define TYPE_TEXT "TEXT"
#define TYPE_TIME "BIGINT"
#define TYPE_COUNT "BIGINT"
#define TYPE_CHIPS "REAL"
#define COLUMN(name, type) {#name, TYPE_##type},

static const mpg_reader_column columns[] = {MPG_KUBE_FIELDS(COLUMN)};

MPG_READER_FILE(kube_file, kube)

int mpg_register_kube(mpg_conn *conn, char **error) {
  static const mpg_reader_format format = {
      .module = {"kube_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in kube_trace('cluster.json')",
      .columns = columns,
      .ncolumns = sizeof columns / sizeof *columns,
      .file_size = sizeof(kube_file),
      .open = file_open,
      .close = file_close,
      .next = file_next,
      .line = file_line,
      .column = file_column,
  };
  return mpg_register_reader(conn, &format, error);
}
