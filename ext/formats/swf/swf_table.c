/*
** swf_table.c - swf_trace(path, on_error), jobs of the Standard Workload Format.
**
** The 18 fields by their names in the standard, NULL for -1, and after them
**
**   unix_start_time, max_procs, max_nodes BIGINT, computer TEXT
**       UnixStartTime, MaxProcs, MaxNodes and Computer of the file's header; NULL if it has none
**   header TEXT
**       the whole header, a JSON object: a text for each label, an array of texts for one that
**       repeats. What comes before the first label is under ""
**   submit_unix, start_unix, end_unix REAL
**       Unix seconds: unix_start_time (else 0) + submit_time, + wait_time, + run_time; NULL if a
**       part of the sum is unknown
**   outcome TEXT
**       the status in the words of the native trace; NULL: unknown
*/
#include "../list.h"
#include "../../sqlite/reader/reader.h"
#include "../../read/parse/json_writer.h"
#include "swf.h"
#include "../../base/intern.h"

#include <string.h>

#define TYPE_COUNT "BIGINT"
#define TYPE_SECONDS "REAL"
#define TYPE_AMOUNT "REAL"
#define COLUMN(name, type) {#name, TYPE_##type},

enum {
  UNIX_START_TIME = MPG_SWF_COUNT_OF_FIELDS,
  MAX_PROCS,
  MAX_NODES,
  COMPUTER,
  HEADER,
  SUBMIT_UNIX,
  START_UNIX,
  END_UNIX,
  OUTCOME,
  COLUMNS
};

static const mpg_reader_column columns[COLUMNS] = {
    MPG_SWF_FIELDS(COLUMN) /* the fields */
        [UNIX_START_TIME] = {"unix_start_time", "BIGINT"},
    [MAX_PROCS] = {"max_procs", "BIGINT"},
    [MAX_NODES] = {"max_nodes", "BIGINT"},
    [COMPUTER] = {"computer", "TEXT"},
    [HEADER] = {"header", "TEXT"},
    [SUBMIT_UNIX] = {"submit_unix", "REAL"},
    [START_UNIX] = {"start_unix", "REAL"},
    [END_UNIX] = {"end_unix", "REAL"},
    [OUTCOME] = {"outcome", "TEXT"},
};

typedef struct swf_file {
  mpg_swf *reader;
  mpg_json_text header; /* made on demand, once a file */
  bool has_numbers;     /* made on demand, once a file, too: */
  mpg_value unix_start_time, max_procs, max_nodes;
} swf_file;

static void file_close(void *p) {
  swf_file *file = p;
  mpg_swf_close(file->reader);
  mpg_json_text_free(&file->header);
}

static mpg_rc file_open(void *p, void *scan, const mpg_env *env, mpg_stream *stream,
                        mpg_issues *issues, mpg_err *err) {
  swf_file *file = p;
  (void)scan;
  file->header.env = env;
  return mpg_swf_open(&file->reader, env, stream, issues, err);
}

MPG_READER_NEXT_AND_LINE(swf_file, swf)

/* ---- Columns ---- */

static mpg_value header_number(const swf_file *file, const char *label) {
  mpg_value out = {MPG_NULL, 0, 0.0, {NULL, 0}};
  if (mpg_swf_header_number(file->reader, label, &out.i))
    out.type = MPG_INT;
  return out;
}

static void read_header_numbers(swf_file *file) {
  file->unix_start_time = header_number(file, "UnixStartTime");
  file->max_procs = header_number(file, "MaxProcs");
  file->max_nodes = header_number(file, "MaxNodes");
  file->has_numbers = true;
}

/* Entries of the header that share a label: it is long and hostile, so that nothing here is done
** for every pair of them. */
typedef struct shared_labels {
  mpg_intern names;
  uint32_t *first, *last; /* by the number of the name */
  uint32_t *next;         /* by entry: the next one of this label; 0: none */
} shared_labels;

static mpg_rc share_labels(shared_labels *s, const mpg_swf_label *labels, size_t n) {
  const mpg_env *env = s->names.env;
  s->first = mpg_malloc(env, n * sizeof *s->first);
  s->last = mpg_malloc(env, n * sizeof *s->last);
  s->next = mpg_calloc(env, n * sizeof *s->next);
  if (s->first == NULL || s->last == NULL || s->next == NULL)
    return MPG_NOMEM;
  for (size_t i = 0; i < n; i++) {
    size_t before = s->names.n;
    uint32_t id;
    mpg_rc rc = mpg_intern_id(&s->names, labels[i].label, &id);
    if (rc != MPG_OK)
      return rc;
    if (mpg_poll(env, i))
      return MPG_INTERRUPTED;
    if (s->names.n > before)
      s->first[id - 1] = (uint32_t)i;
    else
      s->next[s->last[id - 1]] = (uint32_t)i;
    s->last[id - 1] = (uint32_t)i;
  }
  return MPG_OK;
}

