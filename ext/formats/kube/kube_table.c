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

typedef struct kube_file {
  mpg_kube *reader;
} kube_file;

static void file_close(void *p) {
  mpg_kube_close(((kube_file *)p)->reader);
}

static mpg_rc file_open(void *p, void *scan, const mpg_env *env, mpg_stream *stream,
                        mpg_issues *issues, mpg_err *err) {
  (void)scan;
  return mpg_kube_open(&((kube_file *)p)->reader, env, stream, issues, err);
}

static mpg_rc file_next(void *p, mpg_err *err) {
  return mpg_kube_next(((kube_file *)p)->reader, err);
}

static int64_t file_line(const void *p) {
  return mpg_kube_line(((const kube_file *)p)->reader);
}

static mpg_rc file_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  (void)err;
  *out = *mpg_kube_get(((kube_file *)p)->reader, i);
  return MPG_OK;
}

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
