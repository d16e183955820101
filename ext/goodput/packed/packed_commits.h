/*
** packed_commits.h - a job's commits, packed: about 8 bytes each, in the order of arrival.
*/
#ifndef MPG_PACKED_COMMITS_H
#define MPG_PACKED_COMMITS_H

#include "packed_spans.h"

typedef struct mpg_commit {
  uint32_t job;                    /* index */
  int64_t step, snapshot, durable; /* each may be MPG_NONE */
} mpg_commit;

mpg_rc mpg_commits_add(mpg_packed *list, mpg_arena *arena, const mpg_commit *commit);

/* Unpacks piece after piece of a list, in order. */
typedef struct mpg_commits_reader {
  mpg_commit *out; /* where the next commit goes */
  uint32_t job;
  int64_t step, rise, at;
} mpg_commits_reader;
void mpg_commits_read_bytes(mpg_commits_reader *reader, const mpg_packed_bytes *piece);

#endif
