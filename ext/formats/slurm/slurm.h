/*
** slurm.h - records of `sacct -P` and `sacctmgr -P show event`, as Slurm really writes them.
**
** The first record names the fields, in any order and subset; the delimiter is what stands between
** the first two names ('|' unless --delimiter said otherwise, several bytes are fine). Without a
** header (-n) the caller names the fields, and the delimiter is '|' or given. A delimiter after the
** last field (-p instead of -P) is told from the first record. The header may come again, as in
** files glued together.
**
** Slurm escapes nothing, so a record is mended if only one reading of it makes sense:
**   - too many fields: free text (JobName, Comment, SubmitLine, ...) holds the delimiter. Its parts
**     are given to the free-text fields in the one way that makes every other field parse; where
**     there are several ways, or none, the record is an error that recommends --delimiter;
**   - too few: free text holds newlines. The next lines are joined on until the record is whole.
** Both are counted in the issues (split_text, joined_lines). A last line without a line end that is
** no record is left out as still being written (unfinished.h).
**
** Local times are read in a zone; times with a zone of their own and Unix seconds
** (SLURM_TIME_FORMAT=%s) are what they are. Errors are "PATH:LINE:COLUMN: ...".
*/
#ifndef MPG_SLURM_H
#define MPG_SLURM_H

#include "../../read/parse/csv.h"
#include "slurm_value.h"
#include "../../read/input/zone.h"
#include "../../base/issues.h"

/* How a field is read. An empty field is NULL; only a job's id and state are never empty. */
typedef enum mpg_slurm_type {
  MPG_SLURM_TEXT,    /* as exported */
  MPG_SLURM_FREE,    /* as exported; may hold delimiters and newlines */
  MPG_SLURM_CHOICE,  /* as exported; may hold delimiters ("a100|h100") */
  MPG_SLURM_PATH,    /* as exported; may hold delimiters, and then starts with '/' */
  MPG_SLURM_WORDS,   /* as exported: letters, digits, '_' and ',' */
  MPG_SLURM_STATE,   /* as exported */
  MPG_SLURM_ID,      /* as exported, checked */
  MPG_SLURM_EXIT,    /* as exported: "status:signal" */
  MPG_SLURM_TRES,    /* as exported: "name=number,..." */
  MPG_SLURM_USAGE,   /* as exported: "name=value,..." */
  MPG_SLURM_TIME,    /* Unix seconds; NULL for None, Unknown and N/A */
  MPG_SLURM_COUNT,   /* a number; NULL for UNLIMITED, Partition_Limit and the like */
  MPG_SLURM_SECONDS, /* of a duration, whole; NULL for INVALID and the like */
  MPG_SLURM_CLOCK    /* seconds of a duration with a fraction; likewise */
} mpg_slurm_type;

