/*
** fleet.h - the records of a fleet, gathered and checked, ready to be accounted.
**
** A reader feeds records one by one (mpg_fleet_add), from files or tables, in any order;
** mpg_fleet_seal ends that. Memory: about 6 bytes a span, 8 a commit and 64 an allocation, plus
** each distinct text once.
*/
#ifndef MPG_FLEET_H
#define MPG_FLEET_H

#include "../../program/chips.h"
#include "../../base/intern.h"
#include "../../base/issues.h"
#include "relation_schema.h"
#include "../packed/packed_commits.h"
#include "../packed/spill.h"

#include <pthread.h>

#define MPG_CHIP INT64_C(1000000) /* a whole chip, in the millionths that chips are counted in */

typedef enum mpg_outcome {
  MPG_RUNNING, /* no outcome given */
  MPG_COMPLETED,
  MPG_CANCELLED,
  MPG_FAILED,
  MPG_TIMEOUT,
  MPG_PREEMPTED,
  MPG_NODE_FAIL,
  MPG_RELEASED /* given back by the job, which goes on with what it then holds */
} mpg_outcome;

typedef struct mpg_capacity {
  uint32_t pool, chip; /* pool: index into pools; chip: text, 0 is NULL */
  int64_t chips, start, end;
} mpg_capacity;

typedef struct mpg_outage {
  uint32_t pool, kind;
  int64_t chips, start, end;
} mpg_outage;

typedef struct mpg_allocation {
  uint32_t job, pool, task; /* job (first: see the seal), pool: indexes; task: text */
  mpg_outcome outcome;
  int64_t attempt; /* MPG_NONE */
  int64_t chips, start, end;
  int64_t line; /* origin */
  uint32_t file;
} mpg_allocation;

/* Until when a source observed a pool, and its chip if no capacity tells it. */
typedef struct mpg_observed {
  uint32_t pool; /* index + 1; 0: every pool that no other names */
  int64_t until; /* MPG_NONE: not told */
  uint32_t chip; /* text; 0: NULL */
} mpg_observed;

typedef struct mpg_program {
  double flops, bytes; /* of one execution, all chips together; NAN: unknown */
  uint32_t dtype;
} mpg_program;

/* Dimensions of a job, in the order of JOBS_NAME .. JOBS_LABELS. */
enum { MPG_JOB_DIMS = JOBS_LABELS - JOBS_NAME + 1 };

typedef struct mpg_job {
  uint32_t dim[MPG_JOB_DIMS];
  bool recorded;            /* it has a record in `jobs` */
  int64_t chips, min_chips; /* millionths; MPG_NONE */
  int64_t tasks, submit;    /* MPG_NONE */
  int64_t until;            /* until when a source observed it; MPG_OPEN: its pools decide */
  mpg_packed spans, commits;
  size_t allocation, nallocations; /* a run of fleet->allocations, after the seal */
  bool touched;                    /* of a part: a record since the reset has its name */
} mpg_job;

/* Causes that the rules themselves give. */
typedef enum mpg_cause {
  MPG_CAUSE_SURPLUS,
  MPG_CAUSE_NO_TRAFFIC,
  MPG_CAUSE_NODE_FAIL,
  MPG_CAUSE_NO_DATA,
  MPG_CAUSES
} mpg_cause;

typedef struct mpg_fleet {
  const mpg_env *env;
  mpg_issues *issues; /* borrowed: what the checks found */
  mpg_chips *chips;   /* borrowed: `chips` records are added to it */
  bool keep_origins;  /* keep file and line of spans and allocations, for timelines */
  mpg_intern texts;   /* dimensions, chips, tasks, dtypes, causes, files */
  mpg_intern job_names, pool_names, program_names,
      kind_names; /* id - 1 is the index; kinds: the id */
  mpg_job *jobs;
  mpg_program *programs;
  mpg_capacity *capacity;
  mpg_outage *outages;
  mpg_allocation *allocations;
  mpg_observed *observed;
  size_t jobs_cap, programs_cap, ncapacity, capacity_cap, noutages, outages_cap;
  size_t nallocations, allocations_cap, nobserved, observed_cap;
  uint64_t nspans;
  mpg_arena arena;       /* of packed records */
  mpg_arena settled;     /* and of those of parts: see fleet_part.h */
  size_t most_packed;    /* bytes of both; above them they move to: */
  mpg_spill *spill;      /* NULL: they never were */
  pthread_mutex_t *lock; /* of `settled` while threads read parts; NULL: none does */
  bool *program_recorded;
  size_t program_recorded_cap;
  uint64_t records[MPG_RELATIONS]; /* how many of each were added */
  int64_t last;                    /* the latest time in any record, 0 if there is none, */
  int64_t last_of_jobs;            /* and in any but those of capacity and outages */
  uint32_t phase_serving;          /* the text "serving" */
  uint32_t cause[MPG_CAUSES];      /* texts */
  uint32_t *kind_causes;           /* by kind, after the seal: its name as a text */
  const char *source;              /* the file and line of the current record, for issues */
  uint32_t source_id;              /* the same as a text of `texts` */
  int64_t line;
  uint32_t last_job, last_program; /* index + 1, id: of the last span of the usual form */
  struct mpg_fleet_log *log;       /* of a part, else NULL: see fleet_part.h */
} mpg_fleet;

