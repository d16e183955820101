/* table_shape.c - see table_shape.h. */
#include "table_shape.h"
#include "../../base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ON_ERROR "'stop' or 'skip': what a file or record that cannot be read does"

static bool is_text(mpg_str a, const char *b) {
  return mpg_str_eq(a, mpg_str_of(b));
}

static void add_argument(mpg_table_shape *shape, const mpg_head *head) {
  const bool files = is_text(head->type, "FILES");
  shape->arguments[shape->narguments++] = *head;
  shape->files |= files;
  if (files || is_text(head->type, "PATH"))
    shape->required = shape->narguments;
}

void mpg_table_shape_read(mpg_table_shape *shape, const mpg_script_table *table) {
  const mpg_script *script = &mpg_scripts[table->script];
  const char *at = script->heads;
  bool mine = true; /* heads before the first table are of all tables of the script */
  mpg_head head;
  *shape = (mpg_table_shape){.script = script, .name = mpg_str_of(table->name)};
  while ((head = mpg_head_next(&at)).kind != MPG_HEAD_END) {
    if (head.kind == MPG_HEAD_TABLE) {
      mine = mpg_str_eq(head.name, shape->name);
      if (mine)
        shape->head = head;
      if (mine && !is_text(head.parameter, "-"))
        shape->relation = head.parameter;
    } else if (mine && head.kind == MPG_HEAD_COLUMN && shape->ncolumns < MPG_SHAPE_COLUMNS) {
      shape->columns[shape->ncolumns++] = head;
    } else if (mine && head.kind == MPG_HEAD_ARGUMENT &&
               shape->narguments < MPG_SHAPE_ARGUMENTS - 1) {
      add_argument(shape, &head);
    }
  }
  if (shape->required > 0) {
    shape->on_error = true;
    shape->arguments[shape->narguments++] = (mpg_head){.kind = MPG_HEAD_ARGUMENT,
                                                       .name = MPG_STR("on_error"),
                                                       .parameter = MPG_STR("on_error"),
                                                       .type = MPG_STR("TEXT"),
                                                       .text = MPG_STR(ON_ERROR),
                                                       .says = {NULL, 0}};
  }
}

char *mpg_table_shape_declare(const mpg_table_shape *shape) {
  sqlite3_str *sql = sqlite3_str_new(NULL);
  sqlite3_str_appendall(sql, "CREATE TABLE x(");
  for (int i = 0; i < shape->ncolumns; i++) {
    const mpg_head *c = &shape->columns[i];
    sqlite3_str_appendf(sql, "%s\"%.*s\" %.*s", i > 0 ? ", " : "", (int)c->name.n, c->name.p,
                        (int)c->type.n, c->type.p);
  }
  for (int i = 0; i < shape->narguments; i++) {
    const mpg_head *a = &shape->arguments[i];
    char name[64];
    (void)sqlite3_snprintf((int)sizeof name, name, "%.*s", (int)a->name.n, a->name.p);
    sqlite3_str_appendall(sql, ", ");
    mpg_declare_argument(sql, name,
                         is_text(a->type, "BIGINT") ? "BIGINT"
                         : is_text(a->type, "REAL") ? "REAL"
                                                    : "TEXT");
  }
  sqlite3_str_appendall(sql, ")");
  return sqlite3_str_finish(sql);
}

int mpg_table_shape_argument(const mpg_table_shape *shape, const char *parameter) {
  for (int i = 0; i < shape->narguments; i++)
    if (is_text(shape->arguments[i].parameter, parameter))
      return i;
  return -1;
}

/* ---- values of arguments ---- */

static bool begins_with(mpg_str text, const char *word) {
  const size_t n = strlen(word);
  return text.p != NULL && text.n >= n && memcmp(text.p, word, n) == 0;
}

/* The start of a text, up to a colon, that says what the argument takes. Empty: anything. */
static mpg_str taken_by(const mpg_head *argument) {
  static const char *const words[] = {"'", "from ", "above ", "required"};
  const mpg_str text = argument->text;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const char *colon = begins_with(text, words[i]) ? memchr(text.p, ':', text.n) : NULL;
    if (colon != NULL || (i == 0 && begins_with(text, words[i])))
      return (mpg_str){text.p, colon == NULL ? text.n : (size_t)(colon - text.p)};
  }
  return (mpg_str){NULL, 0};
}

