/*
** hlo_module.h - one HLO module in memory: computations and instructions, as its text gives them.
**
** Texts are borrowed from the module's text, which whoever reads it (formats/hlo/hlo_text.h) keeps.
** Everything is known by its number; MPG_HLO_NONE is none. Callees of a computation come before
** their callers in `order`, which is there once mpg_hlo_module_link has found that no computation
** calls itself.
*/
#ifndef MPG_HLO_MODULE_H
#define MPG_HLO_MODULE_H

#include "../../base/hash_index.h"
#include "hlo_opcode.h"
#include "hlo_shape.h"

#define MPG_HLO_NONE UINT32_MAX

/* clang-format off */
/* The attributes that are stored: name in C, as written. SHARDING and FRONTEND only of custom
** calls. */
#define MPG_HLO_ATTRIBUTES(A)                                                                      \
  A(CALLS, "calls") A(TO_APPLY, "to_apply") A(CONDITION, "condition") A(BODY, "body")              \
  A(BRANCHES, "branch_computations") A(TRUE_BRANCH, "true_computation")                            \
  A(FALSE_BRANCH, "false_computation") A(SELECT, "select") A(SCATTER_BY, "scatter")                \
  A(LHS_CONTRACTING, "lhs_contracting_dims") A(LHS_RAGGED, "lhs_ragged_dims")                      \
  A(LHS_BATCH, "lhs_batch_dims")                                                                   \
  A(DIM_LABELS, "dim_labels") A(WINDOW, "window") A(FEATURE_GROUPS, "feature_group_count")         \
  A(BATCH_GROUPS, "batch_group_count") A(INDEX, "index") A(DIMENSIONS, "dimensions")               \
  A(FFT_LENGTH, "fft_length") A(DIRECTION, "direction") A(KIND, "kind")                            \
  A(REPLICA_GROUPS, "replica_groups") A(PAIRS, "source_target_pairs")                              \
  A(TARGET, "custom_call_target") A(BACKEND, "backend_config") A(METADATA, "metadata")             \
  A(PRECISION, "operand_precision") A(ALGORITHM, "algorithm") A(SHARDING, "sharding")           \
  A(FRONTEND, "frontend_attributes") A(CHANNEL, "channel_id")                                      \
  A(GLOBAL_IDS, "use_global_device_ids") A(HOST_TRANSFER, "is_host_transfer") A(LITERAL, "")
/* clang-format on */

typedef enum mpg_hlo_key {
#define A(name, text) MPG_HLO_##name,
  MPG_HLO_ATTRIBUTES(A)
#undef A
      MPG_HLO_KEYS
} mpg_hlo_key;

mpg_hlo_key mpg_hlo_key_find(mpg_str text); /* MPG_HLO_KEYS: not stored */

typedef struct mpg_hlo_attribute {
  mpg_str value; /* as written */
  uint32_t next;
  uint32_t computation; /* written in place of its name; else MPG_HLO_NONE */
  uint8_t key;
} mpg_hlo_attribute;

typedef struct mpg_hlo_instruction {
  mpg_str name;   /* without % */
  mpg_str opcode; /* as written */
  mpg_str shape_text;
  int64_t line;
  int64_t number; /* of a parameter, or the index of a get-tuple-element */
  uint32_t shape, computation;
  uint32_t operand, noperands; /* in `operands` */
  uint32_t attribute;          /* the first of its list */
  uint32_t next;               /* in the computation */
  uint32_t edge, nedges;       /* in `edges` */
  uint8_t rule;                /* mpg_hlo_rule */
  bool sugar;                  /* see hlo_opcode.h: its shape is ((operands), results, ...) */
} mpg_hlo_instruction;

typedef struct mpg_hlo_computation {
  mpg_str name; /* empty: written in place */
  int64_t line;
  uint32_t first, last, root;
  uint32_t parameter, nparameters; /* in `parameters`, by number */
} mpg_hlo_computation;

/* From an instruction to a computation that it calls. */
typedef struct mpg_hlo_edge {
  uint32_t callee;
  uint8_t key; /* CALLS, TO_APPLY, ... */
} mpg_hlo_edge;

