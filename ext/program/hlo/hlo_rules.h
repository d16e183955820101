/*
** hlo_rules.h - the rules of hlo_cost.c, by what they count.
*/
#ifndef MPG_HLO_RULES_H
#define MPG_HLO_RULES_H

#include "hlo_cost.h"

/* ---- hlo_flops.c ---- */

/* FLOPs and transcendentals of one execution, and whether they are known and of a multiply. */
void mpg_hlo_price_flops(const mpg_hlo_cost *c, const mpg_hlo_instruction *i, mpg_hlo_price *p);

/* ---- hlo_bytes.c ---- */

/* Bytes of one execution; those of fusions need `inside`, and the `read` of what is fused. */
void mpg_hlo_price_bytes(const mpg_hlo_cost *c, const mpg_hlo_instruction *i, mpg_hlo_price *p);
/* Fills `read` for the parameters of a fused computation, whose own fused ones were done before. */
mpg_rc mpg_hlo_read_parameters(mpg_hlo_cost *c, uint32_t computation);
/* The gather or scatter that stands for a whole custom fusion (kind=kCustom) that multiplies
** nothing, or MPG_HLO_NONE. */
uint32_t mpg_hlo_custom_fusion(const mpg_hlo_module *m, const mpg_hlo_instruction *fusion);

/* ---- hlo_collective.c ---- */

void mpg_hlo_price_collective(const mpg_hlo_module *m, const mpg_hlo_instruction *i,
                              mpg_hlo_price *p);

/* ---- hlo_trips.c ---- */

/* How often a while runs its body, or MPG_HLO_UNKNOWN_TRIPS. */
int64_t mpg_hlo_trips(const mpg_hlo_module *m, const mpg_hlo_instruction *loop);

/* ---- hlo_manual.c ---- */

/* How often an execution of the module runs a call, for each of its own: on how many partitions
** by itself, else 1. */
int64_t mpg_hlo_parts(const mpg_hlo_module *m, const mpg_hlo_instruction *call);

/* ---- hlo_shards.c ---- */

/* Bytes of parameters and results that one device holds, once their scope is known. */
mpg_i128 mpg_hlo_held_bytes(const mpg_hlo_cost *c);

#endif
