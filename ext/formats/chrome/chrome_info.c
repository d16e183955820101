/* chrome_info.c - see chrome_info.h. */
#include "chrome_info.h"
#include "../../base/number.h"

#include <string.h>

/* ---- Names ---- */

static mpg_rc put_token(mpg_json_text *key, const mpg_json_token *token) {
  mpg_rc rc =
      mpg_json_put(key, token->kind == MPG_JSON_LENIENT_STRING ? MPG_STR("\"") : MPG_STR(" "));
  return rc == MPG_OK && token->kind != MPG_JSON_LENIENT_NONE ? mpg_json_put(key, token->text) : rc;
}

/* The key of a name: its kind, and process and thread as the file writes them. */
static mpg_rc make_key(mpg_chrome_info *info, mpg_chrome_name what, const mpg_json_token *pid,
                       const mpg_json_token *tid) {
  static const char *const kinds[] = {"p", "l", "t"};
  mpg_json_text *key = &info->key;
  mpg_rc rc;
  key->n = 0;
  rc = mpg_json_put(key, mpg_str_of(kinds[what]));
  if (rc == MPG_OK)
    rc = put_token(key, pid);
  if (rc == MPG_OK && what == MPG_CHROME_THREAD_NAME)
    rc = put_token(key, tid);
  return rc;
}

static mpg_rc give_name(mpg_chrome_info *info, mpg_str name) {
  uint32_t key, text;
  mpg_rc rc = mpg_intern_id(&info->texts, (mpg_str){info->key.p, info->key.n}, &key);
  if (rc == MPG_OK)
    rc = mpg_intern_id(&info->texts, name, &text);
  if (rc == MPG_OK && info->cap_names < info->texts.n) {
    size_t before = info->cap_names;
    rc = mpg_grow(info->env, &info->names, &info->cap_names, info->texts.n, sizeof *info->names);
    if (rc == MPG_OK)
      memset(info->names + before, 0, (info->cap_names - before) * sizeof *info->names);
  }
  if (rc == MPG_OK)
    info->names[key - 1] = text;
  return rc;
}

mpg_rc mpg_chrome_info_name(mpg_chrome_info *info, mpg_chrome_name what, const mpg_json_token *pid,
                            const mpg_json_token *tid, mpg_str *out) {
  mpg_rc rc = make_key(info, what, pid, tid);
  uint32_t id;
  *out = (mpg_str){NULL, 0};
  if (rc != MPG_OK)
    return rc;
  id = mpg_intern_find(&info->texts, (mpg_str){info->key.p, info->key.n});
  if (id != 0 && info->names[id - 1] != 0)
    *out = mpg_intern_text(&info->texts, info->names[id - 1]);
  return MPG_OK;
}

static mpg_rc read_metadata(mpg_chrome_info *info, mpg_chrome *reader, mpg_err *err) {
  const mpg_json_token *name = mpg_chrome_get(reader, MPG_CHROME_NAME);
  mpg_chrome_name what;
  mpg_json_token value;
  mpg_str text;
  mpg_rc rc;
  if (name->kind != MPG_JSON_LENIENT_STRING)
    return MPG_OK;
  if (mpg_str_eq(name->text, MPG_STR("process_name")))
    what = MPG_CHROME_PROCESS_NAME;
  else if (mpg_str_eq(name->text, MPG_STR("process_labels")))
    what = MPG_CHROME_PROCESS_LABELS;
  else if (mpg_str_eq(name->text, MPG_STR("thread_name")))
    what = MPG_CHROME_THREAD_NAME;
  else
    return MPG_OK;
  rc = mpg_chrome_arg(
      reader, what == MPG_CHROME_PROCESS_LABELS ? MPG_STR("labels") : MPG_STR("name"), &value, err);
  if (rc != MPG_OK || value.kind != MPG_JSON_LENIENT_STRING)
    return rc;
  rc = mpg_chrome_text(reader, &value, &text);
  if (rc == MPG_OK)
    rc = make_key(info, what, mpg_chrome_get(reader, MPG_CHROME_PID),
                  mpg_chrome_get(reader, MPG_CHROME_TID));
  if (rc == MPG_OK)
    rc = give_name(info, text);
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

/* ---- Properties ---- */

/* An integer member of an object, if it has one. */
static bool int_member(mpg_str object, mpg_str name, int64_t *out) {
  mpg_json_lenient s = mpg_json_lenient_of(object.p, object.p + object.n, NULL);
  const char *p = mpg_json_lenient_space(object.p + 1, s.end);
  mpg_json_token key, value;
  bool found = false;
  while (p < s.end && *p == '"' && (p = mpg_json_lenient_member(&s, p, &key, &value)) != NULL) {
    if (mpg_str_eq(key.text, name))
      found = mpg_scaled_parse(value.text, 0, out);
    if (p == s.end || *p != ',')
      break;
    p = mpg_json_lenient_space(p + 1, s.end);
  }
  return found;
}

/* A string as JSON has it; `raw` stands between its quotes. */
static mpg_rc put_string(mpg_chrome_info *info, mpg_json_text *json, mpg_str raw) {
  mpg_json_text *text = &info->key;
  if (mpg_grow(info->env, &text->p, &text->cap, raw.n, 1) != MPG_OK)
    return MPG_NOMEM;
  return mpg_json_put_string(json,
                             (mpg_str){text->p, mpg_json_lenient_unescape(text->p, raw, NULL)});
}

static bool is_in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '+' || c == '.';
}

/* A number, true or false; null for all that JSON has no word for. */
static mpg_rc put_word(mpg_json_text *json, mpg_str word) {
  size_t sign = word.p[0] == '-' && word.n > 1;
  bool known = (word.p[sign] >= '0' && word.p[sign] <= '9') || mpg_str_eq(word, MPG_STR("true")) ||
               mpg_str_eq(word, MPG_STR("false"));
  return mpg_json_put(json, known ? word : MPG_STR("null"));
}

