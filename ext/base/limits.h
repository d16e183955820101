/*
** limits.h - every limit of the readers that a connection can set (mpg_limit in SQL). Hostile input
** then ends in a clear error and does not take all memory of the host.
**
** Limits that follow from a format or a type are not here: the depth of JSON, the bytes of a path,
** 2^122 in a sum.
*/
#ifndef MPG_LIMITS_H
#define MPG_LIMITS_H

#include "base.h"

typedef enum mpg_limit_id {
  MPG_LIMIT_RECORD_BYTES,
  MPG_LIMIT_RECORD_FIELDS,
  MPG_LIMIT_JSON_MEMBERS,
  MPG_LIMIT_UNPACKED_BYTES,
  MPG_LIMIT_UNPACKED_RATIO,
  MPG_LIMIT_FILES,
  MPG_LIMIT_MODULE_BYTES,
  MPG_LIMIT_PLANE_BYTES,
  MPG_LIMIT_PLANES,
  MPG_LIMIT_PATTERN_STEPS,
  MPG_LIMIT_BUCKETS,
  MPG_LIMIT_GROUPS,
  MPG_LIMIT_ISSUES,
  MPG_LIMIT_PACKED_BYTES,
  MPG_LIMITS
} mpg_limit_id;

typedef struct mpg_limits {
  int64_t of[MPG_LIMITS]; /* atomic: threads read them while the host may set them */
} mpg_limits;

typedef struct mpg_limit_info {
  const char *name;
  int64_t standard, most; /* as a connection begins, and what it may be raised to; 1 is the least */
  const char *meaning;
} mpg_limit_info;

const mpg_limit_info *mpg_limit_get(mpg_limit_id id);
/* By name, in either case of letters; MPG_LIMITS: none is called so. */
mpg_limit_id mpg_limit_by_name(mpg_str name);
void mpg_limits_init(mpg_limits *limits);

/* What holds in this environment. */
int64_t mpg_limit_in(const mpg_env *env, mpg_limit_id id);

#endif
