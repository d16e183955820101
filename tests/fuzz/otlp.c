/* otlp.c - spans of OpenTelemetry. */
#include "fuzz.h"
#include "../../ext/formats/otlp/otlp.h"
#include "../../ext/formats/otlp/otlp_value.h"

#define SPANS (1 << 20) /* more than an input can hold: what is packed has thousands */

/* The lists of a span, as the objects that a query sees. */
static mpg_rc show_lists(const mpg_env *env, const mpg_otlp_span *s, fuzz_text *out) {
  static mpg_rc (*const puts[])(mpg_otlp_values *, mpg_json_text *, mpg_str) = {
      mpg_otlp_put_attributes, mpg_otlp_put_events, mpg_otlp_put_links};
  const mpg_str lists[] = {s->attributes, s->events, s->links};
  mpg_otlp_values values = {.env = env};
  mpg_json_text json = {.env = env};
  mpg_rc rc = MPG_OK;
  for (int i = 0; rc == MPG_OK && i < 3; i++) {
    json.n = 0;
    if (lists[i].n > 0)
      rc = puts[i](&values, &json, lists[i]);
    fuzz_put_str(out, (mpg_str){json.p, json.n});
  }
  mpg_json_text_free(&json);
  mpg_otlp_values_free(&values);
  return rc;
}

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_stream *stream;
  mpg_otlp *reader = NULL;
  mpg_issues issues;
  mpg_err err;
  int count = 0;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  mpg_issues_init(&issues, env);
  rc = mpg_otlp_open(&reader, env, stream, &issues, &err);
  while ((rc == MPG_OK || rc == MPG_DATA) && count++ < SPANS) {
    const mpg_otlp_span *s;
    rc = mpg_otlp_next(reader, &s, &err);
    if (rc == MPG_OK) {
      const mpg_str texts[] = {s->trace_state, s->name,          s->status_message,  s->attributes,
                               s->events,      s->links,         s->service,         s->resource,
                               s->scope,       s->scope_version, s->scope_attributes};
      fuzz_put(out, "%lld %s %s %s %s %s %lld %lld %lld %lld ", (long long)mpg_otlp_line(reader),
               s->trace_id, s->span_id, s->parent_id, s->kind == NULL ? "-" : s->kind,
               s->status == NULL ? "-" : s->status, (long long)s->start_ns, (long long)s->end_ns,
               (long long)s->flags, (long long)s->dropped);
      for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        fuzz_put_str(out, texts[i]);
      rc = show_lists(env, s, out);
    } else if (rc != MPG_DONE) {
      fuzz_put(out, "!%s", err.text);
    }
    fuzz_put(out, "\n");
  }
  CHECK(rc != MPG_OK && rc != MPG_DATA);
  fuzz_put_issues(out, &issues);
  mpg_issues_free(&issues);
  mpg_otlp_close(reader);
  mpg_stream_close(stream);
  return rc;
}

void fuzz_otlp(mpg_str input) {
  fuzz_reader(render, input);
}
