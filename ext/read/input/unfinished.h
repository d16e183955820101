/*
** unfinished.h - the end of a file that may still be written, and its issues.
**
** If the file ends within a record, the record is left out, with a warning: its rest may come. A
** last line of delimited text without a line end may be a whole record, for some writers never end
** their last line. It is read, with an issue, for its last field may be cut.
*/
#ifndef MPG_UNFINISHED_H
#define MPG_UNFINISHED_H

#include "paths.h"
#include "stream.h"

/* The issue unfinished_record of the record that begins at `line`. MPG_OK or MPG_NOMEM. With
** `issues` NULL nothing is said, here and below. */
mpg_rc mpg_unfinished_record(mpg_issues *issues, const char *path, int64_t line, mpg_err *err);
/* The issue no_line_end. */
mpg_rc mpg_no_line_end(mpg_issues *issues, const char *path, int64_t line, mpg_err *err);

/* What is odd of path i: that it is the file of another (same_content); of the first also
** what was passed over. MPG_OK or MPG_NOMEM. */
mpg_rc mpg_paths_issues(const mpg_paths *paths, size_t i, mpg_issues *issues, mpg_err *err);
/* What was passed over: ignored_file of each, in place of what was said of it before. MPG_OK or
** MPG_NOMEM. */
mpg_rc mpg_paths_list_passed(const mpg_paths *paths, mpg_issues *issues, mpg_err *err);
/* The path among them that path i is of, except for .gz or .zst after it; borrowed, NULL: none. */
const char *mpg_paths_copied(const mpg_paths *paths, size_t i);
/* The same, or the path that path i is of as editors and people keep an older one: "x.csv.bak". */
const char *mpg_paths_repeated(const mpg_paths *paths, size_t i);
/* The issue same_name of the file `path` if `copied` is not NULL. MPG_OK or MPG_NOMEM. */
mpg_rc mpg_same_name(mpg_issues *issues, const char *path, const char *copied, mpg_err *err);

/* MPG_DATA, "PATH: expected records, found an empty file", if the file has not a single byte: for
** readers that found no record. */
mpg_rc mpg_stream_not_empty(const mpg_env *env, const char *path, mpg_err *err);
/* The same for one of several files: an empty one is the issue empty_file and no error. */
mpg_rc mpg_stream_list_empty(const mpg_env *env, const char *path, mpg_issues *issues, bool *empty,
                             mpg_err *err);

#endif
