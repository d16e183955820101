/* hlo_opcode.c - see hlo_opcode.h. */
#include "hlo_opcode.h"

#include <string.h>

#define OP(name, rule)                                                                             \
  { name, sizeof(name) - 1, MPG_HLO_##rule }

/* In the order of memcmp, shorter first: looked up by halving. */
static const mpg_hlo_opcode opcodes[] = {
    OP("abs", ELEMENTWISE),
    OP("acos", TRANSCENDENTAL),
    OP("acosh", TRANSCENDENTAL),
    OP("add", ELEMENTWISE),
    OP("add-dependency", FREE),
    OP("after-all", FREE),
    OP("all-gather", ALL_GATHER),
    OP("all-gather-done", MOVE),
    OP("all-gather-start", ALL_GATHER),
    OP("all-reduce", ALL_REDUCE),
    OP("all-reduce-done", MOVE),
    OP("all-reduce-start", ALL_REDUCE),
    OP("all-to-all", ALL_TO_ALL),
    OP("and", ELEMENTWISE),
    OP("asin", TRANSCENDENTAL),
    OP("asinh", TRANSCENDENTAL),
    OP("async-done", MOVE),
    OP("async-start", CALL),
    OP("async-update", MOVE),
    OP("atan", TRANSCENDENTAL),
    OP("atan2", TRANSCENDENTAL),
    OP("atanh", TRANSCENDENTAL),
    OP("batch-norm-grad", MOVE),
    OP("batch-norm-inference", MOVE),
    OP("batch-norm-training", MOVE),
    OP("bitcast", FREE),
    OP("bitcast-convert", ELEMENTWISE),
    OP("broadcast", BROADCAST),
    OP("call", CALL),
    OP("cbrt", TRANSCENDENTAL),
    OP("ceil", ELEMENTWISE),
    OP("cholesky", CHOLESKY),
    OP("clamp", ELEMENTWISE),
    OP("collective-broadcast", PERMUTE),
    OP("collective-permute", PERMUTE),
    OP("collective-permute-done", MOVE),
    OP("collective-permute-start", PERMUTE),
    OP("collective-reduce", PERMUTE),
    OP("compare", ELEMENTWISE),
    OP("complex", ELEMENTWISE),
    OP("concatenate", MOVE),
    OP("conditional", CONDITIONAL),
    OP("constant", CONSTANT),
    OP("convert", ELEMENTWISE),
    OP("convolution", CONVOLUTION),
    OP("copy", MOVE),
    OP("copy-done", MOVE),
    OP("copy-start", MOVE),
    OP("cosh", TRANSCENDENTAL),
    OP("cosine", TRANSCENDENTAL),
    OP("count-leading-zeros", ELEMENTWISE),
    OP("custom-call", CUSTOM_CALL),
    OP("divide", ELEMENTWISE),
    OP("domain", FREE),
    OP("dot", DOT),
    OP("dynamic-reshape", MOVE),
    OP("dynamic-slice", DYNAMIC_SLICE),
    OP("dynamic-update-slice", DYNAMIC_UPDATE_SLICE),
    OP("erf", TRANSCENDENTAL),
    OP("exponential", TRANSCENDENTAL),
    OP("exponential-minus-one", TRANSCENDENTAL),
    OP("fft", FFT),
    OP("floor", ELEMENTWISE),
    OP("fusion", FUSION),
    OP("gather", GATHER),
    OP("get-dimension-size", MOVE),
    OP("get-tuple-element", GET_TUPLE_ELEMENT),
    OP("imag", ELEMENTWISE),
    OP("infeed", INFEED),
    OP("iota", MOVE),
    OP("is-finite", ELEMENTWISE),
    OP("log", TRANSCENDENTAL),
    OP("log-plus-one", TRANSCENDENTAL),
    OP("logistic", TRANSCENDENTAL),
    OP("map", MAP),
    OP("maximum", ELEMENTWISE),
    OP("minimum", ELEMENTWISE),
    OP("mulhi", ELEMENTWISE),
    OP("multiply", ELEMENTWISE),
    OP("negate", ELEMENTWISE),
    OP("not", ELEMENTWISE),
    OP("opt-barrier", MOVE),
    OP("optimization-barrier", MOVE),
    OP("or", ELEMENTWISE),
    OP("outfeed", OUTFEED),
    OP("pad", MOVE),
    OP("parameter", PARAMETER),
    OP("partition-id", MOVE),
    OP("popcnt", ELEMENTWISE),
    OP("power", TRANSCENDENTAL),
    OP("ragged-all-to-all", ALL_TO_ALL),
    OP("ragged-dot", RAGGED_DOT),
    OP("real", ELEMENTWISE),
    OP("recv", MOVE),
    OP("recv-done", MOVE),
    OP("reduce", REDUCE),
    OP("reduce-precision", ELEMENTWISE),
    OP("reduce-scatter", REDUCE_SCATTER),
    OP("reduce-window", REDUCE_WINDOW),
    OP("remainder", ELEMENTWISE),
    OP("replica-id", MOVE),
    OP("reshape", BROADCAST),
    OP("reverse", MOVE),
    OP("rng", RNG),
    OP("rng-bit-generator", RNG_BITS),
    OP("rng-get-and-update-state", MOVE),
    OP("round-nearest-afz", ELEMENTWISE),
    OP("round-nearest-even", ELEMENTWISE),
    OP("rsqrt", TRANSCENDENTAL),
    OP("scaled-dot", DOT),
    OP("scan", SCAN),
    OP("scatter", SCATTER),
    OP("select", ELEMENTWISE),
    OP("select-and-scatter", SELECT_AND_SCATTER),
    OP("send", SEND),
    OP("send-done", MOVE),
    OP("set-dimension-size", MOVE),
    OP("shift-left", ELEMENTWISE),
    OP("shift-right-arithmetic", ELEMENTWISE),
    OP("shift-right-logical", ELEMENTWISE),
    OP("shuffle", MOVE),
    OP("sign", ELEMENTWISE),
    OP("sine", TRANSCENDENTAL),
    OP("sinh", TRANSCENDENTAL),
    OP("slice", SLICE),
    OP("sort", SORT),
    OP("sqrt", TRANSCENDENTAL),
    OP("stochastic-convert", ELEMENTWISE),
    OP("subtract", ELEMENTWISE),
    OP("tan", TRANSCENDENTAL),
    OP("tanh", TRANSCENDENTAL),
    OP("topk", MOVE),
    OP("transpose", TRANSPOSE),
    OP("triangular-solve", TRIANGULAR_SOLVE),
    OP("tuple", TUPLE_OP),
    OP("while", WHILE),
    OP("xor", ELEMENTWISE),
};

static const mpg_hlo_opcode unknown = {"", 0, MPG_HLO_UNKNOWN};

static const mpg_hlo_opcode *find_opcode(mpg_str name) {
  size_t low = 0, high = sizeof opcodes / sizeof *opcodes;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = mpg_str_cmp(name, (mpg_str){opcodes[middle].name, opcodes[middle].n});
    if (order == 0)
      return &opcodes[middle];
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return &unknown;
}

/* Whether `name` ends in "-WORD"; cuts it off. */
static bool cut_suffix(mpg_str *name, const char *word) {
  size_t n = strlen(word);
  if (name->n <= n || memcmp(name->p + name->n - n, word, n) != 0)
    return false;
  name->n -= n;
  return true;
}

const mpg_hlo_opcode *mpg_hlo_opcode_find(mpg_str name, bool *sugar) {
  const mpg_hlo_opcode *found = find_opcode(name);
  *sugar = false;
  if (found->n > 0)
    return found;
  if (cut_suffix(&name, "-start")) {
    found = find_opcode(name);
    *sugar = found->n > 0;
    return found;
  }
  if (cut_suffix(&name, "-done") || cut_suffix(&name, "-update"))
    return find_opcode(name)->n > 0 ? find_opcode(MPG_STR("async-done")) : &unknown;
  return &unknown;
}
