/* own_files.c - see own_files.h. */
#include "own_files.h"
#include "../../base/ascii.h"
#include "../../base/text.h"
#include "../../goodput/trace/relation_schema.h"
#include "../../read/unwrap/unwrap.h"

#include <string.h>

#define LOOKED_AT 4096 /* bytes of JSON */

/* A byte order mark is no part of the text that rules match. */
mpg_str mpg_skip_mark(mpg_str s) {
  if (s.n >= 3 && memcmp(s.p, "\xef\xbb\xbf", 3) == 0) {
    s.p += 3;
    s.n -= 3;
  }
  return s;
}

mpg_str mpg_skip_space(mpg_str s) {
  s = mpg_skip_mark(s);
  while (s.n > 0 && mpg_is_json_space(*s.p)) {
    s.p++;
    s.n--;
  }
  return s;
}

static mpg_str first_line(mpg_str s) {
  const char *end = s.n > 0 ? memchr(s.p, '\n', s.n) : NULL;
  return end == NULL ? s : (mpg_str){s.p, (size_t)(end - s.p)};
}

/* The text after `at` without its quotes, if one is there; what other programs call a record is an
** object, mostly. */
static mpg_str value_text(mpg_str text, size_t at) {
  mpg_str s = mpg_skip_space((mpg_str){text.p + at, text.n - at});
  size_t n = 1;
  if (s.n > 0 && *s.p == ':')
    s = mpg_skip_space((mpg_str){s.p + 1, s.n - 1});
  if (s.n == 0 || *s.p != '"')
    return MPG_STR("");
  while (n < s.n && s.p[n] != '"')
    n++;
  return (mpg_str){s.p + 1, n - 1};
}

/* JSON objects that name their record, a relation in the singular. One that is misspelt is of a
** file that names its relation, or else a pool, a job, a program or a chip. */
static bool names_records(mpg_str text) {
  static const char key[] = "\"record\"";
  const size_t n = sizeof key - 1;
  bool misspelt = false;
  for (size_t i = 0; i + n <= text.n; i++) {
    mpg_str name;
    if (text.p[i] != '"' || memcmp(text.p + i, key, n) != 0)
      continue;
    name = value_text(text, i + n);
    if (mpg_relation_by_record(name) != MPG_RELATIONS)
      return true;
    misspelt |= name.n > 0;
  }
  return misspelt && (mpg_str_contains(text, MPG_STR("\"job\"")) ||
                      mpg_str_contains(text, MPG_STR("\"pool\"")) ||
                      mpg_str_contains(text, MPG_STR("\"program\"")) ||
                      mpg_str_contains(text, MPG_STR("\"chip\"")));
}

/* The same within the lines of a log that something else kept. */
static bool names_wrapped_records(mpg_str text) {
  char inner[LOOKED_AT + MPG_UNWRAP_LINE + 8];
  mpg_unwrap u;
  text.n = text.n < LOOKED_AT ? text.n : LOOKED_AT;
  return mpg_unwrap_find(&u, text, MPG_UNWRAP_ALL) &&
         names_records((mpg_str){inner, mpg_unwrap_run(&u, text.p, text.n, inner)});
}

/* CSV in a file named after its relation, with a column of that relation in its first line; or JSON
** of records. */
bool mpg_looks_native(mpg_str head, const char *path) {
  mpg_relation relation = mpg_relation_by_file(path);
  mpg_str text = mpg_skip_space(head), line, name;
  if (text.n > 0 && (*text.p == '{' || *text.p == '['))
    return names_records((mpg_str){text.p, text.n < LOOKED_AT ? text.n : LOOKED_AT}) ||
           names_wrapped_records(text);
  if (relation == MPG_RELATIONS)
    return names_wrapped_records(text);
  line = first_line(text);
  for (size_t at = 0; at <= line.n;) {
    size_t n = 0;
    while (at + n < line.n && line.p[at + n] != ',' && line.p[at + n] != '\r')
      n++;
    name = (mpg_str){line.p + at, n};
    if (n > 1 && name.p[0] == '"' && name.p[n - 1] == '"')
      name = (mpg_str){name.p + 1, n - 2};
    if (mpg_column_by_name(relation, name) >= 0)
      return true;
    at += n + 1;
  }
  return false;
}

/* Whether the text is an object, perhaps cut, with a key "sources" of its own. In many files
** objects within others have one, as in each pod of Kubernetes. */
bool mpg_has_sources(mpg_str text) {
  const char *p = text.p, *end = text.p + text.n;
  int depth = 0;
  if (text.n == 0 || *p != '{')
    return false;
  for (; p < end; p++) {
    const char *word = p + 1;
    mpg_str after;
    if (*p == '{' || *p == '[')
      depth++;
    else if (*p == '}' || *p == ']')
      depth--;
    if (depth == 0)
      return false;
    if (*p != '"')
      continue;
    for (p = word; p < end && *p != '"'; p++)
      p += *p == '\\';
    if (p >= end)
      return false;
    after = mpg_skip_space((mpg_str){p + 1, (size_t)(end - p - 1)});
    if (depth == 1 && after.n > 0 && *after.p == ':' &&
        mpg_str_eq_nocase((mpg_str){word, (size_t)(p - word)}, MPG_STR("sources")))
      return true;
  }
  return false;
}

/* Whether it is a source of a fleet file, or a list of them, which lacks what is around it. */
bool mpg_is_bare_source(mpg_str text) {
  static const char path[] = "\"path\"";
  if (text.n > 0 && *text.p == '[')
    text = mpg_skip_space((mpg_str){text.p + 1, text.n - 1});
  if (text.n == 0 || *text.p != '{')
    return false;
  text = mpg_skip_space((mpg_str){text.p + 1, text.n - 1});
  return text.n >= sizeof path - 1 && memcmp(text.p, path, sizeof path - 1) == 0;
}

bool mpg_looks_like_fleet(mpg_str head) {
  mpg_str text = mpg_skip_space(head);
  return mpg_has_sources(text) && mpg_str_contains(text, MPG_STR("\"path\""));
}
