/*
** swf.h - jobs of the Standard Workload Format, version 2.2.
**
** A line is a job of 18 numbers with white space between them; -1 is "unknown", here NULL. Lines
** that begin with ";" are comments. Those before the first job are the header: "; Label: value",
** and lines without a label, which continue with the value before them. Times are seconds since the
** start of the log, which the label UnixStartTime dates; without it they count from 1970
** (no_start_time).
**
** A last line without a line end is one that may still be being written (unfinished.h): with fewer
** fields, or a last one that is no number, it is left out. Errors are "PATH:LINE:COLUMN: ...".
**
** Source: D. G. Feitelson and others, Parallel Workloads Archive, "The Standard Workload Format",
** https://www.cs.huji.ac.il/labs/parallel/workload/swf.html; proposed by S. J. Chapin and others,
** "Benchmarks and Standards for the Evaluation of Parallel Job Schedulers", JSSPP 1999.
*/
#ifndef MPG_SWF_H
#define MPG_SWF_H

#include "../../read/input/lines.h"
#include "../../base/issues.h"

/* The fields in their order. COUNT is a whole number; SECONDS and AMOUNT may have a fraction. */
#define MPG_SWF_FIELDS(F)                                                                          \
  F(job_number, COUNT)                                                                             \
  F(submit_time, SECONDS)                                                                          \
  F(wait_time, SECONDS)                                                                            \
  F(run_time, SECONDS)                                                                             \
  F(allocated_processors, COUNT)                                                                   \
  F(average_cpu_time, SECONDS)                                                                     \
  F(used_memory, AMOUNT)                                                                           \
  F(requested_processors, COUNT)                                                                   \
  F(requested_time, SECONDS)                                                                       \
  F(requested_memory, AMOUNT)                                                                      \
  F(status, COUNT)                                                                                 \
  F(user_id, COUNT)                                                                                \
  F(group_id, COUNT)                                                                               \
  F(executable_number, COUNT)                                                                      \
  F(queue_number, COUNT)                                                                           \
  F(partition_number, COUNT)                                                                       \
  F(preceding_job_number, COUNT)                                                                   \
  F(think_time, SECONDS)

#define MPG_SWF_ENUM(name, type) MPG_SWF_##name,
enum { MPG_SWF_FIELDS(MPG_SWF_ENUM) MPG_SWF_COUNT_OF_FIELDS };

/* A label of the header with its value; labels may repeat. */
typedef struct mpg_swf_label {
  mpg_str label, value;
} mpg_swf_label;

typedef struct mpg_swf mpg_swf;

/* Stream and issues (NULL: uncounted) are borrowed and must outlive the reader. Nothing is read
** yet.
*/
mpg_rc mpg_swf_open(mpg_swf **out, const mpg_env *env, mpg_stream *stream, mpg_issues *issues,
                    mpg_err *err);
void mpg_swf_close(mpg_swf *swf); /* NULL is fine */

/* The next job; MPG_DONE at the end. After MPG_DATA the next call continues with the following
** line. */
mpg_rc mpg_swf_next(mpg_swf *swf, mpg_err *err);
int64_t mpg_swf_line(const mpg_swf *swf); /* of the current job */
/* Field i: MPG_INT, MPG_REAL (seconds and amounts) or MPG_NULL. */
const mpg_value *mpg_swf_get(const mpg_swf *swf, size_t field);
/* The header in its order, complete once there is a job. Borrowed until the reader is closed. */
const mpg_swf_label *mpg_swf_header(const mpg_swf *swf, size_t *n);
/* The first value of a label that is a number other than -1; `label` in any case. */
bool mpg_swf_header_number(const mpg_swf *swf, const char *label, int64_t *out);

/* How a job of this status ended, in the words of the native trace; NULL: unknown. 2, a part of a
** job that continues later, is `preempted`. */
const char *mpg_swf_outcome(int64_t status);

#endif
