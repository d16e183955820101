/*
** test_transformer.c - FLOPs of random transformers beside a count of their matrices, layer by
** layer and position by position; what happens where each key is missing, contradicts another, or
** is of another kind.
*/
#include "check.h"
#include "../../ext/program/transformer.h"

#include <math.h>
#include <string.h>

enum { NOT = -1 }; /* not given */

static const char *const keys[] = {
#define K(name, text) text,
    MPG_TRANSFORMER_KEYS(K)
#undef K
};
static const char *const modes[] = {"training", "forward", "prefill", "decode"};
static const char *const recomputes[] = {"none", "selective", "full"};

/* What is given, in the order of the keys. */
typedef struct shape {
  int of[MPG_TRANSFORMER_KEY_COUNT];
} shape;
#define OF(name) (s->of[MPG_TRANSFORMER_##name])

static mpg_rc set(mpg_transformer *t, int key, int value, mpg_err *err) {
  mpg_value v = {MPG_INT, value, 0.0, {NULL, 0}};
  if (key == MPG_TRANSFORMER_MODE)
    v = (mpg_value){MPG_TEXT, 0, 0.0, mpg_str_of(modes[value])};
  if (key == MPG_TRANSFORMER_RECOMPUTE)
    v = (mpg_value){MPG_TEXT, 0, 0.0, mpg_str_of(recomputes[value])};
  if (key > MPG_TRANSFORMER_GATED && value % 2 == 0)
    v = (mpg_value){MPG_REAL, 0, value, {NULL, 0}};
  return mpg_transformer_set(t, mpg_str_of(keys[key]), &v, err);
}

static mpg_rc flops_of(const shape *s, double *flops, mpg_err *err) {
  mpg_transformer t;
  mpg_rc rc = MPG_OK;
  memset(&t, 0, sizeof t);
  for (int k = 0; rc == MPG_OK && k < MPG_TRANSFORMER_KEY_COUNT; k++)
    if (s->of[k] != NOT)
      rc = set(&t, k, s->of[k], err);
  return rc == MPG_OK ? mpg_transformer_flops(&t, flops, err) : rc;
}

static double given(int value, double otherwise) {
  return value == NOT ? otherwise : value;
}

/* Of one token: FLOPs of the weights of layers, of the unembedding, and of attention to one
** position. */
static void count(const shape *s, double *layers, double *unembedding, double *position) {
  double heads = given(OF(HEADS), 1), d = given(OF(WIDTH), 0), width = d;
  double matrices = OF(GATED) == 1 ? 3 : 2;
  *layers = *unembedding = *position = 0;
  if (OF(HEADS) != NOT && OF(HEAD_DIM) != NOT)
    width = (double)OF(HEADS) * OF(HEAD_DIM);
  for (int l = 0; l < given(OF(LAYERS), 0); l++)
    *position += 2 * width + 2 * width; /* with the key, and the value */
  if (OF(PARAMETERS) != NOT) {
    *layers = 2.0 * OF(PARAMETERS);
    return;
  }
  for (int l = 0; l < OF(LAYERS); l++) {
    double cached = width / heads * given(OF(KV_HEADS), heads);
    *layers +=
        2 * (d * width + d * cached + d * cached + width * d); /* queries, keys, values, output */
    if (l < given(OF(DENSE_LAYERS), 0)) {
      *layers += 2 * matrices * d * given(OF(DENSE_FFN), 0);
      continue;
    }
    for (int e = 0; e < given(OF(ACTIVE_EXPERTS), 1); e++)
      *layers += 2 * matrices * d * OF(FFN);
    *layers += 2 * matrices * d * given(OF(SHARED_FFN), 0);
    *layers += 2 * d * given(OF(EXPERTS), 0); /* the router */
  }
  *unembedding = 2 * d * OF(VOCABULARY);
}

static double expected(const shape *s) {
  double layers, unembedding, position, tokens, sum = 0;
  count(s, &layers, &unembedding, &position);
  if (OF(MODE) == 3) {
    for (int b = 0; b < OF(BATCH); b++)
      for (int n = 0; n < given(OF(TOKENS), 1); n++)
        sum += layers + unembedding + position * (given(OF(CONTEXT), 0) + n);
    return sum;
  }
  tokens = OF(BATCH) != NOT ? (double)OF(BATCH) * OF(SEQUENCE) : OF(TOKENS);
  position *= OF(CAUSAL) == 1 ? given(OF(SEQUENCE), 0) / 2 : given(OF(SEQUENCE), 0);
  sum = layers + unembedding + position;
  if (OF(MODE) == 0) /* backward is twice forward */
    sum += 2 * sum + (OF(RECOMPUTE) >= 1 ? position : 0) + (OF(RECOMPUTE) == 2 ? layers : 0);
  return tokens * sum;
}

