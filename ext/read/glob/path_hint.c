/* path_hint.c - see path_hint.h. */
#include "path_hint.h"
#include "../../base/ascii.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_quoted(mpg_str s) {
  return s.n > 1 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0];
}

/* What of the path is taken as it stands, though its writer may have meant otherwise; NULL: none */
static const char *taken_as_written(mpg_str path) {
  if (path.p[0] == '~')
    return "~ stands for no folder here";
  if (mpg_str_contains(path, MPG_STR("://")))
    return "expected a path, no URL";
  if (path.p[0] == '$' || mpg_str_contains(path, MPG_STR("${")))
    return "variables of a shell are not replaced here";
  if (is_quoted(path))
    return "the quotes are part of the path";
  if (mpg_is_json_space(path.p[0]) || mpg_is_json_space(path.p[path.n - 1]))
    return "a blank at an end is part of the path";
  if (mpg_str_contains(path, MPG_STR("\\")))
    return "a \\ is part of a name: folders end with /";
  return NULL;
}

void mpg_path_hint(mpg_str path, char hint[MPG_PATH_HINT]) {
  const char *taken = path.n > 0 ? taken_as_written(path) : NULL;
  char folder[MPG_PATH_HINT - 32];
  *hint = '\0';
  if (taken != NULL)
    (void)snprintf(hint, MPG_PATH_HINT, " (%s)", taken);
  else if (path.n > 0 && path.p[0] != '/' && getcwd(folder, sizeof folder) != NULL)
    (void)snprintf(hint, MPG_PATH_HINT, " (from the folder %s)", folder);
}
