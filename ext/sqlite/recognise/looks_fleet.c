/* looks_fleet.c - see looks_fleet.h. */
#include "looks_fleet.h"
#include "../../base/text.h"

#include <string.h>

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