static int maybe(int n) {
  return check_below(2) ? 1 + check_below(n) : NOT;
}

/* All that it needs, and some of what it may have. */
static shape random_shape(void) {
  shape whole, *s = &whole;
  for (int k = 0; k < MPG_TRANSFORMER_KEY_COUNT; k++)
    whole.of[k] = NOT;
  OF(MODE) = check_below(4);
  if (OF(MODE) == 0 && check_below(3) > 0)
    OF(RECOMPUTE) = check_below(3);
  if (check_below(4) == 0) {
    OF(PARAMETERS) = check_below(1000);
  } else {
    OF(FFN) = 1 + check_below(40);
    OF(VOCABULARY) = check_below(50);
    OF(GATED) = check_below(3) - 1;
    OF(SHARED_FFN) = maybe(9);
  }
  if (OF(PARAMETERS) == NOT || check_below(2)) {
    OF(LAYERS) = 1 + check_below(6);
    OF(WIDTH) = 1 + check_below(30);
    if (check_below(2)) {
      OF(HEADS) = 1 + check_below(6);
      OF(HEAD_DIM) = maybe(8);
    }
  }
  if (OF(PARAMETERS) == NOT) {
    if (OF(HEADS) != NOT && check_below(2))
      OF(KV_HEADS) = 1 + check_below(OF(HEADS));
    if (check_below(2)) {
      OF(EXPERTS) = 1 + check_below(8);
      OF(ACTIVE_EXPERTS) = 1 + check_below(OF(EXPERTS));
    }
    if (check_below(2)) {
      OF(DENSE_LAYERS) = check_below(OF(LAYERS) + 1);
      OF(DENSE_FFN) = 1 + check_below(20);
    }
  }
  if (OF(MODE) == 3) {
    OF(BATCH) = 1 + check_below(5);
    OF(TOKENS) = maybe(7);
    if (OF(PARAMETERS) == NOT || OF(LAYERS) != NOT)
      OF(CONTEXT) = check_below(20);
    return whole;
  }
  if (OF(PARAMETERS) == NOT || OF(LAYERS) != NOT) {
    OF(CAUSAL) = check_below(2);
    OF(SEQUENCE) = 1 + check_below(64);
  }
  if (OF(SEQUENCE) != NOT && check_below(2))
    OF(BATCH) = 1 + check_below(5);
  else
    OF(TOKENS) = 1 + check_below(99);
  return whole;
}

/* The keys without which a whole shape says too little. */
static bool is_needed(const shape *s, int key) {
  bool wide = OF(HEADS) != NOT && OF(HEAD_DIM) != NOT;
  switch (key) {
  case MPG_TRANSFORMER_MODE:
  case MPG_TRANSFORMER_LAYERS:
  case MPG_TRANSFORMER_FFN:
  case MPG_TRANSFORMER_VOCABULARY:
  case MPG_TRANSFORMER_CAUSAL:
  case MPG_TRANSFORMER_SEQUENCE:
  case MPG_TRANSFORMER_CONTEXT:
  case MPG_TRANSFORMER_EXPERTS:
  case MPG_TRANSFORMER_ACTIVE_EXPERTS:
  case MPG_TRANSFORMER_BATCH:
    return true;
  case MPG_TRANSFORMER_WIDTH:
    return OF(PARAMETERS) == NOT || !wide;
  case MPG_TRANSFORMER_HEADS:
    return OF(KV_HEADS) != NOT || OF(HEAD_DIM) != NOT;
  case MPG_TRANSFORMER_DENSE_FFN:
    return OF(DENSE_LAYERS) > 0;
  case MPG_TRANSFORMER_TOKENS:
    return OF(MODE) != 3;
  default:
    return false;
  }
}

/* One key less: what is left is a shape of its own, or the error says what is missing. */
static void without(const shape *s, int key) {
  shape less = *s;
  char text[64];
  double flops = -1;
  mpg_err err = {MPG_OK, ""};
  mpg_rc rc;
  less.of[key] = NOT;
  rc = flops_of(&less, &flops, &err);
  if (!is_needed(s, key)) {
    CHECK(rc == MPG_OK && fabs(flops - expected(&less)) <= 1e-12 * flops);
    return;
  }
  (void)snprintf(text, sizeof text, "missing key '%s': ", keys[key]);
  if (key == MPG_TRANSFORMER_BATCH && OF(MODE) != 3)
    (void)snprintf(text, sizeof text, "missing key 'tokens': ");
  CHECK(rc == MPG_DATA && strncmp(err.text, text, strlen(text)) == 0);
  if (strncmp(err.text, text, strlen(text)) != 0)
    (void)fprintf(stderr, "  without %s: %s\n", keys[key], err.text);
}

