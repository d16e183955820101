/*
** relation_schema.h - the relations of the native trace: names, columns, types. The one place that
** lists them; readers of files and of tables both map their columns onto these.
*/
#ifndef MPG_RELATION_SCHEMA_H
#define MPG_RELATION_SCHEMA_H

#include "../../base/base.h"

typedef enum mpg_relation {
  MPG_REL_CAPACITY,
  MPG_REL_OUTAGES,
  MPG_REL_JOBS,
  MPG_REL_ALLOCATIONS,
  MPG_REL_SPANS,
  MPG_REL_COMMITS,
  MPG_REL_PROGRAMS,
  MPG_REL_OBSERVED, /* of the open database alone: no record of a file */
  MPG_REL_CHIPS,
  MPG_RELATIONS
} mpg_relation;

/* Column numbers of each relation, in the order of mpg_relation_info.columns. */
enum { CAPACITY_POOL, CAPACITY_CHIP, CAPACITY_CHIPS, CAPACITY_START, CAPACITY_END };
enum { OUTAGES_POOL, OUTAGES_CHIPS, OUTAGES_START, OUTAGES_END, OUTAGES_KIND };
enum {
  JOBS_JOB,
  JOBS_NAME, /* the dimensions, NAME to LABELS, lie side by side: see mpg_job.dim */
  JOBS_OWNER,
  JOBS_PHASE,
  JOBS_FRAMEWORK,
  JOBS_RUNTIME,
  JOBS_MODEL,
  JOBS_PRIORITY,
  JOBS_LABELS,
  JOBS_CHIPS,
  JOBS_MIN_CHIPS,
  JOBS_TASKS,
  JOBS_SUBMIT
};
enum {
  ALLOCATIONS_JOB,
  ALLOCATIONS_ATTEMPT,
  ALLOCATIONS_TASK,
  ALLOCATIONS_POOL,
  ALLOCATIONS_CHIPS,
  ALLOCATIONS_START,
  ALLOCATIONS_END,
  ALLOCATIONS_OUTCOME
};
enum {
  SPANS_JOB,
  SPANS_ATTEMPT,
  SPANS_KIND,
  SPANS_START,
  SPANS_END,
  SPANS_STEP,
  SPANS_PROGRAM,
  SPANS_FLOPS,
  SPANS_BYTES,
  SPANS_DTYPE,
  SPANS_EXECUTIONS
};
enum { COMMITS_JOB, COMMITS_ATTEMPT, COMMITS_STEP, COMMITS_SNAPSHOT, COMMITS_DURABLE };
enum { PROGRAMS_PROGRAM, PROGRAMS_FLOPS, PROGRAMS_BYTES, PROGRAMS_DTYPE };
enum { OBSERVED_POOL, OBSERVED_UNTIL, OBSERVED_JOB, OBSERVED_CHIP }; /* a time or a chip */
enum {
  CHIPS_CHIP,
  CHIPS_DTYPE,
  CHIPS_PEAK,
  CHIPS_HBM,
  CHIPS_BANDWIDTH,
  CHIPS_ICI,
  CHIPS_TDP,
  CHIPS_VENDOR,
  CHIPS_YEAR,
  CHIPS_SOURCE
};
#define MPG_MAX_COLUMNS 16

typedef struct mpg_relation_info {
  const char *name;   /* file, table or view: "spans" */
  const char *record; /* in JSON Lines: "span" */
  const char *const *columns;
  size_t ncolumns;
  uint32_t required; /* bit i: column i must not be NULL */
} mpg_relation_info;

const mpg_relation_info *mpg_relation_get(mpg_relation r);
/* MPG_RELATIONS if there is none. Names are exact. */
mpg_relation mpg_relation_by_record(mpg_str record);
/* The relation whose name is the first word (letters) of a file's name: "/t/spans-01.csv.gz" is
 * spans. */
mpg_relation mpg_relation_by_file(const char *path);
/* The column of a relation by name (ASCII case does not matter), or -1. */
int mpg_column_by_name(mpg_relation r, mpg_str name);

#endif
