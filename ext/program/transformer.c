/* transformer.c - see transformer.h. */
#include "transformer.h"
#include "../base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRAINING, FORWARD, PREFILL, DECODE };
enum { RECOMPUTE_NONE, RECOMPUTE_SELECTIVE, RECOMPUTE_FULL };

static const char *const keys[MPG_TRANSFORMER_KEY_COUNT] = {
#define K(name, text) text,
    MPG_TRANSFORMER_KEYS(K)
#undef K
};

static const char *const modes[] = {"training", "forward", "prefill", "decode", NULL};
static const char *const recomputes[] = {"none", "selective", "full", NULL};

/* ---- What is given ---- */

static mpg_rc unknown_key(mpg_str key, mpg_err *err) {
  char found[MPG_EXCERPT], list[MPG_ERR_TEXT / 2];
  size_t n = 0;
  mpg_text_excerpt(key, found);
  for (int k = 0; k < MPG_TRANSFORMER_KEY_COUNT; k++)
    n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", k == 0 ? "" : ", ", keys[k]);
  return mpg_fail(err, MPG_DATA, "unknown key '%s'; the keys are %s", found, list);
}

static mpg_rc set_word(mpg_transformer *t, int k, const char *const *words, const mpg_value *value,
                       mpg_err *err) {
  char list[128], found[MPG_EXCERPT] = "a number";
  size_t n = 0;
  for (int w = 0; words[w] != NULL; w++) {
    if (value->type == MPG_TEXT && mpg_str_eq(value->s, mpg_str_of(words[w]))) {
      t->value[k] = w;
      return MPG_OK;
    }
    n += (size_t)snprintf(list + n, sizeof list - n, "%s'%s'", w == 0 ? "" : ", ", words[w]);
  }
  if (value->type == MPG_TEXT)
    mpg_text_excerpt(value->s, found);
  return mpg_fail(err, MPG_DATA, "key '%s': expected one of %s, found %s", keys[k], list, found);
}

mpg_rc mpg_transformer_set(mpg_transformer *t, mpg_str key, const mpg_value *value, mpg_err *err) {
  int k = 0;
  double v = value->type == MPG_INT ? (double)value->i : value->r;
  while (k < MPG_TRANSFORMER_KEY_COUNT && !mpg_str_eq(key, mpg_str_of(keys[k])))
    k++;
  if (k == MPG_TRANSFORMER_KEY_COUNT)
    return unknown_key(key, err);
  t->has[k] = true;
  if (k <= MPG_TRANSFORMER_RECOMPUTE)
    return set_word(t, k, k == MPG_TRANSFORMER_MODE ? modes : recomputes, value, err);
  if (value->type == MPG_TEXT || value->type == MPG_NULL)
    return mpg_fail(err, MPG_DATA, "key '%s': expected %s", keys[k],
                    k <= MPG_TRANSFORMER_GATED ? "true or false" : "a number");
  if (k <= MPG_TRANSFORMER_GATED && v != 0 && v != 1)
    return mpg_fail(err, MPG_DATA, "key '%s': expected true or false, found %.15g", keys[k], v);
  if (!isfinite(v) || v < 0)
    return mpg_fail(err, MPG_DATA, "key '%s': expected a number of at least 0, found %.15g",
                    keys[k], v);
  t->value[k] = v;
  return MPG_OK;
}

/* ---- FLOPs ---- */

#define HAS(name) (t->has[MPG_TRANSFORMER_##name])
#define VALUE(name) (t->value[MPG_TRANSFORMER_##name])
#define OR(name, otherwise) (HAS(name) ? VALUE(name) : (otherwise))

static mpg_rc need_key(const mpg_transformer *t, mpg_transformer_key key, const char *why,
                       mpg_err *err) {
  return t->has[key] ? MPG_OK : mpg_fail(err, MPG_DATA, "missing key '%s': %s", keys[key], why);
}

/* Keys from which `parameters` follows. */
static mpg_rc refuse_parts(const mpg_transformer *t, mpg_err *err) {
  static const mpg_transformer_key parts[] = {
      MPG_TRANSFORMER_FFN,        MPG_TRANSFORMER_VOCABULARY,
      MPG_TRANSFORMER_EXPERTS,    MPG_TRANSFORMER_ACTIVE_EXPERTS,
      MPG_TRANSFORMER_SHARED_FFN, MPG_TRANSFORMER_DENSE_LAYERS,
      MPG_TRANSFORMER_DENSE_FFN,  MPG_TRANSFORMER_KV_HEADS,
      MPG_TRANSFORMER_GATED};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (t->has[parts[i]])
      return mpg_fail(err, MPG_DATA, "keys '%s' and 'parameters' say the same: give one of them",
                      keys[parts[i]]);
  return MPG_OK;
}

