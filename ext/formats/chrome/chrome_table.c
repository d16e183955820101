/*
** chrome_table.c - chrome_trace(path, on_error, threads), events of Chrome trace JSON, and
** chrome_trace_info(path, on_error, threads), a row a file.
**
**   ph, name, cat, ts, dur, pid, tid, id, s, bp
**       the members of an event as the file has them: ts and dur are microseconds, pid and tid
**       numbers or text
**   start_ns, dur_ns, end_ns BIGINT
**       ts, dur and their sum in nanoseconds, exact; digits below a nanosecond are rounded (half to
**       even) in ts and dur each
**   step TEXT
**       N of a name ProfilerStep#N, else the argument step_num
**   process_name, process_labels, thread_name TEXT, rank BIGINT
**       from the metadata events and distributedInfo, wherever they are in the file. A query that
**       names one of these columns reads the file twice
**   stream, correlation, ... from args: see the list below
**   args TEXT
**       all of them, raw JSON
**   event TEXT
**       the whole event, raw JSON: members that have no column are here
**
** An argument's type is that of what it holds, for XProf quotes its numbers. An integer beyond 64
** bits stays text, unless the column is REAL: as a REAL it would equal its neighbours.
*/
#include "../list.h"
#include "../../sqlite/reader/reader.h"
#include "../../base/number.h"
#include "chrome_info.h"

#include <string.h>

_Static_assert(MPG_CHROME_EQUALS == MPG_READER_EQUALS, "a request for a request");

/* Name, declared type, how args spell it. Of several spellings the first that is there. */
#define ARGUMENTS(X)                                                                               \
  X(external_id, BIGINT, "External id", "external id")                                             \
  X(correlation, BIGINT, "correlation", NULL)                                                      \
  X(device, BIGINT, "device", NULL)                                                                \
  X(context, BIGINT, "context", NULL)                                                              \
  X(stream, BIGINT, "stream", NULL)                                                                \
  X(queued, BIGINT, "queued", NULL)                                                                \
  X(grid, TEXT, "grid", NULL)                                                                      \
  X(block, TEXT, "block", NULL)                                                                    \
  X(shared_memory, BIGINT, "shared memory", NULL)                                                  \
  X(registers_per_thread, BIGINT, "registers per thread", NULL)                                    \
  X(blocks_per_sm, REAL, "blocks per SM", NULL)                                                    \
  X(warps_per_sm, REAL, "warps per SM", NULL)                                                      \
  X(occupancy_percent, REAL, "est. achieved occupancy %", NULL)                                    \
  X(bytes, BIGINT, "bytes", "size")                                                                \
  X(bandwidth_gb_s, REAL, "memory bandwidth (GB/s)", NULL)                                         \
  X(input_dims, TEXT, "Input Dims", "Input dims")                                                  \
  X(input_type, TEXT, "Input type", NULL)                                                          \
  X(input_strides, TEXT, "Input Strides", NULL)                                                    \
  X(concrete_inputs, TEXT, "Concrete Inputs", NULL)                                                \
  X(sequence_number, BIGINT, "Sequence number", NULL)                                              \
  X(fwd_thread_id, BIGINT, "Fwd thread id", NULL)                                                  \
  X(python_id, BIGINT, "Python id", NULL)                                                          \
  X(python_parent_id, BIGINT, "Python parent id", NULL)                                            \
  X(collective, TEXT, "Collective name", NULL)                                                     \
  X(in_nelems, BIGINT, "In msg nelems", NULL)                                                      \
  X(out_nelems, BIGINT, "Out msg nelems", NULL)                                                    \
  X(dtype, TEXT, "dtype", NULL)                                                                    \
  X(group_size, BIGINT, "Group size", NULL)                                                        \
  X(process_group, TEXT, "Process Group Name", NULL)                                               \
  X(process_group_ranks, TEXT, "Process Group Ranks", NULL)                                        \
  X(flops, REAL, "flops", NULL)                                                                    \
  X(model_flops, REAL, "model_flops", NULL)                                                        \
  X(bytes_accessed, BIGINT, "bytes_accessed", NULL)                                                \
  X(raw_bytes_accessed, BIGINT, "raw_bytes_accessed", NULL)                                        \
  X(hlo_category, TEXT, "hlo_category", NULL)                                                      \
  X(hlo_op, TEXT, "hlo_op", NULL)                                                                  \
  X(hlo_module, TEXT, "hlo_module", NULL)                                                          \
  X(tf_op, TEXT, "tf_op", NULL)                                                                    \
  X(run_id, TEXT, "run_id", NULL)                                                                  \
  X(group_id, BIGINT, "group_id", NULL)                                                            \
  X(device_offset_ps, BIGINT, "device_offset_ps", NULL)                                            \
  X(device_duration_ps, BIGINT, "device_duration_ps", NULL)

