/*
** json_first.c - json_first(object, name, ...): the value of the first of these members that an
** object has and that is not null; NULL if there is none, or if `object` is NULL. Names may come as
** one JSON array: one that is constant is read once in a statement.
**
** What coalesce(json_extract(object, '$."name"'), ...) gives, in one pass: a number as INTEGER or
** REAL, a text, true and false as 1 and 0, an array or object as its JSON. Of members with one name
** the first that is not null counts. Errors: no JSON object, no name or more than 126.
**
** `object` may also be the hidden column _record of jsonl_trace (json_row.h): its members are known
** already, and no text is copied.
*/
#include "../connection.h"
#include "../json_row.h"
#include "../results.h"
#include "../../base/number.h"
#include "../../base/text.h"
#include "../../read/parse/json_tokens.h"

#include <math.h>
#include <string.h>

#define MOST_NAMES 126 /* what SQLite hands over behind the object, unless built otherwise */
#define MOST_BYTES 16384
#define MOST_MEMBERS 256
#define MARKS 256

typedef struct member {
  mpg_str key, text; /* as written */
  mpg_json_kind kind;
  bool escaped; /* the key is */
} member;

/* The last object, if it is no longer than this, and its members, which point into its text. */
struct mpg_last_object {
  size_t length; /* of the text; 0: none is remembered */
  size_t n;      /* members; more than MOST_MEMBERS: none is remembered */
  member members[MOST_MEMBERS];
  char text[MOST_BYTES];
};

typedef struct wanted {
  int n;
  uint64_t marks[MARKS / 64]; /* a bit for what mark_of() says of each name */
  char *text;                 /* where those of an array go; NULL: they are counted */
  mpg_str *names;             /* a NULL is the name of no member */
} wanted;

typedef struct found {
  int place; /* of its name; as many as there are names: none is found yet */
  mpg_json_kind kind;
  mpg_str text;  /* as written, borrowed */
  bool is_plain; /* it has no quotes and no escapes */
} found;

/* A number below MARKS, of most keys another one. */
static inline unsigned mark_of(mpg_str key) {
  const unsigned char *p = (const unsigned char *)key.p;
  if (key.n == 0)
    return 0;
  return (p[0] + 5U * p[key.n - 1] + 31U * p[key.n / 2] + 7U * (unsigned)key.n) % MARKS;
}

static inline bool may_be_named(const wanted *names, mpg_str key) {
  const unsigned mark = mark_of(key);
  return (names->marks[mark / 64] >> mark % 64 & 1) != 0;
}

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
  while (place < n && (names[place].n != key.n || !mpg_str_eq(names[place], key)))
    place++;
  sqlite3_free(copy);
  return place;
}

/* Behind a name that was found no other counts. false: no memory. */
static inline bool look_at(const member *m, const wanted *names, found *out) {
  int place;
  if (!m->escaped && !may_be_named(names, m->key))
    return true;
  place = place_of(names->names, out->place, m->key, m->escaped);
  if (place >= 0 && place < out->place && m->kind != MPG_JSON_NULL)
    *out = (found){place, m->kind, m->text, false};
  return place >= 0;
}

static void find_in_row(const mpg_json_row *row, const wanted *names, found *out) {
  for (size_t i = 0; i < row->n && out->place > 0; i++) {
    const mpg_json_member *m = &row->members[i];
    int place;
    if (!may_be_named(names, m->key) || m->kind == MPG_JSON_NULL || m->kind == MPG_JSON_NAN)
      continue;
    place = place_of(names->names, out->place, m->key, false);
    if (place < out->place)
      *out = (found){place, m->kind, m->text, true};
  }
}

