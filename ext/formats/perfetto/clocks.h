/*
** clocks.h - the clocks of a Perfetto trace: a time of any of them as one of the trace's own.
*/
#ifndef MPG_PERFETTO_CLOCKS_H
#define MPG_PERFETTO_CLOCKS_H

#include "names.h"
#include "packet.h"

typedef struct mpg_perfetto_clocks {
  mpg_poller *poller;
  uint32_t trace; /* the trace's own clock */
  mpg_perfetto_clock *shared;
  size_t n, cap;
} mpg_perfetto_clocks;

/* What a snapshot says of the clock REALTIME. */
typedef struct mpg_perfetto_snapshot {
  bool has_realtime;
  int64_t trace_ns, realtime_ns;
} mpg_perfetto_snapshot;

/* A ClockSnapshot, for clocks 64 to 127 of the sequence. */
mpg_rc mpg_perfetto_snapshot_read(mpg_perfetto_clocks *clocks, mpg_perfetto_sequence *sequence,
                                  mpg_proto_message m, mpg_perfetto_snapshot *out, mpg_err *err);
/* A timestamp in nanoseconds of the trace's clock. *known: false where no snapshot has told the
** clock. MPG_DATA: it has more than 63 bits. */
mpg_rc mpg_perfetto_time(const mpg_perfetto_clocks *clocks, mpg_perfetto_sequence *sequence,
                         uint32_t clock, uint64_t timestamp, const char *path, int64_t at,
                         int64_t *ns, bool *known, mpg_err *err);

#endif
