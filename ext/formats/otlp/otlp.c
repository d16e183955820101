/* otlp.c - see otlp.h. */
#include "otlp.h"
#include "../../read/unwrap/unwrap.h"
#include "../../read/input/place.h"
#include "otlp_value.h"
#include "../../base/ascii.h"
#include "../../base/text.h"
#include "../../base/time.h"

#include <stdio.h>
#include <string.h>

/* What was entered, by depth. */
typedef enum place {
  REQUESTS,  /* an array of them, at the top */
  REQUEST,   /* or TracesData */
  RESOURCES, /* "resourceSpans" */
  RESOURCE,
  SCOPES, /* "scopeSpans" */
  SCOPE,
  SPANS,
  ALONE /* a span that is in no list */
} place;

struct mpg_otlp {
  const mpg_env *env;
  const char *path;
  mpg_issues *issues;
  mpg_pull *pull;
  place places[MPG_PULL_DEPTH];
  bool known;          /* the request at hand has a key of OTLP, or is none */
  bool found;          /* an object of OTLP */
  int64_t others;      /* objects of something else */
  int64_t others_line; /* of the first, */
  mpg_err other;       /* and the error that it is, if there is nothing else */
  bool has_resource, has_scope;
  bool of_libraries;              /* the list at hand, by its name */
  bool has_scopes, has_libraries; /* the resource at hand, under either name */
  /* What was looked for behind the lists of the object at hand: once, for keys may repeat. */
  bool sought_resource, sought_scope, sought_scopes;
  bool libraries_count; /* what looking for scopeSpans said */
  int64_t begins;       /* line of the request at hand */
  int64_t line;         /* of the span at hand */
  mpg_json_doc *doc, *inner;
  mpg_otlp_values values;
  mpg_json_text resource, service, scope, scope_version, scope_attributes;
  mpg_json_text alone; /* what is told of a span that is in no list, as an object */
  mpg_otlp_span span;
};

mpg_rc mpg_otlp_open(mpg_otlp **out, const mpg_env *env, mpg_stream *stream, mpg_issues *issues,
                     mpg_err *err) {
  mpg_otlp *o = mpg_calloc(env, sizeof *o);
  mpg_rc rc;
  if (o == NULL)
    return mpg_fail_nomem(err);
  o->env = o->values.env = o->resource.env = o->service.env = o->scope.env = env;
  o->scope_version.env = o->scope_attributes.env = o->alone.env = env;
  o->path = mpg_stream_path(stream);
  o->issues = issues;
  mpg_stream_unwrap(stream, MPG_UNWRAP_ALL | MPG_UNWRAP_MIXED);
  rc = mpg_pull_open(&o->pull, env, stream, 0, err);
  if (rc == MPG_OK)
    *out = o;
  else
    mpg_otlp_close(o);
  return rc;
}

void mpg_otlp_close(mpg_otlp *o) {
  if (o == NULL)
    return;
  mpg_pull_close(o->pull);
  mpg_json_doc_free(o->doc);
  mpg_json_doc_free(o->inner);
  mpg_otlp_values_free(&o->values);
  mpg_json_text_free(&o->resource);
  mpg_json_text_free(&o->service);
  mpg_json_text_free(&o->scope);
  mpg_json_text_free(&o->scope_version);
  mpg_json_text_free(&o->scope_attributes);
  mpg_json_text_free(&o->alone);
  mpg_free(o->env, o);
}

int64_t mpg_otlp_line(const mpg_otlp *o) {
  return o->line;
}

