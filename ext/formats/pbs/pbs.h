/*
** pbs.h - records of the accounting logs of PBS Pro, OpenPBS and Torque, as their servers write
** them:
**
**     MM/DD/YYYY HH:MM:SS;TYPE;ID;key=value key=value ...
**
** A line is a record. Its time is the server's local time; those among the keys (ctime, start, ...)
** are Unix seconds. Values with spaces stand in double or single quotes, which are taken off. Where
** a word has no "key=" before it (Torque does not always quote), it belongs to the value before it;
** before the first key it is the record's text, as of licence records (L).
**
** A last line without a line end is one that the server is still writing: it is left out, and
** listed (unfinished_record). Errors are "PATH:LINE:COLUMN: ...".
**
** Source of keys and types: "PBS Professional Reference Guide", chapter Accounting, and "Torque
** Administrator Guide", Accounting Records.
*/
#ifndef MPG_PBS_H
#define MPG_PBS_H

#include "../../read/input/lines.h"
#include "../../read/input/zone.h"
#include "../../base/issues.h"

/* How a value is read. An empty value is NULL. */
typedef enum mpg_pbs_type {
  MPG_PBS_TEXT,   /* as written, without quotes */
  MPG_PBS_COUNT,  /* a whole number */
  MPG_PBS_AMOUNT, /* a number; what is none is one of the others */
  MPG_PBS_TIME,   /* Unix seconds; NULL for 0, "not yet" */
  MPG_PBS_SECONDS /* of a duration, "06:00:00" or plain seconds */
} mpg_pbs_type;

/* clang-format off */
/* Keys with a column of their own: name in C, key, type. */
#define MPG_PBS_FIELDS(F)                                                                          \
  F(user, "user", TEXT) F(group, "group", TEXT) F(account, "account", TEXT)                        \
  F(project, "project", TEXT) F(jobname, "jobname", TEXT) F(queue, "queue", TEXT)                  \
  F(owner, "owner", TEXT) F(requestor, "requestor", TEXT) F(resvname, "resvname", TEXT)            \
  F(resvID, "resvID", TEXT) F(array_indices, "array_indices", TEXT) F(depend, "depend", TEXT)      \
  F(ctime, "ctime", TIME) F(qtime, "qtime", TIME) F(etime, "etime", TIME)                          \
  F(start, "start", TIME) F(end, "end", TIME) F(exec_host, "exec_host", TEXT)                      \
  F(exec_vnode, "exec_vnode", TEXT) F(exec_gpus, "exec_gpus", TEXT)                                \
  F(list_mem, "Resource_List.mem", TEXT) F(list_ncpus, "Resource_List.ncpus", COUNT)               \
  F(list_ngpus, "Resource_List.ngpus", AMOUNT) F(list_nodect, "Resource_List.nodect", COUNT)       \
  F(list_nodes, "Resource_List.nodes", TEXT) F(list_place, "Resource_List.place", TEXT)            \
  F(list_select, "Resource_List.select", TEXT) F(list_gpu_type, "Resource_List.gpu_type", TEXT)    \
  F(list_walltime, "Resource_List.walltime", SECONDS)                                              \
  F(given_mem, "resource_assigned.mem", TEXT) F(given_ncpus, "resource_assigned.ncpus", COUNT)     \
  F(given_ngpus, "resource_assigned.ngpus", AMOUNT) F(session, "session", TEXT)                    \
  F(Exit_status, "Exit_status", COUNT) F(used_cpupercent, "resources_used.cpupercent", COUNT)      \
  F(used_cput, "resources_used.cput", SECONDS) F(used_mem, "resources_used.mem", TEXT)             \
  F(used_ncpus, "resources_used.ncpus", COUNT) F(used_ngpus, "resources_used.ngpus", AMOUNT)       \
  F(used_vmem, "resources_used.vmem", TEXT) F(used_walltime, "resources_used.walltime", SECONDS)   \
  F(eligible_time, "eligible_time", SECONDS) F(run_count, "run_count", COUNT)
/* clang-format on */

#define MPG_PBS_ENUM(name, key, type) MPG_PBS_##name,
enum { MPG_PBS_FIELDS(MPG_PBS_ENUM) MPG_PBS_COUNT_OF_FIELDS };

/* A key without a column, or one that comes again. */
typedef struct mpg_pbs_pair {
  mpg_str key, value;
} mpg_pbs_pair;

typedef struct mpg_pbs mpg_pbs;

/* Stream, zone (NULL: UTC) and issues (NULL: uncounted) are borrowed and must outlive the reader.
** Nothing is read yet. */
mpg_rc mpg_pbs_open(mpg_pbs **out, const mpg_env *env, mpg_stream *stream, const mpg_zone *zone,
                    mpg_issues *issues, mpg_err *err);
void mpg_pbs_close(mpg_pbs *pbs); /* NULL is fine */

/* The next record; MPG_DONE at the end. After MPG_DATA the next call continues with the following
** line. Pointers into a record are valid until the next call. */
mpg_rc mpg_pbs_next(mpg_pbs *pbs, mpg_err *err);

/* A record that is put aside: its line, without the line end, is borrowed. */
typedef struct mpg_pbs_record {
  mpg_str line;
  int64_t number; /* of the line */
  int64_t time;
} mpg_pbs_record;

mpg_pbs_record mpg_pbs_current(const mpg_pbs *pbs);
/* Makes a record that was read before the current one again, until the next call: after its line
** are MPG_PBS_SLACK bytes that may be read. MPG_NOMEM and MPG_INTERRUPTED alone. */
#define MPG_PBS_SLACK ((size_t)32)
mpg_rc mpg_pbs_again(mpg_pbs *pbs, const mpg_pbs_record *record, mpg_err *err);

int64_t mpg_pbs_line(const mpg_pbs *pbs); /* of the current record */
int64_t mpg_pbs_time(const mpg_pbs *pbs); /* its own, Unix seconds */
char mpg_pbs_record_type(const mpg_pbs *pbs);
mpg_str mpg_pbs_id_text(const mpg_pbs *pbs);
mpg_str mpg_pbs_text(const mpg_pbs *pbs); /* what stands before the first key */
/* Field i, decoded; MPG_NULL if the record lacks it, or it is empty. */
const mpg_value *mpg_pbs_get(const mpg_pbs *pbs, size_t field);
/* The same as written, if it is not MPG_NULL: a part of the line. */
mpg_str mpg_pbs_written(const mpg_pbs *pbs, size_t field);
/* The keys without a column, in order. */
const mpg_pbs_pair *mpg_pbs_others(const mpg_pbs *pbs, size_t *n);

#endif
