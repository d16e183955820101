/*
** slurm_table.c - slurm_trace(path, zone, columns, delimiter, on_error, threads), records of sacct
** -P, of Slurm's JSON, of scontrol show job and of jobcomp/filetxt, and slurm_events_trace(the
** same), records of sacctmgr -P show event.
**
** Columns are Slurm's own fields by their own names, NULL if the file lacks them or has nothing,
** and after them what the mapping to the relations needs (sql/formats/slurm.sql):
**
**   job_base BIGINT, array_task TEXT, array_count BIGINT, het_offset BIGINT, step TEXT
**       the parts of JobID (else of JobIDRaw); step NULL: the job itself
**   state_base TEXT, cancelled_by TEXT
**       State without " by UID" and marks, and the UID
**   outcome TEXT
**       the native trace's word for the state; NULL: not ended, or a state unknown to it
**   alloc_gpus, req_gpus BIGINT
**       GPUs of AllocTRES and ReqTRES; 0 if they list none
**   gpu_type TEXT
**       their type, if all are of one
**   alloc_gpu_types, req_gpu_types TEXT
**       {"h100":16}: a JSON object; under "" those without a type
**   nodes TEXT
**       NodeList as a JSON array of names
**   last_update BIGINT
**       when the controller that wrote the file's JSON last changed a job
**
** and after those of events, of State and TRES alike,
**
**   state_base TEXT, gpus BIGINT, gpu_type, gpu_types TEXT
**   nodes TEXT
**       ClusterNodes as a JSON array of names
*/
#include "../list.h"
#include "slurm_columns.h"
#include "slurm.h"
#include "slurm_json.h"
#include "slurm_shown.h"
#include "../../base/text.h"

#include <string.h>

enum { ZONE, COLUMNS, DELIMITER, ON_ERROR, THREADS };
static const char *const arguments[] = {"zone", "columns", "delimiter"};

/* Declared types, by mpg_slurm_type. */
#define TYPE_TEXT "TEXT"
#define TYPE_FREE "TEXT"
#define TYPE_CHOICE "TEXT"
#define TYPE_PATH "TEXT"
#define TYPE_WORDS "TEXT"
#define TYPE_STATE "TEXT"
#define TYPE_ID "TEXT"
#define TYPE_EXIT "TEXT"
#define TYPE_TRES "TEXT"
#define TYPE_USAGE "TEXT"
#define TYPE_TIME "BIGINT"
#define TYPE_COUNT "BIGINT"
#define TYPE_SECONDS "BIGINT"
#define TYPE_CLOCK "REAL"
#define COLUMN(name, type) {#name, TYPE_##type},

enum {
  JOB_BASE = MPG_SLURM_JOB_COUNT,
  JOB_ARRAY_TASK,
  JOB_ARRAY_COUNT,
  JOB_HET_OFFSET,
  JOB_STEP,
  JOB_STATE_BASE,
  JOB_CANCELLED_BY,
  JOB_OUTCOME,
  JOB_ALLOC_GPUS,
  JOB_REQ_GPUS,
  JOB_GPU_TYPE,
  JOB_ALLOC_GPU_TYPES,
  JOB_REQ_GPU_TYPES,
  JOB_NODES,
  JOB_LAST_UPDATE,
  JOB_COLUMNS
};

static const mpg_reader_column job_columns[JOB_COLUMNS] = {
    MPG_SLURM_JOB_FIELDS(COLUMN) /* the field's own */
        [JOB_BASE] = {"job_base", "BIGINT"},
    [JOB_ARRAY_TASK] = {"array_task", "TEXT"},
    [JOB_ARRAY_COUNT] = {"array_count", "BIGINT"},
    [JOB_HET_OFFSET] = {"het_offset", "BIGINT"},
    [JOB_STEP] = {"step", "TEXT"},
    [JOB_STATE_BASE] = {"state_base", "TEXT"},
    [JOB_CANCELLED_BY] = {"cancelled_by", "TEXT"},
    [JOB_OUTCOME] = {"outcome", "TEXT"},
    [JOB_ALLOC_GPUS] = {"alloc_gpus", "BIGINT"},
    [JOB_REQ_GPUS] = {"req_gpus", "BIGINT"},
    [JOB_GPU_TYPE] = {"gpu_type", "TEXT"},
    [JOB_ALLOC_GPU_TYPES] = {"alloc_gpu_types", "TEXT"},
    [JOB_REQ_GPU_TYPES] = {"req_gpu_types", "TEXT"},
    [JOB_NODES] = {"nodes", "TEXT"},
    [JOB_LAST_UPDATE] = {"last_update", "BIGINT"},
};

enum {
  EVENT_STATE_BASE = MPG_SLURM_EVENT_COUNT,
  EVENT_GPUS,
  EVENT_GPU_TYPE,
  EVENT_GPU_TYPES,
  EVENT_NODES,
  EVENT_COLUMNS
};