static mpg_rc add_issue(const mpg_otlp *o, mpg_severity severity, const char *kind, int64_t count,
                        const char *text, mpg_err *err) {
  if (o->issues != NULL &&
      mpg_issues_add(o->issues, severity, o->path, kind, o->line, count, "%s", text) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

static mpg_rc unexpected(const mpg_otlp *o, int64_t line, int64_t column, const char *expected,
                         mpg_str found, mpg_err *err) {
  char excerpt[MPG_EXCERPT];
  mpg_text_excerpt(found, excerpt);
  return mpg_expected(err, (mpg_place){o->path, line, column}, expected, excerpt);
}

/* ---- Resource and scope: copied, for the window moves on ---- */

static mpg_str string_of(const mpg_json_member *m) {
  return m != NULL && m->kind == MPG_JSON_STRING ? m->text : (mpg_str){"", 0};
}

/* The text of an attribute of a list; *out is unchanged if there is none. */
static mpg_rc find_attribute(mpg_otlp *o, mpg_str list, const char *key, mpg_json_text *out) {
  const mpg_json_member *all, *pair, *value;
  mpg_err ignored;
  size_t n, members;
  mpg_rc rc = mpg_json_parse(&o->doc, o->env, o->path, list, &all, &n, &ignored);
  for (size_t i = 0; rc == MPG_OK && i < n; i++) {
    const bool map = *list.p == '{';
    if (mpg_poll(o->env, i))
      return MPG_INTERRUPTED;
    if (map ? !mpg_str_eq(all[i].key, mpg_str_of(key)) : all[i].kind != MPG_JSON_OBJECT)
      continue;
    if (!map)
      rc = mpg_json_parse(&o->inner, o->env, o->path, all[i].text, &pair, &members, &ignored);
    if (rc != MPG_OK ||
        (!map && !mpg_str_eq(string_of(mpg_otlp_find(pair, members, "key")), mpg_str_of(key))))
      continue;
    value = map ? &all[i] : mpg_otlp_find(pair, members, "value");
    if (map && value->kind != MPG_JSON_OBJECT)
      return mpg_json_put(out, string_of(value));
    if (value != NULL && value->kind == MPG_JSON_OBJECT)
      rc = mpg_json_parse(&o->inner, o->env, o->path, value->text, &pair, &members, &ignored);
    if (rc == MPG_OK)
      return mpg_json_put(out, string_of(mpg_otlp_find(pair, members, "stringValue")));
  }
  return rc == MPG_NOMEM || rc == MPG_INTERRUPTED ? rc : MPG_OK;
}

/* A list of KeyValue, or a plain object. */
static mpg_str attributes_of(const mpg_json_member *m, size_t n) {
  m = mpg_otlp_find(m, n, "attributes");
  return m != NULL && m->kind >= MPG_JSON_ARRAY ? m->text : (mpg_str){"", 0};
}

static mpg_rc count_dropped(const mpg_otlp *o, const mpg_json_member *m, size_t n, int64_t *sum,
                            mpg_err *err) {
  static const char *const counts[] = {"droppedAttributesCount", "droppedEventsCount",
                                       "droppedLinksCount"};
  int64_t one;
  *sum = 0;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    if (mpg_otlp_int(mpg_otlp_find(m, n, counts[i]), &one) && one > 0 && one <= UINT32_MAX)
      *sum += one;
  if (*sum == 0)
    return MPG_OK;
  return add_issue(o, MPG_DATA_LOSS, "dropped", *sum,
                   "attributes, events or links that the SDK dropped at its limits", err);
}

static mpg_rc read_resource(mpg_otlp *o, mpg_str text, mpg_err *err) {
  const mpg_json_member *m;
  mpg_str attributes;
  int64_t dropped;
  size_t n;
  mpg_rc rc;
  o->resource.n = o->service.n = 0;
  o->has_resource = true;
  rc = mpg_json_parse(&o->doc, o->env, o->path, text, &m, &n, err);
  if (rc == MPG_DATA) /* valid already, except for keys that repeat, or no object */
    return unexpected(o, o->line, 1, "an object \"resource\" with each key once", text, err);
  if (rc == MPG_OK)
    rc = count_dropped(o, m, n, &dropped, err);
  if (rc != MPG_OK)
    return rc;
  attributes = attributes_of(m, n);
  rc = mpg_otlp_put_attributes(&o->values, &o->resource, attributes);
  if (rc == MPG_OK && attributes.n > 0)
    rc = find_attribute(o, attributes, "service.name", &o->service);
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

static mpg_rc read_scope(mpg_otlp *o, mpg_str text, mpg_err *err) {
  const mpg_json_member *m;
  size_t n;
  mpg_rc rc;
  o->scope.n = o->scope_version.n = o->scope_attributes.n = 0;
  o->has_scope = true;
  rc = mpg_json_parse(&o->doc, o->env, o->path, text, &m, &n, err);
  if (rc == MPG_DATA)
    return unexpected(o, o->line, 1, "an object \"scope\" with each key once", text, err);
  if (rc == MPG_OK)
    rc = mpg_json_put(&o->scope, string_of(mpg_otlp_find(m, n, "name")));
  if (rc == MPG_OK)
    rc = mpg_json_put(&o->scope_version, string_of(mpg_otlp_find(m, n, "version")));
  if (rc == MPG_OK)
    rc = mpg_otlp_put_attributes(&o->values, &o->scope_attributes, attributes_of(m, n));
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

/* A scope was an instrumentation library before version 0.19 of the protocol (2022). */
static bool is_scope(mpg_str key, const char *name) {
  return mpg_otlp_is(key, name) || mpg_otlp_is(key, "instrumentationLibrary");
}

/* Called before the spans: their resource or scope may come after them. */
static mpg_rc read_later_member(mpg_otlp *o, bool resource, mpg_err *err) {
  mpg_str text;
  bool far, *sought = resource ? &o->sought_resource : &o->sought_scope;
  mpg_rc rc;
  if (*sought)
    return MPG_OK;
  *sought = true;
  rc = resource ? mpg_pull_find_later(o->pull, mpg_otlp_is, "resource", &text, &far, err)
                : mpg_pull_find_later(o->pull, is_scope, "scope", &text, &far, err);
  if (rc == MPG_OK)
    return text.p[0] != '{' ? MPG_OK
           : resource       ? read_resource(o, text, err)
                            : read_scope(o, text, err);
  if (rc == MPG_DONE && far)
    rc = add_issue(
        o, MPG_DATA_LOSS, "late_resource", 1,
        "the resource or scope of these spans stands more than 64 MiB behind them: not read", err);
  return rc == MPG_DONE ? MPG_OK : rc;
}

/* ---- Spans ---- */

/* Nanoseconds since the epoch; 0 if unknown. */
static mpg_rc read_time(const mpg_otlp *o, const mpg_json_member *m, int64_t column, int64_t *ns,
                        mpg_err *err) {
  *ns = 0;
  if (m == NULL || mpg_str_eq(m->text, MPG_STR("")))
    return MPG_OK;
  if (!mpg_otlp_int(m, ns) || *ns < 0 || *ns / 1000 >= MPG_TIME_MAX)
    return unexpected(o, o->line, column, "nanoseconds since 1970 as a time, before 2262", m->text,
                      err);
  if (*ns > 0 && *ns < INT64_C(100000000000000000)) /* before 1973-03-04 */
    return unexpected(o, o->line, column,
                      "nanoseconds since 1970 as a time, not seconds, milliseconds or microseconds",
                      m->text, err);
  return MPG_OK;
}

static mpg_rc read_status(mpg_otlp *o, const mpg_json_member *m, mpg_err *err) {
  static const char *const codes[] = {NULL, "ok", "error"};
  mpg_rc rc;
  size_t n;
  if (m == NULL || m->kind != MPG_JSON_OBJECT)
    return MPG_OK;
  rc = mpg_json_parse(&o->inner, o->env, o->path, m->text, &m, &n, err);
  if (rc == MPG_DATA)
    return unexpected(o, o->line, 1, "each key of \"status\" once", MPG_STR("one again"), err);
  if (rc != MPG_OK)
    return rc;
  o->span.status = mpg_otlp_word(mpg_otlp_find(m, n, "code"), codes, 3, "STATUS_CODE_");
  o->span.status_message = string_of(mpg_otlp_find(m, n, "message"));
  return MPG_OK;
}

static mpg_rc read_span(mpg_otlp *o, int64_t column, mpg_str text, mpg_err *err) {
  static const char *const kinds[] = {NULL, "internal", "server", "client", "producer", "consumer"};
  mpg_otlp_span *s = &o->span;
  const mpg_json_member *m;
  size_t n;
  mpg_rc rc = mpg_json_parse(&o->doc, o->env, o->path, text, &m, &n, err);
  memset(s, 0, sizeof *s);
  if (rc == MPG_DATA)
    return unexpected(o, o->line, column, "each key of a span once", MPG_STR("one again"), err);
  if (rc != MPG_OK)
    return rc;
  mpg_otlp_id(string_of(mpg_otlp_find(m, n, "traceId")), 16, s->trace_id);
  mpg_otlp_id(string_of(mpg_otlp_find(m, n, "spanId")), 8, s->span_id);
  mpg_otlp_id(string_of(mpg_otlp_find(m, n, "parentSpanId")), 8, s->parent_id);
  s->trace_state = string_of(mpg_otlp_find(m, n, "traceState"));
  s->name = string_of(mpg_otlp_find(m, n, "name"));
  s->kind = mpg_otlp_word(mpg_otlp_find(m, n, "kind"), kinds, 6, "SPAN_KIND_");
  if (!mpg_otlp_int(mpg_otlp_find(m, n, "flags"), &s->flags))
    s->flags = -1;
  s->attributes = attributes_of(m, n);
  s->events = mpg_otlp_list(mpg_otlp_find(m, n, "events"));
  s->links = mpg_otlp_list(mpg_otlp_find(m, n, "links"));
  s->resource = (mpg_str){o->resource.p, o->resource.n};
  s->service = (mpg_str){o->service.p, o->service.n};
  s->scope = (mpg_str){o->scope.p, o->scope.n};
  s->scope_version = (mpg_str){o->scope_version.p, o->scope_version.n};
  s->scope_attributes = (mpg_str){o->scope_attributes.p, o->scope_attributes.n};
  rc = read_time(o, mpg_otlp_find(m, n, "startTimeUnixNano"), column, &s->start_ns, err);
  if (rc == MPG_OK)
    rc = read_time(o, mpg_otlp_find(m, n, "endTimeUnixNano"), column, &s->end_ns, err);
  if (rc == MPG_OK)
    rc = read_status(o, mpg_otlp_find(m, n, "status"), err);
  if (rc == MPG_OK && s->end_ns > 0 && s->end_ns < s->start_ns)
    rc =
        add_issue(o, MPG_WARNING, "negative_duration", 1, "a span that ends before it starts", err);
  return rc == MPG_OK ? count_dropped(o, m, n, &s->dropped, err) : rc;
}

static mpg_rc read_whole_span(mpg_otlp *o, const mpg_pull_item *item, bool *given, mpg_err *err) {
  mpg_json_kind kind;
  mpg_str text;
  mpg_rc rc;
  o->line = item->line;
  rc = mpg_pull_value(o->pull, &kind, &text, err);
  if (rc == MPG_OK && kind != MPG_JSON_OBJECT)
    return unexpected(o, item->line, item->column, "a span, an object", text, err);
  if (rc == MPG_OK)
    rc = read_span(o, item->column, text, err);
  *given = rc == MPG_OK;
  return rc;
}

/* ---- The way to the spans ---- */

static mpg_rc enter_place(mpg_otlp *o, place in) {
  o->places[mpg_pull_depth(o->pull)] = in;
  mpg_pull_enter(o->pull);
  return MPG_OK;
}

/*
** Spans by scope, or under their older name. A writer may give both names to the same spans; then
** they count once.
*/
static mpg_rc has_spans(mpg_otlp *o, const mpg_pull_item *item, bool *has, mpg_err *err) {
  mpg_str text;
  bool far;
  mpg_rc rc;
  *has = false;
  if (item->first != '[')
    return MPG_OK;
  if (mpg_otlp_is(item->key, "scopeSpans")) {
    *has = !o->has_libraries;
    o->of_libraries = false;
    return MPG_OK;
  }
  if (o->has_scopes || !mpg_otlp_is(item->key, "instrumentationLibrarySpans"))
    return MPG_OK;
  o->of_libraries = true;
  *has = o->libraries_count;
  if (o->sought_scopes)
    return MPG_OK;
  rc = mpg_pull_find_later(o->pull, mpg_otlp_is, "scopeSpans", &text, &far, err);
  *has = o->libraries_count = rc == MPG_DONE || (rc == MPG_OK && mpg_otlp_is_without_items(text));
  o->sought_scopes = true;
  return rc == MPG_DONE ? MPG_OK : rc;
}

static mpg_rc of_resource(mpg_otlp *o, const mpg_pull_item *item, mpg_err *err) {
  mpg_json_kind kind;
  mpg_str text;
  bool has;
  mpg_rc rc = MPG_OK;
  o->line = item->line;
  if (mpg_otlp_is(item->key, "resource") && item->first == '{' && !o->has_resource) {
    rc = mpg_pull_value(o->pull, &kind, &text, err);
    return rc == MPG_OK ? read_resource(o, text, err) : rc;
  }
  rc = has_spans(o, item, &has, err);
  if (rc != MPG_OK || !has)
    return rc;
  if (!o->has_resource)
    rc = read_later_member(o, true, err);
  return rc == MPG_OK ? enter_place(o, SCOPES) : rc;
}

static mpg_rc of_scope(mpg_otlp *o, const mpg_pull_item *item, mpg_err *err) {
  mpg_json_kind kind;
  mpg_str text;
  mpg_rc rc = MPG_OK;
  o->line = item->line;
  if (is_scope(item->key, "scope") && item->first == '{' && !o->has_scope) {
    rc = mpg_pull_value(o->pull, &kind, &text, err);
    return rc == MPG_OK ? read_scope(o, text, err) : rc;
  }
  if (mpg_pull_depth(o->pull) < 3 && mpg_otlp_is(item->key, "resource") && item->first == '{') {
    rc = mpg_pull_value(o->pull, &kind, &text, err); /* beside a scope that is in no list */
    return rc == MPG_OK ? read_resource(o, text, err) : rc;
  }
  if (!mpg_otlp_is(item->key, "spans") || item->first != '[')
    return MPG_OK;
  if (!o->has_scope)
    rc = read_later_member(o, false, err);
  return rc == MPG_OK ? enter_place(o, SPANS) : rc;
}

static void begin_object(mpg_otlp *o, const mpg_pull_item *item, place in) {
  if (in == REQUEST) {
    o->begins = item->line;
    o->known = false;
  } else if (in == RESOURCE) {
    o->has_resource = o->has_scopes = o->has_libraries = false;
    o->sought_resource = o->sought_scopes = o->libraries_count = false;
    o->resource.n = o->service.n = 0;
  } else {
    *(o->of_libraries ? &o->has_libraries : &o->has_scopes) = true;
    o->has_scope = o->sought_scope = false;
    o->scope.n = o->scope_version.n = o->scope_attributes.n = 0;
  }
}

/* ---- A span that is in no list ---- */

/* jq and others take them out of their scope, or write them so. What is told of it may come in any
** order, and so it is gathered. */

/* Whether what began as the spans of a resource or of a scope is one span with both in it. */
static bool is_of_span_alone(place in, mpg_str key) {
  return (in == RESOURCE && is_scope(key, "scope")) ||
         ((in == RESOURCE || in == SCOPE) && mpg_otlp_is_of_span(key));
}

static mpg_rc of_alone(mpg_otlp *o, const mpg_pull_item *item, mpg_err *err) {
  const bool resource = mpg_otlp_is(item->key, "resource"), scope = is_scope(item->key, "scope");
  mpg_json_kind kind;
  mpg_str text;
  mpg_rc rc = MPG_OK;
  if (!resource && !scope)
    rc = mpg_json_put_key(&o->alone, item->key);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  rc = mpg_pull_value(o->pull, &kind, &text, err);
  if (rc != MPG_OK || ((resource || scope) && kind != MPG_JSON_OBJECT))
    return rc;
  if (resource || scope)
    return resource ? read_resource(o, text, err) : read_scope(o, text, err);
  rc = kind == MPG_JSON_STRING ? mpg_json_put_string(&o->alone, text)
                               : mpg_json_put(&o->alone, text);
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

/* The object at hand is such a span; its resource and scope may have been read. */
static mpg_rc begin_alone(mpg_otlp *o, const mpg_pull_item *item, mpg_err *err) {
  o->known = o->found = true;
  o->places[mpg_pull_depth(o->pull) - 1] = ALONE;
  o->alone.n = 0;
  return mpg_json_put(&o->alone, MPG_STR("{")) == MPG_OK ? of_alone(o, item, err)
                                                         : mpg_fail_nomem(err);
}

static mpg_rc end_alone(mpg_otlp *o, bool *given, mpg_err *err) {
  mpg_rc rc;
  if (mpg_json_put(&o->alone, MPG_STR("}")) != MPG_OK)
    return mpg_fail_nomem(err);
  o->line = o->begins;
  rc = read_span(o, 1, (mpg_str){o->alone.p, o->alone.n}, err);
  if (rc == MPG_OK && o->span.start_ns == 0 && o->span.trace_id[0] == '\0')
    return unexpected(o, o->begins, 1, "OTLP as JSON with \"resourceSpans\", or a span",
                      MPG_STR("an object without \"startTimeUnixNano\" or \"traceId\""), err);
  *given = rc == MPG_OK;
  return rc;
}

/* Whether the key is of the spans of a resource, or of a scope in one: jq and others take them out
** of their request. */
static bool is_part(mpg_str key, place *in) {
  *in = mpg_otlp_is(key, "resource") || mpg_otlp_is(key, "scopeSpans") ||
                mpg_otlp_is(key, "instrumentationLibrarySpans")
            ? RESOURCE
            : SCOPE;
  return *in == RESOURCE || is_scope(key, "scope") || mpg_otlp_is(key, "spans");
}

/* The object at hand is no request, but one of those. */
static mpg_rc of_part(mpg_otlp *o, const mpg_pull_item *item, place in, mpg_err *err) {
  const mpg_pull_item object = {.line = o->begins};
  o->known = o->found = true;
  o->places[mpg_pull_depth(o->pull) - 1] = in;
  begin_object(o, &object, RESOURCE);
  if (in == RESOURCE)
    return of_resource(o, item, err);
  o->has_resource = true;
  o->of_libraries = false;
  begin_object(o, &object, SCOPE);
  return of_scope(o, item, err);
}

static mpg_rc of_request(mpg_otlp *o, const mpg_pull_item *item, mpg_err *err) {
  char excerpt[MPG_EXCERPT];
  place in;
  bool other = mpg_otlp_is(item->key, "resourceMetrics") ||
               mpg_otlp_is(item->key, "resourceLogs") || mpg_otlp_is(item->key, "resourceProfiles");
  /* Grafana Tempo's envelope: {"batches": [...]}, and of its second version {"trace": {...}}; of
  ** Jaeger's third {"result": {...}}. */
  if ((mpg_otlp_is(item->key, "trace") || mpg_otlp_is(item->key, "result")) && item->first == '{')
    return enter_place(o, REQUEST);
  if (mpg_otlp_is(item->key, "resourceSpans") || mpg_otlp_is(item->key, "batches")) {
    o->known = o->found = true;
    if (item->first == '[')
      return enter_place(o, RESOURCES);
    return unexpected(o, item->line, item->column, "an array \"resourceSpans\"",
                      MPG_STR("another value"), err);
  }
  if (other) {
    o->known = o->found = true;
    o->line = item->line;
    return add_issue(o, MPG_INFO, "other_signal", 1,
                     "metrics, logs or profiles: only spans are read", err);
  }
  if (o->known)
    return MPG_OK;
  if (mpg_otlp_is(item->key, "schemaUrl"))
    return MPG_OK;
  if (is_part(item->key, &in))
    return of_part(o, item, in, err);
  if (mpg_otlp_is_of_span(item->key) && !mpg_otlp_is(item->key, "kind")) {
    const mpg_pull_item object = {.line = o->begins};
    begin_object(o, &object, RESOURCE);
    begin_object(o, &object, SCOPE);
    return begin_alone(o, item, err);
  }
  o->known = true; /* its other members are no further records */
  if (o->others++ > 0)
    return MPG_OK;
  o->line = o->others_line = o->begins;
  mpg_text_excerpt(item->key, excerpt);
  (void)mpg_fail(&o->other, MPG_DATA,
                 "%s:%lld:1: expected OTLP as JSON with \"resourceSpans\", found an object with "
                 "\"%s\"%s",
                 o->path, (long long)o->begins, excerpt,
                 mpg_str_eq(item->key, MPG_STR("apiVersion"))
                     ? " (of Kubernetes: read it with kube_trace)"
                 : mpg_str_eq(item->key, MPG_STR("data")) ? " (Jaeger's own JSON? export OTLP)"
                                                          : "");
  return MPG_OK;
}

/* At the end of the stream: objects of something else are an error where there is nothing else. */
static mpg_rc tell_others(mpg_otlp *o, mpg_err *err) {
  const int64_t others = o->others;
  o->others = 0;
  o->line = others > 0 ? o->others_line : o->line;
  if (others > 0 && !o->found) {
    *err = o->other;
    return MPG_DATA;
  }
  return others == 0 ? MPG_DONE
         : add_issue(o, MPG_WARNING, "unknown_record", others,
                     "objects that are no OTLP, such as lines of a collector's own log: left out",
                     err) == MPG_OK
             ? MPG_DONE
             : err->rc;
}

/* The object that has to be here: the next level of the path. */
static mpg_rc enter_object(mpg_otlp *o, const mpg_pull_item *item, place in, const char *expected,
                           mpg_err *err) {
  if (item->first != '{') {
    const int64_t line = item->line, column = item->column;
    mpg_json_kind kind;
    mpg_str text;
    o->line = line;
    /* A word of text may begin as a value does. It is left out once. */
    if (item->first != '[' && mpg_pull_value(o->pull, &kind, &text, err) != MPG_OK)
      return err->rc;
    return unexpected(o, line, column, expected, MPG_STR("another value"), err);
  }
  begin_object(o, item, in);
  return enter_place(o, in);
}

static mpg_rc read_value(mpg_otlp *o, const mpg_pull_item *item, bool *given, mpg_err *err) {
  const int depth = mpg_pull_depth(o->pull);
  place in;
  if (depth == 0 && item->first == '[')
    return enter_place(o, REQUESTS);
  in = depth == 0 ? REQUESTS : o->places[depth - 1];
  if (depth < 3 && is_of_span_alone(in, item->key)) /* deeper ones are of a request */
    return begin_alone(o, item, err);
  switch (in) {
  case REQUESTS:
    return enter_object(o, item, REQUEST, "OTLP as JSON, an object with \"resourceSpans\"", err);
  case REQUEST:
    return of_request(o, item, err);
  case RESOURCES:
    return enter_object(o, item, RESOURCE, "spans of a resource, an object", err);
  case RESOURCE:
    return of_resource(o, item, err);
  case SCOPES:
    return enter_object(o, item, SCOPE, "spans of a scope, an object", err);
  case SCOPE:
    return of_scope(o, item, err);
  case ALONE:
    return of_alone(o, item, err);
  default:
    return read_whole_span(o, item, given, err);
  }
}

/* A file that does not begin with JSON: the lengths of the file exporter's messages, which are
** big-endian, begin with 0. */
static mpg_rc no_json(const mpg_otlp *o, mpg_err *err) {
  const mpg_err plain = *err;
  mpg_str text;
  if (mpg_pull_documents(o->pull) > 0)
    return plain.rc;
  if (mpg_pull_line_text(o->pull, &text, err) != MPG_OK)
    return err->rc;
  *err = plain;
  return text.n == 0 || text.p[0] != '\0'
             ? plain.rc
             : mpg_fail(
                   err, MPG_DATA,
                   "%s:1:1: expected OTLP as JSON, found binary messages: set the file exporter "
                   "to format \"json\" without \"compression\"",
                   o->path);
}

mpg_rc mpg_otlp_next(mpg_otlp *o, const mpg_otlp_span **span, mpg_err *err) {
  bool given = false;
  mpg_rc rc = MPG_OK;
  *span = &o->span;
  while (rc == MPG_OK && !given) {
    mpg_pull_item item;
    int depth = mpg_pull_depth(o->pull);
    rc = mpg_pull_next(o->pull, &item, err);
    if (rc == MPG_DONE && depth > 0)
      rc = o->places[depth - 1] == ALONE ? end_alone(o, &given, err) : MPG_OK;
    else if (rc == MPG_OK)
      rc = read_value(o, &item, &given, err);
    else if (rc == MPG_DATA) {
      o->line = mpg_pull_broken_line(o->pull);
      rc = depth == 0 ? no_json(o, err) : rc;
    }
  }
  if (rc == MPG_DONE)
    return tell_others(o, err);
  if (rc == MPG_DATA && mpg_pull_cut_off(o->pull) && mpg_pull_documents(o->pull) > 0) {
    rc = add_issue(o, MPG_WARNING, "unfinished_record", 1,
                   "the file ends within a request: read up to there, as it is still being written",
                   err);
    return rc == MPG_OK ? MPG_DONE : rc;
  }
  return rc;
}
