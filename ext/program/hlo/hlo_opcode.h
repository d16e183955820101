/*
** hlo_opcode.h - HLO opcodes, and the rule of cost of each: those of XLA's HloCostAnalysis, in
** integers. docs/formats/hlo.md has the common ones, and where they differ from XLA's.
**
** FLOPs are 0, and bytes are operands + output, where a rule says nothing of them. N: elements
** of the output.
*/
#ifndef MPG_HLO_OPCODE_H
#define MPG_HLO_OPCODE_H

#include "../../base/base.h"

typedef enum mpg_hlo_rule {
  MPG_HLO_UNKNOWN,           /* an opcode that is none of ours: no cost, and said so */
  MPG_HLO_FREE,              /* neither work nor traffic */
  MPG_HLO_MOVE,              /* traffic only: operands and output */
  MPG_HLO_ELEMENTWISE,       /* FLOPs: N */
  MPG_HLO_TRANSCENDENTAL,    /* N transcendentals */
  MPG_HLO_PARAMETER,         /* no bytes */
  MPG_HLO_CONSTANT,          /* no bytes */
  MPG_HLO_GET_TUPLE_ELEMENT, /* no bytes */
  MPG_HLO_TUPLE_OP, /* bytes: 8 for each element; as an operand likewise, as an output its arrays */
  MPG_HLO_TRANSPOSE,  /* no bytes if only the layout changes */
  MPG_HLO_BROADCAST,  /* as MOVE; apart because fusions read their operands anew */
  MPG_HLO_DOT,        /* FLOPs: 2 N x contracted dimensions; four times as many if complex */
  MPG_HLO_RAGGED_DOT, /* FLOPs: as a dot; groups in the result do not count */
  /*
  ** FLOPs: 2 (Cin / feature groups) Cout (batch / batch groups) x pairs of kernel and output that
  ** meet input, not padding.
  */
  MPG_HLO_CONVOLUTION,
  MPG_HLO_REDUCE, /* FLOPs: combiner x (elements in - out) */
  /* FLOPs: combiner x (window - 1) x N; a window over a whole dimension: N / n + n - 1. */
  MPG_HLO_REDUCE_WINDOW,
  MPG_HLO_SELECT_AND_SCATTER,   /* FLOPs: source x ((window - 1) x select + scatter) */
  MPG_HLO_MAP,                  /* FLOPs: callee x N */
  MPG_HLO_SCAN,                 /* FLOPs: callee x slices of the first operand */
  MPG_HLO_SCATTER,              /* FLOPs: combiner x updates; bytes: 3 updates + indices */
  MPG_HLO_GATHER,               /* bytes: 2 outputs + index */
  MPG_HLO_SLICE,                /* bytes: 2 outputs */
  MPG_HLO_DYNAMIC_SLICE,        /* bytes: 2 outputs + first index */
  MPG_HLO_DYNAMIC_UPDATE_SLICE, /* bytes: 2 updates + first index */
  MPG_HLO_SORT,                 /* FLOPs: n log2 n */
  MPG_HLO_FFT,                  /* FLOPs: 8 N x logs of the lengths */
  MPG_HLO_TRIANGULAR_SOLVE,     /* FLOPs: 2 n b; bytes: half of a */
  MPG_HLO_CHOLESKY,             /* FLOPs: n a / 3; bytes: half of a */
  MPG_HLO_RNG,                  /* N transcendentals */
  MPG_HLO_RNG_BITS,
  MPG_HLO_INFEED,
  MPG_HLO_OUTFEED,
  MPG_HLO_ALL_REDUCE, /* FLOPs: N */
  MPG_HLO_ALL_GATHER,
  MPG_HLO_REDUCE_SCATTER,
  MPG_HLO_ALL_TO_ALL,
  MPG_HLO_PERMUTE,     /* collective-permute, -broadcast, -reduce: each byte goes once */
  MPG_HLO_SEND,        /* each byte goes once, but to the host */
  MPG_HLO_WHILE,       /* body x trips + condition x (trips + 1) */
  MPG_HLO_CONDITIONAL, /* the greatest branch, for each counter */
  MPG_HLO_CALL,        /* call, async-start: what they call */
  /*
  ** What is fused. Bytes: outputs, and parameters as far as they are read; the first gather or
  ** scatter stands for a custom fusion without a product.
  */
  MPG_HLO_FUSION,
  MPG_HLO_CUSTOM_CALL
} mpg_hlo_rule;

typedef struct mpg_hlo_opcode {
  const char *name;
  uint8_t n, rule;
} mpg_hlo_opcode;

/*
** The row of an opcode; that of an unknown one has the name "". *sugar: it was "OPCODE-start"
** without being an HLO opcode: XLA's short form of an async-start around OPCODE.
*/
const mpg_hlo_opcode *mpg_hlo_opcode_find(mpg_str name, bool *sugar);

#endif
