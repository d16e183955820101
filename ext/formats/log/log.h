/*
** log.h - lines of a program's log that a pattern matches, as records; the named groups are their
** fields.
**
** Two names have a meaning: `time`, one of the forms of log_stamp.h, and `step`, a whole number. If
** either has another form in a matched line, that is an error, "PATH:LINE:COLUMN: ...".
**
** A carriage return ends a record's line, too: a progress bar that is redrawn is a line each time.
** A terminal's control sequences, such as colours, are no part of a line.
**
** A last line without a line end is still being written: it is left out. Issues, with the path as
** source: unmatched_lines (info), the number of lines that did not match, with the first of them;
** no_match (warning), no line of the file did; unfinished_line (info); time_without_year (warning),
** times without a year, and none was given: they are NULL; repeated_time (info) and skipped_time
** (warning), local times that the zone's clock showed twice or never.
*/
#ifndef MPG_LOG_H
#define MPG_LOG_H

#include "../../read/parse/json_writer.h"
#include "../../read/input/lines.h"
#include "../../read/parse/pattern.h"
#include "../../read/input/zone.h"
#include "../../base/issues.h"

typedef enum mpg_log_unmatched {
  MPG_LOG_IGNORE, /* skipped and counted */
  MPG_LOG_ROWS,   /* records without fields, and counted */
  /* Skipped and counted; but of those after the last line that matched, the last with a time is a
  ** record without fields, the file's last. */
  MPG_LOG_LAST,
  MPG_LOG_ERROR /* MPG_DATA */
} mpg_log_unmatched;

typedef struct mpg_log_options {
  mpg_pattern *pattern;
  const mpg_zone *zone; /* of times that do not say theirs; NULL: UTC */
  /* The year of the first time without one; if times go back by more than half a year, the next
  ** year begins. 0: none was given. */
  int64_t year;
  mpg_log_unmatched unmatched;
} mpg_log_options;

typedef struct mpg_log mpg_log;

/* Stream, issues and what the options point to are borrowed and must outlive the reader. */
mpg_rc mpg_log_open(mpg_log **out, const mpg_env *env, mpg_stream *stream,
                    const mpg_log_options *options, mpg_issues *issues, mpg_err *err);
void mpg_log_close(mpg_log *log); /* NULL is fine */

/* The next record; MPG_DONE at the end. After MPG_DATA the next call continues after the line.
** Pointers into a record are valid until the next call. */
mpg_rc mpg_log_next(mpg_log *log, mpg_err *err);

int64_t mpg_log_line(const mpg_log *log);
mpg_str mpg_log_text(const mpg_log *log);          /* the line */
const mpg_value *mpg_log_time(const mpg_log *log); /* MPG_REAL, Unix seconds, or MPG_NULL */
const mpg_value *mpg_log_step(const mpg_log *log); /* MPG_INT or MPG_NULL */
/*
** The groups that took part, as a JSON object in the order of the pattern. What is a number in JSON
** is one, as written: a whole number within int64, or one of up to 17 digits. All else ("nan",
** "007", "1,024") is text. False: the line did not match. `json` is the caller's.
*/
mpg_rc mpg_log_fields(const mpg_log *log, mpg_json_text *json, bool *any);
/* The group of that name, as the object has it; MPG_NULL if it took no part. False: the pattern has
** no such group. `*place` is where it was the last time, which is looked at first. */
bool mpg_log_group(const mpg_log *log, mpg_str name, size_t *place, mpg_value *out);

#endif
