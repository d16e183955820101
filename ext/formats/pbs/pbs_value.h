/*
** pbs_value.h - the small notations inside a PBS accounting record: job ids, the hosts and virtual
** nodes that a job ran on, what it asked for, durations, how it ended.
**
** PBS Pro and OpenPBS write exec_vnode, chunks in parentheses, and Resource_List.select; Torque
** writes exec_host with a slot a processor, exec_gpus and Resource_List.nodes. Each parser takes
** the whole text or returns false, and leaves its result alone then. Texts in results are borrowed.
** Lists may have millions of entries, so their parsers poll `poller`, unless that is NULL.
*/
#ifndef MPG_PBS_VALUE_H
#define MPG_PBS_VALUE_H

#include "../../base/base.h"

/* "123.server", array jobs "123[].server", their tasks "123[4].server" (Torque before 4: "123-4").
 */
typedef struct mpg_pbs_id {
  int64_t base;
  bool in_array;
  mpg_str index;  /* "4"; n = 0 and in_array: the array as a whole */
  mpg_str server; /* "server"; n = 0: unknown */
} mpg_pbs_id;

bool mpg_pbs_id_parse(mpg_str text, mpg_pbs_id *out);

/* An amount, of GPUs for one, which may be shared. */
void mpg_pbs_give_amount(mpg_value *out, double amount);

/* What a list adds up to, of GPUs in millionths, for a site may share them; -1: it names none.
** Above int64 the text is refused. */
typedef struct mpg_pbs_sum {
  int64_t cpus, gpus;
  mpg_str gpu_type; /* of gpu_type= or gpu_model=; n = 0: unknown, or of several */
} mpg_pbs_sum;

/* exec_vnode: "(n1:ncpus=4:ngpus=2)+(n2:ncpus=2+n3:ncpus=2)". */
bool mpg_pbs_vnodes_parse(mpg_str text, mpg_poller *poller, mpg_pbs_sum *out);
/* Resource_List.select: "2:ncpus=8:ngpus=4:gpu_type=a100+1:ncpus=1". A chunk has one cpu unless it
** says otherwise. */
bool mpg_pbs_select_parse(mpg_str text, mpg_poller *poller, mpg_pbs_sum *out);
/* Resource_List.nodes: "2:ppn=8:gpus=4+1", "n1+n2:ppn=2". */
bool mpg_pbs_nodes_parse(mpg_str text, mpg_poller *poller, mpg_pbs_sum *out);
/* exec_host: "n1/0*8+n2/3", "n1/0+n1/1", "n1/0-3,5": the slots. */
bool mpg_pbs_hosts_count(mpg_str text, mpg_poller *poller, int64_t *slots);
/* The next host of such a list, or of exec_vnode; *at begins at 0. A host may come several times.
 */
bool mpg_pbs_hosts_next(mpg_str text, size_t *at, mpg_str *host);

/* "06:00:00", "100:00:00", "90", "1:30", "2:00:00:00": whole seconds; a fraction is refused. */
bool mpg_pbs_duration_parse(mpg_str text, int64_t *seconds);

/*
** How the job or attempt ended, in the words of the native trace, by the type of the record and its
** Exit_status; NULL: it did not end, or that is unknown. R is `preempted`: the chips were taken
** away and the job continues. Negative values are the server's own: of PBS Pro -29 is the walltime
** limit, -28 the cputime limit, -11 and -14 are requeues; of Torque -11 is the walltime limit, -12
** the cputime limit.
*/
const char *mpg_pbs_outcome(char type, bool torque, bool has_exit, int64_t exit_status);

#endif
