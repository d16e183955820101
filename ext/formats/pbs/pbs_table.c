/*
** pbs_table.c - pbs_trace(path, zone, on_error), records of PBS accounting logs.
** (To a mapping an end stands for the records that it says again: see pbs_ends.h.)
**
**   date_time BIGINT, record_type TEXT, id_string TEXT, message_text TEXT
**       the head of the record, and the text before its first key
**   user, ..., run_count
**       the keys by their own names, NULL if the record lacks them
**   other TEXT
**       all other keys: a JSON object; a key that repeats is repeated in it
**
** and after them what the mapping to the relations needs (sql/formats/pbs.sql):
**
**   job_base BIGINT, array_index TEXT, server TEXT
**       the parts of id_string, if it is a job's
**   outcome TEXT
**       how the job or attempt ended, in the words of the native trace; NULL: it did not, or
**       unknown
**   req_gpus REAL, req_cpus BIGINT
**       Resource_List.ngpus and .ncpus, else what .select or .nodes add up to
**   alloc_gpus REAL, alloc_cpus BIGINT
**       what exec_vnode adds up to, else resource_assigned, exec_gpus and exec_host, resources_used
**   gpu_type TEXT
**       of exec_vnode or Resource_List, if there is just one
**   nodes TEXT
**       the hosts of exec_host (else the vnodes of exec_vnode), each once, as a JSON array
*/
#include "../list.h"
#include "../../sqlite/reader/reader.h"
#include "../../base/intern.h"
#include "../../read/parse/json_writer.h"
#include "pbs.h"
#include "pbs_ends.h"
#include "pbs_value.h"

#include <string.h>

#define TYPE_TEXT "TEXT"
#define TYPE_COUNT "BIGINT"
#define TYPE_AMOUNT "REAL"
#define TYPE_TIME "BIGINT"
#define TYPE_SECONDS "BIGINT"
#define COLUMN(name, key, type) {key, TYPE_##type},

enum { DATE_TIME, RECORD_TYPE, ID_STRING, MESSAGE_TEXT, FIRST_FIELD };
enum {
  OTHER = FIRST_FIELD + MPG_PBS_COUNT_OF_FIELDS,
  JOB_BASE,
  ARRAY_INDEX,
  SERVER,
  OUTCOME,
  REQ_GPUS,
  REQ_CPUS,
  ALLOC_GPUS,
  ALLOC_CPUS,
  GPU_TYPE,
  NODES,
  COLUMNS
};

static const mpg_reader_column columns[COLUMNS] = {
    {"date_time", "BIGINT"},
    {"record_type", "TEXT"},
    {"id_string", "TEXT"},
    {"message_text", "TEXT"},
    MPG_PBS_FIELDS(COLUMN) /* the keys */
        [OTHER] = {"other", "TEXT"},
    [JOB_BASE] = {"job_base", "BIGINT"},
    [ARRAY_INDEX] = {"array_index", "TEXT"},
    [SERVER] = {"server", "TEXT"},
    [OUTCOME] = {"outcome", "TEXT"},
    [REQ_GPUS] = {"req_gpus", "REAL"},
    [REQ_CPUS] = {"req_cpus", "BIGINT"},
    [ALLOC_GPUS] = {"alloc_gpus", "REAL"},
    [ALLOC_CPUS] = {"alloc_cpus", "BIGINT"},
    [GPU_TYPE] = {"gpu_type", "TEXT"},
    [NODES] = {"nodes", "TEXT"},
};

typedef struct pbs_file {
  mpg_pbs *reader;
  mpg_pbs_ends *ends; /* of a mapping */
  mpg_json_text json;
  char type; /* lent out by column() */
} pbs_file;

/* ---- Columns derived from others ---- */

static mpg_str text_of(const mpg_pbs *r, size_t field) {
  const mpg_value *v = mpg_pbs_get(r, field);
  return v->type == MPG_TEXT ? v->s : (mpg_str){NULL, 0};
}

static bool get_number(const mpg_pbs *r, size_t field, mpg_value *out) {
  const mpg_value *v = mpg_pbs_get(r, field);
  if (v->type != MPG_NULL)
    *out = *v;
  return v->type != MPG_NULL;
}

static void set_requested(const mpg_pbs *r, bool gpus, mpg_poller *poller, mpg_value *out) {
  mpg_pbs_sum sum;
  mpg_str select = text_of(r, MPG_PBS_list_select), nodes = text_of(r, MPG_PBS_list_nodes);
  if (get_number(r, gpus ? MPG_PBS_list_ngpus : MPG_PBS_list_ncpus, out))
    return;
  if (!mpg_pbs_select_parse(select, poller, &sum) && !mpg_pbs_nodes_parse(nodes, poller, &sum))
    return;
  if (gpus)
    mpg_pbs_give_amount(out, sum.gpus < 0 ? 0 : (double)sum.gpus / 1e6);
  else if (sum.cpus >= 0)
    mpg_give_int(out, sum.cpus);
}