enum {
  PH,
  NAME,
  CAT,
  TS,
  DUR,
  START_NS,
  DUR_NS,
  END_NS,
  PID,
  TID,
  ID,
  S,
  BP,
  STEP,
  PROCESS_NAME,
  PROCESS_LABELS,
  THREAD_NAME,
  RANK,
  FIRST_ARGUMENT
};

#define COLUMN(name, type, key, other) {#name, #type},
static const mpg_reader_column columns[] = {
    {"ph", "TEXT"},
    {"name", "TEXT"},
    {"cat", "TEXT"},
    {"ts", "REAL"},
    {"dur", "REAL"},
    {"start_ns", "BIGINT"},
    {"dur_ns", "BIGINT"},
    {"end_ns", "BIGINT"},
    {"pid", ""},
    {"tid", ""},
    {"id", ""},
    {"s", "TEXT"},
    {"bp", "TEXT"},
    {"step", "TEXT"},
    {"process_name", "TEXT"},
    {"process_labels", "TEXT"},
    {"thread_name", "TEXT"},
    {"rank", "BIGINT"},
    ARGUMENTS(COLUMN) /* and at the end all of them */
    {"args", "TEXT"},
    {"event", "TEXT"},
};
enum { COLUMNS = sizeof columns / sizeof *columns, ARGS = COLUMNS - 2, EVENT = COLUMNS - 1 };

/* What a column holds: of a token that is another thing, TEXT is what stands there, and in ANY a
** number that is not quoted is a number. */
typedef enum affinity { ANY, TEXT, BIGINT, REAL } affinity;

typedef struct argument {
  const char *key, *other;
  affinity type;
} argument;
#define ARGUMENT(name, type, key, other) {key, other, type},
static const argument arguments[] = {ARGUMENTS(ARGUMENT)};

typedef struct chrome_file {
  const mpg_env *env;
  const char *path;
  mpg_chrome *reader;
  mpg_chrome_info info; /* read on demand */
  bool informed;
  bool done_info; /* chrome_trace_info has given its row */
  mpg_reader_request *request;
  int64_t passed; /* that a request may name */
} chrome_file;

static void file_close(void *p) {
  chrome_file *file = p;
  mpg_chrome_close(file->reader);
  mpg_chrome_info_free(&file->info);
}

/* Passes the request of the query to the reader. */
static void pass_request(const chrome_file *file) {
  mpg_chrome_request request = {.n = file->request->n};
  for (size_t i = 0; i < request.n && i < MPG_CHROME_EQUALS; i++) {
    size_t column = file->request->equal[i].column;
    request.equal[i].field = column == PH     ? MPG_CHROME_PH
                             : column == NAME ? MPG_CHROME_NAME
                                              : MPG_CHROME_CAT;
    request.equal[i].text = file->request->equal[i].text;
  }
  mpg_chrome_request_events(file->reader, &request, file->request->threads);
}

static mpg_rc file_open(void *p, void *scan, const mpg_env *env, mpg_stream *stream,
                        mpg_issues *issues, mpg_err *err) {
  chrome_file *file = p;
  mpg_rc rc = mpg_chrome_open(&file->reader, env, stream, issues, NULL, NULL, err);
  file->env = env;
  file->path = mpg_stream_path(stream);
  file->request = scan;
  if (rc == MPG_OK)
    pass_request(file);
  return rc;
}

static mpg_rc file_next(void *p, mpg_err *err) {
  chrome_file *file = p;
  mpg_rc rc = mpg_chrome_next(file->reader, err);
  int64_t passed = mpg_chrome_passed(file->reader);
  file->request->passed += passed - file->passed;
  file->passed = passed;
  return rc;
}

static int64_t file_line(const void *p) {
  return mpg_chrome_line(((const chrome_file *)p)->reader);
}

/* ---- Values ---- */

static void give_text(mpg_value *out, mpg_str s) {
  out->type = MPG_TEXT;
  out->s = s;
}

/* A number as what it is; integers beyond 64 bits stay text, but in a column of reals. */
static bool give_number(mpg_value *out, mpg_str text, affinity type) {
  if (type == REAL) {
    if (!mpg_real_parse(text, &out->r))
      return false;
    out->type = MPG_REAL;
    return true;
  }
  if (mpg_int_parse(text, &out->i)) {
    out->type = MPG_INT;
    return true;
  }
  for (size_t i = 0; i < text.n; i++)
    if (text.p[i] != '-' && (text.p[i] < '0' || text.p[i] > '9')) {
      if (!mpg_real_parse(text, &out->r))
        return false;
      out->type = MPG_REAL;
      return true;
    }
  return false;
}

