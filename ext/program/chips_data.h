/* chips_data.h - the built-in catalogue, as schema/embed_chips.awk makes it from the CSV files. */
#ifndef MPG_CHIPS_DATA_H
#define MPG_CHIPS_DATA_H

#include "chips.h"

typedef struct mpg_chip_alias {
  const char *alias, *chip;
} mpg_chip_alias;

extern const mpg_chip_row mpg_chips_builtin[]; /* in the order of schema/chips.csv */
extern const size_t mpg_chips_builtin_count;
extern const mpg_chip_alias mpg_chips_builtin_alias[];
extern const size_t mpg_chips_builtin_alias_count;

#endif
