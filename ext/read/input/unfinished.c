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

static mpg_rc add_linked(const mpg_paths *paths, const char *source, mpg_issues *issues,
                         mpg_err *err) {
  if (paths->linked == NULL ||
      mpg_issues_add(issues, MPG_INFO, source, "ignored_file", 0, (int64_t)paths->n_linked,
                     "%s: a link to a folder, not followed: name it itself",
                     paths->linked) == MPG_OK)
    return MPG_OK;
  return mpg_fail_nomem(err);
}

mpg_rc mpg_paths_list_linked(const mpg_paths *paths, mpg_issues *issues, mpg_err *err) {
  if (paths->linked != NULL)
    mpg_issues_drop(issues, paths->linked);
  return add_linked(paths, paths->linked, issues, err);
}

mpg_rc mpg_paths_issues(const mpg_paths *paths, size_t i, mpg_issues *issues, mpg_err *err) {
  const char *path = paths->file[i].path, *same = paths->file[i].same;
  mpg_rc rc = i == 0 ? add_linked(paths, path, issues, err) : MPG_OK;
  if (rc == MPG_OK && same != NULL &&
      mpg_issues_add(issues, MPG_WARNING, path, "same_content", 0, 1,
                     "by a link it is the file %s: its records come twice", same) != MPG_OK)
    rc = mpg_fail_nomem(err);
  return rc;
}

mpg_rc mpg_same_name(mpg_issues *issues, const char *path, const char *copied, mpg_err *err) {
  if (copied == NULL ||
      mpg_issues_add(issues, MPG_WARNING, path, "same_name", 0, 1,
                     "%s is read too: where one is a copy of the other, its records come twice",
                     copied) == MPG_OK)
    return MPG_OK;
  return mpg_fail_nomem(err);
}
