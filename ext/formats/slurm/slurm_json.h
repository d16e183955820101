/*
** slurm_json.h - jobs in Slurm's JSON as the records of sacct: the same fields, the same meaning.
**
** The jobs are the elements of "jobs" of a document, as written by
**   - `sacct --json` and slurmrestd under /slurmdb/, the accounting: each job, and its steps after
**     it;
**   - `squeue --json`, `scontrol show job --json` and slurmrestd under /slurm/, what the controller
**     knows.
** Both shapes of values are read: plain ones (22.05), and numbers as {"set", "infinite", "number"}
** with states as arrays (23.02 and later).
**
** What the controller calls a start or an end and is a guess is NULL, as sacct has it: of a pending
** job both, of a running one the end, of one that never got a node the start. Where its TRES lists
** know of no GPUs (they do where AccountingStorageTRES has gres/gpu), they are those of
** gres_detail, or what tres_per_job, _node, _task and _socket ask for.
**
** Errors are "PATH:LINE:COLUMN: ...". A document whose "errors" say something is listed
** (reported_error, warning), and the accounting in which no job comes twice (no_requeues, warning).
*/
#ifndef MPG_SLURM_JSON_H
#define MPG_SLURM_JSON_H

#include "slurm.h"

typedef struct mpg_slurm_json mpg_slurm_json;

/* Stream and issues (NULL: uncounted) are borrowed and must outlive the reader. */
mpg_rc mpg_slurm_json_open(mpg_slurm_json **out, const mpg_env *env, mpg_stream *stream,
                           mpg_issues *issues, mpg_err *err);
void mpg_slurm_json_close(mpg_slurm_json *json); /* NULL is fine */

/* The next record; MPG_DONE at the end. After MPG_DATA the next call goes on where the walk can. */
mpg_rc mpg_slurm_json_next(mpg_slurm_json *json, mpg_err *err);
int64_t mpg_slurm_json_line(const mpg_slurm_json *json); /* where the job begins */
/* Fields by MPG_SLURM_JOB_*, as of slurm.h. Borrowed until the next call of next. */
const mpg_value *mpg_slurm_json_get(const mpg_slurm_json *json, size_t field);
mpg_str mpg_slurm_json_raw(const mpg_slurm_json *json, size_t field);
bool mpg_slurm_json_has(const mpg_slurm_json *json, size_t field);

#endif
