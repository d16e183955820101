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

/* What the first n ids of a part are in the whole; 0 for 0. */
typedef struct mpg_fleet_map {
  uint32_t *to;
  size_t n, cap;
} mpg_fleet_map;

/* What a part has that a whole fleet does not. */
struct mpg_fleet_log {
  mpg_fleet_note *notes;
  size_t n, cap;
  bool refused; /* there was a record that only the whole can take: of a chip */
  /* Jobs (indexes) that spans or commits since the reset are of. */
  uint32_t *touched;
  size_t ntouched, touched_cap;
  mpg_fleet_map kinds, programs, texts, pools, jobs; /* jobs: by index + 1 */
  /* The packed records are in memory of the whole, else in the part's own: they are few. */
  bool spans_settled, commits_settled;
  mpg_arena_pin *pin; /* of that memory */
};

/* `issues` stays the caller's and belongs to this part alone. mpg_fleet_free frees a part. */
mpg_rc mpg_fleet_part_init(mpg_fleet *part, const mpg_env *env, mpg_issues *issues, mpg_err *err);
/* Removes its records and issues, and keeps the memory; names that were merged also stay, unless
** they have become many. Call mpg_fleet_from next, with the source of the records to come. */
mpg_rc mpg_fleet_part_reset(mpg_fleet *part, mpg_err *err);
/* After the last record of a part, in the thread that read it: moves spans and commits to memory of
** the whole, `into`, which `lock` guards. MPG_OK or MPG_NOMEM: then the part may not be merged. */
mpg_rc mpg_fleet_part_settle(mpg_fleet *part, mpg_arena *into, pthread_mutex_t *lock);
/* Adds what the part holds. Parts are merged in order, and all of one memory into one whole. */
mpg_rc mpg_fleet_merge(mpg_fleet *into, mpg_fleet *part, mpg_err *err);

/* A time in a record, of a job or of a pool. */
static inline void mpg_fleet_saw(mpg_fleet *f, int64_t at, bool of_job) {
  if (at > f->last)
    f->last = at;
  if (of_job && at > f->last_of_jobs)
    f->last_of_jobs = at;
}

/* ---- fleet.c and fleet_packed.c, for merging ---- */

/* Names every fleet has from the beginning. */
mpg_rc mpg_fleet_begin(mpg_fleet *fleet, mpg_err *err);
/* By name, with room for what is known of it. */
mpg_rc mpg_fleet_job(mpg_fleet *fleet, mpg_str name, uint32_t *index, mpg_err *err);
mpg_rc mpg_fleet_program(mpg_fleet *fleet, mpg_str name, uint32_t *id, mpg_err *err);
/* A span or a commit of a job. MPG_OK or MPG_NOMEM. */
mpg_rc mpg_fleet_add_packed(mpg_fleet *fleet, uint32_t job, const mpg_span *span,
                            const mpg_commit *commit);
/* What a record at `line` says of them. */
mpg_rc mpg_fleet_describe_job(mpg_fleet *fleet, uint32_t index, const mpg_job *described,
                              int64_t line, mpg_err *err);
mpg_rc mpg_fleet_describe_program(mpg_fleet *fleet, uint32_t id, const mpg_program *costs,
                                  int64_t line, mpg_err *err);

#endif
