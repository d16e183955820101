/*
** hlo_opcode.h - HLO opcodes, and the rule of cost of each (table: docs/formats/hlo.md).
*/
#ifndef MPG_HLO_OPCODE_H
#define MPG_HLO_OPCODE_H

#include "../../base/base.h"

typedef enum mpg_hlo_rule {
  MPG_HLO_UNKNOWN, /* an opcode that is none of ours: no cost, and said so */
  MPG_HLO_FREE,    /* neither work nor traffic */
  MPG_HLO_MOVE,    /* traffic only: operands and output */
  MPG_HLO_ELEMENTWISE,
  MPG_HLO_TRANSCENDENTAL,
  MPG_HLO_PARAMETER,
  MPG_HLO_CONSTANT,
  MPG_HLO_GET_TUPLE_ELEMENT,
  MPG_HLO_TUPLE_OP,
  MPG_HLO_TRANSPOSE,
  MPG_HLO_BROADCAST, /* as MOVE; apart because fusions read their operands anew */
  MPG_HLO_DOT,
  MPG_HLO_RAGGED_DOT,
  MPG_HLO_CONVOLUTION,
  MPG_HLO_REDUCE,
  MPG_HLO_REDUCE_WINDOW,
  MPG_HLO_SELECT_AND_SCATTER,
  MPG_HLO_MAP,
  MPG_HLO_SCAN,
  MPG_HLO_SCATTER,
  MPG_HLO_GATHER,
  MPG_HLO_SLICE,
  MPG_HLO_DYNAMIC_SLICE,
  MPG_HLO_DYNAMIC_UPDATE_SLICE,
  MPG_HLO_SORT,
  MPG_HLO_FFT,
  MPG_HLO_TRIANGULAR_SOLVE,
  MPG_HLO_CHOLESKY,
  MPG_HLO_RNG,
  MPG_HLO_RNG_BITS,
  MPG_HLO_INFEED,
  MPG_HLO_OUTFEED,
  MPG_HLO_ALL_REDUCE,
  MPG_HLO_ALL_GATHER,
  MPG_HLO_REDUCE_SCATTER,
  MPG_HLO_ALL_TO_ALL,
  MPG_HLO_PERMUTE, /* collective-permute, -broadcast, -reduce: each byte goes once */
  MPG_HLO_WHILE,
  MPG_HLO_CONDITIONAL,
  MPG_HLO_CALL, /* call, async-start: what they call */
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
