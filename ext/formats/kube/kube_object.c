/* kube_object.c - see kube_object.h. */
#include "kube_object.h"
#include "../../base/number.h"
#include "../../base/text.h"
#include "../../base/time.h"

#include <stdio.h>
#include <string.h>

void mpg_kube_object_free(mpg_kube_object *o) {
  for (size_t i = 0; i < MPG_KUBE_LEVELS; i++)
    mpg_json_doc_free(o->levels[i].doc);
  for (size_t i = 0; i < MPG_KUBE_COUNT_OF_FIELDS; i++)
    mpg_json_text_free(&o->copies[i]);
}

/* ---- Levels ---- */

mpg_rc mpg_kube_open_level(mpg_kube_object *o, int i, const mpg_json_member *m, mpg_err *err) {
  mpg_kube_level *level = &o->levels[i];
  mpg_rc rc;
  level->m = NULL;
  level->n = 0;
  o->poller.env = o->env;
  level->poller = &o->poller;
  if (m == NULL || (m->kind != MPG_JSON_OBJECT && m->kind != MPG_JSON_ARRAY))
    return MPG_OK;
  rc = mpg_json_parse(&level->doc, o->env, o->path, m->text, &level->m, &level->n, err);
  if (rc != MPG_DATA) /* checked already except for keys that repeat */
    return rc;
  return mpg_fail(err, MPG_DATA, "%s:%lld:1: expected each key once in \"%.*s\", found one again",
                  o->path, (long long)o->line, (int)(m->key.n < 100 ? m->key.n : 100), m->key.p);
}

const mpg_json_member *mpg_kube_find(const mpg_kube_level *level, const char *key) {
  const mpg_str wanted = mpg_str_of(key);
  if (mpg_poller_stop(level->poller, level->n))
    return NULL;
  for (size_t i = 0; i < level->n; i++)
    if (mpg_str_eq(level->m[i].key, wanted))
      return level->m[i].kind == MPG_JSON_NULL ? NULL : &level->m[i];
  return NULL;
}

/* ---- Values ---- */

mpg_rc mpg_kube_note(const mpg_kube_object *o, mpg_severity severity, const char *kind,
                     mpg_str text, mpg_err *err) {
  if (o->issues != NULL && mpg_issues_add(o->issues, severity, o->path, kind, o->line, 1, "%.*s",
                                          (int)(text.n < 400 ? text.n : 400), text.p) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

mpg_rc mpg_kube_unexpected(const mpg_kube_object *o, const char *key, const char *expected,
                           mpg_str found, mpg_err *err) {
  char excerpt[MPG_EXCERPT];
  mpg_text_excerpt(found, excerpt);
  return mpg_fail(err, MPG_DATA, "%s:%lld:1: expected %s for \"%s\", found \"%s\"", o->path,
                  (long long)o->line, expected, key, excerpt);
}

void mpg_kube_give_text(mpg_kube_object *o, size_t field, mpg_str s) {
  if (s.n > 0)
    o->values[field] = (mpg_value){MPG_TEXT, 0, 0.0, s};
}

void mpg_kube_give_int(mpg_kube_object *o, size_t field, int64_t i) {
  o->values[field] = (mpg_value){MPG_INT, i, 0.0, {NULL, 0}};
}

mpg_rc mpg_kube_keep(mpg_kube_object *o, size_t field, mpg_str s) {
  mpg_json_text *copies = &o->copies[field];
  mpg_rc rc = mpg_json_put(copies, s);
  if (rc == MPG_OK)
    mpg_kube_give_text(o, field, (mpg_str){copies->p, copies->n});
  return rc;
}

bool mpg_kube_is(const mpg_kube_object *o, size_t field, const char *s) {
  return o->values[field].type == MPG_TEXT && mpg_str_eq(o->values[field].s, mpg_str_of(s));
}

bool mpg_kube_is_volcano(const mpg_kube_object *o) {
  const mpg_value *version = &o->values[MPG_KUBE_apiVersion];
  return mpg_kube_is(o, MPG_KUBE_kind, "Job") && version->type == MPG_TEXT && version->s.n > 17 &&
         memcmp(version->s.p, "batch.volcano.sh/", 17) == 0;
}

mpg_str mpg_kube_string(const mpg_kube_level *level, const char *key) {
  const mpg_json_member *m = mpg_kube_find(level, key);
  return m != NULL && m->kind == MPG_JSON_STRING ? m->text : (mpg_str){"", 0};
}

bool mpg_kube_contains(mpg_str s, const char *part) {
  size_t n = strlen(part);
  for (size_t i = 0; i + n <= s.n; i++)
    if (mpg_str_eq_nocase((mpg_str){s.p + i, n}, (mpg_str){part, n}))
      return true;
  return false;
}