/* Words that are no value are NULL. */
static mpg_rc give_token(chrome_file *file, const mpg_json_token *token, affinity type,
                         mpg_value *out, mpg_err *err) {
  bool number = token->kind == MPG_JSON_LENIENT_NUMBER;
  mpg_str text;
  mpg_rc rc;
  if (token->kind == MPG_JSON_LENIENT_NONE)
    return MPG_OK;
  if (token->kind == MPG_JSON_LENIENT_WORD) {
    bool truth = token->text.p[0] == 't';
    if (!truth && token->text.p[0] != 'f')
      return MPG_OK;
    text = type == TEXT ? token->text : truth ? MPG_STR("1") : MPG_STR("0");
    number = true;
  } else if ((rc = mpg_chrome_text(file->reader, token, &text)) != MPG_OK) {
    return mpg_fail_plain(err, rc);
  }
  if (type == TEXT || (type == ANY && !number) || !give_number(out, text, type))
    give_text(out, text);
  return MPG_OK;
}

static bool parse_nanoseconds(const mpg_json_token *token, int64_t *out) {
  return (token->kind == MPG_JSON_LENIENT_NUMBER || token->kind == MPG_JSON_LENIENT_STRING) &&
         mpg_scaled_parse(token->text, 3, out);
}

static void give_time(const chrome_file *file, size_t i, mpg_value *out) {
  int64_t start = 0, dur = 0;
  if (i != DUR_NS && !parse_nanoseconds(mpg_chrome_get(file->reader, MPG_CHROME_TS), &start))
    return;
  if (i != START_NS && !parse_nanoseconds(mpg_chrome_get(file->reader, MPG_CHROME_DUR), &dur))
    return;
  if (__builtin_add_overflow(start, dur, &out->i))
    return;
  out->type = MPG_INT;
}

static mpg_rc give_argument(chrome_file *file, const argument *a, mpg_value *out, mpg_err *err) {
  mpg_json_token value;
  mpg_rc rc = mpg_chrome_arg(file->reader, mpg_str_of(a->key), &value, err);
  if (rc == MPG_OK && value.kind == MPG_JSON_LENIENT_NONE && a->other != NULL)
    rc = mpg_chrome_arg(file->reader, mpg_str_of(a->other), &value, err);
  return rc == MPG_OK ? give_token(file, &value, a->type, out, err) : rc;
}

static mpg_rc give_step(chrome_file *file, mpg_value *out, mpg_err *err) {
  static const argument step = {"step_num", NULL, TEXT};
  const mpg_str marker = MPG_STR("ProfilerStep#");
  const mpg_json_token *name = mpg_chrome_get(file->reader, MPG_CHROME_NAME);
  if (name->kind == MPG_JSON_LENIENT_STRING && name->text.n > marker.n &&
      memcmp(name->text.p, marker.p, marker.n) == 0) {
    give_text(out, (mpg_str){name->text.p + marker.n, name->text.n - marker.n});
    return MPG_OK;
  }
  return give_argument(file, &step, out, err);
}

/* ---- Facts about the whole file ---- */

static mpg_rc read_file_info(chrome_file *file, mpg_err *err) {
  mpg_stream *again;
  mpg_rc rc;
  if (file->informed)
    return MPG_OK;
  rc = mpg_stream_open(&again, file->env, file->path, err);
  if (rc != MPG_OK)
    return rc;
  mpg_stream_repair_text(again);
  rc = mpg_chrome_info_read(&file->info, file->env, again, NULL, file->request->threads, err);
  mpg_stream_close(again);
  file->informed = rc == MPG_OK;
  if (rc != MPG_OK)
    mpg_chrome_info_free(&file->info);
  return rc;
}

static mpg_rc give_shared(chrome_file *file, size_t i, mpg_value *out, mpg_err *err) {
  mpg_str name;
  mpg_rc rc = read_file_info(file, err);
  if (rc != MPG_OK)
    return rc;
  if (i == RANK) {
    if (file->info.has_rank) {
      out->type = MPG_INT;
      out->i = file->info.rank;
    }
    return MPG_OK;
  }
  if (mpg_chrome_info_name(&file->info, (mpg_chrome_name)(i - PROCESS_NAME),
                           mpg_chrome_get(file->reader, MPG_CHROME_PID),
                           mpg_chrome_get(file->reader, MPG_CHROME_TID), &name) != MPG_OK)
    return mpg_fail_nomem(err);
  if (name.p != NULL)
    give_text(out, name);
  return MPG_OK;
}

