/*
** hlo_shards.c - what one device holds of a module's parameters and results. Where shapes are of
** all partitions together, their shardings say how many different parts an array has; of what is
** replicated, as weights in data parallelism, each device holds all. Where nothing is said, as many
** parts as there are partitions: the least.
*/
#include "hlo_attribute.h"
#include "hlo_rules.h"

typedef struct shardings {
  mpg_str tiled, shardy; /* what is left of the lists; empty: none */
  bool is_list;          /* one for each array of a tuple */
  int64_t parts;         /* of all, if it is no list; 0: unknown */
} shardings;

static shardings shardings_of(const mpg_hlo_module *m, const mpg_hlo_instruction *i) {
  shardings s = {
      mpg_hlo_attribute_of(m, i, MPG_HLO_SHARDING),
      mpg_hlo_after(mpg_hlo_attribute_of(m, i, MPG_HLO_FRONTEND), MPG_STR("xla.sdy.sharding")),
      false, 0};
  s.is_list = s.tiled.n > 1 && s.tiled.p[1] == '{';
  if (s.is_list)
    s.tiled = (mpg_str){s.tiled.p + 1, s.tiled.n - 1};
  else
    s.parts = mpg_hlo_tiled_parts(s.tiled);
  return s;
}

/* What a device holds of the next array. */
static mpg_i128 held_of(const mpg_hlo_module *m, shardings *s, mpg_i128 size) {
  int64_t parts = s->is_list ? mpg_hlo_tiled_parts(mpg_hlo_next_sharding(&s->tiled)) : s->parts;
  if (parts == 0 && s->shardy.n > 0)
    parts = mpg_hlo_shardy_parts(m->meshes, &s->shardy);
  if (parts == 0 || parts > m->partitions)
    parts = m->partitions;
  return (size + parts - 1) / parts;
}

/* Of an array, or of the arrays of a tuple. From a tuple in it on no sharding is read. */
static mpg_i128 held_shape(const mpg_hlo_module *m, shardings s, uint32_t shape) {
  const mpg_hlo_shape *of = mpg_hlo_shape_at(&m->shapes, shape);
  mpg_i128 sum = 0;
  if (of->type != MPG_HLO_TUPLE)
    return held_of(m, &s, mpg_hlo_device_size(&m->shapes, shape));
  for (uint32_t k = 0; k < of->n; k++) {
    uint32_t member = mpg_hlo_member(&m->shapes, shape, k);
    if (mpg_hlo_is_tuple(&m->shapes, member))
      s = (shardings){{NULL, 0}, {NULL, 0}, false, 0};
    sum = mpg_hlo_add(sum, held_of(m, &s, mpg_hlo_device_size(&m->shapes, member)));
  }
  return sum;
}

/* Of the results: by the sharding of the root, else by those of the annotations that make them. */
static mpg_i128 held_results(const mpg_hlo_cost *c, const mpg_hlo_instruction *root) {
  const mpg_hlo_module *m = c->m;
  shardings s = shardings_of(m, root);
  mpg_i128 sum = 0;
  if (s.tiled.n > 0 || s.shardy.n > 0 || root->rule != MPG_HLO_TUPLE_OP)
    return held_shape(m, s, root->shape);
  for (uint32_t k = 0; k < root->noperands && !mpg_poll(c->env, k); k++) {
    const mpg_hlo_instruction *of = &m->instructions[mpg_hlo_operand(m, root, k)];
    sum = mpg_hlo_add(sum, held_shape(m, shardings_of(m, of), of->shape));
  }
  return sum;
}

mpg_i128 mpg_hlo_held_bytes(const mpg_hlo_cost *c) {
  const mpg_hlo_module *m = c->m;
  const mpg_hlo_computation *entry = &m->computations[m->entry];
  mpg_i128 sum = 0;
  for (uint32_t k = 0; k < entry->nparameters; k++) {
    uint32_t p = m->parameters[entry->parameter + k];
    const mpg_hlo_instruction *i;
    if (p == MPG_HLO_NONE)
      continue;
    i = &m->instructions[p];
    sum = mpg_hlo_add(sum, c->is_global ? held_shape(m, shardings_of(m, i), i->shape)
                                        : mpg_hlo_device_size(&m->shapes, i->shape));
  }
  if (entry->root != MPG_HLO_NONE) {
    const mpg_hlo_instruction *root = &m->instructions[entry->root];
    sum = mpg_hlo_add(sum, c->is_global ? held_results(c, root)
                                        : mpg_hlo_device_size(&m->shapes, root->shape));
  }
  return sum;
}
