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

#endif
