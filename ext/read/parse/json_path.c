/* json_path.c - see json_path.h. */
#include "json_path.h"
#include "../../base/number.h"
#include "../../base/text.h"

#include <string.h>

typedef struct step {
  bool is_index, from_end;
  mpg_str name; /* in the path's own memory */
  int64_t index;
} step;

struct mpg_json_path {
  size_t n;
  step steps[MPG_JSON_STEPS];
  char text[]; /* of the names */
};

static mpg_rc no_path(mpg_str text, size_t at, const char *expected, mpg_err *err) {
  char found[MPG_EXCERPT];
  mpg_text_excerpt(text, found);
  return mpg_fail(err, MPG_MISUSE, "path \"%s\": expected %s at byte %zu", found, expected, at + 1);
}

/* A name after the dot at `at`; moves `at` after it and *used on. */
static mpg_rc read_name(mpg_json_path *path, mpg_str text, size_t *at, size_t *used, mpg_err *err) {
  step *s = &path->steps[path->n];
  char *to = path->text + *used;
  size_t i = *at + 1, n = 0;
  if (i < text.n && text.p[i] == '"') {
    for (i++; i < text.n && text.p[i] != '"'; i++) {
      if (text.p[i] == '\\' && i + 1 < text.n)
        i++;
      to[n++] = text.p[i];
    }
    if (i == text.n)
      return no_path(text, i, "a closing quote", err);
    i++;
  } else {
    while (i < text.n && text.p[i] != '.' && text.p[i] != '[')
      to[n++] = text.p[i++];
    if (n == 0)
      return no_path(text, i, "a name behind the dot", err);
  }
  s->is_index = false;
  s->name = (mpg_str){to, n};
  *used += n;
  *at = i;
  return MPG_OK;
}

static mpg_rc read_index(mpg_json_path *path, mpg_str text, size_t *at, mpg_err *err) {
  step *s = &path->steps[path->n];
  const char *close = memchr(text.p + *at, ']', text.n - *at);
  size_t from = *at + 1;
  s->is_index = true;
  s->from_end = close != NULL && text.n - from > 2 && memcmp(text.p + from, "#-", 2) == 0;
  from += s->from_end ? 2 : 0;
  if (close == NULL ||
      !mpg_int_parse((mpg_str){text.p + from, (size_t)(close - text.p) - from}, &s->index) ||
      s->index < 0 || (s->from_end && s->index == 0))
    return no_path(text, from, "a number and ']'", err);
  *at = (size_t)(close - text.p) + 1;
  return MPG_OK;
}

mpg_rc mpg_json_path_compile(mpg_json_path **out, const mpg_env *env, mpg_str text, mpg_err *err) {
  mpg_json_path *path;
  size_t at = 1, used = 0;
  mpg_rc rc = MPG_OK;
  *out = NULL;
  if (text.n == 0 || text.p[0] != '$')
    return no_path(text, 0, "'$'", err);
  path = mpg_calloc(env, sizeof *path + text.n);
  if (path == NULL)
    return mpg_fail_nomem(err);
  while (rc == MPG_OK && at < text.n) {
    if (path->n == MPG_JSON_STEPS)
      rc = no_path(text, at, "at most 32 steps", err);
    else if (text.p[at] == '.')
      rc = read_name(path, text, &at, &used, err);
    else if (text.p[at] == '[')
      rc = read_index(path, text, &at, err);
    else
      rc = no_path(text, at, "'.' or '['", err);
    path->n++;
  }
  if (rc == MPG_OK && path->n == 0)
    rc = no_path(text, at, "'.' or '['", err);
  if (rc != MPG_OK) {
    mpg_free(env, path);
    return rc;
  }
  *out = path;
  return MPG_OK;
}

mpg_rc mpg_json_path_of_member(mpg_json_path **out, const mpg_env *env, mpg_str name,
                               mpg_err *err) {
  mpg_json_path *path = mpg_calloc(env, sizeof *path + name.n);
  *out = path;
  if (path == NULL)
    return mpg_fail_nomem(err);
  if (name.n > 0)
    memcpy(path->text, name.p, name.n);
  path->steps[0].name = (mpg_str){path->text, name.n};
  path->n = 1;
  return MPG_OK;
}

void mpg_json_path_free(mpg_json_path *path, const mpg_env *env) {
  mpg_free(env, path);
}

void mpg_json_docs_free(mpg_json_docs *docs) {
  for (size_t i = 0; i < MPG_JSON_STEPS; i++)
    mpg_json_doc_free(docs->doc[i]);
  memset(docs, 0, sizeof *docs);
}

/* The member that step `s` names; `hint` is the index to try first. */
static const mpg_json_member *find_member(const step *s, const mpg_json_member *members, size_t n,
                                          size_t hint) {
  if (s->is_index) {
    uint64_t i = (uint64_t)s->index;
    if (i > n || (!s->from_end && i == n))
      return NULL;
    return &members[s->from_end ? n - i : i];
  }
  if (hint < n && mpg_str_eq(members[hint].key, s->name))
    return &members[hint];
  for (size_t i = 0; i < n; i++)
    if (mpg_str_eq(members[i].key, s->name))
      return &members[i];
  return NULL;
}

mpg_rc mpg_json_path_find(const mpg_json_path *path, mpg_json_docs *docs, const mpg_env *env,
                          const mpg_json_member *members, size_t n, size_t *hint,
                          const mpg_json_member **out, mpg_err *err) {
  *out = NULL;
  for (size_t i = 0; i < path->n; i++) {
    const step *s = &path->steps[i];
    const mpg_json_member *m;
    mpg_rc rc;
    if (i > 0) {
      m = *out;
      *out = NULL;
      if (m->kind != (s->is_index ? MPG_JSON_ARRAY : MPG_JSON_OBJECT))
        return MPG_OK;
      rc = mpg_json_parse(&docs->doc[i], env, "value", m->text, &members, &n, err);
      if (rc != MPG_OK)
        return rc;
    } else if (s->is_index) {
      return MPG_OK; /* a record is an object */
    }
    m = find_member(s, members, n, i == 0 ? *hint : 0);
    if (m == NULL)
      return MPG_OK;
    if (i == 0)
      *hint = (size_t)(m - members);
    *out = m;
  }
  return MPG_OK;
}
