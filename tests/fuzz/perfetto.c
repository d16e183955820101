/* perfetto.c - traces of Perfetto, as they come. */
#include "fuzz.h"
#include "../../ext/formats/perfetto/perfetto.h"

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_stream *stream;
  mpg_perfetto *p = NULL;
  mpg_issues issues;
  mpg_err err;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  mpg_issues_init(&issues, env);
  rc = mpg_perfetto_open(&p, env, stream, &issues, &err);
  while (rc == MPG_OK || (rc == MPG_DATA && p != NULL)) {
    rc = mpg_perfetto_next(p, &err);
    if (rc == MPG_OK) {
      fuzz_put(out, "%lld ", (long long)mpg_perfetto_line(p));
      for (size_t i = 0; i < MPG_PERFETTO_COUNT; i++)
        fuzz_put_value(out, mpg_perfetto_get(p, i));
    } else if (rc != MPG_DONE) {
      fuzz_put(out, "%lld !%s", (long long)mpg_perfetto_line(p), err.text);
    }
    fuzz_put(out, "\n");
  }
  fuzz_put_issues(out, &issues);
  mpg_issues_free(&issues);
  mpg_perfetto_close(p);
  mpg_stream_close(stream);
  return rc;
}

void fuzz_perfetto(mpg_str input) {
  fuzz_reader(render, input);
}
