/* lsf.c - records of LSF's lsb.acct and lsb.events. */
#include "fuzz.h"
#include "../../ext/formats/lsf/lsf.h"

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_stream *stream;
  mpg_lsf *lsf = NULL;
  mpg_issues issues;
  mpg_err err;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  mpg_issues_init(&issues, env);
  rc = mpg_lsf_open(&lsf, env, stream, &issues, &err);
  while (rc == MPG_OK || rc == MPG_DATA) {
    rc = mpg_lsf_next(lsf, &err);
    if (rc == MPG_OK) {
      const mpg_value *hosts = mpg_lsf_get(lsf, MPG_LSF_num_hosts);
      const mpg_value *slots = mpg_lsf_get(lsf, MPG_LSF_slots);
      CHECK(hosts->type == slots->type && hosts->i <= slots->i);
      fuzz_put(out, "%lld ", (long long)mpg_lsf_line(lsf));
      for (size_t i = 0; i < MPG_LSF_COUNT; i++)
        fuzz_put_value(out, mpg_lsf_get(lsf, i));
    } else if (rc != MPG_DONE) {
      fuzz_put(out, "!%s", err.text);
    }
    fuzz_put(out, "\n");
  }
  fuzz_put_issues(out, &issues);
  mpg_issues_free(&issues);
  mpg_lsf_close(lsf);
  mpg_stream_close(stream);
  return rc;
}

void fuzz_lsf(mpg_str input) {
  fuzz_reader(render, input);
}
