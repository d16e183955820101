/* chrome.c - Chrome traces: events and their arguments, and what is told once. */
#include "fuzz.h"
#include "../../ext/formats/chrome/chrome_info.h"

#define EVENTS (1 << 20) /* more than an input can hold: what is packed has thousands */

static mpg_rc show(mpg_chrome *reader, fuzz_text *out) {
  static const char *const keys[] = {"stream", "name", "", "correlation"};
  mpg_err err;
  mpg_str text;
  mpg_rc rc = MPG_OK;
  fuzz_put(out, "%lld ", (long long)mpg_chrome_line(reader));
  for (int f = 0; rc == MPG_OK && f < MPG_CHROME_FIELDS; f++) {
    const mpg_json_token *token = mpg_chrome_get(reader, (mpg_chrome_field)f);
    fuzz_put(out, "%d", (int)token->kind);
    if (token->kind != MPG_JSON_LENIENT_NONE)
      rc = mpg_chrome_text(reader, token, &text);
    if (rc == MPG_OK && token->kind != MPG_JSON_LENIENT_NONE)
      fuzz_put_str(out, text);
  }
  for (size_t k = 0; (rc == MPG_OK || rc == MPG_DATA) && k < sizeof keys / sizeof *keys; k++) {
    mpg_json_token token;
    rc = mpg_chrome_arg(reader, mpg_str_of(keys[k]), &token, &err);
    if (rc == MPG_OK) {
      fuzz_put(out, "%d", (int)token.kind);
      if (token.kind != MPG_JSON_LENIENT_NONE)
        rc = mpg_chrome_text(reader, &token, &text);
      if (rc == MPG_OK && token.kind != MPG_JSON_LENIENT_NONE)
        fuzz_put_str(out, text);
    } else if (rc == MPG_DATA) {
      fuzz_put(out, "!%s ", err.text);
    }
  }
  fuzz_put_str(out, mpg_chrome_event(reader));
  return rc == MPG_DATA ? MPG_OK : rc;
}

static mpg_rc events(const mpg_env *env, mpg_str input, const mpg_chrome_request *request,
                     fuzz_text *out) {
  mpg_stream *stream;
  mpg_chrome *reader = NULL;
  mpg_issues issues;
  mpg_err err;
  int count = 0;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  mpg_issues_init(&issues, env);
  rc = mpg_chrome_open(&reader, env, stream, &issues, NULL, NULL, &err);
  if (rc == MPG_OK)
    mpg_chrome_request_events(reader, request, fuzz_threads(input));
  while ((rc == MPG_OK || rc == MPG_DATA) && count++ < EVENTS) {
    rc = mpg_chrome_next(reader, &err);
    if (rc == MPG_OK)
      rc = show(reader, out);
    else if (rc != MPG_DONE)
      fuzz_put(out, "!%s", err.text);
    if (rc == MPG_DATA)
      fuzz_put(out, "%lld:", (long long)mpg_chrome_line(reader));
    fuzz_put(out, "%lld\n", (long long)mpg_chrome_passed(reader));
  }
  CHECK(rc != MPG_OK && rc != MPG_DATA);
  fuzz_put_issues(out, &issues);
  mpg_issues_free(&issues);
  mpg_chrome_close(reader);
  mpg_stream_close(stream);
  return rc;
}

static mpg_rc info(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_stream *stream;
  mpg_chrome_info info = {0};
  mpg_err err;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  rc = mpg_chrome_info_read(&info, env, stream, NULL, fuzz_threads(input), &err);
  if (rc == MPG_OK) {
    fuzz_put(out, "%lld %lld %lld %lld\n", (long long)info.events, (long long)info.rank,
             (long long)info.world_size, (long long)info.base_time_ns);
    fuzz_put_str(out, (mpg_str){info.devices.p, info.devices.n});
    fuzz_put_str(out, (mpg_str){info.properties.p, info.properties.n});
  } else {
    fuzz_put(out, "!%s\n", err.text);
  }
  mpg_chrome_info_free(&info);
  mpg_stream_close(stream);
  return fuzz_cut_short(rc) ? rc : MPG_DONE;
}

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  const mpg_chrome_request complete = {{{MPG_CHROME_PH, MPG_STR("X")}}, 1};
  mpg_rc rc = events(env, input, NULL, out);
  if (rc == MPG_DONE)
    rc = events(env, input, &complete, out);
  return rc == MPG_DONE ? info(env, input, out) : rc;
}

void fuzz_chrome(mpg_str input) {
  fuzz_reader(render, input);
}