static const mpg_reader_column event_columns[EVENT_COLUMNS] = {
    MPG_SLURM_EVENT_FIELDS(COLUMN) /* the field's own */
        [EVENT_STATE_BASE] = {"state_base", "TEXT"},
    [EVENT_GPUS] = {"gpus", "BIGINT"},
    [EVENT_GPU_TYPE] = {"gpu_type", "TEXT"},
    [EVENT_GPU_TYPES] = {"gpu_types", "TEXT"},
    [EVENT_NODES] = {"nodes", "TEXT"},
};

/* ---- A scan and its files ---- */

typedef struct slurm_scan {
  const mpg_env *env;
  const mpg_slurm_kind *kind;
  mpg_zone *zone;
  mpg_str columns, delimiter;
  int threads;
} slurm_scan;

typedef struct slurm_file {
  mpg_slurm *reader;      /* of delimited text, */
  mpg_slurm_json *json;   /* of JSON, */
  mpg_slurm_shown *shown; /* or of lines of NAME=VALUE */
  mpg_json_text text;     /* of a column */
  mpg_slurm_lists lists;
} slurm_file;

static void scan_end(void *p) {
  slurm_scan *scan = p;
  mpg_zone_free(scan->zone);
  mpg_free(scan->env, scan);
}

static mpg_rc text_argument(const mpg_value *v, const char *name, mpg_str *out, mpg_err *err) {
  if (v->type == MPG_NULL)
    return MPG_OK;
  if (v->type != MPG_TEXT)
    return mpg_fail_argument(err, name, "text", v);
  *out = v->s;
  return MPG_OK;
}

/* The delimiter ends no line and is no quotable nothing. */
static mpg_rc check_delimiter(mpg_str d, mpg_err *err) {
  const mpg_value given = {.type = MPG_TEXT, .s = d};
  bool breaks = d.n > 16;
  for (size_t i = 0; i < d.n; i++)
    breaks |= d.p[i] == '\n' || d.p[i] == '\r' || d.p[i] == '\0';
  return breaks
             ? mpg_fail_argument(err, "delimiter", "up to 16 bytes, no line break or NUL", &given)
             : MPG_OK;
}

static mpg_rc scan_begin(void **out, const mpg_env *env, const mpg_slurm_kind *kind,
                         const mpg_value *given, mpg_err *err) {
  slurm_scan *scan = mpg_calloc(env, sizeof *scan);
  mpg_rc rc;
  if (scan == NULL)
    return mpg_fail_nomem(err);
  scan->env = env;
  scan->kind = kind;
  scan->threads = (int)given[THREADS].i;
  rc = mpg_zone_given(&scan->zone, env, &given[ZONE], err);
  if (rc == MPG_OK)
    rc = text_argument(&given[COLUMNS], arguments[COLUMNS], &scan->columns, err);
  if (rc == MPG_OK)
    rc = text_argument(&given[DELIMITER], arguments[DELIMITER], &scan->delimiter, err);
  if (rc == MPG_OK)
    rc = mpg_slurm_check(kind, scan->columns, err);
  if (rc == MPG_OK)
    rc = check_delimiter(scan->delimiter, err);
  if (rc == MPG_OK)
    *out = scan;
  else
    scan_end(scan);
  return rc;
}

static mpg_rc jobs_begin(void **scan, const mpg_env *env, const mpg_value *given, mpg_err *err) {
  return scan_begin(scan, env, &mpg_slurm_jobs, given, err);
}

static mpg_rc events_begin(void **scan, const mpg_env *env, const mpg_value *given, mpg_err *err) {
  return scan_begin(scan, env, &mpg_slurm_events, given, err);
}

static void file_close(void *p) {
  slurm_file *file = p;
  mpg_slurm_close(file->reader);
  mpg_slurm_json_close(file->json);
  mpg_slurm_shown_close(file->shown);
  mpg_json_text_free(&file->text);
  mpg_slurm_lists_free(&file->lists);
}

static mpg_rc file_open(void *p, void *shared, const mpg_env *env, mpg_stream *stream,
                        mpg_issues *issues, mpg_err *err) {
  const slurm_scan *scan = shared;
  mpg_slurm_options options = {.zone = scan->zone,
                               .columns = scan->columns,
                               .delimiter = scan->delimiter,
                               .issues = issues,
                               .threads = scan->threads};
  slurm_file *file = p;
  bool json = false, shown = false;
  mpg_rc rc = MPG_OK;
  file->text.env = env;
  if (scan->kind == &mpg_slurm_jobs)
    rc = mpg_slurm_is_json(stream, &json, err);
  if (rc == MPG_OK && scan->kind == &mpg_slurm_jobs)
    rc = mpg_slurm_is_shown(stream, &shown, err);
  if (rc != MPG_OK)
    return rc;
  if (shown)
    return mpg_slurm_shown_open(&file->shown, env, stream, scan->zone, issues, err);
  return json ? mpg_slurm_json_open(&file->json, env, stream, issues, err)
              : mpg_slurm_open(&file->reader, env, stream, scan->kind, &options, err);
}

