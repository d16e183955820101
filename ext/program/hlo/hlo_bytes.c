/*
** hlo_bytes.c - bytes that an instruction reads and writes (hlo_rules.h, hlo_opcode.h).
**
** The default is the size of every operand plus that of the output. A tuple operand is a table of
** pointers; a tuple output counts the arrays in it.
*/
#include "hlo_attribute.h"
#include "hlo_rules.h"

#define NOT_ASKED (-1)

static mpg_i128 size_of(const mpg_hlo_module *m, uint32_t shape) {
  return mpg_hlo_size(&m->shapes, shape);
}

static mpg_i128 leaves_of(const mpg_hlo_module *m, uint32_t shape) {
  return mpg_hlo_leaf_size(&m->shapes, shape);
}

static mpg_i128 operand_size(const mpg_hlo_module *m, const mpg_hlo_instruction *i, uint32_t k) {
  return size_of(m, mpg_hlo_operand_shape(m, i, k));
}

/*
** A transpose that only renames the dimensions of what lies in memory as it is: with dimensions[k]
** the operand's dimension that becomes k, the result's order of dimensions in memory, renamed, is
** the operand's. Dimensions of size 1 are in no order.
*/
static bool is_renaming(const mpg_hlo_module *m, const mpg_hlo_instruction *i) {
  const mpg_hlo_shapes *s = &m->shapes;
  mpg_str list = mpg_hlo_attribute_of(m, i, MPG_HLO_DIMENSIONS);
  uint32_t from = mpg_hlo_operand_shape(m, i, 0), to = mpg_hlo_result(m, i);
  uint32_t n = mpg_hlo_shape_at(s, to)->n;
  int64_t dimensions[MPG_HLO_WINDOW_DIMS];
  if (n != mpg_hlo_shape_at(s, from)->n || n > MPG_HLO_WINDOW_DIMS || mpg_hlo_is_tuple(s, to) ||
      mpg_hlo_is_tuple(s, from) || mpg_hlo_shape_at(s, from)->type != mpg_hlo_shape_at(s, to)->type)
    return false;
  for (uint32_t k = 0; k < n; k++)
    if (!mpg_hlo_next_number(&list, &dimensions[k]))
      return false;
  for (uint32_t in = 0, out = 0;; in++, out++) {
    while (in < n && mpg_hlo_dim(s, from, mpg_hlo_minor(s, from, in)) == 1)
      in++;
    while (out < n && mpg_hlo_dim(s, to, mpg_hlo_minor(s, to, out)) == 1)
      out++;
    if (in >= n || out >= n)
      return in >= n && out >= n;
    if (dimensions[mpg_hlo_minor(s, to, out)] != mpg_hlo_minor(s, from, in))
      return false;
  }
}

/* ---- Fusions ---- */

static mpg_i128 output_of(const mpg_hlo_module *m, uint32_t i) {
  return size_of(m, m->instructions[i].shape);
}

/*
** What a user reads of `value`: a slice reads what it takes, an update in place only the update; of
** other users the first reads all, and the rest share that.
*/
static mpg_i128 read_by(const mpg_hlo_module *m, uint32_t value, uint32_t user, bool *shared) {
  const mpg_hlo_instruction *u = &m->instructions[user];
  bool is_first = mpg_hlo_operand(m, u, 0) == value;
  switch ((mpg_hlo_rule)u->rule) {
  case MPG_HLO_SLICE:
    return output_of(m, user);
  case MPG_HLO_DYNAMIC_SLICE:
    if (is_first)
      return output_of(m, user);
    break;
  case MPG_HLO_DYNAMIC_UPDATE_SLICE:
    if (is_first)
      return 0;
    break;
  case MPG_HLO_BROADCAST:
    return output_of(m, value);
  default:
    break;
  }
  if (*shared)
    return 0;
  *shared = true;
  return output_of(m, value);
}

static bool is_slice(uint8_t rule) {
  return rule == MPG_HLO_SLICE || rule == MPG_HLO_DYNAMIC_SLICE ||
         rule == MPG_HLO_DYNAMIC_UPDATE_SLICE;
}

