/* kube.c - see kube.h. */
#include "kube_decode.h"
#include "../../read/unwrap/unwrap.h"
#include "../../base/text.h"
#include "../../base/limits.h"

#include <string.h>

/* What was entered, by depth. */
typedef enum place {
  ARRAY, /* of objects, at the top */
  OBJECT,
  ITEMS /* of a list */
} place;

struct mpg_kube {
  mpg_pull *pull;
  place places[MPG_PULL_DEPTH];
  mpg_json_text text; /* the object at hand, put together from the members met so far */
  bool listed;        /* the object at hand is a list: its items were met */
  int64_t lists;      /* of the stream, so far */
  int64_t breaks;     /* of the watch, so far: each time it began anew, with all that was there */
  mpg_str list_kind;  /* of the items, if the list says so before them: in kind */
  char kind[64];
  int64_t begins; /* line of the object at hand */
  mpg_kube_object object;
  mpg_kube_level event;
};

mpg_rc mpg_kube_open(mpg_kube **out, const mpg_env *env, mpg_stream *stream, mpg_issues *issues,
                     mpg_err *err) {
  mpg_kube *k = mpg_calloc(env, sizeof *k);
  mpg_rc rc;
  if (k == NULL)
    return mpg_fail_nomem(err);
  k->text.env = k->object.env = env;
  for (size_t i = 0; i < MPG_KUBE_COUNT_OF_FIELDS; i++)
    k->object.copies[i].env = env;
  k->object.path = mpg_stream_path(stream);
  k->object.issues = issues;
  mpg_stream_unwrap(stream, MPG_UNWRAP_PREFIX | MPG_UNWRAP_TEXT);
  rc = mpg_pull_open(&k->pull, env, stream, 0, err);
  if (rc == MPG_OK)
    *out = k;
  else
    mpg_kube_close(k);
  return rc;
}

void mpg_kube_close(mpg_kube *k) {
  if (k == NULL)
    return;
  mpg_pull_close(k->pull);
  mpg_json_doc_free(k->event.doc);
  mpg_json_text_free(&k->text);
  mpg_kube_object_free(&k->object);
  mpg_free(k->object.env, k);
}

int64_t mpg_kube_line(const mpg_kube *k) {
  return k->object.line;
}

const mpg_value *mpg_kube_get(const mpg_kube *k, size_t field) {
  return &k->object.values[field];
}

/* ---- Errors of the walker ---- */

/* A file that begins with something that is no JSON: what it looks like instead. An error without a
** place is of the file, damaged or cut off. */
static mpg_rc no_json(const mpg_kube *k, mpg_err *err) {
  mpg_str text;
  char excerpt[MPG_EXCERPT];
  const char *hint = "";
  mpg_err plain = *err;
  int colons = 0;
  size_t at = strlen(k->object.path);
  if (plain.text[at] != ':' || plain.text[at + 1] < '1' || plain.text[at + 1] > '9')
    return MPG_DATA;
  for (const char *p = plain.text + at; *p != '\0' && colons < 3; p++, at++)
    colons += *p == ':';
  if (mpg_pull_line_text(k->pull, &text, err) != MPG_OK)
    return err->rc;
  if (text.n >= 5 && (memcmp(text.p, "apiVe", 5) == 0 || memcmp(text.p, "kind:", 5) == 0 ||
                      memcmp(text.p, "items", 5) == 0))
    hint = " (YAML: export with -o json)";
  else if (text.n >= 4 && (memcmp(text.p, "NAME", 4) == 0 || memcmp(text.p, "EVEN", 4) == 0))
    hint = " (kubectl's table: export with -o json)";
  else if (text.n >= 10 && memcmp(text.p, "==== START", 10) == 0)
    hint = " (a pod's log: call kubectl cluster-info dump with --output-directory)";
  else if (text.n >= 5 && (memcmp(text.p, "Error", 5) == 0 || memcmp(text.p, "Warni", 5) == 0))
    hint = " (kubectl's message: export its output without 2>&1)";
  mpg_text_excerpt(text, excerpt);
  return mpg_fail(err, MPG_DATA,
                  "%.*s expected objects of Kubernetes as JSON (kubectl get ... -o json), found "
                  "\"%s\"%s",
                  (int)at, plain.text, excerpt, hint);
}

