/* record_iterator.c - see record_iterator.h. */
#include "record_iterator.h"
#include "../../read/input/unfinished.h"

#include <string.h>

#define LOOK_UP_EVERY 256 /* records skipped between two looks at the interruption */

int mpg_record_iterator_begin(mpg_record_iterator *iterator, mpg_conn *conn,
                              const mpg_file_format *format) {
  int rc = SQLITE_OK;
  iterator->conn = conn;
  if (format != NULL)
    iterator->format = *format;
  if (!iterator->scanning)
    rc = mpg_query_env_begin(&iterator->scan, conn);
  iterator->scanning = rc == SQLITE_OK;
  return rc;
}

mpg_rc mpg_record_iterator_path(mpg_record_iterator *iterator, mpg_str path, mpg_err *err) {
  mpg_rc rc = mpg_paths_expand(&iterator->paths, &iterator->scan.env, path, err);
  if (rc == MPG_OK && iterator->conn->host_env == NULL) { /* else a fleet expects them */
    mpg_paths_expect(&iterator->paths, &iterator->scan.env);
    mpg_paths_forget_gone(path, &iterator->conn->issues);
  }
  return rc;
}

const char *mpg_record_iterator_file(const mpg_record_iterator *iterator) {
  return iterator->paths.file[iterator->next_path - 1].path;
}

/* Closes the file and puts its issues in place of those that an earlier reading of it left. */
static mpg_rc close_file(mpg_record_iterator *iterator) {
  mpg_rc rc = MPG_OK;
  if (!iterator->in_file)
    return MPG_OK;
  if (iterator->file != NULL)
    iterator->format.close(iterator->file, iterator->shared);
  iterator->file = NULL;
  iterator->in_file = false;
  if (iterator->partial)
    mpg_issues_free(&iterator->issues);
  else
    mpg_issues_drop(&iterator->conn->issues, mpg_record_iterator_file(iterator));
  for (size_t i = 0; rc == MPG_OK && i < iterator->issues.n; i++) {
    const mpg_issue *issue = &iterator->issues.items[i];
    rc = mpg_issues_add(&iterator->conn->issues, issue->severity, issue->source, issue->kind,
                        issue->line, issue->count, "%s", issue->detail);
  }
  mpg_issues_free(&iterator->issues);
  return rc;
}

mpg_rc mpg_record_iterator_reset(mpg_record_iterator *iterator) {
  mpg_rc rc = close_file(iterator);
  if (iterator->paths.env != NULL)
    mpg_paths_free(&iterator->paths);
  memset(&iterator->paths, 0, sizeof iterator->paths);
  iterator->next_path = 0;
  iterator->shared = NULL;
  iterator->skip = iterator->partial = false;
  return rc;
}

void mpg_record_iterator_end(mpg_record_iterator *iterator) {
  (void)mpg_record_iterator_reset(
      iterator); /* out of memory: some issues are lost, and the scan is over */
  if (iterator->scanning)
    mpg_query_env_end(&iterator->scan);
  iterator->scanning = false;
}

/* Counts an error as a record left out; false if it is to stop the query. */
static bool skip_error(mpg_record_iterator *iterator, mpg_err *err) {
  int64_t line = iterator->file == NULL ? 0 : iterator->format.line(iterator->file);
  if (!iterator->skip || err->rc != MPG_DATA)
    return false;
  if (mpg_issues_add(&iterator->issues, MPG_DATA_LOSS, mpg_record_iterator_file(iterator),
                     "skipped_record", line, 1, "%s", err->text) == MPG_OK)
    return true;
  mpg_fail_nomem(err);
  return false;
}

/* Opens the next file; MPG_DONE after the last. */
static mpg_rc next_file(mpg_record_iterator *iterator, mpg_err *err) {
  mpg_rc rc;
  if (iterator->next_path == iterator->paths.n)
    return MPG_DONE;
  iterator->next_path++;
  iterator->in_file = true;
  iterator->any = false;
  mpg_issues_init(&iterator->issues, &iterator->conn->env);
  rc = mpg_paths_issues(&iterator->paths, iterator->next_path - 1, &iterator->issues, err);
  if (rc == MPG_OK)
    rc = mpg_same_name(&iterator->issues, mpg_record_iterator_file(iterator),
                       mpg_paths_repeated(&iterator->paths, iterator->next_path - 1), err);
  return rc == MPG_OK
             ? iterator->format.open(&iterator->file, iterator->shared, &iterator->scan.env,
                                     mpg_record_iterator_file(iterator), &iterator->issues, err)
             : rc;
}

/* At the end of a file that gave nothing at all, or in place of its first error. If there is not a
** byte in it: MPG_DATA, or among other files an issue. */
static mpg_rc check_empty(mpg_record_iterator *iterator, mpg_rc rc, mpg_err *err) {
  const char *path = mpg_record_iterator_file(iterator);
  mpg_err why;
  bool empty = false;
  mpg_rc found;
  if (!mpg_paths_are_several(&iterator->paths)) {
    if (rc == MPG_DONE)
      rc = mpg_stream_not_empty(&iterator->scan.env, path, err);
    return rc == MPG_OK ? MPG_DONE : rc;
  }
  found = mpg_stream_list_empty(&iterator->scan.env, path, &iterator->issues, &empty, &why);
  if (found != MPG_OK && (rc == MPG_DONE || found != MPG_DATA)) {
    *err = why;
    return found;
  }
  return empty ? MPG_DONE : rc;
}

mpg_rc mpg_record_iterator_next(mpg_record_iterator *iterator, mpg_err *err) {
  for (unsigned turn = 1;; turn++) {
    mpg_rc rc = MPG_OK;
    if (turn % LOOK_UP_EVERY == 0 && mpg_interrupted(&iterator->scan.env))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    if (!iterator->in_file) {
      rc = next_file(iterator, err);
      if (rc == MPG_DONE)
        return rc;
    }
    if (rc == MPG_OK)
      rc = iterator->format.next(iterator->file, err);
    if (!iterator->any && (rc == MPG_DONE || rc == MPG_DATA))
      rc = check_empty(iterator, rc, err);
    iterator->any = true;
    if (rc == MPG_OK)
      return MPG_OK;
    if (rc != MPG_DONE && !skip_error(iterator, err))
      return err->rc;
    /* A file that did not open has nothing more to give. */
    if ((rc == MPG_DONE || iterator->file == NULL) && close_file(iterator) != MPG_OK)
      return mpg_fail_nomem(err);
  }
}
