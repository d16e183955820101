/*
** pbs_ends.h - records of a PBS accounting log for a mapping: what the record of a job's end says
** again is not handed out before it.
**
** A job has three records at least: Q when it is queued, S when it starts and E when it ends. E
** says all that the two before it said, and so most rows of a log tell nothing. Here Q and S wait
** for the next record of their job. If that is an E that says the same, it alone is handed out, as
** a record of type "QSE", "SE" or "QE". Else what waits comes first, so that records of a job keep
** their order; records of different jobs may not. Nothing waits longer than its file lasts.
**
** E says the same only if nothing that a mapping (sql/formats/pbs.sql) looks at is lost: the values
** of the other records, and the hours in which these were written, which are those of its qtime and
** start. What a mapping may have to list by its own line does not wait.
*/
#ifndef MPG_PBS_ENDS_H
#define MPG_PBS_ENDS_H

#include "pbs.h"

typedef struct mpg_pbs_ends mpg_pbs_ends;

/* The reader is borrowed: it has the current record. */
mpg_rc mpg_pbs_ends_open(mpg_pbs_ends **out, const mpg_env *env, mpg_pbs *reader, mpg_err *err);
void mpg_pbs_ends_close(mpg_pbs_ends *ends); /* NULL is fine */

/* As mpg_pbs_next. */
mpg_rc mpg_pbs_ends_next(mpg_pbs_ends *ends, mpg_err *err);
/* The types of the records that the current one stands for, in their order. */
mpg_str mpg_pbs_ends_types(const mpg_pbs_ends *ends);

#endif
