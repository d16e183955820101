/*
** mllog.h - the lines that MLPerf's logging library writes (mlcommons/logging, mlperf_logging):
**
**     :::MLLOG {"namespace": "", "time_ms": 1696459603729, "event_type": "INTERVAL_START",
**               "key": "run_start", "value": null, "metadata": {"file": "t.py", "lineno": 144}}
**
** (each on one line) anywhere in the output of a program. The text before the marker in its line,
** such as a rank that a launcher writes, is the record's prefix. If processes wrote two records
** into one line, they are two records. Lines without the marker are skipped.
**
** MPG_DATA, "PATH:LINE:COLUMN: ..." with columns in bytes: the text after a marker is no object, is
** no strict JSON (NaN and infinities are allowed), or is followed by other text; time_ms or key is
** missing or of another type; a file has text but no marker. The next call continues with the next
** line.
*/
#ifndef MPG_MLLOG_H
#define MPG_MLLOG_H

#include "../../base/issues.h"
#include "../../read/input/stream.h"

/*
** The fields of a record, X(name, type). TEXT and BIGINT of metadata are NULL if it has none, or a
** value of another type; a number with a fraction stays REAL.
*/
#define MPG_MLLOG_COLUMNS(X)                                                                       \
  X(namespace, TEXT)                                                                               \
  X(time_ms, BIGINT) /* Unix milliseconds; never NULL */                                           \
  X(event_type, TEXT)                                                                              \
  X(key, TEXT)          /* never NULL */                                                           \
  X(value, TEXT)        /* as JSON: a string has its quotes; null is NULL; "NaN" */                \
  X(value_number, REAL) /* of a value that is a number */                                          \
  X(file, TEXT)         /* from here on, of metadata */                                            \
  X(lineno, BIGINT)                                                                                \
  X(step, BIGINT)                                                                                  \
  X(step_num, BIGINT)                                                                              \
  X(samples_count, BIGINT)                                                                         \
  X(epoch_num, BIGINT)                                                                             \
  X(first_epoch_num, BIGINT)                                                                       \
  X(epoch_count, BIGINT)                                                                           \
  X(status, TEXT)                                                                                  \
  X(metadata, TEXT) /* the JSON object itself */                                                   \
  X(prefix, TEXT)   /* of the line, without white space around; NULL if there is none */

#define MPG_MLLOG_ENUM(name, type) MPG_MLLOG_##name,
enum { MPG_MLLOG_COLUMNS(MPG_MLLOG_ENUM) MPG_MLLOG_COUNT };

typedef struct mpg_mllog mpg_mllog;

/*
** Issues, if `issues` is not NULL: other_lines (info), lines without a marker, once at the end of
** the file; unfinished_line (info), a last line that is still being written; unknown_column (info),
** members that are none of the above.
*/
mpg_rc mpg_mllog_open(mpg_mllog **out, const mpg_env *env, mpg_stream *stream /* borrowed */,
                      mpg_issues *issues, mpg_err *err);
void mpg_mllog_close(mpg_mllog *m); /* NULL is fine; the stream stays open */

mpg_rc mpg_mllog_next(mpg_mllog *m, mpg_err *err); /* MPG_DONE at the end */
int64_t mpg_mllog_line(const mpg_mllog *m);
/* Of the current record; text is borrowed until the next call. */
const mpg_value *mpg_mllog_get(const mpg_mllog *m, size_t column);

#endif
