/* log.c - lines of a log under a pattern, which the first line of the input is; and the same
** interpreted. */
#include "fuzz.h"
#include "../../ext/formats/log/log.h"

#include <string.h>

static mpg_rc lines_of(const mpg_env *env, mpg_pattern *pattern, mpg_str input, fuzz_text *out) {
  mpg_log_options options = {pattern, NULL, 2026, MPG_LOG_ROWS};
  mpg_json_text json = {.env = env};
  mpg_stream *stream;
  mpg_log *log = NULL;
  mpg_issues issues;
  mpg_err err;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  mpg_issues_init(&issues, env);
  rc = mpg_log_open(&log, env, stream, &options, &issues, &err);
  while (rc == MPG_OK || rc == MPG_DATA) {
    bool any = false;
    rc = mpg_log_next(log, &err);
    if (rc == MPG_OK) {
      fuzz_put(out, "%lld ", (long long)mpg_log_line(log));
      fuzz_put_str(out, mpg_log_text(log));
      fuzz_put_value(out, mpg_log_time(log));
      fuzz_put_value(out, mpg_log_step(log));
      json.n = 0;
      rc = mpg_log_fields(log, &json, &any);
      if (rc == MPG_OK && any)
        fuzz_put_str(out, (mpg_str){json.p, json.n});
    } else if (rc != MPG_DONE) {
      fuzz_put(out, "!%s", err.text);
    }
    fuzz_put(out, "\n");
  }
  fuzz_put_issues(out, &issues);
  mpg_issues_free(&issues);
  mpg_json_text_free(&json);
  mpg_log_close(log);
  mpg_stream_close(stream);
  return rc;
}

static mpg_rc render_as(const mpg_env *env, mpg_str input, fuzz_text *out, bool interpret) {
  const char *end = input.n == 0 ? NULL : memchr(input.p, '\n', input.n);
  size_t n = end == NULL ? input.n : (size_t)(end - input.p);
  mpg_pattern *pattern = NULL;
  mpg_err err;
  mpg_rc rc = mpg_pattern_open(&pattern, env, (mpg_str){input.p, n}, &err);
  if (rc != MPG_OK)
    fuzz_put(out, "!%s\n", err.text);
  else if (interpret)
    mpg_pattern_interpret(pattern);
  else
    mpg_pattern_compile(pattern);
  if (rc == MPG_OK && end != NULL)
    rc = lines_of(env, pattern, (mpg_str){end + 1, input.n - n - 1}, out);
  mpg_pattern_close(pattern);
  return rc == MPG_OK ? MPG_DONE : rc;
}

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  return render_as(env, input, out, false);
}

void fuzz_log(mpg_str input) {
  static fuzz_text compiled, interpreted;
  compiled.n = interpreted.n = 0;
  CHECK(render_as(&mpg_env_libc, input, &compiled, false) ==
        render_as(&mpg_env_libc, input, &interpreted, true));
  CHECK(compiled.n == interpreted.n && memcmp(compiled.p, interpreted.p, compiled.n) == 0);
  fuzz_reader(render, input);
}
