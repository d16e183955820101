/*
** unwrap_prefix.h - what stands before the JSON of a line. For unwrap.c and unwrap_find.c.
*/
#ifndef MPG_UNWRAP_PREFIX_H
#define MPG_UNWRAP_PREFIX_H

#include "../../base/text.h"

typedef struct mpg_unwrap_prefix {
  size_t n;    /* its bytes */
  bool whole;  /* there is no JSON behind it */
  bool part;   /* the next line goes on with this one, */
  char stream; /* if it is of the same stream; 0: nothing says of which */
} mpg_unwrap_prefix;

/* The prefix of a line, which may be its first bytes alone. */
mpg_unwrap_prefix mpg_unwrap_prefix_of(mpg_str line);
/* Whether JSON begins the line: an object, or an array of some. */
bool mpg_unwrap_is_json(mpg_str line);
/* Whether the line is the bracket that begins JSON over several lines. */
bool mpg_unwrap_is_bracket(mpg_str line);
/* Whether it begins as the first line of such a log does. */
bool mpg_unwrap_has_prefix(mpg_str line);

#endif
