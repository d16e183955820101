/* pbs.c - PBS accounting records, every field of them, and once more with ends for all they say. */
#include "fuzz.h"
#include "../../ext/formats/pbs/pbs.h"
#include "../../ext/formats/pbs/pbs_ends.h"
#include "../../ext/formats/pbs/pbs_value.h"

static void show(const mpg_pbs *pbs, fuzz_text *out) {
  mpg_pbs_id id;
  mpg_str host, hosts = {NULL, 0};
  const mpg_pbs_pair *pairs;
  size_t n, at = 0;
  fuzz_put(out, "%lld %lld %c ", (long long)mpg_pbs_line(pbs), (long long)mpg_pbs_time(pbs),
           mpg_pbs_record_type(pbs));
  fuzz_put_str(out, mpg_pbs_id_text(pbs));
  fuzz_put_str(out, mpg_pbs_text(pbs));
  if (mpg_pbs_id_parse(mpg_pbs_id_text(pbs), &id))
    fuzz_put(out, "%lld ", (long long)id.base);
  for (size_t i = 0; i < MPG_PBS_COUNT_OF_FIELDS; i++) {
    const mpg_value *v = mpg_pbs_get(pbs, i);
    mpg_pbs_sum sum;
    fuzz_put_value(out, v);
    if (v->type != MPG_TEXT)
      continue;
    if (mpg_pbs_vnodes_parse(v->s, NULL, &sum) || mpg_pbs_select_parse(v->s, NULL, &sum) ||
        mpg_pbs_nodes_parse(v->s, NULL, &sum))
      fuzz_put(out, "%lld %lld ", (long long)sum.cpus, (long long)sum.gpus);
    if (i == MPG_PBS_exec_host || i == MPG_PBS_exec_vnode)
      hosts = v->s;
  }
  while (mpg_pbs_hosts_next(hosts, &at, &host))
    fuzz_put_str(out, host);
  pairs = mpg_pbs_others(pbs, &n);
  for (size_t i = 0; i < n; i++) {
    fuzz_put_str(out, pairs[i].key);
    fuzz_put_str(out, pairs[i].value);
  }
}

static mpg_rc render_records(const mpg_env *env, mpg_str input, bool by_ends, fuzz_text *out) {
  mpg_stream *stream;
  mpg_pbs *pbs = NULL;
  mpg_pbs_ends *ends = NULL;
  mpg_zone *zone = NULL;
  mpg_issues issues;
  mpg_err err;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  mpg_issues_init(&issues, env);
  rc = mpg_zone_open(&zone, env, MPG_STR("+02:30"), "", &err);
  if (rc == MPG_OK)
    rc = mpg_pbs_open(&pbs, env, stream, zone, &issues, &err);
  if (rc == MPG_OK && by_ends)
    rc = mpg_pbs_ends_open(&ends, env, pbs, &err);
  while (rc == MPG_OK || rc == MPG_DATA) {
    rc = by_ends ? mpg_pbs_ends_next(ends, &err) : mpg_pbs_next(pbs, &err);
    if (rc == MPG_OK && by_ends)
      fuzz_put_str(out, mpg_pbs_ends_types(ends));
    if (rc == MPG_OK)
      show(pbs, out);
    else if (rc != MPG_DONE)
      fuzz_put(out, "!%s", err.text);
    fuzz_put(out, "\n");
  }
  fuzz_put_issues(out, &issues);
  mpg_issues_free(&issues);
  mpg_pbs_ends_close(ends);
  mpg_pbs_close(pbs);
  mpg_zone_free(zone);
  mpg_stream_close(stream);
  return rc;
}

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_rc rc = render_records(env, input, false, out);
  return rc == MPG_DONE ? render_records(env, input, true, out) : rc;
}

void fuzz_pbs(mpg_str input) {
  fuzz_reader(render, input);
}
