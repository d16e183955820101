/* json.c - records of JSON, and what is nested in them. */
#include "fuzz.h"
#include "../../ext/read/parse/json_records.h"

#include <string.h>

#define LEVELS 20

/* `depth` levels down; what was checked as a part of the record may only fail for repeated keys
** and limits. */
/* NOLINTNEXTLINE(misc-no-recursion): LEVELS deep */
static mpg_rc nested(const mpg_env *env, mpg_str text, int depth, fuzz_text *out) {
  mpg_json_doc *doc = NULL;
  const mpg_json_member *members;
  mpg_err err;
  size_t n;
  mpg_rc rc = mpg_json_parse(&doc, env, "nested", text, &members, &n, &err);
  if (rc == MPG_OK) {
    for (size_t i = 0; rc == MPG_OK && i < n; i++) {
      fuzz_put_str(out, members[i].key);
      fuzz_put(out, "%d", (int)members[i].kind);
      if (members[i].kind < MPG_JSON_ARRAY)
        fuzz_put_str(out, members[i].text);
      else if (depth > 0)
        rc = nested(env, members[i].text, depth - 1, out);
    }
  } else if (rc == MPG_DATA) {
    CHECK(strstr(err.text, "repeat") != NULL || strstr(err.text, "key") != NULL);
    rc = MPG_OK;
  }
  mpg_json_doc_free(doc);
  return rc;
}

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_stream *stream;
  mpg_json_options options = {3000, true};
  mpg_json *json = NULL;
  mpg_err err;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  rc = mpg_json_open(&json, env, stream, &options, &err);
  for (bool more = rc == MPG_OK; more;) {
    const mpg_json_member *members;
    size_t n;
    rc = mpg_json_record(json, &members, &n, &err);
    more = rc == MPG_OK || (rc == MPG_DATA && !mpg_json_is_broken(json));
    if (rc != MPG_OK && rc != MPG_DONE)
      fuzz_put(out, "!%s\n", err.text);
    if (rc == MPG_OK && mpg_json_nans(json) > 0)
      rc = nested(env, mpg_json_text_of(json), 0, out); /* it is JSON all the same */
    for (size_t i = 0; rc == MPG_OK && i < n; i++) {
      int64_t line, column;
      mpg_json_where(json, members[i].value_at, &line, &column);
      CHECK(line >= mpg_json_line(json) && column >= 1);
      fuzz_put_str(out, members[i].key);
      fuzz_put(out, "%d %lld:%lld ", (int)members[i].kind, (long long)line, (long long)column);
      fuzz_put_str(out, members[i].text);
      if (members[i].kind >= MPG_JSON_ARRAY)
        rc = nested(env, members[i].text, LEVELS, out);
      more = rc == MPG_OK;
    }
    fuzz_put(out, "\n");
  }
  mpg_json_close(json);
  mpg_stream_close(stream);
  return rc;
}

void fuzz_json(mpg_str input) {
  fuzz_reader(render, input);
}
