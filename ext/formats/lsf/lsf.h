/*
** lsf.h - records of LSF's lsb.acct and lsb.events: what jobs asked for, held, and how they ended.
**
** A record is a line of fields with blanks between them: texts in double quotes, in which two of
** them stand for one, and numbers. The first field names its type, the second the version of the
** format, the third is its time. Later versions add fields at the end: what a line has no more is
** NULL. The layouts of JOB_FINISH, JOB_NEW, JOB_START, JOB_STATUS and JOB_RESIZE are known as far
** as a fleet needs them; what follows, and all of other types, is in `other`. Lines that begin
** with # are comments.
**
** A last line without an end that is cut off is left out (unfinished.h).
**
** Sources: IBM Spectrum LSF 10.1, Configuration reference, "lsb.acct" and "lsb.events";
** lsbatch.h of LSF's API for the values of jStatus and exitInfo; records of versions 5.1 to
** 10.108 that sites have published.
*/
#ifndef MPG_LSF_H
#define MPG_LSF_H

#include "../../read/input/lines.h"
#include "../../base/issues.h"

/* The columns. TIME is a COUNT of seconds of which 0 is "not yet", here NULL. */
#define MPG_LSF_COLUMNS(F)                                                                         \
  F(event_type, TEXT)                                                                              \
  F(version, TEXT)                                                                                 \
  F(event_time, BIGINT)                                                                            \
  F(job_id, BIGINT)                                                                                \
  F(idx, BIGINT)                                                                                   \
  F(user_id, BIGINT)                                                                               \
  F(options, BIGINT)                                                                               \
  F(num_processors, BIGINT)                                                                        \
  F(max_num_processors, BIGINT)                                                                    \
  F(submit_time, BIGINT)                                                                           \
  F(begin_time, BIGINT)                                                                            \
  F(term_time, BIGINT)                                                                             \
  F(start_time, BIGINT)                                                                            \
  F(user_name, TEXT)                                                                               \
  F(queue, TEXT)                                                                                   \
  F(res_req, TEXT)                                                                                 \
  F(effective_res_req, TEXT)                                                                       \
  F(from_host, TEXT)                                                                               \
  F(cwd, TEXT)                                                                                     \
  F(job_file, TEXT)                                                                                \
  F(out_file, TEXT)                                                                                \
  F(err_file, TEXT)                                                                                \
  F(job_name, TEXT)                                                                                \
  F(command, TEXT)                                                                                 \
  F(project_name, TEXT)                                                                            \
  F(j_status, BIGINT)                                                                              \
  F(exit_status, BIGINT)                                                                           \
  F(exit_info, BIGINT)                                                                             \
  F(run_limit, BIGINT)                                                                             \
  F(run_time, BIGINT)                                                                              \
  F(rsv_id, TEXT)                                                                                  \
  F(app, TEXT)                                                                                     \
  F(job_group_name, TEXT)                                                                          \
  F(hosts, TEXT)                                                                                   \
  F(num_hosts, BIGINT)                                                                             \
  F(slots, BIGINT)                                                                                 \
  F(gpus, REAL)                                                                                    \
  F(gpu_req, TEXT)                                                                                 \
  F(gpu_model, TEXT)                                                                               \
  F(gpu_usage, TEXT)                                                                               \
  F(outcome, TEXT)                                                                                 \
  F(other, TEXT)

#define MPG_LSF_ENUM(name, type) MPG_LSF_##name,
enum { MPG_LSF_COLUMNS(MPG_LSF_ENUM) MPG_LSF_COUNT };

typedef struct mpg_lsf mpg_lsf;

/* Stream and issues (NULL: uncounted) are borrowed and must outlive the reader. */
mpg_rc mpg_lsf_open(mpg_lsf **out, const mpg_env *env, mpg_stream *stream, mpg_issues *issues,
                    mpg_err *err);
void mpg_lsf_close(mpg_lsf *lsf); /* NULL is fine */

/* The next record; MPG_DONE at the end. After MPG_DATA the next call continues with the following
** line. */
mpg_rc mpg_lsf_next(mpg_lsf *lsf, mpg_err *err);
int64_t mpg_lsf_line(const mpg_lsf *lsf); /* of the current record */
const mpg_value *mpg_lsf_get(const mpg_lsf *lsf, size_t column);

#endif