/* What a fusion within the fusion reads of its operand k. Where it hands the parameter on as good
** as unchanged, slices of the fusion's output are slices of the parameter. */
static mpg_i128 read_by_fusion(const mpg_hlo_cost *c, uint32_t fusion, uint32_t k) {
  const mpg_hlo_module *m = c->m;
  uint32_t callee = mpg_hlo_callee(m, &m->instructions[fusion], MPG_HLO_CALLS);
  const mpg_hlo_computation *of;
  const mpg_hlo_instruction *root;
  mpg_i128 sum = 0;
  uint32_t parameter;
  bool simple, shared = false;
  if (callee == MPG_HLO_NONE)
    return 0;
  of = &m->computations[callee];
  parameter = k < of->nparameters ? m->parameters[of->parameter + k] : MPG_HLO_NONE;
  if (parameter == MPG_HLO_NONE)
    return 0;
  root = &m->instructions[of->root];
  simple = root->noperands == 0 || mpg_hlo_operand(m, root, 0) == parameter;
  for (uint32_t u = m->user_start[fusion]; u < m->user_start[fusion + 1]; u++) {
    if (simple && is_slice(m->instructions[m->users[u]].rule)) {
      sum = mpg_hlo_add(sum, read_by(m, fusion, m->users[u], &shared));
    } else if (!shared) {
      shared = true;
      sum = mpg_hlo_add(sum, c->read[parameter]);
    }
  }
  return sum;
}

/* Bytes read of a parameter, or an element of one, by all its users within a fused computation. */
static mpg_i128 read_of(const mpg_hlo_cost *c, uint32_t value) {
  const mpg_hlo_module *m = c->m;
  mpg_i128 sum = 0;
  bool shared = false;
  for (uint32_t at = m->user_start[value]; at < m->user_start[value + 1]; at++) {
    const mpg_hlo_instruction *u = &m->instructions[m->users[at]];
    if (u->rule != MPG_HLO_FUSION) {
      sum = mpg_hlo_add(sum, read_by(m, value, m->users[at], &shared));
      continue;
    }
    for (uint32_t k = 0; k < u->noperands; k++)
      if (mpg_hlo_operand(m, u, k) == value)
        sum = mpg_hlo_add(sum, read_by_fusion(c, m->users[at], k));
  }
  return sum;
}

static mpg_rc push_value(mpg_hlo_cost *c, size_t *n, uint32_t shape, uint32_t value) {
  if (mpg_grow(c->env, &c->stack, &c->cap_stack, *n + 2, sizeof *c->stack) != MPG_OK)
    return MPG_NOMEM;
  c->stack[(*n)++] = shape;
  c->stack[(*n)++] = value;
  return MPG_OK;
}

/*
** A tuple parameter is read through the get-tuple-elements of its arrays. An array that has none is
** charged as what is nearest to it, which is how XLA counts tuples that are passed on.
*/
static mpg_rc read_tuple(mpg_hlo_cost *c, uint32_t parameter, mpg_i128 *sum) {
  const mpg_hlo_module *m = c->m;
  size_t n = 0;
  *sum = 0;
  if (push_value(c, &n, m->instructions[parameter].shape, parameter) != MPG_OK)
    return MPG_NOMEM;
  while (n > 0) {
    uint32_t value = c->stack[--n], shape = c->stack[--n];
    const mpg_hlo_shape *s = mpg_hlo_shape_at(&m->shapes, shape);
    size_t first = n;
    bool own = m->instructions[value].shape == shape || value != parameter;
    if (s->type != MPG_HLO_TUPLE) {
      *sum = mpg_hlo_add(*sum, read_of(c, value));
      continue;
    }
    for (uint32_t k = 0; k < s->n; k++)
      if (push_value(c, &n, mpg_hlo_member(&m->shapes, shape, k), value) != MPG_OK)
        return MPG_NOMEM;
    for (uint32_t at = m->user_start[value]; own && at < m->user_start[value + 1]; at++) {
      const mpg_hlo_instruction *u = &m->instructions[m->users[at]];
      if (u->rule == MPG_HLO_GET_TUPLE_ELEMENT && u->number < s->n &&
          c->stack[first + 2 * (size_t)u->number + 1] == value)
        c->stack[first + 2 * (size_t)u->number + 1] = m->users[at];
    }
  }
  return MPG_OK;
}

mpg_rc mpg_hlo_read_parameters(mpg_hlo_cost *c, uint32_t computation) {
  const mpg_hlo_module *m = c->m;
  const mpg_hlo_computation *of = &m->computations[computation];
  for (uint32_t k = 0; k < of->nparameters; k++) {
    uint32_t p = m->parameters[of->parameter + k];
    mpg_i128 sum = 0;
    if (p == MPG_HLO_NONE || c->read[p] != NOT_ASKED)
      continue;
    if (!mpg_hlo_is_tuple(&m->shapes, m->instructions[p].shape))
      sum = read_of(c, p);
    else if (read_tuple(c, p, &sum) != MPG_OK)
      return MPG_NOMEM;
    c->read[p] = sum;
  }
  return MPG_OK;
}

