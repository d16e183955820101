/* tracks.c - see tracks.h. */
#include "tracks.h"
#include "../../base/intern.h"
#include "../../base/sort.h"

#include <string.h>

#define LEAST_SLOTS ((size_t)64)

void mpg_perfetto_tracks_init(mpg_perfetto_tracks *tracks, const mpg_env *env) {
  *tracks = (mpg_perfetto_tracks){.env = env};
}

void mpg_perfetto_tracks_free(mpg_perfetto_tracks *tracks) {
  const mpg_env *env = tracks->env;
  if (env == NULL)
    return;
  for (size_t i = 0; i < tracks->nslices; i++)
    mpg_free(env, tracks->slices[i].args);
  mpg_hash_index_free(&tracks->index, env);
  mpg_free(env, tracks->tracks);
  mpg_free(env, tracks->slices);
  mpg_free(env, tracks->marks);
}

size_t mpg_perfetto_tracks_bytes(const mpg_perfetto_tracks *tracks) {
  return tracks->n * sizeof *tracks->tracks + tracks->nslices * sizeof *tracks->slices +
         tracks->nmarks * sizeof *tracks->marks + tracks->args_bytes;
}

/* ---- Tracks ---- */

static uint64_t hash_uuid(const mpg_perfetto_tracks *tracks, uint64_t uuid) {
  return mpg_hash(tracks->env->seed, &uuid, sizeof uuid);
}

static uint64_t hash_of_track(const void *owner, uint32_t number) {
  const mpg_perfetto_tracks *tracks = owner;
  return hash_uuid(tracks, tracks->tracks[number].uuid);
}

/* The track, or the free slot where it belongs. There are slots. */
static bool find_track(const mpg_perfetto_tracks *tracks, uint64_t uuid, uint32_t *track,
                       size_t *slot) {
  *slot = mpg_hash_index_first(&tracks->index, hash_uuid(tracks, uuid));
  for (; mpg_hash_index_at(&tracks->index, *slot, track);
       *slot = mpg_hash_index_next(&tracks->index, *slot))
    if (tracks->tracks[*track].uuid == uuid)
      return true;
  return false;
}

mpg_rc mpg_perfetto_track_get(mpg_perfetto_tracks *tracks, uint64_t uuid, uint32_t *track) {
  size_t slot;
  mpg_rc rc = mpg_hash_index_reserve(&tracks->index, tracks->env, tracks->n, LEAST_SLOTS,
                                     hash_of_track, tracks);
  if (rc == MPG_OK)
    rc =
        mpg_grow(tracks->env, &tracks->tracks, &tracks->cap, tracks->n + 1, sizeof *tracks->tracks);
  if (rc != MPG_OK || find_track(tracks, uuid, track, &slot))
    return rc;
  *track = (uint32_t)tracks->n++;
  tracks->tracks[*track] = (mpg_perfetto_track){.uuid = uuid};
  mpg_hash_index_put(&tracks->index, slot, *track);
  return MPG_OK;
}

bool mpg_perfetto_track_find(const mpg_perfetto_tracks *tracks, uint64_t uuid, uint32_t *track) {
  size_t slot;
  return tracks->n > 0 && find_track(tracks, uuid, track, &slot);
}

void mpg_perfetto_tracks_session(mpg_perfetto_tracks *tracks, const mpg_perfetto_packet *packet) {
  const uint64_t name =
      packet->uuid.n > 0 ? mpg_hash(tracks->env->seed, packet->uuid.p, packet->uuid.n) | 1 : 0;
  if (name != 0 && name != tracks->name) {
    tracks->session += tracks->name != 0;
    tracks->is_set_up &= tracks->name == 0;
    tracks->name = name;
  }
  if (packet->is_config) {
    tracks->session += tracks->is_set_up;
    tracks->is_set_up = true;
  }
}

/* ---- Slices ---- */

mpg_rc mpg_perfetto_slice_begin(mpg_perfetto_tracks *tracks, const mpg_perfetto_slice *slice,
                                mpg_str args) {
  mpg_perfetto_track *track = &tracks->tracks[slice->track];
  char *copy = args.n > 0 ? mpg_malloc(tracks->env, args.n) : NULL;
  mpg_perfetto_slice *to;
  mpg_rc rc = args.n > 0 && copy == NULL ? MPG_NOMEM : MPG_OK;
  if (rc == MPG_OK && tracks->free == 0)
    rc = mpg_grow(tracks->env, &tracks->slices, &tracks->cap_slices, tracks->nslices + 1,
                  sizeof *tracks->slices);
  if (rc != MPG_OK) {
    mpg_free(tracks->env, copy);
    return rc;
  }
  to = &tracks->slices[tracks->free > 0 ? tracks->free - 1 : tracks->nslices++];
  if (tracks->free > 0)
    tracks->free = to->below;
  *to = *slice;
  to->session = tracks->session;
  to->args = copy;
  to->args_n = args.n;
  if (args.n > 0)
    memcpy(copy, args.p, args.n);
  tracks->args_bytes += args.n;
  to->below = track->top;
  track->top = (uint32_t)(to - tracks->slices) + 1;
  return MPG_OK;
}

