/*
** slurm_shown.h - jobs in lines of NAME=VALUE as the records of sacct: the same fields, the same
** meaning.
**
** Two programs write them:
**   - `scontrol show job` (with -o, a job a line), as its JSON (slurm_json.h);
**   - slurmctld with JobCompType=jobcomp/filetxt: a line for each attempt that ended. It lists what
**     a job asked for, which counts as held if the job had nodes. An attempt that ended and waits
**     again was requeued. slurmctld cuts a line at 1023 bytes, and the next one follows in it: the
**     last value of the cut one is left out, for it may be a part of one.
**
** Local times are read in a zone. Errors are "PATH:LINE:1: ...". Listed are cut lines
** (missing_field), a last job that is not whole (unfinished_record), times that a clock showed
** twice or never (repeated_time, skipped_time), and files whose jobs list no GPUs (no_tres).
*/
#ifndef MPG_SLURM_SHOWN_H
#define MPG_SLURM_SHOWN_H

#include "slurm_fields.h"

typedef struct mpg_slurm_shown mpg_slurm_shown;

/* Whether a file begins with such a job. */
mpg_rc mpg_slurm_is_shown(mpg_stream *stream, bool *shown, mpg_err *err);

/* Stream, zone (NULL: UTC) and issues (NULL: uncounted) are borrowed and must outlive the reader.
** Nothing is read yet. */
mpg_rc mpg_slurm_shown_open(mpg_slurm_shown **out, const mpg_env *env, mpg_stream *stream,
                            const mpg_zone *zone, mpg_issues *issues, mpg_err *err);
void mpg_slurm_shown_close(mpg_slurm_shown *s); /* NULL is fine */

/* The next record; MPG_DONE at the end. After MPG_DATA the next call goes on with the next job. */
mpg_rc mpg_slurm_shown_next(mpg_slurm_shown *s, mpg_err *err);
int64_t mpg_slurm_shown_line(const mpg_slurm_shown *s); /* where the job begins */
/* Its fields. Borrowed until the next call of next. */
const mpg_slurm_fields *mpg_slurm_shown_fields(const mpg_slurm_shown *s);

#endif
