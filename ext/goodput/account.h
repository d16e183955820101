/*
** account.h - chip-time summed by category: exact, removable, mergeable, and the same bytes in any
** order. Ratios divide last.
**
** A sum is a signed 256-bit fixed-point number: 128 integer bits and 128 fraction bits, so integers
** and every real whose lowest bit is worth at least 2^-128 are summed exactly, and removing a value
** undoes adding it. A real with lower bits is rounded once, by itself, to a multiple of 2^-128
** (half to even): still the same sum in any order.
**
** A value or a sum of 2^122 or more either way is MPG_LIMIT and leaves the account as it was. Five
** bits are kept free so that no total over the slots can overflow: capacity and the like need no
** error.
*/
#ifndef MPG_ACCOUNT_H
#define MPG_ACCOUNT_H

#include "category.h"
#include "../base/text.h"

typedef struct mpg_sum {
  mpg_i128 whole;
  mpg_u128 fraction; /* units of 2^-128, always added to whole: -0.5 is whole -1, fraction 2^127 */
} mpg_sum;

#define MPG_SUM_LIMIT ((mpg_i128)1 << 122) /* every sum lies strictly between -this and +this */

/* Two more slots for wide rows (capacity, allocated, productive, ideal), which name no category. */
enum { MPG_SLOT_SCHEDULING = MPG_CATEGORIES, MPG_SLOT_RUNTIME, MPG_SLOTS };

typedef struct mpg_account {
  mpg_sum sum[MPG_SLOTS];
} mpg_account;

/* Add a value to a slot, or remove one that was added. A NaN or an infinity is MPG_DATA. */
mpg_rc mpg_account_add_int(mpg_account *a, int slot, int64_t v, bool remove, mpg_err *err);
mpg_rc mpg_account_add_real(mpg_account *a, int slot, double v, bool remove, mpg_err *err);
/* Adds (or removes) every sum of b: all or nothing. */
mpg_rc mpg_account_merge(mpg_account *a, const mpg_account *b, bool remove, mpg_err *err);

const char *mpg_slot_name(int slot); /* the category, or "scheduling" and "runtime" */

double mpg_sum_to_double(mpg_sum s); /* nearest, ties to even */
/* Decimal text: all digits of an integer; else as mpg_text_real of the nearest double. */
#define MPG_SUM_TEXT MPG_INT_TEXT
size_t mpg_sum_format(mpg_sum s, char out[MPG_SUM_TEXT]);
bool mpg_sum_is_zero(mpg_sum s);

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
/*
** False if the ratio is unknown: its denominator is 0, or the data it needs is missing. U is
** `untraced`, R is `unrated`, P is `partial`, Q is `queued`.
**   SG A / C                   RG G / (A - U)
**   PG I / (G - R)             MPG I / C, unknown unless U = R = 0
**   MPG_LOWER I / C            RUNTIME_COVERAGE (A - U) / A
**   OCCUPANCY (A + P) / C      PROGRAM_COVERAGE (G - R) / G
**   MFU I / A, unknown unless U = R = 0
**   ETTR G / (A + P + Q), unknown unless U = 0
** Both terms are rounded to double, then divided: within 2 units in the last place.
*/
bool mpg_account_ratio(const mpg_account *a, mpg_ratio r, double *out);

/* The state's bytes: account.c has the layout. Equal accounts have equal bytes. */
#define MPG_STATE_MAX 696
size_t mpg_account_write(const mpg_account *a, unsigned char out[MPG_STATE_MAX]);
/* Takes what mpg_account_write gives and nothing else: MPG_DATA with a text that says what is
** wrong. *a is unchanged on failure. */
mpg_rc mpg_account_read(mpg_account *a, const unsigned char *p, size_t n, mpg_err *err);

#endif
