/*
** hlo_shape_text.h - shapes as HLO text has them: bf16[2,3]{1,0:T(8,128)E(4)}, tuples, b(f32[4]).
*/
#ifndef MPG_HLO_SHAPE_TEXT_H
#define MPG_HLO_SHAPE_TEXT_H

#include "../../program/hlo/hlo_shape.h"
#include "hlo_parse.h"

/* Skips a shape; false if there is none. */
bool mpg_hlo_shape_skip(mpg_hlo_lex *l);
/*
** Reads a shape. A dynamic dimension "<=N" counts as its bound, an unbounded one, "?", as 0. Of a
** layout the order of dimensions and E(bits) are read. b(...), a buffer, is the shape in it.
*/
mpg_rc mpg_hlo_shape_read(mpg_hlo_lex *l, mpg_hlo_scratch *scratch, mpg_hlo_shapes *shapes,
                          uint32_t *out, mpg_err *err);

#endif
