/* hlo_cost.c - see hlo_cost.h. */
#include "hlo_attribute.h"
#include "hlo_rules.h"

#include <string.h>

#define COMPUTATIONS_BETWEEN_POLLS 1024
#define INSTRUCTIONS_BETWEEN_POLLS 4096u
#define FUSIONS_BETWEEN_POLLS 16u

void mpg_hlo_cost_init(mpg_hlo_cost *c, const mpg_env *env) {
  memset(c, 0, sizeof *c);
  c->env = env;
}

void mpg_hlo_cost_free(mpg_hlo_cost *c) {
  if (c->env == NULL)
    return;
  mpg_free(c->env, c->price);
  mpg_free(c->env, c->total);
  mpg_free(c->env, c->times);
  mpg_free(c->env, c->read);
  mpg_free(c->env, c->stack);
  memset(c, 0, sizeof *c);
}

static void add_work(mpg_hlo_work *to, const mpg_hlo_work *work, mpg_i128 times) {
  for (int k = 0; k < MPG_HLO_COUNTERS; k++)
    to->of[k] = mpg_hlo_add(to->of[k], mpg_hlo_mul(work->of[k], times));
}

/* ---- What calls run ---- */

/* Whether what an edge leads to runs as itself, rather than applied to elements. */
static bool is_run(const mpg_hlo_instruction *i, const mpg_hlo_price *p, const mpg_hlo_edge *e) {
  switch ((mpg_hlo_rule)i->rule) {
  case MPG_HLO_WHILE:
    return e->key == MPG_HLO_BODY || e->key == MPG_HLO_CONDITION;
  case MPG_HLO_CONDITIONAL:
    return e->key >= MPG_HLO_BRANCHES && e->key <= MPG_HLO_FALSE_BRANCH;
  case MPG_HLO_CALL:
    return e->key == MPG_HLO_CALLS || e->key == MPG_HLO_TO_APPLY;
  case MPG_HLO_FUSION:
    return e->key == MPG_HLO_CALLS && p->inside == MPG_HLO_NONE;
  default:
    return false;
  }
}

/* How often one execution of `i` runs what edge e leads to, by counter k. */
static mpg_i128 runs_of_edge(const mpg_hlo_cost *c, const mpg_hlo_instruction *i, uint32_t e,
                             int k) {
  const mpg_hlo_edge *edge = &c->m->edges[e];
  const mpg_hlo_price *p = &c->price[i - c->m->instructions];
  if (!is_run(i, p, edge))
    return 0;
  if (i->rule == MPG_HLO_WHILE)
    return p->trips < 0 ? 1 : (mpg_i128)p->trips + (edge->key == MPG_HLO_CONDITION);
  if (i->rule == MPG_HLO_CONDITIONAL)
    return e == p->greatest[k];
  if (i->rule == MPG_HLO_CALL)
    return p->parts;
  return !(i->rule == MPG_HLO_FUSION && k == MPG_HLO_BYTES); /* a fusion's traffic is its own */
}

/* Of a conditional's branches the one that costs most, by each counter; the first of equals. */
static void find_greatest(const mpg_hlo_cost *c, const mpg_hlo_instruction *i, mpg_hlo_price *p) {
  for (int k = 0; k < MPG_HLO_COUNTERS; k++) {
    uint32_t most = MPG_HLO_NONE;
    for (uint32_t b = i->edge; b < i->edge + i->nedges; b++)
      if (is_run(i, p, &c->m->edges[b]) &&
          (most == MPG_HLO_NONE ||
           c->total[c->m->edges[b].callee].of[k] > c->total[c->m->edges[most].callee].of[k]))
        most = b;
    p->greatest[k] = most;
  }
}

mpg_hlo_work mpg_hlo_with_callees(const mpg_hlo_cost *c, const mpg_hlo_instruction *i) {
  mpg_hlo_work sum = c->price[i - c->m->instructions].own;
  for (uint32_t e = i->edge; e < i->edge + i->nedges; e++)
    for (int k = 0; k < MPG_HLO_COUNTERS; k++)
      sum.of[k] = mpg_hlo_add(
          sum.of[k], mpg_hlo_mul(c->total[c->m->edges[e].callee].of[k], runs_of_edge(c, i, e, k)));
  return sum;
}

/* ---- The two passes ---- */

bool mpg_hlo_is_unbounded(const mpg_hlo_module *m, const mpg_hlo_instruction *i) {
  switch ((mpg_hlo_rule)i->rule) {
  case MPG_HLO_FREE: /* no cost of their own, or none that goes by sizes */
  case MPG_HLO_PARAMETER:
  case MPG_HLO_CONSTANT:
  case MPG_HLO_GET_TUPLE_ELEMENT:
  case MPG_HLO_TUPLE_OP:
  case MPG_HLO_WHILE:
  case MPG_HLO_CONDITIONAL:
  case MPG_HLO_CALL:
    return false;
  case MPG_HLO_CUSTOM_CALL:
    if (mpg_hlo_custom_of(m, i) == MPG_HLO_CUSTOM_FREE)
      return false;
    break;
  default:
    break;
  }
  for (uint32_t k = 0; k < i->noperands; k++)
    if (mpg_hlo_shape_at(&m->shapes, mpg_hlo_operand_shape(m, i, k))->unbounded)
      return true;
  return mpg_hlo_shape_at(&m->shapes, i->shape)->unbounded;
}

