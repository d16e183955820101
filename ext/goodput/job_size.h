/*
** job_size.h - the size classes of jobs, S, M, L and XL: their bounds, and the class of a number of
** chips. The one home of the classes (docs/rules.md, section 9).
*/
#ifndef MPG_JOB_SIZE_H
#define MPG_JOB_SIZE_H

#include "../base/base.h"

typedef struct mpg_sizes {
  int64_t from[3]; /* chips, in millionths, from which a job is M, L and XL; rising, above 0 */
} mpg_sizes;

/* 16, 256 and 2048 chips: the paper names the classes and leaves the bounds open. */
extern const mpg_sizes mpg_sizes_default;

/* Three rising numbers of chips, "16,256,2048". MPG_MISUSE otherwise; *sizes is then unchanged. */
mpg_rc mpg_sizes_parse(mpg_str text, mpg_sizes *sizes, mpg_err *err);

/* 1 S, 2 M, 3 L, 4 XL; `chips` in millionths. */
uint8_t mpg_size_class(const mpg_sizes *sizes, int64_t chips);
/* The class of a number of chips, as users write it, by three bounds (NULL: no class; no pointer:
** the default ones): job_size in SQL. *name is NULL if the chips are. */
mpg_rc mpg_size_of(const mpg_value *chips, const mpg_value *bounds, const char **name,
                   mpg_err *err);
/* "S" and so on; NULL for 0, the size of what is no job. Static. */
const char *mpg_size_name(uint8_t size);

#endif
