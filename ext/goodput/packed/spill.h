/*
** spill.h - packed records that a fleet has no room for in memory, in a temporary file.
**
** A run holds what was in memory at one time, job after job; so the records of a job are those of
** the runs in their order, then those in memory. The file has no name: however the process ends,
** nothing is left.
*/
#ifndef MPG_SPILL_H
#define MPG_SPILL_H

#include "packed.h"

typedef struct mpg_spill mpg_spill;

enum { MPG_SPILL_SPANS, MPG_SPILL_COMMITS, MPG_SPILL_KINDS };

mpg_rc mpg_spill_new(mpg_spill **out, const mpg_env *env, mpg_err *err);
void mpg_spill_free(mpg_spill *spill); /* NULL is fine */

/* A run: begun, then what each job has in memory, by rising job, then ended. After a failure the
** file may only be freed. */
mpg_rc mpg_spill_begin(mpg_spill *spill, mpg_err *err);
mpg_rc mpg_spill_put(mpg_spill *spill, uint32_t job, const mpg_packed *const lists[MPG_SPILL_KINDS],
                     mpg_err *err);
mpg_rc mpg_spill_end(mpg_spill *spill, mpg_err *err);

/* Hands what the runs hold of a job, piece by piece, to `take`; in any thread, with its `env`. */
mpg_rc mpg_spill_read(const mpg_spill *spill, uint32_t job, int kind,
                      void (*take)(void *ctx, const mpg_packed_bytes *piece), void *ctx,
                      const mpg_env *env, mpg_err *err);

#ifdef MPG_TEST /* what tests replace */
#include <sys/types.h>
typedef struct mpg_spill_os {
  ssize_t (*write)(int fd, const void *buf, size_t n);
  ssize_t (*pread)(int fd, void *buf, size_t n, off_t offset);
} mpg_spill_os;
extern mpg_spill_os mpg_spill_calls;
extern size_t mpg_spill_buffer; /* bytes */
#endif

#endif