/* Whether a number is in a range: "from 0", "above 0", "from 0 to 1". */
static bool is_within(mpg_str range, double number) {
  char text[64], *end;
  double low;
  bool above = begins_with(range, "above ");
  if (range.n == 0 || range.n >= sizeof text)
    return true;
  memcpy(text, range.p, range.n);
  text[range.n] = '\0';
  low = strtod(text + strcspn(text, " "), &end);
  if (above ? number <= low : number < low)
    return false;
  return strncmp(end, " to ", 4) != 0 || number <= strtod(end + 4, NULL);
}

static bool is_choice(mpg_str choices, mpg_str given) {
  const char *at = choices.p, *end = choices.p + choices.n;
  while (at != NULL && (at = memchr(at, '\'', (size_t)(end - at))) != NULL) {
    const char *close = memchr(at + 1, '\'', (size_t)(end - at - 1));
    if (close == NULL)
      return false;
    if (mpg_str_eq((mpg_str){at + 1, (size_t)(close - at - 1)}, given))
      return true;
    at = close + 1;
  }
  return false;
}

/* Whether the parts of "2026-01-06 13:00:00", or of its beginning, can be those of a time. */
static bool is_of_clock(mpg_str s) {
  static const struct part {
    size_t at;
    int least, most;
  } parts[] = {{5, 1, 12}, {8, 1, 31}, {11, 0, 24}, {14, 0, 59}, {17, 0, 60}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts && parts[i].at + 2 <= s.n; i++) {
    const char *p = s.p + parts[i].at;
    const int n = (p[0] - '0') * 10 + p[1] - '0';
    if (n < parts[i].least || n > parts[i].most)
      return false;
  }
  return true;
}

/* A year, month, day or a time of it, with a blank or a T, and nothing or a Z behind it. */
static bool is_hour(mpg_str s) {
  static const char shape[] = "0000-00-00 00:00:00";
  size_t i = 0;
  if (s.n > 0 && s.p[s.n - 1] == 'Z')
    s.n--;
  for (; i < s.n && i < sizeof shape - 1; i++) {
    const bool digit = s.p[i] >= '0' && s.p[i] <= '9';
    if (shape[i] == '0' ? !digit : s.p[i] != shape[i] && (shape[i] != ' ' || s.p[i] != 'T'))
      return false;
  }
  if (i == sizeof shape - 1 && i < s.n && s.p[i] == '.')
    for (i++; i < s.n && s.p[i] >= '0' && s.p[i] <= '9';)
      i++;
  return i == s.n && (i == 4 || i == 7 || i == 10 || i == 13 || i == 16 || i >= sizeof shape - 1) &&
         is_of_clock(s);
}

static bool takes_number(const mpg_head *argument, sqlite3_value *value, bool whole) {
  const int type = sqlite3_value_numeric_type(value);
  const double real = sqlite3_value_double(value);
  return (type == SQLITE_INTEGER || (type == SQLITE_FLOAT && isfinite(real) &&
                                     (!whole || (real == floor(real) && fabs(real) < 1e15)))) &&
         is_within(taken_by(argument), real);
}

int mpg_table_argument_take(sqlite3_vtab *vtab, const char *table, const mpg_head *argument,
                            sqlite3_value *value) {
  mpg_str expected = taken_by(argument), range = {"", 0}, found;
  char excerpt[MPG_EXCERPT];
  bool good = true;
  if (sqlite3_value_type(value) == SQLITE_NULL)
    return SQLITE_OK;
  if (mpg_str_eq(argument->type, MPG_STR("BIGINT")) ||
      mpg_str_eq(argument->type, MPG_STR("REAL"))) {
    const bool whole = mpg_str_eq(argument->type, MPG_STR("BIGINT"));
    good = takes_number(argument, value, whole);
    range = expected;
    expected = whole ? MPG_STR("a whole number") : MPG_STR("a number");
  }
  found = (mpg_str){(const char *)sqlite3_value_text(value), 0};
  if (found.p == NULL)
    return SQLITE_NOMEM;
  found.n = (size_t)sqlite3_value_bytes(value);
  if (mpg_str_eq(argument->type, MPG_STR("TIME"))) {
    good = is_hour(found);
    expected = MPG_STR("a day or an hour such as '2026-01-06 13:00:00', without a zone");
  } else if (*argument->text.p == '\'') {
    good = is_choice(expected, found);
  }
  if (good)
    return SQLITE_OK;
  mpg_text_excerpt(found, excerpt);
  return mpg_vtab_error(vtab, "%s: %.*s: expected %.*s%s%.*s, found '%s'", table,
                        (int)argument->name.n, argument->name.p, (int)expected.n, expected.p,
                        range.n > 0 ? " " : "", (int)range.n, range.p, excerpt);
}