/* clang-format off */
/* sacct's fields: those of 22.05, and what releases up to 25.11 added (Planned* were Reserved and
** Resv* before 23.02). */
#define MPG_SLURM_JOB_FIELDS(F)                                                                    \
  F(Account, TEXT) F(AdminComment, FREE) F(AllocCPUS, COUNT) F(AllocNodes, COUNT)                  \
  F(AllocTRES, TRES) F(AssocID, COUNT) F(AveCPU, CLOCK) F(AveCPUFreq, TEXT) F(AveDiskRead, TEXT)   \
  F(AveDiskWrite, TEXT) F(AvePages, TEXT) F(AveRSS, TEXT) F(AveVMSize, TEXT) F(BlockID, TEXT)      \
  F(Cluster, TEXT) F(Comment, FREE) F(Constraints, CHOICE) F(ConsumedEnergy, TEXT)                 \
  F(ConsumedEnergyRaw, COUNT) F(Container, TEXT) F(CPUTime, SECONDS) F(CPUTimeRAW, COUNT)          \
  F(DBIndex, COUNT) F(DerivedExitCode, EXIT) F(Elapsed, SECONDS) F(ElapsedRaw, COUNT)              \
  F(Eligible, TIME) F(End, TIME) F(ExitCode, EXIT) F(Extra, FREE) F(FailedNode, TEXT)              \
  F(Flags, WORDS) F(GID, COUNT) F(Group, TEXT) F(JobID, ID) F(JobIDRaw, ID) F(JobName, FREE)       \
  F(Layout, TEXT) F(Licenses, CHOICE) F(MaxDiskRead, TEXT) F(MaxDiskReadNode, TEXT)                \
  F(MaxDiskReadTask, COUNT) F(MaxDiskWrite, TEXT) F(MaxDiskWriteNode, TEXT)                        \
  F(MaxDiskWriteTask, COUNT) F(MaxPages, TEXT) F(MaxPagesNode, TEXT) F(MaxPagesTask, COUNT)        \
  F(MaxRSS, TEXT) F(MaxRSSNode, TEXT) F(MaxRSSTask, COUNT) F(MaxVMSize, TEXT)                      \
  F(MaxVMSizeNode, TEXT) F(MaxVMSizeTask, COUNT) F(McsLabel, TEXT) F(MinCPU, CLOCK)                \
  F(MinCPUNode, TEXT) F(MinCPUTask, COUNT) F(NCPUS, COUNT) F(NNodes, COUNT) F(NodeList, TEXT)      \
  F(NTasks, COUNT) F(Partition, TEXT) F(Planned, SECONDS) F(PlannedCPU, SECONDS)                   \
  F(PlannedCPURAW, COUNT) F(Priority, COUNT) F(QOS, TEXT) F(QOSRAW, COUNT) F(QOSREQ, TEXT)         \
  F(Reason, TEXT) F(ReqCPUFreq, TEXT) F(ReqCPUFreqGov, TEXT) F(ReqCPUFreqMax, TEXT)                \
  F(ReqCPUFreqMin, TEXT) F(ReqCPUS, COUNT) F(ReqMem, TEXT) F(ReqNodes, COUNT) F(ReqTRES, TRES)     \
  F(Reservation, TEXT) F(ReservationId, COUNT) F(Reserved, SECONDS) F(Restarts, COUNT)             \
  F(ResvCPU, SECONDS) F(ResvCPURAW, COUNT) F(SegmentSize, COUNT) F(SLUID, TEXT) F(Start, TIME)     \
  F(State, STATE) F(StdErr, PATH) F(StdIn, PATH) F(StdOut, PATH) F(Submit, TIME)                   \
  F(SubmitLine, FREE) F(Suspended, SECONDS) F(SystemComment, FREE) F(SystemCPU, CLOCK)             \
  F(Timelimit, TEXT) F(TimelimitRaw, COUNT) F(TotalCPU, CLOCK) F(TRESUsageInAve, USAGE)            \
  F(TRESUsageInMax, USAGE) F(TRESUsageInMaxNode, USAGE) F(TRESUsageInMaxTask, USAGE)               \
  F(TRESUsageInMin, USAGE) F(TRESUsageInMinNode, USAGE) F(TRESUsageInMinTask, USAGE)               \
  F(TRESUsageInTot, USAGE) F(TRESUsageOutAve, USAGE) F(TRESUsageOutMax, USAGE)                     \
  F(TRESUsageOutMaxNode, USAGE) F(TRESUsageOutMaxTask, USAGE) F(TRESUsageOutMin, USAGE)            \
  F(TRESUsageOutMinNode, USAGE) F(TRESUsageOutMinTask, USAGE) F(TRESUsageOutTot, USAGE)            \
  F(UID, COUNT) F(User, TEXT) F(UserCPU, CLOCK) F(WCKey, TEXT) F(WCKeyID, COUNT) F(WorkDir, PATH)

/* sacctmgr's fields of an event. Its header spells ClusterNodes with a space. */
#define MPG_SLURM_EVENT_FIELDS(F)                                                                  \
  F(Cluster, TEXT) F(ClusterNodes, TEXT) F(Duration, SECONDS) F(Event, WORDS) F(EventRaw, COUNT)   \
  F(NodeName, TEXT) F(Reason, FREE) F(State, TEXT) F(StateRaw, COUNT) F(TimeEnd, TIME)             \
  F(TimeStart, TIME) F(TRES, TRES) F(User, TEXT)

