/*
** prometheus_table.c - prometheus_trace(path, scrape_time, on_error), samples of Prometheus.
**
**   metric TEXT, labels TEXT
**       its name, and its other labels as a JSON object
**   time REAL
**       Unix seconds; of text without timestamps scrape_time, or NULL
**   value REAL, value_text TEXT
**       the sample; NaN is NULL and 'NaN', the string result of a query is NULL and its text
**   type TEXT
**       counter, gauge, ...; NULL if the text has no # TYPE line
**   job, instance, gpu, UUID, modelName, Hostname, namespace, pod, container, hpc_job TEXT
**       these labels. namespace, pod and container are those of the workload: if the scrape adds
**       labels of the exporter's own pod, Prometheus renames the workload's to exported_...
**   exemplar TEXT
**       OpenMetrics' exemplar, as written
*/
#include "../list.h"
#include "../../sqlite/reader/reader.h"
#include "../../read/parse/json_writer.h"
#include "prometheus.h"
#include "../../base/text.h"

enum { SCRAPE_TIME };
static const char *const arguments[] = {"scrape_time"};

enum { METRIC, LABELS, TIME, VALUE, VALUE_TEXT, TYPE, FIRST_LABEL };

/* A label with a column, and its name if Prometheus renamed it. */
static const struct {
  const char *name, *renamed;
} known[] = {
    {"job", NULL},
    {"instance", NULL},
    {"gpu", NULL},
    {"UUID", NULL},
    {"modelName", NULL},
    {"Hostname", NULL},
    {"namespace", "exported_namespace"},
    {"pod", "exported_pod"},
    {"container", "exported_container"},
    {"hpc_job", NULL},
};
enum { KNOWN = sizeof known / sizeof *known, EXEMPLAR = FIRST_LABEL + KNOWN, COLUMNS };

static const mpg_reader_column columns[COLUMNS] = {
    {"metric", "TEXT"},     {"labels", "TEXT"}, {"time", "REAL"},      {"value", "REAL"},
    {"value_text", "TEXT"}, {"type", "TEXT"},   {"job", "TEXT"},       {"instance", "TEXT"},
    {"gpu", "TEXT"},        {"UUID", "TEXT"},   {"modelName", "TEXT"}, {"Hostname", "TEXT"},
    {"namespace", "TEXT"},  {"pod", "TEXT"},    {"container", "TEXT"}, {"hpc_job", "TEXT"},
    {"exemplar", "TEXT"},
};

typedef struct prometheus_scan {
  const mpg_env *env;
  mpg_value scrape_time;
} prometheus_scan;

typedef struct prometheus_file {
  const mpg_env *env;
  const prometheus_scan *scan;
  mpg_prometheus *reader;
  const char *path;
  mpg_issues *issues;
  int64_t n_timeless, first_timeless; /* samples without a time, and the line of the first */
  const mpg_prometheus_sample *sample;
  mpg_json_text json;
  size_t work; /* since the latest poll */
} prometheus_file;

static mpg_rc scan_begin(void **out, const mpg_env *env, const mpg_value *given, mpg_err *err) {
  prometheus_scan *scan;
  mpg_value time = given[SCRAPE_TIME];
  if (time.type == MPG_INT)
    time = (mpg_value){MPG_REAL, 0, (double)time.i, {NULL, 0}};
  if (time.type == MPG_TEXT || (time.type == MPG_REAL && !(time.r >= 0 && time.r < 9.2e9)))
    return mpg_fail_argument(err, "scrape_time", "Unix seconds from 1970 to 2261",
                             &given[SCRAPE_TIME]);
  scan = mpg_calloc(env, sizeof *scan);
  if (scan == NULL)
    return mpg_fail_nomem(err);
  scan->env = env;
  scan->scrape_time = time;
  *out = scan;
  return MPG_OK;
}

static void scan_end(void *p) {
  mpg_free(((prometheus_scan *)p)->env, p);
}

static void file_close(void *p) {
  prometheus_file *file = p;
  mpg_prometheus_close(file->reader);
  mpg_json_text_free(&file->json);
}

