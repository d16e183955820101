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
**   last_update BIGINT         of JSON: when the nodes were seen
**
** and slurm_reservations_trace(path, zone, on_error): reservations of scontrol show reservation, as
** text and JSON, and of sacctmgr -P show reservation. Columns are scontrol's fields, and
**
**   node_names TEXT            Nodes as a JSON array of names
*/
#define _GNU_SOURCE /* memmem */
#include "../list.h"
#include "slurm.h"
#include "slurm_columns.h"
#include "slurm_fields.h"
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
  LAST_UPDATE,
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
    [LAST_UPDATE] = {"last_update", "BIGINT"},
};

typedef struct nodes_file {
  mpg_slurm_show_node *reader;
  const mpg_env *env;
  const char *path;
  mpg_slurm_lists lists;
  bool json;
  mpg_slurm_updates updates;
} nodes_file;

static void file_close(void *p) {
  nodes_file *file = p;
  mpg_slurm_show_node_close(file->reader);
  mpg_slurm_lists_free(&file->lists);
  mpg_slurm_updates_free(&file->updates);
}

static mpg_rc file_open(void *p, void *zone, const mpg_env *env, mpg_stream *stream,
                        mpg_issues *issues, mpg_err *err) {
  nodes_file *file = p;
  bool json = false;
  mpg_rc rc = mpg_slurm_is_json(stream, &json, err);
  file->env = env;
  file->path = mpg_stream_path(stream);
  file->json = json;
  file->updates = (mpg_slurm_updates){.env = env};
  return rc == MPG_OK ? mpg_slurm_show_node_open(&file->reader, env, stream,
                                                 json ? MPG_SLURM_SHOW_JSON : 0, zone, issues, err)
                      : rc;
}

MPG_READER_NEXT_AND_LINE(nodes_file, slurm_show_node)

static mpg_rc give_last_update(nodes_file *file, mpg_value *out, mpg_err *err) {
  int64_t time = 0;
  mpg_rc rc = file->json ? mpg_slurm_updated(&file->updates, file->path,
                                             mpg_slurm_show_node_document(file->reader), &time, err)
                         : MPG_OK;
  if (rc == MPG_OK && time > 0)
    mpg_give_int(out, time);
  return rc;
}

static mpg_rc get_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  nodes_file *file = p;
  const mpg_value *state = mpg_slurm_show_node_get(file->reader, MPG_SLURM_SHOW_NODE_State);
  mpg_poller poller = {file->env, 0, false};
  mpg_slurm_list *list;
  mpg_rc rc;
  if (i < MPG_SLURM_SHOW_NODE_COUNT_OF_FIELDS) {
    *out = *mpg_slurm_show_node_get(file->reader, i);
    return MPG_OK;
  }
  if (i == LAST_UPDATE)
    return give_last_update(file, out, err);
  if (i == STATE_BASE || i == OUT_OF_SERVICE) {
    mpg_str text = state->s;
    size_t n = 0;
    if (state->type != MPG_TEXT)
      return MPG_OK;
    if (i == OUT_OF_SERVICE) {
      mpg_give_int(out, mpg_slurm_node_out_of_service(text));
      return MPG_OK;
    }
    while (n < text.n && ((text.p[n] >= 'A' && text.p[n] <= 'Z') || text.p[n] == '_'))
      n++;
    mpg_give_text(out, (mpg_str){text.p, n});
    return MPG_OK;
  }
  rc =
      mpg_slurm_lists_find(&file->lists, file->env,
                           mpg_slurm_show_node_gpus(file->reader, i == ALLOC_GPUS), &poller, &list);
  if (rc == MPG_OK && list->valid) {
    if (i == GPUS || i == ALLOC_GPUS)
      mpg_give_int(out, list->gpus.total);
    else if (i == GPU_TYPE)
      mpg_slurm_give_type(&list->gpus, out);
    else
      rc = mpg_slurm_give_types(list, &poller, out);
  }
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

/* ---- Reservations ---- */

enum { NODES = MPG_SLURM_SHOW_RESERVATION_COUNT_OF_FIELDS, RESERVATION_COLUMNS };

static const mpg_reader_column reservation_columns[RESERVATION_COLUMNS] = {
    MPG_SLURM_SHOW_RESERVATION_FIELDS(COLUMN) /* the reservation's own */
        [NODES] = {"node_names", "TEXT"},
};

#define LISTED(name, type) {#name, MPG_SLURM_##type},
static const mpg_slurm_field listed_fields[] = {MPG_SLURM_RESERVATION_FIELDS(LISTED)};
static const mpg_slurm_kind listed_reservations = {"sacctmgr show reservation",
                                                   "Cluster|Name|TimeStart|NodeNames",
                                                   listed_fields, MPG_SLURM_RESERVATION_COUNT};

