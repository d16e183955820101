/*
** hlo_collective.c - what collectives move, and between how many ranks.
**
** V, the data of the whole group: the output of an all-gather, all-reduce or broadcast, the input
** of a reduce-scatter, all-to-all or permute. Each of n ranks then sends, on a ring or through a
** switch,
**     (n - 1) / n V     all-gather, reduce-scatter, all-to-all
**     2 (n - 1) / n V   all-reduce, which is the two former
**     V                 collective-permute, collective-broadcast, collective-reduce, send
** These are the bus-bandwidth factors of github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md.
*/
#include "hlo_attribute.h"
#include "hlo_rules.h"

#include <string.h>

/* What goes in. A ragged all-to-all sends of its first operand; room for the output, offsets and
** sizes follow. */
static mpg_i128 operands_size(const mpg_hlo_module *m, const mpg_hlo_instruction *i) {
  mpg_i128 sum = 0;
  bool ragged = i->opcode.n > 6 && memcmp(i->opcode.p, "ragged", 6) == 0;
  for (uint32_t k = 0; k < (ragged ? 1 : i->noperands); k++)
    sum = mpg_hlo_add(sum, mpg_hlo_leaf_size(&m->shapes, mpg_hlo_operand_shape(m, i, k)));
  return sum;
}

/* Of all-gather-start, whose shape is (operands, results), the results; else all there is. */
static mpg_i128 results_size(const mpg_hlo_module *m, const mpg_hlo_instruction *i) {
  uint32_t shape = mpg_hlo_result(m, i);
  if (mpg_str_eq(i->opcode, MPG_STR("all-gather-start")))
    shape = mpg_hlo_member(&m->shapes, shape, 1);
  return mpg_hlo_leaf_size(&m->shapes, shape);
}

/* All that take part if no group is written: without a channel the replicas of each partition, with
** one all devices, but of an all-to-all the partitions of each replica. */
static int64_t everybody(const mpg_hlo_module *m, const mpg_hlo_instruction *i) {
  bool channel = mpg_hlo_attribute_of(m, i, MPG_HLO_CHANNEL).n > 0;
  if (m->replicas > 1 && !channel)
    return m->replicas > INT32_MAX ? INT32_MAX : m->replicas;
  if (m->partitions > 1 && channel && i->rule == MPG_HLO_ALL_TO_ALL)
    return m->partitions > INT32_MAX ? INT32_MAX : m->partitions;
  return m->partitions > INT32_MAX / m->replicas ? INT32_MAX : m->partitions * m->replicas;
}

/* The number of ranks if no group is written: from the shapes, else everybody. */
static int64_t ranks_by_shape(const mpg_hlo_module *m, const mpg_hlo_instruction *i, mpg_i128 whole,
                              mpg_i128 part) {
  if (part > 0 && whole / part > 1 && whole / part < INT32_MAX)
    return (int64_t)(whole / part);
  return everybody(m, i);
}

/*
** With a channel and without use_global_device_ids, these groups list replicas, and all partitions
** of each are members. If a number exceeds the replicas, the groups do not list replicas, in spite
** of the attributes.
*/
static void add_partitions(const mpg_hlo_module *m, const mpg_hlo_instruction *i,
                           mpg_hlo_price *p) {
  if (p->ranks == 0 || p->devices > m->replicas || i->rule == MPG_HLO_ALL_TO_ALL ||
      i->rule == MPG_HLO_PERMUTE || mpg_hlo_attribute_of(m, i, MPG_HLO_CHANNEL).n == 0 ||
      mpg_str_eq(mpg_hlo_attribute_of(m, i, MPG_HLO_GLOBAL_IDS), MPG_STR("true")))
    return;
  p->ranks = p->ranks > INT32_MAX / m->partitions ? INT32_MAX : p->ranks * m->partitions;
  p->devices = p->devices > INT32_MAX / m->partitions ? INT32_MAX : p->devices * m->partitions;
}

void mpg_hlo_price_collective(const mpg_hlo_module *m, const mpg_hlo_instruction *i,
                              mpg_hlo_price *p) {
  mpg_str groups = mpg_hlo_attribute_of(m, i, MPG_HLO_REPLICA_GROUPS);
  mpg_i128 in, out, whole;
  int64_t pairs = 0;
  if (i->rule == MPG_HLO_SEND &&
      !mpg_str_eq(mpg_hlo_attribute_of(m, i, MPG_HLO_HOST_TRANSFER), MPG_STR("true")))
    p->own.of[MPG_HLO_COLLECTIVE] = p->own.of[MPG_HLO_WIRE] = operands_size(m, i);
  if (i->rule < MPG_HLO_ALL_REDUCE || i->rule > MPG_HLO_PERMUTE)
    return;
  in = operands_size(m, i);
  out = results_size(m, i);
  mpg_hlo_groups(groups, &p->ranks, &p->devices);
  add_partitions(m, i, p);
  if (p->ranks == 0 && i->rule == MPG_HLO_PERMUTE) {
    mpg_hlo_groups(mpg_hlo_attribute_of(m, i, MPG_HLO_PAIRS), &pairs, &p->devices);
    p->ranks = p->devices;
  }
  switch ((mpg_hlo_rule)i->rule) {
  case MPG_HLO_ALL_REDUCE:
    whole = out;
    break;
  case MPG_HLO_ALL_GATHER:
    whole = out;
    p->ranks = p->ranks > 0 ? p->ranks : ranks_by_shape(m, i, out, in);
    break;
  case MPG_HLO_REDUCE_SCATTER:
    whole = in;
    p->ranks = p->ranks > 0 ? p->ranks : ranks_by_shape(m, i, in, out);
    break;
  default:
    whole = in;
    break;
  }
  p->ranks = p->ranks > 0 ? p->ranks : everybody(m, i);
  p->own.of[MPG_HLO_COLLECTIVE] = whole;
  if (i->rule == MPG_HLO_PERMUTE)
    p->own.of[MPG_HLO_WIRE] = whole;
  else
    p->own.of[MPG_HLO_WIRE] =
        mpg_hlo_mul(whole, (i->rule == MPG_HLO_ALL_REDUCE ? 2 : 1) * (p->ranks - 1)) / p->ranks;
}