/* Of one of a fusion's outputs, made by `root`: an update in place writes the update alone. */
static mpg_i128 written_by(const mpg_hlo_module *m, uint32_t root, uint32_t shape) {
  const mpg_hlo_instruction *r;
  if (root == MPG_HLO_NONE)
    return leaves_of(m, shape);
  r = &m->instructions[root];
  if (r->rule == MPG_HLO_DYNAMIC_UPDATE_SLICE && !mpg_hlo_is_tuple(&m->shapes, shape))
    return operand_size(m, r, 1);
  return leaves_of(m, shape);
}

static mpg_i128 fusion_output(const mpg_hlo_module *m, const mpg_hlo_instruction *i,
                              uint32_t computation) {
  uint32_t root = m->computations[computation].root;
  uint32_t shape = mpg_hlo_result(m, i);
  const mpg_hlo_shape *s = mpg_hlo_shape_at(&m->shapes, shape);
  mpg_i128 sum = 0;
  if (s->type != MPG_HLO_TUPLE)
    return written_by(m, root, shape);
  for (uint32_t k = 0; k < s->n; k++) {
    bool is_tuple = root != MPG_HLO_NONE && m->instructions[root].rule == MPG_HLO_TUPLE_OP;
    uint32_t part = is_tuple ? mpg_hlo_operand(m, &m->instructions[root], k) : root;
    sum = mpg_hlo_add(sum, written_by(m, part, mpg_hlo_member(&m->shapes, shape, k)));
  }
  return sum;
}

/* Constants of more than one element are read from memory. */
static mpg_i128 fused_constants(const mpg_hlo_module *m, uint32_t computation) {
  mpg_i128 sum = 0;
  for (uint32_t i = m->computations[computation].first; i != MPG_HLO_NONE;
       i = m->instructions[i].next)
    if (m->instructions[i].rule == MPG_HLO_CONSTANT &&
        mpg_hlo_elements(&m->shapes, m->instructions[i].shape) > 1)
      sum = mpg_hlo_add(sum, output_of(m, i));
  return sum;
}

uint32_t mpg_hlo_custom_fusion(const mpg_hlo_module *m, const mpg_hlo_instruction *fusion) {
  uint32_t callee = mpg_hlo_callee(m, fusion, MPG_HLO_CALLS), found = MPG_HLO_NONE;
  if (fusion->rule != MPG_HLO_FUSION || callee == MPG_HLO_NONE ||
      !mpg_str_eq(mpg_hlo_attribute_of(m, fusion, MPG_HLO_KIND), MPG_STR("kCustom")))
    return MPG_HLO_NONE;
  for (uint32_t k = m->computations[callee].first; k != MPG_HLO_NONE; k = m->instructions[k].next) {
    uint8_t rule = m->instructions[k].rule;
    if (rule == MPG_HLO_DOT || rule == MPG_HLO_RAGGED_DOT || rule == MPG_HLO_CONVOLUTION)
      return MPG_HLO_NONE;
    if (found == MPG_HLO_NONE && (rule == MPG_HLO_GATHER || rule == MPG_HLO_SCATTER))
      found = k;
  }
  return found;
}

/* ---- Operands and outputs of everything ---- */

/* The first update of a scatter: after its operands and the indices. */
static uint32_t updates_from(const mpg_hlo_instruction *i) {
  return i->noperands / 2 + 1;
}

mpg_i128 mpg_hlo_operand_bytes(const mpg_hlo_cost *c, const mpg_hlo_instruction *i, uint32_t k) {
  const mpg_hlo_module *m = c->m;
  uint32_t callee;
  switch ((mpg_hlo_rule)i->rule) {
  case MPG_HLO_FREE:
  case MPG_HLO_PARAMETER:
  case MPG_HLO_CONSTANT:
  case MPG_HLO_GET_TUPLE_ELEMENT:
  case MPG_HLO_TUPLE_OP:
  case MPG_HLO_INFEED:
  case MPG_HLO_WHILE:
  case MPG_HLO_CONDITIONAL:
  case MPG_HLO_CALL:
  case MPG_HLO_UNKNOWN:
    return 0;
  case MPG_HLO_OUTFEED:
    return leaves_of(m, mpg_hlo_operand_shape(m, i, k));
  case MPG_HLO_TRANSPOSE:
    return is_renaming(m, i) ? 0 : operand_size(m, i, k);
  case MPG_HLO_SLICE:
    return size_of(m, mpg_hlo_result(m, i));
  case MPG_HLO_DYNAMIC_SLICE: /* all indices but the first are free */
    return k == 0 ? size_of(m, mpg_hlo_result(m, i)) : k == 1 ? operand_size(m, i, k) : 0;
  case MPG_HLO_DYNAMIC_UPDATE_SLICE:
    return k == 1 || k == 2 ? operand_size(m, i, k) : 0;
  case MPG_HLO_GATHER:
    return k == 0 ? size_of(m, mpg_hlo_result(m, i)) : operand_size(m, i, k);
  case MPG_HLO_SCATTER:
    return operand_size(m, i, k < i->noperands / 2 ? updates_from(i) + k : k);
  case MPG_HLO_TRIANGULAR_SOLVE:
    return k == 0 ? operand_size(m, i, k) / 2 : operand_size(m, i, k);
  case MPG_HLO_CHOLESKY:
    return operand_size(m, i, k) / 2;
  case MPG_HLO_CUSTOM_CALL:
    return mpg_hlo_custom_of(m, i) < MPG_HLO_CUSTOM_DOT ? 0 : operand_size(m, i, k);
  case MPG_HLO_FUSION:
    callee = mpg_hlo_callee(m, i, MPG_HLO_CALLS);
    if (callee == MPG_HLO_NONE || c->price[i - m->instructions].inside != MPG_HLO_NONE ||
        k >= m->computations[callee].nparameters)
      return 0;
    k = m->parameters[m->computations[callee].parameter + k];
    return k == MPG_HLO_NONE ? 0 : c->read[k];
  default:
    return operand_size(m, i, k);
  }
}

