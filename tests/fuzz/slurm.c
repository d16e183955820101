/* slurm.c - sacct's and sacctmgr's output: free text with delimiters and newlines in it, most of
** all. */
#include "fuzz.h"
#include "../../ext/formats/slurm/slurm.h"

#include <string.h>

static mpg_rc with(const mpg_env *env, mpg_str input, const mpg_slurm_kind *kind, mpg_str columns,
                   bool slow, fuzz_text *out) {
  mpg_slurm_options options = {.columns = columns, .threads = fuzz_threads(input), .slow = slow};
  mpg_stream *stream;
  mpg_slurm *slurm = NULL;
  mpg_issues issues;
  mpg_err err;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  mpg_issues_init(&issues, env);
  options.issues = &issues;
  rc = mpg_slurm_open(&slurm, env, stream, kind, &options, &err);
  while (rc == MPG_OK || rc == MPG_DATA) {
    rc = mpg_slurm_next(slurm, &err);
    if (rc == MPG_OK) {
      fuzz_put(out, "%lld ", (long long)mpg_slurm_line(slurm));
      for (size_t i = 0; i < kind->nfields; i++)
        if (mpg_slurm_has(slurm, i)) {
          fuzz_put_value(out, mpg_slurm_get(slurm, i));
          fuzz_put_str(out, mpg_slurm_raw(slurm, i));
        }
    } else if (rc != MPG_DONE) {
      fuzz_put(out, "!%s", err.text);
    }
    fuzz_put(out, "\n");
  }
  fuzz_put_issues(out, &issues);
  mpg_issues_free(&issues);
  mpg_slurm_close(slurm);
  mpg_stream_close(stream);
  return rc;
}

static mpg_rc all(const mpg_env *env, mpg_str input, bool slow, fuzz_text *out) {
  mpg_rc rc = with(env, input, &mpg_slurm_jobs, (mpg_str){NULL, 0}, slow, out);
  if (rc == MPG_DONE)
    rc = with(env, input, &mpg_slurm_events, (mpg_str){NULL, 0}, slow, out);
  if (rc == MPG_DONE)
    rc = with(env, input, &mpg_slurm_jobs, MPG_STR("JobID,State,JobName,Start,-,Comment"), slow,
              out);
  return rc;
}

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  return all(env, input, false, out);
}

/* And what is read as it is usually written is what every field's own parser makes of it. */
void fuzz_slurm(mpg_str input) {
  static fuzz_text usual, slow;
  usual.n = slow.n = 0;
  fuzz_reader(render, input);
  CHECK(all(&mpg_env_libc, input, false, &usual) == all(&mpg_env_libc, input, true, &slow));
  CHECK(usual.n == slow.n && memcmp(usual.p, slow.p, slow.n) == 0);
}
