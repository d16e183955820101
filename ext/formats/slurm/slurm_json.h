/*
** slurm_json.h - jobs in Slurm's JSON as the records of sacct: the same fields, the same meaning.
**
** The jobs are the elements of "jobs" of a document. These write it:
**   - the accounting: `sacct --json`, and slurmrestd under /slurmdb/. Each job is followed by its
**     steps.
**   - the controller: `squeue --json`, `scontrol show job --json`, and slurmrestd under /slurm/.
** Both shapes of values are read: plain ones (22.05), and numbers as {"set", "infinite", "number"}
** with states as arrays (23.02 and later).
**
** The controller guesses some times. They are NULL, as in sacct: both times of a pending job, the
** end of a running one, the start of one that never got a node. TRES lists have GPUs only if
** AccountingStorageTRES has gres/gpu; if they have none, GPUs are those of gres_detail, else what
** tres_per_job, _node, _task and _socket ask for.
**
** Errors are "PATH:LINE:COLUMN: ...". Two things are listed as warnings: a document with text in
** "errors" (reported_error), and accounting in which no job comes twice (no_requeues).
*/
#ifndef MPG_SLURM_JSON_H
#define MPG_SLURM_JSON_H

#include "slurm.h"

typedef struct mpg_slurm_json mpg_slurm_json;

/* Stream and issues (NULL: uncounted) are borrowed and must outlive the reader. */
mpg_rc mpg_slurm_json_open(mpg_slurm_json **out, const mpg_env *env, mpg_stream *stream,
                           mpg_issues *issues, mpg_err *err);
void mpg_slurm_json_close(mpg_slurm_json *json); /* NULL is fine */

/* The next record; MPG_DONE at the end. After MPG_DATA the next call continues with the next job
** that can be found. */
mpg_rc mpg_slurm_json_next(mpg_slurm_json *json, mpg_err *err);
int64_t mpg_slurm_json_line(const mpg_slurm_json *json); /* where the job begins */
/* Fields by MPG_SLURM_JOB_*, as of slurm.h. Borrowed until the next call of next. */
const mpg_value *mpg_slurm_json_get(const mpg_slurm_json *json, size_t field);
mpg_str mpg_slurm_json_raw(const mpg_slurm_json *json, size_t field);
bool mpg_slurm_json_has(const mpg_slurm_json *json, size_t field);
/* last_update of the document, for jobs of the controller; *out is 0 if there is none. */
mpg_rc mpg_slurm_json_updated(mpg_slurm_json *json, int64_t *out, mpg_err *err);

#endif
