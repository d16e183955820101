/*
** record_id.h - the id of a record: a hash of what it says, of a job or program of its name alone.
*/
#ifndef MPG_RECORD_ID_H
#define MPG_RECORD_ID_H

#include "../../goodput/trace/fleet.h"

/* Where a record is in a fleet. */
typedef struct mpg_record_place {
  const mpg_fleet *fleet;
  mpg_relation relation; /* one whose records have ids */
  size_t i;              /* its place; of a span or commit, among those of its job: */
  size_t job;
  const mpg_span *spans; /* of the job, unpacked */
  const mpg_commit *commits;
} mpg_record_place;

int64_t mpg_record_id(const mpg_record_place *place);

#endif
