/*
** same_content.h - whether files have the same content, under several names or packings.
*/
#ifndef MPG_SAME_CONTENT_H
#define MPG_SAME_CONTENT_H

#include "../../read/input/paths.h"

/* How what reading two files gives is alike. */
typedef enum mpg_likeness {
  MPG_DIFFERENT,
  MPG_SAME,
  MPG_BEGINS_OTHER,
  MPG_GOES_BEYOND
} mpg_likeness;

/* How the first is like the second, up to the first difference. A file that cannot be read to its
** end is like no other, and so is one without a byte: MPG_NOMEM and MPG_INTERRUPTED are the only
** errors. */
mpg_rc mpg_compare_content(const mpg_env *env, const char *a, const char *b, mpg_likeness *likeness,
                           mpg_err *err);
/* Whether they are the same. */
mpg_rc mpg_same_content(const mpg_env *env, const char *a, const char *b, bool *same, mpg_err *err);

/* Lists the issue same_content of each file of the list that repeats one of the same size before
** it, and is not empty. Only such files are opened. */
mpg_rc mpg_list_same_content(const mpg_env *env, const mpg_paths *paths, mpg_issues *issues,
                             mpg_err *err);
/* The issue itself. MPG_OK or MPG_NOMEM. */
mpg_rc mpg_add_same_content(mpg_issues *issues, const char *path, const char *other);

#endif
