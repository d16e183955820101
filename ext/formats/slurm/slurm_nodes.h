/*
** slurm_nodes.h - the nodes of a Slurm cluster at one moment: `scontrol show node` as text (in
** lines or, with -o, a node a line) and as JSON, `sinfo --json` of 22.05, slurmrestd's nodes. And
** its reservations: `scontrol show reservation` in the same forms.
**
** Fields have scontrol's names. In text, a value ends at the next " Name="; local times are read in
** a zone. In JSON, State is joined as scontrol writes it ("IDLE+DRAIN").
**
** Errors are "PATH:LINE:COLUMN: ...". The `sinfo --json` of 23.02 and later is an error, for it
** lists groups of nodes.
*/
#ifndef MPG_SLURM_NODES_H
#define MPG_SLURM_NODES_H

#include "../../read/input/stream.h"
#include "../../read/input/zone.h"
#include "../../base/issues.h"

typedef enum mpg_slurm_show_node_type {
  MPG_SLURM_SHOW_NODE_TEXT,
  MPG_SLURM_SHOW_NODE_COUNT,
  MPG_SLURM_SHOW_NODE_TIME /* Unix seconds; NULL for None and Unknown, and 0 */
} mpg_slurm_show_node_type;

/* clang-format off */
#define MPG_SLURM_SHOW_NODE_FIELDS(F)                                                              \
  F(NodeName, TEXT) F(State, TEXT) F(Reason, TEXT) F(ReasonTime, TIME) F(ReasonUser, TEXT)         \
  F(Gres, TEXT) F(GresUsed, TEXT) F(CfgTRES, TEXT) F(AllocTRES, TEXT) F(Partitions, TEXT)          \
  F(CPUTot, COUNT) F(CPUAlloc, COUNT) F(RealMemory, COUNT) F(AllocMem, COUNT)                      \
  F(ActiveFeatures, TEXT) F(BootTime, TIME) F(SlurmdStartTime, TIME) F(LastBusyTime, TIME)         \
  F(Version, TEXT) F(OS, TEXT) F(Arch, TEXT) F(Owner, TEXT) F(Comment, TEXT) F(Extra, TEXT)        \
  F(ClusterName, TEXT)

/* Of a reservation: not more than of a node, whose values it uses. */
#define MPG_SLURM_SHOW_RESERVATION_FIELDS(F)                                                       \
  F(ReservationName, TEXT) F(StartTime, TIME) F(EndTime, TIME) F(Nodes, TEXT) F(NodeCnt, COUNT)    \
  F(CoreCnt, COUNT) F(Features, TEXT) F(PartitionName, TEXT) F(Flags, TEXT) F(TRES, TEXT)          \
  F(Users, TEXT) F(Groups, TEXT) F(Accounts, TEXT) F(Licenses, TEXT) F(State, TEXT)                \
  F(Comment, TEXT) F(Cluster, TEXT)
/* clang-format on */

#define MPG_SLURM_SHOW_NODE_ENUM(name, type) MPG_SLURM_SHOW_NODE_##name,
enum { MPG_SLURM_SHOW_NODE_FIELDS(MPG_SLURM_SHOW_NODE_ENUM) MPG_SLURM_SHOW_NODE_COUNT_OF_FIELDS };
#define MPG_SLURM_SHOW_RESERVATION_ENUM(name, type) MPG_SLURM_SHOW_RESERVATION_##name,
enum {
  MPG_SLURM_SHOW_RESERVATION_FIELDS(MPG_SLURM_SHOW_RESERVATION_ENUM)
      MPG_SLURM_SHOW_RESERVATION_COUNT_OF_FIELDS
};

typedef struct mpg_slurm_show_node mpg_slurm_show_node;

/* Stream, zone (NULL: UTC) and issues (NULL: uncounted) are borrowed and must outlive the reader.
** `how`: flags; without the second the stream holds nodes. */
#define MPG_SLURM_SHOW_JSON 1u
#define MPG_SLURM_SHOW_RESERVATIONS 2u
mpg_rc mpg_slurm_show_node_open(mpg_slurm_show_node **out, const mpg_env *env, mpg_stream *stream,
                                unsigned how, const mpg_zone *zone, mpg_issues *issues,
                                mpg_err *err);
void mpg_slurm_show_node_close(mpg_slurm_show_node *sinfo); /* NULL is fine */

/* The next node; MPG_DONE at the end. After MPG_DATA the next call continues with the following
** node, if there is one. */
mpg_rc mpg_slurm_show_node_next(mpg_slurm_show_node *sinfo, mpg_err *err);
int64_t mpg_slurm_show_node_line(const mpg_slurm_show_node *sinfo);
/* The document of JSON that it is in, from 0. */
size_t mpg_slurm_show_node_document(const mpg_slurm_show_node *sinfo);
/* Borrowed until the next call of next. */
const mpg_value *mpg_slurm_show_node_get(const mpg_slurm_show_node *sinfo, size_t field);
/* GPUs as TRES, "gres/gpu=8,gres/gpu:h100=8": of CfgTRES, or else of Gres; and of AllocTRES, or
** else of GresUsed. Empty if unknown. */
mpg_str mpg_slurm_show_node_gpus(const mpg_slurm_show_node *sinfo, bool allocated);

#endif