typedef struct reservations_file {
  mpg_slurm_show_node *shown; /* of scontrol, */
  mpg_slurm *listed;          /* or of sacctmgr */
  mpg_json_text text;
} reservations_file;

static void reservations_close(void *p) {
  reservations_file *file = p;
  mpg_slurm_show_node_close(file->shown);
  mpg_slurm_close(file->listed);
  mpg_json_text_free(&file->text);
}

static mpg_rc reservations_open(void *p, void *zone, const mpg_env *env, mpg_stream *stream,
                                mpg_issues *issues, mpg_err *err) {
  static const char field[] = " StartTime="; /* scontrol's, though what begins may be damaged */
  const mpg_slurm_options options = {.zone = zone, .issues = issues, .threads = 1};
  reservations_file *file = p;
  bool json = false;
  mpg_str start;
  mpg_rc rc = mpg_slurm_is_json(stream, &json, err);
  file->text.env = env;
  if (rc == MPG_OK)
    rc = mpg_stream_peek(stream, 1024, &start, err);
  if (rc != MPG_OK)
    return rc;
  if (json || memmem(start.p, start.n, field, sizeof field - 1) != NULL)
    return mpg_slurm_show_node_open(&file->shown, env, stream,
                                    MPG_SLURM_SHOW_RESERVATIONS | (json ? MPG_SLURM_SHOW_JSON : 0),
                                    zone, issues, err);
  return mpg_slurm_open(&file->listed, env, stream, &listed_reservations, &options, err);
}

static mpg_rc reservations_next(void *p, mpg_err *err) {
  reservations_file *file = p;
  return file->shown != NULL ? mpg_slurm_show_node_next(file->shown, err)
                             : mpg_slurm_next(file->listed, err);
}

static int64_t reservations_line(const void *p) {
  const reservations_file *file = p;
  return file->shown != NULL ? mpg_slurm_show_node_line(file->shown) : mpg_slurm_line(file->listed);
}

/* A field of scontrol's from what sacctmgr calls it; NULL: it has none. */
static const mpg_value *listed_field(const reservations_file *file, size_t i) {
  static const struct {
    size_t shown, listed;
  } same[] = {
      {MPG_SLURM_SHOW_RESERVATION_ReservationName, MPG_SLURM_RESERVATION_Name},
      {MPG_SLURM_SHOW_RESERVATION_StartTime, MPG_SLURM_RESERVATION_TimeStart},
      {MPG_SLURM_SHOW_RESERVATION_EndTime, MPG_SLURM_RESERVATION_TimeEnd},
      {MPG_SLURM_SHOW_RESERVATION_Nodes, MPG_SLURM_RESERVATION_NodeNames},
      {MPG_SLURM_SHOW_RESERVATION_Flags, MPG_SLURM_RESERVATION_Flags},
      {MPG_SLURM_SHOW_RESERVATION_TRES, MPG_SLURM_RESERVATION_TRES},
      {MPG_SLURM_SHOW_RESERVATION_Comment, MPG_SLURM_RESERVATION_Comment},
      {MPG_SLURM_SHOW_RESERVATION_Cluster, MPG_SLURM_RESERVATION_Cluster},
  };
  for (size_t k = 0; k < sizeof same / sizeof *same; k++)
    if (same[k].shown == i)
      return mpg_slurm_get(file->listed, same[k].listed);
  return NULL;
}

static mpg_rc reservations_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  reservations_file *file = p;
  const size_t field = i == NODES ? MPG_SLURM_SHOW_RESERVATION_Nodes : i;
  const mpg_value *v =
      file->shown != NULL ? mpg_slurm_show_node_get(file->shown, field) : listed_field(file, field);
  mpg_rc rc;
  if (v == NULL)
    return MPG_OK;
  if (i != NODES) {
    *out = *v;
    return MPG_OK;
  }
  rc = v->type == MPG_TEXT ? mpg_slurm_give_nodes(&file->text, v->s, out) : MPG_OK;
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

static int register_reservations(mpg_conn *conn, char **error) {
  static const mpg_reader_format format = {
      .module = {"slurm_reservations_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in slurm_reservations_trace('reservations.txt')",
      .columns = reservation_columns,
      .ncolumns = RESERVATION_COLUMNS,
      .arguments = mpg_reader_zone,
      .narguments = 1,
      .begin = mpg_reader_begin_zone,
      .end = mpg_reader_end_zone,
      .file_size = sizeof(reservations_file),
      .open = reservations_open,
      .close = reservations_close,
      .next = reservations_next,
      .line = reservations_line,
      .column = reservations_column,
  };
  return mpg_register_reader(conn, &format, error);
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
  int rc = mpg_register_reader(conn, &format, error);
  return rc == SQLITE_OK ? register_reservations(conn, error) : rc;
}
