/* goodput_log.c - job logs of ml-goodput-measurement, raw and as Cloud Logging exports them. */
#include "fuzz.h"
#include "../../ext/formats/goodput_log/goodput_log.h"

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_stream *stream;
  mpg_goodput_log *log = NULL;
  mpg_hash_set seen = {env, NULL, 0, 0};
  mpg_issues issues;
  mpg_err err;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  mpg_issues_init(&issues, env);
  rc = mpg_goodput_log_open(&log, env, stream, &seen, &issues, &err);
  for (bool more = rc == MPG_OK; more;) {
    const mpg_goodput_row *row;
    mpg_str rest;
    rc = mpg_goodput_log_next(log, &row, &err);
    more = rc == MPG_OK || rc == MPG_DATA;
    if (rc != MPG_OK) {
      if (rc != MPG_DONE)
        fuzz_put(out, "!%s\n", err.text);
      continue;
    }
    fuzz_put(out, "%lld %s %d %zu %d%d ", (long long)mpg_goodput_log_line(log),
             mpg_goodput_kind_name(row->kind), (int)row->edge, row->field, row->timed,
             row->duplicate);
    fuzz_put_str(out, row->job);
    for (size_t i = 0; i < MPG_GOODPUT_COUNT; i++)
      fuzz_put_value(out, &row->values[i]);
    fuzz_put_value(out, &row->first_time);
    if (row->exported) {
      fuzz_put(out, "%lld ", (long long)row->time_ns);
      fuzz_put_str(out, row->timestamp);
      fuzz_put_str(out, row->insert_id);
    }
    rc = mpg_goodput_log_rest(log, &rest, &err);
    more = rc == MPG_OK;
    if (more)
      fuzz_put_str(out, rest);
    fuzz_put(out, "\n");
  }
  fuzz_put_issues(out, &issues);
  mpg_issues_free(&issues);
  mpg_goodput_log_close(log);
  mpg_hash_set_free(&seen);
  mpg_stream_close(stream);
  return rc;
}

void fuzz_goodput_log(mpg_str input) {
  fuzz_reader(render, input);
}
