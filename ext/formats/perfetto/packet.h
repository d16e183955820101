/*
** packet.h - what stands in the messages of a Perfetto trace that a reader of track events needs:
** their fields, put in structs, with nothing looked up.
*/
#ifndef MPG_PERFETTO_PACKET_H
#define MPG_PERFETTO_PACKET_H

#include "../../read/parse/protobuf.h"

#define MPG_PERFETTO_BOOTTIME 6
#define MPG_PERFETTO_REALTIME 1

/* A message that may be there. */
typedef struct mpg_perfetto_part {
  mpg_proto_message m; /* bytes.p NULL: absent */
} mpg_perfetto_part;

static inline bool mpg_perfetto_has(const mpg_perfetto_part *part) {
  return part->m.bytes.p != NULL;
}

typedef struct mpg_perfetto_packet {
  uint64_t timestamp;
  uint32_t clock, sequence;
  bool has_timestamp, has_clock;
  bool cleared, dropped, needs_state;
  bool is_known;  /* it has a field that no XSpace has there */
  bool is_config; /* the settings of a trace, which begins with them */
  mpg_str uuid;   /* borrowed: the name of the trace, which may come before them; empty: not told */
  uint32_t other; /* a field that holds something else; 0: none */
  mpg_perfetto_part event, interned, defaults, descriptor, snapshot, thread;
} mpg_perfetto_packet;

typedef enum mpg_perfetto_type {
  MPG_PERFETTO_NO_TYPE,
  MPG_PERFETTO_BEGIN,
  MPG_PERFETTO_END,
  MPG_PERFETTO_INSTANT,
  MPG_PERFETTO_COUNTER,
  MPG_PERFETTO_COMPLETE /* of events that were Chrome's: begin and duration */
} mpg_perfetto_type;

/* A TrackEvent but for its categories and annotations, which repeat: fields 3, 22 and 4 of it. */
typedef struct mpg_perfetto_event {
  mpg_perfetto_type type;
  uint64_t name_number, track, flow;
  mpg_str name; /* borrowed */
  bool has_track, has_flow, has_value, has_delta, has_absolute;
  double value;
  int64_t delta_us, absolute_us, duration_us;
} mpg_perfetto_event;

/* A TrackDescriptor with the descriptors of process and thread in it; or that of a thread alone. */
typedef struct mpg_perfetto_descriptor {
  uint64_t uuid, parent;
  int64_t pid, tid, reference_us;
  mpg_str name, process, thread; /* borrowed */
  bool has_uuid, has_parent, has_pid, has_tid;
} mpg_perfetto_descriptor;

/* One clock of a ClockSnapshot. */
typedef struct mpg_perfetto_reading {
  uint32_t id;
  bool incremental;
  uint64_t timestamp, unit_ns;
} mpg_perfetto_reading;

mpg_rc mpg_perfetto_packet_read(mpg_perfetto_packet *out, mpg_proto_message m, mpg_poller *poller,
                                mpg_err *err);
/* TracePacketDefaults: the clock, 0 if none, and the track. */
mpg_rc mpg_perfetto_defaults_read(mpg_proto_message m, mpg_poller *poller, uint32_t *clock,
                                  uint64_t *track, bool *has_track, mpg_err *err);
mpg_rc mpg_perfetto_event_read(mpg_perfetto_event *out, mpg_proto_message m, mpg_poller *poller,
                               mpg_err *err);
mpg_rc mpg_perfetto_descriptor_read(mpg_perfetto_descriptor *out, mpg_proto_message m,
                                    mpg_poller *poller, mpg_err *err);
mpg_rc mpg_perfetto_thread_read(mpg_perfetto_descriptor *out, mpg_proto_message m,
                                mpg_poller *poller, mpg_err *err);
mpg_rc mpg_perfetto_reading_read(mpg_perfetto_reading *out, mpg_proto_message m, mpg_poller *poller,
                                 mpg_err *err);

#endif
