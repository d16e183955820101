/*
** fleet_part.h - a fleet gathered in parts, by several threads, and put together in order.
**
** A part is a fleet by itself, with numbers of its own for every name; what depends on the records
** before it (jobs and programs that are described again) it only writes down. Merged in the order
** of the input, parts give the fleet, the issues and the order of names that reading everything
** into one fleet gives. A part is never sealed.
*/
#ifndef MPG_FLEET_PART_H
#define MPG_FLEET_PART_H

#include "fleet.h"

/* A record of `jobs` or `programs`, for the whole to merge. */
typedef struct mpg_fleet_note {
  uint32_t job, program; /* index of the one described, + 1; 0: it is the other */
  mpg_job described;     /* what the record says */
  mpg_program costs;
  int64_t line;
  size_t issues; /* of the part's that were listed before */
} mpg_fleet_note;

struct mpg_fleet_log {
  mpg_fleet_note *notes;
  size_t n, cap;
  bool refused; /* there was a record that only the whole can take: of a chip */
};

/* `issues` stays the caller's and belongs to this part alone. mpg_fleet_free frees a part. */
mpg_rc mpg_fleet_part_init(mpg_fleet *part, const mpg_env *env, mpg_issues *issues, mpg_err *err);
/* Removes its records and issues, and keeps the memory. Call mpg_fleet_from next, with the source
** of the records to come. */
mpg_rc mpg_fleet_part_reset(mpg_fleet *part, mpg_err *err);
/* Adds what the part holds. Spans stay in the part's memory, which mpg_fleet_adopt hands over. */
mpg_rc mpg_fleet_merge(mpg_fleet *into, mpg_fleet *part, mpg_err *err);
/* Before a merged part is freed. */
void mpg_fleet_adopt(mpg_fleet *into, mpg_fleet *part);

/* A time in a record, of a job or of a pool. */
static inline void mpg_fleet_saw(mpg_fleet *f, int64_t at, bool of_job) {
  if (at > f->last)
    f->last = at;
  if (of_job && at > f->last_of_jobs)
    f->last_of_jobs = at;
}

/* ---- fleet.c, for merging ---- */

/* Names every fleet has from the beginning. */
mpg_rc mpg_fleet_begin(mpg_fleet *fleet, mpg_err *err);
/* By name, with room for what is known of it. */
mpg_rc mpg_fleet_job(mpg_fleet *fleet, mpg_str name, uint32_t *index, mpg_err *err);
mpg_rc mpg_fleet_program(mpg_fleet *fleet, mpg_str name, uint32_t *id, mpg_err *err);
/* What a record at `line` says of them. */
mpg_rc mpg_fleet_describe_job(mpg_fleet *fleet, uint32_t index, const mpg_job *described,
                              int64_t line, mpg_err *err);
mpg_rc mpg_fleet_describe_program(mpg_fleet *fleet, uint32_t id, const mpg_program *costs,
                                  int64_t line, mpg_err *err);

#endif