static mpg_rc get_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  static const mpg_chrome_field fields[FIRST_ARGUMENT] = {
      [PH] = MPG_CHROME_PH,   [NAME] = MPG_CHROME_NAME, [CAT] = MPG_CHROME_CAT,
      [TS] = MPG_CHROME_TS,   [DUR] = MPG_CHROME_DUR,   [PID] = MPG_CHROME_PID,
      [TID] = MPG_CHROME_TID, [ID] = MPG_CHROME_ID,     [S] = MPG_CHROME_S,
      [BP] = MPG_CHROME_BP};
  chrome_file *file = p;
  switch (i) {
  case START_NS:
  case DUR_NS:
  case END_NS:
    give_time(file, i, out);
    return MPG_OK;
  case STEP:
    return give_step(file, out, err);
  case PROCESS_NAME:
  case PROCESS_LABELS:
  case THREAD_NAME:
  case RANK:
    return give_shared(file, i, out, err);
  case ARGS:
    return give_token(file, mpg_chrome_get(file->reader, MPG_CHROME_ARGS), TEXT, out, err);
  case EVENT:
    give_text(out, mpg_chrome_event(file->reader));
    return MPG_OK;
  default:
    if (i >= FIRST_ARGUMENT)
      return give_argument(file, &arguments[i - FIRST_ARGUMENT], out, err);
    return give_token(file, mpg_chrome_get(file->reader, fields[i]),
                      i == TS || i == DUR               ? REAL
                      : i == PID || i == TID || i == ID ? ANY
                                                        : TEXT,
                      out, err);
  }
}

/* ---- chrome_trace_info ---- */

enum { EVENTS, INFO_RANK, WORLD_SIZE, BASE_TIME_NS, DEVICES, DISTRIBUTED, PROPERTIES };
static const mpg_reader_column info_columns[] = {
    {"events", "BIGINT"},       {"rank", "BIGINT"},  {"world_size", "BIGINT"},
    {"base_time_ns", "BIGINT"}, {"devices", "TEXT"}, {"distributed", "TEXT"},
    {"properties", "TEXT"},
};

static mpg_rc info_open(void *p, void *scan, const mpg_env *env, mpg_stream *stream,
                        mpg_issues *issues, mpg_err *err) {
  chrome_file *file = p;
  const mpg_reader_request *request = scan;
  return mpg_chrome_info_read(&file->info, env, stream, issues, request->threads, err);
}

static mpg_rc info_next(void *p, mpg_err *err) {
  chrome_file *file = p;
  (void)err;
  if (file->done_info)
    return MPG_DONE;
  file->done_info = true;
  return MPG_OK;
}

static int64_t info_line(const void *p) {
  (void)p;
  return 1;
}

static void give_json(mpg_value *out, const mpg_json_text *json) {
  if (json->n > 0)
    give_text(out, (mpg_str){json->p, json->n});
}

static mpg_rc info_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  const mpg_chrome_info *info = &((const chrome_file *)p)->info;
  bool given = true;
  (void)err;
  switch (i) {
  case EVENTS:
    out->i = info->events;
    break;
  case INFO_RANK:
    out->i = info->rank;
    given = info->has_rank;
    break;
  case WORLD_SIZE:
    out->i = info->world_size;
    given = info->has_world_size;
    break;
  case BASE_TIME_NS:
    out->i = info->base_time_ns;
    given = info->has_base_time;
    break;
  default:
    give_json(out, i == DEVICES       ? &info->devices
                   : i == DISTRIBUTED ? &info->distributed
                                      : &info->properties);
    return MPG_OK;
  }
  if (given)
    out->type = MPG_INT;
  return MPG_OK;
}

int mpg_register_chrome(mpg_conn *conn, char **error) {
  static const mpg_reader_format format = {
      .module = {"chrome_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in chrome_trace('trace.json.gz')",
      .columns = columns,
      .ncolumns = COLUMNS,
      .file_size = sizeof(chrome_file),
      .open = file_open,
      .close = file_close,
      .next = file_next,
      .line = file_line,
      .column = get_column,
      .comparable = 1 << PH | 1 << NAME | 1 << CAT,
      .plain = (1 << STEP) - 1,
      .threaded = true,
  };
  static const mpg_reader_format info = {
      .module = {"chrome_trace_info", &mpg_reader_module, 0},
      .usage = "expected a path, as in chrome_trace_info('trace.json.gz')",
      .columns = info_columns,
      .ncolumns = sizeof info_columns / sizeof *info_columns,
      .file_size = sizeof(chrome_file),
      .open = info_open,
      .close = file_close,
      .next = info_next,
      .line = info_line,
      .column = info_column,
      .threaded = true,
  };
  int rc = mpg_register_reader(conn, &format, error);
  return rc == SQLITE_OK ? mpg_register_reader(conn, &info, error) : rc;
}
