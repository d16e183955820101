/* hlo_module.c - see hlo_module.h. */
#include "hlo_module.h"
#include "hlo_attribute.h"
#include "../../base/intern.h"
#include "../../base/text.h"

#include <string.h>

mpg_hlo_key mpg_hlo_key_find(mpg_str text) {
  static const mpg_str keys[MPG_HLO_KEYS] = {
#define A(name, text) {text, sizeof(text) - 1},
      MPG_HLO_ATTRIBUTES(A)
#undef A
  };
  for (int k = 0; k < MPG_HLO_LITERAL; k++)
    if (keys[k].n == text.n && memcmp(keys[k].p, text.p, text.n) == 0)
      return (mpg_hlo_key)k;
  return MPG_HLO_KEYS;
}

/* ---- Life ---- */

mpg_rc mpg_hlo_module_init(mpg_hlo_module *m, const mpg_env *env) {
  memset(m, 0, sizeof *m);
  m->env = env;
  if (mpg_hlo_shapes_init(&m->shapes, env) != MPG_OK)
    return MPG_NOMEM;
  mpg_hlo_module_clear(m);
  return MPG_OK;
}

void mpg_hlo_module_clear(mpg_hlo_module *m) {
  mpg_hlo_shapes_clear(&m->shapes);
  m->name = m->attributes = m->meshes = (mpg_str){NULL, 0};
  m->line = 0;
  m->partitions = m->replicas = 1;
  m->scheduled = false;
  m->entry = MPG_HLO_NONE;
  m->n = m->n_computations = m->n_operands = m->n_attributes = m->n_edges = m->n_parameters = 0;
  m->n_named = m->n_repeated = 0;
  if (m->names.n_slots > 0)
    memset(m->names.slots, 0, m->names.n_slots * sizeof *m->names.slots);
}

void mpg_hlo_module_free(mpg_hlo_module *m) {
  if (m->env == NULL)
    return;
  mpg_hlo_shapes_free(&m->shapes);
  mpg_free(m->env, m->instructions);
  mpg_free(m->env, m->computations);
  mpg_free(m->env, m->operands);
  mpg_free(m->env, m->attributes_list);
  mpg_free(m->env, m->edges);
  mpg_free(m->env, m->parameters);
  mpg_free(m->env, m->user_start);
  mpg_free(m->env, m->users);
  mpg_free(m->env, m->order);
  mpg_hash_index_free(&m->names, m->env);
  memset(m, 0, sizeof *m);
}

/* ---- Names ---- */

/*
** Instructions and computations share the table: an instruction's key is its computation and its
** name, a computation's is its name alone. Numbers of computations have the top bit set.
*/
#define COMPUTATION 0x80000000u

