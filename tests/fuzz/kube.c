/* kube.c - objects of the Kubernetes API as kubectl prints them. */
#include "fuzz.h"
#include "../../ext/formats/kube/kube.h"

#define OBJECTS (1 << 20) /* more than an input can hold: what is packed has thousands */

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_stream *stream;
  mpg_kube *kube = NULL;
  mpg_issues issues;
  mpg_err err;
  int count = 0;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  mpg_issues_init(&issues, env);
  rc = mpg_kube_open(&kube, env, stream, &issues, &err);
  while ((rc == MPG_OK || rc == MPG_DATA) && count++ < OBJECTS) {
    rc = mpg_kube_next(kube, &err);
    if (rc == MPG_OK) {
      fuzz_put(out, "%lld ", (long long)mpg_kube_line(kube));
      for (size_t i = 0; i < MPG_KUBE_COUNT_OF_FIELDS; i++)
        fuzz_put_value(out, mpg_kube_get(kube, i));
    } else if (rc != MPG_DONE) {
      fuzz_put(out, "!%s", err.text);
    }
    fuzz_put(out, "\n");
  }
  CHECK(rc != MPG_OK && rc != MPG_DATA);
  fuzz_put_issues(out, &issues);
  mpg_issues_free(&issues);
  mpg_kube_close(kube);
  mpg_stream_close(stream);
  return rc;
}

void fuzz_kube(mpg_str input) {
  fuzz_reader(render, input);
}