static void price_instruction(mpg_hlo_cost *c, uint32_t number) {
  const mpg_hlo_instruction *i = &c->m->instructions[number];
  mpg_hlo_price *p = &c->price[number];
  memset(p, 0, sizeof *p);
  p->known = true;
  p->trips = MPG_HLO_NO_TRIPS;
  p->inside = mpg_hlo_custom_fusion(c->m, i);
  p->parts = mpg_hlo_parts(c->m, i);
  if (i->rule == MPG_HLO_CONDITIONAL)
    find_greatest(c, i, p);
  if (i->rule == MPG_HLO_WHILE) {
    p->trips = mpg_hlo_trips(c->m, i);
    p->known = p->trips >= 0;
  }
  mpg_hlo_price_flops(c, p->inside == MPG_HLO_NONE ? i : &c->m->instructions[p->inside], p);
  if (mpg_hlo_is_unbounded(c->m, i))
    p->known = false;
  mpg_hlo_price_bytes(c, i, p);
  mpg_hlo_price_collective(c->m, i, p);
}

/* A fusion looks at all of what it calls, and so may thousands of them; a convolution, or many
** axes, may take milliseconds. */
static unsigned between_polls(const mpg_hlo_instruction *i, uint32_t fused) {
  if (i->rule == MPG_HLO_CONVOLUTION || i->rule == MPG_HLO_CUSTOM_CALL || i->rule == MPG_HLO_CALL ||
      (i->rule >= MPG_HLO_ALL_REDUCE && i->rule <= MPG_HLO_PERMUTE))
    return 1;
  return fused != MPG_HLO_NONE ? FUSIONS_BETWEEN_POLLS : INSTRUCTIONS_BETWEEN_POLLS;
}

/* Callees first: each computation's total is known before its callers need it. */
static mpg_rc price_all(mpg_hlo_cost *c, mpg_err *err) {
  const mpg_hlo_module *m = c->m;
  unsigned turn = 0;
  for (size_t k = 0; k < m->n_computations; k++) {
    uint32_t computation = m->order[k];
    mpg_hlo_work *total = &c->total[computation];
    memset(total, 0, sizeof *total);
    if (k % COMPUTATIONS_BETWEEN_POLLS == 0 && mpg_interrupted(c->env))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    for (uint32_t i = m->computations[computation].first; i != MPG_HLO_NONE;
         i = m->instructions[i].next) {
      uint32_t fused = m->instructions[i].rule == MPG_HLO_FUSION
                           ? mpg_hlo_callee(m, &m->instructions[i], MPG_HLO_CALLS)
                           : MPG_HLO_NONE;
      mpg_hlo_work work;
      if (++turn % between_polls(&m->instructions[i], fused) == 0 && mpg_interrupted(c->env))
        return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
      if (fused != MPG_HLO_NONE && mpg_hlo_read_parameters(c, fused) != MPG_OK)
        return mpg_fail_nomem(err);
      price_instruction(c, i);
      work = mpg_hlo_with_callees(c, &m->instructions[i]);
      add_work(total, &work, 1);
    }
  }
  return MPG_OK;
}

/* Callers first: executions of each computation. Both sums are of the same products, so cost times
** executions over all instructions is the total of the entry. */
static mpg_rc count_runs(mpg_hlo_cost *c) {
  const mpg_hlo_module *m = c->m;
  size_t turn = 0;
  memset(c->times, 0, m->n_computations * sizeof *c->times);
  for (int k = 0; k < MPG_HLO_COUNTERS; k++)
    c->times[m->entry].of[k] = 1;
  for (size_t n = m->n_computations; n-- > 0;) {
    uint32_t computation = m->order[n];
    const mpg_hlo_work *times = &c->times[computation];
    for (uint32_t i = m->computations[computation].first; i != MPG_HLO_NONE;
         i = m->instructions[i].next) {
      if (mpg_poll(c->env, turn++))
        return MPG_INTERRUPTED;
      for (uint32_t e = m->instructions[i].edge;
           e < m->instructions[i].edge + m->instructions[i].nedges; e++)
        for (int k = 0; k < MPG_HLO_COUNTERS; k++) {
          mpg_i128 *to = &c->times[m->edges[e].callee].of[k];
          *to = mpg_hlo_add(*to,
                            mpg_hlo_mul(times->of[k], runs_of_edge(c, &m->instructions[i], e, k)));
        }
    }
  }
  return MPG_OK;
}

