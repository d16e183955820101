/*
** looks_fleet.h - fleet files, by their first bytes. For recognise.c.
*/
#ifndef MPG_LOOKS_FLEET_H
#define MPG_LOOKS_FLEET_H

#include "../../base/base.h"

bool mpg_looks_like_fleet(mpg_str head);
/* Whether the text is an object, perhaps cut, with a key "sources" of its own. */
bool mpg_has_sources(mpg_str text);
/* Whether it is a source of a fleet file, or a list of them, which lacks what is around it. */
bool mpg_is_bare_source(mpg_str text);

#endif