/* The argument without which another is required, "required unless since"; -1: none. */
static int alternative_of(const mpg_table_shape *shape, mpg_str says) {
  static const char unless[] = "required unless ";
  const size_t n = sizeof unless - 1;
  for (int i = 0; i < shape->narguments && begins_with(says, unless); i++)
    if (mpg_str_eq(shape->arguments[i].name, (mpg_str){says.p + n, says.n - n}))
      return i;
  return -1;
}

static bool is_given(sqlite3_value *value) {
  return value != NULL && sqlite3_value_type(value) != SQLITE_NULL;
}

/* Whether the hour is before the other; one may be shorter, and of either a T be a blank. */
static bool is_before(sqlite3_value *a, sqlite3_value *b) {
  const char *p = (const char *)sqlite3_value_text(a), *q = (const char *)sqlite3_value_text(b);
  if (p == NULL || q == NULL)
    return false;
  for (; *p != '\0' && *q != '\0' && *p != 'Z' && *q != 'Z'; p++, q++)
    if (*p != *q && !(*p == 'T' && *q == ' ') && !(*p == ' ' && *q == 'T'))
      return *p < *q;
  return false;
}

/* The argument until which a period lasts that begins at argument i; -1: i is none. */
static int end_of_period(const mpg_table_shape *shape, int i) {
  static const char since[] = "since", until[] = "until";
  const mpg_str name = shape->arguments[i].name;
  const size_t n = sizeof since - 1;
  if (name.n < n || memcmp(name.p + name.n - n, since, n) != 0)
    return -1;
  for (int k = 0; k < shape->narguments; k++) {
    const mpg_str other = shape->arguments[k].name;
    if (other.n == name.n && memcmp(other.p, name.p, name.n - n) == 0 &&
        memcmp(other.p + other.n - n, until, n) == 0)
      return k;
  }
  return -1;
}

static int check_periods(sqlite3_vtab *vtab, const mpg_table_shape *shape,
                         sqlite3_value *const *arguments) {
  for (int i = 0; i < shape->narguments; i++) {
    const int k = end_of_period(shape, i);
    if (k >= 0 && is_given(arguments[i]) && is_given(arguments[k]) &&
        is_before(arguments[k], arguments[i]))
      return mpg_vtab_error(
          vtab, "%.*s: %.*s: expected a day or an hour that is not before %.*s (%s), found %s",
          (int)shape->name.n, shape->name.p, (int)shape->arguments[k].name.n,
          shape->arguments[k].name.p, (int)shape->arguments[i].name.n, shape->arguments[i].name.p,
          sqlite3_value_text(arguments[i]), sqlite3_value_text(arguments[k]));
  }
  return SQLITE_OK;
}

int mpg_table_arguments_check(sqlite3_vtab *vtab, const mpg_table_shape *shape,
                              sqlite3_value *const *arguments) {
  for (int i = 0; i < shape->narguments; i++) {
    const mpg_head *a = &shape->arguments[i];
    const mpg_str says = taken_by(a);
    const int other = alternative_of(shape, says);
    mpg_str meaning = a->text;
    if (!begins_with(says, "required") || is_given(arguments[i]) ||
        (other >= 0 && is_given(arguments[other])))
      continue;
    meaning.p += says.n + 2; /* ": " */
    meaning.n -= says.n + 2;
    return mpg_vtab_error(vtab, "%.*s: expected the argument %.*s: %.*s%s%.*s", (int)shape->name.n,
                          shape->name.p, (int)a->name.n, a->name.p, (int)meaning.n, meaning.p,
                          other >= 0 ? "; or " : "",
                          other >= 0 ? (int)shape->arguments[other].name.n : 0,
                          other >= 0 ? shape->arguments[other].name.p : "");
  }
  return check_periods(vtab, shape, arguments);
}
