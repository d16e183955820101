/* unfinished.c - see unfinished.h. */
#include "unfinished.h"

static mpg_rc add_issue(mpg_issues *issues, mpg_severity severity, const char *path,
                        const char *kind, int64_t line, const char *detail, mpg_err *err) {
  if (issues == NULL ||
      mpg_issues_add(issues, severity, path, kind, line, 1, "%s", detail) == MPG_OK)
    return MPG_OK;
  return mpg_fail_nomem(err);
}

mpg_rc mpg_unfinished_record(mpg_issues *issues, const char *path, int64_t line, mpg_err *err) {
  return add_issue(issues, MPG_WARNING, path, "unfinished_record", line,
                   "the last record is cut off: left out as still being written", err);
}

mpg_rc mpg_no_line_end(mpg_issues *issues, const char *path, int64_t line, mpg_err *err) {
  return add_issue(issues, MPG_INFO, path, "no_line_end", line,
                   "the last line has no line end: it is read, and its last field may be cut off",
                   err);
}
