/* slurm_json.c - jobs and nodes in Slurm's JSON, and as scontrol prints them. */
#include "fuzz.h"
#include "../../ext/formats/slurm/slurm_nodes.h"
#include "../../ext/formats/slurm/slurm_json.h"
#include "../../ext/formats/slurm/slurm_shown.h"

#define RECORDS (1 << 20) /* more than an input can hold: what is packed has thousands */

static mpg_rc jobs(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_stream *stream;
  mpg_slurm_json *reader = NULL;
  mpg_issues issues;
  mpg_err err;
  int count = 0;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  mpg_issues_init(&issues, env);
  rc = mpg_slurm_json_open(&reader, env, stream, &issues, &err);
  while ((rc == MPG_OK || rc == MPG_DATA) && count++ < RECORDS) {
    rc = mpg_slurm_json_next(reader, &err);
    if (rc == MPG_OK) {
      fuzz_put(out, "%lld ", (long long)mpg_slurm_json_line(reader));
      for (size_t i = 0; i < MPG_SLURM_JOB_COUNT; i++)
        if (mpg_slurm_json_has(reader, i)) {
          fuzz_put_value(out, mpg_slurm_json_get(reader, i));
          fuzz_put_str(out, mpg_slurm_json_raw(reader, i));
        }
    } else if (rc != MPG_DONE) {
      fuzz_put(out, "!%s", err.text);
    }
    fuzz_put(out, "\n");
  }
  CHECK(rc != MPG_OK && rc != MPG_DATA);
  fuzz_put_issues(out, &issues);
  mpg_issues_free(&issues);
  mpg_slurm_json_close(reader);
  mpg_stream_close(stream);
  return rc;
}

static mpg_rc shown(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_stream *stream;
  mpg_slurm_shown *reader = NULL;
  mpg_issues issues;
  mpg_err err;
  int count = 0;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  mpg_issues_init(&issues, env);
  rc = mpg_slurm_shown_open(&reader, env, stream, NULL, &issues, &err);
  while ((rc == MPG_OK || rc == MPG_DATA) && count++ < RECORDS) {
    rc = mpg_slurm_shown_next(reader, &err);
    if (rc == MPG_OK) {
      const mpg_slurm_fields *fields = mpg_slurm_shown_fields(reader);
      fuzz_put(out, "%lld ", (long long)mpg_slurm_shown_line(reader));
      for (size_t i = 0; i < MPG_SLURM_JOB_COUNT; i++)
        if (fields->slots[i].has) {
          fuzz_put_value(out, &fields->values[i]);
          fuzz_put_str(out, fields->raw[i]);
        }
    } else if (rc != MPG_DONE) {
      fuzz_put(out, "!%s", err.text);
    }
    fuzz_put(out, "\n");
  }
  CHECK(rc != MPG_OK && rc != MPG_DATA);
  fuzz_put_issues(out, &issues);
  mpg_issues_free(&issues);
  mpg_slurm_shown_close(reader);
  mpg_stream_close(stream);
  return rc;
}

static mpg_rc nodes(const mpg_env *env, mpg_str input, bool json, fuzz_text *out) {
  mpg_stream *stream;
  mpg_slurm_show_node *reader = NULL;
  mpg_issues issues;
  mpg_err err;
  int count = 0;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  mpg_issues_init(&issues, env);
  rc = mpg_slurm_show_node_open(&reader, env, stream, json, NULL, &issues, &err);
  while ((rc == MPG_OK || rc == MPG_DATA) && count++ < RECORDS) {
    rc = mpg_slurm_show_node_next(reader, &err);
    if (rc == MPG_OK) {
      const mpg_value *state = mpg_slurm_show_node_get(reader, MPG_SLURM_SHOW_NODE_State);
      fuzz_put(out, "%lld ", (long long)mpg_slurm_show_node_line(reader));
      for (size_t i = 0; i < MPG_SLURM_SHOW_NODE_COUNT_OF_FIELDS; i++)
        fuzz_put_value(out, mpg_slurm_show_node_get(reader, i));
      fuzz_put(out, "%d ",
               state->type == MPG_TEXT && mpg_slurm_node_out_of_service(state->s) ? 1 : 0);
      fuzz_put_str(out, mpg_slurm_show_node_gpus(reader, false));
      fuzz_put_str(out, mpg_slurm_show_node_gpus(reader, true));
    } else if (rc != MPG_DONE) {
      fuzz_put(out, "!%s", err.text);
    }
    fuzz_put(out, "\n");
  }
  CHECK(rc != MPG_OK && rc != MPG_DATA);
  fuzz_put_issues(out, &issues);
  mpg_issues_free(&issues);
  mpg_slurm_show_node_close(reader);
  mpg_stream_close(stream);
  return rc;
}

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_rc rc = jobs(env, input, out);
  if (rc == MPG_DONE)
    rc = shown(env, input, out);
  if (rc == MPG_DONE)
    rc = nodes(env, input, true, out);
  if (rc == MPG_DONE)
    rc = nodes(env, input, false, out);
  return rc;
}

void fuzz_slurm_json(mpg_str input) {
  fuzz_reader(render, input);
}