/* After an error of the walker. */
static mpg_rc handle_error(const mpg_kube *k, bool outside, mpg_err *err) {
  if (err->rc != MPG_DATA)
    return err->rc;
  if (mpg_pull_cut_off(k->pull) && mpg_pull_documents(k->pull) > 0) {
    mpg_rc rc =
        mpg_kube_note(&k->object, MPG_WARNING, "unfinished_record",
                      MPG_STR("the file ends within a document: read up to there, as it is still "
                              "being written"),
                      err);
    return rc == MPG_OK ? MPG_DONE : rc;
  }
  return outside ? no_json(k, err) : MPG_DATA;
}

/* ---- The object at hand ---- */

static bool is_status(const mpg_kube_level *level) {
  const mpg_json_member *kind = mpg_kube_find(level, "kind");
  return kind != NULL && mpg_str_eq(kind->text, MPG_STR("Status"));
}

/* What the API server says instead of objects: in a watch it is worth knowing, alone it is all
** there is. */
static mpg_rc read_status(mpg_kube *k, bool in_watch, mpg_err *err) {
  const mpg_kube_level *top = &k->object.levels[MPG_KUBE_TOP];
  mpg_str message = mpg_kube_string(top, "message");
  const mpg_json_member *code = mpg_kube_find(top, "code");
  if (in_watch && code != NULL && mpg_str_eq(code->text, MPG_STR("410"))) /* Gone */
    k->breaks++;
  if (in_watch)
    return mpg_kube_note(&k->object, MPG_WARNING, "watch_error",
                         message.n > 0 ? message : MPG_STR("the watch ended with an error"), err);
  return mpg_fail(err, MPG_DATA,
                  "%s:%lld:1: expected objects of Kubernetes, found the API server's Status: %.*s",
                  k->object.path, (long long)k->object.line,
                  (int)(message.n < 400 ? message.n : 400), message.p);
}

/* An object inside another: an event of a watch; else, where the whole is none itself, what those
** write who record the API's Events (eventrouter), or Cloud Logging. */
static const mpg_json_member *object_inside(const mpg_kube_level *top) {
  static const char *const keys[] = {"object", "event", "jsonPayload"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const mpg_json_member *m = mpg_kube_find(top, keys[i]);
    if (m != NULL && m->kind == MPG_JSON_OBJECT &&
        (i == 0 || (mpg_kube_find(top, "kind") == NULL && mpg_kube_find(top, "metadata") == NULL)))
      return m;
  }
  return NULL;
}

/* Decodes the object in `text`, which may be inside another; *given if there is a row. */
static mpg_rc decode_text(mpg_kube *k, mpg_str text, bool *given, mpg_err *err) {
  mpg_kube_object *o = &k->object;
  mpg_json_member whole = {{"", 0}, MPG_JSON_OBJECT, text, 0, 0};
  const mpg_json_member *object;
  mpg_str event = {"", 0};
  mpg_rc rc = mpg_kube_open_level(o, MPG_KUBE_TOP, &whole, err);
  if (rc != MPG_OK)
    return rc;
  object = object_inside(&o->levels[MPG_KUBE_TOP]);
  if (object != NULL) {
    /* The level of the event still owns what the object borrows. */
    mpg_kube_level own = k->event;
    k->event = o->levels[MPG_KUBE_TOP];
    o->levels[MPG_KUBE_TOP] = own;
    if (mpg_str_eq(object->key, MPG_STR("object")))
      event = mpg_kube_string(&k->event, "type");
    rc = mpg_kube_open_level(o, MPG_KUBE_TOP, object, err);
  }
  if (rc == MPG_OK && is_status(&o->levels[MPG_KUBE_TOP]))
    return read_status(k, event.n > 0, err);
  if (rc == MPG_OK)
    rc = mpg_kube_decode(o, event, k->list_kind, err);
  if (rc == MPG_OK && event.n > 0 && k->breaks > 0)
    mpg_kube_give_int(o, MPG_KUBE_list, k->breaks);
  *given = rc == MPG_OK;
  return rc;
}

