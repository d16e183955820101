/*
** json_first.c - json_first(object, name, ...): the value of the first of these members that an
** object has and that is not null; NULL if there is none, or if `object` is NULL.
**
** What coalesce(json_extract(object, '$."name"'), ...) gives, in one pass: a number as INTEGER or
** REAL, a text, true and false as 1 and 0, an array or object as its JSON. Of members with one name
** the first that is not null counts. Errors: no JSON object, no name or more than 126.
*/
#include "../connection.h"
#include "../results.h"
#include "../../base/number.h"
#include "../../base/text.h"
#include "../../read/parse/json_tokens.h"

#include <math.h>

#define MOST_NAMES 126 /* what SQLite hands over behind the object, unless built otherwise */

typedef struct found {
  int place; /* of its name; as many as there are names: none is found yet */
  mpg_json_kind kind;
  mpg_str text; /* as written, borrowed */
} found;

/* The place of a key, `raw`, among the first n names; n: it is none of them. -1: no memory. */
static int place_of(const mpg_str *names, int n, mpg_str raw, bool escaped) {
  mpg_str key = raw;
  char *copy = NULL;
  int place = 0;
  if (escaped) {
    copy = sqlite3_malloc64(raw.n);
    if (copy == NULL)
      return -1;
    key = (mpg_str){copy, mpg_json_unescape(copy, raw, NULL)};
  }
  while (place < n && !mpg_str_eq(names[place], key))
    place++;
  sqlite3_free(copy);
  return place;
}

/* Looks through the object at p; behind a name that was found no other counts. Returns the position
** after the object; NULL: the scan has the fault. */
static const char *find_first(mpg_json_scan *s, const char *p, const mpg_str *names, found *out) {
  const char *start = p;
  p = p < s->end && *p == '{' ? mpg_json_space(p + 1, s->end) : NULL;
  if (p != NULL && p < s->end && *p == '}')
    return p + 1;
  while (p != NULL && p < s->end && *p == '"') {
    mpg_str key = {p + 1, 0}, text;
    mpg_json_kind kind;
    bool escaped = false;
    int place;
    if ((p = mpg_json_string(s, key.p, &escaped)) == NULL)
      return NULL;
    key.n = (size_t)(p - key.p) - 1;
    if ((place = place_of(names, out->place, key, escaped)) < 0) {
      s->rc = MPG_NOMEM;
      return NULL;
    }
    p = mpg_json_space(p, s->end);
    if (p == s->end || *p != ':')
      break;
    text.p = mpg_json_space(p + 1, s->end);
    if ((p = mpg_json_value(s, text.p, 1, &kind)) == NULL)
      return NULL;
    text.n = (size_t)(p - text.p);
    if (place < out->place && kind != MPG_JSON_NULL)
      *out = (found){place, kind, text};
    p = mpg_json_space(p, s->end);
    if (p < s->end && *p == '}')
      return p + 1;
    p = p < s->end && *p == ',' ? mpg_json_space(p + 1, s->end) : NULL;
  }
  s->rc = MPG_DATA;
  s->at = p == NULL ? start : p;
  return NULL;
}

static void give_text(sqlite3_context *context, mpg_str raw) {
  char *copy;
  if (memchr(raw.p, '\\', raw.n) == NULL) {
    sqlite3_result_text64(context, raw.p, raw.n, SQLITE_TRANSIENT, SQLITE_UTF8);
    return;
  }
  copy = sqlite3_malloc64(raw.n);
  if (copy == NULL)
    sqlite3_result_error_nomem(context);
  else
    sqlite3_result_text64(context, copy, mpg_json_unescape(copy, raw, NULL), sqlite3_free,
                          SQLITE_UTF8);
}

static void give_number(sqlite3_context *context, mpg_str text) {
  int64_t i;
  double r;
  if (mpg_int_parse(text, &i))
    sqlite3_result_int64(context, i);
  else
    sqlite3_result_double(context, mpg_real_parse(text, &r) ? r
                                   : *text.p == '-'         ? -HUGE_VAL
                                                            : HUGE_VAL);
}

static void give_value(sqlite3_context *context, const found *value) {
  switch (value->kind) {
  case MPG_JSON_NULL:
  case MPG_JSON_NAN:
    break;
  case MPG_JSON_FALSE:
  case MPG_JSON_TRUE:
    sqlite3_result_int(context, value->kind == MPG_JSON_TRUE);
    break;
  case MPG_JSON_NUMBER:
    give_number(context, value->text);
    break;
  case MPG_JSON_STRING:
    give_text(context, (mpg_str){value->text.p + 1, value->text.n - 2});
    break;
  case MPG_JSON_ARRAY:
  case MPG_JSON_OBJECT:
    sqlite3_result_text64(context, value->text.p, value->text.n, SQLITE_TRANSIENT, SQLITE_UTF8);
    break;
  }
}

/* SQLITE_MISUSE: too few or too many; SQLITE_NOMEM. A NULL is the name of no member. */
static int read_names(int n, sqlite3_value **args, mpg_str *names) {
  if (n < 2 || n - 1 > MOST_NAMES)
    return SQLITE_MISUSE;
  for (int i = 1; i < n; i++) {
    names[i - 1] = (mpg_str){NULL, SIZE_MAX};
    if (sqlite3_value_type(args[i]) == SQLITE_NULL)
      continue;
    names[i - 1].p = (const char *)sqlite3_value_text(args[i]);
    names[i - 1].n = (size_t)sqlite3_value_bytes(args[i]);
    if (names[i - 1].p == NULL)
      return SQLITE_NOMEM;
  }
  return SQLITE_OK;
}

static void fail(sqlite3_context *context, const mpg_value *object) {
  mpg_err err;
  (void)mpg_fail_expected(&err, "a JSON object", object);
  mpg_result_failure(context, &err);
}

static void first_function(sqlite3_context *context, int n, sqlite3_value **args) {
  mpg_str names[MOST_NAMES];
  mpg_json_scan s = {.rc = MPG_DATA};
  found first = {n - 1, MPG_JSON_NULL, {NULL, 0}};
  const char *end = NULL;
  mpg_value object;
  int rc = read_names(n, args, names);
  if (rc == SQLITE_MISUSE) {
    sqlite3_result_error(context, "json_first: expected an object and 1 to 126 names", -1);
    return;
  }
  object = mpg_value_of(args[0]);
  if (object.type == MPG_NULL)
    return;
  if (rc == SQLITE_OK && object.type == MPG_TEXT) {
    s.end = object.s.p + object.s.n;
    end = find_first(&s, mpg_json_space(object.s.p, s.end), names, &first);
  }
  if (rc == SQLITE_NOMEM || s.rc == MPG_NOMEM)
    sqlite3_result_error_nomem(context);
  else if (end != NULL && mpg_json_space(end, s.end) == s.end)
    give_value(context, &first);
  else
    fail(context, &object);
}

int mpg_register_json_first(mpg_conn *conn, char **error) {
  static const mpg_function table[] = {
      {"json_first", -1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, 0, first_function, NULL, NULL,
       NULL, NULL},
  };
  return mpg_register_functions(conn, table, sizeof table / sizeof *table, error);
}