static void give_held(const mpg_pbs *r, bool gpus, mpg_poller *poller, mpg_value *out) {
  mpg_pbs_sum sum = {-1, -1, {NULL, 0}};
  bool placed = mpg_pbs_vnodes_parse(text_of(r, MPG_PBS_exec_vnode), poller, &sum);
  int64_t slots;
  if (gpus && sum.gpus >= 0) {
    mpg_pbs_give_amount(out, (double)sum.gpus / 1e6);
    return;
  }
  if (!gpus && sum.cpus >= 0) {
    mpg_give_int(out, sum.cpus);
    return;
  }
  if (get_number(r, gpus ? MPG_PBS_given_ngpus : MPG_PBS_given_ncpus, out))
    return;
  if (mpg_pbs_hosts_count(text_of(r, gpus ? MPG_PBS_exec_gpus : MPG_PBS_exec_host), poller,
                          &slots)) {
    if (gpus)
      mpg_pbs_give_amount(out, (double)slots);
    else
      mpg_give_int(out, slots);
    return;
  }
  if (get_number(r, gpus ? MPG_PBS_used_ngpus : MPG_PBS_used_ncpus, out))
    return;
  if (gpus && (placed || text_of(r, MPG_PBS_exec_host).n > 0)) {
    /* Placed without a list of GPUs: a job of Torque without exec_gpus got what it requested. */
    if (placed)
      mpg_pbs_give_amount(out, 0);
    else
      set_requested(r, true, poller, out);
  }
}

static void give_gpu_type(const mpg_pbs *r, mpg_poller *poller, mpg_value *out) {
  static const size_t lists[] = {MPG_PBS_list_select, MPG_PBS_list_nodes};
  mpg_pbs_sum sum;
  if (mpg_pbs_vnodes_parse(text_of(r, MPG_PBS_exec_vnode), poller, &sum))
    mpg_give_text(out, sum.gpu_type);
  for (size_t i = 0; out->type == MPG_NULL && i < sizeof lists / sizeof *lists; i++) {
    mpg_str list = text_of(r, lists[i]);
    if (i == 0 ? mpg_pbs_select_parse(list, poller, &sum) : mpg_pbs_nodes_parse(list, poller, &sum))
      mpg_give_text(out, sum.gpu_type);
  }
  if (out->type == MPG_NULL)
    mpg_give_text(out, text_of(r, MPG_PBS_list_gpu_type));
}

static mpg_rc give_nodes(pbs_file *file, mpg_value *out) {
  mpg_str list = text_of(file->reader, MPG_PBS_exec_host), host;
  mpg_json_text *json = &file->json;
  mpg_intern requestors;
  mpg_rc rc;
  if (list.n == 0)
    list = text_of(file->reader, MPG_PBS_exec_vnode);
  if (list.n == 0)
    return MPG_OK;
  json->n = 0;
  mpg_intern_init(&requestors, json->env);
  rc = mpg_json_put(json, MPG_STR("["));
  for (size_t at = 0; rc == MPG_OK && mpg_pbs_hosts_next(list, &at, &host);) {
    size_t before = requestors.n;
    uint32_t id;
    if (mpg_poll_work(json->env, &json->work, host.n + 1)) {
      rc = MPG_INTERRUPTED;
      break;
    }
    rc = mpg_intern_id(&requestors, host, &id);
    if (rc != MPG_OK || requestors.n == before)
      continue;
    rc = mpg_json_put_comma(json);
    if (rc == MPG_OK)
      rc = mpg_json_put_string(json, host);
  }
  mpg_intern_free(&requestors);
  if (rc == MPG_OK)
    rc = mpg_json_put(json, MPG_STR("]"));
  mpg_give_text(out, (mpg_str){json->p, json->n});
  return rc;
}

static mpg_rc give_others(pbs_file *file, mpg_value *out) {
  mpg_json_text *json = &file->json;
  size_t n;
  const mpg_pbs_pair *pairs = mpg_pbs_others(file->reader, &n);
  mpg_rc rc = MPG_OK;
  if (n == 0)
    return MPG_OK;
  json->n = 0;
  rc = mpg_json_put(json, MPG_STR("{"));
  for (size_t i = 0; rc == MPG_OK && i < n; i++) {
    rc = mpg_json_put_key(json, pairs[i].key);
    if (rc == MPG_OK)
      rc = mpg_json_put_string(json, pairs[i].value);
  }
  if (rc == MPG_OK)
    rc = mpg_json_put(json, MPG_STR("}"));
  mpg_give_text(out, (mpg_str){json->p, json->n});
  return rc;
}