/* Anything but a string, as JSON has it: strings and words in it may not be. */
static mpg_rc put_raw(mpg_chrome_info *info, mpg_json_text *json, mpg_str raw) {
  const char *p = raw.p, *end = p + raw.n;
  mpg_rc rc = MPG_OK;
  while (rc == MPG_OK && p < end) {
    const char *from = p++;
    if (*from == '"') {
      while (p < end && *p != '"')
        p += *p == '\\' && end - p > 1 ? 2 : 1;
      rc = put_string(info, json, (mpg_str){from + 1, (size_t)(p - from) - 1});
      p += p < end;
    } else if (is_in_word(*from)) {
      while (p < end && is_in_word(*p))
        p++;
      rc = put_word(json, (mpg_str){from, (size_t)(p - from)});
    } else {
      while (p < end && *p != '"' && !is_in_word(*p))
        p++;
      rc = mpg_json_put(json, (mpg_str){from, (size_t)(p - from)});
    }
  }
  return rc;
}

static mpg_rc put_value(mpg_chrome_info *info, mpg_json_text *json, const mpg_json_token *value) {
  return value->kind == MPG_JSON_LENIENT_STRING ? put_string(info, json, value->text)
                                                : put_raw(info, json, value->text);
}

static mpg_rc read_property(void *ctx, mpg_str key, const mpg_json_token *value) {
  mpg_chrome_info *info = ctx;
  mpg_rc rc;
  if (value->kind == MPG_JSON_LENIENT_NONE)
    return MPG_OK;
  if (mpg_str_eq(key, MPG_STR("baseTimeNanoseconds"))) {
    info->has_base_time = mpg_scaled_parse(value->text, 0, &info->base_time_ns);
  } else if (value->kind == MPG_JSON_LENIENT_NESTED &&
             mpg_str_eq(key, MPG_STR("deviceProperties"))) {
    info->devices.n = 0;
    if (put_raw(info, &info->devices, value->text) != MPG_OK)
      return MPG_NOMEM;
  } else if (value->kind == MPG_JSON_LENIENT_NESTED &&
             mpg_str_eq(key, MPG_STR("distributedInfo"))) {
    info->distributed.n = 0;
    if (put_raw(info, &info->distributed, value->text) != MPG_OK)
      return MPG_NOMEM;
    info->has_rank = int_member(value->text, MPG_STR("rank"), &info->rank);
    info->has_world_size = int_member(value->text, MPG_STR("world_size"), &info->world_size);
  }
  rc = mpg_json_put(&info->properties, info->properties.n == 0 ? MPG_STR("{") : MPG_STR(","));
  if (rc == MPG_OK)
    rc = put_string(info, &info->properties, key);
  if (rc == MPG_OK)
    rc = mpg_json_put(&info->properties, MPG_STR(":"));
  return rc == MPG_OK ? put_value(info, &info->properties, value) : rc;
}

/* ---- The pass ---- */

/* Not the subject of this pass: only counted, if the caller counts. */
static mpg_rc malformed_event(mpg_issues *issues, mpg_chrome *reader, const mpg_stream *stream,
                              mpg_err *err) {
  mpg_err found = *err;
  if (issues == NULL)
    return MPG_OK;
  return mpg_issues_add(issues, MPG_DATA_LOSS, mpg_stream_path(stream), "skipped_record",
                        mpg_chrome_line(reader), 1, "%s", found.text) == MPG_OK
             ? MPG_OK
             : mpg_fail_nomem(err);
}

mpg_rc mpg_chrome_info_read(mpg_chrome_info *info, const mpg_env *env, mpg_stream *stream,
                            mpg_issues *issues, int threads, mpg_err *err) {
  static const mpg_chrome_request metadata = {{{MPG_CHROME_PH, {"M", 1}}}, 1};
  mpg_chrome *reader;
  mpg_rc rc;
  memset(info, 0, sizeof *info);
  info->env = info->devices.env = info->distributed.env = info->properties.env = info->key.env =
      env;
  mpg_intern_init(&info->texts, env);
  rc = mpg_chrome_open(&reader, env, stream, issues, read_property, info, err);
  if (rc == MPG_OK)
    mpg_chrome_request_events(reader, &metadata, threads);
  while (rc == MPG_OK) {
    const mpg_json_token *ph;
    rc = mpg_chrome_next(reader, err);
    if (rc == MPG_OK) {
      ph = mpg_chrome_get(reader, MPG_CHROME_PH);
      if (ph->kind == MPG_JSON_LENIENT_STRING && mpg_str_eq(ph->text, MPG_STR("M")))
        rc = read_metadata(info, reader, err);
      else
        info->events++;
    }
    if (rc == MPG_DATA && mpg_chrome_has_events(reader))
      rc = malformed_event(issues, reader, stream, err);
  }
  if (rc == MPG_DONE)
    info->events += mpg_chrome_passed(reader);
  mpg_chrome_close(reader);
  if (rc == MPG_DONE && info->properties.n > 0 &&
      mpg_json_put(&info->properties, MPG_STR("}")) != MPG_OK)
    rc = mpg_fail_nomem(err);
  return rc == MPG_DONE ? MPG_OK : rc;
}

void mpg_chrome_info_free(mpg_chrome_info *info) {
  if (info->env == NULL)
    return;
  mpg_json_text_free(&info->devices);
  mpg_json_text_free(&info->distributed);
  mpg_json_text_free(&info->properties);
  mpg_json_text_free(&info->key);
  mpg_intern_free(&info->texts);
  mpg_free(info->env, info->names);
  memset(info, 0, sizeof *info);
}