static uint64_t hash_name(const mpg_hlo_module *m, uint32_t computation, mpg_str name) {
  return mpg_hash(m->env->seed, name.p, name.n) ^ (computation + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static bool is_named(const mpg_hlo_module *m, uint32_t number, uint32_t computation, mpg_str name) {
  if (computation == MPG_HLO_NONE)
    return (number & COMPUTATION) != 0 &&
           mpg_str_eq(m->computations[number & ~COMPUTATION].name, name);
  return (number & COMPUTATION) == 0 && m->instructions[number].computation == computation &&
         mpg_str_eq(m->instructions[number].name, name);
}

static uint64_t hash_of_number(const void *module, uint32_t number) {
  const mpg_hlo_module *m = module;
  if ((number & COMPUTATION) != 0)
    return hash_name(m, MPG_HLO_NONE, m->computations[number & ~COMPUTATION].name);
  return hash_name(m, m->instructions[number].computation, m->instructions[number].name);
}

/* The slot of a name, or the free one where it belongs; *number as there. */
static size_t slot_of(const mpg_hlo_module *m, uint32_t computation, mpg_str name,
                      uint32_t *number) {
  size_t at = mpg_hash_index_first(&m->names, hash_name(m, computation, name));
  while (mpg_hash_index_at(&m->names, at, number) && !is_named(m, *number, computation, name))
    at = mpg_hash_index_next(&m->names, at);
  return at;
}

static mpg_rc reserve_name(mpg_hlo_module *m) {
  return mpg_hash_index_reserve(&m->names, m->env, m->n_named, 1024, hash_of_number, m);
}

/* A name that comes again stands for the later one. Room was made. */
static void put_name(mpg_hlo_module *m, uint32_t computation, mpg_str name, uint32_t number) {
  uint32_t before;
  size_t at = slot_of(m, computation, name, &before);
  m->n_named += before == MPG_HLO_NONE;
  mpg_hash_index_put(&m->names, at, number);
}

uint32_t mpg_hlo_find(const mpg_hlo_module *m, uint32_t computation, mpg_str name) {
  uint32_t number = MPG_HLO_NONE;
  if (m->names.n_slots != 0)
    (void)slot_of(m, computation, name, &number);
  return number;
}

/* ---- Building ---- */

mpg_rc mpg_hlo_add_computation(mpg_hlo_module *m, mpg_str name, int64_t line, uint32_t *out) {
  mpg_rc rc = reserve_name(m);
  if (rc != MPG_OK)
    return rc;
  if (m->n_computations >= COMPUTATION - 1 ||
      mpg_grow(m->env, &m->computations, &m->cap_computations, m->n_computations + 1,
               sizeof *m->computations) != MPG_OK)
    return MPG_NOMEM;
  *out = (uint32_t)m->n_computations;
  m->computations[m->n_computations++] =
      (mpg_hlo_computation){name, line, MPG_HLO_NONE, MPG_HLO_NONE, MPG_HLO_NONE, 0, 0};
  if (name.n > 0)
    put_name(m, MPG_HLO_NONE, name, *out | COMPUTATION);
  return MPG_OK;
}

mpg_rc mpg_hlo_add_instruction(mpg_hlo_module *m, const mpg_hlo_instruction *instruction,
                               bool is_root, uint32_t *out) {
  mpg_hlo_computation *c = &m->computations[instruction->computation];
  mpg_rc rc = reserve_name(m);
  if (rc != MPG_OK)
    return rc;
  if (m->n >= COMPUTATION - 1 ||
      mpg_grow(m->env, &m->instructions, &m->cap, m->n + 1, sizeof *m->instructions) != MPG_OK)
    return MPG_NOMEM;
  *out = (uint32_t)m->n++;
  m->instructions[*out] = *instruction;
  m->instructions[*out].next = MPG_HLO_NONE;
  if (c->last == MPG_HLO_NONE)
    c->first = *out;
  else
    m->instructions[c->last].next = *out;
  c->last = *out;
  if (is_root)
    c->root = *out;
  if (mpg_hlo_find(m, instruction->computation, instruction->name) != MPG_HLO_NONE &&
      m->n_repeated++ == 0)
    m->first_repeated = *out;
  put_name(m, instruction->computation, instruction->name, *out);
  return MPG_OK;
}

mpg_rc mpg_hlo_add_attribute(mpg_hlo_module *m, mpg_hlo_instruction *to, mpg_hlo_key key,
                             mpg_str value, uint32_t computation) {
  if (m->n_attributes >= MPG_HLO_NONE ||
      mpg_grow(m->env, &m->attributes_list, &m->cap_attributes, m->n_attributes + 1,
               sizeof *m->attributes_list) != MPG_OK)
    return MPG_NOMEM;
  m->attributes_list[m->n_attributes] =
      (mpg_hlo_attribute){value, to->attribute, computation, (uint8_t)key};
  to->attribute = (uint32_t)m->n_attributes++;
  return MPG_OK;
}

/* ---- Linking ---- */

static mpg_rc add_edge(mpg_hlo_module *m, mpg_hlo_instruction *i, uint32_t callee, uint8_t key) {
  if (m->n_edges >= MPG_HLO_NONE ||
      mpg_grow(m->env, &m->edges, &m->cap_edges, m->n_edges + 1, sizeof *m->edges) != MPG_OK)
    return MPG_NOMEM;
  m->edges[m->n_edges++] = (mpg_hlo_edge){callee, key};
  i->nedges++;
  return MPG_OK;
}

static bool between_names(char c) {
  return c == '{' || c == '}' || c == ',' || c == '%' || c == ' ' || c == '\t' || c == '\n';
}

/* The computations that a value names: one, or a list in braces. */
static mpg_rc link_value(mpg_hlo_module *m, mpg_hlo_instruction *i, const mpg_hlo_attribute *a,
                         mpg_err *err) {
  size_t at = 0;
  if (a->computation != MPG_HLO_NONE)
    return add_edge(m, i, a->computation, a->key) == MPG_OK ? MPG_OK : mpg_fail_nomem(err);
  while (at < a->value.n) {
    mpg_str name;
    uint32_t callee;
    while (at < a->value.n && between_names(a->value.p[at]))
      at++;
    name = (mpg_str){a->value.p + at, 0};
    while (at < a->value.n && !between_names(a->value.p[at]))
      at++;
    name.n = (size_t)(a->value.p + at - name.p);
    if (name.n == 0)
      break;
    callee = mpg_hlo_find(m, MPG_HLO_NONE, name);
    if (callee == MPG_HLO_NONE) {
      char found[MPG_EXCERPT];
      mpg_text_excerpt(name, found);
      return mpg_fail(err, MPG_DATA, "expected a computation of this module, found \"%s\"", found);
    }
    if (add_edge(m, i, callee & ~COMPUTATION, a->key) != MPG_OK)
      return mpg_fail_nomem(err);
  }
  return MPG_OK;
}

static mpg_rc link_calls(mpg_hlo_module *m, uint32_t *at, mpg_err *err) {
  for (size_t k = 0; k < m->n; k++) {
    mpg_hlo_instruction *i = &m->instructions[k];
    if (mpg_poll(m->env, k))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    *at = (uint32_t)k;
    i->edge = (uint32_t)m->n_edges;
    for (uint32_t a = i->attribute; a != MPG_HLO_NONE; a = m->attributes_list[a].next) {
      mpg_hlo_attribute value = m->attributes_list[a];
      mpg_rc rc = MPG_OK;
      /* select= and scatter= are computations of select-and-scatter alone. */
      if (value.key <= MPG_HLO_FALSE_BRANCH || i->rule == MPG_HLO_SELECT_AND_SCATTER)
        if (value.key <= MPG_HLO_SCATTER_BY)
          rc = link_value(m, i, &value, err);
      if (rc != MPG_OK)
        return rc;
    }
  }
  return MPG_OK;
}

/* Parameters of each computation by their numbers; a hole stays MPG_HLO_NONE. */
static mpg_rc link_parameters(mpg_hlo_module *m) {
  size_t turn = 0;
  for (size_t c = 0; c < m->n_computations; c++) {
    mpg_hlo_computation *of = &m->computations[c];
    uint32_t members = 0;
    int64_t most = -1;
    for (uint32_t i = of->first; i != MPG_HLO_NONE; i = m->instructions[i].next, members++) {
      if (mpg_poll(m->env, turn++))
        return MPG_INTERRUPTED;
      if (m->instructions[i].rule == MPG_HLO_PARAMETER && m->instructions[i].number > most)
        most = m->instructions[i].number;
    }
    if (of->root == MPG_HLO_NONE)
      of->root = of->last;
    of->parameter = (uint32_t)m->n_parameters;
    of->nparameters = most < members ? (uint32_t)(most + 1) : members;
    if (mpg_grow(m->env, &m->parameters, &m->cap_parameters, m->n_parameters + of->nparameters,
                 sizeof *m->parameters) != MPG_OK)
      return MPG_NOMEM;
    for (uint32_t p = 0; p < of->nparameters; p++)
      m->parameters[m->n_parameters++] = MPG_HLO_NONE;
    for (uint32_t i = of->first; i != MPG_HLO_NONE; i = m->instructions[i].next) {
      const mpg_hlo_instruction *p = &m->instructions[i];
      if (mpg_poll(m->env, turn++))
        return MPG_INTERRUPTED;
      if (p->rule == MPG_HLO_PARAMETER && p->number < of->nparameters)
        m->parameters[of->parameter + (uint32_t)p->number] = i;
    }
  }
  return MPG_OK;
}

/* Whether operand k is the first of its kind: an instruction uses another once, however often. */
static bool first_use(const mpg_hlo_module *m, const mpg_hlo_instruction *i, uint32_t k) {
  /* Beyond this many operands (tuples) repeats do not matter to any rule. */
  uint32_t from = k > 64 ? k - 64 : 0;
  for (uint32_t j = from; j < k; j++)
    if (m->operands[i->operand + j] == m->operands[i->operand + k])
      return false;
  return true;
}

static mpg_rc link_users(mpg_hlo_module *m) {
  uint32_t sum = 0;
  size_t turn = 0;
  if (mpg_grow(m->env, &m->user_start, &m->cap_user_start, m->n + 2, sizeof *m->user_start) !=
          MPG_OK ||
      mpg_grow(m->env, &m->users, &m->cap_users, m->n_operands + 1, sizeof *m->users) != MPG_OK)
    return MPG_NOMEM;
  memset(m->user_start, 0, (m->n + 2) * sizeof *m->user_start);
  for (size_t k = 0; k < m->n; k++)
    for (uint32_t o = 0; o < m->instructions[k].noperands; o++) {
      if (mpg_poll(m->env, turn++))
        return MPG_INTERRUPTED;
      if (first_use(m, &m->instructions[k], o))
        m->user_start[m->operands[m->instructions[k].operand + o] + 2]++;
    }
  for (size_t k = 0; k < m->n + 2; k++)
    sum = m->user_start[k] += sum;
  /* Filling moves the start of k to that of k + 1, so starts were written one place too far. */
  for (size_t k = 0; k < m->n; k++)
    for (uint32_t o = 0; o < m->instructions[k].noperands; o++) {
      if (mpg_poll(m->env, turn++))
        return MPG_INTERRUPTED;
      if (first_use(m, &m->instructions[k], o)) {
        uint32_t of = m->operands[m->instructions[k].operand + o];
        m->users[m->user_start[of + 1]++] = (uint32_t)k;
      }
    }
  return MPG_OK;
}

/* ---- The order: callees first ---- */

typedef struct visit {
  uint32_t computation, instruction, edge; /* the edge of the instruction to look at next */
} visit;

/* Depth first without the C stack, as calls of a hostile file nest as deep as it likes. */
static mpg_rc order_from(mpg_hlo_module *m, uint32_t from, uint8_t *state, visit *stack, size_t *n,
                         uint32_t *at, mpg_err *err) {
  size_t depth = 0, turn = 0;
  stack[depth++] = (visit){from, m->computations[from].first, 0};
  state[from] = 1;
  while (depth > 0) {
    visit *v = &stack[depth - 1];
    const mpg_hlo_instruction *i;
    uint32_t callee;
    if (mpg_poll(m->env, turn++))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    if (v->instruction == MPG_HLO_NONE) {
      state[v->computation] = 2;
      m->order[(*n)++] = v->computation;
      depth--;
      continue;
    }
    i = &m->instructions[v->instruction];
    if (v->edge >= i->nedges) {
      v->instruction = i->next;
      v->edge = 0;
      continue;
    }
    callee = m->edges[i->edge + v->edge++].callee;
    if (state[callee] == 1) {
      char name[MPG_EXCERPT];
      *at = v->instruction;
      mpg_text_excerpt(m->computations[callee].name, name);
      return mpg_fail(err, MPG_DATA,
                      "expected a computation that does not call itself, found \"%s\"", name);
    }
    if (state[callee] == 0) {
      state[callee] = 1;
      stack[depth++] = (visit){callee, m->computations[callee].first, 0};
    }
  }
  return MPG_OK;
}

static mpg_rc link_order(mpg_hlo_module *m, uint32_t *at, mpg_err *err) {
  uint8_t *state = mpg_calloc(m->env, m->n_computations + 1);
  visit *stack = mpg_malloc(m->env, (m->n_computations + 1) * sizeof *stack);
  size_t n = 0;
  mpg_rc rc = MPG_OK;
  if (state == NULL || stack == NULL ||
      mpg_grow(m->env, &m->order, &m->cap_order, m->n_computations + 1, sizeof *m->order) != MPG_OK)
    rc = mpg_fail_nomem(err);
  for (uint32_t c = 0; rc == MPG_OK && c < m->n_computations; c++)
    if (state[c] == 0)
      rc = order_from(m, c, state, stack, &n, at, err);
  mpg_free(m->env, state);
  mpg_free(m->env, stack);
  return rc;
}

mpg_rc mpg_hlo_module_link(mpg_hlo_module *m, uint32_t *at, mpg_err *err) {
  mpg_rc rc;
  *at = 0;
  rc = link_calls(m, at, err);
  if (rc != MPG_OK)
    return rc;
  rc = link_parameters(m);
  if (rc == MPG_OK && mpg_interrupted(m->env))
    rc = MPG_INTERRUPTED;
  if (rc == MPG_OK)
    rc = link_users(m);
  if (rc == MPG_INTERRUPTED)
    return mpg_fail(err, rc, "interrupted");
  if (rc != MPG_OK)
    return mpg_fail_nomem(err);
  m->has_entry = m->entry != MPG_HLO_NONE;
  for (uint32_t c = 0; !m->has_entry && c < m->n_computations; c++)
    if (m->computations[c].name.n > 0)
      m->entry = c;
  if (m->name.n == 0)
    m->name = m->computations[m->entry].name;
  return link_order(m, at, err);
}

/* ---- Questions ---- */

static const mpg_hlo_attribute *find_attribute(const mpg_hlo_module *m,
                                               const mpg_hlo_instruction *i, mpg_hlo_key key) {
  for (uint32_t a = i->attribute; a != MPG_HLO_NONE; a = m->attributes_list[a].next)
    if (m->attributes_list[a].key == key)
      return &m->attributes_list[a];
  return NULL;
}

mpg_str mpg_hlo_attribute_of(const mpg_hlo_module *m, const mpg_hlo_instruction *i,
                             mpg_hlo_key key) {
  const mpg_hlo_attribute *a = find_attribute(m, i, key);
  return a == NULL ? (mpg_str){NULL, 0} : a->value;
}

uint32_t mpg_hlo_callee(const mpg_hlo_module *m, const mpg_hlo_instruction *i, mpg_hlo_key key) {
  for (uint32_t e = i->edge; e < i->edge + i->nedges; e++)
    if (m->edges[e].key == key)
      return m->edges[e].callee;
  return MPG_HLO_NONE;
}

uint32_t mpg_hlo_operand(const mpg_hlo_module *m, const mpg_hlo_instruction *i, uint32_t k) {
  return k < i->noperands ? m->operands[i->operand + k] : MPG_HLO_NONE;
}

uint32_t mpg_hlo_operand_shape(const mpg_hlo_module *m, const mpg_hlo_instruction *i, uint32_t k) {
  uint32_t of = mpg_hlo_operand(m, i, k);
  return of == MPG_HLO_NONE ? 0 : m->instructions[of].shape;
}

uint32_t mpg_hlo_result(const mpg_hlo_module *m, const mpg_hlo_instruction *i) {
  return i->sugar ? mpg_hlo_member(&m->shapes, i->shape, 1) : i->shape;
}

/* ---- Custom calls ---- */

bool mpg_hlo_begins(mpg_str s, const char *with) {
  size_t n = strlen(with);
  return s.n >= n && memcmp(s.p, with, n) == 0;
}

mpg_hlo_custom mpg_hlo_custom_of(const mpg_hlo_module *m, const mpg_hlo_instruction *i) {
  static const char *const annotations[] = {"Sharding",
                                            "SPMDFullToShardShape",
                                            "SPMDShardToFullShape",
                                            "xla.sdy.",
                                            "sdy.",
                                            "annotate_device_placement",
                                            "MoveToHost",
                                            "MoveToDevice",
                                            "AllocateBuffer",
                                            "Pin",
                                            "Unpin",
                                            "LayoutConstraint",
                                            "InspectSharding",
                                            "AssumeGatherIndicesInBound",
                                            "__xla_internal_call_marker_before",
                                            "__xla_internal_call_marker_after",
                                            "AwsNeuronTransferWithStaticRing"};
  mpg_str target = mpg_hlo_unquoted(mpg_hlo_attribute_of(m, i, MPG_HLO_TARGET));
  if (mpg_hlo_begins(target, "__cublas$gemm") || mpg_hlo_begins(target, "__cublas$lt$matmul"))
    return MPG_HLO_CUSTOM_DOT;
  if (mpg_hlo_begins(target, "__cublas$lt$groupedMatmul"))
    return MPG_HLO_CUSTOM_RAGGED_DOT;
  if (mpg_hlo_begins(target, "__op$block_scaled_dot") ||
      mpg_hlo_begins(target, "__cudnn$blockScaledDot"))
    return MPG_HLO_CUSTOM_SCALED_DOT;
  if (mpg_str_eq(target, MPG_STR("te_gemm_ffi")) || mpg_str_eq(target, MPG_STR("te_gemm_v2_ffi")))
    return MPG_HLO_CUSTOM_ENGINE_DOT;
  if (mpg_hlo_begins(target, "__cudnn$conv"))
    return MPG_HLO_CUSTOM_CONVOLUTION;
  if (mpg_hlo_begins(target, "__cudnn$fmha"))
    return mpg_hlo_after(target, MPG_STR("Backwar")).n > 0 ? MPG_HLO_CUSTOM_ATTENTION_BACKWARD
                                                           : MPG_HLO_CUSTOM_ATTENTION;
  for (size_t a = 0; a < sizeof annotations / sizeof *annotations; a++) {
    size_t n = strlen(annotations[a]);
    if (mpg_hlo_begins(target, annotations[a]) && (annotations[a][n - 1] == '.' || target.n == n))
      return MPG_HLO_CUSTOM_FREE;
  }
  return MPG_HLO_CUSTOM_UNKNOWN;
}
