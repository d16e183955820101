/*
** account.h - chip-time summed by category: exact, removable, mergeable, and the same bytes
*whatever the
** order. Ratios divide last.
**
** A sum is a signed 256-bit fixed-point number: 128 integer bits and 128 fraction bits, so integers
*and
** every real whose lowest bit is worth at least 2^-128 are summed exactly, and removing a value
*undoes
** adding it. A real with lower bits is rounded once, by itself, to a multiple of 2^-128: still the
*same
** sum in any order. A sum past 2^127 is MPG_LIMIT.
*/
#ifndef MPG_ACCOUNT_H
#define MPG_ACCOUNT_H

#include "category.h"

typedef struct mpg_sum {
  mpg_i128 whole;
  mpg_u128 fraction; /* units of 2^-128, always added to whole: -0.5 is whole -1, fraction 2^127 */
} mpg_sum;

/* Two more slots for wide rows (capacity, allocated, productive, ideal), which name no category. */
enum { MPG_SLOT_SCHEDULING = MPG_CATEGORIES, MPG_SLOT_RUNTIME, MPG_SLOTS };

typedef struct mpg_account {
  mpg_sum sum[MPG_SLOTS];
} mpg_account;

mpg_rc mpg_account_add_int(mpg_account *a, int slot, int64_t v, bool remove, mpg_err *err);
mpg_rc mpg_account_add_real(mpg_account *a, int slot, double v, bool remove, mpg_err *err);
mpg_rc mpg_account_merge(mpg_account *a, const mpg_account *b, bool remove, mpg_err *err);

double mpg_sum_to_double(mpg_sum s);                  /* nearest */
mpg_sum mpg_account_capacity(const mpg_account *a);   /* C */
mpg_sum mpg_account_allocated(const mpg_account *a);  /* A */
mpg_sum mpg_account_productive(const mpg_account *a); /* G */
mpg_sum mpg_account_ideal(const mpg_account *a);      /* I */

typedef enum mpg_ratio {
  MPG_RATIO_SG,
  MPG_RATIO_RG,
  MPG_RATIO_PG,
  MPG_RATIO_MPG,
  MPG_RATIO_MPG_LOWER,
  MPG_RATIO_RUNTIME_COVERAGE,
  MPG_RATIO_PROGRAM_COVERAGE,
  MPG_RATIO_OCCUPANCY,
  MPG_RATIO_MFU,
  MPG_RATIO_ETTR,
  MPG_RATIOS
} mpg_ratio;

const char *mpg_ratio_name(mpg_ratio r); /* the SQL function's name */
/* False where the ratio is unknown (0/0, or data is missing that it needs); see DESIGN for each. */
bool mpg_account_ratio(const mpg_account *a, mpg_ratio r, double *out);

/* The state's bytes: see account.c for the layout. At most MPG_STATE_MAX; the length is returned.
 */
#define MPG_STATE_MAX 1024
size_t mpg_account_write(const mpg_account *a, unsigned char out[MPG_STATE_MAX]);
/* MPG_DATA with a text: too short, no magic, unknown version, other definitions, bad checksum, ...
 */
mpg_rc mpg_account_read(mpg_account *a, const unsigned char *p, size_t n, mpg_err *err);

#endif
