/*
** tracks.h - the tracks of a Perfetto trace, the slices that are open on each, and the begins and
** ends that did not meet in the order of the file.
*/
#ifndef MPG_PERFETTO_TRACKS_H
#define MPG_PERFETTO_TRACKS_H

#include "../../base/hash_index.h"
#include "packet.h"

typedef struct mpg_perfetto_track {
  uint64_t uuid;
  uint64_t parent; /* where has_parent */
  int64_t pid, tid;
  uint32_t name, process, thread; /* texts; 0: not told */
  bool has_parent, has_pid, has_tid;
  uint32_t top; /* the slice opened last, + 1 */
} mpg_perfetto_track;

typedef struct mpg_perfetto_slice {
  uint32_t track; /* place of the track */
  uint32_t below; /* the slice that was on top before, + 1; of a free one the next free */
  uint32_t name, category, sequence;
  uint32_t session; /* of tracks, when it began */
  bool has_flow;
  uint64_t flow;
  int64_t start_ns, at;
  char *args; /* owned; NULL: none */
  size_t args_n;
} mpg_perfetto_slice;

/* A begin or an end that is left at the end of the file. */
typedef struct mpg_perfetto_mark {
  uint32_t track, session;
  uint32_t slice; /* of a begin, + 1; 0: an end */
  int64_t ns;
  size_t nth; /* in the file */
} mpg_perfetto_mark;

typedef struct mpg_perfetto_tracks {
  const mpg_env *env;
  mpg_perfetto_track *tracks;
  size_t n, cap;
  mpg_hash_index index;
  mpg_perfetto_slice *slices;
  size_t nslices, cap_slices;
  uint32_t free; /* a free slice, + 1 */
  mpg_perfetto_mark *marks;
  size_t nmarks, cap_marks, next_mark;
  size_t args_bytes;
  uint32_t session; /* traces of the file so far that are over: a slice lies in one */
  uint64_t name;    /* a hash of the trace's own; 0: not told */
  bool is_set_up;   /* its settings were told */
} mpg_perfetto_tracks;

void mpg_perfetto_tracks_init(mpg_perfetto_tracks *tracks, const mpg_env *env);
void mpg_perfetto_tracks_free(mpg_perfetto_tracks *tracks);

/* The place of a track, made at first sight. MPG_NOMEM or MPG_INTERRUPTED, here and below. */
mpg_rc mpg_perfetto_track_get(mpg_perfetto_tracks *tracks, uint64_t uuid, uint32_t *track);
/* The place of a track that there is; false: none. */
bool mpg_perfetto_track_find(const mpg_perfetto_tracks *tracks, uint64_t uuid, uint32_t *track);
/* What all of it takes. */
size_t mpg_perfetto_tracks_bytes(const mpg_perfetto_tracks *tracks);

/* Takes note of a packet with which another trace begins, where traces were put together. */
void mpg_perfetto_tracks_session(mpg_perfetto_tracks *tracks, const mpg_perfetto_packet *packet);

/* Opens a slice, whose args are copied. */
mpg_rc mpg_perfetto_slice_begin(mpg_perfetto_tracks *tracks, const mpg_perfetto_slice *slice,
                                mpg_str args);
/* The slice on top of a track that an end at `ns` closes, or NULL: the end is put aside. The slice
** lives until the next call of slice_begin or slice_free. */
mpg_rc mpg_perfetto_slice_end(mpg_perfetto_tracks *tracks, uint32_t track, int64_t ns, size_t nth,
                              mpg_perfetto_slice **slice);
void mpg_perfetto_slice_free(mpg_perfetto_tracks *tracks, mpg_perfetto_slice *slice);

/* Puts what is left in the order of time, if there is an end to be matched. */
mpg_rc mpg_perfetto_sort_left(mpg_perfetto_tracks *tracks);
/* The next slice of those, with its end; MPG_DONE: no more. *lost grows by begins and ends that
** nothing matches, of which *first_at is the first begin. */
mpg_rc mpg_perfetto_next_left(mpg_perfetto_tracks *tracks, mpg_perfetto_slice **slice,
                              int64_t *end_ns, int64_t *lost, int64_t *first_at);

#endif