static mpg_rc file_next(void *p, mpg_err *err) {
  slurm_file *file = p;
  if (file->shown != NULL)
    return mpg_slurm_shown_next(file->shown, err);
  return file->json != NULL ? mpg_slurm_json_next(file->json, err)
                            : mpg_slurm_next(file->reader, err);
}

static int64_t file_line(const void *p) {
  const slurm_file *file = p;
  if (file->shown != NULL)
    return mpg_slurm_shown_line(file->shown);
  return file->json != NULL ? mpg_slurm_json_line(file->json) : mpg_slurm_line(file->reader);
}

static mpg_str raw_of(const slurm_file *file, size_t field) {
  if (file->shown != NULL)
    return mpg_slurm_shown_fields(file->shown)->raw[field];
  return file->json != NULL ? mpg_slurm_json_raw(file->json, field)
                            : mpg_slurm_raw(file->reader, field);
}

static bool has_field(const slurm_file *file, size_t field) {
  if (file->shown != NULL)
    return mpg_slurm_shown_fields(file->shown)->slots[field].has;
  return file->json != NULL ? mpg_slurm_json_has(file->json, field)
                            : mpg_slurm_has(file->reader, field);
}

static const mpg_value *value_of(const slurm_file *file, size_t field) {
  if (file->shown != NULL)
    return &mpg_slurm_shown_fields(file->shown)->values[field];
  return file->json != NULL ? mpg_slurm_json_get(file->json, field)
                            : mpg_slurm_get(file->reader, field);
}

/* ---- Columns derived from others ---- */

/* A part of JobID, or of JobIDRaw. */
static void give_id_part(slurm_file *file, size_t i, mpg_value *out) {
  mpg_str id_text = raw_of(file, MPG_SLURM_JOB_JobID);
  mpg_slurm_id id;
  if (id_text.n == 0)
    id_text = raw_of(file, MPG_SLURM_JOB_JobIDRaw);
  if (!mpg_slurm_id_parse(id_text, &id))
    return;
  if (i == JOB_BASE)
    mpg_give_int(out, id.base);
  else if (i == JOB_ARRAY_TASK)
    mpg_give_text(out, id.task);
  else if (i == JOB_ARRAY_COUNT)
    mpg_give_int(out, id.tasks);
  else if (i == JOB_STEP)
    mpg_give_text(out, id.step);
  else if (id.offset >= 0)
    mpg_give_int(out, id.offset);
}

/* A part of State, or what it means. */
static void give_state_part(slurm_file *file, size_t i, mpg_value *out) {
  mpg_slurm_state state;
  if (!mpg_slurm_state_parse(raw_of(file, MPG_SLURM_JOB_State), &state))
    return;
  mpg_give_text(out, i == JOB_STATE_BASE     ? state.base
                     : i == JOB_CANCELLED_BY ? state.by
                                             : mpg_str_of(mpg_slurm_outcome(state.base)));
}

/* Chips of a field that is a list of resources, as `as_types` JSON or how many. */
static mpg_rc give_chips(slurm_file *file, size_t field, bool as_types, mpg_poller *poller,
                         mpg_value *out) {
  mpg_slurm_list *list;
  mpg_rc rc;
  if (!has_field(file, field))
    return MPG_OK;
  rc = mpg_slurm_lists_find(&file->lists, file->text.env, raw_of(file, field), poller, &list);
  if (rc != MPG_OK || !list->valid)
    return rc;
  if (as_types)
    return mpg_slurm_give_types(list, poller, out);
  mpg_give_int(out, list->gpus.total);
  return MPG_OK;
}

/* The one type of what a field lists; *none: it lists no chips. */
static mpg_rc give_chip_type(slurm_file *file, size_t field, bool *none, mpg_poller *poller,
                             mpg_value *out) {
  mpg_slurm_list *list;
  mpg_rc rc =
      mpg_slurm_lists_find(&file->lists, file->text.env, raw_of(file, field), poller, &list);
  *none = rc == MPG_OK && list->valid && list->gpus.total == 0;
  if (rc == MPG_OK && list->valid)
    mpg_slurm_give_type(&list->gpus, out);
  return rc;
}

