/*
** goodput_log.h - rows of a job log of Google's ml-goodput-measurement (0.0.1 to 0.2.3), as its
** recorder writes them and as Cloud Logging exports them.
**
** Raw: one JSON object a row, JSON Lines or one array, with "job_name" and the keys below.
** Exported: each object is a LogEntry, with the row in "jsonPayload", and "timestamp" (RFC 3339, up
** to nanoseconds) and "insertId". A table of BigQuery has the same, as JSON or as delimited text:
** numbers are texts, what a row lacks is null or empty, and the row's keys may be columns, behind
** "jsonPayload_" or not. Exports are in any order and may repeat an entry. A row whose
** (timestamp, insertId) came before is marked, and listed as duplicate_entry; the first one counts.
**
** Times are Unix seconds, durations seconds. A key of another name is in `rest`. If a log ends
** within its last row, the rows before are read (unfinished.h). Errors are "PATH:LINE:COLUMN: ...".
*/
#ifndef MPG_GOODPUT_LOG_H
#define MPG_GOODPUT_LOG_H

#include "../../read/parse/blocks.h"
#include "../../base/issues.h"
#include "../../base/hash_set.h"

typedef enum mpg_goodput_type {
  MPG_GOODPUT_REAL, /* a number */
  MPG_GOODPUT_INT,  /* a number, its fraction cut off as the library does: 5 and 5.0 are 5 */
  MPG_GOODPUT_TEXT,
  MPG_GOODPUT_BOOL /* true, false, or a number: 1 or 0 */
} mpg_goodput_type;

/* clang-format off */
/* The keys, and whether they carry a number, a text or a truth. */
#define MPG_GOODPUT_FIELDS(F)                                                                      \
  F(step, INT) F(job_start_time, REAL) F(job_end_time, REAL) F(step_count, INT)        \
  F(step_start_time, REAL)                                                                         \
  F(tpu_init_start_time, REAL) F(tpu_init_end_time, REAL) F(training_prep_start_time, REAL)        \
  F(training_prep_end_time, REAL) F(data_loading_start_time, REAL) F(data_loading_end_time, REAL)  \
  F(custom_badput_event_type, TEXT) F(custom_badput_event_start_time, REAL)                        \
  F(custom_badput_event_end_time, REAL) F(active_slices, REAL) F(total_slices, REAL)               \
  F(available_slices, REAL) F(elastic_slice_counts_timestamp, REAL)                                \
  F(elastic_wait_event_type, TEXT) F(elastic_wait_start_time, REAL)                                \
  F(elastic_wait_end_time, REAL) F(elastic_reinit_start_time, REAL)                                \
  F(elastic_reinit_end_time, REAL) F(event_type, TEXT) F(directory, TEXT)             \
  F(reached_preemption, BOOL) F(preemption_received_at, REAL) F(synchronous, BOOL)                 \
  F(wait_for_prev_start_time, REAL) F(wait_for_prev_duration_secs, REAL)                           \
  F(checkpointer_blocking_start_time, REAL) F(checkpointer_blocking_duration_secs, REAL)           \
  F(get_old_steps_start_time, REAL) F(get_old_steps_duration_secs, REAL)                           \
  F(checkpoint_manager_blocking_start_time, REAL)                                                  \
  F(checkpoint_manager_blocking_duration_secs, REAL) F(checkpointer_start_time, REAL)              \
  F(checkpointer_duration_secs, REAL) F(checkpoint_manager_start_time, REAL)                       \
  F(checkpoint_manager_duration_secs, REAL) F(broadcast_start_time, REAL)                          \
  F(broadcast_duration_secs, REAL)
/* clang-format on */

#define MPG_GOODPUT_ENUM(name, type) MPG_GOODPUT_##name,
enum { MPG_GOODPUT_FIELDS(MPG_GOODPUT_ENUM) MPG_GOODPUT_COUNT };