static void test_shapes(void) {
  for (int round = 0; round < 5000; round++) {
    shape s = random_shape();
    double flops = -1;
    mpg_err err;
    CHECK(flops_of(&s, &flops, &err) == MPG_OK);
    CHECK(fabs(flops - expected(&s)) <= 1e-12 * flops);
    for (int k = 0; k < MPG_TRANSFORMER_KEY_COUNT; k++)
      if (s.of[k] != NOT && k != MPG_TRANSFORMER_PARAMETERS)
        without(&s, k);
  }
}

/* ---- Refusals ---- */

static void refused(shape s, int key, int value, const char *text) {
  double flops;
  mpg_err err = {MPG_OK, ""};
  s.of[key] = value;
  CHECK(flops_of(&s, &flops, &err) == MPG_DATA && strcmp(err.text, text) == 0);
  if (strcmp(err.text, text) != 0)
    (void)fprintf(stderr, "  found    %s\n  expected %s\n", err.text, text);
}

static shape plain(int mode) {
  shape whole, *s = &whole;
  for (int k = 0; k < MPG_TRANSFORMER_KEY_COUNT; k++)
    whole.of[k] = NOT;
  OF(MODE) = mode;
  OF(LAYERS) = 3;
  OF(WIDTH) = 8;
  OF(FFN) = 9;
  OF(VOCABULARY) = 10;
  OF(HEADS) = 4;
  OF(BATCH) = 2;
  if (mode == 3) {
    OF(CONTEXT) = 5;
  } else {
    OF(CAUSAL) = 1;
    OF(SEQUENCE) = 5;
  }
  return whole;
}

static void test_contradictions(void) {
  static const int parts[] = {MPG_TRANSFORMER_FFN,        MPG_TRANSFORMER_VOCABULARY,
                              MPG_TRANSFORMER_EXPERTS,    MPG_TRANSFORMER_ACTIVE_EXPERTS,
                              MPG_TRANSFORMER_SHARED_FFN, MPG_TRANSFORMER_DENSE_LAYERS,
                              MPG_TRANSFORMER_DENSE_FFN,  MPG_TRANSFORMER_KV_HEADS,
                              MPG_TRANSFORMER_GATED};
  shape s = plain(0), d = plain(3);
  refused(s, MPG_TRANSFORMER_KV_HEADS, 5, "key 'kv_heads': expected at most 'heads', 4");
  refused(s, MPG_TRANSFORMER_DENSE_LAYERS, 4,
          "missing key 'dense_ffn': inner width of the 'dense_layers'");
  s.of[MPG_TRANSFORMER_DENSE_FFN] = 1;
  refused(s, MPG_TRANSFORMER_DENSE_LAYERS, 4, "key 'dense_layers': expected at most 'layers', 3");
  s.of[MPG_TRANSFORMER_EXPERTS] = 4;
  refused(s, MPG_TRANSFORMER_ACTIVE_EXPERTS, 5,
          "key 'active_experts': expected at most 'experts', 4");
  s = plain(0);
  s.of[MPG_TRANSFORMER_KV_HEADS] = 0;
  refused(s, MPG_TRANSFORMER_HEADS, 0, "key 'kv_heads': expected at most 'heads', 0");
  refused(d, MPG_TRANSFORMER_SEQUENCE, 1,
          "key 'sequence' is not for mode 'decode': give 'context'");
  for (int mode = 0; mode < 3; mode++) {
    s = plain(mode);
    refused(s, MPG_TRANSFORMER_CONTEXT, 1,
            "key 'context' is for mode 'decode' alone: give 'sequence'");
    refused(s, MPG_TRANSFORMER_TOKENS, 1,
            "keys 'tokens' and 'batch' say the same: give one of them");
  }
  for (int mode = 1; mode < 4; mode++)
    for (int again = 1; again < 3; again++)
      refused(plain(mode), MPG_TRANSFORMER_RECOMPUTE, again,
              "key 'recompute' is for mode 'training' alone");
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char text[120];
    s = plain(0);
    s.of[MPG_TRANSFORMER_FFN] = s.of[MPG_TRANSFORMER_VOCABULARY] = NOT;
    s.of[parts[i]] = 1;
    (void)snprintf(text, sizeof text, "keys '%s' and 'parameters' say the same: give one of them",
                   keys[parts[i]]);
    refused(s, MPG_TRANSFORMER_PARAMETERS, 1, text);
  }
}

