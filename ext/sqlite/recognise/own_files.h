/*
** own_files.h - the native trace and fleet files, by the first bytes. For recognise.c.
*/
#ifndef MPG_OWN_FILES_H
#define MPG_OWN_FILES_H

#include "../../base/base.h"

/* Without a byte order mark, which is no part of the text that rules match; and without the space
** that follows it. */
mpg_str mpg_skip_mark(mpg_str s);
mpg_str mpg_skip_space(mpg_str s);

bool mpg_looks_native(mpg_str head, const char *path);
bool mpg_looks_like_fleet(mpg_str head);
/* Whether the text is an object, perhaps cut, with a key "sources" of its own. */
bool mpg_has_sources(mpg_str text);
/* Whether it is a source of a fleet file, or a list of them, which lacks what is around it. */
bool mpg_is_bare_source(mpg_str text);

#endif
