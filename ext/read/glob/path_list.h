/* path_list.h - a JSON array of paths, which stands for one path where several are to be read. */
#ifndef MPG_PATH_LIST_H
#define MPG_PATH_LIST_H

#include "../../base/text.h"

enum { MPG_PATH_BYTES = 4095 }; /* of a path at most, without its end */

/* Whether a path begins like such an array, '["': no glob that anybody means begins so. */
bool mpg_path_is_list(mpg_str path);

/*
** The next path of the array into `out`, unescaped and not terminated, its bytes into *n. *at is 0
** before the first, and list.n behind the last. MPG_MISUSE: it is no array of texts, or one is too
** long for a path.
*/
mpg_rc mpg_path_list_next(mpg_str list, size_t *at, char out[MPG_PATH_BYTES + 1], size_t *n,
                          mpg_err *err);

#endif
