/* record_iterator.c - see record_iterator.h. */
#include "record_iterator.h"

#include <string.h>

#define LOOK_UP_EVERY 256 /* records skipped between two looks at the interruption */

int mpg_record_iterator_begin(mpg_record_iterator *walk, mpg_conn *conn,
                              const mpg_file_format *format) {
  int rc = SQLITE_OK;
  walk->conn = conn;
  if (format != NULL)
    walk->format = *format;
  if (!walk->scanning)
    rc = mpg_query_env_begin(&walk->scan, conn);
  walk->scanning = rc == SQLITE_OK;
  return rc;
}

mpg_rc mpg_record_iterator_path(mpg_record_iterator *walk, mpg_str path, mpg_err *err) {
  return mpg_paths_expand(&walk->paths, &walk->scan.env, path, err);
}

const char *mpg_record_iterator_file(const mpg_record_iterator *walk) {
  return walk->paths.file[walk->next_path - 1].path;
}

/* Closes the file and puts its issues in place of those that an earlier reading of it left. */
static mpg_rc close_file(mpg_record_iterator *walk) {
  mpg_rc rc = MPG_OK;
  if (!walk->in_file)
    return MPG_OK;
  if (walk->file != NULL)
    walk->format.close(walk->file, walk->shared);
  walk->file = NULL;
  walk->in_file = false;
  mpg_issues_drop(&walk->conn->issues, mpg_record_iterator_file(walk));
  for (size_t i = 0; rc == MPG_OK && i < walk->issues.n; i++) {
    const mpg_issue *issue = &walk->issues.items[i];
    rc = mpg_issues_add(&walk->conn->issues, issue->severity, issue->source, issue->kind,
                        issue->line, issue->count, "%s", issue->detail);
  }
  mpg_issues_free(&walk->issues);
  return rc;
}

mpg_rc mpg_record_iterator_reset(mpg_record_iterator *walk) {
  mpg_rc rc = close_file(walk);
  if (walk->paths.env != NULL)
    mpg_paths_free(&walk->paths);
  memset(&walk->paths, 0, sizeof walk->paths);
  walk->next_path = 0;
  walk->shared = NULL;
  walk->skip = false;
  return rc;
}

void mpg_record_iterator_end(mpg_record_iterator *walk) {
  (void)mpg_record_iterator_reset(
      walk); /* out of memory: some issues are lost, and the scan is over */
  if (walk->scanning)
    mpg_query_env_end(&walk->scan);
  walk->scanning = false;
}

/* Counts an error as a record left out; false if it is to stop the query. */
static bool skip_error(mpg_record_iterator *walk, mpg_err *err) {
  int64_t line = walk->file == NULL ? 0 : walk->format.line(walk->file);
  if (!walk->skip || err->rc != MPG_DATA)
    return false;
  if (mpg_issues_add(&walk->issues, MPG_DATA_LOSS, mpg_record_iterator_file(walk), "skipped_record",
                     line, 1, "%s", err->text) == MPG_OK)
    return true;
  mpg_fail_nomem(err);
  return false;
}

/* Opens the next file; MPG_DONE after the last. */
static mpg_rc next_file(mpg_record_iterator *walk, mpg_err *err) {
  mpg_rc rc;
  if (walk->next_path == walk->paths.n)
    return MPG_DONE;
  walk->next_path++;
  walk->in_file = true;
  walk->any = false;
  mpg_issues_init(&walk->issues, &walk->conn->env);
  rc = mpg_same_name(&walk->issues, mpg_record_iterator_file(walk),
                     mpg_paths_copied(&walk->paths, walk->next_path - 1), err);
  return rc == MPG_OK ? walk->format.open(&walk->file, walk->shared, &walk->scan.env,
                                          mpg_record_iterator_file(walk), &walk->issues, err)
                      : rc;
}

/* At the end of a file that gave nothing at all, or in place of its first error. If there is not a
** byte in it: MPG_DATA, or among other files an issue. */
static mpg_rc check_empty(mpg_record_iterator *walk, mpg_rc rc, mpg_err *err) {
  const char *path = mpg_record_iterator_file(walk);
  mpg_err why;
  bool empty = false;
  mpg_rc found;
  if (!mpg_paths_are_several(&walk->paths)) {
    if (rc == MPG_DONE)
      rc = mpg_stream_not_empty(&walk->scan.env, path, err);
    return rc == MPG_OK ? MPG_DONE : rc;
  }
  found = mpg_stream_list_empty(&walk->scan.env, path, &walk->issues, &empty, &why);
  if (found != MPG_OK && (rc == MPG_DONE || found != MPG_DATA)) {
    *err = why;
    return found;
  }
  return empty ? MPG_DONE : rc;
}

mpg_rc mpg_record_iterator_next(mpg_record_iterator *walk, mpg_err *err) {
  for (unsigned turn = 1;; turn++) {
    mpg_rc rc = MPG_OK;
    if (turn % LOOK_UP_EVERY == 0 && mpg_interrupted(&walk->scan.env))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    if (!walk->in_file) {
      rc = next_file(walk, err);
      if (rc == MPG_DONE)
        return rc;
    }
    if (rc == MPG_OK)
      rc = walk->format.next(walk->file, err);
    if (!walk->any && (rc == MPG_DONE || rc == MPG_DATA))
      rc = check_empty(walk, rc, err);
    walk->any = true;
    if (rc == MPG_OK)
      return MPG_OK;
    if (rc != MPG_DONE && !skip_error(walk, err))
      return err->rc;
    /* A file that did not open has nothing more to give. */
    if ((rc == MPG_DONE || walk->file == NULL) && close_file(walk) != MPG_OK)
      return mpg_fail_nomem(err);
  }
}