/* ---- Of the module ---- */

static bool is_custom(const mpg_hlo_module *m, const mpg_hlo_instruction *i, const char *begin) {
  mpg_str target = mpg_hlo_unquoted(mpg_hlo_attribute_of(m, i, MPG_HLO_TARGET));
  size_t n = strlen(begin);
  return i->rule == MPG_HLO_CUSTOM_CALL && target.n >= n && memcmp(target.p, begin, n) == 0;
}

/*
** Whether shapes are of all partitions together. The SPMD partitioner takes the annotations of
** shardings away and divides the shapes; fusion and scheduling come after it.
*/
static void find_scope(mpg_hlo_cost *c, bool annotated, bool fused, bool collective) {
  const mpg_hlo_module *m = c->m;
  c->is_global = false;
  if (m->partitions <= 1) {
    c->evidence = "one partition";
  } else if (annotated) {
    c->is_global = true;
    c->evidence = "sharding annotations (custom calls) that the partitioner takes away";
  } else if (m->scheduled) {
    c->evidence = "is_scheduled=true: after the partitioner";
  } else if (fused) {
    c->evidence = "fusions: after the partitioner";
  } else if (collective) {
    c->evidence = "collectives, and no sharding annotations: after the partitioner";
  } else {
    c->is_global = true;
    c->evidence = "several partitions, and nothing that the partitioner leaves behind";
  }
}

static mpg_rc summarise_module(mpg_hlo_cost *c) {
  const mpg_hlo_module *m = c->m;
  const mpg_hlo_computation *entry = &m->computations[m->entry];
  bool annotated = false, fused = false, collective = false;
  memset(c->matmul, 0, sizeof c->matmul);
  c->parameter_bytes = c->result_bytes = 0;
  c->known = c->unknown_trips = 0;
  c->devices = m->partitions > INT32_MAX / m->replicas ? INT32_MAX : m->partitions * m->replicas;
  for (size_t k = 0; k < m->n; k++) {
    const mpg_hlo_instruction *i = &m->instructions[k];
    const mpg_hlo_price *p = &c->price[k];
    unsigned class = mpg_hlo_class(c, i);
    if (mpg_poll(c->env, k))
      return MPG_INTERRUPTED;
    c->known += p->known;
    c->unknown_trips += p->trips == MPG_HLO_UNKNOWN_TRIPS;
    c->devices = p->devices > c->devices ? p->devices : c->devices;
    fused |= i->rule == MPG_HLO_FUSION;
    collective |= i->rule >= MPG_HLO_ALL_REDUCE && i->rule <= MPG_HLO_PERMUTE;
    annotated |=
        is_custom(m, i, "Sharding") || is_custom(m, i, "SPMD") || is_custom(m, i, "xla.sdy.");
    if (class < MPG_HLO_CLASSES)
      c->matmul[class] = mpg_hlo_add(
          c->matmul[class], mpg_hlo_mul(p->own.of[MPG_HLO_FLOPS], c->times[i->computation].of[0]));
  }
  c->sum = c->total[m->entry];
  for (uint32_t k = 0; k < entry->nparameters; k++) {
    uint32_t p = m->parameters[entry->parameter + k];
    if (p != MPG_HLO_NONE)
      c->parameter_bytes =
          mpg_hlo_add(c->parameter_bytes, mpg_hlo_leaf_size(&m->shapes, m->instructions[p].shape));
  }
  if (entry->root != MPG_HLO_NONE)
    c->result_bytes = mpg_hlo_leaf_size(&m->shapes, m->instructions[entry->root].shape);
  find_scope(c, annotated, fused, collective);
  c->device_bytes = mpg_hlo_held_bytes(c);
  return mpg_interrupted(c->env) ? MPG_INTERRUPTED : MPG_OK;
}

mpg_rc mpg_hlo_cost_module(mpg_hlo_cost *c, const mpg_hlo_module *m, mpg_err *err) {
  mpg_rc rc;
  c->m = m;
  if (mpg_grow(c->env, &c->price, &c->cap_price, m->n + 1, sizeof *c->price) != MPG_OK ||
      mpg_grow(c->env, &c->read, &c->cap_read, m->n + 1, sizeof *c->read) != MPG_OK ||
      mpg_grow(c->env, &c->total, &c->cap_total, m->n_computations + 1, sizeof *c->total) !=
          MPG_OK ||
      mpg_grow(c->env, &c->times, &c->cap_times, m->n_computations + 1, sizeof *c->times) != MPG_OK)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < m->n; i++) {
    if (mpg_poll(c->env, i))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    c->read[i] = -1;
  }
  rc = price_all(c, err);
  if (rc != MPG_OK)
    return rc;
  if (count_runs(c) != MPG_OK || summarise_module(c) != MPG_OK)
    return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  return MPG_OK;
}
