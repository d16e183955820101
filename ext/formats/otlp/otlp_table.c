/*
** otlp_table.c - otlp_trace(path, on_error), spans of OpenTelemetry.
**
**   trace_id, span_id, parent_span_id, trace_state, name TEXT
**       ids in hexadecimal
**   kind, status, status_message TEXT
**       internal, server, client, producer, consumer; ok, error, or NULL for unset
**   start_time, end_time, duration REAL
**       Unix seconds, and seconds; NULL if the span has no end
**   start_ns, end_ns BIGINT
**       the same in nanoseconds, exact
**   service TEXT, resource TEXT, scope TEXT, scope_version TEXT, scope_attributes TEXT
**       service.name of the resource, and its attributes as JSON; the instrumentation
**   attributes, events, links TEXT
**       as JSON of plain values
**   flags BIGINT, dropped BIGINT
**       dropped: attributes, events and links that the SDK dropped
*/
#include "../list.h"
#include "../../sqlite/reader/reader.h"
#include "otlp.h"
#include "otlp_value.h"

enum {
  TRACE_ID,
  SPAN_ID,
  PARENT,
  TRACE_STATE,
  NAME,
  KIND,
  STATUS,
  STATUS_MESSAGE,
  START_TIME,
  END_TIME,
  DURATION,
  START_NS,
  END_NS,
  SERVICE,
  RESOURCE,
  SCOPE,
  SCOPE_VERSION,
  SCOPE_ATTRIBUTES,
  ATTRIBUTES,
  EVENTS,
  LINKS,
  FLAGS,
  DROPPED,
  COLUMNS
};

static const mpg_reader_column columns[COLUMNS] = {
    {"trace_id", "TEXT"},    {"span_id", "TEXT"},        {"parent_span_id", "TEXT"},
    {"trace_state", "TEXT"}, {"name", "TEXT"},           {"kind", "TEXT"},
    {"status", "TEXT"},      {"status_message", "TEXT"}, {"start_time", "REAL"},
    {"end_time", "REAL"},    {"duration", "REAL"},       {"start_ns", "BIGINT"},
    {"end_ns", "BIGINT"},    {"service", "TEXT"},        {"resource", "TEXT"},
    {"scope", "TEXT"},       {"scope_version", "TEXT"},  {"scope_attributes", "TEXT"},
    {"attributes", "TEXT"},  {"events", "TEXT"},         {"links", "TEXT"},
    {"flags", "BIGINT"},     {"dropped", "BIGINT"},
};

typedef struct otlp_file {
  mpg_otlp *reader;
  const mpg_otlp_span *span;
  mpg_otlp_values values;
  mpg_json_text json;
} otlp_file;

static void file_close(void *p) {
  otlp_file *file = p;
  mpg_otlp_close(file->reader);
  mpg_otlp_values_free(&file->values);
  mpg_json_text_free(&file->json);
}

static mpg_rc file_open(void *p, void *scan, const mpg_env *env, mpg_stream *stream,
                        mpg_issues *issues, mpg_err *err) {
  otlp_file *file = p;
  (void)scan;
  file->json.env = file->values.env = env;
  return mpg_otlp_open(&file->reader, env, stream, issues, err);
}

static mpg_rc file_next(void *p, mpg_err *err) {
  otlp_file *file = p;
  return mpg_otlp_next(file->reader, &file->span, err);
}

static int64_t file_line(const void *p) {
  return mpg_otlp_line(((const otlp_file *)p)->reader);
}

static void give_seconds(mpg_value *out, int64_t ns) {
  *out = (mpg_value){MPG_REAL, 0, (double)ns / 1e9, {NULL, 0}};
}

static mpg_rc give_json(otlp_file *file, size_t column, mpg_value *out, mpg_err *err) {
  const mpg_otlp_span *s = file->span;
  mpg_rc rc = MPG_OK;
  file->json.n = 0;
  if (column == ATTRIBUTES)
    rc = mpg_otlp_put_attributes(&file->values, &file->json, s->attributes);
  else if (column == EVENTS && s->events.n > 0)
    rc = mpg_otlp_put_events(&file->values, &file->json, s->events);
  else if (column == LINKS && s->links.n > 0)
    rc = mpg_otlp_put_links(&file->values, &file->json, s->links);
  mpg_give_text(out, (mpg_str){file->json.p, file->json.n});
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

static mpg_str text_of(const mpg_otlp_span *s, size_t column) {
  switch (column) {
  case TRACE_ID:
    return mpg_str_of(s->trace_id);
  case SPAN_ID:
    return mpg_str_of(s->span_id);
  case PARENT:
    return mpg_str_of(s->parent_id);
  case TRACE_STATE:
    return s->trace_state;
  case NAME:
    return s->name;
  case KIND:
    return mpg_str_of(s->kind != NULL ? s->kind : "");
  case STATUS:
    return mpg_str_of(s->status != NULL ? s->status : "");
  case STATUS_MESSAGE:
    return s->status_message;
  case SERVICE:
    return s->service;
  case RESOURCE:
    return s->resource;
  case SCOPE:
    return s->scope;
  case SCOPE_VERSION:
    return s->scope_version;
  default:
    return s->scope_attributes;
  }
}

static mpg_rc file_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  otlp_file *file = p;
  const mpg_otlp_span *s = file->span;
  int64_t ns = i == START_TIME || i == START_NS ? s->start_ns : s->end_ns;
  switch (i) {
  case START_TIME:
  case END_TIME:
    if (ns > 0)
      give_seconds(out, ns);
    break;
  case START_NS:
  case END_NS:
    if (ns > 0)
      mpg_give_int(out, ns);
    break;
  case DURATION:
    if (s->start_ns > 0 && s->end_ns > 0)
      give_seconds(out, s->end_ns - s->start_ns);
    break;
  case FLAGS:
    if (s->flags >= 0)
      mpg_give_int(out, s->flags);
    break;
  case DROPPED:
    mpg_give_int(out, s->dropped);
    break;
  case ATTRIBUTES:
  case EVENTS:
  case LINKS:
    return give_json(file, i, out, err);
  default:
    mpg_give_text(out, text_of(s, i));
  }
  return MPG_OK;
}

int mpg_register_otlp(mpg_conn *conn, char **error) {
  static const mpg_reader_format format = {
      .module = {"otlp_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in otlp_trace('spans.jsonl')",
      .columns = columns,
      .ncolumns = COLUMNS,
      .file_size = sizeof(otlp_file),
      .open = file_open,
      .close = file_close,
      .next = file_next,
      .line = file_line,
      .column = file_column,
  };
  return mpg_register_reader(conn, &format, error);
}