static mpg_rc decode_object(mpg_kube *k, mpg_str text, bool *given, mpg_err *err) {
  mpg_rc rc = decode_text(k, text, given, err);
  if (!k->object.poller.stopped)
    return rc;
  *given = false;
  return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
}

/* A member of a list that is not its items. */
static mpg_rc of_list(mpg_kube *k, mpg_str key, mpg_json_kind kind, mpg_str text, mpg_err *err) {
  mpg_kube_level *level = &k->object.levels[MPG_KUBE_A];
  mpg_json_member whole = {key, kind, text, 0, 0};
  const mpg_json_member *rest;
  mpg_rc rc;
  if (!mpg_str_eq(key, MPG_STR("metadata")) || kind != MPG_JSON_OBJECT)
    return MPG_OK;
  rc = mpg_kube_open_level(&k->object, MPG_KUBE_A, &whole, err);
  if (rc != MPG_OK || mpg_kube_string(level, "continue").n == 0)
    return rc;
  rest = mpg_kube_find(level, "remainingItemCount");
  return mpg_fail(
      err, MPG_DATA,
      "%s:%lld:1: expected a whole list, found one page of it (%s%.*s): get all pages, as "
      "kubectl does, or read them with on_error = 'skip'",
      k->object.path, (long long)k->begins,
      rest != NULL ? "items behind it: " : "it has a continue token",
      rest != NULL ? (int)(rest->text.n < 20 ? rest->text.n : 20) : 0,
      rest != NULL ? rest->text.p : "");
}

