/*
** transformer_json.h - the shape of a transformer (program/transformer.h) from a JSON object.
*/
#ifndef MPG_TRANSFORMER_JSON_H
#define MPG_TRANSFORMER_JSON_H

#include "transformer.h"

/* The FLOPs of the shape: transformer_flops in SQL. A member that is null counts as missing.
** MPG_MISUSE or MPG_DATA name the key that is unknown, missing, of another type, or in conflict
** with another. */
mpg_rc mpg_transformer_json(const mpg_env *env, mpg_str shape, double *flops, mpg_err *err);

#endif