static mpg_rc file_open(void *p, void *scan, const mpg_env *env, mpg_stream *stream,
                        mpg_issues *issues, mpg_err *err) {
  prometheus_file *file = p;
  mpg_str start; /* decides between the two formats */
  mpg_rc rc = mpg_stream_peek(stream, 512, &start, err);
  file->env = file->json.env = env;
  file->scan = scan;
  file->path = mpg_stream_path(stream);
  file->issues = issues;
  return rc == MPG_OK ? mpg_prometheus_open(&file->reader, env, stream,
                                            mpg_prometheus_is_json(start), issues, err)
                      : rc;
}

/* Samples without a time are listed once the file has been read. */
static mpg_rc file_next(void *p, mpg_err *err) {
  prometheus_file *file = p;
  mpg_rc rc = mpg_prometheus_next(file->reader, &file->sample, err);
  if (rc == MPG_OK && file->sample->time.type == MPG_NULL &&
      file->scan->scrape_time.type == MPG_NULL && file->n_timeless++ == 0)
    file->first_timeless = mpg_prometheus_line(file->reader);
  if (rc != MPG_DONE || file->n_timeless == 0)
    return rc;
  rc = mpg_issues_add(
      file->issues, MPG_WARNING, file->path, "no_time", file->first_timeless, file->n_timeless,
      "samples without a timestamp, as an exporter's own page has them: their time is NULL "
      "(prometheus_trace takes a scrape_time), and no duty cycle counts them");
  file->n_timeless = 0;
  return rc == MPG_OK ? MPG_DONE : mpg_fail_nomem(err);
}

static int64_t file_line(const void *p) {
  return mpg_prometheus_line(((const prometheus_file *)p)->reader);
}

static void give_label(const mpg_prometheus_sample *s, const char *name, mpg_value *out) {
  mpg_str wanted = mpg_str_of(name == NULL ? "" : name);
  for (size_t i = 0; name != NULL && i < s->nlabels; i++)
    if (mpg_str_eq(s->labels[i].name, wanted))
      mpg_give_text(out, s->labels[i].value);
}

static mpg_rc give_labels(prometheus_file *file, mpg_value *out, mpg_err *err) {
  const mpg_prometheus_sample *s = file->sample;
  mpg_json_text *json = &file->json;
  mpg_rc rc;
  json->n = 0;
  rc = mpg_json_put(json, MPG_STR("{"));
  for (size_t i = 0; rc == MPG_OK && i < s->nlabels; i++) {
    rc = mpg_json_put_key(json, s->labels[i].name);
    if (rc == MPG_OK)
      rc = mpg_json_put_string(json, s->labels[i].value);
  }
  if (rc == MPG_OK)
    rc = mpg_json_put(json, MPG_STR("}"));
  mpg_give_text(out, (mpg_str){json->p, json->n});
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

static mpg_rc file_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  prometheus_file *file = p;
  const mpg_prometheus_sample *s = file->sample;
  switch (i) {
  case METRIC:
    mpg_give_text(out, s->metric);
    break;
  case LABELS:
    return give_labels(file, out, err);
  case TIME:
    *out = s->time.type == MPG_NULL ? file->scan->scrape_time : s->time;
    break;
  case VALUE:
    *out = s->value;
    break;
  case VALUE_TEXT:
    *out = (mpg_value){MPG_TEXT, 0, 0.0, s->text};
    break;
  case TYPE:
    mpg_give_text(out, s->type);
    break;
  case EXEMPLAR:
    mpg_give_text(out, s->exemplar);
    break;
  default:
    if (mpg_poll_work(file->env, &file->work, s->nlabels))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    give_label(s, known[i - FIRST_LABEL].renamed, out);
    if (out->type == MPG_NULL)
      give_label(s, known[i - FIRST_LABEL].name, out);
  }
  return MPG_OK;
}

int mpg_register_prometheus(mpg_conn *conn, char **error) {
  static const mpg_reader_format format = {
      .module = {"prometheus_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in prometheus_trace('dcgm.json')",
      .columns = columns,
      .ncolumns = COLUMNS,
      .arguments = arguments,
      .untyped = 1u << 0, /* scrape_time */
      .narguments = sizeof arguments / sizeof *arguments,
      .begin = scan_begin,
      .end = scan_end,
      .file_size = sizeof(prometheus_file),
      .open = file_open,
      .close = file_close,
      .next = file_next,
      .line = file_line,
      .column = file_column,
  };
  return mpg_register_reader(conn, &format, error);
}
