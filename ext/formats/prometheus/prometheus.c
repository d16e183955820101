/* prometheus.c - what the two formats share, and answers of the HTTP API: see prometheus.h. */
#include "../../read/parse/json_tokens.h"
#include "../../read/input/place.h"
#include "prometheus_read.h"
#include "../../base/ascii.h"
#include "../../base/number.h"
#include "../../base/time.h"
#include "../../base/text.h"

#include <string.h>

mpg_rc mpg_prometheus_open(mpg_prometheus **out, const mpg_env *env, mpg_stream *stream, bool json,
                           mpg_issues *issues, mpg_err *err) {
  mpg_prometheus *p = mpg_calloc(env, sizeof *p);
  mpg_rc rc;
  if (p == NULL)
    return mpg_fail_nomem(err);
  p->env = p->failure.env = p->family.env = p->value.env = p->ahead.env = env;
  p->path = mpg_stream_path(stream);
  p->issues = issues;
  rc = json ? mpg_pull_open(&p->pull, env, stream, 0, err)
            : mpg_lines_open(&p->lines, env, stream, err);
  if (rc == MPG_OK)
    *out = p;
  else
    mpg_prometheus_close(p);
  return rc;
}

void mpg_prometheus_close(mpg_prometheus *p) {
  if (p == NULL)
    return;
  mpg_pull_close(p->pull);
  mpg_lines_close(p->lines);
  mpg_json_doc_free(p->doc);
  mpg_json_doc_free(p->pair);
  mpg_json_text_free(&p->failure);
  mpg_json_text_free(&p->family);
  mpg_json_text_free(&p->value);
  mpg_json_text_free(&p->ahead);
  mpg_free(p->env, p->labels);
  mpg_free(p->env, p->text);
  mpg_free(p->env, p);
}

mpg_rc mpg_prometheus_next(mpg_prometheus *p, const mpg_prometheus_sample **sample, mpg_err *err) {
  *sample = &p->sample;
  return p->pull != NULL ? mpg_prometheus_next_json(p, err) : mpg_prometheus_next_text(p, err);
}

int64_t mpg_prometheus_line(const mpg_prometheus *p) {
  return p->line;
}