static mpg_i128 output_bytes(const mpg_hlo_cost *c, const mpg_hlo_instruction *i) {
  const mpg_hlo_module *m = c->m;
  mpg_i128 sum = 0;
  mpg_hlo_custom custom;
  uint32_t callee;
  switch ((mpg_hlo_rule)i->rule) {
  case MPG_HLO_FREE:
  case MPG_HLO_PARAMETER:
  case MPG_HLO_CONSTANT:
  case MPG_HLO_GET_TUPLE_ELEMENT:
  case MPG_HLO_OUTFEED:
  case MPG_HLO_WHILE:
  case MPG_HLO_CONDITIONAL:
  case MPG_HLO_CALL:
  case MPG_HLO_UNKNOWN:
    return 0;
  case MPG_HLO_TUPLE_OP:
    return size_of(m, i->shape);
  case MPG_HLO_TRANSPOSE:
    return is_renaming(m, i) ? 0 : size_of(m, mpg_hlo_result(m, i));
  case MPG_HLO_DYNAMIC_UPDATE_SLICE:
    return operand_size(m, i, 1);
  case MPG_HLO_SCATTER:
    for (uint32_t k = updates_from(i); k < i->noperands; k++)
      sum = mpg_hlo_add(sum, operand_size(m, i, k));
    return sum;
  case MPG_HLO_CHOLESKY:
    return operand_size(m, i, 0) / 2;
  case MPG_HLO_CUSTOM_CALL: /* what follows the result is the library's workspace */
    custom = mpg_hlo_custom_of(m, i);
    if (custom < MPG_HLO_CUSTOM_DOT)
      return 0;
    sum = size_of(m, mpg_hlo_first_array(&m->shapes, mpg_hlo_result(m, i)));
    if (custom == MPG_HLO_CUSTOM_ATTENTION_BACKWARD) /* those of key and value */
      sum = mpg_hlo_add(sum, mpg_hlo_add(operand_size(m, i, 1), operand_size(m, i, 2)));
    return sum;
  case MPG_HLO_FUSION:
    callee = mpg_hlo_callee(m, i, MPG_HLO_CALLS);
    return callee == MPG_HLO_NONE ? 0 : fusion_output(m, i, callee);
  default:
    return leaves_of(m, mpg_hlo_result(m, i));
  }
}

static mpg_i128 all_bytes(const mpg_hlo_cost *c, const mpg_hlo_instruction *i, mpg_i128 output) {
  for (uint32_t k = 0; k < i->noperands; k++)
    output = mpg_hlo_add(output, mpg_hlo_operand_bytes(c, i, k));
  return output;
}

void mpg_hlo_price_bytes(const mpg_hlo_cost *c, const mpg_hlo_instruction *i, mpg_hlo_price *p) {
  const mpg_hlo_instruction *of = p->inside == MPG_HLO_NONE ? i : &c->m->instructions[p->inside];
  uint32_t callee = mpg_hlo_callee(c->m, i, MPG_HLO_CALLS);
  p->output_bytes = output_bytes(c, of);
  if (p->is_declared)
    return;
  p->own.of[MPG_HLO_BYTES] = all_bytes(c, of, p->output_bytes);
  if (of->rule == MPG_HLO_FUSION && callee != MPG_HLO_NONE)
    p->own.of[MPG_HLO_BYTES] = mpg_hlo_add(p->own.of[MPG_HLO_BYTES], fused_constants(c->m, callee));
}
