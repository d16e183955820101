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

typedef struct tfevents_file {
  mpg_tfevents *reader;
  mpg_reader_request *request;
} tfevents_file;

static void file_close(void *p) {
  mpg_tfevents_close(((tfevents_file *)p)->reader);
}

static mpg_rc file_open(void *p, void *request, const mpg_env *env, mpg_stream *stream,
                        mpg_issues *issues, mpg_err *err) {
  tfevents_file *file = p;
  mpg_rc rc = mpg_tfevents_open(&file->reader, env, stream, issues, err);
  file->request = request;
  for (size_t i = 0; rc == MPG_OK && env->maps && i < file->request->n; i++)
    if (file->request->equal[i].column == MPG_TFEVENTS_tag) {
      /* A mapping has read the whole of it before, for what there is. */
      mpg_tfevents_only(file->reader, file->request->equal[i].text);
      file->request->partial = true;
    }
  return rc;
}

static bool is_requested(const tfevents_file *file) {
  for (size_t i = 0; i < file->request->n; i++) {
    const mpg_value *v = mpg_tfevents_get(file->reader, file->request->equal[i].column);
    if (v->type != MPG_TEXT || !mpg_str_eq(v->s, file->request->equal[i].text))
      return false;
  }
  return true;
}

/* Of the tags of a file few are requested at once. */
static mpg_rc file_next(void *p, mpg_err *err) {
  const tfevents_file *file = p;
  mpg_rc rc;
  while ((rc = mpg_tfevents_next(file->reader, err)) == MPG_OK && !is_requested(file))
    file->request->passed++;
  return rc;
}

static int64_t file_line(const void *p) {
  return mpg_tfevents_line(((const tfevents_file *)p)->reader);
}

static mpg_rc file_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  (void)err;
  *out = *mpg_tfevents_get(((tfevents_file *)p)->reader, i);
  return MPG_OK;
}

int mpg_register_tfevents(mpg_conn *conn, char **error) {
  static const mpg_reader_format format = {
      .module = {"tfevents_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in tfevents_trace('events.out.tfevents.1')",
      .columns = columns,
      .ncolumns = MPG_TFEVENTS_COUNT,
      .comparable = UINT64_C(1) << MPG_TFEVENTS_kind | UINT64_C(1) << MPG_TFEVENTS_tag,
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
