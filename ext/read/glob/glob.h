/*
** glob.h - patterns of paths.
**
** They are those of SQLite's GLOB: * any bytes, ? one character, [a-z] and [^a-z] one of a set (or
** not), [[] for a bracket itself; a bracket that never closes is an ordinary character. As in a
** shell, no wildcard matches a '/' or the dot of a hidden name, and a component ** is any number of
** folders (paths.c).
*/
#ifndef MPG_GLOB_H
#define MPG_GLOB_H

#include "../../base/text.h"

/* Whether a component of a path matches one of a pattern. */
bool mpg_glob_matches(mpg_str pattern, mpg_str name);

/* Whether there is a wildcard in it. */
bool mpg_glob_is(mpg_str s);

/* The component of a path at *at, and the slashes after it; *at is moved behind these. */
void mpg_glob_component(mpg_str path, size_t *at, mpg_str *part, mpg_str *slashes);

/* Whether a path of a file fits a pattern of paths. */
bool mpg_glob_fits(mpg_str glob, mpg_str name);

#endif