/* A member before the items of a list, or of an object that is no list. */
static mpg_rc copy_member(mpg_kube *k, mpg_str key, mpg_json_kind kind, mpg_str text,
                          mpg_err *err) {
  const size_t limit = (size_t)mpg_limit_in(k->text.env, MPG_LIMIT_RECORD_BYTES);
  mpg_rc rc = mpg_json_put_comma(&k->text);
  if (k->text.n + key.n + text.n > limit)
    return mpg_fail(err, MPG_LIMIT, "%s:%lld:1: object of more than %zu bytes", k->object.path,
                    (long long)k->begins, limit);
  if (rc == MPG_OK)
    rc = mpg_json_put_string(&k->text, key);
  if (rc == MPG_OK)
    rc = mpg_json_put(&k->text, MPG_STR(":"));
  if (rc == MPG_OK)
    rc = kind == MPG_JSON_STRING ? mpg_json_put_string(&k->text, text)
                                 : mpg_json_put(&k->text, text);
  if (rc == MPG_OK && kind == MPG_JSON_STRING && mpg_str_eq(key, MPG_STR("kind")) && text.n > 4 &&
      text.n < sizeof k->kind && memcmp(text.p + text.n - 4, "List", 4) == 0) {
    memcpy(k->kind, text.p, text.n - 4);
    k->list_kind = (mpg_str){k->kind, text.n - 4};
  }
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

static mpg_rc read_member(mpg_kube *k, const mpg_pull_item *item, mpg_err *err) {
  mpg_json_kind kind;
  mpg_str text;
  mpg_rc rc;
  if (item->first == '[' && mpg_str_eq(item->key, MPG_STR("items"))) {
    mpg_json_member members = {{"", 0}, MPG_JSON_OBJECT, {"", 0}, 0, 0};
    k->listed = true;
    k->lists++;
    k->places[mpg_pull_depth(k->pull)] = ITEMS;
    mpg_pull_enter(k->pull);
    /* What stood before the items may be the list's metadata. */
    rc = mpg_json_put(&k->text, MPG_STR("}"));
    if (rc != MPG_OK)
      return mpg_fail_nomem(err);
    members.text = (mpg_str){k->text.p, k->text.n};
    rc = mpg_kube_open_level(&k->object, MPG_KUBE_TOP, &members, err);
    if (rc == MPG_OK) {
      const mpg_json_member *m = mpg_kube_find(&k->object.levels[MPG_KUBE_TOP], "metadata");
      if (m != NULL)
        rc = of_list(k, m->key, m->kind, m->text, err);
    }
    return rc;
  }
  rc = mpg_pull_value(k->pull, &kind, &text, err);
  if (rc != MPG_OK)
    return handle_error(k, false, err);
  if (kind == MPG_JSON_NULL && mpg_str_eq(item->key, MPG_STR("items"))) { /* of an empty list */
    k->listed = true;
    return MPG_OK;
  }
  return k->listed ? of_list(k, item->key, kind, text, err)
                   : copy_member(k, item->key, kind, text, err);
}

/* Goes into the object, or array of objects, at hand. */
static mpg_rc enter_container(mpg_kube *k, const mpg_pull_item *item, mpg_err *err) {
  int depth = mpg_pull_depth(k->pull);
  if (item->first == '{') {
    k->places[depth] = OBJECT;
    k->begins = item->line;
    k->listed = false;
    k->list_kind = (mpg_str){"", 0};
    k->text.n = 0;
    if (mpg_json_put(&k->text, MPG_STR("{")) != MPG_OK)
      return mpg_fail_nomem(err);
  } else if (item->first == '[' && depth == 0) {
    k->places[depth] = ARRAY;
  } else {
    return mpg_fail(err, MPG_DATA,
                    "%s:%lld:%lld: expected an object of Kubernetes, found another value",
                    k->object.path, (long long)item->line, (long long)item->column);
  }
  mpg_pull_enter(k->pull);
  return MPG_OK;
}

static mpg_rc read_item(mpg_kube *k, const mpg_pull_item *item, bool *given, mpg_err *err) {
  mpg_json_kind kind;
  mpg_str text;
  mpg_rc rc;
  k->object.line = item->line;
  if (item->first != '{')
    return mpg_fail(err, MPG_DATA,
                    "%s:%lld:%lld: expected an object of Kubernetes, found another value",
                    k->object.path, (long long)item->line, (long long)item->column);
  if (mpg_pull_value(k->pull, &kind, &text, err) != MPG_OK)
    return handle_error(k, false, err);
  rc = decode_object(k, text, given, err);
  if (*given)
    mpg_kube_give_int(&k->object, MPG_KUBE_list, k->lists);
  return rc;
}

mpg_rc mpg_kube_next(mpg_kube *k, mpg_err *err) {
  bool given = false;
  mpg_rc rc = MPG_OK;
  while (rc == MPG_OK && !given) {
    mpg_pull_item item;
    int depth = mpg_pull_depth(k->pull);
    place in = depth == 0 ? ARRAY : k->places[depth - 1];
    rc = mpg_pull_next(k->pull, &item, err);
    if (rc == MPG_DONE && depth > 0) {
      rc = MPG_OK;
      if (in != OBJECT || k->listed)
        continue;
      k->object.line = k->begins;
      if (mpg_json_put(&k->text, MPG_STR("}")) != MPG_OK)
        return mpg_fail_nomem(err);
      rc = decode_object(k, (mpg_str){k->text.p, k->text.n}, &given, err);
    } else if (rc == MPG_OK) {
      rc = in == OBJECT  ? read_member(k, &item, err)
           : in == ITEMS ? read_item(k, &item, &given, err)
                         : enter_container(k, &item, err);
    } else if (rc != MPG_DONE) {
      rc = handle_error(k, depth == 0, err);
    }
  }
  return rc;
}
