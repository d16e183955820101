/*
** far_lines.h - lines of steps that lie behind the first bytes of a log, where a program or its
** libraries printed much before the training began.
*/
#ifndef MPG_FAR_LINES_H
#define MPG_FAR_LINES_H

#include "../../base/base.h"

/*
** The head of the file at `path`, and behind it some lines with the word step or iter from the
** first 64 MiB, unpacked: *out, which mpg_free frees. Of each line its last 4 KiB at most, and of a
** progress bar its last state. As many bytes as the head has: there are none. What cannot be read
** has none; MPG_NOMEM and MPG_INTERRUPTED are the only errors.
*/
mpg_rc mpg_far_lines(const mpg_env *env, const char *path, mpg_str head, char **out, size_t *n,
                     mpg_err *err);

#endif
