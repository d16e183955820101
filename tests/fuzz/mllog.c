/* mllog.c - lines of MLPerf's logs among others. */
#include "fuzz.h"
#include "../../ext/formats/mllog/mllog.h"

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_stream *stream;
  mpg_mllog *log = NULL;
  mpg_issues issues;
  mpg_err err;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  mpg_issues_init(&issues, env);
  rc = mpg_mllog_open(&log, env, stream, &issues, &err);
  while (rc == MPG_OK || rc == MPG_DATA) {
    rc = mpg_mllog_next(log, &err);
    if (rc == MPG_OK) {
      CHECK(mpg_mllog_get(log, MPG_MLLOG_time_ms)->type == MPG_INT);
      CHECK(mpg_mllog_get(log, MPG_MLLOG_key)->type == MPG_TEXT);
      fuzz_put(out, "%lld ", (long long)mpg_mllog_line(log));
      for (size_t i = 0; i < MPG_MLLOG_COUNT; i++)
        fuzz_put_value(out, mpg_mllog_get(log, i));
    } else if (rc != MPG_DONE) {
      fuzz_put(out, "!%s", err.text);
    }
    fuzz_put(out, "\n");
  }
  fuzz_put_issues(out, &issues);
  mpg_issues_free(&issues);
  mpg_mllog_close(log);
  mpg_stream_close(stream);
  return rc;
}

void fuzz_mllog(mpg_str input) {
  fuzz_reader(render, input);
}
