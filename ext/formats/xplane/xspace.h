/*
** xspace.h - the planes of an XSpace, the protobuf of a trace (*.xplane.pb) by the profiler of JAX,
** TensorFlow and PyTorch/XLA, one after the other: the parts of a plane that hold for all its
** events. The events themselves are skipped here: xplane.h reads them.
**
** A plane is a device or a part of the host; its lines are timelines (a stream, a thread, "XLA
** Ops"). The names of events and stats are numbers, which two maps of the plane resolve, and the
** maps follow the lines in the file. So a plane has to be read to its end before its first event
** can be returned. Source: xplane.proto of OpenXLA and TensorFlow.
**
** Issues (source: the file; line: a byte offset): profiler_error and profiler_warning, what the
** profiler itself says in the file; no_planes; long_stat, stats over MPG_XSTAT_LIMIT bytes of
** metadata (programs, mostly), which are left out.
*/
#ifndef MPG_XSPACE_H
#define MPG_XSPACE_H

#include "../../read/parse/protobuf.h"
#include "../../base/intern.h"
#include "../../base/issues.h"

#define MPG_XSTAT_LIMIT ((size_t)64 << 10)

/* clang-format off */
/* Stats with a column of their own: name in C and SQL, name in the file, type. An ID may take
** all 64 bits. */
#define MPG_XSTATS(F)                                                                              \
  F(group_id, "group_id", INT) F(step_num, "step_num", INT) F(step_name, "step_name", TEXT)        \
  F(run_id, "run_id", ID) F(hlo_op, "hlo_op", TEXT) F(hlo_module, "hlo_module", TEXT)             \
  F(program_id, "program_id", ID) F(hlo_category, "hlo_category", TEXT) F(tf_op, "tf_op", TEXT)   \
  F(op_name, "name", TEXT) F(source, "source", TEXT) F(flops, "flops", INT)                        \
  F(model_flops, "model_flops", INT) F(bytes_accessed, "bytes_accessed", INT)                      \
  F(raw_bytes_accessed, "raw_bytes_accessed", INT) F(correlation_id, "correlation_id", ID)        \
  F(device_id, "device_id", INT) F(device_ordinal, "device_ordinal", INT)                          \
  F(kernel_details, "kernel_details", TEXT) F(memcpy_details, "memcpy_details", TEXT)              \
  F(memset_details, "Memset_details", TEXT) F(nvtx_range, "nvtx_range", TEXT)                      \
  F(cuda_graph_id, "cuda_graph_id", INT) F(device_offset_ps, "device_offset_ps", INT)              \
  F(device_duration_ps, "device_duration_ps", INT)
/* clang-format on */

#define MPG_XSTAT_ENUM(name, key, type) MPG_XSTAT_##name,
enum { MPG_XSTATS(MPG_XSTAT_ENUM) MPG_XSTAT_COLUMNS };

typedef enum mpg_xstat_kind {
  MPG_XSTAT_NONE, /* the file gives it no value */
  MPG_XSTAT_DOUBLE,
  MPG_XSTAT_UINT,
  MPG_XSTAT_INT,
  MPG_XSTAT_TEXT,
  MPG_XSTAT_BYTES,
  MPG_XSTAT_REF /* the name of another stat's metadata is the text */
} mpg_xstat_kind;

/* What a map of a plane says of an id. */
typedef struct mpg_xname {
  int64_t id;
  size_t order; /* of repeated ids the last one counts */
  mpg_str text;
} mpg_xname;

/* XStatMetadata. */
typedef struct mpg_xstat_name {
  mpg_xname name; /* must be first */
  int column;     /* MPG_XSTAT_..., -1: none */
  uint64_t visit; /* the reader's mark */
} mpg_xstat_name;

/* XStat. */
typedef struct mpg_xstat {
  int64_t id;
  mpg_xstat_kind kind;
  uint64_t bits; /* of a number, or the id of the text referred to */
  mpg_str text;
  mpg_xstat_name *name; /* NULL: the plane does not explain it */
} mpg_xstat;

/* XEventMetadata, less its serialised part and its children. */
typedef struct mpg_xevent_name {
  mpg_xname name; /* must be first */
  mpg_str display_name;
  mpg_xstat *stats;
  size_t nstats;
} mpg_xevent_name;

/* XLine, less its events. */
typedef struct mpg_xline {
  int64_t id, timestamp_ns, duration_ps;
  mpg_str name, display_name;
  int64_t events;
} mpg_xline;

/* XPlane. Texts and stats lie in its own memory. */
typedef struct mpg_xplane_head {
  int64_t at, end; /* offsets of its first byte and after its last one */
  int64_t id;
  mpg_str name;
  mpg_xline *lines;
  size_t nlines, cap_lines;
  int64_t events;
  mpg_xevent_name *event_names; /* by id */
  size_t nevent_names, cap_event_names;
  mpg_xstat_name *stat_names; /* by id */
  size_t nstat_names, cap_stat_names;
  mpg_xstat *stats;
  size_t nstats;
} mpg_xplane_head;

typedef struct mpg_xspace mpg_xspace;

/* Stream and issues (NULL: uncounted) are borrowed and must outlive the reader. */
mpg_rc mpg_xspace_open(mpg_xspace **out, const mpg_env *env, mpg_stream *stream, mpg_issues *issues,
                       mpg_err *err);
void mpg_xspace_close(mpg_xspace *space); /* NULL is fine */

/*
** The next plane, borrowed until the next call; MPG_DONE at the end. After MPG_DATA within a plane
** the next call continues after that plane; after any other error every call says MPG_DONE.
*/
mpg_rc mpg_xspace_next(mpg_xspace *space, mpg_xplane_head **plane, mpg_err *err);
/* The offset of the current plane, even if it could not be read. */
int64_t mpg_xspace_at(const mpg_xspace *space);
/* The hosts named so far; complete only after the planes. Ids count from 1. */
const mpg_intern *mpg_xspace_hostnames(const mpg_xspace *space);

/* NULL if the plane has no name for the id. */
mpg_xevent_name *mpg_xevent_name_find(const mpg_xplane_head *plane, int64_t id);
mpg_xstat_name *mpg_xstat_name_find(const mpg_xplane_head *plane, int64_t id);
/* A stat from its message; its text is borrowed from there, its name is not looked up. */
mpg_rc mpg_xstat_read(mpg_proto_message *message, mpg_xstat *stat, mpg_err *err);

#endif
