/* prometheus.c - samples of Prometheus, from its API's JSON and from exporters' text, as the
** input begins. */
#include "fuzz.h"
#include "../../ext/formats/prometheus/prometheus.h"

#define SAMPLES (1 << 20) /* more than an input can hold: what is packed has thousands */

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_stream *stream;
  mpg_prometheus *reader = NULL;
  mpg_issues issues;
  mpg_err err;
  int count = 0;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  mpg_issues_init(&issues, env);
  rc = mpg_prometheus_open(&reader, env, stream, mpg_prometheus_is_json(input), &issues, &err);
  while ((rc == MPG_OK || rc == MPG_DATA) && count++ < SAMPLES) {
    const mpg_prometheus_sample *sample;
    rc = mpg_prometheus_next(reader, &sample, &err);
    if (rc == MPG_OK) {
      fuzz_put(out, "%lld ", (long long)mpg_prometheus_line(reader));
      fuzz_put_str(out, sample->metric);
      for (size_t i = 0; i < sample->nlabels; i++) {
        fuzz_put_str(out, sample->labels[i].name);
        fuzz_put_str(out, sample->labels[i].value);
      }
      fuzz_put_value(out, &sample->time);
      fuzz_put_value(out, &sample->value);
      fuzz_put_str(out, sample->text);
      fuzz_put_str(out, sample->type);
      fuzz_put_str(out, sample->exemplar);
    } else if (rc != MPG_DONE) {
      fuzz_put(out, "!%s", err.text);
    }
    fuzz_put(out, "\n");
  }
  CHECK(rc != MPG_OK && rc != MPG_DATA);
  fuzz_put_issues(out, &issues);
  mpg_issues_free(&issues);
  mpg_prometheus_close(reader);
  mpg_stream_close(stream);
  return rc;
}

void fuzz_prometheus(mpg_str input) {
  fuzz_reader(render, input);
}