/* The kind of a row. A pair is two rows, start and end. */
typedef enum mpg_goodput_kind {
  MPG_GOODPUT_OTHER, /* a job's row without a key that decides its kind */
  MPG_GOODPUT_JOB,
  MPG_GOODPUT_STEP, /* has a start only */
  MPG_GOODPUT_TPU_INIT,
  MPG_GOODPUT_TRAINING_PREP,
  MPG_GOODPUT_DATA_LOADING,
  MPG_GOODPUT_CUSTOM_EVENT,
  MPG_GOODPUT_SLICE_COUNTS, /* no edge */
  MPG_GOODPUT_ELASTIC_WAIT,
  MPG_GOODPUT_ELASTIC_REINIT,
  MPG_GOODPUT_CHECKPOINT /* no edge; event_type is save, restore or emergency_restore */
} mpg_goodput_kind;

typedef enum mpg_goodput_edge {
  MPG_GOODPUT_NONE,
  MPG_GOODPUT_START,
  MPG_GOODPUT_END
} mpg_goodput_edge;

typedef struct mpg_goodput_row {
  mpg_str job;
  mpg_goodput_kind kind;
  mpg_goodput_edge edge;
  size_t field; /* the one that carries the row's time; MPG_GOODPUT_COUNT: none does */
  /* The first key with "time" in its name, in the order written; the library's interval queries use
  ** it. MPG_NULL if there is none or it is no number. */
  mpg_value first_time;
  bool timed;      /* there is such a key */
  bool exported;   /* by Cloud Logging; what follows is only then set */
  bool duplicate;  /* an entry with this timestamp and insertId came before */
  int64_t time_ns; /* of timestamp, since the epoch */
  mpg_str timestamp, insert_id;
  uint64_t entry;   /* a hash of these two; 0 if one is missing, so that it cannot be compared */
  uint64_t present; /* bit i: the row has field i, be it null */
  mpg_value values[MPG_GOODPUT_COUNT]; /* last: what stands before is cleared for each row */
} mpg_goodput_row;

typedef struct mpg_goodput_field {
  const char *name;
  size_t n; /* its bytes */
  mpg_goodput_type type;
} mpg_goodput_field;
extern const mpg_goodput_field mpg_goodput_fields[MPG_GOODPUT_COUNT];
const char *mpg_goodput_kind_name(mpg_goodput_kind kind); /* "job", "step", "tpu_init", ... */

/* The entries so far, shared by the files of one scan. At most MPG_GOODPUT_ENTRIES_MAX are
** remembered; if there are more, an issue (duplicates_unchecked) says so. */
#define MPG_GOODPUT_ENTRIES_MAX ((size_t)1 << 22)
/* Whether the entry of a row (its `entry`) came before; else it is remembered. What there is to say
** is added to the issues. */
mpg_rc mpg_goodput_is_repeat(mpg_hash_set *repeats, uint64_t entry, const char *path, int64_t line,
                             mpg_issues *issues, bool *before, mpg_err *err);

typedef struct mpg_goodput_log mpg_goodput_log;

/* Stream, seen and issues are borrowed and must outlive the reader. If seen is NULL, the caller has
** to find the rows that came before. Nothing is read yet. */
mpg_rc mpg_goodput_log_open(mpg_goodput_log **out, const mpg_env *env, mpg_stream *stream,
                            mpg_hash_set *repeats, mpg_issues *issues, mpg_err *err);
void mpg_goodput_log_close(mpg_goodput_log *log); /* NULL is fine */
/* The reader continues with a block, as mpg_json_feed describes. */
void mpg_goodput_log_feed(mpg_goodput_log *log, mpg_stream *stream, mpg_block *block,
                          const mpg_env *poll_env);

/* The next row, borrowed until the next call; MPG_DONE at the end. After MPG_DATA the next call
** continues after the row, or returns MPG_DONE if nothing more can be read. */
mpg_rc mpg_goodput_log_next(mpg_goodput_log *log, const mpg_goodput_row **row, mpg_err *err);
int64_t mpg_goodput_log_line(const mpg_goodput_log *log); /* where the current row begins */
/* The keys of the current row that are no field, as a JSON object; n = 0 if there is none. */
mpg_rc mpg_goodput_log_rest(mpg_goodput_log *log, mpg_str *out, mpg_err *err);

#endif