/* `issues` and `chips` stay the caller's. */
mpg_rc mpg_fleet_init(mpg_fleet *fleet, const mpg_env *env, mpg_issues *issues, mpg_chips *chips,
                      mpg_err *err);
void mpg_fleet_free(mpg_fleet *fleet);

/* The file or relation that the next records come from; `source` is borrowed until the next call.
 */
mpg_rc mpg_fleet_from(mpg_fleet *fleet, const char *source, mpg_err *err);

/*
** Adds a record: `values` in the order of the relation's columns, absent ones MPG_NULL; `line` is
** its place in the source. MPG_DATA: the record breaks a rule; nothing was added; err->text says
** what, and *column which column (the first of two that disagree), for the caller to turn into a
** place.
*/
mpg_rc mpg_fleet_add(mpg_fleet *fleet, mpg_relation relation, const mpg_value *values, int64_t line,
                     int *column, mpg_err *err);

/* The same for a span or a commit as texts (empty: NULL) in the common form. If *usual is false,
** the record has another form and is for mpg_fleet_add. MPG_NOMEM is the only error. */
mpg_rc mpg_fleet_add_span(mpg_fleet *fleet, const mpg_str *values, int64_t line, bool *fast);
/* A span is only read, for mpg_fleet_put_span. */
mpg_rc mpg_fleet_read_span(mpg_fleet *fleet, const mpg_str *values, mpg_span *span, uint32_t *job,
                           bool *fast);
mpg_rc mpg_fleet_add_commit(mpg_fleet *fleet, const mpg_str *values, bool *fast);

/* And of one that a reader took apart itself: its names are numbers of the fleet's (job, an index),
** and what they and the rest are is usual: see mpg_fleet_time and mpg_fleet_amount, which read no
** other texts. The origin is set here. MPG_NOMEM is the only error. */
mpg_rc mpg_fleet_put_span(mpg_fleet *fleet, uint32_t job, mpg_span *span, int64_t line);
mpg_rc mpg_fleet_put_commit(mpg_fleet *fleet, const mpg_commit *commit);
bool mpg_fleet_time(mpg_str text, int64_t *us);
bool mpg_fleet_amount(mpg_str text, double *amount); /* NAN for no text */

/* Ends the adding: groups allocations and commits by job, and fixes every text that accounting may
 * need. */
mpg_rc mpg_fleet_seal(mpg_fleet *fleet, mpg_err *err);

/* Unpacks the spans of a job, as many as it has, to `out` and every `stride` bytes after; in any
** thread, with its `env`. */
mpg_rc mpg_fleet_spans(const mpg_fleet *fleet, uint32_t job, mpg_span *out, size_t stride,
                       const mpg_env *env, mpg_err *err);
/* The same of its commits, in their order: by step, MPG_NONE first, snapshot and durable. */
mpg_rc mpg_fleet_commits(const mpg_fleet *fleet, uint32_t job, mpg_commit *out, const mpg_env *env,
                         mpg_err *err);

/* Moves the packed records of a whole fleet to a temporary file if memory holds more of them than
** mpg_limit('packed_bytes'). For whoever adds records, between two of them. */
mpg_rc mpg_fleet_bound(mpg_fleet *fleet, mpg_err *err);

/* Leaves what the names of a roll-up's cells need, from now on in `env`, of the same allocator. */
void mpg_fleet_names_only(mpg_fleet *fleet, const mpg_env *env);
/* The same as a copy; to be freed also after a failure. */
mpg_rc mpg_fleet_copy_names(mpg_fleet *to, const mpg_fleet *from, const mpg_env *env);
/* What is in memory is `env`'s from now on, of the same allocator. Not of a part. */
void mpg_fleet_set_env(mpg_fleet *fleet, const mpg_env *env);
/* About how much memory its names take, and it as a whole. */
size_t mpg_fleet_bytes(const mpg_fleet *fleet);
size_t mpg_fleet_all_bytes(const mpg_fleet *fleet);

static inline size_t mpg_fleet_njobs(const mpg_fleet *f) {
  return f->job_names.n;
}
static inline size_t mpg_fleet_npools(const mpg_fleet *f) {
  return f->pool_names.n;
}

#endif