/* The values of a label from its first entry on: a text, or a list of them. */
static mpg_rc put_values(mpg_json_text *json, const shared_labels *s, const mpg_swf_label *labels,
                         uint32_t i) {
  mpg_rc rc;
  if (s->next[i] == 0)
    return mpg_json_put_string(json, labels[i].value);
  rc = mpg_json_put(json, MPG_STR("["));
  for (bool more = true; rc == MPG_OK && more; more = i > 0) {
    rc = mpg_json_put_comma(json);
    if (rc == MPG_OK)
      rc = mpg_json_put_string(json, labels[i].value);
    i = s->next[i];
  }
  return rc == MPG_OK ? mpg_json_put(json, MPG_STR("]")) : rc;
}

static mpg_rc put_labels(mpg_json_text *json, const shared_labels *s, const mpg_swf_label *labels) {
  mpg_rc rc = mpg_json_put(json, MPG_STR("{"));
  for (size_t k = 0; rc == MPG_OK && k < s->names.n; k++) {
    uint32_t i = s->first[k];
    rc = mpg_json_put_key(json, labels[i].label);
    if (rc == MPG_OK)
      rc = put_values(json, s, labels, i);
  }
  return rc == MPG_OK ? mpg_json_put(json, MPG_STR("}")) : rc;
}

static mpg_rc make_header(swf_file *file) {
  size_t n;
  const mpg_swf_label *labels = mpg_swf_header(file->reader, &n);
  mpg_json_text *json = &file->header;
  const mpg_env *env = json->env;
  shared_labels s = {.first = NULL};
  mpg_rc rc;
  json->n = 0;
  mpg_intern_init(&s.names, env);
  rc = share_labels(&s, labels, n);
  if (rc == MPG_OK)
    rc = put_labels(json, &s, labels);
  mpg_free(env, s.first);
  mpg_free(env, s.last);
  mpg_free(env, s.next);
  mpg_intern_free(&s.names);
  if (rc != MPG_OK)
    json->n = 0;
  return rc;
}

static void give_computer(const swf_file *file, mpg_value *out) {
  size_t n;
  const mpg_swf_label *labels = mpg_swf_header(file->reader, &n);
  for (size_t i = 0; i < n && out->type == MPG_NULL; i++)
    if (mpg_str_eq_nocase(labels[i].label, MPG_STR("Computer")))
      mpg_give_text(out, labels[i].value);
}

/* Unix seconds after the fields from submit_time to `last`. */
static void give_moment(const swf_file *file, size_t last, mpg_value *out) {
  double sum = file->unix_start_time.type == MPG_INT ? (double)file->unix_start_time.i : 0.0;
  for (size_t i = MPG_SWF_submit_time; i <= last; i++) {
    const mpg_value *v = mpg_swf_get(file->reader, i);
    if (v->type == MPG_NULL)
      return;
    sum += v->r;
  }
  out->type = MPG_REAL;
  out->r = sum;
}

static mpg_rc get_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  swf_file *file = p;
  const mpg_value *status;
  const char *outcome;
  mpg_rc rc;
  if (i < MPG_SWF_COUNT_OF_FIELDS) {
    *out = *mpg_swf_get(file->reader, i);
    return MPG_OK;
  }
  if (!file->has_numbers)
    read_header_numbers(file);
  switch (i) {
  case UNIX_START_TIME:
    *out = file->unix_start_time;
    break;
  case MAX_PROCS:
    *out = file->max_procs;
    break;
  case MAX_NODES:
    *out = file->max_nodes;
    break;
  case COMPUTER:
    give_computer(file, out);
    break;
  case HEADER:
    rc = file->header.n == 0 ? make_header(file) : MPG_OK;
    if (rc != MPG_OK)
      return mpg_fail_plain(err, rc);
    mpg_give_text(out, (mpg_str){file->header.p, file->header.n});
    break;
  case SUBMIT_UNIX:
    give_moment(file, MPG_SWF_submit_time, out);
    break;
  case START_UNIX:
    give_moment(file, MPG_SWF_wait_time, out);
    break;
  case END_UNIX:
    give_moment(file, MPG_SWF_run_time, out);
    break;
  default:
    status = mpg_swf_get(file->reader, MPG_SWF_status);
    outcome = status->type == MPG_INT ? mpg_swf_outcome(status->i) : NULL;
    if (outcome != NULL)
      mpg_give_text(out, mpg_str_of(outcome));
  }
  return MPG_OK;
}

int mpg_register_swf(mpg_conn *conn, char **error) {
  static const mpg_reader_format format = {
      .module = {"swf_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in swf_trace('log.swf')",
      .columns = columns,
      .ncolumns = COLUMNS,
      .file_size = sizeof(swf_file),
      .open = file_open,
      .close = file_close,
      .next = file_next,
      .line = file_line,
      .column = get_column,
  };
  return mpg_register_reader(conn, &format, error);
}
