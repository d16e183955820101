/* swf.c - jobs of the Standard Workload Format. */
#include "fuzz.h"
#include "../../ext/formats/swf/swf.h"

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_stream *stream;
  mpg_swf *swf = NULL;
  mpg_issues issues;
  mpg_err err;
  int64_t number;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  mpg_issues_init(&issues, env);
  rc = mpg_swf_open(&swf, env, stream, &issues, &err);
  while (rc == MPG_OK || rc == MPG_DATA) {
    rc = mpg_swf_next(swf, &err);
    if (rc == MPG_OK) {
      fuzz_put(out, "%lld ", (long long)mpg_swf_line(swf));
      for (size_t i = 0; i < MPG_SWF_COUNT_OF_FIELDS; i++) {
        CHECK(mpg_swf_get(swf, i)->type != MPG_TEXT);
        fuzz_put_value(out, mpg_swf_get(swf, i));
      }
    } else if (rc != MPG_DONE) {
      fuzz_put(out, "!%s", err.text);
    }
    fuzz_put(out, "\n");
  }
  if (swf != NULL) {
    size_t n;
    const mpg_swf_label *labels = mpg_swf_header(swf, &n);
    for (size_t i = 0; i < n; i++) {
      fuzz_put_str(out, labels[i].label);
      fuzz_put_str(out, labels[i].value);
    }
    if (mpg_swf_header_number(swf, "unixstarttime", &number))
      fuzz_put(out, "%lld", (long long)number);
  }
  fuzz_put_issues(out, &issues);
  mpg_issues_free(&issues);
  mpg_swf_close(swf);
  mpg_stream_close(stream);
  return rc;
}

void fuzz_swf(mpg_str input) {
  fuzz_reader(render, input);
}
