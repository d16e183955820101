/*
** xplane.h - the events of an XSpace (xspace.h), with their names and stats resolved.
**
** The file is read by two streams: one goes through a plane for its lines and maps, then the other
** reads its events. So memory holds a plane's maps (MPG_LIMIT_PLANE_BYTES) and one event
** (MPG_LIMIT_RECORD_BYTES), for any number of events, and compressed files are read in place.
**
** Times are whole picoseconds. Since the epoch they would not fit 64 bits, so an event has its
** line's nanoseconds, its own picoseconds after them, and the sum in whole nanoseconds, rounded
** down: events that do not overlap in picoseconds do not overlap in nanoseconds either.
**
** Issues, in addition to those of xspace.h: unknown_metadata, events or stats whose name no map of
** their plane has; negative_duration.
*/
#ifndef MPG_XPLANE_H
#define MPG_XPLANE_H

#include "../../read/parse/json_writer.h"
#include "xspace.h"

typedef struct mpg_xevent {
  int64_t at; /* offset of its first byte */
  int64_t metadata_id;
  const mpg_xevent_name *name; /* NULL: unknown */
  const mpg_xline *line;
  const mpg_xplane_head *plane;
  bool aggregated; /* stands for many: it has occurrences and no start */
  int64_t occurrences;
  int64_t offset_ps, duration_ps;
  int64_t start_ns, end_ns;
} mpg_xevent;

typedef struct mpg_xplane mpg_xplane;

/* Two streams of the same bytes, both at the start. Streams and issues (NULL: uncounted) are
** borrowed and must outlive the reader. */
mpg_rc mpg_xplane_open(mpg_xplane **out, const mpg_env *env, mpg_stream *ahead, mpg_stream *stream,
                       mpg_issues *issues, mpg_err *err);
void mpg_xplane_close(mpg_xplane *x); /* NULL is fine */

/* The next event; MPG_DONE at the end. After MPG_DATA the next call continues after the event or,
** if that is where the damage is, the plane. */
mpg_rc mpg_xplane_next(mpg_xplane *x, mpg_err *err);
const mpg_xevent *mpg_xplane_event(const mpg_xplane *x); /* borrowed until the next call */
/* Where the current event begins; after an error the event or plane that was left. */
int64_t mpg_xplane_at(const mpg_xplane *x);

/* Stat MPG_XSTAT_... of the event, or else of its metadata; MPG_NULL: neither has it. A number that
** is no int64 is its decimal text. Borrowed until the next call of any kind. */
void mpg_xplane_stat(mpg_xplane *x, int column, mpg_value *out);
/* All of them as a JSON object. */
mpg_rc mpg_xplane_stats(mpg_xplane *x, mpg_json_text *json);
/* Stats of a plane, the same way. */
mpg_rc mpg_xplane_stats_of(const mpg_xplane_head *plane, mpg_json_text *json);

#endif
