/*
** packed_commits.c - see packed_commits.h.
**
** A head says what is there. A step that rises as the one before did is not written, nor is a
** snapshot that is as late as its commit is durable.
*/
#include "packed_commits.h"

enum { HAS_STEP = 1, STEP_GIVEN = 2, HAS_SNAPSHOT = 4, HAS_DURABLE = 8, AT_ONCE = 16 };

#define PACKED_MAX (1 + 3 * MPG_PACKED_WIDE + 8)

typedef struct writer {
  int64_t step, rise, at;
} writer;

static size_t pack(writer *w, const mpg_commit *c, unsigned char *out) {
  unsigned char *p = out + 1;
  unsigned head = 0;
  if (c->step != MPG_NONE) {
    int64_t rise = (int64_t)((uint64_t)c->step - (uint64_t)w->step);
    head |= HAS_STEP;
    if (rise != w->rise) {
      head |= STEP_GIVEN;
      p = mpg_packed_put(p, mpg_packed_change(0, rise));
      w->rise = rise;
    }
    w->step = c->step;
  }
  if (c->snapshot != MPG_NONE) {
    head |= HAS_SNAPSHOT;
    p = mpg_packed_put(p, mpg_packed_change(w->at, c->snapshot));
    w->at = c->snapshot;
  }
  if (c->durable != MPG_NONE) {
    head |= HAS_DURABLE;
    if (c->durable == c->snapshot)
      head |= AT_ONCE;
    else
      p = mpg_packed_put(p, mpg_packed_change(w->at, c->durable));
    w->at = c->durable;
  }
  *out = (unsigned char)head;
  return (size_t)(p - out);
}

mpg_rc mpg_commits_add(mpg_packed *list, mpg_arena *arena, const mpg_commit *commit) {
  unsigned char packed[PACKED_MAX], *room;
  writer *w = list->writer, after;
  size_t n;
  if (w == NULL) {
    w = mpg_arena_cut(arena, sizeof *w);
    if (w == NULL || mpg_packed_room(list, arena, 1) == NULL)
      return MPG_NOMEM;
    *w = (writer){0, 0, 0};
    list->writer = w;
  }
  after = *w;
  n = pack(&after, commit, packed);
  room = mpg_packed_room(list, arena, n);
  if (room == NULL)
    return MPG_NOMEM;
  memcpy(room, packed, n);
  mpg_packed_count(list, n);
  *w = after;
  return MPG_OK;
}

void mpg_commits_read_bytes(mpg_commits_reader *reader, const mpg_packed_bytes *piece) {
  const unsigned char *p = piece->p, *stop = p + piece->n;
  mpg_commits_reader r = *reader;
  uint64_t v;
  if (piece->begins)
    r.step = r.rise = r.at = 0;
  for (; p < stop; r.out++) {
    unsigned head = *p++;
    *r.out = (mpg_commit){r.job, MPG_NONE, MPG_NONE, MPG_NONE};
    if (head & STEP_GIVEN) {
      p = mpg_packed_get(p, &v);
      r.rise = mpg_packed_changed(0, v);
    }
    if (head & HAS_STEP)
      r.out->step = r.step = (int64_t)((uint64_t)r.step + (uint64_t)r.rise);
    if (head & HAS_SNAPSHOT) {
      p = mpg_packed_get(p, &v);
      r.out->snapshot = r.at = mpg_packed_changed(r.at, v);
    }
    if (head & HAS_DURABLE && !(head & AT_ONCE)) {
      p = mpg_packed_get(p, &v);
      r.at = mpg_packed_changed(r.at, v);
    }
    if (head & HAS_DURABLE)
      r.out->durable = r.at;
  }
  *reader = r;
}