static mpg_rc derive_job(slurm_file *file, size_t i, mpg_poller *poller, mpg_value *out) {
  bool none;
  mpg_rc rc;
  switch (i) {
  case JOB_BASE:
  case JOB_ARRAY_TASK:
  case JOB_ARRAY_COUNT:
  case JOB_HET_OFFSET:
  case JOB_STEP:
    give_id_part(file, i, out);
    return MPG_OK;
  case JOB_STATE_BASE:
  case JOB_CANCELLED_BY:
  case JOB_OUTCOME:
    give_state_part(file, i, out);
    return MPG_OK;
  case JOB_ALLOC_GPUS:
  case JOB_ALLOC_GPU_TYPES:
    return give_chips(file, MPG_SLURM_JOB_AllocTRES, i == JOB_ALLOC_GPU_TYPES, poller, out);
  case JOB_REQ_GPUS:
  case JOB_REQ_GPU_TYPES:
    return give_chips(file, MPG_SLURM_JOB_ReqTRES, i == JOB_REQ_GPU_TYPES, poller, out);
  case JOB_GPU_TYPE:
    rc = give_chip_type(file, MPG_SLURM_JOB_AllocTRES, &none, poller, out);
    return none ? give_chip_type(file, MPG_SLURM_JOB_ReqTRES, &none, poller, out) : rc;
  default:
    return mpg_slurm_give_nodes(&file->text, raw_of(file, MPG_SLURM_JOB_NodeList), out);
  }
}

static mpg_rc derive_event(slurm_file *file, size_t i, mpg_poller *poller, mpg_value *out) {
  mpg_slurm_state state;
  bool none;
  if (i == EVENT_STATE_BASE) {
    if (mpg_slurm_state_parse(raw_of(file, MPG_SLURM_EVENT_State), &state))
      mpg_give_text(out, state.base);
    return MPG_OK;
  }
  if (i == EVENT_NODES)
    return mpg_slurm_give_nodes(&file->text, raw_of(file, MPG_SLURM_EVENT_ClusterNodes), out);
  if (i == EVENT_GPU_TYPE)
    return has_field(file, MPG_SLURM_EVENT_TRES)
               ? give_chip_type(file, MPG_SLURM_EVENT_TRES, &none, poller, out)
               : MPG_OK;
  return give_chips(file, MPG_SLURM_EVENT_TRES, i == EVENT_GPU_TYPES, poller, out);
}

static mpg_rc fail_unless_ok(mpg_rc rc, const mpg_poller *poller, mpg_err *err) {
  rc = poller->stopped ? MPG_INTERRUPTED : rc;
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

static mpg_rc give_last_update(slurm_file *file, mpg_value *out, mpg_err *err) {
  int64_t time = 0;
  mpg_rc rc = file->json == NULL ? MPG_OK : mpg_slurm_json_updated(file->json, &time, err);
  if (rc == MPG_OK && time > 0)
    mpg_give_int(out, time);
  return rc;
}

static mpg_rc jobs_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  slurm_file *file = p;
  mpg_poller poller = {file->text.env, 0, false};
  if (i == JOB_LAST_UPDATE)
    return give_last_update(file, out, err);
  if (i >= MPG_SLURM_JOB_COUNT)
    return fail_unless_ok(derive_job(file, i, &poller, out), &poller, err);
  *out = *value_of(file, i);
  return MPG_OK;
}

static mpg_rc events_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  slurm_file *file = p;
  mpg_poller poller = {file->text.env, 0, false};
  if (i >= MPG_SLURM_EVENT_COUNT)
    return fail_unless_ok(derive_event(file, i, &poller, out), &poller, err);
  *out = *value_of(file, i);
  return MPG_OK;
}

/* ---- Registration ---- */

int mpg_register_slurm(mpg_conn *conn, char **error) {
  static const mpg_reader_format jobs = {
      .module = {"slurm_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in slurm_trace('sacct.psv')",
      .columns = job_columns,
      .ncolumns = JOB_COLUMNS,
      .arguments = arguments,
      .narguments = sizeof arguments / sizeof *arguments,
      .begin = jobs_begin,
      .end = scan_end,
      .file_size = sizeof(slurm_file),
      .open = file_open,
      .close = file_close,
      .next = file_next,
      .line = file_line,
      .column = jobs_column,
      .threaded = true,
  };
  static const mpg_reader_format events = {
      .module = {"slurm_events_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in slurm_events_trace('events.psv')",
      .columns = event_columns,
      .ncolumns = EVENT_COLUMNS,
      .arguments = arguments,
      .narguments = sizeof arguments / sizeof *arguments,
      .begin = events_begin,
      .end = scan_end,
      .file_size = sizeof(slurm_file),
      .open = file_open,
      .close = file_close,
      .next = file_next,
      .line = file_line,
      .column = events_column,
      .threaded = true,
  };
  int rc = mpg_register_reader(conn, &jobs, error);
  return rc == SQLITE_OK ? mpg_register_reader(conn, &events, error) : rc;
}
