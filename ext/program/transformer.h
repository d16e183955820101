/*
** transformer.h - FLOPs that a transformer needs, from its shape: for programs without HLO, and for
** what HLO hides in custom calls (attention).
**
** Only multiplications with weights and of attention count, a multiply and an add as two. For a
** token, N the weights that it meets (of a mixture of experts the active ones), L layers, A = heads
** x head_dim, T positions attended to:
**
**     forward    2 N + 4 L A T                 4 L A T / 2 where attention is causal and a kernel
**                                              leaves the masked half out
**     training   3 x forward = 6 N + 12 L A T  backward is twice forward
**     recompute  'full': layers once more, 8 N (the unembedding is not, where its size is known);
**                'selective': attention alone once more
**     decode     2 N + 4 L A (context so far)  for each new token
**
** Sources: 6 N and its parts: J. Kaplan et al., "Scaling Laws for Neural Language Models",
** arXiv 2001.08361, section 2.1. 12 L H Q T, in full: A. Chowdhery et al., "PaLM", arXiv
** 2204.02311, appendix B. Recomputation, and the unembedding by 6 V h: D. Narayanan et al., arXiv
** 2104.04473, section 5.1; selective: V. Korthikanti et al., arXiv 2205.05198. Causal halves,
** experts and their router: AI-Hypercomputer/maxtext, calculate_tflops_training_per_device.
*/
#ifndef MPG_TRANSFORMER_H
#define MPG_TRANSFORMER_H

#include "../base/base.h"

/* clang-format off */
/* What may be given: name in C, key. The first have one of a few words, `causal` and `gated` are
** yes or no, the rest numbers. */
#define MPG_TRANSFORMER_KEYS(K)                                                                    \
  K(MODE, "mode") K(RECOMPUTE, "recompute") K(CAUSAL, "causal") K(GATED, "gated")                  \
  K(PARAMETERS, "parameters") K(LAYERS, "layers") K(WIDTH, "width") K(HEADS, "heads")              \
  K(KV_HEADS, "kv_heads") K(HEAD_DIM, "head_dim") K(FFN, "ffn") K(VOCABULARY, "vocabulary")        \
  K(EXPERTS, "experts") K(ACTIVE_EXPERTS, "active_experts") K(SHARED_FFN, "shared_ffn")            \
  K(DENSE_LAYERS, "dense_layers") K(DENSE_FFN, "dense_ffn") K(SEQUENCE, "sequence")                \
  K(CONTEXT, "context") K(BATCH, "batch") K(TOKENS, "tokens")
/* clang-format on */

typedef enum mpg_transformer_key {
#define K(name, text) MPG_TRANSFORMER_##name,
  MPG_TRANSFORMER_KEYS(K)
#undef K
      MPG_TRANSFORMER_KEY_COUNT
} mpg_transformer_key;

/* All zero: nothing given. */
typedef struct mpg_transformer {
  bool has[MPG_TRANSFORMER_KEY_COUNT];
  double value[MPG_TRANSFORMER_KEY_COUNT]; /* of words, their place in the list */
} mpg_transformer;

/*
** Takes a key and its value: text for a word, a number otherwise (yes and no are 1 and 0).
** MPG_DATA: "unknown key 'layer'; the keys are ...", or what was expected.
*/
mpg_rc mpg_transformer_set(mpg_transformer *t, mpg_str key, const mpg_value *value, mpg_err *err);

/* MPG_DATA: "missing key 'sequence': ...", or keys that contradict each other. */
mpg_rc mpg_transformer_flops(const mpg_transformer *t, double *flops, mpg_err *err);

#endif
