/*
** record_id.h - the id of a record: a hash of what it says, of a job or program of its name alone.
*/
#ifndef MPG_RECORD_ID_H
#define MPG_RECORD_ID_H

#include "../../goodput/trace/fleet.h"

/* The hashes of a span's texts, of its job, kind, program and type, which the next span often
** shares. Zero-initialised, for one fleet. */
typedef struct mpg_record_texts {
  uint32_t ids[4];
  uint64_t hashes[4];
} mpg_record_texts;

/* Where a record is in a fleet. */
typedef struct mpg_record_place {
  const mpg_fleet *fleet;
  mpg_relation relation; /* one whose records have ids */
  size_t i;              /* its place; of a span or commit, among those of its job: */
  size_t job;
  const mpg_span *spans; /* of the job, unpacked */
  const mpg_commit *commits;
  mpg_record_texts *texts; /* changed */
} mpg_record_place;

int64_t mpg_record_id(const mpg_record_place *place);

#endif