mpg_rc mpg_perfetto_slice_end(mpg_perfetto_tracks *tracks, uint32_t track, int64_t ns, size_t nth,
                              mpg_perfetto_slice **slice) {
  mpg_perfetto_track *of = &tracks->tracks[track];
  *slice = of->top > 0 ? &tracks->slices[of->top - 1] : NULL;
  if (*slice != NULL && (*slice)->session == tracks->session && (*slice)->start_ns <= ns) {
    of->top = (*slice)->below;
    return MPG_OK;
  }
  *slice = NULL;
  if (mpg_grow(tracks->env, &tracks->marks, &tracks->cap_marks, tracks->nmarks + 1,
               sizeof *tracks->marks) != MPG_OK)
    return MPG_NOMEM;
  tracks->marks[tracks->nmarks++] = (mpg_perfetto_mark){track, tracks->session, 0, ns, nth};
  return MPG_OK;
}

void mpg_perfetto_slice_free(mpg_perfetto_tracks *tracks, mpg_perfetto_slice *slice) {
  mpg_free(tracks->env, slice->args);
  tracks->args_bytes -= slice->args_n;
  *slice = (mpg_perfetto_slice){.below = tracks->free};
  tracks->free = (uint32_t)(slice - tracks->slices) + 1;
}

/* ---- What is left at the end of the file ---- */

/* By track, trace and time; at one moment ends come after begins, as of a slice without length. */
static int mark_order(const void *a, const void *b, void *ctx) {
  const mpg_perfetto_mark *x = a, *y = b;
  (void)ctx;
  if (x->track != y->track)
    return x->track < y->track ? -1 : 1;
  if (x->session != y->session)
    return x->session < y->session ? -1 : 1;
  if (x->ns != y->ns)
    return x->ns < y->ns ? -1 : 1;
  if ((x->slice == 0) != (y->slice == 0))
    return x->slice == 0 ? 1 : -1;
  return (x->nth > y->nth) - (x->nth < y->nth);
}

mpg_rc mpg_perfetto_sort_left(mpg_perfetto_tracks *tracks) {
  for (size_t i = 0; i < tracks->n; i++) {
    uint32_t slice = tracks->tracks[i].top;
    for (; slice > 0; slice = tracks->slices[slice - 1].below) {
      const mpg_perfetto_slice *s = &tracks->slices[slice - 1];
      if (mpg_grow(tracks->env, &tracks->marks, &tracks->cap_marks, tracks->nmarks + 1,
                   sizeof *tracks->marks) != MPG_OK)
        return MPG_NOMEM;
      tracks->marks[tracks->nmarks] =
          (mpg_perfetto_mark){(uint32_t)i, s->session, slice, s->start_ns, (size_t)s->at};
      tracks->nmarks++;
      if (mpg_poll(tracks->env, tracks->nmarks))
        return MPG_INTERRUPTED;
    }
    tracks->tracks[i].top = 0; /* from here on the stack of what is left */
  }
  return mpg_sort(tracks->env, tracks->marks, tracks->nmarks, sizeof *tracks->marks, mark_order,
                  NULL);
}

/* Begins of a track that no end was found for. */
static void lose_open(mpg_perfetto_tracks *tracks, mpg_perfetto_track *track, int64_t *lost,
                      int64_t *first_at) {
  for (; track->top > 0; ++*lost) {
    mpg_perfetto_slice *s = &tracks->slices[track->top - 1];
    track->top = s->below;
    if (*first_at == 0 || s->at < *first_at)
      *first_at = s->at;
    mpg_perfetto_slice_free(tracks, s);
  }
}

mpg_rc mpg_perfetto_next_left(mpg_perfetto_tracks *tracks, mpg_perfetto_slice **slice,
                              int64_t *end_ns, int64_t *lost, int64_t *first_at) {
  while (tracks->next_mark < tracks->nmarks) {
    const mpg_perfetto_mark *m = &tracks->marks[tracks->next_mark++];
    mpg_perfetto_track *track = &tracks->tracks[m->track];
    const mpg_perfetto_mark *next = m + 1;
    const bool is_last = tracks->next_mark == tracks->nmarks || next->track != m->track ||
                         next->session != m->session;
    *slice = NULL;
    if (m->slice > 0) {
      tracks->slices[m->slice - 1].below = track->top;
      track->top = m->slice;
    } else if (track->top > 0) {
      *slice = &tracks->slices[track->top - 1];
      *end_ns = m->ns;
      track->top = (*slice)->below;
    } else {
      ++*lost;
    }
    if (is_last)
      lose_open(tracks, track, lost, first_at);
    if (*slice != NULL)
      return MPG_OK;
    if (mpg_poll(tracks->env, tracks->next_mark))
      return MPG_INTERRUPTED;
  }
  return MPG_DONE;
}
