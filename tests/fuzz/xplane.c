/* xplane.c - events and planes of an XSpace. */
#include "fuzz.h"
#include "../../ext/formats/xplane/xplane.h"

static mpg_rc show(mpg_xplane *x, mpg_json_text *json, fuzz_text *out) {
  const mpg_xevent *e = mpg_xplane_event(x);
  mpg_rc rc;
  fuzz_put(out, "%lld %lld %lld %lld %lld ", (long long)e->at, (long long)e->start_ns,
           (long long)e->end_ns, (long long)e->duration_ps, (long long)e->occurrences);
  CHECK(e->aggregated || e->duration_ps < 0 || e->end_ns >= e->start_ns);
  CHECK(e->at > e->plane->at && e->at <= e->plane->end);
  fuzz_put_str(out, e->plane->name);
  fuzz_put_str(out, e->line->name);
  if (e->name != NULL) {
    fuzz_put_str(out, e->name->name.text);
    fuzz_put_str(out, e->name->display_name);
  }
  for (int i = 0; i < MPG_XSTAT_COLUMNS; i++) {
    mpg_value v = {MPG_NULL, 0, 0.0, {NULL, 0}};
    mpg_xplane_stat(x, i, &v);
    fuzz_put_value(out, &v);
  }
  rc = mpg_xplane_stats(x, json);
  if (rc == MPG_OK)
    fuzz_put_str(out, (mpg_str){json->p, json->n});
  if (rc == MPG_OK)
    rc = mpg_xplane_stats_of(e->plane, json);
  if (rc == MPG_OK)
    fuzz_put_str(out, (mpg_str){json->p, json->n});
  return rc;
}

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_stream *ahead = NULL, *stream = NULL;
  mpg_xplane *x = NULL;
  mpg_json_text json = {.env = env};
  mpg_issues issues;
  mpg_err err;
  mpg_rc rc = mpg_stream_memory(&ahead, env, "f", input, &err);
  mpg_issues_init(&issues, env);
  if (rc == MPG_OK)
    rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc == MPG_OK)
    rc = mpg_xplane_open(&x, env, ahead, stream, &issues, &err);
  while (rc == MPG_OK || (rc == MPG_DATA && x != NULL)) {
    rc = mpg_xplane_next(x, &err);
    if (rc == MPG_OK)
      rc = show(x, &json, out);
    else if (rc != MPG_DONE)
      fuzz_put(out, "%lld !%s", (long long)mpg_xplane_at(x), err.text);
    fuzz_put(out, "\n");
  }
  fuzz_put_issues(out, &issues);
  mpg_issues_free(&issues);
  mpg_json_text_free(&json);
  mpg_xplane_close(x);
  mpg_stream_close(stream);
  mpg_stream_close(ahead);
  return rc;
}

void fuzz_xplane(mpg_str input) {
  fuzz_reader(render, input);
}
