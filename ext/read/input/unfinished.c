/* unfinished.c - see unfinished.h. */
#include "unfinished.h"

#include <string.h>

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

mpg_rc mpg_paths_list_passed(const mpg_paths *paths, mpg_issues *issues, mpg_err *err) {
  for (size_t i = 0; i < paths->n_passed; i++) {
    const mpg_passed *p = &paths->passed[i];
    mpg_issues_drop(issues, p->path);
    if (mpg_issues_add(issues, MPG_INFO, p->path, "ignored_file", 0, 1, "%s", p->why) != MPG_OK)
      return mpg_fail_nomem(err);
  }
  return MPG_OK;
}

/* All that was passed over, as an issue of `source`. */
static mpg_rc add_passed(const mpg_paths *paths, const char *source, mpg_issues *issues,
                         mpg_err *err) {
  for (size_t i = 0; i < paths->n_passed; i++)
    if (mpg_issues_add(issues, MPG_INFO, source, "ignored_file", 0, 1, "%s: %s",
                       paths->passed[i].path, paths->passed[i].why) != MPG_OK)
      return mpg_fail_nomem(err);
  return MPG_OK;
}

mpg_rc mpg_paths_issues(const mpg_paths *paths, size_t i, mpg_issues *issues, mpg_err *err) {
  const char *path = paths->file[i].path, *same = paths->file[i].same;
  mpg_rc rc = i == 0 ? add_passed(paths, path, issues, err) : MPG_OK;
  if (rc == MPG_OK && same != NULL &&
      mpg_issues_add(issues, MPG_WARNING, path, "same_content", 0, 1,
                     "by a link, or by another spelling of its path, it is the file %s: its "
                     "records come twice",
                     same) != MPG_OK)
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

static bool ends_with(const char *path, size_t n, const char *suffix) {
  size_t m = strlen(suffix);
  return n > m && strcmp(path + n - m, suffix) == 0;
}

/* The path that is the first n bytes of `name` and `suffix`. */
static const char *find_path(const mpg_paths *paths, const char *name, size_t n,
                             const char *suffix) {
  size_t low = 0, high = paths->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *path = paths->file[middle].path;
    int order = strncmp(path, name, n);
    if (order == 0)
      order = strcmp(path + n, suffix);
    if (order == 0)
      return path;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

const char *mpg_paths_copied(const mpg_paths *paths, size_t i) {
  const char *path = paths->file[i].path, *copied;
  size_t n = strlen(path);
  if (ends_with(path, n, ".gz"))
    return find_path(paths, path, n - 3, "");
  if (!ends_with(path, n, ".zst"))
    return NULL;
  copied = find_path(paths, path, n - 4, "");
  return copied != NULL ? copied : find_path(paths, path, n - 4, ".gz");
}

const char *mpg_paths_repeated(const mpg_paths *paths, size_t i) {
  static const char *const endings[] = {"~", ".bak", ".old", ".orig", ".save"};
  const char *path = paths->file[i].path, *of = mpg_paths_copied(paths, i);
  const size_t n = strlen(path);
  for (size_t k = 0; of == NULL && k < sizeof endings / sizeof *endings; k++)
    if (ends_with(path, n, endings[k]))
      of = find_path(paths, path, n - strlen(endings[k]), "");
  return of;
}

/* ---- Nothing at all ---- */

static mpg_rc is_empty(const mpg_env *env, const char *path, bool *empty, mpg_err *err) {
  mpg_stream *stream;
  char byte;
  size_t got = 0;
  mpg_rc rc = mpg_stream_open(&stream, env, path, err);
  *empty = false;
  if (rc != MPG_OK)
    return rc;
  rc = mpg_stream_read(stream, &byte, 1, &got, err);
  mpg_stream_close(stream);
  *empty = rc == MPG_OK && got == 0;
  return rc;
}

mpg_rc mpg_stream_not_empty(const mpg_env *env, const char *path, mpg_err *err) {
  bool empty;
  mpg_rc rc = is_empty(env, path, &empty, err);
  if (empty)
    rc = mpg_fail(err, MPG_DATA, "%s: expected records, found an empty file", path);
  return rc;
}

mpg_rc mpg_stream_list_empty(const mpg_env *env, const char *path, mpg_issues *issues, bool *empty,
                             mpg_err *err) {
  mpg_rc rc = is_empty(env, path, empty, err);
  if (*empty && mpg_issues_add(issues, MPG_WARNING, path, "empty_file", 0, 1,
                               "there is not a byte in the file") != MPG_OK)
    rc = mpg_fail_nomem(err);
  return rc;
}
