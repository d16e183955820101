/*
** hlo_parse.h - the text of one HLO module, to a module in memory.
**
** The grammar is what XLA prints, before and after optimisation, now and in years past:
**
**   HloModule NAME, key=value, ...          may be missing; old: "HloModule NAME:"
**   FileNames 1 "..." ...                   and FunctionNames, FileLocations, StackFrames: left out
**   [ENTRY] %name [(parameters) -> shape] { instructions } [, key=value]
**   [ROOT] %name = [shape] opcode(operands), key=value, ...
**
** "%" may be missing; operands may have shapes; a computation that an attribute calls may be
** written in place, calls={ instructions }; a missing shape follows from XLA's rules for tuple,
** get-tuple-element and elementwise opcodes. An operand is an instruction above it, as in all that
** XLA prints, or an element of one, "%loop#1#0": since 2026 XLA's dumps leave get-tuple-element
** out. Here that element is an instruction of that name.
*/
#ifndef MPG_HLO_PARSE_H
#define MPG_HLO_PARSE_H

#include "../../program/hlo/hlo_module.h"
#include "hlo_lex.h"

/* Scratch memory of the parser, used for one module after the other. All zero at first, except env.
*/
typedef struct mpg_hlo_scratch {
  const mpg_env *env;
  int64_t *numbers;
  size_t cap_numbers;
  uint32_t *members;
  size_t cap_members;
  struct mpg_hlo_open *open; /* tuples begun and not ended */
  size_t cap_open;
  struct mpg_hlo_frame *frames; /* instructions around a computation written in place */
  size_t cap_frames;
} mpg_hlo_scratch;
void mpg_hlo_scratch_free(mpg_hlo_scratch *s);

/*
** Fills `m` (cleared before) from the text, which it borrows, and links it. MPG_DONE: white space
** and comments, no module. MPG_DATA as "PATH:LINE:COLUMN: expected ..., found ...".
*/
mpg_rc mpg_hlo_parse(mpg_hlo_module *m, mpg_hlo_scratch *scratch, mpg_hlo_lex *lex, mpg_err *err);

#endif
