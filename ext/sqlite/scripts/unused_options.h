/*
** unused_options.h - what of a fleet file has no effect.
*/
#ifndef MPG_UNUSED_OPTIONS_H
#define MPG_UNUSED_OPTIONS_H

#include "sources.h"

/* Lists options that no format of their source's files has, and sources all of whose files are of
** sources before them. After the files were recognised and before what they lack was found. */
mpg_rc mpg_sources_list_unused(mpg_sources *s, mpg_err *err);

#endif
