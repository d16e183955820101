/* columns.c - see columns.h. */
#include "columns.h"
#include "../../base/ascii.h"
#include "../../base/number.h"
#include "../../base/text.h"
#include "../../base/time.h"

#include <float.h>
#include <string.h>

void mpg_columns_init(mpg_columns *columns, const mpg_env *env) {
  memset(columns, 0, sizeof *columns);
  columns->env = env;
}

void mpg_columns_free(mpg_columns *columns) {
  for (size_t i = 0; i < columns->n; i++) {
    mpg_free(columns->env, (void *)(uintptr_t)columns->p[i].name.p);
    mpg_json_path_free(columns->p[i].path, columns->env);
  }
  mpg_free(columns->env, columns->p);
  mpg_free(columns->env, columns->slots);
  mpg_columns_init(columns, columns->env);
}

/* ---- Finding a name ---- */

#define A_FEW 16 /* which are looked through */

static uint64_t hash_of(const mpg_columns *columns, mpg_str name) {
  /* FNV-1a (Fowler, Noll, Vo), letters in one case */
  uint64_t h = UINT64_C(0xcbf29ce484222325) ^ columns->env->seed;
  for (size_t i = 0; i < name.n; i++) {
    unsigned char c = (unsigned char)name.p[i];
    h = (h ^ (c >= 'A' && c <= 'Z' ? c + 32u : c)) * UINT64_C(0x100000001b3);
  }
  return h ^ h >> 32;
}

static void enter_name(mpg_columns *columns, size_t k) {
  size_t i = hash_of(columns, columns->p[k].name) & (columns->n_slots - 1);
  while (columns->slots[i] != 0)
    i = (i + 1) & (columns->n_slots - 1);
  columns->slots[i] = (uint32_t)k + 1;
}

/* The names so far, which do not change any more. */
static mpg_rc enter_all(mpg_columns *columns) {
  if (columns->n < A_FEW)
    return MPG_OK;
  if (columns->n * 2 >= columns->n_slots) {
    size_t n = columns->n_slots == 0 ? (size_t)4 * A_FEW : 2 * columns->n_slots;
    uint32_t *slots = mpg_calloc(columns->env, n * sizeof *slots);
    if (slots == NULL)
      return MPG_NOMEM;
    mpg_free(columns->env, columns->slots);
    columns->slots = slots;
    columns->n_slots = n;
    columns->n_indexed = 0;
  }
  while (columns->n_indexed < columns->n)
    enter_name(columns, columns->n_indexed++);
  return MPG_OK;
}

mpg_rc mpg_columns_add(mpg_columns *columns, mpg_str name, mpg_column_type type,
                       mpg_json_path *path, mpg_err *err) {
  char *copy;
  if (enter_all(columns) != MPG_OK || mpg_grow(columns->env, &columns->p, &columns->cap,
                                               columns->n + 1, sizeof *columns->p) != MPG_OK)
    return mpg_fail_nomem(err);
  copy = mpg_malloc(columns->env, name.n);
  if (copy == NULL)
    return mpg_fail_nomem(err);
  if (name.n > 0)
    memcpy(copy, name.p, name.n);
  columns->p[columns->n++] = (mpg_column){{copy, name.n}, type, false, path};
  return MPG_OK;
}

size_t mpg_columns_find(const mpg_columns *columns, mpg_str name) {
  size_t i = columns->n_indexed, at;
  if (i > 0) {
    at = hash_of(columns, name) & (columns->n_slots - 1);
    for (; columns->slots[at] != 0; at = (at + 1) & (columns->n_slots - 1))
      if (mpg_str_eq_nocase(columns->p[columns->slots[at] - 1].name, name))
        return columns->slots[at] - 1;
  }
  while (i < columns->n && !mpg_str_eq_nocase(columns->p[i].name, name))
    i++;
  return i;
}

/* ---- Lists in text ---- */

static mpg_str trim(mpg_str s) {
  while (s.n > 0 && mpg_is_json_space(s.p[s.n - 1]))
    s.n--;
  while (s.n > 0 && mpg_is_json_space(*s.p)) {
    s.p++;
    s.n--;
  }
  return s;
}

/* The position after the quoted text that opens at p[at]; n if it never closes. */
static size_t quoted_end(mpg_str s, size_t at) {
  for (at++; at < s.n; at++)
    if (s.p[at] == '"' && (at + 1 == s.n || s.p[at + 1] != '"'))
      return at + 1;
    else if (s.p[at] == '"')
      at++;
  return s.n;
}

