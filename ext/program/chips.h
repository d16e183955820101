/*
** chips.h - the chip catalogue: dense peaks per dtype, memory, bandwidth, interconnect, power,
** source.
**
** Built in from schema/chips.csv, chip_devices.csv and chip_aliases.csv; a host may add rows that
** extend or override it. Figures are of one chip, and `unit` says what that is (a GPU, a die, a
** chip of two TensorCores); runtimes and profilers list a chip as `devices` devices, and each has
** that part of it. Pointers into a catalogue stay valid until it is freed.
*/
#ifndef MPG_CHIPS_H
#define MPG_CHIPS_H

#include "../base/base.h"

typedef struct mpg_chip_row {
  const char *chip, *vendor, *dtype, *source, *unit;         /* vendor, source, unit may be NULL */
  int year, devices;                                         /* 0: unknown */
  double peak_flops;                                         /* FLOP/s, dense */
  double hbm_bytes, hbm_bytes_per_s, ici_bytes_per_s, tdp_w; /* NAN: unknown */
} mpg_chip_row;

typedef struct mpg_chips mpg_chips;

/* The built-in catalogue. */
mpg_rc mpg_chips_new(mpg_chips **out, const mpg_env *env, mpg_err *err);
void mpg_chips_free(mpg_chips *chips); /* NULL is fine */
/*
** Adds a row, copying its texts; a row of the same chip and dtype is replaced. `chip` may be an
** alias, and then stands for its chip. What the row leaves unknown (all but the source)
** comes from the row it replaces, else from the chip's first row. MPG_DATA for a peak that is not a
** positive number, other figures that are negative or infinite, a bandwidth of 0, or empty names.
** On failure the catalogue is as it was.
*/
mpg_rc mpg_chips_add(mpg_chips *chips, const mpg_chip_row *row, mpg_err *err);
/* Another name for a chip. An alias of another chip becomes one of this chip. MPG_DATA if the chip
** is unknown, or the alias is another chip's own name. */
mpg_rc mpg_chips_add_alias(mpg_chips *chips, mpg_str alias, mpg_str chip, mpg_err *err);

size_t mpg_chips_count(const mpg_chips *chips);                      /* rows: one a (chip, dtype) */
const mpg_chip_row *mpg_chips_row(const mpg_chips *chips, size_t i); /* in catalogue order */
size_t mpg_chips_alias_count(const mpg_chips *chips);
void mpg_chips_alias(const mpg_chips *chips, size_t i, const char **alias, const char **chip);

/* The canonical name for a name or alias (ASCII case, and spaces, '-' and '_', do not matter), or
** NULL. Borrowed from the catalogue. */
const char *mpg_chips_find(const mpg_chips *chips, mpg_str name);
/*
** The row of a canonical chip (or an alias) and dtype, or NULL. Dtypes are those of dtype.h in any
** of their spellings, and any others of added rows. If a chip lists only one of bf16 and fp16, it
** is used for both; likewise fp64_tensor and fp64_matrix. If it lists neither, fp64 is, and fp32
** for fp32_matrix. dtype.n = 0: the chip's default, which is bf16, else fp16, else fp32.
*/
const mpg_chip_row *mpg_chips_peak(const mpg_chips *chips, const char *chip, mpg_str dtype);
/* The first row of a chip: for what does not depend on the dtype. NULL if the chip is unknown. */
const mpg_chip_row *mpg_chips_first(const mpg_chips *chips, const char *chip);
/* Up to 3 names near a wrong one, nearest first, for a message: "nvidia-h100-sxm,
** nvidia-h100-pcie"; "" where none is near. `out` is terminated. */
void mpg_chips_nearest(const mpg_chips *chips, mpg_str name, char *out, size_t cap);
/* The dtypes of a chip for a message: "bf16, fp8, int8". */
void mpg_chips_dtypes(const mpg_chips *chips, const char *chip, char *out, size_t cap);

#endif