/* sacctmgr's fields of a reservation. */
#define MPG_SLURM_RESERVATION_FIELDS(F)                                                            \
  F(Associations, TEXT) F(Assocs, TEXT) F(Cluster, TEXT) F(Comment, FREE) F(Flags, WORDS)          \
  F(ID, COUNT) F(Name, TEXT) F(NodeNames, TEXT) F(TimeEnd, TIME) F(TimeStart, TIME)                \
  F(TRES, TRES) F(UnusedWall, TEXT)

/* clang-format on */

#define MPG_SLURM_JOB_ENUM(name, type) MPG_SLURM_JOB_##name,
enum { MPG_SLURM_JOB_FIELDS(MPG_SLURM_JOB_ENUM) MPG_SLURM_JOB_COUNT };
#define MPG_SLURM_EVENT_ENUM(name, type) MPG_SLURM_EVENT_##name,
enum { MPG_SLURM_EVENT_FIELDS(MPG_SLURM_EVENT_ENUM) MPG_SLURM_EVENT_COUNT };
#define MPG_SLURM_RESERVATION_ENUM(name, type) MPG_SLURM_RESERVATION_##name,
enum { MPG_SLURM_RESERVATION_FIELDS(MPG_SLURM_RESERVATION_ENUM) MPG_SLURM_RESERVATION_COUNT };

typedef struct mpg_slurm_field {
  const char *name;
  mpg_slurm_type type;
} mpg_slurm_field;

typedef struct mpg_slurm_kind {
  const char *tool; /* "sacct", for messages */
  const char *example;
  const mpg_slurm_field *fields;
  size_t nfields;
} mpg_slurm_kind;

extern const mpg_slurm_kind mpg_slurm_jobs;   /* fields numbered MPG_SLURM_JOB_* */
extern const mpg_slurm_kind mpg_slurm_events; /* MPG_SLURM_EVENT_* */

typedef struct mpg_slurm_options {
  const mpg_zone *zone; /* of local times; NULL: UTC */
  mpg_str columns;      /* for input without a header: "JobID,State,..." as given to --format; a
                        ** "-" stands for a column to leave out */
  mpg_str delimiter;    /* n = 0: as the header shows, else '|' */
  mpg_issues *issues;   /* NULL: uncounted */
  int threads;          /* that may look over lines ahead; 0 is 1 */
  bool slow;            /* every field by its own parser: for tests */
} mpg_slurm_options;

typedef struct mpg_slurm mpg_slurm;

/* Checks `columns` without a file. MPG_MISUSE: an unknown or repeated name. */
mpg_rc mpg_slurm_check(const mpg_slurm_kind *kind, mpg_str columns, mpg_err *err);

/* Stream, zone, texts of the options and issues are borrowed and must outlive the reader. Nothing
** is read yet. */
mpg_rc mpg_slurm_open(mpg_slurm **out, const mpg_env *env, mpg_stream *stream,
                      const mpg_slurm_kind *kind, const mpg_slurm_options *options, mpg_err *err);
void mpg_slurm_close(mpg_slurm *slurm); /* NULL is fine */

/*
** The next record; MPG_DONE at the end. After MPG_DATA the next call continues with the following
** record, or returns MPG_DONE if the file as a whole cannot be read.
*/
mpg_rc mpg_slurm_next(mpg_slurm *slurm, mpg_err *err);
int64_t mpg_slurm_line(const mpg_slurm *slurm); /* of the current record */
/* Field i of the current record, decoded; MPG_NULL if the file lacks it. Borrowed until the next
** call of mpg_slurm_next. */
const mpg_value *mpg_slurm_get(mpg_slurm *slurm, size_t field);
/* The same as exported; n = 0 if the file lacks it. */
mpg_str mpg_slurm_raw(const mpg_slurm *slurm, size_t field);
/* Whether the file has the field at all. */
bool mpg_slurm_has(const mpg_slurm *slurm, size_t field);

#endif