typedef struct mpg_hlo_module {
  const mpg_env *env;
  mpg_str name;       /* of the header, or of the entry if there is none */
  mpg_str attributes; /* of the header */
  mpg_str meshes;     /* of them frontend_attributes, which name the axes of Shardy's meshes */
  int64_t line;
  int64_t partitions, replicas; /* at least 1 */
  bool scheduled;
  bool has_entry; /* one is marked ENTRY; else the last one that has a name is taken, as by XLA */
  uint32_t entry; /* of a linked module one of its computations */
  mpg_hlo_shapes shapes;
  mpg_hlo_instruction *instructions;
  size_t n, cap;
  mpg_hlo_computation *computations;
  size_t n_computations, cap_computations;
  uint32_t *operands;
  size_t n_operands, cap_operands;
  mpg_hlo_attribute *attributes_list;
  size_t n_attributes, cap_attributes;
  mpg_hlo_edge *edges;
  size_t n_edges, cap_edges;
  uint32_t *parameters;
  size_t n_parameters, cap_parameters;
  uint32_t *user_start, *users; /* users[user_start[i] .. user_start[i + 1]) of instruction i */
  size_t cap_user_start, cap_users;
  uint32_t *order;
  size_t cap_order;
  mpg_hash_index names;
  size_t n_named;
  size_t n_repeated;       /* instructions with the name of one before them, in one computation */
  uint32_t first_repeated; /* if there are any */
} mpg_hlo_module;

mpg_rc mpg_hlo_module_init(mpg_hlo_module *m, const mpg_env *env);
void mpg_hlo_module_clear(mpg_hlo_module *m); /* forgets the module, keeps the memory */
void mpg_hlo_module_free(mpg_hlo_module *m);

/* Building, in the order of the text. */
mpg_rc mpg_hlo_add_computation(mpg_hlo_module *m, mpg_str name, int64_t line, uint32_t *out);
/* Puts a whole instruction after those of its computation. */
mpg_rc mpg_hlo_add_instruction(mpg_hlo_module *m, const mpg_hlo_instruction *instruction,
                               bool is_root, uint32_t *out);
mpg_rc mpg_hlo_add_attribute(mpg_hlo_module *m, mpg_hlo_instruction *to, mpg_hlo_key key,
                             mpg_str value, uint32_t computation);
/* An instruction of a computation that was added before, or MPG_HLO_NONE. */
uint32_t mpg_hlo_find(const mpg_hlo_module *m, uint32_t computation, mpg_str name);

/*
** Once the whole text is read: edges, parameters by number, users, order. MPG_DATA with *at, the
** instruction at fault: a computation that is not there, or calls itself through others.
*/
mpg_rc mpg_hlo_module_link(mpg_hlo_module *m, uint32_t *at, mpg_err *err);

/* An attribute's value, as written; empty if it is not there. */
mpg_str mpg_hlo_attribute_of(const mpg_hlo_module *m, const mpg_hlo_instruction *i,
                             mpg_hlo_key key);
/* The computation under a key, or MPG_HLO_NONE. */
uint32_t mpg_hlo_callee(const mpg_hlo_module *m, const mpg_hlo_instruction *i, mpg_hlo_key key);
/* The instruction that is operand k, or MPG_HLO_NONE; and its shape, or 0. */
uint32_t mpg_hlo_operand(const mpg_hlo_module *m, const mpg_hlo_instruction *i, uint32_t k);
uint32_t mpg_hlo_operand_shape(const mpg_hlo_module *m, const mpg_hlo_instruction *i, uint32_t k);

/* The result's shape: of "OPCODE-start" that of the results in its tuple. */
uint32_t mpg_hlo_result(const mpg_hlo_module *m, const mpg_hlo_instruction *i);
/* What a custom call is known to be. */
typedef enum mpg_hlo_custom {
  MPG_HLO_CUSTOM_UNKNOWN,
  MPG_HLO_CUSTOM_FREE, /* it annotates */
  MPG_HLO_CUSTOM_DOT,
  MPG_HLO_CUSTOM_CONVOLUTION,
  MPG_HLO_CUSTOM_RAGGED_DOT,
  MPG_HLO_CUSTOM_SCALED_DOT,
  MPG_HLO_CUSTOM_ENGINE_DOT, /* Transformer Engine's: operands 0 and 2 */
  MPG_HLO_CUSTOM_ATTENTION,
  MPG_HLO_CUSTOM_ATTENTION_BACKWARD
} mpg_hlo_custom;
mpg_hlo_custom mpg_hlo_custom_of(const mpg_hlo_module *m, const mpg_hlo_instruction *i);

/* Whether a text begins with another. */
bool mpg_hlo_begins(mpg_str s, const char *with);

#endif