/* The next piece of *rest up to `stop` (a comma, or ' ' for any white space) outside quotes. */
static mpg_str next_piece(mpg_str *rest, char stop) {
  mpg_str s = *rest;
  size_t i = 0;
  while (i < s.n && !(stop == ' ' ? mpg_is_json_space(s.p[i]) : s.p[i] == stop))
    i = s.p[i] == '"' ? quoted_end(s, i) : i + 1;
  *rest = i < s.n ? (mpg_str){s.p + i + 1, s.n - i - 1} : (mpg_str){s.p + s.n, 0};
  return trim((mpg_str){s.p, i});
}

static mpg_rc unexpected(const char *expected, mpg_str found, mpg_err *err) {
  char text[MPG_EXCERPT];
  mpg_text_excerpt(found, text);
  return mpg_fail(err, MPG_MISUSE, "expected %s, found \"%s\"", expected, text);
}

/* Adds a column, its name out of its quotes. The path is freed in an error. */
static mpg_rc add_column(mpg_columns *columns, mpg_str name, mpg_column_type type,
                         mpg_json_path *path, mpg_err *err) {
  char *to;
  size_t n = 0;
  mpg_rc rc;
  if (name.n >= 2 && name.p[0] == '"' && name.p[name.n - 1] == '"')
    name = (mpg_str){name.p + 1, name.n - 2};
  rc = mpg_columns_add(columns, name, type, path, err);
  if (rc != MPG_OK) {
    mpg_json_path_free(path, columns->env);
    return rc;
  }
  to = (char *)(uintptr_t)columns->p[columns->n - 1].name.p;
  for (size_t i = 0; i < name.n; i++) {
    to[n++] = name.p[i];
    i += name.p[i] == '"' && i + 1 < name.n && name.p[i + 1] == '"';
  }
  columns->p[columns->n - 1].name.n = n;
  if (mpg_columns_find(columns, (mpg_str){to, n}) < columns->n - 1)
    return unexpected("names that differ", name, err);
  return MPG_OK;
}

static mpg_rc parse_element(mpg_columns *columns, mpg_str element, mpg_columns_form form,
                            mpg_err *err) {
  mpg_str rest = element, name = element, word;
  mpg_column_type type = MPG_COLUMN_FOUND;
  mpg_json_path *path = NULL;
  mpg_rc rc;
  if (form != MPG_COLUMNS_NAMES)
    name = next_piece(&rest, ' ');
  if (name.n == 0)
    return unexpected("a name", element, err);
  if (form == MPG_COLUMNS_NAMES)
    return add_column(columns, name, type, NULL, err);
  rest = trim(rest);
  if (form == MPG_COLUMNS_PATHS && rest.n > 0 && *rest.p == '$') {
    word = next_piece(&rest, ' ');
    if ((rc = mpg_json_path_compile(&path, columns->env, word, err)) != MPG_OK)
      return rc;
    rest = trim(rest);
  }
  if ((rest.n > 0 || form == MPG_COLUMNS_TYPES) && !mpg_column_type_parse(rest, &type)) {
    mpg_json_path_free(path, columns->env);
    return unexpected(
        form == MPG_COLUMNS_PATHS
            ? "NAME, NAME $.PATH, NAME TYPE or NAME $.PATH TYPE, with BIGINT, REAL, TEXT or "
              "TIME as the type"
            : "NAME and BIGINT, REAL, TEXT or TIME",
        element, err);
  }
  return add_column(columns, name, type, path, err);
}

mpg_rc mpg_columns_parse(mpg_columns *columns, mpg_str text, mpg_columns_form form, mpg_err *err) {
  mpg_str rest = text;
  mpg_rc rc = MPG_OK;
  do {
    bool more;
    mpg_str element = next_piece(&rest, ',');
    more = rest.p > text.p && rest.p[-1] == ',';
    rc = parse_element(columns, element, form, err);
    if (!more)
      break;
  } while (rc == MPG_OK);
  return rc;
}

static const struct {
  const char *name;
  mpg_column_type type;
} type_names[] = {{"BIGINT", MPG_COLUMN_BIGINT},  {"REAL", MPG_COLUMN_REAL},
                  {"TEXT", MPG_COLUMN_TEXT},      {"TIME", MPG_COLUMN_TIME},
                  {"INTEGER", MPG_COLUMN_BIGINT}, {"INT", MPG_COLUMN_BIGINT},
                  {"DOUBLE", MPG_COLUMN_REAL},    {"FLOAT", MPG_COLUMN_REAL},
                  {"VARCHAR", MPG_COLUMN_TEXT},   {"TIMESTAMP", MPG_COLUMN_TIME}};
#define TYPE_NAMES (sizeof type_names / sizeof *type_names)