/* heads x head_dim; else the width, which the heads divide. */
static double attention_width(const mpg_transformer *t) {
  return HAS(HEADS) && HAS(HEAD_DIM) ? VALUE(HEADS) * VALUE(HEAD_DIM) : VALUE(WIDTH);
}

/* Weights that a token meets in the layers, and in the unembedding. */
static mpg_rc weights_per_token(const mpg_transformer *t, double *layers, double *unembedding,
                                mpg_err *err) {
  double d = VALUE(WIDTH), a = attention_width(t),
         matrices = HAS(GATED) && VALUE(GATED) != 0 ? 3 : 2;
  double dense = OR(DENSE_LAYERS, 0), attention, ffn, kv = 1;
  mpg_rc rc;
  if (HAS(PARAMETERS)) {
    *layers = VALUE(PARAMETERS);
    *unembedding = 0;
    return refuse_parts(t, err);
  }
  rc = need_key(t, MPG_TRANSFORMER_LAYERS, "how many layers, or 'parameters' instead of the shape",
                err);
  if (rc == MPG_OK)
    rc = need_key(t, MPG_TRANSFORMER_WIDTH, "of the residual stream, d_model", err);
  if (rc == MPG_OK)
    rc = need_key(t, MPG_TRANSFORMER_FFN, "inner width of the feed-forward (of one expert)", err);
  if (rc == MPG_OK)
    rc = need_key(t, MPG_TRANSFORMER_VOCABULARY, "of the unembedding; 0 leaves it out", err);
  if (rc == MPG_OK && HAS(KV_HEADS))
    rc = need_key(t, MPG_TRANSFORMER_HEADS, "which 'kv_heads' is fewer of", err);
  if (rc == MPG_OK && HAS(EXPERTS))
    rc = need_key(t, MPG_TRANSFORMER_ACTIVE_EXPERTS, "of the 'experts', how many a token meets",
                  err);
  if (rc == MPG_OK && HAS(ACTIVE_EXPERTS))
    rc = need_key(t, MPG_TRANSFORMER_EXPERTS, "of which 'active_experts' are active", err);
  if (rc == MPG_OK && dense > 0)
    rc = need_key(t, MPG_TRANSFORMER_DENSE_FFN, "inner width of the 'dense_layers'", err);
  if (rc != MPG_OK)
    return rc;
  if (HAS(KV_HEADS) && (VALUE(HEADS) == 0 || VALUE(KV_HEADS) > VALUE(HEADS)))
    return mpg_fail(err, MPG_DATA, "key 'kv_heads': expected at most 'heads', %.15g", VALUE(HEADS));
  if (VALUE(ACTIVE_EXPERTS) > OR(EXPERTS, 1))
    return mpg_fail(err, MPG_DATA, "key 'active_experts': expected at most 'experts', %.15g",
                    VALUE(EXPERTS));
  if (dense > VALUE(LAYERS))
    return mpg_fail(err, MPG_DATA, "key 'dense_layers': expected at most 'layers', %.15g",
                    VALUE(LAYERS));
  if (HAS(KV_HEADS))
    kv = VALUE(KV_HEADS) / VALUE(HEADS);
  attention = 2 * d * a * (1 + kv); /* queries and output, keys and values */
  ffn = matrices * d * (VALUE(FFN) * OR(ACTIVE_EXPERTS, 1) + OR(SHARED_FFN, 0)) +
        d * OR(EXPERTS, 0); /* and the router */
  *layers = VALUE(LAYERS) * attention + (VALUE(LAYERS) - dense) * ffn +
            dense * matrices * d * OR(DENSE_FFN, 0);
  *unembedding = d * VALUE(VOCABULARY);
  return MPG_OK;
}

/* Whether attention counts: not if only 'parameters' is given. */
static bool has_attention(const mpg_transformer *t) {
  return !HAS(PARAMETERS) || HAS(LAYERS) || HAS(WIDTH) || HAS(HEADS) || HAS(HEAD_DIM) ||
         HAS(SEQUENCE) || HAS(CONTEXT) || HAS(CAUSAL);
}