/* Looks through the object at p, and remembers its members unless `last` is NULL. Returns the
** position after the object; NULL: the scan has the fault. */
static const char *find_first(mpg_json_scan *s, const char *p, const wanted *names, found *out,
                              struct mpg_last_object *last) {
  const char *start = p;
  p = p < s->end && *p == '{' ? mpg_json_space(p + 1, s->end) : NULL;
  if (p != NULL && p < s->end && *p == '}')
    return p + 1;
  while (p != NULL && p < s->end && *p == '"') {
    member m = {.key = {p + 1, 0}};
    if ((p = mpg_json_string(s, m.key.p, &m.escaped)) == NULL)
      return NULL;
    m.key.n = (size_t)(p - m.key.p) - 1;
    p = mpg_json_space(p, s->end);
    if (p == s->end || *p != ':')
      break;
    m.text.p = mpg_json_space(p + 1, s->end);
    if ((p = mpg_json_value(s, m.text.p, 1, &m.kind)) == NULL)
      return NULL;
    m.text.n = (size_t)(p - m.text.p);
    if (!look_at(&m, names, out)) {
      s->rc = MPG_NOMEM;
      return NULL;
    }
    if (last != NULL && last->n < MOST_MEMBERS)
      last->members[last->n] = m;
    if (last != NULL && last->n <= MOST_MEMBERS)
      last->n++;
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
    if (value->is_plain)
      sqlite3_result_text64(context, value->text.p, value->text.n, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
      give_text(context, (mpg_str){value->text.p + 1, value->text.n - 2});
    break;
  case MPG_JSON_ARRAY:
  case MPG_JSON_OBJECT:
    sqlite3_result_text64(context, value->text.p, value->text.n, SQLITE_TRANSIENT, SQLITE_UTF8);
    break;
  }
}

static void add_name(wanted *names, mpg_str name) {
  names->names[names->n++] = name;
  if (name.p != NULL)
    names->marks[mark_of(name) / 64] |= UINT64_C(1) << mark_of(name) % 64;
}

/* The names that arguments are, in `names`, which has room. SQLITE_MISUSE: too few or too many;
** SQLITE_NOMEM. */
static int read_names(int n, sqlite3_value **args, wanted *names) {
  if (n < 2 || n - 1 > MOST_NAMES)
    return SQLITE_MISUSE;
  for (int i = 1; i < n; i++) {
    const char *p = (const char *)sqlite3_value_text(args[i]);
    if (p == NULL && sqlite3_value_type(args[i]) != SQLITE_NULL)
      return SQLITE_NOMEM;
    add_name(names, (mpg_str){p, p == NULL ? SIZE_MAX : (size_t)sqlite3_value_bytes(args[i])});
  }
  return SQLITE_OK;
}

/* Adds the names of an array of texts, or only counts them, where it has no text. false: it is none
** of texts alone. */
static bool read_array(mpg_str array, wanted *names) {
  mpg_json_scan s = {.end = array.p + array.n, .rc = MPG_DATA};
  char *to = names->text;
  const char *p = mpg_json_space(array.p + 1, s.end);
  for (bool first = true; p < s.end && *p != ']'; first = false) {
    mpg_str raw;
    bool escaped = false;
    if (!first && *p++ != ',')
      return false;
    p = mpg_json_space(p, s.end);
    if (p == s.end || *p != '"')
      return false;
    raw.p = p + 1;
    if ((p = mpg_json_string(&s, raw.p, &escaped)) == NULL)
      return false;
    raw.n = (size_t)(p - raw.p) - 1;
    p = mpg_json_space(p, s.end);
    if (to == NULL) {
      names->n++;
      continue;
    }
    add_name(names, (mpg_str){to, mpg_json_unescape(to, raw, NULL)});
    to += names->names[names->n - 1].n;
  }
  return p < s.end && mpg_json_space(p + 1, s.end) == s.end;
}

/* The names of an array, which SQLite keeps with an argument that is constant, or NULL: it is no
** array of texts. false: no memory. */
static bool of_array(sqlite3_context *context, sqlite3_value *arg, const wanted **out) {
  wanted counted = {0}, *names;
  mpg_str array = {NULL, 0};
  *out = NULL;
  if (sqlite3_value_type(arg) == SQLITE_TEXT)
    array.p = (const char *)sqlite3_value_text(arg);
  if (array.p == NULL || array.p[0] != '[')
    return true;
  *out = sqlite3_get_auxdata(context, 1);
  if (*out != NULL)
    return true;
  array.n = (size_t)sqlite3_value_bytes(arg);
  if (!read_array(array, &counted))
    return true;
  names = sqlite3_malloc64(sizeof *names + (size_t)counted.n * sizeof *names->names + array.n);
  if (names == NULL)
    return false;
  *names = (wanted){.names = (mpg_str *)(names + 1)};
  names->text = (char *)(names->names + counted.n);
  (void)read_array(array, names);
  sqlite3_set_auxdata(context, 1, names, sqlite3_free);
  *out = sqlite3_get_auxdata(context, 1);
  return *out != NULL; /* else there was no memory to keep it, and it is freed */
}

static void fail(sqlite3_context *context, const mpg_value *object) {
  mpg_err err;
  (void)mpg_fail_expected(&err, "a JSON object", object);
  mpg_result_failure(context, &err);
}

static void forget(mpg_conn *conn) {
  sqlite3_free(conn->last_object);
}

/* The value of the first name. MPG_DATA: this is no object. */
static mpg_rc find_in(mpg_conn *conn, mpg_str object, const wanted *names, found *first) {
  mpg_json_scan s = {.rc = MPG_DATA};
  struct mpg_last_object *last = conn->last_object;
  const char *end;
  if (last != NULL && last->length > 0 && last->length == object.n &&
      memcmp(last->text, object.p, object.n) == 0) {
    for (size_t i = 0; i < last->n && first->place > 0; i++)
      if (!look_at(&last->members[i], names, first))
        return MPG_NOMEM;
    return MPG_OK;
  }
  if (last == NULL) {
    last = conn->last_object = sqlite3_malloc64(sizeof *last);
    if (last == NULL)
      return MPG_NOMEM;
    mpg_conn_on_close(conn, forget);
  }
  last->length = last->n = 0;
  if (object.n <= MOST_BYTES)
    object.p = memcpy(last->text, object.p, object.n);
  else
    last = NULL;
  s.end = object.p + object.n;
  end = find_first(&s, mpg_json_space(object.p, s.end), names, first, last);
  if (end == NULL || mpg_json_space(end, s.end) != s.end)
    return s.rc == MPG_NOMEM ? MPG_NOMEM : MPG_DATA;
  if (last != NULL && last->n <= MOST_MEMBERS)
    last->length = object.n;
  return MPG_OK;
}

/* The value of the first of the names that the object has. */
static void give_first(sqlite3_context *context, sqlite3_value *arg, const wanted *names) {
  const mpg_json_row *row = sqlite3_value_pointer(arg, MPG_JSON_ROW);
  const mpg_value object = mpg_value_of(arg);
  found first = {names->n, MPG_JSON_NULL, {NULL, 0}, false};
  mpg_rc rc;
  if (row != NULL) {
    find_in_row(row, names, &first);
    give_value(context, &first);
  }
  if (object.type == MPG_NULL)
    return;
  rc = object.type == MPG_TEXT ? find_in(mpg_conn_of(context), object.s, names, &first) : MPG_DATA;
  if (rc == MPG_NOMEM)
    sqlite3_result_error_nomem(context);
  else if (rc == MPG_OK)
    give_value(context, &first);
  else
    fail(context, &object);
}

static void first_function(sqlite3_context *context, int n, sqlite3_value **args) {
  mpg_str own[MOST_NAMES];
  wanted names = {.names = own};
  const wanted *array = NULL;
  int rc = SQLITE_OK;
  if (n == 2 && !of_array(context, args[1], &array))
    rc = SQLITE_NOMEM;
  if (rc == SQLITE_OK && array == NULL)
    rc = read_names(n, args, &names);
  if (rc == SQLITE_MISUSE)
    sqlite3_result_error(context, "json_first: expected an object and 1 to 126 names", -1);
  else if (rc == SQLITE_NOMEM)
    sqlite3_result_error_nomem(context);
  else
    give_first(context, args[0], array == NULL ? &names : array);
}

int mpg_register_json_first(mpg_conn *conn, char **error) {
  static const mpg_function table[] = {
      {"json_first", -1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, 0, first_function, NULL, NULL,
       NULL, NULL},
  };
  return mpg_register_functions(conn, table, sizeof table / sizeof *table, error);
}