static void give_id_part(const pbs_file *file, size_t i, mpg_value *out) {
  mpg_pbs_id id;
  if (!mpg_pbs_id_parse(mpg_pbs_id_text(file->reader), &id))
    return;
  if (i == JOB_BASE)
    mpg_give_int(out, id.base);
  else if (i == SERVER)
    mpg_give_text(out, id.server);
  else if (id.in_array)
    *out = (mpg_value){MPG_TEXT, 0, 0.0, id.index};
}

/* How the attempt ended that the record ends. Of the two, only PBS Pro writes vnodes. */
static void give_outcome(const pbs_file *file, mpg_value *out) {
  const mpg_value *status = mpg_pbs_get(file->reader, MPG_PBS_Exit_status);
  const char *outcome = mpg_pbs_outcome(mpg_pbs_record_type(file->reader),
                                        text_of(file->reader, MPG_PBS_exec_vnode).n == 0,
                                        status->type == MPG_INT, status->i);
  if (outcome != NULL)
    mpg_give_text(out, mpg_str_of(outcome));
}

static mpg_rc get_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  pbs_file *file = p;
  const mpg_pbs *r = file->reader;
  mpg_poller poller = {file->json.env, 0, false};
  mpg_rc rc = MPG_OK;
  if (i >= FIRST_FIELD && i < OTHER) {
    *out = *mpg_pbs_get(r, i - FIRST_FIELD);
    return MPG_OK;
  }
  switch (i) {
  case DATE_TIME:
    mpg_give_int(out, mpg_pbs_time(r));
    break;
  case RECORD_TYPE:
    file->type = mpg_pbs_record_type(r);
    mpg_give_text(out,
                  file->ends != NULL ? mpg_pbs_ends_types(file->ends) : (mpg_str){&file->type, 1});
    break;
  case ID_STRING:
    mpg_give_text(out, mpg_pbs_id_text(r));
    break;
  case MESSAGE_TEXT:
    mpg_give_text(out, mpg_pbs_text(r));
    break;
  case OTHER:
    rc = give_others(file, out);
    break;
  case JOB_BASE:
  case ARRAY_INDEX:
  case SERVER:
    if (mpg_poll_bytes(file->json.env, mpg_pbs_id_text(r).n))
      rc = MPG_INTERRUPTED;
    give_id_part(file, i, out);
    break;
  case OUTCOME:
    give_outcome(file, out);
    break;
  case REQ_GPUS:
  case REQ_CPUS:
    set_requested(r, i == REQ_GPUS, &poller, out);
    break;
  case ALLOC_GPUS:
  case ALLOC_CPUS:
    give_held(r, i == ALLOC_GPUS, &poller, out);
    break;
  case GPU_TYPE:
    give_gpu_type(r, &poller, out);
    break;
  default:
    rc = give_nodes(file, out);
  }
  if (poller.stopped)
    rc = MPG_INTERRUPTED;
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

/* ---- Files ---- */

static void file_close(void *p) {
  pbs_file *file = p;
  mpg_pbs_ends_close(file->ends);
  mpg_pbs_close(file->reader);
  mpg_json_text_free(&file->json);
}

static mpg_rc file_open(void *p, void *zone, const mpg_env *env, mpg_stream *stream,
                        mpg_issues *issues, mpg_err *err) {
  pbs_file *file = p;
  mpg_rc rc = mpg_pbs_open(&file->reader, env, stream, zone, issues, err);
  file->json.env = env;
  return rc == MPG_OK && env->maps ? mpg_pbs_ends_open(&file->ends, env, file->reader, err) : rc;
}

static mpg_rc file_next(void *p, mpg_err *err) {
  pbs_file *file = p;
  return file->ends != NULL ? mpg_pbs_ends_next(file->ends, err) : mpg_pbs_next(file->reader, err);
}

static int64_t file_line(const void *p) {
  return mpg_pbs_line(((const pbs_file *)p)->reader);
}

int mpg_register_pbs(mpg_conn *conn, char **error) {
  static const mpg_reader_format format = {
      .module = {"pbs_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in pbs_trace('accounting/20250331')",
      .columns = columns,
      .ncolumns = COLUMNS,
      .arguments = mpg_reader_zone,
      .narguments = 1,
      .begin = mpg_reader_begin_zone,
      .end = mpg_reader_end_zone,
      .file_size = sizeof(pbs_file),
      .open = file_open,
      .close = file_close,
      .next = file_next,
      .line = file_line,
      .column = get_column,
  };
  return mpg_register_reader(conn, &format, error);
}