/* Products of queries with keys, and of those with values, of one position attended to. */
static mpg_rc attention_products(const mpg_transformer *t, double *pair, mpg_err *err) {
  mpg_rc rc = need_key(t, MPG_TRANSFORMER_LAYERS, "for the FLOPs of attention", err);
  if (rc == MPG_OK && HAS(HEAD_DIM))
    rc = need_key(t, MPG_TRANSFORMER_HEADS, "how many of 'head_dim'", err);
  if (rc == MPG_OK && !(HAS(HEADS) && HAS(HEAD_DIM)))
    rc = need_key(t, MPG_TRANSFORMER_WIDTH, "for attention, or 'heads' and 'head_dim'", err);
  if (rc == MPG_OK)
    *pair = 4 * VALUE(LAYERS) * attention_width(t);
  return rc;
}

/* New tokens of each sequence, with what was there before: context, context + 1, ... positions. */
static mpg_rc decode_tokens(const mpg_transformer *t, double *tokens, double *positions,
                            mpg_err *err) {
  double n = OR(TOKENS, 1);
  mpg_rc rc = need_key(t, MPG_TRANSFORMER_BATCH, "how many sequences decode at once", err);
  if (rc == MPG_OK && has_attention(t))
    rc = need_key(t, MPG_TRANSFORMER_CONTEXT, "positions that the (first) new token attends to",
                  err);
  if (rc == MPG_OK && HAS(SEQUENCE))
    rc = mpg_fail(err, MPG_DATA, "key 'sequence' is not for mode 'decode': give 'context'");
  *tokens = VALUE(BATCH) * n;
  *positions = VALUE(CONTEXT) + (n - 1) / 2;
  return rc;
}

static mpg_rc batch_tokens(const mpg_transformer *t, double *tokens, double *positions,
                           mpg_err *err) {
  mpg_rc rc = MPG_OK;
  if (HAS(TOKENS) && HAS(BATCH))
    return mpg_fail(err, MPG_DATA, "keys 'tokens' and 'batch' say the same: give one of them");
  if (HAS(CONTEXT))
    return mpg_fail(err, MPG_DATA, "key 'context' is for mode 'decode' alone: give 'sequence'");
  if (has_attention(t) || HAS(BATCH))
    rc = need_key(t, MPG_TRANSFORMER_SEQUENCE, "tokens of one sequence", err);
  if (rc == MPG_OK && has_attention(t))
    rc = need_key(
        t, MPG_TRANSFORMER_CAUSAL,
        "true where the masked half of attention is left out, false to count all of it, as "
        "PaLM and Megatron do",
        err);
  if (rc == MPG_OK && !HAS(BATCH))
    rc = need_key(t, MPG_TRANSFORMER_TOKENS, "of all sequences together, or 'batch' of 'sequence'",
                  err);
  *tokens = HAS(BATCH) ? VALUE(BATCH) * VALUE(SEQUENCE) : VALUE(TOKENS);
  *positions = VALUE(SEQUENCE) / (VALUE(CAUSAL) != 0 ? 2 : 1);
  return rc;
}

mpg_rc mpg_transformer_flops(const mpg_transformer *t, double *flops, mpg_err *err) {
  double layers = 0, unembedding = 0, pair = 0, tokens = 0, positions = 0, passes = 1, again = 0;
  int mode = (int)VALUE(MODE), recompute = (int)VALUE(RECOMPUTE);
  mpg_rc rc =
      need_key(t, MPG_TRANSFORMER_MODE, "'training', 'forward', 'prefill' or 'decode'", err);
  if (rc == MPG_OK && mode != TRAINING && recompute != RECOMPUTE_NONE)
    return mpg_fail(err, MPG_DATA, "key 'recompute' is for mode 'training' alone");
  if (rc == MPG_OK)
    rc = weights_per_token(t, &layers, &unembedding, err);
  if (rc == MPG_OK && has_attention(t))
    rc = attention_products(t, &pair, err);
  if (rc == MPG_OK)
    rc = mode == DECODE ? decode_tokens(t, &tokens, &positions, err)
                        : batch_tokens(t, &tokens, &positions, err);
  if (rc != MPG_OK)
    return rc;
  if (mode == TRAINING) {
    passes = 3;
    again = recompute != RECOMPUTE_NONE;
  }
  *flops = tokens * (2 * layers * (passes + (recompute == RECOMPUTE_FULL)) +
                     2 * unembedding * passes + pair * positions * (passes + again));
  return isfinite(*flops)
             ? MPG_OK
             : mpg_fail(err, MPG_DATA, "expected sizes whose FLOPs are a number, found infinity");
}
