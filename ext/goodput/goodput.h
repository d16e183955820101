/*
** goodput.h - what a goodput aggregate keeps, and how the three forms of its arguments step it;
** for every host that offers the aggregates.
**
**     (category, chip_time)                      rows of the ledger, or of such a table
**     (capacity, allocated, productive, ideal)   wide rows
**     (state)                                    what mpg_account_write gave
**
** Each step adds a row or takes one that was added out again, wholly or, on failure, not at all.
*/
#ifndef MPG_GOODPUT_H
#define MPG_GOODPUT_H

#include "account.h"

/* Owns nothing: all zero is empty. */
typedef struct mpg_goodput {
  mpg_account account;
  int64_t rows; /* added and not removed again; 0: every result is NULL */
} mpg_goodput;

/* chip_time is MPG_INT or MPG_REAL, in any unit. MPG_DATA: "unknown category 'x'; the categories
** are ...". */
mpg_rc mpg_goodput_category(mpg_goodput *g, mpg_str category, const mpg_value *chip_time,
                            bool remove, mpg_err *err);

/* The same of an integer, and of a category that is known. */
static inline mpg_rc mpg_goodput_int(mpg_goodput *g, mpg_category category, int64_t chip_time,
                                     bool remove, mpg_err *err) {
  mpg_rc rc = mpg_account_add_int(&g->account, (int)category, chip_time, remove, err);
  if (rc == MPG_OK)
    g->rows += remove ? -1 : 1;
  return rc;
}

/*
** MPG_INT, MPG_REAL or MPG_NULL each. Four NULLs are no row. Capacity and allocated are required;
** productive NULL says that the allocated time is untraced (its ideal is then not looked at),
** ideal NULL that the productive time is unrated.
*/
enum { MPG_WIDE_CAPACITY, MPG_WIDE_ALLOCATED, MPG_WIDE_PRODUCTIVE, MPG_WIDE_IDEAL, MPG_WIDE };
const char *mpg_wide_name(int i);
mpg_rc mpg_goodput_wide(mpg_goodput *g, const mpg_value values[MPG_WIDE], bool remove,
                        mpg_err *err);

mpg_rc mpg_goodput_state(mpg_goodput *g, const unsigned char *p, size_t n, bool remove,
                         mpg_err *err);

/* One JSON object: the sums, the ratios, and every category's chip-time and share of capacity.
** Terminated; returns the length. */
#define MPG_GOODPUT_JSON 4096
size_t mpg_goodput_json(const mpg_goodput *g, char out[MPG_GOODPUT_JSON]);

#endif
