/*
** slurm_nodes_table.c - slurm_nodes_trace(path, zone, on_error): nodes of scontrol show node, as
** text and JSON, and of slurmrestd. Columns are scontrol's fields, and after them what the mapping
** needs:
**
**   state_base TEXT            State without marks and flags
**   out_of_service BIGINT      whether it is down, failed, drained, in maintenance or powered down:
**   0 or 1 gpus BIGINT, gpu_type TEXT, gpu_types TEXT
**       of CfgTRES, or else of Gres; gpu_types is a JSON object: {"h100":8}
**   alloc_gpus BIGINT          of AllocTRES, or else of GresUsed
*/
#include "../list.h"
#include "slurm_columns.h"
#include "slurm_nodes.h"

#include <string.h>

#define TYPE_TEXT "TEXT"
#define TYPE_COUNT "BIGINT"
#define TYPE_TIME "BIGINT"
#define COLUMN(name, type) {#name, TYPE_##type},

enum {
  STATE_BASE = MPG_SLURM_SHOW_NODE_COUNT_OF_FIELDS,
  OUT_OF_SERVICE,
  GPUS,
  GPU_TYPE,
  GPU_TYPES,
  ALLOC_GPUS,
  COLUMNS
};

static const mpg_reader_column columns[COLUMNS] = {
    MPG_SLURM_SHOW_NODE_FIELDS(COLUMN) /* the node's own */
        [STATE_BASE] = {"state_base", "TEXT"},
    [OUT_OF_SERVICE] = {"out_of_service", "BIGINT"},
    [GPUS] = {"gpus", "BIGINT"},
    [GPU_TYPE] = {"gpu_type", "TEXT"},
    [GPU_TYPES] = {"gpu_types", "TEXT"},
    [ALLOC_GPUS] = {"alloc_gpus", "BIGINT"},
};

typedef struct nodes_file {
  mpg_slurm_show_node *reader;
  mpg_json_text text;
} nodes_file;

static void file_close(void *p) {
  nodes_file *file = p;
  mpg_slurm_show_node_close(file->reader);
  mpg_json_text_free(&file->text);
}

static mpg_rc file_open(void *p, void *zone, const mpg_env *env, mpg_stream *stream,
                        mpg_issues *issues, mpg_err *err) {
  nodes_file *file = p;
  bool json = false;
  mpg_rc rc = mpg_slurm_is_json(stream, &json, err);
  file->text.env = env;
  return rc == MPG_OK
             ? mpg_slurm_show_node_open(&file->reader, env, stream, json, zone, issues, err)
             : rc;
}

MPG_READER_NEXT_AND_LINE(nodes_file, slurm_show_node)

static mpg_rc get_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  nodes_file *file = p;
  const mpg_value *state = mpg_slurm_show_node_get(file->reader, MPG_SLURM_SHOW_NODE_State);
  mpg_slurm_gpus gpus;
  mpg_poller poller = {file->text.env, 0, false};
  mpg_rc rc = MPG_OK;
  mpg_str tres;
  if (i < MPG_SLURM_SHOW_NODE_COUNT_OF_FIELDS) {
    *out = *mpg_slurm_show_node_get(file->reader, i);
    return MPG_OK;
  }
  if (i == STATE_BASE || i == OUT_OF_SERVICE) {
    mpg_str text = state->s;
    size_t n = 0;
    if (state->type != MPG_TEXT)
      return MPG_OK;
    if (i == OUT_OF_SERVICE) {
      mpg_give_int(out, mpg_slurm_show_node_out_of_service(text));
      return MPG_OK;
    }
    while (n < text.n && ((text.p[n] >= 'A' && text.p[n] <= 'Z') || text.p[n] == '_'))
      n++;
    mpg_give_text(out, (mpg_str){text.p, n});
    return MPG_OK;
  }
  tres = mpg_slurm_show_node_gpus(file->reader, i == ALLOC_GPUS);
  if (!mpg_slurm_gpus_parse(tres, &poller, &gpus))
    return poller.stopped ? mpg_fail_plain(err, MPG_INTERRUPTED) : MPG_OK;
  if (i == GPUS || i == ALLOC_GPUS)
    mpg_give_int(out, gpus.total);
  else if (i == GPU_TYPE)
    mpg_slurm_give_type(&gpus, out);
  else
    rc = mpg_slurm_give_types(&file->text, tres, &gpus, &poller, out);
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

int mpg_register_slurm_nodes(mpg_conn *conn, char **error) {
  static const mpg_reader_format format = {
      .module = {"slurm_nodes_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in slurm_nodes_trace('nodes.txt')",
      .columns = columns,
      .ncolumns = COLUMNS,
      .arguments = mpg_reader_zone,
      .narguments = 1,
      .begin = mpg_reader_begin_zone,
      .end = mpg_reader_end_zone,
      .file_size = sizeof(nodes_file),
      .open = file_open,
      .close = file_close,
      .next = file_next,
      .line = file_line,
      .column = get_column,
  };
  return mpg_register_reader(conn, &format, error);
}
