/*
** gzip.h - one gzip member at a time, by ISA-L or by zlib; the part of unpack.h that unpacks gzip.
**
** MPG_ISAL: ISA-L was there to build with, and is linked. MPG_ISAL_LOADED, beside it: it is
** searched for at run time instead, and zlib unpacks where it is not found. Without either zlib is
** linked.
*/
#ifndef MPG_GZIP_H
#define MPG_GZIP_H

#include "../../base/base.h"

typedef struct mpg_gzip_step {
  mpg_str in; /* what there is to unpack */
  char *out;  /* for at most cap bytes */
  size_t cap;
  size_t eaten, got;  /* of in; in out */
  bool ended;         /* the member, with a trailer that is right */
  const char *damage; /* the error, if step returns MPG_DATA */
} mpg_gzip_step;

typedef struct mpg_gzip mpg_gzip;
struct mpg_gzip {
  const mpg_env *env;
  bool (*start)(mpg_gzip *gzip); /* at the first byte of a member; false: this failed */
  /* Unpacks some of a member. It may give nothing while it has not had all of the header. MPG_OK,
  ** MPG_NOMEM or MPG_DATA. */
  mpg_rc (*step)(mpg_gzip *gzip, mpg_gzip_step *step);
  void (*close)(mpg_gzip *gzip);
};

mpg_gzip *mpg_gzip_open(const mpg_env *env); /* NULL: out of memory */

/* By each library. *missing: it is not on this machine. */
mpg_gzip *mpg_gzip_by_isal(const mpg_env *env, bool *missing);
mpg_gzip *mpg_gzip_by_zlib(const mpg_env *env);

#endif
