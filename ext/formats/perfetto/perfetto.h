/*
** perfetto.h - traces of Perfetto as Protocol Buffers (*.pftrace, *.perfetto-trace): the track
** events in them, with what names, tracks and clocks the packets before them have told.
**
** A file is a row of packets, each of a sequence (one writer of one thread). A row is
**   slice    between a begin and an end on one track, when its end is read
**   instant  an event without duration
**   counter  a value of a counter track
**   track    what a packet says of a track; events before it do not have it
**   clock    what the clock REALTIME showed at start_ns, in clock_ns
**
** Begins and ends are matched in the order of the file, on each track as on a stack: writers that
** know when a thing began and ended write both at once, and such slices may overlap. Where an end
** is earlier than the begin on top, or there is none, both are put aside and matched by time at the
** end of the file, for writers of several threads share tracks.
**
** Times are nanoseconds of the trace's own clock (BOOTTIME unless a snapshot names another).
** Sequence-scoped clocks, incremental ones and other clocks are converted by the latest snapshot
** before.
**
** Only track events are read. What else a system trace holds is counted by other_packets.
**
** The file may still be being written: a packet that it ends within is left out (unfinished.h).
** MPG_DATA, "PATH: byte N: ...", for a packet that is no TracePacket; the next call continues with
** the one that follows, unless where that begins is not known. Also at the end of a file none of
** whose packets has a field of a TracePacket that an XSpace would not have.
**
** Issues: unfinished_record; unfinished_slice (begins or ends without the other); lost_packets
** (events whose names were dropped with earlier packets); missing_samples (a writer lost packets);
** unknown_name; unknown_clock; missing_field (a time); other_packets (info); packed_packets;
** invalid_utf8.
**
** Source: trace_packet.proto, track_event.proto, track_descriptor.proto, interned_data.proto,
** debug_annotation.proto and clock_snapshot.proto of Perfetto; "Synchronization of multiple clock
** domains" and "Trace packet format" of its documentation.
*/
#ifndef MPG_PERFETTO_H
#define MPG_PERFETTO_H

#include "../../base/issues.h"
#include "../../read/input/stream.h"

/* What a row holds, X(name, type). */
#define MPG_PERFETTO_COLUMNS(X)                                                                    \
  X(kind, TEXT)                                                                                    \
  X(start_ns, BIGINT)                                                                              \
  X(end_ns, BIGINT) /* of a slice */                                                               \
  X(name, TEXT)                                                                                    \
  X(category, TEXT) /* several: with commas between */                                             \
  X(track, TEXT)                                                                                   \
  X(track_uuid, BIGINT) /* its 64 bits; NULL: the event names no track */                          \
  X(parent_uuid, BIGINT)                                                                           \
  X(pid, BIGINT) /* of the track or of one that it is in, as the next three */                     \
  X(tid, BIGINT)                                                                                   \
  X(process, TEXT)                                                                                 \
  X(thread, TEXT)                                                                                  \
  X(flow_id, BIGINT) /* the first */                                                               \
  X(value, REAL)     /* of a counter */                                                            \
  X(clock_ns, BIGINT)                                                                              \
  X(args, TEXT) /* debug annotations, a JSON object; those of begin and end together */            \
  X(sequence, BIGINT)

#define MPG_PERFETTO_ENUM(name, type) MPG_PERFETTO_##name,
enum { MPG_PERFETTO_COLUMNS(MPG_PERFETTO_ENUM) MPG_PERFETTO_COUNT };

typedef struct mpg_perfetto mpg_perfetto;

/* Stream and issues (NULL: uncounted) are borrowed and must outlive the reader. */
mpg_rc mpg_perfetto_open(mpg_perfetto **out, const mpg_env *env, mpg_stream *stream,
                         mpg_issues *issues, mpg_err *err);
void mpg_perfetto_close(mpg_perfetto *p); /* NULL is fine */

mpg_rc mpg_perfetto_next(mpg_perfetto *p, mpg_err *err); /* MPG_DONE at the end */
/* Where the packet of the current row begins: of a slice, that of its begin; after an error, the
** packet that was left. */
int64_t mpg_perfetto_line(const mpg_perfetto *p);
/* Of the current row; text is borrowed until the next call. */
const mpg_value *mpg_perfetto_get(const mpg_perfetto *p, size_t column);

#endif
