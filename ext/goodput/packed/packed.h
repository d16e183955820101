/*
** packed.h - lists of packed records, one a job and kind of record: chunks of bytes in an arena.
**
** A list is a sequence of groups. The records of a group are encoded against those before them in
** the group, the first against nothing, so groups can be moved and joined as bytes. Records name
** texts by their shape, a row of a table of the group; so only the table has ids to be mapped.
*/
#ifndef MPG_PACKED_H
#define MPG_PACKED_H

#include "arena.h"
#include "../../base/debug_assert.h"

#include <string.h>

/* What spans of the same sort have in common; ids of the fleet's texts, 0: not given. */
typedef struct mpg_shape {
  uint32_t kind, program, dtype, file;
} mpg_shape;

typedef struct mpg_packed_chunk {
  struct mpg_packed_chunk *next;
  mpg_shape *shapes; /* of the group that begins here */
  uint32_t nshapes;
  uint32_t used, cap; /* bytes */
  bool begins;        /* a group */
  unsigned char bytes[];
} mpg_packed_chunk;

/* Zero-initialised is empty. */
typedef struct mpg_packed {
  mpg_packed_chunk *first, *last;
  size_t n;     /* records */
  void *writer; /* what the next record is encoded against; NULL: it begins a group */
} mpg_packed;

/* The bytes of a group, or of its chunks one after the other. */
typedef struct mpg_packed_bytes {
  const unsigned char *p;
  size_t n;
  const mpg_shape *shapes; /* of a group that begins here */
  bool begins;
} mpg_packed_bytes;

static inline mpg_packed_bytes mpg_packed_bytes_of(const mpg_packed_chunk *chunk) {
  return (mpg_packed_bytes){chunk->bytes, chunk->used, chunk->shapes, chunk->begins};
}

/* Room for n bytes at the end of the list, whose group begins anew if it has no writer. The bytes
** may be written 8 wide, and count after mpg_packed_count. NULL: out of memory. */
unsigned char *mpg_packed_room(mpg_packed *list, mpg_arena *arena, size_t n);
static inline void mpg_packed_count(mpg_packed *list, size_t n) {
  list->last->used += (uint32_t)n;
  list->n++;
}

/* The bytes that one group with all records of the list takes, which has one group: a copy in one
** chunk, without room to spare. */
size_t mpg_packed_settled_bytes(const mpg_packed *list);
/* Moves it to `to`, of so many bytes. Returns the place after it. */
unsigned char *mpg_packed_settle(mpg_packed *list, unsigned char *to);

/* The ids of this list for the ids in another list's shapes; 0 for 0. */
typedef struct mpg_packed_names {
  const uint32_t *kinds, *programs, *texts;
} mpg_packed_names;

/* Appends the records of `more`, which is one group and is not copied; its ids are mapped, unless
** names is NULL. */
void mpg_packed_join(mpg_packed *list, const mpg_packed *more, const mpg_packed_names *names);

/* ---- numbers ---- */

#define MPG_PACKED_WIDE 9 /* bytes that a number takes at most */

/* Seven bits a byte; the low bits of the first say how many bytes follow. Writes up to 9 bytes, of
** which those before the place returned count. */
static inline unsigned char *mpg_packed_put(unsigned char *p, uint64_t v) {
  unsigned bits = 64u - (unsigned)__builtin_clzll(v | 1), n = (bits + 6) / 7;
  uint64_t word;
  if (bits > 56) {
    *p = 0;
    word = htole64(v);
    memcpy(p + 1, &word, sizeof word);
    return p + 9;
  }
  word = htole64(v << n | UINT64_C(1) << (n - 1));
  memcpy(p, &word, sizeof word);
  return p + n;
}

/* Reads up to 9 bytes. */
static inline const unsigned char *mpg_packed_get(const unsigned char *p, uint64_t *v) {
  uint64_t word;
  unsigned n;
  memcpy(&word, p, sizeof word);
  word = le64toh(word);
  if (__builtin_expect((word & 0xff) == 0, 0)) {
    memcpy(&word, p + 1, sizeof word);
    *v = le64toh(word);
    return p + 9;
  }
  n = (unsigned)__builtin_ctzll(word) + 1;
  *v = word << (64 - 8 * n) >> (64 - 7 * n);
  return p + n;
}

/* Differences wrap around, so any two integers have one; small ones of either sign stay small. */
static inline uint64_t mpg_packed_change(int64_t from, int64_t to) {
  uint64_t d = (uint64_t)to - (uint64_t)from;
  return d << 1 ^ (d >> 63 ? UINT64_MAX : 0);
}

static inline int64_t mpg_packed_changed(int64_t from, uint64_t change) {
  return (int64_t)((uint64_t)from + (change >> 1 ^ (0 - (change & 1))));
}

#endif