bool mpg_column_type_parse(mpg_str word, mpg_column_type *out) {
  for (size_t i = 0; i < TYPE_NAMES; i++)
    if (mpg_str_eq_nocase(word, mpg_str_of(type_names[i].name))) {
      *out = type_names[i].type;
      return true;
    }
  return false;
}

const char *mpg_column_type_name(mpg_column_type type) {
  for (size_t i = 0; i < TYPE_NAMES; i++)
    if (type_names[i].type == type)
      return type_names[i].name;
  return "TEXT";
}

/* ---- Values ---- */

bool mpg_reading_is_null(const mpg_reading *reading, mpg_str text) {
  if (text.n == 0)
    return true;
  for (size_t i = 0; i < reading->n_nulls; i++)
    if (mpg_str_eq(text, reading->nulls[i]))
      return true;
  return false;
}

static bool read_time(const mpg_reading *reading, mpg_str text, mpg_value *out) {
  mpg_err ignored;
  int64_t us;
  if (mpg_time_parse(text, &us, &ignored) != MPG_OK)
    return false;
  if (reading->zone != NULL && mpg_zone_is_local(text)) {
    int64_t seconds, fraction = us % MPG_SECOND;
    (void)mpg_zone_utc(reading->zone, us / MPG_SECOND, &seconds);
    us = seconds * MPG_SECOND + fraction;
  }
  out->type = MPG_REAL;
  out->r = (double)us / (double)MPG_SECOND;
  return true;
}

/* "1767891265.323983", as a clock prints it, with the result of mpg_real_parse: both parts of the
** quotient are exact doubles, so it is rounded once. */
static bool read_clock(mpg_str text, double *out) {
  int64_t millionths;
  if (text.n != 17 || FLT_EVAL_METHOD != 0 || !mpg_clock_parse(text.p, &millionths) ||
      millionths > INT64_C(1) << 53)
    return false;
  *out = (double)millionths / 1e6;
  return true;
}

static bool read_trimmed(const mpg_reading *reading, mpg_column_type type, mpg_str text,
                         mpg_value *out) {
  switch (type) {
  case MPG_COLUMN_BIGINT:
    out->type = MPG_INT;
    return mpg_int_parse(text, &out->i);
  case MPG_COLUMN_REAL:
    out->type = MPG_REAL;
    return read_clock(text, &out->r) || mpg_real_parse(text, &out->r);
  default:
    return read_time(reading, text, out);
  }
}

bool mpg_column_read(const mpg_reading *reading, mpg_column_type type, mpg_str text,
                     mpg_value *out) {
  mpg_str inner;
  if (type == MPG_COLUMN_TEXT || type == MPG_COLUMN_FOUND) {
    out->type = MPG_TEXT;
    out->s = text;
    return true;
  }
  if (read_trimmed(reading, type, text, out))
    return true;
  inner = trim(text);
  if (inner.n < text.n && read_trimmed(reading, type, inner, out))
    return true;
  out->type = MPG_NULL;
  return false;
}

bool mpg_column_value(const mpg_reading *reading, mpg_column_type type, bool found, mpg_str text,
                      mpg_value *out) {
  if (!mpg_column_read(reading, type, text, out))
    return false;
  if (!found || mpg_column_fit(type, text) != MPG_COLUMN_TEXT)
    return true;
  out->type = MPG_NULL;
  return false;
}

const char *mpg_column_expected(mpg_column_type type) {
  switch (type) {
  case MPG_COLUMN_BIGINT:
    return "a whole number within 64 bits";
  case MPG_COLUMN_REAL:
    return "a number";
  case MPG_COLUMN_TIME:
    return "Unix seconds or an ISO 8601 time";
  default:
    return "text";
  }
}

mpg_column_type mpg_column_fit(mpg_column_type so_far, mpg_str text) {
  mpg_str s = trim(text), digits = s;
  int64_t i;
  double r;
  if (so_far == MPG_COLUMN_TEXT || mpg_column_is_padded(s))
    return MPG_COLUMN_TEXT;
  if (digits.n > 0 && *digits.p == '-') {
    digits.p++;
    digits.n--;
  }
  if (mpg_int_parse(s, &i))
    return so_far == MPG_COLUMN_FOUND ? MPG_COLUMN_BIGINT : so_far;
  for (size_t k = 0; so_far != MPG_COLUMN_TRUTH && k < digits.n; k++)
    if (digits.p[k] < '0' || digits.p[k] > '9')
      return mpg_real_parse(s, &r) ? MPG_COLUMN_REAL : MPG_COLUMN_TEXT;
  return MPG_COLUMN_TEXT;
}
