/* looks_native.c - whether a file is of the native trace, by its first bytes (native.h). */
#include "../../base/ascii.h"
#include "../../base/text.h"
#include "../../read/unwrap/unwrap.h"
#include "native.h"

#define LOOKED_AT 4096 /* bytes of JSON */

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

bool mpg_looks_native(mpg_str head, const char *path) {
  mpg_relation relation = mpg_relation_by_file(path);
  mpg_str text = mpg_skip_space(head), line, name;
  if (text.n == 0) /* and of an empty file there may be no pointer */
    return false;
  if (*text.p == '{' || *text.p == '[')
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
