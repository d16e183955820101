/*
** chips.h - the chip catalogue: dense peaks per dtype, memory, bandwidth, interconnect, power,
*source.
**
** Built in from schema/chips.csv and schema/chip_aliases.csv; a host may add rows that extend or
** override it. Per chip as the row's `source` counts it (a GCD, a TensorCore pair, one GPU of a
*board).
*/
#ifndef MPG_CHIPS_H
#define MPG_CHIPS_H

#include "base.h"

typedef struct mpg_chip_row {
  const char *chip, *vendor, *dtype, *source;                /* vendor and source may be NULL */
  int year;                                                  /* 0: unknown */
  double peak_flops;                                         /* FLOP/s, dense; NAN: unknown */
  double hbm_bytes, hbm_bytes_per_s, ici_bytes_per_s, tdp_w; /* NAN: unknown */
} mpg_chip_row;

typedef struct mpg_chips mpg_chips;

/* The built-in catalogue. */
mpg_rc mpg_chips_new(mpg_chips **out, const mpg_env *env, mpg_err *err);
void mpg_chips_free(mpg_chips *chips);
/* Adds a row, copying its texts; a row of the same chip and dtype is replaced. `peak_flops` must be
** positive: MPG_DATA otherwise. */
mpg_rc mpg_chips_add(mpg_chips *chips, const mpg_chip_row *row, mpg_err *err);
mpg_rc mpg_chips_add_alias(mpg_chips *chips, mpg_str alias, mpg_str chip, mpg_err *err);

size_t mpg_chips_count(const mpg_chips *chips);                      /* rows: one a (chip, dtype) */
const mpg_chip_row *mpg_chips_row(const mpg_chips *chips, size_t i); /* in catalogue order */
size_t mpg_chips_alias_count(const mpg_chips *chips);
void mpg_chips_alias(const mpg_chips *chips, size_t i, const char **alias, const char **chip);

/* The canonical name for a name or alias (ASCII case, and runs of space, '-', '_' do not matter),
 *or
 ** NULL. Borrowed from the catalogue. */
const char *mpg_chips_find(const mpg_chips *chips, mpg_str name);
/*
** The row of a canonical chip and dtype, or NULL. dtype names: fp64 fp64_tensor fp32 tf32 bf16 fp16
*fp8
** int8 fp4 int4, plus the spellings of frameworks and HLO (f32 float32 f16 float16 half bfloat16
*f8e4m3fn
** f8e5m2 s8 u8 ...). dtype.n = 0: the chip's default, bf16, or fp16 where it has no bf16, else
*fp32.
** bf16 and fp16 stand in for each other where a chip lists only one of them at the same rate class.
*/
const mpg_chip_row *mpg_chips_peak(const mpg_chips *chips, const char *chip, mpg_str dtype);
/* Up to 3 nearest names for a message: "nvidia-h100-sxm, nvidia-h100-pcie"; `out` is terminated. */
void mpg_chips_nearest(const mpg_chips *chips, mpg_str name, char *out, size_t cap);
/* The dtypes of a chip for a message: "bf16, fp8, int8". */
void mpg_chips_dtypes(const mpg_chips *chips, const char *chip, char *out, size_t cap);

#endif