/* Text may begin with a brace too: before a name in quotes in OpenMetrics, before __name__ in what
** promtool dumps. */
bool mpg_prometheus_is_json(mpg_str start) {
  const char *p = start.p, *end = p + start.n;
  if (start.n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
    p += 3;
  p = mpg_json_space(p, end);
  if (p == end || *p != '{')
    return p < end && *p == '[';
  p = mpg_json_space(p + 1, end);
  if (p == end || *p != '"')
    return p == end || (*p != '_' && !mpg_is_letter(*p));
  for (p++; p < end && *p != '"'; p++)
    p += *p == '\\' && p + 1 < end;
  p = p < end ? mpg_json_space(p + 1, end) : end;
  return p == end || *p == ':';
}

/* ---- Answers of the HTTP API ---- */

static mpg_rc unexpected(const mpg_prometheus *p, const mpg_pull_item *item, const char *expected,
                         mpg_str found, mpg_err *err) {
  char excerpt[MPG_EXCERPT];
  mpg_text_excerpt(found, excerpt);
  return mpg_expected(err, (mpg_place){p->path, item->line, item->column}, expected, excerpt);
}

/* Keys of an answer, its data or a series. */
typedef enum key {
  STATUS,
  ERROR,
  ERROR_TYPE,
  DATA,
  RESULT,
  RESULT_TYPE,
  METRIC,
  VALUES,
  VALUE,
  TIMESTAMPS,
  HISTOGRAM,
  HISTOGRAMS,
  WARNINGS,
  INFOS,
  PARTIAL,
  OTHER
} key;

static key key_of(mpg_str s) {
  static const char *const keys[] = {"status",     "error",      "errorType", "data",  "result",
                                     "resultType", "metric",     "values",    "value", "timestamps",
                                     "histogram",  "histograms", "warnings",  "infos", "isPartial"};
  for (int i = 0; i < OTHER; i++)
    if (mpg_str_eq(s, mpg_str_of(keys[i])))
      return (key)i;
  return OTHER;
}

static mpg_rc pull_value(mpg_prometheus *p, mpg_json_kind *kind, mpg_str *text, mpg_err *err) {
  return mpg_pull_value(p->pull, kind, text, err);
}

/* Texts of an array, each an issue. */
static mpg_rc read_warnings(mpg_prometheus *p, bool infos, mpg_err *err) {
  const mpg_json_member *list;
  mpg_json_kind kind;
  mpg_str text;
  size_t n;
  mpg_rc rc = pull_value(p, &kind, &text, err);
  if (rc != MPG_OK || kind != MPG_JSON_ARRAY)
    return rc;
  rc = mpg_json_parse(&p->pair, p->env, p->path, text, &list, &n, err);
  for (size_t i = 0; rc == MPG_OK && i < n; i++)
    rc = mpg_prometheus_note(p, infos ? MPG_INFO : MPG_WARNING, infos ? "info" : "warning",
                             list[i].text, err);
  return rc;
}

/* The labels of the series whose samples follow; copied, for the window moves on. */
static mpg_rc read_metric(mpg_prometheus *p, const mpg_pull_item *item, mpg_err *err) {
  const mpg_json_member *labels;
  mpg_json_kind kind;
  mpg_str text;
  size_t n;
  mpg_rc rc = pull_value(p, &kind, &text, err);
  if (rc != MPG_OK)
    return rc;
  if (kind != MPG_JSON_OBJECT)
    return unexpected(p, item, "an object of labels", text, err);
  if (mpg_grow(p->env, &p->text, &p->text_cap, text.n, 1) != MPG_OK)
    return mpg_fail_nomem(err);
  memcpy(p->text, text.p, text.n);
  text.p = p->text;
  memset(&p->sample, 0, sizeof p->sample);
  rc = mpg_json_parse(&p->doc, p->env, p->path, text, &labels, &n, err);
  if (rc == MPG_DATA) /* valid already, except for keys that repeat */
    return unexpected(p, item, "each label once", MPG_STR("one again"), err);
  for (size_t i = 0; rc == MPG_OK && i < n; i++) {
    if (labels[i].kind != MPG_JSON_STRING)
      return unexpected(p, item, "texts as labels", labels[i].text, err);
    rc = mpg_prometheus_add(p, labels[i].key, labels[i].text, err);
  }
  p->named = rc == MPG_OK;
  return rc;
}

/* A time and the text of a value. */
static mpg_rc read_sample(mpg_prometheus *p, const mpg_pull_item *item, mpg_str time,
                          mpg_json_kind kind, mpg_str text, bool any_text, mpg_err *err) {
  mpg_prometheus_sample *s = &p->sample;
  s->time.type = MPG_REAL;
  if (!mpg_real_parse(time, &s->time.r) || !mpg_seconds_are_time(s->time.r))
    return unexpected(p, item, "a time in Unix seconds, from 1970 to 2261", time, err);
  if (kind != MPG_JSON_STRING || (!mpg_prometheus_value(text, &s->value) && !any_text))
    return unexpected(p, item, "a value such as \"0.5\", \"NaN\" or \"+Inf\"", text, err);
  if (any_text && (p->is_string || !mpg_prometheus_value(text, &s->value)))
    s->value.type = MPG_NULL;
  s->text = text;
  p->line = item->line;
  return MPG_OK;
}

/* [time, "value"] */
static mpg_rc read_pair(mpg_prometheus *p, const mpg_pull_item *item, mpg_err *err) {
  const mpg_json_member *pair;
  mpg_json_kind kind;
  mpg_str text;
  size_t n = 0;
  mpg_rc rc = pull_value(p, &kind, &text, err);
  if (rc == MPG_OK && kind == MPG_JSON_ARRAY)
    rc = mpg_json_parse(&p->pair, p->env, p->path, text, &pair, &n, err);
  if (rc != MPG_OK)
    return rc;
  if (n != 2 || pair[0].kind != MPG_JSON_NUMBER)
    return unexpected(p, item, "a sample [time, \"value\"]", text, err);
  if (!p->named)
    return unexpected(p, item, "\"metric\" before the samples of its series", text, err);
  return read_sample(p, item, pair[0].text, pair[1].kind, pair[1].text, false, err);
}

/* A value whose time follows. */
static mpg_rc read_value_ahead(mpg_prometheus *p, const mpg_pull_item *item, mpg_err *err) {
  mpg_json_kind kind;
  mpg_str text;
  mpg_value value;
  mpg_rc rc = pull_value(p, &kind, &text, err);
  if (rc != MPG_OK)
    return rc;
  if (kind == MPG_JSON_NULL)
    text = MPG_STR("NaN");
  if (!p->named || !mpg_prometheus_value(text, &value))
    return unexpected(p, item, "a sample [time, \"value\"]", text, err);
  if (p->ahead.n == 0)
    p->ahead_line = (size_t)item->line;
  rc = mpg_json_put(&p->ahead, text);
  if (rc == MPG_OK)
    rc = mpg_json_put(&p->ahead, (mpg_str){"", 1});
  return rc == MPG_OK ? MPG_OK : mpg_fail_nomem(err);
}

/* The time of the next value ahead, in milliseconds. */
static mpg_rc read_time_of_value(mpg_prometheus *p, const mpg_pull_item *item, mpg_err *err) {
  mpg_json_kind kind;
  mpg_str text, value = {p->ahead.p + p->ahead_at, 0};
  mpg_rc rc = pull_value(p, &kind, &text, err);
  if (rc != MPG_OK)
    return rc;
  if (p->ahead_at >= p->ahead.n)
    return unexpected(p, item, "as many \"timestamps\" as \"values\"", text, err);
  value.n = strlen(value.p);
  p->ahead_at += value.n + 1;
  if (!mpg_real_parse(text, &p->sample.time.r) || !mpg_seconds_are_time(p->sample.time.r /= 1000.0))
    return unexpected(p, item, "a time in Unix milliseconds, from 1970 to 2261", text, err);
  p->sample.time.type = MPG_REAL;
  (void)mpg_prometheus_value(value, &p->sample.value);
  p->sample.text = value;
  p->line = item->line;
  return MPG_OK;
}

/* At the end of a series. */
static mpg_rc check_ahead(mpg_prometheus *p, mpg_err *err) {
  const size_t left = p->ahead.n - p->ahead_at, line = p->ahead_line;
  p->ahead.n = p->ahead_at = 0;
  return left == 0 ? MPG_OK
                   : mpg_fail(err, MPG_DATA,
                              "%s:%zu:1: expected a sample [time, \"value\"], or as many "
                              "\"timestamps\" as \"values\", found fewer",
                              p->path, line);
}

/* The two elements of a scalar's or a string's result. */
static mpg_rc read_scalar(mpg_prometheus *p, const mpg_pull_item *item, mpg_err *err) {
  mpg_pull_item second;
  mpg_json_kind kind;
  mpg_str text;
  mpg_rc rc = pull_value(p, &kind, &text, err);
  if (rc != MPG_OK)
    return rc;
  if (kind != MPG_JSON_NUMBER)
    return unexpected(p, item, "a series with \"metric\" and \"values\", or a scalar", text, err);
  p->value.n = 0;
  if (mpg_json_put(&p->value, text) != MPG_OK)
    return mpg_fail_nomem(err);
  memset(&p->sample, 0, sizeof p->sample);
  rc = mpg_pull_next(p->pull, &second, err);
  if (rc == MPG_DONE)
    return unexpected(p, item, "a scalar of a time and a value", MPG_STR("one of them"), err);
  if (rc == MPG_OK)
    rc = pull_value(p, &kind, &text, err);
  return rc != MPG_OK
             ? rc
             : read_sample(p, item, (mpg_str){p->value.p, p->value.n}, kind, text, true, err);
}

/* The text of a failure: "bad_data: parse error". */
static mpg_rc read_failure(mpg_prometheus *p, mpg_err *err) {
  mpg_json_kind kind;
  mpg_str text;
  mpg_rc rc = pull_value(p, &kind, &text, err);
  if (rc != MPG_OK || kind != MPG_JSON_STRING || text.n == 0)
    return rc;
  rc = p->failure.n > 0 ? mpg_json_put(&p->failure, MPG_STR(": ")) : MPG_OK;
  if (rc == MPG_OK)
    rc = mpg_json_put(&p->failure, text);
  return rc == MPG_OK ? MPG_OK : mpg_fail_nomem(err);
}

static mpg_rc wrong_object(const mpg_prometheus *p, const mpg_pull_item *item, mpg_err *err) {
  char excerpt[MPG_EXCERPT];
  mpg_text_excerpt(item->key, excerpt);
  return mpg_fail(
      err, MPG_DATA,
      "%s:%lld:1: expected an answer of Prometheus with \"status\" and \"data\", found an object "
      "with \"%s\"%s",
      p->path, (long long)p->begins, excerpt,
      mpg_str_eq(item->key, MPG_STR("apiVersion")) || mpg_str_eq(item->key, MPG_STR("items"))
          ? " (of Kubernetes: read it with kube_trace)"
      : mpg_str_eq(item->key, MPG_STR("resourceMetrics"))
          ? " (metrics of OTLP: let the collector's exporter prometheus serve them)"
      : mpg_str_eq(item->key, MPG_STR("resourceSpans")) ? " (OTLP: read it with otlp_trace)"
                                                        : "");
}

static mpg_rc enter_place(mpg_prometheus *p, const mpg_pull_item *item, mpg_prometheus_place place,
                          mpg_err *err) {
  int depth = mpg_pull_depth(p->pull);
  if (depth == MPG_PULL_DEPTH)
    return unexpected(p, item, "an answer to a query", MPG_STR("values nested 17 deep"), err);
  p->places[depth] = place;
  mpg_pull_enter(p->pull);
  return MPG_OK;
}

/* Enters an array; any other value is an error. */
static mpg_rc enter_array(mpg_prometheus *p, const mpg_pull_item *item, mpg_prometheus_place place,
                          const char *expected, mpg_err *err) {
  if (item->first == '[')
    return enter_place(p, item, place, err);
  return unexpected(p, item, expected, MPG_STR("another value"), err);
}

/* Whether the next value is this text. */
static mpg_rc read_whether(mpg_prometheus *p, mpg_str word, bool *is, mpg_err *err) {
  mpg_json_kind kind;
  mpg_str text;
  mpg_rc rc = pull_value(p, &kind, &text, err);
  *is = rc == MPG_OK && mpg_str_eq(text, word);
  return rc;
}

/* A member of an object; *given if it is a sample. */
static mpg_rc read_member(mpg_prometheus *p, const mpg_pull_item *item, bool *given, mpg_err *err) {
  key k = key_of(item->key);
  mpg_rc rc = MPG_OK;
  if (k == OTHER && !p->known)
    return wrong_object(p, item, err);
  p->known = true;
  p->answered |= k == RESULT || k == METRIC || (k == DATA && item->first == 'n');
  switch (k) {
  case STATUS:
    return read_whether(p, MPG_STR("error"), &p->failed, err);
  case ERROR:
  case ERROR_TYPE:
    return read_failure(p, err);
  case DATA:
    if (item->first == '{')
      return enter_place(p, item, MPG_PROMETHEUS_OBJECT, err);
    if (item->first == 'n')
      return MPG_OK;
    return unexpected(p, item, "the answer to a query, with an object \"data\"",
                      MPG_STR("another value"), err);
  case RESULT:
    return enter_array(p, item, MPG_PROMETHEUS_RESULT, "an array \"result\"", err);
  case RESULT_TYPE: /* stands before the result */
    return read_whether(p, MPG_STR("string"), &p->is_string, err);
  case METRIC:
    return read_metric(p, item, err);
  case VALUES:
    return enter_array(p, item, MPG_PROMETHEUS_VALUES, "an array of samples", err);
  case TIMESTAMPS:
    return enter_array(p, item, MPG_PROMETHEUS_TIMES, "an array of times", err);
  case VALUE:
    rc = read_pair(p, item, err);
    *given = rc == MPG_OK;
    return rc;
  case HISTOGRAM:
  case HISTOGRAMS:
    p->line = item->line;
    return mpg_prometheus_note(p, MPG_DATA_LOSS, "native_histogram",
                               MPG_STR("native histograms have no rows: ask for their quantiles, "
                                       "histogram_quantile(0.9, ...)"),
                               err);
  case WARNINGS:
  case INFOS:
    p->line = item->line;
    return read_warnings(p, k == INFOS, err);
  case PARTIAL:
    if (item->first != 't')
      return MPG_OK;
    p->line = item->line;
    return mpg_prometheus_note(p, MPG_DATA_LOSS, "partial_answer",
                               MPG_STR("the server says that some of its stores did not answer"),
                               err);
  default:
    return MPG_OK;
  }
}

/* Whether an object there is an answer, at the top or in an array of them, as jq -s makes it. */
static bool is_answer(const mpg_prometheus *p, int depth) {
  return depth == 0 || (depth == 1 && p->places[0] == MPG_PROMETHEUS_RESULT);
}

static mpg_rc read_value(mpg_prometheus *p, const mpg_pull_item *item, bool *given, mpg_err *err) {
  int depth = mpg_pull_depth(p->pull);
  mpg_rc rc;
  if (depth > 0 && p->places[depth - 1] == MPG_PROMETHEUS_OBJECT)
    return read_member(p, item, given, err);
  if (depth > 0 && p->places[depth - 1] == MPG_PROMETHEUS_VALUES && item->first != '[')
    return read_value_ahead(p, item, err);
  if (depth > 0 && p->places[depth - 1] == MPG_PROMETHEUS_TIMES) {
    rc = read_time_of_value(p, item, err);
    *given = rc == MPG_OK;
    return rc;
  }
  if (depth > 0 && p->places[depth - 1] == MPG_PROMETHEUS_VALUES) {
    rc = read_pair(p, item, err);
    *given = rc == MPG_OK;
    return rc;
  }
  if (item->first == '{') {
    if (is_answer(p, depth)) {
      p->begins = item->line;
      p->known = p->failed = p->answered = p->is_string = false;
      p->failure.n = 0;
    }
    p->named = false;
    return enter_place(p, item, MPG_PROMETHEUS_OBJECT, err);
  }
  if (depth == 0 && item->first == '[')
    return enter_place(p, item, MPG_PROMETHEUS_RESULT, err);
  if (depth == 0)
    return unexpected(p, item, "an answer of Prometheus, an object", MPG_STR("another value"), err);
  rc = read_scalar(p, item, err);
  *given = rc == MPG_OK;
  return rc;
}

/* The end of an answer. */
static mpg_rc end_of_answer(mpg_prometheus *p, mpg_err *err) {
  mpg_str text = {p->failure.p, p->failure.n};
  if (!p->failed && !p->answered)
    return mpg_fail(err, MPG_DATA,
                    "%s:%lld:1: expected an answer of Prometheus with \"data\" and its "
                    "\"result\", found none of it",
                    p->path, (long long)p->begins);
  if (!p->failed)
    return MPG_OK;
  p->failed = false;
  return mpg_fail(err, MPG_DATA, "%s:%lld:1: expected the answer to a query, found an error: %.*s",
                  p->path, (long long)p->begins, (int)(text.n < 400 ? text.n : 400),
                  text.n > 0 ? text.p : "");
}

mpg_rc mpg_prometheus_next_json(mpg_prometheus *p, mpg_err *err) {
  bool given = false;
  mpg_rc rc = MPG_OK;
  while (rc == MPG_OK && !given) {
    mpg_pull_item item;
    int depth = mpg_pull_depth(p->pull);
    rc = mpg_pull_next(p->pull, &item, err);
    if (rc == MPG_DONE && depth > 0) {
      rc = p->places[depth - 1] == MPG_PROMETHEUS_OBJECT ? check_ahead(p, err) : MPG_OK;
      if (rc == MPG_OK && p->places[depth - 1] == MPG_PROMETHEUS_OBJECT && is_answer(p, depth - 1))
        rc = end_of_answer(p, err);
    } else if (rc == MPG_OK) {
      rc = read_value(p, &item, &given, err);
    }
  }
  if (rc == MPG_DATA && mpg_pull_cut_off(p->pull) && mpg_pull_documents(p->pull) > 0) {
    rc = mpg_prometheus_note(p, MPG_WARNING, "unfinished_record",
                             MPG_STR("the file ends within an answer: read up to there, as it is "
                                     "still being written"),
                             err);
    return rc == MPG_OK ? MPG_DONE : rc;
  }
  return rc;
}