/* Of parameters alone there is no attention, until one of its keys is there. */
static void test_attention(void) {
  static const int of_attention[] = {MPG_TRANSFORMER_LAYERS,   MPG_TRANSFORMER_WIDTH,
                                     MPG_TRANSFORMER_HEADS,    MPG_TRANSFORMER_HEAD_DIM,
                                     MPG_TRANSFORMER_SEQUENCE, MPG_TRANSFORMER_CAUSAL};
  shape alone;
  double flops;
  mpg_err err;
  for (int k = 0; k < MPG_TRANSFORMER_KEY_COUNT; k++)
    alone.of[k] = NOT;
  alone.of[MPG_TRANSFORMER_MODE] = 1;
  alone.of[MPG_TRANSFORMER_PARAMETERS] = 70;
  alone.of[MPG_TRANSFORMER_TOKENS] = 3;
  CHECK(flops_of(&alone, &flops, &err) == MPG_OK && flops == 2 * 70 * 3);
  for (size_t i = 0; i < sizeof of_attention / sizeof *of_attention; i++) {
    shape more = alone;
    more.of[of_attention[i]] = 1;
    CHECK(flops_of(&more, &flops, &err) == MPG_DATA && strncmp(err.text, "missing key '", 13) == 0);
  }
  alone.of[MPG_TRANSFORMER_MODE] = 3;
  alone.of[MPG_TRANSFORMER_BATCH] = 2;
  CHECK(flops_of(&alone, &flops, &err) == MPG_OK && flops == 2 * 70 * 6);
  alone.of[MPG_TRANSFORMER_CONTEXT] = 1;
  CHECK(flops_of(&alone, &flops, &err) == MPG_DATA);
}

static void value_refused(const char *key, mpg_value v, const char *text) {
  mpg_transformer t;
  mpg_err err = {MPG_OK, ""};
  memset(&t, 0, sizeof t);
  CHECK(mpg_transformer_set(&t, mpg_str_of(key), &v, &err) == MPG_DATA &&
        strcmp(err.text, text) == 0);
  if (strcmp(err.text, text) != 0)
    (void)fprintf(stderr, "  found    %s\n  expected %s\n", err.text, text);
}

static void test_values(void) {
  static const mpg_value null = {MPG_NULL, 0, 0.0, {NULL, 0}}, two = {MPG_INT, 2, 0.0, {NULL, 0}};
  static const mpg_value less = {MPG_REAL, 0, -0.5, {NULL, 0}},
                         word = {MPG_TEXT, 0, 0.0, {"trainin", 7}};
  mpg_transformer t;
  mpg_err err;
  char list[800] = "unknown key 'layer'; the keys are ";
  double flops;
  for (int k = 0; k < MPG_TRANSFORMER_KEY_COUNT; k++) {
    char text[160];
    (void)snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k == 0 ? "" : ", ",
                   keys[k]);
    if (k <= MPG_TRANSFORMER_RECOMPUTE)
      continue;
    (void)snprintf(text, sizeof text, "key '%s': expected %s", keys[k],
                   k <= MPG_TRANSFORMER_GATED ? "true or false" : "a number");
    value_refused(keys[k], null, text);
    value_refused(keys[k], word, text);
    (void)snprintf(text, sizeof text, "key '%s': expected %s, found -0.5", keys[k],
                   k <= MPG_TRANSFORMER_GATED ? "true or false" : "a number of at least 0");
    value_refused(keys[k], less, text);
    (void)snprintf(text, sizeof text, "key '%s': expected true or false, found 2", keys[k]);
    if (k <= MPG_TRANSFORMER_GATED)
      value_refused(keys[k], two, text);
  }
  value_refused("layer", two, list);
  value_refused("width", (mpg_value){MPG_REAL, 0, INFINITY, {NULL, 0}},
                "key 'width': expected a number of at least 0, found inf");
  value_refused(
      "mode", word,
      "key 'mode': expected one of 'training', 'forward', 'prefill', 'decode', found trainin");
  value_refused(
      "mode", two,
      "key 'mode': expected one of 'training', 'forward', 'prefill', 'decode', found a number");
  value_refused("recompute", word,
                "key 'recompute': expected one of 'none', 'selective', 'full', found trainin");
  memset(&t, 0, sizeof t);
  CHECK(set(&t, MPG_TRANSFORMER_MODE, 1, &err) == MPG_OK);
  for (int k = 0; k < 2; k++) {
    mpg_value much = {MPG_REAL, 0, 1e300, {NULL, 0}};
    CHECK(mpg_transformer_set(&t, mpg_str_of(k == 0 ? "parameters" : "tokens"), &much, &err) ==
          MPG_OK);
  }
  CHECK(mpg_transformer_flops(&t, &flops, &err) == MPG_DATA);
  CHECK(strcmp(err.text, "expected sizes whose FLOPs are a number, found infinity") == 0);
}

int main(void) {
  test_shapes();
  test_contradictions();
  test_attention();
  test_values();
  return check_done("transformer");
}
