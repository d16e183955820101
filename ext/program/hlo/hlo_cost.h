/*
** hlo_cost.h - what an HLO module costs: FLOPs, transcendentals, bytes and collective traffic of
** each instruction, scaled by how often it runs in one execution of the module.
**
** The rules are those of XLA's own HloCostAnalysis (xla/service/hlo_cost_analysis.cc), with
** integers instead of float32 and these differences:
**   (1) a while runs its body as often as its trip count says, and its condition once more. XLA
**       counts both once; so do we if the count is unknown, and the instruction is marked;
**   (2) XLA marks custom calls with -1. Here they cost nothing and are marked unknown. Calls that
**       only annotate are known to cost nothing; calls of cuBLAS and cuDNN cost what the dot or
**       convolution costs that they are;
**   (3) a shape without a layout has the default one;
**   (4) in a module of all partitions, what each partition runs by itself counts once for each.
**
** A cost is booked on the instruction that does the work: a fusion's arithmetic on the fused
** instructions and its traffic on the fusion; work in bodies, branches and callees on their
** instructions. So the cost of the module is the sum over all instructions of cost times
** executions. A computation that is applied to elements (by reduce, map, sort, ...) never runs by
** itself: its cost is booked on the instruction that applies it.
*/
#ifndef MPG_HLO_COST_H
#define MPG_HLO_COST_H

#include "../dtype.h"
#include "hlo_module.h"

typedef enum mpg_hlo_counter {
  MPG_HLO_FLOPS,
  MPG_HLO_TRANSCENDENTALS,
  MPG_HLO_BYTES,
  MPG_HLO_COLLECTIVE, /* bytes of the whole, unsharded data that a collective works on */
  MPG_HLO_WIRE,       /* bytes that each rank sends, on a ring or switch */
  MPG_HLO_COUNTERS
} mpg_hlo_counter;

typedef struct mpg_hlo_work {
  mpg_i128 of[MPG_HLO_COUNTERS];
} mpg_hlo_work;

#define MPG_HLO_NO_TRIPS (-1)
#define MPG_HLO_UNKNOWN_TRIPS (-2)

typedef struct mpg_hlo_price {
  mpg_hlo_work own;      /* of one execution, without what it calls */
  mpg_i128 output_bytes; /* the part of own bytes that is written */
  int64_t trips;         /* of a while: a number, or one of the above */
  int64_t ranks;         /* of a collective's largest group; else 0 */
  int64_t devices;       /* that its groups name; else 0 */
  int64_t parts;         /* of a call: partitions that run it, each by itself; 1: all together */
  uint32_t greatest[MPG_HLO_COUNTERS]; /* of a conditional: the edge of the greatest branch */
  uint32_t inside; /* of a custom fusion: the gather or scatter in it, which stands for all of it */
  bool known;
  bool is_matmul;   /* a dot or convolution: work of the matrix units */
  bool is_declared; /* a custom call that says its work itself */
} mpg_hlo_price;

/* The dtypes of a multiply: the catalogue's names if it has them, else HLO's. */
enum { MPG_HLO_CLASSES = MPG_DTYPES + MPG_HLO_TYPE_COUNT };
const char *mpg_hlo_class_name(unsigned c);

typedef struct mpg_hlo_cost {
  const mpg_env *env;
  const mpg_hlo_module *m;
  mpg_hlo_price *price; /* [instruction] */
  mpg_hlo_work *total;  /* [computation] of one execution, with all it calls */
  mpg_hlo_work *times;  /* [computation] executions in one of the module, as each counter counts */
  mpg_i128 *read; /* [instruction] fused parameters: bytes read through them; -1: not computed */
  size_t cap_price, cap_total, cap_times, cap_read;
  uint32_t *stack; /* of walks through nested tuples */
  size_t cap_stack;

  /* Of the module: */
  mpg_hlo_work sum;
  mpg_i128 matmul[MPG_HLO_CLASSES]; /* FLOPs of what is_matmul */
  mpg_i128 parameter_bytes, result_bytes;
  mpg_i128 device_bytes; /* of both, what the memory of one device holds */
  int64_t known, unknown_trips;
  int64_t devices;
  bool is_global;       /* shapes are those of all partitions together */
  const char *evidence; /* for that: a constant text */
} mpg_hlo_cost;

void mpg_hlo_cost_init(mpg_hlo_cost *c, const mpg_env *env);
void mpg_hlo_cost_free(mpg_hlo_cost *c);
/* Prices a linked module, which is borrowed until the next call. MPG_NOMEM or MPG_INTERRUPTED. */
mpg_rc mpg_hlo_cost_module(mpg_hlo_cost *c, const mpg_hlo_module *m, mpg_err *err);

/* One execution of an instruction with all that it calls: what a profiler measures under its
** name. */
mpg_hlo_work mpg_hlo_with_callees(const mpg_hlo_cost *c, const mpg_hlo_instruction *i);
/* Whether a dimension that its cost goes by is of any size (?): then it is not known. */
bool mpg_hlo_is_unbounded(const mpg_hlo_module *m, const mpg_hlo_instruction *i);
/* Bytes read of operand k, within own bytes. */
mpg_i128 mpg_hlo_operand_bytes(const mpg_hlo_cost *c, const mpg_hlo_instruction *i, uint32_t k);
/* hlo_class.c: what a multiply multiplies, the shapes of two operands. False: there are no two. */
bool mpg_hlo_factors(const mpg_hlo_module *m, const mpg_hlo_instruction *i, bool is_declared,
                     uint32_t shapes[2]);
/* How many real products one of a dot or convolution stands for: a complex number has two parts. */
int mpg_hlo_real_products(const mpg_hlo_module *m, const mpg_hlo_instruction *i);
/* The class of a dot's or convolution's multiply; MPG_HLO_CLASSES if it is none of ours. */
unsigned mpg_hlo_class(const mpg_hlo_cost *c, const mpg_hlo_instruction *i);

#endif
