/*
** transformer_json.h - the shape of a transformer (program/transformer.h) from a JSON object.
*/
#ifndef MPG_TRANSFORMER_JSON_H
#define MPG_TRANSFORMER_JSON_H

#include "transformer.h"

/* The FLOPs that the shape comes to: transformer_flops in SQL. A member that is null is as if it
** were not there. MPG_MISUSE or MPG_DATA name the key that is unknown, missing, of another kind, or
** at odds with another. */
mpg_rc mpg_transformer_json(const mpg_env *env, mpg_str shape, double *flops, mpg_err *err);

#endif
