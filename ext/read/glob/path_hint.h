/* path_hint.h - why nothing may lie where a path leads. */
#ifndef MPG_PATH_HINT_H
#define MPG_PATH_HINT_H

#include "../../base/text.h"

enum { MPG_PATH_HINT = 320 };

/*
** What to say behind a path of which there is no file: "" of one that is whole, the folder that a
** relative one begins in, or that what a shell or a browser replaces is not replaced here.
*/
void mpg_path_hint(mpg_str path, char hint[MPG_PATH_HINT]);

#endif
