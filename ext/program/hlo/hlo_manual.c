/*
** hlo_manual.c - computations that run once on each partition of a module whose other shapes are of
** all of them: what JAX's shard_map makes. Two annotations are around their call, from shapes of
** the whole to those of a part and back: SPMDFullToShardShape and SPMDShardToFullShape, or Shardy's
** xla.sdy.GlobalToLocalShape and xla.sdy.LocalToGlobalShape.
*/
#include "hlo_attribute.h"
#include "hlo_rules.h"

#define STEPS 16 /* from an operand of the call back to the annotation */

static bool is_target(const mpg_hlo_module *m, const mpg_hlo_instruction *i, const char *target) {
  return i->rule == MPG_HLO_CUSTOM_CALL &&
         mpg_str_eq(mpg_hlo_unquoted(mpg_hlo_attribute_of(m, i, MPG_HLO_TARGET)),
                    mpg_str_of(target));
}

/* On how many partitions what the annotation hands out is; 0: it is none of these. */
static int64_t parts_of(const mpg_hlo_module *m, const mpg_hlo_instruction *i) {
  int64_t parts;
  if (is_target(m, i, "SPMDFullToShardShape"))
    parts = mpg_hlo_manual_tiles(mpg_hlo_attribute_of(m, i, MPG_HLO_SHARDING));
  else if (is_target(m, i, "xla.sdy.GlobalToLocalShape"))
    parts = mpg_hlo_manual_axes(m->meshes, mpg_hlo_attribute_of(m, i, MPG_HLO_FRONTEND));
  else
    return 0;
  return parts > 0 && parts < m->partitions ? parts : m->partitions;
}

int64_t mpg_hlo_parts(const mpg_hlo_module *m, const mpg_hlo_instruction *call) {
  if (m->partitions <= 1 || call->rule != MPG_HLO_CALL)
    return 1;
  for (uint32_t k = 0; k < call->noperands; k++) {
    uint32_t at = mpg_hlo_operand(m, call, k);
    for (unsigned step = 0; step < STEPS && at != MPG_HLO_NONE; step++) {
      const mpg_hlo_instruction *i = &m->instructions[at];
      int64_t parts = parts_of(m, i);
      if (parts > 0)
        return parts;
      if (i->rule != MPG_HLO_GET_TUPLE_ELEMENT && !is_target(m, i, "Sharding"))
        break;
      at = mpg_hlo_operand(m, i, 0);
    }
  }
  return 1;
}
